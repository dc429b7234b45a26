//! Refuses IR that needs types or sizes that the device lacks. The front ends check their own
//! programs, but IR may come from any tool.

use crate::DeviceInfo;
use ir::metadata;
use llvm::{Module, Opcode, Type, TypeKind, Value};

/// Refuses a module whose addresses are not of the device's size, one with `double` anywhere if the
/// device has none, and one with arithmetic, conversions or comparisons of `half` if the device has
/// `half` only in memory.
pub(crate) fn refuse_unsupported_types(module: &Module, device: &DeviceInfo) -> Result<(), String> {
    refuse_address_size(module, device)?;
    refuse_missing_types(module, device)
}

/// The part of [`refuse_unsupported_types`] that is about types.
pub(crate) fn refuse_missing_types(module: &Module, device: &DeviceInfo) -> Result<(), String> {
    if !device.supports_double {
        refuse_doubles(module)?;
    }
    if !device.supports_half {
        refuse_half_arithmetic(module)?;
    }
    Ok(())
}

/// Refuses kernels that require a work-group of more work-items than the device runs, or sub-groups
/// of a size that the device does not have.
pub(crate) fn refuse_required_sizes(module: &Module, device: &DeviceInfo) -> Result<(), String> {
    for f in module.functions() {
        let size = metadata::reqd_sub_group_size(module, f).map(|size| size as usize);
        if let Some(size) = size.filter(|size| !device.sub_group_sizes.contains(size)) {
            return Err(format!(
                "kernel '{}' requires sub-groups of {size} (intel_reqd_sub_group_size), and the device \
                    has the \
                 sizes {:?}",
                f.name(),
                device.sub_group_sizes
            ));
        }
        let Some([x, y, z]) = metadata::reqd_work_group_size(module, f) else { continue };
        let items = x.saturating_mul(y).saturating_mul(z);
        if items > device.max_work_group_size as u64 {
            return Err(format!(
                "kernel '{}' requires work-groups of {x} x {y} x {z} work-items (reqd_work_group_size), and \
                 the device runs {} at most",
                f.name(),
                device.max_work_group_size
            ));
        }
    }
    Ok(())
}

fn refuse_address_size(module: &Module, device: &DeviceInfo) -> Result<(), String> {
    let bits = module.size_type().int_bits();
    if bits == device.address_bits {
        return Ok(());
    }
    Err(format!(
        "the module has {bits}-bit addresses (data layout '{}'), and the target has {}-bit ones",
        module.data_layout(),
        device.address_bits
    ))
}

fn refuse_doubles(module: &Module) -> Result<(), String> {
    let double = |ty: Type| ty.holds(TypeKind::LLVMDoubleTypeKind);
    if let Some(variable) = module.globals().into_iter().find(|g| double(g.value_type())) {
        return Err(format!(
            "the variable '{}' has the type {}, and the target has no double",
            variable.name(),
            variable.value_type()
        ));
    }
    for f in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        if double(f.function_type()) {
            let ty = f.function_type();
            return Err(format!(
                "the function '{}' has the type {ty}, and the target has no double",
                f.name()
            ));
        }
        let types = |i: Value| {
            let memory = match i.opcode() {
                Some(Opcode::LLVMAlloca) => Some(i.allocated_type()),
                Some(Opcode::LLVMGetElementPtr) => Some(i.gep_source_type()),
                _ => None,
            };
            let values = std::iter::once(i).chain(i.operands()).map(Value::ty);
            memory.into_iter().chain(values).find(|ty| double(*ty))
        };
        for i in f.instructions() {
            if let Some(ty) = types(i) {
                return Err(refusal(i, ty, "double"));
            }
        }
    }
    Ok(())
}

fn refuse_half_arithmetic(module: &Module) -> Result<(), String> {
    for f in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        for i in f.instructions().into_iter().filter(|i| computes(*i)) {
            let mut types = std::iter::once(i).chain(i.operands()).map(Value::ty);
            if let Some(ty) = types.find(|ty| ty.holds(TypeKind::LLVMHalfTypeKind)) {
                return Err(refusal(i, ty, "arithmetic of half"));
            }
        }
    }
    Ok(())
}

/// Whether an instruction computes with floating-point operands, and does not only move them.
fn computes(i: Value) -> bool {
    use Opcode::*;
    match i.opcode() {
        Some(
            LLVMFNeg | LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem | LLVMFCmp | LLVMFPTrunc
            | LLVMFPExt | LLVMFPToUI | LLVMFPToSI | LLVMUIToFP | LLVMSIToFP,
        ) => true,
        Some(LLVMAtomicRMW) => i.atomic_op() != llvm::AtomicOp::LLVMAtomicRMWBinOpXchg,
        Some(LLVMCall) => i.called_function().is_some_and(|f| {
            // Library functions and LLVM's intrinsics compute, except for those that move memory.
            let name = f.name();
            let plain = ir::mangling::demangle(&name).map_or("", |(plain, _)| plain);
            let moves = ["vload", "vstore", "shuffle"].iter().any(|prefix| plain.starts_with(prefix));
            builtins::contains(&name) && !moves
                || name.starts_with("llvm.") && !name.starts_with("llvm.masked.")
        }),
        _ => false,
    }
}

fn refusal(i: Value, ty: Type, lacking: &str) -> String {
    let function = i.block().map(|b| b.function().name()).unwrap_or_default();
    let line = i.debug_line().map(|(line, _)| format!(" in line {line}")).unwrap_or_default();
    format!("'{function}'{line} uses the type {ty}, and the target has no {lacking}")
}
