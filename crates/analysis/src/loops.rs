//! The loops of a function.
//!
//! A loop is the cycle of one back edge from a *latch* to a *header*: the blocks on paths from the
//! header to the latch. It is natural if the header dominates the latch; an irreducible cycle,
//! which has several entries, is a loop, too, but not natural. Two back edges to one header are two
//! loops.

use crate::{Analyses, Cfg, Dominators, FunctionAnalysis};
use llvm::{Block, Function, Module};
use std::collections::HashSet;

/// The loop of one back edge.
pub struct Loop {
    pub header: Block,
    pub latch: Block,
    /// All blocks of the loop, with the header and the latch.
    pub blocks: HashSet<Block>,
    /// The header dominates the latch.
    pub is_natural: bool,
}

impl Loop {
    pub fn contains(&self, block: Block) -> bool {
        self.blocks.contains(&block)
    }

    /// Whether a block of the loop has a successor outside of it.
    pub fn is_exiting(&self, block: Block) -> bool {
        block.successors().into_iter().any(|s| !self.contains(s))
    }
}

/// All loops, in reverse post-order of their latches.
pub struct Loops(Vec<Loop>);

impl Loops {
    pub fn of(dominators: &Dominators) -> Self {
        let cfg = dominators.cfg();
        let mut loops = Vec::new();
        for latch in 0..cfg.blocks.len() {
            // In reverse post-order every cycle has a back edge: one that does not lead forward.
            for &header in cfg.succs[latch].iter().filter(|&&header| header <= latch) {
                let [header_block, latch_block] = [header, latch].map(|n| cfg.blocks[n]);
                loops.push(Loop {
                    header: header_block,
                    latch: latch_block,
                    blocks: cycle(cfg, latch, header),
                    is_natural: dominators.block_dominates(header_block, latch_block),
                });
            }
        }
        Loops(loops)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Loop> {
        self.0.iter()
    }
}

impl FunctionAnalysis for Loops {
    fn compute(module: &Module, function: Function, analyses: &mut Analyses) -> Self {
        Loops::of(&analyses.get::<Dominators>(module, function))
    }
}

/// The blocks from which the latch is reachable without passing the header, as far as they are
/// reachable from the header. In a natural loop, all of them are.
fn cycle(cfg: &Cfg, latch: usize, header: usize) -> HashSet<Block> {
    let up = |block: usize| if block == header { &[][..] } else { &cfg.preds[block][..] };
    let before = reachable(latch, up);
    let after = reachable(header, |block| &cfg.succs[block][..]);
    before.intersection(&after).map(|&n| cfg.blocks[n]).collect()
}

/// The blocks that are reachable from `start` by `next`, including `start`.
fn reachable<'a>(start: usize, next: impl Fn(usize) -> &'a [usize]) -> HashSet<usize> {
    let mut found = HashSet::from([start]);
    let mut stack = vec![start];
    while let Some(block) = stack.pop() {
        stack.extend(next(block).iter().copied().filter(|n| found.insert(*n)));
    }
    found
}
