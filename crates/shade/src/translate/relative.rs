//! The temporaries that relative addressing can reach: only these become elements of an array.

use crate::translate::analyse::Analysis;
use crate::translate::flow::ops_of;
use crate::translate::tree::{Node, Tree};
use ctm_isa::isa::TEMPORARIES;
use ctm_isa::ops::Op;
use ctm_machine::lower::Lowered;
use std::collections::BTreeMap;

/// The registers that a program addresses with an aL that changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relative {
    /// By channel: the first temporary of its array, and the number of temporaries.
    pub arrays: BTreeMap<u16, (u16, u16)>,
    /// Whether float constants are addressed with aL, whether aL changes or not.
    pub constants: bool,
}

impl Relative {
    /// Finds what a program addresses.
    pub fn of(lowered: &Lowered, tree: &Tree, analysis: &Analysis) -> Relative {
        let mut relative = Relative::default();
        relative.walk(lowered, analysis, &tree.nodes, (0, 0, 1));
        relative
    }

    fn walk(&mut self, lowered: &Lowered, analysis: &Analysis, nodes: &[Node], al: (u8, i8, u8)) {
        for node in nodes {
            match node {
                Node::Run(slots) => {
                    for pc in slots.clone() {
                        self.slot(lowered, analysis, pc, al);
                    }
                }
                Node::If { then, otherwise, .. } => {
                    self.walk(lowered, analysis, then, al);
                    self.walk(lowered, analysis, otherwise, al);
                }
                Node::Loop { count, al: own, body, .. } => {
                    let inner = own.map_or(al, |(start, step)| (start, step, *count));
                    self.walk(lowered, analysis, body, inner);
                }
                Node::Leave { .. } => {}
            }
        }
    }

    fn slot(
        &mut self,
        lowered: &Lowered,
        analysis: &Analysis,
        pc: u16,
        (start, step, count): (u8, i8, u8),
    ) {
        for index in ops_of(lowered, pc) {
            let op = lowered.ops[index];
            if !analysis.needed[index] {
                continue;
            }
            self.constants |= op.op == Op::LoadConstant;
            if matches!(op.op, Op::LoadTemp | Op::StoreTemp) && step != 0 && count > 1 {
                let (base, channel) = (i32::from(op.aux >> 2), op.aux & 3);
                for k in 0..i32::from(count) {
                    let al = i32::from(start) + k * i32::from(step);
                    let temp = (base + al) as u16 & (TEMPORARIES as u16 - 1);
                    self.reach(channel, temp);
                }
            }
        }
    }

    fn reach(&mut self, channel: u16, temp: u16) {
        let array = self.arrays.entry(channel).or_insert((temp, 1));
        let (first, end) = (array.0.min(temp), (array.0 + array.1).max(temp + 1));
        *array = (first, end - first);
    }

    /// The channel and index of a row in its array; `None` if it is in none.
    pub fn array_of(&self, lowered: &Lowered, row: u32) -> Option<(u16, u16)> {
        if self.arrays.is_empty() || row as usize >= lowered.temp_rows.len() {
            return None;
        }
        // With relative addressing all temporaries have rows, in order.
        let (temp, channel) = (row as u16 / 4, row as u16 % 4);
        let &(first, len) = self.arrays.get(&channel)?;
        let index = temp.checked_sub(first)?;
        (index < len).then_some((channel, index))
    }
}
