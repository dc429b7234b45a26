//! Environment variables, and warnings about their values.

use std::collections::HashSet;
use std::io::Write as _;
use std::sync::Mutex;

/// A variable that is 0 or 1, and `usual` if it is not set. Any other value is ignored with a
/// warning.
pub fn is_on(name: &str, usual: bool) -> bool {
    let text = std::env::var_os(name).unwrap_or_default();
    match text.to_str() {
        Some("0") => false,
        Some("1") => true,
        Some("") => usual,
        _ => {
            warn_once(&format!("{name}={text:?} is ignored: expected 0 or 1"));
            usual
        }
    }
}

/// Writes a warning to standard error, the first time it is given.
pub fn warn_once(message: &str) {
    static TOLD: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    let mut told = TOLD.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if told.get_or_insert_default().insert(message.to_owned()) {
        // Standard error may be closed.
        let _ = writeln!(std::io::stderr(), "lanewise: {message}");
    }
}
