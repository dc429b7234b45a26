//! Programs in SPIR-V, through the API.

mod common;

use common::*;
use lanewise_opencl::api::{build, program};
use lanewise_opencl::ffi::{In, Memory};
use std::ffi::CString;

/// Adds a constant, which is 5 unless it is specialised, to each element.
const ADD: &str = r#"
OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %add "add" %gid
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %five SpecId 7
OpDecorate %helper LinkageAttributes "helper" Export
%void = OpTypeVoid
%int = OpTypeInt 32 0
%long = OpTypeInt 64 0
%long3 = OpTypeVector %long 3
%in_long3 = OpTypePointer Input %long3
%g_int = OpTypePointer CrossWorkgroup %int
%five = OpSpecConstant %int 5
%gid = OpVariable %in_long3 Input
%type = OpTypeFunction %void %g_int
%helper_type = OpTypeFunction %int %int
%helper = OpFunction %int None %helper_type
%h = OpFunctionParameter %int
%hl = OpLabel
%hr = OpIAdd %int %h %five
OpReturnValue %hr
OpFunctionEnd
%add = OpFunction %void None %type
%p = OpFunctionParameter %g_int
%entry = OpLabel
%ids = OpLoad %long3 %gid
%i = OpCompositeExtract %long %ids 0
%at = OpInBoundsPtrAccessChain %g_int %p %i
%x = OpLoad %int %at
%y = OpFunctionCall %int %helper %x
OpStore %at %y
OpReturn
OpFunctionEnd
"#;

fn il(cl: &Cl, words: &[u32]) -> Result<Handle, cl_int> {
    made(|code| program::clCreateProgramWithIL(cl.context, memory(words), size_of_val(words), code))
}

fn build_it(program: Handle) -> cl_int {
    build::clBuildProgram(program, 0, In::NULL, In::NULL, None, Memory::NULL)
}

fn run(cl: &Cl, program: Handle, kernel: &str) -> Vec<u32> {
    let kernel = kernel_of(program, kernel).unwrap();
    let mem = cl.buffer_of(&[1u32, 2, 3]);
    assert_eq!(set_arg(kernel, 0, mem), CL_SUCCESS);
    assert_eq!(cl.run(kernel, &[3], None), CL_SUCCESS);
    let result = cl.read::<u32>(mem, 3);
    release_mem(mem);
    release_kernel(kernel);
    result
}

#[test]
fn a_program_is_made_specialised_and_run() {
    let cl = Cl::new();
    let words = spirv::assemble(ADD).unwrap();
    let made_of = il(&cl, &words).unwrap();
    let bytes = query(|size, value, ret| program::clGetProgramInfo(made_of, CL_PROGRAM_IL, size, value, ret))
        .unwrap();
    assert_eq!(bytes, words.iter().flat_map(|w| w.to_ne_bytes()).collect::<Vec<_>>());
    assert_eq!(build_it(made_of), CL_SUCCESS, "{}", cl.log(made_of));
    assert_eq!(run(&cl, made_of, "add"), [6, 7, 8]);
    let constant = program::clSetProgramSpecializationConstant;
    assert_eq!(constant(made_of, 7, 4, memory(&[100u32])), CL_SUCCESS);
    assert_eq!(constant(made_of, 8, 4, memory(&[100u32])), CL_INVALID_SPEC_ID);
    assert_eq!(constant(made_of, 7, 2, memory(&[100u32])), CL_INVALID_VALUE);
    assert_eq!(constant(made_of, 7, 4, Memory::NULL), CL_INVALID_VALUE);
    assert_eq!(constant(NULL, 7, 4, memory(&[1u32])), CL_INVALID_PROGRAM);
    assert_eq!(build_it(made_of), CL_SUCCESS);
    assert_eq!(run(&cl, made_of, "add"), [101, 102, 103]);
    release_program(made_of);
    let of_source = cl.source("kernel void f() {}");
    assert_eq!(constant(of_source, 7, 4, memory(&[1u32])), CL_INVALID_PROGRAM);
    release_program(of_source);
}

#[test]
fn programs_of_both_languages_are_linked() {
    let cl = Cl::new();
    let of_il = il(&cl, &spirv::assemble(ADD).unwrap()).unwrap();
    let source = "int helper(int); kernel void both(global int *p) { p[get_global_id(0)] = 10 * \
        helper(p[get_global_id(0)]); }";
    let of_source = cl.source(source);
    for part in [of_il, of_source] {
        let compile = build::clCompileProgram;
        let code = compile(part, 0, In::NULL, In::NULL, 0, In::NULL, In::NULL, None, Memory::NULL);
        assert_eq!(code, CL_SUCCESS, "{}", cl.log(part));
    }
    let parts = [of_il, of_source];
    let linked = made(|code| {
        build::clLinkProgram(cl.context, 0, In::NULL, In::NULL, 2, list(&parts), None, Memory::NULL, code)
    })
    .unwrap();
    assert_eq!(run(&cl, linked, "both"), [60, 70, 80]);
    assert_eq!(run(&cl, linked, "add"), [6, 7, 8]);
    parts.into_iter().chain([linked]).for_each(release_program);
}

#[test]
fn what_is_no_spirv_is_refused() {
    let cl = Cl::new();
    let words = spirv::assemble(ADD).unwrap();
    assert_eq!(il(&cl, &words[1..]), Err(CL_INVALID_VALUE));
    assert_eq!(il(&cl, &words[..words.len() - 1]), Err(CL_INVALID_VALUE));
    let make =
        |context, memory, size| made(|code| program::clCreateProgramWithIL(context, memory, size, code));
    assert_eq!(make(cl.context, Memory::NULL, 20), Err(CL_INVALID_VALUE));
    assert_eq!(make(cl.context, memory(&words), 0), Err(CL_INVALID_VALUE));
    assert_eq!(make(cl.context, memory(&words), 21), Err(CL_INVALID_VALUE));
    assert_eq!(make(NULL, memory(&words), 20), Err(CL_INVALID_CONTEXT));
    // Well-formed, but not for this device: building says why.
    let shader = spirv::assemble("OpCapability Shader\nOpMemoryModel Logical GLSL450").unwrap();
    let program = il(&cl, &shader).unwrap();
    assert_eq!(build_it(program), CL_BUILD_PROGRAM_FAILURE);
    assert!(cl.log(program).contains("capability Shader"), "{}", cl.log(program));
    release_program(program);
}

#[test]
fn the_device_says_what_it_reads() {
    let device = the_device();
    let versions = as_text(device_info(device, CL_DEVICE_IL_VERSION).unwrap());
    assert!(versions.starts_with("SPIR-V_1.6 ") && versions.ends_with(" SPIR-V_1.0"), "{versions}");
    assert_eq!(device_info(device, CL_DEVICE_ILS_WITH_VERSION).unwrap().len(), 7 * 68);
    let extensions = as_text(device_info(device, CL_DEVICE_EXTENSIONS).unwrap());
    assert!(extensions.contains("cl_khr_il_program") && extensions.contains("cl_khr_spirv_linkonce_odr"));
    let name = CString::new("clCreateProgramWithILKHR").unwrap();
    let function = lanewise_opencl::api::platform::clGetExtensionFunctionAddress(name.as_c_str().into());
    assert!(!function.is_null());
}
