//! Kernels of the target, run by a plain driver: a C program with a thread for each work-item.

use compiler::{Context, Profile};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// The object of a program, through nothing but the compiler's interface. Its seal follows the ELF
/// file: linkers do not see it.
fn object(source: &str, options: &str) -> Vec<u8> {
    binary(source, options).unwrap_or_else(|e| panic!("{e}"))
}

fn binary(source: &str, options: &str) -> compiler::Result<Vec<u8>> {
    let target = lanewise_threads::threads_info().create_target(Arc::new(Context::new()), None).unwrap();
    target.init_with_builtins(compiler::BUILTIN_LIBRARY).unwrap();
    let mut module = target.create_module().unwrap();
    module.set_options(options).unwrap();
    module.compile_opencl_c(Profile::Full, "t.cl", source, &[]).unwrap_or_else(|e| panic!("{e}"));
    module.finalize().map_err(|_| compiler::Error::FinalizeProgramFailure(module.build_log().to_owned()))?;
    assert!(module.get_kernel("k").is_none(), "the target compiles ahead of time only");
    module.create_binary()
}

/// Links the object with the driver and a program, and gives what that prints.
fn run(name: &str, object: &[u8], program: &str) -> String {
    let dir = std::env::temp_dir().join(format!("lanewise-threads-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let at = |file: &str| dir.join(file);
    std::fs::write(at("kernel.o"), object).unwrap();
    std::fs::write(at("main.c"), format!("#include \"driver.h\"\n{program}")).unwrap();
    let cc = Command::new("cc")
        .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-pthread", "-I"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"))
        .args([at("main.c"), at("kernel.o")])
        .args(["-lm", "-o"])
        .arg(at("main"))
        .output()
        .expect("there is a C compiler");
    assert!(cc.status.success(), "{}", String::from_utf8_lossy(&cc.stderr));
    let out = Command::new(at("main")).output().unwrap();
    std::fs::remove_dir_all(&dir).unwrap();
    assert!(out.status.success(), "{}", out.status);
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// A work-item is a thread, without WorkItemLoops.
#[test]
fn work_items_are_threads() {
    let source = "kernel void k(global int *out, int n, local int *given) {
        local int own[64];
        size_t l = get_local_linear_id(), items = get_local_size(0) * get_local_size(1);
        own[l] = l + n;
        given[l] = 2 * l;
        barrier(CLK_LOCAL_MEM_FENCE);
        int next = own[(l + 1) % items] + given[items - 1 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        size_t g = get_global_id(1) * get_global_size(0) + get_global_id(0);
        out[g] = next + 1000 * get_group_id(0) + 10000 * get_sub_group_size();
    }";
    let program = r#"
        void k(void *args, thread_info *info);
        int main(void) {
          static int out[9 * 4];
          struct { int *out; int n; size_t given; } args = {out, 5, 64 * sizeof(int)};
          size_t global[3] = {9, 4, 1}, local[3] = {4, 2, 1}, wrong = 0;
          run_range(k, &args, 2, global, local);
          for (size_t y = 0; y < 4; y++)
            for (size_t x = 0; x < 9; x++) {
              size_t left = 9 - x / 4 * 4, sx = left < 4 ? left : 4, items = sx * 2, l = y % 2 * sx + x % 4;
              size_t want = (l + 1) % items + 5 + 2 * (items - 1 - l) + 1000 * (x / 4) + 10000;
              wrong += (size_t)out[y * 9 + x] != want;
            }
          printf("%zu wrong\n", wrong);
          return 0;
        }"#;
    for options in ["-cl-std=CL3.0", "-cl-std=CL3.0 -cl-opt-disable"] {
        assert_eq!(run(&format!("items{}", options.len()), &object(source, options), program), "0 wrong\n");
    }
}

#[test]
fn threads_work_together() {
    let source = "kernel void k(global const int *in, global int *out) {
        size_t i = get_global_id(0), n = get_global_size(0);
        int v = in[i];
        out[i] = work_group_reduce_add(v) + work_group_any(v == 6);
        out[n + i] = work_group_scan_inclusive_max(v);
        out[2 * n + i] = work_group_scan_exclusive_add(v);
        out[3 * n + i] = work_group_broadcast(v, 2) + sub_group_reduce_add(v);
    }";
    let program = r#"
        void k(void *args, thread_info *info);
        enum { N = 40, G = 8 };
        int main(void) {
          static int in[N], out[4 * N];
          struct { int *in, *out; } args = {in, out};
          size_t global[3] = {N, 1, 1}, local[3] = {G, 1, 1}, wrong = 0;
          for (int i = 0; i < N; i++) in[i] = i * 7 % 11;
          run_range(k, &args, 1, global, local);
          for (int i = 0; i < N; i++) {
            int first = i / G * G, all = 0, any = 0, most = 0, before = 0;
            for (int j = first; j < first + G; j++) {
              all += in[j];
              any |= in[j] == 6;
              if (j <= i && in[j] > most) most = in[j];
              if (j < i) before += in[j];
            }
            wrong += out[i] != all + any;
            wrong += out[N + i] != most;
            wrong += out[2 * N + i] != before;
            wrong += out[3 * N + i] != in[first + 2] + in[i];
          }
          printf("%zu wrong\n", wrong);
          return 0;
        }"#;
    assert_eq!(run("together", &object(source, "-cl-std=CL3.0"), program), "0 wrong\n");
}

#[test]
fn sub_groups_have_one_thread_and_none_with_more_is_built() {
    let with = |size: u32| {
        let attribute = format!("__attribute__((intel_reqd_sub_group_size({size})))");
        let source =
            format!("kernel {attribute} void k(global int *a) {{ a[0] = sub_group_reduce_add(1); }}");
        binary(&source, "-cl-std=CL3.0")
    };
    assert!(with(1).is_ok());
    let error = with(8).unwrap_err();
    let expected =
        "kernel 'k' requires sub-groups of 8 (intel_reqd_sub_group_size), and the device has the sizes [1]";
    assert!(error.message().contains(expected), "{error}");
}

#[test]
fn nothing_of_the_host_is_in_the_object() {
    let object = object(
        "kernel void k(global int *a) { barrier(CLK_GLOBAL_MEM_FENCE); a[get_global_id(0)] = 1; }",
        "",
    );
    let has = |text: &str| object.windows(text.len()).any(|w| w == text.as_bytes());
    assert!(has(lanewise_threads::BARRIER));
    assert!(!has("lanewise.notes") && !has("host-entry-hook") && !has("__mux_"));
}
