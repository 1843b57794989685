//! Scopes and variables: the state of one point, and what its launch reads and writes.

use super::bodies::{Scope, Variable, list};
use super::requests::Variables;
use super::{MOST, index};
use anyhow::{Context, Error, bail};
use ctm_inspect::debug::{Component, Expression, Lane, Session};
use ctm_isa::isa::{LETTERS, OUTPUTS, TEMPORARIES};
use ctm_lang::program::{ConstantKind, Image, NameKind};
use ctm_machine::memory::{self, Surface};
use serde_json::Value;

/// All channels of a register.
const ALL: u8 = 0xf;

/// A variable with children. Its reference is its number in a list, from 1, until the session
/// moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Parent {
    /// The variables of the source.
    Source,
    /// The components of one, by its place in the list and its expression.
    Components(usize, String),
    Registers,
    Predicates,
    Outputs,
    Constants,
    Surfaces,
    /// A register by its expression: its channels, and which of them.
    Channels(String, u8),
    /// Input (`true`) or output n: its elements.
    Elements(bool, usize),
}

/// The references that were given out, each with the slot of its point.
#[derive(Default)]
pub struct References(Vec<(usize, Parent)>);

impl References {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn of(&mut self, slot: usize, parent: Parent) -> usize {
        let found = self.0.iter().position(|known| *known == (slot, parent.clone()));
        found.unwrap_or_else(|| {
            self.0.push((slot, parent));
            self.0.len() - 1
        }) + 1
    }

    pub fn get(&self, reference: i64) -> anyhow::Result<(usize, Parent)> {
        let found = index(reference).and_then(|n| self.0.get(n)).cloned();
        found.with_context(|| format!("variablesReference {reference}: there is none"))
    }
}

/// The scopes of a point.
pub fn scopes(references: &mut References, slot: usize, image: &Image) -> anyhow::Result<Value> {
    let has_source = image.source.get().is_some_and(|map| !map.variables.is_empty());
    let all = [
        ("Variables", Parent::Source),
        ("Registers", Parent::Registers),
        ("Predicates", Parent::Predicates),
        ("Outputs", Parent::Outputs),
        ("Constants", Parent::Constants),
        ("Surfaces", Parent::Surfaces),
    ];
    let scope = |(name, parent)| {
        let presentation_hint = match parent {
            Parent::Source => Some("locals"),
            Parent::Registers => Some("registers"),
            _ => None,
        };
        let variables_reference = references.of(slot, parent);
        Scope { name, variables_reference, expensive: false, presentation_hint }
    };
    let all = all.into_iter().filter(|(_, parent)| *parent != Parent::Source || has_source);
    list("scopes", all.map(scope))
}

/// The children of a reference, for the point of the slot, at which the session looks.
pub fn variables(
    session: &Session<'_>,
    references: &mut References,
    request: &Variables,
) -> anyhow::Result<Value> {
    let (slot, parent) = references.get(request.variables_reference)?;
    let is_indexed = matches!(parent, Parent::Elements(..));
    match request.filter.as_deref() {
        None => {}
        Some(filter @ ("indexed" | "named")) if (filter == "indexed") == is_indexed => {}
        Some("indexed" | "named") => return list("variables", [(); 0]),
        Some(other) => bail!("filter: expected \"indexed\" or \"named\", found \"{other}\""),
    }
    let mut shown = Shown { session, references, slot };
    let all = match parent {
        Parent::Source => shown.source(),
        Parent::Components(n, _) => shown.components(n),
        Parent::Registers => shown.registers(),
        Parent::Predicates => shown.predicates(),
        Parent::Outputs => shown.outputs(),
        Parent::Constants => shown.constants(),
        Parent::Surfaces => shown.surfaces(),
        Parent::Channels(register, mask) => shown.channels(&register, mask)?,
        Parent::Elements(is_input, n) => {
            return shown.elements(is_input, n, request.start, request.count);
        }
    };
    let start = usize::try_from(request.start).unwrap_or(usize::MAX);
    let count = usize::try_from(request.count).ok().filter(|&n| n > 0).unwrap_or(usize::MAX);
    list("variables", all.into_iter().skip(start).take(count))
}

/// A variable without more to say.
fn variable(name: &str, value: String, expression: String, variables_reference: usize) -> Variable {
    let (name, evaluate_name) = (name.to_string(), Some(expression));
    Variable { name, value, evaluate_name, variables_reference, ..Variable::default() }
}

struct Shown<'s, 'p> {
    session: &'s Session<'p>,
    references: &'s mut References,
    slot: usize,
}

impl Shown<'_, '_> {
    /// The lanes of a register by its expression, of those in `mask`.
    fn lanes(&self, register: &str, mask: u8) -> anyhow::Result<Vec<(usize, Lane)>> {
        let expression = Expression::parse(register, self.session.image()).map_err(Error::msg)?;
        let value = self.session.evaluate(&expression)?;
        let lanes = value.0.into_iter().enumerate();
        Ok(lanes.filter(|(channel, _)| mask >> channel & 1 != 0).collect())
    }

    fn source(&mut self) -> Vec<Variable> {
        let mut all = Vec::new();
        for (n, one) in self.session.variables().into_iter().enumerate() {
            let value = format!("{one}{}", self.session.ranges(&one.components));
            let name = one.name.clone();
            let expression = one.expression.clone().unwrap_or_default();
            let reference = match one.components.len() {
                1 => 0,
                _ => self.references.of(self.slot, Parent::Components(n, expression)),
            };
            let (evaluate_name, variables_reference) = (one.expression, reference);
            all.push(Variable {
                name,
                value,
                evaluate_name,
                variables_reference,
                ..Variable::default()
            });
        }
        all
    }

    fn components(&self, n: usize) -> Vec<Variable> {
        let Some(one) = self.session.variables().into_iter().nth(n) else { return Vec::new() };
        let range = |component: &Component| self.session.ranges(std::slice::from_ref(component));
        let component = |component: &Component| Variable {
            name: component.suffix.trim_start_matches('.').to_string(),
            value: format!("{component}{}", range(component)),
            evaluate_name: one
                .expression
                .as_ref()
                .map(|name| format!("{name}{}", component.suffix)),
            ..Variable::default()
        };
        one.components.iter().map(component).collect()
    }

    /// A register with the channels in `mask` as children; a single number has none.
    fn register(&mut self, name: &str, register: String, mask: u8) -> Variable {
        let register = Expression::of_register(&register, self.session.image());
        let lanes = self.lanes(&register, mask);
        let ranges = self.session.ranges_of_register(&register);
        let (value, text, reference) = match lanes.as_deref() {
            Err(why) => (why.to_string(), register, 0),
            Ok([(_, lane)]) if mask == ALL => (lane.to_string(), register, 0),
            Ok([(channel, lane)]) => {
                (lane.to_string(), format!("{register}.{}", LETTERS[*channel]), 0)
            }
            Ok(lanes) => {
                let numbers: Vec<String> = lanes.iter().map(|(_, lane)| lane.to_string()).collect();
                let channels = Parent::Channels(register.clone(), mask);
                let value = numbers.join(", ") + &ranges;
                (value, register, self.references.of(self.slot, channels))
            }
        };
        variable(name, value, text, reference)
    }

    fn name(&self, kind: NameKind, n: usize) -> Option<String> {
        self.session.image().name_of(kind, n as u32).map(str::to_string)
    }

    fn titled(&self, register: String, kind: NameKind, n: usize) -> String {
        match self.name(kind, n) {
            Some(name) => format!("{register} {name}"),
            None => register,
        }
    }

    fn registers(&mut self) -> Vec<Variable> {
        let mut all = Vec::new();
        for n in 0..TEMPORARIES {
            let is_zero = self.session.moment().group.temp(self.slot, n) == [0; 4];
            let register = format!("r{n}");
            let title = match self.session.holders(n) {
                Some(held) => format!("{register}{held}"),
                None => self.titled(register.clone(), NameKind::Temp, n),
            };
            if !is_zero || title != register {
                all.push(self.register(&title, register, ALL));
            }
        }
        all.push(self.register("aL", "aL".into(), ALL));
        all
    }

    fn predicates(&mut self) -> Vec<Variable> {
        ["p", "alu"].map(|text| self.register(text, text.into(), ALL)).into()
    }

    fn outputs(&mut self) -> Vec<Variable> {
        let mut all = Vec::new();
        for n in 0..OUTPUTS {
            let written = self.session.moment().group.written(self.slot, n);
            if written != 0 {
                let mask = (0..4).filter(|c| written >> c & 1 != 0).map(|c| LETTERS[c]);
                let mask: String = mask.collect();
                let title = self.titled(format!("o{n}.{mask}"), NameKind::Output, n);
                all.push(self.register(&title, format!("o{n}"), written));
            }
        }
        all
    }

    fn constants(&mut self) -> Vec<Variable> {
        let mut all = Vec::new();
        for (kind, letter) in ConstantKind::ALL.into_iter().zip(['c', 'n', 'b']) {
            for n in self.session.launch().program.uses().constants(kind) {
                let register = format!("{letter}{n}");
                let title = self.titled(register.clone(), kind.into(), n as usize);
                let mut variable = self.register(&title, register, ALL);
                if kind == ConstantKind::Int {
                    let int = &self.session.launch().constants.int[n as usize];
                    let (count, start, step) = (int.count, int.start, int.step);
                    variable.value = format!("count {count}, start {start}, step {step}");
                }
                all.push(variable);
            }
        }
        all
    }

    fn surface(&self, is_input: bool, n: usize) -> Option<Surface> {
        let launch = self.session.launch();
        let surfaces = if is_input { &launch.inputs[..] } else { &launch.outputs[..] };
        *surfaces.get(n)?
    }

    fn surfaces(&mut self) -> Vec<Variable> {
        let launch = self.session.launch();
        let mut all = Vec::new();
        let inputs = (true, launch.inputs.len(), 'i', NameKind::Input);
        let outputs = (false, launch.outputs.len(), 'o', NameKind::Output);
        for (is_input, count, letter, kind) in [inputs, outputs] {
            for n in 0..count {
                let Some(surface) = self.surface(is_input, n) else { continue };
                let Surface { base, width, height, format, tiling, .. } = surface;
                let reference = self.references.of(self.slot, Parent::Elements(is_input, n));
                all.push(Variable {
                    name: self.titled(format!("{letter}{n}"), kind, n),
                    value: format!("{width} x {height}, {format}, {tiling}, at {base:#010x}"),
                    evaluate_name: None,
                    variables_reference: reference,
                    indexed_variables: Some(u64::from(width) * u64::from(height)),
                    memory_reference: Some(format!("{base:#010x}")),
                });
            }
        }
        all
    }

    fn channels(&self, register: &str, mask: u8) -> anyhow::Result<Vec<Variable>> {
        let channel = |(channel, lane): (usize, Lane)| {
            let letter = LETTERS[channel];
            let value = match lane.bits {
                Some(bits) => format!("{lane} ({bits:08x})"),
                None => lane.to_string(),
            };
            let text = format!("{register}.{letter}");
            let value = value + &self.session.ranges_of_register(&text);
            variable(&letter.to_string(), value, text, 0)
        };
        Ok(self.lanes(register, mask)?.into_iter().map(channel).collect())
    }

    fn elements(&self, is_input: bool, n: usize, start: u64, count: u64) -> anyhow::Result<Value> {
        let Some(surface) = self.surface(is_input, n) else { return list("variables", [(); 0]) };
        let Surface { width, height, .. } = surface;
        let total = u64::from(width) * u64::from(height);
        let count = if count == 0 { total.saturating_sub(start).min(MOST) } else { count };
        if count > MOST {
            bail!("count: {count} is more than {MOST}");
        }
        let letter = if is_input { 'i' } else { 'o' };
        let mut variables = Vec::new();
        for at in start..total.min(start.saturating_add(count)) {
            let (i, j) = ((at % u64::from(width)) as u32, (at / u64::from(width)) as u32);
            let channels = if is_input {
                Some(memory::load(self.session.memory(), &surface, i, j).channels)
            } else {
                self.session.element(n, i, j)
            };
            let numbers = channels.into_iter().flatten().map(|n| f32::from_bits(n).to_string());
            let numbers = numbers.collect::<Vec<_>>().join(", ");
            let at = format!("[{i},{j}]");
            variables.push(variable(&at, numbers, format!("{letter}{n}{at}"), 0));
        }
        list("variables", variables)
    }
}
