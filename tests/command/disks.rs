//! Disks that become full under `ctm pack` and `ctm batch`: files have at most some blocks, and writing more is an
//! error, as it is where no room is left.

use crate::batch_common::{batch, files, folder, report, statuses};
use crate::cli::{Ran, ctm, ran_by};
use std::fs;
use std::path::Path;
use std::process::Command;

const JOBS: usize = 12;

/// Runs the command with files of at most `blocks` blocks of 512 bytes.
fn limited(dir: &Path, blocks: u32, args: &[&str]) -> Ran {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut sh = Command::new("sh");
    sh.args(["-c", &script, env!("CARGO_BIN_EXE_ctm")]).args(args).current_dir(dir);
    ran_by(&mut sh)
}

/// A folder with jobs, their list and their pack.
fn jobs() -> tempfile::TempDir {
    let dir = folder(JOBS);
    let names: Vec<String> = (0..JOBS).map(|n| format!("job{n}.toml\n")).collect();
    fs::write(dir.path().join("list"), names.concat()).expect("written");
    let ran = ctm(dir.path(), &["pack", "--list", "list", "-o", "jobs.pack"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    dir
}

/// The jobs as a list and as a pack.
const BOTH: [[&str; 2]; 2] = [["--list", "list"], ["--list", "jobs.pack"]];

/// The number of jobs with a status.
fn count(report: &str, status: &str) -> usize {
    statuses(report).iter().filter(|(_, one)| one == status).count()
}

#[test]
fn a_report_without_room_is_gone_on_with() {
    for given in BOTH {
        let (dir, whole) = (jobs(), jobs());
        let args =
            [&["batch"], &given[..], &["--report", "r.jsonl", "--no-times", "-j", "1"]].concat();
        let ran = ctm(whole.path(), &args);
        assert_eq!(ran.status, 0, "{}", ran.err);
        let ran = limited(dir.path(), 3, &args);
        let said = "ctm: cannot write the report: File too large (os error 27)\n";
        assert_eq!((ran.status, ran.err.as_str()), (2, said));
        let (text, expected) = (report(dir.path()), report(whole.path()));
        assert!(text.len() <= 3 * 512 && expected.starts_with(&text), "{text}");
        let ran = ctm(dir.path(), &[&args[..], &["--resume"]].concat());
        assert_eq!(ran.status, 0, "{}", ran.err);
        assert_eq!(report(dir.path()), expected);
        assert_eq!(files(dir.path()), files(whole.path()));
    }
}

#[test]
fn files_without_room_are_errors_of_their_jobs() {
    for given in BOTH {
        let dir = jobs();
        let before = files(dir.path());
        // An array takes three blocks, all arrays together more than eight.
        for (blocks, more, problem) in [
            (2, &[][..], "job0.toml:11: output[0].save: cannot write out0.npy: "),
            (8, &["--no-save", "--collect", "all.npy"], "job0.toml: cannot write all.npy: "),
        ] {
            // One after the other: ten errors are shown, in the order in which jobs end.
            let args = [&["batch"], &given[..], more, &["-k", "-j", "1"]].concat();
            let ran = limited(dir.path(), blocks, &args);
            assert_eq!((ran.status, count(&ran.out, "error")), (1, JOBS), "{}", ran.err);
            let said = format!("ctm: {problem}File too large (os error 27)\n");
            assert!(ran.err.contains(&said), "{}", ran.err);
        }
        fs::remove_file(dir.path().join("all.npy")).expect("its head");
        assert_eq!(files(dir.path()), before);
    }
}

#[test]
fn an_array_without_room_gets_its_whole_size_later() {
    for given in BOTH {
        let (dir, whole) = (jobs(), jobs());
        let collect = ["--no-save", "--no-times", "-k", "-j", "1", "--collect", "all.npy"];
        let args = [&["batch"], &given[..], &collect, &["--report", "r.jsonl"]].concat();
        assert_eq!(ctm(whole.path(), &args).status, 0);
        assert_eq!(limited(dir.path(), 8, &args).status, 1);
        let ran = ctm(dir.path(), &[&args[..], &["--resume", "--retry-failed"]].concat());
        assert_eq!(ran.status, 0, "{}", ran.err);
        assert_eq!(files(dir.path()), files(whole.path()));
    }
}

#[test]
fn a_pack_without_room_leaves_nothing() {
    let dir = jobs();
    let before = files(dir.path());
    let ran = limited(dir.path(), 2, &["pack", "--list", "list", "-o", "new.pack"]);
    let said = "ctm: cannot write new.pack: File too large (os error 27)\n";
    assert_eq!((ran.status, ran.err.as_str()), (2, said));
    assert_eq!(files(dir.path()), before);
    assert_eq!(batch(dir.path(), &["jobs.pack", "--no-save"]).status, 0);
}
