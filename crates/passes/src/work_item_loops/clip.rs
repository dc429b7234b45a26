//! Clips the work-item loops to the work-items that may be active, by the [`ActiveRanges`] of each
//! version of the kernel. The innermost loop has bounds for each version, which runs a strip of it;
//! the outer loops are common to all versions.

use super::active_ranges::ActiveRanges;
use super::bounds::Writer;
use super::is_linear;
use super::loops::{LocalSizes, Nest, Strip, Work};
use crate::{Remark, RemarkKind, Remarks, SourceLine};
use ir::attributes;
use ir::metadata;
use llvm::{Builder, Function, Module, Value};
use std::collections::HashMap;

/// Clips the loops around a kernel or one of its regions.
pub struct Clipper<'a> {
    pub module: &'a Module,
    pub entry: Function,
    pub shape: Nest,
    pub strips: &'a [Strip],
    pub remarks: &'a Remarks,
}

impl Clipper<'_> {
    /// Writes the bounds of the loops, where they are narrower than the work-group. For each strip,
    /// `called` gives the ranges of the function that runs it, and its arguments.
    pub fn clip<'r>(
        &self,
        b: &Builder,
        sizes: &LocalSizes,
        called: impl Fn(usize) -> (Option<&'r ActiveRanges>, HashMap<Value, Value>),
    ) -> Work {
        let module = self.module;
        let mut work = Work { strips: self.strips.iter().map(|s| (*s, None)).collect(), outer: [None; 3] };
        // In linear order, a kernel's local ID is that of no dimension.
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

    fn remark(&self, ranges: &ActiveRanges, dimension: u32) {
        if !self.remarks.wanted() {
            return;
        }
        for compare in ranges.comparisons(dimension) {
            let place = SourceLine::of(compare).or_else(|| SourceLine::of_function(self.entry));
            let axis = ["x", "y", "z"][dimension as usize];
            let text = format!("the condition bounds the loop over the work-items along {axis}");
            let kernel = attributes::orig_fn_name(self.entry);
            self.remarks.add(Remark { kernel, place, kind: RemarkKind::Branch, text });
        }
    }
}
