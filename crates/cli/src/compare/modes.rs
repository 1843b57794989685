//! `ctm compare --modes`: one job in two modes of arithmetic.

use super::super::bar::Watch;
use super::super::diff::verdict;
use super::super::{Exit, print};
use super::Args;
use anyhow::Context;
use ctm_engine::block::Block;
use ctm_engine::reference::{Lane, TraceEvent, TraceStep, Value};
use ctm_jobs::array::compare::{ArrayComparison, Tolerance, compare};
use ctm_jobs::job::{Job, JobResult, Results, RunOptions, RunProgress};
use ctm_machine::launch::FloatMode;
use ctm_tools::tracing::Tracing;
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A result of the job in both modes: a surface or the global registers.
#[derive(Serialize)]
struct Output {
    name: String,
    comparison: ArrayComparison,
    /// The first point of a surface that differs.
    point: Option<(u32, u32)>,
    /// Where the modes part there.
    parting: Option<Parting>,
}

/// The first instruction of a point that leaves other values in the second mode.
#[derive(Serialize)]
struct Parting {
    launch: u64,
    pc: u32,
    text: String,
    /// `None` if the modes ran other instructions.
    register: Option<String>,
    channel: Option<char>,
    values: Option<[f32; 2]>,
    bits: Option<[Option<u32>; 2]>,
}

/// Runs a job in both modes and says where they part.
pub(super) fn run(args: &Args, modes: [FloatMode; 2], watch: &Watch) -> anyhow::Result<Exit> {
    let job = Job::read_shared(&args.a, &args.confined.files()?, watch.stop())?;
    let options = modes.map(|mode| RunOptions {
        mode: Some(mode),
        instructions: args.limit,
        ..RunOptions::default()
    });
    let [first, second] = &options;
    let results = [first, second].map(|options| job.run(&Block::new(), options, watch));
    let [a, b] = results;
    let results = [a?, b?];
    let outputs = outputs(&job, &results, &args.tolerances.tolerance(), &options, watch)?;
    let [a, b] = results.each_ref().map(|result| {
        result.faults.iter().map(|(code, fault)| (code, fault.count)).collect::<Vec<_>>()
    });
    let equal = a == b && outputs.iter().all(|output| output.comparison.passed);
    let mut faults = Vec::new();
    for (mode, result) in modes.iter().zip(&results) {
        let texts = result.job_faults(&job).into_iter().map(|fault| fault.text());
        faults.extend(texts.map(|text| format!("{mode}: {text}")));
    }
    if args.json {
        let object = json!({
            "job": super::super::utf8(&args.a)?,
            "modes": modes.map(FloatMode::name),
            "equal": equal,
            "outputs": outputs,
            "faults": faults,
        });
        print(format!("{object}\n"))?;
    } else {
        let mut text = String::new();
        for output in &outputs {
            output.write(modes, &mut text);
        }
        text.extend(faults.iter().map(|fault| format!("{fault}\n")));
        let comparisons = outputs.iter().map(|output| &output.comparison);
        text += &verdict(equal, comparisons, [modes[1].name(), modes[0].name()]);
        text.push('\n');
        print(super::super::escaped(&text))?;
    }
    Ok(if equal { Exit::Done } else { Exit::Failed })
}

/// The surfaces that the job writes, and the global registers.
fn outputs(
    job: &Job,
    results: &[JobResult; 2],
    tolerance: &Tolerance,
    options: &[RunOptions; 2],
    watch: &Watch,
) -> anyhow::Result<Vec<Output>> {
    let written = job.passes.iter().flat_map(|pass| {
        let condition = pass.condition.as_ref().filter(|condition| condition.write);
        let outputs = pass.outputs.iter().map(|&(_, buffer)| buffer);
        outputs.chain(condition.and_then(|condition| condition.buffer))
    });
    let mut places: Vec<Results> =
        BTreeSet::from_iter(written).into_iter().map(Results::Buffer).collect();
    places.extend(results[0].shared.as_ref().map(|_| Results::Shared));
    let mut outputs = Vec::new();
    for place in places {
        let [a, b] = results.each_ref().map(|result| result.array(place));
        let comparison = compare(&b?, &a?, tolerance).context("the surfaces of one job")?;
        let (name, surface) = match place {
            Results::Buffer(buffer) => (job.buffers[buffer].name.as_str(), true),
            Results::Shared => ("global registers", false),
        };
        let first = comparison.first.as_ref().filter(|_| surface);
        let point = first.map(|first| (first.index[1] as u32, first.index[0] as u32));
        let parting = point.map(|point| parting(job, point, options, watch)).transpose()?.flatten();
        outputs.push(Output { name: name.to_string(), comparison, point, parting });
    }
    Ok(outputs)
}

/// A step's place and what it wrote, in short.
fn digest(launch: u64, step: &TraceStep) -> u64 {
    let mut hasher = DefaultHasher::new();
    (launch, step.pc).hash(&mut hasher);
    for lane in step.written.iter().flat_map(|value| &value.lanes) {
        lane.value.to_bits().hash(&mut hasher);
    }
    hasher.finish()
}

/// Shows every step of a point in one mode, with the number of its launch.
fn trace(
    job: &Job,
    point: (u32, u32),
    options: &RunOptions,
    watch: &Watch,
    show: &mut (dyn FnMut(u64, TraceStep) + Send),
) -> anyhow::Result<()> {
    let show = |launch, event| match event {
        TraceEvent::Step(step) => show(launch, *step),
        TraceEvent::Begin { .. }
        | TraceEvent::Write { .. }
        | TraceEvent::End { .. }
        | TraceEvent::Skipped { .. } => {}
    };
    job.run(&Tracing::new(job, point, show), options, watch)?;
    Ok(())
}

/// The first difference of the modes at a point. Only digests are kept of the first mode's steps,
/// because a point can execute millions.
fn parting(
    job: &Job,
    point: (u32, u32),
    options: &[RunOptions; 2],
    watch: &Watch,
) -> anyhow::Result<Option<Parting>> {
    let mut known = Vec::new();
    trace(job, point, &options[0], watch, &mut |launch, step| known.push(digest(launch, &step)))?;
    let (mut count, mut found) = (0, None);
    trace(job, point, &options[1], watch, &mut |launch, step| {
        if found.is_none() && known.get(count) != Some(&digest(launch, &step)) {
            found = Some((launch, step));
        }
        count += usize::from(found.is_none());
    })?;
    let Some((launch, second)) = found else { return Ok(None) };
    let (mut n, mut first) = (0, None);
    trace(job, point, &options[0], watch, &mut |_, step| {
        if n == count {
            first = Some(step);
        }
        n += 1;
    })?;
    let value = first.filter(|first| first.pc == second.pc).and_then(|first| {
        let lanes = |step: &TraceStep| -> Vec<(String, Lane)> {
            let of =
                |value: &Value| value.lanes.iter().map(|lane| (value.of.clone(), *lane)).collect();
            step.written.iter().flat_map(|value| -> Vec<_> { of(value) }).collect()
        };
        let mut both = lanes(&first).into_iter().zip(lanes(&second));
        let apart = |((_, a), (_, b)): &((String, Lane), (String, Lane))| {
            a.value.to_bits() != b.value.to_bits()
        };
        both.find(apart).map(|((of, a), (_, b))| (of, [a, b]))
    });
    let (register, lanes) = value.unzip();
    Ok(Some(Parting {
        launch,
        pc: second.pc,
        text: second.text,
        register,
        channel: lanes.and_then(|[lane, _]| lane.channel),
        values: lanes.map(|lanes| lanes.map(|lane| lane.value)),
        bits: lanes.map(|lanes| lanes.map(|lane| lane.bits)),
    }))
}

impl Output {
    fn write(&self, [a, b]: [FloatMode; 2], text: &mut String) {
        let _ = writeln!(text, "{}: {}", self.name, self.comparison);
        let (Some((i, j)), Some(parting)) = (self.point, &self.parting) else { return };
        let Parting { launch, pc, text: instruction, register, channel, values, .. } = parting;
        let what = match (register, values) {
            (Some(register), Some([x, y])) => {
                let channel = channel.map_or(String::new(), |channel| format!(".{channel}"));
                format!("{register}{channel} is {x:?} in mode {a} and {y:?} in mode {b}")
            }
            _ => "the modes run other instructions from here on".to_string(),
        };
        let _ = writeln!(
            text,
            "  they part at point ({i}, {j}), launch {launch}, pc {pc}: {instruction}\n  {what}"
        );
    }
}
