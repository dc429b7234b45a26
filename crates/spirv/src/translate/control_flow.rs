//! Branches, PHIs, returns and loop controls.

use super::{Res, Translator};
use crate::grammar::{Op, loop_control};
use crate::module::Func;
use crate::parse::Inst;
use crate::validate::{switch_cases, targets};
use llvm::{Block, Metadata, Value};
use std::collections::{HashMap, HashSet};

impl<'m> Translator<'_, 'm> {
    fn block(&self, label: u32) -> Res<Block> {
        self.blocks.get(&label).copied().ok_or_else(|| format!("{} is not a block", self.m.show(label)))
    }

    pub(super) fn control_flow(&mut self, inst: &Inst<'m>) -> Res<Option<Value>> {
        match inst.op {
            Op::Phi => return Ok(Some(self.b.phi(self.result_type(inst)?, ""))),
            Op::Branch => {
                self.b.br(self.block(inst.args[0])?);
            }
            Op::BranchConditional => {
                let condition = self.value_of(inst.args[0], self.context.i1())?;
                let branch = self.b.cond_br(condition, self.block(inst.args[1])?, self.block(inst.args[2])?);
                if let &[yes, no] = &inst.args[3..] {
                    let weight = |w| self.context.metadata_value(self.b.i32(w));
                    let kind = self.context.metadata_string("branch_weights");
                    let node = self.context.metadata_node(&[kind, weight(yes), weight(no)]);
                    branch.set_metadata(self.context.metadata_kind("prof"), node);
                } else if inst.args.len() != 3 {
                    return Err("has one branch weight".to_owned());
                }
            }
            Op::Switch => {
                let selector = self.scalar_int(inst.args[0])?;
                let mut cases = HashMap::new();
                for (literal, label) in switch_cases(self.m, inst)? {
                    if cases.insert(literal, label).is_some() {
                        return Err(format!("the case {literal} stands twice"));
                    }
                }
                let case = |(literal, label)| Ok((selector.ty().const_int(literal), self.block(label)?));
                let cases = switch_cases(self.m, inst)?.into_iter().map(case).collect::<Res<Vec<_>>>()?;
                self.b.switch(selector, self.block(inst.args[1])?, &cases);
            }
            Op::Return => {
                if !self.return_type()?.is_void() {
                    return Err("the function returns a value".to_owned());
                }
                self.b.ret_void();
            }
            Op::ReturnValue => {
                let ty = self.return_type()?;
                let value = self.value_of(inst.args[0], ty)?;
                self.b.ret(value);
            }
            _ => self.unreachable(),
        }
        Ok(None)
    }

    /// The end of a block that is never reached, says the module. Where something happens before
    /// it, such as a call that reports an index out of bounds, it ends the work-item: front ends
    /// whose exceptions do not return write it so. A block of nothing else is a promise, which
    /// LLVM uses.
    fn unreachable(&self) {
        let block = self.b.block().expect("the builder is in a block");
        if block.first_non_phi().is_some() || block == block.function().entry() {
            self.b.call(self.out.intrinsic("llvm.trap", &[]), &[], "");
        }
        self.b.unreachable();
    }

    fn return_type(&self) -> Res<llvm::Type> {
        let block = self.b.block().ok_or("stands outside of a block")?;
        Ok(block.function().return_type())
    }

    /// Gives the PHIs their values, when all are known.
    pub(super) fn fill_phis(&mut self, function: &Func, order: &[usize]) -> Result<(), crate::Error> {
        // LLVM wants one entry per edge: a switch may have several to one block.
        let mut edges: HashMap<(u32, u32), usize> = HashMap::new();
        for block in order.iter().map(|&n| &function.blocks[n]) {
            let last = &self.m.insts[block.body.end - 1];
            for target in targets(self.m, last).unwrap_or_default() {
                *edges.entry((block.label, target)).or_default() += 1;
            }
        }
        for block in order.iter().map(|&n| &function.blocks[n]) {
            for i in block.body.clone() {
                let inst = &self.m.insts[i];
                if inst.op != Op::Phi {
                    continue;
                }
                let fill = || -> Res<()> {
                    let phi = self.value(inst.id)?;
                    let mut named = HashSet::new();
                    for pair in inst.args.chunks_exact(2).filter(|pair| named.insert(pair[1])) {
                        let Some(&count) = edges.get(&(pair[1], block.label)) else { continue };
                        let value = self.value_of(pair[0], phi.ty())?;
                        let from = self.block(pair[1])?;
                        for _ in 0..count {
                            phi.add_incoming(value, from);
                        }
                    }
                    Ok(())
                };
                fill().map_err(|message| self.m.fail(i, message))?;
            }
        }
        Ok(())
    }

    /// Turns loop controls into metadata on the latches' branches.
    pub(super) fn loop_controls(&mut self, function: &Func) {
        // The predecessors of each block; computed for the first loop with controls.
        let mut latches: Option<HashMap<u32, Vec<(usize, u32)>>> = None;
        for (n, block) in function.blocks.iter().enumerate() {
            for i in block.body.clone() {
                let inst = &self.m.insts[i];
                let (mask, operands) = match (inst.op, inst.args) {
                    (Op::LoopMerge, [_, _, mask, operands @ ..]) => (*mask, operands),
                    (Op::LoopControlINTEL, [mask, operands @ ..]) => (*mask, operands),
                    _ => continue,
                };
                let hints = self.loop_hints(mask, operands);
                if hints.is_empty() {
                    continue;
                }
                let node = self.context.metadata_self_node(&hints);
                let kind = self.context.metadata_kind("llvm.loop");
                let closes = |label: u32| {
                    let terminator = self.blocks.get(&label).and_then(|b| b.terminator());
                    if let Some(branch) = terminator {
                        branch.set_metadata(kind, node);
                    }
                };
                if inst.op == Op::LoopControlINTEL {
                    closes(block.label);
                    continue;
                }
                let latches = latches.get_or_insert_with(|| {
                    let mut found: HashMap<u32, Vec<(usize, u32)>> = HashMap::new();
                    for (at, latch) in function.blocks.iter().enumerate() {
                        let last = &self.m.insts[latch.body.end - 1];
                        for target in targets(self.m, last).unwrap_or_default() {
                            found.entry(target).or_default().push((at, latch.label));
                        }
                    }
                    found
                });
                for (_, label) in latches.get(&block.label).into_iter().flatten().filter(|(at, _)| *at >= n) {
                    closes(*label);
                }
            }
        }
    }

    fn loop_hints(&self, mask: u32, operands: &[u32]) -> Vec<Metadata> {
        let text = |name: &str| self.context.metadata_string(name);
        let mut hints = Vec::new();
        if mask & loop_control::UNROLL != 0 {
            hints.push(self.context.metadata_node(&[text("llvm.loop.unroll.enable")]));
        }
        if mask & loop_control::DONT_UNROLL != 0 {
            hints.push(self.context.metadata_node(&[text("llvm.loop.unroll.disable")]));
        }
        if mask & loop_control::PARTIAL_COUNT != 0 {
            // Operands stand in the order of their bits: these, up to PeelCount, come before.
            let earlier = loop_control::PARTIAL_COUNT - loop_control::DEPENDENCY_LENGTH;
            let before = (mask & earlier).count_ones() as usize;
            if let Some(&count) = operands.get(before).filter(|count| **count > 0) {
                let count = self.context.metadata_value(self.b.i32(count));
                hints.push(self.context.metadata_node(&[text("llvm.loop.unroll.count"), count]));
            }
        }
        hints
    }
}
