//! `lanewise vecz`, and the reports of a build: `--remarks` and `--time-passes`.

mod common;

use common::{Folder, example};

const KERNELS: &str = "\
declare i64 @_Z13get_global_idj(i32)
define spir_kernel void @k(ptr addrspace(1) %out) {
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %out, i64 %i
  store i64 %i, ptr addrspace(1) %p, align 8
  ret void
}
define spir_kernel void @j(ptr addrspace(1) %out) {
  %i = call i64 @_Z13get_global_idj(i32 0)
  %a = alloca i32, i64 %i, align 4
  store i32 1, ptr %a, align 4
  %v = load i32, ptr %a, align 4
  store i32 %v, ptr addrspace(1) %out, align 4
  ret void
}
";

#[test]
fn one_kernel_is_vectorized_and_the_module_printed() {
    let folder = Folder::new();
    folder.write("in.ll", KERNELS);
    let text = folder.ok("vecz in.ll -k k -w 5");
    assert!(text.contains("define spir_kernel void @__vecz_v5_k("), "{text}");
    assert!(text.contains("store <5 x i64>") && text.contains("!codeplay_ca_vecz.derived"), "{text}");
    assert!(text.contains("@k(") && text.contains("@j(") && !text.contains("__vecz_v5_j"), "{text}");
    folder.ok("vecz in.ll -k k -o out.bc");
    assert_eq!(&folder.read("out.bc")[..4], b"BC\xc0\xde");
    assert!(folder.ok("vecz out.bc -k k -w 2 -o out.ll").is_empty());
    let again = String::from_utf8(folder.read("out.ll")).unwrap();
    assert!(again.contains("@__vecz_v2_k("), "{again}");
}

#[test]
fn what_cannot_be_done_is_said() {
    let folder = Folder::new();
    folder.write("in.ll", KERNELS);
    let why = folder.fails(1, "vecz in.ll -k j -w 8");
    assert!(
        why.starts_with("in.ll: j is not vectorized: a private array of variable size: %a = alloca"),
        "{why}"
    );
    assert_eq!(folder.fails(1, "vecz in.ll"), "in.ll: which kernel? Give -k NAME; there are j, k");
    assert_eq!(folder.fails(1, "vecz in.ll -k m"), "in.ll: there is no kernel m; there are j, k");
    assert_eq!(
        folder.fails(2, "vecz in.ll -k k -w 65"),
        "--width 65: this should be a number from 2 to 64, or nxv1 to nxv64"
    );
    assert!(folder.fails(2, "vecz").starts_with("what to work on?"));
    folder.write("bad.ll", "define nonsense");
    assert!(folder.fails(1, "vecz bad.ll -k k").starts_with("bad.ll:1:"));
}

fn errors(folder: &Folder, line: &str) -> String {
    let output = folder.command(line).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{line}\n{text}");
    text
}

const SOURCE: &str = "\
kernel void k(global float *out, global const float *in, global const int *at) {
  size_t i = get_global_id(0);
  float x = in[i];
  if (x > 0)
    x = in[at[i]];
  out[2 * i] = x;
}
";

#[test]
fn remarks_have_the_lines_of_the_source() {
    let folder = Folder::new();
    folder.write("in.ll", KERNELS);
    let said = errors(&folder, "vecz in.ll -k k -w 8 --remarks -o out.ll");
    assert_eq!(said, "remark: k: vectorized, 8 work-items at once\nremark: k: store of long: contiguous\n");
    folder.write("k.cl", SOURCE);
    let launch = "-g 64 -l 8 --arg zeros:128 --arg rand:64 --arg zeros:64 --remarks";
    for line in ["compile k.cl -o k.bin --remarks".to_owned(), format!("run k.cl {launch}")] {
        let said = errors(&folder, &line);
        for (line, what) in [
            (1, "vectorized, "),
            (3, "load of float: contiguous"),
            (4, "divergent branch"),
            (5, "load of int: contiguous"),
            (5, "load of float: gather"),
            (6, "store of float: "),
        ] {
            // All but the kernel itself have a column.
            let is_told = |told: &str| {
                let place = told.strip_prefix(&format!("k.cl:{line}:"));
                let column = place.and_then(|p| p.split_once(" remark: k: "));
                column
                    .is_some_and(|(column, text)| column.is_empty() == (line == 1) && text.starts_with(what))
            };
            assert!(said.lines().any(is_told), "{line}: {what}\n{said}");
        }
    }
    // Source elsewhere keeps the name it was given.
    folder.write("deep.cl", SOURCE);
    let path = folder.path("deep.cl").display().to_string();
    let said = errors(&folder, &format!("compile {path} -o k.bin --remarks"));
    assert!(said.starts_with(&format!("{path}:1: remark: k: ")), "{said}");
    assert_eq!(errors(&folder, "compile k.cl -o k.bin"), "");
}

#[test]
fn remarks_change_no_code() {
    let folder = Folder::new();
    for file in [example("reduce.cl"), example("mandelbrot.cl")] {
        folder.ok(&format!("compile {file} -o plain.o"));
        folder.ok(&format!("compile {file} -o told.o --remarks"));
        assert_eq!(folder.read("plain.o"), folder.read("told.o"), "{file}");
    }
}

#[test]
fn times_cover_the_whole_build() {
    let folder = Folder::new();
    folder.write("k.cl", SOURCE);
    let launch = "-g 64 -l 8 --arg zeros:128 --arg rand:64 --arg zeros:64 --time-passes";
    let said = errors(&folder, &format!("run k.cl {launch}"));
    for step in ["clang", "link-builtins", "run-vecz", "work-item-loops", "generate code", "load", "all"] {
        assert!(said.lines().any(|line| line.ends_with(&format!(" %  {step}"))), "{step}\n{said}");
    }
    let said = errors(&folder, "compile k.cl -o k.bin --time-passes");
    for step in ["clang", "work-item-loops", "optimize-kernels", "generate code", "all"] {
        assert!(said.lines().any(|line| line.ends_with(&format!(" %  {step}"))), "{step}\n{said}");
    }
}

#[test]
fn remarks_speak_of_the_source() {
    let folder = Folder::new();
    let source = "kernel void k(global uchar4 *o, global const uint *p, global ulong *q, int n, int w) {
  int x = get_global_id(0), y = get_global_id(1), l = get_local_id(0);
  o[x] = o[x].wzyx;
  uint s = 0;
  for (int t = 0; t < n; t += 8)
    s += p[y * n + t + l];
  q[x] = s;
}
kernel void scalar(global ulong *q, int n) {
  ulong x = get_global_id(0);
  for (int j = 0; j < n; j++) x = q[x] / (x % 1000 + 1);
  q[get_global_id(0)] = x;
}
";
    folder.write("k.cl", source);
    let said = errors(&folder, "compile k.cl -o k.bin --remarks");
    for told in [
        "k.cl:3:10: remark: k: load of uchar: interleaved, one of 4\n",
        "k.cl:6:10: remark: k: load of uint: contiguous if a test finds it so, else a gather\n",
        "k.cl:7:8: remark: k: store of ulong: contiguous\n",
    ] {
        assert!(said.contains(told), "{told}\n{said}");
    }
    let left = said.lines().find(|line| line.contains("remark: scalar: left scalar")).unwrap();
    assert!(left.starts_with("k.cl:9: ") && left.contains("cycles, against "), "{left}");
    assert!(left.contains(", most of all for the division in line 11 (-cl-wfv=always"), "{left}");
    assert!(said.lines().all(|line| line.starts_with("k.cl:")), "{said}");
}
