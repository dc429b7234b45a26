//! Programs.

use crate::build::{Built, For, Outcome};
use crate::cl::*;
use crate::ffi::{Answer, Res, ensure, ensure_or, err};
use crate::handle::{self, Object, Owner};
use crate::il::Il;
use crate::objects::context::{Callback, DestructorFn, Destructors};
use crate::objects::{Context, Device, lock};
use jit::Busy;
use runtime::{Inside, outside};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};

pub struct Program {
    owner: Owner,
    pub context: Arc<Context>,
    pub devices: Vec<Arc<Device>>,
    /// In any encoding.
    pub source: Option<Vec<u8>>,
    /// Its intermediate language, if it was created from one.
    pub il: Option<Arc<Il>>,
    state: Mutex<State>,
    /// The number of kernel objects; while there are any, the program cannot be built again.
    pub kernels: AtomicUsize,
    pub on_release: Destructors,
}

struct State {
    /// The builds, one for each device.
    builds: Vec<Build>,
    in_progress: bool,
    /// The binaries whose sizes the application knows.
    binaries: Option<Binaries>,
}

/// The binaries of a program at one time: launches add code to them, but the binaries that an
/// application reads must have the sizes that it was told.
#[derive(Clone)]
struct Binaries {
    /// The binary of each device; empty where there is none.
    bytes: Arc<Vec<Vec<u8>>>,
    /// The application has read them: the next question about sizes may have another answer.
    read: bool,
}

/// The build state of the program for a device.
#[derive(Clone)]
pub struct Build {
    pub status: cl_int,
    pub options: String,
    pub log: String,
    pub built: Option<Arc<Built>>,
}

impl Build {
    pub fn none() -> Build {
        Build { status: CL_BUILD_NONE, options: String::new(), log: String::new(), built: None }
    }
}

impl Object for Program {
    const INVALID: cl_int = CL_INVALID_PROGRAM;

    fn owner(&self) -> &Owner {
        &self.owner
    }
}

/// The callback for the end of a build.
pub type BuildNotify = Callback<DestructorFn>;

impl Program {
    pub fn new(
        context: &Arc<Context>,
        devices: Vec<Arc<Device>>,
        source: Option<Vec<u8>>,
        builds: Vec<Build>,
    ) -> Res<Arc<Program>> {
        Program::with_il(context, devices, source, None, builds)
    }

    fn with_il(
        context: &Arc<Context>,
        devices: Vec<Arc<Device>>,
        source: Option<Vec<u8>>,
        il: Option<Arc<Il>>,
        builds: Vec<Build>,
    ) -> Res<Arc<Program>> {
        let state = Mutex::new(State { builds, in_progress: false, binaries: None });
        handle::publish(|owner| Program {
            owner,
            context: context.clone(),
            devices,
            source,
            il,
            state,
            kernels: AtomicUsize::new(0),
            on_release: Destructors::default(),
        })
    }

    pub fn from_source(context: &Arc<Context>, source: Vec<u8>) -> Res<Arc<Program>> {
        let devices = context.devices.clone();
        let builds = vec![Build::none(); devices.len()];
        Program::new(context, devices, Some(source), builds)
    }

    pub fn from_il(context: &Arc<Context>, il: Il) -> Res<Arc<Program>> {
        let devices = context.devices.clone();
        let builds = vec![Build::none(); devices.len()];
        Program::with_il(context, devices, None, Some(Arc::new(il)), builds)
    }

    /// The index of a device among the program's.
    pub fn index_of(&self, device: &Arc<Device>) -> Option<usize> {
        self.devices.iter().position(|d| Arc::ptr_eq(d, device))
    }

    pub fn build_of(&self, index: usize) -> Build {
        lock(&self.state).builds[index].clone()
    }

    /// The built program for a device, if the last build succeeded or it was loaded from a binary.
    pub fn built_for(&self, device: &Arc<Device>) -> Option<Arc<Built>> {
        let index = self.index_of(device)?;
        lock(&self.state).builds[index].built.clone()
    }

    /// An executable that kernels can be created from, of any device.
    pub fn executable(&self) -> Option<Arc<Built>> {
        self.executables().into_iter().next()
    }

    /// The executables that kernels can be created from, one for each kind of device.
    pub fn executables(&self) -> Vec<Arc<Built>> {
        let state = lock(&self.state);
        let mut found: Vec<Arc<Built>> = Vec::new();
        for build in state.builds.iter().filter(|b| b.status == CL_BUILD_SUCCESS) {
            let Some(built) = build.built.as_ref().filter(|built| built.is_executable()) else { continue };
            if !found.iter().any(|other| other.program.device().id() == built.program.device().id()) {
                found.push(built.clone());
            }
        }
        found
    }

    /// Begins a build for the devices with these indices.
    fn begin(&self, indices: &[usize], options: &str) -> Res<()> {
        let mut state = lock(&self.state);
        ensure(!state.in_progress && self.kernels.load(SeqCst) == 0, CL_INVALID_OPERATION)?;
        state.in_progress = true;
        state.binaries = None;
        for &i in indices {
            state.builds[i] =
                Build { status: CL_BUILD_IN_PROGRESS, options: options.to_owned(), ..Build::none() };
        }
        Ok(())
    }

    /// Builds for the devices with these indices, once for each kind of device. Returns the code of
    /// the first failure.
    fn build(self: &Arc<Self>, indices: &[usize], work: impl Fn(&For) -> Outcome) -> cl_int {
        let mut outcomes: Vec<(&'static str, Outcome)> = Vec::new();
        for &i in indices {
            let device = self.devices[i].device;
            if !outcomes.iter().any(|(id, _)| *id == device.id()) {
                let (callback, options) = (self.context.message_callback(), self.context.build_options());
                let target = For { device, callback, options };
                outcomes.push((device.id(), work(&target)));
            }
        }
        let mut state = lock(&self.state);
        state.in_progress = false;
        for &i in indices {
            let id = self.devices[i].device.id();
            let Some((_, outcome)) = outcomes.iter().find(|(of, _)| *of == id) else { continue };
            let build = &mut state.builds[i];
            build.status = if outcome.code == CL_SUCCESS { CL_BUILD_SUCCESS } else { CL_BUILD_ERROR };
            build.log = outcome.log.clone();
            build.built = outcome.built.clone();
        }
        outcomes
            .iter()
            .map(|(_, outcome)| outcome.code)
            .find(|code| *code != CL_SUCCESS)
            .unwrap_or(CL_SUCCESS)
    }

    /// Does `work` for the devices with these indices: now, or on another thread if there is a
    /// callback.
    pub fn run_build(
        self: &Arc<Self>,
        indices: Vec<usize>,
        options: &str,
        notify: Option<BuildNotify>,
        work: impl Fn(&For) -> Outcome + Send + 'static,
    ) -> Res<()> {
        self.begin(&indices, options)?;
        let Some(notify) = notify else {
            // Another thread may end the process during the build: it then waits for this one.
            let busy = Busy::new();
            let code = self.build(&indices, work);
            drop(busy);
            return ensure_or(code == CL_SUCCESS, code, || self.first_errors(&indices));
        };
        let program = self.clone();
        in_background(move |busy| {
            program.build(&indices, work);
            // The callback may end the process, which must not wait for this build then.
            drop(busy);
            // SAFETY: the program registered the callback for this call, from any thread.
            outside(|| unsafe { (notify.function)(program.handle(), notify.data.raw()) });
        });
        Ok(())
    }

    /// The log of the first of these builds that failed.
    fn first_errors(&self, indices: &[usize]) -> String {
        let failed = indices.iter().map(|i| self.build_of(*i)).find(|build| build.status == CL_BUILD_ERROR);
        failed.map_or_else(String::new, |build| build.log.trim_end().to_owned())
    }

    pub fn info(&self, name: cl_uint) -> Res<Answer> {
        Ok(match name {
            CL_PROGRAM_REFERENCE_COUNT => self.owner.references().into(),
            CL_PROGRAM_CONTEXT => self.context.handle().into(),
            CL_PROGRAM_NUM_DEVICES => (self.devices.len() as cl_uint).into(),
            CL_PROGRAM_DEVICES => {
                self.devices.iter().map(|d| d.handle()).collect::<Vec<Handle>>().as_slice().into()
            }
            CL_PROGRAM_SOURCE => Answer::text(self.source.as_deref().unwrap_or_default()),
            CL_PROGRAM_IL => Answer(self.il.as_ref().map_or(Vec::new(), |il| il.bytes.clone())),
            CL_PROGRAM_BINARY_SIZES => {
                self.binaries(false).iter().map(Vec::len).collect::<Vec<usize>>().as_slice().into()
            }
            CL_PROGRAM_NUM_KERNELS => self.kernel_names()?.len().into(),
            CL_PROGRAM_KERNEL_NAMES => self.kernel_names()?.join(";").as_str().into(),
            CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT | CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => {
                ensure(self.executable().is_some(), CL_INVALID_PROGRAM_EXECUTABLE)?;
                false.into()
            }
            _ => return err(CL_INVALID_VALUE),
        })
    }

    pub fn kernel_names(&self) -> Res<Vec<String>> {
        match self.executable() {
            Some(built) => Ok(built.info.kernels.iter().map(|k| k.name.clone()).collect()),
            None => err(CL_INVALID_PROGRAM_EXECUTABLE),
        }
    }

    /// The binary of each device; empty where there is none. `reads`: the application gets them,
    /// and not only their sizes.
    pub fn binaries(&self, reads: bool) -> Arc<Vec<Vec<u8>>> {
        let (known, builds) = {
            let state = lock(&self.state);
            (state.binaries.clone(), state.builds.clone())
        };
        let bytes = match known {
            Some(known) if reads || !known.read => known.bytes,
            _ => {
                let binary = |built: &Arc<Built>| built.binary(built.code());
                Arc::new(builds.iter().map(|b| b.built.as_ref().map_or(vec![], binary)).collect())
            }
        };
        lock(&self.state).binaries = Some(Binaries { bytes: bytes.clone(), read: reads });
        bytes
    }

    pub fn build_info(&self, device: &Arc<Device>, name: cl_uint) -> Res<Answer> {
        let Some(index) = self.index_of(device) else { return err(CL_INVALID_DEVICE) };
        let build = self.build_of(index);
        Ok(match name {
            CL_PROGRAM_BUILD_STATUS => build.status.into(),
            CL_PROGRAM_BUILD_OPTIONS => build.options.as_str().into(),
            CL_PROGRAM_BUILD_LOG => build.log.as_str().into(),
            CL_PROGRAM_BINARY_TYPE => {
                build.built.map_or(CL_PROGRAM_BINARY_TYPE_NONE, |built| built.kind).into()
            }
            CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => {
                build.built.map_or(0, |built| built.info.global_variable_size).into()
            }
            _ => return err(CL_INVALID_VALUE),
        })
    }
}

/// Runs `work` on a new thread, or on this one if none can be started. The process waits for it
/// before it ends.
fn in_background(work: impl FnOnce(Busy) + Send + 'static) {
    let work = Arc::new(Mutex::new(Some(work)));
    let run = {
        let (work, busy) = (work.clone(), Busy::new());
        move || {
            let _inside = Inside::enter();
            let work = lock(&work).take();
            if let Some(work) = work {
                work(busy);
            }
        }
    };
    // LLVM recurses over large kernels.
    let thread = std::thread::Builder::new().name("lanewise-build".to_owned()).stack_size(16 << 20);
    if thread.spawn(run).is_err() {
        let work = lock(&work).take();
        if let Some(work) = work {
            work(Busy::new());
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.on_release.call(self.owner.raw());
    }
}
