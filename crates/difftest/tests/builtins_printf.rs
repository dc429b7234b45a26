//! What kernels print, read from the standard output of a child process (`src/bin/printing.rs`).

use std::process::Command;

/// What a kernel of so many work-items prints and returns for each of them, if all is well.
fn print_with(options: &str, body: &str, global: usize, local: usize) -> (String, String) {
    let source = format!(
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n\
         kernel void k(global int *r) {{ int i = get_global_id(0); r[i] = 0; {body} }}"
    );
    let out = Command::new(env!("CARGO_BIN_EXE_printing"))
        .args([&source, options, &global.to_string(), &local.to_string()])
        .output()
        .unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    (text, String::from_utf8(out.stderr).unwrap())
}

#[track_caller]
fn check(body: &str, expected: &str) {
    for options in ["-cl-std=CL3.0 -w", "-cl-std=CL1.2 -w -cl-opt-disable"] {
        let (text, result) = print_with(options, &format!("r[i] = printf({body});"), 1, 1);
        assert_eq!((text.as_str(), result.as_str()), (expected, "[0]"), "{body}");
    }
}

/// Those of OpenCL C 3.1: of `size_t` and `ptrdiff_t`.
#[test]
fn lengths_of_sizes() {
    check(r#""%zu %zx %5zd|\n", (size_t)1 << 40, (size_t)255, (long)-3"#, "1099511627776 ff    -3|\n");
    check(
        r#""%td %ti %-6tX|\n", (ptrdiff_t)-(1L << 35), (ptrdiff_t)7, (ptrdiff_t)171"#,
        "-34359738368 7 AB    |\n",
    );
    let (text, _) = print_with("-cl-std=CL3.1 -Wall -Werror", r#"printf("%zu", get_global_size(0));"#, 1, 1);
    assert_eq!(text, "1");
    // They are of integers, and of scalars.
    let (text, result) = print_with("-w", r#"r[i] = printf("%zf|%v2zd|\n", 1.0f, 2);"#, 1, 1);
    assert_eq!((text.as_str(), result.as_str()), ("%zf|%v2zd|\n", "[-1]"));
}

#[test]
fn conversions() {
    check(r#""plain\n""#, "plain\n");
    check(
        r#""%d %i %u %o %x %X %c %%|%5d|%-5d|%05d|%+d|% d|%#x\n",
        -1, 2, 3u, 8, 255, 255, 'z', 42, 42, 42, 42, 42, 255"#,
        "-1 2 3 10 ff FF z %|   42|42   |00042|+42| 42|0xff\n",
    );
    check(
        r#""%f %.2f %e %g %G %a %10.3f|%-10.1f|\n",
        1.5f, 2.345, 12345.678, 0.0001, 1e-10, 1.0, 3.14159f, 2.25f"#,
        "1.500000 2.35 1.234568e+04 0.0001 1E-10 0x1p+0      3.142|2.2       |\n",
    );
    check(r#""%s|%8s|%-8s|%.2s|\n", "abc", "abc", "abc", "abc""#, "abc|     abc|abc     |ab|\n");
    check(
        r#""%ld %lu %hd %hhd %hhu\n", -5000000000L, 18446744073709551615UL, 70000, 300, 300"#,
        "-5000000000 18446744073709551615 4464 44 44\n",
    );
    check(r#""%f %f %f %F\n", INFINITY, -INFINITY, 0.0f, INFINITY"#, "inf -inf 0.000000 INF\n");
    check(r#""%p\n", (global int *)0"#, "(nil)\n");
}

#[test]
fn vectors() {
    check(
        r#""%v4hlf %2.2v4hlf\n", (float4)(1, 2, 3, 4), (float4)(1, 2.5f, 3, 4)"#,
        "1.000000,2.000000,3.000000,4.000000 1.00,2.50,3.00,4.00\n",
    );
    check(r#""%v4f\n", (float4)(1, 2, 3, 4)"#, "1.000000,2.000000,3.000000,4.000000\n");
    check(r#""%v2ld %v3hlu\n", (long2)(-1, 2), (uint3)(1, 2, UINT_MAX)"#, "-1,2 1,2,4294967295\n");
    check(
        r#""%v16hhd|%#v8hx\n", (char16)(-1), (ushort8)(0, 1, 2, 3, 4, 5, 6, 0xffff)"#,
        "-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1|0,0x1,0x2,0x3,0x4,0x5,0x6,0xffff\n",
    );
    check(r#""%v2lf %v2lg\n", (double2)(1.5, -2), (double2)(1e100, 0.5)"#, "1.500000,-2.000000 1e+100,0.5\n");
    check(r#""%3v3hhd|%c\n", (char3)(1, 2, 3), 65"#, "  1,  2,  3|A\n");
}

#[test]
fn halves_and_formats_in_variables() {
    let (text, _) = print_with(
        "-cl-std=CL3.0 -w",
        r#"half h = 1.5h; half4 v = (half4)(1, 2, 3, 0.5h);
           const constant char *format = "%f %v4hf %g\n"; r[i] = printf(format, h, v, (half)0.1f);"#,
        1,
        1,
    );
    assert_eq!(text, "1.500000 1.000000,2.000000,3.000000,0.500000 0.0999756\n");
}

#[test]
fn what_is_wrong_gives_minus_one() {
    let (text, result) = print_with("-cl-std=CL3.0 -w", r#"r[i] = printf("%d %d\n", 1);"#, 1, 1);
    assert_eq!((text.as_str(), result.as_str()), ("1 %d\n", "[-1]"));
}

#[test]
fn a_format_that_is_not_known_is_refused() {
    let source = "kernel void k(constant char *f) { printf(f, 1); }";
    let error = lanewise_difftest::Program::build(source, "-w").err().unwrap();
    assert!(error.to_string().contains("the format of 'printf' is not a string"), "{error}");
}

/// Lines are whole, and each work-item's are in order, whatever the threads do.
#[test]
fn many_work_items() {
    let body = r#"for (int j = 0; j < 5; j++) { printf("item %d", i); barrier(CLK_LOCAL_MEM_FENCE); }
        for (int j = 0; j < 5; j++) printf("<%d:%d:%s>\n", i, j, "a text of some length");"#;
    let (text, _) = print_with("-cl-std=CL3.0 -w", body, 3000, 50);
    let mut next = vec![0; 3000];
    let mut lines = 0;
    for line in text.lines() {
        let Some((_, line)) = line.rsplit_once('<') else { continue };
        let mut fields = line.trim_end_matches('>').split(':');
        let mut number = || fields.next().unwrap().parse::<usize>().unwrap();
        let (item, j) = (number(), number());
        assert_eq!(next[item], j, "work-item {item}");
        next[item] += 1;
        assert_eq!(fields.next(), Some("a text of some length"));
        lines += 1;
    }
    assert_eq!(lines, 15000);
    assert_eq!(text.matches("item ").count(), 15000);
}

/// Only those work-items print that come by, also when they run as lanes of a vector.
#[test]
fn some_of_many_work_items() {
    let body = r#"if (i % 3 == 1) printf("<%d %v2hld>\n", i, (int2)(i, -i));
        if (i % 100 == 7) printf("hundred\n");"#;
    let (text, _) = print_with("-cl-std=CL3.0 -w", body, 3000, 64);
    let mut lines: Vec<_> = text.lines().filter(|line| line.starts_with('<')).map(str::to_owned).collect();
    let mut expected: Vec<_> =
        (0..3000).filter(|i| i % 3 == 1).map(|i| format!("<{i} {i},{}>", -i)).collect();
    lines.sort();
    expected.sort();
    assert_eq!(lines, expected);
    assert_eq!(text.matches("hundred\n").count(), 30);
}

#[test]
fn calls_are_described() {
    use compiler::Profile;
    let mut module = lanewise_difftest::module().unwrap();
    let source = r#"kernel void k(int n) {
        printf("%d\n", n); printf("%v3f %s\n", (float3)(n), "x"); printf("%d\n", 1); }"#;
    module.compile_opencl_c(Profile::Full, "test.cl", source, &[]).unwrap();
    let mut calls = module.finalize().unwrap().printf_calls;
    calls.sort_by_key(|call| call.arguments.len());
    let calls: Vec<_> = calls.iter().map(|call| (call.format.as_str(), call.arguments.as_slice())).collect();
    assert_eq!(calls, [("%d\n", &[4][..]), ("%v3f %s\n", &[12, 8][..])]);
}
