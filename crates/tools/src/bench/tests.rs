//! Tests of the measurements, not of speed.

use super::*;
use ctm_jobs::job::{Job, RunOptions};
use ctm_machine::engine::NoProgress;
use ctm_machine::engine::block::Block;
use ctm_machine::engine::reference::Reference;
use ctm_machine::launch::FloatMode;
use std::time::Duration;

fn bench(workload: &Workload, width: u32, height: u32) -> Bench {
    Bench::new(&workload.job(width, height).unwrap()).unwrap()
}

#[test]
fn workloads_do_what_they_say() {
    for workload in WORKLOADS {
        let mut bench = bench(workload, 24, 16);
        let work = bench.count(&Reference::new(), FloatMode::Exact).unwrap();
        let points = 24 * 16;
        assert_eq!((work.points, work.launches, work.faults), (points, 1, 0));
        let per_point = work.instructions / points;
        match workload.name {
            "copy-linear" => assert_eq!((per_point, work.fetches), (2, points)),
            "fetch-linear" | "fetch-tiled" => assert_eq!(work.fetches, 16 * points),
            "divergent-loop" => assert!((80..260).contains(&per_point), "{per_point}"),
            name => assert!((64..=76).contains(&per_point), "{name}: {per_point}"),
        }
        // No NaN or infinity: those would measure something else.
        let (rasters, _) = bench.read_back().unwrap();
        let finite = |&units: &u32| f32::from_bits(units).is_finite();
        assert!(rasters[0].units.iter().all(finite), "{}", workload.name);
        // Points differ, except where all of them read the same.
        if workload.name != "copy-linear" && !workload.name.starts_with("fetch") {
            assert_ne!(rasters[0].units[..4], rasters[0].units[4..8]);
        }
    }
}

#[test]
fn engines_agree_on_the_workloads() {
    for workload in WORKLOADS {
        let mut bench = bench(workload, 40, 24);
        let work = bench.count(&Reference::new(), FloatMode::Exact).unwrap();
        let expected = bench.read_back().unwrap().0;
        assert_eq!(bench.count(&Block::new(), FloatMode::Exact).unwrap(), work);
        assert_eq!(bench.read_back().unwrap().0, expected, "{}", workload.name);
    }
}

#[test]
fn bytes_are_what_a_launch_must_move() {
    let mut bench = bench(Workload::find("copy-linear").unwrap(), 64, 8);
    let work = bench.count(&Block::new(), FloatMode::Exact).unwrap();
    assert_eq!(work.bytes, 2 * 64 * 8 * 16);
}

#[test]
fn every_session_starts_from_the_same_memory() {
    let folder = ctm_testing::files::root().join("kernels/nbody/nbody.toml");
    let mut bench = Bench::new(&Job::read(&folder).unwrap()).unwrap();
    bench.resident(&Block::new(), FloatMode::Exact).run(1).unwrap();
    let once = bench.read_back().unwrap().0;
    bench.resident(&Block::new(), FloatMode::Exact).run(1).unwrap();
    assert_eq!(bench.read_back().unwrap().0, once);
}

#[test]
fn repetitions_take_no_memory_and_run_in_turns() {
    let folder = ctm_testing::files::root().join("kernels/nbody/nbody.toml");
    let mut job = Job::read(&folder).unwrap();
    let swap = job.passes[0].swap;
    assert!(swap.is_some());
    // The same launches as in ordinary runs, one repetition after the other.
    for repeat in [1, 2, 5] {
        job.passes[0].repeat = repeat;
        let mut bench = Bench::new(&job).unwrap();
        let work = bench.count(&Block::new(), FloatMode::Exact).unwrap();
        assert_eq!(work.launches, u64::from(repeat));
        bench.resident(&Block::new(), FloatMode::Exact).run(1).unwrap();
        let run = job.run(&Block::new(), &RunOptions::default(), &NoProgress);
        let run = run.unwrap();
        for (n, raster) in bench.read_back().unwrap().0.iter().enumerate() {
            assert_eq!(*raster, run.raster(n).unwrap(), "{repeat}");
        }
    }
    let once = {
        job.passes[0].repeat = 1;
        let mut bench = Bench::new(&job).unwrap();
        bench.count(&Block::new(), FloatMode::Exact).unwrap().bytes
    };
    job.passes[0].repeat = 3;
    let mut bench = Bench::new(&job).unwrap();
    let work = bench.count(&Block::new(), FloatMode::Exact).unwrap();
    assert_eq!(work.bytes, 3 * once);
    // Running it would take far too long, but setting it up is fast.
    job.passes[0].repeat = u32::MAX;
    Bench::new(&job).unwrap();
}

#[test]
fn filling_stops_where_copies_no_longer_help() {
    // A core runs twice the points in twice the time; the largest launch takes far more than the smallest.
    let job = Workload::find("mad").unwrap().job(8, 8).unwrap();
    let (reference, mode) = (Reference::new(), FloatMode::Exact);
    let work = Bench::new(&job).unwrap().count(&reference, mode).unwrap();
    let copies = filling(&job, &reference, mode, &work).unwrap();
    assert!(copies < 1 << 18 && copies.is_power_of_two(), "{copies}");
    let larger = job.copies(copies).unwrap();
    let larger = Bench::new(&larger).unwrap().count(&Block::new(), mode).unwrap();
    assert_eq!(larger.instructions, work.instructions * u64::from(copies));
}

#[test]
fn sizes_are_checked() {
    let workload = Workload::find("mad").unwrap();
    for (width, height) in [(0, 1), (1, 0), (4097, 1), (1, 4097)] {
        let error = workload.job(width, height).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("a size of {width}x{height}: columns and rows must each be 1 to 4096")
        );
    }
    assert!(workload.job(4096, 1).is_ok());
}

#[test]
fn medians() {
    let figures =
        |times: &[u64]| Figures::new(times.iter().map(|&t| Duration::from_secs(t)).collect());
    assert_eq!(figures(&[]).median(), Duration::ZERO);
    assert_eq!(figures(&[9, 1, 5]).median(), Duration::from_secs(5));
    assert_eq!(figures(&[9, 1, 5, 6]).median(), Duration::from_millis(5500));
    assert_eq!(figures(&[9, 1, 5]).best(), Duration::from_secs(1));
    assert_eq!(figures(&[9, 1, 5]).runs(), 3);
}
