//! Encodes commands as words.

use super::table::{Opcode, ParameterKind};
use super::{Command, Layout};
use crate::memory::{ALIGNMENT, format_word};

/// A value that a command's parameter cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{command} {parameter} is {value}, expected {expected}")]
pub struct EncodeError {
    /// The command.
    pub command: Opcode,
    /// The parameter, or a part of it.
    pub parameter: &'static str,
    /// The value.
    pub value: u32,
    /// The allowed values.
    pub expected: String,
}

/// The parameters of a command during encoding.
pub(super) struct Encoder<'a> {
    pub opcode: Opcode,
    next: usize,
    out: &'a mut Vec<u32>,
}

impl Encoder<'_> {
    pub(super) fn error<T>(
        &self,
        parameter: &'static str,
        value: u32,
        expected: String,
    ) -> Result<T, EncodeError> {
        Err(EncodeError { command: self.opcode, parameter, value, expected })
    }

    /// Appends the next parameter, or fails if the parameter cannot hold the value.
    pub(super) fn put(&mut self, value: u32) -> Result<(), EncodeError> {
        let Some(parameter) = self.opcode.row().parameters.get(self.next) else {
            return Ok(());
        };
        let name = parameter.name;
        match parameter.kind {
            ParameterKind::Bits(used) if value & !used != 0 => {
                return self.error(name, value, format!("0 to {used}"));
            }
            ParameterKind::Index(max) if value > max => {
                return self.error(name, value, format!("0 to {max}"));
            }
            ParameterKind::Address if !value.is_multiple_of(ALIGNMENT) => {
                return self.error(name, value, format!("a multiple of {ALIGNMENT}"));
            }
            _ => {}
        }
        self.out.push(value);
        self.next += 1;
        Ok(())
    }

    pub(super) fn layout(&mut self, layout: &Layout) -> Result<(), EncodeError> {
        match format_word(layout.pitch, layout.tiling, layout.format) {
            Ok(word) => self.put(word),
            Err(_) => {
                self.error("pitch", layout.pitch, "a multiple of 4 from 0 to 8188".to_string())
            }
        }
    }
}

impl Command {
    /// Appends the command's words. init_perf_counters and read_perf_counters are in their
    /// one-parameter form.
    ///
    /// # Errors
    /// [`EncodeError`] for a value that its parameter cannot hold; `out` is then unchanged.
    pub fn encode(&self, out: &mut Vec<u32>) -> Result<(), EncodeError> {
        let before = out.len();
        let result = self.append(out);
        if result.is_err() {
            out.truncate(before);
        }
        result
    }

    fn append(&self, out: &mut Vec<u32>) -> Result<(), EncodeError> {
        let opcode = self.opcode();
        out.push(opcode.word());
        let mut encoder = Encoder { opcode, next: 0, out };
        self.put(&mut encoder)?;
        // The rest are reserved words and the unused format of set_inst_fmt.
        while encoder.next < opcode.row().parameters.len() {
            encoder.put(0)?;
        }
        Ok(())
    }
}

/// A command buffer under construction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Builder {
    words: Vec<u32>,
}

impl Builder {
    /// An empty buffer.
    pub fn new() -> Builder {
        Builder::default()
    }
    /// The words so far.
    pub fn words(&self) -> &[u32] {
        &self.words
    }
    /// The words.
    pub fn into_words(self) -> Vec<u32> {
        self.words
    }
    /// The words as bytes in memory.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    /// Appends any command.
    ///
    /// # Errors
    /// [`EncodeError`]; nothing is then appended.
    pub fn append(&mut self, command: &Command) -> Result<&mut Self, EncodeError> {
        command.encode(&mut self.words)?;
        Ok(self)
    }

    /// Appends a command whose parameters can hold every value of their type.
    pub(super) fn always(&mut self, command: &Command) -> &mut Self {
        let result = command.encode(&mut self.words);
        debug_assert!(result.is_ok(), "{result:?}");
        self
    }
}
