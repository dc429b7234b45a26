//! `lanewise explore`: the model of a compilation, the written file, and the server, as far as
//! they need no
//! browser.

mod common;

use common::Folder;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

const SUM: &str = "kernel void sum(global const float4 *in, global float *out, int n) {
  int i = get_global_id(0);
  float s = 0;
  for (int k = 0; k < n; k++)
    s += in[i + k].x * k;
  if (s > 1)
    s = sqrt(s);
  out[i] = s;
}

kernel void other(global int *p) { p[get_global_id(0)] = 1; }
";

fn explored(folder: &Folder, line: &str) -> Value {
    serde_json::from_str(&folder.ok(&format!("explore {line} --json"))).unwrap()
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

#[test]
fn lines_of_all_stages_belong_together() {
    let folder = Folder::new();
    folder.write("sum.cl", SUM);
    let model = explored(&folder, "sum.cl -k sum -l 64");
    assert_eq!((model["file"].as_str(), model["local"][0].as_u64()), (Some("sum.cl"), Some(64)));
    assert_eq!(model["source"]["text"].as_str(), Some(SUM));
    assert!(model["width"].as_u64().unwrap() > 1);
    let remarks = list(&model["remarks"]);
    assert!(remarks.iter().any(|r| r["kind"] == "memory" && r["line"] == 5), "{remarks:?}");
    // Each pass that is told has its time, and those that changed something say what.
    let stages = list(&model["stages"]);
    assert!(stages.len() > 30);
    // Arguments for a first run.
    let examples: Vec<_> = list(&model["params"]).iter().map(|p| p["example"].as_str().unwrap()).collect();
    assert_eq!(examples, ["rand:1048576", "rand:1048576", "1048576"]);
    let other = explored(&folder, "sum.cl -k other -g 512");
    assert_eq!(other["params"][0]["example"], "iota:512");
    let vectorized = stages.iter().find(|stage| stage["name"] == "run-vecz").unwrap();
    assert!(vectorized["ms"].as_f64().unwrap() > 0.0 && !list(&vectorized["changes"]).is_empty());
    for stage in stages {
        let (text, lines) = (stage["text"].as_str().unwrap(), list(&stage["lines"]));
        assert_eq!(text.lines().count(), lines.len());
        assert!(!text.contains("!dbg") && !text.contains("uselistorder"));
    }
    for part in [vectorized, &model["assembly"]] {
        assert!(list(&part["lines"]).iter().any(|line| line == 5), "line 5 has instructions");
    }
    let text = model["assembly"]["text"].as_str().unwrap();
    assert_eq!(text.lines().count(), list(&model["assembly"]["lines"]).len());
    let loops = list(&model["assembly"]["loops"]);
    assert!(
        loops.iter().any(|l| l["cost"]["cycles"].as_f64().is_some_and(|cycles| cycles > 0.0)),
        "{loops:?}"
    );
}

#[test]
fn settings_change_the_code() {
    let folder = Folder::new();
    folder.write("sum.cl", SUM);
    let width = |options: &str| {
        let model = explored(&folder, &format!("sum.cl -k sum -l 64 {options}"));
        (model["width"].as_u64().unwrap(), model["machine"]["cpu"].as_str().unwrap().to_owned())
    };
    assert_eq!(width("--options=-cl-wfv=never").0, 1);
    assert_eq!(width("--options=--lanes=4").0, 4);
    assert_eq!(width("--cpu=haswell").1, "haswell");
    let refused = folder.fails(1, "explore sum.cl --json -k sum --cpu banana");
    assert!(refused.contains("banana"), "{refused}");
    let refused = folder.fails(1, "explore sum.cl --json");
    assert!(refused.contains("which kernel?"), "{refused}");
}

#[test]
fn advice_has_figures() {
    let folder = Folder::new();
    let source = "kernel void k(global const float *in, global float *out) {\n  size_t i = \
    get_global_id(0);\n  out[i] = in[7 * i] * 0.1;\n}\n";
    folder.write("k.cl", source);
    let model = explored(&folder, "k.cl");
    let advice: Vec<String> = list(&model["advice"])
        .iter()
        .map(|a| format!("{} [{}]", a["text"].as_str().unwrap(), a["figure"].as_str().unwrap()))
        .collect();
    assert!(advice.iter().any(|a| a.contains("the loads in line 3 are 7 apart")), "{advice:?}");
    assert!(advice.iter().any(|a| a.contains("line 3 makes a double of a float")), "{advice:?}");
    assert!(advice.iter().all(|a| a.contains(|c: char| c.is_ascii_digit())));
}

#[test]
fn ir_and_dumps_are_explored_too() {
    let folder = Folder::new();
    folder.write("sum.cl", SUM);
    folder.ok("compile sum.cl -k sum --stage canonical -o sum.ll");
    let model = explored(&folder, "sum.ll -k sum");
    assert_eq!(model["source"]["language"], "ir");
    let text = model["source"]["text"].as_str().unwrap();
    let line = 1 + text.lines().position(|line| line.contains("fmul")).unwrap();
    let assembly = list(&model["assembly"]["lines"]);
    assert!(assembly.iter().any(|l| l == line), "the multiplication is in line {line}: {assembly:?}");

    let dump = folder.path("dump");
    let run = "run sum.cl -k sum -g 64 --arg zeros:80 --arg zeros:64 --arg 3 --remarks";
    assert!(folder.command(run).env("LANEWISE_DUMP", &dump).output().unwrap().status.success());
    let model = explored(&folder, "dump -k sum");
    assert_eq!((model["kernel"].as_str(), model["file"].as_str()), (Some("sum"), Some("dump")));
    // The dump's own source is found, and its stages with their times.
    assert_eq!(model["source"]["text"].as_str(), Some(SUM));
    assert!(
        list(&model["stages"]).iter().any(|stage| stage["name"] == "run-vecz" && stage["ms"].is_number())
    );
    // The source is in the dump: the file may be gone by then, or have never been one.
    std::fs::rename(folder.path("sum.cl"), folder.path("moved.cl")).unwrap();
    let model = explored(&folder, "dump -k sum");
    assert_eq!(
        (model["source"]["text"].as_str(), &model["source"]["language"]),
        (Some(SUM), &"opencl".into())
    );
    assert!(list(&model["remarks"]).iter().any(|r| r["kind"] == "memory" && r["line"] == 5));
    std::fs::create_dir(folder.path("empty")).unwrap();
    assert!(folder.fails(1, "explore empty --json").contains("there is no dump in it"));
}

/// The dump of a process that built several programs.
#[test]
fn programs_of_a_dump_are_told_apart() {
    let folder = Folder::new();
    folder.write("sum.cl", SUM);
    folder.write(
        "twice.cl",
        "// Another one.\nkernel void twice(global float *p) {\n  \
         p[get_global_id(0)] *= 2 + get_local_id(0);\n}\n",
    );
    for (n, run) in [
        "run sum.cl -k sum -g 64 -l 16 --arg zeros:80 --arg zeros:64 --arg 3",
        "run twice.cl -g 64 -l 32 --arg zeros:64",
    ]
    .iter()
    .enumerate()
    {
        let part = folder.path(&format!("part{n}"));
        assert!(folder.command(run).env("LANEWISE_DUMP", &part).output().unwrap().status.success());
        // As one process numbers its files.
        std::fs::create_dir_all(folder.path("dump")).unwrap();
        for entry in std::fs::read_dir(&part).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let (number, rest) = name.split_once('-').unwrap();
            let to = format!("{:04}-{rest}", 500 * n + number.parse::<usize>().unwrap());
            std::fs::copy(part.join(&name), folder.path("dump").join(to)).unwrap();
        }
    }
    assert!(
        folder
            .fails(1, "explore dump --json")
            .contains("which kernel? Give -k NAME; there are other, sum, twice")
    );
    // The code of `sum`, which cannot see its work-groups, is for any local size.
    for (kernel, local, first) in [("sum", 256, "kernel void sum"), ("twice", 32, "// Another one.")] {
        let model = explored(&folder, &format!("dump -k {kernel}"));
        assert_eq!((model["kernel"].as_str(), model["local"][0].as_u64()), (Some(kernel), Some(local)));
        assert_eq!(list(&model["kernels"]).len(), 3);
        assert!(model["source"]["text"].as_str().unwrap().starts_with(first), "{}", model["source"]);
        let text = |stage: &Value| stage["text"].as_str().unwrap().to_owned();
        let stages: Vec<String> = list(&model["stages"]).iter().map(text).collect();
        let other = if kernel == "sum" { "@twice(" } else { "@sum(" };
        assert!(
            stages[0].contains(&format!("@{kernel}(")) && stages.iter().all(|text| !text.contains(other))
        );
    }
    // It is run as it was before all passes.
    folder.ok("explore dump -k twice -g 64 --arg rand:64 --repeat 2 --html out.html");
    let html = String::from_utf8(folder.read("out.html")).unwrap();
    assert!(html.contains("\"local\":[32],\"width\"") && html.contains("\"bytes_by_line\":[[3,512.0]]"));
}

#[test]
fn spirv_is_explored_as_ir() {
    let folder = Folder::new();
    let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/saxpy.spvasm");
    std::fs::copy(example, folder.path("saxpy.spvasm")).unwrap();
    let model = explored(&folder, "saxpy.spvasm");
    assert_eq!((model["kernel"].as_str(), model["source"]["language"].as_str()), (Some("saxpy"), Some("ir")));
    assert!(list(&model["assembly"]["lines"]).iter().any(|line| line != 0));
}

#[test]
fn a_written_file_has_its_texts_and_its_run() {
    let folder = Folder::new();
    folder.write("sum.cl", SUM);
    folder.ok(
        "explore sum.cl -k sum -g 4096 --arg rand:5000 --arg zeros:4096 --arg 10 --repeat 3 --html out.html",
    );
    let html = String::from_utf8(folder.read("out.html")).unwrap();
    assert!(html.contains("s += in[i + k].x * k;") && html.contains("define"));
    let fetched = ["<script src", "<link rel=\"stylesheet", "href=\"http", "url(http"];
    assert!(fetched.iter().all(|way| !html.contains(way)), "nothing is fetched");
    let data = html.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    let page: Value = serde_json::from_str(data).unwrap();
    assert_eq!(page["run"]["times_ms"].as_array().unwrap().len(), 3);
    assert!(page["roofline"]["gflops"].as_f64().unwrap() > 0.0);
    let names: Vec<&str> = list(&page["what_if"]).iter().map(|row| row[0].as_str().unwrap()).collect();
    assert!(names.contains(&"scalar") && names.contains(&"width 8"), "{names:?}");
}

#[test]
fn divergence_is_counted() {
    let folder = Folder::new();
    // Three work-items of each 256 go another way, and every second one runs its loop longer.
    let source = "kernel void k(global int *p) {\n  int i = get_global_id(0);\n  int s = p[i];\n  if (i % \
    256 < 3)\n    \
                  s += p[i ^ 1] / 3;\n  for (int k = 0; k < (i & 1) + p[0]; k++)\n    s ^= p[(i + k) % \
                  1024];\n  p[i] = s;\n}\n";
    folder.write("k.cl", source);
    let line = "run k.cl -g 1024 -l 64 --arg zeros:1024 --options=--lanes=16 --json --divergence";
    let result: Value = serde_json::from_str(&folder.ok(line)).unwrap();
    let branches = list(&result["branches"]);
    let of = |line: u64| branches.iter().find(|branch| branch["line"] == line);
    let told =
        |line: u64| of(line).map(|b| (b["diverging"].as_u64().unwrap(), b["groups"].as_u64().unwrap()));
    assert_eq!(result["width"], 16);
    assert_eq!(told(6), Some((64, 64)), "{branches:?}");
    // LLVM may make a select of the first one.
    assert!(told(4).is_none_or(|counts| counts == (4, 64)), "{branches:?}");
    assert!(folder.fails(2, "run k.cl -g 64 --arg zeros:64 --divergence").contains("give both"));
}

#[test]
fn bytes_are_counted_by_lines() {
    let folder = Folder::new();
    let source = "kernel void k(global float *p, global const float4 *q, int n) {
  size_t i = get_global_id(0);
  float4 s = 0;
  for (int k = 0; k < n; k++)
    s += q[k];
  p[i] += s.x;
}
";
    folder.write("k.cl", source);
    let line = "run k.cl -g 64 --arg zeros:64 --arg zeros:100 --arg 50 --json";
    let result: Value = serde_json::from_str(&folder.ok(line)).unwrap();
    let by_line = list(&result["bytes_by_line"]);
    let of = |line: u64| by_line.iter().find(|pair| pair[0] == line).and_then(|pair| pair[1].as_f64());
    // Only one field of the vector is used.
    let read = of(5).unwrap();
    assert!([4.0, 16.0].iter().any(|bytes| read == bytes * 50.0 * 64.0), "{by_line:?}");
    assert_eq!(of(6), Some(2.0 * 4.0 * 64.0), "{by_line:?}");
    assert_eq!(result["bytes"].as_f64(), Some(read + 512.0));
}

/// What a kernel prints is not taken for what the program says.
#[test]
fn kernels_that_print_are_measured() {
    let folder = Folder::new();
    folder.write(
        "k.cl",
        "kernel void k(global int *p) { p[get_global_id(0)] = 1; printf(\"{\\\"width\\\": 9}\"); }",
    );
    let output = folder.command("run k.cl -g 8 --arg zeros:8 --json").output().unwrap();
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["global"][0], 8);
    assert_eq!(String::from_utf8_lossy(&output.stderr).matches("{\"width\": 9}").count(), 8);
    folder.ok("explore k.cl -g 8 --arg zeros:8 --html k.html");
}

/// The server, which ends with it.
struct Server {
    child: Child,
    address: String,
    token: String,
}

impl Server {
    fn start(folder: &Folder, line: &str) -> Server {
        let mut command = folder.command(&format!("explore {line}"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
        let (address, token) = url.trim().strip_prefix("http://").unwrap().split_once("/?token=").unwrap();
        Server { child, address: address.to_owned(), token: token.to_owned() }
    }

    fn post(&self, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (address, token, length) = (&self.address, &self.token, body.len());
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nX-Lanewise-Token: {token}\r\nContent-Length: \
            {length}\r\n\
             Connection: close\r\n\r\n{body}"
        )
        .unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_server_compiles_and_runs_but_reads_no_file() {
    let folder = Folder::new();
    folder.write("sum.cl", SUM);
    folder.write("secret.bin", "0123456789abcdef");
    let server = Server::start(&folder, "sum.cl -k sum");
    assert!(server.address.starts_with("127.0.0.1:"));
    let (status, text) = server.post("/api/compile", r#"{"kernel": "sum", "lanes": 4}"#);
    assert!(status == 200 && text.contains("\"width\":4"), "{status}");
    let run = |args: &str| {
        let body =
            format!(r#"{{"settings": {{"kernel": "sum"}}, "global": [64], "args": [{args}], "repeat": 2}}"#);
        server.post("/api/run", &body)
    };
    let (status, text) = run(r#""zeros:80", "zeros:64", "3""#);
    assert!(status == 200 && text.contains("\"times_ms\":["), "{text}");
    let (status, text) = run(r#""@secret.bin", "zeros:64", "3""#);
    assert!(status == 422 && text.contains("the page names no files"), "{text}");
    let (status, text) = server.post("/api/compile", r#"{"kernel": "banana"}"#);
    assert!(status == 422 && text.contains("there is no kernel banana"), "{text}");
    // A value that looks like an option is no option.
    let (status, text) = server.post("/api/compile", r#"{"kernel": "--html=x.html"}"#);
    assert!(status == 422 && text.contains("there is no kernel --html=x.html"), "{text}");
    assert!(!folder.path("x.html").exists());
}
