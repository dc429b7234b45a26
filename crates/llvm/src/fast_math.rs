//! The bits of [`crate::Value::fast_math`].

pub const ALLOW_REASSOC: u32 = 1 << 0;
pub const NO_NANS: u32 = 1 << 1;
pub const NO_INFS: u32 = 1 << 2;
pub const NO_SIGNED_ZEROS: u32 = 1 << 3;
pub const ALLOW_RECIPROCAL: u32 = 1 << 4;
pub const ALLOW_CONTRACT: u32 = 1 << 5;
pub const APPROXIMATE_FUNCTIONS: u32 = 1 << 6;

/// Algebraic transformations, as SPIR-V's `AllowTransform`.
pub const TRANSFORM: u32 = ALLOW_REASSOC | ALLOW_CONTRACT | APPROXIMATE_FUNCTIONS;
/// `-cl-unsafe-math-optimizations`: all but the assumption that there are no NaNs and infinities.
pub const UNSAFE: u32 = TRANSFORM | NO_SIGNED_ZEROS | ALLOW_RECIPROCAL;
pub const ALL: u32 = UNSAFE | NO_NANS | NO_INFS;
