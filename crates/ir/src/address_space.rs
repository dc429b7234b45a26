//! The address spaces of mux IR.

pub const PRIVATE: u32 = 0;
pub const GLOBAL: u32 = 1;
pub const CONSTANT: u32 = 2;
pub const LOCAL: u32 = 3;
pub const GENERIC: u32 = 4;
