//! `ctm batch --resume`: after a torn report, after failures, after a kill.

use crate::batch_common::{PROGRAM, batch, files, folder, job, report, statuses, summary};
use crate::cli::start;
use std::fs;

#[test]
fn a_torn_report_is_gone_on_with() {
    let whole = folder(12);
    let args = ["--report", "r.jsonl", "-j", "1", "."];
    let ran = batch(whole.path(), &args);
    assert_eq!((ran.status, ran.out.as_str()), (0, ""), "{}", ran.err);
    let text = report(whole.path());
    let order = statuses(&text);
    let expected = files(whole.path());
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    for cut in [0, 1, ends[0] - 1, ends[0], ends[4] + 20, ends[10], ends[11] - 1, ends[11]] {
        let dir = folder(12);
        let path = dir.path();
        fs::write(path.join("r.jsonl"), &text[..cut]).expect("written");
        // What a killed process leaves: the results of complete lines, perhaps half a file.
        let complete = ends.iter().filter(|&&end| end <= cut).count();
        for (name, _) in &order[..complete] {
            let number = name.trim_start_matches("./job").trim_end_matches(".toml");
            let name = format!("out{number}.npy");
            fs::copy(whole.path().join(&name), path.join(&name)).expect("copied");
        }
        if complete < 12 {
            let next = order[complete].0.trim_start_matches("./job");
            let name = format!(".out{}.npy.ctm-part", next.trim_end_matches(".toml"));
            fs::write(path.join(name), "half").expect("written");
        }
        let ran = batch(path, &[&args[..], &["--resume"]].concat());
        assert_eq!(ran.status, 0, "{}", ran.err);
        let expected_summary = match complete {
            0 => "12 jobs: 12 ok, 0 failed".to_string(),
            n => format!("12 jobs: {} ok, 0 failed, {n} skipped", 12 - n),
        };
        assert_eq!(summary(&ran), expected_summary);
        let after = report(path);
        assert!(
            after.starts_with(&text[..ends.get(complete.wrapping_sub(1)).copied().unwrap_or(0)])
        );
        assert_eq!(statuses(&after), order, "cut at {cut}");
        assert_eq!(files(path), expected, "cut at {cut}");
    }
}

#[test]
fn a_killed_batch_is_gone_on_with() {
    const JOBS: usize = 160;
    let make = || {
        let dir = folder(0);
        fs::write(dir.path().join("p.dpp"), "mad r1, r0, c0, r1\n".repeat(40) + PROGRAM)
            .expect("written");
        for n in 0..JOBS {
            let text = job("p.dpp", n, 32, &format!("out{n}"));
            fs::write(dir.path().join(format!("job{n}.toml")), text).expect("written");
        }
        dir
    };
    let whole = make();
    let args = ["batch", ".", "--report", "r.jsonl", "--engine", "reference", "-j", "1"];
    // On a busy machine a batch can end before anyone gets to kill it; not every time.
    let killed = (0..5).find_map(|_| {
        let dir = make();
        let path = dir.path();
        let mut child = start(path, &args);
        // Until the first lines are there.
        while fs::metadata(path.join("r.jsonl")).map_or(0, |meta| meta.len()) == 0
            && child.try_wait().expect("a child").is_none()
        {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        let lines = report(path).matches('\n').count();
        println!("killed after {lines} of {JOBS} jobs");
        (lines < JOBS).then_some(dir)
    });
    let dir = killed.expect("a batch that was killed");
    let path = dir.path();
    for (name, _) in statuses(&report(path)[..report(path).rfind('\n').map_or(0, |n| n + 1)]) {
        let name = name.replace("job", "out").replace(".toml", ".npy");
        assert!(path.join(&name).exists(), "{name} is not there");
    }
    let ran = batch(path, &[".", "--report", "r.jsonl", "-j", "1", "--resume"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let ran = batch(whole.path(), &[".", "--report", "r.jsonl", "-j", "1"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(files(path), files(whole.path()));
    assert_eq!(statuses(&report(path)), statuses(&report(whole.path())));
}
