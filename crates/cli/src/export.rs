//! `ctm export`.

use super::bar::Watch;
use super::outputs::{Output, Outputs};
use super::sampled::Sampled;
use super::signals::Signals;
use super::{Exit, jobs};
use anyhow::{Context, anyhow, bail};
use ctm_base::text::numbers::count;
use ctm_tools::witness::{Witness, WitnessError, html};
use std::path::PathBuf;
use std::time::Duration;

/// Write a job as a page that runs it on the visitor's GPU, and compares every word.
#[derive(clap::Args)]
#[command(after_help = "\
The page is one file and needs no network: a browser with WebGPU opens it from disk. It probes the GPU's
arithmetic, runs the job's launches on the interpreter and as translated programs, and compares all memory
with what the block engine gives here. Its button copies a report, which `ctm witness` reads.
docs/browser.md explains it.

Examples:
  ctm export kernels/nbody/nbody.toml --html nbody.html
  ctm export plasma.frag --html plasma.html --size 256x256   a program, as `ctm run` runs it

Exit status: 0 done, 1 the time was up, 2 bad usage or bad input, or the job has no plan.")]
pub struct Args {
    /// The job file, or a program.
    #[arg(value_name = "JOB.toml|PROGRAM")]
    job: PathBuf,
    #[command(flatten)]
    sampled: Sampled,
    #[command(flatten)]
    confined: jobs::Confined,
    /// The page to write; - is standard output.
    #[arg(long, value_name = "FILE.html")]
    html: Output,
    /// Stop the run after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = super::values::seconds)]
    timeout: Option<Duration>,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let signals = Signals::catch()?;
    let stop = signals.stop().within(args.timeout);
    let shared = args.confined.files()?;
    let read = args.sampled.read(&args.job, &shared, &stop);
    let Some(job) = super::finished(&args.job, read, "written", &signals)? else {
        return Ok(Exit::Failed);
    };
    let mut outputs = Outputs::new(&shared);
    outputs.job(&args.job);
    args.sampled.files().for_each(|path| outputs.reads(path));
    let to = outputs.stream("--html", &args.html)?;
    let name = args.job.display().to_string();
    if job.sharing.is_none() && !job.written().contains(&true) {
        let html = args.html.display();
        bail!("--html {html}: no launch of {name} writes anything, so there is nothing to compare");
    }
    let made = match Witness::new(&job, &name, &Watch::of("launch", stop)) {
        Ok(made) => Ok(made),
        Err(WitnessError::Job(error)) => Err(error),
        Err(error) => return Err(anyhow!(error)).context(name),
    };
    let Some((witness, result)) = super::finished(&job.file, made, "written", &signals)? else {
        return Ok(Exit::Failed);
    };
    to.write(html::html(&witness, &job, &result)?.as_bytes())?;
    if !to.is_dash() {
        let mut text = format!(
            "wrote {}: {}, {}\n",
            super::escaped_line(&to.path().display().to_string()),
            count(witness.launches(), "launch", "launches"),
            count(witness.words(), "word", "words")
        );
        for (engine, reason) in witness.refused() {
            text += &format!("no plan for engine {engine}: {reason}\n");
        }
        super::print(text)?;
    }
    signals.obey();
    Ok(Exit::Done)
}
