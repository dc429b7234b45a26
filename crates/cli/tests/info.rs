//! `lanewise info`, for people and for programs.

mod common;

use common::Folder;
use std::process::Command;

/// Reads JSON: what follows a value, or where it is wrong.
fn value(text: &str) -> Result<&str, String> {
    let wrong = |text: &str| Err(format!("at {:?}", &text[..text.len().min(20)]));
    let text = text.trim_start();
    match text.chars().next() {
        Some('{') => list(&text[1..], '}', |text| {
            let rest = string(text.trim_start())?.trim_start();
            value(rest.strip_prefix(':').ok_or("a colon is missing")?)
        }),
        Some('[') => list(&text[1..], ']', value),
        Some('"') => string(text),
        Some(c) if c.is_ascii_digit() => Ok(text.trim_start_matches(|c: char| c.is_ascii_digit())),
        _ => match ["true", "false", "null"].iter().find_map(|word| text.strip_prefix(word)) {
            Some(rest) => Ok(rest),
            None => wrong(text),
        },
    }
}

fn list<'a>(
    text: &'a str,
    end: char,
    item: impl Fn(&'a str) -> Result<&'a str, String>,
) -> Result<&'a str, String> {
    if let Some(rest) = text.trim_start().strip_prefix(end) {
        return Ok(rest);
    }
    let mut rest = item(text)?.trim_start();
    while let Some(more) = rest.strip_prefix(',') {
        rest = item(more)?.trim_start();
    }
    rest.strip_prefix(end).ok_or_else(|| format!("{end} is missing"))
}

fn string(text: &str) -> Result<&str, String> {
    let mut rest = text.strip_prefix('"').ok_or("a quote is missing")?;
    loop {
        let at = rest.find(['"', '\\']).ok_or("a string does not end")?;
        match rest.as_bytes()[at] {
            b'"' => return Ok(&rest[at + 1..]),
            _ => rest = rest.get(at + 2..).ok_or("a string does not end")?,
        }
    }
}

#[test]
fn json_is_well_formed_and_says_what_there_is() {
    let folder = Folder::new();
    let mut command = folder.command("info --json");
    let text = common::ok(command.env("LANEWISE_DEVICES", "cpu,threads"), "info --json");
    assert_eq!(value(&text).map(str::trim), Ok(""), "{text}");
    for key in ["lanewise", "llvm", "opencl_c", "cpu_features", "devices", "id", "name", "compute_units"] {
        assert!(text.contains(&format!("\"{key}\": ")), "{key}: {text}");
    }
    assert!(text.contains("\"id\": \"cpu\"") && text.contains("\"id\": \"threads\""), "{text}");
    // Where there is Python, it has to agree.
    folder.write("info.json", &text);
    let script = "import json; d = json.load(open('info.json')); print(len(d['devices']), *d['opencl_c'])";
    if let Ok(output) = Command::new("python3").args(["-c", script]).current_dir(folder.path("")).output() {
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(said.trim(), "2 1.0 1.1 1.2 3.0 3.1", "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn the_versions_are_those_that_the_driver_lists() {
    let folder = Folder::new();
    let text = folder.ok("info");
    let line = text.lines().find(|line| line.starts_with("OpenCL C")).unwrap();
    let versions = compiler::Standard::complete(compiler::opencl_version()).map(|standard| {
        let (major, minor) = standard.version();
        format!("{major}.{minor}")
    });
    assert_eq!(line.split_once("  ").unwrap().1.trim(), versions.collect::<Vec<_>>().join(", "));
}
