//! A job for a program without one: varyings, inputs and constants come from a seed.
//!
//! The same seed gives the same data on every machine. All numbers are multiples of 1/1024, so that a
//! job file holds them exactly.

pub use super::values::plane;
use super::{Buffer, Content, FileLocation, Job, JobSharing, Pass, Pictures, Role, shader};
use ctm_base::random::{STEP, mix};
use ctm_lang::program::{ConstantKind, Program};
use ctm_machine::launch::{Constants, Domain, FloatMode, Initial, IntConstant, Limits};
use ctm_machine::memory::{Format, Surface, Tiling, Wrap};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Settings of made-up data.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Different seeds give different data.
    pub seed: u64,
    /// Columns of the domain and of textures.
    pub width: u32,
    /// Their rows.
    pub height: u32,
    /// Varyings and constants lie in this range; multiples of 1/1024.
    pub range: Range<f32>,
}

/// A value for each point, linear over the domain: channels at point (0, 0), their step to the next
/// column, and to the next row. A rasteriser gives such values.
pub type Plane = [[f32; 4]; 3];

/// Numbers in units of 1/1024.
const UNIT: f32 = 1.0 / 1024.0;

impl Sample {
    /// A random number, the same for the same arguments.
    fn bits(&self, what: u64, n: u64, channel: u64) -> u64 {
        let all = self.seed ^ what << 56 ^ n << 8 ^ channel;
        mix(all.wrapping_mul(STEP).wrapping_add(STEP))
    }

    /// A number in a range.
    fn number(&self, what: u64, n: u64, channel: u64, range: &Range<f32>) -> f32 {
        let share = (self.bits(what, n, channel) >> 40) as f32 / (1u64 << 24) as f32;
        range.start + (share * (range.end - range.start) / UNIT).floor() * UNIT
    }

    /// Varying `n`. In each direction, each channel goes from one number of the range to another.
    pub fn varying(&self, n: u32) -> Plane {
        let number = |what, channel| self.number(what, n.into(), channel, &self.range);
        let step = |what, channel, size: u32| {
            let unit = (number(what, channel) - number(1, channel)) / size as f32 / UNIT;
            // At least one unit, so that points differ.
            (if unit.abs() < 1.0 { unit.signum() } else { unit.round() }) * UNIT
        };
        let channels = [0, 1, 2, 3];
        [
            channels.map(|channel| number(1, channel)),
            channels.map(|channel| step(2, channel, self.width)),
            channels.map(|channel| step(3, channel, self.height)),
        ]
    }

    /// Float constant `n`.
    pub fn constant(&self, n: u32) -> [f32; 4] {
        [0, 1, 2, 3].map(|channel| self.number(4, n.into(), channel, &self.range))
    }

    /// Texture `n`, row by row: numbers from 0 to 1.
    pub fn texture(&self, n: u32) -> Vec<[u32; 4]> {
        let texels = u64::from(self.width) * u64::from(self.height);
        let texel = |at| {
            let number = |channel| self.number(5 + u64::from(n), at, channel, &(0.0..1.0));
            [0, 1, 2, 3].map(|channel| number(channel).to_bits())
        };
        (0..texels).map(texel).collect()
    }
}

impl Job {
    /// A job of one launch: the program over a domain of `sample`'s size, from point (0, 0) on. It has
    /// every input, output and constant that the program uses, and varyings in the temporaries
    /// `varyings`; outputs are FLOAT32_4, those of uncached writes FLOAT32_1. Constants that come with the program keep their values.
    /// Integer constants count 255 iterations, as Mesa's driver sets them.
    pub fn of_program(program: Arc<Program>, file: &Path, sample: &Sample, varyings: &[u8]) -> Job {
        let uses = program.uses();
        let literals = &program.image().literals;
        let mut constants = Constants::with_literals(literals);
        let given = |kind, n: u32| literals.iter().any(|l| l.kind == kind && l.addr == n);
        for n in uses.constants(ConstantKind::Float) {
            if !given(ConstantKind::Float, n) {
                constants.float[n as usize] = sample.constant(n).map(f32::to_bits);
            }
        }
        for n in uses.constants(ConstantKind::Int) {
            if !given(ConstantKind::Int, n) {
                constants.int[n as usize] = IntConstant { count: 255, start: 0, step: 0 };
            }
        }
        let domain = Domain { i0: 0, j0: 0, i1: sample.width - 1, j1: sample.height - 1 };
        let mut pass = Pass::new(
            Arc::clone(&program),
            file.into(),
            domain,
            Arc::new(constants),
            FileLocation::default(),
        );
        for &temp in varyings {
            let data = plane(&bits(&sample.varying(temp.into())), 0..=domain.i1, 0..=domain.j1);
            pass.initial.push(Initial { temp, data: Arc::new(data) });
        }
        // Uncached writes are single floats.
        let output = if program.umrt() { Format::Float32x1 } else { Format::Float32x4 };
        let buffer = |name, role, format, content| Buffer {
            name,
            role,
            format,
            tiling: Tiling::Linear,
            width: sample.width,
            height: sample.height,
            pitch: Surface::new(0, 0, 0, Tiling::Linear, format).default_pitch(sample.width),
            address: None,
            wrap: Wrap::Repeat,
            content,
            of_picture: false,
            save: None,
            pictures: Pictures::default(),
            location: FileLocation::default(),
        };
        let mut buffers = Vec::new();
        // A shader may use only the size of an input.
        let samplers = program.image().interface.iter().flat_map(|shader| &shader.samplers);
        let sampled = samplers.filter(|sampler| sampler.used);
        let inputs = sampled.fold(uses.inputs, |inputs, sampler| inputs | 1 << sampler.input);
        for slot in (0..16).filter(|slot| inputs >> slot & 1 != 0) {
            let texels = sample.texture(slot).concat();
            pass.inputs.push((slot, buffers.len()));
            let content = Content::Array(Arc::new(texels));
            let (name, role) = (format!("input {slot}"), Role::Input(slot));
            buffers.push(buffer(name, role, Format::Float32x4, content));
        }
        for slot in (0..4).filter(|slot| uses.outputs >> slot & 1 != 0) {
            pass.outputs.push((slot, buffers.len()));
            let (name, role) = (format!("output {slot}"), Role::Output(slot));
            buffers.push(buffer(name, role, output, Content::Zero));
        }
        shader::sensible(&mut pass, &buffers);
        Job {
            file: file.into(),
            about: String::new(),
            mode: FloatMode::Exact,
            limits: Limits::default(),
            buffers,
            sharing: JobSharing::of_program(&program, &FileLocation::default()),
            passes: vec![pass],
            expects: Vec::new(),
            warnings: Vec::new(),
            compile: None,
        }
    }
}

/// The bits of a plane's numbers.
pub fn bits(plane: &Plane) -> [[u32; 4]; 3] {
    plane.map(|part| part.map(f32::to_bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: Sample = Sample { seed: 1, width: 16, height: 8, range: -2.0..2.0 };

    #[test]
    fn data_depend_on_the_seed_and_lie_in_the_range() {
        let other = Sample { seed: 2, ..SAMPLE };
        assert_ne!(SAMPLE.varying(0), other.varying(0));
        assert_ne!(SAMPLE.varying(0), SAMPLE.varying(1));
        assert_ne!(SAMPLE.constant(0), SAMPLE.constant(1));
        assert_ne!(SAMPLE.texture(0), SAMPLE.texture(1));
        let numbers = (0..256).flat_map(|n| SAMPLE.constant(n));
        assert!(numbers.clone().all(|x| x.abs() <= 2.0 && (x * 1024.0).fract() == 0.0));
        assert!(numbers.clone().any(|x| x > 1.5) && numbers.clone().any(|x| x < -1.5));
        assert_eq!(SAMPLE.texture(3).len(), 128);
        let texels = SAMPLE.texture(3).into_iter().flatten().map(f32::from_bits);
        assert!(texels.clone().all(|x| (0.0..=1.0).contains(&x)));
        assert!(texels.clone().any(|x| x < 0.1) && texels.clone().any(|x| x > 0.9));
    }

    #[test]
    fn a_plane_is_linear_from_point_0_0_on() {
        let parts = [[1.0; 4], [0.5, 0.0, -1.0, 2.0], [0.0, 10.0, 0.0, 0.0]];
        let values = plane(&bits(&parts), 2..=3, 1..=2);
        let numbers = values.iter().map(|value| value.map(f32::from_bits)).collect::<Vec<_>>();
        assert_eq!(
            numbers,
            [
                [2.0, 11.0, -1.0, 5.0],
                [2.5, 11.0, -2.0, 7.0],
                [2.0, 21.0, -1.0, 5.0],
                [2.5, 21.0, -2.0, 7.0],
            ]
        );
    }
}
