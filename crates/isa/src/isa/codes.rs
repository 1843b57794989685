//! Enumerated field values: one list for each yields a Rust type and the table of its names.
//!
//! These lists are the only definition of opcodes, selectors and comparisons. The assembler, the
//! disassembler, the verifier, the manual and the engines all read them. Sources: \[A\] AMD's R5xx
//! register descriptions, \[G n\] CTM Guide page n, \[M\] Mesa's r300 driver.

/// One value of an enumerated field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// The value in the field.
    pub code: u8,
    /// The name that the assembler accepts and the disassembler prints.
    pub name: &'static str,
    /// The effect; for an opcode, its formula.
    pub meaning: &'static str,
    /// For an ALU opcode, the inputs that it reads: bit 0 A, bit 1 B, bit 2 C. Zero for all others.
    pub operands: u8,
    /// The source of this fact, such as a page of a manual.
    pub source: &'static str,
}

/// A type for the values of a field.
pub trait FieldValue: Copy {
    /// Converts the field's bits. Every bit pattern of the field has a value.
    fn from_code(code: u32) -> Self;
    /// The field's bits.
    fn code(self) -> u32;
}

impl FieldValue for bool {
    fn from_code(code: u32) -> Self {
        code != 0
    }
    fn code(self) -> u32 {
        self as u32
    }
}

macro_rules! numbers {
    ($($Number:ident)*) => {$(
        impl FieldValue for $Number {
            fn from_code(code: u32) -> Self {
                code as $Number
            }
            fn code(self) -> u32 {
                self.into()
            }
        }
    )*};
}

numbers! { u8 u16 }

/// Input A of a unit, as a bit of [`Code::operands`].
pub const A: u8 = 1;
/// Input B of a unit, as a bit of [`Code::operands`].
pub const B: u8 = 2;
/// Input C of a unit, as a bit of [`Code::operands`].
pub const C: u8 = 4;
/// The result is input A or B, bit for bit.
const SELECTS: u8 = 8;

/// The RGB unit, as an index of [`super::Alu::units`].
pub const RGB: usize = 0;
/// The alpha unit, as an index of [`super::Alu::units`].
pub const ALPHA: usize = 1;
/// The channels that each unit computes: bit 0 R to bit 3 A.
pub const UNIT_MASKS: [u8; 2] = [7, 8];

/// Declares an enumeration of field values. A row `Variant = code "NAME": meaning, source` gives a
/// variant, its code, its name and its row in the table. With `+ Reserved`, the field has reserved
/// codes; they decode to `Reserved(code)` and survive. Otherwise the rows cover every code.
macro_rules! codes {
    ($(#[$meta:meta])* $Enum:ident / $TABLE:ident $(+ $Reserved:ident)? {
        $($Variant:ident = $code:literal $name:literal: $meaning:literal, $source:literal;)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $Enum { $(#[doc = $meaning] $Variant,)* $(/// A code without a meaning.
            $Reserved(u8))? }
        #[doc = concat!("The values of [`", stringify!($Enum), "`], in code order.")]
        pub const $TABLE: &[Code] = &[$(Code {
            code: $code, name: $name, meaning: $meaning, operands: 0, source: $source,
        }),*];
        impl $Enum {
            /// The name in the table, `"reserved"` for a reserved code.
            pub fn name(self) -> &'static str {
                match self { $(Self::$Variant => $name,)* $(Self::$Reserved(_) => "reserved")? }
            }
        }
        impl FieldValue for $Enum {
            fn from_code(code: u32) -> Self {
                match code { $($code => Self::$Variant,)* _ => codes!(@other code $($Reserved)?) }
            }
            #[inline]
            fn code(self) -> u32 {
                match self {
                    $(Self::$Variant => $code,)*
                    $(Self::$Reserved(code) => code.into())?
                }
            }
        }
    };
    (@other $code:ident $Reserved:ident) => { Self::$Reserved($code as u8) };
    // The rows cover every code of the field.
    (@other $code:ident) => { Self::from_code(0) };
}

codes! {
    /// The class of an instruction. It determines the layout of words 1 to 5.
    Type / TYPES {
        Alu = 0 "ALU": "arithmetic; OMASK updates predicate bits", "A";
        Out = 1 "OUT": "arithmetic; OMASK writes output registers", "A; G 23";
        Fc = 2 "FC": "flow control", "A";
        Tex = 3 "TEX": "input fetch", "A";
    }
}

/// Declares the operations of the two units. One row gives the variant of [`AluOp`] and, for each
/// unit that has the operation, the row of that unit's table: `rgb(code source)`,
/// `alpha(code source)`.
macro_rules! alu_ops {
    ($($Op:ident $name:literal $([$operands:expr])?
        $(rgb($rgb:literal $rgb_source:literal))? $(alpha($alpha:literal $alpha_source:literal))?
        $(sharing($shared:literal $shared_source:literal))?
        : $meaning:literal;)*) => {
        /// The operations of the RGB unit and the alpha unit. Per lane unless the formula says
        /// otherwise.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum AluOp { $(#[doc = $meaning] $Op,)* /// A code without a meaning.
            Reserved(u8) }
        /// The operations of the RGB unit, in code order.
        pub const RGB_OPS: &[Code] = &[$($(Code {
            code: $rgb, name: $name, meaning: $meaning, operands: AluOp::$Op.operands(),
            source: $rgb_source,
        },)?)*];
        /// The operations of the alpha unit, in code order.
        pub const ALPHA_OPS: &[Code] = &[$($(Code {
            code: $alpha, name: $name, meaning: $meaning, operands: AluOp::$Op.operands(),
            source: $alpha_source,
        },)?)*];
        /// The operations that the RGB unit has only in programs with data sharing.
        pub const SHARING_OPS: &[Code] = &[$($(Code {
            code: $shared, name: $name, meaning: $meaning, operands: AluOp::$Op.operands(),
            source: $shared_source,
        },)?)*];
        impl AluOp {
            /// The operation with a code in a unit, [`RGB`] or [`ALPHA`].
            pub fn from_code(unit: usize, code: u32) -> AluOp {
                match (unit, code) {
                    $($((RGB, $rgb) => Self::$Op,)? $((ALPHA, $alpha) => Self::$Op,)?)*
                    _ => Self::Reserved(code as u8),
                }
            }
            /// The operation that a code of the RGB unit has only in programs with data sharing.
            pub fn sharing(code: u32) -> Option<AluOp> {
                match code {
                    $($($shared => Some(Self::$Op),)?)*
                    _ => None,
                }
            }
            /// The operation's code in a unit. An operation that the unit does not have gets a
            /// reserved code, 6 or 4.
            pub fn code(self, unit: usize) -> u32 {
                match (self, unit) {
                    $($((Self::$Op, RGB) => $rgb,)? $((Self::$Op, ALPHA) => $alpha,)?
                    $((Self::$Op, RGB) => $shared,)?)*
                    (Self::Reserved(code), _) => code.into(),
                    (_, RGB) => 6,
                    (_, _) => 4,
                }
            }
            /// The name in the tables, `"reserved"` for a reserved code.
            pub fn name(self) -> &'static str {
                match self { $(Self::$Op => $name,)* Self::Reserved(_) => "reserved" }
            }
            /// The inputs read, as [`A`], [`B`], [`C`] bits. MDH and MDV take A and C from
            /// address 0.
            pub const fn operands(self) -> u8 {
                self.listed() & !SELECTS
            }
            const fn listed(self) -> u8 {
                match self { $(Self::$Op => 0 $(| $operands)?,)* Self::Reserved(_) => 0 }
            }
        }
    };
}

alu_ops! {
    Mad "MAD" [A | B | C] rgb(0 "A; G 28") alpha(0 "A; G 29"): "A*B + C";
    Dp3 "DP3" [A | B] rgb(1 "A; G 28"): "A.r*B.r + A.g*B.g + A.b*B.b, in all lanes";
    Dp4 "DP4" [A | B] rgb(2 "A; G 28"): "DP3 sum + A.a*B.a with the alpha unit's A and B, in all lanes";
    D2a "D2A" [A | B | C] rgb(3 "A; G 28"): "A.r*B.r + A.g*B.g + C.b, in all lanes";
    Dp "DP" alpha(1 "A; G 29"): "the RGB unit's dot product";
    Min "MIN" [SELECTS | A | B] rgb(4 "A; G 28") alpha(2 "A; G 29"): "A < B ? A : B";
    Max "MAX" [SELECTS | A | B] rgb(5 "A; G 28, 42") alpha(3 "A; G 29, 42"): "A >= B ? A : B (both zero: B)";
    Cnd "CND" [SELECTS | A | B | C] rgb(7 "A; G 28") alpha(5 "A; G 29"): "C > 0.5 ? A : B";
    Cmp "CMP" [SELECTS | A | B | C] rgb(8 "A; G 28") alpha(6 "A; G 29"): "C >= 0 ? A : B";
    Frc "FRC" [A] rgb(9 "A; G 28") alpha(7 "A; G 29"): "A - floor(A)";
    Sop "SOP" rgb(10 "A; G 28"): "the alpha unit's transcendental result, in all lanes";
    Ex2 "EX2" [A] alpha(8 "A; G 29"): "2^A";
    Ln2 "LN2" [A] alpha(9 "A; G 29"): "log2(A)";
    Rcp "RCP" [A] alpha(10 "A; G 29"): "1/A";
    Rsq "RSQ" [A] alpha(11 "A; G 29"): "1/sqrt(A)";
    Sin "SIN" [A] alpha(12 "A; G 29"): "sin(2 pi A), the argument in turns";
    Cos "COS" [A] alpha(13 "A; G 29"): "cos(2 pi A), the argument in turns";
    Mdh "MDH" [B] rgb(11 "A; M") alpha(14 "A; M"): "A*B + C with A = src0 of the quad's top-left point, C = src0 of its top-right point";
    MovaFloor "MOVA_FLOOR" [SELECTS | A] sharing(13 "R"): "A; AR.X = floor(A.r)";
    Mdv "MDV" [B] rgb(12 "A; M") alpha(15 "A; M"): "A*B + C with A = src0 of the quad's top-left point, C = src0 of its bottom-left point";
}

impl AluOp {
    /// The lanes of inputs A, B and C that its result in these channels depends on, each bit 0 R
    /// to bit 3 A. MDH and MDV have A and C from two neighbours.
    #[inline]
    pub fn lanes(self, channels: u8) -> [u8; 3] {
        match self {
            AluOp::Dp3 => [7, 7, 0],
            AluOp::Dp4 => [15, 15, 0],
            AluOp::D2a => [3, 3, 4],
            op => [A, B, C].map(|input| if op.operands() & input != 0 { channels } else { 0 }),
        }
    }
    /// DP3, DP4, D2A, DP: the result is the RGB unit's dot product, which DP copies.
    pub fn is_dot(self) -> bool {
        use AluOp::*;
        matches!(self, Dp3 | Dp4 | D2a | Dp)
    }
    /// EX2, LN2, RCP, RSQ, SIN, COS, SOP: the result is the alpha unit's scalar, which SOP copies.
    pub fn is_transcendental(self) -> bool {
        let alpha_only = |row: &Code| RGB_OPS.iter().all(|rgb| rgb.name != row.name);
        let own = |row: &&Code| row.name == self.name() && row.operands != 0;
        self == AluOp::Sop || ALPHA_OPS.iter().find(own).is_some_and(alpha_only)
    }
    /// MIN, MAX, CND, CMP, MOVA_FLOOR: the operations that return an argument bit for bit.
    #[inline]
    pub fn is_select(self) -> bool {
        self.listed() & SELECTS != 0
    }
    /// MDH, MDV: the operations that read a neighbour.
    #[inline]
    pub fn is_neighbour(self) -> bool {
        matches!(self, AluOp::Mdh | AluOp::Mdv)
    }
    /// The code has no meaning.
    pub fn is_reserved(self) -> bool {
        matches!(self, AluOp::Reserved(_))
    }
}

codes! {
    /// The meaning of an instruction's REL bits in a program with data sharing. It takes the bits of
    /// STAT_WE.
    IndexMode / INDEX_MODES + Reserved {
        Plain = 0 "PLAIN": "REL adds aL, as without data sharing", "R";
        Loop = 4 "LOOP": "the same", "R";
        Global = 5 "GLOBAL": "a temporary with REL is a global register", "R";
        GlobalArX = 6 "GLOBAL_AR_X": "a temporary with REL is the global register at its number + AR.X", "R";
    }
}

codes! {
    /// Input (texture) operations.
    TexOp / TEX_OPS + Reserved {
        Nop = 0 "NOP": "no fetch, no write; may carry TEX_SEM_ACQUIRE", "A; G 33";
        Ld = 1 "LD": "fetch at (S, T)", "A";
        Texkill = 2 "TEXKILL": "kill the point if any of S, T, R, Q is below 0", "A; M";
        Proj = 3 "PROJ": "fetch at (S/Q, T/Q)", "A";
        LodBias = 4 "LODBIAS": "fetch with a level-of-detail bias in Q", "A; M";
        Lod = 5 "LOD": "fetch with the level of detail in Q", "A; M";
        DxDy = 6 "DXDY": "fetch with the level of detail from gradients", "A";
    }
}

impl TexOp {
    /// Whether the operation reads the input. NOP, TEXKILL and the reserved code do not.
    pub fn fetches(self) -> bool {
        !matches!(self, TexOp::Nop | TexOp::Texkill | TexOp::Reserved(_))
    }
    /// The coordinates S, T, R, Q that have an effect, bit 0 S to bit 3 Q. Levels of detail have
    /// none.
    pub fn coordinates(self) -> u8 {
        match self {
            TexOp::Nop | TexOp::Reserved(_) => 0,
            TexOp::Ld | TexOp::LodBias | TexOp::Lod | TexOp::DxDy => 0b0011,
            TexOp::Proj => 0b1011,
            TexOp::Texkill => 0b1111,
        }
    }
}

codes! {
    /// Flow-control operations.
    FcOp / FC_OPS {
        Jump = 0 "JUMP": "jump, call or return; also if, else, endif", "A; G 36";
        Loop = 1 "LOOP": "enter a loop that has aL", "A; G 37";
        EndLoop = 2 "ENDLOOP": "next iteration of a LOOP", "A; G 37";
        Rep = 3 "REP": "enter a loop without aL", "A; G 37";
        EndRep = 4 "ENDREP": "next iteration of a REP", "A; G 37";
        BreakLoop = 5 "BREAKLOOP": "leave a LOOP", "A; G 37";
        BreakRep = 6 "BREAKREP": "leave a REP", "A; G 37";
        Continue = 7 "CONTINUE": "skip to the end of the iteration", "A; G 37";
    }
}

codes! {
    /// The effect of a taken jump on the address stack.
    AddressOp / ADDRESS_OPS + Reserved {
        None = 0 "NONE": "nothing", "A; G 36";
        Pop = 1 "POP": "pop the target", "A; G 36";
        Push = 2 "PUSH": "push the address of the next instruction", "A; G 36";
    }
}

codes! {
    /// The effect on the branch counters, after a jump or without one.
    BranchOp / BRANCH_OPS + Reserved {
        None = 0 "NONE": "nothing", "A; M";
        Decr = 1 "DECR": "subtract B_POP_CNT; below zero: active again", "A; M";
        Incr = 2 "INCR": "count one more; who disagrees with the jump becomes inactive", "A; M";
    }
}

codes! {
    /// The predicate bit that gates a channel.
    PredSel / PRED_SELS + Reserved {
        None = 0 "NONE": "not gated", "A; G 35";
        Rgba = 1 "RGBA": "each channel by its own bit", "A; G 35";
        R = 2 "RRRR": "all channels by bit R", "A; G 35";
        G = 3 "GGGG": "all channels by bit G", "A; G 35";
        B = 4 "BBBB": "all channels by bit B", "A; G 35";
        A = 5 "AAAA": "all channels by bit A", "A; G 35";
    }
}

impl PredSel {
    /// The predicate bit that gates a channel, 0 R to 3 A. FC has that of channel R.
    pub fn bit(self, channel: usize) -> Option<usize> {
        match self {
            PredSel::None | PredSel::Reserved(_) => None,
            PredSel::Rgba => Some(channel),
            PredSel::R => Some(0),
            PredSel::G => Some(1),
            PredSel::B => Some(2),
            PredSel::A => Some(3),
        }
    }
}

codes! {
    /// The presubtract operation of a unit.
    Presub / PRESUBS {
        Bias = 0 "BIAS": "1 - 2*src0", "A; G 26";
        Sub = 1 "SUB": "src1 - src0", "A; G 26";
        Add = 2 "ADD": "src1 + src0", "A; G 26";
        Inv = 3 "INV": "1 - src0", "A; G 26";
    }
}

impl Presub {
    /// The number of sources that it reads: source 0, or sources 0 and 1.
    pub fn sources(self) -> usize {
        match self {
            Presub::Bias | Presub::Inv => 1,
            Presub::Sub | Presub::Add => 2,
        }
    }
}

codes! {
    /// The source of an ALU input.
    Sel / SELS {
        Src0 = 0 "src0": "source 0", "A; G 27";
        Src1 = 1 "src1": "source 1", "A; G 27";
        Src2 = 2 "src2": "source 2", "A; G 27";
        Srcp = 3 "srcp": "the presubtract result", "A; G 27";
    }
}

codes! {
    /// The channel or constant in a lane of an ALU input.
    Swizzle / SWIZZLES {
        R = 0 "r": "red", "A; G 27";
        G = 1 "g": "green", "A; G 27";
        B = 2 "b": "blue", "A; G 27";
        A = 3 "a": "alpha", "A; G 27";
        Zero = 4 "0": "0.0", "A; G 27";
        Half = 5 "h": "0.5", "A; G 27";
        One = 6 "1": "1.0", "A; G 27";
        Unused = 7 "_": "not used; reads as 0", "A";
    }
}

impl Sel {
    /// The number of the source; `None` for the presubtract result.
    pub fn source(self) -> Option<usize> {
        match self {
            Sel::Src0 => Some(0),
            Sel::Src1 => Some(1),
            Sel::Src2 => Some(2),
            Sel::Srcp => None,
        }
    }
}

impl Swizzle {
    /// The channel, 0 R to 3 A; `None` for a constant.
    #[inline]
    pub fn channel(self) -> Option<usize> {
        Some(self.code() as usize).filter(|code| *code < 4)
    }
}

codes! {
    /// The channel in a coordinate or in a fetched channel.
    Channel / CHANNELS {
        R = 0 "r": "red", "A";
        G = 1 "g": "green", "A";
        B = 2 "b": "blue", "A";
        A = 3 "a": "alpha", "A";
    }
}

codes! {
    /// The sign modifier of an ALU input. It changes only the sign bit.
    Modifier / MODIFIERS {
        Nop = 0 "NOP": "x", "A; G 27";
        Neg = 1 "NEG": "-x", "A; G 27";
        Abs = 2 "ABS": "abs(x)", "A; G 27";
        Nab = 3 "NAB": "-abs(x)", "A; G 27";
    }
}

codes! {
    /// The output modifier of a unit.
    Omod / OMODS {
        X1 = 0 "OMOD_1": "result * 1", "A; G 29";
        X2 = 1 "OMOD_2": "result * 2", "A; G 29";
        X4 = 2 "OMOD_4": "result * 4", "A; G 29";
        X8 = 3 "OMOD_8": "result * 8", "A; G 29";
        Div2 = 4 "OMOD_DIV_2": "result / 2", "A; G 29";
        Div4 = 5 "OMOD_DIV_4": "result / 4", "A; G 29";
        Div8 = 6 "OMOD_DIV_8": "result / 8", "A; G 29";
        Disabled = 7 "OMOD_DISABLED": "result bit for bit, no clamp; MIN, MAX, CND, CMP only", "A; G 29";
    }
}

codes! {
    /// A comparison with 0: predicates (TARGET of an ALU instruction) and the ALU result.
    Comparison / COMPARISONS {
        Equal = 0 "EQUAL": "x == 0", "A; G 31";
        Less = 1 "LESS": "x < 0", "A; G 31";
        GreaterEqual = 2 "GREATER_EQUAL": "x >= 0", "A; G 31";
        NotEqual = 3 "NOT_EQUAL": "x != 0", "A; G 31";
    }
}

codes! {
    /// The output register of an OUT instruction.
    Target / TARGETS {
        A = 0 "RNDR_TGT_A": "output 0; in an uncached program UMRT_SAME_IDX", "A; G 31";
        B = 1 "RNDR_TGT_B": "output 1; in an uncached program UMRT_SAME_IDX_TEX_SEM_ACQUIRE", "A; G 31";
        C = 2 "RNDR_TGT_C": "output 2; in an uncached program UMRT_PER_PROCESSOR_IDX", "A; G 31";
        D = 3 "RNDR_TGT_D": "output 3; in an uncached program UMRT_PER_PROCESSOR_IDX_TEX_SEM_ACQUIRE", "A; G 31";
    }
}

codes! {
    /// The channel that sets the ALU result.
    AluResultSel / ALU_RESULT_SELS {
        Red = 0 "RED": "the RGB unit's red lane", "A; G 32";
        Alpha = 1 "ALPHA": "the alpha unit's result", "A; G 32";
    }
}

impl AluResultSel {
    /// The channel, 0 R or 3 A.
    pub fn channel(self) -> usize {
        match self {
            AluResultSel::Red => 0,
            AluResultSel::Alpha => 3,
        }
    }
}
