//! The page as one HTML file: its script and styles, what it shows as JSON, and all text that a
//! search in the browser should find as text.

use crate::Page;

/// Made from `web/` by `scripts/explorer-page.sh`.
const SCRIPT: &str = include_str!("../assets/page.js");
const STYLE: &str = include_str!("../assets/page.css");

/// The page. A server gives its script a nonce, by which the browser tells it from any other.
pub fn html(page: &Page, nonce: Option<&str>) -> String {
    let mut page = page.clone();
    page.live = nonce.is_some();
    // The texts of a file stand in elements of their own.
    let mut texts = String::new();
    if nonce.is_none() {
        for (of, compilation) in [(0, Some(&mut page.compilation)), (1, page.other.as_mut())] {
            let Some(compilation) = compilation else { continue };
            let mut keep = |id: String, title: &str, text: &mut String| {
                if !text.is_empty() {
                    texts += &format!(
                        "<pre id=\"{id}\" title=\"{}\" hidden=\"until-found\">\n{}</pre>\n",
                        escape(title),
                        escape(text)
                    );
                    text.clear();
                }
            };
            let title = compilation.file.clone();
            keep(format!("source-{of}"), &title, &mut compilation.source.text);
            for (n, stage) in compilation.stages.iter_mut().enumerate() {
                let name = stage.name.clone();
                keep(format!("stage-{of}-{n}"), &name, &mut stage.text);
            }
            keep(format!("assembly-{of}"), "assembly", &mut compilation.assembly.text);
        }
    }
    let title = format!("{} - Lanewise", page.compilation.kernel);
    // In a script element `</script>` and `<!--` have a meaning, wherever they stand.
    let data = serde_json::to_string(&page).unwrap_or_default().replace('<', "\\u003c");
    let nonce = nonce.map(|nonce| format!(" nonce=\"{nonce}\"")).unwrap_or_default();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<div id=\"app\"></div>\n<section \
         id=\"texts\">\n\
         {texts}</section>\n<script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script{nonce}>\n{SCRIPT}</script>\n</body>\n</html>\n",
        escape(&title)
    )
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Compilation, Source, Stage};

    fn page() -> Page {
        let source = Source { text: "a < b; // </script> &".to_owned(), ..Source::default() };
        let stage = |text: &str| Stage { name: "p".into(), text: text.into(), ..Stage::default() };
        let compilation = Compilation {
            file: "a\"b.cl".into(),
            source,
            stages: vec![stage("define @k"), stage("")],
            ..Compilation::default()
        };
        Page { compilation, ..Page::default() }
    }

    #[test]
    fn a_file_has_its_texts_as_text() {
        let html = html(&page(), None);
        assert!(html.contains(
            "<pre id=\"source-0\" title=\"a&quot;b.cl\" hidden=\"until-found\">\na &lt; \
        b; // &lt;/script&gt; &amp;</pre>"
        ));
        assert!(html.contains("hidden=\"until-found\">\ndefine @k</pre>"));
        assert!(!html.contains("stage-0-1\""), "a stage that changed nothing has no text");
        assert_eq!(html.matches("</script>").count(), 2);
    }

    #[test]
    fn a_served_page_has_them_as_data() {
        let html = html(&page(), Some("n0"));
        assert!(html.contains("<script nonce=\"n0\">"));
        assert!(html.contains(r#""text":"a \u003c b; // \u003c/script> &""#));
        assert!(!html.contains("<pre"));
    }
}
