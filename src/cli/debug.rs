//! `ctm debug`.

use super::output::{print, tell};
use super::signals::Signals;
use super::{Exit, escaped, jobs, replay};
use anyhow::{Context, anyhow};
use ctm::debug::{Plan, Session, execute};
use ctm::job::Job;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;

/// Step through a job, forward and back.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ctm debug job.toml --batch -x session.txt   run the commands of a file
  echo help | ctm debug job.toml --batch      the commands, in short; docs/debugging.md has more

The reference engine runs the job. A debug session writes no file of the job.

Exit status: 0 done, 2 bad usage, bad input, or a command that cannot be done.")]
pub struct Args {
    /// The job file, or a recording.
    #[arg(value_name = "JOB.toml|FILE")]
    job: PathBuf,
    /// Debug launch N of a recording, from 0 on in the order of submissions.
    #[arg(long, value_name = "N")]
    launch: Option<u64>,
    #[command(flatten)]
    confined: jobs::Confined,
    #[command(flatten)]
    overrides: jobs::Overrides,
    /// Read commands, one per line, and print what they answer as plain text.
    #[arg(long, required = true)]
    batch: bool,
    /// The file with the commands; without it, they come from standard input. The session shows
    /// each of them after `> `.
    #[arg(short = 'x', long = "execute", value_name = "FILE")]
    script: Option<PathBuf>,
}

/// The longest line of commands, in bytes.
const MAX_LINE: u64 = 64 << 10;

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let signals = Signals::catch()?;
    let files = args.confined.files()?;
    let (name, mut script): (String, Box<dyn BufRead>) = match &args.script {
        Some(path) => {
            jobs::check(&files, "--execute", path)?;
            let name = path.display().to_string();
            let file = std::fs::File::open(path).with_context(|| format!("cannot read {name}"))?;
            (name, Box::new(BufReader::new(file)))
        }
        None => ("standard input".to_string(), Box::new(std::io::stdin().lock())),
    };
    let recorded = args.launch.map(|n| replay::as_job(&args.job, n)).transpose()?;
    let path = recorded.as_ref().map_or(&args.job, |(_, path)| path);
    let job = Job::read_shared(path, &files)?;
    for warning in &job.warnings {
        tell(format_args!("warning: {}", escaped(warning)));
    }
    let plan = Plan::of_job(&job, &args.overrides.options())?;
    let mut session = Session::new(&plan, signals.stop().clone())?;
    print(escaped(&session.place()))?;
    for number in 1.. {
        let mut line = String::new();
        let read = (&mut script).take(MAX_LINE).read_line(&mut line);
        let place = || format!("{name}:{number}");
        let read = read.with_context(place)?;
        if read as u64 == MAX_LINE {
            return Err(anyhow!("a line is longer than {MAX_LINE} bytes").context(place()));
        }
        if read == 0 {
            break;
        }
        let line = line.trim();
        if args.script.is_some() && !line.is_empty() {
            print(escaped(&format!("> {line}\n")))?;
        }
        let reply = execute(&mut session, line);
        signals.obey();
        let reply = reply.with_context(place)?;
        print(escaped(&reply.text))?;
        if reply.over {
            break;
        }
    }
    Ok(Exit::Done)
}
