//! The surroundings of two shaders: what has a name is the same for both.

use crate::machine::{Float, Setup, Start};
use ctm_lang::program::Program;
use ctm_lang::program::interface::{INVOCATION, Interface, Kind, Scalar};
use std::collections::HashMap;
use std::hash::Hash;

/// Numbers for names.
struct Numbers<T>(HashMap<T, u32>);

impl<T: Eq + Hash> Numbers<T> {
    fn of(&mut self, name: T) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(name).or_insert(next)
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
        let mut scalars = Numbers(HashMap::new());
        let (mut varyings, mut samplers) = (Numbers(HashMap::new()), Numbers(HashMap::new()));
        Some([(programs[0], a), (programs[1], b)].map(|(program, interface)| {
            let mut setup = Setup::of(program);
            for constant in &interface.constants {
                let n = scalars.of(Given::of(constant.scalar, interface));
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
            setup
        }))
    }
}
