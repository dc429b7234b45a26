//! Compares IR with the expected lines of a filetest. The syntax of patterns is in
//! `filetest/mod.rs`.

use std::collections::HashMap;
use std::fmt;

/// An expectation of a filetest, one directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// Some line from here on matches; the next expectation starts after that line.
    Check(String),
    /// The very next line matches.
    Next(String),
    /// No line matches between the lines that the expectations before and after this one match.
    Not(String),
    /// This number of lines of the section match.
    Count(usize, String),
    /// The section is from the line that matches to the `}` that closes it.
    Label(String),
    /// The section is the whole module.
    Module,
}

/// The words that the holes of patterns (`$name`) were bound to. Names after `#` and `!` stay bound
/// for the whole module, other names for one section.
type Names = HashMap<String, String>;

/// The first expectation that does not hold, with the reason.
pub fn compare(ir: &str, expected: &[Expectation]) -> Result<(), String> {
    let lines = lines_of(ir);
    let mut state = State::new(&lines);
    let mut forbidden = Vec::new();
    for expectation in expected {
        let from = state.at;
        let found = state.step(expectation).map_err(|why| format!("{expectation}\n    {why}"))?;
        match expectation {
            Expectation::Not(pattern) => {
                forbidden.push(pattern);
                continue;
            }
            Expectation::Count(..) => continue,
            _ => {}
        }
        let until = found.unwrap_or(lines.len());
        state.refuse(&forbidden, from, until.max(from))?;
        forbidden.clear();
    }
    let end = state.end;
    state.refuse(&forbidden, state.at, end)
}

/// Replaces the expectations that do not hold by what the output has instead: for `next` the next
/// line, for `check` the most similar line of the rest of the section, for `count` the number
/// found. A `not` or a `label` that fails stays: whether it is still wanted is for a person to say.
pub fn bless(ir: &str, expected: &mut [Expectation]) {
    let lines = lines_of(ir);
    let mut state = State::new(&lines);
    for expectation in expected {
        if state.step(expectation).is_err() {
            let rest = &lines[state.at..state.end.max(state.at)];
            let found = match expectation {
                Expectation::Next(_) => rest.first().map(|line| Expectation::Next(as_pattern(line))),
                Expectation::Check(pattern) => {
                    let likeness = |line: &&String| shared_words(line, pattern);
                    rest.iter().rev().max_by_key(likeness).map(|line| Expectation::Check(as_pattern(line)))
                }
                Expectation::Count(_, pattern) => {
                    Some(Expectation::Count(state.count(pattern), pattern.clone()))
                }
                Expectation::Not(_) | Expectation::Label(_) | Expectation::Module => None,
            };
            if let Some(found) = found {
                *expectation = found;
                let _holds_now = state.step(expectation);
            }
        }
    }
}

/// A `label` for each function that the IR defines, and a `next` for each line of its body.
pub fn all_lines(ir: &str) -> Vec<Expectation> {
    let mut expected = Vec::new();
    let mut in_function = false;
    for line in lines_of(ir) {
        if line.starts_with("define ") {
            in_function = true;
            expected.push(Expectation::Label(as_pattern(&line)));
        } else if in_function {
            in_function = line != "}";
            expected.push(Expectation::Next(as_pattern(&line)));
        }
    }
    expected
}

/// A line of IR as a pattern that matches it: `$` would begin a name.
fn as_pattern(line: &str) -> String {
    line.replace('$', "*")
}

fn shared_words(line: &str, pattern: &str) -> usize {
    pattern.split(|c| !is_word(c)).filter(|word| !word.is_empty() && line.contains(word)).count()
}

/// The directive.
impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expectation::Check(p) => write!(f, "; check: {p}"),
            Expectation::Next(p) => write!(f, "; next: {p}"),
            Expectation::Not(p) => write!(f, "; not: {p}"),
            Expectation::Count(n, p) => write!(f, "; count: {n} {p}"),
            Expectation::Label(p) => write!(f, "; label: {p}"),
            Expectation::Module => f.write_str("; module:"),
        }
    }
}

fn lines_of(ir: &str) -> Vec<String> {
    ir.lines().map(normal).filter(|l| !l.is_empty()).collect()
}

/// A line with single spaces and without LLVM's note of predecessors.
fn normal(line: &str) -> String {
    let line = line.split("; preds =").next().unwrap_or(line);
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

struct State<'a> {
    lines: &'a [String],
    /// The first line of the section, and the line after its last.
    start: usize,
    end: usize,
    /// The next line to look at.
    at: usize,
    names: Names,
}

impl<'a> State<'a> {
    fn new(lines: &'a [String]) -> Self {
        State { lines, at: 0, end: lines.len(), start: 0, names: Names::new() }
    }

    /// The number of the line that matched, or the end of the old section where the expectation
    /// begins a new one.
    fn step(&mut self, expectation: &Expectation) -> Result<Option<usize>, String> {
        match expectation {
            Expectation::Check(pattern) => {
                let found = (self.at..self.end).find_map(|i| Some((i, self.matches(i, pattern)?)));
                let (line, names) = found.ok_or_else(|| format!("no such line from '{}' on", self.here()))?;
                (self.at, self.names) = (line + 1, names);
                Ok(Some(line))
            }
            Expectation::Next(pattern) => {
                let here = (self.at < self.end).then(|| self.matches(self.at, pattern)).flatten();
                self.names = here.ok_or_else(|| format!("the next line is '{}'", self.here()))?;
                self.at += 1;
                Ok(Some(self.at - 1))
            }
            Expectation::Count(wanted, pattern) => {
                let found = self.count(pattern);
                (found == *wanted).then_some(None).ok_or_else(|| format!("there are {found}"))
            }
            Expectation::Label(pattern) => {
                let old_end = self.end;
                self.names.retain(|name, _| name.starts_with(['#', '!']));
                let found = (0..self.lines.len()).find_map(|i| Some((i, self.matches(i, pattern)?)));
                let (line, names) = found.ok_or("no such line")?;
                let body = &self.lines[line..];
                self.end = line + body.iter().position(|l| l == "}").unwrap_or(0) + 1;
                (self.start, self.at, self.names) = (line, line + 1, names);
                Ok(Some(old_end))
            }
            Expectation::Module => {
                let old_end = self.end;
                (self.start, self.at, self.end) = (0, 0, self.lines.len());
                Ok(Some(old_end))
            }
            Expectation::Not(_) => Ok(None),
        }
    }

    /// How many lines of the section match.
    fn count(&self, pattern: &str) -> usize {
        (self.start..self.end).filter(|&i| self.matches(i, pattern).is_some()).count()
    }

    fn refuse(&self, forbidden: &[&String], from: usize, until: usize) -> Result<(), String> {
        for pattern in forbidden {
            if let Some(i) = (from..until).find(|&i| self.matches(i, pattern).is_some()) {
                return Err(format!("; not: {pattern}\n    there is '{}'", self.lines[i]));
            }
        }
        Ok(())
    }

    fn here(&self) -> &str {
        if self.at < self.end { &self.lines[self.at] } else { "<end of section>" }
    }

    /// The names after a match of the pattern with a part of the line.
    fn matches(&self, line: usize, pattern: &str) -> Option<Names> {
        let line = &self.lines[line];
        let pattern = normal(pattern);
        let starts = line.char_indices().map(|(i, _)| i).filter(|&i| {
            !(pattern.starts_with(is_word) && line[..i].ends_with(is_word) && line[i..].starts_with(is_word))
        });
        starts.into_iter().find_map(|i| match_here(&line[i..], &pattern, None, &self.names))
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "._-".contains(c)
}

/// Matches the pattern with the start of a text. `before` is the pattern's last character before
/// this.
fn match_here(text: &str, pattern: &str, before: Option<char>, names: &Names) -> Option<Names> {
    let Some(c) = pattern.chars().next() else {
        // A word does not match the beginning of a longer one.
        let splits = before.is_some_and(is_word) && text.starts_with(is_word);
        return (!splits).then(|| names.clone());
    };
    let rest = &pattern[c.len_utf8()..];
    match c {
        '*' => {
            let ends = text.char_indices().map(|(i, _)| i).chain([text.len()]);
            ends.into_iter().find_map(|i| match_here(&text[i..], rest, None, names))
        }
        '$' => {
            let len = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let sigil = before.filter(|b| "#!".contains(*b)).map_or(String::new(), String::from);
            let name = sigil + &rest[..len];
            let word = text.find(|c| !is_word(c)).unwrap_or(text.len());
            if word == 0 {
                return None;
            }
            match names.get(&name) {
                Some(known) if *known != text[..word] => None,
                _ => {
                    let mut names = names.clone();
                    names.insert(name, text[..word].to_owned());
                    match_here(&text[word..], &rest[len..], Some('x'), &names)
                }
            }
        }
        c => match_here(text.strip_prefix(c)?, rest, Some(c), names),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Expectation::*;

    const IR: &str = "define void @f() #0 {\nentry:   ; preds = %x\n  %a1 = add i32 %b, 1\n  ret void\n}\n\
                      define void @g() #0 {\n  %a = add i32 %b, 2\n  store i32 %a, ptr %p\n}\n\
                      attributes #0 = { \"k\" }\n";

    fn holds(expected: &[Expectation]) -> bool {
        compare(IR, expected).is_ok()
    }

    fn text(s: &str) -> String {
        s.to_owned()
    }

    #[test]
    fn lines_are_found_in_order() {
        assert!(holds(&[Check(text("@f")), Check(text("ret")), Check(text("@g"))]));
        assert!(!holds(&[Check(text("@g")), Check(text("ret"))]));
        assert!(holds(&[Check(text("entry:")), Next(text("add"))]));
        assert!(!holds(&[Check(text("entry:")), Next(text("ret"))]));
    }

    #[test]
    fn words_are_whole_and_holes_are_equal() {
        assert!(!holds(&[Label(text("@f()")), Check(text("%a ="))]));
        assert!(!holds(&[Check(text("dd i32"))]));
        assert!(holds(&[Label(text("@g()")), Check(text("%$x = add")), Next(text("store i32 %$x,"))]));
        assert!(!holds(&[Label(text("@g()")), Check(text("%$x = *%$x,"))]));
        assert!(holds(&[
            Label(text("@f() #$a")),
            Label(text("@g() #$a")),
            Module,
            Check(text("attributes #$a ="))
        ]));
    }

    #[test]
    fn blessed_expectations_hold() {
        let mut expected = [
            Label(text("@g()")),
            Check(text("%a = add i32 %b, 7")),
            Next(text("ret")),
            Count(3, text("add")),
            Not(text("store")),
        ];
        bless(IR, &mut expected);
        let blessed = [
            Label(text("@g()")),
            Check(text("%a = add i32 %b, 2")),
            Next(text("store i32 %a, ptr %p")),
            Count(1, text("add")),
            Not(text("store")),
        ];
        assert_eq!(expected, blessed);
        assert!(holds(&expected));
        assert!(holds(&all_lines(IR)));
        assert_eq!(all_lines(IR).len(), 2 + 4 + 3);
    }

    #[test]
    fn sections_bound_the_search() {
        assert!(!holds(&[Label(text("@f()")), Check(text("store"))]));
        assert!(holds(&[Label(text("@f()")), Not(text("store")), Label(text("@g()")), Check(text("store"))]));
        assert!(!holds(&[Label(text("@g()")), Not(text("store"))]));
        assert!(!holds(&[Label(text("@g()")), Not(text("add")), Check(text("store"))]));
        assert!(holds(&[Label(text("@g()")), Check(text("add")), Not(text("add")), Check(text("store"))]));
        assert!(holds(&[Count(2, text("add i32")), Label(text("@g()")), Count(1, text("add i32"))]));
    }
}
