//! LLVM's models of processors, those of `llvm-mca`: what the instructions of an assembly file
//! cost, and what bounds its loops.

use crate::Error;
use crate::ffi::{ffi, lw_throughput};
use crate::target::initialize;
use crate::text::{c, take};

/// What the model says of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Throughput {
    pub instructions: Vec<InstructionCost>,
    /// In the order they were asked for, without those that have no instructions.
    pub loops: Vec<LoopCost>,
}

/// The cost of one instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InstructionCost {
    /// From 1.
    pub line: u32,
    pub micro_ops: u32,
    /// Cycles from its operands to its result.
    pub latency: u32,
    /// Cycles between two of its kind that do not depend on each other.
    pub throughput: f64,
    pub loads: bool,
    pub stores: bool,
}

/// The limit of a loop's speed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// A chain of results that one trip hands to the next.
    Latency,
    /// A unit of the processor, by the model's name for it.
    Resource(String),
    /// The number of instructions that can start in a cycle.
    Dispatch,
}

/// The cost of one trip of a loop, if all it loads is in the first cache.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopCost {
    /// Which of the loops that were asked for.
    pub number: usize,
    /// Simulated cycles.
    pub cycles: f64,
    /// How long its busiest unit is busy.
    pub busy: f64,
    /// How long the longest chain is that one trip hands to the next.
    pub chain: f64,
    pub micro_ops: u32,
    /// Instructions that the model does not know.
    pub unknown: u32,
    pub bound: Bound,
    /// The lines of the instructions that bound the loop.
    pub by: Vec<u32>,
}

/// The costs of an assembly file for a CPU, with those of loops. A loop is its lines, counted from
/// 1
/// and in ascending order. `None` if LLVM has no model of the CPU.
pub fn throughput(
    triple: &str,
    cpu: &str,
    features: &str,
    assembly: &str,
    loops: &[Vec<u32>],
) -> Result<Option<Throughput>, Error> {
    initialize(triple);
    let [triple, cpu, features, assembly] = [triple, cpu, features, assembly].map(c);
    let (lines, counts): (Vec<u32>, Vec<usize>) = (loops.concat(), loops.iter().map(Vec::len).collect());
    let (mut error, mut crash) = (std::ptr::null_mut(), std::ptr::null_mut());
    let text = ffi!(lw_throughput(
        triple.as_ptr(),
        cpu.as_ptr(),
        features.as_ptr(),
        assembly.as_ptr(),
        lines.as_ptr(),
        counts.as_ptr(),
        loops.len(),
        &mut error,
        &mut crash
    ));
    if !crash.is_null() {
        return Err(Error::new(take(crash)));
    }
    if text.is_null() {
        return Err(Error::new(take(error).trim_end()));
    }
    Ok(parse(&take(text)))
}

fn parse(text: &str) -> Option<Throughput> {
    let mut found = Throughput::default();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let whole = |n: usize| words.get(n).and_then(|word| word.parse::<u32>().ok()).unwrap_or(0);
        let real = |n: usize| words.get(n).and_then(|word| word.parse::<f64>().ok()).unwrap_or(0.0);
        match words[0] {
            "none" => return None,
            "inst" => found.instructions.push(InstructionCost {
                line: whole(1),
                micro_ops: whole(2),
                latency: whole(3),
                throughput: real(4),
                loads: whole(5) == 1,
                stores: whole(6) == 1,
            }),
            "loop" => found.loops.push(LoopCost {
                number: whole(1) as usize,
                cycles: real(2),
                busy: real(3),
                chain: real(4),
                micro_ops: whole(5),
                unknown: whole(6),
                bound: match words.get(7) {
                    Some(&"latency") => Bound::Latency,
                    Some(&"dispatch") => Bound::Dispatch,
                    _ => Bound::Resource(words.get(8).copied().unwrap_or_default().to_owned()),
                },
                by: Vec::new(),
            }),
            _ => {
                if let Some(last) = found.loops.last_mut() {
                    last.by.push(whole(1));
                }
            }
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const X86: &str = "x86_64-linux-gnu";

    /// A sum in one register: each addition waits for the one before.
    const CHAIN: &str = "\t.text\nf:\n.L1:\n\tvaddps (%rdi,%rax,4), %ymm0, %ymm0\n\taddq $8, %rax\n\t\
        cmpq %rsi, %rax\n\tjne .L1\n\tretq\n";

    #[test]
    fn a_chain_bounds_a_sum() {
        let found = throughput(X86, "znver3", "", CHAIN, &[vec![3, 4, 5, 6, 7]]).unwrap().unwrap();
        assert_eq!(found.instructions.len(), 5);
        let add = &found.instructions[0];
        assert_eq!((add.line, add.loads, add.stores), (4, true, false));
        let sum = &found.loops[0];
        assert_eq!((sum.number, &sum.bound, sum.unknown), (0, &Bound::Latency, 0));
        // The latency of the addition alone, without that of its load.
        assert_eq!((sum.by.as_slice(), sum.chain), (&[4][..], 3.0));
        assert!((3.0..3.5).contains(&sum.cycles), "{sum:?}");
    }

    #[test]
    fn divisions_keep_their_unit_busy() {
        let text = "f:\n.L1:\n\tvdivps %zmm1, %zmm2, %zmm3\n\tvdivps %zmm1, %zmm2, %zmm4\n\taddq $1, %rax\n\t\
            jne .L1\n\tretq\n";
        let found = throughput(X86, "skylake-avx512", "", text, &[vec![3, 4, 5, 6]]).unwrap().unwrap();
        let busy = &found.loops[0];
        assert!(matches!(&busy.bound, Bound::Resource(name) if name.contains("Divider")), "{busy:?}");
        assert_eq!(busy.by, [3, 4]);
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let wrong = throughput(X86, "znver3", "", "\tvaddps banana\n", &[]).unwrap_err();
        assert!(wrong.to_string().contains("vaddps banana"), "{wrong}");
        assert!(throughput("banana-linux", "x", "", "", &[]).is_err());
    }
}
