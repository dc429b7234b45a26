//! Names of overloaded functions, after the Itanium C++ ABI as SPIR 1.2's Appendix A uses it.

use llvm::Type;
use llvm::TypeKind;

/// The source name inside a mangled function name: `_Z13get_global_idj` is `get_global_id`, with `j`.
pub fn demangle(mangled: &str) -> Option<(&str, &str)> {
    let rest = mangled.strip_prefix("_Z")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let len: usize = rest[..digits].parse().ok()?;
    let rest = &rest[digits..];
    (len > 0 && rest.is_char_boundary(len) && len <= rest.len()).then(|| rest.split_at(len))
}

/// A type's mangling. Integers of LLVM have no sign; `signed` says which they are meant to be.
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
            let inner = format!("nxv{}{}", ty.len(), mangle_type(ty.element(), signed)?);
            Some(format!("u{}{inner}", inner.len()))
        }
        _ => None,
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use llvm::Context;

    #[test]
    fn names_are_found_in_mangled_names() {
        assert_eq!(demangle("_Z13get_global_idj"), Some(("get_global_id", "j")));
        assert_eq!(demangle("_Z7barrierj"), Some(("barrier", "j")));
        assert_eq!(demangle("get_global_id"), None);
        assert_eq!(demangle("_Z99x"), None);
        assert_eq!(demangle("_Zx"), None);
    }

    #[test]
    fn vectors_are_mangled_as_specified() {
        let c = Context::new();
        assert_eq!(mangle_type(c.i32().vector(2), true).unwrap(), "Dv2_i");
        assert_eq!(mangle_type(c.double().vector(32), true).unwrap(), "Dv32_d");
        assert_eq!(group_suffix(c.i1().vector(4)).unwrap(), "v4i1");
        assert_eq!(group_suffix(c.float()).unwrap(), "f32");
    }
}
