//! What a module says beside its code becomes LLVM's metadata: debug information and alias scopes.

use lanewise_spirv::{DeviceInfo, SpecializationInfo, assemble, translate};

fn ir(text: &str) -> String {
    let code = assemble(text).unwrap_or_else(|e| panic!("{e}"));
    let given = SpecializationInfo::default();
    let context = llvm::Context::new();
    let module = translate(&context, &code, &DeviceInfo::default(), &given);
    module.unwrap_or_else(|e| panic!("{e}")).to_string()
}

#[track_caller]
fn has(ir: &str, parts: &[&str]) {
    for part in parts {
        assert!(ir.contains(part), "no '{part}' in\n{ir}");
    }
}

fn module(sets: &str, strings: &str, globals: &str, body: &str) -> String {
    format!(
        "OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64\n\
         OpExtension \"SPV_KHR_non_semantic_info\"\n\
         {sets}\nOpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\"\n\
         %path = OpString \"/src/kernels/add.cl\"\n{strings}\nOpName %k \"k\"\n\
         %void = OpTypeVoid\n%int = OpTypeInt 32 0\n%g_int = OpTypePointer CrossWorkgroup %int\n\
         %p_int = OpTypePointer Function %int\n%one = OpConstant %int 1\n\
         %type = OpTypeFunction %void %g_int\n{globals}\n\
         %k = OpFunction %void None %type\n%p = OpFunctionParameter %g_int\n%entry = OpLabel\n{body}\n\
         OpReturn\nOpFunctionEnd\n"
    )
}

#[test]
fn alias_scopes() {
    let ir = ir(include_str!("modules/alias_scopes_are_noted.spvasm"));
    let store = ir.lines().find(|l| l.contains("!alias.scope")).unwrap_or_else(|| panic!("{ir}"));
    let load = ir.lines().find(|l| l.contains("!noalias")).unwrap_or_else(|| panic!("{ir}"));
    assert!(store.contains("store i32") && load.contains("load i32"), "{ir}");
    let list = |line: &str| line.rsplit('!').next().unwrap().to_owned();
    assert_eq!(list(store), list(load), "both name the same list of scopes");
}

#[test]
fn lines_alone() {
    let body = "OpLine %path 7 3\n%x = OpLoad %int %p\nOpLine %path 8 5\n%y = OpIAdd %int %x %one\n\
        OpStore %p %y\nOpNoLine";
    let ir = ir(&module("", "", "", body));
    has(
        &ir,
        &[
            "!DIFile(filename: \"add.cl\", directory: \"/src/kernels\")",
            "distinct !DISubprogram(name: \"k\"",
            "!DILocation(line: 7, column: 3",
            "!DILocation(line: 8, column: 5",
            "!\"Debug Info Version\", i32 3",
        ],
    );
}

/// The same program in both sets; numbers are literals in one and constants in the other.
fn described(name: &str, literal: impl Fn(u32) -> String, tail: &str) -> String {
    let n = literal;
    let strings = "%s_k = OpString \"add\"\n%s_int = OpString \"int\"\n%s_v = OpString \"sum\"\n\
        %s_node = OpString \"node\"\n\
        %s_next = OpString \"next\"\n%s_p = OpString \"p\"";
    let parent = if name.starts_with("OpenCL") { " %composite" } else { "" };
    let extra = if name.starts_with("OpenCL") { "" } else { " %c0" };
    let globals = format!(
        "%c0 = OpConstant %int 0\n%c1 = OpConstant %int 1\n%c2 = OpConstant %int 2\n%c3 = OpConstant %int 3\n\
         %c4 = OpConstant %int 4\n%c5 = OpConstant %int 5\n%c7 = OpConstant %int 7\n\
         %c12 = OpConstant %int 12\n\
         %c32 = OpConstant %int 32\n%c64 = OpConstant %int 64\n\
         %none = OpExtInst %void %set DebugInfoNone\n%source = OpExtInst %void %set DebugSource %path\n\
         %unit = OpExtInst %void %set DebugCompilationUnit {c1} {c5} %source {c3}\n\
         %t_int = OpExtInst %void %set DebugTypeBasic %s_int %c32 {signed}{extra}\n\
         %composite = OpExtInst %void %set DebugTypeComposite %s_node {c1} %source {c2} {c0} %unit \
         %s_node %c64 {c0} %member\n\
         %member = OpExtInst %void %set DebugTypeMember %s_next %t_p %source {c3} {c0}{parent} \
         %c0 %c64 {c0}\n\
         %t_p = OpExtInst %void %set DebugTypePointer %composite {c5} {c0}\n\
         %t_pi = OpExtInst %void %set DebugTypePointer %t_int {c5} {c0}\n\
         %t_f = OpExtInst %void %set DebugTypeFunction {c0} %none %t_pi\n\
         FUNCTION\n\
         %block = OpExtInst %void %set DebugLexicalBlock %source {c12} {c4} %f\n\
         %v_sum = OpExtInst %void %set DebugLocalVariable %s_v %t_int %source {c12} {c7} %block {c0}\n\
         %v_node = OpExtInst %void %set DebugLocalVariable %s_node %t_p %source {c12} {c7} %block {c0}\n\
         %v_p = OpExtInst %void %set DebugLocalVariable %s_p %t_pi %source {c12} {c7} %f {c0} {c1}\n\
         %plain = OpExtInst %void %set DebugExpression\n",
        c0 = n(0),
        c1 = n(1),
        c2 = n(2),
        c3 = n(3),
        c4 = n(4),
        c5 = n(5),
        c7 = n(7),
        c12 = n(12),
        signed = n(4),
    );
    let function = format!(
        "%f = OpExtInst %void %set DebugFunction %s_k %t_f %source {} {} %unit %s_k {} {}{tail}",
        n(12),
        n(1),
        n(0),
        n(12)
    );
    let globals = globals.replace("FUNCTION", &function);
    let body = "%var = OpVariable %p_int Function\n%var2 = OpVariable %p_int Function\nDEFINITION\n\
        %s0 = OpExtInst %void %set DebugScope %f\n%d1 = OpExtInst %void %set DebugValue %v_p %p %plain\n\
        %s1 = OpExtInst %void %set DebugScope %block\n\
        %d0 = OpExtInst %void %set DebugDeclare %v_sum %var %plain\n\
        %d2 = OpExtInst %void %set DebugDeclare %v_node %var2 %plain\n\
        OpLine %path 13 9\n%x = OpLoad %int %p\nOpStore %var %x\n%no = OpExtInst %void %set DebugNoScope";
    let definition = if name.starts_with("OpenCL") {
        String::new()
    } else {
        "%def = OpExtInst %void %set DebugFunctionDefinition %f %k".to_owned()
    };
    let body = body.replace("DEFINITION", &definition);
    module(&format!("%set = OpExtInstImport \"{name}\""), strings, &globals, &body)
}

const EXPECTED: [&str; 9] = [
    "distinct !DISubprogram(name: \"add\"",
    "!DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)",
    "!DILocalVariable(name: \"sum\"",
    "!DILocalVariable(name: \"p\", arg: 1",
    "DIFlagFwdDecl",
    "!DIDerivedType(tag: DW_TAG_member, name: \"next\"",
    "!DILexicalBlock(scope:",
    "!DILocation(line: 13, column: 9, scope: !",
    "#dbg_declare(ptr %",
];

#[test]
fn the_opencl_set() {
    has(&ir(&described("OpenCL.DebugInfo.100", |n| n.to_string(), " %k")), &EXPECTED);
}

#[test]
fn the_non_semantic_set() {
    has(&ir(&described("NonSemantic.Shader.DebugInfo.100", |n| format!("%c{n}"), "")), &EXPECTED);
}

#[test]
fn sets_that_mean_nothing_are_passed_over() {
    let text = module(
        "%set = OpExtInstImport \"NonSemantic.Something\"",
        "",
        "%g = OpExtInst %void %set 5 %one %one",
        "%b = OpExtInst %void %set 3 %p",
    );
    has(&ir(&text), &["define spir_kernel void @k("]);
}

#[test]
fn information_that_is_wrong_is_left_out() {
    // A scope of itself, and a variable of no scope.
    let good = described("OpenCL.DebugInfo.100", |n| n.to_string(), " %k");
    for (from, to) in [
        ("DebugLexicalBlock %source 12 4 %f", "DebugLexicalBlock %source 12 4 %block"),
        ("DebugScope %block", "DebugScope %one"),
        ("%t_int %source 12 7 %block", "%t_int %source 12 7 %path"),
        ("DebugTypePointer %composite", "DebugTypePointer %t_p"),
        ("DebugDeclare %v_sum %var", "DebugDeclare %v_sum %one"),
        ("DebugDeclare %v_sum %var", "DebugDeclare %one %var"),
        ("%t_f %source 12 1", "%t_int %void 12 1"),
    ] {
        assert!(good.contains(from), "{from}");
        has(&ir(&good.replacen(from, to, 1)), &["define spir_kernel void @k("]);
    }
}
