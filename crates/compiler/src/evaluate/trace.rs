//! The stores to the variables of the source.

use super::{Store, Stores};
use ctm_base::text::SourceText;
use ctm_functions::number::Number;
use std::collections::HashMap;

/// The stores to variables so far.
pub(super) struct Trace<'t> {
    text: &'t SourceText,
    /// The offset of the source of the statement or expression that runs; 0 if it has none.
    pub origin: u32,
    known: HashMap<(String, String, u32), usize>,
    /// The variable and the component of each slot of memory.
    slots: Vec<Option<(usize, u32)>>,
    stores: Stores,
}

impl Trace<'_> {
    pub fn of(text: &SourceText) -> Trace<'_> {
        let (known, slots, stores) = (HashMap::new(), Vec::new(), Stores::default());
        Trace { text, origin: 0, known, slots, stores }
    }

    /// Notes what runs.
    pub fn locate(&mut self, span: naga::Span) {
        if let Some(range) = span.to_range() {
            self.origin = range.start as u32;
        }
    }

    fn line(&self, origin: u32) -> u32 {
        if origin == 0 { 0 } else { self.text.line_of(origin as usize).0 }
    }

    /// Memory from a slot on is a variable.
    pub fn declare(
        &mut self,
        function: &str,
        name: &str,
        span: naga::Span,
        base: usize,
        size: usize,
    ) {
        let line = self.line(span.to_range().map_or(0, |range| range.start as u32));
        let key = (function.to_string(), name.to_string(), line);
        let n = *self.known.entry(key.clone()).or_insert_with(|| {
            self.stores.variables.push(key);
            self.stores.variables.len() - 1
        });
        self.free(base);
        self.slots.resize(base, None);
        self.slots.extend((0..size as u32).map(|component| Some((n, component))));
    }

    /// Memory from a slot on is no variable any more.
    pub fn free(&mut self, base: usize) {
        self.slots.truncate(base);
    }

    /// Notes a store to memory.
    pub fn store(&mut self, base: usize, values: &[Number]) {
        self.note(self.origin, base, values, false);
    }

    /// Notes all of memory, after the branch or loop at an offset of the source or at the start of an iteration of it.
    pub fn join(&mut self, origin: u32, memory: &[Number]) {
        self.note(origin, 0, memory, true);
    }

    fn note(&mut self, origin: u32, base: usize, values: &[Number], joined: bool) {
        let line = self.line(origin);
        let slots = self.slots.get(base..).unwrap_or_default();
        for (owner, value) in slots.iter().zip(values) {
            if let Some((variable, component)) = *owner {
                self.stores.stores.push(Store { variable, component, line, value: *value, joined });
            }
        }
    }

    /// All stores.
    pub fn stores(self, killed: bool) -> Stores {
        Stores { killed, ..self.stores }
    }
}
