//! The passes and stages that textual pipelines can name.

use crate::{Pass, PassError, Pipeline};
use std::collections::BTreeMap;
use std::fmt;

/// The options of a pass in a textual pipeline: `name<flag;key=value>`.
///
/// Registered passes take them ([`Options::flag`], [`Options::value`]), and [`Pass::options`] gives
/// them ([`Options::with_flag`], [`Options::with_value`]). In values, characters that pipelines
/// give a meaning to, or a shell does, are escaped as `%XX`, one escape for each byte of UTF-8.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options(Vec<(String, Option<String>)>);

impl Options {
    pub fn parse(text: &str) -> Result<Self, PassError> {
        let parse = |part: &str| match part.split_once('=') {
            Some((key, value)) => Ok((key.trim().to_owned(), Some(unescape(value.trim())?))),
            None => Ok((part.trim().to_owned(), None)),
        };
        text.split(';')
            .filter(|part| !part.trim().is_empty())
            .map(parse)
            .collect::<Result<_, _>>()
            .map(Options)
    }

    /// Takes a flag: whether it was given.
    pub fn flag(&mut self, name: &str) -> Result<bool, PassError> {
        match self.take(name) {
            None => Ok(false),
            Some(None) => Ok(true),
            Some(Some(value)) => {
                Err(format!("the option '{name}' takes no value, but was given '{value}'").into())
            }
        }
    }

    /// Takes an option with a value.
    pub fn value(&mut self, name: &str) -> Result<Option<String>, PassError> {
        match self.take(name) {
            None => Ok(None),
            Some(Some(value)) => Ok(Some(value)),
            Some(None) => Err(format!("the option '{name}' needs a value: {name}=…").into()),
        }
    }

    /// These options and a flag, where it is set.
    pub fn with_flag(mut self, name: &str, is_set: bool) -> Self {
        if is_set {
            self.0.push((name.to_owned(), None));
        }
        self
    }

    /// These options and one with a value, where there is a value.
    pub fn with_value(mut self, name: &str, value: Option<impl ToString>) -> Self {
        if let Some(value) = value {
            self.0.push((name.to_owned(), Some(value.to_string())));
        }
        self
    }

    fn take(&mut self, name: &str) -> Option<Option<String>> {
        let at = self.0.iter().position(|(key, _)| key == name)?;
        Some(self.0.remove(at).1)
    }

    /// Refuses options that the pass did not take.
    fn finish(&self) -> Result<(), PassError> {
        match self.0.first() {
            None => Ok(()),
            Some((key, _)) => Err(format!("unknown option '{key}'").into()),
        }
    }
}

/// `<flag;key=value>`, or nothing if there are no options.
impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (key, value)) in self.0.iter().enumerate() {
            write!(f, "{}{key}", if i == 0 { '<' } else { ';' })?;
            if let Some(value) = value {
                write!(f, "={}", escape(value))?;
            }
        }
        if self.0.is_empty() { Ok(()) } else { f.write_str(">") }
    }
}

fn escape(value: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:+-".contains(&byte);
    let escape = |byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02x}") };
    value.bytes().map(escape).collect()
}

fn unescape(value: &str) -> Result<String, PassError> {
    let wrong = || format!("'{value}' has a '%' that two hexadecimal digits of UTF-8 do not follow");
    let mut bytes = Vec::new();
    let mut rest = value;
    while let Some((before, escaped)) = rest.split_once('%') {
        let digits = escaped.get(..2).ok_or_else(wrong)?;
        bytes.extend(before.bytes());
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| wrong())?);
        rest = &escaped[2..];
    }
    bytes.extend(rest.bytes());
    String::from_utf8(bytes).map_err(|_| wrong().into())
}

type MakePass = Box<dyn Fn(&mut Options) -> Result<Box<dyn Pass>, PassError>>;
type MakeStage = Box<dyn Fn(&mut Options) -> Result<Pipeline, PassError>>;

struct Entry<Make> {
    summary: &'static str,
    make: Make,
}

/// Passes by name, and stages: pipelines with a name, which stand for their passes.
#[derive(Default)]
pub struct Registry {
    passes: BTreeMap<&'static str, Entry<MakePass>>,
    stages: BTreeMap<&'static str, Entry<MakeStage>>,
}

impl Registry {
    /// Adds a pass that has no options, or replaces the one of its name.
    pub fn add<P: Pass + Copy + 'static>(&mut self, summary: &'static str, pass: P) {
        self.register(pass.name(), summary, move |_| Ok(pass));
    }

    /// Adds a pass that is made from its options, or replaces the one of this name.
    pub fn register<P: Pass + 'static>(
        &mut self,
        name: &'static str,
        summary: &'static str,
        make: impl Fn(&mut Options) -> Result<P, PassError> + 'static,
    ) {
        let make: MakePass = Box::new(move |options| Ok(Box::new(make(options)?)));
        self.passes.insert(name, Entry { summary, make });
    }

    /// Adds a stage, or replaces the one of this name. A pass of the same name comes first.
    pub fn register_stage(
        &mut self,
        name: &'static str,
        summary: &'static str,
        make: impl Fn(&mut Options) -> Result<Pipeline, PassError> + 'static,
    ) {
        self.stages.insert(name, Entry { summary, make: Box::new(make) });
    }

    /// The pass or the passes of the stage that textual pipelines call `name`.
    pub(crate) fn make(&self, name: &str, options: &str) -> Result<Pipeline, PassError> {
        let wrong = |e| format!("{name}: {e}");
        let mut options = Options::parse(options).map_err(wrong)?;
        let made = match (self.passes.get(name), self.stages.get(name)) {
            (Some(pass), _) => (pass.make)(&mut options).map(Pipeline::from),
            (None, Some(stage)) => (stage.make)(&mut options),
            (None, None) => {
                let known: Vec<_> = self.passes.keys().chain(self.stages.keys()).copied().collect();
                return Err(
                    format!("unknown pass '{name}'; there are llvm(…) and {}", known.join(", ")).into()
                );
            }
        };
        let made = made.map_err(wrong)?;
        options.finish().map_err(wrong)?;
        Ok(made)
    }

    /// Names and summaries of the passes, in alphabetical order.
    pub fn list(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.passes.iter().map(|(name, entry)| (*name, entry.summary))
    }

    /// Names and summaries of the stages, in alphabetical order.
    pub fn stages(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.stages.iter().map(|(name, entry)| (*name, entry.summary))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_text_and_back() {
        let name = "a name, <odd>; 100% 'é'";
        let options = Options::default()
            .with_flag("debug", true)
            .with_flag("absent", false)
            .with_value("kernel", Some(name))
            .with_value("none", None::<u32>);
        let text = options.to_string();
        assert_eq!(text, "<debug;kernel=a%20name%2c%20%3codd%3e%3b%20100%25%20%27%c3%a9%27>");
        let mut parsed = Options::parse(&text[1..text.len() - 1]).unwrap();
        assert_eq!(parsed, options);
        assert_eq!(parsed.value("kernel"), Ok(Some(name.to_owned())));
        assert_eq!(Options::default().to_string(), "");
    }

    #[test]
    fn broken_escapes_are_refused() {
        for text in ["a=%", "a=%4", "a=%zz", "a=%ff", "a=%é"] {
            assert!(
                Options::parse(text).unwrap_err().to_string().contains("two hexadecimal digits"),
                "{text}"
            );
        }
    }
}
