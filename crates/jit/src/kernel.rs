//! A kernel with its compiled variants, and the choice of the variant for a launch.

use crate::exit::Busy;
use crate::program::{Loaded, Shared};
use crate::specialized::{Advice, Specialized, ValueOf};
use crate::tiers::BestCode;
use crate::{Jit, this_build};
use compiler::{
    ArgKind, Descriptor, DeviceInfo, Error, KernelArg, KernelInfo, NdRange, NdRangeOptions, Options, Result,
    Specialization, Tier, Wfv, Writer,
};
use passes::{KnownArgument, Report};
use runtime::{ArgValue, Device, Executable, Timing, lock};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

/// The most local sizes for which a kernel has code of its own. Launches with other sizes run the
/// code for any size.
const MAX_VARIANTS: usize = 32;

/// The code to run a launch with.
pub struct ChosenCode {
    pub executable: Arc<Executable>,
    /// Receives the time of the launch ([`runtime::Launch::report_to`]).
    pub timing: Option<Arc<dyn Timing>>,
}

/// Where code for one specialization is, or why there is none. Threads that ask for the same wait
/// for one compilation.
type Place = Arc<OnceLock<Result<Arc<Executable>>>>;

/// Whether arguments of this kind are objects of the device: images and samplers.
fn is_object(kind: ArgKind) -> bool {
    matches!(kind, ArgKind::Image | ArgKind::Sampler)
}

fn find<'a>(variants: &'a [(Specialization, Place)], of: &Specialization) -> Option<&'a Place> {
    variants.iter().find(|(known, _)| known == of).map(|(_, place)| place)
}

/// A kernel of a program on its device.
pub struct Kernel {
    jit: Arc<Jit>,
    device: &'static dyn Device,
    info: KernelInfo,
    code: CodeSource,
}

enum CodeSource {
    /// Compiled when the range of a launch is known.
    Deferred(Box<Deferred>),
    /// Compiled with all other kernels of its program, and loaded when it is first launched.
    Whole(Arc<Shared>),
    /// Loaded from a binary.
    Loaded(Arc<Executable>),
}

struct Deferred {
    program: Arc<Shared>,
    /// The kernel in the program in canonical form.
    kernel: Arc<compiler::Kernel>,
    /// The same kernel in the program that only declares its global variables
    /// ([`compiler::SplitProgram`]), if it has some.
    linked: OnceLock<compiler::Kernel>,
    /// At most [`MAX_VARIANTS`], few enough to search one by one.
    variants: Mutex<Vec<(Specialization, Place)>>,
    /// The code of the last launch that found its variant: most launches are like the one before.
    last: Mutex<Option<LastLaunch>>,
    /// The best code of the variants that are first versions.
    best: Mutex<Vec<Arc<BestCode>>>,
    /// Code for values of arguments.
    specialized: Mutex<Specialized<Specialization>>,
    /// Scalar code for what has vector code, and the reverse.
    rivals: Mutex<Specialized<Specialization>>,
    /// The compiler's description of the device.
    device: &'static DeviceInfo,
    /// Whether the kernel takes images or samplers.
    has_objects: bool,
    /// Whether the kernel cannot tell its work-groups apart, as far as is known: then its code for
    /// any local size is its code for all.
    ignores_groups: AtomicBool,
    /// The time it took to load code.
    loads: Mutex<Report>,
}

/// A launch, and the variant for it.
struct LastLaunch {
    range: NdRange,
    objects: Vec<KnownArgument>,
    code: Arc<Executable>,
}

impl Kernel {
    pub(crate) fn deferred(program: Arc<Shared>, kernel: Arc<compiler::Kernel>) -> Kernel {
        let (jit, device, info) = (program.jit.clone(), program.device, kernel.info().clone());
        Kernel { jit, device, info, code: CodeSource::Deferred(Box::new(Deferred::new(program, kernel))) }
    }

    pub(crate) fn of_whole_program(program: Arc<Shared>, info: KernelInfo) -> Kernel {
        let (jit, device) = (program.jit.clone(), program.device);
        Kernel { jit, device, info, code: CodeSource::Whole(program) }
    }

    pub(crate) fn loaded(
        jit: Arc<Jit>,
        device: &'static dyn Device,
        info: KernelInfo,
        code: Arc<Executable>,
    ) -> Kernel {
        Kernel { jit, device, info, code: CodeSource::Loaded(code) }
    }

    /// The same kernel, compiled with other options. Options for the front end and the canonical
    /// form have no effect any more, nor has any option if the program is compiled as a whole.
    pub fn with_options(&self, options: Options) -> Kernel {
        let code = match &self.code {
            CodeSource::Deferred(deferred) => {
                let kernel = Arc::new(deferred.kernel.with_options(options));
                CodeSource::Deferred(Box::new(Deferred::new(deferred.program.clone(), kernel)))
            }
            CodeSource::Whole(program) => CodeSource::Whole(program.clone()),
            CodeSource::Loaded(executable) => CodeSource::Loaded(executable.clone()),
        };
        Kernel { jit: self.jit.clone(), device: self.device, info: self.info.clone(), code }
    }

    pub fn name(&self) -> &str {
        &self.info.name
    }

    pub fn info(&self) -> &KernelInfo {
        &self.info
    }

    pub fn device(&self) -> &'static dyn Device {
        self.device
    }

    /// The compiler's kernel; `None` if the program is compiled as a whole or was loaded from a
    /// binary.
    pub fn compiler(&self) -> Option<&Arc<compiler::Kernel>> {
        match &self.code {
            CodeSource::Deferred(deferred) => Some(&deferred.kernel),
            CodeSource::Whole(_) | CodeSource::Loaded(_) => None,
        }
    }

    /// Whether it takes images or samplers.
    pub(crate) fn takes_objects(&self) -> bool {
        self.info.args.iter().any(|arg| is_object(arg.kind))
    }

    /// The time of each step of all compilations so far, and their remarks.
    pub fn report(&self) -> Report {
        let CodeSource::Deferred(deferred) = &self.code else { return Report::default() };
        let mut report = deferred.kernel.report();
        if let Some(linked) = deferred.linked.get() {
            report.extend(linked.report());
        }
        report.extend(lock(&deferred.loads).clone());
        report
    }

    /// The code to run a launch with: the best there is. It is compiled now if there is none at
    /// all; better code that would pay is made in the background, and chosen by later launches.
    pub fn choose(self: &Arc<Self>, range: &NdRange, values: &[ArgValue]) -> Result<ChosenCode> {
        self.check_local_memory(values)?;
        let CodeSource::Deferred(deferred) = &self.code else {
            return Ok(ChosenCode { executable: self.wait_for_code(range)?, timing: None });
        };
        let objects = deferred.objects(values);
        let general = match deferred.ready_code(range, &objects) {
            Some(executable) => executable,
            None => {
                match self.jit.specializes.then(|| deferred.code_until_ready(range, &objects)).flatten() {
                    Some((executable, wanted)) => {
                        self.order(range, wanted);
                        executable
                    }
                    None => {
                        let _busy = Busy::new();
                        let kernel = self.jit.specializes.then_some(self);
                        deferred.wait_for_code(range, &objects, kernel)?
                    }
                }
            }
        };
        let general = latest(general);
        let is_first = general.succession().is_some();
        let general = match self.jit.specializes && !is_first && deferred.may_have_rival(&general) {
            false => general,
            true => match deferred.rival(general, range, &objects) {
                (ChosenCode { executable, timing: None }, None) => executable,
                (choice, wanted) => {
                    self.order(range, wanted);
                    return Ok(choice);
                }
            },
        };
        if general.facts().steering_args.is_empty() || is_first || !self.jit.specializes {
            return Ok(ChosenCode { executable: general, timing: None });
        }
        let value = |index: usize| match values.get(index) {
            Some(ArgValue::Bytes(bytes)) => Some(bytes.as_slice()),
            _ => None,
        };
        let (choice, wanted) = deferred.code_for_values(general, range, &objects, &value);
        self.order(range, wanted);
        Ok(choice)
    }

    /// Refuses a launch whose work-groups need more local memory, in variables and arguments, than
    /// the device has.
    fn check_local_memory(&self, values: &[ArgValue]) -> Result<()> {
        let size = |value: &ArgValue| if let ArgValue::Local(bytes) = value { *bytes } else { 0 };
        let bytes = values.iter().map(size).fold(self.info.local_memory_size, usize::saturating_add);
        let most = self.device.properties().local_memory_bytes;
        match bytes <= most {
            true => Ok(()),
            false => Err(Error::Failure(format!(
                "a work-group needs {bytes} bytes of local memory, and the device has {most}"
            ))),
        }
    }

    /// The code to run this range with, for any argument values. Waits for its compilation if there
    /// is none yet.
    pub fn wait_for_code(&self, range: &NdRange) -> Result<Arc<Executable>> {
        // Another thread may end the process while this one compiles.
        let _busy = Busy::new();
        match &self.code {
            CodeSource::Loaded(executable) => Ok(executable.clone()),
            CodeSource::Whole(program) => match program.loaded()? {
                Loaded::Whole(all) => {
                    let own = all.iter().find(|code| code.facts().name == self.info.name);
                    own.cloned().ok_or_else(|| {
                        Error::Failure(format!("the compiled program lacks the kernel '{}'", self.info.name))
                    })
                }
                Loaded::Deferred { .. } => {
                    Err(Error::Failure("the program is compiled kernel by kernel, not as a whole".to_owned()))
                }
            },
            CodeSource::Deferred(deferred) => {
                let code = deferred.wait_for_code(range, &[], None)?;
                deferred.make_best();
                Ok(latest(code))
            }
        }
    }

    /// Makes the best code of all variants that are first versions.
    pub(crate) fn make_best(&self) {
        if let CodeSource::Deferred(deferred) = &self.code {
            deferred.make_best();
        }
    }

    /// Queues the compilation of code that a launch goes on with as soon as it is there.
    pub(crate) fn awaited(&self, make: impl FnOnce() + Send + 'static) {
        self.jit.awaited.later(make);
    }

    /// The best code for a specialization; `None` if it cannot be compiled.
    pub(crate) fn load_best(&self, range: &NdRange, wanted: &Specialization) -> Option<Arc<Executable>> {
        let CodeSource::Deferred(deferred) = &self.code else { return None };
        deferred.load(range, wanted, None).ok()
    }

    /// Queues the compilation of the code that launches are expected to want.
    pub(crate) fn expect_launches(self: &Arc<Self>) {
        let kernel = Arc::downgrade(self);
        self.jit.awaited.later(move || {
            if let Some(kernel) = kernel.upgrade()
                && let CodeSource::Deferred(deferred) = &kernel.code
            {
                deferred.make_expected(&kernel);
            }
        });
    }

    /// Queues a compilation for the background thread.
    fn order(self: &Arc<Self>, range: &NdRange, wanted: Option<Specialization>) {
        let Some(wanted) = wanted else { return };
        let (kernel, range) = (self.clone(), *range);
        self.jit.background.later(move || {
            if let CodeSource::Deferred(deferred) = &kernel.code {
                deferred.make(&range, wanted);
            }
        });
    }

    /// The work width: how many work-items run at once, in the code that exists, or else in
    /// work-groups of the preferred size.
    pub fn work_width(&self) -> Result<usize> {
        let CodeSource::Deferred(deferred) = &self.code else {
            return Ok(self.wait_for_code(&NdRange::new(&[1], &[1]))?.facts().work_width);
        };
        if let Some(width) = deferred.made_width() {
            return Ok(width);
        }
        let _busy = Busy::new();
        let kernel = &deferred.kernel;
        Ok(kernel.get_dynamic_work_width(kernel.preferred_local_size())? as usize)
    }

    /// A local size for a launch over `global` that names none, on `threads` threads.
    /// `may_not_divide`: it need not divide the global size.
    pub fn choose_local_size(&self, global: &[usize], threads: usize, may_not_divide: bool) -> Vec<usize> {
        let device = self.device.compiler().device_info();
        let most = device.max_work_group_size;
        let preferred = self.info.preferred_local_size(device);
        let own = self.info.reqd_work_group_size.is_some() || self.info.work_group_size_hint.is_some();
        let divides = global.iter().zip(preferred).all(|(g, l)| l > 0 && g.is_multiple_of(l))
            && preferred.iter().product::<usize>() <= most
            && preferred[global.len()..].iter().all(|n| *n == 1);
        if self.info.reqd_work_group_size.is_some() || own && divides {
            return preferred[..global.len()].to_vec();
        }
        let items = if own { most.min(256) } else { preferred.iter().product() };
        let lanes = (device.vector_register_bytes / size_of::<f32>()).clamp(1, most);
        runtime::choose_local_size(global, items, lanes, threads, may_not_divide)
    }

    /// The size of sub-groups in work-groups of this size; at most one is smaller.
    pub fn sub_group_size(&self, local_size: [usize; 3]) -> Result<usize> {
        let _busy = Busy::new();
        match &self.code {
            CodeSource::Deferred(d) => Ok(d.kernel.query_sub_group_size_for_local_size(local_size)? as usize),
            _ => {
                self.device.compiler().device_info().check_sub_groups()?;
                let code = self.wait_for_code(&NdRange::new(&[1], &[1]))?;
                Ok(code.facts().sub_group_size(local_size.iter().product()))
            }
        }
    }

    /// A local size in one dimension that gives so many sub-groups, all of the same size; zeros if
    /// there is none.
    pub fn local_size_for_sub_group_count(&self, count: usize) -> Result<[usize; 3]> {
        let _busy = Busy::new();
        let most = self.device.compiler().device_info().max_work_group_size;
        match &self.code {
            CodeSource::Deferred(d) => d.kernel.query_local_size_for_sub_group_count(count),
            _ => {
                let size = self.sub_group_size([most, 1, 1])?;
                let items = count.checked_mul(size).filter(|items| (1..=most).contains(items));
                Ok(items.map_or([0; 3], |items| [items, 1, 1]))
            }
        }
    }

    /// The most sub-groups that a work-group can have.
    pub fn max_sub_group_count(&self) -> Result<usize> {
        let _busy = Busy::new();
        let most = self.device.compiler().device_info().max_work_group_size;
        match &self.code {
            CodeSource::Deferred(d) => d.kernel.query_max_sub_group_count(),
            _ => Ok(most.div_ceil(self.sub_group_size([most, 1, 1])?)),
        }
    }
}

/// The code that succeeded this one, or else this one.
fn latest(code: Arc<Executable>) -> Arc<Executable> {
    code.succession().and_then(|succession| succession.successor()).unwrap_or(code)
}

impl Deferred {
    fn new(program: Arc<Shared>, kernel: Arc<compiler::Kernel>) -> Deferred {
        Deferred {
            device: program.device.compiler().device_info(),
            program,
            ignores_groups: AtomicBool::new(kernel.outlook().ignores_groups),
            has_objects: kernel.info().args.iter().any(|arg| is_object(arg.kind)),
            kernel,
            linked: OnceLock::new(),
            variants: Mutex::default(),
            last: Mutex::default(),
            best: Mutex::default(),
            specialized: Mutex::default(),
            rivals: Mutex::default(),
            loads: Mutex::default(),
        }
    }

    /// What is known of the images and samplers among a launch's arguments.
    fn objects(&self, values: &[ArgValue]) -> Vec<KnownArgument> {
        if !self.has_objects {
            return Vec::new();
        }
        let known = |(index, (arg, value)): (usize, (&KernelArg, &ArgValue))| {
            let bytes = match (arg.kind, value) {
                // The first 32 bits of the descriptor are the format: see
                // `runtime::Images::descriptor`.
                (ArgKind::Image, ArgValue::Image(_, words)) => {
                    (*words.first()? as u32).to_le_bytes().to_vec()
                }
                (ArgKind::Sampler, ArgValue::Bytes(bytes)) => bytes.clone(),
                _ => return None,
            };
            Some(KnownArgument { index: index as u32, bytes })
        };
        self.kernel.info().args.iter().zip(values).enumerate().filter_map(known).collect()
    }

    /// The specialization of the code for a range with these images and samplers.
    fn specialization(&self, range: &NdRange, objects: &[KnownArgument]) -> Result<Specialization> {
        let wanted = NdRangeOptions::from(range).specialization(self.device)?;
        let local_size = wanted.local_size.filter(|_| !self.ignores_groups.load(Relaxed));
        Ok(Specialization { local_size, objects: objects.to_vec(), ..wanted })
    }

    /// The code to run this range with, if it is compiled already.
    fn ready_code(&self, range: &NdRange, objects: &[KnownArgument]) -> Option<Arc<Executable>> {
        let mut last = lock(&self.last);
        if let Some(last) = last.as_ref().filter(|last| last.range == *range && last.objects == objects) {
            return Some(last.code.clone());
        }
        let wanted = self.specialization(range, objects).ok()?;
        let code = find(&lock(&self.variants), &wanted)?.get()?.as_ref().ok()?.clone();
        *last = Some(LastLaunch { range: *range, objects: objects.to_vec(), code: code.clone() });
        Some(code)
    }

    /// Code for any local size, if it is compiled already, to run this range with until there is a
    /// variant for its own local size; and the specialization to compile, for the first launch that
    /// finds it missing. Sub-groups may have another size in that code, so that kernels with
    /// sub-groups wait for their own.
    fn code_until_ready(
        &self,
        range: &NdRange,
        objects: &[KnownArgument],
    ) -> Option<(Arc<Executable>, Option<Specialization>)> {
        let wanted = self.specialization(range, objects).ok()?;
        let mut variants = lock(&self.variants);
        let any = Specialization { local_size: None, ..wanted.clone() };
        let general = find(&variants, &any)?.get()?.as_ref().ok()?.clone();
        if wanted.local_size.is_none() || general.facts().uses_sub_groups || variants.len() >= MAX_VARIANTS {
            return None;
        }
        let is_new = find(&variants, &wanted).is_none();
        if is_new {
            variants.push((wanted.clone(), Place::default()));
        }
        Some((general, is_new.then_some(wanted)))
    }

    /// The code to run this range with, compiled now if it was not before: perhaps a first version,
    /// if a launch of the kernel is given.
    fn wait_for_code(
        &self,
        range: &NdRange,
        objects: &[KnownArgument],
        launched: Option<&Arc<Kernel>>,
    ) -> Result<Arc<Executable>> {
        let mut code = self.variant(range, self.specialization(range, objects)?, launched)?;
        if code.facts().sees_groups {
            // Sub-groups that wait for each other do so within their work-group, which the kernel
            // does not tell before its code is made.
            code = self.variant(range, self.specialization(range, objects)?, launched)?;
            launched.iter().for_each(|kernel| kernel.jit.note_local_size(range));
        }
        Ok(code)
    }

    /// Compiles the code that launches are expected to want, unless there was one already, or it
    /// depends on the formats of images.
    fn make_expected(&self, kernel: &Arc<Kernel>) {
        if self.has_objects {
            return;
        }
        let outlook = self.kernel.outlook();
        let usual = || kernel.jit.usual_local_size(outlook.work_dim?, self.kernel.preferred_local_size());
        let local_size = match outlook.ignores_groups {
            true => outlook.local_size.or(Some([1; 3])),
            false => outlook.local_size.or_else(usual),
        };
        let Some(range) = local_size.and_then(|size| outlook.range(size)) else { return };
        let mut options = NdRangeOptions::from(&range);
        options.local_size = options.local_size.filter(|_| !outlook.ignores_groups);
        let Ok(wanted) = options.specialization(self.device) else { return };
        {
            let mut variants = lock(&self.variants);
            if !variants.is_empty() {
                return;
            }
            variants.push((wanted.clone(), Place::default()));
        }
        // An error is for the launch that finds it.
        let _ = self.variant(&range, wanted, Some(kernel));
    }

    /// The variant for `wanted`, or that for any local size and any images if there are too many;
    /// waits for its compilation.
    fn variant(
        &self,
        range: &NdRange,
        mut wanted: Specialization,
        launched: Option<&Arc<Kernel>>,
    ) -> Result<Arc<Executable>> {
        let place = {
            let mut variants = lock(&self.variants);
            if find(&variants, &wanted).is_none() && variants.len() >= MAX_VARIANTS {
                wanted.local_size = None;
                wanted.objects.clear();
            }
            find(&variants, &wanted).cloned().unwrap_or_else(|| {
                variants.push((wanted.clone(), Place::default()));
                variants[variants.len() - 1].1.clone()
            })
        };
        let load = || {
            let loaded = self.load(range, &wanted, launched);
            if loaded.as_ref().is_ok_and(|code| code.facts().sees_groups) {
                self.ignores_groups.store(false, Relaxed);
            }
            loaded
        };
        place.get_or_init(load).clone()
    }

    /// Whether code may be tried that is scalar where this code is vector code, or the reverse: the
    /// estimate left open which is faster, and work-items do not tell each other anything.
    fn may_have_rival(&self, general: &Executable) -> bool {
        let facts = general.facts();
        facts.undecided && !facts.sees_groups && self.kernel.options().wfv.is_none()
    }

    /// The faster of `general` and its rival, as far as that is known; and the rival, if it is to
    /// be compiled. The choice is final, for now, if there is nothing to time.
    fn rival(
        &self,
        general: Arc<Executable>,
        range: &NdRange,
        objects: &[KnownArgument],
    ) -> (ChosenCode, Option<Specialization>) {
        let (Ok(mut rivals), Ok(key)) = (self.rivals.try_lock(), self.specialization(range, objects)) else {
            return (ChosenCode { executable: general, timing: None }, None);
        };
        let advice = rivals.advise(&key, &[], &|_| None);
        match (advice.won(), advice) {
            (Some(executable), _) => (ChosenCode { executable, timing: None }, None),
            (None, Advice::General(None)) => (ChosenCode { executable: general, timing: None }, None),
            (None, Advice::General(Some(timing))) => {
                (ChosenCode { executable: general, timing: Some(timing) }, None)
            }
            (None, Advice::Special(executable, timing)) => {
                (ChosenCode { executable, timing: Some(timing) }, None)
            }
            (None, Advice::Make(_)) => {
                let wfv = Some(if general.facts().work_width > 1 { Wfv::Never } else { Wfv::Always });
                (ChosenCode { executable: general, timing: None }, Some(Specialization { wfv, ..key }))
            }
        }
    }

    /// The code to run this range with for these argument values: `general`, which is for any
    /// values, or code specialized for them; and the specialization that would pay to compile.
    fn code_for_values(
        &self,
        general: Arc<Executable>,
        range: &NdRange,
        objects: &[KnownArgument],
        value: ValueOf<'_>,
    ) -> (ChosenCode, Option<Specialization>) {
        let untimed = |executable| (ChosenCode { executable, timing: None }, None);
        // A launch does not wait for the lock while another thread chooses: it runs the general
        // code.
        let Ok(mut specialized) = self.specialized.try_lock() else { return untimed(general) };
        let Ok(key) = self.specialization(range, objects) else { return untimed(general) };
        match specialized.advise(&key, &general.facts().steering_args, value) {
            Advice::General(None) => untimed(general),
            Advice::General(Some(timing)) => (ChosenCode { executable: general, timing: Some(timing) }, None),
            Advice::Special(executable, timing) => (ChosenCode { executable, timing: Some(timing) }, None),
            Advice::Make(arguments) => {
                (ChosenCode { executable: general, timing: None }, Some(Specialization { arguments, ..key }))
            }
        }
    }

    /// Compiles a specialization that later launches find. Errors are ignored: launches then go on
    /// with the general code.
    fn make(&self, range: &NdRange, wanted: Specialization) {
        if wanted.wfv.is_some() {
            let code = self.load(range, &wanted, None).ok();
            lock(&self.rivals).made(&Specialization { wfv: None, ..wanted }, &[], code);
            return;
        }
        if wanted.arguments.is_empty() {
            let _ = self.variant(range, wanted, None);
            return;
        }
        let code = self.load(range, &wanted, None).ok();
        let Specialization { arguments, .. } = &wanted;
        let key = Specialization { arguments: Vec::new(), ..wanted.clone() };
        lock(&self.specialized).made(&key, arguments, code);
    }

    fn made_width(&self) -> Option<usize> {
        let variants = lock(&self.variants);
        let made = variants.iter().filter_map(|(_, place)| place.get()?.as_ref().ok());
        let best = made.map(|code| latest(code.clone())).filter(|code| code.succession().is_none());
        best.map(|code| code.facts().work_width).max()
    }

    fn make_best(&self) {
        let waiting = lock(&self.best).clone();
        waiting.iter().for_each(|best| best.make());
    }

    /// The kernel whose code refers to the program's loaded global variables.
    fn linked(&self) -> Result<&compiler::Kernel> {
        match self.program.loaded()? {
            Loaded::Deferred { code: Some(code), .. } => {
                Ok(self.linked.get_or_init(|| self.kernel.with_program(code.clone())))
            }
            _ => Ok(&self.kernel),
        }
    }

    /// Loads the code of a specialization onto the device: from the cache on disk, or compiled now.
    /// Only a launch of the kernel may get a first version, which no cache keeps.
    fn load(
        &self,
        range: &NdRange,
        wanted: &Specialization,
        launched: Option<&Arc<Kernel>>,
    ) -> Result<Arc<Executable>> {
        let Loaded::Deferred { program, .. } = self.program.loaded()? else {
            return Err(Error::Failure(
                "the program is compiled as a whole, not kernel by kernel".to_owned(),
            ));
        };
        let key = self.cache_key(wanted);
        if let Some(binary) = self.program.find_code(&key) {
            // SAFETY: the key names this build and this specialization. The cache directory is the
            // user's alone, and who gave the program code vouches for it.
            if let Some(code) = unsafe { program.load(&binary) }.ok().and_then(|mut all| all.pop()) {
                self.program.keep_code(&key, binary, false);
                return Ok(code);
            }
        }
        let began = Instant::now();
        let tier = if launched.is_some() { Tier::First } else { Tier::Best };
        let (binary, tier) = self.compile(range, wanted, tier)?;
        let start = Instant::now();
        // SAFETY: the device's compiler made it just now.
        let code = unsafe { program.load(&binary) }.map_err(|why| self.refused(why))?.pop();
        lock(&self.loads).add("load", start.elapsed());
        let code = code.ok_or_else(|| Error::Failure("the binary has no kernel".to_owned()))?;
        match launched {
            Some(kernel) if tier == Tier::First => {
                let took = began.elapsed().as_nanos() as u64;
                let best = BestCode::new(kernel, range, wanted, took);
                lock(&self.best).push(best.clone());
                code.succeed_by(best);
            }
            _ => self.program.keep_code(&key, binary, true),
        }
        Ok(code)
    }

    /// The error if the device refuses the kernel's code; it also goes to the user's callback, as
    /// the compiler's own failures do.
    fn refused(&self, why: Error) -> Error {
        self.kernel.target().notify(&format!("kernel '{}': {why}", self.kernel.name()));
        Error::Failure(why.message().to_owned())
    }

    /// Machine code for a specialization, and its tier.
    fn compile(&self, range: &NdRange, wanted: &Specialization, tier: Tier) -> Result<(Vec<u8>, Tier)> {
        let values: Vec<Descriptor<'_>> = (0..self.kernel.info().args.len() as u32)
            .map(|index| {
                let known = wanted.known().find(|argument| argument.index == index);
                known.map_or(Descriptor::Null, |KnownArgument { bytes, .. }| Descriptor::Value(bytes))
            })
            .collect();
        let options = NdRangeOptions {
            descriptors: wanted.known().next().is_some().then_some(&values),
            local_size: wanted.local_size,
            ..NdRangeOptions::from(range)
        };
        if wanted.wfv.is_some() {
            let own = Options { wfv: wanted.wfv, ..self.kernel.options().clone() };
            return Ok((self.linked()?.with_options(own).create_specialized_kernel(&options)?, tier));
        }
        match tier {
            Tier::First => self.linked()?.create_first_version(&options),
            Tier::Best => Ok((self.linked()?.create_specialized_kernel(&options)?, tier)),
        }
    }

    /// Everything that the machine code depends on.
    fn cache_key(&self, wanted: &Specialization) -> Vec<u8> {
        let mut w = Writer::default();
        let machine = self.program.device.compiler().backend().machine();
        w.text("code").text(this_build()).text(self.program.device.id());
        w.text(&machine.triple).text(&machine.cpu).text(&machine.features);
        w.text(self.kernel.name()).text(&format!("{:?}", self.kernel.options()));
        w.text(&format!("{wanted:?}")).bytes(self.kernel.program());
        w.0
    }
}
