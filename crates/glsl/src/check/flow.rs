//! The parts of variables that are written at each place: for warnings of uses without a value.

use super::Checker;
use super::operand::LValue;
use super::scope::{Home, Kind, VariableId};
use crate::types::Type;
use ctm_base::text::{Diagnostic, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The parts of a variable that have a value: a bit for each component; of what is no vector, one for all.
pub type Parts = u8;

/// All parts.
const ALL: Parts = 0xf;

/// The writes of some statements: the parts that then have a value.
pub type Changes = BTreeMap<VariableId, Parts>;

/// The variables that have a value on every path to the place that is looked at. Loops count as if they ran at least once.
#[derive(Debug, Default)]
pub struct Paths {
    /// The parts of each variable that have a value.
    here: Vec<Parts>,
    /// Their state before each change.
    trail: Vec<(VariableId, Parts)>,
    /// The outputs that have a value wherever the function has returned so far.
    returned: Option<Changes>,
    /// The outputs that the function writes anywhere.
    outputs: BTreeSet<VariableId>,
    /// The errors of the source before the function.
    errors: usize,
    /// The statements so far that may leave a loop or the function.
    pub jumps: usize,
}

/// The surroundings of a place, which decide whether the first turn of the loops around reaches it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// The loops around.
    loops: usize,
    /// The branches around.
    branches: usize,
    /// The statements before that may leave a loop or the function.
    jumps: usize,
}

/// The facts about the paths through a function.
#[derive(Debug, Default)]
pub struct Ends {
    /// The outputs that have a value at every end of the function.
    pub written: Changes,
    /// The outputs that it writes anywhere.
    pub outputs: BTreeSet<VariableId>,
}

impl Paths {
    fn parts(&self, id: VariableId) -> Parts {
        self.here.get(id).copied().unwrap_or_default()
    }

    fn add(&mut self, id: VariableId, parts: Parts) {
        if self.here.len() <= id {
            self.here.resize(id + 1, 0);
        }
        let old = self.here[id];
        if old | parts != old {
            self.trail.push((id, old));
            self.here[id] = old | parts;
        }
    }

    /// A place that [`Paths::since`] goes back to.
    pub fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Goes back, and returns what has changed.
    pub fn since(&mut self, mark: usize) -> Changes {
        let mut changes = Changes::new();
        while self.trail.len() > mark {
            if let Some((id, old)) = self.trail.pop() {
                changes.entry(id).or_insert(self.here[id]);
                self.here[id] = old;
            }
        }
        changes
    }

    /// Goes on after two paths, each with whether it has ended.
    pub fn join(&mut self, first: (Changes, bool), second: (Changes, bool)) {
        let both = match (first.1, second.1) {
            (true, _) => second.0,
            (false, true) => first.0,
            (false, false) => {
                let common =
                    first.0.iter().filter_map(|(id, parts)| Some((*id, parts & second.0.get(id)?)));
                common.collect()
            }
        };
        self.again(&both);
    }

    /// Makes changes again.
    pub fn again(&mut self, changes: &Changes) {
        changes.iter().for_each(|(id, parts)| self.add(*id, *parts));
    }

    /// The function returns here.
    pub fn returns(&mut self) {
        let own: Changes = self.outputs.iter().map(|id| (*id, self.parts(*id))).collect();
        self.returned = Some(match self.returned.take() {
            None => own,
            Some(others) => others
                .into_iter()
                .filter_map(|(id, parts)| Some((id, parts & own.get(&id)?)))
                .collect(),
        });
    }

    /// Begins a function, after that many errors of the source. What [`Paths::end`] takes.
    pub fn begin(&mut self, errors: usize) -> (usize, Option<Changes>, BTreeSet<VariableId>) {
        self.errors = errors;
        (self.mark(), self.returned.take(), std::mem::take(&mut self.outputs))
    }

    /// Ends a function that began.
    pub fn end(&mut self, outer: (usize, Option<Changes>, BTreeSet<VariableId>)) -> Ends {
        self.since(outer.0);
        let written = std::mem::replace(&mut self.returned, outer.1).unwrap_or_default();
        let outputs = std::mem::replace(&mut self.outputs, outer.2);
        Ends { written, outputs }
    }
}

impl Checker<'_> {
    /// The parts of its variable that a place has.
    fn parts(&self, place: &LValue) -> Parts {
        match (&self.scopes.variables[place.variable].ty, &place.components) {
            (Type::Vector(..), Some(components)) => {
                components.iter().fold(0, |parts, n| parts | 1 << n)
            }
            (Type::Vector(_, size), None) => (1 << size) - 1,
            _ => ALL,
        }
    }

    /// Warns of a path through the function, unless the function has errors: their statements are not on its paths.
    pub fn path_warning(&mut self, warning: Diagnostic) {
        if self.found.errors.len() == self.paths.errors {
            self.found.warning(warning);
        }
    }

    /// Notes that a place is written.
    pub fn writes(&mut self, place: &LValue, span: Span) {
        let parts = self.parts(place);
        let variable = &mut self.scopes.variables[place.variable];
        if variable.kind == Kind::Output && !variable.written {
            self.stores.push((place.variable, span));
        }
        variable.written = true;
        if variable.kind == Kind::Output {
            self.paths.outputs.insert(place.variable);
        }
        self.paths.add(place.variable, parts);
    }

    /// Notes that a variable has a value from its declaration on.
    pub fn has_value(&mut self, id: VariableId) {
        self.scopes.variables[id].written = true;
        self.paths.add(id, ALL);
    }

    /// Warns of `out` parameters that are not written.
    pub fn parameters_have_values(&mut self, parameters: &[VariableId], function: Span) {
        for id in parameters {
            let variable = &self.scopes.variables[*id];
            if !variable.written {
                let text = format!("the `out` parameter `{}` is never written", variable.name);
                let help = "its argument is then undefined: assign a value to it";
                self.path_warning(function.error(text).help(help));
            }
        }
    }

    /// Notes what a call writes.
    pub fn writes_outputs(&mut self, outputs: &BTreeSet<VariableId>) {
        for id in outputs {
            self.paths.outputs.insert(*id);
            self.paths.add(*id, ALL);
        }
    }

    /// The surroundings of this place.
    pub fn reached(&self) -> Reached {
        let (loops, jumps) = (self.loops, self.paths.jumps);
        // Each loop has one block of its own.
        Reached { loops, branches: self.body.depth().saturating_sub(loops), jumps }
    }

    /// Warns of a place that is read before it has a value.
    pub fn reads(&mut self, place: &LValue, span: Span) {
        let parts = self.parts(place);
        let missing = parts & !self.paths.parts(place.variable);
        let here = self.reached();
        let variable = &mut self.scopes.variables[place.variable];
        if variable.kind != Kind::Plain {
            return;
        }
        match variable.home {
            // Another function may write it, which is known at the end.
            Home::Global(_) => {
                variable.read.get_or_insert(span);
            }
            // In a loop, what is written below may be read in the next turn. What is certain is a read in the first turn,
            // wherever that begins, before anything is written.
            Home::Local(_) | Home::Argument(_)
                if missing != 0
                    && (variable.place.loops == here.loops
                        || !variable.written
                            && Reached { loops: here.loops, ..variable.place } == here) =>
            {
                let every = variable.written;
                let (name, at) = (variable.name.clone(), variable.span);
                self.paths.add(place.variable, ALL);
                let text = if every {
                    format!("`{name}` is read where it has no value on some path")
                } else {
                    format!("`{name}` is read before a value is written to it")
                };
                let line = self.line(at);
                let help = format!("it is declared on line {line}: give it a value there");
                self.path_warning(span.error(text).help(help));
            }
            Home::Local(_) | Home::Argument(_) | Home::Constant(_) => {}
        }
    }

    /// Warns of variables of the shader that are read and never written.
    pub fn globals_have_values(&mut self) {
        let read = self.scopes.variables.iter().filter_map(|variable| {
            let global = matches!(variable.home, Home::Global(_)) && !variable.written;
            let span = variable.read.filter(|_| global)?;
            let text = format!("`{}` is read, and no value is written to it", variable.name);
            let line = self.line(variable.span);
            let help = format!("it is declared on line {line}: give it a value there");
            Some(span.error(text).help(help))
        });
        let read: Vec<_> = read.collect();
        self.found.all_warnings(read);
    }

    /// Warns of outputs that a shader does not write, or not on every path. `main` is its name, `end` what has a value at the
    /// end of it.
    pub fn outputs_have_values(&mut self, main: Span, end: &Changes) {
        let outputs: Vec<VariableId> = (0..self.scopes.variables.len())
            .filter(|id| self.scopes.variables[*id].kind == Kind::Output)
            .collect();
        if !outputs.iter().any(|id| self.scopes.variables[*id].written) {
            if !self.discards {
                let help = if self.version.has(300, 420) {
                    "declare one, as `out vec4 color;`, and assign a value to it"
                } else {
                    "assign a value to `gl_FragColor`"
                };
                self.found.warning(main.error("the shader writes no output").help(help));
            }
            return;
        }
        for id in outputs {
            let variable = &self.scopes.variables[id];
            let name = &variable.name;
            // Of an array, any element counts; those of the language exist only where they are used.
            if !variable.written {
                let warning = variable.span.error(format!("the output `{name}` is never written"));
                self.found.warning(warning.help("assign a value to it, or leave it out"));
            } else if end.get(&id).is_none_or(|parts| *parts == 0) {
                let warning =
                    main.error(format!("the output `{name}` is not written on every path"));
                let help = "it is undefined on the others: assign a value at the start of `main`";
                self.found.warning(warning.help(help));
            }
        }
    }
}
