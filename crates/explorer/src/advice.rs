//! Advice in plain words, each with the figure that it rests on. A rule that has no figure says
//! nothing.

use crate::model::{Advice, Compilation, Remark};

/// The bytes of a line of the caches of all CPUs that we make code for.
const CACHE_LINE: i64 = 64;

/// What the compiler knows and the model of the page does not say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts {
    /// The kernel cannot tell how its range is cut: its work-groups are of the driver's choosing.
    pub is_group_agnostic: bool,
}

/// The advice on a compilation.
pub fn advice(of: &Compilation, facts: Facts) -> Vec<Advice> {
    let mut list = Vec::new();
    for remark in &of.remarks {
        list.extend(on_remark(of, remark));
    }
    list.extend(on_local_size(of, facts));
    list.extend(on_doubles(of));
    list.extend(on_loops(of));
    // Several accesses of a line get the same advice once.
    let mut seen = Vec::new();
    list.retain(|advice| {
        let is_new = !seen.contains(advice);
        seen.push(advice.clone());
        is_new
    });
    list
}

/// The bytes of a scalar or vector type of OpenCL C.
fn size_of(name: &str) -> Option<i64> {
    let element = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes: i64 = if element.len() == name.len() { 1 } else { name[element.len()..].parse().ok()? };
    let size = match element {
        "bool" | "char" | "uchar" => 1,
        "short" | "ushort" | "half" => 2,
        "int" | "uint" | "float" => 4,
        "long" | "ulong" | "double" | "pointer" => 8,
        _ => return None,
    };
    Some(size * if lanes == 3 { 4 } else { lanes })
}

fn on_remark(of: &Compilation, remark: &Remark) -> Option<Advice> {
    let Remark { line, kind, text, .. } = remark;
    let width = i64::from(of.width);
    let told = |text: String, figure: String| Some(Advice { line: *line, text, figure });
    match kind.as_str() {
        "memory" => {
            let (what, how) = text.split_once(": ")?;
            let (access, ty) = what.split_once(" of ")?;
            let size = size_of(ty)?;
            let s = |n: i64| if n == 1 { "" } else { "s" };
            if let Some(bytes) = how.strip_prefix("strided by ") {
                let Some(bytes) = bytes.strip_suffix(" bytes") else {
                    return told(
                        format!(
                            "the {access}s in line {line} are apart by a value that is known at run time \
                            only: if neighbouring work-items took neighbouring elements, they would be one"
                        ),
                        format!("{width} lanes, {width} {access}s"),
                    );
                };
                let bytes: i64 = bytes.parse().ok()?;
                let apart = bytes.abs() / size;
                if bytes.abs() % size != 0 || apart < 2 {
                    return None;
                }
                let used = 100 * size / bytes.abs().min(CACHE_LINE);
                return told(
                    format!(
                        "the {access}s in line {line} are {apart} apart: a layout as struct of arrays would \
                        make them one"
                    ),
                    format!(
                        "{width} {access}s of {size} byte{} instead of one of {}; {used} % of each cache \
                        line is used",
                        s(size),
                        size * width
                    ),
                );
            }
            if how.starts_with("interleaved, one of ") {
                let fields: i64 = how.rsplit(' ').next()?.parse().ok()?;
                return told(
                    format!(
                        "the {access}s in line {line} are {fields} apart: a layout as struct of arrays \
                        would make them one"
                    ),
                    format!(
                        "{fields} wide {access}s and their shuffles for {width} work-items instead of one \
                        {access}"
                    ),
                );
            }
            if how == "gather" || how == "scatter" || how == "one lane after the other" {
                return told(
                    format!(
                        "the {access} in line {line} goes to any address: no two lanes are known to be \
                        neighbours. Sort the indices, or stage the data in local memory"
                    ),
                    format!("{width} {access}s of {size} byte{} for {width} work-items", s(size)),
                );
            }
            None
        }
        "call" => told(
            format!("line {line}: the {text}; it has no vector form"),
            format!("{width} calls for {width} work-items"),
        ),
        "scalar" if text.starts_with("left scalar") => {
            told(format!("the kernel is {text}"), "1 work-item at once".to_owned())
        }
        _ => None,
    }
}

fn on_local_size(of: &Compilation, facts: Facts) -> Option<Advice> {
    let (&x, width) = (of.local.first()?, of.width as usize);
    if facts.is_group_agnostic || width < 2 || x == 0 || x % width == 0 {
        return None;
    }
    let vectors = x.div_ceil(width);
    let idle = vectors * width - x;
    let share = 100 * idle / (vectors * width);
    let what = match share {
        50 => "half of the vectors".to_owned(),
        share => format!("{share} % of the vectors"),
    };
    Some(Advice {
        line: 0,
        text: format!(
            "local size {x} leaves {what} empty: a multiple of {width} in the first dimension would fill them"
        ),
        figure: format!("{x} work-items in {vectors} vectors of {width}: {idle} lanes idle"),
    })
}

/// Floats that are computed with as doubles, for a constant without its `f`.
fn on_doubles(of: &Compilation) -> Vec<Advice> {
    let text_of = |stage: &crate::model::Stage| of.stages.get(stage.text_of).cloned();
    let Some(stage) = of.stages.iter().rfind(|stage| stage.group == "canonical").and_then(text_of) else {
        return Vec::new();
    };
    let is_of_kernel =
        |start: &str| start.starts_with("define ") && start.contains(&format!("@{}(", of.kernel));
    let mut lines: Vec<(u32, usize)> = Vec::new();
    let mut is_inside = false;
    for (code, line) in stage.text.lines().zip(&stage.lines) {
        is_inside = is_of_kernel(code) || is_inside && code != "}";
        if is_inside && code.contains("= fpext float ") && code.contains(" to double") && *line > 0 {
            match lines.iter_mut().find(|(other, _)| other == line) {
                Some((_, count)) => *count += 1,
                None => lines.push((*line, 1)),
            }
        }
    }
    let told = |(line, count): (u32, usize)| Advice {
        line,
        text: format!(
            "line {line} makes a double of a float and computes with that: a constant without its f does it \
            (0.5 is a double, 0.5f a float)"
        ),
        figure: format!(
            "{count} conversion{}; half as many lanes fit a register",
            if count == 1 { "" } else { "s" }
        ),
    };
    lines.into_iter().map(told).collect()
}

/// Loops that wait for their own results.
fn on_loops(of: &Compilation) -> Vec<Advice> {
    let waits = of.assembly.loops.iter().filter_map(|l| {
        let cost = l.cost.as_ref()?;
        (cost.is_latency && cost.chain >= 1.5 * cost.busy && l.line > 0).then(|| Advice {
            line: l.line,
            text: format!(
                "the loop at line {} waits for results of its trip before: several independent sums, or \
                more work-items at once (a larger width), would fill the time",
                l.line
            ),
            figure: format!(
                "{:.1} cycles a trip by latency, {:.1} by its instructions",
                cost.chain, cost.busy
            ),
        })
    });
    waits.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Assembly, Loop, LoopCost, Stage};

    fn with(remarks: &[(u32, &str, &str)]) -> Compilation {
        let remark = |&(line, kind, text): &(u32, &str, &str)| Remark {
            line,
            column: 1,
            kind: kind.to_owned(),
            text: text.to_owned(),
        };
        Compilation {
            width: 16,
            kernel: "k".into(),
            remarks: remarks.iter().map(remark).collect(),
            ..Compilation::default()
        }
    }

    fn told(of: &Compilation) -> Vec<String> {
        advice(of, Facts::default()).into_iter().map(|a| format!("{} [{}]", a.text, a.figure)).collect()
    }

    #[test]
    fn accesses() {
        let of = with(&[
            (12, "memory", "load of float: strided by 16 bytes"),
            (12, "memory", "load of float: strided by 16 bytes"),
            (13, "memory", "load of float: contiguous"),
            (14, "memory", "store of int: scatter"),
        ]);
        let all = told(&of);
        assert_eq!(
            all[0],
            "the loads in line 12 are 4 apart: a layout as struct of arrays would make them one [16 loads \
            of 4 bytes instead of one of 64; 25 % of each cache line is used]"
        );
        assert!(all[1].starts_with("the store in line 14 goes to any address"), "{all:?}");
        assert_eq!(all.len(), 2);
    }

    #[test]
    fn local_sizes() {
        let of = |local: usize| Compilation { local: vec![local], width: 32, ..with(&[]) };
        assert_eq!(
            told(&of(16)),
            ["local size 16 leaves half of the vectors empty: a multiple of 32 in the first dimension \
                would fill them [16 work-items in 1 vectors of 32: 16 lanes idle]"]
        );
        assert!(told(&of(64)).is_empty());
        assert!(advice(&of(16), Facts { is_group_agnostic: true }).is_empty());
    }

    #[test]
    fn doubles_and_chains() {
        let text = "define void @k(ptr %a) {\n  %1 = fpext float %0 to double\n}\ndefine void @other() {\n  \
                    %1 = fpext float %0 to double\n}\n";
        let stage = Stage {
            group: "canonical".into(),
            text: text.into(),
            lines: vec![1, 7, 0, 10, 11, 0],
            ..Stage::default()
        };
        let cost = LoopCost { busy: 2.0, chain: 4.0, is_latency: true, ..LoopCost::default() };
        let l = Loop { line: 9, cost: Some(cost), ..Loop::default() };
        let assembly = Assembly { loops: vec![l], ..Assembly::default() };
        let of = Compilation { stages: vec![stage], assembly, ..with(&[]) };
        let lines: Vec<u32> = advice(&of, Facts::default()).iter().map(|a| a.line).collect();
        assert_eq!(lines, [7, 9]);
    }
}
