//! Limits on jobs from others: the files that they reach, and the text of them that is shown.

use crate::cli::{self, ctm};
use std::fs;
use std::path::Path;

fn job(program: &str, more: &str) -> String {
    format!(
        "version = 1
program = {{ file = \"{program}\" }}
domain = {{ i0 = 0, j0 = 0, i1 = 0, j1 = 0 }}
{more}
"
    )
}

const OUTPUT: &str = "[[output]]
slot = 0
format = \"FLOAT32_4\"";

/// A folder "box" with a program, beside a file that is none of a job's business.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let source = "mov o0, {0, 0, 0, 1}\n";
    fs::create_dir_all(dir.path().join("box/inner")).expect("a folder");
    fs::write(dir.path().join("box/p.dpp"), source).expect("written");
    fs::write(dir.path().join("p.dpp"), source).expect("written");
    dir
}

#[cfg(unix)]
mod confined {
    use super::*;

    #[test]
    fn a_source_outside_a_root_is_not_opened() {
        let dir = folder();
        let dir = dir.path();
        // A finding and a fault show the line; so do profiles, listings and editors.
        let source =
            "mov r1, r9 ; the secret\nagain:\njump -> again ; the secret\nend\nmov o0, r1\n";
        fs::write(dir.join("secret.dpp"), source).expect("written");
        for out in ["box/p.elf", "box/inner/p.elf"] {
            assert_eq!(ctm(dir, &["asm", "secret.dpp", "-o", out]).status, 0);
        }
        fs::write(dir.join("box/job.toml"), job("p.elf", OUTPUT)).expect("written");
        let limit = ["--limit", "100"];
        for (args, input) in [
            (&["check", "box/job.toml"][..], ""),
            (&["check", "box/p.elf"], ""),
            (&["profile", "box/job.toml"], ""),
            (&["profile", "box/job.toml", "--html", "-"], ""),
            (&["run", "box/job.toml", "--no-save"], ""),
            (&["run", "box/p.elf", "--size", "1x1", "--no-save"], ""),
            (&["debug", "box/job.toml", "--batch"], "source\n"),
        ] {
            let ran = |root: &[&str]| {
                let ran = cli::ctm_with(dir, &[args, &limit, root].concat(), input);
                ran.out + &ran.err
            };
            let free = ran(&[]);
            assert!(free.contains("the secret"), "{args:?}: {free}");
            let confined = ran(&["--root", "box"]);
            assert!(!confined.contains("the secret"), "{args:?}: {confined}");
            // It is no refusal.
            let same = |text: &str| text.lines().next().map(str::to_string);
            assert_eq!(same(&free), same(&confined), "{args:?}");
        }
        assert!(source_in_editor(dir, &["debug", "--dap"]).contains("the secret"));
        let confined = source_in_editor(dir, &["debug", "--dap", "--root", "box"]);
        assert!(!confined.contains("the secret"), "{confined}");
    }

    /// The answers to an editor that launches the job and asks for its source.
    fn source_in_editor(dir: &Path, args: &[&str]) -> String {
        use std::io::{Read, Write};
        let requests = [
            ("initialize", r#"{"adapterID":"ctm"}"#),
            ("launch", r#"{"program":"box/job.toml","stopOnEntry":true}"#),
            ("source", r#"{"sourceReference":0,"source":{"path":"secret.dpp"}}"#),
            ("disconnect", "{}"),
        ];
        let mut child = cli::start(dir, args);
        let mut input = child.stdin.take().expect("a pipe");
        let mut output = child.stdout.take().expect("a pipe");
        let (mut text, mut part) = (String::new(), [0; 4096]);
        // The end of the input would cancel what has no answer yet.
        for (number, (command, arguments)) in (1..).zip(requests) {
            let request = format!(
                r#"{{"seq":{number},"type":"request","command":"{command}","arguments":{arguments}}}"#
            );
            write!(input, "Content-Length: {}\r\n\r\n{request}", request.len()).expect("written");
            while !text.contains(&format!("\"request_seq\":{number},")) {
                let count = output.read(&mut part).expect("read");
                assert!(count != 0, "{text}");
                text += &String::from_utf8_lossy(&part[..count]);
            }
        }
        drop(input);
        assert!(child.wait().expect("it ends").success());
        text
    }
}

#[test]
fn control_characters_are_shown_as_escapes() {
    let dir = folder();
    let dir = dir.path();
    let evil = "\\u001b]0;x\\u0007\\u009b2J\\n\\u202e";
    let shown = "\\u001b]0;x\\u0007\\u009b2J\\n\\u202e";
    let text = format!(
        "version = 1
about = \"{evil}\"
[[buffer]]
name = \"{evil}\"
format = \"FLOAT32_4\"
width = 1
height = 1
[[pass]]
program = {{ file = \"p.dpp\" }}
domain = {{ i0 = 0, j0 = 0, i1 = 0, j1 = 0 }}
outputs = {{ 0 = \"{evil}\" }}
[[expect]]
buffer = \"{evil}\"
file = \"e.npy\"
"
    );
    let plain = |text: &str| text.chars().all(|c| !c.is_control() || c == '\n');
    let expected = ctm::array::Array {
        dtype: ctm::array::Dtype::Float32,
        shape: vec![1, 1, 4],
        units: vec![7; 4],
    };
    ctm::array::npy::save(&expected, &dir.join("e.npy")).expect("written");
    fs::write(dir.join("job.toml"), &text).expect("written");
    let ran = ctm(dir, &["run", "job.toml"]);
    assert_eq!(ran.out.lines().next(), Some(&*format!("job.toml: {shown}")));
    assert!(plain(&ran.out) && ran.status == 0);
    let ran = ctm(dir, &["verify", "job.toml"]);
    let start = format!("FAIL job.toml: buffer {shown}: ");
    assert!(ran.out.starts_with(&start), "{}", ran.out);
    assert!(plain(&ran.out) && ran.status == 1);
    fs::write(dir.join("job.toml"), format!("{text}\n[\"{evil}\"]\n")).expect("written");
    for command in ["run", "verify", "batch"] {
        let ran = ctm(dir, &[command, "job.toml"]);
        let said = format!("{}{}", ran.err, ran.out);
        assert!(said.contains("\\u001b]0;x"), "{said}");
        assert!(plain(&ran.err) && !said.contains('\u{1b}'), "{said}");
    }
    let mut image = ctm::asm::assemble("mov o0, r0", "p").expect("assembles");
    image.output_names = vec![ctm::program::NamedSlot { name: "\u{1b}[2Jx".to_string(), slot: 0 }];
    fs::write(dir.join("p.elf"), ctm::elf::write(&image)).expect("written");
    let ran = ctm(dir, &["info", "p.elf"]);
    assert!(ran.out.contains("\\u001b[2Jx"), "{}", ran.out);
    assert!(plain(&ran.out));
    let ran = ctm(dir, &["disasm", "p.elf", "--friendly"]);
    assert!(plain(&ran.out.replace('\t', "")), "{}", ran.out);
}

#[cfg(unix)]
#[test]
fn no_name_and_no_source_directs_a_terminal() {
    let dir = folder();
    let dir = dir.path();
    let plain = |text: &str| {
        let directs = |c: char| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        text.chars().all(|c| !directs(c) && (!c.is_control() || c == '\n' || c == '\t'))
    };
    let evil = "\u{1b}]0;x\u{7}\u{9b}2J\nFORGED\u{202e}\u{2066}\u{200f}";
    // No name begins a line of its own.
    let plain = |text: &str| plain(text) && !text.lines().any(|line| line.starts_with("FORGED"));
    let comment = evil.replace('\n', " ");
    let names = ["dpp", "frag", "toml", "npy"].map(|ending| format!("{evil}.{ending}"));
    let [asm, shader, toml, array] = names.each_ref().map(String::as_str);
    fs::write(dir.join(asm), format!("mov o0, r0 ; {comment}\n")).expect("written");
    let text = format!("void main() {{\n  gl_FragColor = vec4(1.0); // {comment}\n}}\n");
    fs::write(dir.join(shader), text).expect("written");
    let text = job("p.dpp", &format!("{OUTPUT}\n# {comment}"));
    fs::write(dir.join(toml), text).expect("written");
    fs::write(dir.join(array), "no array").expect("written");
    fs::write(dir.join("bad.dpp"), format!("mob r1 ; {comment}\n")).expect("written");
    fs::write(dir.join("bad.frag"), format!("void main() {{ x; }} // {comment}\n"))
        .expect("written");
    let help = ctm(dir, &["--help"]);
    let names = help.out.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let commands: Vec<&str> =
        names.filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase())).collect();
    assert!(commands.contains(&"bench") && commands.len() > 20, "{commands:?}");
    let files = [asm, shader, toml, array, "bad.dpp", "bad.frag", "missing\u{202e}"];
    let mut lines: Vec<Vec<&str>> = Vec::new();
    for command in commands {
        match command {
            "bench" => lines.extend([asm, toml, array].map(|file| {
                vec![command, file, "--time", "0.001", "--size", "2x2", "--engine", "block"]
            })),
            "debug" => lines.extend(files.map(|file| vec![command, file, "--batch"])),
            "fuzz" => lines.extend([
                vec![command, "--count", "1", "--engine", "block", "--out", asm],
                vec![command, "--count", "1", "--compiler", "--mutate", toml],
            ]),
            "card" => {
                lines.extend(files.iter().flat_map(|file| {
                    [vec![command, "--show", file], vec![command, "--read", file]]
                }))
            }
            "mesa" => lines.extend(files.map(|file| vec![command, "bisect", file])),
            _ => lines.extend(files.map(|file| vec![command, file])),
        }
    }
    lines.push(vec!["compile", shader, "--explain"]);
    lines.push(vec!["compile", shader, "--json"]);
    lines.push(vec!["compile", shader, "--emit", "asm"]);
    lines.push(vec!["check", asm, "--json"]);
    lines.push(vec!["run", asm, &comment]);
    lines.push(vec!["bench", "--list", asm]);
    for line in lines {
        let ran = ctm(dir, &line);
        assert!(plain(&ran.out), "{line:?}: {:?}", ran.out);
        assert!(plain(&ran.err), "{line:?}: {:?}", ran.err);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_start_are_told_once() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("job.toml"), job("p.dpp", OUTPUT)).expect("written");
    for command in ["verify", "batch"] {
        // The stacks of 1024 threads need more. The last one that does not fit is large, so that what is left is enough for
        // those that have started: a thread that cannot have its signal stack aborts the process.
        let script = format!(
            "ulimit -v 1200000; exec '{}' {command} job.toml -j 1024 --engine block",
            env!("CARGO_BIN_EXE_ctm")
        );
        let output = std::process::Command::new("sh")
            .args(["-c", &script])
            .env("RUST_MIN_STACK", (64 << 20).to_string())
            .current_dir(dir)
            .output()
            .expect("a shell");
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            "ctm: cannot start threads: Resource temporarily unavailable (os error 11)\n"
        );
        assert_eq!(output.status.code(), Some(2));
    }
}
