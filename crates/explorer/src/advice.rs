//! Advice in plain words, each with the figure that it rests on. A rule that has no figure says
//! nothing.

use crate::model::{Advice, Compilation, Loop, LoopCost, Remark};

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
    list.extend(on_divisions(of));
    list.extend(on_the_stack(of));
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
            let is_any = how == "gather" || how == "scatter" || how == "one lane after the other";
            if is_any && !remark.is_local {
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
    if facts.is_group_agnostic || width < 2 || x == 0 {
        return None;
    }
    if x % width == 0 {
        return on_short_vectors(of, x);
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

/// A work-group that fills its vectors, which are shorter for that than those of the CPU.
fn on_short_vectors(of: &Compilation, x: usize) -> Option<Advice> {
    let sizes = of.remarks.iter().filter(|remark| remark.kind == "memory").filter_map(|remark| {
        let (what, _) = remark.text.split_once(": ")?;
        size_of(what.split_once(" of ")?.1)
    });
    let bits = 8 * usize::try_from(sizes.max()?).ok()?;
    let items: usize = of.local.iter().product();
    let fit = of.machine.vector_bits / bits;
    (of.settings.lanes.is_none() && of.width as usize == x && x == items && x < fit).then(|| Advice {
        line: 0,
        text: format!(
            "local size {x} makes short vectors of it: {fit} work-items or more would fill the CPU's"
        ),
        figure: format!("{x} lanes of {bits} bits in vectors of {}", of.machine.vector_bits),
    })
}

/// Whether an instruction computes with a constant of type double.
fn has_double_constant(code: &str) -> bool {
    let computes = [" = fmul ", " = fadd ", " = fsub ", " = fdiv ", "llvm.fmuladd.f64(", "llvm.fma.f64("];
    let is_number = |text: &str| {
        let text = text.trim_start().trim_start_matches("double ");
        text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
    };
    code.contains(" double ")
        && computes.iter().any(|word| code.contains(word))
        && code.split([',', '(']).chain(code.split(" double ").skip(1)).any(is_number)
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
    let mut code = Vec::new();
    for (text, line) in stage.text.lines().zip(&stage.lines) {
        is_inside = is_of_kernel(text) || is_inside && text != "}";
        code.extend(is_inside.then_some((text, *line)));
    }
    // What is a double in the source, or only printed, is one on purpose: a constant that makes one
    // of a float stands in the same line, and the result is a float again.
    let is_short_lived = code.iter().any(|(text, _)| text.contains("= fptrunc double "));
    let has_constant = |line: u32| code.iter().any(|(text, own)| *own == line && has_double_constant(text));
    for &(text, line) in &code {
        if is_short_lived
            && text.contains("= fpext float ")
            && text.contains(" to double")
            && line > 0
            && has_constant(line)
        {
            match lines.iter_mut().find(|(other, _)| *other == line) {
                Some((_, count)) => *count += 1,
                None => lines.push((line, 1)),
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

/// The instructions of a loop: the number of the line, and its text.
fn instructions<'a>(of: &'a Compilation, l: &Loop) -> Vec<(u32, &'a str)> {
    let is_in = |number: u32| l.parts.iter().any(|&(first, last)| (first..=last).contains(&number));
    let lines = (1..).zip(of.assembly.text.lines());
    lines.filter(|(number, code)| is_in(*number) && code.starts_with(' ')).collect()
}

/// Innermost loops of known lines. Of each line it is the one that takes longest: the vectors', and
/// not the rest's, which may have another line and take a small part of the longest loop's time.
fn long_loops(of: &Compilation) -> Vec<(&Loop, &LoopCost)> {
    let mut all: Vec<(&Loop, &LoopCost)> =
        of.assembly.loops.iter().filter_map(|l| Some((l, l.cost.as_ref()?))).collect();
    all.sort_by(|a, b| b.1.cycles.total_cmp(&a.1.cycles));
    let longest = all.first().map_or(0.0, |(_, cost)| cost.cycles);
    all.retain(|(l, cost)| l.line > 0 && 8.0 * cost.cycles >= longest);
    let mut seen = Vec::new();
    all.retain(|(l, _)| {
        !seen.contains(&l.line) && {
            seen.push(l.line);
            true
        }
    });
    all.sort_by_key(|(l, _)| l.line);
    all
}

/// Loops that divide most of the time.
fn on_divisions(of: &Compilation) -> Vec<Advice> {
    let throughput = |line: u32| of.assembly.costs.iter().find(|cost| cost.line == line);
    let told = |(l, cost): (&Loop, &LoopCost)| {
        let divides = |code: &str| {
            let name = code.split_whitespace().next().unwrap_or_default();
            ["div", "idiv", "vdiv", "sdiv", "udiv", "fdiv"].iter().any(|start| name.starts_with(start))
        };
        let all = instructions(of, l);
        let is_long =
            |code: &str| code.trim_start().starts_with("divq") || code.trim_start().starts_with("idivq");
        let what = match all.iter().any(|(_, code)| is_long(code)) {
            true => {
                "integers of 64 bits are divided one after the other, those of 32 bits (uint for size_t) as \
                vectors"
            }
            false => {
                "where the divisor is the same each time, to multiply by its reciprocal, or to shift by a \
                power of two, is cheaper"
            }
        };
        let costs = all.iter().filter(|(_, code)| divides(code)).filter_map(|(line, _)| throughput(*line));
        let (count, cycles) = costs.fold((0, 0.0), |(n, sum), cost| (n + 1, sum + cost.throughput));
        (count > 0 && cycles >= 0.5 * cost.cycles).then(|| Advice {
            line: l.line,
            text: format!("the loop at line {} divides most of the time: {what}", l.line),
            figure: format!(
                "{count} division{} a trip, {cycles:.0} of its {:.0} cycles",
                if count == 1 { "" } else { "s" },
                cost.cycles
            ),
        })
    };
    long_loops(of).into_iter().filter_map(told).collect()
}

/// Loops that use the stack in a quarter of their instructions or more.
fn on_the_stack(of: &Compilation) -> Vec<Advice> {
    let told = |(l, _): (&Loop, &LoopCost)| {
        let all = instructions(of, l);
        let is_stack = |code: &str| ["(%rsp", "[sp", "(sp)"].iter().any(|place| code.contains(place));
        let count = all.iter().filter(|(_, code)| is_stack(code)).count();
        (count >= 8 && 4 * count >= all.len()).then(|| Advice {
            line: l.line,
            text: format!(
                "the loop at line {} keeps more than the registers hold: a smaller width, smaller private \
                arrays, or two loops with half of it each would need less",
                l.line
            ),
            figure: format!("{count} of {} instructions a trip use the stack", all.len()),
        })
    };
    long_loops(of).into_iter().filter_map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Assembly, Cost, Machine, Stage};

    fn with(remarks: &[(u32, &str, &str)]) -> Compilation {
        let remark = |&(line, kind, text): &(u32, &str, &str)| Remark {
            line,
            column: 1,
            kind: kind.to_owned(),
            text: text.to_owned(),
            ..Remark::default()
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
    fn short_vectors() {
        let of = |local: Vec<usize>, bits: usize, kind: &str| Compilation {
            width: local[0] as u32,
            local,
            machine: Machine { vector_bits: bits, ..Machine::default() },
            ..with(&[(3, "memory", kind)])
        };
        let all = told(&of(vec![8], 512, "load of float: contiguous"));
        assert_eq!(
            all,
            ["local size 8 makes short vectors of it: 16 work-items or more would fill the CPU's \
              [8 lanes of 32 bits in vectors of 512]"]
        );
        assert!(told(&of(vec![8], 256, "load of float: contiguous")).is_empty());
        assert!(told(&of(vec![8], 512, "load of double: contiguous")).is_empty());
        // Vectors may go on in the next row.
        assert!(told(&of(vec![8, 8], 512, "load of float: contiguous")).is_empty());
    }

    #[test]
    fn constants_of_doubles() {
        for text in [
            "  %1 = fmul double %0, 1.700000e+00",
            "  %1 = fsub double 0x3FB999999999999A, %0",
            "  %1 = tail call double @llvm.fmuladd.f64(double %0, double -1.0e+00, double %2)",
        ] {
            assert!(has_double_constant(text), "{text}");
        }
        for text in
            ["  %1 = fmul double %0, %2", "  %1 = fpext float 1.0 to double", "  %1 = fmul float %0, 1.0"]
        {
            assert!(!has_double_constant(text), "{text}");
        }
    }

    #[test]
    fn divisions_and_the_stack() {
        let body = |code: &str, count: usize| format!(".L1:\n{}", format!("    {code}\n").repeat(count));
        let of = |code: &str, throughput: f64| {
            let costs = (2..12).map(|line| Cost { line, throughput, ..Cost::default() });
            let l = Loop {
                parts: vec![(1, 12)],
                line: 4,
                cost: Some(LoopCost { cycles: 100.0, ..LoopCost::default() }),
                ..Loop::default()
            };
            let text = body(code, 10) + "    jne    .L1\n";
            let assembly = Assembly { text, costs: costs.collect(), loops: vec![l], ..Assembly::default() };
            told(&Compilation { assembly, ..with(&[]) })
        };
        let all = of("vdivpd    %zmm7, %zmm4, %zmm7", 9.0);
        assert!(all.len() == 1 && all[0].ends_with("[10 divisions a trip, 90 of its 100 cycles]"), "{all:?}");
        assert!(all[0].contains("its reciprocal"));
        assert!(of("divq    %rcx", 9.0)[0].contains("uint for size_t"));
        assert!(of("vdivpd    %zmm7, %zmm4, %zmm7", 4.0).is_empty());
        let all = of("vmovups    %zmm7, 64(%rsp)", 1.0);
        assert!(
            all.len() == 1 && all[0].ends_with("[10 of 11 instructions a trip use the stack]"),
            "{all:?}"
        );
    }

    #[test]
    fn doubles_and_chains() {
        let text = "define void @k(ptr %a) {\n  %1 = fpext float %0 to double\n  %2 = fmul double %1, \
                    1.0e-01\n  %3 = fptrunc double %2 to float\n  %4 = fpext float %3 to double\n  call i32 \
                    @printf(double %4)\n}\ndefine void @other() {\n  %1 = fpext float %0 to double\n}\n";
        let stage = Stage {
            group: "canonical".into(),
            text: text.into(),
            // What is printed in line 8 is a double on purpose.
            lines: vec![1, 7, 7, 7, 8, 8, 0, 10, 11, 0],
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
