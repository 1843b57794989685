//! Repeated runs of a job's launches.

use ctm_base::clock::Instant;
use ctm_jobs::array::Raster;
use ctm_jobs::job::{Buffer, Job, JobError, RunOptions};
use ctm_machine::engine::card::{self, CardTime, X1900_XTX};
use ctm_machine::engine::{
    Checked, Engine, LaunchError, NoProgress, Pool, Session, Spent, Statistics,
};
use ctm_machine::launch::{FloatMode, Launch};
use ctm_machine::memory::{Memory, MemoryError, Surface};
use std::collections::HashSet;
use std::ops::Range;
use std::time::Duration;

/// Errors of running a benchmark.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The job cannot be set up.
    #[error(transparent)]
    Job(#[from] JobError),
    /// A launch cannot be run.
    #[error("launch {number}: {error}")]
    Launch {
        /// The index of the launch, from 0, among all those requested at once.
        number: usize,
        /// The error.
        error: LaunchError,
    },
    /// A result cannot be read.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A built-in program is invalid.
    #[error("workload {name}: {error}")]
    Workload {
        /// Its name.
        name: &'static str,
        /// The error of the assembler or the verifier.
        error: String,
    },
    /// A size that no domain can have.
    #[error("a size of {width}x{height}: columns and rows must each be 1 to 4096")]
    Size {
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
    },
}

/// The amount of work in one run of a job; the same for every engine.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Work {
    /// Launches.
    pub launches: u64,
    /// Points covered at the start, over all launches.
    pub points: u64,
    /// Point-instructions: the active covered points of every instruction, summed.
    pub instructions: u64,
    /// The point-instructions that fetch.
    pub fetches: u64,
    /// Bytes that launches must move; see [`card::bytes`].
    pub bytes: u64,
    /// The time that an X1900 XTX needs at best.
    pub card: CardTime,
    /// The number of faults. If there are any, the other figures mean little.
    pub faults: u64,
    /// Whether a run that continues from the run before is as much work.
    pub steady: bool,
}

/// The plan of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// The least duration of a sample; runs are repeated within it.
    pub sample: Duration,
    /// The number of samples; three, if one run takes as long as all of them together.
    pub samples: usize,
}

impl Sampling {
    /// Seven samples of 50 ms.
    pub const DEFAULT: Sampling = Sampling { sample: Duration::from_millis(50), samples: 7 };
    /// Three samples of 10 ms: enough to tell twice the speed from the same one.
    const QUICK: Sampling = Sampling { sample: Duration::from_millis(10), samples: 3 };
    /// Warming up takes as long as this many samples: clocks rise, drivers compile.
    const WARM_UP: u32 = 6;
}

/// The figures of a measurement; times are those of one run.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Measured {
    /// The runs in each sample.
    pub runs: u32,
    /// By the host's clock, with the wait for a sample's last run.
    pub wall: Figures,
    /// By the GPU's clock: the sum over its passes. `None`: there is no GPU, or it has no timestamps.
    pub gpu: Option<Figures>,
    /// The time spent on other things than the runs, over the whole measurement.
    pub spent: Spent,
}

/// The time of consecutive runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time {
    /// By the host's clock, without compiling and moving memory.
    pub wall: Duration,
    /// By the GPU's clock, as [`Measured::gpu`].
    pub gpu: Option<Duration>,
}

/// The times of many runs.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Figures {
    times: Vec<Duration>,
}

impl Figures {
    /// Takes the time of each run, in any order.
    pub fn new(mut times: Vec<Duration>) -> Figures {
        times.sort();
        Figures { times }
    }

    /// The number of runs.
    pub fn runs(&self) -> usize {
        self.times.len()
    }

    /// The median: for an even number of runs, the mean of the middle two. Zero without runs.
    pub fn median(&self) -> Duration {
        let n = self.times.len();
        match n {
            0 => Duration::ZERO,
            _ if n % 2 == 1 => self.times[n / 2],
            _ => (self.times[n / 2 - 1] + self.times[n / 2]) / 2,
        }
    }

    /// The shortest time; zero without runs.
    pub fn best(&self) -> Duration {
        self.times.first().copied().unwrap_or_default()
    }

    /// The distance from the shortest to the longest time, in units of the median; 0 without runs.
    pub fn spread(&self) -> f64 {
        let worst = self.times.last().copied().unwrap_or_default();
        (worst - self.best()).as_secs_f64() / self.median().as_secs_f64().max(1e-9)
    }
}

/// A job whose memory stays in place, so that its launches can be timed alone.
///
/// Surfaces that launches both read and write get their initial contents back where a session begins.
pub struct Bench {
    memory: Memory,
    passes: Vec<Repeated>,
    /// The initial contents of memory that launches both read and write: address, bytes.
    before: Vec<(u32, Vec<u8>)>,
    results: Vec<Surface>,
    /// The time to load and verify programs, if it was measured.
    pub compile: Option<Duration>,
    /// The time to allocate memory and store arrays in it.
    pub upload: Duration,
}

impl Bench {
    /// Sets a job up.
    ///
    /// # Errors
    /// If memory cannot be allocated or an array cannot be stored.
    pub fn new(job: &Job) -> Result<Bench, BenchError> {
        let started = Instant::now();
        let (memory, mut surfaces) = job.upload()?;
        let upload = started.elapsed();
        let mut passes: Vec<Repeated> = Vec::new();
        job.each_pass(&RunOptions::default(), &mut surfaces, |pass, launches| {
            passes.push(Repeated { launches: launches.to_vec(), times: pass.repeat });
            Ok::<_, BenchError>(())
        })?;
        let (mut written, mut read) = (HashSet::new(), HashSet::new());
        for (number, launch) in passes.iter().flat_map(|pass| &pass.launches).enumerate() {
            let launch =
                Checked::new(launch).map_err(|error| BenchError::Launch { number, error })?;
            written.extend(launch.writes.into_iter().map(|access| access.span));
            read.extend(launch.reads.into_iter().map(|access| access.span));
        }
        let both = |span: &&Range<u64>| {
            read.iter().any(|other| span.start < other.end && other.start < span.end)
        };
        let before = written
            .iter()
            .filter(both)
            .filter_map(|span| {
                let start = u32::try_from(span.start).ok()?;
                let len = (span.end - span.start) as usize;
                Some((start, memory.slice(start, len)?.to_vec()))
            })
            .collect();
        let results = job
            .buffers
            .iter()
            .zip(&surfaces)
            .filter(|(buffer, _)| buffer.is_output())
            .map(|(_, surface)| *surface)
            .collect();
        Ok(Bench { memory, passes, before, results, compile: job.compile, upload })
    }

    /// Sets the mode and the statistics of the launches.
    fn set(&mut self, mode: FloatMode, statistics: bool) {
        for launch in self.passes.iter_mut().flat_map(|pass| &mut pass.launches) {
            (launch.mode, launch.statistics) = (mode, statistics);
        }
    }

    /// Counts the work of a run, by running it with statistics; twice, if launches read what they write.
    ///
    /// # Errors
    /// If a launch cannot be run.
    pub fn count(&mut self, engine: &dyn Engine, mode: FloatMode) -> Result<Work, BenchError> {
        self.restore();
        self.set(mode, true);
        let work = self.counted(engine)?;
        let steady = self.before.is_empty() || self.counted(engine)? == work;
        Ok(Work { steady, ..work })
    }

    /// The work of a run that begins with memory as it is.
    fn counted(&mut self, engine: &dyn Engine) -> Result<Work, BenchError> {
        let mut sum = Statistics::default();
        let (mut faults, mut bytes, mut card) = (0, 0, CardTime::default());
        let mut pool = Pool::default();
        for (number, launch) in launches(&self.passes).enumerate() {
            let failed = |error| BenchError::Launch { number, error };
            let launch = pool.launch(launch);
            let launch = Checked::new(&launch).map_err(failed)?;
            let outcome =
                engine.run_checked(&launch, &mut self.memory, &NoProgress).map_err(failed)?;
            pool.after(&outcome);
            let statistics = outcome.statistics.unwrap_or_default();
            let moved = card::bytes(&launch);
            card += X1900_XTX.least(&statistics, moved);
            sum += statistics;
            bytes += moved;
            faults += outcome.faults.iter().map(|(_, fault)| fault.count).sum::<u64>();
        }
        Ok(Work {
            launches: self.passes.iter().map(|pass| u64::from(pass.times)).sum(),
            points: sum.points,
            instructions: sum.lane_instructions,
            fetches: sum.fetches,
            bytes,
            card,
            faults,
            steady: true,
        })
    }

    /// The job's launches on an engine that keeps its memory from run to run: what launches read is
    /// uploaded once, and what they write stays. A launch that reads what it writes continues from
    /// the run before.
    pub fn resident<'a>(&'a mut self, engine: &'a dyn Engine, mode: FloatMode) -> Resident<'a> {
        self.restore();
        self.set(mode, false);
        let session = engine.session(&mut self.memory);
        Resident { session, passes: &self.passes, before: &self.before }
    }

    /// Measures runs in one session, in which memory stays with the engine. `work` is what
    /// [`count`](Self::count) gave: if it is not steady, each sample is one run, and memory is restored before it.
    ///
    /// # Errors
    /// If a launch cannot be run.
    pub fn measure(
        &mut self,
        engine: &dyn Engine,
        mode: FloatMode,
        work: &Work,
        sampling: Sampling,
    ) -> Result<Measured, BenchError> {
        let Sampling { sample, samples } = sampling;
        let mut resident = self.resident(engine, mode);
        // What compilers do at a first run belongs to no sample.
        resident.run(1)?;
        let (mut runs, started) = (1, Instant::now());
        let once = loop {
            if !work.steady {
                resident.restore()?;
            }
            let took = resident.run(runs)?.wall;
            let enough = took >= sample || !work.steady;
            if enough && started.elapsed() >= sample * Sampling::WARM_UP {
                break took / runs;
            }
            if !enough {
                let more = sample.as_secs_f64() / took.as_secs_f64().max(1e-7);
                runs = (f64::from(runs) * (1.1 * more).clamp(1.1, 8.0)).ceil() as u32;
            }
        };
        let samples = if once > sample * samples as u32 { samples.min(3) } else { samples };
        let (mut wall, mut gpu) = (Vec::new(), Vec::new());
        for _ in 0..samples {
            if !work.steady {
                resident.restore()?;
            }
            let time = resident.run(runs)?;
            wall.push(time.wall / runs);
            gpu.extend(time.gpu.map(|time| time / runs));
        }
        let gpu = (gpu.len() == samples).then(|| Figures::new(gpu));
        Ok(Measured { runs, wall: Figures::new(wall), gpu, spent: resident.finish()? })
    }

    /// Reads every result back as an array of stored units; returns them and the time.
    ///
    /// # Errors
    /// [`MemoryError::OutsideArena`] for a surface that reaches out of memory.
    pub fn read_back(&self) -> Result<(Vec<Raster>, Duration), BenchError> {
        let started = Instant::now();
        let read = |s: &Surface| Raster::read(&self.memory, s, s.width, s.height);
        let rasters = self.results.iter().map(read).collect::<Result<_, _>>()?;
        Ok((rasters, started.elapsed()))
    }

    fn restore(&mut self) {
        restore(&mut self.memory, &self.before);
    }
}

/// The most bytes of buffers that [`filling`] tries.
const MOST_BYTES: u64 = 512 << 20;

/// The number of copies of a job ([`Job::copies`]) that fill what an engine runs on: four times as many, as long as
/// that makes each a tenth faster. `work` is that of one copy.
///
/// # Errors
/// If a launch cannot be run.
pub fn filling(
    job: &Job,
    engine: &dyn Engine,
    mode: FloatMode,
    work: &Work,
) -> Result<u32, BenchError> {
    let (mut full, mut fastest) = (1, f64::INFINITY);
    for copies in (0..).map(|n| 4u32.pow(n)) {
        let fits = |job: &Job| job.buffers.iter().map(Buffer::bytes).sum::<u64>() <= MOST_BYTES;
        let Some(job) = job.copies(copies).filter(fits) else { break };
        let measured = Bench::new(&job)?.measure(engine, mode, work, Sampling::QUICK)?;
        let each = measured.wall.median().as_secs_f64() / f64::from(copies);
        if each > 0.9 * fastest {
            break;
        }
        (full, fastest) = (copies, each);
    }
    Ok(full)
}

/// The number of launches that are queued before their outcomes are requested. It bounds the queue,
/// and is so large that the requests take no measurable time.
const QUEUED: usize = 1 << 16;

/// Runs launches and waits for them.
fn run_all<'l>(
    session: &mut dyn Session<'_>,
    launches: impl Iterator<Item = &'l Launch>,
) -> Result<(), BenchError> {
    let failed = |number, error| BenchError::Launch { number, error };
    let (mut before, mut pool) = (0, Pool::default());
    let mut outcomes = |session: &mut dyn Session<'_>, pool: &mut Pool| {
        for outcome in session.outcomes() {
            pool.after(&outcome.map_err(|error| failed(before, error))?);
            before += 1;
        }
        Ok(())
    };
    for (number, launch) in launches.enumerate() {
        let ready = pool.launch(launch);
        session.launch(&ready, &NoProgress).map_err(|error| failed(number, error))?;
        if number % QUEUED == QUEUED - 1 || launch.program.sharing().is_some() {
            outcomes(session, &mut pool)?;
        }
    }
    outcomes(session, &mut pool)
}

/// The launches of a pass.
struct Repeated {
    /// The distinct launches; they take turns.
    launches: Vec<Launch>,
    /// The number of launches.
    times: u32,
}

/// All launches, in order.
fn launches(passes: &[Repeated]) -> impl Iterator<Item = &Launch> {
    passes.iter().flat_map(|pass| pass.launches.iter().cycle().take(pass.times as usize))
}

/// A job on an engine that keeps its memory; see [`Bench::resident`].
pub struct Resident<'a> {
    session: Box<dyn Session<'a> + 'a>,
    passes: &'a [Repeated],
    before: &'a [(u32, Vec<u8>)],
}

impl Resident<'_> {
    /// Runs all launches `times` times in a row and waits for them; returns the time of all.
    ///
    /// # Errors
    /// If a launch cannot be run.
    pub fn run(&mut self, times: u32) -> Result<Time, BenchError> {
        let (before, started) = (self.session.spent(), Instant::now());
        let all = (0..times).flat_map(|_| launches(self.passes));
        run_all(self.session.as_mut(), all)?;
        let (wall, after) = (started.elapsed(), self.session.spent());
        let gpu = after.gpu.map(|gpu| gpu.saturating_sub(before.gpu.unwrap_or_default()));
        Ok(Time { wall: wall.saturating_sub(after.total() - before.total()), gpu })
    }

    /// Gives memory that launches both read and write its initial contents back.
    fn restore(&mut self) -> Result<(), BenchError> {
        let failed = |error| BenchError::Launch { number: 0, error };
        let memory = self.session.memory().map_err(failed)?;
        restore(memory, self.before);
        Ok(())
    }

    /// Brings results to the host. Returns the time spent on other things than runs.
    fn finish(mut self) -> Result<Spent, BenchError> {
        let failed = |error| BenchError::Launch { number: 0, error };
        self.session.memory().map_err(failed)?;
        Ok(self.session.spent())
    }
}

fn restore(memory: &mut Memory, before: &[(u32, Vec<u8>)]) {
    for (address, bytes) in before {
        if let Some(place) = memory.slice_mut(*address, bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }
}
