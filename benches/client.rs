//! The costs of a client of the device interface: `cargo bench --bench client`, on the block engine.
//!
//! * Recording: the processor time of 1,000 submissions of one launch of 64 x 64 points, made without
//!   waiting, input and output in shared system memory; 20 runs with and without a recording, in turn.
//! * Launches: one of 64 points through the C interface, from submit to consumed, against
//!   `Engine::run` of the same, in turn; processor time.
//! * Copies: 4 MiB by a copy program through the C interface, from submit to consumed, against
//!   `memcpy`, in turn; processor time.
//!
//! `-- --launches` and `-- --copies` measure one of them.

use ctm::asm::assemble;
use ctm::capi::types::AMmanagedDeviceInfo;
use ctm::command::{Builder, Layout, SurfaceFormat};
use ctm::device::{Device, DeviceConfig};
use ctm::elf;
use ctm::engine::block::Block;
use ctm::engine::{Engine, NoProgress};
use ctm::launch::{Constants, Domain, Launch};
use ctm::memory::{ArenaKind, ArenaSizes, Format, Memory, Surface, Tiling};
use ctm::program::Program;
use ctm::record::Recording;
use std::ffi::{c_char, c_int, c_void};
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

/// A FLOAT32_4 surface.
fn surface(address: u32, tiling: Tiling, (width, height): (u32, u32)) -> SurfaceFormat {
    let layout = Layout { pitch: width, tiling, format: Format::Float32x4 };
    SurfaceFormat { address, layout, height }
}

/// The words of one launch: output = the program of the input.
fn launch(program: u32, input: SurfaceFormat, output: SurfaceFormat) -> Vec<u32> {
    let (i1, j1) = (output.layout.pitch - 1, output.height - 1);
    let mut words = Builder::new();
    words.append_set_inst_fmt(program).expect("aligned");
    words.append_set_inp_fmt(0, input).expect("slot 0");
    words.append_set_out_fmt(0, output).expect("slot 0");
    words.append_set_domain(Domain { i0: 0, j0: 0, i1, j1 }).expect("in range");
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
    let square = |address| surface(address, Tiling::Linear, (64, 64));
    let words = launch(gpu, square(sys), square(sys + 0x10000));
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

fn recording() {
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

unsafe extern "C" {
    fn amOpenManagedConnection(name: *const c_char, info: *mut AMmanagedDeviceInfo) -> *mut c_void;
    fn amSubmitCommandBuffer(device: *mut c_void, address: u32, size: u32) -> u32;
    fn amCommandBufferConsumed(device: *mut c_void, id: u32) -> u32;
    fn amCloseManagedConnection(device: *mut c_void);
    fn ctm_write(device: *mut c_void, address: u32, from: *const c_void, size: u32) -> c_int;
}

/// A client of the C interface: an open device and its system memory.
struct Connection {
    device: *mut c_void,
    info: AMmanagedDeviceInfo,
}

/// Offsets in system memory.
const PROGRAM: u32 = 0x1000;
const DATA: u32 = 0x10_0000;

impl Connection {
    /// A connection with a program and commands in system memory; returns the number of words, too.
    fn open(source: &str, commands: impl FnOnce(&Connection) -> Vec<u32>) -> (Connection, u32) {
        // SAFETY: plain numbers and pointers, for which zero is a value.
        let mut info: AMmanagedDeviceInfo = unsafe { std::mem::zeroed() };
        // SAFETY: a string and a structure.
        let device = unsafe { amOpenManagedConnection(c"/dev/pcie0".as_ptr(), &mut info) };
        assert!(!device.is_null(), "the device does not open");
        let connection = Connection { device, info };
        let image = assemble(source, "bench.dpp").expect("it is right");
        connection.write(PROGRAM, &elf::write(&image));
        let words = commands(&connection);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        connection.write(0, &bytes);
        (connection, words.len() as u32)
    }

    fn sys(&self, offset: u32) -> u32 {
        self.info.base_address_sysc + offset
    }

    /// The host's address of bytes of system memory.
    fn host(&self, offset: u32, len: usize) -> *mut u8 {
        assert!(offset as usize + len <= self.info.arena_size_sysc as usize);
        // SAFETY: inside, see above.
        unsafe { self.info.base_address_cpuc.cast::<u8>().add(offset as usize) }
    }

    fn write(&self, offset: u32, bytes: &[u8]) {
        let to = self.host(offset, bytes.len());
        // SAFETY: `host` has checked the size, and no submission is pending.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) }
    }

    fn read(&self, offset: u32, bytes: &mut [u8]) {
        let from = self.host(offset, bytes.len());
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), bytes.len()) }
    }

    /// Writes GPU memory from an offset on.
    fn fill(&self, offset: u32, bytes: &[u8]) {
        let (to, from) = (self.info.base_address_gpu + offset, bytes.as_ptr().cast());
        // SAFETY: an open device and so many bytes.
        assert_eq!(unsafe { ctm_write(self.device, to, from, bytes.len() as u32) }, 1);
    }

    /// Submits the commands and polls until they are consumed.
    fn run(&self, words: u32) {
        // SAFETY: an open device.
        unsafe {
            let id = amSubmitCommandBuffer(self.device, self.sys(0), words);
            assert_ne!(id, 0);
            while amCommandBufferConsumed(self.device, id) == 0 {}
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: an open device.
        unsafe { amCloseManagedConnection(self.device) }
    }
}

/// Microseconds of processor time that a call takes, of all threads: other work beside does not count.
fn timed(call: impl FnOnce()) -> f64 {
    let started = spent();
    call();
    (spent() - started) * 1e3
}

/// Prints the medians of pairs and of their ratios.
fn pairs(what: &str, against: &str, pairs: &[(f64, f64)]) {
    let median = |of: fn(&(f64, f64)) -> f64| median(&mut pairs.iter().map(of).collect::<Vec<_>>());
    println!(
        "{what}: {:.1} us, {against}: {:.1} us; median of ratios {:.2}",
        median(|pair| pair.0),
        median(|pair| pair.1),
        median(|pair| pair.0 / pair.1)
    );
}

fn launches() {
    const PAIRS: usize = 20_000;
    let source = "ld r1, i0[r0.rg]\nmad o0, r1, c0, c1\n";
    let row = (64, 1);
    let (connection, words) = Connection::open(source, |connection| {
        let at = |n: u32| surface(connection.sys(DATA + n * 0x1000), Tiling::Linear, row);
        let mut words = vec![0xc001_0e00, connection.sys(0x8000), 0];
        words.extend(launch(connection.sys(PROGRAM), at(0), at(1)));
        words
    });
    let mut memory = Memory::new(&ArenaSizes::default()).expect("memory");
    let image = assemble(source, "bench.dpp").expect("it is right");
    let program = Arc::new(Program::new(image).expect("it is right"));
    let mut launch = Launch::new(program, Domain { i0: 0, j0: 0, i1: 63, j1: 0 });
    let base = memory.base(ArenaKind::Gpu);
    let at =
        |n: u32| Some(Surface::new(base + n * 0x1000, 64, 1, Tiling::Linear, Format::Float32x4));
    (launch.inputs[0], launch.outputs[0]) = (at(0), at(1));
    launch.constants = Arc::new(Constants::default());
    let engine = Block::new();
    let times: Vec<_> = (0..PAIRS)
        .map(|_| {
            let client = timed(|| connection.run(words));
            let alone = timed(|| {
                engine.run(&launch, &mut memory, &NoProgress).expect("it runs");
            });
            (client, alone)
        })
        .collect();
    pairs("a launch of 64 points, submit to consumed", "run", &times);
}

fn copies() {
    const PAIRS: usize = 100;
    const BYTES: usize = 4 << 20;
    let mut data = [vec![1u8; BYTES], vec![2u8; BYTES]];
    let square = (512, 512);
    for (what, changes, reads) in [
        ("linear to tiled, both in GPU memory", false, false),
        ("linear in system memory, just written, to tiled", true, false),
        ("tiled to linear in system memory, which is read then", false, true),
    ] {
        let (connection, words) =
            Connection::open("ld r1, i0[r0.rg]\nmovx o0, r1\n", |connection| {
                let linear = if changes || reads {
                    connection.sys(DATA)
                } else {
                    connection.info.base_address_gpu
                };
                let linear = surface(linear, Tiling::Linear, square);
                let tiled = connection.info.base_address_gpu + BYTES as u32;
                let tiled = surface(tiled, Tiling::Tiled, square);
                let (from, to) = if reads { (tiled, linear) } else { (linear, tiled) };
                launch(connection.sys(PROGRAM), from, to)
            });
        connection.fill(0, &data[0]);
        connection.fill(BYTES as u32, &data[1]);
        connection.run(words);
        let times: Vec<_> = (0..PAIRS)
            .map(|n| {
                let [from, to] = &mut data;
                let copied = match (changes, reads) {
                    (true, _) => {
                        from.fill(n as u8);
                        timed(|| connection.write(DATA, from))
                    }
                    (_, true) => 0.0,
                    _ => timed(|| to.copy_from_slice(std::hint::black_box(from))),
                };
                let ran = timed(|| connection.run(words));
                let copied = if reads { timed(|| connection.read(DATA, to)) } else { copied };
                std::hint::black_box(to);
                (ran, copied)
            })
            .collect();
        pairs(&format!("4 MiB, {what}"), "memcpy", &times);
    }
}

fn main() {
    // SAFETY: no other thread is there yet.
    unsafe { std::env::set_var("CTM_ENGINE", "block") };
    let args: Vec<String> = std::env::args().collect();
    // `cargo test --benches` runs this too; measure only with --bench.
    if !args.iter().any(|arg| arg == "--bench") {
        return;
    }
    let has = |key: &str| args.iter().any(|arg| arg == key);
    let all = !has("--launches") && !has("--copies");
    if all {
        recording();
    }
    if all || has("--launches") {
        launches();
    }
    if all || has("--copies") {
        copies();
    }
}
