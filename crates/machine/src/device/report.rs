//! What a submission did, its errors and its findings.

use super::interpolants::DegenerateError;
use super::loader::LoadError;
use super::recorder::Written;
use std::fmt;

use crate::command::{CommandError, CommandWarning, Opcode};
use crate::engine::{Faults, LaunchError, Statistics, Stopped};
use ctm_lang::program::{ConstantKind, Program, SourceRef, ranges};
use std::sync::Arc;

/// A report lists at most this many each of warnings, hazards and commands with faults. It counts
/// the rest.
pub const MAX_LISTED: usize = 256;

/// Why a submission ended early. All commands before took effect; the device stays usable.
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
    /// More global registers than a SIMD has.
    #[error(
        "word {offset} (0x{:08x}): set_shared: SQ_GPR_RESOURCE is 0x{resource:08x}: NUM_GLOBAL {globals}, expected at most 128",
        Opcode::SetShared.word()
    )]
    Globals {
        /// Index of the command word in the buffer.
        offset: usize,
        /// The parameter.
        resource: u32,
        /// NUM_GLOBAL.
        globals: usize,
    },
    /// A number of SIMDs that does not exist.
    #[error(
        "word {offset} (0x{:08x}): set_shared: {simds} SIMDs, expected 1 to 64",
        Opcode::SetShared.word()
    )]
    Simds {
        /// Index of the command word in the buffer.
        offset: usize,
        /// The parameter.
        simds: u32,
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
    #[error("engine {engine} panicked: {message}")]
    Panic {
        /// The engine.
        engine: &'static str,
        /// The panic message.
        message: String,
    },
}

/// Why a program could not be started, or was stopped. Unless it was stopped, it has written
/// nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StartError {
    /// No program was set.
    #[error("set_inst_fmt was never given")]
    ProgramNotSet,
    /// The program's address is in no arena.
    #[error("the program's address 0x{address:08x} is outside all arenas")]
    ProgramOutsideMemory {
        /// The address.
        address: u32,
    },
    /// The memory at the program's address does not hold a program.
    #[error("program at 0x{address:08x}: {error}")]
    Program {
        /// The address.
        address: u32,
        /// The reason.
        error: LoadError,
    },
    /// The parameter block is not in memory.
    #[error(
        "the {} bytes of set_params at 0x{address:08x} are not inside one arena",
        super::PARAMS_BYTES
    )]
    ParamsOutsideMemory {
        /// Its address.
        address: u32,
    },
    /// The three vertices of set_params do not span a plane.
    #[error("set_params: {0}")]
    Degenerate(#[from] DegenerateError),
    /// The engine refuses the launch.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The performance counters run and the engine kept no statistics.
    #[error("engine {engine} kept no statistics, which the performance counters need")]
    NoStatistics {
        /// The engine.
        engine: &'static str,
    },
}

/// Something suspicious that was executed nevertheless.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// Words with bits that have no effect.
    #[error(transparent)]
    Command(#[from] CommandWarning),
    /// A surface with an implausible pitch or height.
    #[error("word {offset} (0x{:08x}): {command}: {text}", .command.word())]
    Surface {
        /// Index of the command word in the buffer.
        offset: usize,
        /// The command that set it.
        command: Opcode,
        /// The finding.
        text: String,
    },
    /// The program uses constants whose area was never set.
    #[error(
        "word {offset} (0x{:08x}): start_program: {} constant(s) {} read 0: {} was never given",
        Opcode::StartProgram.word(), kind_name(*.kind), ranges(.numbers), format_command(*.kind)
    )]
    ConstantsNotSet {
        /// Index of the start_program in the buffer.
        offset: usize,
        /// The kind of the constants.
        kind: ConstantKind,
        /// The constants that the program uses.
        numbers: Vec<u32>,
    },
    /// A finding of the verifier; reported when the program is decoded.
    #[error(
        "word {offset} (0x{:08x}): start_program: program{}: {text}",
        Opcode::StartProgram.word(), .pc.map(|pc| format!(", {}", written.place(pc))).unwrap_or_default()
    )]
    Program {
        /// Index of the start_program in the buffer.
        offset: usize,
        /// The instruction; `None` for the program as a whole.
        pc: Option<u32>,
        /// Where the program was written.
        written: SourceRef,
        /// The finding.
        text: String,
    },
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

/// A cache might hold other bytes than memory, because a command is missing (spec/memory.md,
/// "Caches").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incoherence {
    /// The start_program that reads the bytes, or the end of the submission.
    pub at: Position,
    /// The missing command: an invalidate or a flush.
    pub missing: Opcode,
    /// What is wrong.
    pub kind: IncoherenceKind,
    /// The address of the first of the bytes.
    pub address: u32,
    /// The number of bytes.
    pub bytes: u64,
    /// The start_program that read or wrote the first of the bytes before.
    pub since: Position,
}

/// Which cache might be wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IncoherenceKind {
    /// A launch reads bytes that have changed since a read cache read them.
    Stale {
        /// What the launch reads.
        what: String,
    },
    /// A launch runs another program than the last one in the instruction cache.
    OtherProgram {
        /// The address of the last one.
        last: u32,
    },
    /// A launch reads bytes that an earlier launch wrote through a write cache.
    Unflushed {
        /// What the launch reads.
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
    /// Why the submission ended early, if it did.
    pub error: Option<DeviceError>,
    /// Words of the commands that were read, including parameters and padding.
    pub words: usize,
    /// What its commands may have changed, while the device is recorded. A command is missing
    /// where a later one wrote the same elements.
    pub written: Vec<Written>,
    /// The engines that ran launches and how many each, while the device is recorded.
    pub ran: Vec<(&'static str, u64)>,
}

impl SubmissionReport {
    /// Whether a second run from the same memory does the same: not if the client stopped it or
    /// the engine failed.
    pub fn is_repeatable(&self) -> bool {
        match &self.error {
            None
            | Some(
                DeviceError::Command(_) | DeviceError::Globals { .. } | DeviceError::Simds { .. },
            ) => true,
            Some(DeviceError::Stopped { .. } | DeviceError::Panic { .. }) => false,
            Some(DeviceError::Start { error, .. }) => !matches!(
                error,
                StartError::Launch(
                    LaunchError::Adapter { .. }
                        | LaunchError::Failed { .. }
                        | LaunchError::Lost { .. }
                        | LaunchError::Stopped(_)
                        | LaunchError::Unsupported { .. },
                )
            ),
        }
    }

    /// Whether the engine refused a launch, which another engine may run.
    pub fn is_refused(&self) -> bool {
        let Some(DeviceError::Start { error: StartError::Launch(error), .. }) = &self.error else {
            return false;
        };
        matches!(error, LaunchError::Adapter { .. } | LaunchError::Unsupported { .. })
    }

    /// Why the submission was stopped, if it was.
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

fn kind_name(kind: ConstantKind) -> &'static str {
    match kind {
        ConstantKind::Float => "float",
        ConstantKind::Int => "integer",
        ConstantKind::Bool => "boolean",
    }
}

fn of_submission(earlier: Option<u64>) -> String {
    earlier.map_or_else(String::new, |n| format!(" of submission {n}"))
}

fn format_command(kind: ConstantKind) -> Opcode {
    match kind {
        ConstantKind::Float => Opcode::SetConstfFmt,
        ConstantKind::Int => Opcode::SetConstiFmt,
        ConstantKind::Bool => Opcode::SetConstbFmt,
    }
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
