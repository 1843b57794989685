//! `ctm export`.

use super::bar::Watch;
use super::outputs::{Output, Outputs};
use super::sampled::{Found, Sampled};
use super::signals::Signals;
use super::{Exit, jobs, programs};
use anyhow::{Context, anyhow, bail};
use ctm_base::files;
use ctm_base::text::numbers::count;
use ctm_jobs::job::write::program;
use ctm_jobs::job::{Expect, Job, SharedFiles, Subject};
use ctm_tools::playground::Document;
use ctm_tools::witness::{Witness, WitnessError, html};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Write a job as a page that runs it on the visitor's GPU, and compares every word.
#[derive(clap::Args)]
#[command(after_help = "\
The page is one file and needs no network: a browser with WebGPU opens it from disk. It probes the GPU's
arithmetic, runs the job's launches on the interpreter and as translated programs, and compares all memory
with what the block engine gives here. Its button copies a report, which `ctm witness` reads.
docs/browser.md explains it. If CTM_PLAYGROUND is the address of a playground, the page has a link that opens
the job there.

Examples:
  ctm export kernels/nbody/nbody.toml --html nbody.html
  ctm export plasma.frag --html plasma.html --size 256x256   a program, as `ctm run` runs it
  ctm export exercise.toml --exercise target/web/page/index.html --html exercise.html

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
    /// Write an exercise instead: a copy of this page, the playground that web/build.sh makes, which opens the job
    /// and compares each run with the job's [[expect]].
    #[arg(long, value_name = "PLAYGROUND.html")]
    exercise: Option<PathBuf>,
    /// Stop the run after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = super::values::seconds)]
    timeout: Option<Duration>,
}

/// The most bytes of the playground's page.
const LARGEST: u64 = 64 << 20;

/// A copy of the playground's page with a job as an exercise.
fn exercise(page: &Path, file: &Path, job: &Job) -> anyhow::Result<String> {
    let goal = |expect: &Expect| matches!(expect.subject, Subject::Array { .. });
    if !job.expects.iter().any(goal) {
        let name = file.display();
        bail!("--exercise: {name} has no [[expect]] with a file, which is what is to be reached");
    }
    let option = || format!("--exercise {}", page.display());
    let text = String::from_utf8(files::read(page, LARGEST).with_context(option)?);
    let text = text.with_context(option)?;
    let made = Document::of_job(file, true)?.exercise(&text);
    made.context("it is not the playground's page, or it is an exercise").with_context(option)
}

/// The address of a playground, to which pages have a link.
const PLAYGROUND: &str = "CTM_PLAYGROUND";

/// The address that opens the job in the playground, if there is one and it holds the job.
fn playground(file: &Path, found: &Found, shared: &SharedFiles) -> anyhow::Result<Option<String>> {
    let Some(page) = std::env::var(PLAYGROUND).ok().filter(|page| !page.is_empty()) else {
        return Ok(None);
    };
    let document = match found {
        Found::Job(_) => Document::of_job(file, false)?,
        Found::Program(made) => {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let mut files = program::files(&made.job, &made.sample, &made.loaded, &name)?;
            let main = files[0].0.clone();
            files.push((name.into_owned(), programs::read(file, shared)?));
            Document::new(&main, files)
        }
    };
    Ok(document.address(&page))
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let signals = Signals::catch()?;
    let stop = signals.stop().within(args.timeout);
    let shared = args.confined.files()?;
    let read = args.sampled.find(&args.job, &shared, &stop);
    let Some(found) = super::finished(&args.job, read, "written", &signals)? else {
        return Ok(Exit::Failed);
    };
    let job = found.job();
    let mut outputs = Outputs::new(&shared);
    outputs.job(&args.job);
    args.sampled.files().for_each(|path| outputs.reads(path));
    args.exercise.iter().for_each(|page| outputs.reads(page));
    let to = outputs.stream("--html", &args.html)?;
    let name = args.job.display().to_string();
    if let Some(page) = &args.exercise {
        jobs::check(&shared, "--exercise", page)?;
        to.write(exercise(page, &args.job, job)?.as_bytes())?;
        if !to.is_dash() {
            let path = to.path().display().to_string();
            super::print(format!("wrote {}\n", super::escaped_line(&path)))?;
        }
        return Ok(Exit::Done);
    }
    if job.sharing.is_none() && !job.written().contains(&true) {
        let html = args.html.display();
        bail!("--html {html}: no launch of {name} writes anything, so there is nothing to compare");
    }
    let made = match Witness::new(job, &name, &Watch::of("launch", stop)) {
        Ok(made) => Ok(made),
        Err(WitnessError::Job(error)) => Err(error),
        Err(error) => return Err(anyhow!(error)).context(name),
    };
    let Some((witness, result)) = super::finished(&job.file, made, "written", &signals)? else {
        return Ok(Exit::Failed);
    };
    let playground = playground(&args.job, &found, &shared)?;
    to.write(html::html(&witness, job, &result, playground.as_deref())?.as_bytes())?;
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
