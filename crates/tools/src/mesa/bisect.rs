//! Finds the first pass of a program after which it gives another result.

use super::constants::{Known, Table, tables};
use super::fetches;
pub use super::interpret::BisectError;
use super::interpret::{self, Setting, Values};
use super::listing::{File, Lane, Line, Op, Statement, Unit};
use super::log::{Logged, Pass};
use super::machine::Machine;
use super::number::Number;
use super::outcome::{Comparison, Outputs, by_place, compare};
pub use super::outcome::{First, Options};
use super::parting::{Parting, parting};
use super::trials::{Trial, Trials};
use ctm_jobs::job::{Job, RunProgress};
use ctm_lang::raw::RawError;
use ctm_machine::engine::{Stop, Stopped};
use ctm_machine::launch::Constants;
use serde::Serialize;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The name of the last pass: the words at the end of the log.
pub const MACHINE_CODE: &str = "machine code";

/// A pass that could not be examined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The name of the pass.
    pub pass: String,
    /// The line of its heading, from 1.
    pub line: usize,
    /// The reason.
    pub reason: String,
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
    /// The trial that shows it, human-readable, like "seed 1".
    pub trial: String,
    /// Values that were compared.
    pub values: u64,
    /// Values that differ.
    pub differing: u64,
    /// The differing values that nothing rounded on either side.
    pub exact: u64,
    /// The first one.
    pub first: First,
    /// Of machine code: the first instruction that does not what its listing says at this point.
    pub parting: Option<Parting>,
    /// The instructions of the pass before, each a text of one or more lines; of the machine code
    /// its words.
    pub listing_before: Vec<String>,
    /// The instructions of the pass, likewise.
    pub listing: Vec<String>,
}

/// The finding for one program of a log.
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

/// A program of a log, prepared.
pub(super) struct Subject<'a> {
    pub logged: &'a Logged,
    options: &'a Options,
    /// The listings of the passes; `None` of those that cannot be run.
    pub listings: Vec<Option<Vec<Line>>>,
    pub machine: Option<Machine>,
    tables: Vec<Table>,
    turns: Option<(usize, u32)>,
    stop: &'a Stop,
}

impl<'a> Subject<'a> {
    /// A program, and the passes that cannot be run.
    pub fn new(
        logged: &'a Logged,
        options: &'a Options,
        stop: &'a Stop,
    ) -> (Subject<'a>, Vec<Skipped>) {
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
        let last = logged.passes.len();
        let machine = machine.map_err(|reason| skipped.push(subject.skipped(last, reason)));
        subject.machine = machine.ok();
        (subject, skipped)
    }

    /// The name and the line of a pass; the one after the last is the machine code.
    pub fn heading(&self, index: usize) -> (String, usize) {
        let code = || self.logged.code.as_ref().map_or(0, |(line, _)| *line);
        match self.logged.passes.get(index) {
            Some(pass) => (pass.name.clone(), pass.line),
            None => (MACHINE_CODE.to_string(), code()),
        }
    }

    pub fn skipped(&self, index: usize, reason: String) -> Skipped {
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

    /// A channel of a constant of a pass, as far as it is known.
    pub fn constant(&self, pass: usize, index: u16, channel: u8) -> Known {
        let table = self.tables.get(pass).or(self.tables.last());
        let known = table.and_then(|table| table.get(&(index, channel)));
        known.copied().unwrap_or(Known::State(index, channel))
    }

    /// The factor that makes an argument of SIN or COS turns in a pass.
    pub fn turns(&self, pass: usize) -> Option<u32> {
        self.turns.filter(|(end, _)| pass < *end).map(|(_, factor)| factor)
    }

    /// The constants of a pass, up to the last one that is needed.
    fn constants(&self, index: usize, last: u16, trial: &Trial<'_>) -> Vec<[Number; 4]> {
        let constant = |n: u16, channel: u8| match self.constant(index, n, channel) {
            Known::Bits(bits) => Number::exact(bits),
            Known::Printed(bits) => Number::rounded(bits),
            Known::State(index, channel) => Number::exact((trial.state)(index, channel)),
        };
        (0..=last).map(|n| [0, 1, 2, 3].map(|channel| constant(n, channel))).collect()
    }

    /// Whether a pass left the program as it was.
    pub fn is_same(&self, before: usize, after: usize) -> bool {
        let turns = |index| self.turns.is_some_and(|(end, _)| index < end);
        let [a, b] = [before, after].map(|index| self.listings.get(index).and_then(Option::as_ref));
        let statements = |lines| <[Line]>::iter(lines).map(|line| &line.statement);
        a.zip(b).is_some_and(|(a, b)| statements(a).eq(statements(b)))
            && turns(before) == turns(after)
            && self.tables.get(before) == self.tables.get(after)
    }

    /// Whether the machine code is compared with the listing that it encodes: both round the same values.
    fn encodes(&self, before: usize, after: usize) -> bool {
        after == self.logged.passes.len() && before + 1 == after
    }

    /// The results of a pass, with the steps of a point that is watched; `None` if it has no listing that can be
    /// run.
    fn listed(
        &self,
        index: usize,
        trial: &Trial<'_>,
        watched: Option<usize>,
    ) -> Result<Option<Values>, BisectError> {
        let Some(Some(lines)) = self.listings.get(index) else {
            return Ok(None);
        };
        let turns = self.turns(index);
        let operands = lines.iter().flat_map(|line| line.statement.operands());
        let used = operands.flatten().flat_map(Lane::components);
        let used = used.filter(|c| c.file == File::Const).map(|c| c.index);
        let constants = self.constants(index, used.max().unwrap_or(0), trial);
        let (scene, constants) = (&trial.scene, &constants[..]);
        let (limit, stop) = (self.options.limit, self.stop);
        let setting = Setting { scene, constants, turns, limit, stop, watched };
        Ok(Some(interpret::run(lines, &setting)?))
    }

    /// The constants of the machine code.
    fn machine_constants(&self, index: usize, trial: &Trial<'_>) -> Constants {
        let mut constants = Constants::default();
        let values = self.constants(index, constants.float.len() as u16 - 1, trial);
        for (to, from) in constants.float.iter_mut().zip(values) {
            *to = from.map(|number| number.bits.unwrap_or(0));
        }
        constants
    }

    /// The first instruction whose result differs from its listing, at the first point that differs.
    fn parting(
        &self,
        trial: &Trial<'_>,
        before: usize,
        culprit: &Culprit,
    ) -> Result<Option<Parting>, Stopped> {
        let (Some(machine), Some(Some(lines)), Some((_, Ok(words)))) =
            (&self.machine, self.listings.get(before), &self.logged.code)
        else {
            return Ok(None);
        };
        if !self.encodes(before, culprit.index) {
            return Ok(None);
        }
        let (scene, (i, j)) = (&trial.scene, (culprit.first.i, culprit.first.j));
        let point = (j - scene.first.1) as usize * scene.width + (i - scene.first.0) as usize;
        let constants = self.machine_constants(culprit.index, trial);
        let code = machine.steps(scene, &constants, self.options.limit, self.stop, (i, j));
        let found = self.listed(before, trial, Some(point)).and_then(|listed| Ok((listed, code?)));
        match found {
            Ok((Some(listed), code)) => {
                Ok(parting(lines, &listed.steps, &code, words.len(), self.options))
            }
            Ok((None, _)) | Err(BisectError::Reason(_)) => Ok(None),
            Err(BisectError::Stopped(why)) => Err(why),
        }
    }

    /// The outputs of a pass; `None` if it cannot be run, for a reason that is known.
    fn outputs(&self, index: usize, trial: &Trial<'_>) -> Result<Option<Outputs>, BisectError> {
        let limit = self.options.limit;
        let values = match (self.listings.get(index), &self.machine) {
            (None, Some(machine)) => machine.run(
                &trial.scene,
                &self.machine_constants(index, trial),
                limit,
                self.stop,
            )?,
            (Some(_), _) => match self.listed(index, trial, None)? {
                Some(values) => values,
                None => return Ok(None),
            },
            (None, None) => return Ok(None),
        };
        Ok(Some(by_place(self.logged, values)))
    }
}

/// The passes of a trial, each run when it is first needed.
struct Results<'a> {
    subject: &'a Subject<'a>,
    trial: &'a Trial<'a>,
    runs: Vec<Option<Option<Rc<Outputs>>>>,
    examined: &'a mut BTreeMap<usize, Result<(), String>>,
}

impl Results<'_> {
    /// Runs a pass. `false` if it cannot be run.
    fn run(&mut self, index: usize) -> Result<bool, Stopped> {
        if self.runs[index].is_none() {
            let before = index.checked_sub(1).filter(|before| self.subject.is_same(*before, index));
            let outputs = match before.and_then(|before| self.runs[before].clone()?) {
                Some(outputs) => Ok(Some(outputs)),
                None => self.subject.outputs(index, self.trial).map(|found| found.map(Rc::new)),
            };
            let outputs = match outputs {
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
        outputs.is_some_and(|outputs| outputs.values.endless.iter().all(|endless| *endless))
    }

    /// Compares two passes that have run.
    fn compare(&self, before: usize, after: usize) -> Comparison {
        let encodes = self.subject.encodes(before, after);
        match (&self.runs[before], &self.runs[after]) {
            (Some(Some(before)), Some(Some(after))) if !Rc::ptr_eq(before, after) => {
                compare(before, after, encodes, self.trial, self.subject.options)
            }
            _ => Comparison::default(),
        }
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
    let (subject, mut skipped) = Subject::new(logged, options, stop);
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
        culprit: None,
    };
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
            if !results.run(index)? {
                continue;
            }
            if before.is_none() && results.is_endless(index) {
                // Nothing that a later pass does in this trial can be wrong.
                break;
            }
            if let Some(previous) = before {
                let comparison = results.compare(previous, index);
                if comparison.differs(options) {
                    let mut culprit = comparison.culprit(&subject, name, previous, index);
                    if let Some(culprit) = &mut culprit {
                        culprit.parting = subject.parting(&trial, previous, culprit)?;
                    }
                    finding.culprit = culprit;
                    break;
                }
            }
            before = Some(index);
        }
    }
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

impl Comparison {
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
        let [exact, rounded] = self.first;
        Some(Culprit {
            index,
            pass,
            line,
            before,
            before_line,
            trial: trial.to_string(),
            values: self.values,
            differing: self.exact + self.rounded,
            exact: self.exact,
            first: exact.or(rounded)?,
            parting: None,
            listing_before: instructions(subject.logged, previous),
            listing: instructions(subject.logged, index),
        })
    }
}
