//! What operations over groups give, by a plain loop over the group.

use crate::common::{Data, Item, groups, launch_once};
use compiler::NdRange;
use jit::Kernel;
use lanewise_difftest::understands;
use std::sync::Arc;

/// A type of OpenCL C, with what it makes of a value.
#[derive(Clone, Copy)]
pub struct Type {
    pub name: &'static str,
    pub wrap: fn(i64) -> i64,
    pub float: bool,
    pub unsigned: bool,
    /// The identities of min and max.
    pub most: i64,
    pub least: i64,
}

macro_rules! int {
    ($name:literal, $ty:ty) => {
        Type {
            name: $name,
            wrap: |v| v as $ty as i64,
            float: false,
            unsigned: <$ty>::MIN == 0,
            most: <$ty>::MAX as i64,
            least: <$ty>::MIN as i64,
        }
    };
}

const fn float(name: &'static str) -> Type {
    // The kernels give these for infinities.
    Type { name, wrap: |v| v, float: true, unsigned: false, most: i64::MAX, least: i64::MIN }
}

/// All types of sub-group functions; work-group functions have them from `int` on.
pub const TYPES: [Type; 11] = [
    int!("char", i8),
    int!("uchar", u8),
    int!("short", i16),
    int!("ushort", u16),
    int!("int", i32),
    int!("uint", u32),
    int!("long", i64),
    int!("ulong", u64),
    float("half"),
    float("float"),
    float("double"),
];

/// An operation on two values, and its identity.
#[derive(Clone, Copy, PartialEq)]
pub enum Op {
    Add,
    Min,
    Max,
    Mul,
    And,
    Or,
    Xor,
    LogicalAnd,
    LogicalOr,
    LogicalXor,
}

impl Op {
    pub fn name(self) -> &'static str {
        match self {
            Op::Add => "add",
            Op::Min => "min",
            Op::Max => "max",
            Op::Mul => "mul",
            Op::And => "and",
            Op::Or => "or",
            Op::Xor => "xor",
            Op::LogicalAnd => "logical_and",
            Op::LogicalOr => "logical_or",
            Op::LogicalXor => "logical_xor",
        }
    }

    /// Those of `cl_khr_subgroup_non_uniform_arithmetic` for a type.
    pub fn non_uniform(ty: Type) -> Vec<Op> {
        let mut ops = vec![Op::Add, Op::Mul, Op::Min, Op::Max];
        if !ty.float {
            ops.extend([Op::And, Op::Or, Op::Xor]);
        }
        if ty.name == "int" {
            ops.extend([Op::LogicalAnd, Op::LogicalOr, Op::LogicalXor]);
        }
        ops
    }

    pub fn identity(self, ty: Type) -> i64 {
        match self {
            Op::Add | Op::Or | Op::Xor | Op::LogicalOr | Op::LogicalXor => 0,
            Op::Mul | Op::LogicalAnd => 1,
            Op::And => (ty.wrap)(-1),
            Op::Min => ty.most,
            Op::Max => ty.least,
        }
    }

    pub fn apply(self, ty: Type, a: i64, b: i64) -> i64 {
        let less = if ty.unsigned { (a as u64) < (b as u64) } else { a < b };
        match self {
            Op::Add => (ty.wrap)(a.wrapping_add(b)),
            Op::Mul => (ty.wrap)(a.wrapping_mul(b)),
            Op::And => a & b,
            Op::Or => a | b,
            Op::Xor => a ^ b,
            Op::LogicalAnd => i64::from(a != 0 && b != 0),
            Op::LogicalOr => i64::from(a != 0 || b != 0),
            Op::LogicalXor => i64::from((a != 0) != (b != 0)),
            Op::Min => {
                if less {
                    a
                } else {
                    b
                }
            }
            Op::Max => {
                if less {
                    b
                } else {
                    a
                }
            }
        }
    }
}

pub const KINDS: [&str; 3] = ["reduce", "scan_inclusive", "scan_exclusive"];

/// What each member of a group gets.
pub fn expected(ty: Type, kind: &str, op: Op, values: &[i64]) -> Vec<i64> {
    let mut sum = op.identity(ty);
    let mut prefixes = vec![sum];
    for &v in values {
        sum = op.apply(ty, sum, v);
        prefixes.push(sum);
    }
    match kind {
        "reduce" => vec![sum; values.len()],
        "scan_inclusive" => prefixes[1..].to_vec(),
        _ => prefixes[..values.len()].to_vec(),
    }
}

pub fn input(ty: Type, n: usize) -> Vec<i64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as i64
    };
    // Small ones, and products that stay small.
    let value =
        |_| if ty.float { [-2, -1, 1, 1, 1, 2, 1][next().rem_euclid(7) as usize] } else { (ty.wrap)(next()) };
    (0..n).map(value).collect()
}

pub fn ranges() -> Vec<NdRange> {
    vec![
        NdRange::new(&[64], &[16]),
        NdRange::new(&[50], &[20]),
        NdRange::new(&[15, 6], &[5, 3]).with_offset(&[2, 1]),
        NdRange::new(&[6, 4, 5], &[3, 2, 5]),
    ]
}

const MODES: [&str; 4] =
    ["-cl-wfv=never", "-cl-wfv=always --lanes 4", "-cl-wfv=always --lanes 8", "-cl-wfv=always --lanes 16"];

/// The modes that the device's compiler has.
pub fn modes() -> impl Iterator<Item = &'static str> {
    MODES.into_iter().filter(|mode| understands(mode))
}

/// The lanes that a mode asks for.
pub fn lanes(mode: &str) -> usize {
    mode.rsplit_once(' ').and_then(|(_, n)| n.parse().ok()).unwrap_or(1)
}

/// The size of all sub-groups but the last of a work-group.
pub fn sub_group_size(mode: &str, range: &NdRange) -> usize {
    let items = range.work_group_items();
    lanes(mode).min(if range.is_uniform() { 1 << items.ilog2() } else { items })
}

/// The sub-groups of all work-groups: for each the work-items in their order.
pub fn sub_groups(mode: &str, range: &NdRange) -> Vec<Vec<Item>> {
    let size = sub_group_size(mode, range);
    groups(range)
        .iter()
        .flat_map(|g| g.items.chunks(size).map(<[Item]>::to_vec).collect::<Vec<_>>())
        .collect()
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scope {
    Work,
    Sub,
}

impl Scope {
    /// The groups of a range: for each the work-items in their order.
    fn groups(self, mode: &str, range: &NdRange) -> Vec<Vec<Item>> {
        match self {
            Scope::Work => groups(range).into_iter().map(|g| g.items).collect(),
            Scope::Sub => sub_groups(mode, range),
        }
    }
}

/// Runs a kernel `k(in, out)` in every mode over every range. It does each kind of each operation,
/// for its own part of the output. Only some of the work-items may take part.
pub fn check_arithmetic(
    scope: Scope,
    ty: Type,
    ops: &[Op],
    kernel: impl Fn(&str) -> Arc<Kernel>,
    takes_part: impl Fn(&Item) -> bool,
) {
    for mode in modes() {
        let kernel = kernel(mode);
        for range in ranges() {
            let n = range.work_items();
            let values = input(ty, n);
            let parts = KINDS.len() * ops.len();
            let (data, out) = (Data::of(&values), Data::<i64>::zeros(parts * n));
            launch_once(&kernel, range, &[data.arg(), out.arg()]);
            let out = out.get();
            let pairs = KINDS.into_iter().flat_map(|kind| ops.iter().map(move |op| (kind, *op)));
            for (part, (kind, op)) in pairs.enumerate() {
                for items in scope.groups(mode, &range) {
                    let members: Vec<&Item> = items.iter().filter(|i| takes_part(i)).collect();
                    let own: Vec<i64> = members.iter().map(|i| values[i.g]).collect();
                    let got: Vec<i64> = members.iter().map(|i| out[part * n + i.g]).collect();
                    let what = format!("{scope:?} {kind}_{} of {} {mode} {range:?}", op.name(), ty.name);
                    assert_eq!(got, expected(ty, kind, op, &own), "{what}, {:?}", members.first());
                }
            }
        }
    }
}
