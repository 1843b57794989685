//! Fetches.

use super::{Refused, Value, Walker};
use crate::glsl::PREFIX;
use crate::graph::{Fetch, Id, Op};
use ctm_functions::arithmetic::Arithmetic;
use ctm_lang::program::interface::Scalar;
use naga::{Function, TypeInner};
use std::rc::Rc;

impl Walker<'_, '_> {
    /// Notes something once.
    pub(super) fn note(&mut self, text: &str) {
        if !self.notes.iter().any(|(_, note)| note == text) {
            self.notes.push((self.span, text.to_string()));
        }
    }

    /// A call of a function on samplers of GLSL; `None` if it is another function.
    pub(super) fn sampling(
        &mut self,
        name: &str,
        function: &Function,
        values: &[Value],
    ) -> Result<Option<Vec<Id>>, Refused> {
        let own = name.strip_prefix(PREFIX).filter(|own| own.starts_with("te"));
        let Some(what) = own else { return Ok(None) };
        let scalars: Vec<Rc<[Id]>> = values
            .iter()
            .filter_map(|value| match value {
                Value::Scalars(scalars) => Some(scalars.clone()),
                _ => None,
            })
            .collect();
        let Some(unit) = scalars.first().and_then(|sampler| self.graph.value(sampler[0])) else {
            return self.refuse("which sampler this is must be known when the shader is compiled");
        };
        let image = unit as u8;
        if self.interface.samplers.len() <= image.into() {
            return self.refuse("this sampler is no uniform");
        }
        let first = &self.module.types[function.arguments[0].ty];
        let unscaled = first.name.as_deref() == Some("ctm_sampler2DRect");
        debug_assert!(matches!(first.inner, TypeInner::Struct { .. }));
        let pair = |n: usize| [scalars[n][0], scalars[n][1]];
        let ignored = |walker: &mut Self| {
            walker.note(
                "the machine has no levels of detail: biases, levels and gradients have no effect",
            );
        };
        let value = match what {
            "texture" => {
                if scalars.len() > 2 {
                    ignored(self);
                }
                self.sample(image, pair(1), unscaled)
            }
            "textureLod" | "textureGrad" => {
                if !self.graph.is(scalars[2][0], 0.0) {
                    ignored(self);
                }
                self.sample(image, pair(1), unscaled)
            }
            "textureProj" | "textureProjLod" => {
                if scalars.len() > 2 {
                    ignored(self);
                }
                let divisor = scalars[1][scalars[1].len() - 1];
                let [s, t] = pair(1);
                if self.linear[image as usize] {
                    let rcp = self.graph.rcp(divisor);
                    let coordinate = [s, t].map(|axis| self.graph.mul(axis, rcp));
                    self.sample(image, coordinate, unscaled)
                } else {
                    let fetch = Fetch { input: image, unscaled, projected: true };
                    self.fetch(fetch, &[s, t, divisor])
                }
            }
            "texelFetch" => self.element(image, pair(1)),
            "textureSize" => self.texture_size(image).to_vec(),
            "textureOffset" => self.offset_fetch(image, pair(1), pair(2)),
            _ => return Ok(None),
        };
        Ok(Some(value))
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
        let at = [0, 1].map(|axis| self.graph.add(at[axis], offset[axis]));
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
