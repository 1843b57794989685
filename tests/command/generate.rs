//! Files that packages install beside the command: man pages and completions.

use crate::cli::ctm;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The subcommands that `ctm --help` lists.
fn subcommands() -> BTreeSet<String> {
    let help = ctm(Path::new("."), &["--help"]).out;
    let list = help.split("Options:\n").next().expect("a list");
    // Lines that go on are indented further.
    let names = list.lines().filter_map(|line| line.strip_prefix("  "));
    names
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_string)
        .collect()
}

#[test]
fn every_subcommand_has_a_man_page() {
    let names = subcommands();
    assert!(names.contains("crosscheck") && names.contains("generate"), "{names:?}");
    let dir = tempfile::tempdir().expect("a folder");
    let ran = ctm(dir.path(), &["generate", "man", "share/man1"]);
    assert_eq!((ran.status, ran.out.as_str(), ran.err.as_str()), (0, "", ""));
    let folder = dir.path().join("share/man1");
    let written = fs::read_dir(&folder).expect("the folder");
    let written: BTreeSet<String> = written
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    let mut expected: BTreeSet<String> = names.iter().map(|name| format!("ctm-{name}.1")).collect();
    // `mesa` and `generate` have subcommands of their own.
    let others = ["ctm-mesa-bisect.1", "ctm-generate-man.1", "ctm-generate-completions.1", "ctm.1"];
    expected.extend(others.map(str::to_string));
    assert_eq!(written, expected);
    let run = fs::read_to_string(folder.join("ctm-run.1")).expect("a page");
    let sections: Vec<&str> = run.lines().filter_map(|line| line.strip_prefix(".SH ")).collect();
    let expected = [
        "NAME",
        "SYNOPSIS",
        "DESCRIPTION",
        "OPTIONS",
        "EXAMPLES",
        "\"EXIT STATUS\"",
        "\"SEE ALSO\"",
    ];
    assert_eq!(sections, expected);
    for part in ["[\\-\\-trace <I,J>]", "\n.nf\nctm run job.toml \\-\\-stats\n.fi\n", "\\fB1\\fR"] {
        assert!(run.contains(part), "{part}: {run}");
    }
    // A long list of values is in one line, once.
    let check = fs::read_to_string(folder.join("ctm-check.1")).expect("a page");
    assert_eq!(check.matches("missing\\-tex\\-wait, ").count(), 1, "{check}");
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
