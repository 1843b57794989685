//! `ctm profile`: its counts, and each of its outputs.

use crate::cli::ctm;
use ctm::crosscheck::{Strength, export, generate};
use ctm::device::Clocks;
use ctm::engine::reference::Reference;
use ctm::engine::{NoProgress, Statistics};
use ctm::isa::{Body, Type};
use ctm::job::{Job, RunOptions};
use ctm::profile::roofline::{Mark, roof};
use ctm::profile::{
    Counts, Distinct, Options, PassProfile, Profile, Row, callgrind, html, profile,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

fn read(file: &Path) -> Job {
    Job::read(file).unwrap_or_else(|error| panic!("{error}"))
}

fn package(file: &str) -> Job {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file))
}

fn profiled(job: &Job, options: &Options) -> Profile {
    profile(job, options, &NoProgress).unwrap_or_else(|error| panic!("{error}"))
}

/// The statistics that the rows of a pass add up to.
fn sums(pass: &PassProfile) -> Statistics {
    let mut sum = Statistics {
        groups: pass.counted.groups,
        points: pass.counted.points,
        ..Statistics::default()
    };
    for (row, instruction) in pass.instructions.iter().zip(pass.program.instructions()) {
        let counts = row.counts;
        *match instruction.common.class {
            Type::Alu => &mut sum.alu,
            Type::Out => &mut sum.out,
            Type::Tex => &mut sum.tex,
            Type::Fc => &mut sum.fc,
        } += counts.groups;
        if matches!(&instruction.body, Body::Tex(tex) if tex.op.fetches()) {
            sum.tex_fetching += counts.groups;
        }
        sum.lane_instructions += counts.lanes;
        sum.fetches += counts.fetches;
        sum.divergent += counts.diverged;
        sum.killed += counts.killed;
    }
    sum
}

/// Jobs with every kind of point: killed, skipped, uncovered, inactive; repeated and swapped passes,
/// passes with a common program, uncached writes.
const JOBS: [&str; 15] = [
    "kernels/conditional/conditional_dpp.toml",
    "kernels/conditional/conditional_pe.toml",
    "kernels/copy/copy.toml",
    "kernels/mandelbrot/mandelbrot_96.toml",
    "kernels/matmul/matmul_64.toml",
    "kernels/nbody/nbody.toml",
    "kernels/scatter/scatter.toml",
    "tests/vectors/exact/condition_00/job.toml",
    "tests/vectors/exact/flow_loop_00/job.toml",
    "tests/vectors/exact/texkill_00/job.toml",
    "tests/vectors/exact/texture_00/job.toml",
    "tests/vectors/jobs/deriv_mix/default.toml",
    "tests/vectors/jobs/fc_nested_loops_break/default.toml",
    "tests/vectors/jobs/kill_in_loop/default.toml",
    "tests/vectors/jobs/kill_loop_flow/m25_noopt.toml",
];

#[test]
fn counts_add_up_to_the_statistics_of_the_run() {
    let (mut killed, mut divergent, mut skipped) = (0, 0, 0);
    for file in JOBS {
        let job = package(file);
        let options = RunOptions { statistics: true, ..RunOptions::default() };
        let expected = job.run(&Reference::new(), &options, &NoProgress).expect("a result");
        let profile = profiled(&job, &Options::default());
        let mut all = Statistics::default();
        assert_eq!(profile.passes.len(), job.passes.len(), "{file}");
        for pass in &profile.passes {
            assert_eq!(pass.launches, u64::from(job.passes[pass.pass].repeat), "{file}");
            assert_eq!(pass.counted, pass.statistics, "{file}");
            assert_eq!(sums(pass), pass.statistics, "{file}");
            assert_eq!(pass.heat.counts().sum::<u64>(), pass.statistics.lane_instructions);
            let mut lines = Counts::default();
            let mut rows = Counts::default();
            pass.lines.iter().for_each(|line| lines += line.row.counts);
            pass.instructions.iter().for_each(|row| rows += row.counts);
            assert!(pass.lines.is_empty() || lines == rows, "{file}");
            skipped += pass.tiles - pass.statistics.groups;
            all += pass.statistics;
        }
        assert_eq!(Some(all), expected.statistics, "{file}");
        assert_eq!(profile.result.statistics, expected.statistics, "{file}");
        (killed, divergent) = (killed + all.killed, divergent + all.divergent);
    }
    assert!(killed > 0 && divergent > 0 && skipped > 0, "{killed} {divergent} {skipped}");
}

/// One model of time: the list adds up to the units' time, the bound is the largest part, and no mark
/// is above the roof. Returns whether the pass has a mark.
fn check_time(file: &str, pass: &PassProfile) -> bool {
    let units = |rows: &mut dyn Iterator<Item = &Row>| {
        rows.fold((Clocks::default(), 0.0), |(mut sum, share), row| {
            sum += row.clocks;
            (sum, share + row.share)
        })
    };
    let (list, share) = units(&mut pass.instructions.iter());
    assert_eq!(list, Clocks::of(&pass.counted), "{file}");
    assert!(list == Clocks::default() || (share - 1.0).abs() < 1e-9, "{file}: {share}");
    if !pass.is_sample() {
        assert_eq!(list, pass.time.units, "{file}");
    }
    if !pass.lines.is_empty() {
        assert_eq!(units(&mut pass.lines.iter().map(|line| &line.row)).0, list, "{file}");
    }
    let parts = pass.time.parts();
    let largest = parts.iter().map(|(_, time)| *time).max().expect("parts");
    assert!(parts.contains(&(pass.time.bound(), largest)), "{file}: {parts:?}");
    assert!(pass.time.least >= largest, "{file}");
    let Some(mark) = Mark::of(pass) else { return false };
    let top = roof(mark.intensity);
    assert!(mark.rate <= top * (1.0 + 1e-12), "{file}: {} above {top}", mark.rate);
    true
}

#[test]
fn the_list_the_bound_and_the_roofline_are_one_model() {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    // 16 million points each; passes_256 and reduce_256 are the same programs.
    let large = ["passes.toml", "reduce.toml"];
    let folders =
        std::fs::read_dir(kernels).expect("a folder").map(|e| e.expect("an entry").path());
    let files = folders.filter(|path| path.is_dir()).flat_map(|folder| {
        let files = std::fs::read_dir(folder).expect("a folder");
        files.map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>()
    });
    let mut bounds = BTreeMap::<&str, u32>::new();
    let mut check = |file: &Path, profile: &Profile| {
        for pass in &profile.passes {
            if check_time(&file.display().to_string(), pass) {
                *bounds.entry(pass.time.bound().name()).or_default() += 1;
            }
        }
    };
    for file in files.filter(|file| file.extension().is_some_and(|e| e == "toml")) {
        if !large.iter().any(|name| file.ends_with(name)) {
            let options = Options { points: Some(640), ..Options::default() };
            check(&file, &profiled(&read(&file), &options));
        }
    }
    let jumps: String = (0..100).map(|n| format!("jump -> l{n}\nl{n}:\n")).collect();
    let flow = folder("", &format!(".input x i0\n{jumps}mov o0, 1\nend\n"));
    let file = flow.path().join("job.toml");
    check(&file, &profiled(&read(&file), &Options::default()));
    let folder = tempfile::tempdir().expect("a folder");
    let mut ran = 0;
    for index in 0..60 {
        let case = generate(7, Strength::of_index(index), index);
        let to = folder.path().join(index.to_string());
        export::write(&case, &to, "").expect("a job");
        let file = to.join("job.toml");
        // Some lack a surface on purpose.
        if let Ok(profile) = profile(&read(&file), &Options::default(), &NoProgress) {
            check(&file, &profile);
            ran += 1;
        }
    }
    assert!(ran >= 40, "{ran}");
    let names = ["fetches", "flow control", "instructions", "memory"];
    assert_eq!(bounds.keys().copied().collect::<Vec<_>>(), names, "{bounds:?}");
}

/// 60 passes; those with an odd number run more points.
#[test]
fn of_many_passes_the_slowest_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path();
    std::fs::write(dir.join("p.dpp"), "mov o0, 1\nend\n").expect("a file");
    let mut job = "version = 1\n".to_string();
    for pass in 0..60 {
        job += &format!(
            "[[buffer]]\nname = \"a{pass}\"\nformat = \"FLOAT32_1\"\nwidth = 64\nheight = 64\n"
        );
    }
    for pass in 0..60 {
        let last = if pass % 2 == 1 { 63 } else { 7 };
        job += &format!(
            "[[pass]]\nprogram = {{ file = \"p.dpp\" }}\n\
             domain = {{ i0 = 0, j0 = 0, i1 = {last}, j1 = {last} }}\n\
             outputs = {{ 0 = \"a{pass}\" }}\n"
        );
    }
    std::fs::write(dir.join("job.toml"), job).expect("a file");
    let ran = ctm(dir, &["profile", "job.toml", "--html", "p.html"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let passes = |text: &str| {
        let lines = text.lines().filter_map(|line| line.strip_prefix("pass "));
        lines.filter_map(|line| line.split(':').next()?.parse::<u32>().ok()).collect::<Vec<_>>()
    };
    // Of equal ones the first, in the order of the job.
    assert_eq!(passes(&ran.out), (0..20).map(|n| 2 * n + 1).collect::<Vec<_>>());
    let rest = "40 more passes with 40.0% of the time: --top 60 shows them, --pass N shows one\n";
    assert!(ran.out.ends_with(&format!("{rest}wrote p.html\n")), "{}", ran.out);
    let page = std::fs::read_to_string(dir.join("p.html")).expect("a page");
    assert_eq!(page.matches("<section id=\"pass-").count(), 50);
    assert!(page.contains("10 others take 3.3% of it."), "{page}");
    // The outputs of these passes, and no others.
    assert_eq!(page.matches("<b>a").count(), 50);
    assert_eq!(passes(&ctm(dir, &["profile", "job.toml", "--top", "0"]).out).len(), 60);
    let ran = ctm(dir, &["profile", "job.toml", "--json", "--callgrind", "p.cg"]);
    let value: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(value["passes"].as_array().map(Vec::len), Some(60));
    assert_eq!(value["files"], serde_json::json!(["p.cg"]));
}

/// Passes of which no group runs take no time: those left out have no share of it.
#[test]
fn passes_without_time_have_no_share() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path();
    std::fs::write(dir.join("p.dpp"), "mov o0, 1\nend\n").expect("a file");
    let mut job = "version = 1\n".to_string();
    for name in ["o", "d"] {
        job += &format!(
            "[[buffer]]\nname = \"{name}\"\nformat = \"FLOAT32_1\"\nwidth = 8\nheight = 8\nfill = [1]\n"
        );
    }
    for _ in 0..3 {
        job += "[[pass]]\nprogram = { file = \"p.dpp\" }\n\
                domain = { i0 = 0, j0 = 0, i1 = 7, j1 = 7 }\noutputs = { 0 = \"o\" }\n\
                condition = { buffer = \"d\", test = \"NEVER\", location = \"PE\", value = 0 }\n";
    }
    std::fs::write(dir.join("job.toml"), job).expect("a file");
    let ran = ctm(dir, &["profile", "job.toml", "--top", "1"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.out.contains("2 more passes with 0.0% of the time"), "{}", ran.out);
}

/// 20 x 10 points, so that groups have uncovered points; half of them take a branch that fetches one
/// element, the others one that fetches their own and are killed in column 0.
const PROGRAM: &str = ".input data i0
.output out o0
    sub r1.a, r0.r, 10
    mov alu_result >= 0, r1.a
    if alu_result
    ld  r2, data[r4.rg]
    else
    ld  r2, data[r0.rg]
    sub r3.rgb, r0.r, 0.5 | mov r3.a, 0
    texkill r3
    endif
    mov out, r2
    end
";

/// A job in a folder, with a title and this program.
fn folder(about: &str, program: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let job = format!(
        "version = 1\nabout = '''{about}'''\n[program]\nfile = \"p.dpp\"\n\
         [domain]\ni0 = 0\nj0 = 0\ni1 = 19\nj1 = 9\n\
         [[input]]\nslot = 0\nformat = \"FLOAT32_1\"\nfill = 1.0\nwidth = 20\nheight = 10\n\
         [[output]]\nslot = 0\nformat = \"FLOAT32_1\"\n"
    );
    std::fs::write(folder.path().join("job.toml"), job).expect("a file");
    std::fs::write(folder.path().join("p.dpp"), program).expect("a file");
    folder
}

#[test]
fn what_points_do_is_counted_at_its_instruction() {
    let folder = folder("", PROGRAM);
    let job = read(&folder.path().join("job.toml"));
    let profile = profiled(&job, &Options::default());
    let pass = &profile.passes[0];
    // 3 x 2 groups: columns 0-7, 8-15 and 16-19 of rows 0-7 and 8-9. Points 10 to 19 of a row jump
    // neither over the first part nor past it.
    assert_eq!((pass.tiles, pass.statistics.groups, pass.statistics.points), (6, 6, 200));
    let line = |text: &str| {
        let number = PROGRAM.lines().position(|line| line.contains(text)).expect("a line") as u32;
        let line = pass.lines.iter().find(|line| line.line == number + 1);
        &line.expect("instructions").row
    };
    let all = line("sub r1.a").counts;
    assert_eq!((all.groups, all.lanes), (6, 200));
    // The groups of columns 8-15 diverge, in both rows of groups.
    let branch = line("if alu_result").counts;
    assert_eq!((branch.groups, branch.lanes, branch.diverged), (6, 200, 2));
    let one = line("data[r4");
    assert_eq!((one.counts.groups, one.counts.lanes, one.counts.fetches), (4, 100, 100));
    assert_eq!(one.distinct, Distinct { elements: 1, bytes: 4 });
    let own = line("data[r0");
    assert_eq!((own.counts.groups, own.counts.lanes, own.counts.fetches), (4, 100, 100));
    assert_eq!(own.distinct, Distinct { elements: 100, bytes: 400 });
    let kill = line("texkill").counts;
    assert_eq!((kill.groups, kill.lanes, kill.killed), (4, 100, 10));
    // Killed points take no part afterwards.
    let out = line("mov out").counts;
    assert_eq!((out.groups, out.lanes), (6, 190));
    // Element (0, 0) is one of those that points fetch as their own.
    assert_eq!(pass.distinct, Distinct { elements: 100, bytes: 400 });
    let heat: Vec<u64> = pass.heat.counts().collect();
    assert_eq!(heat.iter().filter(|&&count| count < heat[1]).count(), 110);
}

#[test]
fn a_sample_changes_no_result_and_says_so() {
    let job = package("kernels/mandelbrot/mandelbrot_96.toml");
    let whole = profiled(&job, &Options::default());
    let part = profiled(&job, &Options { points: Some(640), ..Options::default() });
    let (all, some) = (&whole.passes[0], &part.passes[0]);
    assert!(some.is_sample() && !all.is_sample());
    assert_eq!((some.sampled, some.counted.groups), (10, 10));
    assert_eq!(some.statistics, all.statistics);
    assert_eq!(sums(some), some.counted);
    let both = all.heat.counts().zip(some.heat.counts());
    assert_eq!(both.filter(|(all, some)| all == some).count(), 640);
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let args = ["profile", "kernels/mandelbrot/mandelbrot_96.toml", "--points", "640"];
    let ran = ctm(dir, &args);
    let note = "sample: the tables and the distinct elements are of 10 of 108 groups";
    assert!(ran.out.contains(note), "{}", ran.out);
}

#[test]
fn one_pass_of_several() {
    let job = package("kernels/conditional/conditional_pe.toml");
    let whole = profiled(&job, &Options::default());
    let one = profiled(&job, &Options { pass: Some(1), ..Options::default() });
    assert_eq!(one.passes.len(), 1);
    assert_eq!(one.passes[0].pass, 1);
    assert_eq!(one.passes[0].counted, whole.passes[1].counted);
    assert_eq!(one.result.statistics, whole.result.statistics);
}

/// A file of Callgrind, read by the grammar of its manual: the costs of each function by its own
/// instructions, those of its calls, and the line `summary`.
struct Callgrind {
    summary: Vec<u64>,
    own: BTreeMap<String, Vec<u64>>,
    /// Caller, callee, calls, costs.
    calls: Vec<(String, String, u64, Vec<u64>)>,
}

fn parse(text: &str) -> Callgrind {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("# callgrind format"));
    let (mut events, mut declared) = (Vec::new(), Vec::new());
    let mut found = Callgrind { summary: Vec::new(), own: BTreeMap::new(), calls: Vec::new() };
    let (mut file, mut function, mut callee, mut calls) = (None, None, None, None);
    for line in lines {
        let numbers = |text: &str| -> Vec<u64> {
            text.split_whitespace().map(|word| word.parse().expect("a number")).collect()
        };
        if line.is_empty() {
            continue;
        } else if let Some((key, value)) = line.split_once(": ")
            && !key.contains(['=', ' '])
        {
            match key {
                "version" => assert_eq!(value, "1"),
                "creator" | "cmd" | "desc" => {}
                "positions" => assert_eq!(value, "instr line"),
                "event" => declared.push(value.split(" : ").next().expect("a name").to_string()),
                "events" => events = value.split(' ').map(String::from).collect(),
                "summary" => found.summary = numbers(value),
                _ => panic!("{line}"),
            }
        } else if let Some((key, value)) = line.split_once('=') {
            assert!(!value.is_empty(), "{line}");
            match key {
                "fl" | "fi" | "fe" => file = Some(value),
                "fn" => function = Some(value.to_string()),
                "cfi" | "cfl" => {}
                "cfn" => callee = Some(value.to_string()),
                "calls" => {
                    let words: Vec<&str> = value.split(' ').collect();
                    assert_eq!(words.len(), 3, "{line}");
                    assert!(words[1].starts_with("0x"), "{line}");
                    calls = Some(words[0].parse::<u64>().expect("a number"));
                }
                _ => panic!("{line}"),
            }
        } else {
            assert!(file.is_some(), "costs before a file: {line}");
            let (pc, rest) = line.split_once(' ').expect("positions");
            let pc = pc.strip_prefix("0x").expect("an address");
            u32::from_str_radix(pc, 16).expect("an address");
            let values = numbers(rest)[1..].to_vec();
            assert_eq!(values.len(), events.len(), "{line}");
            let function = function.clone().expect("a function");
            match calls.take() {
                Some(calls) => {
                    let callee = callee.take().expect("a callee");
                    found.calls.push((function, callee, calls, values));
                }
                None => add(found.own.entry(function).or_default(), &values),
            }
        }
    }
    assert_eq!(declared, events);
    assert_eq!(found.summary.len(), events.len());
    found
}

fn add(sum: &mut Vec<u64>, values: &[u64]) {
    sum.resize(values.len(), 0);
    sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}

#[test]
fn the_callgrind_file_is_consistent() {
    for file in ["kernels/conditional/conditional_pe.toml", "kernels/matmul/matmul_64.toml"] {
        let job = package(file);
        let profile = profiled(&job, &Options::default());
        let found = parse(&callgrind::callgrind(&profile));
        let mut own = Vec::new();
        found.own.values().for_each(|costs| add(&mut own, costs));
        assert_eq!(own, found.summary, "{file}");
        assert_eq!(found.calls.len(), job.passes.len());
        for ((caller, callee, calls, costs), pass) in found.calls.iter().zip(&profile.passes) {
            assert_eq!((caller.as_str(), *calls), ("job", pass.launches));
            assert_eq!(found.own.get(callee), Some(costs), "{callee}");
            assert_eq!(costs[1], pass.statistics.lane_instructions);
        }
    }
}

#[test]
fn the_json_has_the_counts() {
    let folder = folder("", PROGRAM);
    let ran = ctm(folder.path(), &["profile", "job.toml", "--json"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let value: Value = serde_json::from_str(&ran.out).expect("JSON");
    let pass = &value["passes"][0];
    assert_eq!(pass["counted"], pass["statistics"]);
    assert_eq!(pass["distinct"]["elements"], 100);
    let sum = |rows: &Value, key: &str| {
        rows.as_array()
            .expect("rows")
            .iter()
            .map(|row| row[key].as_u64().expect("a count"))
            .sum::<u64>()
    };
    for rows in [&pass["instructions"], &pass["lines"]] {
        assert_eq!(sum(rows, "lanes"), pass["statistics"]["lane_instructions"]);
        assert_eq!(sum(rows, "divergent"), pass["statistics"]["divergent"]);
        assert_eq!(sum(rows, "killed"), 10);
    }
    assert_eq!(pass["lines"][0]["line"], 3);
    assert_eq!(pass["instructions"][0]["lines"], json!([3]));
}

#[test]
fn the_json_has_all_lines_of_an_instruction() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/debug_sessions");
    let ran = ctm(&folder, &["profile", "shader.toml", "--json"]);
    let value: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(value["passes"][0]["instructions"][0]["lines"], json!([12, 13]));
}

#[test]
fn faults_are_shown_with_their_places() {
    let folder = folder("", "");
    let dir = folder.path();
    let source = ".umrt\nmov r1.r, 1\nmov r1.gb, 4096\nmov o0.rgb, r1 | mov o0.a, 0\n";
    std::fs::write(dir.join("out.dpp"), source).expect("a program");
    let job = "version = 1\nprogram = { file = \"out.dpp\" }\n\
               domain = { i0 = 0, j0 = 0, i1 = 3, j1 = 3 }\n\
               output = [{ slot = 0, format = \"FLOAT32_1\" }]\n";
    std::fs::write(dir.join("out.toml"), job).expect("a job");
    let ran = ctm(dir, &["profile", "out.toml", "--html", "p.html"]);
    let fault = "uncached_outside_surface: an uncached write named an element outside output 0; it \
                 was dropped: 16 times, first at point (0, 0), pc 2, out.dpp:4:1";
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(ran.out.contains(&format!("fault: {fault}")), "{}", ran.out);
    assert!(ran.out.contains("4 | mov o0.rgb"), "{}", ran.out);
    let page = std::fs::read_to_string(dir.join("p.html")).expect("a page");
    assert!(page.contains(fault), "{page}");
}

#[test]
fn files_are_written_and_wrong_options_refused() {
    let folder = folder("", PROGRAM);
    let ran = ctm(
        folder.path(),
        &["profile", "job.toml", "--html", "p.html", "--heat", "p.png", "--callgrind", "p.cg"],
    );
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    assert!(ran.out.ends_with("\nwrote p.html\nwrote p.cg\nwrote p.png\n"), "{}", ran.out);
    assert!(
        std::fs::read_to_string(folder.path().join("p.html")).expect("a page").ends_with("</html>")
    );
    parse(&std::fs::read_to_string(folder.path().join("p.cg")).expect("a profile"));
    let png = std::fs::File::open(folder.path().join("p.png")).expect("a picture");
    let reader = png::Decoder::new(std::io::BufReader::new(png)).read_info().expect("PNG");
    assert_eq!((reader.info().width, reader.info().height), (20, 10));

    let dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let two = "kernels/conditional/conditional_pe.toml";
    for (args, expected) in [
        (vec!["--pass", "2"], "ctm: --pass 2: the job has 2 passes, from 0 to 1\n"),
        (vec!["--heat", "x.png"], "ctm: --heat: the job has 2 passes; name one with --pass\n"),
    ] {
        let ran = ctm(dir, &[vec!["profile", two], args].concat());
        assert_eq!((ran.status, ran.err.as_str(), ran.out.as_str()), (2, expected, ""));
    }
    let ran = ctm(folder.path(), &["profile", "job.toml", "--html", "none/p.html"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.starts_with("ctm: cannot write none/p.html: "), "{}", ran.err);
}

/// A title and a comment that a page must not take for its own.
const HOSTILE: &str = "<script>alert(1)</script><img src=x onerror=alert(2)> & \"quoted\"";

fn hostile() -> String {
    let folder = folder(HOSTILE, &format!("; {HOSTILE}\n{PROGRAM}"));
    let job = read(&folder.path().join("job.toml"));
    html::html(&profiled(&job, &Options::default()), &job)
}

#[test]
fn the_page_needs_nothing_else_and_escapes_everything() {
    let page = hostile();
    assert!(!page.contains("<script") && !page.contains("<img src=x"));
    assert_eq!(page.matches("&lt;script&gt;alert(1)").count(), 2);
    for attribute in ["src=\"", "href=\""] {
        for (at, _) in page.match_indices(attribute) {
            let value = &page[at + attribute.len()..];
            assert!(value.starts_with("data:") || value.starts_with("#pass-"), "{}", &value[..20]);
        }
    }
    assert!(!page.contains("url(") && !page.contains("@import"));
    // Pictures of the output and of the instructions.
    assert_eq!(page.matches("data:image/png;base64,").count(), 2);
    // The largest of the parts has the longest bar, and so have both fetches in the tables of lines and
    // instructions.
    assert_eq!(page.matches("<rect width=\"100.00\"").count(), 5);
}

#[test]
fn a_heat_map_of_one_value_is_no_picture() {
    let folder = folder("", ".input x i0\nmov o0, 1\nend\n");
    let job = read(&folder.path().join("job.toml"));
    let page = html::html(&profiled(&job, &Options::default()), &job);
    assert_eq!(page.matches("data:image/png;base64,").count(), 1);
    assert!(page.contains("2, all the same"), "{page}");
}

/// `tests/all.sh` skips the tests of this module where there is no Chromium.
mod in_chromium {
    use super::*;
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;
    use std::process::Command;
    use std::sync::{Arc, Mutex};

    /// Serves a page to Chromium. Returns what it asked for, its document, and its log.
    fn opened(page: String) -> (Vec<String>, String, String) {
        let server = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = server.local_addr().expect("an address");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let requests = asked.clone();
        std::thread::spawn(move || {
            for mut stream in server.incoming().flatten() {
                let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
                let mut first = String::new();
                // A browser also opens connections that it may need later.
                if reader.read_line(&mut first).is_err() || first.is_empty() {
                    continue;
                }
                for line in reader.lines() {
                    if line.is_ok_and(|line| line.is_empty()) {
                        break;
                    }
                }
                requests.lock().expect("a list").push(first.trim().to_string());
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\
                     Connection: close\r\n\r\n",
                    page.len()
                );
                // An error means that the other side is gone.
                let _ = stream.write_all((head + &page).as_bytes());
            }
        });
        let profile = tempfile::tempdir().expect("a folder");
        let named = std::env::var("CTM_CHROMIUM").ok();
        let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
        let names = named.as_deref().map_or(names.to_vec(), |named| vec![named]);
        let run = |name: &&str| {
            Command::new(name)
                .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"])
                .args(["--disable-background-networking", "--disable-component-update"])
                .args(["--enable-logging=stderr", "--dump-dom"])
                .arg(format!("--user-data-dir={}", profile.path().display()))
                .arg(format!("http://{address}/"))
                .output()
                .ok()
        };
        let output = names.iter().find_map(run).expect("a browser");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let asked = asked.lock().expect("a list").clone();
        (asked, text(output.stdout), text(output.stderr))
    }

    #[test]
    #[ignore = "needs Chromium"]
    fn the_page_opens_without_errors_and_asks_for_nothing() {
        let (asked, document, log) = opened(hostile());
        assert_eq!(asked, ["GET / HTTP/1.1"]);
        // The browser refuses what the page's policy forbids, and says so.
        assert!(!log.contains("CONSOLE"), "{log}");
        assert!(document.contains("class=\"roofline\""), "{document}");
        assert_eq!(document.matches("<img ").count(), 2);
        assert!(!document.contains("<script"));
    }

    #[test]
    #[ignore = "needs Chromium"]
    fn an_error_in_the_page_and_a_request_are_found() {
        let page = "<!DOCTYPE html><img src='/x.png'><script>console.error('wrong')</script>";
        let (asked, _, log) = opened(page.to_string());
        assert!(asked.contains(&"GET /x.png HTTP/1.1".to_string()), "{asked:?}");
        assert!(log.contains("CONSOLE") && log.contains("wrong"), "{log}");
    }
}
