//! Programs in an intermediate language: SPIR-V, with the values given to its specialization
//! constants.

use crate::cl::*;
use crate::ffi::{Res, ensure, err};
use crate::objects::lock;
use compiler::{Context, SpecializableConstants, SpecializationInfo};
use std::sync::Mutex;

/// The minor number of the newest SPIR-V version that is supported: 1.6.
pub const NEWEST: u32 = 6;

/// A module of SPIR-V.
pub struct Il {
    pub bytes: Vec<u8>,
    pub words: Vec<u32>,
    constants: SpecializableConstants,
    given: Mutex<SpecializationInfo>,
}

impl Il {
    /// `None` if the bytes are no well-formed module.
    pub fn new(bytes: Vec<u8>) -> Option<Il> {
        if !bytes.len().is_multiple_of(4) {
            return None;
        }
        let words: Vec<u32> =
            bytes.chunks_exact(4).map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect();
        let context = Context::new();
        if !context.is_valid_spirv(&words) {
            return None;
        }
        let constants = context.get_specializable_constants(&words).ok()?;
        Some(Il { bytes, words, constants, given: Mutex::default() })
    }

    /// Sets the value of a specialization constant for later builds.
    pub fn specialize(&self, id: cl_uint, value: Vec<u8>) -> Res<()> {
        let Some(constant) = self.constants.get(&id) else { return err(CL_INVALID_SPEC_ID) };
        ensure(value.len() == constant.size(), CL_INVALID_VALUE)?;
        lock(&self.given).values.insert(id, value);
        Ok(())
    }

    pub fn given(&self) -> SpecializationInfo {
        lock(&self.given).clone()
    }
}
