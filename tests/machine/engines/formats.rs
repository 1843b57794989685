//! Every format in every tiling: every value is fetched and written, whole and channel by channel.

use super::*;
use ctm::memory::{ArenaSizes, Memory, Surface, read_array, write_array};

const SIDE: u32 = 256;

/// Room for the surfaces of these tests, one MiB each.
fn large() -> Memory {
    let sizes = ArenaSizes { gpu: 4 << 20, gpub: 0, sys: 0, sysc: 0 };
    Memory::new(&sizes).expect("4 MiB")
}

fn place(n: u32, tiling: Tiling, format: Format) -> Surface {
    Surface::new(GPU + (n << 20), SIDE, SIDE, tiling, format)
}

/// Units of a fixed-point format: each channel has each value.
fn units(format: Format) -> Vec<u32> {
    let channels = format.channels();
    (0..SIDE * SIDE * channels)
        .map(|n| {
            let (element, channel) = (n / channels, n % channels);
            (element * (2 * channel + 1) + 0x1234 * channel) & format.max_unit()
        })
        .collect()
}

#[test]
fn every_value_of_every_fixed_point_format_is_fetched_and_written() {
    for format in Format::ALL.into_iter().filter(|format| !format.is_float()) {
        let units = units(format);
        for (from, to) in [(Tiling::Linear, Tiling::Tiled), (Tiling::Tiled, Tiling::Linear)] {
            on_every_engine(
                "ld r1, i0[r0.rg]\nmov o0, r1\nmov o1, r1",
                SIDE,
                SIDE,
                |bench| {
                    let input = place(0, from, format);
                    bench.memory = large();
                    write_array(&mut bench.memory, &input, SIDE, SIDE, &units).expect("it fits");
                    bench.launch.inputs[0] = Some(input);
                    bench.launch.outputs[0] = Some(place(1, to, format));
                    let wide = place(2, Tiling::Linear, Format::Float32x4);
                    bench.launch.outputs[1] = Some(wide);
                },
                |bench, outcome| {
                    let read = |surface: &Surface| {
                        read_array(&bench.memory, surface, SIDE, SIDE).expect("inside")
                    };
                    assert!(outcome.faults.is_empty());
                    assert!(read(&place(1, to, format)) == units, "{format} {from} {to}");
                    let channels = format.channels() as usize;
                    let wide = read(&place(2, Tiling::Linear, Format::Float32x4));
                    for (element, found) in units.chunks(channels).zip(wide.chunks(4)) {
                        let mut wanted = [0, 0, 0, 1f32.to_bits()];
                        for (wanted, &unit) in wanted.iter_mut().zip(element) {
                            *wanted = (unit as f32 / format.max_unit() as f32).to_bits();
                        }
                        assert_eq!(found, wanted, "{format} {element:?}");
                    }
                },
            );
        }
    }
}

#[test]
fn channels_that_are_masked_or_not_written_stay() {
    // Points of even columns write green, those of odd ones do not; the mask leaves blue out.
    let source = "
        mul r1.r, r0.r, 0.5
        frc p.r==0, r1.r
        mov o0.rba, 0.5
        (p.r) mov o0.g, 0.5";
    for format in Format::ALL {
        for tiling in [Tiling::Linear, Tiling::Tiled] {
            on_every_engine(
                source,
                13,
                9,
                |bench| {
                    bench.memory = large();
                    fill(&mut bench.memory);
                    bench.launch.out_mask = 0b1011;
                    bench.launch.outputs[0] = Some(place(0, tiling, format));
                },
                |bench, _| {
                    let mut before = large();
                    fill(&mut before);
                    let surface = place(0, tiling, format);
                    let channels = format.channels() as usize;
                    let read =
                        |memory: &Memory| read_array(memory, &surface, SIDE, SIDE).expect("inside");
                    let half = if format.is_float() {
                        0.5f32.to_bits()
                    } else {
                        format.max_unit().div_ceil(2)
                    };
                    for (n, (old, new)) in
                        read(&before).into_iter().zip(read(&bench.memory)).enumerate()
                    {
                        let (element, channel) = (n / channels, n % channels);
                        let (i, j) = (element as u32 % SIDE, element as u32 / SIDE);
                        let written = match channel {
                            1 => i % 2 == 0,
                            channel => channel != 2,
                        };
                        let wanted = if i < 13 && j < 9 && written { half } else { old };
                        assert_eq!(new, wanted, "{format} {tiling} ({i}, {j}) channel {channel}");
                    }
                },
            );
        }
    }
}
