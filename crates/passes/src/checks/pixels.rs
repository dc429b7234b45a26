//! Races at pixels: images as memory that work-items share, and launches.
//!
//! ```text
//! call void @__lanewise_image_write_f_2(i32 %word, ptr %image, i32 %x, i32 %y, <4 x float> %v)
//! ───►
//!   br i1 (%x < %width and %y < %height), label %check.pixel, label %check.next
//! check.pixel:
//!   call i32 @__mux_check(ptr @check.site, i64 %address, i64 %bytes, i64 %epochs, …)
//! ```
//!
//! The runtime is told of the pixel's address (`Event::Shared`) where other launches may run at the
//! same time (`LaunchField::InFlight`), and of images that the kernel writes, unless each work-item
//! has pixels of its own: `(int2)(get_global_id(0), get_global_id(1))`. Barriers of the work-group
//! order images whatever their flags are.

use super::images::ImageAccess;
use super::linear::{Counters, Linear, Variable};
use super::races::Epochs;
use super::sites::{Sites, What};
use ir::check::{Access, Event};
use ir::{Builtin, ImageField};
use llvm::{Block, Builder, Function, IntPredicate, Module, Opcode, Value};

/// An access to a pixel, which several work-items may make where some dimensions of the range have
/// more than one work-item.
pub struct Pixel {
    access: ImageAccess,
    /// Dimensions whose work-items have the same pixels; none where the kernel only reads.
    shares: Vec<u32>,
}

/// Finds the accesses to pixels.
pub fn shared(kernel: Function) -> Vec<Pixel> {
    let is_pixel = |a: &ImageAccess| a.coordinates.iter().all(|c| c.ty().is_int());
    let all: Vec<ImageAccess> =
        kernel.instructions().into_iter().filter_map(ImageAccess::of_call).filter(is_pixel).collect();
    let shares = |image: Value| {
        let same: Vec<&ImageAccess> = all.iter().filter(|a| a.image == image).collect();
        if !same.iter().any(|access| access.writes) {
            return Vec::new();
        }
        (0..3).filter(|d| !has_own_pixels(&same, *d)).collect::<Vec<u32>>()
    };
    let shares: Vec<Vec<u32>> = all.iter().map(|a| shares(a.image)).collect();
    all.into_iter().zip(shares).map(|(access, shares)| Pixel { access, shares }).collect()
}

/// Whether work-items with other global IDs of a dimension access other pixels.
fn has_own_pixels(same: &[&ImageAccess], dimension: u32) -> bool {
    let Some(first) = same.first() else { return true };
    (0..first.coordinates.len()).any(|k| {
        let sums: Option<Vec<Linear>> =
            same.iter().map(|a| Linear::of(*a.coordinates.get(k)?, &Counters::new())).collect();
        let Some(sums) = sums else { return false };
        let [term] = sums[0].terms.as_slice() else { return false };
        term.variable == Variable::GlobalId(dimension)
            && (term.constant, term.number) == (1, None)
            && sums.iter().all(|sum| *sum == sums[0])
    })
}

impl Pixel {
    /// A word that is not 0 where work-items share pixels, or launches do: `in_flight`.
    pub fn flag(&self, module: &Module, b: &Builder, in_flight: Value) -> Value {
        let is_several = |d: &u32| {
            let size = b.call(Builtin::GetGlobalSize.declare(module), &[b.i32(*d)], "");
            let several = b.icmp(IntPredicate::LLVMIntUGT, size, size.ty().const_int(1), "");
            b.cast(Opcode::LLVMZExt, several, b.context().i64(), "")
        };
        let either = |x: Value, y: Value| b.binary(Opcode::LLVMOr, x, y, "");
        self.shares.iter().map(is_several).fold(in_flight, either)
    }

    /// Tells the runtime of the access, where `flag` is not 0 and there is such a pixel.
    pub fn tell(&self, module: &Module, kernel: Function, sites: &Sites<'_>, epochs: &Epochs, flag: Value) {
        let context = module.context();
        let (word, call) = (context.i64(), self.access.call);
        let what = What {
            access: if self.access.writes { Access::Write } else { Access::Read },
            roots: self.access.root(module, kernel).into_iter().collect(),
            ..What::event(Event::Shared, "")
        };
        let site = sites.site(kernel, call, what);
        let b = Builder::before(context, call);
        let mut good = b.icmp(IntPredicate::LLVMIntNE, flag, b.i64(0), "");
        for d in 0..self.access.coordinates.len() {
            let outside = self.access.is_outside(&b, d);
            let inside = b.binary(Opcode::LLVMXor, outside, context.i1().const_int(1), "");
            good = b.and(good, inside, "check.inside");
        }
        let before = call.block().expect("an instruction is in a block");
        let next = Block::split_before(call, "check.next");
        let tell = kernel.append_block("check.pixel");
        tell.move_before(next);
        before.terminator().expect("the block was split").erase();
        let b = Builder::at_end(context, before);
        b.set_place_of(call);
        b.cond_br(good, tell, next);
        let b = Builder::at_end(context, tell);
        b.set_place_of(call);
        let field = |field: ImageField| {
            let at = b.gep_anywhere(context.i8(), self.access.image, &[b.i64(field as u64)], "");
            b.load(word, at, "")
        };
        let at = |d: usize| {
            let coordinate = self.access.coordinates.get(d).copied();
            coordinate.map_or(b.i64(0), |x| b.int_cast(x, word, ""))
        };
        let format = b.cast(Opcode::LLVMZExt, self.access.word, word, "");
        let bytes = b.and(b.binary(Opcode::LLVMLShr, format, b.i64(16), ""), b.i64(0xff), "check.bytes");
        let data = field(ImageField::Data);
        let slice = b.mul(at(2), field(ImageField::SlicePitch), "");
        let row = b.mul(at(1), field(ImageField::RowPitch), "");
        let start = b.add(b.add(data, slice, ""), row, "");
        let address = b.add(start, b.mul(at(0), bytes, ""), "check.address");
        sites.call(&b, site, [address, bytes, b.load(word, epochs.images, "check.epochs")]);
        b.br(next);
    }
}
