//! Shared by the test suites: the engines of this machine, and a small bench for programs in
//! assembly (surfaces in, one launch, surfaces out).
//!
//! Tests and the GPU. Suites for all engines run on [`engines`]: the CPU engines, and the GPU
//! engines on the adapter that `CTM_ADAPTER` names or on a real GPU. Tests of the GPU alone are in
//! `tests/gpu` and are ignored by default: `cargo test -- --include-ignored` runs them, and
//! fails without an adapter. Each suite for all engines has an ignored test `the_gpu_took_part`, so
//! that a machine without an adapter reports what it has not tested as ignored, never as passed.
//! `CTM_REQUIRE_GPU=1` makes a missing adapter a failure of every such suite; `tests/all.sh` sets
//! all three.
#![allow(dead_code, unused_macros)]

use ctm::engine::auto::Auto;
use ctm::engine::block::Block;
use ctm::engine::estimate::Costs;
use ctm::engine::gpu::{AdapterChoice, Gpu, GpuError, Interpreter, Translated, Tuning};
use ctm::engine::reference::Reference;
use ctm::engine::{Engine, LaunchError, NoProgress, Outcome};
use ctm::launch::{Constants, Domain, Launch};
use ctm::memory::{ArenaKind, ArenaSizes, Format, Memory, Surface, Tiling, array};
use ctm::program::Program;
use std::sync::{Arc, OnceLock};

/// The GPU engines on the adapter for the tests: the one that `CTM_ADAPTER` names, else a real GPU.
/// Empty if there is none; with `CTM_REQUIRE_GPU=1` that is a failure. They are opened once per
/// process; an error in opening them is a failure.
pub fn gpu_engines() -> Vec<Arc<dyn Engine>> {
    type Opened = Result<Vec<Arc<dyn Engine>>, GpuError>;
    static OPENED: OnceLock<Opened> = OnceLock::new();
    let opened = OPENED.get_or_init(|| {
        let choice = AdapterChoice::from_environment();
        Ok(vec![Arc::new(Interpreter::open(&choice)?), Arc::new(Translated::open(&choice)?)])
    });
    there(opened).cloned().unwrap_or_default()
}

/// The opened engines, if there is an adapter.
fn there<T>(opened: &Result<T, GpuError>) -> Option<&T> {
    match opened {
        Ok(engines) => Some(engines),
        Err(GpuError::NoAdapter { asked: None, .. }) if !gpu_required() => None,
        Err(error) => panic!("the GPU engine is asked for, and cannot be had: {error}"),
    }
}

/// The engines that consist of several, and choose by the size and the number of launches.
pub struct Tiers {
    pub gpu: Arc<Translated>,
    pub auto: Arc<Auto>,
}

impl Tiers {
    /// The costs are set so that small launches use all of their engines. `auto` leaves the CPU
    /// from about 64 point-instructions on. Launches of 65 of them wait for their shaders.
    fn open() -> Result<Tiers, GpuError> {
        let gpu = Gpu::open(&AdapterChoice::from_environment())?;
        let costs = Costs {
            block: 1,
            launch: (64 / rayon::current_num_threads() as u64).max(1),
            open: 0,
            wait: 65,
        };
        let tuning = || Tuning { costs: Some(costs), ..Tuning::default() };
        let tiered = || Translated::tuned(gpu.clone(), true, tuning());
        Ok(Tiers { gpu: Arc::new(tiered()), auto: Arc::new(Auto::on(tiered(), |_| {})) })
    }
}

/// The engines of [`Tiers`] on the adapter for the tests; as [`gpu_engines`].
pub fn tiers() -> Option<&'static Tiers> {
    static OPENED: OnceLock<Result<Tiers, GpuError>> = OnceLock::new();
    there(OPENED.get_or_init(Tiers::open))
}

/// Whether a machine without an adapter fails the tests.
fn gpu_required() -> bool {
    std::env::var_os("CTM_REQUIRE_GPU").is_some_and(|value| !value.is_empty() && value != "0")
}

/// All engines of this machine, the reference first, without those that only choose among the
/// others: see [`tiers`].
pub fn engines() -> Vec<Arc<dyn Engine>> {
    let blocks =
        [true, false].map(|processor| Arc::new(Block::flushing(processor)) as Arc<dyn Engine>);
    let mut all: Vec<Arc<dyn Engine>> = vec![Arc::new(Reference::new())];
    all.extend(blocks);
    all.extend(gpu_engines());
    all
}

/// Adds a test to a suite that runs on [`engines`]: it says whether the GPU took part. It is
/// ignored unless requested with `--include-ignored`.
#[macro_export]
macro_rules! gpu_takes_part {
    () => {
        #[test]
        #[ignore = "needs an adapter"]
        fn the_gpu_took_part() {
            let on_gpu = $crate::common::gpu_engines();
            assert!(!on_gpu.is_empty(), "there is no GPU, and CTM_ADAPTER names no adapter");
            let all = $crate::common::engines();
            for engine in on_gpu {
                println!("{} on {:?}", engine.name(), engine.adapter());
                assert!(all.iter().any(|other| other.name() == engine.name()));
            }
        }
    };
}

/// A program from assembly text; panics with the errors of an invalid one.
pub fn program(source: &str) -> Arc<Program> {
    let image = ctm::asm::assemble(source, "test.dpp").unwrap_or_else(|errors| panic!("{errors}"));
    Arc::new(Program::new(image).unwrap_or_else(|errors| panic!("{errors}")))
}

/// A launch with its memory. Inputs and outputs are FLOAT32_4, linear, and follow each other.
pub struct Bench {
    pub launch: Launch,
    pub memory: Memory,
    next: u32,
}

pub const GPU: u32 = 0x1000_0000;

impl Bench {
    /// A launch over `width` x `height` points from (0, 0), with the program's literals loaded and
    /// output 0 set.
    pub fn new(source: &str, width: u32, height: u32) -> Bench {
        let sizes = ArenaSizes { gpu: 1 << 20, sysc: 0, ..ArenaSizes::default() };
        let memory = Memory::new(&sizes).expect("memory");
        let program = program(source);
        let domain = Domain { i0: 0, j0: 0, i1: width - 1, j1: height - 1 };
        let mut launch = Launch::new(program.clone(), domain);
        launch.statistics = true;
        launch.constants = Arc::new(Constants::with_literals(&program.image().literals));
        let next = memory.base(ArenaKind::Gpu);
        let mut bench = Bench { launch, memory, next };
        for output in 0..4 {
            let used = bench.launch.program.uses().outputs >> output & 1 != 0;
            if used {
                let format =
                    if bench.launch.program.umrt() { Format::Float32x1 } else { Format::Float32x4 };
                bench.launch.outputs[output] = Some(bench.surface(width, height, format));
            }
        }
        bench
    }

    /// A free linear surface.
    pub fn surface(&mut self, width: u32, height: u32, format: Format) -> Surface {
        let multiple = ctm::memory::surface::pitch_multiple(Tiling::Linear, format);
        let pitch = width.next_multiple_of(multiple);
        let mut surface = Surface::new(self.next, pitch, height, Tiling::Linear, format);
        surface.width = width;
        self.next += (surface.byte_size(pitch, height) as u32).next_multiple_of(2048);
        surface
    }

    /// Sets the data of an input: float bits, channel by channel.
    pub fn input(&mut self, slot: usize, width: u32, height: u32, data: &[u32]) -> &mut Bench {
        let surface = self.surface(width, height, Format::Float32x4);
        array::write_array(&mut self.memory, &surface, width, height, data).expect("data fits");
        self.launch.inputs[slot] = Some(surface);
        self
    }

    /// Sets the start data of a temporary, per point.
    pub fn initial(&mut self, temp: u8, value: impl Fn(u32, u32) -> [f32; 4]) -> &mut Bench {
        let domain = self.launch.domain;
        let data = (domain.j0..=domain.j1)
            .flat_map(|j| (domain.i0..=domain.i1).map(move |i| (i, j)))
            .map(|(i, j)| value(i, j).map(f32::to_bits))
            .collect();
        self.launch.initial.push(ctm::launch::Initial { temp, data: Arc::new(data) });
        self
    }

    /// Runs on an engine. Where statistics select a different code path, the launch also runs
    /// without them, which must give the same.
    pub fn try_run(&mut self, engine: &dyn Engine) -> Result<Outcome, LaunchError> {
        if !self.launch.statistics || !engine.counts_apart() {
            return engine.run(&self.launch, &mut self.memory, &NoProgress);
        }
        let mut uncounting = self.launch.clone();
        uncounting.statistics = false;
        let before = bytes(&self.memory);
        let uncounted = engine.run(&uncounting, &mut self.memory, &NoProgress);
        let after = bytes(&self.memory);
        for (base, bytes) in &before {
            self.memory.write(*base, bytes).expect("inside");
        }
        let counted = engine.run(&self.launch, &mut self.memory, &NoProgress);
        let expected = counted.clone().map(|outcome| Outcome { statistics: None, ..outcome });
        assert_eq!(uncounted, expected, "without statistics");
        assert!(after == bytes(&self.memory), "without statistics: memory");
        counted
    }

    /// Runs on an engine; panics if that fails.
    pub fn run(&mut self, engine: &dyn Engine) -> Outcome {
        self.try_run(engine).expect("a launch that can run")
    }

    /// The bits of output `n`, `[row][column][channel]`.
    pub fn bits(&self, n: usize) -> Vec<Vec<[u32; 4]>> {
        let surface = self.launch.outputs[n].expect("an output");
        let channels = surface.format.channels() as usize;
        let units = array::read_array(&self.memory, &surface, surface.width, surface.height)
            .expect("inside memory");
        units
            .chunks(channels * surface.width as usize)
            .map(|row| {
                row.chunks(channels)
                    .map(|element| {
                        let mut value = [0; 4];
                        value[..channels].copy_from_slice(element);
                        value
                    })
                    .collect()
            })
            .collect()
    }

    /// The floats of output `n`, `[row][column][channel]`.
    pub fn floats(&self, n: usize) -> Vec<Vec<[f32; 4]>> {
        let row = |row: Vec<[u32; 4]>| row.into_iter().map(|v| v.map(f32::from_bits)).collect();
        self.bits(n).into_iter().map(row).collect()
    }
}

/// All bytes of a memory, with the first address of each arena.
pub fn bytes(memory: &Memory) -> Vec<(u32, Vec<u8>)> {
    let ranges = memory.ranges();
    ranges.map(|(base, bytes)| (base, bytes.to_vec())).collect()
}

/// Writes to every byte a number that depends on its address and is never zero, so that every write
/// of a launch is visible, even of zeros.
pub fn fill(memory: &mut Memory) {
    static NUMBERS: OnceLock<Vec<u8>> = OnceLock::new();
    // After so many bytes they are the same again.
    let all = || (0..251 * 256).map(|n| (n * 7 + n / 251) as u8 | 1).collect();
    let numbers = NUMBERS.get_or_init(all);
    let ranges: Vec<(u32, usize)> = memory.ranges().map(|(base, b)| (base, b.len())).collect();
    for (base, len) in ranges {
        for part in memory.slice_mut(base, len).expect("inside").chunks_mut(numbers.len()) {
            part.copy_from_slice(&numbers[..part.len()]);
        }
    }
}

/// Assembles, runs on every engine, including [`tiers`], and passes each outcome to the check.
pub fn on_every_engine(
    source: &str,
    width: u32,
    height: u32,
    prepare: impl Fn(&mut Bench),
    check: impl Fn(&Bench, &Outcome),
) {
    for engine in engines() {
        println!("engine {}", engine.name());
        let mut bench = Bench::new(source, width, height);
        prepare(&mut bench);
        let outcome = bench.run(engine.as_ref());
        check(&bench, &outcome);
    }
    let Some(tiers) = tiers() else { return };
    for engine in [tiers.gpu.clone() as Arc<dyn Engine>, tiers.auto.clone()] {
        // Once as a new program, and once when its shader may be compiled.
        let mut program = None;
        for time in ["first", "second"] {
            println!("engine {}, {time} time", engine.name());
            let mut bench = Bench::new(source, width, height);
            prepare(&mut bench);
            let program = program.get_or_insert_with(|| bench.launch.program.clone());
            bench.launch.program = program.clone();
            let outcome = bench.run(engine.as_ref());
            check(&bench, &outcome);
            tiers.gpu.settle();
        }
    }
}
