//! The variables of the source, and the values that stores give them.

use super::Walker;
use super::interface::kind;
use ctm_codegen::graph::Id;
use ctm_codegen::ir::{Declared, Store};
use ctm_lang::program::interface::Kind;
use naga::{Function, GlobalVariable, Handle, LocalVariable, Type};
use std::collections::HashMap;
use std::ops::Range;

/// A variable of the module: of a function (`None`: of the entry point) or global.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Local(Option<Handle<Function>>, Handle<LocalVariable>),
    Global(Handle<GlobalVariable>),
}

/// The variables and their stores so far.
#[derive(Default)]
pub(super) struct Variables {
    pub declared: Vec<Declared>,
    pub stores: Vec<Store>,
    known: HashMap<Key, usize>,
    /// The variable and the component of each slot of memory.
    slots: Vec<Option<(usize, u32)>>,
    /// The number of branches around that are straight code: not every point is in them.
    pub branches: usize,
}

impl Variables {
    /// Memory from a slot on belongs to no variable.
    pub fn reserve(&mut self, slot: usize, size: usize) {
        self.slots.truncate(slot);
        self.slots.resize(size, None);
    }
}

impl Walker<'_, '_> {
    /// A part of memory is a variable.
    pub(super) fn declare(
        &mut self,
        key: Key,
        name: &str,
        function: &str,
        ty: Handle<Type>,
        span: naga::Span,
        memory: Range<usize>,
    ) {
        let variables = &mut self.variables;
        let scalar = self.module.types[ty].inner.scalar_kind();
        let n = *variables.known.entry(key).or_insert_with(|| {
            let origin = span.to_range().map_or(0, |range| range.start as u32);
            let kind = scalar.map_or(Kind::Float, kind);
            let components = memory.len() as u32;
            let (name, function) = (name.to_string(), function.to_string());
            variables.declared.push(Declared { name, function, origin, kind, components });
            variables.declared.len() - 1
        });
        for (component, owner) in (0..).zip(&mut variables.slots[memory]) {
            *owner = Some((n, component));
        }
    }

    /// Notes a store to memory.
    pub(super) fn note_store(&mut self, slot: usize, values: &[Id]) {
        let certain =
            self.variables.branches == 0 && self.regions.is_empty() && self.exits.is_empty();
        let origin = self.graph.origin;
        let Variables { slots, stores, .. } = &mut self.variables;
        for (owner, value) in slots[slot..].iter().zip(values) {
            if let Some((variable, component)) = *owner {
                let value = certain.then_some(*value);
                stores.push(Store { variable, component, origin, value });
            }
        }
    }
}
