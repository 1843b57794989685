//! `ctm profile`.

use super::bar::Watch;
use super::outputs::{Output, Outputs, Writable};
use super::run::faults;
use super::sampled::Sampled;
use super::signals::Signals;
use super::values::parse_mode;
use super::{Exit, jobs, replay};
use anyhow::{Context, bail};
use clap::ValueEnum;
use ctm_inspect::profile::text::Order;
use ctm_inspect::profile::{Options, PassProfile, callgrind, html, json, profile, recording, text};
use ctm_jobs::job::{Job, RunOptions, SharedFiles};
use ctm_machine::launch::FloatMode;
use ctm_machine::record::{ReplayError, ReplayOptions};
use std::path::PathBuf;
use std::time::Duration;

mod launches;

/// Show where the time of a job or a program goes: counts for each instruction, source line and pass.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ctm profile kernels/mandelbrot/mandelbrot_96.toml    tables, hottest lines first
  ctm profile job.toml --order program --top 0         every instruction, in program order
  ctm profile job.toml --html profile.html             one page with source, pictures, roofline
  ctm profile job.toml --pass 0 --heat heat.png        instructions of each point as a picture
  ctm profile job.toml --callgrind callgrind.out.job   open it in KCachegrind
  ctm profile job.toml --points 65536                  count a sample of each launch
  ctm profile job.toml --json                          all counts as one JSON object
  ctm profile blur.dpp --size 512x512                  a program without a job, as `ctm run` runs it
  ctm profile client.rec                               the launches of a recording, slowest first
  ctm profile client.rec --launch 3                    launch 3, as if it were a job

The block engine runs the job; the reference engine counts. The job's own files are not written.
docs/profiling.md explains the numbers.

Exit status: 0 done, 1 a fault occurred or the time was up, 2 bad usage or bad input.")]
pub struct Args {
    /// The job file, a program, or a recording.
    #[arg(value_name = "JOB.toml|PROGRAM|CLIENT.rec")]
    job: PathBuf,
    #[command(flatten)]
    sampled: Sampled,
    #[command(flatten)]
    confined: jobs::Confined,
    /// List lines and instructions by their clocks, or in the order of the program.
    #[arg(long, value_name = "ORDER", value_enum, default_value_t = Listing::Hot)]
    order: Listing,
    /// Rows of each table, and passes, those with the most time; 0 shows all.
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Count only a sample of each launch's groups, with about N points.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    points: Option<u64>,
    /// Of a recording, profile launch N, from 0 on in the order of submissions.
    #[arg(long, value_name = "N")]
    launch: Option<u64>,
    /// Count only pass N, from 0. All passes run.
    #[arg(long, value_name = "N")]
    pass: Option<usize>,
    /// Print one JSON object to standard output instead of the tables.
    #[arg(long)]
    json: bool,
    /// Write a page: annotated source and instructions, pictures, roofline. It needs no network.
    #[arg(long, value_name = "FILE")]
    html: Option<Output>,
    /// Write a PNG picture of the instructions of each point. Of a job of several passes, name one
    /// with --pass.
    #[arg(long, value_name = "FILE")]
    heat: Option<Output>,
    /// Write a profile for KCachegrind, in the format of Callgrind.
    #[arg(long, value_name = "FILE")]
    callgrind: Option<Output>,
    #[arg(long, value_parser = parse_mode, help = jobs::modes("Overrides the job's [float]"))]
    mode: Option<FloatMode>,
    /// Instructions a group may run. Overrides the job's [limits].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Stop the run after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = super::values::seconds)]
    timeout: Option<Duration>,
}

/// The value of `--order`.
#[derive(Clone, Copy, ValueEnum)]
enum Listing {
    /// Rows with the most clocks first.
    Hot,
    /// By line or pc.
    Program,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.json {
        super::utf8(&args.job)?;
    }
    let signals = Signals::catch()?;
    let stop = signals.stop().within(args.timeout);
    let shared = args.confined.files()?;
    let instructions = args.limit;
    let options = ReplayOptions { stop: stop.clone(), instructions, ..ReplayOptions::default() };
    let is_recording = jobs::is_recording(&args.job, &shared)?;
    if is_recording {
        args.sampled.must_not_be_given()?;
    }
    let recorded = match (is_recording, args.launch) {
        (true, None) => {
            return signals.or_obey(of_recording(args, &options)).inspect(|_| signals.obey());
        }
        (false, Some(_)) => return Err(jobs::no_recording(&args.job, &shared)),
        (true, Some(n)) => Some(signals.or_obey(replay::as_job(&args.job, n, &options))?),
        (false, None) => None,
    };
    let job = match &recorded {
        // The folder of the launch lasts as long as the profile, and is outside --root. No text names it.
        Some((_, job)) => {
            let mut job = Job::read_shared(job, &SharedFiles::new(), &stop)?;
            job.file = args.job.clone();
            for pass in &mut job.passes {
                pass.program_file = pass.program_file.file_name().unwrap_or_default().into();
            }
            job
        }
        None => {
            let read = args.sampled.read(&args.job, &shared, &stop);
            let Some(job) = super::finished(&args.job, read, "written", &signals)? else {
                return Ok(Exit::Failed);
            };
            job
        }
    };
    let mut outputs = Outputs::new(&shared);
    outputs.job(&args.job);
    args.sampled.files().for_each(|path| outputs.reads(path));
    let to_html = outputs.maybe("--html", &args.html)?;
    let to_heat = outputs.maybe("--heat", &args.heat)?;
    let to_callgrind = outputs.maybe("--callgrind", &args.callgrind)?;
    let passes = job.passes.len();
    if let Some(pass) = args.pass.filter(|&pass| pass >= passes) {
        bail!("--pass {pass}: the job has {passes} passes, from 0 to {}", passes - 1);
    }
    if args.heat.is_some() && args.pass.is_none() && passes > 1 {
        bail!("--heat: the job has {passes} passes; name one with --pass");
    }
    let options = Options {
        run: RunOptions { mode: args.mode, instructions: args.limit, statistics: true },
        points: args.points,
        pass: args.pass,
    };
    let result = profile(&job, &options, &Watch::of("launch", stop));
    let Some(profile) = super::finished(&job.file, result, "written", &signals)? else {
        return Ok(Exit::Failed);
    };
    if let Some(to) = &to_html {
        to.write(html::html(&profile, &job).as_bytes())?;
    }
    if let Some(to) = &to_callgrind {
        to.write(callgrind::callgrind(&profile).as_bytes())?;
    }
    let heat = to_heat.zip(profile.passes.first());
    if let Some((to, pass)) = &heat {
        write_heat(to, pass)?;
    }
    let wrote = [to_html, to_callgrind, heat.map(|(to, _)| to)].into_iter().flatten();
    let wrote: Vec<String> = wrote.map(|to| to.path().display().to_string()).collect();
    let order = match args.order {
        Listing::Hot => Order::Hot,
        Listing::Program => Order::Program,
    };
    let top = Some(args.top).filter(|&top| top != 0);
    super::print(if args.json {
        let mut object = json::json(&profile);
        object["files"] = wrote.into();
        format!("{object}\n")
    } else {
        let faults = faults(&profile.result, &job).into_iter();
        let lines = faults.chain(wrote.iter().map(|file| format!("wrote {file}")));
        let lines = lines.map(|line| super::escaped_line(&line) + "\n");
        super::escaped(&text::text(&profile, order, top)) + &lines.collect::<String>()
    })?;
    Ok(if profile.result.faults.is_empty() { Exit::Done } else { Exit::Failed })
}

/// The launches of a recording.
fn of_recording(args: &Args, options: &ReplayOptions) -> anyhow::Result<Exit> {
    launches::check(args)?;
    let found = match recording::launches(&args.job, options) {
        Err(error @ ReplayError::Stopped { .. }) => {
            super::tell(format_args!("ctm: {}: {error}", args.job.display()));
            return Ok(Exit::Failed);
        }
        found => found.with_context(|| args.job.display().to_string())?,
    };
    super::print(if args.json {
        format!("{:#}\n", launches::to_json(args, &found)?)
    } else {
        super::escaped(&launches::text(args, &found))
    })?;
    Ok(Exit::Done)
}

fn write_heat(to: &Writable, pass: &PassProfile) -> anyhow::Result<()> {
    let picture = pass.heat.picture();
    if picture.width == 0 {
        bail!("--heat {}: the domain of pass {} is empty", to.path().display(), pass.pass);
    }
    to.write_with(|to| picture.write(to))
}
