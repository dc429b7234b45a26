//! Images: pixels that are not there.
//!
//! ```text
//! call void @__lanewise_image_write_f_2(i32 %word, ptr %image, i32 %x, i32 %y, <4 x float> %v)
//! ───►
//!   %bad = or (icmp uge %x, %width), (icmp uge %y, %height)
//!   br i1 %bad, label %check.bad, label %check.next
//! check.bad:
//!   call i32 @__mux_check(ptr @check.site, i64 %x, i64 %y, i64 0, …)
//! ```
//!
//! Looks at the calls of the library's functions of images, which read and write nothing outside:
//! a write is dropped, and a read gives 0 here. Samplers define what is beside an image, but for
//! those of `CLK_ADDRESS_NONE`, which readings without a sampler have, too. Indices of arrays are
//! clamped where there is a sampler.

use super::sites::{Sites, What};
use crate::is_image_function;
use ir::check::{Access, Event, Memory, Root};
use ir::{IMAGE_FUNCTION, ImageField, mangling, metadata, sampler};
use llvm::{Block, Builder, Function, IntPredicate, Module, Opcode, RealPredicate, Value};

/// Adds the checks to a kernel.
pub fn check(module: &Module, kernel: Function, sites: &Sites<'_>) {
    for access in kernel.instructions().into_iter().filter_map(ImageAccess::of_call) {
        let what = What {
            access: if access.writes { Access::Write } else { Access::Read },
            roots: access.root(module, kernel).into_iter().collect(),
            ..What::event(Event::Image, "")
        };
        access.guard(module, kernel, sites, what);
    }
}

/// A call with its operands.
pub struct ImageAccess {
    pub call: Value,
    pub writes: bool,
    /// The first word of the description, with the format.
    pub word: Value,
    sampler: Option<Value>,
    pub image: Value,
    /// One to three, integers or floating-point numbers.
    pub coordinates: Vec<Value>,
}

impl ImageAccess {
    /// The access of a call of one of the library's functions.
    pub fn of_call(call: Value) -> Option<ImageAccess> {
        let name = call.called_function().filter(|f| is_image_function(*f))?.name();
        let (plain, _) = mangling::demangle(&name)?;
        ImageAccess::of(plain.trim_start_matches(IMAGE_FUNCTION), call)
    }

    /// The argument that the image is.
    pub fn root(&self, module: &Module, kernel: Function) -> Option<Root> {
        let number = kernel.params().iter().position(|param| *param == self.image)?;
        let arguments = metadata::kernel_args(module, kernel, kernel.params().len());
        let name = arguments[number].name.clone();
        Some(Root { number: number as u32, memory: Memory::Argument, name, size: 0, constant: false })
    }

    /// `name` without the prefix: `write_f_2`, `pick_i_3`, `sample_f_1`.
    fn of(name: &str, call: Value) -> Option<ImageAccess> {
        let args = call.call_args();
        let dimensions = name.rsplit('_').next()?.parse::<usize>().ok()?;
        let (writes, sampler, first) = match name.split('_').next()? {
            "write" => (true, None, 2),
            "pick" | "sample" => (false, Some(*args.get(1)?), 3),
            _ => return None,
        };
        Some(ImageAccess {
            call,
            writes,
            word: args[0],
            sampler,
            image: *args.get(first - 1)?,
            coordinates: args.get(first..first + dimensions)?.to_vec(),
        })
    }

    /// Whether a coordinate is outside of its dimension.
    pub fn is_outside(&self, b: &Builder, dimension: usize) -> Value {
        let field = [ImageField::Width, ImageField::Height, ImageField::Depth][dimension];
        let context = b.context();
        let at = b.gep_anywhere(context.i8(), self.image, &[b.i64(field as u64)], "");
        let size = b.load(context.i32(), at, "check.size");
        let coordinate = self.coordinates[dimension];
        if coordinate.ty().is_int() {
            return b.icmp(IntPredicate::LLVMIntUGE, coordinate, size, "");
        }
        let (float, sampler) = (coordinate.ty(), self.sampler.expect("only samplers take numbers"));
        let has = |bit: u64| {
            let bit = b.and(sampler, sampler.ty().const_int(bit), "");
            b.icmp(IntPredicate::LLVMIntNE, bit, sampler.ty().zero(), "")
        };
        let size = b.cast(Opcode::LLVMSIToFP, size, float, "");
        let scaled = b.binary(Opcode::LLVMFMul, coordinate, size, "");
        let at = b.select(has(sampler::NORMALIZED), scaled, coordinate, "");
        // A filter weighs the pixels on both sides: none may be outside.
        let margin = b.select(has(sampler::LINEAR), float.const_float(0.5), float.const_float(0.0), "");
        let end = b.binary(Opcode::LLVMFSub, size, margin, "");
        let low = b.fcmp(RealPredicate::LLVMRealULT, at, margin, "");
        let beyond = b.fcmp(RealPredicate::LLVMRealUGE, at, end, "");
        let beside = b.fcmp(RealPredicate::LLVMRealUGT, at, end, "");
        let high = b.select(has(sampler::LINEAR), beside, beyond, "");
        b.binary(Opcode::LLVMOr, low, high, "")
    }

    fn guard(&self, module: &Module, kernel: Function, sites: &Sites<'_>, what: What) {
        let (context, call) = (module.context(), self.call);
        let b = Builder::before(context, call);
        let either = |x: Value, y: Value| b.binary(Opcode::LLVMOr, x, y, "check.outside");
        let outside = (0..self.coordinates.len()).map(|d| self.is_outside(&b, d)).reduce(either);
        let mut bad = outside.expect("there is a coordinate");
        if let Some(sampler) = self.sampler {
            let mode = b.and(sampler, sampler.ty().const_int(sampler::ADDRESSING), "");
            bad = b.and(bad, b.icmp(IntPredicate::LLVMIntEQ, mode, sampler.ty().zero(), ""), "check.outside");
        }
        if bad.as_const_int() == Some(0) {
            return;
        }
        if call.is_used() {
            let next = call.next().expect("a call is no terminator");
            let result = Builder::before(context, next).select(bad, call.ty().zero(), call, "");
            call.replace_all_uses_with(result);
            result.set_operand(2, call);
        }
        let site = sites.site(kernel, call, what);
        let before = call.block().expect("an instruction is in a block");
        let next = Block::split_before(call, "check.next");
        let tell = kernel.append_block("check.bad");
        tell.move_before(next);
        before.terminator().expect("the block was split").erase();
        let b = Builder::at_end(context, before);
        b.set_place_of(call);
        b.cond_br(bad, tell, next);
        let b = Builder::at_end(context, tell);
        b.set_place_of(call);
        let mut numbers = [b.i64(0); 3];
        for (number, coordinate) in numbers.iter_mut().zip(&self.coordinates) {
            *number = match coordinate.ty().is_int() {
                true => b.cast(Opcode::LLVMSExt, *coordinate, context.i64(), ""),
                false => {
                    let convert = module.intrinsic("llvm.fptosi.sat", &[context.i64(), coordinate.ty()]);
                    b.call(convert, &[*coordinate], "")
                }
            };
        }
        sites.call(&b, site, numbers);
        b.br(next);
    }
}
