//! The memory layout of structs and arrays, as the compiler notes it: `{16:0 a int,4 b int[3]}` is
//! a struct of 16 bytes with an `int a` at its start and an `int b[3]` from byte 4 on.

use crate::element::ElementType;
use crate::literal;

/// The deepest nesting of types.
const DEEPEST: usize = 64;
/// The most scalars of an element, for uses that visit each of them.
const MOST_SCALARS: usize = 1 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    Element(ElementType),
    Array(Box<Layout>, usize),
    Struct {
        size: usize,
        fields: Vec<Field>,
    },
    /// The bytes of a union, a pointer or another type whose values have no text form.
    Opaque(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub offset: usize,
    pub name: String,
    pub layout: Layout,
}

impl Layout {
    /// Parses the layout that the compiler noted. `None` if it noted none, or if it is damaged.
    pub fn parse(text: &str) -> Option<Layout> {
        let (layout, rest) = parse(text, 0)?;
        (rest.is_empty() && layout.size() > 0).then_some(layout)
    }

    pub fn size(&self) -> usize {
        match self {
            Layout::Element(element) => element.size(),
            // The parser checked that the product does not overflow.
            Layout::Array(inner, count) => inner.size() * count,
            Layout::Struct { size, .. } | Layout::Opaque(size) => *size,
        }
    }

    /// The scalars of the type with their offsets, in the order of the declaration. `None` if there
    /// are too many.
    pub fn scalars(&self) -> Option<Vec<(usize, ElementType)>> {
        let mut all = Vec::new();
        self.add_scalars(0, &mut all).then_some(all)
    }

    fn add_scalars(&self, at: usize, all: &mut Vec<(usize, ElementType)>) -> bool {
        match self {
            Layout::Element(element) => {
                let scalar = ElementType { lanes: 1, ..*element };
                all.extend((0..element.lanes).map(|lane| (at + lane * scalar.size(), scalar)));
            }
            Layout::Array(inner, count) => {
                return (0..*count).all(|i| inner.add_scalars(at + i * inner.size(), all));
            }
            Layout::Struct { fields, .. } => {
                return fields.iter().all(|field| field.layout.add_scalars(at + field.offset, all));
            }
            Layout::Opaque(size) => all.extend((0..*size).map(|i| (at + i, ElementType::RAW))),
        }
        all.len() <= MOST_SCALARS
    }

    /// The bytes of a value in braces: `{1,2.5,{3,4}}`. The outer braces may be left out.
    pub fn value(&self, text: &str) -> Result<Vec<u8>, String> {
        let text = text.trim();
        let mut bytes = vec![0; self.size()];
        let braced = format!("{{{text}}}");
        self.put(if text.starts_with('{') { text } else { &braced }, &mut bytes)?;
        Ok(bytes)
    }

    fn put(&self, text: &str, bytes: &mut [u8]) -> Result<(), String> {
        let inside = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        let parts: Vec<(usize, &Layout)> = match self {
            Layout::Element(element) => {
                let value = literal::parse(*element, inside.unwrap_or(text))?;
                bytes.copy_from_slice(&value);
                return Ok(());
            }
            Layout::Opaque(size) => return Err(format!("{text} cannot give the {size} bytes of this type")),
            Layout::Array(inner, count) => (0..*count).map(|i| (i * inner.size(), &**inner)).collect(),
            Layout::Struct { fields, .. } => {
                fields.iter().map(|field| (field.offset, &field.layout)).collect()
            }
        };
        let inside = inside.ok_or_else(|| format!("{text} should be {} values in braces", parts.len()))?;
        let values = split(inside).ok_or_else(|| format!("the braces in {text} do not match"))?;
        if values.len() != parts.len() {
            return Err(format!("{text} has {} values, but there are {} fields", values.len(), parts.len()));
        }
        for ((offset, layout), value) in parts.into_iter().zip(values) {
            let place = bytes.get_mut(offset..offset + layout.size()).ok_or("the layout is damaged")?;
            layout.put(value.trim(), place)?;
        }
        Ok(())
    }

    /// The value that stands in `bytes`, as [`Layout::value`] takes it.
    pub fn show(&self, bytes: &[u8], one: &impl Fn(&[u8], ElementType) -> String) -> String {
        let list = |values: Vec<String>| format!("{{{}}}", values.join(", "));
        match self {
            Layout::Element(element) => one(bytes, *element),
            Layout::Opaque(_) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
            Layout::Array(inner, _) => {
                list(bytes.chunks_exact(inner.size().max(1)).map(|part| inner.show(part, one)).collect())
            }
            Layout::Struct { fields, .. } => {
                let part = |field: &Field| bytes.get(field.offset..field.offset + field.layout.size());
                let show = |field: &Field| Some(field.layout.show(part(field)?, one));
                list(fields.iter().filter_map(show).collect())
            }
        }
    }
}

/// Splits at the commas outside of braces; an empty text has no parts.
fn split(text: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    for (i, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                parts.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    if depth != 0 {
        return None;
    }
    if !text.trim().is_empty() {
        parts.push(&text[start..]);
    }
    Some(parts)
}

fn number(text: &str) -> Option<(usize, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// One type, and the text after it.
fn parse(text: &str, depth: usize) -> Option<(Layout, &str)> {
    if depth > DEEPEST {
        return None;
    }
    let (mut layout, mut rest) = if let Some(rest) = text.strip_prefix('?') {
        let (size, rest) = number(rest)?;
        (Layout::Opaque(size), rest)
    } else if let Some(rest) = text.strip_prefix('{') {
        parse_struct(rest, depth)?
    } else {
        let end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
        (Layout::Element(ElementType::parse(&text[..end])?), &text[end..])
    };
    while let Some(count) = rest.strip_prefix('[') {
        let (count, after) = number(count)?;
        rest = after.strip_prefix(']')?;
        layout.size().checked_mul(count)?;
        layout = Layout::Array(Box::new(layout), count);
    }
    Some((layout, rest))
}

fn parse_struct(text: &str, depth: usize) -> Option<(Layout, &str)> {
    let (size, rest) = number(text)?;
    let mut rest = rest.strip_prefix(':')?;
    let mut fields = Vec::new();
    while !rest.starts_with('}') {
        let (offset, after) = number(rest)?;
        let (name, after) = after.strip_prefix(' ')?.split_once(' ')?;
        let (layout, after) = parse(after, depth + 1)?;
        if offset.checked_add(layout.size())? > size {
            return None;
        }
        fields.push(Field { offset, name: name.to_owned(), layout });
        rest = after.strip_prefix(',').unwrap_or(after);
    }
    Some((Layout::Struct { size, fields }, &rest[1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> Layout {
        Layout::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn layouts_are_parsed_and_damaged_ones_refused() {
        let text = "{48:0 a int,4 b int[3],16 inner {24:0 c double,8 d float3},40 p ?8}";
        let all = layout(text);
        assert_eq!(all.size(), 48);
        let Layout::Struct { fields, .. } = &all else { panic!() };
        assert_eq!(fields[1].layout.size(), 12);
        assert_eq!(fields[2].name, "inner");
        assert_eq!(layout("float[4][2]").size(), 32);
        for end in 1..text.len() {
            assert_eq!(Layout::parse(&text[..end]), None, "{}", &text[..end]);
        }
        let deep = format!("{}int{}", "{4:0 x ".repeat(100), "}".repeat(100));
        for bad in ["", "?0", "{4:0 a int,4 b int}", "int[18446744073709551615]", "what", "int]", &deep] {
            assert_eq!(Layout::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn values_go_to_their_fields() {
        let s = layout("{16:0 a char,4 b float,8 c short[2],12 d uchar4}");
        let bytes = s.value("{-1, 2.5, {3, 4}, {5, 6, 7, 8}}").unwrap();
        assert_eq!(bytes, [255, 0, 0, 0, 0, 0, 0x20, 0x40, 3, 0, 4, 0, 5, 6, 7, 8]);
        assert_eq!(s.value("-1,2.5,{3,4},{5,6,7,8}").as_ref(), Ok(&bytes));
        assert_eq!(s.value("{-1,2.5,{3,4},9}").unwrap()[12..], [9; 4]);
        let wrong = |text: &str| s.value(text).unwrap_err();
        assert_eq!(wrong("{1,2}"), "{1,2} has 2 values, but there are 4 fields");
        assert_eq!(wrong("1,2,3,4"), "3 should be 2 values in braces");
        assert!(wrong("{1,2,{3,4,5}").contains("do not match") || wrong("{1,2,{3,4,5}").contains("values"));
        assert_eq!(wrong("{1,2,{300000,4},1}"), "300000 does not fit in short (-32768 to 32767)");
        assert!(wrong("{1,2}},{{3},4").contains("in braces"));
        assert!(wrong("{1,2}},{{3},4}").contains("do not match"));
        assert!(layout("{8:0 p ?8}").value("{1}").unwrap_err().contains("8 bytes"));
    }

    #[test]
    fn scalars_have_their_places() {
        let s = layout("{32:0 a char,4 b int[2],16 c float3}");
        let all = s.scalars().unwrap();
        assert_eq!(all.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 4, 8, 16, 20, 24]);
        assert_eq!(layout("char[100000000]").scalars(), None);
    }
}
