//! Variables, loads, stores and copies.

use super::{Res, Translator};
use crate::grammar::Op;
use crate::grammar::{decoration, memory_access};
use crate::parse::Inst;
use crate::types::space_of;
use ir::address_space;
use llvm::{Linkage, Metadata, Value};

/// The memory operands of an access.
#[derive(Default)]
struct Access {
    volatile: bool,
    align: Option<u32>,
    nontemporal: bool,
    /// IDs of lists of alias scopes.
    alias_scopes: Vec<u32>,
    no_alias: Vec<u32>,
}

const LARGEST_ALIGNMENT: u32 = 1 << 29;

pub(super) fn alignment(bytes: u32) -> Res<u32> {
    if bytes.is_power_of_two() && bytes <= LARGEST_ALIGNMENT {
        Ok(bytes)
    } else {
        Err(format!("an alignment of {bytes} is not a power of two"))
    }
}

impl Access {
    /// Reads the operands from a mask on; returns how many there were.
    fn read(words: &[u32]) -> Res<(Self, usize)> {
        let mut access = Access::default();
        let Some((&mask, rest)) = words.split_first() else { return Ok((access, 0)) };
        let mut rest = rest.iter();
        // The operands follow in the order of the mask's bits; the parser has checked that they are
        // there.
        let mut next = |bit: u32| if mask & bit != 0 { rest.next().copied() } else { None };
        access.volatile = mask & memory_access::VOLATILE != 0;
        access.align = next(memory_access::ALIGNED).map(alignment).transpose()?;
        access.nontemporal = mask & memory_access::NONTEMPORAL != 0;
        next(memory_access::AVAILABLE);
        next(memory_access::VISIBLE);
        access.alias_scopes.extend(next(memory_access::ALIAS_SCOPE));
        access.no_alias.extend(next(memory_access::NO_ALIAS));
        let used = words.len() - rest.len();
        Ok((access, used))
    }
}

impl Translator<'_, '_> {
    /// The alignment an ID is decorated with.
    pub(super) fn decorated_alignment(&self, id: u32) -> Res<Option<u32>> {
        if let Some(&[bytes, ..]) = self.m.decoration(id, decoration::ALIGNMENT) {
            return alignment(bytes).map(Some);
        }
        if let Some(&[constant, ..]) = self.m.decoration(id, decoration::ALIGNMENT_ID) {
            let bytes = u32::try_from(self.const_int(constant)?).unwrap_or(0);
            return alignment(bytes).map(Some);
        }
        Ok(None)
    }

    pub(super) fn global_variable(&mut self, inst: &Inst<'_>) -> Res<()> {
        let (class, to) = self.types.pointer(self.m, inst.ty)?;
        if class != inst.args[0] {
            return Err("the storage class is not that of the type".to_owned());
        }
        if let Some(&[built_in, ..]) = self.m.decoration(inst.id, decoration::BUILT_IN) {
            self.built_ins.insert(inst.id, built_in);
            return Ok(());
        }
        let space = space_of(class)?;
        let name = crate::grammar::name_in(crate::grammar::STORAGE_CLASSES, class).unwrap_or("");
        if matches!(name, "Uniform" | "StorageBuffer" | "PushConstant" | "AtomicCounter" | "Image") {
            return Err(format!(
                "variables in the storage class {name} are bound to shaders; a kernel has none, and takes \
                 pointers as arguments"
            ));
        }
        if space == address_space::PRIVATE || space == address_space::GENERIC {
            return Err(format!("no variable outside of functions is in the storage class {name}"));
        }
        let ty = self.types.sized(self.m, to)?;
        let linkage = self.m.linkage(inst.id);
        let name = linkage.as_ref().map_or_else(|| self.local_name(inst.id), |(name, _)| name.clone());
        if linkage.is_some() {
            self.check_linked_name(&name)?;
            if self.out.global(&name).is_some() {
                return Err(format!("there are two variables '{name}'"));
            }
        }
        let global = self.out.add_global_in(&name, ty, space);
        global.set_constant(space == address_space::CONSTANT || self.has(inst.id, decoration::CONSTANT));
        let align = self.decorated_alignment(inst.id)?.unwrap_or_else(|| self.out.align_of(ty));
        global.set_alignment(align);
        let kind = linkage.map(|(_, kind)| kind);
        if kind != Some(1) {
            let initializer = match inst.arg(1) {
                Some(id) => {
                    let value = self.value_of(id, ty)?;
                    if !value.is_constant() || space == address_space::LOCAL && !value.is_zero() {
                        return Err(format!("{} cannot initialize this variable", self.m.show(id)));
                    }
                    value
                }
                None if space == address_space::LOCAL => ty.undef(),
                None => ty.zero(),
            };
            global.set_initializer(initializer);
        }
        global.set_linkage(match kind {
            None => Linkage::LLVMInternalLinkage,
            Some(2) => Linkage::LLVMLinkOnceODRLinkage,
            Some(_) => Linkage::LLVMExternalLinkage,
        });
        self.values[inst.id as usize] = Some(global.into());
        Ok(())
    }

    pub(super) fn memory(&mut self, inst: &Inst<'_>) -> Res<Option<Value>> {
        match inst.op {
            Op::Variable => self.variable(inst).map(Some),
            Op::Load => {
                let ty = self.result_type(inst)?;
                let pointer = self.pointer_to(inst.args[0], inst.ty)?;
                let (access, _) = Access::read(&inst.args[1..])?;
                let load = self.b.load(ty, pointer, "");
                self.apply(&access, load, inst)?;
                Ok(Some(load))
            }
            Op::Store => {
                let pointer = self.pointer_to(inst.args[0], self.type_id(inst.args[1])?)?;
                let value = self.value(inst.args[1])?;
                self.types.check_value(self.type_id(inst.args[1])?)?;
                let (access, _) = Access::read(&inst.args[2..])?;
                let store = self.b.store(value, pointer);
                self.apply(&access, store, inst)?;
                Ok(None)
            }
            Op::SizeOf => {
                let ty = self.result_type(inst)?;
                let (_, to) = self.types.pointer(self.m, self.type_id(inst.args[0])?)?;
                let size = self.out.size_of(self.types.sized(self.m, to)?);
                if !ty.is_int() {
                    return Err("the result is not an integer".to_owned());
                }
                Ok(Some(ty.const_int(size)))
            }
            _ => self.copy(inst).map(|()| None),
        }
    }

    /// A pointer to values of a type.
    fn pointer_to(&self, id: u32, ty: u32) -> Res<Value> {
        let pointer = self.pointer_value(id)?;
        let (_, to) = self.types.pointer(self.m, self.type_id(id)?)?;
        if self.types.sized(self.m, to)? != self.types.sized(self.m, ty)? {
            let (to, ty) = (self.m.show(to), self.m.show(ty));
            return Err(format!("{} points to {to}, not to {ty}", self.m.show(id)));
        }
        Ok(pointer)
    }

    fn variable(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let (class, to) = self.types.pointer(self.m, inst.ty)?;
        if class != 7 || inst.args[0] != 7 {
            return Err("a variable of a function is in the storage class Function".to_owned());
        }
        let ty = self.types.sized(self.m, to)?;
        let align = self.decorated_alignment(inst.id)?.unwrap_or(0).max(self.out.align_of(ty));
        let slot = self.b.alloca(ty, align, "");
        if let Some(id) = inst.arg(1) {
            self.types.check_value(to)?;
            let value = self.value_of(id, ty)?;
            if ty.is_struct() || ty.is_array() {
                self.copy_constant(value, slot, align);
            } else {
                self.b.store(value, slot).set_alignment(align);
            }
        }
        Ok(slot)
    }

    /// Initializes an aggregate by `memcpy` from a constant, as clang does: LLVM would expand a
    /// store of it to single bytes.
    fn copy_constant(&self, value: Value, slot: Value, align: u32) {
        let source = self.out.add_global_in("initial", value.ty(), address_space::CONSTANT);
        source.set_initializer(value);
        source.set_constant(true);
        source.set_linkage(Linkage::LLVMPrivateLinkage);
        source.set_alignment(align);
        self.b.memcpy(slot, align, source.into(), align, self.out.size_of(value.ty()));
    }

    fn copy(&mut self, inst: &Inst<'_>) -> Res<()> {
        let (to, from) = (self.pointer_value(inst.args[0])?, self.pointer_value(inst.args[1])?);
        let sized = inst.op == Op::CopyMemorySized;
        let (_, pointee) = self.types.pointer(self.m, self.type_id(inst.args[0])?)?;
        let (_, other) = self.types.pointer(self.m, self.type_id(inst.args[1])?)?;
        let (size, natural) = if sized {
            let size = self.scalar_int(inst.args[2])?;
            if size.ty().int_bits() > 64 {
                return Err(self.unfit(inst.args[2], "integers of at most 64 bits"));
            }
            (self.resize(size, self.context.i64(), false), 1)
        } else {
            let ty = self.types.sized(self.m, pointee)?;
            if ty != self.types.sized(self.m, other)? {
                return Err("the pointers do not point to one type".to_owned());
            }
            (self.b.i64(self.out.size_of(ty)), self.out.align_of(ty))
        };
        let operands = &inst.args[if sized { 3 } else { 2 }..];
        let (access, used) = Access::read(operands)?;
        // A second set of memory operands is that of the source.
        let (source, rest) = Access::read(&operands[used..])?;
        let to_align = access.align.unwrap_or(natural);
        let from_align = if rest > 0 { source.align } else { access.align }.unwrap_or(natural);
        let copy = self.b.memcpy_aligned((to, to_align), (from, from_align), size);
        if access.volatile || source.volatile {
            copy.set_operand(3, self.context.i1().const_int(1));
        }
        Ok(())
    }

    fn apply(&mut self, access: &Access, instruction: Value, inst: &Inst<'_>) -> Res<()> {
        let volatile = access.volatile || self.has(inst.args[0], decoration::VOLATILE);
        if volatile {
            instruction.set_volatile();
        }
        if let Some(align) = access.align {
            instruction.set_alignment(align);
        }
        if access.nontemporal {
            let one = self.context.metadata_value(self.b.i32(1));
            let node = self.context.metadata_node(&[one]);
            instruction.set_metadata(self.context.metadata_kind("nontemporal"), node);
        }
        let mut lists = [access.alias_scopes.clone(), access.no_alias.clone()];
        for (list, kind) in lists.iter_mut().zip([decoration::ALIAS_SCOPE, decoration::NO_ALIAS]) {
            if inst.id != 0
                && let Some(&[id, ..]) = self.m.decoration(inst.id, kind)
            {
                list.push(id);
            }
        }
        for (list, kind) in lists.iter().zip(["alias.scope", "noalias"]) {
            if let Some(id) = list.first() {
                let node = self.alias_scopes(*id)?;
                instruction.set_metadata(self.context.metadata_kind(kind), node);
            }
        }
        Ok(())
    }

    /// A list of alias scopes.
    fn alias_scopes(&mut self, list: u32) -> Res<Metadata> {
        let wrong = |id: u32| format!("{} is not a list of alias scopes", self.m.show(id));
        let inst = self.m.inst(list).filter(|i| i.op == Op::AliasScopeListDeclINTEL);
        let scopes = inst.ok_or_else(|| wrong(list))?.args;
        let mut nodes = Vec::new();
        for &scope in scopes {
            let decl =
                self.m.inst(scope).filter(|i| i.op == Op::AliasScopeDeclINTEL).ok_or_else(|| wrong(list))?;
            let domain = decl.args[0];
            if self.m.inst(domain).is_none_or(|i| i.op != Op::AliasDomainDeclINTEL) {
                return Err(wrong(list));
            }
            let domain = match self.alias_nodes.get(&domain) {
                Some(node) => *node,
                None => {
                    let node = self.context.metadata_self_node(&[]);
                    self.alias_nodes.insert(domain, node);
                    node
                }
            };
            let scope = match self.alias_nodes.get(&scope) {
                Some(node) => *node,
                None => {
                    let node = self.context.metadata_self_node(&[domain]);
                    self.alias_nodes.insert(scope, node);
                    node
                }
            };
            nodes.push(scope);
        }
        Ok(self.context.metadata_node(&nodes))
    }
}
