//! `-g`, `-S` and `-cl-opt-disable` do what they say.

mod common;

use common::{Data, launch};
use compiler::pipeline::LateStage;
use compiler::{NdRange, Options, Output};
use lanewise_difftest::{Program, device};
use std::path::PathBuf;
use std::process::Command;

/// Line numbers matter: the kernel begins on line 4, its barrier is on line 9.
const SOURCE: &str = "int helper(int a) {
  return a * 3;
}
kernel void debugged(global int *out, int factor) {
  local int shared[64];
  int lid = get_local_id(0);
  int first_value = helper(lid) * factor;
  shared[lid] = first_value;
  barrier(CLK_LOCAL_MEM_FENCE);
  int second_value = shared[get_local_size(0) - 1 - lid];
  out[get_global_id(0)] = first_value * 1000 + second_value;
}
";

struct Built {
    ir: String,
    object: Vec<u8>,
}

fn built(options: &str, local_size: Option<[u64; 3]>) -> Built {
    let program = Program::build(SOURCE, options).unwrap_or_else(|e| panic!("{e}"));
    let options: Options = program.module().options().clone();
    let stage = LateStage {
        kernel: Some("debugged"),
        local_size,
        debug: options.debug,
        optimize: !options.opt_disable,
        ..LateStage::default()
    };
    let (info, bitcode) = (device().compiler(), program.module().bitcode());
    let mut lowered = compiler::lower(info, &bitcode, &options, &stage).unwrap();
    Built { ir: lowered.module.to_string(), object: lowered.generate(Output::Object).unwrap() }
}

/// What `llvm-dwarfdump` says of an object.
fn dwarf(object: &[u8], name: &str, args: &[&str]) -> String {
    let path = std::env::temp_dir().join(format!("lanewise-{}-{name}.o", std::process::id()));
    std::fs::write(&path, object).unwrap();
    let output = Command::new("llvm-dwarfdump-19").args(args).arg(&path).output();
    std::fs::remove_file(&path).unwrap();
    let output = output.expect("llvm-dwarfdump-19 comes with LLVM");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn results_do_not_depend_on_the_options() {
    for options in ["", "-g", "-cl-opt-disable", "-g -cl-opt-disable"] {
        let k = Program::build(SOURCE, options).unwrap().kernel("debugged").unwrap();
        for local in [8, 7, 64] {
            let out = Data::<i32>::zeros(64);
            launch(&k, NdRange::new(&[64], &[local]), &[out.arg(), common::value(2i32)]);
            let expected = (0..64).map(|g| {
                let (l, n) = (g % local, local.min(64 - g / local * local));
                (l * 6000 + (n - 1 - l) * 6) as i32
            });
            assert_eq!(out.get(), expected.collect::<Vec<_>>(), "'{options}', {local}");
        }
    }
}

#[test]
fn lines_of_the_kernel_are_in_the_object() {
    // Optimised code may merge lines, but not lose those that write memory.
    let all: &[u32] = &[2, 6, 7, 8, 10, 11];
    for (options, name, wanted) in [("-g", "lines", &[8, 11][..]), ("-g -cl-opt-disable", "lines-O0", all)] {
        for local_size in [None, Some([16, 1, 1])] {
            let table = dwarf(&built(options, local_size).object, name, &["--debug-line"]);
            assert!(table.contains("test.cl"), "{table}");
            let lines: Vec<u32> = table
                .lines()
                .filter(|l| l.starts_with("0x"))
                .filter_map(|l| l.split_whitespace().nth(1)?.parse().ok())
                .collect();
            for line in wanted {
                assert!(lines.contains(line), "'{options}': no code of line {line}\n{table}");
            }
        }
    }
}

/// The debug records of a variable in the IR.
fn records(ir: &str, variable: &str) -> Vec<String> {
    let is = |line: &&str| line.contains(&format!("!DILocalVariable(name: \"{variable}\""));
    let nodes: Vec<&str> = ir.lines().filter(is).filter_map(|l| l.split(' ').next()).collect();
    let of = |line: &&str| {
        line.trim_start().starts_with("#dbg_") && nodes.iter().any(|n| line.contains(&format!(" {n}, ")))
    };
    ir.lines().filter(of).map(str::to_owned).collect()
}

#[test]
fn variables_are_in_the_object() {
    for (options, name) in [("-g", "variables"), ("-g -cl-opt-disable", "variables-O0")] {
        for local_size in [None, Some([16, 1, 1])] {
            let built = built(options, local_size);
            let info = dwarf(&built.object, name, &["--debug-info"]);
            for variable in ["first_value", "second_value", "lid", "factor", "out"] {
                assert!(
                    info.contains(&format!("DW_AT_name\t(\"{variable}\")")),
                    "'{options}': {variable}\n{info}"
                );
                let records = records(&built.ir, variable);
                let located = records.iter().any(|r| !r.contains("poison") && !r.contains("undef"));
                assert!(
                    located,
                    "'{options}', {local_size:?}: {variable} has no place: {records:?}\n{}",
                    built.ir
                );
            }
        }
    }
}

#[test]
fn variables_without_optimisation_have_places_while_they_live() {
    // The debugger's view: the value is in memory for the whole function, before and after the
    // barrier.
    let ir = built("-g -cl-opt-disable", None).ir;
    assert!(ir.contains("!DILocalVariable(name: \"first_value\""), "{ir}");
    assert!(ir.contains("dbg_declare") || ir.contains("llvm.dbg.declare"), "{ir}");
}

#[test]
fn without_g_there_is_no_debug_information() {
    for options in ["", "-cl-opt-disable"] {
        let built = built(options, None);
        assert!(!built.ir.contains("!DILocation") && !built.ir.contains("!DISubprogram"));
        let has = |text: &[u8]| built.object.windows(text.len()).any(|w| w == text);
        assert!(!has(b".debug_line") && !has(b".debug_info"));
    }
}

#[test]
fn opt_disable_leaves_the_code_as_it_was_written() {
    let (with, without) = (built("", None), built("-cl-opt-disable", None));
    // Unoptimised code keeps its variables in memory.
    let allocas = |ir: &str| ir.matches("= alloca").count();
    assert!(allocas(&without.ir) > allocas(&with.ir), "{}", without.ir);
    assert!(!without.ir.contains("vector.body") && !without.ir.contains("<4 x i32>"));
}

#[test]
fn the_path_of_s_is_in_the_object_and_the_file_is_written_once() {
    let path: PathBuf = std::env::temp_dir().join(format!("lanewise-source-{}.cl", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let options = format!("-g -S {}", path.display());
    let object = built(&format!("-g -s {}", path.display()), None).object;
    assert_eq!(std::fs::read_to_string(&path).unwrap(), SOURCE);
    std::fs::write(&path, "kept").unwrap();
    let again = built(&options, None).object;
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "kept");
    std::fs::remove_file(&path).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    for object in [object, again] {
        assert!(dwarf(&object, "source", &["--debug-line"]).contains(name));
    }
}
