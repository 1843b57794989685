//! The built-in workloads and the kernels' jobs, on both CPU engines and in every mode.
//!
//!     cargo bench --bench engines                 everything, about three minutes
//!     cargo bench --bench engines -- mandelbrot   what matches
//!
//! The rate that Criterion prints ("elem/s") is point-instructions per second.

use criterion::{BenchmarkId, Criterion, Throughput};
use ctm::bench::{Bench, WORKLOADS};
use ctm::engine::Engine;
use ctm::engine::block::Block;
use ctm::engine::reference::Reference;
use ctm::job::Job;
use ctm::launch::FloatMode;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The most point-instructions for the reference engine: about half a second per run.
const REFERENCE_LIMIT: u64 = 4_000_000;

fn criterion() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800))
        .without_plots()
        .configure_from_args()
}

fn engines() -> [Box<dyn Engine>; 2] {
    [Box::new(Reference::new()), Box::new(Block::new())]
}

fn measure(c: &mut Criterion, name: &str, engine: &dyn Engine, job: &Job) {
    let mut bench = Bench::new(job).expect("the job can be set up");
    let mut group = c.benchmark_group(name);
    for mode in [FloatMode::Exact, FloatMode::Fast] {
        let work = bench.count(&Block::new(), mode).expect("the job runs");
        if engine.name() == "reference" && work.instructions > REFERENCE_LIMIT {
            continue;
        }
        group.throughput(Throughput::Elements(work.instructions));
        let id = BenchmarkId::new(engine.name(), mode.name());
        group.bench_function(id, |b| {
            b.iter_custom(|runs| {
                (0..runs).map(|_| bench.run(engine, mode).expect("the job runs")).sum()
            });
        });
    }
    group.finish();
}

/// The job files in a folder and below, sorted.
fn jobs(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
        .into_iter()
        .flat_map(|path| match path.is_dir() {
            true => jobs(&path),
            false => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect()
}

fn main() {
    let mut c = criterion();
    for workload in WORKLOADS {
        for engine in engines() {
            let size = if engine.name() == "reference" { 64 } else { 512 };
            let job = workload.job(size, size).expect("a workload is correct");
            measure(&mut c, workload.name, engine.as_ref(), &job);
        }
    }
    for path in jobs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels")) {
        let job = Job::read(&path).expect("a kernel's job is correct");
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        for engine in engines() {
            measure(&mut c, &name, engine.as_ref(), &job);
        }
    }
    c.final_summary();
}
