//! Helpers for tests of jobs: a folder with a program, an engine that remembers, texts of jobs.

use ctm_jobs::array::{Array, Dtype, npy};
use ctm_jobs::job::{Job, JobResult, RunOptions};
use ctm_machine::engine::Checked;
use ctm_machine::engine::{Engine, LaunchError, NoProgress, Outcome, Progress};
use ctm_machine::launch::Launch;
use ctm_machine::memory::{Memory, array};
use std::fs;
use std::path::Path;
use std::sync::Mutex;

/// One OUT instruction that writes constant 0 to output 0.
pub const PROGRAM: &str = "00078005 08020100 08020100 00db0220 00c0c000 20490000\n";

/// Remembers the launches, and does one thing to memory: output 0 gets input 0 plus 1 in all its
/// (small) numbers, at the elements that both have. Without an input, output 0 counts up.
#[derive(Default)]
pub struct Fake {
    launches: Mutex<Vec<Launch>>,
    /// The outcome of every launch.
    pub outcome: Outcome,
}

impl Engine for Fake {
    fn name(&self) -> &'static str {
        "fake"
    }
    fn adapter(&self) -> Option<String> {
        Some("card".to_string())
    }
    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        self.launches.lock().unwrap().push(launch.launch().clone());
        if let Some(out) = launch.outputs[0] {
            let from = launch.inputs[0].unwrap_or(out);
            let mut data = array::read_array(memory, &from, from.width, from.height).unwrap();
            data.iter_mut().for_each(|v| *v += 1);
            array::write_array(memory, &out, out.width, out.height, &data).unwrap();
        }
        progress.groups(1, 1);
        Ok(self.outcome.clone())
    }
}

impl Fake {
    /// The launches so far.
    pub fn launches(&self) -> Vec<Launch> {
        self.launches.lock().unwrap().clone()
    }
}

/// A folder with the program.
pub fn directory() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("p.hex"), PROGRAM).unwrap();
    dir
}

/// Writes an array.
pub fn save(dir: &Path, name: &str, dtype: Dtype, shape: &[usize], units: Vec<u32>) {
    let shape = shape.to_vec();
    npy::save(&Array { dtype, shape, units }, &dir.join(name)).unwrap();
}

/// A job whose file is in this folder; a bad one shows its error.
pub fn parse(dir: &Path, text: &str) -> Job {
    match Job::parse(text, &dir.join("job.toml")) {
        Ok(job) => job,
        Err(error) => panic!("{error}"),
    }
}

/// Runs a job that can be run.
pub fn run(job: &Job, engine: &dyn Engine) -> JobResult {
    job.run(engine, &RunOptions::default(), &NoProgress).unwrap()
}

/// The contents of a buffer in the end.
pub fn units(job: &Job, result: &JobResult, name: &str) -> Vec<u32> {
    result.raster(job.buffer(name).unwrap()).unwrap().units
}

/// How jobs in the short form begin.
pub const SHORT: &str = "version = 1
program = { file = \"p.hex\" }
domain = { i0 = 0, j0 = 0, i1 = 2, j1 = 1 }
";

/// Two named buffers of one element, 100 and 200.
pub fn buffers(dir: &Path) -> String {
    for (name, unit) in [("a", 100), ("b", 200)] {
        save(dir, &format!("{name}.npy"), Dtype::Uint16, &[1, 1], vec![unit]);
    }
    let mut text = "version = 1\n".to_string();
    for name in ["a", "b"] {
        text += &format!(
            "[[buffer]]\nname = \"{name}\"\nformat = \"UINT16_1\"\nfile = \"{name}.npy\"\n\
             save = \"{name}_out.npy\"\n"
        );
    }
    text
}

/// How a pass begins.
pub const PASS: &str = "[[pass]]
program = { file = \"p.hex\" }
domain = { i0 = 0, j0 = 0, i1 = 0, j1 = 0 }
";
