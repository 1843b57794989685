//! The CPU engine: 64 points per micro-operation, registers as a structure of arrays, all cores.
//!
//! It runs the lowered program (`lower`). A group's registers are rows of 64 lanes, so a swizzle is
//! a choice of row. Sets of points are 64-bit masks. The loops over lanes are compiled for several
//! instruction sets and selected at run time.
//!
//! Workers take groups in bands of at most 32 rows of the domain. The outputs of a band are
//! separate slices of memory, so workers write in place without locks. If that is not possible
//! (uncached writes, overlapping surfaces, odd pitches), writes are collected, and applied in the
//! defined order after all groups have read.
//!
//! It knows no instructions beyond the lowered form, and no commands or jobs.

mod batch;
mod code;
mod copy;
mod daz;
mod elements;
mod fetch;
mod flow;
mod io;
mod lanes;
mod loose;
mod machine;
mod memory;
mod plain;
mod rows;
mod simd;
mod start;

#[cfg(test)]
mod tests;

use super::groups::Tile;
use super::stop::Early;
use super::writes::Writes;
use super::{
    BatchProgress, Checked, CheckedItem, Engine, Faults, LaunchError, Outcome, Progress,
    Statistics, Stop, Stopped,
};
use crate::memory::Memory;
use code::Prepared;
use ctm_base::panics;
use io::{Io, LaunchData};
use machine::Machine;
use memory::Band;
use rayon::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The block engine's name.
const NAME: &str = "block";

/// The micro-operations of all groups that take less time than other threads take to begin.
const BRIEF: u64 = 2048;

/// The block engine, the faster one on a CPU. It has no state.
#[derive(Clone, Copy)]
pub struct Block {
    reversed: bool,
    daz: bool,
}

impl Default for Block {
    fn default() -> Block {
        Block { reversed: false, daz: daz::can_run() }
    }
}

impl Block {
    /// Creates the engine.
    pub fn new() -> Block {
        Block::default()
    }

    /// An engine that runs the pairs of groups of a launch with data sharing in reverse: what it
    /// leaves differs where their order matters.
    pub fn reversed() -> Block {
        Block { reversed: true, ..Block::default() }
    }

    /// An engine that lets the processor flush wherever it can, and one that never does: what they compute
    /// is the same. [`Block::new`] is the faster one on this processor.
    pub fn flushing(processor: bool) -> Block {
        Block { daz: processor && daz::can_run(), ..Block::default() }
    }
}

impl Engine for Block {
    fn name(&self) -> &'static str {
        NAME
    }

    fn is_prompt(&self) -> bool {
        true
    }

    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        run(launch, &Prepared::new(launch, self.daz), None, memory, progress, self.reversed)
    }

    fn run_checked_batch(
        &self,
        items: &mut [CheckedItem<'_>],
        progress: &dyn BatchProgress,
    ) -> Vec<Result<Outcome, LaunchError>> {
        batch::run(items, progress, self.daz)
    }
}

/// Runs a launch: on the given machine and this core, or on all cores.
fn run(
    launch: &Checked,
    prepared: &Prepared,
    machine: Option<&mut Machine>,
    memory: &mut Memory,
    progress: &dyn Progress,
    reversed: bool,
) -> Result<Outcome, LaunchError> {
    let total = launch.grouping.count();
    let mut result = GroupEffects::default();
    let shared = launch.shared.as_ref().filter(|_| launch.program.sharing().is_some());
    let mut globals = shared.map(|shared| shared.globals.clone());
    if total != 0 {
        let run = Run {
            launch,
            prepared,
            total,
            done: AtomicU64::new(0),
            progress,
            stop: progress.stop(),
            reversed,
            plan: OnceLock::new(),
        };
        memory::with_bands(launch, memory, |shared_memory, bands| {
            if let Some(registers) = shared {
                let (part, after) = run.simds(shared_memory, registers);
                (result, globals) = (part, Some(after));
                return;
            }
            result = match machine {
                Some(machine) => run.in_turn(shared_memory, bands, machine),
                None => run.bands(shared_memory, bands),
            };
        });
        // Also after a stop: a stopped group may have made some writes in place already.
        std::mem::take(&mut result.writes).apply(memory);
    }
    if let Some(why) = result.stopped {
        return Err(why.into());
    }
    let outcome = launch.outcome(NAME, result.statistics, result.faults, result.foreign);
    Ok(Outcome { shared: globals, ..outcome })
}

/// The results of some of the groups of a launch.
#[derive(Default)]
struct GroupEffects {
    statistics: Statistics,
    faults: Faults,
    writes: Writes,
    foreign: u16,
    /// The reason why some of the groups did not run to their end.
    stopped: Option<Stopped>,
}

impl GroupEffects {
    fn merge(mut self, other: GroupEffects) -> GroupEffects {
        self.statistics += other.statistics;
        self.faults.merge(&other.faults);
        self.writes.append(other.writes);
        self.foreign |= other.foreign;
        self.stopped = self.stopped.or(other.stopped);
        self
    }
}

struct Run<'a> {
    launch: &'a Checked<'a>,
    prepared: &'a Prepared,
    total: u64,
    done: AtomicU64,
    progress: &'a dyn Progress,
    stop: &'a Stop,
    /// Whether the pairs of groups run in reverse.
    reversed: bool,
    /// How it copies, if it does nothing else.
    plan: OnceLock<Option<copy::Plan>>,
}

impl Run<'_> {
    /// Runs all bands, on all cores if there is more than one band.
    fn bands(&self, shared: &LaunchData, bands: Vec<Band>) -> GroupEffects {
        let steps = self.total.saturating_mul(self.prepared.code.len() as u64);
        let brief = steps <= BRIEF && self.prepared.lowered.flows.is_empty();
        if bands.len() <= 1 || brief {
            let mut machine = Machine::reused(self.prepared);
            let effects = self.in_turn(shared, bands, &mut machine);
            machine.keep();
            return effects;
        }
        bands
            .into_par_iter()
            .map_init(
                || Machine::new(self.prepared),
                |machine, band| self.band(shared, band, machine),
            )
            .reduce(GroupEffects::default, GroupEffects::merge)
    }

    /// Runs all bands on this core.
    fn in_turn(
        &self,
        shared: &LaunchData,
        bands: Vec<Band>,
        machine: &mut Machine,
    ) -> GroupEffects {
        bands
            .into_iter()
            .map(|band| self.band(shared, band, machine))
            .fold(GroupEffects::default(), GroupEffects::merge)
    }

    fn band(&self, shared: &LaunchData, band: Band, machine: &mut Machine) -> GroupEffects {
        panics::point("launch", || self.launch.program.image().source.place(0));
        machine.statistics = Statistics::default();
        machine.environment = daz::environment();
        let mut io = Io::new(shared, self.stop, band.outs);
        let tiles = band.tiles;
        let ran = self.stop.check().and_then(|()| {
            let plan = self.plan.get_or_init(|| copy::Plan::of(self.prepared, shared)).as_ref();
            if plan.is_some_and(|plan| copy::band(plan, machine, self.prepared, &mut io, &tiles)) {
                return Ok(());
            }
            tiles.clone().try_for_each(|n| {
                self.stop.check()?;
                let tile = self.launch.grouping.tile(n);
                group(machine, self.prepared, &mut io, tile)
            })
        });
        let count = tiles.end - tiles.start;
        let done = self.done.fetch_add(count, Ordering::Relaxed) + count;
        self.progress.groups(done, self.total);
        GroupEffects {
            statistics: machine.statistics,
            faults: io.faults,
            writes: io.writes,
            foreign: io.foreign,
            stopped: ran.err(),
        }
    }
}

/// Runs one group.
fn group(m: &mut Machine, prepared: &Prepared, io: &mut Io, tile: Tile) -> Result<(), Stopped> {
    match walk(m, prepared, io, Some(tile)) {
        Ok(_) => Ok(()),
        Err(Early::Fault(code)) => {
            io.group_fault(m, code);
            Ok(())
        }
        Err(Early::Stopped(why)) => Err(why),
    }
}

/// Runs the group of a tile, or one instruction of a group that has begun. Returns the pc of the last
/// instruction if it was reached. One function for both, because each of its copies holds the whole engine.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512cd+avx512dq+avx512vl+avx2+fma+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+fma+bmi1+bmi2+lzcnt+popcnt",
    "aarch64+neon"
))]
fn walk(
    m: &mut Machine,
    prepared: &Prepared,
    io: &mut Io,
    tile: Option<Tile>,
) -> Result<Option<u32>, Early> {
    if let Some(tile) = tile {
        let covered = io.start(tile, prepared.start);
        if covered == 0 {
            return Ok(None);
        }
        if let Some(own) = &mut io.own {
            own.clear();
        }
        start::temporaries(m, prepared, io, tile);
        m.start(covered, prepared.start);
    }
    let last = m.execute(prepared, io, tile.is_none())?;
    if tile.is_some() {
        io.end_points(m, prepared, last.unwrap_or(m.pc));
    }
    Ok(last)
}
