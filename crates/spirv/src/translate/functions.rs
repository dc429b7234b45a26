//! Functions: their declarations, attributes and bodies, calls, and the metadata of kernels.

use super::memory::alignment;
use super::{Res, Translator};
use crate::Error;
use crate::grammar::{self, Op};
use crate::grammar::{decoration, function_control, linkage, parameter};
use crate::module::Func;
use crate::parse::Inst;
use crate::types::Ty;
use crate::validate::Orders;
use ir::mangling::group_suffix;
use ir::{ImageAccess, address_space};
use llvm::{CallConv, Function, Linkage, Metadata, Type, Value};

/// Subnormal operands and results are zero.
const FLUSH: &str = "preserve-sign,preserve-sign";

/// Whether this is an integer intrinsic of LLVM, which producers import where SPIR-V has no
/// instruction.
fn is_arithmetic_intrinsic(name: &str, ty: Type) -> bool {
    let operands = |op: &str| match op {
        "ctpop" | "bitreverse" | "bswap" => Some(1),
        "smax" | "smin" | "umax" | "umin" => Some(2),
        "sadd.sat" | "ssub.sat" | "sshl.sat" | "uadd.sat" | "usub.sat" | "ushl.sat" => Some(2),
        "fshl" | "fshr" => Some(3),
        _ => None,
    };
    let (result, params) = (ty.return_type(), ty.params());
    let Some((op, suffix)) = name.strip_prefix("llvm.").and_then(|n| n.rsplit_once('.')) else {
        return false;
    };
    let bits = if result.is_vector() { result.element() } else { result };
    operands(op) == Some(params.len())
        && bits.is_int()
        && (op != "bswap" || bits.int_bits() % 16 == 0)
        && params.iter().all(|param| *param == result)
        && group_suffix(result).as_deref() == Some(suffix)
}

impl<'m> Translator<'_, 'm> {
    /// Refuses names that mean something to LLVM or to the passes.
    pub(super) fn check_linked_name(&self, name: &str) -> Res<()> {
        if name.starts_with("llvm.") || name.starts_with("__mux_") {
            return Err(format!("'{name}' is a name of the compiler's own"));
        }
        Ok(())
    }

    /// The debug name of an internal function or variable, changed so that it cannot be mistaken
    /// for a library function.
    pub(super) fn local_name(&self, id: u32) -> String {
        let name = self.m.names.get(&id).map_or("", String::as_str);
        let taken =
            name.starts_with("_Z") || name.starts_with("__") || name.starts_with("llvm.") || name == "printf";
        if taken { format!("local.{name}") } else { name.to_owned() }
    }

    fn entry_name(&self, id: u32) -> Option<&str> {
        self.m.entry_points.iter().find(|e| e.function == id).map(|e| e.name.as_str())
    }

    /// Declares all functions: kernels first, which have their names for sure.
    pub(super) fn declare_functions(&mut self) -> Result<(), Error> {
        let m = self.m;
        let is_kernel = |f: &&Func| self.entry_name(m.insts[f.start].id).is_some();
        let (kernels, others): (Vec<_>, Vec<_>) = m.functions.iter().partition(is_kernel);
        for function in kernels.into_iter().chain(others) {
            self.declare_function(function).map_err(|message| m.fail(function.start, message))?;
        }
        Ok(())
    }

    /// Checks that a function is of its type, which is returned.
    fn function_type(&self, inst: &Inst<'_>) -> Res<(llvm::Type, Vec<u32>)> {
        let ty = inst.args[1];
        let Ty::Function { ret, params } = self.types.of(self.m, ty)? else {
            return Err(format!("{} is not a type of functions", self.m.show(ty)));
        };
        if *ret != inst.ty {
            return Err(format!("returns {}, its type says {}", self.m.show(inst.ty), self.m.show(*ret)));
        }
        for value in params.iter().chain([ret]) {
            self.types.check_value(*value)?;
        }
        Ok((self.types.lower(self.m, ty)?, params.clone()))
    }

    fn declare_function(&mut self, func: &Func) -> Res<()> {
        let inst = self.m.insts[func.start];
        if self.functions.contains_key(&inst.id) {
            return Ok(());
        }
        let (ty, params) = self.function_type(&inst)?;
        if params.len() != func.params.len() {
            return Err(format!("has {} parameters, its type has {}", func.params.len(), params.len()));
        }
        for (&param, expected) in func.params.iter().zip(&params) {
            if self.m.insts[param].ty != *expected {
                return Err(format!("parameter {} is not of its type", self.m.show(self.m.insts[param].id)));
            }
        }
        let entry = self.entry_name(inst.id).map(str::to_owned);
        let is_kernel = entry.is_some();
        let linkage = self.m.linkage(inst.id);
        let kind = linkage.as_ref().map(|(_, kind)| *kind);
        let is_defined = !func.blocks.is_empty();
        if !is_defined && (is_kernel || kind != Some(linkage::IMPORT)) {
            return Err("has no body and is not imported".to_owned());
        }
        if is_defined && kind == Some(linkage::IMPORT) {
            return Err("is imported and has a body".to_owned());
        }
        let name = match (&entry, &linkage) {
            (Some(name), _) | (None, Some((name, _))) => name.clone(),
            (None, None) => self.local_name(inst.id),
        };
        if kind == Some(linkage::IMPORT) && is_arithmetic_intrinsic(&name, ty) {
            let f = self.out.function(&name).unwrap_or_else(|| self.out.add_function(&name, ty));
            self.functions.insert(inst.id, f);
            return Ok(());
        }
        if is_kernel || linkage.is_some() {
            self.check_linked_name(&name)?;
        }
        let mut linkage = match kind {
            _ if is_kernel => Linkage::LLVMExternalLinkage,
            None => Linkage::LLVMInternalLinkage,
            Some(linkage::LINK_ONCE_ODR) => Linkage::LLVMLinkOnceODRLinkage,
            Some(_) => Linkage::LLVMExternalLinkage,
        };
        if linkage != Linkage::LLVMInternalLinkage
            && let Some(other) = self.out.function(&name)
        {
            if is_kernel {
                return Err(format!("there are two kernels '{name}'"));
            }
            if kind == Some(linkage::IMPORT) && other.function_type() == ty {
                self.functions.insert(inst.id, other);
                return Ok(());
            }
            // Producers wrap a kernel in an entry point, and give the wrapped function the same
            // name.
            if other.call_conv() != CallConv::SpirKernel {
                return Err(format!("there are two functions '{name}'"));
            }
            linkage = Linkage::LLVMInternalLinkage;
        }
        let f = self.out.add_function(&name, ty);
        f.set_linkage(linkage);
        f.set_call_conv(if is_kernel { CallConv::SpirKernel } else { CallConv::SpirFunc });
        f.set_flag("convergent");
        f.set_flag("nounwind");
        self.function_control(f, inst.args[0]);
        if self.math.denorms_are_zero {
            f.set_attribute("denormal-fp-math-f32", FLUSH);
        }
        for (i, &param) in func.params.iter().enumerate() {
            self.parameter(f, i as u32, &self.m.insts[param], is_kernel)?;
        }
        if is_kernel {
            self.kernel(f, func, &name)?;
        }
        self.functions.insert(inst.id, f);
        Ok(())
    }

    fn function_control(&self, f: Function, control: u32) {
        let is = |bit: u32| control & bit != 0;
        if is(function_control::OPT_NONE) {
            f.set_flag("optnone");
            f.set_flag("noinline");
        } else if is(function_control::DONT_INLINE) {
            f.set_flag("noinline");
        } else if is(function_control::INLINE) {
            f.set_flag("inlinehint");
        }
    }

    fn parameter(&self, f: Function, i: u32, param: &Inst<'_>, is_kernel: bool) -> Res<()> {
        let value = f.param(i);
        if let Some(name) = self.m.names.get(&param.id) {
            value.set_name(name);
        }
        let has = |attribute: u32| self.has_param_attribute(param.id, attribute);
        if value.ty().is_int() && !is_kernel {
            if has(parameter::ZEXT) {
                f.set_param_flag(i, "zeroext");
            } else if has(parameter::SEXT) {
                f.set_param_flag(i, "signext");
            }
        }
        if !value.ty().is_ptr() || *self.types.of(self.m, param.ty)? == Ty::Event {
            return Ok(());
        }
        let (_, to) = self.types.pointer(self.m, param.ty)?;
        let is_private = value.ty().address_space() == address_space::PRIVATE;
        if has(parameter::BY_VALUE) || has(parameter::RESULT) {
            let ty = self.types.sized(self.m, to)?;
            if is_private {
                f.set_param_type(i, if has(parameter::BY_VALUE) { "byval" } else { "sret" }, ty);
            } else if is_kernel {
                return Err(format!(
                    "{} is by value and not in the storage class Function",
                    self.m.show(param.id)
                ));
            }
        } else if is_kernel && is_private {
            return Err(format!("{} is a pointer into a work-item's own memory", self.m.show(param.id)));
        }
        for (attribute, name) in [(parameter::NO_ALIAS, "noalias"), (parameter::NO_CAPTURE, "nocapture")] {
            if has(attribute) {
                f.set_param_flag(i, name);
            }
        }
        if has(parameter::NO_READ_WRITE) {
            f.set_param_flag(i, "readnone");
        } else if has(parameter::NO_WRITE) {
            f.set_param_flag(i, "readonly");
        }
        if let Some(&[bytes, ..]) = self.m.decoration(param.id, decoration::ALIGNMENT) {
            f.set_param_number(i, "align", alignment(bytes)?.into());
        }
        Ok(())
    }

    fn has_param_attribute(&self, param: u32, attribute: u32) -> bool {
        let decorations = self.m.decorations(param).iter();
        decorations.filter(|d| d.0 == decoration::FUNC_PARAM_ATTR).any(|d| d.1.first() == Some(&attribute))
    }

    /// A parameter inside of its function's body. A by-value parameter with a generic pointer is
    /// copied here: LLVM's `byval` is for private memory only.
    fn own_parameter(&mut self, param: &Inst<'_>, value: Value) -> Res<Value> {
        let by_value = value.ty().is_ptr() && self.has_param_attribute(param.id, parameter::BY_VALUE);
        if !by_value || value.ty().address_space() == address_space::PRIVATE {
            return Ok(value);
        }
        let (_, to) = self.types.pointer(self.m, param.ty)?;
        let ty = self.types.sized(self.m, to)?;
        let align = match self.m.decoration(param.id, decoration::ALIGNMENT) {
            Some(&[bytes, ..]) => alignment(bytes)?,
            _ => self.out.align_of(ty),
        };
        let copy = self.b.alloca(ty, align, "");
        self.b.memcpy(copy, align, value, align, self.out.size_of(ty));
        Ok(self.b.address_space_cast(copy, value.ty(), ""))
    }

    // ---- Kernels -------------------------------------------------------------------------------

    fn kernel(&mut self, f: Function, func: &Func, name: &str) -> Res<()> {
        if !f.return_type().is_void() {
            return Err("a kernel returns nothing".to_owned());
        }
        self.kernel_arguments(f, func, name)?;
        let id = self.m.insts[func.start].id;
        for &(mode, args) in self.m.modes(id) {
            self.execution_mode(f, mode, args)?;
        }
        Ok(())
    }

    fn kernel_arguments(&self, f: Function, func: &Func, name: &str) -> Res<()> {
        let c = &self.context;
        let note = |kind: &str, values: &[Metadata]| {
            f.set_metadata(c.metadata_kind(kind), c.metadata_node(values));
        };
        let texts = |texts: Vec<String>| texts.iter().map(|t| c.metadata_string(t)).collect::<Vec<_>>();
        let params: Vec<&Inst<'_>> = func.params.iter().map(|&p| &self.m.insts[p]).collect();
        let count = params.len();
        let mut spaces = Vec::new();
        for (i, param) in params.iter().enumerate() {
            let ty = f.param(i as u32).ty();
            let by_value = f.param_byval_type(i as u32).is_some();
            let is_pointer = matches!(self.types.of(self.m, param.ty)?, Ty::Pointer { .. });
            spaces.push(if is_pointer && !by_value { ty.address_space() } else { 0 });
        }
        let numbers: Vec<_> = spaces.iter().map(|s| c.metadata_value(self.b.i32(*s))).collect();
        note("kernel_arg_addr_space", &numbers);
        let access = |param: &&Inst<'_>| match self.types.get(param.ty) {
            Some(Ty::Image(image)) => match image.access {
                ImageAccess::ReadOnly => "read_only".to_owned(),
                ImageAccess::WriteOnly => "write_only".to_owned(),
                ImageAccess::ReadWrite => "read_write".to_owned(),
            },
            _ => "none".to_owned(),
        };
        note("kernel_arg_access_qual", &texts(params.iter().map(access).collect()));
        // The translator of OpenCL C keeps kernel argument information in strings.
        let noted = |kind: &str| {
            let prefix = format!("{kind}.{name}.");
            let text = self.m.strings.values().find_map(|s| s.strip_prefix(&prefix))?;
            let list: Vec<String> = text.split(',').map(str::to_owned).take(count).collect();
            (list.len() == count && count > 0).then_some(list)
        };
        let types = noted("kernel_arg_type").unwrap_or_else(|| {
            let name = |(i, p): (usize, &&Inst<'_>)| {
                let by_value = f.param_byval_type(i as u32).is_some();
                self.type_name(p.ty).map_or_else(String::new, |name| {
                    if by_value { name.trim_end_matches('*').to_owned() } else { name }
                })
            };
            params.iter().enumerate().map(name).collect()
        });
        note("kernel_arg_type", &texts(types.clone()));
        note("kernel_arg_base_type", &texts(types));
        let qualifiers = noted("kernel_arg_type_qual").unwrap_or_else(|| {
            let of = |p: &&Inst<'_>| {
                let kinds = [
                    (decoration::CONSTANT, "const"),
                    (decoration::RESTRICT, "restrict"),
                    (decoration::VOLATILE, "volatile"),
                ];
                let words = kinds.iter().filter(|(kind, _)| self.has(p.id, *kind)).map(|(_, word)| *word);
                words.collect::<Vec<_>>().join(" ")
            };
            params.iter().map(of).collect()
        });
        note("kernel_arg_type_qual", &texts(qualifiers));
        let names = params.iter().map(|p| self.m.names.get(&p.id).cloned().unwrap_or_default());
        note("kernel_arg_name", &texts(names.collect()));
        Ok(())
    }

    /// The OpenCL C name of a type. SPIR-V integers have no signedness here, and are taken for
    /// signed.
    fn type_name(&self, id: u32) -> Option<String> {
        Some(match self.types.get(id)? {
            Ty::Bool => "bool".to_owned(),
            Ty::Int(bits) => match bits {
                8 => "char".to_owned(),
                16 => "short".to_owned(),
                32 => "int".to_owned(),
                64 => "long".to_owned(),
                _ => return None,
            },
            Ty::Brain => "bfloat16".to_owned(),
            Ty::Float(16) => "half".to_owned(),
            Ty::Float(32) => "float".to_owned(),
            Ty::Float(_) => "double".to_owned(),
            Ty::Vector(element, n) => format!("{}{n}", self.type_name(*element)?),
            Ty::Pointer { to, .. } => format!("{}*", self.type_name(*to)?),
            Ty::Image(image) => format!("image{}_t", image.kind_name()),
            Ty::Sampler => "sampler_t".to_owned(),
            Ty::Struct(_) => self.m.names.get(&id)?.trim_start_matches("struct.").to_owned(),
            _ => return None,
        })
    }

    fn execution_mode(&mut self, f: Function, mode: u32, args: &[u32]) -> Res<()> {
        let name = grammar::name_in(grammar::EXECUTION_MODES, mode).unwrap_or("unknown");
        let note = |kind: &str, values: &[u32]| {
            let node: Vec<_> = values.iter().map(|v| self.context.metadata_value(self.b.i32(*v))).collect();
            f.set_metadata(self.context.metadata_kind(kind), self.context.metadata_node(&node));
        };
        match name {
            "LocalSize" => note("reqd_work_group_size", args),
            "LocalSizeHint" => note("work_group_size_hint", args),
            "LocalSizeId" | "LocalSizeHintId" => {
                let size = |id: &u32| Ok(u32::try_from(self.const_int(*id)?).unwrap_or(u32::MAX));
                let sizes = args.iter().map(size).collect::<Res<Vec<_>>>()?;
                let kind =
                    if name == "LocalSizeId" { "reqd_work_group_size" } else { "work_group_size_hint" };
                note(kind, &sizes);
            }
            "SubgroupSize" => note("intel_reqd_sub_group_size", args),
            "MaxWorkDimINTEL" => note("max_work_dim", args),
            "DenormFlushToZero" if args == [32] => {
                f.set_attribute("denormal-fp-math-f32", FLUSH);
            }
            "DenormFlushToZero" => {
                f.set_attribute("denormal-fp-math", FLUSH);
            }
            // These modes are hints, or hold anyway.
            "VecTypeHint"
            | "ContractionOff"
            | "DenormPreserve"
            | "SignedZeroInfNanPreserve"
            | "RoundingModeRTE"
            | "MaxWorkgroupSizeINTEL"
            | "NoGlobalOffsetINTEL"
            | "NumSIMDWorkitemsINTEL"
            | "SubgroupsPerWorkgroup"
            | "SubgroupsPerWorkgroupId" => {}
            _ => return Err(format!("the execution mode {name} ({mode}) is not supported")),
        }
        Ok(())
    }

    pub(super) fn module_metadata(&mut self) {
        // For other languages, the newest version.
        let version = match self.m.source {
            Some((3 | 4, version)) if version >= 100_000 => (version / 100_000, version / 1000 % 100),
            _ => (3, 0),
        };
        let number = |n: u32| self.context.metadata_value(self.b.i32(n));
        let node = self.context.metadata_node(&[number(version.0), number(version.1)]);
        self.out.add_named_metadata("opencl.ocl.version", node);
        self.out.add_named_metadata("opencl.spir.version", node);
    }

    // ---- Bodies --------------------------------------------------------------------------------

    pub(super) fn define_functions(&mut self, orders: &Orders) -> Result<(), Error> {
        let m = self.m;
        for (func, order) in m.functions.iter().zip(orders).filter(|(f, _)| !f.blocks.is_empty()) {
            self.define_function(func, order)?;
        }
        // A function may be a kernel by several names.
        for (n, entry) in m.entry_points.iter().enumerate() {
            let first = m.entry_points[..n].iter().find(|e| e.function == entry.function);
            if first.is_some() {
                self.second_kernel(entry.function, &entry.name).map_err(|e| m.fail(entry.inst, e))?;
            }
        }
        Ok(())
    }

    fn second_kernel(&mut self, id: u32, name: &str) -> Res<()> {
        self.check_linked_name(name)?;
        if self.out.function(name).is_some() {
            return Err(format!("there are two functions '{name}'"));
        }
        let first = self.functions[&id];
        let second = self.out.add_function(name, first.function_type());
        second.set_call_conv(CallConv::SpirKernel);
        first.clone_into(second, &second.params());
        Ok(())
    }

    fn define_function(&mut self, func: &Func, order: &[usize]) -> Result<(), Error> {
        let m = self.m;
        let f = self.functions[&m.insts[func.start].id];
        self.blocks.clear();
        for block in &func.blocks {
            let name = m.names.get(&block.label).map_or("", String::as_str);
            let new = f.append_block(name);
            self.blocks.insert(block.label, new);
        }
        self.b.position_at_end(f.entry());
        self.begin_debug_function(func, f);
        for (i, &param) in func.params.iter().enumerate() {
            let (inst, value) = (&m.insts[param], f.param(i as u32));
            let own = self.own_parameter(inst, value).map_err(|e| m.fail(param, e))?;
            self.values[inst.id as usize] = Some(own);
        }
        self.built_in_variables(func).map_err(|e| m.fail(func.start, e))?;
        for &n in order {
            let block = &func.blocks[n];
            self.b.position_at_end(self.blocks[&block.label]);
            for i in block.body.clone() {
                self.instruction(&m.insts[i]).map_err(|message| m.fail(i, message))?;
            }
        }
        // Unreachable blocks are not translated.
        let mut unreached: Vec<bool> = vec![true; func.blocks.len()];
        order.iter().for_each(|&n| unreached[n] = false);
        for (block, _) in func.blocks.iter().zip(&unreached).filter(|(_, unreached)| **unreached) {
            self.b.position_at_end(self.blocks[&block.label]);
            self.b.unreachable();
        }
        self.fill_phis(func, order)?;
        self.loop_controls(func);
        Ok(())
    }

    // ---- Calls ---------------------------------------------------------------------------------

    /// A function that the module declares, perhaps later.
    fn function(&mut self, id: u32) -> Res<Function> {
        if !self.functions.contains_key(&id) {
            let def = self.m.def(id);
            let func = self.m.functions.iter().find(|f| Some(f.start) == def);
            self.declare_function(func.ok_or_else(|| format!("{} is not a function", self.m.show(id)))?)?;
        }
        Ok(self.functions[&id])
    }

    pub(super) fn function_pointer(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let ty = self.types.sized(self.m, inst.ty)?;
        let (_, to) = self.types.pointer(self.m, inst.ty)?;
        let f = self.function(inst.args[0])?;
        if ty != f.ty() || self.types.lower(self.m, to)? != f.function_type() {
            return Err("is not a pointer to functions of this type".to_owned());
        }
        Ok(f.into())
    }

    pub(super) fn call(&mut self, inst: &Inst<'_>) -> Res<Option<Value>> {
        let args = inst.args[1..].iter().map(|id| self.value(*id)).collect::<Res<Vec<_>>>()?;
        let direct = inst.op == Op::FunctionCall;
        let (ty, callee) = if direct {
            let f = self.function(inst.args[0])?;
            (f.function_type(), Value::from(f))
        } else {
            let pointer = self.pointer_value(inst.args[0])?;
            let (_, to) = self.types.pointer(self.m, self.type_id(inst.args[0])?)?;
            if !matches!(self.types.of(self.m, to)?, Ty::Function { .. }) {
                return Err(self.unfit(inst.args[0], "pointers to functions"));
            }
            (self.types.lower(self.m, to)?, pointer)
        };
        let types: Vec<_> = args.iter().map(|a| a.ty()).collect();
        if ty.params() != types {
            return Err("the arguments are not of the types of the parameters".to_owned());
        }
        if ty.return_type() != self.types.lower(self.m, inst.ty)? {
            return Err("the result is not of the type the function returns".to_owned());
        }
        if direct {
            let f = self.functions[&inst.args[0]];
            let call = self.b.call(f, &args, "");
            self.by_value_arguments(f, call);
            return Ok(Some(call));
        }
        let call = self.b.call_indirect(ty, callee, &args, "");
        call.set_call_conv(CallConv::SpirFunc);
        Ok(Some(call))
    }

    /// Adds `byval` to the arguments of a call, as at the callee's parameters.
    fn by_value_arguments(&self, f: Function, call: Value) {
        for i in 0..f.params().len() as u32 {
            if let Some(ty) = f.param_byval_type(i) {
                call.set_call_param_type(i, "byval", ty);
            }
        }
    }
}
