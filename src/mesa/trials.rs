//! The trials that passes are compared in: inputs and constants, from seeds or from a job.

use super::bisect::Options;
use super::constants::{Known, Table};
use super::interpret::Scene;
use super::log::Logged;
use super::machine::{self, Machine};
use crate::job::Job;
use crate::job::sample::Sample;
use std::collections::BTreeMap;
use std::ops::Range;

/// Inputs and constants that a program is run with.
pub struct Trial {
    /// Its name, human-readable, like "seed 1".
    pub name: String,
    /// The inputs.
    pub scene: Scene,
    /// The value of a component that is state of the application.
    pub state: Box<dyn Fn(u16, u8) -> u32>,
}

/// The ranges of varyings and constants in the trials from seeds. Most applications set most constants to
/// numbers from 0 to 1.
const RANGES: [Range<f32>; 12] = [
    -2.0..2.0,
    0.0..1.0,
    -1.0..2.0,
    0.0..1.0,
    -1.0..1.0,
    0.0..1.0,
    -8.0..8.0,
    0.0..1.0,
    0.0..4.0,
    0.0..0.5,
    -0.5..0.5,
    0.0..1.0,
];

/// The trial in which the constants that the application sets are 0.
const ZERO: u64 = 2;

/// The trials that need no job.
pub fn seeds(logged: &Logged, options: &Options) -> Vec<Trial> {
    let trial = |(n, range): (u64, Range<f32>)| {
        let seed = options.seed.wrapping_add(n);
        let (width, height) = options.size;
        let sample = Sample { seed, width, height, range };
        Trial {
            name: format!("seed {seed}{}", if n == ZERO { ", constants 0" } else { "" }),
            scene: machine::sampled(logged, &sample),
            state: Box::new(move |index, channel| match n {
                ZERO => 0,
                _ => sample.constant(index.into())[usize::from(channel)].to_bits(),
            }),
        }
    };
    (0..).zip(RANGES).map(trial).collect()
}

/// The trial with the data of a job. Its constants have the numbers of the machine code.
///
/// # Errors
/// If the job does not fit, as text.
pub fn of_job(job: &Job, machine: &Machine, last: Option<&Table>) -> Result<Trial, String> {
    let scene = machine::scene(job, machine)?;
    let constants = job.passes[0].constants.clone();
    let numbers: BTreeMap<(u16, u8), (u16, u8)> = last
        .into_iter()
        .flatten()
        .filter_map(|(&place, known)| match known {
            Known::State(index, channel) => Some(((*index, *channel), place)),
            Known::Bits(_) => None,
        })
        .collect();
    let state = move |index, channel| {
        let (index, channel) = *numbers.get(&(index, channel)).unwrap_or(&(index, channel));
        let value = constants.float.get(usize::from(index));
        value.map_or(0, |value| value[usize::from(channel)])
    };
    Ok(Trial { name: job.file.display().to_string(), scene, state: Box::new(state) })
}
