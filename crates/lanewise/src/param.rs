//! The parameters of a kernel, and which arguments fit them.

use crate::arg::{Rust, Value};
use crate::pod::rust_name;
use crate::{Arg, Scalar};
use compiler::{ArgKind, KernelArg};
use runtime::ArgValue;
use std::fmt;

/// A parameter of a kernel. It is shown as OpenCL C declares it: `global const float *x`.
#[derive(Clone, Debug)]
pub struct Param {
    name: String,
    type_name: String,
    qualifiers: String,
    kind: ArgKind,
    /// The type of a value, or of the elements that a pointer points to.
    ty: Type,
    /// The bytes of a value.
    size: usize,
    read_only: bool,
}

/// A type of OpenCL C, as far as the kernel's metadata tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    /// A scalar or vector; `any_sign` if its integers may be signed or unsigned.
    Vector { scalar: Scalar, lanes: usize, any_sign: bool },
    /// A struct, union or other type that the program defines.
    Own,
    /// `void`, or a type without metadata.
    Unknown,
    /// An image, a sampler or the like, which no argument can be.
    Opaque,
}

/// How the names of opaque types begin.
const OPAQUE: [&str; 9] = [
    "image1d_",
    "image2d_",
    "image3d_",
    "sampler_t",
    "event_t",
    "clk_event_t",
    "queue_t",
    "reserve_id_t",
    "pipe ",
];

impl Type {
    fn parse(name: &str, has_signs: bool) -> Type {
        if name.is_empty() || name == "void" {
            return Type::Unknown;
        }
        let name = name.strip_prefix("_Atomic(").and_then(|name| name.strip_suffix(')')).unwrap_or(name);
        if OPAQUE.iter().any(|prefix| name.starts_with(prefix)) {
            return Type::Opaque;
        }
        if name.starts_with("enum ") {
            return Type::Vector { scalar: Scalar::Int, lanes: 1, any_sign: true };
        }
        let Some((scalar, lanes)) = Scalar::parse_vector(name) else { return Type::Own };
        // SPIR-V's integers have no sign, and its front end calls all of them signed.
        Type::Vector { scalar, lanes, any_sign: !has_signs && scalar == scalar.signed() }
    }

    /// The size in bytes in memory, if it is known: a vector of three takes the place of four.
    fn size(self) -> Option<usize> {
        match self {
            Type::Vector { scalar, lanes, .. } => Some(scalar.size() * lanes.next_power_of_two()),
            Type::Own | Type::Unknown | Type::Opaque => None,
        }
    }

    /// Whether a Rust type consists of the same scalars, or may be the same structure.
    fn is_like(self, rust: Rust) -> bool {
        match (self, rust.scalar) {
            (Type::Unknown, _) | (Type::Own, None) => true,
            (Type::Vector { scalar: Scalar::Half, .. }, Some(given)) => {
                matches!(given, Scalar::Half | Scalar::UShort)
            }
            (Type::Vector { scalar, any_sign, .. }, Some(given)) => {
                scalar == given || any_sign && scalar.signed() == given.signed()
            }
            (Type::Vector { .. }, None) | (Type::Own, Some(_)) | (Type::Opaque, _) => false,
        }
    }

    /// The Rust type to pass.
    fn rust_name(self) -> String {
        match self {
            Type::Vector { scalar, lanes: 1, .. } => rust_name(scalar).to_owned(),
            Type::Vector { scalar, lanes, .. } => format!("[{}; {lanes}]", rust_name(scalar)),
            Type::Own => "a structure that implements Pod".to_owned(),
            Type::Unknown => "any type".to_owned(),
            Type::Opaque => "an object of OpenCL's, which programs in Rust cannot pass,".to_owned(),
        }
    }
}

/// The mismatch of an argument that does not fit: the expected and the given type.
pub(crate) type Misfit = (String, String);

impl Param {
    /// `has_signs`: the front end tells signed integers from unsigned ones.
    pub(crate) fn new(arg: &KernelArg, has_signs: bool) -> Param {
        let is_pointer = matches!(arg.kind, ArgKind::Global | ArgKind::Constant | ArgKind::Local);
        let behind = |name: &str| match is_pointer {
            true => name.trim().strip_suffix('*').unwrap_or(name).trim_end().to_owned(),
            false => name.trim().to_owned(),
        };
        let (mut named, base) = (behind(&arg.type_name), behind(&arg.base_type_name));
        if is_pointer && !arg.type_name.trim().ends_with('*') {
            // A `typedef` of the whole pointer.
            named.clone_from(&base);
        }
        let mut ty = Type::parse(if base.is_empty() { &named } else { &base }, has_signs);
        if !is_pointer && ty.size().is_some_and(|size| size != arg.size) {
            // A type whose size differs from that of the scalar or vector of its name is the
            // program's own.
            ty = Type::Unknown;
        }
        let is_const = arg.type_qualifiers.split_whitespace().any(|word| word == "const");
        Param {
            name: arg.name.clone(),
            type_name: if named.is_empty() { base } else { named },
            qualifiers: arg.type_qualifiers.clone(),
            kind: arg.kind,
            ty,
            size: arg.size,
            read_only: is_const || arg.kind == ArgKind::Constant,
        }
    }

    /// The name in the source; empty if the SPIR-V module has none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type in the source, for a pointer that of its elements: `float4`. Empty if it is not
    /// known.
    pub fn type_name(&self) -> &str {
        &self.type_name
    }

    /// Whether the parameter is a pointer through which the kernel only reads (`const` or
    /// `constant`), so that it takes `&[T]`.
    pub fn is_read_only(&self) -> bool {
        self.is_pointer() && self.read_only
    }

    fn is_pointer(&self) -> bool {
        matches!(self.kind, ArgKind::Global | ArgKind::Constant | ArgKind::Local)
    }

    /// The argument as the runtime takes it, if it fits.
    pub(crate) fn take(&self, arg: &Arg<'_>) -> Result<ArgValue, Misfit> {
        match (self.kind, &arg.value) {
            (ArgKind::Value, Value::Bytes { bytes, of }) => self.take_value(bytes, *of),
            (ArgKind::Global | ArgKind::Constant, &Value::Slice { start, bytes, of, writable }) => {
                if !self.ty.is_like(of) || !writable && !self.read_only {
                    return Err((self.expectation(), arg.to_string()));
                }
                self.check_length(bytes, of)?;
                self.check_alignment(start, bytes)?;
                Ok(if bytes == 0 { ArgValue::Null } else { ArgValue::Address(start.expose_provenance()) })
            }
            (ArgKind::Local, &Value::Local(bytes)) => {
                if bytes == 0 || self.ty.size().is_some_and(|size| bytes % size != 0) {
                    let size = self.ty.size().map_or_else(String::new, |n| format!(" in multiples of {n}"));
                    return Err((format!("local memory, more than 0 bytes{size}"), arg.to_string()));
                }
                Ok(ArgValue::Local(bytes))
            }
            _ => Err((self.expectation(), arg.to_string())),
        }
    }

    fn take_value(&self, bytes: &[u8], of: Rust) -> Result<ArgValue, Misfit> {
        let mut bytes = bytes.to_vec();
        if let Type::Vector { scalar, lanes: 3, .. } = self.ty
            && bytes.len() == 3 * scalar.size()
        {
            bytes.resize(self.size, 0);
        }
        if self.ty == Type::Opaque {
            return Err((self.expectation(), format!("a value of type {}", (of.name)())));
        }
        if !self.ty.is_like(of) || bytes.len() != self.size {
            let expected = format!("{} of {} bytes", self.expectation(), self.size);
            return Err((expected, format!("{} of {} bytes", (of.name)(), of.size)));
        }
        Ok(ArgValue::Bytes(bytes))
    }

    /// Refuses a slice whose elements neither divide the kernel's elements nor are multiples of
    /// them, or whose length is no multiple of the kernel's element.
    fn check_length(&self, bytes: usize, of: Rust) -> Result<(), Misfit> {
        let Some(size) = self.ty.size() else { return Ok(()) };
        if of.size != 0 && !of.size.is_multiple_of(size) && !size.is_multiple_of(of.size) {
            let expected = format!("elements of {size} bytes ({} is stored so)", self.type_name);
            return Err((expected, format!("{} of {} bytes", (of.name)(), of.size)));
        }
        if !bytes.is_multiple_of(size) {
            let expected = format!("a multiple of {size} bytes, the size of {}", self.type_name);
            return Err((expected, format!("{bytes} bytes")));
        }
        Ok(())
    }

    /// Refuses a slice that is not aligned as the kernel's elements: vectors are aligned to their
    /// size.
    fn check_alignment(&self, start: *const u8, bytes: usize) -> Result<(), Misfit> {
        let align = self.ty.size().unwrap_or(1);
        if bytes > 0 && !start.addr().is_multiple_of(align) {
            let name = &self.type_name;
            let expected =
                format!("an address that is a multiple of {align} for {name} (#[repr(align({align}))])");
            return Err((expected, format!("{start:p}")));
        }
        Ok(())
    }

    /// The Rust types that fit, for error messages.
    fn expectation(&self) -> String {
        let rust = self.ty.rust_name();
        let mutable = if self.read_only { "" } else { "mut " };
        match (self.kind, self.ty) {
            (_, Type::Opaque) => rust,
            (ArgKind::Value, Type::Vector { .. }) => format!("a value of type {rust}"),
            (ArgKind::Value, Type::Own) => rust,
            (ArgKind::Value, Type::Unknown) => "a value".to_owned(),
            (ArgKind::Global | ArgKind::Constant, Type::Vector { .. }) => format!("&{mutable}[{rust}]"),
            (ArgKind::Global | ArgKind::Constant, Type::Own) => format!("&{mutable}[T] of {rust}"),
            (ArgKind::Global | ArgKind::Constant, Type::Unknown) => format!("&{mutable}[T]"),
            (ArgKind::Local, _) => "Local(bytes)".to_owned(),
            (ArgKind::Image | ArgKind::Sampler, _) => Type::Opaque.rust_name(),
        }
    }
}

impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            ArgKind::Value | ArgKind::Image | ArgKind::Sampler => "",
            ArgKind::Global => "global ",
            ArgKind::Constant => "constant ",
            ArgKind::Local => "local ",
        })?;
        if self.read_only && self.kind == ArgKind::Global {
            f.write_str("const ")?;
        }
        if self.qualifiers.split_whitespace().any(|word| word == "volatile") {
            f.write_str("volatile ")?;
        }
        f.write_str(if self.type_name.is_empty() { "?" } else { &self.type_name })?;
        f.write_str(if self.is_pointer() { " *" } else { " " })?;
        f.write_str(if self.name.is_empty() { "?" } else { &self.name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(scalar: Scalar, lanes: usize) -> Type {
        Type::Vector { scalar, lanes, any_sign: false }
    }

    #[test]
    fn types_are_parsed_from_both_spellings() {
        let parse = |name| Type::parse(name, true);
        assert_eq!(parse("float"), vector(Scalar::Float, 1));
        assert_eq!(parse("uchar16"), vector(Scalar::UChar, 16));
        assert_eq!(parse("uint __attribute__((ext_vector_type(3)))"), vector(Scalar::UInt, 3));
        assert_eq!(parse("_Atomic(unsigned long)"), vector(Scalar::ULong, 1));
        assert_eq!(parse("bool"), vector(Scalar::UChar, 1));
        for own in ["struct S", "S", "float5", "float1", "4", "float[4]", "float*"] {
            assert_eq!(parse(own), Type::Own, "{own}");
        }
        for unknown in ["", "void"] {
            assert_eq!(parse(unknown), Type::Unknown);
        }
        assert_eq!(parse("half3").size(), Some(8));
    }

    #[test]
    fn without_signs_both_integers_fit_an_int() {
        let rust = |scalar| Rust { name: || "", scalar: Some(scalar), size: 4 };
        assert!(Type::parse("int", false).is_like(rust(Scalar::UInt)));
        assert!(!Type::parse("int", true).is_like(rust(Scalar::UInt)));
        assert!(!Type::parse("uint", false).is_like(rust(Scalar::Int)));
        assert!(!Type::parse("int", false).is_like(rust(Scalar::Float)));
    }
}
