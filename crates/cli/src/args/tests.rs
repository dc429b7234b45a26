use super::*;

fn words(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

fn parsed(line: &str) -> Command {
    parse(words(line)).unwrap()
}

fn refused(line: &str) -> String {
    match parse(words(line)).unwrap_err() {
        Error::Usage(message) => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn run_with_everything() {
    let line = "run a.cl -k f -g 64,8 --local=16,4 --offset 1,0 --arg -1 --arg zeros:8 -a @x.npy \
                --repeat 5 --out 1=y.npy --out 2=z.png --options -cl-opt-disable";
    let Command::Run(run) = parsed(line) else { panic!() };
    assert_eq!(run.file, Place::Path("a.cl".into()));
    assert_eq!(run.kernel.as_deref(), Some("f"));
    assert_eq!((run.global, run.local, run.offset), (vec![64, 8], Some(vec![16, 4]), Some(vec![1, 0])));
    assert_eq!(run.args, [ArgSpec::Literal("-1".into()), ArgSpec::Zeros(8), ArgSpec::File("x.npy".into())]);
    assert_eq!(run.repeat, 5);
    assert_eq!(run.outputs[0], Output { argument: 1, path: "y.npy".into(), format: OutputFormat::Npy });
    assert_eq!(run.outputs[1].format, OutputFormat::Png);
    assert_eq!(run.options, "-cl-opt-disable");
}

#[test]
fn run_with_little() {
    let Command::Run(run) = parsed("run -g 7 -- -odd.cl") else { panic!() };
    assert_eq!(run.file, Place::Path("-odd.cl".into()));
    assert_eq!((run.kernel, run.local, run.repeat, run.options), (None, None, 1, String::new()));
}

#[test]
fn sizes_that_make_no_sense() {
    assert_eq!(refused("run a.cl -g 0"), "--global: the size in dimension 0 is zero");
    assert_eq!(refused("run a.cl -g 8,8 -l 8,0"), "--local: the size in dimension 1 is zero");
    assert_eq!(refused("run a.cl -g 8,8 -l 8"), "--local has 1 dimension, but --global has 2 dimensions");
    assert_eq!(refused("run a.cl -g 1,2,3,4"), "--global 1,2,3,4: there are three dimensions at most");
    assert!(refused("run a.cl -g 5000000000,5000000000").contains("does not fit in 64 bits"));
    for bad in ["x", "-1", "1,,2", "1.5", "99999999999999999999999", "1,"] {
        assert!(refused(&format!("run a.cl -g {bad}")).contains("one to three numbers"), "{bad}");
    }
    assert!(refused("run a.cl").starts_with("how many work-items?"));
    assert!(refused("run a.cl -g 8 --repeat 0").contains("from 1"));
}

#[test]
fn outputs_that_make_no_sense() {
    assert_eq!(
        refused("run a.cl -g 8 --arg 1 --out 1=x.npy"),
        "--out 1=x.npy: there is no argument 1 (they are counted from 0, and there are 1)"
    );
    assert!(refused("run a.cl -g 8 --arg 1 --out 0=x.jpg").ends_with("should end in .npy, .png or .bin"));
    for bad in ["x.npy", "0=", "a=x.npy", "=x.npy"] {
        assert!(
            refused(&format!("run a.cl -g 8 --arg 1 --out {bad}")).contains("such as 0=result.npy"),
            "{bad}"
        );
    }
}

#[test]
fn compile() {
    let emit = |line: &str| match parsed(line) {
        Command::Compile(compile) => compile.emit,
        other => panic!("{other:?}"),
    };
    assert_eq!(emit("compile a.cl -o a"), Emit::Bin);
    assert_eq!(emit("compile a.cl -o a.s"), Emit::Asm);
    assert_eq!(emit("compile a.cl -o a.o"), Emit::Obj);
    assert_eq!(emit("compile a.cl -o a.ll"), Emit::Ll);
    assert_eq!(emit("compile a.cl -o a.ll --emit bc"), Emit::Bc);
    let Command::Compile(compile) = parsed("compile - --output - --emit=asm -k f") else { panic!() };
    assert_eq!((compile.file, compile.output), (Place::Standard, Place::Standard));
    assert_eq!(compile.kernel.as_deref(), Some("f"));
    assert!(refused("compile a.cl").starts_with("where to?"));
    assert!(refused("compile -o x").starts_with("what to work on?"));
    assert!(refused("compile a.cl -o x --emit elf").contains("one of ll, bc, asm, obj, bin"));
    assert!(refused("compile a.cl -o x.o --target gpu").contains("there are cpu, native-cpu, threads"));
    assert!(refused("opt --passes x a.ll --target gpu").contains("there are cpu, native-cpu, threads"));
    assert!(refused("compile a.cl -o x --target native-cpu").contains("makes objects"));
}

#[test]
fn opt() {
    let line = "opt --passes a,llvm(b),c<d> x.ll --print-after=a --print-after c --time-passes";
    let Command::Opt(opt) = parsed(line) else { panic!() };
    assert_eq!(opt.passes, "a,llvm(b),c<d>");
    assert_eq!(opt.print_after, ["a", "c"]);
    assert_eq!((opt.print_after_all, opt.time_passes, opt.verify_each), (false, true, false));
    assert_eq!(opt.output, Place::Standard);
    assert!(refused("opt x.ll").starts_with("which passes?"));
    assert_eq!(refused("opt x.ll --verify-each=1"), "--verify-each takes no value");
}

#[test]
fn other_commands() {
    assert_eq!(parsed("info"), Command::Info { json: false, roofline: false });
    assert_eq!(parsed("info --roofline --json"), Command::Info { json: true, roofline: true });
    let line = "explore a.cl -k f -l 64 --options --lanes=8 --arg -1 --html o.html";
    let Command::Explore(explore) = parsed(line) else { panic!() };
    assert_eq!((explore.settings.local, explore.repeat, explore.port), (Some(vec![64]), 20, 0));
    assert_eq!(explore.html, Some("o.html".into()));
    assert!(refused("explore a.cl --port 70000").contains("up to 65535"));
    let Command::Explore(explore) = parsed("explore a.cl -l 8 --compare --lanes=4") else { panic!() };
    let other = explore.compare.unwrap();
    assert_eq!((other.lanes, other.local, explore.settings.lanes), (Some(4), Some(vec![8]), None));
    assert!(refused("explore a.cl --compare -g").contains("to compare with"));
    assert!(refused("explore a.cl -l 0").contains("is zero"));
    assert_eq!(parsed("--version"), Command::Version);
    for line in ["help", "--help", "-h"] {
        assert_eq!(parsed(line), Command::Help(None));
    }
    for line in ["help run", "run --help", "run a.cl -h"] {
        assert_eq!(parsed(line), Command::Help(Some("run")));
    }
    assert_eq!(refused(""), "which command? `lanewise help` lists them");
}

#[test]
fn mistakes_are_explained() {
    assert_eq!(refused("comiple a.cl"), "there is no command comiple: did you mean compile?");
    assert_eq!(refused("banana"), "there is no command banana: `lanewise help` lists those there are");
    assert_eq!(
        refused("run a.cl --kernle f"),
        "`lanewise run` has no option --kernle: did you mean --kernel?"
    );
    assert_eq!(
        refused("opt -passes=x a.ll"),
        "`lanewise opt` has no option -passes=x: did you mean --passes?"
    );
    assert_eq!(
        refused("run a.cl --zebra"),
        "`lanewise run` has no option --zebra: `lanewise run --help` lists those there are"
    );
    assert_eq!(refused("run a.cl -k"), "-k needs a value: -k NAME");
    assert_eq!(refused("run a.cl -k -g 8"), "-k needs a value: -k NAME");
    assert_eq!(refused("run a.cl -k f --kernel g -g 8"), "--kernel is given twice");
    assert_eq!(refused("run a.cl b.cl -g 8"), "`lanewise run` takes one file, but there are a.cl and b.cl");
    assert_eq!(refused("info x"), "`lanewise info` takes no argument, but there is x");
}

#[test]
fn every_help_has_an_example_that_parses() {
    for spec in COMMANDS {
        let text = help(Some(spec.name));
        assert!(text.lines().all(|line| line.chars().count() <= 110), "{}", spec.name);
        for line in spec.example.lines() {
            assert!(text.contains(line));
            let line = line.strip_prefix("lanewise ").unwrap().replace('\'', "");
            assert!(parse(words(&line)).is_ok(), "{line}");
        }
        assert!(help(None).contains(spec.summary));
    }
}

#[test]
fn pages_name_every_command_and_option() {
    for words in
        [&["help", "--man"][..], &["help", "--completions", "bash"], &["help", "--completions", "zsh"]]
    {
        let Ok(Command::Page(page)) = parse(words.iter().map(OsString::from).collect()) else { panic!() };
        let text = page.text().replace("\\-", "-");
        for spec in COMMANDS {
            assert!(text.contains(spec.name));
            assert!(spec.options.iter().all(|option| text.contains(option.long)), "{words:?}: {}", spec.name);
        }
    }
    let fish = Page::for_shell("fish").unwrap().text();
    assert!(fish.contains("-l global -s g -r"));
    assert!(parse(["help", "--completions", "tcsh"].map(OsString::from).to_vec()).is_err());
}
