//! Masks of expectations.

use crate::cli::{Ran, ctm};
use ctm::array::npy;
use std::path::Path;

fn good(dir: &Path, args: &[&str]) -> Ran {
    let ran = ctm(dir, args);
    assert_eq!(ran.status, 0, "{args:?}: {}{}", ran.out, ran.err);
    ran
}

/// A `.npy` file of one byte for each point.
fn mask(path: &Path, descr: &str, shape: &str, bytes: &[u8]) {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(bytes);
    std::fs::write(path, file).expect("a file");
}

#[test]
fn a_mask_says_which_points_count() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path();
    std::fs::write(path.join("q.dpp"), "mov o0, r1\nend\n").expect("a file");
    good(path, &["new", "q.dpp", "job", "--size", "3x2"]);
    good(path, &["run", "job/job.toml"]);
    // What is expected is wrong at point (1, 0).
    let mut wrong = npy::parse(&std::fs::read(path.join("job/output_0.npy")).expect("a file"))
        .expect("an array");
    wrong.units[6] ^= 1 << 31;
    npy::save(&wrong, &path.join("job/wrong.npy")).expect("room");
    let job = std::fs::read_to_string(path.join("job/job.toml")).expect("a job");
    let verify = |more: &str| {
        let text =
            format!("{job}\n[[expect]]\noutput = 0\nfile = \"wrong.npy\"\nbits = true\n{more}");
        std::fs::write(path.join("job/job.toml"), text).expect("a file");
        let ran = ctm(path, &["verify", "job/job.toml"]);
        (ran.status, ran.out + &ran.err)
    };
    assert_eq!(verify("").0, 1);
    mask(&path.join("job/bool.npy"), "|b1", "(2, 3)", &[1, 0, 1, 1, 1, 1]);
    mask(&path.join("job/bytes.npy"), "|u1", "(2, 3)", &[0, 7, 0, 0, 0, 0]);
    mask(&path.join("job/small.npy"), "|b1", "(2, 2)", &[1; 4]);
    let (status, text) = verify("mask = \"bool.npy\"\n");
    assert_eq!(status, 0, "{text}");
    let (status, text) = verify("mask = \"bytes.npy\"\n");
    assert_eq!(status, 1);
    assert!(
        text.contains("output 0: 1 of 4 values differ (25.00%), first at point (1, 0) channel c2"),
        "{text}"
    );
    for (name, message) in [
        ("small.npy", "expect[0].mask: small.npy: found uint8 (2, 2), needed bool or uint8 (2, 3)"),
        ("gone.npy", "expect[0].mask: cannot read gone.npy: No such file or directory"),
        (
            "wrong.npy",
            "expect[0].mask: wrong.npy: found float32 (2, 3, 4), needed bool or uint8 (2, 3)",
        ),
    ] {
        let (status, text) = verify(&format!("mask = \"{name}\"\n"));
        assert_eq!(status, 2, "{text}");
        assert!(text.replace("job/", "").contains(message), "{text}");
    }
}
