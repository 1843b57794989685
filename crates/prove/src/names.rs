//! The surroundings of two shaders: inputs of equal names are the same for both.

use crate::machine::{Float, Setup, Start};
use ctm_lang::program::Program;
use ctm_lang::program::interface::{INVOCATION, Interface, Kind, Scalar};
use std::collections::HashMap;
use std::hash::Hash;

/// Numbers for values, from 0 on: equal values have equal numbers.
pub struct Numbers<T>(HashMap<T, u32>);

impl<T: Eq + Hash> Numbers<T> {
    /// The number of a value: the next one if the value is new.
    pub fn of(&mut self, value: T) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(value).or_insert(next)
    }
}

impl<T> Default for Numbers<T> {
    fn default() -> Numbers<T> {
        Numbers(HashMap::new())
    }
}

/// A number that a job gives.
#[derive(PartialEq, Eq, Hash)]
enum Given<'a> {
    Uniform(&'a str, usize),
    /// The size of a sampler's surface, or of an output.
    Size(&'a str, Scalar),
}

impl<'a> Given<'a> {
    fn of(scalar: Scalar, interface: &'a Interface) -> Given<'a> {
        match scalar {
            Scalar::Uniform(n, component) => {
                let name = interface.uniforms.get(n).map_or("", |uniform| &uniform.name);
                Given::Uniform(name, component)
            }
            Scalar::Size(input, axis) => {
                let sampler = interface.samplers.iter().find(|sampler| sampler.input == input);
                // The axis alone: the input may be another one in the other shader.
                let name = sampler.map_or("", |sampler| &sampler.name);
                Given::Size(name, Scalar::Size(0, axis))
            }
            Scalar::OutputSize(..) => Given::Size("", scalar),
        }
    }
}

impl Setup {
    /// The surroundings of two shaders: uniforms, varyings and samplers of one name are the same, with unknown values.
    /// `None` if one of the programs has no interface.
    pub fn by_name(programs: [&Program; 2]) -> Option<[Setup; 2]> {
        let [Some(a), Some(b)] = programs.map(|program| program.image().interface.as_ref()) else {
            return None;
        };
        let (mut scalars, mut varyings, mut samplers) =
            (Numbers::default(), Numbers::default(), Numbers::default());
        Some([(programs[0], a), (programs[1], b)].map(|(program, interface)| {
            let mut setup = Setup::of(program);
            for constant in &interface.constants {
                let n = scalars.of(Given::of(constant.scalar, interface));
                setup.names.uniforms.insert(n, interface.name_of(constant.scalar));
                if let Some(float) = setup.floats.get_mut(usize::from(constant.addr)) {
                    let kind = match constant.scalar {
                        Scalar::Uniform(n, _) => {
                            interface.uniforms.get(n).map_or(Kind::Float, |uniform| uniform.kind)
                        }
                        Scalar::Size(..) | Scalar::OutputSize(..) => Kind::Int,
                    };

                    float[usize::from(constant.channel & 3)] = Float::Uniform(n, kind);
                }
            }
            // The place of a point is in temporary 0 anyway.
            for varying in interface.varyings.iter().filter(|varying| varying.name != INVOCATION) {
                let data = varyings.of(varying.name.as_str());
                setup.start.extend(varying.temp.map(|temp| (temp, Start::Data(data))));
            }
            for sampler in &interface.samplers {
                let surface = samplers.of(sampler.name.as_str());
                if let Some(to) = setup.surfaces.get_mut(usize::from(sampler.input)) {
                    *to = surface;
                }
            }
            setup.name(interface);
            setup
        }))
    }

    /// The surroundings of two programs of one shader. An output that only one of them writes has any value: no store to it
    /// is reached, so it does not count.
    pub fn of_one_shader(mut setups: [Setup; 2], programs: [&Program; 2]) -> [Setup; 2] {
        let written = programs[0].uses().outputs & programs[1].uses().outputs;
        for observed in setups.iter_mut().map(|setup| &mut setup.observed) {
            for (slot, channels) in observed.iter_mut().enumerate() {
                *channels *= written >> slot & 1;
            }
        }
        setups
    }

    /// Names its data and surfaces as the shader does that has this interface.
    pub fn name(&mut self, interface: &Interface) {
        for &(temp, start) in &self.start {
            let varying = interface.varyings.iter().find(|varying| varying.temp == Some(temp));
            if let (Start::Data(n), Some(varying)) = (start, varying) {
                self.names.data.entry(n).or_insert_with(|| varying.name.clone());
            }
        }
        for sampler in &interface.samplers {
            if let Some(&n) = self.surfaces.get(usize::from(sampler.input)) {
                self.names.surfaces.entry(n).or_insert_with(|| sampler.name.clone());
            }
        }
    }
}
