//! Loads and stores of all lanes: wide where the lanes' addresses are next to each other, gathered and scattered otherwise. No access
//! is given more alignment than it had.

use llvm::{Builder, Module, Type, Value};

/// The lanes that take part; `None` is all of them.
pub type Mask = Option<Value>;

/// A vector of ones where lanes take part.
pub fn mask_vector(b: &Builder, mask: Mask, width: u32) -> Value {
    mask.unwrap_or_else(|| b.splat(b.context().i1().const_int(1), width, ""))
}

/// Loads lanes that lie one after the other from `address` on.
pub fn load_contiguous(
    module: &Module,
    b: &Builder,
    element: Type,
    width: u32,
    address: Value,
    align: u32,
    mask: Mask,
) -> Value {
    let ty = element.vector(width);
    match mask {
        None => {
            let load = b.load(ty, address, "");
            load.set_alignment(align);
            load
        }
        Some(mask) => {
            let f = module.intrinsic("llvm.masked.load", &[ty, address.ty()]);
            b.call(f, &[address, b.i32(align), mask, ty.poison()], "")
        }
    }
}

pub fn store_contiguous(module: &Module, b: &Builder, value: Value, address: Value, align: u32, mask: Mask) {
    match mask {
        None => b.store(value, address).set_alignment(align),
        Some(mask) => {
            let f = module.intrinsic("llvm.masked.store", &[value.ty(), address.ty()]);
            b.call(f, &[value, address, b.i32(align), mask], "");
        }
    }
}

pub fn gather(
    module: &Module,
    b: &Builder,
    element: Type,
    width: u32,
    addresses: Value,
    align: u32,
    mask: Mask,
) -> Value {
    let ty = element.vector(width);
    let f = module.intrinsic("llvm.masked.gather", &[ty, addresses.ty()]);
    let mask = mask_vector(b, mask, width);
    b.call(f, &[addresses, b.i32(align), mask, ty.poison()], "")
}

/// Where two lanes have one address, the later one's value stays, as if the work-items had run in order.
pub fn scatter(
    module: &Module,
    b: &Builder,
    value: Value,
    addresses: Value,
    width: u32,
    align: u32,
    mask: Mask,
) {
    let f = module.intrinsic("llvm.masked.scatter", &[value.ty(), addresses.ty()]);
    let mask = mask_vector(b, mask, width);
    b.call(f, &[value, addresses, b.i32(align), mask], "");
}
