//! The report of a submission: its effects, errors and findings.

use super::interpolants::DegenerateError;
use super::loader::LoadError;
use super::recorder::Written;
use std::fmt;

use crate::command::{CommandError, Opcode};
use crate::engine::{Faults, LaunchError, Statistics, Stopped};
use ctm_base::panics::Panic;
use ctm_lang::program::{ConstantKind, Program, ranges};
use std::sync::Arc;

/// A report lists at most this many each of warnings, hazards and commands with faults. It counts
/// the rest.
pub const MAX_LISTED: usize = 256;

/// Errors that end a submission early. All commands before took effect; the device stays usable.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DeviceError {
    /// The words are not a command.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A program could not be started.
    #[error("word {offset} (0x{:08x}): start_program: {error}", Opcode::StartProgram.word())]
    Start {
        /// Index of the command word in the buffer.
        offset: usize,
        /// The reason.
        error: StartError,
    },
    /// A set_shared with more global registers or SIMDs than there are.
    #[error("word {offset} (0x{:08x}): set_shared: {text}", Opcode::SetShared.word())]
    Shared {
        /// Index of the command word in the buffer.
        offset: usize,
        /// The error in words.
        text: String,
    },
    /// The submission was stopped between two commands, or before the first.
    #[error("the submission was {why} after {words} words")]
    Stopped {
        /// Words of the executed commands.
        words: usize,
        /// The reason.
        why: Stopped,
    },
    /// The engine has a bug. Memory may hold a part of the launch's results.
    #[error("engine {engine}: {panic}")]
    Panic {
        /// The engine.
        engine: &'static str,
        /// The panic.
        panic: Panic,
    },
}

/// Errors of starting a program, and stops. Unless it was stopped, it has written nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StartError {
    /// The program or the parameter block was not set or is not in memory, or the engine kept no
    /// statistics.
    #[error("{0}")]
    Missing(String),
    /// The memory at the program's address does not hold a program.
    #[error("program at 0x{address:08x}: {error}")]
    Program {
        /// The address.
        address: u32,
        /// The reason.
        error: LoadError,
    },
    /// The three vertices of set_params do not span a plane.
    #[error("set_params: {0}")]
    Degenerate(#[from] DegenerateError),
    /// The engine refuses the launch.
    #[error(transparent)]
    Launch(#[from] LaunchError),
}

/// Something suspicious that was executed nevertheless.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Warning(pub String);

impl Warning {
    /// A warning about a command; `offset` is the index of its word in the buffer.
    pub(super) fn of(offset: usize, command: Opcode, text: impl fmt::Display) -> Warning {
        Warning(format!("word {offset} (0x{:08x}): {command}: {text}", command.word()))
    }

    /// The program uses constants of a kind whose area was never set.
    pub(super) fn unset(offset: usize, kind: ConstantKind, numbers: &[u32]) -> Warning {
        let (name, command) = match kind {
            ConstantKind::Float => ("float", Opcode::SetConstfFmt),
            ConstantKind::Int => ("integer", Opcode::SetConstiFmt),
            ConstantKind::Bool => ("boolean", Opcode::SetConstbFmt),
        };
        let numbers = ranges(numbers);
        let text = format!("{name} constant(s) {numbers} read 0: {command} was never given");
        Warning::of(offset, Opcode::StartProgram, text)
    }
}

/// Something that real hardware may handle differently.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Hazard {
    /// A command that is not pipelined, without a wait_for_idle after the last start_program.
    #[error(
        "word {offset} (0x{:08x}): {command} is not pipelined, but there is no wait_for_idle after the \
         start_program at word {start}{}{}: executed after an implied wait",
        .command.word(), of_submission(*.earlier),
        if .earlier.is_some() { ", for which the client had not waited" } else { "" }
    )]
    Busy {
        /// Index of the command word in the buffer.
        offset: usize,
        /// The command.
        command: Opcode,
        /// Index of the last start_program.
        start: usize,
        /// The number of its submission, if that is an earlier one which the client had not waited
        /// for when it submitted this one.
        earlier: Option<u64>,
    },
    /// A cache that might hold other bytes than memory; see [`Context::coherence`](super::Context).
    #[error("{0}")]
    Incoherent(Box<Incoherence>),
    /// A finding of the engine about a launch.
    #[error("word {offset} (0x{:08x}): start_program: {text}", Opcode::StartProgram.word())]
    Launch {
        /// Index of the start_program in the buffer.
        offset: usize,
        /// The finding.
        text: String,
    },
}

/// The position of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The number of its submission, from 1 on.
    pub submission: u64,
    /// The index of its command word.
    pub offset: usize,
}

/// A cache might hold other bytes than memory, because a command is missing
/// (docs/assumptions.md, CACHE-1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incoherence {
    /// The start_program that reads the bytes, or the end of the submission.
    pub at: Position,
    /// The missing command: an invalidate or a flush.
    pub missing: Opcode,
    /// The kind of mistake.
    pub kind: IncoherenceKind,
    /// The address of the first of the bytes.
    pub address: u32,
    /// The number of bytes.
    pub bytes: u64,
    /// The start_program that read or wrote the first of the bytes before.
    pub since: Position,
}

/// The cache that might be wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IncoherenceKind {
    /// A launch reads bytes that have changed since a read cache read them.
    Stale {
        /// The data that the launch reads.
        what: String,
    },
    /// A launch runs another program than the last one in the instruction cache.
    OtherProgram {
        /// The address of the last one.
        last: u32,
    },
    /// A launch reads bytes that an earlier launch wrote through a write cache.
    Unflushed {
        /// The data that the launch reads.
        what: String,
    },
    /// The submission ends, and system memory might not have what launches wrote.
    Host,
}

impl fmt::Display for Incoherence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Incoherence { at, missing, kind, address, bytes, since } = self;
        let start = Opcode::StartProgram;
        write!(f, "word {} ", at.offset)?;
        if *kind == IncoherenceKind::Host {
            write!(f, "(the end): ")?;
        } else {
            write!(f, "(0x{:08x}): {start}: ", start.word())?;
        }
        let since = format!(
            "the start_program at word {}{}",
            since.offset,
            of_submission((since.submission != at.submission).then_some(since.submission))
        );
        let bytes = format!("{bytes} byte(s) from 0x{address:08x} on");
        match kind {
            IncoherenceKind::Stale { what } => write!(
                f,
                "{what}: {bytes} have changed since {since}; the cache might still hold the old ones"
            ),
            IncoherenceKind::OtherProgram { last } => write!(
                f,
                "the program at 0x{address:08x}: the cache might still hold the one at 0x{last:08x} of {since}"
            ),
            IncoherenceKind::Unflushed { what } => write!(
                f,
                "{what}: {bytes} were written by {since}; they might still be only in the cache"
            ),
            IncoherenceKind::Host => write!(
                f,
                "{bytes} of system memory were written by {since}; the host may read old data"
            ),
        }?;
        write!(f, ": {missing} missing")
    }
}

/// The faults of one command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandFaults {
    /// Index of the command word in the buffer.
    pub offset: usize,
    /// The command: start_program or read_perf_counters.
    pub command: Opcode,
    /// The number of programs of the submission that had run before it.
    pub launch: u64,
    /// Its faults.
    pub faults: Faults,
    /// The program that ran, if it is a start_program.
    pub program: Option<Arc<Program>>,
}

impl CommandFaults {
    /// One human-readable line per fault code.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let CommandFaults { offset, command, program, .. } = self;
        let word = command.word();
        self.faults.iter().map(move |(code, fault)| {
            let text = match program {
                Some(program) => fault.text_in(code, program.image()),
                None => fault.text(code),
            };
            format!("word {offset} (0x{word:08x}): {command}: {text}")
        })
    }
}

/// The outcome of a submission.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SubmissionReport {
    /// The number of programs that were started and ran.
    pub launches: u64,
    /// The number of groups that ran in them.
    pub groups: u64,
    /// The sum over the launches; `None` if any of them has none.
    pub statistics: Option<Statistics>,
    /// Faults of all commands together.
    pub faults: Faults,
    /// Faults by command, in order.
    pub command_faults: Vec<CommandFaults>,
    /// Hazards, in order.
    pub hazards: Vec<Hazard>,
    /// Warnings, in order.
    pub warnings: Vec<Warning>,
    /// The number of warnings, hazards and commands with faults left out of the three lists,
    /// which have at most [`MAX_LISTED`] entries.
    pub left_out: u64,
    /// The error that ended the submission early, if one did.
    pub error: Option<DeviceError>,
    /// Words of the commands that were read, including parameters and padding.
    pub words: usize,
    /// The data that its commands may have changed, while the device is recorded. A command is
    /// missing where a later one wrote the same elements.
    pub written: Vec<Written>,
    /// The engines that ran launches and how many each, while the device is recorded.
    pub ran: Vec<(&'static str, u64)>,
}

impl SubmissionReport {
    /// Whether a second run from the same memory does the same: not if the client stopped it or
    /// the engine failed.
    pub fn is_repeatable(&self) -> bool {
        match &self.error {
            Some(DeviceError::Start { error: StartError::Launch(error), .. }) => {
                matches!(error, LaunchError::NotSet { .. } | LaunchError::Invalid(_))
            }
            Some(DeviceError::Stopped { .. } | DeviceError::Panic { .. }) => false,
            Some(
                DeviceError::Command(_) | DeviceError::Start { .. } | DeviceError::Shared { .. },
            )
            | None => true,
        }
    }

    /// Whether the engine refused a launch, which another engine may run.
    pub fn is_refused(&self) -> bool {
        let Some(DeviceError::Start { error: StartError::Launch(error), .. }) = &self.error else {
            return false;
        };
        matches!(error, LaunchError::Adapter { .. } | LaunchError::Unsupported { .. })
    }

    /// The cause of the stop, if the submission was stopped.
    pub fn stopped(&self) -> Option<Stopped> {
        match self.error {
            Some(DeviceError::Stopped { why, .. }) => Some(why),
            Some(DeviceError::Start {
                error: StartError::Launch(LaunchError::Stopped(why)),
                ..
            }) => Some(why),
            _ => None,
        }
    }

    /// Whether there was no error and no fault.
    pub fn is_clean(&self) -> bool {
        self.error.is_none() && self.faults.is_empty()
    }

    pub(super) fn warn(&mut self, warning: Warning) {
        push(&mut self.warnings, warning, &mut self.left_out);
    }

    pub(super) fn hazard(&mut self, hazard: Hazard) {
        push(&mut self.hazards, hazard, &mut self.left_out);
    }

    pub(super) fn fault(
        &mut self,
        offset: usize,
        command: Opcode,
        faults: Faults,
        program: Option<Arc<Program>>,
    ) {
        if faults.is_empty() {
            return;
        }
        self.faults.merge(&faults);
        let launch = self.launches;
        let of_command = CommandFaults { offset, command, launch, faults, program };
        push(&mut self.command_faults, of_command, &mut self.left_out);
    }
}

fn push<T>(list: &mut Vec<T>, item: T, left_out: &mut u64) {
    if list.len() < MAX_LISTED {
        list.push(item);
    } else {
        *left_out += 1;
    }
}

fn of_submission(earlier: Option<u64>) -> String {
    earlier.map_or_else(String::new, |n| format!(" of submission {n}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_bounded_and_the_rest_is_counted() {
        let mut report = SubmissionReport::default();
        for offset in 0..MAX_LISTED + 3 {
            report.hazard(Hazard::Busy {
                offset,
                command: Opcode::SetInpFmt,
                start: 0,
                earlier: None,
            });
        }
        assert_eq!((report.hazards.len(), report.left_out), (MAX_LISTED, 3));
    }
}
