//! Strings to and from C.

use llvm_sys::core::LLVMDisposeMessage;
use std::ffi::{CStr, CString, c_char};

/// A C string; a NUL inside ends it, as it would in C.
pub(crate) fn c(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).expect("no NUL is left")
}

/// The same of bytes in any encoding.
pub(crate) fn c_bytes(text: &[u8]) -> CString {
    let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
    CString::new(&text[..end]).expect("no NUL is left")
}

/// Copies a message LLVM allocated, and frees it. Null is the empty string.
pub(crate) fn take(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: LLVM hands out NUL-terminated text, which is ours to free.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

/// Copies `len` bytes of text that LLVM owns.
pub(crate) fn copy(text: *const c_char, len: usize) -> String {
    if text.is_null() || len == 0 {
        return String::new();
    }
    // SAFETY: LLVM returned both together.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}
