//! The table of all commands \[G 8-10\].

use ctm_lang::program::Sharing;
use std::fmt;

use super::build::{Builder, EncodeError, Encoder};
use super::parse::{CommandError, Taken};
use super::values::Member;
use super::{ConstantFormat, SurfaceFormat};
use crate::launch::{Domain, Location, MAX_BOUND, Test};
use crate::memory::surface::MAX_SIZE;
use ctm_isa::isa::{INPUTS, OUTPUTS};

/// The values that a parameter word may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// These bits have a meaning; the others are reserved.
    Bits(u32),
    /// A byte address; bits 10:0 are ignored \[G 13\].
    Address,
    /// A number of at most this value.
    Index(u32),
    /// Pitch, tiling and data format \[G 13-14\].
    Format,
}

/// One parameter of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in messages.
    pub name: &'static str,
    /// The allowed values.
    pub kind: ParameterKind,
}

/// One command of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The command.
    pub opcode: Opcode,
    /// The Guide's name.
    pub name: &'static str,
    /// The command word, all 32 bits: bits 31:30 are 3, bits 15:8 are the code. Bits 29:16 are the
    /// number of parameters minus one. Exceptions are init_perf_counters and read_perf_counters,
    /// whose words announce two parameters while the Guide lists one.
    pub word: u32,
    /// The parameters, in order.
    pub parameters: &'static [Parameter],
    /// Whether it may be issued while a program runs.
    pub pipelined: bool,
    /// The source of this row, such as a page of a manual.
    pub source: &'static str,
}

impl Row {
    /// Number of words that the command takes in a buffer, including its command word.
    pub const fn words(&self) -> usize {
        1 + self.parameters.len()
    }
    /// Number of parameters that the word's count field announces.
    pub const fn announced_parameters(&self) -> usize {
        (self.word >> 16 & 0x3fff) as usize + 1
    }
    /// Whether the word announces more parameters than the command has, so that a padded form
    /// exists.
    pub const fn has_padded_form(&self) -> bool {
        self.announced_parameters() > self.parameters.len()
    }
}

const fn parameter(name: &'static str, kind: ParameterKind) -> Parameter {
    Parameter { name, kind }
}

const RESERVED: &[Parameter] = &[parameter("reserved", ParameterKind::Bits(0))];
const ADDRESS: Parameter = parameter("address", ParameterKind::Address);
const FORMAT: Parameter = parameter("format", ParameterKind::Format);
const HEIGHT: Parameter = parameter("height", ParameterKind::Bits(MAX_SIZE));
const BOUND: ParameterKind = ParameterKind::Bits(MAX_BOUND);

/// The name in a builder's method, without `append_`.
const fn name(method: &'static str) -> &'static str {
    method.split_at("append_".len()).1
}

/// Declares the commands. A row gives the variant of [`Opcode`] and of [`Command`], the row of
/// [`COMMANDS`], the method of [`Builder`], and the conversion in both directions:
///
/// `Variant(member: Type) or { member: Type } method word pipelined parameters, source; result`
///
/// The result of the method is `always` (every value of the members' types can be encoded) or
/// `fails "when"`. Parameters that no member takes are written as 0.
macro_rules! commands {
    ($($(#[$doc:meta])* $Variant:ident $(($only:ident: $Only:ty))?
        $({ $($(#[$member_doc:meta])* $member:ident: $Member:ty),+ })?
        $method:ident $word:literal $pipelined:literal $parameters:expr, $source:literal;
        $result:ident $($when:literal)?)*) => {
        /// The command codes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Opcode { $($(#[$doc])* $Variant,)* }

        /// One command with its parameters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Command {
            $($(#[$doc])* $Variant $(($Only))? $({ $($(#[$member_doc])* $member: $Member),+ })?,)*
        }

        /// All commands, by ascending code, without gaps.
        pub const COMMANDS: &[Row] = &[$(Row {
            opcode: Opcode::$Variant,
            name: name(stringify!($method)),
            word: $word,
            parameters: $parameters,
            pipelined: $pipelined,
            source: $source,
        },)*];

        impl Command {
            /// The command's code in the table.
            pub fn opcode(&self) -> Opcode {
                match self { $(Command::$Variant { .. } => Opcode::$Variant,)* }
            }
            /// Takes the members of a command from its parameters.
            pub(super) fn take(words: &mut Taken<'_>) -> Result<Command, CommandError> {
                Ok(match words.opcode {
                    $(Opcode::$Variant => {
                        Command::$Variant $((<$Only>::take(words)?))?
                            $({ $($member: <$Member>::take(words)?),+ })?
                    })*
                })
            }
            /// Puts the members of the command into its parameters.
            pub(super) fn put(&self, encoder: &mut Encoder<'_>) -> Result<(), EncodeError> {
                match self {
                    $(Command::$Variant $(($only))? $({ $($member),+ })? => {
                        $($only.put(encoder)?;)?
                        $($($member.put(encoder)?;)+)?
                    })*
                }
                Ok(())
            }
        }

        impl Builder {
            $(builder_method! {
                $result $($when)?, #[doc = concat!("Appends ", stringify!($Variant), ":")] $(#[$doc])*
                $method($($only: $Only)? $($($member: $Member),+)?)
                Command::$Variant $(($only))? $({ $($member),+ })?
            })*
        }
    };
}

macro_rules! builder_method {
    (always, $(#[$doc:meta])* $method:ident($($arguments:tt)*) $($command:tt)*) => {
        $(#[$doc])*
        pub fn $method(&mut self, $($arguments)*) -> &mut Self {
            self.always(&($($command)*))
        }
    };
    (fails $when:literal, $(#[$doc:meta])* $method:ident($($arguments:tt)*) $($command:tt)*) => {
        $(#[$doc])*
        ///
        /// # Errors
        #[doc = $when]
        pub fn $method(&mut self, $($arguments)*) -> Result<&mut Self, EncodeError> {
            self.append(&($($command)*))
        }
    };
}

commands! {
    /// Enables or disables the performance counters.
    InitPerfCounters {
        /// Flags bit 0.
        enable: bool
    } append_init_perf_counters 0xc001_0200 true
        &[parameter("flags", ParameterKind::Bits(1))], "[G 9, 12]"; always
    /// Zeroes and starts the counters.
    StartPerfCounters append_start_perf_counters 0xc000_0300 true RESERVED, "[G 9, 12]"; always
    /// Stops the counters.
    StopPerfCounters append_stop_perf_counters 0xc000_0400 true RESERVED, "[G 9, 12]"; always
    /// Writes both counters to memory.
    ReadPerfCounters {
        /// The address to write to, a multiple of 2 KiB.
        address: u32
    } append_read_perf_counters 0xc001_0500 false &[ADDRESS], "[G 9, 12]";
        fails "The address is not a multiple of 2 KiB."
    /// The PE's value for conditional operations.
    SetCondVal {
        /// Raw bits; the conditional buffer's format gives them a type.
        value: u32
    } append_set_cond_val 0xc000_0600 true
        &[parameter("value", ParameterKind::Bits(u32::MAX))], "[G 9, 21]"; always
    /// The points of the next launches.
    SetDomain(domain: Domain) append_set_domain 0xc003_0700 true
        &[parameter("i0", BOUND), parameter("j0", BOUND), parameter("i1", BOUND), parameter("j1", BOUND)],
        "[G 9, 11]"; fails "A bound is over 4095."
    /// Runs the program over the domain.
    StartProgram append_start_program 0xc000_0800 true RESERVED, "[G 9, 11]"; always
    /// Waits until the array is idle.
    WaitForIdle append_wait_for_idle 0xc000_0900 true RESERVED, "[G 9]"; always
    /// The address of the program's ELF image.
    SetInstFmt {
        /// The address of its first byte, a multiple of 2 KiB.
        address: u32
    } append_set_inst_fmt 0xc001_0a00 false &[ADDRESS, FORMAT], "[G 9, 13]";
        fails "The address is not a multiple of 2 KiB."
    /// One input.
    SetInpFmt {
        /// 0 to 15.
        index: u8,
        /// Its address, layout and height.
        surface: SurfaceFormat
    } append_set_inp_fmt 0xc003_0b00 false
        &[parameter("index", ParameterKind::Index(INPUTS as u32 - 1)), ADDRESS, FORMAT, HEIGHT],
        "[G 9, 16]"; fails
        "Index over 15, address not a multiple of 2 KiB, pitch not encodable, or height over 8191."
    /// One output.
    SetOutFmt {
        /// 0 to 3.
        index: u8,
        /// Its address, layout and height.
        surface: SurfaceFormat
    } append_set_out_fmt 0xc003_0c00 false
        &[parameter("index", ParameterKind::Index(OUTPUTS as u32 - 1)), ADDRESS, FORMAT, HEIGHT],
        "[G 9, 17]"; fails
        "Index over 3, address not a multiple of 2 KiB, pitch not encodable, or height over 8191."
    /// The conditional output buffer.
    SetCondOutFmt(surface: SurfaceFormat) append_set_cond_out_fmt 0xc002_0d00 false
        &[ADDRESS, FORMAT, HEIGHT], "[G 9, 18]";
        fails "Address not a multiple of 2 KiB, pitch not encodable, or height over 8191."
    /// The float constants.
    SetConstfFmt(constants: ConstantFormat) append_set_constf_fmt 0xc001_0e00 false
        &[ADDRESS, FORMAT], "[G 10, 13]"; fails
        "Address not a multiple of 2 KiB, pitch not encodable, or elements that are not 16 bytes."
    /// The integer constants.
    SetConstiFmt(constants: ConstantFormat) append_set_consti_fmt 0xc001_0f00 false
        &[ADDRESS, FORMAT], "[G 10, 13]"; fails
        "Address not a multiple of 2 KiB, pitch not encodable, or elements that are not 4 bytes."
    /// The boolean constants.
    SetConstbFmt(constants: ConstantFormat) append_set_constb_fmt 0xc001_1000 false
        &[ADDRESS, FORMAT], "[G 10, 13]"; fails
        "Address not a multiple of 2 KiB, pitch not encodable, or elements that are not 4 bytes."
    /// Invalidates the instruction cache.
    InvInstCache append_inv_inst_cache 0xc000_1100 true RESERVED, "[G 10]"; always
    /// Invalidates the float constant cache.
    InvConstfCache append_inv_constf_cache 0xc000_1200 true RESERVED, "[G 10]"; always
    /// Invalidates the integer constant cache.
    InvConstiCache append_inv_consti_cache 0xc000_1300 true RESERVED, "[G 10]"; always
    /// Invalidates the boolean constant cache.
    InvConstbCache append_inv_constb_cache 0xc000_1400 true RESERVED, "[G 10]"; always
    /// Invalidates the conditional output cache.
    InvCondOutCache append_inv_cond_out_cache 0xc000_1500 true RESERVED, "[G 10]"; always
    /// Invalidates the input cache.
    InvInpCache append_inv_inp_cache 0xc000_1600 true RESERVED, "[G 10]"; always
    /// Flushes the output cache.
    FlushOutCache append_flush_out_cache 0xc000_1700 true RESERVED, "[G 10]"; always
    /// Flushes the conditional output cache.
    FlushCondOutCache append_flush_cond_out_cache 0xc000_1800 true RESERVED, "[G 10]"; always
    /// Sets the channels of the outputs that are written.
    SetOutMask {
        /// Bit n for channel n.
        mask: u8
    } append_set_out_mask 0xc000_1900 true
        &[parameter("mask", ParameterKind::Bits(15))], "[G 10, 21]"; fails "The mask is over 15."
    /// Whether the conditional buffer is written.
    SetCondOutMask {
        /// Bit 0.
        write: bool
    } append_set_cond_out_mask 0xc000_1a00 true
        &[parameter("mask", ParameterKind::Bits(1))], "[G 10, 21]"; always
    /// The condition.
    SetCondTest(test: Test) append_set_cond_test 0xc000_1b00 true
        &[parameter("test", ParameterKind::Bits(7))], "[G 10, 21]"; always
    /// Sets the unit that the condition tests.
    SetCondLoc(location: Location) append_set_cond_loc 0xc000_1c00 true
        &[parameter("location", ParameterKind::Bits(1))], "[G 10, 22]"; always
    /// The interpolants of the next launches. Newer than the Guide; the word is ours.
    SetParams {
        /// Address of three vertices of 32 floats, a multiple of 2 KiB.
        address: u32
    } append_set_params 0xc000_1d00 false &[ADDRESS], "our decision";
        fails "The address is not a multiple of 2 KiB."
    /// The shared registers, which become zeros (docs/sharing.md). An extension; the word is ours.
    SetShared {
        /// SQ_GPR_RESOURCE, without its reserved bits.
        resource: u32,
        /// The number of SIMDs, 1 to 64.
        simds: u32
    } append_set_shared 0xc001_1e00 false
        &[parameter(Sharing::NAME, ParameterKind::Bits(0xf000_00ff)),
          parameter("simds", ParameterKind::Bits(u32::MAX))],
        "our decision"; fails "A reserved bit of SQ_GPR_RESOURCE is set."
}

/// The code of the first row. The other rows follow without gaps.
const FIRST_CODE: u32 = 2;

impl Opcode {
    /// The command with exactly this command word.
    pub fn from_word(word: u32) -> Option<Opcode> {
        let index = (word >> 8 & 0xff).checked_sub(FIRST_CODE)?;
        let row = COMMANDS.get(index as usize)?;
        (row.word == word).then_some(row.opcode)
    }
    /// The command with this name.
    pub fn from_name(name: &str) -> Option<Opcode> {
        COMMANDS.iter().find(|r| r.name == name).map(|r| r.opcode)
    }
    /// Its row of the table.
    pub fn row(self) -> &'static Row {
        &COMMANDS[self as usize]
    }
    /// The Guide's name.
    pub fn name(self) -> &'static str {
        self.row().name
    }
    /// The command word.
    pub fn word(self) -> u32 {
        self.row().word
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
