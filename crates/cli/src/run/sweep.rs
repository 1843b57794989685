//! `ctm run --sweep`: a program many times, each time with other constants.

use super::super::numbers::{count, time};
use super::super::outputs::Outputs;
use super::super::signals::Signals;
use super::super::{Exit, escaped_line, finished, jobs, programs};
use super::{Args, of_outputs};
use anyhow::{Context, bail};
use ctm_base::files;
use ctm_engine::{BatchItem, LaunchError, Outcome, Stop};
use ctm_jobs::array::{Array, Dtype, npy};
use ctm_jobs::job::{JobError, SharedFiles};
use ctm_lang::program::{ConstantKind, Program};
use ctm_machine::launch::Launch;
use ctm_machine::memory::{Memory, Surface};
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// The most launches of a batch, and the most bytes of their memory.
const MOST: usize = 1024;
const MOST_BYTES: u64 = 256 << 20;

/// At most this many faults are printed.
const SHOWN: usize = 10;

/// A constant with a value for each launch.
struct Swept {
    kind: ConstantKind,
    number: usize,
    values: Vec<[u32; 4]>,
}

impl Swept {
    /// Reads `NAME=FILE.npy`.
    fn read(
        text: &str,
        program: &Program,
        shared: &SharedFiles,
    ) -> anyhow::Result<(Swept, Option<String>)> {
        let (name, file) = text
            .split_once('=')
            .context("expected a constant and a file, such as c0=values.npy")?;
        jobs::check_argument(shared, Path::new(file))?;
        let (kind, number) = program.image().register(&ConstantKind::ALL, name.trim())?;
        let note = Program::check_given([program], kind.into(), number)?;
        let context = || file.to_string();
        let bytes = files::read(Path::new(file), npy::MAX_FILE).with_context(context)?;
        let array = npy::parse(&bytes).with_context(context)?;
        let (dtype, most) = match kind {
            ConstantKind::Float => (Dtype::Float32, 4),
            ConstantKind::Int => (Dtype::Uint8, 3),
            ConstantKind::Bool => (Dtype::Uint8, 1),
        };
        let width = match array.shape[..] {
            [_] => Some(1),
            [_, width] => Some(width).filter(|width| (1..=most).contains(width)),
            _ => None,
        };
        let Some(width) = width.filter(|_| array.dtype == dtype && !array.units.is_empty()) else {
            let found = array.describe();
            let constant = program.image().named(kind.into(), number);
            bail!("{file}: found {found}, needed {dtype} (n, 1 to {most}) for {constant}");
        };
        let rows = array.units.chunks_exact(width).map(|row| {
            let mut value = [0; 4];
            value[..width].copy_from_slice(row);
            value
        });
        Ok((Swept { kind, number: number as usize, values: rows.collect() }, note))
    }
}

/// An output of all launches.
struct Gathered {
    buffer: usize,
    array: Array,
}

/// Runs the sweep.
pub fn run(args: &Args, signals: &Signals, stop: &Stop) -> anyhow::Result<Exit> {
    let shared = args.confined.files()?;
    if programs::is_job(&args.job, args.sampled.kind(), &shared)? {
        bail!("--sweep: it is for programs; in a job `each` of a pass varies constants");
    }
    let started = Instant::now();
    let read = args.sampled.job(&args.job, &shared, stop).map(|made| made.job);
    let Some(mut job) = finished(&args.job, read, "saved", signals)? else {
        return Ok(Exit::Failed);
    };
    let program = Arc::clone(&job.passes[0].program);
    let mut swept = Vec::new();
    for text in &args.sweep {
        let (one, note) =
            Swept::read(text, &program, &shared).with_context(|| format!("--sweep {text}"))?;
        let same = |name| {
            let set = program.image().register(&ConstantKind::ALL, name);
            set.is_ok_and(|set| set == (one.kind, one.number as u32))
        };
        if let Some(name) = args.sampled.set().find(|name| same(name)) {
            bail!("--sweep {text}: --set {name} gives the same constant");
        }
        swept.push(one);
        job.warnings.extend(note);
    }
    let launches = swept[0].values.len();
    if let Some(other) = swept.iter().position(|other| other.values.len() != launches) {
        let [first, other] = [0, other].map(|n| (&args.sweep[n], swept[n].values.len()));
        bail!("--sweep: {} has {} values, and {} has {}", first.0, first.1, other.0, other.1);
    }
    let mut outputs = Outputs::new(&shared);
    args.sampled.files().chain([&*args.job]).for_each(|path| outputs.reads(path));
    let files = args.sweep.iter().filter_map(|text| Some(text.split_once('=')?.1));
    files.for_each(|file| outputs.reads(Path::new(file)));
    let files = of_outputs("--save", &args.save, &job, &mut outputs)?;
    let mut gathered = Vec::new();
    for &(_, buffer) in &job.passes[0].outputs {
        let of = &job.buffers[buffer];
        let channels = Some(of.format.channels() as usize).filter(|channels| *channels > 1);
        let size = [launches, of.height as usize, of.width as usize];
        let shape: Vec<usize> = size.into_iter().chain(channels).collect();
        let mut units = Vec::new();
        let elements = shape.iter().product();
        units
            .try_reserve_exact(elements)
            .with_context(|| format!("no memory for {elements} values of {launches} launches"))?;
        let array = Array { dtype: Dtype::of(of.format), shape, units };
        gathered.push(Gathered { buffer, array });
    }
    let engine = args.engine.open()?;
    let options = args.overrides.options();
    let bytes: u64 = job.buffers.iter().map(|buffer| buffer.bytes()).sum();
    let most = ((MOST_BYTES / bytes.max(1)) as usize).clamp(1, MOST);
    let budget = options.instructions.unwrap_or(job.limits.instructions);
    let (mut faults, mut faulty) = (Vec::new(), 0);
    for first in (0..launches).step_by(most) {
        let numbers = first..launches.min(first + most);
        let prepare = |n: usize| -> Result<(Launch, Memory, Vec<Surface>), JobError> {
            let (memory, surfaces) = job.upload()?;
            let mut launch = Launch::new(Arc::clone(&program), job.passes[0].domain);
            job.each_pass(&options, &mut surfaces.clone(), |_, launches| {
                launch = launches[0].clone();
                Ok::<(), JobError>(())
            })?;
            let constants = Arc::make_mut(&mut launch.constants);
            swept.iter().for_each(|one| constants.set(one.kind, one.number, one.values[n]));
            Ok((launch, memory, surfaces))
        };
        let mut ready: Vec<_> =
            numbers.clone().into_par_iter().map(prepare).collect::<Result<_, _>>()?;
        let items = ready.iter_mut().map(|(launch, memory, _)| BatchItem { launch, memory });
        let outcomes = engine.run_batch(&mut items.collect::<Vec<_>>(), stop);
        for ((n, outcome), (_, memory, surfaces)) in numbers.zip(outcomes).zip(&ready) {
            match outcome {
                Ok(outcome) => {
                    faulty += usize::from(!outcome.faults.is_empty());
                    faults.extend(
                        texts(n, &outcome, &program, budget).take(SHOWN - faults.len().min(SHOWN)),
                    );
                }
                Err(LaunchError::Stopped(why)) => {
                    return Ok(
                        finished(&args.job, Err(why), "saved", signals)?.unwrap_or(Exit::Failed)
                    );
                }
                Err(error) => bail!("{}: launch {n}: {error}", args.job.display()),
            }
            for of in &mut gathered {
                let surface = &surfaces[of.buffer];
                let (width, height) = (surface.width, surface.height);
                of.array
                    .units
                    .extend(ctm_machine::memory::read_array(memory, surface, width, height)?);
            }
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    let points = job.passes[0].domain.points();
    let mut lines = vec![
        format!("{}: {}", args.job.display(), job.about),
        format!(
            "engine {}, mode {}: {} of {} each, {}",
            engine.name(),
            options.mode.unwrap_or(job.mode).name(),
            count(launches as u64, "launch", "launches"),
            count(points, "point", "points"),
            time(seconds),
        ),
    ];
    lines.extend(job.warnings.iter().map(|warning| format!("warning: {warning}")));
    lines.extend(faults.iter().map(|fault| format!("fault: {fault}")));
    if faulty > SHOWN {
        lines.push(format!("{faulty} launches have faults"));
    }
    for (buffer, file) in files {
        let of = gathered.iter().find(|of| of.buffer == buffer).context("an output")?;
        file.write_with(|to| npy::write(&of.array, to))?;
        lines.push(format!("wrote {}: {}", file.path().display(), of.array.describe()));
    }
    super::super::print(lines.iter().map(|line| escaped_line(line) + "\n").collect::<String>())?;
    Ok(if faulty == 0 { Exit::Done } else { Exit::Failed })
}

/// The faults of a launch, human-readable.
fn texts<'a>(
    n: usize,
    outcome: &'a Outcome,
    program: &'a Program,
    budget: u64,
) -> impl Iterator<Item = String> + use<'a> {
    let faults = outcome.faults.iter();
    faults.map(move |(code, fault)| {
        format!("launch {n}: {}", fault.text_within(code, program.image(), budget))
    })
}
