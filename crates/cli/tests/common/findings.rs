//! What checked mode found, as it writes it to `LANEWISE_CHECK_JSON`, and what tests expect of it.

use std::collections::BTreeMap;
use std::path::Path;

/// The lines of a source, from 1, that bear the markers `// HERE` and `// OTHER`.
pub struct Places {
    pub here: Vec<i64>,
    pub other: Vec<i64>,
}

impl Places {
    pub fn of(source: &str) -> Places {
        let marked = |marker: &str| {
            let bears = |line: &str| {
                let comment = line.split_once("// ").map_or("", |(_, comment)| comment);
                let markers = comment.split("=>").next().unwrap();
                markers.split_whitespace().any(|word| word == marker)
            };
            (1..).zip(source.lines()).filter(|(_, line)| bears(line)).map(|(number, _)| number).collect()
        };
        Places { here: marked("HERE"), other: marked("OTHER") }
    }
}

/// `race read global_id=3,0,0|4,0,0 other_global_id=5,0,0`: a kind, and fields with the values
/// that are allowed.
pub struct Expectation {
    pub text: String,
    pub kind: String,
    fields: Vec<(String, Vec<String>)>,
}

impl Expectation {
    pub fn new(text: &str) -> Expectation {
        let mut words = text.split_whitespace();
        let kind = words.next().unwrap().to_owned();
        let fields = words.map(|word| {
            let (key, values) = word.split_once('=').unwrap_or(("access", word));
            (key.to_owned(), values.split('|').map(str::to_owned).collect())
        });
        Expectation { text: text.to_owned(), kind, fields: fields.collect() }
    }

    /// The reason why a finding is another one.
    pub fn matches(&self, kernel: &str, places: &Places, finding: &Json) -> Result<(), String> {
        let is = |key: &str, found: &str, allowed: &[String]| {
            if allowed.iter().any(|value| value == found) { Ok(()) } else { Err(format!("{key} is {found}")) }
        };
        let lines = |lines: &[i64]| lines.iter().map(i64::to_string).collect::<Vec<_>>();
        is("kind", finding["kind"].text(), std::slice::from_ref(&self.kind))?;
        is("kernel", finding["kernel"].text(), &[kernel.to_owned()])?;
        is("line", &finding["line"].show(), &lines(&places.here))?;
        if finding["column"].number() < 1 {
            return Err("it has no column".to_owned());
        }
        if self.kind == "race" {
            let other = if places.other.is_empty() { &places.here } else { &places.other };
            is("other.line", &finding["other"]["line"].show(), &lines(other))?;
        }
        for (key, allowed) in &self.fields {
            let found = match key.strip_prefix("other_") {
                Some(key) => finding["other"][key].show(),
                None => finding[key.as_str()].show(),
            };
            is(key, &found, allowed)?;
        }
        Ok(())
    }
}

/// The objects of a file that has one in each line. Nothing was found where there is no file.
pub fn read(path: &Path) -> Result<Vec<Json>, String> {
    parse(&std::fs::read_to_string(path).unwrap_or_default())
}

/// The objects of a text that has one in each line.
pub fn parse(text: &str) -> Result<Vec<Json>, String> {
    let parse = |line: &str| {
        let mut rest = line;
        let value = Json::parse(&mut rest).filter(|_| rest.trim().is_empty());
        value.ok_or_else(|| format!("no JSON: {line}"))
    };
    text.lines().map(parse).collect()
}

#[derive(Debug)]
pub enum Json {
    Null,
    Bool(bool),
    Number(i64),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    /// The value at the start of a text, which is shortened by it. Numbers are whole.
    fn parse(text: &mut &str) -> Option<Json> {
        *text = text.trim_start();
        for (word, value) in [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))]
        {
            if let Some(rest) = text.strip_prefix(word) {
                *text = rest;
                return Some(value);
            }
        }
        match text.chars().next()? {
            '"' => Json::string(text).map(Json::Text),
            '[' => Json::items(text, ']', Json::parse).map(Json::List),
            '{' => {
                let pair = |text: &mut &str| {
                    *text = text.trim_start();
                    let key = Json::string(text)?;
                    *text = text.trim_start().strip_prefix(':')?;
                    Some((key, Json::parse(text)?))
                };
                Json::items(text, '}', pair).map(|pairs| Json::Object(pairs.into_iter().collect()))
            }
            _ => {
                let end = text.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(text.len());
                let (number, rest) = text.split_at(end);
                *text = rest;
                number.parse().ok().map(Json::Number)
            }
        }
    }

    fn items<T>(text: &mut &str, end: char, item: impl Fn(&mut &str) -> Option<T>) -> Option<Vec<T>> {
        *text = text[1..].trim_start();
        let mut items = Vec::new();
        loop {
            if let Some(rest) = text.strip_prefix(end) {
                *text = rest;
                return Some(items);
            }
            if !items.is_empty() {
                *text = text.strip_prefix(',')?;
            }
            items.push(item(text)?);
            *text = text.trim_start();
        }
    }

    fn string(text: &mut &str) -> Option<String> {
        let mut chars = text.strip_prefix('"')?.chars();
        let mut string = String::new();
        loop {
            match chars.next()? {
                '"' => break,
                '\\' => string.push(match chars.next()? {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'u' => {
                        let digits: String = chars.by_ref().take(4).collect();
                        char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
                    }
                    other => other,
                }),
                other => string.push(other),
            }
        }
        *text = chars.as_str();
        Some(string)
    }

    pub fn text(&self) -> &str {
        if let Json::Text(text) = self { text } else { "" }
    }

    pub fn number(&self) -> i64 {
        if let Json::Number(number) = self { *number } else { 0 }
    }

    /// As expectations are written: `3`, `write`, `1,2,0`.
    fn show(&self) -> String {
        match self {
            Json::Null => "null".to_owned(),
            Json::Bool(value) => value.to_string(),
            Json::Number(number) => number.to_string(),
            Json::Text(text) => text.clone(),
            Json::List(items) => items.iter().map(Json::show).collect::<Vec<_>>().join(","),
            Json::Object(_) => "an object".to_owned(),
        }
    }
}

/// A field of an object; null where there is none.
impl std::ops::Index<&str> for Json {
    type Output = Json;

    fn index(&self, key: &str) -> &Json {
        if let Json::Object(fields) = self { fields.get(key).unwrap_or(&Json::Null) } else { &Json::Null }
    }
}
