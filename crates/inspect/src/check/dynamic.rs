//! Checks of a run: observers of the reference engine, one file each.
//!
//! * `uninitialised`: undefined values, from the unwritten register to their effect; `tags`
//!   and `cause` say where they come from, `needed` whether there can be any.
//! * `constants`, `clamped`, `races`, `points`, `numbers`, `stale`: the other checks, each with the
//!   words of its findings.
//! * `hits`: the mistakes found so far; `names`: registers in words.
//! * `steps`: what one group shows, step by step, for debuggers.
//!
//! A launch runs on all cores. Each part of it has its own checks, which are merged: what is found
//! does not depend on the parts. With a sample of the groups, the block engine computes what the
//! launch writes.

mod cause;
mod clamped;
mod constants;
mod hits;
mod names;
mod needed;
mod numbers;
mod order;
mod points;
mod races;
mod stale;
mod steps;
mod tags;
mod uninitialised;

pub use hits::PointSet;
pub use races::LaunchWrites;
pub use steps::{GroupCheck, check_group, launch_writes};

use super::{Code, Finding, Findings};
use ctm_isa::isa::{To, Write};
use ctm_jobs::job::{Job, JobError, RunOptions, RunProgress};
use ctm_lang::program::Program;
use ctm_machine::engine::block::Block;
use ctm_machine::engine::reference::{GroupEffects, GroupState, Observer, Reference, Step, Store};
use ctm_machine::engine::{Checked, Engine, LaunchError, Outcome, Progress, Stop};
use ctm_machine::launch::Launch;
use ctm_machine::memory::Memory;
use hits::Hits;
use races::Races;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Options of the checks of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The codes; those that are found without a run are ignored.
    pub codes: Vec<Code>,
    /// The number of points to check, in whole groups spread over the domain; `None`: all.
    pub points: Option<u64>,
    /// The job's own options.
    pub run: RunOptions,
}

impl Default for Options {
    /// All codes that are reported by default, all points.
    fn default() -> Options {
        let codes = Code::ALL.iter().copied().filter(|code| !code.is_static() && code.is_default());
        Options { codes: codes.collect(), points: None, run: RunOptions::default() }
    }
}

/// Findings of a run.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The findings.
    pub findings: Findings,
    /// For each code that was found, the points that had it, by pass.
    pub points: BTreeMap<(Code, usize), PointSet>,
    /// Point-instructions that were checked.
    pub checked: u64,
}

impl Found {
    fn merge(&mut self, other: Found) {
        self.findings.extend(other.findings);
        for (key, points) in other.points {
            self.points.entry(key).or_default().merge(points);
        }
        self.checked += other.checked;
    }

    /// Adds the faults of a launch. Of their points, only the first one of each kind is known.
    fn add_faults(
        &mut self,
        outcome: &Outcome,
        launch: &Checked<'_>,
        options: &Options,
        pass: usize,
    ) {
        if !options.codes.contains(&Code::Fault) {
            return;
        }
        for (code, fault) in outcome.faults.iter() {
            let meaning = code.meaning_within(launch.limits.instructions);
            let message = meaning + &fault.detail(code, launch.program.image());
            let finding = Finding::new(Code::Fault, Some(fault.pc), code.name(), message);
            let finding = finding.pass(pass).at((fault.i, fault.j));
            self.findings.add(Finding { count: fault.count, ..finding });
            self.points.entry((Code::Fault, pass)).or_default().insert((fault.i, fault.j));
        }
    }
}

/// Runs a job and checks its launches. Nothing is written to files.
///
/// # Errors
/// As [`Job::run`].
pub fn check_job(
    job: &Job,
    options: &Options,
    progress: &dyn RunProgress,
) -> Result<Found, JobError> {
    let (mut memory, mut surfaces) = job.upload()?;
    let mut found = Found::default();
    let mut number = 0;
    let launches = job.launches();
    job.each_launch(&options.run, &mut surfaces, |launch, pool| {
        let at = JobProgress { inner: progress, launch: number, launches };
        let pass = job.pass_of(number).map_or(0, |(pass, _)| pass);
        let (new, outcome) = check(launch, &mut memory, options, number, pass, &at)?;
        found.merge(new);
        pool.after(&outcome);
        number += 1;
        Ok(())
    })?;
    found.findings = found.findings.of_programs(|a, b| of_one_program(job, a, b));
    Ok(found)
}

/// Whether two findings in a job are about the same program.
pub fn of_one_program(job: &Job, a: &Finding, b: &Finding) -> bool {
    let program = |finding: &Finding| job.passes.get(finding.pass).map(|pass| &pass.program);
    program(a).zip(program(b)).is_some_and(|(a, b)| Arc::ptr_eq(a, b))
}

struct JobProgress<'a> {
    inner: &'a dyn RunProgress,
    launch: u64,
    launches: u64,
}

impl Progress for JobProgress<'_> {
    fn groups(&self, done: u64, total: u64) {
        self.inner.at(self.launch, self.launches, done, total);
    }
    fn stop(&self) -> &Stop {
        self.inner.stop()
    }
}

/// Runs one launch and checks it. Memory and outcome are those of a run without checks.
///
/// # Errors
/// If it was stopped.
pub fn check_launch(
    launch: &Checked<'_>,
    memory: &mut Memory,
    options: &Options,
    progress: &dyn Progress,
) -> Result<(Found, Outcome), LaunchError> {
    check(launch, memory, options, 0, 0, progress)
}

fn check(
    launch: &Checked<'_>,
    memory: &mut Memory,
    options: &Options,
    number: u64,
    pass: usize,
    progress: &dyn Progress,
) -> Result<(Found, Outcome), LaunchError> {
    // Groups that share registers run together or not at all.
    let shares = launch.program.sharing().is_some();
    let groups = launch.grouping.sample(options.points.filter(|_| !shares));
    let (whole, mut checks) = observe(launch, number, memory, &groups, &options.codes, progress)?;
    let mut found = checks.found(pass, None);
    found.checked = whole.statistics().lane_instructions;
    let before = (shares && options.codes.contains(&Code::OrderDependent)).then(|| memory.copy());
    let before = before
        .transpose()
        .map_err(|error| LaunchError::Failed { engine: "check", reason: error.to_string() })?;
    let outcome = if groups.len() as u64 == launch.grouping.count() {
        whole.finish(launch, memory)
    } else {
        Block::new().run_checked(launch, memory, progress.stop())?
    };
    if let Some(mut before) = before {
        let mut order = order::check(launch, &mut before, memory, &outcome, progress)?;
        order.findings = order.findings.into_iter().map(|one| one.pass(pass)).collect();
        found.merge(order);
    }
    found.add_faults(&outcome, launch, options, pass);
    Ok((found, outcome))
}

/// Runs some groups of a launch with checks, on all cores. `number` is that of the launch in the run.
fn observe<'a>(
    launch: &'a Checked<'a>,
    number: u64,
    memory: &Memory,
    groups: &[u64],
    codes: &[Code],
    progress: &dyn Progress,
) -> Result<(GroupEffects, Checks<'a>), LaunchError> {
    let new = || Checks::new(launch, number, codes);
    let mut checks = new();
    let take = &mut |other| checks.append(other);
    let part = Reference::new().observe(launch, memory, groups, progress, &new, take)?;
    Ok((part, checks))
}

/// A check of a run. It adds what it finds to the [`Hits`].
trait Check: Send {
    /// A group begins.
    fn begin(&mut self) {}
    /// An instruction has run. `effective` has the slots in which each channel of an ALU result has
    /// an effect.
    fn step(&mut self, _step: &Step<'_>, _effective: &[u64; 4], _hits: &mut Hits) {}
    /// A group has ended without a fault. The points in `writers` write their outputs.
    fn end(&mut self, _group: &GroupState, _writers: u64, _hits: &mut Hits) {}
}

/// All checks of a part of a launch.
struct Checks<'a> {
    program: &'a Program,
    codes: Vec<Code>,
    number: u64,
    checks: Vec<Box<dyn Check + 'a>>,
    races: Option<Races>,
    hits: Hits,
    /// The points of the group whose outputs the conditional operation dropped.
    dropped: u64,
}

impl<'a> Checks<'a> {
    fn new(launch: &'a Checked<'a>, number: u64, codes: &[Code]) -> Checks<'a> {
        use Code::*;
        let on = |any: &[Code]| any.iter().any(|code| codes.contains(code));
        fn some<'c>(check: Option<impl Check + 'c>) -> Option<Box<dyn Check + 'c>> {
            Some(Box::new(check?))
        }
        let unset = on(&[Uninitialised, UninitialisedPredicate]);
        let checks = [
            some(unset.then(|| uninitialised::Uninitialised::new(launch)).flatten()),
            some(on(&[MissingConstant]).then(|| constants::Constants::new(launch)).flatten()),
            some(on(&[ClampedFetch]).then(|| clamped::Clamped::new(launch)).flatten()),
            some(on(&[PointOutput]).then(|| points::Points::new(launch)).flatten()),
            some(on(&[NotFinite]).then_some(numbers::NotFinite)),
            some(on(&[Flushed]).then_some(numbers::Flushed)),
            some(on(&[StaleRead]).then(|| stale::Stale::new(launch.reads_back()))),
        ];
        Checks {
            program: &launch.program,
            codes: codes.to_vec(),
            number,
            checks: checks.into_iter().flatten().collect(),
            races: on(&[WriteRace, ReadRace]).then(|| Races::new(launch)).flatten(),
            hits: Hits::new(number),
            dropped: 0,
        }
    }

    /// Adds another part of the same launch.
    fn append(&mut self, other: Checks<'_>) {
        self.hits.merge(other.hits);
        if let (Some(own), Some(other)) = (&mut self.races, other.races) {
            own.append(other);
        }
    }

    /// Whether `found` would find nothing.
    fn is_empty(&self) -> bool {
        self.hits.is_empty() && self.races.as_ref().is_none_or(Races::is_empty)
    }

    /// The findings since the last call, in words. `writes`: as in [`Races::take`].
    fn found(&mut self, pass: usize, writes: Option<&LaunchWrites>) -> Found {
        if let Some(races) = &mut self.races {
            races.take(writes, &mut self.hits);
        }
        let hits = std::mem::replace(&mut self.hits, Hits::new(self.number));
        let (findings, points) = hits.told(self.program);
        let wanted = |code: &Code| self.codes.contains(code);
        let findings = findings.into_iter().filter(|one| wanted(&one.code));
        let points = points.into_iter().filter(|(code, _)| wanted(code));
        Found {
            findings: findings.map(|one| one.pass(pass)).collect(),
            points: points.map(|(code, points)| ((code, pass), points)).collect(),
            checked: 0,
        }
    }
}

impl Observer for Checks<'_> {
    fn begin(&mut self, _group: &GroupState) {
        self.dropped = 0;
        self.checks.iter_mut().for_each(|check| check.begin());
    }

    fn step(&mut self, step: &Step<'_>) {
        let effective = effective(step);
        for check in &mut self.checks {
            check.step(step, &effective, &mut self.hits);
        }
        if let Some(races) = &mut self.races {
            races.step(step);
        }
    }

    fn end(&mut self, group: &GroupState, faulted: bool) {
        // A group that faulted writes nothing.
        for check in self.checks.iter_mut().filter(|_| !faulted) {
            check.end(group, group.covered() & !self.dropped, &mut self.hits);
        }
    }

    fn dropped(&mut self, _group: &GroupState, slot: usize) {
        self.dropped |= 1 << slot;
    }

    fn stored(&mut self, store: &Store) {
        if let Some(races) = &mut self.races {
            races.stored(store);
        }
    }
}

/// For each channel of an ALU or OUT instruction, the slots in which its result has an effect: the
/// predicates let it be written.
fn effective(step: &Step<'_>) -> [u64; 4] {
    let mut effective = [0; 4];
    for slot in (0..step.results.len()).filter(|&slot| step.result(slot).is_some()) {
        let gate = step.gate(slot);
        for write in &step.access.writes {
            let on = match write.to {
                To::Uncached => gate == 15,
                _ => write.gate.is_none() || gate >> write.channel & 1 != 0,
            };
            effective[write.channel] |= u64::from(on) << slot;
        }
    }
    effective
}

/// The first OUT that writes some of these channels of an output.
fn first_out(program: &Program, output: usize, mask: u8) -> Option<u32> {
    let accesses = program.accesses();
    let writes = |write: &Write| write.to == To::Output(output) && mask >> write.channel & 1 != 0;
    accesses.iter().position(|access| access.writes.iter().any(writes)).map(|pc| pc as u32)
}

/// The channels of each output that a point of a launch is expected to write: those that the output
/// stores and the mask lets through, of the outputs that the program writes at all. None of an
/// uncached program.
fn expected_outputs(launch: &Launch) -> [u8; 4] {
    let uses = launch.program.uses();
    [0, 1, 2, 3].map(|n| match launch.outputs[n] {
        Some(surface) if uses.outputs >> n & 1 != 0 && !launch.program.umrt() => {
            launch.out_mask & ((1 << surface.format.channels()) - 1) as u8
        }
        _ => 0,
    })
}
