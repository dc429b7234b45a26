//! Packets: the scalars and vectors of the wide function that stand for the kernel's values.

use crate::Stopped;
use crate::partial_scalarization;
use crate::shape::{Shape, Shapes};
use llvm::{Builder, Context, Function, Module, Opcode, Type, Value, Width, const_vector};
use std::cmp::Ordering;
use std::collections::HashMap;

/// The packet of a value: a scalar (uniform, or lane 0 of a strided value), a vector, or both.
#[derive(Clone, Copy, Default)]
pub struct Packet {
    pub scalar: Option<Value>,
    pub vector: Option<Value>,
}

pub struct Packets<'a> {
    module: &'a Module,
    pub context: &'a Context,
    pub shapes: &'a Shapes,
    pub width: Width,
    /// The wide function.
    pub function: Function,
    map: HashMap<Value, Packet>,
}

impl<'a> Packets<'a> {
    pub fn new(
        module: &'a Module,
        shapes: &'a Shapes,
        width: Width,
        old: Function,
        function: Function,
    ) -> Self {
        let args = old.params().into_iter().zip(function.params());
        let map = args.map(|(from, to)| (from, Packet { scalar: Some(to), vector: None })).collect();
        Packets { module, context: module.context(), shapes, width, function, map }
    }

    pub fn set_scalar(&mut self, value: Value, new: Value) {
        self.map.entry(value).or_default().scalar = Some(new);
    }

    pub fn set_vector(&mut self, value: Value, new: Value) {
        self.map.entry(value).or_default().vector = Some(new);
    }

    /// Forgets a value's packet, before another version of its region is written.
    pub fn forget(&mut self, value: Value) {
        self.map.remove(&value);
    }

    /// The scalar of a uniform value, or lane 0 of a strided one.
    pub fn scalar(&self, value: Value) -> Result<Value, Stopped> {
        if value.is_constant() {
            return Ok(value);
        }
        self.map
            .get(&value)
            .and_then(|p| p.scalar)
            .ok_or_else(|| Stopped::at(value, "a value that varies is needed as a scalar"))
    }

    /// The value as a vector. A vector made from a scalar is placed right after it, so that it
    /// dominates every use.
    pub fn vector(&mut self, value: Value) -> Result<Value, Stopped> {
        let element = value.ty();
        let scalar = element.scalar();
        if !(scalar.is_int() || scalar.is_float() || scalar.is_ptr()) {
            return Err(Stopped::at(value, "a value of this type cannot be a lane of a vector"));
        }
        if value.is_constant() {
            let b = Builder::new(self.context);
            return Ok(if value.is_undef_or_poison() {
                partial_scalarization::wide_type(element, self.width).poison()
            } else {
                partial_scalarization::splat(&b, value, self.width)
            });
        }
        let packet = self.map.get(&value).copied().unwrap_or_default();
        if let Some(vector) = packet.vector {
            return Ok(vector);
        }
        let scalar =
            packet.scalar.ok_or_else(|| Stopped::at(value, "a value is used before it is computed"))?;
        let b = self.after(scalar);
        let vector = match self.shapes.get(value) {
            Shape::Strided(stride) if element.is_ptr() => {
                let steps = self.steps(&b, self.context.i64(), stride);
                b.gep(self.context.i8(), scalar, &[steps], "")
            }
            Shape::Strided(stride) => {
                let splat = b.splat(scalar, self.width, "");
                b.add(splat, self.steps(&b, element, stride), "")
            }
            Shape::StridedBy(by, times) => {
                let ty = if element.is_ptr() { self.context.i64() } else { element };
                let step = self.step(&b, by, times, ty)?;
                let steps = b.mul(b.splat(step, self.width, ""), self.steps(&b, ty, 1), "");
                if element.is_ptr() {
                    b.gep_anywhere(self.context.i8(), scalar, &[steps], "")
                } else {
                    b.add(b.splat(scalar, self.width, ""), steps, "")
                }
            }
            Shape::Uniform | Shape::Varying => partial_scalarization::splat(&b, scalar, self.width),
        };
        self.set_vector(value, vector);
        Ok(vector)
    }

    /// The stride `by * times` of a value that is strided by a uniform value, as an integer of type
    /// `ty`.
    pub fn step(&self, b: &Builder, by: Value, times: i64, ty: Type) -> Result<Value, Stopped> {
        let by = self.scalar(by)?;
        let by = match by.ty().int_bits().cmp(&ty.int_bits()) {
            Ordering::Less => b.cast(Opcode::LLVMSExt, by, ty, ""),
            Ordering::Equal => by,
            Ordering::Greater => b.cast(Opcode::LLVMTrunc, by, ty, ""),
        };
        Ok(if times == 1 { by } else { b.mul(by, ty.const_signed(times), "") })
    }

    /// The vector 0, stride, 2 * stride …
    pub fn steps(&self, b: &Builder, element: Type, stride: i64) -> Value {
        if let Some(width) = self.width.known() {
            let lane = |lane: i64| element.const_signed(lane.wrapping_mul(stride));
            return const_vector(&(0..i64::from(width)).map(lane).collect::<Vec<_>>());
        }
        let counted = if element.int_bits() < 8 { self.context.i8() } else { element };
        let ty = counted.vector(self.width);
        let mut steps = b.call(self.module.intrinsic("llvm.experimental.stepvector", &[ty]), &[], "");
        if stride != 1 {
            steps = b.mul(steps, b.splat(counted.const_signed(stride), self.width, ""), "");
        }
        if counted == element {
            steps
        } else {
            b.cast(Opcode::LLVMTrunc, steps, element.vector(self.width), "")
        }
    }

    /// The number of lanes, as an integer of a type.
    pub fn count(&self, b: &Builder, ty: Type) -> Value {
        self.module.lane_count(b, self.width, ty)
    }

    /// A builder right after the definition of a value of the wide function.
    fn after(&self, value: Value) -> Builder {
        let before = match value.block() {
            Some(block) if value.is_phi() => block.first_non_phi(),
            Some(_) => value.next(),
            None => self.function.entry().first(),
        };
        let b = Builder::new(self.context);
        match (before, value.block()) {
            (Some(next), _) => b.position_before(next),
            // The block is still being written.
            (None, Some(block)) => b.position_at_end(block),
            (None, None) => b.position_at_end(self.function.entry()),
        }
        b
    }
}
