//! The trials that passes are compared in: inputs and constants, from seeds or from a job.

use super::constants::{Known, Table};
use super::interpret::{BisectError, Scene};
use super::log::Logged;
use super::machine::{self, Datum, Machine};
use ctm_base::random::Random;
use ctm_jobs::job::Job;
use ctm_jobs::job::sample::{Sample, bits, plane};
use ctm_machine::engine::Stop;
use std::collections::BTreeMap;
use std::ops::Range;

/// Inputs and constants that a program is run with.
pub struct Trial<'a> {
    /// The inputs.
    pub scene: Scene,
    /// The value of a component that is state of the application.
    pub state: Box<dyn Fn(u16, u8) -> u32 + 'a>,
    /// Whether rounded values count. Comparisons of small numbers are often of equal ones, so that a last bit
    /// decides too much.
    pub rounded: bool,
}

/// The trials of a program: from seeds, or one with the data of a job.
pub enum Trials<'a> {
    /// From this seed on, with this many columns and rows of points.
    Seeds(u64, (u32, u32)),
    /// It runs the machine code.
    Job(&'a Job, &'a Machine),
}

/// The source of a trial's data.
#[derive(Clone)]
enum Source {
    /// Varyings and constants lie in this range. Most applications set most constants to numbers from 0 to 1.
    Range(Range<f32>),
    /// The same with all constants 0 that the application sets.
    NoConstants(Range<f32>),
    /// Each number is a multiple of 1 / 2^n, for n the last of these, and lies between the others. Nearly nothing
    /// rounds, and points go different ways.
    Small(i16, u16, u8),
}

/// The trials from seeds.
const SOURCES: [Source; 32] = [
    Source::Range(-2.0..2.0),
    Source::Range(0.0..1.0),
    Source::NoConstants(-1.0..2.0),
    Source::Range(0.0..1.0),
    Source::Range(-1.0..1.0),
    Source::Range(0.0..1.0),
    Source::Range(-8.0..8.0),
    Source::Range(0.0..1.0),
    Source::Range(0.0..4.0),
    Source::Range(0.0..0.5),
    Source::Range(-0.5..0.5),
    Source::Range(0.0..1.0),
    Source::Small(-4, 8, 0),
    Source::Small(0, 3, 0),
    Source::Small(-2, 3, 0),
    Source::Small(0, 8, 0),
    Source::Small(-8, 8, 0),
    Source::Small(-1, 1, 0),
    Source::Small(0, 4, 2),
    Source::Small(-2, 2, 2),
    Source::Small(-4, 8, 0),
    Source::Small(-8, 8, 0),
    Source::Small(-4, 8, 0),
    Source::Small(0, 3, 0),
    Source::Small(-2, 3, 0),
    Source::Small(0, 8, 0),
    Source::Small(-8, 8, 0),
    Source::Small(0, 4, 2),
    Source::Small(-2, 2, 2),
    Source::Small(-4, 8, 0),
    Source::Small(-8, 8, 0),
    Source::Small(-4, 8, 0),
];

impl Source {
    fn name(&self, seed: u64) -> String {
        match *self {
            Source::Range(_) => format!("seed {seed}"),
            Source::NoConstants(_) => format!("seed {seed}, constants 0"),
            Source::Small(low, high, 0) => format!("seed {seed}, integers from {low} to {high}"),
            Source::Small(low, high, n) => {
                format!("seed {seed}, multiples of 1/{} from {low} to {high}", 1 << n)
            }
        }
    }
}

/// `count` times four numbers for a trial of [`Source::Small`], the same for the same arguments.
fn small((low, high, places): (i16, u16, u8), seed: [u64; 3], count: usize) -> Vec<[u32; 4]> {
    let mut random = Random::new(&seed);
    let steps = (i32::from(high) - i32::from(low)) << places;
    let mut number = || {
        let n = random.below(steps as u32 + 1) as i32 + (i32::from(low) << places);
        (n as f32 / f32::from(1u16 << places)).to_bits()
    };
    (0..count).map(|_| [(); 4].map(|()| number())).collect()
}

impl Trials<'_> {
    /// Their names, human-readable, like "seed 1".
    pub fn names(&self) -> Vec<String> {
        match *self {
            Trials::Seeds(first, _) => {
                (0..).zip(&SOURCES).map(|(n, source)| source.name(first.wrapping_add(n))).collect()
            }
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
        let (first, size) = match *self {
            Trials::Seeds(first, size) => (first, size),
            Trials::Job(job, machine) => {
                let scene = machine::scene(job, machine, units, stop)?;
                return Ok(Trial { scene, state: Box::new(of_job(job, last)), rounded: true });
            }
        };
        let (seed, source, (width, height)) =
            (first.wrapping_add(n as u64), SOURCES[n].clone(), size);
        Ok(match source {
            Source::Range(ref range) | Source::NoConstants(ref range) => {
                let sample = Sample { seed, width, height, range: range.clone() };
                let data = |what| match what {
                    Datum::Input(n) => {
                        plane(&bits(&sample.varying(n.into())), 0..=width - 1, 0..=height - 1)
                    }
                    Datum::Texture(n) => sample.texture(n.into()),
                };
                let scene = machine::sampled(logged, size, units, &data, stop)?;
                let state = move |index: u16, channel| match source {
                    Source::Range(_) => {
                        sample.constant(index.into())[usize::from(channel)].to_bits()
                    }
                    _ => 0,
                };
                Trial { scene, state: Box::new(state), rounded: true }
            }
            Source::Small(low, high, places) => {
                let range = (low, high, places);
                let points = width as usize * height as usize;
                let data = |what| {
                    let (kind, n) = match what {
                        Datum::Input(n) => (1, n),
                        Datum::Texture(n) => (2, n),
                    };
                    small(range, [seed, kind, n.into()], points)
                };
                let scene = machine::sampled(logged, size, units, &data, stop)?;
                let state = move |index: u16, channel| {
                    small(range, [seed, 0, index.into()], 1)[0][usize::from(channel)]
                };
                Trial { scene, state: Box::new(state), rounded: false }
            }
        })
    }
}

/// The constants of a job, which have the numbers of the machine code.
fn of_job<'a>(job: &'a Job, last: Option<&Table>) -> impl Fn(u16, u8) -> u32 + 'a {
    let numbers: BTreeMap<(u16, u8), (u16, u8)> = last
        .into_iter()
        .flatten()
        .filter_map(|(&place, known)| match known {
            Known::State(index, channel) => Some(((*index, *channel), place)),
            Known::Bits(_) | Known::Printed(_) => None,
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
