//! Loops of listings as a whole, as proofs of programs take them: one iteration runs, and its shape says what is left.

use super::{Block, Failure, ITERATIONS, NOT_ZERO, Walk, undefined, without};
use crate::mesa::listing::{Component, Destination, File, Line, Statement};
use ctm_prove::term::{Id, Node};
use ctm_prove::{Carried, Cond};
use std::collections::BTreeSet;

/// The end of the loop that has begun before a statement.
fn end(lines: &[Line], start: usize) -> Option<usize> {
    let mut depth = 1;
    for (n, line) in lines.iter().enumerate().skip(start) {
        match line.statement {
            Statement::Loop => depth += 1,
            Statement::EndLoop => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(n);
        }
    }
    None
}

/// The components that statements write.
fn written(lines: &[Line]) -> BTreeSet<Component> {
    let mut all = BTreeSet::new();
    let mut add = |write: &Destination| {
        let Destination { file, index, mask } = *write;
        let channels = (0..4).filter(|channel| mask >> channel & 1 != 0);
        all.extend(channels.map(|channel| Component { file, index, channel }));
    };
    for line in lines {
        match &line.statement {
            Statement::Compute(units) => {
                units.iter().flat_map(|unit| &unit.writes).for_each(&mut add)
            }
            Statement::Fetch(fetch) => add(&fetch.write),
            _ => {}
        }
    }
    all
}

impl Walk<'_> {
    /// All that a loop can change, but which points have left it: components, outputs, and conditions as 1 and 0.
    fn values(&self, written: &BTreeSet<Component>) -> Vec<Id> {
        let mut terms = self.setting.terms.borrow_mut();
        let mut all = Vec::new();
        for of in written {
            let fresh = terms.make(undefined(*of));
            all.push(self.registers.get(of).copied().unwrap_or(fresh));
            if of.file != File::Temp {
                let absent = terms.make(Node::Absent);
                let output = self.outputs.get(&(of.file, of.index)).copied();
                all.push(output.unwrap_or([absent; 4])[usize::from(of.channel)]);
            }
        }
        all.push(self.flag);
        all.extend([self.alive, self.endless].map(|cond| terms.truth(cond)));
        all
    }

    /// Sets what [`Walk::values`] gives.
    fn set_values(&mut self, written: &BTreeSet<Component>, all: &[Id]) {
        let mut terms = self.setting.terms.borrow_mut();
        let mut all = all.iter().copied();
        for of in written {
            self.registers.extend(all.next().map(|id| (*of, id)));
            if of.file != File::Temp {
                let absent = terms.make(Node::Absent);
                let output = self.outputs.entry((of.file, of.index)).or_insert([absent; 4]);
                output[usize::from(of.channel)] = all.next().unwrap_or(absent);
            }
        }
        self.flag = all.next().unwrap_or(self.flag);
        for (cond, id) in [&mut self.alive, &mut self.endless].into_iter().zip(all) {
            *cond = terms.check(NOT_ZERO, id);
        }
    }

    /// Runs the loop that has just begun as a whole. Returns the number of the statement after it.
    pub(super) fn whole(&mut self, lines: &[Line], start: usize) -> Result<usize, Failure> {
        let number = lines.get(start).map_or(0, |line| line.number);
        let bad = || Failure::Reason(format!("line {number}: the listing ends inside a block"));
        let end = end(lines, start).ok_or_else(bad)?;
        let body = &lines[start..end];
        let written = written(body);
        let (before, height) = (self.active, std::mem::take(&mut self.height));
        let mut initial = self.values(&written);
        let (unknowns, left) = {
            let mut terms = self.setting.terms.borrow_mut();
            initial.push(terms.truth(Cond::FALSE));
            let unknowns: Vec<Id> = initial.iter().map(|_| terms.unknown()).collect();
            let left = unknowns.last().map(|id| terms.check(NOT_ZERO, *id));
            (unknowns, left.unwrap_or(Cond::FALSE))
        };
        self.set_values(&written, &unknowns);
        self.active = without(&mut self.setting.terms.borrow_mut(), before, left);
        let (skipped, iterations) = (Cond::FALSE, 1);
        let mut blocks = vec![Block::Loop { start: 0, before, left, skipped, iterations }];
        self.within(body, &mut blocks)?;
        let [Block::Loop { left, .. }] = blocks[..] else { return Err(bad()) };
        let mut next = self.values(&written);
        let mut terms = self.setting.terms.borrow_mut();
        next.push(terms.truth(left));
        let all = initial.iter().zip(&unknowns).zip(&next);
        let carried = all.map(|((&initial, &unknown), &next)| Carried { initial, unknown, next });
        let after = terms.left_by(ITERATIONS, self.height + 1, carried.collect());
        for (n, new) in after.into_iter().enumerate() {
            // Points that are idle before it go on as they are, and so does what no iteration changes.
            if next[n] != unknowns[n] {
                initial[n] = terms.choose(before, new, initial[n]);
            }
        }
        let left = initial.last().map(|id| terms.check(NOT_ZERO, *id));
        let endless = without(&mut terms, before, left.unwrap_or(Cond::FALSE));
        drop(terms);
        self.set_values(&written, &initial);
        self.endless = self.setting.terms.borrow_mut().or(self.endless, endless);
        (self.active, self.height) = (before, height.max(self.height + 1));
        Ok(end + 1)
    }
}
