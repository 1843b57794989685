//! `ctm bench`.

mod base;
mod limits;

use super::outputs::{Output, Outputs};
use super::programs::Which;
use super::sampled::{self, Given, sample};
use super::values::parse_size;
use super::{Exit, engines, jobs, programs};
use anyhow::{Context, anyhow, bail};
use ctm_base::text::numbers::{digits, rate, time};
use ctm_engine::block::Block;
use ctm_engine::card::X1900_XTX;
use ctm_engine::{Engine, Stop};
use ctm_jobs::job::{Job, SharedFiles};
use ctm_jobs::load::Loaded;
use ctm_machine::launch::FloatMode;
use ctm_tools::bench::{Bench, Measured, Peak, Sampling, WORKLOADS, Workload};
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Measure how fast the engines run programs here.
///
/// Without a KERNEL: all built-in workloads, and the jobs below the folder `kernels` if it exists.
/// Each row measures one of them on one engine in one mode. Memory stays with the engine; the launches are
/// repeated until a sample takes 50 ms. After a warm-up of six samples, the median of seven counts.
#[derive(clap::Args)]
#[command(after_help = "\
Columns:
  points           points that the launches start
  pi/s             point-instructions per second: active points summed over all instructions (an RGB
                   and an alpha operation are one instruction)
  spread           the distance from the fastest sample to the slowest one
  of an X1900 XTX  the speed relative to that card's peak: per second 31.2 G instructions, 10.4 G
                   fetches, 49.6 GB of memory, whichever bounds a launch; then the bound of the
                   launches that take the most time. `ctm run --stats` uses the same model
  of this machine  how near the fastest of three limits is: multiply-adds (an instruction is at most
                   four), bytes of a copy, small launches; then the limit. They are measured once for
                   each adapter and driver, and kept beside its pipelines (CTM_CACHE_DIR)
  against          pi/s relative to the first engine listed, in the same mode; - for that engine
  wall, gpu        times of one run of all launches, by the host's clock and by the GPU's own; - where
                   there is no GPU, or it has no timestamps
  overhead         what a launch takes beside the GPU's work: wall minus gpu
  compile, upload, read back
                   times of the whole row: loading programs and compiling shaders, storing arrays,
                   reading arrays

A kernel NAME_wgsl is compared with NAME, written by hand: a second table has the ratios of the
instructions and the card's clocks, which are counted, and of the time here, which is measured.

Examples:
  ctm bench                                everything, all engines here, mode exact
  ctm bench mad fetch-tiled --mode both    two workloads, exact and host arithmetic
  ctm bench mandelbrot --engine block --threads 1
                                           a job of the folder kernels, by file name
  ctm bench saxpy saxpy_wgsl --engine block
                                           compiled code against the same by hand
  ctm bench job.toml --time 1              your own job, in samples of a second
  ctm bench shader.hex --size 1024x1024    a program without a job
  ctm bench copy-linear --engine block --size 4096x4096
  ctm bench --save base.json               measures, and keeps the results
  ctm bench --compare base.json            ratios to those results; the machine may have changed
  ctm bench --against ./ctm-old            ratios to another ctm, measured in turn
  ctm bench --adapter-limits               measures the limits again, and prints them
  ctm bench --list                         the names of all workloads and jobs

Measure only with a release build, on an otherwise idle machine.
Exit status: 0 done, 1 a fault occurred in a job, 2 bad usage or bad input
(the others are still measured).")]
pub struct Args {
    /// Built-in workloads, jobs of the folder `kernels` by name, job files, folders of job files, or
    /// programs, with data from a seed.
    #[arg(value_name = "KERNEL")]
    kernels: Vec<String>,
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    given: Given,
    /// The engines, separated by commas; each is compared with the first. Default: all.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    engine: Vec<String>,
    #[command(flatten)]
    adapter: engines::Adapter,
    #[arg(long, value_parser = ["exact", "fast", "chip", "both"], default_value = "exact",
        help = jobs::modes("both: exact and fast in turn"))]
    mode: String,
    /// Threads an engine may use; 0: the number of processors.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = super::values::threads())]
    threads: usize,
    /// Columns and rows of the built-in workloads and of programs, for all engines. Default: 512x512;
    /// 64x64 for the reference engine. Job files keep their own size.
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<(u32, u32)>,
    /// The least length of a sample: its runs are repeated. A run that takes as long as all samples together
    /// is measured three times.
    #[arg(long, value_name = "SECONDS", default_value = "0.05", value_parser = parse_time)]
    time: Duration,
    /// Print one JSON object instead of the table.
    #[arg(long)]
    json: bool,
    /// Write the object of --json to a file, as a base for later runs.
    #[arg(long, value_name = "FILE")]
    save: Option<Output>,
    /// Compare with a file of --save: each row's speed relative to the base's row of the same
    /// kernel, engine, mode and number of points.
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Compare with another ctm, in pairs: this program and that one measure each row in turn, in
    /// processes of their own, so that both see the same state of the machine. The result is the
    /// median of the pairs' ratios.
    #[arg(long, value_name = "PROGRAM", conflicts_with = "compare")]
    against: Option<PathBuf>,
    /// Pairs for --against.
    #[arg(long, value_name = "N", default_value_t = 3, requires = "against",
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    pairs: u32,
    /// Measure the limits of this machine and of the adapter again, keep and print them; run nothing.
    #[arg(long, conflicts_with_all = ["kernels", "list", "save", "compare", "against"])]
    adapter_limits: bool,
    /// List the workloads and jobs; run nothing.
    #[arg(long)]
    list: bool,
}

/// The value of `--time`.
fn parse_time(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .filter(|&s| (0.001..=3600.0).contains(&s))
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "it is a number of seconds, 0.001 to 3600".to_string())
}

/// Something to measure.
enum Subject {
    BuiltIn(&'static Workload),
    Job {
        name: String,
        path: PathBuf,
    },
    /// Or why it cannot be loaded.
    Program {
        name: String,
        path: PathBuf,
        loaded: Result<Box<Loaded>, String>,
    },
}

impl Subject {
    fn name(&self) -> &str {
        match self {
            Subject::BuiltIn(workload) => workload.name,
            Subject::Job { name, .. } | Subject::Program { name, .. } => name,
        }
    }

    fn of_file(path: PathBuf) -> Subject {
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Subject::Job { name, path }
    }
}

/// The heading of the table.
const HEADING: &str = concat!(
    "kernel                 engine      mode     points     pi/s spread ",
    "          of an X1900 XTX     of this machine  against      wall       gpu  overhead   compile    upload read back",
);

/// The number of this way to measure. Speeds of another one are not compared.
const HARNESS: u32 = 2;

/// The object of `--json`.
#[derive(Serialize)]
struct Results {
    /// [`HARNESS`].
    harness: u32,
    threads: usize,
    card: Card,
    results: Vec<Row>,
    errors: Vec<Failure>,
}

/// A subject that could not be measured, in place of its row.
#[derive(Serialize)]
struct Failure {
    kernel: String,
    engine: &'static str,
    mode: &'static str,
    error: String,
}

/// The card that speeds are relative to.
#[derive(Serialize)]
struct Card {
    name: &'static str,
    instructions_per_second: f64,
    fetches_per_second: f64,
    bytes_per_second: f64,
}

/// One row of the table.
#[derive(Serialize)]
struct Row {
    kernel: String,
    engine: &'static str,
    mode: &'static str,
    launches: u64,
    points: u64,
    instructions: u64,
    fetches: u64,
    bytes: u64,
    faults: u64,
    samples: usize,
    runs_per_sample: u32,
    pi_per_second: f64,
    /// From the fastest sample to the slowest, in units of the median.
    spread: f64,
    /// The fraction of the card's speed.
    of_card: f64,
    card_seconds: f64,
    card_bound: &'static str,
    /// The fraction of what this machine can do at best, and the limit that bounds it.
    of_machine: f64,
    machine_bound: &'static str,
    /// The speed relative to the first engine's row for the same subject and mode; `None` for that row.
    against_first_engine: Option<f64>,
    /// The speed relative to the base: `--compare`, `--against`.
    of_base: Option<f64>,
    seconds: Seconds,
}

/// Times. Those of one run are medians.
#[derive(Serialize)]
struct Seconds {
    /// Of the whole row. `None`: nothing measured it.
    compile: Option<f64>,
    /// Of the whole row.
    upload: f64,
    /// One run, by the host's clock.
    wall: f64,
    /// The fastest sample's.
    wall_best: f64,
    /// One run, by the GPU's clock; `None`: nothing measured it.
    gpu: Option<f64>,
    /// A launch, beside the GPU's work.
    overhead: Option<f64>,
    /// Of the whole row.
    readback: f64,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.adapter_limits {
        let pool = super::start_threads(args.threads)?;
        super::print(pool.install(|| limits::renewed(&args.adapter, args.json))?)?;
        return Ok(Exit::Done);
    }
    let subjects = subjects(&args.kernels, args.which)?;
    let programs = subjects.iter().all(|subject| matches!(subject, Subject::Program { .. }));
    if let Some(option) = args.given.option().filter(|_| !programs) {
        bail!("{option}: it is for programs; a job says this itself");
    }
    for subject in &subjects {
        if let (true, Subject::Job { path, .. }) = (args.json, subject) {
            super::utf8(path)?;
        }
    }
    if args.list {
        super::print(list(&subjects, args.json)?)?;
        return Ok(Exit::Done);
    }
    let shared = SharedFiles::new();
    let mut outputs = Outputs::new(&shared);
    if args.save.is_some() {
        args.compare.iter().chain(&args.against).for_each(|file| outputs.reads(file));
        for subject in &subjects {
            match subject {
                Subject::BuiltIn(_) => {}
                Subject::Job { path, .. } => outputs.job(path),
                Subject::Program { path, .. } => outputs.reads(path),
            }
        }
        args.given.files().for_each(|path| outputs.reads(path));
    }
    let save = outputs.maybe("--save", &args.save)?;
    let base = args.compare.as_deref().map(base::read).transpose()?;
    let compared = base.is_some() || args.against.is_some();
    let engines = engines::several(&args.engine, &args.adapter)?;
    let modes = match args.mode.as_str() {
        "both" => vec![FloatMode::Exact, FloatMode::Fast],
        name => FloatMode::from_name(name).into_iter().collect(),
    };
    let pool = super::start_threads(args.threads)?;
    let peaks = pool.install(|| limits::of(&engines, &args.adapter))?;
    let (mut rows, mut errors): (Vec<Row>, Vec<Failure>) = Default::default();
    if !args.json {
        let more = if compared { "   of base" } else { "" };
        super::print(format!("{HEADING}{more}\n"))?;
    }
    for subject in &subjects {
        for &mode in &modes {
            let mut first = None;
            for (engine, peak) in engines.iter().zip(&peaks) {
                let engine = engine.as_ref();
                if std::io::stderr().is_terminal() {
                    let name = engine.name();
                    let (subject, mode) = (super::escaped_line(subject.name()), mode.name());
                    let _ = write!(std::io::stderr(), "{subject}, {name}, {mode}\x1b[K\r");
                }
                let measured = pool.install(|| measure(args, subject, (engine, peak), mode));
                if std::io::stderr().is_terminal() {
                    let _ = write!(std::io::stderr(), "\x1b[K");
                }
                let mut row = match measured {
                    Ok(row) => row,
                    // There are no others.
                    Err(error) if (subjects.len(), modes.len(), engines.len()) == (1, 1, 1) => {
                        return Err(error.context(subject.name().to_string()));
                    }
                    Err(error) => {
                        let kernel = subject.name().to_string();
                        let error = super::error_text(&error);
                        let (engine, mode) = (engine.name(), mode.name());
                        let failure = Failure { kernel, engine, mode, error };
                        if !args.json {
                            super::print(failure.line())?;
                        }
                        errors.push(failure);
                        continue;
                    }
                };
                if let Some(base) = &base {
                    row.of_base = base::ratio(base, &row);
                }
                row.against_first_engine = first.map(|first: f64| row.pi_per_second / first);
                first.get_or_insert(row.pi_per_second);
                if !args.json {
                    let of_base = || format!(" {:>9}", times(row.of_base));
                    let more = compared.then(of_base).unwrap_or_default();
                    super::print(format!("{}{more}\n", line(&row)))?;
                }
                rows.push(row);
            }
        }
    }
    if !args.json {
        super::print(pairs(&rows))?;
    }
    let faulty = rows.iter().any(|row| row.faults != 0);
    let (bad, all) = (errors.len(), errors.len() + rows.len());
    if args.json || save.is_some() {
        let card = Card {
            name: X1900_XTX.name,
            instructions_per_second: X1900_XTX.instructions,
            fetches_per_second: X1900_XTX.fetches,
            bytes_per_second: X1900_XTX.bytes,
        };
        let threads = pool.current_num_threads();
        let results = Results { harness: HARNESS, threads, card, results: rows, errors };
        let text = serde_json::to_string(&results)? + "\n";
        if let Some(save) = save {
            save.write(text.as_bytes())?;
        }
        if args.json {
            super::print(text)?;
        }
    }
    if bad != 0 {
        bail!("{bad} of {all} could not be measured");
    }
    Ok(if faulty { Exit::Failed } else { Exit::Done })
}

/// The subjects that the arguments name.
fn subjects(names: &[String], which: Which) -> anyhow::Result<Vec<Subject>> {
    let folder = Path::new("kernels");
    let jobs = if folder.is_dir() {
        jobs::collect(&[folder.to_path_buf()], &SharedFiles::new()).unwrap_or_default()
    } else {
        Vec::new()
    };
    let jobs = jobs.into_iter().map(Subject::of_file);
    if names.is_empty() {
        return Ok(WORKLOADS.iter().map(Subject::BuiltIn).chain(jobs).collect());
    }
    let jobs: Vec<Subject> = jobs.collect();
    let mut subjects = Vec::new();
    for name in names {
        let path = Path::new(name);
        if let Some(workload) = Workload::find(name) {
            subjects.push(Subject::BuiltIn(workload));
        } else if let Some(Subject::Job { name, path }) = jobs.iter().find(|job| job.name() == name)
        {
            subjects.push(Subject::Job { name: name.clone(), path: path.clone() });
        } else if path.is_file() && !programs::is_job(path, which.kind, &SharedFiles::new())? {
            let loaded = programs::load_aloud(path, which, &SharedFiles::new(), Stop::never());
            let loaded = loaded.map(Box::new).map_err(|error| super::error_text(&error));
            let (name, path) = (name.clone(), path.to_path_buf());
            subjects.push(Subject::Program { name, path, loaded });
        } else if path.exists() {
            let files = jobs::collect(&[path.to_path_buf()], &SharedFiles::new())?;
            subjects.extend(files.into_iter().map(Subject::of_file));
        } else {
            let known = WORKLOADS.iter().map(|workload| workload.name);
            let known: Vec<&str> = known.chain(jobs.iter().map(Subject::name)).collect();
            let known = known.join(", ");
            bail!("there is no workload, kernel or file \"{name}\"; known are {known}");
        }
    }
    Ok(subjects)
}

/// The list of `--list`: the name, the description and the file of each subject. As JSON, one array of objects.
fn list(subjects: &[Subject], json: bool) -> anyhow::Result<String> {
    let mut text = String::new();
    let mut objects = Vec::new();
    for subject in subjects {
        let (about, file) = match subject {
            Subject::BuiltIn(workload) => (workload.about.to_string(), None),
            Subject::Job { path, .. } => (Job::read(path)?.about, Some(path.display().to_string())),
            Subject::Program { path, .. } => {
                ("a program".to_string(), Some(path.display().to_string()))
            }
        };
        let name = subject.name();
        objects.push(json!({ "name": name, "about": about, "file": file }));
        let file = file.map(|file| format!("({file})"));
        let parts = [Some(about).filter(|about| !about.is_empty()), file];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        text.push_str(&format!(
            "{:<22} {}\n",
            super::escaped_line(name),
            super::escaped_line(&parts.join(" "))
        ));
    }
    Ok(if json { format!("{}\n", Value::from(objects)) } else { text })
}

fn measure(
    args: &Args,
    subject: &Subject,
    (engine, peak): (&dyn Engine, &Peak),
    mode: FloatMode,
) -> anyhow::Result<Row> {
    let small = engine.name() == "reference";
    let size = args.size.unwrap_or(if small { (64, 64) } else { (512, 512) });
    let job = match subject {
        Subject::BuiltIn(workload) => workload.job(size.0, size.1)?,
        Subject::Job { path, .. } => Job::read(path)?,
        Subject::Program { path, loaded, .. } => {
            let loaded = loaded.as_deref().map_err(|error| anyhow!("{error}"))?.clone();
            let mut made = sampled::of_program(path, loaded, sample(1, size))?;
            args.given.apply(&mut made.job, &SharedFiles::new())?;
            made.job
        }
    };
    let mut bench = Bench::new(&job)?;
    // All engines count alike, so the fastest one counts.
    let work = bench.count(&Block::new(), mode)?;
    let sampling = Sampling { sample: args.time, ..Sampling::DEFAULT };
    let measured = bench.measure(engine, mode, &work, sampling)?;
    let of_base = match &args.against {
        None => None,
        Some(program) => {
            // A process of its own for each measurement: what ran before in this one (compiled
            // shaders, memory) would count for one side only.
            let this = std::env::current_exe().context("this program's own path")?;
            let mut pairs = Vec::new();
            for _ in 0..args.pairs {
                let [own, other] = [&this, program]
                    .map(|program| base::measure(program, args, subject, engine.name(), mode));
                pairs.push(own? / other?);
            }
            pairs.sort_by(f64::total_cmp);
            Some(pairs[pairs.len() / 2])
        }
    };
    let (_, read_back) = bench.read_back()?;
    let Measured { runs, wall, gpu, spent } = measured;
    let gpu = gpu.map(|gpu| gpu.median().as_secs_f64());
    let of_engine = Some(spent.compile).filter(|time| !time.is_zero());
    let compile = [bench.compile, of_engine].into_iter().flatten().reduce(|own, more| own + more);
    let seconds = Seconds {
        compile: compile.map(|time| time.as_secs_f64()),
        upload: (bench.upload + spent.upload).as_secs_f64(),
        wall: wall.median().as_secs_f64(),
        wall_best: wall.best().as_secs_f64(),
        gpu,
        overhead: gpu.map(|gpu| (wall.median().as_secs_f64() - gpu) / work.launches as f64),
        readback: (spent.readback + read_back).as_secs_f64(),
    };
    let (card_seconds, execute) = (work.card.seconds(), seconds.wall.max(1e-9));
    let (least, machine_bound) = peak.least(&work);
    Ok(Row {
        kernel: subject.name().to_string(),
        engine: engine.name(),
        mode: mode.name(),
        launches: work.launches,
        points: work.points,
        instructions: work.instructions,
        fetches: work.fetches,
        bytes: work.bytes,
        faults: work.faults,
        samples: wall.runs(),
        runs_per_sample: runs,
        spread: wall.spread(),
        pi_per_second: work.instructions as f64 / execute,
        of_card: card_seconds / execute,
        card_seconds,
        card_bound: work.card.bound().name(),
        of_machine: least / execute,
        machine_bound,
        against_first_engine: None,
        of_base,
        seconds,
    })
}

/// The ending of compiled kernels' names, after the name of the same by hand.
const COMPILED: &str = "_wgsl";

/// The table of kernels that are there by hand and compiled; nothing if there are none.
fn pairs(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let by_hand = row.kernel.strip_suffix(COMPILED).and_then(|name| {
            rows.iter().find(|other| {
                (other.kernel.as_str(), other.engine, other.mode) == (name, row.engine, row.mode)
            })
        });
        let Some(hand) = by_hand else { continue };
        if text.is_empty() {
            text =
                "\ncompiled against by hand  engine      mode     instructions  clocks    time\n"
                    .into();
        }
        let ratio = |value: fn(&Row) -> f64| times(Some(value(row) / value(hand).max(1e-12)));
        text += &format!(
            "{:<25} {:<11} {:<5} {:>15} {:>7} {:>7}\n",
            row.kernel,
            row.engine,
            row.mode,
            ratio(|row| row.instructions as f64),
            ratio(|row| row.card_seconds),
            ratio(|row| row.seconds.wall),
        );
    }
    text
}

/// A relative speed.
fn times(ratio: Option<f64>) -> String {
    ratio.map_or("-".into(), |ratio| format!("x {}", digits(ratio)))
}

impl Failure {
    /// It, where its row would be.
    fn line(&self) -> String {
        let Failure { kernel, engine, mode, error } = self;
        let kernel = super::escaped_line(kernel);
        format!("{kernel:<22} {engine:<11} {mode:<5} {}\n", super::escaped(error))
    }
}

fn line(row: &Row) -> String {
    let Seconds { compile, upload, wall, gpu, overhead, readback, .. } = row.seconds;
    let [compile, gpu, overhead] =
        [compile, gpu, overhead].map(|seconds| seconds.map_or("-".into(), time));
    let [upload, wall, readback] = [upload, wall, readback].map(time);
    let mut line = format!(
        "{:<22} {:<11} {:<5} {:>9} {:>8} {:>6} {:>10} {:<14} {:>8} {:<10} {:>8} {wall:>9} {gpu:>9} {overhead:>9} {compile:>9} {upload:>9} {readback:>9}",
        super::escaped_line(&row.kernel),
        row.engine,
        row.mode,
        row.points,
        rate(row.pi_per_second),
        format!("{} %", digits(row.spread * 100.0)),
        format!("{} %", digits(row.of_card * 100.0)),
        row.card_bound,
        format!("{} %", digits(row.of_machine * 100.0)),
        row.machine_bound,
        times(row.against_first_engine),
    );
    if row.faults != 0 {
        line.push_str(&format!("  {} faults", row.faults));
    }
    line
}
