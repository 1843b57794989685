//! The launches of a plan, the memory before each of them, and their groups.

use super::error::DebugError;
use super::kept::Kept;
use super::plan::Plan;
use ctm_machine::engine::Engine;
use ctm_machine::engine::block::Block;
use ctm_machine::engine::reference::{GroupRun, Reference, Simd};
use ctm_machine::engine::{Checked, Pool, Stop};
use ctm_machine::launch::FloatMode;
use ctm_machine::memory::Memory;
use std::sync::Arc;

/// Bytes for memories between launches.
const ROOM: usize = 32 << 20;

/// A group before its first instruction.
pub(super) struct Start {
    pub launch: u64,
    pub group: u64,
    /// Memory before the launch.
    pub memory: Arc<Memory>,
    /// The global registers before the launch.
    pub pool: Pool,
    pub run: GroupRun,
}

/// The memory and global registers before a launch.
#[derive(Clone)]
pub(super) struct Before {
    pub memory: Arc<Memory>,
    pub pool: Pool,
}

/// The groups of a launch with data sharing.
struct Pairs {
    launch: u64,
    /// The groups that run, in order.
    running: Vec<u64>,
    /// The registers of SIMDs before pairs.
    before: Kept<Simd>,
}

/// The launches of a plan.
pub(super) struct Launches<'a> {
    pub plan: &'a Plan,
    /// Ends a run at an instruction.
    pub stop: Stop,
    /// The current launch and its input memory. It is never evicted.
    pub current: (u64, Arc<Memory>),
    /// The global registers before it.
    pub pool: Pool,
    /// By pass; snapshots share them.
    checked: Arc<[Vec<Checked<'a>>]>,
    /// The state before launches, by their numbers.
    kept: Kept<Before>,
    pairs: Option<Pairs>,
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
            checked.push(launches);
        }
        let size = plan.memory.ranges().map(|(_, bytes)| bytes.len()).sum();
        let current = (0, Arc::clone(&plan.memory));
        let (pool, kept) = (Pool::default(), Kept::new(ROOM));
        let checked = checked.into();
        Ok(Launches { plan, stop, current, pool, checked, kept, pairs: None, size })
    }

    /// The same launches at the same one, with nothing kept of others.
    pub fn snapshot(&self) -> Launches<'a> {
        Launches {
            plan: self.plan,
            stop: self.stop.clone(),
            current: self.current.clone(),
            pool: self.pool.clone(),
            checked: Arc::clone(&self.checked),
            kept: Kept::new(ROOM),
            pairs: None,
            size: self.size,
        }
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
        Ok(self.before_launch(launch)?.memory)
    }

    /// The state before a launch.
    pub fn before_launch(&mut self, launch: u64) -> Result<Before, DebugError> {
        let kept = self.kept.nearest(launch).map(|(at, before)| (at, before.clone()));
        let (number, memory) = &self.current;
        let current = Before { memory: Arc::clone(memory), pool: self.pool.clone() };
        let current = Some((*number, current)).filter(|(at, _)| *at <= launch);
        let first = Before { memory: Arc::clone(&self.plan.memory), pool: Pool::default() };
        let nearest = kept.into_iter().chain(current).max_by_key(|(at, _)| *at);
        let (mut at, mut before) = nearest.unwrap_or((0, first));
        while at < launch {
            let mut memory = before.memory.copy().map_err(|e| DebugError(e.to_string()))?;
            let ready = before.pool.launch(self.at(at));
            let checked = Checked::new(&ready)?;
            // Nobody looks at this launch. In mode `fast` each engine has its own bits.
            let outcome = match checked.mode {
                FloatMode::Exact | FloatMode::Chip => {
                    Block::new().run_checked(&checked, &mut memory, &self.stop)?
                }
                FloatMode::Fast => {
                    Reference::new().run_checked(&checked, &mut memory, &self.stop)?
                }
            };
            before.pool.after(&outcome);
            at += 1;
            before.memory = Arc::new(memory);
            self.kept.add(at, before.clone(), self.size);
        }
        Ok(before)
    }

    /// A group of a launch; `None` if none of its points runs.
    pub fn start(&mut self, launch: u64, group: u64) -> Result<Option<Start>, DebugError> {
        let Before { memory, pool } = self.before_launch(launch)?;
        let run = match self.at(launch).program.sharing() {
            None => GroupRun::new(self.at(launch), &memory, group),
            Some(_) => self.start_in_pair(launch, &memory, &pool, group)?,
        };
        Ok(run.map(|run| Start { launch, group, memory, pool, run }))
    }

    /// A group of a launch with data sharing: from the registers of its SIMD before its pair.
    fn start_in_pair(
        &mut self,
        launch: u64,
        memory: &Memory,
        pool: &Pool,
        group: u64,
    ) -> Result<Option<GroupRun>, DebugError> {
        if self.pairs.as_ref().is_none_or(|pairs| pairs.launch != launch) {
            let checked = self.at(launch);
            let runs = |n: &u64| GroupRun::new(checked, memory, *n).is_some();
            let running = (0..checked.grouping.count()).filter(runs).collect();
            self.pairs = Some(Pairs { launch, running, before: Kept::new(ROOM) });
        }
        let (pass, repetition) = self.plan.pass_of(launch);
        let launches = &self.checked[pass];
        let checked = &launches[repetition as usize % launches.len()];
        let (Some(pairs), Some(shared)) = (&mut self.pairs, &pool.launch(checked).shared) else {
            return Ok(None);
        };
        let Some(position) = pairs.running.iter().position(|&n| n == group) else {
            return Ok(None);
        };
        let (simds, simd) = (shared.simds as usize, position % shared.simds as usize);
        let own: Vec<u64> = pairs.running.iter().copied().skip(simd).step_by(simds).collect();
        let of = |pair: u64| &own[2 * pair as usize..own.len().min(2 * pair as usize + 2)];
        // The pairs of the SIMD follow each other from this key on.
        let first = (simd as u64) << 32;
        let number = (position / simds) as u64;
        let pair = number / 2;
        let known = pairs.before.nearest(first + pair).filter(|(at, _)| *at >= first);
        let known = known.map(|(at, registers)| (at - first, registers.clone()));
        let (mut at, mut registers) = known.unwrap_or_else(|| (0, Simd::new(shared, simd)));
        while at < pair {
            let even = GroupRun::of_pair(checked, memory, of(at), 0, registers, &self.stop)?;
            let missing = || DebugError(format!("pair {at} of SIMD {simd} does not run"));
            registers = even.ok_or_else(missing)?.end_pair(checked, memory, &self.stop)?;
            at += 1;
            pairs.before.add(first + at, registers.clone(), registers.size());
        }
        let parity = (number % 2) as usize;
        Ok(GroupRun::of_pair(checked, memory, of(pair), parity, registers, &self.stop)?)
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
