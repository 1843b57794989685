//! Arrays in and out of surfaces.

use super::*;
use crate::memory::{ArenaKind, ArenaSizes, Format, Tiling};

fn memory() -> Memory {
    let sizes = ArenaSizes { gpu: 64 << 10, gpub: 0, sys: 0, sysc: 0 };
    Memory::new(&sizes).expect("a small arena")
}

fn numbers(format: Format, width: u32, height: u32) -> Vec<u32> {
    (0..width * height * format.channels())
        .map(|k| k.wrapping_mul(0x9e37_79b9) & format.max_unit())
        .collect()
}

#[test]
fn arrays_round_trip_in_every_layout() {
    for format in Format::ALL {
        for tiling in Tiling::ALL {
            let mut memory = memory();
            let pitch = super::super::surface::default_pitch(tiling, format, 37);
            let s = Surface::new(memory.base(ArenaKind::Gpu), pitch, 21, tiling, format);
            let data = numbers(format, 37, 21);
            write_array(&mut memory, &s, 37, 21, &data).expect("fits");
            assert_eq!(read_array(&memory, &s, 37, 21), Ok(data), "{format} {tiling}");
        }
    }
}

#[test]
fn arrays_are_in_channel_order() {
    let mut memory = memory();
    let base = memory.base(ArenaKind::Gpu);
    let s = Surface::new(base, 8, 1, Tiling::Linear, Format::Uint8x4);
    write_array(&mut memory, &s, 2, 1, &[1, 2, 3, 4, 5, 6, 7, 8]).expect("fits");
    assert_eq!(memory.slice(base, 8), Some(&[3, 2, 1, 4, 7, 6, 5, 8][..]));
    let s = Surface { format: Format::Uint16x1, ..s };
    assert_eq!(read_array(&memory, &s, 2, 1), Ok(vec![0x0203, 0x0401]));
}

#[test]
fn later_elements_win() {
    let mut memory = memory();
    // Pitch 7 of FLOAT32_1 is not a whole word: both rows coincide.
    let s = Surface::new(memory.base(ArenaKind::Gpu), 7, 2, Tiling::Linear, Format::Float32x1);
    write_array(&mut memory, &s, 3, 2, &[1, 2, 3, 4, 5, 6]).expect("fits");
    assert_eq!(read_array(&memory, &s, 3, 2), Ok(vec![4, 5, 6, 4, 5, 6]));
}

#[test]
fn messages() {
    let mut memory = memory();
    let base = memory.base(ArenaKind::Gpu);
    let s = Surface::new(base, 8, 2, Tiling::Linear, Format::Uint8x4);
    let message = |r: Result<(), MemoryError>| r.unwrap_err().to_string();
    assert_eq!(
        message(write_array(&mut memory, &s, 2, 2, &[0; 15])),
        "array of 15 values, expected 16 (2 rows x 2 columns x 4 channels)"
    );
    let mut data = [255; 16];
    data[13] = 256;
    assert_eq!(
        message(write_array(&mut memory, &s, 2, 2, &data)),
        "array value 256 at row 1, column 1, channel 1: UINT8_4 holds 0 to 255"
    );
    let s16 = Surface { format: Format::Uint16x1, ..s };
    assert_eq!(
        message(write_array(&mut memory, &s16, 2, 1, &[0, 65536])),
        "array value 65536 at row 0, column 1, channel 0: UINT16_1 holds 0 to 65535"
    );
    assert_eq!(memory.read_u32(base), Some(0), "nothing was written");
    assert_eq!(
        message(write_array(&mut memory, &s, 0, 2, &[])),
        "surface width is 0, expected 1 to 8191"
    );
    assert_eq!(
        read_array(&memory, &s, 1, 8192).unwrap_err().to_string(),
        "surface height is 8192, expected 1 to 8191"
    );
    let end = base + (64 << 10);
    let s = Surface { base: end - 32, ..s };
    let outside = format!("address 0x{end:08x}: 4 bytes from there are not inside one arena");
    assert_eq!(message(write_array(&mut memory, &s, 1, 2, &[9; 8])), outside);
    assert_eq!(read_array(&memory, &s, 1, 2).unwrap_err().to_string(), outside);
    assert_eq!(memory.read_u32(end - 32), Some(0x0909_0909));
}
