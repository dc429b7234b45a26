//! LinkBuiltins: links the library functions that the module calls, and only those.
//!
//! ```text
//! declare i32 @_Z3maxii(i32, i32)   →   define internal i32 @_Z3maxii(i32 %a, i32 %b) { … }
//! ```
//!
//! Linked functions are internal, so that one that is inlined everywhere leaves no body behind.
//! Needs nothing; preserves the bodies of the module's own functions. Work-item builtins
//! (`__mux_*`), which must be defined after vectorization, are not in the library:
//! DefineMuxBuiltins defines them.

use crate::{Pass, PassContext, PassError};
use analysis::Preserved;
use ir::Builtin;
use llvm::{Function, Module};

/// Links the definitions of a library that a module refers to, as internal functions. Functions
/// that it does not have stay declared.
pub type Library = fn(&Module) -> Result<(), llvm::Error>;

pub struct LinkBuiltins {
    pub library: Library,
}

impl Pass for LinkBuiltins {
    fn name(&self) -> &'static str {
        "link-builtins"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let missing = |f: &llvm::Function| {
            f.is_declaration() && !f.is_intrinsic() && f.is_used() && Builtin::of(*f).is_none()
        };
        if !cx.module.functions().iter().any(missing) {
            return Ok(Preserved::All);
        }
        (self.library)(cx.module)?;
        Ok(Preserved::None)
    }
}

/// Replaces a declared function by a function of the library with the same meaning.
pub(crate) fn rename(module: &Module, function: Function, wanted: &str) -> Result<(), PassError> {
    let Some(known) = module.function(wanted) else {
        function.set_name(wanted);
        return Ok(());
    };
    if known.function_type() != function.function_type() {
        let message = format!("'{}' and '{wanted}' have different types", function.name());
        return Err(PassError::in_function(function, message));
    }
    function.replace_all_uses_with(known.into());
    function.erase();
    Ok(())
}
