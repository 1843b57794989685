//! Values of the command line: constants and inputs of programs.

use crate::cli::ctm;
use std::fs;

const PROGRAM: &str = ".const gain c0\n    mul o0, r0, gain.r\n";

#[test]
fn wrong_values_are_refused_and_right_ones_reach_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("p.dpp"), PROGRAM).expect("written");
    let mut bytes = Vec::new();
    let array = ctm::array::Array {
        dtype: ctm::array::Dtype::Float32,
        shape: vec![2],
        units: [1.0f32, 2.0].map(f32::to_bits).to_vec(),
    };
    ctm::array::npy::write(&array, &mut bytes).expect("an array");
    fs::write(folder.path().join("two.npy"), bytes).expect("written");
    let bench = ["bench", "p.dpp", "--engine", "block", "--time", "0.001", "--size", "8x8"];
    for (arguments, message) in [
        (&["run", "p.dpp", "--set", "gain=1e50"][..], "1e50 is not in the range of binary32"),
        (&["run", "p.dpp", "--set", "gain=0xz"], "0xz is not a number"),
        (
            &["run", "p.dpp", "--set", "gain=1", "--set", "c0=2"],
            "--set c0=2: float constant 0 `gain` is given twice",
        ),
        (
            &["run", "p.dpp", "--sweep", "gain=two.npy", "--set", "c0=2"],
            "--sweep gain=two.npy: --set c0 gives the same constant",
        ),
        (&[&bench[..], &["--set", "gian=2"]].concat(), "there is no constant `gian`"),
        (&["bench", "mad", "--set", "gain=2"], "--set: it is for programs"),
    ] {
        let ran = ctm(folder.path(), arguments);
        assert_eq!(ran.status, 2, "{arguments:?}: {}", ran.out);
        assert!(ran.err.contains(message), "{arguments:?}: {}", ran.err);
    }
    for arguments in [
        &["run", "p.dpp", "--set", "gain=inf"][..],
        &["run", "p.dpp", "--set", "gain=0x7fc00000"],
        &[&bench[..], &["--set", "gain=2"]].concat(),
    ] {
        let ran = ctm(folder.path(), arguments);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{arguments:?}");
    }
}
