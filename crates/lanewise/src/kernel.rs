//! Kernels and their launches.

use crate::{Arg, Error, NdRange, Param, Result};
use jit::ChosenCode;
use runtime::{ArgValue, Command, Launch, PackedArgs, Queue, QueueOptions};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A kernel of a [`Program`](crate::Program), which the kernel keeps alive. Clones are the same
/// kernel. Several threads may launch it at the same time.
#[derive(Clone)]
pub struct Kernel {
    inner: Arc<Inner>,
}

struct Inner {
    program: Arc<jit::Program>,
    kernel: Arc<jit::Kernel>,
    params: Vec<Param>,
    /// The local size must divide the global size.
    must_divide: bool,
}

/// The outcome of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Launched {
    /// How long the kernel ran, without the compilation at the first launch.
    pub duration: Duration,
    /// The size of work-groups that was asked for or chosen; 1 in dimensions that the range does
    /// not have.
    pub local_size: [usize; 3],
}

/// A remark: how the vectorizer compiled a line of a kernel, or why it did not vectorize it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remark {
    /// The line of the source, in a program with the option `-cl-lanewise-remarks`.
    pub line: Option<u32>,
    /// The text.
    pub message: String,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl Kernel {
    pub(crate) fn new(program: &Arc<jit::Program>, kernel: Arc<jit::Kernel>, has_signs: bool) -> Kernel {
        let params = kernel.info().args.iter().map(|arg| Param::new(arg, has_signs)).collect();
        let must_divide = program.module().options().uniform_work_group_size
            || kernel.info().reqd_work_group_size.is_some();
        Kernel { inner: Arc::new(Inner { program: program.clone(), kernel, params, must_divide }) }
    }

    /// The name in the source.
    pub fn name(&self) -> &str {
        self.inner.kernel.name()
    }

    /// The parameters, in order.
    pub fn params(&self) -> &[Param] {
        &self.inner.params
    }

    /// The work-group size that the kernel requires (`reqd_work_group_size`), if any.
    pub fn required_local_size(&self) -> Option<[usize; 3]> {
        self.inner.kernel.info().reqd_work_group_size
    }

    /// Runs the kernel for every work-item of a range, on all cores, and returns when it has run.
    ///
    /// `range` is an array of one to three sizes, or an [`NdRange`] with a local size or an offset.
    /// `arguments` are made by [`args!`](crate::args!):
    ///
    /// - a [value](crate::Pod) for a parameter that is a scalar, vector or structure;
    /// - `&[T]`, `&Vec<T>` or `&[T; N]` for a pointer to `const` or `constant` memory;
    /// - `&mut [T]`, `&mut Vec<T>` or `&mut [T; N]` for any pointer to global or constant memory;
    ///   an empty slice is a null pointer;
    /// - [`Local`](crate::Local) for a pointer to local memory.
    ///
    /// The kernel works on the slices themselves; nothing is copied.
    ///
    /// # Errors
    ///
    /// If arguments do not fit the parameters, if the range suits neither kernel nor device, if the
    /// kernel cannot be compiled for the range, or if there is no memory for its work-groups. The
    /// kernel has not run then, or not for all work-items in the last case.
    ///
    /// # Safety
    ///
    /// A kernel is trusted as C is. For this range and these arguments,
    ///
    /// - every access is within the slices, the local memory and the variables that the kernel was
    ///   given or declares, and aligned as its type asks for;
    /// - the kernel writes to nothing through pointers to `const`, not after a cast either: Rust
    ///   code may be reading there;
    /// - what it stores in slices are no pointers to memory of the kernel that are used later;
    /// - no two work-items access the same place without synchronization if one of them writes;
    /// - all work-items of a work-group reach the same barriers, and loops end;
    /// - a [`Pod`](crate::Pod) structure has the layout of the kernel's structure, also in what it
    ///   does not check: elements of slices of structures.
    ///
    /// In short, it has no undefined behaviour in the sense of OpenCL C. Values that come out wrong
    /// are not unsafe.
    ///
    /// # Example
    ///
    /// ```
    /// # fn main() -> Result<(), lanewise::Error> {
    /// use lanewise::{Error, NdRange, Program, args};
    ///
    /// let source = "kernel void transpose(global const int *in, global int *out) {
    ///     size_t x = get_global_id(0), y = get_global_id(1);
    ///     out[x * get_global_size(1) + y] = in[y * get_global_size(0) + x];
    /// }";
    /// let transpose = Program::new(source)?.kernel("transpose")?;
    /// let input = [1, 2, 3, 4, 5, 6];
    /// let mut output = [0; 6];
    /// // SAFETY: both have as many elements as the range has work-items, each of which writes to another.
    /// let launched = unsafe { transpose.launch([3, 2], args![&input, &mut output]) }?;
    /// assert_eq!(output, [1, 4, 2, 5, 3, 6]);
    /// println!("took {:?} in groups of {:?}", launched.duration, launched.local_size);
    ///
    /// // SAFETY: nothing runs, since the kernel could write through a shared reference.
    /// let refused = unsafe { transpose.launch([3, 2], args![&input, &output]) }.unwrap_err();
    /// assert_eq!(
    ///     refused.to_string(),
    ///     "transpose: argument 1, `global int *out`: &mut [i32] expected, &[i32] given"
    /// );
    /// # Ok(())
    /// # }
    /// ```
    pub unsafe fn launch<const N: usize>(
        &self,
        range: impl Into<NdRange<N>>,
        arguments: &[Arg<'_>],
    ) -> Result<Launched> {
        let values = self.values(arguments)?;
        let range = self.range(range.into())?;
        let kernel = &self.inner.kernel;
        let ChosenCode { executable, timing } = kernel.choose(&range, &values).map_err(|e| self.refuse(e))?;
        let packed = PackedArgs::pack(executable.facts(), &values).map_err(|e| self.refuse(e))?;
        let mut launch = Launch::new(executable, range, packed).map_err(|e| self.refuse(e))?;
        launch.report_to(timing);
        // Each launch has a queue of its own, so that launches of different threads do not wait for
        // each other.
        let queue = Queue::new(QueueOptions { memory: kernel.device().memory(), ..QueueOptions::default() });
        let event = queue.enqueue(Command::launch(launch), &[]).map_err(|e| self.refuse(e))?;
        event.wait().map_err(|e| match queue.take_failure() {
            Some(why) => self.refuse(why),
            None => self.refuse(e),
        })?;
        let times = event.times();
        let duration = Duration::from_nanos(times.ended.saturating_sub(times.started));
        Ok(Launched { duration, local_size: range.local_size })
    }

    /// The vectorizer's remarks on the kernel for ranges whose work-group size is not known.
    /// This compiles the kernel once more.
    ///
    /// ```
    /// # fn main() -> Result<(), lanewise::Error> {
    /// # use lanewise::Program;
    /// let program = Program::builder()
    ///     .options("-cl-lanewise-remarks")
    ///     .source("kernel void k(global int *p, global const int *at) { p[at[get_global_id(0)]] = 1; }")?;
    /// for remark in program.kernel("k")?.remarks()? {
    ///     println!("{remark}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn remarks(&self) -> Result<Vec<Remark>> {
        let _busy = jit::Busy::new();
        let remarks = self.inner.program.module().remarks(Some(self.name()), None);
        let remarks = remarks.map_err(|e| Error::Build { log: e.message().to_owned() })?.into_iter();
        let own = |remark: passes::Remark| Remark {
            line: remark.place.map(|place| place.line),
            message: remark.text,
        };
        Ok(remarks.map(own).collect())
    }

    /// The arguments as the runtime takes them, if all fit.
    fn values(&self, arguments: &[Arg<'_>]) -> Result<Vec<ArgValue>> {
        let params = self.params();
        if arguments.len() != params.len() {
            return Err(Error::ArgumentCount {
                kernel: self.name().to_owned(),
                expected: params.len(),
                given: arguments.len(),
            });
        }
        let take = |(index, (param, argument)): (usize, (&Param, &Arg<'_>))| {
            param.take(argument).map_err(|(expected, given)| Error::Argument {
                kernel: self.name().to_owned(),
                index,
                param: param.to_string(),
                expected,
                given,
            })
        };
        params.iter().zip(arguments).enumerate().map(take).collect()
    }

    /// The range with the given local size, or one chosen for the kernel and the device.
    fn range<const N: usize>(&self, range: NdRange<N>) -> Result<compiler::NdRange> {
        let kernel = &self.inner.kernel;
        let threads = kernel.device().properties().compute_units;
        let local = match range.local {
            Some(local) => local.to_vec(),
            None => kernel.choose_local_size(&range.global, threads, !self.inner.must_divide),
        };
        let whole = compiler::NdRange::new(&range.global, &local).with_offset(&range.offset);
        if let Some(required) = self.required_local_size().filter(|required| *required != whole.local_size) {
            return Err(self.refuse(format!("it requires work-groups of {required:?}, not {local:?}")));
        }
        if whole.local_size.contains(&0) {
            return Err(self.refuse(format!("work-groups of {local:?} are empty")));
        }
        if self.inner.must_divide && !whole.is_uniform() {
            let global = range.global;
            return Err(self.refuse(format!("work-groups of {local:?} do not divide a range of {global:?}")));
        }
        Ok(whole)
    }

    fn refuse(&self, reason: impl fmt::Display) -> Error {
        Error::Launch { kernel: self.name().to_owned(), reason: reason.to_string() }
    }
}

/// The kernel's declaration in OpenCL C.
impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let params: Vec<_> = self.params().iter().map(Param::to_string).collect();
        write!(f, "kernel void {}({})", self.name(), params.join(", "))
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({self})")
    }
}
