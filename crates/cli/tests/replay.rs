//! Dumps of `LANEWISE_DUMP` can be replayed: the command in the header of each file makes it from
//! the file before.

mod common;

use common::{Folder, example, ok};
use compiler::pipeline::{LateStage, RangeSize, Vectorizers};
use compiler::{Info, Options, PassMachinery};
use passes::{KnownArgument, Pipeline};
use std::collections::BTreeSet;

/// IR as LLVM prints it after parsing, without details that text does not keep or a parser makes
/// anew:
///
/// - Names of local values: LLVM makes them unique by a counter that parsing resets (`%x7` or
///   `%x1`), and the parameters of declarations have none.
/// - The order of metadata attachments is that in which a context met their kinds.
/// - Attributes of intrinsics are set by the parser, whatever a pass made of them.
/// - The names of predecessors, in comments, are in the order of use-lists, which only dumps keep.
fn comparable(text: &str) -> String {
    let context = llvm::Context::new();
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || "!_.-".contains(c)));
    let kinds: BTreeSet<&str> = words.filter_map(|word| word.strip_prefix('!')).collect();
    for kind in kinds.into_iter().filter(|kind| kind.starts_with(|c: char| c.is_ascii_alphabetic())) {
        context.metadata_kind(kind);
    }
    let module =
        llvm::Module::parse(&context, text.as_bytes(), "dump").unwrap_or_else(|e| panic!("{e}\n{text}"));
    for function in module.functions() {
        function.params().into_iter().for_each(|param| param.set_name(""));
        for block in function.blocks() {
            block.set_name("");
            block.instructions().into_iter().for_each(|i| i.set_name(""));
        }
    }
    let text = module.to_string();
    text.lines()
        .map(|line| line.split("; preds =").next().unwrap_or(line).trim_end().to_owned() + "\n")
        .collect()
}

/// The dumps of a command, in their order, with their text.
fn dumps(folder: &Folder, line: &str) -> Vec<(String, String)> {
    let _ = std::fs::remove_dir_all(folder.path("dump"));
    ok(folder.command(line).env("LANEWISE_DUMP", "dump"), line);
    let mut names: Vec<String> = std::fs::read_dir(folder.path("dump"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.ends_with("-source.cl"))
        .collect();
    names.sort();
    let read = |name: &String| String::from_utf8(folder.read(&format!("dump/{name}"))).unwrap();
    names.iter().map(|name| (name.clone(), read(name))).collect()
}

/// Runs the command of a header in the folder of the dumps.
fn replayed(folder: &Folder, header: &str) -> String {
    let line = header.strip_prefix("; lanewise ").unwrap_or_else(|| panic!("'{header}' is no command"));
    ok(folder.command(line).current_dir(folder.path("dump")), line)
}

/// Replays every step of a command, and every stage as a whole; the names of the passes that ran.
fn replay(folder: &Folder, line: &str) -> Vec<String> {
    let dumps = dumps(folder, line);
    // Where each stage began: its command must make what its last step made.
    let mut stage: Option<(String, String)> = None;
    let mut passes = Vec::new();
    for (i, (file, text)) in dumps.iter().enumerate() {
        assert!(file.starts_with(&format!("{i:04}-")), "{file} is number {i}");
        let mut header = text.lines();
        let (what, command) = (header.next().unwrap(), header.next().unwrap());
        if what.starts_with("; Before ") {
            let next = dumps.get(i + 1).map(|(_, text)| text.lines().next().unwrap());
            let has_steps = next.is_some_and(|next| next.starts_with("; After "));
            assert_eq!(command.starts_with("; lanewise opt "), has_steps, "{file}");
            stage = has_steps.then(|| (file.clone(), replayed(folder, command)));
            continue;
        }
        assert!(what.starts_with("; After ") && what.contains(&dumps[i - 1].0), "{file}: {what}");
        let expected = comparable(text);
        assert!(
            comparable(&replayed(folder, command)) == expected,
            "{line}: {file} is not made by {command}"
        );
        let last = dumps.get(i + 1).is_none_or(|(_, text)| text.starts_with("; Before "));
        if let Some((begin, result)) = stage.take_if(|_| last) {
            assert!(comparable(&result) == expected, "{line}: {begin} does not become {file}");
        }
        passes.push(file[5..].to_owned());
    }
    assert!(passes.len() > 20, "{passes:?}");
    passes
}

const KERNELS: &str = "
kernel void sub_groups(global int *a, int n) {
  int i = get_global_id(0);
  int sum = sub_group_reduce_add(a[i]) + get_sub_group_local_id();
  for (int k = 0; k < n; k++) if (a[i] > k) sum += k * n;
  a[i] = sum * sub_group_broadcast(a[i], 0);
}
kernel void sines(global float *a, float f) {
  size_t i = get_global_id(0);
  if (a[i] > f) a[i] = sin(a[i]) * f;
}";

fn kernels() -> Folder {
    let folder = Folder::new();
    folder.write("kernels.cl", KERNELS);
    folder
}

#[test]
fn launches_on_the_host() {
    let folder = kernels();
    let reduce = example("reduce.cl");
    let line = format!("run {reduce} -g 64 -l 16 --arg iota:64 --arg zeros:4 --arg local:64 --arg 64");
    let passes = replay(&folder, &line);
    for pass in ["set-data-layout.ll", "llvm-globaldce.reduce.ll", "work-item-loops.reduce.ll"] {
        assert!(passes.iter().any(|p| p == pass), "{pass} is not in {passes:?}");
    }
    let passes = replay(&folder, "run kernels.cl -k sub_groups -g 60 -l 20 --arg iota:60 --arg 3");
    for pass in
        ["llvm-always-inline-and-18-more.ll", "run-vecz.sub_groups.ll", "optimize-kernels.sub_groups.ll"]
    {
        assert!(passes.iter().any(|p| p == pass), "{pass} is not in {passes:?}");
    }
}

#[test]
fn build_options() {
    let folder = kernels();
    for options in ["-cl-fast-relaxed-math -cl-denorms-are-zero", "-g", "-cl-opt-disable", "-cl-vec=none"] {
        let line = format!("run kernels.cl -k sines -g 64 --arg rand:64 --arg 0.5 --options '{options}'");
        replay(&folder, &line);
    }
}

#[test]
fn objects_ahead_of_time() {
    let folder = kernels();
    let passes = replay(&folder, "compile --target native-cpu kernels.cl -o x.o");
    for pass in ["lower-spirv-variables.ll", "prepare-sycl-native-cpu.ll", "add-sub-handler.ll", "tidy-up.ll"]
    {
        assert!(passes.iter().any(|p| p == pass), "{pass} is not in {passes:?}");
    }
    let passes = replay(&folder, "compile kernels.cl -o x.bin");
    assert!(passes.iter().any(|p| p == "split-large-ranges.ll"), "{passes:?}");
}

/// Stages by their names, on the front end's result.
#[test]
fn stages() {
    let folder = kernels();
    let front_end = dumps(&folder, "compile kernels.cl -o x.bin").swap_remove(0).1;
    folder.write("front-end.ll", front_end);
    let stage = "late<kernel=sub_groups;local=32:1:1;dims=1;zero-offset;ranges=small;bytes=1:05000000>";
    let passes = replay(&folder, &format!("opt --passes 'frontend,canonical,{stage}' front-end.ll"));
    assert!(passes.iter().any(|p| p == "specialize-arguments.sub_groups.ll"), "{passes:?}");
    let passes = replay(&folder, "opt --target threads --passes 'canonical,late' front-end.ll");
    assert!(passes.iter().any(|p| p == "export-kernels.ll"), "{passes:?}");
    let message = folder.fails(1, "opt --passes 'late<ranges=huge>' front-end.ll");
    assert_eq!(message, "--passes: late: 'huge' is not any, small or large");
}

fn machinery(info: &'static dyn Info, options: &Options) -> PassMachinery {
    PassMachinery::new(info, options).unwrap()
}

/// The text of every pipeline that targets make is that of the pipeline it is parsed into.
#[test]
fn pipelines_are_text_and_back() {
    let argument = |index, bytes: &[u8]| KnownArgument { index, bytes: bytes.to_vec() };
    let odd_name = "a kernel, <of> 'SPIR-V';=%";
    let launches = [
        LateStage::default(),
        LateStage { kernel: Some(odd_name), optimize: true, ..LateStage::default() },
        LateStage {
            kernel: Some("k"),
            local_size: Some([16, 2, 1]),
            work_dim: Some(2),
            zero_offset: true,
            long_columns: true,
            ranges: RangeSize::Large,
            arguments: vec![argument(0, &[1, 0xff]), argument(12, &[])],
            debug: true,
            degenerate_sub_groups: true,
            vectorizers: Vectorizers { loops: false, slp: true },
            optimize: true,
            ..LateStage::default()
        },
    ];
    let build_options = [
        "",
        "-cl-opt-disable",
        "-cl-wfv=never",
        "-cl-wfv=always -cl-vec=none",
        "--lanes=4 --linear-lanes --whole-vectors --early-vectorization",
    ];
    let mut seen = BTreeSet::new();
    let mut compilers = Vec::new();
    devices::compilers(&mut |info| compilers.push(info));
    for info in compilers {
        for text in build_options {
            // Only the host has all of these.
            if text.starts_with("--") && info.name() != "cpu" {
                continue;
            }
            let options = info.parse_options(text).unwrap();
            let machinery = machinery(info, &options);
            let backend = info.backend();
            let vectorize = backend
                .vecz_pass_options(&options)
                .map(|query| compiler::pipeline::RunVecz { query, kernel: Some(odd_name.to_owned()) });
            let late = launches.iter().flat_map(|launch| {
                let vector = LateStage { vectorize: vectorize.clone(), ..launch.clone() };
                [launch.clone(), vector].map(|launch| backend.late_passes(&launch))
            });
            let canonical = [true, false].map(|o| {
                compiler::pipeline::canonical(compiler::BUILTIN_LIBRARY, o, ir::check::Checks::NONE)
            });
            let stages = machinery.registry.stages().map(|(name, _)| {
                Pipeline::parse(name, &machinery.registry).unwrap_or_else(|e| panic!("{name}: {e}"))
            });
            for pipeline in late.chain(canonical).chain(stages).chain([backend.frontend_passes(&options)]) {
                let text = pipeline.to_string();
                if text.is_empty() {
                    continue;
                }
                let parsed =
                    Pipeline::parse(&text, &machinery.registry).unwrap_or_else(|e| panic!("{text}: {e}"));
                assert_eq!(parsed.to_string(), text);
                seen.extend(pipeline.names().into_iter().map(str::to_owned));
            }
            // No option that a pass needs: each must be in a pipeline above.
            for (name, _) in machinery.registry.list().filter(|(name, _)| !seen.contains(*name)) {
                let pass =
                    Pipeline::parse(name, &machinery.registry).unwrap_or_else(|e| panic!("{name}: {e}"));
                assert_eq!(pass.to_string(), name);
            }
        }
    }
    for pass in [
        "specialize-arguments",
        "split-large-ranges",
        "optimize-kernels",
        "add-sub-handler",
        "export-kernels",
    ] {
        assert!(seen.contains(pass), "{pass} is in no pipeline");
    }
}
