//! The profile of a job's time: `ctm profile`.
//!
//! The block engine runs the job, so its effects and its statistics are those of `ctm run --stats`.
//! Before each launch the reference engine runs the launch's groups, or a sample of them, with an
//! observer that counts per instruction (`observe`); their writes are dropped. So the counts of all
//! groups add up to the statistics.
//!
//! A [`Profile`] is plain data. [`text`], [`json`], [`callgrind`], [`heat`] and [`html`] print it. They
//! count nothing.

pub mod callgrind;
pub mod heat;
pub mod html;
pub mod json;
mod observe;
pub mod recording;
pub mod roofline;
pub mod text;
pub mod time;
mod touched;

use ctm_isa::isa::{Body, Instruction, Type};
use ctm_jobs::job::{Job, JobError, JobResult, RunOptions, RunProgress};
use ctm_lang::program::Program;
use ctm_machine::device::{Clocks, active_clocks};
use ctm_machine::engine::block::Block;
use ctm_machine::engine::card;
use ctm_machine::engine::reference::Reference;
use ctm_machine::engine::{Checked, Engine, LaunchError, Outcome, Progress, Statistics};
use ctm_machine::memory::Memory;
use heat::Heat;
use observe::Counter;
use parking_lot::Mutex;
use std::cmp::Reverse;
use std::path::PathBuf;
use std::sync::Arc;
use time::Time;
use touched::Touched;

/// Options of a profile.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Options of the run; statistics are always kept.
    pub run: RunOptions,
    /// Count only a sample of each launch's groups, with about this many points.
    pub points: Option<u64>,
    /// Count only this pass, from 0. All passes run.
    pub pass: Option<usize>,
}

/// Counts of one or several instructions: sums over the groups that were counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Group instructions: how often a group executed it.
    pub groups: u64,
    /// Lane instructions: active covered points, summed over the group instructions.
    pub lanes: u64,
    /// Fetches: the lanes of instructions that fetch.
    pub fetches: u64,
    /// The number of times that the group jumped.
    pub taken: u64,
    /// The number of times that some active covered points wished to jump and others did not.
    pub diverged: u64,
    /// Points killed.
    pub killed: u64,
    /// The number of times that it read a global register that the other group of the pair wrote in
    /// the same step.
    pub conflicts: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.groups += other.groups;
        self.lanes += other.lanes;
        self.fetches += other.fetches;
        self.taken += other.taken;
        self.diverged += other.diverged;
        self.killed += other.killed;
        self.conflicts += other.conflicts;
    }
}

impl Counts {
    /// The part of its 64 lanes that were active and covered, 0 to 1.
    pub fn active(&self) -> f64 {
        match self.groups {
            0 => 0.0,
            groups => self.lanes as f64 / (64 * groups) as f64,
        }
    }

    /// The statistics of one instruction with these counts: groups and points are 0.
    fn statistics(&self, instruction: &Instruction) -> Statistics {
        let mut sum = Statistics {
            lane_instructions: self.lanes,
            fetches: self.fetches,
            divergent: self.diverged,
            killed: self.killed,
            shared_conflicts: self.conflicts,
            ..Statistics::default()
        };
        match instruction.common.class {
            Type::Alu => sum.alu = self.groups,
            Type::Out => sum.out = self.groups,
            Type::Fc => sum.fc = self.groups,
            Type::Tex => sum.tex = self.groups,
        }
        if let Body::Tex(tex) = &instruction.body
            && tex.op.fetches()
        {
            sum.tex_fetching = self.groups;
        }
        sum
    }
}

/// Different elements that fetches of active covered points read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Distinct {
    /// Elements of input surfaces.
    pub elements: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// One or more instructions of a pass, and their counts.
#[derive(Clone, Debug)]
pub struct Row {
    /// The instructions, ascending.
    pub pcs: Vec<u32>,
    /// Their counts.
    pub counts: Counts,
    /// The distinct elements that they fetched.
    pub distinct: Distinct,
    /// Their time on the units of the card, in the model of the performance counters.
    pub clocks: Clocks,
    /// Their part of the time of the pass, of all units together, 0 to 1.
    pub share: f64,
}

/// A line of the source and the instructions that come from it.
#[derive(Clone, Debug)]
pub struct LineRow {
    /// Index of the file in the program's [`SourceMap`](ctm_lang::program::SourceMap).
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
    /// The counts of its instructions.
    pub row: Row,
}

/// The launches of one pass.
#[derive(Debug)]
pub struct PassProfile {
    /// The pass, from 0.
    pub pass: usize,
    /// Its program.
    pub program: Arc<Program>,
    /// The program's file.
    pub program_file: PathBuf,
    /// Launches.
    pub launches: u64,
    /// Groups of all launches, those that a condition at the PE skipped included.
    pub tiles: u64,
    /// The statistics of all launches.
    pub statistics: Statistics,
    /// Groups that were looked at: fewer than `tiles` if this is a sample.
    pub sampled: u64,
    /// The statistics of the groups that were looked at: the sums of `instructions`.
    pub counted: Statistics,
    /// The time on the card.
    pub time: Time,
    /// The active clocks that the performance counters show: they leave the memory out, and have 200
    /// for each launch.
    pub active_clocks: u64,
    /// Bytes of the surfaces that the launches read or write; of those in which a group ran.
    pub bytes: u64,
    /// One for each instruction, executed or not.
    pub instructions: Vec<Row>,
    /// The lines that instructions come from, ascending; empty if the program has no line table.
    pub lines: Vec<LineRow>,
    /// The distinct elements that all fetches of the pass read.
    pub distinct: Distinct,
    /// Instructions of each point.
    pub heat: Heat,
}

impl PassProfile {
    /// Whether only some of the groups were counted.
    pub fn is_sample(&self) -> bool {
        self.sampled < self.tiles
    }
}

/// The profile of a job.
#[derive(Debug)]
pub struct Profile {
    /// The job file.
    pub file: PathBuf,
    /// The description in the job.
    pub about: String,
    /// The passes that were counted.
    pub passes: Vec<PassProfile>,
    /// The result of the run, by the block engine.
    pub result: JobResult,
}

impl Profile {
    /// The time of all passes.
    pub fn time(&self) -> Time {
        sum(&self.passes)
    }

    /// The `most` passes that take the most time, in their order, and what to say of the others.
    fn slowest(&self, most: usize) -> (Vec<&PassProfile>, Option<Rest>) {
        let mut passes: Vec<&PassProfile> = self.passes.iter().collect();
        passes.sort_by_key(|pass| Reverse(pass.time.least));
        passes.truncate(most);
        passes.sort_by_key(|pass| pass.pass);
        let shown = sum(passes.iter().copied());
        let rest = (passes.len() < self.passes.len()).then(|| Rest {
            passes: self.passes.len() - passes.len(),
            share: (self.time().least - shown.least) as f64 / self.time().least.max(1) as f64,
        });
        (passes, rest)
    }
}

/// The passes that a text leaves out.
struct Rest {
    passes: usize,
    /// Their part of the time of all passes, 0 to 1.
    share: f64,
}

fn sum<'a>(passes: impl IntoIterator<Item = &'a PassProfile>) -> Time {
    passes.into_iter().fold(Time::default(), |mut sum, pass| {
        sum += pass.time;
        sum
    })
}

/// Runs a job and counts. Saves none of the job's files.
///
/// # Errors
/// As [`Job::run`].
pub fn profile(
    job: &Job,
    options: &Options,
    progress: &dyn RunProgress,
) -> Result<Profile, JobError> {
    let run = RunOptions { statistics: true, ..options.run };
    let profiler = Profiler { job, options, state: Mutex::default() };
    let result = job.run(&profiler, &run, progress)?;
    let collected = profiler.state.into_inner().passes;
    Ok(Profile {
        file: job.file.clone(),
        about: job.about.clone(),
        passes: collected.into_iter().map(Collected::finish).collect(),
        result,
    })
}

/// The block engine, with the reference engine counting before each launch.
struct Profiler<'a> {
    job: &'a Job,
    options: &'a Options,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    launches: u64,
    passes: Vec<Collected>,
}

/// A pass while it runs.
struct Collected {
    /// Its profile, but for what is found at the end: rows of instructions and lines, and elements.
    profile: PassProfile,
    /// By pc.
    counts: Vec<Counts>,
    touched: Touched,
}

impl Engine for Profiler<'_> {
    fn name(&self) -> &'static str {
        Block::new().name()
    }

    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        let state = &mut *self.state.lock();
        let pass = self.job.pass_of(state.launches).map_or(0, |(pass, _)| pass);
        state.launches += 1;
        if self.options.pass.is_some_and(|only| only != pass) {
            return Block::new().run_checked(launch, memory, progress);
        }
        if state.passes.last().is_none_or(|last| last.profile.pass != pass) {
            state.passes.push(Collected::new(self.job, pass, launch));
        }
        let Some(collected) = state.passes.last_mut() else {
            return Err(LaunchError::Failed {
                engine: self.name(),
                reason: "there is no pass".into(),
            });
        };
        collected.count(launch, memory, self.options.points, progress)?;
        let outcome = Block::new().run_checked(launch, memory, progress.stop())?;
        collected.add(launch, &outcome);
        Ok(outcome)
    }
}

impl Collected {
    fn new(job: &Job, pass: usize, launch: &Checked) -> Collected {
        let profile = PassProfile {
            pass,
            program: Arc::clone(&launch.program),
            program_file: job.passes[pass].program_file.clone(),
            launches: 0,
            tiles: 0,
            statistics: Statistics::default(),
            sampled: 0,
            counted: Statistics::default(),
            time: Time::default(),
            active_clocks: 0,
            bytes: 0,
            instructions: Vec::new(),
            lines: Vec::new(),
            distinct: Distinct::default(),
            heat: Heat::new(launch.domain),
        };
        let counts = vec![Counts::default(); launch.program.instructions().len()];
        Collected { profile, counts, touched: Touched::default() }
    }

    /// Counts what the groups of a launch would do, or a sample of them.
    fn count(
        &mut self,
        launch: &Checked,
        memory: &Memory,
        points: Option<u64>,
        progress: &dyn Progress,
    ) -> Result<(), LaunchError> {
        let shares = launch.program.sharing().is_some();
        // Groups that share registers run together or not at all.
        let groups = launch.grouping.sample(points.filter(|_| !shares));
        let Collected { touched, profile, counts } = self;
        touched.bind(launch);
        profile.tiles += launch.grouping.count();
        profile.sampled += groups.len() as u64;
        let new = || Counter::new(launch, touched, &profile.heat);
        let take = &mut |counter: Counter<'_>| {
            counts.iter_mut().zip(counter.counts).for_each(|(sum, more)| *sum += more);
        };
        let part = Reference::new().observe(launch, memory, &groups, progress, &new, take)?;
        profile.counted += *part.statistics();
        Ok(())
    }

    /// Adds what a launch did.
    fn add(&mut self, launch: &Checked, outcome: &Outcome) {
        let statistics = outcome.statistics.unwrap_or_default();
        // A launch without a group that runs moves nothing.
        let bytes = if statistics.groups == 0 { 0 } else { card::bytes(launch) };
        let profile = &mut self.profile;
        profile.launches += 1;
        profile.statistics += statistics;
        profile.time += Time::of_launch(&statistics, bytes);
        profile.active_clocks += active_clocks(&statistics);
        profile.bytes += bytes;
    }

    fn finish(self) -> PassProfile {
        let Collected { mut profile, counts, touched } = self;
        let decoded = profile.program.instructions();
        let rows = (0..).zip(counts.into_iter().zip(decoded)).map(|(pc, (counts, decoded))| Row {
            pcs: vec![pc],
            counts,
            distinct: touched.distinct(&[pc]),
            clocks: Clocks::of(&counts.statistics(decoded)),
            share: 0.0,
        });
        let mut instructions: Vec<Row> = rows.collect();
        let all: u64 = instructions.iter().map(|row| row.clocks.sum()).sum();
        for row in &mut instructions {
            row.share = row.clocks.sum() as f64 / all.max(1) as f64;
        }
        let pcs: Vec<u32> = (0..instructions.len() as u32).collect();
        profile.lines = lines(&profile.program, &instructions, &touched);
        profile.distinct = touched.distinct(&pcs);
        profile.instructions = instructions;
        profile
    }
}

/// The rows of the lines that instructions come from. An instruction that serves several counts for the first.
fn lines(program: &Program, instructions: &[Row], touched: &Touched) -> Vec<LineRow> {
    let Some(map) = program.source() else {
        return Vec::new();
    };
    let mut lines = std::collections::BTreeMap::<(u32, u32), Vec<u32>>::new();
    let slots = map.lines.chunk_by(|a, b| a.slot == b.slot);
    let known = slots.filter_map(|own| own.first());
    for line in known.filter(|line| (line.slot as usize) < instructions.len()) {
        lines.entry((line.file, line.line)).or_default().push(line.slot);
    }
    let sum = |((file, line), pcs): (_, Vec<u32>)| {
        let mut row = Row {
            counts: Counts::default(),
            distinct: touched.distinct(&pcs),
            clocks: Clocks::default(),
            share: 0.0,
            pcs,
        };
        for &pc in &row.pcs {
            let one = &instructions[pc as usize];
            row.counts += one.counts;
            row.clocks += one.clocks;
            row.share += one.share;
        }
        LineRow { file, line, row }
    };
    lines.into_iter().map(sum).collect()
}
