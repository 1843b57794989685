//! One submission while it is executed: the engine's session, and the report that grows.
//!
//! The engine may queue launches. What a report says about them comes with their outcomes, so
//! findings that must stand behind those of a queued launch wait in line with it.

use std::ops::Range;

use super::client::ClientMemory;
use super::pe::Context;
use super::report::{DeviceError, Hazard, StartError, SubmissionReport};
use crate::command::Opcode;
use crate::engine::{Faults, LaunchError, Outcome, Session, Statistics};
use crate::launch::Launch;
use crate::memory::Memory;

/// So many launches may wait for their outcomes.
const MOST_PENDING: usize = 1024;

/// What a report still lacks.
enum Pending {
    /// A launch: the index of its command, and the faults of what was read for it.
    Launch { offset: usize, faults: Faults },
    /// A hazard that was found after a launch.
    Hazard(Hazard),
}

/// A submission that is being executed.
pub(super) struct Submission<'a> {
    pub context: &'a Context<'a>,
    session: Box<dyn Session<'a> + 'a>,
    /// What is known so far.
    pub report: SubmissionReport,
    pending: Vec<Pending>,
    /// Index of the last start_program that the engine took.
    last: usize,
    /// What went wrong first with a launch that was queued, or with what it wrote.
    failure: Option<DeviceError>,
}

impl<'a> Submission<'a> {
    pub(super) fn new(context: &'a Context<'a>, memory: &'a mut Memory) -> Submission<'a> {
        Submission {
            context,
            session: context.engine.session(memory),
            report: SubmissionReport {
                statistics: context.statistics.then(Default::default),
                ..SubmissionReport::default()
            },
            pending: Vec::new(),
            last: 0,
            failure: None,
        }
    }

    /// Reports a hazard, behind those of the launches before it.
    pub(super) fn hazard(&mut self, hazard: Hazard) {
        if self.pending.is_empty() {
            self.report.hazard(hazard);
        } else {
            self.pending.push(Pending::Hazard(hazard));
        }
    }

    /// Gives a launch to the engine; `faults` has those of what was read for it.
    pub(super) fn launch(
        &mut self,
        offset: usize,
        launch: &Launch,
        faults: Faults,
    ) -> Result<(), DeviceError> {
        if let Some(client) = self.context.client {
            self.fetch(offset, &client.used(launch))?;
        }
        let launched = match self.session.launch(launch, self.context.progress) {
            Ok(()) => {
                self.last = offset;
                self.pending.push(Pending::Launch { offset, faults });
                if self.pending.len() >= MOST_PENDING {
                    self.settle()?;
                }
                Ok(())
            }
            // The client sees what its groups have written.
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

    /// Brings memory up to date with what the client has written to these addresses.
    fn fetch(&mut self, offset: usize, ranges: &[Range<u64>]) -> Result<(), DeviceError> {
        let Some(client) = self.context.client else {
            return Ok(());
        };
        let shared = client.inside(ranges);
        // To have all of memory is dear for some engines, and most of the time nothing is new.
        if shared.is_empty() || client.is_same(self.current(offset, &shared)?, &shared) {
            return Ok(());
        }
        client.fetch(self.memory(offset)?, &shared);
        Ok(())
    }

    /// Whether memory can be read at these addresses as it is.
    pub(super) fn is_current(&self, range: &Range<u64>) -> bool {
        let shared = |client: &ClientMemory| !client.inside(std::slice::from_ref(range)).is_empty();
        self.session.is_current(range) && !self.context.client.is_some_and(shared)
    }

    /// Waits for all launches and reports what they did. Returns the statistics of the last one
    /// that was waited for.
    pub(super) fn settle(&mut self) -> Result<Option<Statistics>, DeviceError> {
        if self.pending.is_empty() {
            return Ok(None);
        }
        let mut outcomes = self.session.outcomes().into_iter();
        let mut statistics = None;
        for pending in std::mem::take(&mut self.pending) {
            match pending {
                Pending::Hazard(hazard) => self.report.hazard(hazard),
                Pending::Launch { offset, faults } => {
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
                    self.done(offset, outcome, faults);
                }
            }
        }
        Ok(statistics)
    }

    fn done(&mut self, offset: usize, outcome: Outcome, mut faults: Faults) {
        let report = &mut self.report;
        faults.merge(&outcome.faults);
        report.fault(offset, Opcode::StartProgram, faults);
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
        report.launches += 1;
        report.groups += outcome.groups;
    }

    /// Memory with the given addresses up to date; `offset` is the command that reads them.
    pub(super) fn view(
        &mut self,
        offset: usize,
        ranges: &[Range<u64>],
    ) -> Result<&Memory, DeviceError> {
        self.fetch(offset, ranges)?;
        self.current(offset, ranges)
    }

    /// As [`Submission::view`], but without what the client has written.
    fn current(&mut self, offset: usize, ranges: &[Range<u64>]) -> Result<&Memory, DeviceError> {
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

    /// What to report when memory cannot be had: the launch that failed says more than the command
    /// that waits for it.
    fn failed(&mut self, offset: usize, error: LaunchError) -> DeviceError {
        let settled = self.settle().err();
        let error = settled.unwrap_or_else(|| start(offset, error));
        self.failure.get_or_insert(error).clone()
    }

    /// Brings memory up to date and ends the report. `result` is how the last command ended.
    pub(super) fn end(mut self, result: Result<(), DeviceError>) -> SubmissionReport {
        // Both keep what they find in `failure`: it was caused before the last command.
        let _ = self.memory(self.last);
        let _ = self.settle();
        self.report.error = self.failure.or(result.err());
        self.report
    }
}

fn start(offset: usize, error: LaunchError) -> DeviceError {
    DeviceError::Start { offset, error: StartError::Launch(error) }
}
