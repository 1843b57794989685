//! The rules: a table. A row has a name, a set, its statement with the condition, and the function that
//! applies it. No other code says that two values are equal.
//!
//! The set `bits` is true to the bit in mode `exact`. The set `values` adds what a compiler of GLSL may
//! do: the sign of a zero, NaN, infinity and denormals do not count, but every rounding does. Tests
//! run each row of `bits` on hard operands, alone.
//!
//! The normal form of `bits` has products, sums and clamps, with signs inside; that of `values` has
//! signs outside. So a row says in which sets it is used.

mod bits;
mod checks;
#[cfg(test)]
pub(crate) mod tests;
mod values;

use crate::term::{Id, Node, Terms};
pub(crate) use checks::check;
use ctm_base::named;

named! {
    /// A set of rules.
    Set {
        Bits "bits": "Equal to the bit in mode exact.";
        Values "values": "Equal but for signs of zero, NaN, infinity and denormals.";
    }
}

/// A row of the table.
pub struct Rule {
    /// The name.
    pub name: &'static str,
    /// Whether it is true to the bit. The others belong to `values` alone.
    pub exact: bool,
    /// Whether `values` uses it.
    pub values: bool,
    /// The equation, with its condition.
    pub says: &'static str,
    /// The term that a step is equal to, if the rule applies.
    pub apply: fn(&mut Terms, Node) -> Option<Id>,
}

impl Set {
    /// Its rules, in the order in which they are tried.
    pub fn rules(self) -> Vec<&'static Rule> {
        let of_bits = bits::RULES.iter();
        match self {
            Set::Bits => of_bits.collect(),
            Set::Values => values::RULES.iter().chain(of_bits.filter(|rule| rule.values)).collect(),
        }
    }
}

/// All rules.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    bits::RULES.iter().chain(values::RULES)
}

/// A row: `rule!(name, SETS, "equation", function)`.
macro_rules! rule {
    ($name:literal, $exact:literal, $values:literal, $says:literal, $apply:path) => {
        crate::rules::Rule {
            name: $name,
            exact: $exact,
            values: $values,
            says: $says,
            apply: $apply,
        }
    };
}
use rule;

/// -0.
const MINUS_ZERO: u32 = ctm_isa::float::SIGN;
/// 2.
pub(crate) const TWO: u32 = 0x4000_0000;

/// The exponent of a power of two, of either sign, that is a normal number.
fn power_of_two(bits: u32) -> Option<i32> {
    use ctm_isa::float::{EXPONENT, FRACTION};
    let exponent = (bits & EXPONENT) >> 23;
    (bits & FRACTION == 0 && exponent != 0 && exponent != 255).then_some(exponent as i32 - 127)
}
