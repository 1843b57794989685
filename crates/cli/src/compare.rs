//! `ctm compare`.

mod modes;
pub(super) mod prove;

use super::bar::Watch;
use super::diff::{Tolerances, verdict};
use super::outputs::{Output, Outputs};
use super::programs::Which;
use super::sampled::{program, sample, varyings};
use super::signals::Signals;
use super::values::{parse_mode, parse_size};
use super::{Exit, jobs, programs};
use anyhow::bail;
use ctm_base::text::numbers::{plain, table};
use ctm_engine::Stop;
use ctm_engine::block::Block;
use ctm_engine::reference::{Lane, TraceEvent, TraceStep};
use ctm_jobs::array::Array;
use ctm_jobs::array::compare::{ArrayComparison, Tolerance, compare};
use ctm_jobs::job::{Job, JobResult, RunOptions, RunProgress, SharedFiles, sharing_array};
use ctm_jobs::load::Kind;
use ctm_lang::program::{ConstantKind, Program};
use ctm_machine::launch::FloatMode;
use ctm_tools::facts::{METRICS, Metric, Row};
use ctm_tools::prove::{Pair, Set};
use ctm_tools::tracing::Tracing;
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Compare two programs: their results on the same inputs, and their costs; or one job in two modes.
///
/// Varyings, textures and constants come from a seed, the same for both programs. If a program has
/// constants of its own (two compilers seldom put them into the same registers), give the job that
/// runs it instead; a job also gives its data to a program on the other side.
#[derive(clap::Args)]
#[command(after_help = "\
A is the expected program. Two values are equal if |b - a| <= ATOL + RTOL * |a|, or both are NaN, or both
are the same infinity, or at most ULPS representable numbers lie from one to the other. In a difference,
`want` is A's value and `got` is B's.

Where the outputs differ, both programs run once more at the first differing point. The first value that
B computes there and A does not, within the tolerance, is often where B goes wrong.

Examples:
  ctm compare old.hex new.hex                        results and costs of two compilations
  ctm compare old.toml new.toml --rtol 1e-5          the same with the data and constants of jobs
  ctm compare old.hex new.hex --seed 7 --size 64x64  other inputs, more points
  ctm compare old.log new.log --index 3              programs 3 of two logs of Mesa's compiler
  ctm compare --modes exact,chip job.toml            one job in two modes
  ctm compare old.toml new.toml --prove              whether both are equal for all inputs
  ctm compare old.dpp new.dpp --prove --out found    and an input where they differ, as two jobs

Global registers are compared as the outputs are, if the programs have any.

With --modes a job runs in both modes. For each surface that it writes the output names the largest
difference, the first point that differs, and the first instruction that leaves another value there.
`want` is the first mode's value, `got` the second's.

With --prove the programs are equal for all inputs (`proved`), or not for a random input that is found
(`different`; the engine block runs both on it, where it can), or in exact arithmetic equal with high probability (`equal up to rounding`), or
nothing is known (`not decided`). Jobs give the constants; without jobs they are unknown, but the same for
both programs. Rules: `values`, as a compiler of GLSL may: signs of zero, NaN,
infinity and denormals do not count, every rounding does; `bits`: every bit counts, in mode exact.
See docs/proofs.md.

Exit status: 0 the outputs agree, 1 they differ, 2 bad usage or bad input, or the time was up, 3 --prove
neither proved nor refuted it.")]
pub struct Args {
    /// A program, or a job that runs it.
    #[arg(value_name = "A")]
    a: PathBuf,
    /// The other program or job.
    #[arg(value_name = "B", required_unless_present = "modes")]
    b: Option<PathBuf>,
    /// Index of the program in a log: one number for both sides, or A,B. Default: the last
    #[arg(long, value_name = "N", value_delimiter = ',', num_args = 1)]
    index: Vec<usize>,
    /// The kind of the programs. Default: detected from their content
    #[arg(long, value_parser = super::values::kind_parser())]
    kind: Option<Kind>,
    /// Compare job A in two modes: exact, fast, chip.
    #[arg(long, value_name = "MODE,MODE", value_delimiter = ',', value_parser = parse_mode,
        conflicts_with_all = ["b", "seed", "size", "index", "kind"])]
    modes: Vec<FloatMode>,
    /// Prove the programs equal for all inputs, by the rules `values` (default) or `bits`.
    #[arg(long, value_name = "RULES", num_args = 0..=1, require_equals = true,
        default_missing_value = "values", value_parser = super::values::parse_rules, conflicts_with = "modes")]
    prove: Option<Set>,
    /// With --prove: the folder for a counterexample, as the jobs a/job.toml and b/job.toml.
    #[arg(long, value_name = "DIR", requires = "prove")]
    out: Option<Output>,
    /// The seed of inputs and constants.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Columns and rows of points.
    #[arg(long, value_name = "WxH", default_value = "16x16", value_parser = parse_size)]
    size: (u32, u32),
    #[command(flatten)]
    tolerances: Tolerances,
    /// Instructions a group may run. Overrides the jobs' [limits].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Stop after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = super::values::seconds)]
    timeout: Option<Duration>,
    #[command(flatten)]
    confined: jobs::Confined,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// The file of an argument.
enum Given {
    /// With its varyings.
    Program(Arc<Program>, Kind, Vec<u8>),
    Job(Box<Job>),
}

/// An output of both programs, or of one; or the global registers.
struct Compared {
    name: String,
    comparison: Result<ArrayComparison, String>,
}

/// A value that only B computes.
#[derive(Serialize)]
struct Value {
    pc: u32,
    text: String,
    register: String,
    channel: Option<char>,
    value: f32,
    bits: Option<u32>,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let signals = Signals::catch()?;
    let watch = Watch::silent(signals.stop().within(args.timeout));
    signals.or_obey(compared(args, &watch))
}

fn compared(args: &Args, watch: &Watch) -> anyhow::Result<Exit> {
    let Some(b) = &args.b else {
        let [a, b] = args.modes[..] else {
            bail!("--modes: {} given, expected two, such as exact,chip", args.modes.len());
        };
        return modes::run(args, [a, b], watch);
    };
    let files = [&args.a, b];
    let shared = args.confined.files()?;
    let index = match args.index[..] {
        [] => [None; 2],
        [both] => [Some(both); 2],
        [a, b] => [Some(a), Some(b)],
        _ => bail!("--index: {} given, expected one or two, such as 0,3", args.index.len()),
    };
    let which = index.map(|index| Which { kind: args.kind, index });
    let [a, b] = [0, 1].map(|n| read(files[n], which[n], &shared, watch.stop()));
    let given = [a?, b?];
    let both_jobs = matches!(given, [Given::Job(_), Given::Job(_)]);
    if both_jobs && (args.kind.is_some() || !args.index.is_empty()) {
        bail!("--kind, --index: they are for programs; a job says this itself");
    }
    let of_logs =
        matches!(given, [Given::Program(_, Kind::Mesa, _), Given::Program(_, Kind::Mesa, _)]);
    if let Some(set) = args.prove {
        let pair = match &given {
            [Given::Program(a, of_a, _), Given::Program(b, of_b, _)] => {
                let point = of_a.has_container() && of_b.has_container();
                Pair::of_programs([a, b].map(Arc::clone), point)
            }
            _ => {
                let [a, b] = jobs(args, files, given)?;
                Pair::of_jobs([&a, &b], set)?
            }
        };
        let names = [super::utf8(files[0])?, super::utf8(files[1])?];
        let mut outputs = Outputs::new(&shared);
        let out = args.out.as_ref().map(|out| outputs.new_folder("--out", out)).transpose()?;
        return prove::run(set, &pair, names, args.json, out.as_ref(), watch.stop());
    }
    let jobs = jobs(args, files, given)?;
    let programs = jobs.each_ref().map(|job| Arc::clone(&job.passes[0].program));
    let names = files.map(|file| file.display().to_string());
    let tolerance = args.tolerances.tolerance();
    let options = RunOptions { instructions: args.limit, ..RunOptions::default() };
    let run = |job: &Job| job.run(&Block::new(), &options, watch);
    let results = [run(&jobs[0])?, run(&jobs[1])?];
    let mut outputs = outputs(&jobs, &results, &tolerance);
    let point = outputs.iter().find_map(|output| {
        let first = output.comparison.as_ref().ok()?.first.as_ref()?;
        Some((first.index[1] as u32, first.index[0] as u32))
    });
    outputs.extend(globals(&programs, &results, &tolerance));
    let agree = outputs.iter().all(|o| o.comparison.as_ref().is_ok_and(|c| c.passed))
        && results[0].faults.is_empty() == results[1].faults.is_empty();
    let value = match point.filter(|_| !agree) {
        Some(point) => first_of_b(&jobs, point, &tolerance, &options, watch)?,
        None => None,
    };
    let rows = [0, 1].map(|n| Row::of(names[n].clone(), programs[n].image()));
    let mut faults = Vec::new();
    for ((job, result), side) in jobs.iter().zip(&results).zip(["A", "B"]) {
        let texts = result.job_faults(job).into_iter().map(|fault| fault.text());
        faults.extend(texts.map(|text| format!("{side}: {text}")));
    }
    if args.json {
        let [a, b] = [super::utf8(files[0])?, super::utf8(files[1])?];
        let object = json!({
            "a": a,
            "b": b,
            "equal": agree,
            "outputs": outputs.iter().map(|output| match &output.comparison {
                Ok(comparison) => json!({ "name": output.name, "comparison": comparison }),
                Err(reason) => json!({ "name": output.name, "error": reason }),
            }).collect::<Vec<_>>(),
            "faults": faults,
            "numbers": METRICS.map(|Metric { name, of, .. }| {
                json!({ "name": name, "a": of(&rows[0]), "b": of(&rows[1]) })
            }),
            "point": point,
            "value": value,
        });
        super::print(format!("{object}\n"))?;
    } else {
        let mut text = cost(&rows);
        for output in &outputs {
            let _ = match &output.comparison {
                Ok(comparison) => writeln!(text, "{}: {comparison}", output.name),
                Err(reason) => writeln!(text, "{}: {reason}", output.name),
            };
        }
        text.extend(faults.iter().map(|fault| format!("{fault}\n")));
        if let Some(shared) = shared_constants(&programs).filter(|_| of_logs && !agree) {
            text += &format!(
                "note: {shared}: the same values in A and B, which may mean two things by them; jobs give each its own\n"
            );
        }
        if let (Some((i, j)), Some(value)) = (point, &value) {
            let Value { pc, text: instruction, register, channel, value, .. } = value;
            let channel = channel.map_or(String::new(), |channel| format!(".{channel}"));
            let _ = writeln!(
                text,
                "first value at point ({i}, {j}) that only B computes: {register}{channel} = {value:?}, at pc {pc}: {instruction}"
            );
        }
        let comparisons = outputs.iter().filter_map(|output| output.comparison.as_ref().ok());
        text += &verdict(agree, comparisons, ["B", "A"]);
        text.push('\n');
        super::print(super::escaped(&text))?;
    }
    Ok(if agree { Exit::Done } else { Exit::Failed })
}

/// Reads an argument.
fn read(file: &Path, which: Which, shared: &SharedFiles, stop: &Stop) -> anyhow::Result<Given> {
    if !programs::is_job(file, which.kind, shared)? {
        let loaded = programs::load_aloud(file, which, shared, stop)?;
        let program = program(file, &loaded)?;
        let varyings = varyings(loaded.kind, &program, stop)?;
        return Ok(Given::Program(program, loaded.kind, varyings));
    }
    let job = Job::read_shared(file, shared, stop)?;
    match job.launches() {
        1 => Ok(Given::Job(Box::new(job))),
        n => bail!("{}: it has {n} launches, expected one", file.display()),
    }
}

/// A job for each side. A program without a job gets the data of the other side, or of a seed.
fn jobs(args: &Args, files: [&PathBuf; 2], given: [Given; 2]) -> anyhow::Result<[Job; 2]> {
    let (sample, [file_a, file_b]) = (sample(args.seed, args.size), files);
    let with = |job: &Job, program: Arc<Program>, file: &Path| {
        let mut job = job.with_program(program);
        job.passes[0].program_file = file.into();
        job
    };
    Ok(match given {
        [Given::Program(a, _, of_a), Given::Program(b, _, of_b)] => {
            let mut varyings = [of_a, of_b].concat();
            varyings.sort_unstable();
            varyings.dedup();
            [
                Job::of_program(a, file_a, &sample, &varyings),
                Job::of_program(b, file_b, &sample, &varyings),
            ]
        }
        [Given::Job(a), Given::Program(b, ..)] => {
            let b = with(&a, b, file_b);
            [*a, b]
        }
        [Given::Program(a, ..), Given::Job(b)] => [with(&b, a, file_a), *b],
        [Given::Job(a), Given::Job(b)] => [*a, *b],
    })
}

/// The outputs of both launches, by slot, and the conditional buffer.
fn outputs(jobs: &[Job; 2], results: &[JobResult; 2], tolerance: &Tolerance) -> Vec<Compared> {
    let of = |side: usize, slot: u32| {
        let pass = &jobs[side].passes[0];
        let (_, buffer) = pass.outputs.iter().find(|output| output.0 == slot)?;
        let written = pass.program.uses().outputs >> slot & 1 != 0;
        results[side].raster(*buffer).ok().filter(|_| written).map(|raster| raster.into_array())
    };
    let compared = |slot| {
        compare_one(format!("output {slot}"), "writes it", of(0, slot), of(1, slot), tolerance)
    };
    let condition = |side: usize| {
        let condition = jobs[side].passes[0].condition.as_ref().filter(|one| one.write)?;
        results[side].raster(condition.buffer?).ok().map(|raster| raster.into_array())
    };
    let has = "writes it";
    let condition = compare_one("conditional buffer", has, condition(0), condition(1), tolerance);
    (0..4).filter_map(compared).chain(condition).collect()
}

/// The global registers that both launches leave, if a program has any.
fn globals(
    programs: &[Arc<Program>; 2],
    results: &[JobResult; 2],
    tolerance: &Tolerance,
) -> Option<Compared> {
    let of = |side: usize| {
        let has = programs[side].sharing().is_some_and(|sharing| sharing.globals() != 0);
        results[side].shared.as_ref().filter(|_| has).map(sharing_array)
    };
    compare_one("global registers", "has them", of(0), of(1), tolerance)
}

/// Compares what both programs leave at one place. `has` is the verb for a result that only one of them has.
fn compare_one(
    name: impl Into<String>,
    has: &str,
    a: Option<Array>,
    b: Option<Array>,
    tolerance: &Tolerance,
) -> Option<Compared> {
    let comparison = match (a, b) {
        (None, None) => return None,
        (Some(_), None) => Err(format!("only A {has}")),
        (None, Some(_)) => Err(format!("only B {has}")),
        (Some(a), Some(b)) => compare(&b, &a, tolerance)
            .map_err(|error| format!("A has {}, B has {}", error.needed, error.found)),
    };
    Some(Compared { name: name.into(), comparison })
}

/// The constants without a value of their own that both programs read.
fn shared_constants(programs: &[Arc<Program>; 2]) -> Option<String> {
    let [a, b] = programs.each_ref().map(|program| {
        let literals = &program.image().literals;
        let own =
            |n: &u32| literals.iter().any(|one| one.kind == ConstantKind::Float && one.addr == *n);
        let mut read = program.uses().constants(ConstantKind::Float);
        read.retain(|n| !own(n));
        read
    });
    let both = a.iter().filter(|n| b.contains(n)).map(|n| format!("c{n}"));
    Some(both.collect::<Vec<_>>().join(", ")).filter(|text| !text.is_empty())
}

/// The table of what both cost.
fn cost(rows: &[Row; 2]) -> String {
    let mut lines = vec![vec![String::new(), "A".into(), "B".into()]];
    lines.extend(METRICS.iter().map(|Metric { name, of, .. }| {
        let [a, b] = rows.each_ref().map(|row| plain(of(row)));
        vec![(*name).to_string(), a, b]
    }));
    table(&lines)
}

/// Different values, in ascending order: negative NaNs, numbers, positive NaNs.
#[derive(Default)]
struct Values(BTreeSet<u32>);

impl Values {
    /// The place of a value in the order.
    fn key(bits: u32) -> u32 {
        if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
    }

    fn bits(key: u32) -> u32 {
        if key >> 31 == 0 { !key } else { key & !(1 << 31) }
    }

    /// Whether one of the values, as the expected one, is equal to a value.
    fn have(&self, bits: u32, tolerance: &Tolerance) -> bool {
        let (key, values) = (Values::key(bits), &self.0);
        let [least, most] = [f32::MIN, f32::MAX].map(|x| Values::key(x.to_bits()));
        // The nearest values. NaNs are at the ends. With RTOL above 1 also the largest numbers count.
        let candidates = [
            values.range(..=key).next_back(),
            values.range(key..).next(),
            values.first(),
            values.last(),
            values.range(least..).next(),
            values.range(..=most).next_back(),
        ];
        let mut candidates = candidates.into_iter().flatten();
        candidates.any(|&other| tolerance.equal(bits, Values::bits(other)))
    }
}

/// The first value that B computes at a point and A does not.
fn first_of_b(
    jobs: &[Job; 2],
    point: (u32, u32),
    tolerance: &Tolerance,
    options: &RunOptions,
    watch: &Watch,
) -> anyhow::Result<Option<Value>> {
    let run = |job: &Job, show: &mut (dyn FnMut(TraceStep) + Send)| {
        let show = |_, event| match event {
            TraceEvent::Step(step) => show(*step),
            TraceEvent::Begin { .. }
            | TraceEvent::Write { .. }
            | TraceEvent::End { .. }
            | TraceEvent::Skipped { .. } => {}
        };
        job.run(&Tracing::new(job, point, show), options, watch)
    };
    let mut known = Values::default();
    run(&jobs[0], &mut |step| {
        let lanes = step.operands.iter().chain(&step.written).flat_map(|value| &value.lanes);
        known.0.extend(lanes.filter_map(|lane| lane.bits).map(Values::key));
    })?;
    let mut first = None;
    run(&jobs[1], &mut |step| {
        let mut values = step.written.iter().filter(|_| first.is_none());
        let found = values.find_map(|value| {
            // Truth values say nothing.
            let unknown = |lane: &&Lane| lane.bits.is_some_and(|bits| !known.have(bits, tolerance));
            Some((value, *value.lanes.iter().find(unknown)?))
        });
        if let Some((value, lane)) = found {
            let (pc, text, register) = (step.pc, step.text.clone(), value.of.clone());
            let Lane { channel, value, bits } = lane;
            first = Some(Value { pc, text, register, channel, value, bits });
        }
    })?;
    Ok(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of all kinds, and the same from a look at each of them.
    #[test]
    fn the_values_that_are_near_are_found() {
        let mut state = 1u64;
        let mut bits = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let random = (state >> 32) as u32;
            match random % 16 {
                0 => f32::INFINITY.to_bits() | random & 1 << 31,
                1 => f32::NAN.to_bits() | random & 0x8000_000f,
                2 => random & 1 << 31,
                3..8 => random,
                // Near each other.
                _ => ((random >> 8) as i8 as f32 / 16.0).to_bits() ^ (random >> 4 & 3),
            }
        };
        let tolerance = |atol, rtol, ulps, bits| Tolerance { atol, rtol, ulps, bits, max_bad: 0.0 };
        let tolerances = [
            tolerance(0.0, 0.0, 0, false),
            tolerance(0.0, 0.0, 0, true),
            tolerance(0.0, 0.0, 2, false),
            tolerance(0.01, 1e-5, 0, false),
            tolerance(0.5, 1.0, 0, false),
            tolerance(0.0, 3.0, 0, false),
        ];
        let mut found = [0; 2];
        for _ in 0..500 {
            let known: Vec<u32> = (0..12).map(|_| bits()).collect();
            let values = Values(known.iter().copied().map(Values::key).collect());
            for tolerance in &tolerances {
                let value = bits();
                let have = known.iter().any(|&other| tolerance.equal(value, other));
                assert_eq!(values.have(value, tolerance), have, "{value:08x} of {known:08x?}");
                found[usize::from(have)] += 1;
            }
        }
        assert!(found.iter().all(|count| *count > 500), "{found:?}");
    }
}
