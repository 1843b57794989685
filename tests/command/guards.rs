//! What the command refuses, bounds or tells, so that nothing is lost, hangs or passes for nothing.

use crate::cli::ctm;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// A job in line 1 to 3, with what follows.
fn job(more: &str) -> String {
    format!(
        "version = 1\nprogram = {{ file = \"p.dpp\" }}\n\
         domain = {{ i0 = 0, j0 = 0, i1 = 7, j1 = 7 }}\n{more}"
    )
}

/// An output that saves to this file.
fn saving(file: &str) -> String {
    job(&format!("output = [{{ slot = 0, format = \"FLOAT32_4\", save = \"{file}\" }}]\n"))
}

const OUTPUT: &str = "output = [{ slot = 0, format = \"FLOAT32_4\" }]\n";

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    write(dir.path(), "p.dpp", "mov o0, {0, 0, 0, 1}\n");
    dir
}

fn write(dir: &Path, name: &str, text: &str) {
    fs::write(dir.join(name), text).expect("written");
}

fn read(dir: &Path, name: &str) -> String {
    fs::read_to_string(dir.join(name)).expect("a text")
}

/// What a command says that ends with status 2.
fn refused(dir: &Path, args: &[&str]) -> String {
    let ran = ctm(dir, args);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{args:?}");
    ran.err
}

#[test]
fn only_reports_are_gone_on_with() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "job.toml", &job(OUTPUT));
    let args = ["batch", "job.toml", "--resume", "--report"];
    let needed = "expected an object with \"job\" and \"status\"";
    for (text, line) in [
        ("a note without an end", 1),
        ("{\"jo,", 1),
        ("{\"job\":\"a.toml\",\"status\":\"ok\"}\nnotes", 2),
    ] {
        write(dir, "notes", text);
        assert_eq!(
            refused(dir, &[&args[..], &["notes"]].concat()),
            format!("ctm: notes: line {line} is not a line of a report: {needed}\n")
        );
        assert_eq!(read(dir, "notes"), text);
    }
    // A line that a killed process did not end goes.
    for torn in ["", "{", "{\"job\":", "{\"job\":\"job.toml\",\"sta"] {
        write(dir, "torn", torn);
        let ran = ctm(dir, &[&args[..], &["torn"]].concat());
        assert_eq!(ran.status, 0, "{}", ran.err);
        assert_eq!(read(dir, "torn").lines().count(), 1);
    }
}

#[test]
fn a_job_saves_to_each_file_once() {
    let dir = folder();
    let dir = dir.path();
    fs::create_dir(dir.join("sub")).expect("a folder");
    let two = |a: &str, b: &str| {
        job(&format!(
            "[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\nsave = \"{a}\"\nimage = \"{b}\"\n"
        ))
    };
    for other in ["o.npy", "./o.npy", "sub/../o.npy"] {
        write(dir, "job.toml", &two(other, "o.npy"));
        assert_eq!(
            refused(dir, &["run", "job.toml"]),
            "ctm: job.toml:8: output[0].image: the file o.npy is given twice, first in line 7\n"
        );
        assert!(!dir.join("o.npy").exists());
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("o.npy", dir.join("link.npy")).expect("a link");
        write(dir, "job.toml", &two("link.npy", "o.npy"));
        assert_eq!(
            refused(dir, &["run", "job.toml"]),
            "ctm: job.toml:8: output[0].image: the file o.npy is given twice, first in line 7\n"
        );
    }
    write(dir, "job.toml", &two("sub/o.npy", "o.npy"));
    assert_eq!(ctm(dir, &["run", "job.toml"]).status, 0);
}

#[test]
fn a_job_and_its_program_are_not_replaced() {
    let dir = folder();
    let dir = dir.path();
    for (file, what) in [
        ("self.toml", "the job itself"),
        ("./self.toml", "the job itself"),
        ("p.dpp", "its program"),
        ("./p.dpp", "its program"),
    ] {
        let text = saving(file);
        write(dir, "self.toml", &text);
        assert_eq!(
            refused(dir, &["run", "self.toml"]),
            format!(
                "ctm: self.toml:4: output[0].save: {file} is {what}, which would be replaced\n"
            )
        );
        assert_eq!(read(dir, "self.toml"), text);
        assert_eq!(read(dir, "p.dpp"), "mov o0, {0, 0, 0, 1}\n");
    }
    // Nor is what it expects.
    let expect = "expect = [{ output = 0, file = \"want.npy\", mask = \"mask.npy\" }]\n";
    for (file, what) in
        [("want.npy", "an array that it expects"), ("./mask.npy", "a mask of its [[expect]]")]
    {
        write(dir, "self.toml", &(saving(file) + expect));
        assert_eq!(
            refused(dir, &["run", "self.toml"]),
            format!(
                "ctm: self.toml:4: output[0].save: {file} is {what}, which would be replaced\n"
            )
        );
    }
    // An array that goes on from run to run is another matter.
    write(dir, "first.toml", &saving("state.npy"));
    assert_eq!(ctm(dir, &["run", "first.toml"]).status, 0);
    let text = saving("state.npy").replace("save", "initial = \"state.npy\", save");
    write(dir, "next.toml", &text);
    let ran = ctm(dir, &["run", "next.toml"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
}

#[test]
fn what_an_option_writes_replaces_no_file_of_a_job() {
    let dir = folder();
    let dir = dir.path();
    fs::create_dir(dir.join("sub")).expect("a folder");
    write(dir, "sub/p.dpp", &read(dir, "p.dpp"));
    let expect = "expect = [{ output = 0, file = \"want.npy\", mask = \"mask.npy\" }]\n";
    write(dir, "sub/job.toml", &(saving("kept.npy") + expect));
    for name in ["kept.npy", "want.npy", "mask.npy"] {
        write(&dir.join("sub"), name, name);
    }
    write(dir, "known.json", "{\"version\":1,\"known\":[]}");
    let names = ["job.toml", "p.dpp", "kept.npy", "want.npy", "mask.npy"];
    let before = names.map(|name| read(&dir.join("sub"), name));
    for command in [
        &["verify", "sub", "--report"][..],
        &["check", "sub", "--sarif"],
        &["check", "sub/job.toml", "--write-baseline"],
        &["profile", "sub/job.toml", "--html"],
        &["profile", "sub/job.toml", "--heat"],
        &["profile", "sub/job.toml", "--callgrind"],
        &["bench", "sub/job.toml", "--save"],
    ] {
        for (file, what) in [
            ("sub/job.toml", "it would replace sub/job.toml, which is read"),
            ("sub/../sub/p.dpp", "it would replace a file of sub/job.toml"),
            ("sub/kept.npy", "it would replace a file of sub/job.toml"),
            ("sub/want.npy", "it would replace a file of sub/job.toml"),
            ("sub/mask.npy", "it would replace a file of sub/job.toml"),
        ] {
            let option = command[command.len() - 1];
            assert_eq!(
                refused(dir, &[command, &[file]].concat()),
                format!("ctm: {option} {file}: {what}\n")
            );
        }
    }
    for (command, error) in [
        ("check sub/job.toml --mask fault=sub/p.dpp", "it would replace a file of sub/job.toml"),
        (
            "check sub/job.toml --mask fault=a.png --mask clamped-fetch=./a.png",
            "--mask writes it, too",
        ),
        ("check sub/job.toml --baseline known.json --sarif known.json", "which is read"),
        ("profile sub/job.toml --html a --heat a", "--html writes it, too"),
        ("bench sub/job.toml --save missing/a.json", "cannot write missing/a.json"),
        ("run p.dpp --save p.dpp", "it would replace p.dpp, which is read"),
        ("run p.dpp --save a --image a", "--save writes it, too"),
        ("new p.dpp sub", "it exists; `ctm new` replaces no file"),
    ] {
        let command: Vec<&str> = command.split(' ').collect();
        let error_of = refused(dir, &command);
        assert!(error_of.contains(error), "{command:?}: {error_of}");
    }
    assert_eq!(names.map(|name| read(&dir.join("sub"), name)), before);
    assert_eq!(fs::read_dir(dir).expect("the folder").count(), 3, "nothing was written");
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_without_a_job_has_no_lines() {
    let dir = folder();
    let said = refused(dir.path(), &["run", "p.dpp", "--save", "/dev/full"]);
    assert_eq!(
        said,
        "ctm: p.dpp: save: cannot write /dev/full: No space left on device (os error 28)\n"
    );
}

#[cfg(unix)]
#[test]
fn the_writer_of_a_pipe_is_not_waited_for() {
    let dir = folder();
    let dir = dir.path();
    let made = Command::new("mkfifo").arg(dir.join("pipe")).status();
    assert!(made.expect("mkfifo runs").success());
    for args in [&["replay", "pipe"][..], &["replay", "pipe", "--to-job", "0", "job"]] {
        assert_eq!(refused(dir, args), "ctm: pipe: cannot read it: not a regular file\n");
        assert!(!dir.join("job").exists());
    }
}

#[test]
fn all_jobs_of_a_folder_are_found() {
    let dir = folder();
    let dir = dir.path();
    let quoted = job(OUTPUT).replace("program =", "\"program\" =");
    write(dir, "a.toml", &quoted);
    write(dir, "b.toml", &job(OUTPUT).replace("program =", "'program'="));
    write(dir, "c.toml", "version = 1\npass = []\nbuffer = []\n");
    // Others have a program too, but not at the top; or no TOML at all.
    write(dir, "Cargo.toml", "[tool]\nprogram = \"abc\"\n");
    write(dir, "d.toml", "text = '''\nprogram = 3\n'''\n");
    write(dir, "e.toml", "program = { file = \n");
    write(dir, "f.toml", "nothing = \n");
    let ran = ctm(dir, &["verify", "."]);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(
        lines,
        [
            "FAIL ./a.toml: nothing to check: the job has no [[expect]]",
            "FAIL ./b.toml: nothing to check: the job has no [[expect]]",
            "BAD  ./c.toml:2: pass: missing; it is required: at least one [[pass]]",
            "BAD  ./e.toml:1: program: unclosed inline table, expected `}`",
            "0 passed, 4 failed",
        ]
    );
}

#[cfg(unix)]
#[test]
fn a_pipe_in_a_folder_of_jobs_is_not_waited_for() {
    let dir = folder();
    let dir = dir.path();
    let made = Command::new("mkfifo").arg(dir.join("x.toml")).status();
    assert!(made.expect("mkfifo runs").success());
    let bad = "BAD  ./x.toml: cannot read it: not a regular file\n";
    let ran = ctm(dir, &["verify", "."]);
    assert_eq!((ran.status, ran.out), (2, format!("{bad}0 passed, 1 failed\n")));
    let ran = ctm(dir, &["crosscheck", "--engine", "reference,block", "."]);
    assert_eq!(ran.status, 2);
    assert!(ran.out.starts_with(bad), "{}", ran.out);
    let ran = ctm(dir, &["batch", "."]);
    assert_eq!(ran.status, 1);
    assert!(ran.out.contains("not a regular file"), "{}", ran.out);
}

/// A job of two passes that repeat as often as they can, with two names that change places.
fn repeating(first: &str, second: &str) -> String {
    let mut text = String::from("version = 1\n");
    for name in ["a", "b"] {
        text += &format!(
            "[[buffer]]\nname = \"{name}\"\nformat = \"FLOAT32_4\"\nwidth = 8\nheight = 8\n\
             pitch = {}\n",
            if name == "a" { 8 } else { 16 }
        );
    }
    for (repeat, program) in [("4294967295", first), ("3", second)] {
        text += &format!(
            "[[pass]]\nrepeat = {repeat}\nswap = [\"a\", \"b\"]\nprogram = {{ file = \"{program}\" }}\n\
             domain = {{ i0 = 0, j0 = 0, i1 = 7, j1 = 7 }}\ninputs = {{ 0 = \"a\" }}\n\
             outputs = {{ 0 = \"b\" }}\n"
        );
    }
    text
}

#[test]
fn repetitions_are_translated_once() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "q.dpp", "ld r1, i0[r0.rg]\nmov o0, r1\n");
    write(dir, "r.dpp", "ld r1, i0[r0.rg]\nadd o0, r1, r1\n");
    for (second, want) in [
        // The second pass finds the names exchanged.
        ("r.dpp", &["0", "1", "4294967295", "4294967296"][..]),
        // Its launches are those of the first pass.
        ("q.dpp", &["0", "1"]),
    ] {
        write(dir, "job.toml", &repeating("q.dpp", second));
        let ran = ctm(dir, &["translate", "job.toml", "--print", "stats"]);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""));
        let launches = ran.out.lines();
        let launches: Vec<&str> =
            launches.filter_map(|line| line.strip_prefix("launch ")).map(str::trim).collect();
        assert_eq!(launches, want);
    }
}

#[test]
fn an_output_that_takes_nothing_is_an_error() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    write(dir, "p.ps", "ps_3_0\ndef c0, 1, 2, 3, 4\nmov oC0, c0\n");
    write(dir, "job.toml", &job(OUTPUT));
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

#[test]
fn threads_are_bounded() {
    let dir = folder();
    for (command, file) in [
        ("verify", "job.toml"),
        ("crosscheck", "job.toml"),
        ("batch", "job.toml"),
        ("bench", "mad"),
    ] {
        let said = refused(dir.path(), &[command, file, "--threads", "1025"]);
        assert!(said.contains("'1025'") && said.contains("1025 is not in 0..=1024"), "{said}");
    }
}

#[test]
fn fuzz_compares_something_or_fails() {
    let dir = folder();
    let fuzz = |args: &[&str]| {
        let ran = ctm(dir.path(), &[&["fuzz", "--engine", "block"], args].concat());
        (ran.status, ran.err)
    };
    let last = u64::MAX.to_string();
    for (args, message) in [
        (
            &["--first", &last, "--count", "1"][..],
            "18446744073709551615 is not in 0..18446744073709551615",
        ),
        (&["--count", "0"], "0 is not in 1..18446744073709551615"),
    ] {
        let (status, said) = fuzz(args);
        assert_eq!(status, 2, "{args:?}");
        assert!(said.contains(message), "{said}");
    }
    assert_eq!(
        fuzz(&["--minutes", "0"]),
        (2, "ctm: no program ran within --minutes 0: nothing was compared\n".to_string())
    );
}

#[test]
fn programs_are_read_with_a_bound() {
    if !Path::new("/dev/zero").exists() {
        return;
    }
    let dir = folder();
    for command in ["info", "disasm", "translate", "asm", "compile"] {
        assert_eq!(
            refused(dir.path(), &[command, "/dev/zero"]),
            "ctm: /dev/zero: it is larger than 268435456 bytes\n"
        );
    }
}

#[test]
fn no_temporary_name_is_told() {
    let dir = folder();
    let none = "No such file or directory (os error 2)";
    if cfg!(unix) {
        assert_eq!(
            refused(dir.path(), &["asm", "p.dpp", "-o", "nodir/x.elf"]),
            format!("ctm: cannot write nodir/x.elf: {none}\n")
        );
        write(dir.path(), "job.toml", &saving("nodir/x.npy"));
        assert_eq!(
            refused(dir.path(), &["run", "job.toml"]),
            format!("ctm: job.toml:4: output[0].save: cannot write nodir/x.npy: {none}\n")
        );
    }
}

#[test]
fn translate_tells_jobs_by_their_content() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "job", &job(OUTPUT));
    write(dir, "job.toml", &job(OUTPUT));
    for file in ["job", "job.toml"] {
        let ran = ctm(dir, &["translate", file, "--print", "stats"]);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{file}");
        for (option, value) in [("--size", "8x8"), ("--index", "0")] {
            assert_eq!(
                refused(dir, &["translate", file, option, value]),
                format!("ctm: {file}: {option} is for programs, and this is a job\n")
            );
        }
        // Who says what it is gets what he wants.
        let said = refused(dir, &["translate", file, "--kind", "asm"]);
        assert!(said.contains(&format!("{file}:1:1")), "{said}");
    }
}

#[test]
fn the_columns_of_bench_are_in_line() {
    let dir = folder();
    let args = "bench mad --engine reference,block --size 8x8 --time 0.001";
    let args: Vec<&str> = args.split(' ').collect();
    let ran = ctm(dir.path(), &args);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let lines: Vec<&str> = ran.out.lines().collect();
    let at = lines[0].find("mode").expect("a heading");
    // As wide as the longest name, `interpreter`.
    assert_eq!(at, lines[0].find("engine").expect("a heading") + 12);
    for line in &lines[1..] {
        assert_eq!(line[at..].split(' ').next(), Some("exact"), "{line}");
    }
}
