//! InitializeMemory: makes local and private memory begin as zeros (`cl_khr_initialize_memory`).
//!
//! ```text
//! @k.a = internal addrspace(3) global [8 x i32] undef
//! %x = alloca [4 x i32]
//! call void @llvm.lifetime.start.p0(i64 16, ptr %x)
//! ───►
//! @k.a = internal addrspace(3) global [8 x i32] zeroinitializer
//! %x = alloca [4 x i32]
//! call void @llvm.memset.p0.i64(ptr %x, i8 0, i64 16, i1 false)
//! ```
//!
//! Local variables that begin as zeros are filled by ReplaceLocalModuleScopeVariables, local
//! arguments, for which kernels get the attribute `mux-zero-local`, by AddKernelWrapper. Variables
//! lose their lifetimes, at whose beginning LLVM would take them for undefined. Runs before all
//! others, while each variable is memory. Preserves control flow.

use crate::registry::Options;
use crate::{Pass, PassContext, PassError, Registry};
use analysis::Preserved;
use ir::address_space::LOCAL;
use ir::attributes;
use llvm::{Builder, CallConv, Function, Module, Value};

#[derive(Clone, Copy, Debug, Default)]
pub struct InitializeMemory {
    pub local: bool,
    pub private: bool,
}

pub(crate) fn register(registry: &mut Registry) {
    registry.register("initialize-memory", "make memory begin as zeros: local;private", |options| {
        Ok(InitializeMemory { local: options.flag("local")?, private: options.flag("private")? })
    });
}

impl Pass for InitializeMemory {
    fn name(&self) -> &'static str {
        "initialize-memory"
    }

    fn options(&self) -> Options {
        Options::default().with_flag("local", self.local).with_flag("private", self.private)
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let functions = || cx.module.functions().into_iter().filter(|f| !f.is_declaration());
        if self.local {
            for variable in cx.module.globals().into_iter().filter(|g| g.address_space() == LOCAL) {
                variable.set_initializer(variable.value_type().zero());
            }
            let is_kernel = |f: &Function| f.call_conv() == CallConv::SpirKernel;
            functions().filter(is_kernel).for_each(attributes::set_zero_local);
        }
        if self.private {
            for f in functions() {
                // All are found before the first is filled, which erases instructions after it.
                let mut variables = f.instructions();
                variables.retain(|i| i.is_alloca());
                variables.into_iter().for_each(|v| fill(cx.module, v));
            }
        }
        Ok(Preserved::control_flow())
    }
}

/// Fills a variable with zeros where it is allocated.
fn fill(module: &Module, variable: Value) {
    let is_lifetime =
        |user: &Value| user.called_function().is_some_and(|f| f.name().starts_with("llvm.lifetime."));
    variable.users().into_iter().filter(is_lifetime).for_each(Value::erase);
    let context = module.context();
    let b = Builder::before(context, variable.next().expect("a block ends with a terminator"));
    let size = module.size_type();
    let fill = module.intrinsic("llvm.memset", &[variable.ty(), size]);
    let bytes = size.const_int(module.size_of(variable.allocated_type()));
    b.call(fill, &[variable, context.i8().zero(), bytes, context.i1().zero()], "");
}
