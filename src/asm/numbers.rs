//! Numbers: their texts, inline constants, and literals in the program's constants.

use crate::isa::{FLOAT_CONSTANTS, INT_CONSTANTS};
use crate::program::{ConstantKind, Literal};
use crate::text::{At, Cursor, Parsed};

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
        decimal => decimal.parse().ok(),
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

/// The value of a 7-bit inline constant: exponent in bits 6:3 with bias 7, mantissa in bits 2:0;
/// exponent 0 has no leading one \[A\].
pub fn inline_value(code: u8) -> f32 {
    let (exponent, mantissa) = ((code >> 3) & 15, (code & 7) as f32);
    match exponent {
        0 => mantissa / 512.0,
        e => (1.0 + mantissa / 8.0) * 2f32.powi(e as i32 - 7),
    }
}

/// The inline constant with exactly this value. -0 has none, because of its sign.
pub fn inline_code(value: f32) -> Option<u8> {
    // The codes are in the order of their values.
    let bits = |code: u8| inline_value(code).to_bits();
    let (mut low, mut high) = (0u8, 128u8);
    while low < high {
        let middle = (low + high) / 2;
        match bits(middle).cmp(&value.to_bits()) {
            std::cmp::Ordering::Equal => return Some(middle),
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
        }
    }
    None
}

/// The registers of a constant file that are not available for literals.
struct Taken<const N: usize>([bool; N]);

impl<const N: usize> Default for Taken<N> {
    fn default() -> Self {
        Taken([false; N])
    }
}

impl<const N: usize> Taken<N> {
    fn take(&mut self, addr: u32) {
        if let Some(taken) = self.0.get_mut(addr as usize) {
            *taken = true;
        }
    }
    fn last_free(&self) -> Option<u32> {
        self.0.iter().rposition(|taken| !taken).map(|addr| addr as u32)
    }
}

/// Why no constant register is available for numbers of the source.
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
    /// In order of appearance. An allocated float literal with fewer than four used channels can
    /// grow.
    literals: Vec<Literal>,
    /// Number of used channels of each entry of `literals`; 4 for given ones.
    used: Vec<usize>,
    taken_floats: Taken<FLOAT_CONSTANTS>,
    taken_ints: Taken<INT_CONSTANTS>,
}

impl Pool {
    /// Marks a constant register as not available.
    pub fn reserve(&mut self, kind: ConstantKind, addr: u32) {
        match kind {
            ConstantKind::Float => self.taken_floats.take(addr),
            ConstantKind::Int => self.taken_ints.take(addr),
            ConstantKind::Bool => {}
        }
    }

    /// Adds a literal for a register that the source names; false if the register already has a
    /// value.
    pub fn give(&mut self, literal: Literal) -> bool {
        if self
            .literals
            .iter()
            .any(|other| (other.kind, other.addr) == (literal.kind, literal.addr))
        {
            return false;
        }
        self.reserve(literal.kind, literal.addr);
        self.literals.push(literal);
        self.used.push(4);
        true
    }

    /// A float constant that holds all these values (at most four distinct ones), and the channel
    /// of each.
    pub fn floats(&mut self, values: &[u32]) -> Result<(u8, Vec<u8>), NoConstant> {
        let mut index = self.place(values, false);
        if index.is_none() && self.relative {
            return Err(NoConstant::Relative(self.taken_floats.last_free()));
        }
        if index.is_none() {
            index = self.place(values, true);
        }
        let index = match index {
            Some(index) => index,
            None => {
                let addr = self.taken_floats.last_free().ok_or(NoConstant::Taken)?;
                self.reserve(ConstantKind::Float, addr);
                self.literals.push(Literal { kind: ConstantKind::Float, addr, value: [0; 4] });
                self.used.push(0);
                self.literals.len() - 1
            }
        };
        let literal = &mut self.literals[index];
        let used = &mut self.used[index];
        let channels = values
            .iter()
            .map(|value| {
                let found = literal.value[..*used].iter().position(|held| held == value);
                found.unwrap_or_else(|| {
                    literal.value[*used] = *value;
                    *used += 1;
                    *used - 1
                }) as u8
            })
            .collect();
        Ok((literal.addr as u8, channels))
    }

    /// A float literal that holds the values or, with `grow`, has room for the missing ones.
    fn place(&self, values: &[u32], grow: bool) -> Option<usize> {
        (0..self.literals.len()).find(|&index| {
            let used = self.used[index];
            let mut missing: Vec<u32> = values
                .iter()
                .copied()
                .filter(|value| !self.literals[index].value[..used].contains(value))
                .collect();
            missing.sort_unstable();
            missing.dedup();
            self.literals[index].kind == ConstantKind::Float
                && (missing.is_empty() || (grow && used + missing.len() <= 4))
        })
    }

    /// An integer constant with this value; `None` if all 32 are taken.
    pub fn int(&mut self, value: [u32; 4]) -> Option<u8> {
        if let Some(literal) = self
            .literals
            .iter()
            .find(|literal| literal.kind == ConstantKind::Int && literal.value == value)
        {
            return Some(literal.addr as u8);
        }
        let addr = self.taken_ints.last_free()?;
        self.give(Literal { kind: ConstantKind::Int, addr, value });
        Some(addr as u8)
    }

    /// The literals, in the order in which the source gives or first needs them.
    pub fn finish(self) -> Vec<Literal> {
        self.literals
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
