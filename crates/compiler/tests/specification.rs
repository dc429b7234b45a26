//! Every test that `docs/specification.md` names is there.

use std::path::Path;

#[test]
fn every_row_names_a_test_that_exists_or_says_why_not() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(crates.join("../docs/specification.md")).unwrap();
    let mut rows = 0;
    let mut wrong = Vec::new();
    for line in page.lines().filter(|l| l.starts_with("| ") && !l.starts_with("| ---")) {
        // A column's heading has no test.
        if ["what", "stage", "pass, option or utility"]
            .iter()
            .any(|head| line.starts_with(&format!("| {head} |")))
        {
            continue;
        }
        rows += 1;
        let last = line.trim_end_matches('|').rsplit(" | ").next().unwrap_or_default();
        let named: Vec<&str> = last
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|t| t.contains("/tests/") || t.contains("/src/"))
            .collect();
        if named.is_empty() && !last.trim_start().starts_with("not done: ") {
            wrong.push(format!("neither a test nor a reason: {line}"));
        }
        for test in named {
            let (file, function) = test.split_once("::").map_or((test, None), |(file, f)| (file, Some(f)));
            let text = std::fs::read_to_string(crates.join(file)).unwrap_or_default();
            let found = function.is_none_or(|f| text.contains(&format!("fn {f}(")));
            if text.is_empty() || !found {
                wrong.push(format!("there is no {test}"));
            }
        }
    }
    assert!(rows > 150, "{rows} rows");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
