//! Translates to LLVM IR. An instruction's operands are checked before it is built, so that LLVM
//! never sees a value of the wrong type; the first error ends the translation.

mod arithmetic;
mod atomics;
mod brain_floats;
mod composites;
mod constants;
mod control_flow;
mod conversions;
mod debug;
mod dot_product;
mod functions;
mod groups;
mod images;
mod library;
mod memory;
mod opencl_std;
mod pointers;
mod relational;

pub(crate) use debug::number_of as debug_number;
pub(crate) use opencl_std::number_of as opencl_std_number;

use crate::grammar::Op;
use crate::grammar::{decoration, execution_mode, fast_math};
use crate::module::{ExtSet, Module};
use crate::parse::Inst;
use crate::types::{Ty, Types};
use crate::validate::Orders;
use crate::{DeviceInfo, Error, Math, SpecializationInfo, validate};
use llvm::{Block, Builder, Context, Function, Metadata, Type, Value};
use std::collections::HashMap;

/// The result of a step; the instruction is added to the message later.
type Res<T> = Result<T, String>;

/// The triple and the data layout of what front ends write, for a size of addresses.
pub fn triple_and_layout(address_bits: u32) -> (&'static str, String) {
    let rest = "i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1";
    match address_bits {
        32 => ("spir-unknown-unknown", format!("e-p:32:32-{rest}")),
        _ => ("spir64-unknown-unknown", format!("e-{rest}")),
    }
}

struct Translator<'t, 'm> {
    m: &'t Module<'m>,
    device: &'t DeviceInfo,
    given: &'t SpecializationInfo,
    context: Context,
    out: llvm::Module,
    b: Builder,
    types: Types,
    /// By ID.
    values: Vec<Option<Value>>,
    functions: HashMap<u32, Function>,
    /// The blocks of the function at hand, by label.
    blocks: HashMap<u32, Block>,
    math: Math,
    /// Whether additions and multiplications may be fused.
    contract: bool,
    /// The `BuiltIn` number of each built-in variable.
    built_ins: HashMap<u32, u32>,
    /// The state of the debug information, if the module has any.
    debug: Option<debug::Debug>,
    /// Alias domains and scopes.
    alias_nodes: HashMap<u32, Metadata>,
    /// Images with samplers, and samplers that are constants, by ID.
    sampled: HashMap<u32, images::Sampled>,
    constant_samplers: HashMap<u32, u32>,
}

pub(crate) fn translate(
    context: &Context,
    m: &Module<'_>,
    orders: &Orders,
    device: &DeviceInfo,
    given: &SpecializationInfo,
    math: Math,
) -> Result<llvm::Module, Error> {
    let out = llvm::Module::new(context, "spirv");
    let (triple, layout) = triple_and_layout(device.address_bits);
    out.set_triple(triple);
    out.set_data_layout(&layout);
    let mut t = Translator {
        m,
        device,
        given,
        context: context.clone(),
        out,
        b: Builder::new(context),
        types: Types::new(context),
        values: vec![None; m.bound as usize],
        functions: HashMap::new(),
        blocks: HashMap::new(),
        math,
        contract: math.contract
            || !m
                .entry_points
                .iter()
                .any(|e| m.modes(e.function).iter().any(|mode| mode.0 == execution_mode::CONTRACTION_OFF)),
        built_ins: HashMap::new(),
        alias_nodes: HashMap::new(),
        sampled: HashMap::new(),
        constant_samplers: HashMap::new(),
        debug: None,
    };
    t.globals()?;
    t.refuse_halves()?;
    t.declare_functions()?;
    t.begin_debug();
    t.define_functions(orders)?;
    t.module_metadata();
    t.finish_debug();
    // Malformed debug information is stripped: it is no reason to refuse a program.
    if t.out.verify().is_err() {
        t.out.strip_debug_info();
        t.out.verify().map_err(|e| Error::at_word(0, format!("the module is not valid: {e}")))?;
    }
    Ok(t.out)
}

impl<'m> Translator<'_, 'm> {
    /// Types, constants and variables.
    fn globals(&mut self) -> Result<(), Error> {
        // Constant expressions are built as instructions in a scratch function, and folded by LLVM.
        let scratch = self.out.add_function("", self.context.void().function(&[]));
        self.b.position_at_end(scratch.append_block(""));
        for i in self.m.globals.clone() {
            self.global(i).map_err(|message| self.m.fail(i, message))?;
        }
        scratch.erase();
        Ok(())
    }

    fn global(&mut self, i: usize) -> Res<()> {
        let inst = self.m.insts[i];
        match inst.op {
            Op::Variable => self.global_variable(&inst),
            Op::Undef => {
                let value = self.types.sized(self.m, inst.ty)?.undef();
                self.values[inst.id as usize] = Some(value);
                Ok(())
            }
            Op::Line | Op::NoLine | Op::Nop | Op::String | Op::ExtInstImport => Ok(()),
            Op::AliasDomainDeclINTEL | Op::AliasScopeDeclINTEL | Op::AliasScopeListDeclINTEL => Ok(()),
            op if (Op::TypeVoid..=Op::TypeForwardPointer).contains(&op)
                || matches!(op, Op::TypePipeStorage | Op::TypeNamedBarrier) =>
            {
                let Self { m, device, types, values, .. } = self;
                types.declare(m, i, device, |id| values[id as usize])
            }
            Op::ConstantSampler => self.constant_sampler(&inst),
            op if (Op::ConstantTrue..=Op::SpecConstantOp).contains(&op)
                || op == Op::ConstantFunctionPointerINTEL =>
            {
                let value = self.constant(&inst)?;
                self.values[inst.id as usize] = Some(value);
                Ok(())
            }
            Op::ExtInst if validate::is_debug(self.m, &inst) => Ok(()),
            _ => Err("stands outside of a function".to_owned()),
        }
    }

    /// Refuses values of 16-bit floating-point type on a device without Float16. Pointers to them
    /// are allowed.
    fn refuse_halves(&self) -> Result<(), Error> {
        let Err(message) = self.device.require("Float16") else { return Ok(()) };
        let half = |inst: &Inst<'_>| inst.ty != 0 && self.types.holds_half(inst.ty);
        self.m.insts.iter().position(half).map_or(Ok(()), |i| Err(self.m.fail(i, message)))
    }

    /// `size_t`: the integer of an address's size.
    fn size_type(&self) -> Type {
        self.out.size_type()
    }

    // ---- What instructions refer to ------------------------------------------------------------

    fn value(&self, id: u32) -> Res<Value> {
        let value = self.values[id as usize].or_else(|| self.sampler_of_constant(id));
        value.ok_or_else(|| format!("{} is not a value", self.m.show(id)))
    }

    /// The ID of a value's type.
    fn type_id(&self, id: u32) -> Res<u32> {
        let ty = self.m.inst(id).map_or(0, |i| i.ty);
        if ty == 0 { Err(format!("{} is not a value", self.m.show(id))) } else { Ok(ty) }
    }

    /// The type of a value.
    fn type_of(&self, id: u32) -> Res<&Ty> {
        self.types.of(self.m, self.type_id(id)?)
    }

    /// The LLVM type of an instruction's result.
    fn result_type(&self, inst: &Inst<'_>) -> Res<Type> {
        self.types.check_value(inst.ty)?;
        self.types.sized(self.m, inst.ty)
    }

    /// A value that must be of this type.
    fn value_of(&self, id: u32, ty: Type) -> Res<Value> {
        let value = self.value(id)?;
        if value.ty() != ty {
            return Err(format!("{} is of type {}, not {ty}", self.m.show(id), value.ty()));
        }
        Ok(value)
    }

    /// A value whose type, or whose elements' type, is one of integers.
    fn int_value(&self, id: u32) -> Res<Value> {
        let value = self.value(id)?;
        if value.ty().scalar().is_int() { Ok(value) } else { Err(self.unfit(id, "integers")) }
    }

    fn float_value(&self, id: u32) -> Res<Value> {
        let value = self.value(id)?;
        if value.ty().scalar().is_float() { Ok(value) } else { Err(self.unfit(id, "floating-point numbers")) }
    }

    fn pointer_value(&self, id: u32) -> Res<Value> {
        let value = self.value(id)?;
        if value.ty().is_ptr() && *self.type_of(id)? != Ty::Event {
            Ok(value)
        } else {
            Err(self.unfit(id, "pointers"))
        }
    }

    fn scalar_int(&self, id: u32) -> Res<Value> {
        let value = self.value(id)?;
        if value.ty().is_int() { Ok(value) } else { Err(self.unfit(id, "integers")) }
    }

    fn unfit(&self, id: u32, what: &str) -> String {
        format!("{} is not of {what}", self.m.show(id))
    }

    /// The value of a constant integer.
    fn const_int(&self, id: u32) -> Res<u64> {
        let value = self.value(id)?;
        value.as_const_int().ok_or_else(|| format!("{} is not a constant integer", self.m.show(id)))
    }

    fn has(&self, id: u32, kind: u32) -> bool {
        self.m.decoration(id, kind).is_some()
    }

    /// The fast-math flags of a result.
    fn fast_math(&self, id: u32) -> u32 {
        let mut flags = 0;
        if let Some(&[mode, ..]) = self.m.decoration(id, decoration::FAST_MATH_MODE) {
            let bits = [
                (fast_math::NOT_NAN, llvm::fast_math::NO_NANS),
                (fast_math::NOT_INF, llvm::fast_math::NO_INFS),
                (fast_math::NSZ, llvm::fast_math::NO_SIGNED_ZEROS),
                (fast_math::ALLOW_RECIP, llvm::fast_math::ALLOW_RECIPROCAL),
                (fast_math::FAST, llvm::fast_math::ALL),
                (fast_math::ALLOW_CONTRACT, llvm::fast_math::ALLOW_CONTRACT),
                (fast_math::ALLOW_REASSOC, llvm::fast_math::ALLOW_REASSOC),
                (fast_math::ALLOW_TRANSFORM, llvm::fast_math::TRANSFORM),
            ];
            flags = bits.iter().filter(|(bit, _)| mode & bit != 0).fold(0, |all, (_, flag)| all | flag);
        }
        if self.contract && !self.has(id, decoration::NO_CONTRACTION) {
            flags |= llvm::fast_math::ALLOW_CONTRACT;
        }
        let Math { no_signed_zeros, finite_only, unsafe_math, .. } = self.math;
        let allowed = [
            (no_signed_zeros, llvm::fast_math::NO_SIGNED_ZEROS),
            (finite_only, llvm::fast_math::NO_NANS | llvm::fast_math::NO_INFS),
            (unsafe_math, llvm::fast_math::UNSAFE),
        ];
        flags |= allowed.iter().filter(|(is, _)| *is).fold(0, |all, (_, bits)| all | bits);
        flags
    }

    // ---- One instruction -----------------------------------------------------------------------

    fn instruction(&mut self, inst: &Inst<'m>) -> Res<()> {
        if let Some(value) = self.build(inst)? {
            if let Some(name) = self.m.names.get(&inst.id)
                && (value.is_instruction() && !value.ty().is_void())
            {
                value.set_name(name);
            }
            if inst.id != 0 {
                self.values[inst.id as usize] = Some(value);
            }
        }
        Ok(())
    }

    /// Builds an instruction and returns its result, if it has one.
    /// A dispatch over the kinds of instructions.
    fn build(&mut self, inst: &Inst<'m>) -> Res<Option<Value>> {
        use Op::*;
        self.refuse_brain_arithmetic(inst)?;
        match inst.op {
            Line | NoLine => {
                self.debug_instruction(inst);
                Ok(None)
            }
            Nop | LoopMerge | SelectionMerge | LifetimeStart | LifetimeStop | LoopControlINTEL => Ok(None),
            Undef => Ok(Some(self.result_type(inst)?.undef())),
            SNegate | IAdd | ISub | IMul | UDiv | SDiv | UMod | SRem | SMod | ShiftRightLogical
            | ShiftRightArithmetic | ShiftLeftLogical | BitwiseOr | BitwiseXor | BitwiseAnd | Not
            | BitFieldInsert | BitFieldSExtract | BitFieldUExtract | BitReverse | BitCount | IAddCarry
            | ISubBorrow | UMulExtended | SMulExtended => self.integer(inst).map(Some),
            Dot if self.types.is_brain(inst.ty) => self.brain_dot(inst).map(Some),
            FNegate | FAdd | FSub | FMul | FDiv | FRem | FMod | VectorTimesScalar | Dot => {
                self.float(inst).map(Some)
            }
            SDot | UDot | SUDot | SDotAccSat | UDotAccSat | SUDotAccSat => self.dot_product(inst).map(Some),
            Any | All | IsNan | IsInf | IsFinite | IsNormal | SignBitSet | LessOrGreater | Ordered
            | Unordered | LogicalEqual | LogicalNotEqual | LogicalOr | LogicalAnd | LogicalNot | Select
            | PtrEqual | PtrNotEqual => self.relational(inst).map(Some),
            op if (IEqual..=FUnordGreaterThanEqual).contains(&op) => self.relational(inst).map(Some),
            ConvertFToU | ConvertFToS | ConvertSToF | ConvertUToF | UConvert | SConvert | FConvert
            | SatConvertSToU | SatConvertUToS | Bitcast | ConvertFToBF16INTEL | ConvertBF16ToFINTEL => {
                self.conversion(inst).map(Some)
            }
            ConvertPtrToU
            | ConvertUToPtr
            | PtrCastToGeneric
            | GenericCastToPtr
            | GenericCastToPtrExplicit
            | GenericPtrMemSemantics
            | AccessChain
            | InBoundsAccessChain
            | PtrAccessChain
            | InBoundsPtrAccessChain
            | PtrDiff => self.pointer(inst).map(Some),
            VectorExtractDynamic | VectorInsertDynamic | VectorShuffle | CompositeConstruct
            | CompositeExtract | CompositeInsert | CopyObject | CopyLogical => self.composite(inst).map(Some),
            Variable | Load | Store | CopyMemory | CopyMemorySized | SizeOf => self.memory(inst),
            op if (AtomicLoad..=AtomicXor).contains(&op) => self.atomic(inst),
            AtomicFlagTestAndSet | AtomicFlagClear | AtomicFAddEXT | AtomicFMinEXT | AtomicFMaxEXT
            | MemoryBarrier => self.atomic(inst),
            Phi | Branch | BranchConditional | Switch | Return | ReturnValue | Unreachable => {
                self.control_flow(inst)
            }
            FunctionCall | FunctionPointerCallINTEL => self.call(inst),
            SampledImage
            | ImageSampleExplicitLod
            | ImageRead
            | ImageWrite
            | ImageQueryFormat
            | ImageQueryOrder
            | ImageQuerySizeLod
            | ImageQuerySize => self.image(inst),
            ControlBarrier | GroupAsyncCopy | GroupWaitEvents => self.group(inst),
            ReadClockKHR => self.read_clock(inst).map(Some),
            op if (GroupAll..=GroupSMax).contains(&op)
                || (GroupNonUniformElect..=GroupNonUniformQuadSwap).contains(&op)
                || (SubgroupShuffleINTEL..=SubgroupImageBlockWriteINTEL).contains(&op)
                || (GroupIMulKHR..=GroupLogicalXorKHR).contains(&op)
                || op == GroupNonUniformRotateKHR =>
            {
                self.group(inst)
            }
            AssumeTrueKHR => {
                let condition = self.value_of(inst.args[0], self.context.i1())?;
                self.b.call(self.out.intrinsic("llvm.assume", &[]), &[condition], "");
                Ok(None)
            }
            ExpectKHR => {
                let ty = self.result_type(inst)?;
                let value = self.int_value(inst.args[0])?;
                let expected = self.value_of(inst.args[1], ty)?;
                if value.ty() != ty {
                    return Err(self.unfit(inst.args[0], "the result's type"));
                }
                if ty.is_vector() {
                    return Ok(Some(value));
                }
                let expect = self.out.intrinsic("llvm.expect", &[ty]);
                Ok(Some(self.b.call(expect, &[value, expected], "")))
            }
            ExtInst => match self.m.ext_sets.get(&inst.args[0]) {
                Some(ExtSet::OpenClStd) => self.opencl_std(inst),
                Some(_) => {
                    self.debug_instruction(inst);
                    Ok(None)
                }
                None => Err(format!("{} is not a set of instructions", self.m.show(inst.args[0]))),
            },
            _ => Err("this instruction is not supported".to_owned()),
        }
    }
}
