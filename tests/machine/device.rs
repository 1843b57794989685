//! The device with the reference engine: what a client of the machine does, from the outside.

use std::sync::Arc;

use ctm::command::{Builder, COMMANDS, EncodeError, Layout, Opcode, SurfaceFormat};
use ctm::device::{Context, Device, DeviceConfig, Pe, SubmissionReport};
use ctm::elf;
use ctm::engine::FaultCode;
use ctm::engine::reference::Reference;
use ctm::isa::{Body, Channel, Instruction, Swizzle, TexOp, Type};
use ctm::launch::{Domain, Location, Test};
use ctm::memory::{ArenaKind, ArenaSizes, Format, Memory, Tiling, read_array, write_array};
use ctm::program::Image;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

const SIZES: ArenaSizes = ArenaSizes { gpu: 1 << 20, gpub: 0, sys: 0, sysc: 1 << 18 };

const GPU: u32 = 0x1000_0000;
const SYS: u32 = GPU + (1 << 20);

/// OUT of a temporary to output 0, all channels.
fn out(temp: u8) -> Instruction {
    let mut out = Instruction::blank(Type::Out);
    out.common.omask = 15;
    out.common.tex_sem_wait = true;
    if let Body::Alu(alu) = &mut out.body {
        for unit in &mut alu.units {
            unit.sources[0].addr = temp;
            unit.inputs[1].swizzle = [Swizzle::One; 3];
            unit.inputs[2].swizzle = [Swizzle::Zero; 3];
        }
        alu.units[0].inputs[0].swizzle = [Swizzle::R, Swizzle::G, Swizzle::B];
        alu.units[1].inputs[0].swizzle[0] = Swizzle::A;
    }
    out
}

/// Fetches from input 0 at the point's own place into temporary 1.
fn fetch() -> Instruction {
    let mut fetch = Instruction::blank(Type::Tex);
    fetch.common.wmask = 15;
    if let Body::Tex(tex) = &mut fetch.body {
        let all = [Channel::R, Channel::G, Channel::B, Channel::A];
        tex.op = TexOp::Ld;
        tex.unscaled = true;
        tex.tex_sem_acquire = true;
        tex.src.swizzle = all;
        tex.dest = 1;
        tex.dest_swizzle = all;
    }
    fetch
}

fn elf_of(instructions: &[Instruction], inputs: &[u32]) -> Vec<u8> {
    let mut image = Image::from_words(instructions.iter().map(Instruction::encode).collect());
    image.inputs = Some(inputs.to_vec());
    image.outputs = Some(vec![0]);
    elf::write(&image)
}

fn surface(address: u32, tiling: Tiling, format: Format) -> SurfaceFormat {
    SurfaceFormat { address, layout: Layout { pitch: 32, tiling, format }, height: 16 }
}

/// The domain of a whole [`surface`].
const ALL: Domain = Domain { i0: 0, j0: 0, i1: 31, j1: 15 };

fn open() -> Device {
    let device = Device::open(DeviceConfig {
        arenas: SIZES,
        statistics: true,
        ..DeviceConfig::new(Arc::new(Reference::new()))
    })
    .expect("1.25 MiB and a thread");
    let bases: Vec<u32> = device.arenas().iter().map(|a| a.base).collect();
    assert_eq!(bases, [GPU, SYS]);
    device
}

fn run(
    device: &Device,
    build: impl FnOnce(&mut Builder) -> Result<&mut Builder, EncodeError>,
) -> Arc<SubmissionReport> {
    let mut builder = Builder::new();
    build(&mut builder).expect("all values fit");
    let id = device.submit_words(builder.into_words());
    device.wait(id).expect("kept")
}

fn put(device: &Device, surface: &SurfaceFormat, data: &[u32]) {
    device
        .with_memory(|memory| write_array(memory, &surface.surface(), 32, 16, data))
        .expect("it fits");
}

fn get(device: &Device, surface: &SurfaceFormat) -> Vec<u32> {
    device.with_memory(|memory| read_array(memory, &surface.surface(), 32, 16)).expect("it fits")
}

#[test]
fn data_goes_through_tiled_memory_and_back_as_clients_do_it() {
    let device = open();
    let program = elf_of(&[fetch(), out(1)], &[0]);
    // The client's data, its programs and its command buffers lie in system memory.
    let (data, back) = (
        surface(SYS, Tiling::Linear, Format::Float32x4),
        surface(SYS + 0x4000, Tiling::Linear, Format::Float32x4),
    );
    let local = surface(GPU, Tiling::Tiled, Format::Float32x4);
    let values: Vec<u32> = (0..32 * 16 * 4).map(|n| (n as f32 - 7.5).to_bits()).collect();
    put(&device, &data, &values);
    let (code, buffers) = (SYS + 0x8000, SYS + 0x9000);
    device.write_memory(code, &program).expect("it fits");
    let mut ids = Vec::new();
    for (n, (from, to)) in [(data, local), (local, back)].into_iter().enumerate() {
        let mut b = Builder::new();
        b.append_flush_out_cache().append_flush_cond_out_cache();
        b.append_set_inp_fmt(0, from).expect("fits");
        b.append_set_out_fmt(0, to).expect("fits");
        b.append_inv_inp_cache().append_inv_cond_out_cache();
        b.append_set_inst_fmt(code).expect("fits");
        b.append_inv_inst_cache();
        b.append_set_domain(ALL).expect("fits");
        b.append_start_program();
        b.append_flush_out_cache().append_flush_cond_out_cache();
        let address = buffers + 0x800 * n as u32;
        device.write_memory(address, &b.to_bytes()).expect("it fits");
        let words = b.words().len() as u32;
        let id = device.submit(address, words).expect("in memory");
        while device.consumed(id) != Some(true) {
            std::thread::yield_now();
        }
        ids.push(id);
    }
    assert_eq!(get(&device, &back), values);
    assert_eq!(get(&device, &local), values);
    for id in ids {
        let report = device.wait(id).expect("kept");
        assert!(report.is_clean(), "{report:?}");
        assert_eq!(report.hazards, []);
        let statistics = report.statistics.expect("asked for");
        assert_eq!((statistics.points, statistics.groups), (512, 8));
        assert_eq!((report.launches, report.groups), (1, 8));
    }
}

#[test]
fn counters_of_a_real_launch() {
    let device = open();
    let (code, counters) = (SYS, SYS + 0x800);
    device.write_memory(code, &elf_of(&[fetch(), out(1)], &[0])).expect("it fits");
    let input = surface(GPU, Tiling::Tiled, Format::Float32x4);
    let output = surface(GPU + 0x8000, Tiling::Tiled, Format::Float32x4);
    let report = run(&device, |b| {
        b.append_set_inp_fmt(0, input)?
            .append_set_out_fmt(0, output)?
            .append_set_inst_fmt(code)?
            .append_set_domain(ALL)?
            .append_init_perf_counters(true)
            .append_start_perf_counters()
            .append_start_program()
            .append_wait_for_idle()
            .append_stop_perf_counters()
            .append_read_perf_counters(counters)
    });
    assert!(report.is_clean(), "{report:?}");
    let mut bytes = [0; 8];
    device.read_memory(counters, &mut bytes).expect("in memory");
    let clocks = u64::from_le_bytes(bytes);
    // 8 groups: 8 OUT are 64 * 8 / 48 = 10.7 clocks, 8 TEX 64 * 8 / 16 = 32.
    assert_eq!(clocks >> 32, 232);
    assert_eq!(clocks & 0xffff_ffff, 232 + 6);
}

#[test]
fn interpolants_start_in_temporaries_1_to_7() {
    let device = open();
    let (code, params) = (SYS, SYS + 0x800);
    device.write_memory(code, &elf_of(&[out(3)], &[])).expect("it fits");
    // Interpolant 2 is temporary 3: (x, y, 1, 2 x + y) at every vertex.
    let mut block = [[0f32; 32]; 3];
    for (vertex, [x, y]) in block.iter_mut().zip([[0.0, 0.0], [64.0, 0.0], [0.0, 32.0]]) {
        vertex[..2].copy_from_slice(&[x, y]);
        vertex[12..16].copy_from_slice(&[x, y, 1.0, 2.0 * x + y]);
    }
    let bytes: Vec<u8> = block.as_flattened().iter().flat_map(|f| f.to_le_bytes()).collect();
    device.write_memory(params, &bytes).expect("it fits");
    let output = surface(GPU, Tiling::Linear, Format::Float32x4);
    let report = run(&device, |b| {
        Ok(b.append_set_out_fmt(0, output)?
            .append_set_inst_fmt(code)?
            .append_set_domain(ALL)?
            .append_set_params(params)?
            .append_start_program())
    });
    assert!(report.is_clean(), "{report:?}");
    let mut expected = Vec::new();
    for j in 0..16 {
        for i in 0..32 {
            let (x, y) = (i as f32 + 0.5, j as f32 + 0.5);
            expected.extend([x, y, 1.0, 2.0 * x + y].map(f32::to_bits));
        }
    }
    assert_eq!(get(&device, &output), expected);
}

#[test]
fn the_pe_tests_points_before_they_run() {
    let device = open();
    device.write_memory(SYS, &elf_of(&[out(0)], &[])).expect("it fits");
    let buffer = surface(GPU, Tiling::Linear, Format::Float32x1);
    let output = surface(GPU + 0x8000, Tiling::Linear, Format::Float32x4);
    // The buffer holds its own column; 10.5 is less than columns 11 to 31.
    let columns: Vec<u32> = (0..512).map(|n| ((n % 32) as f32).to_bits()).collect();
    put(&device, &buffer, &columns);
    let value = 10.5f32.to_bits();
    let report = run(&device, |b| {
        Ok(b.append_set_out_fmt(0, output)?
            .append_set_cond_out_fmt(buffer)?
            .append_set_inst_fmt(SYS)?
            .append_set_domain(ALL)?
            .append_set_cond_test(Test::Less)
            .append_set_cond_loc(Location::Pe)
            .append_set_cond_val(value)
            .append_start_program())
    });
    assert!(report.is_clean(), "{report:?}");
    assert_eq!(report.statistics.expect("asked for").points, 21 * 16);
    let written = get(&device, &output);
    let tested = get(&device, &buffer);
    for n in 0..512 {
        let passes = n % 32 > 10;
        let expected = if passes { value } else { columns[n] };
        assert_eq!(tested[n], expected, "buffer, element {n}");
        let expected = if passes { columns[n] } else { 0 };
        assert_eq!(written[4 * n], expected, "output, element {n}");
    }
}

#[test]
fn a_launch_that_cannot_run_says_why_and_changes_nothing() {
    let device = open();
    device.write_memory(SYS, &elf_of(&[fetch(), out(1)], &[0])).expect("it fits");
    let output = surface(GPU, Tiling::Linear, Format::Float32x4);
    let marks = vec![0x1234_5678; 32 * 16 * 4];
    put(&device, &output, &marks);
    let report = run(&device, |b| {
        b.append_set_out_fmt(0, output)?
            .append_set_inst_fmt(SYS)?
            .append_set_domain(ALL)?
            .append_start_program()
            .append_set_out_mask(1)
    });
    assert_eq!(
        report.error.as_ref().expect("no input").to_string(),
        "word 13 (0xc0000800): start_program: input 0 was never set, but the instruction at pc 0 \
         fetches from it"
    );
    assert_eq!(get(&device, &output), marks);
    // The next submission has all it needs; the mask of the first was never reached.
    let report = run(&device, |b| {
        Ok(b.append_set_inp_fmt(0, surface(GPU + 0x8000, Tiling::Linear, Format::Float32x4))?
            .append_start_program())
    });
    assert!(report.is_clean(), "{report:?}");
    assert_eq!(get(&device, &output), vec![0; 32 * 16 * 4]);
}

#[test]
fn faults_of_a_launch_come_with_its_command() {
    let device = open();
    device.write_memory(SYS, &elf_of(&[out(0)], &[])).expect("it fits");
    let report = run(&device, |b| {
        Ok(b.append_set_out_fmt(0, surface(0x4000_0000, Tiling::Linear, Format::Float32x1))?
            .append_set_inst_fmt(SYS)?
            .append_set_domain(ALL)?
            .append_start_program())
    });
    assert_eq!(report.error, None);
    let of_command = &report.command_faults[0];
    assert_eq!((of_command.offset, of_command.command), (13, Opcode::StartProgram));
    let fault = report.faults.get(FaultCode::OutputOutsideMemory).expect("nowhere");
    assert_eq!((fault.count, fault.i, fault.j, fault.word), (512, 0, 0, 0x4000_0000));
}

/// Buffers of which most commands are plausible, over domains of at most 8 x 8 points.
fn any_buffer() -> impl Strategy<Value = Vec<u32>> {
    let parameter = prop_oneof![
        5 => 0u32..8,
        2 => (0u32..40).prop_map(|n| GPU + n * 0x800),
        3 => (0u32..9, 0u32..2).prop_map(|(f, t)| f << 24 | t << 16 | 0x40),
        1 => Just(0x4000_0000u32),
    ];
    let parameters = [(); 4].map(|()| parameter.clone());
    let chunk = (0..COMMANDS.len() + 10, parameters).prop_map(|(n, mut p)| {
        let row = COMMANDS.get(n).unwrap_or(Opcode::StartProgram.row());
        match row.opcode {
            Opcode::SetDomain => p = p.map(|v| v & 7),
            Opcode::SetInstFmt if p[0] < 8 => p[0] = SYS,
            Opcode::SetInstFmt => p[0] = SYS + 0x800,
            Opcode::SetInpFmt | Opcode::SetOutFmt => p[0] &= 1,
            // Three vertices at random are on a line, and one such command ends all launches.
            Opcode::SetParams => p[0] = SYS + 0x1000,
            _ => {}
        }
        let mut words = vec![row.word];
        words.extend(&p[..row.parameters.len()]);
        words
    });
    let start = [
        vec![Opcode::SetInstFmt.word(), SYS, 0],
        vec![Opcode::SetInpFmt.word(), 0, GPU, 0x0400_0040, 8],
        vec![Opcode::SetOutFmt.word(), 0, GPU + 0x4000, 0x0400_0040, 8],
    ]
    .concat();
    proptest::collection::vec(chunk, 1..50)
        .prop_map(move |chunks| [start.clone(), chunks.concat()].concat())
}

#[test]
fn random_buffers_do_the_same_twice_and_leave_system_memory_alone() {
    const CASES: u32 = 150;
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    println!("seed: 32 bytes 0x37");
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[0x37; 32]);
    let engine = Reference::new();
    let context = Context { statistics: true, ..Context::new(&engine) };
    let system = |memory: &Memory| memory.slice(SYS, 1 << 18).expect("SYSc").to_vec();
    let execute = |words: &[u32]| {
        let mut memory = Memory::new(&SIZES).expect("1.25 MiB");
        assert_eq!(memory.base(ArenaKind::SysC), SYS);
        for (address, bytes) in [
            (SYS, elf_of(&[out(0)], &[])),
            (SYS + 0x800, elf_of(&[fetch(), out(1)], &[0])),
            (SYS + 0x1000 + 128, 8f32.to_le_bytes().to_vec()),
            (SYS + 0x1000 + 256 + 4, 8f32.to_le_bytes().to_vec()),
        ] {
            memory.write(address, &bytes).expect("it fits");
        }
        let before = system(&memory);
        let report = Pe::new().execute(words, &mut memory, &context);
        // No address in the buffer leads there but for reading.
        assert!(system(&memory) == before, "{words:x?}");
        let local = memory.slice(GPU, 1 << 20).expect("GPU").to_vec();
        (report, local)
    };
    let launches = std::cell::Cell::new(0);
    let result = TestRunner::new_with_rng(config, rng).run(&any_buffer(), |words| {
        let (first, memory) = execute(&words);
        let (second, again) = execute(&words);
        prop_assert_eq!(&first, &second);
        prop_assert!(memory == again, "memory differs");
        launches.set(launches.get() + first.launches);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let launches = launches.get();
    println!("{CASES} random buffers: {launches} launches on the reference engine, twice");
    assert!(launches > 100, "{launches}");
}
