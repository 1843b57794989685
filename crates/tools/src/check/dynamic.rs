//! Checks of a run: observers of the reference engine, one file each.
//!
//! * `uninitialised`: undefined values, from the unwritten register to their effect; `tags`
//!   and `cause` say where they come from.
//! * `constants`, `clamped`, `races`, `points`, `numbers`, `stale`: the other checks.
//! * `reads`: what every instruction reads, for all of them; `hits`: what they have found.
//! * `text`: findings in words; `steps`: what one group shows, step by step, for debuggers.
//!
//! A launch runs on all cores. Each part of it has its own checks, which are merged: what is found
//! does not depend on the parts. With a sample of the groups, the block engine computes what the
//! launch writes.

mod cause;
mod clamped;
mod constants;
mod hits;
mod needed;
mod numbers;
mod order;
mod points;
mod races;
mod reads;
mod stale;
mod steps;
mod tags;
mod text;
mod uninitialised;

pub use hits::PointSet;
pub use races::LaunchWrites;
pub use steps::{GroupCheck, check_group, launch_writes};

use super::{Code, Finding, Findings};
use ctm_isa::isa::Access;
use ctm_jobs::job::{Job, JobError, RunOptions, RunProgress};
use ctm_machine::engine::block::Block;
use ctm_machine::engine::reference::{GroupState, Observer, Part, Reference, Step, Store};
use ctm_machine::engine::{Checked, Engine, LaunchError, Outcome, Progress};
use ctm_machine::memory::Memory;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What to check in a run.
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

/// What a run showed.
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
    let passes: Vec<u64> = job.passes.iter().map(|pass| pass.repeat.into()).collect();
    job.each_launch(&options.run, &mut surfaces, |launch, pool| {
        let at = JobProgress { inner: progress, launch: number, launches };
        let pass = pass_of(&passes, number);
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

/// The pass of a launch.
fn pass_of(repeats: &[u64], mut number: u64) -> usize {
    for (pass, &repeat) in repeats.iter().enumerate() {
        if number < repeat {
            return pass;
        }
        number -= repeat;
    }
    repeats.len()
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
    fn stop(&self) -> &ctm_machine::engine::Stop {
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

/// What all checks of a launch know.
pub(super) struct Setting<'a> {
    launch: &'a Checked<'a>,
    /// What each instruction reads and writes.
    accesses: Arc<Vec<Access>>,
    /// The number of the launch in the run.
    number: u64,
}

impl<'a> Setting<'a> {
    fn of(launch: &'a Checked<'a>) -> Setting<'a> {
        Setting { launch, accesses: launch.program.accesses(), number: 0 }
    }
}

fn check(
    launch: &Checked<'_>,
    memory: &mut Memory,
    options: &Options,
    number: u64,
    pass: usize,
    progress: &dyn Progress,
) -> Result<(Found, Outcome), LaunchError> {
    let setting = Setting { number, ..Setting::of(launch) };
    // Groups that share registers run together or not at all.
    let shares = launch.program.sharing().is_some();
    let groups = launch.grouping.sample(options.points.filter(|_| !shares));
    let (whole, mut checks) = observe(&setting, memory, &groups, &options.codes, progress)?;
    let mut found = checks.found(pass, None);
    found.checked = whole.statistics().lane_instructions;
    let before = (shares && options.codes.contains(&Code::OrderDependent)).then(|| memory.copy());
    let before = before
        .transpose()
        .map_err(|error| LaunchError::Failed { engine: "check", reason: error.to_string() })?;
    let outcome = match groups.len() as u64 == launch.grouping.count() {
        true => whole.finish(launch, memory),
        false => Block::new().run_checked(launch, memory, progress.stop())?,
    };
    if let Some(mut before) = before {
        let mut order = order::check(&setting, &mut before, memory, &outcome, progress)?;
        order.findings = order.findings.into_iter().map(|one| one.pass(pass)).collect();
        found.merge(order);
    }
    found.add_faults(&outcome, launch, options, pass);
    Ok((found, outcome))
}

/// Runs some groups of a launch with checks, on all cores.
fn observe<'a>(
    setting: &'a Setting<'a>,
    memory: &Memory,
    groups: &[u64],
    codes: &[Code],
    progress: &dyn Progress,
) -> Result<(Part, Checks<'a>), LaunchError> {
    let mut checks = Checks::new(setting, codes);
    let new = || Checks::new(setting, codes);
    let take = &mut |other| checks.append(other);
    let part = Reference::new().observe(setting.launch, memory, groups, progress, &new, take)?;
    Ok((part, checks))
}

/// All checks of a part of a launch.
struct Checks<'a> {
    setting: &'a Setting<'a>,
    wanted: Wanted,
    uninitialised: Option<uninitialised::Uninitialised<'a>>,
    constants: Option<constants::Constants<'a>>,
    clamped: Option<clamped::Clamped<'a>>,
    races: Option<races::Races<'a>>,
    points: Option<points::Points>,
    not_finite: Option<numbers::NotFinite<'a>>,
    flushed: Option<numbers::Flushed<'a>>,
    stale: Option<stale::Stale<'a>>,
}

/// The codes that are wanted.
#[derive(Clone)]
struct Wanted(Vec<Code>);

impl Wanted {
    fn any(&self, codes: &[Code]) -> bool {
        codes.iter().any(|code| self.0.contains(code))
    }
}

impl<'a> Checks<'a> {
    fn new(setting: &'a Setting<'a>, codes: &[Code]) -> Checks<'a> {
        use Code::*;
        let wanted = Wanted(codes.to_vec());
        let on = |codes: &[Code]| wanted.any(codes).then_some(());
        Checks {
            setting,
            uninitialised: on(&[Uninitialised, UninitialisedPredicate])
                .and_then(|()| uninitialised::Uninitialised::new(setting)),
            constants: on(&[MissingConstant]).and_then(|()| constants::Constants::new(setting)),
            clamped: on(&[ClampedFetch]).and_then(|()| clamped::Clamped::new(setting)),
            races: on(&[WriteRace, ReadRace]).and_then(|()| races::Races::new(setting)),
            points: on(&[PointOutput]).and_then(|()| points::Points::new(setting)),
            not_finite: on(&[NotFinite]).map(|()| numbers::NotFinite::new(setting)),
            flushed: on(&[Flushed]).map(|()| numbers::Flushed::new(setting)),
            stale: on(&[StaleRead]).map(|()| stale::Stale::new(setting)),
            wanted,
        }
    }

    /// Adds another part of the same launch.
    fn append(&mut self, other: Checks<'_>) {
        macro_rules! merge {
            ($($check:ident)*) => {$(
                if let (Some(own), Some(other)) = (&mut self.$check, other.$check) {
                    own.hits.merge(other.hits);
                }
            )*};
        }
        if let (Some(own), Some(other)) = (&mut self.uninitialised, other.uninitialised) {
            own.hits.merge(other.hits);
            own.of_predicates.merge(other.of_predicates);
        }
        merge! { constants clamped points not_finite flushed stale }
        if let (Some(own), Some(other)) = (&mut self.races, other.races) {
            own.append(other);
        }
    }

    /// Whether `found` would find nothing.
    fn is_empty(&self) -> bool {
        macro_rules! none {
            ($($check:ident)*) => {$(
                self.$check.as_ref().is_none_or(|check| check.hits.is_empty())
            )&&*};
        }
        let predicates = self.uninitialised.as_ref();
        none!(uninitialised constants clamped points not_finite flushed stale)
            && predicates.is_none_or(|check| check.of_predicates.is_empty())
            && self.races.as_ref().is_none_or(races::Races::is_empty)
    }

    /// Forgets what has been found, and goes on.
    fn clear(&mut self) {
        macro_rules! clear {
            ($($check:ident)*) => {$(
                if let Some(check) = &mut self.$check {
                    check.hits.clear();
                }
            )*};
        }
        clear!(uninitialised constants clamped points not_finite flushed stale);
        if let Some(check) = &mut self.uninitialised {
            check.of_predicates.clear();
        }
    }

    /// What has been found, in words. `writes`: as in [`races::Races::take`].
    fn found(&mut self, pass: usize, writes: Option<&LaunchWrites>) -> Found {
        let program = &self.setting.launch.program;
        let mut found = Found::default();
        let mut add = |code: Code, findings: Vec<Finding>, points: &PointSet| {
            if !points.is_empty() && self.wanted.any(&[code]) {
                found.findings.extend(findings.into_iter().map(|one| one.pass(pass)));
                found.points.insert((code, pass), points.clone());
            }
        };
        if let Some(check) = &self.uninitialised {
            for code in [Code::Uninitialised, Code::UninitialisedPredicate] {
                let hits = match code {
                    Code::Uninitialised => &check.hits,
                    _ => &check.of_predicates,
                };
                add(code, text::uninitialised(code, hits, program), hits.points());
            }
        }
        if let Some(check) = &self.constants {
            add(Code::MissingConstant, text::constants(&check.hits, program), check.hits.points());
        }
        if let Some(check) = &self.clamped {
            add(Code::ClampedFetch, text::clamped(&check.hits, program), check.hits.points());
        }
        if let Some(check) = &mut self.races {
            let (writes, fetches) = check.take(writes);
            for (code, hits) in [(Code::WriteRace, writes), (Code::ReadRace, fetches)] {
                add(code, text::races(code, &hits, program), hits.points());
            }
        }
        if let Some(check) = &self.points {
            add(Code::PointOutput, text::points(&check.hits, program), check.hits.points());
        }
        if let Some(check) = &self.not_finite {
            add(Code::NotFinite, text::not_finite(&check.hits), check.hits.points());
        }
        if let Some(check) = &self.flushed {
            add(Code::Flushed, text::flushed(&check.hits), check.hits.points());
        }
        if let Some(check) = &self.stale {
            add(Code::StaleRead, text::stale(&check.hits, program), check.hits.points());
        }
        found
    }
}

/// Passes an event to the checks that take it.
macro_rules! each {
    ($checks:ident: $($check:ident)*, $event:ident $arguments:tt) => {$(
        if let Some(check) = &mut $checks.$check {
            check.$event $arguments;
        }
    )*};
}

impl Observer for Checks<'_> {
    fn begin(&mut self, _group: &GroupState) {
        each!(self: uninitialised points stale, group_begin());
    }

    fn end(&mut self, group: &GroupState, faulted: bool) {
        // A group that faulted writes nothing.
        if !faulted {
            each!(self: uninitialised points, group_end(group));
        }
    }

    fn step(&mut self, step: &Step<'_>) {
        let (group, instruction, results) = (step.before, step.instruction, step.results);
        each!(self: clamped, before(instruction));
        each!(self: uninitialised constants stale, before(group, instruction));
        if !results.is_empty() {
            each!(self: uninitialised, computed(group, instruction, results));
            let lanes = if instruction.common.write_inactive { u64::MAX } else { group.active() };
            let effective = reads::effective(instruction, step.access, group, lanes);
            each!(self: constants, computed(group, &effective));
            each!(self: not_finite flushed, computed(group, instruction, &effective, results));
        }
        for (slot, fetch) in step.fetches {
            each!(self: clamped races stale, load(group, *slot, fetch));
        }
        for &(slot, address) in step.sent {
            each!(self: stale, sent(group, slot, address));
        }
        each!(self: stale, after(instruction));
    }

    fn dropped(&mut self, _group: &GroupState, slot: usize) {
        each!(self: uninitialised points, dropped(slot));
    }

    fn stored(&mut self, store: &Store) {
        each!(self: races, store(store));
    }
}
