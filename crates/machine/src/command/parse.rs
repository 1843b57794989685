//! Parses words to commands, one at a time. The parser yields all commands before an error first.

use super::table::{Opcode, Parameter, ParameterKind};
use super::{Command, Layout};
use crate::memory::{ALIGNMENT, Format, Tiling, parse_format_word, reserved};

/// The place and reason of an error that ends the reading of a buffer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("word {offset} (0x{word:08x}): {text}")]
pub struct CommandError {
    /// Index of the offending word in the buffer: a command word or a parameter.
    pub offset: usize,
    /// The word.
    pub word: u32,
    /// The error in words.
    pub text: String,
}

/// Something odd without an effect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("word {offset} (0x{word:08x}): {text}")]
pub struct CommandWarning {
    /// Index of the odd word in the buffer.
    pub offset: usize,
    /// The word.
    pub word: u32,
    /// The warning in words.
    pub text: String,
}

/// A command and its position in the buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// Index of the command word.
    pub offset: usize,
    /// Words taken: command word, parameters, padding.
    pub words: usize,
    /// The command.
    pub command: Command,
    /// Its warnings, in word order.
    pub warnings: Vec<CommandWarning>,
}

/// Yields the commands of a buffer. Ends after the last command or after the first error.
#[derive(Clone, Debug)]
pub struct Parser<'a> {
    words: &'a [u32],
    position: usize,
    failed: bool,
}

const MAX_PARAMETERS: usize = 4;

impl<'a> Parser<'a> {
    /// A parser at the beginning of a buffer.
    pub fn new(words: &'a [u32]) -> Parser<'a> {
        Parser { words, position: 0, failed: false }
    }

    /// Number of words in the commands yielded so far.
    pub fn position(&self) -> usize {
        self.position
    }

    fn command(&self) -> Result<Parsed, CommandError> {
        let offset = self.position;
        let word = self.words[offset];
        let error = |text| CommandError { offset, word, text };
        let unknown = || error("no command has this command word".to_string());
        let opcode = Opcode::from_word(word).ok_or_else(unknown)?;
        let row = opcode.row();
        let expected = row.parameters.len();
        let rest = &self.words[offset + 1..];
        if rest.len() < expected {
            return Err(error(format!(
                "{opcode} has {expected} parameter(s), but {} word(s) are left in the buffer",
                rest.len()
            )));
        }
        let mut taken = Taken {
            opcode,
            first: offset + 1,
            raw: rest,
            values: [0; MAX_PARAMETERS],
            next: 0,
            warnings: Vec::new(),
        };
        for (n, (parameter, &value)) in row.parameters.iter().zip(rest).enumerate() {
            taken.parameter(n, parameter, value)?;
        }
        let mut words = row.words();
        if row.has_padded_form() && is_padding(&rest[expected..]) {
            if rest[expected] != 0 {
                taken.warn(expected, format!("{opcode}: the word that pads it is ignored"));
            }
            words += 1;
        }
        if opcode == Opcode::SetInstFmt && taken.values[1] != 0 {
            let text = "the program image is packed from its address, the format is ignored";
            taken.warn(1, format!("{opcode} format: {text}"));
        }
        let command = Command::take(&mut taken)?;
        Ok(Parsed { offset, words, command, warnings: taken.warnings })
    }
}

/// Whether the words after a one-parameter form begin with a padding word. A padding word is not a
/// command word, and a command word or the end of the buffer follows it.
fn is_padding(rest: &[u32]) -> bool {
    let is_command = |word: &u32| Opcode::from_word(*word).is_some();
    match rest {
        [] => false,
        [word] => !is_command(word),
        [word, next, ..] => !is_command(word) && is_command(next),
    }
}

impl Iterator for Parser<'_> {
    type Item = Result<Parsed, CommandError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.position >= self.words.len() {
            return None;
        }
        let result = self.command();
        match &result {
            Ok(parsed) => self.position += parsed.words,
            Err(_) => self.failed = true,
        }
        Some(result)
    }
}

impl std::iter::FusedIterator for Parser<'_> {}

/// A command whose parameters are being read.
pub(super) struct Taken<'a> {
    pub opcode: Opcode,
    /// Index of the first parameter in the buffer.
    first: usize,
    /// The parameters and the words after them, unchanged.
    raw: &'a [u32],
    /// The parameters without reserved and ignored bits.
    values: [u32; MAX_PARAMETERS],
    /// The number of parameters taken.
    next: usize,
    warnings: Vec<CommandWarning>,
}

impl Taken<'_> {
    /// Warns about the n-th word after the command word.
    fn warn(&mut self, n: usize, text: String) {
        self.warnings.push(CommandWarning { offset: self.first + n, word: self.raw[n], text });
    }

    /// Checks parameter `n` and keeps its meaningful bits.
    fn parameter(&mut self, n: usize, p: &Parameter, word: u32) -> Result<(), CommandError> {
        let command = self.opcode;
        let error = |text| CommandError { offset: self.first + n, word, text };
        let used = match p.kind {
            ParameterKind::Bits(used) => used,
            ParameterKind::Index(max) if word > max => {
                return Err(error(format!("{command} index: expected 0 to {max}")));
            }
            ParameterKind::Index(_) => u32::MAX,
            ParameterKind::Address => {
                if !word.is_multiple_of(ALIGNMENT) {
                    let text = "bits 10:0 are ignored, addresses are multiples of 2048";
                    self.warn(n, format!("{command} {}: {text}", p.name));
                }
                self.values[n] = word & !(ALIGNMENT - 1);
                return Ok(());
            }
            ParameterKind::Format => match parse_format_word(word) {
                Ok(format) => !format.reserved_bits,
                Err(_) => return Err(error(format!("{command} format: {}", reserved(word)))),
            },
        };
        if word & !used != 0 {
            let bits = word & !used;
            let text = format!("{command} {}: reserved bits 0x{bits:08x} are ignored", p.name);
            self.warn(n, text);
        }
        self.values[n] = word & used;
        Ok(())
    }

    /// The next parameter.
    pub(super) fn next(&mut self) -> u32 {
        let value = self.values[self.next];
        self.next += 1;
        value
    }

    /// The next parameter, a format word; `None` if it is zero.
    pub(super) fn optional_layout(&mut self) -> Option<Layout> {
        let word = self.next();
        // `parameter` has refused other words.
        let f = parse_format_word(word).ok().filter(|_| word != 0)?;
        Some(Layout { pitch: f.pitch, tiling: f.tiling, format: f.format })
    }

    /// The next parameter, a format word.
    pub(super) fn layout(&mut self) -> Layout {
        let zero = Layout { pitch: 0, tiling: Tiling::Linear, format: Format::Uint16x1 };
        self.optional_layout().unwrap_or(zero)
    }

    /// The error that constants cannot have the format of the latest parameter.
    pub(super) fn refuse_element(&self, format: Format, expected: u32) -> CommandError {
        let n = self.next - 1;
        let text = format!(
            "{} format: a {format} element has {} bytes, a constant of this kind {expected}",
            self.opcode,
            format.bytes_per_element()
        );
        CommandError { offset: self.first + n, word: self.raw[n], text }
    }
}
