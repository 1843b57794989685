//! The messages of the ps_3_0 compiler, word for word; texts of any kind.
//!
//! In the table of messages (see `error_table.rs`) a source gets `ps_3_0` put before it,
//! unless it begins with `!`.

use crate::error_table::{check, describe};
use ctm_lang::ps::compile;

fn source(text: &str) -> String {
    match text.strip_prefix('!') {
        Some(text) => text.to_string(),
        None => format!("ps_3_0\n{text}"),
    }
}

#[test]
fn every_error_says_what_and_where() {
    check("tests/ps_errors.txt", |text| compile(&source(text), "test.ps"));
}

/// So many lines.
fn repeated(line: &str, count: usize) -> String {
    format!("ps_3_0\n{}", format!("{line}\n").repeat(count))
}

fn messages(source: &str) -> String {
    match compile(source, "test.ps") {
        Ok(image) => format!("{} instructions", image.words.len()),
        Err(errors) => describe(&errors),
    }
}

#[test]
fn programs_fill_all_slots_and_no_more() {
    // 511 moves of both units and the end.
    assert_eq!(messages(&repeated("mov r0, r1", 511)), "512 instructions");
    let too_long = "the program needs more than 512 instructions | there is no slot for this one";
    assert_eq!(messages(&repeated("mov r0, r1", 513)), format!("    514:1: {too_long}\n"));
    // Found long before the end of a source that is far too long.
    assert_eq!(messages(&repeated("mov r0, r1", 9000)), format!("    1090:1: {too_long}\n"));
    // Pairs take one slot.
    assert_eq!(messages(&repeated("mov r0.xyz, r1\nmov r2.w, r3", 511)), "512 instructions");
}

#[test]
fn sources_have_a_limit() {
    let source = format!("ps_3_0\n//{}", " ".repeat(1 << 20));
    assert_eq!(
        messages(&source),
        "    1:1: the source has 1048585 bytes; at most 1048576 are possible\n"
    );
}

#[test]
fn constants_of_the_compilers_own_need_room() {
    let used: String = (0..256).map(|n| format!("mov r0, c{n}\n")).collect();
    let source = format!("ps_3_0\n{used}nrm r1, r0");
    assert_eq!(
        messages(&source),
        "    258:1: all 256 float constants are taken; there is none for a number that this instruction needs\n"
    );
}

#[test]
fn calls_have_a_depth() {
    let chain = |count: usize| {
        let subs: String = (0..count)
            .map(|n| {
                if n + 1 < count {
                    format!("label l{n}\ncall l{}\nret\n", n + 1)
                } else {
                    format!("label l{n}\nret\n")
                }
            })
            .collect();
        format!("ps_3_0\ncall l0\nret\n{subs}")
    };
    assert_eq!(messages(&chain(32)), "65 instructions");
    assert_eq!(messages(&chain(33)), "    98:6: calls nest deeper than 32\n");
}

#[test]
fn an_error_shows_its_line_with_a_caret() {
    let errors = compile("ps_3_0\nmul r0, r1, -o0\n", "kernel.ps").expect_err("an error");
    assert_eq!(
        errors.to_string(),
        "Error: there is no register `o0`
   ,-[ kernel.ps:2:14 ]
   |
 2 | mul r0, r1, -o0
   |              ^|
   |               `-- here
---'"
    );
}

#[test]
fn no_text_makes_the_compiler_panic() {
    use proptest::prelude::*;
    use proptest::test_runner::{RngSeed, TestRunner};
    const CASES: u32 = 6000;
    const WORDS: &[&str] = &[
        "mov",
        "add",
        "mad_sat",
        "m4x4",
        "m3x2",
        "nrm",
        "pow",
        "sincos",
        "texld",
        "texldd",
        "texkill",
        "setp_gt",
        "if",
        "if_lt",
        "ifc_eq",
        "else",
        "endif",
        "rep",
        "endrep",
        "loop",
        "endloop",
        "break",
        "break_ne",
        "breakp",
        "call",
        "callnz",
        "label",
        "ret",
        "end",
        "def",
        "defi",
        "defb",
        "dcl",
        "dcl_2d",
        "dcl_texcoord0",
        "r0",
        "r1.xyz",
        "-r2_abs.w",
        "r31",
        "v0",
        "v[aL+1]",
        "c5[aL]",
        "c255",
        "c256",
        "i0",
        "b0",
        "!b1",
        "p0",
        "!p0.x",
        "(p0.y)",
        "(",
        ")",
        "[",
        "]",
        ",",
        ",",
        ",",
        ",",
        "s0",
        "s0.wzyx",
        "l0",
        "l1",
        "oC0",
        "oC1.xz",
        "oDepth",
        "vPos",
        "vPos.xy",
        "vFace",
        "aL",
        "1",
        "0.5",
        "-1e38",
        "1.#INF",
        "4294967296",
        "true",
        "+",
        "-",
        "!",
        ".",
        "\n",
        "\n",
        "//",
        ";",
        "/*",
        "*/",
        "#line",
        "é",
        "\u{0}",
        "r4294967296",
        "c[4294967295+1]",
        "_abs",
        "mov_sat_pp_sat",
    ];
    let word = proptest::sample::select(WORDS);
    let soup = proptest::collection::vec(word, 0..60).prop_map(|words| words.join(" "));
    // Instructions that look right more often than not.
    const SHAPES: &[&str] = &[
        "add @, @, @",
        "mov @, @",
        "texld @, @, @",
        "m4x3 @, @, @",
        "if_ge @, @",
        "endif",
        "else",
        "rep @",
        "endrep",
        "loop aL, @",
        "endloop",
        "setp_le @, @, @",
        "(@) mov @, @",
        "call @",
        "ret",
        "label @",
        "def @, 1, 0.5, -2, 0.3",
        "defi @, 3, 0, 1, 0",
        "dcl_2d @",
        "dcl_color @",
        "callnz @, @",
        "break",
        "breakp @",
        "sincos @, @",
        "dsx @, @",
        "texkill @",
        "if @",
    ];
    const OPERANDS: &[&str] = &[
        "r0", "r1", "r2.x", "r3.yx", "c0", "c1.w", "-c2_abs", "v0", "s0", "s1", "i0", "b0", "p0",
        "p0.x", "!p0.z", "l0", "l1", "oC0", "oDepth", "v[aL]", "c[aL+3]", "vPos",
    ];
    let operand = proptest::sample::select(OPERANDS);
    let line = (proptest::sample::select(SHAPES), proptest::collection::vec(operand, 5)).prop_map(
        |(shape, operands)| {
            let mut operands = operands.into_iter();
            shape
                .split('@')
                .map(str::to_string)
                .reduce(|text, rest| format!("{text}{}{rest}", operands.next().unwrap_or("r0")))
                .unwrap_or_default()
        },
    );
    let lines = proptest::collection::vec(line, 0..12)
        .prop_map(|lines| format!("dcl vPos\ndcl_2d s0\ndcl_color v0\n{}", lines.join("\n")));
    let text = prop_oneof![
        2 => soup.clone().prop_map(|text| format!("ps_3_0 {text}")),
        1 => soup,
        3 => lines.prop_map(|text| format!("ps_3_0\n{text}")),
        1 => "[ -~\n]{0,200}".prop_map(|text| format!("ps_3_0 {text}")),
        1 => any::<String>(),
    ];
    println!("seed 0x7073");
    let mut runner = TestRunner::new(ProptestConfig {
        cases: CASES,
        rng_seed: RngSeed::Fixed(0x7073),
        failure_persistence: None,
        ..Default::default()
    });
    let good = std::cell::Cell::new(0);
    runner
        .run(&text, |text| {
            match compile(&text, "test.ps") {
                Ok(image) => {
                    good.set(good.get() + 1);
                    prop_assert!(ctm_lang::program::Program::new(image).is_ok());
                }
                Err(errors) => {
                    prop_assert!(!errors.errors().is_empty());
                    let shown = errors.to_string();
                    prop_assert!(!shown.contains("the compiler made"), "{}\n{}", shown, text);
                }
            }
            let _ = ctm_lang::load::detect(text.as_bytes());
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    println!("{CASES} texts, {} of them good", good.get());
    assert!(good.get() > CASES / 100, "{} good ones", good.get());
}

#[test]
fn names_come_from_the_compilers_heading() {
    let source = "// Parameters:
//   float4 scale;
// Registers:
//
//   Name         Reg   Size
//   ------------ ----- ----
//   scale        c3       1
//   count        i0       1
//   flag         b2       1
//   image        s1       1
//
ps_3_0
dcl_2d s1
mov oC0, c3
// approximately 1 instruction slot used
";
    let image = compile(source, "").expect("a program");
    let names: Vec<(&str, u32)> = image
        .user_constants
        .iter()
        .map(|constant| (constant.name.as_str(), constant.addr))
        .collect();
    assert_eq!(names, [("scale", 3), ("count", 0), ("flag", 2)]);
    assert_eq!(image.input_names[0].name, "image");
    assert_eq!(image.input_names[0].slot, 1);
    let again = ctm_lang::elf::read(&ctm_lang::elf::write(&image)).expect("an ELF file");
    assert_eq!(again, image);
}

#[test]
fn definitions_are_literals() {
    let source = "ps_3_0
def c0, 1, 0.3, -2, 1.#INF
defi i3, 5, 2, -1, 0
defb b1, true
if b1
rep i3
mov r0, c0
endrep
endif
mov oC0, r0
";
    let image = compile(source, "").expect("a program");
    use ctm_lang::program::ConstantKind::{Bool, Float, Int};
    let literals: Vec<_> =
        image.literals.iter().map(|literal| (literal.kind, literal.addr, literal.value)).collect();
    assert_eq!(
        literals,
        [
            (Float, 0, [0x3f80_0000, 0x3e99_999a, 0xc000_0000, 0x7f80_0000]),
            (Int, 3, [5, 2, (-1i32) as u32, 0]),
            (Bool, 1, [1, 0, 0, 0]),
        ]
    );
    // The branch is decided: b1 needs no value.
    let program = ctm_lang::program::Program::new(image).expect("valid");
    assert_eq!(program.uses().bool_constants, 0);
    assert!(program.warnings().is_empty(), "{:?}", program.warnings());
}
