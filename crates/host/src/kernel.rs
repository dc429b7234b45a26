//! A kernel whose machine code is made when its first NDRange is known, and kept.

use crate::late::{self, Code};
use crate::specialized::{Advice, Specialized, Timing, Value};
use crate::target::{HostTarget, stage_of};
use crate::variables::Variables;
use crate::{LoadedKernel, MAX_WORK_GROUP_SIZE, loader};
use compiler::pipeline::{Late, Ranges};
use compiler::{
    Context, Descriptor, Error, Kernel, KernelInfo, Module, NdRange, NdRangeOptions, Options, Result, State,
    Writer,
};
use ir::attributes::SMALL_RANGE_END;
use passes::{KnownArgument, Report};
use std::any::Any;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// Local sizes for which a kernel has code of its own, at most. Others run the code for any.
const MAX_VARIANTS: usize = 32;

/// What code is made for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    work_dim: u32,
    /// `None` for code that takes any, and smaller work-groups at the end of a range.
    local_size: Option<[usize; 3]>,
    zero_offset: bool,
    ranges: Ranges,
}

/// Keeps machine code between processes. Keys hold all that the code follows from but the compiler and the CPU.
pub trait CodeCache: Send + Sync {
    fn read(&self, key: &[u8]) -> Option<Vec<u8>>;
    fn write(&self, key: &[u8], code: &[u8]);
}

static CODE_CACHE: OnceLock<Box<dyn CodeCache>> = OnceLock::new();

/// Lets all kernels of this process keep their code in `cache`. The first one stays.
pub fn set_code_cache(cache: Box<dyn CodeCache>) {
    let _ = CODE_CACHE.set(cache);
}

/// The code to run a launch with.
pub struct Choice {
    pub code: Arc<LoadedKernel>,
    /// To be told what the launch took.
    pub timing: Option<Arc<Timing>>,
    /// It would pay to hand this to [`HostKernel::specialize`], on another thread.
    pub order: Option<Order>,
}

/// Code that is to be made: for a local size, and maybe for certain values of arguments.
pub struct Order {
    key: Key,
    arguments: Vec<KnownArgument>,
}

type Variant = Arc<OnceLock<Result<Arc<LoadedKernel>>>>;

fn find<'a>(variants: &'a [(Key, Variant)], key: &Key) -> Option<&'a Variant> {
    variants.iter().find(|(of, _)| of == key).map(|(_, variant)| variant)
}

pub struct HostKernel {
    info: KernelInfo,
    /// The whole program in canonical form.
    bitcode: Arc<Vec<u8>>,
    /// Variables that it shares with the program's other kernels, if there are any.
    variables: Option<Arc<Variables>>,
    options: Options,
    /// A short list, soon gone through.
    variants: Mutex<Vec<(Key, Variant)>>,
    /// Code for values of arguments.
    specialized: Mutex<Specialized<Key>>,
    /// Whether the kernel sees its work-groups, once that is known. If not, its code is made for no local size.
    sees_groups: OnceLock<bool>,
    /// How many work-items run at once, if that was asked for before there was code.
    width: OnceLock<Result<usize>>,
    /// What all compilations so far told.
    report: Mutex<Report>,
}

impl HostKernel {
    /// The kernel of this name; `None` if the module, which must be finalized, has none.
    pub fn new(module: &Module, name: &str) -> Option<Self> {
        if module.state() != State::Finalized {
            return None;
        }
        let has_variables = module.program_info().global_variable_size > 0;
        let variables = || module.kept(|| Variables::new(module.bitcode(), module.options().clone()));
        Some(HostKernel {
            info: module.program_info().kernel(name)?.clone(),
            bitcode: module.bitcode(),
            variables: has_variables.then(variables).flatten(),
            options: module.options().clone(),
            variants: Mutex::default(),
            specialized: Mutex::default(),
            sees_groups: OnceLock::new(),
            width: OnceLock::new(),
            report: Mutex::default(),
        })
    }

    pub fn info(&self) -> &KernelInfo {
        &self.info
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The same kernel, whose code is made with other options. Those for the source and the canonical form change nothing any more.
    pub fn with_options(&self, options: Options) -> Self {
        HostKernel {
            info: self.info.clone(),
            bitcode: self.bitcode.clone(),
            variables: self.variables.clone(),
            options,
            variants: Mutex::default(),
            specialized: Mutex::default(),
            sees_groups: OnceLock::new(),
            width: OnceLock::new(),
            report: Mutex::default(),
        }
    }

    /// How long each step of all compilations so far took, and what they remarked (`-cl-lanewise-remarks`).
    pub fn report(&self) -> Report {
        self.report.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// For how many kinds of ranges code is kept.
    pub fn variant_count(&self) -> usize {
        self.variants.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// The code to run this range with, compiled now if it was not before. Threads that ask for the same code at the same
    /// time wait for one compilation.
    pub fn executable(&self, range: &NdRange) -> Result<Arc<LoadedKernel>> {
        NdRangeOptions::from(range).check(crate::host_info().device_info())?;
        let kernel = self.variant(self.key(range))?;
        if self.sees_groups.set(kernel.facts().sees_groups).is_ok() && !kernel.facts().sees_groups {
            // Made for one local size, it is good for all.
            let mut variants = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
            let key = self.key(range);
            if find(&variants, &key).is_none() {
                variants.push((key, Arc::new(OnceLock::from(Ok(kernel.clone())))));
            }
        }
        Ok(kernel)
    }

    fn variant(&self, mut key: Key) -> Result<Arc<LoadedKernel>> {
        let variant = {
            let mut variants = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
            if find(&variants, &key).is_none() && variants.len() >= MAX_VARIANTS {
                key.local_size = None;
            }
            find(&variants, &key).cloned().unwrap_or_else(|| {
                variants.push((key, Variant::default()));
                variants[variants.len() - 1].1.clone()
            })
        };
        variant.get_or_init(|| self.load(key, &[])).clone()
    }

    /// How many work-items run at once: in the code there is, or else as the vectorizer would have it for any local size.
    pub fn work_width(&self) -> Result<usize> {
        let variants = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
        let made = variants.iter().filter_map(|(_, variant)| variant.get()?.as_ref().ok());
        if let Some(width) = made.map(|kernel| kernel.facts().work_width).max() {
            return Ok(width);
        }
        drop(variants);
        self.width.get_or_init(|| self.expect_width()).clone()
    }

    fn expect_width(&self) -> Result<usize> {
        let target = HostTarget::new(Arc::new(Context::new()), None);
        let stage =
            Late { kernel: Some(&self.info.name), ranges: Ranges::Small, ..stage_of(&target, &self.options) };
        Ok(late::vectorize(&target, &self.bitcode, &self.options, &stage)?.width as usize)
    }

    /// The code to run this range with, if nothing is to be compiled for it.
    pub fn made(&self, range: &NdRange) -> Option<Arc<LoadedKernel>> {
        let variants = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
        find(&variants, &self.key(range))?.get()?.as_ref().ok().cloned()
    }

    /// Code for any local size to run this range with until there is code for its own, if that is there already, and the order for the
    /// other, once. Sub-groups may have another size there, so that kernels with sub-groups wait for their own.
    pub fn meanwhile(&self, range: &NdRange) -> Option<(Arc<LoadedKernel>, Option<Order>)> {
        let key = self.key(range);
        let mut variants = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
        let general = find(&variants, &Key { local_size: None, ..key })?.get()?.as_ref().ok()?.clone();
        if key.local_size.is_none() || general.facts().uses_sub_groups || variants.len() >= MAX_VARIANTS {
            return None;
        }
        let is_new = find(&variants, &key).is_none();
        if is_new {
            variants.push((key, Variant::default()));
        }
        Some((general, is_new.then_some(Order { key, arguments: Vec::new() })))
    }

    /// The code to run this range with if arguments have these values, where `general` is that of [`HostKernel::executable`]: that or
    /// code which was made for the values.
    pub fn for_values(&self, general: Arc<LoadedKernel>, range: &NdRange, value: Value<'_>) -> Choice {
        // No launch waits, not even for another one that is looking.
        let looking = self.specialized.try_lock().ok().filter(|_| !general.facts().steering_args.is_empty());
        let Some(mut specialized) = looking else {
            return Choice { code: general, timing: None, order: None };
        };
        let key = self.key(range);
        match specialized.advise(key, &general.facts().steering_args, value) {
            Advice::General(timing) => Choice { code: general, timing, order: None },
            Advice::Special(code, timing) => Choice { code, timing: Some(timing), order: None },
            Advice::Make(arguments) => {
                Choice { code: general, timing: None, order: Some(Order { key, arguments }) }
            }
        }
    }

    /// Makes the code that was ordered; launches find it from then on.
    pub fn specialize(&self, order: Order) {
        let Order { key, arguments } = order;
        if arguments.is_empty() {
            // Whatever goes wrong, there is other code.
            let _ = self.variant(key);
            return;
        }
        let code = self.load(key, &arguments).ok();
        let mut specialized = self.specialized.lock().unwrap_or_else(PoisonError::into_inner);
        specialized.made(&key, &arguments, code);
    }

    /// For how many sets of values of its arguments the kernel has code.
    pub fn specialized_count(&self) -> usize {
        self.specialized.lock().unwrap_or_else(PoisonError::into_inner).count()
    }

    fn key(&self, range: &NdRange) -> Key {
        let sized = range.is_uniform() && self.sees_groups.get() != Some(&false);
        let ranges = if range.has_ids_below(SMALL_RANGE_END) { Ranges::Small } else { Ranges::Large };
        Key {
            work_dim: range.work_dim,
            local_size: sized.then_some(range.local_size),
            zero_offset: range.global_offset == [0; 3],
            ranges,
        }
    }

    /// The code for `key` in memory: from the cache, or compiled now.
    fn load(&self, key: Key, arguments: &[KnownArgument]) -> Result<Arc<LoadedKernel>> {
        let variables = self.variables.as_ref().map(|v| v.object()).transpose()?;
        let code = self.variables.as_ref().map_or(Ok(self.bitcode.as_slice()), |v| v.code())?;
        let cache = CODE_CACHE.get().map(|cache| (cache, self.cache_key(key, arguments)));
        let kept = cache.as_ref().and_then(|(cache, key)| cache.read(key));
        // SAFETY: the cache holds objects that this compiler made and wrote there, under a key with all
        // they depend on.
        let load_kept = |code: Vec<u8>| unsafe { loader::load_object(&code, variables) }.ok()?.pop();
        if let Some(kernel) = kept.and_then(load_kept) {
            return Ok(kernel);
        }
        let binary = self.compile(code, key, arguments.to_vec())?;
        let start = Instant::now();
        // SAFETY: the compiler just made it.
        let mut kernels = unsafe { loader::load_object(&binary, variables) }.map_err(Error::Failure)?;
        self.report.lock().unwrap_or_else(PoisonError::into_inner).add("load", start.elapsed());
        let kernel = kernels.pop().ok_or_else(|| Error::Failure("the binary has no kernel".to_owned()))?;
        if let Some((cache, key)) = cache {
            cache.write(&key, &binary);
        }
        Ok(kernel)
    }

    fn cache_key(&self, key: Key, arguments: &[KnownArgument]) -> Vec<u8> {
        let mut w = Writer::default();
        w.text(&self.info.name).text(&format!("{:?}", self.options)).u64(key.work_dim.into());
        w.text(&format!("{:?}", key.local_size)).u64(key.zero_offset.into()).u64(key.ranges as u64);
        w.u64(arguments.len() as u64);
        for argument in arguments {
            w.u64(argument.index.into()).bytes(&argument.bytes);
        }
        w.bytes(&self.bitcode);
        w.0
    }

    /// Code for work-groups of this size, in as many dimensions as it has.
    fn for_local_size(&self, local_size: [usize; 3]) -> Result<Arc<LoadedKernel>> {
        compiler::check_local_size(local_size)?;
        let dims = local_size.iter().rposition(|d| *d > 1).map_or(1, |d| d + 1);
        self.executable(&NdRange::new(&local_size[..dims], &local_size[..dims]))
    }

    /// Code for any local size. Sub-groups are the same in any number of dimensions.
    fn general(&self) -> Result<Arc<LoadedKernel>> {
        self.variant(Key { work_dim: 1, local_size: None, zero_offset: true, ranges: Ranges::Small })
    }

    fn compile(&self, bitcode: &[u8], key: Key, arguments: Vec<KnownArgument>) -> Result<Vec<u8>> {
        let target = HostTarget::new(Arc::new(Context::new()), None);
        let stage = Late {
            arguments,
            kernel: Some(&self.info.name),
            local_size: key.local_size.map(|s| s.map(|d| d as u64)),
            work_dim: Some(key.work_dim),
            zero_offset: key.zero_offset,
            ranges: key.ranges,
            ..stage_of(&target, &self.options)
        };
        let mut lowered = late::lower(&target, bitcode, &self.options, &stage)?;
        let code = lowered.generate(Code::Object);
        self.report.lock().unwrap_or_else(PoisonError::into_inner).extend(lowered.report);
        code
    }
}

impl Kernel for HostKernel {
    fn name(&self) -> &str {
        &self.info.name
    }

    fn preferred_local_size(&self) -> [usize; 3] {
        self.info.reqd_work_group_size.or(self.info.work_group_size_hint).unwrap_or([64, 1, 1])
    }

    fn local_memory_size(&self) -> usize {
        self.info.local_memory_size
    }

    fn precache_local_size(&self, local_size: [usize; 3]) -> Result<()> {
        self.for_local_size(local_size).map(|_| ())
    }

    fn get_dynamic_work_width(&self, local_size: [usize; 3]) -> Result<u32> {
        let kernel = self.for_local_size(local_size)?;
        Ok(kernel.facts().work_width.min(local_size.iter().product()) as u32)
    }

    fn create_specialized_kernel(&self, options: &NdRangeOptions<'_>) -> Result<Vec<u8>> {
        let range = options.check(crate::host_info().device_info())?;
        let known = |(index, descriptor): (usize, &Descriptor<'_>)| match descriptor {
            Descriptor::Value(bytes) => Some(KnownArgument { index: index as u32, bytes: bytes.to_vec() }),
            _ => None,
        };
        let arguments =
            options.descriptors.unwrap_or_default().iter().enumerate().filter_map(known).collect();
        // With variables of its own: it is a program of its own.
        self.compile(&self.bitcode, self.key(&range), arguments).map(crate::seal)
    }

    fn get_sub_group_size(&self) -> Result<u32> {
        Ok(self.general()?.facts().sub_group_size(MAX_WORK_GROUP_SIZE) as u32)
    }

    fn query_sub_group_size_for_local_size(&self, local_size: [usize; 3]) -> Result<u32> {
        let kernel = self.for_local_size(local_size)?;
        Ok(kernel.facts().sub_group_size(local_size.iter().product()) as u32)
    }

    fn query_local_size_for_sub_group_count(&self, count: usize) -> Result<[usize; 3]> {
        let size = self.get_sub_group_size()? as usize;
        let required = self.info.reqd_work_group_size;
        // The one local size there can be, if it is in one dimension and divided by its sub-groups' size.
        if let Some(required) = required {
            let items: usize = required.iter().product();
            let own = self.query_sub_group_size_for_local_size(required)? as usize;
            let fits = required.iter().filter(|d| **d > 1).count() <= 1 && items == count.saturating_mul(own);
            return Ok(if fits { required } else { [0; 3] });
        }
        Ok(match count.checked_mul(size) {
            Some(items @ 1..=MAX_WORK_GROUP_SIZE) => [items, 1, 1],
            _ => [0; 3],
        })
    }

    fn query_max_sub_group_count(&self) -> Result<usize> {
        let local_size = self.info.reqd_work_group_size.unwrap_or([MAX_WORK_GROUP_SIZE, 1, 1]);
        let size = self.query_sub_group_size_for_local_size(local_size)? as usize;
        Ok(local_size.iter().product::<usize>().div_ceil(size))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
