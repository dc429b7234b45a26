//! Dominators and post-dominators, after Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
//! Algorithm" (2001).

use crate::{Analyses, Cfg, FunctionAnalysis};
use llvm::{Block, Function, Module, Value};
use std::rc::Rc;

/// Which blocks lie on every path from the entry to a block.
pub struct Dominators {
    cfg: Rc<Cfg>,
    /// By block number; the entry's is itself.
    idom: Vec<usize>,
}

/// Which blocks lie on every path from a block to an exit.
pub struct PostDominators {
    cfg: Rc<Cfg>,
    /// By block number; `None` if no single block is the immediate post-dominator.
    ipdom: Vec<Option<usize>>,
}

/// Immediate dominators of a graph whose nodes are numbered in reverse post-order from the root, 0.
/// Every node but the root has a predecessor.
fn immediate_dominators(preds: &[Vec<usize>]) -> Vec<usize> {
    const UNKNOWN: usize = usize::MAX;
    let mut idom = vec![UNKNOWN; preds.len()];
    idom[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for node in 1..preds.len() {
            let mut new = UNKNOWN;
            for &pred in preds[node].iter().filter(|&&p| idom[p] != UNKNOWN) {
                new = if new == UNKNOWN { pred } else { intersect(&idom, new, pred) };
            }
            if idom[node] != new {
                idom[node] = new;
                changed = true;
            }
        }
    }
    idom
}

/// The nearest common dominator: both fingers climb until they meet.
fn intersect(idom: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while a > b {
            a = idom[a];
        }
        while b > a {
            b = idom[b];
        }
    }
    a
}

impl Dominators {
    pub fn of(cfg: Rc<Cfg>) -> Self {
        let idom = immediate_dominators(&cfg.preds);
        Dominators { cfg, idom }
    }

    pub fn cfg(&self) -> &Cfg {
        &self.cfg
    }

    /// The immediate dominator; `None` for the entry and for unreachable blocks.
    pub fn immediate(&self, block: Block) -> Option<Block> {
        let number = self.cfg.number(block).filter(|n| *n > 0)?;
        Some(self.cfg.blocks[self.idom[number]])
    }

    /// Whether `a` dominates `b`; a block dominates itself. Unreachable blocks dominate nothing.
    pub fn block_dominates(&self, a: Block, b: Block) -> bool {
        let (Some(a), Some(mut b)) = (self.cfg.number(a), self.cfg.number(b)) else { return false };
        while b > a {
            b = self.idom[b];
        }
        a == b
    }

    /// Whether the instruction `def` dominates the operand `index` of `user`. A PHI reads its
    /// operand at the end of the incoming block.
    pub fn dominates_use(&self, def: Value, user: Value, index: u32) -> bool {
        let (Some(def_block), Some(user_block)) = (def.block(), user.block()) else { return false };
        if user.is_phi() {
            let (_, from) = user.incoming()[index as usize];
            return self.block_dominates(def_block, from);
        }
        if def_block != user_block {
            return self.block_dominates(def_block, user_block);
        }
        let mut at = def.next();
        while let Some(instruction) = at {
            if instruction == user {
                return self.cfg.number(def_block).is_some();
            }
            at = instruction.next();
        }
        false
    }
}

impl FunctionAnalysis for Dominators {
    fn compute(module: &Module, function: Function, analyses: &mut Analyses) -> Self {
        Dominators::of(analyses.get::<Cfg>(module, function))
    }
}

impl PostDominators {
    pub fn of(cfg: Rc<Cfg>) -> Self {
        // The reversed graph has a virtual root before all exits, number 0; the blocks are numbered
        // by a depth-first walk from there. Blocks in endless loops, which reach no exit, have no
        // number.
        let exits = (0..cfg.blocks.len()).filter(|&b| cfg.succs[b].is_empty());
        let mut post_order = Vec::new();
        let mut seen = vec![false; cfg.blocks.len()];
        for exit in exits.clone() {
            let mut stack = vec![(exit, 0)];
            seen[exit] = true;
            while let Some((block, next)) = stack.last_mut() {
                if let Some(&pred) = cfg.preds[*block].get(*next) {
                    *next += 1;
                    if !std::mem::replace(&mut seen[pred], true) {
                        stack.push((pred, 0));
                    }
                } else {
                    post_order.push(*block);
                    stack.pop();
                }
            }
        }
        let mut order = vec![usize::MAX; cfg.blocks.len()];
        for (i, &block) in post_order.iter().rev().enumerate() {
            order[block] = i + 1;
        }
        let mut preds = vec![Vec::new(); post_order.len() + 1];
        for (block, &number) in order.iter().enumerate().filter(|(_, n)| **n != usize::MAX) {
            preds[number].extend(cfg.succs[block].iter().map(|&s| order[s]).filter(|&n| n != usize::MAX));
            if cfg.succs[block].is_empty() {
                preds[number].push(0);
            }
        }
        let idom = immediate_dominators(&preds);
        let by_number: Vec<usize> = post_order.iter().rev().copied().collect();
        let ipdom = order
            .iter()
            .map(|&n| if n == usize::MAX || idom[n] == 0 { None } else { Some(by_number[idom[n] - 1]) })
            .collect();
        PostDominators { cfg, ipdom }
    }

    pub fn cfg(&self) -> &Cfg {
        &self.cfg
    }

    /// The number of the immediate post-dominator of block number `block`.
    pub fn immediate(&self, block: usize) -> Option<usize> {
        self.ipdom[block]
    }
}

impl FunctionAnalysis for PostDominators {
    fn compute(module: &Module, function: Function, analyses: &mut Analyses) -> Self {
        PostDominators::of(analyses.get::<Cfg>(module, function))
    }
}
