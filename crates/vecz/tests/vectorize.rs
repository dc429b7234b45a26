//! What the vectorizer makes of small kernels. That the results are right is shown by running them,
//! in `difftest`.

use lanewise_vecz::{KernelRemarks, Mode, VectorUnit, VectorizationChoice, VeczPassOptions, vectorize};
use llvm::{Context, Module};
use passes::Remarks;

const BUILTINS: &str = "declare i64 @__mux_get_global_id(i32) #0
declare i64 @__mux_get_local_id(i32) #0
declare void @__mux_work_group_barrier(i32, i32, i32)
attributes #0 = { memory(none) nounwind willreturn }
";

/// The wide version of the kernel `k`, verified, as text.
fn wide(kernel: &str, width: u32) -> Result<String, String> {
    wide_as(kernel, &VeczPassOptions::fixed(width, Mode::Always))
}

fn wide_as(kernel: &str, way: &VeczPassOptions) -> Result<String, String> {
    let context = Context::new();
    let text = format!("target datalayout = \"e-i64:64-n8:16:32:64\"\n{BUILTINS}{kernel}");
    let module = Module::parse(&context, text.as_bytes(), "k.ll").expect("parses");
    let k = module.function("k").expect("there is a kernel");
    let width = way.how().width;
    let remarks = Remarks::default();
    let result = vectorize(&module, k, way, &VectorUnit::default(), None, KernelRemarks::new(&remarks, k));
    module.verify().expect("well-formed");
    match result {
        Ok((f, _)) => {
            assert_eq!(f.name(), format!("__vecz_v{width}_k"));
            Ok(f.to_string())
        }
        Err(stopped) => {
            assert!(module.functions().iter().all(|f| !f.name().contains("vecz")), "nothing is left behind");
            Err(stopped.to_string())
        }
    }
}

#[test]
fn consecutive_addresses_become_wide_accesses() {
    let text = wide(
        "define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x, float %a) {
  %i = call i64 @__mux_get_global_id(i32 0)
  %px = getelementptr float, ptr addrspace(1) %x, i64 %i
  %vx = load float, ptr addrspace(1) %px, align 4
  %r = fmul float %vx, %a
  %py = getelementptr float, ptr addrspace(1) %y, i64 %i
  store float %r, ptr addrspace(1) %py, align 4
  ret void
}",
        8,
    )
    .unwrap();
    assert!(text.contains("load <8 x float>, ptr addrspace(1) %px, align 4"), "{text}");
    assert!(text.contains("fmul <8 x float>"), "{text}");
    assert!(
        text.contains("store <8 x float>") && !text.contains("gather") && !text.contains("masked"),
        "{text}"
    );
}

/// `int i = get_global_id(0)` as InstCombine leaves it, and `uint`.
#[test]
fn a_narrow_index_is_consecutive_too() {
    for narrow in ["%s = shl i64 %i, 32\n  %n = ashr exact i64 %s, 32", "%n = and i64 %i, 4294967295"] {
        let text = wide(
            &format!(
                "define spir_kernel void @k(ptr addrspace(1) %y) {{
  %i = call i64 @__mux_get_global_id(i32 0)
  {narrow}
  %p = getelementptr float, ptr addrspace(1) %y, i64 %n
  store float 1.0, ptr addrspace(1) %p, align 4
  ret void
}}"
            ),
            8,
        )
        .unwrap();
        assert!(text.contains("store <8 x float>") && !text.contains("scatter"), "{text}");
    }
}

/// In a range that may pass the end of 32 bits, it is not, even if adding something of no matter
/// what value does not wrap; a local ID is.
#[test]
fn a_narrow_index_of_a_large_range_may_wrap() {
    let code = |id: &str, narrow: &str| {
        wide(
            &format!(
                "define spir_kernel void @k(ptr addrspace(1) %y, i32 %m) \"mux-large-range\" {{
  %i = call i64 @__mux_get_{id}_id(i32 0)
  {narrow}
  %p = getelementptr float, ptr addrspace(1) %y, i64 %n
  store float 1.0, ptr addrspace(1) %p, align 4
  ret void
}}"
            ),
            8,
        )
        .unwrap()
    };
    for narrow in [
        "%s = shl i64 %i, 32\n  %n = ashr exact i64 %s, 32",
        "%n = and i64 %i, 4294967295",
        "%t = trunc i64 %i to i32\n  %a = add nsw i32 %t, %m\n  %n = sext i32 %a to i64",
    ] {
        let text = code("global", narrow);
        assert!(text.contains("scatter"), "{text}");
    }
    let text = code("local", "%n = and i64 %i, 4294967295");
    assert!(text.contains("store <8 x float>") && !text.contains("scatter"), "{text}");
    let text = code("global", "%n = add i64 %i, 1");
    assert!(text.contains("store <8 x float>") && !text.contains("scatter"), "{text}");
}

/// An unsigned difference may wrap in lanes that take no part, however it is marked.
#[test]
fn an_unsigned_difference_is_not_taken_for_consecutive() {
    let text = wide(
        "define spir_kernel void @k(ptr addrspace(1) %y, i32 %first) {
  %i = call i64 @__mux_get_global_id(i32 0)
  %w = trunc i64 %i to i32
  %in = icmp uge i32 %w, %first
  br i1 %in, label %then, label %end
then:
  %d = sub nuw i32 %w, %first
  %n = zext i32 %d to i64
  %p = getelementptr float, ptr addrspace(1) %y, i64 %n
  store float 1.0, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}",
        8,
    )
    .unwrap();
    assert!(text.contains("llvm.masked.scatter"), "{text}");
}

#[test]
fn what_is_the_same_for_all_lanes_stays_scalar() {
    let text = wide(
        "define spir_kernel void @k(ptr addrspace(1) %y, i32 %n) {
  %j = call i64 @__mux_get_global_id(i32 1)
  %p = getelementptr float, ptr addrspace(1) %y, i64 %j
  %v = load float, ptr addrspace(1) %p, align 4
  %c = icmp sgt i32 %n, 3
  br i1 %c, label %then, label %end
then:
  %r = fadd float %v, 1.0
  store float %r, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}",
        4,
    )
    .unwrap();
    assert!(!text.contains("<4 x"), "{text}");
    assert!(text.contains("br i1"), "{text}");
}

#[test]
fn a_loop_that_lanes_leave_at_different_times_has_a_mask() {
    let text = wide(
        "define spir_kernel void @k(ptr addrspace(1) %y) {
entry:
  %i = call i64 @__mux_get_global_id(i32 0)
  br label %body
body:
  %n = phi i64 [ 0, %entry ], [ %m, %body ]
  %m = add i64 %n, 1
  %more = icmp ult i64 %m, %i
  br i1 %more, label %body, label %end
end:
  %p = getelementptr i64, ptr addrspace(1) %y, i64 %i
  store i64 %m, ptr addrspace(1) %p, align 8
  ret void
}",
        4,
    )
    .unwrap();
    // The counter is one for all lanes; what comes out of the loop is kept for each.
    assert!(text.contains("phi i64") && text.contains("%mask = phi <4 x i1>"), "{text}");
    assert!(text.contains("%kept = phi <4 x i64>") && text.contains("llvm.vector.reduce.or"), "{text}");
}

#[test]
fn a_store_under_a_condition_is_masked_and_skipped_if_no_lane_takes_part() {
    let text = wide(
        "define spir_kernel void @k(ptr addrspace(1) %y) {
  %i = call i64 @__mux_get_global_id(i32 0)
  %bit = and i64 %i, 1
  %odd = icmp eq i64 %bit, 1
  br i1 %odd, label %then, label %end
then:
  %p = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 7, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}",
        8,
    )
    .unwrap();
    assert!(text.contains("call void @llvm.masked.store.v8i32.p1"), "{text}");
    assert!(text.contains("br i1 %any"), "{text}");
}

#[test]
fn a_lane_that_does_not_take_part_does_not_divide() {
    let text = wide(
        "define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %d) {
  %i = call i64 @__mux_get_global_id(i32 0)
  %pd = getelementptr i32, ptr addrspace(1) %d, i64 %i
  %v = load i32, ptr addrspace(1) %pd, align 4
  %zero = icmp eq i32 %v, 0
  br i1 %zero, label %end, label %then
then:
  %q = sdiv i32 100, %v
  %p = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %q, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}",
        4,
    )
    .unwrap();
    let guarded =
        text.lines().any(|l| l.contains("select <4 x i1>") && l.contains("i32 1, i32 1, i32 1, i32 1"))
            || text.contains("splat (i32 1)");
    assert!(guarded && text.contains("sdiv <4 x i32>"), "{text}");
}

#[test]
fn scattered_addresses_are_gathered_and_atomics_are_done_lane_by_lane() {
    let text = wide(
        "define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %h) {
  %i = call i64 @__mux_get_global_id(i32 0)
  %pi = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %pi, align 4
  %w = zext i32 %v to i64
  %p = getelementptr i32, ptr addrspace(1) %h, i64 %w
  %x = load i32, ptr addrspace(1) %p, align 4
  %old = atomicrmw add ptr addrspace(1) %p, i32 %x monotonic
  ret void
}",
        4,
    )
    .unwrap();
    assert!(text.contains("llvm.masked.gather.v4i32"), "{text}");
    assert_eq!(text.matches("atomicrmw add").count(), 4, "one for each lane: {text}");
}

#[test]
fn barriers_are_met_once_for_all_lanes() {
    let text = wide(
        "define spir_kernel void @k(ptr addrspace(3) %l) {
  %i = call i64 @__mux_get_local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(3) %l, i64 %i
  store i32 1, ptr addrspace(3) %p, align 4
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store i32 2, ptr addrspace(3) %p, align 4
  ret void
}",
        16,
    )
    .unwrap();
    assert_eq!(text.matches("@__mux_work_group_barrier(i32 0").count(), 1, "{text}");
    assert_eq!(text.matches("store <16 x i32>").count(), 2, "{text}");
}

#[test]
fn what_has_no_wide_form_stops_with_the_instruction() {
    let why = wide(
        "define spir_kernel void @k(ptr addrspace(1) %y) {
  %i = call i64 @__mux_get_global_id(i32 0)
  %a = alloca i32, i64 %i, align 4
  store i32 1, ptr %a, align 4
  ret void
}",
        4,
    )
    .unwrap_err();
    assert!(why.contains("variable size") && why.contains("alloca i32, i64 %i"), "{why}");
}

/// An index on which lanes agree reaches one vector of a private array; a fill is written as
/// stores.
#[test]
fn private_arrays_are_interleaved() {
    let text = wide(
        "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define spir_kernel void @k(ptr addrspace(1) %y, i64 %n) {
  %a = alloca [16 x i32], align 4
  call void @llvm.memset.p0.i64(ptr %a, i8 1, i64 64, i1 false)
  %i = call i64 @__mux_get_global_id(i32 0)
  %t = trunc i64 %i to i32
  %p = getelementptr [16 x i32], ptr %a, i64 0, i64 %n
  store i32 %t, ptr %p, align 4
  %q = getelementptr i8, ptr %a, i64 12
  %v = load i32, ptr %q, align 4
  %py = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %v, ptr addrspace(1) %py, align 4
  ret void
}",
        8,
    )
    .unwrap();
    assert!(text.contains("alloca [512 x i8], align 64"), "{text}");
    assert!(text.contains("load <8 x i32>") && !text.contains("memset"), "{text}");
    assert!(!text.contains("gather") && !text.contains("scatter"), "{text}");
}

/// Accesses of two sizes keep an array in one piece for each lane.
#[test]
fn a_private_array_of_mixed_accesses_stays_whole() {
    let text = wide(
        "define spir_kernel void @k(ptr addrspace(1) %y, i64 %n) {
  %a = alloca [16 x i32], align 4
  %i = call i64 @__mux_get_global_id(i32 0)
  store i64 %i, ptr %a, align 4
  %p = getelementptr i32, ptr %a, i64 %n
  %v = load i32, ptr %p, align 4
  %py = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %v, ptr addrspace(1) %py, align 4
  ret void
}",
        8,
    )
    .unwrap();
    assert!(text.contains("alloca [512 x i8], align 4") && !text.contains("load <8 x i32>"), "{text}");
    assert_eq!(text.matches("store i64").count(), 8, "{text}");
}

/// Two floats of a record are wide loads and shuffles, and so is their store; with a mask only if
/// all lanes take part.
#[test]
fn fields_of_records_are_loaded_together() {
    let body = |guard: &str| {
        format!(
            "define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x, i64 %n) {{
  %i = call i64 @__mux_get_global_id(i32 0)
  {guard}
yes:
  %p = getelementptr [2 x float], ptr addrspace(1) %x, i64 %i
  %a = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  %b = load float, ptr addrspace(1) %q, align 4
  %py = getelementptr [2 x float], ptr addrspace(1) %y, i64 %i
  store float %b, ptr addrspace(1) %py, align 4
  %qy = getelementptr i8, ptr addrspace(1) %py, i64 4
  store float %a, ptr addrspace(1) %qy, align 4
  br label %no
no:
  ret void
}}"
        )
    };
    let text = wide(&body("br label %yes"), 8).unwrap();
    assert_eq!(text.matches("load <8 x float>").count(), 2, "{text}");
    assert_eq!(text.matches("store <8 x float>").count(), 2, "{text}");
    assert!(!text.contains("gather") && !text.contains("scatter"), "{text}");
    let text = wide(&body("%c = icmp ult i64 %i, %n\n  br i1 %c, label %yes, label %no"), 8).unwrap();
    assert!(text.contains("load <8 x float>") && text.contains("gather"), "{text}");
    assert!(text.contains("vector.reduce.and") && text.contains("scatter"), "{text}");
}

/// One field alone: the last vector ends where the last lane's field does.
#[test]
fn every_second_element_is_not_read_beyond_the_last() {
    let text = wide(
        "define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x) {
  %i = call i64 @__mux_get_global_id(i32 0)
  %p = getelementptr [2 x float], ptr addrspace(1) %x, i64 %i
  %a = load float, ptr addrspace(1) %p, align 4
  %py = getelementptr float, ptr addrspace(1) %y, i64 %i
  store float %a, ptr addrspace(1) %py, align 4
  ret void
}",
        8,
    )
    .unwrap();
    // Fifteen elements: from 0 to 8, and from 7 to 15.
    assert!(text.contains("i64 28") && text.matches("load <8 x float>").count() == 2, "{text}");
}

/// Bytes of a word are parts of it.
#[test]
fn four_bytes_are_one_word() {
    let text = wide(
        "define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x) {
  %i = call i64 @__mux_get_global_id(i32 0)
  %p = getelementptr [4 x i8], ptr addrspace(1) %x, i64 %i
  %a = load i8, ptr addrspace(1) %p, align 1
  %q = getelementptr i8, ptr addrspace(1) %p, i64 3
  %b = load i8, ptr addrspace(1) %q, align 1
  %s = add i8 %a, %b
  %py = getelementptr i8, ptr addrspace(1) %y, i64 %i
  store i8 %s, ptr addrspace(1) %py, align 1
  ret void
}",
        8,
    )
    .unwrap();
    assert!(text.contains("load <8 x i32>") && text.contains("lshr <8 x i32>"), "{text}");
}

/// A store between two loads keeps them apart: it may write what the second reads.
#[test]
fn a_store_between_keeps_loads_apart() {
    let text = wide(
        "define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x) {
  %i = call i64 @__mux_get_global_id(i32 0)
  %p = getelementptr [2 x float], ptr addrspace(1) %x, i64 %i
  %a = load float, ptr addrspace(1) %p, align 4
  %py = getelementptr float, ptr addrspace(1) %y, i64 %i
  store float %a, ptr addrspace(1) %py, align 4
  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  %b = load float, ptr addrspace(1) %q, align 4
  store float %b, ptr addrspace(1) %py, align 4
  ret void
}",
        8,
    )
    .unwrap();
    assert_eq!(text.matches("load <8 x float>").count(), 4, "{text}");
}

/// Backwards is one wide load too.
#[test]
fn backwards_is_wide() {
    let text = wide(
        "define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x) {
  %i = call i64 @__mux_get_global_id(i32 0)
  %r = sub i64 1000, %i
  %p = getelementptr float, ptr addrspace(1) %x, i64 %r
  %a = load float, ptr addrspace(1) %p, align 4
  %py = getelementptr float, ptr addrspace(1) %y, i64 %i
  store float %a, ptr addrspace(1) %py, align 4
  ret void
}",
        8,
    )
    .unwrap();
    assert!(text.contains("i64 -28") && text.contains("i32 7, i32 6"), "{text}");
}

/// What follows from IDs alone is looked at when it runs.
#[test]
fn addresses_that_may_be_consecutive_are_tested() {
    let text = wide(
        "define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x, i64 %n) {
  %i = call i64 @__mux_get_global_id(i32 0)
  %r = xor i64 %i, %n
  %p = getelementptr float, ptr addrspace(1) %x, i64 %r
  %a = load float, ptr addrspace(1) %p, align 4
  %py = getelementptr float, ptr addrspace(1) %y, i64 %i
  store float %a, ptr addrspace(1) %py, align 4
  ret void
}",
        8,
    )
    .unwrap();
    assert!(text.contains("%consecutive") && text.contains("load <8 x float>"), "{text}");
}

/// A region with a gather under a condition that often holds for all lanes.
const GUARDED_GATHER: &str = "define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x, i64 %n) {
entry:
  %i = call i64 @__mux_get_global_id(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %y, i64 %i
  %in = icmp ult i64 %i, %n
  br i1 %in, label %then, label %end
then:
  %from = load i64, ptr addrspace(1) %p, align 8
  %q = getelementptr i64, ptr addrspace(1) %x, i64 %from
  %v = load i64, ptr addrspace(1) %q, align 8
  br label %end
end:
  %r = phi i64 [ 7, %entry ], [ %v, %then ]
  store i64 %r, ptr addrspace(1) %p, align 8
  ret void
}";

#[test]
fn a_region_with_a_gather_has_a_version_without_masks() {
    let text = wide(GUARDED_GATHER, 16).unwrap();
    assert!(text.contains("br i1 %all, label %then.all, label %some"), "{text}");
    // The unmasked version loads plainly, the other one under the mask; the result is of the
    // version that ran.
    assert!(text.contains("load <16 x i64>") && text.contains("llvm.masked.load.v16i64"), "{text}");
    let merged = text.lines().find(|l| l.contains("phi <16 x i64>")).expect("there is a PHI");
    assert!(["%then ]", "%some ]", "%then.all ]"].iter().all(|from| merged.contains(from)), "{text}");
}

#[test]
fn versions_without_masks_are_a_choice() {
    let mut way = VeczPassOptions::fixed(16, Mode::Always);
    way.choices.disable(VectorizationChoice::LinearizeBoscc);
    let text = wide_as(GUARDED_GATHER, &way).unwrap();
    assert!(!text.contains("%all") && text.contains("llvm.masked.load.v16i64"), "{text}");
}

#[test]
fn a_region_that_masks_do_not_slow_down_has_one_version() {
    let text = wide(&GUARDED_GATHER.replace("%x, i64 %from", "%x, i64 %i"), 16).unwrap();
    assert!(!text.contains("%all"), "{text}");
}

/// Each iteration takes the version for the lanes that are left.
#[test]
fn a_divergent_loop_that_gathers_has_two_bodies() {
    let text = wide(
        "define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x) {
entry:
  %i = call i64 @__mux_get_global_id(i32 0)
  br label %body
body:
  %n = phi i64 [ 0, %entry ], [ %m, %body ]
  %at = phi i64 [ %i, %entry ], [ %next, %body ]
  %q = getelementptr i64, ptr addrspace(1) %x, i64 %at
  %next = load i64, ptr addrspace(1) %q, align 8
  %m = add i64 %n, 1
  %more = icmp ult i64 %next, 1000
  br i1 %more, label %body, label %end
end:
  %p = getelementptr i64, ptr addrspace(1) %y, i64 %i
  store i64 %m, ptr addrspace(1) %p, align 8
  ret void
}",
        16,
    )
    .unwrap();
    assert!(text.contains("br i1 %all, label %body.all, label %body.some"), "{text}");
    // The counter is stepped once for both.
    assert_eq!(text.matches("add i64 %n, 1").count(), 1, "{text}");
    assert!(text.contains("%next = phi <16 x i64>"), "{text}");
}

/// `x[i * n]`: no vector of addresses, and a wide load if `n` is 1.
#[test]
fn lanes_strided_by_a_uniform_value_are_found_from_the_first() {
    for index in [
        "%m = mul i64 %i, %n",
        "%w = trunc i64 %i to i32\n  %s = trunc i64 %n to i32\n  %t = mul nsw i32 %w, %s\n  \
         %u = add nsw i32 %t, 5\n  %m = sext i32 %u to i64",
    ] {
        let text = wide(
            &format!(
                "define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x, i64 %n) {{
  %i = call i64 @__mux_get_global_id(i32 0)
  {index}
  %q = getelementptr i32, ptr addrspace(1) %x, i64 %m
  %v = load i32, ptr addrspace(1) %q, align 4
  %p = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
}}"
            ),
            8,
        )
        .unwrap();
        assert!(text.contains("%contiguous = icmp eq i64") && text.contains("load <8 x i32>"), "{text}");
        assert_eq!(text.matches("load i32").count(), 8, "{text}");
        assert!(!text.contains("<8 x i64>") && !text.contains("<8 x ptr"), "{text}");
    }
}

/// In a loop over a row, nobody asks whether rows are one element long.
#[test]
fn a_row_for_each_lane_is_not_taken_for_contiguous() {
    let text = wide(
        "define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x, i64 %n) {
entry:
  %i = call i64 @__mux_get_global_id(i32 0)
  %row = mul i64 %i, %n
  %start = getelementptr i32, ptr addrspace(1) %x, i64 %row
  br label %body
body:
  %j = phi i64 [ 0, %entry ], [ %next, %body ]
  %at = phi ptr addrspace(1) [ %start, %entry ], [ %after, %body ]
  %sum = phi i32 [ 0, %entry ], [ %more, %body ]
  %v = load i32, ptr addrspace(1) %at, align 4
  %more = add i32 %sum, %v
  %after = getelementptr i32, ptr addrspace(1) %at, i64 1
  %next = add i64 %j, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %end
end:
  %p = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %more, ptr addrspace(1) %p, align 4
  ret void
}",
        8,
    )
    .unwrap();
    assert!(text.contains("%at = phi ptr addrspace(1)") && !text.contains("contiguous"), "{text}");
    assert_eq!(text.matches("load i32").count(), 8, "{text}");
}

/// A 32-bit product that may wrap is no evenly growing index.
#[test]
fn a_product_that_may_wrap_is_gathered() {
    let text = wide(
        "define spir_kernel void @k(ptr addrspace(1) %x, i32 %n) {
  %i = call i64 @__mux_get_global_id(i32 0)
  %w = trunc i64 %i to i32
  %t = mul i32 %w, %n
  %m = sext i32 %t to i64
  %q = getelementptr i32, ptr addrspace(1) %x, i64 %m
  store i32 3, ptr addrspace(1) %q, align 4
  ret void
}",
        8,
    )
    .unwrap();
    assert!(text.contains("llvm.masked.scatter"), "{text}");
}

/// A sum that LLVM has put in another order is not known not to wrap: one comparison tells.
#[test]
fn an_index_that_may_wrap_is_compared_once() {
    let text = wide(
        "define spir_kernel void @k(ptr addrspace(1) %y, i32 %first) {
  %i = call i64 @__mux_get_global_id(i32 0)
  %w = trunc i64 %i to i32
  %s = add i32 %w, %first
  %n = sext i32 %s to i64
  %p = getelementptr float, ptr addrspace(1) %y, i64 %n
  store float 1.0, ptr addrspace(1) %p, align 4
  ret void
}",
        8,
    )
    .unwrap();
    assert!(text.contains("%consecutive = icmp sle i32 %s, 2147483640"), "{text}");
    assert!(text.contains("store <8 x float>") && text.contains("llvm.masked.scatter"), "{text}");
}

/// Each lane's vector beside the next one's.
#[test]
fn vectors_may_stay_whole() {
    let kernel = "define spir_kernel void @k(ptr addrspace(1) %y, float %f) {
  %i = call i64 @__mux_get_global_id(i32 0)
  %p = getelementptr <4 x float>, ptr addrspace(1) %y, i64 %i
  %v = load <4 x float>, ptr addrspace(1) %p, align 16
  %w = fmul <4 x float> %v, %v
  %x = extractelement <4 x float> %w, i32 2
  %a = insertelement <4 x float> %w, float %x, i32 0
  %b = shufflevector <4 x float> %a, <4 x float> %v, <4 x i32> <i32 3, i32 2, i32 5, i32 0>
  %r = call <4 x float> @llvm.sqrt.v4f32(<4 x float> %b)
  store <4 x float> %r, ptr addrspace(1) %p, align 16
  ret void
}
declare <4 x float> @llvm.sqrt.v4f32(<4 x float>)";
    let mut way = VeczPassOptions::fixed(4, Mode::Always);
    way.choices.enable(VectorizationChoice::PartialScalarization);
    let text = wide_as(kernel, &way).unwrap();
    assert!(text.contains("load <16 x float>, ptr addrspace(1) %p, align 16"), "{text}");
    assert!(text.contains("fmul <16 x float>") && text.contains("@llvm.sqrt.v16f32"), "{text}");
    assert!(text.contains("<4 x i32> <i32 2, i32 6, i32 10, i32 14>"), "{text}");
    // 3 2 5 0 of a lane, from the lane's part of two vectors of 16.
    assert!(text.contains("<16 x i32> <i32 3, i32 2, i32 17, i32 0, i32 7, i32 6, i32 21, i32 4,"), "{text}");
    let split = wide(kernel, 4).unwrap();
    assert!(!split.contains("fmul <16 x float>") && split.contains("fmul <4 x float>"), "{split}");
}

#[test]
fn an_element_that_only_the_launch_knows_is_not_taken_from_whole_vectors() {
    let mut way = VeczPassOptions::fixed(4, Mode::Always);
    way.choices.enable(VectorizationChoice::PartialScalarization);
    let stopped = wide_as(
        "define spir_kernel void @k(ptr addrspace(1) %y, i32 %n) {
  %i = call i64 @__mux_get_global_id(i32 0)
  %p = getelementptr <4 x float>, ptr addrspace(1) %y, i64 %i
  %v = load <4 x float>, ptr addrspace(1) %p, align 16
  %x = extractelement <4 x float> %v, i32 %n
  store float %x, ptr addrspace(1) %p, align 4
  ret void
}",
        &way,
    )
    .unwrap_err();
    assert!(stopped.contains("a vector that differs from lane to lane"), "{stopped}");
}

#[test]
fn a_table_that_is_a_constant_vector_stays_out_of_whole_vectors() {
    let mut way = VeczPassOptions::fixed(4, Mode::Always);
    way.choices.enable(VectorizationChoice::PartialScalarization);
    let stopped = wide_as(
        "define spir_kernel void @k(ptr addrspace(1) %y) {
  %i = call i64 @__mux_get_global_id(i32 0)
  %n = and i64 %i, 3
  %x = extractelement <4 x i32> <i32 3, i32 1, i32 4, i32 1>, i64 %n
  %p = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %x, ptr addrspace(1) %p, align 4
  ret void
}",
        &way,
    )
    .unwrap_err();
    assert!(stopped.contains("a vector that differs from lane to lane"), "{stopped}");
}
