//! Whether the programs of a document give for all inputs what they gave at its start.

use ctm::engine::Stop;
use ctm::job::Job;
use ctm::prove::{Answer, Options, Pair};
use std::sync::Arc;

/// The most steps of terms: programs that need more take too long beside a picture that moves.
const STEPS: u32 = 300_000;

/// Whether each program of a job is proved equal to that of the same pass at the start. Uniforms, constants without a
/// value in the source, and data are unknown.
pub fn is_proved(start: &Job, now: &Job, stop: &Stop) -> bool {
    let options = Options { steps: STEPS, samples: 0, ..Options::default() };
    let pairs = start.passes.iter().zip(&now.passes);
    start.passes.len() == now.passes.len()
        && pairs.into_iter().all(|(a, b)| {
            let programs = [a, b].map(|pass| Arc::clone(&pass.program));
            // Temporary 0 is the point, unless the job gives it data.
            let point = a.initial.iter().chain(&b.initial).all(|initial| initial.temp != 0);
            Pair::of_programs(programs, point).prove(&options, stop).answer == Answer::Proved
        })
}
