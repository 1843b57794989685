use std::sync::Arc;

use super::*;
use crate::command::{Layout, SurfaceFormat};
use crate::device::testing::*;
use crate::device::{Device, DeviceConfig, LoadError, ProgramLoader};
use crate::engine::Outcome;
use crate::launch::Domain;
use crate::memory::{ArenaSizes, Format, Tiling};
use ctm_base::random::Random;
use ctm_lang::elf;
use ctm_lang::program::Program;

/// Every byte of the elements from `first` to `last`, computed only by the address formula.
fn bytes_of(surface: &Surface, first: (u32, u32), last: (u32, u32)) -> Vec<bool> {
    let mut bytes = vec![false; 1 << 20];
    for y in first.1..=last.1.min(surface.height - 1) {
        for x in first.0..=last.0.min(surface.pitch - 1) {
            let at = surface.address(x, y) as usize;
            bytes[at..at + (1 << surface.format.bytes_log2())].fill(true);
        }
    }
    bytes
}

#[test]
fn runs_are_the_elements_and_nothing_else() {
    const SEED: u64 = 0x5eed;
    println!("seed {SEED:#x}");
    let mut source = Random::new(&[SEED]);
    let mut random = |n: u32| source.below(n);
    let (mut merged, mut cases) = (0, 0);
    for format in Format::ALL {
        for tiling in [Tiling::Linear, Tiling::Tiled] {
            for _ in 0..12 {
                let pitch = 4 * (1 + random(24));
                let surface =
                    Surface::new(0x800 * random(4), pitch, 1 + random(70), tiling, format);
                let first = (random(pitch), random(surface.height));
                let last = (first.0 + random(pitch + 8), first.1 + random(70));
                let mut found = vec![false; 1 << 20];
                let mut count = 0;
                runs(&surface, first, last, &mut |range| {
                    assert!(!range.is_empty());
                    count += 1;
                    found[range.start as usize..range.end as usize].fill(true);
                });
                assert!(
                    found == bytes_of(&surface, first, last),
                    "{surface:?} from {first:?} to {last:?}"
                );
                cases += 1;
                merged += usize::from(count == 1);
            }
        }
    }
    assert!(cases == 24 * Format::ALL.len() && merged > 0);
}

#[test]
fn whole_surfaces_are_one_run() {
    for tiling in [Tiling::Linear, Tiling::Tiled] {
        let surface = Surface::new(0x1000, 64, 32, tiling, Format::Float32x4);
        let mut all = Vec::new();
        runs(&surface, (0, 0), (63, 31), &mut |range| all.push(range));
        assert_eq!(all.len(), 1);
        assert_eq!(all[0], 0x1000..0x1000 + 64 * 32 * 16);
    }
}

#[test]
fn runs_wrap_around_the_address_space_and_may_be_empty() {
    let surface =
        |pitch, height| Surface::new(0xffff_f800, pitch, height, Tiling::Linear, Format::Float32x4);
    let all = |surface: &Surface, first, last| {
        let mut all = Vec::new();
        runs(surface, first, last, &mut |range| all.push(range));
        all
    };
    assert_eq!(all(&surface(256, 1), (0, 0), (255, 0)), [0xffff_f800..1 << 32, 0..0x800]);
    let none: Vec<Range<u64>> = Vec::new();
    assert_eq!(all(&surface(0, 1), (0, 0), (255, 0)), none);
    assert_eq!(all(&surface(256, 0), (0, 0), (255, 0)), none);
    assert_eq!(all(&surface(256, 1), (256, 0), (300, 0)), none);
    assert_eq!(all(&surface(256, 1), (0, 1), (0, 1)), none);
}

const SIZES: ArenaSizes = ArenaSizes { gpu: 1 << 16, gpub: 0, sys: 0, sysc: 1 << 17 };

fn open(engine: Fake) -> (Device, u32) {
    let device = Device::open(DeviceConfig {
        arenas: SIZES,
        client_memory: true,
        ..DeviceConfig::new(Arc::new(engine))
    })
    .expect("a device");
    let base = device.base(ArenaKind::SysC);
    (device, base)
}

/// A launch of the program at `base` over 8 x 4 points, to a surface of 16 x 8 at `base + 0x4000`.
fn commands(base: u32) -> Vec<u32> {
    buffer(|b| {
        b.append_set_inst_fmt(base)?
            .append_set_out_fmt(
                0,
                SurfaceFormat {
                    address: base + 0x4000,
                    layout: Layout { pitch: 16, tiling: Tiling::Linear, format: Format::Float32x1 },
                    height: 8,
                },
            )?
            .append_set_domain(Domain { i0: 2, j0: 1, i1: 9, j1: 4 })?;
        Ok(b.append_start_program())
    })
}

fn words(client: &ClientMemory, address: u32, count: usize) -> Vec<u32> {
    let mut bytes = vec![0; 4 * count];
    assert!(client.read(address, &mut bytes));
    let word = |b: &[u8]| u32::from_le_bytes(b.try_into().expect("four"));
    bytes.chunks_exact(4).map(word).collect()
}

#[test]
fn a_launch_sees_what_the_client_wrote_and_gives_back_only_what_its_points_own() {
    // The engine fills the whole surface, although it must not, and adds the word at an address
    // that the launch owns.
    let (device, base) = open(Fake::new(|_, launch, memory| {
        let output = launch.outputs[0].expect("an output");
        let old = memory.read_u32(output.address(2, 1)).unwrap_or(0);
        for y in 0..output.height {
            for x in 0..output.pitch {
                assert!(memory.write_u32(output.address(x, y), old + 1));
            }
        }
        Ok(outcome(launch))
    }));
    let client = device.client_memory().expect("asked for");
    assert!(client.write(base, &elf::write(&plain())));
    let surface = base + 0x4000;
    for n in 0..128u32 {
        assert!(client.write(surface + 4 * n, &(1000 + n).to_le_bytes()));
    }
    let report = device.wait(device.submit_words(commands(base))).expect("kept");
    assert!(report.is_clean(), "{report:?}");
    for (n, &word) in words(client, surface, 128).iter().enumerate() {
        let (x, y) = (n as u32 % 16, n as u32 / 16);
        let owned = (2..=9).contains(&x) && (1..=4).contains(&y);
        let expected = if owned { 1019 } else { 1000 + n as u32 };
        assert_eq!(word, expected, "element ({x}, {y})");
    }
    // The host's access sees the same bytes.
    let mut bytes = [0; 4];
    device.read_memory(surface + 4 * 18, &mut bytes).expect("inside");
    assert_eq!(u32::from_le_bytes(bytes), 1019);
    device.write_memory(surface, &[7, 0, 0, 0]).expect("inside");
    assert_eq!(words(client, surface, 1), [7]);
}

#[test]
fn a_command_buffer_and_counters_are_in_client_memory() {
    let (device, base) = open(Fake::new(|_, launch, _| Ok(outcome(launch))));
    let client = device.client_memory().expect("asked for");
    assert!(client.write(base, &elf::write(&plain())));
    let mut commands =
        buffer(|b| Ok(b.append_init_perf_counters(true).append_start_perf_counters()));
    commands.extend(self::commands(base));
    commands
        .extend(buffer(|b| b.append_stop_perf_counters().append_read_perf_counters(base + 0x8000)));
    let bytes: Vec<u8> = commands.iter().flat_map(|w| w.to_le_bytes()).collect();
    let at = base + 0xc000;
    assert!(client.write(at, &bytes));
    let id = device.submit(at, commands.len() as u32).expect("inside");
    let report = device.wait(id).expect("kept");
    assert!(report.is_clean(), "{report:?}");
    // 15 words before the stop, and 208 active clocks.
    let counters = words(client, base + 0x8000, 2);
    assert_eq!(counters[1], 208);
    assert!(counters[0] > 208);
}

/// The first word of an image is its length in bytes; the sum of the image selects the program.
struct Summing;

impl ProgramLoader for Summing {
    fn load(&self, available: &[u8]) -> Result<(usize, Program), LoadError> {
        let word = available.first_chunk().ok_or_else(too_short)?;
        let length = u32::from_le_bytes(*word) as usize;
        let image = available.get(..length).ok_or_else(too_short)?;
        let sum = image.iter().map(|&b| u32::from(b)).sum::<u32>();
        let mut program = plain();
        program.fg_depth_src = sum;
        Ok((length, Program::new(program)?))
    }
}

fn too_short() -> LoadError {
    LoadError::Other("too short".to_string())
}

#[test]
fn a_program_of_any_length_is_what_the_client_has_there_now() {
    let (sums, engine) = {
        let sums = Arc::new(std::sync::Mutex::new(Vec::new()));
        let inner = Arc::clone(&sums);
        let engine = Fake::new(move |_, launch, _| {
            let sum = launch.program.image().fg_depth_src;
            inner.lock().expect("no panic in it").push(sum);
            Ok(Outcome::default())
        });
        (sums, engine)
    };
    let device = Device::open(DeviceConfig {
        arenas: SIZES,
        client_memory: true,
        loader: Arc::new(Summing),
        ..DeviceConfig::new(Arc::new(engine))
    })
    .expect("a device");
    let client = device.client_memory().expect("asked for");
    let base = device.base(ArenaKind::SysC);
    let mut expected = Vec::new();
    for length in [8usize, 0x3fff, 0x4000, 0x4001, 0x10000, 12, 0x5000, 16] {
        let mut image = vec![0; length];
        image[..4].copy_from_slice(&(length as u32).to_le_bytes());
        for last in [1, 2, 2, 3] {
            image[length - 1] = last;
            assert!(client.write(base, &image));
            let report = device.wait(device.submit_words(commands(base))).expect("kept");
            assert_eq!(report.error, None);
            expected.push(image.iter().map(|&b| u32::from(b)).sum::<u32>());
        }
    }
    assert_eq!(*sums.lock().expect("no panic in it"), expected);
}

#[test]
fn client_memory_has_bounds() {
    let (device, base) = open(Fake::counting());
    let client = device.client_memory().expect("asked for");
    let len = SIZES.sysc as u32;
    assert_eq!((client.len(), client.is_empty()), (len as usize, false));
    for (address, size, inside) in [
        (base, len as usize, true),
        (base, len as usize + 1, false),
        (base + len, 0, true),
        (base + len, 1, false),
        (base - 1, 1, false),
        (0, 0, false),
        (u32::MAX, 1, false),
    ] {
        assert_eq!(client.contains(address, size), inside, "{size} at {address:#x}");
        assert_eq!(client.read(address, &mut vec![0; size]), inside);
        assert_eq!(client.write(address, &vec![0; size]), inside);
    }
    // A device without shared memory has only its own.
    let plain = Device::open(DeviceConfig::new(Arc::new(Fake::counting()))).expect("a device");
    assert!(plain.client_memory().is_none());
}
