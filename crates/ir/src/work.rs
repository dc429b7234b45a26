//! How much a kernel does: the bytes that a work-item moves and its floating-point operations, as a
//! profile needs them. Both are sums of terms; a term is a constant times the trip counts of the
//! loops around it, and a trip count may depend on an argument.
//!
//! As text, in the attribute `mux-work`: bytes, a semicolon, operations; terms are separated by
//! spaces, `16*2:0:1` is 16 times the trips of a loop from 0 to argument 2 in steps of 1. Where
//! lines of the source are known, the bytes of each follow: `;9=16*2:0:1,12=4`.

use std::fmt;
use std::str::FromStr;

/// What one work-item does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Bytes that are read from and written to global and constant memory.
    pub bytes: Sum,
    /// Floating-point operations: each element of a vector counts, a fused multiply-add twice.
    pub operations: Sum,
    /// The bytes by the source line of the access, in ascending order; empty if that is not known.
    pub lines: Vec<(u32, Sum)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum(pub Vec<Term>);

/// `factor` times the trips of all loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    pub factor: u64,
    pub trips: Vec<Trips>,
}

/// The trips of a loop that counts from `start` in `step`s as long as it is below an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trips {
    pub argument: u32,
    pub start: i64,
    pub step: i64,
}

impl Trips {
    /// The trips if the argument is `end`.
    pub fn until(self, end: i64) -> u64 {
        let (distance, step) = (i128::from(end) - i128::from(self.start), i128::from(self.step));
        if step <= 0 || distance <= 0 { 0 } else { ((distance + step - 1) / step) as u64 }
    }
}

impl Sum {
    /// The value of the sum; `None` if the value of an argument is not known.
    pub fn value(&self, argument: impl Fn(u32) -> Option<i64>) -> Option<f64> {
        let term = |term: &Term| {
            let trips = term.trips.iter().map(|t| Some(t.until(argument(t.argument)?) as f64));
            Some(term.factor as f64 * trips.product::<Option<f64>>()?)
        };
        self.0.iter().map(term).sum()
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};{}", self.bytes, self.operations)?;
        for (n, (line, bytes)) in self.lines.iter().enumerate() {
            write!(f, "{}{line}={bytes}", if n > 0 { "," } else { ";" })?;
        }
        Ok(())
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, term) in self.0.iter().enumerate() {
            write!(f, "{}{}", if n > 0 { " " } else { "" }, term.factor)?;
            for Trips { argument, start, step } in &term.trips {
                write!(f, "*{argument}:{start}:{step}")?;
            }
        }
        Ok(())
    }
}

/// The text is no work.
#[derive(Debug)]
pub struct NoWork;

impl FromStr for Work {
    type Err = NoWork;

    fn from_str(text: &str) -> Result<Work, NoWork> {
        let (bytes, rest) = text.split_once(';').ok_or(NoWork)?;
        let (operations, lines) = rest.split_once(';').unwrap_or((rest, ""));
        let sum =
            |text: &str| text.split_whitespace().map(term).collect::<Option<_>>().map(Sum).ok_or(NoWork);
        let line = |text: &str| {
            let (line, bytes) = text.split_once('=').ok_or(NoWork)?;
            Ok((line.parse().map_err(|_| NoWork)?, sum(bytes)?))
        };
        let lines = lines.split(',').filter(|text| !text.is_empty()).map(line).collect::<Result<_, _>>()?;
        Ok(Work { bytes: sum(bytes)?, operations: sum(operations)?, lines })
    }
}

fn term(text: &str) -> Option<Term> {
    let mut factors = text.split('*');
    let factor = factors.next()?.parse().ok()?;
    let trips = |text: &str| {
        let mut numbers = text.split(':');
        let argument = numbers.next()?.parse().ok()?;
        let (start, step) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
        Some(Trips { argument, start, step }).filter(|_| numbers.next().is_none())
    };
    Some(Term { factor, trips: factors.map(trips).collect::<Option<_>>()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        for text in ["16 8*2:0:1 4*2:0:1*3:-5:16;2", ";", "4;", "4;;7=4", "8 4*1:0:1;;7=4 4*1:0:1,12=4"] {
            assert_eq!(text.parse::<Work>().unwrap().to_string(), text);
        }
        for text in ["", "4", "4*;", "4*1:2;", "4*1:2:3:4;", "x;", "-1;", "4;;7", "4;;x=4", "4;;7=x"] {
            assert!(text.parse::<Work>().is_err(), "{text}");
        }
    }

    #[test]
    fn values() {
        let work: Work = "16 8*0:0:1 4*0:0:1*1:2:16;3*7:0:1".parse().unwrap();
        let argument = |n| [10, 35].get(n as usize).copied();
        assert_eq!(work.bytes.value(argument), Some(16.0 + 8.0 * 10.0 + 4.0 * 10.0 * 3.0));
        assert_eq!(work.operations.value(argument), None);
        assert_eq!(work.bytes.value(|_| Some(-1)), Some(16.0));
        let trips = Trips { argument: 0, start: i64::MIN, step: 1 };
        assert_eq!((trips.until(i64::MAX), trips.until(i64::MIN)), (u64::MAX, 0));
    }
}
