//! A cursor over a line of a listing, and the words that instructions of both kinds consist of:
//! registers, numbers, presubtracts, swizzles, masks, modifiers, comparisons. It knows no instruction.

use crate::mesa::listing::{Atom, Compare, Component, File, Presub, Value};
use ctm_isa::float;

/// Why a line of a listing cannot be interpreted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: found `{token}`, expected {expected}")]
pub struct ListingError {
    /// The line of the log, from 1.
    pub line: usize,
    /// What is there.
    pub token: String,
    /// What was expected.
    pub expected: String,
}

/// The largest number of a register.
const MAX_REGISTER: u32 = 4095;

/// A position in a line.
pub(super) struct Scan<'a> {
    line: usize,
    text: &'a str,
    pub(super) at: usize,
}

/// What an operand names before its swizzle.
#[derive(Clone, Copy)]
pub(super) enum Base {
    /// `none`.
    None,
    /// A register, its channel x.
    Value(Value),
}

/// A letter of a swizzle.
#[derive(Clone, Copy)]
pub(super) enum Selector {
    Channel(u8),
    Number(f32),
    Unused,
}

/// An atom at another channel.
pub(super) fn at(atom: Atom, channel: u8) -> Atom {
    match atom {
        Atom::Component(component) => Atom::Component(Component { channel, ..component }),
        Atom::Unused | Atom::Bits(_) => atom,
    }
}

impl<'a> Scan<'a> {
    pub(super) fn new(line: usize, text: &'a str) -> Scan<'a> {
        Scan { line, text, at: 0 }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn peek_is(&self, test: impl Fn(char) -> bool) -> bool {
        self.rest().starts_with(test)
    }

    pub(super) fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    pub(super) fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    pub(super) fn need(&mut self, token: &str) -> Result<(), ListingError> {
        if self.eat(token) { Ok(()) } else { Err(self.error(&format!("`{token}`"))) }
    }

    /// An error at the current position.
    pub(super) fn error(&self, expected: &str) -> ListingError {
        let rest = self.rest().trim();
        let end = rest.char_indices().skip(1).find(|&(_, c)| " ,;()".contains(c));
        let token = &rest[..end.map_or(rest.len(), |(at, _)| at)];
        let token = if token.is_empty() {
            "the end of the line".to_string()
        } else {
            token.chars().take(40).collect()
        };
        ListingError { line: self.line, token, expected: expected.to_string() }
    }

    /// An error at an earlier position.
    pub(super) fn error_at(&self, at: usize, expected: &str) -> ListingError {
        Scan { at, ..*self }.error(expected)
    }

    pub(super) fn take(&mut self, test: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !test(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    pub(super) fn end(&mut self) -> Result<(), ListingError> {
        self.space();
        if self.rest().is_empty() { Ok(()) } else { Err(self.error("the end of the line")) }
    }

    /// The marks of synchronisation, which have no effect on values.
    pub(super) fn flags(&mut self) -> Result<(), ListingError> {
        loop {
            self.space();
            let at = self.at;
            let word = self.take(|c| c.is_ascii_alphanumeric() || c == '_');
            if !matches!(word, "SEM_WAIT" | "SEM_ACQUIRE" | "NOP" | "TEX_WAIT" | "WAIT") {
                self.at = at;
                return Ok(());
            }
        }
    }

    /// Whether nothing but such marks is left.
    pub(super) fn only_flags(mut self) -> bool {
        self.flags().is_ok() && self.rest().is_empty()
    }

    /// The name of an operation and whether it saturates.
    pub(super) fn opcode(&mut self) -> Result<(&'a str, bool), ListingError> {
        let at = self.at;
        let word = self.take(|c| c.is_ascii_alphanumeric() || c == '_');
        if word.ends_with("_SAT2") {
            return Err(self.error_at(at, "an operation without _SAT2"));
        }
        Ok(match word.strip_suffix("_SAT") {
            Some(op) => (op, true),
            None => (word, false),
        })
    }

    /// A number, or an inline constant: a number and its code, like `0.250000 (0x28)`.
    fn number(&mut self) -> Result<u32, ListingError> {
        let at = self.at;
        let digits = self.take(|c| c.is_ascii_digit() || c == '.');
        let after = self.at;
        self.space();
        if self.eat("(0x") {
            let code = self.take(|c| c.is_ascii_hexdigit());
            self.need(")")?;
            let code = u32::from_str_radix(code, 16).ok().filter(|&code| code < 128);
            let code = code.ok_or_else(|| self.error_at(at, "the code of an inline constant"))?;
            return Ok(float::inline_constant(code));
        }
        self.at = after;
        let number = digits.parse::<f32>().map_err(|_| self.error_at(at, "a number"))?;
        Ok(number.to_bits())
    }

    /// The number of a register, below [`MAX_REGISTER`].
    pub(super) fn index(&mut self) -> Result<u16, ListingError> {
        let at = self.at;
        let digits = self.take(|c| c.is_ascii_digit());
        digits.parse().ok().filter(|&n: &u32| n <= MAX_REGISTER).map(|n| n as u16).ok_or_else(
            || self.error_at(at, "the number of a register, without relative addressing"),
        )
    }

    /// A register or a constant.
    pub(super) fn base(&mut self) -> Result<Base, ListingError> {
        if self.peek_is(|c| c.is_ascii_digit()) {
            return Ok(Base::Value(Value::Atom(Atom::Bits(self.number()?))));
        }
        let at = self.at;
        let word = self.take(|c| c.is_ascii_alphabetic());
        let file = match word {
            "none" => return Ok(Base::None),
            "aluresult" => File::AluResult,
            "temp" => File::Temp,
            "input" => File::Input,
            "output" => File::Output,
            "color" => File::Color,
            "const" => File::Const,
            _ => return Err(self.error_at(at, "a register")),
        };
        let index = match file {
            File::AluResult => 0,
            _ => {
                self.need("[")?;
                let index = self.index()?;
                self.need("]")?;
                index
            }
        };
        let component = Component { file, index, channel: 0 };
        Ok(Base::Value(Value::Atom(Atom::Component(component))))
    }

    /// The atom of a register or a constant.
    pub(super) fn atom(&mut self) -> Result<Atom, ListingError> {
        let at = self.at;
        match self.base()? {
            Base::Value(Value::Atom(atom)) => Ok(atom),
            _ => Err(self.error_at(at, "a register")),
        }
    }

    /// The part of a presubtract after its `(`: `1 - 2 * b`, `1 - b`, `a - b` or `a + b`. An
    /// argument is what `argument` reads.
    pub(super) fn presub<T: Copy>(
        &mut self,
        argument: impl Fn(&mut Self) -> Result<T, ListingError>,
    ) -> Result<(Presub, Option<T>, T), ListingError> {
        self.space();
        let at = self.at;
        let one = ["1.0", "1"].into_iter().find(|one| {
            let tail = self.rest().strip_prefix(one).unwrap_or(".");
            tail.trim_start().starts_with('-') && tail.starts_with([' ', '-'])
        });
        let first = match one {
            Some(one) => {
                self.need(one)?;
                None
            }
            None => Some(argument(self)?),
        };
        self.space();
        let minus = match (self.eat("-"), first) {
            (true, _) => true,
            (false, Some(_)) if self.eat("+") => false,
            _ => return Err(self.error("`-` or `+`")),
        };
        self.space();
        let before = self.at;
        let two = ["2.0", "2"].into_iter().any(|two| self.eat(two)) && {
            self.space();
            self.eat("*")
        };
        if !two {
            self.at = before;
        }
        self.space();
        let second = argument(self)?;
        self.space();
        self.need(")")?;
        let presub = match (first, minus, two) {
            (None, true, true) => Presub::Bias,
            (None, true, false) => Presub::Inv,
            (Some(_), true, false) => Presub::Sub,
            (Some(_), false, false) => Presub::Add,
            _ => return Err(self.error_at(at, "`1 - 2 * b`, `1 - b`, `a - b` or `a + b`")),
        };
        Ok((presub, first, second))
    }

    /// The selectors of a swizzle, each with its sign: `x_-1H`.
    pub(super) fn swizzle(&mut self, most: usize) -> Result<Vec<(Selector, bool)>, ListingError> {
        let mut found = Vec::new();
        loop {
            let at = self.at;
            let negate = self.eat("-");
            let selector = match self.rest().chars().next() {
                Some('x') => Selector::Channel(0),
                Some('y') => Selector::Channel(1),
                Some('z') => Selector::Channel(2),
                Some('w') => Selector::Channel(3),
                Some('0') => Selector::Number(0.0),
                Some('1') => Selector::Number(1.0),
                Some('H') => Selector::Number(0.5),
                Some('_') => Selector::Unused,
                _ => {
                    self.at = at;
                    break;
                }
            };
            self.at += 1;
            found.push((selector, negate));
        }
        if found.len() == most {
            Ok(found)
        } else {
            Err(self.error(&format!("{most} of the selectors x y z w 0 1 H _")))
        }
    }

    /// A mask of channels after a point; nothing is all four.
    pub(super) fn mask(&mut self) -> Result<u8, ListingError> {
        if !self.eat(".") {
            return Ok(15);
        }
        let channels = self.take(|c| "xyzw".contains(c));
        let bit = |c| 1 << "xyzw".find(c).unwrap_or_default();
        Ok(channels.chars().fold(0, |mask, c| mask | bit(c)))
    }

    /// An output modifier: the code.
    pub(super) fn modifier(&mut self) -> Result<u32, ListingError> {
        const MODIFIERS: [(&str, u32); 7] = [
            ("* 2", 1),
            ("* 4", 2),
            ("* 8", 3),
            ("/ 2", 4),
            ("/ 4", 5),
            ("/ 8", 6),
            ("(OMOD DISABLE)", 7),
        ];
        self.space();
        Ok(MODIFIERS.into_iter().find(|(text, _)| self.eat(text)).map_or(0, |(_, code)| code))
    }

    /// `[aluresult = (x >= 0)]`: the channel, and the comparison.
    pub(super) fn comparison(&mut self) -> Result<(u8, Result<bool, Compare>), ListingError> {
        self.space();
        self.need("[aluresult = (")?;
        let always = match () {
            () if self.eat("true") => Some(true),
            () if self.eat("false") => Some(false),
            () => None,
        };
        if let Some(always) = always {
            self.need(")]")?;
            return Ok((0, Ok(always)));
        }
        let at = self.at;
        let channel = match self.take(|c| c.is_ascii_alphabetic()) {
            "x" | "result" => 0,
            "w" => 3,
            _ => return Err(self.error_at(at, "`x`, `w` or `result`")),
        };
        self.space();
        let at = self.at;
        let compare = Compare::from_name(self.take(|c| "<>=!".contains(c)))
            .ok_or_else(|| self.error_at(at, "a comparison"))?;
        self.space();
        self.need("0)]")?;
        Ok((channel, Err(compare)))
    }
}
