//! The passes that pipelines can name.

use crate::Pass;
use std::collections::BTreeMap;

/// The options of a pass in a textual pipeline: `name<flag;key=value>`.
#[derive(Clone, Debug, Default)]
pub struct Options(Vec<(String, Option<String>)>);

impl Options {
    pub fn parse(text: &str) -> Self {
        let parse = |part: &str| match part.split_once('=') {
            Some((key, value)) => (key.trim().to_owned(), Some(value.trim().to_owned())),
            None => (part.trim().to_owned(), None),
        };
        Options(text.split(';').filter(|part| !part.trim().is_empty()).map(parse).collect())
    }

    /// Takes a flag: whether it was given.
    pub fn flag(&mut self, name: &str) -> Result<bool, String> {
        match self.take(name) {
            None => Ok(false),
            Some(None) => Ok(true),
            Some(Some(value)) => Err(format!("the option '{name}' takes no value, but was given '{value}'")),
        }
    }

    /// Takes an option with a value.
    pub fn value(&mut self, name: &str) -> Result<Option<String>, String> {
        match self.take(name) {
            None => Ok(None),
            Some(Some(value)) => Ok(Some(value)),
            Some(None) => Err(format!("the option '{name}' needs a value: {name}=…")),
        }
    }

    fn take(&mut self, name: &str) -> Option<Option<String>> {
        let at = self.0.iter().position(|(key, _)| key == name)?;
        Some(self.0.remove(at).1)
    }

    /// Refuses what no call has taken.
    fn finish(&self) -> Result<(), String> {
        match self.0.first() {
            None => Ok(()),
            Some((key, _)) => Err(format!("unknown option '{key}'")),
        }
    }
}

type Make = Box<dyn Fn(&mut Options) -> Result<Box<dyn Pass>, String>>;

struct Entry {
    summary: &'static str,
    make: Make,
}

/// Passes by name.
#[derive(Default)]
pub struct Registry(BTreeMap<&'static str, Entry>);

impl Registry {
    /// Adds a pass, or replaces the one of this name.
    pub fn register<P: Pass + 'static>(
        &mut self,
        name: &'static str,
        summary: &'static str,
        make: impl Fn(&mut Options) -> Result<P, String> + 'static,
    ) {
        let make: Make = Box::new(move |options| Ok(Box::new(make(options)?)));
        self.0.insert(name, Entry { summary, make });
    }

    pub fn make(&self, name: &str, mut options: Options) -> Result<Box<dyn Pass>, String> {
        let Some(entry) = self.0.get(name) else {
            let known: Vec<_> = self.0.keys().copied().collect();
            return Err(format!("unknown pass '{name}'; there are llvm(…) and {}", known.join(", ")));
        };
        let pass = (entry.make)(&mut options).map_err(|e| format!("{name}: {e}"))?;
        options.finish().map_err(|e| format!("{name}: {e}"))?;
        Ok(pass)
    }

    /// Names and summaries, in alphabetical order.
    pub fn list(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.0.iter().map(|(name, entry)| (*name, entry.summary))
    }
}
