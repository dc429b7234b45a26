//! ResolveAddressSpaces: answers which address space a generic pointer points into.
//!
//! ```text
//! %g = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
//! %q = call ptr addrspace(1) @__to_global(ptr addrspace(4) %g)
//! %f = call i32 @_Z9get_fencePU3AS4v(ptr addrspace(4) %g)
//! ───►
//! %q = addrspacecast ptr addrspace(4) %g to ptr addrspace(1)
//! %f = 2 (CLK_GLOBAL_MEM_FENCE)
//! ```
//!
//! On a CPU all address spaces are one memory, so that an address does not tell: a pointer is
//! followed to the cast that made it generic, also through PHIs and selects. Functions that ask are
//! inlined into the kernels for that. A pointer that was itself loaded from memory is taken for a
//! global one. Runs on simplified kernels; without such questions it changes nothing.

use crate::prepare_barriers::{callers_of, inline_calls, refuse_recursion};
use crate::{Pass, PassContext, PassError, Registry, wrap};
use analysis::Preserved;
use ir::address_space::{GENERIC, GLOBAL, LOCAL, PRIVATE};
use ir::mangling;
use llvm::{Builder, Context, Function, Opcode, Value};
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, Default)]
pub struct ResolveAddressSpaces;

pub(crate) fn register(registry: &mut Registry) {
    let summary = "answer which address space a generic pointer points into";
    registry.register("resolve-address-spaces", summary, |_| Ok(ResolveAddressSpaces));
}

/// The query about a pointer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    /// `to_global` and the like: the pointer in that address space, or null.
    To(u32),
    Fence,
}

fn question(f: Function) -> Option<Question> {
    if !f.is_declaration() {
        return None;
    }
    match f.name().as_str() {
        "__to_global" => Some(Question::To(GLOBAL)),
        "__to_local" => Some(Question::To(LOCAL)),
        "__to_private" => Some(Question::To(PRIVATE)),
        name => mangling::demangle(name).filter(|(name, _)| *name == "get_fence").map(|_| Question::Fence),
    }
}

impl Pass for ResolveAddressSpaces {
    fn name(&self) -> &'static str {
        "resolve-address-spaces"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let module = cx.module;
        let questions: Vec<_> =
            module.functions().into_iter().filter_map(|f| Some((f, question(f)?))).collect();
        if questions.is_empty() {
            return Ok(Preserved::All);
        }
        let askers = callers_of(module, |f| question(f).is_some());
        refuse_recursion(module, &askers, "questions about address spaces")?;
        for kernel in wrap::entry_points(module) {
            inline_calls(kernel, &askers)?;
        }
        module.run_passes("function(sroa,early-cse)", None).map_err(PassError::new)?;
        for (function, question) in questions {
            let uses = function.uses();
            if uses.others {
                let message =
                    format!("the address of '{}' is taken, which OpenCL C does not allow", function.name());
                return Err(PassError::address_taken(function, &message));
            }
            for call in uses.calls {
                answer(module.context(), call, question)?;
            }
            function.erase();
        }
        Ok(Preserved::None)
    }
}

fn answer(context: &Context, call: Value, question: Question) -> Result<(), PassError> {
    let args = call.call_args();
    let &[pointer] = &args[..] else {
        return Err(PassError::at(call, "the function takes one pointer".to_owned()));
    };
    let fits = |space: u32| call.ty().is_ptr() && call.ty().address_space() == space;
    let result_fits = match question {
        Question::To(space) => fits(space),
        Question::Fence => call.ty() == context.i32(),
    };
    if !result_fits || !pointer.ty().is_ptr() || pointer.ty().address_space() != GENERIC {
        return Err(PassError::at(call, "the call is not as OpenCL C declares it".to_owned()));
    }
    let inside = |space| Origin { context, space, known: HashMap::new() }.of(pointer);
    let (in_first, in_second) = match question {
        Question::To(space) => (inside(space), None),
        Question::Fence => (inside(LOCAL), Some(inside(GLOBAL))),
    };
    let b = Builder::before(context, call);
    let value = match in_second {
        None => {
            let cast = || b.address_space_cast(pointer, call.ty(), "");
            match in_first.as_const_int() {
                Some(0) => call.ty().zero(),
                Some(_) => cast(),
                None => b.select(in_first, cast(), call.ty().zero(), ""),
            }
        }
        // The flags of `mem_fence`.
        Some(in_global) => {
            let global = b.select(in_global, b.i32(2), b.i32(0), "");
            b.select(in_first, b.i32(1), global, "")
        }
    };
    call.replace_all_uses_with(value);
    call.erase();
    Ok(())
}

/// Builds, for each pointer, the `i1` whether it points into one address space.
struct Origin<'a> {
    context: &'a Context,
    space: u32,
    known: HashMap<Value, Value>,
}

impl Origin<'_> {
    fn of(&mut self, pointer: Value) -> Value {
        if let Some(known) = self.known.get(&pointer) {
            return *known;
        }
        let i1 = self.context.i1();
        let constant = |space: u32| i1.const_int(u64::from(space == self.space));
        let answer = match pointer.opcode() {
            Some(Opcode::LLVMAddrSpaceCast) => constant(pointer.operand(0).ty().address_space()),
            Some(Opcode::LLVMGetElementPtr | Opcode::LLVMFreeze | Opcode::LLVMBitCast) => {
                self.of(pointer.operand(0))
            }
            Some(Opcode::LLVMSelect) => {
                let (yes, no) = (self.of(pointer.operand(1)), self.of(pointer.operand(2)));
                Builder::before(self.context, pointer).select(pointer.operand(0), yes, no, "")
            }
            Some(Opcode::LLVMPHI) => {
                let phi = Builder::before(self.context, pointer).phi(i1, "");
                self.known.insert(pointer, phi);
                for (value, block) in pointer.incoming() {
                    let value = self.of(value);
                    phi.add_incoming(value, block);
                }
                phi
            }
            _ if pointer.is_constant() && (pointer.is_zero() || pointer.is_undef_or_poison()) => i1.zero(),
            _ => constant(GLOBAL),
        };
        self.known.insert(pointer, answer);
        answer
    }
}
