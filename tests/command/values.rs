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

/// Launches of a sweep reuse memory: a point that is killed leaves 0 all the same, not the value of an earlier launch.
#[test]
fn launches_of_a_sweep_do_not_see_each_other() {
    const COUNT: usize = 1000;
    let folder = tempfile::tempdir().expect("a folder");
    let program = ".const gain c0\n    mov r1, gain\n    texkill r1.rrrr\n    mov o0, r1\n";
    fs::write(folder.path().join("p.dpp"), program).expect("written");
    let value = |n: usize| if n.is_multiple_of(3) { -1.0 } else { n as f32 };
    let units: Vec<u32> = (0..COUNT).map(|n| value(n).to_bits()).collect();
    let array = ctm::array::Array { dtype: ctm::array::Dtype::Float32, shape: vec![COUNT], units };
    let mut bytes = Vec::new();
    ctm::array::npy::write(&array, &mut bytes).expect("an array");
    fs::write(folder.path().join("gains.npy"), bytes).expect("written");
    let options = ["--sweep", "gain=gains.npy", "--save", "all.npy", "--size", "1x1"];
    let ran = ctm(folder.path(), &[&["run", "p.dpp", "--engine", "block"][..], &options].concat());
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    let all = fs::read(folder.path().join("all.npy")).expect("an array");
    let all = ctm::array::npy::parse(&all).expect("an array");
    assert_eq!(all.shape, [COUNT, 1, 1, 4]);
    let found: Vec<f32> = all.units.chunks(4).map(|point| f32::from_bits(point[0])).collect();
    let expected: Vec<f32> = (0..COUNT).map(|n| value(n).max(0.0)).collect();
    assert_eq!(found, expected);
}
