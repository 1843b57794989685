//! Programs: an [`Image`], as read from a container or made by the assembler, and a verified
//! [`Program`].
//!
//! This module knows instructions and their validity. It knows no file format (see `elf`, `raw`)
//! and no memory.

use ctm_base::named;
use ctm_isa::isa::{
    self, Access, Alu, Body, FLOAT_CONSTANTS, FcOp, FieldValue, Instruction, Register, SourceKind,
    SourcesRead, TexOp, To, Usage,
};

use std::any::Any;
use std::sync::Arc;

mod error;
mod forms;
pub mod interface;
mod names;
mod report;
mod source;
#[cfg(test)]
mod tests;
mod variables;
mod verify;

pub use ctm_base::text::Severity;
pub use error::ranges;
pub use error::{VerifyError, VerifyErrors, Warning};
use forms::{Forms, Key};
pub use names::{Known, UnknownName, UnknownRegister};
pub use report::Report;
pub use source::{Line, Location, Name, NameKind, SourceFile, SourceMap, SourceRef, SourceWarning};
pub use variables::{ValuePlace, Variable, VariableLocation};

/// Declares the state registers: a row gives the member and the name.
macro_rules! registers {
    ($($(#[$doc:meta])* $member:ident $name:literal;)*) => {
        /// The state registers that come with a program \[A\]. The default is 0 for all.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
        pub struct Registers { $($(#[$doc])* pub $member: u32,)* }

        impl Registers {
            /// The names, in the order of [`words_mut`](Self::words_mut).
            pub const NAMES: [&str; 7] = [$($name),*];
            /// All registers, in the order in which an executable holds them.
            pub fn words_mut(&mut self) -> [&mut u32; 7] {
                [$(&mut self.$member),*]
            }
        }
    };
}

registers! {
    /// Bit 1 is ZERO_TIMES_ANYTHING_EQUALS_ZERO.
    us_config "US_CONFIG";
    /// Bits 6:0 highest temporary used. Recorded; every program has 128 temporaries.
    us_pixsize "US_PIXSIZE";
    /// Bit 31 full flow control. Recorded, without effect.
    us_fc_ctrl "US_FC_CTRL";
    /// Bits 8:0 start, 24:16 end, both relative to the offset.
    us_code_addr "US_CODE_ADDR";
    /// Bits 8:0 start of the code window, 24:16 its length - 1. Checked only.
    us_code_range "US_CODE_RANGE";
    /// Bits 8:0 added to relative addresses.
    us_code_offset "US_CODE_OFFSET";
    /// Recorded and printed, without effect.
    us_w_fmt "US_W_FMT";
}

impl Registers {
    /// The registers of a program of `instructions` instructions that specifies none: US_CONFIG 0,
    /// full flow control, from the first to the last instruction, offset 0.
    pub fn default_for(instructions: usize) -> Registers {
        let last = (instructions.clamp(1, isa::MAX_INSTRUCTIONS) - 1) as u32;
        Registers {
            us_config: 0,
            us_pixsize: 127,
            us_fc_ctrl: 1 << 31,
            us_code_addr: last << 16,
            us_code_range: last << 16,
            us_code_offset: 0,
            us_w_fmt: 0,
        }
    }
    /// ZERO_TIMES_ANYTHING_EQUALS_ZERO.
    pub fn zero_times(&self) -> bool {
        self.us_config & 2 != 0
    }
    /// OFFSET_ADDR.
    pub fn offset(&self) -> u32 {
        self.us_code_offset & 0x1ff
    }
    /// START_ADDR and END_ADDR, before the offset is added.
    pub fn addresses(&self) -> (u32, u32) {
        (self.us_code_addr & 0x1ff, self.us_code_addr >> 16 & 0x1ff)
    }
    /// The first and the last slot of the code window. The last may be above 511.
    pub fn window(&self) -> (u32, u32) {
        let first = self.us_code_range & 0x1ff;
        (first, first + (self.us_code_range >> 16 & 0x1ff))
    }
    /// The highest temporary that the program declares.
    pub fn highest_temporary(&self) -> u32 {
        self.us_pixsize & 0x7f
    }
    /// Whether flow control is full.
    pub fn full_flow_control(&self) -> bool {
        self.us_fc_ctrl >> 31 != 0
    }
    /// The slot of the first instruction executed: START_ADDR + OFFSET_ADDR, modulo 512.
    pub fn start(&self) -> u32 {
        self.us_code_addr.wrapping_add(self.us_code_offset) & 0x1ff
    }
    /// The slot after which execution ends: END_ADDR + OFFSET_ADDR, modulo 512.
    pub fn end(&self) -> u32 {
        (self.us_code_addr >> 16).wrapping_add(self.us_code_offset) & 0x1ff
    }
}

/// The shared registers that a program asks for: the word SQ_GPR_RESOURCE \[R, our decision\].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Sharing(
    /// Bits 7:0 NUM_GLOBAL, 31:28 NUM_CLAUSE_TEMP. The others are reserved.
    pub u32,
);

impl Sharing {
    /// The name of the word.
    pub const NAME: &str = "SQ_GPR_RESOURCE";
    /// The most global registers.
    pub const MOST_GLOBALS: u32 = 128;

    /// The number of global registers.
    pub fn globals(self) -> usize {
        (self.0 & 0xff) as usize
    }
    /// The number of clause temporaries.
    pub fn clauses(self) -> usize {
        (self.0 >> 28) as usize
    }
    /// The temporary that is clause temporary 0; 128 if there is none.
    pub fn first_clause(self) -> usize {
        isa::TEMPORARIES - self.clauses()
    }
    /// The bits that have no meaning.
    pub fn reserved(self) -> u32 {
        self.0 & 0x0fff_ff00
    }
}

named! {
    /// The kind of a constant register, in the order of its code in executables.
    #[derive(serde::Serialize, serde::Deserialize)]
    ConstantKind {
        Float "float": "Four 32-bit floats.";
        Int "int": "Count, aL start, aL step.";
        Bool "bool": "One bit.";
    }
}

impl ConstantKind {
    /// The number of registers of this kind.
    pub fn count(self) -> usize {
        match self {
            ConstantKind::Float => isa::FLOAT_CONSTANTS,
            ConstantKind::Int => isa::INT_CONSTANTS,
            ConstantKind::Bool => isa::BOOL_CONSTANTS,
        }
    }
}

/// A constant that a program refers to by name; the client gives its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserConstant {
    /// The name in the source.
    pub name: String,
    /// The constant file.
    pub kind: ConstantKind,
    /// Number of the register.
    pub addr: u32,
}

/// A constant whose value belongs to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Literal {
    /// The constant file.
    pub kind: ConstantKind,
    /// Number of the register.
    pub addr: u32,
    /// Float: the bits of r, g, b, a. Int: count, aL start, aL step (two's complement), 0.
    /// Bool: 0 or 1 in the first word.
    pub value: [u32; 4],
}

/// A named input or output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSlot {
    /// The name in the source.
    pub name: String,
    /// Input 0 to 15 or output 0 to 3.
    pub slot: u32,
}

/// An unverified program, with everything that a container can state about it. The default has no
/// instructions.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Image {
    /// The instructions from slot 0 on, six words each.
    pub words: Vec<[u32; 6]>,
    /// The state registers.
    pub registers: Registers,
    /// FG_DEPTH_SRC, recorded only.
    pub fg_depth_src: u32,
    /// Uncached writes ("UMRT").
    pub umrt: bool,
    /// The shared registers, if the program uses data sharing (docs/sharing.md).
    pub sharing: Option<Sharing>,
    /// Input numbers that the container lists; `None`: the container has no list.
    pub inputs: Option<Vec<u32>>,
    /// Output numbers that the container lists.
    pub outputs: Option<Vec<u32>>,
    /// Whether the container says that the program writes its own conditional value.
    pub conditional_output: Option<bool>,
    /// Float constants that the container lists.
    pub float_constants: Option<Vec<u32>>,
    /// Integer constants that the container lists.
    pub int_constants: Option<Vec<u32>>,
    /// Early program exit flag; information only.
    pub early_exit: Option<bool>,
    /// Constants by name.
    pub user_constants: Vec<UserConstant>,
    /// Constants with a value.
    pub literals: Vec<Literal>,
    /// Inputs by name.
    pub input_names: Vec<NamedSlot>,
    /// Outputs by name.
    pub output_names: Vec<NamedSlot>,
    /// Warnings of the reader of the file; also in [`Program::warnings`]. No file format stores it.
    pub warnings: Vec<Warning>,
    /// The places of its instructions in the source.
    pub source: SourceRef,
    /// The interface of the shader that it was compiled from. No file format stores it.
    pub interface: Option<Arc<interface::Interface>>,
}

impl Image {
    /// An image of bare instructions with default registers, from 24 bytes per instruction: six
    /// little-endian words. Bytes after the last whole instruction are ignored.
    pub fn from_bytes(bytes: &[u8]) -> Image {
        let words: Vec<u32> =
            bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        Image::from_words(words.as_chunks().0.to_vec())
    }

    /// The instructions, decoded as those of a program with or without data sharing.
    pub fn instructions(&self) -> Vec<Instruction> {
        let sharing = self.sharing.is_some();
        self.words.iter().map(|words| Instruction::decode_as(words, sharing)).collect()
    }

    /// The instructions as bytes, the inverse of [`Image::from_bytes`].
    pub fn to_bytes(&self) -> Vec<u8> {
        self.words.as_flattened().iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// An image of bare instructions with default registers.
    pub fn from_words(words: Vec<[u32; 6]>) -> Image {
        Image { registers: Registers::default_for(words.len()), words, ..Image::default() }
    }
}

/// The registers and features that the instructions of a program use. All slots count, reached or
/// not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uses {
    /// Inputs that some instruction fetches from, bit n for input n.
    pub inputs: u16,
    /// Outputs that some OUT writes with a non-empty mask: bit n for output n. In an uncached
    /// program: bit 0, if any OUT writes.
    pub outputs: u8,
    /// The number of temporaries that are not clause temporaries.
    own_temps: u8,
    /// Highest temporary named by a used operand or destination; 127 with relative addressing.
    pub highest_temp: u8,
    /// Highest temporary in the fields of used operands and destinations, without aL.
    /// Clause temporaries do not count.
    pub highest_named_temp: u8,
    /// Float constants named by used operands; all of them if one operand is addressed relatively.
    pub float_constants: [bool; FLOAT_CONSTANTS],
    /// Float constants named by used operands without aL.
    pub named_float_constants: [bool; FLOAT_CONSTANTS],
    /// Integer constants that loops use, bit n for constant n. ENDREP's has no effect and does not
    /// count.
    pub int_constants: u32,
    /// Boolean constants whose value can change a jump, bit n for constant n.
    pub bool_constants: u32,
    /// Some used unit computes MDH or MDV. This decides the shape of groups.
    pub neighbours: bool,
    /// Some instruction is TEXKILL.
    pub kill: bool,
    /// Some used address is relative to aL.
    pub relative: bool,
    /// Some used constant's address is relative to aL.
    pub relative_constants: bool,
    /// Some instruction writes the point's conditional value (W_OMASK).
    pub conditional_output: bool,
    /// Instructions of type ALU, OUT, FC, TEX (indexed by the TYPE code).
    pub mix: [u32; 4],
}

impl Uses {
    /// The uses of an image's instructions. The image need not be valid.
    pub fn of_image(image: &Image) -> Uses {
        Uses::of(&image.instructions(), image.umrt, image.sharing)
    }

    /// The uses of these instructions. `umrt`: whether output 0 is an uncached write.
    pub fn of(instructions: &[Instruction], umrt: bool, sharing: Option<Sharing>) -> Uses {
        let mut uses = Uses::none(sharing);
        for instruction in instructions {
            uses.add(instruction, &Used::of(instruction), umrt);
        }
        uses
    }

    /// The uses of no instructions.
    fn none(sharing: Option<Sharing>) -> Uses {
        Uses {
            own_temps: sharing.unwrap_or_default().first_clause() as u8,
            inputs: 0,
            outputs: 0,
            highest_temp: 0,
            highest_named_temp: 0,
            float_constants: [false; FLOAT_CONSTANTS],
            named_float_constants: [false; FLOAT_CONSTANTS],
            int_constants: 0,
            bool_constants: 0,
            neighbours: false,
            kill: false,
            relative: false,
            relative_constants: false,
            conditional_output: false,
            mix: [0; 4],
        }
    }

    /// Adds those of an instruction.
    fn add(&mut self, instruction: &Instruction, used: &Used, umrt: bool) {
        self.mix[instruction.common.class.code() as usize] += 1;
        match &instruction.body {
            Body::Alu(alu) => self.alu(instruction, alu, used, umrt),
            Body::Tex(tex) => {
                if tex.op.fetches() {
                    self.inputs |= 1 << tex.input;
                    if instruction.common.wmask != 0 {
                        self.temp(tex.dest, tex.dest_rel);
                    }
                }
                if tex.op != TexOp::Nop {
                    self.temp(tex.src.addr, tex.src.relative);
                }
                if tex.op == TexOp::DxDy {
                    self.temp(tex.dx.addr, tex.dx.relative);
                    self.temp(tex.dy.addr, tex.dy.relative);
                }
                self.kill |= tex.op == TexOp::Texkill;
            }
            Body::Fc(fc) => {
                if matches!(fc.op, FcOp::Loop | FcOp::EndLoop | FcOp::Rep) {
                    self.int_constants |= 1 << fc.int_addr;
                }
                if instruction.jump_reads()[2] {
                    self.bool_constants |= 1 << fc.bool_addr;
                }
            }
        }
    }

    /// Whether some instruction reads constant `n` of a kind.
    pub fn reads_constant(&self, kind: ConstantKind, n: usize) -> bool {
        match kind {
            ConstantKind::Float => self.float_constants[n],
            ConstantKind::Int => self.int_constants >> n & 1 != 0,
            ConstantKind::Bool => self.bool_constants >> n & 1 != 0,
        }
    }

    /// The constants of a kind that instructions read.
    pub fn constants(&self, kind: ConstantKind) -> Vec<u32> {
        match kind {
            ConstantKind::Float => {
                // Most programs use few of them.
                let parts = self.float_constants.as_chunks::<16>().0.iter().zip((0..).step_by(16));
                let used = parts.filter(|(part, _)| **part != [false; 16]);
                used.flat_map(|(part, first)| (first..).zip(part).filter(|(_, used)| **used))
                    .map(|(n, _)| n)
                    .collect()
            }
            ConstantKind::Int => set_bits(self.int_constants),
            ConstantKind::Bool => set_bits(self.bool_constants),
        }
    }

    fn alu(&mut self, instruction: &Instruction, alu: &Alu, used: &Used, umrt: bool) {
        for (unit, half) in alu.units.iter().enumerate() {
            for (n, source) in half.sources.iter().enumerate() {
                if !used.read.reads(unit, n) {
                    continue;
                }
                match source.kind() {
                    SourceKind::Temp(n) => self.register(instruction.register(n, source.relative)),
                    SourceKind::Constant(_) if source.relative => {
                        self.relative = true;
                        self.relative_constants = true;
                        self.float_constants = [true; FLOAT_CONSTANTS];
                    }
                    SourceKind::Constant(n) => {
                        self.float_constants[n as usize] = true;
                        self.named_float_constants[n as usize] = true;
                    }
                    SourceKind::Inline(_) => {}
                }
            }
        }
        self.neighbours |= used.usage.neighbours != 0;
        // Without `umrt`, because an invalid image may write some channels only.
        isa::writes(instruction, false, &mut |write| match write.to {
            To::Register(register) => self.register(register),
            To::Output(n) => self.outputs |= if umrt { 1 } else { 1 << n },
            To::Own => self.conditional_output = true,
            To::Uncached | To::Predicate | To::AluResult => {}
        });
    }

    fn register(&mut self, register: Register) {
        if let Register::Temp(n, relative) = register {
            self.temp(n, relative);
        }
    }

    fn temp(&mut self, n: u8, relative: bool) {
        self.relative |= relative;
        if n < self.own_temps {
            self.highest_named_temp = self.highest_named_temp.max(n);
        }
        self.highest_temp = self.highest_temp.max(if relative { 127 } else { n });
    }
}

/// The numbers of the bits that are set, in order.
fn set_bits(mut bits: u32) -> Vec<u32> {
    let next = || {
        let n = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (n < u32::BITS).then_some(n)
    };
    std::iter::from_fn(next).collect()
}

/// The parts of an instruction that have an effect, found once for its uses and for its verification. Nothing of TEX
/// and FC.
#[derive(Default)]
struct Used {
    usage: Usage,
    read: SourcesRead,
}

impl Used {
    fn of(instruction: &Instruction) -> Used {
        let usage = Usage::of(instruction);
        instruction.alu().zip(usage).map_or(Used::default(), |(alu, usage)| Used {
            usage,
            read: SourcesRead::by(alu, &usage),
        })
    }
}

/// A verified program. Every engine can run all its instructions.
///
/// # Examples
/// ```
/// use ctm_lang::asm;
/// use ctm_lang::program::{Image, Program};
///
/// let program = Program::new(asm::assemble("mad o1, r2, c7, c8", "program.dpp")?)?;
/// let uses = program.uses();
/// assert_eq!((uses.outputs, uses.highest_temp), (0b10, 2));
/// assert!(uses.float_constants[7] && uses.float_constants[8]);
///
/// let error = Program::new(Image::default()).unwrap_err();
/// assert_eq!(error.to_string(), "the program has no instructions, expected 1 to 512");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    image: Image,
    instructions: Vec<Instruction>,
    uses: Uses,
    warnings: Vec<Warning>,
    forms: Forms,
}

impl Program {
    /// Verifies an image.
    ///
    /// # Errors
    /// All errors found, each with pc, field, value and the allowed values. A long list is cut.
    pub fn new(image: Image) -> Result<Program, VerifyErrors> {
        let instructions = image.instructions();
        let (uses, warnings) = verify::verify(&image, &instructions)?;
        Ok(Program { image, instructions, uses, warnings, forms: Forms::default() })
    }
    /// A form that a higher layer derives from the program, such as its micro-operations. `make`
    /// creates it for a `key` that is not known yet. It is kept as long as the program, unless many
    /// others follow.
    pub fn form<T: Any + Send + Sync>(&self, key: Key, make: impl FnOnce() -> T) -> Arc<T> {
        self.forms.get(key, make)
    }
    /// The reads and writes of each instruction, by slot.
    pub fn accesses(&self) -> Arc<Vec<Access>> {
        self.form((0, false), || {
            let of = |instruction| Access::of(instruction, self.umrt());
            self.instructions.iter().map(of).collect()
        })
    }
    /// The image it was made from.
    pub fn image(&self) -> &Image {
        &self.image
    }
    /// The source map of the program, if known. [`Image::location`] and [`Image::name_of`] look
    /// things up in it.
    pub fn source(&self) -> Option<&SourceMap> {
        self.image.source.get()
    }
    /// The instructions from slot 0 on, at most 512.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }
    /// The state registers.
    pub fn registers(&self) -> &Registers {
        &self.image.registers
    }
    /// Whether its outputs are uncached writes.
    pub fn umrt(&self) -> bool {
        self.image.umrt
    }
    /// The shared registers that it asks for, if it uses data sharing.
    pub fn sharing(&self) -> Option<Sharing> {
        self.image.sharing
    }
    /// The uses of its instructions.
    pub fn uses(&self) -> &Uses {
        &self.uses
    }
    /// The registers that the instructions use and the container's lists leave out, as sentences;
    /// they are also warnings.
    pub fn unlisted(&self) -> Vec<String> {
        verify::unlisted(&self.image, &self.uses)
    }
    /// The warnings: first of its file, then of its instructions by pc, then of the program as a
    /// whole. A long list is cut.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}
