//! The library behind a real loader, in processes of their own: C programs, as anybody would write
//! them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Past the test harness, which hides what tests that pass print.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// The driver that cargo built with this test.
fn driver() -> Option<PathBuf> {
    let exe = std::env::current_exe().ok()?;
    // target/<profile>/deps/loader-…
    let dir = exe.parent()?;
    let names = [dir.join("liblanewise_opencl.so"), dir.parent()?.join("liblanewise_opencl.so")];
    names.into_iter().find(|path| path.exists())
}

/// Compiles a C program and runs it with the driver; `None`, with a word on why, where that is not
/// possible.
fn run(name: &str, source: &str) -> Option<(bool, String)> {
    let skip = |why: &str| {
        say(&format!("SKIPPED {name}: {why}"));
        None
    };
    let Some(driver) = driver() else { return skip("liblanewise_opencl.so was not built") };
    let loaders = ["/usr/lib/x86_64-linux-gnu/libOpenCL.so.1", "/usr/lib/aarch64-linux-gnu/libOpenCL.so.1"];
    let Some(loader) = loaders.iter().find(|path| Path::new(path).exists()) else {
        return skip("there is no libOpenCL.so.1 (Debian: ocl-icd-libopencl1)");
    };
    let dir = std::env::temp_dir().join(format!("lanewise-loader-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let (file, program) = (dir.join("test.c"), dir.join("test"));
    std::fs::write(&file, source).unwrap();
    let compiler =
        Command::new("cc").arg("-o").arg(&program).arg(&file).args([loader, "-ldl", "-lpthread"]).output();
    match compiler {
        Err(_) => return skip("there is no C compiler"),
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
    }
    let output = Command::new("timeout")
        .arg("60")
        .arg(&program)
        .env("OCL_ICD_VENDORS", &driver)
        .env("LANEWISE_CACHE", "0")
        .output()
        .unwrap();
    let _ = std::fs::remove_dir_all(&dir);
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    Some((output.status.success(), text))
}

/// Declarations, so that no headers are needed, and a context with a queue.
const PRELUDE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
typedef void *H;
int clGetPlatformIDs(unsigned, H *, unsigned *);
int clGetPlatformInfo(H, unsigned, size_t, void *, size_t *);
int clGetDeviceIDs(H, unsigned long, unsigned, H *, unsigned *);
H clCreateContext(const long *, unsigned, const H *, void *, void *, int *);
H clCreateCommandQueueWithProperties(H, H, const unsigned long *, int *);
H clCreateProgramWithSource(H, unsigned, const char **, const size_t *, int *);
int clBuildProgram(H, unsigned, const H *, const char *, void *, void *);
H clCreateKernel(H, const char *, int *);
H clCreateBuffer(H, unsigned long, size_t, void *, int *);
int clSetKernelArg(H, unsigned, size_t, const void *);
int clEnqueueNDRangeKernel(H, H, unsigned, const size_t *, const size_t *, const size_t *,
                           unsigned, const H *, H *);
int clEnqueueReadBuffer(H, H, unsigned, size_t, size_t, void *, unsigned, const H *, H *);
int clReleaseMemObject(H);
int clReleaseKernel(H);
int clReleaseProgram(H);
int clReleaseCommandQueue(H);
int clFlush(H);
int clFinish(H);
#define CHECK(x) do { if (!(x)) { printf("line %d: %s\n", __LINE__, #x); \
    fflush(stdout); _exit(1); } } while (0)
H platform, device, context, queue;
int e;
static void begin(void) {
    CHECK(clGetPlatformIDs(1, &platform, 0) == 0);
    char name[64];
    CHECK(clGetPlatformInfo(platform, 0x902, sizeof name, name, 0) == 0 && !strcmp(name, "Lanewise"));
    CHECK(clGetDeviceIDs(platform, 0xffffffff, 1, &device, 0) == 0);
    context = clCreateContext(0, 1, &device, 0, 0, &e); CHECK(!e);
    queue = clCreateCommandQueueWithProperties(context, device, 0, &e); CHECK(!e);
}
static H kernel(const char *source, const char *name) {
    H program = clCreateProgramWithSource(context, 1, &source, 0, &e); CHECK(!e);
    CHECK(clBuildProgram(program, 0, 0, "", 0, 0) == 0);
    H k = clCreateKernel(program, name, &e); CHECK(!e);
    return k;
}
"#;

fn passes(name: &str, body: &str) {
    if let Some((success, output)) = run(name, &format!("{PRELUDE}{body}")) {
        assert!(success, "{output}");
    }
}

#[test]
fn a_kernel_runs_and_stale_handles_are_refused() {
    passes(
        "kernel",
        r#"int main(void) {
            begin();
            H k = kernel("kernel void f(global int *a) { a[get_global_id(0)] *= 3; }", "f");
            int data[100], out[100];
            for (int i = 0; i < 100; i++) data[i] = i;
            H m = clCreateBuffer(context, 1 << 5, sizeof data, data, &e); CHECK(!e);
            CHECK(clSetKernelArg(k, 0, sizeof m, &m) == 0);
            size_t n = 100;
            CHECK(clEnqueueNDRangeKernel(queue, k, 1, 0, &n, 0, 0, 0, 0) == 0);
            CHECK(clEnqueueReadBuffer(queue, m, 1, 0, sizeof out, out, 0, 0, 0) == 0);
            for (int i = 0; i < 100; i++) CHECK(out[i] == 3 * i);
            CHECK(clReleaseMemObject(m) == 0);
            CHECK(clReleaseMemObject(m) == -38);
            CHECK(clReleaseMemObject(k) == -38);
            return 0;
        }"#,
    );
}

#[test]
fn the_process_ends_while_a_kernel_runs() {
    passes(
        "exit",
        r#"int main(void) {
            begin();
            H k = kernel("kernel void f(global volatile int *a) { while (a[0] == 0) a[1] += 1; }", "f");
            H m = clCreateBuffer(context, 1, 64, 0, &e); CHECK(!e);
            CHECK(clSetKernelArg(k, 0, sizeof m, &m) == 0);
            size_t n = 64;
            CHECK(clEnqueueNDRangeKernel(queue, k, 1, 0, &n, 0, 0, 0, 0) == 0);
            CHECK(clFlush(queue) == 0);
            usleep(50000);
            return 0;
        }"#,
    );
}

#[test]
fn the_process_ends_while_programs_are_built() {
    passes(
        "exit-in-build",
        r#"
        #include <pthread.h>
        static void *builds(void *unused) {
            for (;;) {
                const char *source = "kernel void f(global float *a) { a[0] = a[1] / a[2]; }";
                H program = clCreateProgramWithSource(context, 1, &source, 0, &e);
                clBuildProgram(program, 0, 0, "", 0, 0);
            }
            return unused;
        }
        int main(void) {
            begin();
            pthread_t threads[3];
            for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, builds, 0);
            usleep(100000);
            return 0;
        }"#,
    );
}

#[test]
fn the_process_ends_while_kernels_are_compiled() {
    passes(
        "exit-in-launch",
        r#"
        #include <pthread.h>
        static void *launches(void *which) {
            H k = kernel("kernel void f(global float *a, local float *l) {"
                         "  l[get_local_id(0)] = exp(a[get_global_id(0)]); barrier(CLK_LOCAL_MEM_FENCE);"
                         "  a[get_global_id(0)] = sin(l[get_local_size(0) - 1 - get_local_id(0)]); }", "f");
            H m = clCreateBuffer(context, 1, 4096 * 4, 0, &e);
            clSetKernelArg(k, 0, sizeof m, &m);
            clSetKernelArg(k, 1, 4096 * 4, 0);
            for (size_t n = 1 + (size_t)which; ; n = n % 4000 + 3)
                clEnqueueNDRangeKernel(queue, k, 1, 0, &n, &n, 0, 0, 0);
            return 0;
        }
        int main(void) {
            begin();
            pthread_t threads[3];
            for (size_t i = 0; i < 3; i++) pthread_create(&threads[i], 0, launches, (void *)i);
            usleep(150000);
            return 0;
        }"#,
    );
}

#[test]
fn a_forked_child_goes_on() {
    passes(
        "fork",
        r#"int main(void) {
            begin();
            H k = kernel("kernel void f(global int *a) { a[get_global_id(0)] = 7; }", "f");
            H m = clCreateBuffer(context, 1, 4 << 16, 0, &e); CHECK(!e);
            CHECK(clSetKernelArg(k, 0, sizeof m, &m) == 0);
            size_t n = 1 << 16;
            CHECK(clEnqueueNDRangeKernel(queue, k, 1, 0, &n, 0, 0, 0, 0) == 0);
            CHECK(clFinish(queue) == 0);
            for (int i = 0; i < 5; i++) {
                CHECK(clEnqueueNDRangeKernel(queue, k, 1, 0, &n, 0, 0, 0, 0) == 0);
                CHECK(clFlush(queue) == 0);
                pid_t child = fork();
                if (child == 0) {
                    int out[4] = {0};
                    CHECK(clEnqueueNDRangeKernel(queue, k, 1, 0, &n, 0, 0, 0, 0) == 0);
                    CHECK(clEnqueueReadBuffer(queue, m, 1, 0, sizeof out, out, 0, 0, 0) == 0);
                    CHECK(out[3] == 7);
                    exit(0);
                }
                int status;
                CHECK(waitpid(child, &status, 0) == child && status == 0);
                CHECK(clFinish(queue) == 0);
            }
            return 0;
        }"#,
    );
}

#[test]
fn children_are_forked_while_other_threads_work() {
    passes(
        "fork-in-work",
        r#"
        #include <pthread.h>
        #include <signal.h>
        static void work(int which, int times) {
            H q = clCreateCommandQueueWithProperties(context, device, 0, &e); CHECK(q);
            for (int i = 0; i < times; i++) {
                char source[200];
                snprintf(source, sizeof source,
                         "kernel void f(global int *a) { a[get_global_id(0)] = %d; }", which * 1000 + i % 7);
                const char *text = source;
                int code;
                H p = clCreateProgramWithSource(context, 1, &text, 0, &code); CHECK(!code);
                CHECK(clBuildProgram(p, 0, 0, "", 0, 0) == 0);
                H k = clCreateKernel(p, "f", &code); CHECK(!code);
                H m = clCreateBuffer(context, 1, 4 << 14, 0, &code); CHECK(!code);
                CHECK(clSetKernelArg(k, 0, sizeof m, &m) == 0);
                size_t n = 1 << 14;
                for (int j = 0; j < 20; j++) {
                    int out[3] = {0};
                    CHECK(clEnqueueNDRangeKernel(q, k, 1, 0, &n, 0, 0, 0, 0) == 0);
                    if (j & 1) CHECK(clFlush(q) == 0);
                    CHECK(clEnqueueReadBuffer(q, m, 1, 4 * (n - 3), sizeof out, out, 0, 0, 0) == 0);
                    CHECK(out[0] == which * 1000 + i % 7 && out[2] == out[0]);
                }
                CHECK(clReleaseMemObject(m) == 0 && clReleaseKernel(k) == 0 && clReleaseProgram(p) == 0);
            }
            CHECK(clReleaseCommandQueue(q) == 0);
        }
        static volatile int over;
        static void *works(void *which) {
            while (!over) work((int)(size_t)which, 1);
            return 0;
        }
        int main(void) {
            begin();
            pthread_t threads[4];
            for (size_t i = 0; i < 4; i++) pthread_create(&threads[i], 0, works, (void *)(i + 1));
            for (int i = 0; i < 40; i++) {
                usleep(5000 + i * 131 % 5000);
                pid_t child = fork();
                CHECK(child >= 0);
                if (child == 0) {
                    alarm(30);
                    if (i % 3) work(10 + i, 1);
                    if (i % 3 == 2) _exit(0);
                    exit(0);
                }
                int status;
                CHECK(waitpid(child, &status, 0) == child);
                if (status) printf("child %d: %x\n", i, status);
                CHECK(status == 0);
            }
            over = 1;
            for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
            return 0;
        }"#,
    );
}

#[test]
fn the_library_is_loaded_and_unloaded() {
    passes(
        "dlclose",
        r#"
        #include <dlfcn.h>
        int main(void) {
            const char *path = getenv("OCL_ICD_VENDORS");
            for (int i = 0; i < 3; i++) {
                void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
                CHECK(lib);
                int (*ids)(unsigned, H *, unsigned *) = dlsym(lib, "clIcdGetPlatformIDsKHR");
                CHECK(ids && dlsym(lib, "clGetExtensionFunctionAddress"));
                H p = 0;
                CHECK(ids(1, &p, 0) == 0 && p);
                CHECK(dlclose(lib) == 0);
                begin();
                H k = kernel("kernel void f(global int *a) { a[0] = 1; }", "f");
                (void)k;
            }
            return 0;
        }"#,
    );
}

#[test]
fn clinfo_has_no_error_to_report() {
    let Some(driver) = driver() else {
        say("SKIPPED clinfo: liblanewise_opencl.so was not built");
        return;
    };
    let Ok(output) =
        Command::new("clinfo").env("OCL_ICD_VENDORS", driver).env("LANEWISE_CACHE", "0").output()
    else {
        say("SKIPPED clinfo: the program is not installed (Debian: clinfo)");
        return;
    };
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("Lanewise"), "{text}");
    let bad: Vec<_> =
        text.lines().filter(|l| l.contains("rror") && !l.contains("Error Correction")).collect();
    assert!(bad.is_empty(), "{bad:#?}");
}
