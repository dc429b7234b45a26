//! The generator.
//!
//! It keeps, for each memory, the phase it is in (see [`Phase`]): who may touch what until the next
//! barrier. It keeps, for each variable, whether all work-items of a group agree on its value. From
//! these follow all guarantees about races and barriers: barriers stand only where control flow
//! depends on nothing but what a group agrees on, and phases change only at barriers and are the
//! same on all ways to a point.

mod data;
mod expr;
mod images;
mod program;
mod stmt;

use crate::ast::{AtomicOp, Function, ImageDecl, MemDecl, MemId, SamplerDecl, VarDecl, VarId};
use crate::config::Config;
use crate::rng::Rng;
use crate::types::Type;

pub use program::generate;

/// Who may touch a memory until the next barrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// Each work-item its own elements, to read and to write.
    Own,
    /// All work-items all elements (of their group), to read.
    Shared,
    /// All work-items all elements, with one kind of atomic.
    Atomic(AtomicOp),
    /// Nobody.
    Closed,
}

/// Facts about a variable that only the generator needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct VarInfo {
    pub(super) id: VarId,
    pub(super) ty: Type,
    pub(super) len: Option<usize>,
    /// All work-items of a group agree on it.
    pub(super) uniform: bool,
    pub(super) mutable: bool,
}

/// The variables with a fixed meaning, declared at the start of a function that uses them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// The linear global id.
    pub(super) gid: VarId,
    /// The linear local id.
    pub(super) lid: VarId,
    /// The number of work-items in the group.
    pub(super) group_size: VarId,
    /// `get_local_id(0)` and `get_local_size(0)`.
    pub(super) lx: VarId,
    pub(super) size_x: VarId,
}

/// The nearest loop around a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum LoopContext {
    None,
    /// All items go through it together; the phases at its start.
    Together(Vec<Phase>),
    Divergent,
}

/// The facts that hold at the place of a statement.
#[derive(Clone, Debug)]
pub(super) struct Context {
    /// All work-items of the group are here together, and barriers are allowed.
    pub(super) together: bool,
    pub(super) depth: u32,
    pub(super) in_loop: LoopContext,
    /// A `break` would leave the loop, not a switch.
    pub(super) can_break: bool,
    /// A single work-item may return.
    pub(super) can_return: bool,
    pub(super) loops: u32,
}

/// The facts about a helper that its callers depend on.
#[derive(Clone, Debug)]
pub(super) struct HelperInfo {
    pub(super) ret: Type,
    pub(super) params: Vec<(Type, bool)>,
    pub(super) mems: Vec<MemDecl>,
    pub(super) barriers: bool,
}

/// The state while one function is generated.
pub(super) struct Generator<'c> {
    pub(super) rng: Rng,
    pub(super) config: &'c Config,
    pub(super) helpers: Vec<Function>,
    pub(super) infos: Vec<HelperInfo>,
    pub(super) vars: Vec<VarDecl>,
    pub(super) scope: Vec<VarInfo>,
    pub(super) mems: Vec<MemDecl>,
    pub(super) phases: Vec<Phase>,
    pub(super) images: Vec<ImageDecl>,
    pub(super) samplers: Vec<SamplerDecl>,
    pub(super) known: Known,
    /// Statements that may still be made.
    pub(super) budget: i32,
    pub(super) ret: Option<Type>,
    pub(super) in_kernel: bool,
    /// The calls of `printf` so far.
    pub(super) prints: u32,
    /// Whether the program has sub-groups.
    pub(super) sub_groups: bool,
    /// The work-items of the whole launch.
    pub(super) items: usize,
}

impl<'c> Generator<'c> {
    fn new(seed: u64, config: &'c Config) -> Self {
        let known = Known { gid: 0, lid: 1, group_size: 2, lx: 3, size_x: 4 };
        Self {
            rng: Rng::new(seed),
            config,
            helpers: vec![],
            infos: vec![],
            vars: vec![],
            scope: vec![],
            mems: vec![],
            phases: vec![],
            images: vec![],
            samplers: vec![],
            known,
            budget: 0,
            ret: None,
            in_kernel: false,
            prints: 0,
            sub_groups: false,
            items: 0,
        }
    }

    /// A new variable, not in scope yet: its initialiser must not see it.
    pub(super) fn new_var(&mut self, prefix: &str, ty: Type, len: Option<usize>, constant: bool) -> VarId {
        let name = format!("{prefix}{}", self.vars.len());
        self.vars.push(VarDecl { name, ty, len, constant });
        self.vars.len() - 1
    }

    pub(super) fn enter_scope(&mut self, id: VarId, uniform: bool, mutable: bool) {
        let VarDecl { ty, len, .. } = self.vars[id];
        self.scope.push(VarInfo { id, ty, len, uniform, mutable });
    }

    pub(super) fn any_type(&mut self) -> Type {
        let scalars = self.config.scalars();
        let scalar = *self.rng.pick(&scalars);
        if self.config.features.vectors && self.rng.chance(self.config.vector_percent) {
            Type::vector(scalar, *self.rng.pick(&[2, 2, 3, 4, 4, 4, 8, 8]))
        } else {
            Type::scalar(scalar)
        }
    }

    /// A type without padding: the fourth element of a vector of three has no known value.
    pub(super) fn whole_type(&mut self) -> Type {
        loop {
            let ty = self.any_type();
            if ty.lanes != 3 {
                return ty;
            }
        }
    }

    /// The memories that fit.
    pub(super) fn mems_where(&self, fits: impl Fn(&MemDecl, Phase) -> bool) -> Vec<MemId> {
        (0..self.mems.len()).filter(|&m| fits(&self.mems[m], self.phases[m])).collect()
    }
}
