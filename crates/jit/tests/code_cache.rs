//! Machine code is taken from a cache, and what is no code there does no harm.

use compiler::{NdRange, Profile, Target};
use lanewise_host::{CodeCache, HostKernel, HostTarget, set_code_cache};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Code by its key, with the number of times it was read.
type Entries = HashMap<Vec<u8>, (Vec<u8>, usize)>;

#[derive(Clone, Default)]
struct Cache(Arc<Mutex<Entries>>);

impl CodeCache for Cache {
    fn read(&self, key: &[u8]) -> Option<Vec<u8>> {
        let mut entries = self.0.lock().unwrap();
        let (code, reads) = entries.get_mut(key)?;
        *reads += 1;
        Some(code.clone())
    }

    fn write(&self, key: &[u8], code: &[u8]) {
        self.0.lock().unwrap().insert(key.to_vec(), (code.to_vec(), 0));
    }
}

fn kernel(options: &str) -> HostKernel {
    let mut module = HostTarget::with_builtins().create_module().unwrap();
    module.set_options(options).unwrap();
    let source = "kernel void f(global int *a) { a[get_local_id(0)] = 1; }";
    module.compile_opencl_c(Profile::Full, "f.cl", source, &[]).unwrap();
    module.finalize().unwrap();
    HostKernel::new(&module, "f").unwrap()
}

#[test]
fn code_is_compiled_once() {
    let cache = Cache::default();
    set_code_cache(Box::new(cache.clone()));
    let entries = || cache.0.lock().unwrap().len();
    let reads = || cache.0.lock().unwrap().values().map(|(_, reads)| reads).sum::<usize>();
    let range = NdRange::new(&[64], &[8]);
    kernel("").executable(&range).unwrap();
    assert_eq!((entries(), reads()), (1, 0));
    kernel("").executable(&range).unwrap();
    assert_eq!((entries(), reads()), (1, 1));
    // Another local size, other options: other code.
    kernel("").executable(&NdRange::new(&[64], &[16])).unwrap();
    kernel("-cl-opt-disable").executable(&range).unwrap();
    assert_eq!((entries(), reads()), (3, 1));
    // So is code for ranges whose IDs need more than 32 bits, which vector code cannot run.
    kernel("").executable(&NdRange::new(&[1 << 33], &[8])).unwrap();
    assert_eq!((entries(), reads()), (4, 1));
    for (code, _) in cache.0.lock().unwrap().values_mut() {
        code.truncate(100);
    }
    assert_eq!(kernel("").executable(&range).unwrap().facts().name, "f");
    assert_eq!(entries(), 4);
}
