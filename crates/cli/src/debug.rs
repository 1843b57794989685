//! `ctm debug`: the faces of a session: a screen, a script, and an adapter for editors.

#[cfg(feature = "screen")]
use super::escaped_line;
#[cfg(feature = "screen")]
use super::programs::colors_on;
use super::sampled::Sampled;
use super::signals::{self, Signals};
use super::{Exit, escaped, jobs, output, replay, tell};
use anyhow::{Context, bail};
use ctm_engine::Stop;
use ctm_inspect::debug::{Plan, Session};
use ctm_jobs::job::{Job, SharedFiles};
use ctm_machine::record::ReplayOptions;
use std::io::{IsTerminal, stdin, stdout};
use std::path::PathBuf;
use std::time::Duration;

mod dap;
mod script;

#[cfg(feature = "screen")]
mod app;
#[cfg(feature = "screen")]
mod code;
#[cfg(feature = "screen")]
mod events;
#[cfg(feature = "screen")]
mod keys;
#[cfg(feature = "screen")]
mod line;
#[cfg(feature = "screen")]
mod picture;
#[cfg(feature = "screen")]
mod screen;
#[cfg(feature = "screen")]
mod state;

/// Step through a job or a program, forward and back.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ctm debug job.toml                          on the screen; ? lists the keys
  ctm debug job.toml -x session.txt           the same, after the commands of a file
  ctm debug job.toml --batch -x session.txt   run the commands of a file
  echo help | ctm debug job.toml --batch      the commands, in short; docs/debugging.md has more
  ctm debug client.rec --launch 3             launch 3 of a recording
  ctm debug blur.dpp --set radius=3           a program without a job, as `ctm run` runs it
  ctm debug --dap                             for an editor, which names the job when it launches

The reference engine runs the job. A debug session writes no file of the job. Ctrl-C stops a command
that runs; at rest it ends the session.

Exit status: 0 done, 2 bad usage, bad input, or a command that cannot be done.")]
pub struct Args {
    /// The job file, or a program; with --launch, a recording.
    #[arg(value_name = "JOB.toml|FILE", required_unless_present = "dap")]
    job: Option<PathBuf>,
    #[command(flatten)]
    sampled: Sampled,
    /// Step through launch N of a recording, from 0 on in the order of submissions.
    #[arg(long, value_name = "N", conflicts_with = "dap")]
    launch: Option<u64>,
    #[command(flatten)]
    confined: jobs::Confined,
    #[command(flatten)]
    overrides: jobs::Overrides,
    /// Read commands, one per line, and print their answers as plain text.
    #[arg(long)]
    batch: bool,
    /// Run the commands of FILE first. With --batch they are the whole session; without -x it reads
    /// standard input.
    #[arg(short = 'x', long = "execute", value_name = "FILE")]
    script: Option<PathBuf>,
    /// Time limit for finding the launch in a recording and for a script.
    #[arg(long, value_name = "SECONDS", value_parser = super::values::seconds, conflicts_with = "dap")]
    timeout: Option<Duration>,
    /// Serve an editor: the Debug Adapter Protocol over standard input and output.
    #[arg(long, conflicts_with_all = ["job", "batch", "script"])]
    dap: bool,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let Some(job) = &args.job else {
        args.sampled.must_not_be_given()?;
        return dap::run(args.confined.files()?, args.overrides.options());
    };
    let on_terminal = stdin().is_terminal() && stdout().is_terminal();
    if !args.batch && !on_terminal {
        bail!(
            "standard input and output are not both a terminal; use --batch, and -x FILE for a file with commands"
        );
    }
    if !args.batch && cfg!(not(feature = "screen")) {
        bail!(
            "the screen: this ctm was built without the feature `screen`; use --batch, and -x FILE for a file with commands"
        );
    }
    let signals = Signals::catch()?;
    let stop = signals.stop().within(args.timeout);
    let files = args.confined.files()?;
    let script = match &args.script {
        Some(path) => {
            jobs::check(&files, "--execute", path)?;
            Some(script::Script::open(path)?)
        }
        None => None,
    };
    let instructions = args.overrides.options().instructions;
    let options = ReplayOptions { stop: stop.clone(), instructions, ..ReplayOptions::default() };
    let recorded = match (jobs::is_recording(job, &files)?, args.launch) {
        (true, None) => bail!("{}: a recording; --launch N chooses a launch", job.display()),
        (false, Some(_)) => return Err(jobs::no_recording(job, &files)),
        (true, Some(_)) if args.sampled.must_not_be_given().is_err() => {
            bail!("{}: a recording has data of its own", job.display())
        }
        (true, Some(n)) => Some(signals.or_obey(replay::as_job(job, n, &options))?),
        (false, None) => None,
    };
    let file = job;
    let job = match &recorded {
        // The folder of the launch lasts as long as the session, and is outside --root.
        Some((_, job)) => Job::read_shared(job, &SharedFiles::new(), &stop)?,
        None => signals.or_obey(args.sampled.read(job, &files, &stop))?,
    };
    for warning in &job.warnings {
        tell(format_args!("warning: {warning}"));
    }
    let plan = Plan::of_job(&job, &args.overrides.options())?;
    let session =
        |stop: &Stop| Session::new(&plan, stop.clone()).with_context(|| file.display().to_string());
    #[cfg(feature = "screen")]
    if !args.batch {
        let session = signals.or_obey(session(signals.stop()))?;
        let commands = script.map_or(Ok(Vec::new()), script::Script::lines)?;
        return app::run(session, &commands, &signals, colors_on(true));
    }
    let run = |session| script::run(session, script, &signals, &stop);
    signals.or_obey(session(&stop).and_then(run))
}
