//! The one table of the instruction words: every field of all eleven, with its bits and values.
//!
//! Decoding, encoding, the assembler's field names, JSON and the manual in docs/isa.md are all
//! derived from it. Sources as in [`super::codes`].

use super::codes::*;

/// A bit field of an instruction word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The word that contains it.
    pub word: Word,
    /// Its name in AMD's register descriptions; `RESERVED_hi_lo` for bits without one.
    pub name: &'static str,
    /// Lowest bit.
    pub low: u8,
    /// Number of bits.
    pub width: u8,
    /// The named values; empty for a plain number.
    pub values: &'static [Code],
    /// The effect.
    pub meaning: &'static str,
    /// The source of this fact, such as a page of a manual.
    pub source: &'static str,
}

impl Field {
    /// The largest value; also the field's mask shifted down to bit 0.
    pub const fn max(&self) -> u32 {
        ((1u64 << self.width) - 1) as u32
    }
    /// The field's value in a word.
    #[inline]
    pub const fn get(&self, word: u32) -> u32 {
        (word >> self.low) & self.max()
    }
    /// The word with the field set to the low bits of `value`.
    #[inline]
    pub const fn set(&self, word: u32, value: u32) -> u32 {
        (word & !(self.max() << self.low)) | ((value & self.max()) << self.low)
    }
    /// Whether no source describes these bits.
    pub const fn is_reserved(&self) -> bool {
        matches!(self.name.as_bytes(), [b'R', b'E', b'S', b'E', b'R', b'V', b'E', b'D', b'_', ..])
    }
    /// The named value with this code.
    pub fn value(&self, code: u32) -> Option<&'static Code> {
        self.values.iter().find(|value| value.code as u32 == code)
    }
}

/// Declares the instruction words. A row gives a variant of [`Word`] and a module with a constant
/// for each [`Field`]; a field is `NAME high:low values, meaning, source`.
macro_rules! words {
    ($($module:ident $Word:ident $name:literal word $index:literal bank $bank:literal: $doc:literal {
        $($FIELD:ident $hi:literal:$lo:literal $values:expr, $meaning:literal, $source:literal;)*
    })*) => {
        /// One of the eleven instruction words, by its name in AMD's register descriptions \[A\].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Word { $(#[doc = $doc] $Word),* }
        $(
            #[doc = $doc]
            pub mod $module {
                use super::*;
                $(
                    #[doc = $meaning]
                    pub const $FIELD: Field = Field {
                        word: Word::$Word, name: stringify!($FIELD), low: $lo,
                        width: $hi - $lo + 1, values: $values, meaning: $meaning, source: $source,
                    };
                )*
                /// All fields of the word, lowest bit first.
                pub const FIELDS: &[Field] = &[$($FIELD),*];
            }
        )*
        impl Word {
            /// All eleven, in the order of the table.
            pub const ALL: &'static [Word] = &[$(Word::$Word),*];
            /// The name in AMD's register descriptions.
            pub const fn name(self) -> &'static str {
                match self { $(Word::$Word => $name),* }
            }
            /// Its position in the instruction, 0 to 5.
            pub const fn index(self) -> usize {
                match self { $(Word::$Word => $index),* }
            }
            /// The address of the register bank that the word is loaded through.
            pub const fn bank(self) -> u32 {
                match self { $(Word::$Word => $bank),* }
            }
            /// The contents of the word.
            pub const fn doc(self) -> &'static str {
                match self { $(Word::$Word => $doc),* }
            }
            /// The fields, lowest bit first; together they cover all 32 bits.
            pub const fn fields(self) -> &'static [Field] {
                match self { $(Word::$Word => $module::FIELDS),* }
            }
        }
    };
}

/// No named values: the field is a number.
const NUMBER: &[Code] = &[];

words! {
    cmn_inst CmnInst "US_CMN_INST" word 0 bank 0xb800: "Word 0 of every instruction: class, predication, masks, clamps, waits." {
        TYPE 1:0 TYPES, "instruction class; fixes how words 1 to 5 are read", "A";
        TEX_SEM_WAIT 2:2 NUMBER, "1: hold issue until the texture semaphore is free", "A; G 33";
        RGB_PRED_SEL 5:3 PRED_SELS, "predicate that gates R, G, B; for FC the predicate of the whole instruction", "A; G 35";
        RGB_PRED_INV 6:6 NUMBER, "1: invert the selected RGB predicate", "A; G 35";
        WRITE_INACTIVE 7:7 NUMBER, "1: results are written for inactive points too", "A";
        LAST 8:8 NUMBER, "1: active points are willing to end after this instruction (a hint)", "A";
        NOP 9:9 NUMBER, "1: one idle ALU slot follows (presubtract and MDH/MDV hazard)", "A; G 26";
        ALU_WAIT 10:10 NUMBER, "1: wait until all pending ALU instructions are complete", "A";
        RGB_WMASK 13:11 NUMBER, "channels of the RGB result written to the destination temporary: bit 0 R, 1 G, 2 B", "A";
        ALPHA_WMASK 14:14 NUMBER, "1: the alpha result is written to the destination temporary", "A";
        RGB_OMASK 17:15 NUMBER, "OUT: channels written to the output; ALU: predicate bits updated: bit 0 R, 1 G, 2 B", "A; G 31";
        ALPHA_OMASK 18:18 NUMBER, "OUT: alpha is written to the output; ALU: predicate bit A is updated", "A; G 31";
        RGB_CLAMP 19:19 NUMBER, "1: clamp the RGB result to [0, 1], after OMOD", "A";
        ALPHA_CLAMP 20:20 NUMBER, "1: clamp the alpha result to [0, 1], after OMOD", "A";
        ALU_RESULT_SEL 21:21 ALU_RESULT_SELS, "channel tested for the ALU result", "A; G 32";
        ALPHA_PRED_INV 22:22 NUMBER, "1: invert the selected alpha predicate; no effect on FC", "A";
        ALU_RESULT_OP 24:23 COMPARISONS, "comparison of that channel with 0", "A; G 32";
        ALPHA_PRED_SEL 27:25 PRED_SELS, "predicate that gates alpha (RGBA means A); no effect on FC", "A; G 35";
        STAT_WE 31:28 NUMBER, "channels counted by the statistics counter: bit 0 R, 1 G, 2 B, 3 A; no effect on results", "A";
    }
    alu_rgb_addr AluRgbAddr "US_ALU_RGB_ADDR" word 1 bank 0x9000: "ALU and OUT word 1: the RGB unit's three source addresses and its presubtract." {
        ADDR0 7:0 NUMBER, "address of source rgb0: constant 0-255, temporary 0-127, or 128 + inline constant", "A; G 26";
        ADDR0_CONST 8:8 NUMBER, "1: rgb0 is a constant register", "A; G 26";
        ADDR0_REL 9:9 NUMBER, "1: aL is added to the address of rgb0", "A; G 26";
        ADDR1 17:10 NUMBER, "address of source rgb1: constant 0-255, temporary 0-127, or 128 + inline constant", "A; G 26";
        ADDR1_CONST 18:18 NUMBER, "1: rgb1 is a constant register", "A; G 26";
        ADDR1_REL 19:19 NUMBER, "1: aL is added to the address of rgb1", "A; G 26";
        ADDR2 27:20 NUMBER, "address of source rgb2: constant 0-255, temporary 0-127, or 128 + inline constant", "A; G 26";
        ADDR2_CONST 28:28 NUMBER, "1: rgb2 is a constant register", "A; G 26";
        ADDR2_REL 29:29 NUMBER, "1: aL is added to the address of rgb2", "A; G 26";
        SRCP_OP 31:30 PRESUBS, "presubtract of rgb0 and rgb1", "A; G 26";
    }
    alu_alpha_addr AluAlphaAddr "US_ALU_ALPHA_ADDR" word 2 bank 0x9800: "ALU and OUT word 2: the alpha unit's three source addresses and its presubtract." {
        ADDR0 7:0 NUMBER, "address of source a0: constant 0-255, temporary 0-127, or 128 + inline constant", "A; G 26";
        ADDR0_CONST 8:8 NUMBER, "1: a0 is a constant register", "A; G 26";
        ADDR0_REL 9:9 NUMBER, "1: aL is added to the address of a0", "A; G 26";
        ADDR1 17:10 NUMBER, "address of source a1: constant 0-255, temporary 0-127, or 128 + inline constant", "A; G 26";
        ADDR1_CONST 18:18 NUMBER, "1: a1 is a constant register", "A; G 26";
        ADDR1_REL 19:19 NUMBER, "1: aL is added to the address of a1", "A; G 26";
        ADDR2 27:20 NUMBER, "address of source a2: constant 0-255, temporary 0-127, or 128 + inline constant", "A; G 26";
        ADDR2_CONST 28:28 NUMBER, "1: a2 is a constant register", "A; G 26";
        ADDR2_REL 29:29 NUMBER, "1: aL is added to the address of a2", "A; G 26";
        SRCP_OP 31:30 PRESUBS, "presubtract of a0 and a1", "A; G 26";
    }
    alu_rgb_inst AluRgbInst "US_ALU_RGB_INST" word 3 bank 0xa000: "ALU and OUT word 3: the RGB unit's inputs A and B, output modifier and target." {
        RGB_SEL_A 1:0 SELS, "source of RGB input A", "A; G 27";
        RED_SWIZ_A 4:2 SWIZZLES, "what the red lane of RGB input A takes", "A; G 27";
        GREEN_SWIZ_A 7:5 SWIZZLES, "what the green lane of RGB input A takes", "A; G 27";
        BLUE_SWIZ_A 10:8 SWIZZLES, "what the blue lane of RGB input A takes", "A; G 27";
        RGB_MOD_A 12:11 MODIFIERS, "sign modifier of RGB input A", "A; G 27";
        RGB_SEL_B 14:13 SELS, "source of RGB input B", "A; G 27";
        RED_SWIZ_B 17:15 SWIZZLES, "what the red lane of RGB input B takes", "A; G 27";
        GREEN_SWIZ_B 20:18 SWIZZLES, "what the green lane of RGB input B takes", "A; G 27";
        BLUE_SWIZ_B 23:21 SWIZZLES, "what the blue lane of RGB input B takes", "A; G 27";
        RGB_MOD_B 25:24 MODIFIERS, "sign modifier of RGB input B", "A; G 27";
        OMOD 28:26 OMODS, "output modifier of the RGB unit", "A; G 29";
        TARGET 30:29 TARGETS, "OUT: output of the RGB result; ALU: predicate comparison with 0", "A; G 31";
        ALU_WMASK 31:31 NUMBER, "1: update the ALU result as ALU_RESULT_SEL and ALU_RESULT_OP say", "A; G 32";
    }
    alu_alpha_inst AluAlphaInst "US_ALU_ALPHA_INST" word 4 bank 0xa800: "ALU and OUT word 4: the alpha unit's operation, destination, inputs A and B, output modifier and target." {
        ALPHA_OP 3:0 ALPHA_OPS, "alpha opcode", "A; G 29";
        ALPHA_ADDRD 10:4 NUMBER, "destination temporary of the alpha unit", "A";
        ALPHA_ADDRD_REL 11:11 NUMBER, "1: aL is added to the destination address", "A";
        ALPHA_SEL_A 13:12 SELS, "source of alpha input A", "A; G 27";
        ALPHA_SWIZ_A 16:14 SWIZZLES, "what alpha input A takes", "A; G 27";
        ALPHA_MOD_A 18:17 MODIFIERS, "sign modifier of alpha input A", "A; G 27";
        ALPHA_SEL_B 20:19 SELS, "source of alpha input B", "A; G 27";
        ALPHA_SWIZ_B 23:21 SWIZZLES, "what alpha input B takes", "A; G 27";
        ALPHA_MOD_B 25:24 MODIFIERS, "sign modifier of alpha input B", "A; G 27";
        OMOD 28:26 OMODS, "output modifier of the alpha unit", "A; G 29";
        TARGET 30:29 TARGETS, "OUT: output of the alpha result; ALU: predicate comparison with 0", "A; G 31";
        W_OMASK 31:31 NUMBER, "1: the alpha result is also the point's conditional output (W, depth)", "A; M";
    }
    alu_rgba_inst AluRgbaInst "US_ALU_RGBA_INST" word 5 bank 0xb000: "ALU and OUT word 5: the RGB unit's operation and destination, input C of both units." {
        RGB_OP 3:0 RGB_OPS, "RGB opcode", "A; G 28";
        RGB_ADDRD 10:4 NUMBER, "destination temporary of the RGB unit", "A";
        RGB_ADDRD_REL 11:11 NUMBER, "1: aL is added to the destination address", "A";
        RGB_SEL_C 13:12 SELS, "source of RGB input C", "A; G 27";
        RED_SWIZ_C 16:14 SWIZZLES, "what the red lane of RGB input C takes", "A; G 27";
        GREEN_SWIZ_C 19:17 SWIZZLES, "what the green lane of RGB input C takes", "A; G 27";
        BLUE_SWIZ_C 22:20 SWIZZLES, "what the blue lane of RGB input C takes", "A; G 27";
        RGB_MOD_C 24:23 MODIFIERS, "sign modifier of RGB input C", "A; G 27";
        ALPHA_SEL_C 26:25 SELS, "source of alpha input C", "A; G 27";
        ALPHA_SWIZ_C 29:27 SWIZZLES, "what alpha input C takes", "A; G 27";
        ALPHA_MOD_C 31:30 MODIFIERS, "sign modifier of alpha input C", "A; G 27";
    }
    tex_inst TexInst "US_TEX_INST" word 1 bank 0x9000: "TEX word 1: the operation and the input number." {
        RESERVED_15_0 15:0 NUMBER, "not described by any source; write 0", "-";
        TEX_ID 19:16 NUMBER, "input (texture) number", "A";
        RESERVED_21_20 21:20 NUMBER, "not described by any source; write 0", "-";
        INST 24:22 TEX_OPS, "input operation", "A; G 33";
        TEX_SEM_ACQUIRE 25:25 NUMBER, "1: hold the texture semaphore until the result is in the temporary", "A; G 33";
        IGNORE_UNCOVERED 26:26 NUMBER, "1: fetch nothing for uncovered points", "A";
        UNSCALED 27:27 NUMBER, "0: S, T in [0, 1] are multiplied by the input's size; 1: they are texel coordinates", "A";
        RESERVED_31_28 31:28 NUMBER, "not described by any source; write 0", "-";
    }
    tex_addr TexAddr "US_TEX_ADDR" word 2 bank 0x9800: "TEX word 2: coordinate and destination." {
        SRC_ADDR 6:0 NUMBER, "temporary that holds the coordinate", "A";
        SRC_ADDR_REL 7:7 NUMBER, "1: aL is added to that address", "A";
        SRC_S_SWIZ 9:8 CHANNELS, "channel used as S", "A";
        SRC_T_SWIZ 11:10 CHANNELS, "channel used as T", "A";
        SRC_R_SWIZ 13:12 CHANNELS, "channel used as R", "A";
        SRC_Q_SWIZ 15:14 CHANNELS, "channel used as Q", "A";
        DST_ADDR 22:16 NUMBER, "temporary that receives the result", "A";
        DST_ADDR_REL 23:23 NUMBER, "1: aL is added to that address", "A";
        DST_R_SWIZ 25:24 CHANNELS, "fetched channel written to R", "A";
        DST_G_SWIZ 27:26 CHANNELS, "fetched channel written to G", "A";
        DST_B_SWIZ 29:28 CHANNELS, "fetched channel written to B", "A";
        DST_A_SWIZ 31:30 CHANNELS, "fetched channel written to A", "A";
    }
    tex_addr_dxdy TexAddrDxDy "US_TEX_ADDR_DXDY" word 3 bank 0xa000: "TEX word 3: the gradients of DXDY." {
        DX_ADDR 6:0 NUMBER, "temporary that holds d/dx of the coordinate", "A";
        DX_ADDR_REL 7:7 NUMBER, "1: aL is added to that address", "A";
        DX_S_SWIZ 9:8 CHANNELS, "channel of the dx temporary used as S", "A";
        DX_T_SWIZ 11:10 CHANNELS, "channel of the dx temporary used as T", "A";
        DX_R_SWIZ 13:12 CHANNELS, "channel of the dx temporary used as R", "A";
        DX_Q_SWIZ 15:14 CHANNELS, "channel of the dx temporary used as Q", "A";
        DY_ADDR 22:16 NUMBER, "temporary that holds d/dy of the coordinate", "A";
        DY_ADDR_REL 23:23 NUMBER, "1: aL is added to that address", "A";
        DY_S_SWIZ 25:24 CHANNELS, "channel of the dy temporary used as S", "A";
        DY_T_SWIZ 27:26 CHANNELS, "channel of the dy temporary used as T", "A";
        DY_R_SWIZ 29:28 CHANNELS, "channel of the dy temporary used as R", "A";
        DY_Q_SWIZ 31:30 CHANNELS, "channel of the dy temporary used as Q", "A";
    }
    fc_inst FcInst "US_FC_INST" word 2 bank 0x9800: "FC word 2: the operation, its condition and its effect on the stacks." {
        OP 2:0 FC_OPS, "flow-control operation", "A; G 36";
        RESERVED_3_3 3:3 NUMBER, "not described by any source; write 0", "-";
        B_ELSE 4:4 NUMBER, "1: first swap active points with branch-inactive ones whose counter is 0", "A; G 37";
        JUMP_ANY 5:5 NUMBER, "0: jump if all active points want to (none active: jump); 1: if any does (none active: stay)", "A; G 36";
        A_OP 7:6 ADDRESS_OPS, "address-stack action, only if the jump is taken", "A; G 36";
        JUMP_FUNC 15:8 NUMBER, "truth table: a point wants to jump if bit (alu_result<<2 | predicate<<1 | boolean) is 1", "A; G 36";
        B_POP_CNT 20:16 NUMBER, "amount that a DECR subtracts", "A; G 36";
        RESERVED_23_21 23:21 NUMBER, "not described by any source; write 0", "-";
        B_OP0 25:24 BRANCH_OPS, "branch-counter action if the jump is not taken", "A; M";
        B_OP1 27:26 BRANCH_OPS, "branch-counter action if the jump is taken", "A; M";
        IGNORE_UNCOVERED 28:28 NUMBER, "1: uncovered points have no say in the decision", "A";
        RESERVED_31_29 31:29 NUMBER, "not described by any source; write 0", "-";
    }
    fc_addr FcAddr "US_FC_ADDR" word 3 bank 0xa000: "FC word 3: constants and target." {
        BOOL_ADDR 4:0 NUMBER, "boolean constant used in JUMP_FUNC", "A; G 36";
        RESERVED_7_5 7:5 NUMBER, "not described by any source; write 0", "-";
        INT_ADDR 12:8 NUMBER, "integer constant: count and aL start of LOOP and REP, aL step of ENDLOOP and ENDREP", "A; G 38";
        RESERVED_15_13 15:13 NUMBER, "not described by any source; write 0", "-";
        JUMP_ADDR 24:16 NUMBER, "jump target", "A; G 36";
        RESERVED_30_25 30:25 NUMBER, "not described by any source; write 0", "-";
        JUMP_GLOBAL 31:31 NUMBER, "0: US_CODE_OFFSET is added to JUMP_ADDR; 1: it is not", "A";
    }
}

/// [`alu_rgba_inst::RGB_OP`] in a program with data sharing.
pub const SHARING_RGB_OP: Field = {
    const CODES: &[Code] = &{
        let mut codes = [SHARING_OPS[0]; RGB_OPS.len() + SHARING_OPS.len()];
        let mut n = 0;
        while n < RGB_OPS.len() {
            codes[n] = RGB_OPS[n];
            n += 1;
        }
        while n < codes.len() {
            codes[n] = SHARING_OPS[n - RGB_OPS.len()];
            n += 1;
        }
        codes
    };
    Field { values: CODES, ..alu_rgba_inst::RGB_OP }
};

/// [`cmn_inst::STAT_WE`] in a program with data sharing.
pub const INDEX_MODE: Field =
    Field { name: "INDEX_MODE", values: INDEX_MODES, ..cmn_inst::STAT_WE };

impl Word {
    /// The words of an instruction class, by index; `None` where the class leaves one unused.
    pub const fn layout(class: Type) -> [Option<Word>; 6] {
        use Word::*;
        match class {
            Type::Alu | Type::Out => [
                Some(CmnInst),
                Some(AluRgbAddr),
                Some(AluAlphaAddr),
                Some(AluRgbInst),
                Some(AluAlphaInst),
                Some(AluRgbaInst),
            ],
            Type::Tex => {
                [Some(CmnInst), Some(TexInst), Some(TexAddr), Some(TexAddrDxDy), None, None]
            }
            Type::Fc => [Some(CmnInst), None, Some(FcInst), Some(FcAddr), None, None],
        }
    }
}

/// The class of an instruction, from its word 0.
pub fn class(words: &[u32; 6]) -> Type {
    Type::from_code(cmn_inst::TYPE.get(words[0]))
}

/// Every field of an instruction with its value, in word and bit order. Reserved fields are
/// included; unused words are not.
pub fn fields(words: &[u32; 6]) -> impl Iterator<Item = (&'static Field, u32)> {
    let words = *words;
    Word::layout(class(&words)).into_iter().flatten().flat_map(move |word| {
        word.fields().iter().map(move |field| (field, field.get(words[word.index()])))
    })
}

/// The fields of a source address of a unit: address, constant, relative.
pub type SourceFields = [Field; 3];

/// The fields of the sources, by unit and source.
pub static SOURCE_FIELDS: [[SourceFields; 3]; 2] = {
    const fn unit(f: &[Field]) -> [SourceFields; 3] {
        [[f[0], f[1], f[2]], [f[3], f[4], f[5]], [f[6], f[7], f[8]]]
    }
    [unit(alu_rgb_addr::FIELDS), unit(alu_alpha_addr::FIELDS)]
};

/// The fields of an input of a unit: select, swizzles of its lanes, modifier.
pub type InputFields = (Field, [Field; 3], Field);

/// A field without bits. It stands for the swizzles of the two lanes that the alpha unit lacks.
const NO_FIELD: Field = Field { width: 0, ..alu_alpha_inst::ALPHA_SWIZ_A };

/// The fields of the inputs, by unit and input.
pub static INPUT_FIELDS: [[InputFields; 3]; 2] = {
    use {alu_alpha_inst::*, alu_rgb_inst::*, alu_rgba_inst::*};
    const fn alpha(sel: Field, swizzle: Field, modifier: Field) -> InputFields {
        (sel, [swizzle, NO_FIELD, NO_FIELD], modifier)
    }
    [
        [
            (RGB_SEL_A, [RED_SWIZ_A, GREEN_SWIZ_A, BLUE_SWIZ_A], RGB_MOD_A),
            (RGB_SEL_B, [RED_SWIZ_B, GREEN_SWIZ_B, BLUE_SWIZ_B], RGB_MOD_B),
            (RGB_SEL_C, [RED_SWIZ_C, GREEN_SWIZ_C, BLUE_SWIZ_C], RGB_MOD_C),
        ],
        [
            alpha(ALPHA_SEL_A, ALPHA_SWIZ_A, ALPHA_MOD_A),
            alpha(ALPHA_SEL_B, ALPHA_SWIZ_B, ALPHA_MOD_B),
            alpha(ALPHA_SEL_C, ALPHA_SWIZ_C, ALPHA_MOD_C),
        ],
    ]
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_cover_every_bit_of_every_word_once() {
        for &word in Word::ALL {
            let mut next = 0;
            for field in word.fields() {
                assert_eq!(field.low, next, "{} {}", word.name(), field.name);
                assert_eq!(field.word, word);
                next = field.low + field.width;
            }
            assert_eq!(next, 32, "{}", word.name());
        }
    }

    #[test]
    fn named_values_fit_their_fields_and_are_unique() {
        for field in Word::ALL.iter().flat_map(|word| word.fields()) {
            let mut codes = std::collections::HashSet::new();
            let mut names = std::collections::HashSet::new();
            for value in field.values {
                assert!(value.code as u32 <= field.max(), "{}", field.name);
                assert!(codes.insert(value.code) && names.insert(value.name), "{}", field.name);
            }
        }
    }

    #[test]
    fn total_enumerations_fill_their_field() {
        // Types without a Reserved variant map unknown codes to their first value. That is correct
        // only if no code is unknown.
        for (field, table) in [
            (cmn_inst::TYPE, TYPES),
            (fc_inst::OP, FC_OPS),
            (alu_rgb_addr::SRCP_OP, PRESUBS),
            (alu_rgb_inst::RGB_SEL_A, SELS),
            (alu_rgb_inst::RED_SWIZ_A, SWIZZLES),
            (alu_rgb_inst::RGB_MOD_A, MODIFIERS),
            (alu_rgb_inst::OMOD, OMODS),
            (alu_rgb_inst::TARGET, TARGETS),
            (cmn_inst::ALU_RESULT_OP, COMPARISONS),
            (cmn_inst::ALU_RESULT_SEL, ALU_RESULT_SELS),
            (tex_addr::SRC_S_SWIZ, CHANNELS),
        ] {
            assert_eq!(field.values.len(), table.len());
            assert_eq!(table.len() as u32, field.max() + 1, "{}", field.name);
        }
    }
}
