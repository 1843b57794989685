//! The command line: arguments in, library calls, text out.
//!
//! Each subcommand has one file (and a folder if it is large), with its `Args` and a `run` that
//! returns an [`Exit`]. Errors of usage or input are `anyhow` errors and end with status 2.

// Streams are written through `output`: these panic where that fails.
#![warn(clippy::print_stdout, clippy::print_stderr)]
// Files are written through `outputs`, which knows what must not be replaced.
#![warn(clippy::disallowed_methods)]

use anyhow::{Context, anyhow};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use ctm_base::panics;
use ctm_engine::Stopped;
use ctm_jobs::job::JobError;
use ctm_jobs::load::LoadError;
use output::{CANNOT_PRINT, error_text, escaped, escaped_line, print, tell, tell_lines};
use signals::Signals;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[cfg(feature = "gpu")]
mod adapters;
mod asm;
mod bar;
mod batch;
mod bench;
mod card;
mod check;
mod compare;
mod compile;
mod crosscheck;
mod debug;
mod diff;
mod disasm;
mod engines;
mod export;
mod fuzz;
mod generate;
mod info;
mod jobs;
mod junit;
mod lines;
mod manual;
mod merge;
mod mesa;
mod new;
mod output;
mod outputs;
mod pack;
mod profile;
mod programs;
mod replay;
mod report;
mod run;
mod sampled;
mod signals;
mod stats;
#[cfg(feature = "gpu")]
mod translate;
mod values;
mod verify;
mod witness;

/// The end of a subcommand with valid input.
pub enum Exit {
    /// Status 0.
    Done,
    /// Status 1: a check failed or a fault occurred.
    Failed,
    /// Status 3: a proof was neither found nor refuted.
    Undecided,
}

/// Writes an error with its causes to standard error.
fn tell_error(error: &anyhow::Error) {
    tell_lines(format_args!("ctm: {}", error_text(error)));
}

/// A path for JSON. A path that is not UTF-8 is an error: two that differ could look the same.
fn utf8(path: &Path) -> anyhow::Result<&str> {
    let text = path.to_str();
    text.with_context(|| format!("{}: the path is not UTF-8, as JSON is", path.display()))
}

/// Refuses files whose paths JSON cannot have.
fn all_utf8(files: &[PathBuf]) -> anyhow::Result<()> {
    files.iter().try_for_each(|file| utf8(file).map(drop))
}

/// Starts threads; 0: the number of processors.
fn start_threads(count: usize) -> anyhow::Result<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(count)
        .build()
        // The error's text includes its source's.
        .map_err(|error| anyhow!("cannot start threads: {error}"))
}

/// The reason why a run was stopped, in the user's terms.
fn stopped(why: Stopped) -> String {
    match why {
        Stopped::Timeout(limit) => format!("stopped after {} s (--timeout)", limit.as_secs_f64()),
        Stopped::Cancelled => "stopped by a signal".to_string(),
    }
}

/// Says that a file's work was stopped, and which files are missing.
fn tell_stopped(file: &Path, why: Stopped, nothing: &str) {
    tell(format_args!("ctm: {}: {}; nothing is {nothing}", file.display(), stopped(why)));
}

/// The stop that caused an error, if one did.
fn stop_of(error: &anyhow::Error) -> Option<Stopped> {
    error.chain().find_map(|error| match error.downcast_ref() {
        Some(LoadError::Stopped(why)) => Some(*why),
        _ => error.downcast_ref().and_then(JobError::stopped).or(error.downcast_ref().copied()),
    })
}

/// The result of loading or running a file. `None` if it was stopped: standard error then says so, and which
/// files are missing, unless a signal ends the process.
fn finished<T>(
    file: &Path,
    result: Result<T, impl Into<anyhow::Error>>,
    nothing: &str,
    signals: &Signals,
) -> anyhow::Result<Option<T>> {
    let error = match result {
        Ok(result) => return Ok(Some(result)),
        Err(error) => error.into(),
    };
    let Some(why) = stop_of(&error) else { return Err(error) };
    tell_stopped(file, why, nothing);
    signals.obey();
    Ok(None)
}

/// Emulates ATI's "Close To the Metal" Data Parallel Processor (R5xx, 2006): the same bits on every machine.
#[derive(Parser)]
#[command(name = "ctm", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Makes the subcommands of their modules, in the groups in which `ctm --help` lists them.
macro_rules! commands {
    ($($title:literal: $($(#[$cfg:meta])? $name:ident: $module:ident),*;)*) => {
        #[derive(Subcommand)]
        enum Command {
            $($($(#[$cfg])? $name($module::Args),)*)*
        }

        /// The groups: title, and names of subcommands, which a build may lack.
        const GROUPS: &[(&str, &[&str])] = &[$(($title, &[$(stringify!($module)),*])),*];

        /// Runs a subcommand.
        fn dispatch(command: Command) -> anyhow::Result<Exit> {
            match command {
                $($($(#[$cfg])? Command::$name(args) => $module::run(&args),)*)*
            }
        }
    };
}

commands! {
    "Run": Run: run, New: new, Verify: verify, Batch: batch, Pack: pack, Merge: merge, Report: report,
        Export: export;
    "Look": Debug: debug, Check: check, Profile: profile, Replay: replay, Info: info;
    "Compare": Diff: diff, Compare: compare, Crosscheck: crosscheck, Fuzz: fuzz, Stats: stats,
        Mesa: mesa, Card: card, Witness: witness;
    "Build": Asm: asm, Compile: compile, Disasm: disasm,
        #[cfg(feature = "gpu")] Translate: translate;
    "Machine": Bench: bench, Generate: generate;
}

/// Disables Mesa's device-selection layer on a machine without a desktop. Otherwise the layer would
/// look for one, and print an error on every run that lists adapters.
#[cfg(target_os = "linux")]
fn quiet_drivers() {
    let set = |name| std::env::var_os(name).is_some();
    let chosen = ["NODEVICE_SELECT", "MESA_VK_DEVICE_SELECT"].map(set).contains(&true);
    if !set("XDG_RUNTIME_DIR") && !chosen {
        // SAFETY: this is the first thing the process does, so there is no other thread yet. The
        // layer reads only the environment, so there is no other way to disable it.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
}

#[cfg(not(target_os = "linux"))]
fn quiet_drivers() {}

/// If launches are counted apart, a line with the number of those that a translated shader ran, of
/// pairs of (launches, those).
fn shaders(apart: bool, launches: impl Iterator<Item = [u64; 2]>) -> String {
    if !apart {
        return String::new();
    }
    let sum = launches.fold([0, 0], |[all, some], [a, b]| [all + a, some + b]);
    format!(
        "a shader ran {} of {}\n",
        sum[1],
        ctm_base::text::numbers::count(sum[0], "launch", "launches")
    )
}

/// Runs the command with the process's arguments.
pub fn main() -> ExitCode {
    quiet_drivers();
    panics::all_are_caught();
    match panics::catch(run).unwrap_or_else(|panic| Err(panic.into())) {
        Ok(code) => code,
        Err(error) if output::is_closed_pipe(&error) => output::end_at_closed_pipe(),
        Err(error) => {
            tell_error(&error);
            ExitCode::from(2)
        }
    }
}

fn run() -> anyhow::Result<ExitCode> {
    // Help, which takes longer to lay out than the arguments to read, is laid out where it is wanted.
    let arguments =
        Cli::command().try_get_matches().or_else(|_| manual::command().try_get_matches());
    let cli = match arguments.and_then(|arguments| Cli::from_arg_matches(&arguments)) {
        Ok(cli) => cli,
        Err(mut usage) => {
            if usage.use_stderr() {
                output::escape_values(&mut usage);
                let color = programs::colors_on(std::io::stderr().is_terminal());
                let text = usage.render();
                let text = if color { text.ansi().to_string() } else { text.to_string() };
                output::tell_colored(&text, color);
                return Ok(ExitCode::from(2));
            }
            // Help goes to standard output.
            return usage.print().context(CANNOT_PRINT).map(|()| ExitCode::SUCCESS);
        }
    };
    Ok(match dispatch(cli.command)? {
        Exit::Done => ExitCode::SUCCESS,
        Exit::Failed => ExitCode::from(1),
        Exit::Undecided => ExitCode::from(3),
    })
}
