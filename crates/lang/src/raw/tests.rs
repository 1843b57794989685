//! Listings, binaries and logs, and every kind of malformed input with its exact message.

use super::*;
use crate::program::{ConstantKind, Image, Literal};
use ctm_base::stop::Stop;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

const FIRST: [u32; 6] =
    [0x0007_8005, 0x0802_0009, 0x0802_0009, 0x00db_0220, 0x00c0_c000, 0x2049_0000];

fn words(result: Result<Image, RawError>) -> Vec<[u32; 6]> {
    result.expect("well formed").words
}

#[test]
fn a_listing_is_read_whatever_its_lines() {
    let text = "# a program\n00078005 0x8020009,\n".replace(',', "")
        + "  08020009\tdb0220 # comment 12\r\n0X00C0C000\n\n20490000#end\n1 2 3 4 5 ffffffff";
    assert_eq!(words(hex(&text)), [FIRST, [1, 2, 3, 4, 5, u32::MAX]]);
    assert_eq!(
        hex(&text).expect("well formed").registers,
        crate::program::Registers::default_for(2)
    );
}

#[test]
fn what_is_written_is_read() {
    let image = Image::from_words(vec![FIRST, [1, 2, 3, 4, 5, u32::MAX]]);
    assert_eq!(
        write_hex(&image),
        "00078005 08020009 08020009 00db0220 00c0c000 20490000\n\
         00000001 00000002 00000003 00000004 00000005 ffffffff\n"
    );
    assert_eq!(hex(&write_hex(&image)), Ok(image.clone()));
    let bytes = write_binary(&image);
    assert_eq!(bytes[..8], [5, 0x80, 7, 0, 9, 0, 2, 8]);
    assert_eq!(binary(&bytes), Ok(image));
}

#[track_caller]
fn check<T: std::fmt::Debug>(result: Result<T, RawError>, message: &str) {
    assert_eq!(result.expect_err("malformed").to_string(), message);
}

#[test]
fn errors_of_listings() {
    check(hex("# nothing\n\n"), "the listing holds no instructions, expected 1 to 512");
    check(
        hex("1 2 3\n 4 5x 6"),
        "line 2, column 4: \"5x\" is not a word, expected 1 to 8 hexadecimal digits, with or without 0x",
    );
    check(
        hex("äöü"),
        "line 1, column 1: \"äöü\" is not a word, expected 1 to 8 hexadecimal digits, with or without 0x",
    );
    check(
        hex("1 ä"),
        "line 1, column 3: \"ä\" is not a word, expected 1 to 8 hexadecimal digits, with or without 0x",
    );
    check(
        hex("123456789"),
        "line 1, column 1: \"123456789\" is not a word, expected 1 to 8 hexadecimal digits, with or without 0x",
    );
    for bad in ["0x", "+1", "-1", "0x+1"] {
        check(
            hex(bad),
            &format!(
                "line 1, column 1: {bad:?} is not a word, expected 1 to 8 hexadecimal digits, with or without 0x"
            ),
        );
    }
    check(
        hex(&"z".repeat(1000)),
        &format!(
            "line 1, column 1: \"{}...\" is not a word, expected 1 to 8 hexadecimal digits, with or without 0x",
            "z".repeat(60)
        ),
    );
    check(
        hex("1 2 3 4 5 6\n 7 8"),
        "line 2, column 2: the last instruction, number 1, has 2 of 6 words",
    );
    check(
        hex(&"1 2 3 4 5 6\n".repeat(513)),
        "line 513, column 1: instruction 512 begins here, expected at most 512 of them",
    );
    assert_eq!(words(hex(&"1 2 3 4 5 6\n".repeat(512))).len(), 512);
}

#[test]
fn errors_of_binaries() {
    check(binary(&[]), "the binary holds no instructions, expected 1 to 512");
    check(
        binary(&[0; 25]),
        "the size of the binary is 25, expected a multiple of 24 bytes, the size of an instruction",
    );
    check(
        binary(&[0; 513 * 24]),
        "the size of the binary is 12312, expected at most 12288 bytes, 512 instructions",
    );
    assert_eq!(words(binary(&[0; 512 * 24])).len(), 512);
}

/// A log as Mesa prints it, with three programs that contain all types of instruction.
const LOG: &str = "\
r300: Initial fragment program
FRAG
IMM[0] FLT32 {    3.0000,     0.0000,     0.0000,     0.0000}
Fragment Program: before compilation
# Radeon Compiler Program
  0: MUL output[0], input[0], const[0].xxxx;
CONST[0] = {     3.0000     0.0000     0.0000     0.0000 }
CONST[1] = {    -7.2500     0.1235     0.0000     0.0000 }
Fragment Program: after 'dataflow swizzles'
# Radeon Compiler Program
CONST[0] = {     3.0000     0.0000     0.0000     0.0000 }
Fragment Program: after 'dead constants'
# Radeon Compiler Program
R500 Fragment Program:
--------
0\t0:CMN_INST   0x00078005:OUT TEX_WAIT    wmask: NONE omask: ARGB
\t1:RGB_ADDR   0x08020009:Addr0: 9t, Addr1: 128t, Addr2: 128t, srcp:0
\t2:ALPHA_ADDR 0x08020009:Addr0: 9t, Addr1: 128t, Addr2: 128t, srcp:0
\t3 RGB_INST:  0x00db0220:rgb_A_src:0 R/G/B 0 rgb_B_src:0 1/1/1 0 targ: 0
\t4 ALPHA_INST:0x00c0c000:MAD dest:0 alp_A_src:0 A 0 alp_B_src:0 1 0 targ 0 w:0
\t5 RGBA_INST: 0x20490000:MAD dest:0 rgb_C_src:0 0/0/0 0 alp_C_src:0 0 0

r300: Initial fragment program
FRAG
Fragment Program: before compilation
CONST[2] = {   1.500000    0.500000    0.000000    0.000000 }
Fragment Program: after 'dataflow swizzles'
Fragment Program: after 'dead constants'
R500 Fragment Program:
--------
0\t0:CMN_INST   0x00007807:TEX TEX_WAIT    wmask: ARGB omask: NONE
\t1:TEX_INST:  0x08430000: id: 3 op:LD, , UNSCALED
\t2:TEX_ADDR:  0xe40af405: src: 5 R/G/A/A dst: 10 R/G/B/A
\t3:TEX_DXDY:  0x00000005

1\t0:CMN_INST   0x00000402:FC    ALU WAIT wmask: NONE omask: NONE
\t2:FC_INST    0x0100ff24:0xff 1 ENDREP NONE DECR NONE 0 0 9
\t3:FC_ADDR    0x00090c00:BOOL: 0x00, INT: 0x0c, JUMP_ADDR: 9, JMP_GLBL: 0

Fragment Program: before compilation
CONST[0] = {CONST[-145].x CONST[2].y CONST[-18].z CONST[13].w  }
CONST[1] = {   0.123457   -2.000000      unused      unused }
Fragment Program: after 'dead constants'
R500 Fragment Program:
--------
0\t0:CMN_INST   0x00000402:FC
GL_RENDERER some card
";

fn literal(addr: u32, value: [f32; 4]) -> Literal {
    Literal { kind: ConstantKind::Float, addr, value: value.map(f32::to_bits) }
}

fn dumps(text: &str) -> Result<Vec<Dump>, RawError> {
    mesa_dumps(text, Stop::never())
}

#[test]
fn a_mesa_log_holds_programs_with_their_constants() {
    let all = dumps(LOG).expect("well formed");
    let [first, second, third] = &all[..] else { panic!("{} programs", all.len()) };
    assert_eq!(first.image.words, [FIRST]);
    // The constants that 'dead constants' left, not those that an earlier pass printed.
    assert_eq!(first.image.literals, [literal(0, [3.0, 0.0, 0.0, 0.0])]);
    assert_eq!((first.line, first.decimals), (14, Some(4)));
    // The pass left nothing.
    assert_eq!((&second.image.literals[..], second.decimals), (&[][..], None));
    assert_eq!(
        second.image.words,
        [[0x7807, 0x0843_0000, 0xe40a_f405, 5, 0, 0], [0x402, 0, 0x0100_ff24, 0x0009_0c00, 0, 0]]
    );
    assert_eq!(third.image.literals, [literal(1, [0.123457, -2.0, 0.0, 0.0])]);
    assert_eq!((&third.external[..], third.decimals), (&[0][..], Some(6)));
    let images: Vec<Image> = all.clone().into_iter().map(|dump| dump.image).collect();
    assert_eq!(images.len(), 3);
    assert_eq!(images[2], third.image);
}

#[test]
fn errors_of_mesa_logs() {
    let with = |from: &str, to: &str| dumps(&LOG.replacen(from, to, 1));
    check(
        dumps("r300: Initial fragment program\n"),
        "found a Mesa log without machine code (cut off?), expected a line \"R500 Fragment Program:\"",
    );
    check(
        dumps("R500 Fragment Program:\n--------\nr300: next\n"),
        "the Mesa listing holds no instructions, expected 1 to 512",
    );
    check(
        with("0\t0:CMN", "1\t0:CMN"),
        "line 16: instruction 1 of the Mesa listing, expected instruction 0",
    );
    check(
        with("\t3 RGB_INST:  0x00db0220", "\t6 RGB_INST:  0x00db0220"),
        "line 19: \"6 RGB_INST:  0x00db0220:rgb_A_src:0 R/G/B 0 rgb_B_src:0 1/1/...\" is not a word of a Mesa listing, expected a word number from 0 to 5, a name and a word of 8 hexadecimal digits after 0x",
    );
    check(
        with("0x00db0220:rgb_A_src:0 R/G/B 0 rgb_B_src:0 1/1/1 0 targ: 0", "0x00db022"),
        "line 19: \"3 RGB_INST:  0x00db022\" is not a word of a Mesa listing, expected a word number from 0 to 5, a name and a word of 8 hexadecimal digits after 0x",
    );
    check(
        with("3.0000     0.0000     0.0000     0.0000 }", "3.0000 }"),
        "line 7: \"CONST[0] = {     3.0000 }\" is not a constant of a Mesa log, expected CONST[n] with n from 0 to 255 and four values in braces",
    );
    check(
        with("CONST[0]", "CONST[256]"),
        "line 7: \"CONST[256] = {     3.0000     0.0000     0.0000     0.0000 }\" is not a constant of a Mesa log, expected CONST[n] with n from 0 to 255 and four values in braces",
    );
    let mut long = String::from("R500 Fragment Program:\n--------\n");
    for n in 0..513 {
        long += &format!("{n}\t0:CMN_INST   0x00000402:FC\n");
    }
    check(
        dumps(&long),
        "line 515: instruction 512 of the Mesa listing, expected at most 512 of them",
    );
}

/// Cases of the random tests below.
const CASES: u32 = 1024;

fn runner() -> TestRunner {
    TestRunner::new(ctm_testing::cases(CASES, 0x4a3))
}

#[test]
fn random_programs_survive() {
    runner()
        .run(&proptest::collection::vec(any::<[u32; 6]>(), 1..=16), |words| {
            let image = Image::from_words(words);
            prop_assert_eq!(hex(&write_hex(&image)), Ok(image.clone()));
            prop_assert_eq!(binary(&write_binary(&image)), Ok(image));
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    println!("{CASES} random programs written and read");
}

#[test]
fn no_text_makes_a_reader_panic() {
    // The log with lines removed, duplicated or inserted.
    let lines = LOG.lines().count();
    let change = (0..lines, any::<prop::sample::Index>(), ".{0,4}", 0..4);
    let log = proptest::collection::vec(change, 0..4).prop_map(|changes| {
        let mut lines: Vec<String> = LOG.lines().map(str::to_owned).collect();
        for (n, index, text, how) in changes {
            let line = &lines[n];
            let mut at = index.index(line.len() + 1);
            while !line.is_char_boundary(at) {
                at -= 1;
            }
            let (head, tail) = line.split_at(at);
            lines[n] = match how {
                0 => head.to_owned(),
                1 => format!("{line}\n{line}"),
                2 => String::new(),
                _ => format!("{head}{text}{tail}"),
            };
        }
        lines.join("\n")
    });
    let text = prop_oneof![
        2 => log,
        1 => proptest::collection::vec("[0-9a-fx#\\s]{1,12}", 0..30).prop_map(|t| t.join(" ")),
        1 => "\\PC{0,200}",
        1 => proptest::collection::vec("(0x)?[0-9a-f]{8}", 0..20).prop_map(|t| t.join("\n")),
    ];
    let good = std::cell::Cell::new([0; 2]);
    runner()
        .run(&text, |text| {
            let [a, b] = good.get();
            let hex = hex(&text).is_ok();
            let mesa = dumps(&text).is_ok();
            let _ = binary(text.as_bytes());
            let _ = crate::load::detect(text.as_bytes());
            good.set([a + u32::from(hex), b + u32::from(mesa)]);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    println!("{CASES} random texts, {:?} of them good listings and logs", good.get());
    let [hex, mesa] = good.get();
    assert!(hex > 10 && mesa > CASES / 10, "{good:?}");
}
