//! Checks the invariants of the translation: every ID is defined before it is used, the
//! control-flow graph is well formed, and a definition dominates its uses.

use crate::Error;
use crate::grammar::Op;
use crate::module::{ExtSet, Func, Module};
use crate::parse::Inst;
use std::collections::{HashMap, HashSet};

/// For each function, the reachable blocks, each after its dominators. (SPIR-V requires that order,
/// but producers do not always keep it.)
pub(crate) type Orders = Vec<Vec<usize>>;

pub(crate) fn validate(m: &Module<'_>) -> Result<Orders, Error> {
    globals(m)?;
    for entry in &m.entry_points {
        if m.inst(entry.function).is_none_or(|f| f.op != Op::Function) {
            return Err(m.fail(entry.inst, format!("{} is not a function", m.show(entry.function))));
        }
    }
    let places = places(m);
    let check =
        |(number, function)| Checker { m, places: &places, function, number: number as u32 + 1 }.run();
    m.functions.iter().enumerate().map(check).collect()
}

/// Debug information may refer to anything.
pub(crate) fn is_debug(m: &Module<'_>, inst: &Inst<'_>) -> bool {
    inst.op == Op::ExtInst && m.ext_sets.get(&inst.args[0]).is_some_and(|s| *s != ExtSet::OpenClStd)
}

fn globals(m: &Module<'_>) -> Result<(), Error> {
    let mut forward = HashSet::new();
    for i in m.globals.clone() {
        let inst = &m.insts[i];
        match inst.op {
            Op::TypeForwardPointer => {
                forward.insert(inst.args[0]);
                continue;
            }
            // The function is defined later.
            Op::ConstantFunctionPointerINTEL => continue,
            Op::FunctionParameter | Op::FunctionEnd | Op::Label => {
                return Err(m.fail(i, "stands outside of a function"));
            }
            _ if is_debug(m, inst) => continue,
            _ => {}
        }
        let mut wrong = None;
        let mut check = |id: u32| {
            if m.def(id).is_none_or(|def| def >= i) && !forward.contains(&id) {
                wrong = wrong.or(Some(id));
            }
        };
        if inst.ty != 0 {
            check(inst.ty);
        }
        // A pointer may be declared before its pointee (`OpTypeForwardPointer`).
        if inst.op != Op::TypePointer || !forward.contains(&inst.id) {
            inst.for_each_id(&mut check);
        }
        if let Some(id) = wrong {
            return Err(undefined(m, i, id));
        }
    }
    Ok(())
}

fn undefined(m: &Module<'_>, inst: usize, id: u32) -> Error {
    let what = if m.def(id).is_some() { "is used before its definition" } else { "is not defined" };
    m.fail(inst, format!("{} {what}", m.show(id)))
}

/// For each ID: the function it is defined in (0 if in none) and the block.
fn places(m: &Module<'_>) -> Vec<(u32, u32)> {
    let mut places = vec![(0, 0); m.bound as usize];
    for (number, f) in m.functions.iter().enumerate() {
        let number = number as u32 + 1;
        for &param in &f.params {
            places[m.insts[param].id as usize] = (number, 0);
        }
        for (block, def) in f.blocks.iter().enumerate() {
            places[def.label as usize] = (number, block as u32);
            for inst in &m.insts[def.body.clone()] {
                if inst.id != 0 {
                    places[inst.id as usize] = (number, block as u32);
                }
            }
        }
    }
    places
}

/// The labels a terminator branches to, one entry for each edge.
pub(crate) fn targets(m: &Module<'_>, inst: &Inst<'_>) -> Result<Vec<u32>, String> {
    Ok(match inst.op {
        Op::Branch => vec![inst.args[0]],
        Op::BranchConditional => inst.args[1..3].to_vec(),
        Op::Switch => {
            let mut targets = vec![inst.args[1]];
            targets.extend(switch_cases(m, inst)?.into_iter().map(|(_, label)| label));
            targets
        }
        _ => Vec::new(),
    })
}

/// The literals and labels of a switch.
pub(crate) fn switch_cases(m: &Module<'_>, inst: &Inst<'_>) -> Result<Vec<(u64, u32)>, String> {
    let selector = m.inst(inst.args[0]).and_then(|s| m.inst(s.ty));
    let bits = selector.filter(|t| t.op == Op::TypeInt).and_then(|t| t.arg(0));
    let bits = bits.ok_or_else(|| format!("{} is not an integer", m.show(inst.args[0])))?;
    let words = if bits > 32 { 2 } else { 1 };
    let rest = &inst.args[2..];
    if bits > 64 || !rest.len().is_multiple_of(words + 1) {
        return Err("the cases are not pairs of a literal as wide as the selector and a label".to_owned());
    }
    let case = |pair: &[u32]| {
        let high = if words == 2 { u64::from(pair[1]) << 32 } else { 0 };
        let value = u64::from(pair[0]) | high;
        (value & (u64::MAX >> (64 - bits.clamp(1, 64))), pair[words])
    };
    Ok(rest.chunks_exact(words + 1).map(case).collect())
}

struct Checker<'c, 'm> {
    m: &'c Module<'m>,
    places: &'c [(u32, u32)],
    function: &'c Func,
    number: u32,
}

impl Checker<'_, '_> {
    fn run(&self) -> Result<Vec<usize>, Error> {
        let Func { start, params, blocks } = self.function;
        let mut header = vec![*start];
        header.extend(params);
        for i in header {
            self.uses(i, None, &mut |_, _| Ok(()))?;
        }
        if blocks.is_empty() {
            return Ok(Vec::new());
        }
        let successors = self.successors()?;
        let mut predecessors = vec![Vec::new(); blocks.len()];
        for (from, list) in successors.iter().enumerate() {
            for &to in list {
                // Multiple edges from one block are consecutive, and count once.
                if predecessors[to].last() != Some(&from) {
                    predecessors[to].push(from);
                }
            }
        }
        if !predecessors[0].is_empty() {
            let message = "the first block of a function is branched to";
            return Err(self.m.fail(self.label(0), message));
        }
        let order = reverse_post_order(&successors);
        let dominators = Dominators::new(&order, &predecessors);
        for (b, block) in blocks.iter().enumerate() {
            let mut phis = true;
            for i in block.body.clone() {
                let inst = &self.m.insts[i];
                match inst.op {
                    Op::Phi if !phis => return Err(self.m.fail(i, "stands after another instruction")),
                    Op::Phi => self.phi(i, &predecessors[b], &dominators)?,
                    Op::Line | Op::NoLine => {}
                    _ if is_debug(self.m, inst) => {}
                    Op::Variable if b != 0 => {
                        return Err(self.m.fail(i, "a variable stands in the first block of its function"));
                    }
                    op => {
                        // Khronos' translator of LLVM 15 writes merges twice, before PHIs. They
                        // have no effect.
                        phis &= is_merge(op);
                        self.uses(i, Some(b), &mut |id, def| {
                            if dominators.dominates(def, b) {
                                return Ok(());
                            }
                            Err(format!("the definition of {} does not dominate this use", self.m.show(id)))
                        })?;
                    }
                }
            }
        }
        Ok(order)
    }

    fn label(&self, block: usize) -> usize {
        self.function.blocks[block].body.start - 1
    }

    fn successors(&self) -> Result<Vec<Vec<usize>>, Error> {
        let mut successors = Vec::new();
        for block in &self.function.blocks {
            let last = block.body.end - 1;
            let inst = &self.m.insts[last];
            let labels = targets(self.m, inst).map_err(|e| self.m.fail(last, e))?;
            let merge = self.m.insts.get(last - 1).filter(|i| last > block.body.start && is_merge(i.op));
            let named = merge.map_or(&[][..], |i| &i.args[..if i.op == Op::LoopMerge { 2 } else { 1 }]);
            for label in labels.iter().chain(named) {
                let is_label = self.m.inst(*label).is_some_and(|i| i.op == Op::Label);
                if !is_label || self.places[*label as usize].0 != self.number {
                    let message = format!("{} is not a block of this function", self.m.show(*label));
                    return Err(self.m.fail(last, message));
                }
            }
            successors.push(labels.iter().map(|l| self.places[*l as usize].1 as usize).collect());
        }
        Ok(successors)
    }

    /// Checks that the operands of an instruction are defined before it and in no other function; a
    /// definition in a block of this function must also satisfy `of_local`.
    fn uses(
        &self,
        i: usize,
        block: Option<usize>,
        of_local: &mut impl FnMut(u32, usize) -> Result<(), String>,
    ) -> Result<(), Error> {
        let inst = &self.m.insts[i];
        let mut wrong = None;
        let mut check = |id: u32| {
            if wrong.is_some() {
                return;
            }
            let Some(def) = self.m.def(id) else {
                wrong = Some(undefined(self.m, i, id));
                return;
            };
            // Functions and blocks may come later.
            let op = self.m.insts[def].op;
            let (function, def_block) = self.places[id as usize];
            if op == Op::Function || op == Op::Label {
                return;
            }
            if function != 0 && function != self.number {
                wrong = Some(self.m.fail(i, format!("{} belongs to another function", self.m.show(id))));
            } else if def >= i && (function == 0 || block.is_none_or(|b| b == def_block as usize)) {
                wrong = Some(undefined(self.m, i, id));
            } else if function != 0
                && block.is_some()
                && op != Op::FunctionParameter
                && let Err(message) = of_local(id, def_block as usize)
            {
                wrong = Some(self.m.fail(i, message));
            }
        };
        if inst.ty != 0 {
            check(inst.ty);
        }
        inst.for_each_id(&mut check);
        wrong.map_or(Ok(()), Err)
    }

    fn phi(&self, i: usize, predecessors: &[usize], dominators: &Dominators) -> Result<(), Error> {
        let inst = &self.m.insts[i];
        let expected: HashSet<usize> = predecessors.iter().copied().collect();
        let mut seen: HashMap<usize, u32> = HashMap::new();
        let fail = |message: String| Err(self.m.fail(i, message));
        for pair in inst.args.chunks_exact(2) {
            let (value, parent) = (pair[0], pair[1]);
            let (function, block) = self.places[parent as usize];
            let block = block as usize;
            let is_label = self.m.inst(parent).is_some_and(|p| p.op == Op::Label);
            if !is_label || function != self.number || !expected.contains(&block) {
                return fail(format!("{} does not branch to this block", self.m.show(parent)));
            }
            // Producers name a block that several cases of a switch lead from once for each.
            if seen.insert(block, value).is_some_and(|other| other != value) {
                return fail(format!("{} is named twice, with different values", self.m.show(parent)));
            }
            let Some(def) = self.m.def(value) else { return Err(undefined(self.m, i, value)) };
            let (function, def_block) = self.places[value as usize];
            let is_param = self.m.insts[def].op == Op::FunctionParameter;
            if function != 0 && function != self.number {
                return fail(format!("{} belongs to another function", self.m.show(value)));
            }
            if function != 0 && !is_param && !dominators.dominates(def_block as usize, block) {
                return fail(format!("the definition of {} does not dominate this use", self.m.show(value)));
            }
        }
        if seen.len() != predecessors.len() {
            return fail(format!("has {} of the {} blocks that branch here", seen.len(), predecessors.len()));
        }
        Ok(())
    }
}

pub(crate) fn is_merge(op: Op) -> bool {
    matches!(op, Op::LoopMerge | Op::SelectionMerge)
}

/// The dominator tree, after Cooper, Harvey and Kennedy, with entry and exit numbers of a
/// depth-first walk for constant-time queries.
struct Dominators {
    /// The entry and exit number of each block; `None` if it is unreachable.
    spans: Vec<Option<(u32, u32)>>,
}

impl Dominators {
    fn new(order: &[usize], predecessors: &[Vec<usize>]) -> Self {
        let n = predecessors.len();
        let mut number = vec![usize::MAX; n];
        for (at, &block) in order.iter().enumerate() {
            number[block] = at;
        }
        let mut idom = vec![usize::MAX; n];
        idom[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &order[1..] {
                let mut new = usize::MAX;
                for &p in predecessors[block].iter().filter(|&&p| idom[p] != usize::MAX) {
                    if new == usize::MAX {
                        new = p;
                        continue;
                    }
                    let mut other = p;
                    while new != other {
                        while number[new] > number[other] {
                            new = idom[new];
                        }
                        while number[other] > number[new] {
                            other = idom[other];
                        }
                    }
                }
                if idom[block] != new {
                    idom[block] = new;
                    changed = true;
                }
            }
        }
        let mut children = vec![Vec::new(); n];
        for &block in &order[1..] {
            children[idom[block]].push(block);
        }
        let mut spans = vec![None; n];
        let mut time = 0;
        let mut stack = vec![(0, false)];
        while let Some((block, leaving)) = stack.pop() {
            time += 1;
            if leaving {
                if let Some((_, end)) = &mut spans[block] {
                    *end = time;
                }
                continue;
            }
            spans[block] = Some((time, 0));
            stack.push((block, true));
            stack.extend(children[block].iter().map(|&c| (c, false)));
        }
        Dominators { spans }
    }

    /// Every block dominates unreachable ones.
    fn dominates(&self, a: usize, b: usize) -> bool {
        match (self.spans[a], self.spans[b]) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some((begin_a, end_a)), Some((begin_b, end_b))) => begin_a <= begin_b && end_b <= end_a,
        }
    }
}

fn reverse_post_order(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; successors.len()];
    let mut stack = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, next)) = stack.last_mut() {
        match successors[*block].get(*next) {
            Some(&to) => {
                *next += 1;
                if !seen[to] {
                    seen[to] = true;
                    stack.push((to, 0));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}
