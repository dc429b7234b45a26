//! Calls of the library's functions, which have the names that clang gives them.

use super::{Res, Translator};
use ir::ImageType;
use ir::mangling::{Param, mangle_function};
use llvm::{Type, Value};

/// An argument of a library function.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arg {
    /// A scalar or vector; whether its integers are signed.
    Plain(Value, bool),
    /// A pointer to this type, signed or not, and whether the function only reads there.
    Pointer {
        pointer: Value,
        to: Type,
        signed: bool,
        constant: bool,
    },
    Event(Value),
    EventPointer(Value),
    Image(Value, ImageType),
    Sampler(Value),
}

impl Arg {
    fn value(self) -> Value {
        match self {
            Arg::Plain(value, _) | Arg::Event(value) | Arg::EventPointer(value) => value,
            Arg::Image(value, _) | Arg::Sampler(value) => value,
            Arg::Pointer { pointer, .. } => pointer,
        }
    }

    fn param(self) -> Param {
        match self {
            Arg::Plain(value, signed) => Param::Plain(value.ty(), signed),
            Arg::Event(_) => Param::Event,
            Arg::Image(_, image) => Param::Image(image),
            Arg::Sampler(_) => Param::Sampler,
            Arg::EventPointer(pointer) => Param::EventPointer { space: pointer.ty().address_space() },
            Arg::Pointer { pointer, to, signed, constant } => Param::Pointer {
                space: pointer.ty().address_space(),
                constant,
                volatile: false,
                to: Some((to, signed)),
            },
        }
    }
}

impl Translator<'_, '_> {
    /// Calls a function of OpenCL C.
    pub(super) fn library(&mut self, name: &str, args: &[Arg], result: Type) -> Res<Value> {
        let params: Vec<Param> = args.iter().map(|a| a.param()).collect();
        let values: Vec<Value> = args.iter().map(|a| a.value()).collect();
        let types: Vec<Type> = values.iter().map(|v| v.ty()).collect();
        let mangled = mangle_function(name, &params).ok_or_else(|| {
            let types: Vec<String> = types.iter().map(Type::to_string).collect();
            format!("OpenCL C has no {name}({})", types.join(", "))
        })?;
        let f = self.declare(&mangled, result.function(&types))?;
        Ok(self.b.call(f, &values, ""))
    }

    /// Calls a function of floating-point numbers only.
    pub(super) fn library_floats(&mut self, name: &str, args: &[Value], result: Type) -> Res<Value> {
        let args: Vec<Arg> = args.iter().map(|v| Arg::Plain(*v, true)).collect();
        self.library(name, &args, result)
    }
}
