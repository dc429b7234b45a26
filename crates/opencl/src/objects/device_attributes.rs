//! The answers of `cl_intel_device_attribute_query`: the model of the CPU, and its parts in the
//! words of a GPU. A slice is a memory node, a sub-slice what shares a third-level cache, an
//! execution unit a core, and its threads are the threads that the core runs at once.

use crate::cl::*;
use crate::ffi::Answer;
use crate::objects::Device;
use runtime::{Cores, Domain};

/// The levels of the machine that slices, sub-slices and execution units are.
const LEVELS: [Domain; 3] = [Domain::Numa, Domain::L3, Domain::L1];

impl Device {
    pub(super) fn attributes(&self, name: cl_uint) -> Option<Answer> {
        let [family, model, stepping] = self.device.properties().model;
        Some(match name {
            // As `cl_version` spells it: 10, 10 and 12 bits.
            CL_DEVICE_IP_VERSION_INTEL => {
                (family.min(0x3ff) << 22 | model.min(0x3ff) << 12 | stepping & 0xfff).into()
            }
            // As CPUID spells it: the base family and model have 4 bits.
            CL_DEVICE_ID_INTEL => {
                let base = family.min(15);
                let extended = (family - base) << 20 | (model >> 4) << 16;
                (extended | base << 8 | (model & 15) << 4 | stepping & 15).into()
            }
            CL_DEVICE_NUM_SLICES_INTEL => self.parts()[0].into(),
            CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL => self.parts()[1].into(),
            CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL => self.parts()[2].into(),
            CL_DEVICE_NUM_THREADS_PER_EU_INTEL => self.parts()[3].into(),
            CL_DEVICE_FEATURE_CAPABILITIES_INTEL => match self.compiler().accelerates_dot_products {
                true => CL_DEVICE_FEATURE_FLAG_DP4A_INTEL,
                false => 0,
            }
            .into(),
            _ => return None,
        })
    }

    /// How many slices there are, and the most sub-slices, execution units and threads of one.
    /// Their product is at least the number of compute units.
    fn parts(&self) -> [cl_uint; 4] {
        let units = self.compute_units();
        let cores = self.cores.or_else(|| self.device.properties().is_divisible.then(Cores::all));
        let Some(cores) = cores.filter(|cores| cores.split(Domain::L1).is_some()) else {
            return [1, 1, units as cl_uint, 1];
        };
        let mut counts = [1; 4];
        let mut parts = vec![cores];
        for (level, domain) in LEVELS.into_iter().enumerate() {
            let inner: Vec<_> =
                parts.iter().map(|part| part.split(domain).unwrap_or_else(|| vec![*part])).collect();
            counts[level] = inner.iter().map(Vec::len).max().unwrap_or(1) as cl_uint;
            parts = inner.into_iter().flatten().collect();
        }
        counts[3] = parts.iter().map(|part| part.count()).max().unwrap_or(1) as cl_uint;
        counts
    }
}
