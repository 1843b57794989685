//! Where commands write: to a file, through a link, into a pipe.
//!
//! A pipe stands for devices as well: whatever is no regular file must still be there afterwards.
//! Reports are the exception: they do not go into pipes.
#![cfg(unix)]

use crate::cli::{self, ctm};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::Path;
use std::process::Command;

/// A command whose output has the name `{}`, in its arguments or in the job.
struct Case {
    args: &'static [&'static str],
    /// How a good output begins.
    start: &'static [u8],
    /// Whether two runs give the same bytes: there are no times in it.
    same: bool,
}

const ELF: &[u8] = b"\x7fELF";

const CASES: [Case; 7] = [
    Case { args: &["asm", "p.dpp", "--format", "elf", "-o", "{}"], start: ELF, same: true },
    Case { args: &["compile", "p.ps", "-o", "{}"], start: ELF, same: true },
    Case { args: &["run", "save.toml"], start: b"\x93NUMPY", same: true },
    Case { args: &["run", "image.toml"], start: b"\x89PNG", same: true },
    Case { args: &["batch", "save.toml"], start: b"\x93NUMPY", same: true },
    Case {
        args: &["batch", "plain.toml", "--report", "{}"],
        start: b"{\"job\":\"plain.toml\",\"status\":\"ok\"",
        same: false,
    },
    Case { args: &["verify", "plain.toml", "--report", "{}"], start: b"<?xml", same: false },
];

fn job(more: &str) -> String {
    format!(
        "version = 1
program = {{ file = \"p.dpp\" }}
domain = {{ i0 = 0, j0 = 0, i1 = 7, j1 = 7 }}
[[output]]
slot = 0
format = \"FLOAT32_4\"
{more}
"
    )
}

impl Case {
    /// Runs it with this output.
    fn run(&self, dir: &Path, output: &str) {
        let expect = "[[expect]]\noutput = 0\nfile = \"p.npy\"\n";
        for (name, more) in [
            ("save.toml", format!("save = \"{output}\"")),
            ("image.toml", format!("image = \"{output}\"")),
            ("plain.toml", expect.to_string()),
        ] {
            fs::write(dir.join(name), job(&more)).expect("written");
        }
        let args = self.args.iter().map(|arg| match *arg {
            "{}" => output,
            arg => arg,
        });
        let ran = ctm(dir, &args.collect::<Vec<_>>());
        assert_eq!(ran.status, 0, "{:?} {output}: {}", self.args, ran.err);
    }

    fn check(&self, bytes: &[u8], file: &[u8], output: &str) {
        let what = format!("{:?} {output}", self.args);
        assert!(bytes.starts_with(self.start), "{what}");
        assert!(bytes.len() > self.start.len(), "{what}");
        assert!(!self.same || bytes == file, "{what}");
    }
}

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let source = "mov o0, {0, 0, 0, 1}\n";
    fs::write(dir.path().join("p.dpp"), source).expect("written");
    let source = "ps_3_0\ndef c0, 1, 2, 3, 4\nmov oC0, c0\n";
    fs::write(dir.path().join("p.ps"), source).expect("written");
    // What `ctm verify` expects.
    CASES[2].run(dir.path(), "p.npy");
    dir
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| name.into_string().expect("UTF-8"))
        .filter(|name| !name.ends_with(".toml") && !name.starts_with("p."))
        .collect();
    names.sort();
    names
}

/// The bytes that the command writes to a file.
fn plain(case: &Case, dir: &Path) -> Vec<u8> {
    case.run(dir, "file");
    let file = fs::read(dir.join("file")).expect("an output");
    case.check(&file, &file, "file");
    assert_eq!(names(dir), ["file"]);
    fs::remove_file(dir.join("file")).expect("removed");
    file
}

#[test]
fn a_pipe_is_written_into() {
    const END: &[u8] = b"that was all";
    let is_report = |case: &&Case| case.args.contains(&"--report");
    for case in CASES.iter().filter(|case| !is_report(case)) {
        let dir = folder();
        let dir = dir.path();
        let file = plain(case, dir);
        let path = dir.join("pipe");
        let made = Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo runs").success());
        // Open at both ends, so that nobody waits for anybody; it holds more than is written.
        let mut pipe = File::options().read(true).write(true).open(&path).expect("a pipe");
        case.run(dir, "pipe");
        pipe.write_all(END).expect("written");
        let mut bytes = Vec::new();
        let mut part = [0; 4096];
        while !bytes.ends_with(END) {
            let count = pipe.read(&mut part).expect("read");
            bytes.extend_from_slice(&part[..count]);
        }
        bytes.truncate(bytes.len() - END.len());
        case.check(&bytes, &file, "pipe");
        let meta = fs::symlink_metadata(&path).expect("it is there");
        assert!(meta.file_type().is_fifo(), "{:?}", case.args);
        assert_eq!(names(dir), ["pipe"]);
    }
}

#[test]
fn a_link_leads_to_the_file() {
    for case in &CASES {
        let dir = folder();
        let dir = dir.path();
        let file = plain(case, dir);
        let inner = dir.join("inner");
        fs::create_dir(&inner).expect("a folder");
        symlink("inner/file", dir.join("link")).expect("a link");
        // The report of a batch must be new, or empty; the rest may be anything.
        for old in [None, Some("")] {
            let _ = fs::remove_file(inner.join("file"));
            if let Some(old) = old {
                fs::write(inner.join("file"), old).expect("written");
            }
            case.run(dir, "link");
            let meta = fs::symlink_metadata(dir.join("link")).expect("it is there");
            assert!(meta.is_symlink(), "{:?}", case.args);
            let bytes = fs::read(inner.join("file")).expect("an output");
            case.check(&bytes, &file, "link");
            assert_eq!(names(dir), ["inner", "link"]);
            assert_eq!(names(&inner), ["file"]);
        }
    }
}

/// The files of a killed process go with the next run, those of a running one stay.
#[test]
fn files_that_were_left_are_swept() {
    for command in ["run", "batch"] {
        let dir = folder();
        let dir = dir.path();
        fs::write(dir.join("save.toml"), job("save = \"o.npy\"")).expect("written");
        fs::write(dir.join(".a1b2c3.ctm-part"), "half").expect("written");
        let held = File::create(dir.join(".d4e5f6.ctm-part")).expect("a file");
        held.lock().expect("locked");
        let ran = ctm(dir, &[command, "save.toml"]);
        assert_eq!(ran.status, 0, "{}", ran.err);
        assert_eq!(names(dir), [".d4e5f6.ctm-part", "o.npy"]);
    }
}

#[test]
fn two_processes_may_write_the_same_files() {
    const JOBS: usize = 40;
    const BYTES: usize = 256 * 256 * 16;
    let dir = folder();
    let dir = dir.path();
    for (folder, value) in [("one", 1.0), ("two", 2.0)] {
        fs::create_dir(dir.join(folder)).expect("a folder");
        let source = format!("mov o0, {{{value}, {value}, {value}, {value}}}\n");
        fs::write(dir.join(folder).join("p.dpp"), source).expect("written");
        for n in 0..JOBS {
            let text = job(&format!("save = \"../out{n}.npy\"")).replace("= 7", "= 255");
            fs::write(dir.join(folder).join(format!("{n}.toml")), text).expect("written");
        }
    }
    let whole = |n: usize| {
        let Ok(bytes) = fs::read(dir.join(format!("out{n}.npy"))) else {
            return false;
        };
        let values = bytes.len().checked_sub(BYTES).expect("a whole file");
        let one = bytes[values..].chunks(4).all(|v| v == 1f32.to_le_bytes());
        let two = bytes[values..].chunks(4).all(|v| v == 2f32.to_le_bytes());
        assert!(one || two, "out{n}.npy");
        true
    };
    let mut children = ["one", "two"].map(|folder| {
        let args = ["batch", folder, "--engine", "block", "-j", "2"];
        cli::start(dir, &args)
    });
    // While they run, too.
    let running = |child: &mut std::process::Child| child.try_wait().expect("a child").is_none();
    for n in (0..JOBS).cycle() {
        whole(n);
        if !children.iter_mut().any(running) {
            break;
        }
    }
    for child in children {
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}");
    }
    assert!((0..JOBS).all(whole));
    let mut want: Vec<String> = (0..JOBS).map(|n| format!("out{n}.npy")).collect();
    want.extend(["one".to_string(), "two".to_string()]);
    want.sort();
    assert_eq!(names(dir), want);
}
