//! Mistakes that are put into programs: one statement that breaks the contract, at a place and for
//! work-items that the interpreter knows.

use crate::ast::{Ast, AtomicOp, MemDecl, Role, Stmt};
use crate::interp::{self, Reached};
use crate::rng::Rng;
use crate::types::{Scalar, Type};
use crate::{Launch, Program};

/// The kinds of mistakes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MistakeKind {
    OutOfBounds,
    Race,
    Uninitialized,
    Barrier,
    Alignment,
    Arithmetic,
}

impl MistakeKind {
    pub const ALL: [Self; 6] = [
        Self::OutOfBounds,
        Self::Race,
        Self::Uninitialized,
        Self::Barrier,
        Self::Alignment,
        Self::Arithmetic,
    ];

    /// As reports name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::OutOfBounds => "out-of-bounds",
            Self::Race => "race",
            Self::Uninitialized => "uninitialized",
            Self::Barrier => "barrier",
            Self::Alignment => "alignment",
            Self::Arithmetic => "arithmetic",
        }
    }
}

/// A program with one mistake.
#[derive(Clone, Debug)]
pub struct Mistaken {
    pub program: Program,
    pub kind: MistakeKind,
    /// The line of the mistake, from 1.
    pub line: usize,
    /// The global ID of the first work-item that makes it, in the order of groups and of work-items
    /// in them. Of a race and a barrier, nobody is the first.
    pub first: Option<[usize; 3]>,
    /// The work-items that make it, each as often as it does.
    pub count: usize,
}

/// The names of the memories that are added for mistakes.
const BUFFER: &str = "flt";
const LOCAL: &str = "fltl";
/// What the line of the mistake ends with.
const MARK: &str = "/* the mistake */";
/// The place of a work-item in the buffer.
const OWN: &str = "get_global_linear_id()";
/// Zero or one, which no front end knows.
const BIT: &str = "(int)(get_local_id(0) & 1)";
/// Zero, which no front end knows.
const ZERO: &str = "(int)(get_local_id(0) & 0)";

/// A statement, and who makes the mistake of those that come to it.
struct Statement {
    text: String,
    /// Needs the memories of the kernel.
    in_kernel: bool,
    /// Work-items whose linear global ID has this remainder are right.
    spared: Option<(usize, usize)>,
    /// Two work-items have to meet: in local memory, or in global memory.
    meets: Option<bool>,
    /// A barrier for so many work-items of each group.
    barrier: Option<usize>,
}

impl Statement {
    fn new(text: String, in_kernel: bool) -> Self {
        Self { text, in_kernel, spared: None, meets: None, barrier: None }
    }
}

impl Program {
    /// The program with a mistake of this kind; `None` if no place was found for it.
    pub fn with_mistake(&self, kind: MistakeKind, seed: u64) -> Option<Mistaken> {
        let mut rng = Rng::new(seed ^ 0x6d69_7374_616b_6573);
        let launch = self.launch;
        let items: usize = launch.global.iter().product();
        let mut ast = self.ast.clone();
        let memory = |name: &str, role, len: usize| MemDecl {
            name: name.to_owned(),
            ty: Type::UINT,
            role,
            len,
            init: vec![0; len * 4],
            generic: false,
            dropped: false,
        };
        ast.kernel.mems.push(memory(BUFFER, Role::Output { per_item: 1, reversed: false }, items + 4));
        ast.kernel.mems.push(memory(LOCAL, Role::Slots { dynamic: false }, 8));
        for attempt in 0..ATTEMPTS {
            let statement = statement(kind, &ast, &launch, &mut rng);
            let mut ast = ast.clone();
            let wrapped = rng.chance(40) && statement.barrier.is_none();
            let (modulus, rest) = match wrapped {
                true => (rng.range(2, 5), rng.below(2)),
                false => (1, 0),
            };
            let condition =
                if wrapped { format!("if ({OWN} % {modulus} == {rest}) ") } else { String::new() };
            let text = format!("{condition}{} {MARK}", statement.text);
            // The last attempts come before anything else.
            let spread = match attempt < ATTEMPTS / 2 {
                true if statement.barrier.is_none() => Spread::Anywhere,
                true => Spread::Top,
                false => Spread::First,
            };
            place(&mut ast, &mut rng, Stmt::Mistake(text), statement.in_kernel, spread);
            let Ok(reached) = interp::trace(&ast, &launch) else { continue };
            let makes = |r: &Reached| {
                r.linear(&launch) % modulus == rest
                    && statement.spared.is_none_or(|(by, rest)| r.linear(&launch) % by != rest)
            };
            let made: Vec<Reached> = reached.into_iter().filter(makes).collect();
            let found = match (statement.meets, statement.barrier) {
                (Some(local), _) => meet(&made, local),
                (_, Some(count)) => misses(&made, &launch, count),
                _ => !made.is_empty(),
            };
            if !found {
                continue;
            }
            let order = |r: &&Reached| {
                let back = |id: [usize; 3]| [id[2], id[1], id[0]];
                (back(r.group), back(r.local))
            };
            let named = statement.meets.is_none() && statement.barrier.is_none();
            let first = made.iter().min_by_key(order).filter(|_| named).map(|r| r.global(&launch));
            let program = Program::from_ast(self.seed, ast, launch);
            let line = program.source.lines().position(|line| line.contains(MARK))? + 1;
            return Some(Mistaken { program, kind, line, first, count: made.len() });
        }
        None
    }
}

/// Whether two work-items come to the statement without a barrier between them.
fn meet(made: &[Reached], local: bool) -> bool {
    let races = |a: &Reached, b: &Reached| match (a.group == b.group, local) {
        (true, true) => a.local != b.local && a.local_epoch == b.local_epoch,
        (true, false) => a.local != b.local && a.global_epoch == b.global_epoch,
        (false, local) => !local,
    };
    made.iter().enumerate().any(|(i, a)| made[..i].iter().any(|b| races(a, b)))
}

/// Whether only some work-items of a group are among the first `count` ones.
fn misses(made: &[Reached], launch: &Launch, count: usize) -> bool {
    made.iter().any(|r| {
        let size = |d: usize| launch.local[d].min(launch.global[d] - r.group[d] * launch.local[d]);
        let items = size(0) * size(1) * size(2);
        items > count && r.local == [0; 3]
    })
}

/// How many places and statements are tried.
const ATTEMPTS: usize = 48;

/// Where a statement may be put.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spread {
    Anywhere,
    /// Among the statements of the kernel itself, where all work-items are together.
    Top,
    /// Before all of them.
    First,
}

/// Puts a statement at a random place: of the kernel, or of any function.
fn place(ast: &mut Ast, rng: &mut Rng, stmt: Stmt, in_kernel: bool, spread: Spread) {
    let helpers = ast.helpers.len();
    let chosen = if in_kernel || spread != Spread::Anywhere { helpers } else { rng.below(helpers + 1) };
    let function = match chosen < helpers {
        true => &mut ast.helpers[chosen],
        false => &mut ast.kernel,
    };
    // A function ends in a `return` of its value.
    let last = function.body.len() - usize::from(function.ret.is_some());
    if spread != Spread::Anywhere {
        let at = if spread == Spread::First { 0 } else { rng.below(last + 1) };
        function.body.insert(at, stmt);
        return;
    }
    let mut places = 0;
    count_places(&function.body, &mut places);
    let mut chosen = rng.below(places);
    insert(&mut function.body, &mut chosen, &mut Some(stmt));
}

fn count_places(block: &[Stmt], places: &mut usize) {
    *places += block.len().max(1);
    for inner in block.iter().flat_map(Stmt::blocks) {
        count_places(inner, places);
    }
}

/// Inserts before the statement of a number, counted as [`count_places`] does.
fn insert(block: &mut Vec<Stmt>, chosen: &mut usize, stmt: &mut Option<Stmt>) {
    let here = block.len().max(1);
    if *chosen < here {
        if let Some(stmt) = stmt.take() {
            block.insert(*chosen, stmt);
        }
        return;
    }
    *chosen -= here;
    for inner in block.iter_mut().flat_map(Stmt::blocks_mut) {
        insert(inner, chosen, stmt);
        if stmt.is_none() {
            return;
        }
    }
}

fn statement(kind: MistakeKind, ast: &Ast, launch: &Launch, rng: &mut Rng) -> Statement {
    match kind {
        MistakeKind::OutOfBounds => out_of_bounds(ast, launch, rng),
        MistakeKind::Race => race(rng),
        MistakeKind::Uninitialized => uninitialized(rng),
        MistakeKind::Barrier => {
            let items: usize = launch.local.iter().product();
            let count = rng.range(1, items.max(3) - 1);
            let flags = *rng.pick(&["CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE"]);
            let text = format!("if (get_local_linear_id() < {count}) barrier({flags});");
            Statement { barrier: Some(count), ..Statement::new(text, true) }
        }
        MistakeKind::Alignment => alignment(rng),
        MistakeKind::Arithmetic => Statement::new(arithmetic(rng), false),
    }
}

fn out_of_bounds(ast: &Ast, launch: &Launch, rng: &mut Rng) -> Statement {
    let index = |len: usize, rng: &mut Rng| match rng.below(3) {
        0 => format!("-1 - {BIT}"),
        1 => format!("{len} + {BIT}"),
        _ => format!("{} + {BIT}", len + rng.below(9)),
    };
    if rng.chance(30) {
        let ty = (*rng.pick(&["int", "uchar", "ushort", "long", "float", "int4", "char2"])).to_owned();
        let len = rng.range(1, 6);
        let values = vec![format!("({ty})(1)"); len].join(", ");
        let at = index(len, rng);
        let access = match rng.below(2) {
            0 => format!("flt_a[{at}] = ({ty})(2);"),
            _ => format!("{ty} flt_x = flt_a[{at}];"),
        };
        return Statement::new(format!("{{ {ty} flt_a[{len}] = {{ {values} }}; {access} }}"), false);
    }
    let local = rng.chance(40);
    let fits = |mem: &&MemDecl| !mem.dropped && mem.is_local() == local;
    let mems: Vec<&MemDecl> = ast.kernel.mems.iter().filter(fits).collect();
    let mem = *rng.pick(&mems);
    let len = match mem.role {
        Role::Slots { dynamic: true } => launch.local.iter().product(),
        _ if local => mem.len,
        _ => mem.init.len() / mem.ty.bytes(),
    };
    let (name, ty, at) = (&mem.name, mem.ty.name(), index(len, rng));
    let is_const = mem.role == Role::Input;
    let is_word = mem.ty == Type::UINT || mem.ty == Type::INT;
    let is_atomic = matches!(mem.role, Role::GlobalAtomic(_) | Role::LocalAtomic);
    let text = match rng.below(4) {
        0 if is_word && is_atomic => format!("{}(&{name}[{at}], 1);", atomic(mem.role)),
        1 if !mem.ty.is_vector() && mem.ty.scalar != Scalar::F64 && !is_const && !is_atomic && len > 1 => {
            format!("vstore2(({ty}2)(1), 0, {name} + {} + {BIT});", len - 1)
        }
        2 if !is_const && !is_atomic => format!("{name}[{at}] = ({ty})(1);"),
        _ => format!("{ty} flt_x = {name}[{at}];"),
    };
    Statement::new(format!("{{ {text} }}"), true)
}

fn atomic(role: Role) -> &'static str {
    match role {
        Role::GlobalAtomic(AtomicOp::Add) | Role::LocalAtomic => "atomic_add",
        Role::GlobalAtomic(AtomicOp::And) => "atomic_and",
        Role::GlobalAtomic(AtomicOp::Or) => "atomic_or",
        Role::GlobalAtomic(AtomicOp::Xor) => "atomic_xor",
        Role::GlobalAtomic(AtomicOp::Min) => "atomic_min",
        _ => "atomic_max",
    }
}

fn race(rng: &mut Rng) -> Statement {
    let local = rng.chance(50);
    let name = if local { LOCAL } else { BUFFER };
    let at = rng.below(4);
    let text = match rng.below(3) {
        0 => format!("{name}[{at}] = (uint){OWN};"),
        1 if !local => format!("{name}[{at}] += 1u;"),
        1 => format!("{name}[{at} + {ZERO}] = 3u;"),
        _ => format!("vstore2((uint2)(1u), 0, {name} + {at});"),
    };
    Statement { meets: Some(local), ..Statement::new(text, true) }
}

fn uninitialized(rng: &mut Rng) -> Statement {
    let (text, in_kernel, spared) = match rng.below(7) {
        0 => ("{ uint flt_u; volatile int flt_v = 0; if (flt_u == 3u) flt_v = 1; }".to_owned(), false, None),
        1 => {
            let ty = *rng.pick(&["uchar", "short", "float", "long"]);
            (format!("{{ {ty} flt_u; {BUFFER}[{OWN}] = (uint)(flt_u + ({ty})1); }}"), true, None)
        }
        2 => (
            format!("{{ uint flt_u = 1u, flt_w[3]; flt_w[0] = flt_u; {BUFFER}[{OWN}] = flt_w[1 + {BIT}]; }}"),
            true,
            None,
        ),
        3 => (format!("{{ uint4 flt_u; flt_u.x = 1u; {BUFFER}[{OWN}] = flt_u.w; }}"), true, None),
        4 => (format!("{BUFFER}[{OWN}] = {LOCAL}[get_local_linear_id() & 7];"), true, None),
        5 => (
            format!("{{ uint flt_u; if ({OWN} % 3 == 1) flt_u = 5u; {BUFFER}[{OWN}] = flt_u; }}"),
            true,
            Some((3, 1)),
        ),
        _ => (
            format!("{{ struct {{ uchar a; uint b; }} flt_s; flt_s.a = 1; {BUFFER}[{OWN}] = flt_s.b; }}"),
            true,
            None,
        ),
    };
    Statement { spared, ..Statement::new(text, in_kernel) }
}

fn alignment(rng: &mut Rng) -> Statement {
    let (ty, size) = *rng.pick(&[("ushort", 2), ("uint", 4), ("float", 4), ("ulong", 8), ("uint2", 8)]);
    let by = 1 + 2 * rng.below(if size > 2 { 2 } else { 1 });
    let (address, before, in_kernel) = match rng.below(3) {
        0 => {
            (format!("(__global {ty} *)((__global uchar *){BUFFER} + {by} + 4 * {OWN})"), String::new(), true)
        }
        1 => {
            (format!("(__local {ty} *)((__local uchar *){LOCAL} + {by} + 8 * ({BIT}))"), String::new(), true)
        }
        _ => (
            format!("({ty} *)((uchar *)flt_a + {by} + 8 * ({BIT}))"),
            "ulong flt_a[3] = { 1, 2, 3 }; ".to_owned(),
            false,
        ),
    };
    let access = match rng.below(2) {
        0 => format!("*{address} = ({ty})(1);"),
        _ => format!("{ty} flt_x = *{address};"),
    };
    Statement::new(format!("{{ {before}{access} }}"), in_kernel)
}

fn arithmetic(rng: &mut Rng) -> String {
    let choices = [
        format!("int flt_x = 7 / {ZERO};"),
        format!("uint flt_x = 7u % (uint){ZERO};"),
        format!("long flt_x = 7L / (long){ZERO};"),
        format!("int4 flt_x = (int4)(7) / (int4)(1, 2, {ZERO}, 4);"),
        format!("int flt_x = (-0x7fffffff - 1 + {ZERO}) / ({ZERO} - 1);"),
        format!("uint flt_x = 1u << (32 + {BIT});"),
        format!("int flt_x = -5 >> (33 + {BIT});"),
        format!("ulong flt_x = 1ul << (64 + {BIT});"),
        format!("int flt_x = 0x7fffffff - {ZERO} + 1;"),
        format!("int flt_x = (0x10000 + {BIT}) * 0x10000;"),
        format!("long flt_x = (long){ZERO} - 0x7fffffffffffffffL - 2;"),
        format!("int4 flt_x = (int4)(1, 2, 0x7fffffff, 4) + (int4)(1 + {BIT});"),
        format!("short2 flt_x = (short2)(0x4000, {BIT}) * (short2)(2);"),
        format!("int flt_x = (int)(3e9f + (float){BIT});"),
        format!("uchar flt_x = (uchar)(300.0f + (float){BIT});"),
        format!("int4 flt_x = convert_int4((float4)(1, 2, -3e9f, (float){BIT}));"),
        format!("float flt_x = (float){ZERO} / (float){ZERO};"),
        format!("float flt_x = sqrt(-1.0f - (float){BIT});"),
    ];
    format!("{{ {} }}", rng.pick(&choices))
}
