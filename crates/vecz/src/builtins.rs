//! Internal builtins: accesses of all lanes as calls of functions that a target may define.
//!
//! ```text
//! call void @llvm.masked.store.v16f64.p1(<16 x double> %v, ptr addrspace(1) %p, i32 8, <16 x i1> %m)
//! ───►
//! call void @__vecz_b_masked_store_Dv16_dPU3AS1dDv16_b(
//!     <16 x double> %v, ptr addrspace(1) %p, <16 x i1> %m)
//! ```
//!
//! | function | accesses |
//! | --- | --- |
//! | `masked_load`, `masked_store` | contiguous elements, of active lanes |
//! | `gather_load`, `scatter_store` | an address per lane |
//! | `masked_gather_load`, `masked_scatter_store` | the same, of active lanes |
//! | `interleaved_loadV`, `interleaved_storeV` | lanes at a distance in bytes, the last operand |
//!
//! A name ends with the mangled types of the data, of the address by what it points to, and of the
//! mask. Elements have their natural alignment: other accesses are written as [`Intrinsics`] does.
//! A function that the module declares or defines is the target's own and only called; any other
//! gets a body as of [`Intrinsics`], and is inlined.

use crate::memory::{Intrinsics, Mask, MemoryOps, Place};
use ir::mangling::{mangle_pointer, mangle_type};
use llvm::{Builder, Linkage, Type, Value};

/// Loads and stores of all lanes by functions of the module.
#[derive(Clone, Copy, Debug, Default)]
pub struct Builtins;

/// One access: the operation, and the types that its name and its function have.
struct Access<'a> {
    at: Place<'a>,
    name: String,
    result: Type,
    operands: Vec<Value>,
}

impl<'a> Access<'a> {
    /// `None` if a type has no mangling, or the alignment is not the natural one.
    fn of(
        at: Place<'a>,
        op: &str,
        element: Type,
        align: u32,
        pointer: Value,
        mask: Mask,
    ) -> Option<Access<'a>> {
        if align < at.module.align_of(element) {
            return None;
        }
        let data = element.vector(at.width);
        let mask_type = mask.map_or(Some(String::new()), |mask| mangle_type(mask.ty(), true))?;
        let (data_type, pointer_type) = (mangle_type(data, true)?, mangle_pointer(pointer.ty(), element)?);
        let is_store = op.contains("store");
        Some(Access {
            at,
            name: format!("__vecz_b_{op}_{data_type}{pointer_type}{mask_type}"),
            result: if is_store { at.b.context().void() } else { data },
            operands: vec![pointer],
        })
    }

    fn with(mut self, operands: impl IntoIterator<Item = Value>) -> Self {
        self.operands.extend(operands);
        self
    }

    fn of_value(mut self, value: Value) -> Self {
        self.operands.insert(0, value);
        self
    }

    /// Calls the function. If the module has none of that name, `body` gives it one, from its
    /// parameters.
    fn call(self, body: impl FnOnce(Place<'_>, &[Value]) -> Option<Value>) -> Value {
        let Access { at, name, result, operands } = self;
        let f = at.module.function(&name).unwrap_or_else(|| {
            let types: Vec<Type> = operands.iter().map(|v| v.ty()).collect();
            let f = at.module.add_function(&name, result.function(&types));
            f.set_linkage(Linkage::LLVMInternalLinkage);
            ["alwaysinline", "nounwind", "willreturn"].into_iter().for_each(|flag| f.set_flag(flag));
            let b = Builder::at_end(at.b.context(), f.append_block("entry"));
            match body(Place { module: at.module, b: &b, width: at.width }, &f.params()) {
                Some(value) => b.ret(value),
                None => b.ret_void(),
            };
            f
        });
        at.b.call(f, &operands, "")
    }
}

impl MemoryOps for Builtins {
    fn name(&self) -> &'static str {
        "builtins"
    }

    fn load_contiguous(&self, at: Place<'_>, element: Type, address: Value, align: u32, mask: Mask) -> Value {
        let access = mask.and_then(|_| Access::of(at, "masked_load", element, align, address, mask));
        match access {
            Some(access) => access.with(mask).call(|at, params| {
                Some(Intrinsics.load_contiguous(
                    at,
                    element,
                    params[0],
                    align_of(at, element),
                    Some(params[1]),
                ))
            }),
            None => Intrinsics.load_contiguous(at, element, address, align, mask),
        }
    }

    fn store_contiguous(&self, at: Place<'_>, value: Value, address: Value, align: u32, mask: Mask) {
        let element = value.ty().element();
        let access = mask.and_then(|_| Access::of(at, "masked_store", element, align, address, mask));
        let Some(access) = access else {
            return Intrinsics.store_contiguous(at, value, address, align, mask);
        };
        access.of_value(value).with(mask).call(|at, params| {
            let align = align_of(at, element);
            Intrinsics.store_contiguous(at, params[0], params[1], align, Some(params[2]));
            None
        });
    }

    fn gather(&self, at: Place<'_>, element: Type, addresses: Value, align: u32, mask: Mask) -> Value {
        let op = if mask.is_some() { "masked_gather_load" } else { "gather_load" };
        match Access::of(at, op, element, align, addresses, mask) {
            Some(access) => access.with(mask).call(|at, params| {
                let (align, mask) = (align_of(at, element), params.get(1).copied());
                Some(Intrinsics.gather(at, element, params[0], align, mask))
            }),
            None => Intrinsics.gather(at, element, addresses, align, mask),
        }
    }

    fn scatter(&self, at: Place<'_>, value: Value, addresses: Value, align: u32, mask: Mask) {
        let element = value.ty().element();
        let op = if mask.is_some() { "masked_scatter_store" } else { "scatter_store" };
        let Some(access) = Access::of(at, op, element, align, addresses, mask) else {
            return Intrinsics.scatter(at, value, addresses, align, mask);
        };
        access.of_value(value).with(mask).call(|at, params| {
            let (align, mask) = (align_of(at, element), params.get(2).copied());
            Intrinsics.scatter(at, params[0], params[1], align, mask);
            None
        });
    }

    fn load_strided(&self, at: Place<'_>, element: Type, first: Value, stride: Value, align: u32) -> Value {
        match Access::of(at, "interleaved_loadV", element, align, first, None) {
            Some(access) => access.with([stride]).call(|at, params| {
                Some(Intrinsics.load_strided(at, element, params[0], params[1], align_of(at, element)))
            }),
            None => Intrinsics.load_strided(at, element, first, stride, align),
        }
    }

    fn store_strided(&self, at: Place<'_>, value: Value, first: Value, stride: Value, align: u32) {
        let element = value.ty().element();
        let Some(access) = Access::of(at, "interleaved_storeV", element, align, first, None) else {
            return Intrinsics.store_strided(at, value, first, stride, align);
        };
        access.of_value(value).with([stride]).call(|at, params| {
            Intrinsics.store_strided(at, params[0], params[1], params[2], align_of(at, element));
            None
        });
    }
}

fn align_of(at: Place<'_>, element: Type) -> u32 {
    at.module.align_of(element)
}
