//! Debug records of variable declarations, in the functions of barrier regions.

use super::regions::Region;
use llvm::{Block, Builder, Module};

/// Keeps the debug records of variable declarations, which hold everywhere: those in blocks that
/// are not reachable in the region move to its start.
pub fn keep_debug_records(module: &Module, region: &Region) {
    let unreached: Vec<Block> =
        region.function.blocks().into_iter().filter(|b| !region.reached.contains(b)).collect();
    for &block in &unreached {
        for phi in block.phis() {
            phi.replace_all_uses_with(phi.ty().poison());
            phi.erase();
        }
    }
    let mut entry_end = region.function.entry().terminator().expect("the entry is complete");
    for block in unreached {
        let terminator = block.terminator().expect("the block is complete");
        // A record is attached to an instruction, and moves to the next one when that is erased.
        for instruction in block.instructions().into_iter().filter(|i| *i != terminator) {
            if !instruction.ty().is_void() {
                instruction.replace_all_uses_with(instruction.ty().poison());
            }
            instruction.erase();
        }
        // The region's first block follows a barrier, and so has no PHIs.
        let start = entry_end.successors()[0];
        for successor in terminator.successors() {
            successor.remove_predecessor(block);
        }
        terminator.erase();
        // No source line, since no code of the block runs.
        let branch = Builder::at_end(module.context(), block).br(start);
        entry_end.set_successor(0, block);
        entry_end = branch;
    }
}
