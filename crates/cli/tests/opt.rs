//! `lanewise opt`: each pass alone, on hand-written IR and on IR that another tool wrote.

mod common;

use common::{Folder, data};

fn opt(passes: &str, file: &str) -> String {
    Folder::new().ok(&format!("opt --passes '{passes}' {file} --verify-each"))
}

/// A module with the canonical kernel `k`, the rest of it as given.
fn module(folder: &Folder, body: &str) {
    let text = format!(
        "declare i64 @__mux_get_global_id(i32)\n\
         declare i64 @__mux_get_local_id(i32)\n\
         declare void @__mux_work_group_barrier(i32, i32, i32)\n\
         @tile = internal addrspace(3) global [16 x i32] undef, align 4\n\
         define spir_kernel void @k(ptr addrspace(1) %out) #0 {{\n{body}\n  ret void\n}}\n\
         attributes #0 = {{ \"mux-kernel\"=\"entry-point\" }}\n"
    );
    folder.write("in.ll", text);
}

const STORE_ID: &str = "  %i = call i64 @__mux_get_global_id(i32 0)\n  \
    %p = getelementptr i64, ptr addrspace(1) %out, i64 %i\n  store i64 %i, ptr addrspace(1) %p";

const BARRIER: &str = "  %l = call i64 @__mux_get_local_id(i32 0)\n  \
    %p = getelementptr [16 x i32], ptr addrspace(3) @tile, i64 0, i64 %l\n  \
    store i32 1, ptr addrspace(3) %p\n  \
    call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)\n  \
    %v = load i32, ptr addrspace(3) %p\n  store i32 %v, ptr addrspace(1) %out";

#[test]
fn each_pass_alone_on_written_code() {
    let folder = Folder::new();
    let passes = |body: &str, passes: &str| {
        module(&folder, body);
        folder.ok(&format!("opt --passes '{passes}' in.ll --verify-each"))
    };
    assert!(passes(STORE_ID, "transfer-kernel-metadata").contains("\"mux-kernel\"=\"entry-point\""));
    let marked = passes(STORE_ID, "encode-kernel-metadata<kernel=k;local=8:4:1;dims=2>");
    assert!(marked.contains("!reqd_work_group_size") && marked.contains("i32 8, i32 4, i32 1"), "{marked}");
    assert!(passes(STORE_ID, "lower-to-mux-builtins").contains("@__mux_get_global_id(i32 0)"));
    assert!(passes(STORE_ID, "link-builtins").contains("@k("));
    assert!(passes(BARRIER, "prepare-barriers").contains("@__mux_work_group_barrier(i32 0"));
    assert!(passes(STORE_ID, "mark-group-agnostic").contains("\"mux-group-agnostic\""));
    assert!(!passes(BARRIER, "mark-group-agnostic").contains("\"mux-group-agnostic\""));
    let loops = passes(STORE_ID, "work-item-loops");
    assert!(loops.contains("@k.mux-barrier-wrapper(") && loops.contains("phi i64"), "{loops}");
    let loops = passes(BARRIER, "work-item-loops<debug>");
    assert!(loops.contains("@k.mux-barrier-region.1("), "{loops}");
    let locals = passes(BARRIER, "replace-local-module-scope-variables");
    assert!(
        locals.contains("%localVarTypes = type { <{ [16 x i32] }> }") && !locals.contains("@tile"),
        "{locals}"
    );
    assert!(passes(STORE_ID, "add-scheduling-parameters").contains("!mux_scheduled_fn"));
    assert!(
        passes(STORE_ID, "add-scheduling-parameters,define-mux-builtins")
            .contains("define internal i64 @__mux_get_global_id")
    );
    assert!(passes(STORE_ID, "fix-calling-conventions").contains("define void @k("));
    let packed = passes(STORE_ID, "add-scheduling-parameters,add-kernel-wrapper");
    assert!(packed.contains(".mux-kernel-wrapper(ptr"), "{packed}");
    let hook = passes(STORE_ID, "add-scheduling-parameters,add-kernel-wrapper,add-entry-hook,add-metadata");
    assert!(hook.contains(".host-entry-hook(ptr") && hook.contains("section \".note.lanewise\""), "{hook}");
}

#[test]
fn passes_refuse_what_they_cannot_handle() {
    let folder = Folder::new();
    let fails = |body: &str, passes: &str| {
        module(&folder, body);
        folder.fails(1, &format!("opt --passes '{passes}' in.ll"))
    };
    for pass in ["add-entry-hook", "add-metadata", "add-kernel-wrapper", "define-mux-builtins"] {
        let message = fails(STORE_ID, pass);
        assert!(message.starts_with(&format!("in.ll: {pass}: in function 'k': ")), "{message}");
    }
    let message = fails(STORE_ID, "encode-kernel-metadata<kernel=j>");
    assert!(message.contains("the module defines no function 'j'"), "{message}");
    // The function and the instruction are named.
    let message = fails(
        "  %n = load i64, ptr addrspace(1) %out\n  %a = alloca i32, i64 %n\n  store i32 1, ptr %a\n  \
        call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)\n  %v = load i32, ptr %a\n  \
        store i32 %v, ptr addrspace(1) %out",
        "work-item-loops",
    );
    assert!(message.contains("in function 'k'") && message.contains("%a = alloca i32, i64 %n"), "{message}");
}

#[test]
fn code_that_other_tools_wrote() {
    for file in ["clang15.ll", "clang19.ll", "plain.ll"] {
        let file = data(file);
        let canonical = "transfer-kernel-metadata,lower-to-mux-builtins";
        for pass in [
            "link-builtins",
            "prepare-barriers",
            "mark-group-agnostic",
            "work-item-loops",
            "replace-local-module-scope-variables",
            "add-scheduling-parameters",
            "work-item-loops,add-scheduling-parameters,define-mux-builtins",
            "fix-calling-conventions",
            "llvm(instcombine,simplifycfg)",
        ] {
            opt(pass, &file);
            opt(&format!("{canonical},{pass}"), &file);
        }
        let all = opt(
            "transfer-kernel-metadata,lower-to-mux-builtins,link-builtins,mark-group-agnostic,\
             prepare-barriers,work-item-loops,replace-local-module-scope-variables,\
             add-scheduling-parameters,add-kernel-wrapper,define-mux-builtins,\
             add-entry-hook,add-metadata,fix-calling-conventions,llvm(default<O2>)",
            &file,
        );
        assert!(all.contains(".host-entry-hook(ptr"), "{all}");
        // The module keeps its triple.
        let spir = all.contains("target triple = \"spir64-unknown-unknown\"");
        assert_eq!(spir, !file.ends_with("plain.ll"));
    }
}

#[test]
fn what_is_seen_of_a_run() {
    let folder = Folder::new();
    module(&folder, STORE_ID);
    let errors = |options: &str| {
        let line = format!("opt --passes 'mark-group-agnostic,llvm(instcombine)' in.ll -o out.ll {options}");
        let output = folder.command(&line).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(errors(""), "");
    let all = errors("--print-after-all");
    assert_eq!(all.matches("; *** IR after ").count(), 2, "{all}");
    let one = errors("--print-after=mark-group-agnostic");
    assert!(one.starts_with("; *** IR after mark-group-agnostic ***\n"), "{one}");
    assert_eq!(one.matches("; *** IR after ").count(), 1);
    let table = errors("--time-passes");
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].ends_with("step") && lines[1].ends_with("mark-group-agnostic"), "{table}");
    assert!(lines[2].contains("llvm(instcombine") && lines[3].ends_with("100.0 %  all"), "{table}");
    assert!(folder.read("out.ll").starts_with(b"; ModuleID"));
    folder.ok("opt --passes mark-group-agnostic in.ll -o out.bc");
    assert!(folder.read("out.bc").starts_with(b"BC"));
    assert!(folder.ok("opt --passes mark-group-agnostic out.bc").contains("mux-group-agnostic"));
}

#[test]
fn pipelines_that_make_no_sense() {
    let folder = Folder::new();
    module(&folder, STORE_ID);
    let fails = |passes: &str| folder.fails(1, &format!("opt --passes '{passes}' in.ll"));
    let message = fails("prepare-bariers");
    assert!(
        message.starts_with("--passes: unknown pass 'prepare-bariers'; there are llvm(…) and "),
        "{message}"
    );
    assert!(message.contains("prepare-barriers") && message.contains("add-entry-hook"), "{message}");
    assert!(fails("llvm(nonsense)").contains("unknown pass name 'nonsense'"));
    assert!(fails("work-item-loops<fast>").contains("unknown option 'fast'"));
    assert!(fails("work-item-loops,").contains("empty pass name"));
    assert_eq!(
        folder.fails(1, "opt --passes prepare-barriers --print-after=work-item-loops in.ll"),
        "--print-after: work-item-loops is not in the pipeline; the pipeline has prepare-barriers"
    );
}

#[test]
fn passes_are_listed() {
    let list = Folder::new().ok("opt --list");
    for name in ["work-item-loops ", "link-builtins ", "add-entry-hook ", "llvm(…) ", "canonical ", "late "]
    {
        assert!(list.lines().any(|line| line.starts_with(name)), "{list}");
    }
    let list = Folder::new().ok("opt --list --target native-cpu");
    assert!(list.contains("\nadd-sub-handler ") && !list.contains("\nadd-entry-hook "), "{list}");
    let message = Folder::new().fails(2, "opt --target gpu --list");
    assert_eq!(message, "--target: there is no target 'gpu'; there are cpu, native-cpu, threads");
}

#[test]
fn the_device_and_versions() {
    let info = Folder::new().ok("info");
    for row in
        ["device ", "CPU ", "threads ", "vectors ", "memory ", "lanewise ", "LLVM ", "OpenCL C ", "features "]
    {
        assert!(info.lines().any(|line| line.starts_with(row)), "{row}: {info}");
    }
    assert!(info.lines().all(|line| line.chars().count() <= 100), "{info}");
}

#[test]
fn filetests_are_run_and_blessed() {
    let folder = Folder::new();
    module(&folder, STORE_ID);
    let ir = String::from_utf8(folder.read("in.ll")).unwrap();
    let test = |name: &str, directives: &str| folder.write(name, format!("; A test.\n{directives}\n{ir}"));
    std::fs::create_dir(folder.path("tests")).unwrap();
    test("tests/good.ll", "; run: mark-group-agnostic\n; check: \"mux-group-agnostic\"");
    test("tests/error.ll", "; run: add-entry-hook\n; error: in function 'k': the kernel does not take");
    assert_eq!(folder.ok("opt --test tests"), "tests/error.ll: ok\ntests/good.ll: ok\n");

    test("bad.ll", "; run: mark-group-agnostic\n; label: @k(\n; check: store i64 %j,\n; count: 3 call");
    let message = folder.fails(1, "opt --test tests bad.ll");
    assert_eq!(message, "1 of 3 filetests failed");
    assert_eq!(folder.ok("opt --test bad.ll --bless"), "bad.ll: blessed\n");
    let blessed = String::from_utf8(folder.read("bad.ll")).unwrap();
    assert!(
        blessed.contains("; check: store i64 %i, ptr addrspace(1) %p, align 4\n; count: 1 call\n"),
        "{blessed}"
    );
    assert_eq!(folder.ok("opt --test bad.ll"), "bad.ll: ok\n");

    // A `not` that fails is a decision, and no file is written for it.
    test("not.ll", "; run: mark-group-agnostic\n; not: mux-group-agnostic");
    let before = folder.read("not.ll");
    folder.fails(1, "opt --test not.ll --bless");
    assert_eq!(folder.read("not.ll"), before);

    // A new test gets all lines, or the error.
    test("new.ll", "; run: mark-group-agnostic");
    assert_eq!(folder.fails(1, "opt --test new.ll"), "1 of 1 filetests failed");
    assert_eq!(folder.ok("opt --test new.ll --bless"), "new.ll: blessed\n");
    let blessed = String::from_utf8(folder.read("new.ll")).unwrap();
    assert!(blessed.contains("; next: %i = call i64 @__mux_get_global_id(i32 0)\n"), "{blessed}");

    let missing = folder.fails(2, "opt --test");
    assert!(missing.contains("Give filetests, or folders of them"), "{missing}");
    assert!(folder.fails(2, "opt --passes x --bless in.ll").contains("--bless goes with --test"));
    assert!(folder.fails(2, "opt --passes x --test in.ll").contains("in its `; run:` line"));
}
