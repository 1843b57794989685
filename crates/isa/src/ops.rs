//! The operations that programs consist of after lowering: one table, `ops!`.
//!
//! A program's instructions become micro-operations (`lower`), and engines run these. Everything
//! that an operation is to the rest of the crate is in its row: the type [`Op`], its effect, its
//! name in texts, its meaning in each mode of arithmetic, its code in the GPU's interpreter, its
//! functions in WGSL. No other code lists the operations of [`Calc`].
//!
//! A row speaks of numbers, not of registers: a [`Calc`] computes one number from one number of
//! each operand. The number of lanes that a micro-operation covers, and the swizzles between them,
//! belong to its word. This module knows no words, rows or engines.

mod size;

use crate::float;
use crate::isa::AluOp;
pub use size::{Domain, Size};
use size::{EXPONENTIAL, INVERSE_ROOT, LOGARITHM, WAVE};
use {General::*, Given::*};

/// Passes the table to a macro: `ops!(NAME)` expands to `NAME! { calc { ROW* } other { ROW* } }`.
///
/// A row of `calc`, an operation that computes a number from numbers:
///
/// ```text
/// VARIANT name(operands; aux) = meaning;      as a call of functions of `float`, see `Calc::facts`
///     isa [opcode]                            the opcode that is this operation, if any
///     keeps [operands]                        whose bits can reach the result, a NaN's included
///     code [form]                             what the GPU's interpreter runs
///     wgsl [fast exact loose]                 functions, if they are not fast_NAME and x1k_NAME
///     native [modes]                          in which the block engine has a loop of its own
///     size [size]                             how large the result is
///     aux [use];                              what `RowOp::aux` means
/// ```
///
/// A row of `other`: `VARIANT name: effect, keeps [operands] code [form];`
#[macro_export]
macro_rules! ops {
    ($then:ident) => {
        $then! {
            calc {
                /// dst = a, bit for bit.
                Mov mov(a; _) = a;
                    isa [MovaFloor] keeps [A] code [general(Mov, [A])]
                    wgsl ["" "" ""] native [] size [Size::Move] aux [Own];
                /// dst = a * b + c, two roundings.
                Mad mad(a, b, c; zero) = mad(a, b, c, is_set(zero));
                    isa [Mad] keeps [] code [general(Mad, [A, B, C])]
                    wgsl ["mad" "mad_flushed" "mad_loose"]
                    native [Fast] size [Size::MulAdd] aux [ZeroTimes];
                /// dst = a * b + 0.
                Mul mul(a, b; zero) = mul_plus_zero(a, b, is_set(zero));
                    isa [] keeps [] code [general(Mad, [A, B, Zero])]
                    wgsl ["mul" "mul_plus_zero_flushed" "mul_plus_zero_loose"]
                    native [Fast Chip] size [Size::Product { signed: false }] aux [ZeroTimes];
                /// dst = a + b.
                Add add(a, b; _) = add(a, b);
                    isa [] keeps [] code [general(Mad, [A, One, B])]
                    wgsl ["add" "add_flushed" "add_loose"]
                    native [Fast Chip] size [Size::Sum] aux [Own];
                /// dst = a * b for a sum: flushed, but its NaN is of any form.
                Product product(a, b; zero) = mul(a, b, is_set(zero));
                    isa [] keeps [] code [general(Mad, [A, B, MinusZero])]
                    wgsl ["mul" "product_loose" "product_loose"]
                    native [Fast] size [Size::Product { signed: true }] aux [ZeroTimes];
                /// dst = aligned sum of a, b, c.
                Sum3 sum3(a, b, c; _) = sum(&[a, b, c]);
                    isa [] keeps [] code [SUMS]
                    wgsl ["sum3" "sum3" "sum3_loose"] native [Fast] size [Size::Aligned] aux [Own];
                /// dst = aligned sum of a, b, c, d.
                Sum4 sum4(a, b, c, d; _) = sum(&[a, b, c, d]);
                    isa [] keeps [] code [SUMS]
                    wgsl ["sum4" "sum4" "sum4_loose"] native [Fast] size [Size::Aligned] aux [Own];
                /// dst = min(a, b), the chosen operand bit for bit.
                Min min(a, b; _) = min(a, b);
                    isa [Min] keeps [A B] code [general(Min, [A, B])]
                    wgsl [] native [] size [Size::Lesser] aux [Own];
                /// dst = max(a, b), the chosen operand bit for bit.
                Max max(a, b; _) = max(a, b);
                    isa [Max] keeps [A B] code [general(Max, [A, B])]
                    wgsl [] native [] size [Size::Greater] aux [Own];
                /// dst = c > 0.5 ? a : b.
                Cnd cnd(a, b, c; _) = cnd(a, b, c);
                    isa [Cnd] keeps [A B] code [general(Cnd, [A, B, C])]
                    wgsl [] native [] size [Size::Choice { alike: -1 }] aux [Own];
                /// dst = c >= 0 ? a : b.
                Cmp cmp(a, b, c; _) = cmp(a, b, c);
                    isa [Cmp] keeps [A B] code [general(Cmp, [A, B, C])]
                    wgsl [] native [] size [Size::Choice { alike: -126 }] aux [Own];
                /// dst = a - floor(a).
                Frc frc(a; _) = frc(a);
                    isa [Frc] keeps [] code [MATH]
                    wgsl ["frc" "frc_flushed" "frc_loose"]
                    native [Chip] size [Size::Fraction] aux [Own];
                /// dst = 2^a.
                Ex2 ex2(a; _) = ex2(a);
                    isa [Ex2] keeps [] code [MATH] wgsl [] native [] size [EXPONENTIAL] aux [Own];
                /// dst = log2(a).
                Ln2 ln2(a; _) = ln2(a);
                    isa [Ln2] keeps [] code [MATH] wgsl [] native [] size [LOGARITHM] aux [Own];
                /// dst = 1 / a.
                Rcp rcp(a; _) = rcp(a);
                    isa [Rcp] keeps [] code [MATH] wgsl ["rcp" "rcp" "rcp_loose"]
                    native [] size [Size::Reciprocal] aux [Own];
                /// dst = 1 / sqrt(a).
                Rsq rsq(a; _) = rsq(a);
                    isa [Rsq] keeps [] code [MATH] wgsl ["rsq" "rsq" "rsq_loose"]
                    native [] size [INVERSE_ROOT] aux [Own];
                /// dst = sin(2 pi a).
                Sin sin(a; _) = sin(a);
                    isa [Sin] keeps [] code [MATH] wgsl [] native [] size [WAVE] aux [Own];
                /// dst = cos(2 pi a).
                Cos cos(a; _) = cos(a);
                    isa [Cos] keeps [] code [MATH] wgsl [] native [] size [WAVE] aux [Own];
                /// dst = clamp(a * 2^k): output modifier `aux & 7`, not 7; clamp if `aux & 8`.
                Finish finish(a; modifier) = finish(a, modifier.into());
                    isa [] keeps [] code [general(Mad, [Flushed, Factor, MinusZero])]
                    wgsl [] native [Fast] size [Size::Scaled] aux [Modifier];
            }
            other {
                /// dst = a of a point of the quad: `aux` 0 top-left, 1 top-right, 2 bottom-left.
                Quad quad: Row, keeps [A] code [Encoding::Own(Feature::Quads)];
                /// dst = channel `aux & 3` of temporary (`aux >> 2`) + aL.
                LoadTemp load_temp: Row, keeps [] code [Encoding::Own(Feature::Relative)];
                /// dst = channel `aux & 3` of float constant (`aux >> 2`) + aL.
                LoadConstant load_constant: Row, keeps [] code [Encoding::Own(Feature::Relative)];
                /// Channel `aux & 3` of temporary (`aux >> 2`) + aL = a.
                StoreTemp store_temp: Temporary, keeps [A] code [Encoding::Own(Feature::Relative)];
                /// The gate becomes the set of points that pass all of `aux`, see `GateBits`.
                Gate gate: Gate, keeps [] code [Encoding::Own(Feature::Bits)];
                /// Bit `aux & 7` = a compared with 0 by comparison `aux >> 3`. Bits 0 to 3 are the
                /// predicates, 4 the ALU result.
                SetBit set_bit: Bit, keeps [] code [Encoding::Own(Feature::Bits)];
                /// Held output `aux >> 2`, channel `aux & 3` = a; 16 is the point's own conditional
                /// value. dst is its row.
                Output output: Held, keeps [A] code [Encoding::Own(Feature::Bits)];
                /// Uncached write: value a to element (floor(b), floor(c)); d must be zero.
                Uncached uncached: Memory, keeps [A B C D] code [Encoding::Own(Feature::Uncached)];
                /// Rows dst to dst + 3 = the texel at S = a, T = b, Q = c; `aux` as in `FetchBits`.
                Fetch fetch: Texel, keeps [] code [Encoding::Own(Feature::Fetches)];
                /// Kill points where a, b, c or d [kills](float::kills).
                Kill kill: Kill, keeps [] code [Encoding::Own(Feature::Kills)];
                /// Flow control: entry `aux` of `Lowered::flows`.
                Flow flow: Flow, keeps [] code [Encoding::Own(Feature::Flows)];
                /// The group ends.
                End end: End, keeps [] code [Encoding::Own(Feature::Ends)];
                /// The pc goes from slot 511 to slot 0: a jump.
                Wrap wrap: End, keeps [] code [Encoding::Own(Feature::Flows)];
                /// The pc reached a slot without an instruction.
                Missing missing: End, keeps [] code [Encoding::Own(Feature::Ends)];
            }
        }
    };
}

/// The effect of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It writes its row.
    Row,
    /// It writes its row, and the row counts as written.
    Held,
    /// It writes its row and the next three.
    Texel,
    /// It writes a temporary that depends on aL.
    Temporary,
    /// It writes a predicate bit or the ALU result.
    Bit,
    /// It sets the gate.
    Gate,
    /// It writes memory.
    Memory,
    /// It kills points.
    Kill,
    /// It decides on a jump.
    Flow,
    /// The straight run ends: the group ends, faults, or continues at slot 0.
    End,
}

impl Effect {
    /// The number of rows that it writes, from the one named on.
    pub const fn rows(self) -> u32 {
        match self {
            Effect::Row | Effect::Held => 1,
            Effect::Texel => 4,
            Effect::Temporary
            | Effect::Bit
            | Effect::Gate
            | Effect::Memory
            | Effect::Kill
            | Effect::Flow
            | Effect::End => 0,
        }
    }
}

/// The meaning of `RowOp::aux`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aux {
    /// None for a [`Calc`]; for others see the operation.
    Own,
    /// [`SWITCH`]: 0 times anything is 0.
    ZeroTimes,
    /// Bits 2:0: an output modifier. [`SWITCH`]: a clamp to 0 to 1.
    Modifier,
}

/// The bit of `RowOp::aux` that switches a variant of a [`Calc`] on, see [`Aux`].
pub const SWITCH: u16 = 8;

/// Whether [`SWITCH`] is set.
#[inline(always)]
pub const fn is_set(aux: u16) -> bool {
    aux & SWITCH != 0
}

/// The encoding of an operation for the interpreter on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// As one of the general operations, with what takes the places of its operands.
    General(General, [Given; 3]),
    /// As an operation of its own.
    Own(Feature),
}

/// The general operations: those of the interpreter's inner loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum General {
    /// a.
    Mov,
    /// a * b + c.
    Mad,
    /// a < b ? a : b.
    Min,
    /// b < a ? a : b.
    Max,
    /// 0.5 < c ? a : b.
    Cnd,
    /// 0 <= c ? a : b.
    Cmp,
}

/// The input of a [`General`] operation in the place of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// The operation's first operand.
    A,
    /// The second.
    B,
    /// The third.
    C,
    /// The first, flushed.
    Flushed,
    /// +0.
    Zero,
    /// 1.
    One,
    /// -0.
    MinusZero,
    /// The factor of the output modifier in `RowOp::aux`.
    Factor,
    /// These float bits.
    Literal(u32),
    /// Nothing: it is not read.
    Nothing,
}

impl Given {
    /// Its bits, if it is a number and no operand; `aux` is `RowOp::aux`.
    pub fn literal(self, aux: u16) -> Option<u32> {
        match self {
            A | B | C | Flushed | Nothing => None,
            Literal(bits) => Some(bits),
            Zero => Some(0),
            One => Some(float::ONE),
            MinusZero => Some(float::SIGN),
            Factor => Some(float::FACTORS[aux as usize & 7].to_bits()),
        }
    }

    /// The number of the operand that it is, if it is one.
    pub fn operand(self) -> Option<usize> {
        match self {
            A | Flushed => Some(0),
            B => Some(1),
            C => Some(2),
            Zero | One | MinusZero | Factor | Literal(_) | Nothing => None,
        }
    }
}

/// The parts of the interpreter's shader that programs without their operations do not need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Predicates, the gate and marks of outputs. Every shader has them.
    Bits,
    /// Functions of numbers that no [`General`] operation computes.
    Math,
    /// Sums of dot products.
    Sums,
    /// Fetches.
    Fetches,
    /// Addresses with aL.
    Relative,
    /// Uncached writes.
    Uncached,
    /// Kills.
    Kills,
    /// Exchanges between the points of a quad.
    Quads,
    /// Jumps.
    Flows,
    /// The end of a group. Every shader has it.
    Ends,
}

/// The operands of an operation on rows, by their bits in [`Facts::keeps`].
enum Letter {
    A,
    B,
    C,
    D,
}

const MATH: Encoding = Encoding::Own(Feature::Math);
const SUMS: Encoding = Encoding::Own(Feature::Sums);

/// An [`Encoding::General`] that reads `given`.
const fn general<const N: usize>(general: General, given: [Given; N]) -> Encoding {
    let mut places = [Given::Nothing; 3];
    let mut n = 0;
    while n < N {
        places[n] = given[n];
        n += 1;
    }
    Encoding::General(general, places)
}

/// A [`Calc`] on bits: its operands a, b, c, d, of which it reads the first ones, and `aux`.
pub type Meaning = fn([u32; 4], u16) -> u32;

/// Facts of every operation.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The name in texts.
    pub name: &'static str,
    /// Its effect.
    pub effect: Effect,
    /// The operands a (bit 0) to d (bit 3) whose bits can reach the result, so that the sign and
    /// payload of a NaN show there. It treats all NaNs of other operands alike.
    pub keeps: u8,
    /// The meaning of `aux`.
    pub aux: Aux,
    /// Its encoding for the interpreter on a GPU.
    pub code: Encoding,
}

/// Facts of a [`Calc`].
#[derive(Clone, Copy, Debug)]
pub struct CalcFacts {
    /// The part that every operation has.
    pub facts: Facts,
    /// The number of operands that it reads.
    pub operands: usize,
    /// The function in mode `exact`.
    pub exact: Meaning,
    /// The function in mode `fast`.
    pub fast: Meaning,
    /// The function in mode `chip`; a term of a sum, which is no number there, as a number.
    pub chip: Meaning,
    /// The bounds of its result.
    pub size: Size,
    /// The function in WGSL of mode `fast`, after the prefix `fast_`. Empty for a move.
    pub wgsl_fast: &'static str,
    /// The function in WGSL of mode `exact`, after the prefix `x1k_`. Operands outside `keeps` are
    /// flushed.
    pub wgsl_exact: &'static str,
    /// The same function, if the form of a NaN does not matter.
    pub wgsl_loose: &'static str,
}

/// An operation of the ALU as the engines compute it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formula {
    /// In each lane, a function of the same lanes of the inputs.
    Calc(Calc),
    /// The sum of three products.
    Dp3,
    /// The sum of four products; the alpha unit's inputs are the factors of the last one.
    Dp4,
    /// The sum of two products and the blue lane of C.
    D2a,
    /// A MAD in each lane, with the top-left point of the quad as A and another one as C: 1 the
    /// top-right, 2 the bottom-left one.
    Neighbour(u16),
    /// The scalar that the other unit computes.
    Other,
    /// Reserved.
    Nothing,
}

macro_rules! define {
    (calc { $(
        $(#[$doc:meta])*
        $Name:ident $name:ident($($operand:ident),*; $extra:tt) = $value:expr;
            isa [$($isa:ident)?] keeps [$($keep:ident)*] code [$code:expr]
            wgsl [$($fast:literal $exact:literal $loose:literal)?] native [$($native:ident)*]
            size [$size:expr] aux [$aux:ident];
    )* } other { $(
        $(#[$other_doc:meta])*
        $Other:ident $other:ident: $effect:ident, keeps [$($other_keep:ident)*]
            code [$other_code:expr];
    )* }) => {
        /// The operations that compute a number from numbers, lane by lane. Values are float bits;
        /// see the float model for the arithmetic.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Calc { $($(#[$doc])* $Name,)* }

        /// The micro-operations.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Op {
            /// dst = a function of the operands.
            Calc(Calc),
            $($(#[$other_doc])* $Other,)*
        }

        /// The numbers of the operations of their own, see [`Op::number`].
        #[derive(Clone, Copy)]
        enum Number { $($Other,)* }

        impl Calc {
            /// All of them, in the order of the table.
            pub const ALL: &[Calc] = &[$(Calc::$Name),*];

            /// The row of the table.
            pub const fn facts(self) -> &'static CalcFacts {
                const FACTS: &[CalcFacts] = &[$(CalcFacts {
                    facts: Facts {
                        name: stringify!($name),
                        effect: Effect::Row,
                        keeps: 0 $(| 1 << Letter::$keep as u8)*,
                        aux: Aux::$aux,
                        code: $code,
                    },
                    operands: [$(stringify!($operand)),*].len(),
                    exact: exact::$name,
                    fast: fast::$name,
                    chip: chip::$name,
                    size: $size,
                    wgsl_fast: first(&[$($fast,)? stringify!($name)]),
                    wgsl_exact: first(&[$($exact,)? stringify!($name)]),
                    wgsl_loose: first(&[$($loose,)? stringify!($name)]),
                }),*];
                &FACTS[self as usize]
            }
        }

        impl Op {
            /// All of them: the [`Calc`]s, then the others in the order of the table.
            pub fn all() -> impl Iterator<Item = Op> {
                Calc::ALL.iter().map(|&calc| Op::Calc(calc)).chain([$(Op::$Other),*])
            }

            /// The row of the table.
            pub const fn facts(self) -> &'static Facts {
                match self {
                    Op::Calc(calc) => &calc.facts().facts,
                    $(Op::$Other => const { &Facts {
                        name: stringify!($other),
                        effect: Effect::$effect,
                        keeps: 0 $(| 1 << Letter::$other_keep as u8)*,
                        aux: Aux::Own,
                        code: $other_code,
                    } },)*
                }
            }

            /// The number in the interpreter's code, below 64. Those of [`Calc`]s begin at
            /// [`Op::CALCS`].
            pub const fn number(self) -> u32 {
                match self {
                    Op::Calc(calc) => Op::CALCS + calc as u32,
                    $(Op::$Other => Number::$Other as u32,)*
                }
            }
        }

        impl Formula {
            /// The formula of an opcode.
            pub fn of(op: AluOp) -> Formula {
                match op {
                    $($(AluOp::$isa => Formula::Calc(Calc::$Name),)?)*
                    AluOp::Dp3 => Formula::Dp3,
                    AluOp::Dp4 => Formula::Dp4,
                    AluOp::D2a => Formula::D2a,
                    AluOp::Sop | AluOp::Dp => Formula::Other,
                    AluOp::Mdh => Formula::Neighbour(1),
                    AluOp::Mdv => Formula::Neighbour(2),
                    AluOp::Reserved(_) => Formula::Nothing,
                }
            }
        }

        mod exact { define!(@functions crate::float; $($name($($operand),*; $extra) = $value;)*); }
        mod fast {
            define!(@functions crate::float::fast; $($name($($operand),*; $extra) = $value;)*);
        }
        mod chip {
            define!(@functions crate::float::chip; $($name($($operand),*; $extra) = $value;)*);
        }
    };
    (@functions $module:path; $($name:ident($($operand:ident),*; $extra:tt) = $value:expr;)*) => {
        $(
            pub(super) fn $name([$($operand,)* ..]: [u32; 4], aux: u16) -> u32 {
                #[allow(unused_imports)]
                use {super::is_set, $module::*};
                let $extra = aux;
                $value
            }
        )*
        fn mul_plus_zero(a: u32, b: u32, zero_times: bool) -> u32 {
            use $module as float;
            float::mad(a, b, 0, zero_times)
        }
    };
}
ops!(define);

impl Op {
    /// The first number of a [`Calc`].
    pub const CALCS: u32 = 32;

    /// Whether it computes a value or has an effect other than on the order of instructions.
    pub fn computes(self) -> bool {
        !matches!(self.facts().effect, Effect::Gate | Effect::Flow | Effect::End)
    }

    /// Whether its operands are the lanes of one operand: it sums them, or needs all of them at once.
    pub fn is_across(self) -> bool {
        let facts = self.facts();
        matches!(facts.effect, Effect::Texel | Effect::Kill | Effect::Memory) || facts.code == SUMS
    }

    /// Whether it writes the row that it names.
    #[inline]
    pub fn writes_row(self) -> bool {
        self.facts().effect.rows() != 0
    }
}

impl From<Calc> for Op {
    fn from(calc: Calc) -> Op {
        Op::Calc(calc)
    }
}

/// The first name: the one given, or the default after it.
const fn first(names: &[&'static str]) -> &'static str {
    names[0]
}
