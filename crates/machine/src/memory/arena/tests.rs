//! The address space.

use super::*;

fn small() -> Memory {
    Memory::new(&ArenaSizes { gpu: 4096, gpub: 2048, sys: 1000, sysc: 3000 }).expect("small arenas")
}

#[test]
fn defaults() {
    let memory = Memory::new(&ArenaSizes::default()).expect("default arenas");
    let gpu = Arena { kind: ArenaKind::Gpu, base: 0x1000_0000, size: 256 << 20 };
    let sysc = Arena { kind: ArenaKind::SysC, base: 0x2000_0000, size: 64 << 20 };
    assert_eq!(memory.arenas(), [gpu, sysc]);
    assert_eq!(memory.arena(ArenaKind::Gpu), Some(&gpu));
    assert_eq!(memory.arena(ArenaKind::SysC), Some(&sysc));
    assert_eq!(memory.arena(ArenaKind::Sys), None);
    assert_eq!(memory.arena(ArenaKind::GpuB), None);
    assert_eq!(memory.base(ArenaKind::Sys), memory.base(ArenaKind::SysC));
    assert_eq!(memory.read_u32(0x1000_0000), Some(0));
    assert_eq!(gpu.end(), 0x2000_0000);
    assert_eq!((gpu.name(), sysc.name()), ("GPU", "SYSc"));
}

#[test]
fn ranges_are_aligned_and_only_system_memory_is_shared() {
    let memory = small();
    for arena in memory.arenas() {
        assert_eq!(arena.base % ALIGNMENT, 0, "{}", arena.name());
    }
    let of = |kind| *memory.arena(kind).expect("arena");
    let (gpu, gpub) = (of(ArenaKind::Gpu), of(ArenaKind::GpuB));
    let (sys, sysc) = (of(ArenaKind::Sys), of(ArenaKind::SysC));
    assert!(gpu.end() <= u64::from(gpub.base));
    assert!(gpub.end() <= u64::from(sys.base));
    assert_eq!(sys.base, sysc.base);
    assert_eq!((sys.size, sysc.size), (1000, 3000));
}

#[test]
fn system_memory_is_as_large_as_the_larger_view() {
    let mut memory = small();
    let base = memory.base(ArenaKind::Sys);
    assert!(memory.write_u32(base + 2996, 7));
    assert!(!memory.write_u32(base + 2997, 7));
    assert_eq!(memory.read_u32(base + 2996), Some(7));
}

#[test]
fn words_are_little_endian_and_need_no_alignment() {
    let mut memory = small();
    let base = memory.base(ArenaKind::Gpu);
    assert!(memory.write_u32(base + 1, 0x0403_0201));
    assert_eq!(memory.slice(base, 6), Some(&[0, 1, 2, 3, 4, 0][..]));
    assert_eq!(memory.read_u32(base + 1), Some(0x0403_0201));
    let mut bytes = [0xff; 3];
    memory.read(base + 2, &mut bytes).expect("inside");
    assert_eq!(bytes, [2, 3, 4]);
    memory.write(base, &[9, 8]).expect("inside");
    assert_eq!(memory.read_u32(base), Some(0x0302_0809));
    memory.slice_mut(base, 1).expect("inside")[0] = 1;
    assert_eq!(memory.read_u32(base), Some(0x0302_0801));
}

#[test]
fn outside_is_outside() {
    let mut memory = small();
    let gpu = *memory.arena(ArenaKind::Gpu).expect("GPU");
    let end = gpu.end() as u32;
    for address in [0, gpu.base - 1, end - 3, end - 1, u32::MAX, u32::MAX - 3] {
        assert_eq!(memory.read_u32(address), None, "0x{address:08x}");
        assert!(!memory.write_u32(address, 1), "0x{address:08x}");
        assert!(!memory.contains(address, 4));
    }
    assert!(memory.contains(end - 4, 4));
    assert!(!memory.contains(gpu.base, usize::MAX));
    // GPUb follows immediately, but an access must not cross into it.
    assert_eq!(memory.base(ArenaKind::GpuB), end);
    assert_eq!(memory.slice(end - 2, 4), None);
    assert!(memory.slice(gpu.base, 4096).is_some_and(|s| s.iter().all(|&b| b == 0)));
}

#[test]
fn messages() {
    let mut memory = small();
    let mut bytes = [1; 16];
    assert_eq!(
        memory.read(0x800, &mut bytes).unwrap_err().to_string(),
        "address 0x00000800: 16 bytes from there are not inside one arena"
    );
    assert_eq!(bytes, [1; 16]);
    assert_eq!(
        memory.write(0xffff_ffff, &[0]).unwrap_err().to_string(),
        "address 0xffffffff: 1 bytes from there are not inside one arena"
    );
    let too_large = ArenaSizes { gpu: 1 << 32, gpub: 1, sys: 0, sysc: 0 };
    assert_eq!(
        Memory::new(&too_large).unwrap_err().to_string(),
        "the arenas need 4294969344 bytes of address space, 32 bits address 4294967296"
    );
    let absurd = ArenaSizes { gpu: u64::MAX, gpub: u64::MAX, sys: u64::MAX, sysc: u64::MAX };
    assert_eq!(
        Memory::new(&absurd).unwrap_err().to_string(),
        "the arenas need 55340232221128654848 bytes of address space, 32 bits address 4294967296"
    );
    assert_eq!(
        MemoryError::HostMemory { arena: ArenaKind::Gpu, bytes: 5 }.to_string(),
        "arena GPU: the host cannot provide 5 bytes"
    );
}

#[test]
fn the_whole_address_space_can_be_used() {
    // The base of the first arena moves down as the arenas grow.
    let first = (1 << 32) - (256 << 20);
    assert_eq!(place([first, 0, 0]), Ok([0x1000_0000, 0, 0]));
    assert_eq!(place([first, 1, 0]), Ok([0x800, 0xf000_0800, 0xf000_1000]));
    assert_eq!(place([(1 << 32) - 2048, 0, 0]), Ok([0x800, 0, 0]));
    assert_eq!(place([1 << 31, 0, 1 << 31]), Ok([0, 0x8000_0000, 0x8000_0000]));
    assert_eq!(place([1 << 32, 0, 0]), Ok([0, 0, 0]));
    assert!(place([1 << 32, 0, 1]).is_err());
    // The last bytes of the address space.
    let top = Region { base: 0xffff_f800, bytes: vec![0; 2048], versions: Vec::new() };
    assert_eq!(top.offset(0xffff_fffc, 4), Some(2044));
    assert_eq!(top.offset(0xffff_fffd, 4), None);
    assert_eq!(top.offset(0, 4), None);
    assert_eq!(top.offset(0xffff_f7ff, 4), None);
}

#[test]
fn no_arena_at_all() {
    let memory = Memory::new(&ArenaSizes { gpu: 0, gpub: 0, sys: 0, sysc: 0 }).expect("nothing");
    assert_eq!(memory.arenas(), []);
    assert_eq!(memory.read_u32(0x1000_0000), None);
    assert_eq!(format!("{memory:?}"), "Memory { arenas: [], .. }");
}

/// Range and number of the pages that were written after `since`.
fn changed(memory: &Memory, since: u64) -> Vec<(usize, usize)> {
    let mut changed = Vec::new();
    for (range, versions) in memory.versions().enumerate() {
        let pages = versions.iter().enumerate();
        changed.extend(pages.filter(|&(_, &v)| v > since).map(|(n, _)| (range, n)));
    }
    changed
}

#[test]
fn every_way_to_write_changes_the_pages_it_touches() {
    const PAGE: u32 = 1 << PAGE_LOG2;
    let mut memory =
        Memory::new(&ArenaSizes { gpu: 1 << 20, gpub: 0, sys: 1 << 18, sysc: 0 }).expect("it fits");
    let (gpu, sys) = (memory.base(ArenaKind::Gpu), memory.base(ArenaKind::Sys));
    assert_eq!(changed(&memory, 0), []);

    assert!(memory.write_u32(gpu + 2 * PAGE - 4, 1));
    assert_eq!(changed(&memory, 0), [(0, 1)]);
    let seen = memory.observe();
    assert_eq!(changed(&memory, seen), []);

    // Across a page's end, and the same page again.
    memory.write(gpu + 2 * PAGE - 1, &[1, 2]).expect("inside");
    assert!(memory.write_u32(gpu + PAGE, 1));
    assert_eq!(changed(&memory, seen), [(0, 1), (0, 2)]);
    let seen = memory.observe();

    let place = memory.slice_mut(sys + PAGE, 2 * PAGE as usize);
    place.expect("inside").fill(1);
    assert_eq!(changed(&memory, seen), [(2, 1), (2, 2)]);
    let seen = memory.observe();

    // Empty accesses, accesses outside, and reads change nothing.
    memory.write(gpu, &[]).expect("inside");
    assert!(!memory.write_u32(sys + 4 * PAGE - 3, 1));
    assert_eq!(memory.ranges().map(|(_, b)| b.len()).sum::<usize>(), 5 << 18);
    assert_eq!(memory.ranges_mut(&[]).count(), 3);
    assert_eq!(changed(&memory, seen), []);

    let at = u64::from(gpu);
    let written = [at + 0x2_ffff..at + 0x3_0001, 0..at, at + 0xf_ffff..u64::MAX];
    assert_eq!(memory.ranges_mut(&written).count(), 3);
    assert_eq!(changed(&memory, seen), [(0, 2), (0, 3), (0, 15), (2, 0), (2, 1), (2, 2), (2, 3)]);
}

#[test]
fn a_memory_has_a_number_of_its_own_and_a_life() {
    let (first, second) = (small(), small());
    assert_ne!(first.id(), second.id());
    let alive = first.alive();
    assert!(alive.upgrade().is_some());
    drop(first);
    assert!(alive.upgrade().is_none());
}
