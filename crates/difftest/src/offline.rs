//! OpenCL C to SPIR-V as others do it: by clang and Khronos' translator, or by clang and LLVM's own
//! code generator, in several versions, from Debian's packages of those names.

use crate::Result;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Files of one compilation, removed with it.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> std::io::Result<Self> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name =
            format!("lanewise-offline-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The error is inside if the program ran and said no.
fn call(program: &str, args: &[&str], folder: &Path) -> Result<std::result::Result<(), String>> {
    let output = Command::new(program).args(args).current_dir(folder).output();
    let output = output.map_err(|e| format!("{program}: {e}; `make setup` installs it for tests"))?;
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(if output.status.success() { Ok(()) } else { Err(format!("{program}: {log}")) })
}

/// A compiler of OpenCL C to SPIR-V.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrontEnd {
    clang: &'static str,
    /// Khronos' translator, instead of clang's own code generator.
    translator: Option<&'static str>,
}

impl FrontEnd {
    /// The one that all tests use.
    pub const DEFAULT: FrontEnd = FrontEnd { clang: "clang-15", translator: Some("llvm-spirv-15") };

    /// Those that are looked at: the default one, or with `LANEWISE_FRONT_ENDS=all` all there are.
    pub fn wanted() -> Vec<FrontEnd> {
        let mut wanted = vec![FrontEnd::DEFAULT];
        if std::env::var("LANEWISE_FRONT_ENDS").is_ok_and(|which| which == "all") {
            wanted.push(FrontEnd { clang: "clang-14", translator: Some("llvm-spirv-14") });
            wanted.push(FrontEnd { clang: "clang-22", translator: None });
        }
        wanted
    }

    /// Whether Khronos' translator makes the module, and not clang itself.
    pub fn is_translator(self) -> bool {
        self.translator.is_some()
    }

    /// Whether debug information can be given as OpenCL's own instructions, too.
    pub fn has_debug_versions(self) -> bool {
        self == FrontEnd::DEFAULT
    }

    /// The words of a module. `flags` are clang's, such as `-O2` or `-g`; `translator` are the
    /// translator's.
    pub fn compile(self, source: &str, flags: &[&str], translator: &[&str]) -> Result<Vec<u32>> {
        Ok(self.translate(source, flags, translator)??)
    }

    /// The same; the error is inside if it is the translator that refuses the module or crashes.
    pub fn translate(
        self,
        source: &str,
        flags: &[&str],
        translator: &[&str],
    ) -> Result<std::result::Result<Vec<u32>, String>> {
        let folder = Folder::new()?;
        std::fs::write(folder.0.join("k.cl"), source)?;
        let header = ["-Xclang", "-finclude-default-header", "-Xclang", "-fdeclare-opencl-builtins"];
        let language = [&header[..], &["-cl-std=CL3.0", "-w"]].concat();
        match self.translator {
            Some(program) => {
                let files = ["--target=spir64", "-emit-llvm", "-c", "k.cl", "-o", "k.bc"];
                call(self.clang, &[&language, flags, &files].concat(), &folder.0)??;
                // Clang makes integers of two bits of some switches.
                let files = ["k.bc", "-o", "k.spv", "--spirv-ext=+SPV_INTEL_arbitrary_precision_integers"];
                if let Err(refused) = call(program, &[&files, translator].concat(), &folder.0)? {
                    return Ok(Err(refused));
                }
            }
            None => {
                let files = ["--target=spirv64", "-c", "k.cl", "-o", "k.spv"];
                call(self.clang, &[&language, flags, &files].concat(), &folder.0)??;
            }
        }
        let bytes = std::fs::read(folder.0.join("k.spv"))?;
        Ok(Ok(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()))
    }
}
