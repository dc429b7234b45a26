//! Objects of the Native CPU target, linked into C programs and run.

use compiler::{Machine, Module, Output, Profile};
use lanewise_native_cpu::native_cpu_info;
use std::path::{Path, PathBuf};
use std::process::Command;

enum Source<'a> {
    OpenClC(&'a str),
    Ir(&'a str),
}

/// An empty module of the compiler.
fn empty() -> Module {
    native_cpu_info().target(None).unwrap().create_module().unwrap()
}

/// The module of a program after all passes, and its object.
fn lowered(source: &Source<'_>, options: &str) -> (String, Vec<u8>) {
    lowered_by(empty(), source, options)
}

fn lowered_by(mut module: Module, source: &Source<'_>, options: &str) -> (String, Vec<u8>) {
    module.set_options(options).unwrap();
    let compiled = match source {
        Source::OpenClC(text) => module.compile_opencl_c(Profile::Full, "test.cl", text, &[]),
        Source::Ir(text) => module.load_ir("test.ll", text.as_bytes()),
    };
    compiled.and_then(|()| module.finalize().map(|_| ())).unwrap_or_else(|e| panic!("{e}"));
    let mut lowered = module.lower(None).unwrap_or_else(|e| panic!("{e}"));
    let text = lowered.module.to_string();
    (text, lowered.generate(Output::Object).unwrap())
}

fn include_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("include")
}

/// What a C program with this object prints.
fn run(name: &str, object: &[u8], program: &str) -> String {
    run_linked(name, &[object], program)
}

/// What a C program with these objects prints.
fn run_linked(name: &str, objects: &[&[u8]], program: &str) -> String {
    let dir = std::env::temp_dir().join(format!("lanewise-native-cpu-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let at = |file: &str| dir.join(file);
    let files: Vec<_> = (0..objects.len()).map(|i| at(&format!("kernels{i}.o"))).collect();
    files.iter().zip(objects).for_each(|(file, object)| std::fs::write(file, object).unwrap());
    std::fs::write(at("main.c"), program).unwrap();
    let cc = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I"])
        .arg(include_dir())
        .arg(at("main.c"))
        .args(files)
        .args(["-lm", "-o"])
        .arg(at("main"))
        .output()
        .expect("there is a C compiler");
    assert!(cc.status.success(), "{}", String::from_utf8_lossy(&cc.stderr));
    let out = Command::new(at("main")).output().unwrap();
    std::fs::remove_dir_all(&dir).unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success(), "{}: {text}", out.status);
    text
}

#[test]
fn the_example_is_right() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/native-cpu");
    let kernels = std::fs::read_to_string(example.join("kernels.cl")).unwrap();
    let program = std::fs::read_to_string(example.join("main.c")).unwrap();
    for wfv in ["", "-cl-wfv=never", "-cl-opt-disable"] {
        let (_, object) = lowered(&Source::OpenClC(&kernels), &format!("-cl-std=CL3.0 {wfv}"));
        assert_eq!(run(&format!("example{}", wfv.len()), &object, &program), "saxpy and sums are right\n");
    }
}

/// All work-item functions, in three dimensions with smaller last groups and an offset.
#[test]
fn kernels_find_the_state_they_are_given() {
    let kernel = "kernel void ask(global ulong *out) {
        global ulong *own = out + 16 * get_global_linear_id();
        for (uint d = 0; d < 3; d++) {
            own[d] = get_global_id(d);
            own[3 + d] = get_local_id(d) + 100 * get_local_size(d);
            own[6 + d] = get_group_id(d) + 100 * get_num_groups(d);
            own[9 + d] = get_global_size(d) + 100 * get_enqueued_local_size(d) + 10000 * get_global_offset(d);
        }
        own[12] = get_work_dim();
        own[13] = get_local_linear_id();
        own[14] = get_global_size(7) * 10 + get_global_id(7);
        own[15] = sub_group_reduce_add(1u) > 0;
    }";
    let program = r#"
        #include <lanewise_native_cpu.h>
        #include <stdio.h>
        #include <stdlib.h>
        void ask(void *const args[], lanewise_native_cpu_state *state);
        enum { X = 7, Y = 5, Z = 2 };
        static size_t out[X * Y * Z][16];
        int main(void) {
          const size_t global[3] = {X, Y, Z}, local[3] = {4, 2, 1}, offset[3] = {3, 0, 9};
          size_t g[3], wrong = 0;
          void *args[] = {out};
          lanewise_native_cpu_state state = {{0}, {0}, {0}, {0}, {0}, {0}, {0}, 0, 3};
          state.scratch = aligned_alloc(128, 1 << 20);
          for (int d = 0; d < 3; d++) {
            state.num_groups[d] = (global[d] + local[d] - 1) / local[d];
            state.enqueued_local_size[d] = local[d];
            state.global_size[d] = global[d];
            state.global_offset[d] = offset[d];
          }
          for (g[2] = 0; g[2] < state.num_groups[2]; g[2]++)
            for (g[1] = 0; g[1] < state.num_groups[1]; g[1]++)
              for (g[0] = 0; g[0] < state.num_groups[0]; g[0]++) {
                for (int d = 0; d < 3; d++) {
                  size_t left = global[d] - g[d] * local[d];
                  state.group_id[d] = g[d];
                  state.local_size[d] = left < local[d] ? left : local[d];
                }
                ask(args, &state);
              }
          for (size_t i = 0; i < X * Y * Z; i++) {
            size_t at[3] = {i % X, i / X % Y, i / X / Y}, size[3], id[3];
            for (int d = 0; d < 3; d++) {
              size_t left = global[d] - at[d] / local[d] * local[d];
              size[d] = left < local[d] ? left : local[d];
              id[d] = at[d] % local[d];
              wrong += out[i][d] != at[d] + offset[d];
              wrong += out[i][3 + d] != id[d] + 100 * size[d];
              wrong += out[i][6 + d] != at[d] / local[d] + 100 * ((global[d] + local[d] - 1) / local[d]);
              wrong += out[i][9 + d] != global[d] + 100 * local[d] + 10000 * offset[d];
            }
            wrong += out[i][12] != 3;
            wrong += out[i][13] != (id[2] * size[1] + id[1]) * size[0] + id[0];
            wrong += out[i][14] != 10;
            wrong += out[i][15] != 1;
          }
          printf("%zu wrong\n", wrong);
          return 0;
        }"#;
    for wfv in ["", "-cl-wfv=never"] {
        let (_, object) = lowered(&Source::OpenClC(kernel), &format!("-cl-std=CL3.0 {wfv}"));
        assert_eq!(run(&format!("state{}", wfv.len()), &object, program), "0 wrong\n");
    }
}

/// IDs of any size, and sub-groups, of which only the last of a work-group is smaller: in vector
/// code.
#[test]
fn large_ranges_and_sub_groups() {
    let kernel = "kernel void wide(global long *out, ulong offset) {
        int i = get_global_id(0);
        out[get_global_id(0) - offset] = i;
    }
    kernel __attribute__((intel_reqd_sub_group_size(8))) void sub(global int *out) {
        uint sum = sub_group_reduce_add((uint)get_local_id(0));
        out[get_global_id(0)] = sum * 100 + get_sub_group_size() * 10 + get_sub_group_id();
    }";
    let program = r#"
        #include <lanewise_native_cpu.h>
        #include <stdio.h>
        void wide(void *const args[], lanewise_native_cpu_state *state);
        void sub(void *const args[], lanewise_native_cpu_state *state);
        int main(void) {
          static int64_t out[50];
          static int sums[42];
          const size_t offsets[] = {0, ((size_t)1 << 30) - 49, ((size_t)1 << 31) - 20, (size_t)1 << 40};
          size_t wrong = 0;
          for (int n = 0; n < 4; n++) {
            size_t offset = offsets[n];
            void *args[] = {out, &offset};
            lanewise_native_cpu_state state = {
                {0}, {1, 1, 1}, {50, 1, 1}, {50, 1, 1}, {50, 1, 1}, {offset, 0, 0}, {0}, 0, 1};
            wide(args, &state);
            for (size_t i = 0; i < 50; i++) wrong += out[i] != (int32_t)(uint32_t)(offset + i);
          }
          size_t global[3] = {42, 1, 1}, local[3] = {21, 1, 1};
          void *args[] = {sums};
          lanewise_native_cpu_run(sub, args, 1, global, local, 0);
          for (int i = 0; i < 42; i++) {
            int own = i % 21, first = own / 8 * 8, size = first + 8 > 21 ? 21 - first : 8, sum = 0;
            for (int k = first; k < first + size; k++) sum += k;
            wrong += sums[i] != sum * 100 + size * 10 + own / 8;
          }
          printf("%zu wrong\n", wrong);
          return 0;
        }"#;
    for wfv in ["", "-cl-wfv=never"] {
        let (ir, object) = lowered(&Source::OpenClC(kernel), &format!("-cl-std=CL3.0 {wfv}"));
        let is_wide = |line: &str| line.contains("store <") && line.contains(" x i64>");
        assert!(!wfv.is_empty() || ir.lines().any(is_wide), "{ir}");
        assert_eq!(run(&format!("large{}", wfv.len()), &object, program), "0 wrong\n");
    }
}

/// A kernel for one dimension has no others: their sizes are not looked at.
#[test]
fn dimensions_beyond_the_most_are_not_looked_at() {
    let kernel = "declare i64 @__mux_get_global_id(i32)
        define spir_kernel void @count(ptr addrspace(1) %p) !max_work_dim !0 {
          %i = call i64 @__mux_get_global_id(i32 0)
          %at = getelementptr i32, ptr addrspace(1) %p, i64 %i
          %old = load i32, ptr addrspace(1) %at
          %new = add i32 %old, 1
          store i32 %new, ptr addrspace(1) %at
          ret void
        }
        !0 = !{i32 1}";
    let program = r#"
        #include <lanewise_native_cpu.h>
        #include <stdio.h>
        void count(void *const args[], lanewise_native_cpu_state *state);
        int main(void) {
          static int out[40];
          void *args[] = {out};
          lanewise_native_cpu_state state = {
              {0}, {1, 1, 1}, {40, 3, 5}, {40, 3, 5}, {40, (size_t)1 << 40, 5}, {0}, {0}, 0, 1};
          size_t wrong = 0;
          count(args, &state);
          for (int i = 0; i < 40; i++) wrong += out[i] != 1;
          printf("%zu wrong\n", wrong);
          return 0;
        }"#;
    for wfv in ["", "-cl-wfv=never"] {
        let (_, object) = lowered(&Source::Ir(kernel), wfv);
        assert_eq!(run(&format!("dims{}", wfv.len()), &object, program), "0 wrong\n");
    }
}

/// IR as SYCL compilers write it: builtin variables, and arguments of the source that the kernel
/// does not have.
const SYCL: &str = r#"
@__spirv_BuiltInGlobalInvocationId = external local_unnamed_addr constant <3 x i64>, align 32
@__spirv_BuiltInWorkgroupId = external local_unnamed_addr addrspace(1) constant <3 x i64>, align 32
@__spirv_BuiltInWorkDim = external constant i32

define weak_odr dso_local spir_kernel void @_Z6Sample(ptr addrspace(1) noundef align 4 %c,
    ptr addrspace(1) noundef align 4 %a, ptr addrspace(1) noundef align 4 %b, i32 %unused, i32 %more)
    !sycl_kernel_omit_args !0 {
entry:
  %0 = load i64, ptr @__spirv_BuiltInGlobalInvocationId, align 32
  %1 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %0
  %2 = load i32, ptr addrspace(1) %1, align 4
  %3 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %0
  %4 = load i32, ptr addrspace(1) %3, align 4
  %5 = add nsw i32 %2, %4
  %6 = add i32 %5, %more
  %7 = load i64, ptr addrspace(1)
    getelementptr inbounds (i8, ptr addrspace(1) @__spirv_BuiltInWorkgroupId, i64 8), align 8
  %8 = trunc i64 %7 to i32
  %9 = load <3 x i64>, ptr @__spirv_BuiltInGlobalInvocationId, align 32
  %10 = extractelement <3 x i64> %9, i64 2
  %11 = trunc i64 %10 to i32
  %12 = load i32, ptr @__spirv_BuiltInWorkDim, align 4
  %13 = add i32 %6, %8
  %14 = add i32 %13, %11
  %15 = mul i32 %12, 1000
  %16 = add i32 %14, %15
  %17 = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %0
  store i32 %16, ptr addrspace(1) %17, align 4
  ret void
}
!0 = !{i1 false, i1 true, i1 true, i1 false, i1 false, i1 true, i1 false, i1 false}
"#;

#[test]
fn sycl_kernels_take_the_arguments_they_use() {
    let program = r#"
        #include <lanewise_native_cpu.h>
        #include <stdio.h>
        void _Z6Sample(void *const args[], lanewise_native_cpu_state *state);
        int main(void) {
          static int a[100], b[100], c[100];
          int more = 7;
          size_t global[3] = {100, 1, 1}, local[3] = {16, 1, 1}, wrong = 0;
          /* The places of arguments that are left out or not used are not looked at. */
          void *args[] = {c, 0, 0, a, b, 0, 0, &more};
          for (int i = 0; i < 100; i++) { a[i] = i; b[i] = 3 * i; }
          lanewise_native_cpu_run(_Z6Sample, args, 1, global, local, 0);
          for (int i = 0; i < 100; i++) wrong += c[i] != 4 * i + 7 + 1000;
          printf("%zu wrong\n", wrong);
          return 0;
        }"#;
    let (_, object) = lowered(&Source::Ir(SYCL), "");
    assert_eq!(run("sycl", &object, program), "0 wrong\n");
}

/// Two objects that share a kernel, as a template of SYCL or an inline function is in every object
/// that uses it, link: the entry point and its companion are as weak as the kernel was. Functions
/// that the kernel calls stay in their own object, also those that were in a comdat.
#[test]
fn objects_that_share_a_weak_kernel_link() {
    let kernel = |linkage: &str, own: &str| {
        format!(
            "$helper = comdat any
            $shared = comdat any
            declare i64 @__mux_get_local_id(i32)
            declare void @__mux_work_group_barrier(i32, i32, i32)
            define weak_odr spir_func i32 @helper(i32 %x) noinline optnone comdat {{
              %y = add i32 %x, 5
              ret i32 %y
            }}
            define {linkage} spir_kernel void @shared(ptr addrspace(1) %p) comdat {{
              %i = call i64 @__mux_get_local_id(i32 0)
              %at = getelementptr i32, ptr addrspace(1) %p, i64 %i
              %old = load i32, ptr addrspace(1) %at
              call void @__mux_work_group_barrier(i32 0, i32 2, i32 272)
              %new = call spir_func i32 @helper(i32 %old)
              store i32 %new, ptr addrspace(1) %at
              ret void
            }}
            define spir_kernel void @{own}(ptr addrspace(1) %p) {{
              %old = load i32, ptr addrspace(1) %p
              %new = call spir_func i32 @helper(i32 %old)
              store i32 %new, ptr addrspace(1) %p
              ret void
            }}"
        )
    };
    let program = r#"
        #include <lanewise_native_cpu.h>
        #include <stdio.h>
        void shared(void *const args[], lanewise_native_cpu_state *state);
        size_t shared_scratch_bytes(size_t work_items);
        void one(void *const args[], lanewise_native_cpu_state *state);
        void two(void *const args[], lanewise_native_cpu_state *state);
        static _Alignas(128) char scratch[65536];
        int main(void) {
          static int out[8];
          size_t all[3] = {8, 1, 1}, single[3] = {1, 1, 1};
          void *args[] = {out};
          if (shared_scratch_bytes(8) > sizeof scratch) return 1;
          lanewise_native_cpu_run(shared, args, 1, all, all, scratch);
          lanewise_native_cpu_run(one, args, 1, single, single, scratch);
          lanewise_native_cpu_run(two, args, 1, single, single, scratch);
          for (int i = 0; i < 8; i++) printf("%d ", out[i]);
          return 0;
        }"#;
    for linkage in ["weak_odr", "weak", "linkonce_odr", "linkonce"] {
        for options in ["", "-cl-wfv=never", "-cl-opt-disable"] {
            let objects = ["one", "two"].map(|own| {
                let (ir, object) = lowered(&Source::Ir(&kernel(linkage, own)), options);
                let kept = linkage.replace("linkonce", "weak");
                assert!(
                    ir.contains(&format!(
                        "define {kept} void @shared(ptr noalias %args, ptr noalias %state)"
                    )),
                    "{ir}"
                );
                object
            });
            let [one, two] = &objects;
            let printed = run_linked(&format!("weak-{linkage}{}", options.len()), &[one, two], program);
            assert_eq!(printed, "15 5 5 5 5 5 5 5 ", "{linkage} {options}");
        }
    }
}

/// What an object calls its functions may be a name of the source, too.
#[test]
fn names_that_differ_by_a_suffix_do_not_collide() {
    let two =
        "kernel void k(global int *p) { *p = 1; } kernel void k_scratch_bytes(global int *p) { *p = 2; }";
    let lower = |text: &str| {
        let mut module = empty();
        module.compile_opencl_c(Profile::Full, "t.cl", text, &[]).unwrap();
        module.finalize().unwrap();
        module.lower(None).map(|_| ()).unwrap_err().to_string()
    };
    let error = lower(two);
    assert!(error.contains("'k_scratch_bytes' of the object, and another kernel has this name"), "{error}");
    let error =
        lower("constant int k_scratch_bytes = 3; kernel void k(global int *p) { *p = k_scratch_bytes; }");
    assert!(
        error.contains("needs the name 'k_scratch_bytes', which a variable of the source has"),
        "{error}"
    );

    let kernels = r#"
        define spir_func i32 @"k_scratch_bytes"(i32 %x) noinline optnone { %y = add i32 %x, 1 ret i32 %y }
        define spir_func i32 @"k.NativeCPUKernel"(i32 %x) noinline optnone { %y = add i32 %x, 2 ret i32 %y }
        define spir_func i32 @other_scratch_bytes(i32 %x) noinline optnone { %y = add i32 %x, 3 ret i32 %y }
        define spir_kernel void @k(ptr addrspace(1) %p) {
          %a = call spir_func i32 @"k_scratch_bytes"(i32 10)
          %b = call spir_func i32 @"k.NativeCPUKernel"(i32 %a)
          %c = call spir_func i32 @other_scratch_bytes(i32 %b)
          store i32 %c, ptr addrspace(1) %p
          ret void
        }"#;
    let program = r#"
        #include <lanewise_native_cpu.h>
        #include <stdio.h>
        void k(void *const args[], lanewise_native_cpu_state *state);
        size_t k_scratch_bytes(size_t work_items);
        size_t other_scratch_bytes(size_t work_items) { return work_items; }
        int main(void) {
          static int out;
          size_t size[3] = {1, 1, 1};
          void *args[] = {&out};
          lanewise_native_cpu_run(k, args, 1, size, size, 0);
          printf("%d %zu %zu", out, k_scratch_bytes(8), other_scratch_bytes(7));
          return 0;
        }"#;
    for options in ["", "-cl-opt-disable"] {
        let (_, object) = lowered(&Source::Ir(kernels), options);
        assert_eq!(run(&format!("names{}", options.len()), &object, program), "16 0 7");
    }
}

/// The names and signatures of the document, before LLVM inlines `_Z6Sample.NativeCPUKernel`.
#[test]
fn the_sub_handler_steals_the_name_and_calls_the_kernel() {
    let (ir, _) = lowered(&Source::Ir(SYCL), "-cl-opt-disable");
    assert!(ir.contains("define weak_odr void @_Z6Sample(ptr noalias %args, ptr noalias %state)"), "{ir}");
    assert!(ir.contains("define weak_odr i64 @_Z6Sample_scratch_bytes(i64 %0)"), "{ir}");
    assert!(
        !ir.contains("__spirv_BuiltIn") && !ir.contains("spir_kernel") && !ir.contains("spir_func"),
        "{ir}"
    );
    assert!(!ir.contains("declare i64 @__mux_"), "{ir}");
    // The state is its second parameter, and it has no third.
    let handler = ir.lines().find(|line| line.starts_with("define weak_odr void @_Z6Sample(")).unwrap();
    let node = handler.split("!mux_scheduled_fn ").nth(1).unwrap().split(' ').next().unwrap();
    assert!(ir.contains(&format!("\n{node} = !{{i32 1}}\n")), "{node} {ir}");
}

#[test]
fn what_is_no_read_of_a_builtin_variable_is_refused() {
    let ir = "@__spirv_BuiltInGlobalSize = external global <3 x i64>
        define spir_kernel void @k() { store i64 0, ptr @__spirv_BuiltInGlobalSize ret void }";
    let mut module = empty();
    let error = module.load_ir("t.ll", ir.as_bytes()).unwrap_err();
    assert!(error.to_string().contains("can only be read"), "{error}");
    let ir = "@__spirv_BuiltInFragCoord = external global <4 x float>
        define spir_kernel void @k(ptr %p) {
          %x = load float, ptr @__spirv_BuiltInFragCoord
          store float %x, ptr %p ret void }";
    let mut module = empty();
    let error = module.load_ir("t.ll", ir.as_bytes()).unwrap_err();
    assert!(error.to_string().contains("'__spirv_BuiltInFragCoord' is not supported"), "{error}");
    let refused = |load: &str| {
        let ir = format!(
            "@__spirv_BuiltInGlobalSize = external global <3 x i64>
            define spir_kernel void @k(ptr %p, i64 %n) {{ {load} ret void }}"
        );
        empty().load_ir("t.ll", ir.as_bytes()).unwrap_err().to_string()
    };
    let error = refused("%x = load <4 x i64>, ptr getelementptr (i8, ptr @__spirv_BuiltInGlobalSize, i64 8)");
    assert!(
        error.contains("'__spirv_BuiltInGlobalSize' has 32 bytes, and a read at 8 is not inside"),
        "{error}"
    );
    let error =
        refused("%a = getelementptr i64, ptr @__spirv_BuiltInGlobalSize, i64 %n %x = load i64, ptr %a");
    assert!(
        error.contains("'__spirv_BuiltInGlobalSize' is read at an offset that is not constant"),
        "{error}"
    );
}

/// Reads of a builtin variable at any constant offset, as any type: what lies there.
#[test]
fn pieces_of_builtin_variables() {
    let ir = r#"
target datalayout = "e-i64:64-v192:256"
target triple = "spir64-unknown-unknown"
@__spirv_BuiltInGlobalSize = external constant <3 x i64>, align 32
%ids = type { i32, [2 x i64] }
define spir_kernel void @pieces(ptr addrspace(1) %out) {
  %low = load i32, ptr getelementptr (i8, ptr @__spirv_BuiltInGlobalSize, i64 8), align 8
  %high = load i32, ptr getelementptr (i8, ptr @__spirv_BuiltInGlobalSize, i64 20), align 4
  %two = load <2 x i64>, ptr getelementptr (i8, ptr @__spirv_BuiltInGlobalSize, i64 8), align 8
  %y = extractelement <2 x i64> %two, i32 0
  %z = extractelement <2 x i64> %two, i32 1
  %field = load i64, ptr getelementptr (%ids, ptr @__spirv_BuiltInGlobalSize, i64 0, i32 1, i64 1), align 8
  %byte = load i8, ptr getelementptr (i8, ptr @__spirv_BuiltInGlobalSize, i64 17), align 1
  %four = load <4 x i64>, ptr @__spirv_BuiltInGlobalSize, align 32
  %x = extractelement <4 x i64> %four, i32 0
  %l = zext i32 %low to i64
  %h = zext i32 %high to i64
  %b = zext i8 %byte to i64
  store i64 %l, ptr addrspace(1) %out
  %o1 = getelementptr i64, ptr addrspace(1) %out, i64 1
  store i64 %h, ptr addrspace(1) %o1
  %o2 = getelementptr i64, ptr addrspace(1) %out, i64 2
  store i64 %y, ptr addrspace(1) %o2
  %o3 = getelementptr i64, ptr addrspace(1) %out, i64 3
  store i64 %z, ptr addrspace(1) %o3
  %o4 = getelementptr i64, ptr addrspace(1) %out, i64 4
  store i64 %field, ptr addrspace(1) %o4
  %o5 = getelementptr i64, ptr addrspace(1) %out, i64 5
  store i64 %b, ptr addrspace(1) %o5
  %o6 = getelementptr i64, ptr addrspace(1) %out, i64 6
  store i64 %x, ptr addrspace(1) %o6
  ret void
}
"#;
    let program = r#"
        #include <lanewise_native_cpu.h>
        #include <stdio.h>
        void pieces(void *const args[], lanewise_native_cpu_state *state);
        int main(void) {
          static size_t out[7];
          size_t global[3] = {3, 5, 770}, local[3] = {1, 1, 1};
          void *args[] = {out};
          lanewise_native_cpu_run(pieces, args, 3, global, local, 0);
          for (int i = 0; i < 7; i++) printf("%zu ", out[i]);
          return 0;
        }"#;
    for options in ["", "-cl-opt-disable"] {
        let (_, object) = lowered(&Source::Ir(ir), options);
        assert_eq!(run("pieces", &object, program), "5 0 5 770 770 3 3 ");
    }
}

#[test]
fn there_are_no_deferred_kernels() {
    let mut module = empty();
    module.compile_opencl_c(Profile::Full, "t.cl", "kernel void k() {}", &[]).unwrap();
    module.finalize().unwrap();
    assert!(module.get_kernel("k").is_none());
    assert!(!native_cpu_info().supports_deferred_compilation());
    assert!(module.create_binary().unwrap().starts_with(b"\x7fELF"));
}

/// This target has no instructions of its own for mathematics: bit operations do it, of single
/// numbers and of vectors.
#[test]
fn mathematics_in_bit_operations_is_exact() {
    let kernel =
        "float __mux_exponent_f(float); float __mux_mantissa_f(float); float __mux_scale_f(float, float);
        kernel void parts(global const float *x, global const float *n, global float *out) {
            size_t i = get_global_id(0);
            float m = __mux_mantissa_f(x[i]);
            out[3 * i] = __mux_exponent_f(x[i]);
            out[3 * i + 1] = m;
            out[3 * i + 2] = __mux_scale_f(m, n[i]);
        }";
    let program = r#"
        #include <lanewise_native_cpu.h>
        #include <math.h>
        #include <stdio.h>
        #include <string.h>
        enum { N = 8192 };
        static float x[N], n[N], out[3 * N];
        void parts(void *const args[], lanewise_native_cpu_state *state);
        static int same(float a, float b) { return isnan(a) ? isnan(b) : a == b; }
        int main(void) {
          size_t global[3] = {N, 1, 1}, local[3] = {100, 1, 1}, wrong = 0;
          unsigned special[] = {0, 1, 3, 0x7fffff, 0x800000, 0x3f3fffff, 0x3f400000, 0x3fbfffff, 0x3fc00000,
                                0x7f7fffff, 0x7f800000, 0x7fc00000};
          for (unsigned i = 0; i < N; i++) {
            unsigned bits = i < 12 ? special[i] : i < 24 ? special[i - 12] | 0x80000000u : i * 0x9e3779b9u;
            memcpy(&x[i], &bits, 4);
            n[i] = (float)((int)(i * 37 % 481) - 240);
          }
          void *args[] = {x, n, out};
          lanewise_native_cpu_run(parts, args, 1, global, local, 0);
          for (int i = 0; i < N; i++) {
            int e = 0;
            float m = frexpf(x[i], &e), exponent = logbf(x[i]);
            if (m < 0.75f) m *= 2;
            if (x[i] == 0 || x[i] == INFINITY) m = 1;
            if (x[i] < 0) m = NAN;
            int right = same(exponent, out[3 * i]) && same(m, out[3 * i + 1])
                     && same(scalbnf(m, (int)n[i]), out[3 * i + 2]);
            if (!right && wrong++ < 5)
              printf("%a 2^%g: %a %a %a\n", x[i], n[i], out[3 * i], out[3 * i + 1], out[3 * i + 2]);
          }
          printf("%zu wrong\n", wrong);
          return 0;
        }"#;
    for options in ["", "-cl-wfv=never"] {
        let (_, object) = lowered(&Source::OpenClC(kernel), options);
        assert_eq!(run(&format!("math{}", options.len()), &object, program), "0 wrong\n");
    }
}

/// Objects print by C's library: flags, widths, vectors, lengths, strings, and arguments that do
/// not fit their conversions.
#[test]
fn printf_prints_by_the_c_library() {
    let kernel = r#"kernel void print(int n, float x, global int *results) {
        int4 v = (int4)(1, -2, 3, n);
        results[0] = printf("%d %5.2f|%-6x|%+d %%\n", n, x, 0xabc, n);
        results[1] = printf("%v4d %v4hlx %#v2hhx\n", v, (uint4)(1, 2, 3, 254), (uchar2)(7, 255));
        results[2] = printf("%s %c %hd %ld %u\n", "text", 'c', (short)-3, -5000000000L, 4000000000u);
        results[3] = printf("%v2f %g %e %a\n", (float2)(0.5f, x), 1e10, 2.5, 1.0f);
        results[4] = printf("%d %y\n", n);
    }"#;
    let program = r#"
        #include <lanewise_native_cpu.h>
        #include <stdio.h>
        void print(void *const args[], lanewise_native_cpu_state *state);
        int main(void) {
          int n = 42, results[5] = {9, 9, 9, 9, 9};
          float x = 1.75f;
          size_t one[3] = {1, 1, 1};
          void *args[] = {&n, &x, results};
          lanewise_native_cpu_run(print, args, 1, one, one, 0);
          for (int i = 0; i < 5; i++) printf("%d ", results[i]);
          return 0;
        }"#;
    let expected = "42  1.75|abc   |+42 %\n1,-2,3,42 1,2,3,fe 0x7,0xff\ntext c -3 -5000000000 4000000000\n\
                    0.500000,1.750000 1e+10 2.500000e+00 0x1p+0\n42 %y\n0 0 0 0 -1 ";
    for options in ["", "-cl-opt-disable", "-cl-wfv=never"] {
        let (_, object) = lowered(&Source::OpenClC(kernel), options);
        assert_eq!(run(&format!("print{}", options.len()), &object, program), expected);
    }
}

/// A CPU without instructions for halves: the object has conversions of its own, which are exact.
#[test]
fn objects_bring_conversions_of_half() {
    let kernel = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable
        #pragma OPENCL FP_CONTRACT OFF
        kernel void convert(global const ushort *h, global const float *f, global const double *d,
                            global float *from, global ushort *to, global ushort *to2, global ushort *sum) {
            size_t i = get_global_id(0);
            half x = as_half(h[i]);
            from[i] = x;
            to[i] = as_ushort((half)f[i]);
            to2[i] = as_ushort((half)d[i]);
            sum[i] = as_ushort(x * (half)1.5f + (half)f[i]);
        }";
    let program = r#"
        #include <lanewise_native_cpu.h>
        #include <stdio.h>
        #include <string.h>
        enum { N = 1 << 17 };
        static unsigned short h[N], to[N], to2[N], sum[N];
        static float f[N], from[N];
        static double d[N];
        void convert(void *const args[], lanewise_native_cpu_state *state);
        static int differ(_Float16 expected, unsigned short bits) {
          unsigned short own;
          memcpy(&own, &expected, 2);
          int nan = (own & 0x7fff) > 0x7c00;
          return nan ? (bits & 0x7fff) <= 0x7c00 || (own ^ bits) & 0x8000 : own != bits;
        }
        int main(void) {
          size_t global[3] = {N, 1, 1}, local[3] = {100, 1, 1};
          int wrong[4] = {0};
          for (unsigned i = 0; i < N; i++) {
            unsigned random = i * 0x9e3779b9u;
            /* Around the range of halves, with ties: 13 bits are dropped. */
            unsigned near = (random & 0x87ffffff) + 0x33000000;
            unsigned bits = i & 1 ? random : near - (i % 3 ? (random & 0xfff) : 0);
            unsigned long long wide = ((0x3e5ull + i % 50) << 52) | (unsigned long long)random << 63 |
                                      (unsigned long long)random << 40 >> 12 | (i % 5 == 0 ? 1ull : 0);
            h[i] = (unsigned short)i;
            memcpy(&f[i], &bits, 4);
            memcpy(&d[i], &wide, 8);
          }
          void *args[] = {h, f, d, from, to, to2, sum};
          lanewise_native_cpu_run(convert, args, 1, global, local, 0);
          for (int i = 0; i < N; i++) {
            _Float16 x, y = (_Float16)f[i];
            memcpy(&x, &h[i], 2);
            float back = x;
            wrong[0] += back == back ? memcmp(&back, &from[i], 4) != 0 : from[i] == from[i];
            wrong[1] += differ(y, to[i]);
            wrong[2] += differ((_Float16)d[i], to2[i]);
            _Float16 product = (_Float16)((float)x * 1.5f), all = (_Float16)((float)product + (float)y);
            wrong[3] += all == all ? differ(all, sum[i]) : (sum[i] & 0x7fff) <= 0x7c00;
          }
          printf("%d %d %d %d", wrong[0], wrong[1], wrong[2], wrong[3]);
          return 0;
        }"#;
    let machine = Machine::named(Some("x86_64-linux-gnu"), Some("nehalem"), None).unwrap();
    let compiler = native_cpu_info().for_machine(&machine).unwrap();
    for options in ["", "-cl-wfv=always", "-cl-wfv=never", "-cl-opt-disable"] {
        let module = compiler.target(None).unwrap().create_module().unwrap();
        let (ir, object) = lowered_by(module, &Source::OpenClC(kernel), &format!("-cl-std=CL3.0 {options}"));
        assert!(!ir.contains("fpext half") && !ir.contains("to half"), "{ir}");
        assert_eq!(run(&format!("half{}", options.len()), &object, program), "0 0 0 0", "{options}");
    }
}

/// Objects for such CPUs call no conversions of a compiler's library: not for what LLVM makes of
/// operations on signs, for what groups do, for arguments of `printf`, nor for functions' results.
#[test]
fn objects_need_no_conversions_of_half() {
    let kernel = r#"
        #pragma OPENCL EXTENSION cl_khr_fp16 : enable
        typedef struct { uchar c; half h[3]; } values;
        __attribute__((noinline)) values made(uint x) {
            half h = (half)(int)(x % 9u);
            values v = {x, {h, -h, fabs(h) + (half)1}};
            return v;
        }
        kernel void uses(global uint *p) {
            size_t i = get_global_id(0);
            values v = made(p[i]);
            half x = as_half((ushort)p[i]), size = p[i] & 1u ? copysign(fabs(x), v.h[p[i] % 3]) : -x;
            half all = work_group_reduce_add(size) + work_group_scan_exclusive_max(x);
            p[i] = as_ushort(all) + v.c;
            if (p[i] & 1u) printf("%f %v2hf", x, (half2)(all, size));
        }"#;
    for (triple, features) in [
        ("riscv64-linux-gnu", "+m,+a,+f,+d,+c"),
        ("riscv64-linux-gnu", "+m,+a,+f,+d,+c,+v"),
        ("x86_64-linux-gnu", "-f16c"),
    ] {
        let machine = Machine::named(Some(triple), None, Some(features)).unwrap();
        let compiler = native_cpu_info().for_machine(&machine).unwrap();
        for options in ["-cl-wfv=always", "-cl-wfv=never", "-cl-opt-disable"] {
            let module = compiler.target(None).unwrap().create_module().unwrap();
            let options = format!("-cl-std=CL3.0 -w {options}");
            let (_, object) = lowered_by(module, &Source::OpenClC(kernel), &options);
            let symbols = ["hfsf2", "hfdf2", "sfhf2", "dfhf2"];
            let called = symbols.into_iter().find(|name| object.windows(5).any(|at| at == name.as_bytes()));
            assert_eq!(called, None, "{triple} {features} {options}");
        }
    }
}

/// LLVM has code generators and systems that objects are not made for.
#[test]
fn other_machines_are_refused() {
    for (triple, why) in [
        ("riscv32-linux-gnu", "no target for 'riscv32'"),
        ("i686-linux-gnu", "no target for 'i686'"),
        ("aarch64_be-linux-gnu", "no target for 'aarch64_be'"),
        ("aarch64-apple-darwin", "objects are ELF"),
        ("x86_64-pc-windows-msvc", "objects are ELF"),
    ] {
        let machine = Machine::named(Some(triple), None, None).unwrap();
        let error = native_cpu_info().for_machine(&machine).err().expect("it is refused").to_string();
        assert!(error.contains(why), "{triple}: {error}");
    }
}

/// LLVM has no code for scalable vectors of any number of lanes.
#[test]
fn widths_without_code_are_refused() {
    for (triple, features, widths) in [
        ("aarch64-linux-gnu", "+sve", ["2", "3", "64", "nxv2", "nxv4", "nxv64"]),
        ("riscv64-linux-gnu", "+m,+a,+f,+d,+c,+v", ["2", "3", "64", "nxv1", "nxv8", "nxv64"]),
    ] {
        let machine = Machine::named(Some(triple), None, Some(features)).unwrap();
        let compiler = native_cpu_info().for_machine(&machine).unwrap();
        let parse = |width: &str| compiler.parse_options(&format!("--lanes {width}"));
        widths.into_iter().for_each(|width| assert!(parse(width).is_ok(), "{triple} {width}"));
        let mut wrong = vec!["0", "1", "65", "nxv0", "nxv3", "nxv6", "nxv65", "x"];
        wrong.extend((features == "+sve").then_some("nxv1"));
        for width in wrong {
            let message = parse(width).unwrap_err().to_string();
            assert!(message.contains("a power of two from nxv") && message.contains(width), "{message}");
        }
    }
}

/// Machines have names that LLVM knows, or an error that says which name it does not.
#[test]
fn machines_are_named() {
    let refused = |triple, cpu, features| Machine::named(triple, cpu, features).unwrap_err().to_string();
    assert!(refused(Some("vax-linux"), None, None).contains("no code generator for the triple 'vax-linux'"));
    assert!(refused(Some("riscv64-linux-gnu"), Some("z80"), None).contains("has no CPU 'z80'"));
    assert!(refused(Some("aarch64-linux-gnu"), None, Some("+sve,+zve")).contains("no feature 'zve'"));
    assert!(refused(None, None, Some("avx2")).contains("'avx2' has no + or -"));
    assert_eq!(Machine::named(None, None, None).unwrap(), Machine::this());
    let generic = Machine::named(Some("riscv64-linux-gnu"), None, Some("+v")).unwrap();
    assert_eq!((generic.cpu.as_str(), generic.features.as_str()), ("generic-rv64", "+m,+a,+f,+d,+c,+v"));
}
