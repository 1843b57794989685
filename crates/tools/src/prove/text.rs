//! Answers as text and as JSON.

use super::{Answer, Difference, Proof, Set, Shown};
use ctm_prove::{KILLED, UNCACHED, WHETHER};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The differences that a text lists.
const LISTED: usize = 4;

/// A result's bits as text.
fn value(bits: Option<u32>) -> String {
    bits.map_or("not written".to_string(), |bits| {
        format!("{:?} (0x{bits:08x})", f32::from_bits(bits))
    })
}

/// A result of both programs in words. `at` says where it is.
fn sides(place: &str, at: &str, bits: [Option<u32>; 2]) -> String {
    let is_truth = place == KILLED || place.starts_with(WHETHER);
    let [a, b] = bits.map(|bits| match bits {
        Some(0) if is_truth => "no".to_string(),
        Some(_) if is_truth => "yes".to_string(),
        bits => value(bits),
    });
    format!("{place}{at} is {a} in A and {b} in B")
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

impl Proof {
    /// It as text: the terms that differ, and in the last line the answer.
    pub fn text(&self) -> String {
        said(&self.answer, self.set, self.of_jobs, self.shown.as_ref())
    }

    /// It as a JSON object: [`to_json`], with `engine` if the answer is `different`: name, point
    /// and bits of the results, or null.
    pub fn to_json(&self) -> Value {
        let mut all = json!({ "rules": self.set.name() });
        if let (Value::Object(all), Value::Object(answer)) = (&mut all, to_json(&self.answer)) {
            all.extend(answer);
        }
        if matches!(self.answer, Answer::Different { .. }) {
            let engine = |shown: &Shown| json!({ "name": "block", "point": shown.point, "bits": shown.bits });
            all["engine"] = self.shown.as_ref().map(engine).into();
        }
        all
    }
}

/// An answer without an engine's word as text.
pub fn text(answer: &Answer, set: Set) -> String {
    said(answer, set, false, None)
}

fn said(answer: &Answer, set: Set, of_jobs: bool, shown: Option<&Shown>) -> String {
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
            let said = match shown {
                Some(Shown { point: [i, j], bits, seed, place, .. }) => {
                    let of = if place.ends_with(UNCACHED) { "to" } else { "of point" };
                    let what = sides(place, &format!(" {of} ({i}, {j})"), *bits);
                    format!("{what}, on the engine block with the random input {seed}")
                }
                None => {
                    let what = sides(&of.place, "", at.bits);
                    format!("{what}, in the terms for the random input {}", at.seed)
                }
            };
            let _ = writeln!(text, "different: {said}");
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
