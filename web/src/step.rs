//! The debugger: one group of 64 points, step by step, forward and back.

use crate::message::{Blob, Blobs};
use ctm::debug::{
    Cause, DebugError, Direction, Expression, Goal, Halt, Lane, Location, Node, Plan, Session,
    SourceVariable, Value,
};
use ctm::engine::Stop;
use ctm::isa::{OUTPUTS, Place, TEMPORARIES};
use ctm::job::{Job, RunOptions};
use ctm::program::NameKind;
use self_cell::self_cell;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Slots of a group.
const SLOTS: usize = 64;

/// A movement.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Move {
    /// To the start of the group of a point of a launch.
    Point(u64, u32, u32),
    /// By a number of steps: back if negative.
    By(i64),
    /// To a step of the group.
    To(u64),
    /// To the end of the group, or its start.
    End(bool),
    /// To the next time (or the last time, if false) that an instruction is about to run.
    Pc(u32, bool),
    /// To where an expression changes next (or changed last, if false), within the group.
    Change(String, bool),
    /// To the first point of the next group, or of the one before.
    Group(i64),
}

/// The state of a group.
#[derive(Clone, Debug, Serialize)]
pub struct State {
    /// The launch, over all passes.
    pub launch: u64,
    /// The number of launches.
    pub launches: u64,
    /// The group of the launch.
    pub group: u64,
    /// The groups of the launch.
    pub groups: u64,
    /// Instructions of the group that have run.
    pub step: u64,
    /// The steps of the group; `None` if it takes too long to find out.
    pub steps: Option<u64>,
    /// The pass that the launch belongs to.
    pub pass: usize,
    /// The next instruction.
    pub pc: u32,
    /// The end of the group, if it has ended.
    pub end: Option<String>,
    /// The slot of the point that is looked at.
    pub slot: usize,
    /// The column and the row of each slot's point.
    pub points: Vec<(u32, u32)>,
    /// Columns of the group.
    pub width: usize,
    /// The state of each slot: see [`Session::sign`].
    pub signs: String,
    /// The variables of the source at the next instruction, for the points that run it.
    pub variables: Vec<Variable>,
    /// The value that is watched.
    pub watched: Option<Watched>,
    /// Temporaries and outputs in use.
    pub registers: Vec<String>,
    /// The value of each register, for the points that run the next instruction; else empty.
    pub held: Vec<String>,
    /// The bounds of what each register holds, for the points that run the next instruction; else empty.
    pub ranges: Vec<String>,
    /// Blocks of four words for each slot: one for each register, then those of variables and of the watched value.
    pub lanes: Blob,
    /// Of each slot: predicate bits 0 to 3, bit 4 the ALU result.
    pub flags: Vec<u8>,
    /// The loop register.
    pub al: i32,
    /// The address stack and the loop stack.
    pub stacks: String,
}

/// A variable of the source.
#[derive(Clone, Debug, Serialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The name by which an expression finds it.
    pub expression: Option<String>,
    /// Of each component the text after the name, and whether there is a value: else it is optimised away.
    pub components: Vec<(String, bool)>,
    /// The places of its values, and the lines of the stores.
    pub places: String,
    /// The number of the block with its first four components.
    pub block: usize,
}

/// A value that is watched.
#[derive(Clone, Debug, Serialize)]
pub struct Watched {
    /// The number of its components.
    pub components: usize,
    /// The number of the block with its first four components.
    pub block: usize,
    /// Why the point that is looked at has no value.
    pub missing: Option<String>,
}

/// A line of the tree of a value's origin.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// The value and its writer.
    pub text: String,
    /// How deep it is in the tree.
    pub depth: usize,
    /// The slot of the value's point.
    pub slot: usize,
    /// The step of the instruction that wrote the value, else of the one that reads it.
    pub step: Option<u64>,
    /// The register of a value without a writer.
    pub register: Option<String>,
}

impl Line {
    /// Adds the lines of a tree, whose value the instruction of a step reads.
    fn add(lines: &mut Vec<Line>, node: &Node, depth: usize, reader: Option<u64>) {
        let register = match node.place {
            Some(place @ Place::Temp(..)) if node.writer.is_none() => Some(place.to_string()),
            _ => None,
        };
        let step = node.writer.as_ref().map(|(step, _)| *step).or(reader);
        lines.push(Line { text: node.line(), depth, slot: node.slot, step, register });
        for from in &node.from {
            Line::add(lines, from, depth + 1, step);
        }
    }
}

self_cell! {
    /// A session with the plan that it goes through.
    struct Planned {
        owner: Plan,
        #[not_covariant]
        dependent: Session,
    }
}

/// A session, and how many steps the groups have that it has been in.
pub struct Debugger {
    planned: Planned,
    /// The launch, the group and the steps of the group that was measured last.
    measured: Option<(u64, u64, Option<u64>)>,
}

/// The longest that the number of steps of a group may take to find out.
const MEASURE: Duration = Duration::from_millis(400);

impl Debugger {
    /// A session over the launches of a job.
    ///
    /// # Errors
    /// If no launch can run, or the run to the first one is stopped.
    pub fn new(job: &Job, stop: Stop) -> Result<Debugger, DebugError> {
        let plan = Plan::of_job(job, &RunOptions::default());
        let plan = plan.map_err(|error| DebugError(error.to_string()))?;
        let planned = Planned::try_new(plan, |plan| Session::new(plan, stop))?;
        Ok(Debugger { planned, measured: None })
    }

    /// Moves.
    ///
    /// # Errors
    /// If there is no such place, or the run is stopped.
    pub fn go(&mut self, to: Move, stop: Stop) -> Result<(), DebugError> {
        self.planned.with_dependent_mut(|_, session| {
            session.set_stop(stop);
            go(session, to)
        })?;
        self.measure();
        Ok(())
    }

    /// Finds out how many steps the group has.
    fn measure(&mut self) {
        let known = self.measured;
        self.measured = self.planned.with_dependent_mut(|_, session| {
            let here = session.position();
            if known.is_some_and(|(launch, group, _)| (launch, group) == (here.launch, here.group))
            {
                return known;
            }
            if session.end().is_some() {
                return Some((here.launch, here.group, Some(here.step)));
            }
            let slot = session.slot();
            session.set_stop(Stop::new().with_limit(MEASURE));
            let steps = session.run(Direction::Forward, &Goal::GroupEnd).ok();
            let steps = steps.map(|_| session.position().step);
            session.set_stop(Stop::new());
            // Steps that have run are near a checkpoint.
            let back = session.go_to_step(here.step);
            debug_assert!(back.is_ok() && session.slot() == slot);
            Some((here.launch, here.group, steps))
        });
    }

    /// The origin of a channel's value, line by line.
    ///
    /// # Errors
    /// If there is no such channel, or the run is stopped.
    pub fn why(&mut self, slot: usize, channel: &str, stop: Stop) -> Result<Vec<Line>, DebugError> {
        self.planned.with_dependent_mut(|_, session| {
            session.set_stop(stop);
            let (i, j) = session.moment().group.point(slot % SLOTS);
            session.look_at(i, j)?;
            let mut lines = Vec::new();
            Line::add(&mut lines, &session.why(channel)?, 0, None);
            Ok(lines)
        })
    }

    /// The state of the group. `watch`: an expression whose values it has, too, unless it is empty.
    pub fn state(&mut self, watch: &str, blobs: &mut Blobs) -> State {
        let steps = self.measured.and_then(|(_, _, steps)| steps);
        self.planned.with_dependent_mut(|_, session| state(session, steps, watch, blobs))
    }
}

fn go(session: &mut Session<'_>, to: Move) -> Result<(), DebugError> {
    let direction = |forward| if forward { Direction::Forward } else { Direction::Back };
    match to {
        Move::Point(launch, i, j) => {
            if session.position().launch != launch {
                session.go_to_launch(launch)?;
            }
            session.look_at(i, j)?;
            session.go_to_step(0)
        }
        Move::By(steps) => {
            session.run(direction(steps > 0), &Goal::Steps(steps.unsigned_abs())).map(drop)
        }
        Move::To(step) => session.go_to_step(step),
        Move::End(false) => session.go_to_step(0),
        // From there it would go to the end of the next group.
        Move::End(true) if session.end().is_some() => Ok(()),
        Move::End(true) => session.run(Direction::Forward, &Goal::GroupEnd).map(drop),
        Move::Pc(pc, forward) => {
            session.run(direction(forward), &Goal::Location(Location::Pc(pc))).map(drop)
        }
        Move::Change(watch, forward) => to_change(session, watch, direction(forward)),
        Move::Group(by) => {
            let position = session.position();
            let group = position.group.checked_add_signed(by);
            let group = group.ok_or_else(|| DebugError("this is the first group".to_string()))?;
            if group >= session.launch().grouping.count() {
                return Err(DebugError("this is the last group".to_string()));
            }
            session.go_to_group(position.launch, group)
        }
    }
}

/// Goes to where an expression changes, with a condition after ` if `.
fn to_change(
    session: &mut Session<'_>,
    watch: String,
    direction: Direction,
) -> Result<(), DebugError> {
    let step = session.position().step;
    let (watched, condition) = match watch.split_once(" if ") {
        Some((watched, condition)) => (watched.to_string(), Some(condition.to_string())),
        None => (watch, None),
    };
    let (goal, side) = match direction {
        Direction::Forward => (Goal::GroupEnd, "after"),
        Direction::Back => (Goal::GroupStart, "before"),
    };
    let stop = session.add_stop(Cause::Change(watched.clone()), condition, None)?;
    let halt = session.run(direction, &goal);
    session.remove_stop(stop)?;
    match halt? {
        Halt::Stops(_) => Ok(()),
        Halt::Goal | Halt::End | Halt::Start => {
            session.go_to_step(step)?;
            Err(DebugError(format!("{watched} does not change {side} step {step}")))
        }
    }
}

/// The blocks of a state.
#[derive(Default)]
struct Blocks {
    count: usize,
    bytes: Vec<u8>,
}

impl Blocks {
    /// Adds the values of `components` components, which a function gives by slot and component. Returns the number of
    /// the first block.
    fn add(&mut self, components: usize, bits: impl Fn(usize, usize) -> u32) -> usize {
        let first = self.count;
        for block in (0..components).step_by(4) {
            self.count += 1;
            for (slot, n) in (0..SLOTS).flat_map(|slot| (block..block + 4).map(move |n| (slot, n)))
            {
                let word = if n < components { bits(slot, n) } else { 0 };
                self.bytes.extend(word.to_le_bytes());
            }
        }
        first
    }
}

fn variable(session: &Session<'_>, found: SourceVariable, blocks: &mut Blocks) -> Variable {
    let components = &found.components;
    let block = blocks.add(components.len(), |slot, n| {
        components[n].found.as_ref().map_or(0, |found| session.bits_at(slot, found))
    });
    Variable {
        places: format!("{}{}", found.places(), session.ranges(&found.components)),
        components: components
            .iter()
            .map(|one| (one.suffix.clone(), one.found.is_some()))
            .collect(),
        name: found.name,
        expression: found.expression,
        block,
    }
}

fn watched(session: &Session<'_>, text: &str, blocks: &mut Blocks) -> Watched {
    let text = text.split(" if ").next().unwrap_or_default();
    let expression = match Expression::parse(text, session.image()) {
        Ok(expression) => expression,
        Err(why) => return Watched { components: 0, block: 0, missing: Some(why) },
    };
    let bits = |lane: &Lane| lane.bits.unwrap_or((lane.number as f32).to_bits());
    let values: Vec<_> = (0..SLOTS).map(|slot| session.evaluate_at(slot, &expression)).collect();
    let components = values.iter().flatten().map(|Value(lanes)| lanes.len()).max().unwrap_or(0);
    let block = blocks.add(components, |slot, n| {
        values[slot].as_ref().ok().and_then(|value| value.0.get(n)).map_or(0, bits)
    });
    let missing = values[session.slot()].as_ref().err().map(ToString::to_string);
    Watched { components, block, missing }
}

fn state(session: &Session<'_>, steps: Option<u64>, watch: &str, blobs: &mut Blobs) -> State {
    let (moment, position, image) = (session.moment(), session.position(), session.image());
    let group = moment.group;
    let (mut registers, mut held, mut ranges) = (Vec::new(), Vec::new(), Vec::new());
    let mut blocks = Blocks::default();
    // Places of variables are the same for all points that run.
    let running = group.active() & group.covered();
    let runs = |slot: usize| running >> slot & 1 != 0;
    let slot =
        if runs(session.slot()) { session.slot() } else { running.trailing_zeros() as usize };
    let slot = if slot < SLOTS { slot } else { session.slot() };
    for n in 0..TEMPORARIES {
        let name = session.called(slot, n);
        if !name.is_empty() || (0..SLOTS).any(|slot| group.temp(slot, n) != [0; 4]) {
            registers.push(format!("r{n}"));
            held.push(name.trim_start().to_string());
            ranges.push(session.ranges_of_temp(n).trim_start_matches(", ").to_string());
            blocks.add(4, |slot, channel| group.temp(slot, n)[channel]);
        }
    }
    for n in 0..OUTPUTS {
        if (0..SLOTS).any(|slot| group.written(slot, n) != 0) {
            registers.push(format!("o{n}"));
            held.push(image.name_of(NameKind::Output, n as u32).unwrap_or_default().to_string());
            ranges.push(String::new());
            blocks.add(4, |slot, channel| group.output(slot, n)[channel]);
        }
    }
    let variables = session.variables_of(slot).into_iter();
    let variables = variables.map(|one| variable(session, one, &mut blocks)).collect();
    let watched = (!watch.is_empty()).then(|| watched(session, watch, &mut blocks));
    let flags = |slot| group.predicates(slot) | u8::from(group.alu_result(slot)) << 4;
    let (pass, _) = session.plan().pass_of(position.launch);
    State {
        variables,
        watched,
        launch: position.launch,
        launches: session.plan().launches(),
        pass,
        group: position.group,
        groups: session.launch().grouping.count(),
        step: position.step,
        steps,
        pc: group.pc(),
        end: session.end(),
        slot: session.slot(),
        points: (0..SLOTS).map(|slot| group.point(slot)).collect(),
        width: group.width(),
        signs: (0..SLOTS).map(|slot| session.sign(slot)).collect(),
        registers,
        held,
        ranges,
        lanes: blobs.add(&blocks.bytes),
        flags: (0..SLOTS).map(flags).collect(),
        al: group.al(),
        stacks: session.stacks(),
    }
}
