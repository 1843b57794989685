//! Where a value depends on no input that has no meaning.

use crate::cond::Cond;
use crate::term::{Id, Input, Node, Terms};
use std::collections::HashMap;

/// The condition under which a value depends on no input that `is_open` names, and is not absent. A
/// choice depends on what it compares and on the side that is chosen; a neighbour's value counts as one that
/// depends on them if it ever does.
pub fn defined(terms: &mut Terms, id: Id, is_open: impl Fn(Input) -> bool) -> Cond {
    let mut needed: HashMap<Id, Cond> = HashMap::new();
    for id in terms.parts(id, |_| false) {
        let node = terms.node(id);
        let cond = match node {
            Node::Absent => Cond::FALSE,
            Node::Input(input) if is_open(input) => Cond::FALSE,
            Node::Quad(_, of) if needed[&of] != Cond::TRUE => Cond::FALSE,
            Node::Choose(atom, yes, no) => {
                let (check, of) = terms.conds.atom(atom);
                let holds = terms.check(check, of);
                let chosen = terms.if_else(holds, needed[&yes], needed[&no]);
                terms.and(needed[&of], chosen)
            }
            _ => {
                let operands = Terms::operands(&node);
                operands.iter().fold(Cond::TRUE, |all, operand| terms.and(all, needed[operand]))
            }
        };
        needed.insert(id, cond);
    }
    needed[&id]
}
