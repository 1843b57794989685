use super::*;
use crate::memory::ArenaSizes;

const BASE: u32 = 0x1000_0000;

fn memory() -> Memory {
    Memory::new(&ArenaSizes { gpu: 0x4000, gpub: 0, sys: 0, sysc: 0x4000 }).expect("32 KiB")
}

fn at(submission: u64, offset: usize) -> Position {
    Position { submission, offset }
}

fn read(through: ReadCache, range: Range<u64>) -> Vec<Read> {
    let base = u64::from(BASE);
    vec![Read {
        what: "data".to_string(),
        through,
        ranges: vec![base + range.start..base + range.end],
    }]
}

fn texts(found: &[Incoherence]) -> Vec<String> {
    found.iter().map(ToString::to_string).collect()
}

/// Bytes that change are stale where they were read, from the first changed one on, and only until
/// the cache is invalidated.
#[test]
fn changed_bytes_are_stale_until_the_cache_is_invalidated() {
    for cache in ReadCache::ALL {
        let (mut memory, mut caches) = (memory(), Coherence::default());
        assert_eq!(caches.read(at(1, 4), &read(cache, 100..5000), &memory), []);
        // Outside, the same value, and a part that was not read.
        memory.write(BASE + 99, &[1]).expect("inside");
        memory.write(BASE + 200, &[0]).expect("inside");
        memory.write(BASE + 5000, &[7; 8]).expect("inside");
        assert_eq!(caches.read(at(2, 4), &read(cache, 100..6000), &memory), [], "{cache:?}");
        memory.write(BASE + 4094, &[1, 2, 3, 4]).expect("inside");
        memory.write(BASE + 5999, &[9]).expect("inside");
        let found = caches.read(at(3, 8), &read(cache, 100..6000), &memory);
        let expected = format!(
            "word 8 (0xc0000800): start_program: data: 5 byte(s) from 0x10000ffe on have changed \
             since the start_program at word 4 of submission 1; the cache might still hold the old \
             ones: {} missing",
            cache.invalidate()
        );
        assert_eq!(texts(&found), [expected]);
        // It is reported once, until the command is given.
        memory.write(BASE + 300, &[1]).expect("inside");
        assert_eq!(caches.read(at(4, 8), &read(cache, 100..6000), &memory), []);
        caches.command(cache.invalidate());
        assert_eq!(caches.read(at(5, 8), &read(cache, 100..6000), &memory), []);
        memory.write(BASE + 300, &[2]).expect("inside");
        assert_eq!(caches.read(at(6, 8), &read(cache, 100..6000), &memory).len(), 1);
        // Another cache has not read it.
        let other = ReadCache::ALL[usize::from(cache == ReadCache::ALL[0])];
        assert_eq!(caches.read(at(7, 8), &read(other, 100..6000), &memory), []);
    }
}

#[test]
fn another_program_needs_an_empty_instruction_cache() {
    let (memory, mut caches) = (memory(), Coherence::default());
    let program = |start| read(ReadCache::Instructions, start..start + 512);
    assert_eq!(caches.read(at(1, 2), &program(0), &memory), []);
    assert_eq!(caches.read(at(1, 4), &program(0), &memory), []);
    let found = caches.read(at(1, 6), &program(0x800), &memory);
    assert_eq!(
        texts(&found),
        [
            "word 6 (0xc0000800): start_program: the program at 0x10000800: the cache might still hold \
          the one at 0x10000000 of the start_program at word 4: inv_inst_cache missing"
        ]
    );
    caches.command(Opcode::InvInstCache);
    assert_eq!(caches.read(at(1, 9), &program(0), &memory), []);
}

#[test]
fn what_a_launch_wrote_is_flushed_before_another_cache_reads_it() {
    let base = u64::from(BASE);
    for (cache, reader) in [
        (WriteCache::Outputs, ReadCache::Inputs),
        (WriteCache::Outputs, ReadCache::Condition),
        (WriteCache::Condition, ReadCache::Inputs),
        (WriteCache::Condition, ReadCache::Constants(ConstantKind::Float)),
    ] {
        let (memory, mut caches) = (memory(), Coherence::default());
        let written = [base..base + 64, base + 128..base + 192];
        caches.wrote(at(1, 3), cache, &written);
        assert_eq!(caches.read(at(1, 5), &read(reader, 64..128), &memory), []);
        let found = caches.read(at(2, 5), &read(reader, 32..144), &memory);
        let expected = format!(
            "word 5 (0xc0000800): start_program: data: 48 byte(s) from 0x10000020 on were written \
             by the start_program at word 3 of submission 1; they might still be only in the \
             cache: {} missing",
            cache.flush()
        );
        assert_eq!(texts(&found), [expected]);
        caches.command(cache.flush());
        caches.wrote(at(3, 3), cache, &written);
        caches.command(cache.flush());
        assert_eq!(caches.read(at(3, 5), &read(reader, 0..192), &memory), []);
    }
}

#[test]
fn the_conditional_cache_sees_its_own_writes() {
    let (mut memory, mut caches) = (memory(), Coherence::default());
    let base = u64::from(BASE);
    let own = [base..base + 64];
    assert_eq!(caches.read(at(1, 2), &read(ReadCache::Condition, 0..128), &memory), []);
    memory.write(BASE, &[5; 64]).expect("inside");
    caches.wrote(at(1, 2), WriteCache::Condition, &own);
    caches.own(&own, &memory);
    assert_eq!(caches.read(at(1, 4), &read(ReadCache::Condition, 0..128), &memory), []);
    // What others write is not its own.
    memory.write(BASE + 8, &[6]).expect("inside");
    assert_eq!(caches.read(at(1, 6), &read(ReadCache::Condition, 0..128), &memory).len(), 1);
}

#[test]
fn the_host_reads_system_memory_after_a_submission() {
    let base = u64::from(BASE);
    let system = [base + 0x4000..base + 0x8000];
    let mut caches = Coherence::default();
    caches.wrote(at(1, 3), WriteCache::Outputs, &[base..base + 0x4000]);
    assert_eq!(caches.end(at(1, 7), &system), []);
    caches.wrote(at(2, 3), WriteCache::Outputs, &[base + 0x3ff0..base + 0x4010]);
    let found = caches.end(at(2, 7), &system);
    assert_eq!(
        texts(&found),
        ["word 7 (the end): 16 byte(s) from 0x10004000 on of system memory were written by the \
          start_program at word 3; the host may read old data: flush_out_cache missing"]
    );
    assert_eq!(caches.end(at(3, 7), &system), []);
}

/// Ranges outside all arenas fault elsewhere. Here they change nothing.
#[test]
fn addresses_outside_memory_are_left_out() {
    let (memory, mut caches) = (memory(), Coherence::default());
    let reads = read(ReadCache::Inputs, 0x7000..0x10_0000);
    for offset in 0..2 {
        assert_eq!(caches.read(at(1, offset), &reads, &memory), []);
    }
}
