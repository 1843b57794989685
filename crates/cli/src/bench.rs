//! `ctm bench`.

mod base;
mod limits;
mod page;
mod table;

use self::table::{Card, Failure, HEADING, Results, Row, Seconds, line, pairs, times};
use super::outputs::{Output, Outputs};
use super::programs::Which;
use super::sampled::{self, Given, sample};
use super::values::parse_size;
use super::{Exit, engines, jobs, programs};
use anyhow::{Context, anyhow, bail};
use ctm_engine::block::Block;
use ctm_engine::card::X1900_XTX;
use ctm_engine::{Engine, Stop};
use ctm_jobs::job::{Job, SharedFiles};
use ctm_jobs::load::Loaded;
use ctm_machine::launch::FloatMode;
use ctm_tools::bench::{Bench, Measured, Peak, Sampling, WORKLOADS, Work, Workload, filling};
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
  copies           copies of the work, side by side in the same launches (--copies)
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
  ctm bench sobel --engine translated --copies full
                                           on as many copies of its buffers as make it faster
  ctm bench --save base.json               measures, and keeps the results
  ctm bench --compare base.json            ratios to those results; the machine may have changed
  ctm bench --against ./ctm-old            ratios to another ctm, measured in turn
  ctm bench --adapter-limits               measures the limits again, and prints them
  ctm bench --html speed.html              a page with a plot
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
    /// Copies of the work, side by side in the same launches: domains and buffers have as many times the columns or
    /// rows, and the buffers' contents are repeated. full: four times as many, as long as that makes each a tenth
    /// faster. Default: full on a GPU, else 1.
    #[arg(long, value_name = "N|full", value_parser = parse_copies)]
    copies: Option<Copies>,
    /// The least length of a sample: its runs are repeated. A run that takes as long as all samples together
    /// is measured three times.
    #[arg(long, value_name = "SECONDS", default_value = "0.05", value_parser = parse_time)]
    time: Duration,
    /// Print one JSON object instead of the table.
    #[arg(long)]
    json: bool,
    /// Write a page with a plot of all speeds and the table.
    #[arg(long, value_name = "FILE")]
    html: Option<Output>,
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
    #[arg(long, conflicts_with_all = ["kernels", "list", "save", "html", "compare", "against"])]
    adapter_limits: bool,
    /// List the workloads and jobs; run nothing.
    #[arg(long)]
    list: bool,
}

/// The value of `--copies`.
#[derive(Clone, Copy, PartialEq)]
enum Copies {
    Number(u32),
    Full,
}

fn parse_copies(text: &str) -> Result<Copies, String> {
    if text == "full" {
        return Ok(Copies::Full);
    }
    let number = text.parse().ok().filter(|n| (1..=1 << 20).contains(n));
    number
        .map(Copies::Number)
        .ok_or_else(|| "it is a number, 1 to 1048576, or \"full\"".to_string())
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

/// The number of this way to measure. Speeds of another one are not compared.
const HARNESS: u32 = 2;

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
    if args.save.is_some() || args.html.is_some() {
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
    let page = outputs.maybe("--html", &args.html)?;
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
    if args.json || save.is_some() || page.is_some() {
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
        if let Some(page) = page {
            let adapter = engines.iter().find_map(|engine| engine.adapter());
            page.write(page::page(&results, adapter.as_deref()).as_bytes())?;
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

/// A job set up, and its work in a mode.
fn counted(job: &Job, mode: FloatMode) -> anyhow::Result<(Bench, Work)> {
    let mut bench = Bench::new(job)?;
    // All engines count alike, so the fastest one counts.
    let work = bench.count(&Block::new(), mode)?;
    Ok((bench, work))
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
    let (mut bench, mut work) = counted(&job, mode)?;
    let copies = match args.copies {
        Some(Copies::Number(number)) => number,
        None if !peak.gpu => 1,
        None | Some(Copies::Full) => filling(&job, engine, mode, &work)?,
    };
    if copies != 1 {
        let many = job.copies(copies).with_context(|| {
            format!(
                "--copies {copies}: a domain or a buffer has no room for them in 4096 columns and rows, or a fixed \
                 address"
            )
        })?;
        (bench, work) = counted(&many, mode)?;
    }
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
                let [own, other] = [&this, program].map(|program| {
                    base::measure(program, args, subject, engine.name(), mode, copies)
                });
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
        copies,
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
