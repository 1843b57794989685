//! The trials that passes are compared in: inputs and constants, from seeds or from a job.

use super::constants::{Known, Table};
use super::interpret::{BisectError, Scene};
use super::log::Logged;
use super::machine::{self, Machine};
use ctm_jobs::job::Job;
use ctm_jobs::job::sample::Sample;
use ctm_machine::engine::Stop;
use std::collections::BTreeMap;
use std::ops::Range;

/// Inputs and constants that a program is run with.
pub struct Trial<'a> {
    /// The inputs.
    pub scene: Scene,
    /// The value of a component that is state of the application.
    pub state: Box<dyn Fn(u16, u8) -> u32 + 'a>,
}

/// The trials of a program: from seeds, or one with the data of a job.
pub enum Trials<'a> {
    /// From this seed on, with this many columns and rows of points.
    Seeds(u64, (u32, u32)),
    /// It runs the machine code.
    Job(&'a Job, &'a Machine),
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

impl Trials<'_> {
    /// Their names, human-readable, like "seed 1".
    pub fn names(&self) -> Vec<String> {
        match *self {
            Trials::Seeds(first, _) => (0..RANGES.len() as u64)
                .map(|n| {
                    let constants = if n == ZERO { ", constants 0" } else { "" };
                    format!("seed {}{constants}", first.wrapping_add(n))
                })
                .collect(),
            Trials::Job(job, _) => vec![job.file.display().to_string()],
        }
    }

    /// Makes the data of a trial, with the textures of these units. `last` are the constants of the
    /// machine code.
    ///
    /// # Errors
    /// If the job does not fit, or it was stopped.
    pub fn make(
        &self,
        n: usize,
        logged: &Logged,
        units: u16,
        last: Option<&Table>,
        stop: &Stop,
    ) -> Result<Trial<'_>, BisectError> {
        match *self {
            Trials::Seeds(first, (width, height)) => {
                let (seed, range) = (first.wrapping_add(n as u64), RANGES[n].clone());
                let sample = Sample { seed, width, height, range };
                let scene = machine::sampled(logged, &sample, units, stop)?;
                let state = move |index: u16, channel| match n as u64 {
                    ZERO => 0,
                    _ => sample.constant(index.into())[usize::from(channel)].to_bits(),
                };
                Ok(Trial { scene, state: Box::new(state) })
            }
            Trials::Job(job, machine) => {
                let scene = machine::scene(job, machine, units, stop)?;
                Ok(Trial { scene, state: Box::new(of_job(job, last)) })
            }
        }
    }
}

/// The constants of a job, which have the numbers of the machine code.
fn of_job<'a>(job: &'a Job, last: Option<&Table>) -> impl Fn(u16, u8) -> u32 + 'a {
    let numbers: BTreeMap<(u16, u8), (u16, u8)> = last
        .into_iter()
        .flatten()
        .filter_map(|(&place, known)| match known {
            Known::State(index, channel) => Some(((*index, *channel), place)),
            Known::Bits(_) => None,
        })
        .collect();
    let constants = &job.passes[0].constants;
    move |index, channel| {
        let (index, channel) = *numbers.get(&(index, channel)).unwrap_or(&(index, channel));
        let value = constants.float.get(usize::from(index));
        value.map_or(0, |value| value[usize::from(channel)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesa::log;
    use ctm_machine::engine::Stopped;

    const LOG: &str = "r300: Initial fragment program\nDCL IN[0], GENERIC[0]\nDCL OUT[0], COLOR\n\
        Fragment Program: before compilation\n  0: TEX output[0], input[0], 2D[3];\n";

    #[test]
    fn a_trial_has_the_textures_that_are_read() {
        let logged = &log::read(LOG)[0];
        let trials = Trials::Seeds(1, (4, 4));
        let trial = trials.make(0, logged, 1 << 3, None, Stop::never()).expect("not stopped");
        let units: Vec<usize> =
            (0..16).filter(|&unit| trial.scene.textures[unit].is_some()).collect();
        assert_eq!(units, [3]);
    }

    /// Its data would not fit into memory.
    #[test]
    fn a_stop_ends_the_making_of_a_trial() {
        let logged = &log::read(LOG)[0];
        let stop = Stop::new();
        stop.stop();
        let trials = Trials::Seeds(1, (1 << 20, 1 << 20));
        let stopped = trials.make(0, logged, u16::MAX, None, &stop);
        assert_eq!(stopped.map(|_| ()).err(), Some(BisectError::Stopped(Stopped::Cancelled)));
    }
}
