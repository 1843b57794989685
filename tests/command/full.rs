//! Outputs that take nothing.

use crate::cli::ctm;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const JOB: &str = "version = 1
program = { file = \"p.dpp\" }
domain = { i0 = 0, j0 = 0, i1 = 7, j1 = 7 }
output = [{ slot = 0, format = \"FLOAT32_4\" }]
";

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    write(dir.path(), "p.dpp", "mov o0, {0, 0, 0, 1}\n");
    dir
}

fn write(dir: &Path, name: &str, text: &str) {
    fs::write(dir.join(name), text).expect("written");
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_without_a_job_has_no_lines() {
    let dir = folder();
    let ran = ctm(dir.path(), &["run", "p.dpp", "--save", "/dev/full"]);
    let said = "ctm: p.dpp: save: cannot write /dev/full: No space left on device (os error 28)\n";
    assert_eq!((ran.status, ran.out.as_str(), ran.err.as_str()), (2, "", said));
}

#[test]
fn an_output_that_takes_nothing_is_an_error() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    write(dir, "p.ps", "ps_3_0\ndef c0, 1, 2, 3, 4\nmov oC0, c0\n");
    write(dir, "job.toml", JOB);
    for args in [
        &["--help"][..],
        &["--version"],
        &["help", "run"],
        &["generate", "completions", "bash"],
        &["run", "job.toml", "--no-save"],
        &["run", "job.toml", "--no-save", "--json"],
        &["verify", "job.toml"],
        &["info", "p.dpp"],
        &["info", "p.dpp", "--json"],
        &["info", "--adapters"],
        &["disasm", "p.dpp"],
        &["translate", "p.dpp"],
        &["compile", "p.ps", "--print", "asm"],
        &["compile", "p.ps", "-o", "-"],
        &["asm", "p.dpp", "-o", "-"],
        &["fuzz", "--show"],
        &["bench", "--list"],
    ] {
        let full = fs::File::options().write(true).open("/dev/full");
        let output = Command::new(env!("CARGO_BIN_EXE_ctm"))
            .args(args)
            .current_dir(dir)
            .stdin(Stdio::null())
            .stdout(full.expect("a device"))
            .output()
            .expect("ctm runs");
        let said = String::from_utf8(output.stderr).expect("text");
        assert_eq!(
            (output.status.code(), said.as_str()),
            (
                Some(2),
                "ctm: cannot write to standard output: No space left on device (os error 28)\n"
            ),
            "{args:?}"
        );
    }
}
