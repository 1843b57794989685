//! The processor time that recording costs a client which submits without waiting.
//!
//! `cargo bench --bench recording`: 1,000 submissions of one launch of 64 x 64 points on the block
//! engine, input and output in shared system memory; 20 runs with and without a recording, in turn.

use ctm::asm::assemble;
use ctm::command::{Builder, Layout, SurfaceFormat};
use ctm::device::{Device, DeviceConfig};
use ctm::elf;
use ctm::engine::block::Block;
use ctm::launch::Domain;
use ctm::memory::{ArenaKind, ArenaSizes, Format, Tiling};
use ctm::record::Recording;
use std::path::Path;
use std::sync::Arc;

const SUBMISSIONS: usize = 1000;
const RUNS: usize = 20;

/// The processor time of all threads of this process, in milliseconds.
#[cfg(unix)]
fn spent() -> f64 {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// The time since the first call, in milliseconds: there is no such clock here.
#[cfg(not(unix))]
fn spent() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64() * 1e3
}

/// The words of one launch: output = the program of the input.
fn launch(program: u32, input: u32, output: u32) -> Vec<u32> {
    let layout = Layout { pitch: 64, tiling: Tiling::Linear, format: Format::Float32x4 };
    let surface = |address| SurfaceFormat { address, layout, height: 64 };
    let mut words = Builder::new();
    words.append_set_inst_fmt(program).expect("aligned");
    words.append_set_inp_fmt(0, surface(input)).expect("slot 0");
    words.append_set_out_fmt(0, surface(output)).expect("slot 0");
    words.append_set_domain(Domain { i0: 0, j0: 0, i1: 63, j1: 63 }).expect("in range");
    words.append_start_program();
    words.into_words()
}

/// One client; returns its processor time in milliseconds.
fn client(source: &str, record: Option<&Path>) -> f64 {
    let start = spent();
    let arenas = ArenaSizes { gpu: 1 << 16, gpub: 0, sys: 0, sysc: 1 << 18 };
    let mut config =
        DeviceConfig { arenas, client_memory: true, ..DeviceConfig::new(Arc::new(Block::new())) };
    if let Some(path) = record {
        let recording = Recording::create(path).expect("a new file");
        config.recorder = Some(Arc::new(recording.device(&config)));
    }
    let device = Device::open(config).expect("memory");
    let (gpu, sys) = (device.base(ArenaKind::Gpu), device.base(ArenaKind::SysC));
    let image = assemble(source, "bench.dpp").expect("it is right");
    device.write_memory(gpu, &elf::write(&image)).expect("inside");
    let words = launch(gpu, sys, sys + 0x10000);
    let ids: Vec<_> = (0..SUBMISSIONS).map(|_| device.submit_words(words.clone())).collect();
    let last = ids.last().expect("some");
    assert!(device.wait(*last).expect("a report").is_clean());
    drop(device);
    spent() - start
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2 - 1] + times[times.len() / 2]) / 2.0
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("client.rec");
    let long = format!("ld r1, i0[r0.rg]\n{}mov o0, r1\n", "mad r1, r1, r1, r0\n".repeat(63));
    for (name, source) in
        [("2 instructions", "ld r1, i0[r0.rg]\nmov o0, r1\n"), ("65 instructions", &long)]
    {
        let (mut off, mut on, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..RUNS {
            let alone = client(source, None);
            let recorded = client(source, Some(&file));
            std::fs::remove_file(&file).expect("the recording");
            off.push(alone);
            on.push(recorded);
            ratios.push(recorded / alone);
        }
        println!(
            "{name}: off {:.1} ms, recorded {:.1} ms, best {:.1} and {:.1} ms; median of ratios {:.3}",
            median(&mut off),
            median(&mut on),
            off[0],
            on[0],
            median(&mut ratios)
        );
    }
}
