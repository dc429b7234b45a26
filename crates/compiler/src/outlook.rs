//! What can be told before its first launch of the code that a kernel will want.

use crate::{KernelInfo, NdRange};
use ir::Builtin;
use ir::attributes::LONG_COLUMN;
use llvm::{Function, Module};

/// The launches that a kernel is made for, as its code tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// As many dimensions as the kernel asks for, at least one. `None` if it does not tell.
    pub work_dim: Option<u32>,
    /// The local size that the kernel requires, or hints at.
    pub local_size: Option<[usize; 3]>,
    /// Whether the kernel cannot tell how its range is cut into work-groups, so that its code is
    /// good for all local sizes.
    pub ignores_groups: bool,
}

impl Outlook {
    /// What a kernel in canonical form tells.
    pub(crate) fn of(module: &Module, kernel: Function, info: &KernelInfo) -> Outlook {
        let local_size = info.reqd_work_group_size.or(info.work_group_size_hint);
        let sizes = local_size.and_then(|size| size.iter().rposition(|n| *n > 1)).map_or(1, |last| last + 1);
        let work_dim = dimensions(kernel).map(|dims| dims.max(sizes as u32));
        Outlook { work_dim, local_size, ignores_groups: !passes::sees_groups(module, kernel) }
    }

    /// A range like that of the launches: from 0, with small IDs, of some work-groups.
    pub fn range(&self, local_size: [usize; 3]) -> Option<NdRange> {
        let work_dim = self.work_dim?;
        let mut global_size = local_size;
        let used = &mut global_size[..work_dim as usize];
        used.iter_mut().for_each(|n| *n = n.saturating_mul(LONG_COLUMN));
        Some(NdRange { work_dim, global_size, global_offset: [0; 3], local_size })
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
