//! The control-flow graph with numbered blocks.

use crate::{Analyses, FunctionAnalysis};
use llvm::{Block, Function, Module};
use std::collections::HashMap;

/// The reachable blocks in reverse post-order: each before its successors, except along back edges.
/// The entry is number 0.
pub struct Cfg {
    pub blocks: Vec<Block>,
    number: HashMap<Block, usize>,
    pub succs: Vec<Vec<usize>>,
    pub preds: Vec<Vec<usize>>,
}

impl Cfg {
    pub fn of(function: Function) -> Self {
        Self::from(function.entry())
    }

    /// The graph of the blocks that are reachable from `start`.
    pub fn from(start: Block) -> Self {
        let mut post_order = Vec::new();
        let mut seen = HashMap::from([(start, ())]);
        let mut stack = vec![(start, start.successors())];
        while let Some((block, left)) = stack.last_mut() {
            // Visits the last successor first, so that the reversed order follows the source.
            match left.pop() {
                Some(next) => {
                    if seen.insert(next, ()).is_none() {
                        stack.push((next, next.successors()));
                    }
                }
                None => {
                    post_order.push(*block);
                    stack.pop();
                }
            }
        }
        let blocks: Vec<Block> = post_order.into_iter().rev().collect();
        let number: HashMap<Block, usize> = blocks.iter().enumerate().map(|(i, &b)| (b, i)).collect();
        let mut succs = vec![Vec::new(); blocks.len()];
        let mut preds = vec![Vec::new(); blocks.len()];
        for (i, block) in blocks.iter().enumerate() {
            for next in block.successors() {
                let n = number[&next];
                if !succs[i].contains(&n) {
                    succs[i].push(n);
                    preds[n].push(i);
                }
            }
        }
        Cfg { blocks, number, succs, preds }
    }

    /// The number of a block; `None` if it is unreachable.
    pub fn number(&self, block: Block) -> Option<usize> {
        self.number.get(&block).copied()
    }
}

impl FunctionAnalysis for Cfg {
    fn compute(_: &Module, function: Function, _: &mut Analyses) -> Self {
        Cfg::of(function)
    }
}
