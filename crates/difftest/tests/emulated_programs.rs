//! C programs of several Native CPU objects, on every platform: kernels that objects share, names
//! that differ by a suffix, `printf`, specialization constants, and the options for vectors.

use compiler::{Module, Output, Profile, SpecializationInfo, SpirvDeviceInfo};
use lanewise_difftest::emulation::{PLATFORMS, Platform, VECTOR_BITS, compiler};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A kernel that two objects have, with a function that each has for itself, and one of its own.
fn shared(own: &str) -> String {
    format!(
        "$shared = comdat any
        declare i64 @__mux_get_local_id(i32)
        declare void @__mux_work_group_barrier(i32, i32, i32)
        define weak_odr spir_func i32 @helper(i32 %x) noinline optnone {{
          %y = add i32 %x, 5
          ret i32 %y
        }}
        define weak_odr spir_kernel void @shared(ptr addrspace(1) %p) comdat {{
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
}

const SOURCE: &str = r#"
    kernel void k(global int *p) { p[get_global_id(0)] += 100; }
    kernel void k_1(global int *p) { p[get_global_id(0)] += 1000; }
    kernel void k_scratch(global int *p) { p[get_global_id(0)] += 10000; }
    kernel void print(global int *p) {
      if (get_global_id(0) == 3) printf("%d %v2d %s %.2f|", p[3], (int2)(p[4], -1), "text", 1.5f);
    }"#;

const SPECIALIZED: &str = "\
OpCapability Addresses
OpCapability Kernel
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k \"constant\"
OpDecorate %n SpecId 3
%void = OpTypeVoid
%int = OpTypeInt 32 0
%ptr = OpTypePointer CrossWorkgroup %int
%fn = OpTypeFunction %void %ptr
%n = OpSpecConstant %int 7
%k = OpFunction %void None %fn
%p = OpFunctionParameter %ptr
%entry = OpLabel
OpStore %p %n Aligned 4
OpReturn
OpFunctionEnd
";

const PROGRAM: &str = r#"
    #include <lanewise_native_cpu.h>
    #include <stdio.h>
    #define KERNEL(name) void name(void *const args[], lanewise_native_cpu_state *state);
    KERNEL(shared) KERNEL(one) KERNEL(two) KERNEL(k) KERNEL(k_1) KERNEL(k_scratch)
    KERNEL(print) KERNEL(constant)
    size_t shared_scratch_bytes(size_t work_items);
    static _Alignas(128) char scratch[65536];
    int main(int argc, char **argv) {
      static int out[8];
      size_t bits = argc > 1 ? strtoul(argv[1], 0, 10) : 0;
      if (bits && vector_bits() != bits) return 2;
      size_t all[3] = {8, 1, 1}, single[3] = {1, 1, 1};
      void *args[] = {out};
      if (shared_scratch_bytes(8) > sizeof scratch) return 1;
      lanewise_native_cpu_run(shared, args, 1, all, all, scratch);
      lanewise_native_cpu_run(one, args, 1, single, single, scratch);
      lanewise_native_cpu_run(two, args, 1, single, single, scratch);
      lanewise_native_cpu_run(k, args, 1, all, all, scratch);
      lanewise_native_cpu_run(k_1, args, 1, all, all, scratch);
      lanewise_native_cpu_run(k_scratch, args, 1, all, all, scratch);
      lanewise_native_cpu_run(print, args, 1, all, all, scratch);
      for (int i = 0; i < 3; i++) printf("%d ", out[i]);
      lanewise_native_cpu_run(constant, args, 1, single, single, scratch);
      printf("%d", out[0]);
      return 0;
    }"#;

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn module(platform: &Platform, options: &str, build: impl FnOnce(&mut Module)) -> Module {
    let target = compiler(platform).unwrap().target(None).unwrap();
    let mut module = target.create_module().unwrap();
    module.set_options(options).unwrap();
    build(&mut module);
    module.finalize().unwrap_or_else(|e| panic!("{}: {e}", platform.name));
    module
}

/// The objects of the program, with one set of options.
fn modules(platform: &Platform, options: &str) -> Vec<Module> {
    let ir =
        |own: &str| module(platform, options, |m| m.load_ir("shared.ll", shared(own).as_bytes()).unwrap());
    let source = |m: &mut Module| m.compile_opencl_c(Profile::Full, "source.cl", SOURCE, &[]).unwrap();
    let words = spirv::assemble(SPECIALIZED).unwrap();
    let values = [(3, 41u32.to_le_bytes().to_vec())].into_iter().collect();
    let constants = SpecializationInfo { values };
    let spirv = |m: &mut Module| {
        m.compile_spirv(&words, &SpirvDeviceInfo::default(), Some(&constants)).unwrap();
    };
    vec![ir("one"), ir("two"), module(platform, options, source), module(platform, options, spirv)]
}

fn done(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {error}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Whether the code that scalar kernels have for a program is what the options ask for.
fn check_options(platform: &Platform, options: &str, source: &Module) {
    let width = source.lower(Some("k")).unwrap().work_width("k");
    let remarks = source.remarks(Some("k"), None).unwrap();
    let says = |text: &str| remarks.iter().any(|remark| remark.text.contains(text));
    let name = platform.name;
    if options.contains("always") {
        assert!(width.lanes > 1 && says("vectorized, "), "{name} {options}: {width} {remarks:?}");
        assert_eq!(width.scalable, platform.vscale_bits > 0, "{name} {options}: {width}");
    } else {
        assert!(width.lanes == 1 && says("left scalar"), "{name} {options}: {width} {remarks:?}");
    }
}

fn programs(platform: &'static Platform) {
    if !platform.runs_here() {
        println!("{}: this CPU does not run it", platform.name);
        return;
    }
    for (n, options) in ["-cl-wfv=always", "-cl-wfv=never -cl-vec=all"].into_iter().enumerate() {
        let options = format!("-cl-std=CL3.0 {options}");
        let name = format!("lanewise-programs-{}-{}-{n}", std::process::id(), platform.name);
        let folder = Folder(std::env::temp_dir().join(name));
        std::fs::create_dir_all(&folder.0).unwrap();
        let at = |name: &str| folder.0.join(name);
        let modules = modules(platform, &options);
        check_options(platform, &options, &modules[2]);
        let mut objects = Vec::new();
        for (i, module) in modules.iter().enumerate() {
            let path = at(&format!("{i}.o"));
            std::fs::write(&path, module.lower(None).unwrap().generate(Output::Object).unwrap()).unwrap();
            objects.push(path);
        }
        std::fs::write(at("main.c"), format!("{VECTOR_BITS}{PROGRAM}")).unwrap();
        let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../native_cpu/include");
        let mut cc = Command::new(platform.cc[0]);
        cc.args(&platform.cc[1..]).args(["-std=c11", "-Wall", "-Werror", "-static", "-I"]).arg(include);
        done(cc.arg(at("main.c")).args(objects).args(["-lm", "-o"]).arg(at("main")));
        for on in platform.runs {
            let printed = match platform.emulator {
                None => done(&mut Command::new(at("main"))),
                Some(emulator) => {
                    let mut command = Command::new(emulator);
                    done(command.args(["-cpu", on.cpu]).arg(at("main")).arg(on.bits.to_string()))
                }
            };
            let name = format!("{} {} {options}", platform.name, on.bits);
            assert_eq!(printed, "11105 11105,-1 text 1.50|11115 11105 11105 41", "{name}");
        }
    }
}

#[test]
fn on_aarch64() {
    PLATFORMS.iter().filter(|platform| platform.triple.starts_with("aarch64")).for_each(programs);
}

#[test]
fn on_risc_v() {
    PLATFORMS.iter().filter(|platform| platform.triple.starts_with("riscv64")).for_each(programs);
}

#[test]
fn on_x86_64() {
    PLATFORMS.iter().filter(|platform| platform.triple.starts_with("x86_64")).for_each(programs);
}
