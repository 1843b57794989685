//! Where the variables of a source are while its program runs: what DWARF calls location lists.
//!
//! Instructions of several statements are mixed, so a location says which store of the source made its value, and before
//! which instructions it is there. A value without a location at an instruction is optimised away there.

use super::interface::Kind;
use std::ops::Range;

/// A variable of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The function that declares it; empty for a global variable.
    pub function: String,
    /// The line of its declaration, from 1; 0 if it has none.
    pub line: u32,
    /// The kind of its scalars; float for a structure.
    pub kind: Kind,
    /// The number of its scalars: components, columns of a matrix, elements, members, in their order.
    pub components: u32,
    /// Components with the lines of their stores, and of branches and loops that leave a value in them, ascending; 0: from
    /// the start.
    pub stores: Vec<(u32, u32)>,
    /// The places of its values, by component, then in the order of the instructions.
    pub locations: Vec<VariableLocation>,
}

/// A place of a component's value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VariableLocation {
    /// The component, from 0.
    pub component: u32,
    /// The line of the store that makes the value, or of the branch or loop that leaves it; 0: it is there from the start.
    pub line: u32,
    /// The number of stores to the variable at this line before it, in the order of the source's execution: a loop of
    /// three iterations that is unrolled has 0, 1 and 2. `None`: it is not known, because a branch or loop that stays has
    /// the store or one before it, or because a branch or loop leaves the value.
    pub nth: Option<u32>,
    /// The slots of the instructions before which the value is there. A program that jumps over the store's instruction
    /// does not reach them.
    pub slots: Range<u32>,
    /// The place.
    pub place: ValuePlace,
    /// The magnitude of what is there.
    pub abs: bool,
    /// The negative of that.
    pub neg: bool,
}

/// A place of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValuePlace {
    /// A channel of a temporary, 0 R to 3 A.
    Temp(u8, u8),
    /// A channel of a float constant, which holds a uniform.
    Constant(u8, u8),
    /// The bits of a literal.
    Literal(u32),
}

impl VariableLocation {
    /// The value, if `read` gives the bits of its place.
    ///
    /// ```
    /// use ctm_lang::program::{ValuePlace, VariableLocation};
    ///
    /// let place = ValuePlace::Temp(3, 0);
    /// let location =
    ///     VariableLocation { component: 0, line: 4, nth: Some(0), slots: 2..9, place, abs: false, neg: true };
    /// assert_eq!(location.value(|_| 1.5f32.to_bits()), (-1.5f32).to_bits());
    /// ```
    pub fn value(&self, read: impl FnOnce(ValuePlace) -> u32) -> u32 {
        const SIGN: u32 = 1 << 31;
        let mut bits = read(self.place);
        if self.abs {
            bits &= !SIGN;
        }
        if self.neg {
            bits ^= SIGN;
        }
        bits
    }
}

impl Variable {
    /// The places of its values before the instruction in a slot, by component; of several, the last is the newest.
    pub fn at(&self, slot: u32) -> impl Iterator<Item = &VariableLocation> {
        self.locations.iter().filter(move |location| location.slots.contains(&slot))
    }
}
