//! The launches of a plan, the memory before each of them, and their groups.

use super::error::DebugError;
use super::kept::Kept;
use super::plan::Plan;
use crate::engine::reference::{GroupRun, Reference, Silent};
use crate::engine::{Checked, Stop};
use crate::memory::Memory;
use std::sync::Arc;

/// Bytes for memories between launches.
const ROOM: usize = 32 << 20;

/// A group before its first instruction.
pub(super) struct Start {
    pub launch: u64,
    pub group: u64,
    /// Memory before the launch.
    pub memory: Arc<Memory>,
    pub run: GroupRun,
}

/// The launches of a plan.
pub(super) struct Launches<'a> {
    pub plan: &'a Plan,
    /// Ends a run at an instruction.
    pub stop: Stop,
    /// A launch and the memory before it, which stays whatever is kept of others.
    pub current: (u64, Arc<Memory>),
    checked: Vec<Vec<Checked<'a>>>,
    /// Memory before launches, by their numbers.
    memories: Kept<Arc<Memory>>,
    /// The bytes of a memory.
    size: usize,
}

impl<'a> Launches<'a> {
    /// Checks the launches.
    ///
    /// # Errors
    /// If one cannot run.
    pub fn new(plan: &'a Plan, stop: Stop) -> Result<Launches<'a>, DebugError> {
        let mut checked = Vec::new();
        for launches in plan.distinct() {
            let launches = launches.iter().map(Checked::new).collect::<Result<Vec<_>, _>>()?;
            launches.iter().try_for_each(|launch| launch.refuse_sharing("debug"))?;
            checked.push(launches);
        }
        let size = plan.memory.ranges().map(|(_, bytes)| bytes.len()).sum();
        let current = (0, Arc::clone(&plan.memory));
        Ok(Launches { plan, stop, current, checked, memories: Kept::new(ROOM), size })
    }

    /// A launch.
    pub fn at(&self, launch: u64) -> &Checked<'a> {
        let (pass, repetition) = self.plan.pass_of(launch);
        let launches = &self.checked[pass];
        &launches[repetition as usize % launches.len()]
    }

    /// All distinct launches.
    pub fn distinct(&self) -> impl Iterator<Item = &Checked<'a>> {
        self.checked.iter().flatten()
    }

    /// Memory before a launch; after the last one, what the job leaves.
    pub fn memory_before(&mut self, launch: u64) -> Result<Arc<Memory>, DebugError> {
        let kept = self.memories.nearest(launch);
        let known = kept.into_iter().chain([(0, &self.plan.memory)]);
        let current = Some((self.current.0, &self.current.1)).filter(|&(at, _)| at <= launch);
        let nearest = known.chain(current).max_by_key(|&(at, _)| at);
        let (mut at, mut memory) =
            nearest.map_or((0, Arc::clone(&self.plan.memory)), |(at, m)| (at, Arc::clone(m)));
        while at < launch {
            let mut next = memory.copy().map_err(|error| DebugError(error.to_string()))?;
            let checked = self.at(at);
            Reference::new().run_observed(checked, &mut next, &self.stop, &mut Silent)?;
            at += 1;
            memory = Arc::new(next);
            self.memories.add(at, Arc::clone(&memory), self.size);
        }
        Ok(memory)
    }

    /// A group of a launch; `None` if none of its points runs.
    pub fn start(&mut self, launch: u64, group: u64) -> Result<Option<Start>, DebugError> {
        let memory = self.memory_before(launch)?;
        let run = GroupRun::new(self.at(launch), &memory, group);
        Ok(run.map(|run| Start { launch, group, memory, run }))
    }

    /// The first group that runs, from a group of a launch on.
    pub fn next(&mut self, launch: u64, group: u64) -> Result<Option<Start>, DebugError> {
        let mut from = group;
        for launch in launch..self.plan.launches() {
            for group in from..self.at(launch).grouping.count() {
                self.stop.check()?;
                if let Some(start) = self.start(launch, group)? {
                    return Ok(Some(start));
                }
            }
            from = 0;
        }
        Ok(None)
    }

    /// The last group that runs before a group of a launch.
    pub fn before(&mut self, launch: u64, group: u64) -> Result<Option<Start>, DebugError> {
        let mut to = Some(group);
        for launch in (0..=launch).rev() {
            let to = to.take().unwrap_or(self.at(launch).grouping.count());
            for group in (0..to).rev() {
                self.stop.check()?;
                if let Some(start) = self.start(launch, group)? {
                    return Ok(Some(start));
                }
            }
        }
        Ok(None)
    }
}
