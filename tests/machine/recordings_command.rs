//! Recordings and the command: how much memory it takes for one, the jobs it makes of them, what it says.

use super::recordings_truth::{OWN, Scripted, ctm, load, open, open_with, out, says, start};
use ctm::command::Builder;
use ctm::device::DeviceConfig;
use ctm::engine::Engine;
use ctm::engine::block::Block;
use ctm::memory::{ArenaKind, ArenaSizes};
use ctm::record::{Event, Open};
use std::path::Path;
use std::sync::Arc;

/// The address space of the command itself, in KiB. A driver for a GPU would take more.
#[cfg(target_os = "linux")]
const COMMAND: u64 = 300 << 10;

#[cfg(target_os = "linux")]
#[test]
fn an_honest_recording_of_zeros_replays_in_little_memory() {
    const BYTES: usize = 256 << 20;
    let folder = tempfile::tempdir().expect("a folder");
    let arenas = ArenaSizes { gpu: BYTES as u64, gpub: 0, sys: 0, sysc: 0 };
    let device = open(folder.path(), arenas);
    device.write_memory(device.base(ArenaKind::Gpu), &vec![0; BYTES]).expect("inside");
    drop(device);
    let file = folder.path().join("client.rec");
    assert!(file.metadata().expect("a file").len() < 4 << 20);
    // The arena, and a few records of 16 MiB.
    let most = COMMAND + (BYTES as u64 >> 10) * 5 / 4;
    let found = ctm(folder.path(), "replay client.rec --engine block", Some(most));
    assert!(found.status.success(), "{}", out(&found));
}

#[cfg(target_os = "linux")]
#[test]
fn a_reader_takes_at_most_four_times_the_bytes() {
    const WORDS: usize = 32 << 20;
    let folder = tempfile::tempdir().expect("a folder");
    let device = open(folder.path(), OWN);
    // Each word is the first one of a command, and an error: all of it is one submission.
    let id = device.submit_words(vec![0; WORDS]);
    assert!(device.wait(id).expect("a report").error.is_some());
    drop(device);
    let file = folder.path().join("client.rec");
    assert!(file.metadata().expect("a file").len() < 4 << 20);
    let most = COMMAND + 4 * ((4 * WORDS as u64) >> 10);
    for command in ["info client.rec", "replay client.rec --engine block"] {
        let found = ctm(folder.path(), command, Some(most));
        assert!(found.status.success(), "{command}: {}", out(&found));
    }
}

#[test]
fn a_folder_for_a_job_can_be_named_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let device = open(path, OWN);
    let gpu = device.base(ArenaKind::Gpu);
    load(&device, gpu, "mov o0, 9\n");
    let mut words = Builder::new();
    start(&mut words, gpu, None, gpu + 0x4000, 8);
    let id = device.submit_words(words.into_words());
    assert!(device.wait(id).expect("a report").is_clean());
    drop(device);
    let told = says(path, "replay client.rec --to-job 7 jobs/l0", 2);
    let expected = "ctm: client.rec: there is no launch 7 in it: it has 1 launch, counted from 0\n";
    assert_eq!(told, expected);
    std::fs::write(path.join("not.rec"), "x").expect("room");
    says(path, "replay not.rec --to-job 0 jobs/l0", 2);
    // Parents are made, and neither failure is in the way.
    assert_eq!(says(path, "replay client.rec --to-job 0 jobs/l0", 0), "jobs/l0/job.toml\n");
    let names = |folder: &Path| {
        let entries = std::fs::read_dir(folder).expect("a folder");
        entries.map(|entry| entry.expect("an entry").file_name()).collect::<Vec<_>>()
    };
    assert_eq!(names(&path.join("jobs")), ["l0"]);
    says(path, "verify jobs/l0/job.toml", 0);
    let text = std::fs::read_to_string(path.join("jobs/l0/job.toml")).expect("a job");
    assert!(!text.contains("{  }"), "{text}");
    assert!(text.contains("\nfile = \"program.elf\"\n"), "{text}");
    let told = says(path, "replay client.rec --to-job 0 jobs/l0", 2);
    assert_eq!(told, "ctm: --to-job jobs/l0: the folder is not empty\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |folder: &str| {
            let about = std::fs::metadata(path.join(folder)).expect("a folder");
            about.permissions().mode()
        };
        // It has the mode of any new folder, in a folder like /tmp, too.
        std::fs::create_dir(path.join("open")).expect("room");
        let plain = mode("open");
        let open = std::fs::Permissions::from_mode(0o1777);
        std::fs::set_permissions(path.join("open"), open).expect("its owner");
        says(path, "replay client.rec --to-job 0 open/l0", 0);
        assert_eq!(mode("open/l0"), plain);
    }
}

#[test]
fn a_job_of_a_launch_has_the_names_of_its_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let device = open(path, OWN);
    let gpu = device.base(ArenaKind::Gpu);
    load(&device, gpu, ".input photo i0\n.output result o0\nld r1, photo[r0.rg]\nmov result, r1\n");
    let mut words = Builder::new();
    start(&mut words, gpu, Some(gpu + 0x4000), gpu + 0x8000, 8);
    let id = device.submit_words(words.into_words());
    assert!(device.wait(id).expect("a report").is_clean());
    drop(device);
    assert_eq!(says(path, "replay client.rec --to-jobs jobs", 0), "wrote 1 job in jobs\n");
    let text = std::fs::read_to_string(path.join("jobs/launch_0000/job.toml")).expect("a job");
    for part in [
        "name = \"photo\"",
        "inputs = { 0 = \"photo\" }",
        "outputs = { 0 = \"result\" }",
        "buffer = \"result\"",
        "file = \"program.elf\"",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(says(path, "verify jobs", 0).contains("1 passed"));
    let told = says(path, "replay client.rec --to-jobs jobs", 2);
    assert_eq!(told, "ctm: --to-jobs jobs: the folder is not empty\n");
    let told = says(path, "profile client.rec", 0);
    assert!(told.contains("client.rec: 1 launch of 1 program in 1 submission; "), "{told}");
    assert!(told.contains("  0 test  "), "{told}");
    let told = says(path, "profile client.rec --launch 0 --top 1", 0);
    assert!(told.contains("launch 0 of a recording\n\npass 0: "), "{told}");
    let told = says(path, "profile client.rec --html p.html", 2);
    assert_eq!(told, "ctm: --html: client.rec is a recording; --launch N chooses a launch\n");
    let told = says(path, "profile jobs/launch_0000/job.toml --launch 0", 2);
    assert_eq!(told, "ctm: jobs/launch_0000/job.toml: --launch is for recordings\n");
}

/// Records a client in a folder of its own: its program, and what it submits after that.
fn client<E: Engine + 'static>(folder: &Path, engine: E, program: &str, submissions: u16) {
    std::fs::create_dir(folder).expect("room");
    let device =
        open_with(folder, DeviceConfig { arenas: OWN, ..DeviceConfig::new(Arc::new(engine)) });
    let gpu = device.base(ArenaKind::Gpu);
    load(&device, gpu, program);
    for n in 1..=submissions {
        let mut words = Builder::new();
        start(&mut words, gpu, None, gpu + 0x4000, n);
        let id = device.submit_words(words.into_words());
        assert!(device.wait(id).expect("a report").is_clean());
    }
}

#[test]
fn two_recordings_part_where_the_clients_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let block = Block::new;
    client(&path.join("a"), block(), "mov o0, 9\n", 3);
    client(&path.join("same"), block(), "mov o0, 9\n", 3);
    client(&path.join("more"), block(), "mov o0, 9\n", 4);
    client(&path.join("program"), block(), "mov o0, 8\n", 3);
    let changed = Scripted::new(|number, launch, memory| {
        let output = launch.outputs[0].expect("an output");
        // The low byte of 9.0 is 0.
        let byte = [if number == 1 { 1 } else { 0 }];
        memory.write(output.base, &byte).expect("the output");
        Ok(())
    });
    client(&path.join("result"), changed, "mov o0, 9\n", 3);
    assert_eq!(
        says(path, "diff a/client.rec same/client.rec", 0),
        "equal: 3 submissions, 3 launches the same\n"
    );
    for (other, place, what) in [
        (
            "more",
            "device 0: A: closed; B: submission 4",
            "before it 3 submissions, 3 launches the same",
        ),
        ("program", "device 0, submission 1, before it: the host writes ", ", which differ\n"),
        (
            "result",
            "device 0, submission 2: word ",
            " writes output 0, which differs; before it 1 submission,",
        ),
    ] {
        let told = says(path, &format!("diff a/client.rec {other}/client.rec"), 1);
        let rest = told.strip_prefix(&format!("different: {place}"));
        assert!(rest.is_some_and(|rest| rest.contains(what)), "{other}: {told}");
    }
    let told = says(path, "diff more/client.rec a/client.rec --json", 1);
    let object: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!((&object["equal"], &object["launches"]), (&false.into(), &3.into()));
    std::fs::write(path.join("x.npy"), "no array").expect("room");
    for (arguments, text) in [
        ("no.rec a/client.rec", "cannot read no.rec: No such file or directory (os error 2)"),
        (
            "a/client.rec x.npy",
            "a/client.rec is a recording, x.npy is not: they cannot be compared",
        ),
        (
            "a/client.rec same/client.rec --ulps 1",
            "tolerances are for arrays, and these are recordings",
        ),
    ] {
        assert_eq!(says(path, &format!("diff {arguments}"), 2), format!("ctm: {text}\n"));
    }
}

#[test]
fn every_command_knows_a_recording() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let device = open(path, OWN);
    let id = device.submit_words(Vec::new());
    assert!(device.wait(id).expect("a report").is_clean());
    drop(device);
    std::fs::write(path.join("p.dpp"), "mov o0, 1\n").expect("room");
    for command in [
        "run client.rec",
        "new client.rec folder",
        "verify client.rec",
        "batch client.rec --report r.jsonl",
        "bench client.rec",
        "asm client.rec -o p.elf",
        "compile client.rec -o p.elf",
        "disasm client.rec",
        "translate client.rec",
        "stats client.rec",
        "mesa bisect client.rec",
        "compare client.rec p.dpp",
        "compare p.dpp client.rec",
    ] {
        let output = ctm(path, command, None);
        assert!(!output.status.success(), "{command}");
        let told = out(&output);
        assert!(
            told.contains("found a recording of a client: `ctm replay FILE`"),
            "{command}: {told}"
        );
        assert!(told.contains("--to-job"), "{command}: {told}");
    }
}

#[test]
fn a_file_that_is_not_there_is_said_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = says(folder.path(), "replay no.rec", 2);
    let reason = "No such file or directory (os error 2)";
    assert_eq!(told, format!("ctm: no.rec: cannot read it: {reason}\n"));
}

/// A recording with one record of this content.
fn with_content(path: &Path, content: &[u8]) {
    let hash = xxhash_rust::xxh3::xxh3_64;
    let mut file = b"CTM-REC\n".to_vec();
    file.extend(ctm::record::VERSION.to_le_bytes());
    file.extend((hash(&file) as u32).to_le_bytes());
    let packed = lz4_flex::block::compress(content);
    let mut frame = (packed.len() as u32).to_le_bytes().to_vec();
    frame.extend((content.len() as u32).to_le_bytes());
    frame.extend(hash(&packed).to_le_bytes());
    frame.extend(hash(&frame).to_le_bytes());
    std::fs::write(path, [file, frame, packed].concat()).expect("room");
}

#[test]
fn long_texts_of_a_recording_are_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("long.rec");
    let long = || "\u{e4}".repeat(1 << 20);
    let open = Open {
        ctm: long(),
        arenas: [0; 4],
        engine: long(),
        mode: long(),
        statistics: false,
        instructions: 1,
    };
    with_content(&file, &postcard::to_allocvec(&(0u32, Event::Open(open))).expect("room"));
    for (command, status, begin) in [
        ("info long.rec", 0, "device 0: open: ctm \u{e4}"),
        ("replay long.rec", 2, "ctm: long.rec: record at offset 16: mode \"\u{e4}"),
    ] {
        let told = says(folder.path(), command, status);
        assert!(told.starts_with(begin), "{told:.100}");
        assert!(told.len() < 8000, "{} bytes", told.len());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn bombs_are_refused_in_little_memory() {
    const BYTES: usize = 128 << 20;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bomb.rec");
    let long = |number: u64| -> Vec<u8> {
        // A number as postcard writes it.
        let mut rest = number;
        let mut bytes = Vec::new();
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
        bytes
    };
    let zeros = vec![0; BYTES];
    // Device 0; event Write, Fetched or Submit.
    for (name, content) in [
        ("a list longer than the record", [&[0, 1][..], &long(u64::MAX), &zeros].concat()),
        ("a list of bytes longer than it", [&[0, 1, 0][..], &long(1 << 40), &zeros].concat()),
        ("empty pieces", [&[0, 2][..], &long(BYTES as u64 / 12 * 12), &zeros].concat()),
        ("a text longer than the record", [&[0, 3, 0, 0, 0, 0, 0, 0][..], &long(1 << 50)].concat()),
    ] {
        with_content(&file, &content);
        for command in ["info bomb.rec", "replay bomb.rec"] {
            let found = ctm(folder.path(), command, Some(COMMAND + 4 * (BYTES as u64 >> 10)));
            let told = out(&found);
            assert_eq!(found.status.code(), Some(2), "{name}: {told}");
            let place = told.contains("damaged at offset 16: the fields of a record")
                || told.contains("record at offset 16: device 0 is not open");
            assert!(place, "{name}: {told}");
        }
    }
}
