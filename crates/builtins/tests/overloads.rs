//! Every function in every overload that clang declares is in the library, or defined by a pass.
//!
//! The list is clang's own header `opencl-c.h`, preprocessed for our features: each declaration becomes a function that
//! calls it. The calls are resolved against clang's table of builtins, which is what kernels see.

use clc::{Options, Profile};
use llvm::Context;
use std::collections::BTreeMap;
use std::process::Command;

/// Functions that are not of the library: passes define them, or there is no such feature.
const NOT_HERE: &[&str] = &[
    "get_work_dim",
    "get_global_size",
    "get_global_id",
    "get_local_size",
    "get_enqueued_local_size",
    "get_local_id",
    "get_num_groups",
    "get_group_id",
    "get_global_offset",
    "get_global_linear_id",
    "get_local_linear_id",
    "barrier",
    "work_group_barrier",
    "mem_fence",
    "read_mem_fence",
    "write_mem_fence",
    "atomic_work_item_fence",
    "get_fence",
    "printf",
];

/// Mathematics that is still being written. A name leaves this list when all of it is there.
const PENDING: &str = "acos acosh acospi asin asinh asinpi atan atan2 atan2pi atanh atanpi cbrt cos cosh cospi erf erfc exp \
    exp10 exp2 expm1 fmod fract frexp half_cos half_exp half_exp10 half_exp2 half_log half_log10 \
    half_log2 half_powr half_sin half_tan hypot ilogb ldexp lgamma lgamma_r log log10 log1p log2 logb \
    modf nan native_cos native_exp native_exp10 native_exp2 native_log native_log10 native_log2 \
    native_powr native_sin native_tan nextafter pow pown powr remainder remquo rootn sin sincos sinh \
    sinpi tan tanh tanpi tgamma";

fn clang() -> String {
    let named = Command::new("clang-19").arg("--version").output();
    if named.is_ok_and(|out| out.status.success()) { "clang-19" } else { "/usr/lib/llvm-19/bin/clang" }
        .to_owned()
}

/// The declarations of the header, as types and names: the result, the function, its parameters.
fn declarations(standard: &str) -> Vec<(String, String, Vec<String>)> {
    let names = || clc::TABLE.iter().filter(|c| c.supported).map(|c| c.name);
    let switches: String = names().map(|name| format!(",+{name}")).collect();
    let defines = names().chain(clc::FLOAT_ATOMICS.iter().copied()).map(|name| format!("-D{name}=1"));
    let out = Command::new(clang())
        .args([
            "-E",
            "-P",
            "-x",
            "cl",
            "--target=spir64-unknown-unknown",
            &format!("-cl-std={standard}"),
            "-w",
        ])
        .args(["-Xclang", &format!("-cl-ext=-all{switches}"), "-U__SPIR__", "-U__IMAGE_SUPPORT__"])
        .args(defines.filter(|_| standard == "CL3.0"))
        .args(["-include", "opencl-c.h", "/dev/null"])
        .output()
        .expect("clang 19 is installed");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8(out.stdout).expect("the header is ASCII");
    let text = remove_attributes(&text).split_whitespace().collect::<Vec<_>>().join(" ");
    let mut found = Vec::new();
    for statement in text.split(';') {
        let Some((head, rest)) = statement.split_once('(') else { continue };
        let Some(params) = rest.trim_end().strip_suffix(')') else { continue };
        let Some((result, name)) = head.trim().rsplit_once(' ') else { continue };
        if ["typedef", "=", "{", "}", "image", "sampler", "queue", "pipe", "reserve_id", "clk_event"]
            .iter()
            .any(|word| statement.contains(word))
        {
            continue;
        }
        let params = params.split(',').map(|p| p.trim().to_owned()).filter(|p| p != "void" && !p.is_empty());
        found.push((result.to_owned(), name.to_owned(), params.collect()));
    }
    found
}

fn remove_attributes(text: &str) -> String {
    let mut rest = text;
    let mut out = String::new();
    while let Some(at) = rest.find("__attribute__") {
        out += &rest[..at];
        let mut depth = 0;
        let end = rest[at..].char_indices().find(|(_, c)| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            *c == ')' && depth == 0
        });
        rest = &rest[at + end.expect("parentheses match").0 + 1..];
    }
    out + rest
}

/// A function that calls another one with the arguments it is given.
fn caller(i: usize, (result, name, params): &(String, String, Vec<String>)) -> String {
    let types: Vec<_> = params.iter().map(|p| parameter_type(p)).collect();
    let list: Vec<_> = types.iter().enumerate().map(|(i, ty)| format!("{ty} a{i}")).collect();
    let args: Vec<_> = (0..types.len()).map(|i| format!("a{i}")).collect();
    let (result, args, list) = (result.replace("const", ""), args.join(", "), list.join(", "));
    let give = if result.trim() == "void" { "" } else { "return " };
    format!("{result} call{i}({list}) {{ {give}{name}({args}); }}\n")
}

/// A parameter without its name.
fn parameter_type(text: &str) -> String {
    let text = text.replace("event_t*", "event_t *");
    match text.rsplit_once([' ', '*']) {
        Some((ty, name))
            if !name.is_empty() && ty.len() > 1 && !is_type_word(name) && !qualifiers_only(ty) =>
        {
            text[..text.len() - name.len()].to_owned()
        }
        _ => text,
    }
}

fn qualifiers_only(ty: &str) -> bool {
    ty.split_whitespace().all(|word| {
        [
            "const",
            "volatile",
            "__global",
            "__local",
            "__private",
            "__constant",
            "__generic",
            "unsigned",
            "global",
        ]
        .contains(&word)
    })
}

fn is_type_word(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let scalars = [
        "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double",
        "size_t", "bool", "void",
    ];
    scalars.contains(&stem)
        || stem.ends_with("_t")
        || name.starts_with("atomic_")
        || name.starts_with("memory_")
}

/// The functions that are called and defined nowhere, with the manglings of each.
fn missing(standard: &str) -> (usize, BTreeMap<String, Vec<String>>) {
    let declarations = declarations(standard);
    let wanted: Vec<_> =
        declarations.iter().filter(|(_, name, _)| !NOT_HERE.contains(&name.as_str())).collect();
    let mut missing: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let context = Context::new();
    let options = Options::parse(&format!("-cl-std={standard} -w"), &[]).unwrap();
    for chunk in wanted.chunks(4000) {
        let mut source = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n".to_owned();
        source.extend(chunk.iter().enumerate().map(|(i, declaration)| caller(i, declaration)));
        let output = clc::compile(&context, &source, "all.cl", Profile::Full, &options, &[]);
        let module = output.module.unwrap_or_else(|| panic!("{}", output.log));
        let declared = module.functions().into_iter().filter(|f| f.is_declaration() && !f.is_intrinsic());
        for name in declared.map(|f| f.name()).filter(|name| !lanewise_builtins::contains(name)) {
            let plain = wanted.iter().find(|w| name.contains(&format!("{}{}", w.1.len(), w.1)));
            missing.entry(plain.map_or_else(|| name.clone(), |w| w.1.clone())).or_default().push(name);
        }
    }
    (wanted.len(), missing)
}

#[test]
fn every_overload_is_defined() {
    for standard in ["CL1.2", "CL2.0", "CL3.0"] {
        let (count, missing) = missing(standard);
        println!("{standard}: {count} overloads");
        for (name, manglings) in &missing {
            println!("  {name}: {} missing, such as {}", manglings.len(), manglings[0]);
        }
        assert!(count > 9000, "only {count} declarations were found");
        let pending: Vec<_> = PENDING.split_whitespace().collect();
        let absent: Vec<_> = missing.keys().filter(|name| !pending.contains(&name.as_str())).collect();
        assert!(absent.is_empty(), "missing in {standard}: {absent:?}");
    }
}
