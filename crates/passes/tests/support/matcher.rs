//! Compares IR with expected lines. The syntax is in `filetests.rs`.

use std::collections::HashMap;

/// What a line of a test file expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// Some line from here on matches; the next expectation starts after it.
    Check(String),
    /// The very next line matches.
    Next(String),
    /// No line matches between the lines that the expectations before and after this one match.
    Not(String),
    /// So many lines of the section match.
    Count(usize, String),
    /// The section is from the line that matches to the `}` that closes it.
    Label(String),
    /// The section is the whole module.
    Module,
}

/// Texts that names in patterns stand for. Those after `#` and `!` are of the whole module, the
/// others of one section.
type Names = HashMap<String, String>;

/// The first expectation that does not hold, with the reason.
pub fn compare(ir: &str, expected: &[Expectation]) -> Result<(), String> {
    let lines: Vec<String> = ir.lines().map(normal).filter(|l| !l.is_empty()).collect();
    let mut state = State { lines: &lines, at: 0, end: lines.len(), start: 0, names: Names::new() };
    let mut forbidden = Vec::new();
    for expectation in expected {
        let from = state.at;
        let found = state.step(expectation).map_err(|why| format!("{}\n    {why}", show(expectation)))?;
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

fn show(expectation: &Expectation) -> String {
    match expectation {
        Expectation::Check(p) => format!("; check: {p}"),
        Expectation::Next(p) => format!("; next: {p}"),
        Expectation::Not(p) => format!("; not: {p}"),
        Expectation::Count(n, p) => format!("; count: {n} {p}"),
        Expectation::Label(p) => format!("; label: {p}"),
        Expectation::Module => "; module:".to_owned(),
    }
}

/// A line with single spaces and without LLVM's note of predecessors.
fn normal(line: &str) -> String {
    let line = line.split("; preds =").next().unwrap_or(line);
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

struct State<'a> {
    lines: &'a [String],
    /// The section.
    start: usize,
    end: usize,
    /// The next line to look at.
    at: usize,
    names: Names,
}

impl State<'_> {
    /// The number of the line that matched, where that is one line of the section; for a new
    /// section its end.
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
                let found = (self.start..self.end).filter(|&i| self.matches(i, pattern).is_some()).count();
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
    fn sections_bound_the_search() {
        assert!(!holds(&[Label(text("@f()")), Check(text("store"))]));
        assert!(holds(&[Label(text("@f()")), Not(text("store")), Label(text("@g()")), Check(text("store"))]));
        assert!(!holds(&[Label(text("@g()")), Not(text("store"))]));
        assert!(!holds(&[Label(text("@g()")), Not(text("add")), Check(text("store"))]));
        assert!(holds(&[Label(text("@g()")), Check(text("add")), Not(text("add")), Check(text("store"))]));
        assert!(holds(&[Count(2, text("add i32")), Label(text("@g()")), Count(1, text("add i32"))]));
    }
}
