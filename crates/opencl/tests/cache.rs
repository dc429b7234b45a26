//! The cache on disk: entries are used again, and broken ones do no harm. In processes of their
//! own, since a process asks the environment once.

mod common;

use common::*;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

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

/// Builds, and compiles and links, a source with a header from a file; both must give what the
/// header says now.
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

/// A directory for one test, which is removed with it.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        let path = std::env::temp_dir().join(format!("lanewise-cache-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Directory(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// This test in a process of its own, without the variables that say where the cache is. It has a
/// minute.
fn child(test: &str, variables: &[(&str, &Path)]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    for name in ["LANEWISE_CACHE_DIR", "XDG_CACHE_HOME", "LANEWISE_DUMP"] {
        command.env_remove(name);
    }
    command.env("LANEWISE_CACHE", "1").envs(variables.iter().copied()).env("LANEWISE_TEST_CHILD", "1");
    let mut child = command.spawn().unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("{test} hangs: {:?}", child.wait_with_output().unwrap());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap();
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    output
}

fn is_child() -> bool {
    std::env::var_os("LANEWISE_TEST_CHILD").is_some()
}

/// The value that a kernel of this source stores; `None` if it cannot be built.
fn value_of(cl: &Cl, source: &str, options: &str) -> Option<i32> {
    let program = cl.build(source, options).ok()?;
    let (kernel, mem) = (kernel_of(program, "f").unwrap(), cl.buffer(0, 4));
    assert_eq!(set_arg(kernel, 0, mem), CL_SUCCESS);
    assert_eq!(cl.run(kernel, &[1], None), CL_SUCCESS);
    let value = cl.read::<i32>(mem, 1)[0];
    release_kernel(kernel);
    release_mem(mem);
    release_program(program);
    Some(value)
}

#[test]
fn an_edited_header_is_seen_however_it_is_included() {
    let test = "an_edited_header_is_seen_however_it_is_included";
    if !is_child() {
        let dir = Directory::new("directives");
        child(test, &[("LANEWISE_CACHE_DIR", &dir.0.join("cache")), ("LANEWISE_TEST_HEADERS", &dir.0)]);
        return;
    }
    let dir = PathBuf::from(std::env::var_os("LANEWISE_TEST_HEADERS").unwrap());
    let cl = Cl::new();
    let options = format!("-I {}", dir.display());
    let body = "\nkernel void f(global int *a) { a[0] = VALUE; }";
    for (i, directive) in [
        "#include \"value.h\"",
        "typedef int t;\r#include \"value.h\"",
        "#include \"val\\  \nue.h\"",
        "#define NAME \"value.h\"\n#include NAME",
        "#define NAME <value.h>\n#if __has_include(NAME)\n#include NAME\n#endif",
        "%:include \"value.h\"",
        "#include \"outer.h\"",
        "#if __has_include(\"absent.h\")\n#define VALUE -1\n#else\n#include \"value.h\"\n#endif",
    ]
    .into_iter()
    .enumerate()
    {
        let source = format!("{directive}{body}");
        std::fs::write(dir.join("outer.h"), "#include \"value.h\"\n").unwrap();
        for value in [41, 42, 41, 43] {
            std::fs::write(dir.join("value.h"), format!("#define VALUE {value}\n")).unwrap();
            assert_eq!(value_of(&cl, &source, &options), Some(value), "{i}: {directive:?}");
        }
        // A file that was not there comes first now.
        let first = dir.join("first");
        let options = format!("-I {} {options}", first.display());
        assert_eq!(value_of(&cl, &source, &options), Some(43), "{i}");
        std::fs::create_dir(&first).unwrap();
        std::fs::write(first.join("value.h"), "#define VALUE 44\n").unwrap();
        let beside = directive.contains("outer.h");
        assert_eq!(value_of(&cl, &source, &options), Some(if beside { 43 } else { 44 }), "{i}");
        std::fs::remove_dir_all(&first).unwrap();
        assert_eq!(value_of(&cl, &source, &options), Some(43), "{i}");
    }
    let absent = "#if __has_include(\"late.h\")\n#define VALUE 1\n#else\n#define VALUE 0\n#endif";
    assert_eq!(value_of(&cl, &format!("{absent}{body}"), &options), Some(0));
    std::fs::write(dir.join("late.h"), "").unwrap();
    assert_eq!(value_of(&cl, &format!("{absent}{body}"), &options), Some(1));
    // What asks for the time is not kept.
    let kept = files(&dir.join("cache")).len();
    let source = format!("#define VALUE (sizeof(__TIME__) + sizeof(__DATE__)){body}");
    assert_eq!(value_of(&cl, &source, &options), Some(21));
    let machine_code = 1;
    assert_eq!(files(&dir.join("cache")).len(), kept + machine_code);
}

#[test]
fn files_that_are_not_regular_are_not_opened() {
    let test = "files_that_are_not_regular_are_not_opened";
    if !is_child() {
        let dir = Directory::new("fifo");
        child(test, &[("LANEWISE_CACHE_DIR", &dir.0.join("cache")), ("LANEWISE_TEST_HEADERS", &dir.0)]);
        return;
    }
    let dir = PathBuf::from(std::env::var_os("LANEWISE_TEST_HEADERS").unwrap());
    let fifo = dir.join("fifo.h");
    let make = |path: &Path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    make(&fifo);
    let cl = Cl::new();
    let options = format!("-I {}", dir.display());
    let body = "\nkernel void f(global int *a) { a[0] = 5; }";
    for name in ["\"fifo.h\"", "<fifo.h>", "\"/dev/zero\"", "</dev/zero>"] {
        let skipped = format!("#if 0\n#include {name}\n#endif{body}");
        assert_eq!(value_of(&cl, &skipped, &options), Some(5), "{name}");
        let (code, log) = cl.build(&format!("#include {name}{body}"), &options).unwrap_err();
        assert_eq!(code, CL_BUILD_PROGRAM_FAILURE);
        assert!(log.contains("file not found"), "{log}");
        let asked = format!("#if __has_include({name})\n#error there\n#endif{body}");
        assert_eq!(value_of(&cl, &asked, &options), Some(5), "{name}");
    }
    // In place of a header that an entry lists, and of the entries themselves.
    let source = format!("#include \"header.h\"{body}");
    std::fs::write(dir.join("header.h"), "").unwrap();
    assert_eq!(value_of(&cl, &source, &options), Some(5));
    std::fs::remove_file(dir.join("header.h")).unwrap();
    make(&dir.join("header.h"));
    assert_eq!(value_of(&cl, &source, &options), None);
    std::fs::remove_file(dir.join("header.h")).unwrap();
    std::fs::write(dir.join("header.h"), "").unwrap();
    for entry in files(&dir.join("cache")) {
        std::fs::remove_file(&entry).unwrap();
        make(&entry);
    }
    assert_eq!(value_of(&cl, &source, &options), Some(5));
}

#[test]
fn a_cache_that_is_off_says_why() {
    let test = "a_cache_that_is_off_says_why";
    if is_child() {
        build_and_run();
        return build_and_run();
    }
    use std::os::unix::fs::PermissionsExt;
    let dir = Directory::new("off");
    let said = |variables: &[(&str, &Path)]| {
        let text = String::from_utf8(child(test, variables).stderr).unwrap();
        text.lines().filter(|line| line.starts_with("lanewise: ")).map(str::to_owned).collect::<Vec<_>>()
    };
    let (cache, home) = (dir.0.join("cache"), dir.0.join("home"));
    // A value that is neither 0 nor 1.
    let wrong = said(&[("LANEWISE_CACHE", Path::new("abc")), ("LANEWISE_CACHE_DIR", &cache)]);
    assert_eq!(wrong, ["lanewise: LANEWISE_CACHE=\"abc\" is ignored: expected 0 or 1"]);
    assert_eq!(files(&cache).len(), 2, "the cache is on");
    // A folder that others may write to.
    std::fs::set_permissions(&cache, std::fs::Permissions::from_mode(0o770)).unwrap();
    let open = said(&[("LANEWISE_CACHE_DIR", &cache)]);
    assert_eq!(open.len(), 1, "{open:?}");
    assert!(open[0].contains("the cache is off") && open[0].contains("770"), "{open:?}");
    // A home folder that is not there stays so.
    assert_eq!(said(&[("HOME", &home)]), [""; 0]);
    assert!(!home.exists());
    std::fs::create_dir(&home).unwrap();
    assert_eq!(said(&[("HOME", &home)]), [""; 0]);
    assert_eq!(files(&home.join(".cache/lanewise")).len(), 2);
    std::fs::set_permissions(home.join(".cache/lanewise"), std::fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(said(&[("HOME", &home)]).len(), 1);
}

#[test]
fn dumps_are_written_where_the_cache_has_the_kernel() {
    let test = "dumps_are_written_where_the_cache_has_the_kernel";
    if is_child() {
        return build_and_run();
    }
    let dir = Directory::new("dump");
    let (cache, dump) = (dir.0.join("cache"), dir.0.join("dump"));
    child(test, &[("LANEWISE_CACHE_DIR", &cache)]);
    assert_eq!(files(&cache).len(), 2);
    child(test, &[("LANEWISE_CACHE_DIR", &cache), ("LANEWISE_DUMP", &dump)]);
    let names: Vec<_> = files(&dump).iter().map(|f| f.to_string_lossy().into_owned()).collect();
    for stage in ["frontend", "canonical", "before-late", "work-item-loops"] {
        assert!(names.iter().any(|name| name.contains(stage)), "{stage}: {names:?}");
    }
}
