//! The SPIR-V grammar as tables: the numbers of instructions and enumerants, and the shapes of
//! their operands. Everything that reads or writes a module (the parser, the assembler, error
//! messages) is driven by them.
//!
//! A shape has a letter for each operand; `?` after it says that it may be missing, `*` that there
//! may be any number of it:
//!
//! | letter | operand |
//! | --- | --- |
//! | `t` `r` `i` | an ID: of the result's type, of the result, of anything |
//! | `n` `S` | a number, a string |
//! | `x` | a constant as wide as the result's type |
//! | `e` `j` | the number of an extended instruction, and its operands |
//! | `o` | an opcode with its operands |
//! | `p` `q` `Q` | pairs: constant and ID, ID and number, two IDs |
//! | others | a value of the table that [`table`] gives |

/// Makes the enumeration of opcodes and the table of their shapes.
macro_rules! opcodes {
    ($($name:ident $number:literal $shape:literal),* $(,)?) => {
        /// An instruction this reader knows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Op {
            $($name = $number,)*
        }

        /// All opcodes by number, with name and shape.
        const OPS: &[(Op, &str, &str)] = &[$((Op::$name, stringify!($name), $shape)),*];
    };
}

/// A value of an operand: its name, its number, the shape of what follows it.
pub(crate) type Entry = (&'static str, u32, &'static str);

macro_rules! names {
    ($($table:ident: { $($name:tt $number:literal $($shape:literal)?),* $(,)? })*) => {
        $(pub(crate) const $table: &[Entry] =
            &[$((stringify!($name), $number, concat!("" $(, $shape)?))),*];)*
    };
}

impl Op {
    pub fn from_number(number: u16) -> Option<Op> {
        OPS.binary_search_by_key(&number, |(op, ..)| *op as u16).ok().map(|at| OPS[at].0)
    }

    fn entry(self) -> &'static (Op, &'static str, &'static str) {
        let at = OPS.binary_search_by_key(&(self as u16), |(op, ..)| *op as u16);
        &OPS[at.expect("the table has every opcode, in order")]
    }

    /// Without `Op` in front.
    pub fn name(self) -> &'static str {
        self.entry().1
    }

    pub(crate) fn shape(self) -> &'static str {
        self.entry().2
    }

    pub(crate) fn from_name(name: &str) -> Option<Op> {
        OPS.iter().find(|(_, n, _)| *n == name).map(|(op, ..)| *op)
    }
}

/// The table of an operand's letter, and whether its values are bits that are combined.
pub(crate) fn table(letter: char) -> Option<(&'static [Entry], bool)> {
    Some(match letter {
        'C' => (CAPABILITIES, false),
        'M' => (MEMORY_ACCESS, true),
        'D' => (DECORATIONS, false),
        'X' => (EXECUTION_MODES, false),
        'G' => (STORAGE_CLASSES, false),
        'F' => (FUNCTION_CONTROLS, true),
        'L' => (LOOP_CONTROLS, true),
        'B' => (SELECTION_CONTROLS, true),
        'V' => (GROUP_OPERATIONS, false),
        'A' => (ADDRESSING_MODELS, false),
        'E' => (MEMORY_MODELS, false),
        'H' => (EXECUTION_MODELS, false),
        'U' => (SOURCE_LANGUAGES, false),
        'P' => (PACKED_VECTOR_FORMATS, false),
        'b' => (BUILT_INS, false),
        'R' => (ROUNDING_MODES, false),
        'T' => (FAST_MATH_MODES, true),
        'k' => (LINKAGE_TYPES, false),
        'v' => (PARAMETER_ATTRIBUTES, false),
        'd' => (DIMENSIONALITIES, false),
        'f' => (IMAGE_FORMATS, false),
        'a' => (ACCESS_QUALIFIERS, false),
        'I' => (IMAGE_OPERANDS, true),
        's' => (ADDRESSING_MODES, false),
        'l' => (FILTER_MODES, false),
        'c' => (FLOAT_ENCODINGS, false),
        _ => return None,
    })
}

/// The name of a value in a table.
pub(crate) fn name_in(table: &[Entry], number: u32) -> Option<&'static str> {
    table.iter().find(|e| e.1 == number).map(|e| e.0)
}

/// The number of a name in a table, for constants: a name that the table lacks does not compile.
const fn number_in(table: &[Entry], name: &str) -> u32 {
    let mut i = 0;
    while i < table.len() {
        let (a, b) = (table[i].0.as_bytes(), name.as_bytes());
        let mut same = 0;
        while same < a.len() && same < b.len() && a[same] == b[same] {
            same += 1;
        }
        if same == a.len() && same == b.len() {
            return table[i].1;
        }
        i += 1;
    }
    panic!("the table has no such name")
}

/// Constants for the numbers of a table that the reader knows by name.
macro_rules! numbers {
    ($($module:ident: $table:ident { $($constant:ident $name:literal),* $(,)? })*) => {
        $(pub(crate) mod $module {
            use super::{$table, number_in};
            $(pub const $constant: u32 = number_in($table, $name);)*
        })*
    };
}

numbers! {
    decoration: DECORATIONS {
        SPEC_ID "SpecId", CPACKED "CPacked", BUILT_IN "BuiltIn", RESTRICT "Restrict", VOLATILE "Volatile",
        CONSTANT "Constant", SATURATED_CONVERSION "SaturatedConversion", FUNC_PARAM_ATTR "FuncParamAttr",
        ROUNDING_MODE "FPRoundingMode", FAST_MATH_MODE "FPFastMathMode", LINKAGE "LinkageAttributes",
        NO_CONTRACTION "NoContraction", ALIGNMENT "Alignment", ALIGNMENT_ID "AlignmentId",
        NO_SIGNED_WRAP "NoSignedWrap", NO_UNSIGNED_WRAP "NoUnsignedWrap", ALIAS_SCOPE "AliasScopeINTEL",
        NO_ALIAS "NoAliasINTEL",
    }
    memory_access: MEMORY_ACCESS {
        VOLATILE "Volatile", ALIGNED "Aligned", NONTEMPORAL "Nontemporal", AVAILABLE "MakePointerAvailable",
        VISIBLE "MakePointerVisible", ALIAS_SCOPE "AliasScopeINTELMask", NO_ALIAS "NoAliasINTELMask",
    }
    function_control: FUNCTION_CONTROLS { INLINE "Inline", DONT_INLINE "DontInline", OPT_NONE "OptNoneEXT" }
    loop_control: LOOP_CONTROLS {
        UNROLL "Unroll", DONT_UNROLL "DontUnroll", DEPENDENCY_LENGTH "DependencyLength",
        PARTIAL_COUNT "PartialCount",
    }
    parameter: PARAMETER_ATTRIBUTES {
        ZEXT "Zext", SEXT "Sext", BY_VALUE "ByVal", RESULT "Sret", NO_ALIAS "NoAlias", NO_CAPTURE "NoCapture",
        NO_WRITE "NoWrite", NO_READ_WRITE "NoReadWrite",
    }
    fast_math: FAST_MATH_MODES {
        NOT_NAN "NotNaN", NOT_INF "NotInf", NSZ "NSZ", ALLOW_RECIP "AllowRecip", FAST "Fast",
        ALLOW_CONTRACT "AllowContract", ALLOW_REASSOC "AllowReassoc", ALLOW_TRANSFORM "AllowTransform",
    }
    linkage: LINKAGE_TYPES { IMPORT "Import", LINK_ONCE_ODR "LinkOnceODR" }
    rounding: ROUNDING_MODES { NEAREST_EVEN "RTE" }
    float_encoding: FLOAT_ENCODINGS { BFLOAT16 "BFloat16KHR" }
    execution_mode: EXECUTION_MODES { CONTRACTION_OFF "ContractionOff" }
    execution_model: EXECUTION_MODELS { KERNEL "Kernel" }
}

opcodes! {
    Nop 0 "", Undef 1 "tr", SourceContinued 2 "S", Source 3 "Uni?S?", SourceExtension 4 "S", Name 5 "iS",
    MemberName 6 "inS", String 7 "rS", Line 8 "inn", Extension 10 "S", ExtInstImport 11 "rS",
    ExtInst 12 "triej*", MemoryModel 14 "AE", EntryPoint 15 "HiSi*", ExecutionMode 16 "iX", Capability 17 "C",
    TypeVoid 19 "r", TypeBool 20 "r", TypeInt 21 "rnn", TypeFloat 22 "rnc?", TypeVector 23 "rin",
    TypeImage 25 "ridnnnnfa?", TypeSampler 26 "r", TypeSampledImage 27 "ri", TypeArray 28 "rii",
    TypeStruct 30 "ri*", TypeOpaque 31 "rS", TypePointer 32 "rGi", TypeFunction 33 "rii*", TypeEvent 34 "r",
    TypeDeviceEvent 35 "r", TypeReserveId 36 "r", TypeQueue 37 "r", TypePipe 38 "ra",
    TypeForwardPointer 39 "iG", ConstantTrue 41 "tr", ConstantFalse 42 "tr", Constant 43 "trx",
    ConstantComposite 44 "tri*", ConstantSampler 45 "trsnl", ConstantNull 46 "tr", SpecConstantTrue 48 "tr",
    SpecConstantFalse 49 "tr", SpecConstant 50 "trx", SpecConstantComposite 51 "tri*",
    SpecConstantOp 52 "tro",
    Function 54 "trFi", FunctionParameter 55 "tr", FunctionEnd 56 "", FunctionCall 57 "trii*",
    Variable 59 "trGi?", ImageTexelPointer 60 "triii", Load 61 "triM?", Store 62 "iiM?",
    CopyMemory 63 "iiM?M?",
    CopyMemorySized 64 "iiiM?M?", AccessChain 65 "trii*", InBoundsAccessChain 66 "trii*",
    PtrAccessChain 67 "triii*", GenericPtrMemSemantics 69 "tri", InBoundsPtrAccessChain 70 "triii*",
    Decorate 71 "iD", MemberDecorate 72 "inD", DecorationGroup 73 "r", GroupDecorate 74 "ii*",
    GroupMemberDecorate 75 "iq*", VectorExtractDynamic 77 "trii", VectorInsertDynamic 78 "triii",
    VectorShuffle 79 "triin*", CompositeConstruct 80 "tri*", CompositeExtract 81 "trin*",
    CompositeInsert 82 "triin*", CopyObject 83 "tri", SampledImage 86 "trii",
    ImageSampleExplicitLod 88 "triiI",
    ImageRead 98 "triiI?", ImageWrite 99 "iiiI?", ImageQueryFormat 101 "tri", ImageQueryOrder 102 "tri",
    ImageQuerySizeLod 103 "trii", ImageQuerySize 104 "tri", ImageQueryLevels 106 "tri",
    ImageQuerySamples 107 "tri", ConvertFToU 109 "tri", ConvertFToS 110 "tri", ConvertSToF 111 "tri",
    ConvertUToF 112 "tri", UConvert 113 "tri", SConvert 114 "tri", FConvert 115 "tri",
    ConvertPtrToU 117 "tri",
    SatConvertSToU 118 "tri", SatConvertUToS 119 "tri", ConvertUToPtr 120 "tri", PtrCastToGeneric 121 "tri",
    GenericCastToPtr 122 "tri", GenericCastToPtrExplicit 123 "triG", Bitcast 124 "tri", SNegate 126 "tri",
    FNegate 127 "tri", IAdd 128 "trii", FAdd 129 "trii", ISub 130 "trii", FSub 131 "trii", IMul 132 "trii",
    FMul 133 "trii", UDiv 134 "trii", SDiv 135 "trii", FDiv 136 "trii", UMod 137 "trii", SRem 138 "trii",
    SMod 139 "trii", FRem 140 "trii", FMod 141 "trii", VectorTimesScalar 142 "trii", Dot 148 "trii",
    IAddCarry 149 "trii", ISubBorrow 150 "trii", UMulExtended 151 "trii", SMulExtended 152 "trii",
    Any 154 "tri", All 155 "tri", IsNan 156 "tri", IsInf 157 "tri", IsFinite 158 "tri", IsNormal 159 "tri",
    SignBitSet 160 "tri", LessOrGreater 161 "trii", Ordered 162 "trii", Unordered 163 "trii",
    LogicalEqual 164 "trii", LogicalNotEqual 165 "trii", LogicalOr 166 "trii", LogicalAnd 167 "trii",
    LogicalNot 168 "tri", Select 169 "triii", IEqual 170 "trii", INotEqual 171 "trii",
    UGreaterThan 172 "trii",
    SGreaterThan 173 "trii", UGreaterThanEqual 174 "trii", SGreaterThanEqual 175 "trii", ULessThan 176 "trii",
    SLessThan 177 "trii", ULessThanEqual 178 "trii", SLessThanEqual 179 "trii", FOrdEqual 180 "trii",
    FUnordEqual 181 "trii", FOrdNotEqual 182 "trii", FUnordNotEqual 183 "trii", FOrdLessThan 184 "trii",
    FUnordLessThan 185 "trii", FOrdGreaterThan 186 "trii", FUnordGreaterThan 187 "trii",
    FOrdLessThanEqual 188 "trii", FUnordLessThanEqual 189 "trii", FOrdGreaterThanEqual 190 "trii",
    FUnordGreaterThanEqual 191 "trii", ShiftRightLogical 194 "trii", ShiftRightArithmetic 195 "trii",
    ShiftLeftLogical 196 "trii", BitwiseOr 197 "trii", BitwiseXor 198 "trii", BitwiseAnd 199 "trii",
    Not 200 "tri", BitFieldInsert 201 "triiii", BitFieldSExtract 202 "triii", BitFieldUExtract 203 "triii",
    BitReverse 204 "tri", BitCount 205 "tri", ControlBarrier 224 "iii", MemoryBarrier 225 "ii",
    AtomicLoad 227 "triii", AtomicStore 228 "iiii", AtomicExchange 229 "triiii",
    AtomicCompareExchange 230 "triiiiii", AtomicCompareExchangeWeak 231 "triiiiii",
    AtomicIIncrement 232 "triii", AtomicIDecrement 233 "triii", AtomicIAdd 234 "triiii",
    AtomicISub 235 "triiii", AtomicSMin 236 "triiii", AtomicUMin 237 "triiii", AtomicSMax 238 "triiii",
    AtomicUMax 239 "triiii", AtomicAnd 240 "triiii", AtomicOr 241 "triiii", AtomicXor 242 "triiii",
    Phi 245 "trQ*", LoopMerge 246 "iiL", SelectionMerge 247 "iB", Label 248 "r", Branch 249 "i",
    BranchConditional 250 "iiin*", Switch 251 "iip*", Return 253 "", ReturnValue 254 "i", Unreachable 255 "",
    LifetimeStart 256 "in", LifetimeStop 257 "in", GroupAsyncCopy 259 "triiiiii", GroupWaitEvents 260 "iii",
    GroupAll 261 "trii", GroupAny 262 "trii", GroupBroadcast 263 "triii", GroupIAdd 264 "triVi",
    GroupFAdd 265 "triVi", GroupFMin 266 "triVi", GroupUMin 267 "triVi", GroupSMin 268 "triVi",
    GroupFMax 269 "triVi", GroupUMax 270 "triVi", GroupSMax 271 "triVi", ReadPipe 274 "triiii",
    WritePipe 275 "triiii", ReservedReadPipe 276 "triiiiii", ReservedWritePipe 277 "triiiiii",
    ReserveReadPipePackets 278 "triiii", ReserveWritePipePackets 279 "triiii", CommitReadPipe 280 "iiii",
    CommitWritePipe 281 "iiii", IsValidReserveId 282 "tri", GetNumPipePackets 283 "triii",
    GetMaxPipePackets 284 "triii", GroupReserveReadPipePackets 285 "triiiii",
    GroupReserveWritePipePackets 286 "triiiii", GroupCommitReadPipe 287 "iiiii",
    GroupCommitWritePipe 288 "iiiii", EnqueueMarker 291 "triiii", EnqueueKernel 292 "triiiiiiiiiii*",
    GetKernelNDrangeSubGroupCount 293 "triiiii", GetKernelNDrangeMaxSubGroupSize 294 "triiiii",
    GetKernelWorkGroupSize 295 "triiii", GetKernelPreferredWorkGroupSizeMultiple 296 "triiii",
    RetainEvent 297 "i", ReleaseEvent 298 "i", CreateUserEvent 299 "tr", IsValidEvent 300 "tri",
    SetUserEventStatus 301 "ii", CaptureEventProfilingInfo 302 "iii", GetDefaultQueue 303 "tr",
    BuildNDRange 304 "triii", NoLine 317 "", AtomicFlagTestAndSet 318 "triii", AtomicFlagClear 319 "iii",
    SizeOf 321 "tri", TypePipeStorage 322 "r", ConstantPipeStorage 323 "trnnn",
    CreatePipeFromPipeStorage 324 "tri", GetKernelLocalSizeForSubgroupCount 325 "triiiii",
    GetKernelMaxNumSubgroups 326 "triiii", TypeNamedBarrier 327 "r", NamedBarrierInitialize 328 "tri",
    MemoryNamedBarrier 329 "iii", ModuleProcessed 330 "S", ExecutionModeId 331 "iX", DecorateId 332 "iD",
    GroupNonUniformElect 333 "tri", GroupNonUniformAll 334 "trii", GroupNonUniformAny 335 "trii",
    GroupNonUniformAllEqual 336 "trii", GroupNonUniformBroadcast 337 "triii",
    GroupNonUniformBroadcastFirst 338 "trii", GroupNonUniformBallot 339 "trii",
    GroupNonUniformInverseBallot 340 "trii", GroupNonUniformBallotBitExtract 341 "triii",
    GroupNonUniformBallotBitCount 342 "triVi", GroupNonUniformBallotFindLSB 343 "trii",
    GroupNonUniformBallotFindMSB 344 "trii", GroupNonUniformShuffle 345 "triii",
    GroupNonUniformShuffleXor 346 "triii", GroupNonUniformShuffleUp 347 "triii",
    GroupNonUniformShuffleDown 348 "triii", GroupNonUniformIAdd 349 "triVii?",
    GroupNonUniformFAdd 350 "triVii?", GroupNonUniformIMul 351 "triVii?", GroupNonUniformFMul 352 "triVii?",
    GroupNonUniformSMin 353 "triVii?", GroupNonUniformUMin 354 "triVii?", GroupNonUniformFMin 355 "triVii?",
    GroupNonUniformSMax 356 "triVii?", GroupNonUniformUMax 357 "triVii?", GroupNonUniformFMax 358 "triVii?",
    GroupNonUniformBitwiseAnd 359 "triVii?", GroupNonUniformBitwiseOr 360 "triVii?",
    GroupNonUniformBitwiseXor 361 "triVii?", GroupNonUniformLogicalAnd 362 "triVii?",
    GroupNonUniformLogicalOr 363 "triVii?", GroupNonUniformLogicalXor 364 "triVii?",
    GroupNonUniformQuadBroadcast 365 "triii", GroupNonUniformQuadSwap 366 "triii", CopyLogical 400 "tri",
    PtrEqual 401 "trii", PtrNotEqual 402 "trii", PtrDiff 403 "trii", GroupNonUniformRotateKHR 4431 "triiii?",
    SDot 4450 "triiP?", UDot 4451 "triiP?", SUDot 4452 "triiP?", SDotAccSat 4453 "triiiP?",
    UDotAccSat 4454 "triiiP?", SUDotAccSat 4455 "triiiP?", ReadClockKHR 5056 "tri",
    SubgroupShuffleINTEL 5571 "trii",
    SubgroupShuffleDownINTEL 5572 "triii", SubgroupShuffleUpINTEL 5573 "triii",
    SubgroupShuffleXorINTEL 5574 "trii", SubgroupBlockReadINTEL 5575 "tri", SubgroupBlockWriteINTEL 5576 "ii",
    SubgroupImageBlockReadINTEL 5577 "trii", SubgroupImageBlockWriteINTEL 5578 "iii",
    ConstantFunctionPointerINTEL 5600 "tri", FunctionPointerCallINTEL 5601 "tri*",
    AtomicFMinEXT 5614 "triiii",
    AtomicFMaxEXT 5615 "triiii", AssumeTrueKHR 5630 "i", ExpectKHR 5631 "trii", DecorateString 5632 "iD",
    MemberDecorateString 5633 "inD", LoopControlINTEL 5887 "n*", AliasDomainDeclINTEL 5911 "ri?",
    AliasScopeDeclINTEL 5912 "rii?", AliasScopeListDeclINTEL 5913 "ri*", AtomicFAddEXT 6035 "triiii",
    ConvertFToBF16INTEL 6116 "tri", ConvertBF16ToFINTEL 6117 "tri", GroupIMulKHR 6401 "triVi",
    GroupFMulKHR 6402 "triVi", GroupBitwiseAndKHR 6403 "triVi", GroupBitwiseOrKHR 6404 "triVi",
    GroupBitwiseXorKHR 6405 "triVi", GroupLogicalAndKHR 6406 "triVi", GroupLogicalOrKHR 6407 "triVi",
    GroupLogicalXorKHR 6408 "triVi"
}

names! {
    CAPABILITIES: {
        Matrix 0, Shader 1, Geometry 2, Tessellation 3, Addresses 4, Linkage 5, Kernel 6, Vector16 7,
        Float16Buffer 8, Float16 9, Float64 10, Int64 11, Int64Atomics 12, ImageBasic 13, ImageReadWrite 14,
        ImageMipmap 15, Pipes 17, Groups 18, DeviceEnqueue 19, LiteralSampler 20, AtomicStorage 21, Int16 22,
        TessellationPointSize 23, GeometryPointSize 24, ImageGatherExtended 25, StorageImageMultisample 27,
        UniformBufferArrayDynamicIndexing 28, SampledImageArrayDynamicIndexing 29,
        StorageBufferArrayDynamicIndexing 30, StorageImageArrayDynamicIndexing 31, ClipDistance 32,
        CullDistance 33, ImageCubeArray 34, SampleRateShading 35, ImageRect 36, SampledRect 37,
        GenericPointer 38, Int8 39, InputAttachment 40, SparseResidency 41, MinLod 42, Sampled1D 43,
        Image1D 44,
        SampledCubeArray 45, SampledBuffer 46, ImageBuffer 47, ImageMSArray 48,
        StorageImageExtendedFormats 49,
        ImageQuery 50, DerivativeControl 51, InterpolationFunction 52, TransformFeedback 53,
        GeometryStreams 54,
        StorageImageReadWithoutFormat 55, StorageImageWriteWithoutFormat 56, MultiViewport 57,
        SubgroupDispatch 58, NamedBarrier 59, PipeStorage 60, GroupNonUniform 61, GroupNonUniformVote 62,
        GroupNonUniformArithmetic 63, GroupNonUniformBallot 64, GroupNonUniformShuffle 65,
        GroupNonUniformShuffleRelative 66, GroupNonUniformClustered 67, GroupNonUniformQuad 68,
        ShaderLayer 69,
        ShaderViewportIndex 70, UniformDecoration 71, CoreBuiltinsARM 4165, TileImageColorReadAccessEXT 4166,
        TileImageDepthReadAccessEXT 4167, TileImageStencilReadAccessEXT 4168, TensorsARM 4174,
        StorageTensorArrayDynamicIndexingARM 4175, StorageTensorArrayNonUniformIndexingARM 4176,
        GraphARM 4191,
        CooperativeMatrixLayoutsARM 4201, Float8EXT 4212, Float8CooperativeMatrixEXT 4213, Float6EXT 4228,
        Float4EXT 4229, Float8UnsignedE8M0EXT 4230, MXInt8EXT 4231, BitcastExtractEXT 4232,
        FragmentShadingRateKHR 4422, SubgroupBallotKHR 4423, DrawParameters 4427,
        WorkgroupMemoryExplicitLayoutKHR 4428, WorkgroupMemoryExplicitLayout8BitAccessKHR 4429,
        WorkgroupMemoryExplicitLayout16BitAccessKHR 4430, SubgroupVoteKHR 4431, StorageBuffer16BitAccess 4433,
        StorageUniformBufferBlock16 4433, UniformAndStorageBuffer16BitAccess 4434, StorageUniform16 4434,
        StoragePushConstant16 4435, StorageInputOutput16 4436, DeviceGroup 4437, MultiView 4439,
        VariablePointersStorageBuffer 4441, VariablePointers 4442, AtomicStorageOps 4445,
        SampleMaskPostDepthCoverage 4447, StorageBuffer8BitAccess 4448,
        UniformAndStorageBuffer8BitAccess 4449,
        StoragePushConstant8 4450, DenormPreserve 4464, DenormFlushToZero 4465, SignedZeroInfNanPreserve 4466,
        RoundingModeRTE 4467, RoundingModeRTZ 4468, RayQueryProvisionalKHR 4471, RayQueryKHR 4472,
        UntypedPointersKHR 4473, RayTraversalPrimitiveCullingKHR 4478, RayTracingKHR 4479,
        TextureSampleWeightedQCOM 4484, TextureBoxFilterQCOM 4485, TextureBlockMatchQCOM 4486,
        TileShadingQCOM 4495, CooperativeMatrixConversionQCOM 4496, TextureBlockMatch2QCOM 4498,
        MultipleWaitQueuesQCOM 4539, ImageGatherLinearQCOM 4543, ImageGatherExtendedModesQCOM 4544,
        Float16ImageAMD 5008, ImageGatherBiasLodAMD 5009, FragmentMaskAMD 5010, StencilExportEXT 5013,
        ImageReadWriteLodAMD 5015, Int64ImageEXT 5016, ShaderClockKHR 5055, ShaderEnqueueAMDX 5067,
        QuadControlKHR 5087, Int4TypeINTEL 5112, Int4CooperativeMatrixINTEL 5114, BFloat16TypeKHR 5116,
        BFloat16DotProductKHR 5117, BFloat16CooperativeMatrixKHR 5118, AbortKHR 5120, DescriptorHeapEXT 5128,
        ConstantDataKHR 5146, PoisonFreezeKHR 5156, WeakLinkageAMD 5181, SampleMaskOverrideCoverageNV 5249,
        GeometryShaderPassthroughNV 5251, ShaderViewportIndexLayerEXT 5254, ShaderViewportMaskNV 5255,
        ShaderStereoViewNV 5259, PerViewAttributesNV 5260, FragmentFullyCoveredEXT 5265, MeshShadingNV 5266,
        ImageFootprintNV 5282, MeshShadingEXT 5283, FragmentBarycentricKHR 5284,
        ComputeDerivativeGroupQuadsKHR 5288, FragmentDensityEXT 5291, GroupNonUniformPartitionedEXT 5297,
        ShaderNonUniform 5301, ShaderNonUniformEXT 5301, RuntimeDescriptorArray 5302,
        RuntimeDescriptorArrayEXT 5302, InputAttachmentArrayDynamicIndexing 5303,
        InputAttachmentArrayDynamicIndexingEXT 5303, UniformTexelBufferArrayDynamicIndexing 5304,
        UniformTexelBufferArrayDynamicIndexingEXT 5304, StorageTexelBufferArrayDynamicIndexing 5305,
        StorageTexelBufferArrayDynamicIndexingEXT 5305, UniformBufferArrayNonUniformIndexing 5306,
        UniformBufferArrayNonUniformIndexingEXT 5306, SampledImageArrayNonUniformIndexing 5307,
        SampledImageArrayNonUniformIndexingEXT 5307, StorageBufferArrayNonUniformIndexing 5308,
        StorageBufferArrayNonUniformIndexingEXT 5308, StorageImageArrayNonUniformIndexing 5309,
        StorageImageArrayNonUniformIndexingEXT 5309, InputAttachmentArrayNonUniformIndexing 5310,
        InputAttachmentArrayNonUniformIndexingEXT 5310, UniformTexelBufferArrayNonUniformIndexing 5311,
        UniformTexelBufferArrayNonUniformIndexingEXT 5311, StorageTexelBufferArrayNonUniformIndexing 5312,
        StorageTexelBufferArrayNonUniformIndexingEXT 5312, RayTracingPositionFetchKHR 5336, RayTracingNV 5340,
        RayTracingMotionBlurNV 5341, VulkanMemoryModel 5345, VulkanMemoryModelKHR 5345,
        VulkanMemoryModelDeviceScope 5346, VulkanMemoryModelDeviceScopeKHR 5346,
        PhysicalStorageBufferAddresses 5347, PhysicalStorageBufferAddressesEXT 5347,
        ComputeDerivativeGroupLinearKHR 5350, RayTracingProvisionalKHR 5353, CooperativeMatrixNV 5357,
        FragmentShaderSampleInterlockEXT 5363, FragmentShaderShadingRateInterlockEXT 5372,
        ShaderSMBuiltinsNV 5373, FragmentShaderPixelInterlockEXT 5378, DemoteToHelperInvocation 5379,
        DemoteToHelperInvocationEXT 5379, DisplacementMicromapNV 5380, RayTracingOpacityMicromapKHR 5381,
        RayTracingOpacityMicromapEXT 5381, ShaderInvocationReorderNV 5383, ShaderInvocationReorderEXT 5388,
        BindlessTextureNV 5390, RayQueryPositionFetchKHR 5391, CooperativeVectorNV 5394,
        AtomicFloat16VectorNV 5404, RayTracingDisplacementMicromapNV 5409, RawAccessChainsNV 5414,
        RayTracingSpheresGeometryNV 5418, RayTracingLinearSweptSpheresGeometryNV 5419,
        PushConstantBanksNV 5423,
        LongVectorEXT 5425, Shader64BitIndexingEXT 5426, CooperativeMatrixConversionsEXT 5429,
        CooperativeMatrixReductionsEXT 5430, CooperativeMatrixConversionsNV 5431,
        CooperativeMatrixPerElementOperationsEXT 5432, CooperativeMatrixTensorAddressingNV 5433,
        CooperativeMatrixBlockLoadsNV 5434, CooperativeVectorTrainingNV 5435,
        RayTracingClusterAccelerationStructureNV 5437, CooperativeMatrixGetCoordinateEXT 5438,
        TensorAddressingNV 5439, CooperativeMatrixDecodeVectorNV 5447, SubgroupShuffleINTEL 5568,
        SubgroupBufferBlockIOINTEL 5569, SubgroupImageBlockIOINTEL 5570, SubgroupImageMediaBlockIOINTEL 5579,
        RoundToInfinityINTEL 5582, FloatingPointModeINTEL 5583, IntegerFunctions2INTEL 5584,
        FunctionPointersINTEL 5603, IndirectReferencesINTEL 5604, AsmINTEL 5606, AtomicFloat32MinMaxEXT 5612,
        AtomicFloat64MinMaxEXT 5613, AtomicFloat16MinMaxEXT 5616, VectorComputeINTEL 5617,
        VectorAnyINTEL 5619,
        ExpectAssumeKHR 5629, SubgroupAvcMotionEstimationINTEL 5696,
        SubgroupAvcMotionEstimationIntraINTEL 5697,
        SubgroupAvcMotionEstimationChromaINTEL 5698, VariableLengthArrayINTEL 5817,
        FunctionFloatControlINTEL 5821, FPGAMemoryAttributesALTERA 5824, FPGAMemoryAttributesINTEL 5824,
        FPFastMathModeINTEL 5837, ArbitraryPrecisionIntegersALTERA 5844, ArbitraryPrecisionIntegersINTEL 5844,
        ArbitraryPrecisionFloatingPointALTERA 5845, ArbitraryPrecisionFloatingPointINTEL 5845,
        UnstructuredLoopControlsINTEL 5886, FPGALoopControlsALTERA 5888, FPGALoopControlsINTEL 5888,
        KernelAttributesINTEL 5892, FPGAKernelAttributesINTEL 5897, FPGAMemoryAccessesALTERA 5898,
        FPGAMemoryAccessesINTEL 5898, FPGAClusterAttributesALTERA 5904, FPGAClusterAttributesINTEL 5904,
        LoopFuseALTERA 5906, LoopFuseINTEL 5906, FPGADSPControlALTERA 5908, FPGADSPControlINTEL 5908,
        MemoryAccessAliasingINTEL 5910, FPGAInvocationPipeliningAttributesALTERA 5916,
        FPGAInvocationPipeliningAttributesINTEL 5916, FPGABufferLocationALTERA 5920,
        FPGABufferLocationINTEL 5920, ArbitraryPrecisionFixedPointALTERA 5922,
        ArbitraryPrecisionFixedPointINTEL 5922, USMStorageClassesALTERA 5935, USMStorageClassesINTEL 5935,
        RuntimeAlignedAttributeALTERA 5939, RuntimeAlignedAttributeINTEL 5939, IOPipesALTERA 5943,
        IOPipesINTEL 5943, BlockingPipesALTERA 5945, BlockingPipesINTEL 5945, FPGARegALTERA 5948,
        FPGARegINTEL 5948, DotProductInputAll 6016, DotProductInputAllKHR 6016, DotProductInput4x8Bit 6017,
        DotProductInput4x8BitKHR 6017, DotProductInput4x8BitPacked 6018, DotProductInput4x8BitPackedKHR 6018,
        DotProduct 6019, DotProductKHR 6019, RayCullMaskKHR 6020, CooperativeMatrixKHR 6022,
        ReplicatedCompositesEXT 6024, BitInstructions 6025, GroupNonUniformRotateKHR 6026,
        FloatControls2 6029,
        FMAKHR 6030, RayTracingOpacityMicromapExecutionModeKHR 6032, AtomicFloat32AddEXT 6033,
        AtomicFloat64AddEXT 6034, LongCompositesINTEL 6089, OptNoneEXT 6094, OptNoneINTEL 6094,
        AtomicFloat16AddEXT 6095, DebugInfoModuleINTEL 6114, BFloat16ConversionINTEL 6115,
        SplitBarrierEXT 6141,
        SplitBarrierINTEL 6141, ArithmeticFenceEXT 6144, FPGAClusterAttributesV2ALTERA 6150,
        FPGAClusterAttributesV2INTEL 6150, FPGAKernelAttributesv2INTEL 6161, TaskSequenceALTERA 6162,
        TaskSequenceINTEL 6162, FPMaxErrorINTEL 6169, FPGALatencyControlALTERA 6171,
        FPGALatencyControlINTEL 6171, FPGAArgumentInterfacesALTERA 6174, FPGAArgumentInterfacesINTEL 6174,
        GlobalVariableHostAccessINTEL 6187, GlobalVariableFPGADecorationsALTERA 6189,
        GlobalVariableFPGADecorationsINTEL 6189, SubgroupBufferPrefetchINTEL 6220,
        Subgroup2DBlockIOINTEL 6228,
        Subgroup2DBlockTransformINTEL 6229, Subgroup2DBlockTransposeINTEL 6230,
        SubgroupMatrixMultiplyAccumulateINTEL 6236, TernaryBitwiseFunctionINTEL 6241,
        UntypedVariableLengthArrayINTEL 6243, SpecConditionalINTEL 6245, FunctionVariantsINTEL 6246,
        PredicatedIOINTEL 6257, RoundedDivideSqrtINTEL 6265, GroupUniformArithmeticKHR 6400,
        TensorFloat32RoundingINTEL 6425, MaskedGatherScatterINTEL 6427, CacheControlsINTEL 6441,
        RegisterLimitsINTEL 6460, BindlessImagesINTEL 6528, DotProductFloat16AccFloat32VALVE 6912,
        DotProductFloat16AccFloat16VALVE 6913, DotProductBFloat16AccVALVE 6914,
        DotProductFloat8AccFloat32VALVE 6915, IntrinsicSAMSUNG 7041
    }
    MEMORY_ACCESS: {
        None 0x0, Volatile 0x1, Aligned 0x2 "n", Nontemporal 0x4, MakePointerAvailable 0x8 "i",
        MakePointerAvailableKHR 0x8 "i", MakePointerVisible 0x10 "i", MakePointerVisibleKHR 0x10 "i",
        NonPrivatePointer 0x20, NonPrivatePointerKHR 0x20, AliasScopeINTELMask 0x10000 "i",
        NoAliasINTELMask 0x20000 "i"
    }
    DECORATIONS: {
        RelaxedPrecision 0, SpecId 1 "n", Block 2, BufferBlock 3, RowMajor 4, ColMajor 5, ArrayStride 6 "n",
        MatrixStride 7 "n", GLSLShared 8, GLSLPacked 9, CPacked 10, BuiltIn 11 "b", NoPerspective 13, Flat 14,
        Patch 15, Centroid 16, Sample 17, Invariant 18, Restrict 19, Aliased 20, Volatile 21, Constant 22,
        Coherent 23, NonWritable 24, NonReadable 25, Uniform 26, UniformId 27 "i", SaturatedConversion 28,
        Stream 29 "n", Location 30 "n", Component 31 "n", Index 32 "n", Binding 33 "n", DescriptorSet 34 "n",
        Offset 35 "n", XfbBuffer 36 "n", XfbStride 37 "n", FuncParamAttr 38 "v", FPRoundingMode 39 "R",
        FPFastMathMode 40 "T", LinkageAttributes 41 "Sk", NoContraction 42, InputAttachmentIndex 43 "n",
        Alignment 44 "n", MaxByteOffset 45 "n", AlignmentId 46 "i", MaxByteOffsetId 47 "i",
        SaturatedToLargestFloat8NormalConversionEXT 4216, NoSignedWrap 4469, NoUnsignedWrap 4470,
        ArrayStrideIdEXT 5124 "i", OffsetIdEXT 5125 "i", UTFEncodedKHR 5145, PerPrimitiveEXT 5271,
        PerVertexKHR 5285, NonUniform 5300, NonUniformEXT 5300, RestrictPointer 5355, RestrictPointerEXT 5355,
        AliasedPointer 5356, AliasedPointerEXT 5356, HitObjectShaderRecordBufferEXT 5389,
        CooperativeMatrixTransposeEXT 5440, SIMTCallINTEL 5599 "n", ReferencedIndirectlyINTEL 5602,
        ClobberINTEL 5607 "S", SideEffectsINTEL 5608, VectorComputeVariableINTEL 5624,
        FuncParamIOKindINTEL 5625 "n", VectorComputeFunctionINTEL 5626, StackCallINTEL 5627,
        GlobalVariableOffsetINTEL 5628 "n", CounterBuffer 5634 "i", UserSemantic 5635 "S",
        FunctionRoundingModeINTEL 5822 "nR", RegisterALTERA 5825, RegisterINTEL 5825, MemoryALTERA 5826 "S",
        MemoryINTEL 5826 "S", NumbanksALTERA 5827 "n", NumbanksINTEL 5827 "n", BankwidthALTERA 5828 "n",
        BankwidthINTEL 5828 "n", MaxPrivateCopiesALTERA 5829 "n", MaxPrivateCopiesINTEL 5829 "n",
        SinglepumpALTERA 5830, SinglepumpINTEL 5830, DoublepumpALTERA 5831, DoublepumpINTEL 5831,
        MaxReplicatesALTERA 5832 "n", MaxReplicatesINTEL 5832 "n", SimpleDualPortALTERA 5833,
        SimpleDualPortINTEL 5833, MergeALTERA 5834 "SS", MergeINTEL 5834 "SS", BankBitsALTERA 5835 "n*",
        BankBitsINTEL 5835 "n*", ForcePow2DepthALTERA 5836 "n", ForcePow2DepthINTEL 5836 "n",
        StridesizeALTERA 5883 "n", StridesizeINTEL 5883 "n", WordsizeALTERA 5884 "n", WordsizeINTEL 5884 "n",
        TrueDualPortALTERA 5885, TrueDualPortINTEL 5885, BurstCoalesceALTERA 5899, BurstCoalesceINTEL 5899,
        CacheSizeALTERA 5900 "n", CacheSizeINTEL 5900 "n", DontStaticallyCoalesceALTERA 5901,
        DontStaticallyCoalesceINTEL 5901, PrefetchALTERA 5902 "n", PrefetchINTEL 5902 "n",
        StallEnableALTERA 5905, StallEnableINTEL 5905, FuseLoopsInFunctionALTERA 5907,
        FuseLoopsInFunctionINTEL 5907, MathOpDSPModeALTERA 5909 "nn", MathOpDSPModeINTEL 5909 "nn",
        AliasScopeINTEL 5914 "i", NoAliasINTEL 5915 "i", InitiationIntervalALTERA 5917 "n",
        InitiationIntervalINTEL 5917 "n", MaxConcurrencyALTERA 5918 "n", MaxConcurrencyINTEL 5918 "n",
        PipelineEnableALTERA 5919 "n", PipelineEnableINTEL 5919 "n", BufferLocationALTERA 5921 "n",
        BufferLocationINTEL 5921 "n", IOPipeStorageALTERA 5944 "n", IOPipeStorageINTEL 5944 "n",
        SingleElementVectorINTEL 6085, VectorComputeCallableFunctionINTEL 6087, MediaBlockIOINTEL 6140,
        StallFreeALTERA 6151, StallFreeINTEL 6151, FPMaxErrorDecorationINTEL 6170 "x",
        LatencyControlLabelALTERA 6172 "n", LatencyControlLabelINTEL 6172 "n",
        LatencyControlConstraintALTERA 6173 "nnn", LatencyControlConstraintINTEL 6173 "nnn",
        ConduitKernelArgumentALTERA 6175, ConduitKernelArgumentINTEL 6175,
        RegisterMapKernelArgumentALTERA 6176,
        RegisterMapKernelArgumentINTEL 6176, MMHostInterfaceAddressWidthALTERA 6177 "n",
        MMHostInterfaceAddressWidthINTEL 6177 "n", MMHostInterfaceDataWidthALTERA 6178 "n",
        MMHostInterfaceDataWidthINTEL 6178 "n", MMHostInterfaceLatencyALTERA 6179 "n",
        MMHostInterfaceLatencyINTEL 6179 "n", MMHostInterfaceReadWriteModeALTERA 6180 "a",
        MMHostInterfaceReadWriteModeINTEL 6180 "a", MMHostInterfaceMaxBurstALTERA 6181 "n",
        MMHostInterfaceMaxBurstINTEL 6181 "n", MMHostInterfaceWaitRequestALTERA 6182 "n",
        MMHostInterfaceWaitRequestINTEL 6182 "n", StableKernelArgumentALTERA 6183,
        StableKernelArgumentINTEL 6183, ImplementInRegisterMapALTERA 6191 "n",
        ImplementInRegisterMapINTEL 6191 "n", ConditionalINTEL 6247 "i"
    }
    EXECUTION_MODES: {
        Invocations 0 "n", SpacingEqual 1, SpacingFractionalEven 2, SpacingFractionalOdd 3, VertexOrderCw 4,
        VertexOrderCcw 5, PixelCenterInteger 6, OriginUpperLeft 7, OriginLowerLeft 8, EarlyFragmentTests 9,
        PointMode 10, Xfb 11, DepthReplacing 12, DepthGreater 14, DepthLess 15, DepthUnchanged 16,
        LocalSize 17 "nnn", LocalSizeHint 18 "nnn", InputPoints 19, InputLines 20, InputLinesAdjacency 21,
        Triangles 22, InputTrianglesAdjacency 23, Quads 24, Isolines 25, OutputVertices 26 "n",
        OutputPoints 27,
        OutputLineStrip 28, OutputTriangleStrip 29, VecTypeHint 30 "n", ContractionOff 31, Initializer 33,
        Finalizer 34, SubgroupSize 35 "n", SubgroupsPerWorkgroup 36 "n", SubgroupsPerWorkgroupId 37 "i",
        LocalSizeId 38 "iii", LocalSizeHintId 39 "iii", NonCoherentColorAttachmentReadEXT 4169,
        NonCoherentDepthAttachmentReadEXT 4170, NonCoherentStencilAttachmentReadEXT 4171,
        SubgroupUniformControlFlowKHR 4421, PostDepthCoverage 4446, DenormPreserve 4459 "n",
        DenormFlushToZero 4460 "n", SignedZeroInfNanPreserve 4461 "n", RoundingModeRTE 4462 "n",
        RoundingModeRTZ 4463 "n", StencilRefReplacingEXT 5027, QuadDerivativesKHR 5088,
        RequireFullQuadsKHR 5089, ArithmeticPoisonKHR 5157, OutputLinesEXT 5269, OutputPrimitivesEXT 5270 "n",
        DerivativeGroupQuadsKHR 5289, DerivativeGroupLinearKHR 5290, OutputTrianglesEXT 5298,
        PixelInterlockOrderedEXT 5366, PixelInterlockUnorderedEXT 5367, SampleInterlockOrderedEXT 5368,
        SampleInterlockUnorderedEXT 5369, ShadingRateInterlockOrderedEXT 5370,
        ShadingRateInterlockUnorderedEXT 5371, Shader64BitIndexingEXT 5427,
        SharedLocalMemorySizeINTEL 5618 "n",
        RoundingModeRTPINTEL 5620 "n", RoundingModeRTNINTEL 5621 "n", FloatingPointModeALTINTEL 5622 "n",
        FloatingPointModeIEEEINTEL 5623 "n", MaxWorkgroupSizeINTEL 5893 "nnn", MaxWorkDimINTEL 5894 "n",
        NoGlobalOffsetINTEL 5895, NumSIMDWorkitemsINTEL 5896 "n", SchedulerTargetFmaxMhzINTEL 5903 "n",
        MaximallyReconvergesKHR 6023, FPFastMathDefault 6028 "ii", OpacityMicromapIdKHR 6031 "i",
        StreamingInterfaceINTEL 6154 "n", RegisterMapInterfaceINTEL 6160 "n", NamedBarrierCountINTEL 6417 "n",
        MaximumRegistersINTEL 6461 "n", MaximumRegistersIdINTEL 6462 "i"
    }
    STORAGE_CLASSES: {
        UniformConstant 0, Input 1, Uniform 2, Output 3, Workgroup 4, CrossWorkgroup 5, Private 6, Function 7,
        Generic 8, PushConstant 9, AtomicCounter 10, Image 11, StorageBuffer 12, TileImageEXT 4172,
        PhysicalStorageBuffer 5349, PhysicalStorageBufferEXT 5349, TaskPayloadWorkgroupEXT 5402,
        HitObjectAttributeEXT 5411, CodeSectionINTEL 5605, DeviceOnlyALTERA 5936, DeviceOnlyINTEL 5936,
        HostOnlyALTERA 5937, HostOnlyINTEL 5937
    }
    FUNCTION_CONTROLS: {
        None 0x0, Inline 0x1, DontInline 0x2, Pure 0x4, Const 0x8, OptNoneEXT 0x10000, OptNoneINTEL 0x10000
    }
    LOOP_CONTROLS: {
        None 0x0, Unroll 0x1, DontUnroll 0x2, DependencyInfinite 0x4, DependencyLength 0x8 "n",
        MinIterations 0x10 "n", MaxIterations 0x20 "n", IterationMultiple 0x40 "n", PeelCount 0x80 "n",
        PartialCount 0x100 "n", InitiationIntervalALTERA 0x10000 "n", InitiationIntervalINTEL 0x10000 "n",
        MaxConcurrencyALTERA 0x20000 "n", MaxConcurrencyINTEL 0x20000 "n", DependencyArrayALTERA 0x40000 "n",
        DependencyArrayINTEL 0x40000 "n", PipelineEnableALTERA 0x80000 "n", PipelineEnableINTEL 0x80000 "n",
        LoopCoalesceALTERA 0x100000 "n", LoopCoalesceINTEL 0x100000 "n", MaxInterleavingALTERA 0x200000 "n",
        MaxInterleavingINTEL 0x200000 "n", SpeculatedIterationsALTERA 0x400000 "n",
        SpeculatedIterationsINTEL 0x400000 "n", NoFusionALTERA 0x800000, NoFusionINTEL 0x800000,
        LoopCountALTERA 0x1000000 "n", LoopCountINTEL 0x1000000 "n", MaxReinvocationDelayALTERA 0x2000000 "n",
        MaxReinvocationDelayINTEL 0x2000000 "n"
    }
    SELECTION_CONTROLS: {
        None 0x0, Flatten 0x1, DontFlatten 0x2
    }
    GROUP_OPERATIONS: {
        Reduce 0, InclusiveScan 1, ExclusiveScan 2, ClusteredReduce 3, PartitionedReduceEXT 6,
        PartitionedInclusiveScanEXT 7, PartitionedExclusiveScanEXT 8
    }
    ADDRESSING_MODELS: {
        Logical 0, Physical32 1, Physical64 2, PhysicalStorageBuffer64 5348, PhysicalStorageBuffer64EXT 5348
    }
    MEMORY_MODELS: {
        Simple 0, GLSL450 1, OpenCL 2, Vulkan 3, VulkanKHR 3
    }
    EXECUTION_MODELS: {
        Vertex 0, TessellationControl 1, TessellationEvaluation 2, Geometry 3, Fragment 4, GLCompute 5,
        Kernel 6, RayGenerationKHR 5313, IntersectionKHR 5314, AnyHitKHR 5315, ClosestHitKHR 5316,
        MissKHR 5317,
        CallableKHR 5318, TaskEXT 5364, MeshEXT 5365
    }
    SOURCE_LANGUAGES: {
        Unknown 0, ESSL 1, GLSL 2, OpenCL_C 3, OpenCL_CPP 4, HLSL 5, CPP_for_OpenCL 6, SYCL 7, HERO_C 8,
        NZSL 9,
        WGSL 10, Slang 11, Zig 12, Rust 13, Pred 14, ApilaJai 15
    }
    PACKED_VECTOR_FORMATS: {
        PackedVectorFormat4x8Bit 0, PackedVectorFormat4x8BitKHR 0
    }
    BUILT_INS: {
        NumWorkgroups 24, WorkgroupSize 25, WorkgroupId 26, LocalInvocationId 27, GlobalInvocationId 28,
        LocalInvocationIndex 29, WorkDim 30, GlobalSize 31, EnqueuedWorkgroupSize 32, GlobalOffset 33,
        GlobalLinearId 34, SubgroupSize 36, SubgroupMaxSize 37, NumSubgroups 38, NumEnqueuedSubgroups 39,
        SubgroupId 40, SubgroupLocalInvocationId 41, SubgroupEqMask 4416, SubgroupEqMaskKHR 4416,
        SubgroupGeMask 4417, SubgroupGeMaskKHR 4417, SubgroupGtMask 4418, SubgroupGtMaskKHR 4418,
        SubgroupLeMask 4419, SubgroupLeMaskKHR 4419, SubgroupLtMask 4420, SubgroupLtMaskKHR 4420
    }
    ROUNDING_MODES: {
        RTE 0, RTZ 1, RTP 2, RTN 3
    }
    FAST_MATH_MODES: {
        None 0x0, NotNaN 0x1, NotInf 0x2, NSZ 0x4, AllowRecip 0x8, Fast 0x10, AllowContract 0x10000,
        AllowContractFastINTEL 0x10000, AllowReassoc 0x20000, AllowReassocINTEL 0x20000,
        AllowTransform 0x40000
    }
    LINKAGE_TYPES: {
        Export 0, Import 1, LinkOnceODR 2, WeakAMD 3
    }
    PARAMETER_ATTRIBUTES: {
        Zext 0, Sext 1, ByVal 2, Sret 3, NoAlias 4, NoCapture 5, NoWrite 6, NoReadWrite 7,
        RuntimeAlignedALTERA 5940, RuntimeAlignedINTEL 5940
    }
    DIMENSIONALITIES: {
        1D 0, 2D 1, 3D 2, Cube 3, Rect 4, Buffer 5, SubpassData 6, TileImageDataEXT 4173
    }
    IMAGE_FORMATS: {
        Unknown 0, Rgba32f 1, Rgba16f 2, R32f 3, Rgba8 4, Rgba8Snorm 5, Rg32f 6, Rg16f 7, R11fG11fB10f 8,
        R16f 9, Rgba16 10, Rgb10A2 11, Rg16 12, Rg8 13, R16 14, R8 15, Rgba16Snorm 16, Rg16Snorm 17,
        Rg8Snorm 18, R16Snorm 19, R8Snorm 20, Rgba32i 21, Rgba16i 22, Rgba8i 23, R32i 24, Rg32i 25, Rg16i 26,
        Rg8i 27, R16i 28, R8i 29, Rgba32ui 30, Rgba16ui 31, Rgba8ui 32, R32ui 33, Rgb10a2ui 34, Rg32ui 35,
        Rg16ui 36, Rg8ui 37, R16ui 38, R8ui 39, R64ui 40, R64i 41
    }
    ACCESS_QUALIFIERS: {
        ReadOnly 0, WriteOnly 1, ReadWrite 2
    }
    IMAGE_OPERANDS: {
        None 0x0, Bias 0x1 "i", Lod 0x2 "i", Grad 0x4 "ii", ConstOffset 0x8 "i", Offset 0x10 "i",
        ConstOffsets 0x20 "i", Sample 0x40 "i", MinLod 0x80 "i", MakeTexelAvailable 0x100 "i",
        MakeTexelAvailableKHR 0x100 "i", MakeTexelVisible 0x200 "i", MakeTexelVisibleKHR 0x200 "i",
        NonPrivateTexel 0x400, NonPrivateTexelKHR 0x400, VolatileTexel 0x800, VolatileTexelKHR 0x800,
        SignExtend 0x1000, ZeroExtend 0x2000, Nontemporal 0x4000, Offsets 0x10000 "i"
    }
    ADDRESSING_MODES: {
        None 0, ClampToEdge 1, Clamp 2, Repeat 3, RepeatMirrored 4
    }
    FILTER_MODES: {
        Nearest 0, Linear 1
    }
    FLOAT_ENCODINGS: {
        BFloat16KHR 0, Float8E4M3EXT 4214, Float8E5M2EXT 4215, Float6E2M3EXT 4223, Float6E3M2EXT 4224,
        Float4E2M1EXT 4225, Float8UnsignedE8M0EXT 4226, MXInt8EXT 4227
    }
}
