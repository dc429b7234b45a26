//! The device and its parts.

use crate::cl::*;
use crate::ffi::{Code, Res, ensure, err};
use crate::handle::{self, Object, Owner};
use std::sync::{Arc, OnceLock};

/// This machine's CPU, or some of its cores.
pub struct Device {
    owner: Owner,
    pub parent: Option<Arc<Device>>,
    /// How many threads run a kernel at a time.
    pub compute_units: usize,
    /// The properties it was partitioned with, with the 0 at their end; none for the root.
    pub partition: Vec<isize>,
}

impl Object for Device {
    const INVALID: cl_int = CL_INVALID_DEVICE;

    fn owner(&self) -> &Owner {
        &self.owner
    }
}

impl Device {
    pub fn root() -> Res<&'static Arc<Device>> {
        static ROOT: OnceLock<Res<Arc<Device>>> = OnceLock::new();
        let make = |owner| Device {
            owner,
            parent: None,
            compute_units: runtime::Device::get().compute_units,
            partition: Vec::new(),
        };
        let made = ROOT.get_or_init(|| handle::publish(make));
        made.as_ref().map_err(|Code(code)| Code(*code))
    }

    pub fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// The ways it can be cut. Threads are not bound to cores, so that there is no cut by affinity.
    pub fn partition_kinds(&self) -> Vec<isize> {
        if self.compute_units > 1 {
            vec![CL_DEVICE_PARTITION_EQUALLY as isize, CL_DEVICE_PARTITION_BY_COUNTS as isize]
        } else {
            vec![]
        }
    }

    /// How many compute units the parts get that `properties` (without the last 0) ask for.
    pub fn partition_sizes(&self, properties: &[isize]) -> Res<Vec<usize>> {
        let Some((kind, values)) = properties.split_first() else { return err(CL_INVALID_VALUE) };
        ensure(*kind > 0, CL_INVALID_VALUE)?;
        match *kind as cl_uint {
            CL_DEVICE_PARTITION_EQUALLY => {
                let [size] = values else { return err(CL_INVALID_VALUE) };
                let size = usize::try_from(*size).ok().filter(|n| *n > 0).ok_or(Code(CL_INVALID_VALUE))?;
                // Nothing left over is used, and at least one part must fit.
                ensure(size <= self.compute_units, CL_DEVICE_PARTITION_FAILED)?;
                ensure(self.compute_units > 1, CL_DEVICE_PARTITION_FAILED)?;
                Ok(vec![size; self.compute_units / size])
            }
            CL_DEVICE_PARTITION_BY_COUNTS => {
                let sizes = values
                    .iter()
                    .map(|n| usize::try_from(*n).map_err(|_| Code(CL_INVALID_DEVICE_PARTITION_COUNT)))
                    .collect::<Res<Vec<_>>>()?;
                let sum = sizes.iter().fold(0usize, |sum, n| sum.saturating_add(*n));
                let fits = !sizes.is_empty() && !sizes.contains(&0) && sum <= self.compute_units;
                ensure(fits, CL_INVALID_DEVICE_PARTITION_COUNT)?;
                ensure(self.compute_units > 1, CL_DEVICE_PARTITION_FAILED)?;
                Ok(sizes)
            }
            _ => err(CL_INVALID_VALUE),
        }
    }

    /// A part of `parent`.
    pub fn part(parent: &Arc<Device>, compute_units: usize, partition: Vec<isize>) -> Res<Arc<Device>> {
        handle::publish(|owner| Device { owner, parent: Some(parent.clone()), compute_units, partition })
    }
}
