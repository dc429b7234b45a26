//! SPIR-V, as text and as a binary, through `run`, `compile` and `opt`.

mod common;

use common::{Folder, data, digest, example};

const ARGS: &str = "-g 1000 --arg 2.5 --arg iota:1000 --arg rand:1000";

#[test]
fn text_and_binary_run_as_opencl_c_does() {
    let folder = Folder::new();
    let file = data("saxpy.spvasm");
    let of_text = folder.ok(&format!("run {file} {ARGS}"));
    let of_source = folder.ok(&format!("run {} {ARGS}", example("saxpy.cl")));
    assert_eq!(digest(&of_text, 2), digest(&of_source, 2));
    let text = std::fs::read_to_string(&file).unwrap();
    let words = spirv::assemble(&text).unwrap();
    folder.write("little.spv", words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>());
    folder.write("big.spv", words.iter().flat_map(|w| w.to_be_bytes()).collect::<Vec<_>>());
    for name in ["little.spv", "big.spv"] {
        assert_eq!(digest(&folder.ok(&format!("run {name} {ARGS}")), 2), digest(&of_source, 2));
    }
}

#[test]
fn binaries_and_ir_are_made() {
    let folder = Folder::new();
    let file = data("saxpy.spvasm");
    folder.ok(&format!("compile {file} -o out.bin"));
    folder.ok(&format!("run out.bin {ARGS}"));
    let ir = folder.ok(&format!("opt --passes 'llvm(sroa)' {file} --verify-each"));
    assert!(ir.contains("define spir_kernel void @saxpy(float %a, ptr addrspace(1) %x"), "{ir}");
}

#[test]
fn errors_name_the_line_or_the_word() {
    let folder = Folder::new();
    folder.write("wrong.spvasm", "OpCapability Kernel\nOpFly %x\n");
    let said = folder.fails(1, "run wrong.spvasm -g 1");
    assert!(said.contains("line 2") && said.contains("OpFly"), "{said}");
    let text = std::fs::read_to_string(data("saxpy.spvasm")).unwrap();
    folder.write("type.spvasm", text.replace("OpFMul %float %a %xi", "OpFMul %float %a %i"));
    let said = folder.fails(1, "run type.spvasm -g 1");
    assert!(said.contains("SPIR-V word ") && said.contains("OpFMul") && said.contains("i64"), "{said}");
    folder.write("odd.spv", [3, 2, 0x23, 7, 0, 0]);
    assert!(folder.fails(1, "run odd.spv -g 1").contains("6 bytes"));
}

#[test]
fn kernels_print() {
    let folder = Folder::new();
    let text = r#"
        OpCapability Addresses
        OpCapability Kernel
        OpCapability Int8
        OpCapability Int64
        %ocl = OpExtInstImport "OpenCL.std"
        OpMemoryModel Physical64 OpenCL
        OpEntryPoint Kernel %k "k" %format
        %void = OpTypeVoid
        %char = OpTypeInt 8 0
        %int = OpTypeInt 32 0
        %float = OpTypeFloat 32
        %float2 = OpTypeVector %float 2
        %n = OpConstant %int 15
        %arr = OpTypeArray %char %n
        %c_arr = OpTypePointer UniformConstant %arr
        %c_char = OpTypePointer UniformConstant %char
        %h = OpConstant %char 104
        %i = OpConstant %char 105
        %b = OpConstant %char 32
        %p = OpConstant %char 37
        %d = OpConstant %char 100
        %v = OpConstant %char 118
        %two_ = OpConstant %char 50
        %h_ = OpConstant %char 104
        %l = OpConstant %char 108
        %f = OpConstant %char 102
        %dot = OpConstant %char 46
        %one_ = OpConstant %char 49
        %newline = OpConstant %char 10
        %nul = OpConstant %char 0
        %bytes = OpConstantComposite %arr %h %i %b %p %d %b %p %v %two_ %h_ %l %f %newline %nul %nul
        %format = OpVariable %c_arr UniformConstant %bytes
        %seven = OpConstant %int 7
        %zero = OpConstant %int 0
        %half = OpConstant %float 0.5
        %both = OpConstantComposite %float2 %half %half
        %type = OpTypeFunction %void
        %k = OpFunction %void None %type
        %entry = OpLabel
        %at = OpInBoundsAccessChain %c_char %format %zero
        %printed = OpExtInst %int %ocl printf %at %seven %both
        OpReturn
        OpFunctionEnd
    "#;
    folder.write("print.spvasm", text);
    let said = folder.ok("run print.spvasm -g 1");
    assert!(said.contains("hi 7 0.500000,0.500000"), "{said}");
}

/// Relaxed atomics of the work-group's scope are what Khronos' translator makes of `atomic_inc`.
#[test]
fn scopes_of_atomics_in_checked_mode() {
    let folder = Folder::new();
    let kernel = |semantics: u32| {
        format!(
            r#"
            OpCapability Addresses
            OpCapability Kernel
            OpMemoryModel Physical64 OpenCL
            OpEntryPoint Kernel %k "k"
            %void = OpTypeVoid
            %int = OpTypeInt 32 0
            %pointer = OpTypePointer CrossWorkgroup %int
            %type = OpTypeFunction %void %pointer
            %workgroup = OpConstant %int 2
            %semantics = OpConstant %int {semantics}
            %k = OpFunction %void None %type
            %p = OpFunctionParameter %pointer
            %start = OpLabel
            %old = OpAtomicIIncrement %int %p %workgroup %semantics
            OpReturn
            OpFunctionEnd"#
        )
    };
    folder.write("relaxed.spvasm", kernel(0));
    folder.write("sequential.spvasm", kernel(16));
    folder.ok("run relaxed.spvasm --check -g 64 -l 16 --arg zeros:16");
    let found = folder.fails(3, "run sequential.spvasm --check=races -g 64 -l 16 --arg zeros:16");
    assert_eq!(found, "1 mistake found");
}
