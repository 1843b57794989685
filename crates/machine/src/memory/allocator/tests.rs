//! Places inside an arena.

use proptest::prelude::*;

use super::*;
use crate::memory::ArenaKind;

fn arena(size: u64) -> Allocator {
    Allocator::for_arena(&Arena { kind: ArenaKind::Gpu, base: 0x1000_0000, size })
}

#[test]
fn first_fit_around_given_ranges() {
    let mut a = arena(0x10000);
    a.reserve(0x1000_1000..0x1000_1900).expect("inside");
    assert_eq!(a.alloc(2048), Ok(0x1000_0000));
    assert_eq!(a.alloc(2049), Ok(0x1000_2000));
    assert_eq!(a.alloc(1), Ok(0x1000_0800));
    assert_eq!(a.alloc(1), Ok(0x1000_3000));
    assert_eq!(a.alloc(0), Ok(0x1000_3800));
    assert_eq!(a.alloc(0), Ok(0x1000_4000));
}

#[test]
fn taken_ranges_merge() {
    let mut a = arena(0x10000);
    let b = 0x1000_0000;
    for r in [0x100..0x200, 0x400..0x500, 0x300..0x380, 0x200..0x300, 0x50..0x60] {
        a.reserve(b + r.start..b + r.end).expect("inside");
    }
    assert_eq!(a.taken(), [b + 0x50..b + 0x60, b + 0x100..b + 0x380, b + 0x400..b + 0x500]);
    a.reserve(b..b + 0x10000).expect("overlaps are allowed");
    assert_eq!(a.taken(), std::slice::from_ref(&(b..b + 0x10000)));
    a.reserve(b + 5..b + 5).expect("empty");
}

#[test]
fn messages() {
    let mut a = arena(0x2000);
    assert_eq!(a.alloc(0x1800), Ok(0x1000_0000));
    let before = a.clone();
    assert_eq!(
        a.alloc(0x801).unwrap_err().to_string(),
        "no room for 2049 bytes: the largest free range from 0x10000000 to 0x10002000 has 2048 bytes"
    );
    assert_eq!(
        a.reserve(0x1000_1fff..0x1000_2001).unwrap_err().to_string(),
        "range 0x10001fff..0x10002001 is outside the arena, 0x10000000..0x10002000"
    );
    assert!(a.reserve(0x0fff_ffff..0x1000_0001).is_err());
    assert_eq!(a, before);
    assert_eq!(a.alloc(0x800), Ok(0x1000_1800));
    assert!(a.alloc(1).is_err());
    assert!(arena(100).alloc(u64::MAX).is_err());
}

#[test]
fn the_end_of_the_address_space() {
    let mut a = Allocator::new(0xffff_f000..1 << 32);
    assert_eq!(a.alloc(2048), Ok(0xffff_f000));
    assert_eq!(a.alloc(2048), Ok(0xffff_f800));
    assert!(a.alloc(0).is_err());
    let mut unaligned = Allocator::new(0xffff_ff00..1 << 40);
    assert!(unaligned.alloc(1).is_err());
}

proptest! {
    #![proptest_config(ctm_testing::cases(300, 0xa110c))]

    #[test]
    fn allocations_are_disjoint_and_avoid_reservations(
        given in prop::collection::vec((0u64..0x20000, 0u64..0x3000), 0..6),
        sizes in prop::collection::vec(0u64..0x3000, 1..20),
    ) {
        let mut a = Allocator::new(0x8000..0x30000);
        let mut taken = Vec::new();
        for (start, len) in given {
            let range = 0x8000 + start..0x8000 + start + len;
            a.reserve(range.clone()).expect("inside");
            taken.push(range);
        }
        for len in sizes {
            let Ok(address) = a.alloc(len) else { continue };
            let new = u64::from(address)..u64::from(address) + len.max(1);
            prop_assert_eq!(address % ALIGNMENT, 0);
            prop_assert!(new.start >= 0x8000 && new.end <= 0x30000);
            for old in taken.iter().filter(|r| !r.is_empty()) {
                prop_assert!(new.end <= old.start || old.end <= new.start);
            }
            taken.push(new);
        }
        for pair in a.taken().windows(2) {
            prop_assert!(pair[0].end < pair[1].start);
        }
    }
}
