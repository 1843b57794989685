//! A counterexample on the engine `block`: both programs run with the inputs that their terms had.

use super::{Counterexample, Difference, Set};
use ctm_isa::float;
use ctm_isa::isa::LETTERS;
use ctm_jobs::job::Problem;
use ctm_jobs::job::write::launch::{self, Expected, Exported};
use ctm_lang::program::Program;
use ctm_machine::engine::block::Block;
use ctm_machine::engine::{Engine, Faults, NoProgress};
use ctm_machine::launch::{Constants, Domain, Initial, IntConstant, Launch};
use ctm_machine::memory::{
    ArenaKind, ArenaSizes, Format, Memory, Surface, read_array, write_array,
};
use ctm_prove::evaluate::{Inputs, POINTS, SIZE, Sample};
use ctm_prove::term::Input;
use ctm_prove::{Float, Setup, Start};
use std::path::Path;
use std::sync::Arc;

/// The bits of outputs before a launch. A result that has them is not shown.
const UNTOUCHED: u32 = 0x7fda_dada;

/// A counterexample that the engine `block` confirms.
pub struct Shown {
    /// Column and row of the point.
    pub point: [u32; 2],
    /// The bits of A's and B's result; `None`: not written. By the rules `values` those of the terms can have other
    /// signs of zero.
    pub bits: [Option<u32>; 2],
    place: String,
    sides: [Side; 2],
}

/// A program's run.
struct Side {
    launch: Launch,
    before: Memory,
    after: Memory,
}

impl Shown {
    /// Runs both programs. `None`: their results are not those of the terms, or they are neither in an output nor the
    /// number of an uncached write.
    pub(super) fn new(
        programs: &[Arc<Program>; 2],
        setups: &[Setup; 2],
        of: &Difference,
        at: &Counterexample,
        set: Set,
    ) -> Option<Shown> {
        let sample = Sample { seed: at.seed, hard: at.hard };
        let side = |n: usize| Side::run(&programs[n], &setups[n], &sample);
        let (point, place) = (point(&sample, at.point), of.place.clone());
        let mut shown = Shown { point, bits: [None; 2], place, sides: [side(0)?, side(1)?] };
        shown.bits = shown.found(at.bits, set)?;
        Some(shown)
    }

    /// The results that the runs left side by side, if they are these.
    fn found(&self, bits: [Option<u32>; 2], set: Set) -> Option<[Option<u32>; 2]> {
        let is = |found: u32, wanted: Option<u32>| match wanted {
            None => found == UNTOUCHED,
            Some(wanted) => {
                let zeros = [found, wanted].iter().all(|bits| float::abs(*bits) == 0);
                found != UNTOUCHED && (found == wanted || set == Set::Values && zeros)
            }
        };
        let uncached = self.sides.each_ref().map(|side| side.launch.program.umrt());
        let element = (self.point[1] * SIZE + self.point[0]) as usize;
        let is_place = |slot: usize, n: usize| match uncached {
            [false, false] => {
                n / 4 == element && self.place == format!("o{slot}.{}", LETTERS[n % 4])
            }
            // Anywhere.
            [true, true] => self.place.starts_with("uncached") && self.place.ends_with("channel r"),
            _ => false,
        };
        (0..4).find_map(|slot| {
            let [a, b] = self.sides.each_ref().map(|side| side.output(slot));
            let mut pairs = a.into_iter().zip(b).enumerate();
            let is_this = |&(n, (a, b)): &(usize, (u32, u32))| {
                is(a, bits[0]) && is(b, bits[1]) && is_place(slot, n)
            };
            let (_, (a, b)) = pairs.find(is_this)?;
            Some([a, b].map(|bits| (bits != UNTOUCHED).then_some(bits)))
        })
    }

    /// Writes the runs as jobs, in the folders `a` and `b` of a folder.
    ///
    /// # Errors
    /// The first file that cannot be written.
    pub fn write(&self, folder: &Path) -> Result<[Exported; 2], Problem> {
        let write = |n: usize| {
            let Side { launch, before, after } = &self.sides[n];
            let name = ["a", "b"][n];
            let about = format!("counterexample of a proof, {name}: {} differs", self.place);
            let faults = &Faults::default();
            let expected = Expected { memory: after, faults, shared: None };
            launch::write(&folder.join(name), &about, launch, before, None, Some(expected))
        };
        Ok([write(0)?, write(1)?])
    }
}

/// Column and row of a point of the quad.
fn point(sample: &Sample, n: usize) -> [u32; 2] {
    [0, 1].map(|axis| f32::from_bits(sample.input(Input::Point(axis), n)) as u32)
}

impl Side {
    /// `None`: no memory, or it cannot run without a fault.
    fn run(program: &Arc<Program>, setup: &Setup, sample: &Sample) -> Option<Side> {
        let mut launch = Launch::alike(Arc::clone(program), SIZE, SIZE)?;
        let [[i0, j0], [i1, j1]] = [0, POINTS - 1].map(|n| point(sample, n));
        launch.domain = Domain { i0, j0, i1, j1 };
        launch.constants = Arc::new(constants(setup, sample));
        launch.initial = setup
            .start
            .iter()
            .map(|&(temp, start)| {
                let value = |n: usize| match start {
                    Start::Bits(bits) => bits,
                    Start::Data(data) => {
                        [0, 1, 2, 3].map(|channel| sample.input(Input::Data(data, channel), n))
                    }
                };
                Initial { temp, data: Arc::new((0..POINTS).map(value).collect()) }
            })
            .collect();
        let sizes = ArenaSizes { gpu: 2 << 20, gpub: 0, sys: 0, sysc: 0 };
        let [mut before, mut after] = [Memory::new(&sizes).ok()?, Memory::new(&sizes).ok()?];
        let base = before.base(ArenaKind::Gpu);
        let write = |memory: &mut Memory, surface: &Surface, units: &[u32]| {
            write_array(memory, surface, SIZE, SIZE, units).ok()
        };
        for (surface, n) in launch.inputs.iter_mut().zip(setup.surfaces) {
            let Some(surface) = surface else { continue };
            surface.base += base;
            let texels: Vec<u32> = (0..SIZE * SIZE)
                .flat_map(|texel| {
                    let at = [texel % SIZE, texel / SIZE].map(|place| (place as f32).to_bits());
                    sample.texel(n, true, at, 0)
                })
                .collect();
            [&mut before, &mut after].into_iter().try_for_each(|m| write(m, surface, &texels))?;
        }
        for surface in launch.outputs.iter_mut().flatten() {
            surface.base += base;
            if program.umrt() {
                surface.format = Format::Float32x1;
            }
            let count = SIZE * SIZE * surface.format.channels();
            let units = vec![UNTOUCHED; count as usize];
            [&mut before, &mut after].into_iter().try_for_each(|m| write(m, surface, &units))?;
        }
        let outcome = Block::new().run(&launch, &mut after, &NoProgress).ok()?;
        outcome.faults.is_empty().then_some(Side { launch, before, after })
    }

    /// The numbers of an output, row by row.
    fn output(&self, slot: usize) -> Vec<u32> {
        let surface = self.launch.outputs[slot].as_ref();
        let units = surface.and_then(|surface| read_array(&self.after, surface, SIZE, SIZE).ok());
        units.unwrap_or_else(|| vec![UNTOUCHED; (SIZE * SIZE * 4) as usize])
    }
}

/// The constants of a program, with those of the sample where they are unknown.
fn constants(setup: &Setup, sample: &Sample) -> Constants {
    let mut constants = Constants::default();
    for (to, from) in constants.float.iter_mut().zip(&setup.floats) {
        *to = from.map(|float| match float {
            Float::Bits(bits) => bits,
            Float::Constant(n, channel) => sample.input(Input::Constant(n, channel), 0),
            Float::Uniform(n, kind) => sample.input(Input::Uniform(n, kind), 0),
        });
    }
    for (to, from) in constants.int.iter_mut().zip(&setup.ints) {
        let (count, start, step) = from.unwrap_or_default();
        *to = IntConstant { count, start, step };
    }
    for (n, bool) in setup.bools.iter().enumerate() {
        constants.bool |= u32::from(*bool == Some(true)) << n;
    }
    constants
}
