//! Kernels: their arguments, their queries, and their launches.

use crate::build::Built;
use crate::cl::*;
use crate::ffi::{Answer, ErrorCode, Res, because, ensure, err};
use crate::handle::{self, Object, Owner};
use crate::objects::{Device, Mem, Program, Queue, lock};
use compiler::{Access, ArgKind, KernelInfo, NdRange, NotifyCallback};
use jit::ChosenCode;
use runtime::{ArgValue, Command, Launch, LaunchError, PackedArgs, Sampler};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex, Weak};

pub struct Kernel {
    owner: Owner,
    pub program: Arc<Program>,
    /// For each kind of device the built program, and the kernel's code.
    codes: Vec<(Arc<Built>, Arc<jit::Kernel>)>,
    pub info: KernelInfo,
    args: Mutex<Vec<Option<Arg>>>,
}

/// An argument as it was set. A kernel does not keep memory objects alive.
#[derive(Clone)]
pub enum Arg {
    Bytes(Vec<u8>),
    Mem(Weak<Mem>),
    /// An image, and what the kernel does with it.
    Image(Weak<Mem>, Access),
    Sampler(Sampler),
    Address(usize),
    Null,
    Local(usize),
}

impl Object for Kernel {
    const INVALID: cl_int = CL_INVALID_KERNEL;

    fn owner(&self) -> &Owner {
        &self.owner
    }
}

impl Kernel {
    pub fn new(program: &Arc<Program>, name: &str) -> Res<Arc<Kernel>> {
        let executables = program.executables();
        ensure(!executables.is_empty(), CL_INVALID_PROGRAM_EXECUTABLE)?;
        let code = |built: &Arc<Built>| Some((built.clone(), built.program.kernel(name)?));
        let codes: Vec<_> = executables.iter().filter_map(code).collect();
        let Some((_, first)) = codes.first() else {
            return Err(because(CL_INVALID_KERNEL_NAME, || {
                let names = program.kernel_names().unwrap_or_default().join(", ");
                format!("there is no kernel '{name}'; there are: {names}")
            }));
        };
        let info = first.info().clone();
        // The same declaration for all devices.
        let same = |other: &KernelInfo| {
            let types = |info: &KernelInfo| -> Vec<_> {
                info.args.iter().map(|arg| (arg.type_name.clone(), arg.kind)).collect()
            };
            types(other) == types(&info)
        };
        ensure(codes.iter().all(|(_, kernel)| same(kernel.info())), CL_INVALID_KERNEL_DEFINITION)?;
        let args = vec![None; info.args.len()];
        Kernel::publish(program, codes, info, args)
    }

    fn publish(
        program: &Arc<Program>,
        codes: Vec<(Arc<Built>, Arc<jit::Kernel>)>,
        info: KernelInfo,
        args: Vec<Option<Arg>>,
    ) -> Res<Arc<Kernel>> {
        program.kernels.fetch_add(1, SeqCst);
        let made = handle::publish(|owner| Kernel {
            owner,
            program: program.clone(),
            codes,
            info,
            args: Mutex::new(args),
        });
        made.inspect_err(|_| {
            program.kernels.fetch_sub(1, SeqCst);
        })
    }

    /// A copy of the kernel object with the same arguments.
    pub fn duplicate(&self) -> Res<Arc<Kernel>> {
        let args = lock(&self.args).clone();
        Kernel::publish(&self.program, self.codes.clone(), self.info.clone(), args)
    }

    /// The built program for a device, and the kernel's code.
    fn code_for(&self, device: &Device) -> Res<&(Arc<Built>, Arc<jit::Kernel>)> {
        let own = self.codes.iter().find(|(_, kernel)| std::ptr::addr_eq(kernel.device(), device.device));
        own.ok_or(ErrorCode(CL_INVALID_PROGRAM_EXECUTABLE))
    }

    /// Whether all work-groups of a launch on this device must have the same size.
    pub fn is_uniform(&self, device: &Device) -> bool {
        self.code_for(device).is_ok_and(|(built, _)| built.is_uniform())
    }

    pub fn set_arg(&self, index: usize, arg: Arg) {
        lock(&self.args)[index] = Some(arg);
    }

    /// The arguments as they are now.
    pub fn args(&self) -> Vec<Option<Arg>> {
        lock(&self.args).clone()
    }

    /// These arguments for a launch on a device, and the memory objects that the launch keeps
    /// alive.
    fn values(&self, args: &[Option<Arg>], device: &Device) -> Res<(Vec<ArgValue>, Vec<Arc<Mem>>)> {
        let mut kept = Vec::new();
        let value = |arg: &Option<Arg>| {
            Ok(match arg {
                None => return Err(because(CL_INVALID_KERNEL_ARGS, || self.missing_args())),
                Some(Arg::Bytes(bytes)) => ArgValue::Bytes(bytes.clone()),
                Some(Arg::Address(address)) => ArgValue::Address(*address),
                Some(Arg::Null) => ArgValue::Null,
                Some(Arg::Local(bytes)) => ArgValue::Local(*bytes),
                Some(Arg::Mem(mem)) => {
                    let mem = mem.upgrade().ok_or(ErrorCode(CL_INVALID_MEM_OBJECT))?;
                    // `kept` keeps the memory alive. Checked code has to know the buffer.
                    let value = match runtime::checks::is_in_use() {
                        true => ArgValue::Buffer(mem.buffer.clone(), 0),
                        false => ArgValue::Address(mem.buffer.start() as usize),
                    };
                    kept.push(mem);
                    value
                }
                Some(Arg::Image(mem, access)) => {
                    let mem = mem.upgrade().ok_or(ErrorCode(CL_INVALID_MEM_OBJECT))?;
                    let image = mem.image()?;
                    let value = ArgValue::Image(image.image.clone(), image.descriptor(device, *access)?);
                    kept.push(mem);
                    value
                }
                Some(Arg::Sampler(sampler)) => {
                    let images = device.device.images().ok_or(ErrorCode(CL_INVALID_OPERATION))?;
                    ArgValue::Bytes(images.sampler(*sampler).to_ne_bytes().to_vec())
                }
            })
        };
        let values = args.iter().map(value).collect::<Res<_>>()?;
        Ok((values, kept))
    }

    /// A list of the arguments without a value, for error messages.
    pub fn missing_args(&self) -> String {
        // The caller may hold the lock of the arguments: without it, the message names none.
        let missing: Vec<String> = match self.args.try_lock() {
            Ok(args) => {
                args.iter().enumerate().filter(|(_, arg)| arg.is_none()).map(|(i, _)| i.to_string()).collect()
            }
            Err(_) => Vec::new(),
        };
        match missing.is_empty() {
            true => format!("kernel '{}' has arguments without a value", self.info.name),
            false => format!("kernel '{}' has no value for argument {}", self.info.name, missing.join(", ")),
        }
    }

    /// Whether every argument is set.
    pub fn is_complete(&self) -> bool {
        lock(&self.args).iter().all(Option::is_some)
    }

    /// The bytes of local memory of a work-group: the kernel's variables and arguments.
    pub fn local_memory(&self) -> usize {
        let size = |arg: &Option<Arg>| if let Some(Arg::Local(bytes)) = arg { *bytes } else { 0 };
        let dynamic = lock(&self.args).iter().map(size).fold(0usize, usize::saturating_add);
        self.info.local_memory_size.saturating_add(dynamic)
    }

    /// The most work-items of a work-group.
    fn max_work_group_size(&self, device: &Device) -> usize {
        let most = device.compiler().max_work_group_size;
        self.info.reqd_work_group_size.map_or(most, |size| size.iter().product())
    }

    /// The local size for a launch over `global` on `device` that names none.
    pub fn choose_local_size(&self, global: &[usize], device: &Device) -> Res<Vec<usize>> {
        let (built, kernel) = self.code_for(device)?;
        Ok(kernel.choose_local_size(global, device.compute_units(), !built.is_uniform()))
    }

    /// Launches in `queue` of the kernel over `range`, whose local size was checked, with the
    /// arguments it has now.
    pub fn prepare(&self, range: NdRange, queue: &Queue) -> Res<Prepared> {
        // The lock is free before code is made, which may take long and tell the program.
        let (values, kept) = self.values(&lock(&self.args), &queue.device)?;
        self.launch(values, kept, range, queue)
    }

    /// A launch with other arguments than the kernel has now.
    pub fn prepare_with(&self, args: &[Option<Arg>], range: NdRange, queue: &Queue) -> Res<Prepared> {
        let (values, kept) = self.values(args, &queue.device)?;
        self.launch(values, kept, range, queue)
    }

    fn launch(
        &self,
        values: Vec<ArgValue>,
        kept: Vec<Arc<Mem>>,
        range: NdRange,
        queue: &Queue,
    ) -> Res<Prepared> {
        let (_, kernel) = self.code_for(&queue.device)?;
        let choice = kernel.choose(&range, &values);
        let choice = choice
            .map_err(|e| because(CL_OUT_OF_RESOURCES, || format!("kernel '{}': {e}", self.info.name)))?;
        let threads = queue.threads();
        let is_checked = !choice.executable.facts().checks.is_none();
        let listener = is_checked.then(|| self.program.context.message_callback());
        Ok(Prepared { choice, range, values, kept, threads, listener })
    }

    pub fn info(&self, name: cl_uint) -> Res<Answer> {
        Ok(match name {
            CL_KERNEL_FUNCTION_NAME => self.info.name.as_str().into(),
            CL_KERNEL_NUM_ARGS => (self.info.args.len() as cl_uint).into(),
            CL_KERNEL_REFERENCE_COUNT => self.owner.references().into(),
            CL_KERNEL_CONTEXT => self.program.context.handle().into(),
            CL_KERNEL_PROGRAM => self.program.handle().into(),
            CL_KERNEL_ATTRIBUTES if self.program.source.is_some() => self.attributes().as_str().into(),
            CL_KERNEL_ATTRIBUTES => "".into(),
            _ => return err(CL_INVALID_VALUE),
        })
    }

    fn attributes(&self) -> String {
        let sizes = [
            ("reqd_work_group_size", self.info.reqd_work_group_size),
            ("work_group_size_hint", self.info.work_group_size_hint),
        ];
        let spell =
            |(name, size): (&str, Option<[usize; 3]>)| size.map(|[x, y, z]| format!("{name}({x},{y},{z})"));
        let hint = self.info.vec_type_hint.iter().map(|name| format!("vec_type_hint({name})"));
        let sub_group = self.info.reqd_sub_group_size.map(|n| format!("intel_reqd_sub_group_size({n})"));
        sizes.into_iter().filter_map(spell).chain(hint).chain(sub_group).collect::<Vec<_>>().join(" ")
    }

    pub fn work_group_info(&self, device: &Device, name: cl_uint) -> Res<Answer> {
        Ok(match name {
            CL_KERNEL_WORK_GROUP_SIZE => self.max_work_group_size(device).into(),
            CL_KERNEL_COMPILE_WORK_GROUP_SIZE => {
                self.info.reqd_work_group_size.unwrap_or([0; 3]).as_slice().into()
            }
            CL_KERNEL_LOCAL_MEM_SIZE => (self.local_memory() as u64).into(),
            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
                let width = self.code_for(device).ok().and_then(|(_, kernel)| kernel.work_width().ok());
                // Scalar code has no preferred multiple.
                width.filter(|width| *width > 1).unwrap_or_else(|| device.preferred_multiple()).into()
            }
            // Kernels use the CPU's registers: there is no spill memory to report.
            CL_KERNEL_SPILL_MEM_SIZE_INTEL => 0u64.into(),
            CL_KERNEL_PRIVATE_MEM_SIZE => (self.info.private_memory_size as u64).into(),
            // Only of custom devices and built-in kernels, CL_KERNEL_GLOBAL_WORK_SIZE included.
            _ => return err(CL_INVALID_VALUE),
        })
    }

    /// `input` is a local size or a number of sub-groups; `size` is how many bytes there are for
    /// the answer, which may be a local size of up to three dimensions.
    pub fn sub_group_info(
        &self,
        device: &Device,
        name: cl_uint,
        input: &[usize],
        size: usize,
    ) -> Res<Answer> {
        let (_, kernel) = self.code_for(device)?;
        let failed = |e: compiler::Error| match e {
            compiler::Error::InvalidValue(_) => ErrorCode(CL_INVALID_VALUE),
            compiler::Error::FeatureUnsupported(_) => ErrorCode(CL_INVALID_OPERATION),
            _ => ErrorCode(CL_OUT_OF_RESOURCES),
        };
        device.compiler().check_sub_groups().map_err(failed)?;
        let most = device.compiler().max_work_group_size;
        let local_size = || {
            ensure((1..=3).contains(&input.len()), CL_INVALID_VALUE)?;
            let mut size = [1; 3];
            size[..input.len()].copy_from_slice(input);
            let items = size.iter().fold(1usize, |product, n| product.saturating_mul(*n));
            ensure(items <= most, CL_INVALID_VALUE)?;
            Ok(size)
        };
        Ok(match name {
            CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE => {
                kernel.sub_group_size(local_size()?).map_err(failed)?.into()
            }
            CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => {
                let local_size = local_size()?;
                let size = kernel.sub_group_size(local_size).map_err(failed)?;
                local_size.iter().product::<usize>().div_ceil(size).into()
            }
            CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => {
                let [count] = input else { return err(CL_INVALID_VALUE) };
                let found = kernel.local_size_for_sub_group_count(*count).map_err(failed)?;
                // As many dimensions as there is room for.
                let dims = (size / size_of::<usize>()).clamp(1, 3);
                found[..dims].into()
            }
            CL_KERNEL_MAX_NUM_SUB_GROUPS => kernel.max_sub_group_count().map_err(failed)?.into(),
            // There is no attribute for it in OpenCL C.
            CL_KERNEL_COMPILE_NUM_SUB_GROUPS => 0usize.into(),
            CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL => self.info.reqd_sub_group_size.unwrap_or(0).into(),
            _ => return err(CL_INVALID_VALUE),
        })
    }

    pub fn arg_info(&self, index: usize, name: cl_uint) -> Res<Answer> {
        let arg = &self.info.args[index];
        let known = |text: &String| {
            if text.is_empty() { err(CL_KERNEL_ARG_INFO_NOT_AVAILABLE) } else { Ok(text.as_str().into()) }
        };
        Ok(match name {
            CL_KERNEL_ARG_ADDRESS_QUALIFIER => match arg.kind {
                ArgKind::Value | ArgKind::Sampler => CL_KERNEL_ARG_ADDRESS_PRIVATE,
                ArgKind::Global | ArgKind::Image => CL_KERNEL_ARG_ADDRESS_GLOBAL,
                ArgKind::Constant => CL_KERNEL_ARG_ADDRESS_CONSTANT,
                ArgKind::Local => CL_KERNEL_ARG_ADDRESS_LOCAL,
            }
            .into(),
            CL_KERNEL_ARG_ACCESS_QUALIFIER => match arg.image.map(|image| image.access) {
                None => CL_KERNEL_ARG_ACCESS_NONE,
                Some(Access::ReadOnly) => CL_KERNEL_ARG_ACCESS_READ_ONLY,
                Some(Access::WriteOnly) => CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
                Some(Access::ReadWrite) => CL_KERNEL_ARG_ACCESS_READ_WRITE,
            }
            .into(),
            CL_KERNEL_ARG_TYPE_NAME => return known(&arg.type_name),
            CL_KERNEL_ARG_TYPE_QUALIFIER => {
                let bit = |word: &str| match word {
                    "const" => CL_KERNEL_ARG_TYPE_CONST,
                    "restrict" => CL_KERNEL_ARG_TYPE_RESTRICT,
                    "volatile" => CL_KERNEL_ARG_TYPE_VOLATILE,
                    _ => CL_KERNEL_ARG_TYPE_NONE.into(),
                };
                arg.type_qualifiers.split_whitespace().map(bit).fold(0u64, |all, bit| all | bit).into()
            }
            CL_KERNEL_ARG_NAME => return known(&arg.name),
            _ => return err(CL_INVALID_VALUE),
        })
    }
}

/// A prepared launch of a kernel, which can be run any number of times.
pub struct Prepared {
    choice: ChosenCode,
    range: NdRange,
    values: Vec<ArgValue>,
    kept: Vec<Arc<Mem>>,
    threads: usize,
    /// Receives the reports of checked code.
    listener: Option<NotifyCallback>,
}

impl Prepared {
    pub fn command(&self) -> Res<Command> {
        let ChosenCode { executable, timing } = &self.choice;
        let facts = executable.facts();
        let packed = PackedArgs::pack(facts, &self.values);
        let mut packed = packed.map_err(|e| because(CL_INVALID_KERNEL_ARGS, || e.to_string()))?;
        packed.keep(&self.kept);
        let mut launch = Launch::new(executable.clone(), self.range, packed).map_err(|e| {
            let code = match e {
                LaunchError::Dimensions { .. } | LaunchError::TooManyDimensions { .. } => {
                    CL_INVALID_WORK_DIMENSION
                }
                LaunchError::Offset { .. } | LaunchError::NotFromZero => CL_INVALID_GLOBAL_OFFSET,
                LaunchError::TooManyGroups | LaunchError::NotSmall { .. } => CL_INVALID_GLOBAL_WORK_SIZE,
                LaunchError::GroupTooLarge { .. } | LaunchError::EmptyGroup { .. } => {
                    CL_INVALID_WORK_GROUP_SIZE
                }
                _ => CL_OUT_OF_RESOURCES,
            };
            because(code, || format!("kernel '{}': {e}", facts.name))
        })?;
        launch.limit_threads(self.threads);
        launch.report_to(timing.clone());
        if let Some(listener) = &self.listener {
            launch.report_checks_to(listener.clone());
        }
        Ok(Command::launch(launch))
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.program.kernels.fetch_sub(1, SeqCst);
    }
}
