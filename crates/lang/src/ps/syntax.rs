//! The syntax tree: the output of the parser.

use super::steps::Gating;
use super::table::{CompareSuffix, Row};
use ctm_base::text::Span;
use ctm_isa::isa::{BOOL_CONSTANTS, FLOAT_CONSTANTS, INPUTS, INT_CONSTANTS, OUTPUTS};

/// A register file of ps_3_0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum File {
    Temp,
    Input,
    Float,
    Int,
    Bool,
    Sampler,
    Label,
    Predicate,
    LoopCounter,
    Color,
    Depth,
    Position,
    Face,
}

/// The register files: name in the language, number of registers (0: the registers have no
/// numbers), name of one and of all in messages.
pub(super) const FILES: &[(&str, File, usize, &str, &str)] = &[
    ("r", File::Temp, TEMPS, "a temporary", "temporaries"),
    ("v", File::Input, INPUT_REGISTERS, "an input", "inputs"),
    ("c", File::Float, FLOAT_CONSTANTS, "a float constant", "float constants"),
    ("i", File::Int, INT_CONSTANTS, "an integer constant", "integer constants"),
    ("b", File::Bool, BOOL_CONSTANTS, "a boolean constant", "boolean constants"),
    ("s", File::Sampler, INPUTS, "a sampler", "samplers"),
    ("l", File::Label, LABELS, "a label", "labels"),
    ("p", File::Predicate, 1, "the predicate", "predicate register"),
    ("aL", File::LoopCounter, 0, "the loop counter", ""),
    ("oC", File::Color, OUTPUTS, "an output", "outputs"),
    ("oDepth", File::Depth, 0, "the depth output", ""),
    ("vPos", File::Position, 0, "the position", ""),
    ("vFace", File::Face, 0, "the face", ""),
];

/// Number of input registers of a shader in Direct3D.
pub(super) const INPUT_REGISTERS: usize = 10;
/// Number of temporaries of a shader.
pub(super) const TEMPS: usize = 32;
/// Number of labels of a shader in Direct3D.
pub(super) const LABELS: usize = 2048;

impl File {
    /// The name of a register of this file in messages.
    pub fn describe(self) -> &'static str {
        FILES.iter().find(|row| row.1 == self).map_or("a register", |row| row.3)
    }
}

/// A register as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Register {
    pub file: File,
    /// Its number; with aL, the number added to it.
    pub index: u32,
    pub relative: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Operand {
    pub span: Span,
    pub value: Value,
}

/// The value of an operand.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Register(RegisterUse),
    Number(f32),
    /// `true` or `false`.
    Bool(bool),
}

/// A register with everything that may surround it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RegisterUse {
    pub register: Register,
    pub negate: bool,
    pub abs: bool,
    /// `!`.
    pub not: bool,
    /// The channels after the dot, 0 to 3 each, at most four.
    pub swizzle: Option<Vec<u8>>,
}

impl RegisterUse {
    /// Whether it has a sign or is absolute.
    pub fn is_signed(&self) -> bool {
        self.negate || self.abs
    }
    /// The channel of each lane. The last letter is repeated for missing channels.
    pub fn lanes(&self) -> [u8; 4] {
        match self.swizzle.as_deref() {
            Some(letters @ [.., last]) => {
                std::array::from_fn(|n| letters.get(n).copied().unwrap_or(*last))
            }
            _ => [0, 1, 2, 3],
        }
    }
    /// Whether it has anything but channels.
    pub fn is_modified(&self) -> bool {
        self.is_signed() || self.not || self.register.relative
    }
}

impl Operand {
    /// Its register.
    pub fn register(&self) -> Option<&RegisterUse> {
        match &self.value {
            Value::Register(found) => Some(found),
            _ => None,
        }
    }
    /// Its register, if that is of this file.
    pub fn register_of(&self, file: File) -> Option<&RegisterUse> {
        self.register().filter(|found| found.register.file == file)
    }
}

/// `(p0.x)` before an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gate {
    pub span: Span,
    pub by: Gating,
}

#[derive(Clone, Debug)]
pub(super) struct Instruction {
    pub span: Span,
    pub row: &'static Row,
    pub compare: Option<CompareSuffix>,
    pub saturate: bool,
    pub gate: Option<Gate>,
    pub operands: Vec<Operand>,
}

/// The subject of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    /// An input; the number of its `texcoord` if it has that semantic.
    Input(Option<u32>),
    /// A two-dimensional sampler.
    Sampler2d,
    /// A sampler of another kind; the machine has none.
    SamplerOther,
}

#[derive(Clone, Debug)]
pub(super) enum Statement {
    Instruction(Instruction),
    /// `dcl...`
    Declare {
        span: Span,
        what: Declared,
        operand: Operand,
    },
    /// `def`, `defi`, `defb`: the register and its values.
    Define {
        span: Span,
        file: File,
        operands: Vec<Operand>,
    },
    /// `end`.
    End(Span),
}
