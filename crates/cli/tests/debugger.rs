//! Kernels in gdb: their names, lines, variables and work-items.

mod common;

use common::Folder;
use std::process::Command;

const SOURCE: &str = "int twice(int a) {
  return a * 2;
}
kernel void k(global int *out, local int *t) {
  int i = get_global_id(0), l = get_local_id(0);
  int x = twice(i) + 1;
  t[l] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  int y = t[(l + 1) % 4];
  out[i] = x + y;
}
kernel void wide(global float *out) {
  int i = get_global_id(0);
  float x = out[i];
  out[i] = x * x + 2;
}
";

/// What gdb says when it runs these commands on `lanewise run k.cl …`, with these build options.
fn gdb(commands: &[&str], arguments: &str, options: &str) -> String {
    let folder = Folder::new();
    folder.write("k.cl", SOURCE);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/gdb/lanewise.py");
    let script = format!("source {script}");
    let settings = ["set breakpoint pending on", "set pagination off", &script];
    let mut command = Command::new("gdb");
    command.args(["-nx", "-q", "-batch"]);
    settings.iter().chain(commands).for_each(|c| {
        command.args(["-ex", c]);
    });
    command.args(["--args", env!("CARGO_BIN_EXE_lanewise"), "run", "k.cl", "--options", options]);
    command.args(arguments.split(' '));
    command.current_dir(folder.path("")).env("LANEWISE_THREADS", "1").env("LANEWISE_CACHE", "0");
    let output = command.output().expect("gdb is installed: scripts/setup.sh lint");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn kernels_have_names_without_g() {
    let said = gdb(&["break wide.host-entry-hook", "run"], "-k wide -g 64 --arg zeros:64", "");
    assert!(said.contains("in wide.host-entry-hook ()"), "{said}");
}

#[test]
fn breakpoints_are_hit_in_vector_code() {
    let commands = ["break k.cl:15", "run", "bt", "continue", "work-item"];
    let said = gdb(&commands, "-k wide -g 512 -l 64 --arg zeros:512", "-g");
    assert!(said.matches("wide (out=").count() >= 2 && said.contains("k.cl:15"), "{said}");
    // The second stop is in the next vector.
    let id = said.split("global ID (").nth(1).and_then(|s| s.split(',').next()).map(str::parse::<u32>);
    assert!(matches!(id, Some(Ok(4..=64))), "{said}");
    // The driver is left out.
    assert!(!said.contains(".rs:") && !said.contains("mux-barrier-wrapper"), "{said}");
}

/// In vector code the ID of the first work-item is complete at the first stop in the kernel.
#[test]
fn the_global_id_is_known_at_the_first_stop() {
    for line in ["k.cl:14", "k.cl:15"] {
        let break_at = format!("break {line}");
        let commands = [&break_at, "run", "print __global_id"];
        let arguments = "-k wide -g 64,2,2 -l 64,1,1 --offset 5,6,7 --arg zeros:6400";
        let said = gdb(&commands, arguments, "-g");
        assert!(said.contains("$1 = {5, 6, 7}"), "{line}: {said}");
    }
}

#[test]
fn a_work_item_is_followed_across_a_barrier() {
    let mut commands = vec!["break k.cl:6 if __global_id[0] == 2", "run"];
    commands.extend(["item-next"; 4]);
    commands.extend(["work-item", "print x", "print y"]);
    let said = gdb(&commands, "-k k -g 8 -l 4 --arg zeros:8 --arg local:16", "-g -cl-opt-disable");
    let lines: Vec<&str> = said.lines().filter_map(|l| l.split("k.cl:").nth(1)).collect();
    assert!(lines.ends_with(&["6", "7", "8", "9", "10"]), "{said}");
    assert!(said.contains("global ID (2, 0, 0)\n$1 = 5\n$2 = 7\n"), "{said}");
}
