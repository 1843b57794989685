//! Memory in GPU buffers: what goes up, what comes down, and when. See `common` for when these
//! tests run.

use crate::kernel::{Kernel, copy, encoder, open, read};
use bytemuck::{Pod, Zeroable};
use ctm::engine::gpu::abi::surface::{MemoryVariant, ranges};
use ctm::engine::gpu::memory::{Bound, Pool, Resident, ResidentError, Residents};
use ctm::engine::gpu::shader::translate::Sizes;
use ctm::engine::gpu::{Gpu, GpuError};
use ctm::memory::{ArenaSizes, Memory};
use ctm::random::Random;
use std::ops::Range;

/// A multiply-add on words: to[n] = from[n] * multiplier + addend.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Job {
    from: u32,
    from_delta: u32,
    to: u32,
    to_delta: u32,
    words: u32,
    multiplier: u32,
    addend: u32,
    pad: u32,
}

const KERNEL: &str = "
struct Job {
    src: u32, src_delta: u32, dst: u32, dst_delta: u32,
    words: u32, multiplier: u32, addend: u32, pad: u32,
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let job = jobs[id.y];
    // Every binding is in use.
    if (id.x == 0u) & (id.y == 0u) { results[0] = ranges[0].x; }
    if id.x >= job.words { return; }
    let value = mem_load_word((job.src >> 2u) + id.x - job.src_delta);
    mem_store_word((job.dst >> 2u) + id.x - job.dst_delta, value * job.multiplier + job.addend);
}
";

fn job(from: &Range<u64>, from_delta: u32, to: &Range<u64>, to_delta: u32, seed: u32) -> Job {
    Job {
        from: from.start as u32,
        from_delta,
        to: to.start as u32,
        to_delta,
        words: ((to.end - to.start) / 4) as u32,
        multiplier: seed | 1,
        addend: seed ^ 0x55,
        pad: 0,
    }
}

fn compile(gpu: &Gpu) -> Kernel {
    Kernel::new(gpu, &MemoryVariant::ALL, KERNEL)
}

/// Runs jobs and waits.
fn run(gpu: &Gpu, kernel: &Kernel, bound: &Bound, jobs: &[Job]) {
    let mut commands = encoder(gpu);
    record(gpu, &mut commands, kernel, bound, jobs);
    gpu.queue.submit([commands.finish()]);
    gpu.wait(None).expect("it runs");
}

fn record(
    gpu: &Gpu,
    commands: &mut wgpu::CommandEncoder,
    kernel: &Kernel,
    bound: &Bound,
    jobs: &[Job],
) {
    let words = jobs.iter().map(|job| job.words).max().unwrap_or(0);
    let groups = [words.div_ceil(64), jobs.len() as u32];
    kernel.record(gpu, commands, bound, jobs, [[1, 0]; 3], 1, groups);
}

const BASE: u64 = 0x1000_0000;

/// Regions of 192 KiB + 2 bytes, 2 KiB and 64 KiB + 5 bytes.
const SIZES: ArenaSizes = ArenaSizes { gpu: 0x3_0002, gpub: 0x800, sys: 0x1_0005, sysc: 4 };

/// First and last address of the words of [`SIZES`].
const WORDS: Range<u64> = BASE..BASE + 0x4_1000 + 4;

fn bytes_of(memory: &Memory) -> Vec<u8> {
    memory.ranges().map(|(_, bytes)| bytes).collect::<Vec<_>>().concat()
}

/// A span of words in one region, at most 100 KiB.
fn any_span(random: &mut Random) -> Range<u64> {
    let (start, len) = [(0, 0x3_0000), (0x3_0800, 0x800), (0x3_1000, 0x1_0000)]
        [[0, 0, 0, 0, 1, 2, 2, 2][random.below(8) as usize]];
    let from = 4 * random.below(len / 4);
    let words = 1 + random.below(((len - from) / 4).min(25_000));
    let words = if random.below(2) == 0 { words } else { words.min(40) };
    let from = BASE + u64::from(start + from);
    from..from + u64::from(4 * words)
}

/// The same steps on a plain copy of memory.
fn step(model: &mut Memory, from: &Range<u64>, to: &Range<u64>, job: &Job) {
    let mut bytes = vec![0; 4 * job.words as usize];
    model.read(from.start as u32, &mut bytes).expect("inside");
    for word in bytes.chunks_exact_mut(4) {
        let value = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        let value = value.wrapping_mul(job.multiplier).wrapping_add(job.addend);
        word.copy_from_slice(&value.to_le_bytes());
    }
    model.write(to.start as u32, &bytes).expect("inside");
}

fn assert_same(memory: &Memory, model: &Memory, what: &str) {
    for ((base, a), (_, b)) in memory.ranges().zip(model.ranges()) {
        let differ = a.iter().zip(b).position(|(a, b)| a != b);
        assert_eq!(differ.map(|at| base + at as u32), None, "{what}");
    }
}

#[test]
#[ignore = "needs an adapter"]
fn host_and_gpu_take_turns() {
    let seed = 0x7e51;
    println!("seed {seed:#x}");
    let mut random = Random::new(&[seed]);
    let gpu = open();
    let kernel = compile(&gpu);
    let mut memory = Memory::new(&SIZES).expect("it fits");
    let mut model = Memory::new(&SIZES).expect("it fits");
    // Two copies on the GPU, each of which sees what the other one brings down.
    let mut copies = [0x2_8000, 0x3_0000].map(|limit| Resident::new(&memory, limit));
    let (mut turns, mut refused) = (0, 0);
    for n in 0..60 {
        // The host writes, bytes at any place.
        for _ in 0..random.below(4) {
            let span = any_span(&mut random);
            let cut = random.below(4).min((span.end - span.start) as u32 - 1) as usize;
            let bytes: Vec<u8> = (span.start..span.end).map(|_| random.bits() as u8).collect();
            for memory in [&mut memory, &mut model] {
                memory.write(span.start as u32, &bytes[cut..]).expect("inside");
            }
        }
        if random.below(3) == 0 {
            // The last byte of memory, which is not the last of a word.
            let value = [random.bits() as u8];
            for memory in [&mut memory, &mut model] {
                memory.write((BASE + 0x4_1004) as u32, &value).expect("inside");
            }
        }
        let resident = &mut copies[random.below(2) as usize];
        let mut spans: Vec<Range<u64>> = Vec::new();
        for _ in 0..1 + random.below(4) {
            let (mut from, mut to) = (any_span(&mut random), any_span(&mut random));
            let len = (from.end - from.start).min(to.end - to.start);
            from.end = from.start + len;
            to.end = to.start + len;
            if from.start < to.end && to.start < from.end {
                from = to.clone();
            }
            let (reads, writes) = (std::slice::from_ref(&from), std::slice::from_ref(&to));
            match resident.bind(&gpu, &mut memory, reads, writes) {
                Ok(bound) => {
                    let one = job(&from, bound.reads[0], &to, bound.writes[0], random.bits());
                    run(&gpu, &kernel, &bound, &[one]);
                    resident.written(&memory, &to, Sizes::Any);
                    assert!(!resident.is_current(&to));
                    step(&mut model, &from, &to, &one);
                    spans.push(to);
                    turns += 1;
                }
                Err(error) => {
                    assert!(matches!(error, ResidentError::TooLarge { .. }), "{error}");
                    refused += 1;
                }
            }
        }
        // A part comes down and is right; what has not come down is not lost.
        if let Some(span) = spans.first() {
            let part = span.start..span.start + (span.end - span.start).div_ceil(2);
            resident.bring_down(&gpu, &mut memory, Some(part.clone())).expect("it comes down");
            assert!(resident.is_current(&part));
            let len = (part.end - part.start) as usize;
            assert!(
                memory.slice(part.start as u32, len) == model.slice(part.start as u32, len),
                "step {n}: {part:x?}"
            );
        }
        resident.bring_down(&gpu, &mut memory, None).expect("it comes down");
        assert!(resident.is_current(&(0..1 << 32)));
        assert_same(&memory, &model, &format!("step {n}"));
    }
    println!("{turns} dispatches, {refused} refused");
    assert!(turns > 60 && refused > 5);
}

#[test]
#[ignore = "needs an adapter"]
fn a_snapshot_is_memory_from_before() {
    let gpu = open();
    let kernel = compile(&gpu);
    let mut memory = Memory::new(&SIZES).expect("it fits");
    let mut model = Memory::new(&SIZES).expect("it fits");
    for address in WORDS.step_by(4) {
        for memory in [&mut memory, &mut model] {
            let _ = memory.write_u32(address as u32, (address as u32).wrapping_mul(0x9e37_79b1));
        }
    }
    let mut resident = Resident::new(&memory, 1 << 20);
    // Moved by one word; and a second span, twice in one submission.
    let spans = [BASE + 0xf004..BASE + 0x1_2004, BASE + 0x2_0000..BASE + 0x2_0100];
    let targets = [BASE + 0xf000..BASE + 0x1_2000, BASE + 0xf100..BASE + 0xf200];
    let mut commands = encoder(&gpu);
    for round in 0..2 {
        let mut bound =
            resident.bind(&gpu, &mut memory, &spans, &targets).expect("it can be bound");
        let kept = [0, 1].map(|n| (n, spans[n].clone()));
        resident.snapshot(&gpu, &mut bound, &kept).expect("it can be copied");
        copy(&mut commands, &bound);
        for n in 0..2 {
            let one = job(&spans[n], bound.reads[n], &targets[n], bound.writes[n], round + 7);
            record(&gpu, &mut commands, &kernel, &bound, &[one]);
        }
        for target in &targets {
            resident.written(&memory, target, Sizes::Any);
        }
        let before = bytes_of(&model);
        for n in 0..2 {
            let from = (spans[n].start - BASE) as usize;
            let one = job(&spans[n], 0, &targets[n], 0, round + 7);
            let len = (targets[n].end - targets[n].start) as usize;
            let mut old = Memory::new(&SIZES).expect("it fits");
            old.write(spans[n].start as u32, &before[from..from + len]).expect("inside");
            step(&mut old, &spans[n], &spans[n], &one);
            let new = old.slice(spans[n].start as u32, len).expect("inside");
            model.write(targets[n].start as u32, new).expect("inside");
        }
    }
    gpu.queue.submit([commands.finish()]);
    resident.bring_down(&gpu, &mut memory, None).expect("it comes down");
    assert_same(&memory, &model, "two launches");
    let mut small = Resident::new(&memory, 0x1_0000);
    let error = small.bind(&gpu, &mut memory, &spans, &[]).map(|_| ()).expect_err("too far apart");
    assert_eq!(
        error.to_string(),
        "what the launch touches: 69888 bytes are needed in one GPU buffer; the largest has 65536"
    );
}

#[test]
#[ignore = "needs an adapter"]
fn small_spans_of_a_large_memory_cost_little() {
    let gpu = open();
    let kernel = compile(&gpu);
    let mut memory = Memory::new(&ArenaSizes::default()).expect("it fits");
    let mut resident = Resident::new(&memory, Resident::largest(&gpu));
    let (from, to) = (BASE + 0x800..BASE + 0x1000, BASE + 0x4000..BASE + 0x4800);
    assert!(memory.write_u32(from.start as u32, 5));
    let bound = resident
        .bind(&gpu, &mut memory, std::slice::from_ref(&from), std::slice::from_ref(&to))
        .expect("it can be bound");
    assert_eq!(bound.memory.2, 0x4000);
    let one = job(&from, bound.reads[0], &to, bound.writes[0], 2);
    run(&gpu, &kernel, &bound, &[one]);
    resident.written(&memory, &to, Sizes::Any);
    resident.bring_down(&gpu, &mut memory, None).expect("it comes down");
    assert_eq!(memory.read_u32(to.start as u32), Some(5 * 3 + (2 ^ 0x55)));
    // Outside memory there is nothing to bind, and still something bound.
    let bound = resident.bind(&gpu, &mut memory, &[0..BASE], &[]).expect("nothing to bind");
    assert_eq!((bound.memory.2, bound.reads[0]), (256, 0));
}

#[test]
#[ignore = "needs an adapter"]
fn a_lost_device_is_an_error_and_leaves_memory_as_it_was() {
    let gpu = open();
    let kernel = compile(&gpu);
    let mut memory = Memory::new(&SIZES).expect("it fits");
    let mut resident = Resident::new(&memory, Resident::largest(&gpu));
    let span = BASE..BASE + 0x100;
    let bound = resident.bind(&gpu, &mut memory, &[], std::slice::from_ref(&span));
    let bound = bound.expect("it can be bound");
    let one = job(&span, bound.writes[0], &span, bound.writes[0], 3);
    run(&gpu, &kernel, &bound, &[one]);
    resident.written(&memory, &span, Sizes::Any);
    let before = bytes_of(&memory);
    let seen = memory.observe();
    gpu.lose();
    let lost = ResidentError::Gpu(GpuError::Lost {
        adapter: gpu.info.name.clone(),
        reason: "it was destroyed".into(),
    });
    let error = resident.bring_down(&gpu, &mut memory, None);
    assert_eq!(error, Err(lost.clone()));
    assert!(bytes_of(&memory) == before);
    assert!(memory.versions().flatten().all(|&version| version <= seen));
    assert!(memory.write_u32(BASE as u32, 1));
    let error = resident.bind(&gpu, &mut memory, &[], std::slice::from_ref(&span));
    assert_eq!(error.map(|_| ()), Err(lost.clone()));
    let mut pool = Pool::new(&gpu, 1 << 20);
    pool.add(&memory, &[], &[span]).expect("there is room");
    assert_eq!(pool.upload(&gpu).map(|_| ()), Err(lost));
}

#[test]
#[ignore = "needs an adapter"]
fn copies_belong_to_their_memories() {
    let gpu = open();
    let mut memories: Vec<Memory> = (0..6).map(|_| Memory::new(&SIZES).expect("it fits")).collect();
    let mut residents = Residents::new(Resident::largest(&gpu));
    for memory in &memories {
        let resident = residents.take(memory);
        assert!(resident.is_alive() && memory.stale().is_empty());
        residents.put(resident);
    }
    let mut second = memories.swap_remove(1);
    let mut resident = residents.take(&memories[0]);
    let error = resident.bind(&gpu, &mut second, &[], &[]).expect_err("another memory");
    let (expected, found) = (memories[0].id(), second.id());
    assert_eq!(error, ResidentError::OtherMemory { expected, found });
    assert_eq!(
        error.to_string(),
        format!("memory {found} was given where the GPU holds memory {expected}")
    );
    // What a memory lost stays known, however many others come and go.
    memories[0].set_stale(std::iter::once(16..32).collect());
    residents.put(resident);
    for _ in 0..20 {
        let other = Memory::new(&SIZES).expect("it fits");
        let resident = residents.take(&other);
        residents.put(resident);
    }
    let resident = residents.take(&memories[0]);
    assert!(resident.is_alive());
    assert_eq!(memories[0].stale(), [16..32]);
}

#[test]
#[ignore = "needs an adapter"]
fn a_pool_runs_launches_of_many_memories_at_once() {
    const MEMORIES: u32 = 300;
    let seed = 0x9001;
    println!("seed {seed:#x}");
    let mut random = Random::new(&[seed]);
    let gpu = open();
    let kernel = compile(&gpu);
    let sizes = |n: u32| ArenaSizes {
        // With more than 3.7 GiB the first arena begins elsewhere.
        gpu: if n == 7 { 0xf000_0000 } else { 0x4002 },
        gpub: 0,
        sys: 0,
        sysc: 0x1001,
    };
    let mut memories: Vec<Memory> =
        (0..MEMORIES).map(|n| Memory::new(&sizes(n)).expect("it fits")).collect();
    let mut pool = Pool::new(&gpu, 4 << 20);
    for round in 0..3 {
        pool.clear();
        let mut expected = Vec::new();
        let mut launches = Vec::new();
        for memory in &mut memories {
            let base = memory.arenas()[0].base;
            let start = u64::from(base);
            for _ in 0..20 {
                let at = base + random.below(0x4000);
                memory.write(at, &[random.bits() as u8]).expect("inside");
            }
            // Read and written spans overlap; every read sees what was there before. One span
            // goes on behind the arena.
            let words = 1 + random.below(200);
            let at = start + u64::from(4 * random.below(0xd00));
            let from = at..at + u64::from(4 * words);
            let to = at + 4..at + 4 + u64::from(4 * words);
            let far = start + 0x4000..start + 0x4010;
            let n = pool
                .add(memory, &[from.clone(), far], std::slice::from_ref(&to))
                .expect("there is room");
            let mut model = vec![0; 4 * words as usize];
            memory.read(from.start as u32, &mut model).expect("inside");
            launches.push((n, from, to, random.bits()));
            expected.push(model);
        }
        let bound = pool.upload(&gpu).expect("it can be uploaded");
        let jobs: Vec<Job> = launches
            .iter()
            .map(|(n, from, to, seed)| {
                let (reads, writes) = pool.deltas(*n);
                job(from, reads[0], to, writes[0], *seed)
            })
            .collect();
        let mut commands = encoder(&gpu);
        record(&gpu, &mut commands, &kernel, &bound, &jobs);
        let requested = pool.request(&gpu, commands).expect("it comes down");
        pool.receive(&gpu, requested).expect("it comes down");
        for (((n, _, to, _), one), (memory, model)) in
            launches.iter().zip(&jobs).zip(memories.iter_mut().zip(expected))
        {
            let before = bytes_of_start(memory);
            pool.store(*n, memory).expect("the same memory");
            let mut want = before;
            let at = (to.start - u64::from(memory.arenas()[0].base)) as usize;
            for (k, word) in model.chunks_exact(4).enumerate() {
                let value = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
                let value = value.wrapping_mul(one.multiplier).wrapping_add(one.addend);
                want[at + 4 * k..at + 4 * k + 4].copy_from_slice(&value.to_le_bytes());
            }
            assert!(bytes_of_start(memory) == want, "round {round}, launch {n}");
        }
    }
    let error = pool.store(0, &mut memories[1]).expect_err("another one");
    assert!(matches!(error, ResidentError::OtherMemory { .. }));
    let mut small = Pool::new(&gpu, 1000);
    let base = u64::from(memories[0].arenas()[0].base);
    small.add(&memories[0], &[], &[base..base + 512]).expect("room");
    let error = small.add(&memories[1], &[], &[base..base + 512]).expect_err("no room");
    assert_eq!(
        error.to_string(),
        "a batch of launches: 1024 bytes are needed in one GPU buffer; the largest has 1000"
    );
    // Nothing of it was added: there is room for less, which is the second launch.
    let added = small.add(&memories[1], &[], &[base..base + 480]);
    assert_eq!(added, Ok(1));
}

/// The first 16 KiB of the first arena.
fn bytes_of_start(memory: &Memory) -> Vec<u8> {
    let base = memory.arenas()[0].base;
    memory.slice(base, 0x4000).expect("inside").to_vec()
}

#[test]
#[ignore = "needs an adapter"]
fn results_of_kernels_are_read() {
    // The bench itself: a kernel that gives a number back.
    let gpu = open();
    let kernel = compile(&gpu);
    let mut memory = Memory::new(&SIZES).expect("it fits");
    let mut resident = Resident::new(&memory, Resident::largest(&gpu));
    let bound = resident.bind(&gpu, &mut memory, &[], &[]).expect("nothing to bind");
    let mut commands = encoder(&gpu);
    let nothing = job(&(0..0), 0, &(0..0), 0, 0);
    let results =
        kernel.record(&gpu, &mut commands, &bound, &[nothing], ranges(&memory), 1, [1, 1]);
    assert_eq!(read(&gpu, commands, &results), [0x1000_0000]);
}
