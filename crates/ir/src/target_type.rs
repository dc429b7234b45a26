//! Opaque types of the language, which a target says the meaning of: images and samplers.
//!
//! They are LLVM's target extension types with SPIR-V's names and parameters, as clang writes them:
//! `target("spirv.Image", void, dimension, depth, arrayed, multisampled, sampled, format, access)`.

use llvm::{Context, Type};
use std::fmt;

const IMAGE: &str = "spirv.Image";
const SAMPLER: &str = "spirv.Sampler";

/// The functions that a target's library gets at the value behind an opaque type with: from that
/// type to the one that the target has in its place. ReplaceTargetExtTypes resolves them.
pub const OPAQUE_VALUE: &str = "__mux_opaque_value";

/// Clang's function from the constant of a sampler to the sampler.
pub const SAMPLER_INITIALIZER: &str = "__translate_sampler_initializer";

/// The prefix of library functions of images that InlineImages inlines, where the format is known.
pub const IMAGE_FUNCTION: &str = "__lanewise_image_";

/// Where the library's description of an image (`image.h`) has its size, in bytes, three 32-bit
/// numbers, and where its pixels are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum ImageField {
    Width = 4,
    Height = 8,
    Depth = 12,
    /// Words of 64 bits: the bytes from a row to the next, from a slice to the next, and the
    /// address of the first pixel.
    RowPitch = 16,
    SlicePitch = 24,
    Data = 32,
}

/// The bits of a sampler, as OpenCL C has them.
pub mod sampler {
    pub const NORMALIZED: u64 = 1;
    /// None of them: `CLK_ADDRESS_NONE`.
    pub const ADDRESSING: u64 = 0xe;
    pub const LINEAR: u64 = 0x20;
}

/// An opaque type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetType {
    Image(ImageType),
    Sampler,
}

/// An image's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageType {
    pub dimension: Dimension,
    pub is_depth: bool,
    pub is_array: bool,
    pub access: ImageAccess,
}

/// SPIR-V's `Dim`, as far as OpenCL has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    D1 = 0,
    D2 = 1,
    D3 = 2,
    Buffer = 5,
}

/// SPIR-V's `Access Qualifier`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageAccess {
    ReadOnly = 0,
    WriteOnly = 1,
    ReadWrite = 2,
}

impl ImageType {
    /// From the numbers of the type: dimension, depth, arrayed, multisampled, sampled, format,
    /// access.
    pub fn parse(ints: &[u32]) -> Option<ImageType> {
        let &[dimension, depth, arrayed, 0, _, _, access] = ints else { return None };
        use Dimension::*;
        let dimension = [D1, D2, D3, Buffer].into_iter().find(|d| *d as u32 == dimension)?;
        let access = [ImageAccess::ReadOnly, ImageAccess::WriteOnly, ImageAccess::ReadWrite]
            .into_iter()
            .find(|a| *a as u32 == access)?;
        let is_array = arrayed == 1;
        (!is_array || matches!(dimension, D1 | D2)).then_some(())?;
        Some(ImageType { dimension, is_depth: depth == 1, is_array, access })
    }

    /// The middle of the type's name in OpenCL C: `2d_array_depth`.
    pub fn kind_name(self) -> &'static str {
        match (self.dimension, self.is_array, self.is_depth) {
            (Dimension::D1, false, _) => "1d",
            (Dimension::D1, true, _) => "1d_array",
            (Dimension::Buffer, ..) => "1d_buffer",
            (Dimension::D2, false, false) => "2d",
            (Dimension::D2, true, false) => "2d_array",
            (Dimension::D2, false, true) => "2d_depth",
            (Dimension::D2, true, true) => "2d_array_depth",
            (Dimension::D3, ..) => "3d",
        }
    }

    /// What names of functions spell the type as: `14ocl_image2d_ro`.
    pub fn mangled(self) -> String {
        let access = match self.access {
            ImageAccess::ReadOnly => "ro",
            ImageAccess::WriteOnly => "wo",
            ImageAccess::ReadWrite => "rw",
        };
        let name = format!("ocl_image{}_{access}", self.kind_name());
        format!("{}{name}", name.len())
    }

    pub fn ty(self, context: &Context) -> Type {
        let ints =
            [self.dimension as u32, self.is_depth.into(), self.is_array.into(), 0, 0, 0, self.access as u32];
        context.target_type(IMAGE, &[context.void()], &ints)
    }
}

impl TargetType {
    /// `None` for types of other kinds, and for images that OpenCL does not have.
    pub fn of(ty: Type) -> Option<TargetType> {
        let (name, ints) = ty.target_type()?;
        match name.as_str() {
            IMAGE => ImageType::parse(&ints).map(TargetType::Image),
            SAMPLER => Some(TargetType::Sampler),
            _ => None,
        }
    }

    pub fn ty(self, context: &Context) -> Type {
        match self {
            TargetType::Image(image) => image.ty(context),
            TargetType::Sampler => context.target_type(SAMPLER, &[], &[]),
        }
    }
}

/// OpenCL C's name, with the access qualifier of an image: `read_only image2d_t`.
impl fmt::Display for TargetType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TargetType::Image(image) => {
                let access = match image.access {
                    ImageAccess::ReadOnly => "read_only",
                    ImageAccess::WriteOnly => "write_only",
                    ImageAccess::ReadWrite => "read_write",
                };
                write!(f, "{access} image{}_t", image.kind_name())
            }
            TargetType::Sampler => f.write_str(crate::metadata::SAMPLER_OBJECT),
        }
    }
}
