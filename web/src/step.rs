//! The debugger: one group of 64 points, step by step, forward and back.

use crate::message::{Blob, Blobs};
use ctm::debug::{DebugError, Direction, Goal, Location, Plan, Session};
use ctm::engine::Stop;
use ctm::isa::{OUTPUTS, TEMPORARIES};
use ctm::job::{Job, RunOptions};
use ctm::program::NameKind;
use self_cell::self_cell;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Slots of a group.
const SLOTS: usize = 64;

/// A movement.
#[derive(Clone, Copy, Debug, Deserialize)]
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
    /// The variables of the source at the point that is looked at: names, then values, places and lines.
    pub variables: Vec<(String, String)>,
    /// The registers, each with its name: temporaries and outputs in use.
    pub registers: Vec<String>,
    /// Four words for each slot of each register.
    pub lanes: Blob,
    /// Of each slot: predicate bits 0 to 3, bit 4 the ALU result.
    pub flags: Vec<u8>,
    /// The loop register.
    pub al: i32,
    /// The address stack and the loop stack.
    pub stacks: String,
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

    /// The origin of a channel's value, as text.
    ///
    /// # Errors
    /// If there is no such channel, or the run is stopped.
    pub fn why(&mut self, slot: usize, channel: &str, stop: Stop) -> Result<String, DebugError> {
        self.planned.with_dependent_mut(|_, session| {
            session.set_stop(stop);
            let (i, j) = session.moment().group.point(slot % SLOTS);
            session.look_at(i, j)?;
            Ok(session.why(channel)?.to_string())
        })
    }

    /// The state of the group.
    pub fn state(&mut self, blobs: &mut Blobs) -> State {
        let steps = self.measured.and_then(|(_, _, steps)| steps);
        self.planned.with_dependent_mut(|_, session| state(session, steps, blobs))
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

fn state(session: &Session<'_>, steps: Option<u64>, blobs: &mut Blobs) -> State {
    let (moment, position, image) = (session.moment(), session.position(), session.image());
    let group = moment.group;
    let mut registers = Vec::new();
    let mut words: Vec<u8> = Vec::new();
    let mut add = |name: String, lanes: [[u32; 4]; SLOTS]| {
        registers.push(name);
        words.extend(lanes.as_flattened().iter().flat_map(|word| word.to_le_bytes()));
    };
    let called = |kind, n: usize| {
        let name = image.name_of(kind, n as u32);
        name.map(|name| format!(" {name}")).unwrap_or_default()
    };
    for n in 0..TEMPORARIES {
        let lanes: [[u32; 4]; SLOTS] = std::array::from_fn(|slot| group.temp(slot, n));
        let name = called(NameKind::Temp, n);
        if !name.is_empty() || lanes != [[0; 4]; SLOTS] {
            add(format!("r{n}{name}"), lanes);
        }
    }
    for n in 0..OUTPUTS {
        if (0..SLOTS).any(|slot| group.written(slot, n) != 0) {
            let name = called(NameKind::Output, n);
            add(format!("o{n}{name}"), std::array::from_fn(|slot| group.output(slot, n)));
        }
    }
    let flags = |slot| group.predicates(slot) | u8::from(group.alu_result(slot)) << 4;
    let (pass, _) = session.plan().pass_of(position.launch);
    let variables = session.variables();
    State {
        variables: variables.into_iter().map(|one| (one.name.clone(), one.to_string())).collect(),
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
        lanes: blobs.add(&words),
        flags: (0..SLOTS).map(flags).collect(),
        al: group.al(),
        stacks: session.stacks(),
    }
}
