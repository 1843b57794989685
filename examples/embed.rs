//! The machine as a library, in two ways: a launch passed to an engine, and a device that executes
//! command buffers.
//!
//! Run it with `cargo run --example embed`.

use std::error::Error;
use std::sync::Arc;

use ctm::asm::{self, TextErrors};
use ctm::command::{Builder, ConstantFormat, Layout, SurfaceFormat};
use ctm::device::{Device, DeviceConfig};
use ctm::elf;
use ctm::engine::reference::Reference;
use ctm::engine::{Engine, NoProgress};
use ctm::launch::{Constants, Domain, Launch};
use ctm::memory::{ALIGNMENT, ArenaKind, ArenaSizes, Format, Memory, Tiling, read_array};
use ctm::program::{Image, Program};

/// 8 x 4 points.
const DOMAIN: Domain = Domain { i0: 0, j0: 0, i1: 7, j1: 3 };
/// The value of c0.
const OFFSET: [f32; 4] = [100.0, 200.0, 0.0, 0.0];

/// One instruction: output 0 = r0 * 0.5 + c0; r0 starts as (i, j, 0, 0).
fn program() -> Result<Image, TextErrors> {
    asm::assemble("mad o0.rgb, r0, 0.5, c0", "embed")
}

/// The layout of output 0: four floats per element, in tiles.
fn output(address: u32) -> SurfaceFormat {
    SurfaceFormat {
        address,
        layout: Layout { pitch: 16, tiling: Tiling::Tiled, format: Format::Float32x4 },
        height: 4,
    }
}

/// Without commands: a launch is a value, and an engine runs it on memory.
fn with_an_engine() -> Result<Vec<u32>, Box<dyn Error>> {
    let mut memory = Memory::new(&ArenaSizes::default())?;
    let surface = output(memory.base(ArenaKind::Gpu)).surface();

    let mut constants = Constants::default();
    constants.float[0] = OFFSET.map(f32::to_bits);
    let mut launch = Launch::new(Arc::new(Program::new(program()?)?), DOMAIN);
    launch.constants = Arc::new(constants);
    launch.outputs[0] = Some(surface);
    launch.statistics = true;

    let outcome = Reference::new().run(&launch, &mut memory, &NoProgress)?;
    for (code, fault) in outcome.faults.iter() {
        println!("{}", fault.text(code));
    }
    if let Some(statistics) = outcome.statistics {
        println!(
            "{} points in {} group(s), {} lane instructions",
            statistics.points, statistics.groups, statistics.lane_instructions
        );
    }
    let (width, height) = (DOMAIN.width(), DOMAIN.height());
    Ok(read_array(&memory, &surface, width, height)?)
}

/// With commands, like the original driver: all data are in memory, and a command buffer refers to
/// them.
fn with_a_device() -> Result<Vec<u32>, Box<dyn Error>> {
    let device = Device::open(DeviceConfig::new(Arc::new(Reference::new())))?;
    let gpu = device.arenas()[0].base;
    let (code, constants, target) = (gpu, gpu + 2 * ALIGNMENT, gpu + 4 * ALIGNMENT);

    device.write_memory(code, &elf::write(&program()?))?;
    device.write_memory(constants, &OFFSET.map(f32::to_le_bytes).concat())?;

    let mut commands = Builder::new();
    commands
        .append_set_out_fmt(0, output(target))?
        .append_set_inst_fmt(code)?
        .append_inv_inst_cache()
        .append_set_constf_fmt(ConstantFormat { address: constants, layout: None })?
        .append_inv_constf_cache()
        .append_set_domain(DOMAIN)?
        .append_start_program()
        .append_flush_out_cache();

    let id = device.submit_words(commands.into_words());
    let report = device.wait(id)?;
    for warning in &report.warnings {
        println!("warning: {warning}");
    }
    if let Some(error) = &report.error {
        return Err(error.clone().into());
    }
    let (width, height) = (DOMAIN.width(), DOMAIN.height());
    let surface = output(target).surface();
    Ok(device.with_memory(|memory| read_array(memory, &surface, width, height))?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let direct = with_an_engine()?;
    let submitted = with_a_device()?;
    assert_eq!(direct, submitted, "both ways run the same machine");
    for row in direct.chunks(4 * DOMAIN.width() as usize) {
        let points = row.chunks(4).map(|point| {
            let [x, y] = [point[0], point[1]].map(f32::from_bits);
            format!("{x:5} {y:5}")
        });
        println!("{}", points.collect::<Vec<_>>().join(" |"));
    }
    Ok(())
}
