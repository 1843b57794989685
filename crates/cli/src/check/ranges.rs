//! `ctm check --ranges`: bounds of the outputs of jobs, and what they prove.

use super::super::signals::Signals;
use super::super::{Exit, print, programs, tell_error, utf8};
use super::Args;
use anyhow::bail;
use ctm_engine::Stop;
use ctm_isa::isa::LETTERS;
use ctm_jobs::job::{Buffer, Job, Pass, SharedFiles, caught};
use ctm_lang::program::Image;
use ctm_machine::launch::FloatMode;
use ctm_prove::ranges::{Bounds, Range, Ranges};
use ctm_prove::term::{Id, Node, Terms, may};
use ctm_prove::{Results, Set, Setup, Undecided, execute};
use ctm_tools::prove::{Surroundings, surroundings};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The most steps of terms of a pass.
const STEPS: u32 = 1_000_000;

/// The properties to prove, in the order of [`Found::lost`].
const PROOFS: [&str; 5] = [
    "no NaN",
    "no infinity",
    "all fetches inside their surfaces",
    "all loops end, within the limit of instructions",
    "no fault",
];

/// The findings about a pass.
struct Found {
    /// The results that are written.
    results: Vec<(String, Range)>,
    /// Where each proof fails, if it does.
    lost: [Option<Lost>; 5],
}

/// Where a proof fails.
#[derive(Clone)]
struct Lost {
    /// `pc 3, kernel.dpp:7:5`, or what programs start with.
    place: String,
    pc: Option<u32>,
    /// The term, or another reason in words, which has no range.
    term: String,
    operands: Vec<Range>,
    range: Option<Range>,
}

/// The outputs of a pass, and how long it may run.
struct Written<'a> {
    outputs: Vec<(u32, &'a Buffer)>,
    condition: Option<&'a Buffer>,
    limit: u64,
}

/// Bounds the results of all jobs.
pub(super) fn run(args: &Args, files: &[PathBuf], shared: &SharedFiles) -> anyhow::Result<Exit> {
    let signals = Signals::catch()?;
    let (mut all, mut bad, mut failed, mut undecided) = (Vec::new(), 0, false, false);
    for file in files {
        let stop = signals.stop().within(args.timeout);
        let done = caught(file, || of_file(file, args, shared, &stop));
        signals.obey();
        match done {
            Ok((job, passes)) => {
                for found in &passes {
                    failed |=
                        found.as_ref().is_ok_and(|found| found.lost.iter().any(Option::is_some));
                    undecided |= found.is_err();
                }
                let name = utf8(file)?;
                if args.json {
                    let passes = job.passes.iter().zip(&passes);
                    let passes: Vec<Value> =
                        passes.map(|(pass, found)| object(pass, found)).collect();
                    all.push(json!({ "file": name, "passes": passes }));
                } else {
                    let text: String = job
                        .passes
                        .iter()
                        .zip(&passes)
                        .map(|(pass, found)| text(pass, found))
                        .collect();
                    print(super::super::escaped(&format!("{name}\n{text}")))?;
                }
            }
            Err(error) => {
                tell_error(&error);
                bad += 1;
            }
        }
    }
    if args.json {
        print(serde_json::to_string_pretty(&json!({ "files": all }))? + "\n")?;
    }
    if bad > 0 {
        bail!("{bad} of {} files could not be checked", files.len());
    }
    Ok(match (failed, undecided) {
        (true, _) => Exit::Failed,
        (false, true) => Exit::Undecided,
        (false, false) => Exit::Done,
    })
}

type Passes = Vec<Result<Found, Undecided>>;

fn of_file(
    file: &Path,
    args: &Args,
    shared: &SharedFiles,
    stop: &Stop,
) -> anyhow::Result<(Job, Passes)> {
    let name = utf8(file)?;
    if !programs::is_job(file, args.kind, shared)? {
        bail!("{name}: --ranges needs a job");
    }
    let job = Job::read_shared(file, shared, stop)?;
    let mode = args.mode.unwrap_or(job.mode);
    if mode != FloatMode::Exact {
        bail!("{name}: --ranges is for mode exact, the job has mode {}", mode.name());
    }
    let passes = of_job(&job, stop)?;
    // A pass that was stopped is no answer.
    stop.check()?;
    Ok((job, passes))
}

/// The findings about each pass.
fn of_job(job: &Job, stop: &Stop) -> anyhow::Result<Passes> {
    let surroundings = surroundings(job)?;
    let passes = job.passes.iter().zip(&surroundings).map(|(pass, around)| {
        let Surroundings { setup, bounds, outputs, condition } = around;
        let written = Written {
            outputs: outputs.iter().map(|&(slot, buffer)| (slot, &job.buffers[buffer])).collect(),
            condition: condition.map(|buffer| &job.buffers[buffer]),
            limit: job.limits.instructions,
        };
        of_pass(pass, setup, bounds, &written, stop)
    });
    Ok(passes.collect())
}

fn of_pass(
    pass: &Pass,
    setup: &Setup,
    bounds: &Bounds,
    written: &Written<'_>,
    stop: &Stop,
) -> Result<Found, Undecided> {
    let mut terms = Terms::new(Set::Bits, STEPS);
    let results = execute(&mut terms, &pass.program, setup, stop)?;
    if terms.is_spent() {
        return Err(Undecided::TooLarge);
    }
    let mut named = Vec::new();
    for (n, output) in results.outputs.iter().enumerate() {
        let channels = LETTERS.iter().zip(output);
        named.extend(channels.map(|(letter, &id)| (format!("o{n}.{letter}"), id)));
    }
    named.push(("the conditional value".to_string(), results.own));
    for (n, (_, values)) in results.uncached.iter().enumerate() {
        named.push((format!("uncached write {n}"), values[0]));
    }
    named.retain(|&(_, id)| terms.node(id) != Node::Absent);
    let ranges = Ranges::new(&terms, bounds, stop)?;
    let image = pass.program.image();
    let first = |bad: fn(Range) -> bool| {
        let all = named.iter().filter_map(|&(_, id)| ranges.first(id, bad));
        all.min_by_key(|&id| (terms.made_at(id), id))
    };
    let [nan, infinite, outside, faulty] = [
        first(Range::is_nan),
        first(Range::is_infinite),
        ranges.first_outside(named.iter().map(|&(_, id)| id)),
        written.faulty(&results, &ranges),
    ]
    .map(|id| id.map(|id| Lost::of(&terms, &ranges, image, id)));
    let endless = written.too_long(results.instructions);
    let fault = endless.clone().or_else(|| written.too_small(pass)).or(faulty);
    let lost = [nan, infinite, outside, endless, fault];
    let results = named.iter().map(|(name, id)| (name.clone(), ranges.of(*id))).collect();
    Ok(Found { results, lost })
}

impl Written<'_> {
    fn too_long(&self, instructions: u64) -> Option<Lost> {
        let reason = || format!("a group can run {instructions} instructions, of {}", self.limit);
        (instructions > self.limit).then(|| Lost::because(reason()))
    }

    /// A surface that has no place for some point.
    fn too_small(&self, pass: &Pass) -> Option<Lost> {
        let uses = pass.program.uses();
        let own = |slot: &u32| uses.outputs >> slot & 1 != 0 && !pass.program.umrt();
        let outputs = self.outputs.iter().filter(|(slot, _)| own(slot)).map(|(_, buffer)| *buffer);
        let (i1, j1) = (pass.domain.i1, pass.domain.j1);
        let small = outputs.chain(self.condition).find(|buffer| {
            let surface = buffer.surface(0);
            !pass.domain.is_empty() && !surface.is_writable(i1, j1)
        })?;
        let Buffer { name, pitch, height, .. } = small;
        let size = format!("{pitch} columns and {height} rows");
        Some(Lost::because(format!("{name} has {size}, the last point is ({i1}, {j1})")))
    }

    /// The first column, row or zero of an uncached write that may be a fault.
    fn faulty(&self, results: &Results, ranges: &Ranges<'_>) -> Option<Id> {
        let (_, output) = self.outputs.iter().find(|(slot, _)| *slot == 0)?;
        let inside = |id: Id, size: u32| {
            let (range, size) = (ranges.of(id), size as f32);
            !range.is_nan() && range.numbers().is_none_or(|(low, high)| low >= 0.0 && high < size)
        };
        results.uncached.iter().find_map(|&(_, [_, column, row, zero])| {
            let all = [
                (column, inside(column, output.pitch)),
                (row, inside(row, output.height)),
                (zero, ranges.of(zero) == Range::of(0)),
            ];
            all.into_iter().find(|(_, safe)| !safe).map(|(id, _)| id)
        })
    }
}

impl Lost {
    fn because(reason: String) -> Lost {
        let place = "the job".to_string();
        Lost { place, pc: None, term: reason, operands: Vec::new(), range: None }
    }

    fn of(terms: &Terms, ranges: &Ranges<'_>, image: &Image, id: Id) -> Lost {
        let pc = terms.made_at(id);
        let operands = Terms::operands(&terms.node(id));
        Lost {
            place: pc.map_or("the data of the job".to_string(), |pc| image.place(pc)),
            pc,
            term: terms.text(id, 4),
            operands: operands.into_iter().map(|id| ranges.of(id)).collect(),
            range: Some(ranges.of(id)),
        }
    }
}

fn text(pass: &Pass, found: &Result<Found, Undecided>) -> String {
    let mut text = format!("  {}\n", pass.program_file.display());
    match found {
        Ok(Found { results, lost }) => {
            let width = results.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
            for (name, range) in results {
                let _ = writeln!(text, "    {name:width$}  {range}");
            }
            for (proof, lost) in PROOFS.iter().zip(lost) {
                let Some(Lost { place, term, operands, range, .. }) = lost else {
                    let _ = writeln!(text, "    proved: {proof}");
                    continue;
                };
                let operands: Vec<String> = operands.iter().map(Range::to_string).collect();
                let of = if operands.is_empty() { "" } else { " of " };
                let _ = writeln!(text, "    not proved: {proof}");
                let _ = writeln!(text, "      {place}");
                let is = range.map_or(String::new(), |range| format!(" is {range}"));
                let _ = writeln!(text, "      {term}{of}{}{is}", operands.join(", "));
            }
        }
        Err(reason) => {
            let _ = writeln!(text, "    not decided: {reason}");
        }
    }
    text
}

/// A range; infinities, which JSON lacks, are text.
fn value(range: Range) -> Value {
    let end = |end: f32| match end {
        f32::INFINITY => json!("inf"),
        f32::NEG_INFINITY => json!("-inf"),
        end => json!(end),
    };
    let numbers = range.numbers();
    json!({
        "low": numbers.map(|(low, _)| end(low)),
        "high": numbers.map(|(_, high)| end(high)),
        "nan": range.is_nan(),
        "denormal": range.may() & may::DENORMAL != 0,
        "minus_zero": range.may() & may::MINUS_ZERO != 0,
    })
}

fn object(pass: &Pass, found: &Result<Found, Undecided>) -> Value {
    let program = pass.program_file.display().to_string();
    let Found { results, lost } = match found {
        Ok(found) => found,
        Err(reason) => return json!({ "program": program, "not_decided": reason.to_string() }),
    };
    let results =
        results.iter().map(|(name, range)| json!({ "result": name, "range": value(*range) }));
    let proofs = PROOFS.iter().zip(lost).map(|(proof, lost)| {
        let Some(Lost { pc, term, operands, range, .. }) = lost else {
            return json!({ "of": proof, "proved": true });
        };
        let operands: Vec<Value> = operands.iter().map(|range| value(*range)).collect();
        let location = pc.and_then(|pc| pass.program.image().location(pc));
        json!({
            "of": proof,
            "proved": false,
            "pc": pc,
            "location": location.map(|location| location.to_string()),
            "term": term,
            "operands": operands,
            "range": range.map(value),
        })
    });
    json!({
        "program": program,
        "results": results.collect::<Vec<_>>(),
        "proofs": proofs.collect::<Vec<_>>(),
    })
}
