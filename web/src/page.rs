//! The documents that a page has open, and its requests.

use crate::form::{self, Change, Changed};
use crate::message::{self, Blob, Blobs};
use crate::play::{self, Film, Frame};
use crate::source::{self, File, Held, Problem};
use crate::step::{Debugger, Line, Move, State};
use crate::values::{self, Assignment};
use crate::{code, proof, run};
use ctm::array::{Raster, npy};
use ctm::check::dynamic::{self, Options};
use ctm::engine::Stop;
use ctm::job::{Job, SharedFiles};
use ctm::witness::{Witness, html};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

/// The requests of a page. `seconds` is a time limit.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Request {
    /// The assembler's reference and the operations in Markdown.
    Reference,
    /// Opens a job, or a program without one: its path, and all files.
    Open { main: String, files: Vec<File>, seconds: f64 },
    /// Changes the text of a document, by its form.
    Change { main: String, files: Vec<File>, change: Change, seconds: f64 },
    /// Whether the programs are proved to give what those of another document give, for all inputs.
    Same { main: String, files: Vec<File>, seconds: f64 },
    /// Runs the job, with values for names, which it keeps.
    Run {
        #[serde(default)]
        values: Vec<Assignment>,
        seconds: f64,
    },
    /// Runs the job once more, with values for names, which it keeps: the picture of that number. Passes that feed back go
    /// on from the frame before; the first one is that after the job was opened or run.
    Frame { values: Vec<Assignment>, picture: usize, seconds: f64 },
    /// The job as a page that runs it on a GPU and compares every word, in HTML. `link` opens the document in the
    /// playground.
    Witness {
        #[serde(default)]
        link: Option<String>,
        seconds: f64,
    },
    /// Checks every point of a run.
    Check { seconds: f64 },
    /// The value of an element of a picture.
    Element { picture: usize, column: u32, row: u32 },
    /// The array of a picture, as a `.npy` file.
    Array { picture: usize },
    /// Moves the debugger. The answer has the values of an expression, too.
    Step {
        to: Move,
        #[serde(default)]
        watch: String,
        seconds: f64,
    },
    /// The origin of a channel's value, for a slot of the group.
    Why { slot: usize, channel: String, seconds: f64 },
}

/// An answer: one value under its name, or several.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Array(Blob),
    Error(String),
    Page(String),
    Problems(Vec<Problem>),
    Proved(bool),
    Text(String),
    Values(Option<Value>),
    Why(Vec<Line>),
    #[serde(untagged)]
    Opened(Value),
    #[serde(untagged)]
    Run(run::Run),
    #[serde(untagged)]
    Changed(Changed),
    #[serde(untagged)]
    Frame(Frame),
    #[serde(untagged)]
    State(State),
}

/// The documents that a page has open.
#[derive(Default)]
pub struct Page {
    job: Option<Job>,
    /// The files of the document.
    files: SharedFiles,
    rasters: Vec<Raster>,
    film: Option<Film>,
    debugger: Option<Debugger>,
}

fn within(seconds: f64) -> Stop {
    Stop::new().within(Duration::try_from_secs_f64(seconds).ok())
}

impl Page {
    /// Answers a request: see [`message`]. An answer that failed has the key `error`.
    pub fn answer(&mut self, request: &[u8]) -> Vec<u8> {
        let mut blobs = Blobs::default();
        let answer = message::read::<Request>(request)
            .and_then(|(request, given)| self.obey(request, &given, &mut blobs));
        let answer = answer.unwrap_or_else(Answer::Error);
        message::write(&answer, &blobs)
    }

    fn obey(
        &mut self,
        request: Request,
        given: &Blobs,
        blobs: &mut Blobs,
    ) -> Result<Answer, String> {
        match request {
            Request::Reference => Ok(Answer::Text(code::operations() + &ctm::asm::reference())),
            Request::Open { main, files, seconds } => {
                *self = Page::default();
                let stop = within(seconds);
                let held = Held::new(&files, given);
                self.files = held.shared();
                let text = main.ends_with(".toml").then(|| held.text(&main).ok()).flatten();
                Ok(match source::job(&main, &held, &stop) {
                    Err(problems) => Answer::Problems(problems),
                    Ok((job, notes)) => opened(self.job.insert(job), text.as_deref(), notes, &stop),
                })
            }
            Request::Change { main, files, change, seconds } => {
                let stop = within(seconds);
                form::change(&main, &files, given, &change, &stop, blobs).map(Answer::Changed)
            }
            Request::Same { main, files, seconds } => {
                let stop = within(seconds);
                let start = source::job(&main, &Held::new(&files, given), &stop);
                let job = self.job()?;
                Ok(Answer::Proved(
                    start.is_ok_and(|(start, _)| proof::is_proved(&start, job, &stop)),
                ))
            }
            Request::Run { values, seconds } => {
                self.film = None;
                if !values.is_empty() {
                    self.debugger = None;
                }
                let job = self.job.as_mut().ok_or(NO_JOB)?;
                values::assign(job, &values);
                let (run, rasters) = run::run(job, &self.files, &within(seconds), blobs)?;
                self.rasters = rasters;
                Ok(Answer::Run(run))
            }
            Request::Frame { values, picture, seconds } => {
                // What is stepped through has the values of the picture that is shown.
                self.debugger = None;
                let job = self.job.as_mut().ok_or(NO_JOB)?;
                values::assign(job, &values);
                let buffer = *run::shown(job).get(picture).ok_or("there is no such picture")?;
                let film = match self.film.take() {
                    Some(film) => film,
                    None => Film::new(job)?,
                };
                let film = self.film.insert(film);
                let (frame, raster) = film.next(&values, buffer, &within(seconds), blobs)?;
                if let Some(old) = self.rasters.get_mut(picture) {
                    *old = raster;
                }
                Ok(Answer::Frame(frame))
            }
            Request::Witness { link, seconds } => {
                let (job, stop) = (self.job()?, within(seconds));
                let name = job.file.display().to_string();
                let (witness, result) =
                    Witness::new(job, &name, &stop).map_err(|error| error.to_string())?;
                let page = html::html(&witness, job, &result, link.as_deref());
                page.map(Answer::Page).map_err(|error| error.to_string())
            }
            Request::Check { seconds } => {
                let (job, stop) = (self.job()?, within(seconds));
                let found = dynamic::check_job(job, &Options::default(), &stop);
                let found = found.map_err(|error| error.to_string())?;
                Ok(Answer::Problems(code::problems(job, found.findings)))
            }
            Request::Element { picture, column, row } => {
                let raster = self.rasters.get(picture);
                Ok(Answer::Values(raster.and_then(|raster| element(raster, column, row))))
            }
            Request::Array { picture } => {
                let raster = self.rasters.get(picture).ok_or("there is no such picture")?;
                let mut bytes = Vec::new();
                npy::write(&raster.clone().into_array(), &mut bytes)
                    .map_err(|error| error.to_string())?;
                Ok(Answer::Array(blobs.add(&bytes)))
            }
            Request::Step { to, watch, seconds } => {
                if self.debugger.is_none() {
                    let debugger = Debugger::new(self.job()?, within(seconds));
                    self.debugger = Some(debugger.map_err(|error| error.to_string())?);
                }
                let Some(debugger) = &mut self.debugger else { unreachable!("made above") };
                debugger.go(to, within(seconds)).map_err(|error| error.to_string())?;
                Ok(Answer::State(debugger.state(watch.trim(), blobs)))
            }
            Request::Why { slot, channel, seconds } => {
                let debugger = self.debugger.as_mut().ok_or("nothing is being stepped through")?;
                let lines = debugger.why(slot, &channel, within(seconds));
                lines.map(Answer::Why).map_err(|error| error.to_string())
            }
        }
    }

    fn job(&self) -> Result<&Job, String> {
        self.job.as_ref().ok_or_else(|| NO_JOB.to_string())
    }
}

const NO_JOB: &str = "no job is open";

/// The answer about a job that was opened.
fn opened(job: &Job, text: Option<&str>, notes: Vec<Problem>, stop: &Stop) -> Answer {
    let mut problems: Vec<Problem> = code::findings(job, stop);
    problems.extend(notes);
    let named = |slots: &[(u32, usize)]| slots.iter().map(|(_, name)| *name).collect::<Vec<_>>();
    let passes = job.passes.iter().map(|pass| {
        let domain = &pass.domain;
        json!({
            "program": pass.program_file,
            "domain": [domain.i0, domain.j0, domain.i1, domain.j1],
            "repeat": pass.repeat,
            "inputs": named(&pass.inputs),
            "outputs": named(&pass.outputs),
        })
    });
    Answer::Opened(json!({
        "about": job.about,
        "passes": passes.collect::<Vec<_>>(),
        "programs": code::listings(job),
        "problems": problems,
        "form": form::form(job, text),
        "feeds_back": play::feeds_back(job),
    }))
}

/// The values of an element, as texts, and its stored units.
fn element(raster: &Raster, column: u32, row: u32) -> Option<Value> {
    let channels = raster.format.channels() as usize;
    if column >= raster.width || row >= raster.height {
        return None;
    }
    let at = (row as usize * raster.width as usize + column as usize) * channels;
    let units = raster.units.get(at..at + channels)?;
    Some(json!({ "units": units, "float": raster.format.name().starts_with("FLOAT32") }))
}
