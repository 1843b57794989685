//! What packages install beside the command: man pages and completions.

use crate::cli::ctm;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The subcommands that `ctm --help` lists.
fn subcommands() -> BTreeSet<String> {
    let help = ctm(Path::new("."), &["--help"]).out;
    let list = help.split("Commands:\n").nth(1).expect("a list");
    let list = list.split("\n\n").next().expect("its lines");
    // Lines that go on are indented further.
    let names = list.lines().filter_map(|line| line.strip_prefix("  "));
    names
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_string)
        .collect()
}

#[test]
fn every_subcommand_has_a_man_page() {
    let names = subcommands();
    assert!(names.contains("crosscheck") && !names.contains("generate"), "{names:?}");
    let dir = tempfile::tempdir().expect("a folder");
    let ran = ctm(dir.path(), &["generate", "man", "share/man1"]);
    assert_eq!((ran.status, ran.out.as_str(), ran.err.as_str()), (0, "", ""));
    let folder = dir.path().join("share/man1");
    let written = fs::read_dir(&folder).expect("the folder");
    let written: BTreeSet<String> = written
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    let mut expected: BTreeSet<String> = names.iter().map(|name| format!("ctm-{name}.1")).collect();
    // `mesa` has subcommands of its own.
    expected.insert("ctm-mesa-bisect.1".to_string());
    expected.insert("ctm.1".to_string());
    assert_eq!(written, expected);
    let run = fs::read_to_string(folder.join("ctm-run.1")).expect("a page");
    for part in [".SH NAME", "\\-\\-stats", "ctm run job.toml", "Exit status: 0 done"] {
        assert!(run.contains(part), "{part}: {run}");
    }
}

#[test]
fn completions_complete() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = ctm(Path::new("."), &["generate", "completions", shell]);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{shell}");
        for name in subcommands() {
            assert!(ran.out.contains(&name), "{shell}: {name}");
        }
    }
    let dir = tempfile::tempdir().expect("a folder");
    let script = ctm(dir.path(), &["generate", "completions", "bash"]).out;
    fs::write(dir.path().join("ctm.bash"), script).expect("written");
    let complete = "source ./ctm.bash; COMP_WORDS=(ctm cross); COMP_CWORD=1; \
                    _ctm ctm cross ctm; echo ${COMPREPLY[*]}";
    match Command::new("bash").args(["-c", complete]).current_dir(dir.path()).output() {
        Ok(output) => assert_eq!(String::from_utf8_lossy(&output.stdout), "crosscheck\n"),
        Err(_) => println!("not run: bash is not installed"),
    }
}
