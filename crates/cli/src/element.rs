//! The types of a kernel's parameters, as far as the command line has to know them.

use std::fmt;

use compiler::{Access, ArgKind, ImageArg, KernelArg, Scalar};

use crate::layout::Layout;

/// The type of a buffer's elements, or of a parameter passed by value: a scalar or a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ElementType {
    pub kind: Scalar,
    /// 1 for a scalar, otherwise 2, 3, 4, 8 or 16.
    pub lanes: usize,
    /// One byte of a structure or another type of the program's own: nothing more is known of it.
    pub is_raw: bool,
}

impl ElementType {
    pub const RAW: Self = Self { kind: Scalar::UChar, lanes: 1, is_raw: true };

    pub fn scalar(kind: Scalar) -> Self {
        Self::vector(kind, 1)
    }

    pub fn vector(kind: Scalar, lanes: usize) -> Self {
        Self { kind, lanes, is_raw: false }
    }

    /// How many lanes an element takes up in memory: a vector of three is stored as one of four.
    pub fn stored_lanes(self) -> usize {
        if self.lanes == 3 { 4 } else { self.lanes }
    }

    /// The size of an element in bytes.
    pub fn size(self) -> usize {
        self.kind.size() * self.stored_lanes()
    }

    /// The type of this name; `None` if it is no scalar or vector of OpenCL C.
    pub fn parse(name: &str) -> Option<Self> {
        Scalar::parse_vector(name).map(|(kind, lanes)| Self::vector(kind, lanes))
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_raw { "byte" } else { self.kind.name() })?;
        if self.lanes > 1 { write!(f, "{}", self.lanes) } else { Ok(()) }
    }
}

/// Where a parameter points, by the numbers of `kernel_arg_addr_space`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Not a pointer: passed by value.
    Value,
    Global,
    Constant,
    Local,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Counted from 0.
    pub index: usize,
    /// Empty where it is not known.
    pub name: String,
    /// As the metadata spells it: `float*`, `uint4`, `struct S*`.
    pub type_name: String,
    pub space: Space,
    /// The type of a value, or of the elements that a pointer points to. [`ElementType::RAW`] for
    /// the program's own types and for unknown ones.
    pub element: ElementType,
    /// The size in bytes of a parameter passed by value; 0 if it is not known.
    pub size: usize,
    /// Nothing tells its type, as in IR and binaries of other tools.
    pub untyped: bool,
    /// The kernel cannot write through it.
    pub read_only: bool,
    /// Of a struct or an array, where the compiler noted it: `element` is [`ElementType::RAW`]
    /// then.
    pub layout: Option<Layout>,
    /// Of an image.
    pub image: Option<ImageArg>,
    pub is_sampler: bool,
}

impl Param {
    /// From the kernel's metadata: `kernel_arg_name` (may be empty), `kernel_arg_type`,
    /// `kernel_arg_base_type` and `kernel_arg_addr_space`.
    pub fn new(index: usize, name: &str, type_name: &str, base_type: &str, addr_space: u32) -> Self {
        let pointer = base_type.trim_end().ends_with('*') || type_name.trim_end().ends_with('*');
        let space = match addr_space {
            2 if pointer => Space::Constant,
            3 if pointer => Space::Local,
            _ if pointer => Space::Global,
            _ => Space::Value,
        };
        let pointee = |name: &str| ElementType::parse(name.trim_end().trim_end_matches('*'));
        let element = pointee(type_name).or_else(|| pointee(base_type)).unwrap_or(ElementType::RAW);
        Self {
            index,
            name: name.to_owned(),
            type_name: type_name.to_owned(),
            space,
            element,
            size: 0,
            untyped: false,
            read_only: space == Space::Constant,
            layout: None,
            image: None,
            is_sampler: false,
        }
    }

    /// The size in bytes of the value, or of an element it points to.
    pub fn element_size(&self) -> usize {
        self.layout.as_ref().map_or(self.element.size(), Layout::size)
    }

    /// The name of the value's type, or of the type it points to.
    pub fn element_name(&self) -> String {
        match self.layout {
            Some(_) => self.type_name.trim_end_matches('*').trim_end().to_owned(),
            None => self.element.to_string(),
        }
    }

    /// The `index`th parameter as the compiler or a binary's notes know it.
    pub fn of(index: usize, arg: &KernelArg) -> Self {
        let untyped = arg.type_name.is_empty() && arg.base_type_name.is_empty();
        let (space, described) = match arg.kind {
            ArgKind::Value => (Space::Value, format!("{}-byte value", arg.size)),
            ArgKind::Global => (Space::Global, "global pointer".to_owned()),
            ArgKind::Constant => (Space::Constant, "constant pointer".to_owned()),
            ArgKind::Local => (Space::Local, "local pointer".to_owned()),
            ArgKind::Image => (Space::Value, "image".to_owned()),
            ArgKind::Sampler => (Space::Value, "sampler_t".to_owned()),
        };
        let type_name = [&arg.type_name, &arg.base_type_name, &described];
        let type_name = type_name.into_iter().find(|name| !name.is_empty()).unwrap_or(&described);
        let mut param = Self::new(index, &arg.name, type_name, &arg.base_type_name, 0);
        if arg.base_type_name.starts_with("enum ") && arg.size == 4 {
            param.element = ElementType::scalar(Scalar::Int);
        }
        // A type whose size differs from that of its name is a type of the program's own.
        if space == Space::Value && param.element.size() != arg.size {
            param.element = ElementType::RAW;
        }
        let layout = Layout::parse(&arg.layout).filter(|layout| {
            param.element == ElementType::RAW && (space != Space::Value || layout.size() == arg.size)
        });
        let is_const = arg.type_qualifiers.split_whitespace().any(|word| word == "const");
        let is_read_image = arg.image.is_some_and(|image| image.access == Access::ReadOnly);
        let read_only = is_const || space == Space::Constant || is_read_image;
        let is_sampler = arg.kind == ArgKind::Sampler;
        Self { space, size: arg.size, untyped, read_only, layout, image: arg.image, is_sampler, ..param }
    }

    /// Events, queues and the like, which a command line cannot give.
    pub fn is_opaque(&self) -> bool {
        const OPAQUE: [&str; 4] = ["event_t", "queue_t", "clk_event_t", "reserve_id_t"];
        let name = self.type_name.trim();
        name.starts_with("pipe ")
            || name.ends_with("_t") && OPAQUE.iter().any(|prefix| name.starts_with(prefix))
    }
}

/// `argument 2 (width)`.
impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "argument {}", self.index)?;
        if self.name.is_empty() { Ok(()) } else { write!(f, " ({})", self.name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names() {
        let parse = |name| ElementType::parse(name).map(|element| (element.to_string(), element.size()));
        assert_eq!(parse("float"), Some(("float".into(), 4)));
        assert_eq!(parse("uchar4"), Some(("uchar4".into(), 4)));
        assert_eq!(parse("double16"), Some(("double16".into(), 128)));
        assert_eq!(parse("half3"), Some(("half3".into(), 8)));
        assert_eq!(parse("uint __attribute__((ext_vector_type(3)))"), Some(("uint3".into(), 16)));
        assert_eq!(parse("unsigned int"), Some(("uint".into(), 4)));
        assert_eq!(parse("_Atomic(unsigned long)"), Some(("ulong".into(), 8)));
        for other in ["struct S", "float5", "float1", "vec", "", "4", "float[4]", "image2d_t", "float04"] {
            assert_eq!(parse(other), None, "{other}");
        }
    }

    #[test]
    fn parameters() {
        let param = Param::new(0, "x", "vec*", "float __attribute__((ext_vector_type(4)))*", 1);
        assert_eq!((param.space, param.element.to_string()), (Space::Global, "float4".into()));
        let param = Param::new(1, "", "u", "uint", 0);
        assert_eq!((param.space, param.element.to_string()), (Space::Value, "uint".into()));
        assert_eq!(param.to_string(), "argument 1");
        let param = Param::new(2, "s", "struct S*", "struct S*", 2);
        assert_eq!((param.space, param.element), (Space::Constant, ElementType::RAW));
        assert_eq!(param.to_string(), "argument 2 (s)");
        assert_eq!(Param::new(3, "l", "half*", "half*", 3).space, Space::Local);
        assert!(Param::new(4, "q", "queue_t", "queue_t", 0).is_opaque());
        assert!(Param::new(5, "e", "clk_event_t", "clk_event_t", 0).is_opaque());
        assert!(!Param::new(6, "n", "uint", "uint", 0).is_opaque());
        assert!(!Param::new(7, "p", "pipe_state*", "struct pipe_state*", 1).is_opaque());
    }
}
