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
