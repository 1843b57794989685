//! `ctm asm` and `ctm disasm` from end to end.

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

struct Ran {
    status: i32,
    out: Vec<u8>,
    err: String,
}

impl Ran {
    fn text(&self) -> &str {
        std::str::from_utf8(&self.out).expect("text")
    }
}

fn ctm(dir: &Path, args: &[&str], input: &str) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ctm"))
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // A command that does not read its input closes the pipe.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("the command ends");
    Ran {
        status: output.status.code().expect("a status"),
        out: output.stdout,
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

const SOURCE: &str = "\
.input a i1
.const k c3
.literal c9 1 -2.5 inf 0x7fc00001
.zero_times
    ld r1, a[r0.rg]
    mad o0, r1, k, 0.3
    end
";

const WORDS: &str = "\
00007807 0a410000 e4015400 00000000 00000000 00000000
00078005 1ff40c01 08040c01 00442220 0068c000 04002000
00000005 00000000 00000000 00000000 00000000 00000000
";

#[test]
fn a_source_becomes_an_executable_a_listing_or_bare_words() {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    fs::write(dir.join("k.dpp"), SOURCE).expect("a file");
    let ran = ctm(dir, &["asm", "k.dpp"], "");
    assert_eq!((ran.status, ran.text(), ran.err.as_str()), (0, "", ""));
    assert!(fs::read(dir.join("k.elf")).expect("k.elf").starts_with(b"\x7fELF"));

    let ran = ctm(dir, &["asm", "k.dpp", "--format", "hex", "-o", "-"], "");
    assert_eq!((ran.status, ran.text()), (0, WORDS));
    let ran = ctm(dir, &["asm", "k.dpp", "-o", "x.bin"], "");
    assert_eq!(ran.status, 0);
    let bytes = fs::read(dir.join("x.bin")).expect("x.bin");
    assert_eq!(bytes.len(), 72);
    assert_eq!(bytes[..4], [0x07, 0x78, 0, 0]);
    let ran = ctm(dir, &["asm", "-", "-o", "-", "--format", "hex"], SOURCE);
    assert_eq!((ran.status, ran.text()), (0, WORDS));

    // The executable keeps what the source says, and disassembly gives it back.
    for style in [&["disasm", "k.elf"][..], &["disasm", "--friendly", "k.elf"]] {
        let text = ctm(dir, style, "");
        assert_eq!(text.status, 0, "{}", text.err);
        fs::write(dir.join("again.dpp"), &text.out).expect("a file");
        let stripped = |source: &str| {
            let ran = ctm(dir, &["asm", source, "--strip", "-o", "stripped.elf"], "");
            assert_eq!(ran.status, 0, "{}", ran.err);
            fs::read(dir.join("stripped.elf")).expect("stripped.elf")
        };
        assert_eq!(stripped("again.dpp"), stripped("k.dpp"));
        // Lines are comments, so they change nothing.
        let lines = ctm(dir, &[style, &["--lines"]].concat(), "");
        assert!(lines.text().contains(" # pc 1, k.dpp:"), "{}", lines.text());
        fs::write(dir.join("lines.dpp"), &lines.out).expect("a file");
        assert_eq!(stripped("lines.dpp"), stripped("k.dpp"));
        // Only the place in the source differs.
        assert_ne!(stripped("k.dpp"), fs::read(dir.join("k.elf")).expect("k.elf"));
    }
}

#[test]
fn a_disassembly_is_readable() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("k.dpp"), SOURCE).expect("a file");
    let ran = ctm(dir.path(), &["disasm", "--friendly", "k.dpp"], "");
    let want = "\
.sync manual
.register US_CONFIG 0x2
.register US_CODE_ADDR 0x20000
.note none
.note inputs 1
.note outputs 0
.note float_constants 3 255
.note int_constants
.note conditional_output 0
.input a i1
.const k c3
.literal c9 1.0 -2.5 inf 0x7fc00001
.literal c255 0.3 0.0 0.0 0.0
ld r1, i1[r0.rggg] @wait @acquire                            # 0
mad o0, r1, c3, c255.r @wait                                 # 1
end                                                          # 2
";
    assert_eq!(ran.text(), want);
    let ran = ctm(dir.path(), &["disasm", "k.dpp"], "");
    let line = "TEX US_CMN_INST(TEX_SEM_WAIT=1 RGB_WMASK=7 ALPHA_WMASK=1) US_TEX_INST(TEX_ID=1 INST=LD TEX_SEM_ACQUIRE=1 UNSCALED=1) US_TEX_ADDR(SRC_T_SWIZ=g SRC_R_SWIZ=g SRC_Q_SWIZ=g DST_ADDR=1 DST_G_SWIZ=g DST_B_SWIZ=b DST_A_SWIZ=a) # 0";
    assert!(ran.text().lines().any(|have| have == line), "{}", ran.text());
}

#[test]
fn json_lists_instructions() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("k.hex"), WORDS).expect("a file");
    let ran = ctm(dir.path(), &["disasm", "k.hex", "--json"], "");
    let list: Value = serde_json::from_slice(&ran.out).expect("JSON");
    let list = list.as_array().expect("a list");
    assert_eq!(list.len(), 3);
    assert_eq!(list[1]["pc"], 1);
    assert_eq!(list[1]["type"], "OUT");
    assert_eq!(list[1]["words"][1], "0x1ff40c01");
    assert_eq!(list[1]["fields"]["US_ALU_RGB_ADDR"]["ADDR2"], 255);
    assert_eq!(list[1]["fields"]["US_ALU_RGBA_INST"]["RGB_OP"], 0);
    assert_eq!(list[1]["text"], "mad o0, r1, c3, c255.r @wait");
}

#[test]
fn errors_and_their_statuses() {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    fs::write(dir.join("bad.dpp"), "mda r1, r2\n").expect("a file");
    let ran = ctm(dir, &["asm", "bad.dpp"], "");
    assert_eq!(ran.status, 2);
    let want = "\
Error: unknown instruction `mda`
   ,-[ bad.dpp:1:1 ]
   |
 1 | mda r1, r2
   | ^|^
   |  `--- no instruction has this name
   |
   | Help: did you mean `mad`?
---'
ctm: bad.dpp: 1 error
";
    assert_eq!(ran.err, want);
    assert!(!dir.join("bad.elf").exists());

    // An operation that does not exist: assembled, but not valid.
    fs::write(
        dir.join("reserved.dpp"),
        "ALU US_CMN_INST(RGB_WMASK=1) US_ALU_RGBA_INST(RGB_OP=0xf)\nend\n",
    )
    .expect("a file");
    let ran = ctm(dir, &["asm", "reserved.dpp"], "");
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("RGB_OP"), "{}", ran.err);
    assert!(ran.err.ends_with("nothing was written; use --unchecked to write it anyway\n"));
    assert!(!dir.join("reserved.elf").exists());
    assert_eq!(ctm(dir, &["asm", "reserved.dpp", "--unchecked"], "").status, 1);
    assert!(dir.join("reserved.elf").exists());

    fs::write(dir.join("bytes.dpp"), b"mov r1\xff").expect("a file");
    for (args, message) in [
        (&["asm", "none.dpp"][..], "ctm: none.dpp: No such file or directory (os error 2)\n"),
        (&["asm", "bytes.dpp"], "ctm: bytes.dpp: byte 6: the source is not UTF-8 text\n"),
        (&["asm", "-"], "ctm: a source from standard input needs an output: add -o FILE or -o -\n"),
        (
            &["asm", "bad.dpp", "-o", "bad.dpp"],
            "ctm: -o bad.dpp: it would replace bad.dpp, which is read\n",
        ),
        (&["disasm", "none.elf"], "ctm: none.elf: No such file or directory (os error 2)\n"),
    ] {
        let ran = ctm(dir, args, "");
        assert_eq!((ran.status, ran.err.as_str()), (2, message), "{args:?}");
    }
}
