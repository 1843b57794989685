//! What is refused, what is warned about, and what programs use.

use super::*;
use crate::isa::table::*;
use crate::isa::{AlphaOp, FcOp, Field, FieldValue, RgbOp};

/// Fields of one instruction; what is not given is 0.
type Given<'a> = &'a [(Field, u32)];

fn words(class: Type, given: Given) -> [u32; 6] {
    let mut words = [0; 6];
    for &(field, value) in [(cmn_inst::TYPE, class.code())].iter().chain(given) {
        let word = &mut words[field.register.word()];
        *word = field.set(*word, value);
    }
    words
}

/// An image that runs these instructions and then a good last one.
fn image(instructions: &[[u32; 6]]) -> Image {
    let mut words_ = instructions.to_vec();
    words_.push(words(Type::Out, &[(cmn_inst::TEX_SEM_WAIT, 1)]));
    Image::from_words(words_)
}

fn program(class: Type, given: Given) -> Result<Program, VerifyErrors> {
    Program::new(image(&[words(class, given)]))
}

/// A single error, word for word.
#[track_caller]
fn refused(class: Type, given: Given, message: &str) {
    let errors = program(class, given).expect_err("not valid");
    assert_eq!(errors.0.len(), 1, "{errors}");
    assert_eq!(errors.to_string(), message);
}

/// A valid program with exactly these warnings.
#[track_caller]
fn warned(class: Type, given: Given, messages: &[&str]) {
    let program = program(class, given).unwrap_or_else(|errors| panic!("{errors}"));
    let warnings: Vec<String> = program.warnings().iter().map(|w| w.to_string()).collect();
    assert_eq!(warnings, messages);
}

const RGB: (Field, u32) = (cmn_inst::RGB_WMASK, 7);
const ALPHA: (Field, u32) = (cmn_inst::ALPHA_WMASK, 1);

#[test]
fn reserved_opcodes_are_refused_where_they_matter() {
    for code in [6, 13, 14, 15] {
        refused(
            Type::Alu,
            &[RGB, (alu_rgba_inst::RGB_OP, code)],
            &format!(
                "pc 0: US_ALU_RGBA_INST.RGB_OP is {code}, which is reserved; allowed: 0 MAD, 1 DP3, 2 DP4, 3 D2A, 4 MIN, 5 MAX, 7 CND, 8 CMP, 9 FRC, 10 SOP, 11 MDH, 12 MDV"
            ),
        );
    }
    let alpha_op = (alu_alpha_inst::ALPHA_OP, 4);
    let message = "pc 0: US_ALU_ALPHA_INST.ALPHA_OP is 4, which is reserved; allowed: 0 MAD, 1 DP, 2 MIN, 3 MAX, 5 CND, 6 CMP, 7 FRC, 8 EX2, 9 LN2, 10 RCP, 11 RSQ, 12 SIN, 13 COS, 14 MDH, 15 MDV";
    // Each way of using the alpha unit's result.
    refused(Type::Alu, &[ALPHA, alpha_op], message);
    refused(Type::Out, &[(cmn_inst::ALPHA_OMASK, 1), alpha_op], message);
    refused(Type::Alu, &[(cmn_inst::ALPHA_OMASK, 1), alpha_op], message);
    refused(
        Type::Alu,
        &[(alu_alpha_inst::W_OMASK, 1), alpha_op],
        message,
    );
    refused(
        Type::Alu,
        &[
            (alu_rgb_inst::ALU_WMASK, 1),
            (cmn_inst::ALU_RESULT_SEL, 1),
            alpha_op,
        ],
        message,
    );
    refused(
        Type::Alu,
        &[RGB, (alu_rgba_inst::RGB_OP, RgbOp::Sop.code()), alpha_op],
        message,
    );
    // The RGB unit's through DP and through the ALU result.
    let message = "pc 0: US_ALU_RGBA_INST.RGB_OP is 6, which is reserved; allowed: 0 MAD, 1 DP3, 2 DP4, 3 D2A, 4 MIN, 5 MAX, 7 CND, 8 CMP, 9 FRC, 10 SOP, 11 MDH, 12 MDV";
    let rgb_op = (alu_rgba_inst::RGB_OP, 6);
    refused(
        Type::Alu,
        &[
            ALPHA,
            (alu_alpha_inst::ALPHA_OP, AlphaOp::Dp.code()),
            rgb_op,
        ],
        message,
    );
    refused(Type::Alu, &[(alu_rgb_inst::ALU_WMASK, 1), rgb_op], message);
    // Idle units.
    warned(
        Type::Alu,
        &[ALPHA, rgb_op],
        &[
            "pc 0: US_ALU_RGBA_INST.RGB_OP is 6, which is reserved, in a unit whose result is not used",
        ],
    );
    warned(
        Type::Alu,
        &[RGB, alpha_op],
        &[
            "pc 0: US_ALU_ALPHA_INST.ALPHA_OP is 4, which is reserved, in a unit whose result is not used",
        ],
    );
    let tex_op = (tex_inst::INST, 7);
    refused(
        Type::Tex,
        &[ALPHA, tex_op],
        "pc 0: US_TEX_INST.INST is 7, which is reserved; allowed: 0 NOP, 1 LD, 2 TEXKILL, 3 PROJ, 4 LODBIAS, 5 LOD, 6 DXDY",
    );
    warned(
        Type::Tex,
        &[tex_op],
        &["pc 0: US_TEX_INST.INST is 7, which is reserved, in a unit whose result is not used"],
    );
}

#[test]
fn reserved_predicates_are_refused_where_they_matter() {
    for code in [6, 7] {
        let rgb = (cmn_inst::RGB_PRED_SEL, code);
        let alpha = (cmn_inst::ALPHA_PRED_SEL, code);
        let allowed = "allowed: 0 NONE, 1 RGBA, 2 RRRR, 3 GGGG, 4 BBBB, 5 AAAA";
        let rgb_message =
            format!("pc 0: US_CMN_INST.RGB_PRED_SEL is {code}, which is reserved; {allowed}");
        let alpha_message =
            format!("pc 0: US_CMN_INST.ALPHA_PRED_SEL is {code}, which is reserved; {allowed}");
        let ld = (tex_inst::INST, 1);
        refused(Type::Alu, &[RGB, rgb], &rgb_message);
        refused(Type::Alu, &[ALPHA, alpha], &alpha_message);
        refused(Type::Tex, &[ld, RGB, rgb], &rgb_message);
        refused(Type::Tex, &[ld, ALPHA, alpha], &alpha_message);
        refused(Type::Fc, &[rgb], &rgb_message);
        let idle = |field| {
            format!(
                "pc 0: US_CMN_INST.{field} is {code}, which is reserved, in a unit whose result is not used"
            )
        };
        let [rgb_idle, alpha_idle] = [idle("RGB_PRED_SEL"), idle("ALPHA_PRED_SEL")];
        warned(Type::Alu, &[ALPHA, rgb], &[&rgb_idle]);
        warned(Type::Out, &[alpha], &[&alpha_idle]);
        warned(Type::Tex, &[ld, ALPHA, rgb], &[&rgb_idle]);
        // TEXKILL writes nothing, whatever its mask.
        warned(
            Type::Tex,
            &[(tex_inst::INST, 2), RGB, rgb, ALPHA, alpha],
            &[&rgb_idle, &alpha_idle],
        );
        // FC takes its predicate from the RGB fields.
        warned(Type::Fc, &[alpha], &[]);
    }
    refused(
        Type::Fc,
        &[(cmn_inst::RGB_PRED_SEL, 1)],
        "pc 0: US_CMN_INST.RGB_PRED_SEL is 1 (RGBA) on FC, which needs one predicate for the whole instruction; allowed: 0 NONE, 2 RRRR, 3 GGGG, 4 BBBB, 5 AAAA",
    );
    warned(Type::Alu, &[RGB, (cmn_inst::RGB_PRED_SEL, 1)], &[]);
}

#[test]
fn reserved_stack_operations_are_refused() {
    refused(
        Type::Fc,
        &[(fc_inst::A_OP, 3)],
        "pc 0: US_FC_INST.A_OP is 3, which is reserved; allowed: 0 NONE, 1 POP, 2 PUSH",
    );
    refused(
        Type::Fc,
        &[(fc_inst::B_OP0, 3)],
        "pc 0: US_FC_INST.B_OP0 is 3, which is reserved; allowed: 0 NONE, 1 DECR, 2 INCR",
    );
    refused(
        Type::Fc,
        &[(fc_inst::B_OP1, 3)],
        "pc 0: US_FC_INST.B_OP1 is 3, which is reserved; allowed: 0 NONE, 1 DECR, 2 INCR",
    );
}

#[test]
fn inline_constants_cannot_be_relative() {
    for (n, (address, relative)) in [
        (alu_rgb_addr::ADDR0, alu_rgb_addr::ADDR0_REL),
        (alu_rgb_addr::ADDR1, alu_rgb_addr::ADDR1_REL),
        (alu_rgb_addr::ADDR2, alu_rgb_addr::ADDR2_REL),
    ]
    .into_iter()
    .enumerate()
    {
        refused(
            Type::Alu,
            &[RGB, (address, 0xb0), (relative, 1)],
            &format!(
                "pc 0: US_ALU_RGB_ADDR.ADDR{n}_REL is 1 with ADDR{n} 176, an inline constant; aL can only be added to temporaries and constants"
            ),
        );
    }
    let inline = [
        (alu_alpha_addr::ADDR2, 0x80),
        (alu_alpha_addr::ADDR2_REL, 1),
    ];
    let message = "pc 0: US_ALU_ALPHA_ADDR.ADDR2_REL is 1 with ADDR2 128, an inline constant; aL can only be added to temporaries and constants";
    refused(Type::Alu, &[ALPHA, inline[0], inline[1]], message);
    // The RGB unit may read it.
    let a2 = [(alu_rgb_inst::RGB_SEL_A, 2), (alu_rgb_inst::BLUE_SWIZ_A, 3)];
    refused(
        Type::Alu,
        &[RGB, a2[0], a2[1], inline[0], inline[1]],
        message,
    );
    warned(
        Type::Alu,
        &[RGB, inline[0], inline[1]],
        &[
            "pc 0: US_ALU_ALPHA_ADDR.ADDR2_REL is 1 with ADDR2 128, an inline constant, in a unit whose result is not used",
        ],
    );
    // A constant register with the same number may.
    warned(
        Type::Alu,
        &[
            ALPHA,
            inline[0],
            inline[1],
            (alu_alpha_addr::ADDR2_CONST, 1),
        ],
        &[],
    );
}

#[test]
fn copies_need_something_to_copy() {
    let sop = (alu_rgba_inst::RGB_OP, RgbOp::Sop.code());
    let dp = (alu_alpha_inst::ALPHA_OP, AlphaOp::Dp.code());
    refused(
        Type::Alu,
        &[RGB, sop],
        "pc 0: US_ALU_RGBA_INST.RGB_OP is 10 (SOP), which needs EX2, LN2, RCP, RSQ, SIN or COS in ALPHA_OP, not MAD",
    );
    refused(
        Type::Alu,
        &[ALPHA, dp, (alu_rgba_inst::RGB_OP, RgbOp::Max.code())],
        "pc 0: US_ALU_ALPHA_INST.ALPHA_OP is 1 (DP), which needs DP3, DP4 or D2A in RGB_OP, not MAX",
    );
    let errors = program(Type::Alu, &[RGB, sop, dp]).expect_err("not valid");
    assert_eq!(errors.0.len(), 2, "{errors}");
    warned(
        Type::Alu,
        &[ALPHA, sop],
        &[
            "pc 0: US_ALU_RGBA_INST.RGB_OP is 10 (SOP) with MAD in ALPHA_OP, in a unit whose result is not used",
        ],
    );
    warned(
        Type::Alu,
        &[RGB, dp],
        &[
            "pc 0: US_ALU_ALPHA_INST.ALPHA_OP is 1 (DP) with MAD in RGB_OP, in a unit whose result is not used",
        ],
    );
    for op in [8, 9, 10, 11, 12, 13] {
        warned(Type::Alu, &[RGB, sop, (alu_alpha_inst::ALPHA_OP, op)], &[]);
    }
    for op in [1, 2, 3] {
        warned(Type::Alu, &[ALPHA, dp, (alu_rgba_inst::RGB_OP, op)], &[]);
    }
}

#[test]
fn unused_swizzles_are_refused_on_used_lanes() {
    let red = (cmn_inst::RGB_WMASK, 1);
    let refused_field = |given: Given, field: &str| {
        refused(
            Type::Alu,
            given,
            &format!("pc 0: {field} is 7 (unused) on a lane that is used; allowed: 0 to 6"),
        );
    };
    let fine = |given: Given| warned(Type::Alu, given, &[]);
    for (field, full) in [
        (alu_rgb_inst::RED_SWIZ_A, "US_ALU_RGB_INST.RED_SWIZ_A"),
        (alu_rgb_inst::RED_SWIZ_B, "US_ALU_RGB_INST.RED_SWIZ_B"),
        (alu_rgba_inst::RED_SWIZ_C, "US_ALU_RGBA_INST.RED_SWIZ_C"),
    ] {
        refused_field(&[red, (field, 7)], full);
        fine(&[(cmn_inst::RGB_WMASK, 2), (field, 7)]);
        fine(&[ALPHA, (field, 7)]);
    }
    for (field, full) in [
        (
            alu_alpha_inst::ALPHA_SWIZ_A,
            "US_ALU_ALPHA_INST.ALPHA_SWIZ_A",
        ),
        (
            alu_alpha_inst::ALPHA_SWIZ_B,
            "US_ALU_ALPHA_INST.ALPHA_SWIZ_B",
        ),
        (alu_rgba_inst::ALPHA_SWIZ_C, "US_ALU_RGBA_INST.ALPHA_SWIZ_C"),
    ] {
        refused_field(&[ALPHA, (field, 7)], full);
        fine(&[RGB, (field, 7)]);
    }
    // Dot products read lanes that the mask does not name, and not input C.
    let op = |op: RgbOp| (alu_rgba_inst::RGB_OP, op.code());
    let blue_a = (alu_rgb_inst::BLUE_SWIZ_A, 7);
    let blue_c = (alu_rgba_inst::BLUE_SWIZ_C, 7);
    refused_field(
        &[red, op(RgbOp::Dp3), blue_a],
        "US_ALU_RGB_INST.BLUE_SWIZ_A",
    );
    fine(&[red, op(RgbOp::Dp3), blue_c]);
    fine(&[RGB, op(RgbOp::D2a), blue_a]);
    refused_field(
        &[red, op(RgbOp::D2a), blue_c],
        "US_ALU_RGBA_INST.BLUE_SWIZ_C",
    );
    refused_field(
        &[red, op(RgbOp::Dp4), (alu_alpha_inst::ALPHA_SWIZ_B, 7)],
        "US_ALU_ALPHA_INST.ALPHA_SWIZ_B",
    );
    // MDH takes A and C from address 0 itself.
    fine(&[RGB, op(RgbOp::Mdh), blue_a, blue_c]);
    refused_field(
        &[RGB, op(RgbOp::Mdh), (alu_rgb_inst::BLUE_SWIZ_B, 7)],
        "US_ALU_RGB_INST.BLUE_SWIZ_B",
    );
    // Nothing but A for FRC, nothing at all for SOP.
    fine(&[RGB, op(RgbOp::Frc), blue_c, (alu_rgb_inst::BLUE_SWIZ_B, 7)]);
    fine(&[RGB, op(RgbOp::Sop), blue_a, (alu_alpha_inst::ALPHA_OP, 10)]);
}

#[test]
fn uncached_writes_are_of_all_channels_or_none() {
    let verify = |class, rgb, alpha| {
        let mut image = image(&[words(
            class,
            &[(cmn_inst::RGB_OMASK, rgb), (cmn_inst::ALPHA_OMASK, alpha)],
        )]);
        image.umrt = true;
        Program::new(image)
    };
    for (rgb, alpha) in [(7, 0), (0, 1), (3, 1), (1, 0)] {
        assert_eq!(
            verify(Type::Out, rgb, alpha)
                .expect_err("not valid")
                .to_string(),
            format!(
                "pc 0: RGB_OMASK and ALPHA_OMASK of US_CMN_INST are {rgb} and {alpha} in an uncached-write program; allowed: 7 and 1 (all channels), 0 and 0 (none)"
            )
        );
        // In an ALU instruction the mask is of predicates.
        assert!(verify(Type::Alu, rgb, alpha).is_ok());
    }
    assert!(verify(Type::Out, 7, 1).is_ok());
    assert!(verify(Type::Out, 0, 0).is_ok());
}

#[test]
fn code_registers_stay_in_the_program() {
    let verify = |code_addr, offset| {
        let mut image = image(&[[0; 6]; 3]);
        image.registers.us_code_addr = code_addr;
        image.registers.us_code_offset = offset;
        Program::new(image)
            .map(|program| program.registers().start())
            .map_err(|errors| errors.to_string())
    };
    assert_eq!(verify(0x0003_0001, 0), Ok(1));
    assert_eq!(verify(0x0001_0000, 2), Ok(2));
    assert_eq!(
        verify(0x0001_0002, 0),
        Err(
            "US_CODE_ADDR is 0x00010002: END_ADDR 1 is before START_ADDR 2, expected at least 2"
                .into()
        )
    );
    assert_eq!(
        verify(0x0004_0000, 0),
        Err("US_CODE_ADDR is 0x00040000: END_ADDR 4 with OFFSET_ADDR 0 is slot 4, expected at most 3, the last instruction".into())
    );
    assert_eq!(
        verify(0x0002_0002, 2),
        Err("the program is not valid:\n  US_CODE_ADDR is 0x00020002: START_ADDR 2 with OFFSET_ADDR 2 is slot 4, expected at most 3, the last instruction\n  US_CODE_ADDR is 0x00020002: END_ADDR 2 with OFFSET_ADDR 2 is slot 4, expected at most 3, the last instruction".into())
    );
    // Slots are nine bits, but an end past slot 511 does not come round to 0.
    assert!(verify(0x01ff_0000, 1).is_err());
}

#[test]
fn programs_have_1_to_512_instructions() {
    let of = |n| {
        Program::new(Image::from_words(vec![[1 | 4, 0, 0, 0, 0, 0]; n]))
            .map(|program| program.instructions().len())
            .map_err(|errors| errors.to_string())
    };
    assert_eq!(
        of(0),
        Err("the program has no instructions, expected 1 to 512".into())
    );
    assert_eq!(of(1), Ok(1));
    assert_eq!(of(512), Ok(512));
    assert_eq!(
        of(513),
        Err("the program has 513 instructions, expected at most 512".into())
    );
}

#[test]
fn numbers_of_constants_and_slots_exist() {
    let refused = |change: &dyn Fn(&mut Image), message: &str| {
        let mut image = image(&[]);
        change(&mut image);
        assert_eq!(
            Program::new(image).expect_err("not valid").to_string(),
            message
        );
    };
    let user = |kind, addr| UserConstant {
        name: "gain".into(),
        kind,
        addr,
    };
    refused(
        &|image| image.user_constants = vec![user(ConstantKind::Float, 256)],
        "the constant \"gain\" is float constant 256, expected 0 to 255",
    );
    refused(
        &|image| image.user_constants = vec![user(ConstantKind::Bool, 32)],
        "the constant \"gain\" is bool constant 32, expected 0 to 31",
    );
    refused(
        &|image| {
            image.literals = vec![Literal {
                kind: ConstantKind::Int,
                addr: 99,
                value: [0; 4],
            }]
        },
        "a literal is int constant 99, expected 0 to 31",
    );
    let slot = |slot| NamedSlot {
        name: "field".into(),
        slot,
    };
    refused(
        &|image| image.input_names = vec![slot(15), slot(16)],
        "the input \"field\" is number 16, expected 0 to 15",
    );
    refused(
        &|image| image.output_names = vec![slot(4)],
        "the output \"field\" is number 4, expected 0 to 3",
    );
}

#[test]
fn long_lists_of_errors_are_cut() {
    let bad = words(Type::Alu, &[RGB, (alu_rgba_inst::RGB_OP, 13)]);
    let errors = Program::new(image(&[bad; 100])).expect_err("not valid");
    assert_eq!(errors.0.len(), 65);
    assert_eq!(errors.0[64], VerifyError::More { count: 36 });
    assert_eq!(errors.0[64].to_string(), "and 36 more errors");
    let text = errors.to_string();
    assert!(
        text.starts_with("the program is not valid:\n  pc 0: "),
        "{text}"
    );
    assert_eq!(text.lines().count(), 66);
}

#[test]
fn reserved_bits_are_warned_about() {
    warned(
        Type::Tex,
        &[
            (tex_inst::RESERVED_15_0, 5),
            (tex_inst::RESERVED_21_20, 3),
            (tex_inst::RESERVED_31_28, 8),
        ],
        &["pc 0: reserved bits 0x80300005 of US_TEX_INST are set; expected 0"],
    );
    let mut fc = words(
        Type::Fc,
        &[(fc_inst::RESERVED_3_3, 1), (fc_addr::RESERVED_30_25, 1)],
    );
    fc[1] = 1;
    fc[5] = 2;
    let program = Program::new(image(&[fc])).expect("valid");
    let warnings: Vec<String> = program.warnings().iter().map(|w| w.to_string()).collect();
    assert_eq!(
        warnings,
        [
            "pc 0: unused word 1 is 0x00000001; expected 0",
            "pc 0: reserved bits 0x00000008 of US_FC_INST are set; expected 0",
            "pc 0: reserved bits 0x02000000 of US_FC_ADDR are set; expected 0",
            "pc 0: unused word 5 is 0x00000002; expected 0",
        ]
    );
}

#[test]
fn disabled_output_modifiers_are_warned_about_where_they_matter() {
    let rgb = (alu_rgb_inst::OMOD, 7);
    let alpha = (alu_alpha_inst::OMOD, 7);
    warned(
        Type::Alu,
        &[RGB, rgb, ALPHA, alpha],
        &[
            "pc 0: US_ALU_RGB_INST.OMOD is 7 (OMOD_DISABLED) with MAD, which works as OMOD_1 without clamp; it belongs to MIN, MAX, CND, CMP",
            "pc 0: US_ALU_ALPHA_INST.OMOD is 7 (OMOD_DISABLED) with MAD, which works as OMOD_1 without clamp; it belongs to MIN, MAX, CND, CMP",
        ],
    );
    // Compilers leave it on idle units.
    warned(Type::Alu, &[RGB, alpha], &[]);
    for op in [4, 5, 7, 8] {
        warned(Type::Alu, &[RGB, rgb, (alu_rgba_inst::RGB_OP, op)], &[]);
    }
}

#[test]
fn whole_programs_are_warned_about() {
    let warnings = |change: &dyn Fn(&mut Image)| {
        let mut image = image(&[[0; 6]; 2]);
        change(&mut image);
        let program = Program::new(image).unwrap_or_else(|errors| panic!("{errors}"));
        let warnings: Vec<String> = program.warnings().iter().map(|w| w.to_string()).collect();
        warnings
    };
    assert!(warnings(&|_| {}).is_empty());
    assert_eq!(
        warnings(&|image| image.words[2][0] = 1),
        [
            "pc 2: the last instruction is of type OUT without TEX_SEM_WAIT; hardware needs OUT with TEX_SEM_WAIT there"
        ]
    );
    assert_eq!(
        warnings(&|image| image.registers.us_code_addr = 1 << 16),
        ["pc 1: the last instruction is of type ALU; hardware needs OUT with TEX_SEM_WAIT there"]
    );
    assert_eq!(
        warnings(&|image| image.registers.us_code_range = 3 << 16),
        ["US_CODE_RANGE is 0x00030000, slots 0 to 3; the program has slots 0 to 2"]
    );
    assert_eq!(
        warnings(&|image| image.registers.us_code_range = 0x0001_0001),
        ["US_CODE_RANGE is 0x00010001, slots 1 to 2; the program runs from slot 0 to slot 2"]
    );
    assert_eq!(
        warnings(&|image| {
            image.words[0] = words(Type::Alu, &[RGB, (alu_rgba_inst::RGB_ADDRD, 9)]);
            image.registers.us_pixsize = 8;
        }),
        ["US_PIXSIZE is 0x8: temporaries 0 to 8; the program uses temporary 9"]
    );
    assert_eq!(
        warnings(&|image| {
            image.words[1] = words(Type::Fc, &[(fc_inst::A_OP, 2)]);
            image.registers.us_fc_ctrl = 0;
        }),
        [
            "US_FC_CTRL is 0x00000000, partial flow control; the loop or subroutine at pc 1 needs FULL_FC_EN on hardware"
        ]
    );
    assert_eq!(
        warnings(&|image| {
            image.words[0] = words(
                Type::Tex,
                &[RGB, (tex_inst::INST, 1), (tex_inst::TEX_ID, 5)],
            );
            image.words[1] = words(
                Type::Alu,
                &[
                    RGB,
                    (alu_rgb_addr::ADDR0, 7),
                    (alu_rgb_addr::ADDR0_CONST, 1),
                ],
            );
            image.words[2][0] |= 1 << 15;
            image.inputs = Some(vec![0]);
            image.outputs = Some(vec![]);
            image.float_constants = Some(vec![0]);
            image.int_constants = Some(vec![]);
        }),
        [
            "the program uses input 5, which its container does not list",
            "the program uses output 0, which its container does not list",
            "the program uses float constant 7, which its container does not list",
        ]
    );
}

fn uses(class: Type, given: Given) -> Uses {
    program(class, given)
        .unwrap_or_else(|errors| panic!("{errors}"))
        .uses()
        .clone()
}

fn constants(uses: &Uses) -> Vec<usize> {
    (0..256).filter(|&n| uses.float_constants[n]).collect()
}

#[test]
fn uses_of_sources_are_of_used_lanes() {
    // rgb0 is constant 3, rgb1 constant 4, a0 constant 5, a1 constant 6; temporaries otherwise.
    let mut given = vec![
        (alu_rgb_addr::ADDR0, 3),
        (alu_rgb_addr::ADDR0_CONST, 1),
        (alu_rgb_addr::ADDR1, 4),
        (alu_rgb_addr::ADDR1_CONST, 1),
        (alu_rgb_addr::ADDR2, 70),
        (alu_alpha_addr::ADDR0, 5),
        (alu_alpha_addr::ADDR0_CONST, 1),
        (alu_alpha_addr::ADDR1, 6),
        (alu_alpha_addr::ADDR1_CONST, 1),
        (alu_alpha_addr::ADDR2, 71),
        (alu_rgba_inst::RGB_ADDRD, 12),
        (alu_alpha_inst::ALPHA_ADDRD, 13),
    ];
    let with = |extra: Given| {
        let all: Vec<(Field, u32)> = given.iter().chain(extra).copied().collect();
        uses(Type::Alu, &all)
    };
    // Idle.
    let idle = with(&[]);
    assert_eq!((constants(&idle), idle.highest_temp), (vec![], 0));
    // All inputs src0, red: rgb0 only; the destination is named, the other sources are not.
    let plain = with(&[RGB]);
    assert_eq!((constants(&plain), plain.highest_temp), (vec![3], 12));
    // The RGB unit reads a1 in a lane that is not written: not read.
    let a1 = [
        (alu_rgb_inst::RGB_SEL_A, 1),
        (alu_rgb_inst::BLUE_SWIZ_A, 3),
        (alu_rgb_inst::RGB_SEL_B, 1),
        (alu_rgb_inst::RED_SWIZ_B, 6),
    ];
    let red = (cmn_inst::RGB_WMASK, 1);
    let swizzled = with(&[red, a1[0], a1[1], a1[2], a1[3]]);
    assert_eq!(constants(&swizzled), [3, 4]);
    let swizzled = with(&[RGB, a1[0], a1[1], a1[2], a1[3]]);
    assert_eq!(constants(&swizzled), [3, 4, 6]);
    // Presubtract reads both addresses for SUB and ADD, the first for BIAS and INV.
    let srcp = (alu_rgb_inst::RGB_SEL_A, 3);
    for (op, expected) in [(0, vec![3]), (1, vec![3, 4]), (2, vec![3, 4]), (3, vec![3])] {
        let presub = with(&[RGB, srcp, (alu_rgb_addr::SRCP_OP, op)]);
        assert_eq!(constants(&presub), expected, "SRCP_OP {op}");
        // The alpha unit's srcp, read by the RGB unit; B and C still read rgb0.
        let alpha = with(&[
            red,
            srcp,
            (alu_rgb_inst::RED_SWIZ_A, 3),
            (alu_alpha_addr::SRCP_OP, op),
        ]);
        let expected: Vec<usize> = [vec![3], expected.iter().map(|n| n + 2).collect()].concat();
        assert_eq!(constants(&alpha), expected, "SRCP_OP {op}");
    }
    // DP4 reads the alpha unit's A and B.
    let alpha_a = (alu_alpha_inst::ALPHA_SWIZ_A, 3);
    let alpha_b = [
        (alu_alpha_inst::ALPHA_SEL_B, 1),
        (alu_alpha_inst::ALPHA_SWIZ_B, 3),
    ];
    let alpha_c = [
        (alu_rgba_inst::ALPHA_SEL_C, 2),
        (alu_rgba_inst::ALPHA_SWIZ_C, 3),
    ];
    given.extend([alpha_a, alpha_b[0], alpha_b[1], alpha_c[0], alpha_c[1]]);
    let with = |extra: Given| {
        let all: Vec<(Field, u32)> = given.iter().chain(extra).copied().collect();
        uses(Type::Alu, &all)
    };
    let dp4 = with(&[red, (alu_rgba_inst::RGB_OP, RgbOp::Dp4.code())]);
    assert_eq!((constants(&dp4), dp4.highest_temp), (vec![3, 5, 6], 12));
    let dp3 = with(&[red, (alu_rgba_inst::RGB_OP, RgbOp::Dp3.code())]);
    assert_eq!(constants(&dp3), [3]);
    let mad = with(&[ALPHA]);
    assert_eq!((constants(&mad), mad.highest_temp), (vec![5, 6], 71));
    // MDH reads source 0 whatever A and C select, and B.
    let mdh = with(&[ALPHA, (alu_alpha_inst::ALPHA_OP, AlphaOp::Mdh.code())]);
    assert_eq!((constants(&mdh), mdh.highest_temp), (vec![5, 6], 13));
    assert!(mdh.neighbours && !mad.neighbours);
    let idle = with(&[(alu_alpha_inst::ALPHA_OP, AlphaOp::Mdh.code())]);
    assert!(!idle.neighbours);
}

#[test]
fn uses_of_relative_addresses() {
    let source = uses(Type::Alu, &[RGB, (alu_rgb_addr::ADDR0_REL, 1)]);
    assert_eq!(
        (
            source.relative,
            source.relative_constants,
            source.highest_temp
        ),
        (true, false, 127)
    );
    assert_eq!(source.highest_named_temp, 0);
    let constant = uses(
        Type::Alu,
        &[
            RGB,
            (alu_rgb_addr::ADDR0_REL, 1),
            (alu_rgb_addr::ADDR0_CONST, 1),
        ],
    );
    assert_eq!(constants(&constant).len(), 256);
    assert_eq!((constant.relative, constant.highest_temp), (true, 0));
    let unread = uses(Type::Alu, &[RGB, (alu_rgb_addr::ADDR1_REL, 1)]);
    assert!(!unread.relative);
    let dest = (alu_rgba_inst::RGB_ADDRD_REL, 1);
    assert_eq!(uses(Type::Alu, &[RGB, dest]).highest_temp, 127);
    assert!(!uses(Type::Alu, &[ALPHA, dest]).relative);
}

#[test]
fn uses_of_outputs() {
    let out = |given: Given| uses(Type::Out, given);
    let rgb = (cmn_inst::RGB_OMASK, 2);
    let alpha = (cmn_inst::ALPHA_OMASK, 1);
    let targets = [(alu_rgb_inst::TARGET, 1), (alu_alpha_inst::TARGET, 3)];
    assert_eq!(out(&targets).outputs, 0);
    assert_eq!(out(&[rgb, targets[0], targets[1]]).outputs, 0b0010);
    assert_eq!(out(&[alpha, targets[0], targets[1]]).outputs, 0b1000);
    assert_eq!(out(&[rgb, alpha, targets[0], targets[1]]).outputs, 0b1010);
    // An ALU instruction's target is a comparison.
    assert_eq!(uses(Type::Alu, &[rgb, alpha, targets[0]]).outputs, 0);
    let mut uncached = image(&[words(
        Type::Out,
        &[(cmn_inst::RGB_OMASK, 7), alpha, targets[0], targets[1]],
    )]);
    uncached.umrt = true;
    assert_eq!(Program::new(uncached).expect("valid").uses().outputs, 1);
    let w = (alu_alpha_inst::W_OMASK, 1);
    assert!(out(&[w]).conditional_output && uses(Type::Alu, &[w]).conditional_output);
    assert!(!out(&[rgb, alpha]).conditional_output);
}

#[test]
fn uses_of_tex() {
    let tex = |op, given: Given| {
        let mut all = vec![
            (tex_inst::INST, op),
            (tex_inst::TEX_ID, 9),
            (tex_addr::SRC_ADDR, 20),
            (tex_addr::DST_ADDR, 30),
            (tex_addr_dxdy::DX_ADDR, 40),
            (tex_addr_dxdy::DY_ADDR, 50),
        ];
        all.extend(given);
        let uses = uses(Type::Tex, &all);
        (uses.inputs, uses.highest_temp, uses.kill)
    };
    assert_eq!(tex(0, &[RGB]), (0, 0, false));
    for op in [1, 3, 4, 5] {
        assert_eq!(tex(op, &[RGB]), (1 << 9, 30, false), "{op}");
        assert_eq!(tex(op, &[]), (1 << 9, 20, false), "{op}");
    }
    assert_eq!(tex(6, &[RGB]), (1 << 9, 50, false));
    assert_eq!(tex(2, &[RGB]), (0, 20, true));
    let relative = uses(
        Type::Tex,
        &[(tex_inst::INST, 1), (tex_addr::SRC_ADDR_REL, 1)],
    );
    assert_eq!((relative.relative, relative.highest_temp), (true, 127));
}

#[test]
fn uses_of_fc() {
    let fc = |op: FcOp, func| {
        let uses = uses(
            Type::Fc,
            &[
                (fc_inst::OP, op.code()),
                (fc_inst::JUMP_FUNC, func),
                (fc_addr::BOOL_ADDR, 17),
                (fc_addr::INT_ADDR, 21),
            ],
        );
        (uses.bool_constants, uses.int_constants)
    };
    // Truth tables that do not depend on the boolean, and ones that do.
    for func in [0x00, 0x0f, 0xf0, 0x33, 0xcc, 0xff, 0xc3] {
        assert_eq!(fc(FcOp::Jump, func), (0, 0), "{func:#x}");
    }
    for func in [0x55, 0xaa, 0x01, 0x80, 0x7f] {
        assert_eq!(fc(FcOp::Jump, func), (1 << 17, 0), "{func:#x}");
    }
    for op in [FcOp::Loop, FcOp::Rep, FcOp::EndLoop] {
        assert_eq!(fc(op, 0), (0, 1 << 21), "{op:?}");
    }
    for op in [
        FcOp::EndRep,
        FcOp::BreakLoop,
        FcOp::BreakRep,
        FcOp::Continue,
    ] {
        assert_eq!(fc(op, 0), (0, 0), "{op:?}");
    }
    let mix = uses(Type::Fc, &[]).mix;
    assert_eq!(mix, [0, 1, 1, 0]);
}

/// Random words neither panic nor pass with a reserved code where it matters.
#[test]
fn verifier_and_uses_take_any_words() {
    use proptest::prelude::*;
    use proptest::test_runner::{RngSeed, TestRunner};
    const CASES: u32 = 4096;
    let valid = std::cell::Cell::new(0);
    let mut runner = TestRunner::new(ProptestConfig {
        cases: CASES,
        rng_seed: RngSeed::Fixed(0x7e51),
        failure_persistence: None,
        ..Default::default()
    });
    let input = (
        proptest::collection::vec(any::<[u32; 6]>(), 0..4),
        any::<[u32; 7]>(),
        any::<bool>(),
        any::<bool>(),
    );
    runner
        .run(&input, |(words, registers, random, umrt)| {
            let mut image = image(&words);
            image.umrt = umrt;
            if random {
                let [config, pix, fc, addr, range, offset, w] = registers;
                image.registers = Registers {
                    us_config: config,
                    us_pixsize: pix,
                    us_fc_ctrl: fc,
                    us_code_addr: addr,
                    us_code_range: range,
                    us_code_offset: offset,
                    us_w_fmt: w,
                };
            }
            let uses = Uses::of_image(&image);
            match Program::new(image.clone()) {
                Ok(program) => {
                    valid.set(valid.get() + 1);
                    prop_assert_eq!(program.uses(), &uses);
                    prop_assert_eq!(program.image(), &image);
                    // What is accepted has no reserved code in a unit that matters.
                    for (pc, instruction) in program.instructions().iter().enumerate() {
                        let Some(usage) = Usage::of(instruction) else {
                            continue;
                        };
                        for (field, value) in fields(&image.words[pc]) {
                            let matters = match field.name {
                                "RGB_OP" | "RGB_PRED_SEL" => usage.rgb,
                                "ALPHA_OP" | "ALPHA_PRED_SEL" => usage.alpha,
                                _ => false,
                            };
                            prop_assert!(!matters || field.value(value).is_some());
                        }
                    }
                }
                Err(errors) => prop_assert!(!errors.0.is_empty()),
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    println!("{CASES} random programs, {} of them valid", valid.get());
    assert!(valid.get() > CASES / 16);
}
