//! Warnings of valid programs.

use super::*;

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
    let mut fc = words(Type::Fc, &[(fc_inst::RESERVED_3_3, 1), (fc_addr::RESERVED_30_25, 1)]);
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
    // Compilers leave this on idle units.
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
            image.words[0] = words(Type::Tex, &[RGB, (tex_inst::INST, 1), (tex_inst::TEX_ID, 5)]);
            image.words[1] =
                words(Type::Alu, &[RGB, (alu_rgb_addr::ADDR0, 7), (alu_rgb_addr::ADDR0_CONST, 1)]);
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

#[test]
fn long_lists_of_warnings_are_cut() {
    let odd = words(Type::Tex, &[(tex_inst::RESERVED_15_0, 5)]);
    let program = Program::new(image(&[odd; 100])).expect("valid");
    assert_eq!(program.warnings().len(), 65);
    assert_eq!(program.warnings()[64].to_string(), "and 36 more warnings");
}
