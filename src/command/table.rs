//! The table of all commands \[G 8-10\].

use std::fmt;

use crate::isa::{INPUTS, OUTPUTS};
use crate::launch::MAX_BOUND;
use crate::memory::surface::MAX_SIZE;

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
    /// Which command.
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
    /// Where it is documented.
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

macro_rules! commands {
    ($($(#[doc = $doc:literal])* $Variant:ident = $word:literal $name:literal $pipelined:literal $parameters:expr, $source:literal;)*) => {
        /// The command codes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Opcode { $($(#[doc = $doc])* $Variant,)* }

        /// All commands, by ascending code, without gaps.
        pub const COMMANDS: &[Row] = &[$(Row {
            opcode: Opcode::$Variant,
            name: $name,
            word: $word,
            parameters: $parameters,
            pipelined: $pipelined,
            source: $source,
        },)*];
    };
}

commands! {
    /// Enables or disables the performance counters.
    InitPerfCounters = 0xc001_0200 "init_perf_counters" true
        &[parameter("flags", ParameterKind::Bits(1))], "[G 9, 12]";
    /// Zeroes and starts the counters.
    StartPerfCounters = 0xc000_0300 "start_perf_counters" true RESERVED, "[G 9, 12]";
    /// Stops the counters.
    StopPerfCounters = 0xc000_0400 "stop_perf_counters" true RESERVED, "[G 9, 12]";
    /// Writes both counters to memory.
    ReadPerfCounters = 0xc001_0500 "read_perf_counters" false &[ADDRESS], "[G 9, 12]";
    /// The PE's value for conditional operations.
    SetCondVal = 0xc000_0600 "set_cond_val" true
        &[parameter("value", ParameterKind::Bits(u32::MAX))], "[G 9, 21]";
    /// The points of the next launches.
    SetDomain = 0xc003_0700 "set_domain" true
        &[parameter("i0", BOUND), parameter("j0", BOUND), parameter("i1", BOUND), parameter("j1", BOUND)],
        "[G 9, 11]";
    /// Runs the program over the domain.
    StartProgram = 0xc000_0800 "start_program" true RESERVED, "[G 9, 11]";
    /// Waits until the array is idle.
    WaitForIdle = 0xc000_0900 "wait_for_idle" true RESERVED, "[G 9]";
    /// The address of the program's ELF image.
    SetInstFmt = 0xc001_0a00 "set_inst_fmt" false &[ADDRESS, FORMAT], "[G 9, 13]";
    /// One input.
    SetInpFmt = 0xc003_0b00 "set_inp_fmt" false
        &[parameter("index", ParameterKind::Index(INPUTS as u32 - 1)), ADDRESS, FORMAT, HEIGHT],
        "[G 9, 16]";
    /// One output.
    SetOutFmt = 0xc003_0c00 "set_out_fmt" false
        &[parameter("index", ParameterKind::Index(OUTPUTS as u32 - 1)), ADDRESS, FORMAT, HEIGHT],
        "[G 9, 17]";
    /// The conditional output buffer.
    SetCondOutFmt = 0xc002_0d00 "set_cond_out_fmt" false &[ADDRESS, FORMAT, HEIGHT], "[G 9, 18]";
    /// The float constants.
    SetConstfFmt = 0xc001_0e00 "set_constf_fmt" false &[ADDRESS, FORMAT], "[G 10, 13]";
    /// The integer constants.
    SetConstiFmt = 0xc001_0f00 "set_consti_fmt" false &[ADDRESS, FORMAT], "[G 10, 13]";
    /// The boolean constants.
    SetConstbFmt = 0xc001_1000 "set_constb_fmt" false &[ADDRESS, FORMAT], "[G 10, 13]";
    /// Invalidates the instruction cache.
    InvInstCache = 0xc000_1100 "inv_inst_cache" true RESERVED, "[G 10]";
    /// Invalidates the float constant cache.
    InvConstfCache = 0xc000_1200 "inv_constf_cache" true RESERVED, "[G 10]";
    /// Invalidates the integer constant cache.
    InvConstiCache = 0xc000_1300 "inv_consti_cache" true RESERVED, "[G 10]";
    /// Invalidates the boolean constant cache.
    InvConstbCache = 0xc000_1400 "inv_constb_cache" true RESERVED, "[G 10]";
    /// Invalidates the conditional output cache.
    InvCondOutCache = 0xc000_1500 "inv_cond_out_cache" true RESERVED, "[G 10]";
    /// Invalidates the input cache.
    InvInpCache = 0xc000_1600 "inv_inp_cache" true RESERVED, "[G 10]";
    /// Flushes the output cache.
    FlushOutCache = 0xc000_1700 "flush_out_cache" true RESERVED, "[G 10]";
    /// Flushes the conditional output cache.
    FlushCondOutCache = 0xc000_1800 "flush_cond_out_cache" true RESERVED, "[G 10]";
    /// Which channels of the outputs are written.
    SetOutMask = 0xc000_1900 "set_out_mask" true
        &[parameter("mask", ParameterKind::Bits(15))], "[G 10, 21]";
    /// Whether the conditional buffer is written.
    SetCondOutMask = 0xc000_1a00 "set_cond_out_mask" true
        &[parameter("mask", ParameterKind::Bits(1))], "[G 10, 21]";
    /// The condition.
    SetCondTest = 0xc000_1b00 "set_cond_test" true
        &[parameter("test", ParameterKind::Bits(7))], "[G 10, 21]";
    /// Which unit the condition tests.
    SetCondLoc = 0xc000_1c00 "set_cond_loc" true
        &[parameter("location", ParameterKind::Bits(1))], "[G 10, 22]";
    /// The interpolants of the next launches. Newer than the Guide; the word is ours.
    SetParams = 0xc000_1d00 "set_params" false &[ADDRESS], "our decision";
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
