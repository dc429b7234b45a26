//! LLVM IR as its own source: debug locations that name its own lines, so that what becomes of each
//! instruction can be followed where nothing tells of another source.

use std::fmt::Write as _;

/// The text of a module with a debug location on each instruction, its line in `text`, which is the
/// file of this path. `None` if it has debug information already, or is not as LLVM prints it.
pub fn with_own_lines(text: &str, path: &str) -> Option<String> {
    if text.contains("!DISubprogram(") || text.contains("!llvm.dbg.cu") {
        return None;
    }
    let is_id = |line: &str| line.starts_with('!') && line[1..].starts_with(|c: char| c.is_ascii_digit());
    let number = |line: &str| line[1..].split(' ').next().and_then(|id| id.parse::<usize>().ok());
    let mut next = text.lines().filter(|line| is_id(line)).filter_map(number).max().map_or(0, |id| id + 1);
    let (unit, file, types) = (next, next + 1, next + 2);
    next += 3;
    let mut ir = String::with_capacity(text.len() * 2);
    let mut nodes = String::new();
    let mut function = None;
    // The end of a `switch` or of another instruction that has several lines.
    let mut is_continued = false;
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with("define ") && line.ends_with('{') {
            let name = line.split_once('@')?.1.split('(').next()?.trim_matches('"');
            let _ = writeln!(
                nodes,
                "!{next} = distinct !DISubprogram(name: \"{}\", scope: !{file}, file: !{file}, line: \
                {number}, type: !{types}, scopeLine: {number}, spFlags: DISPFlagDefinition, unit: !{unit})",
                name.replace('"', "")
            );
            let _ = writeln!(ir, "{} !dbg !{next} {{", line.trim_end_matches('{').trim_end());
            function = Some(next);
            next += 1;
            continue;
        }
        if line == "}" {
            function = None;
        }
        let code = line.split(" ;").next().unwrap_or(line).trim_end();
        let is_instruction =
            line.starts_with("  ") && !code.trim().is_empty() && !code.trim_start().starts_with("#dbg");
        let is_order = code.trim_start().starts_with("uselistorder");
        match function {
            Some(scope) if is_instruction && !is_order && !code.contains("!dbg ") => {
                // `switch … [` goes on until `]`.
                let ends = if is_continued { code.trim() == "]" } else { !code.ends_with('[') };
                if ends {
                    let _ =
                        writeln!(nodes, "!{next} = !DILocation(line: {number}, column: 1, scope: !{scope})");
                    let _ = writeln!(ir, "{code}, !dbg !{next}");
                    next += 1;
                } else {
                    let _ = writeln!(ir, "{line}");
                }
                is_continued = !ends;
            }
            _ => {
                let _ = writeln!(ir, "{line}");
            }
        }
    }
    let flags = next;
    let has_flags = text.lines().any(|line| line.starts_with("!llvm.module.flags ="));
    let mark = "!llvm.module.flags = !{";
    if has_flags {
        ir = ir.replacen(mark, &format!("{mark}!{flags}, "), 1);
    }
    let path = path.replace(['"', '\\'], "_");
    let _ = writeln!(
        ir,
        "!llvm.dbg.cu = !{{!{unit}}}\n{}!{flags} = !{{i32 2, !\"Debug Info Version\", i32 3}}\n!{unit} = \
        distinct !DICompileUnit(language: DW_LANG_OpenCL, file: !{file}, isOptimized: true, \
        runtimeVersion: 0, emissionKind: NoDebug)\n!{file} = !DIFile(filename: \"{path}\", directory: \
        \"\")\n!{types} = !DISubroutineType(types: null)",
        if has_flags { String::new() } else { format!("{mark}!{flags}}}\n") }
    );
    ir += &nodes;
    Some(ir)
}

#[cfg(test)]
mod tests {
    use super::*;

    const IR: &str = "define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) #0 {\nentry:\n  %x = add i32 \
    %n, 1 ; a comment\n  \
        switch i32 %n, label %b [\n    i32 0, label %a\n  ]\n\na:                 ; preds = %entry\n  br \
        label %b\n\n\
        b:\n  store i32 %x, ptr addrspace(1) %p, align 4, !tbaa !0\n  ret void\n}\n\nattributes #0 = { \
        nounwind }\n\n\
        !llvm.module.flags = !{!3}\n\n!0 = !{!1, !1, i64 0}\n!1 = !{!\"int\", !2}\n!2 = !{!\"root\"}\n!3 = \
        !{i32 1, !\"wchar_size\", i32 4}\n";

    #[test]
    fn instructions_have_their_lines() {
        for text in [IR.to_owned(), IR.replace("!llvm.module.flags = !{!3}\n", "")] {
            let ir = with_own_lines(&text, "/a/k.ll").unwrap();
            let context = llvm::Context::new();
            let module =
                llvm::Module::parse(&context, ir.as_bytes(), "k.ll").unwrap_or_else(|e| panic!("{e}\n{ir}"));
            module.verify().unwrap();
            let f = module.function("k").unwrap();
            let lines: Vec<u32> = f
                .blocks()
                .into_iter()
                .flat_map(|b| b.instructions())
                .filter_map(|i| i.debug_line().map(|(line, _)| line))
                .collect();
            assert_eq!(lines, [3, 6, 9, 12, 13]);
        }
    }

    #[test]
    fn other_debug_information_stays() {
        assert_eq!(with_own_lines("!5 = distinct !DISubprogram(name: \"k\")\n", "k.ll"), None);
    }
}
