//! Operations that get simpler because their operands do not reach them.

use super::{DONE, Scheduler, distinct};
use crate::code::{Atom, Does, Operand, Operation, Source, Value, ValueId};
use crate::graph::{Id, NONE};
use crate::limits::{Exceeded, Limit};
use ctm_isa::isa::{AluOp, Presub};

impl Scheduler<'_> {
    /// Makes an operation simpler whose operands do not reach it.
    pub(super) fn split(&mut self, n: usize) -> Result<(), Exceeded> {
        let operands = self.code.operations[n].operands.clone();
        let found = operands.iter().find_map(|operand| match operand.source {
            Source::Presub(presub, atoms) => Some((presub, atoms)),
            Source::Atom(_) => None,
        });
        let Some((presub, atoms)) = found else {
            return match self.code.operations[n].does {
                Does::Dot(_) if !self.ir.graph.keeps_bits() => self.expand(n),
                Does::Dot(_) | Does::Lane(_) | Does::Fetch(_) | Does::Kill | Does::Write => {
                    Err(Limit::Temporaries.at(self.origin(n)))
                }
            };
        };
        let atom = |atom, neg| Operand { source: Source::Atom(atom), neg, abs: false };
        let one = Operand::literal(1.0);
        let inputs = match presub {
            Presub::Bias => vec![atom(atoms[0], false), Operand::literal(-2.0), one],
            Presub::Inv => vec![atom(atoms[0], true), one, one],
            Presub::Sub => vec![atom(atoms[1], false), one, atom(atoms[0], true)],
            Presub::Add => vec![atom(atoms[0], false), one, atom(atoms[1], false)],
        };
        let same = Source::Presub(presub, atoms);
        let sum = self.code.sums.iter().find(|(source, _)| *source == same);
        let node = sum.map_or(NONE, |(_, node)| *node);
        let value = self.insert(Does::Lane(AluOp::Mad), inputs, node, n);
        // All that are not done use it.
        for user in 0..self.code.operations.len() {
            let waits = self.needs[user] != DONE
                && self.code.operations[user].block == self.code.operations[n].block;
            if waits
                && self.code.operations[user].operands.iter().any(|operand| operand.source == same)
            {
                self.replace(user, |operands| {
                    for operand in operands.iter_mut().filter(|operand| operand.source == same) {
                        operand.source = Source::Atom(Atom::Value(value));
                    }
                });
            }
        }
        Ok(())
    }

    /// A dot product as products and sums.
    fn expand(&mut self, n: usize) -> Result<(), Exceeded> {
        let operands = self.code.operations[n].operands.clone();
        let pairs: Vec<&[Operand]> = operands
            .chunks(2)
            .filter(|pair| pair.iter().all(|operand| *operand != Operand::literal(0.0)))
            .collect();
        let mut sum = Operand::literal(if self.ir.graph.precise() { -0.0 } else { 0.0 });
        let Some((last, first)) = pairs.split_last() else {
            return Err(Limit::Temporaries.at(self.origin(n)));
        };
        for pair in first {
            let node = self.code.operations[n].node;
            let value = self.insert(Does::Lane(AluOp::Mad), vec![pair[0], pair[1], sum], node, n);
            sum = Operand { source: Source::Atom(Atom::Value(value)), neg: false, abs: false };
        }
        let last = vec![last[0], last[1], sum];
        self.code.operations[n].does = Does::Lane(AluOp::Mad);
        self.replace(n, |operands| *operands = last);
        Ok(())
    }

    /// Adds an operation for another one; it computes `node`, or a part of it.
    fn insert(&mut self, does: Does, operands: Vec<Operand>, node: Id, user: usize) -> ValueId {
        let n = self.code.operations.len();
        let value = self.code.values.len();
        self.code.values.push(Value { made: Some(n), ..Value::default() });
        let Operation { origin, block, .. } = self.code.operations[user];
        let operation = Operation::new(does, operands, vec![Some(value)], block);
        self.code.operations.push(Operation { node, origin, ..operation });
        self.places.push(None);
        self.remaining_uses.push(0);
        self.users.push(Vec::new());
        self.height.push(self.height[user] + 1);
        self.needs.push(0);
        self.remaining += 1;
        for value in distinct(&self.code.operations[n]) {
            self.remaining_uses[value] += 1;
        }
        self.link(n);
        value
    }

    /// Changes the operands of an operation that is not done.
    fn replace(&mut self, n: usize, change: impl FnOnce(&mut Vec<Operand>)) {
        let before = distinct(&self.code.operations[n]);
        change(&mut self.code.operations[n].operands);
        let after = distinct(&self.code.operations[n]);
        for value in &after {
            self.remaining_uses[*value] += 1;
        }
        for value in before {
            self.release(value);
        }
        self.link(n);
    }

    /// Counts anew what an operation waits for.
    fn link(&mut self, n: usize) {
        let mut makers: Vec<usize> =
            self.before(n).into_iter().filter(|maker| self.needs[*maker] != DONE).collect();
        makers.sort_unstable();
        makers.dedup();
        self.needs[n] = makers.len();
        for maker in makers {
            if !self.users[maker].contains(&n) {
                self.users[maker].push(n);
            }
        }
        // A maker may be listed without being read any more.
        for maker in 0..self.users.len() {
            if maker != n && self.users[maker].contains(&n) && !self.before(n).contains(&maker) {
                self.users[maker].retain(|user| *user != n);
            }
        }
        self.ready.retain(|other| *other != n);
        if self.needs[n] == 0 && self.code.operations[n].block == self.block {
            self.ready.push(n);
        }
    }
}
