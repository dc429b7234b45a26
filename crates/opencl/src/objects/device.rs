//! Devices and sub-devices.

use crate::cl::*;
use crate::ffi::{ErrorCode, Res, ensure, err};
use crate::handle::{self, Object, Owner};
use compiler::DeviceInfo;
use runtime::{Cores, Domain};
use std::sync::{Arc, OnceLock};

/// The domains along which a device can be partitioned, from the largest on.
const DOMAINS: [(Domain, u64); 5] = [
    (Domain::Numa, CL_DEVICE_AFFINITY_DOMAIN_NUMA),
    (Domain::L4, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE),
    (Domain::L3, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE),
    (Domain::L2, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE),
    (Domain::L1, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE),
];

/// A device, or a sub-device: some of its compute units.
pub struct Device {
    owner: Owner,
    pub parent: Option<Arc<Device>>,
    /// The device of the runtime.
    pub device: &'static dyn runtime::Device,
    /// The compiler's description of the device, kept here for launches.
    info: &'static DeviceInfo,
    /// The compute units of a sub-device; `None` for all of the device's.
    pub cores: Option<&'static Cores>,
    /// The properties that a sub-device was partitioned with, with their final 0; empty for a root
    /// device.
    pub partition: Vec<isize>,
}

impl Object for Device {
    const INVALID: cl_int = CL_INVALID_DEVICE;
    const IN_CONTEXT: bool = false;

    fn owner(&self) -> &Owner {
        &self.owner
    }
}

impl Device {
    /// The devices of the platform, the default first.
    pub fn roots() -> Res<&'static [Arc<Device>]> {
        static ROOTS: OnceLock<Res<Vec<Arc<Device>>>> = OnceLock::new();
        let make = |device: &&'static dyn runtime::Device| {
            let device = *device;
            handle::publish(|owner| Device {
                owner,
                parent: None,
                device,
                info: device.compiler().device_info(),
                cores: None,
                partition: Vec::new(),
            })
        };
        let made = ROOTS.get_or_init(|| devices::all().iter().map(make).collect());
        made.as_deref().map_err(|ErrorCode(code)| ErrorCode(*code))
    }

    /// The number of compute units.
    pub fn compute_units(&self) -> usize {
        self.cores.map_or(self.device.properties().compute_units, Cores::count)
    }

    /// The compiler's description of the device.
    pub fn compiler(&self) -> &'static DeviceInfo {
        self.info
    }

    /// The compute units, if the device can be partitioned.
    fn divisible_cores(&self) -> Option<&'static Cores> {
        self.cores.or_else(|| self.device.properties().is_divisible.then(Cores::all))
    }

    pub fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// Whether the device is a sub-device of `whole`, directly or through others.
    pub fn is_part_of(&self, whole: &Arc<Device>) -> bool {
        self.parent.as_ref().is_some_and(|parent| Arc::ptr_eq(parent, whole) || parent.is_part_of(whole))
    }

    /// The kinds of partition that the device supports.
    pub fn partition_kinds(&self) -> Vec<isize> {
        let mut kinds = Vec::new();
        if self.divisible_cores().is_some_and(|cores| cores.count() > 1) {
            kinds.extend([CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS]);
        }
        if self.affinity_domains() != 0 {
            kinds.push(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
        }
        kinds.into_iter().map(|kind| kind as isize).collect()
    }

    /// The domains that its compute units do not all share, along which it can be partitioned.
    pub fn affinity_domains(&self) -> u64 {
        let Some(cores) = self.divisible_cores() else { return 0 };
        let cuts = |(domain, _): &&(Domain, u64)| cores.split(*domain).is_some();
        let bits = DOMAINS.iter().filter(cuts).fold(0, |bits, (_, bit)| bits | bit);
        if bits == 0 { 0 } else { bits | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE }
    }

    /// Partitions by `properties` (without the last 0): the compute units of each sub-device, and
    /// the properties that the sub-devices report.
    pub fn partition(&self, properties: &[isize]) -> Res<(Vec<&'static Cores>, Vec<isize>)> {
        let Some((kind, values)) = properties.split_first() else { return err(CL_INVALID_VALUE) };
        let kind = cl_uint::try_from(*kind).map_err(|_| ErrorCode(CL_INVALID_VALUE))?;
        let cores = self.divisible_cores().ok_or(ErrorCode(CL_DEVICE_PARTITION_FAILED))?;
        let units = cores.count();
        let sizes = match kind {
            CL_DEVICE_PARTITION_EQUALLY => {
                let [size] = values else { return err(CL_INVALID_VALUE) };
                let size =
                    usize::try_from(*size).ok().filter(|n| *n > 0).ok_or(ErrorCode(CL_INVALID_VALUE))?;
                ensure(size <= units, CL_INVALID_DEVICE_PARTITION_COUNT)?;
                // Left-over units stay unused. All units together are no sub-device.
                ensure(size < units, CL_DEVICE_PARTITION_FAILED)?;
                vec![size; units / size]
            }
            CL_DEVICE_PARTITION_BY_COUNTS => {
                let sizes = values
                    .iter()
                    .map(|n| usize::try_from(*n).map_err(|_| ErrorCode(CL_INVALID_DEVICE_PARTITION_COUNT)))
                    .collect::<Res<Vec<_>>>()?;
                let sum = sizes.iter().fold(0usize, |sum, n| sum.saturating_add(*n));
                let fits = !sizes.is_empty() && !sizes.contains(&0) && sum <= units;
                ensure(fits, CL_INVALID_DEVICE_PARTITION_COUNT)?;
                ensure(units > 1, CL_DEVICE_PARTITION_FAILED)?;
                sizes
            }
            CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN => {
                let [domain] = values else { return err(CL_INVALID_VALUE) };
                return self.partition_by_affinity(cores, *domain as u64);
            }
            _ => return err(CL_INVALID_VALUE),
        };
        // The list of counts ends with a 0 of its own.
        let ends = if kind == CL_DEVICE_PARTITION_BY_COUNTS { 2 } else { 1 };
        let told = properties.iter().copied().chain(std::iter::repeat_n(0, ends)).collect();
        Ok((cores.cut(&sizes).ok_or(ErrorCode(CL_DEVICE_PARTITION_FAILED))?, told))
    }

    fn partition_by_affinity(&self, cores: &Cores, wanted: u64) -> Res<(Vec<&'static Cores>, Vec<isize>)> {
        let known =
            DOMAINS.iter().fold(CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, |all, (_, bit)| all | bit);
        ensure(wanted.count_ones() == 1 && wanted & known != 0, CL_INVALID_VALUE)?;
        let next = wanted == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
        let cut = |(domain, bit): &(Domain, u64)| Some((cores.split(*domain)?, *bit));
        let made = DOMAINS.iter().filter(|(_, bit)| next || *bit == wanted).find_map(cut);
        // A valid kind of partition that this device does not support.
        let (parts, bit) = made.ok_or(ErrorCode(match self.is_root() && !next {
            true => CL_INVALID_VALUE,
            false => CL_DEVICE_PARTITION_FAILED,
        }))?;
        Ok((parts, vec![CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN as isize, bit as isize, 0]))
    }

    /// A sub-device of `parent`.
    pub fn part(parent: &Arc<Device>, cores: &'static Cores, partition: Vec<isize>) -> Res<Arc<Device>> {
        let device = parent.device;
        handle::publish(|owner| Device {
            owner,
            parent: Some(parent.clone()),
            device,
            info: parent.info,
            cores: Some(cores),
            partition,
        })
    }
}
