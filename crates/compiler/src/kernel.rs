//! One kernel of a finalized module, whose machine code is generated when the range of a launch is
//! known.

use crate::codegen::{self, Output};
use crate::notes::Notes;
use crate::pipeline::{LateStage, RangeSize};
use crate::{
    DeviceInfo, Error, KernelFacts, KernelInfo, NdRange, Options, Outlook, Result, Target, Tier, Wfv, seal,
};
use ir::attributes::{LONG_COLUMN, SMALL_RANGE_END};
use passes::{KnownArgument, Report};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What is known about an argument when code is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descriptor<'a> {
    Buffer,
    /// Local memory of this many bytes.
    LocalMemory(usize),
    /// The bytes of a value, or the first bytes of an image's descriptor. The code may be
    /// specialized for it.
    Value(&'a [u8]),
    /// A custom buffer of the target.
    CustomBuffer,
    /// Nothing is known.
    Null,
}

/// The range that code is made for, as far as it is known (`mux_ndrange_options_t` of the
/// specification).
#[derive(Clone, Copy, Debug)]
pub struct NdRangeOptions<'a> {
    /// One for each argument of the kernel, if anything is known of them.
    pub descriptors: Option<&'a [Descriptor<'a>]>,
    /// `None` for code that takes work-groups of any size.
    pub local_size: Option<[usize; 3]>,
    pub global_offset: Option<[usize; 3]>,
    pub global_size: Option<[usize; 3]>,
    /// The number of dimensions.
    pub length: usize,
}

impl From<&NdRange> for NdRangeOptions<'_> {
    fn from(range: &NdRange) -> Self {
        NdRangeOptions {
            descriptors: None,
            local_size: Some(range.local_size),
            global_offset: Some(range.global_offset),
            global_size: Some(range.global_size),
            length: range.work_dim as usize,
        }
    }
}

impl NdRangeOptions<'_> {
    /// The specialization for these options, if the specification allows them.
    pub fn specialization(&self, device: &DeviceInfo) -> Result<Specialization> {
        let invalid = |what: &str| Err(Error::InvalidValue(what.to_owned()));
        let descriptors = self.descriptors.unwrap_or_default();
        if self.descriptors.is_some() && descriptors.is_empty() {
            return invalid("there is a list of descriptors with nothing in it");
        }
        if descriptors.contains(&Descriptor::CustomBuffer) && !device.custom_buffers {
            return invalid("the device has no custom buffers");
        }
        let local_size = self.local_size.map(check_local_size).transpose()?;
        if !(1..=3).contains(&self.length) {
            return invalid("a range has one to three dimensions");
        }
        let Some(global_offset) = self.global_offset else { return invalid("there is no global offset") };
        let Some(global_size) = self.global_size else { return invalid("there is no global size") };
        let range = NdRange {
            work_dim: self.length as u32,
            global_size,
            global_offset,
            local_size: local_size.unwrap_or([1; 3]),
        };
        let known = |(index, descriptor): (usize, &Descriptor<'_>)| match descriptor {
            Descriptor::Value(bytes) => Some(KnownArgument { index: index as u32, bytes: bytes.to_vec() }),
            _ => None,
        };
        Ok(Specialization {
            work_dim: range.work_dim,
            local_size: local_size.filter(|_| range.is_uniform()),
            zero_offset: global_offset == [0; 3],
            long_columns: range.work_dim > 1 && global_size[1] >= LONG_COLUMN,
            ranges: match range.has_ids_below(SMALL_RANGE_END) {
                true => RangeSize::Small,
                false => RangeSize::Large,
            },
            wfv: None,
            arguments: descriptors.iter().enumerate().filter_map(known).collect(),
            objects: Vec::new(),
        })
    }
}

/// The launch parameters that code of a kernel is made for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Specialization {
    /// The most dimensions of a range.
    pub work_dim: u32,
    /// `None` for code that takes any, and smaller work-groups at the end of a range.
    pub local_size: Option<[usize; 3]>,
    /// Ranges begin at 0.
    pub zero_offset: bool,
    /// Ranges are long along y: the code is good for others, too, but perhaps slow.
    pub long_columns: bool,
    pub ranges: RangeSize,
    /// Whether to vectorize, if that is not for the options and the estimate to decide.
    pub wfv: Option<Wfv>,
    /// The arguments whose values are known.
    pub arguments: Vec<KnownArgument>,
    /// The known images, as far as the device specializes for them, and samplers.
    pub objects: Vec<KnownArgument>,
}

impl Specialization {
    /// The specialization for any local size, in three dimensions: sub-groups are the same in any
    /// number of them.
    const ANY_LOCAL_SIZE: Specialization = Specialization {
        work_dim: 1,
        local_size: None,
        zero_offset: true,
        long_columns: false,
        ranges: RangeSize::Small,
        wfv: None,
        arguments: Vec::new(),
        objects: Vec::new(),
    };

    /// All known arguments, values and objects.
    pub fn known(&self) -> impl Iterator<Item = &KnownArgument> {
        self.arguments.iter().chain(&self.objects)
    }

    /// The specialization for work-groups of this size, in as many dimensions as it has.
    fn for_local_size(local_size: [usize; 3]) -> Result<Self> {
        let local_size = check_local_size(local_size)?;
        let dims = local_size.iter().rposition(|d| *d > 1).map_or(1, |d| d + 1);
        Ok(Specialization { work_dim: dims as u32, local_size: Some(local_size), ..Self::ANY_LOCAL_SIZE })
    }
}

/// Refuses a local size that is 0 in some dimension.
fn check_local_size(local_size: [usize; 3]) -> Result<[usize; 3]> {
    if local_size.contains(&0) {
        return Err(Error::InvalidValue("a local size must not be 0 in any dimension".to_owned()));
    }
    Ok(local_size)
}

/// An object with the facts of its only kernel.
struct Made {
    object: Vec<u8>,
    facts: KernelFacts,
}

/// Where the object for one specialization is, or why there is none. Threads that ask for the same
/// wait for one compilation.
type Place = Arc<OnceLock<Result<Arc<Made>>>>;

/// The most objects that are kept for repeated requests.
const MOST_KEPT: usize = 4;

/// A kernel of a finalized module.
pub struct Kernel {
    target: Arc<Target>,
    info: KernelInfo,
    outlook: Outlook,
    /// The whole program in canonical form.
    program: Arc<Vec<u8>>,
    options: Options,
    /// The objects that were compiled last, for queries and `create_specialized_kernel`.
    kept: Mutex<Vec<(Specialization, Place)>>,
    report: Mutex<Report>,
}

impl Kernel {
    /// The kernel that `info` describes, of a program in canonical form.
    pub(crate) fn new(
        target: Arc<Target>,
        info: KernelInfo,
        outlook: Outlook,
        program: Arc<Vec<u8>>,
        options: Options,
    ) -> Self {
        let (kept, report) = Default::default();
        Kernel { target, info, outlook, program, options, kept, report }
    }

    /// The same kernel, whose code is made with other options. Options for the front end and the
    /// canonical form have no effect any more.
    pub fn with_options(&self, options: Options) -> Self {
        Kernel::new(self.target.clone(), self.info.clone(), self.outlook, self.program.clone(), options)
    }

    /// The same kernel of another form of its program.
    pub fn with_program(&self, program: Arc<Vec<u8>>) -> Self {
        Kernel::new(self.target.clone(), self.info.clone(), self.outlook, program, self.options.clone())
    }

    pub fn name(&self) -> &str {
        &self.info.name
    }

    pub fn info(&self) -> &KernelInfo {
        &self.info
    }

    /// The launches to expect.
    pub fn outlook(&self) -> Outlook {
        let backend = self.target.compiler_info().backend();
        Outlook { ignores_groups: self.outlook.ignores_groups && backend.ignores_groups(), ..self.outlook }
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The whole program in canonical form.
    pub fn program(&self) -> &[u8] {
        &self.program
    }

    pub fn target(&self) -> &Arc<Target> {
        &self.target
    }

    /// The time of each step of all compilations so far, and their remarks
    /// (`-cl-lanewise-remarks`).
    pub fn report(&self) -> Report {
        self.report.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A local size that suits the kernel ([`KernelInfo::preferred_local_size`]).
    pub fn preferred_local_size(&self) -> [usize; 3] {
        self.info.preferred_local_size(self.device())
    }

    /// The bytes of local memory that the kernel's own variables take.
    pub fn local_memory_size(&self) -> usize {
        self.info.local_memory_size
    }

    /// How many work-items run at once in work-groups of this size: at least one, at most all.
    pub fn get_dynamic_work_width(&self, local_size: [usize; 3]) -> Result<u32> {
        let wanted = Specialization::for_local_size(local_size)?;
        let width = match self.find(&wanted) {
            Some(made) => made.facts.work_width,
            None => {
                let (info, stage) = (self.target.compiler_info(), self.stage(&wanted));
                codegen::vectorize(info, &self.program, &self.options, &stage)?.width as usize
            }
        };
        Ok(width.min(local_size.iter().product()) as u32)
    }

    /// A binary with this kernel, made for the range of the options. It runs ranges of the same
    /// local size and dimensions, with the same values in arguments that have a
    /// [`Descriptor::Value`].
    pub fn create_specialized_kernel(&self, options: &NdRangeOptions<'_>) -> Result<Vec<u8>> {
        let specialization = options.specialization(self.device())?;
        // Code for values of arguments is not kept: there are many values, and each is asked for
        // once.
        let object = match specialization.arguments.is_empty() {
            true => self.made(&specialization)?.object.clone(),
            false => self.compile(&specialization, Tier::Best)?.0,
        };
        Ok(seal::seal(object, self.target.compiler_info().name()))
    }

    /// The same, or if the kernel is large, a first version of it, which runs the same ranges.
    pub fn create_first_version(&self, options: &NdRangeOptions<'_>) -> Result<(Vec<u8>, Tier)> {
        let specialization = options.specialization(self.device())?;
        let (object, tier) = match self.find(&specialization) {
            Some(made) => (made.object.clone(), Tier::Best),
            None => self.compile(&specialization, Tier::First)?,
        };
        Ok((seal::seal(object, self.target.compiler_info().name()), tier))
    }

    /// The size of the sub-groups in large work-groups; the last of each may be smaller.
    pub fn get_sub_group_size(&self) -> Result<u32> {
        self.device().check_sub_groups()?;
        let made = self.made(&Specialization::ANY_LOCAL_SIZE)?;
        Ok(made.facts.sub_group_size(self.device().max_work_group_size) as u32)
    }

    /// The size of sub-groups in work-groups of this size; at most one is smaller.
    pub fn query_sub_group_size_for_local_size(&self, local_size: [usize; 3]) -> Result<u32> {
        let wanted = Specialization::for_local_size(local_size)?;
        self.device().check_sub_groups()?;
        let made = self.made(&wanted)?;
        Ok(made.facts.sub_group_size(local_size.iter().product()) as u32)
    }

    /// A local size in one dimension that gives so many sub-groups, all of the same size; zeros if
    /// there is none.
    pub fn query_local_size_for_sub_group_count(&self, count: usize) -> Result<[usize; 3]> {
        let size = self.get_sub_group_size()? as usize;
        let most = self.device().max_work_group_size;
        // A required local size is the only candidate: it must be one-dimensional and a multiple of
        // its sub-group size.
        if let Some(required) = self.info.reqd_work_group_size {
            let items: usize = required.iter().product();
            let own = self.query_sub_group_size_for_local_size(required)? as usize;
            let fits = required.iter().filter(|d| **d > 1).count() <= 1 && items == count.saturating_mul(own);
            return Ok(if fits { required } else { [0; 3] });
        }
        let items = count.checked_mul(size).filter(|items| (1..=most).contains(items));
        Ok(items.map_or([0; 3], |items| [items, 1, 1]))
    }

    /// The most sub-groups that a work-group of this kernel can have.
    pub fn query_max_sub_group_count(&self) -> Result<usize> {
        let most = self.device().max_work_group_size;
        let local_size = self.info.reqd_work_group_size.unwrap_or([most, 1, 1]);
        let size = self.query_sub_group_size_for_local_size(local_size)? as usize;
        Ok(local_size.iter().product::<usize>().div_ceil(size))
    }

    fn device(&self) -> &'static DeviceInfo {
        self.target.compiler_info().device_info()
    }

    /// The kept object for this specialization.
    fn find(&self, wanted: &Specialization) -> Option<Arc<Made>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, place) = kept.iter().find(|(of, _)| of == wanted)?;
        place.get()?.as_ref().ok().cloned()
    }

    /// The object for this specialization, compiled now if it is not kept already.
    fn made(&self, wanted: &Specialization) -> Result<Arc<Made>> {
        let place = {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            match kept.iter().find(|(of, _)| of == wanted) {
                Some((_, place)) => place.clone(),
                None => {
                    if kept.len() == MOST_KEPT {
                        kept.remove(0);
                    }
                    kept.push((wanted.clone(), Place::default()));
                    kept[kept.len() - 1].1.clone()
                }
            }
        };
        place.get_or_init(|| self.make(wanted).map(Arc::new)).clone()
    }

    fn make(&self, wanted: &Specialization) -> Result<Made> {
        let (object, _) = self.compile(wanted, Tier::Best)?;
        let machine = self.target.compiler_info().backend().machine();
        let mut notes = Notes::read(&object, &machine)?;
        let kernel = notes.kernels.pop();
        let facts = kernel.ok_or_else(|| Error::Failure("the binary has no kernel".to_owned()))?.facts;
        Ok(Made { object, facts })
    }

    fn stage<'a>(&'a self, wanted: &Specialization) -> LateStage<'a> {
        LateStage {
            arguments: wanted.known().cloned().collect(),
            kernel: Some(&self.info.name),
            local_size: wanted.local_size.map(|s| s.map(|d| d as u64)),
            work_dim: Some(wanted.work_dim),
            zero_offset: wanted.zero_offset,
            long_columns: wanted.long_columns,
            ranges: wanted.ranges,
            ..self.target.compiler_info().backend().stage(&self.options)
        }
    }

    fn compile(&self, wanted: &Specialization, tier: Tier) -> Result<(Vec<u8>, Tier)> {
        let info = self.target.compiler_info();
        let stage = LateStage { tier, ..self.stage(wanted) };
        let lowered = codegen::lower(info, &self.program, &self.options, &stage);
        let object = lowered.and_then(|mut lowered| {
            let object = lowered.generate(Output::Object);
            self.report.lock().unwrap_or_else(PoisonError::into_inner).extend(lowered.report);
            Ok((object?, lowered.tier))
        });
        object.inspect_err(|e| self.target.notify(&format!("kernel '{}': {e}", self.info.name)))
    }
}
