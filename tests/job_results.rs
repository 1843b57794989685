//! What comes of a job: faults and statistics of all its launches, checks, files.

mod job_common;

use ctm::array::Dtype;
use ctm::engine::reference::Reference;
use ctm::engine::{Fault, FaultCode, Statistics};
use ctm::job::{IgnoreProgress, Job, RunOptions, RunProgress};
use job_common::{Fake, PASS, SHORT, buffers, directory, parse, run, save};
use std::fs;
use std::sync::Mutex;

#[test]
fn faults_hazards_and_statistics_of_all_launches_are_put_together() {
    let dir = directory();
    let mut fake = Fake::default();
    let fault = Fault {
        count: 2,
        i: 5,
        j: 6,
        order: 1,
        pc: 3,
        slot: 0,
        word: 0,
    };
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
        &format!("{}{PASS}repeat = 4", buffers(dir.path())),
    );
    let options = RunOptions {
        statistics: true,
        ..RunOptions::default()
    };
    struct Calls(Mutex<Vec<(u64, u64, u64, u64)>>);
    impl RunProgress for Calls {
        fn at(&self, launch: u64, launches: u64, done: u64, total: u64) {
            let mut calls = self.0.lock().unwrap();
            calls.push((launch, launches, done, total));
        }
    }
    let calls = Calls(Mutex::default());
    let result = job.run(&fake, &options, &calls).unwrap();
    assert_eq!(
        result.faults.get(FaultCode::Budget),
        Some(&Fault { count: 8, ..fault })
    );
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
    let result = job.run(&fake, &options, &IgnoreProgress).unwrap();
    assert!(result.statistics.is_none() && result.clocks.is_none());
    assert!(result.pi_per_second().is_none());
    assert_eq!(result.points, 40);
}

#[test]
fn expected_faults_do_not_fail_a_job_and_missing_ones_do() {
    let dir = directory();
    let mut fake = Fake::default();
    let fault = Fault {
        count: 1,
        i: 0,
        j: 0,
        order: 0,
        pc: 9,
        slot: 0,
        word: 0,
    };
    fake.outcome.faults.add(FaultCode::Budget, fault);
    let check = |expect: &str, engine: &Fake| {
        let job = parse(dir.path(), &format!("{SHORT}{expect}"));
        let checks = job.check(&run(&job, engine)).unwrap();
        checks
            .into_iter()
            .map(|c| (c.passed, c.text))
            .collect::<Vec<_>>()
    };
    let text = "budget: the group ran over its instruction budget: once at point (0, 0), pc 9";
    assert_eq!(check("", &fake), [(false, text.to_string())]);
    assert_eq!(
        check("[[expect]]\nfault = \"budget\"", &fake),
        [(true, text.to_string())]
    );
    assert_eq!(
        check("[[expect]]\nfault = \"budget\"", &Fake::default()),
        [(false, "fault budget: it did not occur".to_string())]
    );
}

#[test]
fn checks_compare_and_bad_expected_files_are_errors() {
    let dir = directory();
    save(dir.path(), "one.npy", Dtype::Uint16, &[1, 1, 1], vec![101]);
    save(
        dir.path(),
        "two.npy",
        Dtype::Uint16,
        &[1, 2],
        vec![101, 102],
    );
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
            Err(error) => error
                .to_string()
                .replace(&format!("{}/", dir.path().display()), ""),
        }
    };
    assert_eq!(check("one.npy", ""), "true buffer b: all 1 values equal");
    assert_eq!(
        check("a.npy", ""),
        "false buffer b: 1 of 1 values differ (100.00%), first at point (0, 0): got 101 (0x0065), \
         want 100 (0x0064); worst error 1e0"
    );
    assert_eq!(
        check("a.npy", "atol = 1"),
        "true buffer b: all 1 values equal within the tolerance; worst error 1e0"
    );
    assert_eq!(
        check("none.npy", ""),
        "job.toml:19: expect[0].file: cannot read none.npy: No such file or directory (os error 2)"
    );
    assert_eq!(
        check("junk.npy", ""),
        "job.toml:19: expect[0].file: junk.npy: it is no .npy file"
    );
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
        "none.toml: cannot read none.toml: No such file or directory (os error 2)"
    );
    fs::write(
        dir.path().join("bytes.toml"),
        b"version = 1\nabout = \"\xff\"",
    )
    .unwrap();
    assert_eq!(
        read("bytes.toml"),
        "bytes.toml: offset 0x15: the file is not UTF-8 text"
    );

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
