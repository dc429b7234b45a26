//! The descriptors of places, and the calls that tell the runtime of them.

use ir::check::{Access, Event, Frame, Root, Site};
use ir::{Builtin, metadata};
use llvm::{Builder, Function, Linkage, Module, Value};
use std::cell::RefCell;
use std::collections::HashMap;

/// Makes descriptors; equal ones are one.
pub struct Sites<'a> {
    module: &'a Module,
    /// The lines of each source file that the front end has kept.
    sources: HashMap<String, Vec<String>>,
    made: RefCell<HashMap<Vec<u8>, Value>>,
}

/// What a descriptor says beside its place.
#[derive(Clone, Debug)]
pub struct What {
    pub event: Event,
    pub access: Access,
    /// The pointer is one to local memory.
    pub local: bool,
    /// The scope of an atomic is the work-group or less.
    pub narrow: bool,
    pub size: u32,
    pub align: u32,
    pub note: String,
    pub roots: Vec<Root>,
}

impl What {
    /// An event that is no access.
    pub fn event(event: Event, note: &str) -> What {
        let access = if event == Event::Fence { Access::Atomic } else { Access::Read };
        What {
            event,
            access,
            local: false,
            narrow: false,
            size: 0,
            align: 1,
            note: note.to_owned(),
            roots: Vec::new(),
        }
    }
}

impl<'a> Sites<'a> {
    pub fn new(module: &'a Module) -> Self {
        let lines = |(name, text): (String, String)| (name, text.lines().map(str::to_owned).collect());
        let sources = metadata::sources(module).into_iter().map(lines).collect();
        Sites { module, sources, made: RefCell::default() }
    }

    /// The descriptor of an instruction of a kernel, as a constant of the code.
    pub fn site(&self, kernel: Function, at: Value, what: What) -> Value {
        let site = self.encode(kernel, at, what);
        *self.made.borrow_mut().entry(site).or_insert_with_key(|bytes| {
            let constant = self.module.context().const_bytes(bytes);
            let global = self.module.add_global("check.site", constant.ty());
            global.set_initializer(constant);
            global.set_constant(true);
            global.set_linkage(Linkage::LLVMPrivateLinkage);
            global.into()
        })
    }

    /// The bytes of the descriptor of an instruction of a kernel.
    pub fn encode(&self, kernel: Function, at: Value, what: What) -> Vec<u8> {
        let frames: Vec<Frame> = place(at)
            .into_iter()
            .map(|f| Frame { function: f.function, file: f.file, line: f.line, column: f.column })
            .collect();
        let text = frames.first().and_then(|frame| {
            self.sources.get(&frame.file)?.get((frame.line as usize).checked_sub(1)?).cloned()
        });
        let What { event, access, local, narrow, size, align, note, roots } = what;
        let site = Site {
            event: event as u8,
            access,
            local,
            narrow,
            size,
            align,
            kernel: super::kernel_name(kernel),
            note,
            text: text.unwrap_or_default(),
            roots,
            frames,
        };
        site.encode()
    }

    /// Calls the runtime, with three numbers and the global ID of the work-item.
    pub fn call(&self, b: &Builder, site: Value, numbers: [Value; 3]) -> Value {
        let module = self.module;
        let word = module.context().i64();
        let ids = [0, 1, 2].map(|d| {
            let id = b.call(Builtin::GetGlobalId.declare(module), &[b.i32(d)], "");
            b.int_cast(id, word, "")
        });
        let site = b.address_space_cast(site, module.context().ptr(0), "");
        let args: Vec<Value> = [site].into_iter().chain(numbers).chain(ids).collect();
        b.call(Builtin::Check.declare(module), &args, "")
    }
}

/// The source location of an instruction. That of an access is at its address: the column of `a[i]`
/// in `a[i] = x`, not that of the assignment.
fn place(at: Value) -> Vec<llvm::StackFrame> {
    let own = at.debug_stack();
    let pointer = match () {
        () if at.is_store() => Some(at.operand(1)),
        () if at.is_load() => Some(at.operand(0)),
        () => None,
    };
    let address = pointer.filter(|p| p.is_instruction()).map(|p| p.debug_stack()).unwrap_or_default();
    let is_left = |a: &llvm::StackFrame, b: &llvm::StackFrame| {
        (a.line, &a.function) == (b.line, &b.function) && a.column < b.column
    };
    match (address.first(), own.first()) {
        (Some(a), Some(b)) if is_left(a, b) && address.len() == own.len() => address,
        _ => own,
    }
}
