//! Which other texts a source reads, so that they can be part of its key in the cache.
//!
//! Directives are found without a preprocessor: all that could be read is taken to be read, also under an `#if` that is false, and
//! wherever it could be found. Where that cannot be told, there is no answer and the source is not cached.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// More files, or more bytes, are not followed.
const MOST_FILES: usize = 1000;
const MOST_BYTES: usize = 64 << 20;

/// The texts that a source includes, directly or not, by their paths; `None` for a place where there was no file.
pub type Included = BTreeMap<String, Option<Vec<u8>>>;

/// Everything that `source` reads: of `headers` (names and texts) and of files in `dirs` or beside other files. `None` if it
/// cannot be told, or depends on the time.
pub fn follow(source: &str, headers: &[(&str, &str)], dirs: &[String]) -> Option<Included> {
    let mut all = Included::new();
    let mut bytes = 0;
    // What is to be read, each text with the directory it is in.
    let mut texts: Vec<(String, Option<PathBuf>)> = vec![(source.to_owned(), None)];
    texts.extend(headers.iter().map(|(_, text)| ((*text).to_owned(), None)));
    while let Some((text, dir)) = texts.pop() {
        for name in names(&text)? {
            // A header of the program's may hide a file or not: its text is in the key anyway.
            let beside = dir.iter().map(PathBuf::as_path);
            let places = beside.chain([Path::new("")]).chain(dirs.iter().map(Path::new));
            for path in places.map(|place| place.join(&name)) {
                let key = path.to_string_lossy().into_owned();
                if all.contains_key(&key) {
                    continue;
                }
                let found = fs::read(&path).ok();
                if let Some(found) = &found {
                    bytes += found.len();
                    let parent = path.parent().map(Path::to_path_buf);
                    texts.push((String::from_utf8_lossy(found).into_owned(), parent));
                }
                all.insert(key, found);
                if all.len() > MOST_FILES || bytes > MOST_BYTES {
                    return None;
                }
            }
        }
    }
    Some(all)
}

/// The names in the `#include` directives of a text; `None` if not all are plain, or what it reads depends on something else.
fn names(text: &str) -> Option<Vec<String>> {
    let text = text.replace("\\\r\n", "").replace("\\\n", "");
    let outside = ["__DATE__", "__TIME", "__has_include", "__has_embed", "_Pragma", "??", "%:"];
    if outside.iter().any(|word| text.contains(word)) {
        return None;
    }
    let mut names = Vec::new();
    for line in without_comments(&text).lines() {
        let Some(directive) = line.trim_start().strip_prefix('#') else { continue };
        let directive = directive.trim_start();
        let word = directive.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        match word {
            "include" | "include_next" => {
                let rest = directive[word.len()..].trim();
                let quoted = rest.strip_prefix('"').and_then(|r| r.split_once('"'));
                let angled = || rest.strip_prefix('<').and_then(|r| r.split_once('>'));
                names.push(quoted.or_else(angled)?.0.to_owned());
            }
            "import" | "embed" | "pragma" if word != "pragma" || directive.contains("include") => {
                return None;
            }
            _ => {}
        }
    }
    Some(names)
}

/// The text with a blank for each comment. What looks like one in a string or in a name of a header stays.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut quote = None;
    while let Some(c) = chars.next() {
        match (quote, c, chars.peek()) {
            (None, '/', Some('/')) => while chars.next_if(|c| *c != '\n').is_some() {},
            (None, '/', Some('*')) => {
                chars.next();
                let mut last = ' ';
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
                out.push(' ');
            }
            (Some(_), '\\', Some(_)) => {
                out.push(c);
                out.extend(chars.next());
            }
            _ => {
                // A string ends with its line at the latest.
                quote = match quote {
                    Some(q) if c == q || c == '\n' => None,
                    None if c == '"' || c == '\'' => Some(c),
                    unchanged => unchanged,
                };
                out.push(c);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_found() {
        let found = |text: &str| names(text).map(|n| n.join(" "));
        assert_eq!(found("kernel void f() {} // we include nothing").as_deref(), Some(""));
        assert_eq!(
            found("#include \"a.h\"\n  # /* x */ include <b/c.h> // yes").as_deref(),
            Some("a.h b/c.h")
        );
        assert_eq!(found("#inc\\\nlude \"x.h\"").as_deref(), Some("x.h"));
        assert_eq!(found("/* \"\n*/ #include \"x.h\"").as_deref(), Some("x.h"));
        assert_eq!(found("char *s = \"/*\";\n#include \"x.h\"\n\"*/\"").as_deref(), Some("x.h"));
        assert_eq!(found("char c = '\"'; //\n#include \"x.h\"").as_deref(), Some("x.h"));
        assert_eq!(found("#include \"http://x.h\"").as_deref(), Some("http://x.h"));
        for unknown in [
            "#include NAME",
            "#if __has_include(<x.h>)",
            "int t[] = __TIME__;",
            "%:include \"x.h\"",
            "#import \"x\"",
        ] {
            assert_eq!(found(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn files_are_followed_and_missing_ones_noted() {
        let dir = std::env::temp_dir().join(format!("lanewise-includes-{}", std::process::id()));
        fs::create_dir_all(dir.join("sub")).unwrap();
        fs::write(dir.join("a.h"), "#include \"sub/b.h\"\n#include \"a.h\"\n").unwrap();
        fs::write(dir.join("sub/b.h"), "#include \"c.h\"\n").unwrap();
        let dirs = [dir.to_string_lossy().into_owned()];
        let followed =
            || follow("#include <a.h>\n#include \"given.h\"", &[("given.h", "int x;")], &dirs).unwrap();
        let first = followed();
        let key = |name: &str| dir.join(name).to_string_lossy().into_owned();
        assert!(first[&key("a.h")].is_some() && first[&key("sub/b.h")].is_some());
        assert_eq!(first[&key("sub/c.h")], None);
        // A file that appears where there was none.
        fs::write(dir.join("sub/c.h"), "").unwrap();
        assert_ne!(followed(), first);
        fs::remove_dir_all(dir).unwrap();
        assert!(follow("#include \"x.h\"", &[("x.h", "#include MACRO")], &[]).is_none());
    }
}
