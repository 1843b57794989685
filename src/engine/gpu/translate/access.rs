//! Surfaces as WGSL: one function for each input, with the numbers of its surface as literals, and
//! the writes of a point's own elements.
//!
//! A surface's place in memory is no literal: the record of the launch has, for each surface, where
//! its element (0, 0) is in its window, counted in [`step`]s.

use super::record;
use super::state::{Input, Output};
use super::whole::{Along, Whole};
use crate::memory::{Format, Wrap, translate};
use std::fmt::Write as _;

/// Words of a window's elements: as many as the largest element that is touched, so that it is moved
/// as a vector.
pub fn unit(formats: impl Iterator<Item = Format>) -> u32 {
    formats.map(words).max().unwrap_or(1)
}

/// Words in which the place of a surface in a window is counted: its elements', where the surface's
/// are as large.
pub fn step(format: Format, unit: u32) -> u32 {
    if words(format) < unit { 1 } else { unit }
}

/// A word of a window by its number.
fn word(window: u8, unit: u32, number: &str) -> String {
    match unit {
        1 => format!("window{window}[{number}]"),
        n => format!(
            "window{window}[({number}) >> {}u][({number}) & {}u]",
            n.trailing_zeros(),
            n - 1
        ),
    }
}

/// Words of an element; a 16-bit element shares one.
fn words(format: Format) -> u32 {
    format.bytes_per_element().div_ceil(4)
}

/// WGSL's type for a window element.
pub fn unit_type(unit: u32) -> &'static str {
    match unit {
        1 => "u32",
        2 => "vec2<u32>",
        _ => "vec4<u32>",
    }
}

/// The units of [`step`] from element (0, 0) to (x, y); for 16-bit elements the word's.
fn offset(format: Format, tiled: bool, pitch: u32, unit: u32, x: &str, y: &str) -> String {
    let log2 = format.bytes_log2();
    if tiled {
        let shift = 2 + unit.trailing_zeros();
        return format!("(mem_tiled({log2}u, 0u, {pitch}u, {x}, {y}) >> {shift}u)");
    }
    let row = ((pitch & translate::PITCH) >> translate::linear_word_log2(log2)) * 8 / unit;
    let x = match words(format) / unit {
        _ if log2 == 1 => format!("({x} >> 1u)"),
        1 => x.to_string(),
        n => format!("{x} * {n}u"),
    };
    format!("{y} * {row}u + {x}")
}

/// Which half of its word a 16-bit element is: 0 or 1.
fn half(tiled: bool, pitch: u32, x: &str, y: &str) -> String {
    if tiled {
        format!("((mem_tiled(1u, 0u, {pitch}u, {x}, {y}) >> 1u) & 1u)")
    } else {
        format!("({x} & 1u)")
    }
}

/// Numbers of texels have 12 bits in an address.
fn masked(name: &str, size: u32) -> String {
    if size > 0x1000 {
        format!("({name} & 0xfffu)")
    } else {
        name.to_string()
    }
}

/// The helper functions that a shader's text mentions.
pub fn helpers(text: &str) -> String {
    let mut out = String::new();
    if text.contains("texel_clamped(") {
        out.push_str(
            "// The texel of a coordinate, 0 to the last one, whose number as a float is `last`.
// Patterns above it are larger numbers and all negative ones; NaN is texel 0.
fn texel_clamped(coordinate: u32, last: u32) -> u32 {
    let inside = bitcast<f32>(min(coordinate, last));
    let whole = bitcast<u32>(floor(inside) + 8388608.0) & 0x7fffffu;
    return select(whole, 0u, coordinate > 0x7f800000u);
}

",
        );
    }
    if text.contains("texel_behind(") {
        out.push_str(
            "// The texel behind texel x of a coordinate; left of the edge that is the first one.
fn texel_behind(coordinate: u32, x: u32, last: u32) -> u32 {
    let negative = (coordinate > 0x80000000u) & (coordinate <= 0xff800000u);
    return select(min(x + 1u, last), 0u, negative);
}

",
        );
    }
    if text.contains("whole_repeated(") {
        out.push_str(
            "// The texel of a whole coordinate on a surface that repeats.
fn whole_repeated(coordinate: i32, size: i32) -> u32 {
    let rest = coordinate % size;
    return bitcast<u32>(select(rest, rest + size, rest < 0));
}

",
        );
    }
    out
}

/// The numbers of the texels of whole coordinates, as arguments of `texel{n}`.
pub fn texels(input: &Input, s: Whole, t: Whole) -> String {
    let number = |whole: Whole, size| {
        // A column may also be a coordinate down the surface: then both sizes must be the same.
        let inside = match whole.along {
            Along::Columns => input.inside.0 && size == input.width,
            Along::Rows => input.inside.1 && size == input.height,
            Along::Turns(_) => false,
        };
        texel(input.wrap, whole, size, inside)
    };
    let (x, y) = (number(s, input.width), number(t, input.height));
    if !input.tiling.is_2x2() {
        return format!("{x}, {y}");
    }
    let behind = |whole: Whole| Whole {
        plus: whole.plus + 1,
        ..whole
    };
    let (x1, y1) = (
        number(behind(s), input.width),
        number(behind(t), input.height),
    );
    format!("{x}, {y}, {x1}, {y1}")
}

/// The number of the texel at a whole coordinate on an axis of some texels; `inside`: every column,
/// or row, that a point can have is on that axis.
fn texel(wrap: Wrap, whole: Whole, size: u32, inside: bool) -> String {
    let Whole { along, times, plus } = whole;
    if size == 1 {
        return "0u".to_string();
    }
    let last = i64::from(size) - 1;
    if times == 0 {
        let at = i64::from(plus);
        let at = match wrap {
            Wrap::Clamp => at.clamp(0, last),
            Wrap::Repeat => at.rem_euclid(i64::from(size)),
        };
        return format!("{at}u");
    }
    let name = match along {
        Along::Columns => "i".to_string(),
        Along::Rows => "j".to_string(),
        Along::Turns(depth) => format!("k{depth}"),
    };
    match (inside && times == 1, wrap, plus) {
        (true, _, 0) => return name,
        (true, Wrap::Clamp, ..0) => {
            let back = plus.unsigned_abs();
            return format!("max({name}, {back}u) - {back}u");
        }
        _ => {}
    }
    let negative = times < 0 || whole.low() < 0;
    let (name, letter) = match negative {
        true => (format!("bitcast<i32>({name})"), 'i'),
        false => (name, 'u'),
    };
    let mut number = match times {
        1 => name,
        times => format!("{name} * {times}{letter}"),
    };
    match plus {
        0 => {}
        plus if plus < 0 => number = format!("{number} - {}{letter}", -plus),
        plus => number = format!("{number} + {plus}{letter}"),
    }
    match (wrap, negative) {
        (Wrap::Clamp, false) => format!("min({number}, {last}u)"),
        (Wrap::Clamp, true) => format!("bitcast<u32>(clamp({number}, 0i, {last}i))"),
        (Wrap::Repeat, false) if size.is_power_of_two() => format!("({number}) & {last}u"),
        (Wrap::Repeat, true) if size.is_power_of_two() => {
            format!("bitcast<u32>({number}) & {last}u")
        }
        (Wrap::Repeat, false) => format!("({number}) % {size}u"),
        (Wrap::Repeat, true) => format!("whole_repeated({number}, {size})"),
    }
}

/// The functions of an input.
///
/// `texel{n}(at, x, y)` has the texel of a number, as float bits; in the 2x2 mode four of them,
/// with the numbers of the texels behind as `x1` and `y1`. `fetch{n}(at, s, t)`, where it is wanted,
/// has the texel at a coordinate in elements, given as flushed floats. If the input is written in
/// place they have parameters i, j and `counts`, whether the point does; such a point that fetches
/// another one's element says so.
pub fn fetch(n: usize, input: &Input, unit: u32, by_float: bool) -> String {
    let Input {
        format,
        tiling,
        wrap,
        width,
        height,
        pitch,
        ..
    } = *input;
    let mut out = String::new();
    let wraps = match wrap {
        Wrap::Clamp => "clamped",
        Wrap::Repeat => "repeated",
    };
    let _ = writeln!(
        out,
        "// Input {n}: {format}, {tiling}, {width} x {height}, pitch {pitch}, {wraps}."
    );
    let (parameters, arguments) = match input.in_place {
        false => ("", ""),
        true => (", i: u32, j: u32, counts: bool", ", i, j, counts"),
    };
    let (behind, behind_arguments) = match tiling.is_2x2() {
        true => (", x1: u32, y1: u32", ", x1, y1"),
        false => ("", ""),
    };
    let _ = writeln!(
        out,
        "fn texel{n}(at: u32, x: u32, y: u32{behind}{parameters}) -> vec4<u32> {{"
    );
    if input.in_place {
        let foreign = match tiling.is_2x2() {
            true => "counts",
            false => "counts & ((x != i) | (y != j))",
        };
        let _ = writeln!(
            out,
            "    if {foreign} {{ atomicOr(&results[{} + 3u], 0x{:x}u); }}",
            record::word(record::RESULT),
            1u32 << n
        );
    }
    let load = |x: &str, y: &str| load(input, unit, &masked(x, width), &masked(y, height));
    if tiling.is_2x2() {
        for (name, x, y) in [
            ("right", "x1", "y"),
            ("below", "x", "y1"),
            ("across", "x1", "y1"),
            ("here", "x", "y"),
        ] {
            let _ = writeln!(out, "    let {name} = ({}).x;", load(x, y));
        }
        out.push_str("    return vec4<u32>(right, below, across, here);\n}\n\n");
    } else {
        let _ = writeln!(out, "    return {};\n}}\n", load("x", "y"));
    }
    if !by_float {
        return out;
    }
    let _ = writeln!(
        out,
        "fn fetch{n}(at: u32, s: u32, t: u32{parameters}) -> vec4<u32> {{"
    );
    for (name, from, size) in [("x", "s", width), ("y", "t", height)] {
        let value = match wrap {
            _ if size == 1 => "0u".to_string(),
            Wrap::Clamp => {
                let last = ((size - 1) as f32).to_bits();
                format!("texel_clamped({from}, 0x{last:08x}u)")
            }
            Wrap::Repeat if size.is_power_of_two() => {
                format!("bitcast<u32>(x1k_texel_index({from})) & {}u", size - 1)
            }
            Wrap::Repeat => format!("whole_repeated(x1k_texel_index({from}), {size})"),
        };
        let _ = writeln!(out, "    let {name} = {value};");
        if tiling.is_2x2() {
            let behind = match wrap {
                _ if size == 1 => "0u".to_string(),
                Wrap::Clamp => format!("texel_behind({from}, {name}, {}u)", size - 1),
                Wrap::Repeat => format!("select({name} + 1u, 0u, {name} == {}u)", size - 1),
            };
            let _ = writeln!(out, "    let {name}1 = {behind};");
        }
    }
    let _ = writeln!(
        out,
        "    return texel{n}(at, x, y{behind_arguments}{arguments});\n}}\n"
    );
    out
}

/// Channels that a format lacks: words of the launch, so that no compiler sees what they are.
fn missing() -> [String; 2] {
    [record::ZERO, record::ONE].map(record::float)
}

/// An element's channels, missing ones filled in.
fn load(input: &Input, unit: u32, x: &str, y: &str) -> String {
    let Input { format, pitch, .. } = *input;
    let tiled = input.tiling.is_tiled();
    let window = input.window;
    let step = step(format, unit);
    let g = format!("at + {}", offset(format, tiled, pitch, step, x, y));
    let words = words(format);
    let [zero, one] = missing();
    let whole = |n: u32| -> String {
        // The element's units, joined.
        let units: Vec<String> = (0..words / step)
            .map(|k| {
                let g = match k {
                    0 => g.clone(),
                    k => format!("{g} + {k}u"),
                };
                match step == unit {
                    true => format!("window{window}[{g}]"),
                    false => word(window, unit, &g),
                }
            })
            .collect();
        match units.as_slice() {
            [one] if n == 1 || step == n => one.clone(),
            units => format!("vec{n}<u32>({})", units.join(", ")),
        }
    };
    match format {
        Format::Float32x4 => whole(4),
        Format::Float32x2 => format!("vec4<u32>({}, {zero}, {one})", whole(2)),
        Format::Float32x1 => format!("vec4<u32>({}, {zero}, {zero}, {one})", whole(1)),
        Format::Uint8x4 => format!("bytes({})", whole(1)),
        Format::Uint16x1 => {
            let half = half(tiled, pitch, x, y);
            let word = word(window, unit, &g);
            format!("vec4<u32>(x1k_from_unorm16({word} >> ({half} * 16u)), {zero}, {zero}, {one})")
        }
    }
}

/// The channels of a UINT8_4 element.
pub const BYTES: &str = "// Blue, green, red, alpha in memory.
fn bytes(word: u32) -> vec4<u32> {
    return vec4<u32>(
        x1k_from_unorm8(word >> 16u),
        x1k_from_unorm8(word >> 8u),
        x1k_from_unorm8(word),
        x1k_from_unorm8(word >> 24u),
    );
}

";

/// What is written to a channel: its value, and if that is not for all points, for which.
#[derive(Clone, Debug)]
pub struct Channel {
    /// The value's bits.
    pub value: String,
    /// A condition; `None`: always.
    pub condition: Option<String>,
}

/// Statements that write a point's own element. `channels` has what is written of each channel.
/// Not for 16-bit elements.
pub fn store(output: &Output, unit: u32, at: &str, channels: &[Option<Channel>; 4]) -> Vec<String> {
    let window = output.window;
    let step = step(output.format, unit);
    let g = format!(
        "{at} + {}",
        offset(output.format, output.tiled, output.pitch, step, "i", "j")
    );
    if output.format == Format::Uint8x4 {
        return store_bytes(&word(window, unit, &g), channels);
    }
    let mut lines = Vec::new();
    const NAMES: [&str; 4] = ["x", "y", "z", "w"];
    for piece in 0..words(output.format) / step {
        let first = (piece * step) as usize;
        let part = &channels[first..first + step as usize];
        let g = match piece {
            0 => g.clone(),
            n => format!("{g} + {n}u"),
        };
        let place = match step == unit {
            true => format!("window{window}[{g}]"),
            false => word(window, unit, &g),
        };
        let always = part.iter().all(|channel| {
            matches!(
                channel,
                Some(Channel {
                    condition: None,
                    ..
                })
            )
        });
        if always {
            let values: Vec<&str> = part
                .iter()
                .flatten()
                .map(|channel| channel.value.as_str())
                .collect();
            lines.push(match step {
                1 => format!("{place} = {};", values[0]),
                n => format!("{place} = vec{n}<u32>({});", values.join(", ")),
            });
            continue;
        }
        for (n, channel) in part.iter().enumerate() {
            let Some(Channel { value, condition }) = channel else {
                continue;
            };
            let target = match step {
                1 => place.clone(),
                _ => format!("{place}.{}", NAMES[n]),
            };
            lines.push(match condition {
                None => format!("{target} = {value};"),
                Some(condition) => format!("if {condition} {{ {target} = {value}; }}"),
            });
        }
    }
    lines
}

fn store_bytes(place: &str, channels: &[Option<Channel>; 4]) -> Vec<String> {
    let mut value = Vec::new();
    let mut mask = Vec::new();
    let mut known = 0u32;
    for (channel, shift) in channels.iter().zip([16, 8, 0, 24]) {
        let Some(channel) = channel else { continue };
        value.push(format!("(x1k_unorm8({}) << {shift}u)", channel.value));
        let bits = 0xffu32 << shift;
        match &channel.condition {
            None => known |= bits,
            Some(condition) => mask.push(format!("select(0u, 0x{bits:08x}u, {condition})")),
        }
    }
    if value.is_empty() {
        return Vec::new();
    }
    let value = value.join(" | ");
    if known == u32::MAX {
        return vec![format!("{place} = {value};")];
    }
    mask.insert(0, format!("0x{known:08x}u"));
    vec![
        format!("let mask = {};", mask.join(" | ")),
        format!("if mask != 0u {{ {place} = ({place} & ~mask) | (({value}) & mask); }}"),
    ]
}

/// The index of the word of a point's own 16-bit element.
pub fn own_half(output: &Output, at: &str) -> String {
    format!(
        "{at} + {}",
        offset(output.format, output.tiled, output.pitch, 1, "i", "j")
    )
}

/// An expression that reads a point's own single-channel element, as stored units.
pub fn own_unit(output: &Output, unit: u32, at: &str) -> String {
    let window = output.window;
    let g = format!(
        "{at} + {}",
        offset(output.format, output.tiled, output.pitch, 1, "i", "j")
    );
    let word = word(window, unit, &g);
    if output.format == Format::Uint16x1 {
        let half = half(output.tiled, output.pitch, "i", "j");
        format!("(({word} >> ({half} * 16u)) & 0xffffu)")
    } else {
        word
    }
}

/// The function that writes a 16-bit element for each point of a group. Two points share a word;
/// both are in the group, and the one on the left writes for both.
pub fn store_half(window: u8, unit: u32) -> String {
    let word = word(window, unit, "g");
    format!(
        "fn store_half{window}(slot: u32, g: u32, value: u32, write: bool) {{
    halves[slot] = value | select(0u, 0x10000u, write);
    workgroupBarrier();
    let other = halves[slot ^ 1u];
    workgroupBarrier();
    if (slot & 1u) == 0u {{
        let mask = select(0u, 0xffffu, write) | select(0u, 0xffff0000u, (other & 0x10000u) != 0u);
        let both = (other << 16u) | value;
        if mask == 0xffffffffu {{
            {word} = both;
        }} else if mask != 0u {{
            {word} = ({word} & ~mask) | (both & mask);
        }}
    }}
}}

"
    )
}
