//! The extended instructions `OpenCL.std`: calls of the library's functions.

use super::library::Arg;
use super::{Res, Translator};
use crate::parse::Inst;
use crate::types::Ty;
use ir::address_space;
use llvm::{Type, Value};

macro_rules! instructions {
    ($($name:ident $number:literal $function:literal $shape:literal),* $(,)?) => {
        /// The number of an instruction, its name, the function it is, and a letter for each
        /// operand: a value whose integers are signed (`s`) or not (`u`), or that is of floats or
        /// of any numbers (`f`); a pointer to values like the first (`p`), or to integers (`P`).
        const INSTRUCTIONS: &[(u32, &str, &str, &str)] =
            &[$(($number, stringify!($name), $function, $shape)),*];
    };
}

instructions! {
    acos 0 "acos" "f", acosh 1 "acosh" "f", acospi 2 "acospi" "f", asin 3 "asin" "f", asinh 4 "asinh" "f",
    asinpi 5 "asinpi" "f", atan 6 "atan" "f", atan2 7 "atan2" "ff", atanh 8 "atanh" "f",
    atanpi 9 "atanpi" "f",
    atan2pi 10 "atan2pi" "ff", cbrt 11 "cbrt" "f", ceil 12 "ceil" "f", copysign 13 "copysign" "ff",
    cos 14 "cos" "f", cosh 15 "cosh" "f", cospi 16 "cospi" "f", erfc 17 "erfc" "f", erf 18 "erf" "f",
    exp 19 "exp" "f", exp2 20 "exp2" "f", exp10 21 "exp10" "f", expm1 22 "expm1" "f", fabs 23 "fabs" "f",
    fdim 24 "fdim" "ff", floor 25 "floor" "f", fma 26 "fma" "fff", fmax 27 "fmax" "ff", fmin 28 "fmin" "ff",
    fmod 29 "fmod" "ff", fract 30 "fract" "fp", frexp 31 "frexp" "fP", hypot 32 "hypot" "ff",
    ilogb 33 "ilogb" "f", ldexp 34 "ldexp" "fs", lgamma 35 "lgamma" "f", lgamma_r 36 "lgamma_r" "fP",
    log 37 "log" "f", log2 38 "log2" "f", log10 39 "log10" "f", log1p 40 "log1p" "f", logb 41 "logb" "f",
    mad 42 "mad" "fff", maxmag 43 "maxmag" "ff", minmag 44 "minmag" "ff", modf 45 "modf" "fp",
    nan 46 "nan" "u",
    nextafter 47 "nextafter" "ff", pow 48 "pow" "ff", pown 49 "pown" "fs", powr 50 "powr" "ff",
    remainder 51 "remainder" "ff", remquo 52 "remquo" "ffP", rint 53 "rint" "f", rootn 54 "rootn" "fs",
    round 55 "round" "f", rsqrt 56 "rsqrt" "f", sin 57 "sin" "f", sincos 58 "sincos" "fp", sinh 59 "sinh" "f",
    sinpi 60 "sinpi" "f", sqrt 61 "sqrt" "f", tan 62 "tan" "f", tanh 63 "tanh" "f", tanpi 64 "tanpi" "f",
    tgamma 65 "tgamma" "f", trunc 66 "trunc" "f", half_cos 67 "half_cos" "f",
    half_divide 68 "half_divide" "ff",
    half_exp 69 "half_exp" "f", half_exp2 70 "half_exp2" "f", half_exp10 71 "half_exp10" "f",
    half_log 72 "half_log" "f", half_log2 73 "half_log2" "f", half_log10 74 "half_log10" "f",
    half_powr 75 "half_powr" "ff", half_recip 76 "half_recip" "f", half_rsqrt 77 "half_rsqrt" "f",
    half_sin 78 "half_sin" "f", half_sqrt 79 "half_sqrt" "f", half_tan 80 "half_tan" "f",
    native_cos 81 "native_cos" "f", native_divide 82 "native_divide" "ff", native_exp 83 "native_exp" "f",
    native_exp2 84 "native_exp2" "f", native_exp10 85 "native_exp10" "f", native_log 86 "native_log" "f",
    native_log2 87 "native_log2" "f", native_log10 88 "native_log10" "f", native_powr 89 "native_powr" "ff",
    native_recip 90 "native_recip" "f", native_rsqrt 91 "native_rsqrt" "f", native_sin 92 "native_sin" "f",
    native_sqrt 93 "native_sqrt" "f", native_tan 94 "native_tan" "f", fclamp 95 "clamp" "fff",
    degrees 96 "degrees" "f", fmax_common 97 "max" "ff", fmin_common 98 "min" "ff", mix 99 "mix" "fff",
    radians 100 "radians" "f", step 101 "step" "ff", smoothstep 102 "smoothstep" "fff", sign 103 "sign" "f",
    cross 104 "cross" "ff", distance 105 "distance" "ff", length 106 "length" "f",
    normalize 107 "normalize" "f", fast_distance 108 "fast_distance" "ff", fast_length 109 "fast_length" "f",
    fast_normalize 110 "fast_normalize" "f", s_abs 141 "abs" "s", s_abs_diff 142 "abs_diff" "ss",
    s_add_sat 143 "add_sat" "ss", u_add_sat 144 "add_sat" "uu", s_hadd 145 "hadd" "ss",
    u_hadd 146 "hadd" "uu",
    s_rhadd 147 "rhadd" "ss", u_rhadd 148 "rhadd" "uu", s_clamp 149 "clamp" "sss", u_clamp 150 "clamp" "uuu",
    clz 151 "clz" "s", ctz 152 "ctz" "s", s_mad_hi 153 "mad_hi" "sss", u_mad_sat 154 "mad_sat" "uuu",
    s_mad_sat 155 "mad_sat" "sss", s_max 156 "max" "ss", u_max 157 "max" "uu", s_min 158 "min" "ss",
    u_min 159 "min" "uu", s_mul_hi 160 "mul_hi" "ss", rotate 161 "rotate" "ss", s_sub_sat 162 "sub_sat" "ss",
    u_sub_sat 163 "sub_sat" "uu", u_upsample 164 "upsample" "uu", s_upsample 165 "upsample" "su",
    popcount 166 "popcount" "s", s_mad24 167 "mad24" "sss", u_mad24 168 "mad24" "uuu",
    s_mul24 169 "mul24" "ss",
    u_mul24 170 "mul24" "uu", shuffle 182 "shuffle" "fu", shuffle2 183 "shuffle2" "ffu",
    bitselect 186 "bitselect" "fff", select 187 "select" "ffs", u_abs 201 "abs" "u",
    u_abs_diff 202 "abs_diff" "uu", u_mul_hi 203 "mul_hi" "uu", u_mad_hi 204 "mad_hi" "uuu"
}

/// Instructions with operands that are not values, and those with any number of operands.
const OTHERS: &[(u32, &str)] = &[
    (171, "vloadn"),
    (172, "vstoren"),
    (173, "vload_half"),
    (174, "vload_halfn"),
    (175, "vstore_half"),
    (176, "vstore_half_r"),
    (177, "vstore_halfn"),
    (178, "vstore_halfn_r"),
    (179, "vloada_halfn"),
    (180, "vstorea_halfn"),
    (181, "vstorea_halfn_r"),
    (184, "printf"),
    (185, "prefetch"),
];

const ROUNDING: [&str; 4] = ["_rte", "_rtz", "_rtp", "_rtn"];

/// The number of an instruction.
pub(crate) fn number_of(name: &str) -> Option<u32> {
    let plain = INSTRUCTIONS.iter().find(|i| i.1 == name).map(|i| i.0);
    plain.or_else(|| OTHERS.iter().find(|i| i.1 == name).map(|i| i.0))
}

impl Translator<'_, '_> {
    pub(super) fn opencl_std(&mut self, inst: &Inst<'_>) -> Res<Option<Value>> {
        let (number, operands) = (inst.args[1], &inst.args[2..]);
        let plain = INSTRUCTIONS.binary_search_by_key(&number, |i| i.0).ok().map(|at| INSTRUCTIONS[at]);
        if let Some((_, name, function, shape)) = plain {
            return self.function_of(inst, function, shape).map(Some).map_err(|e| format!("{name}: {e}"));
        }
        let Some(&(_, name)) = OTHERS.iter().find(|i| i.0 == number) else {
            return Err(format!("OpenCL.std has no instruction {number}"));
        };
        let result = match (name, operands) {
            ("printf", [format, values @ ..]) => self.printf(inst, *format, values).map(Some),
            ("prefetch", &[pointer, count]) => self.prefetch(pointer, count).map(|()| None),
            ("vload_half", &[offset, pointer]) => {
                let ty = self.result_type(inst)?;
                self.vector_load("vload_half", offset, pointer, ty).map(Some)
            }
            ("vloadn" | "vload_halfn" | "vloada_halfn", &[offset, pointer, n]) => {
                let ty = self.result_type(inst)?;
                if !ty.is_vector() || ty.len() != u64::from(n) {
                    return Err(format!("{name}: the result is not a vector of {n}"));
                }
                let function = format!("{}{n}", name.trim_end_matches('n'));
                self.vector_load(&function, offset, pointer, ty).map(Some)
            }
            ("vstoren" | "vstore_half" | "vstore_halfn" | "vstorea_halfn", &[data, offset, pointer]) => {
                self.vector_store(name, "", data, offset, pointer).map(|()| None)
            }
            ("vstore_half_r" | "vstore_halfn_r" | "vstorea_halfn_r", &[data, offset, pointer, mode]) => {
                let mode = ROUNDING.get(mode as usize).ok_or("the rounding mode is unknown")?;
                let name = name.trim_end_matches("_r");
                self.vector_store(name, mode, data, offset, pointer).map(|()| None)
            }
            _ => Err(format!("{} operands are not what it takes", operands.len())),
        };
        result.map_err(|e| format!("{name}: {e}"))
    }

    fn function_of(&mut self, inst: &Inst<'_>, function: &str, shape: &str) -> Res<Value> {
        let operands = &inst.args[2..];
        if operands.len() != shape.len() {
            return Err(format!("{} operands where {} are expected", operands.len(), shape.len()));
        }
        let result = self.result_type(inst)?;
        let mut args = Vec::new();
        for (&id, letter) in operands.iter().zip(shape.bytes()) {
            args.push(match letter {
                b's' => Arg::Plain(self.int_value(id)?, true),
                b'u' => Arg::Plain(self.int_value(id)?, false),
                b'f' => Arg::Plain(self.value(id)?, true),
                _ => {
                    let pointer = self.pointer_value(id)?;
                    let (_, to) = self.types.pointer(self.m, self.type_id(id)?)?;
                    let to = self.types.sized(self.m, to)?;
                    if letter == b'P' && !to.scalar().is_int() {
                        return Err(self.unfit(id, "pointers to integers"));
                    }
                    Arg::Pointer { pointer, to, signed: true, constant: false }
                }
            });
        }
        self.library(function, &args, result)
    }

    /// What a pointer points to: scalars of this kind.
    fn elements(&self, id: u32, what: impl Fn(Type) -> bool) -> Res<(Value, Type)> {
        let pointer = self.pointer_value(id)?;
        let (_, to) = self.types.pointer(self.m, self.type_id(id)?)?;
        let ty = self.types.sized(self.m, to)?;
        if what(ty) { Ok((pointer, ty)) } else { Err(format!("{} points to {ty}", self.m.show(id))) }
    }

    fn offset(&self, id: u32) -> Res<Arg> {
        let offset = self.scalar_int(id)?;
        Ok(Arg::Plain(self.resize(offset, self.size_type(), false), false))
    }

    fn vector_load(&mut self, function: &str, offset: u32, pointer: u32, ty: Type) -> Res<Value> {
        let half = function.contains("half");
        let (pointer, to) =
            self.elements(pointer, |e| if half { e.float_bits() == Some(16) } else { e == ty.scalar() })?;
        let args = [self.offset(offset)?, Arg::Pointer { pointer, to, signed: true, constant: true }];
        self.library(function, &args, ty)
    }

    fn vector_store(&mut self, name: &str, mode: &str, data: u32, offset: u32, pointer: u32) -> Res<()> {
        let value = self.value(data)?;
        let ty = value.ty();
        let half = name.contains("half");
        if half && !matches!(ty.scalar().float_bits(), Some(32 | 64)) {
            return Err(self.unfit(data, "floats or doubles"));
        }
        let (pointer, to) =
            self.elements(pointer, |e| if half { e.float_bits() == Some(16) } else { e == ty.scalar() })?;
        let by_vector = name.ends_with('n');
        if by_vector != ty.is_vector() {
            return Err(self.unfit(data, if by_vector { "a vector type" } else { "a scalar type" }));
        }
        let width = if by_vector { ty.len().to_string() } else { String::new() };
        let function = format!("{}{width}{mode}", name.trim_end_matches('n'));
        let at = Arg::Pointer { pointer, to, signed: true, constant: false };
        let args = [Arg::Plain(value, true), self.offset(offset)?, at];
        let void = self.context.void();
        self.library(&function, &args, void).map(|_| ())
    }

    fn prefetch(&mut self, pointer: u32, count: u32) -> Res<()> {
        let (pointer, to) = self.elements(pointer, |e| e.scalar().is_int() || e.scalar().is_float())?;
        let args = [Arg::Pointer { pointer, to, signed: true, constant: true }, self.offset(count)?];
        let void = self.context.void();
        self.library("prefetch", &args, void).map(|_| ())
    }

    fn printf(&mut self, inst: &Inst<'_>, format: u32, values: &[u32]) -> Res<Value> {
        let i32 = self.context.i32();
        let format = self.pointer_value(format)?;
        if self.result_type(inst)? != i32 || format.ty().address_space() != address_space::CONSTANT {
            return Err("takes a format in constant memory and gives a 32-bit integer".to_owned());
        }
        let mut args = vec![format];
        for &id in values {
            let value = self.value(id)?;
            let ty = value.ty();
            let fits = ty.scalar().is_int() || ty.scalar().is_float() || ty.is_ptr();
            if !fits || *self.type_of(id)? == Ty::Event {
                return Err(self.unfit(id, "something that can be printed"));
            }
            args.push(value);
        }
        let f = self.declare("printf", i32.var_arg_function(&[format.ty()]))?;
        Ok(self.b.call(f, &args, ""))
    }
}
