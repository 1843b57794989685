//! Errors, and the same values where they have no effect.

use super::*;

/// A single error, word for word.
#[track_caller]
fn refused(class: Type, given: Given, message: &str) {
    let errors = program(class, given).expect_err("not valid");
    assert_eq!(errors.errors.len(), 1, "{errors}");
    assert_eq!(errors.to_string(), message);
}

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
    // Each way to use the alpha unit's result.
    refused(Type::Alu, &[ALPHA, alpha_op], message);
    refused(Type::Out, &[(cmn_inst::ALPHA_OMASK, 1), alpha_op], message);
    refused(Type::Alu, &[(cmn_inst::ALPHA_OMASK, 1), alpha_op], message);
    refused(Type::Alu, &[(alu_alpha_inst::W_OMASK, 1), alpha_op], message);
    refused(
        Type::Alu,
        &[(alu_rgb_inst::ALU_WMASK, 1), (cmn_inst::ALU_RESULT_SEL, 1), alpha_op],
        message,
    );
    refused(
        Type::Alu,
        &[RGB, (alu_rgba_inst::RGB_OP, AluOp::Sop.code(isa::RGB)), alpha_op],
        message,
    );
    // The RGB unit's result, through DP and through the ALU result.
    let message = "pc 0: US_ALU_RGBA_INST.RGB_OP is 6, which is reserved; allowed: 0 MAD, 1 DP3, 2 DP4, 3 D2A, 4 MIN, 5 MAX, 7 CND, 8 CMP, 9 FRC, 10 SOP, 11 MDH, 12 MDV";
    let rgb_op = (alu_rgba_inst::RGB_OP, 6);
    refused(
        Type::Alu,
        &[ALPHA, (alu_alpha_inst::ALPHA_OP, AluOp::Dp.code(isa::ALPHA)), rgb_op],
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
    let inline = [(alu_alpha_addr::ADDR2, 0x80), (alu_alpha_addr::ADDR2_REL, 1)];
    let message = "pc 0: US_ALU_ALPHA_ADDR.ADDR2_REL is 1 with ADDR2 128, an inline constant; aL can only be added to temporaries and constants";
    refused(Type::Alu, &[ALPHA, inline[0], inline[1]], message);
    // The RGB unit can read the alpha unit's source.
    let a2 = [(alu_rgb_inst::RGB_SEL_A, 2), (alu_rgb_inst::BLUE_SWIZ_A, 3)];
    refused(Type::Alu, &[RGB, a2[0], a2[1], inline[0], inline[1]], message);
    warned(
        Type::Alu,
        &[RGB, inline[0], inline[1]],
        &[
            "pc 0: US_ALU_ALPHA_ADDR.ADDR2_REL is 1 with ADDR2 128, an inline constant, in a unit whose result is not used",
        ],
    );
    // A constant register with the same number may be relative.
    warned(Type::Alu, &[ALPHA, inline[0], inline[1], (alu_alpha_addr::ADDR2_CONST, 1)], &[]);
}

#[test]
fn copies_need_something_to_copy() {
    let sop = (alu_rgba_inst::RGB_OP, AluOp::Sop.code(isa::RGB));
    let dp = (alu_alpha_inst::ALPHA_OP, AluOp::Dp.code(isa::ALPHA));
    refused(
        Type::Alu,
        &[RGB, sop],
        "pc 0: US_ALU_RGBA_INST.RGB_OP is 10 (SOP), which needs EX2, LN2, RCP, RSQ, SIN or COS in ALPHA_OP, not MAD",
    );
    refused(
        Type::Alu,
        &[ALPHA, dp, (alu_rgba_inst::RGB_OP, AluOp::Max.code(isa::RGB))],
        "pc 0: US_ALU_ALPHA_INST.ALPHA_OP is 1 (DP), which needs DP3, DP4 or D2A in RGB_OP, not MAX",
    );
    let errors = program(Type::Alu, &[RGB, sop, dp]).expect_err("not valid");
    assert_eq!(errors.errors.len(), 2, "{errors}");
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
        (alu_alpha_inst::ALPHA_SWIZ_A, "US_ALU_ALPHA_INST.ALPHA_SWIZ_A"),
        (alu_alpha_inst::ALPHA_SWIZ_B, "US_ALU_ALPHA_INST.ALPHA_SWIZ_B"),
        (alu_rgba_inst::ALPHA_SWIZ_C, "US_ALU_RGBA_INST.ALPHA_SWIZ_C"),
    ] {
        refused_field(&[ALPHA, (field, 7)], full);
        fine(&[RGB, (field, 7)]);
    }
    // Dot products read lanes that the mask does not name, and not input C.
    let op = |op: AluOp| (alu_rgba_inst::RGB_OP, op.code(isa::RGB));
    let blue_a = (alu_rgb_inst::BLUE_SWIZ_A, 7);
    let blue_c = (alu_rgba_inst::BLUE_SWIZ_C, 7);
    refused_field(&[red, op(AluOp::Dp3), blue_a], "US_ALU_RGB_INST.BLUE_SWIZ_A");
    fine(&[red, op(AluOp::Dp3), blue_c]);
    fine(&[RGB, op(AluOp::D2a), blue_a]);
    refused_field(&[red, op(AluOp::D2a), blue_c], "US_ALU_RGBA_INST.BLUE_SWIZ_C");
    refused_field(
        &[red, op(AluOp::Dp4), (alu_alpha_inst::ALPHA_SWIZ_B, 7)],
        "US_ALU_ALPHA_INST.ALPHA_SWIZ_B",
    );
    // MDH takes A and C from address 0 itself.
    fine(&[RGB, op(AluOp::Mdh), blue_a, blue_c]);
    refused_field(
        &[RGB, op(AluOp::Mdh), (alu_rgb_inst::BLUE_SWIZ_B, 7)],
        "US_ALU_RGB_INST.BLUE_SWIZ_B",
    );
    // Nothing but A for FRC, nothing at all for SOP.
    fine(&[RGB, op(AluOp::Frc), blue_c, (alu_rgb_inst::BLUE_SWIZ_B, 7)]);
    fine(&[RGB, op(AluOp::Sop), blue_a, (alu_alpha_inst::ALPHA_OP, 10)]);
}

#[test]
fn uncached_writes_are_of_all_channels_or_none() {
    let verify = |class, rgb, alpha| {
        let mut image =
            image(&[words(class, &[(cmn_inst::RGB_OMASK, rgb), (cmn_inst::ALPHA_OMASK, alpha)])]);
        image.umrt = true;
        Program::new(image)
    };
    for (rgb, alpha) in [(7, 0), (0, 1), (3, 1), (1, 0)] {
        assert_eq!(
            verify(Type::Out, rgb, alpha).expect_err("not valid").to_string(),
            format!(
                "pc 0: RGB_OMASK and ALPHA_OMASK of US_CMN_INST are {rgb} and {alpha} in an uncached-write program; allowed: 7 and 1 (all channels), 0 and 0 (none)"
            )
        );
        // In an ALU instruction this mask selects predicates.
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
        Err("US_CODE_ADDR is 0x00010002: END_ADDR 1 is before START_ADDR 2, expected at least 2"
            .into())
    );
    assert_eq!(
        verify(0x0004_0000, 0),
        Err("US_CODE_ADDR is 0x00040000: END_ADDR 4 with OFFSET_ADDR 0 is slot 4, expected at most 3, the last instruction".into())
    );
    assert_eq!(
        verify(0x0002_0002, 2),
        Err("the program is not valid:\n  US_CODE_ADDR is 0x00020002: START_ADDR 2 with OFFSET_ADDR 2 is slot 4, expected at most 3, the last instruction\n  US_CODE_ADDR is 0x00020002: END_ADDR 2 with OFFSET_ADDR 2 is slot 4, expected at most 3, the last instruction".into())
    );
    // Slots have nine bits, but an end past slot 511 does not wrap to 0.
    assert!(verify(0x01ff_0000, 1).is_err());
}

#[test]
fn programs_have_1_to_512_instructions() {
    let of = |n| {
        Program::new(Image::from_words(vec![[1 | 4, 0, 0, 0, 0, 0]; n]))
            .map(|program| program.instructions().len())
            .map_err(|errors| errors.to_string())
    };
    assert_eq!(of(0), Err("the program has no instructions, expected 1 to 512".into()));
    assert_eq!(of(1), Ok(1));
    assert_eq!(of(512), Ok(512));
    assert_eq!(of(513), Err("the program has 513 instructions, expected at most 512".into()));
}

#[test]
fn numbers_of_constants_and_slots_exist() {
    let refused = |change: &dyn Fn(&mut Image), message: &str| {
        let mut image = image(&[]);
        change(&mut image);
        assert_eq!(Program::new(image).expect_err("not valid").to_string(), message);
    };
    let user = |kind, addr| UserConstant { name: "gain".into(), kind, addr };
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
            image.literals = vec![Literal { kind: ConstantKind::Int, addr: 99, value: [0; 4] }]
        },
        "a literal is int constant 99, expected 0 to 31",
    );
    let slot = |slot| NamedSlot { name: "field".into(), slot };
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
    assert_eq!(errors.errors.len(), 65);
    assert_eq!(errors.errors[64].pc, None);
    assert_eq!(errors.errors[64].to_string(), "and 36 more errors");
    let text = errors.to_string();
    assert!(text.starts_with("the program is not valid:\n  pc 0: "), "{text}");
    assert_eq!(text.lines().count(), 66);
}
