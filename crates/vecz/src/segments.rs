//! Records in scalable vectors: loads and stores that take records apart into vectors of their
//! fields, by instructions of CPUs that have them.
//!
//! ```text
//! p[i].x, p[i].y, p[i].z  ───►  ld3w {z0.s - z2.s}, p0/z, [x0]  or  vlseg3e32.v v8, (a0), v0.t
//! ```
//!
//! The lanes of a scalable vector have no numbers, so that shuffles cannot do it as they do for
//! vectors of a known size.

use crate::memory::{Mask, MemoryOps, Place, Records, mask_vector};
use llvm::{Type, Value, Width};

/// The instruction set whose segment accesses are used. Its gathers and other accesses are LLVM's.
#[derive(Clone, Copy, Debug)]
pub enum Segments {
    /// SVE's `ld2`, `ld3` and `ld4`, of whole registers.
    Sve,
    /// RISC-V's `vlseg2` to `vlseg8`, of at most eight registers.
    Rvv,
}

impl Segments {
    /// The lanes (times `vscale`) that one instruction takes; `None` if there is no instruction.
    fn lanes(self, size: u32, fields: u32, lanes: u32) -> Option<u32> {
        if ![1, 2, 4, 8].contains(&size) || !lanes.is_power_of_two() {
            return None;
        }
        match self {
            Segments::Sve => ((2..=4).contains(&fields) && lanes * size >= 16).then_some(16 / size),
            Segments::Rvv => {
                // `vscale` counts units of 8 bytes. Of fractions of a register the whole is used.
                let registers = |lanes: u32| (lanes * size).div_ceil(8);
                let fits = |lanes: &u32| fields * registers(*lanes) <= 8;
                let smaller = std::iter::successors(Some(lanes), |lanes| Some(lanes / 2));
                (2..=8).contains(&fields).then(|| smaller.take_while(|n| *n > 0).find(fits)).flatten()
            }
        }
    }

    /// The parts of the vectors that one instruction takes: for each the address, the mask and the
    /// number of its first lane, times `vscale`.
    fn parts(self, at: Place<'_>, records: &Records, first: Value, mask: Mask) -> Parts {
        let size = at.module.size_of(records.element) as u32;
        let lanes = self.lanes(size, records.fields, at.width.lanes).expect("has_records was asked");
        let (b, width) = (at.b, Width::scalable(lanes));
        // Vectors of halves are not on all CPUs that have vectors.
        let element =
            if records.element.float_bits() == Some(16) { b.context().int(16) } else { records.element };
        let mask = mask_vector(b, mask, at.width);
        let start = b.address_space_cast(first, b.context().ptr(0), "");
        let each = (0..at.width.lanes).step_by(lanes as usize).map(|lane| {
            if lanes == at.width.lanes {
                return (start, mask, lane);
            }
            let bytes = u64::from(lane * records.fields * size);
            let bytes = b.mul(at.module.vscale(b, b.context().i64()), b.i64(bytes), "");
            let from = b.gep_anywhere(b.context().i8(), start, &[bytes], "");
            (from, extract(at, mask, width, lane), lane)
        });
        Parts { vector: element.vector(width), each: each.collect() }
    }
}

struct Parts {
    /// The type of the vectors that an instruction takes.
    vector: Type,
    each: Vec<(Value, Value, u32)>,
}

/// Lanes of a vector, from a multiple of `vscale` on.
fn extract(at: Place<'_>, vector: Value, width: Width, from: u32) -> Value {
    let ty = vector.ty().element().vector(width);
    if ty == vector.ty() {
        return vector;
    }
    let f = at.module.intrinsic("llvm.vector.extract", &[ty, vector.ty()]);
    at.b.call(f, &[vector, at.b.i64(from.into())], "")
}

/// Puts a part of a vector to its place.
fn insert(at: Place<'_>, into: Value, part: Value, from: u32) -> Value {
    if part.ty() == into.ty() {
        return part;
    }
    let f = at.module.intrinsic("llvm.vector.insert", &[into.ty(), part.ty()]);
    at.b.call(f, &[into, part, at.b.i64(from.into())], "")
}

fn as_type(at: Place<'_>, vector: Value, element: Type, width: Width) -> Value {
    let ty = element.vector(width);
    if vector.ty() == ty { vector } else { at.b.cast(llvm::Opcode::LLVMBitCast, vector, ty, "") }
}

impl MemoryOps for Segments {
    fn name(&self) -> &'static str {
        match self {
            Segments::Sve => "sve",
            Segments::Rvv => "rvv",
        }
    }

    fn has_records(&self, size: u32, fields: u32, width: Width) -> bool {
        width.scalable && self.lanes(size, fields, width.lanes).is_some()
    }

    fn load_records(&self, at: Place<'_>, records: &Records, first: Value, mask: Mask) -> Vec<Value> {
        let (b, n) = (at.b, records.fields);
        let parts = self.parts(at, records, first, mask);
        let ty = parts.vector;
        let mut fields = vec![ty.element().vector(at.width).poison(); n as usize];
        for (from, mask, lane) in parts.each {
            let loaded = match self {
                Segments::Sve => {
                    let f = at.module.intrinsic(&format!("llvm.aarch64.sve.ld{n}.sret"), &[ty]);
                    b.call(f, &[mask, from], "")
                }
                Segments::Rvv => {
                    let size = b.context().i64();
                    let f = at.module.intrinsic(&format!("llvm.riscv.vlseg{n}.mask"), &[ty, size]);
                    let mut args = vec![ty.poison(); n as usize];
                    // All lanes; neither the tail nor inactive lanes are kept.
                    args.extend([from, mask, size.const_signed(-1), b.i64(3)]);
                    b.call(f, &args, "")
                }
            };
            for (field, all) in (0..n).zip(&mut fields) {
                *all = insert(at, *all, b.extract_value(loaded, field, ""), lane);
            }
        }
        fields.into_iter().map(|field| as_type(at, field, records.element, at.width)).collect()
    }

    fn store_records(&self, at: Place<'_>, records: &Records, first: Value, fields: &[Value], mask: Mask) {
        let (b, n) = (at.b, records.fields);
        let parts = self.parts(at, records, first, mask);
        let (ty, width) = (parts.vector, Width::scalable(parts.vector.len() as u32));
        let own: Vec<Value> = fields.iter().map(|f| as_type(at, *f, ty.element(), at.width)).collect();
        for (to, mask, lane) in parts.each {
            let mut args: Vec<Value> = own.iter().map(|field| extract(at, *field, width, lane)).collect();
            match self {
                Segments::Sve => {
                    let f = at.module.intrinsic(&format!("llvm.aarch64.sve.st{n}"), &[ty]);
                    args.extend([mask, to]);
                    b.call(f, &args, "");
                }
                Segments::Rvv => {
                    let size = b.context().i64();
                    let f = at.module.intrinsic(&format!("llvm.riscv.vsseg{n}.mask"), &[ty, size]);
                    args.extend([to, mask, size.const_signed(-1)]);
                    b.call(f, &args, "");
                }
            }
        }
    }
}
