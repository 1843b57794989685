//! A session: where it is, how it moves, what it shows.

use super::detector::{Detector, Found, NanWatch};
use super::expression::{Expression, Scope, Value};
use super::kept::Kept;
use super::plan::{Plan, copy};
use super::stops::{Cause, Place, StopPoint};
use crate::engine::reference::{GroupRun, Moment, Reference, Silent};
use crate::engine::{Checked, LaunchError, Stop};
use crate::memory::Memory;
use crate::program::Image;
use std::sync::Arc;

/// Bytes for the checkpoints of a group, and as many for memories between launches.
const ROOM: usize = 32 << 20;
/// Instructions between two checkpoints before any is thinned out.
const SPACING: u64 = 1024;

/// Why the session cannot do something. It is where it was unless it was stopped on its way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DebugError(pub String);

impl From<String> for DebugError {
    fn from(text: String) -> DebugError {
        DebugError(text)
    }
}

impl From<LaunchError> for DebugError {
    fn from(error: LaunchError) -> DebugError {
        DebugError(error.to_string())
    }
}

type Done<T> = Result<T, DebugError>;

/// Where a session is. Step N is the state after N instructions of the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The launch, over all passes.
    pub launch: u64,
    /// The group of the launch, in row-major order of tiles.
    pub group: u64,
    /// Instructions of the group that have run.
    pub step: u64,
}

/// A direction to run in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// As the array runs.
    Forward,
    /// Against it.
    Back,
}

/// How far to run if nothing stops the run.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// This many steps. From a group's end, one step leads to the start of the next group.
    Steps(u64),
    /// Until the address stack has at most this many entries.
    Depth(usize),
    /// To the end of the group.
    GroupEnd,
    /// To the start of the group.
    GroupStart,
    /// To a place.
    Place(Place),
    /// To the end or the start of the job.
    Job,
}

/// Why a run came to a halt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// Its goal was reached.
    Goal,
    /// Breakpoints, watches or events: their numbers and what happened.
    Stops(Vec<(u32, String)>),
    /// The last instruction of the last pass has run.
    End,
    /// The session is before the first instruction of the first pass.
    Start,
}

/// A session over the launches of a [`Plan`].
pub struct Session<'a> {
    plan: &'a Plan,
    checked: Vec<Vec<Checked<'a>>>,
    launch: u64,
    group: u64,
    run: GroupRun,
    /// Memory before the launch.
    memory: Arc<Memory>,
    /// Memory after the launch, at the end of its last group.
    after: Option<Arc<Memory>>,
    slot: usize,
    checkpoints: Kept<GroupRun>,
    memories: Kept<Arc<Memory>>,
    stops: Vec<StopPoint>,
    last_id: u32,
    stop: Stop,
}

impl<'a> Session<'a> {
    /// A session before the first instruction of the first group. `stop` ends a run at an
    /// instruction.
    ///
    /// # Errors
    /// If a launch cannot run, memory cannot be allocated, or no point runs.
    pub fn new(plan: &'a Plan, stop: Stop) -> Done<Session<'a>> {
        let mut checked = Vec::new();
        for launches in plan.distinct() {
            let launches = launches.iter().map(Checked::new).collect::<Result<Vec<_>, _>>()?;
            launches.iter().try_for_each(|launch| launch.refuse_sharing("debug"))?;
            checked.push(launches);
        }
        let size = plan.memory.ranges().map(|(_, bytes)| bytes.len()).sum();
        let mut memories = Kept::new(ROOM, size);
        let memory = Arc::new(copy(&plan.memory)?);
        memories.add(0, Arc::clone(&memory));
        let nothing = || DebugError("no point of the job runs".to_string());
        let first = checked.first().and_then(|pass| pass.first()).ok_or_else(nothing)?;
        // A group to begin with; `enter` replaces it.
        let mut found = (0..first.grouping.count()).find_map(|n| GroupRun::new(first, &memory, n));
        let mut launch = 0;
        while found.is_none() {
            launch += 1;
            if launch >= plan.launches() {
                return Err(nothing());
            }
            let (pass, repetition) = plan.pass_of(launch);
            let next = &checked[pass][repetition as usize % checked[pass].len()];
            found = (0..next.grouping.count()).find_map(|n| GroupRun::new(next, &memory, n));
        }
        let run = found.ok_or_else(nothing)?;
        let mut session = Session {
            plan,
            checked,
            launch,
            group: 0,
            run,
            memory,
            after: None,
            slot: 0,
            checkpoints: Kept::new(ROOM, GroupRun::SIZE),
            memories,
            stops: Vec::new(),
            last_id: 0,
            stop,
        };
        let (launch, group, run) = session.next_group(0, 0)?.ok_or_else(nothing)?;
        session.enter(launch, group, run)?;
        Ok(session)
    }

    /// The plan.
    pub fn plan(&self) -> &'a Plan {
        self.plan
    }
    /// Where it is.
    pub fn position(&self) -> Position {
        Position { launch: self.launch, group: self.group, step: self.run.moment().steps }
    }
    /// The state of the group.
    pub fn moment(&self) -> Moment<'_> {
        self.run.moment()
    }
    /// The slot of the point that is looked at.
    pub fn slot(&self) -> usize {
        self.slot
    }
    /// The point that is looked at.
    pub fn point(&self) -> (u32, u32) {
        self.moment().group.point(self.slot)
    }
    /// The running launch.
    pub fn launch(&self) -> &Checked<'a> {
        self.launch_at(self.launch)
    }
    /// The running program's image.
    pub fn image(&self) -> &'a Image {
        self.launch().launch().program.image()
    }
    /// Memory as it is shown: that of before the launch, or at its end what it wrote, too.
    pub fn memory(&self) -> &Memory {
        self.after.as_deref().unwrap_or(&self.memory)
    }
    /// Breakpoints, watches and events.
    pub fn stops(&self) -> &[StopPoint] {
        &self.stops
    }

    fn launch_at(&self, launch: u64) -> &Checked<'a> {
        let (pass, repetition) = self.plan.pass_of(launch);
        let launches = &self.checked[pass];
        &launches[repetition as usize % launches.len()]
    }

    /// Memory before a launch; after the last one, what the job leaves.
    fn memory_before(&mut self, launch: u64) -> Done<Arc<Memory>> {
        let (mut at, nearest) = match self.memories.nearest(launch) {
            Some((at, memory)) => (at, Arc::clone(memory)),
            None => (0, Arc::new(copy(&self.plan.memory)?)),
        };
        let mut memory = nearest;
        while at < launch {
            let mut next = copy(&memory)?;
            Reference::new().run_observed(
                self.launch_at(at),
                &mut next,
                &self.stop,
                &mut Silent,
            )?;
            at += 1;
            memory = Arc::new(next);
            self.memories.add(at, Arc::clone(&memory));
        }
        Ok(memory)
    }

    /// The first group that runs, from a group of a launch on.
    fn next_group(&mut self, launch: u64, group: u64) -> Done<Option<(u64, u64, GroupRun)>> {
        let mut from = group;
        for launch in launch..self.plan.launches() {
            let memory = self.memory_before(launch)?;
            let checked = self.launch_at(launch);
            let count = checked.grouping.count();
            let found = (from..count).find_map(|n| Some((n, GroupRun::new(checked, &memory, n)?)));
            if let Some((n, run)) = found {
                return Ok(Some((launch, n, run)));
            }
            from = 0;
        }
        Ok(None)
    }

    /// The last group that runs before a group of a launch.
    fn group_before(&mut self, launch: u64, group: u64) -> Done<Option<(u64, u64, GroupRun)>> {
        let mut to = Some(group);
        for launch in (0..=launch).rev() {
            let memory = self.memory_before(launch)?;
            let checked = self.launch_at(launch);
            let to = to.take().unwrap_or(checked.grouping.count());
            let found = (0..to).rev().find_map(|n| Some((n, GroupRun::new(checked, &memory, n)?)));
            if let Some((n, run)) = found {
                return Ok(Some((launch, n, run)));
            }
        }
        Ok(None)
    }

    /// Goes to the start of a group. Its first point is looked at.
    fn enter(&mut self, launch: u64, group: u64, run: GroupRun) -> Done<()> {
        self.memory = self.memory_before(launch)?;
        self.after = None;
        self.slot = run.moment().group.started().trailing_zeros() as usize;
        self.checkpoints.clear();
        self.checkpoints.add(0, run.clone());
        (self.launch, self.group, self.run) = (launch, group, run);
        Ok(())
    }

    /// Whether no later group of the launch runs.
    fn is_last_of_launch(&self) -> bool {
        let checked = self.launch();
        (self.group + 1..checked.grouping.count())
            .all(|n| GroupRun::new(checked, &self.memory, n).is_none())
    }

    /// Shows what the launch wrote if its last group has ended.
    fn show_memory(&mut self) -> Done<()> {
        let ended = self.run.moment().end.is_some() && self.is_last_of_launch();
        self.after = if ended { Some(self.memory_before(self.launch + 1)?) } else { None };
        Ok(())
    }

    /// Adds a stop. Returns its number.
    ///
    /// # Errors
    /// If no pass has the place, or an expression has no value now.
    pub fn add_stop(
        &mut self,
        cause: Cause,
        condition: Option<Expression>,
        hit: Option<u64>,
    ) -> Done<u32> {
        match &cause {
            Cause::At(place) => self.check_place(place)?,
            Cause::Change(expression) => drop(self.evaluate(expression)?),
            Cause::Nan | Cause::Fault | Cause::Divergence => {}
        }
        if let Some(condition) = &condition {
            self.evaluate(condition)?.truth()?;
        }
        self.last_id += 1;
        self.stops.push(StopPoint { id: self.last_id, cause, condition, hit, hits: 0 });
        Ok(self.last_id)
    }

    /// Removes a stop.
    ///
    /// # Errors
    /// If there is none with this number.
    pub fn remove_stop(&mut self, id: u32) -> Done<()> {
        let n = self.stops.iter().position(|stop| stop.id == id);
        let n = n.ok_or_else(|| DebugError(format!("there is no stop {id}")))?;
        self.stops.remove(n);
        Ok(())
    }

    fn check_place(&self, place: &Place) -> Done<()> {
        let mut images = self.checked.iter().flatten().map(|launch| launch.program.image());
        match images.any(|image| !place.pcs(image).is_empty()) {
            true => Ok(()),
            false => Err(DebugError(format!("{place}: no program of the job has it"))),
        }
    }

    /// The value of an expression at the point that is looked at.
    ///
    /// # Errors
    /// Why it has none.
    pub fn evaluate(&self, expression: &Expression) -> Done<Value> {
        Ok(expression.evaluate(&self.scope())?)
    }

    fn scope(&self) -> Scope<'_> {
        Scope {
            moment: self.moment(),
            slot: self.slot,
            launch: self.launch(),
            memory: self.memory(),
        }
    }

    /// Looks at another point. If it is of another group, goes to the start of that group.
    ///
    /// # Errors
    /// If the point does not run in this launch.
    pub fn look_at(&mut self, i: u32, j: u32) -> Done<()> {
        if let Some(slot) = self.moment().group.slot_of((i, j)) {
            self.slot = slot;
            return Ok(());
        }
        let missing = || DebugError(format!("point ({i}, {j}) does not run in this launch"));
        let checked = self.launch();
        let domain = &checked.domain;
        if !domain.contains(i, j) {
            return Err(missing());
        }
        let grouping = checked.grouping;
        let (column, row) = (
            i / grouping.width - domain.i0 / grouping.width,
            j / grouping.height - domain.j0 / grouping.height,
        );
        let n = u64::from(row) * u64::from(grouping.columns()) + u64::from(column);
        let run = GroupRun::new(checked, &self.memory, n).ok_or_else(missing)?;
        let slot = run.moment().group.slot_of((i, j)).ok_or_else(missing)?;
        self.enter(self.launch, n, run)?;
        self.slot = slot;
        Ok(())
    }

    /// Goes to the start of a group of a launch.
    ///
    /// # Errors
    /// If there is none, or none of its points runs.
    pub fn go_to_group(&mut self, launch: u64, group: u64) -> Done<()> {
        if launch >= self.plan.launches() {
            let last = self.plan.launches() - 1;
            return Err(DebugError(format!("there is no launch {launch}; the last one is {last}")));
        }
        let memory = self.memory_before(launch)?;
        let checked = self.launch_at(launch);
        let count = checked.grouping.count();
        if group >= count {
            return Err(DebugError(format!("there is no group {group}; the launch has {count}")));
        }
        let run = GroupRun::new(checked, &memory, group)
            .ok_or_else(|| DebugError(format!("no point of group {group} runs")))?;
        self.enter(launch, group, run)
    }

    /// Goes to a step of the group. Nothing stops on the way.
    ///
    /// # Errors
    /// If the group ends before it, or the run is stopped. The session is then where it was.
    pub fn go_to_step(&mut self, step: u64) -> Done<()> {
        let before = self.run.moment().steps;
        self.restore(step.min(before), step)?;
        let reached = self.run.moment().steps;
        if reached < step {
            self.restore(before, before)?;
            return Err(DebugError(format!("the group ends at step {reached}")));
        }
        self.show_memory()
    }

    /// Restores the nearest checkpoint at or before `from` and runs to a step.
    fn restore(&mut self, from: u64, to: u64) -> Done<()> {
        let here = self.run.moment().steps;
        if let Some((at, run)) = self.checkpoints.nearest(from)
            && (at > here || here > from)
        {
            self.run = run.clone();
        }
        let result = self.run_to(to, None, &mut |_, _| true);
        if result.is_err() {
            self.after = None;
        }
        result
    }

    /// Runs forward in the group to a step or its end, leaving checkpoints. `found` gets what each
    /// instruction brought about, and returns whether to go on.
    fn run_to(
        &mut self,
        to: u64,
        goal: Option<&Goal>,
        found: &mut dyn FnMut(u64, Found) -> bool,
    ) -> Done<()> {
        let after = match &goal {
            Some(_) if self.stops.iter().any(reads_memory) && self.is_last_of_launch() => {
                Some(self.memory_before(self.launch + 1)?)
            }
            _ => None,
        };
        let (pass, repetition) = self.plan.pass_of(self.launch);
        let launches = &self.checked[pass];
        let launch = &launches[repetition as usize % launches.len()];
        let mut detector = goal.map(|goal| {
            Detector::new(&self.stops, goal, self.slot, launch, &self.memory, after.as_deref())
        });
        if let Some(detector) = &mut detector {
            detector.begin(&self.run.moment());
        }
        let wanted = self.stops.iter().any(|stop| stop.cause == Cause::Nan);
        let mut nans = NanWatch { launch, wanted: wanted && goal.is_some(), found: None };
        let mut more = true;
        while more {
            let moment = self.run.moment();
            let at = moment.steps;
            if at >= to || moment.end.is_some() {
                break;
            }
            if at.is_multiple_of(SPACING) && !self.checkpoints.has(at) {
                self.checkpoints.add(at, self.run.clone());
            }
            let chunk = to.min((at / SPACING + 1) * SPACING);
            let memory = &self.memory;
            self.run
                .advance(launch, memory, &self.stop, &mut nans, |moment, nans| {
                    if let Some(detector) = &mut detector {
                        more = found(moment.steps, detector.after(moment, nans.found.take()));
                    }
                    more && moment.steps < chunk
                })
                .map_err(|why| DebugError(why.to_string()))?;
        }
        Ok(())
    }

    /// What is found without running: breakpoints at the present position, and whether the goal is
    /// reached.
    fn found_here(&self, goal: &Goal) -> Found {
        let (stops, memory) = (&self.stops, &self.memory);
        let detector = Detector::new(stops, goal, self.slot, self.launch(), memory, None);
        detector.here(&self.run.moment())
    }

    /// Counts hits. Returns those that stop the run.
    fn count(stops: &mut [StopPoint], hits: &[(usize, String)]) -> Vec<(u32, String)> {
        let counted = hits.iter().filter(|(n, _)| stops[*n].count());
        let counted: Vec<_> = counted.cloned().collect();
        counted.into_iter().map(|(n, text)| (stops[n].id, text)).collect()
    }

    /// Runs to a goal or a stop. In reverse, a change, NaN or fault stops before the instruction
    /// that caused it.
    ///
    /// # Errors
    /// If a goal is nowhere in the job, or the run is stopped; the session is then where the run
    /// was.
    pub fn run(&mut self, direction: Direction, goal: &Goal) -> Done<Halt> {
        if let Goal::Place(place) = goal {
            self.check_place(place)?;
        }
        let result = match direction {
            Direction::Forward => self.forward(goal),
            Direction::Back => self.back(goal),
        };
        self.show_memory()?;
        result
    }

    fn forward(&mut self, goal: &Goal) -> Done<Halt> {
        let mut left = match goal {
            Goal::Steps(steps) => *steps,
            _ => u64::MAX,
        };
        while left > 0 {
            let Moment { steps, end, .. } = self.run.moment();
            if end.is_some() {
                let Some((launch, group, run)) = self.next_group(self.launch, self.group + 1)?
                else {
                    return Ok(Halt::End);
                };
                self.enter(launch, group, run)?;
                left -= 1;
                let found = self.found_here(goal);
                let hits = Session::count(&mut self.stops, &found.breaks);
                if !hits.is_empty() {
                    return Ok(Halt::Stops(hits));
                }
                if found.goal {
                    return Ok(Halt::Goal);
                }
                continue;
            }
            let mut halt = None;
            let mut stops = self.stops.clone();
            let result = self.run_to(steps.saturating_add(left), Some(goal), &mut |_, found| {
                let mut hits = Session::count(&mut stops, &found.events);
                hits.extend(Session::count(&mut stops, &found.breaks));
                if !hits.is_empty() {
                    halt = Some(Halt::Stops(hits));
                } else if found.goal {
                    halt = Some(Halt::Goal);
                }
                halt.is_none()
            });
            self.stops = stops;
            result?;
            left -= self.run.moment().steps - steps;
            if let Some(halt) = halt {
                return Ok(halt);
            }
        }
        match self.run.moment().end {
            Some(_) if self.next_group(self.launch, self.group + 1)?.is_none() => Ok(Halt::End),
            _ => Ok(Halt::Goal),
        }
    }

    fn back(&mut self, goal: &Goal) -> Done<Halt> {
        let mut left = match goal {
            Goal::Steps(steps) => *steps,
            _ => u64::MAX,
        };
        while left > 0 {
            let steps = self.run.moment().steps;
            if steps == 0 {
                let Some((launch, group, run)) = self.group_before(self.launch, self.group)? else {
                    return Ok(Halt::Start);
                };
                self.enter(launch, group, run)?;
                self.run_to(u64::MAX, None, &mut |_, _| true)?;
                left -= 1;
                if self.found_here(goal).goal {
                    return Ok(Halt::Goal);
                }
                continue;
            }
            let low = steps.saturating_sub(left);
            let start = self.checkpoints.nearest(steps - 1).map_or(0, |(at, _)| at);
            let from = start.max(low);
            self.restore(from, from)?;
            let here = self.found_here(goal);
            let mut places = vec![(from, here.breaks, here.goal)];
            self.run_to(steps, Some(goal), &mut |after, found| {
                if let Some(last) = places.last_mut().filter(|last| last.0 == after - 1) {
                    last.1.splice(0..0, found.events);
                } else if !found.events.is_empty() {
                    places.push((after - 1, found.events, false));
                }
                if after < steps && (found.goal || !found.breaks.is_empty()) {
                    places.push((after, found.breaks, found.goal));
                }
                true
            })?;
            for (step, hits, reached) in places.iter().rev() {
                let hits = Session::count(&mut self.stops, hits);
                if !hits.is_empty() || *reached {
                    self.restore(*step, *step)?;
                    return Ok(if hits.is_empty() { Halt::Goal } else { Halt::Stops(hits) });
                }
            }
            self.restore(from, from)?;
            left -= steps - from;
        }
        let first =
            self.run.moment().steps == 0 && self.group_before(self.launch, self.group)?.is_none();
        Ok(if first { Halt::Start } else { Halt::Goal })
    }

    /// One step over calls: a call runs until its return.
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn next(&mut self, direction: Direction) -> Done<Halt> {
        let depth = self.moment().group.calls().len();
        let halt = self.run(direction, &Goal::Steps(1))?;
        match halt {
            Halt::Goal if self.moment().group.calls().len() > depth => {
                self.run(direction, &Goal::Depth(depth))
            }
            halt => Ok(halt),
        }
    }

    /// Leaves the subroutine; outside all of them, the group.
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn finish(&mut self, direction: Direction) -> Done<Halt> {
        let goal = match (self.moment().group.calls().len(), direction) {
            (0, Direction::Forward) => Goal::GroupEnd,
            (0, Direction::Back) => Goal::GroupStart,
            (depth, _) => Goal::Depth(depth - 1),
        };
        self.run(direction, &goal)
    }

    /// The steps from `to` back to `from` with the state before each: the instructions that ran.
    /// `visit` gets the step and the state before it.
    pub(super) fn replay(
        &mut self,
        from: u64,
        to: u64,
        visit: &mut dyn FnMut(&Moment<'_>),
    ) -> Done<()> {
        let here = self.run.clone();
        let result = self.restore(from, from);
        let launch = self.launch();
        let mut run = self.run.clone();
        visit(&run.moment());
        let replayed = run.advance(launch, &self.memory, &self.stop, &mut Silent, |moment, _| {
            if moment.steps < to {
                visit(moment);
            }
            moment.steps < to
        });
        self.run = here;
        self.show_memory()?;
        result?;
        replayed.map_err(|why| DebugError(why.to_string()))
    }

    /// The last checkpoint at or before a step.
    pub(super) fn checkpoint_before(&self, step: u64) -> u64 {
        self.checkpoints.nearest(step).map_or(0, |(at, _)| at)
    }
}

fn reads_memory(stop: &StopPoint) -> bool {
    let watched = matches!(&stop.cause, Cause::Change(watched) if watched.reads_memory());
    watched || stop.condition.as_ref().is_some_and(Expression::reads_memory)
}
