//! A measurement as a row of a table, and the tables of docs/accuracy.md, which can be renewed row
//! by row.

use crate::{Function, Type, Unit, Worst};
use difftest::Result;

/// A row of the report: the function's name with its domain, the bar, the worst error.
pub struct Row {
    pub name: String,
    pub bar: String,
    pub error: String,
    pub calls: String,
    pub call: String,
}

impl Row {
    pub fn new(function: &Function, bar: f64, worst: &Worst) -> Self {
        let place = if function.place.is_empty() { String::new() } else { format!(", {}", function.place) };
        let (bar, error) = match function.unit {
            Unit::Absolute => (format!("2^{}", bar.log2()), format!("2^{:.1}", worst.error.log2())),
            Unit::Ulps(_) => ("3 + ⌊2 |x|⌋".to_owned(), format!("{:.2} of it", worst.error)),
            Unit::Ulp if bar.is_finite() => (format!("{bar}"), format!("{:.3}", worst.error)),
            Unit::Ulp => ("–".to_owned(), format!("{:.3}", worst.error)),
        };
        let calls = if worst.calls == 1 << 32 { "all 2^32".to_owned() } else { worst.calls.to_string() };
        Self { name: format!("`{}`{place}", function.name), bar, error, calls, call: worst.call.clone() }
    }

    pub fn markdown(&self) -> String {
        // A bar would end the cell.
        let cell = |text: &str| text.replace('|', "\\|");
        let Row { name, bar, error, calls, call } = self;
        format!("| {} | {} | {error} | {calls} | `{call}` |", cell(name), cell(bar))
    }
}

pub fn heading(ty: Type, relaxed: bool) -> String {
    format!("## {}{}", ty.name(), if relaxed { ", relaxed" } else { "" })
}

/// The document with the row in the table under the heading: in the place of the one that begins as
/// it does, or last.
pub fn renewed(document: &str, heading: &str, row: &str) -> Result<String> {
    let mut lines: Vec<&str> = document.lines().collect();
    let missing = || format!("there is no table under '{heading}'");
    let start = lines.iter().position(|line| *line == heading).ok_or_else(missing)?;
    let table = lines[start..].iter().position(|line| line.starts_with("| ---")).ok_or_else(missing)?;
    let first = start + table + 1;
    let count = lines[first..].iter().take_while(|line| line.starts_with('|')).count();
    let key = |line: &str| line.split(" | ").next().map(str::to_owned);
    match lines[first..first + count].iter().position(|line| key(line) == key(row)) {
        Some(place) => lines[first + place] = row,
        None => lines.insert(first + count, row),
    }
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::renewed;

    #[test]
    fn rows_are_replaced_or_added() {
        let document =
            "# A\n\n## float\n\n| f | w |\n| --- | --- |\n| `sin` | 1 |\n| `cos` | 2 |\n\n## half\n";
        let changed = renewed(document, "## float", "| `sin` | 3 |").unwrap();
        assert_eq!(changed, document.replace("`sin` | 1", "`sin` | 3"));
        let added = renewed(document, "## float", "| `tan` | 4 |").unwrap();
        assert_eq!(added, document.replace("2 |\n", "2 |\n| `tan` | 4 |\n"));
        assert!(renewed(document, "## half", "| `sin` | 3 |").is_err());
    }
}
