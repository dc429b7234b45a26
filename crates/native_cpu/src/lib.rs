//! The Native CPU target: ahead-of-time objects in which each kernel is a C function that runs one
//! work-group.
//!
//! The way of a kernel is the default one up to the work-item loops. Then [`PrepareSyclNativeCpu`]
//! adds the pointer to the state, which the builtins read (`state.rs`), and [`AddSubHandler`] wraps
//! the kernel into a function of the kernel's own name that takes packed arguments and the state.
//! `include/lanewise_native_cpu.h` is the C side of it.
//!
//! Objects are for this machine or for any other that LLVM makes code for: `cpu.rs` has what is
//! known of their CPUs, and `math.rs` their instructions for mathematics. An object calls nothing
//! but C's library: [`LowerHalf`] brings conversions of half where the CPU has none,
//! [`LowerUnaligned`] vectors of records without padding, and [`LowerPrintfToC`] prints.
#![forbid(unsafe_code)]

mod add_sub_handler;
mod backend;
mod cpu;
mod lower_half;
mod lower_printf_to_c;
mod lower_spirv_variables;
mod lower_unaligned;
mod math;
mod prepare_sycl_native_cpu;
mod state;
mod tidy_up;

pub use add_sub_handler::AddSubHandler;
pub use backend::{compilers, native_cpu_info};
pub use lower_half::LowerHalf;
pub use lower_printf_to_c::LowerPrintfToC;
pub use lower_spirv_variables::LowerSpirvVariables;
pub use lower_unaligned::LowerUnaligned;
pub use prepare_sycl_native_cpu::PrepareSyclNativeCpu;
pub use state::NativeCpuBuiltins;
pub use tidy_up::TidyUp;

/// The C header that programs include.
pub const HEADER: &str = include_str!("../include/lanewise_native_cpu.h");
