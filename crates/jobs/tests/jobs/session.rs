//! The launches of a job are one session of the engine: they are queued, and memory comes to the
//! host after the last one.

use ctm_jobs::job::{Job, JobResult, RunOptions};
use ctm_machine::engine::Checked;
use ctm_machine::engine::GpuError;
use ctm_machine::engine::{Engine, LaunchError, NoProgress, Outcome, Progress, Session};
use ctm_machine::launch::Launch;
use ctm_machine::memory::Memory;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;

/// Queues whatever it gets, and runs it on the block engine when outcomes are asked for; notes all
/// calls.
struct Queueing {
    inner: ctm_machine::engine::block::Block,
    calls: Mutex<Vec<String>>,
    /// The device is lost at this launch, counted from 0.
    lost_at: u64,
}

impl Queueing {
    fn new(lost_at: u64) -> Queueing {
        Queueing {
            inner: ctm_machine::engine::block::Block::new(),
            calls: Mutex::default(),
            lost_at,
        }
    }

    fn note(&self, call: String) {
        self.calls.lock().unwrap().push(call);
    }
}

fn lost() -> LaunchError {
    LaunchError::Adapter {
        engine: "queueing",
        error: GpuError::Lost { adapter: "card".into(), reason: "it was pulled".into() },
    }
}

impl Engine for Queueing {
    fn name(&self) -> &'static str {
        "queueing"
    }
    fn run_checked(
        &self,
        _launch: &Checked<'_>,
        _memory: &mut Memory,
        _progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        panic!("a job runs in a session");
    }
    fn session<'a>(&'a self, memory: &'a mut Memory) -> Box<dyn Session<'a> + 'a> {
        self.note("session".into());
        Box::new(Queue { engine: self, memory, queue: Vec::new(), ran: 0 })
    }
}

struct Queue<'a> {
    engine: &'a Queueing,
    memory: &'a mut Memory,
    queue: Vec<Launch>,
    ran: u64,
}

impl<'a> Session<'a> for Queue<'a> {
    fn launch_checked(
        &mut self,
        launch: &Checked<'_>,
        _progress: &'a dyn Progress,
    ) -> Result<(), LaunchError> {
        self.queue.push(launch.launch().clone());
        Ok(())
    }
    fn outcomes(&mut self) -> Vec<Result<Outcome, LaunchError>> {
        self.engine.note(format!("outcomes of {}", self.queue.len()));
        let mut outcomes = Vec::new();
        for launch in self.queue.drain(..) {
            if self.ran == self.engine.lost_at {
                outcomes.push(Err(lost()));
                break;
            }
            self.ran += 1;
            outcomes.push(self.engine.inner.run(&launch, self.memory, &NoProgress));
        }
        outcomes
    }
    fn is_current(&self, _range: &Range<u64>) -> bool {
        self.queue.is_empty()
    }
    fn view(&mut self, _ranges: &[Range<u64>]) -> Result<&Memory, LaunchError> {
        panic!("a job reads nothing in between");
    }
    fn memory(&mut self) -> Result<&mut Memory, LaunchError> {
        assert!(self.queue.is_empty());
        self.engine.note("memory".into());
        if self.engine.lost_at == self.ran {
            return Err(lost());
        }
        Ok(self.memory)
    }
}

/// Three passes: `first` times a + 1, `second` times the same, and one more; the buffers swap.
fn job(dir: &Path, first: u32, second: u32) -> Job {
    fs::write(dir.join("p.dpp"), "ld r1, i0[r0.rg]\nadd o0, r1, 1\n").unwrap();
    let pass = |repeat: u32| {
        format!(
            "[[pass]]
program = {{ file = \"p.dpp\" }}
domain = {{ i0 = 0, j0 = 0, i1 = 7, j1 = 7 }}
inputs = {{ 0 = \"a\" }}
outputs = {{ 0 = \"b\" }}
repeat = {repeat}
swap = [\"a\", \"b\"]
"
        )
    };
    let buffer = |name: &str| {
        format!(
            "[[buffer]]
name = \"{name}\"
width = 8
height = 8
format = \"FLOAT32_1\"
"
        )
    };
    let text = format!(
        "version = 1\n{}{}{}{}{}",
        buffer("a"),
        buffer("b"),
        pass(first),
        pass(second),
        pass(1)
    );
    Job::parse(&text, &dir.join("job.toml")).unwrap_or_else(|error| panic!("{error}"))
}

fn run(job: &Job, engine: &dyn Engine) -> Result<JobResult, String> {
    job.run(engine, &RunOptions::default(), &NoProgress).map_err(|error| error.to_string())
}

#[test]
fn memory_comes_to_the_host_after_the_last_pass() {
    let dir = tempfile::tempdir().unwrap();
    let job = job(dir.path(), 2, 3);
    let engine = Queueing::new(u64::MAX);
    let result = run(&job, &engine).unwrap();
    assert_eq!(engine.calls.into_inner().unwrap(), ["session", "outcomes of 6", "memory"]);
    assert_eq!((result.launches, result.points), (6, 6 * 64));
    let raster = result.raster(job.buffer("a").unwrap()).unwrap();
    assert_eq!(raster.units, [6f32.to_bits(); 64]);
}

#[test]
fn of_many_launches_the_outcomes_are_taken_on_the_way() {
    let dir = tempfile::tempdir().unwrap();
    let job = job(dir.path(), 500, 19);
    let engine = Queueing::new(u64::MAX);
    let result = run(&job, &engine).unwrap();
    assert_eq!(
        engine.calls.into_inner().unwrap(),
        ["session", "outcomes of 256", "outcomes of 256", "outcomes of 8", "memory"]
    );
    let raster = result.raster(job.buffer("a").unwrap()).unwrap();
    assert_eq!(raster.units, [520f32.to_bits(); 64]);
}

/// The launch that failed is named, however much later that is noticed.
#[test]
fn a_launch_that_fails_in_the_queue_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("job.toml");
    let line = |pass: usize| 12 + 7 * (pass - 1);
    let text = |lost_at: u64, second: u32| {
        run(&job(dir.path(), 2, second), &Queueing::new(lost_at)).unwrap_err()
    };
    let message = "engine queueing: adapter card: the device was lost: it was pulled";
    for (lost_at, pass, repetition) in [
        (0, 1, "repetition 0 of 2: "),
        (1, 1, "repetition 1 of 2: "),
        (7, 2, "repetition 5 of 600: "),
        (300, 2, "repetition 298 of 600: "),
        (602, 3, ""),
    ] {
        assert_eq!(
            text(lost_at, 600),
            format!("{}:{}: pass[{}]: {repetition}{message}", file.display(), line(pass), pass - 1)
        );
    }
    // All launches have run, and their results cannot be had.
    assert_eq!(text(603, 600), format!("{}: {message}", file.display()));
}
