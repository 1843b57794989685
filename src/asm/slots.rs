//! Assignment of operands to the three source addresses of each unit.
//!
//! Source n is one vector: its r, g, b come from RGB address n, its a from alpha address n
//! \[G 27\]. An operand whose swizzle mixes both needs both addresses of the same number.

use crate::isa::Source;

/// The six source addresses; `None` if free.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Slots {
    pub rgb: [Option<Source>; 3],
    pub alpha: [Option<Source>; 3],
}

/// One way to read an operand: the registers required in the two addresses of its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    pub rgb: Option<Source>,
    pub alpha: Option<Source>,
}

/// The choice for an operand: the index of its way, and its source number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Choice {
    pub way: usize,
    pub slot: usize,
}

impl Slots {
    /// Whether source `slot` can hold `way`; if so, whether it already does.
    fn fits(&self, way: &Way, slot: usize) -> Option<bool> {
        let (rgb, alpha) = (self.rgb[slot], self.alpha[slot]);
        let ok = |want: Option<Source>, have: Option<Source>| {
            want.is_none() || have.is_none() || want == have
        };
        let there = |want: Option<Source>, have: Option<Source>| want.is_none() || want == have;
        (ok(way.rgb, rgb) && ok(way.alpha, alpha))
            .then(|| there(way.rgb, rgb) && there(way.alpha, alpha))
    }

    /// Puts `way` into source `slot` if it fits.
    pub fn put(&mut self, way: &Way, slot: usize) -> bool {
        if self.fits(way, slot).is_none() {
            return false;
        }
        self.rgb[slot] = way.rgb.or(self.rgb[slot]);
        self.alpha[slot] = way.alpha.or(self.alpha[slot]);
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
