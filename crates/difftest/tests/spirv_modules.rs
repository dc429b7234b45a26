//! Modules of SPIR-V as a whole: linking, execution modes, what is told of kernels, build options.

mod spirv_common;
use compiler::{Module, Profile, SpirvDeviceInfo};
use jit::Jit;
use lanewise_difftest::spirv::Spirv;
use lanewise_difftest::{Program, module};
use spirv_common::*;

fn of_spirv(text: &str) -> Module {
    let mut module = module().unwrap();
    let code = spirv::assemble(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    module.compile_spirv(&code, &SpirvDeviceInfo::default(), None).unwrap_or_else(|e| panic!("{e}"));
    module
}

fn of_source(source: &str) -> Module {
    let mut module = module().unwrap();
    module.compile_opencl_c(Profile::Full, "test.cl", source, &[]).unwrap_or_else(|e| panic!("{e}"));
    module
}

fn linked(parts: &[&Module]) -> Result<Module, String> {
    let mut module = module().unwrap();
    module.link(parts).map_err(|e| e.to_string())?;
    module.finalize().map_err(|e| e.to_string())?;
    Ok(module)
}

/// The first number that the kernel `k(out)` of a module stores.
fn answer(module: Module) -> u32 {
    let k = Program::of(module, Jit::new()).kernel("k").expect("there is a kernel k");
    let out = Data::<u32>::zeros(1);
    run(&k, 1, 1, &[out.arg()]);
    out.get()[0]
}

/// A module that defines or imports `int helper(int)` and a variable.
fn library(linkage: &str, name: &str, body: bool, requirements: &str) -> Spirv {
    let defined = "%l = OpLabel\n%hr = OpIMul %int %ha %int_3\nOpReturnValue %hr\n";
    Spirv {
        requirements: requirements.to_owned(),
        annotations: format!("OpDecorate %helper LinkageAttributes \"{name}\" {linkage}"),
        globals: "%h_type = OpTypeFunction %int %int".to_owned(),
        functions: format!(
            "%helper = OpFunction %int None %h_type\n%ha = OpFunctionParameter %int\n{}OpFunctionEnd",
            if body { defined } else { "" }
        ),
        ..Default::default()
    }
}

fn kernel_that_calls() -> Module {
    let user = library("Import", "helper", false, "");
    of_spirv(&user.kernel(&[("out", "g_int")], "%x = OpFunctionCall %int %helper %int_14\nOpStore %out %x"))
}

/// A library without a kernel.
fn without_kernel(text: &str) -> String {
    let start = text.find("%k = OpFunction").expect("there is a kernel");
    text[..start].lines().filter(|l| !l.starts_with("OpEntryPoint")).collect::<Vec<_>>().join("\n")
}

#[test]
fn modules_of_spirv_are_linked() {
    let text = library("Export", "helper", true, "").kernel(&[], "");
    let exporter = of_spirv(&without_kernel(&text));
    assert_eq!(answer(linked(&[&kernel_that_calls(), &exporter]).unwrap()), 42);
    let error = linked(&[&kernel_that_calls()]).err().unwrap();
    assert!(error.contains("helper"), "{error}");
}

#[test]
fn both_languages_are_linked_both_ways() {
    let module = linked(&[&kernel_that_calls(), &of_source("int helper(int x) { return x + 1; }")]).unwrap();
    assert_eq!(answer(module), 15);
    let text = library("Export", "helper", true, "").kernel(&[], "");
    let exporter = of_spirv(&without_kernel(&text));
    let user = of_source("int helper(int); kernel void k(global int *out) { *out = helper(5); }");
    assert_eq!(answer(linked(&[&user, &exporter]).unwrap()), 15);
}

#[test]
fn functions_of_several_modules_are_one() {
    let requirements = "OpExtension \"SPV_KHR_linkonce_odr\"";
    let with_kernel = library("LinkOnceODR", "helper", true, requirements)
        .kernel(&[("out", "g_int")], "%x = OpFunctionCall %int %helper %int_14\nOpStore %out %x");
    let again = without_kernel(&library("LinkOnceODR", "helper", true, requirements).kernel(&[], ""));
    assert_eq!(answer(linked(&[&of_spirv(&with_kernel), &of_spirv(&again)]).unwrap()), 42);
    // Exported twice, it is an error.
    let exported = |text: &str| text.replace("LinkOnceODR", "Export");
    let error = linked(&[&of_spirv(&exported(&with_kernel)), &of_spirv(&exported(&again))]).err().unwrap();
    assert!(error.contains("helper"), "{error}");
}

#[test]
fn variables_are_imported_and_exported() {
    let exporter = Spirv {
        annotations: "OpDecorate %shared LinkageAttributes \"shared\" Export".into(),
        globals: "%shared = OpVariable %g_int CrossWorkgroup %int_17".into(),
        ..Default::default()
    };
    let importer = Spirv {
        annotations: "OpDecorate %shared LinkageAttributes \"shared\" Import".into(),
        globals: "%shared = OpVariable %g_int CrossWorkgroup".into(),
        ..Default::default()
    };
    let user = of_spirv(&importer.kernel(&[("out", "g_int")], "%x = OpLoad %int %shared\nOpStore %out %x"));
    let other = of_spirv(&without_kernel(&exporter.kernel(&[], "")));
    assert_eq!(answer(linked(&[&user, &other]).unwrap()), 17);
}

#[test]
fn execution_modes_are_told() {
    let info = |modes: &str, globals: &str| {
        let setup = Spirv { modes: modes.to_owned(), globals: globals.to_owned(), ..Default::default() };
        let mut module = of_spirv(&setup.kernel(&[("out", "g_int"), ("n", "int")], "OpStore %out %n"));
        module.finalize().unwrap();
        module.program_info().kernel("k").unwrap().clone()
    };
    assert_eq!(info("OpExecutionMode %k LocalSize 4 2 1", "").reqd_work_group_size, Some([4, 2, 1]));
    assert_eq!(info("OpExecutionMode %k LocalSizeHint 8 1 1", "").work_group_size_hint, Some([8, 1, 1]));
    let globals = "%x = OpConstant %int 16\n%y = OpSpecConstantOp %int IAdd %x %int_16";
    assert_eq!(
        info("OpExecutionModeId %k LocalSizeId %x %y %int_1", globals).reqd_work_group_size,
        Some([16, 32, 1])
    );
    let plain = info("OpExecutionMode %k VecTypeHint 0", "");
    assert_eq!(plain.reqd_work_group_size, None);
    let told: Vec<_> = plain.args.iter().map(|a| (a.name.as_str(), a.type_name.as_str())).collect();
    assert_eq!(told, [("", "int*"), ("", "int")]);
}

#[test]
fn what_the_source_called_arguments_is_told() {
    let setup = Spirv {
        annotations: "%types = OpString \"kernel_arg_type.k.uint*,myint,\"\n\
                      %quals = OpString \"kernel_arg_type_qual.k.restrict,,\"\nOpName %out \"out\"\n\
                      OpName %n \"count\""
            .into(),
        ..Default::default()
    };
    let mut module = of_spirv(&setup.kernel(&[("out", "g_int"), ("n", "int")], "OpStore %out %n"));
    module.finalize().unwrap();
    let kernel = module.program_info().kernel("k").unwrap().clone();
    let told: Vec<_> = kernel
        .args
        .iter()
        .map(|a| (a.name.as_str(), a.type_name.as_str(), a.type_qualifiers.as_str()))
        .collect();
    assert_eq!(told, [("out", "uint*", "restrict"), ("count", "myint", "")]);
}

#[test]
fn required_sub_group_sizes_and_float_controls_run() {
    let setup = Spirv {
        requirements: "OpCapability SubgroupDispatch\nOpCapability DenormPreserve\n\
                       OpCapability SignedZeroInfNanPreserve\nOpCapability RoundingModeRTE\n\
                       OpExtension \"SPV_KHR_float_controls\""
            .into(),
        modes: "OpExecutionMode %k DenormPreserve 32\nOpExecutionMode %k SignedZeroInfNanPreserve 32\n\
                OpExecutionMode %k RoundingModeRTE 32"
            .into(),
        ..Default::default()
    };
    // Half of the smallest subnormal float, rounded to even, and a subnormal that is kept.
    let a = [f32::from_bits(3), f32::from_bits(1)];
    let r: Vec<f32> = map(&setup, "float", &["float"], "%r = OpFMul %float %a %float_0.5", 2, &[bytes(&a)]);
    assert_eq!(r.iter().map(|v| v.to_bits()).collect::<Vec<_>>(), [2, 0]);
}

#[test]
fn kernel_attributes_of_intel_are_taken() {
    let setup = Spirv {
        requirements: "OpCapability KernelAttributesINTEL\nOpCapability FPGAKernelAttributesINTEL\n\
                       OpExtension \"SPV_INTEL_kernel_attributes\""
            .into(),
        modes: "OpExecutionMode %k MaxWorkgroupSizeINTEL 64 1 1\nOpExecutionMode %k NoGlobalOffsetINTEL\n\
                OpExecutionMode %k MaxWorkDimINTEL 1\nOpExecutionMode %k NumSIMDWorkitemsINTEL 4"
            .into(),
        ..Default::default()
    };
    let r: Vec<u32> = map(&setup, "int", &["int"], "%r = OpIAdd %int %a %int_1", 3, &[bytes(&[1u32, 2, 3])]);
    assert_eq!(r, [2, 3, 4]);
}

#[test]
fn options_allow_fast_arithmetic() {
    let setup = Spirv { modes: "OpExecutionMode %k ContractionOff".into(), ..Default::default() };
    let text = setup.map("float", &["float"], "%t = OpFMul %float %a %a\n%r = OpFSub %float %t %float_1");
    let code = spirv::assemble(&text).unwrap();
    for (options, flags) in [
        ("", "fsub float"),
        ("-cl-fast-relaxed-math", "fsub fast float"),
        ("-cl-mad-enable", "fsub contract float"),
    ] {
        let mut module = module().unwrap();
        module.set_options(options).unwrap();
        module.compile_spirv(&code, &SpirvDeviceInfo::default(), None).unwrap();
        let context = llvm::Context::new();
        let ir = llvm::Module::parse_bitcode(&context, &module.bitcode()).unwrap().to_string();
        assert!(ir.contains(flags), "{options}: {ir}");
    }
    let mut module = module().unwrap();
    module.set_options("-cl-denorms-are-zero").unwrap();
    module.compile_spirv(&code, &SpirvDeviceInfo::default(), None).unwrap();
    let context = llvm::Context::new();
    let ir = llvm::Module::parse_bitcode(&context, &module.bitcode()).unwrap().to_string();
    assert!(ir.contains("\"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\""), "{ir}");
}

#[test]
fn lifetimes_are_passed_over() {
    let body = "%v = OpVariable %p_int Function\nOpLifetimeStart %v 4\nOpStore %v %a\n\
        %r = OpLoad %int %v\nOpLifetimeStop %v 4";
    let r: Vec<u32> = map1(("int", "int"), body, &[1u32, 2, 3]);
    assert_eq!(r, [1, 2, 3]);
}
