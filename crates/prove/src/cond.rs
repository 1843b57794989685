//! Conditions: ordered binary decision diagrams over atoms. Equal conditions have equal numbers.
//!
//! An atom is one comparison of one term. Two conditions that are equal for all truths of their atoms
//! are one condition; that atoms depend on each other is left to the rules.

use crate::rules;
use crate::term::{Id, Node, Terms};
use ctm_isa::float;
use std::collections::HashMap;

/// The number of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cond(u32);

impl Cond {
    /// Never.
    pub const FALSE: Cond = Cond(0);
    /// Always.
    pub const TRUE: Cond = Cond(1);
}

/// A comparison of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// With 0, by [`float::compare`]; the code of a comparison, 0 to 3.
    Compare(u8),
    /// Above one half, as in CND.
    AboveHalf,
    /// Whether TEXKILL kills.
    Kills,
}

impl Check {
    /// Whether it holds.
    pub fn holds(self, bits: u32) -> bool {
        match self {
            Check::Compare(code) => float::compare(code.into(), bits),
            Check::AboveHalf => float::less(float::HALF, bits),
            Check::Kills => float::kills(float::ftz(bits)),
        }
    }

    /// Its name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Check::Compare(code) => {
                ["zero", "below_0", "from_0", "not_zero"][usize::from(code & 3)]
            }
            Check::AboveHalf => "above_half",
            Check::Kills => "kills",
        }
    }
}

/// Below [`Conds::nodes`]: an atom, and what follows if it holds and if not.
type Branch = (u32, Cond, Cond);

/// An atom that no condition has: after all others.
const LAST: u32 = u32::MAX;

/// The conditions of a proof.
pub struct Conds {
    nodes: Vec<Branch>,
    index: HashMap<Branch, Cond>,
    atoms: Vec<(Check, Id)>,
    numbers: HashMap<(Check, Id), u32>,
    known: HashMap<(Cond, Cond, Cond), Cond>,
}

impl Default for Conds {
    fn default() -> Conds {
        let end = |cond| (LAST, cond, cond);
        Conds {
            nodes: vec![end(Cond::FALSE), end(Cond::TRUE)],
            index: HashMap::new(),
            atoms: Vec::new(),
            numbers: HashMap::new(),
            known: HashMap::new(),
        }
    }
}

impl Conds {
    /// The comparison that an atom is.
    pub fn atom(&self, atom: u32) -> (Check, Id) {
        self.atoms[atom as usize]
    }

    /// The condition that an atom holds.
    fn of_atom(&mut self, check: Check, id: Id) -> Cond {
        let next = self.atoms.len() as u32;
        let atom = *self.numbers.entry((check, id)).or_insert(next);
        if atom == next {
            self.atoms.push((check, id));
        }
        self.branch(atom, Cond::TRUE, Cond::FALSE)
    }

    /// The first atom, and what follows if it holds and if not.
    pub fn split(&self, cond: Cond) -> Branch {
        self.nodes[cond.0 as usize]
    }

    fn branch(&mut self, atom: u32, yes: Cond, no: Cond) -> Cond {
        if yes == no {
            return yes;
        }
        let next = Cond(self.nodes.len() as u32);
        let cond = *self.index.entry((atom, yes, no)).or_insert(next);
        if cond == next {
            self.nodes.push((atom, yes, no));
        }
        cond
    }

    /// The condition where an atom, which comes at or before its first one, holds, and where it does not.
    fn parts(&self, cond: Cond, atom: u32) -> [Cond; 2] {
        let (first, yes, no) = self.split(cond);
        if first == atom { [yes, no] } else { [cond; 2] }
    }
}

/// The operations that can take many steps are of [`Terms`], which counts them.
impl Terms {
    /// If `of` then `yes`, else `no`.
    pub fn if_else(&mut self, of: Cond, yes: Cond, no: Cond) -> Cond {
        if of == Cond::TRUE || yes == no {
            return yes;
        }
        if of == Cond::FALSE {
            return no;
        }
        if let Some(&known) = self.conds.known.get(&(of, yes, no)) {
            return known;
        }
        let atom = [of, yes, no].map(|cond| self.conds.split(cond).0).into_iter().min();
        let atom = atom.unwrap_or(LAST);
        let [of_parts, yes_parts, no_parts] =
            [of, yes, no].map(|cond| self.conds.parts(cond, atom));
        let parts = self
            .nested(|terms| [0, 1].map(|n| terms.if_else(of_parts[n], yes_parts[n], no_parts[n])));
        let Some([hi, lo]) = parts else { return Cond::FALSE };
        let cond = self.conds.branch(atom, hi, lo);
        self.conds.known.insert((of, yes, no), cond);
        cond
    }

    /// Both.
    pub fn and(&mut self, a: Cond, b: Cond) -> Cond {
        self.if_else(a, b, Cond::FALSE)
    }

    /// One of them, or both.
    pub fn or(&mut self, a: Cond, b: Cond) -> Cond {
        self.if_else(a, Cond::TRUE, b)
    }

    /// A condition that is the same where `care` holds: a constant if it is one there.
    pub fn within(&mut self, of: Cond, care: Cond) -> Cond {
        let both = self.and(of, care);
        if both == care { Cond::TRUE } else { both }
    }

    /// Not it.
    pub fn not(&mut self, a: Cond) -> Cond {
        self.if_else(a, Cond::FALSE, Cond::TRUE)
    }

    /// 1 if a condition holds, else 0.
    pub fn truth(&mut self, cond: Cond) -> Id {
        let [no, yes] = [0, float::ONE].map(|bits| self.literal(bits));
        self.choose(cond, yes, no)
    }

    /// The condition that a comparison of a value holds.
    pub fn check(&mut self, check: Check, id: Id) -> Cond {
        if let Node::Choose(atom, yes, no) = self.node(id) {
            let parts = self.nested(|terms| [yes, no].map(|id| terms.check(check, id)));
            let Some([yes, no]) = parts else { return Cond::FALSE };
            let of = self.conds.branch(atom, Cond::TRUE, Cond::FALSE);
            return self.if_else(of, yes, no);
        }
        match rules::check(self, check, id) {
            Some(cond) => cond,
            None => self.conds.of_atom(check, id),
        }
    }

    /// A value that depends on a condition: `yes` if it holds, else `no`.
    pub fn choose(&mut self, of: Cond, yes: Id, no: Id) -> Id {
        if of == Cond::TRUE || yes == no {
            return yes;
        }
        if of == Cond::FALSE {
            return no;
        }
        if let Some(&known) = self.chosen.get(&(of, yes, no)) {
            return known;
        }
        let atom = self.conds.split(of).0.min(self.first_atom(yes)).min(self.first_atom(no));
        let of_parts = self.conds.parts(of, atom);
        let (yes_parts, no_parts) = (self.value_parts(yes, atom), self.value_parts(no, atom));
        let parts = self
            .nested(|terms| [0, 1].map(|n| terms.choose(of_parts[n], yes_parts[n], no_parts[n])));
        let Some([hi, lo]) = parts else { return yes };
        let id = self.choice(atom, hi, lo);
        self.chosen.insert((of, yes, no), id);
        id
    }

    /// The value where a condition holds. Where it does not, the result means nothing.
    pub fn restrict(&mut self, id: Id, care: Cond) -> Id {
        let (atom, yes, no) = self.conds.split(care);
        let first = self.first_atom(id);
        if atom == LAST || first == LAST {
            return id;
        }
        // A key that `choose` never has: it takes a value that is the same in both cases as it is.
        let key = (care, id, id);
        if let Some(&known) = self.chosen.get(&key) {
            return known;
        }
        let [hi, lo] = self.value_parts(id, atom.min(first));
        let found = self.nested(|terms| {
            if atom < first {
                let either = terms.or(yes, no);
                terms.restrict(id, either)
            } else if atom > first {
                let [hi, lo] = [hi, lo].map(|id| terms.restrict(id, care));
                terms.choice(first, hi, lo)
            } else if yes == Cond::FALSE {
                terms.restrict(lo, no)
            } else if no == Cond::FALSE {
                terms.restrict(hi, yes)
            } else {
                let (hi, lo) = (terms.restrict(hi, yes), terms.restrict(lo, no));
                terms.choice(atom, hi, lo)
            }
        });
        let Some(found) = found else { return id };
        self.chosen.insert(key, found);
        found
    }

    /// The first atom that the value depends on directly.
    pub(crate) fn first_atom(&self, id: Id) -> u32 {
        match self.node(id) {
            Node::Choose(atom, ..) => atom,
            _ => LAST,
        }
    }

    pub(crate) fn value_parts(&self, id: Id, atom: u32) -> [Id; 2] {
        match self.node(id) {
            Node::Choose(first, yes, no) if first == atom => [yes, no],
            _ => [id; 2],
        }
    }

    pub(crate) fn choice(&mut self, atom: u32, yes: Id, no: Id) -> Id {
        if yes == no { yes } else { self.intern(Node::Choose(atom, yes, no)) }
    }
}
