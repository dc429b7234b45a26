//! RunVecz: gives each kernel a vector version, which becomes the entry point.
//!
//! ```text
//! define spir_kernel void @k() #entry     →   define spir_kernel void @k() !codeplay_ca_vecz.base !0
//!                                             define spir_kernel void @__vecz_v16_k() #entry !codeplay_ca_vecz.derived !1
//! ```
//!
//! The backend's [`Query`] says how: of the ways it names, the first that works is taken. A kernel that
//! cannot be vectorized stays the entry point, with a note of each way that was tried
//! (`!codeplay_ca_vecz.base.fail`). Needs PrepareBarriers, whose IDs the vector version keeps. Changes no
//! other function.

use crate::options::{Choice, FixedRegisters, MOST_LANES, Mode, Query, VeczPassOptions};
use crate::remarks::KernelRemarks;
use crate::vector_unit::VectorUnit;
use crate::{Stopped, vectorize};
use analysis::Preserved;
use ir::metadata::{self, Vectorization};
use ir::{Builtin, attributes};
use llvm::Function;
use passes::{Options, Pass, PassContext, PassError, Registry, Remarks, entry_points};

#[derive(Clone, Debug)]
pub struct RunVecz {
    /// How the backend wants kernels to be vectorized, and for which machine.
    pub query: Query,
    /// The only kernel to vectorize; all of them if `None`.
    pub kernel: Option<String>,
}

pub fn register(registry: &mut Registry) {
    let summary = "vectorize kernels: width=N[:N…];linear;mode=always|auto;kernel=NAME;register-bytes=N;\
        registers=N;CHOICE;no-CHOICE";
    registry.register("run-vecz", summary, |options| {
        Ok(RunVecz { kernel: options.value("kernel")?, query: query(options)? })
    });
}

/// What a textual pipeline asks for: several widths are tried in turn. Without a width, a kernel has as many
/// lanes as a register of the unit that it describes.
fn query(options: &mut Options) -> Result<Query, String> {
    let mode = match options.value("mode")?.as_deref() {
        None | Some("auto") => Mode::Auto,
        Some("always") => Mode::Always,
        Some(other) => return Err(format!("'{other}' is not a mode: there are always and auto")),
    };
    let linear = options.flag("linear")?;
    let widths = match options.value("width")? {
        None => vec![None],
        Some(text) => {
            let width = |part: &str| match part.parse() {
                Ok(width @ 2..=MOST_LANES) => Ok(Some(width)),
                _ => Err(format!("'{part}' is not a width from 2 to {MOST_LANES}")),
            };
            text.split(':').map(width).collect::<Result<_, _>>()?
        }
    };
    let mut changes = Vec::new();
    for choice in Choice::ALL {
        for (name, on) in [(choice.name().to_owned(), true), (format!("no-{}", choice.name()), false)] {
            if options.flag(&name)? {
                changes.push((choice, on));
            }
        }
    }
    let registers = FixedRegisters {
        width: None,
        unit: unit(options)?,
        linear,
        whole_vectors: false,
        only_required: false,
        mode,
    };
    Ok(Query::new(registers.unit, move |module, kernel| {
        let ways = widths.iter().filter_map(|&width| {
            let mut way = FixedRegisters { width, ..registers }.choose(module, kernel)?;
            for &(choice, on) in &changes {
                if on { way.choices.enable(choice) } else { way.choices.disable(choice) }
            }
            Some(way)
        });
        Some(ways.collect()).filter(|ways: &Vec<_>| !ways.is_empty())
    }))
}

/// The vector unit that a textual pipeline describes: the default one, but for the registers.
fn unit(options: &mut Options) -> Result<VectorUnit, String> {
    let VectorUnit { mut register_bytes, mut registers, .. } = VectorUnit::default();
    if let Some(text) = options.value("register-bytes")? {
        register_bytes = match text.parse::<u32>() {
            Ok(bytes @ 8..=256) if bytes.is_power_of_two() => bytes,
            _ => return Err(format!("'{text}' is not a size of registers: a power of two from 8 to 256")),
        };
    }
    if let Some(text) = options.value("registers")? {
        registers = match text.parse() {
            Ok(number @ 1..=256) => number,
            _ => return Err(format!("'{text}' is not a number of registers from 1 to 256")),
        };
    }
    Ok(VectorUnit::generic(register_bytes, registers))
}

impl Pass for RunVecz {
    fn name(&self) -> &'static str {
        "run-vecz"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let is_wanted = |kernel: &Function| self.kernel.as_ref().is_none_or(|name| kernel.name() == *name);
        let kernels: Vec<Function> = entry_points(cx.module).into_iter().filter(is_wanted).collect();
        if let (Some(name), []) = (&self.kernel, kernels.as_slice()) {
            return Err(PassError::new(format!("the module defines no kernel '{name}'")));
        }
        for kernel in kernels {
            // Of two versions for different ranges, the usual one is told of.
            let silent = Remarks::default();
            let told = if attributes::is_for_large_range(kernel) { &silent } else { cx.remarks };
            let remarks = KernelRemarks::new(told, kernel);
            let Some(ways) = self.query.ask(cx.module, kernel) else {
                remarks.stopped(None, &Stopped::new("the target or the options ask for no vector version"));
                continue;
            };
            for (i, way) in ways.iter().enumerate() {
                // What was done is told only if it was done to the end.
                let own = Remarks::new(told.wanted());
                let refused = way.check(kernel).inspect_err(|stopped| {
                    metadata::note_vectorization_failure(cx.module, kernel, way.how(), &stopped.to_string());
                });
                // The rest first, where the wide version is of no use without it.
                let needs_rest = way.predicated_tail && !way.scalar_rest;
                // What the kernel does follows from the width: there is no choice.
                let mode = if needs_rest { Mode::Always } else { way.mode };
                let own_way = VeczPassOptions { mode, ..*way };
                let rest = |remarks: &Remarks| {
                    let rest = VeczPassOptions { predicated: true, mode: Mode::Always, ..*way };
                    make_version(cx, kernel, &rest, &self.query.unit, remarks)
                        .inspect(|(rest, _)| attributes::drop_is_kernel(*rest))
                };
                let made = refused
                    .and_then(|()| if needs_rest { rest(&Remarks::default()).map(|_| ()) } else { Ok(()) })
                    .and_then(|()| make_version(cx, kernel, &own_way, &self.query.unit, &own));
                let (wide, how) = match made {
                    Ok(made) => made,
                    Err(stopped) => {
                        remarks.stopped((i + 1 < ways.len()).then_some(way.how().width), &stopped);
                        continue;
                    }
                };
                remarks.vectorized(how.width);
                own.take().into_iter().for_each(|remark| told.add(remark));
                if way.predicated_tail && !needs_rest {
                    // Without a version for the rest, the kernel itself runs that.
                    let _ = rest(&Remarks::default());
                }
                attributes::set_work_width(wide, how.width);
                attributes::drop_is_kernel(kernel);
                break;
            }
        }
        Ok(Preserved::None)
    }
}

/// Vectorizes a kernel in one way and links the result with it, or notes that it failed.
fn make_version(
    cx: &PassContext<'_>,
    kernel: Function,
    way: &VeczPassOptions,
    unit: &VectorUnit,
    remarks: &Remarks,
) -> Result<(Function, Vectorization), Stopped> {
    let remarks = KernelRemarks::new(remarks, kernel);
    let made = vectorize(cx.module, kernel, way, unit, cx.machine, remarks).and_then(|(wide, how)| {
        if barriers(wide) == barriers(kernel) {
            return Ok((wide, how));
        }
        wide.erase_body_and_uses();
        Err(Stopped::new("its barriers did not stay as they were"))
    });
    match &made {
        Ok((wide, how)) => metadata::link_vectorized(cx.module, kernel, *wide, *how),
        Err(stopped) => {
            metadata::note_vectorization_failure(cx.module, kernel, way.how(), &stopped.to_string())
        }
    }
    made
}

/// The IDs of the barriers of a kernel.
fn barriers(f: Function) -> Vec<u64> {
    let is_barrier = |i: &llvm::Value| Builtin::called_by(*i).is_some_and(Builtin::is_work_group_barrier);
    let mut ids: Vec<u64> =
        f.instructions().into_iter().filter(is_barrier).filter_map(|i| i.operand(0).as_const_int()).collect();
    ids.sort_unstable();
    ids
}
