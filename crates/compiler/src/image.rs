//! The images and samplers among a kernel's arguments.

use std::fmt;

/// The kind of an image, which is the type of a kernel's argument for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageKind {
    D1,
    D1Buffer,
    D1Array,
    D2,
    D2Array,
    D3,
}

impl ImageKind {
    pub const ALL: [ImageKind; 6] = [
        ImageKind::D1,
        ImageKind::D1Buffer,
        ImageKind::D1Array,
        ImageKind::D2,
        ImageKind::D2Array,
        ImageKind::D3,
    ];

    /// The middle of the type's name: `image2d_array_t` is that of `2d_array`.
    fn name(self) -> &'static str {
        match self {
            ImageKind::D1 => "1d",
            ImageKind::D1Buffer => "1d_buffer",
            ImageKind::D1Array => "1d_array",
            ImageKind::D2 => "2d",
            ImageKind::D2Array => "2d_array",
            ImageKind::D3 => "3d",
        }
    }
}

/// The access of kernels to an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    ReadOnly,
    WriteOnly,
    /// Both in the same kernel.
    ReadWrite,
}

impl Access {
    pub const ALL: [Access; 3] = [Access::ReadOnly, Access::WriteOnly, Access::ReadWrite];

    /// OpenCL C's qualifier.
    pub fn name(self) -> &'static str {
        match self {
            Access::ReadOnly => "read_only",
            Access::WriteOnly => "write_only",
            Access::ReadWrite => "read_write",
        }
    }
}

/// The images that a kernel's argument accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageArg {
    pub kind: ImageKind,
    /// Of depths only: `image2d_depth_t`.
    pub is_depth: bool,
    pub access: Access,
}

/// `read_only image2d_array_depth_t`.
impl fmt::Display for ImageArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let depth = if self.is_depth { "_depth" } else { "" };
        write!(f, "{} image{}{depth}_t", self.access.name(), self.kind.name())
    }
}

impl ImageArg {
    /// The reverse of `Display`.
    pub fn parse(text: &str) -> Option<ImageArg> {
        let (access, ty) = text.split_once(' ')?;
        let name = ty.strip_prefix("image")?.strip_suffix("_t")?;
        let kind = name.strip_suffix("_depth").unwrap_or(name);
        Some(ImageArg {
            kind: ImageKind::ALL.into_iter().find(|one| one.name() == kind)?,
            is_depth: kind != name,
            access: Access::ALL.into_iter().find(|one| one.name() == access)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_text_and_back() {
        for kind in ImageKind::ALL {
            for access in Access::ALL {
                for is_depth in [false, true] {
                    let arg = ImageArg { kind, is_depth, access };
                    assert_eq!(ImageArg::parse(&arg.to_string()), Some(arg), "{arg}");
                }
            }
        }
        assert_eq!(
            ImageArg::parse("read_write image2d_array_depth_t").map(|arg| (arg.kind, arg.is_depth)),
            Some((ImageKind::D2Array, true))
        );
        for wrong in ["", "image2d_t", "read_only image4d_t", "const image2d_t", "read_only sampler_t"] {
            assert_eq!(ImageArg::parse(wrong), None, "{wrong}");
        }
    }
}
