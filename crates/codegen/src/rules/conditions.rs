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
                let not = self.sub(one, condition);
                self.note("not", &[condition], not)
            }
        }
    }

    /// Notes what a new node is where no rules apply, so that its text says it.
    fn note(&mut self, name: &'static str, operands: &[Id], id: Id) -> Id {
        if self.unoptimized() && operands.iter().all(|operand| *operand < id) {
            self.conditions.entry(id).or_insert_with(|| (name, operands.to_vec()));
        }
        id
    }

    /// The test of `b` where `a` is `open`, else the opposite of `open`. The number that `b` tests is chosen, not its
    /// result, so that the choice of a value by two conditions takes two instructions, and a branch by them one.
    fn join(&mut self, a: Id, b: (Id, bool), open: bool) -> Id {
        let (tested, not_below) = b;
        let decided = self.number(if open == not_below { -1.0 } else { 1.0 });
        let [yes, no] = if open { [tested, decided] } else { [decided, tested] };
        let c = self.select(a, yes, no);
        if not_below { self.not_below(c) } else { self.below(c) }
    }

    /// Both conditions. `a` may say whether `b` is computed at all: where it does not hold, no number of `b` counts.
    pub fn and(&mut self, a: Id, b: Id) -> Id {
        if let Some(plain) = self.plain(Op::Mul, &[a, b]) {
            return self.note("and", &[a, b], plain);
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
        match (self.test(a), self.test(b)) {
            (_, Some(test)) => self.join(a, test, true),
            (Some(_), None) => self.and(b, a),
            (None, None) => self.mul(a, b),
        }
    }

    /// At least one of two conditions; as for [`Graph::and`], where `a` holds, no number of `b` counts.
    pub fn or(&mut self, a: Id, b: Id) -> Id {
        if let Some(plain) = self.plain(Op::Max, &[a, b]) {
            return self.note("or", &[a, b], plain);
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
        match (self.test(a), self.test(b)) {
            (_, Some(test)) => self.join(a, test, false),
            (Some(_), None) => self.or(b, a),
            (None, None) => self.max(a, b),
        }
    }

    /// condition ? a : b, for a condition that is 0 or 1.
    pub fn select(&mut self, condition: Id, a: Id, b: Id) -> Id {
        if self.unoptimized() && self.bits(condition).is_none() {
            let c = self.neg(condition);
            let choice = self.cmp(b, a, c);
            return self.note("select", &[condition, a, b], choice);
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
