//! What the work-items of a group do together, against OpenCL C's functions. Reductions and scans
//! are in `spirv_group_arithmetic.rs`.

mod spirv_common;
use compiler::NdRange;
use lanewise_difftest::spirv::Spirv;
use spirv_common::*;

fn setup() -> Spirv {
    let capabilities = [
        "GroupNonUniform",
        "GroupNonUniformVote",
        "GroupNonUniformArithmetic",
        "GroupNonUniformBallot",
        "GroupNonUniformShuffle",
        "GroupNonUniformShuffleRelative",
        "GroupNonUniformClustered",
        "GroupNonUniformRotateKHR",
        "GroupUniformArithmeticKHR",
        "SubgroupShuffleINTEL",
        "SubgroupBufferBlockIOINTEL",
    ];
    let extensions = ["SPV_KHR_uniform_group_instructions", "SPV_KHR_subgroup_rotate", "SPV_INTEL_subgroups"];
    let mut requirements: String = capabilities.iter().map(|c| format!("OpCapability {c}\n")).collect();
    requirements += &extensions.iter().map(|e| format!("OpExtension \"{e}\"\n")).collect::<String>();
    Spirv { requirements, ..Default::default() }
}

fn check(result: &str, operands: &[&str], rows: &[(String, String)]) {
    let rows: Vec<Row> = rows.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let setup = setup();
    let comparison = Comparison::new(&setup, "", result, operands, &rows);
    let inputs: Vec<_> = operands.iter().enumerate().map(|(i, ty)| samples(ty, i)).collect();
    // Whole and partial last sub-groups, in one to three dimensions.
    let ranges = [
        NdRange::new(&[64], &[64]),
        NdRange::new(&[64], &[21]),
        NdRange::new(&[4, 16], &[3, 4]),
        NdRange::new(&[4, 4, 4], &[2, 3, 4]),
    ];
    for (range, width) in ranges.into_iter().zip(["", "--lanes 4", "--lanes 8", "--lanes 16"]) {
        comparison.run(width, range, &inputs);
    }
}

/// SPIR-V's name of an operation, OpenCL's, and whether it is one on unsigned integers.
const INTEGERS: [(&str, &str, bool); 5] = [
    ("IAdd", "add", false),
    ("SMin", "min", false),
    ("UMin", "min", true),
    ("SMax", "max", false),
    ("UMax", "max", true),
];

#[test]
fn votes_and_broadcasts() {
    let less = "%t0 = OpSLessThan %bool %a %int_1000\n";
    let select = "\n%r = OpSelect %int %t %int_1 %int_0";
    let vote = |op: &str, scope: &str, c: &str| {
        (format!("{less}%t = Op{op} %bool %{scope} %t0{select}"), format!("{c}(a < 1000) != 0"))
    };
    check(
        "int",
        &["int"],
        &[
            vote("GroupAll", "int_2", "work_group_all"),
            vote("GroupAny", "int_2", "work_group_any"),
            vote("GroupAll", "int_3", "sub_group_all"),
            vote("GroupAny", "int_3", "sub_group_any"),
            vote("GroupNonUniformAll", "int_3", "sub_group_non_uniform_all"),
            vote("GroupNonUniformAny", "int_3", "sub_group_non_uniform_any"),
            (
                format!("%t = OpGroupNonUniformAllEqual %bool %int_3 %a{select}"),
                "sub_group_non_uniform_all_equal(a) != 0".into(),
            ),
            (format!("%t = OpGroupNonUniformElect %bool %int_3{select}"), "sub_group_elect() != 0".into()),
            ("%r = OpGroupBroadcast %int %int_2 %a %long_5".into(), "work_group_broadcast(a, 5)".into()),
            ("%r = OpGroupBroadcast %int %int_3 %a %int_0".into(), "sub_group_broadcast(a, 0)".into()),
            (
                "%r = OpGroupNonUniformBroadcast %int %int_3 %a %int_0".into(),
                "sub_group_non_uniform_broadcast(a, 0)".into(),
            ),
            (
                "%r = OpGroupNonUniformBroadcastFirst %int %int_3 %a".into(),
                "sub_group_broadcast_first(a)".into(),
            ),
        ],
    );
    // A place in two dimensions.
    let body =
        "%where = OpCompositeConstruct %long2 %long_3 %long_0\n%r = OpGroupBroadcast %float %int_2 %a %where";
    let r: Vec<f32> = map(&setup(), "float", &["float"], body, 4, &[bytes(&[1f32, 2.0, 3.0, 4.0])]);
    assert_eq!(r, [4.0; 4]);
}

#[test]
fn ballots() {
    let ballot = "%t0 = OpSLessThan %bool %a %int_1000\n%t1 = OpGroupNonUniformBallot %int4 %int_3 %t0\n";
    let c = "sub_group_ballot(a < 1000)";
    let select = "\n%r = OpSelect %int %t %int_1 %int_0";
    check("int4", &["int"], &[(format!("{ballot}%r = OpCopyObject %int4 %t1"), format!("as_int4({c})"))]);
    check(
        "int",
        &["int"],
        &[
            (
                format!("{ballot}%t = OpGroupNonUniformInverseBallot %bool %int_3 %t1{select}"),
                format!("sub_group_inverse_ballot({c}) != 0"),
            ),
            (
                format!("{ballot}%t = OpGroupNonUniformBallotBitExtract %bool %int_3 %t1 %int_1{select}"),
                format!("sub_group_ballot_bit_extract({c}, 1) != 0"),
            ),
            (
                format!("{ballot}%r = OpGroupNonUniformBallotBitCount %int %int_3 Reduce %t1"),
                format!("(int)sub_group_ballot_bit_count({c})"),
            ),
            (
                format!("{ballot}%r = OpGroupNonUniformBallotBitCount %int %int_3 InclusiveScan %t1"),
                format!("(int)sub_group_ballot_inclusive_scan({c})"),
            ),
            (
                format!("{ballot}%r = OpGroupNonUniformBallotBitCount %int %int_3 ExclusiveScan %t1"),
                format!("(int)sub_group_ballot_exclusive_scan({c})"),
            ),
            (
                format!("{ballot}%r = OpGroupNonUniformBallotFindLSB %int %int_3 %t1"),
                format!("(int)sub_group_ballot_find_lsb({c})"),
            ),
            (
                format!("{ballot}%r = OpGroupNonUniformBallotFindMSB %int %int_3 %t1"),
                format!("(int)sub_group_ballot_find_msb({c})"),
            ),
        ],
    );
}

#[test]
fn shuffles_and_rotations() {
    let other = "%t0 = OpLoad %int %SubgroupLocalInvocationId\n%t1 = OpBitwiseXor %int %t0 %int_1\n";
    for ty in ["int", "long", "float"] {
        check(
            ty,
            &[ty],
            &[
                (
                    format!("{other}%r = OpGroupNonUniformShuffle %{ty} %int_3 %a %t1"),
                    "sub_group_shuffle(a, get_sub_group_local_id() ^ 1)".into(),
                ),
                (
                    format!("%r = OpGroupNonUniformShuffleXor %{ty} %int_3 %a %int_2"),
                    "sub_group_shuffle_xor(a, 2)".into(),
                ),
                (
                    format!("%r = OpGroupNonUniformShuffleUp %{ty} %int_3 %a %int_1"),
                    "sub_group_shuffle_up(a, 1)".into(),
                ),
                (
                    format!("%r = OpGroupNonUniformShuffleDown %{ty} %int_3 %a %int_3"),
                    "sub_group_shuffle_down(a, 3)".into(),
                ),
                (
                    format!("%r = OpGroupNonUniformRotateKHR %{ty} %int_3 %a %int_1"),
                    "sub_group_rotate(a, 1)".into(),
                ),
                (
                    format!("%r = OpGroupNonUniformRotateKHR %{ty} %int_3 %a %int_1 %int_4"),
                    "sub_group_clustered_rotate(a, 1, 4)".into(),
                ),
                (
                    format!("{other}%r = OpSubgroupShuffleINTEL %{ty} %a %t1"),
                    "sub_group_shuffle(a, get_sub_group_local_id() ^ 1)".into(),
                ),
                (
                    format!("%r = OpSubgroupShuffleXorINTEL %{ty} %a %int_1"),
                    "sub_group_shuffle_xor(a, 1)".into(),
                ),
                (
                    format!("%r = OpSubgroupShuffleUpINTEL %{ty} %a %a %int_1"),
                    "intel_sub_group_shuffle_up(a, a, 1)".into(),
                ),
                (
                    format!("%r = OpSubgroupShuffleDownINTEL %{ty} %a %a %int_2"),
                    "intel_sub_group_shuffle_down(a, a, 2)".into(),
                ),
            ],
        );
    }
}

#[test]
fn clusters() {
    let mut rows = Vec::new();
    for (op, name, unsigned) in INTEGERS {
        let (a, back) = if unsigned { ("as_uint(a)", "as_int") } else { ("a", "") };
        rows.push((
            format!("%r = OpGroupNonUniform{op} %int %int_3 ClusteredReduce %a %int_4"),
            format!("{back}(sub_group_clustered_reduce_{name}({a}, 4))"),
        ));
    }
    check("int", &["int"], &rows);
}

#[test]
fn sub_group_variables_and_barriers() {
    let all = [
        ("SubgroupSize", "get_sub_group_size()"),
        ("SubgroupMaxSize", "get_max_sub_group_size()"),
        ("NumSubgroups", "get_num_sub_groups()"),
        ("SubgroupId", "get_sub_group_id()"),
        ("SubgroupLocalInvocationId", "get_sub_group_local_id()"),
    ];
    let mut rows: Vec<(String, String)> =
        all.iter().map(|(v, c)| (format!("%r = OpLoad %int %{v}"), format!("(int){c}"))).collect();
    rows.push((
        "OpControlBarrier %int_3 %int_3 %int_264\n%r = OpCopyObject %int %a".into(),
        "(sub_group_barrier(CLK_LOCAL_MEM_FENCE), a)".into(),
    ));
    check("int", &["int"], &rows);
    let masks: Vec<(String, String)> = ["Eq", "Ge", "Gt", "Le", "Lt"]
        .iter()
        .map(|m| {
            (
                format!("%r = OpLoad %int4 %Subgroup{m}Mask"),
                format!("as_int4(get_sub_group_{}_mask())", m.to_lowercase()),
            )
        })
        .collect();
    check("int4", &["int"], &masks);
}

#[test]
fn blocks_of_memory() {
    // What a sub-group reads it writes to the same place: a copy.
    for ty in ["char", "short", "int", "long", "int4"] {
        let scalar = ty.trim_end_matches(char::is_numeric);
        let lanes: usize = ty[scalar.len()..].parse().unwrap_or(1);
        let body = format!(
            "%ids = OpLoad %long3 %GlobalInvocationId\n%i = OpCompositeExtract %long %ids 0\n\
             %lid32 = OpLoad %int %SubgroupLocalInvocationId\n%lid = OpUConvert %long %lid32\n\
             %first = OpISub %long %i %lid\n%start = OpIMul %long %first %long_{lanes}\n\
             %from = OpInBoundsPtrAccessChain %g_{scalar} %in %start\n\
             %to = OpInBoundsPtrAccessChain %g_{scalar} %out %start\n\
             %v = OpSubgroupBlockReadINTEL %{ty} %from\nOpSubgroupBlockWriteINTEL %to %v"
        );
        let text = setup().kernel(&[("out", &format!("g_{scalar}")), ("in", &format!("g_{scalar}"))], &body);
        let input = samples(ty, 1);
        let size = size_of_type(scalar) * lanes;
        assert_eq!(run_bytes(&assembled(&text), ITEMS, size, std::slice::from_ref(&input)), input, "{ty}");
    }
}
