//! Registers that groups share, at the command.

use crate::cli::{self, ctm};
use std::fs;
use std::path::Path;

/// Adds 1 to g0.r in each lane, and shows it.
const COUNT: &str = ".sharing global=2 clause=1\nadd g0.r, g0.r, 1\nmov o0.r, g0.r\n";
/// A program without shared registers.
const PLAIN: &str = "mov o0.r, 7\n";

/// A folder with both programs.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, text) in [("count.dpp", COUNT), ("plain.dpp", PLAIN)] {
        fs::write(dir.path().join(name), text).expect("written");
    }
    dir
}

/// A job of one pass over 16 x 8 points: two groups.
fn short(program: &str) -> String {
    format!(
        "version = 1\nprogram = {{ file = \"{program}.dpp\" }}\n\
         domain = {{ i0 = 0, j0 = 0, i1 = 15, j1 = 7 }}\n\
         output = [{{ slot = 0, format = \"FLOAT32_1\" }}]\n"
    )
}

#[test]
fn the_command_counts_shared_registers_and_traces_them() {
    let dir = folder();
    let file = dir.path().join("job.toml");
    fs::write(&file, short("count")).expect("written");
    let ran = ctm(dir.path(), &["run", "job.toml", "--engine", "block", "--stats", "--no-save"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let line = "shared registers: 256 operands read, 128 operands written; 1 conflict\n";
    assert!(ran.out.contains(line), "{}", ran.out);
    let json = ctm(dir.path(), &["run", "job.toml", "--stats", "--json", "--no-save"]);
    let value: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    let keys = ["shared_reads", "shared_writes", "shared_conflicts"];
    assert_eq!(keys.map(|key| value[key].as_u64()), [Some(256), Some(128), Some(1)]);
    let traced = ctm(dir.path(), &["run", "job.toml", "--trace", "9,0", "--no-save"]);
    // The even group has added before.
    for line in
        ["  0  add g0.r, g0.r, 1", "       A.r = 1 (3f800000)", "       g0.r = 2 (40000000)"]
    {
        assert!(traced.out.contains(line), "{line}\n{}", traced.out);
    }
    // A program without the flag has none of it.
    fs::write(&file, short("plain")).expect("written");
    let ran = ctm(dir.path(), &["run", "job.toml", "--engine", "block", "--stats", "--no-save"]);
    assert!(!ran.out.contains("shared"), "{}", ran.out);
    let json = ctm(dir.path(), &["run", "job.toml", "--stats", "--json", "--no-save"]);
    assert!(!json.out.contains("shared"), "{}", json.out);
}

#[test]
fn words_are_shown_as_those_of_a_program_with_data_sharing_on_demand() {
    let dir = folder();
    let image = ctm::asm::assemble(COUNT, "count").expect("a program");
    fs::write(dir.path().join("count.hex"), ctm::raw::write_hex(&image)).expect("written");
    let plain = ctm(dir.path(), &["disasm", "count.hex", "--friendly"]).out;
    assert!(!plain.contains("g0") && plain.contains("@stat"), "{plain}");
    let args = ["disasm", "count.hex", "--friendly", "--sharing", "0x10000002"];
    let shared = ctm(dir.path(), &args).out;
    assert!(shared.contains(".sharing global=2 clause=1"), "{shared}");
    assert!(shared.contains("add g0.r, g0.r, 1"), "{shared}");
    let wrong = ctm(dir.path(), &["disasm", "count.hex", "--sharing", "four"]);
    assert_eq!(wrong.status, 2);
    assert!(wrong.err.contains("it is a word, such as 4 or 0x20000004"), "{}", wrong.err);
    let info = ctm(dir.path(), &["info", "count.dpp"]).out;
    let line = "SQ_GPR_RESOURCE 0x10000002  2 global registers, 1 clause temporaries";
    assert!(
        info.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .contains(&line.split_whitespace().collect::<Vec<_>>().join(" ")),
        "{info}"
    );
}

#[test]
fn the_debugger_steps_the_pair() {
    let dir = folder();
    fs::write(dir.path().join("job.toml"), short("count")).expect("written");
    // The point (9, 0) is one of the odd group: the even one has made its first step.
    let script = "print g0.r\npoint 9,0\nprint g0.r\nstep\nprint g0.r\nstep\nstep\nprint g0.r\n";
    let ran = cli::ctm_with(dir.path(), &["debug", "job.toml", "--batch"], script);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let printed: Vec<&str> = ran.out.lines().filter(|line| line.starts_with("g0")).collect();
    let values = ["0 (00000000)", "1 (3f800000)", "2 (40000000)", "2 (40000000)"];
    assert_eq!(printed, values.map(|value| format!("g0.r = {value}")));
    let script = "print g2.r\n";
    let ran = cli::ctm_with(dir.path(), &["debug", "job.toml", "--batch"], script);
    assert!(ran.err.contains("`g2`: the program has 2 global registers"), "{}", ran.err);
    let script = "stop finding read-race\ncontinue\n";
    let ran = cli::ctm_with(dir.path(), &["debug", "job.toml", "--batch"], script);
    let refused =
        "findings cannot stop a launch whose groups share registers: ctm check shows them";
    assert!(ran.err.contains(refused) || ran.out.contains(refused), "{}{}", ran.out, ran.err);
}

#[test]
fn the_profile_counts_conflicts_by_line() {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/conflicts");
    let ran = ctm(&kernels, &["profile", "global.toml"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    assert!(
        ran.out.contains("8,192 operands in shared registers read, 4,096 written; 32 conflicts")
    );
    let add = ran.out.lines().find(|line| line.contains("add  g0.r, g0.r, r1.r"));
    assert!(
        add.is_some_and(|line| line.split_whitespace().any(|word| word == "32")),
        "{}",
        ran.out
    );
    let json = ctm(&kernels, &["profile", "global.toml", "--json"]).out;
    assert!(json.contains("\"conflicts\": 32") || json.contains("\"conflicts\":32"), "{json}");
    let clause = ctm(&kernels, &["profile", "clause.toml"]).out;
    assert!(clause.contains("4,096 written; 0 conflicts"), "{clause}");
}
