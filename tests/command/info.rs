//! `ctm info` as a user sees it.

use ctm::elf;
use ctm::isa::table::{alu_alpha_inst, alu_rgb_addr, alu_rgba_inst, cmn_inst, tex_inst};
use ctm::isa::{Field, FieldValue, Type};
use ctm::program::{ConstantKind, Image, Literal, NamedSlot, UserConstant};
use std::process::{Command, Output};

fn words(class: Type, given: &[(Field, u32)]) -> [u32; 6] {
    let mut words = [0; 6];
    for &(field, value) in [(cmn_inst::TYPE, class.code())].iter().chain(given) {
        let word = &mut words[field.word.index()];
        *word = field.set(*word, value);
    }
    words
}

/// Fetches input 2, takes a reciprocal, multiplies with constants, writes output 0.
fn image() -> Image {
    let rgb = (cmn_inst::RGB_WMASK, 7);
    let mut image = Image::from_words(vec![
        words(Type::Tex, &[rgb, (tex_inst::INST, 1), (tex_inst::TEX_ID, 2)]),
        words(
            Type::Alu,
            &[
                rgb,
                (alu_rgba_inst::RGB_OP, 10),
                (alu_rgba_inst::RGB_ADDRD, 3),
                (alu_alpha_inst::ALPHA_OP, 10),
            ],
        ),
        words(
            Type::Out,
            &[
                (cmn_inst::TEX_SEM_WAIT, 1),
                (cmn_inst::RGB_OMASK, 7),
                (alu_rgb_addr::ADDR0, 4),
                (alu_rgb_addr::ADDR0_CONST, 1),
            ],
        ),
    ]);
    image.inputs = Some(vec![2]);
    image.conditional_output = Some(false);
    image.user_constants =
        vec![UserConstant { name: "gain".into(), kind: ConstantKind::Float, addr: 4 }];
    image.literals = vec![
        Literal {
            kind: ConstantKind::Float,
            addr: 5,
            value: [0x3f00_0000, 0xbf80_0000, 0x7fc0_0001, 0],
        },
        Literal { kind: ConstantKind::Int, addr: 1, value: [10, 2, u32::MAX, 0] },
    ];
    image.input_names = vec![NamedSlot { name: "field".into(), slot: 2 }];
    image
}

/// Runs `ctm info` on a file with these bytes, in its folder.
fn info(bytes: &[u8], args: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("program"), bytes).expect("a file");
    Command::new(env!("CARGO_BIN_EXE_ctm"))
        .current_dir(folder.path())
        .args(["info", "program"])
        .args(args)
        .output()
        .expect("ctm runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

#[test]
fn an_executable_is_described() {
    let output = info(&elf::write(&image()), &[]);
    assert_eq!(
        stdout(&output),
        "\
file          program
kind          elf: executable (ELF)
instructions  3: 1 ALU, 1 OUT, 1 TEX, 0 FC; runs from slot 0 to slot 2
  RGB         1 MAD, 1 SOP
  alpha       1 RCP
  TEX         1 LD
inputs        2 field
outputs       0
float consts  4
  named       gain is float constant 4
  literal     float constant 5 = (0.5, -1, 0x7fc00001, 0)
  literal     int constant 1 = count 10, aL from 2, step -1
temporaries   0 to 3
register      US_CODE_ADDR   0x00020000  from 0 to 2, before the offset is added
register      US_CODE_OFFSET 0x00000000  offset 0
register      US_CODE_RANGE  0x00020000  slots 0 to 2
register      US_CONFIG      0x00000000  0 times infinity is NaN
register      US_FC_CTRL     0x80000000  full flow control
register      US_PIXSIZE     0x0000007f  temporaries 0 to 127
register      US_W_FMT       0x00000000  no effect
note          inputs: 2
note          conditional output: no
"
    );
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn json_says_the_same() {
    let output = info(&elf::write(&image()), &["--json"]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(json["kind"], "elf");
    assert_eq!(json["container"], true);
    assert_eq!(json["instructions"]["tex"], 1);
    assert_eq!(json["operations"]["alpha"]["RCP"], 1);
    assert_eq!(json["registers"]["US_FC_CTRL"]["value"], 0x8000_0000u32);
    assert_eq!(json["literals"][0]["words"][2], "0x7fc00001");
    assert_eq!(json["notes"]["inputs"][0], 2);
    assert_eq!(json["notes"]["outputs"], serde_json::Value::Null);
    assert_eq!(json["errors"], serde_json::json!([]));
}

#[test]
fn an_invalid_program_is_described_with_its_errors() {
    let text = "00003800 0 0 0 0 00000006 # reserved opcode\n";
    let output = info(text.as_bytes(), &[]);
    let text = stdout(&output);
    assert!(
        text.contains("\nerror         pc 0: US_ALU_RGBA_INST.RGB_OP is 6, which is reserved;"),
        "{text}"
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn bad_files_and_usage_end_with_status_2() {
    let stderr = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let output = info(b"00003800 x", &[]);
    assert_eq!(
        stderr(&output),
        "ctm: program: line 1, column 10: \"x\" is not a word, expected 1 to 8 hexadecimal digits, with or without 0x\n"
    );
    assert_eq!(output.status.code(), Some(2));
    let output = info(&elf::write(&image()), &["--index", "1"]);
    assert_eq!(
        stderr(&output),
        "ctm: program: index 1 is out of range: the file holds 1 program, expected an index from 0 to 0\n"
    );
    let output = info(b"\x7fELF\x02 and so on", &["--kind", "elf"]);
    assert_eq!(
        stderr(&output),
        "ctm: program: not a valid executable: truncated: the ELF header at offset 0x0 needs 52 bytes, the file has 15\n"
    );
    let output = info(b"", &["--kind", "exe"]);
    assert!(
        stderr(&output).contains("[possible values: asm, elf, hex, bin, mesa, ps]"),
        "{}",
        stderr(&output)
    );
    assert_eq!(output.status.code(), Some(2));
}

/// A log of three programs: one instruction each, of which the first fetches.
fn log() -> String {
    ["00000003 1:x 0x00400000", "00078005 1:x 0x00000000", "00000402 1:x 0x00000000"]
        .map(|words| {
            let (first, second) = words.split_once(' ').expect("two words");
            format!("R500 Fragment Program:\n--------\n0\t0:CMN_INST   0x{first}:\n\t{second}\n\n")
        })
        .concat()
}

#[test]
fn a_log_with_several_programs_is_listed() {
    let output = info(log().as_bytes(), &[]);
    assert_eq!(
        stdout(&output),
        "\
file          program
kind          mesa: Mesa log, registers by default
programs      3; --index N describes one
  0           instructions 1: 0 ALU, 0 OUT, 1 TEX, 0 FC; inputs 0; outputs none
  1           instructions 1: 0 ALU, 1 OUT, 0 TEX, 0 FC; inputs none; outputs 0
  2           instructions 1: 0 ALU, 0 OUT, 0 TEX, 1 FC; inputs none; outputs none
"
    );
    assert_eq!(output.status.code(), Some(0));
    let json = info(log().as_bytes(), &["--json"]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&json)).expect("JSON");
    for n in 0..3 {
        assert_eq!(json[n]["index"], n);
        assert_eq!(json[n]["programs"], 3);
    }
    // One of them is described as a file with one program is.
    let output = info(log().as_bytes(), &["--index", "1"]);
    assert!(stdout(&output).contains("\nprogram       1 of 3, counted from 0\n"));
    let json = info(log().as_bytes(), &["--index", "1", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&json)).expect("JSON");
    assert_eq!((&json["index"], &json["programs"]), (&1.into(), &3.into()));
}

#[test]
fn an_invalid_program_in_a_log_is_marked_and_gives_status_1() {
    let log = log() + "R500 Fragment Program:\n0\t0:CMN_INST 0x00003800:\n\t5:x 0x00000006\n";
    let output = info(log.as_bytes(), &[]);
    let last = "  3           instructions 1: 1 ALU, 0 OUT, 0 TEX, 0 FC; inputs none; outputs none; not valid\n";
    assert!(stdout(&output).ends_with(last), "{}", stdout(&output));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn commands_that_take_one_program_of_several_say_which() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("fp.log"), log()).expect("a file");
    for (args, note) in [
        (&["disasm", "fp.log"][..], "this is program 2 of 3, counted from 0"),
        (&["disasm", "fp.log", "--index", "0"], "this is program 0 of 3, counted from 0"),
        (&["translate", "fp.log", "--index", "1"], "this is program 1 of 3, counted from 0"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_ctm"))
            .current_dir(folder.path())
            .args(args)
            .output()
            .expect("ctm runs");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(err, format!("fp.log: note: {note}\n"), "{args:?}");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
    }
}
