//! The loops over the work-items that have something to do: for each version of a kernel its [`Ranges`], and what comes of them in each
//! dimension. The innermost has bounds for each version, which runs a strip of it; the outer loops are around all versions.

use super::bounds::Writer;
use super::is_linear;
use super::loops::{LocalSizes, Nest, Strip, Work};
use super::ranges::Ranges;
use crate::{Remark, RemarkKind, Remarks, SourceLine};
use ir::attributes;
use ir::metadata;
use llvm::{Builder, Function, Module, Value};
use std::collections::HashMap;

/// Finds out what the loops around a kernel or one of its regions need not run.
pub struct Clipper<'a> {
    pub module: &'a Module,
    pub entry: Function,
    pub shape: Nest,
    pub strips: &'a [Strip],
    pub remarks: &'a Remarks,
}

impl Clipper<'_> {
    /// Writes the bounds of the loops, where they are not those of the work-group. `called` says of the function that runs a strip
    /// which ranges it has, and what it is called with.
    pub fn clip<'r>(
        &self,
        b: &Builder,
        sizes: &LocalSizes,
        called: impl Fn(usize) -> (Option<&'r Ranges>, HashMap<Value, Value>),
    ) -> Work {
        let module = self.module;
        let mut work = Work { strips: self.strips.iter().map(|s| (*s, None)).collect(), outer: [None; 3] };
        // In linear order, the local ID is not that of one dimension.
        if is_linear(module, self.entry) {
            return work;
        }
        let known = metadata::reqd_work_group_size(module, self.entry)
            .filter(|_| !attributes::is_group_agnostic(self.entry));
        let [inner, outer @ ..] = self.shape.order.0;
        let bounds = |strip: usize, d: u32| {
            let (ranges, values) = called(strip);
            let ranges = ranges.filter(|ranges| d < self.shape.dims && ranges.narrow(d))?;
            self.remark(ranges, d);
            let mut writer = Writer { module, b, values };
            Some(writer.bounds(ranges, d, sizes.0[d as usize]))
        };
        for (i, (strip, clip)) in work.strips.iter_mut().enumerate() {
            let once = match known {
                Some(size) => strip.most_calls_in_row(size[inner as usize]) <= 1,
                None => matches!(strip, Strip::PredicatedTail { .. }),
            };
            if !once {
                *clip = bounds(i, inner);
            }
        }
        for d in outer {
            if known.is_some_and(|size| size[d as usize] == 1) {
                continue;
            }
            let narrow = |strip: usize| called(strip).0.is_some_and(|ranges| ranges.narrow(d));
            if (0..self.strips.len()).all(narrow) {
                let of_strips = (0..self.strips.len()).filter_map(|strip| bounds(strip, d));
                work.outer[d as usize] = of_strips.reduce(|a, other| a.or(module, b, other));
            }
        }
        work
    }

    fn remark(&self, ranges: &Ranges, dimension: u32) {
        if !self.remarks.wanted() {
            return;
        }
        for compare in ranges.comparisons(dimension) {
            let place = SourceLine::of(compare);
            let axis = ["x", "y", "z"][dimension as usize];
            let text = format!("the condition bounds the loop over the work-items along {axis}");
            let kernel = attributes::orig_fn_name(self.entry);
            self.remarks.add(Remark { kernel, place, kind: RemarkKind::Branch, text });
        }
    }
}
