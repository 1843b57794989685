//! Recordings whose records were changed and hashed again: every command that takes one ends with an answer.
//! `CTM_FULL=1` changes 20,000.

use crate::mutate::{cases, spoil};
use crate::recordings::record;
use ctm::random::Random;
use std::fs;
use std::process::Command;
use xxhash_rust::xxh3::xxh3_64;

const SEED: u64 = 0x7265_6331;

/// The bytes before the first record, and those of a record's frame.
const HEADER: usize = 16;
const FRAME: usize = 24;

/// The contents of a recording's records.
fn contents(file: &[u8]) -> Vec<Vec<u8>> {
    let word =
        |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("a word")) as usize;
    let (mut at, mut all) = (HEADER, Vec::new());
    while at < file.len() {
        let (stored, raw) = (word(at), word(at + 4));
        let content = &file[at + FRAME..][..stored];
        all.push(if stored == raw {
            content.to_vec()
        } else {
            lz4_flex::block::decompress(content, raw).expect("LZ4")
        });
        at += FRAME + stored;
    }
    all
}

/// A recording of these contents, with the header of `file`.
fn recording(file: &[u8], contents: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = file[..HEADER].to_vec();
    for content in contents {
        let len = (content.len() as u32).to_le_bytes();
        let frame = [&len[..], &len, &xxh3_64(content).to_le_bytes()].concat();
        bytes.extend(&frame);
        bytes.extend(xxh3_64(&frame).to_le_bytes());
        bytes.extend(content);
    }
    bytes
}

#[test]
fn changed_recordings_get_an_answer() {
    println!("seed {SEED:#x}");
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    record(&path("seed.rec"), 4);
    let file = fs::read(path("seed.rec")).expect("a file");
    let seed = contents(&file);
    assert_eq!(contents(&recording(&file, &seed)), seed);
    let (mut good, cases) = (0, cases(40));
    for case in 0..cases {
        let mut random = Random::new(&[SEED, case]);
        let mut changed = seed.clone();
        let n = random.below(seed.len() as u32) as usize;
        match random.below(8) {
            0 => drop(changed.remove(n)),
            1 => changed.insert(n, seed[random.below(seed.len() as u32) as usize].clone()),
            _ => spoil(&mut random, &mut changed[n]),
        }
        let name = path("changed.rec");
        fs::write(&name, recording(&file, &changed)).expect("written");
        let command = random.pick(&["info", "check", "replay", "profile", "crosscheck", "diff"]);
        let mut ctm = Command::new(env!("CARGO_BIN_EXE_ctm"));
        ctm.arg(command).arg(&name);
        match command {
            "diff" => ctm.arg(path("seed.rec")),
            "info" => &mut ctm,
            "crosscheck" => ctm.args(["--engine", "block", "--timeout", "5"]),
            _ => ctm.args(["--timeout", "5"]),
        };
        let output = ctm.output().expect("the command starts");
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(matches!(output.status.code(), Some(0..=2)), "case {case}, {command}: {text}");
        assert!(
            !text.contains("panicked") && !text.contains("internal error"),
            "case {case}: {text}"
        );
        good += u64::from(output.status.success());
    }
    println!("{good} of {cases} recordings ended without a problem");
    assert!(good > 0 && good < cases);
}
