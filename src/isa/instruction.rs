//! Words to [`Instruction`] and back: every bit survives, reserved and unused ones included.
//!
//! Decoding and encoding are one walk over the fields (`Walk`), run in two directions, so the two
//! cannot disagree. Positions come from [`super::table`] alone.

use super::codes::*;
use super::table::*;

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
    /// TARGET, for OUT a [`Target`] code, for ALU a [`Comparison`] code.
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
    /// TARGET, for OUT a [`Target`] code, for ALU a [`Comparison`] code.
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
    /// An unused source the way compilers write it: inline constant 0.
    pub const UNUSED: Source = Source {
        addr: 0x80,
        constant: false,
        relative: false,
    };

    /// What the address names; relative addressing not applied.
    pub fn kind(self) -> SourceKind {
        match (self.constant, self.addr) {
            (true, n) => SourceKind::Constant(n),
            (false, n) if n < 128 => SourceKind::Temp(n),
            (false, n) => SourceKind::Inline(n & 127),
        }
    }
}

/// An input of the RGB unit: source, one swizzle a lane, sign modifier.
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
    /// Reserved bits of word 1 and the unused words 4 and 5, in place.
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
    /// Reserved bits of words 2 and 3 and the unused words 1, 4 and 5, in place.
    pub reserved: [u32; 6],
}

impl Instruction {
    /// Decodes six words. Never fails: reserved codes decode as such.
    pub fn decode(words: &[u32; 6]) -> Instruction {
        let mut instruction = Instruction::blank(class(words));
        instruction.walk(&mut Decoder { words });
        instruction
    }

    /// The six words.
    pub fn encode(&self) -> [u32; 6] {
        let mut words = [0; 6];
        let mut copy = *self;
        copy.walk(&mut Encoder { words: &mut words });
        words
    }

    /// The arithmetic part, of ALU and OUT.
    pub fn alu(&self) -> Option<&Alu> {
        match &self.body {
            Body::Alu(alu) => Some(alu),
            _ => None,
        }
    }

    /// The instruction of a class with all other bits zero.
    pub fn blank(class: Type) -> Instruction {
        let source = Source {
            addr: 0,
            constant: false,
            relative: false,
        };
        let coordinate = Coordinate {
            addr: 0,
            relative: false,
            swizzle: [Channel::R; 4],
        };
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

    fn walk(&mut self, w: &mut impl Walk) {
        self.common.walk(w);
        let class = self.common.class;
        match &mut self.body {
            Body::Alu(alu) => alu.walk(w),
            Body::Tex(tex) => tex.walk(w, class),
            Body::Fc(fc) => fc.walk(w, class),
        }
    }
}

/// One direction of the walk: a decoder fills values from words, an encoder words from values.
trait Walk {
    fn field<T: FieldValue>(&mut self, field: &Field, value: &mut T);
    /// Bits that no field describes, kept in place.
    fn raw(&mut self, word: usize, mask: u32, value: &mut u32);
}

struct Decoder<'a> {
    words: &'a [u32; 6],
}

impl Walk for Decoder<'_> {
    fn field<T: FieldValue>(&mut self, field: &Field, value: &mut T) {
        *value = T::from_code(field.get(self.words[field.register.word()]));
    }
    fn raw(&mut self, word: usize, mask: u32, value: &mut u32) {
        *value = self.words[word] & mask;
    }
}

struct Encoder<'a> {
    words: &'a mut [u32; 6],
}

impl Walk for Encoder<'_> {
    fn field<T: FieldValue>(&mut self, field: &Field, value: &mut T) {
        let word = &mut self.words[field.register.word()];
        *word = field.set(*word, value.code());
    }
    fn raw(&mut self, word: usize, mask: u32, value: &mut u32) {
        self.words[word] |= *value & mask;
    }
}

/// The bits of each word that the class gives no meaning.
fn reserved_masks(class: Type) -> [u32; 6] {
    let mut masks = [u32::MAX; 6];
    for register in Register::layout(class).into_iter().flatten() {
        for field in register.fields().iter().filter(|f| !f.is_reserved()) {
            masks[register.word()] = field.set(masks[register.word()], 0);
        }
    }
    masks
}

fn walk_reserved(w: &mut impl Walk, class: Type, reserved: &mut [u32; 6]) {
    let masks = reserved_masks(class);
    for word in 1..6 {
        w.raw(word, masks[word], &mut reserved[word]);
    }
}

impl Common {
    fn walk(&mut self, w: &mut impl Walk) {
        use cmn_inst::*;
        w.field(&TYPE, &mut self.class);
        w.field(&TEX_SEM_WAIT, &mut self.tex_sem_wait);
        w.field(&RGB_PRED_SEL, &mut self.rgb_pred_sel);
        w.field(&RGB_PRED_INV, &mut self.rgb_pred_inv);
        w.field(&WRITE_INACTIVE, &mut self.write_inactive);
        w.field(&LAST, &mut self.last);
        w.field(&NOP, &mut self.nop);
        w.field(&ALU_WAIT, &mut self.alu_wait);
        w.field(&RGB_WMASK, &mut self.rgb_wmask);
        w.field(&ALPHA_WMASK, &mut self.alpha_wmask);
        w.field(&RGB_OMASK, &mut self.rgb_omask);
        w.field(&ALPHA_OMASK, &mut self.alpha_omask);
        w.field(&RGB_CLAMP, &mut self.rgb_clamp);
        w.field(&ALPHA_CLAMP, &mut self.alpha_clamp);
        w.field(&ALU_RESULT_SEL, &mut self.alu_result_sel);
        w.field(&ALPHA_PRED_INV, &mut self.alpha_pred_inv);
        w.field(&ALU_RESULT_OP, &mut self.alu_result_op);
        w.field(&ALPHA_PRED_SEL, &mut self.alpha_pred_sel);
        w.field(&STAT_WE, &mut self.stat_we);
    }
}

/// The fields of one unit's source addresses, in source order.
struct SourceFields {
    addr: [Field; 3],
    constant: [Field; 3],
    relative: [Field; 3],
}

const RGB_SOURCES: SourceFields = {
    use alu_rgb_addr::*;
    SourceFields {
        addr: [ADDR0, ADDR1, ADDR2],
        constant: [ADDR0_CONST, ADDR1_CONST, ADDR2_CONST],
        relative: [ADDR0_REL, ADDR1_REL, ADDR2_REL],
    }
};

const ALPHA_SOURCES: SourceFields = {
    use alu_alpha_addr::*;
    SourceFields {
        addr: [ADDR0, ADDR1, ADDR2],
        constant: [ADDR0_CONST, ADDR1_CONST, ADDR2_CONST],
        relative: [ADDR0_REL, ADDR1_REL, ADDR2_REL],
    }
};

fn walk_sources(w: &mut impl Walk, sources: &mut [Source; 3], fields: &SourceFields) {
    for (n, source) in sources.iter_mut().enumerate() {
        w.field(&fields.addr[n], &mut source.addr);
        w.field(&fields.constant[n], &mut source.constant);
        w.field(&fields.relative[n], &mut source.relative);
    }
}

impl Alu {
    fn walk(&mut self, w: &mut impl Walk) {
        use {alu_alpha_inst as alpha, alu_rgb_inst as rgb, alu_rgba_inst as rgba};

        walk_sources(w, &mut self.rgb.sources, &RGB_SOURCES);
        w.field(&alu_rgb_addr::SRCP_OP, &mut self.rgb.presub);
        walk_sources(w, &mut self.alpha.sources, &ALPHA_SOURCES);
        w.field(&alu_alpha_addr::SRCP_OP, &mut self.alpha.presub);

        let rgb_inputs = [
            (
                rgb::RGB_SEL_A,
                [rgb::RED_SWIZ_A, rgb::GREEN_SWIZ_A, rgb::BLUE_SWIZ_A],
                rgb::RGB_MOD_A,
            ),
            (
                rgb::RGB_SEL_B,
                [rgb::RED_SWIZ_B, rgb::GREEN_SWIZ_B, rgb::BLUE_SWIZ_B],
                rgb::RGB_MOD_B,
            ),
            (
                rgba::RGB_SEL_C,
                [rgba::RED_SWIZ_C, rgba::GREEN_SWIZ_C, rgba::BLUE_SWIZ_C],
                rgba::RGB_MOD_C,
            ),
        ];
        for (input, (sel, swizzle, modifier)) in self.rgb.inputs.iter_mut().zip(&rgb_inputs) {
            w.field(sel, &mut input.sel);
            for (lane, field) in input.swizzle.iter_mut().zip(swizzle) {
                w.field(field, lane);
            }
            w.field(modifier, &mut input.modifier);
        }
        let alpha_inputs = [
            (alpha::ALPHA_SEL_A, alpha::ALPHA_SWIZ_A, alpha::ALPHA_MOD_A),
            (alpha::ALPHA_SEL_B, alpha::ALPHA_SWIZ_B, alpha::ALPHA_MOD_B),
            (rgba::ALPHA_SEL_C, rgba::ALPHA_SWIZ_C, rgba::ALPHA_MOD_C),
        ];
        for (input, (sel, swizzle, modifier)) in self.alpha.inputs.iter_mut().zip(&alpha_inputs) {
            w.field(sel, &mut input.sel);
            w.field(swizzle, &mut input.swizzle);
            w.field(modifier, &mut input.modifier);
        }

        w.field(&rgba::RGB_OP, &mut self.rgb.op);
        w.field(&rgba::RGB_ADDRD, &mut self.rgb.dest);
        w.field(&rgba::RGB_ADDRD_REL, &mut self.rgb.dest_rel);
        w.field(&rgb::OMOD, &mut self.rgb.omod);
        w.field(&rgb::TARGET, &mut self.rgb.target);
        w.field(&rgb::ALU_WMASK, &mut self.alu_wmask);
        w.field(&alpha::ALPHA_OP, &mut self.alpha.op);
        w.field(&alpha::ALPHA_ADDRD, &mut self.alpha.dest);
        w.field(&alpha::ALPHA_ADDRD_REL, &mut self.alpha.dest_rel);
        w.field(&alpha::OMOD, &mut self.alpha.omod);
        w.field(&alpha::TARGET, &mut self.alpha.target);
        w.field(&alpha::W_OMASK, &mut self.w_omask);
    }
}

impl Tex {
    fn walk(&mut self, w: &mut impl Walk, class: Type) {
        use {tex_addr as addr, tex_addr_dxdy as dxdy, tex_inst as inst};

        w.field(&inst::INST, &mut self.op);
        w.field(&inst::TEX_ID, &mut self.input);
        w.field(&inst::TEX_SEM_ACQUIRE, &mut self.tex_sem_acquire);
        w.field(&inst::IGNORE_UNCOVERED, &mut self.ignore_uncovered);
        w.field(&inst::UNSCALED, &mut self.unscaled);
        let coordinates = [
            (
                &mut self.src,
                addr::SRC_ADDR,
                addr::SRC_ADDR_REL,
                [
                    addr::SRC_S_SWIZ,
                    addr::SRC_T_SWIZ,
                    addr::SRC_R_SWIZ,
                    addr::SRC_Q_SWIZ,
                ],
            ),
            (
                &mut self.dx,
                dxdy::DX_ADDR,
                dxdy::DX_ADDR_REL,
                [
                    dxdy::DX_S_SWIZ,
                    dxdy::DX_T_SWIZ,
                    dxdy::DX_R_SWIZ,
                    dxdy::DX_Q_SWIZ,
                ],
            ),
            (
                &mut self.dy,
                dxdy::DY_ADDR,
                dxdy::DY_ADDR_REL,
                [
                    dxdy::DY_S_SWIZ,
                    dxdy::DY_T_SWIZ,
                    dxdy::DY_R_SWIZ,
                    dxdy::DY_Q_SWIZ,
                ],
            ),
        ];
        for (coordinate, address, relative, swizzle) in coordinates {
            w.field(&address, &mut coordinate.addr);
            w.field(&relative, &mut coordinate.relative);
            for (channel, field) in coordinate.swizzle.iter_mut().zip(&swizzle) {
                w.field(field, channel);
            }
        }
        w.field(&addr::DST_ADDR, &mut self.dest);
        w.field(&addr::DST_ADDR_REL, &mut self.dest_rel);
        let swizzle = [
            addr::DST_R_SWIZ,
            addr::DST_G_SWIZ,
            addr::DST_B_SWIZ,
            addr::DST_A_SWIZ,
        ];
        for (channel, field) in self.dest_swizzle.iter_mut().zip(&swizzle) {
            w.field(field, channel);
        }
        walk_reserved(w, class, &mut self.reserved);
    }
}

impl Fc {
    fn walk(&mut self, w: &mut impl Walk, class: Type) {
        use {fc_addr as addr, fc_inst as inst};

        w.field(&inst::OP, &mut self.op);
        w.field(&inst::B_ELSE, &mut self.b_else);
        w.field(&inst::JUMP_ANY, &mut self.jump_any);
        w.field(&inst::A_OP, &mut self.a_op);
        w.field(&inst::JUMP_FUNC, &mut self.jump_func);
        w.field(&inst::B_POP_CNT, &mut self.b_pop_cnt);
        w.field(&inst::B_OP0, &mut self.b_op0);
        w.field(&inst::B_OP1, &mut self.b_op1);
        w.field(&inst::IGNORE_UNCOVERED, &mut self.ignore_uncovered);
        w.field(&addr::BOOL_ADDR, &mut self.bool_addr);
        w.field(&addr::INT_ADDR, &mut self.int_addr);
        w.field(&addr::JUMP_ADDR, &mut self.jump_addr);
        w.field(&addr::JUMP_GLOBAL, &mut self.jump_global);
        walk_reserved(w, class, &mut self.reserved);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The 24-bit-per-word walk of all single bits, then random words: nothing is lost.
    #[test]
    fn every_single_bit_survives() {
        for class in 0..4 {
            for bit in 2..192 {
                let mut words = [class, 0, 0, 0, 0, 0];
                words[bit / 32] ^= 1 << (bit % 32);
                assert_eq!(Instruction::decode(&words).encode(), words);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, rng_seed: proptest::test_runner::RngSeed::Fixed(0x5005), ..Default::default() })]
        #[test]
        fn random_words_survive(words in any::<[u32; 6]>()) {
            prop_assert_eq!(Instruction::decode(&words).encode(), words);
        }
    }

    /// Words of an own program: `ALU r1.rgb = MAD(r0, c2, -|0.5|)`, alpha RCP into r3.a.
    #[test]
    fn fields_land_in_their_places() {
        let mut words = [0u32; 6];
        let mut put = |field: Field, value: u32| {
            let word = &mut words[field.register.word()];
            *word = field.set(*word, value);
        };
        put(cmn_inst::RGB_WMASK, 7);
        put(cmn_inst::ALPHA_WMASK, 1);
        put(alu_rgb_addr::ADDR1, 2);
        put(alu_rgb_addr::ADDR1_CONST, 1);
        put(alu_rgb_addr::ADDR2, 0x80 | 48);
        put(alu_rgba_inst::RGB_SEL_C, 2);
        put(alu_rgba_inst::RGB_MOD_C, 3);
        put(alu_rgba_inst::RGB_ADDRD, 1);
        put(alu_alpha_inst::ALPHA_OP, 10);
        put(alu_alpha_inst::ALPHA_ADDRD, 3);
        assert_eq!(words[1], 0x0b04_0800);
        let instruction = Instruction::decode(&words);
        let alu = instruction.alu().expect("an ALU instruction");
        assert_eq!(instruction.common.class, Type::Alu);
        assert_eq!(instruction.common.wmask(), 15);
        assert_eq!(alu.rgb.sources[0].kind(), SourceKind::Temp(0));
        assert_eq!(alu.rgb.sources[1].kind(), SourceKind::Constant(2));
        assert_eq!(alu.rgb.sources[2].kind(), SourceKind::Inline(48));
        assert_eq!(alu.rgb.inputs[2].sel, Sel::Src2);
        assert_eq!(alu.rgb.inputs[2].modifier, Modifier::Nab);
        assert_eq!((alu.rgb.dest, alu.alpha.dest), (1, 3));
        assert_eq!(alu.alpha.op, AlphaOp::Rcp);
    }
}
