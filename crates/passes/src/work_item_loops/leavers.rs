//! Leavers: work-items that return while others of their group go on to a barrier.
//!
//! ```text
//! if (id >= n) return;
//! A
//! barrier();
//! B
//! ───►
//! region.0:  for each work-item: its next = region.0(…)
//! region.1:  for each work-item whose next is not RETURN: its next = region.1(…)
//! ```
//!
//! OpenCL does not say what becomes of that barrier. On GPUs it waits for the work-items that are
//! still there, which programs rely on, and so it is here. Each work-item keeps the number of its
//! next region, and those that are still there say which region comes next. The same holds for a
//! vector of work-items, which leaves when all of its lanes have left: until then, the mask of the
//! others is live across barriers.

use super::regions::{RETURN, Region, Regions};
use analysis::{Cfg, PostDominators, Uniformity};
use std::rc::Rc;

/// Whether some work-items may return from a region that others leave by a barrier.
pub fn may_leave(regions: &Regions, uniformity: &Uniformity) -> bool {
    let ends_both_ways = |region: &&Region| region.nexts.contains(&RETURN) && region.nexts.len() > 1;
    regions.functions.iter().filter(ends_both_ways).any(|region| may_part(regions, region, uniformity))
}

/// Whether work-items may leave a region by different ends: there is a divergent branch whose sides
/// do not join in the region.
fn may_part(regions: &Regions, region: &Region, uniformity: &Uniformity) -> bool {
    let post_dominators = PostDominators::of(Rc::new(Cfg::of(region.function)));
    let divergent = regions.kernel.blocks().into_iter().filter(|block| {
        let end = block.terminator().filter(|end| end.successors().len() > 1);
        end.is_some_and(|end| !uniformity.is_uniform(end.operand(0)))
    });
    let copies = divergent.filter_map(|block| region.map[&block.as_value()].as_block());
    let mut numbers = copies.filter_map(|block| post_dominators.cfg().number(block));
    numbers.any(|number| post_dominators.immediate(number).is_none())
}
