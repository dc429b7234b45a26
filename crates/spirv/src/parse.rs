//! Parses words to instructions. Each is checked against its shape, so that all required operands
//! are present.

use crate::Error;
use crate::grammar::{self, Op};
use std::borrow::Cow;

pub(crate) const MAGIC: u32 = 0x0723_0203;
pub(crate) const HEADER_WORDS: usize = 5;
/// The most IDs a module may use: the specification's limit.
const MAX_BOUND: u32 = 0x3f_ffff;

/// A module's words in this machine's byte order.
pub(crate) struct Words<'a>(Cow<'a, [u32]>);

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inst<'a> {
    pub op: Op,
    /// The word it starts at.
    pub at: usize,
    /// The IDs of the result's type and the result; 0 if there is none.
    pub ty: u32,
    pub id: u32,
    /// The other operands.
    pub args: &'a [u32],
}

/// The header and the instructions.
pub(crate) struct Parsed<'a> {
    /// All IDs are smaller.
    pub bound: u32,
    pub insts: Vec<Inst<'a>>,
}

impl<'a> Words<'a> {
    pub fn new(code: &'a [u32]) -> Result<Self, Error> {
        let words = match code.first() {
            Some(&magic) if magic == MAGIC.swap_bytes() => {
                Cow::Owned(code.iter().map(|w| w.swap_bytes()).collect())
            }
            _ => Cow::Borrowed(code),
        };
        let [magic, version, _generator, bound, schema, ..] = *words else {
            return Err(Error::at_word(
                code.len(),
                format!("a SPIR-V module has at least {HEADER_WORDS} words, this one has {}", code.len()),
            ));
        };
        if magic != MAGIC {
            return Err(Error::at_word(0, format!("not a SPIR-V module: the first word is {magic:#010x}")));
        }
        let (major, minor) = version_of(version);
        if version & 0xff00_00ff != 0 || major != 1 || minor > 6 {
            return Err(Error::at_word(
                1,
                format!("SPIR-V version {major}.{minor} is not one of 1.0 to 1.6"),
            ));
        }
        if bound == 0 || bound > MAX_BOUND {
            let message = format!("the bound of the IDs is {bound}, not from 1 to {MAX_BOUND}");
            return Err(Error::at_word(3, message));
        }
        if schema != 0 {
            return Err(Error::at_word(4, format!("the schema {schema} is unknown")));
        }
        Ok(Words(words))
    }

    /// The version of SPIR-V in the header.
    pub fn version(&self) -> (u32, u32) {
        version_of(self.0[1])
    }
}

fn version_of(word: u32) -> (u32, u32) {
    (word >> 16 & 0xff, word >> 8 & 0xff)
}

pub(crate) fn parse<'a>(words: &'a Words<'_>) -> Result<Parsed<'a>, Error> {
    let code: &[u32] = &words.0;
    let bound = code[3];
    let mut insts = Vec::with_capacity(code.len() / 4);
    let mut at = HEADER_WORDS;
    while let Some(&word) = code.get(at) {
        let (count, opcode) = ((word >> 16) as usize, word as u16);
        let Some(op) = Op::from_number(opcode) else {
            let message = format!("the instruction with opcode {opcode} is not one of OpenCL's kernels");
            return Err(Error::at_word(at, message));
        };
        let fail = |message: String| Error { word: at, instruction: format!("Op{}", op.name()), message };
        if count == 0 || count > code.len() - at {
            return Err(fail(format!("has {count} words, {} are left", code.len() - at)));
        }
        let inst = instruction(op, at, &code[at + 1..at + count], bound).map_err(fail)?;
        insts.push(inst);
        at += count;
    }
    Ok(Parsed { bound, insts })
}

/// An instruction from its operands.
pub(crate) fn instruction<'a>(op: Op, at: usize, words: &'a [u32], bound: u32) -> Result<Inst<'a>, String> {
    let shape = op.shape();
    let has_type = shape.starts_with('t');
    let has_result = shape[usize::from(has_type)..].starts_with('r');
    let fixed = usize::from(has_type) + usize::from(has_result);
    if words.len() < fixed {
        return Err("is cut short".to_owned());
    }
    let inst = Inst {
        op,
        at,
        ty: if has_type { words[0] } else { 0 },
        id: if has_result { words[fixed - 1] } else { 0 },
        args: &words[fixed..],
    };
    if has_type && (inst.ty == 0 || inst.ty >= bound) || has_result && (inst.id == 0 || inst.id >= bound) {
        return Err(format!("an ID is not from 1 to {}", bound - 1));
    }
    operands(op, inst.args, bound)?;
    Ok(inst)
}

/// Checks the operands after type and result against the instruction's shape.
pub(crate) fn operands(op: Op, args: &[u32], bound: u32) -> Result<(), String> {
    let mut wrong = None;
    walk(op, args, &mut |id| {
        if id == 0 || id >= bound {
            wrong = Some(id);
        }
    })?;
    match wrong {
        Some(id) => Err(format!("%{id} is not from 1 to {}", bound - 1)),
        None => Ok(()),
    }
}

impl<'a> Inst<'a> {
    /// Visits the IDs among the operands.
    pub fn for_each_id(&self, visit: &mut impl FnMut(u32)) {
        if self.op == Op::ExtInst {
            visit(self.args[0]);
            // The instructions of OpenCL.std whose last operand is a literal: a number of elements
            // or a rounding mode.
            let numbers = usize::from(matches!(self.args[1], 171 | 174 | 176 | 178 | 179 | 181));
            let ids = self.args.len().saturating_sub(2 + numbers);
            self.args.iter().skip(2).take(ids).for_each(|id| visit(*id));
            return;
        }
        let _ = walk(self.op, self.args, visit);
    }

    /// An operand that may be missing.
    pub fn arg(&self, i: usize) -> Option<u32> {
        self.args.get(i).copied()
    }
}

fn walk(op: Op, args: &[u32], visit: &mut impl FnMut(u32)) -> Result<(), String> {
    let shape = op.shape().trim_start_matches('t').trim_start_matches('r');
    // Most instructions take IDs only.
    if shape.bytes().all(|b| b == b'i') {
        if args.len() != shape.len() {
            return Err(wrong_count(args.len(), shape));
        }
        args.iter().for_each(|id| visit(*id));
        return Ok(());
    }
    let rest = walk_shape(shape, args, visit)?;
    if rest.is_empty() { Ok(()) } else { Err(format!("has {} words too many", rest.len())) }
}

fn wrong_count(count: usize, shape: &str) -> String {
    format!("has {count} operands where {} are expected", shape.len())
}

/// Walks the operands of a shape and returns the remaining words.
fn walk_shape<'w>(
    shape: &str,
    mut words: &'w [u32],
    visit: &mut impl FnMut(u32),
) -> Result<&'w [u32], String> {
    let mut letters = shape.chars().peekable();
    while let Some(letter) = letters.next() {
        let quantifier = letters.next_if(|c| matches!(c, '?' | '*'));
        match quantifier {
            None => words = operand(letter, words, visit)?,
            Some('?') if words.is_empty() => {}
            Some('?') => words = operand(letter, words, visit)?,
            Some(_) => {
                while !words.is_empty() {
                    words = operand(letter, words, visit)?;
                }
            }
        }
    }
    Ok(words)
}

fn operand<'w>(letter: char, words: &'w [u32], visit: &mut impl FnMut(u32)) -> Result<&'w [u32], String> {
    let (&first, rest) = words.split_first().ok_or("is cut short")?;
    match letter {
        'i' => {
            visit(first);
            Ok(rest)
        }
        'n' | 'e' | 'j' => Ok(rest),
        'S' => string(words).map(|(_, rest)| rest),
        // The width depends on a type that is not known here: the translation checks it.
        'x' | 'p' | 'o' => Ok(&[]),
        'q' => {
            visit(first);
            rest.split_first().map(|(_, rest)| rest).ok_or("is cut short".to_owned())
        }
        'Q' => {
            let (&second, rest) = rest.split_first().ok_or("is cut short")?;
            visit(first);
            visit(second);
            Ok(rest)
        }
        _ => {
            let Some((table, bits)) = grammar::table(letter) else { return Ok(rest) };
            let mut rest = rest;
            if bits {
                // The table may list an enumerant twice, under an older name.
                let mut done = 0;
                for (_, bit, shape) in table {
                    if first & bit != 0 && done & bit == 0 {
                        done |= bit;
                        rest = walk_shape(shape, rest, visit)?;
                    }
                }
            } else if let Some((.., shape)) = table.iter().find(|e| e.1 == first) {
                rest = walk_shape(shape, rest, visit)?;
            } else if matches!(letter, 'D' | 'X') {
                // An unknown decoration: its operands are the rest of the instruction.
                rest = &[];
            }
            Ok(rest)
        }
    }
}

/// A string of words, and what follows it.
pub(crate) fn string(words: &[u32]) -> Result<(String, &[u32]), String> {
    let ends = |w: &u32| w.to_le_bytes().contains(&0);
    let end = words.iter().position(ends).ok_or("has a string without an end")?;
    let (text, rest) = words.split_at(end + 1);
    let mut bytes: Vec<u8> = text.iter().flat_map(|w| w.to_le_bytes()).collect();
    bytes.truncate(bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len()));
    Ok((String::from_utf8_lossy(&bytes).into_owned(), rest))
}
