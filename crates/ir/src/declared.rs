//! Checks IR that came from outside: mux builtins have the types of the specification, and there is
//! no scalable vector.
//!
//! Passes take a builtin by its name and build code for the type it should have. LLVM does not
//! check what they build.

use crate::builtin::{Builtin, Dma};
use crate::group::{Group, GroupOp, GroupScope};
use crate::{address_space, attributes, mangling, metadata};
use llvm::{Function, Module, Opcode, Type, Value};

const PREFIX: &str = "__mux_";

/// Refuses a module that breaks the conventions of mux IR. The message names the builtin, the type
/// it has and the one it should have. The data layout must be the target's: it says how wide
/// `size_t` is.
pub fn check_front_end_ir(module: &Module) -> Result<(), llvm::Error> {
    let not_functions = module.globals().into_iter().map(Value::from).chain(module.aliases());
    for value in not_functions {
        let name = value.name();
        if name.starts_with(PREFIX) {
            return Err(format!("'{name}' is a name for builtin functions, and here it is none").into());
        }
    }
    for f in module.functions() {
        check_builtin(module, f)?;
        check_scalable(f)?;
    }
    Ok(())
}

/// Refuses a function with a builtin's name and another type, and uses of a builtin that are no
/// calls of that type.
pub fn check_builtin(module: &Module, f: Function) -> Result<(), llvm::Error> {
    check_type(module, f).map_err(llvm::Error::from)
}

fn check_type(module: &Module, f: Function) -> Result<(), String> {
    let name = f.name();
    let Some(builtin) = Builtin::from_name(&name) else { return Ok(()) };
    let Some(expected) = builtin.declared_type(module, f) else {
        return Err(format!("there is no builtin '{name}': {}", no_overload(builtin)));
    };
    let found = without_scheduling(module, f);
    if found != expected {
        let why = match builtin {
            Builtin::Group(group) if group.is_vector_scan() => ": a scan has a result for each lane",
            _ => "",
        };
        return Err(format!("the builtin '{name}' is of type {found}, expected is {expected}{why}"));
    }
    // LLVM does not count a call with another type as a call of the function.
    let uses = f.uses();
    if uses.others {
        let other = f.users().into_iter().find(|u| u.is_call() && u.called_function().is_none());
        return Err(match other {
            Some(call) => {
                let found = call.called_type();
                format!("the builtin '{name}' is called as one of type {found}, expected is {expected}")
            }
            None => format!("the builtin '{name}' is only to be called, and here its address is taken"),
        });
    }
    uses.calls.into_iter().try_for_each(attributes::check_barrier_schedule)
}

/// Why a builtin has no overload for the type in its name.
fn no_overload(builtin: Builtin) -> String {
    match builtin {
        Builtin::Group(group) => {
            let wants = match group.op.arithmetic() {
                Some(a) if a.is_float() => "a floating-point type",
                Some(_) => "an integer type of 1, 8, 16, 32 or 64 bits",
                None => "an integer or floating-point type",
            };
            let vectors = if group.scope == GroupScope::Vec { " or a vector of it" } else { "" };
            format!("{group} is for {wants}{vectors}")
        }
        _ => format!("{} is for floats, doubles and vectors of them", builtin.name()),
    }
}

/// The type of a function without the scheduling parameters that a pass may have added.
fn without_scheduling(module: &Module, f: Function) -> Type {
    let ty = f.function_type();
    let Some(added) = metadata::scheduled_params(module, f) else { return ty };
    let is_own = |i: &usize| !added.contains(&u32::try_from(*i).ok());
    let params = ty.params();
    let own: Vec<Type> = (0..params.len()).filter(is_own).map(|i| params[i]).collect();
    ty.return_type().function(&own)
}

impl Builtin {
    /// The type that a function with this builtin's name must have; `None` if there is no such
    /// overload.
    fn declared_type(self, module: &Module, f: Function) -> Option<Type> {
        let name = f.name();
        let suffix = name.strip_prefix(&*self.name()).and_then(|rest| rest.strip_prefix('_'));
        match self {
            Builtin::Group(group) => {
                let ty = mangling::parse_group_suffix(module.context(), suffix?)?;
                group.is_for(ty).then(|| group.function_type(module, ty))
            }
            Builtin::Math(math) => {
                let ty = mangling::parse_math_type(module.context(), suffix?)?;
                Some(ty.function(&vec![ty; math.operands()]))
            }
            Builtin::Dma(dma) => Some(dma.declared_type(module, f)),
            _ => self.function_type(module),
        }
    }
}

impl Dma {
    /// The type of a DMA builtin: events may have any type, which is taken from the last parameter.
    fn declared_type(self, module: &Module, f: Function) -> Type {
        let (context, size) = (module.context(), module.size_type());
        let last = f.function_type().params().pop();
        let pointers = [address_space::LOCAL, address_space::GLOBAL].map(|space| context.ptr(space));
        let (dimensions, [to, from]) = match self {
            Dma::Read(dimensions) => (dimensions, pointers),
            Dma::Write(dimensions) => (dimensions, [pointers[1], pointers[0]]),
            Dma::Wait => {
                let events = last.filter(|ty| ty.is_ptr()).unwrap_or_else(|| context.ptr(0));
                return context.void().function(&[context.i32(), events]);
            }
        };
        let event = last.filter(|ty| !ty.is_void()).unwrap_or_else(|| context.ptr(0));
        let mut params = vec![to, from];
        params.extend(vec![size; 3 * dimensions as usize - 2]);
        params.push(event);
        event.function(&params)
    }
}

impl Group {
    fn is_vector_scan(self) -> bool {
        self.scope == GroupScope::Vec
            && matches!(self.op, GroupOp::ScanInclusive(_) | GroupOp::ScanExclusive(_))
    }

    /// Whether there is an overload for operands of this type.
    fn is_for(self, ty: Type) -> bool {
        let is_vector = ty.is_vector() || ty.is_scalable_vector();
        if is_vector && self.scope != GroupScope::Vec {
            return false;
        }
        let scalar = ty.scalar();
        match self.op.arithmetic() {
            Some(arithmetic) => arithmetic.is_float() == scalar.is_float(),
            None => self.op != GroupOp::Result || !is_vector,
        }
    }
}

/// Refuses scalable vectors: no target here has them, and LLVM ends the process when it is asked
/// for their size.
fn check_scalable(f: Function) -> Result<(), String> {
    let refuse = || Err(format!("'{}' uses scalable vectors, which this target does not have", f.name()));
    let ty = f.function_type();
    if ty.params().into_iter().chain([ty.return_type()]).any(has_scalable) {
        // An unused declaration does no harm.
        return if f.is_declaration() && !f.is_used() { Ok(()) } else { refuse() };
    }
    let uses = |i: &Value| {
        has_scalable(i.ty())
            || i.operands().any(|operand| has_scalable(operand.ty()))
            || i.opcode() == Some(Opcode::LLVMAlloca) && has_scalable(i.allocated_type())
            || i.opcode() == Some(Opcode::LLVMGetElementPtr) && has_scalable(i.gep_source_type())
    };
    if f.instructions().iter().any(uses) { refuse() } else { Ok(()) }
}

fn has_scalable(ty: Type) -> bool {
    if ty.is_array() {
        return has_scalable(ty.element());
    }
    ty.is_scalable_vector() || ty.is_struct() && ty.struct_fields().into_iter().any(has_scalable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::Arithmetic;
    use llvm::Context;

    const LAYOUT_64: &str = "target datalayout = \"e-p:64:64\"\n";
    const LAYOUT_32: &str = "target datalayout = \"e-p:32:32\"\n";

    fn check(layout: &str, text: &str) -> Result<(), String> {
        let module = Module::parse(&Context::new(), format!("{layout}{text}").as_bytes(), "m").unwrap();
        module.verify().unwrap();
        Ok(check_front_end_ir(&module)?)
    }

    #[test]
    fn builtins_with_their_own_types_pass() {
        let context = Context::new();
        let module = Module::new(&context, "m");
        module.set_data_layout("e-p:64:64");
        Builtin::all().filter(|b| !matches!(b, Builtin::Dma(_))).for_each(|b| {
            b.declare(&module);
        });
        for group in Group::all() {
            let float = group.op.arithmetic().is_some_and(Arithmetic::is_float);
            group.declare(&module, if float { context.double() } else { context.i32() });
            if group.scope == GroupScope::Vec {
                let scalar = if float { context.half() } else { context.i8() };
                group.declare(&module, scalar.vector(4));
            }
        }
        for math in crate::Math::all() {
            let types = [context.float(), context.double().vector(16), context.i32().vector(16)];
            for ty in types.into_iter().filter(|ty| math.name(*ty).is_some()) {
                math.declare(&module, ty);
            }
        }
        assert_eq!(check_front_end_ir(&module), Ok(()));
        let dma = "declare ptr @__mux_dma_read_1D(ptr addrspace(3), ptr addrspace(1), i64, ptr)\n\
            declare i32 @__mux_dma_write_2D(ptr addrspace(1), ptr addrspace(3), i64, i64, i64, i64, i32)\n\
            declare void @__mux_dma_wait(i32, ptr addrspace(4))";
        assert_eq!(check(LAYOUT_64, dma), Ok(()));
        assert_eq!(check(LAYOUT_64, "declare i64 @__mux_of_somebody_else(i8)"), Ok(()));
    }

    #[test]
    fn size_is_that_of_the_layout() {
        let [wide, narrow] = ["i64", "i32"].map(|ty| format!("declare {ty} @__mux_get_global_id(i32)"));
        assert_eq!(check(LAYOUT_64, &wide), Ok(()));
        assert_eq!(check(LAYOUT_32, &narrow), Ok(()));
        let message = "the builtin '__mux_get_global_id' is of type i32 (i32), expected is i64 (i32)";
        assert_eq!(check(LAYOUT_64, &narrow).unwrap_err(), message);
        assert!(check(LAYOUT_32, &wide).unwrap_err().ends_with("expected is i32 (i32)"));
    }

    #[test]
    fn other_types_are_refused_by_name() {
        let refused = [
            (
                "declare i32 @__mux_sub_group_reduce_fadd_i32(i32)",
                "no builtin '__mux_sub_group_reduce_fadd_i32'",
            ),
            ("declare i32 @__mux_work_group_reduce_add_i32(i32)", "expected is i32 (i32, i32)"),
            ("declare void @__mux_work_group_barrier()", "expected is void (i32, i32, i32)"),
            ("declare float @__mux_work_group_reduce_add_f32(i32, float)", "is for an integer type"),
            ("declare i32 @__mux_sub_group_shuffle_i32(i32, i64)", "expected is i32 (i32, i32)"),
            ("declare i64 @__mux_sub_group_broadcast_i32(i32, i32)", "expected is i32 (i32, i32)"),
            ("declare i32 @__mux_sub_group_reduce_add_v4i32(<4 x i32>)", "is for an integer type"),
            ("declare i128 @__mux_sub_group_reduce_add_i128(i128)", "of 1, 8, 16, 32 or 64 bits"),
            ("declare i7 @__mux_sub_group_any_i7(i7)", "of 1, 8, 16, 32 or 64 bits"),
            ("declare i1 @__mux_vec_group_any_v4i1(<8 x i1>)", "expected is i1 (<4 x i1>)"),
            ("declare i1 @__mux_vec_group_any_v99999999999i1(<8 x i1>)", "there is no builtin"),
            ("declare i1 @__mux_vec_group_any_v0i1(<8 x i1>)", "there is no builtin"),
            ("declare double @__mux_exponent_f(double)", "expected is float (float)"),
            ("declare float @__mux_scale_f(float)", "expected is float (float, float)"),
            ("declare float @__mux_scale_Dv0_f(float)", "there is no builtin '__mux_scale_Dv0_f'"),
            ("declare void @__mux_printf(ptr, ptr)", "expected is i32 (ptr, ptr)"),
            ("declare void @__mux_mem_barrier(i32)", "expected is void (i32, i32)"),
            (
                "declare ptr @__mux_dma_read_1D(ptr addrspace(1), ptr addrspace(3), i64, ptr)",
                "expected is ptr (ptr addrspace(3), ptr addrspace(1), i64, ptr)",
            ),
            (
                "declare ptr @__mux_dma_write_3D()",
                "expected is ptr (ptr addrspace(1), ptr addrspace(3), i64,",
            ),
            ("declare void @__mux_dma_wait(i32, i32)", "expected is void (i32, ptr)"),
            ("define i32 @__mux_get_local_id(i32 %d) {\n  ret i32 %d\n}", "expected is i64 (i32)"),
            ("@__mux_get_local_id = global i32 0", "is a name for builtin functions"),
            (
                "declare i64 @f(i32)\ndefine i64 @g(i32 %d) {\n  ret i64 0\n}\n\
                @__mux_get_local_id = alias i64 (i32), ptr @g",
                "is a name for builtin functions",
            ),
            (
                "declare i64 @__mux_get_local_id(i32)\ndefine void @k() {\n\
                \x20 %r = call i32 @__mux_get_local_id()\n  ret void\n}",
                "is called as one of type i32 (), expected is i64 (i32)",
            ),
            (
                "declare i64 @__mux_get_local_id(i32)\n@p = global ptr @__mux_get_local_id",
                "its address is taken",
            ),
        ];
        for (text, expected) in refused {
            let error = check(LAYOUT_64, text).expect_err(text);
            assert!(error.contains(expected), "{text}\n{error}");
        }
    }

    #[test]
    fn scheduling_parameters_are_not_the_builtins_own() {
        let text =
            "declare !mux_scheduled_fn !0 i64 @__mux_get_local_id(i32, ptr, ptr)\n!0 = !{i32 1, i32 2}";
        assert_eq!(check(LAYOUT_64, text), Ok(()));
        let text = "declare !mux_scheduled_fn !0 i64 @__mux_get_local_id(ptr, ptr)\n!0 = !{i32 0, i32 1}";
        let error = check(LAYOUT_64, text).unwrap_err();
        assert!(error.contains("is of type i64 (), expected is i64 (i32)"), "{error}");
    }

    #[test]
    fn scalable_vectors_are_refused() {
        let refused = [
            "define void @k(<vscale x 4 x i32> %v) {\n  ret void\n}",
            "define void @k(ptr %p) {\n  %v = load <vscale x 4 x i32>, ptr %p\n  ret void\n}",
            "define void @k(ptr %p) {\n  store <vscale x 4 x i32> zeroinitializer, ptr %p\n  ret void\n}",
            "define void @k() {\n  %v = alloca <vscale x 4 x i32>\n  ret void\n}",
            "define void @k(ptr %p) {\n  %q = getelementptr <vscale x 4 x i32>, ptr %p, i64 1\n  ret void\n}",
            "define void @k() {\n  %v = alloca { <vscale x 4 x i32>, <vscale x 4 x i32> }\n  ret void\n}",
        ];
        for text in refused {
            let error = check(LAYOUT_64, text).expect_err(text);
            assert_eq!(error, "'k' uses scalable vectors, which this target does not have");
        }
    }
}
