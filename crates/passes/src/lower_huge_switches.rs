//! LowerHugeSwitches: looks up what hundreds of cases only choose between.
//!
//! ```text
//!   switch i32 %x, label %other [ i32 0, label %c0  i32 7, label %c1 … ]
//! c0:
//!   br label %end
//! end:
//!   %r = phi i32 [ 10, %c0 ], [ 23, %c1 ], …
//! ───►
//!   %place = …                       ; a binary search for %x in the sorted cases
//!   br i1 %found, label %switch.lookup, label %switch.rest
//! switch.lookup:
//!   %value = load i32, ptr addrspace(2) (getelementptr @switch.values, %place)
//!   br label %end
//! switch.rest:                       ; the cases that do more, and the default
//! ```
//!
//! Cases that follow each other are an index, without a search. Several of LLVM's algorithms are
//! quadratic in the cases of a switch whose blocks are empty: 5,000 of them take seconds. Functions
//! with a huge switch are brought into SSA first, and operations on the value of a case are folded;
//! others are not touched. Runs before LLVM's simplification.

use crate::{Pass, PassContext, PassError};
use analysis::Preserved;
use ir::address_space;
use llvm::{Block, Builder, Function, IntPredicate, Linkage, Module, Opcode, Type, Value};
use std::collections::{HashMap, HashSet};

/// A switch with more cases than this is huge.
pub const MOST_CASES: usize = 256;

/// The first huge switch of a function, with the number of its cases.
pub fn huge_switch(function: Function) -> Option<(Value, usize)> {
    huge_switches(function).next()
}

fn huge_switches(function: Function) -> impl Iterator<Item = (Value, usize)> {
    let terminators = function.blocks().into_iter().filter_map(|b| b.terminator());
    let switches = terminators.filter(|i| i.opcode() == Some(Opcode::LLVMSwitch));
    let with_cases = switches.map(|switch| (switch, switch.successors().len() - 1));
    with_cases.filter(|(_, cases)| *cases > MOST_CASES)
}

#[derive(Clone, Copy, Debug, Default)]
pub struct LowerHugeSwitches;

impl Pass for LowerHugeSwitches {
    fn name(&self) -> &'static str {
        "lower-huge-switches"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let is_huge = |f: &Function| !f.is_declaration() && huge_switch(*f).is_some();
        let functions: Vec<_> = cx.module.functions().into_iter().filter(is_huge).collect();
        for f in &functions {
            f.run_passes("sroa,early-cse,gvn<no-pre>", cx.machine)
                .map_err(|e| PassError::in_function(*f, e.to_string()))?;
            for (switch, _) in huge_switches(*f).collect::<Vec<_>>() {
                if let Some(lookup) = Lookup::of(switch) {
                    lookup.write(cx.module, switch);
                }
            }
        }
        Ok(if functions.is_empty() { Preserved::All } else { Preserved::None })
    }
}

/// The cases of a switch that lead to the same block by way of empty ones, with constants for its
/// PHIs.
struct Lookup {
    /// The cases by value, as unsigned numbers, and the empty block of each. The last one may be
    /// repeated.
    cases: Vec<(u64, Block)>,
    /// Whether each case is one more than the one before.
    is_dense: bool,
    end: Block,
    /// The PHIs of `end`, with the value for each of `cases`.
    phis: Vec<(Value, Vec<Value>)>,
    /// The other cases.
    rest: Vec<(Value, Block)>,
}

impl Lookup {
    /// `None` if too few cases are of the kind.
    fn of(switch: Value) -> Option<Lookup> {
        let (home, successors) = (switch.block()?, switch.successors());
        let cases: Vec<(Value, Block)> =
            (1..successors.len()).map(|i| (switch.operand(2 * i as u32), successors[i])).collect();
        let ends: Vec<Block> = cases.iter().filter_map(|(_, block)| end_of(*block, home)).collect();
        let mut uses: HashMap<Block, usize> = HashMap::new();
        ends.iter().for_each(|end| *uses.entry(*end).or_default() += 1);
        let end = ends.into_iter().max_by_key(|end| uses[end])?;
        let values: Vec<(Value, HashMap<Block, Value>)> = end
            .phis()
            .into_iter()
            .map(|phi| (phi, phi.incoming().into_iter().map(|(value, from)| (from, value)).collect()))
            .collect();
        let constant = |block: &Block| values.iter().all(|(_, by_block)| is_number(by_block[block]));
        let mut own = Vec::new();
        let mut rest = Vec::new();
        for (value, block) in cases {
            match value.as_const_int() {
                Some(key) if end_of(block, home) == Some(end) && constant(&block) => own.push((key, block)),
                _ => rest.push((value, block)),
            }
        }
        if own.len() <= MOST_CASES {
            return None;
        }
        own.sort_by_key(|(key, _)| *key);
        let is_dense = own[own.len() - 1].0 - own[0].0 == own.len() as u64 - 1;
        if !is_dense {
            // The search takes halves: with 2^n cases it needs no test for the end.
            own.resize(own.len().next_power_of_two(), own[own.len() - 1]);
        }
        let column = |by_block: &HashMap<Block, Value>| own.iter().map(|(_, b)| by_block[b]).collect();
        let phis = values.iter().map(|(phi, by_block)| (*phi, column(by_block))).collect();
        Some(Lookup { cases: own, is_dense, end, phis, rest })
    }

    fn write(self, module: &Module, switch: Value) {
        let (home, on) = (switch.block().expect("it ends a block"), switch.operand(0));
        let default = switch.successors()[0];
        let rest = Block::split_before(switch, "switch.rest");
        let lookup = home.function().append_block("switch.lookup");
        lookup.move_after(home);
        let jump = home.terminator().expect("it was split off");
        let b = Builder::before(module.context(), jump);
        b.set_place_of(switch);
        let (place, found) = self.find(module, &b, on);
        b.cond_br(found, lookup, rest);
        jump.erase();

        b.position_at_end(lookup);
        for (phi, values) in &self.phis {
            let value = Table::new(module, phi.ty(), values).load(&b, place);
            phi.add_incoming(value, lookup);
        }
        b.br(self.end);

        b.position_before(switch);
        if self.rest.is_empty() {
            b.br(default)
        } else {
            b.switch(on, default, &self.rest)
        };
        switch.erase();
        // Several cases may share a block.
        let empty: HashSet<Block> = self.cases.iter().map(|(_, block)| *block).collect();
        for block in empty {
            self.end.remove_predecessor(block);
            block.erase();
        }
    }

    /// The place of a value among the sorted cases, and whether it is one of them.
    fn find(&self, module: &Module, b: &Builder, on: Value) -> (Value, Value) {
        let (ty, size) = (on.ty(), module.size_type());
        if self.is_dense {
            let (first, count) = (ty.const_int(self.cases[0].0), ty.const_int(self.cases.len() as u64));
            let offset = b.sub(on, first, "");
            let found = b.icmp(IntPredicate::LLVMIntULT, offset, count, "found");
            return (b.int_cast(offset, size, "place"), found);
        }
        let keys: Vec<_> = self.cases.iter().map(|(key, _)| ty.const_int(*key)).collect();
        let table = Table::new(module, ty, &keys);
        let (mut place, mut step) = (size.zero(), keys.len() as u64);
        while step > 1 {
            step /= 2;
            let next = b.add(place, size.const_int(step), "");
            let is_after = b.icmp(IntPredicate::LLVMIntUGE, on, table.load(b, next), "");
            place = b.select(is_after, next, place, "place");
        }
        (place, b.icmp(IntPredicate::LLVMIntEQ, on, table.load(b, place), "found"))
    }
}

/// The block that an empty block which only `home` branches to goes on to.
fn end_of(block: Block, home: Block) -> Option<Block> {
    let only = block.first().filter(|i| i.opcode() == Some(Opcode::LLVMBr) && i.condition().is_none())?;
    let end = only.successors()[0];
    (end != block && block.predecessors().iter().all(|from| *from == home)).then_some(end)
}

fn is_number(value: Value) -> bool {
    value.as_const_int().is_some() || value.ty().is_float() && value.is_constant()
}

/// A constant array in the module.
struct Table {
    element: Type,
    array: Value,
}

impl Table {
    fn new(module: &Module, element: Type, values: &[Value]) -> Table {
        let content = element.const_array(values);
        let global = module.add_global_in("switch.table", content.ty(), address_space::CONSTANT);
        global.set_initializer(content);
        global.set_constant(true);
        global.set_linkage(Linkage::LLVMPrivateLinkage);
        Table { element, array: global.into() }
    }

    fn load(&self, b: &Builder, place: Value) -> Value {
        b.load(self.element, b.gep(self.element, self.array, &[place], ""), "")
    }
}
