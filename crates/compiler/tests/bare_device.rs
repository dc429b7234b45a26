//! A device with 32-bit addresses, without `double`, without arithmetic of `half` and without
//! 64-bit atomics: OpenCL C, SPIR-V and IR for it, through `finalize` and the late passes.

mod common;

use common::{bare_info, module};
use lanewise_compiler::pipeline::{
    FixedRegisters, LateStage, Mode, RangeSize, RunVecz, VectorUnit, late_stage,
};
use lanewise_compiler::{BUILTIN_LIBRARY, Error, Module, PassMachinery, Profile, SpirvDeviceInfo, State};

fn bare() -> Module {
    bare_info().with_builtins().create_module().unwrap()
}

fn compile(source: &str, options: &str) -> Result<Module, Error> {
    let mut module = bare();
    module.set_options(options).unwrap();
    module.compile_opencl_c(Profile::Full, "bare.cl", source, &[])?;
    Ok(module)
}

/// The IR of a module, as text.
fn text(module: &Module) -> String {
    llvm::Module::parse_bitcode(&llvm::Context::new(), &module.bitcode()).unwrap().to_string()
}

/// The canonical IR and that after the late passes. Neither has a type that the device lacks.
fn lowered(mut module: Module) -> [String; 2] {
    module.finalize().unwrap_or_else(|e| panic!("{e}"));
    let late = module.lower(None).unwrap_or_else(|e| panic!("{e}")).module.to_string();
    let all = [text(&module), late];
    for text in &all {
        assert!(text.contains("p:32:32"), "{text}");
        for line in text.lines().filter(|l| !l.starts_with('!')) {
            let words = || line.split(|c: char| !c.is_alphanumeric() && c != '_');
            assert!(words().all(|w| w != "double" && w != "half"), "{line}");
        }
    }
    all
}

const IDS: &str = "kernel void k(global uint *out, global const uint *in, local uint *scratch) {
    size_t i = get_global_id(0), l = get_local_id(0);
    scratch[l] = in[i] + (uint)get_global_size(0) + (uint)get_group_id(1);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = scratch[get_local_size(0) - 1 - l] + sizeof(size_t) * 1000 + sizeof(global int *);
}";

#[test]
fn size_t_is_an_i32() {
    for options in ["", "-cl-std=CL3.0", "-cl-opt-disable", "-g"] {
        let [canonical, late] = lowered(compile(IDS, options).unwrap());
        assert!(canonical.contains("i32 @__mux_get_global_id(i32"), "{canonical}");
        // sizeof(size_t) * 1000 and sizeof(global int *), folded or not.
        assert!(canonical.contains("4004") || canonical.contains("4000"), "{canonical}");
        assert!(late.contains("%MuxWorkItemInfo = type { [3 x i32] }"), "{late}");
    }
}

#[test]
fn passes_work_with_a_32_bit_size_type() {
    let source = r#"kernel void k(global int *p, global float *f) {
        local int shared[8];
        event_t e = async_work_group_copy(shared, p, 8, 0);
        wait_group_events(1, &e);
        size_t i = get_global_linear_id();
        int sum = work_group_reduce_add(p[i]) + work_group_broadcast(shared[get_local_id(0)], 2);
        for (int n = 0; n < p[0]; n++) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (get_local_id(0) < p[1]) sum += n;
        }
        sum += work_group_scan_inclusive_max(sum);
        prefetch(f, 4);
        vstore4(vload4(i, f) + (float4)(sum, sum, 1, 2), i, f);
        p[i] = sum + sub_group_reduce_min(p[i]) + atomic_add(p, 2);
        printf("%d %f %p\n", sum, f[0], p);
    }"#;
    for options in ["-cl-std=CL3.0", "-cl-std=CL3.0 -cl-opt-disable"] {
        let [_, late] = lowered(compile(source, options).unwrap());
        assert!(!late.lines().any(|l| l.starts_with("declare") && l.contains("@_Z")), "{late}");
    }
}

#[test]
fn kernels_are_vectorized_with_32_bit_ids() {
    let source = "kernel void k(global float *p, global const float *q, global const int *at, int n) {
        size_t i = get_global_id(0);
        if (i >= n) return;
        float sum = q[i] + q[at[i]] + q[n - i] + vload3(i, q).y;
        for (int j = 0; j < at[i]; j++) sum += q[j * get_global_size(0) + i];
        p[2 * i] = sum;
        barrier(CLK_GLOBAL_MEM_FENCE);
        p[get_local_id(1)] = sum * get_group_id(0);
    }";
    let target = bare_info().with_builtins();
    let mut module = target.clone().create_module().unwrap();
    module.compile_opencl_c(Profile::Full, "bare.cl", source, &[]).unwrap_or_else(|e| panic!("{e}"));
    module.finalize().unwrap_or_else(|e| panic!("{e}"));
    let machinery = PassMachinery::new(target.compiler_info(), module.options()).unwrap();
    for ranges in [RangeSize::Any, RangeSize::Small, RangeSize::Large] {
        let query = FixedRegisters {
            width: Some(lanewise_compiler::Width::fixed(4)),
            unit: VectorUnit::generic(16, 8),
            linear: false,
            whole_vectors: false,
            only_required: false,
            mode: Mode::Always,
        };
        let vectorize = Some(RunVecz { query: query.query(), kernel: None });
        let context = llvm::Context::new();
        let ir = llvm::Module::parse_bitcode(&context, &module.bitcode()).unwrap();
        let pipeline = late_stage(&LateStage { vectorize, ranges, optimize: true, ..LateStage::default() });
        machinery.manager().run(&pipeline, &ir).unwrap_or_else(|e| panic!("{e}"));
        ir.verify().unwrap();
        let text = ir.to_string();
        assert!(text.contains("<4 x float>") && text.contains("p:32:32"), "{text}");
        assert!(!text.contains("double"), "{text}");
    }
}

#[test]
fn the_library_needs_no_type_that_the_device_lacks() {
    let source = "kernel void k(global float4 *p, global half *h, global long *l, global int *n) {
        p[0] = tgamma(p[1]) + lgamma(p[2]) + erfc(p[3]) + sin(p[4]) + pow(p[5], p[6]);
        p[7].x = length(p[8]) + distance(p[9], p[10]);
        p[11] = normalize(p[12]);
        p[13].x = convert_float_rtz(l[0]) + convert_float_rtp(n[0]);
        p[14] = vload_half4(0, h) + vloada_half4(1, h);
        vstore_half4_rtn(p[15], 2, h);
        p[16].x = lgamma_r(p[17].x, n);
        l[1] = mad_sat(l[2], l[3], l[4]);
    }";
    for options in ["", "-cl-fast-relaxed-math", "-cl-std=CL3.0 -cl-opt-disable"] {
        lowered(compile(source, options).unwrap());
    }
}

#[test]
fn the_wrong_library_is_found_out() {
    let target = bare_info().with_library(BUILTIN_LIBRARY);
    let mut module = target.create_module().unwrap();
    let source = "kernel void k(global float *p) {\n  p[0] = erfc(p[1]);\n}";
    module.compile_opencl_c(Profile::Full, "bare.cl", source, &[]).unwrap();
    let error = module.finalize().unwrap_err();
    assert!(
        matches!(&error, Error::FinalizeProgramFailure(e) if e.contains("'k'") && e.contains("double")),
        "{error}"
    );
}

#[test]
fn a_missing_type_is_an_error_at_its_line() {
    for (source, line) in [
        ("kernel void k(global float *p) {\n  p[0] = (double)p[1];\n}\n", "bare.cl:2:11: error:"),
        ("kernel void k(global half *p) {\n\n  p[0] = p[1] * p[2];\n}\n", "bare.cl:3:10: error:"),
    ] {
        let mut module = bare();
        let error = module.compile_opencl_c(Profile::Full, "bare.cl", source, &[]).unwrap_err();
        assert!(matches!(error, Error::CompileProgramFailure(_)), "{error:?}");
        assert!(module.build_log().contains(line), "{}", module.build_log());
        assert!(module.num_errors() > 0 && module.state() == State::Empty);
    }
}

const SPIRV: &str = "OpCapability Addresses\nOpCapability Kernel\nOpMemoryModel Physical32 OpenCL
    OpEntryPoint Kernel %k \"k\" %gid\nOpDecorate %gid BuiltIn GlobalInvocationId
    %void = OpTypeVoid\n%int = OpTypeInt 32 0\n%int3 = OpTypeVector %int 3\n%in = OpTypePointer Input %int3
    %g_int = OpTypePointer CrossWorkgroup %int\n%type = OpTypeFunction %void %g_int
    %gid = OpVariable %in Input
    %k = OpFunction %void None %type\n%p = OpFunctionParameter %g_int\n%entry = OpLabel
    %ids = OpLoad %int3 %gid\n%i = OpCompositeExtract %int %ids 0\n%at = OpInBoundsPtrAccessChain %g_int %p %i
    OpStore %at %i\nOpReturn\nOpFunctionEnd\n";

#[test]
fn spirv_is_held_to_the_device() {
    let device = SpirvDeviceInfo::default();
    let mut m = bare();
    m.compile_spirv(&spirv::assemble(SPIRV).unwrap(), &device, None).unwrap_or_else(|e| panic!("{e}"));
    let [canonical, _] = lowered(m);
    assert!(canonical.contains("i32 @__mux_get_global_id(i32"), "{canonical}");
    let wide = SPIRV.replace("Physical32", "Physical64");
    for (text, say) in [
        (wide.as_str(), "Physical64"),
        (&SPIRV.replace("OpMemory", "OpCapability Float64\nOpMemory"), "Float64"),
        (&SPIRV.replace("OpMemory", "OpCapability Float16\nOpMemory"), "Float16"),
        (&SPIRV.replace("OpMemory", "OpCapability Int64Atomics\nOpMemory"), "Int64Atomics"),
    ] {
        let mut m = bare();
        let error = m.compile_spirv(&spirv::assemble(text).unwrap(), &device, None).unwrap_err();
        assert!(error.message().contains(say) && error.message().contains("SPIR-V word "), "{error}");
        assert!(m.build_log().contains(say) && m.state() == State::Empty);
    }
    let error = module().compile_spirv(&spirv::assemble(SPIRV).unwrap(), &device, None).unwrap_err();
    assert!(error.message().contains("Physical32"), "{error}");
}

#[test]
fn ir_is_held_to_the_device() {
    let load = |ir: &str| {
        let mut m = bare();
        m.load_ir("t.ll", ir.as_bytes()).map(|()| m)
    };
    let refused = |ir: &str, say: &[&str]| {
        let Err(error) = load(ir) else { panic!("not refused: {ir}") };
        assert!(matches!(error, Error::CompileProgramFailure(_)), "{error:?}");
        say.iter().for_each(|part| assert!(error.message().contains(part), "no '{part}' in '{error}'"));
    };
    let kernel = "declare i32 @__mux_get_global_id(i32)
        define spir_kernel void @k(ptr addrspace(1) %p) {
          %i = call i32 @__mux_get_global_id(i32 0)
          %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
          store i32 %i, ptr addrspace(1) %at
          ret void
        }";
    let [canonical, _] = lowered(load(kernel).unwrap());
    assert!(canonical.contains("i32 @__mux_get_global_id(i32"), "{canonical}");

    refused(&format!("target datalayout = \"e-p:64:64\"\n{kernel}"), &["64-bit addresses", "32-bit ones"]);
    refused("@d = addrspace(1) global [2 x double] zeroinitializer", &["variable 'd'", "double"]);
    refused("define void @f(<2 x double> %x) {\n ret void\n}", &["function 'f'", "<2 x double>"]);
    refused("define void @f(ptr %p) {\n %d = load double, ptr %p\n ret void\n}", &["'f'", "double"]);
    refused("define void @f(ptr %p) {\n store double 1.0, ptr %p\n ret void\n}", &["'f'", "double"]);
    refused("define void @f() {\n %a = alloca { i32, double }\n ret void\n}", &["'f'", "double"]);
    // Halves are moved and not computed with.
    load("define half @f(ptr %p) {\n %h = load half, ptr %p\n store half %h, ptr %p\n ret half %h\n}")
        .unwrap();
    refused("define half @f(half %x) {\n %h = fadd half %x, %x\n ret half %h\n}", &["'f'", "half"]);
    refused("define float @f(half %x) {\n %h = fpext half %x to float\n ret float %h\n}", &["'f'", "half"]);
    refused(
        "declare half @_Z3sinDh(half)
         define half @f(half %x) {\n %h = call half @_Z3sinDh(half %x)\n ret half %h\n}",
        &["'f'", "half"],
    );
    let debug = "define void @f(ptr %p) !dbg !4 {
          %d = load double, ptr %p, !dbg !7
          ret void
        }
        !llvm.module.flags = !{!0}\n!llvm.dbg.cu = !{!1}\n!0 = !{i32 2, !\"Debug Info Version\", i32 3}
        !1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, emissionKind: FullDebug)
        !2 = !DIFile(filename: \"f.c\", directory: \"/\")\n!3 = !DISubroutineType(types: !6)
        !4 = distinct !DISubprogram(name: \"f\", file: !2, line: 40, type: !3, unit: !1,
            spFlags: DISPFlagDefinition)
        !6 = !{}\n!7 = !DILocation(line: 42, scope: !4)";
    refused(debug, &["'f' in line 42", "double"]);
    // The other way round.
    let narrow = format!("target datalayout = \"e-p:32:32\"\n{kernel}");
    let error = module().load_ir("t.ll", narrow.as_bytes()).unwrap_err();
    assert!(error.message().contains("32-bit addresses"), "{error}");
}
