//! Results of analyses, kept for as long as they hold.

use llvm::{Function, Module};
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::rc::Rc;

/// Something that can be computed of a function.
pub trait FunctionAnalysis: Sized + 'static {
    fn compute(module: &Module, function: Function, analyses: &mut Analyses) -> Self;
}

/// The results that are known to hold now.
#[derive(Default)]
pub struct Analyses(HashMap<(TypeId, Function), Rc<dyn Any>>);

/// What a pass left untouched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preserved {
    /// The IR is as it was.
    All,
    /// Anything may have changed.
    None,
    /// These analyses (see [`Preserved::these`]) still hold for every function.
    These(Vec<TypeId>),
}

impl Preserved {
    /// Nothing changed in the shape of any function's control flow.
    pub fn control_flow() -> Self {
        use crate::{Cfg, Dominators, PostDominators};
        Preserved::These(vec![
            TypeId::of::<Cfg>(),
            TypeId::of::<Dominators>(),
            TypeId::of::<PostDominators>(),
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

    /// Forgets what a pass did not preserve.
    pub fn retain(&mut self, preserved: &Preserved) {
        match preserved {
            Preserved::All => {}
            Preserved::None => self.0.clear(),
            Preserved::These(types) => self.0.retain(|(ty, _), _| types.contains(ty)),
        }
    }

    /// Forgets everything about one function, for a pass that changes it and asks again.
    pub fn forget(&mut self, function: Function) {
        self.0.retain(|(_, f), _| *f != function);
    }
}
