//! The folders of `LANEWISE_DUMP`: the files that the compilations of a process left, of one
//! program or of several.

use std::path::{Path, PathBuf};

use passes::DumpFile;

use crate::error::{Error, Result};

/// The files that the compilations of a process left in a folder.
pub struct Dump {
    folder: PathBuf,
    pub files: Vec<DumpFile>,
    /// Those of all programs that the process built.
    pub kernels: Vec<String>,
}

/// A program of a dump.
pub struct Dumped {
    /// Its first file: what the front end made of it.
    pub file: DumpFile,
    pub kernel: Option<String>,
}

impl Dump {
    /// Reads the files of a dump, in their order.
    pub fn read(folder: &Path) -> Result<Dump> {
        let entries = std::fs::read_dir(folder).map_err(|e| Error::file("read", folder, &e))?;
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| is_dump(name))
            .collect();
        // The numbers have four digits, or more.
        names.sort_by_key(|name| number_of(name).parse::<usize>().ok());
        let read = |name: String| {
            let path = folder.join(&name);
            let bytes = jit::read_regular(&path).map_err(|e| Error::file("read", &path, &e))?;
            Ok(DumpFile { name, text: String::from_utf8_lossy(&bytes).into_owned() })
        };
        let files: Vec<DumpFile> = names.into_iter().map(read).collect::<Result<_>>()?;
        let mut kernels: Vec<String> = Vec::new();
        explorer::programs(&files).into_iter().for_each(|(_, own)| kernels.extend(own));
        kernels.sort();
        kernels.dedup();
        if files.is_empty() {
            return Err(Error::input(format!(
                "{}: there is no dump in it; LANEWISE_DUMP=DIR writes one, with any program that compiles \
                kernels",
                folder.display()
            )));
        }
        Ok(Dump { folder: folder.to_owned(), files, kernels })
    }

    /// The last program that has a kernel of this name, or the only one.
    pub fn program(&self, kernel: Option<&str>) -> Result<Dumped> {
        let kernel = match (kernel, self.kernels.as_slice()) {
            (None, [only]) => Some(only.as_str()),
            (None, [_, ..]) => {
                let all = self.kernels.join(", ");
                return Err(Error::input(format!("which kernel? Give -k NAME; there are {all}")));
            }
            (kernel, _) => kernel,
        };
        let has = |own: &[String]| kernel.is_none_or(|kernel| own.iter().any(|name| name == kernel));
        match explorer::programs(&self.files)
            .into_iter()
            .rfind(|(_, own)| has(own) || self.kernels.is_empty())
        {
            Some((file, _)) => Ok(Dumped { file: file.clone(), kernel: kernel.map(str::to_owned) }),
            None => {
                let (kernel, all) = (kernel.unwrap_or_default(), self.kernels.join(", "));
                Err(Error::input(format!("there is no kernel {kernel} in it; there are {all}")))
            }
        }
    }

    /// The OpenCL C that a program was made from: the dump's own copy, since a file of that name
    /// may be another one by now. `main` is the path of the kernel's file, which may be a header of
    /// it.
    pub fn source_of(&self, first: &DumpFile, main: Option<&str>) -> Option<String> {
        let name = |path: &str| Path::new(path).file_name().map(ToOwned::to_owned);
        let mut lines = first.text.lines();
        let own = lines.find_map(|line| line.strip_prefix("source_filename = \"")?.strip_suffix('"'));
        if main.is_some_and(|main| name(main) != own.and_then(name)) {
            return None;
        }
        let path = self.folder.join(format!("{}-source.cl", number_of(&first.name)));
        jit::read_regular(&path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn number_of(name: &str) -> &str {
    name.split('-').next().unwrap_or_default()
}

fn is_dump(name: &str) -> bool {
    let number = number_of(name);
    name.ends_with(".ll") && number.len() >= 4 && number.bytes().all(|byte| byte.is_ascii_digit())
}
