//! Compares translated programs, the interpreter and the block engine with handwritten shaders.
//! These do the same arithmetic in the same order, on the same adapter in the same process.
//!
//!     cargo bench --bench handwritten
//!     cargo bench --bench handwritten -- --adapter 0 --rounds 9 --scale 4 mandelbrot
//!     cargo bench --bench handwritten -- --engines translated,block
//!
//! Every contender keeps its memory in place, so execution is measured, not copying. In mode exact
//! the results must have the same bits. The figures are medians over rounds in which the contenders
//! take turns, as a Markdown table. One more column has the translated program by the harness of
//! `ctm bench`, which must agree with the one here.

mod cases;
mod shader;

use cases::{Case, cases};
use ctm::bench::{Bench, Figures, Resident, Sampling};
use ctm::engine::Engine;
use ctm::engine::block::Block;
use ctm::engine::gpu::shader::guards::Guards;
use ctm::engine::gpu::{AdapterChoice, Interpreter, Translated};
use ctm::launch::FloatMode;
use shader::Handwritten;
use std::time::Duration;

/// The least duration of a sample.
const SAMPLE: Duration = Duration::from_millis(60);

struct Settings {
    adapter: AdapterChoice,
    rounds: usize,
    scale: u32,
    /// The engines to run; empty: all.
    engines: String,
    filter: String,
}

fn settings() -> Settings {
    let mut settings = Settings {
        adapter: AdapterChoice::from_environment(),
        rounds: 7,
        scale: 1,
        engines: String::new(),
        filter: String::new(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().expect("a value after the option");
        match argument.as_str() {
            "--adapter" => settings.adapter = AdapterChoice::parse(&value()),
            "--rounds" => settings.rounds = value().parse().expect("--rounds N"),
            "--scale" => settings.scale = value().parse().expect("--scale N"),
            "--engines" => settings.engines = value(),
            // Added by Cargo.
            "--bench" => {}
            _ => settings.filter = argument,
        }
    }
    settings
}

/// The number of runs in a sample.
fn calibrated(mut run: impl FnMut(u32) -> Duration) -> u32 {
    run(1);
    let once = run(1).as_secs_f64().max(1e-6);
    (SAMPLE.as_secs_f64() / once).ceil().clamp(1.0, 10_000.0) as u32
}

/// The fraction of results with the same bits.
fn equal(case: &Case, bench: &Bench, written: &Handwritten<'_>) -> f64 {
    let (rasters, _) = bench.read_back().expect("results can be read");
    let names = case.job.buffers.iter().filter(|buffer| buffer.is_output());
    let (mut same, mut all) = (0, 0);
    for (buffer, raster) in names.zip(&rasters) {
        if !case.results.contains(&buffer.name.as_str()) {
            continue;
        }
        let words = written.words(&buffer.name);
        assert_eq!(words.len(), raster.units.len(), "{}", buffer.name);
        let pairs = words.iter().zip(&raster.units);
        same += pairs.filter(|(a, b)| a == b).count();
        all += words.len();
    }
    assert_ne!(all, 0, "{}: no result is compared", case.name);
    same as f64 / all as f64
}

fn main() {
    // `cargo test --benches` runs this too; measure only with --bench.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let settings = settings();
    let translated = Translated::open(&settings.adapter).expect("an adapter");
    let interpreter = Interpreter::open(&settings.adapter).expect("an adapter");
    let block = Block::new();
    let gpu = translated.interpreter().gpu();
    // The handwritten shaders are compiled by wgpu, which has no float controls. Adapters that need
    // them for level 0 have level 1 without.
    let found = translated.interpreter().probe().expect("exact").guards;
    let guards = if found.controlled() { Guards::Normal } else { found };
    let folder = tempfile::tempdir().expect("a folder");
    let cases = cases(folder.path(), settings.scale, &settings.filter);
    assert!(!cases.is_empty(), "no kernel's name has \"{}\"", settings.filter);
    println!("{}\n", gpu.info.line());
    let asked: Vec<&str> = settings.engines.split(',').filter(|name| !name.is_empty()).collect();
    let engines: Vec<&dyn Engine> = [&translated as &dyn Engine, &interpreter, &block]
        .into_iter()
        .filter(|engine| asked.is_empty() || asked.contains(&engine.name()))
        .collect();
    if let Some(unknown) =
        asked.iter().find(|name| engines.iter().all(|engine| engine.name() != **name))
    {
        panic!("--engines: there is no engine \"{unknown}\"");
    }
    let names: Vec<&str> = engines.iter().map(|engine| engine.name()).collect();
    println!(
        "| kernel | points | mode | handwritten ms | {} | translated, by ctm bench | same bits |",
        names.join(" | ")
    );
    println!("|{}", " --- |".repeat(6 + names.len()));
    for case in cases {
        for mode in [FloatMode::Fast, FloatMode::Exact] {
            let written = Handwritten::new(gpu, &case, mode, guards);
            written.run(1);
            let mut bench = Bench::new(&case.job).expect("the job can be set up");
            bench.resident(&translated, mode).run(1).expect("the job runs");
            let same = equal(&case, &bench, &written);
            if mode == FloatMode::Exact {
                assert_eq!(same, 1.0, "{}: other bits", case.name);
            }
            let mut benches: Vec<Bench> = engines
                .iter()
                .map(|_| Bench::new(&case.job).expect("the job can be set up"))
                .collect();
            let mut others: Vec<Resident<'_>> = benches
                .iter_mut()
                .zip(&engines)
                .map(|(bench, engine)| bench.resident(*engine, mode))
                .collect();
            let by_hand = calibrated(|times| written.run(times));
            let times: Vec<u32> = others
                .iter_mut()
                .map(|other| calibrated(|times| other.run(times).expect("the job runs").wall))
                .collect();
            let mut samples = vec![Vec::new(); 1 + others.len()];
            for _ in 0..settings.rounds {
                samples[0].push(written.run(by_hand) / by_hand);
                for (n, other) in others.iter_mut().enumerate() {
                    let time = other.run(times[n]).expect("the job runs").wall;
                    samples[n + 1].push(time / times[n]);
                }
            }
            let medians: Vec<f64> = samples
                .into_iter()
                .map(|times| Figures::new(times).median().as_secs_f64())
                .collect();
            print!(
                "| {} | {} x {} | {} | {:.3} |",
                case.name,
                case.width,
                case.height,
                mode.name(),
                medians[0] * 1e3,
            );
            for time in &medians[1..] {
                print!(" {:.3} |", medians[0] / time);
            }
            drop(others);
            let work = bench.count(&block, mode).expect("the job runs");
            let sampling = Sampling::DEFAULT;
            let measured = bench.measure(&translated, mode, &work, sampling).expect("the job runs");
            let time = measured.wall.median().as_secs_f64();
            println!(" {:.3} | {:.2} % |", medians[0] / time, same * 100.0);
        }
    }
}
