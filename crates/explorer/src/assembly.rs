//! The assembly of a kernel as the page shows it: instructions and labels with the lines of the
//! source, loops with what bounds them, costs by LLVM's model of the CPU.

use std::collections::HashMap;

use llvm::throughput::{Bound, throughput};

use crate::model::{Assembly, Cost, Loop, LoopCost, Machine};

/// What an assembly file says, without costs.
#[derive(Debug, Default)]
struct Listing {
    text: String,
    lines: Vec<u32>,
}

/// Reads LLVM's assembly with line tables. `main` is the path of the source.
pub fn assembly(text: &str, main: Option<&str>, machine: &Machine, features: &str) -> Assembly {
    let Listing { text, lines } = listing(text, main);
    let mut loops = loops(&text, &lines);
    let innermost = loops.iter().filter(|l| l.cost.is_some()).map(|l| {
        let mut lines: Vec<u32> = l.parts.iter().flat_map(|&(first, last)| first..=last).collect();
        lines.sort_unstable();
        lines
    });
    let innermost: Vec<Vec<u32>> = innermost.collect();
    let found = throughput(&machine.triple, &machine.cpu, features, &text, &innermost);
    let note = match &found {
        Ok(Some(_)) => String::new(),
        Ok(None) => format!("LLVM has no model of {}: nothing is known of its cycles", machine.cpu),
        Err(why) => format!("LLVM's model of the CPU could not be asked: {why}"),
    };
    let found = found.ok().flatten().unwrap_or_default();
    for (number, l) in loops.iter_mut().filter(|l| l.cost.is_some()).enumerate() {
        let cost = found.loops.iter().find(|cost| cost.number == number);
        l.cost = cost.map(|cost| LoopCost {
            cycles: cost.cycles,
            busy: cost.busy,
            chain: cost.chain,
            micro_ops: cost.micro_ops,
            bound: match &cost.bound {
                Bound::Latency => "a chain of results from one trip to the next".to_owned(),
                Bound::Resource(name) => format!("the unit {name}"),
                Bound::Dispatch => "the number of instructions".to_owned(),
            },
            is_latency: cost.bound == Bound::Latency,
            by: cost.by.clone(),
        });
    }
    let costs = found.instructions.iter().map(|cost| Cost {
        line: cost.line,
        micro_ops: cost.micro_ops,
        latency: cost.latency,
        throughput: cost.throughput,
    });
    Assembly { text, lines, costs: costs.collect(), loops, note }
}

/// The instructions and labels of the code sections.
fn listing(text: &str, main: Option<&str>) -> Listing {
    let mut listing = Listing::default();
    let mut files: HashMap<&str, bool> = HashMap::new();
    let mut is_code = true;
    let mut line_now = 0;
    let used = branch_targets(text);
    for line in text.lines() {
        let word = line.split_whitespace().next().unwrap_or_default();
        match word {
            ".text" => is_code = true,
            ".section" => {
                let flags = line.split('"').nth(1).unwrap_or_default();
                is_code = flags.contains('x') || line.contains(".text");
            }
            ".file" => {
                // `.file 1 "folder" "name" md5 …`, with the folder left out if the name is a path.
                let mut quoted = line.split('"').skip(1).step_by(2);
                let number = line.split_whitespace().nth(1).unwrap_or_default();
                let (first, second) = (quoted.next().unwrap_or_default(), quoted.next());
                let path = match second {
                    Some(name) if !name.starts_with('/') && !first.is_empty() => {
                        format!("{}/{name}", first.trim_end_matches('/'))
                    }
                    second => second.unwrap_or(first).to_owned(),
                };
                files.insert(number, Some(path.as_str()) == main);
            }
            ".loc" => {
                let mut words = line.split_whitespace().skip(1);
                let (file, row) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
                let is_main = files.get(file).copied().unwrap_or(false);
                line_now = if is_main { row.parse().unwrap_or(0) } else { 0 };
            }
            _ => {}
        }
        let code = strip_comment(line);
        if !is_code || code.trim().is_empty() {
            continue;
        }
        let label = code.strip_suffix(':').filter(|_| !code.starts_with(char::is_whitespace));
        let shown = match label {
            Some(label) => !label.starts_with(".L") || used.contains(&label),
            None => !word.starts_with('.') && code.starts_with(char::is_whitespace),
        };
        if !shown {
            continue;
        }
        if label.is_some_and(|label| !label.starts_with(".L")) {
            line_now = 0;
        }
        listing.lines.push(if label.is_some() { 0 } else { line_now });
        listing.text += &code.replace('\t', "    ");
        listing.text.push('\n');
    }
    listing
}

/// A line without its comment.
fn strip_comment(line: &str) -> &str {
    let end = ["#", "//"].iter().filter_map(|mark| {
        // AArch64 writes immediates as `#1`, and its comments as `//`.
        line.match_indices(mark).map(|(at, _)| at).find(|at| {
            let after = line[at + mark.len()..].chars().next();
            after.is_none_or(|c| c.is_whitespace() || c == '-' || c == 'A' || c == '%' || *mark == "//")
        })
    });
    line[..end.min().unwrap_or(line.len())].trim_end()
}

/// The labels that instructions name.
fn branch_targets(text: &str) -> Vec<&str> {
    let mut labels: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with(char::is_whitespace) && !line.trim_start().starts_with('.'))
        .filter_map(|line| target(strip_comment(line)))
        .collect();
    labels.sort_unstable();
    labels.dedup();
    labels
}

/// The label that a branch ends with.
fn target(code: &str) -> Option<&str> {
    code.split([' ', '\t', ',']).next_back().filter(|word| word.starts_with(".L"))
}

/// A basic block: its first and last line, counted from 1, and the blocks that follow it.
#[derive(Debug, Default)]
struct Block {
    first: u32,
    last: u32,
    next: Vec<usize>,
}

/// The basic blocks of a listing. Each function begins with one, which nothing leads to.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut labels: HashMap<&str, usize> = HashMap::new();
    // For each block the label that its last instruction names, and whether the next block may
    // follow.
    let mut ends: Vec<(Option<&str>, bool)> = Vec::new();
    let mut starts = true;
    for (number, code) in (1..).zip(text.lines()) {
        let label = code.strip_suffix(':').filter(|_| !code.starts_with(' '));
        // A function is not reached from the one before.
        if let (Some(name), Some(end)) = (label, ends.last_mut()) {
            end.1 &= name.starts_with(".L");
        }
        if starts || label.is_some() {
            blocks.push(Block { first: number, last: number, next: Vec::new() });
            ends.push((None, true));
            starts = false;
        }
        let at = blocks.len() - 1;
        blocks[at].last = number;
        if let Some(label) = label {
            labels.insert(label, at);
            continue;
        }
        let name = code.split_whitespace().next().unwrap_or_default();
        let never = ["jmp", "ret", "b", "br", "j", "jr", "ud2", "udf", "unimp"];
        let returns = never.iter().any(|word| name == *word || *word == "ret" && name.starts_with("ret"));
        let to = target(code).filter(|_| !name.starts_with("lea") && !name.starts_with("mov"));
        if to.is_some() || returns {
            ends[at] = (to, !returns);
            starts = true;
        }
    }
    for (at, (to, falls)) in ends.into_iter().enumerate() {
        let to = to.and_then(|label| labels.get(label)).copied();
        let next = Some(at + 1).filter(|next| falls && *next < blocks.len());
        blocks[at].next = to.into_iter().chain(next).collect();
    }
    blocks
}

/// For each block the blocks that dominate it, as bits.
fn dominators(blocks: &[Block], before: &[Vec<usize>]) -> Vec<Vec<bool>> {
    let count = blocks.len();
    let mut all = vec![vec![true; count]; count];
    let entries: Vec<bool> = before.iter().map(Vec::is_empty).collect();
    for (at, set) in all.iter_mut().enumerate() {
        if entries[at] || at == 0 {
            *set = vec![false; count];
            set[at] = true;
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for at in 1..count {
            if entries[at] {
                continue;
            }
            let mut set = vec![true; count];
            for &from in &before[at] {
                for (bit, other) in set.iter_mut().zip(&all[from]) {
                    *bit &= *other;
                }
            }
            set[at] = true;
            if set != all[at] {
                all[at] = set;
                changed = true;
            }
        }
    }
    all
}

/// The most blocks whose loops are looked for: the dominators take the square of it.
const MOST_BLOCKS: usize = 4000;

/// The natural loops. Innermost ones have a cost, still empty.
fn loops(text: &str, lines: &[u32]) -> Vec<Loop> {
    let blocks = blocks(text);
    if blocks.len() > MOST_BLOCKS {
        return Vec::new();
    }
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
    for (at, block) in blocks.iter().enumerate() {
        block.next.iter().for_each(|&next| before[next].push(at));
    }
    let dominators = dominators(&blocks, &before);
    // The blocks of each loop, by its header.
    let mut found: Vec<(usize, Vec<bool>)> = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        for &header in block.next.iter().filter(|&&next| dominators[at][next]) {
            let known = found.iter().position(|(other, _)| *other == header).unwrap_or_else(|| {
                let mut body = vec![false; blocks.len()];
                body[header] = true;
                found.push((header, body));
                found.len() - 1
            });
            let body = &mut found[known].1;
            let mut left = vec![at];
            while let Some(one) = left.pop() {
                if !std::mem::replace(&mut body[one], true) {
                    left.extend(&before[one]);
                }
            }
        }
    }
    found.sort_by_key(|(header, _)| *header);
    let make = |(header, body): &(usize, Vec<bool>)| {
        let is_around = |other: &&(usize, Vec<bool>)| other.0 != *header && other.1[*header];
        let has_inner = found.iter().any(|(other, _)| other != header && body[*other]);
        let mut parts: Vec<(u32, u32)> = Vec::new();
        for (block, _) in blocks.iter().zip(body).filter(|(_, is_in)| **is_in) {
            match parts.last_mut() {
                Some((_, last)) if *last + 1 == block.first => *last = block.last,
                _ => parts.push((block.first, block.last)),
            }
        }
        // The part with the header comes first.
        let start = blocks[*header].first;
        let main = parts.iter().position(|(first, last)| (*first..=*last).contains(&start)).unwrap_or(0);
        parts.swap(0, main);
        let mut count: HashMap<u32, usize> = HashMap::new();
        for number in parts.iter().flat_map(|&(first, last)| first..=last) {
            let line = lines.get(number as usize - 1).copied().unwrap_or(0);
            *count.entry(line).or_default() += usize::from(line > 0);
        }
        let line = count.iter().max_by_key(|(line, count)| (**count, u32::MAX - **line));
        Loop {
            parts,
            depth: found.iter().filter(is_around).count() as u32,
            line: line.filter(|(_, count)| **count > 0).map_or(0, |(line, _)| *line),
            cost: (!has_inner).then(LoopCost::default),
        }
    };
    found.iter().map(make).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUM: &str = "\t.text\n\t.file\t\"k.cl\"\n\t.file\t1 \"/a\" \
    \"k.cl\"\n\t.globl\tk\nk:\n.Lfunc_begin0:\n\
        \t.loc\t1 3 0\n\tpushq\t%rbp # a comment\n.LBB0_1:                # =>This Inner Loop Header\n\
        \t.loc\t1 5 7 prologue_end\n\tvaddps\t(%rdi,%rax,4), %ymm0, %ymm0\n.Ltmp1:\n\t.loc\t1 4 \
        3\n\taddq\t$8, %rax\n\
        \tcmpq\t%rsi, \
        %rax\n\tjne\t.LBB0_1\n\tretq\n.Lfunc_end0:\n\t.section\t.debug_info,\"\",@progbits\n\t.long\t5\n";

    #[test]
    fn code_with_its_lines_and_loops() {
        let machine =
            Machine { triple: "x86_64-linux-gnu".into(), cpu: "znver3".into(), ..Machine::default() };
        let shown = assembly(SUM, Some("/a/k.cl"), &machine, "");
        assert_eq!(
            shown.text,
            "k:\n    pushq    %rbp\n.LBB0_1:\n    vaddps    (%rdi,%rax,4), %ymm0, %ymm0\n    addq    $8, \
            %rax\n    \
             cmpq    %rsi, %rax\n    jne    .LBB0_1\n    retq\n"
        );
        assert_eq!(shown.lines, [0, 3, 0, 5, 4, 4, 4, 4]);
        let [l] = &shown.loops[..] else { panic!("{:?}", shown.loops) };
        assert_eq!((l.parts.as_slice(), l.depth, l.line), (&[(3, 7)][..], 0, 4));
        let cost = l.cost.as_ref().unwrap();
        assert!(cost.is_latency && cost.by == [4], "{cost:?}");
        assert_eq!((shown.costs.len(), shown.note.as_str()), (6, ""));
    }

    #[test]
    fn an_unknown_cpu_has_no_costs() {
        let machine = Machine { triple: "x86_64-linux-gnu".into(), cpu: "i386".into(), ..Machine::default() };
        let shown = assembly("f:\n\tret\n", None, &machine, "");
        assert!(shown.costs.is_empty() && shown.note.contains("no model"), "{shown:?}");
    }

    #[test]
    fn loops_nest() {
        let found =
            loops(".L1:\n    nop\n.L2:\n    nop\n    jne    .L2\n    jne    .L1\n", &[0, 1, 0, 2, 2, 1]);
        let seen: Vec<_> = found.iter().map(|l| (l.parts[0], l.depth, l.cost.is_some())).collect();
        assert_eq!(seen, [((1, 6), 0, false), ((3, 5), 1, true)]);
    }

    #[test]
    fn a_branch_back_is_no_loop_by_itself() {
        // A rare block that stands behind the end, as LLVM puts it, inside of a loop and outside.
        let text = "f:\n.L1:\n    je    .L9\n.L2:\n    jne    .L1\n    je    .L8\n.L3:\n    retq\n.L8:\n    \
                    nop\n    jmp    .L3\n.L9:\n    nop\n    jmp    .L2\ng:\n    ret\n";
        let found = loops(text, &[0; 16]);
        let [l] = &found[..] else { panic!("{found:?}") };
        assert_eq!(l.parts, [(2, 5), (12, 14)]);
    }
}
