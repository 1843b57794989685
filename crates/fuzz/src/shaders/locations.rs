//! The places of variables in a run, against the stores of [`ctm_compiler::evaluate`].

use super::check::{At, Compile, Data};
use ctm_base::stop::Stop;
use ctm_compiler::evaluate::{Evaluator, Stores};
use ctm_compiler::{Flow, Options};
use ctm_isa::float;
use ctm_lang::program::{Program, ValuePlace, Variable};
use ctm_machine::engine::Checked;
use ctm_machine::engine::reference::{GroupRun, GroupState};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The amounts that were compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Located {
    /// Components of variables of the source.
    pub components: u64,
    /// Those with a place at some instruction.
    pub located: u64,
    /// Values that were read from a run and compared.
    pub compared: u64,
}

/// The values of the stores of a point, by function, name, line of the declaration, component and line, in their order:
/// those of statements, and all.
type Values<'a> = HashMap<(&'a str, &'a str, u32, u32, u32), [Vec<u32>; 2]>;

fn values(stores: &Stores) -> Values<'_> {
    let mut values = Values::new();
    for store in &stores.stores {
        let (function, name, line) = &stores.variables[store.variable];
        let key = (&**function, &**name, *line, store.component, store.line);
        let [plain, all] = values.entry(key).or_default();
        if !store.joined {
            plain.push(store.value.bits);
        }
        all.push(store.value.bits);
    }
    values
}

/// The values that a location must have at a point, in the order in which the point comes by: a part of those of a line.
struct Expected {
    values: Vec<u32>,
    /// It is the first one everywhere.
    fixed: bool,
    /// The values before are over.
    next: usize,
    /// The value now, if the point is there, and the instruction before which it was seen.
    now: Option<(u32, u32)>,
}

impl Expected {
    /// The value before an instruction at which `found` is there.
    fn at(&mut self, pc: u32, start: u32, found: u32) -> u32 {
        if self.fixed {
            return self.values[0];
        }
        let stays = |(value, last): (u32, u32)| pc > last || pc != start && same(value, found);
        let now = self.now.filter(|now| stays(*now)).map(|(value, _)| value);
        let value = now.unwrap_or_else(|| {
            let left = &self.values[self.next.min(self.values.len())..];
            let nth = left.iter().position(|value| same(*value, found)).unwrap_or(0);
            self.next += nth + 1;
            // Another one, if none is left.
            left.get(nth).copied().unwrap_or(!found)
        });
        self.now = Some((value, pc));
        value
    }
}

/// Whether two numbers are the same to the machine.
fn same(a: u32, b: u32) -> bool {
    let [a, b] = [a, b].map(|bits| float::finish(bits, 0));
    a == b || float::is_nan(a) && float::is_nan(b)
}

/// Compiles a shader with exact rules, runs it with values by `seed`, and compares each place of each variable, before each
/// instruction, with what the evaluator stored. `None`: the compiler refuses the shader.
///
/// # Errors
/// A difference, or the run fails.
pub fn check(
    source: &str,
    seed: u64,
    flow: Flow,
    compile: Compile<'_>,
) -> Result<Option<Located>, String> {
    let options = Options { precise: true, flow, ..Options::default() };
    let Ok(compiled) = compile(source, &options) else { return Ok(None) };
    let image = compiled.image;
    let interface = image.interface.clone().ok_or("the program has no interface")?;
    let variables = image.source.get().map(|map| map.variables.clone()).unwrap_or_default();
    let data = Data::of(seed, true, &interface);
    let evaluator = Evaluator::new(source, "shader").map_err(|error| error.to_string())?;
    let program = Program::new(image).map_err(|error| format!("not valid: {error}"))?;
    let (launch, memory) = data.launch(program, &interface)?;
    let checked = Checked::new(&launch).map_err(|error| error.to_string())?;
    let mut located = Located::default();
    for variable in &variables {
        located.components += u64::from(variable.components);
        let mut components: Vec<u32> =
            variable.locations.iter().map(|location| location.component).collect();
        components.dedup();
        located.located += components.len() as u64;
    }
    // What each location must have at a point; `None` where `discard` ends it.
    let mut points: HashMap<(u32, u32), Option<Vec<Expected>>> = HashMap::new();
    for n in 0.. {
        let Some(mut run) = GroupRun::new(&checked, &memory, n) else { break };
        let constants = &launch.constants.float[..];
        let mut look = |group: &GroupState| {
            for slot in 0..64 {
                if (group.active() & group.covered()) >> slot & 1 == 0 {
                    continue;
                }
                let (i, j) = group.point(slot);
                if let Entry::Vacant(new) = points.entry((i, j)) {
                    let stores = evaluator.stores(&At(&data, [i, j]))?;
                    let values = (!stores.killed).then(|| expected(&variables, &stores));
                    new.insert(values.transpose()?);
                }
                if let Some(Some(values)) = points.get_mut(&(i, j)) {
                    located.compared += compare(&variables, values, group, slot, constants)?;
                }
            }
            Ok::<(), String>(())
        };
        let mut wrong = look(run.moment().group).err();
        let done = run.advance(&checked, &memory, Stop::never(), None, &mut |moment| {
            if moment.end.is_none() && wrong.is_none() {
                wrong = look(moment.group).err();
            }
            wrong.is_none()
        });
        done.map_err(|why| why.to_string())?;
        if let Some(text) = wrong {
            return Err(text);
        }
    }
    Ok(Some(located))
}

/// The values that each location of each variable must have at a point.
fn expected(variables: &[Variable], stores: &Stores) -> Result<Vec<Expected>, String> {
    let values = values(stores);
    let mut expected = Vec::new();
    for Variable { function, name, line, locations, .. } in variables {
        for location in locations {
            let key = (&**function, &**name, *line, location.component, location.line);
            let [plain, all] = values.get(&key).cloned().unwrap_or_default();
            let values = match location.nth {
                Some(nth) => {
                    let value = plain.get(nth as usize).copied();
                    let missing = || format!("{function} {name}: not stored: {location:?}");
                    vec![value.ok_or_else(missing)?]
                }
                None => all,
            };
            expected.push(Expected { values, fixed: location.nth.is_some(), next: 0, now: None });
        }
    }
    Ok(expected)
}

/// Compares the places of variables before the next instruction of a group, for the point in a slot.
fn compare(
    variables: &[Variable],
    values: &mut [Expected],
    group: &GroupState,
    slot: usize,
    constants: &[[u32; 4]],
) -> Result<u64, String> {
    let (mut compared, pc) = (0, group.pc());
    let all = variables.iter().flat_map(|one| one.locations.iter().map(move |at| (one, at)));
    for ((variable, location), expected) in all.zip(values) {
        if !location.slots.contains(&pc) {
            expected.now = None;
            continue;
        }
        let found = location.value(|place| match place {
            ValuePlace::Temp(n, channel) => group.temp(slot, n.into())[channel as usize],
            ValuePlace::Constant(n, channel) => constants[n as usize][channel as usize],
            ValuePlace::Literal(bits) => bits,
        });
        let value = expected.at(pc, location.slots.start, found);
        if !same(value, found) {
            let ([a, b], point) = ([value, found].map(f32::from_bits), group.point(slot));
            let Variable { function, name, .. } = variable;
            return Err(format!(
                "{function} {name}, pc {pc}, point {point:?}: {b:?}, expected {a:?} of {:?}: {location:?}",
                expected.values
            ));
        }
        compared += 1;
    }
    Ok(compared)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a point that finds values before instructions, in this order, is right.
    fn fits(values: &[u32], found: &[(u32, u32)]) -> bool {
        let mut expected = Expected { values: values.to_vec(), fixed: false, next: 0, now: None };
        found.iter().all(|(pc, found)| same(expected.at(*pc, 3, *found), *found))
    }

    #[test]
    fn a_value_of_another_iteration_is_found() {
        let [a, b, c] = [1.0f32, 2.0, 3.0].map(f32::to_bits);
        // Three iterations from pc 3 on; the second is not seen; a loop inside.
        assert!(fits(&[a, b, c], &[(3, a), (4, a), (3, b), (3, c)]));
        assert!(fits(&[a, b, c], &[(3, a), (3, c)]));
        assert!(fits(&[a, b], &[(3, a), (5, a), (4, a), (5, a), (3, b)]));
        assert!(!fits(&[a, b, c], &[(3, a), (4, b)]));
        assert!(!fits(&[a, b, c], &[(3, a), (3, a)]));
        assert!(!fits(&[a, b, c], &[(3, b), (3, a)]));
        assert!(!fits(&[a], &[(3, a), (3, b)]));
    }
}
