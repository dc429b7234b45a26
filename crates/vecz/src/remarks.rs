//! The remarks on a kernel's vectorization: its width, how each access to memory is done, which
//! branches and loops diverge, and why it was left scalar.
//!
//! Each remark is one call with the instruction that it is about. If remarks are off, the call does
//! nothing.

use crate::Stopped;
use crate::lock_step::Exchange;
use crate::shape::Shape;
use ir::metadata::Vectorization;
use ir::{attributes, metadata};
use llvm::{Function, Module, Opcode, Type, Value, Width};
use passes::{Remark, RemarkKind, Remarks, SourceLine};

/// How a load or store of all lanes is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// One address for all lanes.
    Uniform,
    /// Contiguous in lane order: one wide load or store.
    Contiguous,
    /// Contiguous in reverse lane order.
    Reversed,
    /// A constant stride, in bytes.
    Strided(i64),
    /// A uniform stride that is known at run time only.
    StridedByUniform,
    /// A member of an interleave group with records of this many fields.
    Interleaved(u32),
    /// Tested at run time for being contiguous, and a gather or scatter otherwise: addresses that
    /// follow from IDs, in a sum that may wrap.
    TestedContiguous,
    /// A gather or a scatter.
    Scattered,
    /// A small constant table in registers, which are permuted.
    Table,
    /// Instantiated: one lane after the other.
    PerLane,
}

impl Access {
    /// The kind of access for addresses of this shape that are not contiguous.
    pub(crate) fn of(address: Shape) -> Access {
        match address {
            Shape::Strided(bytes) => Access::Strided(bytes),
            Shape::StridedBy(..) => Access::StridedByUniform,
            Shape::Uniform | Shape::Varying => Access::Scattered,
        }
    }
}

/// The remarks about one kernel.
#[derive(Clone, Copy)]
pub struct KernelRemarks<'a> {
    pub sink: &'a Remarks,
    pub module: &'a Module,
    pub kernel: Function,
    /// The instructions that are written now are of the unmasked version of a BOSCC region, which
    /// gets no remarks: the masked version gets them.
    pub told: bool,
}

impl<'a> KernelRemarks<'a> {
    pub fn new(sink: &'a Remarks, module: &'a Module, kernel: Function) -> Self {
        KernelRemarks { sink, module, kernel, told: false }
    }

    fn wanted(&self) -> bool {
        self.sink.wanted() && !self.told
    }

    fn add(&self, place: Option<SourceLine>, kind: RemarkKind, text: String) {
        let kernel = attributes::orig_fn_name(self.kernel);
        // LLVM drops the debug location of an instruction that it moves or merges from several.
        let place = place.or_else(|| SourceLine::of_function(self.kernel));
        self.sink.add(Remark { kernel, place, kind, text });
    }

    /// The kernel was vectorized.
    pub fn vectorized(&self, how: Vectorization) {
        if self.wanted() {
            let along = match how.dimension {
                1 => " along y",
                2 => " along z",
                _ => "",
            };
            let text = format!("vectorized{along}, {} work-items at once", lanes(how.width));
            self.add(SourceLine::of_function(self.kernel), RemarkKind::Width, text);
        }
    }

    /// The kernel was not vectorized, in this width or at all.
    pub fn stopped(&self, width: Option<Width>, why: &Stopped) {
        if self.wanted() {
            let what = match width {
                Some(width) => format!("not vectorized with {} work-items at once", lanes(width)),
                None => "left scalar".to_owned(),
            };
            let instruction = why.instruction.as_ref().map(|i| format!(": {i}")).unwrap_or_default();
            self.add(why.place.clone(), RemarkKind::Scalar, format!("{what}: {}{instruction}", why.message));
        }
    }

    /// The kernel is vectorized regardless of its estimated cost, since its lanes exchange local
    /// memory.
    pub fn lock_step(&self, exchange: Exchange) {
        if self.wanted() {
            let store = match SourceLine::of(exchange.store) {
                Some(place) => format!("what line {} stores to local memory", place.line),
                None => "what others store to local memory".to_owned(),
            };
            let text = format!("reads {store} without a barrier: sub-groups are kept in lock-step");
            self.add(SourceLine::of(exchange.load), RemarkKind::LockStep, text);
        }
    }

    /// How a load, store or atomic operation is done.
    pub fn memory(&self, instruction: Value, access: Access) {
        if !self.wanted() {
            return;
        }
        let (what, ty) = match instruction.opcode() {
            Some(Opcode::LLVMStore) => ("store", instruction.operand(0).ty()),
            Some(Opcode::LLVMLoad) => ("load", instruction.ty()),
            Some(Opcode::LLVMAtomicRMW) => ("atomic operation", instruction.ty()),
            Some(Opcode::LLVMAtomicCmpXchg) => ("atomic operation", instruction.operand(1).ty()),
            _ => ("access", instruction.ty()),
        };
        let store = what == "store";
        let how = match access {
            Access::Uniform => "uniform, once for all lanes".to_owned(),
            Access::Contiguous => "contiguous".to_owned(),
            Access::Reversed => "contiguous, reversed".to_owned(),
            Access::Strided(bytes) => format!("strided by {bytes} bytes"),
            Access::StridedByUniform => "strided by a uniform value".to_owned(),
            Access::Interleaved(count) => format!("interleaved, one of {count}"),
            Access::TestedContiguous if store => {
                "contiguous if a test finds it so, else a scatter".to_owned()
            }
            Access::TestedContiguous => "contiguous if a test finds it so, else a gather".to_owned(),
            Access::Scattered => if store { "scatter" } else { "gather" }.to_owned(),
            Access::Table => "a table in registers".to_owned(),
            Access::PerLane => "one lane after the other".to_owned(),
        };
        // LLVM drops the line of an access that it moves, but its address may still have one.
        let address = instruction.operand(u32::from(store));
        let place = SourceLine::of(instruction).or_else(|| SourceLine::of(address));
        let ty = self.source_type(instruction, address, ty);
        self.add(place, RemarkKind::Memory, format!("{what} of {ty}: {how}"));
    }

    /// The type of an access in the source. LLVM's integers have no sign: if the address comes from
    /// an argument of the kernel, the argument's declared type tells it.
    fn source_type(&self, access: Value, address: Value, ty: Type) -> String {
        let plain = plain_type(ty);
        let mut root = address;
        while matches!(root.opcode(), Some(Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast)) {
            root = root.operand(0);
        }
        let params = access.block().map(|b| b.function().params()).unwrap_or_default();
        let Some(index) = params.iter().position(|p| *p == root) else { return plain };
        let args = metadata::kernel_args(self.module, self.kernel, params.len());
        let declared = [&args[index].type_name, &args[index].base_type_name].map(|n| n.trim_end_matches('*'));
        // A vector may have been scalarized.
        let elements = declared.map(|name| name.trim_end_matches(|c: char| c.is_ascii_digit()));
        let same = |name: &&str| name.strip_prefix('u').unwrap_or(name) == plain;
        declared.into_iter().chain(elements).find(same).map_or(plain.clone(), str::to_owned)
    }

    /// A divergent branch.
    pub fn divergent_branch(&self, branch: Value) {
        if self.wanted() {
            self.add(place_of_branch(branch), RemarkKind::Branch, "divergent branch".to_owned());
        }
    }

    /// A divergent loop, by the branch of its latch.
    pub fn divergent_loop(&self, branch: Value) {
        if self.wanted() {
            self.add(place_of_branch(branch), RemarkKind::Loop, "divergent loop".to_owned());
        }
    }

    /// A call that is instantiated for each lane.
    pub fn call_per_lane(&self, call: Value) {
        if self.wanted() {
            let name = call.called_function().map(|f| f.name()).unwrap_or_default();
            let name = ir::mangling::demangle(&name).map_or(name.as_str(), |(plain, _)| plain).to_owned();
            let text = format!("call of {name}: one lane after the other");
            self.add(SourceLine::of(call), RemarkKind::Call, text);
        }
    }
}

/// The name of a type in OpenCL C.
fn plain_type(ty: Type) -> String {
    if ty.is_vector() {
        return format!("{}{}", plain_type(ty.element()), ty.len());
    }
    let name = match (ty.float_bits(), ty.is_int().then(|| ty.int_bits())) {
        (Some(16), _) => "half",
        (Some(32), _) => "float",
        (Some(64), _) => "double",
        (_, Some(1)) => "bool",
        (_, Some(8)) => "char",
        (_, Some(16)) => "short",
        (_, Some(32)) => "int",
        (_, Some(64)) => "long",
        _ if ty.is_ptr() => "pointer",
        _ => return ty.to_string(),
    };
    name.to_owned()
}

/// The source line of a branch. StructurizeCFG replaces branches, but the comparisons that they
/// test keep their lines.
fn place_of_branch(branch: Value) -> Option<SourceLine> {
    let mut seen = Vec::new();
    let mut next = vec![branch.condition()?];
    while let Some(value) = next.pop() {
        if !value.is_instruction() || seen.contains(&value) {
            continue;
        }
        seen.push(value);
        use Opcode::*;
        match value.opcode() {
            Some(LLVMAnd | LLVMOr | LLVMXor | LLVMSelect | LLVMPHI | LLVMFreeze) => {
                next.extend(value.operands());
            }
            _ => {
                if let Some(place) = SourceLine::of(value) {
                    return Some(place);
                }
            }
        }
    }
    SourceLine::of(branch)
}

/// The number of lanes: `8`, or `4 * vscale`.
fn lanes(width: Width) -> String {
    if width.scalable { format!("{} * vscale", width.lanes) } else { width.lanes.to_string() }
}
