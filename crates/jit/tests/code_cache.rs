//! Machine code is taken from the store, and broken entries do no harm.

use compiler::{NdRange, Profile};
use lanewise_jit::{Jit, Kernel, Program, Store};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A directory for one test, which is removed with it.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        let path = std::env::temp_dir().join(format!("lanewise-code-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Directory(path)
    }

    fn files(&self) -> Vec<PathBuf> {
        std::fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().path()).collect()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A kernel of a program of its own, as in another process.
fn kernel(store: &Path, options: &str) -> Arc<Kernel> {
    let mut module = host::host_info().target(None).unwrap().create_module().unwrap();
    module.set_options(options).unwrap();
    let source = "kernel void f(global int *a) { a[get_local_id(0)] = 1; }";
    module.compile_opencl_c(Profile::Full, "f.cl", source, &[]).unwrap();
    module.finalize().unwrap();
    let jit = Jit::new().with_store(Store::open(store).unwrap());
    Program::new(Arc::new(jit), host::device(), module).kernel("f").unwrap()
}

/// Has the code for a range made or read; whether it was made.
fn makes(store: &Path, options: &str, range: NdRange) -> bool {
    let kernel = kernel(store, options);
    let code = kernel.wait_for_code(&range).unwrap();
    assert_eq!(code.facts().name, "f");
    kernel.report().times.iter().any(|(step, _)| step == "generate code")
}

#[test]
fn code_is_compiled_once() {
    let store = Directory::new("once");
    let range = NdRange::new(&[64], &[8]);
    assert!(makes(&store.0, "", range));
    assert_eq!(store.files().len(), 1);
    assert!(!makes(&store.0, "", range));
    assert_eq!(store.files().len(), 1);
    // Another local size, other options: other code.
    assert!(makes(&store.0, "", NdRange::new(&[64], &[16])));
    assert!(makes(&store.0, "-cl-opt-disable", range));
    assert_eq!(store.files().len(), 3);
    // So is code for ranges whose IDs need more than 32 bits, which vector code cannot run.
    assert!(makes(&store.0, "", NdRange::new(&[1 << 33], &[8])));
    assert_eq!(store.files().len(), 4);
    assert!(!makes(&store.0, "-cl-opt-disable", range));
    for file in store.files() {
        let bytes = std::fs::read(&file).unwrap();
        std::fs::write(&file, &bytes[..100]).unwrap();
    }
    assert!(makes(&store.0, "", range));
    assert_eq!(store.files().len(), 4);
    assert!(!makes(&store.0, "", range));
}

/// A whole entry whose value is no binary of ours is compiled anew and replaced.
#[test]
fn an_entry_that_is_no_code_is_replaced() {
    let store = Directory::new("no-code");
    let range = NdRange::new(&[64], &[8]);
    assert!(makes(&store.0, "", range));
    let file = store.files().remove(0);
    let bytes = std::fs::read(&file).unwrap();
    // A mark, the length of the key, the key, the value with its length, a hash.
    let (mark, rest) = bytes.split_at(8);
    let length = u64::from_le_bytes(*rest.first_chunk().unwrap()) as usize;
    assert!(length > 100 && length + 8 < rest.len());
    let key = rest[8..8 + length].to_vec();
    assert_eq!(mark, b"LWCACHE1");
    let direct = Store::open(&store.0).unwrap();
    assert!(direct.read(&key).is_some());
    for bad in [&b"nonsense"[..], &[], &direct.read(&key).unwrap()[..100]] {
        direct.write(&key, bad);
        assert_eq!(direct.read(&key).as_deref(), Some(bad));
        assert!(makes(&store.0, "", range));
        assert!(!makes(&store.0, "", range));
    }
}

#[test]
fn without_a_store_nothing_is_kept() {
    let store = Directory::new("without");
    let jit = Jit::new().with_store(Store::open(&store.0).unwrap());
    assert!(jit.store().is_some());
    assert!(jit.without_store().store().is_none());
    assert_eq!(store.files().len(), 0);
}

/// A program that is given the code of another one compiles nothing that the other has compiled:
/// what it launched, and the kernels whose local size is known.
#[test]
fn a_program_carries_its_code() {
    let module = || {
        let mut module = host::host_info().target(None).unwrap().create_module().unwrap();
        let source = "kernel void f(global int *a) { a[get_local_id(0)] = 1; }
             kernel __attribute__((reqd_work_group_size(4, 2, 1)))
             void g(global int *a) { a[get_local_id(1)] = 2; }";
        module.compile_opencl_c(Profile::Full, "f.cl", source, &[]).unwrap();
        module.finalize().unwrap();
        module
    };
    let compiles = |program: &Program, name: &str, range: NdRange| {
        let kernel = program.kernel(name).unwrap();
        let before = kernel.report().times.len();
        kernel.wait_for_code(&range).unwrap();
        kernel.report().times[before..].iter().any(|(step, _)| step == "generate code")
    };
    let jit = Arc::new(Jit::new());
    let (range, other) = (NdRange::new(&[64], &[8]), NdRange::new(&[64], &[16]));
    let flat = NdRange::new(&[8, 8], &[4, 2]);
    let first = Program::new(jit.clone(), host::device(), module());
    assert!(compiles(&first, "f", range));
    let code = first.code();
    assert_eq!(code.len(), 2);
    assert!(!compiles(&first, "g", flat));
    // SAFETY: the compiler made the code just now.
    let second = unsafe { Program::carrying(jit.clone(), host::device(), module(), code.clone()) };
    assert!(!compiles(&second, "f", range) && !compiles(&second, "g", flat));
    assert!(compiles(&second, "f", other));
    assert_eq!(second.code().len(), 3);
    // Code that is damaged is made again.
    let damaged = code.into_iter().map(|(key, code)| (key, code[..code.len() - 9].to_vec())).collect();
    // SAFETY: the seal tells the damage.
    let third = unsafe { Program::carrying(jit, host::device(), module(), damaged) };
    assert!(compiles(&third, "f", range) && compiles(&third, "g", flat));
}
