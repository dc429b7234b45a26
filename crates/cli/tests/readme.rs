//! The README's commands run as they stand, and the program installs without root.

mod common;

use common::Folder;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The commands of the README that begin with the program's name, without comments, a line each.
fn commands() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap().replace("\\\n", " ");
    let indented = text.lines().filter_map(|line| line.strip_prefix("    "));
    let ours = indented.filter(|line| line.starts_with("lanewise "));
    ours.map(|line| line.split(" # ").next().unwrap_or_default().trim_end().to_owned()).collect()
}

#[test]
fn the_commands_of_the_readme_run_as_they_stand() {
    let folder = Folder::new();
    symlink(root().join("examples"), folder.path("examples")).unwrap();
    let commands = commands();
    assert!(commands.len() >= 15, "{commands:#?}");
    for command in &commands {
        folder.ok(command.strip_prefix("lanewise ").unwrap());
    }
    // The transposed matrix has a row for each column.
    let header = String::from_utf8_lossy(&folder.read("out.npy")[..128]).into_owned();
    assert!(header.contains("'shape': (1024, 512)"), "{header}");
}

#[test]
fn installing_needs_no_root() {
    let folder = Folder::new();
    std::fs::set_permissions(folder.path(""), std::fs::Permissions::from_mode(0o777)).unwrap();
    let header = "crates/native_cpu/include/lanewise_native_cpu.h";
    for file in ["Makefile", "crates/opencl/lanewise.icd", header, "scripts/gdb/lanewise.py"] {
        std::fs::create_dir_all(folder.path(file).parent().unwrap()).unwrap();
        std::fs::copy(root().join(file), folder.path(file)).unwrap();
    }
    folder.write("program", "");
    folder.write("driver.so", "");
    std::fs::set_permissions(folder.path("program"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let prefix = folder.path("home/.local");
    let mut make = Command::new("make");
    make.current_dir(folder.path("")).args(["install", "PREFIX=~/.local"]);
    make.args(["LANEWISE=program", "DRIVER=driver.so"]).env("HOME", folder.path("home"));
    make.env_remove("MAKEFLAGS").env_remove("DESTDIR");
    // Root may write everywhere: then it is somebody else who installs.
    if std::fs::metadata("/proc/self").is_ok_and(|meta| std::os::unix::fs::MetadataExt::uid(&meta) == 0) {
        make.uid(65534).gid(65534);
    }
    let Ok(output) = make.output() else { return };
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let files = ["bin/lanewise", "lib/liblanewise_opencl.so", "include/lanewise_native_cpu.h"];
    for file in files.into_iter().chain(["share/lanewise/gdb/lanewise.py"]) {
        assert!(prefix.join(file).exists(), "{file}\n{said}");
    }
    let vendors = prefix.join("etc/OpenCL/vendors");
    let entry =
        std::fs::read_to_string(vendors.join("lanewise.icd")).unwrap_or_else(|e| panic!("{e}: {said}"));
    assert_eq!(entry.trim(), prefix.join("lib/liblanewise_opencl.so").to_str().unwrap());
    assert!(said.contains(&format!("export OCL_ICD_VENDORS={}", vendors.display())), "{said}");
}
