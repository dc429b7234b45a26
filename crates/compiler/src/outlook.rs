//! What can be told before its first launch of the code that a kernel will want.

use crate::{Kernel, NdRange};
use ir::attributes::LONG_COLUMN;
use ir::{Builtin, metadata};
use llvm::{Context, Function, Module};

/// The launches that a kernel is made for, as its code tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// A range like that of the launches: from 0, with small IDs, of as many dimensions as the
    /// kernel asks for.
    pub range: NdRange,
    /// Whether the kernel cannot tell how its range is cut into work-groups, so that code for this
    /// range is good for all local sizes. Otherwise the local size is the one that it requires.
    pub ignores_groups: bool,
}

impl Kernel {
    /// The launches to expect. `None` if the code depends on more than the kernel tells: the local
    /// size of a kernel that sees its work-groups and requires no size, formats of images.
    pub fn outlook(&self) -> Option<Outlook> {
        let read = || self.read_outlook();
        llvm::recover(read).ok().flatten()
    }

    fn read_outlook(&self) -> Option<Outlook> {
        let backend = self.target().compiler_info().backend();
        if self.info().args.iter().any(|arg| arg.image.is_some() || arg.kind == crate::ArgKind::Sampler) {
            return None;
        }
        let context = Context::new();
        let module = Module::parse_bitcode_for(&context, self.program(), Some(self.name())).ok()?;
        let kernel = module.function(self.name())?;
        let ignores_groups = backend.ignores_groups() && !passes::sees_groups(&module, kernel);
        let required = metadata::reqd_work_group_size(&module, kernel).map(|size| size.map(|n| n as usize));
        if !ignores_groups && required.is_none() {
            return None;
        }
        let local_size = required.unwrap_or([1; 3]);
        let sizes = local_size.iter().rposition(|n| *n > 1).map_or(1, |last| last + 1);
        let work_dim = dimensions(kernel)?.max(sizes as u32);
        let mut global_size = local_size;
        let used = &mut global_size[..work_dim as usize];
        used.iter_mut().for_each(|n| *n = n.saturating_mul(LONG_COLUMN));
        let range = NdRange { work_dim, global_size, global_offset: [0; 3], local_size };
        Some(Outlook { range, ignores_groups })
    }
}

/// The number of dimensions whose IDs or sizes a kernel asks for, at least one. `None` if one is
/// not a constant, or the kernel asks for the number.
fn dimensions(kernel: Function) -> Option<u32> {
    let mut most = 1;
    let functions = passes::reachable_functions(kernel).into_iter().filter(|f| !f.is_declaration());
    for call in functions.flat_map(Function::instructions) {
        match Builtin::called_by(call) {
            Some(Builtin::GetWorkDim) => return None,
            Some(builtin) if builtin.takes_dimension() => {
                let dimension = call.operand(0).as_const_int().filter(|n| *n < 3)?;
                most = most.max(dimension as u32 + 1);
            }
            _ => {}
        }
    }
    Some(most)
}
