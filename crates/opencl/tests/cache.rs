//! The cache on disk: entries are used again, and broken ones do no harm. In processes of their own, since a process asks the
//! environment once.

mod common;

use common::*;
use std::path::Path;
use std::process::Command;

const SOURCE: &str = "kernel void f(global int *a) { a[get_global_id(0)] = 6 * 7; }";

/// What each process does: builds and runs.
fn build_and_run() {
    let cl = Cl::new();
    let kernel = cl.kernel(SOURCE, "f", "");
    let mem = cl.buffer(0, 64);
    assert_eq!(set_arg(kernel, 0, mem), CL_SUCCESS);
    assert_eq!(cl.run(kernel, &[16], Some(&[8])), CL_SUCCESS);
    assert_eq!(cl.read::<i32>(mem, 16), [42; 16]);
    release_kernel(kernel);
    release_mem(mem);
}

fn in_a_process(dir: &Path, cache: &str) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "entries_are_used_again", "--nocapture"])
        .env("LANEWISE_CACHE_DIR", dir)
        .env("LANEWISE_CACHE", cache)
        .env("LANEWISE_TEST_CHILD", "1")
        .spawn()
        .unwrap()
}

fn passes(dir: &Path, cache: &str) {
    assert!(in_a_process(dir, cache).wait().unwrap().success());
}

fn files(dir: &Path) -> Vec<std::path::PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(dir).map_or(vec![], |d| d.map(|e| e.unwrap().path()).collect());
    files.sort();
    files
}

#[test]
fn entries_are_used_again() {
    if std::env::var_os("LANEWISE_TEST_CHILD").is_some() {
        return build_and_run();
    }
    let dir = std::env::temp_dir().join(format!("lanewise-cache-test-{}", std::process::id()));
    passes(&dir, "0");
    assert!(!dir.exists());
    passes(&dir, "1");
    // The program and its machine code.
    let first = files(&dir);
    assert_eq!(first.len(), 2);
    let written = |files: &[std::path::PathBuf]| -> Vec<u64> {
        use std::os::unix::fs::MetadataExt;
        files.iter().map(|f| f.metadata().unwrap().ino()).collect()
    };
    let inodes = written(&first);
    passes(&dir, "1");
    assert_eq!((files(&dir), written(&files(&dir))), (first.clone(), inodes), "nothing was written anew");
    for file in &first {
        let mut bytes = std::fs::read(file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(file, bytes).unwrap();
    }
    passes(&dir, "1");
    assert_eq!(files(&dir), first);
    // Many at once, in an empty directory.
    std::fs::remove_dir_all(&dir).unwrap();
    let children: Vec<_> = (0..4).map(|_| in_a_process(&dir, "1")).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(files(&dir), first);
    std::fs::remove_dir_all(dir).unwrap();
}

/// Builds, and compiles and links, a source with a header from a file; both must give what the header says now.
fn build_with_header(dir: &str, expected: i32) {
    let cl = Cl::new();
    let source = "#include \"value.h\"\nkernel void f(global int *a) { a[get_global_id(0)] = VALUE; }";
    let options = std::ffi::CString::new(format!("-I {dir}")).unwrap();
    let built = cl.build(source, options.to_str().unwrap()).unwrap();
    let object = cl.source(source);
    let (text, null) = (options.as_c_str().into(), Memory::NULL);
    let code = build::clCompileProgram(object, 0, In::NULL, text, 0, In::NULL, In::NULL, None, null);
    assert_eq!(code, CL_SUCCESS);
    let inputs = [object];
    let linked = made(|code| {
        build::clLinkProgram(cl.context, 0, In::NULL, In::NULL, 1, list(&inputs), None, null, code)
    })
    .unwrap();
    for program in [built, linked] {
        let (kernel, mem) = (kernel_of(program, "f").unwrap(), cl.buffer(0, 64));
        assert_eq!(set_arg(kernel, 0, mem), CL_SUCCESS);
        assert_eq!(cl.run(kernel, &[16], Some(&[8])), CL_SUCCESS);
        assert_eq!(cl.read::<i32>(mem, 16), [expected; 16]);
        release_kernel(kernel);
        release_mem(mem);
    }
    [object, built, linked].into_iter().for_each(release_program);
}

#[test]
fn headers_are_part_of_the_key() {
    if let Ok(expected) = std::env::var("LANEWISE_TEST_EXPECTED") {
        return build_with_header(
            &std::env::var("LANEWISE_TEST_HEADERS").unwrap(),
            expected.parse().unwrap(),
        );
    }
    let dir = std::env::temp_dir().join(format!("lanewise-cache-headers-{}", std::process::id()));
    let cache = dir.join("cache");
    std::fs::create_dir_all(&dir).unwrap();
    let passes = |value: i32| {
        std::fs::write(dir.join("value.h"), format!("#define VALUE {value}\n")).unwrap();
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "headers_are_part_of_the_key", "--nocapture"])
            .env("LANEWISE_CACHE_DIR", &cache)
            .env("LANEWISE_CACHE", "1")
            .env("LANEWISE_TEST_EXPECTED", value.to_string())
            .env("LANEWISE_TEST_HEADERS", &dir)
            .status();
        assert!(child.unwrap().success());
        files(&cache).len()
    };
    let first = passes(41);
    // The program, the object, what was linked, and machine code.
    assert!(first >= 4, "{first}");
    assert_eq!(passes(41), first, "nothing was built anew");
    assert!(passes(42) > first);
    assert_eq!(passes(41), passes(42));
    std::fs::remove_dir_all(dir).unwrap();
}
