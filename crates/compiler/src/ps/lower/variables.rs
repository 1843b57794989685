//! The registers of a shader are its variables: what they hold from the start, what steps give them, and what branches and
//! loops leave in them.

use super::{Lowering, Register, RegisterChannel};
use ctm_codegen::graph::Id;
use ctm_codegen::ir::{Declared, Store};
use ctm_lang::program::interface::Kind;

impl Lowering<'_> {
    /// The shader's name of a register; none of those that hold parts of instructions.
    pub(super) fn name(&self, register: Register) -> Option<String> {
        match register {
            Register::Temp(n) => {
                let own = self.names.iter().find(|name| name.number == u32::from(n));
                own.map(|own| own.name.clone())
            }
            Register::Output(n) => Some(format!("oC{n}")),
            Register::Predicate => Some("p0".to_string()),
        }
    }

    fn variable(&mut self, name: String, kind: Kind) -> usize {
        let known = self.variables.iter().position(|one| one.name == name);
        known.unwrap_or_else(|| {
            let function = String::new();
            self.variables.push(Declared { name, function, origin: 0, kind, components: 4 });
            self.variables.len() - 1
        })
    }

    /// Notes what a register holds from the start.
    pub(super) fn start(&mut self, name: String, channel: usize, value: Id) {
        let (variable, component) = (self.variable(name, Kind::Float), channel as u32);
        let same = |one: &Store| (one.variable, one.component) == (variable, component);
        if !self.starts.iter().any(same) {
            let (origin, block, value, joined) = (0, 0, Some(value), false);
            self.starts.push(Store { variable, component, origin, block, value, joined });
        }
    }

    /// Notes what a step at an offset gives a register, or what a branch or a loop leaves in it.
    pub(super) fn note(&mut self, place: RegisterChannel, value: Id, origin: u32, joined: bool) {
        let (register, channel) = place;
        let Some(name) = self.name(register) else { return };
        let kind = if register == Register::Predicate { Kind::Bool } else { Kind::Float };
        let (variable, component) = (self.variable(name, kind), channel as u32);
        let graph = &self.graph;
        let mut paths = self.paths.iter().chain([&self.path]).flatten();
        let value = paths.all(|path| graph.is(*path, 1.0)).then_some(value);
        let block = self.flow.blocks.len() - 1;
        self.values.push(Store { variable, component, origin, block, value, joined });
    }

    /// The offset of the next step.
    pub(super) fn here(&self) -> u32 {
        let next = self.expansion.steps.get(self.at);
        next.map_or(self.graph.origin, |located| located.span.start as u32)
    }
}
