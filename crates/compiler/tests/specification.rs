//! Every row of `docs/specification.md` names a test that is there and that names what the row is
//! about, or says why there is none.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The words between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// A text in which names are found however they are spelled: `MemScope`, `mem_scope`, `mem-scope`.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

struct Row<'a> {
    line: &'a str,
    /// What the row is about: its first column.
    what: &'a str,
    /// All columns but the last one.
    about: &'a str,
    /// The tests, or why there are none.
    last: &'a str,
}

impl<'a> Row<'a> {
    fn all(page: &'a str) -> Vec<Row<'a>> {
        let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| ---");
        let is_heading = |line: &&str| {
            ["what", "stage", "pass, option or utility"].iter().any(|h| line.starts_with(&format!("| {h} |")))
        };
        let rows = page.lines().filter(|line| is_row(line) && !is_heading(line));
        rows.map(|line| {
            let (about, last) = line.trim_matches(['|', ' ']).rsplit_once(" | ").unwrap_or((line, ""));
            Row { line, what: about.split(" | ").next().unwrap_or(about), about, last }
        })
        .collect()
    }

    /// A row that goes on with the one before.
    fn goes_on(&self) -> bool {
        self.what.starts_with('…')
    }

    fn tests(&self) -> Vec<&'a str> {
        quoted(self.last).filter(|t| t.contains("/tests/") || t.contains("/src/")).collect()
    }

    /// The names that the row has, of the specification's things and of ours.
    fn names(&self) -> Vec<String> {
        let others = quoted(self.last).filter(|t| !t.contains("/tests/") && !t.contains("/src/"));
        let all = quoted(self.about).chain(others);
        // `-cl-vec={none|loop}` is about `-cl-vec`, and `__mux_get_local_id` about `get_local_id`,
        // too. `Context::lock` is about `lock`.
        let own = |name: &'a str| name.rsplit_once("::").map_or(name, |(_, own)| own);
        let head = move |name: &'a str| own(name).split(['=', '{', '<', '*']).next().unwrap_or(name);
        let parts = all.flat_map(move |name| head(name).split(|c: char| " :;,.!()[]@…".contains(c)));
        let short = |part: &str| {
            let part = squeezed(part);
            part.strip_prefix("mux").unwrap_or(&part).trim_end_matches("pass").to_owned()
        };
        parts.map(short).filter(|part| part.len() > 1).collect()
    }

    /// The longer words of what the row is about.
    fn plain_words(&self) -> Vec<String> {
        let long = words(self.what).filter(|word| word.len() > 3);
        long.map(|word| squeezed(word).trim_end_matches("pass").trim_end_matches('s').to_owned()).collect()
    }
}

/// The items of a file at the left margin, each with the comments before it.
fn items(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for line in text.lines() {
        let last = all.last_mut().expect("there is always one");
        last.push_str(line);
        last.push('\n');
        let is_end = line == "}" || !line.starts_with(char::is_whitespace) && line.ends_with(';');
        if is_end {
            all.push(String::new());
        }
    }
    all
}

/// The names that an item defines.
fn defined(item: &str) -> Vec<&str> {
    let kinds = ["const", "static", "fn", "struct", "enum", "impl", "type"];
    let is_code = |line: &&str| !line.starts_with("//") && !line.starts_with(char::is_whitespace);
    let mut names = Vec::new();
    for line in item.lines().filter(is_code) {
        let words: Vec<&str> = words(line).collect();
        names.extend(words.windows(2).filter(|pair| kinds.contains(&pair[0])).map(|pair| pair[1]));
    }
    names
}

/// What a test says: a file of a pass, or a function with its comments, all that it uses of its
/// file, and the file's own modules but those that are common to several. `None` if there is no
/// such test.
fn text_of(test: &str) -> Option<String> {
    let (file, function) = test.split_once("::").map_or((test, None), |(file, f)| (file, Some(f)));
    let path = crates().join(file);
    let text = std::fs::read_to_string(&path).ok()?;
    let mut said = file.to_owned();
    let Some(function) = function else { return Some(said + &text) };
    let items = items(&text);
    let is_test = |item: &&String| item.contains(&format!("fn {function}("));
    let mut work: Vec<&String> = items.iter().filter(is_test).collect();
    if work.is_empty() {
        return None;
    }
    let mut seen: HashSet<&String> = HashSet::new();
    while let Some(item) = work.pop() {
        if seen.insert(item) {
            said += item;
            let used: HashSet<&str> = words(item).collect();
            work.extend(items.iter().filter(|other| defined(other).iter().any(|name| used.contains(name))));
        }
    }
    let modules = text.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    for module in modules.filter(|module| !module.ends_with("common")) {
        let folder = std::fs::read_dir(path.with_file_name(module)).into_iter().flatten().flatten();
        said.extend(folder.filter_map(|file| std::fs::read_to_string(file.path()).ok()));
    }
    Some(said)
}

#[test]
fn every_row_names_a_test_that_names_it_or_says_why_not() {
    let page = std::fs::read_to_string(crates().join("../docs/specification.md")).unwrap();
    let rows = Row::all(&page);
    let mut wrong = Vec::new();
    let mut before: Vec<String> = Vec::new();
    for row in &rows {
        let mut names = row.names();
        if !row.goes_on() {
            before = names.clone();
        }
        if names.is_empty() {
            names = row.plain_words();
            if row.goes_on() {
                names.extend(before.iter().cloned());
            }
        }
        let tests = row.tests();
        if tests.is_empty() && !row.last.starts_with("not done: ") {
            wrong.push(format!("neither a test nor a reason: {}", row.line));
        }
        let mut said = String::new();
        for test in &tests {
            match text_of(test) {
                Some(text) => said += &squeezed(&text),
                None => wrong.push(format!("there is no {test}")),
            }
        }
        if !tests.is_empty() && !names.iter().any(|name| said.contains(name)) {
            wrong.push(format!("the test does not name any of {names:?}: {}", row.line));
        }
    }
    assert!(rows.len() > 225, "{} rows", rows.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_test_that_is_about_another_thing_is_found_out() {
    let said = squeezed(&text_of("ir/src/mangling.rs::scalable_vectors_are_mangled_as_specified").unwrap());
    let row = |line| Row::all(line).remove(0).names();
    let names = row("| scalable vectors: `u5nxv1j` | `x/tests/y.rs` |");
    assert!(names.iter().any(|name| said.contains(name)), "{names:?}");
    let names = row("| `__mux_work_group_barrier`, `BaseModule::finalize` | `x/tests/y.rs` |");
    assert_eq!(names, ["workgroupbarrier", "finalize"]);
    assert!(!names.iter().any(|name| said.contains(name)));
    assert!(text_of("ir/src/mangling.rs::no_such_test").is_none());
}
