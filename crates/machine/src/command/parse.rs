//! Parses words to commands, one at a time. The parser yields all commands before an error first.

use super::table::{Opcode, Parameter, ParameterKind};
use super::{Command, Layout};
use crate::memory::{ALIGNMENT, Format, MemoryError, Tiling, parse_format_word};

/// Why the rest of a buffer cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("word {offset} (0x{word:08x}): {kind}")]
pub struct CommandError {
    /// Index of the offending word in the buffer: a command word or a parameter.
    pub offset: usize,
    /// The word.
    pub word: u32,
    /// What is wrong with it.
    pub kind: CommandErrorKind,
}

/// What is wrong with a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandErrorKind {
    /// There is no such command.
    #[error("no command has this command word")]
    Unknown,
    /// The buffer ends inside a command.
    #[error("{command} has {expected} parameter(s), but {found} word(s) are left in the buffer")]
    Truncated {
        /// The command.
        command: Opcode,
        /// The number of parameters that it has.
        expected: usize,
        /// The number of words left after the command word.
        found: usize,
    },
    /// A reserved data format code.
    #[error("{command} format: data format {code} is reserved, 0 to 8 are defined")]
    ReservedFormat {
        /// The command.
        command: Opcode,
        /// Bits 27:24.
        code: u32,
    },
    /// An input or output that does not exist.
    #[error("{command} index: expected 0 to {max}")]
    Index {
        /// The command.
        command: Opcode,
        /// The highest index.
        max: u32,
    },
    /// A constant format whose elements do not have the constant's size.
    #[error(
        "{command} format: a {format} element has {found} bytes, a constant of this kind {expected}"
    )]
    ConstantFormat {
        /// The command.
        command: Opcode,
        /// The data format.
        format: &'static str,
        /// Its element size in bytes.
        found: u32,
        /// The element size needed.
        expected: u32,
    },
}

/// Something odd without an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("word {offset} (0x{word:08x}): {kind}")]
pub struct CommandWarning {
    /// Index of the odd word in the buffer.
    pub offset: usize,
    /// The word.
    pub word: u32,
    /// What is odd.
    pub kind: WarningKind,
}

/// What is odd about a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WarningKind {
    /// Reserved bits are set.
    #[error("{command} {parameter}: reserved bits 0x{bits:08x} are ignored")]
    ReservedBits {
        /// The command.
        command: Opcode,
        /// The parameter.
        parameter: &'static str,
        /// The bits, at their positions.
        bits: u32,
    },
    /// An address that is not a multiple of 2 KiB.
    #[error("{command} {parameter}: bits 10:0 are ignored, addresses are multiples of 2048")]
    Misaligned {
        /// The command.
        command: Opcode,
        /// The parameter.
        parameter: &'static str,
    },
    /// The extra word of a padded form is not zero.
    #[error("{command}: the word that pads it is ignored")]
    Padding {
        /// The command.
        command: Opcode,
    },
    /// A format for the program, whose image is always packed.
    #[error(
        "{command} format: the program image is packed from its address, the format is ignored"
    )]
    ProgramFormat {
        /// The command.
        command: Opcode,
    },
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
    /// What is odd about it, in word order.
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
        let error = |kind| CommandError { offset, word, kind };
        let opcode = Opcode::from_word(word).ok_or_else(|| error(CommandErrorKind::Unknown))?;
        let row = opcode.row();
        let expected = row.parameters.len();
        let rest = &self.words[offset + 1..];
        if rest.len() < expected {
            return Err(error(CommandErrorKind::Truncated {
                command: opcode,
                expected,
                found: rest.len(),
            }));
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
                let kind = WarningKind::Padding { command: opcode };
                taken.warn(expected, kind);
            }
            words += 1;
        }
        if opcode == Opcode::SetInstFmt && taken.values[1] != 0 {
            taken.warn(1, WarningKind::ProgramFormat { command: opcode });
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
    fn warn(&mut self, n: usize, kind: WarningKind) {
        self.warnings.push(CommandWarning { offset: self.first + n, word: self.raw[n], kind });
    }

    /// Checks parameter `n` and keeps its meaningful bits.
    fn parameter(&mut self, n: usize, p: &Parameter, word: u32) -> Result<(), CommandError> {
        let command = self.opcode;
        let error = |kind| CommandError { offset: self.first + n, word, kind };
        let used = match p.kind {
            ParameterKind::Bits(used) => used,
            ParameterKind::Index(max) if word > max => {
                return Err(error(CommandErrorKind::Index { command, max }));
            }
            ParameterKind::Index(_) => u32::MAX,
            ParameterKind::Address => {
                if !word.is_multiple_of(ALIGNMENT) {
                    let parameter = p.name;
                    self.warn(n, WarningKind::Misaligned { command, parameter });
                }
                self.values[n] = word & !(ALIGNMENT - 1);
                return Ok(());
            }
            ParameterKind::Format => match parse_format_word(word) {
                Ok(format) => !format.reserved_bits,
                Err(MemoryError::ReservedFormat { code, .. }) => {
                    return Err(error(CommandErrorKind::ReservedFormat { command, code }));
                }
                // A format word has no other error; if it did, the word would count as no format.
                Err(_) => 0,
            },
        };
        if word & !used != 0 {
            let kind = WarningKind::ReservedBits { command, parameter: p.name, bits: word & !used };
            self.warn(n, kind);
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
        let kind = CommandErrorKind::ConstantFormat {
            command: self.opcode,
            format: format.name(),
            found: format.bytes_per_element(),
            expected,
        };
        CommandError { offset: self.first + n, word: self.raw[n], kind }
    }
}
