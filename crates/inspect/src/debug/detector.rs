//! The detector of stops: breakpoints, watches, events and goals, looked for after each
//! instruction.

use super::expression::{Expression, Scope, Value};
use super::findings::Findings;
use super::movement::Goal;
use super::show::named;
use super::stops::{Cause, StopPoint, text_of};
use crate::check::Code;
use ctm_isa::float;
use ctm_isa::isa::{Place, To};
use ctm_lang::program::Image;
use ctm_machine::engine::groups::slots;
use ctm_machine::engine::reference::{Moment, Observer, Step};
use ctm_machine::engine::{Checked, Faults};
use ctm_machine::memory::Memory;
use std::cell::Cell;

/// The stops that one instruction caused, by index, with a text.
#[derive(Default)]
pub(super) struct Found {
    /// The events that the instruction caused.
    pub(super) events: Vec<(usize, String)>,
    /// Breakpoints at the position after it.
    pub(super) breaks: Vec<(usize, String)>,
    pub(super) goal: bool,
}

/// The parts of a stop in the program of one launch. A stop whose expression uses a name unknown to
/// this program stays inactive until a program defines it.
pub(super) struct Bound {
    /// The instructions of a breakpoint.
    pcs: Vec<u32>,
    watched: Option<Expression>,
    condition: Option<Result<Expression, String>>,
}

impl Bound {
    pub(super) fn new(stop: &StopPoint, image: &Image) -> Bound {
        let watched = match &stop.cause {
            Cause::Change(text) => Expression::parse(text, image).ok(),
            Cause::At(_) | Cause::Nan | Cause::Fault | Cause::Divergence | Cause::Finding(_) => {
                None
            }
        };
        let condition = stop.condition.as_ref().map(|text| Expression::parse(text, image));
        Bound { pcs: stop.cause.pcs(image), watched, condition }
    }

    /// Whether the condition is met. One that has no value is met: the reason says why.
    fn holds(&self, scope: &Scope<'_>) -> Result<bool, String> {
        match &self.condition {
            None => Ok(true),
            Some(Err(_)) => Ok(false),
            // Where the point does not run, its variables say nothing.
            Some(Ok(condition)) if condition.names_source() && scope.elsewhere().is_some() => {
                Ok(false)
            }
            Some(Ok(condition)) => condition.evaluate(scope).and_then(|value| value.truth()),
        }
    }

    /// Whether it depends on memory, which changes at the end of a launch.
    pub(super) fn reads_memory(&self) -> bool {
        let condition = self.condition.as_ref().and_then(|condition| condition.as_ref().ok());
        self.watched.iter().chain(condition).any(Expression::reads_memory)
    }
}

/// Finds what stops a run.
pub(super) struct Detector<'s> {
    stops: &'s [StopPoint],
    bound: Vec<Bound>,
    goal: &'s Goal,
    goal_pcs: Vec<u32>,
    slot: usize,
    launch: &'s Checked<'s>,
    memory: &'s Memory,
    after: Option<&'s Memory>,
    /// The value of each watch before the instruction.
    values: Vec<Option<Result<Value, String>>>,
    faults: Faults,
    /// The instruction after the last moment.
    pc: u32,
    divergent: u64,
    /// Of the group, if a stop asks for any.
    findings: Option<&'s Findings>,
}

impl<'s> Detector<'s> {
    pub(super) fn new(
        stops: &'s [StopPoint],
        goal: &'s Goal,
        slot: usize,
        launch: &'s Checked<'_>,
        memory: &'s Memory,
    ) -> Detector<'s> {
        let image = launch.program.image();
        Detector {
            stops,
            bound: stops.iter().map(|stop| Bound::new(stop, image)).collect(),
            goal,
            goal_pcs: match goal {
                Goal::Location(place) => place.pcs(image),
                _ => Vec::new(),
            },
            slot,
            launch,
            memory,
            after: None,
            values: Vec::new(),
            faults: Faults::default(),
            pc: 0,
            divergent: 0,
            findings: None,
        }
    }

    /// Looks for findings, too, and at the memory after the launch at its end.
    pub(super) fn with(
        self,
        findings: Option<&'s Findings>,
        after: Option<&'s Memory>,
    ) -> Detector<'s> {
        Detector { findings, after, ..self }
    }

    fn scope<'m>(&'m self, moment: &Moment<'m>) -> Scope<'m> {
        let memory = self.after.filter(|_| moment.end.is_some()).unwrap_or(self.memory);
        Scope { moment: *moment, slot: self.slot, launch: self.launch, memory }
    }

    fn watched(&self, moment: &Moment<'_>) -> Vec<Option<Result<Value, String>>> {
        let scope = self.scope(moment);
        let value = |bound: &Bound| Some(bound.watched.as_ref()?.evaluate(&scope));
        self.bound.iter().map(value).collect()
    }

    /// The state before the first instruction.
    pub(super) fn begin(&mut self, moment: &Moment<'_>) {
        self.values = self.watched(moment);
        self.faults = moment.faults.clone();
        self.pc = moment.group.pc();
        self.divergent = moment.statistics.divergent;
    }

    /// Adds a hit of a stop if its condition is met.
    fn hit(&self, hits: &mut Vec<(usize, String)>, n: usize, moment: &Moment<'_>, text: String) {
        let stop = &self.stops[n];
        match self.bound[n].holds(&self.scope(moment)) {
            Ok(false) => {}
            Ok(true) => hits.push((n, format!("{}{text}", stop.cause))),
            Err(why) => hits.push((n, format!("{}: its condition: {why}", stop.cause))),
        }
    }

    pub(super) fn here(&self, moment: &Moment<'_>) -> Found {
        let mut found = Found::default();
        let pc = moment.group.pc();
        if moment.end.is_none() {
            for (n, bound) in self.bound.iter().enumerate() {
                if bound.pcs.contains(&pc) {
                    self.hit(&mut found.breaks, n, moment, String::new());
                }
            }
        }
        found.goal = match self.goal {
            Goal::Steps(_) | Goal::Job => false,
            Goal::Depth(depth) => moment.end.is_some() || moment.group.calls().len() <= *depth,
            Goal::GroupEnd => moment.end.is_some(),
            Goal::GroupStart => moment.steps == 0,
            Goal::Location(_) => moment.end.is_none() && self.goal_pcs.contains(&pc),
        };
        found
    }

    /// The stops that the instruction before a moment caused.
    pub(super) fn after(&mut self, moment: &Moment<'_>, nan: Option<String>) -> Found {
        let mut found = self.here(moment);
        let mut events = Vec::new();
        let values = self.watched(moment);
        let count = |faults: &Faults, code| faults.get(code).map(|fault| fault.count);
        let mut new = moment.faults.iter();
        let new = new.find(|&(code, fault)| count(&self.faults, code) != Some(fault.count));
        let fault = new.map(|(code, _)| {
            let place = self.launch.program.image().place(self.pc);
            let meaning = code.meaning_within(self.launch.limits.instructions);
            format!("{}: {meaning}: {place}", code.name())
        });
        for (n, stop) in self.stops.iter().enumerate() {
            match &stop.cause {
                Cause::At(_) => {}
                Cause::Change(_) => {
                    let watched = self.bound[n].watched.as_ref();
                    let goes = watched.is_some_and(Expression::names_source)
                        && values[n].as_ref().is_some_and(Result::is_err);
                    // A variable that is optimised away has not changed.
                    if let (Some(old), Some(new)) = (&self.values[n], &values[n])
                        && old != new
                        && !goes
                    {
                        let text = format!(": {} -> {}", text_of(old), text_of(new));
                        self.hit(&mut events, n, moment, text);
                    }
                }
                Cause::Nan => {
                    if let Some(nan) = &nan {
                        self.hit(&mut events, n, moment, format!(": {nan}"));
                    }
                }
                Cause::Fault => {
                    if let Some(fault) = &fault {
                        self.hit(&mut events, n, moment, format!(": {fault}"));
                    }
                }
                Cause::Divergence => {
                    if moment.statistics.divergent != self.divergent {
                        self.hit(&mut events, n, moment, String::new());
                    }
                }
                Cause::Finding(_) => {
                    let here = self.findings.into_iter().flat_map(|all| all.at(moment.steps));
                    let wanted = here.filter(|(code, _)| stop.cause.finds(*code));
                    let fault = fault.as_deref().filter(|_| stop.cause.finds(Code::Fault));
                    let texts: Vec<&str> = wanted.map(|(_, text)| text).chain(fault).collect();
                    if !texts.is_empty() {
                        self.hit(&mut events, n, moment, format!(": {}", texts.join("; ")));
                    }
                }
            }
        }
        found.events = events;
        self.values = values;
        if fault.is_some() {
            self.faults = moment.faults.clone();
        }
        self.pc = moment.group.pc();
        self.divergent = moment.statistics.divergent;
        found
    }
}

/// Finds the instructions that make a NaN: they write one and read none.
pub(super) struct NanWatch<'s> {
    /// The first one that was not taken yet.
    pub(super) found: &'s Cell<Option<String>>,
}

impl Observer for NanWatch<'_> {
    fn step(&mut self, step: &Step<'_>) {
        let first = self.found.take().or_else(|| {
            let (slot, place) = slots(step.before.covered()).find_map(|slot| made(step, slot))?;
            let (i, j) = step.before.point(slot);
            Some(format!("{} of point ({i}, {j})", named(step.launch.program.image(), place)))
        });
        self.found.set(first);
    }
}

/// The NaN that an instruction makes in a slot: in the lowest channel of a register or an output.
fn made(step: &Step<'_>, slot: usize) -> Option<(usize, Place)> {
    let mut reads = (0..4).flat_map(|channel| step.reads(slot, channel));
    if step.instruction.alu().is_some() && reads.any(|operand| float::is_nan(operand.bits)) {
        return None;
    }
    let written = step.writes(slot).filter(|written| {
        matches!(written.write.to, To::Register(_) | To::Output(_)) && float::is_nan(written.bits)
    });
    Some((slot, written.min_by_key(|written| written.write.channel)?.place?))
}
