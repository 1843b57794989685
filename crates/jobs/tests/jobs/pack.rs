//! Jobs that run together.

use crate::job_common::{directory, parse, save};
use ctm_jobs::array::Dtype;
use ctm_jobs::job::{Job, JobError, JobResult, RunOptions, run_pack};
use ctm_machine::engine::NoProgress;
use ctm_machine::engine::block::Block;
use std::fs;

/// A job that adds 1 to an array `repeat` times; it names a file only while `dir` is there.
fn job(n: u32, repeat: u32, more: &str) -> Job {
    let dir = directory();
    fs::write(dir.path().join("more.dpp"), "ld r1, i0[r0.rg]\nadd o0, r1, 1\n").unwrap();
    let units = (0..16).map(|at| ((n + at) as f32).to_bits()).collect();
    save(dir.path(), "a.npy", Dtype::Float32, &[4, 4], units);
    parse(
        dir.path(),
        &format!(
            "version = 1
            [[buffer]]
            name = \"sum\"
            file = \"a.npy\"
            format = \"FLOAT32_1\"
            {more}
            [[pass]]
            program = {{ file = \"more.dpp\" }}
            domain = {{ i0 = 0, j0 = 0, i1 = 3, j1 = 3 }}
            inputs = {{ 0 = \"sum\" }}
            outputs = {{ 0 = \"sum\" }}
            repeat = {repeat}"
        ),
    )
}

/// The parts of a result that do not depend on time.
fn told(result: &Result<JobResult, JobError>) -> Result<String, String> {
    let result = result.as_ref().map_err(ToString::to_string)?;
    let JobResult { launches, points, groups, statistics, clocks, card, faults, hazards, .. } =
        result;
    let units = result.raster(0).unwrap().units;
    Ok(format!(
        "{launches} {points} {groups} {statistics:?} {clocks:?} {card:?} {faults:?} {hazards:?} {units:?}"
    ))
}

#[test]
fn results_are_those_of_jobs_alone() {
    let mut jobs: Vec<Job> = (0..9).map(|n| job(n, 1 + n % 4, "")).collect();
    // A launch that cannot be run.
    jobs[5].passes[0].inputs.clear();
    assert!(jobs.iter().all(Job::packs));
    for statistics in [false, true] {
        let options = RunOptions { statistics, ..RunOptions::default() };
        let all: Vec<&Job> = jobs.iter().collect();
        let together = run_pack(&all, &Block::new(), &options, &NoProgress);
        assert_eq!(together.len(), jobs.len());
        for (job, ran) in jobs.iter().zip(&together) {
            assert_eq!(told(ran), told(&job.run(&Block::new(), &options, &NoProgress)));
        }
        assert!(together[5].as_ref().is_err_and(|error| error.to_string().contains("never set")));
    }
    assert!(run_pack(&[], &Block::new(), &RunOptions::default(), &NoProgress).is_empty());
}

#[test]
fn jobs_of_many_launches_or_with_pictures_between_them_run_alone() {
    assert!(job(0, 4, "").packs());
    assert!(!job(0, 5, "").packs());
    assert!(!job(0, 2, "animation = \"sum.png\"").packs());
}
