//! Random OpenCL C kernels, each with exactly one right answer, and a reference interpreter for
//! them.
//!
//! For differential tests of the compiler: [`generate`] makes a program from a seed,
//! [`Program::source`] is compiled and run, and what its output buffers hold must be byte for byte
//! what [`Program::reference`] says. [`minimize`] cuts a program that shows a difference down to
//! its core.
//!
//! Programs keep a contract, by which there is one right answer: barriers are reached by all
//! work-items of a group or by none, there are no races, no index is out of range, no operation is
//! undefined, no NaN's sign or payload can be seen, and atomics are such that their order does not
//! matter. The interpreter checks the contract while it runs, so a mistake in the generator is
//! found here and not blamed on the compiler.
//!
//! There is no OpenCL and no LLVM in this crate.
#![forbid(unsafe_code)]

mod ast;
mod builtins;
mod check;
mod config;
mod damage;
mod flat;
mod generate;
mod interp;
mod memory;
mod minimize;
mod mistakes;
pub mod picture;
mod print;
mod rng;
mod stats;
mod types;

#[cfg(test)]
mod tests;

use std::fmt;

use ast::{Access, Ast, Role};
use picture::{Picture, Sampler};

pub use config::{Config, Features};
pub use damage::damage_spirv;
pub use generate::generate;
pub use interp::ItemOrder;
pub use minimize::minimize;
pub use mistakes::{MistakeKind, Mistaken};
pub use rng::Rng;
pub use stats::Stats;
pub use types::{Scalar, Type};

/// The most work-items that a group of a generated program may have.
pub const MAX_GROUP: usize = 256;

/// An argument of the kernel, in the order of its parameters. Buffers and `__local` memory must be
/// aligned for the widest vectors, to 64 bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arg {
    /// A `__global` buffer with its first contents; those of outputs are compared afterwards.
    Buffer {
        init: Vec<u8>,
        output: bool,
        type_name: String,
    },
    /// A `__local` pointer to so much memory.
    Local {
        bytes: usize,
    },
    /// An image with its first contents; those of outputs are compared afterwards.
    Image {
        picture: Picture,
        output: bool,
    },
    Sampler(Sampler),
    Scalar {
        bytes: Vec<u8>,
        type_name: String,
    },
}

/// The range of a launch. The local size need not divide the global size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Launch {
    pub work_dim: u32,
    pub global: [usize; 3],
    pub offset: [usize; 3],
    pub local: [usize; 3],
    /// How many work-items a sub-group has, but for the last of a group. It is the compiler's to
    /// choose.
    pub sub_group: usize,
}

/// How a program broke the contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ViolationKind {
    BarrierDivergence,
    OutOfRange,
    Race,
    /// `__local` memory was read before it was written.
    Uninitialised,
    WriteToInput,
    DivisionByZero,
    /// Signed overflow.
    Overflow,
    /// It seems not to end.
    TooLong,
    /// The tree is not a program: only the minimiser can make such a thing.
    Malformed,
}

/// A breach of the contract, with what is needed to see it again.
#[derive(Clone, Debug)]
pub struct Violation {
    pub seed: u64,
    pub kind: ViolationKind,
    pub launch: Launch,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the program of seed {} breaks the contract: {:?} in {:?}",
            self.seed, self.kind, self.launch
        )
    }
}

impl std::error::Error for Violation {}

/// A generated program: the source of one kernel, its arguments, and a launch.
#[derive(Clone, Debug)]
pub struct Program {
    pub seed: u64,
    pub source: String,
    /// The name of the kernel.
    pub kernel: String,
    /// The arguments for `launch`; see [`Program::args_for`] for others.
    pub args: Vec<Arg>,
    pub launch: Launch,
    ast: Ast,
}

impl Program {
    /// Prints the tree and lists the arguments.
    fn from_ast(seed: u64, ast: Ast, launch: Launch) -> Self {
        let mut program = Self {
            seed,
            source: print::source(&[&ast]),
            kernel: ast.kernel.name.clone(),
            args: vec![],
            launch,
            ast,
        };
        program.args = program.args_for(&launch);
        program
    }

    /// One source with the kernels of several programs, and their names.
    pub fn join(programs: &[Program]) -> (String, Vec<String>) {
        let rename = |(k, program): (usize, &Program)| {
            let mut ast = program.ast.clone();
            let functions =
                ast.helpers.iter_mut().chain([&mut ast.kernel]).map(|function| &mut function.name);
            let samplers = ast.samplers.iter_mut().map(|sampler| &mut sampler.name);
            functions.chain(samplers).for_each(|name| name.push_str(&format!("_{k}")));
            ast
        };
        let asts: Vec<Ast> = programs.iter().enumerate().map(rename).collect();
        let source = print::source(&asts.iter().collect::<Vec<_>>());
        (source, asts.into_iter().map(|ast| ast.kernel.name).collect())
    }

    /// Runs the program, each work-item to its next barrier in turn. Gives the contents of every
    /// buffer argument, in order, after the launch, and then of every image; and last, if it
    /// prints, the lines of its text in the order of bytes.
    ///
    /// # Panics
    ///
    /// When the program breaks the contract.
    pub fn reference(&self, launch: &Launch) -> Vec<Vec<u8>> {
        self.check(launch, ItemOrder::Forward)
            .unwrap_or_else(|violation| panic!("{violation}\n{}", self.source))
    }

    /// The same as [`Program::reference`] without the panic, and with a choice of the order.
    pub fn check(&self, launch: &Launch, order: ItemOrder) -> Result<Vec<Vec<u8>>, Violation> {
        let violation = |kind| Violation { seed: self.seed, kind, launch: *launch };
        let interp::Outcome { memories, pictures, mut printed } =
            interp::run(&self.ast, launch, order).map_err(violation)?;
        let mems = self.ast.kernel.mems.iter().zip(memories);
        let mems = mems.filter(|(mem, _)| mem.is_buffer() && !mem.dropped).map(|(_, bytes)| bytes);
        let images = self.ast.images.iter().zip(pictures);
        let images = images.filter(|(image, _)| !image.dropped).map(|(_, picture)| picture.bytes);
        printed.sort();
        let text = self.prints().then(|| printed.join("\n").into_bytes());
        Ok(mems.chain(images).chain(text).collect())
    }

    /// Whether the program has calls of `printf`.
    pub fn prints(&self) -> bool {
        let mut found = false;
        let functions = self.ast.functions();
        functions.for_each(|f| ast::walk(&f.body, &mut |s| found |= matches!(s, ast::Stmt::Print(..))));
        found
    }

    /// The program that gets these bytes in the first ones of its first buffer, as many as there
    /// are.
    pub fn with_input(&self, bytes: &[u8]) -> Self {
        let mut ast = self.ast.clone();
        let buffer = ast.kernel.mems.iter_mut().find(|mem| mem.is_buffer() && !mem.dropped);
        if let Some(init) = buffer.map(|mem| &mut mem.init) {
            let count = bytes.len().min(init.len());
            init[..count].copy_from_slice(&bytes[..count]);
        }
        Self::from_ast(self.seed, ast, self.launch)
    }

    /// The launch with another local size, under which the program is as well defined. Sizes of
    /// dimensions that the launch does not have are taken as 1.
    ///
    /// # Panics
    ///
    /// When the group would be empty or have more than [`MAX_GROUP`] work-items.
    pub fn with_local(&self, local: [usize; 3]) -> Launch {
        let mut launch = self.launch;
        for (d, size) in local.into_iter().enumerate() {
            launch.local[d] = if d < launch.work_dim as usize { size } else { 1 };
        }
        let items: usize = launch.local.iter().product();
        assert!((1..=MAX_GROUP).contains(&items), "a group of {items} work-items");
        launch
    }

    /// The same program with another launch as its own, for example to minimise what fails only
    /// there.
    pub fn relaunched(&self, launch: &Launch) -> Self {
        Self { launch: *launch, args: self.args_for(launch), ..self.clone() }
    }

    /// The arguments for a launch: the sizes of `__local` ones depend on it.
    pub fn args_for(&self, launch: &Launch) -> Vec<Arg> {
        let kernel = &self.ast.kernel;
        let items: usize = launch.local.iter().product();
        let mut args = vec![];
        for mem in kernel.mems.iter().filter(|m| !m.dropped) {
            match mem.role {
                Role::Slots { dynamic: true } => args.push(Arg::Local { bytes: items * mem.ty.bytes() }),
                Role::Slots { dynamic: false } | Role::LocalAtomic => {}
                role => args.push(Arg::Buffer {
                    init: mem.init.clone(),
                    output: role != Role::Input,
                    type_name: mem.ty.name(),
                }),
            }
        }
        for image in self.ast.images.iter().filter(|image| !image.dropped) {
            let output = image.access != Access::Read;
            args.push(Arg::Image { picture: image.picture.clone(), output });
        }
        let samplers = self.ast.samplers.iter().filter(|sampler| sampler.is_argument);
        args.extend(samplers.map(|sampler| Arg::Sampler(sampler.sampler)));
        let scalars = kernel.params.iter().zip(&self.ast.scalars).map(|(&param, bits)| {
            let ty = kernel.vars[param].ty;
            (bits.to_le_bytes()[..ty.bytes()].to_vec(), ty.name())
        });
        if kernel.by_struct && !kernel.params.is_empty() {
            let mut fields = Vec::new();
            let mut most = 1;
            for (field, _) in scalars {
                most = most.max(field.len());
                fields.resize(fields.len().next_multiple_of(field.len()), 0);
                fields.extend(field);
            }
            fields.resize(fields.len().next_multiple_of(most), 0);
            args.push(Arg::Scalar { bytes: fields, type_name: print::parameters_name(kernel) });
        } else {
            args.extend(scalars.map(|(bytes, type_name)| Arg::Scalar { bytes, type_name }));
        }
        args
    }

    /// Which of the interesting constructs the program has.
    pub fn stats(&self) -> Stats {
        stats::collect(self)
    }
}
