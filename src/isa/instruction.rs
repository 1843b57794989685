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
    /// RGB_PRED_SEL.
    pub rgb_pred_sel: PredSel,
    /// RGB_PRED_INV.
    pub rgb_pred_inv: bool,
    /// WRITE_INACTIVE.
    pub write_inactive: bool,
    /// LAST.
    pub last: bool,
    /// NOP.
    pub nop: bool,
    /// ALU_WAIT.
    pub alu_wait: bool,
    /// RGB_WMASK, bit 0 R.
    pub rgb_wmask: u8,
    /// ALPHA_WMASK.
    pub alpha_wmask: bool,
    /// RGB_OMASK, bit 0 R.
    pub rgb_omask: u8,
    /// ALPHA_OMASK.
    pub alpha_omask: bool,
    /// RGB_CLAMP.
    pub rgb_clamp: bool,
    /// ALPHA_CLAMP.
    pub alpha_clamp: bool,
    /// ALU_RESULT_SEL.
    pub alu_result_sel: AluResultSel,
    /// ALPHA_PRED_INV.
    pub alpha_pred_inv: bool,
    /// ALU_RESULT_OP.
    pub alu_result_op: Comparison,
    /// ALPHA_PRED_SEL.
    pub alpha_pred_sel: PredSel,
    /// STAT_WE.
    pub stat_we: u8,
}

impl Common {
    /// RGB_WMASK and ALPHA_WMASK as one mask, bit 0 R to bit 3 A.
    pub fn wmask(&self) -> u8 {
        self.rgb_wmask | (self.alpha_wmask as u8) << 3
    }
    /// RGB_OMASK and ALPHA_OMASK as one mask, bit 0 R to bit 3 A.
    pub fn omask(&self) -> u8 {
        self.rgb_omask | (self.alpha_omask as u8) << 3
    }
}

/// Words 1 to 5 of ALU and OUT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alu {
    /// The RGB unit.
    pub rgb: RgbUnit,
    /// The alpha unit.
    pub alpha: AlphaUnit,
    /// ALU_WMASK.
    pub alu_wmask: bool,
    /// W_OMASK.
    pub w_omask: bool,
}

/// The RGB unit's half of an ALU or OUT instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RgbUnit {
    /// Sources rgb0 to rgb2.
    pub sources: [Source; 3],
    /// SRCP_OP.
    pub presub: Presub,
    /// Inputs A, B, C.
    pub inputs: [RgbInput; 3],
    /// RGB_OP.
    pub op: RgbOp,
    /// RGB_ADDRD.
    pub dest: u8,
    /// RGB_ADDRD_REL.
    pub dest_rel: bool,
    /// OMOD.
    pub omod: Omod,
    /// TARGET: for OUT a [`Target`] code, for ALU a [`Comparison`] code.
    pub target: u8,
}

/// The alpha unit's half of an ALU or OUT instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlphaUnit {
    /// Sources a0 to a2.
    pub sources: [Source; 3],
    /// SRCP_OP.
    pub presub: Presub,
    /// Inputs A, B, C.
    pub inputs: [AlphaInput; 3],
    /// ALPHA_OP.
    pub op: AlphaOp,
    /// ALPHA_ADDRD.
    pub dest: u8,
    /// ALPHA_ADDRD_REL.
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

/// An input of the RGB unit: source, one swizzle per lane, sign modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RgbInput {
    /// RGB_SEL.
    pub sel: Sel,
    /// RED_SWIZ, GREEN_SWIZ, BLUE_SWIZ.
    pub swizzle: [Swizzle; 3],
    /// RGB_MOD.
    pub modifier: Modifier,
}

/// An input of the alpha unit: source, swizzle, sign modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlphaInput {
    /// ALPHA_SEL.
    pub sel: Sel,
    /// ALPHA_SWIZ.
    pub swizzle: Swizzle,
    /// ALPHA_MOD.
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
                rgb: RgbUnit {
                    sources: [source; 3],
                    presub: Presub::Bias,
                    inputs: [RgbInput {
                        sel: Sel::Src0,
                        swizzle: [Swizzle::R; 3],
                        modifier: Modifier::Nop,
                    }; 3],
                    op: RgbOp::Mad,
                    dest: 0,
                    dest_rel: false,
                    omod: Omod::X1,
                    target: 0,
                },
                alpha: AlphaUnit {
                    sources: [source; 3],
                    presub: Presub::Bias,
                    inputs: [AlphaInput {
                        sel: Sel::Src0,
                        swizzle: Swizzle::R,
                        modifier: Modifier::Nop,
                    }; 3],
                    op: AlphaOp::Mad,
                    dest: 0,
                    dest_rel: false,
                    omod: Omod::X1,
                    target: 0,
                },
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
                rgb_pred_sel: PredSel::None,
                rgb_pred_inv: false,
                write_inactive: false,
                last: false,
                nop: false,
                alu_wait: false,
                rgb_wmask: 0,
                alpha_wmask: false,
                rgb_omask: 0,
                alpha_omask: false,
                rgb_clamp: false,
                alpha_clamp: false,
                alu_result_sel: AluResultSel::Red,
                alpha_pred_inv: false,
                alu_result_op: Comparison::Equal,
                alpha_pred_sel: PredSel::None,
                stat_we: 0,
            },
            body,
        }
    }
}
