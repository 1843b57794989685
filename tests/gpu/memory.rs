//! `memory.wgsl` on an adapter against `ctm::memory`. See `common` for when these tests run.

use crate::kernel::{Kernel, copy, encoder, open, read};
use bytemuck::{Pod, Zeroable};
use ctm::engine::gpu::abi::surface::{MemoryVariant, SurfaceRecord, ranges};
use ctm::engine::gpu::memory::Resident;
use ctm::engine::gpu::shader::translate::Sizes;
use ctm::memory::{ArenaSizes, Format, Memory, Surface, Tiling, Wrap, encode, fetch, store};
use ctm::random::Random;

const SIZES: ArenaSizes = ArenaSizes { gpu: 0x2_7001, gpub: 0x800, sys: 0, sysc: 0x1_0002 };

/// Memory full of random bytes.
fn memory(random: &mut Random) -> Memory {
    let mut memory = Memory::new(&SIZES).expect("it fits");
    let all = [0..1 << 32];
    for (_, bytes) in memory.ranges_mut(&all) {
        bytes.fill_with(|| random.bits() as u8);
    }
    memory
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Job {
    surface: SurfaceRecord,
    x: i32,
    y: i32,
    mask: u32,
    pad: u32,
    channels: [u32; 4],
}

const FETCH: &str = "
struct Job { surface: Surface, x: i32, y: i32, mask: u32, pad: u32, channels: vec4<u32> }

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    x1k_zero = groups.z - 1u;
    if id.x >= arrayLength(&jobs) { return; }
    let job = jobs[id.x];
    let fetched = mem_fetch(job.surface, job.x, job.y, ranges);
    let format = job.surface.bits & MEM_FORMAT;
    let element = mem_encode(format, job.channels, job.mask);
    let at = 16u * id.x;
    for (var n = 0u; n < 4u; n += 1u) {
        results[at + n] = fetched.texel[n];
        results[at + 4u + n] = element.words[n] & element.masks[n];
        results[at + 8u + n] = element.masks[n];
    }
    results[at + 12u] = u32(fetched.outside);
    results[at + 13u] = select(0u, fetched.address, fetched.outside);
    results[at + 14u] = mem_address(job.surface, u32(job.x), u32(job.y));
    results[at + 15u] = u32(mem_writes(format, job.mask))
        | (u32(mem_is_writable(job.surface, u32(job.x), u32(job.y))) << 1u);
}
";

/// Any surface that passes for an input, mostly in memory.
fn surface(random: &mut Random) -> Surface {
    let format = Format::ALL[random.below(9) as usize];
    let single = format.is_basic_single();
    let tiling = Tiling::ALL[random.below(if single { 4 } else { 2 }) as usize];
    let sizes = [0, 1, 4, 7, 33, 64, 100, 160, 8191];
    let mut size = || match random.below(8) {
        0 => sizes[random.below(9) as usize],
        _ => 1 + random.below(90),
    };
    let (pitch, width, height) = (size(), size(), size());
    let base = match random.below(16) {
        0 => random.bits(),
        1 => 0x1000_0000u32.wrapping_sub(random.below(0x2000)),
        _ => 0x1000_0000 + random.below(0x3_8000),
    };
    let mut surface = Surface::new(base, pitch, height, tiling, format);
    if random.below(2) == 0 {
        surface.width = width;
    }
    if random.below(3) == 0 {
        surface.wrap = Wrap::Repeat;
    }
    surface
}

fn coordinate(random: &mut Random) -> i32 {
    match random.below(16) {
        0 => [i32::MIN, i32::MAX, -1, i32::MIN + 1][random.below(4) as usize],
        1 => random.bits() as i32,
        2 => -(random.below(300) as i32),
        _ => random.below(100) as i32,
    }
}

/// Bits that are often a number that an integer format can hold.
fn channel(random: &mut Random) -> u32 {
    match random.below(4) {
        0 => random.bits(),
        1 => (random.bits() as f32 / 4e9).to_bits(),
        // Close to the middle between two stored numbers.
        2 => ((random.below(512) as f32 / 2.0) / 255.0).to_bits() ^ random.below(2),
        _ => ((random.below(131_072) as f32 / 2.0) / 65535.0).to_bits() ^ random.below(2),
    }
}

fn fetches(variant: &MemoryVariant, accept: impl Fn(&Surface) -> bool) {
    const JOBS: usize = 20_000;
    let seed = 0x3e3_0001 + u64::from(variant.copies);
    println!("{variant:?}, seed {seed:#x}");
    let mut random = Random::new(&[seed]);
    let gpu = open();
    let mut memory = memory(&mut random);
    let mut resident = Resident::new(&memory, 1 << 20);
    let all = [0..1 << 32];
    let mut bound = resident.bind(&gpu, &mut memory, &all, &[]).expect("it can be bound");
    let mut commands = encoder(&gpu);
    if variant.copies {
        let [all] = all;
        resident.snapshot(&gpu, &mut bound, &[(0, all)]).expect("it can be copied");
        copy(&mut commands, &bound);
    }
    let mut surfaces = Vec::new();
    let mut jobs = Vec::new();
    while jobs.len() < JOBS {
        let surface = surface(&mut random);
        if !accept(&surface) {
            continue;
        }
        jobs.push(Job {
            surface: SurfaceRecord::new(&surface, bound.reads[0]),
            x: coordinate(&mut random),
            y: coordinate(&mut random),
            mask: random.below(16),
            pad: 0,
            channels: std::array::from_fn(|_| channel(&mut random)),
        });
        surfaces.push(surface);
    }
    let kernel = Kernel::new(&gpu, variant, FETCH);
    let groups = [JOBS.div_ceil(64) as u32, 1];
    let limits = ranges(&memory);
    let results = kernel.record(&gpu, &mut commands, &bound, &jobs, limits, 16 * JOBS, groups);
    let results = read(&gpu, commands, &results);
    let mut outside = 0;
    for (n, ((job, surface), found)) in
        jobs.iter().zip(&surfaces).zip(results.chunks_exact(16)).enumerate()
    {
        let (x, y) = (job.x as u32, job.y as u32);
        let expected = fetch(&memory, surface, job.x, job.y);
        let element = encode(surface.format, job.channels, job.mask as u8);
        let masks = (0..16).map(|byte| element.byte_mask >> byte & 1 != 0);
        let mask_bytes: Vec<u8> = masks.map(|set| if set { 0xff } else { 0 }).collect();
        let written = element.bytes.iter().zip(&mask_bytes).map(|(b, m)| b & m);
        let written: Vec<u8> = written.collect();
        let mut all = expected.channels.to_vec();
        all.extend(bytemuck::pod_collect_to_vec::<u8, u32>(&written));
        all.extend(bytemuck::pod_collect_to_vec::<u8, u32>(&mask_bytes));
        all.push(u32::from(expected.fault.is_some()));
        all.push(expected.fault.unwrap_or(0));
        all.push(surface.address(x, y));
        all.push(u32::from(element.byte_mask != 0) | u32::from(surface.is_writable(x, y)) << 1);
        assert!(
            found == all,
            "job {n}: {surface:?} at ({}, {}), channels {:08x?}, mask {}:\nfound    {found:08x?}\n\
             expected {all:08x?}",
            job.x,
            job.y,
            job.channels,
            job.mask
        );
        outside += usize::from(expected.fault.is_some());
    }
    println!("{outside} of {JOBS} fetches were outside memory");
    assert!(outside > JOBS / 20 && outside < JOBS / 2);
}

#[test]
#[ignore = "needs an adapter"]
fn every_fetch_and_every_element_is_as_on_the_host() {
    fetches(&MemoryVariant::ALL, |_| true);
}

#[test]
#[ignore = "needs an adapter"]
fn so_it_is_without_copies() {
    fetches(&MemoryVariant { copies: false, ..MemoryVariant::ALL }, |_| true);
}

#[test]
#[ignore = "needs an adapter"]
fn so_it_is_without_what_nothing_needs() {
    let variant = MemoryVariant { read_words: 2, write_words: 2, ..MemoryVariant::default() };
    fetches(&variant, |surface| {
        matches!(surface.format, Format::Float32x1 | Format::Float32x2)
            && surface.tiling == Tiling::Linear
            && surface.wrap == Wrap::Clamp
    });
}

const STORE: &str = "
struct Job { surface: Surface, x: i32, y: i32, mask: u32, pad: u32, channels: vec4<u32> }

fn channel(i: u32, j: u32, c: u32) -> u32 {
    let h = ((i * 0x9e3779b1u) ^ (j * 0x85ebca77u)) + c * 0xc2b2ae3du;
    return select(h, 0x3f000000u | (h >> 9u), (h & 64u) == 0u);
}

fn channels(i: u32, j: u32) -> vec4<u32> {
    return vec4<u32>(channel(i, j, 0u), channel(i, j, 1u), channel(i, j, 2u), channel(i, j, 3u));
}

fn accepted(surface: Surface, i: u32, j: u32) -> bool {
    let bytes = 1u << mem_bytes_log2(surface.bits);
    return mem_is_writable(surface, i, j)
        & mem_contains(ranges, mem_address(surface, i, j), bytes);
}

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    x1k_zero = groups.z - 1u;
    let job = jobs[0];
    let i = id.x & 127u;
    let j = id.x >> 7u;
    let surface = job.surface;
    let format = surface.bits & MEM_FORMAT;
    let g = (mem_address(surface, i, j) >> 2u) - surface.delta;
    if !mem_writes(format, job.mask) { return; }
    let bytes = 1u << mem_bytes_log2(surface.bits);
    if bytes < 4u {
        // The leftmost point of a word writes for its neighbours, too.
        if (i & (4u / bytes - 1u)) == 0u {
            var word = 0u;
            var written = 0u;
            for (var n = 0u; n < 4u / bytes; n += 1u) {
                let element = mem_encode(format, channels(i + n, j), job.mask);
                word |= (element.words.x & element.masks.x) << (8u * n * bytes);
                let kept = select(0u, element.masks.x, accepted(surface, i + n, j));
                written |= kept << (8u * n * bytes);
            }
            if written != 0u {
                mem_store_word(g, mem_merge(mem_load_word(g), word, written));
            }
        }
    } else if accepted(surface, i, j) {
        mem_store_element(g, mem_encode(format, channels(i, j), job.mask));
    }
    if id.x == 0u { results[0] = 1u; }
}
";

/// The twin of `channels` in [`STORE`].
fn channels(i: u32, j: u32) -> [u32; 4] {
    std::array::from_fn(|c| {
        let h = (i.wrapping_mul(0x9e37_79b1) ^ j.wrapping_mul(0x85eb_ca77))
            .wrapping_add((c as u32).wrapping_mul(0xc2b2_ae3d));
        if h & 64 == 0 { 0x3f00_0000 | h >> 9 } else { h }
    })
}

#[test]
#[ignore = "needs an adapter"]
fn every_store_is_as_on_the_host() {
    const SIDE: u32 = 128;
    let seed = 0x570_4e5;
    println!("seed {seed:#x}");
    let mut random = Random::new(&[seed]);
    let gpu = open();
    for copies in [false, true] {
        let variant = MemoryVariant { copies, ..MemoryVariant::ALL };
        let kernel = Kernel::new(&gpu, &variant, STORE);
        for n in 0..72 {
            let format = Format::ALL[n % 9];
            let tiling = Tiling::ALL[n / 9 % 2];
            let mut expected = memory(&mut random);
            let mut found = Memory::new(&SIZES).expect("it fits");
            for (base, bytes) in expected.ranges() {
                found.write(base, bytes).expect("the same ranges");
            }
            // No two elements share a byte; the last rows may lie outside memory or the surface.
            let base = 0x1000_0000 + 0x800 * random.below(0x70);
            let mut surface = Surface::new(base, 0, 1 + random.below(SIDE), tiling, format);
            surface.pitch = surface.default_pitch(1 + random.below(SIDE));
            let mask = if n < 18 { 15 } else { random.below(16) };
            let mut resident = Resident::new(&found, 1 << 20);
            let span = [surface.byte_span(surface.pitch.max(SIDE), surface.height.max(SIDE))];
            let bound = resident.bind(&gpu, &mut found, &[], &span).expect("it can be bound");
            resident.written(&found, &span[0], Sizes::Any);
            let job = Job {
                surface: SurfaceRecord::new(&surface, bound.writes[0]),
                x: 0,
                y: 0,
                mask,
                pad: 0,
                channels: [0; 4],
            };
            let mut commands = encoder(&gpu);
            let limits = ranges(&found);
            let groups = [SIDE * SIDE / 64, 1];
            let results = kernel.record(&gpu, &mut commands, &bound, &[job], limits, 1, groups);
            read(&gpu, commands, &results);
            resident.bring_down(&gpu, &mut found, None).expect("it comes down");
            for (j, i) in (0..SIDE).flat_map(|j| (0..SIDE).map(move |i| (j, i))) {
                if surface.is_writable(i, j) {
                    let _ = store(&mut expected, &surface, i, j, channels(i, j), mask as u8);
                }
            }
            for ((base, a), (_, b)) in found.ranges().zip(expected.ranges()) {
                let differ = a.iter().zip(b).position(|(a, b)| a != b);
                assert_eq!(
                    differ.map(|at| base + at as u32),
                    None,
                    "{surface:?}, mask {mask}, {copies}"
                );
            }
        }
    }
}
