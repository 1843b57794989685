//! Running a job's launches again and again.

use crate::array::Raster;
use crate::engine::{Engine, LaunchError, NoProgress, Session, Statistics, prepare};
use crate::job::{Job, JobError, Room};
use crate::launch::{FloatMode, Launch, Limits};
use crate::memory::{Memory, MemoryError, Surface, array};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Why a benchmark cannot run.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The job cannot be set up.
    #[error(transparent)]
    Job(#[from] JobError),
    /// A launch cannot be run.
    #[error("launch {number}: {error}")]
    Launch {
        /// Which of the launches, from 0.
        number: usize,
        /// Why not.
        error: LaunchError,
    },
    /// A result cannot be read.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A built-in program is wrong.
    #[error("workload {name}: {error}")]
    Workload {
        /// Its name.
        name: &'static str,
        /// What the assembler or the verifier says.
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

/// How much one run of a job does; the same for every engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Work {
    /// Launches.
    pub launches: u64,
    /// Points covered at the start, of all launches.
    pub points: u64,
    /// Point-instructions: the active covered points of every instruction, summed.
    pub instructions: u64,
    /// Those of them that fetch.
    pub fetches: u64,
    /// Bytes that must move between memory and the processor if, in each launch, every byte of a
    /// surface is read or written once.
    pub bytes: u64,
    /// Faults. With any, the other figures mean little.
    pub faults: u64,
}

/// The times of many runs.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Figures {
    times: Vec<Duration>,
}

impl Figures {
    /// From the time of each run, in any order.
    pub fn new(mut times: Vec<Duration>) -> Figures {
        times.sort();
        Figures { times }
    }

    /// How many runs there were.
    pub fn runs(&self) -> usize {
        self.times.len()
    }

    /// The time that half of the runs were below: of an even number the mean of the middle two.
    /// Zero without runs.
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
}

/// A job whose memory stays where it is, so that its launches can be timed alone.
///
/// Before each run the surfaces that launches both read and write get their first contents back
/// (outside of the time that is measured), so all runs do the same.
pub struct Bench {
    memory: Memory,
    launches: Vec<Launch>,
    /// What stood before the first run where launches read what they write: address, bytes.
    before: Vec<(u32, Vec<u8>)>,
    results: Vec<Surface>,
    bytes: u64,
    /// How long loading and verifying programs took.
    pub compile: Duration,
    /// How long making memory and storing arrays in it took.
    pub upload: Duration,
    /// The arithmetic that the job asks for.
    pub mode: FloatMode,
}

impl Bench {
    /// Sets a job up.
    ///
    /// # Errors
    /// If memory cannot be had or an array not be stored.
    pub fn new(job: &Job) -> Result<Bench, BenchError> {
        let started = Instant::now();
        let (memory, mut surfaces) = job.upload(Room::Ordinary)?;
        let upload = started.elapsed();
        let mut launches: Vec<Launch> = Vec::new();
        for pass in &job.passes {
            for _ in 0..pass.repeat {
                // A pass changes what it names; the rest stays as the launch before left it.
                let mut launch = match launches.last() {
                    Some(last) => last.clone(),
                    None => Launch::new(Arc::clone(&pass.program), pass.domain),
                };
                launch.limits = job.limits;
                pass.set(&mut launch, &surfaces);
                launches.push(launch);
                if let Some((a, b)) = pass.swap {
                    surfaces.swap(a, b);
                }
            }
        }
        let mut bytes = 0;
        let mut written: Vec<std::ops::Range<u64>> = Vec::new();
        let mut read: Vec<std::ops::Range<u64>> = Vec::new();
        for launch in &launches {
            let spans = prepare::written(launch)
                .into_iter()
                .map(|(_, _, span)| span);
            for span in spans {
                bytes += span.end - span.start;
                add(&mut written, span);
            }
            for (_, _, span) in prepare::read(launch) {
                bytes += span.end - span.start;
                add(&mut read, span);
            }
        }
        let both = |span: &std::ops::Range<u64>| {
            let overlaps =
                |other: &std::ops::Range<u64>| span.start < other.end && other.start < span.end;
            read.iter().any(overlaps)
        };
        let before = written
            .iter()
            .filter(|span| both(span))
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
        Ok(Bench {
            memory,
            launches,
            before,
            results,
            bytes,
            compile: job.compile,
            upload,
            mode: job.mode,
        })
    }

    /// Bounds what a group may run, as [`Launch::limits`].
    pub fn limit(&mut self, limits: Limits) {
        for launch in &mut self.launches {
            launch.limits = limits;
        }
    }

    /// Counts what a run does, by running it with statistics.
    ///
    /// # Errors
    /// If a launch cannot be run.
    pub fn count(&mut self, engine: &dyn Engine, mode: FloatMode) -> Result<Work, BenchError> {
        self.restore();
        let mut sum = Statistics::default();
        let mut faults = 0;
        for (number, launch) in self.launches.iter_mut().enumerate() {
            (launch.mode, launch.statistics) = (mode, true);
            let outcome = engine
                .run(launch, &mut self.memory, &NoProgress)
                .map_err(|error| BenchError::Launch { number, error })?;
            sum += outcome.statistics.unwrap_or_default();
            faults += outcome
                .faults
                .iter()
                .map(|(_, fault)| fault.count)
                .sum::<u64>();
        }
        Ok(Work {
            launches: self.launches.len() as u64,
            points: sum.points,
            instructions: sum.lane_instructions,
            fetches: sum.fetches,
            bytes: self.bytes,
            faults,
        })
    }

    /// Runs all launches once, without statistics; the time that they took.
    ///
    /// # Errors
    /// If a launch cannot be run.
    pub fn run(&mut self, engine: &dyn Engine, mode: FloatMode) -> Result<Duration, BenchError> {
        self.restore();
        for launch in &mut self.launches {
            (launch.mode, launch.statistics) = (mode, false);
        }
        let started = Instant::now();
        // Results stay where the engine has them: bringing them to the host is not execution.
        let mut session = engine.session(&mut self.memory);
        let failed = |number, error| BenchError::Launch { number, error };
        for (number, launch) in self.launches.iter().enumerate() {
            session
                .launch(launch, &NoProgress)
                .map_err(|error| failed(number, error))?;
        }
        for (number, outcome) in session.outcomes().into_iter().enumerate() {
            outcome.map_err(|error| failed(number, error))?;
        }
        Ok(started.elapsed())
    }

    /// The job's launches on an engine whose memory stays with it from run to run: what launches
    /// read goes there once, and what they write stays. A launch that reads what it writes goes on
    /// from the run before.
    pub fn resident<'a>(&'a mut self, engine: &'a dyn Engine, mode: FloatMode) -> Resident<'a> {
        self.restore();
        for launch in &mut self.launches {
            (launch.mode, launch.statistics) = (mode, false);
        }
        Resident {
            session: engine.session(&mut self.memory),
            launches: &self.launches,
        }
    }

    /// Runs once to warm up and then until `time` is over, but at least three times; if one run
    /// takes longer than `time`, that one is all there is.
    ///
    /// # Errors
    /// If a launch cannot be run.
    pub fn measure(
        &mut self,
        engine: &dyn Engine,
        mode: FloatMode,
        time: Duration,
    ) -> Result<Figures, BenchError> {
        let first = self.run(engine, mode)?;
        if first >= time {
            return Ok(Figures::new(vec![first]));
        }
        let started = Instant::now();
        let mut times = Vec::new();
        while times.len() < 3 || started.elapsed() < time {
            times.push(self.run(engine, mode)?);
        }
        Ok(Figures::new(times))
    }

    /// Reads every result back as an array of stored units; the time that it took.
    ///
    /// # Errors
    /// [`MemoryError::OutsideArena`] for a surface that reaches out of memory.
    pub fn read_back(&self) -> Result<(Vec<Raster>, Duration), BenchError> {
        let started = Instant::now();
        let mut rasters = Vec::new();
        for surface in &self.results {
            let (width, height) = (surface.width, surface.height);
            rasters.push(Raster {
                format: surface.format,
                width,
                height,
                units: array::read_array(&self.memory, surface, width, height)?,
            });
        }
        Ok((rasters, started.elapsed()))
    }

    fn restore(&mut self) {
        for (address, bytes) in &self.before {
            if let Some(place) = self.memory.slice_mut(*address, bytes.len()) {
                place.copy_from_slice(bytes);
            }
        }
    }
}

/// A job at work on an engine that keeps its memory; see [`Bench::resident`].
pub struct Resident<'a> {
    session: Box<dyn Session<'a> + 'a>,
    launches: &'a [Launch],
}

impl Resident<'_> {
    /// Runs all launches some times in a row and waits for them; the time that it took.
    ///
    /// # Errors
    /// If a launch cannot be run.
    pub fn run(&mut self, times: u32) -> Result<Duration, BenchError> {
        let failed = |number, error| BenchError::Launch {
            number: number % self.launches.len().max(1),
            error,
        };
        let started = Instant::now();
        for _ in 0..times {
            for (number, launch) in self.launches.iter().enumerate() {
                self.session
                    .launch(launch, &NoProgress)
                    .map_err(|error| failed(number, error))?;
            }
        }
        for (number, outcome) in self.session.outcomes().into_iter().enumerate() {
            outcome.map_err(|error| failed(number, error))?;
        }
        Ok(started.elapsed())
    }
}

fn add(spans: &mut Vec<std::ops::Range<u64>>, span: std::ops::Range<u64>) {
    if !spans.contains(&span) {
        spans.push(span);
    }
}
