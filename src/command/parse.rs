//! Parses words to commands, one at a time. The parser yields all commands before an error first.

use super::table::{Opcode, Parameter, ParameterKind};
use super::{Command, ConstantFormat, Layout, SurfaceFormat};
use crate::launch::{Domain, Location, Test};
use crate::memory::{ALIGNMENT, Format, MemoryError, parse_format_word};

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
        let command = taken.command()?;
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
struct Taken<'a> {
    opcode: Opcode,
    /// Index of the first parameter in the buffer.
    first: usize,
    /// The parameters and the words after them, unchanged.
    raw: &'a [u32],
    /// The parameters without reserved and ignored bits.
    values: [u32; MAX_PARAMETERS],
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

    fn layout(&self, n: usize) -> Layout {
        match parse_format_word(self.values[n]) {
            Ok(f) => Layout { pitch: f.pitch, tiling: f.tiling, format: f.format },
            // `parameter` has already refused the word.
            Err(_) => {
                Layout { pitch: 0, tiling: crate::memory::Tiling::Linear, format: Format::Uint16x1 }
            }
        }
    }

    /// Address, format and height from parameter `n` on.
    fn surface(&self, n: usize) -> SurfaceFormat {
        SurfaceFormat {
            address: self.values[n],
            layout: self.layout(n + 1),
            height: self.values[n + 2],
        }
    }

    fn constants(&self) -> Result<ConstantFormat, CommandError> {
        let word = self.values[1];
        let layout = (word != 0).then(|| self.layout(1));
        if let Some(Layout { format, .. }) = layout {
            let (found, expected) = (format.bytes_per_element(), constant_size(self.opcode));
            if found != expected {
                return Err(CommandError {
                    offset: self.first + 1,
                    word: self.raw[1],
                    kind: CommandErrorKind::ConstantFormat {
                        command: self.opcode,
                        format: format.name(),
                        found,
                        expected,
                    },
                });
            }
        }
        Ok(ConstantFormat { address: self.values[0], layout })
    }

    fn command(&mut self) -> Result<Command, CommandError> {
        let v = self.values;
        Ok(match self.opcode {
            Opcode::InitPerfCounters => Command::InitPerfCounters { enable: v[0] != 0 },
            Opcode::StartPerfCounters => Command::StartPerfCounters,
            Opcode::StopPerfCounters => Command::StopPerfCounters,
            Opcode::ReadPerfCounters => Command::ReadPerfCounters { address: v[0] },
            Opcode::SetCondVal => Command::SetCondVal { value: v[0] },
            Opcode::SetDomain => {
                Command::SetDomain(Domain { i0: v[0], j0: v[1], i1: v[2], j1: v[3] })
            }
            Opcode::StartProgram => Command::StartProgram,
            Opcode::WaitForIdle => Command::WaitForIdle,
            Opcode::SetInstFmt => {
                if v[1] != 0 {
                    let command = self.opcode;
                    self.warn(1, WarningKind::ProgramFormat { command });
                }
                Command::SetInstFmt { address: v[0] }
            }
            Opcode::SetInpFmt => Command::SetInpFmt { index: v[0] as u8, surface: self.surface(1) },
            Opcode::SetOutFmt => Command::SetOutFmt { index: v[0] as u8, surface: self.surface(1) },
            Opcode::SetCondOutFmt => Command::SetCondOutFmt(self.surface(0)),
            Opcode::SetConstfFmt => Command::SetConstfFmt(self.constants()?),
            Opcode::SetConstiFmt => Command::SetConstiFmt(self.constants()?),
            Opcode::SetConstbFmt => Command::SetConstbFmt(self.constants()?),
            Opcode::InvInstCache => Command::InvInstCache,
            Opcode::InvConstfCache => Command::InvConstfCache,
            Opcode::InvConstiCache => Command::InvConstiCache,
            Opcode::InvConstbCache => Command::InvConstbCache,
            Opcode::InvCondOutCache => Command::InvCondOutCache,
            Opcode::InvInpCache => Command::InvInpCache,
            Opcode::FlushOutCache => Command::FlushOutCache,
            Opcode::FlushCondOutCache => Command::FlushCondOutCache,
            Opcode::SetOutMask => Command::SetOutMask { mask: v[0] as u8 },
            Opcode::SetCondOutMask => Command::SetCondOutMask { write: v[0] != 0 },
            Opcode::SetCondTest => Command::SetCondTest(Test::from_code(v[0])),
            Opcode::SetCondLoc => {
                Command::SetCondLoc(if v[0] == 0 { Location::Dpp } else { Location::Pe })
            }
            Opcode::SetParams => Command::SetParams { address: v[0] },
        })
    }
}

/// Bytes of one constant of the kind that a command describes.
pub(super) fn constant_size(command: Opcode) -> u32 {
    match command {
        Opcode::SetConstfFmt => 16,
        _ => 4,
    }
}
