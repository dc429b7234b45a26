//! Samplers.

use crate::cl::*;
use crate::ffi::{Answer, Res, err};
use crate::handle::{Object, Owner};
use crate::objects::Context;
use crate::objects::image::{ADDRESSING, FILTERS, number};
use std::sync::Arc;

pub struct Sampler {
    pub owner: Owner,
    pub context: Arc<Context>,
    pub sampler: runtime::Sampler,
    /// As they were given to `clCreateSamplerWithProperties`, with the 0 at their end.
    pub properties: Option<Vec<u64>>,
}

impl Object for Sampler {
    const INVALID: cl_int = CL_INVALID_SAMPLER;

    fn owner(&self) -> &Owner {
        &self.owner
    }
}

impl Sampler {
    pub fn info(&self, name: cl_uint) -> Res<Answer> {
        Ok(match name {
            CL_SAMPLER_REFERENCE_COUNT => self.owner.references().into(),
            CL_SAMPLER_CONTEXT => self.context.handle().into(),
            CL_SAMPLER_NORMALIZED_COORDS => self.sampler.normalized_coords.into(),
            CL_SAMPLER_ADDRESSING_MODE => number(&ADDRESSING, &self.sampler.addressing).into(),
            CL_SAMPLER_FILTER_MODE => number(&FILTERS, &self.sampler.filter).into(),
            CL_SAMPLER_PROPERTIES => self.properties.as_deref().unwrap_or_default().into(),
            _ => return err(CL_INVALID_VALUE),
        })
    }
}
