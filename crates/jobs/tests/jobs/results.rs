//! Results of a job: faults and statistics of all its launches, checks, files.

use crate::job_common::{Fake, PASS, SHORT, buffers, directory, parse, run, save};
use ctm_jobs::array::Dtype;
use ctm_jobs::job::{Job, RunOptions, RunProgress};
use ctm_machine::engine::reference::Reference;
use ctm_machine::engine::{Fault, FaultCode, NoProgress, Statistics};
use std::fs;
use std::path::Path;
use std::sync::Mutex;

#[test]
fn faults_hazards_and_statistics_of_all_launches_are_put_together() {
    let dir = directory();
    let mut fake = Fake::default();
    let fault = Fault { count: 2, i: 5, j: 6, order: 1, pc: 3, slot: 0, word: 0 };
    fake.outcome.faults.add(FaultCode::Budget, fault);
    fake.outcome.groups = 3;
    fake.outcome.points = 10;
    fake.outcome.hazards = vec!["reads and writes overlap".to_string()];
    fake.outcome.statistics = Some(Statistics {
        groups: 3,
        points: 10,
        alu: 3,
        lane_instructions: 100,
        ..Statistics::default()
    });
    let job = parse(
        dir.path(),
        &format!("{}{PASS}outputs = {{ 0 = \"b\" }}\nrepeat = 4", buffers(dir.path())),
    );
    let options = RunOptions { statistics: true, ..RunOptions::default() };
    struct Calls(Mutex<Vec<(u64, u64, u64, u64)>>);
    impl RunProgress for Calls {
        fn at(&self, launch: u64, launches: u64, done: u64, total: u64) {
            let mut calls = self.0.lock().unwrap();
            calls.push((launch, launches, done, total));
        }
    }
    let calls = Calls(Mutex::default());
    let result = job.run(&fake, &options, &calls).unwrap();
    assert_eq!(result.faults.get(FaultCode::Budget), Some(&Fault { count: 8, ..fault }));
    assert_eq!(result.hazards, ["reads and writes overlap"]);
    assert_eq!((result.groups, result.launches), (12, 4));
    let statistics = result.statistics.unwrap();
    assert_eq!((statistics.alu, statistics.lane_instructions), (12, 400));
    assert_eq!(result.points, 40);
    assert_eq!(result.clocks, Some(4 * 204));
    assert_eq!(
        calls.0.into_inner().unwrap(),
        [(0, 4, 1, 1), (1, 4, 1, 1), (2, 4, 1, 1), (3, 4, 1, 1)]
    );

    // Without them nothing is made up.
    fake.outcome.statistics = None;
    let result = job.run(&fake, &options, &NoProgress).unwrap();
    assert!(result.statistics.is_none() && result.clocks.is_none());
    assert!(result.pi_per_second().is_none());
    assert_eq!(result.points, 40);
}

#[test]
fn expected_faults_do_not_fail_a_job_and_missing_ones_do() {
    let dir = directory();
    let mut fake = Fake::default();
    let fault = Fault { count: 1, i: 0, j: 0, order: 0, pc: 9, slot: 0, word: 0 };
    fake.outcome.faults.add(FaultCode::Budget, fault);
    let check = |expect: &str, engine: &Fake| {
        let output = "[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\n";
        let job = parse(dir.path(), &format!("{SHORT}{output}{expect}"));
        let checks = job.check(&run(&job, engine)).unwrap();
        checks.into_iter().map(|c| (c.passed, c.text)).collect::<Vec<_>>()
    };
    let text = "budget: the group ran over its budget of 16777216 instructions (--limit, [limits]): once at point (0, 0), pc 9";
    assert_eq!(check("", &fake), [(false, text.to_string())]);
    assert_eq!(check("[[expect]]\nfault = \"budget\"", &fake), [(true, text.to_string())]);
    assert_eq!(
        check("[[expect]]\nfault = \"budget\"", &Fake::default()),
        [(false, "fault budget: it did not occur".to_string())]
    );
}

#[test]
fn checks_compare_and_bad_expected_files_are_errors() {
    let dir = directory();
    save(dir.path(), "one.npy", Dtype::Uint16, &[1, 1, 1], vec![101]);
    save(dir.path(), "two.npy", Dtype::Uint16, &[1, 2], vec![101, 102]);
    fs::write(dir.path().join("junk.npy"), "junk").unwrap();
    let check = |file: &str, more: &str| {
        let text = format!(
            "{}{PASS}inputs = {{ 0 = \"a\" }}\noutputs = {{ 0 = \"b\" }}\n\
             [[expect]]\nbuffer = \"b\"\nfile = \"{file}\"\n{more}",
            buffers(dir.path())
        );
        let job = parse(dir.path(), &text);
        match job.check(&run(&job, &Fake::default())) {
            Ok(checks) => format!("{} {}", checks[0].passed, checks[0].text),
            Err(error) => error.to_string().replace(&format!("{}/", dir.path().display()), ""),
        }
    };
    assert_eq!(check("one.npy", ""), "true buffer b: all 1 values equal");
    assert_eq!(
        check("a.npy", ""),
        "false buffer b: 1 of 1 values differ (100.00%), first at point (0, 0): got 101 (0x0065), \
         want 100 (0x0064); worst error 1"
    );
    assert_eq!(
        check("a.npy", "atol = 1"),
        "true buffer b: all 1 values equal within the tolerance; worst error 1"
    );
    assert_eq!(
        check("none.npy", ""),
        "job.toml:19: expect[0].file: cannot read none.npy: No such file or directory (os error 2)"
    );
    assert_eq!(check("junk.npy", ""), "job.toml:19: expect[0].file: junk.npy: not a .npy file");
    assert_eq!(
        check("two.npy", ""),
        "job.toml:19: expect[0].file: two.npy: found uint16 (1, 2), needed uint16 (height, width) \
         or (height, width, 1) for UINT16_1 with height 1 and width 1"
    );
}

#[test]
fn files_that_cannot_be_read_or_written_are_named() {
    let dir = directory();
    let short = |text: String| text.replace(&format!("{}/", dir.path().display()), "");
    let read = |name: &str| short(Job::read(&dir.path().join(name)).unwrap_err().to_string());
    assert_eq!(
        read("none.toml"),
        "none.toml: cannot read it: No such file or directory (os error 2)"
    );
    fs::write(dir.path().join("bytes.toml"), b"version = 1\nabout = \"\xff\"").unwrap();
    assert_eq!(read("bytes.toml"), "bytes.toml: offset 0x15: the file is not UTF-8 text");
    let large = format!("version = 1\n#{}", " ".repeat(8 << 20));
    fs::write(dir.path().join("large.toml"), &large).unwrap();
    assert_eq!(read("large.toml"), "large.toml: cannot read it: it is larger than 8388608 bytes");
    let error = Job::parse(&large, Path::new("large.toml")).map(|_| ()).unwrap_err().to_string();
    assert_eq!(error, "large.toml: the job has 8388621 bytes, expected at most 8388608");
    let error = Job::parse(&large[..8 << 20], Path::new("large.toml")).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("program: missing"), "{error}");

    let text =
        format!("{SHORT}[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\nsave = \"no/such/out.npy\"");
    let job = parse(dir.path(), &text);
    let mut result = run(&job, &Reference::new());
    let error = short(job.save(&mut result).unwrap_err().to_string());
    assert_eq!(
        error.split(" at path").next(),
        Some(
            "job.toml:7: output[0].save: cannot write no/such/out.npy: No such file or directory \
             (os error 2)"
        )
    );
}

/// Uses c0 (given as data or not), c7 and c8, n4, b2 and b5; n31 is the program's own.
const CONSTANTS: &str = "
.literal c9 1 2 3 4
    mad r1, c0, c7, c8
    add r1, r1, c9
    rep n4
        break if b2
        continue if !b5
    endrep
    rep 3
    endrep
    mov o0, r1
";

/// The warnings of a job with this program and these constants.
fn constants_warned(program: &str, constants: &str) -> Vec<String> {
    let dir = directory();
    fs::write(dir.path().join("p.dpp"), program).unwrap();
    let text = SHORT.replace("p.hex", "p.dpp");
    let text = format!("{text}{constants}\n[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\n");
    parse(dir.path(), &text).warnings
}

#[test]
fn constants_that_a_program_uses_and_a_job_does_not_give_are_listed() {
    let none = Vec::<String>::new();
    assert_eq!(
        constants_warned(CONSTANTS, ""),
        [
            "p.dpp: the program uses float constants 0, 7 to 8, which the job does not give: they read 0",
            "p.dpp: the program uses integer constant 4, which the job does not give: it reads 0",
            "p.dpp: the program uses boolean constants 2, 5, which the job does not give: they read 0",
        ]
    );
    assert_eq!(
        constants_warned(
            CONSTANTS,
            "constants = { float = { 7 = [0, 0, 0, 0], 0 = [1, 1, 1, 1] }, int = { 4 = [0, 0, 0] }, bool = [] }"
        ),
        ["p.dpp: the program uses float constant 8, which the job does not give: it reads 0"]
    );
    assert_eq!(
        constants_warned(".const gain c1\n.const more c3\nmad o0, gain, c5, more", ""),
        ["p.dpp: the program uses float constants 5, 1 `gain`, 3 `more`, which the job does not \
             give: they read 0"]
    );
    let all = "constants = { float_file = \"c.npy\" }";
    let dir = directory();
    save(dir.path(), "c.npy", Dtype::Float32, &[1, 4], vec![0; 4]);
    assert_eq!(parse(dir.path(), &format!("{SHORT}{all}")).warnings, none);
    // Which constants aL reaches depends on the run: silent as soon as there are any.
    let relative = "loop 3\nadd r1, r1, c[aL+5]\nendloop\nmov o0, r1\n";
    assert_eq!(
        constants_warned(relative, ""),
        [
            "p.dpp: the program addresses float constants relative to aL, and the job gives none: they read 0"
        ]
    );
    let one = "constants = { float = { 6 = [0, 0, 0, 0] } }";
    assert_eq!(constants_warned(relative, one), none);
    assert_eq!(constants_warned(&format!(".literal c6 0\n{relative}"), ""), none);
}

#[test]
fn passes_that_lack_the_same_constants_warn_once() {
    let dir = directory();
    let text = format!("{}{}", buffers(dir.path()), PASS.repeat(50));
    assert_eq!(
        parse(dir.path(), &text).warnings,
        ["p.hex: the program uses float constant 0, which the job does not give: it reads 0"]
    );
}

#[test]
fn a_job_says_which_program_of_a_log_runs() {
    let dir = directory();
    let listing = "R500 Fragment Program:\n0\t0:CMN_INST 0x00078001:\n";
    let log = format!("{listing}CONST[0] = {{ 0.25 1.0 1.0 2.0 }}\n{listing}");
    fs::write(dir.path().join("p.hex"), log).unwrap();
    let rounded = "constants are rounded to 2 decimals in the log; --set or a job gives exact ones";
    assert_eq!(
        parse(dir.path(), SHORT).warnings,
        [
            "p.hex, program 1 of 2, counted from 0: pc 0: the last instruction is of type OUT without TEX_SEM_WAIT; hardware needs OUT with TEX_SEM_WAIT there".to_string(),
            "p.hex, program 1 of 2, counted from 0: the job gives no index, so the last one runs".to_string(),
            format!("p.hex, program 1 of 2, counted from 0: {rounded}"),
        ]
    );
    let chosen = |n: usize| {
        let text = SHORT.replace("\"p.hex\"", &format!("\"p.hex\", index = {n}"));
        parse(dir.path(), &text).warnings
    };
    let starts = |warnings: &[String], start: &str| warnings.iter().all(|w| w.starts_with(start));
    assert!(starts(
        &chosen(0),
        "p.hex, program 0 of 2, counted from 0: pc 0: the last instruction"
    ));
    assert_eq!(chosen(0).len(), 1);
    assert_eq!(chosen(1)[1], format!("p.hex, program 1 of 2, counted from 0: {rounded}"));
}
