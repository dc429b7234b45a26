//! `lanewise run --check`: mistakes of kernels are found, with line and work-item, and the program
//! goes on to its end.

mod common;

use common::Folder;

/// The reports of a kernel that is run with these checks, one JSON object a line.
fn reports(source: &str, checks: &str, line: &str) -> Vec<String> {
    let folder = Folder::new();
    folder.write("k.cl", source);
    let line = format!("run k.cl {line} --options -cl-lanewise-check={checks}");
    let mut command = folder.command(&line);
    let output = command.env("LANEWISE_CHECK_JSON", folder.path("reports")).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let reports = std::fs::read_to_string(folder.path("reports")).unwrap_or_default();
    let expected = if reports.is_empty() { 0 } else { 3 };
    assert_eq!(output.status.code(), Some(expected), "{source}\n{errors}");
    reports.lines().map(str::to_owned).collect()
}

/// Expects one report, of this kind and line and for this work-item.
fn finds(source: &str, checks: &str, line: &str, kind: &str, at: u32, global: [u32; 3]) -> String {
    let all = reports(source, checks, line);
    let [one] = all.as_slice() else { panic!("{source}\n{all:#?}") };
    let [x, y, z] = global;
    for part in [
        format!("{{\"kind\":\"{kind}\",\"kernel\":\"k\",\"file\":\"k.cl\",\"line\":{at},"),
        format!("\"global_id\":[{x},{y},{z}]"),
    ] {
        assert!(one.contains(&part), "{source}\n{part}\n{one}");
    }
    one.clone()
}

fn finds_nothing(source: &str, checks: &str, line: &str) {
    assert_eq!(reports(source, checks, line), Vec::<String>::new(), "{source}");
}

#[test]
fn bounds() {
    let read = "kernel void k(global const float *in, global float *out) {\n  int i = get_global_id(0);\n  \
        out[i] = in[i + 3];\n}";
    let args = "-g 64 -l 16 --arg iota:64 --arg zeros:64";
    let report = finds(read, "bounds", args, "out-of-bounds", 3, [61, 0, 0]);
    let expected = "\"local_id\":[13,0,0],\"group_id\":[3,0,0],\"argument\":0,\"offset\":256,\"size\":4";
    assert!(report.contains(expected) && report.ends_with("\"count\":3}"), "{report}");
    finds_nothing(read, "bounds", "-g 64 -l 16 --arg iota:67 --arg zeros:64");

    let private = "kernel void k(global int *out) {\n  int a[4];\n  for (int j = 0; j <= 4; j++)\n\
        \x20   a[j] = j;\n  out[get_global_id(0)] = a[1];\n}";
    finds(private, "bounds", "-g 8 -l 8 --arg zeros:8", "out-of-bounds", 4, [0; 3]);
    let local = "kernel void k(global int *out, local int *t) {\n  int i = get_local_id(0);\n  t[i] = i;\n  \
        out[i] = 1;\n}";
    finds(local, "bounds", "-g 16 -l 16 --arg zeros:16 --arg local:60", "out-of-bounds", 3, [15, 0, 0]);
    finds_nothing(local, "bounds", "-g 16 -l 16 --arg zeros:16 --arg local:64");
    let constant = "kernel void k(global const int *in, global int *out) {\n  \
        ((global int *)in)[get_global_id(0)] = 1;\n}";
    finds(constant, "bounds", "-g 4 -l 4 --arg zeros:4 --arg zeros:4", "read-only", 2, [0; 3]);
}

#[test]
fn the_stack_is_that_of_the_kernel() {
    let source = "int get(global int *p, int i) {\n  return p[i];\n}\nint twice(global int *p, int i) {\n  \
        return get(p, 2 * i);\n}\nkernel void k(global int *out) {\n  int i = get_global_id(0);\n  \
        out[i] = twice(out, i);\n}";
    let report = finds(source, "bounds", "-g 8 -l 8 --arg zeros:8", "out-of-bounds", 2, [4, 0, 0]);
    let places = [("get", 2), ("twice", 5), ("k", 9)];
    let at = places.map(|(f, line)| {
        report.find(&format!("\"function\":\"{f}\",\"file\":\"k.cl\",\"line\":{line},")).expect(&report)
    });
    assert!(at.is_sorted(), "{report}");
}

#[test]
fn alignment() {
    let source = "kernel void k(global char *p) {\n  *(global int *)(p + get_global_id(0)) = 1;\n}";
    finds(source, "alignment", "-g 4 -l 4 --arg zeros:16", "alignment", 2, [1, 0, 0]);
}

#[test]
fn barriers() {
    let missed = "kernel void k(global int *out) {\n  if (get_local_id(0) < 5)\n    \
        barrier(CLK_LOCAL_MEM_FENCE);\n  out[get_global_id(0)] = 1;\n}";
    finds(missed, "barriers", "-g 32 -l 16 --arg zeros:32", "barrier", 3, [5, 0, 0]);
    let rounds = "kernel void k(global int *out) {\n  for (int i = 0; i < 4; i++)\n    \
        if (get_local_id(0) != i)\n      barrier(CLK_LOCAL_MEM_FENCE);\n  out[get_global_id(0)] = 1;\n}";
    finds(rounds, "barriers", "-g 16 -l 16 --arg zeros:16", "barrier", 4, [1, 0, 0]);
    let all = "kernel void k(global int *out, int n) {\n  for (int i = 0; i < n; i++)\n    \
        barrier(CLK_LOCAL_MEM_FENCE);\n  out[get_global_id(0)] = 1;\n}";
    finds_nothing(all, "barriers", "-g 16 -l 16 --arg zeros:16 --arg 3");
}

#[test]
fn races() {
    let local = |barrier: &str| {
        format!(
            "kernel void k(global int *out) {{\n  local int t[16];\n  int l = get_local_id(0);\n  \
            t[l] = l;\n  {barrier}\n  out[get_global_id(0)] = t[(l + 1) % 16];\n}}"
        )
    };
    let report = finds(&local(""), "races", "-g 32 -l 16 --arg zeros:32", "race", 6, [0; 3]);
    assert!(report.contains("\"other\":{\"kernel\":\"k\",\"file\":\"k.cl\",\"line\":4,"), "{report}");
    finds_nothing(&local("barrier(CLK_LOCAL_MEM_FENCE);"), "races", "-g 32 -l 16 --arg zeros:32");
    let global = "kernel void k(global int *out) {\n  out[0] = get_group_id(0);\n}";
    finds(global, "races", "-g 4 -l 1 --arg zeros:4", "race", 2, [1, 0, 0]);
    let atomic = "kernel void k(global int *out) {\n  atomic_inc(out);\n}";
    finds_nothing(atomic, "races", "-g 32 -l 16 --arg zeros:4");
}

#[test]
fn uninitialized() {
    let branch = "kernel void k(global int *out) {\n  int i = get_global_id(0), x;\n  if (i > 3) x = 1;\n  \
        if (x > 0)\n    out[i] = 1;\n}";
    finds(branch, "uninitialized", "-g 16 -l 16 --arg zeros:16", "uninitialized", 4, [0; 3]);
    let array = |n: u32| {
        format!(
            "kernel void k(global int *out) {{\n  int a[8];\n  for (int j = 0; j < {n}; j++) a[j] = j;\n  \
            out[get_global_id(0)] = a[get_global_id(0) & 7];\n}}"
        )
    };
    finds(&array(7), "uninitialized", "-g 16 -l 16 --arg zeros:16", "uninitialized", 4, [7, 0, 0]);
    finds_nothing(&array(8), "uninitialized", "-g 16 -l 16 --arg zeros:16");
    let local = |n: u32| {
        format!(
            "kernel void k(global int *out, local int *t) {{\n  int l = get_local_id(0);\n  \
            if (l != {n}) t[l] = l;\n  barrier(CLK_LOCAL_MEM_FENCE);\n  out[get_global_id(0)] = t[l];\n}}"
        )
    };
    let args = "-g 32 -l 16 --arg zeros:32 --arg local:64";
    finds(&local(3), "uninitialized", args, "uninitialized", 5, [3, 0, 0]);
    finds_nothing(&local(99), "uninitialized", args);
    let padding = "struct S { int a; char c; double d; };\nkernel void k(global struct S *o) {\n  \
        struct S s;\n  s.a = 1; s.c = 2; s.d = 3;\n  o[get_global_id(0)] = s;\n}";
    finds_nothing(padding, "uninitialized", "-g 8 -l 8 --arg zeros:8");
    let field = padding.replace("s.c = 2;", "");
    finds(&field, "uninitialized", "-g 8 -l 8 --arg zeros:8", "uninitialized", 5, [0; 3]);
}

#[test]
fn arithmetic() {
    let source =
        |line: &str| format!("kernel void k(global int *out) {{\n  int i = get_global_id(0);\n  {line}\n}}");
    for (line, at) in [
        ("out[i] = 10 / (i - 3);", 3),
        ("out[i] = 1 << (i + 28);", 4),
        ("out[i] = 0x7ffffffb + i;", 5),
        ("out[i] = (int)(1e9f * i);", 3),
        ("((global float *)out)[i] = sqrt((float)(5 - i));", 6),
    ] {
        finds(&source(line), "arithmetic", "-g 8 -l 8 --arg zeros:8", "arithmetic", 3, [at, 0, 0]);
        finds_nothing(&source(line), "arithmetic", "-g 3 -l 3 --arg zeros:8");
    }
}

#[test]
fn a_device_without_checked_mode_says_so() {
    let folder = Folder::new();
    folder.write("k.cl", "kernel void k(global int *out) { out[0] = 1; }");
    let message = folder.fails(1, "run k.cl --device threads -g 1 --arg zeros:1 --check");
    assert!(message.contains("threads does not run kernels in checked mode"), "{message}");
}
