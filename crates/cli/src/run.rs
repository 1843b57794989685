//! `ctm run`.

mod sweep;

use super::bar::Watch;
use super::outputs::{Output, Outputs, Writable};
use super::sampled::Sampled;
use super::signals::{self, Signals};
use super::{Exit, engines, jobs, programs};
use anyhow::{Context, bail};
use ctm_base::files::Folders;
use ctm_base::text::numbers::{count, rate, time};
use ctm_engine::card::X1900_XTX;
use ctm_engine::{Engine, Stop, Why};
use ctm_isa::isa::MAX_INSTRUCTIONS;
use ctm_jobs::job::write::file_name;
use ctm_jobs::job::{Job, JobResult, Share, numbered};
use ctm_lang::program::{NameKind, Severity};
use ctm_machine::launch::MAX_BOUND;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

/// Run a job file or a program: load its programs and arrays, run its passes, save its outputs.
///
/// A program runs without a job: its varyings (temporaries that it reads before it writes them),
/// inputs and constants come from a seed, from --set and from --input; `ctm new` writes the same as a
/// job. Temporary 0 is the point's position, except in listings and logs of Mesa's compiler.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ctm run shader.hex --set c0=1,0.5 --save out.npy  a program with data from a seed
  ctm run blur.dpp --set radius=3 --input photo=photo.npy --save blurred=out.npy   registers by name
  ctm run blur.dpp --sweep radius=radii.npy --save all.npy   a program once for each value
  ctm run kernels/mandelbrot/mandelbrot.toml       run it, write its files, print a summary
  ctm run job.toml --engine gpu                    on a GPU; `ctm info --adapters` lists them
  ctm run job.toml --stats                         count instructions, fetches, divergence
  ctm run job.toml --json --no-save                one JSON object, no files
  ctm run job.toml --trace 3,5                     every instruction of point (3, 5)
  ctm run job.toml --trace 3,5 --pass 1 --pc 4..9  those in slots 4 to 9, of the second pass

SIGINT (Ctrl-C) and SIGTERM stop the run: it saves nothing and leaves no temporary file.
`ctm verify` checks [[expect]] entries; this command does not.

Exit status: 0 done, 1 a fault occurred or the time was up, 2 bad usage or bad input.")]
pub struct Args {
    /// The job file, or a program.
    #[arg(value_name = "JOB.toml|PROGRAM")]
    job: PathBuf,
    #[command(flatten)]
    sampled: Sampled,
    /// The file for the output of a program; a folder if it has several. NAME=FILE.npy for one output;
    /// can be repeated.
    #[arg(long, value_name = "FILE.npy", conflicts_with = "no_save")]
    save: Vec<Output>,
    /// The file for a picture of the output of a program, as with --save.
    #[arg(long, value_name = "FILE.png", conflicts_with = "no_save")]
    image: Vec<Output>,
    /// Run a program once for each value of a constant: float32 (n, 1 to 4) for a float constant, uint8
    /// (n, 1 to 3) for an integer, (n,) for a boolean. --save then writes arrays with one more axis in
    /// front. Can be repeated, with as many values.
    #[arg(long, value_name = "NAME=FILE.npy", conflicts_with_all = ["image", "json", "trace", "stats"])]
    sweep: Vec<String>,
    #[command(flatten)]
    engine: engines::Choice,
    #[command(flatten)]
    confined: jobs::Confined,
    #[command(flatten)]
    overrides: jobs::Overrides,
    /// Print one JSON object to standard output instead of the summary.
    #[arg(long)]
    json: bool,
    /// Print every instruction that the point in column I, row J runs (reference engine only).
    /// With --json: one JSON object per line, on standard error.
    #[arg(long, value_name = "I,J", value_parser = parse_point)]
    trace: Option<(u32, u32)>,
    /// Trace only this pass, counted from 0.
    #[arg(long, value_name = "N", requires = "trace")]
    pass: Option<usize>,
    /// Trace only the instructions in slots A to B, both included; A alone is one instruction.
    #[arg(long, value_name = "A..B", value_parser = parse_pcs, requires = "trace")]
    pc: Option<RangeInclusive<u32>>,
    /// Stop the run after this many seconds; nothing is saved then.
    #[arg(long, value_name = "SECONDS", value_parser = super::values::seconds)]
    timeout: Option<Duration>,
    /// Do not save files.
    #[arg(long)]
    no_save: bool,
}

/// The value of `--trace`.
fn parse_point(text: &str) -> Result<(u32, u32), String> {
    let number = |s: &str| s.trim().parse().ok().filter(|&n: &u32| n <= MAX_BOUND);
    let point = text.split_once(',').and_then(|(i, j)| Some((number(i)?, number(j)?)));
    point.ok_or_else(|| "it is two numbers from 0 to 4095: column,row".to_string())
}

/// The value of `--pc`.
fn parse_pcs(text: &str) -> Result<RangeInclusive<u32>, String> {
    let number =
        |s: &str| s.trim().parse().ok().filter(|n| (0..MAX_INSTRUCTIONS as u32).contains(n));
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let pcs = number(first).zip(number(last)).filter(|(first, last)| first <= last);
    pcs.map(|(first, last)| first..=last)
        .ok_or_else(|| "it is one or two numbers from 0 to 511, such as 7 or 4..9".to_string())
}

/// The job, or the program with data.
fn job(args: &Args, stop: &Stop) -> anyhow::Result<Job> {
    let shared = args.confined.files()?;
    let mut job = args.sampled.read(&args.job, &shared, stop)?;
    let given = [("--save", &args.save), ("--image", &args.image)];
    if given.iter().all(|(_, files)| files.is_empty()) {
        return Ok(job);
    }
    if programs::is_job(&args.job, args.sampled.kind(), &shared)? {
        bail!("--save, --image: a job names its files itself; they are for programs");
    }
    let mut written = Outputs::new(&shared);
    args.sampled.files().chain([&*args.job]).for_each(|path| written.reads(path));
    for (option, files) in given {
        let files = of_outputs(option, files, &job, &mut written)?;
        for (n, file) in files {
            let (buffer, file) = (&mut job.buffers[n], file.path().to_path_buf());
            match option {
                "--save" => buffer.save = Some(file),
                _ => buffer.pictures.image = Some(file),
            }
        }
    }
    Ok(job)
}

/// The files of --save or --image, by the index of the buffer. One file without a name is for all
/// outputs that no name gives one: a folder if they are several.
fn of_outputs(
    option: &str,
    files: &[Output],
    job: &Job,
    written: &mut Outputs<'_>,
) -> anyhow::Result<Vec<(usize, Writable)>> {
    let image = job.passes[0].program.image();
    let mut rest = job.passes[0].outputs.clone();
    let (mut found, mut plain) = (Vec::new(), None);
    for file in files {
        if file.is_dash() {
            bail!("{option} -: expected a file; ./- is one of this name");
        }
        let Some((name, file)) = file.named() else {
            if plain.replace(file).is_some() {
                bail!("{option}: expected one file without the name of an output");
            }
            continue;
        };
        let (_, slot) = image.register(&[NameKind::Output], name).context(option.to_string())?;
        let Some(at) = rest.iter().position(|(of, _)| *of == slot) else {
            let output = image.named(NameKind::Output, slot);
            bail!("{option} {name}: the program does not write {output}, or it has a file already");
        };
        found.push((rest.remove(at).1, written.stream(option, &file)?));
    }
    let Some(file) = plain else { return Ok(found) };
    if rest.is_empty() {
        let why = match found.len() {
            0 => "the program writes no output, so there is nothing to save",
            _ => "every output that the program writes has a file already",
        };
        bail!("{option} {}: {why}", file.display());
    }
    if let [(_, buffer)] = rest[..] {
        found.push((buffer, written.stream(option, file)?));
        return Ok(found);
    }
    written.folder(option, file)?.create()?;
    let ending = if option == "--save" { "npy" } else { "png" };
    for (slot, buffer) in rest {
        let file = file.join(&file_name(image, NameKind::Output, slot, ending));
        found.push((buffer, written.stream(option, &file)?));
    }
    Ok(found)
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.json {
        super::utf8(&args.job)?;
    }
    let signals = Signals::catch()?;
    let stop = signals.stop().within(args.timeout);
    if !args.sweep.is_empty() {
        return sweep::run(args, &signals, &stop);
    }
    let job = job(args, &stop);
    if let (Err(error), true) = (&job, args.json)
        && let errors @ [_, ..] = programs::source_errors(error)
    {
        let value = ctm_tools::errors::json(errors);
        super::print(format!("{value:#}\n"))?;
    }
    let Some(job) = super::finished(&args.job, job, "saved", &signals)? else {
        return Ok(Exit::Failed);
    };
    if !args.no_save {
        job.check_outputs(&Folders::default())?;
    }
    let engine = match args.trace {
        Some((i, j)) if !job.passes.iter().any(|p| p.domain.contains(i, j)) => {
            bail!("--trace {i},{j}: the point lies in no domain of the job")
        }
        Some(_) if args.pass.is_some_and(|pass| pass >= job.passes.len()) => {
            let passes = count(job.passes.len() as u64, "pass", "passes");
            bail!("--pass {}: the job has {passes}, counted from 0", args.pass.unwrap_or_default())
        }
        Some(point) if matches!(args.engine.name.as_str(), "auto" | "reference") => {
            let mut tracing = engines::printing(&job, point, args.json);
            tracing.pass = args.pass;
            tracing.pcs = args.pc.clone().unwrap_or(tracing.pcs);
            Box::new(tracing) as Box<dyn Engine + '_>
        }
        Some(_) => bail!(
            "only the reference engine can trace: leave --engine away or say --engine reference"
        ),
        None => args.engine.open()?,
    };
    let options = args.overrides.options();
    // A trace prints lines of its own.
    let watch = if args.trace.is_some() { Watch::silent(stop) } else { Watch::of("launch", stop) };
    let result = job.run(engine.as_ref(), &options, &watch);
    drop(watch);
    let Some(mut result) = super::finished(&job.file, result, "saved", &signals)? else {
        return Ok(Exit::Failed);
    };
    let files = if args.no_save {
        Vec::new()
    } else {
        signals::waiting_to_write(&job.saves(), || job.save(&mut result))?
    };
    super::print(if args.json {
        result.report(&job, &files, options.statistics, true).text()
    } else {
        summary(&job, &result, &files, options.statistics)
    })?;
    Ok(if result.faults.is_empty() { Exit::Done } else { Exit::Failed })
}

/// The summary, human-readable.
fn summary(job: &Job, result: &JobResult, files: &[PathBuf], stats: bool) -> String {
    let mut lines = Vec::new();
    let name = job.file.display();
    let about = if job.about.is_empty() { "" } else { ": " };
    lines.push(format!("{name}{about}{}", job.about));
    // Where nothing could be chosen the reason takes the place of an adapter's name.
    let (place, ran) = match (&result.adapter, &result.ran[..]) {
        (None, [all]) if all.why.kind == Why::NO_GPU => (Some(&all.why.reason), &[][..]),
        (adapter, ran) => (adapter.as_ref(), ran),
    };
    lines.push(format!(
        "engine {}{}, mode {}: {}, {} in {}",
        result.engine,
        place.map_or(String::new(), |place| format!(" ({place})")),
        result.mode.name(),
        count(result.launches, "launch", "launches"),
        count(result.points, "point", "points"),
        count(result.groups, "group", "groups"),
    ));
    lines.extend(ran.iter().map(Share::text));
    let seconds = &result.seconds;
    let parts = [
        ("compile", seconds.compile),
        ("upload", Some(seconds.upload)),
        ("execute", Some(seconds.execute)),
        ("read back", Some(seconds.readback)),
    ];
    let parts = parts
        .into_iter()
        .filter_map(|(name, part)| part.map(|part| format!("{name} {}", time(part.as_secs_f64()))));
    let parts: Vec<String> = parts.collect();
    let gpu = seconds.gpu.map(|gpu| format!("; {} on the GPU", time(gpu.as_secs_f64())));
    lines.push(format!(
        "time {} ({}){}",
        time(seconds.total().as_secs_f64()),
        parts.join(", "),
        gpu.unwrap_or_default()
    ));
    if stats {
        match (&result.statistics, &result.card) {
            (Some(s), Some(card)) => {
                let rate = result.pi_per_second();
                let rate = rate.map(|rate| format!(" ({} a second)", self::rate(rate)));
                lines.push(format!(
                    "group instructions: {} ALU, {} OUT, {} TEX, {} FC ({} divergent)",
                    s.alu, s.out, s.tex, s.fc, s.divergent
                ));
                lines.push(format!(
                    "lane instructions: {}{}; fetches: {}; points killed: {}",
                    s.lane_instructions,
                    rate.unwrap_or_default(),
                    s.fetches,
                    s.killed
                ));
                if result.shared.is_some() {
                    lines.push(format!(
                        "shared registers: {} read, {} written; {}",
                        count(s.shared_reads, "operand", "operands"),
                        count(s.shared_writes, "operand", "operands"),
                        count(s.shared_conflicts, "conflict", "conflicts"),
                    ));
                }
                lines.push(format!(
                    "an {} at best: {}, bound by {}",
                    X1900_XTX.name,
                    time(card.seconds()),
                    card.bound().name()
                ));
            }
            _ => lines.push(format!("statistics: engine {} keeps none", result.engine)),
        }
    }
    lines.extend(result.warnings.iter().map(|w| format!("warning: {w}")));
    lines.extend(result.hazards.iter().map(|h| format!("hazard: {h}")));
    lines.extend(faults(result, job));
    lines.extend(wrote(job, files));
    lines.iter().map(|line| super::escaped_line(line) + "\n").collect()
}

/// Lines that say which files were written: one for all pictures of a buffer along the way.
fn wrote(job: &Job, files: &[PathBuf]) -> Vec<String> {
    let (mut lines, mut files) = (Vec::new(), files);
    while let Some((file, rest)) = files.split_first() {
        let images = job.buffers.iter().filter_map(|buffer| buffer.pictures.image.as_ref());
        let counts = images.map(|image| {
            let alike = files.iter().zip(0..);
            alike.take_while(|(file, n)| numbered(image, *n).as_ref() == Some(*file)).count()
        });
        let count = counts.max().unwrap_or(0);
        if count > 1 {
            let last = files[count - 1].display();
            lines.push(format!("wrote {} to {last}: {count} pictures", file.display()));
            files = &files[count..];
        } else {
            lines.push(format!("wrote {}", file.display()));
            files = rest;
        }
    }
    lines
}

/// The faults of a job, each with its place in the source.
pub(super) fn faults(result: &JobResult, job: &Job) -> Vec<String> {
    let mut lines = Vec::new();
    for fault in result.job_faults(job) {
        lines.push(format!("fault: {}", fault.text()));
        let report = fault.image.report(Severity::Error, fault.fault.pc, "", "here");
        lines.extend(report.excerpt(false).iter().flat_map(|text| text.lines()).map(String::from));
    }
    lines
}
