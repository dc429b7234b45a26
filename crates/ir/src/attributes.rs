//! The function and call-site attributes of mux IR.

use crate::Width;
use crate::check::Checks;
use crate::work::Work;
use llvm::{Function, Value};
use std::fmt;

const KERNEL: &str = "mux-kernel";
const ENTRY_POINT: &str = "entry-point";
const ORIG_FN: &str = "mux-orig-fn";
const BASE_FN_NAME: &str = "mux-base-fn-name";
const LOCAL_MEM_USAGE: &str = "mux-local-mem-usage";
const WORK_ITEM_ORDER: &str = "mux-work-item-order";
const BARRIER_SCHEDULE: &str = "mux-barrier-schedule";
const NO_SUBGROUPS: &str = "mux-no-subgroups";
const DEGENERATE_SUBGROUPS: &str = "mux-degenerate-subgroups";
/// Ours: a sub-group of the kernel may wait for another one of its work-group.
const INDEPENDENT_SUBGROUPS: &str = "mux-independent-subgroups";
/// Ours: the work-group memory for values that are live across barriers ([`LiveMemory`]). The
/// caller of the kernel provides it, beside the local memory, in `MuxWorkGroupInfo`.
const LIVE_MEM_USAGE: &str = "mux-live-mem-usage";
/// Ours: how many work-items a kernel runs at once.
const WORK_WIDTH: &str = "mux-work-width";
const GROUP_SHAPE: &str = "mux-group-shape";
/// Ours: the kernel cannot tell how its range is cut into work-groups.
const GROUP_AGNOSTIC: &str = "mux-group-agnostic";
/// Ours: the arguments that bounds or steps of loops depend on, for which specialization pays.
const STEERING_ARGS: &str = "mux-steering-args";
const UNDECIDED: &str = "mux-undecided-vectors";
/// Ours: what a work-item does ([`Work`]), if it can be counted.
const WORK: &str = "mux-work";
/// Ours: the checks that are in the code.
const CHECKS: &str = "mux-checks";
/// Ours: barriers that perhaps not all work-items reach are watched, in scalar code.
const DIVERGENT_BARRIERS: &str = "mux-divergent-barriers";
const MESSAGES: &str = "mux-messages";
/// Ours: local arguments begin as zeros.
const ZERO_LOCAL: &str = "mux-zero-local";
/// Ours: ranges begin at 0.
const LONG_COLUMNS: &str = "mux-long-columns";
const ZERO_OFFSET: &str = "mux-zero-offset";
/// Ours: global IDs of the kernel are all below [`SMALL_RANGE_END`].
const SMALL_RANGE: &str = "mux-small-range";
/// Ours: global IDs of the kernel may be [`SMALL_RANGE_END`] or more. From RunVecz on, a kernel
/// without this attribute must not run with such IDs: SplitLargeRanges comes before, unless the
/// kernel is for small ranges alone.
const LARGE_RANGE: &str = "mux-large-range";

/// The end of small IDs. In 32 bits they keep their stride from lane to lane, also when they are
/// multiplied by 16 or have a constant up to 2^30 added to them. Local IDs are always small; of
/// global IDs the attributes `mux-small-range` and `mux-large-range` say it.
pub const SMALL_RANGE_END: u64 = 1 << 27;

/// From this many work-items along y on, a range is long enough for lanes along y.
pub const LONG_COLUMN: usize = 64;

/// Marks a kernel under compilation.
pub fn set_is_kernel(f: Function) {
    f.set_attribute(KERNEL, "");
}

/// Marks a kernel that may be invoked from outside of the module.
pub fn set_is_kernel_entry_point(f: Function) {
    f.set_attribute(KERNEL, ENTRY_POINT);
}

pub fn is_kernel(f: Function) -> bool {
    f.attribute(KERNEL).is_some()
}

pub fn is_kernel_entry_point(f: Function) -> bool {
    f.attribute(KERNEL).as_deref() == Some(ENTRY_POINT)
}

pub fn drop_is_kernel(f: Function) {
    f.remove_attribute(KERNEL);
}

/// Moves the kernel attribute from one function to another.
pub fn take_is_kernel(to: Function, from: Function) {
    if let Some(value) = from.attribute(KERNEL) {
        to.set_attribute(KERNEL, &value);
        from.remove_attribute(KERNEL);
    }
}

/// The name of the function this one was made from: the name a user knows.
pub fn orig_fn_name(f: Function) -> String {
    f.attribute(ORIG_FN).unwrap_or_else(|| f.name())
}

pub fn set_orig_fn_name(f: Function, name: &str) {
    f.set_attribute(ORIG_FN, name);
}

/// The name to which suffixes are added, rather than suffix upon suffix.
pub fn base_fn_name(f: Function) -> String {
    f.attribute(BASE_FN_NAME).unwrap_or_else(|| f.name())
}

pub fn set_base_fn_name(f: Function, name: &str) {
    f.set_attribute(BASE_FN_NAME, name);
}

/// Local memory the function's own variables take, in bytes.
pub fn local_mem_usage(f: Function) -> u64 {
    f.attribute(LOCAL_MEM_USAGE).and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// 0 is expressed by no attribute: the specification requires a positive number.
pub fn set_local_mem_usage(f: Function, bytes: u64) {
    if bytes == 0 {
        f.remove_attribute(LOCAL_MEM_USAGE);
    } else {
        f.set_attribute(LOCAL_MEM_USAGE, &bytes.to_string());
    }
}

/// The bytes of the values that are live across barriers: per work-item, and per work-group. The
/// padding of the two blocks of `__mux_alloc_work_group_memory` is not included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveMemory {
    pub per_item: u64,
    pub per_group: u64,
    /// More bytes for each work-item, and for the work-group, times `vscale`.
    pub scalable_per_item: u64,
    pub scalable_per_group: u64,
}

impl LiveMemory {
    /// The live memory where only one of two versions runs.
    pub fn larger(self, other: LiveMemory) -> LiveMemory {
        LiveMemory {
            per_item: self.per_item.max(other.per_item),
            per_group: self.per_group.max(other.per_group),
            scalable_per_item: self.scalable_per_item.max(other.scalable_per_item),
            scalable_per_group: self.scalable_per_group.max(other.scalable_per_group),
        }
    }
}

pub fn live_mem_usage(f: Function) -> LiveMemory {
    let parse = |text: String| {
        let mut numbers = text.split(',').map(|number| number.parse().ok());
        let (per_item, per_group) = (numbers.next()??, numbers.next()??);
        let mut scalable = || numbers.next().flatten().unwrap_or(0);
        let (scalable_per_item, scalable_per_group) = (scalable(), scalable());
        Some(LiveMemory { per_item, per_group, scalable_per_item, scalable_per_group })
    };
    f.attribute(LIVE_MEM_USAGE).and_then(parse).unwrap_or_default()
}

pub fn set_live_mem_usage(f: Function, live: LiveMemory) {
    let mut text = format!("{},{}", live.per_item, live.per_group);
    if live.scalable_per_item + live.scalable_per_group > 0 {
        text += &format!(",{},{}", live.scalable_per_item, live.scalable_per_group);
    }
    f.set_attribute(LIVE_MEM_USAGE, &text);
}

/// The dimensions from the innermost loop to the outermost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkItemOrder(pub [u32; 3]);

impl Default for WorkItemOrder {
    fn default() -> Self {
        WorkItemOrder([0, 1, 2])
    }
}

impl WorkItemOrder {
    pub fn parse(text: &str) -> Option<Self> {
        let dims: Vec<u32> = text.bytes().map(|b| u32::from(b.wrapping_sub(b'x'))).collect();
        let dims: [u32; 3] = dims.try_into().ok()?;
        (0..3).all(|d| dims.contains(&d)).then_some(WorkItemOrder(dims))
    }
}

impl fmt::Display for WorkItemOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|&d| write!(f, "{}", char::from(b'x' + d as u8)))
    }
}

/// The order of the work-item loops; an unreadable attribute counts as the default.
pub fn work_item_order(f: Function) -> WorkItemOrder {
    f.attribute(WORK_ITEM_ORDER).and_then(|t| WorkItemOrder::parse(&t)).unwrap_or_default()
}

pub fn has_work_item_order(f: Function) -> bool {
    f.attribute(WORK_ITEM_ORDER).is_some()
}

pub fn set_work_item_order(f: Function, order: WorkItemOrder) {
    f.set_attribute(WORK_ITEM_ORDER, &order.to_string());
}

/// How the work-items run after a barrier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BarrierSchedule {
    /// In any order.
    #[default]
    Unordered,
    /// One work-item runs the region for all, whose values are uniform. There is no vector code.
    Once,
    /// In the linear order of their local IDs, x innermost. In vector code vectors run in that
    /// order, the lanes of each together.
    Linear,
}

const SCHEDULES: [(BarrierSchedule, &str); 3] = [
    (BarrierSchedule::Unordered, "unordered"),
    (BarrierSchedule::Once, "once"),
    (BarrierSchedule::Linear, "linear"),
];

/// The schedule of the region after a barrier; [`check_barrier_schedule`] refuses unknown ones.
pub fn barrier_schedule(call: Value) -> BarrierSchedule {
    let text = call.call_attribute(BARRIER_SCHEDULE);
    let known = SCHEDULES.iter().find(|(_, name)| text.as_deref() == Some(name));
    known.map_or_else(Default::default, |(schedule, _)| *schedule)
}

/// Refuses a value of the attribute that is no schedule.
pub fn check_barrier_schedule(call: Value) -> Result<(), String> {
    match call.call_attribute(BARRIER_SCHEDULE) {
        Some(text) if !SCHEDULES.iter().any(|(_, name)| *name == text) => Err(format!(
            "'{text}' is no value of the attribute {BARRIER_SCHEDULE}: expected is unordered, once or linear"
        )),
        _ => Ok(()),
    }
}

pub fn set_barrier_schedule(call: Value, schedule: BarrierSchedule) {
    let (_, text) = SCHEDULES.iter().find(|(s, _)| *s == schedule).expect("each has a name");
    call.set_call_attribute(BARRIER_SCHEDULE, text);
}

/// Attributes that a kernel has or has not, each with the functions that ask for it, set it and,
/// where that is needed, drop it.
macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident: $has:ident, $set:ident $(, $drop:ident)?;)*) => {$(
        $(#[$doc])*
        pub fn $has(f: Function) -> bool {
            f.attribute($name).is_some()
        }

        pub fn $set(f: Function) {
            f.set_attribute($name, "");
        }

        $(
            pub fn $drop(f: Function) {
                f.remove_attribute($name);
            }
        )?
    )*};
}

flags! {
    NO_SUBGROUPS: has_no_subgroups, set_no_subgroups, drop_no_subgroups;
    DEGENERATE_SUBGROUPS: has_degenerate_subgroups, set_degenerate_subgroups;
    /// Whether sub-groups have to take turns while they wait for each other.
    INDEPENDENT_SUBGROUPS: has_independent_subgroups, set_independent_subgroups;
    /// Whether the kernel may be run in work-groups of any size.
    GROUP_AGNOSTIC: is_group_agnostic, set_group_agnostic, drop_group_agnostic;
    /// Whether the kernel is only for ranges that begin at 0.
    ZERO_OFFSET: has_zero_offset, set_zero_offset;
    /// Whether ranges are expected to be at least [`LONG_COLUMN`] work-items long along y.
    LONG_COLUMNS: has_long_columns, set_long_columns;
    /// Whether the kernel is only for ranges that end before [`SMALL_RANGE_END`].
    SMALL_RANGE: is_for_small_range, set_for_small_range;
    /// Whether the kernel is for ranges that do not end before [`SMALL_RANGE_END`].
    LARGE_RANGE: is_for_large_range, set_for_large_range;
}

/// How many work-items a kernel runs at once: the lanes of its vectors.
pub fn work_width(f: Function) -> Width {
    f.attribute(WORK_WIDTH).and_then(|text| Width::parse(&text)).unwrap_or(Width::ONE)
}

pub fn set_work_width(f: Function, width: Width) {
    f.set_attribute(WORK_WIDTH, &width.to_string());
}

/// The shape of work-groups that suits the memory accesses of a kernel, which may be run in any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum GroupShape {
    /// Long along x.
    #[default]
    Rows,
    /// Long along y.
    Columns,
    /// As wide as a vector along x, and long along y: some accesses are contiguous along x, others
    /// along y.
    NarrowColumns,
    /// The same with x and y exchanged.
    NarrowRows,
}

impl GroupShape {
    pub const ALL: [GroupShape; 4] =
        [GroupShape::Rows, GroupShape::Columns, GroupShape::NarrowColumns, GroupShape::NarrowRows];

    fn name(self) -> &'static str {
        match self {
            GroupShape::Rows => "rows",
            GroupShape::Columns => "columns",
            GroupShape::NarrowColumns => "narrow-columns",
            GroupShape::NarrowRows => "narrow-rows",
        }
    }
}

pub fn group_shape(f: Function) -> GroupShape {
    let text = f.attribute(GROUP_SHAPE).unwrap_or_default();
    GroupShape::ALL.into_iter().find(|shape| shape.name() == text).unwrap_or_default()
}

pub fn set_group_shape(f: Function, shape: GroupShape) {
    f.set_attribute(GROUP_SHAPE, shape.name());
}

/// The arguments that bounds or steps of loops depend on.
pub fn steering_args(f: Function) -> Vec<u32> {
    let text = f.attribute(STEERING_ARGS).unwrap_or_default();
    text.split(',').filter_map(|index| index.parse().ok()).collect()
}

pub fn set_steering_args(f: Function, args: &[u32]) {
    let text: Vec<String> = args.iter().map(u32::to_string).collect();
    f.set_attribute(STEERING_ARGS, &text.join(","));
}

/// Whether the estimate left open if vector code pays: a launch may find out, by the other code.
pub fn is_undecided(f: Function) -> bool {
    f.attribute(UNDECIDED).is_some()
}

pub fn set_undecided(f: Function) {
    f.set_attribute(UNDECIDED, "");
}

/// What a work-item of the kernel does; `None` if that could not be counted.
pub fn work(f: Function) -> Option<Work> {
    f.attribute(WORK)?.parse().ok()
}

pub fn set_work(f: Function, work: &Work) {
    f.set_attribute(WORK, &work.to_string());
}

/// The checks that are in a kernel's code.
pub fn checks(f: Function) -> Checks {
    Checks::from_names(f.attribute(CHECKS).unwrap_or_default().split(','))
}

pub fn set_checks(f: Function, checks: Checks) {
    f.set_attribute(CHECKS, &checks.to_string());
}

/// Whether the kernel, in checked mode, has barriers that perhaps not all work-items reach. It
/// stays scalar, and its work-groups end where work-items went apart.
pub fn has_divergent_barriers(f: Function) -> bool {
    f.attribute(DIVERGENT_BARRIERS).is_some()
}

pub fn set_divergent_barriers(f: Function) {
    f.set_attribute(DIVERGENT_BARRIERS, "");
}

/// Whether work-items of the kernel, in checked mode, send each other messages by fences and
/// atomics. It stays scalar: what is sent must have been sent before somebody looks.
pub fn has_messages(f: Function) -> bool {
    f.attribute(MESSAGES).is_some()
}

pub fn set_messages(f: Function) {
    f.set_attribute(MESSAGES, "");
}

/// Whether the memory of local arguments begins as zeros.
pub fn has_zero_local(f: Function) -> bool {
    f.attribute(ZERO_LOCAL).is_some()
}

pub fn set_zero_local(f: Function) {
    f.set_attribute(ZERO_LOCAL, "");
}

#[cfg(test)]
mod tests {
    use super::*;
    use llvm::{Context, Module};

    #[test]
    fn the_mark_of_a_kernel_moves() {
        let c = Context::new();
        let m = Module::new(&c, "m");
        let [a, b] = ["a", "b"].map(|name| m.add_function(name, c.void().function(&[])));
        assert!(!is_kernel(a) && !is_kernel_entry_point(a));
        set_is_kernel(a);
        assert!(is_kernel(a) && !is_kernel_entry_point(a));
        set_is_kernel_entry_point(a);
        assert!(is_kernel(a) && is_kernel_entry_point(a));
        take_is_kernel(b, a);
        assert!(!is_kernel(a) && is_kernel_entry_point(b));
        take_is_kernel(b, a);
        assert!(is_kernel_entry_point(b), "there was nothing to take");
        drop_is_kernel(b);
        assert!(!is_kernel(b));
    }
}
