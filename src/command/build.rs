//! Encodes commands as words.

use super::parse::constant_size;
use super::table::{Opcode, ParameterKind};
use super::{Command, ConstantFormat, Layout, SurfaceFormat};
use crate::launch::{Domain, Location, Test};
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
struct Words<'a> {
    opcode: Opcode,
    next: usize,
    out: &'a mut Vec<u32>,
}

impl Words<'_> {
    fn error<T>(
        &self,
        parameter: &'static str,
        value: u32,
        expected: String,
    ) -> Result<T, EncodeError> {
        Err(EncodeError { command: self.opcode, parameter, value, expected })
    }

    /// Appends the next parameter, or fails if the parameter cannot hold the value.
    fn put(&mut self, value: u32) -> Result<&mut Self, EncodeError> {
        let Some(parameter) = self.opcode.row().parameters.get(self.next) else {
            return Ok(self);
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
        Ok(self)
    }

    fn layout(&mut self, layout: &Layout) -> Result<&mut Self, EncodeError> {
        match format_word(layout.pitch, layout.tiling, layout.format) {
            Ok(word) => self.put(word),
            Err(_) => {
                self.error("pitch", layout.pitch, "a multiple of 4 from 0 to 8188".to_string())
            }
        }
    }

    fn surface(&mut self, s: &SurfaceFormat) -> Result<&mut Self, EncodeError> {
        self.put(s.address)?.layout(&s.layout)?.put(s.height)
    }

    fn constants(&mut self, c: &ConstantFormat) -> Result<&mut Self, EncodeError> {
        self.put(c.address)?;
        let Some(layout) = &c.layout else {
            return self.put(0);
        };
        let (found, expected) = (layout.format.bytes_per_element(), constant_size(self.opcode));
        if found != expected {
            return self.error("element size", found, expected.to_string());
        }
        self.layout(layout)
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
        let mut words = Words { opcode, next: 0, out };
        match self {
            Command::InitPerfCounters { enable } => words.put((*enable).into())?,
            Command::ReadPerfCounters { address }
            | Command::SetInstFmt { address }
            | Command::SetParams { address } => words.put(*address)?,
            Command::SetCondVal { value } => words.put(*value)?,
            Command::SetDomain(d) => words.put(d.i0)?.put(d.j0)?.put(d.i1)?.put(d.j1)?,
            Command::SetInpFmt { index, surface } | Command::SetOutFmt { index, surface } => {
                words.put((*index).into())?.surface(surface)?
            }
            Command::SetCondOutFmt(surface) => words.surface(surface)?,
            Command::SetConstfFmt(c) | Command::SetConstiFmt(c) | Command::SetConstbFmt(c) => {
                words.constants(c)?
            }
            Command::SetOutMask { mask } => words.put((*mask).into())?,
            Command::SetCondOutMask { write } => words.put((*write).into())?,
            Command::SetCondTest(test) => words.put(test.code())?,
            Command::SetCondLoc(location) => words.put((*location == Location::Pe).into())?,
            // The other commands have only a reserved word.
            _ => &mut words,
        };
        // The rest are reserved words and the unused format of set_inst_fmt.
        while words.next < opcode.row().parameters.len() {
            words.put(0)?;
        }
        Ok(())
    }
}

/// A command buffer under construction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Builder {
    words: Vec<u32>,
}

macro_rules! plain {
    ($($(#[doc = $doc:literal])* $name:ident => $Variant:ident;)*) => {
        $($(#[doc = $doc])* pub fn $name(&mut self) -> &mut Self {
            self.always(&Command::$Variant)
        })*
    };
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
    fn always(&mut self, command: &Command) -> &mut Self {
        let result = command.encode(&mut self.words);
        debug_assert!(result.is_ok(), "{result:?}");
        self
    }

    plain! {
        /// Appends start_perf_counters.
        append_start_perf_counters => StartPerfCounters;
        /// Appends stop_perf_counters.
        append_stop_perf_counters => StopPerfCounters;
        /// Appends start_program.
        append_start_program => StartProgram;
        /// Appends wait_for_idle.
        append_wait_for_idle => WaitForIdle;
        /// Appends inv_inst_cache.
        append_inv_inst_cache => InvInstCache;
        /// Appends inv_constf_cache.
        append_inv_constf_cache => InvConstfCache;
        /// Appends inv_consti_cache.
        append_inv_consti_cache => InvConstiCache;
        /// Appends inv_constb_cache.
        append_inv_constb_cache => InvConstbCache;
        /// Appends inv_cond_out_cache.
        append_inv_cond_out_cache => InvCondOutCache;
        /// Appends inv_inp_cache.
        append_inv_inp_cache => InvInpCache;
        /// Appends flush_out_cache.
        append_flush_out_cache => FlushOutCache;
        /// Appends flush_cond_out_cache.
        append_flush_cond_out_cache => FlushCondOutCache;
    }

    /// Appends init_perf_counters, in its one-parameter form.
    pub fn append_init_perf_counters(&mut self, enable: bool) -> &mut Self {
        self.always(&Command::InitPerfCounters { enable })
    }
    /// Appends set_cond_val with the raw bits of the value.
    pub fn append_set_cond_val(&mut self, value: u32) -> &mut Self {
        self.always(&Command::SetCondVal { value })
    }
    /// Appends set_cond_out_mask.
    pub fn append_set_cond_out_mask(&mut self, write: bool) -> &mut Self {
        self.always(&Command::SetCondOutMask { write })
    }
    /// Appends set_cond_test.
    pub fn append_set_cond_test(&mut self, test: Test) -> &mut Self {
        self.always(&Command::SetCondTest(test))
    }
    /// Appends set_cond_loc.
    pub fn append_set_cond_loc(&mut self, location: Location) -> &mut Self {
        self.always(&Command::SetCondLoc(location))
    }

    /// Appends read_perf_counters, in its one-parameter form.
    ///
    /// # Errors
    /// The address is not a multiple of 2 KiB.
    pub fn append_read_perf_counters(&mut self, address: u32) -> Result<&mut Self, EncodeError> {
        self.append(&Command::ReadPerfCounters { address })
    }
    /// Appends set_domain.
    ///
    /// # Errors
    /// A bound is over 4095.
    pub fn append_set_domain(&mut self, domain: Domain) -> Result<&mut Self, EncodeError> {
        self.append(&Command::SetDomain(domain))
    }
    /// Appends set_inst_fmt: the address of a program's ELF image.
    ///
    /// # Errors
    /// The address is not a multiple of 2 KiB.
    pub fn append_set_inst_fmt(&mut self, address: u32) -> Result<&mut Self, EncodeError> {
        self.append(&Command::SetInstFmt { address })
    }
    /// Appends set_inp_fmt.
    ///
    /// # Errors
    /// Index over 15, address not a multiple of 2 KiB, pitch not encodable, or height over 8191.
    pub fn append_set_inp_fmt(
        &mut self,
        index: u8,
        surface: SurfaceFormat,
    ) -> Result<&mut Self, EncodeError> {
        self.append(&Command::SetInpFmt { index, surface })
    }
    /// Appends set_out_fmt.
    ///
    /// # Errors
    /// Index over 3, address not a multiple of 2 KiB, pitch not encodable, or height over 8191.
    pub fn append_set_out_fmt(
        &mut self,
        index: u8,
        surface: SurfaceFormat,
    ) -> Result<&mut Self, EncodeError> {
        self.append(&Command::SetOutFmt { index, surface })
    }
    /// Appends set_cond_out_fmt.
    ///
    /// # Errors
    /// Address not a multiple of 2 KiB, pitch not encodable, or height over 8191.
    pub fn append_set_cond_out_fmt(
        &mut self,
        surface: SurfaceFormat,
    ) -> Result<&mut Self, EncodeError> {
        self.append(&Command::SetCondOutFmt(surface))
    }
    /// Appends set_constf_fmt.
    ///
    /// # Errors
    /// Address not a multiple of 2 KiB, pitch not encodable, or elements that are not 16 bytes.
    pub fn append_set_constf_fmt(
        &mut self,
        constants: ConstantFormat,
    ) -> Result<&mut Self, EncodeError> {
        self.append(&Command::SetConstfFmt(constants))
    }
    /// Appends set_consti_fmt.
    ///
    /// # Errors
    /// Address not a multiple of 2 KiB, pitch not encodable, or elements that are not 4 bytes.
    pub fn append_set_consti_fmt(
        &mut self,
        constants: ConstantFormat,
    ) -> Result<&mut Self, EncodeError> {
        self.append(&Command::SetConstiFmt(constants))
    }
    /// Appends set_constb_fmt.
    ///
    /// # Errors
    /// Address not a multiple of 2 KiB, pitch not encodable, or elements that are not 4 bytes.
    pub fn append_set_constb_fmt(
        &mut self,
        constants: ConstantFormat,
    ) -> Result<&mut Self, EncodeError> {
        self.append(&Command::SetConstbFmt(constants))
    }
    /// Appends set_out_mask, bit n for channel n.
    ///
    /// # Errors
    /// The mask is over 15.
    pub fn append_set_out_mask(&mut self, mask: u8) -> Result<&mut Self, EncodeError> {
        self.append(&Command::SetOutMask { mask })
    }
    /// Appends set_params: the address of three vertices of 32 floats.
    ///
    /// # Errors
    /// The address is not a multiple of 2 KiB.
    pub fn append_set_params(&mut self, address: u32) -> Result<&mut Self, EncodeError> {
        self.append(&Command::SetParams { address })
    }
}
