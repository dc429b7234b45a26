//! What profilers see: the table and the trace of `LANEWISE_PROFILE`, and the code that
//! `LANEWISE_PERF` shows to perf.

mod common;

use common::Folder;

const SOURCE: &str = "kernel void counted(global int *o) { o[get_global_id(0)] += 1; }";
const LINE: &str = "run k.cl -g 64 --arg zeros:64 --repeat 5";

/// The files of a folder and those below it.
fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn kernels_are_in_the_table_and_in_the_trace() {
    let folder = Folder::new();
    folder.write("k.cl", SOURCE);
    let output = folder.command(LINE).env("LANEWISE_PROFILE", "1").output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let row = errors.lines().find(|line| line.ends_with("  counted")).expect(&errors);
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!((words[0], words[2]), ("5", "100.0%"), "{errors}");
    let trace =
        files(&folder.path("")).into_iter().find(|path| path.extension().is_some_and(|e| e == "json"));
    let trace = std::fs::read_to_string(trace.expect(&errors)).unwrap();
    assert_eq!(trace.matches(r#""name":"counted","cat":"kernel","ph":"X""#).count(), 5, "{trace}");
    assert_eq!(trace.matches('{').count(), trace.matches('}').count());
}

#[test]
fn nothing_is_said_where_nobody_asks() {
    let folder = Folder::new();
    folder.write("k.cl", SOURCE);
    let output = folder.command(LINE).output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = folder.command(LINE).env("LANEWISE_PROFILE", "yes").output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("LANEWISE_PROFILE=\"yes\" is ignored: expected 0 or 1"), "{errors}");
    assert_eq!(files(&folder.path("")).len(), 1);
}

#[test]
fn perf_is_told_the_code_of_kernels() {
    let folder = Folder::new();
    folder.write("k.cl", SOURCE);
    let mut command = folder.command(LINE);
    command.env("LANEWISE_PERF", "1").env("LANEWISE_CACHE", "0").env("JITDUMPDIR", folder.path("dumps"));
    assert!(command.output().unwrap().status.success());
    let dumps = files(&folder.path("dumps"));
    let dump = dumps.iter().find(|path| path.extension().is_some_and(|e| e == "dump")).expect("a dump");
    let bytes = std::fs::read(dump).unwrap();
    // The magic number of perf's format, and the name of the kernel's code.
    assert_eq!(bytes[..4], 0x4a69_5444u32.to_ne_bytes());
    assert!(bytes.windows(7).any(|window| window == b"counted"));
}
