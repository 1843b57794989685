//! Packs: jobs run from them as from their files, and no bytes make them panic.

use crate::job_common::{directory, save};
use ctm_base::stop::Stop;
use ctm_jobs::array::Dtype;
use ctm_jobs::job::packed::{Pack, Packer, Ready, folder};
use ctm_jobs::job::{Job, JobError, Problem, RunOptions, SharedFiles};
use ctm_machine::engine::NoProgress;
use ctm_machine::engine::block::Block;
use std::fs;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// Writes a pack of job files.
fn write(files: &[PathBuf], pack: &Path) {
    let shared = SharedFiles::new();
    let mut bytes = Vec::new();
    let mut packer = Packer::new(&mut bytes).unwrap();
    for file in files {
        let ready = Ready::read(file, folder(pack).as_deref(), &shared, Stop::never());
        packer.add(&ready.unwrap_or_else(|error| panic!("{error}"))).unwrap();
    }
    let (_, length) = packer.finish().unwrap();
    assert_eq!(bytes.len() as u64, length);
    fs::write(pack, bytes).unwrap();
}

/// The jobs of a pack, or the error of the pack.
fn jobs(pack: &Path) -> Result<Vec<Result<Job, JobError>>, String> {
    let shared = SharedFiles::new();
    let pack = Pack::open(pack, &shared).map_err(|error| error.to_string())?;
    let numbers = pack.jobs().map_err(|error| error.to_string())?;
    for &number in &numbers {
        pack.about(number).map_err(|error| error.to_string())?;
    }
    Ok(numbers.into_iter().map(|number| pack.job(number, &shared)).collect())
}

/// The report and the results of a run, without times.
fn told(job: &Job) -> Result<String, JobError> {
    let options = RunOptions { statistics: true, ..RunOptions::default() };
    let result = job.run(&Block::new(), &options, &NoProgress)?;
    let buffers = 0..job.buffers.len();
    let units: Vec<_> = buffers.map(|n| result.raster(n).unwrap().units).collect();
    let faults: Vec<_> = result.job_faults(job).iter().map(|fault| fault.text()).collect();
    let (shared, statistics, warnings) = (&result.shared, result.statistics, &result.warnings);
    Ok(format!("{units:?} {faults:?} {shared:?} {statistics:?} {warnings:?} {:?}", job.saves()))
}

/// All there is to say of a job, but for its programs and their time.
fn shown(mut job: Job, programs: &Job) -> String {
    job.compile = None;
    for (pass, other) in job.passes.iter_mut().zip(&programs.passes) {
        pass.program = other.program.clone();
    }
    format!("{job:?}")
}

/// The job files of a folder and below.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "toml") {
            found.push(path);
        }
    }
}

#[test]
fn kernels_run_from_a_pack_as_from_their_files() {
    let mut paths = Vec::new();
    files(&ctm_testing::files::root().join("kernels"), &mut paths);
    // Those of shaders need the compiler; tests of the command have them, too.
    let readable = |path: &PathBuf| match Job::read(path) {
        Ok(_) => true,
        Err(error) => {
            assert!(error.to_string().contains("this build of ctm does not compile"), "{error}");
            false
        }
    };
    paths.retain(readable);
    assert!(paths.len() > 15, "{}", paths.len());
    let dir = tempfile::tempdir().unwrap();
    let pack = dir.path().join("kernels.pack");
    write(&paths, &pack);
    let jobs = jobs(&pack).unwrap();
    assert_eq!(jobs.len(), paths.len());
    for (path, packed) in paths.iter().zip(jobs) {
        let job = Job::read(path).unwrap();
        let packed = packed.unwrap_or_else(|error| panic!("{error}"));
        for (one, other) in job.passes.iter().zip(&packed.passes) {
            assert_eq!(one.program.image(), other.program.image(), "{}", path.display());
        }
        assert_eq!(told(&job), told(&packed), "{}", path.display());
        assert_eq!(shown(job.clone(), &job), shown(packed, &job));
    }
}

/// A folder with two jobs that have all kinds of members, and their pack.
fn small() -> (tempfile::TempDir, PathBuf) {
    let dir = directory();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("more.dpp"), "ld r1, i0[r0.rg]\nadd o0, r1, c0\n").unwrap();
    save(dir.path(), "a.npy", Dtype::Float32, &[4, 4], (0..16).collect());
    let long = "version = 1
        [[buffer]]
        name = \"a\"
        file = \"a.npy\"
        format = \"FLOAT32_1\"
        save = \"sum.npy\"
        image = \"sum.png\"
        [[buffer]]
        name = \"b\"
        fill = 2
        width = 4
        height = 4
        address = 0x1000
        format = \"FLOAT32_1\"
        [[pass]]
        program = { file = \"more.dpp\" }
        domain = { i0 = 0, j0 = 0, i1 = 3, j1 = 3 }
        inputs = { 0 = \"a\" }
        outputs = { 0 = \"b\" }
        mask = \"r\"
        swap = [\"a\", \"b\"]
        each = { float.0 = [[1, 0, 0, 0], [2, 0, 0, 0]] }
        condition = { buffer = \"b\", test = \"ALWAYS\", location = \"DPP\" }
        [[expect]]
        buffer = \"a\"
        file = \"want.npy\"
        atol = 0.5";
    fs::write(at("long.toml"), long).unwrap();
    let short = "version = 1
        program = { file = \"p.hex\" }
        domain = { i0 = 0, j0 = 0, i1 = 3, j1 = 1 }
        constants = { float = { 0 = [0.5, 1, 2, 3] }, int = { 1 = [3, 2, -1] }, bool = { 4 = true } }
        [[initial]]
        temp = 3
        fill = [1, 2, 3, 4]
        [[output]]
        slot = 0
        format = \"UINT8_4\"
        save = \"short.npy\"
        [[expect]]
        fault = \"budget\"";
    fs::write(at("short.toml"), short).unwrap();
    let pack = at("small.pack");
    write(&[at("long.toml"), at("short.toml")], &pack);
    (dir, pack)
}

#[test]
fn a_pack_needs_no_other_file() {
    let (dir, pack) = small();
    let of_files = ["long.toml", "short.toml"].map(|name| {
        let job = Job::read(&dir.path().join(name)).unwrap();
        (told(&job), shown(job.clone(), &job), job)
    });
    for name in ["a.npy", "more.dpp", "p.hex", "long.toml", "short.toml"] {
        fs::remove_file(dir.path().join(name)).unwrap();
    }
    for ((told_of_file, shown_of_file, job), packed) in of_files.iter().zip(jobs(&pack).unwrap()) {
        let packed = packed.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(told(&packed), *told_of_file);
        assert_eq!(shown(packed, job), *shown_of_file);
    }
    // Files that it saves lie where the pack does.
    let moved = tempfile::tempdir().unwrap();
    let there = moved.path().join("moved.pack");
    fs::copy(&pack, &there).unwrap();
    let saves = jobs(&there).unwrap()[0].as_ref().unwrap().saves();
    assert_eq!(saves, ["sum.npy", "sum.png"].map(|name| moved.path().join(name)));
}

#[test]
fn files_outside_the_folder_of_a_pack_have_absolute_paths() {
    let (dir, _) = small();
    let far = tempfile::tempdir().unwrap();
    let pack = far.path().join("far.pack");
    write(&[dir.path().join("long.toml")], &pack);
    let job = jobs(&pack).unwrap().remove(0).unwrap();
    assert_eq!(job.saves(), ["sum.npy", "sum.png"].map(|name| dir.path().join(name)));
}

#[test]
fn every_changed_byte_and_every_cut_is_an_error() {
    let (dir, pack) = small();
    let bytes = fs::read(&pack).unwrap();
    let changed = dir.path().join("changed.pack");
    let is_error = |bytes: &[u8], what: &str| {
        fs::write(&changed, bytes).unwrap();
        match jobs(&changed) {
            Err(text) => assert!(text.starts_with(&format!("{}: ", changed.display())), "{text}"),
            Ok(jobs) => {
                let errors: Vec<_> = jobs.into_iter().filter_map(Result::err).collect();
                assert!(!errors.is_empty(), "{what}");
                for error in errors {
                    assert!(error.to_string().contains("changed.pack: "), "{what}: {error}");
                    assert!(!matches!(*error.problem, Problem::Panic(_)), "{what}: {error}");
                }
            }
        }
    };
    for at in 0..bytes.len() {
        for bit in [1, 0x80] {
            let mut changed = bytes.clone();
            changed[at] ^= bit;
            is_error(&changed, &format!("byte {at}"));
        }
    }
    for length in 0..bytes.len() {
        is_error(&bytes[..length], &format!("{length} bytes"));
    }
    is_error(&[&bytes[..], b"more"].concat(), "more bytes");
}

/// The number at an offset.
fn number(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

/// The places of the records of a pack, each with that of its hash.
fn records(bytes: &[u8]) -> Vec<(std::ops::Range<usize>, usize)> {
    let index = number(bytes, bytes.len() - 24);
    let entries = (index..bytes.len() - 24).step_by(24);
    entries.map(|at| (number(bytes, at)..number(bytes, at + 24), at + 16)).collect()
}

/// Gives a record the right hash.
fn hash(bytes: &mut [u8], (record, at): &(std::ops::Range<usize>, usize)) {
    let hash = xxh3_64(&bytes[record.clone()]);
    bytes[*at..at + 8].copy_from_slice(&hash.to_le_bytes());
}

#[test]
fn records_of_other_writers_are_refused_or_run() {
    let (dir, pack) = small();
    let bytes = fs::read(&pack).unwrap();
    let changed = dir.path().join("changed.pack");
    let (mut refused, mut ran) = (0, 0);
    for record in records(&bytes) {
        for at in record.0.clone() {
            for value in [bytes[at] ^ 1, 0, 0xff] {
                let mut other = bytes.clone();
                other[at] = value;
                hash(&mut other, &record);
                fs::write(&changed, &other).unwrap();
                let Ok(jobs) = jobs(&changed) else {
                    refused += 1;
                    continue;
                };
                for job in jobs {
                    let small = |job: &Job| {
                        let points = job.passes.iter().map(|pass| pass.domain.points());
                        let surfaces: u64 = job.buffers.iter().map(|buffer| buffer.bytes()).sum();
                        let far = job.buffers.iter().filter_map(|buffer| buffer.address).max();
                        job.launches() <= 100
                            && points.sum::<u64>() <= 1 << 16
                            && surfaces + u64::from(far.unwrap_or(0)) <= 1 << 22
                            && job.limits.instructions <= 1 << 24
                    };
                    let error = match job {
                        Ok(job) if small(&job) => {
                            ran += 1;
                            told(&job).err()
                        }
                        Ok(_) => None,
                        Err(error) => Some(error),
                    };
                    refused += usize::from(error.is_some());
                    let panicked = |error: &JobError| matches!(*error.problem, Problem::Panic(_));
                    assert!(
                        !error.as_ref().is_some_and(panicked),
                        "byte {at} is {value}: {error:?}"
                    );
                }
            }
        }
    }
    assert!(refused > 300 && ran > 300, "{refused} refused, {ran} ran");
}

/// The error of a pack with these bytes, without its path.
fn error_of(dir: &Path, bytes: &[u8]) -> String {
    let path = dir.join("changed.pack");
    fs::write(&path, bytes).unwrap();
    let text = match jobs(&path) {
        Err(text) => text,
        Ok(jobs) => jobs.into_iter().find_map(Result::err).expect("an error").to_string(),
    };
    text.replace(&format!("{}/", dir.display()), "")
}

#[test]
fn errors_name_the_place_the_value_and_what_is_expected() {
    let (dir, pack) = small();
    let bytes = fs::read(&pack).unwrap();
    let records = records(&bytes);
    let with = |at: usize, value: u64| {
        let mut bytes = bytes.clone();
        bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        error_of(dir.path(), &bytes)
    };
    let index = number(&bytes, bytes.len() - 24);
    let (foot, last) = (bytes.len() - 24, records.len() - 1);
    assert_eq!(
        error_of(dir.path(), b"version = 1"),
        "changed.pack: not a pack: it does not begin with \"CTMPACK\""
    );
    assert_eq!(
        error_of(dir.path(), &bytes[..20]),
        "changed.pack: offset 0x0: the length of the file is 20, expected at least 40"
    );
    let mut version = bytes.clone();
    version[8] = 2;
    assert_eq!(
        error_of(dir.path(), &version),
        "changed.pack: a pack of version 2; this ctm reads version 1"
    );
    assert_eq!(
        error_of(dir.path(), &bytes[..bytes.len() - 1]),
        format!(
            "changed.pack: offset {:#x}: the foot does not have its checksum: it is damaged or cut short",
            foot - 1
        )
    );
    assert_eq!(
        with(index + 24, 15),
        format!(
            "changed.pack: offset {:#x}: the offset of the next record is 15, expected 16 to {index}: records \
             follow each other",
            index + 24
        )
    );
    assert_eq!(
        with(index + 8, 3),
        format!(
            "changed.pack: offset {:#x}: the kind of a record is 3, expected 0, 1 or 2",
            index + 8
        )
    );
    assert_eq!(
        with(index, 8),
        format!(
            "changed.pack: offset {index:#x}: the offset of the first record is 8, expected 16: records follow \
             the head"
        )
    );
    // A damaged program is an error of its job, and one that is not valid.
    let program = &records[0].0;
    let mut damaged = bytes.clone();
    damaged[program.start + 200] ^= 1;
    assert_eq!(
        error_of(dir.path(), &damaged),
        "long.toml: changed.pack: offset 0x10: program 0 does not have its checksum: it is damaged or cut short"
    );
    damaged[program.start + 200] = bytes[program.start + 200];
    let text = program.start + number(&bytes, program.start + 52 + 4) % (1 << 32);
    damaged[text..text + 24].fill(0xff);
    hash(&mut damaged, &records[0]);
    let said = error_of(dir.path(), &damaged);
    assert!(
        said.starts_with(
            "long.toml: changed.pack: program 0 at offset 0x10: the program is not valid:\n  more.dpp:1:1: pc \
             0: US_TEX_INST.INST is 7, which is reserved; allowed: "
        ),
        "{said}"
    );
    // The last record is a job.
    let job = &records[last];
    let mut cut = bytes.clone();
    cut[job.0.end - 1] = 0xff;
    hash(&mut cut, job);
    let said = error_of(dir.path(), &cut);
    assert!(said.contains(&format!("job {last} at offset {:#x}: ", job.0.start)), "{said}");
}

#[test]
fn a_program_may_have_registers_that_no_executable_has() {
    let dir = directory();
    let two = "mov o0, c0\nmov o0, c1\n";
    let image = ctm_lang::asm::assemble(two, "two").unwrap();
    fs::write(dir.path().join("two.hex"), ctm_lang::raw::write_hex(&image)).unwrap();
    let registers =
        ["US_CODE_RANGE = 0x00050000", "US_CODE_RANGE = 0, US_CODE_ADDR = 0", "US_W_FMT = 7"];
    let files: Vec<PathBuf> =
        (0..registers.len()).map(|n| dir.path().join(format!("{n}.toml"))).collect();
    for (file, registers) in files.iter().zip(registers) {
        let text = format!(
            "version = 1
            program = {{ file = \"two.hex\", registers = {{ {registers} }} }}
            domain = {{ i0 = 0, j0 = 0, i1 = 1, j1 = 0 }}
            constants = {{ float = {{ 0 = [1, 2, 3, 4], 1 = [5, 6, 7, 8] }} }}
            output = [{{ slot = 0, format = \"FLOAT32_4\" }}]"
        );
        fs::write(file, text).unwrap();
    }
    let pack = dir.path().join("odd.pack");
    write(&files, &pack);
    for (file, packed) in files.iter().zip(jobs(&pack).unwrap()) {
        let (job, packed) = (Job::read(file).unwrap(), packed.unwrap());
        assert_eq!(packed.passes[0].program.image(), job.passes[0].program.image());
        assert_eq!(told(&packed), told(&job));
    }
}

/// A number in postcard's encoding.
fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// Parts of a record as docs/packs.md has them: numbers, and texts in quotes.
fn record(parts: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in parts.split_whitespace() {
        match part.strip_prefix('"') {
            Some(text) => {
                let text = text.trim_end_matches('"');
                bytes.extend(varint(text.len() as u64));
                bytes.extend(text.as_bytes());
            }
            None if part.contains('.') => bytes.extend(part.parse::<f32>().unwrap().to_le_bytes()),
            None => bytes.extend(varint(part.parse().unwrap())),
        }
    }
    bytes
}

/// The links of [`other`], its limit of instructions, and its pass from the constants on.
const OTHER: [&str; 3] =
    ["1 0 0 1 1", "1000", "1 0 0 1065353216 0 0 0  0  0 0  1 0 0  1 0 1  0 0  0  1 0"];

/// A pack by another writer, from docs/packs.md alone.
fn other([links, limit, pass]: [&str; 3]) -> Vec<u8> {
    let image = ctm_lang::asm::assemble("ld r1, i0[r0.rg]\nadd o0, r1, c0", "other").unwrap();
    let array = [&[2][..], &[1, 0, 2, 0, 0xff, 0xff]].concat();
    let name_digest_files = "\"other\" 5 0 0 1 \"x.npy\" 100000";
    let place = "7 \"key\" 1 1 9";
    let no_pictures = "0 0 10 1 0.0 1.0";
    let job = format!(
        "\"about\" 0 {limit}
         2 \"in\" 0 0 0 0 3 1 64 0 0 2 0 0 {no_pictures} {place}
           \"out\" 1 0 2 0 3 1 64 1 4096 0 0 0 1 \"x.npy\" {no_pictures} {place}
         1 \"other.elf\" 0 0 2 0 {pass} {place}
         0 0 1 \"warning\""
    );
    let job = record(&format!("{name_digest_files} {links} {job}"));
    let mut bytes = b"CTMPACK\n\x01\0\0\0".to_vec();
    let hash = xxh3_64(&bytes) as u32;
    bytes.extend(hash.to_le_bytes());
    let mut index = Vec::new();
    for (kind, record) in [ctm_lang::elf::write(&image), array, job].into_iter().enumerate() {
        index.push([bytes.len() as u64, kind as u64, xxh3_64(&record)]);
        bytes.extend(record);
    }
    let foot = [bytes.len() as u64, 3].map(u64::to_le_bytes).concat();
    bytes.extend(index.as_flattened().iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend(&foot);
    bytes.extend(xxh3_64(&foot).to_le_bytes());
    bytes
}

/// Many numbers.
fn times(count: usize, number: &str) -> String {
    format!("{number} ").repeat(count)
}

#[test]
fn jobs_that_no_file_could_give_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let [links, limit, pass] = OTHER;
    let refused = |parts: [&str; 3], expected: &str| {
        let error = error_of(dir.path(), &other(parts));
        assert!(error.starts_with("other: changed.pack: job 2 at offset "), "{error}");
        assert!(error.ends_with(expected), "{error}");
    };
    let of_pass = |before: &str, after: &str, expected: &str| {
        assert!(pass.contains(before));
        refused([links, limit, &pass.replacen(before, after, 1)], expected);
    };
    let no = "the number of instructions is 0, expected 1 to 9223372036854775807";
    refused([links, "0", pass], no);
    let many = format!("16385 {} 1 1", times(16385, "0 0"));
    refused([&many, limit, pass], "16385 passes, expected at most 16384");
    refused(["2 0 0 0 0 1 1", limit, pass], "2 programs, expected 1, one for each pass");
    refused(["1 0 0 0", limit, pass], "0 arrays, expected 1");
    of_pass("1 0 0  1 0 1", "2 0 0 0 0  1 0 1", "pass 0: an input is given twice: 0");
    of_pass("1 0 0  1 0 1", "1 0 0  2 0 1 0 1", "pass 0: an output is given twice: 0");
    let each = "1 0 300 1 1 0 0 0  0  1 0 0";
    of_pass("0 0  1 0 0", each, "pass 0: a float constant is 300, expected 0 to 255");
    let each = format!("0  1 1 5000 {} 1 0 0  1 0 1  0 0  0  5000 0", times(5000, "0"));
    let expected = "pass 0: the number of values for repetitions is 5000, expected 1 to 4096";
    of_pass("0 0  1 0 0  1 0 1  0 0  0  1 0", &each, expected);
    of_pass("0 0  0  1 0", "0 0  2 3 3  1 0", "pass 0: a temporary is given twice: 3");
    of_pass("0 0  0  1 0", "0 0  1 3  1 0", "1 arrays, expected 2");
    let temps = format!("0 0  200 {} 1 0", times(200, "3"));
    of_pass("0 0  0  1 0", &temps, "its part Job cannot be decoded: Serde Deserialization Error");
    // The array has three units, not one for each point and channel.
    let mut temps = [links, limit, pass].map(String::from);
    temps[0] = "1 0 0 2 1 1".to_string();
    temps[2] = pass.replacen("0 0  0  1 0", "0 0  1 3  1 0", 1);
    let temps = temps.each_ref().map(String::as_str);
    refused(temps, "array 1 has 3 units, expected 12");
}

#[test]
fn a_pack_refuses_what_it_would_not_read() {
    let (dir, _) = small();
    let pass =
        "[[pass]]\nprogram.file = \"more.dpp\"\ndomain = { i0 = 0, j0 = 0, i1 = 0, j1 = 0 }\n";
    let file = dir.path().join("passes.toml");
    fs::write(&file, format!("version = 1\n{}", pass.repeat(16_385))).unwrap();
    let shared = SharedFiles::new();
    let error = Ready::read(&file, None, &shared, Stop::never()).err().expect("an error");
    assert!(error.to_string().ends_with("16385 passes, expected at most 16384"), "{error}");
}

#[test]
fn a_pack_by_another_writer_runs() {
    let bytes = other(OTHER);
    let dir = tempfile::tempdir().unwrap();
    let pack = dir.path().join("other.pack");
    fs::write(&pack, bytes).unwrap();
    let job = jobs(&pack).unwrap().remove(0).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(job.saves(), [dir.path().join("x.npy")]);
    assert_eq!((job.passes[0].location.line_of("save"), job.warnings.len()), (9, 1));
    let result = job.run(&Block::new(), &RunOptions::default(), &NoProgress).unwrap();
    let units = [1.0 / 65535.0, 2.0 / 65535.0, 1.0].map(|value: f32| (value + 1.0).to_bits());
    assert_eq!(result.raster(1).unwrap().units, units);
}
