//! Runs the program in a folder of its own.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder that goes away with the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("lanewise-test-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lanewise"));
        command.current_dir(&self.0).args(words(line)).env_remove("LANEWISE_DUMP");
        command
    }

    /// The output of a command that must succeed.
    pub fn ok(&self, line: &str) -> String {
        ok(&mut self.command(line), line)
    }

    /// The last line of a command that must fail with `code`, without the program's name.
    pub fn fails(&self, code: i32, line: &str) -> String {
        let output = self.command(line).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{line}\n{errors}{:?}", output.status);
        assert!(!errors.contains("panicked"), "{line}\n{errors}");
        let message = errors.split("lanewise: ").last().unwrap_or_default().trim_end();
        assert!(errors.contains("lanewise: ") && !message.is_empty(), "{line}\n{errors}");
        message.to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn ok(command: &mut Command, line: &str) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(status.success(), "{line}\n{}{status:?}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

/// Splits at blanks; single quotes keep them.
pub fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (i, part) in line.split('\'').enumerate() {
        if i % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// A file of the repository's examples.
pub fn example(name: &str) -> String {
    from_root(&format!("../../examples/{name}"))
}

/// A file of these tests.
pub fn data(name: &str) -> String {
    from_root(&format!("tests/data/{name}"))
}

fn from_root(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path).display().to_string()
}

/// The digest that a run printed for an argument.
pub fn digest(said: &str, argument: usize) -> String {
    let line = said.lines().find(|line| line.starts_with(&format!("arg {argument} ")));
    let line = line.unwrap_or_else(|| panic!("no argument {argument} in\n{said}"));
    let (_, digest) = line.split_once("digest ").unwrap();
    digest.split(',').next().unwrap().to_owned()
}

pub fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

pub fn ints(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
}

pub fn longs(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect()
}
