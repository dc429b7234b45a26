//! The grammar of the command line: tables of commands and options, from which both the parsing and
//! the help texts are made, so that they cannot disagree.

use std::ffi::OsString;
use std::fmt::Write as _;

use crate::error::{Error, Result};

pub(super) struct CommandSpec {
    pub name: &'static str,
    pub summary: &'static str,
    pub usage: &'static str,
    pub options: &'static [OptionSpec],
    /// The name of the positional argument in messages; `None` if the command takes none.
    pub operand: Option<&'static str>,
    /// The text of the help below the options.
    pub notes: &'static str,
    pub example: &'static str,
}

pub(super) struct OptionSpec {
    pub long: &'static str,
    pub short: Option<&'static str>,
    /// The name of the value in the help; `None` for a flag.
    pub value: Option<&'static str>,
    /// A flag may have a value behind `=`.
    pub may_have_value: bool,
    pub help: &'static str,
    /// May be given more than once.
    pub repeats: bool,
    /// The value may look like an option: `--arg -1`.
    pub any_value: bool,
    /// The command takes any number of operands with this option.
    pub many_operands: bool,
}

impl OptionSpec {
    pub(super) const fn flag(long: &'static str, help: &'static str) -> Self {
        Self {
            long,
            short: None,
            value: None,
            may_have_value: false,
            help,
            repeats: false,
            any_value: false,
            many_operands: false,
        }
    }

    pub(super) const fn value(long: &'static str, value: &'static str, help: &'static str) -> Self {
        Self { value: Some(value), ..Self::flag(long, help) }
    }

    pub(super) const fn short(mut self, short: &'static str) -> Self {
        self.short = Some(short);
        self
    }

    /// A flag that takes a value behind `=`, too.
    pub(super) const fn or_value(mut self) -> Self {
        self.may_have_value = true;
        self
    }

    pub(super) const fn repeats(mut self) -> Self {
        self.repeats = true;
        self
    }

    pub(super) const fn any_value(mut self) -> Self {
        self.any_value = true;
        self
    }

    pub(super) const fn many_operands(mut self) -> Self {
        self.many_operands = true;
        self
    }

    fn is(&self, name: &str) -> bool {
        self.long == name || self.short == Some(name)
    }

    /// `-k, --kernel NAME`.
    pub(super) fn title(&self) -> String {
        let mut text = match self.short {
            Some(short) => format!("{short}, {}", self.long),
            None => format!("    {}", self.long),
        };
        if let Some(value) = self.value {
            let _ = write!(text, " {value}");
        }
        text
    }
}

/// The options and operands of a command line, in the order they were given.
#[derive(Debug, Default)]
pub(super) struct Matches {
    options: Vec<(&'static str, OsString)>,
    pub operands: Vec<OsString>,
    pub help: bool,
}

impl Matches {
    pub(super) fn has(&self, long: &str) -> bool {
        self.options.iter().any(|(name, _)| *name == long)
    }

    pub(super) fn path(&self, long: &str) -> Option<OsString> {
        self.options.iter().find(|(name, _)| *name == long).map(|(_, value)| value.clone())
    }

    /// All values of an option, as text.
    pub(super) fn all(&self, long: &str) -> Result<Vec<&str>> {
        let of_this = self.options.iter().filter(|(name, _)| *name == long);
        of_this
            .map(|(_, value)| {
                let shown = value.to_string_lossy();
                value.to_str().ok_or_else(|| Error::usage(format!("{long} {shown}: this is not UTF-8")))
            })
            .collect()
    }

    pub(super) fn one(&self, long: &str) -> Result<Option<&str>> {
        Ok(self.all(long)?.into_iter().next())
    }
}

/// Splits the words after the command's name into options and operands.
pub(super) fn scan(spec: &'static CommandSpec, words: impl IntoIterator<Item = OsString>) -> Result<Matches> {
    let mut matches = Matches::default();
    let mut words = words.into_iter();
    let mut options_ended = false;
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        if options_ended || text == "-" || !text.starts_with('-') {
            matches.operands.push(word);
            continue;
        }
        if text == "--" {
            options_ended = true;
            continue;
        }
        let (name, attached) = match text.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(OsString::from(value))),
            _ => (text.as_str(), None),
        };
        if name == "--help" || name == "-h" {
            matches.help = true;
            continue;
        }
        let option = find(spec, name)?;
        if !option.repeats && matches.has(option.long) {
            return Err(Error::usage(format!("{name} is given twice")));
        }
        let value = match (option.value, attached) {
            (None, None) => OsString::new(),
            (None, Some(value)) if option.may_have_value => value,
            (None, Some(_)) => return Err(Error::usage(format!("{name} takes no value"))),
            (Some(_), Some(value)) => value,
            (Some(meaning), None) => {
                let looks_wrong = |value: &OsString| {
                    !option.any_value && value.to_str().is_some_and(|v| spec.options.iter().any(|o| o.is(v)))
                };
                words
                    .next()
                    .filter(|value| !looks_wrong(value))
                    .ok_or_else(|| Error::usage(format!("{name} needs a value: {name} {meaning}")))?
            }
        };
        matches.options.push((option.long, value));
    }
    match spec.operand {
        None if !matches.operands.is_empty() => {
            let word = matches.operands[0].to_string_lossy();
            Err(Error::usage(format!("`lanewise {}` takes no argument, but there is {word}", spec.name)))
        }
        Some(_) if spec.options.iter().any(|o| o.many_operands && matches.has(o.long)) => Ok(matches),
        Some(what) if matches.operands.len() > 1 => {
            let [first, second] = [0, 1].map(|i| matches.operands[i].to_string_lossy());
            Err(Error::usage(format!(
                "`lanewise {}` takes one {what}, but there are {first} and {second}",
                spec.name
            )))
        }
        _ => Ok(matches),
    }
}

fn find(spec: &'static CommandSpec, name: &str) -> Result<&'static OptionSpec> {
    if let Some(option) = spec.options.iter().find(|option| option.is(name)) {
        return Ok(option);
    }
    let known = spec.options.iter().map(|option| option.long).chain(["--help"]);
    Err(Error::usage(match closest(name, known) {
        Some(other) => format!("`lanewise {}` has no option {name}: did you mean {other}?", spec.name),
        None => format!(
            "`lanewise {}` has no option {name}: `lanewise {0} --help` lists those there are",
            spec.name
        ),
    }))
}

/// The word of `known` that a misspelled `word` probably stands for.
pub fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.trim_start_matches('-').to_lowercase();
    let word = plain(word);
    let score = |other: &str| {
        let other = plain(other);
        if !word.is_empty() && word.len() >= 2 && other.starts_with(&word) {
            0
        } else {
            distance(&word, &other)
        }
    };
    let (best, candidate) = known.into_iter().map(|k| (score(k), k)).min_by_key(|(score, _)| *score)?;
    // Up to a third of the letters may be wrong, and at least one.
    (best <= (word.chars().count() / 3).max(1)).then_some(candidate)
}

/// The edit distance: insertions, deletions, replacements and swaps of neighbours.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

/// The text of `lanewise COMMAND --help`.
pub(super) fn help_of(spec: &CommandSpec) -> String {
    let mut text = format!("{}\n\nusage: lanewise {}\n", spec.summary, spec.usage);
    if !spec.options.is_empty() {
        let titles: Vec<String> = spec.options.iter().map(OptionSpec::title).collect();
        let width = titles.iter().map(String::len).max().unwrap_or(0);
        text.push('\n');
        for (title, option) in titles.iter().zip(spec.options) {
            let _ = writeln!(text, "  {title:width$}  {}", option.help);
        }
    }
    if !spec.notes.is_empty() {
        let _ = write!(text, "\n{}\n", spec.notes);
    }
    let _ = write!(text, "\nexample:\n");
    for line in spec.example.lines() {
        let _ = writeln!(text, "  {line}");
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kernel", "kernel"), 0);
        assert_eq!(distance("kenrel", "kernel"), 1);
        assert_eq!(distance("ofset", "offset"), 1);
        assert_eq!(distance("run", "opt"), 3);
    }

    #[test]
    fn suggestions() {
        let known = ["run", "compile", "opt", "info", "help"];
        assert_eq!(closest("comiple", known), Some("compile"));
        assert_eq!(closest("comp", known), Some("compile"));
        assert_eq!(closest("inf", known), Some("info"));
        assert_eq!(closest("banana", known), None);
        assert_eq!(closest("-passes", ["--passes"]), Some("--passes"));
    }
}
