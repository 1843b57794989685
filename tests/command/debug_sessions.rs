//! Scripted sessions of `ctm debug --batch`. Each file in tests/debug_sessions is what a script
//! prints; its commands are the lines that begin with `> `. With CTM_BLESS=1 the files are
//! rewritten.

use crate::cli::ctm;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = "tests/debug_sessions";

fn sessions() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
    let entries =
        fs::read_dir(root).expect("the folder").map(|entry| entry.expect("a file").path());
    let mut files: Vec<PathBuf> =
        entries.filter(|p| p.extension().is_some_and(|e| e == "txt")).collect();
    files.sort();
    files
}

/// The files of the folder, where sessions may write nothing.
fn folder() -> tempfile::TempDir {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
    let dir = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir(root).expect("the folder") {
        let path = entry.expect("a file").path();
        fs::copy(&path, dir.path().join(path.file_name().expect("a name"))).expect("copied");
    }
    dir
}

#[test]
fn sessions_print_what_they_should() {
    let files = sessions();
    assert!(files.len() >= 30, "{} sessions", files.len());
    let dir = folder();
    let before = fs::read_dir(dir.path()).expect("the folder").count();
    for path in files {
        let want = fs::read_to_string(&path).expect("text");
        let job = want.lines().next().and_then(|line| line.strip_prefix("# ")).expect("a job");
        let script: String = want
            .lines()
            .filter_map(|line| line.strip_prefix("> "))
            .map(|l| format!("{l}\n"))
            .collect();
        let script_path = dir.path().join("script");
        fs::write(&script_path, script).expect("written");
        let ran = ctm(dir.path(), &["debug", job, "--batch", "-x", "script"]);
        fs::remove_file(&script_path).expect("removed");
        let mut got = format!("# {job}\n{}", ran.out);
        if !ran.err.is_empty() || ran.status != 0 {
            got += &format!("status {}: {}", ran.status, ran.err);
        }
        if std::env::var_os("CTM_BLESS").is_some() {
            fs::write(&path, &got).expect("written");
        }
        assert_eq!(got, fs::read_to_string(&path).expect("text"), "{}", path.display());
        assert_eq!(fs::read_dir(dir.path()).expect("the folder").count(), before);
    }
}
