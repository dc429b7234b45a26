//! Strings that `printf` is given: each ends within its memory.
//!
//! ```text
//! call i32 @printf.call(ptr addrspace(2) %text)
//! ───►
//! %ok = call i32 @__mux_check(ptr @check.site, i64 %text, i64 %left, i64 %root, …)
//! call i32 @printf.call(select (%ok != 0), %text, null)
//! ```

use super::provenance::Provenance;
use super::sites::{Sites, What};
use ir::Builtin;
use ir::check::{Event, Memory};
use ir::printf::{Format, Spec};
use llvm::{Builder, Function, IntPredicate, Module, Opcode, Value};

/// Adds the checks to a kernel.
pub fn check(module: &Module, kernel: Function, sites: &Sites<'_>, provenance: &mut Provenance<'_>) {
    let context = module.context();
    for call in kernel.instructions() {
        let Some(format) = call.called_function().and_then(format_of) else { continue };
        let args = call.call_args();
        let is_text = |n: usize| args.get(n).is_some_and(|a| a.ty().is_ptr());
        for (n, most) in strings(&format.text).into_iter().filter(|(n, _)| is_text(*n)) {
            let (pointer, b) = (args[n], Builder::before(context, call));
            let address = b.cast(Opcode::LLVMPtrToInt, pointer, context.i64(), "");
            let roots = provenance.roots_of(pointer);
            let numbers = match &roots {
                None => [address, b.i64(0), b.i64(u32::MAX.into())],
                Some(_) => {
                    let place = provenance.place(pointer);
                    let subtract = module.intrinsic("llvm.usub.sat", &[context.i64()]);
                    let left = b.call(subtract, &[place.sizes[0], place.offset], "check.left");
                    [address, left, place.number]
                }
            };
            let roots = roots.into_iter().flatten().map(|(_, root)| root);
            // The descriptor of an image or a sampler is no text of the program.
            let roots: Vec<_> = roots.filter(|r| r.memory != Memory::Program || r.size < 1 << 40).collect();
            let [address, left, number] = numbers;
            let most = b.i64(most.map_or(0, |most| most as u64 + 1) << 32);
            let numbers = [address, left, b.binary(Opcode::LLVMOr, number, most, "")];
            let what = What { roots, size: 1, ..What::event(Event::Text, "") };
            let answer = sites.call(&b, sites.site(kernel, call, what), numbers);
            let ok = b.icmp(IntPredicate::LLVMIntNE, answer, b.i32(0), "check.ok");
            call.set_operand(n as u32, b.select(ok, pointer, pointer.ty().zero(), ""));
        }
    }
}

/// The format of a function that prints (LowerPrintf).
fn format_of(f: Function) -> Option<Format> {
    if f.is_declaration() || !f.name().starts_with("printf.call") {
        return None;
    }
    let is_print = |i: &Value| Builtin::called_by(*i) == Some(Builtin::Printf);
    let print = f.instructions().into_iter().find(is_print)?;
    let mut descriptor = print.operand(0);
    while descriptor.as_global().is_none() {
        descriptor = descriptor.operands().next()?;
    }
    let bytes = descriptor.as_global()?.initializer()?.as_const_bytes()?;
    let (header, rest) = bytes.split_first_chunk()?;
    Format::decode(*header, rest)
}

/// The arguments that a format prints as strings, with the most bytes that are printed of each.
fn strings(text: &[u8]) -> Vec<(usize, Option<usize>)> {
    let (mut found, mut argument, mut at) = (Vec::new(), 0, 0);
    while let Some(percent) = text[at..].iter().position(|c| *c == b'%') {
        at += percent + 1;
        if text.get(at) == Some(&b'%') {
            at += 1;
            continue;
        }
        let Some((spec, length)) = Spec::parse(&text[at..]) else { break };
        at += length;
        if spec.conversion == b's' {
            found.push((argument, spec.precision));
        }
        argument += 1;
    }
    found
}
