//! `ctm compare` agrees with `ctm verify`.

use crate::cli::{Ran, ctm};
use std::path::Path;

fn compare(dir: &Path, args: &[&str]) -> Ran {
    ctm(dir, &[&["compare"], args].concat())
}

/// For each program that two versions of Mesa compiled: both meet what the job expects, so they agree
/// within twice the tolerance; and `ctm verify` says that they do.
fn agrees_with_verify(folder: &Path, least: usize) {
    let mut pairs = 0;
    let mut folders: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    folders.sort();
    for folder in folders {
        let (a, b) = (folder.join("default.toml"), folder.join("m25.toml"));
        if !a.is_file() || !b.is_file() {
            continue;
        }
        pairs += 1;
        let verified = ctm(&folder, &["verify", "default.toml", "m25.toml", "--engine", "block"]);
        let text = std::fs::read_to_string(&a).expect("a job");
        let twice = |key: &str| {
            let line =
                text.lines().find_map(|line| line.strip_prefix(key)?.trim().strip_prefix('='));
            (2.0 * line.map_or(0.0, |value| value.trim().parse::<f64>().expect("a number")))
                .to_string()
        };
        let [rtol, atol, bad] = ["rtol", "atol", "max_bad"].map(twice);
        let ran = compare(
            &folder,
            &["default.toml", "m25.toml", "--rtol", &rtol, "--atol", &atol, "--max-bad", &bad],
        );
        assert_eq!(
            ran.status,
            verified.status,
            "{}: {}{}{}",
            folder.display(),
            ran.out,
            ran.err,
            verified.out
        );
    }
    assert!(pairs >= least, "{pairs}");
}

#[test]
fn compilations_of_one_shader_agree_as_verify_says() {
    agrees_with_verify(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/jobs"), 20);
}

#[test]
fn all_compilations_agree_as_verify_says() {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/vectors/jobs");
    if all.is_dir() {
        agrees_with_verify(&all, 100);
    }
}
