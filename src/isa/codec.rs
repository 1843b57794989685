//! Decodes words to an [`Instruction`] and encodes it again. Every bit survives, reserved and
//! unused ones included.
//!
//! Decoding and encoding are one walk over the fields (`Walk`) in two directions, so they cannot
//! disagree. All positions come from [`super::table`].

use super::codes::*;
use super::instruction::*;
use super::table::*;

impl Instruction {
    /// Decodes six words. Never fails: a reserved code decodes to a reserved value.
    pub fn decode(words: &[u32; 6]) -> Instruction {
        let mut instruction = Instruction::blank(class(words));
        instruction.walk(&mut Decoder { words });
        instruction
    }

    /// Encodes the instruction as six words.
    pub fn encode(&self) -> [u32; 6] {
        let mut words = [0; 6];
        let mut copy = *self;
        copy.walk(&mut Encoder { words: &mut words });
        words
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

/// One direction of the walk. A decoder fills values from words; an encoder fills words from
/// values.
trait Walk {
    fn field<T: FieldValue>(&mut self, field: &Field, value: &mut T);
    /// Bits that no field describes, kept at their positions.
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

/// The bits of each word that have no meaning in this class.
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
        w.field(&RGB_PRED_SEL, &mut self.pred_sel[RGB]);
        w.field(&RGB_PRED_INV, &mut self.pred_inv[RGB]);
        w.field(&WRITE_INACTIVE, &mut self.write_inactive);
        w.field(&LAST, &mut self.last);
        w.field(&NOP, &mut self.nop);
        w.field(&ALU_WAIT, &mut self.alu_wait);
        for (mask, rgb, alpha) in
            [(&mut self.wmask, RGB_WMASK, ALPHA_WMASK), (&mut self.omask, RGB_OMASK, ALPHA_OMASK)]
        {
            let mut units = [*mask & 7, *mask >> 3];
            w.field(&rgb, &mut units[RGB]);
            w.field(&alpha, &mut units[ALPHA]);
            *mask = units[RGB] | units[ALPHA] << 3;
        }
        w.field(&RGB_CLAMP, &mut self.clamp[RGB]);
        w.field(&ALPHA_CLAMP, &mut self.clamp[ALPHA]);
        w.field(&ALU_RESULT_SEL, &mut self.alu_result_sel);
        w.field(&ALPHA_PRED_INV, &mut self.pred_inv[ALPHA]);
        w.field(&ALU_RESULT_OP, &mut self.alu_result_op);
        w.field(&ALPHA_PRED_SEL, &mut self.pred_sel[ALPHA]);
        w.field(&STAT_WE, &mut self.stat_we);
    }
}

/// The fields of one unit.
struct UnitFields {
    /// By source: ADDRn, ADDRn_CONST, ADDRn_REL.
    sources: [[Field; 3]; 3],
    presub: Field,
    /// By input: SEL, the lanes' SWIZ, MOD.
    inputs: [(Field, &'static [Field], Field); 3],
    op: Field,
    dest: Field,
    dest_rel: Field,
    omod: Field,
    target: Field,
}

const UNITS: [UnitFields; 2] = {
    use alu_rgba_inst::*;
    use {alu_alpha_addr as a, alu_alpha_inst as alpha, alu_rgb_addr as r, alu_rgb_inst as rgb};
    [
        UnitFields {
            sources: [
                [r::ADDR0, r::ADDR0_CONST, r::ADDR0_REL],
                [r::ADDR1, r::ADDR1_CONST, r::ADDR1_REL],
                [r::ADDR2, r::ADDR2_CONST, r::ADDR2_REL],
            ],
            presub: r::SRCP_OP,
            inputs: [
                (
                    rgb::RGB_SEL_A,
                    &[rgb::RED_SWIZ_A, rgb::GREEN_SWIZ_A, rgb::BLUE_SWIZ_A],
                    rgb::RGB_MOD_A,
                ),
                (
                    rgb::RGB_SEL_B,
                    &[rgb::RED_SWIZ_B, rgb::GREEN_SWIZ_B, rgb::BLUE_SWIZ_B],
                    rgb::RGB_MOD_B,
                ),
                (RGB_SEL_C, &[RED_SWIZ_C, GREEN_SWIZ_C, BLUE_SWIZ_C], RGB_MOD_C),
            ],
            op: RGB_OP,
            dest: RGB_ADDRD,
            dest_rel: RGB_ADDRD_REL,
            omod: rgb::OMOD,
            target: rgb::TARGET,
        },
        UnitFields {
            sources: [
                [a::ADDR0, a::ADDR0_CONST, a::ADDR0_REL],
                [a::ADDR1, a::ADDR1_CONST, a::ADDR1_REL],
                [a::ADDR2, a::ADDR2_CONST, a::ADDR2_REL],
            ],
            presub: a::SRCP_OP,
            inputs: [
                (alpha::ALPHA_SEL_A, &[alpha::ALPHA_SWIZ_A], alpha::ALPHA_MOD_A),
                (alpha::ALPHA_SEL_B, &[alpha::ALPHA_SWIZ_B], alpha::ALPHA_MOD_B),
                (ALPHA_SEL_C, &[ALPHA_SWIZ_C], ALPHA_MOD_C),
            ],
            op: alpha::ALPHA_OP,
            dest: alpha::ALPHA_ADDRD,
            dest_rel: alpha::ALPHA_ADDRD_REL,
            omod: alpha::OMOD,
            target: alpha::TARGET,
        },
    ]
};

impl Alu {
    fn walk(&mut self, w: &mut impl Walk) {
        for (n, (unit, fields)) in self.units.iter_mut().zip(&UNITS).enumerate() {
            for (source, [addr, constant, relative]) in unit.sources.iter_mut().zip(&fields.sources)
            {
                w.field(addr, &mut source.addr);
                w.field(constant, &mut source.constant);
                w.field(relative, &mut source.relative);
            }
            w.field(&fields.presub, &mut unit.presub);
            for (input, (sel, swizzle, modifier)) in unit.inputs.iter_mut().zip(&fields.inputs) {
                w.field(sel, &mut input.sel);
                for (lane, field) in input.swizzle.iter_mut().zip(*swizzle) {
                    w.field(field, lane);
                }
                w.field(modifier, &mut input.modifier);
            }
            let mut op = unit.op.code(n) as u8;
            w.field(&fields.op, &mut op);
            unit.op = AluOp::from_code(n, op.into());
            w.field(&fields.dest, &mut unit.dest);
            w.field(&fields.dest_rel, &mut unit.dest_rel);
            w.field(&fields.omod, &mut unit.omod);
            w.field(&fields.target, &mut unit.target);
        }
        w.field(&alu_rgb_inst::ALU_WMASK, &mut self.alu_wmask);
        w.field(&alu_alpha_inst::W_OMASK, &mut self.w_omask);
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
                [addr::SRC_S_SWIZ, addr::SRC_T_SWIZ, addr::SRC_R_SWIZ, addr::SRC_Q_SWIZ],
            ),
            (
                &mut self.dx,
                dxdy::DX_ADDR,
                dxdy::DX_ADDR_REL,
                [dxdy::DX_S_SWIZ, dxdy::DX_T_SWIZ, dxdy::DX_R_SWIZ, dxdy::DX_Q_SWIZ],
            ),
            (
                &mut self.dy,
                dxdy::DY_ADDR,
                dxdy::DY_ADDR_REL,
                [dxdy::DY_S_SWIZ, dxdy::DY_T_SWIZ, dxdy::DY_R_SWIZ, dxdy::DY_Q_SWIZ],
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
        let swizzle = [addr::DST_R_SWIZ, addr::DST_G_SWIZ, addr::DST_B_SWIZ, addr::DST_A_SWIZ];
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

    /// Every single bit of a 192-bit instruction survives.
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

    #[test]
    fn an_operation_of_the_other_unit_is_encoded_as_reserved() {
        let mut instruction = Instruction::blank(Type::Alu);
        if let Body::Alu(alu) = &mut instruction.body {
            (alu.units[RGB].op, alu.units[ALPHA].op) = (AluOp::Rcp, AluOp::Dp3);
        }
        let decoded = Instruction::decode(&instruction.encode());
        let ops = decoded.alu().expect("an ALU instruction").units.map(|unit| unit.op);
        assert_eq!(ops, [AluOp::Reserved(6), AluOp::Reserved(4)]);
    }

    proptest! {
        #![proptest_config(crate::testing::cases(4096, 0x5005))]
        #[test]
        fn random_words_survive(words in any::<[u32; 6]>()) {
            prop_assert_eq!(Instruction::decode(&words).encode(), words);
        }
    }

    /// Words of a sample program: `ALU r1.rgb = MAD(r0, c2, -|0.5|)`, alpha RCP into r3.a.
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
        assert_eq!(instruction.common.wmask, 15);
        let [rgb, alpha] = &alu.units;
        assert_eq!(rgb.sources[0].kind(), SourceKind::Temp(0));
        assert_eq!(rgb.sources[1].kind(), SourceKind::Constant(2));
        assert_eq!(rgb.sources[2].kind(), SourceKind::Inline(48));
        assert_eq!(rgb.inputs[2].sel, Sel::Src2);
        assert_eq!(rgb.inputs[2].modifier, Modifier::Nab);
        assert_eq!((rgb.dest, alpha.dest), (1, 3));
        assert_eq!(alpha.op, AluOp::Rcp);
    }
}
