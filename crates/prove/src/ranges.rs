//! Ranges: bounds of the values of terms, for all inputs within given bounds.
//!
//! A [`Range`] is an interval of numbers with the facts of [`may`] that no interval says. The range of
//! a term follows from those of its operands by its operation (`step`); each side of a choice is
//! bounded again with what the comparison says about the value that it tests (`narrow`).

mod narrow;
mod step;
#[cfg(test)]
mod tests;

use crate::Undecided;
use crate::evaluate::Inputs;
use crate::facts;
use crate::term::{Id, Input, Node, Terms, may};
use ctm_base::stop::Stop;
use ctm_isa::float;
use ctm_isa::isa::Modifier;
use ctm_lang::program::interface::Kind;
use narrow::Assumed;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// Bounds of a value. Denormals count as zeros.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// No number is below: may be -Inf. Above `high` if the value is no number.
    low: f32,
    /// No number is above: may be Inf.
    high: f32,
    /// The bits of [`may`].
    may: u8,
}

/// All NaNs.
const NANS: u8 = may::NAN | may::ODD_NAN;

impl Range {
    /// No value.
    pub const NOTHING: Range = Range { low: f32::INFINITY, high: f32::NEG_INFINITY, may: 0 };
    /// All 32-bit values.
    pub const ANYTHING: Range =
        Range { low: f32::NEG_INFINITY, high: f32::INFINITY, may: may::ANYTHING };

    /// The numbers from `low` to `high`, both included and neither NaN, and what else `may` be: bits of
    /// [`may`] but those that the numbers decide.
    pub fn new(low: f32, high: f32, may: u8) -> Range {
        if low > high {
            return Range { may: may & NANS, ..Range::NOTHING };
        }
        // -0 is 0.
        let (low, high) = (low + 0.0, high + 0.0);
        let zeros = may::DENORMAL | may::MINUS_ZERO;
        let zeros = if low <= 0.0 && high >= 0.0 { zeros } else { 0 };
        let negative = if low < 0.0 { may::NEGATIVE } else { 0 };
        let large = if high > 1.0 { may::ABOVE_ONE } else { 0 };
        Range { low, high, may: may & (NANS | zeros) | negative | large }
    }

    /// The numbers from `low` to `high`, denormals included; -0 if `low` is negative.
    pub fn between(low: f32, high: f32) -> Range {
        let zeros = if low < 0.0 { may::MINUS_ZERO } else { 0 };
        Range::new(low, high, may::DENORMAL | zeros)
    }

    /// One value.
    pub fn of(bits: u32) -> Range {
        let may = facts::of_bits(bits);
        let number = f32::from_bits(float::ftz(bits));
        if number.is_nan() {
            Range { may, ..Range::NOTHING }
        } else {
            Range::new(number, number, may)
        }
    }

    /// The values of both.
    pub fn or(self, other: Range) -> Range {
        let (low, high) = (self.low.min(other.low), self.high.max(other.high));
        Range { low, high, may: self.may | other.may }
    }

    /// The values that are in both.
    pub fn and(self, other: Range) -> Range {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        Range::new(low, high, self.may & other.may)
    }

    /// The values after a sign modifier.
    pub fn signed(self, modifier: Modifier) -> Range {
        step::of_sign(modifier, self)
    }

    /// Whether a value is in it.
    pub fn contains(self, bits: u32) -> bool {
        let number = f32::from_bits(float::ftz(bits));
        facts::of_bits(bits) & !self.may == 0
            && (number.is_nan() || (self.low <= number && number <= self.high))
    }

    /// These bits if they are in it, else the nearest number; a NaN if it has no number.
    pub fn nearest(self, bits: u32) -> u32 {
        let number = f32::from_bits(float::ftz(bits));
        match self.numbers() {
            _ if self.contains(bits) => bits,
            // Also 0 for -0.
            Some((low, high)) if !number.is_nan() => (number.max(low).min(high) + 0.0).to_bits(),
            Some((low, _)) => low.to_bits(),
            None if self.may & may::NAN != 0 => float::CANONICAL_NAN,
            None => float::INFINITY | 1,
        }
    }

    /// The least and the largest number, infinities included; `None`: there is none.
    pub fn numbers(self) -> Option<(f32, f32)> {
        (self.low <= self.high).then_some((self.low, self.high))
    }

    /// Bits of [`may`].
    pub fn may(self) -> u8 {
        self.may
    }

    /// Whether it may be a NaN.
    pub fn is_nan(self) -> bool {
        self.may & NANS != 0
    }

    /// Whether it may be infinite.
    pub fn is_infinite(self) -> bool {
        self.low <= self.high && (self.low == f32::NEG_INFINITY || self.high == f32::INFINITY)
    }

    fn has_zero(self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }

    /// Whether there is nothing but NaN, or nothing at all.
    fn has_no_number(self) -> bool {
        self.low > self.high
    }
}

impl fmt::Display for Range {
    /// Such as `[0, 1] or NaN`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        match self.numbers() {
            Some((low, high)) if low == high => parts.push(format!("{low:?}")),
            Some((low, high)) => parts.push(format!("[{low:?}, {high:?}]")),
            None => {}
        }
        let flags = [(NANS, "NaN"), (may::DENORMAL, "denormal"), (may::MINUS_ZERO, "-0")];
        let flags = flags.iter().filter(|(bits, _)| self.may & bits != 0);
        parts.extend(flags.map(|(_, name)| name.to_string()));
        if parts.is_empty() { write!(f, "nothing") } else { write!(f, "{}", parts.join(" or ")) }
    }
}

/// Bounds of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Texels {
    /// Those of a texel's channels.
    pub channels: [Range; 4],
    /// Columns and rows.
    pub size: [u32; 2],
}

/// Bounds of what a program starts with. What is not listed can be anything.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Those of the channels of data, by number.
    pub data: HashMap<u32, [Range; 4]>,
    /// Those of the float constants that the terms do not know.
    pub constants: HashMap<u8, [Range; 4]>,
    /// Those of column and row, with the neighbours in the quads.
    pub point: [Range; 2],
    /// Those of surfaces, by number.
    pub surfaces: HashMap<u32, Texels>,
}

impl Default for Bounds {
    /// Points from 0 to 4095.
    fn default() -> Bounds {
        Bounds {
            data: HashMap::new(),
            constants: HashMap::new(),
            point: [Range::new(0.0, 4095.0, 0); 2],
            surfaces: HashMap::new(),
        }
    }
}

impl Bounds {
    /// Those of an input.
    pub fn input(&self, input: Input) -> Range {
        let channel = |of: Option<&[Range; 4]>, channel: u8| {
            of.map_or(Range::ANYTHING, |of| of[usize::from(channel & 3)])
        };
        match input {
            Input::Data(n, c) => channel(self.data.get(&n), c),
            Input::Constant(n, c) => channel(self.constants.get(&n), c),
            Input::Uniform(_, Kind::Float) | Input::Unknown(_) => Range::ANYTHING,
            Input::Uniform(_, Kind::Int) => {
                let most = Kind::LARGEST_INT as f32;
                Range::new(-most, most, 0)
            }
            Input::Uniform(_, Kind::Bool) => Range::new(0.0, 1.0, 0),
            Input::Point(n) => self.point[usize::from(n & 1)],
        }
    }

    /// Those of a channel of a surface's texels.
    pub fn texel(&self, surface: u32, channel: u8) -> Range {
        let texels = self.surfaces.get(&surface);
        texels.map_or(Range::ANYTHING, |texels| texels.channels[usize::from(channel & 3)])
    }
}

/// Inputs as others are, but within bounds.
pub struct Within<'a, I> {
    /// The others.
    pub inputs: I,
    /// The bounds.
    pub bounds: &'a Bounds,
}

impl<I: Inputs> Inputs for Within<'_, I> {
    fn input(&self, input: Input, point: usize) -> u32 {
        self.bounds.input(input).nearest(self.inputs.input(input, point))
    }

    fn texel(&self, surface: u32, unscaled: bool, at: [u32; 2], point: usize) -> [u32; 4] {
        let texel = self.inputs.texel(surface, unscaled, at, point);
        std::array::from_fn(|c| self.bounds.texel(surface, c as u8).nearest(texel[c]))
    }
}

/// The ranges of all terms.
pub struct Ranges<'a> {
    terms: &'a Terms,
    bounds: &'a Bounds,
    /// By number of the term.
    known: Vec<Range>,
}

impl<'a> Ranges<'a> {
    /// Bounds all terms.
    ///
    /// # Errors
    /// If it was stopped.
    pub fn new(terms: &'a Terms, bounds: &'a Bounds, stop: &Stop) -> Result<Ranges<'a>, Undecided> {
        let mut ranges = Ranges { terms, bounds, known: Vec::new() };
        for id in terms.ids() {
            if id.0 % 1024 == 0 {
                stop.check()?;
            }
            let range = ranges.computed(id, &mut Assumed::nothing());
            ranges.known.push(range);
        }
        Ok(ranges)
    }

    /// The range of a term.
    pub fn of(&self, id: Id) -> Range {
        self.known[id.0 as usize]
    }

    /// The range of a term from those of its parts.
    fn computed(&self, id: Id, assumed: &mut Assumed) -> Range {
        match self.terms.node(id) {
            Node::Choose(atom, yes, no) => {
                let [yes, no] = self.sides(atom, [yes, no], assumed);
                yes.or(no)
            }
            node => step::of(node, self.bounds, |id| self.under(id, assumed)),
        }
    }

    /// The term where a value begins to be `bad`, of those that an output depends on the one that is
    /// computed first.
    pub fn first(&self, output: Id, bad: impl Fn(Range) -> bool) -> Option<Id> {
        let (mut open, mut seen, mut found) = (Vec::new(), HashSet::new(), Vec::new());
        open.extend(bad(self.of(output)).then_some(output));
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = self.terms.node(id);
            let parts: Vec<(Id, Range)> = match node {
                Node::Choose(atom, yes, no) => {
                    let sides = self.sides(atom, [yes, no], &mut Assumed::nothing());
                    [yes, no].into_iter().zip(sides).collect()
                }
                // Where it is fetched, not what.
                Node::Texel { .. } => Vec::new(),
                _ => Terms::operands(&node).into_iter().map(|id| (id, self.of(id))).collect(),
            };
            let before = open.len();
            open.extend(parts.into_iter().filter(|(_, range)| bad(*range)).map(|(id, _)| id));
            if open.len() == before {
                found.push(id);
            }
        }
        found.into_iter().min_by_key(|&id| (self.terms.made_at(id), id))
    }

    /// The first fetch, of those that the outputs depend on, whose coordinates may be outside its
    /// surface, or NaN.
    pub fn first_outside(&self, outputs: impl IntoIterator<Item = Id>) -> Option<Id> {
        let (mut open, mut seen, mut found) = (Vec::from_iter(outputs), HashSet::new(), Vec::new());
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = self.terms.node(id);
            open.extend(Terms::operands(&node));
            match node {
                Node::Choose(atom, ..) => open.push(self.terms.conds.atom(atom).1),
                Node::Texel { surface, unscaled, at, .. }
                    if !self.is_inside(surface, unscaled, at) =>
                {
                    found.push(id);
                }
                _ => {}
            }
        }
        found.into_iter().min_by_key(|&id| (self.terms.made_at(id), id))
    }

    fn is_inside(&self, surface: u32, unscaled: bool, at: [Id; 2]) -> bool {
        let Some(texels) = self.bounds.surfaces.get(&surface) else { return false };
        at.into_iter().zip(texels.size).all(|(id, size)| {
            let size = size as f32;
            let coordinate = self.of(id);
            let texel = if unscaled {
                coordinate
            } else {
                step::product(coordinate, Range::of(size.to_bits()))
            };
            !texel.is_nan() && texel.low >= 0.0 && texel.high < size
        })
    }
}
