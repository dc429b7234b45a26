//! SPIR-V that is run: memory, composites, control flow, functions, constants, and what work-items
//! share.

mod spirv_common;
use compiler::{NdRange, SpecializationInfo};
use lanewise_difftest::spirv::Spirv;
use runtime::ArgValue;
use spirv_common::*;

const INDEX: &str = "%ids = OpLoad %long3 %GlobalInvocationId\n%i = OpCompositeExtract %long %ids 0\n\
    %i32 = OpUConvert %int %i\n";

/// Runs `k(out, …)` with eight work-items in groups of four.
fn ints(spirv: &Spirv, body: &str, out: usize) -> Vec<u32> {
    let k = assembled(&spirv.kernel(&[("out", "g_int")], &format!("{INDEX}{body}")));
    let result = Data::<u32>::zeros(out);
    run(&k, 8, 4, &[result.arg()]);
    result.get()
}

/// Stores `%r` for each work-item.
fn each(spirv: &Spirv, body: &str) -> Vec<u32> {
    let store = "\n%out_at = OpInBoundsPtrAccessChain %g_int %out %i\nOpStore %out_at %r";
    ints(spirv, &format!("{body}{store}"), 8)
}

fn plain() -> Spirv {
    Spirv::default()
}

fn with_globals(globals: &str) -> Spirv {
    Spirv { globals: globals.to_owned(), ..plain() }
}

// ---- Memory -------------------------------------------------------------------------------------

#[test]
fn variables_are_initialized_loaded_and_stored() {
    let body = "%v = OpVariable %p_int Function %int_5\n%x = OpLoad %int %v Aligned 4\n\
        %y = OpIAdd %int %x %i32\n\
        OpStore %v %y Volatile|Aligned 4\n%r = OpLoad %int %v Volatile";
    assert_eq!(each(&plain(), body), [5, 6, 7, 8, 9, 10, 11, 12]);
}

#[test]
fn accesses_may_be_unaligned_and_nontemporal() {
    let body = "%bytes = OpBitcast %g_char %out\n%at = OpPtrAccessChain %g_char %bytes %long_33\n\
        %odd = OpBitcast %g_int %at\nOpStore %odd %int_305419896 Aligned|Nontemporal 1\n\
        %r = OpLoad %int %odd Aligned 1";
    let text = format!("{body}\nOpStore %out %r");
    let r = ints(&plain(), &text, 16);
    assert_eq!((r[0], r[8], r[9]), (0x1234_5678, 0x3456_7800, 0x12));
}

#[test]
fn arrays_and_structs_are_indexed() {
    let globals =
        "%arr = OpTypeArray %int %int_4\n%inner = OpTypeStruct %char %arr\n%S = OpTypeStruct %int2 %inner\n";
    let body = "%s = OpVariable %p_S Function\n%j = OpBitwiseAnd %int %i32 %int_3\n\
        %e = OpAccessChain %p_int %s %int_1 %int_1 %j\nOpStore %e %i32\n\
        %v = OpInBoundsAccessChain %p_int %s %int_0 %int_1\nOpStore %v %int_100\n\
        %x = OpLoad %int %e\n%y = OpLoad %int %v\n%r = OpIAdd %int %x %y";
    assert_eq!(each(&with_globals(globals), body), [100, 101, 102, 103, 104, 105, 106, 107]);
}

#[test]
fn pointers_are_moved_by_elements() {
    let globals = "%pair = OpTypeStruct %int %int";
    let body = "%pairs = OpBitcast %g_pair %out\n%first = OpInBoundsPtrAccessChain %g_int %pairs %i %int_0\n\
        %second = OpPtrAccessChain %g_int %pairs %i %int_1\nOpStore %first %i32\nOpStore %second %int_7";
    let r = ints(&with_globals(globals), body, 16);
    assert_eq!(r[..6], [0, 7, 1, 7, 2, 7]);
}

#[test]
fn packed_structs_have_no_padding() {
    let globals = "%P = OpTypeStruct %char %int";
    let setup = Spirv { annotations: "OpDecorate %P CPacked".to_owned(), ..with_globals(globals) };
    let body = "%s = OpVariable %p_P Function\n%size = OpSizeOf %int %s\n%r = OpCopyObject %int %size";
    assert_eq!(each(&setup, body)[0], 5);
    assert_eq!(each(&with_globals(globals), body)[0], 8);
}

#[test]
fn memory_is_copied() {
    let globals = "%arr = OpTypeArray %int %int_4\n\
        %four = OpConstantComposite %arr %int_10 %int_11 %int_12 %int_13\n\
        %c_arr_ = OpTypePointer UniformConstant %arr\n%table = OpVariable %c_arr_ UniformConstant %four";
    let body = "%v = OpVariable %p_arr Function\nOpCopyMemory %v %table Aligned 4\n\
        %j = OpBitwiseAnd %int %i32 %int_3\n%at = OpAccessChain %p_int %v %j\n%r = OpLoad %int %at";
    assert_eq!(each(&with_globals(globals), body), [10, 11, 12, 13, 10, 11, 12, 13]);
    let body = "%v = OpVariable %p_arr Function\n%to = OpBitcast %p_char %v\n\
        %from = OpBitcast %c_char %table\n\
        OpCopyMemorySized %to %from %long_16 Aligned 4 Aligned 4\n\
        %j = OpBitwiseAnd %int %i32 %int_3\n%at = OpAccessChain %p_int %v %j\n%r = OpLoad %int %at";
    assert_eq!(each(&with_globals(globals), body), [10, 11, 12, 13, 10, 11, 12, 13]);
}

#[test]
fn program_scope_variables_keep_their_values() {
    let globals = "%counter = OpVariable %g_int CrossWorkgroup %int_40";
    let setup = with_globals(globals);
    let body = "%old = OpAtomicIAdd %int %counter %int_1 %int_0 %int_2";
    let text =
        setup.kernel(&[("out", "g_int")], &format!("{body}\n%now = OpLoad %int %counter\nOpStore %out %now"));
    let k = assembled(&text);
    let out = Data::<u32>::zeros(1);
    run_once(&k, 1, 1, &[out.arg()]);
    run_once(&k, 1, 1, &[out.arg()]);
    assert_eq!(out.get(), [44]);
}

#[test]
fn variables_point_to_variables() {
    let globals = "%x = OpVariable %g_int CrossWorkgroup %int_9\n\
        %gg_int = OpTypePointer CrossWorkgroup %g_int\n\
        %px = OpVariable %gg_int CrossWorkgroup %x";
    let body = "%p = OpLoad %g_int %px\n%r = OpLoad %int %p";
    assert_eq!(each(&with_globals(globals), body)[0], 9);
}

#[test]
fn address_spaces_are_cast() {
    let body = "%v = OpVariable %p_int Function %int_3\n%gen = OpPtrCastToGeneric %n_int %v\n\
        OpStore %gen %i32\n%back = OpGenericCastToPtr %p_int %gen\n%x = OpLoad %int %back\n\
        %gout = OpPtrCastToGeneric %n_int %out\n\
        %isglobal = OpGenericCastToPtrExplicit %g_int %gout CrossWorkgroup\n\
        %same = OpPtrEqual %bool %isglobal %out\n\
        %yes = OpSelect %int %same %int_1000 %int_0\n\
        %semantics = OpGenericPtrMemSemantics %int %gout\n\
        %s0 = OpIAdd %int %x %yes\n%r = OpIAdd %int %s0 %semantics";
    // CrossWorkgroupMemory is 0x200.
    let expected: Vec<u32> = (0..8).map(|i| i + 1000 + 0x200).collect();
    assert_eq!(each(&plain(), body), expected);
}

#[test]
fn pointers_are_compared_subtracted_and_converted() {
    let body = "%p = OpInBoundsPtrAccessChain %g_int %out %i\n%n = OpPtrDiff %long %p %out\n\
        %d = OpUConvert %int %n\n\
        %ne = OpPtrNotEqual %bool %p %out\n%one = OpSelect %int %ne %int_100 %int_0\n\
        %u = OpConvertPtrToU %long %p\n%q = OpConvertUToPtr %g_int %u\nOpStore %q %int_1\n\
        %x = OpLoad %int %p\n\
        %s = OpIAdd %int %d %one\n%r = OpIAdd %int %s %x";
    assert_eq!(each(&plain(), body), [1, 102, 103, 104, 105, 106, 107, 108]);
}

#[test]
fn alias_scopes_are_noted() {
    let setup = Spirv {
        requirements:
            "OpCapability MemoryAccessAliasingINTEL\nOpExtension \"SPV_INTEL_memory_access_aliasing\"".into(),
        globals: "%domain = OpAliasDomainDeclINTEL\n%scope = OpAliasScopeDeclINTEL %domain\n\
                  %list = OpAliasScopeListDeclINTEL %scope"
            .into(),
        ..plain()
    };
    let body = "%at = OpInBoundsPtrAccessChain %g_int %out %i\nOpStore %at %i32 AliasScopeINTELMask %list\n\
        %r = OpLoad %int %at NoAliasINTELMask %list";
    assert_eq!(each(&setup, body), [0, 1, 2, 3, 4, 5, 6, 7]);
}

// ---- Composites ---------------------------------------------------------------------------------

#[test]
fn composites_are_built_and_taken_apart() {
    let globals = "%arr = OpTypeArray %int %int_2\n%S = OpTypeStruct %int4 %arr";
    let body = "%v2 = OpCompositeConstruct %int2 %i32 %int_5\n\
        %v4 = OpCompositeConstruct %int4 %v2 %int_6 %int_7\n\
        %a = OpCompositeConstruct %arr %int_8 %i32\n%s = OpCompositeConstruct %S %v4 %a\n\
        %s2 = OpCompositeInsert %S %int_50 %s 0 1\n%s3 = OpCompositeInsert %S %int_80 %s2 1 0\n\
        %w = OpCompositeExtract %int4 %s3 0\n%x = OpCompositeExtract %int %s3 0 1\n\
        %y = OpCompositeExtract %int %s3 1 0\n%z = OpCompositeExtract %int %s3 1 1\n\
        %j = OpBitwiseAnd %int %i32 %int_3\n%d = OpVectorExtractDynamic %int %w %j\n\
        %ins = OpVectorInsertDynamic %int4 %w %int_1000 %j\n%e = OpCompositeExtract %int %ins 3\n\
        %t0 = OpIAdd %int %x %y\n%t1 = OpIAdd %int %t0 %z\n%t2 = OpIAdd %int %t1 %d\n%r = OpIAdd %int %t2 %e";
    let expected: Vec<u32> = (0..8)
        .map(|i| {
            let w = [i, 50, 6, 7];
            let j = i as usize % 4;
            50 + 80 + i + w[j] + if j == 3 { 1000 } else { 7 }
        })
        .collect();
    assert_eq!(each(&with_globals(globals), body), expected);
}

#[test]
fn vectors_are_shuffled() {
    let body = "%v2 = OpCompositeConstruct %int2 %i32 %int_5\n\
        %v3 = OpCompositeConstruct %int3 %int_6 %int_7 %int_8\n\
        %v4 = OpVectorShuffle %int4 %v2 %v3 4 0xffffffff 0 2\n\
        %x = OpCompositeExtract %int %v4 0\n%y = OpCompositeExtract %int %v4 2\n\
        %z = OpCompositeExtract %int %v4 3\n\
        %xx = OpIMul %int %x %int_100\n%zz = OpIMul %int %z %int_10000\n\
        %t = OpIAdd %int %xx %y\n%r = OpIAdd %int %t %zz";
    let expected: Vec<u32> = (0..8).map(|i| 60_800 + i).collect();
    assert_eq!(each(&plain(), body), expected);
}

#[test]
fn composites_are_selected_and_copied() {
    let globals = "%S = OpTypeStruct %int %int\n%T = OpTypeStruct %int %int";
    let body = "%a = OpCompositeConstruct %S %i32 %int_1\n%b = OpCompositeConstruct %S %int_2 %int_3\n\
        %odd = OpBitwiseAnd %int %i32 %int_1\n%c = OpINotEqual %bool %odd %int_0\n%s = OpSelect %S %c %a %b\n\
        %t = OpCopyLogical %T %s\n%r = OpCompositeExtract %int %t 0";
    assert_eq!(each(&with_globals(globals), body), [2, 1, 2, 3, 2, 5, 2, 7]);
}

// ---- Constants ----------------------------------------------------------------------------------

#[test]
fn constants_of_all_kinds() {
    let globals = "%arr = OpTypeArray %int %int_2\n%S = OpTypeStruct %int4 %arr %bool\n\
        %v = OpConstantComposite %int4 %int_1 %int_2 %int_3 %int_4\n\
        %a = OpConstantComposite %arr %int_5 %int_6\n\
        %s = OpConstantComposite %S %v %a %bool_true\n%zero = OpConstantNull %S\n%any = OpUndef %int4";
    let body = "%x = OpCompositeExtract %int %s 0 2\n%y = OpCompositeExtract %int %s 1 1\n\
        %c = OpCompositeExtract %bool %s 2\n%z = OpCompositeExtract %int %zero 1 0\n\
        %ins = OpCompositeInsert %int4 %int_9 %any 0\n%w = OpCompositeExtract %int %ins 0\n\
        %sel = OpSelect %int %c %x %y\n%t = OpIAdd %int %sel %z\n%t2 = OpIAdd %int %t %w\n\
        %r = OpIAdd %int %t2 %y";
    assert_eq!(each(&with_globals(globals), body)[0], 3 + 9 + 6);
}

fn spec_kernel() -> String {
    let setup = Spirv {
        annotations: "OpDecorate %n SpecId 1\nOpDecorate %f SpecId 2\nOpDecorate %flag SpecId 3\n\
                      OpDecorate %wide SpecId 4\nOpDecorate %small SpecId 5"
            .into(),
        globals: "%n = OpSpecConstant %int 3\n%f = OpSpecConstant %float 1.5\n\
            %flag = OpSpecConstantFalse %bool\n\
                  %wide = OpSpecConstant %long 5\n%small = OpSpecConstant %char 7\n\
                  %twice = OpSpecConstantOp %int IMul %n %int_2\n\
                  %more = OpSpecConstantOp %int IAdd %twice %int_1\n\
                  %chosen = OpSpecConstantOp %int Select %flag %int_100 %int_200\n\
                  %pair = OpSpecConstantComposite %int2 %n %more\n\
                  %second = OpSpecConstantOp %int CompositeExtract %pair 1\n\
                  %narrow = OpSpecConstantOp %int UConvert %wide\n\
                  %tiny = OpSpecConstantOp %int SConvert %small\n\
                  %whole = OpSpecConstantOp %int ConvertFToS %f\n\
                  %less = OpSpecConstantOp %bool ULessThan %n %int_5\n%arr = OpTypeArray %int %more\n\
                  %pp = OpTypePointer Function %arr"
            .into(),
        ..plain()
    };
    let body = "%v = OpVariable %pp Function\n%size = OpSizeOf %int %v\n\
        %l = OpSelect %int %less %int_1 %int_0\n\
        %t0 = OpCompositeConstruct %int4 %more %chosen %second %narrow\n\
        %t1 = OpCompositeConstruct %int4 %tiny %whole %l %size\n%t = OpCompositeConstruct %int8 %t0 %t1\n\
        %o = OpBitcast %g_int8 %out\nOpStore %o %t";
    setup.kernel(&[("out", "g_int")], &format!("{INDEX}{body}"))
}

#[test]
fn specialization_constants() {
    let text = spec_kernel();
    let with = |values: &[(u32, Vec<u8>)]| -> Vec<u32> {
        let info = SpecializationInfo { values: values.iter().cloned().collect() };
        let k = try_assembled(&text, "", &info).unwrap();
        let out = Data::<u32>::zeros(8);
        run(&k, 1, 1, &[out.arg()]);
        out.get()
    };
    assert_eq!(with(&[]), [7, 200, 7, 5, 7, 1, 1, 28]);
    let all = [
        (1, 10u32.to_le_bytes().to_vec()),
        (2, 8.25f32.to_le_bytes().to_vec()),
        (3, vec![1]),
        (4, 99u64.to_le_bytes().to_vec()),
        (5, vec![0xff]),
    ];
    assert_eq!(with(&all), [21, 100, 21, 99, u32::MAX, 8, 0, 84]);
    let code = spirv::assemble(&text).unwrap();
    let found = compiler::Context::new().get_specializable_constants(&code).unwrap();
    assert_eq!(found.keys().copied().collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(found.values().map(|c| c.size()).collect::<Vec<_>>(), [4, 4, 1, 8, 1]);
    let wrong = SpecializationInfo { values: [(1, vec![1, 2])].into() };
    let error = try_assembled(&text, "", &wrong).err().expect("the value is of another size");
    assert!(
        error.to_string().contains("OpSpecConstant") && error.to_string().contains("2 bytes, not 4"),
        "{error}"
    );
}

#[test]
fn operations_on_specialization_constants() {
    let cases = [
        ("SNegate %n", -12i32),
        ("Not %n", !12),
        ("ISub %n %int_20", -8),
        ("UDiv %n %int_5", 2),
        ("SDiv %n %int_-5", -2),
        ("UMod %n %int_5", 2),
        ("SRem %m %int_5", -2),
        ("SMod %m %int_5", 3),
        ("ShiftLeftLogical %n %int_2", 48),
        ("ShiftRightLogical %m %int_28", 15),
        ("ShiftRightArithmetic %m %int_1", -6),
        ("BitwiseOr %n %int_3", 15),
        ("BitwiseXor %n %int_8", 4),
        ("BitwiseAnd %n %int_8", 8),
    ];
    let setup = Spirv {
        annotations: "OpDecorate %n SpecId 1".into(),
        globals: "%n = OpSpecConstant %int 12\n%m = OpSpecConstantOp %int SNegate %n\n".to_owned()
            + &cases
                .iter()
                .enumerate()
                .map(|(i, (op, _))| format!("%c{i} = OpSpecConstantOp %int {op}\n"))
                .collect::<String>(),
        ..plain()
    };
    let body: String = (0..cases.len())
        .map(|i| format!("%at{i} = OpInBoundsPtrAccessChain %g_int %out %int_{i}\nOpStore %at{i} %c{i}\n"))
        .collect();
    let k = assembled(&setup.kernel(&[("out", "g_int")], &body));
    let out = Data::<i32>::zeros(cases.len());
    run(&k, 1, 1, &[out.arg()]);
    assert_eq!(out.get(), cases.map(|c| c.1));
    let logic = [
        ("LogicalOr %t %f", 1u32),
        ("LogicalAnd %t %f", 0),
        ("LogicalNot %t", 0),
        ("LogicalEqual %t %f", 0),
        ("LogicalNotEqual %t %f", 1),
        ("IEqual %n %int_12", 1),
        ("INotEqual %n %int_12", 0),
        ("SLessThan %m %n", 1),
        ("ULessThan %m %n", 0),
        ("UGreaterThan %m %n", 1),
        ("SGreaterThan %m %n", 0),
        ("ULessThanEqual %n %n", 1),
        ("SLessThanEqual %n %m", 0),
        ("UGreaterThanEqual %n %m", 0),
        ("SGreaterThanEqual %n %m", 1),
    ];
    let setup = Spirv {
        annotations: "OpDecorate %n SpecId 1".into(),
        globals: "%n = OpSpecConstant %int 12\n%m = OpSpecConstantOp %int SNegate %n\n\
            %t = OpSpecConstantTrue %bool\n\
                  %f = OpSpecConstantFalse %bool\n"
            .to_owned()
            + &logic
                .iter()
                .enumerate()
                .map(|(i, (op, _))| format!("%c{i} = OpSpecConstantOp %bool {op}\n"))
                .collect::<String>(),
        ..plain()
    };
    let body: String = (0..logic.len())
        .map(|i| {
            format!(
                "%s{i} = OpSelect %int %c{i} %int_1 %int_0\n\
                 %at{i} = OpInBoundsPtrAccessChain %g_int %out %int_{i}\nOpStore %at{i} %s{i}\n"
            )
        })
        .collect();
    let k = assembled(&setup.kernel(&[("out", "g_int")], &body));
    let out = Data::<u32>::zeros(logic.len());
    run(&k, 1, 1, &[out.arg()]);
    assert_eq!(out.get(), logic.map(|c| c.1));
}

#[test]
fn operations_on_constants_of_other_kinds() {
    let globals = "%f = OpSpecConstant %float 2.5\n%g = OpSpecConstantOp %float FAdd %f %float_1\n\
        %h = OpSpecConstantOp %float FMul %g %f\n%s = OpSpecConstantOp %float FSub %h %float_1\n\
        %d = OpSpecConstantOp %float FDiv %s %float_2\n%neg = OpSpecConstantOp %float FNegate %d\n\
        %back = OpSpecConstantOp %float FNegate %neg\n%dd = OpSpecConstantOp %double FConvert %back\n\
        %u = OpSpecConstantOp %int ConvertFToU %dd\n%uf = OpSpecConstantOp %float ConvertUToF %u\n\
        %sf = OpSpecConstantOp %float ConvertSToF %u\n%bits = OpSpecConstantOp %int Bitcast %sf\n\
        %v = OpConstantComposite %int2 %int_1 %int_2\n%w = OpSpecConstantOp %int2 VectorShuffle %v %v 3 0\n\
        %ins = OpSpecConstantOp %int2 CompositeInsert %u %w 0\n\
        %x = OpSpecConstantOp %int CompositeExtract %ins 0\n\
        %arr = OpTypeArray %int %int_4\n%g_arr_ = OpTypePointer CrossWorkgroup %arr\n\
        %list = OpConstantComposite %arr %int_1 %int_2 %int_3 %int_4\n\
        %table = OpVariable %g_arr_ CrossWorkgroup %list\n\
        %third = OpSpecConstantOp %g_int InBoundsAccessChain %table %int_0\n\
        %at = OpSpecConstantOp %g_int InBoundsPtrAccessChain %third %int_2\n\
        %gen = OpSpecConstantOp %n_int PtrCastToGeneric %at\n\
        %named = OpSpecConstantOp %g_int GenericCastToPtr %gen";
    let body = "%y = OpLoad %int %named\n%t = OpIMul %int %y %int_100\n%e = OpIAdd %int %x %t\n\
        %q = OpConvertFToS %int %uf\n%z = OpISub %int %q %x\n%e2 = OpIAdd %int %e %z\n\
        %one = OpIEqual %bool %bits %int_1077936128\n%o = OpSelect %int %one %int_10000 %int_0\n\
        %r = OpIAdd %int %e2 %o";
    // ((2.5 + 1) * 2.5 - 1) / 2 is 3.875; three of 3.0f's bits.
    assert_eq!(each(&with_globals(globals), body)[0], 3 + 300 + 10_000);
}

// ---- Control flow -------------------------------------------------------------------------------

/// A kernel whose body has blocks of its own and ends in one that is open.
#[test]
fn branches_and_phis() {
    let body = "%odd = OpBitwiseAnd %int %i32 %int_1\n%c = OpINotEqual %bool %odd %int_0\n\
        OpSelectionMerge %join None\nOpBranchConditional %c %then %else 3 1\n\
        %then = OpLabel\n%x = OpIMul %int %i32 %int_10\nOpBranch %join\n\
        %else = OpLabel\n%y = OpIAdd %int %i32 %int_100\nOpBranch %join\n\
        %join = OpLabel\n%r = OpPhi %int %x %then %y %else";
    assert_eq!(each(&plain(), body), [100, 10, 102, 30, 104, 50, 106, 70]);
}

#[test]
fn loops_with_controls() {
    for control in ["None", "Unroll", "DontUnroll", "PartialCount 2", "MinIterations|PartialCount 1 4"] {
        let body = format!(
            "OpBranch %head\n%head = OpLabel\n%n = OpPhi %int %int_0 %entry %next %body\n\
             %sum = OpPhi %int %int_0 %entry %sum2 %body\n%more = OpULessThan %bool %n %i32\n\
             OpLoopMerge %exit %body {control}\nOpBranchConditional %more %body %exit\n\
             %body = OpLabel\n%sum2 = OpIAdd %int %sum %n\n%next = OpIAdd %int %n %int_1\nOpBranch %head\n\
             %exit = OpLabel\n%r = OpCopyObject %int %sum"
        );
        assert_eq!(each(&plain(), &body), [0, 0, 1, 3, 6, 10, 15, 21]);
    }
    let setup = Spirv {
        requirements:
            "OpCapability UnstructuredLoopControlsINTEL\nOpExtension \"SPV_INTEL_unstructured_loop_controls\""
                .into(),
        ..plain()
    };
    let body = "OpBranch %head\n%head = OpLabel\n%n = OpPhi %int %int_0 %entry %next %head\n\
         %next = OpIAdd %int %n %int_3\n%more = OpULessThan %bool %next %i32\nOpLoopControlINTEL 1\n\
         OpBranchConditional %more %head %exit\n%exit = OpLabel\n%r = OpCopyObject %int %next";
    assert_eq!(each(&setup, body), [3, 3, 3, 3, 6, 6, 6, 9]);
}

#[test]
fn switches() {
    let body = "OpSelectionMerge %join None\nOpSwitch %i32 %other 1 %one 3 %same 4 %same 0xffffffff %one\n\
        %one = OpLabel\nOpBranch %join\n%same = OpLabel\n%x = OpIMul %int %i32 %i32\nOpBranch %join\n\
        %other = OpLabel\nOpBranch %join\n\
        %join = OpLabel\n%r = OpPhi %int %int_11 %one %x %same %int_99 %other";
    assert_eq!(each(&plain(), body), [99, 11, 99, 9, 16, 99, 99, 99]);
    // Two cases and the default lead to one block, which has a PHI; the selector has 64 bits.
    let body = "OpSwitch %i %join 2 %join 5 %join 6 %six\n%six = OpLabel\nOpBranch %join\n\
        %join = OpLabel\n%r = OpPhi %int %int_1 %entry %int_2 %six";
    assert_eq!(each(&plain(), body), [1, 1, 1, 1, 1, 1, 2, 1]);
    // Khronos' translator names the block with the switch once for each way from it.
    let body = body.replace("%int_1 %entry", "%int_1 %entry %int_1 %entry %int_1 %entry");
    assert_eq!(each(&plain(), &body), [1, 1, 1, 1, 1, 1, 2, 1]);
}

/// As Khronos' translator writes loops that LLVM gave two latches.
#[test]
fn merges_that_stand_before_phis() {
    let body = "OpBranch %head\n%head = OpLabel\nOpLoopMerge %exit %head None\n\
        OpLoopMerge %exit %head None\n%n = OpPhi %int %int_0 %entry %next %head\n\
        %next = OpIAdd %int %n %int_3\n%more = OpULessThan %bool %next %i32\n\
        OpBranchConditional %more %head %exit\n%exit = OpLabel\n%r = OpCopyObject %int %next";
    assert_eq!(each(&plain(), body), [3, 3, 3, 3, 6, 6, 6, 9]);
}

#[test]
fn control_flow_that_is_not_structured() {
    // Two loops that share a block, and an early return.
    let body = "%early = OpIEqual %bool %i32 %int_7\nOpBranchConditional %early %quit %a\n\
        %quit = OpLabel\nOpReturn\n\
        %a = OpLabel\n%n = OpPhi %int %int_0 %entry %n2 %b\n%n1 = OpIAdd %int %n %int_1\n\
        %ca = OpUGreaterThan %bool %n1 %int_20\nOpBranchConditional %ca %done %b\n\
        %b = OpLabel\n%n2 = OpIAdd %int %n1 %i32\n%cb = OpUGreaterThan %bool %n2 %int_10\n\
        OpBranchConditional %cb %done %a\n\
        %done = OpLabel\n%r = OpPhi %int %n1 %a %n2 %b";
    let expected = |i: u32| {
        let mut n = 0;
        loop {
            n += 1;
            if n > 20 {
                return n;
            }
            n += i;
            if n > 10 {
                return n;
            }
        }
    };
    let mut all: Vec<u32> = (0..8).map(expected).collect();
    all[7] = 0;
    assert_eq!(each(&plain(), body), all);
}

#[test]
fn unreachable_code() {
    let body = "%c = OpULessThan %bool %i32 %int_100\nOpBranchConditional %c %ok %never\n\
        %never = OpLabel\nOpUnreachable\n%lost = OpLabel\n%z = OpIAdd %int %i32 %int_1\nOpBranch %lost\n\
        %ok = OpLabel\nOpNop\n%r = OpCopyObject %int %i32";
    assert_eq!(each(&plain(), body), [0, 1, 2, 3, 4, 5, 6, 7]);
}

// ---- Functions ----------------------------------------------------------------------------------

#[test]
fn functions_are_called_before_and_after_their_definition() {
    for control in ["None", "Inline", "DontInline", "Pure|Const"] {
        let setup = Spirv {
            globals: "%f_type = OpTypeFunction %int %int %int\n%v_type = OpTypeFunction %void %p_int".into(),
            functions: format!(
                "%f = OpFunction %int {control} %f_type\n%fa = OpFunctionParameter %int\n\
                    %fb = OpFunctionParameter %int\n\
                 %f0 = OpLabel\n%var = OpVariable %p_int Function\nOpStore %var %fa\n\
                 %nothing = OpFunctionCall %void %twice %var\n%doubled = OpLoad %int %var\n\
                 %fr = OpIAdd %int %doubled %fb\nOpReturnValue %fr\nOpFunctionEnd\n\
                 %twice = OpFunction %void None %v_type\n%tp = OpFunctionParameter %p_int\n%t0 = OpLabel\n\
                 %tx = OpLoad %int %tp\n%ty = OpIMul %int %tx %int_2\nOpStore %tp %ty\nOpReturn\n\
                 OpFunctionEnd"
            ),
            ..plain()
        };
        assert_eq!(each(&setup, "%r = OpFunctionCall %int %f %i32 %int_1"), [1, 3, 5, 7, 9, 11, 13, 15]);
    }
}

#[test]
fn functions_that_are_not_optimised() {
    let setup = Spirv {
        requirements: "OpCapability OptNoneINTEL\nOpExtension \"SPV_INTEL_optnone\"".into(),
        globals: "%f_type = OpTypeFunction %int %int".into(),
        functions:
            "%f = OpFunction %int OptNoneINTEL %f_type\n%fa = OpFunctionParameter %int\n%f0 = OpLabel\n\
                    %fr = OpIAdd %int %fa %int_5\nOpReturnValue %fr\nOpFunctionEnd"
                .into(),
        ..plain()
    };
    assert_eq!(each(&setup, "%r = OpFunctionCall %int %f %i32")[..3], [5, 6, 7]);
}

#[test]
fn parameters_by_value_belong_to_the_kernel() {
    let setup = Spirv {
        annotations: "OpDecorate %s FuncParamAttr ByVal\nOpDecorate %s FuncParamAttr NoCapture\n\
                      OpDecorate %s Alignment 4\nOpDecorate %out FuncParamAttr NoAlias"
            .into(),
        globals: "%S = OpTypeStruct %int %float %int2\n%p_S = OpTypePointer Function %S".into(),
        ..plain()
    };
    let body = format!(
        "{INDEX}%x_at = OpInBoundsAccessChain %p_int %s %int_0\n%x = OpLoad %int %x_at\n\
         %y_at = OpInBoundsAccessChain %p_int %s %int_2 %int_1\n%y = OpLoad %int %y_at\n\
         OpStore %x_at %int_0\n%sum = OpIAdd %int %x %y\n%plus = OpIAdd %int %sum %more\n\
         %at = OpInBoundsPtrAccessChain %g_int %out %i\nOpStore %at %plus"
    );
    let k = assembled(&setup.kernel(&[("out", "g_int"), ("s", "p_S"), ("more", "int")], &body));
    let out = Data::<u32>::zeros(8);
    let fields = [5u32, 1.0f32.to_bits(), 6, 7];
    run(&k, 8, 4, &[out.arg(), ArgValue::Bytes(bytes(&fields)), value(100u32)]);
    assert_eq!(out.get(), [112; 8]);
}

/// As SYCL's compiler writes them: results and structs come through generic pointers.
#[test]
fn parameters_by_value_through_generic_pointers_are_copies() {
    let setup = Spirv {
        annotations: "OpDecorate %ret FuncParamAttr Sret\nOpDecorate %s FuncParamAttr ByVal\n\
                      OpDecorate %s Alignment 4"
            .into(),
        globals: "%S = OpTypeStruct %int %int\n%p_S = OpTypePointer Function %S\n\
                  %any_S = OpTypePointer Generic %S\n%any_int = OpTypePointer Generic %int\n\
                  %f_type = OpTypeFunction %void %any_S %any_S"
            .into(),
        functions: "%f = OpFunction %void DontInline %f_type\n%ret = OpFunctionParameter %any_S\n\
                    %s = OpFunctionParameter %any_S\n%f0 = OpLabel\n\
                    %from = OpInBoundsAccessChain %any_int %s %int_0\n%old = OpLoad %int %from\n\
                    %new = OpIAdd %int %old %int_5\nOpStore %from %new\n%again = OpLoad %int %from\n\
                    %to = OpInBoundsAccessChain %any_int %ret %int_1\nOpStore %to %again\nOpReturn\n\
                    OpFunctionEnd"
            .into(),
        ..plain()
    };
    // Ten times what the function gave, and what it was given, which it did not change.
    let body = "%in = OpVariable %p_S Function\n%out_s = OpVariable %p_S Function\n\
                %in_0 = OpInBoundsAccessChain %p_int %in %int_0\nOpStore %in_0 %i32\n\
                %any_in = OpPtrCastToGeneric %any_S %in\n%any_out = OpPtrCastToGeneric %any_S %out_s\n\
                %none = OpFunctionCall %void %f %any_out %any_in\n\
                %out_1 = OpInBoundsAccessChain %p_int %out_s %int_1\n%gave = OpLoad %int %out_1\n\
                %still = OpLoad %int %in_0\n%tens = OpIMul %int %gave %int_10\n%r = OpIAdd %int %tens %still";
    assert_eq!(each(&setup, body)[..3], [50, 61, 72]);
}

/// As Intel's producer writes what SPIR-V has no instruction for.
#[test]
fn arithmetic_of_llvm_may_be_imported() {
    let setup = Spirv {
        annotations: "OpDecorate %f LinkageAttributes \"llvm.usub.sat.i32\" Import\n\
                      OpDecorate %g LinkageAttributes \"llvm.fshl.i32\" Import"
            .into(),
        globals: "%f_type = OpTypeFunction %int %int %int\n\
            %g_type = OpTypeFunction %int %int %int %int"
            .into(),
        functions: "%f = OpFunction %int None %f_type\n%fa = OpFunctionParameter %int\n\
            %fb = OpFunctionParameter %int\n\
                    OpFunctionEnd\n%g = OpFunction %int None %g_type\n%ga = OpFunctionParameter %int\n\
                    %gb = OpFunctionParameter %int\n%gc = OpFunctionParameter %int\nOpFunctionEnd"
            .into(),
        ..plain()
    };
    let body = "%less = OpFunctionCall %int %f %i32 %int_5\n%r = OpFunctionCall %int %g %less %less %int_4";
    assert_eq!(each(&setup, body), [0, 0, 0, 0, 0, 0, 16, 32]);
}

#[test]
fn function_pointers() {
    let setup = Spirv {
        requirements: "OpCapability FunctionPointersINTEL\nOpExtension \"SPV_INTEL_function_pointers\""
            .into(),
        globals: "%f_type = OpTypeFunction %int %int\n%fp = OpTypePointer CodeSectionINTEL %f_type\n\
                  %pf = OpConstantFunctionPointerINTEL %fp %f"
            .into(),
        functions: "%f = OpFunction %int None %f_type\n%fa = OpFunctionParameter %int\n%f0 = OpLabel\n\
                    %fr = OpIAdd %int %fa %int_5\nOpReturnValue %fr\nOpFunctionEnd"
            .into(),
        ..plain()
    };
    assert_eq!(each(&setup, "%r = OpFunctionPointerCallINTEL %int %pf %i32")[..3], [5, 6, 7]);
}

#[test]
fn a_function_may_be_several_kernels() {
    let text = plain().kernel(&[("out", "g_int")], "OpStore %out %int_3");
    let text = text.replace(
        "OpEntryPoint Kernel %k \"k\"",
        "OpEntryPoint Kernel %k \"first\"\nOpEntryPoint Kernel %k \"k\"",
    );
    let out = Data::<u32>::zeros(1);
    run(&assembled(&text), 1, 1, &[out.arg()]);
    assert_eq!(out.get(), [3]);
}

// ---- Work-items ---------------------------------------------------------------------------------

#[test]
fn built_in_variables() {
    let range = NdRange::new(&[6, 4, 2], &[3, 2, 1]).with_offset(&[10, 20, 30]);
    let names = ["NumWorkgroups", "WorkgroupSize", "WorkgroupId", "LocalInvocationId", "GlobalInvocationId"];
    let names: Vec<&str> =
        names.into_iter().chain(["GlobalSize", "EnqueuedWorkgroupSize", "GlobalOffset"]).collect();
    let functions = [
        "get_num_groups",
        "get_local_size",
        "get_group_id",
        "get_local_id",
        "get_global_id",
        "get_global_size",
        "get_enqueued_local_size",
        "get_global_offset",
    ];
    let stride = 3 * names.len() + 3;
    let mut body = format!(
        "%linear = OpLoad %long %GlobalLinearId\n%base = OpIMul %long %linear %long_{stride}\n\
         %base_at = OpInBoundsPtrAccessChain %g_long %out %base\n"
    );
    let mut c = format!("global long *o = out + get_global_linear_id() * {stride};\n");
    let mut at = 0;
    for (name, function) in names.iter().zip(functions) {
        for d in 0..3 {
            // Half of them by a pointer to the component.
            if d == 1 {
                body += &format!(
                    "%p{at} = OpInBoundsAccessChain %in_long %{name} %int_{d}\n%v{at} = OpLoad %long %p{at}\n"
                );
            } else {
                body += &format!(
                    "%w{at} = OpLoad %long3 %{name}\n%v{at} = OpCompositeExtract %long %w{at} {d}\n"
                );
            }
            c += &format!("o[{at}] = {function}({d});\n");
            at += 1;
        }
    }
    for (name, ty, function) in [
        ("LocalInvocationIndex", "long", "get_local_linear_id"),
        ("WorkDim", "int", "get_work_dim"),
        ("GlobalLinearId", "long", "get_global_linear_id"),
    ] {
        let convert = if ty == "int" { "UConvert" } else { "CopyObject" };
        body += &format!("%w{at} = OpLoad %{ty} %{name}\n%v{at} = Op{convert} %long %w{at}\n");
        c += &format!("o[{at}] = {function}();\n");
        at += 1;
    }
    for i in 0..at {
        body +=
            &format!("%o{i} = OpInBoundsPtrAccessChain %g_long %base_at %long_{i}\nOpStore %o{i} %v{i}\n");
    }
    let of_spirv = assembled(&plain().kernel(&[("out", "g_long")], &body));
    let of_c = common::kernel(&format!("kernel void k(global long *out) {{ {c} }}"), "k", "");
    let (got, expected) = (Data::<u64>::zeros(48 * stride), Data::<u64>::zeros(48 * stride));
    launch(&of_spirv, range, &[got.arg()]);
    launch(&of_c, range, &[expected.arg()]);
    assert_eq!(got.get(), expected.get());
}

#[test]
fn built_in_variables_are_passed_to_functions() {
    let setup = Spirv {
        globals: "%f_type = OpTypeFunction %int %in_long3".into(),
        functions: "%f = OpFunction %int None %f_type\n%fp = OpFunctionParameter %in_long3\n%f0 = OpLabel\n\
                    %fv = OpLoad %long3 %fp\n%fx = OpCompositeExtract %long %fv 0\n\
                    %fr = OpUConvert %int %fx\n\
                    OpReturnValue %fr\nOpFunctionEnd"
            .into(),
        ..plain()
    };
    let body = "%g = OpFunctionCall %int %f %GlobalInvocationId\n\
        %l = OpFunctionCall %int %f %LocalInvocationId\n\
        %t = OpIMul %int %l %int_10\n%r = OpIAdd %int %g %t";
    assert_eq!(each(&setup, body), [0, 11, 22, 33, 4, 15, 26, 37]);
}

#[test]
fn barriers_and_local_memory() {
    let setup = with_globals(
        "%arr = OpTypeArray %int %int_4\n%l_arr_ = OpTypePointer Workgroup %arr\n\
            %tile = OpVariable %l_arr_ Workgroup",
    );
    // AcquireRelease | WorkgroupMemory.
    let body = "%lv = OpLoad %long3 %LocalInvocationId\n%l = OpCompositeExtract %long %lv 0\n\
        %own = OpInBoundsAccessChain %l_int %tile %l\nOpStore %own %i32\n\
        OpControlBarrier %int_2 %int_2 %int_264\nOpMemoryBarrier %int_2 %int_264\n\
        %opposite = OpISub %long %long_3 %l\n%other = OpInBoundsAccessChain %l_int %tile %opposite\n\
        %r = OpLoad %int %other";
    assert_eq!(each(&setup, body), [3, 2, 1, 0, 7, 6, 5, 4]);
    // CrossDevice and Device are taken for the work-group.
    for scope in ["%int_0", "%int_1"] {
        let body = body.replace("OpControlBarrier %int_2", &format!("OpControlBarrier {scope}"));
        assert_eq!(each(&setup, &body), [3, 2, 1, 0, 7, 6, 5, 4]);
    }
    // Zeros for each work-group, in which two work-items count in every element.
    let setup = with_globals(
        "%arr = OpTypeArray %int %int_4\n%l_arr_ = OpTypePointer Workgroup %arr\n\
            %null = OpConstantNull %arr\n\
         %tile = OpVariable %l_arr_ Workgroup %null",
    );
    let body = "%lv = OpLoad %long3 %LocalInvocationId\n%l = OpCompositeExtract %long %lv 0\n\
        %pair = OpShiftRightLogical %long %l %long_1\n%own = OpInBoundsAccessChain %l_int %tile %pair\n\
        %before = OpAtomicIAdd %int %own %int_2 %int_0 %int_1\n\
        OpControlBarrier %int_2 %int_2 %int_264\n%r = OpLoad %int %own";
    assert_eq!(each(&setup, body), [2; 8]);
    // As a parameter.
    let body = format!(
        "{INDEX}%lv = OpLoad %long3 %LocalInvocationId\n%l = OpCompositeExtract %long %lv 0\n\
         %own = OpInBoundsPtrAccessChain %l_int %tile %l\nOpStore %own %i32\n\
         OpControlBarrier %int_2 %int_2 %int_264\n\
         %opposite = OpISub %long %long_3 %l\n%other = OpInBoundsPtrAccessChain %l_int %tile %opposite\n\
         %r = OpLoad %int %other\n%at = OpInBoundsPtrAccessChain %g_int %out %i\nOpStore %at %r"
    );
    let k = assembled(&plain().kernel(&[("out", "g_int"), ("tile", "l_int")], &body));
    let out = Data::<u32>::zeros(8);
    run(&k, 8, 4, &[out.arg(), ArgValue::Local(16)]);
    assert_eq!(out.get(), [3, 2, 1, 0, 7, 6, 5, 4]);
}

#[test]
fn asynchronous_copies() {
    for (stride, expected) in [(1, [1u32, 2, 3, 4]), (2, [1, 3, 5, 7])] {
        let setup = with_globals(
            "%event = OpTypeEvent\n%none = OpConstantNull %event\n%arr = OpTypeArray %int %int_4\n\
             %l_arr_ = OpTypePointer Workgroup %arr\n%tile = OpVariable %l_arr_ Workgroup\n\
             %p_event = OpTypePointer Function %event\n%n_event = OpTypePointer Generic %event",
        );
        for generic in [false, true] {
            let wait = if generic {
                "%gen = OpPtrCastToGeneric %n_event %slot\nOpGroupWaitEvents %int_2 %int_1 %gen"
            } else {
                "OpGroupWaitEvents %int_2 %int_1 %slot"
            };
            let body = format!(
                "{INDEX}%slot = OpVariable %p_event Function\n\
                    %to = OpInBoundsAccessChain %l_int %tile %int_0\n\
                 %e = OpGroupAsyncCopy %event %int_2 %to %in %long_4 %long_{stride} %none\n\
                 OpStore %slot %e\n{wait}\n\
                 %from = OpInBoundsAccessChain %l_int %tile %i\n%x = OpLoad %int %from\n\
                 %at = OpInBoundsPtrAccessChain %g_int %out %i\nOpStore %at %x"
            );
            let k = assembled(&setup.kernel(&[("out", "g_int"), ("in", "g_int")], &body));
            let (out, input) = (Data::<u32>::zeros(4), Data::of(&[1u32, 2, 3, 4, 5, 6, 7, 8]));
            run(&k, 4, 4, &[out.arg(), input.arg()]);
            assert_eq!(out.get(), expected);
        }
    }
}

// ---- Atomics ------------------------------------------------------------------------------------

/// Runs an operation on one cell from 1000 work-items; `%x` is the work-item's number in the cell's
/// type.
fn cell<T: Plain>(ty: &str, initial: T, requirements: &str, body: &str) -> T {
    let setup = Spirv { requirements: requirements.to_owned(), ..plain() };
    let convert = match ty {
        "float" | "double" => format!("%x = OpConvertUToF %{ty} %i"),
        _ => format!("%x = OpUConvert %{ty} %i"),
    };
    let text = setup.kernel(&[("cell", &format!("g_{ty}"))], &format!("{INDEX}{convert}\n{body}"));
    // To its own width, a number is not converted.
    let text = text.replace("%x = OpUConvert %long %i\n", "%x = OpCopyObject %long %i\n");
    let k = assembled(&text);
    let data = Data::of(&[initial]);
    run(&k, 1000, 100, &[data.arg()]);
    data.get()[0]
}

#[test]
fn atomics() {
    for semantics in ["int_0", "int_2", "int_4", "int_8", "int_16", "int_520"] {
        let run = |initial: u32, body: &str| cell("int", initial, "", &body.replace("SEM", semantics));
        assert_eq!(run(0, "%o = OpAtomicIAdd %int %cell %int_1 %SEM %x"), 499_500);
        assert_eq!(run(0, "%o = OpAtomicISub %int %cell %int_1 %SEM %x"), (-499_500i32) as u32);
    }
    let run = |initial: u32, body: &str| cell("int", initial, "", body);
    assert_eq!(run(5, "%o = OpAtomicIIncrement %int %cell %int_1 %int_0"), 1005);
    assert_eq!(run(5, "%o = OpAtomicIDecrement %int %cell %int_1 %int_0"), (-995i32) as u32);
    assert_eq!(run(500, "%o = OpAtomicUMin %int %cell %int_1 %int_0 %x"), 0);
    assert_eq!(run(500, "%o = OpAtomicUMax %int %cell %int_1 %int_0 %x"), 999);
    assert_eq!(
        run(500, "%n = OpSNegate %int %x\n%o = OpAtomicSMin %int %cell %int_1 %int_0 %n"),
        (-999i32) as u32
    );
    assert_eq!(run(-5i32 as u32, "%o = OpAtomicSMax %int %cell %int_1 %int_0 %x"), 999);
    assert_eq!(run(0, "%o = OpAtomicOr %int %cell %int_1 %int_0 %x"), 1023);
    assert_eq!(run(u32::MAX, "%n = OpNot %int %x\n%o = OpAtomicAnd %int %cell %int_1 %int_0 %n"), !1023);
    assert_eq!(run(7, "%o = OpAtomicXor %int %cell %int_1 %int_0 %x"), (0..1000).fold(7, |a, i| a ^ i));
    assert_eq!(
        cell("long", 1u64 << 40, "", "%o = OpAtomicIAdd %long %cell %int_1 %int_0 %x"),
        (1 << 40) + 499_500
    );
}

#[test]
fn atomics_that_exchange() {
    // Each work-item leaves its number and adds up what it took away; nothing is lost.
    let k = assembled(&plain().kernel(
        &[("cell", "g_int"), ("sum", "g_int")],
        &format!(
            "{INDEX}%old = OpAtomicExchange %int %cell %int_1 %int_8 %i32\n\
                %o = OpAtomicIAdd %int %sum %int_1 %int_0 %old"
        ),
    ));
    let (cell_, sum) = (Data::of(&[7u32]), Data::<u32>::zeros(1));
    run_once(&k, 1000, 100, &[cell_.arg(), sum.arg()]);
    assert_eq!(cell_.get()[0] + sum.get()[0], 499_500 + 7);
    // Adds by comparing, with the weak form as well.
    for op in ["AtomicCompareExchange", "AtomicCompareExchangeWeak"] {
        let body = format!(
            "%first = OpAtomicLoad %int %cell %int_1 %int_2\nOpBranch %try\n\
             %try = OpLabel\n%seen = OpPhi %int %first %entry %found %try\n%new = OpIAdd %int %seen %x\n\
             %found = Op{op} %int %cell %int_1 %int_8 %int_2 %new %seen\n\
             %same = OpIEqual %bool %found %seen\nOpBranchConditional %same %end %try\n%end = OpLabel"
        );
        assert_eq!(cell("int", 0u32, "", &body), 499_500);
    }
    assert_eq!(cell("int", 0u32, "", "OpAtomicStore %cell %int_1 %int_4 %int_77"), 77);
    assert_eq!(cell("float", 0f32, "", "OpAtomicStore %cell %int_1 %int_0 %float_1.5"), 1.5);
    // A flag is a lock.
    let body = "OpBranch %try\n%try = OpLabel\n%was = OpAtomicFlagTestAndSet %bool %cell %int_1 %int_2\n\
        OpBranchConditional %was %try %in\n%in = OpLabel\n%n = OpInBoundsPtrAccessChain %g_int %cell %int_1\n\
        OpAtomicFlagClear %cell %int_1 %int_4";
    let text = plain().kernel(&[("cell", "g_int")], &format!("{INDEX}{body}"));
    let lock = Data::of(&[0u32, 0]);
    run_once(&assembled(&text), 8, 1, &[lock.arg()]);
    assert_eq!(lock.get(), [0, 0]);
}

#[test]
fn atomics_of_floats() {
    let add = |bits: u32| {
        format!("OpCapability AtomicFloat{bits}AddEXT\nOpExtension \"SPV_EXT_shader_atomic_float_add\"")
    };
    let min_max = |bits: u32| {
        format!(
            "OpCapability AtomicFloat{bits}MinMaxEXT\nOpExtension \"SPV_EXT_shader_atomic_float_min_max\""
        )
    };
    let float = |requirements: &str, op: &str, initial: f32| {
        cell("float", initial, requirements, &format!("%o = OpAtomic{op}EXT %float %cell %int_1 %int_0 %x"))
    };
    let double = |requirements: &str, op: &str, initial: f64| {
        cell("double", initial, requirements, &format!("%o = OpAtomic{op}EXT %double %cell %int_1 %int_0 %x"))
    };
    assert_eq!(float(&add(32), "FAdd", 0.5), 499_500.5);
    assert_eq!(float(&min_max(32), "FMin", 500.0), 0.0);
    assert_eq!(float(&min_max(32), "FMax", 500.0), 999.0);
    assert_eq!(double(&add(64), "FAdd", 0.5), 499_500.5);
    assert_eq!(double(&min_max(64), "FMin", 500.0), 0.0);
    assert_eq!(double(&min_max(64), "FMax", 500.0), 999.0);
}

// ---- Types --------------------------------------------------------------------------------------

#[test]
fn integers_of_any_width() {
    let setup = Spirv {
        requirements: "OpCapability ArbitraryPrecisionIntegersINTEL\n\
            OpExtension \"SPV_INTEL_arbitrary_precision_integers\""
            .into(),
        globals: "%i13 = OpTypeInt 13 0\n%i100 = OpTypeInt 100 0\n\
            %big = OpConstant %i100 0x100000000000000000000"
            .into(),
        ..plain()
    };
    let body = "%n = OpUConvert %i13 %i32\n%m = OpIMul %i13 %n %n\n%sq = OpIMul %i13 %m %m\n\
        %x = OpUConvert %int %sq\n\
        %w = OpUConvert %i100 %i32\n%s = OpIAdd %i100 %w %big\n%d = OpUDiv %i100 %s %big\n\
        %y = OpUConvert %int %d\n\
        %t = OpIMul %int %y %int_100000\n%r = OpIAdd %int %x %t";
    let expected: Vec<u32> = (0..8u32).map(|i| i.pow(4) % 8192 + 100_000).collect();
    assert_eq!(each(&setup, body), expected);
}

#[test]
fn structs_that_point_to_themselves() {
    let globals = "OpTypeForwardPointer %node_p CrossWorkgroup\n%node = OpTypeStruct %int %node_p\n\
        %node_p = OpTypePointer CrossWorkgroup %node\n%null = OpConstantNull %node_p\n\
        %last = OpConstantComposite %node %int_7 %null\n%b = OpVariable %node_p CrossWorkgroup %last\n\
        %one = OpConstantComposite %node %int_5 %b\n%a = OpVariable %node_p CrossWorkgroup %one";
    let body = "%next_at = OpInBoundsAccessChain %gg_node %a %int_1\n%next = OpLoad %node_p %next_at\n\
        %x_at = OpInBoundsAccessChain %g_int %next %int_0\n%r = OpLoad %int %x_at";
    let globals = format!("{globals}\n%gg_node = OpTypePointer CrossWorkgroup %node_p");
    assert_eq!(each(&with_globals(&globals), body)[0], 7);
}

#[test]
fn wrapping_and_fast_math_are_noted() {
    let setup = Spirv {
        annotations: "OpDecorate %r NoSignedWrap\nOpDecorate %r NoUnsignedWrap\n\
            OpDecorate %f FPFastMathMode NotNaN|NotInf|NSZ|AllowRecip\n\
                      OpDecorate %g FPFastMathMode AllowContract|AllowReassoc"
            .into(),
        requirements:
            "OpCapability FPFastMathModeINTEL\nOpExtension \"SPV_KHR_no_integer_wrap_decoration\"\n\
                       OpExtension \"SPV_INTEL_fp_fast_math_mode\""
                .into(),
        ..plain()
    };
    let body = "%fx = OpConvertUToF %float %i32\n%f = OpFMul %float %fx %float_2\n\
        %g = OpFAdd %float %f %float_1\n\
        %n = OpConvertFToS %int %g\n%r = OpIAdd %int %n %int_1";
    assert_eq!(each(&setup, body), [2, 4, 6, 8, 10, 12, 14, 16]);
}

#[test]
fn decorations_come_in_groups() {
    let setup = Spirv {
        annotations: "OpDecorate %group SpecId 9\n%group = OpDecorationGroup\nOpGroupDecorate %group %n"
            .into(),
        globals: "%n = OpSpecConstant %int 4".into(),
        ..plain()
    };
    let text = setup.kernel(&[("out", "g_int")], "OpStore %out %n");
    let info = SpecializationInfo { values: [(9, 6u32.to_le_bytes().to_vec())].into() };
    let out = Data::<u32>::zeros(1);
    run(&try_assembled(&text, "", &info).unwrap(), 1, 1, &[out.arg()]);
    assert_eq!(out.get(), [6]);
}

#[test]
fn either_byte_order_is_read() {
    let text = plain().kernel(&[("out", "g_int")], "OpStore %out %int_3");
    let code: Vec<u32> = spirv::assemble(&text).unwrap().iter().map(|w| w.swap_bytes()).collect();
    let program = lanewise_difftest::Program::from_spirv(&code, "", &SpecializationInfo::default()).unwrap();
    let out = Data::<u32>::zeros(1);
    run(&program.kernel("k").unwrap(), 1, 1, &[out.arg()]);
    assert_eq!(out.get(), [3]);
}
