//! The library for devices that lack a type: no linked function uses the type.

use clc::{Device, Options, Profile};
use llvm::{Context, Module, Opcode, TypeKind, Value};

/// A module that declares all functions of the library but those with one of these types.
fn declares_all(context: &Context, without: &[TypeKind]) -> Module {
    let library = Module::parse_bitcode(context, lanewise_builtins::bitcode()).unwrap();
    let module = Module::new(context, "all");
    module.set_triple(&library.triple());
    module.set_data_layout(&library.data_layout());
    let of_library = |f: &llvm::Function| lanewise_builtins::contains(&f.name());
    for f in library.functions().into_iter().filter(of_library) {
        let ty = f.function_type();
        if !without.iter().any(|kind| ty.holds(*kind)) {
            module.add_function(&f.name(), ty).set_call_conv(f.call_conv());
        }
    }
    module
}

/// The functions of a module in which an instruction is of a kind.
fn functions_with(module: &Module, wrong: impl Fn(Value) -> bool) -> Vec<String> {
    let functions = module.functions().into_iter();
    functions.filter(|f| f.instructions().into_iter().any(&wrong)).map(|f| f.name()).collect()
}

fn uses(i: Value, kind: TypeKind) -> bool {
    let memory = match i.opcode() {
        Some(Opcode::LLVMAlloca) => Some(i.allocated_type()),
        Some(Opcode::LLVMGetElementPtr) => Some(i.gep_source_type()),
        _ => None,
    };
    memory.into_iter().chain(std::iter::once(i).chain(i.operands()).map(Value::ty)).any(|ty| ty.holds(kind))
}

#[test]
fn no_double_is_linked_for_a_device_without() {
    let double = TypeKind::LLVMDoubleTypeKind;
    for half in [true, false] {
        let context = Context::new();
        let without: &[_] = if half { &[double] } else { &[double, TypeKind::LLVMHalfTypeKind] };
        let module = declares_all(&context, without);
        let count = module.functions().len();
        assert!(count > 6000, "{count}");
        lanewise_builtins::library(half, false)(&module).unwrap();
        module.verify().unwrap();
        let of_library = |f: &llvm::Function| lanewise_builtins::contains(&f.name());
        assert!(module.functions().iter().all(|f| !f.is_declaration() || !of_library(f)));
        assert_eq!(functions_with(&module, |i| uses(i, double)), [""; 0]);
        assert!(module.globals().iter().all(|g| !g.value_type().holds(double)));
    }
}

#[test]
fn no_half_is_computed_with_on_a_device_without() {
    for double in [true, false] {
        let context = Context::new();
        let half = TypeKind::LLVMHalfTypeKind;
        let without: &[_] = if double { &[half] } else { &[half, TypeKind::LLVMDoubleTypeKind] };
        let module = declares_all(&context, without);
        lanewise_builtins::library(false, double)(&module).unwrap();
        module.verify().unwrap();
        assert_eq!(functions_with(&module, |i| uses(i, half)), [""; 0]);
    }
}

/// Most of the library is compiled for 64-bit addresses, and linked into modules with 32-bit ones,
/// too: an offset of 64 bits is cut off there, but an address must not be an integer of 64 bits.
#[test]
fn addresses_are_never_integers() {
    let context = Context::new();
    let module = Module::parse_bitcode(&context, lanewise_builtins::bitcode()).unwrap();
    let integers = [Some(Opcode::LLVMPtrToInt), Some(Opcode::LLVMIntToPtr)];
    assert_eq!(functions_with(&module, |i| integers.contains(&i.opcode())), [""; 0]);
}

/// The device with both types has the code that it had.
#[test]
fn a_full_device_has_the_usual_functions() {
    let context = Context::new();
    let module = declares_all(&context, &[TypeKind::LLVMHalfTypeKind]);
    lanewise_builtins::library(true, true)(&module).unwrap();
    let double = functions_with(&module, |i| uses(i, TypeKind::LLVMDoubleTypeKind));
    assert!(double.contains(&"_Z6tgammaf".to_owned()));
}

/// Parts are linked one after the other, and a part for all devices has functions that there are
/// other versions of.
#[test]
fn a_neighbour_does_not_bring_the_usual_version() {
    let device =
        Device { address_bits: 32, half: false, double: false, int64_atomics: false, ..Device::FULL };
    let source = "kernel void k(global float *p, global half *h, global int *n, local int *l) {
        p[0] = erf(p[1]) + erfc(p[2]) + dot(p[3], p[4]) + length(p[5]);
        p[0] += convert_float(n[0]) + convert_float_rtz(n[1]);
        p[6] = vload_half(1, h);
        vstore2(vload2(0, p), 1, p);
        n[2] = get_enqueued_num_sub_groups();
        event_t e = async_work_group_copy(l, n, 4, 0);
        wait_group_events(1, &e);
    }";
    let context = Context::new();
    let options = Options::parse("-cl-std=CL3.0", &[]).unwrap();
    let output = clc::compile(&context, source, "k.cl", Profile::Full, &device, &options, &[]);
    let module = output.module.unwrap_or_else(|| panic!("{}", output.log));
    lanewise_builtins::library(false, false)(&module).unwrap();
    module.verify().unwrap();
    let text = module.to_string();
    for kind in [TypeKind::LLVMDoubleTypeKind, TypeKind::LLVMHalfTypeKind] {
        assert_eq!(functions_with(&module, |i| uses(i, kind)), [""; 0]);
    }
    assert!(text.contains("declare spir_func i32 @_Z23get_enqueued_local_sizej(i32"), "{text}");
    let undefined = module.functions().into_iter().filter(|f| f.is_declaration());
    assert_eq!(undefined.filter(|f| lanewise_builtins::contains(&f.name())).count(), 0);
}
