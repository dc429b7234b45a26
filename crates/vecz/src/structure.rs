//! The structured control flow of a prepared kernel: triangles and loops, and nothing else.
//!
//! A conditional branch is a loop's latch (one successor is the loop's header, the other its only
//! exit), or it opens a triangle: one successor is the *join*, the immediate post-dominator, and
//! the other, *then*, has no other predecessor.

use crate::Stopped;
use analysis::{Analyses, Cfg, Dominators, Loops, PostDominators};
use llvm::{Block, Function, Module, Value};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The role of a conditional branch.
#[derive(Clone, Copy, Debug)]
pub enum Branch {
    /// Runs the blocks from `then` to before `join`, if the condition is `when`.
    Triangle { then: Block, join: Block, when: bool },
    /// Goes back to the header if the condition is `when`, and leaves the loop otherwise.
    Latch { header: Block, exit: Block, when: bool },
}

/// A loop that is entered from the preheader and left from the latch only.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    pub preheader: Block,
    pub latch: Block,
}

/// How a block is reached.
#[derive(Clone, Copy, Debug)]
pub enum Role {
    Entry,
    Header,
    /// The `then` block of the triangle that this block opens.
    Then(Block),
    /// The exit of the loop with this header.
    Exit(Block),
    /// Post-dominates this block, its immediate dominator: the active lanes are the same.
    Follows(Block),
}

pub struct Structure {
    /// The blocks in reverse post-order.
    pub order: Vec<Block>,
    pub branches: HashMap<Block, Branch>,
    /// The loops, by header.
    pub loops: HashMap<Block, Loop>,
    pub roles: HashMap<Block, Role>,
    /// The blocks of each loop, by header.
    bodies: HashMap<Block, HashSet<Block>>,
    pub cfg: Rc<Cfg>,
}

impl Structure {
    pub fn of(module: &Module, function: Function) -> Result<Structure, Stopped> {
        let mut analyses = Analyses::default();
        let cfg = analyses.get::<Cfg>(module, function);
        let dominators = analyses.get::<Dominators>(module, function);
        let post = analyses.get::<PostDominators>(module, function);
        let loops = analyses.get::<Loops>(module, function);
        let mut found = Structure {
            order: cfg.blocks.clone(),
            branches: HashMap::new(),
            loops: HashMap::new(),
            roles: HashMap::new(),
            bodies: loops.iter().map(|l| (l.header, l.blocks.clone())).collect(),
            cfg: cfg.clone(),
        };
        for (number, &block) in cfg.blocks.iter().enumerate() {
            let Some(end) = block.terminator() else { return Err(Stopped::new("a block has no end")) };
            let successors = end.successors();
            let back = successors.iter().position(|s| dominators.block_dominates(*s, block));
            match (successors.as_slice(), back) {
                ([], _) | ([_], None) => {}
                ([a, b], None) => {
                    let join = post.immediate(number).map(|n| cfg.blocks[n]);
                    let (then, join, when) = match join {
                        Some(join) if join == *b && a != b => (*a, join, true),
                        Some(join) if join == *a && a != b => (*b, join, false),
                        _ => return Err(irregular(end)),
                    };
                    if then.predecessors().len() != 1 || join.predecessors().len() != 2 {
                        return Err(irregular(end));
                    }
                    found.branches.insert(block, Branch::Triangle { then, join, when });
                    found.roles.insert(then, Role::Then(block));
                }
                ([a, b], Some(back)) if a != b => {
                    let (header, exit) = if back == 0 { (*a, *b) } else { (*b, *a) };
                    let outside: Vec<_> = header.predecessors().into_iter().filter(|p| *p != block).collect();
                    let [preheader] = outside[..] else { return Err(irregular(end)) };
                    if exit.predecessors().len() != 1 || found.loops.contains_key(&header) {
                        return Err(irregular(end));
                    }
                    found.branches.insert(block, Branch::Latch { header, exit, when: back == 0 });
                    found.loops.insert(header, Loop { preheader, latch: block });
                    found.roles.insert(header, Role::Header);
                    found.roles.insert(exit, Role::Exit(header));
                }
                _ => return Err(irregular(end)),
            }
        }
        for &block in &cfg.blocks[1..] {
            let idom = dominators.immediate(block).expect("only the entry has no dominator");
            found.roles.entry(block).or_insert(Role::Follows(idom));
        }
        found.roles.insert(function.entry(), Role::Entry);
        Ok(found)
    }

    /// The blocks that a branch may skip.
    pub fn conditional_blocks(&self) -> HashSet<Block> {
        let mut found = HashSet::new();
        for branch in self.branches.values() {
            if let Branch::Triangle { then, join, .. } = *branch {
                found.extend(reached_before(then, join));
            }
        }
        found
    }

    pub fn is_in_loop(&self, block: Block) -> bool {
        self.bodies.values().any(|blocks| blocks.contains(&block))
    }

    /// The blocks of the loop with this header.
    pub fn blocks_of_loop(&self, header: Block) -> &HashSet<Block> {
        &self.bodies[&header]
    }
}

/// The blocks of a triangle.
pub fn reached_before(then: Block, join: Block) -> HashSet<Block> {
    let mut found = HashSet::new();
    let mut stack = vec![then];
    while let Some(block) = stack.pop() {
        if block != join && found.insert(block) {
            stack.extend(block.successors());
        }
    }
    found
}

fn irregular(branch: Value) -> Stopped {
    Stopped::at(branch, "control flow that is neither a triangle nor a loop")
}
