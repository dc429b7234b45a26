//! Reports: what was found, as text for people and as JSON.

use super::origin::Origin;
use ir::check::{Memory, Root, Site};
use std::fmt::Write as _;

/// The kinds of mistakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    OutOfBounds,
    Race,
    Uninitialized,
    Barrier,
    Alignment,
    Arithmetic,
    ReadOnly,
    WriteOnly,
    Freed,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::OutOfBounds => "out-of-bounds",
            Kind::Race => "race",
            Kind::Uninitialized => "uninitialized",
            Kind::Barrier => "barrier",
            Kind::Alignment => "alignment",
            Kind::Arithmetic => "arithmetic",
            Kind::ReadOnly => "read-only",
            Kind::WriteOnly => "write-only",
            Kind::Freed => "freed",
        }
    }
}

/// The IDs of a work-item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ids {
    pub global: [u64; 3],
    pub local: [u64; 3],
    pub group: [u64; 3],
}

/// The second access of a race.
#[derive(Clone, Debug)]
pub struct Other {
    pub site: Site,
    pub ids: Ids,
    /// Whether it is of another launch.
    pub launch: bool,
}

/// A mistake at one place of a kernel.
#[derive(Clone, Debug)]
pub struct Finding {
    pub kind: Kind,
    pub site: Site,
    pub ids: Ids,
    /// The memory that was accessed, in words: "argument 1 `out` (buffer of 4 KiB)".
    pub memory: String,
    /// The number of the argument.
    pub argument: Option<u32>,
    /// The byte of that memory, if it is known.
    pub offset: Option<i64>,
    /// The bytes of the memory.
    pub extent: Option<u64>,
    /// The bytes of the access.
    pub size: u64,
    /// What is wrong, in words, where the kind does not say it.
    pub note: String,
    pub other: Option<Other>,
    /// The call that made the memory.
    pub(super) origin: Origin,
    pub count: u64,
}

/// The variable or argument that a root is, in words.
pub fn describe(root: &Root, what: &str) -> String {
    let name = &root.name;
    match root.memory {
        Memory::Argument => format!("argument {} `{name}` ({what})", root.number),
        Memory::LocalArgument => format!("argument {} `{name}` (local memory)", root.number),
        Memory::Private => format!("`{name}` (private memory)"),
        Memory::Local => format!("`{name}` (local memory)"),
        Memory::Program => format!("`{name}` (variable of the program)"),
    }
}

/// A size in words: "4 KiB", "100 bytes".
pub fn size(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        n if n >= 1 << 30 && n % (1 << 30) == 0 => format!("{} GiB", n >> 30),
        n if n >= 1 << 20 && n % (1 << 20) == 0 => format!("{} MiB", n >> 20),
        n if n >= 1 << 10 && n % (1 << 10) == 0 => format!("{} KiB", n >> 10),
        n => format!("{n} bytes"),
    }
}

fn ids(ids: &[u64; 3]) -> String {
    format!("({}, {}, {})", ids[0], ids[1], ids[2])
}

/// The line of a site with a caret under its column.
fn source(site: &Site, text: &mut String) {
    let Some(frame) = site.frames.first() else {
        let _ = writeln!(text, "  --> a place without a line");
        return;
    };
    let file = if frame.file.is_empty() { "<source>" } else { &frame.file };
    let _ = writeln!(text, "  --> {file}:{}:{}", frame.line, frame.column);
    let read = || {
        let lines = std::fs::read_to_string(&frame.file).ok()?;
        lines.lines().nth((frame.line as usize).checked_sub(1)?).map(str::to_owned)
    };
    let line = if site.text.is_empty() { read() } else { Some(site.text.clone()) };
    let Some(line) = line else { return };
    let number = frame.line.to_string();
    let margin = " ".repeat(number.len());
    let _ = writeln!(text, " {number} | {line}");
    // Tabs stay tabs, so that the caret is under its column at any width of them.
    let column = (frame.column as usize).saturating_sub(1);
    let blanks: String = line.chars().take(column).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let _ = writeln!(text, " {margin} | {blanks}^");
}

impl Finding {
    /// Adds where the memory was made to its description: `(buffer of 4 KiB made at main.c:12)`.
    pub(super) fn say_origin(&mut self, place: &str) {
        if let Some(start) = self.memory.strip_suffix(')') {
            self.memory = format!("{start} made at {place})");
        }
    }

    /// A finding of which only the place is known.
    pub fn new(kind: Kind, site: Site, ids: Ids) -> Finding {
        let note = site.note.clone();
        let (memory, argument, offset, extent, size, other, origin) = Default::default();
        let count = 1;
        Finding { kind, site, ids, memory, argument, offset, extent, size, note, other, origin, count }
    }

    /// The words of the first line.
    fn headline(&self) -> String {
        let bytes = if self.size > 0 { format!(" of {}", size(self.size)) } else { String::new() };
        let access = self.site.access.name();
        let kernel = &self.site.kernel;
        let what = match self.kind {
            Kind::OutOfBounds => format!("{access}{bytes} out of bounds"),
            Kind::Freed => format!("{access}{bytes} of freed memory"),
            Kind::ReadOnly => format!("{access}{bytes} of memory that may only be read"),
            Kind::WriteOnly => format!("{access}{bytes} of memory that may only be written"),
            Kind::Alignment => {
                format!("{access}{bytes} at an address that is not aligned to {}", self.site.align)
            }
            Kind::Race => format!("race: {access}{bytes}"),
            Kind::Uninitialized | Kind::Barrier | Kind::Arithmetic => self.note.clone(),
        };
        format!("{what} in kernel '{kernel}'")
    }

    /// The report for a person, several lines.
    pub fn text(&self) -> String {
        let mut text = format!("lanewise: {}\n", self.headline());
        source(&self.site, &mut text);
        if let Some(offset) = self.offset {
            let of = self.extent.map_or(String::new(), |extent| format!(" of {extent}"));
            let _ = writeln!(text, "   = byte {offset}{of} of {}", self.memory);
        } else if !self.memory.is_empty() {
            let _ = writeln!(text, "   = {}", self.memory);
        }
        let of = |at: &Ids| {
            format!("global ID {}, local ID {}, group {}", ids(&at.global), ids(&at.local), ids(&at.group))
        };
        let _ = writeln!(text, "   = work-item with {}", of(&self.ids));
        if let [inner, _, ..] = self.site.frames.as_slice() {
            let _ = writeln!(text, "   = in function '{}'", inner.function);
        }
        for caller in self.site.frames.iter().skip(1) {
            let _ = writeln!(
                text,
                "   = called by '{}' at {}:{}:{}",
                caller.function, caller.file, caller.line, caller.column
            );
        }
        if let Some(other) = &self.other {
            match self.kind {
                Kind::Barrier => {
                    let _ = writeln!(text, "   = where the work-item with {} waits", of(&other.ids));
                }
                _ => {
                    let (access, ids) = (other.site.access.name(), of(&other.ids));
                    let launch = match other.launch {
                        true => {
                            format!(
                                " in kernel '{}', a launch that nothing orders with it",
                                other.site.kernel
                            )
                        }
                        false => String::new(),
                    };
                    let _ =
                        writeln!(text, "   = with the {access} here{launch}, of the work-item with {ids}");
                    source(&other.site, &mut text);
                }
            }
        }
        if self.count > 1 {
            let _ = writeln!(text, "   = {} times", self.count);
        }
        text
    }

    /// The report as one JSON object, without a newline.
    pub fn json(&self) -> String {
        let mut json = String::from("{");
        let frame = self.site.frames.first().cloned().unwrap_or_default();
        field(&mut json, "kind", &quote(self.kind.name()));
        field(&mut json, "kernel", &quote(&self.site.kernel));
        field(&mut json, "file", &quote(&frame.file));
        field(&mut json, "line", &frame.line.to_string());
        field(&mut json, "column", &frame.column.to_string());
        field(&mut json, "access", &quote(self.site.access.name()));
        ids_fields(&mut json, &self.ids);
        let or_null = |n: Option<String>| n.unwrap_or_else(|| "null".to_owned());
        field(&mut json, "argument", &or_null(self.argument.map(|n| n.to_string())));
        field(&mut json, "offset", &or_null(self.offset.map(|n| n.to_string())));
        field(&mut json, "size", &self.size.to_string());
        field(&mut json, "extent", &or_null(self.extent.map(|n| n.to_string())));
        field(&mut json, "memory", &quote(&self.memory));
        field(&mut json, "message", &quote(&self.headline()));
        let stack = self.site.frames.iter().map(|frame| {
            let mut json = String::from("{");
            field(&mut json, "function", &quote(&frame.function));
            field(&mut json, "file", &quote(&frame.file));
            field(&mut json, "line", &frame.line.to_string());
            field(&mut json, "column", &frame.column.to_string());
            json + "}"
        });
        field(&mut json, "stack", &format!("[{}]", stack.collect::<Vec<_>>().join(",")));
        if let Some(other) = &self.other {
            let frame = other.site.frames.first().cloned().unwrap_or_default();
            let mut second = String::from("{");
            field(&mut second, "kernel", &quote(&other.site.kernel));
            field(&mut second, "file", &quote(&frame.file));
            field(&mut second, "line", &frame.line.to_string());
            field(&mut second, "column", &frame.column.to_string());
            field(&mut second, "access", &quote(other.site.access.name()));
            ids_fields(&mut second, &other.ids);
            field(&mut json, "other", &(second + "}"));
        }
        field(&mut json, "count", &self.count.to_string());
        json + "}"
    }
}

fn ids_fields(json: &mut String, ids: &Ids) {
    let list = |ids: &[u64; 3]| format!("[{},{},{}]", ids[0], ids[1], ids[2]);
    field(json, "global_id", &list(&ids.global));
    field(json, "local_id", &list(&ids.local));
    field(json, "group_id", &list(&ids.group));
}

fn field(json: &mut String, name: &str, value: &str) {
    if !json.ends_with('{') {
        json.push(',');
    }
    let _ = write!(json, "\"{name}\":{value}");
}

fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if (c as u32) < 0x20 => {
                let _ = write!(quoted, "\\u{:04x}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::check::{Access, Frame};

    #[test]
    fn a_report_says_where_and_who() {
        let site = Site {
            event: 0,
            access: Access::Write,
            local: false,
            narrow: false,
            size: 4,
            align: 4,
            kernel: "k".into(),
            note: String::new(),
            text: "\tout[i] = \"x\";".into(),
            roots: vec![],
            frames: vec![
                Frame { function: "put".into(), file: "a.cl".into(), line: 7, column: 2 },
                Frame { function: "k".into(), file: "a.cl".into(), line: 12, column: 3 },
            ],
        };
        let ids = Ids { global: [1024, 0, 0], local: [0; 3], group: [16, 0, 0] };
        let finding = Finding {
            kind: Kind::OutOfBounds,
            site,
            ids,
            memory: "argument 1 `out` (buffer of 4 KiB)".into(),
            argument: Some(1),
            offset: Some(4096),
            extent: Some(4096),
            size: 4,
            note: String::new(),
            other: None,
            origin: Origin::default(),
            count: 3,
        };
        let expected = [
            "lanewise: write of 4 bytes out of bounds in kernel 'k'",
            "  --> a.cl:7:2",
            " 7 | \tout[i] = \"x\";",
            "   | \t^",
            "   = byte 4096 of 4096 of argument 1 `out` (buffer of 4 KiB)",
            "   = work-item with global ID (1024, 0, 0), local ID (0, 0, 0), group (16, 0, 0)",
            "   = in function 'put'",
            "   = called by 'k' at a.cl:12:3",
            "   = 3 times",
            "",
        ]
        .join("\n");
        assert_eq!(finding.text(), expected);
        let json = finding.json();
        assert!(
            json.starts_with(r#"{"kind":"out-of-bounds","kernel":"k","file":"a.cl","line":7,"column":2,"#)
        );
        assert!(json.contains(r#""global_id":[1024,0,0],"local_id":[0,0,0],"group_id":[16,0,0]"#));
        assert!(json.ends_with(r#""count":3}"#));
    }
}
