//! NumPy's `.npy` files: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.
//!
//! A vector type's lanes are the array's last dimension: `float4*` is an array of shape `(n, 4)`.

use crate::element::ElementType;
use crate::layout::Layout;
use compiler::Scalar;

const MAGIC: &[u8] = b"\x93NUMPY";

/// The data of a file, laid out as a buffer of `element`s. The message of an error is about the
/// file.
pub fn read(file: &[u8], element: ElementType) -> Result<Vec<u8>, String> {
    let (header, data) = split(file)?;
    let descr = value_of(header, "descr").and_then(quoted).ok_or("its element type is not a plain number")?;
    let fortran = value_of(header, "fortran_order").is_some_and(|text| text.starts_with("True"));
    let shape = value_of(header, "shape").and_then(shape).ok_or("its shape cannot be read")?;
    if fortran && shape.iter().filter(|&&n| n != 1).count() > 1 {
        return Err("it is in Fortran's order, save it with numpy.ascontiguousarray".into());
    }
    let item: usize =
        descr.get(2..).and_then(|size| size.parse().ok()).ok_or("its element type is unknown")?;
    if !same_type(descr, element) {
        return Err(format!("it holds {}, but the kernel takes {}", long_name(descr), element));
    }
    let count =
        shape.iter().try_fold(1usize, |all, &n| all.checked_mul(n)).ok_or("its shape is too large")?;
    let wanted = count.checked_mul(item).ok_or("its shape is too large")?;
    if data.len() != wanted {
        return Err(format!("its shape needs {wanted} bytes of data, but there are {}", data.len()));
    }
    if count % element.lanes != 0 {
        return Err(format!("its {count} numbers do not make whole {element}s"));
    }
    Ok(if element.stored_lanes() == element.lanes { data.to_vec() } else { pad(data, element) })
}

/// The same of a buffer of structs or arrays. Each of the file's elements must have the fields of
/// one of the buffer's, in number, place and type, or of an equal part of it: names do not matter.
pub fn read_layout(file: &[u8], layout: &Layout) -> Result<Vec<u8>, String> {
    let (header, data) = split(file)?;
    let descr = value_of(header, "descr").ok_or("its element type is not there")?;
    let (dtype, _) = Dtype::parse(descr, 0).ok_or("its element type cannot be read")?;
    let shape = value_of(header, "shape").and_then(shape).ok_or("its shape cannot be read")?;
    let fortran = value_of(header, "fortran_order").is_some_and(|text| text.starts_with("True"));
    if fortran && shape.iter().filter(|&&n| n != 1).count() > 1 {
        return Err("it is in Fortran's order, save it with numpy.ascontiguousarray".into());
    }
    let item = dtype.size().filter(|size| *size > 0).ok_or("its element type is too large, or empty")?;
    let count =
        shape.iter().try_fold(1usize, |all, &n| all.checked_mul(n)).ok_or("its shape is too large")?;
    let wanted = count.checked_mul(item).ok_or("its shape is too large")?;
    if data.len() != wanted {
        return Err(format!("its shape needs {wanted} bytes of data, but there are {}", data.len()));
    }
    if !layout.size().is_multiple_of(item) {
        return Err(format!("its elements have {item} bytes, but those of the kernel {}", layout.size()));
    }
    let mut fields = Vec::new();
    let whole = (0..layout.size() / item).all(|i| dtype.add_scalars(i * item, &mut fields));
    let expected = layout.scalars().filter(|_| whole).ok_or("its elements are too large")?;
    let same = |((at, descr), (wanted, kind)): (&(usize, String), &(usize, ElementType))| {
        at == wanted && same_type(descr, *kind)
    };
    if fields.len() != expected.len() {
        let (given, wanted) = (fields.len(), expected.len());
        return Err(format!("its elements have {given} numbers, but those of the kernel {wanted}"));
    }
    match fields.iter().zip(&expected).find(|pair| !same(*pair)) {
        None => Ok(data.to_vec()),
        Some(((at, descr), (wanted, kind))) => Err(format!(
            "it has {} at byte {at} of an element where the kernel has {kind} at byte {wanted}",
            long_name(descr)
        )),
    }
}

/// A file with the structs or arrays of a buffer.
pub fn write_layout(bytes: &[u8], layout: &Layout, shape: &[usize]) -> Vec<u8> {
    let (descr, inner) = descr_of_layout(layout);
    let shape: Vec<usize> = shape.iter().copied().chain(inner).collect();
    let mut file = header(&descr, &shape);
    file.extend_from_slice(bytes);
    file
}

/// Python's words for a type, and the dimensions of an array of it.
fn descr_of_layout(layout: &Layout) -> (String, Vec<usize>) {
    match layout {
        Layout::Element(element) if element.lanes == 3 => {
            // A fourth lane is padding, which only a struct can have.
            let (size, plain) = (element.kind.size(), descr_of(element.kind));
            (format!("[('s', '{plain}', (3,)), ('', '|V{size}')]"), Vec::new())
        }
        Layout::Element(element) => {
            let lanes = if element.lanes > 1 { vec![element.lanes] } else { Vec::new() };
            (format!("'{}'", descr_of(element.kind)), lanes)
        }
        Layout::Opaque(size) => (format!("'|V{size}'"), Vec::new()),
        Layout::Array(inner, count) => {
            let (descr, rest) = descr_of_layout(inner);
            (descr, std::iter::once(*count).chain(rest).collect())
        }
        Layout::Struct { size, fields } => {
            let mut end = 0;
            let mut parts = Vec::new();
            let pad = |parts: &mut Vec<String>, bytes: usize| {
                if bytes > 0 {
                    parts.push(format!("('', '|V{bytes}')"));
                }
            };
            for field in fields {
                pad(&mut parts, field.offset.saturating_sub(end));
                let (descr, dims) = descr_of_layout(&field.layout);
                let dims: String = dims.iter().map(|n| format!("{n},")).collect();
                let dims = if dims.is_empty() { dims } else { format!(", ({dims})") };
                parts.push(format!("('{}', {descr}{dims})", field.name));
                end = field.offset + field.layout.size();
            }
            pad(&mut parts, size.saturating_sub(end));
            (format!("[{}]", parts.join(", ")), Vec::new())
        }
    }
}

/// A type as the header spells it.
enum Dtype {
    Plain(String, usize),
    /// Padding.
    Void(usize),
    Fields(Vec<Dtype>),
    Array(Box<Dtype>, usize),
}

/// The deepest nesting of types, and the most numbers of an element.
const DEEPEST: usize = 32;
const MOST_NUMBERS: usize = 1 << 20;

impl Dtype {
    /// A type, and the text after it.
    fn parse(text: &str, depth: usize) -> Option<(Dtype, &str)> {
        let text = text.trim_start();
        if depth > DEEPEST {
            return None;
        }
        let Some(mut rest) = text.strip_prefix('[') else {
            let descr = quoted(text)?;
            let size: usize = descr.get(2..)?.parse().ok()?;
            let dtype = match descr.get(1..2)? {
                "V" => Dtype::Void(size),
                _ => Dtype::Plain(descr.to_owned(), size),
            };
            return Some((dtype, &text[descr.len() + 2..]));
        };
        let mut fields = Vec::new();
        loop {
            rest = rest.trim_start().trim_start_matches(',').trim_start();
            if let Some(rest) = rest.strip_prefix(']') {
                return Some((Dtype::Fields(fields), rest));
            }
            rest = rest.strip_prefix('(')?.trim_start();
            // The name of a field, perhaps with a title before it.
            rest = match rest.strip_prefix('(') {
                Some(titled) => titled.split_once(')')?.1,
                None => &rest[quoted_any(rest)?.len() + 2..],
            };
            let (mut dtype, after) = Dtype::parse(rest.trim_start().strip_prefix(',')?, depth + 1)?;
            rest = after.trim_start();
            if let Some(dims) = rest.strip_prefix(',').map(str::trim_start).filter(|r| r.starts_with('(')) {
                for count in shape(dims)?.into_iter().rev() {
                    dtype = Dtype::Array(Box::new(dtype), count);
                }
                rest = dims.split_once(')')?.1.trim_start();
            }
            rest = rest.trim_start_matches(',').trim_start().strip_prefix(')')?;
            fields.push(dtype);
        }
    }

    fn size(&self) -> Option<usize> {
        match self {
            Dtype::Plain(_, size) | Dtype::Void(size) => Some(*size),
            Dtype::Fields(fields) => fields.iter().try_fold(0usize, |sum, f| sum.checked_add(f.size()?)),
            Dtype::Array(inner, count) => inner.size()?.checked_mul(*count),
        }
    }

    /// Adds the numbers of the type with their offsets; `false` if there are too many.
    fn add_scalars(&self, at: usize, all: &mut Vec<(usize, String)>) -> bool {
        match self {
            Dtype::Plain(descr, _) => all.push((at, descr.clone())),
            Dtype::Void(_) => {}
            Dtype::Fields(fields) => {
                let mut at = at;
                for field in fields {
                    if !field.add_scalars(at, all) {
                        return false;
                    }
                    at += field.size().unwrap_or(0);
                }
            }
            Dtype::Array(inner, count) => {
                let size = inner.size().unwrap_or(0);
                return *count <= MOST_NUMBERS && (0..*count).all(|i| inner.add_scalars(at + i * size, all));
            }
        }
        all.len() <= MOST_NUMBERS
    }
}

/// The text in quotes, in any script.
fn quoted_any(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    Some(text[1..].split_once(quote)?.0)
}

/// A file with the elements of a buffer. `shape` counts elements; a vector's lanes are added to it.
pub fn write(bytes: &[u8], element: ElementType, shape: &[usize]) -> Vec<u8> {
    let lanes = (element.lanes > 1).then_some(element.lanes);
    let shape: Vec<usize> = shape.iter().copied().chain(lanes).collect();
    let mut file = header(&format!("'{}'", descr_of(element.kind)), &shape);
    if element.stored_lanes() == element.lanes {
        file.extend_from_slice(bytes);
    } else {
        let used = element.lanes * element.kind.size();
        bytes.chunks_exact(element.size()).for_each(|stored| file.extend_from_slice(&stored[..used]));
    }
    file
}

/// The header before the data of elements of a type.
fn header(descr: &str, shape: &[usize]) -> Vec<u8> {
    let dimensions: Vec<String> = shape.iter().map(usize::to_string).collect();
    // Python's tuple of one needs the comma.
    let comma = if dimensions.len() == 1 { "," } else { "" };
    let mut header = format!(
        "{{'descr': {descr}, 'fortran_order': False, 'shape': ({}{comma}), }}",
        dimensions.join(", ")
    );
    // Magic, version, length and header together fill up 64-byte lines.
    let prefix = MAGIC.len() + 4;
    let padded = (prefix + header.len() + 1).next_multiple_of(64);
    header.extend(std::iter::repeat_n(' ', padded - prefix - header.len() - 1));
    header.push('\n');

    let mut file = Vec::with_capacity(padded);
    file.extend_from_slice(MAGIC);
    // Version 1 has two bytes for the length, which the fields of a large struct may exceed.
    match u16::try_from(header.len()) {
        Ok(length) => {
            file.extend_from_slice(&[1, 0]);
            file.extend_from_slice(&length.to_le_bytes());
        }
        Err(_) => {
            file.extend_from_slice(&[2, 0]);
            file.extend_from_slice(&(header.len() as u32).to_le_bytes());
        }
    }
    file.extend_from_slice(header.as_bytes());
    file
}

/// The header's text and the data after it.
fn split(file: &[u8]) -> Result<(&str, &[u8]), String> {
    let rest = file.strip_prefix(MAGIC).ok_or("this is not a .npy file")?;
    let truncated = || "the file ends within its header".to_owned();
    let (length, rest) = match rest {
        [1, _, a, b, rest @ ..] => (u16::from_le_bytes([*a, *b]) as usize, rest),
        [2 | 3, _, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
        [1..=3, ..] => return Err(truncated()),
        [major, ..] => return Err(format!("version {major} of the .npy format is unknown")),
        [] => return Err(truncated()),
    };
    let (header, data) = rest.split_at_checked(length).ok_or_else(truncated)?;
    let header = std::str::from_utf8(header).map_err(|_| "its header is not text")?;
    Ok((header, data))
}

/// The text after `'key':` in the header's dictionary.
fn value_of<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    ['\'', '"'].iter().find_map(|quote| {
        let key = format!("{quote}{key}{quote}");
        // A field of a struct may have the name of a key.
        header
            .match_indices(&key)
            .find_map(|(at, _)| header[at + key.len()..].trim_start().strip_prefix(':').map(str::trim_start))
    })
}

fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let text = text[1..].split_once(quote)?.0;
    text.is_ascii().then_some(text)
}

/// `(3, 4)`, `(3,)` or `()`.
fn shape(text: &str) -> Option<Vec<usize>> {
    let inside = text.strip_prefix('(')?.split_once(')')?.0.trim().trim_end_matches(',');
    if inside.is_empty() {
        return Some(Vec::new());
    }
    inside.split(',').map(|word| word.trim().trim_end_matches('L').parse().ok()).collect()
}

fn descr_of(kind: Scalar) -> String {
    let size = kind.size();
    let order = if size == 1 { '|' } else { '<' };
    let letter = if kind.is_float() {
        'f'
    } else if kind.is_signed() {
        'i'
    } else {
        'u'
    };
    format!("{order}{letter}{size}")
}

/// Whether the bytes of `descr` are those of a scalar or byte. The byte order of single bytes does
/// not matter.
fn same_type(descr: &str, ElementType { kind, is_raw, .. }: ElementType) -> bool {
    if is_raw {
        return true;
    }
    let wanted = descr_of(kind);
    // `=` is the machine's own byte order, which is little-endian on every supported CPU.
    descr == wanted || (kind.size() == 1 || descr.starts_with('=')) && descr.get(1..) == wanted.get(1..)
}

fn long_name(descr: &str) -> String {
    let bits =
        descr.get(2..).and_then(|size| size.parse::<usize>().ok()).map_or(0, |size| size.saturating_mul(8));
    let name = match descr.get(1..2) {
        Some("f") => "float",
        Some("i") => "int",
        Some("u") => "uint",
        Some("c") => "complex",
        Some("b") => return "bool".into(),
        _ => return format!("elements of type {descr}"),
    };
    let order = if descr.starts_with('>') { "big-endian " } else { "" };
    format!("{order}{name}{bits}")
}

fn pad(data: &[u8], element: ElementType) -> Vec<u8> {
    let used = element.lanes * element.kind.size();
    let mut bytes = Vec::with_capacity(data.len() / used * element.size());
    for packed in data.chunks_exact(used) {
        bytes.extend_from_slice(packed);
        bytes.resize(bytes.len() + element.size() - used, 0);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(name: &str) -> ElementType {
        ElementType::parse(name).unwrap()
    }

    /// A file as NumPy would write it.
    fn file(major: u8, header: &str, data: &[u8]) -> Vec<u8> {
        let mut file = [MAGIC, &[major, 0]].concat();
        if major == 1 {
            file.extend((header.len() as u16).to_le_bytes());
        } else {
            file.extend((header.len() as u32).to_le_bytes());
        }
        [file.as_slice(), header.as_bytes(), data].concat()
    }

    #[test]
    fn there_and_back() {
        let bytes: Vec<u8> = (0..48).collect();
        for name in ["float", "uint", "double", "uchar4", "half2", "short8", "char", "ulong"] {
            let file = write(&bytes, element(name), &[48 / element(name).size()]);
            assert_eq!(read(&file, element(name)).unwrap(), bytes, "{name}");
        }
    }

    #[test]
    fn written_header() {
        let file = write(&[0; 96], element("float4"), &[2, 3]);
        assert_eq!(&file[..10], b"\x93NUMPY\x01\x00\x76\x00");
        let header = std::str::from_utf8(&file[10..128]).unwrap();
        assert_eq!(header.trim_end(), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4), }");
        assert!(header.ends_with('\n'));
        assert_eq!(file.len(), 128 + 96);
        let file = write(&[0; 3], element("uchar"), &[3]);
        assert!(String::from_utf8_lossy(&file).contains("'|u1', 'fortran_order': False, 'shape': (3,), }"));
    }

    #[test]
    fn vectors_of_three_are_padded() {
        let data = [1, 2, 3, 4, 5, 6];
        let bytes = read(
            &file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)}", &data),
            element("uchar3"),
        );
        assert_eq!(bytes.unwrap(), [1, 2, 3, 0, 4, 5, 6, 0]);
        let written = write(&[1, 2, 3, 9, 4, 5, 6, 9], element("uchar3"), &[2]);
        assert!(written.ends_with(&data));
    }

    #[test]
    fn other_versions_and_spellings() {
        let header = "{'shape': (), 'descr': '=i2', 'fortran_order': True}  \n";
        assert_eq!(read(&file(2, header, &[1, 2]), element("short")).unwrap(), [1, 2]);
        let header = "{\"descr\": \"<i2\", \"fortran_order\": False, \"shape\": (1,)}";
        assert_eq!(read(&file(3, header, &[1, 2]), ElementType::RAW).unwrap(), [1, 2]);
    }

    #[test]
    fn refusals() {
        let refused = |header: &str, name: &str| read(&file(1, header, &[0; 8]), element(name)).unwrap_err();
        let header = |descr: &str| format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (2,)}}");
        assert_eq!(refused(&header("<f8"), "float"), "it holds float64, but the kernel takes float");
        assert_eq!(
            refused(&header(">f4"), "float"),
            "it holds big-endian float32, but the kernel takes float"
        );
        assert_eq!(refused(&header("|b1"), "int"), "it holds bool, but the kernel takes int");
        assert!(refused(&header("<U9"), "int").starts_with("it holds elements of type <U9"));
        assert_eq!(refused(&header("<i2"), "short"), "its shape needs 4 bytes of data, but there are 8");
        assert_eq!(refused(&header("<i4"), "int4"), "its 2 numbers do not make whole int4s");
        assert!(refused("{'descr': [('a', '<i4')], 'shape': (2,)}", "int").contains("plain number"));
        assert!(
            refused("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 2)}", "int").contains("Fortran")
        );
        assert!(refused("{'descr': '<i4'}", "int").contains("shape cannot be read"));
        assert!(
            refused("{'descr': '<i4', 'shape': (99999999999, 99999999999)}", "int").contains("too large")
        );
    }

    #[test]
    fn structs_there_and_back() {
        let layout = Layout::parse("{32:0 a char,4 shape int[3],16 v float3}").unwrap();
        let bytes: Vec<u8> = (0..64).collect();
        let whole = write_layout(&bytes, &layout, &[2]);
        let text = String::from_utf8_lossy(&whole);
        let descr =
            "[('a', '|i1'), ('', '|V3'), ('shape', '<i4', (3,)), ('v', [('s', '<f4', (3,)), ('', '|V4')])]";
        assert!(text.contains(descr) && text.contains("'shape': (2,)"), "{text}");
        assert_eq!(read_layout(&whole, &layout).unwrap(), bytes);
        let pairs = Layout::parse("{8:0 x int,4 y int}").unwrap();
        let plain = write(&bytes, element("int"), &[16]);
        assert_eq!(read_layout(&plain, &pairs).unwrap(), bytes);
        assert!(read_layout(&whole, &pairs).unwrap_err().contains("32 bytes, but those of the kernel 8"));
        let mixed = Layout::parse("{8:0 x int,4 y float}").unwrap();
        let message = "it has int32 at byte 4 of an element where the kernel has float at byte 4";
        assert_eq!(read_layout(&plain, &mixed).unwrap_err(), message);
        let rows = Layout::parse("float[2][3]").unwrap();
        let file = write_layout(&bytes[..48], &rows, &[2]);
        assert!(String::from_utf8_lossy(&file).contains("'shape': (2, 3, 2)"));
        assert_eq!(read_layout(&file, &rows).unwrap(), bytes[..48]);
        for (position, value) in (0..whole.len()).flat_map(|p| [0, b'(', b'9', 0xff].map(|v| (p, v))) {
            let mut damaged = whole.clone();
            damaged[position] = value;
            let _ = read_layout(&damaged, &layout);
        }
    }

    #[test]
    fn damaged_files_are_refused() {
        let whole = write(&[1; 16], element("int4"), &[1]);
        for length in 0..whole.len() {
            assert!(read(&whole[..length], element("int4")).is_err(), "{length}");
        }
        for (position, value) in (0..whole.len()).flat_map(|p| [0, b'\'', 0xff].map(|v| (p, v))) {
            let mut damaged = whole.clone();
            damaged[position] = value;
            let _ = read(&damaged, element("int4"));
        }
        assert_eq!(read(b"hello", element("int")).unwrap_err(), "this is not a .npy file");
        assert_eq!(
            read(b"\x93NUMPY\x09\x00", element("int")).unwrap_err(),
            "version 9 of the .npy format is unknown"
        );
    }
}
