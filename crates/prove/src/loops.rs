//! Loops as a whole: what one leaves is an unknown, the same for all loops of equal shape.
//!
//! A body runs once on terms, with unknown values for all that it changes: an iteration. A loop is then a
//! system of recurrences: of each value what it is before the loop, and what an iteration makes of all values.
//! Values of two systems with equal counts are equal before each iteration if they are so before the first one,
//! and if from equal values an iteration makes equal ones ([`classes`](Terms::classes)): no loop is unrolled.
//!
//! The walk makes all iterations, also for points that have left the loop, which are idle. A group whose points
//! are all idle leaves: what the walk owes for this is checked at the end of the iteration, for all later ones.

use crate::Undecided;
use crate::cond::{Check, Cond};
use crate::flow::Debt;
use crate::machine::{State, Walk};
use crate::term::{Id, Input, Node, Terms};
use ctm_isa::isa::{AddressOp, Body, Fc, FcOp};
use std::collections::HashMap;
use std::hash::Hash;

/// A value that the iterations of a loop change.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Carried {
    /// Before the loop.
    initial: Id,
    /// Its unknown before an iteration.
    unknown: Id,
    /// After this iteration.
    next: Id,
}

/// A loop.
#[derive(Clone)]
pub(crate) struct Loop {
    /// The iterations.
    count: u32,
    /// How deeply loops are nested in it, itself included.
    height: u32,
    carried: Vec<Carried>,
    /// The unknowns that are left.
    after: Vec<Id>,
}

/// Numbers keys: equal keys have equal numbers. Also how many there are.
fn numbered<K: Eq + Hash>(keys: impl Iterator<Item = K>) -> (Vec<usize>, usize) {
    let mut numbers = HashMap::new();
    let all = keys.map(|key| {
        let next = numbers.len();
        *numbers.entry(key).or_insert(next)
    });
    (all.collect(), numbers.len())
}

/// Other values for some unknowns, and what terms are with them.
struct Exchange {
    known: HashMap<Id, Id>,
    /// What loops leave.
    left: HashMap<usize, Vec<Id>>,
}

impl Exchange {
    fn new(values: HashMap<Id, Id>) -> Exchange {
        Exchange { known: values, left: HashMap::new() }
    }
}

impl Terms {
    /// A value of which nothing is known.
    fn unknown(&mut self) -> Id {
        self.unknowns += 1;
        self.make(Node::Input(Input::Unknown(self.unknowns)))
    }

    /// What a loop leaves: where an earlier loop leaves the same, its unknown.
    fn left_by(&mut self, count: u32, height: u32, carried: Vec<Carried>) -> Vec<Id> {
        let mut after: Vec<Option<Id>> = vec![None; carried.len()];
        for n in 0..self.loops.len() {
            let other = &self.loops[n];
            if (other.count, other.height) != (count, height) {
                continue;
            }
            let other = other.clone();
            let (theirs, ours) = self.classes(&other.carried, &carried);
            for (after, class) in after.iter_mut().zip(ours) {
                let same = theirs.iter().position(|other| *other == class);
                *after = after.or(same.map(|n| other.after[n]));
            }
            if after.iter().all(Option::is_some) {
                return after.into_iter().flatten().collect();
            }
        }
        let (_, classes) = self.classes(&[], &carried);
        let mut found: Vec<Id> = Vec::new();
        for (n, after) in after.into_iter().enumerate() {
            let same = classes[..n].iter().position(|class| *class == classes[n]);
            let known = after.or(same.map(|n| found[n]));
            let id = known.unwrap_or_else(|| self.unknown());
            self.left.entry(id).or_insert((self.loops.len(), n));
            found.push(id);
        }
        self.loops.push(Loop { count, height, carried, after: found.clone() });
        found
    }

    /// Classes of values that are equal before each iteration of two loops that make equal numbers of them: they
    /// are equal before the first one; and if all values of a class are equal before an iteration, they are so
    /// after it.
    fn classes(&mut self, a: &[Carried], b: &[Carried]) -> (Vec<usize>, Vec<usize>) {
        let loops = self.loops.len();
        let all: Vec<Carried> = a.iter().chain(b).copied().collect();
        let (mut classes, mut count) = numbered(all.iter().map(|one| one.initial));
        loop {
            let (ours, theirs) = classes.split_at(a.len());
            let shared = a.is_empty() || ours.iter().any(|class| theirs.contains(class));
            // One unknown for each class.
            let mut of_class: HashMap<usize, Id> = HashMap::new();
            let unknowns = all
                .iter()
                .zip(&classes)
                .map(|(one, class)| (one.unknown, *of_class.entry(*class).or_insert(one.unknown)));
            let mut exchange = Exchange::new(unknowns.collect());
            let next: Vec<Id> = match shared {
                true => all.iter().map(|one| self.exchanged(one.next, &mut exchange)).collect(),
                false => all.iter().map(|one| one.next).collect(),
            };
            let (finer, more) = numbered(classes.iter().zip(next));
            // What loops inside leave is not used again.
            self.loops.truncate(loops);
            self.left.retain(|_, (number, _)| *number < loops);
            let done = more == count || !shared || self.is_spent();
            (classes, count) = (finer, more);
            if done {
                let ours = classes.drain(..a.len()).collect();
                return (ours, classes);
            }
        }
    }

    /// A term with other values for unknowns. Meaningless if no steps are left.
    fn exchanged(&mut self, id: Id, exchange: &mut Exchange) -> Id {
        for part in self.parts(id, |id| exchange.known.contains_key(&id)) {
            if !self.burn() {
                return id;
            }
            let of = |id: &Id| exchange.known[id];
            let node = self.node(part);
            let new = match node {
                Node::Literal(_) | Node::Absent => part,
                Node::Input(Input::Unknown(_)) => self.left_with(part, exchange),
                Node::Input(_) => part,
                Node::Sign(modifier, a) => self.sign(modifier, of(&a)),
                Node::Quad(n, a) => self.make(Node::Quad(n, of(&a))),
                Node::Texel { surface, unscaled, channel, at } => {
                    let at = at.each_ref().map(of);
                    self.make(Node::Texel { surface, unscaled, channel, at })
                }
                Node::Calc(calc, aux, mut operands) => {
                    operands[..calc.facts().operands].iter_mut().for_each(|id| *id = of(id));
                    self.make(Node::Calc(calc, aux, operands))
                }
                Node::Choose(atom, yes, no) => {
                    let (check, tested) = self.conds.atom(atom);
                    let (tested, yes, no) = (of(&tested), of(&yes), of(&no));
                    let holds = self.check(check, tested);
                    self.choose(holds, yes, no)
                }
            };
            exchange.known.insert(part, new);
        }
        exchange.known[&id]
    }

    /// What a loop leaves, with other values for unknowns.
    fn left_with(&mut self, id: Id, exchange: &mut Exchange) -> Id {
        let Some(&(number, place)) = self.left.get(&id) else { return id };
        if let Some(left) = exchange.left.get(&number) {
            return left[place];
        }
        let Loop { count, height, carried, after } = self.loops[number].clone();
        let with = |terms: &mut Terms, one: &Carried, exchange: &mut Exchange| Carried {
            initial: terms.exchanged(one.initial, exchange),
            next: terms.exchanged(one.next, exchange),
            ..*one
        };
        let mut new: Vec<Carried> = carried.iter().map(|one| with(self, one, exchange)).collect();
        let left = if new == carried {
            after
        } else {
            // No two loops have the same unknowns.
            let fresh = new.iter().map(|one| (one.unknown, self.unknown())).collect();
            let mut fresh = Exchange::new(fresh);
            for one in &mut new {
                one.next = self.exchanged(one.next, &mut fresh);
                one.unknown = fresh.known[&one.unknown];
            }
            self.left_by(count, height, new)
        };
        let found = left[place];
        exchange.left.insert(number, left);
        found
    }
}

const NOT_ZERO: Check = Check::Compare(3);

impl State {
    /// All that instructions can change but the flow state: conditions as 1 and 0.
    fn values(&self, terms: &mut Terms) -> Vec<Id> {
        let mut all: Vec<Id> =
            self.temps.iter().chain(&self.results.outputs).flatten().copied().collect();
        all.push(self.results.own);
        let conds = [self.alu_result, self.results.alive];
        let conds = self.predicates.iter().copied().chain(conds);
        all.extend(conds.map(|cond| terms.truth(cond)));
        all
    }

    /// Sets what [`State::values`] gives.
    fn set_values(&mut self, terms: &mut Terms, all: &[Id]) {
        let mut all = all.iter().copied();
        let places = self.temps.iter_mut().chain(&mut self.results.outputs).flatten();
        for (place, id) in places.chain([&mut self.results.own]).zip(&mut all) {
            *place = id;
        }
        let conds = [&mut self.alu_result, &mut self.results.alive];
        for (place, id) in self.predicates.iter_mut().chain(conds).zip(all) {
            *place = terms.check(NOT_ZERO, id);
        }
    }
}

/// The place of a loop.
#[derive(Clone, Copy)]
struct Place {
    /// The first instruction of the body.
    first: u32,
    /// The instruction that goes back.
    last: u32,
}

impl Walk<'_> {
    /// Runs the loop that the walk has just entered as a whole. Returns the pc after it.
    ///
    /// # Errors
    /// It is none of those that this is for.
    pub(crate) fn whole(&mut self, fc: &Fc, first: u32) -> Result<u32, Undecided> {
        let place = self.place(fc.op, first).ok_or(Undecided::Unstructured(first))?;
        let (before, height) = (self.state.clone(), std::mem::take(&mut self.height));
        self.state = self.left(&before, place)?;
        self.height = height.max(self.height + 1);
        Ok(place.last + 1)
    }

    /// The place of a loop in which idle points stay idle and that has all else inside: no calls, no end.
    fn place(&self, op: FcOp, first: u32) -> Option<Place> {
        let (instructions, registers) = (self.program.instructions(), self.program.registers());
        let back = if op == FcOp::Loop { FcOp::EndLoop } else { FcOp::EndRep };
        let goes_back = |pc: &u32| match &instructions[*pc as usize].body {
            Body::Fc(fc) => fc.op == back && fc.target(registers.offset()) == first,
            Body::Alu(_) | Body::Tex(_) => false,
        };
        let last = (first..instructions.len() as u32).find(goes_back)?;
        let is_plain = |pc: u32| {
            let instruction = &instructions[pc as usize];
            let calls = match &instruction.body {
                Body::Fc(fc) => fc.a_op != AddressOp::None,
                Body::Alu(_) | Body::Tex(_) => false,
            };
            !instruction.common.write_inactive && !calls && pc != registers.end()
        };
        (first..=last).all(is_plain).then_some(Place { first, last })
    }

    /// The state after a loop. `before`: that in front of its first instruction.
    fn left(&mut self, before: &State, place: Place) -> Result<State, Undecided> {
        let mut after = before.clone();
        let Some(frame) = after.flow.frames.pop() else { return Err(Undecided::Fault) };
        after.flow.al = frame.saved_al;
        // The last one says who has left the loop.
        let values = |state: &State, terms: &mut Terms| {
            let frame = state.flow.frames.last();
            let mut all = state.values(terms);
            all.push(terms.truth(frame.map_or(Cond::FALSE, |frame| frame.broken)));
            all
        };
        let initial = values(before, self.terms);
        let active = before.flow.active(self.terms);
        // Only points that are active before it count, unless others can be neighbours that they read.
        let cared = if self.program.uses().neighbours { Cond::TRUE } else { active };
        let mut changes = vec![true; initial.len()];
        let mut carried = Vec::new();
        // First everything may change, then what the first run changes.
        for _ in 0..2 {
            self.state = before.clone();
            let with_unknowns = initial.iter().zip(&changes);
            let unknowns: Vec<Id> = with_unknowns
                .map(|(&id, changes)| if *changes { self.terms.unknown() } else { id })
                .collect();
            self.state.set_values(self.terms, &unknowns);
            if let (Some(frame), Some(&id)) = (self.state.flow.frames.last_mut(), unknowns.last()) {
                frame.broken = self.terms.check(NOT_ZERO, id);
            }
            let now = values(&self.state, self.terms);
            self.iteration(before, &after, place)?;
            let next = values(&self.state, self.terms);
            carried.clear();
            for n in 0..initial.len() {
                changes[n] &= now[n] != next[n];
                if changes[n] {
                    let [initial, next] =
                        [initial[n], next[n]].map(|id| self.terms.restrict(id, cared));
                    carried.push(Carried { initial, unknown: unknowns[n], next });
                }
            }
        }
        let owed = self.state.owed.iter().filter(|debt| before.owed.contains(debt));
        after.owed = owed.cloned().collect();
        after.results.instructions = self.state.results.instructions;
        let left = self.terms.left_by(frame.remaining, self.height + 1, carried);
        let mut left = left.into_iter();
        let mut all = initial;
        // Points that are idle before it go on as they are.
        for (value, _) in all.iter_mut().zip(&changes).filter(|(_, changes)| **changes) {
            let Some(new) = left.next() else { continue };
            *value = self.terms.choose(active, new, *value);
        }
        after.set_values(self.terms, &all);
        Ok(after)
    }

    /// Runs the body once. All that it may change in the flow state is which points have left the loop.
    fn iteration(&mut self, before: &State, after: &State, place: Place) -> Result<(), Undecided> {
        let other = Undecided::Unstructured(place.first);
        self.state.pc = place.first;
        if let Some(frame) = self.state.flow.frames.last_mut() {
            // Not the last one.
            frame.remaining = u32::MAX;
        }
        loop {
            let pc = self.state.pc;
            if !(place.first..=place.last).contains(&pc) {
                return Err(other);
            }
            self.state.pc = self.instruction()?;
            if pc == place.last {
                break;
            }
        }
        let (mut flow, mut same) = (self.state.flow.clone(), before.flow.clone());
        if let (Some(a), Some(b)) = (flow.frames.last_mut(), same.frames.last_mut()) {
            (a.remaining, a.broken) = (b.remaining, b.broken);
        }
        let writes = [&self.state, before].map(|state| state.results.uncached.len());
        if self.state.pc != place.first || flow != same || writes[0] != writes[1] {
            return Err(other);
        }
        // Groups that leave here.
        let active = self.state.flow.active(self.terms);
        let owed: Vec<Debt> = self.state.owed.clone();
        for debt in owed.iter().filter(|debt| !before.owed.contains(debt)) {
            let idle = self.terms.and(active, debt.care) == Cond::FALSE;
            if !idle
                || debt.to != place.last + 1
                || !after.flow.same(&debt.flow, debt.care, self.terms)
            {
                return Err(other);
            }
        }
        Ok(())
    }
}
