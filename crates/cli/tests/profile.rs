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

/// Of each kernel: what a work-item moves and computes, as the table's rates tell.
#[test]
fn bytes_and_operations_are_counted_where_they_can_be() {
    let folder = Folder::new();
    folder.write(
        "k.cl",
        "kernel void straight(global float *o, int n) { o[get_global_id(0)] *= 3.0f; }
         kernel void guarded(global float *o, int n) {
             if (get_global_id(0) < n) o[get_global_id(0)] *= 3.0f;
         }
         kernel void looped(global float *o, int n) {
             float s = 0; for (int i = 0; i < n; i++) s += o[i]; o[get_global_id(0)] = s;
         }
         kernel void unknown(global float *o, int n) {
             float s = 1; while (s < o[get_global_id(0)]) s *= 1.5f; o[get_global_id(0)] = s;
         }
         kernel void chosen(global float *o, int n) {
             float s = o[get_global_id(0)]; if (s > 1) s = s * s; o[get_global_id(0)] = s;
             if (o[n] > 2) o[get_global_id(0)] = o[n - 1];
         }",
    );
    let amounts = |kernel: &str| {
        let line = format!("run k.cl -k {kernel} -g 65536 --arg zeros:65536 --arg 10 --repeat 2");
        let output = folder.command(&line).env("LANEWISE_PROFILE", "1").output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let row = errors.lines().find(|row| row.ends_with(&format!("  {kernel}"))).expect(&errors);
        let words: Vec<&str> = row.split_whitespace().collect();
        let items: f64 = words[5].parse().unwrap();
        let a_work_item = |rate: &str| Some(rate.parse::<f64>().ok()? * 1e3 / items);
        [a_work_item(words[6]), a_work_item(words[7])]
    };
    // The table's rates have three digits.
    let is_near = |amount: Option<f64>, expected: f64| (amount.unwrap() / expected - 1.0).abs() < 0.1;
    for (kernel, expected) in [("straight", [8.0, 1.0]), ("guarded", [8.0, 1.0]), ("looped", [44.0, 10.0])] {
        let [bytes, operations] = amounts(kernel);
        assert!(is_near(bytes, expected[0]), "{kernel}: {bytes:?}");
        assert!(is_near(operations, expected[1]), "{kernel}: {operations:?}");
    }
    for kernel in ["unknown", "chosen"] {
        assert_eq!(amounts(kernel), [None; 2], "{kernel}");
    }
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
