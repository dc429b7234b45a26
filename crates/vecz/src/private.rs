//! Interleaves private arrays: the element `n` of all lanes lies side by side.
//!
//! ```text
//! %a = alloca [64 x i32]                        %all = alloca [4096 x i8]   ; for all 16 lanes
//! %p = getelementptr i32, ptr %a, i64 %n    →   %own = getelementptr i8, ptr %all, 4 * lane
//! %v = load i32, ptr %p                         %p = getelementptr i8, ptr %own, %n * 64
//!                                               %v = load i32, ptr %p
//! ```
//!
//! Element `n` of all lanes is one vector in memory, so that a uniform index gives a contiguous
//! access. All accesses of the array must have the same size, at multiples of it, and its address
//! must not escape. Other arrays are kept as one whole copy per lane, one after the other.

use llvm::{Builder, Function, Module, Opcode, Value, Width};
use std::collections::{HashMap, HashSet};

/// The lane number: a function that the packetizer replaces.
pub const LANE: &str = "__vecz_b_lane";

/// Copies and fills (`memcpy`, `memset`) of more elements than this are not expanded, and their
/// arrays not interleaved.
const MOST_ELEMENTS: u64 = 64;

/// Expands `memcpy` and `memset` of private arrays to loads and stores, where that lets the arrays
/// be interleaved.
pub fn expand_copies(module: &Module, kernel: Function) {
    for alloca in allocas(kernel) {
        let Some(array) = Accesses::of(module, alloca) else { continue };
        for &copy in &array.copies {
            expand(module, copy, array.size);
        }
    }
}

/// Interleaves the private arrays that can be. Returns the new allocas, which all lanes share.
pub fn interleave(module: &Module, kernel: Function, width: Width) -> HashSet<Value> {
    let mut shared = HashSet::new();
    for alloca in allocas(kernel) {
        if let Some(array) = Accesses::of(module, alloca).filter(|a| a.copies.is_empty()) {
            shared.insert(rewrite(module, alloca, &array, width));
        }
    }
    shared
}

/// The addresses into private arrays that [`interleave`] will rewrite, each with the size of its
/// array, which is the distance of the lanes until then.
pub fn to_interleave(module: &Module, kernel: Function) -> HashMap<Value, i64> {
    let mut found = HashMap::new();
    for alloca in allocas(kernel) {
        if let Some(array) = Accesses::of(module, alloca).filter(|a| a.copies.is_empty()) {
            let size = module.size_of(alloca.allocated_type()) as i64;
            found.extend(array.addresses.into_iter().chain([alloca]).map(|address| (address, size)));
        }
    }
    found
}

fn allocas(kernel: Function) -> Vec<Value> {
    let fixed = |i: &Value| i.is_alloca() && i.operand(0).as_const_int() == Some(1);
    kernel.instructions().into_iter().filter(fixed).collect()
}

/// All uses of a private array.
struct Accesses {
    /// The size of every access.
    size: u64,
    /// The addresses computed from the array, each after its base.
    addresses: Vec<Value>,
    copies: Vec<Value>,
    hints: Vec<Value>,
}

impl Accesses {
    /// The accesses of an array; `None` if it cannot be interleaved.
    fn of(module: &Module, alloca: Value) -> Option<Accesses> {
        let mut found = Accesses { size: 0, addresses: vec![], copies: vec![], hints: vec![] };
        let mut steps = vec![];
        let mut pointers = vec![alloca];
        while let Some(pointer) = pointers.pop() {
            for user in pointer.users() {
                let accessed = match user.opcode()? {
                    Opcode::LLVMGetElementPtr if user.operand(0) == pointer && user.ty().is_ptr() => {
                        for term in terms(module, user)? {
                            steps.push(term.step());
                        }
                        found.addresses.push(user);
                        pointers.push(user);
                        continue;
                    }
                    Opcode::LLVMLoad => user.ty(),
                    Opcode::LLVMStore if user.operand(0) != pointer => user.operand(0).ty(),
                    Opcode::LLVMCall => {
                        let name = user.called_function()?.name();
                        if name.starts_with("llvm.lifetime.") {
                            found.hints.push(user);
                        } else if is_copy(user) {
                            if !found.copies.contains(&user) {
                                found.copies.push(user);
                            }
                        } else {
                            return None;
                        }
                        continue;
                    }
                    _ => return None,
                };
                let whole = accessed.is_int() && accessed.int_is_whole_bytes();
                if !(whole || accessed.is_float() || accessed.is_ptr())
                    || user.is_atomic()
                    || user.is_volatile()
                {
                    return None;
                }
                let size = module.size_of(accessed);
                if found.size != 0 && found.size != size {
                    return None;
                }
                found.size = size;
            }
        }
        let size = found.size;
        let total = module.size_of(alloca.allocated_type());
        let even =
            size != 0 && total.is_multiple_of(size) && steps.iter().all(|step| step % size as i64 == 0);
        let small = |copy: &Value| {
            let bytes = copy.operand(2).as_const_int();
            bytes.is_some_and(|bytes| bytes % size == 0 && bytes / size <= MOST_ELEMENTS)
        };
        (even && found.copies.iter().all(small)).then_some(found)
    }
}

/// `memcpy`, `memmove` or `memset` of a constant byte.
fn is_copy(call: Value) -> bool {
    let Some(name) = call.called_function().map(|f| f.name()) else { return false };
    let plain = call.call_args().get(3).is_some_and(|volatile| volatile.is_zero());
    let filled = name.starts_with("llvm.memset.") && call.operand(1).as_const_int().is_some();
    plain && (filled || name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove."))
}

fn expand(module: &Module, copy: Value, size: u64) {
    let context = module.context();
    let b = Builder::before(context, copy);
    let element = context.int(size as u32 * 8);
    let (to, from) = (copy.operand(0), copy.operand(1));
    let count = copy.operand(2).as_const_int().expect("looked at before") / size;
    let at = |base: Value, n: u64| b.gep(element, base, &[b.i64(n)], "");
    let values: Vec<Value> = if from.ty().is_ptr() {
        // All loads come first: source and destination may overlap.
        let load = |n: u64| {
            let load = b.load(element, at(from, n), "");
            load.set_alignment(alignment(from, size));
            load
        };
        (0..count).map(load).collect()
    } else {
        let byte = from.as_const_int().expect("looked at before") & 0xff;
        let filled = (0..size.min(8)).fold(0, |all, n| all | byte << (8 * n));
        vec![element.const_int(filled); count as usize]
    };
    for (n, value) in values.into_iter().enumerate() {
        b.store(value, at(to, n as u64)).set_alignment(alignment(to, size));
    }
    copy.erase();
}

/// How elements of this size are aligned from an address on.
fn alignment(address: Value, size: u64) -> u32 {
    if !address.is_alloca() || !size.is_power_of_two() {
        return 1;
    }
    address.alignment().min(size as u32)
}

/// A part of an address computation, in bytes.
enum Term {
    Constant(i64),
    Scaled(Value, i64),
}

impl Term {
    /// The number that the term is a multiple of.
    fn step(&self) -> i64 {
        match *self {
            Term::Constant(offset) => offset,
            Term::Scaled(_, size) => size,
        }
    }
}

fn terms(module: &Module, gep: Value) -> Option<Vec<Term>> {
    let mut ty = gep.gep_source_type();
    let mut terms = vec![];
    for n in 1..gep.num_operands() {
        let index = gep.operand(n);
        if n > 1 && ty.is_struct() {
            let field = index.as_const_int()?;
            terms.push(Term::Constant(module.offset_of(ty, field as u32) as i64));
            ty = ty.struct_fields()[field as usize];
            continue;
        }
        if n > 1 {
            ty = ty.element();
        }
        let size = module.size_of(ty) as i64;
        terms.push(match index.as_const_signed() {
            Some(index) => Term::Constant(index.checked_mul(size)?),
            None if index.ty().int_bits() <= 64 => Term::Scaled(index, size),
            None => return None,
        });
    }
    Some(terms)
}

/// Memory of `bytes` times `vscale` bytes: the alloca, and its first aligned address.
pub fn scalable_alloca(module: &Module, b: &Builder, bytes: u64, align: u32, name: &str) -> (Value, Value) {
    /// The stack is laid out in units of a vector register, and has no larger alignment for them.
    const UNIT: u32 = 16;
    let context = module.context();
    let more = if align > UNIT { align } else { 0 };
    let count = (bytes + u64::from(more)).div_ceil(UNIT.into()) as u32;
    let all = b.array_alloca(context.i8().vector(Width::scalable(UNIT)), b.i32(count), UNIT, name);
    if more == 0 {
        return (all, all);
    }
    let last = b.gep(context.i8(), all, &[b.i64(u64::from(align) - 1)], "");
    let mask = context.i64().const_signed(-i64::from(align));
    let f = module.intrinsic("llvm.ptrmask", &[last.ty(), mask.ty()]);
    (all, b.call(f, &[last, mask], name))
}

fn rewrite(module: &Module, alloca: Value, array: &Accesses, width: Width) -> Value {
    let context = module.context();
    let b = Builder::before(context, alloca);
    let bytes = module.size_of(alloca.allocated_type()) * u64::from(width.lanes);
    let (align, name) = (alloca.alignment(), alloca.name());
    let (all, first) = match width.scalable {
        true => scalable_alloca(module, &b, bytes, align, &name),
        false => {
            let all = b.alloca(context.i8().array(bytes), align.max(64), &name);
            (all, all)
        }
    };
    let vscale = width.scalable.then(|| module.vscale(&b, context.i64()));
    // The bytes from an element to the next are those of all lanes.
    let for_all = |b: &Builder, bytes: i64| {
        let bytes = context.i64().const_signed(bytes * i64::from(width.lanes));
        vscale.map_or(bytes, |vscale| b.mul(vscale, bytes, ""))
    };
    let lane = module.function(LANE).unwrap_or_else(|| {
        let f = module.add_function(LANE, context.i64().function(&[]));
        f.set_memory_none();
        f
    });
    let lane = b.call(lane, &[], "lane");
    let own = b.gep(context.i8(), first, &[b.mul(lane, b.i64(array.size), "")], "");
    let mut moved = HashMap::from([(alloca, own)]);
    for hint in &array.hints {
        hint.erase();
    }
    // Each address comes after its base, which is therefore rewritten already.
    for &gep in &array.addresses {
        let b = Builder::before(context, gep);
        let mut offset = b.i64(0);
        for term in terms(module, gep).expect("looked at before") {
            let part = match term {
                Term::Constant(bytes) => for_all(&b, bytes),
                Term::Scaled(index, size) => {
                    let narrow = index.ty().int_bits() < 64;
                    let index =
                        if narrow { b.cast(Opcode::LLVMSExt, index, context.i64(), "") } else { index };
                    b.mul(index, for_all(&b, size), "")
                }
            };
            offset = if offset.is_zero() { part } else { b.add(offset, part, "") };
        }
        let new = b.gep_anywhere(context.i8(), moved[&gep.operand(0)], &[offset], &gep.name());
        moved.insert(gep, new);
    }
    for (&old, &new) in &moved {
        old.replace_all_uses_with(new);
    }
    for &gep in array.addresses.iter().rev() {
        gep.erase();
    }
    alloca.erase();
    all
}
