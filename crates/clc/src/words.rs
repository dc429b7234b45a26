//! Cuts an option string into words as a shell does.

/// A quote that is opened and never closed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unclosed(pub char);

/// Blanks separate words. `'…'` keeps everything, `"…"` keeps all but `\"` and `\\`, and a
/// backslash outside of quotes keeps the next character.
pub(crate) fn split(text: &str) -> Result<Vec<String>, Unclosed> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars().peekable();
    while let Some(ch) = chars.next() {
        match ch {
            _ if ch.is_whitespace() || ch == '\0' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        None => return Err(Unclosed('\'')),
                        Some('\'') => break,
                        Some(ch) => word.push(ch),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        None => return Err(Unclosed('"')),
                        Some('"') => break,
                        Some('\\') => match chars.next_if(|&next| next == '"' || next == '\\') {
                            Some(next) => word.push(next),
                            None => word.push('\\'),
                        },
                        Some(ch) => word.push(ch),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(chars.next().unwrap_or('\\')),
            _ => word.get_or_insert_default().push(ch),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        split(text).unwrap()
    }

    #[test]
    fn blanks_separate() {
        assert_eq!(words(""), [""; 0]);
        assert_eq!(words(" \t\n "), [""; 0]);
        assert_eq!(words("  -a\t-b\n-c  "), ["-a", "-b", "-c"]);
    }

    #[test]
    fn quotes_keep_blanks() {
        assert_eq!(words("-I \"a b\" -Ic' d'e"), ["-I", "a b", "-Ic de"]);
        assert_eq!(words("'' \"\""), ["", ""]);
    }

    #[test]
    fn backslashes() {
        assert_eq!(words(r#"-DS=\"hi\" a\ b"#), [r#"-DS="hi""#, "a b"]);
        assert_eq!(words(r#""a\"b" "c\\d" "e\nf" '\'"#), [r#"a"b"#, r"c\d", r"e\nf", r"\"]);
        assert_eq!(words(r"end\"), [r"end\"]);
    }

    #[test]
    fn unclosed_quotes_are_errors() {
        assert_eq!(split("-D 'a b"), Err(Unclosed('\'')));
        assert_eq!(split("-D \"a b\\\""), Err(Unclosed('"')));
    }
}
