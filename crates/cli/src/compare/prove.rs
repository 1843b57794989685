//! `ctm compare --prove`: two programs for all inputs.

use super::super::Exit;
use anyhow::{Context, bail};
use ctm_base::stop::Stop;
use ctm_jobs::job::{Buffer, Content, Job, Pass};
use ctm_lang::program::Program;
use ctm_machine::launch::FloatMode;
use ctm_prove::{Answer, Counterexample, Difference, Float, Options, Set, Setup, Start, prove};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The differences that a text lists.
const LISTED: usize = 4;

/// Proves two programs equal. `of_jobs`: the constants are those of the jobs; else they are unknown, but
/// the same for both. `names` are those of the files.
pub(super) fn run(
    set: Set,
    jobs: &[Job; 2],
    of_jobs: bool,
    names: [&str; 2],
    json: bool,
    stop: &Stop,
) -> anyhow::Result<Exit> {
    for (job, name) in jobs.iter().zip(names) {
        if set == Set::Bits && job.mode != FloatMode::Exact {
            bail!("{name}: --prove=bits is for mode exact, the job has mode {}", job.mode.name());
        }
    }
    let programs: [&Program; 2] = [0, 1].map(|n| &*jobs[n].passes[0].program);
    let named = if of_jobs { None } else { Setup::by_name(programs) };
    let setups = named.unwrap_or_else(|| setups(jobs, of_jobs));
    let options = Options { set, ..Options::default() };
    let answer = prove(programs, [&setups[0], &setups[1]], &options, stop);
    let text = if json {
        let [a, b] = names;
        format!("{}\n", object(&answer, set, [a, b]))
    } else {
        text(&answer, set, of_jobs)
    };
    super::super::print(super::super::escaped(&text))?;
    Ok(exit(&answer))
}

fn exit(answer: &Answer) -> Exit {
    match answer {
        Answer::Proved => Exit::Done,
        Answer::Different { .. } => Exit::Failed,
        Answer::EqualUpToRounding { .. } | Answer::NotDecided { .. } => Exit::Undecided,
    }
}

/// Proves that what the compiler made of a shader (B) gives what it makes of it without its optimizer (A).
pub fn verify(programs: [&Program; 2], precise: bool, stop: &Stop) -> anyhow::Result<Exit> {
    let set = if precise { Set::Bits } else { Set::Values };
    let options = Options { set, ..Options::default() };
    let [a, b] = Setup::by_name(programs).context("not a shader")?;
    let answer = prove(programs, [&a, &b], &options, stop);
    super::super::print(super::super::escaped(&text(&answer, set, false)))?;
    Ok(exit(&answer))
}

/// Numbers for values: equal values have equal numbers.
struct Numbers<T>(Vec<T>);

impl<T: PartialEq> Numbers<T> {
    fn of(&mut self, value: T) -> u32 {
        let found = self.0.iter().position(|known| *known == value);
        let n = found.unwrap_or(self.0.len());
        if found.is_none() {
            self.0.push(value);
        }
        n as u32
    }
}

/// The surroundings of both programs. Data and surfaces of equal contents are the same unknowns.
fn setups(jobs: &[Job; 2], of_jobs: bool) -> [Setup; 2] {
    let (mut data, mut surfaces) = (Numbers(Vec::new()), Numbers(Vec::new()));
    jobs.each_ref().map(|job| {
        let pass = &job.passes[0];
        let mut setup = Setup::of(&pass.program);
        if of_jobs {
            constants(&mut setup, pass);
        }
        setup.observed = observed(job, pass);
        for initial in &pass.initial {
            let n = data.of(&initial.data);
            setup.start.push((initial.temp, Start::Data(n)));
        }
        // A surface that no input is bound to is like no other.
        for (n, surface) in setup.surfaces.iter_mut().enumerate() {
            *surface = u32::MAX - n as u32;
        }
        for &(slot, buffer) in &pass.inputs {
            let buffer = &job.buffers[buffer];
            if let Some(surface) = setup.surfaces.get_mut(slot as usize) {
                *surface = surfaces.of(seen(buffer));
            }
        }
        setup
    })
}

/// The channels of each output of a pass that memory gets.
pub fn observed(job: &Job, pass: &Pass) -> [u8; 4] {
    let mut all = [0; 4];
    for &(slot, buffer) in &pass.outputs {
        let format = job.buffers[buffer].format;
        let channels = 15 >> (4 - format.channels());
        if let Some(observed) = all.get_mut(slot as usize) {
            *observed = channels & pass.mask.unwrap_or(15);
        }
    }
    all
}

/// All of a buffer that fetches from it depend on.
fn seen(buffer: &Buffer) -> impl PartialEq + '_ {
    let Buffer { format, width, height, wrap, content, .. } = buffer;
    let content = match content {
        Content::Zero => (Some([0; 4]), None),
        Content::Fill(units) => (Some(*units), None),
        Content::Array(units) => (None, Some(units)),
    };
    (*format, *width, *height, *wrap, content)
}

/// Gives a setup the constants of a pass.
pub fn constants(setup: &mut Setup, pass: &Pass) {
    let constants = &pass.constants;
    setup.floats = constants.float.iter().map(|value| value.map(Float::Bits)).collect();
    for (to, from) in setup.ints.iter_mut().zip(&constants.int) {
        *to = Some((from.count, from.start, from.step));
    }
    for (n, to) in setup.bools.iter_mut().enumerate() {
        *to = Some(constants.bool >> n & 1 != 0);
    }
}

/// A result's bits as text.
fn value(bits: Option<u32>) -> String {
    bits.map_or("not written".to_string(), |bits| {
        format!("{:?} (0x{bits:08x})", f32::from_bits(bits))
    })
}

fn terms(text: &mut String, of: &Difference) {
    let Difference { place, terms: [a, b] } = of;
    let _ = writeln!(text, "{place}:\n  A {a}\n  B {b}");
}

/// The first ones, and how many more there are.
fn list(text: &mut String, of: &[Difference]) {
    of.iter().take(LISTED).for_each(|of| terms(text, of));
    if of.len() > LISTED {
        let _ = writeln!(text, "and {} more results", of.len() - LISTED);
    }
}

/// An answer as text.
pub fn text(answer: &Answer, set: Set, of_jobs: bool) -> String {
    let mut text = String::new();
    let constants = if of_jobs { " with the jobs' constants" } else { "" };
    match answer {
        Answer::Proved => {
            let _ = writeln!(
                text,
                "proved: equal for all inputs{constants}, by the rules `{}`",
                set.name()
            );
        }
        Answer::Different { of, at } => {
            terms(&mut text, of);
            let Counterexample { bits: [a, b], seed, .. } = *at;
            let _ = writeln!(
                text,
                "different: for the random input {seed}, {} is {} in A and {} in B",
                of.place,
                value(a),
                value(b)
            );
        }
        Answer::EqualUpToRounding { of, bits } => {
            list(&mut text, of);
            let _ = writeln!(
                text,
                "equal up to rounding, not proved: in exact arithmetic equal for all inputs{constants}, with a \
                 probability of error of at most 2^-{bits}"
            );
        }
        Answer::NotDecided { of, close, reason } => {
            list(&mut text, of);
            let why = match reason {
                Some(reason) => reason.to_string(),
                None if *close => {
                    "the terms differ, but random inputs show at most roundings".to_string()
                }
                None => "the terms differ, and random inputs show nothing".to_string(),
            };
            let _ = writeln!(text, "not decided: {why}");
        }
    }
    text
}

fn object(answer: &Answer, set: Set, [a, b]: [&str; 2]) -> Value {
    let mut object = json!({ "a": a, "b": b, "rules": set.name() });
    if let (Value::Object(object), Value::Object(more)) = (&mut object, to_json(answer)) {
        object.extend(more);
    }
    object
}

/// An answer as a JSON object.
pub fn to_json(answer: &Answer) -> Value {
    let difference = |of: &Difference| json!({ "result": of.place, "terms": of.terms });
    match answer {
        Answer::Proved => json!({ "answer": "proved" }),
        Answer::Different { of, at } => json!({
            "answer": "different",
            "differences": [difference(of)],
            "input": { "seed": at.seed, "hard": at.hard, "point": at.point },
            "bits": at.bits,
        }),
        Answer::EqualUpToRounding { of, bits } => json!({
            "answer": "equal up to rounding",
            "differences": of.iter().map(difference).collect::<Vec<_>>(),
            "error": (-f64::from(*bits)).exp2(),
        }),
        Answer::NotDecided { of, close, reason } => json!({
            "answer": "not decided",
            "differences": of.iter().map(difference).collect::<Vec<_>>(),
            "close": close,
            "reason": reason.map(|reason| reason.to_string()),
        }),
    }
}
