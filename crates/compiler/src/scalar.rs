//! The scalar types of OpenCL C, and the names of vectors of them.

use std::fmt;

/// A scalar type of OpenCL C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the type of this name")]
pub enum Scalar {
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    Half,
    Float,
    Double,
}

use Scalar::*;

const NAMES: [(Scalar, &str); 11] = [
    (Char, "char"),
    (UChar, "uchar"),
    (Short, "short"),
    (UShort, "ushort"),
    (Int, "int"),
    (UInt, "uint"),
    (Long, "long"),
    (ULong, "ulong"),
    (Half, "half"),
    (Float, "float"),
    (Double, "double"),
];

impl Scalar {
    /// The size in bytes.
    pub const fn size(self) -> usize {
        match self {
            Char | UChar => 1,
            Short | UShort | Half => 2,
            Int | UInt | Float => 4,
            Long | ULong | Double => 8,
        }
    }

    /// Whether it is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, Half | Float | Double)
    }

    /// Whether it is a signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self, Char | Short | Int | Long)
    }

    /// The signed type of the same size, for an integer.
    pub const fn signed(self) -> Scalar {
        match self {
            UChar => Char,
            UShort => Short,
            UInt => Int,
            ULong => Long,
            other => other,
        }
    }

    /// The name in OpenCL C: `uint`.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(scalar, _)| *scalar == self).map_or("", |(_, name)| name)
    }

    /// The scalar and the number of lanes of `float`, `uint4`, `_Atomic(int)`, or clang's long form
    /// `uint __attribute__((ext_vector_type(4)))`. `None` for every other type: structures, images,
    /// names of the program's.
    pub fn parse_vector(name: &str) -> Option<(Scalar, usize)> {
        let name = name.trim();
        let name = name.strip_prefix("_Atomic(").and_then(|name| name.strip_suffix(')')).unwrap_or(name);
        let (scalar, lanes) = match name.split_once("__attribute__((ext_vector_type(") {
            Some((scalar, rest)) => (scalar.trim(), rest.trim().strip_suffix(")))")?.trim()),
            None => name.split_at(name.trim_end_matches(|c: char| c.is_ascii_digit()).len()),
        };
        let lanes = match lanes {
            "" => 1,
            "2" | "3" | "4" | "8" | "16" => lanes.parse().ok()?,
            _ => return None,
        };
        let scalar = match scalar {
            "unsigned char" | "bool" => "uchar",
            "unsigned short" => "ushort",
            "unsigned int" | "unsigned" => "uint",
            "unsigned long" => "ulong",
            other => other,
        };
        let (scalar, _) = NAMES.iter().find(|(_, name)| *name == scalar)?;
        Some((*scalar, lanes))
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_vectors() {
        for (name, expected) in [
            ("float", (Float, 1)),
            ("double16", (Double, 16)),
            ("uint __attribute__((ext_vector_type(3)))", (UInt, 3)),
            ("unsigned int", (UInt, 1)),
            ("_Atomic(unsigned long)", (ULong, 1)),
            ("bool", (UChar, 1)),
        ] {
            assert_eq!(Scalar::parse_vector(name), Some(expected), "{name}");
        }
        for other in ["struct S", "float5", "float1", "vec", "", "4", "float[4]", "image2d_t", "float04"] {
            assert_eq!(Scalar::parse_vector(other), None, "{other}");
        }
    }
}
