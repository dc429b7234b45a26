//! The device's own passes: one for each stage.

use super::calls;
use analysis::Preserved;
use ir::{attributes, metadata};
use llvm::{CallConv, Function, Linkage, Module, Opcode};
use passes::{Options, Pass, PassContext, PassError, Registry, entry_points};

pub fn register(registry: &mut Registry) {
    registry.register("fold-generation", "make engine_generation() a constant: generation=N", |options| {
        Ok(FoldGeneration { generation: number(options, "generation")? })
    });
    registry.register("mark-sub-groups", "note the size of sub-groups on kernels: size=N", |options| {
        Ok(MarkSubGroups { size: number(options, "size")? })
    });
    registry.add("make kernels callable by name", ExportKernels);
}

fn number(options: &mut Options, name: &str) -> Result<u32, PassError> {
    let text = options.value(name)?.ok_or_else(|| format!("there is no {name}"))?;
    text.parse().map_err(|_| format!("{name} is a number, not '{text}'").into())
}

/// In the front end: programs of this device may call `uint engine_generation(void)`.
pub struct FoldGeneration {
    pub generation: u32,
}

impl Pass for FoldGeneration {
    fn name(&self) -> &'static str {
        "fold-generation"
    }

    fn options(&self) -> Options {
        Options::default().with_value("generation", Some(self.generation))
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let Some(function) = cx.module.function("engine_generation") else { return Ok(Preserved::All) };
        let uses = function.uses();
        if uses.others || function.return_type() != cx.module.context().i32() {
            return Err(PassError::in_function(function, "is to be called, and gives a uint"));
        }
        for call in uses.calls {
            call.replace_all_uses_with(call.ty().const_int(self.generation.into()));
            call.erase();
        }
        function.erase();
        Ok(Preserved::control_flow())
    }
}

/// At the end of `finalize`: what the build options say of sub-groups becomes a fact of the
/// kernels.
pub struct MarkSubGroups {
    pub size: u32,
}

impl Pass for MarkSubGroups {
    fn name(&self) -> &'static str {
        "mark-sub-groups"
    }

    fn options(&self) -> Options {
        Options::default().with_value("size", Some(self.size))
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        for kernel in entry_points(cx.module) {
            let required = metadata::reqd_sub_group_size(cx.module, kernel);
            if let Some(required) = required.filter(|required| *required != self.size) {
                let message = format!("it requires sub-groups of {required}, and they are of {}", self.size);
                return Err(PassError::in_function(kernel, message));
            }
            attributes::set_work_width(kernel, ir::Width::fixed(self.size));
        }
        Ok(Preserved::All)
    }
}

/// At the end of the late stage: functions that can be called from Rust.
#[derive(Clone, Copy)]
pub struct ExportKernels;

impl Pass for ExportKernels {
    fn name(&self) -> &'static str {
        "export-engine-kernels"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        for f in cx.module.functions().into_iter().filter(|f| !f.is_intrinsic()) {
            f.set_call_conv(CallConv::C);
            if attributes::is_kernel_entry_point(f) {
                f.set_linkage(Linkage::LLVMExternalLinkage);
            }
            for call in f.instructions().into_iter().filter(|i| i.opcode() == Some(Opcode::LLVMCall)) {
                if call.called_function().is_some_and(|callee| !callee.is_intrinsic()) {
                    call.set_call_conv(CallConv::C);
                }
            }
        }
        Ok(Preserved::control_flow())
    }
}

/// Notes whether a kernel needs the engine: a byte that is 1 then.
pub fn note_engine(_: &Module, kernel: Function) -> Vec<u8> {
    let copies = passes::reachable_functions(kernel).iter().any(|f| f.name() == calls::COPY);
    vec![copies.into()]
}
