//! The movements of a session: to a step, to a goal, forward and back.

use super::detector::{Bound, Detector, Found, NanWatch};
use super::error::DebugError;
use super::launches::Start;
use super::session::{Done, Session};
use super::stops::{Cause, Location, StopPoint};
use ctm_machine::engine::reference::{GroupRun, Moment, Observer, Step};
use std::cell::Cell;

/// Instructions between two checkpoints before any is thinned out.
const SPACING: u64 = 1024;

/// A direction to run in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// As the array runs.
    Forward,
    /// Against it.
    Back,
}

/// The goal of a run if nothing stops it.
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
    Location(Location),
    /// To the end or the start of the job.
    Job,
}

/// The reason of a halt.
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

/// A position of a session, with the group before its first instruction.
pub(super) struct Here<'a> {
    session: Session<'a>,
    first: Option<GroupRun>,
}

impl<'a> Session<'a> {
    /// Goes to a step of the group. Nothing stops on the way.
    ///
    /// # Errors
    /// If the group ends before it, or the run is stopped. The session is then where it was.
    pub fn go_to_step(&mut self, step: u64) -> Done<()> {
        let start = self.here();
        let before = self.run.moment().steps;
        self.ended = false;
        let result =
            self.restore(step.min(before), step).and_then(|()| match self.run.moment().steps {
                reached if reached < step => {
                    Err(DebugError(format!("the group ends at step {reached}")))
                }
                _ => self.show_memory(),
            });
        if result.is_err() {
            self.return_to(start);
        }
        result
    }

    /// The state that is needed to return from anywhere in the job without running.
    pub(super) fn here(&self) -> Here<'a> {
        let first = self.checkpoints.nearest(0).map(|(_, run)| run.clone());
        Here { session: self.snapshot(), first }
    }

    /// Returns to a position. Stops stay as they are.
    pub(super) fn return_to(&mut self, here: Here<'a>) {
        let Here { session, first } = here;
        let Session { launches, group, run, after, slot, ended, .. } = session;
        if (self.launches.current.0, self.group) != (launches.current.0, group) {
            self.checkpoints.clear();
            if let Some(first) = first {
                let size = first.size();
                self.checkpoints.add(0, first, size);
            }
        }
        (self.launches.current, self.launches.pool) = (launches.current, launches.pool);
        (self.group, self.run, self.after) = (group, run, after);
        (self.slot, self.ended) = (slot, ended);
    }

    /// The group after this one.
    fn next_group(&mut self) -> Done<Option<Start>> {
        self.launches.next(self.launches.current.0, self.group + 1)
    }

    /// The group before this one.
    fn group_before(&mut self) -> Done<Option<Start>> {
        self.launches.before(self.launches.current.0, self.group)
    }

    /// Whether no later group of the launch runs.
    fn is_last_of_launch(&self) -> bool {
        let checked = self.launch();
        (self.group + 1..checked.grouping.count())
            .all(|n| GroupRun::new(checked, &self.launches.current.1, n).is_none())
    }

    /// Shows what the launch wrote if its last group has ended.
    fn show_memory(&mut self) -> Done<()> {
        let ended = self.run.moment().end.is_some() && self.is_last_of_launch();
        let next = self.launches.current.0 + 1;
        self.after = if ended { Some(self.launches.memory_before(next)?) } else { None };
        Ok(())
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
    /// instruction brought about, and returns whether to go on. With a goal, it also ends where there
    /// are new stops to take over.
    fn run_to(
        &mut self,
        to: u64,
        goal: Option<&Goal>,
        found: &mut dyn FnMut(u64, Found) -> bool,
    ) -> Done<()> {
        let image = self.image();
        let reads_memory = |stop: &StopPoint| Bound::new(stop, image).reads_memory();
        let after = match &goal {
            Some(_) if self.stops().iter().any(reads_memory) && self.is_last_of_launch() => {
                Some(self.launches.memory_before(self.launches.current.0 + 1)?)
            }
            _ => None,
        };
        if goal.is_some() {
            self.known.prepare(&self.launches, self.group, &self.stops.list)?;
        }
        let (number, memory) = &self.launches.current;
        let launch = self.launches.at(*number);
        let mut detector = goal.map(|goal| {
            Detector::new(&self.stops.list, goal, self.slot, launch, memory)
                .with(self.known.findings(&self.stops.list), after.as_deref())
        });
        if let Some(detector) = &mut detector {
            detector.begin(&self.run.moment());
        }
        let wanted = self.stops.list.iter().any(|stop| stop.cause == Cause::Nan);
        let made = Cell::new(None);
        let mut nans = (wanted && goal.is_some()).then_some(NanWatch { found: &made });
        let mut more = true;
        while more {
            let moment = self.run.moment();
            let at = moment.steps;
            if at >= to || moment.end.is_some() || goal.is_some() && self.handed.is_new() {
                break;
            }
            if at.is_multiple_of(SPACING) && !self.checkpoints.has(at) {
                self.checkpoints.add(at, self.run.clone(), self.run.size());
            }
            let chunk = to.min((at / SPACING + 1) * SPACING);
            let (observer, stop) = (nans.as_mut().map(|nans| nans as _), &self.launches.stop);
            self.run.advance(launch, memory, stop, observer, &mut |moment| {
                if let Some(detector) = &mut detector {
                    more = found(moment.steps, detector.after(moment, made.take()));
                }
                more && moment.steps < chunk
            })?;
        }
        Ok(())
    }

    /// The stops without running: breakpoints at the present position, and whether the goal is
    /// reached.
    fn found_here(&self, goal: &Goal) -> Found {
        let (stops, memory) = (&self.stops.list, &self.launches.current.1);
        let detector = Detector::new(stops, goal, self.slot, self.launch(), memory);
        detector.here(&self.run.moment())
    }

    /// The breakpoints at the present position, which a run from here does not find; their hits
    /// count. Returns those that stop.
    pub fn breaks_here(&mut self) -> Vec<(u32, String)> {
        let found = self.found_here(&Goal::Job);
        Session::count(&mut self.stops.list, &found.breaks)
    }

    /// Counts hits. Returns those that stop the run.
    fn count(stops: &mut [StopPoint], hits: &[(usize, String)]) -> Vec<(u32, String)> {
        let counted = hits.iter().filter(|(n, _)| stops[*n].count());
        let counted: Vec<_> = counted.cloned().collect();
        counted.into_iter().map(|(n, text)| (stops[n].id, text)).collect()
    }

    /// Runs to a goal or a stop. In reverse, a change, event or finding stops before the instruction
    /// that caused it.
    ///
    /// # Errors
    /// If a goal is nowhere in the job, or the run is stopped; the session is then where the run
    /// was.
    pub fn run(&mut self, direction: Direction, goal: &Goal) -> Done<Halt> {
        if let Goal::Location(place) = goal {
            self.check_place(place)?;
        }
        let result = match direction {
            Direction::Forward => self.forward(goal),
            Direction::Back => self.back(goal),
        };
        self.ended = result == Ok(Halt::End);
        self.show_memory()?;
        result
    }

    fn forward(&mut self, goal: &Goal) -> Done<Halt> {
        let mut left = match goal {
            Goal::Steps(steps) => *steps,
            _ => u64::MAX,
        };
        while left > 0 {
            self.take_over();
            let Moment { steps, end, .. } = self.run.moment();
            if end.is_some() {
                let Some(start) = self.next_group()? else { return Ok(Halt::End) };
                self.enter(start);
                left -= 1;
                let found = self.found_here(goal);
                let hits = Session::count(&mut self.stops.list, &found.breaks);
                if !hits.is_empty() {
                    return Ok(Halt::Stops(hits));
                }
                if found.goal {
                    return Ok(Halt::Goal);
                }
                continue;
            }
            let mut halt = None;
            let mut stops = self.stops.list.clone();
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
            self.stops.list = stops;
            result?;
            left -= self.run.moment().steps - steps;
            if let Some(halt) = halt {
                return Ok(halt);
            }
        }
        match self.run.moment().end {
            Some(_) if self.next_group()?.is_none() => Ok(Halt::End),
            _ => Ok(Halt::Goal),
        }
    }

    fn back(&mut self, goal: &Goal) -> Done<Halt> {
        let mut left = match goal {
            Goal::Steps(steps) => *steps,
            _ => u64::MAX,
        };
        while left > 0 {
            self.take_over();
            let steps = self.run.moment().steps;
            if steps == 0 {
                let Some(start) = self.group_before()? else { return Ok(Halt::Start) };
                self.enter(start);
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
            if self.run.moment().steps < steps {
                // New stops: they count from the step that the session has gone back to.
                self.restore(steps, steps)?;
                continue;
            }
            for (step, hits, reached) in places.iter().rev() {
                let hits = Session::count(&mut self.stops.list, hits);
                if !hits.is_empty() || *reached {
                    self.restore(*step, *step)?;
                    return Ok(if hits.is_empty() { Halt::Goal } else { Halt::Stops(hits) });
                }
            }
            self.restore(from, from)?;
            left -= steps - from;
        }
        let first = self.run.moment().steps == 0 && self.group_before()?.is_none();
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

    /// The group at a step.
    pub(super) fn at_step(&mut self, step: u64) -> Done<GroupRun> {
        let here = self.run.clone();
        let result = self.restore(step, step);
        let there = std::mem::replace(&mut self.run, here);
        self.show_memory()?;
        result.map(|()| there)
    }

    /// Shows the steps from `from` up to `to`, and at least one unless the group has ended.
    pub(super) fn replay(
        &mut self,
        from: u64,
        to: u64,
        seen: &mut dyn FnMut(&Step<'_>),
    ) -> Done<()> {
        let mut run = self.at_step(from)?;
        let (number, memory) = &self.launches.current;
        let (launch, stop) = (self.launches.at(*number), &self.launches.stop);
        run.advance(launch, memory, stop, Some(&mut Seen(seen)), &mut |moment| moment.steps < to)?;
        Ok(())
    }

    /// The last step before a step for which `found` has something: its number, its pc, and that.
    pub(super) fn last<T>(
        &mut self,
        mut to: u64,
        found: &dyn Fn(&Step<'_>) -> Option<T>,
    ) -> Done<Option<(u64, u32, T)>> {
        let mut last = None;
        while to > 0 && last.is_none() {
            let from = self.checkpoints.nearest(to - 1).map_or(0, |(at, _)| at);
            self.replay(from, to, &mut |step| {
                if let Some(found) = found(step) {
                    last = Some((step.before.executed(), step.pc, found));
                }
            })?;
            to = from;
        }
        Ok(last)
    }
}

/// Shows steps to a function.
struct Seen<'a>(&'a mut dyn FnMut(&Step<'_>));

impl Observer for Seen<'_> {
    fn step(&mut self, step: &Step<'_>) {
        (self.0)(step);
    }
}
