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
    /// What it does; for an opcode, its formula.
    pub meaning: &'static str,
    /// For an ALU opcode, the inputs that it reads: [`A`], [`B`], [`C`], and [`SELECTS`]. Zero for
    /// all others.
    pub operands: u8,
    /// Where this is documented.
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

impl FieldValue for u8 {
    fn from_code(code: u32) -> Self {
        code as u8
    }
    fn code(self) -> u32 {
        self as u32
    }
}

impl FieldValue for u16 {
    fn from_code(code: u32) -> Self {
        code as u16
    }
    fn code(self) -> u32 {
        self as u32
    }
}

/// Input A of a unit, as a bit of [`Code::operands`].
pub const A: u8 = 1;
/// Input B of a unit, as a bit of [`Code::operands`].
pub const B: u8 = 2;
/// Input C of a unit, as a bit of [`Code::operands`].
pub const C: u8 = 4;
/// The result is input A or B, bit for bit: a bit of [`Code::operands`].
pub const SELECTS: u8 = 8;

/// Declares an enumeration and its table. With `+ Reserved`, the field has reserved codes; they
/// decode to `Reserved(code)` and survive.
macro_rules! codes {
    (@code $(#[$meta:meta])* $Enum:ident / $TABLE:ident
     { $($Variant:ident = $code:literal $name:literal $([$operands:expr])? : $meaning:literal, $source:literal;)* }) => {
        #[doc = concat!("The values of [`", stringify!($Enum), "`], in code order.")]
        pub const $TABLE: &[Code] = &[$(Code {
            code: $code, name: $name, meaning: $meaning, operands: 0 $(| $operands)?, source: $source,
        }),*];
        impl $Enum {
            /// The table row; `None` for a reserved code.
            pub fn row(self) -> Option<&'static Code> {
                let code = self.code() as u8;
                $TABLE.iter().find(|row| row.code == code)
            }
            /// The name in the table, `"reserved"` for a reserved code.
            pub fn name(self) -> &'static str {
                self.row().map_or("reserved", |row| row.name)
            }
        }
    };
    ($(#[$meta:meta])* pub enum $Enum:ident / $TABLE:ident + Reserved { $($Variant:ident = $code:literal $name:literal $([$operands:expr])? : $meaning:literal, $source:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $Enum { $(#[doc = $meaning] $Variant,)* /// A code without a meaning.
            Reserved(u8) }
        impl FieldValue for $Enum {
            fn from_code(code: u32) -> Self {
                match code { $($code => Self::$Variant,)* other => Self::Reserved(other as u8) }
            }
            fn code(self) -> u32 {
                match self { $(Self::$Variant => $code,)* Self::Reserved(code) => code as u32 }
            }
        }
        codes!(@code $(#[$meta])* $Enum / $TABLE { $($Variant = $code $name $([$operands])? : $meaning, $source;)* });
    };
    ($(#[$meta:meta])* pub enum $Enum:ident / $TABLE:ident { $First:ident = $first:literal $fname:literal : $fmeaning:literal, $fsource:literal; $($Variant:ident = $code:literal $name:literal $([$operands:expr])? : $meaning:literal, $source:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $Enum { #[doc = $fmeaning] $First, $(#[doc = $meaning] $Variant,)* }
        impl FieldValue for $Enum {
            fn from_code(code: u32) -> Self {
                // The list covers every code of the field, so `_` matches only the first row's
                // code.
                match code { $($code => Self::$Variant,)* _ => Self::$First }
            }
            fn code(self) -> u32 {
                match self { Self::$First => $first, $(Self::$Variant => $code,)* }
            }
        }
        codes!(@code $(#[$meta])* $Enum / $TABLE { $First = $first $fname : $fmeaning, $fsource; $($Variant = $code $name $([$operands])? : $meaning, $source;)* });
    };
}

codes! {
    /// The class of an instruction. It determines the layout of words 1 to 5.
    pub enum Type / TYPES {
        Alu = 0 "ALU": "arithmetic; OMASK updates predicate bits", "A";
        Out = 1 "OUT": "arithmetic; OMASK writes output registers", "A; G 23";
        Fc = 2 "FC": "flow control", "A";
        Tex = 3 "TEX": "input fetch", "A";
    }
}

codes! {
    /// Opcodes of the RGB unit. Per lane unless the formula says otherwise.
    pub enum RgbOp / RGB_OPS + Reserved {
        Mad = 0 "MAD" [A | B | C]: "A*B + C", "A; G 28";
        Dp3 = 1 "DP3" [A | B]: "A.r*B.r + A.g*B.g + A.b*B.b, in all lanes", "A; G 28";
        Dp4 = 2 "DP4" [A | B]: "DP3 sum + A.a*B.a with the alpha unit's A and B, in all lanes", "A; G 28";
        D2a = 3 "D2A" [A | B | C]: "A.r*B.r + A.g*B.g + C.b, in all lanes", "A; G 28";
        Min = 4 "MIN" [SELECTS | A | B]: "A < B ? A : B", "A; G 28";
        Max = 5 "MAX" [SELECTS | A | B]: "A >= B ? A : B (both zero: B)", "A; G 28, 42";
        Cnd = 7 "CND" [SELECTS | A | B | C]: "C > 0.5 ? A : B", "A; G 28";
        Cmp = 8 "CMP" [SELECTS | A | B | C]: "C >= 0 ? A : B", "A; G 28";
        Frc = 9 "FRC" [A]: "A - floor(A)", "A; G 28";
        Sop = 10 "SOP": "the alpha unit's transcendental result, in all lanes", "A; G 28";
        Mdh = 11 "MDH" [B]: "A*B + C with A = src0 of the quad's top-left point, C = src0 of its top-right point", "A; M";
        Mdv = 12 "MDV" [B]: "A*B + C with A = src0 of the quad's top-left point, C = src0 of its bottom-left point", "A; M";
    }
}

codes! {
    /// Opcodes of the alpha unit.
    pub enum AlphaOp / ALPHA_OPS + Reserved {
        Mad = 0 "MAD" [A | B | C]: "A*B + C", "A; G 29";
        Dp = 1 "DP": "the RGB unit's dot product", "A; G 29";
        Min = 2 "MIN" [SELECTS | A | B]: "A < B ? A : B", "A; G 29";
        Max = 3 "MAX" [SELECTS | A | B]: "A >= B ? A : B (both zero: B)", "A; G 29, 42";
        Cnd = 5 "CND" [SELECTS | A | B | C]: "C > 0.5 ? A : B", "A; G 29";
        Cmp = 6 "CMP" [SELECTS | A | B | C]: "C >= 0 ? A : B", "A; G 29";
        Frc = 7 "FRC" [A]: "A - floor(A)", "A; G 29";
        Ex2 = 8 "EX2" [A]: "2^A", "A; G 29";
        Ln2 = 9 "LN2" [A]: "log2(A)", "A; G 29";
        Rcp = 10 "RCP" [A]: "1/A", "A; G 29";
        Rsq = 11 "RSQ" [A]: "1/sqrt(A)", "A; G 29";
        Sin = 12 "SIN" [A]: "sin(2 pi A), the argument in turns", "A; G 29";
        Cos = 13 "COS" [A]: "cos(2 pi A), the argument in turns", "A; G 29";
        Mdh = 14 "MDH" [B]: "A*B + C with A = src0 of the quad's top-left point, C = src0 of its top-right point", "A; M";
        Mdv = 15 "MDV" [B]: "A*B + C with A = src0 of the quad's top-left point, C = src0 of its bottom-left point", "A; M";
    }
}

impl RgbOp {
    /// The inputs read, as [`A`], [`B`], [`C`] bits. MDH and MDV take A and C from address 0.
    pub fn operands(self) -> u8 {
        self.row().map_or(0, |row| row.operands & !SELECTS)
    }
    /// DP3, DP4, D2A: the operations whose scalar the alpha unit can copy with DP.
    pub fn is_dot(self) -> bool {
        matches!(self, RgbOp::Dp3 | RgbOp::Dp4 | RgbOp::D2a)
    }
    /// MIN, MAX, CND, CMP: the operations that return an argument bit for bit.
    pub fn is_select(self) -> bool {
        self.row().is_some_and(|row| row.operands & SELECTS != 0)
    }
    /// MDH, MDV: the operations that read a neighbour.
    pub fn is_neighbour(self) -> bool {
        matches!(self, RgbOp::Mdh | RgbOp::Mdv)
    }
}

impl AlphaOp {
    /// The inputs read, as [`A`], [`B`], [`C`] bits. MDH and MDV take A and C from address 0.
    pub fn operands(self) -> u8 {
        self.row().map_or(0, |row| row.operands & !SELECTS)
    }
    /// EX2, LN2, RCP, RSQ, SIN, COS: the operations whose scalar the RGB unit can copy with SOP,
    /// because it has no such operation itself.
    pub fn is_transcendental(self) -> bool {
        self.operands() != 0 && RGB_OPS.iter().all(|row| row.name != self.name())
    }
    /// MIN, MAX, CND, CMP: the operations that return an argument bit for bit.
    pub fn is_select(self) -> bool {
        self.row().is_some_and(|row| row.operands & SELECTS != 0)
    }
    /// MDH, MDV: the operations that read a neighbour.
    pub fn is_neighbour(self) -> bool {
        matches!(self, AlphaOp::Mdh | AlphaOp::Mdv)
    }
}

codes! {
    /// Input (texture) operations.
    pub enum TexOp / TEX_OPS + Reserved {
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
}

codes! {
    /// Flow-control operations.
    pub enum FcOp / FC_OPS {
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
    pub enum AddressOp / ADDRESS_OPS + Reserved {
        None = 0 "NONE": "nothing", "A; G 36";
        Pop = 1 "POP": "pop the target", "A; G 36";
        Push = 2 "PUSH": "push the address of the next instruction", "A; G 36";
    }
}

codes! {
    /// The effect on the branch counters, after a jump or without one.
    pub enum BranchOp / BRANCH_OPS + Reserved {
        None = 0 "NONE": "nothing", "A; M";
        Decr = 1 "DECR": "subtract B_POP_CNT; below zero: active again", "A; M";
        Incr = 2 "INCR": "count one more; who disagrees with the jump becomes inactive", "A; M";
    }
}

codes! {
    /// The predicate bit that gates a channel.
    pub enum PredSel / PRED_SELS + Reserved {
        None = 0 "NONE": "not gated", "A; G 35";
        Rgba = 1 "RGBA": "each channel by its own bit", "A; G 35";
        R = 2 "RRRR": "all channels by bit R", "A; G 35";
        G = 3 "GGGG": "all channels by bit G", "A; G 35";
        B = 4 "BBBB": "all channels by bit B", "A; G 35";
        A = 5 "AAAA": "all channels by bit A", "A; G 35";
    }
}

codes! {
    /// The presubtract operation of a unit.
    pub enum Presub / PRESUBS {
        Bias = 0 "BIAS": "1 - 2*src0", "A; G 26";
        Sub = 1 "SUB": "src1 - src0", "A; G 26";
        Add = 2 "ADD": "src1 + src0", "A; G 26";
        Inv = 3 "INV": "1 - src0", "A; G 26";
    }
}

codes! {
    /// The source of an ALU input.
    pub enum Sel / SELS {
        Src0 = 0 "src0": "source 0", "A; G 27";
        Src1 = 1 "src1": "source 1", "A; G 27";
        Src2 = 2 "src2": "source 2", "A; G 27";
        Srcp = 3 "srcp": "the presubtract result", "A; G 27";
    }
}

codes! {
    /// The channel or constant in a lane of an ALU input.
    pub enum Swizzle / SWIZZLES {
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

codes! {
    /// The channel in a coordinate or in a fetched channel.
    pub enum Channel / CHANNELS {
        R = 0 "r": "red", "A";
        G = 1 "g": "green", "A";
        B = 2 "b": "blue", "A";
        A = 3 "a": "alpha", "A";
    }
}

codes! {
    /// The sign modifier of an ALU input. It changes only the sign bit.
    pub enum Modifier / MODIFIERS {
        Nop = 0 "NOP": "x", "A; G 27";
        Neg = 1 "NEG": "-x", "A; G 27";
        Abs = 2 "ABS": "abs(x)", "A; G 27";
        Nab = 3 "NAB": "-abs(x)", "A; G 27";
    }
}

codes! {
    /// The output modifier of a unit.
    pub enum Omod / OMODS {
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
    pub enum Comparison / COMPARISONS {
        Equal = 0 "EQUAL": "x == 0", "A; G 31";
        Less = 1 "LESS": "x < 0", "A; G 31";
        GreaterEqual = 2 "GREATER_EQUAL": "x >= 0", "A; G 31";
        NotEqual = 3 "NOT_EQUAL": "x != 0", "A; G 31";
    }
}

codes! {
    /// The output register of an OUT instruction.
    pub enum Target / TARGETS {
        A = 0 "RNDR_TGT_A": "output 0; in an uncached program UMRT_SAME_IDX", "A; G 31";
        B = 1 "RNDR_TGT_B": "output 1; in an uncached program UMRT_SAME_IDX_TEX_SEM_ACQUIRE", "A; G 31";
        C = 2 "RNDR_TGT_C": "output 2; in an uncached program UMRT_PER_PROCESSOR_IDX", "A; G 31";
        D = 3 "RNDR_TGT_D": "output 3; in an uncached program UMRT_PER_PROCESSOR_IDX_TEX_SEM_ACQUIRE", "A; G 31";
    }
}

codes! {
    /// The channel that sets the ALU result.
    pub enum AluResultSel / ALU_RESULT_SELS {
        Red = 0 "RED": "the RGB unit's red lane", "A; G 32";
        Alpha = 1 "ALPHA": "the alpha unit's result", "A; G 32";
    }
}
