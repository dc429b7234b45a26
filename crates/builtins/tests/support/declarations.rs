//! The functions of OpenCL C as clang declares them: its header `opencl-c.h`, preprocessed for our
//! features.
#![allow(dead_code)]

use std::process::Command;

/// A function: its result, its name, the types of its parameters.
pub struct Declaration {
    pub result: String,
    pub name: String,
    pub params: Vec<String>,
}

/// What is in declarations of features that there are not, and in what is no declaration of a
/// function.
const OTHER_FEATURES: &[&str] = &[
    "typedef",
    "=",
    "{",
    "}",
    "image",
    "sampler",
    "queue",
    "pipe",
    "reserve_id",
    "clk_event",
    "ndrange",
    "user_event",
    "work_group_all",
    "work_group_any",
    "work_group_broadcast",
    "work_group_reduce",
    "work_group_scan",
    "sub_group",
];

fn clang() -> String {
    let named = Command::new("clang-19").arg("--version").output();
    if named.is_ok_and(|out| out.status.success()) { "clang-19" } else { "/usr/lib/llvm-19/bin/clang" }
        .to_owned()
}

/// The declarations for a version of the language.
pub fn declarations(standard: &str, device: &clc::Device) -> Vec<Declaration> {
    let names = || clc::TABLE.iter().filter(|c| c.is_supported(device)).map(|c| c.name);
    let switches: String = names().map(|name| format!(",+{name}")).collect();
    let defines = names().chain(clc::float_atomics(device)).map(|name| format!("-D{name}=1"));
    let out = Command::new(clang())
        .args([
            "-E",
            "-P",
            "-x",
            "cl",
            &format!("--target={}", device.triple()),
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
    let text: String =
        text.lines().filter(|line| !line.starts_with('#')).flat_map(|line| [line, "\n"]).collect();
    let text = remove_attributes(&text).split_whitespace().collect::<Vec<_>>().join(" ");
    let mut found = Vec::new();
    for statement in text.split(';') {
        let Some((head, rest)) = statement.split_once('(') else { continue };
        let Some(params) = rest.trim_end().strip_suffix(')') else { continue };
        let Some((result, name)) = head.trim().rsplit_once(' ') else { continue };
        if OTHER_FEATURES.iter().any(|word| statement.contains(word)) {
            continue;
        }
        let params = params.split(',').map(|p| p.trim().to_owned()).filter(|p| p != "void" && !p.is_empty());
        found.push(Declaration {
            result: result.replace("const", "").trim().to_owned(),
            name: name.to_owned(),
            params: params.map(|p| parameter_type(&p)).collect(),
        });
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
