//! Files of the wrong sort: a program where a job is needed, a job where a program is, and so on.

use crate::cli::ctm;
use std::fs;
use std::path::Path;

const JOB: &str = "version = 1
program = { file = \"p.dpp\" }
domain = { i0 = 0, j0 = 0, i1 = 7, j1 = 7 }
output = [{ slot = 0, format = \"FLOAT32_4\" }]
";

/// One of each.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, text) in [
        ("p.dpp", "mov o0, c0\n"),
        ("text", "mov o0, c0\n"),
        ("bad.dpp", "mob r1, r2\n"),
        ("p.hex", "00078005 08020100 08020100 00db0220 00c0c000 20490000\n"),
        ("p.ps", "ps_3_0\nmov oC0, c0\n"),
        ("job.toml", JOB),
        ("job", JOB),
        ("passes.toml", "version = 1\n[[pass]]\n"),
        ("broken.toml", "version 1\n"),
    ] {
        fs::write(dir.path().join(name), text).expect("written");
    }
    let ran = ctm(dir.path(), &["asm", "p.dpp", "-o", "p.elf"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    dir
}

/// What a command says that ends with status 2 and writes nothing.
fn refused(dir: &Path, args: &[&str]) -> String {
    let names = || {
        let entries = fs::read_dir(dir).expect("a folder");
        let mut names: Vec<_> = entries.map(|e| e.expect("an entry").file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    let ran = ctm(dir, args);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{args:?}");
    assert_eq!(names(), before, "{args:?}");
    ran.err
}

fn program_found(file: &str, kind: &str) -> String {
    format!(
        "{file}: found a program of kind {kind}, needed a job: `ctm new` writes one that runs it, and \
         `ctm run`, `ctm check`, `ctm compare`, `ctm info` and others take programs; in a job it is \
         program = {{ file = \"{file}\" }}\n"
    )
}

/// `ctm run` takes both, see programs_without_jobs.rs.
#[test]
fn programs_are_no_jobs() {
    let dir = folder();
    for (file, kind) in [
        ("p.dpp", "asm"),
        ("text", "asm"),
        ("bad.dpp", "asm"),
        ("p.elf", "elf"),
        ("p.hex", "hex"),
        ("p.ps", "ps"),
    ] {
        let found = program_found(file, kind);
        let said = refused(dir.path(), &["profile", file]);
        assert_eq!(said, format!("ctm: {found}"));
        let ran = ctm(dir.path(), &["verify", file, "--engine", "block"]);
        assert_eq!(ran.status, 2);
        assert_eq!(ran.out, format!("BAD  {found}0 passed, 1 failed\n"));
        assert_eq!(ran.err, "ctm: 1 of 1 files could not be run\n");
        let ran = ctm(dir.path(), &["batch", file, "--engine", "block"]);
        assert_eq!(ran.status, 1);
        let line = ran.err.lines().next();
        assert_eq!(line, Some(format!("ctm: {}", found.trim_end()).as_str()));
    }
    // What is no program stays what it is.
    let said = refused(dir.path(), &["run", "broken.toml"]);
    assert!(said.starts_with("ctm: broken.toml:1: "), "{said}");
    fs::write(dir.path().join("bytes"), [0xff; 24]).expect("written");
    assert_eq!(
        refused(dir.path(), &["profile", "bytes"]),
        "ctm: bytes: offset 0x0: the file is not UTF-8 text\n"
    );
}

#[test]
fn jobs_are_no_programs() {
    let dir = folder();
    for (command, needed) in [
        ("info", "a program"),
        ("disasm", "a program"),
        ("asm", "assembly text"),
        ("compile", "a pixel shader"),
    ] {
        let job = "job.toml";
        assert_eq!(
            refused(dir.path(), &[command, job]),
            format!(
                "ctm: {job}: found a job, needed {needed}: `ctm run` and `ctm verify` take jobs\n"
            )
        );
    }
    assert_eq!(
        refused(dir.path(), &["disasm", "passes.toml"]),
        "ctm: passes.toml: found a job, needed a program: `ctm run` and `ctm verify` take jobs\n"
    );
    // Who says what it is gets what he wants.
    let said = refused(dir.path(), &["disasm", "job.toml", "--kind", "asm"]);
    assert!(said.contains("job.toml:1:1"), "{said}");
}

#[test]
fn sources_are_of_one_kind() {
    let dir = folder();
    for (command, file, message) in [
        (
            "asm",
            "p.elf",
            "found a program of kind elf, needed assembly text: `ctm disasm` takes it",
        ),
        (
            "asm",
            "p.hex",
            "found a program of kind hex, needed assembly text: `ctm disasm` takes it",
        ),
        ("asm", "p.ps", "found a program of kind ps, needed assembly text: `ctm compile` takes it"),
        (
            "compile",
            "p.elf",
            "found a program of kind elf, needed a pixel shader: `ctm disasm` takes it",
        ),
        (
            "compile",
            "p.hex",
            "found a program of kind hex, needed a pixel shader: `ctm disasm` takes it",
        ),
        (
            "compile",
            "p.dpp",
            "found a program of kind asm, needed a pixel shader: `ctm asm` takes it",
        ),
    ] {
        let output = ["-o", "out"];
        assert_eq!(
            refused(dir.path(), &[&[command, file], &output[..]].concat()),
            format!("ctm: {file}: {message}\n")
        );
    }
    // A source with errors is told its errors.
    let said = refused(dir.path(), &["asm", "bad.dpp"]);
    assert!(said.contains("unknown instruction `mob`"), "{said}");
    let said = refused(dir.path(), &["compile", "bad.dpp"]);
    assert!(said.ends_with("ctm: bad.dpp: 1 error\n"), "{said}");
}
