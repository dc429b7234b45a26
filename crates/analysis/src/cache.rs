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
pub struct Analyses {
    of_functions: HashMap<(TypeId, Function), Rc<dyn Any>>,
    provided: HashMap<TypeId, Rc<dyn Any>>,
}

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
        if let Some(known) = self.of_functions.get(&key) {
            return Rc::clone(known).downcast().expect("the key holds the type");
        }
        let result = Rc::new(A::compute(module, function, self));
        self.of_functions.insert(key, result.clone());
        result
    }

    /// Drops the results that a pass did not preserve.
    pub fn retain(&mut self, preserved: &Preserved) {
        match preserved {
            Preserved::All => {}
            Preserved::None => self.of_functions.clear(),
            Preserved::These(types) => self.of_functions.retain(|(ty, _), _| types.contains(ty)),
        }
    }

    /// Drops all results for one function, for a pass that changes it and asks again.
    pub fn forget(&mut self, function: Function) {
        self.of_functions.retain(|(_, f), _| *f != function);
    }

    /// Provides a result that depends on no function, such as a target's cost model. It stays
    /// valid until another of its type takes its place.
    pub fn provide<A: 'static>(&mut self, result: A) {
        self.provided.insert(TypeId::of::<A>(), Rc::new(result));
    }

    /// The result of this type that was provided, if any was.
    pub fn provided<A: 'static>(&self) -> Option<Rc<A>> {
        let result = Rc::clone(self.provided.get(&TypeId::of::<A>())?);
        Some(result.downcast().expect("the key holds the type"))
    }
}
