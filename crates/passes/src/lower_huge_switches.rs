//! Switches of so many cases that some of LLVM's algorithms, which are quadratic in them, would
//! take seconds.

use llvm::{Function, Opcode, Value};

/// A switch with more cases than this is huge.
pub const MOST_CASES: usize = 256;

/// The first huge switch of a function, with the number of its cases.
pub fn huge_switch(function: Function) -> Option<(Value, usize)> {
    let terminators = function.blocks().into_iter().filter_map(|b| b.terminator());
    let switches = terminators.filter(|i| i.opcode() == Some(Opcode::LLVMSwitch));
    let with_cases = switches.map(|switch| (switch, switch.successors().len() - 1));
    with_cases.into_iter().find(|(_, cases)| *cases > MOST_CASES)
}
