//! A batch with hostile jobs among good ones, killed again and again, ends with a line for each. `CTM_FULL=1`: 1,000
//! jobs instead of 140.

use crate::batch_common::{ENDLESS, PROGRAM, files, job, report, statuses};
use crate::cli::command;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

/// A picture with a part of a colour in its palette.
fn palette() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 1, 1);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_palette(vec![0; 4]);
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(&[1]).expect("data");
    writer.finish().expect("an end");
    bytes
}

/// A name, a text and an outcome: one of twenty is hostile.
fn nth(n: usize) -> (String, String, &'static str) {
    let (name, good) = (format!("job{n}.toml"), job("p.dpp", n, 8, &format!("out{n}")));
    if n % 20 != 7 {
        return (name, good, "ok");
    }
    let input = |file: &str| {
        format!("{good}[[input]]\nslot = 0\nformat = \"UINT8_4\"\nfile = \"{file}\"\n")
    };
    match n / 20 % 7 {
        0 => (name, input("palette.png"), "error"),
        1 => (name, input("torn.png"), "error"),
        2 => (name, "program = [".to_string(), "error"),
        3 => (name, good.replace("p.dpp", "none.dpp"), "error"),
        4 => (name, good.replace("p.dpp", "endless.dpp"), "fault"),
        5 => {
            let text = good.replace("p.dpp", "endless.dpp");
            let text = text.replace("i1 = 7, j1 = 7", "i1 = 63, j1 = 2047");
            (name, text.replace("instructions = 1000", "instructions = 16777216"), "timeout")
        }
        _ => (format!("panic{n}.toml"), good, "error"),
    }
}

fn made(count: usize) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path();
    let write = |name: &str, bytes: &[u8]| fs::write(path.join(name), bytes).expect("written");
    write("p.dpp", PROGRAM.as_bytes());
    write("endless.dpp", ENDLESS.as_bytes());
    write("palette.png", &palette());
    write("torn.png", &palette()[..50]);
    for n in 0..count {
        let (name, text, _) = nth(n);
        write(&name, text.as_bytes());
    }
    dir
}

fn start(path: &Path, threads: &str, more: &[&str]) -> Child {
    let args = ["batch", ".", "-k", "--report", "r.jsonl", "--engine", "block", "--timeout", "3"];
    let mut command = command(path, &[&args[..], &["-j", threads], more].concat());
    command.env("CTM_PANIC", "run=panic").stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("ctm starts")
}

fn complete(path: &Path) -> usize {
    fs::read(path.join("r.jsonl")).map_or(0, |text| text.iter().filter(|&&b| b == b'\n').count())
}

#[test]
fn hostile_jobs_have_their_lines() {
    let full = std::env::var_os("CTM_FULL").is_some_and(|value| value == "1");
    let count = if full { 1000 } else { 140 };
    let expected: BTreeMap<String, String> =
        (0..count).map(|n| (format!("./{}", nth(n).0), nth(n).2.to_string())).collect();
    let whole = made(count);
    let ended = start(whole.path(), "2", &[]).wait().expect("it ends");
    assert_eq!(ended.code(), Some(1));
    let saved = files(whole.path());
    for threads in ["1", "2"] {
        let dir = made(count);
        let path = dir.path();
        let mut kills = 0;
        for n in 0..10 {
            let mut child = start(path, threads, if n == 0 { &[] } else { &["--resume"] });
            // It has a part of the lines, then it is gone.
            while complete(path) < (n + 1) * count / 12
                && child.try_wait().expect("a child").is_none()
            {
                std::thread::sleep(Duration::from_millis(1));
            }
            kills += usize::from(child.try_wait().expect("a child").is_none());
            // Fails if it has ended meanwhile.
            let _ = child.kill();
            child.wait().expect("ended");
        }
        println!("-j {threads}: killed {kills} times");
        assert!(kills > 0, "it ended before each kill");
        let ended = start(path, threads, &["--resume"]).wait().expect("it ends");
        assert_eq!(ended.code(), Some(1));
        let found = statuses(&report(path));
        assert_eq!(found.len(), count);
        assert_eq!(found.into_iter().collect::<BTreeMap<_, _>>(), expected);
        let mut left = files(path);
        // What a killed process was writing.
        left.retain(|name, _| !name.to_string_lossy().contains(".ctm-part"));
        assert_eq!(left, saved);
    }
}
