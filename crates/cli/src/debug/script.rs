//! A script: commands in, plain text out.

use super::output::print;
use super::{Exit, Signals, escaped, signals};
use anyhow::{Context, bail};
use ctm_engine::Stop;
use ctm_inspect::debug::{Session, execute};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, stdin};
use std::path::Path;

/// The longest line of commands, in bytes.
const MAX_LINE: u64 = 64 << 10;

/// Lines of commands, with the place of each.
pub struct Script {
    name: String,
    number: u64,
    lines: Box<dyn BufRead>,
}

impl Script {
    /// The lines of a file.
    pub fn open(path: &Path) -> anyhow::Result<Script> {
        let name = path.display().to_string();
        let file = signals::waiting_for(path, || File::open(path));
        let file = file.with_context(|| format!("cannot read {name}"))?;
        Ok(Script { name, number: 0, lines: Box::new(BufReader::new(file)) })
    }

    /// The lines of standard input.
    fn of_input() -> Script {
        Script { name: "standard input".to_string(), number: 0, lines: Box::new(stdin().lock()) }
    }

    /// The next line, without its end.
    fn next(&mut self) -> anyhow::Result<Option<String>> {
        self.number += 1;
        let mut line = String::new();
        let read = signals::waiting(|| (&mut self.lines).take(MAX_LINE).read_line(&mut line));
        let read = read.with_context(|| self.place())? as u64;
        if read == MAX_LINE {
            bail!("{}: a line is longer than {MAX_LINE} bytes", self.place());
        }
        Ok((read != 0).then(|| line.trim().to_string()))
    }

    /// The place of the line that was read last.
    fn place(&self) -> String {
        format!("{}:{}", self.name, self.number)
    }

    /// All lines, each with its place.
    #[cfg(feature = "screen")]
    pub fn lines(mut self) -> anyhow::Result<Vec<(String, String)>> {
        let mut lines = Vec::new();
        while let Some(line) = self.next()? {
            lines.push((self.place(), line));
        }
        Ok(lines)
    }
}

/// Runs a script, or the commands of standard input, until `stop`.
pub fn run(
    mut session: Session<'_>,
    script: Option<Script>,
    signals: &Signals,
    stop: &Stop,
) -> anyhow::Result<Exit> {
    let shows = script.is_some();
    let mut script = script.unwrap_or_else(Script::of_input);
    print(escaped(&session.place()))?;
    while let Some(line) = script.next()? {
        stop.check().with_context(|| script.place())?;
        if shows && !line.is_empty() {
            print(escaped(&format!("> {line}\n")))?;
        }
        let reply = execute(&mut session, &line);
        signals.obey();
        if reply.is_err() {
            stop.check().with_context(|| script.place())?;
        }
        let reply = reply.with_context(|| script.place())?;
        print(escaped(&reply.text))?;
        if reply.over {
            break;
        }
    }
    Ok(Exit::Done)
}
