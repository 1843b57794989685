//! Recordings: a random stream of commands on every engine, launches as jobs, damaged and torn
//! files, files that cannot be written. `CTM_FULL=1` replays 2,000 submissions instead of 60.

use crate::common;
use ctm::command::{Builder, ConstantFormat, Layout, SurfaceFormat};
use ctm::crosscheck::{Case, Strength, generate};
use ctm::device::{Device, DeviceConfig};
use ctm::elf;
use ctm::engine::block::Block;
use ctm::launch::Limits;
use ctm::memory::{ArenaSizes, Surface};
use ctm::record::{Event, Reader, RecordError, Recording, Replay, ReplayOptions, VERSION};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

const ARENAS: ArenaSizes = ArenaSizes { gpu: 1 << 20, gpub: 0, sys: 0, sysc: 1 << 20 };
const GPU: u32 = Case::BASE;
const PROGRAM: u32 = GPU + (256 << 10);
const CONSTANTS: u32 = GPU + (512 << 10);

fn ctm(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ctm"));
    command.args(arguments).output().expect("the command starts")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn format(surface: &Surface) -> SurfaceFormat {
    let Surface { pitch, tiling, format, .. } = *surface;
    SurfaceFormat {
        address: surface.base,
        layout: Layout { pitch, tiling, format },
        height: surface.height,
    }
}

/// The commands that start a generated program; `None` if commands cannot say it. `caches`: whether
/// they flush what it wrote.
fn buffer(case: &Case, caches: bool) -> Option<Vec<u32>> {
    let launch = &case.launch;
    let mut builder = Builder::new();
    for (n, surface) in (0..).zip(&launch.inputs) {
        if let Some(surface) = surface {
            builder.append_set_inp_fmt(n, format(surface)).ok()?;
        }
    }
    for (n, surface) in (0..).zip(&launch.outputs) {
        if let Some(surface) = surface {
            builder.append_set_out_fmt(n, format(surface)).ok()?;
        }
    }
    builder.append_set_domain(launch.domain).ok()?;
    builder.append_set_constf_fmt(ConstantFormat { address: CONSTANTS, layout: None }).ok()?;
    builder.append_set_inst_fmt(PROGRAM).ok()?;
    builder.append_inv_inst_cache().append_inv_constf_cache().append_inv_inp_cache();
    builder.append_start_program();
    if caches {
        builder.append_flush_out_cache();
    }
    Some(builder.into_words())
}

/// Records `count` submissions of generated programs.
pub fn record(path: &Path, count: u64) {
    record_with(path, count, true);
}

fn record_with(path: &Path, count: u64, caches: bool) {
    let recording = Recording::create(path).expect("a new file");
    let mut config = DeviceConfig {
        arenas: ARENAS,
        client_memory: true,
        limits: Limits { instructions: 600 },
        ..DeviceConfig::new(Arc::new(Block::new()))
    };
    config.recorder = Some(Arc::new(recording.device(&config)));
    let device = Device::open(config).expect("2 MiB");
    let mut made = 0;
    for index in 0.. {
        if made == count {
            break;
        }
        let case = generate(18, Strength::of_index(index), index);
        let Some(words) = buffer(&case, caches) else {
            continue;
        };
        let program = elf::write(case.launch.program.image());
        let constants: Vec<u8> =
            case.launch.constants.float.iter().flatten().flat_map(|w| w.to_le_bytes()).collect();
        device.write_memory(GPU, &case.bytes).expect("inside");
        device.write_memory(PROGRAM, &program).expect("inside");
        device.write_memory(CONSTANTS, &constants).expect("inside");
        // Every other buffer is in system memory, where the client writes it.
        let id = match index % 2 {
            0 => device.submit_words(words),
            _ => {
                let address = GPU + (1 << 20);
                let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                device.write_memory(address, &bytes).expect("inside");
                device.submit(address, words.len() as u32).expect("inside")
            }
        };
        device.wait(id).expect("a report");
        made += 1;
    }
}

fn count(bytes: &[u8]) -> Result<usize, RecordError> {
    let mut reader = Reader::new(bytes)?;
    let mut count = 0;
    while reader.next_entry()?.is_some() {
        count += 1;
    }
    Ok(count)
}

#[test]
fn a_random_stream_replays_with_equal_hashes_on_all_engines() {
    let full = std::env::var_os("CTM_FULL").is_some_and(|value| value == "1");
    replay_stream(if full { 2000 } else { 60 });
}

#[test]
#[ignore = "takes minutes"]
fn a_long_random_stream_replays_with_equal_hashes_on_all_engines() {
    replay_stream(2000);
}

/// Records `count` submissions and replays them on each engine.
fn replay_stream(count: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("stream.rec");
    record(&path, count);
    for engine in common::engines() {
        let mut reader = Reader::open(&path).expect("a recording");
        let mut replay = Replay::new(engine.as_ref(), &ReplayOptions::default());
        let (mut submissions, mut launches) = (0, 0);
        while let Some(entry) = reader.next_entry().expect("not damaged") {
            if let Some(step) = replay.step(entry).expect("in place") {
                let name = engine.name();
                assert_eq!(step.mismatch, None, "{name}, {}", step.place);
                submissions += 1;
                launches += step.report.launches;
            }
        }
        assert_eq!(submissions, count);
        assert!(launches > count / 2, "{launches} launches");
    }
}

#[test]
fn every_launch_as_a_job_gives_the_same_result() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("stream.rec");
    record(&path, 16);
    let file = path.to_str().expect("UTF-8");
    let all = folder.path().join("jobs/all");
    let found = ctm(&["replay", file, "--to-jobs", all.to_str().unwrap()]);
    assert!(found.status.success(), "{}", out(&found));
    let mut jobs = 0;
    loop {
        let job = folder.path().join(format!("job{jobs}"));
        let found = ctm(&["replay", file, "--to-job", &jobs.to_string(), job.to_str().unwrap()]);
        if !found.status.success() {
            let text = out(&found);
            assert!(text.contains(&format!("there is no launch {jobs} in it")), "{text}");
            break;
        }
        let found = ctm(&["verify", job.join("job.toml").to_str().unwrap()]);
        assert!(found.status.success(), "launch {jobs}: {}", out(&found));
        // A client gives all constants, also those that are 0.
        let found = out(&ctm(&["check", job.join("job.toml").to_str().unwrap()]));
        assert!(!found.contains("missing-constant"), "launch {jobs}: {found}");
        let text = fs::read_to_string(job.join("job.toml")).expect("a job");
        assert!(text.contains("\nUS_CONFIG = 0x"), "{text}");
        // One at a time or all at once: the same files.
        let one_of_all = all.join(format!("launch_{jobs:04}"));
        let mut names: Vec<_> = fs::read_dir(&job).expect("a folder").collect();
        names.sort_by_key(|entry| entry.as_ref().expect("an entry").file_name());
        assert!(names.len() >= 2);
        assert_eq!(fs::read_dir(&one_of_all).expect("a folder").count(), names.len());
        for entry in names {
            let name = entry.expect("an entry").file_name();
            let [one, other] =
                [&job, &one_of_all].map(|of| fs::read(of.join(&name)).expect("there"));
            assert!(one == other, "launch {jobs}: {name:?}");
        }
        jobs += 1;
    }
    let folders = fs::read_dir(&all).expect("a folder").count();
    assert_eq!(folders, jobs);
    let found = ctm(&["profile", file, "--json"]);
    let object: serde_json::Value = serde_json::from_str(&out(&found)).expect("JSON");
    assert_eq!(object["launches"].as_array().expect("a list").len(), jobs);
    assert_eq!(object["submissions"], 16);
    assert!(jobs > 8, "{jobs} launches");
}

#[test]
fn recordings_differ_in_the_first_command_that_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    record(&path("a.rec"), 4);
    record_with(&path("b.rec"), 4, false);
    let part = ctm::record::differ(&path("a.rec"), &path("b.rec")).expect("two recordings");
    let text = part.difference.expect("b flushes no cache");
    assert!(text.starts_with("device 0, submission 1, word "), "{text}");
    assert!(text.ends_with(": A: flush_out_cache; B: no more commands"), "{text}");
    assert_eq!((part.submissions, part.launches), (0, 0));
}

#[test]
fn a_changed_hash_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("one.rec");
    record(&path, 3);
    let mut reader = Reader::open(&path).expect("a recording");
    let engine = Block::new();
    let mut replay = Replay::new(&engine, &ReplayOptions::default());
    let mut found = Vec::new();
    while let Some(mut entry) = reader.next_entry().expect("not damaged") {
        if let Event::Submit(submission) = &mut entry.event
            && let Some(change) = submission.changes.first_mut()
        {
            change.hash ^= 1;
        }
        found.extend(replay.step(entry).expect("in place").and_then(|step| step.mismatch));
    }
    assert!(!found.is_empty());
    for mismatch in found {
        let text = mismatch.to_string();
        assert!(text.starts_with("word ") && text.ends_with(" has other bytes"), "{text}");
    }
}

#[test]
fn a_torn_end_is_dropped_and_other_damage_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("one.rec");
    record(&path, 2);
    let bytes = fs::read(&path).expect("written");
    let all = count(&bytes).expect("whole");
    let mut last = 0;
    let places = || (16..400).chain((400..bytes.len()).step_by(29)).chain([bytes.len()]);
    for end in places() {
        let found = count(&bytes[..end]).expect("a torn record is no error");
        assert!(found >= last);
        last = found;
    }
    assert_eq!(last, all);
    // A bit in any byte: the records before it can be read, then there is an error.
    for at in (0..16).chain(places()).filter(|&at| at < bytes.len()) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        match count(&damaged) {
            Err(RecordError::NotRecording) => assert!(at < 8, "byte {at}"),
            Err(RecordError::Damaged { offset, .. }) => assert!(offset <= at as u64, "byte {at}"),
            other => panic!("byte {at}: {other:?}"),
        }
    }
    let bad = folder.path().join("bad.rec");
    let mut damaged = bytes.clone();
    damaged[20] ^= 1;
    fs::write(&bad, &damaged).expect("room");
    let found = ctm(&["replay", bad.to_str().unwrap()]);
    assert_eq!(found.status.code(), Some(2));
    let text = out(&found);
    assert!(text.ends_with("damaged at offset 16: the frame of a record\n"), "{text}");
}

#[test]
fn empty_files_and_other_versions_are_refused() {
    assert!(matches!(Reader::new(&b""[..]), Err(RecordError::NotRecording)));
    let mut header = b"CTM-REC\n".to_vec();
    header.extend((VERSION + 1).to_le_bytes());
    let hash = xxhash_rust::xxh3::xxh3_64(&header) as u32;
    header.extend(hash.to_le_bytes());
    let error = Reader::new(header.as_slice()).err().expect("a later version");
    assert_eq!(error.to_string(), "recording of version 3; this ctm reads version 2");
}

#[test]
fn a_file_that_exists_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kept.rec");
    fs::write(&path, "kept").expect("room");
    assert!(Recording::create(&path).is_err());
    assert_eq!(fs::read_to_string(&path).expect("there"), "kept");
    assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 1);
}

#[test]
fn subcommands_take_recordings() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("three.rec");
    record(&path, 3);
    let file = path.to_str().expect("UTF-8");
    let text = |arguments: &[&str], status: i32| {
        let found = ctm(arguments);
        assert_eq!(found.status.code(), Some(status), "{arguments:?}: {}", out(&found));
        out(&found)
    };
    let found = text(&["info", file], 0);
    assert!(found.starts_with("device 0: open: ctm "), "{found}");
    assert!(found.contains("start_program  launch 0\n"), "{found}");
    assert!(found.contains(&format!("  set_inst_fmt 0x{PROGRAM:08x}\n")), "{found}");
    assert!(found.ends_with("device 0: close\n"), "{found}");
    let found = text(&["crosscheck", file, "--engine", "reference,block"], 0);
    assert!(found.contains("3 submissions, "), "{found}");
    // The third one's program writes memory with an alpha, and nothing else is wrong.
    let found = text(&["check", file], 1);
    assert!(found.starts_with("[fault] Error: an uncached write had an alpha"), "{found}");
    assert!(found.ends_with("1 file checked: 1 error\n"), "{found}");
    let careless = folder.path().join("careless.rec");
    record_with(&careless, 3, false);
    let found = text(&["check", careless.to_str().expect("UTF-8")], 1);
    assert!(found.contains("[missing-cache-command] Error: submission "), "{found}");
    assert!(found.contains("flush_out_cache"), "{found}");
    let found = text(&["replay", file, "--until", "2", "--json"], 0);
    let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    assert_eq!((&found["submissions"], &found["same"]), (&2.into(), &true.into()));
    let script = folder.path().join("script.txt");
    fs::write(&script, "step\n").expect("room");
    let script = script.to_str().expect("UTF-8");
    let found = text(&["debug", file, "--launch", "0", "--batch", "-x", script], 0);
    assert!(found.starts_with("pass 0, group 0, step 0"), "{found}");
    let found = text(&["debug", file, "--batch", "-x", script], 2);
    assert!(found.ends_with(": a recording; --launch N chooses a launch\n"), "{found}");
}
