//! Surfaces and format words.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

fn surface(tiling: Tiling, format: Format, pitch: u32, height: u32) -> Surface {
    Surface::new(0x1000_0000, pitch, height, tiling, format)
}

#[test]
fn names_and_codes() {
    let tilings = ["LINEAR", "TILED", "LINEAR_INP_2X2", "TILED_INP_2X2"];
    for (k, name) in tilings.into_iter().enumerate() {
        let t = Tiling::ALL[k];
        assert_eq!((t.name(), t.code(), t.to_string()), (name, k as u32, name.to_owned()));
        assert_eq!(Tiling::from_name(name), Some(t));
        assert_eq!(Tiling::from_code(k as u32), Some(t));
        assert_eq!(t.is_tiled(), k % 2 == 1);
        assert_eq!(t.is_2x2(), k >= 2);
    }
    assert_eq!(Tiling::from_code(4), None);
    assert_eq!(Tiling::from_name("tiled"), None);
    let formats = [
        ("UINT16_1", 2, 1),
        ("UINT8_4", 4, 4),
        ("FLOAT32_1", 4, 1),
        ("FLOAT32_2", 8, 2),
        ("FLOAT32_4", 16, 4),
        ("UINT8_1", 1, 1),
        ("UINT8_2", 2, 2),
        ("UINT16_2", 4, 2),
        ("UINT16_4", 8, 4),
    ];
    for (k, (name, bytes, channels)) in formats.into_iter().enumerate() {
        let f = Format::ALL[k];
        assert_eq!((f.name(), f.code(), f.to_string()), (name, k as u32, name.to_owned()));
        assert_eq!((f.bytes_per_element(), f.channels()), (bytes, channels));
        assert_eq!(1 << f.bytes_log2(), bytes);
        assert_eq!(f.is_float(), name.starts_with("FLOAT32"));
        assert_eq!(f.bytes_per_channel(), bytes / channels);
        assert_eq!(Format::from_name(name), Some(f));
        assert_eq!(Format::from_code(k as u32), Some(f));
    }
    for code in 9..17 {
        assert_eq!(Format::from_code(code), None);
    }
    assert_eq!(Format::from_name("FLOAT32_3"), None);
}

#[test]
fn format_words_round_trip() {
    for pitch in (0..=8188).step_by(4) {
        for tiling in Tiling::ALL {
            for format in Format::ALL {
                let word = format_word(pitch, tiling, format).expect("encodable");
                let back = FormatWord { pitch, tiling, format, reserved_bits: 0 };
                assert_eq!(parse_format_word(word), Ok(back));
            }
        }
    }
    assert_eq!(format_word(512, Tiling::Tiled, Format::Float32x4), Ok(0x0401_0200));
    let zero = parse_format_word(0).expect("defined");
    assert_eq!((zero.pitch, zero.tiling, zero.format), (0, Tiling::Linear, Format::Uint16x1));
}

#[test]
fn format_words_keep_reserved_bits_apart() {
    let word = parse_format_word(0xf4ff_ffff).expect("format 4");
    assert_eq!(
        word,
        FormatWord {
            pitch: 0x1ffc,
            tiling: Tiling::TiledInp2x2,
            format: Format::Float32x4,
            reserved_bits: 0xf0fc_e003,
        }
    );
    for bit in 0..32 {
        let parsed = parse_format_word(1 << bit);
        let field = matches!(bit, 2..=12 | 16 | 17 | 24..=27);
        assert_eq!(
            parsed.expect("a single bit").reserved_bits,
            if field { 0 } else { 1 << bit },
            "bit {bit}"
        );
    }
}

#[test]
fn messages() {
    for (word, message) in [
        (0x0901_0100, "format word 0x09010100: data format 9 is reserved, 0 to 8 are defined"),
        (0x0a00_0000, "format word 0x0a000000: data format 10 is reserved, 0 to 8 are defined"),
        (0xffff_ffff, "format word 0xffffffff: data format 15 is reserved, 0 to 8 are defined"),
    ] {
        assert_eq!(parse_format_word(word).unwrap_err().to_string(), message);
    }
    for pitch in [6, 8192, 8190, u32::MAX] {
        assert_eq!(
            format_word(pitch, Tiling::Linear, Format::Uint8x4).unwrap_err().to_string(),
            format!(
                "pitch {pitch} does not fit a format word: it needs a multiple of 4 from 0 to 8188"
            )
        );
    }
    let good = surface(Tiling::Linear, Format::Float32x4, 8191, 8191);
    assert_eq!(good.validate(), Ok(()));
    for (bad, message) in [
        (Surface { pitch: 8192, ..good }, "surface pitch is 8192, expected 1 to 8191"),
        (Surface { pitch: 0, ..good }, "surface pitch is 0, expected 1 to 8191"),
        (Surface { width: 0, ..good }, "surface width is 0, expected 1 to 8191"),
        (Surface { height: 70000, ..good }, "surface height is 70000, expected 1 to 8191"),
    ] {
        assert_eq!(bad.validate().unwrap_err().to_string(), message);
    }
}

#[test]
fn superfine_inputs_have_one_channel_and_a_format_of_the_guide() {
    for tiling in Tiling::ALL {
        for format in Format::ALL {
            let result = surface(tiling, format, 64, 64).validate_input();
            let single = matches!(format, Format::Float32x1 | Format::Uint16x1);
            let bad = tiling.is_2x2() && !single;
            assert_eq!(result.is_err(), bad, "{tiling} {format}");
        }
    }
    assert_eq!(
        surface(Tiling::TiledInp2x2, Format::Uint8x4, 64, 64)
            .validate_input()
            .unwrap_err()
            .to_string(),
        "input tiling TILED_INP_2X2 needs FLOAT32_1 or UINT16_1, found UINT8_4"
    );
}

#[test]
fn writes_end_at_the_pitch_and_the_height() {
    let s = surface(Tiling::TiledInp2x2, Format::Float32x1, 0x44, 0x10);
    assert!(s.is_writable(0x43, 0xf));
    assert!(!s.is_writable(0x44, 0xf));
    assert!(!s.is_writable(0x43, 0x10));
}

#[test]
fn superfine_tilings_have_the_plain_ones_addresses() {
    for format in Format::ALL {
        for (plain, fine) in
            [(Tiling::Linear, Tiling::LinearInp2x2), (Tiling::Tiled, Tiling::TiledInp2x2)]
        {
            let (a, b) = (surface(plain, format, 96, 40), surface(fine, format, 96, 40));
            for y in 0..40 {
                for x in 0..96 {
                    assert_eq!(a.address(x, y), b.address(x, y));
                }
            }
        }
    }
}

#[test]
fn pitch_multiples() {
    let linear = [16, 8, 8, 4, 2, 32, 16, 8, 4];
    let tiled = [32, 32, 32, 16, 16, 64, 32, 32, 16];
    for (k, format) in Format::ALL.into_iter().enumerate() {
        assert_eq!(pitch_multiple(Tiling::Linear, format), linear[k]);
        assert_eq!(pitch_multiple(Tiling::LinearInp2x2, format), linear[k]);
        assert_eq!(pitch_multiple(Tiling::Tiled, format), tiled[k]);
        assert_eq!(pitch_multiple(Tiling::TiledInp2x2, format), tiled[k]);
    }
    let s = surface(Tiling::Tiled, Format::Float32x4, 20, 8);
    assert_eq!(s.default_pitch(1), 16);
    assert_eq!(s.default_pitch(16), 16);
    assert_eq!(s.default_pitch(17), 32);
    assert_eq!(default_pitch(Tiling::Linear, Format::Float32x4, 6), 8);
    assert_eq!(default_pitch(Tiling::Linear, Format::Uint16x1, u32::MAX), 0xffff_fff0);
    assert_eq!(
        s.pitch_warning().as_deref(),
        Some("pitch 20 is not a multiple of 16, which TILED FLOAT32_4 needs: rows overlap")
    );
    assert_eq!(
        surface(Tiling::LinearInp2x2, Format::Uint16x1, 20, 8).pitch_warning().as_deref(),
        Some("pitch 20 is not a multiple of 16, which LINEAR_INP_2X2 UINT16_1 needs: rows overlap")
    );
    assert_eq!(surface(Tiling::Linear, Format::Float32x4, 20, 8).pitch_warning(), None);
}

/// Whether two elements share a byte, by trying all.
fn shares(s: &Surface) -> bool {
    let mut seen = HashSet::new();
    (0..s.height).any(|y| (0..s.pitch).any(|x| !seen.insert(s.address(x, y))))
}

#[test]
fn disjointness_is_right() {
    for format in Format::ALL {
        for pitch in 1..=70 {
            for height in [1, 2, 8, 9, 16, 17, 33] {
                let linear = surface(Tiling::Linear, format, pitch, height);
                assert_eq!(linear.elements_disjoint(), !shares(&linear), "{linear:?}");
                let tiled = surface(Tiling::Tiled, format, pitch, height);
                if tiled.elements_disjoint() {
                    assert!(!shares(&tiled), "{tiled:?}");
                } else {
                    assert!(tiled.pitch_warning().is_some(), "{tiled:?}");
                }
            }
        }
    }
    // A bad pitch has no effect within one row of tiles.
    assert!(surface(Tiling::Tiled, Format::Float32x4, 20, 8).elements_disjoint());
    assert!(!surface(Tiling::Tiled, Format::Float32x4, 20, 9).elements_disjoint());
    // Coordinates have 12 bits: row 4096 is row 0.
    let tall = surface(Tiling::Linear, Format::Float32x1, 8, 4097);
    assert!(!tall.elements_disjoint() && shares(&tall));
    let wide = surface(Tiling::Linear, Format::Float32x1, 4104, 1);
    assert!(!wide.elements_disjoint() && shares(&wide));
    let full = surface(Tiling::Tiled, Format::Uint16x1, 4096, 4096);
    assert!(full.elements_disjoint());
}

#[test]
fn spans() {
    let linear = surface(Tiling::Linear, Format::Float32x1, 64, 8);
    assert_eq!(linear.byte_span(64, 8), 0x1000_0000..0x1000_0800);
    assert_eq!(linear.byte_span(3, 2), 0x1000_0000..0x1000_010c);
    assert_eq!(linear.byte_span(0, 8), 0x1000_0000..0x1000_0000);
    assert_eq!(linear.byte_span(8, 0), 0x1000_0000..0x1000_0000);
    assert_eq!(linear.byte_size(64, 8), 0x800);
    let tiled = surface(Tiling::Tiled, Format::Float32x1, 64, 17);
    assert_eq!(tiled.byte_span(64, 17), 0x1000_0000..0x1000_2000);
    assert_eq!(tiled.byte_size(1, 1), 2048);
    let high = Surface { base: 0xffff_f800, ..tiled };
    assert_eq!(high.byte_span(32, 16), 0xffff_f800..0x1_0000_0000);
    assert_eq!(high.byte_span(33, 16), 0..0x1_0000_0000);
    assert_eq!(high.byte_size(33, 16), 4096);
}

proptest! {
    #![proptest_config(ctm_testing::cases(2_000, 0x5fa7))]

    #[test]
    fn spans_cover_every_byte(
        base in any::<u32>(), pitch in 0u32..9000, tiling in 0u32..4, format in 0u32..9,
        (width, height) in (0u32..9000, 0u32..9000),
        points in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 40),
    ) {
        let s = Surface::new(
            base,
            pitch,
            height,
            Tiling::from_code(tiling).expect("0 to 3"),
            Format::from_code(format).expect("0 to 8"),
        );
        let span = s.byte_span(width, height);
        prop_assert!(span.start <= span.end && span.end <= 1 << 32);
        if width == 0 || height == 0 {
            return Ok(());
        }
        let corners = [(0, 0), (width - 1, 0), (0, height - 1), (width - 1, height - 1)];
        let inner = points.iter().map(|(x, y)| (x.index(width as usize) as u32, y.index(height as usize) as u32));
        for (x, y) in corners.into_iter().chain(inner) {
            let first = u64::from(s.address(x, y));
            let last = first + u64::from(s.format.bytes_per_element());
            prop_assert!(span.start <= first && last <= span.end, "({}, {}) of {:?}", x, y, s);
        }
    }

    #[test]
    fn small_spans_cover_every_byte(
        pitch in 0u32..140, tiling in 0u32..2, format in 0u32..9,
        (width, height) in (1u32..80, 1u32..40),
    ) {
        let tiling = Tiling::from_code(tiling).expect("0 to 3");
        let format = Format::from_code(format).expect("0 to 8");
        let s = Surface::new(0x8000, pitch, height, tiling, format);
        let span = s.byte_span(width, height);
        let bytes = u64::from(format.bytes_per_element());
        let mut end = 0;
        for y in 0..height {
            for x in 0..width {
                let first = u64::from(s.address(x, y));
                prop_assert!(span.start <= first && first + bytes <= span.end);
                end = end.max(first + bytes);
            }
        }
        // The span is tight: exact for linear surfaces, less than a tile too large for tiled ones.
        let slack = if tiling.is_tiled() { 2047 } else { 0 };
        prop_assert!(span.end - end <= slack);
    }
}
