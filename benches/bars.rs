//! Measures the speeds and sizes that this program promises; prints a Markdown table.
//!
//!     cargo bench --bench bars
//!     cargo bench --bench bars -- --runs 30
//!     cargo bench --bench bars -- --batches        batches only
//!     cargo bench --bench bars -- --packs          jobs of a pack on a GPU only
//!     cargo bench --bench bars -- --small          small launches of sessions on a GPU only
//!
//! Rates per core are taken on one thread, in processor time of that thread where the system
//! reports it (Linux), so that other programs on the machine matter less. Everything else is
//! wall-clock time, best and median. `cargo bench` builds the `ctm` that is started.

use ctm::bench::{Batch, Bench, Figures, Resident, Workload, batch_source};
use ctm::engine::block::Block;
use ctm::engine::gpu::{AdapterChoice, Gpu, Interpreter, Translated};
use ctm::engine::reference::Reference;
use ctm::engine::{Engine, NoProgress};
use ctm::job::packed::Pack;
use ctm::job::{Job, JobResult, RunOptions, SharedFiles, run_pack};
use ctm::launch::FloatMode;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Processor time of this thread; `None` if the system does not report it.
fn thread_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

/// A line of the kernel's report on this process, in KiB.
fn memory(key: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
}

fn kernel(name: &str) -> Job {
    let file = format!("kernels/{name}.toml");
    Job::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("a kernel's job is correct")
}

fn workload(name: &str, width: u32, height: u32) -> Job {
    let workload = Workload::find(name).expect("a workload of this name");
    workload.job(width, height).expect("a workload is correct")
}

/// Runs that continue from each other; the system counts processor time in steps of some milliseconds.
fn batch(resident: &mut Resident<'_>) -> u32 {
    resident.run(1).expect("the job runs");
    let once = resident.run(1).expect("the job runs").wall;
    let target = Duration::from_millis(60).as_secs_f64();
    (target / once.as_secs_f64().max(1e-6)).clamp(1.0, 1e4) as u32
}

/// Processor times of `runs` samples on one thread.
fn one_core(job: &Job, engine: &dyn Engine, mode: FloatMode, runs: usize) -> (u64, Figures) {
    let mut bench = Bench::new(job).expect("the job can be set up");
    let work = bench.count(&Block::new(), mode).expect("the job runs");
    let times = pool(1).install(|| {
        let mut resident = bench.resident(engine, mode);
        let batch = batch(&mut resident);
        let sample = |_| {
            let before = thread_time();
            let wall = resident.run(batch).expect("the job runs").wall;
            let spent = thread_time().zip(before).map(|(after, before)| after - before);
            spent.unwrap_or(wall) / batch
        };
        (0..runs).map(sample).collect()
    });
    (work.instructions, Figures::new(times))
}

/// Processor time of the busier of two threads: the wall-clock time on an otherwise idle machine.
/// `None` if the system does not report it.
fn busier(job: &Job, runs: usize) -> Option<Figures> {
    let mut bench = Bench::new(job).expect("the job can be set up");
    let (engine, threads) = (Block::new(), || rayon::broadcast(|_| thread_time()));
    let times: Option<Vec<Duration>> = pool(2).install(|| {
        let mut resident = bench.resident(&engine, FloatMode::Exact);
        let batch = batch(&mut resident);
        let sample = |_| {
            let before = threads();
            resident.run(batch).expect("the job runs");
            let spent =
                threads().into_iter().zip(before).map(|(after, before)| Some(after? - before?));
            let spent: Option<Vec<Duration>> = spent.collect();
            Some(spent?.into_iter().max()? / batch)
        };
        (0..runs).map(sample).collect()
    });
    times.map(Figures::new)
}

/// Wall-clock times of `runs` runs on `threads` threads.
fn by_clock(job: &Job, threads: usize, runs: usize) -> Figures {
    let mut bench = Bench::new(job).expect("the job can be set up");
    let engine = Block::new();
    let times = pool(threads).install(|| {
        let mut resident = bench.resident(&engine, FloatMode::Exact);
        (0..runs).map(|_| resident.run(1).expect("the job runs").wall).collect()
    });
    Figures::new(times)
}

fn rates(instructions: u64, figures: &Figures) -> (f64, f64) {
    let rate = |time: Duration| instructions as f64 / time.as_secs_f64().max(1e-9) / 1e9;
    (rate(figures.median()), rate(figures.best()))
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "missed" }
}

fn chains(runs: usize) {
    println!("## One core: chains of 64 instructions, 512 x 512 points\n");
    println!("| workload | mode | bar | median | best | |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for (name, mode, bar) in [
        ("mad", FloatMode::Exact, 1.2),
        ("mad", FloatMode::Fast, 2.5),
        ("mad-chain", FloatMode::Exact, 1.2),
        ("mad-chain", FloatMode::Fast, 2.5),
        // A quarter of mode exact's bar, and a fifth of it.
        ("mad-chain", FloatMode::Chip, 0.3),
        ("dp4-chain", FloatMode::Exact, 0.3),
        ("dp4-chain", FloatMode::Chip, 0.06),
        ("transcendental-chain", FloatMode::Exact, 0.15),
        ("predicated", FloatMode::Exact, 0.0),
        ("divergent-loop", FloatMode::Exact, 0.0),
        ("fetch-linear", FloatMode::Exact, 0.0),
        ("fetch-tiled", FloatMode::Exact, 0.0),
        ("copy-linear", FloatMode::Exact, 0.0),
    ] {
        let (work, figures) = one_core(&workload(name, 512, 512), &Block::new(), mode, runs);
        let (median, best) = rates(work, &figures);
        let (bar, met) = if bar == 0.0 {
            ("-".to_string(), "")
        } else {
            (format!("{bar} G"), verdict(median >= bar))
        };
        println!(
            "| {name} | {} | {bar} | {median:.3} G pi/s | {best:.3} G pi/s | {met} |",
            mode.name()
        );
    }
}

fn kernels(runs: usize) {
    println!(
        "\n## One core: kernels, mode exact; bars 50 times the reference engine and 0.15 G pi/s\n"
    );
    println!("| kernel | block, median | best | reference | times reference | |");
    println!("| --- | --- | --- | --- | --- | --- |");
    // The reference engine runs the small job if there is one: its rate is the same.
    for (name, small) in [
        ("mandelbrot/mandelbrot", "mandelbrot/mandelbrot_96"),
        ("matmul/matmul", "matmul/matmul_64"),
        ("jacobi/jacobi", "jacobi/jacobi"),
        ("sobel/sobel", "sobel/sobel"),
        ("nbody/nbody", "nbody/nbody"),
    ] {
        let mode = FloatMode::Exact;
        let (work, figures) = one_core(&kernel(name), &Block::new(), mode, runs);
        let (median, best) = rates(work, &figures);
        let (work, figures) = one_core(&kernel(small), &Reference::new(), mode, 3);
        let (reference, _) = rates(work, &figures);
        let times = median / reference;
        println!(
            "| {name} | {median:.3} G pi/s | {best:.3} G pi/s | {reference:.4} G pi/s | {times:.0} | {} |",
            verdict(times >= 50.0 && median >= 0.15)
        );
    }
}

fn two_cores(runs: usize) {
    println!("\n## Two threads against one (bar: 1.8), best of the runs\n");
    println!(
        "| job | one, clock | two, clock | speed-up | one, processor | busier of two | speed-up | |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let jobs = [
        ("mad 1024x1024", workload("mad", 1024, 1024)),
        ("mandelbrot", kernel("mandelbrot/mandelbrot")),
        ("matmul", kernel("matmul/matmul")),
        ("jacobi", kernel("jacobi/jacobi")),
        ("sobel", kernel("sobel/sobel")),
        ("nbody", kernel("nbody/nbody")),
    ];
    for (name, job) in jobs {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let (one, two) = (by_clock(&job, 1, runs), by_clock(&job, 2, runs));
        let (_, one_core) = one_core(&job, &Block::new(), FloatMode::Exact, runs);
        let busier = busier(&job, runs).unwrap_or_else(|| two.clone());
        let clock = ms(one.best()) / ms(two.best());
        let processor = ms(one_core.best()) / ms(busier.best());
        println!(
            "| {name} | {:.2} ms | {:.2} ms | {clock:.2} | {:.2} ms | {:.2} ms | {processor:.2} | {} |",
            ms(one.best()),
            ms(two.best()),
            ms(one_core.best()),
            ms(busier.best()),
            verdict(clock.max(processor) >= 1.8)
        );
    }
}

/// Copies between two vectors on the threads of a pool, as the engine's bands would.
fn memcpy(len: usize, threads: usize, runs: usize) -> Figures {
    let from = vec![1u8; len];
    let mut to = vec![2u8; len];
    let part = len.div_ceil(threads);
    let pool = pool(threads);
    let times = (0..runs)
        .map(|_| {
            let started = Instant::now();
            pool.scope(|scope| {
                for (to, from) in to.chunks_mut(part).zip(from.chunks(part)) {
                    scope.spawn(move |_| to.copy_from_slice(from));
                }
            });
            started.elapsed()
        })
        .collect();
    std::hint::black_box(&to);
    Figures::new(times)
}

fn copy(runs: usize) {
    println!("\n## Copy of 4096 x 4096 FLOAT32_4, 256 MiB, by the clock (bar: 4 times a memcpy)\n");
    println!(
        "| threads | engine, median | best | memcpy, median | best | times, median | best | |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let job = workload("copy-linear", 4096, 4096);
    for threads in [1, 2] {
        let engine = by_clock(&job, threads, runs);
        let plain = memcpy(4096 * 4096 * 16, threads, runs);
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let times = ms(engine.median()) / ms(plain.median());
        let best = ms(engine.best()) / ms(plain.best());
        println!(
            "| {threads} | {:.0} ms | {:.0} ms | {:.0} ms | {:.0} ms | {times:.1} | {best:.1} | {} |",
            ms(engine.median()),
            ms(engine.best()),
            ms(plain.median()),
            ms(plain.best()),
            verdict(best <= 4.0)
        );
    }
}

/// Peak memory of a process that runs only this job; measured in a child.
fn peak(name: &str, width: u32, height: u32) {
    let job = workload(name, width, height);
    let touched: u64 = job.buffers.iter().map(ctm::job::Buffer::bytes).sum();
    let mut bench = Bench::new(&job).expect("the job can be set up");
    bench.resident(&Block::new(), FloatMode::Exact).run(1).expect("the job runs");
    if let Some(peak) = memory("VmHWM:") {
        let more = peak as f64 / 1024.0 - touched as f64 / 1048576.0;
        println!(
            "| {name} {width}x{height} | {:.1} MiB | {:.1} MiB | {more:.1} MiB | {} |",
            touched as f64 / 1048576.0,
            peak as f64 / 1024.0,
            verdict(more <= 32.0)
        );
    }
}

const PEAKS: [(&str, u32, u32); 3] =
    [("mad", 64, 1), ("divergent-loop", 1024, 1024), ("copy-linear", 4096, 4096)];

fn peaks() {
    println!("\n## Peak memory (VmHWM; bar: surfaces and 32 MiB)\n");
    println!("| job | surfaces | peak | more | |");
    println!("| --- | --- | --- | --- | --- |");
    let Ok(this) = std::env::current_exe() else {
        return;
    };
    for n in 0..PEAKS.len() {
        let child = Command::new(&this).args(["--peak", &n.to_string()]).output();
        if let Ok(output) = child {
            print!("{}", String::from_utf8_lossy(&output.stdout));
        }
    }
}

/// A job of 64 points, in its own folder.
fn small_job() -> std::io::Result<(tempfile::TempDir, PathBuf)> {
    let folder = tempfile::tempdir()?;
    let source = Workload::find("mad").map(Workload::source);
    std::fs::write(folder.path().join("mad.dpp"), source.unwrap_or_default())?;
    let path = folder.path().join("small.toml");
    std::fs::write(
        &path,
        "version = 1
program = { file = \"mad.dpp\" }
domain = { i0 = 0, j0 = 0, i1 = 63, j1 = 0 }
[[output]]
slot = 0
format = \"FLOAT32_4\"
",
    )?;
    Ok((folder, path))
}

fn start_to_exit(runs: usize) {
    println!("\n## `ctm run` of 64 points, from start to exit, by the clock (bar: 15 ms)\n");
    let Ok((_folder, job)) = small_job() else {
        println!("no temporary folder");
        return;
    };
    let mut times = Vec::new();
    for _ in 0..runs.max(20) {
        let started = Instant::now();
        let status = Command::new(env!("CARGO_BIN_EXE_ctm"))
            .args(["run", "--no-save"])
            .arg(&job)
            .stdout(Stdio::null())
            .status();
        if !status.is_ok_and(|status| status.success()) {
            println!("ctm run failed");
            return;
        }
        times.push(started.elapsed());
    }
    let figures = Figures::new(times);
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!("| median | best | |\n| --- | --- | --- |");
    println!(
        "| {:.1} ms | {:.1} ms | {} |",
        ms(figures.median()),
        ms(figures.best()),
        verdict(figures.median() < Duration::from_millis(15))
    );
}

/// The number of jobs in a batch.
const JOBS: usize = 10_000;

fn batches(runs: usize) {
    println!(
        "\n## Batches of {JOBS} distinct jobs of 64 points, by the clock\n\nEvery run has new programs: nothing is kept \
         from the run before. Library: from decoded programs to results; command: from job files to reports.\n"
    );
    println!("| what | engine | programs | median | best |\n| --- | --- | --- | --- | --- |");
    let rate = |time: Duration, jobs: usize| jobs as f64 / time.as_secs_f64().max(1e-9);
    let mut engines: Vec<(Box<dyn Engine>, usize)> = vec![
        (Box::new(Block::new()), JOBS),
        // Fewer jobs give the same rate.
        (Box::new(Reference::new()), JOBS / 10),
    ];
    let choice = AdapterChoice::from_environment();
    match Interpreter::open(&choice) {
        Ok(interpreter) => engines.push((Box::new(interpreter), JOBS)),
        Err(error) => println!("no GPU engine: {error}"),
    }
    for (engine, jobs) in engines {
        for programs in [1, 100, jobs] {
            let times = (0..runs.min(9)).map(|run| {
                let mut batch =
                    Batch::new(jobs, programs, run * jobs).expect("the batch can be set up");
                batch.run(engine.as_ref()).expect("the batch runs")
            });
            let figures = Figures::new(times.collect());
            let (median, best) = (rate(figures.median(), jobs), rate(figures.best(), jobs));
            println!(
                "| library | {} | {programs} | {median:.0} jobs/s | {best:.0} jobs/s |",
                engine.name()
            );
        }
    }
    for programs in [1, 100, JOBS] {
        let Ok(folder) = batch_folder(JOBS, programs) else {
            println!("no temporary folder");
            return;
        };
        let mut times = Vec::new();
        for run in 0..runs.min(5) {
            let report = format!("report{run}.jsonl");
            let started = Instant::now();
            let status = Command::new(env!("CARGO_BIN_EXE_ctm"))
                .args(["batch", "--engine", "block", ".", "--report", &report])
                .current_dir(folder.path())
                .stderr(Stdio::null())
                .status();
            if !status.is_ok_and(|status| status.success()) {
                println!("ctm batch failed");
                return;
            }
            times.push(started.elapsed());
        }
        let figures = Figures::new(times);
        println!(
            "| command, start to exit | block | {programs} | {:.0} jobs/s | {:.0} jobs/s |",
            rate(figures.median(), JOBS),
            rate(figures.best(), JOBS)
        );
    }
}

/// Processor time of this process, in steps of the system's clock; `None` if the system does not report it.
fn process_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // From the third field on, after the name in parentheses.
    let fields: Vec<&str> = text.rsplit_once(") ")?.1.split(' ').collect();
    let ticks = fields[11].parse::<u64>().ok()? + fields[12].parse::<u64>().ok()?;
    Some(Duration::from_millis(10 * ticks))
}

/// The jobs of a pack that run together.
const TOGETHER: usize = 1024;

/// Processor time of a job from a pack, with others and in a session of its own, and the part of the GPU's clock.
fn packs(runs: usize) {
    const JOBS: usize = 2 * TOGETHER;
    println!(
        "\n## {JOBS} jobs from a pack, processor time of each, with the adapter's if it is the CPU\n\n\
         | engine | programs | how | best | of it on the GPU |\n| --- | --- | --- | --- | --- |"
    );
    let choice = AdapterChoice::from_environment();
    let engines: Result<[Box<dyn Engine>; 2], _> = Interpreter::open(&choice)
        .and_then(|one| Ok([Box::new(one) as _, Box::new(Translated::open(&choice)?) as _]));
    let engines = match engines {
        Ok(engines) => engines,
        Err(error) => return println!("no GPU engine: {error}"),
    };
    let (shared, options) = (SharedFiles::default(), RunOptions::default());
    for (engine, programs) in [(0, JOBS), (0, 1), (1, 1)] {
        let engine = engines[engine].as_ref();
        let folder = batch_folder(JOBS, programs).expect("a temporary folder");
        let path = folder.path().join("jobs.pack");
        let packed = Command::new(env!("CARGO_BIN_EXE_ctm"))
            .args(["pack", ".", "-o", "jobs.pack"])
            .current_dir(folder.path())
            .stderr(Stdio::null())
            .status();
        assert!(packed.is_ok_and(|status| status.success()), "ctm pack failed");
        // Opened each time, so that no program is known from before.
        let all = |together: usize| {
            let before = process_time();
            let pack = Pack::open(&path, &shared).expect("a pack");
            let numbers = pack.jobs().expect("an index");
            let mut gpu = Duration::ZERO;
            for numbers in numbers.chunks(together) {
                let jobs: Vec<Job> =
                    numbers.iter().map(|n| pack.job(*n, &shared).expect("a job")).collect();
                let results: Vec<JobResult> = match &jobs[..] {
                    [job] => vec![job.run(engine, &options, &NoProgress).expect("it runs")],
                    jobs => {
                        let jobs: Vec<&Job> = jobs.iter().collect();
                        let ran = run_pack(&jobs, engine, &options, &NoProgress);
                        ran.into_iter().map(|one| one.expect("it runs")).collect()
                    }
                };
                gpu += results.iter().filter_map(|result| result.seconds.gpu).sum::<Duration>();
            }
            let time = process_time().zip(before).map(|(after, before)| after - before);
            (time.unwrap_or_default() / JOBS as u32, gpu / JOBS as u32)
        };
        for (how, together) in [("a session each", 1), ("packs", TOGETHER)] {
            // Shaders of the engine are compiled once.
            all(together);
            let (best, gpu) = (0..runs.min(5)).map(|_| all(together)).min().expect("runs");
            let us = |time: Duration| time.as_secs_f64() * 1e6;
            println!(
                "| {} | {programs} | {how} | {:.0} us | {:.0} us |",
                engine.name(),
                us(best),
                us(gpu)
            );
        }
    }
}

/// The number of launches of 64 points that a session gets in a row.
const SMALL: u32 = 2000;

/// Submissions of one dispatch that does nothing, in a row; the time of each.
fn empty(gpu: &Gpu) -> Duration {
    let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl("@compute @workgroup_size(64) fn main() {}".into()),
    });
    let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: Default::default(),
        cache: None,
    });
    let started = Instant::now();
    for _ in 0..SMALL {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.dispatch_workgroups(1, 1, 1);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
    }
    gpu.wait(None).expect("the dispatches end");
    started.elapsed() / SMALL
}

fn small(runs: usize) {
    println!("\n## {SMALL} launches of 64 points in a session, time of each, by the clock\n");
    let choice = AdapterChoice::from_environment();
    let engines: Result<[Box<dyn Engine>; 2], _> = Translated::open(&choice)
        .and_then(|shader| Ok([Box::new(shader) as _, Box::new(Interpreter::open(&choice)?) as _]));
    let engines = match engines {
        Ok(engines) => engines,
        Err(error) => return println!("no GPU engine: {error}"),
    };
    println!("| workload | engine | median | best |\n| --- | --- | --- | --- |");
    let row = |workload: &str, engine: &str, times: Vec<Duration>| {
        let figures = Figures::new(times);
        let us = |time: Duration| time.as_secs_f64() * 1e6;
        let (median, best) = (us(figures.median()), us(figures.best()));
        println!("| {workload} | {engine} | {median:.1} us | {best:.1} us |");
    };
    for name in ["copy-linear", "mad"] {
        for engine in &engines {
            let job = workload(name, 8, 8);
            let mut bench = Bench::new(&job).expect("the job can be set up");
            let mut resident = bench.resident(engine.as_ref(), FloatMode::Exact);
            resident.run(1).expect("the job runs");
            let time = |_| resident.run(SMALL).expect("the job runs").wall / SMALL;
            row(name, engine.name(), (0..runs).map(time).collect());
        }
    }
    let gpu = Gpu::open(&choice).expect("the adapter that was just open");
    row("an empty dispatch", "-", (0..runs).map(|_| empty(&gpu)).collect());
}

/// A folder of job files, each with its own input and a file to save; in memory if the system has
/// such folders.
fn batch_folder(jobs: usize, programs: usize) -> std::io::Result<tempfile::TempDir> {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory)? } else { tempfile::tempdir()? };
    let path = folder.path();
    for n in 0..programs {
        std::fs::write(path.join(format!("p{n}.dpp")), batch_source(n))?;
    }
    for n in 0..jobs {
        let array = ctm::array::Array {
            dtype: ctm::array::Dtype::Float32,
            shape: vec![8, 8, 4],
            units: (0..256).map(|k| ((n * 256 + k) as f32).to_bits()).collect(),
        };
        ctm::array::npy::save(&array, &path.join(format!("in{n}.npy")))?;
        let text = format!(
            "version = 1
program = {{ file = \"p{}.dpp\" }}
domain = {{ i0 = 0, j0 = 0, i1 = 7, j1 = 7 }}

[constants]
float = {{ 0 = [0.5, 0.25, {n}, 1], 1 = [0.1, 0.2, 0.3, 0.4] }}

[[input]]
slot = 0
file = \"in{n}.npy\"
format = \"FLOAT32_4\"

[[output]]
slot = 0
format = \"FLOAT32_4\"
save = \"out{n}.npy\"
",
            n % programs
        );
        std::fs::write(path.join(format!("job{n}.toml")), text)?;
    }
    Ok(folder)
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let value = |key: &str| {
        let at = args.iter().position(|arg| arg == key)?;
        args.get(at + 1)?.parse::<usize>().ok()
    };
    if let Some(&(name, width, height)) = value("--peak").and_then(|n| PEAKS.get(n)) {
        peak(name, width, height);
        return;
    }
    // `cargo test --benches` runs this too; measure only with --bench.
    if !args.iter().any(|arg| arg == "--bench") {
        return;
    }
    let runs = value("--runs").unwrap_or(15).max(3);
    if args.iter().any(|arg| arg == "--batches") {
        batches(runs);
        return;
    }
    if args.iter().any(|arg| arg == "--packs") {
        packs(runs);
        return;
    }
    if args.iter().any(|arg| arg == "--small") {
        small(runs);
        return;
    }
    chains(runs);
    kernels(runs);
    two_cores(runs);
    copy(runs.min(9));
    peaks();
    start_to_exit(runs);
    batches(runs);
}
