//! Names of overloaded functions, after the Itanium C++ ABI as SPIR 1.2's Appendix A uses it.

use crate::ImageType;
use llvm::{Context, Type, TypeKind, Width};

/// The source name inside a mangled function name: `_Z13get_global_idj` is `get_global_id`, with
/// `j`.
pub fn demangle(mangled: &str) -> Option<(&str, &str)> {
    let rest = mangled.strip_prefix("_Z")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let len: usize = rest[..digits].parse().ok()?;
    let rest = &rest[digits..];
    (len > 0 && rest.is_char_boundary(len) && len <= rest.len()).then(|| rest.split_at(len))
}

/// A type's mangling. Integers of LLVM have no sign; `signed` says which they are meant to be.
/// Those of scalable vectors have none in the name, either: the specification has `Dv2_i`, but
/// `u5nxv1j`.
pub fn mangle_type(ty: Type, signed: bool) -> Option<String> {
    let int = |s: &str, u: &str| Some(if signed { s } else { u }.to_owned());
    match ty.kind() {
        TypeKind::LLVMIntegerTypeKind => match ty.int_bits() {
            1 => Some("b".to_owned()),
            8 => int("c", "h"),
            16 => int("s", "t"),
            32 => int("i", "j"),
            64 => int("l", "m"),
            _ => None,
        },
        TypeKind::LLVMHalfTypeKind => Some("Dh".to_owned()),
        TypeKind::LLVMFloatTypeKind => Some("f".to_owned()),
        TypeKind::LLVMDoubleTypeKind => Some("d".to_owned()),
        TypeKind::LLVMVectorTypeKind => {
            Some(format!("Dv{}_{}", ty.len(), mangle_type(ty.element(), signed)?))
        }
        TypeKind::LLVMScalableVectorTypeKind => {
            let inner = format!("nxv{}{}", ty.len(), mangle_type(ty.element(), false)?);
            Some(format!("u{}{inner}", inner.len()))
        }
        _ => None,
    }
}

/// The mangling of a pointer, or of a vector of pointers, that points to elements of a type:
/// LLVM's own pointers do not say to what they point.
pub fn mangle_pointer(pointer: Type, element: Type) -> Option<String> {
    let scalar = pointer.scalar();
    if !scalar.is_ptr() {
        return None;
    }
    let signed = pointer.kind() != TypeKind::LLVMScalableVectorTypeKind;
    let one =
        format!("P{}{}", qualifiers(scalar.address_space(), false, false), mangle_type(element, signed)?);
    Some(match pointer.kind() {
        TypeKind::LLVMVectorTypeKind => format!("Dv{}_{one}", pointer.len()),
        TypeKind::LLVMScalableVectorTypeKind => {
            let inner = format!("nxv{}{one}", pointer.len());
            format!("u{}{inner}", inner.len())
        }
        _ => one,
    })
}

/// A parameter of a function of OpenCL C, as far as its name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    /// A scalar or vector; whether its integers are meant to be signed.
    Plain(Type, bool),
    /// A pointer into an address space, to a type as above or, if there is none, to `void`.
    Pointer {
        space: u32,
        constant: bool,
        volatile: bool,
        to: Option<(Type, bool)>,
    },
    /// `event_t`, and a pointer to one.
    Event,
    EventPointer {
        space: u32,
    },
    Image(ImageType),
    Sampler,
}

/// The mangled name of a function; `None` if OpenCL C has no type for a parameter.
pub fn mangle_function(name: &str, params: &[Param]) -> Option<String> {
    let mut text = format!("_Z{}{name}", name.len());
    if params.is_empty() {
        text.push('v');
    }
    let mut seen = Vec::new();
    for param in params {
        match *param {
            Param::Plain(ty, signed) => substitute(&mut text, &mut seen, &mangle_plain(ty, signed)?),
            Param::Event => substitute(&mut text, &mut seen, "9ocl_event"),
            Param::Image(image) => substitute(&mut text, &mut seen, &image.mangled()),
            Param::Sampler => substitute(&mut text, &mut seen, "11ocl_sampler"),
            Param::Pointer { space, constant, volatile, to } => {
                let to = to.map_or(Some("v".to_owned()), |(ty, signed)| mangle_plain(ty, signed))?;
                pointer(&mut text, &mut seen, &qualifiers(space, constant, volatile), &to);
            }
            Param::EventPointer { space } => {
                pointer(&mut text, &mut seen, &qualifiers(space, false, false), "9ocl_event");
            }
        }
    }
    Some(text)
}

fn qualifiers(space: u32, constant: bool, volatile: bool) -> String {
    let space = if space == crate::address_space::PRIVATE { String::new() } else { format!("U3AS{space}") };
    format!("{space}{}{}", if volatile { "V" } else { "" }, if constant { "K" } else { "" })
}

/// Scalars and the vectors that OpenCL C has.
fn mangle_plain(ty: Type, signed: bool) -> Option<String> {
    if ty.is_vector() && !matches!(ty.len(), 2 | 3 | 4 | 8 | 16) {
        return None;
    }
    mangle_type(ty, signed)
}

/// Adds a type that is not built in: in full the first time, by its number then.
fn substitute(text: &mut String, seen: &mut Vec<String>, ty: &str) {
    if ty.len() == 1 || ty == "Dh" {
        text.push_str(ty);
    } else if !reuse(text, seen, ty) {
        text.push_str(ty);
        seen.push(ty.to_owned());
    }
}

fn reuse(text: &mut String, seen: &[String], ty: &str) -> bool {
    let Some(at) = seen.iter().position(|s| s == ty) else { return false };
    match at.checked_sub(1) {
        None => text.push_str("S_"),
        Some(n) => text.push_str(&format!("S{n}_")),
    }
    true
}

fn pointer(text: &mut String, seen: &mut Vec<String>, qualifiers: &str, to: &str) {
    let qualified = format!("{qualifiers}{to}");
    let whole = format!("P{qualified}");
    if reuse(text, seen, &whole) {
        return;
    }
    text.push('P');
    if qualifiers.is_empty() {
        substitute(text, seen, to);
    } else if !reuse(text, seen, &qualified) {
        text.push_str(qualifiers);
        substitute(text, seen, to);
        seen.push(qualified);
    }
    seen.push(whole);
}

/// The suffix of the group builtins: `i32`, `f64`, `v4i1`, `nxv1i64`.
pub fn group_suffix(ty: Type) -> Option<String> {
    match ty.kind() {
        TypeKind::LLVMIntegerTypeKind => Some(format!("i{}", ty.int_bits())),
        TypeKind::LLVMHalfTypeKind => Some("f16".to_owned()),
        TypeKind::LLVMFloatTypeKind => Some("f32".to_owned()),
        TypeKind::LLVMDoubleTypeKind => Some("f64".to_owned()),
        TypeKind::LLVMVectorTypeKind => Some(format!("v{}{}", ty.len(), group_suffix(ty.element())?)),
        TypeKind::LLVMScalableVectorTypeKind => {
            Some(format!("nxv{}{}", ty.len(), group_suffix(ty.element())?))
        }
        _ => None,
    }
}

/// The most lanes that a type in a name may have, far more than any target's.
const MOST_LANES: u32 = 1 << 12;

/// The type of a suffix of [`group_suffix`]; `None` if it is no type of OpenCL C's or a vector of
/// one.
pub(crate) fn parse_group_suffix(context: &Context, text: &str) -> Option<Type> {
    let (text, is_scalable) = text.strip_prefix("nx").map_or((text, false), |rest| (rest, true));
    let Some(rest) = text.strip_prefix('v') else {
        return parse_group_scalar(context, text).filter(|_| !is_scalable);
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (lanes, element) = rest.split_at(digits);
    let lanes = lanes.parse().ok().filter(|n| (1..=MOST_LANES).contains(n))?;
    let element = parse_group_scalar(context, element)?;
    Some(element.vector(Width { lanes, scalable: is_scalable }))
}

fn parse_group_scalar(context: &Context, text: &str) -> Option<Type> {
    Some(match text {
        "i1" => context.i1(),
        "i8" => context.i8(),
        "i16" => context.int(16),
        "i32" => context.i32(),
        "i64" => context.i64(),
        "f16" => context.half(),
        "f32" => context.float(),
        "f64" => context.double(),
        _ => return None,
    })
}

/// The type that [`mangle_type`] writes as this, if it is of floats, doubles or 32-bit integers,
/// which are unsigned in scalable vectors.
pub(crate) fn parse_math_type(context: &Context, text: &str) -> Option<Type> {
    // `u5nxv4f` is a scalable vector.
    if let Some(scalable) = text.strip_prefix('u') {
        let inner = scalable.trim_start_matches(|c: char| c.is_ascii_digit());
        let lanes = inner.strip_prefix("nxv")?;
        let element = lanes.trim_start_matches(|c: char| c.is_ascii_digit());
        let count = lanes[..lanes.len() - element.len()].parse().ok();
        let count = count.filter(|count| (1..=MOST_LANES).contains(count))?;
        let is_right = scalable.strip_suffix(inner) == Some(inner.len().to_string().as_str());
        let element = parse_math_type(context, element).filter(|_| is_right && element.len() == 1)?;
        return Some(element.vector(Width::scalable(count)));
    }
    if let Some(rest) = text.strip_prefix("Dv") {
        let (lanes, element) = rest.split_once('_')?;
        let lanes = lanes.parse().ok().filter(|n| (1..=MOST_LANES).contains(n))?;
        return Some(parse_math_type(context, element).filter(|ty| !ty.is_vector())?.vector(lanes));
    }
    match text {
        "f" => Some(context.float()),
        "d" => Some(context.double()),
        "i" | "j" => Some(context.i32()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_mangled_names() {
        assert_eq!(demangle("_Z13get_global_idj"), Some(("get_global_id", "j")));
        assert_eq!(demangle("_Z7barrierj"), Some(("barrier", "j")));
        assert_eq!(demangle("get_global_id"), None);
        assert_eq!(demangle("_Z99x"), None);
        assert_eq!(demangle("_Zx"), None);
    }

    #[test]
    fn functions_are_mangled_as_clang_does() {
        let c = Context::new();
        let float4 = c.float().vector(4);
        let plain = |ty| Param::Plain(ty, true);
        let pointer =
            |space, constant, to| Param::Pointer { space, constant, volatile: false, to: Some((to, true)) };
        let name = |name, params: &[Param]| mangle_function(name, params).unwrap();
        assert_eq!(name("get_work_dim", &[]), "_Z12get_work_dimv");
        assert_eq!(name("max", &[plain(float4), plain(float4)]), "_Z3maxDv4_fS_");
        assert_eq!(name("fract", &[plain(float4), pointer(1, false, float4)]), "_Z5fractDv4_fPU3AS1S_");
        assert_eq!(name("sincos", &[plain(c.float()), pointer(0, false, c.float())]), "_Z6sincosfPf");
        let size = Param::Plain(c.i64(), false);
        let copy = [pointer(3, false, c.i32()), pointer(1, true, c.i32()), size, Param::Event];
        assert_eq!(
            name("async_work_group_copy", &copy),
            "_Z21async_work_group_copyPU3AS3iPU3AS1Kim9ocl_event"
        );
        let wait = [plain(c.i32()), Param::EventPointer { space: 4 }];
        assert_eq!(name("wait_group_events", &wait), "_Z17wait_group_eventsiPU3AS49ocl_event");
        assert_eq!(mangle_function("f", &[plain(c.int(7))]), None);
    }

    #[test]
    fn vectors_are_mangled_as_specified() {
        let c = Context::new();
        assert_eq!(mangle_type(c.i32().vector(2), true).unwrap(), "Dv2_i");
        assert_eq!(mangle_type(c.double().vector(32), true).unwrap(), "Dv32_d");
        assert_eq!(group_suffix(c.i1().vector(4)).unwrap(), "v4i1");
        assert_eq!(group_suffix(c.float()).unwrap(), "f32");
    }

    #[test]
    fn scalable_vectors_are_mangled_as_specified() {
        let c = Context::new();
        let text = "declare void @f(<vscale x 1 x i32>, <vscale x 2 x float>, <vscale x 16 x double>)";
        let m = llvm::Module::parse(&c, text.as_bytes(), "m").unwrap();
        let names =
            m.functions()[0].function_type().params().into_iter().map(|t| mangle_type(t, true).unwrap());
        assert_eq!(names.collect::<Vec<_>>(), ["u5nxv1j", "u5nxv2f", "u6nxv16d"]);
        for ty in m.functions()[0].function_type().params() {
            assert_eq!(parse_math_type(&c, &mangle_type(ty, true).unwrap()), Some(ty));
        }
    }

    #[test]
    fn pointers_are_mangled_as_specified() {
        let c = Context::new();
        let text = "declare void @f(<vscale x 4 x ptr addrspace(1)>, ptr addrspace(1), <4 x ptr>)";
        let m = llvm::Module::parse(&c, text.as_bytes(), "m").unwrap();
        let params = m.functions()[0].function_type().params();
        assert_eq!(mangle_pointer(params[0], c.i32()).unwrap(), "u11nxv4PU3AS1j");
        assert_eq!(mangle_pointer(params[1], c.double()).unwrap(), "PU3AS1d");
        assert_eq!(mangle_pointer(params[2], c.float()).unwrap(), "Dv4_Pf");
        assert_eq!(mangle_pointer(c.i32(), c.float()), None);
    }
}
