//! The variables of the source at the next instruction: their values, and where these are.
//!
//! An instruction serves parts of several statements. The value of a variable is that of the last store before the
//! instruction's line which a register, a constant or the program itself holds; the line of that store is shown.

use super::expression::{Lane, Scope, Value};
use super::session::Session;
use super::show::called;
use ctm_base::text::printable;
use ctm_isa::isa::{LETTERS, Place};
use ctm_lang::program::interface::Kind;
use ctm_lang::program::{Image, NameKind, ValuePlace, Variable, VariableLocation};
use std::fmt;

/// The most components that a line shows.
const SHOWN: usize = 16;

/// A variable of the source at the next instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceVariable {
    /// Its name, with its function if another variable has the same one.
    pub name: String,
    /// The name by which an expression finds it.
    pub expression: Option<String>,
    /// Its components.
    pub components: Vec<Component>,
}

/// A component of a variable at the next instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// The text after the variable's name: `.x` to `.w` of up to four, `[0]` of more, nothing if there is one.
    pub suffix: String,
    /// Its value; `None`: it is optimised away.
    pub found: Option<Found>,
}

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The value.
    pub lane: Lane,
    /// Its place, such as `r3.g`, `-c1.r uniform`, `constant`.
    pub place: String,
    /// The line of its store; 0: it is there from the start.
    pub line: u32,
    /// The line of a later store whose value is optimised away.
    pub later: Option<u32>,
    location: VariableLocation,
}

impl Found {
    pub(super) fn location(&self) -> &VariableLocation {
        &self.location
    }

    /// The lines as text.
    fn store(&self) -> String {
        let own = match self.line {
            0 => "from the start".to_string(),
            line => format!("line {line}"),
        };
        self.later.map_or(own.clone(), |line| format!("{own}; line {line} is optimised away"))
    }
}

impl fmt::Display for Found {
    /// The place and the lines.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.place, self.store())
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.found {
            Some(found) => write!(f, "{}   {found}", Value(vec![found.lane])),
            None => f.write_str("optimised away"),
        }
    }
}

impl SourceVariable {
    fn shown(&self) -> &[Component] {
        &self.components[..self.components.len().min(SHOWN)]
    }

    /// The places of its components and the lines of their stores: `r0.r r0.g, line 6`.
    pub fn places(&self) -> String {
        let mut places: Vec<(String, String)> = Vec::new();
        for Component { suffix, found } in self.shown() {
            let Some(found) = found else { continue };
            let (place, store) = (&found.place, found.store());
            match places.last_mut() {
                Some((places, last)) if *last == store => *places += &format!(" {place}"),
                Some(_) => places.push((format!("{suffix} {place}"), store)),
                None => places.push((place.clone(), store)),
            }
        }
        if places.is_empty() {
            return "optimised away".to_string();
        }
        let places = places.iter().map(|(places, store)| format!("{places}, {store}"));
        places.collect::<Vec<_>>().join("; ")
    }
}

impl fmt::Display for SourceVariable {
    /// All values, then all places.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.components.iter().all(|one| one.found.is_none()) {
            return f.write_str(&self.places());
        }
        let value = |found: &Found| Value(vec![found.lane]).to_string();
        let none = || "-".to_string();
        let values = self.shown().iter().map(|one| one.found.as_ref().map_or_else(none, value));
        let more = if self.components.len() > SHOWN { ", ..." } else { "" };
        write!(f, "{}{more}   {}", values.collect::<Vec<_>>().join(", "), self.places())
    }
}

/// The variables of a program's source.
pub(super) fn of(image: &Image) -> &[Variable] {
    image.source.get().map_or(&[], |map| &map.variables)
}

/// Whether the source of a program has a variable of this name.
pub(super) fn has(image: &Image, name: &str) -> bool {
    of(image).iter().any(|variable| variable.name == name)
}

/// The line of an instruction, or one after all.
fn line(image: &Image, pc: u32) -> u32 {
    image.location(pc).map_or(u32::MAX, |place| place.line)
}

/// Whether a line is among those of the function of a variable; each is among those of a global one.
fn encloses(image: &Image, variable: &Variable, line: u32) -> bool {
    let own = of(image).iter().filter(|other| other.function == variable.function);
    let lines =
        || own.clone().flat_map(|one| one.stores.iter().map(|(_, line)| *line).chain([one.line]));
    variable.function.is_empty()
        || lines().min().is_some_and(|first| first <= line)
            && lines().max().is_some_and(|last| line <= last)
}

/// The variable that a name means at a line: one of the function there, the innermost.
fn named<'i>(image: &'i Image, name: &str, line: u32) -> Option<&'i Variable> {
    let all = of(image).iter().filter(|variable| variable.name == name);
    all.max_by_key(|one| {
        let here = one.line <= line && encloses(image, one, line);
        (here, !one.function.is_empty(), one.line)
    })
}

/// The newest value of a component before an instruction: that of the last line before its own, else of the first after
/// that.
fn newest(variable: &Variable, component: u32, pc: u32, line: u32) -> Option<&VariableLocation> {
    let own = variable.at(pc).filter(|location| location.component == component);
    own.max_by_key(|location| (age(location, line), location.slots.start))
}

/// The order of values at a line: the newest is the last one.
fn age(location: &VariableLocation, line: u32) -> (bool, u32) {
    let before = location.line < line;
    (before, if before { location.line } else { u32::MAX - location.line })
}

fn suffix(variable: &Variable, component: u32) -> String {
    match variable.components {
        1 => String::new(),
        2..=4 => format!(".{}", char::from(b"xyzw"[component as usize])),
        _ => format!("[{component}]"),
    }
}

impl Scope<'_> {
    fn image(&self) -> &Image {
        self.launch.program.image()
    }

    /// Why no variable has a value for the point.
    pub(super) fn elsewhere(&self) -> Option<String> {
        let (group, slot) = (self.moment.group, self.slot);
        if self.moment.end.is_some() {
            Some("the group has ended".to_string())
        } else if (group.active() & group.covered()) >> slot & 1 == 0 {
            Some(format!("the point does not run pc {}", group.pc()))
        } else {
            None
        }
    }

    fn found(&self, variable: &Variable, component: u32) -> Option<Found> {
        let (image, pc) = (self.image(), self.moment.group.pc());
        let now = line(image, pc);
        let location = newest(variable, component, pc, now)?;
        let bits = self.read(location);
        let lane = match variable.kind {
            Kind::Float => Lane::bits(bits),
            Kind::Int | Kind::Bool => Lane::number(f32::from_bits(bits)),
        };
        let last = variable.stores.iter().rfind(|(own, line)| *own == component && *line < now);
        let later = last.map(|(_, line)| *line).filter(|line| *line > location.line);
        let (place, line, location) = (shown(image, location), location.line, location.clone());
        Some(Found { lane, place, line, later, location })
    }

    /// The bits at a place of a value.
    fn read(&self, location: &VariableLocation) -> u32 {
        location.value(|place| {
            let place = match place {
                ValuePlace::Temp(n, channel) => Place::Temp(n.into(), channel.into()),
                ValuePlace::Constant(n, channel) => Place::Constant(n.into(), channel.into()),
                ValuePlace::Literal(bits) => return bits,
            };
            self.moment.group.bits(self.slot, place, &self.launch.constants).unwrap_or(0)
        })
    }

    /// The value of a variable of the source, or of one of its components.
    pub(super) fn variable(&self, name: &str, component: Option<u32>) -> Result<Value, String> {
        if let Some(why) = self.elsewhere() {
            return Err(format!("`{name}`: {why}"));
        }
        let pc = self.moment.group.pc();
        let variable = named(self.image(), name, line(self.image(), pc));
        let variable = variable.ok_or_else(|| format!("`{name}`: no name of the program"))?;
        if let Some(component) = component.filter(|one| *one >= variable.components) {
            let count = variable.components;
            return Err(format!("`{name}`: component {component} of {count}, from 0"));
        }
        let all = component.map_or(0..variable.components, |one| one..one + 1);
        let lane = |component| {
            let found = self.found(variable, component).map(|found| found.lane);
            let suffix = suffix(variable, component);
            found.ok_or_else(|| format!("`{name}{suffix}`: optimised away at pc {pc}"))
        };
        Ok(Value(all.map(lane).collect::<Result<_, _>>()?))
    }

    /// The place of a component of a variable, if it has a value.
    pub(super) fn place(&self, name: &str, component: Option<u32>) -> Option<ValuePlace> {
        let (image, pc) = (self.image(), self.moment.group.pc());
        let now = line(image, pc);
        let variable = named(image, name, now)?;
        let component = component.or((variable.components == 1).then_some(0))?;
        newest(variable, component, pc, now).map(|location| location.place)
    }

    /// Where a variable's components, or one of them, have their values.
    pub(super) fn locations(
        &self,
        name: &str,
        component: Option<u32>,
    ) -> Vec<Option<&VariableLocation>> {
        let (image, pc) = (self.image(), self.moment.group.pc());
        let now = line(image, pc);
        let Some(variable) = named(image, name, now) else { return Vec::new() };
        let all = component.map_or(0..variable.components, |one| one..one.saturating_add(1));
        all.map(|component| newest(variable, component, pc, now)).collect()
    }

    /// The component of a variable that a channel of a temporary holds.
    fn holder(&self, register: usize, channel: usize) -> Option<(&Variable, u32)> {
        let (image, pc) = (self.image(), self.moment.group.pc());
        let now = line(image, pc);
        let wanted = ValuePlace::Temp(register as u8, channel as u8);
        let holders = of(image).iter().flat_map(|variable| {
            let all = variable.at(pc).filter(move |location| location.place == wanted);
            all.map(move |location| (variable, location))
        });
        let holders = holders.filter(|(variable, location)| {
            newest(variable, location.component, pc, now) == Some(location)
        });
        let best = holders
            .max_by_key(|(variable, location)| (age(location, now), !variable.function.is_empty()));
        best.map(|(variable, location)| (variable, location.component))
    }

    /// The name of a register, after a space: what its channels hold, if the program has variables.
    pub(super) fn called(&self, register: usize) -> String {
        let fixed = || called(self.image(), NameKind::Temp, register);
        self.holders(register).unwrap_or_else(fixed)
    }

    /// The content of a register's channels, after a space; `None`: the program has no variables.
    fn holders(&self, register: usize) -> Option<String> {
        if of(self.image()).is_empty() {
            return None;
        }
        if self.elsewhere().is_some() {
            return Some(String::new());
        }
        let held: Vec<_> = (0..4).map(|channel| self.holder(register, channel)).collect();
        let text = |one: &Option<(&Variable, u32)>| match one {
            Some((variable, component)) => {
                format!("{}{}", printable(&variable.name), suffix(variable, *component))
            }
            None => "-".to_string(),
        };
        let texts: Vec<String> = held.iter().map(text).collect();
        let texts = texts.join(",");
        let texts = texts.trim_end_matches(",-");
        Some(if texts == "-" { String::new() } else { format!(" {texts}") })
    }

    /// The name of a channel of a register, after a space: what it holds.
    pub(super) fn called_channel(&self, place: Place) -> String {
        let Place::Temp(register, channel) = place else { return String::new() };
        let held = self.holder(register, channel).filter(|_| self.elsewhere().is_none());
        held.map_or_else(String::new, |(variable, component)| {
            format!(" {}{}", printable(&variable.name), suffix(variable, component))
        })
    }
}

/// A place of a value as text.
fn shown(image: &Image, location: &VariableLocation) -> String {
    let text = match location.place {
        ValuePlace::Literal(_) => return "constant".to_string(),
        ValuePlace::Temp(n, channel) => format!("r{n}.{}", LETTERS[channel as usize]),
        ValuePlace::Constant(n, channel) => {
            let name = called(image, NameKind::Float, n.into());
            format!("c{n}.{}{name}", LETTERS[channel as usize])
        }
    };
    let text = if location.abs { format!("|{text}|") } else { text };
    if location.neg { format!("-{text}") } else { text }
}

impl Session<'_> {
    /// The content of a register's channels now, after a space; `None`: the program has no variables of a source.
    pub fn holders(&self, register: usize) -> Option<String> {
        self.scope().holders(register)
    }

    /// The name of a register, after a space: what it holds for the point of a slot, or its name in the program.
    pub fn called(&self, slot: usize, register: usize) -> String {
        self.scope_of(slot).called(register)
    }

    /// The bits that another point of the group has where a value was found, whether the point runs or not.
    pub fn bits_at(&self, slot: usize, found: &Found) -> u32 {
        self.scope_of(slot).read(&found.location)
    }

    /// The variables of the source at the next instruction, for the point that is looked at: those that the
    /// function there has stored, and those of other functions with a value. Empty if the point does not run it.
    pub fn variables(&self) -> Vec<SourceVariable> {
        self.variables_of(self.slot())
    }

    /// The same for the point of a slot.
    pub fn variables_of(&self, slot: usize) -> Vec<SourceVariable> {
        let (scope, image) = (self.scope_of(slot), self.image());
        let pc = self.moment().group.pc();
        // The first line that the instruction serves, and the last.
        let now = line(image, pc);
        let last = image.locations(pc).map(|place| place.line).max().unwrap_or(u32::MAX);
        let mut all = Vec::new();
        for variable in of(image) {
            let component =
                |n| Component { suffix: suffix(variable, n), found: scope.found(variable, n) };
            let components: Vec<Component> = (0..variable.components).map(component).collect();
            let stored = variable.stores.iter().any(|(_, store)| *store <= last);
            let shown = if encloses(image, variable, last) {
                variable.line <= last && stored
            } else {
                components.iter().any(|one| one.found.is_some())
            };
            if scope.elsewhere().is_some() || !shown {
                continue;
            }
            let Variable { name, function, .. } = variable;
            let mut same = of(image).iter().filter(|other| other.name == *name);
            let is_meant =
                named(image, name, now).is_some_and(|meant| std::ptr::eq(meant, variable));
            let name = printable(name).to_string();
            all.push(SourceVariable {
                expression: is_meant.then(|| variable.name.clone()),
                name: match same.nth(1) {
                    Some(_) if !function.is_empty() => format!("{name} in {}", printable(function)),
                    _ => name,
                },
                components,
            });
        }
        all
    }

    /// The variables of the source as text, one per line.
    pub fn variable_lines(&self) -> String {
        if of(self.image()).is_empty() {
            return "the program has no variables of a source\n".to_string();
        }
        match self.scope().elsewhere() {
            Some(why) => format!("no variable has a value: {why}\n"),
            None => {
                let line = |one: &SourceVariable| {
                    format!("{} = {one}{}\n", one.name, self.ranges(&one.components))
                };
                self.variables().iter().map(line).collect()
            }
        }
    }
}
