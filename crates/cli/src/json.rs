//! JSON, as far as the program writes it.

use std::fmt;

pub enum Json {
    Null,
    Bool(bool),
    Number(usize),
    /// Finite.
    Real(f64),
    Text(String),
    List(Vec<Json>),
    /// In the order given.
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    pub fn list<T: Into<Json>>(items: impl IntoIterator<Item = T>) -> Json {
        Json::List(items.into_iter().map(T::into).collect())
    }

    pub fn object<const N: usize>(members: [(&'static str, Json); N]) -> Json {
        Json::Object(members.into())
    }

    /// One member or item a line, `depth` levels deep.
    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        let line = |f: &mut fmt::Formatter<'_>, depth: usize| write!(f, "\n{:1$}", "", 2 * depth);
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Number(value) => write!(f, "{value}"),
            Json::Real(value) => write!(f, "{value}"),
            Json::Text(text) => write_text(f, text),
            Json::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    f.write_str(if i == 0 { "" } else { "," })?;
                    line(f, depth + 1)?;
                    item.write(f, depth + 1)?;
                }
                if !items.is_empty() {
                    line(f, depth)?;
                }
                f.write_str("]")
            }
            Json::Object(members) => {
                f.write_str("{")?;
                for (i, (name, value)) in members.iter().enumerate() {
                    f.write_str(if i == 0 { "" } else { "," })?;
                    line(f, depth + 1)?;
                    write_text(f, name)?;
                    f.write_str(": ")?;
                    value.write(f, depth + 1)?;
                }
                if !members.is_empty() {
                    line(f, depth)?;
                }
                f.write_str("}")
            }
        }
    }
}

fn write_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            c if u32::from(c) < 0x20 => write!(f, "\\u{:04x}", u32::from(c))?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Json::Bool(value)
    }
}

impl From<usize> for Json {
    fn from(value: usize) -> Self {
        Json::Number(value)
    }
}

impl From<f64> for Json {
    fn from(value: f64) -> Self {
        Json::Real(value)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Json::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Json::Text(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_spelled_and_escaped() {
        let value = Json::object([
            ("a", Json::list([1usize, 2])),
            ("b", Json::object([])),
            ("c", Json::list([""; 0])),
            ("d", "q\"\\\n\u{1}µ".into()),
            ("e", true.into()),
            ("f", Json::Null),
            ("g", 0.25.into()),
        ]);
        let text = "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": [],\n  \
                    \"d\": \"q\\\"\\\\\\u000a\\u0001µ\",\n  \"e\": true,\n  \"f\": null,\n  \"g\": 0.25\n}";
        assert_eq!(value.to_string(), text);
    }
}
