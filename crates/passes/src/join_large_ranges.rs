//! JoinLargeRanges: makes one kernel of the two versions that SplitLargeRanges made.
//!
//! ```text
//! define void @k.mux-barrier-wrapper() #entry
//! define void @k.large.mux-barrier-wrapper() #entry
//! ───►
//! define void @k.mux-range-wrapper() #entry {
//!   if all global IDs are small: call void @k.mux-barrier-wrapper()
//!   else:                        call void @k.large.mux-barrier-wrapper()
//! }
//! ```
//!
//! If the first version was not vectorized, it is correct for all ranges, and the second one is
//! dropped. Needs WorkItemLoops, after which kernels run once per work-group; runs before local
//! variables are replaced, which both versions share.

use crate::wrap::{self, KernelWrapper};
use crate::{Pass, PassContext, PassError};
use analysis::Preserved;
use ir::attributes::{self, SMALL_RANGE_END};
use ir::{Builtin, Width, metadata};
use llvm::{Builder, Function, IntPredicate, Module, Value};

#[derive(Clone, Copy, Debug, Default)]
pub struct JoinLargeRanges;

impl Pass for JoinLargeRanges {
    fn name(&self) -> &'static str {
        "join-large-ranges"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let kernels = wrap::entry_points(cx.module);
        let is_large = |f: &Function| attributes::is_for_large_range(*f);
        let mut joined = false;
        for large in kernels.iter().copied().filter(is_large) {
            let name = attributes::orig_fn_name(large);
            let small = kernels.iter().find(|f| !is_large(f) && attributes::orig_fn_name(**f) == name);
            // With SplitLargeRanges' option `all`, there is no version for small ranges.
            let Some(small) = small.copied() else { continue };
            joined = true;
            attributes::drop_is_kernel(large);
            if attributes::work_width(small) == Width::ONE {
                large.set_internal();
            } else {
                join(cx.module, small, large);
            }
        }
        Ok(if joined { Preserved::None } else { Preserved::All })
    }
}

fn join(module: &Module, small: Function, large: Function) {
    let dims = metadata::max_work_dim(module, small);
    let (one, other) = (attributes::live_mem_usage(small), attributes::live_mem_usage(large));
    let wrapper = KernelWrapper::with_same_params(module, small, ".mux-range-wrapper");
    wrap::demote(large);
    // Only one version runs: the live memory is the larger of the two.
    attributes::set_live_mem_usage(wrapper.function, one.larger(other));

    let block = |name: &str| wrapper.function.append_block(name);
    let (entry, is_small, is_large, exit) = (block("entry"), block("small"), block("large"), block("exit"));
    let b = Builder::at_end(module.context(), entry);
    b.cond_br(all_ids_are_small(module, &b, dims), is_small, is_large);
    for (at, kernel) in [(is_small, small), (is_large, large)] {
        b.position_at_end(at);
        b.call(kernel, &wrapper.params(), "");
        b.br(exit);
    }
    b.position_at_end(exit);
    b.ret_void();
    wrapper.function.fill_debug_locations();
}

/// Whether offset and size are both small enough in each dimension that their sum is; adding them
/// might overflow.
fn all_ids_are_small(module: &Module, b: &Builder, dims: u32) -> Value {
    let end = module.size_type().const_int(SMALL_RANGE_END);
    let query = |builtin: Builtin, d: u32| b.call(builtin.declare(module), &[b.i32(d)], "");
    let at_most = |a: Value, b_: Value| b.icmp(IntPredicate::LLVMIntULE, a, b_, "");
    let is_small = |d: u32| {
        let size = query(Builtin::GetGlobalSize, d);
        let room = b.sub(end, size, "room");
        b.and(at_most(size, end), at_most(query(Builtin::GetGlobalOffset, d), room), "")
    };
    (1..dims).fold(is_small(0), |all, d| b.and(all, is_small(d), ""))
}
