//! A decoded instruction: its fields as Rust values. `codec` converts between words and
//! instructions.

use super::codes::*;

/// One decoded instruction of 192 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Word 0.
    pub common: Common,
    /// Words 1 to 5.
    pub body: Body,
}

/// The class-dependent part of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// ALU or OUT; [`Common::class`] says which.
    Alu(Alu),
    /// TEX.
    Tex(Tex),
    /// FC.
    Fc(Fc),
}

/// Word 0, US_CMN_INST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Common {
    /// TYPE.
    pub class: Type,
    /// TEX_SEM_WAIT.
    pub tex_sem_wait: bool,
    /// RGB_PRED_SEL and ALPHA_PRED_SEL. FC uses the first.
    pub pred_sel: [PredSel; 2],
    /// RGB_PRED_INV and ALPHA_PRED_INV. FC uses the first.
    pub pred_inv: [bool; 2],
    /// WRITE_INACTIVE.
    pub write_inactive: bool,
    /// LAST.
    pub last: bool,
    /// NOP.
    pub nop: bool,
    /// ALU_WAIT.
    pub alu_wait: bool,
    /// RGB_WMASK and ALPHA_WMASK, bit 0 R to bit 3 A.
    pub wmask: u8,
    /// RGB_OMASK and ALPHA_OMASK, bit 0 R to bit 3 A.
    pub omask: u8,
    /// RGB_CLAMP and ALPHA_CLAMP.
    pub clamp: [bool; 2],
    /// ALU_RESULT_SEL.
    pub alu_result_sel: AluResultSel,
    /// ALU_RESULT_OP.
    pub alu_result_op: Comparison,
    /// STAT_WE.
    pub stat_we: u8,
}

/// Words 1 to 5 of ALU and OUT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alu {
    /// The RGB unit and the alpha unit, [`RGB`] and [`ALPHA`].
    pub units: [Unit; 2],
    /// ALU_WMASK.
    pub alu_wmask: bool,
    /// W_OMASK.
    pub w_omask: bool,
}

impl Alu {
    /// The unit that computes a channel, 0 R to 3 A.
    pub fn unit_of(&self, channel: usize) -> &Unit {
        &self.units[channel / 3]
    }
    /// What a channel's lane reads of input A, B or C (0 to 2): source, swizzle, sign modifier.
    pub fn lane(&self, input: usize, channel: usize) -> (Sel, Swizzle, Modifier) {
        let Input { sel, swizzle, modifier } = self.unit_of(channel).inputs[input];
        (sel, swizzle[channel % 3], modifier)
    }
}

/// A unit's half of an ALU or OUT instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Sources rgb0 to rgb2 or a0 to a2.
    pub sources: [Source; 3],
    /// SRCP_OP.
    pub presub: Presub,
    /// Inputs A, B, C.
    pub inputs: [Input; 3],
    /// RGB_OP or ALPHA_OP.
    pub op: AluOp,
    /// RGB_ADDRD or ALPHA_ADDRD.
    pub dest: u8,
    /// RGB_ADDRD_REL or ALPHA_ADDRD_REL.
    pub dest_rel: bool,
    /// OMOD.
    pub omod: Omod,
    /// TARGET: for OUT a [`Target`] code, for ALU a [`Comparison`] code.
    pub target: u8,
}

/// A source address of either unit (ADDRn, ADDRn_CONST, ADDRn_REL).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// ADDRn.
    pub addr: u8,
    /// ADDRn_CONST.
    pub constant: bool,
    /// ADDRn_REL.
    pub relative: bool,
}

/// What a [`Source`] names \[G 26\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// Temporary register 0 to 127.
    Temp(u8),
    /// Float constant 0 to 255.
    Constant(u8),
    /// Inline constant, its 7-bit code.
    Inline(u8),
}

impl Source {
    /// An unused source as compilers write it: inline constant 0.
    pub const UNUSED: Source = Source { addr: 0x80, constant: false, relative: false };

    /// The register or constant that the address names, without relative addressing.
    pub fn kind(self) -> SourceKind {
        match (self.constant, self.addr) {
            (true, n) => SourceKind::Constant(n),
            (false, n) if n < 128 => SourceKind::Temp(n),
            (false, n) => SourceKind::Inline(n & 127),
        }
    }
}

/// An input of a unit: source, one swizzle per lane, sign modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// RGB_SEL or ALPHA_SEL.
    pub sel: Sel,
    /// RED_SWIZ, GREEN_SWIZ, BLUE_SWIZ. The alpha unit has one lane, ALPHA_SWIZ; the other two
    /// have no effect and are R after decoding.
    pub swizzle: [Swizzle; 3],
    /// RGB_MOD or ALPHA_MOD.
    pub modifier: Modifier,
}

/// A temporary with four channel selectors: a coordinate or a gradient of TEX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coordinate {
    /// Temporary 0 to 127.
    pub addr: u8,
    /// Whether aL is added.
    pub relative: bool,
    /// Channels used as S, T, R, Q.
    pub swizzle: [Channel; 4],
}

/// Words 1 to 5 of TEX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tex {
    /// INST.
    pub op: TexOp,
    /// TEX_ID.
    pub input: u8,
    /// TEX_SEM_ACQUIRE.
    pub tex_sem_acquire: bool,
    /// IGNORE_UNCOVERED.
    pub ignore_uncovered: bool,
    /// UNSCALED.
    pub unscaled: bool,
    /// SRC_ADDR and its swizzles.
    pub src: Coordinate,
    /// DST_ADDR.
    pub dest: u8,
    /// DST_ADDR_REL.
    pub dest_rel: bool,
    /// DST_R_SWIZ to DST_A_SWIZ.
    pub dest_swizzle: [Channel; 4],
    /// DX_ADDR and its swizzles.
    pub dx: Coordinate,
    /// DY_ADDR and its swizzles.
    pub dy: Coordinate,
    /// Reserved bits of word 1 and the unused words 4 and 5, at their positions.
    pub reserved: [u32; 6],
}

/// Words 1 to 5 of FC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fc {
    /// OP.
    pub op: FcOp,
    /// B_ELSE.
    pub b_else: bool,
    /// JUMP_ANY.
    pub jump_any: bool,
    /// A_OP.
    pub a_op: AddressOp,
    /// JUMP_FUNC.
    pub jump_func: u8,
    /// B_POP_CNT.
    pub b_pop_cnt: u8,
    /// B_OP0.
    pub b_op0: BranchOp,
    /// B_OP1.
    pub b_op1: BranchOp,
    /// IGNORE_UNCOVERED.
    pub ignore_uncovered: bool,
    /// BOOL_ADDR.
    pub bool_addr: u8,
    /// INT_ADDR.
    pub int_addr: u8,
    /// JUMP_ADDR.
    pub jump_addr: u16,
    /// JUMP_GLOBAL.
    pub jump_global: bool,
    /// Reserved bits of words 2 and 3 and the unused words 1, 4 and 5, at their positions.
    pub reserved: [u32; 6],
}

impl Instruction {
    /// The arithmetic part; `None` unless the class is ALU or OUT.
    pub fn alu(&self) -> Option<&Alu> {
        match &self.body {
            Body::Alu(alu) => Some(alu),
            _ => None,
        }
    }

    /// The instruction of a class with all other bits 0.
    pub fn blank(class: Type) -> Instruction {
        let source = Source { addr: 0, constant: false, relative: false };
        let coordinate = Coordinate { addr: 0, relative: false, swizzle: [Channel::R; 4] };
        let body = match class {
            Type::Alu | Type::Out => Body::Alu(Alu {
                units: [Unit {
                    sources: [source; 3],
                    presub: Presub::Bias,
                    inputs: [Input {
                        sel: Sel::Src0,
                        swizzle: [Swizzle::R; 3],
                        modifier: Modifier::Nop,
                    }; 3],
                    op: AluOp::Mad,
                    dest: 0,
                    dest_rel: false,
                    omod: Omod::X1,
                    target: 0,
                }; 2],
                alu_wmask: false,
                w_omask: false,
            }),
            Type::Tex => Body::Tex(Tex {
                op: TexOp::Nop,
                input: 0,
                tex_sem_acquire: false,
                ignore_uncovered: false,
                unscaled: false,
                src: coordinate,
                dest: 0,
                dest_rel: false,
                dest_swizzle: [Channel::R; 4],
                dx: coordinate,
                dy: coordinate,
                reserved: [0; 6],
            }),
            Type::Fc => Body::Fc(Fc {
                op: FcOp::Jump,
                b_else: false,
                jump_any: false,
                a_op: AddressOp::None,
                jump_func: 0,
                b_pop_cnt: 0,
                b_op0: BranchOp::None,
                b_op1: BranchOp::None,
                ignore_uncovered: false,
                bool_addr: 0,
                int_addr: 0,
                jump_addr: 0,
                jump_global: false,
                reserved: [0; 6],
            }),
        };
        Instruction {
            common: Common {
                class,
                tex_sem_wait: false,
                pred_sel: [PredSel::None; 2],
                pred_inv: [false; 2],
                write_inactive: false,
                last: false,
                nop: false,
                alu_wait: false,
                wmask: 0,
                omask: 0,
                clamp: [false; 2],
                alu_result_sel: AluResultSel::Red,
                alu_result_op: Comparison::Equal,
                stat_we: 0,
            },
            body,
        }
    }
}
