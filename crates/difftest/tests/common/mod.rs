//! Kernels that are run and compared with what a plain loop over their work-groups says.
#![allow(dead_code)]

use compiler::NdRange;
use jit::Kernel;
use lanewise_difftest::{Program, Width, buffer, contents, run, run_at};
use runtime::{ArgValue, Buffer};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

/// A value with the bytes it has in a buffer.
pub trait Plain: Copy + PartialEq + Debug + Default {
    fn put(self, bytes: &mut Vec<u8>);
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! plain {
    ($($ty:ty),*) => {$(
        impl Plain for $ty {
            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
            fn get(bytes: &[u8]) -> Self {
                <$ty>::from_le_bytes(bytes.try_into().unwrap())
            }
        }
    )*};
}
plain!(u8, i8, u16, i32, u32, i64, u64, i128, u128, f32, f64);

/// A buffer of values.
pub struct Data<T>(Arc<Buffer>, PhantomData<T>);

impl<T: Plain> Data<T> {
    pub fn of(values: &[T]) -> Self {
        Data(buffer(&bytes(values)).unwrap(), PhantomData)
    }

    pub fn zeros(len: usize) -> Self {
        Self::of(&vec![T::default(); len])
    }

    pub fn arg(&self) -> ArgValue {
        ArgValue::Buffer(self.0.clone(), 0)
    }

    pub fn get(&self) -> Vec<T> {
        contents(&self.0).unwrap().chunks_exact(size_of::<T>()).map(T::get).collect()
    }
}

pub fn bytes<T: Plain>(values: &[T]) -> Vec<u8> {
    let mut bytes = Vec::new();
    values.iter().for_each(|v| v.put(&mut bytes));
    bytes
}

/// An argument by value.
pub fn value<T: Plain>(value: T) -> ArgValue {
    ArgValue::Bytes(bytes(&[value]))
}

/// A kernel of a program of its own.
pub fn kernel(source: &str, name: &str, options: &str) -> Arc<Kernel> {
    let program =
        Program::build(source, &format!("-cl-std=CL3.0 {options}")).unwrap_or_else(|log| panic!("{log}"));
    program.kernel(name).unwrap_or_else(|| panic!("no kernel '{name}'"))
}

/// The kernel `k` of a program in IR.
pub fn ir_kernel(ir: &str, options: &str) -> Arc<Kernel> {
    let program = Program::from_ir(ir.as_bytes(), options).unwrap_or_else(|log| panic!("{log}"));
    program.kernel("k").expect("the kernel is 'k'")
}

/// Whether work-groups of the device may have so many work-items.
pub fn fits(items: usize) -> bool {
    items <= lanewise_difftest::device().compiler().device_info().max_work_group_size
}

/// Runs a kernel whose result does not depend on the order of work-items. The first launches of a
/// kernel are run again at other widths, one each, whose bytes must be the same; with
/// `LANEWISE_WIDTHS=all`, every launch at every width.
pub fn launch(kernel: &Arc<Kernel>, range: NdRange, args: &[ArgValue]) {
    static LAUNCHES: Mutex<BTreeMap<(String, usize), usize>> = Mutex::new(BTreeMap::new());
    let widths = if std::env::var("LANEWISE_WIDTHS").is_ok_and(|v| v == "all") {
        Width::ALL.to_vec()
    } else {
        let key = (kernel.name().to_owned(), Arc::as_ptr(kernel).addr());
        let mut launches = LAUNCHES.lock().unwrap_or_else(PoisonError::into_inner);
        let number = launches.len();
        let count = launches.entry(key).or_insert(0);
        *count += 1;
        // Kernels that are launched once begin at different widths.
        let width = Width::ALL[(number + *count) % Width::ALL.len()];
        if *count <= Width::ALL.len() { vec![width] } else { vec![] }
    };
    run_at(kernel, range, args, &widths).unwrap_or_else(|e| panic!("{range:?}: {e}"));
}

/// Runs a kernel whose result may depend on the order of work-items, or on addresses.
pub fn launch_once(kernel: &Arc<Kernel>, range: NdRange, args: &[ArgValue]) {
    run(kernel, range, args).unwrap_or_else(|e| panic!("{range:?}: {e}"));
}

/// A work-item as the formulas of OpenCL describe it.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub global: [usize; 3],
    pub local: [usize; 3],
    /// Its place in its group, `get_local_linear_id`.
    pub l: usize,
    /// Its place in the range, `get_global_linear_id`.
    pub g: usize,
}

/// A work-group and its work-items, in the order of their linear IDs.
#[derive(Clone, Debug)]
pub struct Group {
    pub range: NdRange,
    pub id: [usize; 3],
    /// The place of the group in the range.
    pub linear: usize,
    /// The size of this group, which may be smaller than the enqueued one.
    pub size: [usize; 3],
    pub items: Vec<Item>,
}

impl Group {
    pub fn len(&self) -> usize {
        self.items.len()
    }
}

pub fn groups(range: &NdRange) -> Vec<Group> {
    let n = range.num_groups();
    let of = |linear: usize| {
        let id = [linear % n[0], linear / n[0] % n[1], linear / n[0] / n[1]];
        let begin: [usize; 3] = std::array::from_fn(|d| id[d] * range.local_size[d]);
        let size: [usize; 3] =
            std::array::from_fn(|d| range.local_size[d].min(range.global_size[d] - begin[d]));
        let item = |l: usize| {
            let local = [l % size[0], l / size[0] % size[1], l / size[0] / size[1]];
            let at: [usize; 3] = std::array::from_fn(|d| begin[d] + local[d]);
            Item {
                global: std::array::from_fn(|d| at[d] + range.global_offset[d]),
                local,
                l,
                g: (at[2] * range.global_size[1] + at[1]) * range.global_size[0] + at[0],
            }
        };
        let items = (0..size.iter().product()).map(item).collect();
        Group { range: *range, id, linear, size, items }
    };
    (0..n.iter().product()).map(of).collect()
}

/// Ranges of one to three dimensions, with and without offsets, whose groups have at most 128
/// work-items and often do not divide the range.
pub fn shapes() -> Vec<NdRange> {
    let one = |global: usize, local: usize| NdRange::new(&[global], &[local]);
    vec![
        one(1, 1),
        one(7, 1),
        one(2, 3),
        one(10, 3),
        one(64, 16).with_offset(&[5]),
        one(100, 17),
        one(128, 64),
        one(130, 64).with_offset(&[1 << 33]),
        one(300, 100),
        one(257, 100),
        NdRange::new(&[9, 7], &[3, 2]),
        NdRange::new(&[32, 8], &[16, 4]).with_offset(&[3, 1000]),
        NdRange::new(&[20, 11], &[17, 3]).with_offset(&[0, 7]),
        NdRange::new(&[1, 40], &[1, 17]),
        NdRange::new(&[5, 6, 7], &[2, 3, 4]),
        NdRange::new(&[8, 4, 8], &[4, 4, 4]).with_offset(&[1, 2, 3]),
        NdRange::new(&[10, 3, 2], &[3, 1, 2]).with_offset(&[100, 0, 9]),
    ]
}

/// The ways a program is built.
pub const BUILDS: [&str; 3] = ["", "-cl-opt-disable", "-g"];

/// Runs the kernel `k(out, …)` over ranges, in all builds. Each work-item with global linear ID `g`
/// writes `out[g * n .. (g + 1) * n]`; `reference` says for a group what its items write, in the
/// order of their linear IDs.
pub fn check_over<T: Plain>(
    source: &str,
    ranges: &[NdRange],
    args: impl Fn(&NdRange) -> Vec<ArgValue>,
    reference: impl Fn(&Group) -> Vec<T>,
) {
    for build in BUILDS {
        let k = kernel(source, "k", build);
        // Each size is a compilation: the slower builds see some of them.
        for range in ranges.iter().step_by(if build.is_empty() { 1 } else { 4 }) {
            let mut expected = Vec::new();
            for group in groups(range) {
                let values = reference(&group);
                let n = values.len() / group.len();
                assert!(n > 0 && values.len() == n * group.len());
                expected.resize(n * range.work_items(), T::default());
                for item in &group.items {
                    expected[item.g * n..(item.g + 1) * n]
                        .copy_from_slice(&values[item.l * n..(item.l + 1) * n]);
                }
            }
            let out = Data::<T>::zeros(expected.len());
            let mut all = vec![out.arg()];
            all.extend(args(range));
            launch(&k, *range, &all);
            let actual = out.get();
            if let Some(at) = (0..expected.len()).find(|&i| actual[i] != expected[i]) {
                panic!(
                    "options '{build}', {range:?}: element {at} is {:?}, not {:?}\n{source}",
                    actual[at], expected[at]
                );
            }
        }
    }
}

/// [`check_over`] all [`shapes`], for a kernel with no other arguments.
pub fn check<T: Plain>(source: &str, reference: impl Fn(&Group) -> Vec<T>) {
    check_over(source, &shapes(), |_| Vec::new(), reference);
}
