//! LowerSpirvVariables: turns reads of SPIR-V's builtin variables, as SYCL compilers write them, into mux builtins.
//!
//! ```text
//! %x = load i64, ptr @__spirv_BuiltInGlobalInvocationId                →   %x = call i64 @__mux_get_global_id(i32 0)
//! %y = load i64, ptr getelementptr (i8, ptr @__spirv_BuiltIn…, i64 8)  →   %y = call i64 @__mux_get_global_id(i32 1)
//! ```
//!
//! Runs on what a front end made, before anything else. A use that is no read is an error. Preserves control flow.

use analysis::Preserved;
use ir::Builtin;
use llvm::{Builder, Module, Opcode, Value};
use passes::{Pass, PassContext, PassError, Registry};

#[derive(Clone, Copy, Debug, Default)]
pub struct LowerSpirvVariables;

pub(crate) fn register(registry: &mut Registry) {
    let summary = "turn reads of SPIR-V's builtin variables into mux builtins";
    registry.register("lower-spirv-variables", summary, |_| Ok(LowerSpirvVariables));
}

const PREFIX: &str = "__spirv_BuiltIn";

fn builtin(name: &str) -> Option<Builtin> {
    use Builtin::*;
    Some(match name.strip_prefix(PREFIX)? {
        "GlobalInvocationId" => GetGlobalId,
        "GlobalSize" => GetGlobalSize,
        "GlobalOffset" => GetGlobalOffset,
        "LocalInvocationId" => GetLocalId,
        "WorkgroupSize" => GetLocalSize,
        "EnqueuedWorkgroupSize" => GetEnqueuedLocalSize,
        "NumWorkgroups" => GetNumGroups,
        "WorkgroupId" => GetGroupId,
        "GlobalLinearId" => GetGlobalLinearId,
        "LocalInvocationIndex" => GetLocalLinearId,
        "WorkDim" => GetWorkDim,
        "SubgroupSize" => GetSubGroupSize,
        "SubgroupMaxSize" => GetMaxSubGroupSize,
        "NumSubgroups" => GetNumSubGroups,
        "SubgroupId" => GetSubGroupId,
        "SubgroupLocalInvocationId" => GetSubGroupLocalId,
        _ => return None,
    })
}

impl Pass for LowerSpirvVariables {
    fn name(&self) -> &'static str {
        "lower-spirv-variables"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        for variable in cx.module.globals() {
            let name = variable.name();
            if !name.starts_with(PREFIX) {
                continue;
            }
            let Some(builtin) = builtin(&name) else {
                return Err(PassError::new(format!("the builtin variable '{name}' is not supported")));
            };
            variable.expand_constant_users();
            replace_reads(cx.module, *variable, builtin, 0)?;
            variable.erase();
        }
        Ok(Preserved::control_flow())
    }
}

/// Replaces what reads from an address that is so many bytes into the variable.
fn replace_reads(module: &Module, address: Value, builtin: Builtin, offset: u64) -> Result<(), PassError> {
    for user in address.users() {
        match user.opcode() {
            Some(Opcode::LLVMLoad) => {
                let b = Builder::before(module.context(), user);
                let ty = user.ty();
                let value = if ty.is_vector() {
                    (0..ty.len() as u32).fold(ty.poison(), |all, i| {
                        let own = query(module, &b, builtin, i, ty.element());
                        b.insert_element(all, own, b.i32(i), "")
                    })
                } else {
                    query(module, &b, builtin, (offset / module.size_of(ty).max(1)) as u32, ty)
                };
                user.replace_all_uses_with(value);
                user.erase();
            }
            Some(Opcode::LLVMGetElementPtr) => {
                let inner = constant_offset(module, user).ok_or_else(|| {
                    PassError::at(user, "the dimension of a builtin variable is not constant")
                })?;
                replace_reads(module, user, builtin, offset + inner)?;
                user.erase();
            }
            Some(Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast) => {
                replace_reads(module, user, builtin, offset)?;
                user.erase();
            }
            _ => return Err(PassError::at(user, "a builtin variable can only be read")),
        }
    }
    Ok(())
}

fn query(module: &Module, b: &Builder, builtin: Builtin, dimension: u32, ty: llvm::Type) -> Value {
    let args: Vec<Value> = if builtin.takes_dimension() { vec![b.i32(dimension)] } else { Vec::new() };
    let value = b.call(builtin.declare(module), &args, "");
    if ty.is_int() { b.int_cast(value, ty, "") } else { value }
}

/// The bytes that a GEP of constant indices moves by.
fn constant_offset(module: &Module, gep: Value) -> Option<u64> {
    let mut ty = gep.gep_source_type();
    let mut sum = 0;
    for n in 1..gep.num_operands() {
        let index = gep.operand(n).as_const_int()?;
        if n > 1 {
            ty = if ty.is_struct() { return None } else { ty.element() };
        }
        sum += index * module.size_of(ty);
    }
    Some(sum)
}
