//! Compiles the C++ shim against the distribution's LLVM 19 and links LLVM and clang: their shared
//! libraries, or with the feature `static` their archives, so that what is built needs nothing but
//! the C library.

use std::path::Path;
use std::process::Command;

/// The parts of LLVM that the shim, the C interface and clang's front end use.
const COMPONENTS: [&str; 15] = [
    "mca",
    "passes",
    "orcjit",
    "orcdebugging",
    "irreader",
    "bitwriter",
    "linker",
    "lto",
    "coverage",
    "option",
    "windowsdriver",
    "frontendopenmp",
    "frontendhlsl",
    "frontendoffloading",
    "frontenddriver",
];

/// The parts of clang, each before those it uses.
const CLANG: [&str; 15] = [
    "clangCodeGen",
    "clangFrontend",
    "clangDriver",
    "clangParse",
    "clangSerialization",
    "clangSema",
    "clangAnalysis",
    "clangEdit",
    "clangASTMatchers",
    "clangAST",
    "clangAPINotes",
    "clangSupport",
    "clangLex",
    "clangExtractAPI",
    "clangBasic",
];

/// Libraries that LLVM's archives use, in packages of their own.
const OTHERS: [&str; 2] = ["z", "zstd"];

fn llvm_config(args: &[&str]) -> String {
    for name in ["llvm-config-19", "llvm-config"] {
        let Ok(out) = Command::new(name).args(args).output() else { continue };
        if out.status.success() {
            return String::from_utf8_lossy(&out.stdout).trim().to_owned();
        }
    }
    panic!("llvm-config-19 was not found: run `make setup`, or install the package llvm-19-dev");
}

fn main() {
    println!("cargo:rerun-if-changed=shim");
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_DOCS_ONLY").is_some() {
        println!("cargo:rustc-env=LANEWISE_LLVM_VERSION=19");
        return;
    }
    let include = llvm_config(&["--includedir"]);
    let lib = llvm_config(&["--libdir"]);
    let version = llvm_config(&["--version"]);
    assert!(version.starts_with("19."), "LLVM 19 is needed, llvm-config says {version}");
    println!("cargo:rustc-env=LANEWISE_LLVM_VERSION={version}");
    shim(&include)
        .flag("-fno-exceptions")
        .files(["shim/llvm.cpp", "shim/clang.cpp", "shim/throughput.cpp", "shim/schedule.cpp"])
        .compile("lanewise_shim");
    // The guard catches `std::bad_alloc`.
    shim(&include).flag("-fexceptions").file("shim/guard.cpp").compile("lanewise_guard");
    println!("cargo:rustc-link-search=native={lib}");
    match std::env::var_os("CARGO_FEATURE_STATIC") {
        Some(_) => link_archives(),
        None => {
            println!("cargo:rustc-link-lib=dylib=clang-cpp");
            println!("cargo:rustc-link-lib=dylib=LLVM-19");
        }
    }
}

/// Links the archives where a program or a library is linked, and not into this crate's own, which
/// would copy half a gigabyte.
fn link_archives() {
    let link = |name: &str| println!("cargo:rustc-link-lib=static:-bundle={name}");
    CLANG.iter().for_each(|name| link(name));
    // The code generator of the machine that this is built for.
    let machine = match std::env::var("CARGO_CFG_TARGET_ARCH").as_deref() {
        Ok("aarch64") => "aarch64",
        Ok("riscv64") => "riscv",
        _ => "x86",
    };
    let names = llvm_config(&[&["--link-static", "--libnames", machine][..], &COMPONENTS].concat());
    // Debian's LLVM names Polly as a part of itself, for its own programs.
    for name in names.split_whitespace().filter(|name| !name.contains("Polly")) {
        link(name.trim_start_matches("lib").trim_end_matches(".a"));
    }
    for name in OTHERS.into_iter().chain(["stdc++"]) {
        println!("cargo:rustc-link-search=native={}", folder_of(name));
        link(name);
    }
}

/// Where the compiler finds an archive.
fn folder_of(name: &str) -> String {
    let file = format!("lib{name}.a");
    let out = Command::new("c++").arg(format!("-print-file-name={file}")).output();
    let path = out.map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned()).unwrap_or_default();
    match Path::new(&path).parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => folder.display().to_string(),
        None => {
            panic!("{file} was not found: run `scripts/setup.sh package`, or install the package that has it")
        }
    }
}

fn shim(include: &str) -> cc::Build {
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        .include(include)
        .flag("-fno-rtti")
        .flag("-fvisibility=hidden")
        .flag("-D__STDC_CONSTANT_MACROS")
        .flag("-D__STDC_FORMAT_MACROS")
        .flag("-D__STDC_LIMIT_MACROS")
        .flag("-D_GNU_SOURCE")
        .flag("-O2")
        .debug(false)
        .warnings(false);
    if llvm_config(&["--assertion-mode"]) == "OFF" {
        // As LLVM was built: some of its classes have other members and virtual functions with
        // assertions.
        build.define("NDEBUG", None);
    }
    if std::env::var_os("CARGO_FEATURE_STATIC").is_some() {
        // Linked from its archive, with the others.
        build.cpp_link_stdlib(None).define("LANEWISE_STATIC", None);
    }
    build
}
