//! Kernels in Rust: entry hooks that run their slice as generated code does.
#![allow(dead_code)]

use compiler::{ArgFact, ArgKind, KernelFacts, NdRange};
use host::abi::{Slice, WorkGroupInfo};
use lanewise_runtime as runtime;
use runtime::{ArgValue, Buffer, Command, Executable, Launch, Limits, PackedArgs};
use std::sync::Arc;

/// What a kernel's code sees for one work-group.
pub struct Group {
    pub info: WorkGroupInfo,
    /// The packed arguments as words.
    args: *const u64,
}

impl Group {
    pub fn arg(&self, index: usize) -> u64 {
        // SAFETY: the tests' kernels ask only for arguments they have.
        unsafe { *self.args.add(index) }
    }

    /// Calls `f` with the local and the global ID of each work-item.
    pub fn items(&self, mut f: impl FnMut([u64; 3], [u64; 3])) {
        let i = &self.info;
        for z in 0..i.local_size[2] {
            for y in 0..i.local_size[1] {
                for x in 0..i.local_size[0] {
                    let local = [x, y, z];
                    f(
                        local,
                        std::array::from_fn(|d| {
                            i.global_offset[d] + i.group_id[d] * i.enqueued_local_size[d] + local[d]
                        }),
                    );
                }
            }
        }
    }
}

/// Runs all groups of a slice.
///
/// # Safety
/// `args` and `slice` must come from the driver.
pub unsafe fn each_group(args: *const u8, slice: *const Slice, mut f: impl FnMut(&Group)) {
    // SAFETY: the caller promises.
    let slice = unsafe { *slice };
    assert_eq!(args.align_offset(16), 0);
    let mut group = Group { info: slice.info, args: args.cast() };
    for d in 0..3 {
        assert!(slice.begin[d] < slice.end[d] && slice.end[d] <= slice.info.num_groups[d]);
    }
    for z in slice.begin[2]..slice.end[2] {
        for y in slice.begin[1]..slice.end[1] {
            for x in slice.begin[0]..slice.end[0] {
                let info = &mut group.info;
                info.group_id = [x, y, z];
                for d in 0..3 {
                    let before = info.group_id[d] * info.enqueued_local_size[d];
                    info.local_size[d] = info.enqueued_local_size[d].min(info.global_size[d] - before);
                }
                f(&group);
            }
        }
    }
}

/// An entry hook whose body is called for each work-group.
#[macro_export]
macro_rules! kernel {
    ($name:ident, $group:ident, $body:expr) => {
        unsafe extern "C" fn $name(args: *const u8, slice: *const host::abi::Slice) {
            let body = |$group: &$crate::common::Group| $body;
            // SAFETY: called by the driver.
            unsafe { $crate::common::each_group(args, slice, body) }
        }
    };
}

/// Facts of a kernel whose arguments are all 8 bytes.
pub fn facts(args: &[ArgKind]) -> KernelFacts {
    let fact = |(index, &kind): (usize, &ArgKind)| ArgFact { kind, offset: 8 * index, size: 8 };
    KernelFacts {
        args: args.iter().enumerate().map(fact).collect(),
        args_size: 8 * args.len(),
        ..KernelFacts::plain("test")
    }
}

/// A kernel on the CPU.
pub fn load(entry: host::abi::EntryHook, facts: KernelFacts) -> Arc<Executable> {
    // SAFETY: the tests' hooks keep to the ABI and live as long as the program.
    Arc::new(unsafe { host::entry_hook(entry, facts, Limits::of(host::device()), Box::new(())) })
}

pub fn launch(kernel: &Arc<Executable>, range: NdRange, args: &[ArgValue]) -> Command {
    let args = PackedArgs::pack(kernel.facts(), args).unwrap();
    Command::launch(Launch::new(kernel.clone(), range, args).unwrap())
}

pub fn word(value: usize) -> ArgValue {
    ArgValue::Bytes((value as u64).to_ne_bytes().to_vec())
}

pub fn words(buffer: &Buffer) -> Vec<u64> {
    let mut bytes = vec![0; buffer.len()];
    buffer.read(0, &mut bytes).unwrap();
    bytes.chunks_exact(8).map(|c| u64::from_ne_bytes(c.try_into().unwrap())).collect()
}

/// Runs the tests of this binary again with other numbers of threads. The calling test is named
/// `again`.
pub fn again() {
    for threads in ["1", "2", "9", "none"] {
        let exe = std::env::current_exe().unwrap();
        let output = std::process::Command::new(exe)
            .args(["--skip", "again", "--nocapture"])
            .env("LANEWISE_THREADS", threads)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "LANEWISE_THREADS={threads}\n{text}");
        let warnings = String::from_utf8_lossy(&output.stderr).matches("LANEWISE_THREADS").count();
        // A forked child that asks first warns too.
        assert!(if threads == "none" { warnings >= 1 } else { warnings == 0 }, "{warnings}");
    }
}
