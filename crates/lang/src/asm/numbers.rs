//! Numbers: their texts, inline constants, and literals in the program's constants.

use crate::program::{ConstantKind, Literal};
use ctm_base::text::{At, Cursor, Parsed};
use ctm_isa::float;
use std::collections::HashSet;

/// A decimal or hexadecimal number of 32 bits.
pub(super) fn parse_u32(text: &str) -> Option<u32> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Reads a number as binary32; a hexadecimal number is a bit pattern.
pub(super) fn parse_float(text: &str) -> Option<f32> {
    match text.to_ascii_lowercase().as_str() {
        "inf" => Some(f32::INFINITY),
        "nan" => Some(f32::from_bits(0x7fff_ffff)),
        hex if hex.starts_with("0x") => parse_u32(hex).map(f32::from_bits),
        // A number beyond the largest one is none; `inf` is written as such.
        decimal => decimal.parse().ok().filter(|value: &f32| value.is_finite()),
    }
}

/// Consumes an unsigned integer if a number is next.
pub(super) fn integer(cursor: &mut Cursor<'_, '_>) -> Parsed<Option<At<u32>>> {
    let Some(At { node: text, span }) = cursor.number() else { return Ok(None) };
    match parse_u32(text) {
        Some(value) => Ok(Some(At::new(value, span))),
        None => Err(span.error(format!("`{text}` is not a whole number of 32 bits"))),
    }
}

/// Consumes an unsigned integer, which must be next.
pub(super) fn need_integer(cursor: &mut Cursor<'_, '_>, what: &str) -> Parsed<At<u32>> {
    integer(cursor)?.ok_or_else(|| cursor.expected(what))
}

/// The value of a 7-bit inline constant.
pub fn inline_value(code: u8) -> f32 {
    f32::from_bits(float::inline_constant(code.into()))
}

/// The inline constant with exactly this value. -0 has none, because of its sign.
pub fn inline_code(value: f32) -> Option<u8> {
    (0..128).find(|code| inline_value(*code).to_bits() == value.to_bits())
}

/// The lack of a constant register for numbers of the source.
pub(super) enum NoConstant {
    /// All are taken.
    Taken,
    /// The program addresses constants relative to aL. Holds the highest register that the source
    /// does not name.
    Relative(Option<u32>),
}

/// The constants whose values belong to the program, given by the source or allocated.
#[derive(Default)]
pub(super) struct Pool {
    /// Whether the program addresses float constants relative to aL; each of them may then hold
    /// data.
    pub relative: bool,
    /// In order of appearance, each with the number of its used channels. An allocated float
    /// literal with fewer than four can grow.
    literals: Vec<(Literal, usize)>,
    /// The registers that are not available for literals.
    taken: HashSet<(ConstantKind, u32)>,
}

impl Pool {
    /// Marks a constant register as not available.
    pub fn reserve(&mut self, kind: ConstantKind, addr: u32) {
        self.taken.insert((kind, addr));
    }

    fn last_free(&self, kind: ConstantKind) -> Option<u32> {
        (0..kind.count() as u32).rev().find(|addr| !self.taken.contains(&(kind, *addr)))
    }

    fn add(&mut self, literal: Literal, used: usize) {
        self.reserve(literal.kind, literal.addr);
        self.literals.push((literal, used));
    }

    /// Adds a literal for a register that the source names; false if the register already has a
    /// value.
    pub fn give(&mut self, literal: Literal) -> bool {
        let same = |other: &Literal| (other.kind, other.addr) == (literal.kind, literal.addr);
        let new = !self.literals.iter().any(|(other, _)| same(other));
        if new {
            self.add(literal, 4);
        }
        new
    }

    /// A float constant that holds all these values (at most four distinct ones), and the channel
    /// of each.
    pub fn floats(&mut self, values: &[u32]) -> Result<(u8, Vec<u8>), NoConstant> {
        const KIND: ConstantKind = ConstantKind::Float;
        let index = match (self.holder(values, false), self.relative) {
            (Some(index), _) => index,
            (None, true) => {
                return Err(NoConstant::Relative(self.last_free(KIND)));
            }
            (None, false) => match self.holder(values, true) {
                Some(index) => index,
                None => {
                    let free = self.last_free(KIND);
                    let addr = free.ok_or(NoConstant::Taken)?;
                    self.add(Literal { kind: KIND, addr, value: [0; 4] }, 0);
                    self.literals.len() - 1
                }
            },
        };
        let (literal, used) = &mut self.literals[index];
        let channel = |value: &u32| {
            let found = literal.value[..*used].iter().position(|held| held == value);
            found.unwrap_or_else(|| {
                literal.value[*used] = *value;
                *used += 1;
                *used - 1
            }) as u8
        };
        let channels = values.iter().map(channel).collect();
        Ok((literal.addr as u8, channels))
    }

    /// A float literal that holds the values or, with `grow`, has room for the missing ones.
    fn holder(&self, values: &[u32], grow: bool) -> Option<usize> {
        self.literals.iter().position(|(literal, used)| {
            let held = &literal.value[..*used];
            let missing: HashSet<_> = values.iter().filter(|value| !held.contains(value)).collect();
            literal.kind == ConstantKind::Float
                && (missing.is_empty() || (grow && used + missing.len() <= 4))
        })
    }

    /// An integer constant with this value; `None` if all 32 are taken.
    pub fn int(&mut self, value: [u32; 4]) -> Option<u8> {
        let kind = ConstantKind::Int;
        let same = |literal: &&Literal| literal.kind == kind && literal.value == value;
        if let Some(literal) = self.literals.iter().map(|(literal, _)| literal).find(same) {
            return Some(literal.addr as u8);
        }
        let addr = self.last_free(kind)?;
        self.add(Literal { kind, addr, value }, 4);
        Some(addr as u8)
    }

    /// The literals, in the order in which the source gives or first needs them.
    pub fn finish(self) -> Vec<Literal> {
        self.literals.into_iter().map(|(literal, _)| literal).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_constants_have_the_documented_values() {
        for (code, value) in [
            (0, 0.0),
            (1, 1.0 / 512.0),
            (16, 0.03125),
            (29, 0.1015625),
            (32, 0.125),
            (48, 0.5),
            (56, 1.0),
            (61, 1.625),
            (80, 8.0),
            (96, 32.0),
            (127, 480.0),
        ] {
            assert_eq!(inline_value(code), value, "code {code}");
        }
        for code in 0..128 {
            assert_eq!(inline_code(inline_value(code)), Some(code));
        }
        for value in [-0.0, 0.3, 481.0, f32::NAN, f32::INFINITY, -1.0] {
            assert_eq!(inline_code(value), None);
        }
    }
}
