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
//! A pointer is followed to the cast that made it generic, also through PHIs and selects. Functions
//! with such queries are inlined into the kernels first. The address of a pointer that was loaded
//! from memory, or comes from elsewhere, is compared with the ranges of private and local memory at
//! run time ([`AddressRanges`]). Runs on simplified kernels; changes no kernel without such
//! queries.

use crate::callgraph::calls_of;
use crate::prepare_barriers::{callers_of, inline_calls, refuse_recursion};
use crate::{Pass, PassContext, PassError, wrap};
use analysis::Preserved;
use ir::address_space::{GENERIC, GLOBAL, LOCAL, PRIVATE};
use ir::{Builtin, attributes, mangling};
use llvm::{Builder, Context, Function, IntPredicate, Module, Opcode, Value};
use std::collections::{HashMap, HashSet};

#[derive(Clone, Copy, Debug, Default)]
pub struct ResolveAddressSpaces;

/// A query about a generic pointer.
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
            for call in calls_of(function)? {
                answer(module, call, question)?;
            }
            function.erase();
        }
        Ok(Preserved::None)
    }
}

fn answer(module: &Module, call: Value, question: Question) -> Result<(), PassError> {
    let context = module.context();
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
    let kernel = call.block().expect("a call is in a block").function();
    let ranges = (attributes::is_kernel(kernel) && !is_traced(pointer, &mut HashSet::new()))
        .then(|| AddressRanges::of(module, call, kernel));
    let inside = |space| match &ranges {
        Some(ranges) => ranges.contain(pointer, space),
        None => Origin { context, space, known: HashMap::new() }.of(pointer),
    };
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

/// Whether a pointer can be followed to the casts that made it generic.
fn is_traced(pointer: Value, seen: &mut HashSet<Value>) -> bool {
    if !seen.insert(pointer) {
        return true;
    }
    match pointer.opcode() {
        Some(Opcode::LLVMAddrSpaceCast) => true,
        Some(Opcode::LLVMGetElementPtr | Opcode::LLVMFreeze | Opcode::LLVMBitCast) => {
            is_traced(pointer.operand(0), seen)
        }
        Some(Opcode::LLVMSelect) => (1..3).all(|n| is_traced(pointer.operand(n), seen)),
        Some(Opcode::LLVMPHI) => pointer.incoming().into_iter().all(|(value, _)| is_traced(value, seen)),
        // The generic pointers among a kernel's arguments are to global memory.
        _ => !pointer.is_instruction(),
    }
}

/// The address ranges of the private and the local memory of a work-item, computed before an
/// instruction of its kernel.
///
/// A valid pointer to private memory points into an alloca of the kernel, since all functions with
/// queries are inlined. Local memory is that of the kernel's local variables, and the memory from
/// its first local argument on that is not private: work-group memory is one block, in which live
/// variables follow local memory. All other memory is global.
struct AddressRanges<'a> {
    module: &'a Module,
    b: Builder,
    private: Vec<(Value, u64)>,
    local: Vec<(Value, u64)>,
    first_local_argument: Option<Value>,
}

impl<'a> AddressRanges<'a> {
    fn of(module: &'a Module, before: Value, kernel: Function) -> Self {
        // The allocas of the entry block that dominate the query.
        let fixed = |alloca: Value| -> Option<(Value, u64)> {
            let count = alloca.operand(0).as_const_int()?;
            Some((alloca, module.size_of(alloca.allocated_type()).checked_mul(count)?))
        };
        let entry = kernel.entry().instructions();
        let earlier = entry.into_iter().take_while(|i| *i != before).filter(|i| i.is_alloca());
        let mut private: Vec<_> = earlier.filter_map(fixed).collect();
        let mut first_local_argument = None;
        for (i, param) in kernel.params().into_iter().enumerate() {
            let by_value = kernel.param_byval_type(i as u32).or(kernel.param_byref_type(i as u32));
            private.extend(by_value.map(|ty| (param, module.size_of(ty))));
            if first_local_argument.is_none() && param.ty().is_ptr() && param.ty().address_space() == LOCAL {
                first_local_argument = Some(param);
            }
        }
        let mut local = Vec::new();
        for variable in module.globals() {
            if variable.address_space() == LOCAL {
                variable.expand_constant_users();
                let is_own = |user: &Value| user.block().is_some_and(|b| b.function() == kernel);
                if variable.users().iter().any(is_own) {
                    local.push((Value::from(variable), module.size_of(variable.value_type())));
                }
            }
        }
        let b = Builder::before(module.context(), before);
        AddressRanges { module, b, private, local, first_local_argument }
    }

    fn address(&self, pointer: Value) -> Value {
        self.b.cast(Opcode::LLVMPtrToInt, pointer, self.module.size_type(), "")
    }

    /// The `i1` whether an address is among the `bytes` bytes from `base` on.
    fn is_in(&self, address: Value, base: Value, bytes: Value) -> Value {
        self.b.icmp(IntPredicate::LLVMIntULT, self.b.sub(address, self.address(base), ""), bytes, "")
    }

    fn is_in_any(&self, address: Value, objects: &[(Value, u64)]) -> Value {
        let within = |(base, bytes): &(Value, u64)| {
            self.is_in(address, *base, self.module.size_type().const_int(*bytes))
        };
        let none = self.b.context().i1().zero();
        objects.iter().map(within).fold(none, |any, one| self.b.binary(Opcode::LLVMOr, any, one, ""))
    }

    /// The `i1` whether a pointer points into an address space.
    fn contain(&self, pointer: Value, space: u32) -> Value {
        let b = &self.b;
        let address = self.address(pointer);
        let private = self.is_in_any(address, &self.private);
        if space == PRIVATE {
            return private;
        }
        let mut local = self.is_in_any(address, &self.local);
        if let Some(first) = self.first_local_argument {
            let end = b.call(Builtin::WorkGroupMemoryEnd.declare(self.module), &[], "");
            let bytes = b.sub(self.address(end), self.address(first), "");
            let argument = self.is_in(address, first, bytes);
            local = b.binary(Opcode::LLVMOr, local, argument, "");
        }
        let yes = b.context().i1().const_int(1);
        let not = |value: Value| b.binary(Opcode::LLVMXor, value, yes, "");
        let local = b.and(local, not(private), "");
        if space == LOCAL {
            return local;
        }
        let some = b.icmp(IntPredicate::LLVMIntNE, address, self.module.size_type().zero(), "");
        b.and(some, not(b.binary(Opcode::LLVMOr, private, local, "")), "")
    }
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
