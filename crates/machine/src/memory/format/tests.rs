//! Elements, channels, loads, stores and fetches.

use proptest::prelude::*;

use super::*;
use crate::memory::{ArenaKind, ArenaSizes, Tiling};

const NAN: u32 = 0x7fc0_0001;
const INF: u32 = 0x7f80_0000;

fn memory() -> Memory {
    let sizes = ArenaSizes { gpu: 64 << 10, gpub: 0, sys: 0, sysc: 0 };
    Memory::new(&sizes).expect("a small arena")
}

fn surface(memory: &Memory, tiling: Tiling, format: Format, pitch: u32, height: u32) -> Surface {
    Surface::new(memory.base(ArenaKind::Gpu), pitch, height, tiling, format)
}

fn bits(x: f32) -> u32 {
    x.to_bits()
}

/// Whether float bits `x` are v / max correctly rounded, by exact integers.
fn is_quotient(x: u32, v: u32, max: u32) -> bool {
    if v == 0 {
        return x == 0;
    }
    let exponent = x >> 23;
    let significand = u128::from(x & 0x7f_ffff | 0x80_0000);
    let shift = 127 + 23 - exponent; // value = significand / 2^shift
    let error = (u128::from(v) << shift).abs_diff(significand * u128::from(max));
    2 * error < u128::from(max) // no ties: max is odd
}

#[test]
fn uint8_all_values() {
    for v in 0..=255u32 {
        let b = v as u8;
        let read = decode(Format::Uint8x4, &[b, b ^ 0x55, b ^ 0xaa, !b]);
        let expected = [v ^ 0xaa, v ^ 0x55, v, v ^ 0xff]; // red, green, blue, alpha
        for (x, want) in read.into_iter().zip(expected) {
            assert!(is_quotient(x, want, 255), "{want}: 0x{x:08x}");
        }
        let back = encode(Format::Uint8x4, read, 0xf);
        assert_eq!(back.bytes[..4], [b, b ^ 0x55, b ^ 0xaa, !b]);
        assert_eq!(back.byte_mask, 0xf);
    }
    assert_eq!(decode(Format::Uint8x4, &[0, 0, 255, 0])[0], bits(1.0));
}

#[test]
fn uint16_all_values() {
    for v in 0..=65535u32 {
        let bytes = (v as u16).to_le_bytes();
        let read = decode(Format::Uint16x1, &bytes);
        assert!(is_quotient(read[0], v, 65535), "{v}: 0x{:08x}", read[0]);
        assert_eq!(read[1..], [0, 0, ONE]);
        let back = encode(Format::Uint16x1, read, 0xf);
        assert_eq!((&back.bytes[..2], back.byte_mask), (&bytes[..], 0b11));
    }
}

#[test]
fn all_values_of_the_formats_of_later_sdks() {
    // Bytes of a channel, channels.
    for (format, size, count) in [
        (Format::Uint8x1, 1, 1),
        (Format::Uint8x2, 1, 2),
        (Format::Uint16x2, 2, 2),
        (Format::Uint16x4, 2, 4),
    ] {
        let max = (1u32 << (8 * size)) - 1;
        for v in 0..=max {
            let units: Vec<u32> = (0..count).map(|c| (v + c * 0x55) & max).collect();
            // c0 first, each with its low byte first.
            let bytes: Vec<u8> = units
                .iter()
                .flat_map(|unit| unit.to_le_bytes()[..size as usize].to_vec())
                .collect();
            let read = decode(format, &bytes);
            for (c, &x) in read.iter().enumerate() {
                match units.get(c) {
                    Some(&unit) => assert!(is_quotient(x, unit, max), "{format} {unit}: 0x{x:08x}"),
                    None => assert_eq!(x, [0, 0, 0, ONE][c]),
                }
            }
            let back = encode(format, read, 0xf);
            assert_eq!(back.bytes[..bytes.len()], bytes[..]);
            assert!(back.bytes[bytes.len()..].iter().all(|&b| b == 0));
            assert_eq!(u32::from(back.byte_mask), (1 << bytes.len()) - 1);
            assert_eq!(decode_units(format, &bytes)[..units.len()], units[..]);
        }
    }
}

#[test]
fn bytes_belong_to_channels() {
    for (format, channels) in [
        (Format::Uint16x1, &[0, 0][..]),
        (Format::Uint8x4, &[2, 1, 0, 3]),
        (Format::Float32x2, &[0, 0, 0, 0, 1, 1, 1, 1]),
        (Format::Uint8x1, &[0]),
        (Format::Uint8x2, &[0, 1]),
        (Format::Uint16x2, &[0, 0, 1, 1]),
        (Format::Uint16x4, &[0, 0, 1, 1, 2, 2, 3, 3]),
    ] {
        let found = (0..channels.len()).map(|byte| channel_of_byte(format, byte));
        assert!(found.eq(channels.iter().copied()), "{format}");
    }
}

/// The conversion in two roundings, each exact on integers or binary64.
fn reference_unorm(x: u32, max: u32) -> u32 {
    let x = f32::from_bits(x);
    if x.is_nan() || x <= 0.0 {
        return 0;
    }
    let exact = f64::from(x.min(1.0)) * f64::from(max); // 24 + 16 bits
    let t = f64::from(exact as f32);
    let floor = t.floor();
    let up = match (t - floor).partial_cmp(&0.5).expect("finite") {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => floor % 2.0 != 0.0,
        std::cmp::Ordering::Greater => true,
    };
    floor as u32 + u32::from(up)
}

fn unorm8_of(x: u32) -> u32 {
    u32::from(encode(Format::Uint8x4, [x, 0, 0, 0], 1).bytes[2])
}

fn unorm16_of(x: u32) -> u32 {
    let b = encode(Format::Uint16x1, [x, 0, 0, 0], 1).bytes;
    u32::from(u16::from_le_bytes([b[0], b[1]]))
}

#[test]
fn conversion_next_to_every_half() {
    for (max, convert) in [(255u32, unorm8_of as fn(u32) -> u32), (65535, unorm16_of)] {
        for k in 0..max {
            let half = bits(((f64::from(k) + 0.5) / f64::from(max)) as f32);
            for x in half - 4..=half + 4 {
                let want = reference_unorm(x, max);
                assert!(want == k || want == k + 1);
                assert_eq!(convert(x), want, "0x{x:08x} to 0..={max}");
            }
        }
    }
}

#[test]
fn conversion_special_values() {
    for (x, want8, want16) in [
        (bits(0.0), 0, 0),
        (bits(-0.0), 0, 0),
        (1, 0, 0),
        (0x807f_ffff, 0, 0),
        (bits(-1.0), 0, 0),
        (NAN, 0, 0),
        (0xffff_ffff, 0, 0),
        (INF, 255, 65535),
        (INF | 0x8000_0000, 0, 0),
        (bits(1.0), 255, 65535),
        (bits(1.0) + 1, 255, 65535),
        (bits(1.0) - 1, 255, 65535),
        (bits(3.0e38), 255, 65535),
        (bits(0.5), 128, 32768), // 127.5 and 32767.5: to even
        (bits(0.3), 76, 19660),  // 76.500003 is 76.5 in binary32, 19660.5008 is 19660.5
        (bits(0.7), 178, 45874),
    ] {
        assert_eq!(unorm8_of(x), want8, "0x{x:08x}");
        assert_eq!(unorm16_of(x), want16, "0x{x:08x}");
    }
}

#[test]
fn floats_move_bit_for_bit() {
    let hard = [NAN, 0xffff_ffff, 1, 0x807f_ffff, 0x8000_0000, INF, 0x7f80_0001, bits(1.5)];
    for a in hard {
        let channels = [a, !a, a ^ 1, a.rotate_left(8)];
        for (format, n) in [(Format::Float32x1, 1), (Format::Float32x2, 2), (Format::Float32x4, 4)]
        {
            let element = encode(format, channels, 0xf);
            assert_eq!(u32::from(element.byte_mask), (1 << (4 * n)) - 1);
            let mut want = [0, 0, 0, ONE];
            want[..n].copy_from_slice(&channels[..n]);
            assert_eq!(decode(format, &element.bytes[..4 * n]), want);
            assert!(element.bytes[4 * n..].iter().all(|&b| b == 0));
        }
    }
}

#[test]
fn masks_select_bytes() {
    let one = [ONE; 4];
    for mask in 0..32u8 {
        let m = |c: u32| u16::from(mask >> c & 1);
        assert_eq!(encode(Format::Uint16x1, one, mask).byte_mask, 3 * m(0));
        assert_eq!(
            encode(Format::Uint8x4, one, mask).byte_mask,
            m(2) | m(1) << 1 | m(0) << 2 | m(3) << 3
        );
        assert_eq!(encode(Format::Float32x1, one, mask).byte_mask, 0xf * m(0));
        assert_eq!(encode(Format::Float32x2, one, mask).byte_mask, 0xf * (m(0) | (m(1) << 4)));
        assert_eq!(
            encode(Format::Float32x4, one, mask).byte_mask,
            0xf * (m(0) | (m(1) << 4) | (m(2) << 8) | (m(3) << 12))
        );
        assert_eq!(encode(Format::Uint8x1, one, mask).byte_mask, m(0));
        assert_eq!(encode(Format::Uint8x2, one, mask).byte_mask, m(0) | m(1) << 1);
        assert_eq!(encode(Format::Uint16x2, one, mask).byte_mask, 3 * (m(0) | m(1) << 2));
        assert_eq!(
            encode(Format::Uint16x4, one, mask).byte_mask,
            3 * (m(0) | m(1) << 2 | m(2) << 4 | m(3) << 6)
        );
    }
}

#[test]
fn stores_leave_masked_channels() {
    for (k, format) in Format::ALL.into_iter().enumerate() {
        for mask in 0..16u8 {
            let mut memory = memory();
            let tiling = [Tiling::Linear, Tiling::Tiled][k % 2];
            let s = surface(&memory, tiling, format, 64, 16);
            let old = [0, ONE, 0, ONE];
            let new = [ONE, 0, ONE, 0];
            assert_eq!(store(&mut memory, &s, 5, 3, old, 0xf), None);
            assert_eq!(store(&mut memory, &s, 5, 3, new, mask), None);
            let read = load(&memory, &s, 5, 3);
            assert_eq!(read.fault, None);
            for c in 0..format.channels() as usize {
                let want = if mask >> c & 1 != 0 { new[c] } else { old[c] };
                assert_eq!(read.channels[c], want, "{format} mask {mask:04b} channel {c}");
            }
            let whole = memory.slice(s.base, 64 << 10).expect("the arena");
            let set = whole.iter().filter(|&&b| b != 0).count();
            assert!(set <= format.bytes_per_element() as usize, "bytes of others changed");
        }
    }
}

#[test]
fn uint8_memory_order_is_blue_green_red_alpha() {
    let mut memory = memory();
    let s = surface(&memory, Tiling::Linear, Format::Uint8x4, 8, 1);
    let channels = [1, 2, 3, 4].map(|v| bits(v as f32 / 255.0));
    assert_eq!(store(&mut memory, &s, 1, 0, channels, 0xf), None);
    assert_eq!(memory.slice(s.base + 4, 4), Some(&[3, 2, 1, 4][..]));
}

#[test]
fn outside_the_arenas() {
    let mut memory = memory();
    let end = memory.base(ArenaKind::Gpu) + (64 << 10);
    for format in Format::ALL {
        let s = Surface::new(end - 2048, 64, 64, Tiling::Linear, format);
        let missing_alpha = if format.channels() == 4 { 0 } else { ONE };
        let y = 2048 / (64 * format.bytes_per_element());
        assert_eq!(store(&mut memory, &s, 63, y - 1, [ONE; 4], 0xf), None);
        assert_eq!(store(&mut memory, &s, 0, y, [ONE; 4], 0xf), Some(end));
        assert_eq!(store(&mut memory, &s, 0, y, [ONE; 4], 0), None);
        let zero = Fetch { channels: [0, 0, 0, missing_alpha], fault: Some(end) };
        assert_eq!(load(&memory, &s, 0, y), zero, "{format}");
        assert_eq!(fetch(&memory, &s, 0, y as i32), zero, "{format}");
        assert_eq!(load(&memory, &s, 63, y - 1).fault, None);
    }
    // A channel that the format lacks is not written, so there is nothing to drop.
    let s = Surface::new(end, 64, 64, Tiling::Linear, Format::Float32x1);
    assert_eq!(store(&mut memory, &s, 0, 0, [ONE; 4], 0b1110), None);
    // Addresses are modulo 2^32: from the top of the space to address 0.
    let s = Surface::new(0xffff_f800, 512, 64, Tiling::Linear, Format::Float32x1);
    assert_eq!(load(&memory, &s, 0, 1).fault, Some(0));
    assert_eq!(load(&memory, &s, 511, 0).fault, Some(0xffff_fffc));
}

/// A surface whose element (x, y) is 1000 y + x.
fn numbered(memory: &mut Memory, tiling: Tiling, width: u32, height: u32) -> Surface {
    let s = surface(memory, tiling, Format::Float32x1, 32, height);
    for y in 0..height {
        for x in 0..32 {
            let v = [bits((1000 * y + x) as f32), 0, 0, 0];
            assert_eq!(store(memory, &s, x, y, v, 0xf), None);
        }
    }
    Surface { width, ..s }
}

#[test]
fn fetches_clamp_and_wrap() {
    let mut memory = memory();
    let clamp = numbered(&mut memory, Tiling::Tiled, 10, 7);
    let repeat = Surface { wrap: Wrap::Repeat, ..clamp };
    let min = i32::MIN;
    let max = i32::MAX;
    for (x, y, clamped, wrapped) in [
        (3, 2, 2003, 2003),
        (9, 6, 6009, 6009),
        (10, 7, 6009, 0),
        (-1, -1, 0, 6009),
        (-11, 3, 3000, 3009),
        (25, -8, 9, 6005),
        // 2^31 = 8 modulo 10 and 2 modulo 7.
        (max, max, 6009, 1007),
        (min, min, 0, 5002),
        (min, max, 6000, 1002),
    ] {
        let of = |s: &Surface| fetch(&memory, s, x, y).channels;
        assert_eq!(of(&clamp), [bits(clamped as f32), 0, 0, ONE], "clamp ({x}, {y})");
        assert_eq!(of(&repeat), [bits(wrapped as f32), 0, 0, ONE], "repeat ({x}, {y})");
    }
}

#[test]
fn superfine_fetches() {
    for (plain, fine) in
        [(Tiling::Linear, Tiling::LinearInp2x2), (Tiling::Tiled, Tiling::TiledInp2x2)]
    {
        let mut memory = memory();
        let s = numbered(&mut memory, plain, 10, 7);
        let clamp = Surface { tiling: fine, ..s };
        let repeat = Surface { wrap: Wrap::Repeat, ..clamp };
        let of = |s: &Surface, x, y| fetch(&memory, s, x, y).channels.map(f32::from_bits);
        assert_eq!(of(&clamp, 3, 2), [2004.0, 3003.0, 3004.0, 2003.0]);
        assert_eq!(of(&clamp, 9, 6), [6009.0; 4]);
        assert_eq!(of(&clamp, 9, 2), [2009.0, 3009.0, 3009.0, 2009.0]);
        assert_eq!(of(&clamp, -1, -1), [0.0; 4]);
        assert_eq!(of(&clamp, i32::MAX, i32::MIN), [9.0; 4]);
        assert_eq!(of(&repeat, 9, 6), [6000.0, 9.0, 0.0, 6009.0]);
        assert_eq!(of(&repeat, i32::MAX, i32::MAX), [1008.0, 2007.0, 2008.0, 1007.0]);
    }
}

#[test]
fn superfine_fetch_of_fixed_point_and_outside() {
    let mut memory = memory();
    let base = memory.base(ArenaKind::Gpu);
    let end = base + (64 << 10);
    memory.write(end - 4, &[0xff, 0xff, 0xff, 0xff]).expect("inside");
    let s = Surface::new(end - 2048, 1024, 2, Tiling::LinearInp2x2, Format::Uint16x1);
    // Row 1 lies after the arena; the first of its two elements is the fault.
    let got = fetch(&memory, &s, 1022, 0);
    assert_eq!(got.channels, [ONE, 0, 0, ONE]);
    assert_eq!(got.fault, Some(end + 2044));
}

#[test]
fn degenerate_surfaces_do_not_panic() {
    let memory = memory();
    for tiling in Tiling::ALL {
        for format in Format::ALL {
            for wrap in [Wrap::Clamp, Wrap::Repeat] {
                let s = Surface { width: 0, wrap, ..surface(&memory, tiling, format, 0, 0) };
                assert_eq!(fetch(&memory, &s, 5, -5).fault, None);
            }
        }
    }
}

proptest! {
    #![proptest_config(ctm_testing::cases(3_000, 0xf0f0))]

    #[test]
    fn anything_goes_without_panic(
        base in any::<u32>(), (pitch, width, height) in any::<(u32, u32, u32)>(),
        tiling in 0u32..4, format in 0u32..9, repeat in any::<bool>(),
        (x, y) in any::<(i32, i32)>(), channels in any::<[u32; 4]>(), mask in any::<u8>(),
    ) {
        let sizes = ArenaSizes { gpu: 1 << 20, gpub: 0, sys: 0, sysc: 1000 };
        let mut memory = Memory::new(&sizes).expect("small arenas");
        let s = Surface {
            base: 0x0ff0_0000 + base % (3 << 20),
            pitch,
            width,
            height,
            tiling: Tiling::from_code(tiling).expect("0 to 3"),
            format: Format::from_code(format).expect("0 to 8"),
            wrap: if repeat { Wrap::Repeat } else { Wrap::Clamp },
        };
        let fault = store(&mut memory, &s, x as u32, y as u32, channels, mask);
        let read = load(&memory, &s, x as u32, y as u32);
        if fault.is_some() {
            prop_assert_eq!(read.fault, fault);
        }
        let _ = fetch(&memory, &s, x, y);
        let _ = (s.byte_span(width, height), s.byte_size(width, height), s.elements_disjoint());
        let _ = (s.pitch_warning(), s.default_pitch(width), s.validate(), s.validate_input());
    }

    #[test]
    fn conversion_equals_the_reference(x in any::<u32>(), unit in 0x3000_0000u32..0x3f80_0001) {
        for x in [x, unit] {
            prop_assert_eq!(unorm8_of(x), reference_unorm(x, 255));
            prop_assert_eq!(unorm16_of(x), reference_unorm(x, 65535));
        }
    }
}
