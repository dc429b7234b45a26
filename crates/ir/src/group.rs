//! The group builtins: operations over the work-items of a sub-group, of a work-group, or over the
//! lanes of a vector.
//!
//! They are overloaded: `__mux_sub_group_reduce_add_i32`,
//! `__mux_work_group_scan_inclusive_fmul_f64`, `__mux_vec_group_any_v4i1`. Those of a work-group
//! take the ID of a barrier first.

use crate::mangling::group_suffix;
use llvm::{Builder, Function, IntPredicate, Module, Opcode, Type, Value};
use std::fmt;

/// The group whose values a collective operation combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupScope {
    Sub,
    Work,
    /// The lanes of a vector, which one invocation holds.
    Vec,
}

/// The binary operation of a reduction or scan. All are associative and commutative, apart from
/// floating-point rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    Add,
    FAdd,
    Mul,
    FMul,
    SMin,
    UMin,
    FMin,
    SMax,
    UMax,
    FMax,
    And,
    Or,
    Xor,
    LogicalAnd,
    LogicalOr,
    LogicalXor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupOp {
    Any,
    All,
    Broadcast,
    Reduce(Arithmetic),
    ScanInclusive(Arithmetic),
    ScanExclusive(Arithmetic),
    Shuffle,
    ShuffleUp,
    ShuffleDown,
    ShuffleXor,
    /// Ours, of a work-group only: the result of the collective with this barrier ID, after the
    /// barrier.
    Result,
}

/// A group builtin, whatever type it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    pub scope: GroupScope,
    pub op: GroupOp,
}

use Arithmetic::*;

const ARITHMETIC: [(Arithmetic, &str); 16] = [
    (Add, "add"),
    (FAdd, "fadd"),
    (Mul, "mul"),
    (FMul, "fmul"),
    (SMin, "smin"),
    (UMin, "umin"),
    (FMin, "fmin"),
    (SMax, "smax"),
    (UMax, "umax"),
    (FMax, "fmax"),
    (And, "and"),
    (Or, "or"),
    (Xor, "xor"),
    (LogicalAnd, "logical_and"),
    (LogicalOr, "logical_or"),
    (LogicalXor, "logical_xor"),
];

const SCOPES: [(GroupScope, &str); 3] =
    [(GroupScope::Sub, "sub"), (GroupScope::Work, "work"), (GroupScope::Vec, "vec")];

impl Arithmetic {
    pub fn all() -> impl Iterator<Item = Arithmetic> {
        ARITHMETIC.iter().map(|&(a, _)| a)
    }

    fn name(self) -> &'static str {
        ARITHMETIC.iter().find(|(a, _)| *a == self).expect("each has a name").1
    }

    pub fn is_float(self) -> bool {
        matches!(self, FAdd | FMul | FMin | FMax)
    }

    /// The identity of the operation, for a scalar type.
    pub fn identity(self, ty: Type) -> Value {
        match self {
            Add | Or | Xor | UMax | LogicalOr | LogicalXor => ty.zero(),
            FAdd => ty.const_float(0.0),
            Mul | LogicalAnd => ty.const_int(1),
            FMul => ty.const_float(1.0),
            SMin => least_signed(ty, u64::MAX),
            SMax => least_signed(ty, 0),
            UMin | And => ty.const_signed(-1),
            FMin => ty.const_float(f64::INFINITY),
            FMax => ty.const_float(f64::NEG_INFINITY),
        }
    }

    pub(crate) fn is_logical(self) -> bool {
        matches!(self, LogicalAnd | LogicalOr | LogicalXor)
    }

    /// The operation on two scalars or on two vectors, lane by lane.
    pub fn combine(self, module: &Module, b: &Builder, x: Value, y: Value) -> Value {
        let ty = x.ty();
        if self.is_logical() && ty.scalar().int_bits() > 1 {
            let [x, y] = [x, y].map(|v| b.icmp(IntPredicate::LLVMIntNE, v, ty.zero(), ""));
            let truth = self.combine(module, b, x, y);
            return b.cast(Opcode::LLVMZExt, truth, ty, "");
        }
        let binary = |op| b.binary(op, x, y, "");
        let intrinsic = |name| b.call(module.intrinsic(name, &[x.ty()]), &[x, y], "");
        match self {
            Add => binary(Opcode::LLVMAdd),
            FAdd => binary(Opcode::LLVMFAdd),
            Mul => binary(Opcode::LLVMMul),
            FMul => binary(Opcode::LLVMFMul),
            And | LogicalAnd => binary(Opcode::LLVMAnd),
            Or | LogicalOr => binary(Opcode::LLVMOr),
            Xor | LogicalXor => binary(Opcode::LLVMXor),
            SMin => intrinsic("llvm.smin"),
            UMin => intrinsic("llvm.umin"),
            FMin => intrinsic("llvm.minnum"),
            SMax => intrinsic("llvm.smax"),
            UMax => intrinsic("llvm.umax"),
            FMax => intrinsic("llvm.maxnum"),
        }
    }
}

/// The least signed integer of a type; with `flip` all ones, its complement: the greatest.
fn least_signed(ty: Type, flip: u64) -> Value {
    let bits = ty.int_bits();
    let mut words = vec![flip; bits.div_ceil(64) as usize];
    if let Some(top) = words.last_mut() {
        *top ^= 1 << ((bits - 1) % 64);
    }
    ty.const_words(&words)
}

impl GroupOp {
    /// The operation of a reduction or scan; `any` and `all` are reductions, too.
    pub fn arithmetic(self) -> Option<Arithmetic> {
        match self {
            GroupOp::Any => Some(Or),
            GroupOp::All => Some(And),
            GroupOp::Reduce(a) | GroupOp::ScanInclusive(a) | GroupOp::ScanExclusive(a) => Some(a),
            _ => None,
        }
    }

    pub fn is_scan(self) -> bool {
        matches!(self, GroupOp::ScanInclusive(_) | GroupOp::ScanExclusive(_))
    }

    pub fn is_shuffle(self) -> bool {
        matches!(self, GroupOp::Shuffle | GroupOp::ShuffleUp | GroupOp::ShuffleDown | GroupOp::ShuffleXor)
    }

    fn parse(text: &str) -> Option<(GroupOp, &str)> {
        let plain = [
            ("any_", GroupOp::Any),
            ("all_", GroupOp::All),
            ("broadcast_", GroupOp::Broadcast),
            ("shuffle_up_", GroupOp::ShuffleUp),
            ("shuffle_down_", GroupOp::ShuffleDown),
            ("shuffle_xor_", GroupOp::ShuffleXor),
            ("shuffle_", GroupOp::Shuffle),
            ("result_", GroupOp::Result),
        ];
        if let Some(found) = plain.iter().find_map(|&(name, op)| Some((op, text.strip_prefix(name)?))) {
            return Some(found);
        }
        type Make = fn(Arithmetic) -> GroupOp;
        let kinds: [(&str, Make); 3] = [
            ("reduce_", GroupOp::Reduce),
            ("scan_inclusive_", GroupOp::ScanInclusive),
            ("scan_exclusive_", GroupOp::ScanExclusive),
        ];
        let (make, rest) = kinds.iter().find_map(|(name, make)| Some((make, text.strip_prefix(name)?)))?;
        let with_name =
            |&(a, name): &(Arithmetic, &str)| Some((make(a), rest.strip_prefix(name)?.strip_prefix('_')?));
        ARITHMETIC.iter().find_map(with_name)
    }
}

impl fmt::Display for GroupOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GroupOp::Any => f.write_str("any"),
            GroupOp::All => f.write_str("all"),
            GroupOp::Broadcast => f.write_str("broadcast"),
            GroupOp::Reduce(a) => write!(f, "reduce_{}", a.name()),
            GroupOp::ScanInclusive(a) => write!(f, "scan_inclusive_{}", a.name()),
            GroupOp::ScanExclusive(a) => write!(f, "scan_exclusive_{}", a.name()),
            GroupOp::Shuffle => f.write_str("shuffle"),
            GroupOp::ShuffleUp => f.write_str("shuffle_up"),
            GroupOp::ShuffleDown => f.write_str("shuffle_down"),
            GroupOp::ShuffleXor => f.write_str("shuffle_xor"),
            GroupOp::Result => f.write_str("result"),
        }
    }
}

/// The name without a type.
impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, scope) = SCOPES[self.scope as usize];
        write!(f, "__mux_{scope}_group_{}", self.op)
    }
}

/// Whether this is the suffix of a type: `i32`, `v4f16`, `nxv1i64`.
fn is_type_suffix(text: &str) -> bool {
    let number = |t: &str| t.bytes().take_while(u8::is_ascii_digit).count();
    let lanes = text.strip_prefix("nxv").or(text.strip_prefix('v'));
    let scalar = match lanes {
        Some(rest) if number(rest) > 0 => &rest[number(rest)..],
        Some(_) => return false,
        None => text,
    };
    scalar.strip_prefix(['i', 'f']).is_some_and(|bits| !bits.is_empty() && number(bits) == bits.len())
}

impl Group {
    pub fn sub(op: GroupOp) -> Self {
        Group { scope: GroupScope::Sub, op }
    }

    pub fn work(op: GroupOp) -> Self {
        Group { scope: GroupScope::Work, op }
    }

    pub fn vec(op: GroupOp) -> Self {
        Group { scope: GroupScope::Vec, op }
    }

    /// All group builtins of the specification.
    pub fn all() -> impl Iterator<Item = Group> {
        SCOPES.iter().flat_map(|&(scope, _)| {
            let plain = [GroupOp::Any, GroupOp::All, GroupOp::Broadcast];
            let arithmetic = Arithmetic::all()
                .flat_map(|a| [GroupOp::Reduce(a), GroupOp::ScanInclusive(a), GroupOp::ScanExclusive(a)]);
            let shuffles = [GroupOp::Shuffle, GroupOp::ShuffleUp, GroupOp::ShuffleDown, GroupOp::ShuffleXor];
            let shuffles = shuffles.into_iter().filter(move |_| scope == GroupScope::Sub);
            plain.into_iter().chain(arithmetic).chain(shuffles).map(move |op| Group { scope, op })
        })
    }

    /// The builtin that a function of this name is.
    pub fn from_name(name: &str) -> Option<Self> {
        let rest = name.strip_prefix("__mux_")?;
        let named = |&(scope, text): &(GroupScope, &str)| {
            Some((scope, rest.strip_prefix(text)?.strip_prefix("_group_")?))
        };
        let (scope, rest) = SCOPES.iter().find_map(named)?;
        let (op, suffix) = GroupOp::parse(rest)?;
        let fits = match op {
            GroupOp::Result => scope == GroupScope::Work,
            op => !op.is_shuffle() || scope == GroupScope::Sub,
        };
        (fits && is_type_suffix(suffix)).then_some(Group { scope, op })
    }

    /// The name for operands of a type; `None` if there is no such overload.
    pub fn name(self, ty: Type) -> Option<String> {
        Some(format!("{self}_{}", group_suffix(ty)?))
    }

    /// The index of the operand that is combined.
    pub fn operand(self) -> u32 {
        u32::from(self.scope == GroupScope::Work)
    }

    /// The type of the function for operands of a type.
    pub(crate) fn function_type(self, module: &Module, ty: Type) -> Type {
        let (i32, size) = (module.context().i32(), module.size_type());
        let mut params = Vec::new();
        if self.scope == GroupScope::Work {
            params.push(i32);
        }
        if self.op != GroupOp::Result {
            params.push(ty);
        }
        match (self.op, self.scope) {
            (GroupOp::Broadcast, GroupScope::Work) => params.extend([size; 3]),
            (GroupOp::Broadcast | GroupOp::Shuffle | GroupOp::ShuffleXor, _) => params.push(i32),
            (GroupOp::ShuffleUp | GroupOp::ShuffleDown, _) => params.extend([ty, i32]),
            _ => {}
        }
        let is_vector = ty.is_vector() || ty.is_scalable_vector();
        let result = if is_vector && !self.op.is_scan() { ty.element() } else { ty };
        result.function(&params)
    }

    /// The function for operands of a type, declared now if it was not.
    ///
    /// # Panics
    /// For a type that has no suffix.
    pub fn declare(self, module: &Module, ty: Type) -> Function {
        let name = self.name(ty).expect("a number, or a vector of them");
        if let Some(f) = module.function(&name) {
            return f;
        }
        let f = module.add_function(&name, self.function_type(module, ty));
        f.set_call_conv(llvm::CallConv::SpirFunc);
        f.set_flag("nounwind");
        f.set_flag("willreturn");
        match self.scope {
            GroupScope::Vec => f.set_memory_none(),
            // Convergent: the active work-items depend on the control flow around the call.
            GroupScope::Sub | GroupScope::Work => {
                f.set_memory_inaccessible();
                if self.op != GroupOp::Result {
                    f.set_flag("convergent");
                }
            }
        }
        if self.scope == GroupScope::Work && self.op != GroupOp::Result {
            f.set_flag("noduplicate");
        }
        f
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use llvm::Context;

    #[test]
    fn every_group_builtin_is_found_by_its_name() {
        let c = Context::new();
        let types = [c.i1(), c.i32(), c.half(), c.double(), c.float().vector(16)];
        for group in Group::all() {
            for ty in types {
                let name = group.name(ty).unwrap();
                assert_eq!(Group::from_name(&name), Some(group), "{name}");
            }
        }
        let none = [
            "__mux_work_group_shuffle_i32",
            "__mux_sub_group_any",
            "__mux_sub_group_any_x4",
            "__mux_sub_group_reduce_sub_i32",
            "__mux_vec_group_any_vi1",
            "__mux_sub_group_result_i32",
            "__mux_work_group_barrier",
        ];
        none.into_iter().for_each(|name| assert_eq!(Group::from_name(name), None, "{name}"));
    }

    #[test]
    fn names_and_types_are_those_of_the_specification() {
        let c = Context::new();
        let m = Module::new(&c, "m");
        m.set_data_layout("e-p:64:64");
        let declared = [
            (Group::sub(GroupOp::Any), c.i1(), "i1 @__mux_sub_group_any_i1(i1)"),
            (Group::work(GroupOp::Any), c.i1(), "i1 @__mux_work_group_any_i1(i32, i1)"),
            (Group::vec(GroupOp::Any), c.i1().vector(4), "i1 @__mux_vec_group_any_v4i1(<4 x i1>)"),
            (Group::sub(GroupOp::Broadcast), c.i64(), "i64 @__mux_sub_group_broadcast_i64(i64, i32)"),
            (
                Group::work(GroupOp::Broadcast),
                c.i32(),
                "i32 @__mux_work_group_broadcast_i32(i32, i32, i64, i64, i64)",
            ),
            (
                Group::vec(GroupOp::Broadcast),
                c.i64().vector(2),
                "i64 @__mux_vec_group_broadcast_v2i64(<2 x i64>, i32)",
            ),
            (
                Group::work(GroupOp::Reduce(FAdd)),
                c.float(),
                "float @__mux_work_group_reduce_fadd_f32(i32, float)",
            ),
            (
                Group::sub(GroupOp::ScanInclusive(Mul)),
                c.i32(),
                "i32 @__mux_sub_group_scan_inclusive_mul_i32(i32)",
            ),
            (
                Group::work(GroupOp::ScanExclusive(FMul)),
                c.double(),
                "double @__mux_work_group_scan_exclusive_fmul_f64(i32, double)",
            ),
            (Group::sub(GroupOp::ShuffleUp), c.i8(), "i8 @__mux_sub_group_shuffle_up_i8(i8, i8, i32)"),
            (
                Group::sub(GroupOp::ShuffleXor),
                c.double(),
                "double @__mux_sub_group_shuffle_xor_f64(double, i32)",
            ),
        ];
        for (group, ty, text) in declared {
            group.declare(&m, ty);
            assert!(m.to_string().contains(text), "no {text} in {m}");
        }
        let scalable =
            "declare <vscale x 1 x i64> @__mux_vec_group_scan_exclusive_mul_nxv1i64(<vscale x 1 x i64>)";
        let m = Module::parse(&c, scalable.as_bytes(), "scalable").unwrap();
        let f = m.functions()[0];
        assert_eq!(Group::from_name(&f.name()), Some(Group::vec(GroupOp::ScanExclusive(Mul))));
        assert_eq!(Group::vec(GroupOp::ScanExclusive(Mul)).name(f.return_type()).unwrap(), f.name());
    }
}
