//! `ctm run --sweep`: a program many times, each time with other constants.

use super::super::outputs::Outputs;
use super::super::signals::Signals;
use super::super::{Exit, escaped_line, finished, jobs, programs};
use super::{Args, of_outputs};
use anyhow::{Context, anyhow, bail};
use ctm_base::files;
use ctm_base::text::numbers::{count, time};
use ctm_engine::{LaunchError, Outcome, Stop};
use ctm_jobs::array::{Array, Dtype, npy};
use ctm_jobs::job::{Job, JobError, SharedFiles};
use ctm_jobs::sweep::{self, Launches, Slot};
use ctm_lang::program::{ConstantKind, Program};
use ctm_machine::launch::Launch;
use ctm_machine::memory::{Memory, Surface, read_array};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

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

/// The launches of a job's only pass, each with its own constants.
struct Sweep<'j> {
    job: &'j Job,
    launch: Launch,
    surfaces: Vec<Surface>,
    swept: Vec<Swept>,
}

impl Sweep<'_> {
    /// The buffers of the outputs.
    fn buffers(&self) -> impl Iterator<Item = usize> + use<'_> {
        self.job.passes[0].outputs.iter().map(|&(_, buffer)| buffer)
    }
}

impl Launches for Sweep<'_> {
    type Unit = u32;
    type Error = anyhow::Error;

    fn bytes(&self) -> u64 {
        self.job.buffers.iter().map(|buffer| buffer.bytes()).sum()
    }

    fn start(&self) -> anyhow::Result<(Launch, Memory)> {
        Ok((self.launch.clone(), self.job.upload()?.0))
    }

    fn set(&self, n: usize, slot: &mut Slot) -> anyhow::Result<()> {
        let constants = Arc::make_mut(&mut slot.launch.constants);
        self.swept.iter().for_each(|one| constants.set(one.kind, one.number, one.values[n]));
        for buffer in self.buffers().filter(|_| slot.used) {
            self.job.buffers[buffer].restore(&mut slot.memory, &self.surfaces[buffer])?;
        }
        Ok(())
    }

    fn read(&self, output: usize, slot: &mut Slot, to: &mut [u32]) -> anyhow::Result<()> {
        let buffer = self.buffers().nth(output).context("an output")?;
        let surface = &self.surfaces[buffer];
        to.copy_from_slice(&read_array(&slot.memory, surface, surface.width, surface.height)?);
        Ok(())
    }

    fn failed(&self, n: usize, error: LaunchError) -> anyhow::Error {
        match error {
            LaunchError::Stopped(why) => why.into(),
            error => anyhow!("{}: launch {n}: {error}", self.job.file.display()),
        }
    }
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
    let mut arrays = Vec::new();
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
        units.resize(elements, 0);
        arrays.push(Array { dtype: Dtype::of(of.format), shape, units });
    }
    let engine = args.engine.open()?;
    let options = args.overrides.options();
    let (_, surfaces) = job.upload()?;
    let mut launch = Launch::new(Arc::clone(&program), job.passes[0].domain);
    job.each_pass(&options, &mut surfaces.clone(), |_, launches| {
        launch = launches[0].clone();
        Ok::<(), JobError>(())
    })?;
    let budget = options.instructions.unwrap_or(job.limits.instructions);
    let (mut faults, mut faulty, mut n) = (Vec::new(), 0, 0);
    let ended = |outcome: Outcome| {
        faulty += usize::from(!outcome.faults.is_empty());
        faults.extend(texts(n, &outcome, &program, budget).take(SHOWN - faults.len().min(SHOWN)));
        n += 1;
    };
    let mut rooms: Vec<&mut [u32]> = arrays.iter_mut().map(|array| &mut array.units[..]).collect();
    let launched = Sweep { job: &job, launch, surfaces, swept };
    let ran = sweep::run(&launched, launches, &mut rooms, &*engine, stop, ended, &|_, _| ());
    if finished(&args.job, ran, "saved", signals)?.is_none() {
        return Ok(Exit::Failed);
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
        let output = job.passes[0].outputs.iter().position(|(_, of)| *of == buffer);
        let array = &arrays[output.context("an output")?];
        file.write_with(|to| npy::write(array, to))?;
        lines.push(format!("wrote {}: {}", file.path().display(), array.describe()));
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
