//! Liveness: which instructions' results are used later.

use crate::{Analyses, Cfg, FunctionAnalysis};
use llvm::{Block, Function, Module, Value};
use std::collections::{HashMap, HashSet};

/// The values that are live into and out of each reachable block. A PHI reads its operands at the
/// end of the incoming blocks, and is defined at the start of its own.
pub struct Liveness {
    live_in: HashMap<Block, HashSet<Value>>,
    live_out: HashMap<Block, HashSet<Value>>,
}

impl Liveness {
    pub fn of(cfg: &Cfg) -> Self {
        let mut live = Liveness { live_in: HashMap::new(), live_out: HashMap::new() };
        loop {
            let mut changed = false;
            for &block in cfg.blocks.iter().rev() {
                let mut now = live.out_of_successors(block);
                live.live_out.insert(block, now.clone());
                for i in block.instructions().into_iter().rev() {
                    live_before(i, &mut now);
                }
                changed |= live.live_in.get(&block) != Some(&now);
                live.live_in.insert(block, now);
            }
            if !changed {
                return live;
            }
        }
    }

    fn out_of_successors(&self, block: Block) -> HashSet<Value> {
        let mut out = HashSet::new();
        for successor in block.successors() {
            out.extend(self.live_in.get(&successor).into_iter().flatten().copied());
            for phi in successor.phis() {
                let from_here = phi.incoming().into_iter().filter(|(_, from)| *from == block);
                out.extend(from_here.map(|(v, _)| v).filter(|v| v.is_instruction()));
            }
        }
        out
    }

    /// The values that are live at the start of a block, after its PHIs' operands were read.
    pub fn live_in(&self, block: Block) -> impl Iterator<Item = Value> {
        self.live_in.get(&block).into_iter().flatten().copied()
    }

    /// The values that are live at the end of a block.
    pub fn live_out(&self, block: Block) -> impl Iterator<Item = Value> {
        self.live_out.get(&block).into_iter().flatten().copied()
    }
}

/// Turns the values that are live after an instruction into those that are live before it.
pub fn live_before(i: Value, live: &mut HashSet<Value>) {
    live.remove(&i);
    if !i.is_phi() {
        live.extend(i.operands().filter(|op| op.is_instruction()));
    }
}

impl FunctionAnalysis for Liveness {
    fn compute(module: &Module, function: Function, analyses: &mut Analyses) -> Self {
        Liveness::of(&analyses.get::<Cfg>(module, function))
    }
}
