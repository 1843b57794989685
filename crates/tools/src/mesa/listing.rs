//! A listing of one compiler pass, as data.
//!
//! Every operand is resolved to its four lanes: which value each lane reads and with which sign. So
//! a source slot of a paired instruction and a register with a swizzle become the same thing.

use ctm_base::named;
use ctm_isa::isa::{Channel, Presub};

/// The files of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum File {
    /// `temp[n]`.
    Temp,
    /// `input[n]`: what the rasteriser gives.
    Input,
    /// `output[n]`, numbered as the program declares its outputs.
    Output,
    /// `color[n]`: the colour buffer, in paired instructions.
    Color,
    /// `depth`.
    Depth,
    /// `const[n]`.
    Const,
    /// `aluresult`: the flag of the last comparison, in the first lane.
    AluResult,
}

impl File {
    /// The number of files.
    pub const COUNT: usize = File::AluResult as usize + 1;
}

/// One component of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Component {
    /// The file.
    pub file: File,
    /// The number of the register.
    pub index: u16,
    /// 0 x to 3 w.
    pub channel: u8,
}

/// A component, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// A selector `_`: read by no lane that matters.
    Unused,
    /// The bits of a number: the selectors 0, 1 and H, and inline constants.
    Bits(u32),
    /// A component of a register.
    Component(Component),
}

/// The value of a lane, before its sign modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// As it is.
    Atom(Atom),
    /// A presubtract operation: its sources 1 and 0. The operations of one source do not use the
    /// first.
    Presub(Presub, Atom, Atom),
}

impl Value {
    /// The same of another channel.
    pub fn at(self, channel: u8) -> Value {
        let at = |atom| match atom {
            Atom::Component(component) => Atom::Component(Component { channel, ..component }),
            Atom::Unused | Atom::Bits(_) => atom,
        };
        match self {
            Value::Atom(atom) => Value::Atom(at(atom)),
            Value::Presub(presub, a, b) => Value::Presub(presub, at(a), at(b)),
        }
    }
}

/// A lane of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lane {
    /// The value.
    pub value: Value,
    /// Its absolute value, before the sign.
    pub abs: bool,
    /// Its negation.
    pub negate: bool,
}

impl Lane {
    /// A lane that nothing reads.
    pub const UNUSED: Lane = Lane { value: Value::Atom(Atom::Unused), abs: false, negate: false };

    /// Whether something reads it.
    pub fn is_used(&self) -> bool {
        self.value != Value::Atom(Atom::Unused)
    }

    /// The components that it reads.
    pub fn components(&self) -> impl Iterator<Item = Component> + use<> {
        let atoms = match self.value {
            Value::Atom(atom) => [atom, Atom::Unused],
            Value::Presub(_, a, b) => [a, b],
        };
        atoms.into_iter().filter_map(|atom| match atom {
            Atom::Component(component) => Some(component),
            Atom::Unused | Atom::Bits(_) => None,
        })
    }
}

/// An operand: its lanes x, y, z, w.
pub type Operand = [Lane; 4];

named! {
    /// The operations on numbers, in the order of their numbers of operands.
    Op {
        ReplAlpha "REPL_ALPHA": "The result of the paired alpha operation.";
        Sfl "SFL": "0.";
        Abs "ABS": "|a|.";
        Ceil "CEIL": "The next integer from a on.";
        Cos "COS": "The cosine of a.";
        Ex2 "EX2": "2 to the power of a.";
        Flr "FLR": "The next integer down from a.";
        Frc "FRC": "a - FLR a.";
        Lg2 "LG2": "The logarithm of a to base 2.";
        Lit "LIT": "Lighting coefficients.";
        Mov "MOV": "a.";
        Rcp "RCP": "1 / a.";
        Round "ROUND": "The integer next to a.";
        Rsq "RSQ": "1 / sqrt |a|.";
        Scs "SCS": "(cos a, sin a).";
        Sin "SIN": "The sine of a.";
        Ssg "SSG": "The sign of a.";
        Swz "SWZ": "a.";
        Trunc "TRUNC": "a without its fraction.";
        Add "ADD": "a + b.";
        Ddx "DDX": "The difference of a to the next column.";
        Ddy "DDY": "The difference of a to the next row.";
        Dp2 "DP2": "The dot product of two components.";
        Dp3 "DP3": "The dot product of three components.";
        Dp4 "DP4": "The dot product of four components.";
        Dph "DPH": "The dot product of three components, plus b.w.";
        Dst "DST": "(1, a.y b.y, a.z, b.w).";
        Max "MAX": "The greater.";
        Min "MIN": "The less.";
        Mul "MUL": "a b.";
        Pow "POW": "a to the power of b.";
        Seq "SEQ": "a == b ? 1 : 0.";
        Sge "SGE": "a >= b ? 1 : 0.";
        Sgt "SGT": "a > b ? 1 : 0.";
        Sle "SLE": "a <= b ? 1 : 0.";
        Slt "SLT": "a < b ? 1 : 0.";
        Sne "SNE": "a != b ? 1 : 0.";
        Sub "SUB": "a - b.";
        Xpd "XPD": "The cross product.";
        Cmp "CMP": "a < 0 ? b : c; in paired instructions c >= 0 ? a : b.";
        Cnd "CND": "c > 0.5 ? a : b.";
        Lrp "LRP": "a b + (1 - a) c.";
        Mad "MAD": "a b + c.";
    }
}

impl Op {
    /// The number of operands.
    pub fn operands(self) -> usize {
        // The last operation without operands, with one, and with two.
        [Op::Sfl, Op::Trunc, Op::Xpd].iter().filter(|last| self > **last).count()
    }

    /// Whether it is a dot product: paired with one, the alpha unit gives the same result.
    pub fn is_dot(self) -> bool {
        matches!(self, Op::Dp2 | Op::Dp3 | Op::Dp4 | Op::Dph)
    }
}

named! {
    /// The comparisons with 0 that set `aluresult`.
    Compare {
        Less "<": "Less.";
        Equal "==": "Equal.";
        LessEqual "<=": "Less or equal.";
        Greater ">": "Greater.";
        NotEqual "!=": "Not equal.";
        GreaterEqual ">=": "Greater or equal.";
    }
}

impl Compare {
    /// The comparison of a number with 0.
    pub fn test(self, x: f32) -> bool {
        match self {
            Compare::Less => x < 0.0,
            Compare::Equal => x == 0.0,
            Compare::LessEqual => x <= 0.0,
            Compare::Greater => x > 0.0,
            Compare::NotEqual => x != 0.0,
            Compare::GreaterEqual => x >= 0.0,
        }
    }
}

/// A register that an operation writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Destination {
    /// The file.
    pub file: File,
    /// The number of the register.
    pub index: u16,
    /// The channels that are written, bit 0 for x.
    pub mask: u8,
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The operation.
    pub op: Op,
    /// Whether it is part of a paired instruction.
    pub paired: bool,
    /// Its operands.
    pub operands: Vec<Operand>,
    /// The destinations.
    pub writes: Vec<Destination>,
    /// The code of its output modifier, with 8 for saturation: see [`ctm_isa::float::finish`].
    pub finish: u32,
    /// The comparison that sets `aluresult`: the channel, and how; `Ok` of a truth is a comparison
    /// that always gives it.
    pub sets_flag: Option<(u8, Result<bool, Compare>)>,
}

named! {
    /// The operations that fetch.
    FetchOp {
        Tex "TEX": "At coordinates.";
        Txb "TXB": "At coordinates, with a bias of the level.";
        Txl "TXL": "At coordinates and a level.";
        Txd "TXD": "At coordinates with derivatives.";
        Txp "TXP": "At coordinates divided by the fourth.";
    }
}

/// A fetch from a texture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// The kind of fetch.
    pub op: FetchOp,
    /// The coordinates.
    pub coordinate: Operand,
    /// The texture unit.
    pub unit: u8,
    /// Whether coordinates count texels, as those of a RECT do.
    pub unscaled: bool,
    /// The destination.
    pub write: Destination,
    /// The channel of the texel that each channel of the register gets. Listings do not print it.
    pub swizzle: [Channel; 4],
    /// Whether the result is clamped to 0 to 1.
    pub saturate: bool,
}

/// A statement of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// One operation, or two at the same time: RGB and alpha.
    Compute(Vec<Unit>),
    /// A fetch.
    Fetch(Fetch),
    /// Kills the points with a component below 0.
    Kill(Operand),
    /// Begins a block for the points whose value is not 0.
    If(Lane),
    /// The other points.
    Else,
    /// Ends the block.
    EndIf,
    /// Begins a loop.
    Loop,
    /// Leaves the loop.
    Break,
    /// Begins the next iteration.
    Continue,
    /// Ends the loop.
    EndLoop,
    /// Has no effect on values.
    Nothing,
}

impl Statement {
    /// All operands.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        let (units, one): (&[Unit], Option<&Operand>) = match self {
            Statement::Compute(units) => (units, None),
            Statement::Fetch(fetch) => (&[], Some(&fetch.coordinate)),
            Statement::Kill(operand) => (&[], Some(operand)),
            _ => (&[], None),
        };
        units.iter().flat_map(|unit| &unit.operands).chain(one)
    }
}

/// A statement and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The statement.
    pub statement: Statement,
    /// The registers that the source slots of a paired instruction name: of RGB, then of alpha.
    pub sources: [[Option<Atom>; 3]; 2],
    /// The first line of its text, in the log, from 1.
    pub number: usize,
    /// Its text; a paired instruction has several lines.
    pub text: String,
}
