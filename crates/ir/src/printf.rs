//! Format descriptors of `printf`: the format and the types of its arguments, as constants of the
//! code.

use llvm::{Module, Type, TypeKind};

/// The type of an argument, or of an element of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    I8,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
    Pointer,
}

impl Kind {
    const ALL: [Kind; 8] =
        [Kind::I8, Kind::I16, Kind::I32, Kind::I64, Kind::F16, Kind::F32, Kind::F64, Kind::Pointer];

    /// The size in bytes.
    pub fn size(self) -> usize {
        match self {
            Kind::I8 => 1,
            Kind::I16 | Kind::F16 => 2,
            Kind::I32 | Kind::F32 => 4,
            Kind::I64 | Kind::F64 | Kind::Pointer => 8,
        }
    }
}

/// One argument: a scalar, or a vector of some lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arg {
    pub kind: Kind,
    pub lanes: u8,
}

impl Arg {
    /// The descriptor of an argument of this type; `None` if it cannot be printed.
    pub fn of(ty: Type) -> Option<Arg> {
        let lanes = if ty.is_vector() { u8::try_from(ty.len()).ok()? } else { 1 };
        let scalar = ty.scalar();
        let kind = match scalar.kind() {
            TypeKind::LLVMIntegerTypeKind => match scalar.int_bits() {
                8 => Kind::I8,
                16 => Kind::I16,
                32 => Kind::I32,
                64 => Kind::I64,
                _ => return None,
            },
            TypeKind::LLVMHalfTypeKind => Kind::F16,
            TypeKind::LLVMFloatTypeKind => Kind::F32,
            TypeKind::LLVMDoubleTypeKind => Kind::F64,
            TypeKind::LLVMPointerTypeKind => Kind::Pointer,
            _ => return None,
        };
        Some(Arg { kind, lanes })
    }

    /// The size in bytes.
    pub fn size(self) -> usize {
        self.kind.size() * usize::from(self.lanes)
    }
}

/// A format and its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// Without the NUL at the end.
    pub text: Vec<u8>,
    pub args: Vec<Arg>,
}

/// The bytes before the arguments in [`Format::encode`].
pub const HEADER: usize = 8;

impl Format {
    /// The offsets of the arguments in the memory that a call passes, and its size. Arguments are
    /// aligned to eight bytes.
    pub fn layout(&self) -> (Vec<usize>, usize) {
        let mut size = 0;
        let mut offsets = Vec::new();
        for arg in &self.args {
            offsets.push(size);
            size = (size + arg.size()).next_multiple_of(8);
        }
        (offsets, size)
    }

    /// The bytes of the descriptor: a header with the lengths of the rest, the arguments, the text.
    pub fn encode(&self) -> Vec<u8> {
        let lengths = [self.args.len() as u32, self.text.len() as u32];
        let mut bytes: Vec<u8> = lengths.into_iter().flat_map(u32::to_le_bytes).collect();
        bytes.extend(self.args.iter().flat_map(|arg| [arg.kind as u8, arg.lanes]));
        bytes.extend(&self.text);
        bytes
    }

    /// The number of bytes after a header.
    pub fn length_after(header: [u8; HEADER]) -> usize {
        let (args, text) = lengths(header);
        2 * args + text
    }

    /// The reverse of [`Format::encode`]; `None` if the bytes are no descriptor.
    pub fn decode(header: [u8; HEADER], rest: &[u8]) -> Option<Format> {
        let (args, text) = lengths(header);
        let (args, rest) = rest.split_at_checked(2 * args)?;
        let arg = |pair: &[u8]| Some(Arg { kind: *Kind::ALL.get(usize::from(pair[0]))?, lanes: pair[1] });
        Some(Format {
            text: rest.get(..text)?.to_vec(),
            args: args.chunks_exact(2).map(arg).collect::<Option<_>>()?,
        })
    }
}

fn lengths(header: [u8; HEADER]) -> (usize, usize) {
    let number = |i: usize| {
        let bytes = [header[i], header[i + 1], header[i + 2], header[i + 3]];
        u32::from_le_bytes(bytes) as usize
    };
    (number(0), number(4))
}

/// No field is wider; more could only be a mistake.
const MAX_FIELD: usize = 1 << 16;

/// A conversion specification: `%`, flags, width, precision, lanes, length, conversion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spec {
    pub minus: bool,
    pub plus: bool,
    pub blank: bool,
    pub alternate: bool,
    pub zero: bool,
    pub width: usize,
    pub precision: Option<usize>,
    /// 1 for a scalar.
    pub lanes: usize,
    /// The bits that `hh`, `h`, `hl` and `l` say; 0 without one, and for `z` and `t`, whose
    /// arguments are as large as addresses are.
    pub bits: u32,
    pub conversion: u8,
}

impl Spec {
    /// Reads what follows a `%`. Gives the specification and the bytes it took; `None` if it is
    /// none of C's or OpenCL's.
    pub fn parse(text: &[u8]) -> Option<(Spec, usize)> {
        let mut spec = Spec { lanes: 1, ..Spec::default() };
        let mut at = 0;
        while let Some(byte) = text.get(at) {
            match byte {
                b'-' => spec.minus = true,
                b'+' => spec.plus = true,
                b' ' => spec.blank = true,
                b'#' => spec.alternate = true,
                b'0' => spec.zero = true,
                _ => break,
            }
            at += 1;
        }
        let number = |at: &mut usize| {
            let mut value = 0usize;
            while let Some(digit) = text.get(*at).filter(|b| b.is_ascii_digit()) {
                value = (value * 10 + usize::from(digit - b'0')).min(MAX_FIELD);
                *at += 1;
            }
            value
        };
        spec.width = number(&mut at);
        if text.get(at) == Some(&b'.') {
            at += 1;
            spec.precision = Some(number(&mut at));
        }
        if text.get(at) == Some(&b'v') {
            at += 1;
            spec.lanes = number(&mut at);
            if ![2, 3, 4, 8, 16].contains(&spec.lanes) {
                return None;
            }
        }
        let (length, bits): (&[u8], u32) = match text.get(at..)? {
            [b'h', b'h', ..] => (b"hh", 8),
            [b'h', b'l', ..] => (b"hl", 32),
            [b'h', ..] => (b"h", 16),
            [b'l', ..] => (b"l", 64),
            [b'z', ..] => (b"z", 0),
            [b't', ..] => (b"t", 0),
            _ => (b"", 0),
        };
        at += length.len();
        spec.bits = bits;
        spec.conversion = *text.get(at)?;
        let known = b"diouxXfFeEgGaAcsp".contains(&spec.conversion);
        let scalar_only = b"csp".contains(&spec.conversion) || matches!(length, b"z" | b"t");
        let of_integers = b"diouxX".contains(&spec.conversion) || !matches!(length, b"z" | b"t");
        (known && of_integers && !(scalar_only && spec.lanes > 1)).then_some((spec, at + 1))
    }
}

const METADATA: &str = "mux.printf";

/// Adds a format to the module's metadata.
pub fn record(module: &Module, format: &Format) {
    let context = module.context();
    let mut operands = vec![context.metadata_string(&String::from_utf8_lossy(&format.text))];
    let size = |arg: &Arg| context.metadata_value(context.i32().const_int(arg.size() as u64));
    operands.extend(format.args.iter().map(size));
    module.add_named_metadata(METADATA, context.metadata_node(&operands));
}

/// The formats that a module prints with, and the sizes of their arguments in bytes.
pub fn recorded(module: &Module) -> Vec<(String, Vec<usize>)> {
    let read = |node: llvm::Metadata| {
        let mut operands = node.operands().into_iter().flatten();
        let text = operands.next()?.string()?;
        let size = |m: llvm::Metadata| Some(m.value()?.as_const_int()? as usize);
        Some((text, operands.map(size).collect::<Option<_>>()?))
    };
    module.named_metadata(METADATA).into_iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_decoded_as_it_was_encoded() {
        let args = vec![Arg { kind: Kind::F32, lanes: 3 }, Arg { kind: Kind::Pointer, lanes: 1 }];
        let format = Format { text: b"%v3f %s\n".to_vec(), args };
        assert_eq!(format.layout(), (vec![0, 16], 24));
        let bytes = format.encode();
        let (header, rest) = bytes.split_first_chunk().unwrap();
        assert_eq!(Format::length_after(*header), rest.len());
        assert_eq!(Format::decode(*header, rest), Some(format));
    }
}
