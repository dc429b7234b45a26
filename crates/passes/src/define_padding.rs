//! DefinePadding: gives the fourth element of a vector of three a value when it is stored.
//!
//! ```text
//! %four = shufflevector <3 x i8> %v, <3 x i8> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 poison>
//! store <4 x i8> %four, ptr %p
//! ───►
//! %four = shufflevector <3 x i8> %v, <3 x i8> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 2>
//! store <4 x i8> %four, ptr %p
//! ```
//!
//! If the fourth element were poison, memory that is later read as one word would be poison as a
//! whole: in LLVM's store-to-load forwarding, and in the vectorizer's loads of records. Runs before
//! LLVM's passes. Changes only what is stored.

use crate::{Pass, PassContext, PassError};
use analysis::Preserved;
use llvm::{Builder, Opcode, Value};

#[derive(Clone, Copy, Debug, Default)]
pub struct DefinePadding;

impl Pass for DefinePadding {
    fn name(&self) -> &'static str {
        "define-padding"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        for function in cx.module.functions() {
            for store in function.instructions().into_iter().filter(|i| i.is_store()) {
                if let Some(vector) = padded(store.operand(0)) {
                    let b = Builder::before(cx.module.context(), store);
                    let filled = b.shuffle(vector, vector.ty().poison(), &[0, 1, 2, 2], "");
                    store.set_operand(0, filled);
                }
            }
        }
        Ok(Preserved::control_flow())
    }
}

/// The vector of three that a vector of four was made from.
fn padded(value: Value) -> Option<Value> {
    let shuffle = value.opcode() == Some(Opcode::LLVMShuffleVector) && value.ty().len() == 4;
    let vector = shuffle.then(|| value.operand(0)).filter(|v| v.ty().len() == 3)?;
    // -1 is a poison lane.
    (value.shuffle_mask() == [0, 1, 2, -1]).then_some(vector)
}
