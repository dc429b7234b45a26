//! What is wrong with a module is refused, with the word, the instruction and the ID.

use lanewise_spirv::{DeviceInfo, SpecializationInfo, assemble, translate};

const HEADER: &str = "OpCapability Addresses\nOpCapability Kernel\nOpCapability Linkage\nOpCapability Int64\n\
    %ocl = OpExtInstImport \"OpenCL.std\"\nOpMemoryModel Physical64 OpenCL\n";

const TYPES: &str = "%void = OpTypeVoid\n%bool = OpTypeBool\n%int = OpTypeInt 32 0\n%long = OpTypeInt 64 0\n\
    %float = OpTypeFloat 32\n%int2 = OpTypeVector %int 2\n%float4 = OpTypeVector %float 4\n\
    %g_int = OpTypePointer CrossWorkgroup %int\n%g_float = OpTypePointer CrossWorkgroup %float\n\
    %p_int = OpTypePointer Function %int\n%n_int = OpTypePointer Generic %int\n%one = OpConstant %int 1\n\
    %two = OpConstant %int 2\n%four = OpConstant %int 4\n%zero = OpConstant %int 0\n\
    %true = OpConstantTrue %bool\n\
    %f1 = OpConstant %float 1\n\
    %S = OpTypeStruct %int %float\n%k_type = OpTypeFunction %void %g_int\n";

fn module(annotations: &str, globals: &str, body: &str) -> String {
    format!(
        "{HEADER}OpEntryPoint Kernel %k \"k\"\nOpName %x \"sum\"\n{annotations}\n{TYPES}{globals}\n\
         %k = OpFunction %void None %k_type\n%p = OpFunctionParameter %g_int\n%entry = OpLabel\n{body}\n\
         OpFunctionEnd\n"
    )
}

fn result(text: &str) -> Result<(), String> {
    translated(text, &DeviceInfo::default()).map(|_| ())
}

/// The module for a device, as text.
fn translated(text: &str, device: &DeviceInfo) -> Result<String, String> {
    let code = assemble(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let module = translate(&llvm::Context::new(), &code, device, &SpecializationInfo::default());
    module.map(|m| m.to_string()).map_err(|e| e.to_string())
}

#[track_caller]
fn refused(text: &str, say: &[&str]) {
    refused_for(&DeviceInfo::default(), text, say);
}

#[track_caller]
fn refused_for(device: &DeviceInfo, text: &str, say: &[&str]) {
    let message = translated(text, device).expect_err("not refused");
    for part in say {
        assert!(message.contains(part), "'{message}' does not contain '{part}'");
    }
}

/// Numbers of bfloat16 are moved, converted and multiplied in dot products only.
#[test]
fn numbers_of_bfloat16_are_no_operands() {
    let globals = "%bf = OpTypeFloat 16 BFloat16KHR\n%bf2 = OpTypeVector %bf 2\n\
                   %b1 = OpConstant %bf 1.0\n\
                   %bb = OpConstantComposite %bf2 %b1 %b1\n%short = OpTypeInt 16 0\n\
                   %s1 = OpConstant %short 1";
    let capability = "OpCapability Int16\nOpCapability BFloat16TypeKHR\nOpExtension \"SPV_KHR_bfloat16\"\n";
    let with = |body: &str| format!("{capability}{}", module("", globals, &format!("{body}\nOpReturn")));
    assert_eq!(result(&with("%x = OpFConvert %float %b1")), Ok(()));
    for body in [
        "%x = OpIAdd %bf %b1 %b1",
        "%x = OpFAdd %bf %b1 %b1",
        "%x = OpIEqual %bool %b1 %b1",
        "%x = OpFOrdLessThan %bool %b1 %b1",
        "%x = OpExtInst %bf ocl fabs %b1",
        "%x = OpSNegate %bf2 %bb",
    ] {
        refused(&with(&body.replace(" ocl ", " %ocl ")), &["bfloat16"]);
    }
    refused(&with("%x = OpUConvert %int %b1"), &["bfloat16"]);
    refused(&with("%x = OpDot %bf %bb %s1"), &["bfloat16"]);
    let mut device = DeviceInfo::default();
    device.capabilities.retain(|name| name != "BFloat16TypeKHR");
    let bare = module("", "%bf = OpTypeFloat 16 BFloat16KHR", "OpReturn");
    refused_for(&device, &bare, &["needs the capability BFloat16TypeKHR"]);
}

/// A body with one instruction before the return.
#[track_caller]
fn body(instruction: &str, say: &[&str]) {
    refused(&module("", "", &format!("{instruction}\nOpReturn")), say);
}

#[track_caller]
fn global(globals: &str, say: &[&str]) {
    refused(&module("", globals, "OpReturn"), say);
}

#[test]
fn the_module_used_here_is_good() {
    assert_eq!(result(&module("", "", "%x = OpIAdd %int %one %two\nOpStore %p %x\nOpReturn")), Ok(()));
}

#[test]
fn errors_name_word_instruction_and_id() {
    let text = module("", "", "%x = OpIAdd %int %one %f1\nOpReturn");
    let message = result(&text).unwrap_err();
    assert!(message.starts_with("SPIR-V word "), "{message}");
    assert!(message.contains("OpIAdd %") && message.contains("'sum'"), "{message}");
    assert!(message.contains("is of type float, not i32"), "{message}");
}

#[test]
fn environments_are_refused_by_name() {
    let with = |capability: &str| format!("OpCapability {capability}\nOpMemoryModel Physical64 OpenCL");
    refused(&with("Shader"), &["capability Shader"]);
    refused(&with("ImageMipmap"), &["capability ImageMipmap"]);
    refused(&with("Pipes"), &["capability Pipes"]);
    refused(&with("DeviceEnqueue"), &["capability DeviceEnqueue"]);
    refused("OpCapability Kernel\nOpMemoryModel Physical32 OpenCL", &["Physical32"]);
    refused("OpCapability Kernel\nOpMemoryModel Logical OpenCL", &["Logical"]);
    refused("OpCapability Kernel\nOpMemoryModel Physical64 Simple", &["memory model Simple"]);
    refused("OpCapability Kernel\nOpExtension \"SPV_X_y\"\nOpMemoryModel Physical64 OpenCL", &["SPV_X_y"]);
    refused("OpCapability Kernel", &["OpMemoryModel"]);
    let set = "OpCapability Kernel\n%s = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel Physical64 OpenCL";
    refused(set, &["GLSL.std.450"]);
    let text = module("", "", "OpReturn");
    refused(&text.replace("OpEntryPoint Kernel", "OpEntryPoint GLCompute"), &["execution model GLCompute"]);
    let device = DeviceInfo { capabilities: vec!["Kernel".to_owned()], ..DeviceInfo::default() };
    let code = assemble(&text).unwrap();
    let error = translate(&llvm::Context::new(), &code, &device, &SpecializationInfo::default()).unwrap_err();
    assert!(error.to_string().contains("capability Addresses"), "{error}");
    refused(&module("OpExecutionMode %k Xfb", "", "OpReturn"), &["execution mode Xfb"]);
    refused(&module("OpExecutionMode %k Initializer", "", "OpReturn"), &["Initializer"]);
}

#[test]
fn a_device_may_lack_types_and_atomics() {
    let device = || DeviceInfo::default();
    let with = |capability: &str| format!("OpCapability {capability}\nOpMemoryModel Physical64 OpenCL");
    for (lacking, capabilities) in [
        (device().without_double(), ["Float64", "AtomicFloat64AddEXT", "AtomicFloat64MinMaxEXT"].as_slice()),
        (device().without_half(), &["Float16", "AtomicFloat16AddEXT"]),
        (device().without_int64_atomics(), &["Int64Atomics", "AtomicFloat64AddEXT"]),
    ] {
        for capability in capabilities {
            assert!(translated(&with(capability), &device()).is_ok());
            refused_for(&lacking, &with(capability), &["word 5, OpCapability", capability]);
        }
        assert!(translated(&with("Float16Buffer"), &lacking).is_ok());
    }
    // Also where the module does not declare what it uses.
    let double = module("", "%double = OpTypeFloat 64", "OpReturn");
    refused_for(&device().without_double(), &double, &["OpTypeFloat %", "Float64"]);
    let half = "%half = OpTypeFloat 16\n%g_half = OpTypePointer CrossWorkgroup %half\n";
    let load = "%h = OpBitcast %g_half %p\n%v = OpExtInst %float %ocl vload_half %zero %h\nOpReturn";
    let text = translated(&module("", half, load), &device().without_half()).unwrap();
    assert!(text.contains("@_Z10vload_halfmPU3AS1KDh(i64 0, ") && !text.contains(" half"), "{text}");
    let read = "%h = OpBitcast %g_half %p\n%x = OpLoad %half %h\nOpStore %h %x\nOpReturn";
    refused_for(&device().without_half(), &module("", half, read), &["OpLoad %", "'sum'", "Float16"]);
    let constant = format!("{half}%h2 = OpTypeVector %half 2\n%x = OpConstantNull %h2");
    refused_for(
        &device().without_half(),
        &module("", &constant, "OpReturn"),
        &["OpConstantNull %", "Float16"],
    );
    let atomic = "%q = OpBitcast %g_long %p\n%x = OpAtomicIAdd %long %q %one %zero %l\nOpReturn";
    let long = "%g_long = OpTypePointer CrossWorkgroup %long\n%l = OpConstant %long 1";
    assert_eq!(result(&module("", long, atomic)), Ok(()));
    let device = device().without_int64_atomics();
    refused_for(&device, &module("", long, atomic), &["OpAtomicIAdd %", "Int64Atomics"]);
}

#[test]
fn a_device_may_lack_sub_groups() {
    let (all, lacking) = (DeviceInfo::default(), DeviceInfo::default().without_sub_groups());
    let with = |capability: &str| format!("OpCapability {capability}\nOpMemoryModel Physical64 OpenCL");
    for capability in ["SubgroupDispatch", "GroupNonUniformArithmetic", "SubgroupShuffleINTEL"] {
        assert!(translated(&with(capability), &all).is_ok());
        refused_for(&lacking, &with(capability), &["word 5, OpCapability", capability]);
    }
    let extension = "OpExtension \"SPV_INTEL_subgroups\"\nOpMemoryModel Physical64 OpenCL";
    assert!(translated(extension, &all).is_ok());
    refused_for(&lacking, extension, &["SPV_INTEL_subgroups"]);
    // Work-groups have the same operations, with another scope.
    let sum = |scope: &str| {
        let scope = format!("%scope = OpConstant %int {scope}");
        module("OpCapability Groups", &scope, "%x = OpGroupIAdd %int %scope Reduce %one\nOpReturn")
            .replace("OpCapability Groups\n", "")
            .replace("OpCapability Kernel\n", "OpCapability Kernel\nOpCapability Groups\n")
    };
    assert!(translated(&sum("2"), &lacking).is_ok());
    assert!(translated(&sum("3"), &all).is_ok());
    refused_for(&lacking, &sum("3"), &["OpGroupIAdd %", "scope Subgroup", "SubgroupDispatch"]);
    let barrier = |scope: &str| module("", "", &format!("OpControlBarrier %{scope} %two %zero\nOpReturn"));
    let barrier =
        |scope: u32| barrier("s").replace("%true =", &format!("%s = OpConstant %int {scope}\n%true ="));
    assert!(translated(&barrier(2), &lacking).is_ok());
    refused_for(&lacking, &barrier(3), &["OpControlBarrier", "scope Subgroup"]);
    let variable = module(
        "OpDecorate %v BuiltIn SubgroupSize",
        "%i_int = OpTypePointer Input %int\n%v = OpVariable %i_int Input",
        "%x = OpLoad %int %v\nOpStore %p %x\nOpReturn",
    );
    assert!(translated(&variable, &all).is_ok());
    refused_for(&lacking, &variable, &["the built-in variable SubgroupSize", "SubgroupDispatch"]);
}

#[test]
fn addresses_of_32_bits() {
    let device = DeviceInfo { address_bits: 32, ..DeviceInfo::default() };
    let good = module(
        "OpDecorate %gid BuiltIn GlobalInvocationId",
        "%int3 = OpTypeVector %int 3
        %in_int3 = OpTypePointer Input %int3\n%gid = OpVariable %in_int3 Input
        %l_int = OpTypePointer Workgroup %int\n%local = OpVariable %l_int Workgroup
        %event = OpTypeEvent\n%none = OpConstantNull %event",
        "%ids = OpLoad %int3 %gid
        %i = OpCompositeExtract %int %ids 0\n%at = OpInBoundsPtrAccessChain %g_int %p %i
        %d = OpPtrDiff %int %at %p\n%a = OpBitcast %int %p\n%b = OpBitcast %g_int %a
        %v = OpExtInst %int2 %ocl vloadn %i %p 2
        %e = OpGroupAsyncCopy %event %two %local %p %one %two %none
        %r = OpGroupBroadcast %int %two %d %one\nOpStore %at %r\nOpReturn",
    );
    let good = format!("OpCapability Groups\n{}", good.replace("Physical64", "Physical32"));
    let text = translated(&good, &device).unwrap_or_else(|e| panic!("{e}"));
    for part in [
        "target datalayout = \"e-p:32:32-i64:64-",
        "target triple = \"spir-unknown-unknown\"",
        "declare spir_func i32 @__mux_get_global_id(i32",
        "ptrtoint ptr addrspace(1) %",
        "@_Z6vload2jPU3AS1Ki(i32 ",
        "@_Z29async_work_group_strided_copyPU3AS3iPU3AS1Kijj9ocl_event(",
        "@__mux_work_group_broadcast_i32(i32 0, i32 %",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    assert!(!text.contains(" to i64"), "{text}");
    refused(&good, &["OpMemoryModel", "Physical32", "64-bit addresses"]);
    let wide = good.replace("Physical32", "Physical64");
    refused_for(&device, &wide, &["OpMemoryModel", "Physical64", "32-bit addresses"]);
    let logical = good.replace("Physical32", "Logical");
    refused_for(&device, &logical, &["OpMemoryModel", "addressing model Logical"]);
}

#[test]
fn ids() {
    body("%x = OpIAdd %int %one %nothing", &["%", "is not defined"]);
    body("%x = OpIAdd %int %y %one\n%y = OpIAdd %int %one %one", &["is used before its definition"]);
    body("%x = OpIAdd %int %one %x", &["is used before its definition"]);
    body("%x = OpIAdd %int %one %one\n%x = OpIAdd %int %one %one", &["'sum'", "is defined already"]);
    body("%x = OpIAdd %int %int %one", &["is not a value"]);
    body("%x = OpIAdd %one %one %one", &["is not a type"]);
    body("%x = OpIAdd %int %k %one", &["is not a value"]);
    body("%x = OpIAdd %int %entry %one", &["is not a value"]);
    body("%x = OpFunctionCall %void %one", &["is not a function"]);
    body("%x = OpExtInst %float %int sin %f1", &["is not a set of instructions"]);
    global("%arr = OpTypeArray %int %later\n%later = OpConstant %int 3", &["is used before its definition"]);
    global("%x = OpIAdd %int %one %one", &["outside of a function"]);
    let twice = module("", "", "OpReturn");
    refused(
        &(twice
            + "%f = OpFunction %void None %k_type\n%q = OpFunctionParameter %g_int\n%l = OpLabel\n\
                OpStore %p %one\nOpReturn\nOpFunctionEnd"),
        &["belongs to another function"],
    );
}

#[test]
fn control_flow() {
    refused(&module("", "", "%x = OpIAdd %int %one %one"), &["OpLabel", "does not end"]);
    refused(&module("", "", "OpBranch %entry"), &["first block", "branched to"]);
    refused(&module("", "", "OpBranch %one"), &["is not a block of this function"]);
    refused(&module("", "", "OpBranchConditional %one %a %a\n%a = OpLabel\nOpReturn"), &["i32, not i1"]);
    let side = "OpBranchConditional %true %a %b\n%a = OpLabel\n%x = OpIAdd %int %one %one\nOpBranch %b\n";
    refused(
        &module("", "", &format!("{side}%b = OpLabel\nOpStore %p %x\nOpReturn")),
        &["'sum'", "does not dominate"],
    );
    let phi = |phi: &str| module("", "", &format!("{side}%b = OpLabel\n%y = OpPhi %int {phi}\nOpReturn"));
    assert_eq!(result(&phi("%x %a %one %entry")), Ok(()));
    refused(&phi("%x %a"), &["1 of the 2 blocks"]);
    refused(&phi("%x %a %x %entry"), &["does not dominate"]);
    refused(&phi("%x %a %one %b"), &["does not branch to this block"]);
    refused(&phi("%x %a %one %a"), &["named twice, with different values"]);
    assert_eq!(result(&phi("%x %a %one %entry %x %a")), Ok(()));
    refused(&phi("%x %a %f1 %entry"), &["float, not i32"]);
    refused(
        &module("", "", &format!("{side}%b = OpLabel\nOpNop\n%y = OpPhi %int %x %a %one %entry\nOpReturn")),
        &["after another"],
    );
    refused(
        &module("", "", "OpSwitch %one %a 1 %a 1 %b\n%a = OpLabel\nOpReturn\n%b = OpLabel\nOpReturn"),
        &["stands twice"],
    );
    refused(&module("", "", "OpSwitch %true %a\n%a = OpLabel\nOpReturn"), &["is not an integer"]);
    refused(&module("", "", "OpReturnValue %one"), &["i32, not void"]);
    refused(
        &module("", "", "OpBranch %a\n%a = OpLabel\n%v = OpVariable %p_int Function\nOpReturn"),
        &["first block"],
    );
    refused(&module("", "", "OpReturn").replace("OpFunctionEnd", ""), &["no end"]);
    body("OpNop\nOpReturn\n%v = OpIAdd %int %one %one", &["outside of a block"]);
}

#[test]
fn types() {
    global("%t = OpTypeInt 0 0", &["1 to"]);
    global("%t = OpTypeInt 100000 0", &["1 to"]);
    global("%t = OpTypeFloat 24", &["24 bits"]);
    global("%t = OpTypeVector %int 5", &["2, 3, 4, 8 or 16"]);
    global("%t = OpTypeVector %int2 2", &["is not a scalar type"]);
    global("%t = OpTypeArray %void %one", &["no value can be of the type"]);
    global("%t = OpTypeArray %int %f1", &["is not a constant"]);
    global("%n = OpConstant %long 0x7fffffffffffffff\n%t = OpTypeArray %int %n", &["too large"]);
    global("%t = OpTypeStruct %k_type", &["no value can be of the type"]);
    global("%t = OpTypePointer TileImageEXT %int", &["storage class TileImageEXT is not one of kernels"]);
    global("%t = OpTypeQueue", &["not supported"]);
    global("%s = OpTypeSampler\n%t = OpTypeArray %s %one", &["images and samplers are not part"]);
    global("%s = OpTypeSampler\n%t = OpTypeStruct %int %s", &["images and samplers are not part"]);
    global("%t = OpTypeFunction %int %void", &["no value can be of the type"]);
    let nested: String = (0..300).map(|i| format!("%s{} = OpTypeStruct %s{i}\n", i + 1)).collect();
    global(&format!("%s0 = OpTypeStruct %int\n{nested}"), &["nested more than"]);
    // Each doubles the last: walking it would take forever.
    let doubled: String = (0..60).map(|i| format!("%s{} = OpTypeStruct %s{i} %s{i}\n", i + 1)).collect();
    global(&format!("%s0 = OpTypeStruct %int\n{doubled}"), &["too large"]);
    let big = "%n = OpConstant %int 100000\n%t = OpTypeArray %int %n\n%pt = OpTypePointer Function %t";
    let text = module("", big, "%v = OpVariable %pt Function\n%y = OpLoad %t %v\nOpReturn");
    refused(&text, &["only be moved in memory"]);
}

/// Pointers of each storage class have the address space of the specification's table; variables
/// that a program binds to a shader are refused.
#[test]
fn storage_classes() {
    let spaces = [
        ("UniformConstant", 2),
        ("Input", 0),
        ("Uniform", 1),
        ("Output", 0),
        ("Workgroup", 3),
        ("CrossWorkgroup", 1),
        ("Private", 0),
        ("Function", 0),
        ("Generic", 4),
        ("PushConstant", 2),
        ("AtomicCounter", 0),
        ("Image", 1),
        ("StorageBuffer", 1),
    ];
    for (class, space) in spaces {
        let globals = format!(
            "%t = OpTypePointer {class} %int\n%f_type = OpTypeFunction %void %t\n\
             %f = OpFunction %void None %f_type\n%q = OpFunctionParameter %t\n%body = OpLabel\nOpReturn\n\
             OpFunctionEnd"
        );
        let ir = translated(&module("", &globals, "OpReturn"), &DeviceInfo::default()).unwrap();
        let pointer = if space == 0 { "ptr".to_owned() } else { format!("ptr addrspace({space})") };
        let function = ir.lines().find(|l| l.starts_with("define") && !l.contains("@k(")).unwrap();
        assert!(function.contains(&format!("({pointer} %")), "{class}: {function}");
    }
    for class in ["Uniform", "StorageBuffer", "PushConstant", "AtomicCounter", "Image"] {
        let text = format!("%t = OpTypePointer {class} %int\n%v = OpVariable %t {class}");
        global(&text, &[class, "are bound to shaders", "takes pointers as arguments"]);
    }
    for class in ["Input", "Output", "Private"] {
        let text = format!("%t = OpTypePointer {class} %int\n%v = OpVariable %t {class}");
        global(&text, &["no variable outside of functions is in the storage class", class]);
    }
}

#[test]
fn constants() {
    global("%c = OpConstantTrue %int", &["booleans"]);
    global("%c = OpConstantComposite %int2 %one", &["1 of 2 constituents"]);
    global("%c = OpConstantComposite %int2 %one %f1", &["float, not i32"]);
    global("%c = OpConstantComposite %int %one", &["composite"]);
    global("%c = OpConstantNull %void", &["no value can be"]);
    global("%c = OpSpecConstantOp %int IAdd %one %f1", &["IAdd", "float, not i32"]);
    global("%c = OpSpecConstantOp %int Load %one", &["not one on constants"]);
    global("%v = OpVariable %g_int CrossWorkgroup %f1", &["float, not i32"]);
    global("%v = OpVariable %p_int Function", &["Function"]);
    global("%v = OpVariable %g_int Workgroup", &["storage class"]);
}

#[test]
fn instructions_of_wrong_types() {
    let cases = [
        ("%x = OpIAdd %float %f1 %f1", "integers"),
        ("%x = OpFAdd %int %one %one", "floating-point"),
        ("%x = OpShiftLeftLogical %int %one %f1", "integers"),
        ("%x = OpBitCount %int %f1", "integers"),
        ("%x = OpIAddCarry %int %one %one", "struct of two"),
        ("%x = OpULessThan %int %one %one", "booleans"),
        ("%x = OpULessThan %bool %one %f1", "float, not i32"),
        ("%x = OpFOrdEqual %bool %one %one", "floating-point"),
        ("%x = OpLogicalAnd %bool %one %one", "i32, not i1"),
        ("%x = OpSelect %int %one %one %one", "boolean"),
        ("%x = OpAny %bool %true", "vector of booleans"),
        ("%x = OpIsNan %bool %one", "floating-point"),
        ("%x = OpConvertFToS %int %one", "no conversion"),
        ("%x = OpConvertSToF %float4 %one", "no conversion"),
        ("%x = OpBitcast %int2 %one", "one size"),
        ("%x = OpBitcast %p_int %p", "storage class"),
        ("%x = OpConvertPtrToU %float %p", "integer"),
        ("%x = OpConvertUToPtr %int %one", "pointer"),
        ("%x = OpPtrCastToGeneric %n_int %one", "pointers"),
        ("%x = OpGenericCastToPtr %g_int %p", "Generic"),
        ("%x = OpAccessChain %g_int %p %one", "index into a scalar"),
        ("%x = OpPtrAccessChain %g_float %p %one", "points to"),
        ("%x = OpPtrAccessChain %p_int %p %one", "storage class"),
        ("%x = OpPtrAccessChain %g_int %p %f1", "integers"),
        ("%x = OpLoad %float %p", "points to"),
        ("%x = OpLoad %int %one", "pointers"),
        ("OpStore %p %f1", "points to"),
        ("OpStore %p %one Aligned 3", "power of two"),
        ("OpCopyMemorySized %p %p %f1", "integers"),
        ("%x = OpCompositeExtract %int %one 0", "no member 0"),
        ("%v = OpCompositeConstruct %int2 %one %one\n%x = OpCompositeExtract %int %v 2", "no member 2"),
        ("%v = OpCompositeConstruct %int2 %one %one\n%x = OpCompositeInsert %int2 %f1 %v 0", "member"),
        ("%x = OpCompositeConstruct %int2 %one", "components"),
        ("%x = OpCompositeConstruct %S %one %one", "member's type"),
        ("%v = OpCompositeConstruct %int2 %one %one\n%x = OpVectorShuffle %int2 %v %v 0 4", "no component 4"),
        ("%v = OpCompositeConstruct %int2 %one %one\n%x = OpVectorShuffle %int2 %v %v 0", "1 components"),
        ("%x = OpVectorExtractDynamic %int %one %one", "vector"),
        ("%x = OpAtomicIAdd %float %p %one %zero %f1", "no such operation"),
        ("%x = OpAtomicIAdd %int %p %one %two %f1", "float, not i32"),
        ("%six = OpIAdd %int %one %one\n%x = OpAtomicIAdd %int %one %one %zero %one", "pointers"),
        ("OpControlBarrier %four %two %zero", "neither Workgroup nor Subgroup"),
        ("OpControlBarrier %f1 %two %zero", "constant integer"),
        ("%x = OpFunctionCall %void %k %one", "arguments"),
        ("%x = OpFunctionCall %int %k %p", "result"),
        ("%x = OpExtInst %float %ocl sin %one %one", "sin: 2 operands"),
        ("%x = OpExtInst %float %ocl 9999 %f1", "no instruction 9999"),
        ("%x = OpExtInst %int %ocl s_abs %f1", "integers"),
        ("%x = OpExtInst %int %ocl printf %p", "constant memory"),
        ("%x = OpExtInst %float4 %ocl vloadn %one %p 2", "vector of 2"),
        ("%x = OpGroupAll %bool %zero %true", "scope"),
        ("%x = OpGroupIAdd %float %two Reduce %f1", "no such operation"),
    ];
    for (instruction, say) in cases {
        body(instruction, &[say]);
    }
}

#[test]
fn functions() {
    let with = |functions: &str| module("", "", "OpReturn") + functions;
    refused(
        &with(
            "%f = OpFunction %int None %k_type\n%q = OpFunctionParameter %g_int\n%l = OpLabel\nOpReturn\n\
             OpFunctionEnd",
        ),
        &["returns"],
    );
    refused(
        &with("%f = OpFunction %void None %k_type\n%l = OpLabel\nOpReturn\nOpFunctionEnd"),
        &["0 parameters"],
    );
    refused(
        &with("%f = OpFunction %void None %k_type\n%q = OpFunctionParameter %g_int\nOpFunctionEnd"),
        &["no body"],
    );
    let named = |name: &str| {
        let text = with("%f = OpFunction %void None %k_type\n%q = OpFunctionParameter %g_int\nOpFunctionEnd");
        text.replace("OpName %x", &format!("OpDecorate %f LinkageAttributes \"{name}\" Import\nOpName %x"))
    };
    assert_eq!(result(&named("other")), Ok(()));
    refused(&named("llvm.trap"), &["compiler's own"]);
    refused(&named("__mux_get_work_dim"), &["compiler's own"]);
    refused(
        &module("", "", "OpReturn")
            .replace("OpTypeFunction %void %g_int", "OpTypeFunction %void %p_int")
            .replace("OpFunctionParameter %g_int", "OpFunctionParameter %p_int"),
        &["own memory"],
    );
    let two = module("OpEntryPoint Kernel %k \"k\"", "", "OpReturn");
    refused(&two, &["two functions 'k'"]);
}

#[test]
fn broken_words() {
    let good = assemble(&module("", "", "OpReturn")).unwrap();
    let check = |code: &[u32]| lanewise_spirv::check(code).map_err(|e| e.to_string());
    assert_eq!(check(&good), Ok(()));
    assert!(check(&[]).unwrap_err().contains("at least 5 words"));
    assert!(check(&good[..good.len() - 1]).is_err() || good.len() > 5);
    let with = |at: usize, word: u32| {
        let mut code = good.clone();
        code[at] = word;
        check(&code).unwrap_err()
    };
    assert!(with(0, 1).contains("0x00000001"));
    assert!(with(1, 0x0001_0700).contains("1.7"));
    assert!(with(3, 0).contains("bound") && with(3, u32::MAX).contains("bound"));
    assert!(with(4, 1).contains("schema"));
    assert!(with(5, 0).contains("0 words") && with(5, 0xffff_0011).contains("words"));
    assert!(with(5, 0x0002_ffff).contains("opcode 65535"));
    assert!(with(5, 0x0001_0011).contains("cut short"));
}
