//! The command, from end to end.
#![allow(dead_code)]

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// The results of a command: status, standard output, standard error.
pub struct Ran {
    pub status: i32,
    pub out: String,
    pub err: String,
}

/// The command with arguments, in a folder.
pub fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ctm"));
    command.args(args).current_dir(dir);
    command
}

/// Starts the command in a folder, with all its streams in pipes.
pub fn start(dir: &Path, args: &[&str]) -> Child {
    command(dir, args)
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
    Ran::of(&child.wait_with_output().expect("it ends"))
}

impl Ran {
    fn of(output: &Output) -> Ran {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
        let status = output.status.code().expect("a status");
        Ran { status, out: text(&output.stdout), err: text(&output.stderr) }
    }
}

/// Runs a command that runs it.
pub fn ran_by(command: &mut Command) -> Ran {
    Ran::of(&command.stdin(Stdio::null()).output().expect("it starts"))
}

/// Runs the command, which panics at a place if the name of what it works on has a part.
pub fn panicking(dir: &Path, place: &str, part: &str, args: &[&str]) -> Ran {
    let asked = format!("{place}={part}");
    Ran::of(&command(dir, args).env("CTM_PANIC", asked).output().expect("ctm starts"))
}

/// Runs the command.
pub fn ctm(dir: &Path, args: &[&str]) -> Ran {
    ctm_with(dir, args, "")
}
