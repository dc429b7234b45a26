//! The types of a module, and what they are in LLVM IR.

use crate::DeviceInfo;
use crate::grammar::decoration;
use crate::grammar::{self, Op};
use crate::module::Module;
use ir::{ImageAccess, ImageType, TargetType, address_space};
use llvm::{Context, Type, Value};
use std::collections::HashMap;

/// A type of SPIR-V. Types inside of it are IDs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    Void,
    Bool,
    Int(u32),
    Float(u32),
    /// `bfloat16`, whose bits are an integer: it is only moved and converted.
    Brain,
    Vector(u32, u32),
    Array(u32, u64),
    Struct(Vec<u32>),
    /// What it points to is 0 where that is not declared yet.
    Pointer {
        class: u32,
        to: u32,
    },
    Function {
        ret: u32,
        params: Vec<u32>,
    },
    Event,
    Image(ImageType),
    Sampler,
    /// An image of this type, with a sampler: no value of LLVM's.
    SampledImage,
    /// A type without values of a known size.
    Opaque,
}

/// Types larger than this are refused.
const MAX_SIZE: u128 = 1 << 32;
/// Values of more scalars than this are not allowed in registers.
const MAX_SCALARS: u64 = 4096;
/// The specification's limit for structures in structures.
const MAX_DEPTH: u32 = 255;
/// Integers wider than this are refused.
const MAX_BITS: u32 = 4096;

/// A type with cached properties: a type may contain another many times, so that walking it could
/// take exponential time.
struct Declared {
    ty: Ty,
    lowered: Option<Type>,
    /// At least its size in bytes.
    size: u128,
    scalars: u64,
    /// Whether there are 16-bit floating-point numbers in it, other than behind pointers.
    half: bool,
    /// Whether there are numbers of `bfloat16` in it, other than behind pointers.
    brain: bool,
    /// How deep types are nested in it.
    depth: u32,
}

pub(crate) struct Types {
    types: HashMap<u32, Declared>,
    /// Whether any of them holds numbers of `bfloat16`.
    pub has_brain: bool,
    context: Context,
}

/// The address space of a storage class, by the table of the specification (mux-ir). Pointers of
/// all of these classes are types that a kernel may have; variables only of some.
pub(crate) fn space_of(class: u32) -> Result<u32, String> {
    Ok(match crate::grammar::name_in(crate::grammar::STORAGE_CLASSES, class) {
        Some("UniformConstant" | "PushConstant") => address_space::CONSTANT,
        Some("Workgroup") => address_space::LOCAL,
        Some("CrossWorkgroup" | "Uniform" | "Image" | "StorageBuffer") => address_space::GLOBAL,
        Some("Generic") => address_space::GENERIC,
        Some("Input" | "Output" | "Private" | "Function" | "AtomicCounter" | "CodeSectionINTEL") => {
            address_space::PRIVATE
        }
        Some(name) => return Err(format!("the storage class {name} is not one of kernels")),
        None => return Err(format!("the storage class {class} is unknown")),
    })
}

/// The type of OpTypeImage's operands.
fn image_type(args: &[u32]) -> Result<ImageType, String> {
    let &[_, dimension, depth, arrayed, multisampled, ref rest @ ..] = args else {
        return Err("has too few operands".to_owned());
    };
    // Without a qualifier it is read only.
    let access = rest.get(2).copied().unwrap_or(0);
    let name = crate::grammar::name_in(crate::grammar::DIMENSIONALITIES, dimension).unwrap_or("unknown");
    let kinds = if arrayed == 1 { "arrays of " } else { "" };
    ImageType::parse(&[dimension, depth, arrayed, multisampled, 0, 0, access])
        .ok_or_else(|| format!("{kinds}images of {name} and {multisampled} samples are not OpenCL's"))
}

impl Types {
    pub fn new(context: &Context) -> Self {
        Types { types: HashMap::new(), has_brain: false, context: context.clone() }
    }

    pub fn get(&self, id: u32) -> Option<&Ty> {
        self.types.get(&id).map(|d| &d.ty)
    }

    /// The type of an ID that must be one.
    pub fn of(&self, m: &Module<'_>, id: u32) -> Result<&Ty, String> {
        self.get(id).ok_or_else(|| format!("{} is not a type", m.show(id)))
    }

    /// The LLVM type of values; `void` for void.
    pub fn lower(&self, m: &Module<'_>, id: u32) -> Result<Type, String> {
        let declared = self.types.get(&id).ok_or_else(|| format!("{} is not a type", m.show(id)))?;
        declared.lowered.ok_or_else(|| format!("no value can be of the type {}", m.show(id)))
    }

    /// The LLVM type of values in memory.
    pub fn sized(&self, m: &Module<'_>, id: u32) -> Result<Type, String> {
        match self.of(m, id)? {
            Ty::Void | Ty::Function { .. } | Ty::Opaque | Ty::SampledImage => {
                Err(format!("no value can be of the type {}", m.show(id)))
            }
            _ => self.lower(m, id),
        }
    }

    /// The LLVM type of a part of another type.
    fn part(&self, m: &Module<'_>, id: u32) -> Result<Type, String> {
        match self.of(m, id)? {
            Ty::Image(_) | Ty::Sampler => Err("images and samplers are not part of other types".to_owned()),
            _ => self.sized(m, id),
        }
    }

    /// The type of a pointer and what it points to.
    pub fn pointer(&self, m: &Module<'_>, id: u32) -> Result<(u32, u32), String> {
        match self.of(m, id)? {
            Ty::Pointer { class, to } => Ok((*class, *to)),
            _ => Err(format!("the type {} is not a pointer", m.show(id))),
        }
    }

    /// Declares the type of an instruction. `length` gives the value of a constant.
    /// One arm a type instruction: long, but a table.
    pub fn declare(
        &mut self,
        m: &Module<'_>,
        inst: usize,
        device: &DeviceInfo,
        length: impl Fn(u32) -> Option<Value>,
    ) -> Result<(), String> {
        let i = &m.insts[inst];
        let c = self.context.clone();
        let (ty, lowered) = match i.op {
            Op::TypeVoid => (Ty::Void, Some(c.void())),
            Op::TypeBool => (Ty::Bool, Some(c.i1())),
            Op::TypeInt => {
                let bits = i.args[0];
                if bits == 0 || bits > MAX_BITS {
                    return Err(format!("integers have 1 to {MAX_BITS} bits, not {bits}"));
                }
                (Ty::Int(bits), Some(c.int(bits)))
            }
            Op::TypeFloat => {
                let lowered = match (i.args[0], i.arg(1)) {
                    (16, None) => c.half(),
                    (32, None) => c.float(),
                    (64, None) => {
                        device.require("Float64")?;
                        c.double()
                    }
                    (bits, None) => {
                        return Err(format!("floating-point numbers of {bits} bits are not supported"));
                    }
                    (16, Some(grammar::float_encoding::BFLOAT16)) => {
                        device.require("BFloat16TypeKHR")?;
                        c.int(16)
                    }
                    _ => return Err("only bfloat16 and IEEE 754 encodings are supported".to_owned()),
                };
                let ty = if i.arg(1).is_some() { Ty::Brain } else { Ty::Float(i.args[0]) };
                (ty, Some(lowered))
            }
            Op::TypeVector => {
                let (element, n) = (i.args[0], i.args[1]);
                if !matches!(self.of(m, element)?, Ty::Bool | Ty::Int(_) | Ty::Float(_) | Ty::Brain) {
                    return Err(format!("{} is not a scalar type", m.show(element)));
                }
                if !matches!(n, 2 | 3 | 4 | 8 | 16) {
                    return Err(format!("vectors have 2, 3, 4, 8 or 16 components, not {n}"));
                }
                (Ty::Vector(element, n), Some(self.lower(m, element)?.vector(n)))
            }
            Op::TypeArray => {
                let element = self.part(m, i.args[0])?;
                let n = length(i.args[1]).and_then(Value::as_const_int);
                let n = n.ok_or_else(|| format!("the length {} is not a constant", m.show(i.args[1])))?;
                if self.size(i.args[0]).saturating_mul(u128::from(n)) > MAX_SIZE {
                    return Err(format!("an array of {n} elements is too large"));
                }
                (Ty::Array(i.args[0], n), Some(element.array(n)))
            }
            Op::TypeStruct => {
                let fields = i.args.iter().map(|f| self.part(m, *f)).collect::<Result<Vec<_>, _>>()?;
                if i.args.iter().map(|f| self.size(*f) + 64).sum::<u128>() > MAX_SIZE {
                    return Err("the struct is too large".to_owned());
                }
                let packed = m.decoration(i.id, decoration::CPACKED).is_some();
                (Ty::Struct(i.args.to_vec()), Some(c.struct_type(&fields, packed)))
            }
            Op::TypeForwardPointer => {
                let pointer = c.ptr(space_of(i.args[1])?);
                self.insert(i.args[0], Ty::Pointer { class: i.args[1], to: 0 }, Some(pointer));
                return Ok(());
            }
            Op::TypePointer => {
                let (class, to) = (i.args[0], i.args[1]);
                if let Some(Ty::Pointer { class: before, .. }) = self.get(i.id)
                    && *before != class
                {
                    return Err("has another storage class than its forward declaration".to_owned());
                }
                self.of(m, to)?;
                (Ty::Pointer { class, to }, Some(c.ptr(space_of(class)?)))
            }
            Op::TypeFunction => {
                let (ret, params) = (i.args[0], &i.args[1..]);
                let lowered = params.iter().map(|p| self.sized(m, *p)).collect::<Result<Vec<_>, _>>()?;
                let ret_type = if *self.of(m, ret)? == Ty::Void { c.void() } else { self.sized(m, ret)? };
                (Ty::Function { ret, params: params.to_vec() }, Some(ret_type.function(&lowered)))
            }
            Op::TypeEvent => (Ty::Event, Some(c.ptr(address_space::PRIVATE))),
            Op::TypeImage => {
                device.require("ImageBasic")?;
                let image = image_type(i.args)?;
                if image.access == ImageAccess::ReadWrite {
                    device.require("ImageReadWrite")?;
                }
                (Ty::Image(image), Some(image.ty(&c)))
            }
            Op::TypeSampler => {
                device.require("ImageBasic")?;
                (Ty::Sampler, Some(TargetType::Sampler.ty(&c)))
            }
            Op::TypeSampledImage => match self.of(m, i.args[0])? {
                Ty::Image(_) => (Ty::SampledImage, None),
                _ => return Err(format!("{} is not a type of images", m.show(i.args[0]))),
            },
            // An opaque type, which only pointers refer to.
            Op::TypeOpaque => (Ty::Opaque, None),
            _ => return Err("this type is not supported".to_owned()),
        };
        self.insert(i.id, ty, lowered);
        if self.types.get(&i.id).is_some_and(|d| d.depth > MAX_DEPTH) {
            return Err(format!("types are nested more than {MAX_DEPTH} deep"));
        }
        Ok(())
    }

    fn insert(&mut self, id: u32, ty: Ty, lowered: Option<Type>) {
        let (size, scalars) = (self.size_of(&ty), self.scalars_of(&ty));
        let inner = |id: &u32| self.types.get(id).map_or(0, |d| d.depth);
        let depth = match &ty {
            Ty::Array(element, _) => inner(element) + 1,
            Ty::Struct(fields) => fields.iter().map(inner).max().unwrap_or(0) + 1,
            _ => 0,
        };
        let half = match &ty {
            Ty::Float(bits) => *bits == 16,
            Ty::Vector(element, _) | Ty::Array(element, _) => self.holds_half(*element),
            Ty::Struct(fields) => fields.iter().any(|f| self.holds_half(*f)),
            _ => false,
        };
        let brain = match &ty {
            Ty::Brain => true,
            Ty::Vector(element, _) | Ty::Array(element, _) => self.holds_brain(*element),
            Ty::Struct(fields) => fields.iter().any(|f| self.holds_brain(*f)),
            _ => false,
        };
        self.has_brain |= brain;
        self.types.insert(id, Declared { ty, lowered, size, scalars, half, brain, depth });
    }

    fn size(&self, id: u32) -> u128 {
        self.types.get(&id).map_or(8, |d| d.size)
    }

    fn size_of(&self, ty: &Ty) -> u128 {
        match ty {
            Ty::Bool => 1,
            Ty::Brain => 2,
            Ty::Int(bits) | Ty::Float(bits) => u128::from(bits.div_ceil(8)),
            Ty::Vector(element, n) => self.size(*element) * u128::from(n.next_power_of_two()),
            Ty::Array(element, n) => self.size(*element).saturating_mul(u128::from(*n)),
            // Includes an upper bound of the padding.
            Ty::Struct(fields) => fields.iter().map(|f| self.size(*f) + 64).sum(),
            _ => 8,
        }
    }

    /// Whether values of the type are or hold 16-bit floating-point numbers.
    pub fn holds_half(&self, id: u32) -> bool {
        self.types.get(&id).is_some_and(|d| d.half)
    }

    /// Whether values of the type are or hold numbers of `bfloat16`.
    pub fn holds_brain(&self, id: u32) -> bool {
        self.types.get(&id).is_some_and(|d| d.brain)
    }

    /// Whether the type is `bfloat16`, or a vector of such.
    pub fn is_brain(&self, id: u32) -> bool {
        matches!(self.get(id), Some(Ty::Brain | Ty::Vector(..))) && self.holds_brain(id)
    }

    /// Refuses types whose values are too large for registers.
    pub fn check_value(&self, id: u32) -> Result<(), String> {
        if self.types.get(&id).is_some_and(|d| d.scalars > MAX_SCALARS) {
            return Err(format!("a value of more than {MAX_SCALARS} scalars can only be moved in memory"));
        }
        Ok(())
    }

    fn scalars_of(&self, ty: &Ty) -> u64 {
        let of = |id: &u32| self.types.get(id).map_or(1, |d| d.scalars);
        match ty {
            Ty::Vector(_, n) => u64::from(*n),
            Ty::Array(element, n) => of(element).saturating_mul(*n),
            Ty::Struct(fields) => fields.iter().fold(0, |n, f| n.saturating_add(of(f))),
            _ => 1,
        }
    }
}
