//! Shapes of loops: what a loop leaves is an unknown, the same for all loops of equal shape.
//!
//! A loop is a system of recurrences: of each value what it is before the loop, and what an iteration makes of all
//! values. Values of two systems with equal counts are equal before each iteration if they are so before the first
//! one, and if from equal values an iteration makes equal ones ([`classes`](Terms::classes)): no loop is unrolled.

use crate::term::{Id, Input, Node, Terms};
use std::collections::HashMap;
use std::hash::Hash;

/// A value that the iterations of a loop change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// Before the loop.
    pub initial: Id,
    /// Its unknown before an iteration.
    pub unknown: Id,
    /// After this iteration.
    pub next: Id,
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
    /// The values that loops leave.
    left: HashMap<usize, Vec<Id>>,
}

impl Exchange {
    fn new(values: HashMap<Id, Id>) -> Exchange {
        Exchange { known: values, left: HashMap::new() }
    }
}

impl Terms {
    /// A value of which nothing is known.
    pub fn unknown(&mut self) -> Id {
        self.unknowns += 1;
        self.make(Node::Input(Input::Unknown(self.unknowns)))
    }

    /// The values that a loop leaves: where an earlier loop leaves the same, its unknown. `count`: the iterations,
    /// `height`: how deeply loops are nested in it, itself included.
    pub fn left_by(&mut self, count: u32, height: u32, carried: Vec<Carried>) -> Vec<Id> {
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
            let next: Vec<Id> = if shared {
                all.iter().map(|one| self.exchanged(one.next, &mut exchange)).collect()
            } else {
                all.iter().map(|one| one.next).collect()
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

    /// A value that a loop leaves, with other values for unknowns.
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
