//! A session: its position, its stops, and the point that it looks at.

use super::error::DebugError;
use super::expression::{Expression, Scope, Value};
use super::findings::Known;
use super::kept::Kept;
use super::launches::{Launches, Start};
use super::plan::Plan;
use super::stops::{Cause, Handed, Location, StopPoint, Stops};
use ctm_lang::program::Image;
use ctm_machine::engine::reference::{GroupRun, Moment};
use ctm_machine::engine::{Checked, Stop};
use ctm_machine::memory::Memory;
use std::sync::Arc;

/// Bytes for the checkpoints of a group.
const ROOM: usize = 32 << 20;

pub(super) type Done<T> = Result<T, DebugError>;

/// The position of a session. Step N is the state after N instructions of the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The launch, over all passes.
    pub launch: u64,
    /// The group of the launch, in row-major order of tiles.
    pub group: u64,
    /// Instructions of the group that have run.
    pub step: u64,
}

/// A session over the launches of a [`Plan`].
pub struct Session<'a> {
    pub(super) launches: Launches<'a>,
    pub(super) group: u64,
    pub(super) run: GroupRun,
    /// Memory after the launch, at the end of its last group.
    pub(super) after: Option<Arc<Memory>>,
    pub(super) slot: usize,
    pub(super) checkpoints: Kept<GroupRun>,
    pub(super) stops: Stops,
    /// The parts of the stops that a snapshot of this session changes while it runs.
    pub(super) handed: Handed,
    pub(super) known: Known,
    /// Whether the last run came to the end of the job.
    pub(super) ended: bool,
}

impl<'a> Session<'a> {
    /// A session before the first instruction of the first group. `stop` ends a run at an
    /// instruction.
    ///
    /// # Errors
    /// If a launch cannot run, memory cannot be allocated, or no point runs.
    pub fn new(plan: &'a Plan, stop: Stop) -> Done<Session<'a>> {
        let mut launches = Launches::new(plan, stop)?;
        let nothing = || DebugError("no point of the job runs".to_string());
        let start = launches.next(0, 0)?.ok_or_else(nothing)?;
        let mut session = Session {
            launches,
            group: start.group,
            run: start.run.clone(),
            after: None,
            slot: 0,
            checkpoints: Kept::new(ROOM),
            stops: Stops::default(),
            handed: Handed::default(),
            known: Known::default(),
            ended: false,
        };
        session.enter(start);
        Ok(session)
    }

    /// A session at the same position with the same stops. It answers for this one while this one
    /// runs in another thread. It keeps no checkpoints, so a snapshot is cheap.
    #[must_use]
    pub fn snapshot(&self) -> Session<'a> {
        Session {
            launches: self.launches.snapshot(),
            group: self.group,
            run: self.run.clone(),
            after: self.after.clone(),
            slot: self.slot,
            checkpoints: Kept::new(ROOM),
            stops: self.stops.clone(),
            handed: self.handed.clone(),
            known: Known::default(),
            ended: self.ended,
        }
    }

    /// Hands the stops of a snapshot to the session that it was made of. If that one runs, it stops at
    /// them from now on.
    pub fn hand_over(&self) {
        self.handed.hand_over(&self.stops);
    }

    /// Takes over the stops of a snapshot, if it has handed any over.
    pub fn take_over(&mut self) {
        self.handed.take_over(&mut self.stops);
    }

    /// Replaces what ends a run at an instruction.
    pub fn set_stop(&mut self, stop: Stop) {
        self.launches.stop = stop;
    }

    /// The plan.
    pub fn plan(&self) -> &'a Plan {
        self.launches.plan
    }
    /// Its position.
    pub fn position(&self) -> Position {
        Position {
            launch: self.launches.current.0,
            group: self.group,
            step: self.run.moment().steps,
        }
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
        self.launches.at(self.launches.current.0)
    }
    /// The running program's image.
    pub fn image(&self) -> &'a Image {
        self.launch().launch().program.image()
    }
    /// The memory that commands show: before the launch, or after it once the last group has ended.
    pub fn memory(&self) -> &Memory {
        self.after.as_deref().unwrap_or(&self.launches.current.1)
    }
    /// Whether it stopped at the end of the job, and has not moved since.
    pub fn has_ended(&self) -> bool {
        self.ended
    }
    /// Breakpoints, watches and events.
    pub fn stops(&self) -> &[StopPoint] {
        &self.stops.list
    }

    /// Goes to the start of a group. Its first point is looked at.
    pub(super) fn enter(&mut self, start: Start) {
        let Start { launch, group, memory, pool, run } = start;
        self.after = None;
        self.ended = false;
        self.slot = run.moment().group.started().trailing_zeros() as usize;
        self.checkpoints.clear();
        self.checkpoints.add(0, run.clone(), run.size());
        (self.launches.current, self.launches.pool) = ((launch, memory), pool);
        (self.group, self.run) = (group, run);
    }

    /// Adds a stop. Returns its number.
    ///
    /// # Errors
    /// If no pass has the place, or an expression has no value in any pass.
    pub fn add_stop(
        &mut self,
        cause: Cause,
        condition: Option<String>,
        hit: Option<u64>,
    ) -> Done<u32> {
        match &cause {
            Cause::At(place) => self.check_place(place)?,
            Cause::Change(text) => self.can_watch(text)?,
            Cause::Finding(Some(code)) if code.is_static() => {
                return Err(DebugError(format!(
                    "{code} is found without a run: ctm check shows it"
                )));
            }
            Cause::Nan | Cause::Fault | Cause::Divergence | Cause::Finding(_) => {}
        }
        if let Some(condition) = &condition {
            self.check_expression(condition, |value| value.truth().map(drop))?;
        }
        Ok(self.stops.add(cause, condition, hit))
    }

    /// Removes a stop.
    ///
    /// # Errors
    /// If there is none with this number.
    pub fn remove_stop(&mut self, id: u32) -> Done<()> {
        let n = self.stops().iter().position(|stop| stop.id == id);
        let n = n.ok_or_else(|| DebugError(format!("there is no stop {id}")))?;
        self.stops.list.remove(n);
        Ok(())
    }

    pub(super) fn check_place(&self, place: &Location) -> Done<()> {
        let mut images = self.launches.distinct().map(|launch| launch.program.image());
        if images.any(|image| !place.pcs(image).is_empty()) {
            Ok(())
        } else {
            Err(DebugError(format!("{place}: no program of the job has it")))
        }
    }

    /// Whether a watch can look at an expression.
    ///
    /// # Errors
    /// If it has no value in any pass.
    pub fn can_watch(&self, text: &str) -> Done<()> {
        self.check_expression(text, |_| Ok(()))
    }

    /// Checks that some launch of the job gives an expression a usable value. The error is that of
    /// the running launch.
    fn check_expression(
        &self,
        text: &str,
        wanted: impl Fn(Value) -> Result<(), String>,
    ) -> Done<()> {
        let check = |launch: &Checked<'_>| {
            let scope = Scope { launch, ..self.scope() };
            let expression = Expression::parse(text, launch.program.image())?;
            match expression.evaluate(&scope) {
                // It has a value where its variables have one.
                Err(_) if expression.names_source() => Ok(()),
                value => wanted(value?),
            }
        };
        let here = check(self.launch());
        if here.is_err() && self.launches.distinct().any(|launch| check(launch).is_ok()) {
            Ok(())
        } else {
            Ok(here?)
        }
    }

    /// The value of an expression at the point that is looked at.
    ///
    /// # Errors
    /// It has none: the reason.
    pub fn evaluate(&self, expression: &Expression) -> Done<Value> {
        self.evaluate_at(self.slot, expression)
    }

    /// The value of an expression at the point of a slot.
    ///
    /// # Errors
    /// It has none: the reason.
    pub fn evaluate_at(&self, slot: usize, expression: &Expression) -> Done<Value> {
        Ok(expression.evaluate(&self.scope_of(slot))?)
    }

    pub(super) fn scope(&self) -> Scope<'_> {
        self.scope_of(self.slot)
    }

    pub(super) fn scope_of(&self, slot: usize) -> Scope<'_> {
        Scope { moment: self.moment(), slot, launch: self.launch(), memory: self.memory() }
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
        let start = self.launches.start(self.launches.current.0, n)?.ok_or_else(missing)?;
        let slot = start.run.moment().group.slot_of((i, j)).ok_or_else(missing)?;
        self.enter(start);
        self.slot = slot;
        Ok(())
    }

    /// Goes to the start of the first group of a launch that runs.
    ///
    /// # Errors
    /// If no group of the launch runs.
    pub fn go_to_launch(&mut self, launch: u64) -> Done<()> {
        let start = self.launches.next(launch, 0)?.filter(|start| start.launch == launch);
        let start = start.ok_or_else(|| DebugError("no point of the launch runs".to_string()))?;
        self.enter(start);
        Ok(())
    }

    /// Goes to the start of a group of a launch.
    ///
    /// # Errors
    /// If there is none, or none of its points runs.
    pub fn go_to_group(&mut self, launch: u64, group: u64) -> Done<()> {
        let launches = self.plan().launches();
        if launch >= launches {
            let last = launches - 1;
            return Err(DebugError(format!("there is no launch {launch}; the last one is {last}")));
        }
        let count = self.launches.at(launch).grouping.count();
        if group >= count {
            return Err(DebugError(format!("there is no group {group}; the launch has {count}")));
        }
        let start = self.launches.start(launch, group)?;
        let start = start.ok_or_else(|| DebugError(format!("no point of group {group} runs")))?;
        self.enter(start);
        Ok(())
    }
}
