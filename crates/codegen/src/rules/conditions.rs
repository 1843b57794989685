//! The rules of conditions: c >= 0 and c < 0 as 1 or 0.

use crate::graph::{Graph, Id, Op};
use ctm_isa::arithmetic::Arithmetic;
use ctm_isa::float;

impl Graph {
    /// c and whether the condition is c >= 0 (else c < 0), of a condition of this form.
    pub fn test(&self, condition: Id) -> Option<(Id, bool)> {
        let node = self.node(condition);
        if node.op != Op::Cmp {
            return None;
        }
        let [a, b, c, ..] = node.args;
        if self.is(a, 1.0) && self.is(b, 0.0) {
            Some((c, true))
        } else if self.is(a, 0.0) && self.is(b, 1.0) {
            Some((c, false))
        } else {
            None
        }
    }

    /// The part of a condition that a block reads: the number that a test compares with 0, or the
    /// condition.
    pub fn tested(&self, condition: Id) -> Id {
        self.test(condition).map_or(condition, |(c, _)| c)
    }

    /// The opposite of a condition.
    pub fn not(&mut self, condition: Id) -> Id {
        match self.test(condition).filter(|_| !self.unoptimized()) {
            Some((c, true)) => self.below(c),
            Some((c, false)) => self.not_below(c),
            None => {
                let one = self.number(1.0);
                self.sub(one, condition)
            }
        }
    }

    /// The tests of two conditions, where a comparison with a minimum or maximum may replace two: not for a NaN.
    fn tests(&self, a: Id, b: Id) -> [Option<(Id, bool)>; 2] {
        let tests = [self.test(a), self.test(b)];
        match tests {
            [Some(p), Some(q)] if self.precise() && p.1 == q.1 => [Some(p), None],
            _ => tests,
        }
    }

    /// Both conditions. Exact: as a choice. Allowed: by the minimum or maximum of what is tested. `a` may say whether `b` is
    /// computed at all, so what `a` tests comes second: MIN and MAX of a NaN are their second operand, and no NaN of `b`
    /// reaches a condition that is joined to this one.
    pub fn and(&mut self, a: Id, b: Id) -> Id {
        if let Some(plain) = self.plain(Op::Mul, &[a, b]) {
            return plain;
        }
        if self.is(a, 1.0) || a == b {
            return b;
        }
        if self.is(b, 1.0) {
            return a;
        }
        if self.is(a, 0.0) || self.is(b, 0.0) {
            return self.number(0.0);
        }
        match self.tests(a, b) {
            [Some((p, true)), Some((q, true))] => {
                let c = self.min(q, p);
                self.not_below(c)
            }
            [Some((p, false)), Some((q, false))] => {
                let c = self.max(q, p);
                self.below(c)
            }
            [None, Some(_)] => self.and(b, a),
            [Some(_), _] => {
                let zero = self.number(0.0);
                self.select(a, b, zero)
            }
            [None, None] => self.mul(a, b),
        }
    }

    /// At least one of two conditions. Exact and allowed as for [`Graph::and`].
    pub fn or(&mut self, a: Id, b: Id) -> Id {
        if let Some(plain) = self.plain(Op::Max, &[a, b]) {
            return plain;
        }
        if self.is(a, 0.0) || a == b {
            return b;
        }
        if self.is(b, 0.0) {
            return a;
        }
        if self.is(a, 1.0) || self.is(b, 1.0) {
            return self.number(1.0);
        }
        match self.tests(a, b) {
            [Some((p, true)), Some((q, true))] => {
                let c = self.max(q, p);
                self.not_below(c)
            }
            [Some((p, false)), Some((q, false))] => {
                let c = self.min(q, p);
                self.below(c)
            }
            [None, Some(_)] => self.or(b, a),
            [Some(_), _] => {
                let one = self.number(1.0);
                self.select(a, one, b)
            }
            [None, None] => self.max(a, b),
        }
    }

    /// condition ? a : b, for a condition that is 0 or 1.
    pub fn select(&mut self, condition: Id, a: Id, b: Id) -> Id {
        if self.unoptimized() && self.bits(condition).is_none() {
            let c = self.neg(condition);
            return self.cmp(b, a, c);
        }
        if a == b {
            return a;
        }
        if let Some(bits) = self.bits(condition) {
            return if float::is_zero(bits) { b } else { a };
        }
        if let Some((c, not_below)) = self.test(condition) {
            return if not_below { self.cmp(a, b, c) } else { self.cmp(b, a, c) };
        }
        let node = self.node(condition);
        if node.op == Op::Cmp {
            // A condition that is itself a choice between a condition and 0 or 1.
            let [p, q, c, ..] = node.args;
            if self.bits(p).is_some() || self.bits(q).is_some() {
                let [p, q] = [self.select(p, a, b), self.select(q, a, b)];
                return self.cmp(p, q, c);
            }
        }
        if self.is(a, 1.0) && self.is(b, 0.0) {
            return condition;
        }
        let c = self.neg(condition);
        self.cmp(b, a, c)
    }
}
