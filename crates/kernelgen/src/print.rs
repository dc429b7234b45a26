//! Programs as OpenCL C source.
//!
//! Every operation on small integers is cast back to its type, and signed arithmetic that may wrap
//! goes through unsigned types: what is printed means the same as what the interpreter does, with
//! no thought about promotions.

use std::fmt::Write;

use crate::ast::{
    Access, Ast, AtomicForm, AtomicOp, AtomicScope, Collective, Expr, ExprKind, Fence, Function, ImageDecl,
    Loop, LoopKind, MemDecl, MemId, Move, Order, Place, Reading, Role, Run, Scope, Stmt, VarId, WorkItem,
    walk_exprs,
};
use crate::picture::{Addressing, Family, ImageKind, Sampler};
use crate::types::{
    BinOp, CmpOp, F64_FOR_NAN, Scalar, Type, UnOp, extend, f64_of_half, signed_min, table_element, table_len,
    to_int_limit,
};

/// The source of whole programs, whose functions and samplers have names of their own.
pub(crate) fn source(asts: &[&Ast]) -> String {
    let mut types: Vec<Type> = Vec::new();
    let mut canonical: Vec<Type> = Vec::new();
    let mut to_int: Vec<Type> = Vec::new();
    let mut tables: Vec<Type> = Vec::new();
    for function in asts.iter().flat_map(|ast| ast.functions()) {
        types.extend(function.vars.iter().map(|v| v.ty));
        types.extend(function.mems.iter().map(|m| m.ty));
        walk_exprs(&function.body, &mut |e| {
            types.push(e.ty);
            match &e.kind {
                ExprKind::Canonical(_) if !canonical.contains(&e.ty) => canonical.push(e.ty),
                ExprKind::ToInt(a) if !to_int.contains(&a.ty) => to_int.push(a.ty),
                ExprKind::Table(_) if !tables.contains(&e.ty) => tables.push(e.ty),
                _ => {}
            }
        });
    }
    let mut out = String::from("#pragma OPENCL FP_CONTRACT OFF\n");
    if types.iter().any(|t| t.scalar == Scalar::F16) {
        out.push_str("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    }
    if types.iter().any(|t| t.scalar == Scalar::F64) {
        out.push_str("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
    }
    let samplers = asts.iter().flat_map(|ast| &ast.samplers);
    for sampler in samplers.filter(|sampler| !sampler.is_argument) {
        let _ = writeln!(out, "constant sampler_t {} = {};", sampler.name, sampler_value(sampler.sampler));
    }
    for ty in tables {
        let scalar = ty.scalar;
        let elements: Vec<String> =
            (0..table_len(scalar)).map(|i| constant(scalar, table_element(scalar, i))).collect();
        let (name, len) = (ty.name(), elements.len());
        let _ = writeln!(out, "constant {name} table_{name}[{len}] = {{{}}};", elements.join(", "));
    }
    for ty in canonical {
        let name = ty.name();
        let nan = match ty.scalar {
            Scalar::F32 => "as_float(0x7fc00000u)".to_string(),
            Scalar::F16 => "as_half((ushort)0x7e00)".to_string(),
            _ => format!("{F64_FOR_NAN:?}"),
        };
        let nan = if ty.is_vector() { format!("({name})({nan})") } else { nan };
        let _ = write!(
            out,
            "\n/* Makes all NaNs alike. */\nstatic {name} canonical_{name}({name} x)\n{{\n    \
             return x != x ? {nan} : x;\n}}\n"
        );
    }
    for ty in to_int {
        let name = ty.name();
        let limit = constant(ty.scalar, to_int_limit(ty.scalar));
        let _ = write!(
            out,
            "\n/* Converts what surely fits. */\nstatic int int_of_{name}({name} x)\n{{\n    \
             return x > -{limit} && x < {limit} ? (int)x : 0;\n}}\n"
        );
    }
    for ast in asts {
        for helper in &ast.helpers {
            out.push('\n');
            function(ast, helper, false, &mut out);
        }
        out.push('\n');
        function(ast, &ast.kernel, true, &mut out);
    }
    out
}

fn pointer(mem: &MemDecl) -> Option<String> {
    let ty = mem.ty.name();
    let name = &mem.name;
    match mem.role {
        _ if mem.dropped => None,
        Role::Input if mem.generic => Some(format!("const {ty} *{name}")),
        _ if mem.generic => Some(format!("{ty} *{name}")),
        Role::Input => Some(format!("__global const {ty} *{name}")),
        Role::Output { .. } | Role::Exchange | Role::GlobalAtomic(_) => {
            Some(format!("__global {ty} *{name}"))
        }
        Role::Slots { dynamic: true } => Some(format!("__local {ty} *{name}")),
        Role::Slots { dynamic: false } | Role::LocalAtomic => None,
    }
}

/// The name of the structure with the parameters of a function.
pub(crate) fn parameters_name(function: &Function) -> String {
    format!("args_{}", function.name)
}

/// Whether the parameters are fields of a structure.
fn has_struct(function: &Function) -> bool {
    function.by_struct && !function.params.is_empty()
}

fn function(ast: &Ast, function: &Function, kernel: bool, out: &mut String) {
    let parameters = parameters_name(function);
    if has_struct(function) {
        let field = |&param: &VarId| {
            let var = &function.vars[param];
            format!(" {} {};", var.ty.name(), var.name.trim_start_matches("args."))
        };
        let fields: String = function.params.iter().map(field).collect();
        let _ = writeln!(out, "typedef struct {{{fields} }} {parameters};");
    }
    let mut ret = function.ret.map_or("void".to_string(), Type::name);
    if function.by_struct && !kernel {
        let _ = writeln!(out, "typedef struct {{ char before; {ret} value; }} ret_{};", function.name);
        ret = format!("ret_{}", function.name);
    }
    if function.noinline {
        out.push_str("__attribute__((noinline))\n");
    }
    let mut params: Vec<String> = function.mems.iter().filter_map(pointer).collect();
    if kernel {
        params.extend(ast.images.iter().filter(|image| !image.dropped).map(image_param));
        let samplers = ast.samplers.iter().filter(|sampler| sampler.is_argument);
        params.extend(samplers.map(|sampler| format!("sampler_t {}", sampler.name)));
    }
    match has_struct(function) {
        true => params.push(format!("{parameters} args")),
        false => params.extend(function.params.iter().map(|&param| {
            let var = &function.vars[param];
            format!("{} {}", var.ty.name(), var.name)
        })),
    }
    let kernel_word = if kernel { "__kernel " } else { "" };
    let params = if params.is_empty() { "void".to_string() } else { params.join(", ") };
    let _ = writeln!(out, "{kernel_word}{ret} {}({params})\n{{", function.name);
    for mem in &function.mems {
        if kernel && !mem.dropped && mem.is_local() && pointer(mem).is_none() {
            let _ = writeln!(out, "    __local {} {}[{}];", mem.ty.name(), mem.name, mem.len);
        }
    }
    let mut printer = Printer { ast, function, kernel, out, indent: 1 };
    printer.block(&function.body);
    out.push_str("}\n");
}

fn image_param(image: &ImageDecl) -> String {
    let access = match image.access {
        Access::Read => "read_only",
        Access::Write => "write_only",
        Access::ReadWrite => "read_write",
    };
    let kind = match image.picture.kind {
        ImageKind::D1 => "1d",
        ImageKind::D1Array => "1d_array",
        ImageKind::D2 => "2d",
        ImageKind::D2Array => "2d_array",
        ImageKind::D3 => "3d",
    };
    format!("{access} image{kind}_t {}", image.name)
}

fn sampler_value(sampler: Sampler) -> String {
    let addressing = match sampler.addressing {
        Addressing::None => "NONE",
        Addressing::ClampToEdge => "CLAMP_TO_EDGE",
        Addressing::Clamp => "CLAMP",
        Addressing::Repeat => "REPEAT",
        Addressing::MirroredRepeat => "MIRRORED_REPEAT",
    };
    let normalized = if sampler.normalized { "TRUE" } else { "FALSE" };
    let filter = if sampler.linear { "LINEAR" } else { "NEAREST" };
    format!("CLK_NORMALIZED_COORDS_{normalized} | CLK_ADDRESS_{addressing} | CLK_FILTER_{filter}")
}

/// What stands for a family in the names of functions.
fn suffix(family: Family) -> &'static str {
    match family {
        Family::Float => "f",
        Family::Signed => "i",
        Family::Unsigned => "ui",
    }
}

/// Coordinates as one value: three of them have a fourth that counts for nothing.
fn place_of(scalar: &str, mut c: Vec<String>) -> String {
    match c.len() {
        1 => c.remove(0),
        2 => format!("({scalar}2)({})", c.join(", ")),
        _ => format!("({scalar}4)({}, 0)", c.join(", ")),
    }
}

struct Printer<'a> {
    ast: &'a Ast,
    function: &'a Function,
    kernel: bool,
    out: &'a mut String,
    indent: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn block(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn inner(&mut self, stmts: &[Stmt]) {
        self.indent += 1;
        self.block(stmts);
        self.indent -= 1;
    }

    fn var(&self, var: VarId) -> &str {
        &self.function.vars[var].name
    }

    fn mem(&self, mem: MemId) -> &str {
        &self.function.mems[mem].name
    }

    /// Prints a statement: one arm a kind.
    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Decl(var, init) => {
                let decl = &self.function.vars[*var];
                let constant = if decl.constant { "const " } else { "" };
                let head = format!("{constant}{} {}", decl.ty.name(), decl.name);
                let text = match decl.len {
                    Some(len) => {
                        let init: Vec<String> = init.iter().map(|e| self.bare(e)).collect();
                        format!("{head}[{len}] = {{ {} }};", init.join(", "))
                    }
                    None => format!("{head} = {};", self.bare(&init[0])),
                };
                self.line(&text);
            }
            Stmt::Assign(place, value) => {
                let lanes = value.ty.lanes;
                let place = match place {
                    Place::Var(var) => self.var(*var).to_string(),
                    Place::Lanes(var, lanes) => {
                        format!("{}{}", self.var(*var), swizzle(self.function.vars[*var].ty, lanes))
                    }
                    Place::Element(var, index) => format!("{}[{}]", self.var(*var), self.bare(index)),
                    Place::Memory(mem, index) => format!("{}[{}]", self.mem(*mem), self.bare(index)),
                    Place::Vector(mem, run) => {
                        let (value, place) = (self.bare(value), self.run(*mem, run));
                        return self.line(&format!("vstore{lanes}({value}, {place});"));
                    }
                };
                let text = format!("{place} = {};", self.bare(value));
                self.line(&text);
            }
            Stmt::If(cond, then, otherwise) => {
                let text = format!("if ({}) {{", self.bare(cond));
                self.line(&text);
                self.inner(then);
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.inner(otherwise);
                }
                self.line("}");
            }
            Stmt::Loop(l) => self.loop_stmt(l),
            Stmt::Switch(value, cases, default) => {
                let text = format!("switch ({}) {{", self.bare(value));
                self.line(&text);
                for case in cases {
                    self.line(&format!("case {}: {{", case.label));
                    self.inner(&case.body);
                    self.line(if case.falls_through { "} /* falls through */" } else { "} break;" });
                }
                self.line("default: {");
                self.inner(default);
                self.line("} break;");
                self.line("}");
            }
            Stmt::Break => self.line("break;"),
            Stmt::Continue => self.line("continue;"),
            Stmt::Return(None) => self.line("return;"),
            Stmt::Return(Some(value)) => {
                let value = self.bare(value);
                let text = match self.function.by_struct && !self.kernel {
                    true => format!("return (ret_{}){{ 1, {value} }};", self.function.name),
                    false => format!("return {value};"),
                };
                self.line(&text);
            }
            Stmt::Barrier(fence) => {
                let text = format!("barrier({});", flags(*fence));
                self.line(&text);
            }
            Stmt::Collective(var, scope, op, values) => {
                let scope = if *scope == Scope::Work { "work" } else { "sub" };
                let ty = self.function.vars[*var].ty.name();
                let name = match op {
                    Collective::Move(way) => return self.movement(*var, *way, values),
                    Collective::Ballot | Collective::BallotBefore => {
                        let count = if *op == Collective::Ballot { "bit_count" } else { "exclusive_scan" };
                        let ballot = format!("sub_group_ballot({})", self.bare(&values[0]));
                        let var = self.var(*var);
                        let text = format!("{ty} {var} = sub_group_ballot_{count}({ballot});");
                        return self.line(&text);
                    }
                    Collective::Shuffle => "shuffle".to_owned(),
                    Collective::Any => "any".to_owned(),
                    Collective::All => "all".to_owned(),
                    Collective::Broadcast => "broadcast".to_owned(),
                    Collective::Reduce(op) => format!("reduce_{}", fold(*op)),
                    Collective::ScanInclusive(op) => format!("scan_inclusive_{}", fold(*op)),
                    Collective::ScanExclusive(op) => format!("scan_exclusive_{}", fold(*op)),
                };
                let values: Vec<String> = values.iter().map(|e| self.bare(e)).collect();
                let text = format!("{ty} {} = {scope}_group_{name}({});", self.var(*var), values.join(", "));
                self.line(&text);
            }
            Stmt::Call(result, callee, mems, values) => {
                let callee = &self.ast.helpers[*callee];
                let mut args: Vec<String> = mems.iter().map(|m| self.mem(*m).to_string()).collect();
                let values: Vec<String> = values.iter().map(|e| self.bare(e)).collect();
                match has_struct(callee) {
                    true => args.push(format!("({}){{ {} }}", parameters_name(callee), values.join(", "))),
                    false => args.extend(values),
                }
                let part = if callee.by_struct { ".value" } else { "" };
                let call = format!("{}({}){part};", callee.name, args.join(", "));
                let text = match result {
                    Some(var) => format!("{} = {call}", self.var(*var)),
                    None => call,
                };
                self.line(&text);
            }
            Stmt::Mistake(text) => self.line(text),
            Stmt::WriteImage(image, c, value) => self.write_image(*image, c, value),
            Stmt::Atomic(op, form, mem, index, value) => self.atomic(*op, *form, *mem, index, value),
            Stmt::AsyncCopy { to, from, first, stride } => {
                let (to, from) = (self.mem(*to), format!("{} + {}", self.mem(*from), self.expr(first)));
                let count = "get_local_size(0) * get_local_size(1) * get_local_size(2)";
                let (name, stride) = match stride {
                    1 => ("", String::new()),
                    stride => ("strided_", format!("{stride}, ")),
                };
                let copy = format!("async_work_group_{name}copy({to}, {from}, {count}, {stride}0)");
                self.line(&format!("{{ event_t copied = {copy}; wait_group_events(1, &copied); }}"));
            }
            Stmt::Print(number, values) => {
                let formats: String = values.iter().map(|e| format!(" {}", conversion(e.ty))).collect();
                let values: String = values.iter().map(|e| format!(", {}", self.bare(e))).collect();
                self.line(&format!("printf(\"{number}:{formats}\\n\"{values});"));
            }
        }
    }

    fn atomic(&mut self, op: AtomicOp, form: AtomicForm, mem: MemId, index: &Expr, value: &Expr) {
        let name = match op {
            AtomicOp::Add => "add",
            AtomicOp::And => "and",
            AtomicOp::Or => "or",
            AtomicOp::Xor => "xor",
            AtomicOp::Min => "min",
            AtomicOp::Max => "max",
        };
        let decl = &self.function.mems[mem];
        let place = format!("&{}[{}]", decl.name, self.bare(index));
        let space = if decl.is_local() { "__local" } else { "__global" };
        let ty = decl.ty.name();
        let cell = format!("volatile {space} atomic_{ty} *");
        let value = self.bare(value);
        match form {
            AtomicForm::Plain => self.line(&format!("atomic_{name}({place}, {value});")),
            AtomicForm::Explicit(order, scope) => self.line(&format!(
                "atomic_fetch_{name}_explicit(({cell}){place}, {value}, {}, {});",
                order_name(order),
                scope_name(scope)
            )),
            AtomicForm::Exchange { weak, order, scope } => {
                let (order, scope) = (order_name(order), scope_name(scope));
                let wide = wrapping(decl.ty.scalar);
                let combined = match op {
                    AtomicOp::Add => format!("({ty})(({wide})old + ({wide})by)"),
                    AtomicOp::And => "old & by".to_owned(),
                    AtomicOp::Or => "old | by".to_owned(),
                    AtomicOp::Xor => "old ^ by".to_owned(),
                    AtomicOp::Min | AtomicOp::Max => format!("{name}(old, by)"),
                };
                let strength = if weak { "weak" } else { "strong" };
                self.line("{");
                self.indent += 1;
                self.line(&format!("{cell}cell = ({cell}){place};"));
                self.line(&format!("const {ty} by = {value};"));
                self.line(&format!("{ty} old = atomic_load_explicit(cell, memory_order_relaxed, {scope});"));
                let call = format!("atomic_compare_exchange_{strength}_explicit");
                let orders = format!("{order}, memory_order_relaxed, {scope}");
                self.line(&format!("while (!{call}(cell, &old, {combined}, {orders})) {{"));
                self.line("}");
                self.indent -= 1;
                self.line("}");
            }
        }
    }

    /// A shuffle, and the own value where it takes from no work-item of the sub-group.
    fn movement(&mut self, var: VarId, way: Move, values: &[Expr]) {
        let decl = &self.function.vars[var];
        let (name, ty) = (&decl.name, decl.ty.name());
        let (function, outside) = match way {
            Move::Xor => ("xor", "(get_sub_group_local_id() ^ by) >= get_sub_group_size()"),
            Move::Up => ("up", "by > get_sub_group_local_id()"),
            Move::Down => ("down", "by >= get_sub_group_size() - get_sub_group_local_id()"),
        };
        let lines = [
            format!("{ty} {name};"),
            "{".to_owned(),
            format!("    const {ty} own = {};", self.bare(&values[0])),
            format!("    const uint by = {};", self.bare(&values[1])),
            format!("    {name} = sub_group_shuffle_{function}(own, by);"),
            format!("    if ({outside}) {name} = own;"),
            "}".to_owned(),
        ];
        lines.iter().for_each(|line| self.line(line));
    }

    /// The operands of `vloadN` and `vstoreN` for a place in memory.
    fn run(&self, mem: MemId, run: &Run) -> String {
        let place = match &run.first.kind {
            ExprKind::Const(first) if first.0[0] == 0 => self.mem(mem).to_owned(),
            _ => format!("{} + {}", self.mem(mem), self.expr(&run.first)),
        };
        format!("{}, {place}", self.bare(&run.index))
    }

    fn write_image(&mut self, image: usize, c: &[Expr], value: &Expr) {
        let ImageDecl { name, picture, access, .. } = &self.ast.images[image];
        let place = place_of("int", c.iter().map(|e| self.bare(e)).collect());
        let family = picture.channel.family();
        let value = match family {
            Family::Float => {
                let scale = self.ast.images[image].scale();
                format!("convert_float4({}) * (1.0f / {scale:?}f)", self.bare(value))
            }
            _ => self.bare(value),
        };
        let text = format!("write_image{}({name}, {place}, {value});", suffix(family));
        self.line(&text);
        if *access == Access::ReadWrite {
            // Without it the work-item need not see what it wrote.
            self.line(
                "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);",
            );
        }
    }

    fn read_image(&self, reading: Reading, c: &[Expr]) -> String {
        let image = &self.ast.images[reading.image];
        let picture = &image.picture;
        let sampler = reading.sampler.map(|s| &self.ast.samplers[s]);
        let coordinate = |(i, e): (usize, &Expr)| match sampler {
            Some(_) if reading.real && i >= picture.kind.dimensions() => format!("(float){}", self.expr(e)),
            Some(sampler) if reading.real => {
                let unit = if sampler.sampler.normalized { picture.sizes[i] } else { 1 };
                let part = 1.0 / (image.steps() * unit) as f64;
                format!("(float){} * {part:?}f", self.expr(e))
            }
            _ => self.bare(e),
        };
        let scalar = if reading.real { "float" } else { "int" };
        let place = place_of(scalar, c.iter().enumerate().map(coordinate).collect());
        let with = sampler.map_or(String::new(), |sampler| format!("{}, ", sampler.name));
        let family = picture.channel.family();
        let call = format!("read_image{}({}, {with}{place})", suffix(family), image.name);
        let factor = image.factor(sampler.is_some_and(|s| s.sampler.linear));
        if family == Family::Float { format!("convert_int4_rte({call} * {factor:?}f)") } else { call }
    }

    fn loop_stmt(&mut self, l: &Loop) {
        let var = self.var(l.var).to_string();
        let mut test = format!("< {}", self.expr(&l.bound));
        if let Some(cond) = &l.cond {
            let _ = write!(test, " && {}", self.expr(cond));
        }
        match l.kind {
            LoopKind::For => self.line(&format!("for (int {var} = 0; {var} {test}; ++{var}) {{")),
            LoopKind::While => {
                self.line(&format!("int {var} = -1;"));
                self.line(&format!("while (++{var} {test}) {{"));
            }
            LoopKind::DoWhile => {
                self.line(&format!("int {var} = 0;"));
                self.line("do {");
            }
        }
        self.inner(&l.body);
        match l.kind {
            LoopKind::DoWhile => self.line(&format!("}} while (++{var} {test});")),
            _ => self.line("}"),
        }
    }

    /// An expression without the parentheses around the whole.
    fn bare(&self, e: &Expr) -> String {
        let text = self.expr(e);
        let wraps = matches!(e.kind, ExprKind::Compare(..) | ExprKind::Logic(..) | ExprKind::Select(..))
            || matches!(
                e.kind,
                ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Splat(_) | ExprKind::Build(_)
            )
            || (matches!(e.kind, ExprKind::Const(_)) && e.ty.is_vector());
        match text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
            Some(inner) if wraps && balanced(inner) => inner.to_string(),
            _ => text,
        }
    }

    /// An expression that can stand as an operand anywhere: scalars may begin with a cast, which
    /// binds more tightly than any operator, and vectors are such that a swizzle can follow.
    fn expr(&self, e: &Expr) -> String {
        let ty = e.ty;
        match &e.kind {
            ExprKind::Const(value) => {
                let lanes: Vec<String> =
                    value.0[..ty.count()].iter().map(|b| constant(ty.scalar, *b)).collect();
                match lanes.as_slice() {
                    [one] => one.clone(),
                    [first, rest @ ..] if rest.iter().all(|l| l == first) => {
                        format!("(({})({first}))", ty.name())
                    }
                    _ => format!("(({})({}))", ty.name(), lanes.join(", ")),
                }
            }
            ExprKind::Var(var) => self.var(*var).to_string(),
            ExprKind::Element(var, index) => format!("{}[{}]", self.var(*var), self.bare(index)),
            ExprKind::Load(mem, index) => format!("{}[{}]", self.mem(*mem), self.bare(index)),
            ExprKind::VectorLoad(mem, run) => format!("vload{}({})", ty.lanes, self.run(*mem, run)),
            ExprKind::LoadEither(cond, places) => {
                let [a, b] = places.each_ref().map(|(mem, index)| {
                    format!("(const {} *)({} + {})", ty.name(), self.mem(*mem), self.expr(index))
                });
                format!("(*({} ? {a} : {b}))", self.expr(cond))
            }
            ExprKind::Builtin(builtin, operands) => {
                let operands: Vec<String> = operands.iter().map(|e| self.expr(e)).collect();
                let call = format!("{}({})", builtin.name(), operands.join(", "));
                if builtin.is_unsigned() { format!("as_{}({call})", ty.name()) } else { call }
            }
            ExprKind::WorkItem(function) => format!("({}){}", ty.name(), work_item(*function)),
            ExprKind::Unary(op, a) => self.unary(*op, a),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Compare(op, a, b) => {
                let op = match op {
                    CmpOp::Eq => "==",
                    CmpOp::Ne => "!=",
                    CmpOp::Lt => "<",
                    CmpOp::Le => "<=",
                    CmpOp::Gt => ">",
                    CmpOp::Ge => ">=",
                };
                format!("({} {op} {})", self.expr(a), self.expr(b))
            }
            ExprKind::Logic(and, a, b) => {
                format!("({} {} {})", self.expr(a), if *and { "&&" } else { "||" }, self.expr(b))
            }
            ExprKind::Select(c, a, b) => {
                narrow(ty, format!("({} ? {} : {})", self.expr(c), self.expr(a), self.expr(b)))
            }
            ExprKind::Cast(a) => format!("({}){}", ty.name(), self.expr(a)),
            ExprKind::ToInt(a) => format!("int_of_{}({})", a.ty.name(), self.bare(a)),
            ExprKind::Table(index) => {
                format!("table_{}[{} & {}u]", ty.name(), self.expr(index), table_len(ty.scalar) - 1)
            }
            ExprKind::IsOf(class, a) => format!("{}({})", class.name(), self.bare(a)),
            ExprKind::Bitcast(a) => format!("as_{}({})", ty.name(), self.bare(a)),
            ExprKind::Canonical(a) => format!("canonical_{}({})", ty.name(), self.bare(a)),
            ExprKind::Splat(a) => format!("(({})({}))", ty.name(), self.bare(a)),
            ExprKind::Build(parts) => {
                let parts: Vec<String> = parts.iter().map(|p| self.bare(p)).collect();
                format!("(({})({}))", ty.name(), parts.join(", "))
            }
            ExprKind::Swizzle(a, lanes) => format!("{}{}", self.expr(a), swizzle(a.ty, lanes)),
            ExprKind::ReadImage(reading, c) => self.read_image(*reading, c),
        }
    }

    fn unary(&self, op: UnOp, a: &Expr) -> String {
        let text = self.expr(a);
        match (op, a.ty.scalar) {
            (UnOp::Neg, s) if s.is_float() || a.ty.is_vector() => format!("(-{text})"),
            (UnOp::Neg, Scalar::U32 | Scalar::U64) => format!("(-{text})"),
            (UnOp::Neg, s) => format!("({})(-({}){text})", s.name(), wrapping(s)),
            (UnOp::Not, _) => narrow(a.ty, format!("(~{text})")),
        }
    }

    fn binary(&self, op: BinOp, a: &Expr, b: &Expr) -> String {
        let ty = a.ty;
        let s = ty.scalar;
        let (x, y) = (self.expr(a), self.expr(b));
        let (symbol, wraps) = match op {
            BinOp::Min => return format!("min({x}, {y})"),
            BinOp::Max => return format!("max({x}, {y})"),
            BinOp::Add => ("+", true),
            BinOp::Sub => ("-", true),
            BinOp::Mul => ("*", true),
            BinOp::AddExact => ("+", false),
            BinOp::SubExact => ("-", false),
            BinOp::MulExact => ("*", false),
            BinOp::Div => ("/", false),
            BinOp::Rem => ("%", false),
            BinOp::And => ("&", false),
            BinOp::Or => ("|", false),
            BinOp::Xor => ("^", false),
            BinOp::Shl => ("<<", true),
            BinOp::Shr => (">>", false),
        };
        let y = if matches!(op, BinOp::Shl | BinOp::Shr) {
            let mask = constant(s, u64::from(s.bits() - 1));
            let mask = if ty.is_vector() { format!("({})({mask})", ty.name()) } else { mask };
            format!("({y} & {mask})")
        } else {
            y
        };
        // Small types promote to int, in which only a product or a shift may not fit.
        let small = s.bits() < 32;
        let through_unsigned = wraps
            && !ty.is_vector()
            && !s.is_float()
            && if small { matches!(op, BinOp::Mul | BinOp::Shl) } else { s.is_signed() };
        if through_unsigned {
            let unsigned = wrapping(s);
            return format!("({})(({unsigned}){x} {symbol} ({unsigned}){y})", s.name());
        }
        narrow(ty, format!("({x} {symbol} {y})"))
    }
}

/// The unsigned type in which arithmetic of a type wraps.
fn wrapping(scalar: Scalar) -> &'static str {
    if scalar.bits() == 64 { "ulong" } else { "uint" }
}

/// Casts the promoted result of an operation on a small scalar back to its type.
fn narrow(ty: Type, text: String) -> String {
    if !ty.is_vector() && ty.scalar.bits() < 32 { format!("({}){text}", ty.name()) } else { text }
}

/// Whether no parenthesis in the text closes one opened before it.
fn balanced(text: &str) -> bool {
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    true
}

/// How `printf` writes an integer or a vector of them.
fn conversion(ty: Type) -> String {
    let letter = if ty.scalar.is_signed() { "d" } else { "u" };
    let length = match (ty.scalar.bytes(), ty.is_vector()) {
        (1, true) => "hh",
        (2, true) => "h",
        (4, true) => "hl",
        (8, _) => "l",
        _ => "",
    };
    let vector = if ty.is_vector() { format!("v{}", ty.lanes) } else { String::new() };
    format!("%{vector}{length}{letter}")
}

fn order_name(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "memory_order_relaxed",
        Order::Acquire => "memory_order_acquire",
        Order::Release => "memory_order_release",
        Order::AcquireRelease => "memory_order_acq_rel",
        Order::Sequential => "memory_order_seq_cst",
    }
}

fn scope_name(scope: AtomicScope) -> &'static str {
    match scope {
        AtomicScope::Group => "memory_scope_work_group",
        AtomicScope::Device => "memory_scope_device",
        AtomicScope::AllDevices => "memory_scope_all_svm_devices",
    }
}

fn fold(op: BinOp) -> &'static str {
    match op {
        BinOp::Min => "min",
        BinOp::Max => "max",
        _ => "add",
    }
}

fn flags(fence: Fence) -> &'static str {
    match (fence.local, fence.global) {
        (true, true) => "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
        (false, true) => "CLK_GLOBAL_MEM_FENCE",
        _ => "CLK_LOCAL_MEM_FENCE",
    }
}

fn work_item(function: WorkItem) -> String {
    match function {
        WorkItem::GlobalId(d) => format!("get_global_id({d})"),
        WorkItem::LocalId(d) => format!("get_local_id({d})"),
        WorkItem::GroupId(d) => format!("get_group_id({d})"),
        WorkItem::LocalSize(d) => format!("get_local_size({d})"),
        WorkItem::GlobalSize(d) => format!("get_global_size({d})"),
        WorkItem::NumGroups(d) => format!("get_num_groups({d})"),
        WorkItem::GlobalOffset(d) => format!("get_global_offset({d})"),
        WorkItem::WorkDim => "get_work_dim()".to_string(),
        WorkItem::GlobalLinearId => "get_global_linear_id()".to_string(),
        WorkItem::LocalLinearId => "get_local_linear_id()".to_string(),
        WorkItem::SubGroupId => "get_sub_group_id()".to_string(),
        WorkItem::SubGroupLocalId => "get_sub_group_local_id()".to_string(),
        WorkItem::SubGroupSize => "get_sub_group_size()".to_string(),
        WorkItem::NumSubGroups => "get_num_sub_groups()".to_string(),
        WorkItem::MaxSubGroupSize => "get_max_sub_group_size()".to_string(),
    }
}

fn swizzle(ty: Type, lanes: &[u8]) -> String {
    let named = ty.lanes <= 4 && lanes.len() > 1;
    let letters: String =
        lanes.iter().map(|&l| if named { b"xyzw"[l as usize] as char } else { (b'0' + l) as char }).collect();
    if named { format!(".{letters}") } else { format!(".s{letters}") }
}

/// A scalar literal of exactly this type and these bits.
fn constant(s: Scalar, bits: u64) -> String {
    let suffix = match s {
        Scalar::U32 => "u",
        Scalar::I64 => "l",
        Scalar::U64 => "ul",
        _ => "",
    };
    match s {
        Scalar::F32 => {
            let x = f32::from_bits(bits as u32);
            match x {
                _ if !x.is_finite() => format!("as_float(0x{bits:08x}u)"),
                _ if x.is_sign_negative() => format!("({x:?}f)"),
                _ => format!("{x:?}f"),
            }
        }
        Scalar::F16 => match f64_of_half(bits) {
            x if !x.is_finite() => format!("as_half((ushort)0x{bits:04x})"),
            x if x.is_sign_negative() => format!("({x:?}h)"),
            x => format!("{x:?}h"),
        },
        Scalar::F64 => {
            let x = f64::from_bits(bits);
            if x.is_sign_negative() { format!("({x:?})") } else { format!("{x:?}") }
        }
        Scalar::U8 | Scalar::U16 => format!("({}){bits}", s.name()),
        Scalar::I8 | Scalar::I16 => format!("({})({})", s.name(), extend(s, bits)),
        Scalar::U32 | Scalar::U64 => format!("{bits}{suffix}"),
        Scalar::I32 | Scalar::I64 => match extend(s, bits) {
            // The literal of the smallest value would be the negation of one that does not fit.
            x if x == signed_min(s) => format!("({}{suffix} - 1{suffix})", x + 1),
            x if x < 0 => format!("({x}{suffix})"),
            x => format!("{x}{suffix}"),
        },
    }
}
