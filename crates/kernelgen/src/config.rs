//! The features of OpenCL C that the generator may use, and the size of its programs.

use crate::types::Scalar;

/// Parts of OpenCL C that can be switched off, where the compiler under test does not have them
/// yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Features {
    pub vectors: bool,
    pub doubles: bool,
    pub floats: bool,
    pub halves: bool,
    /// Integers of 64 bits. Work-item functions are cast to `uint` where they are not wanted.
    pub longs: bool,
    /// `char`, `uchar`, `short` and `ushort`.
    pub small_integers: bool,
    /// `atomic_add` and the like, on `int` and `uint`.
    pub atomics: bool,
    /// Atomics with orders and scopes, of 64 bits, too, and loops that compare and exchange.
    pub explicit_atomics: bool,
    /// `get_global_linear_id` and `get_local_linear_id`; computed from the other functions where
    /// missing.
    pub linear_ids: bool,
    /// `as_uint`, `as_int`, `as_float` in expressions. (Programs with floats use `as_float` all the
    /// same, to make NaNs alike.)
    pub bitcasts: bool,
    pub helpers: bool,
    /// `__attribute__((noinline))` on some of the helpers.
    pub noinline: bool,
    /// Helpers with barriers inside.
    pub barrier_helpers: bool,
    pub barriers: bool,
    /// `work_group_reduce_add` and the like, where barriers may be.
    pub collectives: bool,
    /// Sub-groups, in some of the kernels with barriers.
    pub sub_groups: bool,
    /// Shuffles and ballots of sub-groups.
    pub shuffles: bool,
    /// `async_work_group_copy`, where barriers may be.
    pub async_copies: bool,
    pub local_memory: bool,
    /// `__local` pointers as arguments.
    pub dynamic_local: bool,
    pub private_arrays: bool,
    /// `/` and `%` on integers.
    pub division: bool,
    pub switches: bool,
    /// Look-ups in constant tables of the program.
    pub tables: bool,
    /// Functions whose results are exactly specified: `rotate`, `add_sat`, `floor`, `fma`, …
    pub builtins: bool,
    /// `vloadN` of inputs, `vstoreN` to outputs.
    pub vector_accesses: bool,
    /// Parameters and results of helpers, and parameters of the kernel, as structures by value.
    pub structs: bool,
    /// Pointers without an address space.
    pub generic_pointers: bool,
    /// `printf` of integers. Off by default: the text goes where the process writes its own.
    pub printf: bool,
    pub offsets: bool,
    /// Local sizes that do not divide the global size.
    pub uneven_groups: bool,
    /// Images and samplers. Off by default, as not every device has them.
    pub images: bool,
}

impl Default for Features {
    fn default() -> Self {
        Self {
            vectors: true,
            doubles: true,
            floats: true,
            halves: true,
            longs: true,
            small_integers: true,
            atomics: true,
            explicit_atomics: true,
            linear_ids: true,
            bitcasts: true,
            helpers: true,
            noinline: true,
            barrier_helpers: true,
            barriers: true,
            collectives: true,
            sub_groups: true,
            shuffles: true,
            async_copies: true,
            local_memory: true,
            dynamic_local: true,
            private_arrays: true,
            division: true,
            switches: true,
            tables: true,
            builtins: true,
            vector_accesses: true,
            structs: true,
            generic_pointers: true,
            printf: false,
            offsets: true,
            uneven_groups: true,
            images: false,
        }
    }
}

/// The shape of the programs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    pub features: Features,
    /// About so many statements in the kernel.
    pub statements: usize,
    /// How deep blocks nest.
    pub block_depth: u32,
    /// How deep expressions nest.
    pub expr_depth: u32,
    pub max_helpers: usize,
    /// Of 100 kernels, so many have barriers.
    pub barrier_percent: u32,
    /// Of 100 kernels with barriers, so many have sub-groups.
    pub sub_group_percent: u32,
    /// Of 100 variables, so many are vectors.
    pub vector_percent: u32,
    /// Of 100 kernels, so many begin with a private array.
    pub array_percent: u32,
    pub min_items: usize,
    pub max_items: usize,
    /// The most work-items in a group of the launch that comes with the program.
    pub max_group: usize,
    pub max_dims: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            features: Features::default(),
            statements: 26,
            block_depth: 3,
            expr_depth: 3,
            max_helpers: 3,
            barrier_percent: 85,
            sub_group_percent: 20,
            vector_percent: 25,
            array_percent: 60,
            min_items: 64,
            max_items: 400,
            max_group: 128,
            max_dims: 3,
        }
    }
}

impl Config {
    /// The shape of a seed's program among many: most are small, as most bugs show in a few
    /// statements, and some are large, as others need more than that.
    pub fn for_many(seed: u64) -> Config {
        let small = |statements, depth, barrier_percent| Config {
            statements,
            block_depth: depth,
            expr_depth: depth,
            max_helpers: 1,
            barrier_percent,
            vector_percent: 15,
            array_percent: 30,
            min_items: 24,
            max_items: 120,
            max_group: 64,
            ..Config::default()
        };
        match seed % 128 {
            127 => Config::default(),
            n if n % 16 == 15 => small(10, 3, 70),
            n if n % 2 == 1 => small(4, 2, 60),
            _ => small(3, 2, 25),
        }
    }

    /// The scalar types that the features allow.
    pub(crate) fn scalars(&self) -> Vec<Scalar> {
        let f = &self.features;
        let mut scalars = vec![Scalar::I32, Scalar::U32, Scalar::I32, Scalar::U32];
        if f.small_integers {
            scalars.extend([Scalar::I8, Scalar::U8, Scalar::I16, Scalar::U16]);
        }
        if f.longs {
            scalars.extend([Scalar::I64, Scalar::U64]);
        }
        if f.floats {
            scalars.extend([Scalar::F32, Scalar::F32]);
        }
        if f.halves {
            scalars.push(Scalar::F16);
        }
        if f.doubles {
            scalars.push(Scalar::F64);
        }
        scalars
    }
}
