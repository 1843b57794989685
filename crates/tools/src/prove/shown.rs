//! A counterexample on the engine `block`: both programs run with the inputs that their terms had.

use super::{Counterexample, Difference, Set};
use ctm_base::stop::Stop;
use ctm_isa::float;
use ctm_isa::isa::LETTERS;
use ctm_jobs::job::Problem;
use ctm_jobs::job::write::launch::{self, Expected, Exported};
use ctm_lang::program::Program;
use ctm_machine::engine::block::Block;
use ctm_machine::engine::{Engine, Faults};
use ctm_machine::launch::{Condition, Constants, Domain, Initial, IntConstant, Launch};
use ctm_machine::memory::{
    ArenaKind, ArenaSizes, Format, Memory, Surface, Tiling, read_array, write_array,
};
use ctm_prove::evaluate::{Inputs, POINTS, SIZE, Sample};
use ctm_prove::term::Input;
use ctm_prove::{CONDITIONAL, Float, KILLED, Setup, Start, UNCACHED};
use std::path::Path;
use std::sync::Arc;

/// The bits of outputs before a launch. A result that has them is not shown.
const UNTOUCHED: u32 = 0x7fda_dada;
/// The bits in the conditional buffer of a point that is not killed and has no conditional value.
const NO_VALUE: u32 = UNTOUCHED + 1;
/// The random inputs that are tried for uncached writes: many have addresses outside the surface.
const TRIES: u64 = 64;
/// The bytes of memory.
const MEMORY: u32 = 2 << 20;

/// A counterexample that the engine `block` confirms.
pub struct Shown {
    /// Column and row of the point; of uncached writes, those of the element.
    pub point: [u32; 2],
    /// The bits of A's and B's result; `None`: not written. By the rules `values` those of the terms can have other
    /// signs of zero. Of [`KILLED`]: 1 where the point is killed.
    pub bits: [Option<u32>; 2],
    /// The seed of the random input.
    pub seed: u64,
    /// The result.
    pub place: String,
    sides: [Side; 2],
}

/// A program's run.
struct Side {
    launch: Launch,
    before: Memory,
    after: Memory,
}

impl Shown {
    /// Runs both programs. `None`: their results are not those of the terms.
    pub(super) fn new(
        programs: &[Arc<Program>; 2],
        setups: &[Setup; 2],
        of: &Difference,
        at: &Counterexample,
        set: Set,
        stop: &Stop,
    ) -> Option<Shown> {
        let place = of.place.clone();
        let run = |seed: u64| {
            let sample = Sample { seed, hard: at.hard };
            let side = |n: usize| Side::run(&programs[n], &setups[n], &sample, &place, stop);
            let (point, place) = (point(&sample, at.point), place.clone());
            Some(Shown { point, bits: [None; 2], seed, place, sides: [side(0)?, side(1)?] })
        };
        if place.contains(UNCACHED) {
            let seeds = (0..TRIES).map(|n| at.seed.wrapping_add(n));
            return seeds.filter_map(run).find_map(Shown::scattered);
        }
        let mut shown = run(at.seed)?;
        shown.bits = shown.found(at.bits, set)?;
        Some(shown)
    }

    /// The first element that one of the programs writes and the other does not, or with another value.
    fn scattered(mut self) -> Option<Shown> {
        if !self.sides.iter().all(|side| side.launch.program.umrt()) {
            return None;
        }
        let [a, b] = self.sides.each_ref().map(|side| side.output(0));
        let element = (0..a.len()).find(|&n| a[n] != b[n])?;
        self.point = [element as u32 % SIZE, element as u32 / SIZE];
        self.bits = [a[element], b[element]].map(|bits| (bits != UNTOUCHED).then_some(bits));
        self.place = format!("an {UNCACHED}");
        Some(self)
    }

    /// The results that the runs left side by side, if they are these.
    fn found(&self, wanted: [Option<u32>; 2], set: Set) -> Option<[Option<u32>; 2]> {
        let element = (self.point[1] * SIZE + self.point[0]) as usize;
        let found = self.sides.each_ref().map(|side| match self.place.as_str() {
            CONDITIONAL => side.condition()[element],
            KILLED if side.condition()[element] == UNTOUCHED => float::ONE,
            KILLED => 0,
            // It has uncached writes only.
            _ if side.launch.program.umrt() => UNTOUCHED,
            place => {
                let is_this = |n: &usize| place == format!("o{}.{}", n / 4, LETTERS[n % 4]);
                let channel = (0..16).find(is_this);
                channel.map_or(UNTOUCHED, |n| side.output(n / 4)[4 * element + n % 4])
            }
        });
        let found = found.map(|bits| (bits != UNTOUCHED && bits != NO_VALUE).then_some(bits));
        let same = |(found, wanted): (Option<u32>, Option<u32>)| match (found, wanted) {
            (Some(found), Some(wanted)) if set == Set::Values => {
                found == wanted || [found, wanted].iter().all(|bits| float::abs(*bits) == 0)
            }
            (found, wanted) => found == wanted,
        };
        found.into_iter().zip(wanted).all(same).then_some(found)
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
    fn run(
        program: &Arc<Program>,
        setup: &Setup,
        sample: &Sample,
        place: &str,
        stop: &Stop,
    ) -> Option<Side> {
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
        let sizes = ArenaSizes { gpu: MEMORY.into(), gpub: 0, sys: 0, sysc: 0 };
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
        if [CONDITIONAL, KILLED].contains(&place) {
            let format = Format::Float32x1;
            let base = base + MEMORY - SIZE * SIZE * 4;
            let surface = Surface::new(base, SIZE, SIZE, Tiling::Linear, format);
            let units = vec![UNTOUCHED; (SIZE * SIZE) as usize];
            [&mut before, &mut after].into_iter().try_for_each(|m| write(m, &surface, &units))?;
            let buffer = Some(surface);
            launch.condition = Condition { buffer, value: NO_VALUE, ..Condition::default() };
        }
        let outcome = Block::new().run(&launch, &mut after, stop).ok()?;
        outcome.faults.is_empty().then_some(Side { launch, before, after })
    }

    /// The numbers of an output, row by row.
    fn output(&self, slot: usize) -> Vec<u32> {
        self.numbers(self.launch.outputs[slot].as_ref())
    }

    /// The numbers of the conditional buffer, row by row.
    fn condition(&self) -> Vec<u32> {
        self.numbers(self.launch.condition.buffer.as_ref())
    }

    fn numbers(&self, surface: Option<&Surface>) -> Vec<u32> {
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
