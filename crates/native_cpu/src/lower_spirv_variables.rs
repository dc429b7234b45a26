//! LowerSpirvVariables: turns reads of SPIR-V's builtin variables, as SYCL compilers write them,
//! into mux builtins.
//!
//! ```text
//! %x = load i64, ptr @__spirv_BuiltInGlobalInvocationId
//! %y = load i64, ptr getelementptr (i8, ptr @__spirv_BuiltIn…, i64 8)
//! ───►
//! %x = call i64 @__mux_get_global_id(i32 0)
//! %y = call i64 @__mux_get_global_id(i32 1)
//! ```
//!
//! Any piece of a variable can be read. A use that is no read at a constant offset inside is an
//! error that names the variable. Runs on what a front end made, before anything else. Preserves
//! control flow.

use analysis::Preserved;
use ir::Builtin;
use llvm::{Builder, Module, Opcode, Type, Value};
use passes::{Pass, PassContext, PassError};

#[derive(Clone, Copy, Debug, Default)]
pub struct LowerSpirvVariables;

const PREFIX: &str = "__spirv_BuiltIn";

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
            let Some(builtin) = name.strip_prefix(PREFIX).and_then(Builtin::of_spirv_variable) else {
                return Err(PassError::new(format!("the builtin variable '{name}' is not supported")));
            };
            if !element_of(variable.value_type()).is_int() {
                let message = format!("the builtin variable '{name}' is no integer and no vector of them");
                return Err(PassError::new(message));
            }
            variable.expand_constant_users();
            Variable { module: cx.module, name, builtin, ty: variable.value_type() }
                .replace_reads(*variable, 0)?;
            variable.erase();
        }
        Ok(Preserved::control_flow())
    }
}

/// A builtin variable: a vector of three elements, or a single one.
struct Variable<'a> {
    module: &'a Module,
    name: String,
    builtin: Builtin,
    ty: Type,
}

impl Variable<'_> {
    fn refuse(&self, user: Value, why: &str) -> PassError {
        PassError::at(user, format!("the builtin variable '{}' {why}", self.name))
    }

    /// Replaces what reads from an address that is so many bytes into the variable.
    fn replace_reads(&self, address: Value, offset: i64) -> Result<(), PassError> {
        for user in address.users() {
            match user.opcode() {
                Some(Opcode::LLVMLoad) => {
                    user.replace_all_uses_with(self.read(user, offset)?);
                    user.erase();
                }
                Some(Opcode::LLVMGetElementPtr) => {
                    let inner = constant_offset(self.module, user).and_then(|by| offset.checked_add(by));
                    let inner = inner
                        .ok_or_else(|| self.refuse(user, "is read at an offset that is not constant"))?;
                    self.replace_reads(user, inner)?;
                    user.erase();
                }
                Some(Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast) => {
                    self.replace_reads(user, offset)?;
                    user.erase();
                }
                _ => return Err(self.refuse(user, "can only be read")),
            }
        }
        Ok(())
    }

    /// The value that a load reads, so many bytes into the variable.
    fn read(&self, load: Value, offset: i64) -> Result<Value, PassError> {
        let (module, ty) = (self.module, load.ty());
        let size = module.size_of(self.ty);
        let at = u64::try_from(offset).ok().filter(|at| at.saturating_add(module.size_of(ty)) <= size);
        let at = at.ok_or_else(|| {
            self.refuse(load, &format!("has {size} bytes, and a read at {offset} is not inside"))
        })?;
        let b = Builder::before(module.context(), load);
        let element = element_of(self.ty);
        let bytes = module.size_of(element);
        if ty == element && at % bytes == 0 && at < 3 * bytes {
            return Ok(self.element(&b, at / bytes));
        }
        // Any other piece is read from a copy on the stack, which LLVM takes apart again.
        let entry = load.block().expect("a load is in a block").function().entry();
        let first = entry.instructions()[0];
        let copy = Builder::before(module.context(), first).alloca(self.ty, 0, "builtin");
        b.store(self.ty.zero(), copy);
        let place = |at: u64| b.gep(module.context().i8(), copy, &[b.i64(at)], "");
        let whole = if element == self.ty { 1 } else { self.ty.len() };
        for n in 0..whole {
            b.store(self.element(&b, n), place(n * bytes));
        }
        Ok(b.load(ty, place(at), ""))
    }

    /// An element of the variable.
    fn element(&self, b: &Builder, n: u64) -> Value {
        let ty = element_of(self.ty);
        let dimension = match self.builtin.takes_dimension() {
            true => vec![b.i32(n as u32)],
            false => vec![],
        };
        b.int_cast(b.call(self.builtin.declare(self.module), &dimension, ""), ty, "")
    }
}

/// The type of a variable's elements: a vector's, an array's, or its own.
fn element_of(ty: Type) -> Type {
    if ty.is_vector() || ty.is_array() { ty.element() } else { ty }
}

/// The bytes that a GEP of constant indices moves by.
fn constant_offset(module: &Module, gep: Value) -> Option<i64> {
    let mut ty = gep.gep_source_type();
    let mut sum: i64 = 0;
    for n in 1..gep.num_operands() {
        let index = gep.operand(n).as_const_signed()?;
        if n > 1 && ty.is_struct() {
            let field = u32::try_from(index).ok()?;
            sum = sum.checked_add(i64::try_from(module.offset_of(ty, field)).ok()?)?;
            ty = *ty.struct_fields().get(index as usize)?;
            continue;
        }
        if n > 1 {
            ty = ty.element();
        }
        sum = sum.checked_add(index.checked_mul(i64::try_from(module.size_of(ty)).ok()?)?)?;
    }
    Some(sum)
}
