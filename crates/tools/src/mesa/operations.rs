//! The results of the operations of listings, of numbers or of terms.

use super::listing::{Lane, Op, Unit};
use super::number::Number;
use ctm_isa::float;

/// A value that operations compute with.
pub trait Value: Copy {
    /// The sum.
    fn plus(self, other: Self) -> Self;
    /// The product; 0 times anything is 0.
    fn times(self, other: Self) -> Self;
    /// The sum of two to four products.
    fn dot(pairs: &[(Self, Self)]) -> Self;
    /// The negation.
    fn negated(self) -> Self;
    /// The absolute value.
    fn magnitude(self) -> Self;
    /// The greater.
    fn greater(self, other: Self) -> Self;
    /// The less.
    fn lesser(self, other: Self) -> Self;
    /// The next integer down.
    fn floor(self) -> Self;
    /// Itself less the next integer down.
    fn fraction(self) -> Self;
    /// The reciprocal.
    fn reciprocal(self) -> Self;
    /// The reciprocal of the square root of its magnitude.
    fn reciprocal_root(self) -> Self;
    /// The logarithm to base 2.
    fn logarithm(self) -> Self;
    /// 2 to the power of it.
    fn power_of_2(self) -> Self;
    /// The sine of an angle in turns.
    fn sine(self) -> Self;
    /// The cosine.
    fn cosine(self) -> Self;
    /// `yes` if it is below 0 as CMP tests, where a NaN is, else `no`.
    fn below_0(self, yes: Self, no: Self) -> Self;
    /// `yes` if it is above 1/2 as CND tests, else `no`.
    fn above_half(self, yes: Self, no: Self) -> Self;
    /// Itself, made less certain by what decided for it.
    fn decided_by(self, test: Self) -> Self;

    /// The difference.
    fn minus(self, other: Self) -> Self {
        self.plus(other.negated())
    }

    /// It to the power of another value.
    fn power(self, other: Self) -> Self {
        self.logarithm().times(other).power_of_2()
    }
}

impl Value for Number {
    fn plus(self, other: Number) -> Number {
        Number::plus(self, other)
    }

    fn times(self, other: Number) -> Number {
        Number::times(self, other)
    }

    fn dot(pairs: &[(Number, Number)]) -> Number {
        Number::dot(pairs)
    }

    fn negated(self) -> Number {
        Number::negated(self)
    }

    fn magnitude(self) -> Number {
        self.map(float::abs)
    }

    fn greater(self, other: Number) -> Number {
        self.with(other, float::max)
    }

    fn lesser(self, other: Number) -> Number {
        self.with(other, float::min)
    }

    fn floor(self) -> Number {
        Number::floor(self)
    }

    fn fraction(self) -> Number {
        Number::fraction(self)
    }

    fn reciprocal(self) -> Number {
        Number::reciprocal(self)
    }

    fn reciprocal_root(self) -> Number {
        Number::reciprocal_root(self)
    }

    fn logarithm(self) -> Number {
        Number::logarithm(self)
    }

    fn power_of_2(self) -> Number {
        Number::power_of_2(self)
    }

    fn sine(self) -> Number {
        Number::sine(self)
    }

    fn cosine(self) -> Number {
        Number::cosine(self)
    }

    fn below_0(self, yes: Number, no: Number) -> Number {
        Number::choose(self, |x| float::cmp(0, 1, x) == 1, yes, no)
    }

    fn above_half(self, yes: Number, no: Number) -> Number {
        Number::choose(self, |x| float::cnd(1, 0, x) == 1, yes, no)
    }

    fn decided_by(self, test: Number) -> Number {
        Number::decided_by(self, test)
    }
}

/// The operands of an operation at a point.
pub trait Lanes {
    /// The values.
    type Value: Value;
    /// The value of these bits.
    fn literal(&self, bits: u32) -> Self::Value;
    /// The value of a register that nothing has written.
    fn undefined(&self) -> Self::Value;
    /// The value of a lane.
    fn lane(&self, lane: &Lane) -> Self::Value;
    /// An argument of SIN or COS in turns.
    fn turns(&self, x: Self::Value) -> Self::Value;
    /// The difference to the next column (1, 0) or row (0, 1) of the quad.
    fn difference(&self, unit: &Unit, next: (usize, usize)) -> [Self::Value; 4];
}

/// The lanes of a unit that are read and computed, bit n for lane n: those that something takes, or all if its lanes mix.
pub fn needed(unit: &Unit) -> u8 {
    use Op::{Dp2, Dp3, Dp4, Dph, Dst, Lit, Scs, Xpd};
    if matches!(unit.op, Dp2 | Dp3 | Dp4 | Dph | Dst | Lit | Scs | Xpd) {
        return 15;
    }
    let flag = unit.sets_flag.map_or(0, |(channel, _)| 1 << channel);
    // The other unit of a pair may take lane 3.
    let other = if unit.paired { 8 } else { 0 };
    unit.writes.iter().fold(flag | other, |lanes, write| lanes | write.mask)
}

/// The result of an operation in some lanes, before the output modifier.
pub fn result<L: Lanes>(at: &L, unit: &Unit, lanes: u8) -> [L::Value; 4] {
    let (zero, one) = (at.literal(0), at.literal(float::ONE));
    // As Mesa compares: the difference is below 0.
    let less = |x: L::Value, yes, no| x.below_0(yes, no);
    let nab = |x: L::Value| x.magnitude().negated();
    let each = |f: &dyn Fn(usize) -> L::Value| {
        let mut result = [at.undefined(); 4];
        (0..4).filter(|n| lanes >> n & 1 == 1).for_each(|n| result[n] = f(n));
        result
    };
    let operand = |n: usize| match unit.operands.get(n) {
        Some(operand) => each(&|lane| at.lane(&operand[lane])),
        None => [zero; 4],
    };
    let (a, b, c) = (operand(0), operand(1), operand(2));
    let unary = |f: &dyn Fn(L::Value) -> L::Value| each(&|n| f(a[n]));
    let binary = |f: &dyn Fn(L::Value, L::Value) -> L::Value| each(&|n| f(a[n], b[n]));
    // One component of each operand, the first that is used. All lanes get the result.
    let first = |n: usize| {
        let used = unit.operands[n].iter().find(|lane| lane.is_used());
        used.map_or(zero, |lane| at.lane(lane))
    };
    let scalar = |f: &dyn Fn(L::Value) -> L::Value| [f(first(0)); 4];
    let dot = |terms: usize, last: bool| {
        let a = if last { [a[0], a[1], a[2], one.decided_by(a[3])] } else { a };
        let pairs: Vec<_> = a.into_iter().zip(b).take(terms).collect();
        [L::Value::dot(&pairs); 4]
    };
    match unit.op {
        // The other unit's: see `compute`.
        Op::ReplAlpha => [at.undefined(); 4],
        Op::Sfl => [zero; 4],
        Op::Abs => unary(&|a| a.magnitude()),
        Op::Ceil => unary(&|a| a.negated().floor().negated()),
        Op::Cos => scalar(&|a| at.turns(a).cosine()),
        Op::Ex2 => scalar(&L::Value::power_of_2),
        Op::Flr => unary(&L::Value::floor),
        Op::Frc => unary(&L::Value::fraction),
        Op::Lg2 => scalar(&L::Value::logarithm),
        Op::Lit => {
            let light = |x: L::Value| x.greater(zero);
            let shine = light(a[1]).power(a[3]);
            [one, light(a[0]), less(a[0].negated(), shine, zero), one]
        }
        Op::Mov | Op::Swz => a,
        Op::Rcp => scalar(&L::Value::reciprocal),
        Op::Round => unary(&|a| a.plus(at.literal(float::HALF)).floor()),
        Op::Rsq => scalar(&L::Value::reciprocal_root),
        Op::Scs => {
            let turn = at.turns(a[0]);
            [turn.cosine(), turn.sine(), zero, zero]
        }
        Op::Sin => scalar(&|a| at.turns(a).sine()),
        Op::Ssg => unary(&|a| less(a.negated(), one, less(a, one.negated(), zero))),
        Op::Trunc => unary(&|a| {
            let size = a.magnitude().floor();
            less(a, size.negated(), size)
        }),
        Op::Add => binary(&L::Value::plus),
        Op::Ddx => at.difference(unit, (1, 0)),
        Op::Ddy => at.difference(unit, (0, 1)),
        Op::Dp2 => dot(2, false),
        Op::Dp3 => dot(3, false),
        Op::Dp4 => dot(4, false),
        Op::Dph => dot(4, true),
        Op::Dst => [one, a[1].times(b[1]), a[2], b[3]],
        Op::Max => binary(&|a, b| a.greater(b)),
        Op::Min => binary(&|a, b| a.lesser(b)),
        Op::Mul => binary(&L::Value::times),
        Op::Pow => [first(0).power(first(1)); 4],
        Op::Seq => binary(&|a, b| less(nab(a.minus(b)), zero, one)),
        Op::Sge => binary(&|a, b| less(a.minus(b), zero, one)),
        Op::Sgt => binary(&|a, b| less(b.minus(a), one, zero)),
        Op::Sle => binary(&|a, b| less(b.minus(a), zero, one)),
        Op::Slt => binary(&|a, b| less(a.minus(b), one, zero)),
        Op::Sne => binary(&|a, b| less(nab(a.minus(b)), one, zero)),
        Op::Sub => binary(&L::Value::minus),
        Op::Xpd => {
            let term = |p: usize, q: usize| a[p].times(b[q]).minus(a[q].times(b[p]));
            [term(1, 2), term(2, 0), term(0, 1), one]
        }
        Op::Cmp => each(&|n| {
            let (test, yes, no) = if unit.paired { (c[n], b[n], a[n]) } else { (a[n], b[n], c[n]) };
            less(test, yes, no)
        }),
        Op::Cnd => each(&|n| c[n].above_half(a[n], b[n])),
        Op::Lrp => each(&|n| a[n].times(b[n].minus(c[n])).plus(c[n])),
        Op::Mad => each(&|n| a[n].times(b[n]).plus(c[n])),
    }
}
