//! An assembler: SPIR-V as text in the usual form, to words.
//!
//! ```text
//!           OpCapability Kernel
//!    %uint = OpTypeInt 32 0
//!      %c4 = OpConstant %uint 4
//! ```
//!
//! A line may be of the form `; Version: 1.4`, which sets the version of the module; other comments
//! are skipped. Names after `%` stand for IDs, which are assigned in order of appearance; constants
//! are written as numbers of their type, which must be declared before.

use crate::grammar::{self, Op};
use crate::parse::{HEADER_WORDS, MAGIC};
use crate::translate::{debug_number, opencl_std_number};
use std::collections::HashMap;
use std::fmt;

/// Assembles text. The error is about a line of it.
pub fn assemble(text: &str) -> Result<Vec<u32>, AssemblyError> {
    let mut a = Assembler { version: 0x0001_0000, ..Assembler::default() };
    a.code = vec![0; HEADER_WORDS];
    for (number, line) in text.lines().enumerate() {
        a.line(line).map_err(|message| AssemblyError { line: number + 1, message })?;
    }
    a.code[..HEADER_WORDS].copy_from_slice(&[MAGIC, a.version, 0, a.ids.len() as u32 + 1, 0]);
    Ok(a.code)
}

/// A line of assembly that means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssemblyError {
    /// Counted from 1.
    pub line: usize,
    pub message: String,
}

impl fmt::Display for AssemblyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for AssemblyError {}

/// A scalar type that constants can be of.
#[derive(Clone, Copy)]
struct Scalar {
    bits: u32,
    float: bool,
    /// Whether it is `bfloat16`.
    brain: bool,
}

#[derive(Default)]
struct Assembler {
    version: u32,
    code: Vec<u32>,
    ids: HashMap<String, u32>,
    scalars: HashMap<u32, Scalar>,
    /// The types of values, for the literals of switches.
    types: HashMap<u32, u32>,
}

/// Cuts a line into words and strings.
fn tokens(line: &str) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() && !rest.starts_with(';') {
        if let Some(text) = rest.strip_prefix('"') {
            let mut token = String::from('"');
            let mut chars = text.char_indices();
            let end = loop {
                match chars.next() {
                    Some((_, '\\')) => token.extend(chars.next().map(|(_, c)| c)),
                    Some((at, '"')) => break at,
                    Some((_, c)) => token.push(c),
                    None => return Err("the string has no end".to_owned()),
                }
            };
            found.push(token);
            rest = text[end + 1..].trim_start();
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(rest.len());
            found.push(rest[..end].to_owned());
            rest = rest[end..].trim_start();
        }
    }
    Ok(found)
}

impl Assembler {
    fn id(&mut self, token: &str) -> Result<u32, String> {
        let name = token.strip_prefix('%').ok_or_else(|| format!("'{token}' is not an ID"))?;
        let next = self.ids.len() as u32 + 1;
        Ok(*self.ids.entry(name.to_owned()).or_insert(next))
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        if let Some(version) = line.trim().strip_prefix("; Version:") {
            let parsed = version.trim().split_once('.').and_then(|(major, minor)| {
                Some(major.parse::<u32>().ok()? << 16 | minor.parse::<u32>().ok()? << 8)
            });
            self.version = parsed.ok_or_else(|| format!("'{}' is not a version", version.trim()))?;
            return Ok(());
        }
        let tokens = tokens(line)?;
        let (result, rest) = match tokens.as_slice() {
            [] => return Ok(()),
            [result, equals, rest @ ..] if equals == "=" => (Some(result), rest),
            rest => (None, rest),
        };
        let (name, operands) = rest.split_first().ok_or("an instruction is missing")?;
        let op = name.strip_prefix("Op").and_then(Op::from_name);
        let op = op.ok_or_else(|| format!("there is no instruction '{name}'"))?;
        if result.is_some() != op.shape().contains('r') {
            return Err(format!("{name} {} a result", if result.is_some() { "has not" } else { "has" }));
        }
        let mut words = Vec::new();
        let mut operands = operands.iter();
        let mut ty = 0;
        let mut letters = op.shape().chars().peekable();
        while let Some(letter) = letters.next() {
            let quantifier = letters.next_if(|c| matches!(c, '?' | '*'));
            match letter {
                'r' => {
                    let id = self.id(result.map_or("", String::as_str))?;
                    words.push(id);
                    if ty != 0 {
                        self.types.insert(id, ty);
                    }
                }
                't' => {
                    ty = self.id(operands.next().ok_or("the type is missing")?)?;
                    words.push(ty);
                }
                'o' => {
                    let name = operands.next().ok_or("the operation is missing")?;
                    let inner =
                        Op::from_name(name).ok_or_else(|| format!("there is no operation '{name}'"))?;
                    words.push(inner as u32);
                    let shape = inner.shape().trim_start_matches('t').trim_start_matches('r');
                    self.shape(shape, &mut operands, &mut words, ty)?;
                }
                _ => {
                    let shape = match quantifier {
                        Some(q) => format!("{letter}{q}"),
                        None => letter.to_string(),
                    };
                    self.shape(&shape, &mut operands, &mut words, ty)?;
                }
            }
        }
        if let Some(extra) = operands.next() {
            return Err(format!("'{extra}' is too much"));
        }
        // The one operand after the width is the encoding.
        let scalar = |float| Scalar { bits: words[1], float, brain: float && words.len() > 2 };
        match op {
            Op::TypeInt => {
                self.scalars.insert(words[0], scalar(false));
            }
            Op::TypeFloat => {
                self.scalars.insert(words[0], scalar(true));
            }
            _ => {}
        }
        let count = words.len() as u32 + 1;
        if count > 0xffff {
            return Err("the instruction is too long".to_owned());
        }
        self.code.push(count << 16 | op as u32);
        self.code.extend(words);
        Ok(())
    }

    fn shape<'t>(
        &mut self,
        shape: &str,
        tokens: &mut (impl Iterator<Item = &'t String> + Clone),
        words: &mut Vec<u32>,
        ty: u32,
    ) -> Result<(), String> {
        let mut letters = shape.chars().peekable();
        while let Some(letter) = letters.next() {
            let quantifier = letters.next_if(|c| matches!(c, '?' | '*'));
            let is_last = |tokens: &mut dyn Iterator<Item = &'t String>| tokens.next().is_none();
            match quantifier {
                None => self.operand(letter, tokens, words, ty)?,
                Some('?') => {
                    if !is_last(&mut tokens.clone()) {
                        self.operand(letter, tokens, words, ty)?;
                    }
                }
                Some(_) => {
                    while !is_last(&mut tokens.clone()) {
                        self.operand(letter, tokens, words, ty)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn operand<'t>(
        &mut self,
        letter: char,
        tokens: &mut (impl Iterator<Item = &'t String> + Clone),
        words: &mut Vec<u32>,
        ty: u32,
    ) -> Result<(), String> {
        let token = tokens.next().ok_or("an operand is missing")?;
        match letter {
            'i' => words.push(self.id(token)?),
            // An operand of an extended instruction may be an ID or a literal number.
            'j' if token.starts_with('%') => words.push(self.id(token)?),
            'j' | 'n' => words.push(number(token)?),
            'e' => {
                let named = opencl_std_number(token).or_else(|| debug_number(token));
                words.push(named.map_or_else(|| number(token), Ok)?);
            }
            'S' => words.extend(string_words(token)?),
            'x' => self.constant(token, ty, words)?,
            'p' => {
                // The literals of a switch have the type of its selector, the first operand.
                let selector = words.first().and_then(|id| self.types.get(id)).copied();
                self.constant(token, selector.unwrap_or(0), words)?;
                self.operand('i', tokens, words, ty)?;
            }
            'q' => {
                words.push(self.id(token)?);
                self.operand('n', tokens, words, ty)?;
            }
            'Q' => {
                words.push(self.id(token)?);
                self.operand('i', tokens, words, ty)?;
            }
            _ => {
                let (table, bits) = grammar::table(letter).ok_or("an operand of no kind")?;
                let find = |name: &str| {
                    table.iter().find(|e| e.0 == name).copied().ok_or_else(|| format!("'{name}' is unknown"))
                };
                if !bits {
                    let (_, value, shape) = find(token)?;
                    words.push(value);
                    return self.shape(shape, tokens, words, ty);
                }
                let mut chosen = token.split('|').map(find).collect::<Result<Vec<_>, _>>()?;
                chosen.sort_by_key(|e| e.1);
                words.push(chosen.iter().fold(0, |all, e| all | e.1));
                for (_, _, shape) in chosen {
                    self.shape(shape, tokens, words, ty)?;
                }
            }
        }
        Ok(())
    }

    /// A literal number as wide as its type.
    fn constant(&self, token: &str, ty: u32, words: &mut Vec<u32>) -> Result<(), String> {
        let Scalar { bits, float, brain } =
            *self.scalars.get(&ty).ok_or("a constant of a type that is not declared")?;
        let count = bits.div_ceil(32) as usize;
        let value: u128 = if float && !token.starts_with("0x!") {
            let number: f64 = token.parse().map_err(|_| format!("'{token}' is not a number"))?;
            match bits {
                16 if brain => u128::from(brain_bits(number as f32)),
                16 => u128::from(half_bits(number)),
                32 => u128::from((number as f32).to_bits()),
                _ => u128::from(number.to_bits()),
            }
        } else {
            let digits = token.replacen("0x!", "0x", 1);
            wide_number(&digits).ok_or_else(|| format!("'{token}' is not a number"))?
        };
        let negative = token.starts_with('-') && !float;
        for i in 0..count {
            let fill = if negative { u32::MAX } else { 0 };
            words.push(if i < 4 { (value >> (32 * i)) as u32 } else { fill });
        }
        Ok(())
    }
}

fn wide_number(token: &str) -> Option<u128> {
    if let Some(digits) = token.strip_prefix('-') {
        return wide_number(digits).map(|v| v.wrapping_neg());
    }
    match token.strip_prefix("0x") {
        Some(digits) => u128::from_str_radix(digits, 16).ok(),
        None => token.parse().ok(),
    }
}

fn number(token: &str) -> Result<u32, String> {
    wide_number(token).map(|v| v as u32).ok_or_else(|| format!("'{token}' is not a number"))
}

fn string_words(token: &str) -> Result<Vec<u32>, String> {
    let text = token.strip_prefix('"').ok_or_else(|| format!("'{token}' is not a string"))?;
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((bytes.len() + 1).next_multiple_of(4), 0);
    Ok(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

/// The nearest number of bfloat16.
fn brain_bits(value: f32) -> u32 {
    let bits = value.to_bits();
    if value.is_nan() { bits >> 16 | 0x40 } else { (bits + 0x7fff + (bits >> 16 & 1)) >> 16 }
}

/// The nearest half.
fn half_bits(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    if magnitude.is_nan() {
        return sign | 0x7e00;
    }
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    // Steps of the smallest subnormal; a normal number is scaled into that range first.
    let exponent = if magnitude < 2f64.powi(-14) { -14 } else { magnitude.log2().floor() as i32 };
    let steps = (magnitude / 2f64.powi(exponent - 10)).round_ties_even() as i32;
    sign | ((exponent + 14) * 1024 + steps) as u16
}
