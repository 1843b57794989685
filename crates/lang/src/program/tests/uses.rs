//! The uses of programs.

use super::*;

fn uses(class: Type, given: Given) -> Uses {
    program(class, given).unwrap_or_else(|errors| panic!("{errors}")).uses().clone()
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
    // Idle units.
    let idle = with(&[]);
    assert_eq!((constants(&idle), idle.highest_temp), (vec![], 0));
    // All inputs are src0, red: rgb0 only. The destination counts; the other sources do not.
    let plain = with(&[RGB]);
    assert_eq!((constants(&plain), plain.highest_temp), (vec![3], 12));
    // The RGB unit selects a1 in a lane that is not written: no read.
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
        // The RGB unit reads the alpha unit's srcp; B and C still read rgb0.
        let alpha =
            with(&[red, srcp, (alu_rgb_inst::RED_SWIZ_A, 3), (alu_alpha_addr::SRCP_OP, op)]);
        let expected: Vec<usize> = [vec![3], expected.iter().map(|n| n + 2).collect()].concat();
        assert_eq!(constants(&alpha), expected, "SRCP_OP {op}");
    }
    // DP4 reads the alpha unit's A and B.
    let alpha_a = (alu_alpha_inst::ALPHA_SWIZ_A, 3);
    let alpha_b = [(alu_alpha_inst::ALPHA_SEL_B, 1), (alu_alpha_inst::ALPHA_SWIZ_B, 3)];
    let alpha_c = [(alu_rgba_inst::ALPHA_SEL_C, 2), (alu_rgba_inst::ALPHA_SWIZ_C, 3)];
    given.extend([alpha_a, alpha_b[0], alpha_b[1], alpha_c[0], alpha_c[1]]);
    let with = |extra: Given| {
        let all: Vec<(Field, u32)> = given.iter().chain(extra).copied().collect();
        uses(Type::Alu, &all)
    };
    let dp4 = with(&[red, (alu_rgba_inst::RGB_OP, AluOp::Dp4.code(isa::RGB))]);
    assert_eq!((constants(&dp4), dp4.highest_temp), (vec![3, 5, 6], 12));
    let dp3 = with(&[red, (alu_rgba_inst::RGB_OP, AluOp::Dp3.code(isa::RGB))]);
    assert_eq!(constants(&dp3), [3]);
    let mad = with(&[ALPHA]);
    assert_eq!((constants(&mad), mad.highest_temp), (vec![5, 6], 71));
    // MDH reads source 0, whatever A and C select, and B.
    let mdh = with(&[ALPHA, (alu_alpha_inst::ALPHA_OP, AluOp::Mdh.code(isa::ALPHA))]);
    assert_eq!((constants(&mdh), mdh.highest_temp), (vec![5, 6], 13));
    assert!(mdh.neighbours && !mad.neighbours);
    let idle = with(&[(alu_alpha_inst::ALPHA_OP, AluOp::Mdh.code(isa::ALPHA))]);
    assert!(!idle.neighbours);
}

#[test]
fn uses_of_relative_addresses() {
    let source = uses(Type::Alu, &[RGB, (alu_rgb_addr::ADDR0_REL, 1)]);
    assert_eq!(
        (source.relative, source.relative_constants, source.highest_temp),
        (true, false, 127)
    );
    assert_eq!(source.highest_named_temp, 0);
    let constant =
        uses(Type::Alu, &[RGB, (alu_rgb_addr::ADDR0_REL, 1), (alu_rgb_addr::ADDR0_CONST, 1)]);
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
    // In an ALU instruction the target is a comparison.
    assert_eq!(uses(Type::Alu, &[rgb, alpha, targets[0]]).outputs, 0);
    let mut uncached =
        image(&[words(Type::Out, &[(cmn_inst::RGB_OMASK, 7), alpha, targets[0], targets[1]])]);
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
    let relative = uses(Type::Tex, &[(tex_inst::INST, 1), (tex_addr::SRC_ADDR_REL, 1)]);
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
    // Truth tables that do not depend on the boolean, and ones that do. Without a predicate its value
    // is 1: entry 0 does not count.
    for func in [0x00, 0x0f, 0xf0, 0x33, 0xcc, 0xff, 0xc3, 0x01] {
        assert_eq!(fc(FcOp::Jump, func), (0, 0), "{func:#x}");
    }
    for func in [0x55, 0xaa, 0x04, 0x80, 0x7f] {
        assert_eq!(fc(FcOp::Jump, func), (1 << 17, 0), "{func:#x}");
    }
    for op in [FcOp::Loop, FcOp::Rep, FcOp::EndLoop] {
        assert_eq!(fc(op, 0), (0, 1 << 21), "{op:?}");
    }
    for op in [FcOp::EndRep, FcOp::BreakLoop, FcOp::BreakRep, FcOp::Continue] {
        assert_eq!(fc(op, 0), (0, 0), "{op:?}");
    }
    let mix = uses(Type::Fc, &[]).mix;
    assert_eq!(mix, [0, 1, 1, 0]);
}
