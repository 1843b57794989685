//! Whether terms are equal in exact arithmetic: their values in prime fields at random points.
//!
//! In exact arithmetic a term is a rational function of the inputs and of unknown functions. Sums, products
//! and reciprocals are computed in the field. Any other operation is an unknown function of its operands' values:
//! equal values, equal results. A choice is `no + t (yes - no)`, where t is an unknown function of the value
//! compared, so terms with equal values are equal whichever way each comparison goes.
//!
//! Equal functions have equal values in all fields. Those of different functions are rarely equal (Schwartz and
//! Zippel); [`equal`] bounds the probability by the degrees and coefficients of the polynomials.

mod field;

use crate::cond::Check;
use crate::term::{Id, Input, Node, Terms};
use ctm_base::random::Random;
use ctm_base::stop::{Stop, Stopped};
use ctm_isa::float;
use ctm_isa::isa::Modifier;
use ctm_isa::ops::{Calc, SWITCH};
use field::Field;

/// The points. Each has a field of its own.
const POINTS: u64 = 8;
/// The most bits of an answer: the points are random by a seed of 64 bits.
const MOST: f64 = 64.0;
/// The least bits that count as an answer.
const LEAST: f64 = 40.0;

/// Whether the terms of each pair are equal in exact arithmetic. `Some(n)`: they are, with a probability
/// of error of at most 2^-n. `None`: they are not, or their degree is too high for an answer.
///
/// # Errors
/// If it was stopped.
pub(crate) fn equal(
    terms: &Terms,
    pairs: &[[Id; 2]],
    seed: u64,
    stop: &Stop,
) -> Result<Option<u32>, Stopped> {
    let needs = needs(terms, pairs);
    let bits = (POINTS as f64 * bits_of_a_point(terms, &needs)).min(MOST);
    if bits < LEAST {
        return Ok(None);
    }
    for n in 0..POINTS {
        let values = Point::new(seed, n).values(terms, &needs, stop)?;
        let of = |id: Id| values[id.0 as usize][OWN];
        if pairs.iter().any(|&[a, b]| of(a) != of(b)) {
            return Ok(None);
        }
    }
    Ok(Some(bits as u32))
}

/// The place of the point itself in its quad. The others are those of [`Node::Quad`].
const OWN: usize = 3;

/// The places in the quad where each term is needed, as bits; up to the last term in `pairs`.
fn needs(terms: &Terms, pairs: &[[Id; 2]]) -> Vec<u8> {
    let last = pairs.iter().flatten().max().map_or(0, |id| id.0 as usize);
    let mut needs = vec![0; last + 1];
    for id in pairs.iter().flatten() {
        needs[id.0 as usize] = 1 << OWN;
    }
    // Terms come after their operands.
    for n in (0..needs.len()).rev() {
        if needs[n] == 0 {
            continue;
        }
        let node = terms.node(Id(n as u32));
        let places = match node {
            Node::Quad(place, _) => 1 << (place & 3),
            _ => needs[n],
        };
        for id in read(terms, &node) {
            needs[id.0 as usize] |= places;
        }
    }
    needs
}

/// The terms that a step's value depends on.
fn read(terms: &Terms, node: &Node) -> Vec<Id> {
    let mut all = Terms::operands(node);
    if let Node::Choose(atom, ..) = *node {
        all.push(terms.conds.atom(atom).1);
    }
    all
}

/// A random point in a random field.
struct Point {
    field: Field,
    seed: u64,
}

impl Point {
    fn new(seed: u64, n: u64) -> Point {
        let mut random = Random::new(&[seed, n]);
        Point { field: Field::random(&mut random), seed: random.word() }
    }

    /// The values of the terms that are needed, by place in the quad.
    fn values(&self, terms: &Terms, needs: &[u8], stop: &Stop) -> Result<Vec<[u64; 4]>, Stopped> {
        let mut values: Vec<[u64; 4]> = Vec::with_capacity(needs.len());
        for (n, places) in needs.iter().enumerate() {
            if n % 1024 == 0 {
                stop.check()?;
            }
            let node = terms.node(Id(n as u32));
            values.push(std::array::from_fn(|place| {
                let needed = places >> place & 1 != 0;
                if needed { self.step(terms, node, &values, place) } else { 0 }
            }));
        }
        Ok(values)
    }

    fn step(&self, terms: &Terms, node: Node, values: &[[u64; 4]], place: usize) -> u64 {
        let of = |id: Id| values[id.0 as usize][place];
        let input =
            |name, n: u64, channel: u8| self.unknown(name, &[n, channel.into(), place as u64]);
        match node {
            Node::Literal(bits) if float::is_nan(bits) => self.unknown("nan", &[]),
            Node::Literal(bits) if float::abs(bits) == float::INFINITY => {
                self.unknown("infinity", &[bits.into()])
            }
            Node::Literal(bits) => self.field.literal(bits),
            Node::Input(Input::Data(n, channel)) => input("data", n.into(), channel),
            Node::Input(Input::Point(n)) => input("point", 0, n),
            Node::Input(Input::Unknown(n)) => input("loop", n.into(), 0),
            Node::Input(Input::Constant(n, channel)) => {
                self.unknown("constant", &[n.into(), channel.into()])
            }
            Node::Input(Input::Uniform(n, _)) => self.unknown("uniform", &[n.into()]),
            Node::Absent => self.unknown("absent", &[]),
            Node::Sign(Modifier::Nop, a) => of(a),
            Node::Sign(Modifier::Neg, a) => self.field.neg(of(a)),
            Node::Sign(Modifier::Abs, a) => self.even("abs", of(a)),
            Node::Sign(Modifier::Nab, a) => self.field.neg(self.even("abs", of(a))),
            Node::Calc(Calc::Max, ..) => {
                let mut all: Vec<u64> = maxima(terms, node).into_iter().map(of).collect();
                self.largest(&mut all)
            }
            Node::Calc(calc, aux, operands) => self.calc(calc, aux, operands.map(of)),
            Node::Texel { surface, unscaled, channel, at: [s, t] } => {
                let key = [surface.into(), unscaled.into(), channel.into(), of(s), of(t)];
                self.unknown("texel", &key)
            }
            Node::Quad(n, a) => values[a.0 as usize][usize::from(n & 3)],
            Node::Choose(atom, yes, no) => {
                let (check, id) = terms.conds.atom(atom);
                self.choose(check, of(id), [of(yes), of(no)])
            }
        }
    }

    fn calc(&self, calc: Calc, aux: u16, [a, b, c, d]: [u64; 4]) -> u64 {
        let field = self.field;
        match calc {
            Calc::Mov => a,
            Calc::Mad => field.add(field.mul(a, b), c),
            Calc::Mul | Calc::Product => field.mul(a, b),
            Calc::Add => field.add(a, b),
            Calc::Sum3 => field.add(field.add(a, b), c),
            Calc::Sum4 => field.add(field.add(a, b), field.add(c, d)),
            Calc::Min => field.neg(self.largest(&mut [field.neg(a), field.neg(b)])),
            Calc::Max => self.largest(&mut [a, b]),
            Calc::Cnd => self.choose(Check::AboveHalf, c, [a, b]),
            Calc::Cmp => self.choose(Check::Compare(2), c, [a, b]),
            Calc::Rcp => field.rcp(a),
            Calc::Frc | Calc::Ex2 | Calc::Ln2 | Calc::Rsq | Calc::Sin | Calc::Cos => {
                self.unknown(calc.facts().facts.name, &[a])
            }
            Calc::Finish => {
                let factor = float::FACTORS[usize::from(aux & 7)].to_bits();
                let scaled = field.mul(a, field.literal(factor));
                if aux & SWITCH != 0 { self.unknown("clamp", &[scaled]) } else { scaled }
            }
        }
    }

    /// An unknown function of some values.
    fn unknown(&self, name: &str, values: &[u64]) -> u64 {
        let name = name.bytes().fold(0, |all: u64, byte| all << 8 | u64::from(byte));
        let key: Vec<u64> = [self.seed, name].iter().chain(values).copied().collect();
        self.field.element(&mut Random::new(&key))
    }

    /// An unknown function that is the same for -a.
    fn even(&self, name: &str, a: u64) -> u64 {
        self.unknown(name, &[a.min(self.field.neg(a))])
    }

    /// The largest of some values, in any order.
    fn largest(&self, values: &mut [u64]) -> u64 {
        values.sort_unstable();
        match values {
            [first, .., last] if first != last => {
                let mut all = values.to_vec();
                all.dedup();
                self.unknown("max", &all)
            }
            _ => values.first().copied().unwrap_or_default(),
        }
    }

    /// The first value if a comparison holds, else the second.
    fn choose(&self, check: Check, of: u64, [yes, no]: [u64; 2]) -> u64 {
        let field = self.field;
        let half = field.literal(float::HALF);
        // All comparisons come from two. NaNs do not count, so that not below 0 is from 0.
        let (holds, yes, no) = match check {
            Check::Compare(0) => (self.even("zero", of), yes, no),
            Check::Compare(1) | Check::Kills => (self.unknown("from_0", &[of]), no, yes),
            Check::Compare(2) => (self.unknown("from_0", &[of]), yes, no),
            Check::Compare(_) => (self.even("zero", of), no, yes),
            Check::AboveHalf => {
                let below = field.add(half, field.neg(of));
                (self.unknown("from_0", &[below]), no, yes)
            }
        };
        field.add(no, field.mul(holds, field.add(yes, field.neg(no))))
    }
}

/// The operands of nested maxima.
fn maxima(terms: &Terms, node: Node) -> Vec<Id> {
    /// More are left nested.
    const OPERANDS: usize = 32;
    let (mut open, mut all) = (Terms::operands(&node), Vec::new());
    while let Some(id) = open.pop() {
        let inner = terms.node(id);
        if matches!(inner, Node::Calc(Calc::Max, ..)) && open.len() + all.len() < OPERANDS {
            open.extend(Terms::operands(&inner));
        } else {
            all.push(id);
        }
    }
    all
}

/// The bounds of a polynomial with integer coefficients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bound {
    degree: u64,
    /// The binary logarithm of the sum of the coefficients' magnitudes.
    height: u64,
}

impl Bound {
    const VARIABLE: Bound = Bound { degree: 1, height: 0 };

    fn times(self, other: Bound) -> Bound {
        Bound {
            degree: self.degree.saturating_add(other.degree),
            height: self.height.saturating_add(other.height),
        }
    }

    fn scaled(self, twos: u64) -> Bound {
        Bound { height: self.height.saturating_add(twos), ..self }
    }

    fn plus(self, other: Bound) -> Bound {
        let larger =
            Bound { degree: self.degree.max(other.degree), height: self.height.max(other.height) };
        larger.scaled(1)
    }
}

/// The bounds of a fraction: above / (below * 2^twos). Sums of most programs have no other factors in
/// `below`, and then do not multiply them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Size {
    above: Bound,
    below: Bound,
    twos: u64,
}

impl Size {
    /// An input, or the value of an unknown function.
    const UNKNOWN: Size =
        Size { above: Bound::VARIABLE, below: Bound { degree: 0, height: 0 }, twos: 0 };

    fn times(self, other: Size) -> Size {
        Size {
            above: self.above.times(other.above),
            below: self.below.times(other.below),
            twos: self.twos.saturating_add(other.twos),
        }
    }

    fn plus(self, other: Size) -> Size {
        let twos = self.twos.max(other.twos);
        let part = |a: Size, b: Size| a.above.times(b.below).scaled(twos - a.twos);
        Size {
            above: part(self, other).plus(part(other, self)),
            below: self.below.times(other.below),
            twos,
        }
    }

    fn rcp(self) -> Size {
        Size { above: self.below.scaled(self.twos), below: self.above, twos: 0 }
    }

    fn literal(bits: u32) -> Size {
        if float::abs(bits) >= float::INFINITY {
            return Size::UNKNOWN;
        }
        let (significand, exponent) = field::parts(bits);
        let bits = 64 - u64::from(significand.leading_zeros());
        let [above, twos] = [exponent, -exponent].map(|twos| twos.max(0) as u64);
        Size { above: Bound { degree: 0, height: bits + above }, twos, ..Size::default() }
    }

    fn of(node: Node, sizes: &[Size]) -> Size {
        let of = |id: Id| sizes[id.0 as usize];
        let choice = |yes: Id, no: Id| {
            let truth = Size { above: Bound::VARIABLE.scaled(1), ..Size::default() };
            of(yes).times(truth).plus(of(no).times(truth))
        };
        match node {
            Node::Literal(bits) => Size::literal(bits),
            Node::Sign(Modifier::Nop | Modifier::Neg, a) | Node::Quad(_, a) => of(a),
            Node::Choose(_, yes, no) => choice(yes, no),
            Node::Calc(calc, aux, [a, b, c, d]) => match calc {
                Calc::Mov => of(a),
                Calc::Mad => of(a).times(of(b)).plus(of(c)),
                Calc::Mul | Calc::Product => of(a).times(of(b)),
                Calc::Add => of(a).plus(of(b)),
                Calc::Sum3 => of(a).plus(of(b)).plus(of(c)),
                Calc::Sum4 => of(a).plus(of(b)).plus(of(c).plus(of(d))),
                Calc::Cnd | Calc::Cmp => choice(a, b),
                Calc::Rcp => of(a).rcp(),
                Calc::Finish if aux & SWITCH == 0 => {
                    let factor = float::FACTORS[usize::from(aux & 7)].to_bits();
                    of(a).times(Size::literal(factor))
                }
                Calc::Min | Calc::Max | Calc::Frc | Calc::Ex2 | Calc::Ln2 => Size::UNKNOWN,
                Calc::Rsq | Calc::Sin | Calc::Cos | Calc::Finish => Size::UNKNOWN,
            },
            Node::Input(_) | Node::Texel { .. } | Node::Absent => Size::UNKNOWN,
            Node::Sign(Modifier::Abs | Modifier::Nab, _) => Size::UNKNOWN,
        }
    }
}

/// How improbable it is that values are equal at a point though their functions are not: at most 2^-n.
fn bits_of_a_point(terms: &Terms, needs: &[u8]) -> f64 {
    let mut sizes = Vec::with_capacity(needs.len());
    let (mut count, mut degree, mut height) = (0, 0, 0);
    for (n, places) in needs.iter().enumerate() {
        let needed = *places != 0;
        let size =
            if needed { Size::of(terms.node(Id(n as u32)), &sizes) } else { Size::default() };
        count += places.count_ones();
        for bound in [size.above, size.below] {
            degree = degree.max(bound.degree);
            height = height.max(bound.height.saturating_add(size.twos));
        }
        sizes.push(size);
    }
    // Values x and y that unknown functions tell apart, or results, or a divisor and 0: at most count^2 / 2
    // pairs, and x = y or x = -y. Above x - y is a polynomial of twice the degree, and of twice the height
    // and 1. At most (2 height + 1) / 62 primes of the 2^56 divide all its coefficients; of the 2^62 elements
    // of another field at most 2 degree are roots. Keys of 64 bits collide less than that.
    let [count, degree, height] = [f64::from(count + 1), degree as f64, height as f64];
    60.0 - 2.0 * count.log2() - (degree + height + 1.0).log2()
}
