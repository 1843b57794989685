//! A decoded instruction: its fields as Rust values.

use super::MAX_INSTRUCTIONS;
use super::codes::*;
use super::layout::Layout;
use super::table::{
    Field, INPUT_FIELDS, InputFields, SOURCE_FIELDS, SourceFields, Word, alu_alpha_addr,
    alu_alpha_inst, alu_rgb_addr, alu_rgb_inst, class,
};

/// One decoded instruction of 192 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Word 0.
    pub common: Common,
    /// Words 1 to 5.
    pub body: Body,
    /// Whether its program has data sharing. STAT_WE is then INDEX_MODE, and RGB_OP 13
    /// is MOVA_FLOOR.
    pub sharing: bool,
}

/// A register that an address of an instruction names, before aL or AR.X is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Register {
    /// A temporary, and whether aL is added.
    Temp(u8, bool),
    /// A global register, and whether AR.X is added.
    Global(u8, bool),
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

impl Instruction {
    /// Decodes six words. Never fails: a reserved code decodes to a reserved value.
    pub fn decode(words: &[u32; 6]) -> Instruction {
        let body = match class(words) {
            Type::Alu | Type::Out => Body::Alu(Layout::decode((), words)),
            Type::Tex => Body::Tex(Layout::decode((), words)),
            Type::Fc => Body::Fc(Layout::decode((), words)),
        };
        Instruction { common: Layout::decode((), words), body, sharing: false }
    }

    /// Decodes six words of a program with or without data sharing.
    pub fn decode_as(words: &[u32; 6], sharing: bool) -> Instruction {
        let mut instruction = Instruction { sharing, ..Instruction::decode(words) };
        if let Body::Alu(alu) = &mut instruction.body
            && let AluOp::Reserved(code) = alu.units[RGB].op
            && sharing
        {
            let op = AluOp::sharing(code.into());
            alu.units[RGB].op = op.unwrap_or(AluOp::Reserved(code));
        }
        instruction
    }

    /// The meaning of the REL bits of temporaries.
    #[inline]
    pub fn index_mode(&self) -> IndexMode {
        if self.sharing {
            IndexMode::from_code(self.common.stat_we.into())
        } else {
            IndexMode::Plain
        }
    }

    /// The register that the address of a temporary and its REL bit name.
    #[inline]
    pub fn register(&self, addr: u8, relative: bool) -> Register {
        match self.index_mode() {
            IndexMode::Global if relative => Register::Global(addr, false),
            IndexMode::GlobalArX if relative => Register::Global(addr, true),
            _ => Register::Temp(addr, relative),
        }
    }

    /// The register that a source names; `None` for a constant.
    pub fn source_register(&self, source: Source) -> Option<Register> {
        match source.kind() {
            SourceKind::Temp(n) => Some(self.register(n, source.relative)),
            SourceKind::Constant(_) | SourceKind::Inline(_) => None,
        }
    }

    /// Encodes the instruction as six words.
    pub fn encode(&self) -> [u32; 6] {
        let mut words = [0; 6];
        self.common.encode((), &mut words);
        match &self.body {
            Body::Alu(alu) => alu.encode((), &mut words),
            Body::Tex(tex) => tex.encode((), &mut words),
            Body::Fc(fc) => fc.encode((), &mut words),
        }
        words
    }

    /// The instruction of a class with all other bits 0.
    pub fn blank(class: Type) -> Instruction {
        Instruction::decode(&[class.code(), 0, 0, 0, 0, 0])
    }

    /// The arithmetic part; `None` unless the class is ALU or OUT.
    pub fn alu(&self) -> Option<&Alu> {
        match &self.body {
            Body::Alu(alu) => Some(alu),
            _ => None,
        }
    }
}

layout! {
    /// Word 0, US_CMN_INST.
    Common: () => () in cmn_inst {
        class: Type = TYPE;
        tex_sem_wait: bool = TEX_SEM_WAIT;
        /// FC uses the first.
        pred_sel: [PredSel; 2] = [RGB_PRED_SEL, ALPHA_PRED_SEL];
        /// FC uses the first.
        pred_inv: [bool; 2] = [RGB_PRED_INV, ALPHA_PRED_INV];
        write_inactive: bool = WRITE_INACTIVE;
        last: bool = LAST;
        nop: bool = NOP;
        alu_wait: bool = ALU_WAIT;
        /// Bit 0 R to bit 3 A.
        wmask: u8 = join(RGB_WMASK, ALPHA_WMASK);
        /// Bit 0 R to bit 3 A.
        omask: u8 = join(RGB_OMASK, ALPHA_OMASK);
        clamp: [bool; 2] = [RGB_CLAMP, ALPHA_CLAMP];
        alu_result_sel: AluResultSel = ALU_RESULT_SEL;
        alu_result_op: Comparison = ALU_RESULT_OP;
        stat_we: u8 = STAT_WE;
    }
}

/// Two adjacent fields as one.
fn join(low: Field, high: Field) -> Field {
    debug_assert_eq!((low.word, low.low + low.width), (high.word, high.low));
    Field { width: low.width + high.width, ..low }
}

layout! {
    /// Words 1 to 5 of ALU and OUT.
    Alu: () => () in alu_rgb_inst alu_alpha_inst {
        /// The RGB unit and the alpha unit.
        units: [Unit; 2] = [RGB, ALPHA];
        alu_wmask: bool = ALU_WMASK;
        w_omask: bool = W_OMASK;
    }
}

impl Common {
    /// The predicate bit that gates each channel of an ALU, OUT or TEX instruction.
    #[inline]
    pub fn gates(&self) -> [Option<usize>; 4] {
        [0, 1, 2, 3].map(|channel| self.pred_sel[channel / 3].bit(channel))
    }
    /// The channels that predicates enable, bit 0 R to bit 3 A.
    #[inline]
    pub fn gate(&self, predicates: u8) -> u8 {
        let enabled = |channel: usize| match self.pred_sel[channel / 3].bit(channel) {
            Some(bit) => (predicates >> bit & 1 != 0) != self.pred_inv[channel / 3],
            None => true,
        };
        (0..4).fold(0, |gate, channel| gate | (enabled(channel) as u8) << channel)
    }
}

impl Alu {
    /// The operation that computes the result of a channel, and its lane there: SOP and DP have the
    /// result of the other unit.
    #[inline]
    pub fn computed(&self, channel: usize) -> (AluOp, usize) {
        match self.unit_of(channel).op {
            AluOp::Sop => (self.units[ALPHA].op, 3),
            AluOp::Dp => (self.units[RGB].op, 0),
            op => (op, channel),
        }
    }
    /// The unit that computes a channel, 0 R to 3 A.
    #[inline]
    pub fn unit_of(&self, channel: usize) -> &Unit {
        let [rgb, alpha] = &self.units;
        if channel < 3 { rgb } else { alpha }
    }
    /// The source, swizzle and sign modifier of a channel's lane of input A, B or C (0 to 2).
    #[inline]
    pub fn lane(&self, input: usize, channel: usize) -> (Sel, Swizzle, Modifier) {
        let Input { sel, swizzle, modifier } = self.unit_of(channel).inputs[input];
        (sel, swizzle[if channel < 3 { channel } else { 0 }], modifier)
    }
}

layout! {
    /// A unit's half of an ALU or OUT instruction.
    Unit: usize => n in alu_alpha_inst alu_rgba_inst {
        /// rgb0 to rgb2 or a0 to a2.
        sources: [Source; 3] = SOURCE_FIELDS[n];
        presub: Presub = [alu_rgb_addr::SRCP_OP, alu_alpha_addr::SRCP_OP][n];
        /// A, B, C.
        inputs: [Input; 3] = INPUT_FIELDS[n];
        op: AluOp = (n, [RGB_OP, ALPHA_OP][n]);
        dest: u8 = [RGB_ADDRD, ALPHA_ADDRD][n];
        dest_rel: bool = [RGB_ADDRD_REL, ALPHA_ADDRD_REL][n];
        omod: Omod = [alu_rgb_inst::OMOD, alu_alpha_inst::OMOD][n];
        /// For OUT a [`Target`] code, for ALU a [`Comparison`] code.
        target: u8 = [alu_rgb_inst::TARGET, alu_alpha_inst::TARGET][n];
    }
}

layout! {
    /// A source address of a unit: ADDRn, ADDRn_CONST, ADDRn_REL.
    Source: SourceFields => [address, is_constant, is_relative] in {
        addr: u8 = address;
        constant: bool = is_constant;
        relative: bool = is_relative;
    }
}

/// The register or constant of a [`Source`] \[G 26\].
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
    #[inline]
    pub fn kind(self) -> SourceKind {
        match (self.constant, self.addr) {
            (true, n) => SourceKind::Constant(n),
            (false, n) if n < 128 => SourceKind::Temp(n),
            (false, n) => SourceKind::Inline(n & 127),
        }
    }
}

layout! {
    /// An input of a unit: source, one swizzle per lane, sign modifier.
    Input: InputFields => (select, swizzles, sign) in {
        sel: Sel = select;
        /// The alpha unit has one lane; the other two have no effect and are R after decoding.
        swizzle: [Swizzle; 3] = swizzles;
        modifier: Modifier = sign;
    }
}

layout! {
    /// A temporary with four channel selectors: a coordinate or a gradient of TEX.
    Coordinate: (Field, Field, [Field; 4]) => (address, is_relative, channels) in {
        /// Temporary 0 to 127.
        addr: u8 = address;
        /// Whether aL is added.
        relative: bool = is_relative;
        /// Channels used as S, T, R, Q.
        swizzle: [Channel; 4] = channels;
    }
}

layout! {
    /// Words 1 to 5 of TEX.
    Tex: () => () in tex_inst tex_addr tex_addr_dxdy {
        op: TexOp = INST;
        input: u8 = TEX_ID;
        tex_sem_acquire: bool = TEX_SEM_ACQUIRE;
        ignore_uncovered: bool = IGNORE_UNCOVERED;
        unscaled: bool = UNSCALED;
        src: Coordinate = (SRC_ADDR, SRC_ADDR_REL, [SRC_S_SWIZ, SRC_T_SWIZ, SRC_R_SWIZ, SRC_Q_SWIZ]);
        dest: u8 = DST_ADDR;
        dest_rel: bool = DST_ADDR_REL;
        dest_swizzle: [Channel; 4] = [DST_R_SWIZ, DST_G_SWIZ, DST_B_SWIZ, DST_A_SWIZ];
        dx: Coordinate = (DX_ADDR, DX_ADDR_REL, [DX_S_SWIZ, DX_T_SWIZ, DX_R_SWIZ, DX_Q_SWIZ]);
        dy: Coordinate = (DY_ADDR, DY_ADDR_REL, [DY_S_SWIZ, DY_T_SWIZ, DY_R_SWIZ, DY_Q_SWIZ]);
        /// Reserved bits of word 1 and the unused words 4 and 5, at their positions.
        reserved: [u32; 6] = TEX_RESERVED;
    }
}

layout! {
    /// Words 1 to 5 of FC.
    Fc: () => () in fc_inst fc_addr {
        op: FcOp = OP;
        b_else: bool = B_ELSE;
        jump_any: bool = JUMP_ANY;
        a_op: AddressOp = A_OP;
        jump_func: u8 = JUMP_FUNC;
        b_pop_cnt: u8 = B_POP_CNT;
        b_op0: BranchOp = B_OP0;
        b_op1: BranchOp = B_OP1;
        ignore_uncovered: bool = IGNORE_UNCOVERED;
        bool_addr: u8 = BOOL_ADDR;
        int_addr: u8 = INT_ADDR;
        jump_addr: u16 = JUMP_ADDR;
        jump_global: bool = JUMP_GLOBAL;
        /// Reserved bits of words 2 and 3 and the unused words 1, 4 and 5, at their positions.
        reserved: [u32; 6] = FC_RESERVED;
    }
}

impl Fc {
    /// The address that it jumps or calls to, in a program with this offset.
    #[inline]
    pub fn target(&self, offset: u32) -> u32 {
        let base = if self.jump_global { 0 } else { offset };
        (u32::from(self.jump_addr) + base) % MAX_INSTRUCTIONS as u32
    }
}

/// The bits of each word of TEX and of FC that have no meaning: the word, and their mask.
const TEX_RESERVED: [(usize, u32); 6] = reserved_bits(Type::Tex);
const FC_RESERVED: [(usize, u32); 6] = reserved_bits(Type::Fc);

const fn reserved_bits(class: Type) -> [(usize, u32); 6] {
    let layout = Word::layout(class);
    let mut bits = [(0, u32::MAX); 6];
    let mut n = 0;
    while n < bits.len() {
        bits[n].0 = n;
        let fields = match layout[n] {
            Some(word) => word.fields(),
            None => &[],
        };
        let mut field = 0;
        while field < fields.len() {
            if !fields[field].is_reserved() {
                bits[n].1 = fields[field].set(bits[n].1, 0);
            }
            field += 1;
        }
        n += 1;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::super::table::*;
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
        #![proptest_config(ctm_testing::cases(4096, 0x5005))]
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
            let word = &mut words[field.word.index()];
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
