//! InlineImages: inlines the library's functions of images for formats and samplers that are known.
//!
//! ```text
//! %c = call <4 x float> @_Z27__lanewise_image_sample_f_2…(i32 268698882, i32 20, ptr %image, …)
//! ───►
//! the code of this sampler for RGBA of 8 bits
//! ```
//!
//! The functions are calls in canonical form: the code for every format and sampler at each
//! reading would be long, and most of it is never run. With a constant for the format, which
//! SpecializeArguments brings, and for the sampler, LLVM copies only what runs. Where the format
//! is not known, in code that is made ahead of time, calls stay. With `simplify`, the functions
//! that had such calls are simplified.

use crate::{Options, Pass, PassContext, PassError, Registry};
use analysis::Preserved;
use llvm::{Function, Value};

#[derive(Clone, Copy, Debug, Default)]
pub struct InlineImages {
    pub simplify: bool,
}

/// Folds what follows from the constants, and merges what several readings have in common.
const SIMPLIFY: &str = "sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,sccp,gvn<no-pre>,\
    instcombine<no-verify-fixpoint>,adce,simplifycfg";

pub(crate) fn register(registry: &mut Registry) {
    let summary = "inline the library's functions of images: simplify";
    registry.register("inline-images", summary, |options| {
        Ok(InlineImages { simplify: options.flag("simplify")? })
    });
}

/// Whether a function is one of the library that InlineImages inlines where it can.
pub fn is_image_function(f: Function) -> bool {
    let name = f.name();
    let plain = ir::mangling::demangle(&name).map_or("", |(plain, _)| plain);
    plain.starts_with(ir::IMAGE_FUNCTION) && !f.is_declaration()
}

impl Pass for InlineImages {
    fn name(&self) -> &'static str {
        "inline-images"
    }

    fn options(&self) -> Options {
        Options::default().with_flag("simplify", self.simplify)
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let (own, others): (Vec<Function>, Vec<Function>) =
            cx.module.functions().into_iter().partition(|f| is_image_function(*f));
        if own.is_empty() {
            return Ok(Preserved::All);
        }
        for f in others {
            // The first argument is the word with the format.
            let is_call =
                |i: &Value| i.called_function().is_some_and(is_image_function) && i.operand(0).is_constant();
            let mut changed = false;
            loop {
                let calls: Vec<Value> = f.instructions().into_iter().filter(is_call).collect();
                if calls.is_empty() {
                    break;
                }
                changed = true;
                for call in calls {
                    Function::inline(call).map_err(PassError::new)?;
                }
            }
            if changed && self.simplify {
                f.run_passes(SIMPLIFY, cx.machine).map_err(PassError::new)?;
            }
        }
        // The library's functions call each other: erasing one may leave others unused.
        let mut left = own;
        loop {
            let before = left.len();
            left.retain(|f| {
                f.is_used() || {
                    f.erase();
                    false
                }
            });
            if left.len() == before {
                return Ok(Preserved::None);
            }
        }
    }
}
