//! The lines of the source that each instruction serves.
//!
//! An operation serves the statements that ask for its node, and those whose nodes it takes in: products in sums, sums in
//! presubtracts, signs, modifiers. A copy serves the statement that needs it.

use crate::code::Does;
use crate::graph::{Id, NONE, Op};
use crate::ir::Ir;
use crate::schedule::{Schedule, Slot};

/// Most lines of an instruction that are kept.
const MOST: usize = 16;

/// The lines of a source.
pub struct Lines {
    /// The offset of the start of each.
    starts: Vec<usize>,
}

impl Lines {
    /// The lines of a text.
    pub fn of(source: &str) -> Lines {
        let starts = source.match_indices('\n').map(|(at, _)| at + 1);
        Lines { starts: std::iter::once(0).chain(starts).collect() }
    }

    /// The line of an offset, counted from 1; `None` for offset 0: the place is not known.
    pub fn line(&self, origin: u32) -> Option<usize> {
        (origin > 0).then(|| self.starts.partition_point(|start| *start <= origin as usize))
    }
}

/// Offsets of the source with their lines: one for each line.
#[derive(Default)]
struct Places(Vec<(usize, u32)>);

impl Places {
    fn add(&mut self, lines: &Lines, offsets: &[u32]) {
        for offset in offsets {
            let Some(line) = lines.line(*offset) else { continue };
            match self.0.iter_mut().find(|(other, _)| *other == line) {
                Some((_, first)) => *first = (*first).min(*offset),
                None => self.0.push((line, *offset)),
            }
        }
    }

    /// Adds those of a part, unless they share a line: other users of the part have its other lines.
    fn take_in(&mut self, part: Places) {
        let shares = |(line, _): &(usize, u32)| self.0.iter().any(|(other, _)| other == line);
        if !part.0.iter().any(shares) {
            self.0.extend(part.0);
        }
    }
}

/// Adds the places that a node and those that it takes in serve. `signs`: its operation has those of its operands.
fn add_node(places: &mut Places, ir: &Ir, joined: &[bool], lines: &Lines, (id, signs): (Id, bool)) {
    let graph = &ir.graph;
    let take_in = |places: &mut Places, id| {
        let mut own = Places::default();
        own.add(lines, graph.origins_of(id));
        places.take_in(own);
        places.add(lines, graph.folded_origins_of(id));
    };
    take_in(places, id);
    for mut operand in graph.node(id).operands() {
        while matches!(graph.op(operand), Op::Neg | Op::Abs) {
            if signs {
                take_in(places, operand);
            }
            operand = graph.arg(operand, 0);
        }
        if joined.get(operand as usize) == Some(&true) {
            add_node(places, ir, joined, lines, (operand, true));
        }
    }
}

/// By slot, the offsets of the source that its instruction serves: one for each line, in the order of the source.
pub(crate) fn of_slots(ir: &Ir, schedule: &Schedule, source: &str) -> Vec<Vec<u32>> {
    let lines = Lines::of(source);
    let code = &schedule.code;
    let of = |slot: &Slot| {
        let mut places = Places::default();
        for n in slot.operations() {
            let operation = &code.operations[n];
            if operation.node == NONE {
                places.add(&lines, &[operation.origin]);
            } else {
                // Of a dot product that is made of sums, each has the signs of its own operands.
                let is_part = matches!(operation.does, Does::Lane(_))
                    && matches!(ir.graph.op(operation.node), Op::Dot(_));
                let signs = !is_part || operation.operands.iter().any(|one| one.neg || one.abs);
                let mut own = Places::default();
                add_node(&mut own, ir, &code.joined, &lines, (operation.node, signs));
                // A node that no statement asks for belongs to its user.
                let origin = if own.0.is_empty() { operation.origin } else { 0 };
                places.add(&lines, &[origin]);
                own.0.iter().for_each(|(_, offset)| places.add(&lines, &[*offset]));
            }
            places.add(&lines, &[operation.stored]);
        }
        if let Slot::Flow(block) = slot {
            places.add(&lines, &[code.ends[*block].origin]);
        }
        let mut offsets: Vec<u32> = places.0.into_iter().map(|(_, offset)| offset).collect();
        offsets.sort_unstable();
        offsets.truncate(MOST);
        offsets
    };
    schedule.slots.iter().map(of).collect()
}
