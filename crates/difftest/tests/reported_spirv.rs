//! What others reported against OpenCL drivers for CPUs that came with SPIR-V, in modules of our
//! own. Each test names the report; `docs/correctness.md` lists them.

mod spirv_common;

use lanewise_difftest::spirv::Spirv;
use spirv_common::*;

const ID: &str = "%ids = OpLoad %long3 %GlobalInvocationId\n%i = OpCompositeExtract %long %ids 0\n\
    %i32 = OpUConvert %int %i\n%lids = OpLoad %long3 %LocalInvocationId\n\
    %l = OpCompositeExtract %long %lids 0\n%l32 = OpUConvert %int %l\n";

/// A module with a function that reports what went wrong and never returns, as Julia makes them.
fn with_throw() -> Spirv {
    Spirv {
        globals: "%failed = OpVariable %g_int CrossWorkgroup %int_0\n%throw_type = OpTypeFunction %void %int"
            .into(),
        functions: "%throw = OpFunction %void DontInline %throw_type\n%why = OpFunctionParameter %int\n\
             %t = OpLabel\nOpStore %failed %why\nOpUnreachable\nOpFunctionEnd"
            .into(),
        ..Default::default()
    }
}

/// `out[i] = in[i * 3 % 64]`, if that is below 40; otherwise the work-item throws.
fn checked_access(between: &str) -> String {
    let body = format!(
        "{ID}%at = OpInBoundsPtrAccessChain %g_int %out %i\nOpStore %at %int_7\n\
         %x = OpIMul %int %i32 %int_3\n%j = OpUMod %int %x %int_64\n\
         %fine = OpULessThan %bool %j %int_40\nOpBranchConditional %fine %on %bad\n\
         %bad = OpLabel\n%nothing = OpFunctionCall %void %throw %j\nOpUnreachable\n\
         %on = OpLabel\n{between}%from = OpInBoundsPtrAccessChain %g_int %in %j\n\
         %value = OpLoad %int %from\nOpStore %at %value"
    );
    with_throw().kernel(&[("out", "g_int"), ("in", "g_int")], &body)
}

/// Runs a module over 64 work-items in groups of `local`, in several modes.
fn check(text: &str, local: usize, input: &[i32], want: &[i32]) {
    for mode in ["", "-cl-wfv=never", "--lanes 8", "-cl-opt-disable"] {
        let k = try_assembled(text, mode, &Default::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let (out, input) = (Data::<i32>::zeros(want.len()), Data::of(input));
        launch(&k, compiler::NdRange::new(&[64], &[local]), &[out.arg(), input.arg()]);
        assert_eq!(out.get(), want, "'{mode}'\n{text}");
    }
}

fn checked_results() -> (Vec<i32>, Vec<i32>) {
    let input: Vec<i32> = (0..40).map(|i| 100 + i * i).collect();
    let want = (0..64).map(|i| input.get(i * 3 % 64).copied().unwrap_or(7)).collect();
    (input, want)
}

/// pocl#1619, pocl#1971: checks of bounds that end in `OpUnreachable`, behind a call that does not
/// return. A work-item that fails ends there; the others and the process go on.
#[test]
fn bounds_checks_that_throw() {
    let (input, want) = checked_results();
    check(&checked_access(""), 16, &input, &want);
}

/// pocl#1747, pocl#1871, pocl#1872: the same with a barrier behind the check.
#[test]
fn bounds_checks_before_a_barrier() {
    let (input, want) = checked_results();
    check(&checked_access("OpControlBarrier %int_2 %int_2 %int_272\n"), 16, &input, &want);
}

/// pocl#2156: sums of sub-groups, in several work-groups, whose first work-items bring them
/// together in local memory.
#[test]
fn sums_of_sub_groups_in_several_work_groups() {
    let spirv = Spirv {
        requirements: "OpCapability SubgroupDispatch".into(),
        globals: "%array = OpTypeArray %int %int_64\n%l_array = OpTypePointer Workgroup %array\n\
             %shared = OpVariable %l_array Workgroup"
            .into(),
        ..Default::default()
    };
    let body = format!(
        "{ID}%from = OpInBoundsPtrAccessChain %g_int %in %i\n%x = OpLoad %int %from\n\
         %own = OpInBoundsAccessChain %l_int %shared %l32\nOpStore %own %x\n\
         OpControlBarrier %int_2 %int_2 %int_272\n\
         %again = OpLoad %int %own\n%sum = OpGroupIAdd %int %int_3 Reduce %again\n\
         OpControlBarrier %int_2 %int_2 %int_272\n\
         %lane = OpLoad %int %SubgroupLocalInvocationId\n%number = OpLoad %int %SubgroupId\n\
         %count = OpLoad %int %NumSubgroups\n\
         %first = OpIEqual %bool %lane %int_0\nOpSelectionMerge %kept None\n\
         OpBranchConditional %first %keep %kept\n\
         %keep = OpLabel\n%place = OpInBoundsAccessChain %l_int %shared %number\nOpStore %place %sum\n\
         OpBranch %kept\n%kept = OpLabel\n\
         OpControlBarrier %int_2 %int_2 %int_272\n\
         %leader = OpIEqual %bool %l32 %int_0\nOpSelectionMerge %end None\n\
         OpBranchConditional %leader %head %end\n\
         %head = OpLabel\nOpBranch %loop\n\
         %loop = OpLabel\n%n = OpPhi %int %int_0 %head %n1 %step\n\
         %total = OpPhi %int %int_0 %head %total1 %step\n\
         %more = OpULessThan %bool %n %count\nOpLoopMerge %done %step None\n\
         OpBranchConditional %more %step %done\n\
         %step = OpLabel\n%part_at = OpInBoundsAccessChain %l_int %shared %n\n%part = OpLoad %int %part_at\n\
         %total1 = OpIAdd %int %total %part\n%n1 = OpIAdd %int %n %int_1\nOpBranch %loop\n\
         %done = OpLabel\n%gids = OpLoad %long3 %WorkgroupId\n%g = OpCompositeExtract %long %gids 0\n\
         %to = OpInBoundsPtrAccessChain %g_int %out %g\nOpStore %to %total\nOpBranch %end\n\
         %end = OpLabel\n"
    );
    let text = spirv.kernel(&[("out", "g_int"), ("in", "g_int")], &body);
    let input: Vec<i32> = (1..=64).collect();
    let sums = |local: usize| input.chunks(local).map(|c| c.iter().sum()).collect::<Vec<i32>>();
    for local in [16, 32, 64] {
        check(&text, local, &input, &sums(local));
    }
}

/// pocl#1794: a reduction over a group whose checks of bounds throw between its barriers.
#[test]
fn reduction_with_checks_between_its_barriers() {
    let mut spirv = with_throw();
    spirv.globals += "\n%array = OpTypeArray %int %int_16\n%l_array = OpTypePointer Workgroup %array\n\
        %shared = OpVariable %l_array Workgroup";
    let body = format!(
        "{ID}%from = OpInBoundsPtrAccessChain %g_int %in %i\n%x = OpLoad %int %from\n\
         %own = OpInBoundsAccessChain %l_int %shared %l32\nOpStore %own %x\nOpBranch %loop\n\
         %loop = OpLabel\n%d = OpPhi %int %int_1 %entry %d2 %latch\n\
         %more = OpULessThan %bool %d %int_16\nOpBranchConditional %more %step %done\n\
         %step = OpLabel\nOpControlBarrier %int_2 %int_2 %int_272\n\
         %dl = OpIMul %int %d %l32\n%a = OpIMul %int %dl %int_2\n\
         %takes = OpULessThan %bool %a %int_16\nOpBranchConditional %takes %in_range %latch\n\
         %in_range = OpLabel\n%b = OpIAdd %int %a %d\n%fine = OpULessThan %bool %b %int_16\n\
         OpBranchConditional %fine %add %bad\n\
         %bad = OpLabel\n%nothing = OpFunctionCall %void %throw %b\nOpUnreachable\n\
         %add = OpLabel\n%pa = OpInBoundsAccessChain %l_int %shared %a\n\
         %pb = OpInBoundsAccessChain %l_int %shared %b\n%va = OpLoad %int %pa\n%vb = OpLoad %int %pb\n\
         %s = OpIAdd %int %va %vb\nOpStore %pa %s\nOpBranch %latch\n\
         %latch = OpLabel\n%d2 = OpIMul %int %d %int_2\nOpBranch %loop\n\
         %done = OpLabel\n%leader = OpIEqual %bool %l32 %int_0\nOpBranchConditional %leader %write %end\n\
         %write = OpLabel\n%p0 = OpInBoundsAccessChain %l_int %shared %int_0\n%total = OpLoad %int %p0\n\
         %gids = OpLoad %long3 %WorkgroupId\n%g = OpCompositeExtract %long %gids 0\n\
         %to = OpInBoundsPtrAccessChain %g_int %out %g\nOpStore %to %total\nOpBranch %end\n\
         %end = OpLabel\n"
    );
    let text = spirv.kernel(&[("out", "g_int"), ("in", "g_int")], &body);
    let input: Vec<i32> = (0..64).map(|i| i * 7 % 31).collect();
    let want: Vec<i32> = input.chunks(16).map(|c| c.iter().sum()).collect();
    check(&text, 16, &input, &want);
}
