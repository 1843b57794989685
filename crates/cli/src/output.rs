//! The command's two streams: an error on standard output ends the command, one on standard error
//! never does.

use anyhow::Context;
use clap::error::{ContextKind, ContextValue};
use ctm_engine::{EngineError, GpuError};
use ctm_jobs::job::JobError;
use ctm_jobs::load::LoadError;
use ctm_lang::asm::TextErrors;
use ctm_lang::program::VerifyErrors;
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

/// The context of an error on standard output.
pub const CANNOT_PRINT: &str = "cannot write to standard output";

/// Whether a character could move the cursor of a terminal, or change the order of the text.
fn directs(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Escapes control characters, except line ends, and those that change the direction of the text. The escapes
/// are those of JSON, so JSON keeps its meaning.
pub fn escaped(text: &str) -> String {
    but(text, |c| c == '\n')
}

/// [`escaped`] for a single line: line ends are escaped as well.
pub fn escaped_line(text: &str) -> String {
    but(text, |_| false)
}

/// Escapes all characters that direct a terminal, except those that `kept` accepts.
fn but(text: &str, kept: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if !directs(c) || kept(c) => shown.push(c),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            c => shown += &format!("\\u{:04x}", u32::from(c)),
        }
    }
    shown
}

/// An error with its causes. Only those that quote a source or list adapters have several lines: names have none.
pub fn error_text(error: &anyhow::Error) -> String {
    let causes = error.chain().map(|cause| {
        let has_lines = cause.is::<TextErrors>()
            || cause.is::<EngineError>()
            || cause.is::<GpuError>()
            || cause.is::<VerifyErrors>()
            || cause.is::<LoadError>()
            || cause.is::<JobError>();
        let text = cause.to_string();
        if has_lines { escaped(&text) } else { escaped_line(&text) }
    });
    causes.collect::<Vec<_>>().join(": ")
}

/// Escapes the arguments that an error of usage repeats.
pub fn escape_values(usage: &mut clap::Error) {
    let values: Vec<(ContextKind, String)> = usage
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(text) => Some((kind, escaped_line(text))),
            _ => None,
        })
        .collect();
    for (kind, text) in values {
        usage.insert(kind, ContextValue::String(text));
    }
}

/// The printable part of a text: lines and tabs, and nothing else that directs a terminal.
fn lines(text: &str) -> String {
    but(text, |c| matches!(c, '\n' | '\t'))
}

/// [`lines`], with the colours that the command gives: ESC, `[`, numbers, `m`.
fn colored(text: &str) -> String {
    let mut parts = text.split('\x1b');
    let mut shown = lines(parts.next().unwrap_or_default());
    for part in parts {
        let end = part.find(|c: char| !matches!(c, '0'..='9' | ';' | '['));
        let is_color = part.starts_with('[') && end.is_some_and(|end| part[end..].starts_with('m'));
        shown += if is_color { "\x1b" } else { "\\u001b" };
        shown += &lines(part);
    }
    shown
}

/// Writes all of the text to standard output. What could direct a terminal is escaped.
pub fn print(text: impl AsRef<str>) -> anyhow::Result<()> {
    print_io(text).context(CANNOT_PRINT)
}

/// As [`print`], but returns the system's error.
pub fn print_io(text: impl AsRef<str>) -> io::Result<()> {
    print_bytes(lines(text.as_ref()).as_bytes())
}

/// [`print_io`] for a text that may have colours.
pub fn print_colored(text: &str, color: bool) -> io::Result<()> {
    if color { print_bytes(colored(text).as_bytes()) } else { print_io(text) }
}

/// Writes the bytes of an output to standard output, as they are.
pub fn print_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Writes a line to standard error; what could direct a terminal is escaped, line ends as well. If that
/// fails, because the reader is gone or the disk is full, the line is lost and the command goes on.
pub fn tell(line: impl Display) {
    let _ = writeln!(io::stderr(), "{}", escaped_line(&line.to_string()));
}

/// [`tell`] for a text of several lines.
pub fn tell_lines(text: impl Display) {
    let _ = writeln!(io::stderr(), "{}", lines(&text.to_string()));
}

/// [`tell`] for lines that may have colours.
pub fn tell_colored(text: &str, color: bool) {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let _ = writeln!(io::stderr(), "{}", if color { colored(text) } else { lines(text) });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_directs_a_terminal_but_colours() {
        let hostile = "a\x1b[2J\u{9b}2J\u{202e}\u{2066}\u{200f}\u{61c}\r\tb\n\x1b[31mc\x1b[0m";
        assert_eq!(
            lines(hostile),
            "a\\u001b[2J\\u009b2J\\u202e\\u2066\\u200f\\u061c\\r\tb\n\\u001b[31mc\\u001b[0m"
        );
        assert_eq!(
            colored(hostile),
            "a\\u001b[2J\\u009b2J\\u202e\\u2066\\u200f\\u061c\\r\tb\n\x1b[31mc\x1b[0m"
        );
        assert_eq!(escaped_line("a\tb\n"), "a\\tb\\n");
        let json = serde_json::json!({ "name": hostile }).to_string();
        let read: serde_json::Value = serde_json::from_str(&lines(&json)).expect("JSON");
        assert_eq!(read["name"], hostile);
    }
}
