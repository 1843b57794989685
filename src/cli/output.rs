//! The command's two streams: an error on standard output ends the command, one on standard error
//! never does.

use crate::job::JobError;
use anyhow::Context;
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

/// The context of an error on standard output.
pub const CANNOT_PRINT: &str = "cannot write to standard output";

/// Writes all of the text to standard output.
pub fn print(text: impl AsRef<[u8]>) -> anyhow::Result<()> {
    print_io(text).context(CANNOT_PRINT)
}

/// As [`print`], but returns the system's error.
pub fn print_io(text: impl AsRef<[u8]>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_ref())?;
    out.flush()
}

/// Writes a line to standard error. If that fails, because the reader is gone or the disk is full,
/// the line is lost and the command goes on.
pub fn tell(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Whether an error is a write to a pipe whose reader is gone.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| match cause.downcast_ref::<io::Error>() {
        Some(error) => error.kind() == io::ErrorKind::BrokenPipe,
        None => cause.downcast_ref::<JobError>().is_some_and(JobError::is_closed_pipe),
    })
}

/// Ends the command as SIGPIPE ends a program that keeps its default action: silently, so that
/// shells see status 141. Rust ignores the signal, as standard error requires.
pub fn end_at_closed_pipe() -> ExitCode {
    // Returns only for signals that it does not know.
    #[cfg(unix)]
    let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGPIPE);
    ExitCode::from(141)
}
