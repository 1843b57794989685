//! A submission during execution: the engine's session, and the report as it grows.
//!
//! The engine may queue launches. Findings about a launch arrive with its outcome. Later findings
//! must follow them in the report, so they wait in line with the launch.

use ctm_lang::program::Program;
use std::ops::Range;
use std::sync::Arc;

use super::client::ClientMemory;
use super::pe::Context;
use super::pieces;
use super::recorder::{Area, What, Writes, Written};
use super::report::{DeviceError, Hazard, StartError, SubmissionReport};
use crate::command::Opcode;
use crate::engine::{Checked, Faults, LaunchError, Outcome, Session, Statistics};
use crate::launch::{Globals, Launch};
use crate::memory::{ArenaKind, Memory};

/// At most this many launches and hazards may be pending.
const MOST_PENDING: usize = 1024;

/// An entry that is missing in the report.
enum Pending {
    /// A launch: the index of its command, its program, and the faults of the constants read for it.
    Launch { offset: usize, program: Arc<Program>, faults: Faults },
    /// A hazard that was found after a launch.
    Hazard(Hazard),
}

/// A submission that is being executed.
pub(super) struct Submission<'a> {
    pub context: &'a Context<'a>,
    session: Box<dyn Session<'a> + 'a>,
    /// The findings so far.
    pub report: SubmissionReport,
    pending: Vec<Pending>,
    /// The addresses of system memory.
    pub system: Vec<Range<u64>>,
    /// The index of the last start_program that the engine accepted.
    last: usize,
    /// The first error of a queued launch, or of reading its results.
    failure: Option<DeviceError>,
    /// The global registers after the last settled launch, if it had any.
    pub shared: Option<Globals>,
    /// The launches that the engine accepted.
    pub started: u64,
    /// The writes of the commands, while the device is recorded.
    pub written: Writes,
    /// The client's writes of a recording that are still to be made.
    fetched: pieces::Iter<'a>,
}

impl<'a> Submission<'a> {
    pub(super) fn new(context: &'a Context<'a>, memory: &'a mut Memory) -> Submission<'a> {
        let system = memory.arenas().iter();
        let system = system.filter(|arena| matches!(arena.kind, ArenaKind::Sys | ArenaKind::SysC));
        Submission {
            context,
            system: system.map(|arena| u64::from(arena.base)..arena.end()).collect(),
            session: context.engine.session(memory),
            report: SubmissionReport {
                statistics: context.statistics.then(Default::default),
                ..SubmissionReport::default()
            },
            pending: Vec::new(),
            last: 0,
            failure: None,
            shared: None,
            started: 0,
            written: Writes::default(),
            fetched: context.fetched.iter(),
        }
    }

    /// Reports a hazard, after those of the launches before it.
    pub(super) fn hazard(&mut self, hazard: Hazard) {
        if self.pending.len() >= MOST_PENDING {
            // The error of a launch stays in `failure`.
            let _ = self.settle();
        }
        if self.pending.is_empty() {
            self.report.hazard(hazard);
        } else {
            self.pending.push(Pending::Hazard(hazard));
        }
    }

    /// Checks a launch.
    pub(super) fn check<'l>(
        &mut self,
        offset: usize,
        launch: &'l Launch,
    ) -> Result<Checked<'l>, DeviceError> {
        let checked = Checked::new(launch);
        if checked.is_err() {
            self.settle()?;
        }
        checked.map_err(|error| start(offset, error))
    }

    /// Passes a launch to the engine; `faults` has those of the constants read for it.
    pub(super) fn launch(
        &mut self,
        offset: usize,
        launch: &Checked<'_>,
        faults: Faults,
    ) -> Result<(), DeviceError> {
        if let Some(client) = self.context.client {
            self.fetch(offset, &client.used(launch))?;
        }
        if self.context.recorded {
            for access in &launch.writes {
                let of = (!launch.program.umrt()).then_some(launch.domain);
                let area = Area::Elements(access.surface, of);
                self.written.add(Written { offset, what: What::from(&access.by), area });
            }
        }
        let launched = match self.session.launch_checked(launch, self.context.progress) {
            Ok(()) => {
                self.last = offset;
                self.started += 1;
                let program = Arc::clone(&launch.launch().program);
                self.pending.push(Pending::Launch { offset, program, faults });
                if self.pending.len() >= MOST_PENDING {
                    self.settle()?;
                }
                Ok(())
            }
            // A stopped launch falls through: the client sees what its groups have written.
            Err(error @ LaunchError::Stopped(_)) => {
                self.settle()?;
                Err(start(offset, error))
            }
            Err(error) => {
                self.settle()?;
                return Err(start(offset, error));
            }
        };
        if let Some(client) = self.context.client {
            let owned = client.owned(launch);
            if !owned.is_empty() {
                client.store(self.current(offset, &owned)?, &owned);
            }
        }
        launched
    }

    /// Updates memory with what the client has written to these addresses.
    fn fetch(&mut self, offset: usize, ranges: &[Range<u64>]) -> Result<(), DeviceError> {
        let Some(client) = self.context.client else {
            return Ok(());
        };
        let shared = client.inside(ranges);
        // Access to all of memory is expensive for some engines, and usually nothing has changed.
        if shared.is_empty() || client.is_same(self.current(offset, &shared)?, &shared) {
            return Ok(());
        }
        client.fetch(self.memory(offset)?, &shared, offset);
        Ok(())
    }

    /// Applies the recorded client writes that precede the command at `offset`.
    pub(super) fn client_wrote(&mut self, offset: usize) -> Result<(), DeviceError> {
        while let Some((place, bytes)) = self.fetched.next_before(offset) {
            // The replay has checked the addresses.
            let _ = self.memory(offset)?.write(place.address, bytes);
        }
        Ok(())
    }

    /// Whether memory is up to date at these addresses already.
    pub(super) fn is_current(&self, range: &Range<u64>) -> bool {
        let shared = |client: &ClientMemory| !client.inside(std::slice::from_ref(range)).is_empty();
        self.session.is_current(range) && !self.context.client.is_some_and(shared)
    }

    /// Waits for all launches and reports their outcomes. Returns the statistics of the last one.
    pub(super) fn settle(&mut self) -> Result<Option<Statistics>, DeviceError> {
        if self.pending.is_empty() {
            return Ok(None);
        }
        let mut outcomes = self.session.outcomes().into_iter();
        let mut statistics = None;
        for pending in std::mem::take(&mut self.pending) {
            match pending {
                Pending::Hazard(hazard) => self.report.hazard(hazard),
                Pending::Launch { offset, program, faults } => {
                    let outcome = outcomes.next().unwrap_or_else(|| {
                        Err(LaunchError::Failed {
                            engine: self.context.engine.name(),
                            reason: "it lost the outcome of a launch".to_string(),
                        })
                    });
                    let outcome = match outcome {
                        Ok(outcome) => outcome,
                        Err(error) => {
                            let error = start(offset, error);
                            return Err(self.failure.get_or_insert(error).clone());
                        }
                    };
                    statistics = outcome.statistics;
                    self.shared = outcome.shared.clone();
                    self.done(offset, outcome, program, faults);
                }
            }
        }
        Ok(statistics)
    }

    fn done(&mut self, offset: usize, outcome: Outcome, program: Arc<Program>, mut faults: Faults) {
        let report = &mut self.report;
        faults.merge(&outcome.faults);
        report.fault(offset, Opcode::StartProgram, faults, Some(program));
        for text in outcome.hazards {
            report.hazard(Hazard::Launch { offset, text });
        }
        report.statistics = match (report.launches, report.statistics, outcome.statistics) {
            (0, _, first) => first,
            (_, Some(mut sum), Some(more)) => {
                sum += more;
                Some(sum)
            }
            _ => None,
        };
        if self.context.recorded {
            let engine = outcome.ran.engine;
            match report.ran.iter_mut().find(|(name, _)| *name == engine) {
                Some((_, launches)) => *launches += 1,
                None => report.ran.push((engine, 1)),
            }
        }
        report.launches += 1;
        report.groups += outcome.groups;
    }

    /// Memory, up to date at the given addresses; `offset` is the command that reads them.
    pub(super) fn view(
        &mut self,
        offset: usize,
        ranges: &[Range<u64>],
    ) -> Result<&Memory, DeviceError> {
        self.fetch(offset, ranges)?;
        self.current(offset, ranges)
    }

    /// As [`Submission::view`], but without the client's writes.
    pub(super) fn current(
        &mut self,
        offset: usize,
        ranges: &[Range<u64>],
    ) -> Result<&Memory, DeviceError> {
        if let Err(error) = self.session.view(ranges) {
            return Err(self.failed(offset, error));
        }
        self.session.view(&[]).map_err(|e| start(offset, e))
    }

    /// All of memory, for the command at `offset`.
    pub(super) fn memory(&mut self, offset: usize) -> Result<&mut Memory, DeviceError> {
        if let Err(error) = self.session.memory() {
            return Err(self.failed(offset, error));
        }
        self.session.memory().map_err(|e| start(offset, e))
    }

    /// The error to report when memory is not available. If a launch failed, its error says more
    /// than that of the command that waits for it.
    fn failed(&mut self, offset: usize, error: LaunchError) -> DeviceError {
        let settled = self.settle().err();
        let error = settled.unwrap_or_else(|| start(offset, error));
        self.failure.get_or_insert(error).clone()
    }

    /// Brings memory up to date and completes the report. `result` is that of the last command.
    pub(super) fn end(mut self, result: Result<(), DeviceError>) -> SubmissionReport {
        // Both keep their errors in `failure`, which then precedes `result`: its cause is older.
        let _ = self.memory(self.last);
        let _ = self.settle();
        let _ = self.client_wrote(usize::MAX);
        self.report.written = self.written.into_list();
        self.report.error = self.failure.or(result.err());
        self.report
    }
}

fn start(offset: usize, error: LaunchError) -> DeviceError {
    DeviceError::Start { offset, error: StartError::Launch(error) }
}
