//! LinkBuiltins: links the library functions that the module calls, and only those.
//!
//! ```text
//! declare i32 @_Z3maxii(i32, i32)   →   define internal i32 @_Z3maxii(i32 %a, i32 %b) { … }
//! ```
//!
//! Linked functions are internal, so that what is inlined everywhere leaves nothing behind. Needs nothing; preserves the
//! bodies of the module's own functions. Work-item builtins (`__mux_*`), which must be defined after vectorization, are
//! not in the library: DefineMuxBuiltins defines them.

use crate::{Pass, PassContext, PassError};
use analysis::Preserved;
use llvm::{LinkMode, Module};

pub struct LinkBuiltins {
    /// The library as bitcode.
    pub library: &'static [u8],
}

impl Pass for LinkBuiltins {
    fn name(&self) -> &'static str {
        "link-builtins"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let missing = |f: &llvm::Function| f.is_declaration() && !f.is_intrinsic() && f.is_used();
        if !cx.module.functions().iter().any(missing) {
            return Ok(Preserved::All);
        }
        let library = Module::open_bitcode(cx.module.context(), self.library)
            .map_err(|e| PassError::new(format!("the builtin library is unreadable: {e}")))?;
        // The library's layout is that of the front end's triple; the module may have its target's by now.
        library.set_triple(&cx.module.triple());
        library.set_data_layout(&cx.module.data_layout());
        cx.module.link(library, LinkMode::OnlyNeeded).map_err(PassError::new)?;
        Ok(Preserved::None)
    }
}
