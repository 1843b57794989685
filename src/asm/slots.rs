//! Assignment of operands to the three source addresses of each unit.
//!
//! Source n is one vector: its r, g, b come from RGB address n, its a from alpha address n
//! \[G 27\]. An operand whose swizzle mixes both needs both addresses of the same number.

use crate::isa::Source;

/// The three source addresses of each unit; `None` if free.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Slots(pub [[Option<Source>; 3]; 2]);

/// One way to read an operand: the registers required in the two units' addresses of its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way(pub [Option<Source>; 2]);

/// The choice for an operand: the index of its way, and its source number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Choice {
    pub way: usize,
    pub slot: usize,
}

impl Slots {
    /// Whether source `slot` can hold `way`; if so, whether it already does.
    fn fits(&self, way: &Way, slot: usize) -> Option<bool> {
        let mut there = true;
        for (want, slots) in way.0.iter().zip(&self.0) {
            if want.is_some() && *want != slots[slot] {
                there = false;
                if slots[slot].is_some() {
                    return None;
                }
            }
        }
        Some(there)
    }

    /// Puts `way` into source `slot` if it fits.
    pub fn put(&mut self, way: &Way, slot: usize) -> bool {
        if self.fits(way, slot).is_none() {
            return false;
        }
        for (want, slots) in way.0.iter().zip(&mut self.0) {
            slots[slot] = want.or(slots[slot]);
        }
        true
    }
}

/// Assigns every operand, each given as a list of ways, to free or equal addresses. It prefers the
/// first way, then sources that already hold the register, then low numbers. `None` if no
/// assignment exists.
pub(super) fn solve(slots: &mut Slots, operands: &[Vec<Way>]) -> Option<Vec<Choice>> {
    let mut choices = vec![Choice::default(); operands.len()];
    search(slots, operands, &mut choices, 0).then_some(choices)
}

/// At most six operands with two ways and three slots each, so the search is small.
fn search(slots: &mut Slots, operands: &[Vec<Way>], choices: &mut [Choice], at: usize) -> bool {
    let Some(ways) = operands.get(at) else {
        return true;
    };
    let mut candidates: Vec<(bool, Choice)> = Vec::with_capacity(6);
    for (way, needed) in ways.iter().enumerate() {
        for slot in 0..3 {
            if let Some(there) = slots.fits(needed, slot) {
                candidates.push((!there, Choice { way, slot }));
            }
        }
    }
    candidates.sort_by_key(|(new, choice)| (choice.way, *new));
    let before = *slots;
    for (_, choice) in candidates {
        slots.put(&ways[choice.way], choice.slot);
        choices[at] = choice;
        if search(slots, operands, choices, at + 1) {
            return true;
        }
        *slots = before;
    }
    false
}
