//! `ctm run PROGRAM` and `ctm new`: programs with data from a seed.

use crate::cli::{Ran, ctm};
use ctm::array::npy;
use std::path::Path;

/// A fetch at the point's position, a varying in r2, constants of each kind.
const SOURCE: &str = "\
.const gain c1
ld r1, i0[r0.rg]
mad r3, r1, gain, r2
rep n0
add r3, r3, c2
endrep
if b3
mov r3, -r3
endif
mov o0, r3
end
";

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("p.dpp"), SOURCE).expect("a file");
    std::fs::write(dir.path().join("two.dpp"), "mov o0, r1\nmov o2, r2\nend\n").expect("a file");
    dir
}

fn good(dir: &Path, args: &[&str]) -> Ran {
    let ran = ctm(dir, args);
    assert_eq!(ran.status, 0, "{args:?}: {}{}", ran.out, ran.err);
    ran
}

fn units(path: &Path) -> Vec<u32> {
    npy::parse(&std::fs::read(path).expect("a file")).expect("an array").units
}

#[test]
fn a_job_of_new_gives_what_a_run_of_the_program_gives() {
    let dir = folder();
    let path = dir.path();
    let options = [
        "--size",
        "20x9",
        "--seed",
        "5",
        "--set",
        "gain=0.5,2",
        "--set",
        "n0=3",
        "--set",
        "b3=true",
    ];
    good(path, &[&["run", "p.dpp", "--save", "out.npy"], &options[..]].concat());
    good(path, &[&["new", "p.dpp", "job"], &options[..]].concat());
    good(path, &["run", "job/job.toml"]);
    let out = units(&path.join("out.npy"));
    assert_eq!(out.len(), 20 * 9 * 4);
    assert!(out == units(&path.join("job/output_0.npy")));
    // Other seeds give other data, the same seed the same.
    good(path, &["run", "p.dpp", "--size", "20x9", "--save", "other.npy"]);
    assert!(out != units(&path.join("other.npy")));
    good(path, &["run", "p.dpp", "--size", "20x9", "--seed", "1", "--save", "again.npy"]);
    assert!(units(&path.join("other.npy")) == units(&path.join("again.npy")));
    // The job holds its own program.
    assert_eq!(std::fs::read_to_string(path.join("job/p.dpp")).expect("a file"), SOURCE);
    let ran = ctm(path, &["new", "p.dpp", "job"]);
    assert_eq!(
        (ran.status, &ran.err[..]),
        (2, "ctm: job/job.toml: it exists; `ctm new` replaces no file\n")
    );
    // Without a folder it is the program's name, beside the caller.
    std::fs::create_dir(path.join("sub")).expect("a folder");
    std::fs::copy(path.join("p.dpp"), path.join("sub/own.dpp")).expect("copied");
    let ran = ctm(path, &["new", "sub/own.dpp"]);
    assert_eq!((ran.status, &ran.out[..]), (0, "wrote own/job.toml\n"), "{}", ran.err);
    good(path, &["run", "own/job.toml"]);
}

/// What every path writes first needs no varying, nor do clause temporaries.
#[test]
fn only_temporaries_that_a_path_reads_unwritten_get_varyings() {
    let dir = folder();
    let path = dir.path();
    for (name, source, initial) in [
        ("a", "mov r3, r2\nif b3\n mov r3, -r3\nendif\nmov o0, r3\n", &["2"][..]),
        ("b", "if b3\n mov r3, r0\nelse\n mov r3, r4\nendif\nmov o0, r3\n", &["4"]),
        ("c", "if b3\n mov r3, r0\nendif\nmov o0, r3\n", &["3"]),
        (
            "d",
            ".sharing global=1 clause=2\nmov ct0, r1\nadd ct1, ct0, ct1\nadd g0, g0, ct1\nmov o0, ct1\n",
            &["1"],
        ),
    ] {
        let file = format!("{name}.dpp");
        std::fs::write(path.join(&file), source).expect("a file");
        good(path, &["new", &file, name, "--size", "8x8"]);
        good(path, &["run", &format!("{name}/job.toml"), "--no-save"]);
        good(path, &["run", &file, "--size", "8x8"]);
        let job = std::fs::read_to_string(path.join(name).join("job.toml")).expect("a job");
        let job: toml::Table = job.parse().expect("TOML");
        let found = job.get("initial").and_then(|tables| tables.as_array());
        let found = found.into_iter().flatten().map(|table| table["temp"].to_string());
        let found: Vec<String> = found.collect();
        assert_eq!(found, initial, "{source}");
    }
}

#[test]
fn constants_and_inputs_are_what_the_options_say() {
    let dir = folder();
    let path = dir.path();
    std::fs::write(path.join("c.dpp"), "ld r1, i3[r0.rg]\nadd o0, r1, c7\nend\n").expect("a file");
    good(path, &["run", "c.dpp", "--size", "2x1", "--save", "in.npy", "--set", "c7=0"]);
    let run = [
        "run",
        "c.dpp",
        "--size",
        "2x1",
        "--input",
        "3=in.npy",
        "--set",
        "c7=1,-2,0.5",
        "--save",
        "out.npy",
    ];
    good(path, &run);
    let numbers =
        |name| units(&path.join(name)).into_iter().map(f32::from_bits).collect::<Vec<_>>();
    let want: Vec<f32> =
        numbers("in.npy").iter().zip([1.0, -2.0, 0.5, 0.0].repeat(2)).map(|(x, c)| x + c).collect();
    assert_eq!(numbers("out.npy"), want);
}

#[test]
fn several_outputs_go_to_a_folder() {
    let dir = folder();
    let path = dir.path();
    good(path, &["run", "two.dpp", "--save", "arrays", "--image", "pictures"]);
    for name in [
        "arrays/output_0.npy",
        "arrays/output_2.npy",
        "pictures/output_0.png",
        "pictures/output_2.png",
    ] {
        assert!(path.join(name).is_file(), "{name}");
    }
    assert!(units(&path.join("arrays/output_0.npy")) != units(&path.join("arrays/output_2.npy")));
}

#[test]
fn bad_options_say_what_is_wrong() {
    let dir = folder();
    let path = dir.path();
    good(path, &["new", "p.dpp", "job"]);
    std::fs::write(path.join("flat.npy"), "no array").expect("a file");
    for (args, message) in [
        (
            &["run", "job/job.toml", "--seed", "1"][..],
            "ctm: --seed: a job has data of its own; it is for programs\n",
        ),
        (
            &["run", "job/job.toml", "--save", "x.npy"],
            "ctm: --save, --image: a job names its files itself; they are for programs\n",
        ),
        (
            &["run", "p.dpp", "--set", "c1"],
            "ctm: --set c1: expected a constant and its value, such as c0=1,2,3,4\n",
        ),
        (&["run", "p.dpp", "--set", "c1=x"], "ctm: --set c1=x: x is not a number\n"),
        (
            &["run", "p.dpp", "--set", "n0=256"],
            "ctm: --set n0=256: 256 is not a number from 0 to 255\n",
        ),
        (&["run", "p.dpp", "--set", "b0=2"], "ctm: --set b0=2: expected true or false\n"),
        (
            &["run", "p.dpp", "--set", "c1=1,2,3,4,5"],
            "ctm: --set c1=1,2,3,4,5: found 5 values, expected at most 4\n",
        ),
        (
            &["run", "p.dpp", "--set", "loud=1"],
            "ctm: --set loud=1: there is no constant loud: registers are c0 to c255, n0 to n31, b0 to b31; the program names gain\n",
        ),
        (
            &["run", "p.dpp", "--input", "1=in.npy"],
            "ctm: --input 1=in.npy: in.npy: No such file or directory (os error 2)\n",
        ),
        (
            &["run", "p.dpp", "--input", "16=in.npy"],
            "ctm: --input 16=in.npy: 16 is not the number of an input, from 0 to 15\n",
        ),
        (&["new", "job/job.toml", "x"], "ctm: job/job.toml: found a job, needed a program\n"),
    ] {
        let ran = ctm(path, args);
        assert_eq!((ran.status, &ran.err[..]), (2, message), "{args:?}");
    }
    let ran = ctm(path, &["run", "p.dpp", "--input", "0=flat.npy"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.starts_with("ctm: --input 0=flat.npy: flat.npy: "), "{}", ran.err);
}

/// A program of Mesa's compiler, whose varyings begin with temporary 0.
#[test]
fn listings_of_mesa_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/jobs/alu_cmp");
    let dir = tempfile::tempdir().expect("a folder");
    let file = folder.join("default.hex");
    let file = file.to_str().expect("text");
    good(dir.path(), &["run", file, "--save", "out.npy"]);
    good(dir.path(), &["new", file, "job"]);
    good(dir.path(), &["run", "job/job.toml"]);
    let out = units(&dir.path().join("out.npy"));
    assert!(out == units(&dir.path().join("job/output_0.npy")));
    assert!(out.iter().any(|unit| *unit != out[0]));
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
    let dir = folder();
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
