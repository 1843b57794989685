//! Witnesses: a job as one page, which runs it on the visitor's GPU and compares every word with the block
//! engine's, and the reports that such pages make.
//!
//! * [`Witness`]: a job's plans, its memory after a run, and where its surfaces are in it.
//! * [`html`]: the page. `web/run.js` runs the plans; `web/witness.js` compares and reports.
//! * [`report`][]: reports.

use crate::witness::document::{Pixels, Refused, Surface};
use ctm_jobs::job::{Job, JobError, JobResult, RunOptions, RunProgress, shader};
use ctm_machine::engine::LaunchError;
use ctm_machine::engine::block::Block;
use ctm_machine::launch::FloatMode;
use ctm_shade::guards::Guards;
use ctm_shade::plan::planner::{Engine, PlanError, Planner};
use ctm_shade::plan::probe::{self, levels};
use ctm_shade::plan::settings::Settings;
use ctm_shade::plan::space::Space;
use ctm_shade::plan::value::{Document, Plan};
use serde::Serialize;

mod document;
pub mod html;
pub mod report;

/// Errors of making a job's page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WitnessError {
    /// Its results are not defined to the bit.
    #[error("mode {}: only results of mode exact are the same everywhere", .0.name())]
    Mode(FloatMode),
    /// It cannot run, or was stopped.
    #[error(transparent)]
    Job(#[from] JobError),
    /// No engine has a plan for it.
    #[error("{0}")]
    NoPlan(PlanError),
}

/// A job as a page has it.
#[derive(Serialize)]
pub struct Witness {
    #[serde(flatten)]
    document: Document,
    /// The version of ctm.
    version: &'static str,
    /// The name of the job.
    job: String,
    /// The memory that the block engine leaves.
    expected: u32,
    surfaces: Vec<Surface>,
    refused: Vec<Refused>,
    #[serde(skip)]
    launches: u64,
    #[serde(skip)]
    words: u64,
}

impl Witness {
    /// Runs a job on the block engine and makes its plans. Returns the result of the run, too.
    ///
    /// # Errors
    /// [`WitnessError`].
    pub fn new(
        job: &Job,
        name: &str,
        progress: &dyn RunProgress,
    ) -> Result<(Witness, JobResult), WitnessError> {
        Witness::tuned(job, name, progress, Settings::GUARANTEED)
    }

    /// [`Witness::new`] with other settings of the interpreter, for tests.
    ///
    /// # Errors
    /// [`WitnessError`].
    #[doc(hidden)]
    pub fn tuned(
        job: &Job,
        name: &str,
        progress: &dyn RunProgress,
        settings: Settings,
    ) -> Result<(Witness, JobResult), WitnessError> {
        if job.mode != FloatMode::Exact {
            return Err(WitnessError::Mode(job.mode));
        }
        let result = job.run(&Block::new(), &RunOptions::default(), progress)?;
        let mut document = Document::default();
        probe::add(&mut document);
        let (mut refused, mut last) = (Vec::new(), None);
        // The fast one first: its picture is there while the other one compiles.
        for engine in Engine::ALL.into_iter().rev() {
            for guards in levels() {
                // A launch that one level cannot run has no plan at another either.
                if refused.last().is_some_and(|refused: &Refused| refused.engine == engine.name()) {
                    continue;
                }
                match plan(job, &mut document, engine, guards, settings)? {
                    Ok(plan) => document.plans.push(plan),
                    Err(error) => {
                        let reason = error.to_string();
                        refused.push(Refused { engine: engine.name(), reason });
                        last = Some(error);
                    }
                }
            }
        }
        if let Some(error) = last.filter(|_| refused.len() == Engine::ALL.len()) {
            return Err(WitnessError::NoPlan(error));
        }
        let space = Space::new(&result.memory);
        let mut expected = Vec::new();
        space.read(&result.memory, &(0..space.bytes()), &mut expected);
        let (_, starts) = job.upload()?;
        let surfaces = job.buffers.iter().zip(starts.iter().zip(&result.surfaces));
        let surfaces = surfaces
            .enumerate()
            .map(|(n, (buffer, (start, end)))| {
                let mut surface = Surface::new(buffer, start, end, &space, &mut document.contents);
                surface.pixels = is_shown(job, n).then(|| Pixels {
                    range: buffer.pictures.range,
                    upward: shader::upward(&job.passes, n),
                });
                surface
            })
            .collect();
        let witness = Witness {
            expected: document.contents.number(&expected[..]),
            document,
            version: env!("CARGO_PKG_VERSION"),
            job: name.to_string(),
            surfaces,
            refused,
            launches: result.launches,
            words: expected.len() as u64 / 4,
        };
        Ok((witness, result))
    }

    /// The number of launches.
    pub fn launches(&self) -> u64 {
        self.launches
    }

    /// The number of words that the page compares.
    pub fn words(&self) -> u64 {
        self.words
    }

    /// The engines without a plan, each with the reason.
    pub fn refused(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.refused.iter().map(|refused| (refused.engine, refused.reason.as_str()))
    }
}

/// Whether a page shows a buffer: the job can change it.
fn is_shown(job: &Job, n: usize) -> bool {
    let buffer = &job.buffers[n];
    let is_written = || job.passes.iter().any(|pass| pass.outputs.iter().any(|o| o.1 == n));
    buffer.is_output() && buffer.width > 0 && buffer.height > 0 && is_written()
}

/// The plan of a job's launches.
///
/// # Errors
/// Errors of the job. A job without a plan is none: the result has the reason.
pub fn plan(
    job: &Job,
    document: &mut Document,
    engine: Engine,
    guards: Guards,
    settings: Settings,
) -> Result<Result<Plan, PlanError>, JobError> {
    let (memory, mut surfaces) = job.upload()?;
    let mut planner = match Planner::new(document, &memory, engine, guards, settings) {
        Ok(planner) => planner,
        Err(error) => return Ok(Err(error)),
    };
    let mut failed = None;
    let launches = job.each_launch(&RunOptions::default(), &mut surfaces, |launch, _| {
        planner.launch(launch, &memory).map_err(|error| {
            let reason = error.to_string();
            failed = Some(error);
            LaunchError::Failed { engine: engine.name(), reason }
        })
    });
    match (failed, launches) {
        (Some(error), _) => Ok(Err(error)),
        (None, Ok(_)) => Ok(Ok(planner.finish())),
        (None, Err(error)) => Err(error),
    }
}
