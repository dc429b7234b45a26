//! The cache of analysis results, which are kept until a pass does not preserve them.

use llvm::{Function, Module};
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::rc::Rc;

/// An analysis: a result computed from one function, perhaps with the help of others.
pub trait FunctionAnalysis: Sized + 'static {
    fn compute(module: &Module, function: Function, analyses: &mut Analyses) -> Self;
}

/// The results that are valid now.
#[derive(Default)]
pub struct Analyses(HashMap<(TypeId, Function), Rc<dyn Any>>);

/// The analyses whose results are still valid after a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preserved {
    /// The pass changed nothing.
    All,
    /// Anything may have changed.
    None,
    /// These analyses (see [`Preserved::these`]) still hold for every function.
    These(Vec<TypeId>),
}

impl Preserved {
    /// The pass changed no control-flow graph.
    pub fn control_flow() -> Self {
        use crate::{Cfg, Dominators, Loops, PostDominators};
        Preserved::These(vec![
            TypeId::of::<Cfg>(),
            TypeId::of::<Dominators>(),
            TypeId::of::<PostDominators>(),
            TypeId::of::<Loops>(),
        ])
    }

    pub fn these<A: FunctionAnalysis>() -> Self {
        Preserved::These(vec![TypeId::of::<A>()])
    }
}

impl Analyses {
    pub fn get<A: FunctionAnalysis>(&mut self, module: &Module, function: Function) -> Rc<A> {
        let key = (TypeId::of::<A>(), function);
        if let Some(known) = self.0.get(&key) {
            return Rc::clone(known).downcast().expect("the key holds the type");
        }
        let result = Rc::new(A::compute(module, function, self));
        self.0.insert(key, result.clone());
        result
    }

    /// Drops the results that a pass did not preserve.
    pub fn retain(&mut self, preserved: &Preserved) {
        match preserved {
            Preserved::All => {}
            Preserved::None => self.0.clear(),
            Preserved::These(types) => self.0.retain(|(ty, _), _| types.contains(ty)),
        }
    }

    /// Drops all results for one function, for a pass that changes it and asks again.
    pub fn forget(&mut self, function: Function) {
        self.0.retain(|(_, f), _| *f != function);
    }
}
