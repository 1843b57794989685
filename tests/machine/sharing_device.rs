//! Registers that groups share, in a device: set_shared, and what lives from launch to launch.

use ctm::command::{Builder, Layout, SurfaceFormat};
use ctm::device::{Device, DeviceConfig, SubmissionReport};
use ctm::elf;
use ctm::engine::block::Block;
use ctm::launch::Domain;
use ctm::memory::{ArenaSizes, Format, Tiling, read_array};
use std::sync::Arc;

const GPU: u32 = 0x1000_0000;
const OUTPUT: SurfaceFormat = SurfaceFormat {
    address: GPU,
    layout: Layout { pitch: 16, tiling: Tiling::Linear, format: Format::Float32x1 },
    height: 8,
};

fn open() -> Device {
    let arenas = ArenaSizes { gpu: 1 << 20, gpub: 0, sys: 0, sysc: 0 };
    let config = DeviceConfig { arenas, ..DeviceConfig::new(Arc::new(Block::new())) };
    Device::open(config).expect("1 MiB and a thread")
}

/// Runs a program over 16 x 8 points after set_shared, if it is given.
fn run(device: &Device, source: &str, set: Option<(u32, u32)>) -> Arc<SubmissionReport> {
    let image = ctm::asm::assemble(source, "test").unwrap_or_else(|e| panic!("{e}\n{source}"));
    device.write_memory(GPU + 0x8000, &elf::write(&image)).expect("room");
    let mut builder = Builder::new();
    if let Some((resource, simds)) = set {
        builder.append_set_shared(resource, simds).expect("words");
    }
    builder.append_set_out_fmt(0, OUTPUT).expect("fits");
    builder.append_set_domain(Domain { i0: 0, j0: 0, i1: 15, j1: 7 }).expect("fits");
    builder.append_set_inst_fmt(GPU + 0x8000).expect("fits");
    builder.append_inv_inst_cache().append_start_program().append_wait_for_idle();
    let id = device.submit_words(builder.into_words());
    device.wait(id).expect("kept")
}

fn shown(device: &Device) -> f32 {
    let read = |memory: &ctm::memory::Memory| read_array(memory, &OUTPUT.surface(), 16, 8);
    let units = device.with_memory(|memory| read(memory)).expect("it fits");
    assert!(units.iter().all(|unit| *unit == units[0]));
    f32::from_bits(units[0])
}

fn error(report: &SubmissionReport) -> String {
    report.error.as_ref().expect("an error").to_string()
}

const COUNT: &str = ".sharing global=2 clause=1\nadd g0.r, g0.r, 1\nmov o0.r, g0.r\n";
const RESOURCE: u32 = 0x1000_0002;

#[test]
fn registers_live_until_set_shared() {
    let device = open();
    for (set, expected) in [
        (Some((RESOURCE, 1)), 2.0),
        (None, 4.0),
        // Each SIMD has one group.
        (Some((RESOURCE, 2)), 1.0),
        (None, 2.0),
        (Some((RESOURCE, 2)), 1.0),
    ] {
        let report = run(&device, COUNT, set);
        assert_eq!(report.error, None);
        assert_eq!(shown(&device), expected, "{set:?}");
    }
    // A program without the flag neither sees nor changes them.
    assert_eq!(run(&device, "mov o0.r, 9\n", None).error, None);
    assert_eq!(shown(&device), 9.0);
    assert_eq!(run(&device, COUNT, None).error, None);
    assert_eq!(shown(&device), 2.0);
}

#[test]
fn other_numbers_are_refused_and_change_nothing() {
    let device = open();
    let start =
        |error: String| error.split_once("start_program: ").expect("its name").1.to_string();
    // At power-on there are none.
    assert_eq!(
        start(error(&run(&device, COUNT, None))),
        "the program asks for 2 global registers and 1 clause temporaries; set_shared gave 0 and 0"
    );
    assert_eq!(run(&device, COUNT, Some((RESOURCE, 1))).error, None);
    for (source, asks) in [
        (".sharing global=3 clause=1\nmov o0.r, 8\n", "3 global registers and 1"),
        (".sharing global=2\nmov o0.r, 8\n", "2 global registers and 0"),
    ] {
        assert_eq!(
            start(error(&run(&device, source, None))),
            format!("the program asks for {asks} clause temporaries; set_shared gave 2 and 1")
        );
        assert_eq!(shown(&device), 2.0);
    }
    assert_eq!(run(&device, COUNT, None).error, None);
    assert_eq!(shown(&device), 4.0);
}

#[test]
fn wrong_values_end_the_submission_and_leave_the_registers() {
    let device = open();
    assert_eq!(run(&device, COUNT, Some((RESOURCE, 1))).error, None);
    for (set, message) in [
        (
            (0x1000_0081, 1),
            "word 0 (0xc0011e00): set_shared: SQ_GPR_RESOURCE is 0x10000081: NUM_GLOBAL 129, expected at most 128",
        ),
        ((RESOURCE, 0), "word 0 (0xc0011e00): set_shared: 0 SIMDs, expected 1 to 64"),
        ((RESOURCE, 65), "word 0 (0xc0011e00): set_shared: 65 SIMDs, expected 1 to 64"),
    ] {
        // The builder takes only values that are possible; words may hold others.
        let id = device.submit_words(vec![0xc001_1e00, set.0, set.1]);
        let report = device.wait(id).expect("kept");
        assert_eq!(error(&report), message);
    }
    assert_eq!(run(&device, COUNT, None).error, None);
    assert_eq!(shown(&device), 4.0);
}

#[test]
fn reserved_bits_are_a_warning() {
    let device = open();
    let id = device.submit_words(vec![0xc001_1e00, RESOURCE | 0x0100_0100, 1]);
    let report = device.wait(id).expect("kept");
    assert_eq!(report.error, None);
    let warnings: Vec<String> = report.warnings.iter().map(|one| one.to_string()).collect();
    assert_eq!(
        warnings,
        ["word 1 (0x11000102): set_shared SQ_GPR_RESOURCE: reserved bits 0x01000100 are ignored"]
    );
    // The numbers count without those bits.
    assert_eq!(run(&device, COUNT, None).error, None);
    assert_eq!(shown(&device), 2.0);
}
