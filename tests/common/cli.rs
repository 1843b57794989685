//! The command, from end to end.
#![allow(dead_code)]

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The results of a command: status, standard output, standard error.
pub struct Ran {
    pub status: i32,
    pub out: String,
    pub err: String,
}

/// Starts the command in a folder, with all its streams in pipes.
pub fn start(dir: &Path, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_ctm"))
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ctm starts")
}

/// Runs the command with `input` on standard input.
pub fn ctm_with(dir: &Path, args: &[&str], input: &str) -> Ran {
    let mut child = start(dir, args);
    let mut stdin = child.stdin.take().expect("a pipe");
    // A command that refuses its arguments does not read its input.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    Ran {
        status: output.status.code().expect("a status"),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

/// Runs the command.
pub fn ctm(dir: &Path, args: &[&str]) -> Ran {
    ctm_with(dir, args, "")
}
