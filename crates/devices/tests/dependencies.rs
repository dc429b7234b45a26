//! The graph of dependencies in `docs/architecture.md` is that of the manifests, and no crate names
//! a device that should not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

type Graph = BTreeMap<String, BTreeSet<String>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The lines `    crate: uses …` of the page.
fn of_the_page() -> Graph {
    let page = std::fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let line = |line: &str| {
        let (name, uses) = line.strip_prefix("    ")?.split_once(':')?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        is_name.then(|| (name.to_owned(), uses.split_whitespace().map(str::to_owned).collect()))
    };
    page.lines().filter_map(line).collect()
}

/// The crates of the workspace that each one depends on, but for its tests.
fn of_the_manifests() -> Graph {
    let mut graph = Graph::new();
    for folder in std::fs::read_dir(root().join("crates")).unwrap() {
        let folder = folder.unwrap();
        let manifest = std::fs::read_to_string(folder.path().join("Cargo.toml")).unwrap();
        let section = manifest.split("\n[").find(|section| section.starts_with("dependencies]"));
        let uses = section.unwrap_or_default().lines().filter_map(|line| {
            let name = line.split(['.', ' ', '=']).next()?;
            line.contains("workspace = true").then(|| name.to_owned())
        });
        graph.insert(folder.file_name().into_string().unwrap(), uses.collect());
    }
    graph
}

#[test]
fn the_page_has_the_graph_of_the_manifests() {
    let (page, manifests) = (of_the_page(), of_the_manifests());
    for (name, uses) in &manifests {
        let written: Vec<&str> = uses.iter().map(String::as_str).collect();
        let expected = format!("{name}: {}", written.join(" "));
        assert_eq!(page.get(name), Some(uses), "docs/architecture.md should have the line:\n    {expected}");
    }
    assert_eq!(page.len(), manifests.len(), "the page lists crates that are gone");
}

#[test]
fn only_the_list_of_devices_names_them() {
    for (name, uses) in &of_the_manifests() {
        for backend in ["host", "threads", "native_cpu"] {
            let may = matches!((name.as_str(), backend), ("devices", _) | ("native_cpu", "host"));
            assert!(may || !uses.contains(backend), "{name} depends on {backend}");
        }
    }
}

#[test]
fn there_is_no_way_back() {
    fn reach<'a>(graph: &'a Graph, from: &str, seen: &mut BTreeSet<&'a str>) {
        for next in &graph[from] {
            if seen.insert(next) {
                reach(graph, next, seen);
            }
        }
    }
    let manifests = of_the_manifests();
    for name in manifests.keys() {
        let mut seen = BTreeSet::new();
        reach(&manifests, name, &mut seen);
        assert!(!seen.contains(name.as_str()), "{name} depends on itself");
    }
}
