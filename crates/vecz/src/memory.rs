//! Code for loads and stores of all lanes: contiguous, strided, gathers and scatters, interleaved
//! records. No wide access assumes more alignment than the scalar one has, or touches memory that
//! no lane accesses.
//!
//! A backend with better code for its machine provides its own [`MemoryOps`], in its
//! [`VectorUnit`](crate::VectorUnit).

use llvm::{Builder, Module, Opcode, Type, Value, Width};
use std::fmt;

/// The active lanes; `None` if all are.
pub type Mask = Option<Value>;

/// The mask as a vector of `i1`.
pub fn mask_vector(b: &Builder, mask: Mask, width: Width) -> Value {
    mask.unwrap_or_else(|| b.splat(b.context().i1().const_int(1), width, ""))
}

/// Where code is written, and for how many lanes.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub module: &'a Module,
    pub b: &'a Builder,
    pub width: Width,
}

impl Place<'_> {
    /// The lanes of vectors of a known size: code for scalable vectors does not number them.
    fn lanes(&self) -> u32 {
        self.width.known().expect("the lanes of a scalable vector have no numbers")
    }
}

/// Writes the code by which all lanes access memory.
pub trait MemoryOps: fmt::Debug + Send + Sync {
    /// The NAME of this implementation in `run-vecz<memory=NAME>`; the default is [`Intrinsics`].
    fn name(&self) -> &'static str;

    /// Loads contiguous elements from `address` on, one per lane.
    fn load_contiguous(&self, at: Place<'_>, element: Type, address: Value, align: u32, mask: Mask) -> Value {
        let ty = element.vector(at.width);
        match mask {
            None => {
                let load = at.b.load(ty, address, "");
                load.set_alignment(align);
                load
            }
            Some(mask) => {
                let f = at.module.intrinsic("llvm.masked.load", &[ty, address.ty()]);
                at.b.call(f, &[address, at.b.i32(align), mask, ty.poison()], "")
            }
        }
    }

    fn store_contiguous(&self, at: Place<'_>, value: Value, address: Value, align: u32, mask: Mask) {
        match mask {
            None => at.b.store(value, address).set_alignment(align),
            Some(mask) => {
                let f = at.module.intrinsic("llvm.masked.store", &[value.ty(), address.ty()]);
                at.b.call(f, &[value, address, at.b.i32(align), mask], "");
            }
        }
    }

    fn gather(&self, at: Place<'_>, element: Type, addresses: Value, align: u32, mask: Mask) -> Value {
        if let Some(mask) = mask.filter(|_| !at.width.scalable && at.module.size_of(element) < 4) {
            let own = lane_addresses(at, active_addresses(at, addresses, mask));
            return one_by_one(at, element, align, |l| own[l as usize]);
        }
        let ty = element.vector(at.width);
        let f = at.module.intrinsic("llvm.masked.gather", &[ty, addresses.ty()]);
        let mask = mask_vector(at.b, mask, at.width);
        at.b.call(f, &[addresses, at.b.i32(align), mask, ty.poison()], "")
    }

    /// Where two lanes have the same address, the higher lane's value is stored last, as if the
    /// work-items had run in order.
    fn scatter(&self, at: Place<'_>, value: Value, addresses: Value, align: u32, mask: Mask) {
        let f = at.module.intrinsic("llvm.masked.scatter", &[value.ty(), addresses.ty()]);
        let mask = mask_vector(at.b, mask, at.width);
        at.b.call(f, &[value, addresses, at.b.i32(align), mask], "");
    }

    /// Loads lanes at a distance of `stride` bytes, which need not be a constant.
    fn load_strided(&self, at: Place<'_>, element: Type, first: Value, stride: Value, align: u32) -> Value {
        if at.width.scalable || self.gathers(at.module.size_of(element)) {
            return self.gather(at, element, strided_vector(at, first, stride), align, None);
        }
        let lanes = strided(at, first, stride);
        one_by_one(at, element, align, |l| lanes[l as usize])
    }

    fn store_strided(&self, at: Place<'_>, value: Value, first: Value, stride: Value, align: u32) {
        if at.width.scalable {
            return self.scatter(at, value, strided_vector(at, first, stride), align, None);
        }
        let lanes = strided(at, first, stride);
        store_one_by_one(at, value, align, |l| lanes[l as usize]);
    }

    /// Whether a gather of elements, or of whole records, of so many bytes is faster than a load
    /// for each lane.
    fn gathers(&self, _size: u64) -> bool {
        false
    }

    /// Whether there is code for records of so many elements of this size in scalable vectors:
    /// [`MemoryOps::load_records`] and [`MemoryOps::store_records`].
    fn has_records(&self, _size: u32, _fields: u32, _width: Width) -> bool {
        false
    }

    /// Loads all fields of contiguous records in scalable vectors, of active lanes.
    fn load_records(&self, _: Place<'_>, _: &Records, _first: Value, _: Mask) -> Vec<Value> {
        unreachable!("there are no records without has_records")
    }

    /// Stores all fields of contiguous records in scalable vectors, of active lanes.
    fn store_records(&self, _: Place<'_>, _: &Records, _first: Value, _fields: &[Value], _: Mask) {
        unreachable!("there are no records without has_records")
    }
}

/// LLVM's masked gather and scatter intrinsics.
#[derive(Clone, Copy, Debug, Default)]
pub struct Intrinsics;

impl MemoryOps for Intrinsics {
    fn name(&self) -> &'static str {
        "intrinsics"
    }
}

/// For CPUs whose gather and scatter instructions are slower than single loads and stores: unmasked
/// gathers and scatters are done lane by lane.
#[derive(Clone, Copy, Debug, Default)]
pub struct SingleAccesses;

impl MemoryOps for SingleAccesses {
    fn name(&self) -> &'static str {
        "single-accesses"
    }

    fn gather(&self, at: Place<'_>, element: Type, addresses: Value, align: u32, mask: Mask) -> Value {
        match (mask, NarrowIndices::of(addresses)) {
            // LLVM would combine single loads with zero-extended indices into gathers again, slower
            // ones; of what is smaller than 32 bits there are none.
            (None, Some(NarrowIndices { signed: false, .. })) if at.module.size_of(element) >= 4 => {
                Intrinsics.gather(at, element, addresses, align, mask)
            }
            (Some(_), _) => Intrinsics.gather(at, element, addresses, align, mask),
            (None, _) => {
                let own = lane_addresses(at, addresses);
                one_by_one(at, element, align, |l| own[l as usize])
            }
        }
    }

    fn scatter(&self, at: Place<'_>, value: Value, addresses: Value, align: u32, mask: Mask) {
        if mask.is_some() {
            return Intrinsics.scatter(at, value, addresses, align, mask);
        }
        let own = lane_addresses(at, addresses);
        store_one_by_one(at, value, align, |l| own[l as usize]);
    }
}

/// For CPUs whose gather instructions are faster than single loads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gathers;

impl MemoryOps for Gathers {
    fn name(&self) -> &'static str {
        "gathers"
    }

    fn gathers(&self, size: u64) -> bool {
        matches!(size, 4 | 8)
    }
}

/// The address plus a constant number of bytes.
pub fn offset(b: &Builder, address: Value, bytes: i64) -> Value {
    if bytes == 0 {
        return address;
    }
    b.gep_anywhere(b.context().i8(), address, &[b.context().i64().const_signed(bytes)], "")
}

/// The addresses of all lanes, from that of lane 0 and the stride in bytes.
pub fn strided(at: Place<'_>, first: Value, stride: Value) -> Vec<Value> {
    let b = at.b;
    let lane = |l: u32| match stride.as_const_signed() {
        Some(stride) => offset(b, first, stride * i64::from(l)),
        // Groups of four lanes share a base address, to which an addressing mode adds a small
        // multiple of the stride.
        None => {
            let on = |from: Value, lanes: u32| match lanes {
                0 => from,
                1 => b.gep_anywhere(b.context().i8(), from, &[stride], ""),
                _ => {
                    let bytes = b.mul(stride, b.i64(lanes.into()), "");
                    b.gep_anywhere(b.context().i8(), from, &[bytes], "")
                }
            };
            on(on(first, l & !3), l & 3)
        }
    };
    (0..at.lanes()).map(lane).collect()
}

/// The vector of the addresses of all lanes, from that of lane 0 and the stride in bytes.
pub fn strided_vector(at: Place<'_>, first: Value, stride: Value) -> Value {
    let ty = stride.ty().vector(at.width);
    let lanes = at.b.call(at.module.intrinsic("llvm.experimental.stepvector", &[ty]), &[], "");
    let offsets = at.b.mul(lanes, at.b.splat(stride, at.width, ""), "");
    at.b.gep_anywhere(at.b.context().i8(), first, &[offsets], "")
}

/// A vector of addresses into one array, by indices of 8, 16 or 32 bits.
#[derive(Clone, Copy)]
struct NarrowIndices {
    element: Type,
    array: Value,
    indices: Value,
    bits: u32,
    signed: bool,
}

impl NarrowIndices {
    fn of(addresses: Value) -> Option<NarrowIndices> {
        let is = |v: Value, op: Opcode| v.opcode() == Some(op);
        if !is(addresses, Opcode::LLVMGetElementPtr) {
            return None;
        }
        let ty = addresses.gep_source_type();
        let (element, index) = match addresses.num_operands() {
            2 => (ty, addresses.operand(1)),
            3 if ty.is_array() && addresses.operand(1).is_zero() => (ty.element(), addresses.operand(2)),
            _ => return None,
        };
        let (array, signed) = (addresses.operand(0), is(index, Opcode::LLVMSExt));
        if array.ty().is_vector() || !(signed || is(index, Opcode::LLVMZExt)) {
            return None;
        }
        let indices = index.operand(0);
        let bits = indices.ty().element().int_bits();
        matches!(bits, 8 | 16 | 32).then_some(NarrowIndices { element, array, indices, bits, signed })
    }

    /// The indices of all lanes, if they fill whole words. They are extracted as words of 64 bits,
    /// which are split by scalar shifts: few execution units can move vector elements to scalar
    /// registers, and 64-bit addresses would need several times as many moves.
    fn each(&self, at: Place<'_>) -> Option<Vec<Value>> {
        let (b, in_word) = (at.b, 64 / self.bits);
        if !at.lanes().is_multiple_of(in_word) {
            return None;
        }
        let count = at.lanes() / in_word;
        let words = b.cast(Opcode::LLVMBitCast, self.indices, b.context().i64().vector(count), "");
        let words: Vec<Value> = (0..count).map(|n| b.extract_element(words, b.i32(n), "")).collect();
        let shift = |op: Opcode, value: Value, by: u32| match by {
            0 => value,
            _ => b.binary(op, value, b.i64(by.into()), ""),
        };
        let index = |lane: u32| {
            let (word, place) = (words[(lane / in_word) as usize], lane % in_word);
            if self.signed {
                let high = shift(Opcode::LLVMShl, word, 64 - self.bits * (place + 1));
                return shift(Opcode::LLVMAShr, high, 64 - self.bits);
            }
            let low = shift(Opcode::LLVMLShr, word, self.bits * place);
            if place + 1 == in_word { low } else { b.and(low, b.i64((1 << self.bits) - 1), "") }
        };
        Some((0..at.lanes()).map(index).collect())
    }
}

/// Extracts the address of each lane.
pub fn lane_addresses(at: Place<'_>, addresses: Value) -> Vec<Value> {
    let b = at.b;
    let narrow = NarrowIndices::of(addresses);
    match narrow.and_then(|narrow| Some((narrow, narrow.each(at)?))) {
        Some((narrow, indices)) => indices
            .into_iter()
            .map(|index| b.gep_anywhere(narrow.element, narrow.array, &[index], ""))
            .collect(),
        None => (0..at.lanes()).map(|l| b.extract_element(addresses, b.i32(l), "")).collect(),
    }
}

/// The addresses of the lanes, that of the first active one in place of those of inactive lanes: no
/// instruction gathers bytes or words of 16 bits, and a load is faster than a test whether to load.
/// A block runs only if a lane is active in it.
fn active_addresses(at: Place<'_>, addresses: Value, mask: Value) -> Value {
    let b = at.b;
    let bits = b.cast(Opcode::LLVMBitCast, mask, b.context().int(at.lanes()), "");
    let count = at.module.intrinsic("llvm.cttz", &[bits.ty()]);
    let first = b.call(count, &[bits, b.context().i1().const_int(1)], "");
    let of_active = |lanes: Value| {
        let one = b.extract_element(lanes, first, "");
        b.select(mask, lanes, b.splat(one, at.width, ""), "")
    };
    let Some(NarrowIndices { element, array, indices, signed, .. }) = NarrowIndices::of(addresses) else {
        return of_active(addresses);
    };
    let extension = if signed { Opcode::LLVMSExt } else { Opcode::LLVMZExt };
    let indices = b.cast(extension, of_active(indices), b.context().i64().vector(at.width), "");
    b.gep_anywhere(element, array, &[indices], "")
}

fn one_by_one(at: Place<'_>, element: Type, align: u32, lane: impl Fn(u32) -> Value) -> Value {
    (0..at.lanes()).fold(element.vector(at.width).poison(), |all, l| {
        let own = at.b.load(element, lane(l), "");
        own.set_alignment(align);
        at.b.insert_element(all, own, at.b.i32(l), "")
    })
}

fn store_one_by_one(at: Place<'_>, value: Value, align: u32, lane: impl Fn(u32) -> Value) {
    for l in 0..at.lanes() {
        at.b.store(at.b.extract_element(value, at.b.i32(l), ""), lane(l)).set_alignment(align);
    }
}

/// The lanes in the opposite order.
pub fn reversed(at: Place<'_>, vector: Value) -> Value {
    let Some(width) = at.width.known() else {
        return at.b.call(at.module.intrinsic("llvm.vector.reverse", &[vector.ty()]), &[vector], "");
    };
    let lanes: Vec<u32> = (0..width).rev().collect();
    at.b.shuffle(vector, vector.ty().poison(), &lanes, "")
}

/// Whether records of small integers are accessed as one word each.
pub fn is_word(size: u32, fields: u32) -> bool {
    size <= 2 && [2, 4, 8].contains(&(size * fields))
}

/// An interleaved access: records of `fields` elements, one per lane, that are contiguous from
/// `first` on. Element `n` of lane `l` is element `l * fields + n` of the whole. Lanes go backwards
/// through memory if `backwards`.
#[derive(Clone, Copy)]
pub struct Records {
    pub element: Type,
    pub fields: u32,
    pub backwards: bool,
    pub align: u32,
}

impl Records {
    fn index(&self, width: u32, lane: u32, field: u32) -> u32 {
        let record = if self.backwards { width - 1 - lane } else { lane };
        record * self.fields + field
    }

    /// Whether all fields are cheaper by halves, [`deinterleaved`] and [`interleaved`], than one by
    /// one.
    fn has_halves(&self) -> bool {
        self.fields > 2 && self.fields.is_power_of_two() && !self.backwards
    }

    /// The integer type of a whole record, if the record is loaded as one word and its fields are
    /// extracted by shifts.
    fn word(&self, at: Place<'_>) -> Option<Type> {
        let size = at.module.size_of(self.element) as u32;
        let whole = self.element.is_int() && !self.backwards && is_word(size, self.fields);
        whole.then(|| at.b.context().int(8 * size * self.fields))
    }

    /// The fields of records that were loaded as words.
    fn of_words(&self, at: Place<'_>, words: Value, wanted: &[u32]) -> Vec<Value> {
        let (b, size, word) = (at.b, at.module.size_of(self.element), words.ty().element());
        let part = |field: u32| {
            let shift = b.splat(word.const_int(u64::from(field) * size * 8), at.width, "");
            let shifted = if field == 0 { words } else { b.binary(Opcode::LLVMLShr, words, shift, "") };
            b.cast(Opcode::LLVMTrunc, shifted, self.element.vector(at.width), "")
        };
        wanted.iter().map(|&field| part(field)).collect()
    }

    /// Records as words, from their fields.
    fn to_words(self, at: Place<'_>, word: Type, fields: &[Value]) -> Value {
        let (b, size, wide) = (at.b, at.module.size_of(self.element), word.vector(at.width));
        let mut all = wide.zero();
        for (n, &field) in fields.iter().enumerate() {
            // Freeze each field: one poison field would make the whole word poison.
            let part = b.cast(Opcode::LLVMZExt, b.freeze(field, ""), wide, "");
            let shift = b.splat(word.const_int(n as u64 * size * 8), at.width, "");
            all = b.binary(Opcode::LLVMOr, all, b.binary(Opcode::LLVMShl, part, shift, ""), "");
        }
        all
    }

    /// Loads the `wanted` fields of all active lanes of scalable vectors. Records are read whole.
    pub fn load_scalable(
        &self,
        at: Place<'_>,
        ops: &dyn MemoryOps,
        first: Value,
        wanted: &[u32],
        mask: Mask,
    ) -> Vec<Value> {
        match self.word(at) {
            Some(word) => {
                let words = ops.load_contiguous(at, word, first, self.align, mask);
                self.of_words(at, words, wanted)
            }
            None => {
                let all = ops.load_records(at, self, first, mask);
                wanted.iter().map(|&field| all[field as usize]).collect()
            }
        }
    }

    /// Stores all fields of all active lanes of scalable vectors.
    pub fn store_scalable(
        &self,
        at: Place<'_>,
        ops: &dyn MemoryOps,
        first: Value,
        fields: &[Value],
        mask: Mask,
    ) {
        match self.word(at) {
            Some(word) => {
                ops.store_contiguous(at, self.to_words(at, word, fields), first, self.align, mask);
            }
            None => ops.store_records(at, self, first, fields, mask),
        }
    }

    /// Loads the `wanted` fields of all lanes. Memory is read from the first field of the first
    /// record to the field `last` of the last record.
    pub fn load(&self, at: Place<'_>, first: Value, wanted: &[u32], last: u32) -> Vec<Value> {
        let (b, width, size) = (at.b, at.lanes(), at.module.size_of(self.element));
        let load = |ty: Type, from: u32| {
            let load = b.load(ty.vector(width), offset(b, first, i64::from(from) * size as i64), "");
            load.set_alignment(self.align);
            load
        };
        if let Some(word) = self.word(at).filter(|_| last + 1 == self.fields) {
            return self.of_words(at, load(word, 0), wanted);
        }
        // The last vector must not read beyond the last element, so it may overlap the one before
        // it.
        let total = (width - 1) * self.fields + last + 1;
        let starts: Vec<u32> = (0..self.fields).map(|v| (v * width).min(total - width)).collect();
        let vectors: Vec<Value> = starts.iter().map(|&start| load(self.element, start)).collect();
        if self.has_halves() && last + 1 == self.fields && 2 * wanted.len() > self.fields as usize {
            let all = deinterleaved(b, &vectors);
            return wanted.iter().map(|&field| all[field as usize]).collect();
        }
        let place = |index: u32| {
            let vector = (index / width).min(self.fields - 1);
            (vector, index - starts[vector as usize])
        };
        wanted
            .iter()
            .map(|&field| {
                let places: Vec<(u32, u32)> =
                    (0..width).map(|l| place(self.index(width, l, field))).collect();
                pick(b, &vectors, &places)
            })
            .collect()
    }

    /// Stores all fields of all lanes.
    pub fn store(&self, at: Place<'_>, first: Value, fields: &[Value]) {
        let (b, width, size) = (at.b, at.lanes(), at.module.size_of(self.element));
        if let Some(word) = self.word(at) {
            b.store(self.to_words(at, word, fields), first).set_alignment(self.align);
            return;
        }
        for (v, vector) in self.interleaved(at, fields).into_iter().enumerate() {
            let to = offset(b, first, v as i64 * i64::from(width) * size as i64);
            b.store(vector, to).set_alignment(self.align);
        }
    }

    /// The fields shuffled into memory order, in vectors of `width` elements.
    fn interleaved(&self, at: Place<'_>, fields: &[Value]) -> Vec<Value> {
        let width = at.lanes();
        if self.has_halves() {
            return interleaved(at.b, fields);
        }
        let mut at_index = vec![(0, 0); (width * self.fields) as usize];
        for lane in 0..width {
            for field in 0..self.fields {
                at_index[self.index(width, lane, field) as usize] = (field, lane);
            }
        }
        at_index.chunks(width as usize).map(|places| pick(at.b, fields, places)).collect()
    }

    /// The integer type of a whole record, if records at arbitrary addresses are gathered and
    /// scattered as words.
    pub fn gathered_word(&self, at: Place<'_>, ops: &dyn MemoryOps) -> Option<Type> {
        let size = at.module.size_of(self.element) * u64::from(self.fields);
        let pays = !at.width.scalable && ops.gathers(size) && (self.fields == 2 || self.word(at).is_some());
        pays.then(|| at.b.context().int(8 * size as u32))
    }

    /// Loads the `wanted` fields of records at a vector of addresses, each as one word.
    pub fn gather_words(
        &self,
        at: Place<'_>,
        word: Type,
        addresses: Value,
        wanted: &[u32],
        mask: Mask,
    ) -> Vec<Value> {
        let words = Intrinsics.gather(at, word, addresses, self.align, mask);
        if self.word(at).is_some() {
            return self.of_words(at, words, wanted);
        }
        let count = at.lanes() * self.fields;
        let all = at.b.cast(Opcode::LLVMBitCast, words, self.element.vector(count), "");
        let field = |field: u32| {
            let lanes: Vec<u32> = (0..at.lanes()).map(|l| l * self.fields + field).collect();
            at.b.shuffle(all, all.ty().poison(), &lanes, "")
        };
        wanted.iter().map(|&wanted| field(wanted)).collect()
    }

    /// Stores all fields of records to a vector of addresses, each as one word.
    pub fn scatter_words(&self, at: Place<'_>, word: Type, addresses: Value, fields: &[Value], mask: Mask) {
        let words = match fields {
            &[even, odd] if self.word(at).is_none() => {
                let lanes: Vec<u32> = (0..at.lanes()).flat_map(|l| [l, at.lanes() + l]).collect();
                at.b.cast(Opcode::LLVMBitCast, at.b.shuffle(even, odd, &lanes, ""), word.vector(at.width), "")
            }
            _ => self.to_words(at, word, fields),
        };
        Intrinsics.scatter(at, words, addresses, self.align, mask);
    }

    /// Loads the `wanted` fields of records at arbitrary addresses, one record per lane.
    pub fn load_scattered(
        &self,
        at: Place<'_>,
        addresses: &[Value],
        wanted: &[u32],
        last: u32,
    ) -> Vec<Value> {
        let (b, width) = (at.b, at.lanes());
        let ty = self.element.vector(last + 1);
        let records: Vec<Value> = addresses
            .iter()
            .map(|&own| {
                let record = b.load(ty, own, "");
                record.set_alignment(self.align);
                record
            })
            .collect();
        // Concatenate the records to vectors of `width` elements, and shuffle the fields out of
        // these.
        let padded = self.fields.next_power_of_two();
        let side_by_side = join(b, &records, last + 1, padded, width);
        wanted
            .iter()
            .map(|&field| {
                let places: Vec<(u32, u32)> = (0..width)
                    .map(|l| {
                        let index = l * padded + field;
                        (index / width, index % width)
                    })
                    .collect();
                pick(b, &side_by_side, &places)
            })
            .collect()
    }

    /// Stores all fields of records at arbitrary addresses.
    pub fn store_scattered(&self, at: Place<'_>, addresses: &[Value], fields: &[Value]) {
        let (b, width) = (at.b, at.lanes());
        let vectors = self.interleaved(at, fields);
        for (lane, &address) in (0..width).zip(addresses) {
            let start = lane * self.fields;
            let vector = vectors[(start / width) as usize];
            let parts: Vec<u32> = (0..self.fields).map(|n| start % width + n).collect();
            let record = b.shuffle(vector, vector.ty().poison(), &parts, "");
            b.store(record, address).set_alignment(self.align);
        }
    }
}

/// Concatenates short vectors of `len` elements, each padded to `padded`, into vectors of `width`
/// elements.
fn join(b: &Builder, parts: &[Value], len: u32, padded: u32, width: u32) -> Vec<Value> {
    let per_vector = (width / padded) as usize;
    let mut level: Vec<Value> = parts
        .iter()
        .map(|&part| {
            if len == padded {
                return part;
            }
            let lanes: Vec<u32> = (0..padded).map(|n| n.min(len)).collect();
            b.shuffle(part, part.ty().poison(), &lanes, "")
        })
        .collect();
    let mut size = 1;
    while size < per_vector {
        level = level
            .chunks(2)
            .map(|pair| {
                let lanes: Vec<u32> = (0..2 * padded * size as u32).collect();
                b.shuffle(pair[0], pair[1], &lanes, "")
            })
            .collect();
        size *= 2;
    }
    level
}

/// The fields of records of as many fields as there are vectors, a power of two: those of even
/// numbers and those of odd ones, and so on. Of 8 fields, 24 shuffles instead of 56.
fn deinterleaved(b: &Builder, vectors: &[Value]) -> Vec<Value> {
    if vectors.len() == 1 {
        return vectors.to_vec();
    }
    let width = vectors[0].ty().len() as u32;
    let [even, odd] = [0, 1].map(|first| {
        let every_other: Vec<u32> = (0..width).map(|lane| 2 * lane + first).collect();
        let halves: Vec<Value> =
            vectors.chunks(2).map(|pair| b.shuffle(pair[0], pair[1], &every_other, "")).collect();
        deinterleaved(b, &halves)
    });
    even.into_iter().zip(odd).flat_map(|(even, odd)| [even, odd]).collect()
}

/// The records of these fields in memory order: the reverse of [`deinterleaved`].
fn interleaved(b: &Builder, fields: &[Value]) -> Vec<Value> {
    if fields.len() == 1 {
        return fields.to_vec();
    }
    let width = fields[0].ty().len() as u32;
    let [even, odd] = [0, 1].map(|first| {
        let own: Vec<Value> = fields.iter().skip(first).step_by(2).copied().collect();
        interleaved(b, &own)
    });
    let in_turns = |from: u32| (from..from + width / 2).flat_map(|lane| [lane, width + lane]).collect();
    let [low, high]: [Vec<u32>; 2] = [0, width / 2].map(in_turns);
    let pairs = even.into_iter().zip(odd);
    pairs.flat_map(|(even, odd)| [&low, &high].map(|lanes| b.shuffle(even, odd, lanes, ""))).collect()
}

/// Shuffles several vectors into one whose lane `n` is the element `places[n]`: (vector, lane).
fn pick(b: &Builder, vectors: &[Value], places: &[(u32, u32)]) -> Value {
    let width = vectors[0].ty().len() as u32;
    let mut used: Vec<u32> = places.iter().map(|&(v, _)| v).collect();
    used.sort_unstable();
    used.dedup();
    let first = vectors[used[0] as usize];
    let Some(&second) = used.get(1) else {
        let lanes: Vec<u32> = places.iter().map(|&(_, lane)| lane).collect();
        return b.shuffle(first, first.ty().poison(), &lanes, "");
    };
    // Shuffle the first two vectors, then add one more at a time. Lanes not inserted yet may hold
    // any element.
    let lanes: Vec<u32> = places
        .iter()
        .map(|&(v, lane)| {
            if v == second {
                width + lane
            } else if v == used[0] {
                lane
            } else {
                0
            }
        })
        .collect();
    let mut picked = b.shuffle(first, vectors[second as usize], &lanes, "");
    for &next in &used[2..] {
        let lanes: Vec<u32> =
            places.iter().zip(0..).map(|(&(v, lane), n)| if v == next { width + lane } else { n }).collect();
        picked = b.shuffle(picked, vectors[next as usize], &lanes, "");
    }
    picked
}
