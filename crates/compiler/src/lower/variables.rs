//! The variables of the source, and the values that stores give them.

use super::interface::kind;
use super::{Frame, Value, Walker};
use ctm_codegen::graph::Id;
use ctm_codegen::ir::{Declared, Store};
use ctm_lang::program::interface::Kind;
use naga::{Expression, Function, GlobalVariable, Handle, LocalVariable, TypeInner};
use std::collections::HashMap;
use std::ops::Range;

/// A variable of the module, or a name that WGSL gives a value: of a function (`None`: of the entry point) or global.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Local(Option<Handle<Function>>, Handle<LocalVariable>),
    Named(Option<Handle<Function>>, Handle<Expression>),
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

impl<'m> Walker<'m, '_> {
    /// A part of memory is a variable.
    pub(super) fn declare(
        &mut self,
        key: Key,
        name: &str,
        function: &str,
        ty: &TypeInner,
        span: naga::Span,
        memory: Range<usize>,
    ) {
        let n = self.variable(key, name, function, ty, span, memory.len());
        for (component, owner) in (0..).zip(&mut self.variables.slots[memory]) {
            *owner = Some((n, component));
        }
    }

    /// The number of a variable.
    fn variable(
        &mut self,
        key: Key,
        name: &str,
        function: &str,
        ty: &TypeInner,
        span: naga::Span,
        size: usize,
    ) -> usize {
        let Variables { known, declared, .. } = &mut self.variables;
        *known.entry(key).or_insert_with(|| {
            let origin = span.to_range().map_or(0, |range| range.start as u32);
            let kind = ty.scalar_kind().map_or(Kind::Float, kind);
            let components = size as u32;
            let (name, function) = (name.to_string(), function.to_string());
            declared.push(Declared { name, function, origin, kind, components });
            declared.len() - 1
        })
    }

    /// Notes a value of a component of a variable.
    fn note_value(
        &mut self,
        variable: usize,
        component: u32,
        origin: u32,
        value: Id,
        joined: bool,
    ) {
        let certain = self.variables.branches == 0 && self.exits.is_empty();
        let (block, value) = (self.here_now(), certain.then_some(value));
        self.variables.stores.push(Store { variable, component, origin, block, value, joined });
    }

    /// Notes a store to memory.
    pub(super) fn note_store(&mut self, slot: usize, values: &[Id]) {
        let origin = self.graph.origin;
        for (n, value) in values.iter().enumerate() {
            if let Some((variable, component)) = self.variables.slots[slot + n] {
                self.note_value(variable, component, origin, *value, false);
            }
        }
    }

    /// Notes the values that a branch or a loop at an offset of the source leaves in memory, or a loop begins an iteration
    /// with.
    pub(super) fn note_joins(&mut self, before: &[Id], origin: u32) {
        for (slot, old) in before.iter().enumerate() {
            let value = self.memory[slot];
            if let Some((variable, component)) =
                self.variables.slots[slot].filter(|_| value != *old)
            {
                self.note_value(variable, component, origin, value, true);
            }
        }
    }

    /// A block that held the last stores is gone.
    pub(super) fn forget_stores(&mut self) {
        let block = self.flow.blocks.len();
        for store in self.variables.stores.iter_mut().rev() {
            if store.block < block {
                break;
            }
            store.value = None;
        }
    }

    /// Notes the value of an expression that has a name, as WGSL's `let` and parameters.
    pub(super) fn note_named(
        &mut self,
        frame: &Frame<'m>,
        handle: Handle<Expression>,
        value: &Value,
    ) {
        let Some(name) = frame.function.named_expressions.get(&handle) else { return };
        let Value::Scalars(values) = value else { return };
        let span = frame.function.expressions.get_span(handle);
        self.locate(span);
        let origin = self.graph.origin;
        let key = Key::Named(self.calls.last().copied(), handle);
        let function = frame.function.name.as_deref().unwrap_or_default();
        let ty = frame.typifier.get(handle, &self.module.types);
        let variable = self.variable(key, name, function, ty, span, values.len());
        for (component, value) in (0..).zip(&**values) {
            self.note_value(variable, component, origin, *value, false);
        }
    }
}
