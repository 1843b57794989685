//! Finds the first pass of a program after which it gives another result.

use super::constants::{Known, Table, tables};
use super::fetches;
pub use super::interpret::BisectError;
use super::interpret::{self, Cell, Scene, Setting, Values};
use super::listing::{File, Line, Op, Statement, Unit};
use super::log::{Logged, Pass, Semantic};
use super::machine::Machine;
use super::trials::{Trial, Trials};
use ctm_jobs::job::{Job, RunProgress};
use ctm_lang::raw::RawError;
use ctm_machine::engine::{Stop, Stopped};
use ctm_machine::launch::Constants;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The name of the last pass: the words at the end of the log.
pub const MACHINE_CODE: &str = "machine code";

/// What counts as a difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The seed of the first trial.
    pub seed: u64,
    /// Columns and rows of points.
    pub size: (u32, u32),
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance.
    pub atol: f64,
    /// The share of the values that may differ.
    pub share: f64,
    /// The most statements of a listing, and instructions of a group of the machine code, that a trial runs.
    pub limit: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { seed: 1, size: (16, 16), rtol: 3e-4, atol: 3e-5, share: 0.05, limit: 1 << 16 }
    }
}

/// A pass that could not be examined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The name of the pass.
    pub pass: String,
    /// The line of its heading, from 1.
    pub line: usize,
    /// Why.
    pub reason: String,
}

/// A listing that does not say all that the pass did: programs before and after it agree, and its own result
/// differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Incomplete {
    /// The name of the pass.
    pub pass: String,
    /// The line of its heading, from 1.
    pub line: usize,
}

/// The first value that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct First {
    /// Column of the point.
    pub i: u32,
    /// Row of the point.
    pub j: u32,
    /// The output, like "output 0" or "depth", and the channel.
    pub place: String,
    /// The value before the pass, as text.
    pub before: String,
    /// The value after it.
    pub after: String,
}

/// A pass that changes the result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Culprit {
    /// Its index among the passes; the machine code comes after the last one.
    #[serde(skip)]
    pub index: usize,
    /// Its name.
    pub pass: String,
    /// The line of its heading, from 1.
    pub line: usize,
    /// The name of the pass that it is compared with: the last one before it that could be examined.
    pub before: String,
    /// The line of the heading of the pass before.
    pub before_line: usize,
    /// What shows it, human-readable, like "seed 1".
    pub trial: String,
    /// Values that were compared.
    pub values: u64,
    /// Values that differ.
    pub differing: u64,
    /// The first one.
    pub first: First,
    /// The instructions of the pass before, each a text of one or more lines; of the machine code
    /// its words.
    pub listing_before: Vec<String>,
    /// Those of the pass.
    pub listing: Vec<String>,
}

/// What is found of one program of a log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The line where the program begins, from 1.
    pub line: usize,
    /// The number of passes, with the machine code.
    pub passes: usize,
    /// The names of the trials.
    pub trials: Vec<String>,
    /// The passes that could not be examined.
    #[serde(rename = "not_examined")]
    pub skipped: Vec<Skipped>,
    /// The passes whose listings are incomplete.
    pub incomplete: Vec<Incomplete>,
    /// The first pass that changes the result.
    #[serde(rename = "wrong")]
    pub culprit: Option<Culprit>,
}

/// The instructions of a pass.
fn instructions(logged: &Logged, index: usize) -> Vec<String> {
    match (logged.passes.get(index), &logged.code) {
        (Some(pass), _) => pass.text.iter().map(|text| text.trim_start().to_string()).collect(),
        (None, Some((_, Ok(words)))) => {
            words.iter().map(|words| ctm_lang::asm::line(words, None)).collect()
        }
        (None, _) => Vec::new(),
    }
}

/// A value's place: an output, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Color(u16),
    Depth,
}

/// The outputs of a pass by place, and what became of the points.
struct Outputs {
    outputs: BTreeMap<Place, Vec<[Cell; 4]>>,
    killed: Vec<bool>,
    endless: Vec<bool>,
    executed: u64,
}

/// What becomes of a point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Ends,
    Killed,
    Endless,
}

impl Outputs {
    fn fate(&self, point: usize) -> Fate {
        match (self.endless[point], self.killed[point]) {
            (true, _) => Fate::Endless,
            (false, true) => Fate::Killed,
            (false, false) => Fate::Ends,
        }
    }
}

/// A program of a log, prepared.
struct Subject<'a> {
    logged: &'a Logged,
    options: &'a Options,
    /// The listings of the passes; `None` of those that cannot be run.
    listings: Vec<Option<Vec<Line>>>,
    machine: Option<Machine>,
    tables: Vec<Table>,
    turns: Option<(usize, u32)>,
    stop: &'a Stop,
}

impl Subject<'_> {
    /// The name and the line of a pass; the one after the last is the machine code.
    fn heading(&self, index: usize) -> (String, usize) {
        let code = || self.logged.code.as_ref().map_or(0, |(line, _)| *line);
        match self.logged.passes.get(index) {
            Some(pass) => (pass.name.clone(), pass.line),
            None => (MACHINE_CODE.to_string(), code()),
        }
    }

    fn skipped(&self, index: usize, reason: String) -> Skipped {
        let (pass, line) = self.heading(index);
        Skipped { pass, line, reason }
    }

    /// The texture units that a pass fetches from, bit n for unit n.
    fn units(&self) -> u16 {
        let lines = self.listings.iter().flatten().flatten();
        let fetched = lines.fold(0, |units, line| match &line.statement {
            Statement::Fetch(fetch) => units | 1 << fetch.unit,
            _ => units,
        });
        fetched | self.machine.as_ref().map_or(0, Machine::units)
    }

    /// The outputs of a pass; `None` if it cannot be run, for a reason that is known.
    fn outputs(&self, index: usize, trial: &Trial<'_>) -> Result<Option<Outputs>, BisectError> {
        let empty = Table::new();
        let table = self.tables.get(index).or(self.tables.last()).unwrap_or(&empty);
        let constant = |index: u16, channel: u8| {
            let known = table.get(&(index, channel));
            match *known.unwrap_or(&Known::State(index, channel)) {
                Known::Bits(bits) => bits,
                Known::State(index, channel) => (trial.state)(index, channel),
            }
        };
        let limit = self.options.limit;
        let values = match (self.listings.get(index), &self.machine) {
            (Some(Some(lines)), _) => {
                let turns = self.turns.filter(|(end, _)| index < *end).map(|(_, factor)| factor);
                let stop = self.stop;
                let setting =
                    Setting { scene: &trial.scene, constant: &constant, turns, limit, stop };
                interpret::run(lines, &setting)?
            }
            (None, Some(machine)) => {
                let mut constants = Constants::default();
                for (n, value) in (0..).zip(constants.float.iter_mut()) {
                    *value = [0, 1, 2, 3].map(|channel| constant(n, channel));
                }
                machine.run(&trial.scene, &constants, limit, self.stop)?
            }
            (Some(None), _) | (None, None) => return Ok(None),
        };
        Ok(Some(by_place(self.logged, values)))
    }
}

/// The passes of a trial, each run when it is first needed.
struct Results<'a> {
    subject: &'a Subject<'a>,
    trial: &'a Trial<'a>,
    runs: Vec<Option<Option<Outputs>>>,
    examined: &'a mut BTreeMap<usize, Result<(), String>>,
}

impl Results<'_> {
    /// Runs a pass. `false` if it cannot be run.
    fn run(&mut self, index: usize) -> Result<bool, Stopped> {
        if self.runs[index].is_none() {
            let outputs = match self.subject.outputs(index, self.trial) {
                Ok(Some(outputs)) => {
                    self.examined.insert(index, Ok(()));
                    Some(outputs)
                }
                Ok(None) => None,
                Err(BisectError::Stopped(why)) => return Err(why),
                Err(BisectError::Reason(reason)) => {
                    self.examined.entry(index).or_insert(Err(reason));
                    None
                }
            };
            self.runs[index] = Some(outputs);
        }
        Ok(matches!(self.runs[index], Some(Some(_))))
    }

    /// Whether no point of a pass ends.
    fn is_endless(&self, index: usize) -> bool {
        let outputs = self.runs[index].iter().flatten().next();
        outputs.is_some_and(|outputs| outputs.endless.iter().all(|endless| *endless))
    }

    /// Compares two passes that have run.
    fn compare(&self, before: usize, after: usize) -> Comparison {
        match (&self.runs[before], &self.runs[after]) {
            (Some(Some(before)), Some(Some(after))) => {
                compare(before, after, &self.trial.scene, self.subject.options)
            }
            _ => Comparison::default(),
        }
    }

    /// Whether a pass after `index` computes what `before` did, and not what the listing of `index` says:
    /// then the listing lacks something, and the compiler is not wrong.
    fn is_incomplete(&mut self, before: usize, index: usize) -> Result<bool, Stopped> {
        let depth = self.compare(before, index).depth;
        for later in index + 1..self.runs.len() {
            if self.run(later)? {
                let same = self.compare(before, later);
                // The machine gives no depth, so it cannot show that one is right.
                let all = same.points > 0 && same.depth >= depth;
                let options = self.subject.options;
                let pairs = [(index, later), (later, index)];
                let other = pairs.iter().any(|&(a, b)| self.compare(a, b).differs(options));
                if all && !same.differs(options) && other {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// Examines one program. `job` gives the inputs instead of seeds. `progress` receives the number of the
/// trial and of the pass, and may stop the search.
///
/// # Errors
/// If the job does not fit, or the search was stopped.
pub fn bisect(
    logged: &Logged,
    options: &Options,
    job: Option<&Job>,
    progress: &dyn RunProgress,
) -> Result<Finding, BisectError> {
    let stop = progress.stop();
    let passes = logged.passes.len() + 1;
    let mut subject = Subject {
        logged,
        options,
        listings: Vec::new(),
        machine: None,
        tables: tables(logged),
        turns: radians(&logged.passes),
        stop,
    };
    let mut skipped = Vec::new();
    for (index, listing) in fetches::listings(logged).into_iter().enumerate() {
        let lines = listing.map_err(|reason| skipped.push(subject.skipped(index, reason)));
        subject.listings.push(lines.ok());
    }
    let machine = match &logged.code {
        None => Err(RawError::NoMesaProgram.to_string()),
        Some((_, Err(error))) => Err(error.clone()),
        Some((_, Ok(words))) => Machine::new(logged, words),
    };
    let machine = machine.map_err(|reason| skipped.push(subject.skipped(passes - 1, reason)));
    subject.machine = machine.ok();
    let trials = match job {
        None => Trials::Seeds(options.seed, options.size),
        Some(job) => {
            let missing =
                || BisectError::Reason("--job needs the machine code of the log".to_string());
            Trials::Job(job, subject.machine.as_ref().ok_or_else(missing)?)
        }
    };
    let (units, last) = (subject.units(), subject.tables.last());
    let mut finding = Finding {
        line: logged.line,
        passes,
        trials: trials.names(),
        skipped: Vec::new(),
        incomplete: Vec::new(),
        culprit: None,
    };
    // The passes whose listings are incomplete.
    let mut incomplete = BTreeSet::new();
    // The passes that ran in a trial, and why the others did not.
    let mut examined = BTreeMap::new();
    for (n, name) in finding.trials.iter().enumerate() {
        let trial = trials.make(n, logged, units, last, stop)?;
        // Only a pass before the one found so far can be the first.
        let end = finding.culprit.as_ref().map_or(passes, |culprit| culprit.index);
        let runs = (0..passes).map(|_| None).collect();
        let mut results =
            Results { subject: &subject, trial: &trial, runs, examined: &mut examined };
        let mut before: Option<usize> = None;
        for index in 0..end {
            progress.at(n as u64, finding.trials.len() as u64, index as u64, end as u64);
            stop.check()?;
            if incomplete.contains(&index) || !results.run(index)? {
                continue;
            }
            if before.is_none() && results.is_endless(index) {
                // Nothing that a later pass does in this trial can be wrong.
                break;
            }
            if let Some(previous) = before {
                let comparison = results.compare(previous, index);
                if comparison.differs(options) {
                    if results.is_incomplete(previous, index)? {
                        incomplete.insert(index);
                        continue;
                    }
                    finding.culprit = comparison.culprit(&subject, name, previous, index);
                    break;
                }
            }
            before = Some(index);
        }
    }
    let listing = |index: usize| {
        let (pass, line) = subject.heading(index);
        Incomplete { pass, line }
    };
    finding.incomplete = incomplete.into_iter().map(listing).collect();
    let failed = examined.into_iter().filter_map(|(index, ran)| Some((index, ran.err()?)));
    skipped.extend(failed.map(|(index, reason)| subject.skipped(index, reason)));
    // Machine code that the log lacks has no line and comes last.
    skipped.sort_by_key(|skipped| skipped.line.wrapping_sub(1));
    finding.skipped = skipped;
    Ok(finding)
}

/// If the passes before 'native rewrite' take the arguments of SIN and COS in radians: the index of that
/// pass, and the factor that makes them turns. It replaces such arguments; others are in turns already.
fn radians(passes: &[Pass]) -> Option<(usize, u32)> {
    let index = passes.iter().position(|pass| pass.name == "native rewrite")?;
    let arguments = |pass: &Pass| -> Vec<_> {
        let is_trig = |unit: &&Unit| matches!(unit.op, Op::Sin | Op::Cos | Op::Scs);
        let lines: &[Line] = pass.listing.as_ref().map_or(&[], |lines| lines);
        let units = lines.iter().flat_map(|line| match &line.statement {
            Statement::Compute(units) => &units[..],
            _ => &[],
        });
        units.filter(is_trig).map(|unit| unit.operands.clone()).collect()
    };
    let (before, after) = (arguments(&passes[index.checked_sub(1)?]), arguments(&passes[index]));
    let factor = std::f32::consts::FRAC_1_PI / 2.0;
    (before != after).then_some((index, factor.to_bits()))
}

/// The values of a pass by place: listings number outputs as the program declares them, paired
/// instructions by their colour buffer.
fn by_place(logged: &Logged, values: Values) -> Outputs {
    let mut outputs = BTreeMap::new();
    for ((file, index), cells) in values.outputs {
        let declared = logged.outputs.iter().find(|(output, _)| *output == index);
        let place = match (file, declared.map(|(_, semantic)| *semantic)) {
            (File::Depth, _) | (File::Output, Some(Semantic::Position)) => Place::Depth,
            (File::Output, Some(Semantic::Color(n))) => Place::Color(n),
            _ => Place::Color(index),
        };
        // Depth is channel z of its output, and channel w from 'rewrite depth out' on.
        let depth = |cells: [Cell; 4]| {
            let depth = if cells[2] == Cell::Missing { cells[3] } else { cells[2] };
            [Cell::Missing, Cell::Missing, depth, Cell::Missing]
        };
        let cells = match place {
            Place::Depth => cells.into_iter().map(depth).collect(),
            Place::Color(_) => cells,
        };
        outputs.insert(place, cells);
    }
    let Values { killed, endless, executed, .. } = values;
    Outputs { outputs, killed, endless, executed }
}

/// The outcome of comparing two passes.
#[derive(Default)]
struct Comparison {
    /// Points whose loops end.
    points: u64,
    values: u64,
    differing: u64,
    /// Whether depth was compared.
    depth: bool,
    first: Option<First>,
}

impl Comparison {
    /// Whether too many values differ.
    fn differs(&self, options: &Options) -> bool {
        self.differing as f64 > options.share * self.values as f64
    }

    /// The pass `index`, which differs from `previous` so.
    fn culprit(
        self,
        subject: &Subject,
        trial: &str,
        previous: usize,
        index: usize,
    ) -> Option<Culprit> {
        let ((pass, line), (before, before_line)) =
            (subject.heading(index), subject.heading(previous));
        Some(Culprit {
            index,
            pass,
            line,
            before,
            before_line,
            trial: trial.to_string(),
            values: self.values,
            differing: self.differing,
            first: self.first?,
            listing_before: instructions(subject.logged, previous),
            listing: instructions(subject.logged, index),
        })
    }
}

/// Compares the values that the pass before defines.
fn compare(before: &Outputs, after: &Outputs, scene: &Scene, options: &Options) -> Comparison {
    let (mut points, mut values, mut differing, mut first) = (0u64, 0u64, 0u64, None);
    let depth = [before, after].iter().all(|pass| pass.outputs.contains_key(&Place::Depth));
    // The depth that the machine gives is not among its outputs.
    let comparable = |place: &Place| *place != Place::Depth || depth;
    for point in 0..scene.points() {
        let fates = (before.fate(point), after.fate(point));
        // A loop that needs many statements may need too many in a pass that is right.
        let long = fates.1 == Fate::Endless && before.executed > options.limit / 4;
        if fates.0 == Fate::Endless || long {
            continue;
        }
        points += 1;
        if fates == (Fate::Killed, Fate::Killed) {
            continue;
        }
        for (place, cells) in before.outputs.iter().filter(|(place, _)| comparable(place)) {
            for (channel, &old) in cells[point].iter().enumerate() {
                let new =
                    after.outputs.get(place).map_or(Cell::Missing, |cells| cells[point][channel]);
                let Cell::Value(bits) = old else {
                    continue;
                };
                values += 1;
                let same = match new {
                    Cell::Value(new) => fates.0 == fates.1 && close(bits, new, options),
                    Cell::Missing | Cell::Undefined => false,
                };
                if !same {
                    differing += 1;
                    first.get_or_insert((point, *place, channel, old, new, fates));
                }
            }
        }
    }
    let first = first.map(|(point, place, channel, old, new, fates)| {
        let place = match place {
            Place::Color(n) => format!("output {n}.{}", ["r", "g", "b", "a"][channel]),
            Place::Depth => "depth".to_string(),
        };
        let (i, j) = (point % scene.width, point / scene.width);
        let (i, j) = (i as u32 + scene.first.0, j as u32 + scene.first.1);
        First { i, j, place, before: show(old, fates.0), after: show(new, fates.1) }
    });
    Comparison { points, values, differing, depth, first }
}

/// A value, human-readable.
fn show(cell: Cell, fate: Fate) -> String {
    match (fate, cell) {
        (Fate::Killed, _) => "killed".to_string(),
        (Fate::Endless, _) => "in a loop without end".to_string(),
        (Fate::Ends, Cell::Missing) => "not written".to_string(),
        (Fate::Ends, Cell::Undefined) => "undefined".to_string(),
        (Fate::Ends, Cell::Value(bits)) => format!("{:?}", f32::from_bits(bits)),
    }
}

/// Whether two numbers agree: both NaN, the same infinity, or close enough.
fn close(a: u32, b: u32, options: &Options) -> bool {
    let (a, b) = (f64::from(f32::from_bits(a)), f64::from(f32::from_bits(b)));
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= options.atol + options.rtol * a.abs()
}
