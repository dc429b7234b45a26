//! Every build option, and what is wrong with those that are refused.

use lanewise_clc::{Define, DeviceOption, DeviceSetting, Options, Standard, VecMode, Wfv};

fn parse(text: &str) -> Options {
    Options::parse(text, &device()).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> String {
    Options::parse(text, &device()).expect_err(text).to_string()
}

fn device() -> Vec<DeviceOption> {
    let option = |name: &str, takes_value| DeviceOption {
        name: name.to_owned(),
        takes_value,
        help: "what it does".to_owned(),
    };
    vec![option("--width", true), option("--quiet", false)]
}

fn define(name: &str, value: Option<&str>) -> Define {
    Define { name: name.to_owned(), value: value.map(str::to_owned) }
}

#[test]
fn nothing_is_the_default() {
    assert_eq!(parse(""), Options::default());
    assert_eq!(parse("  \t "), Options::default());
    assert_eq!(Options::default().standard(), Standard::Cl12);
}

#[test]
fn each_flag_sets_its_field() {
    type Field = fn(&Options) -> bool;
    let flags: [(&str, Field); 19] = [
        ("-cl-lanewise-remarks", |o| o.remarks),
        ("-w", |o| o.no_warnings),
        ("-Werror", |o| o.warnings_are_errors),
        ("-cl-single-precision-constant", |o| o.single_precision_constant),
        ("-cl-denorms-are-zero", |o| o.denorms_are_zero),
        ("-cl-fp32-correctly-rounded-divide-sqrt", |o| o.correctly_rounded_divide_sqrt),
        ("-cl-opt-disable", |o| o.opt_disable),
        ("-cl-mad-enable", |o| o.mad_enable),
        ("-cl-no-signed-zeros", |o| o.no_signed_zeros),
        ("-cl-unsafe-math-optimizations", |o| o.unsafe_math),
        ("-cl-finite-math-only", |o| o.finite_math_only),
        ("-cl-fast-relaxed-math", |o| o.fast_relaxed_math),
        ("-cl-uniform-work-group-size", |o| o.uniform_work_group_size),
        ("-cl-no-subgroup-ifp", |o| o.no_subgroup_ifp),
        ("-cl-kernel-arg-info", |o| o.kernel_arg_info),
        ("-create-library", |o| o.create_library),
        ("-enable-link-options", |o| o.enable_link_options),
        ("-g", |o| o.debug),
        ("-cl-strict-aliasing", |o| *o == Options::default()),
    ];
    for (text, field) in flags {
        assert!(field(&parse(text)), "{text}");
        let others = flags.iter().filter(|(other, field)| *other != text && field(&parse(text))).count();
        assert!(others == 0, "{text} sets another field");
        // `-Werrorx` could be the name of a warning.
        assert!(text == "-Werror" || refused(&format!("{text}x")).contains(text), "{text}x");
    }
}

#[test]
fn macros() {
    let options = parse("-D A -DB -D C=1 -DD=x+y -DE= -D 'F(x)=x x' -DG=\\\"hi\\\"");
    let expected = [
        define("A", None),
        define("B", None),
        define("C", Some("1")),
        define("D", Some("x+y")),
        define("E", Some("")),
        define("F(x)", Some("x x")),
        define("G", Some("\"hi\"")),
    ];
    assert_eq!(options.defines, expected);
    assert_eq!(parse("-D 'A=1\n2'").defines, [define("A", Some("1"))]);
    assert_eq!(refused("-w -D"), "option '-D': a macro is missing after it");
    assert_eq!(refused("-D3=4"), "option '-D3=4': '3' is not the name of a macro");
    assert_eq!(refused("-D a-b"), "option '-D': 'a-b' is not the name of a macro");
    assert_eq!(refused("-D =1"), "option '-D': '' is not the name of a macro");
}

#[test]
fn directories_and_paths() {
    assert_eq!(parse("-I a -Ib -I 'c d'").include_dirs, ["a", "b", "c d"]);
    assert_eq!(parse("-g -S /tmp/k.cl").source_path.as_deref(), Some("/tmp/k.cl"));
    assert_eq!(refused("-I"), "option '-I': a directory is missing after it");
    assert_eq!(refused("-S"), "option '-S': a path is missing after it");
}

#[test]
fn standards() {
    let all = [
        ("CL1.0", Standard::Cl10),
        ("CL1.1", Standard::Cl11),
        ("CL1.2", Standard::Cl12),
        ("CL2.0", Standard::Cl20),
        ("CL3.0", Standard::Cl30),
        ("CL3.1", Standard::Cl31),
    ];
    for (name, standard) in all {
        assert_eq!(parse(&format!("-cl-std={name}")).standard(), standard);
    }
    assert_eq!(parse("-cl-std=CL1.1 -cl-std=CL3.0").std, Some(Standard::Cl30));
    let message = refused("-cl-std=CL4.0");
    assert!(message.contains("-cl-std=CL4.0") && message.contains("CL1.2"), "{message}");
    refused("-cl-std=");
    refused("-cl-std");
    for cpp in ["CLC++", "clc++1.0", "CLC++2021"] {
        assert!(refused(&format!("-cl-std={cpp}")).contains("C++ for OpenCL is not supported"));
    }
    refused("-cl-std=cl1.2");
}

#[test]
fn vectorizers() {
    for (text, wfv) in [("always", Wfv::Always), ("auto", Wfv::Auto), ("never", Wfv::Never)] {
        assert_eq!(parse(&format!("-cl-wfv={text}")).wfv, Some(wfv));
    }
    let modes =
        [("none", VecMode::None), ("loop", VecMode::Loop), ("slp", VecMode::Slp), ("all", VecMode::All)];
    for (text, mode) in modes {
        assert_eq!(parse(&format!("-cl-vec={text}")).vec, Some(mode));
    }
    assert!(refused("-cl-wfv=maybe").contains("always, auto, never"));
    assert!(refused("-cl-vec=").contains("none, loop, slp, all"));
    assert!(refused("-cl-vec").contains("a value is missing"));
}

#[test]
fn device_options() {
    let setting = |name: &str, value: Option<&str>| DeviceSetting {
        name: name.to_owned(),
        value: value.map(str::to_owned),
    };
    assert_eq!(parse("--width 8").device, [setting("--width", Some("8"))]);
    assert_eq!(parse("--width=8 -w").device, [setting("--width", Some("8"))]);
    assert_eq!(parse("--width=8 --width=16").device, [setting("--width", Some("16"))]);
    assert_eq!(parse("--quiet").device, [setting("--quiet", None)]);
    assert_eq!(refused("--width"), "option '--width': a value is missing (what it does)");
    assert_eq!(refused("--quiet=1"), "option '--quiet=1': the option takes no value");
    assert_eq!(refused("--loud"), "option '--loud': unknown option of the device");
}

#[test]
fn warnings_by_name() {
    let options = parse("-Wall -Wno-unused -Werror=shadow -Werror");
    assert_eq!(options.warnings, ["-Wall", "-Wno-unused", "-Werror=shadow"]);
    assert!(options.warnings_are_errors);
    for wrong in ["-W", "-Wl,-rpath", "-Wp,-MD,file", "-Wa/b"] {
        assert_eq!(refused(wrong), format!("option '{wrong}': not the name of a warning"));
    }
}

#[test]
fn what_is_no_option() {
    assert_eq!(refused("-foo"), "option '-foo': unknown option");
    assert_eq!(refused("foo"), "option 'foo': not an option: options start with '-'");
    assert!(refused("''").contains("not an option"));
    assert!(refused("-D 'x").contains("is not closed"));
}
