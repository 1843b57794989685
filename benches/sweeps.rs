//! How speed depends on the size of the domain and on the number of threads.
//!
//!     cargo bench --bench sweeps
//!
//! The rate that Criterion prints ("elem/s") is point-instructions per second; for `copy-linear`,
//! points per second.

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use ctm::bench::{Bench, Workload};
use ctm::engine::block::Block;
use ctm::job::Job;
use ctm::launch::FloatMode;
use std::path::Path;
use std::time::Duration;

const SIZES: [(u32, u32); 7] =
    [(8, 8), (64, 1), (64, 64), (256, 256), (1024, 256), (1024, 1024), (4096, 4096)];

fn criterion() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800))
        .without_plots()
        .configure_from_args()
}

fn measure(
    c: &mut Criterion,
    group: &str,
    id: BenchmarkId,
    job: &Job,
    points: bool,
    threads: usize,
) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let mut bench = Bench::new(job).expect("the job can be set up");
    let engine = Block::new();
    let work = bench.count(&engine, FloatMode::Exact).expect("the job runs");
    let mut group = c.benchmark_group(group);
    group.sampling_mode(SamplingMode::Flat);
    group.throughput(Throughput::Elements(match points {
        true => work.points,
        false => work.instructions,
    }));
    group.bench_function(id, |b| {
        b.iter_custom(|runs| {
            pool.install(|| {
                (0..runs).map(|_| bench.run(&engine, FloatMode::Exact).expect("the job runs")).sum()
            })
        });
    });
    group.finish();
}

fn workload(name: &str, (width, height): (u32, u32)) -> Job {
    let workload = Workload::find(name).expect("a workload of this name");
    workload.job(width, height).expect("a workload is correct")
}

fn main() {
    let mut c = criterion();
    for name in ["mad", "copy-linear"] {
        for size in SIZES {
            let id = BenchmarkId::from_parameter(format!("{}x{}", size.0, size.1));
            let group = format!("size/{name}");
            let points = name == "copy-linear";
            measure(&mut c, &group, id, &workload(name, size), points, 0);
        }
    }
    let mandelbrot =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/mandelbrot/mandelbrot.toml");
    let mut jobs = vec![
        ("mad", workload("mad", (1024, 1024))),
        ("copy-linear", workload("copy-linear", (1024, 1024))),
    ];
    if let Ok(job) = Job::read(&mandelbrot) {
        jobs.push(("mandelbrot", job));
    }
    for (name, job) in &jobs {
        for threads in [1, 2] {
            let id = BenchmarkId::from_parameter(threads);
            let group = format!("threads/{name}");
            measure(&mut c, &group, id, job, *name == "copy-linear", threads);
        }
    }
    c.final_summary();
}
