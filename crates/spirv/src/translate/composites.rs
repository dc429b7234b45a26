//! Vectors, arrays and structs as values.

use super::{Res, Translator};
use crate::grammar::Op;
use crate::parse::Inst;
use llvm::{Type, Value};

impl Translator<'_, '_> {
    pub(super) fn composite(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let ty = self.result_type(inst)?;
        match inst.op {
            Op::CopyObject => self.value_of(inst.args[0], ty),
            Op::CopyLogical => {
                let value = self.value(inst.args[0])?;
                if value.ty() != ty {
                    return Err("the operand and the result are not laid out alike".to_owned());
                }
                Ok(value)
            }
            Op::VectorExtractDynamic => {
                let vector = self.vector(inst.args[0])?;
                if vector.ty().element() != ty {
                    return Err("the result is not of the vector's component type".to_owned());
                }
                Ok(self.b.extract_element(vector, self.scalar_int(inst.args[1])?, ""))
            }
            Op::VectorInsertDynamic => {
                let vector = self.value_of(inst.args[0], ty)?;
                self.vector(inst.args[0])?;
                let component = self.value_of(inst.args[1], ty.element())?;
                Ok(self.b.insert_element(vector, component, self.scalar_int(inst.args[2])?, ""))
            }
            Op::VectorShuffle => self.shuffle(inst, ty),
            Op::CompositeConstruct => self.construct(inst, ty),
            Op::CompositeExtract => {
                let value = self.extract(self.value(inst.args[0])?, &inst.args[1..])?;
                if value.ty() != ty {
                    return Err(format!("the component is of type {}, not {ty}", value.ty()));
                }
                Ok(value)
            }
            _ => {
                let composite = self.value_of(inst.args[1], ty)?;
                self.insert(composite, self.value(inst.args[0])?, &inst.args[2..])
            }
        }
    }

    pub(super) fn vector(&self, id: u32) -> Res<Value> {
        let value = self.value(id)?;
        if value.ty().is_vector() { Ok(value) } else { Err(self.unfit(id, "a vector type")) }
    }

    fn shuffle(&mut self, inst: &Inst<'_>, ty: Type) -> Res<Value> {
        let (a, b) = (self.vector(inst.args[0])?, self.vector(inst.args[1])?);
        let picks = &inst.args[2..];
        let element = a.ty().element();
        if b.ty().element() != element || !ty.is_vector() || ty.element() != element {
            return Err("the vectors and the result are not of one component type".to_owned());
        }
        if picks.len() as u64 != ty.len() {
            return Err(format!("has {} components for a result of {}", picks.len(), ty.len()));
        }
        let (na, nb) = (a.ty().len() as u32, b.ty().len() as u32);
        if let Some(pick) = picks.iter().find(|p| **p != u32::MAX && **p >= na + nb) {
            return Err(format!("the vectors have no component {pick}"));
        }
        // The operands of LLVM's `shufflevector` must have the same length.
        let n = na.max(nb);
        let widen = |v: Value, len: u32| {
            if len == n {
                return v;
            }
            let mask: Vec<u32> = (0..n).map(|i| if i < len { i } else { 0 }).collect();
            self.b.shuffle(v, v.ty().poison(), &mask, "")
        };
        let (a, b) = (widen(a, na), widen(b, nb));
        // An undefined component (0xffffffff) may be any lane.
        let lane = |p: &u32| {
            if *p == u32::MAX {
                0
            } else if *p < na {
                *p
            } else {
                *p - na + n
            }
        };
        let mask: Vec<u32> = picks.iter().map(lane).collect();
        Ok(self.b.shuffle(a, b, &mask, ""))
    }

    fn construct(&mut self, inst: &Inst<'_>, ty: Type) -> Res<Value> {
        let parts = inst.args.iter().map(|id| self.value(*id)).collect::<Res<Vec<_>>>()?;
        if ty.is_vector() {
            // Vectors are made of scalars and of smaller vectors.
            let mut lanes = Vec::new();
            for part in parts {
                if part.ty().is_vector() {
                    let lane = |i| self.b.extract_element(part, self.b.i64(i), "");
                    lanes.extend((0..part.ty().len()).map(lane));
                } else {
                    lanes.push(part);
                }
            }
            if lanes.len() as u64 != ty.len() || lanes.iter().any(|l| l.ty() != ty.element()) {
                return Err("the constituents are not the components of the result".to_owned());
            }
            let insert =
                |v, (i, lane): (usize, Value)| self.b.insert_element(v, lane, self.b.i64(i as u64), "");
            return Ok(lanes.into_iter().enumerate().fold(ty.poison(), insert));
        }
        let expected = self.members(ty).ok_or("the result is not a composite")?;
        if parts.len() as u64 != expected {
            return Err(format!("has {} of {expected} constituents", parts.len()));
        }
        let mut result = ty.poison();
        for (i, part) in parts.into_iter().enumerate() {
            if Some(part.ty()) != self.member(ty, i as u32) {
                return Err(format!("constituent {i} is not of the member's type"));
            }
            result = self.b.insert_value(result, part, i as u32, "");
        }
        Ok(result)
    }

    /// The number of members of a struct or array.
    fn members(&self, ty: Type) -> Option<u64> {
        if ty.is_struct() {
            Some(ty.struct_fields().len() as u64)
        } else if ty.is_array() {
            Some(ty.len())
        } else {
            None
        }
    }

    /// The type of a member of a vector, struct or array.
    fn member(&self, ty: Type, i: u32) -> Option<Type> {
        if ty.is_struct() {
            ty.struct_fields().get(i as usize).copied()
        } else if ty.is_array() || ty.is_vector() {
            (u64::from(i) < ty.len()).then(|| ty.element())
        } else {
            None
        }
    }

    fn extract(&self, mut value: Value, path: &[u32]) -> Res<Value> {
        for &i in path {
            let ty = value.ty();
            self.member(ty, i).ok_or_else(|| format!("{ty} has no member {i}"))?;
            value = if ty.is_vector() {
                self.b.extract_element(value, self.b.i64(i.into()), "")
            } else {
                self.b.extract_value(value, i, "")
            };
        }
        Ok(value)
    }

    fn insert(&self, composite: Value, object: Value, path: &[u32]) -> Res<Value> {
        let ty = composite.ty();
        let Some((&i, rest)) = path.split_first() else {
            return if object.ty() == ty {
                Ok(object)
            } else {
                Err(format!("the object is not of type {ty}"))
            };
        };
        self.member(ty, i).ok_or_else(|| format!("{ty} has no member {i}"))?;
        let inner = if rest.is_empty() { composite } else { self.extract(composite, &[i])? };
        let new = if rest.is_empty() {
            if Some(object.ty()) != self.member(ty, i) {
                return Err(format!("the object is of type {}, which the member is not", object.ty()));
            }
            object
        } else {
            self.insert(inner, object, rest)?
        };
        Ok(if ty.is_vector() {
            self.b.insert_element(composite, new, self.b.i64(i.into()), "")
        } else {
            self.b.insert_value(composite, new, i, "")
        })
    }
}
