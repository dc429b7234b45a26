//! The reference: runs each work-item of a group to its next barrier in turn, and checks the
//! contract.

use crate::ast::{Ast, Collective, Expr, ExprKind, MemId, Move, Place, Reading, Run, Scope, VarId, WorkItem};
use crate::flat::{FlatFunction, Op, flatten};
use crate::memory::{Access, COPIER, Memory};
use crate::picture::{Channel, Family, Picture};
use crate::types::{
    BinOp, Fault, Scalar, Value, binary, canonical, cast, compare, extend, table_element, table_len, to_int,
    truncate, unary,
};
use crate::{Launch, ViolationKind};

/// Operations that one launch may take, so that a program that was cut down wrongly ends.
const FUEL: u64 = 50_000_000;

/// The order in which the work-items of a group run between two barriers. A program that keeps the
/// contract gives the same results in each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ItemOrder {
    Forward,
    Backward,
}

/// Where a launch and one of its groups are.
#[derive(Debug)]
struct Geometry<'p> {
    launch: &'p Launch,
    groups: [usize; 3],
    group: [usize; 3],
    /// The size of this group, which is smaller at the end of a range that the local size does not
    /// divide.
    size: [usize; 3],
}

/// One call in progress.
#[derive(Debug, PartialEq, Eq)]
struct Frame {
    function: usize,
    pc: usize,
    /// Where the variables begin.
    base: usize,
    /// The variable of the caller that takes the result.
    result: Option<VarId>,
    mems: Vec<MemId>,
    ticks: Vec<u32>,
}

#[derive(Debug)]
struct Item {
    local: [usize; 3],
    linear: u32,
    frames: Vec<Frame>,
    slots: Vec<Value>,
    /// At an operation over the group: its operands, and the slot of the result.
    brought: (Vec<u64>, usize),
}

/// Why a work-item stopped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    Barrier(bool, bool),
    Collective(Scope, Collective, Scalar),
    AsyncCopy { to: MemId, from: MemId, first: u64, stride: usize },
    Finished,
}

/// The state that an expression can read.
struct Env<'a, 'p> {
    ast: &'p Ast,
    geometry: &'a Geometry<'p>,
    memory: &'a mut Memory,
    local: [usize; 3],
    linear: u32,
    code: &'a FlatFunction<'p>,
    mems: &'a [MemId],
    /// The variables of the frame.
    slots: &'a mut [Value],
}

/// What a launch left behind.
pub(crate) struct Outcome {
    /// The bytes of each memory, `__local` ones included, in the order of the kernel's table.
    pub(crate) memories: Vec<Vec<u8>>,
    pub(crate) pictures: Vec<Picture>,
    pub(crate) printed: Vec<String>,
}

/// Runs the program.
pub(crate) fn run(ast: &Ast, launch: &Launch, order: ItemOrder) -> Result<Outcome, ViolationKind> {
    let Memory { regions, pictures, printed, .. } = run_groups(ast, launch, order)?;
    Ok(Outcome { memories: regions.into_iter().map(|r| r.bytes).collect(), pictures, printed })
}

/// A work-item that comes to a mistake.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    pub(crate) group: [usize; 3],
    pub(crate) local: [usize; 3],
    pub(crate) local_epoch: u32,
    pub(crate) global_epoch: u32,
}

impl Reached {
    fn index(&self, launch: &Launch) -> [usize; 3] {
        std::array::from_fn(|d| self.group[d] * launch.local[d] + self.local[d])
    }

    pub(crate) fn global(&self, launch: &Launch) -> [usize; 3] {
        let index = self.index(launch);
        std::array::from_fn(|d| index[d] + launch.offset[d])
    }

    pub(crate) fn linear(&self, launch: &Launch) -> usize {
        let [x, y, z] = self.index(launch);
        (z * launch.global[1] + y) * launch.global[0] + x
    }
}

/// Runs the program; the work-items that come to its mistake, each as often as it does.
pub(crate) fn trace(ast: &Ast, launch: &Launch) -> Result<Vec<Reached>, ViolationKind> {
    Ok(run_groups(ast, launch, ItemOrder::Forward)?.reached)
}

fn run_groups(ast: &Ast, launch: &Launch, order: ItemOrder) -> Result<Memory, ViolationKind> {
    let codes = flatten(ast);
    let mut memory = Memory::new(ast, launch);
    let mut fuel = FUEL;
    let groups: [usize; 3] = std::array::from_fn(|d| launch.global[d].div_ceil(launch.local[d]));
    let mut number = 0;
    for z in 0..groups[2] {
        for y in 0..groups[1] {
            for x in 0..groups[0] {
                let group = [x, y, z];
                let size = std::array::from_fn(|d| {
                    launch.local[d].min(launch.global[d] - group[d] * launch.local[d])
                });
                let geometry = Geometry { launch, groups, group, size };
                memory.start_group(number);
                number += 1;
                run_group(ast, &codes, &geometry, &mut memory, order, &mut fuel)?;
            }
        }
    }
    Ok(memory)
}

fn run_group(
    ast: &Ast,
    codes: &[FlatFunction<'_>],
    geometry: &Geometry<'_>,
    memory: &mut Memory,
    order: ItemOrder,
    fuel: &mut u64,
) -> Result<(), ViolationKind> {
    let kernel = codes.len() - 1;
    let count: usize = geometry.size.iter().product();
    let mut items: Vec<Item> = (0..count)
        .map(|linear| {
            let [sx, sy, _] = geometry.size;
            let mut slots = vec![Value::ZERO; codes[kernel].frame_size];
            for (&param, &bits) in ast.kernel.params.iter().zip(&ast.scalars) {
                slots[codes[kernel].offsets[param]] = Value::one(bits);
            }
            let frame = Frame {
                function: kernel,
                pc: 0,
                base: 0,
                result: None,
                mems: (0..ast.kernel.mems.len()).collect(),
                ticks: vec![0; codes[kernel].ticks],
            };
            let local = [linear % sx, linear / sx % sy, linear / (sx * sy)];
            Item { local, linear: linear as u32, frames: vec![frame], slots, brought: (vec![], 0) }
        })
        .collect();
    if order == ItemOrder::Backward {
        items.reverse();
    }
    loop {
        let mut stop = None;
        for item in &mut items {
            let this = run_item(ast, codes, geometry, memory, item, fuel)?;
            if *stop.get_or_insert(this) != this {
                return Err(ViolationKind::BarrierDivergence);
            }
        }
        // The same barrier means the same calls and the same iteration of each loop around it.
        if items.iter().any(|i| i.frames != items[0].frames) {
            return Err(ViolationKind::BarrierDivergence);
        }
        match stop {
            Some(Stop::Barrier(local, global)) => memory.barrier(local, global),
            Some(Stop::Collective(scope, op, scalar)) => collective(scope, op, scalar, &mut items, geometry)?,
            Some(Stop::AsyncCopy { to, from, first, stride }) => {
                for i in 0..count as u64 {
                    let value = memory.load(from, first + i * stride as u64, COPIER)?;
                    memory.store(to, i, COPIER, &value)?;
                }
            }
            _ => return Ok(()),
        }
    }
}

/// Gives each work-item the result of an operation over its group.
fn collective(
    scope: Scope,
    op: Collective,
    scalar: Scalar,
    items: &mut [Item],
    geometry: &Geometry<'_>,
) -> Result<(), ViolationKind> {
    let mut in_order: Vec<&mut Item> = items.iter_mut().collect();
    in_order.sort_by_key(|item| item.linear);
    match scope {
        Scope::Work => over_group(op, scalar, &mut in_order, geometry.size),
        Scope::Sub => in_order
            .chunks_mut(geometry.launch.sub_group)
            .try_for_each(|group| over_group(op, scalar, group, [group.len(), 1, 1])),
    }
}

/// The same for one group of this size, whose members are in order.
fn over_group(
    op: Collective,
    scalar: Scalar,
    items: &mut [&mut Item],
    size: [usize; 3],
) -> Result<(), ViolationKind> {
    let values: Vec<u64> = items.iter().map(|item| item.brought.0[0]).collect();
    let fold = |op: BinOp, values: &[u64]| {
        let least = if scalar.is_signed() { 1 << (scalar.bits() - 1) } else { 0 };
        let identity = match op {
            BinOp::Min => truncate(scalar, !least),
            BinOp::Max => least,
            _ => 0,
        };
        values.iter().try_fold(identity, |sum, value| binary(op, scalar, sum, *value))
    };
    let chosen = |items: &[&mut Item]| {
        let place = &items[0].brought.0[1..];
        let inside = place.iter().zip(size).all(|(id, size)| *id < size as u64);
        let agreed = items.iter().all(|item| item.brought.0[1..] == *place);
        if !inside || !agreed {
            return Err(ViolationKind::OutOfRange);
        }
        let [x, y, z] = [0, 1, 2].map(|d| place.get(d).map_or(0, |id| *id as usize));
        Ok(values[(z * size[1] + y) * size[0] + x])
    };
    let common = match op {
        Collective::Any => u64::from(values.iter().any(|v| *v != 0)),
        Collective::All => u64::from(values.iter().all(|v| *v != 0)),
        Collective::Broadcast => chosen(items)?,
        Collective::Reduce(op) => fold(op, &values)?,
        Collective::Ballot => values.iter().filter(|v| **v != 0).count() as u64,
        _ => 0,
    };
    let brought: Vec<u64> = items.iter().map(|item| item.brought.0.get(1).copied().unwrap_or(0)).collect();
    for (i, item) in items.iter_mut().enumerate() {
        let own = match op {
            Collective::ScanInclusive(op) => fold(op, &values[..=i])?,
            Collective::ScanExclusive(op) => fold(op, &values[..i])?,
            Collective::Shuffle => *values.get(brought[i] as usize).ok_or(ViolationKind::OutOfRange)?,
            Collective::Move(way) => {
                let (i, by) = (i as u64, brought[i]);
                let from = match way {
                    Move::Xor => Some(i ^ by),
                    Move::Up => i.checked_sub(by),
                    Move::Down => i.checked_add(by),
                };
                from.and_then(|from| values.get(from as usize)).copied().unwrap_or(values[i as usize])
            }
            Collective::BallotBefore => values[..i].iter().filter(|v| **v != 0).count() as u64,
            _ => common,
        };
        item.slots[item.brought.1] = Value::one(own);
    }
    Ok(())
}

/// Runs one work-item to its next barrier or its end.
/// A dispatch over the operations, one arm each.
fn run_item<'p>(
    ast: &'p Ast,
    codes: &[FlatFunction<'p>],
    geometry: &Geometry<'_>,
    memory: &mut Memory,
    item: &mut Item,
    fuel: &mut u64,
) -> Result<Stop, ViolationKind> {
    loop {
        let frame = item.frames.last_mut().expect("a running item has a frame");
        let code = &codes[frame.function];
        let op = &code.ops[frame.pc];
        frame.pc += 1;
        *fuel = fuel.checked_sub(1).ok_or(ViolationKind::TooLong)?;
        let slots = &mut item.slots[frame.base..frame.base + code.frame_size];
        let (local, linear) = (item.local, item.linear);
        let mut env = Env { ast, geometry, memory, local, linear, code, mems: &frame.mems, slots };
        match op {
            Op::Decl(var, init) => {
                for (k, e) in init.iter().enumerate() {
                    let value = env.eval(e)?;
                    env.slots[code.offsets[*var] + k] = value;
                }
            }
            Op::Assign(place, value) => env.assign(place, value)?,
            Op::Branch { cond, if_false } => {
                if env.eval(cond)?.0[0] == 0 {
                    frame.pc = *if_false;
                }
            }
            Op::Jump(target) => frame.pc = *target,
            Op::Switch { value, table, default } => {
                let value = env.eval(value)?.0[0] as u32 as i32;
                frame.pc = table.iter().find(|(label, _)| *label == value).map_or(*default, |(_, pc)| *pc);
            }
            Op::SetCounter(var, value) => {
                env.slots[code.offsets[*var]] = Value::one(u64::from(*value as u32))
            }
            Op::Increment(var) => {
                let slot = &mut env.slots[code.offsets[*var]];
                *slot = Value::one(truncate(Scalar::I32, slot.0[0] + 1));
            }
            Op::LoopTest { var, bound, cond, if_false } => {
                let bound = env.eval(bound)?.0[0];
                let counter = env.slots[code.offsets[*var]].0[0];
                let mut goes_on = extend(Scalar::I32, counter) < extend(Scalar::I32, bound);
                if let (true, Some(cond)) = (goes_on, cond) {
                    goes_on = env.eval(cond)?.0[0] != 0;
                }
                if !goes_on {
                    frame.pc = *if_false;
                }
            }
            Op::Mistake => env.memory.reach(geometry.group, local),
            Op::Tick(k) => frame.ticks[*k] += 1,
            Op::Barrier(fence) => return Ok(Stop::Barrier(fence.local, fence.global)),
            Op::Collective(var, scope, op, values) => {
                let brought =
                    values.iter().map(|e| Ok(env.eval(e)?.0[0])).collect::<Result<_, ViolationKind>>()?;
                item.brought = (brought, frame.base + code.offsets[*var]);
                return Ok(Stop::Collective(*scope, *op, values[0].ty.scalar));
            }
            Op::Atomic { op, mem, index, value } => {
                let index = env.eval(index)?.0[0];
                let value = env.eval(value)?;
                env.memory.atomic(env.mems[*mem], index, linear, *op, &value)?;
            }
            Op::AsyncCopy { to, from, first, stride } => {
                let first = env.eval(first)?.0[0];
                let (to, from) = (env.mems[*to], env.mems[*from]);
                return Ok(Stop::AsyncCopy { to, from, first, stride: *stride });
            }
            Op::Print(number, values) => {
                let mut line = format!("{number}:");
                for e in *values {
                    let value = env.eval(e)?;
                    let lane = |bits: &u64| match e.ty.scalar.is_signed() {
                        true => extend(e.ty.scalar, *bits).to_string(),
                        false => bits.to_string(),
                    };
                    let lanes: Vec<String> = value.0[..e.ty.count()].iter().map(lane).collect();
                    line = format!("{line} {}", lanes.join(","));
                }
                env.memory.printed.push(line);
            }
            Op::WriteImage { image, coordinates, value } => {
                let c = env.coordinates(coordinates)?;
                let value = env.eval(value)?;
                env.write_image(*image, c, &value)?;
            }
            Op::Call { result, callee, mems, values } => {
                let target = &codes[*callee];
                let mut fresh = vec![Value::ZERO; target.frame_size];
                for (&param, e) in ast.helpers[*callee].params.iter().zip(*values) {
                    fresh[target.offsets[param]] = env.eval(e)?;
                }
                let mems = mems.iter().map(|m| frame.mems[*m]).collect();
                let base = item.slots.len();
                item.slots.extend(fresh);
                let ticks = vec![0; target.ticks];
                item.frames.push(Frame { function: *callee, pc: 0, base, result: *result, mems, ticks });
            }
            Op::Return(value) => {
                let value = value.map(|e| env.eval(e)).transpose()?;
                let frame = item.frames.pop().expect("the frame that returns");
                item.slots.truncate(frame.base);
                let Some(caller) = item.frames.last() else { return Ok(Stop::Finished) };
                if let (Some(var), Some(value)) = (frame.result, value) {
                    item.slots[caller.base + codes[caller.function].offsets[var]] = value;
                }
            }
        }
    }
}

impl From<Fault> for ViolationKind {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Division => Self::DivisionByZero,
            Fault::Overflow => Self::Overflow,
        }
    }
}

impl Env<'_, '_> {
    fn assign(&mut self, place: &Place, value: &Expr) -> Result<(), ViolationKind> {
        match place {
            Place::Var(var) => {
                let value = self.eval(value)?;
                self.slots[self.code.offsets[*var]] = value;
            }
            Place::Lanes(var, lanes) => {
                let value = self.eval(value)?;
                let slot = &mut self.slots[self.code.offsets[*var]];
                for (k, &lane) in lanes.iter().enumerate() {
                    slot.0[lane as usize] = value.0[k];
                }
            }
            Place::Element(var, index) => {
                let slot = self.element(*var, index)?;
                let value = self.eval(value)?;
                self.slots[slot] = value;
            }
            Place::Memory(mem, index) => {
                let index = self.eval(index)?.0[0];
                let value = self.eval(value)?;
                self.memory.store(self.mems[*mem], index, self.linear, &value)?;
            }
            Place::Vector(mem, run) => {
                let lanes = value.ty.count();
                let first = self.first_of(run, lanes)?;
                let value = self.eval(value)?;
                for (k, &lane) in value.0[..lanes].iter().enumerate() {
                    let index = first.wrapping_add(k as u64);
                    self.memory.store(self.mems[*mem], index, self.linear, &Value::one(lane))?;
                }
            }
        }
        Ok(())
    }

    /// The index of the first element of a vector in memory.
    fn first_of(&mut self, run: &Run, lanes: usize) -> Result<u64, ViolationKind> {
        let (index, first) = (self.eval(&run.index)?.0[0], self.eval(&run.first)?.0[0]);
        Ok(first.wrapping_add(index.wrapping_mul(lanes as u64)))
    }

    fn coordinates(&mut self, values: &[Expr]) -> Result<[i32; 3], ViolationKind> {
        let mut c = [0; 3];
        for (c, value) in c.iter_mut().zip(values) {
            *c = self.eval(value)?.0[0] as u32 as i32;
        }
        Ok(c)
    }

    /// What the source makes of a reading.
    fn read_image(&mut self, reading: Reading, c: [i32; 3]) -> Result<Value, ViolationKind> {
        let image = &self.ast.images[reading.image];
        let picture = &self.memory.pictures[reading.image];
        let sampler = reading.sampler.map(|s| self.ast.samplers[s].sampler);
        let texel = match sampler {
            Some(sampler) if reading.real => {
                let dims = picture.kind.dimensions();
                let real = std::array::from_fn(|i| {
                    if i >= dims {
                        return c[i] as f32;
                    }
                    let unit = if sampler.normalized { picture.sizes[i] } else { 1 };
                    c[i] as f32 / (image.steps() * unit) as f32
                });
                picture.sample(sampler, real)
            }
            Some(_) => picture.pick(sampler, c),
            None => {
                // Without a sampler, a reading outside is undefined.
                let at = picture.inside(c).ok_or(ViolationKind::OutOfRange)?;
                self.memory.touch_pixel(reading.image, at, self.linear, Access::Read)?;
                self.memory.pictures[reading.image].pick(None, c)
            }
        };
        let factor = image.factor(sampler.is_some_and(|s| s.linear));
        let mut out = Value::ZERO;
        for (lane, x) in out.0.iter_mut().zip(texel) {
            *lane = truncate(Scalar::U32, (x * factor).round_ties_even() as i64 as u64);
        }
        Ok(out)
    }

    /// A writing outside changes nothing.
    fn write_image(&mut self, image: usize, c: [i32; 3], value: &Value) -> Result<(), ViolationKind> {
        let decl = &self.ast.images[image];
        let Some(at) = self.memory.pictures[image].inside(c) else { return Ok(()) };
        self.memory.touch_pixel(image, at, self.linear, Access::Write)?;
        let channel = decl.picture.channel;
        let scalar = if channel.family() == Family::Unsigned { Scalar::U32 } else { Scalar::I32 };
        let colour: [f64; 4] = std::array::from_fn(|i| extend(scalar, value.0[i]) as f64 / decl.scale());
        // A half has no place for larger ones, and how they are rounded is left open.
        if channel == Channel::Half && colour.iter().any(|c| c.abs() > 2048.0) {
            return Err(ViolationKind::OutOfRange);
        }
        self.memory.pictures[image].put(at, colour);
        Ok(())
    }

    /// The slot of an element of a private array.
    fn element(&mut self, var: VarId, index: &Expr) -> Result<usize, ViolationKind> {
        let index = self.eval(index)?.0[0];
        let start = self.code.offsets[var];
        let end = self.code.offsets.get(var + 1).copied().unwrap_or(self.code.frame_size);
        if index < (end - start) as u64 { Ok(start + index as usize) } else { Err(ViolationKind::OutOfRange) }
    }

    fn eval(&mut self, e: &Expr) -> Result<Value, ViolationKind> {
        let lanes = e.ty.count();
        let scalar = e.ty.scalar;
        let mut out = Value::ZERO;
        match &e.kind {
            ExprKind::Const(value) => out = *value,
            ExprKind::Var(var) => out = self.slots[self.code.offsets[*var]],
            ExprKind::Element(var, index) => {
                let slot = self.element(*var, index)?;
                out = self.slots[slot];
            }
            ExprKind::Load(mem, index) => {
                let index = self.eval(index)?.0[0];
                out = self.memory.load(self.mems[*mem], index, self.linear)?;
            }
            ExprKind::LoadEither(cond, [a, b]) => {
                let (mem, index) = if self.eval(cond)?.0[0] != 0 { a } else { b };
                let index = self.eval(index)?.0[0];
                out = self.memory.load(self.mems[*mem], index, self.linear)?;
            }
            ExprKind::VectorLoad(mem, run) => {
                let first = self.first_of(run, lanes)?;
                for (k, lane) in out.0[..lanes].iter_mut().enumerate() {
                    let index = first.wrapping_add(k as u64);
                    *lane = self.memory.load(self.mems[*mem], index, self.linear)?.0[0];
                }
            }
            ExprKind::Builtin(builtin, operands) => {
                let mut values = [Value::ZERO; 3];
                for (value, operand) in values.iter_mut().zip(operands) {
                    *value = self.eval(operand)?;
                }
                for (k, lane) in out.0[..lanes].iter_mut().enumerate() {
                    *lane = builtin.lane(scalar, values.map(|value| value.0[k]));
                }
            }
            ExprKind::WorkItem(function) => out.0[0] = truncate(scalar, self.work_item(*function) as u64),
            ExprKind::Unary(op, a) => {
                out = self.eval(a)?;
                for lane in &mut out.0[..lanes] {
                    *lane = unary(*op, scalar, *lane);
                }
            }
            ExprKind::Binary(op, a, b) => {
                out = self.eval(a)?;
                let b = self.eval(b)?;
                for (lane, b) in out.0[..lanes].iter_mut().zip(b.0) {
                    *lane = binary(*op, scalar, *lane, b)?;
                }
            }
            ExprKind::Compare(op, a, b) => {
                let from = a.ty.scalar;
                let truth = if lanes > 1 { truncate(scalar, u64::MAX) } else { 1 };
                out = self.eval(a)?;
                let b = self.eval(b)?;
                for (lane, b) in out.0[..lanes].iter_mut().zip(b.0) {
                    *lane = if compare(*op, from, *lane, b) { truth } else { 0 };
                }
            }
            ExprKind::Logic(and, a, b) => {
                let a = self.eval(a)?.0[0] != 0;
                let value = if a == *and { self.eval(b)?.0[0] != 0 } else { a };
                out.0[0] = u64::from(value);
            }
            ExprKind::Select(c, a, b) if !c.ty.is_vector() => {
                let chosen = if self.eval(c)?.0[0] != 0 { a } else { b };
                out = self.eval(chosen)?;
            }
            ExprKind::Select(c, a, b) => {
                let (c_scalar, c) = (c.ty.scalar, self.eval(c)?);
                let (a, b) = (self.eval(a)?, self.eval(b)?);
                for k in 0..lanes {
                    let top = c.0[k] >> (c_scalar.bits() - 1) & 1;
                    out.0[k] = if top == 1 { a.0[k] } else { b.0[k] };
                }
            }
            ExprKind::Cast(a) => out.0[0] = cast(a.ty.scalar, scalar, self.eval(a)?.0[0]),
            ExprKind::ToInt(a) => out.0[0] = to_int(a.ty.scalar, self.eval(a)?.0[0]),
            ExprKind::Table(index) => {
                let at = self.eval(index)?.0[0] as usize & (table_len(scalar) - 1);
                out.0[0] = table_element(scalar, at);
            }
            ExprKind::IsOf(class, a) => {
                out.0[0] = u64::from(class.has(a.ty.scalar, self.eval(a)?.0[0]));
            }
            ExprKind::Bitcast(a) => out = self.eval(a)?,
            ExprKind::Canonical(a) => {
                out = self.eval(a)?;
                for lane in &mut out.0[..lanes] {
                    *lane = canonical(scalar, *lane);
                }
            }
            ExprKind::Splat(a) => out = Value::splat(e.ty, self.eval(a)?.0[0]),
            ExprKind::Build(parts) => {
                for (lane, part) in out.0.iter_mut().zip(parts) {
                    *lane = self.eval(part)?.0[0];
                }
            }
            ExprKind::ReadImage(reading, coordinates) => {
                let c = self.coordinates(coordinates)?;
                out = self.read_image(*reading, c)?;
            }
            ExprKind::Swizzle(a, chosen) => {
                let a = self.eval(a)?;
                for (lane, &from) in out.0.iter_mut().zip(chosen) {
                    *lane = a.0[from as usize];
                }
            }
        }
        Ok(out)
    }

    fn work_item(&self, function: WorkItem) -> usize {
        let g = self.geometry;
        let launch = g.launch;
        let items: usize = g.size.iter().product();
        let index = |d: usize| g.group[d] * launch.local[d] + self.local[d];
        match function {
            WorkItem::GlobalId(d) => launch.offset[d as usize] + index(d as usize),
            WorkItem::LocalId(d) => self.local[d as usize],
            WorkItem::GroupId(d) => g.group[d as usize],
            WorkItem::LocalSize(d) => g.size[d as usize],
            WorkItem::GlobalSize(d) => launch.global[d as usize],
            WorkItem::NumGroups(d) => g.groups[d as usize],
            WorkItem::GlobalOffset(d) => launch.offset[d as usize],
            WorkItem::WorkDim => launch.work_dim as usize,
            WorkItem::GlobalLinearId => {
                (index(2) * launch.global[1] + index(1)) * launch.global[0] + index(0)
            }
            WorkItem::LocalLinearId => self.linear as usize,
            WorkItem::SubGroupId => self.linear as usize / launch.sub_group,
            WorkItem::SubGroupLocalId => self.linear as usize % launch.sub_group,
            WorkItem::SubGroupSize => {
                let before = self.linear as usize / launch.sub_group * launch.sub_group;
                launch.sub_group.min(items - before)
            }
            WorkItem::NumSubGroups => items.div_ceil(launch.sub_group),
            WorkItem::MaxSubGroupSize => launch.sub_group,
        }
    }
}
