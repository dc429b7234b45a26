//! The functions as the compiler makes them: a kernel that calls one for every work-item.

use crate::sample::Arguments;
use crate::{Form, Function, Type};
use compiler::NdRange;
use difftest::Result;
use difftest::{Program, buffer, contents, run};
use runtime::ArgValue;

pub const WIDTHS: [usize; 6] = [1, 2, 3, 4, 8, 16];

/// The output of a kernel: the results, and the values written through the pointer if the function
/// has one. Integers are bits, too.
#[derive(PartialEq)]
pub struct Results {
    pub first: Vec<u64>,
    pub second: Vec<u64>,
}

/// The types of the result and of the value written through the pointer.
pub fn outputs(form: Form) -> (bool, Option<bool>) {
    match form {
        Form::ToInt => (true, None),
        Form::AndOne => (false, Some(false)),
        Form::AndInt | Form::TwoAndInt => (false, Some(true)),
        _ => (false, None),
    }
}

/// The source of a kernel that calls the function with vectors of this width.
pub fn source(function: &Function, ty: Type, width: usize) -> String {
    let name = function.name;
    let scalar = ty.name();
    let suffix = if width == 1 { String::new() } else { width.to_string() };
    let load = |array: &str| {
        if width == 1 { format!("{array}[i]") } else { format!("vload{width}(i, {array})") }
    };
    let store = |value: &str, array: &str| {
        if width == 1 {
            format!("{array}[i] = {value};")
        } else {
            format!("vstore{width}({value}, i, {array});")
        }
    };
    let (to_int, second) = outputs(function.form);
    let result = if to_int { "int" } else { scalar };
    let pointed = if second == Some(true) { "int" } else { scalar };
    let arguments = match function.form {
        Form::One | Form::ToInt => load("x"),
        Form::Two => format!("{}, {}", load("x"), load("y")),
        Form::Three => format!("{}, {}, {}", load("x"), load("y"), load("z")),
        Form::WithInt => format!("{}, {}", load("x"), load("n")),
        Form::AndOne | Form::AndInt => format!("{}, &t", load("x")),
        Form::TwoAndInt => format!("{}, {}, &t", load("x"), load("y")),
    };
    let call = match function.expression {
        Some(expression) => {
            expression.replace("$x", &load("x")).replace("$y", &load("y")).replace("$z", &load("z"))
        }
        None => format!("{name}({arguments})"),
    };
    let (declare, write) = match second {
        Some(_) => (format!("{pointed}{suffix} t;"), store("t", "s")),
        None => (String::new(), String::new()),
    };
    format!(
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n\
         #pragma OPENCL EXTENSION cl_khr_fp64 : enable\n\
         kernel void k(global const {scalar} *x, global const {scalar} *y, global const {scalar} *z,\n\
             global const int *n, global {result} *r, global {pointed} *s) {{\n\
           size_t i = get_global_id(0);\n\
           {declare}\n\
           {result}{suffix} u = {call};\n\
           {}\n\
           {write}\n\
         }}\n",
        store("u", "r")
    )
}

fn bytes(ty: Type, values: &[u64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes().into_iter().take(ty.bytes())).collect()
}

/// A kernel ready to run.
pub struct Caller {
    program: Program,
    ty: Type,
    form: Form,
    width: usize,
}

impl Caller {
    pub fn new(function: &Function, ty: Type, width: usize, options: &str) -> Result<Self> {
        let program = Program::build(&source(function, ty, width), &format!("-cl-std=CL3.0 {options}"))?;
        Ok(Self { program, ty, form: function.form, width })
    }

    /// Calls the function for all arguments, of which there is a multiple of the width.
    pub fn call(&mut self, arguments: &Arguments) -> Result<Results> {
        let kernel = self.program.kernel("k").ok_or("the kernel is gone")?;
        let count = arguments.count();
        let (to_int, second) = outputs(self.form);
        let size = |int: bool| if int { 4 } else { self.ty.bytes() };
        let mut args = Vec::new();
        for column in &arguments.values {
            args.push(buffer(&bytes(self.ty, if column.is_empty() { &[0u64; 16][..] } else { column }))?);
        }
        let integers: Vec<u8> = arguments.integers.iter().flat_map(|n| n.to_le_bytes()).collect();
        args.push(buffer(if integers.is_empty() { &[0; 64][..] } else { &integers })?);
        args.push(buffer(&vec![0xa5; count * size(to_int)])?);
        args.push(buffer(&vec![0xa5; count * size(second.unwrap_or(false))])?);
        let values: Vec<_> = args.iter().map(|buffer| ArgValue::Buffer(buffer.clone(), 0)).collect();
        run(&kernel, NdRange::new(&[count / self.width], &[256]), &values)?;
        let read = |index: usize, int: bool| -> Result<Vec<u64>> {
            let all = contents(&args[index])?;
            let ty = if int { Type::Float } else { self.ty };
            Ok((0..count).map(|i| ty.read(&all, i)).collect())
        };
        Ok(Results { first: read(4, to_int)?, second: second.map_or(Ok(Vec::new()), |int| read(5, int))? })
    }
}
