//! Partial scalarization: vectors of the source stay vectors, and those of all lanes are
//! concatenated to one long vector.
//!
//! ```text
//! %v = load <4 x float>, ptr %p        →   %v = load <64 x float>, ptr %p          ; 16 lanes
//! %w = fmul <4 x float> %v, %v             %w = fmul <64 x float> %v, %v
//! %x = extractelement %w, i32 2            %x = shufflevector %w, <2, 6, 10, …>    ; <16 x float>
//! ```
//!
//! Elementwise operations only get wider, and contiguous vectors stay contiguous in memory.
//! Extracting, inserting and reordering elements become shuffles, as does repeating a lane's value
//! or mask for all elements of its vector.

use crate::Stopped;
use crate::access_plan::AccessCode;
use crate::memory::{self, Intrinsics, Mask, MemoryOps};
use crate::packetize::Packetizer;
use llvm::{Builder, Opcode, Type, Value, Width};

/// The most elements that the vectors of all lanes may have together.
const MOST_ELEMENTS: u64 = 512;

/// The vector type that holds a value of this type for each lane.
pub fn wide_type(ty: Type, width: Width) -> Type {
    match ty.is_vector() {
        true => ty.element().vector(width.with_lanes(ty.len() as u32 * width.lanes)),
        false => ty.vector(width),
    }
}

/// The number of elements of one lane's value.
pub fn elements_per_lane(ty: Type) -> u32 {
    if ty.is_vector() { ty.len() as u32 } else { 1 }
}

/// A uniform value, repeated for each lane.
pub fn splat(b: &Builder, value: Value, width: Width) -> Value {
    if !value.ty().is_vector() {
        return b.splat(value, width, "");
    }
    let n = elements_per_lane(value.ty());
    let lanes: Vec<u32> = (0..n * width.lanes).map(|e| e % n).collect();
    b.shuffle(value, value.ty().poison(), &lanes, "")
}

/// Repeats each lane's value `n` times, once per element of the lane's vector.
pub fn repeat_per_element(b: &Builder, vector: Value, n: u32) -> Value {
    if n == 1 {
        return vector;
    }
    let width = vector.ty().len() as u32;
    let lanes: Vec<u32> = (0..n * width).map(|e| e / n).collect();
    b.shuffle(vector, vector.ty().poison(), &lanes, "")
}

/// Refuses an instruction on varying vectors that has no wide form here.
pub fn check(i: Value, width: u32) -> Result<(), Stopped> {
    use Opcode::*;
    let known = match i.opcode() {
        Some(LLVMExtractElement) => i.operand(1).as_const_int().is_some_and(|k| k < i.operand(0).ty().len()),
        Some(LLVMInsertElement) => i.operand(2).as_const_int().is_some_and(|k| k < i.ty().len()),
        Some(LLVMLoad | LLVMStore) => !i.is_atomic() && !i.is_volatile(),
        Some(LLVMCall) => i.widened_intrinsic(width).is_some(),
        Some(
            LLVMAlloca | LLVMGetElementPtr | LLVMExtractValue | LLVMInsertValue | LLVMAtomicRMW
            | LLVMAtomicCmpXchg,
        ) => false,
        _ => true,
    };
    let element = |ty: Type| ty.is_int() || ty.is_float();
    let fits = |v: Value| match v.ty().is_vector() {
        true => element(v.ty().element()) && v.ty().len() * u64::from(width) <= MOST_ELEMENTS,
        false => !v.ty().is_array() && !v.ty().is_scalable_vector(),
    };
    if known && fits(i) && i.operands().all(fits) {
        return Ok(());
    }
    Err(Stopped::at(i, "a vector that differs from lane to lane"))
}

/// An element index, which must be a constant.
fn constant(i: Value, operand: u32) -> Result<u32, Stopped> {
    let place = i.operand(operand).as_const_int().and_then(|k| u32::try_from(k).ok());
    place.ok_or_else(|| Stopped::at(i, "an element that only the launch knows"))
}

impl Packetizer<'_> {
    /// The mask for values of this type: one bit per element.
    pub(crate) fn mask_for(&self, mask: Value, ty: Type) -> Value {
        repeat_per_element(&self.b, mask, elements_per_lane(ty))
    }

    /// Writes `extractelement`, `insertelement` and `shufflevector` as one shuffle; `None` for
    /// other instructions.
    pub(crate) fn moves_elements(&mut self, i: Value) -> Result<Option<Value>, Stopped> {
        let (b, width) = (&self.b, self.plan.width.lanes);
        let new = match i.opcode() {
            Some(Opcode::LLVMExtractElement) => {
                let n = elements_per_lane(i.operand(0).ty());
                let k = constant(i, 1)?;
                let from = self.packets.vector(i.operand(0))?;
                let lanes: Vec<u32> = (0..width).map(|l| l * n + k).collect();
                b.shuffle(from, from.ty().poison(), &lanes, &i.name())
            }
            Some(Opcode::LLVMInsertElement) => {
                let n = elements_per_lane(i.ty());
                let k = constant(i, 2)?;
                let into = self.packets.vector(i.operand(0))?;
                let element = repeat_per_element(b, self.packets.vector(i.operand(1))?, n);
                let lanes: Vec<u32> =
                    (0..n * width).map(|e| if e % n == k { n * width + e } else { e }).collect();
                b.shuffle(into, element, &lanes, &i.name())
            }
            Some(Opcode::LLVMShuffleVector) => {
                let n = elements_per_lane(i.operand(0).ty());
                let mask = i.shuffle_mask();
                let (x, y) = (self.packets.vector(i.operand(0))?, self.packets.vector(i.operand(1))?);
                let place = |l: u32, j: usize| match u32::try_from(mask[j]) {
                    Ok(from) if from < n => l * n + from,
                    Ok(from) => n * width + l * n + (from - n),
                    // A poison element: any index will do.
                    Err(_) => l * n + j as u32 % n,
                };
                let lanes: Vec<u32> = (0..width)
                    .flat_map(|l| (0..mask.len()).map(move |j| (l, j)))
                    .map(|(l, j)| place(l, j))
                    .collect();
                b.shuffle(x, y, &lanes, &i.name())
            }
            _ => return Ok(None),
        };
        Ok(Some(new))
    }

    /// A load of a vector for each lane.
    pub(crate) fn load_lane_vectors(&mut self, i: Value, mask: Mask) -> Result<(), Stopped> {
        let (ty, address, align) = (i.ty(), i.operand(0), i.alignment());
        let (n, element) = (elements_per_lane(ty), ty.element());
        let (plan, code) = self.plan(i, mask);
        self.remarks.memory(i, plan.remark(&code, self.plan.shapes));
        let contiguous = |p: &Self, first: Value| {
            let mask = mask.map(|mask| p.mask_for(mask, ty));
            p.plan.memory.load_contiguous(p.place_of(n), element, first, align, mask)
        };
        let new = match code {
            AccessCode::Contiguous => contiguous(self, self.packets.scalar(address)?),
            AccessCode::TestContiguous => {
                let addresses = self.packets.vector(address)?;
                let (consecutive, first) = self.consecutive(address, addresses, plan.size, mask)?;
                let together = |p: &Self| vec![contiguous(p, first)];
                self.either(consecutive, together, |p| vec![p.load_apart(ty, addresses, align, mask)])[0]
            }
            _ => {
                let addresses = self.packets.vector(address)?;
                self.load_apart(ty, addresses, align, mask)
            }
        };
        self.packets.set_vector(i, new);
        Ok(())
    }

    /// Loads a vector for each lane, from any addresses.
    fn load_apart(&self, ty: Type, addresses: Value, align: u32, mask: Mask) -> Value {
        let Some(mask) = mask else {
            let own = (0..self.plan.width.lanes).map(|l| {
                let load = self.b.load(ty, self.b.extract_element(addresses, self.b.i32(l), ""), "");
                load.set_alignment(align);
                load
            });
            return self.side_by_side(own.collect());
        };
        let words = self.words_of(ty);
        let (n, own) = (elements_per_lane(words), self.element_addresses(addresses, words));
        let (place, mask) = (self.place_of(n), self.mask_for(mask, words));
        let align = align.min(self.plan.module.size_of(words.element()) as u32);
        let loaded = Intrinsics.gather(place, words.element(), own, align, Some(mask));
        self.b.cast(Opcode::LLVMBitCast, loaded, wide_type(ty, self.plan.width), "")
    }

    /// A store of a vector for each lane.
    pub(crate) fn store_lane_vectors(&mut self, i: Value, mask: Mask) -> Result<(), Stopped> {
        let (value, address, align) = (i.operand(0), i.operand(1), i.alignment());
        let (ty, n) = (value.ty(), elements_per_lane(value.ty()));
        let (plan, code) = self.plan(i, mask);
        self.remarks.memory(i, plan.remark(&code, self.plan.shapes));
        let new = self.packets.vector(value)?;
        let contiguous = |p: &Self, first: Value| {
            let mask = mask.map(|mask| p.mask_for(mask, ty));
            p.plan.memory.store_contiguous(p.place_of(n), new, first, align, mask);
        };
        match code {
            AccessCode::Contiguous => contiguous(self, self.packets.scalar(address)?),
            AccessCode::TestContiguous => {
                let addresses = self.packets.vector(address)?;
                let (consecutive, first) = self.consecutive(address, addresses, plan.size, mask)?;
                let together = |p: &Self| {
                    contiguous(p, first);
                    vec![]
                };
                let apart = |p: &Self| {
                    p.store_apart(ty, new, addresses, align, mask);
                    vec![]
                };
                self.either(consecutive, together, apart);
            }
            _ => {
                let addresses = self.packets.vector(address)?;
                self.store_apart(ty, new, addresses, align, mask);
            }
        }
        Ok(())
    }

    /// Stores a vector for each lane, to any addresses.
    fn store_apart(&self, ty: Type, new: Value, addresses: Value, align: u32, mask: Mask) {
        let Some(mask) = mask else {
            let n = elements_per_lane(ty);
            for lane in 0..self.plan.width.lanes {
                let own: Vec<u32> = (lane * n..(lane + 1) * n).collect();
                let own = self.b.shuffle(new, new.ty().poison(), &own, "");
                let to = self.b.extract_element(addresses, self.b.i32(lane), "");
                self.b.store(own, to).set_alignment(align);
            }
            return;
        };
        let words = self.words_of(ty);
        let (n, own) = (elements_per_lane(words), self.element_addresses(addresses, words));
        let (place, mask) = (self.place_of(n), self.mask_for(mask, words));
        let align = align.min(self.plan.module.size_of(words.element()) as u32);
        // Freeze: one poison element would make the whole word poison.
        let new = if words == ty { new } else { self.b.freeze(new, "") };
        let new = self.b.cast(Opcode::LLVMBitCast, new, wide_type(words, self.plan.width), "");
        Intrinsics.scatter(place, new, own, align, Some(mask));
    }

    /// The vector of the same size with the fewest elements that can be gathered: words of 64 or 32
    /// bits. A vector whose elements do not fill such words stays as it is.
    fn words_of(&self, ty: Type) -> Type {
        let (element, module) = (ty.element(), self.plan.module);
        let (each, size) = (module.size_of(element), module.size_of(ty));
        let packed = size == ty.len() * each
            && (element.is_float() || element.is_int() && element.int_is_whole_bytes());
        let word = [8, 4].into_iter().find(|word| packed && each < *word && size.is_multiple_of(*word));
        word.map_or(ty, |word| module.context().int(8 * word as u32).vector((size / word) as u32))
    }

    /// The place to write an access of `n` elements per lane.
    fn place_of(&self, n: u32) -> memory::Place<'_> {
        let width = self.plan.width;
        memory::Place { width: width.with_lanes(n * width.lanes), ..self.place() }
    }

    /// The address of each element, from the addresses of the lanes' vectors.
    fn element_addresses(&self, addresses: Value, ty: Type) -> Value {
        let (n, size) = (elements_per_lane(ty), self.plan.module.size_of(ty.element()));
        let own: Vec<Value> =
            (0..n * self.plan.width.lanes).map(|e| self.b.i64(u64::from(e % n) * size)).collect();
        let lanes = repeat_per_element(&self.b, addresses, n);
        self.b.gep_anywhere(self.plan.module.context().i8(), lanes, &[llvm::const_vector(&own)], "")
    }

    /// Concatenates the vectors of all lanes.
    fn side_by_side(&self, mut parts: Vec<Value>) -> Value {
        while parts.len() > 1 {
            let pair = |pair: &[Value]| match *pair {
                [x, y] => {
                    let (m, n) = (x.ty().len() as u32, y.ty().len() as u32);
                    // The operands of a shuffle must have the same length.
                    let grown: Vec<u32> = (0..m).map(|e| e.min(n)).collect();
                    let y = if m == n { y } else { self.b.shuffle(y, y.ty().poison(), &grown, "") };
                    self.b.shuffle(x, y, &(0..m + n).collect::<Vec<_>>(), "")
                }
                _ => pair[0],
            };
            parts = parts.chunks(2).map(pair).collect();
        }
        parts[0]
    }
}
