//! The floating-point mode kernels run in.
//!
//! Kernels expect rounding to nearest and denormals as they are. A program that helps while it
//! waits may have set something else on its thread, and workers inherit the mode of the thread that
//! starts them.

/// While it lives, the calling thread has the mode kernels expect; then its own again.
pub struct KernelMode {
    /// The thread's own mode, if it differs.
    #[cfg(target_arch = "x86_64")]
    own: Option<u32>,
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::asm;

    /// All exceptions masked, to nearest, denormals kept.
    pub const DEFAULT: u32 = 0x1f80;
    /// The control bits, from denormals-are-zero on; the bits below are status flags.
    pub const CONTROL: u32 = 0xffc0;

    pub fn get() -> u32 {
        let mut mode = 0u32;
        // SAFETY: stores the register to `mode`.
        unsafe { asm!("stmxcsr [{}]", in(reg) &mut mode, options(nostack, preserves_flags)) };
        mode
    }

    pub fn set(mode: u32) {
        // SAFETY: `mode` came from `get` or is the default, both without reserved bits;
        // `KernelMode` lets no Rust code that computes with floats run meanwhile.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &mode, options(nostack, preserves_flags, readonly)) };
    }
}

#[cfg(target_arch = "x86_64")]
impl KernelMode {
    pub fn enter() -> KernelMode {
        let now = x86::get();
        let differs = now & x86::CONTROL != x86::DEFAULT;
        if differs {
            x86::set(x86::DEFAULT);
        }
        KernelMode { own: differs.then_some(now) }
    }
}

#[cfg(target_arch = "x86_64")]
impl Drop for KernelMode {
    fn drop(&mut self) {
        if let Some(mode) = self.own {
            x86::set(mode);
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl KernelMode {
    pub fn enter() -> KernelMode {
        KernelMode {}
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn changes_and_restores() {
        let flush_to_zero = x86::DEFAULT | 0x8040;
        x86::set(flush_to_zero);
        {
            let _mode = KernelMode::enter();
            assert_eq!(x86::get() & x86::CONTROL, x86::DEFAULT);
        }
        assert_eq!(x86::get() & x86::CONTROL, flush_to_zero);
        x86::set(x86::DEFAULT);
    }
}
