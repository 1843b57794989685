//! The rules that make nodes simpler. Each is *exact*, for every value but the bits of a NaN, or *allowed* by GLSL, which
//! does not keep the sign of zero, infinities, NaN, or the order of sums of constants. `precise` leaves the allowed
//! ones out.
//!
//! Products follow ZERO_TIMES_ANYTHING_EQUALS_ZERO, which programs set, but not those of [`Rules::Bits`].

use crate::graph::{Graph, Id, Op, Rules};
use ctm_isa::arithmetic::{Arithmetic, Operations};
use ctm_isa::float;

mod bits;
mod conditions;
#[cfg(test)]
mod tests;

/// The bits of 1.
pub const ONE: u32 = float::ONE;

impl Graph {
    fn literals<const N: usize>(&self, ids: [Id; N]) -> Option<[u32; N]> {
        let mut bits = [0; N];
        for (bits, id) in bits.iter_mut().zip(ids) {
            *bits = self.bits(id)?;
        }
        Some(bits)
    }

    /// Whether a node is a literal with this value.
    pub fn is(&self, id: Id, value: f32) -> bool {
        self.bits(id) == Some(value.to_bits())
    }

    /// Only exact rules apply.
    pub fn precise(&self) -> bool {
        self.rules != Rules::All
    }

    /// Only literals are computed.
    pub fn unoptimized(&self) -> bool {
        matches!(self.rules, Rules::Literals { .. })
    }

    /// The node of an operation, where no rule applies to it.
    fn plain(&mut self, op: Op, operands: &[Id]) -> Option<Id> {
        let plain = self.unoptimized() && operands.iter().any(|id| self.bits(*id).is_none());
        plain.then(|| self.intern(op, operands))
    }

    fn zero(&self, id: Id) -> bool {
        self.bits(id).is_some_and(float::is_zero)
    }

    /// -a. Exact: literals; `--a` = a; `-(a * literal)` = a * -literal.
    pub fn neg(&mut self, a: Id) -> Id {
        if let Some(plain) = self.plain(Op::Neg, &[a]) {
            return plain;
        }
        match self.node(a) {
            node if node.op == Op::Neg => node.args[0],
            // Not of 0 or infinity: the zero 0 * infinity has no sign.
            node if node.op == Op::Mul
                && !self.keeps_bits()
                && self
                    .value(node.args[1])
                    .is_some_and(|factor| factor != 0.0 && factor.is_finite()) =>
            {
                let literal = self.neg(node.args[1]);
                let product = self.intern_mul(node.args[0], literal);
                self.folded(product, a)
            }
            node => match node.op {
                Op::Literal(bits) => self.literal(float::neg(bits)),
                _ => self.intern(Op::Neg, &[a]),
            },
        }
    }

    /// abs(a). Exact: literals; `abs(-a)` = abs(a); abs of what is never below zero.
    pub fn abs(&mut self, a: Id) -> Id {
        if let Some(plain) = self.plain(Op::Abs, &[a]) {
            return plain;
        }
        match self.op(a) {
            Op::Literal(bits) => self.literal(float::abs(bits)),
            Op::Neg => self.abs(self.arg(a, 0)),
            _ if self.not_negative(a, 8) => a,
            _ => self.intern(Op::Abs, &[a]),
        }
    }

    /// Whether a value is never below zero (it may be NaN). If only exact rules apply, it is no -0 either.
    pub fn not_negative(&self, a: Id, depth: u32) -> bool {
        let node = self.node(a);
        let arg = |n: usize| depth > 0 && self.not_negative(node.args[n], depth - 1);
        match node.op {
            Op::Literal(bits) => bits & float::SIGN == 0,
            Op::Abs | Op::Frc | Op::Ex2 | Op::Clamp => true,
            // Of -0 it is -infinity.
            Op::Rsq => !self.precise() || arg(0),
            Op::Mul => node.args[0] == node.args[1] || arg(0) && arg(1),
            Op::Add if let Some(x) = self.floored(node.args[0], node.args[1]) => {
                depth > 0 && self.not_negative(x, depth - 1)
            }
            Op::Add | Op::Min => arg(0) && arg(1),
            Op::Max if self.precise() => arg(0) && arg(1),
            Op::Max => arg(0) || arg(1),
            Op::Cmp => arg(0) && arg(1),
            Op::Rcp => arg(0),
            Op::Dot(n) => (0..n as usize).all(|i| node.args[2 * i] == node.args[2 * i + 1]),
            _ => false,
        }
    }

    /// Whether a value is a whole number, as far as GLSL says: a product of two may be infinite.
    pub fn whole(&self, a: Id, depth: u32) -> bool {
        let node = self.node(a);
        let arg = |n: usize| depth > 0 && self.whole(node.args[n], depth - 1);
        match node.op {
            Op::Literal(bits) => f32::from_bits(bits).fract() == 0.0,
            Op::Neg | Op::Abs => arg(0),
            Op::Mul | Op::Min | Op::Max | Op::Cmp => arg(0) && arg(1),
            Op::Add => arg(0) && arg(1) || self.floored(node.args[0], node.args[1]).is_some(),
            _ => false,
        }
    }

    /// A number that the magnitude of a value is below, unless it is a NaN.
    pub fn limit(&self, a: Id, depth: u32) -> f32 {
        let node = self.node(a);
        let limit = |n: usize| match (depth, self.op(node.args[n])) {
            (_, Op::Literal(bits)) => f32::from_bits(bits).abs().next_up(),
            (0, _) => f32::INFINITY,
            _ => self.limit(node.args[n], depth - 1),
        };
        let factor = |n: usize| self.value(node.args[n]).map_or_else(|| limit(n), f32::abs);
        match node.op {
            Op::Literal(bits) => f32::from_bits(bits).abs().next_up(),
            Op::Frc => 1.0,
            Op::Clamp => 1.0_f32.next_up(),
            Op::Neg | Op::Abs => limit(0),
            Op::Mul => factor(0) * factor(1),
            Op::Min if (0..2).all(|n| self.not_negative(node.args[n], depth)) => {
                f32::min(limit(0), limit(1))
            }
            Op::Min | Op::Max | Op::Cmp => f32::max(limit(0), limit(1)),
            Op::Add => match self.floored(node.args[0], node.args[1]) {
                Some(x) if self.not_negative(x, depth) => f32::max(limit(0), limit(1)),
                Some(_) => f32::max(limit(0), limit(1)) + 1.0,
                None => limit(0) + limit(1),
            },
            _ => f32::INFINITY,
        }
    }

    /// x, if a + b is `x - frc(x)`.
    fn floored(&self, a: Id, b: Id) -> Option<Id> {
        let is = |x, y| {
            self.op(y) == Op::Neg && {
                let frc = self.arg(y, 0);
                self.op(frc) == Op::Frc && self.arg(frc, 0) == x
            }
        };
        is(a, b).then_some(a).or_else(|| is(b, a).then_some(b))
    }

    fn within_one(&self, a: Id) -> bool {
        match self.op(a) {
            Op::Clamp | Op::Frc => true,
            Op::Literal(bits) => (0.0..=1.0).contains(&f32::from_bits(bits)) && bits >> 31 == 0,
            Op::Cmp => self.within_one(self.arg(a, 0)) && self.within_one(self.arg(a, 1)),
            _ => false,
        }
    }

    /// a + b. Exact: literals; `a + -0`; `a + a` = 2 a. Allowed: `a + 0`; `a - a`; `(a + literal) + literal`;
    /// `a - (a - frc(a))` = frc(a).
    pub fn add(&mut self, a: Id, b: Id) -> Id {
        if let Some(plain) = self.plain(Op::Add, &[a, b]) {
            return plain;
        }
        if let Some([a, b]) = self.literals([a, b]) {
            return self.literal(float::add(a, b));
        }
        // A literal comes second.
        let (a, b) =
            if self.bits(a).is_some() || self.bits(b).is_none() && a > b { (b, a) } else { (a, b) };
        if self.is(b, -0.0) && self.stays(a) || self.is(b, 0.0) && !self.precise() {
            return a;
        }
        if a == b {
            let two = self.number(2.0);
            return self.mul(a, two);
        }
        if !self.precise() {
            let opposite = |x, y| self.op(y) == Op::Neg && self.arg(y, 0) == x;
            if opposite(a, b) || opposite(b, a) {
                return self.number(0.0);
            }
            for (x, y) in [(a, b), (b, a)] {
                // x - (x - frc x)
                if self.op(y) == Op::Neg {
                    let floor = self.arg(y, 0);
                    if self.op(floor) == Op::Add
                        && self.floored(self.arg(floor, 0), self.arg(floor, 1)) == Some(x)
                    {
                        return self.frc(x);
                    }
                }
            }
            if let Some(second) = self.bits(b) {
                let (inner, sign) = match self.op(a) {
                    Op::Neg => (self.arg(a, 0), float::SIGN),
                    _ => (a, 0),
                };
                if self.op(inner) == Op::Add
                    && let Some(first) = self.bits(self.arg(inner, 1))
                {
                    let sum = self.literal(float::add(first ^ sign, second));
                    let rest = self.arg(inner, 0);
                    let rest = if sign != 0 { self.neg(rest) } else { rest };
                    let sum = self.add(rest, sum);
                    return self.folded(sum, inner);
                }
            }
        }
        self.intern(Op::Add, &[a, b])
    }

    fn intern_mul(&mut self, a: Id, b: Id) -> Id {
        match self.bits(b) {
            Some(ONE) => a,
            _ => self.intern(Op::Mul, &[a, b]),
        }
    }

    /// a * b. Exact: literals; `a * 1`; `a * -1`. Allowed: `-a * b` = -(a * b) (the zero 0 * infinity has no sign); `a * 0`; `(a * literal) * literal`;
    /// `sqrt(a) * sqrt(a)` = a.
    pub fn mul(&mut self, a: Id, b: Id) -> Id {
        if let Some(plain) = self.plain(Op::Mul, &[a, b]) {
            return plain;
        }
        if let Some([a, b]) = self.literals([a, b]) {
            return self.literal(float::mul(a, b, self.zero_times()));
        }
        let (a, b) =
            if self.bits(a).is_some() || self.bits(b).is_none() && a > b { (b, a) } else { (a, b) };
        if !self.precise() && (self.op(a) == Op::Neg || self.op(b) == Op::Neg) {
            let strip = |x| if self.op(x) == Op::Neg { (self.arg(x, 0), true) } else { (x, false) };
            let ((a, p), (b, q)) = (strip(a), strip(b));
            let product = self.mul(a, b);
            return if p != q { self.neg(product) } else { product };
        }
        if self.is(b, 1.0) && self.stays(a) {
            return a;
        }
        if self.is(b, -1.0) && !self.keeps_bits() {
            return self.neg(a);
        }
        if !self.precise() {
            if self.zero(b) {
                return self.number(0.0);
            }
            if let Some(second) = self.bits(b)
                && self.op(a) == Op::Mul
                && let Some(first) = self.bits(self.arg(a, 1))
            {
                let product = float::mul(first, second, self.zero_times());
                let size = f32::from_bits(product).abs();
                if (1e-30..1e30).contains(&size) {
                    let product = self.literal(product);
                    let product = self.mul(self.arg(a, 0), product);
                    return self.folded(product, a);
                }
            }
            if a == b
                && let Some(x) = self.square_root(a)
            {
                return x;
            }
        }
        self.intern(Op::Mul, &[a, b])
    }

    /// x, if a is a square root of x: `x * rsq(x)`, or half of the sum of that and `1/rsq(x)`.
    fn square_root(&self, a: Id) -> Option<Id> {
        if self.op(a) != Op::Mul {
            return None;
        }
        let [p, q] = [self.arg(a, 0), self.arg(a, 1)];
        if self.op(p) == Op::Add && self.is(q, 0.5) {
            let [p, q] = [self.arg(p, 0), self.arg(p, 1)];
            let of = |product, rcp| {
                let x = self.square_root(product)?;
                let rsq = (self.op(rcp) == Op::Rcp).then(|| self.arg(rcp, 0))?;
                (self.op(rsq) == Op::Rsq && self.arg(rsq, 0) == x).then_some(x)
            };
            return of(p, q).or_else(|| of(q, p));
        }
        let is = |x, y| self.op(y) == Op::Rsq && self.arg(y, 0) == x;
        if is(p, q) { Some(p) } else { is(q, p).then_some(q) }
    }

    /// a < b ? a : b. Exact: literals; `min(a, a)`. Allowed: `min(max(a, 0), 1)` = clamp.
    pub fn min(&mut self, a: Id, b: Id) -> Id {
        if let Some(plain) = self.plain(Op::Min, &[a, b]) {
            return plain;
        }
        if let Some([a, b]) = self.literals([a, b]) {
            return self.literal(self.choice(float::min(a, b)));
        }
        if a == b {
            return a;
        }
        if !self.precise() {
            let (a, b) = if self.bits(a).is_some() { (b, a) } else { (a, b) };
            if self.is(b, 1.0) && self.within_one(a) {
                return a;
            }
            if self.is(b, 1.0) && self.op(a) == Op::Max && self.zero(self.arg(a, 1)) {
                return self.clamp(self.arg(a, 0));
            }
            return self.intern(Op::Min, &[a, b]);
        }
        self.intern(Op::Min, &[a, b])
    }

    /// a >= b ? a : b. Exact: literals; `max(a, a)`. Allowed: `max(min(a, 1), 0)` = clamp; `max(a, -a)` = abs(a);
    /// `max(a, 0)` of what is not below zero.
    pub fn max(&mut self, a: Id, b: Id) -> Id {
        if let Some(plain) = self.plain(Op::Max, &[a, b]) {
            return plain;
        }
        if let Some([a, b]) = self.literals([a, b]) {
            return self.literal(self.choice(float::max(a, b)));
        }
        if a == b {
            return a;
        }
        if !self.precise() {
            let (a, b) = if self.bits(a).is_some() { (b, a) } else { (a, b) };
            if self.zero(b) && self.not_negative(a, 8) {
                return a;
            }
            if self.zero(b) && self.op(a) == Op::Min && self.is(self.arg(a, 1), 1.0) {
                return self.clamp(self.arg(a, 0));
            }
            if self.op(b) == Op::Neg && self.arg(b, 0) == a
                || self.op(a) == Op::Neg && self.arg(a, 0) == b
            {
                return self.abs(a);
            }
            return self.intern(Op::Max, &[a, b]);
        }
        self.intern(Op::Max, &[a, b])
    }

    /// a, limited to [0, 1]. Exact: literals. Allowed: of what is inside.
    pub fn clamp(&mut self, a: Id) -> Id {
        if let Some(plain) = self.plain(Op::Clamp, &[a]) {
            return plain;
        }
        match self.bits(a) {
            Some(bits) => self.literal(float::clamp01(bits)),
            None if !self.precise() && self.within_one(a) => a,
            None if self.op(a) == Op::Clamp => a,
            None => self.intern(Op::Clamp, &[a]),
        }
    }

    /// c >= 0 ? a : b. Exact: a literal c; equal a and b. Allowed: c that is never below zero.
    pub fn cmp(&mut self, a: Id, b: Id, c: Id) -> Id {
        if let Some(plain) = self.plain(Op::Cmp, &[a, b, c]) {
            return plain;
        }
        if a == b {
            return a;
        }
        if let Some(c) = self.bits(c) {
            return if float::compare(2, c) { a } else { b };
        }
        if !self.precise() && self.not_negative(c, 8) {
            return a;
        }
        if !self.precise()
            && self.op(c) == Op::Mul
            && let Some(factor) = self.value(self.arg(c, 1))
            && (1e-6..1e6).contains(&factor.abs())
        {
            let inner = self.arg(c, 0);
            let inner = if factor < 0.0 { self.neg(inner) } else { inner };
            return self.cmp(a, b, inner);
        }
        // Selects on the same condition: only the side that counts.
        let side = |graph: &Graph, x: Id, n: usize| {
            if graph.op(x) == Op::Cmp && graph.arg(x, 2) == c { graph.arg(x, n) } else { x }
        };
        let (a, b) = (side(self, a, 0), side(self, b, 1));
        if a == b { a } else { self.intern(Op::Cmp, &[a, b, c]) }
    }

    /// A function of one operand, of literals now. Exact.
    fn unary(&mut self, op: Op, a: Id, function: impl Fn(u32) -> u32) -> Id {
        match self.bits(a) {
            Some(bits) => self.literal(function(bits)),
            None => self.intern(op, &[a]),
        }
    }

    /// a - floor(a). Allowed: of a sum with a whole literal.
    pub fn frc(&mut self, a: Id) -> Id {
        if !self.precise() && self.op(a) == Op::Add {
            let [x, y] = [self.arg(a, 0), self.arg(a, 1)];
            if self.value(y).is_some_and(|y| y.fract() == 0.0) {
                return self.frc(x);
            }
        }
        self.unary(Op::Frc, a, float::frc)
    }

    /// The largest whole number up to a. Allowed: a, if it is whole.
    pub fn floor(&mut self, a: Id) -> Id {
        if !self.precise() && self.whole(a, 8) {
            return a;
        }
        let frc = self.frc_plain(a);
        self.sub(a, frc)
    }

    /// [`Graph::frc`] of exactly this node, so that `a - frc(a)` is recognised as whole.
    fn frc_plain(&mut self, a: Id) -> Id {
        self.unary(Op::Frc, a, float::frc)
    }

    /// 2^a. Allowed: 2^log2(a) = a.
    pub fn ex2(&mut self, a: Id) -> Id {
        if !self.precise() && self.op(a) == Op::Ln2 {
            return self.arg(a, 0);
        }
        self.unary(Op::Ex2, a, float::ex2)
    }

    /// log2(a). Allowed: log2(2^a) = a.
    pub fn ln2(&mut self, a: Id) -> Id {
        if !self.precise() && self.op(a) == Op::Ex2 {
            return self.arg(a, 0);
        }
        self.unary(Op::Ln2, a, float::ln2)
    }

    /// 1/a. Exact: 1/-a. Allowed: 1/(1/a); 1/sqrt(a); 1/(a * literal) = 1/a * 1/literal.
    pub fn rcp(&mut self, a: Id) -> Id {
        if let Some(plain) = self.plain(Op::Rcp, &[a]) {
            return plain;
        }
        if self.op(a) == Op::Neg && !self.keeps_bits() {
            let rcp = self.rcp(self.arg(a, 0));
            return self.neg(rcp);
        }
        if !self.precise() {
            if self.op(a) == Op::Rcp {
                return self.arg(a, 0);
            }
            if let Some(x) = self.square_root(a) {
                return self.rsq(x);
            }
        }
        self.unary(Op::Rcp, a, float::rcp)
    }

    /// 1/sqrt(a).
    pub fn rsq(&mut self, a: Id) -> Id {
        self.unary(Op::Rsq, a, float::rsq)
    }

    /// sin(2 pi a).
    pub fn sin(&mut self, a: Id) -> Id {
        self.unary(Op::Sin, a, float::sin)
    }

    /// cos(2 pi a).
    pub fn cos(&mut self, a: Id) -> Id {
        self.unary(Op::Cos, a, float::cos)
    }

    /// The sum of products of pairs: a dot product, or, if only exact rules apply, products and sums in their order.
    /// Allowed: pairs with a zero are left out; two pairs of which one has a literal are products and sums.
    pub fn dot(&mut self, pairs: &[(Id, Id)]) -> Id {
        let zero = self.number(0.0);
        let mut pairs = pairs.to_vec();
        if !self.precise() {
            pairs.retain(|(a, b)| !self.zero(*a) && !self.zero(*b));
        }
        let literal = pairs.iter().any(|(a, b)| self.bits(*a).is_some() || self.bits(*b).is_some());
        let ordered = match self.rules {
            Rules::All | Rules::Literals { precise: false } => false,
            Rules::Exact | Rules::Bits | Rules::Literals { precise: true } => true,
        };
        let literal = literal && !self.unoptimized();
        if ordered || pairs.len() < 2 || pairs.len() == 2 && literal {
            let mut sum = None;
            for (a, b) in pairs {
                let product = self.mul(a, b);
                sum = Some(sum.map_or(product, |sum| self.add(sum, product)));
            }
            return sum.unwrap_or(zero);
        }
        let mut args = Vec::new();
        for (a, b) in pairs {
            args.extend([a, b]);
        }
        while args.len() < 6 {
            args.push(zero);
        }
        self.intern(Op::Dot(args.len() as u8 / 2), &args)
    }
}

/// The rules apply to all operations. The number: how many the machine has for it.
macro_rules! by_rules {
    ($($count:literal: $($name:ident($($arg:ident),+)),+;)+) => {
        $($(fn $name(&mut self, $($arg: Id),+) -> Id {
            self.counted($count, |graph| Graph::$name(graph, $($arg),+))
        })+)+
    };
}

impl Operations for Graph {
    type Value = Id;

    by_rules! {
        1: neg(a), abs(a), add(a, b), mul(a, b), min(a, b), max(a, b), clamp(a), cmp(a, b, c), frc(a),
            ex2(a), ln2(a), rcp(a), rsq(a), sin(a), cos(a);
    }

    fn number(&mut self, value: f32) -> Id {
        Graph::number(self, value)
    }
    fn dot(&mut self, pairs: &[(Id, Id)]) -> Id {
        let operations = (2 * pairs.len()).saturating_sub(1);
        self.counted(operations, |graph| Graph::dot(graph, pairs))
    }
}

impl Arithmetic for Graph {
    by_rules! {
        1: and(a, b), or(a, b), select(condition, a, b);
        2: floor(a), not(a);
    }

    fn precise(&self) -> bool {
        Graph::precise(self)
    }
    fn value(&self, a: Id) -> Option<f32> {
        Graph::value(self, a)
    }
    fn is_nan(&mut self, a: Id) -> Id {
        if let Some(value) = self.value(a) {
            return self.number(f32::from(value.is_nan()));
        }
        // Not through `cmp`, which takes abs(a) >= 0 for true.
        let size = self.abs(a);
        let [zero, one] = [0.0, 1.0].map(|value| self.number(value));
        self.intern(Op::Cmp, &[zero, one, size])
    }
    fn not_negative(&self, a: Id) -> bool {
        // A choice by a NaN is the second value.
        !self.precise() && Graph::not_negative(self, a, 8)
    }
    fn whole(&self, a: Id) -> bool {
        !self.precise() && Graph::whole(self, a, 8)
    }
    fn limit(&self, a: Id) -> f32 {
        Graph::limit(self, a, 8)
    }
    fn chooses(&self, a: Id) -> bool {
        !self.precise() && self.test(a).is_some()
    }
    fn vector(&mut self, components: &[Id]) {
        Graph::vector(self, components);
    }
}
