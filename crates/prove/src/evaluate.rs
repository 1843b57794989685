//! Evaluates terms on given inputs, with the functions of the table of operations.

use crate::cond::Cond;
use crate::term::{Id, Input, Node, Terms, signed};
use ctm_base::random::Random;
use ctm_isa::float;
use ctm_isa::ops::Calc;
use ctm_lang::program::interface::Kind;
use std::collections::HashMap;

/// The points of a quad: top-left, top-right, bottom-left, bottom-right.
pub const POINTS: usize = 4;

/// The inputs of points. Points 4 n to 4 n + 3 are a quad.
pub trait Inputs {
    /// The bits of an input at a point.
    fn input(&self, input: Input, point: usize) -> u32;
    /// The texel of a surface that a point fetches at S, T.
    fn texel(&self, surface: u32, unscaled: bool, at: [u32; 2], point: usize) -> [u32; 4];
}

/// The value of a term at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Its bits. `None`: nothing is written.
    pub bits: Option<u32>,
    /// Whether it depends on a NaN, an infinity, a denormal or a product that was flushed. Then
    /// `values` says nothing about it.
    pub odd: bool,
}

impl Value {
    fn number(self) -> u32 {
        self.bits.unwrap_or(0)
    }
}

/// Values of terms at some points.
pub struct Values<'a> {
    terms: &'a Terms,
    inputs: &'a dyn Inputs,
    points: usize,
    known: HashMap<Id, Vec<Value>>,
}

impl<'a> Values<'a> {
    /// No values yet.
    pub fn new(terms: &'a Terms, inputs: &'a dyn Inputs, quads: usize) -> Values<'a> {
        Values { terms, inputs, points: quads * POINTS, known: HashMap::new() }
    }

    /// The values of a term, by point.
    pub fn of(&mut self, id: Id) -> &[Value] {
        let mut open = vec![id];
        while let Some(&id) = open.last() {
            if self.known.contains_key(&id) {
                open.pop();
                continue;
            }
            let node = self.terms.node(id);
            let mut needs = Terms::operands(&node);
            if let Node::Choose(atom, ..) = node {
                needs.push(self.terms.conds.atom(atom).1);
            }
            needs.retain(|id| !self.known.contains_key(id));
            if needs.is_empty() {
                let values = (0..self.points).map(|point| self.step(node, point)).collect();
                self.known.insert(id, values);
                open.pop();
            } else {
                open.extend(needs);
            }
        }
        &self.known[&id]
    }

    /// The truth of a condition at each point.
    pub fn holds(&mut self, cond: Cond) -> Vec<bool> {
        let truth = |terms: &mut Values<'_>, point: usize| {
            let mut cond = cond;
            while cond != Cond::TRUE && cond != Cond::FALSE {
                let (atom, yes, no) = terms.terms.conds.split(cond);
                let (check, id) = terms.terms.conds.atom(atom);
                cond = if check.holds(terms.of(id)[point].number()) { yes } else { no };
            }
            cond == Cond::TRUE
        };
        (0..self.points).map(|point| truth(self, point)).collect()
    }

    fn step(&self, node: Node, point: usize) -> Value {
        let of = |id: Id, point: usize| self.known[&id][point];
        let (bits, odd) = match node {
            Node::Absent => return Value { bits: None, odd: false },
            Node::Literal(bits) => (bits, false),
            Node::Input(input) => (self.inputs.input(input, point), false),
            Node::Sign(modifier, a) => {
                let a = of(a, point);
                (signed(modifier, a.number()), a.odd)
            }
            Node::Quad(n, a) => return of(a, point / POINTS * POINTS + usize::from(n)),
            Node::Choose(atom, yes, no) => {
                let (check, id) = self.terms.conds.atom(atom);
                let checked = of(id, point);
                let chosen = of(if check.holds(checked.number()) { yes } else { no }, point);
                return Value { odd: checked.odd || chosen.odd, ..chosen };
            }
            Node::Texel { surface, unscaled, channel, at } => {
                let [s, t] = at.map(|id| of(id, point));
                let at = [s.number(), t.number()];
                let texel = self.inputs.texel(surface, unscaled, at, point);
                (texel[usize::from(channel & 3)], s.odd || t.odd)
            }
            Node::Calc(calc, aux, operands) => {
                let facts = calc.facts();
                let mut all = [Value { bits: Some(0), odd: false }; 4];
                for (value, id) in all.iter_mut().zip(operands).take(facts.operands) {
                    *value = of(id, point);
                }
                let used = &all[..facts.operands];
                let bits = (facts.exact)(all.map(Value::number), aux);
                let tiny = matches!(calc, Calc::Product | Calc::Finish)
                    && float::is_zero(bits)
                    && used.iter().all(|operand| !float::is_zero(operand.number()));
                (bits, tiny || used.iter().any(|operand| operand.odd))
            }
        };
        let special = float::abs(bits) >= float::INFINITY;
        let denormal = float::is_zero(bits) && float::abs(bits) != 0;
        Value { bits: Some(bits), odd: odd || special || denormal }
    }
}

/// The columns and the rows of the surfaces of a [`Sample`], which fetches clamp to.
pub const SIZE: u32 = 64;

/// Random inputs: those of quad n are the same for the same `seed` + n.
pub struct Sample {
    /// The seed of quad 0.
    pub seed: u64,
    /// Whether all bit patterns occur; else only numbers of ordinary size.
    pub hard: bool,
}

impl Sample {
    fn random(&self, point: usize, key: [u64; 3]) -> Random {
        let quad = (point / POINTS) as u64;
        Random::new(&[self.seed.wrapping_add(quad), key[0], key[1], key[2]])
    }

    fn bits(&self, mut random: Random) -> u32 {
        if self.hard {
            return random.hard();
        }
        // Small numbers with short fractions meet the borders of comparisons.
        match random.below(3) {
            0 => (random.range(0, 32) as f32 / 8.0 - 2.0).to_bits(),
            1 => (random.range(0, 4096) as f32 / 4096.0).to_bits(),
            _ => random.bits() & (float::SIGN | float::FRACTION) | random.range(123, 130) << 23,
        }
    }
}

impl Inputs for Sample {
    fn input(&self, input: Input, point: usize) -> u32 {
        let place = (point % POINTS) as u64;
        match input {
            Input::Data(n, channel) => {
                self.bits(self.random(point, [n.into(), channel.into(), place]))
            }
            Input::Unknown(n) => self.bits(self.random(point, [1 << 44, n.into(), place])),
            // The same for all points.
            Input::Constant(n, channel) => {
                self.bits(self.random(point, [1 << 40, n.into(), channel.into()]))
            }
            Input::Uniform(n, kind) => {
                let mut random = self.random(point, [1 << 43, n.into(), 0]);
                match kind {
                    Kind::Float => self.bits(random),
                    Kind::Int if self.hard && random.chance(20) => {
                        let most = Kind::LARGEST_INT;
                        (random.below(2 * most as u32 + 1) as f32 - most as f32).to_bits()
                    }
                    Kind::Int => (random.below(17) as f32 - 8.0).to_bits(),
                    Kind::Bool => f32::from(random.chance(50)).to_bits(),
                }
            }
            Input::Point(n) => {
                let base = self.random(point, [1 << 42, n.into(), 0]).below(32) * 2;
                let offset = if n == 0 { place & 1 } else { place >> 1 };
                ((base + offset as u32) as f32).to_bits()
            }
        }
    }

    fn texel(&self, surface: u32, unscaled: bool, at: [u32; 2], point: usize) -> [u32; 4] {
        let size = (SIZE as f32).to_bits();
        let [x, y] = at.map(|coordinate| {
            let coordinate = float::ftz(coordinate);
            let scaled = if unscaled { coordinate } else { float::mul(coordinate, size, false) };
            float::texel_index(scaled).clamp(0, SIZE as i32 - 1) as u64
        });
        std::array::from_fn(|channel| {
            let key = [(1 << 41) + u64::from(surface), x << 8 | y, channel as u64];
            let mut random = self.random(point, key);
            if self.hard {
                return self.bits(random);
            }
            (random.below(256) as f32 / 255.0).to_bits()
        })
    }
}
