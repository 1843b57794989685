//! Facts along statements.

use crate::translate::flow::ops_of;
use crate::translate::flush::{Pass, Rows};
use crate::translate::tree::{Leave, Node};

/// The facts of the points that leave the turn of a loop early; `None`: no point does.
#[derive(Default)]
pub struct Exits {
    after: Option<Rows>,
    again: Option<Rows>,
}

/// The turns of a loop in which bounds may change as they do. After that they are widened, so that few
/// turns are enough.
const TURNS: u32 = 3;

impl Pass<'_> {
    /// The facts after statements, from those before; `None` if no point gets there. `last`: the program
    /// ends after them.
    pub fn block(
        &mut self,
        nodes: &[Node],
        mut facts: Option<Rows>,
        exits: &mut Exits,
        last: bool,
    ) -> Option<Rows> {
        for (n, node) in nodes.iter().enumerate() {
            facts = self.node(node, facts?, exits, last && n + 1 == nodes.len());
        }
        facts
    }

    fn node(
        &mut self,
        node: &Node,
        mut facts: Rows,
        exits: &mut Exits,
        last: bool,
    ) -> Option<Rows> {
        match node {
            Node::Run(slots) => {
                let slots = slots.clone().flat_map(|pc| ops_of(self.lowered, pc));
                let ops: Vec<usize> = slots.filter(|&index| self.needed[index]).collect();
                self.run(&ops, &mut facts, last);
                Some(facts)
            }
            Node::If { then, otherwise, .. } => {
                let other = self.block(otherwise, Some(facts.clone()), exits, last);
                join(self.block(then, Some(facts), exits, last), other)
            }
            Node::Loop { body, .. } => {
                // What holds in all turns holds in the first one, and follows for the next one.
                let mut top = match self.tops.remove(&std::ptr::from_ref(node)) {
                    Some(known) => joined(facts, &known),
                    None => facts,
                };
                let searching = std::mem::replace(&mut self.searching, true);
                let mut turns = 0;
                let (mut next, mut after) = loop {
                    let (next, after) = self.turn(body, top.clone());
                    let mut all = join(next.clone(), Some(top.clone())).unwrap_or_default();
                    if all == top {
                        break (next, after);
                    }
                    turns += 1;
                    if turns > TURNS {
                        all.iter_mut().zip(&top).for_each(|(now, top)| *now = now.widened(top));
                    }
                    top = all;
                };
                self.searching = searching;
                if !searching {
                    (next, after) = self.turn(body, top.clone());
                }
                self.tops.insert(node, top);
                join(next, after)
            }
            Node::Leave { condition, to, .. } => {
                let exit = match to {
                    Leave::Break => &mut exits.after,
                    Leave::Continue => &mut exits.again,
                };
                *exit = join(exit.take(), Some(facts.clone()));
                (condition.known() != Some(true)).then_some(facts)
            }
        }
    }

    /// A turn of a loop: the facts at its end, and those of the points that leave the loop.
    fn turn(&mut self, body: &[Node], top: Rows) -> (Option<Rows>, Option<Rows>) {
        let mut exits = Exits::default();
        let end = self.block(body, Some(top), &mut exits, false);
        (join(end, exits.again), exits.after)
    }
}

/// The facts that hold on both ways.
fn join(one: Option<Rows>, other: Option<Rows>) -> Option<Rows> {
    match (one, other) {
        (Some(one), Some(other)) => Some(joined(one, &other)),
        (one, other) => one.or(other),
    }
}

fn joined(mut one: Rows, other: &Rows) -> Rows {
    one.iter_mut().zip(other).for_each(|(one, other)| *one = one.or(other));
    one
}
