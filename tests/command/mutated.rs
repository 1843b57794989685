//! Files and command lines that were changed at random: every command ends with an answer, and never with a panic.
//! `CTM_FULL=1` changes 20,000 of each kind.

use crate::cli::{Ran, ctm};
use crate::mutate::{cases, spoil};
use ctm::random::Random;
use ctm::shaders::mutate::mutate;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const SEED: u64 = 0x6368_616e;

/// Runs the command, which may only end with an answer.
fn answered(dir: &Path, args: &[&str]) -> Ran {
    let ran = ctm(dir, args);
    let text = ran.out.clone() + &ran.err;
    assert!(matches!(ran.status, 0..=2), "{args:?}: status {}: {text}", ran.status);
    assert!(!text.contains("panicked") && !text.contains("internal error"), "{args:?}: {text}");
    ran
}

/// Writes `count` files, and returns their names.
fn write(dir: &Path, count: u64, ending: &str, make: impl Fn(u64) -> Vec<u8>) -> Vec<String> {
    let name = |n: u64| format!("f{n}.{ending}");
    (0..count).for_each(|n| fs::write(dir.join(name(n)), make(n)).expect("written"));
    (0..count).map(name).collect()
}

/// The cases of a test, `size` at a time: the first one, and how many.
fn parts(few: u64, size: u64) -> impl Iterator<Item = (u64, u64)> {
    println!("seed {SEED:#x}");
    let all = cases(few);
    (0..all).step_by(size as usize).map(move |first| (first, (all - first).min(size)))
}

/// A picture with a mistake in one of its chunks or in their order.
fn picture(random: &mut Random) -> Vec<u8> {
    fn chunk(name: &[u8], content: &[u8]) -> Vec<u8> {
        let named = [name, content].concat();
        let mut sum = flate2::Crc::new();
        sum.update(&named);
        let len = (content.len() as u32).to_be_bytes();
        [&len[..], &named, &sum.sum().to_be_bytes()].concat()
    }
    let (width, height) = (random.range(1, 20), random.range(1, 9));
    // The kind of colours, the channels, the depths.
    let (color, channels, depths) = random.pick(&[
        (0u8, 1, &[1, 2, 4, 8, 16][..]),
        (2, 3, &[8, 16]),
        (3, 1, &[1, 2, 4, 8]),
        (4, 2, &[8, 16]),
        (6, 4, &[8, 16]),
    ]);
    let (depth, interlaced) = (random.pick(depths), random.below(4) == 0);
    let some = |random: &mut Random, most: u32| -> Vec<u8> {
        (0..random.below(most + 1)).map(|_| random.bits() as u8).collect()
    };
    let mut rows = Vec::new();
    for _ in 0..height << u32::from(interlaced) {
        rows.push(random.below(5) as u8);
        rows.extend((0..(width * channels * depth).div_ceil(8)).map(|_| random.bits() as u8));
    }
    let mut data = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut data, &rows).expect("into memory");
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[depth as u8, color, 0, 0]];
    let header = [&header.concat()[..], &[u8::from(interlaced)]].concat();
    let mut chunks: Vec<(&[u8], Vec<u8>)> = vec![(b"IHDR", header)];
    if color == 3 {
        chunks.push((b"PLTE", some(random, 800)));
    }
    if random.chance(40) {
        let others: [&[u8]; 10] = [
            b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"tEXt", b"zTXt", b"acTL", b"fcTL",
            b"eXIf",
        ];
        chunks.push((random.pick(&others), some(random, 40)));
    }
    chunks.push((b"IDAT", data.finish().expect("into memory")));
    chunks.push((b"IEND", Vec::new()));
    let (n, other) = (random.below(chunks.len() as u32), random.below(chunks.len() as u32));
    match random.below(6) {
        0 => drop(chunks.remove(n as usize)),
        1 => chunks.swap(n as usize, other as usize),
        2 => chunks.insert(n as usize, chunks[other as usize].clone()),
        3 => spoil(random, &mut chunks[n as usize].1),
        _ => {}
    }
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    chunks.iter().for_each(|(name, content)| bytes.extend(chunk(name, content)));
    if random.below(6) == 0 {
        spoil(random, &mut bytes);
    }
    bytes
}

/// How the jobs of a report ended.
fn count(report: &str, into: &mut BTreeMap<String, u64>) {
    for line in crate::batch_common::statuses(report) {
        *into.entry(line.1).or_default() += 1;
    }
}

#[test]
fn changed_pictures_get_an_answer() {
    let mut ends = BTreeMap::new();
    for (first, count_of) in parts(300, 100) {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path();
        fs::write(dir.join("p.dpp"), "ld r1, i0[r0.rg]\nmov o0, r1\n").expect("written");
        let pictures =
            write(dir, count_of, "png", |n| picture(&mut Random::new(&[SEED, first + n])));
        let jobs = write(dir, count_of, "toml", |n| {
            let picture = &pictures[n as usize];
            format!(
                "version = 1\nprogram = {{ file = \"p.dpp\" }}\n\
                 domain = {{ i0 = 0, j0 = 0, i1 = 3, j1 = 1 }}\n\
                 input = [{{ slot = 0, file = \"{picture}\", format = \"UINT8_4\" }}]\n\
                 output = [{{ slot = 0, format = \"FLOAT32_4\" }}]\n"
            )
            .into_bytes()
        });
        let mut args = vec!["batch", "--keep-going", "--no-save", "--timeout", "5"];
        args.extend(jobs.iter().map(String::as_str));
        let ran = answered(dir, &args);
        assert_eq!(ran.out.lines().count() as u64, count_of, "{}", ran.err);
        count(&ran.out, &mut ends);
    }
    println!("{ends:?}");
    assert!(ends["ok"] > 0 && ends["error"] > 0 && ends.len() == 2, "{ends:?}");
}

#[test]
fn changed_jobs_get_an_answer() {
    let kernels = ["conditional", "copy", "fft", "scan", "saxpy", "sobel", "scatter", "histogram"];
    let mut ends = BTreeMap::new();
    for (first, count_of) in parts(160, 20) {
        let kernel = kernels[(first / 20) as usize % kernels.len()];
        let kernel = ctm_testing::files::root().join("kernels").join(kernel);
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path();
        let (mut texts, mut names) = (Vec::new(), fs::read_dir(kernel).expect("a folder"));
        while let Some(Ok(file)) = names.next() {
            if file.path().extension().is_some_and(|ending| ending == "toml") {
                texts.push(fs::read_to_string(file.path()).expect("a job"))
            } else {
                fs::copy(file.path(), dir.join(file.file_name())).expect("copied");
            }
        }
        texts.sort();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let jobs = write(dir, count_of, "toml", |n| {
            mutate(&texts, n as usize % texts.len(), SEED, first + n).into_bytes()
        });
        let jobs: Vec<&str> = jobs.iter().map(String::as_str).collect();
        let limits = ["--timeout", "5"];
        let batch = ["batch", "--keep-going", "--no-save"];
        let ran = answered(dir, &[&batch[..], &limits, &jobs].concat());
        count(&ran.out, &mut ends);
        let (half, others) = jobs.split_at(jobs.len() / 2);
        answered(dir, &[&["check"], &limits[..], half].concat());
        answered(dir, &[&["verify"], &limits[..], others].concat());
    }
    println!("{ends:?}");
    assert!(ends["ok"] > 0 && ends["error"] > 0, "{ends:?}");
}

#[test]
fn changed_reports_get_an_answer() {
    const WITNESS: &str = r#"{ "format": "ctm witness 1", "version": "0.1.0", "job": "a.toml", "browser": "B",
"adapter": { "vendor": "v", "architecture": "", "device": "", "description": "d" }, "limits": { "maxBufferSize": 7 },
"probe": { "guards": "1", "passed": 9, "rejected": [
{ "guards": "0", "function": "add", "operands": [1, 2], "got": 3, "expected": 4 } ] },
"runs": [ { "engine": "interpreter", "guards": "1", "launches": 1, "translated": 0, "words": 64, "same": true,
"compile_ms": 1.5, "run_ms": 2 }, { "engine": "translated", "guards": "1", "launches": 1, "translated": 1,
"words": 64, "same": false, "difference": { "word": 5, "expected": 1, "got": 2, "surface": "s", "x": 1, "y": 0 } } ],
"refused": [ { "engine": "translated", "reason": "r" } ], "error": null }"#;
    const REPORT: &str = r#"{"job":"a.toml","status":"ok","engine":"block","mode":"exact","launches":1,"points":64,"seconds":0.5}
{"job":"b.toml","status":"error","error":"b.toml:1: no"}
{"job":"c.toml","status":"timeout","error":"stopped"}
"#;
    let mut good = 0;
    for (first, count_of) in parts(200, 100) {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path();
        let name = "x".repeat(70_000);
        let change = |text: &str, n: u64| {
            let mut random = Random::new(&[SEED, first + n]);
            let changed = mutate(&[text], 0, SEED, first + n);
            match random.below(8) {
                0 => text.replace("a.toml", &name),
                1 => {
                    let mut bytes = text.as_bytes().to_vec();
                    spoil(&mut random, &mut bytes);
                    String::from_utf8_lossy(&bytes).into_owned()
                }
                _ => changed,
            }
            .into_bytes()
        };
        let witnesses = write(dir, count_of, "json", |n| change(WITNESS, n));
        let witnesses: Vec<&str> = witnesses.iter().map(String::as_str).collect();
        answered(dir, &[&["witness"], &witnesses[..]].concat());
        for witness in witnesses.iter().step_by(10) {
            good += u32::from(answered(dir, &["witness", witness]).status != 2);
        }
        let reports = write(dir, count_of, "jsonl", |n| change(REPORT, n));
        for report in reports.iter().step_by(10) {
            good += u32::from(answered(dir, &["report", report]).status != 2);
        }
        let reports: Vec<&str> = reports.iter().map(String::as_str).collect();
        answered(dir, &[&["merge", "-o", "merged.jsonl"], &reports[..10]].concat());
    }
    println!("{good} reports were printed");
    assert!(good > 0);
}

#[test]
fn changed_command_lines_get_an_answer() {
    println!("seed {SEED:#x}");
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path();
    let job = crate::batch_common::job("p.dpp", 1, 4, "out");
    let files = [
        ("job.toml", job.as_str()),
        ("p.dpp", "add o0, r0, c0\n"),
        ("s.frag", "uniform float t; void main() { gl_FragColor = vec4(t); }\n"),
        ("bad.dpp", "add o0\n"),
        ("r.jsonl", "{\"job\":\"a\",\"status\":\"ok\"}\n"),
    ];
    let values = [
        "job.toml",
        "p.dpp",
        "s.frag",
        "bad.dpp",
        "r.jsonl",
        "none",
        "",
        ".",
        "out.x",
        "0",
        "-1",
        "1",
        "3/4",
        "0,0",
        "t=nan",
        "c0=1,2",
        "99999999999999999999",
        "exact",
        "chip",
        "block",
        "1:9:2",
        "=",
        ":::",
        "\u{202e}\u{1b}[0m",
    ];
    let help = answered(dir, &["--help"]).out;
    let word = |line: &str| {
        let name = line.strip_prefix("  ")?.split(' ').next()?;
        let is = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase());
        is.then(|| name.to_string())
    };
    let commands: Vec<String> =
        help.lines().filter_map(word).filter(|name| name != "help").collect();
    assert!(commands.len() > 25, "{help}");
    let options: Vec<Vec<String>> = commands
        .iter()
        .map(|command| {
            let help = answered(dir, &[command, "--help"]).out;
            let ends = |c: char| !c.is_ascii_lowercase() && c != '-';
            let words = help.split(ends).filter(|word| word.starts_with("--") && word.len() > 2);
            words.map(str::to_string).collect()
        })
        .collect();
    let mut ends = [0; 3];
    for case in 0..cases(60) {
        let mut random = Random::new(&[SEED, case]);
        for (name, text) in files {
            fs::write(dir.join(name), text).expect("written");
        }
        let n = random.below(commands.len() as u32) as usize;
        let mut args = vec![commands[n].as_str()];
        // What runs until it is stopped.
        args.extend(match args[0] {
            "fuzz" => &["--count", "2"][..],
            "bench" | "card" => &["--list"],
            _ => &[],
        });
        for _ in 0..random.below(6) {
            match random.below(3) {
                0 => args.push(&options[n][random.below(options[n].len() as u32) as usize]),
                _ => args.push(random.pick(&values)),
            }
        }
        ends[answered(dir, &args).status as usize] += 1;
    }
    println!("{ends:?}");
    assert!(ends[0] > 0 && ends[2] > 0, "{ends:?}");
}
