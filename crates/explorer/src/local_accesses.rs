//! Which accesses that remarks tell of are to local memory: the vectorizer does not say, but the IR
//! before it has the address spaces.

use crate::model::{Remark, Stage};

/// Marks the remarks on accesses to local memory. Where a line has such accesses and others of one
/// kind, none of them is marked.
pub fn mark_local_accesses(remarks: &mut [Remark], stages: &[Stage]) {
    let Some(last) = stages.iter().rfind(|stage| stage.group == "canonical") else { return };
    let Some(stage) = stages.get(last.text_of) else { return };
    let accesses: Vec<(u32, &str, bool)> = stage
        .text
        .lines()
        .zip(&stage.lines)
        .filter_map(|(code, line)| Some((*line, kind(code)?, code.contains("ptr addrspace(3)"))))
        .collect();
    for remark in remarks.iter_mut().filter(|remark| remark.kind == "memory" && remark.line > 0) {
        let own =
            accesses.iter().filter(|(line, kind, _)| *line == remark.line && remark.text.starts_with(kind));
        let mut own = own.map(|(_, _, is_local)| *is_local).peekable();
        remark.is_local = own.peek().is_some() && own.all(|is_local| is_local);
    }
}

/// What an instruction does, as remarks call it.
fn kind(code: &str) -> Option<&'static str> {
    let code = code.trim_start();
    let has = |word: &str| code.contains(word);
    match () {
        () if has("= load ") => Some("load"),
        () if code.starts_with("store ") => Some("store"),
        () if has("= atomicrmw ") || has("= cmpxchg ") => Some("atomic operation"),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_spaces_tell() {
        let text = "define void @k() {\n  %1 = load float, ptr addrspace(1) %a\n  store float %1, ptr \
                    addrspace(3) %t\n  %2 = load i32, ptr addrspace(3) %t\n  %3 = load i32, ptr \
                    addrspace(1) %a\n}\n";
        let stage = Stage {
            group: "canonical".into(),
            text: text.into(),
            lines: vec![1, 2, 2, 3, 3, 0],
            ..Stage::default()
        };
        let remark =
            |line, text: &str| Remark { line, kind: "memory".into(), text: text.into(), ..Remark::default() };
        let mut remarks = [
            remark(2, "load of float: contiguous"),
            remark(2, "store of float: contiguous"),
            remark(3, "load of int: gather"),
            remark(9, "load of int: gather"),
        ];
        mark_local_accesses(&mut remarks, &[stage]);
        assert_eq!(remarks.map(|remark| remark.is_local), [false, true, false, false]);
    }
}
