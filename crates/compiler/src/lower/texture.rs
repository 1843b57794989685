//! Fetches.

use super::{Refused, Value, Walker};
use ctm_codegen::graph::{Fetch, Id, Op};
use ctm_glsl::{Detail, Texture};
use ctm_isa::arithmetic::Arithmetic;
use ctm_lang::program::interface::Scalar;
use std::rc::Rc;

impl Walker<'_, '_> {
    /// Notes something once.
    pub(super) fn note(&mut self, text: &str) {
        if !self.notes.iter().any(|(_, note)| note == text) {
            self.notes.push((self.span, text.to_string()));
        }
    }

    /// A call of a function on a sampler of GLSL.
    pub(super) fn sampling(
        &mut self,
        texture: Texture,
        values: &[Value],
    ) -> Result<Vec<Id>, Refused> {
        let scalars: Vec<Rc<[Id]>> = values
            .iter()
            .filter_map(|value| match value {
                Value::Scalars(scalars) => Some(scalars.clone()),
                _ => None,
            })
            .collect();
        let Some(unit) = scalars.first().and_then(|sampler| self.graph.value(sampler[0])) else {
            return Err(Refused::unknown_sampler(self.span));
        };
        let image = unit as u8;
        if self.interface.samplers.len() <= image.into() {
            return self.refuse("this sampler is no uniform");
        }
        let pair = |n: usize| [scalars[n][0], scalars[n][1]];
        Ok(match texture {
            Texture::Size => self.texture_size(image).to_vec(),
            Texture::Fetch { offset } => {
                let mut at = pair(1);
                if offset {
                    at = self.moved(at, pair(scalars.len() - 1));
                }
                self.element(image, at)
            }
            Texture::Sample { projected, unscaled, offset, detail } => {
                let next = match detail {
                    Detail::None | Detail::Bias => 2,
                    Detail::Level => 3,
                    Detail::Gradients => 4,
                };
                let has_effect = match detail {
                    Detail::None => false,
                    Detail::Bias => true,
                    Detail::Level | Detail::Gradients => !self.graph.is(scalars[2][0], 0.0),
                };
                if has_effect {
                    self.note(
                        "the machine has no levels of detail: biases, levels and gradients have no effect",
                    );
                }
                let mut at = pair(1);
                if projected {
                    let divisor = scalars[1][scalars[1].len() - 1];
                    if !offset && !self.linear[image as usize] {
                        let fetch = Fetch { input: image, unscaled, projected: true };
                        return Ok(self.fetch(fetch, &[at[0], at[1], divisor]));
                    }
                    let rcp = self.graph.rcp(divisor);
                    at = at.map(|axis| self.graph.mul(axis, rcp));
                }
                if !offset {
                    return Ok(self.sample(image, at, unscaled));
                }
                let offset = pair(next);
                if unscaled {
                    at = self.moved(at, offset);
                    return Ok(self.sample(image, at, true));
                }
                self.offset_fetch(image, at, offset)
            }
        })
    }

    fn moved(&mut self, at: [Id; 2], by: [Id; 2]) -> [Id; 2] {
        [0, 1].map(|axis| self.graph.add(at[axis], by[axis]))
    }

    fn fetch(&mut self, fetch: Fetch, coordinates: &[Id]) -> Vec<Id> {
        self.interface.samplers[fetch.input as usize].used = true;
        self.graph.vector(coordinates);
        let fetch = self.graph.intern(Op::Fetch(fetch), coordinates);
        let texel: Vec<Id> = (0..4).map(|n| self.graph.intern(Op::Texel(n), &[fetch])).collect();
        self.graph.vector(&texel);
        texel
    }

    /// The width and the height of an input.
    pub(super) fn texture_size(&mut self, image: u8) -> [Id; 2] {
        self.interface.samplers[image as usize].used = true;
        [0, 1].map(|axis| {
            let scalar = self.interface.scalar(Scalar::Size(image, axis));
            self.graph.intern(Op::Uniform(scalar), &[])
        })
    }

    /// The element at whole coordinates.
    pub(super) fn element(&mut self, image: u8, coordinate: [Id; 2]) -> Vec<Id> {
        self.fetch(Fetch { input: image, unscaled: true, projected: false }, &coordinate)
    }

    /// A sample of an input: the nearest element, or between four.
    pub(super) fn sample(&mut self, image: u8, coordinate: [Id; 2], unscaled: bool) -> Vec<Id> {
        if !self.linear[image as usize] {
            return self.fetch(Fetch { input: image, unscaled, projected: false }, &coordinate);
        }
        let at = if unscaled { coordinate } else { self.elements(image, coordinate) };
        self.interpolated(image, at)
    }

    /// Coordinates of an input in elements.
    fn elements(&mut self, image: u8, coordinate: [Id; 2]) -> [Id; 2] {
        let size = self.texture_size(image);
        [0, 1].map(|axis| self.graph.mul(coordinate[axis], size[axis]))
    }

    /// A sample at a distance in elements.
    pub(super) fn offset_fetch(
        &mut self,
        image: u8,
        coordinate: [Id; 2],
        offset: [Id; 2],
    ) -> Vec<Id> {
        let at = self.elements(image, coordinate);
        let at = self.moved(at, offset);
        if self.linear[image as usize] {
            self.interpolated(image, at)
        } else {
            self.element(image, at)
        }
    }

    /// The four elements around a place, weighted.
    fn interpolated(&mut self, image: u8, at: [Id; 2]) -> Vec<Id> {
        let half = self.graph.number(-0.5);
        let corner = at.map(|axis| self.graph.add(axis, half));
        let weight = corner.map(|axis| self.graph.frc(axis));
        // The middles of elements.
        let low = [0, 1].map(|axis| self.graph.sub(at[axis], weight[axis]));
        let one = self.graph.number(1.0);
        let high = low.map(|axis| self.graph.add(axis, one));
        let rows = [low[1], high[1]].map(|row| {
            let [left, right] = [low[0], high[0]].map(|column| self.element(image, [column, row]));
            self.mix(&left, &right, weight[0])
        });
        self.mix(&rows[0], &rows[1], weight[1])
    }

    fn mix(&mut self, from: &[Id], to: &[Id], weight: Id) -> Vec<Id> {
        from.iter().zip(to).map(|(from, to)| self.functions().lerp(*from, *to, weight)).collect()
    }
}
