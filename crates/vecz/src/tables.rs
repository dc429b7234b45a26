//! Look-ups in small constant tables: permutations of registers that hold the table.
//!
//! ```text
//! constant uchar s[256] = { … };
//! x = s[x ^ k];   ───►   vpermi2b of the lower half, vpermi2b of the upper one, a blend by bit 7
//! ```
//!
//! A gather takes a load for each lane; AVX-512's permutations look up a whole register of lanes in
//! two registers of the table at once. The table's index needs no test: one beyond the table is
//! undefined behaviour for active lanes, and inactive lanes access no memory here.

use crate::memory::{Place, offset};
use llvm::{Module, Opcode, Type, Value};

/// The bytes of a register.
const REGISTER: u64 = 64;

/// The most registers that a table takes.
const MOST: u64 = 4;

/// A load from a constant array by an index of the lane.
#[derive(Clone, Copy)]
pub struct Table {
    array: Value,
    /// The kernel's index.
    pub index: Value,
    len: u64,
    bits: u32,
}

impl Table {
    /// The table that a load reads, if `permutes`, the bytes of the smallest elements that the
    /// machine permutes, allows it. 0 stands for none.
    pub fn of(module: &Module, access: Value, permutes: u32) -> Option<Table> {
        if permutes == 0 || !access.is_load() || access.is_atomic() || access.is_volatile() {
            return None;
        }
        let address = access.operand(0);
        if address.opcode() != Some(Opcode::LLVMGetElementPtr) {
            return None;
        }
        let (array, ty) = (address.operand(0), address.gep_source_type());
        let (element, index) = match address.num_operands() {
            2 => (ty, address.operand(1)),
            3 if ty.is_array() && address.operand(1).is_zero() => (ty.element(), address.operand(2)),
            _ => return None,
        };
        let global = array.as_global().filter(|global| global.is_constant())?;
        global.initializer()?;
        let is_number = |ty: Type| ty.is_int() || ty.is_float();
        let size = module.size_of(element);
        let fits = is_number(element) && is_number(access.ty()) && module.size_of(access.ty()) == size;
        let possible = [1, 2, 4, 8].contains(&size) && size >= u64::from(permutes);
        let whole = !access.ty().is_int() || access.ty().int_is_whole_bytes();
        let bytes = module.size_of(global.value_type());
        let len = bytes.checked_div(size)?;
        let small = (2..=MOST * REGISTER / size).contains(&len);
        let table = Table { array, index, len, bits: 8 * size as u32 };
        (fits && possible && whole && small).then(|| Table { index: table.significant(index), ..table })
    }

    /// The index without a mask that leaves all bits that the permutations read.
    fn significant(&self, index: Value) -> Value {
        let read = u64::from(self.registers().next_power_of_two() * self.lanes() - 1);
        let masks = index.opcode() == Some(Opcode::LLVMAnd)
            && index.operand(1).as_const_int().is_some_and(|mask| mask & read == read);
        if masks { index.operand(0) } else { index }
    }

    /// The shuffles that one register of lanes takes.
    pub fn shuffles(&self) -> f64 {
        if self.registers() <= 2 { 1.0 } else { 3.0 }
    }

    fn lanes(&self) -> u32 {
        8 * REGISTER as u32 / self.bits
    }

    fn registers(&self) -> u32 {
        (self.len as u32).div_ceil(self.lanes())
    }

    /// Looks up a vector of integers. The result has elements of type `element`.
    pub fn look_up(&self, at: Place<'_>, indices: Value, element: Type) -> Value {
        let (b, own, width) = (at.b, self.lanes(), indices.ty().len() as u32);
        let int = b.context().int(self.bits);
        let from = indices.ty().element().int_bits();
        let indices = match from.cmp(&self.bits) {
            std::cmp::Ordering::Greater => b.cast(Opcode::LLVMTrunc, indices, int.vector(width), ""),
            std::cmp::Ordering::Less => b.cast(Opcode::LLVMZExt, indices, int.vector(width), ""),
            std::cmp::Ordering::Equal => indices,
        };
        let parts = (0..self.registers()).map(|n| self.part(at, int, n)).collect::<Vec<_>>();
        let mut found: Option<Value> = None;
        for start in (0..width).step_by(own as usize) {
            let lanes = own.min(width - start);
            // Lanes beyond the end of the vector repeat its first one.
            let cut: Vec<u32> = (0..own).map(|l| start + if l < lanes { l } else { 0 }).collect();
            let some =
                if width == own { indices } else { b.shuffle(indices, indices.ty().poison(), &cut, "") };
            let looked = self.permuted(at, int, &parts, some);
            found = Some(match found {
                None if width == own => looked,
                None => {
                    let kept: Vec<u32> = (0..lanes.min(width)).collect();
                    b.shuffle(looked, looked.ty().poison(), &kept, "")
                }
                Some(before) => joined(at, before, looked, lanes),
            });
        }
        b.cast(Opcode::LLVMBitCast, found.expect("there are lanes"), element.vector(width), "")
    }

    /// A register of the table. Elements beyond its end are poison.
    fn part(&self, at: Place<'_>, int: Type, number: u32) -> Value {
        let (b, own) = (at.b, self.lanes());
        let start = number * own;
        let count = own.min(self.len as u32 - start);
        let from = offset(b, self.array, i64::from(start * self.bits / 8));
        let part = b.load(int.vector(count), from, "table");
        part.set_alignment(1);
        if count == own {
            return part;
        }
        let padded: Vec<u32> = (0..own).map(|l| l.min(count)).collect();
        b.shuffle(part, part.ty().zero(), &padded, "")
    }

    /// Looks up a register of indices.
    fn permuted(&self, at: Place<'_>, int: Type, parts: &[Value], indices: Value) -> Value {
        let (b, own) = (at.b, self.lanes());
        let [one, two] = match self.bits {
            8 => ["qi", "qi"],
            16 => ["hi", "hi"],
            32 => ["si", "d"],
            _ => ["di", "q"],
        };
        if let &[only] = parts {
            let f = at.module.intrinsic(&format!("llvm.x86.avx512.permvar.{one}.512"), &[]);
            return b.call(f, &[only, indices], "");
        }
        let f = at.module.intrinsic(&format!("llvm.x86.avx512.vpermi2var.{two}.512"), &[]);
        let pair = |n: usize| {
            let high = parts.get(n + 1).copied().unwrap_or(parts[n]);
            b.call(f, &[parts[n], indices, high], "")
        };
        let low = pair(0);
        if parts.len() == 2 {
            return low;
        }
        let bit = b.splat(int.const_int(u64::from(2 * own)), own, "");
        let is_high =
            b.icmp(llvm::IntPredicate::LLVMIntNE, b.and(indices, bit, ""), int.vector(own).zero(), "");
        b.select(is_high, pair(2), low, "")
    }
}

/// A vector followed by the first lanes of another one.
fn joined(at: Place<'_>, before: Value, next: Value, lanes: u32) -> Value {
    let b = at.b;
    let (have, own) = (before.ty().len() as u32, next.ty().len() as u32);
    let all = have + lanes;
    let widen = |v: Value, len: u32| {
        let wide: Vec<u32> = (0..all).map(|l| if l < len { l } else { 0 }).collect();
        b.shuffle(v, v.ty().poison(), &wide, "")
    };
    let places: Vec<u32> = (0..all).map(|l| if l < have { l } else { all + l - have }).collect();
    b.shuffle(widen(before, have), widen(next, own), &places, "")
}
