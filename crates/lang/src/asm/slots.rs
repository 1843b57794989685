//! Assignment of operands to the three source addresses of each unit.
//!
//! Source n is one vector: its r, g, b come from RGB address n, its a from alpha address n
//! \[G 27\]. An operand whose swizzle mixes both needs both addresses of the same number.

use ctm_isa::isa::Source;

/// The registers that are read from one source, by its address in the RGB unit and in the alpha
/// unit; `None` if nothing is.
pub(super) type Way = [Option<Source>; 2];

/// The three sources with their addresses; `None` if free.
pub(super) type Slots = [Way; 3];

/// The choice for an operand: the index of its way, and its source number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Choice {
    pub way: usize,
    pub slot: usize,
}

/// Whether a source can hold `way`; if so, whether it already does.
fn fits(slot: &Way, way: &Way) -> Option<bool> {
    let mut pairs = way.iter().zip(slot).filter(|(want, have)| want.is_some() && want != have);
    let there = pairs.clone().next().is_none();
    pairs.all(|(_, have)| have.is_none()).then_some(there)
}

/// Puts `way` into a source if it fits.
pub(super) fn put(slot: &mut Way, way: &Way) -> bool {
    let fits = fits(slot, way).is_some();
    if fits {
        *slot = [way[0].or(slot[0]), way[1].or(slot[1])];
    }
    fits
}

/// Assigns every operand, each given as a list of ways, to free or equal addresses. It prefers the
/// first way, then sources that already hold the register, then low numbers. `None` if no
/// assignment exists. There are at most six operands with two ways each, so the search is small.
pub(super) fn solve(slots: &mut Slots, operands: &[&[Way]]) -> Option<Vec<Choice>> {
    let mut choices = Vec::with_capacity(operands.len());
    search(slots, operands, &mut choices).then_some(choices)
}

/// Adds the choices for all operands; if there are none, changes nothing.
fn search(slots: &mut Slots, operands: &[&[Way]], choices: &mut Vec<Choice>) -> bool {
    let Some((ways, rest)) = operands.split_first() else { return true };
    let before = *slots;
    for (way, want) in ways.iter().enumerate() {
        let fitting = before.map(|slot| fits(&slot, want));
        for there in [true, false] {
            for (slot, _) in fitting.iter().enumerate().filter(|(_, fits)| **fits == Some(there)) {
                put(&mut slots[slot], want);
                choices.push(Choice { way, slot });
                if search(slots, rest, choices) {
                    return true;
                }
                choices.pop();
                *slots = before;
            }
        }
    }
    false
}
