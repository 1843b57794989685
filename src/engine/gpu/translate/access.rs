//! Surfaces as WGSL: one function for each input, with the numbers of its surface as literals, and
//! the writes of a point's own elements.
//!
//! A surface's place in memory is no literal: the record of the launch has, for each surface, in
//! which element of its window its own element (0, 0) begins: surfaces, and rows of linear ones,
//! begin at multiples of 32 bytes. So what of an element of the window a column of a linear surface
//! is does not depend on the row.

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

/// Where an element of a surface is in its window.
struct Place {
    /// The window's element.
    element: String,
    /// The number of its first word in that; `None` if the surface's elements are as large as the
    /// window's.
    word: Option<String>,
}

impl Place {
    /// The place of (x, y) of a surface whose element (0, 0) is in element `at` of the window.
    fn new(
        (format, tiled, pitch): (Format, bool, u32),
        unit: u32,
        at: &str,
        (x, y): (&str, &str),
    ) -> Place {
        let log2 = format.bytes_log2();
        let (unit_log2, last) = (unit.trailing_zeros(), unit - 1);
        // So many elements, or pairs of 16-bit ones, are in one of the window.
        let shared_log2 = unit_log2 - words(format).trailing_zeros();
        if tiled {
            let byte = format!("mem_tiled({log2}u, 0u, {pitch}u, {x}, {y})");
            return Place {
                element: format!("{at} + ({byte} >> {}u)", unit_log2 + 2),
                word: (shared_log2 != 0).then(|| format!("(({byte} >> 2u) & {last}u)")),
            };
        }
        let row = ((pitch & translate::PITCH) >> translate::linear_word_log2(log2)) * 8 / unit;
        let half = u32::from(log2 == 1);
        let shifted = |places: u32| match places {
            0 => x.to_string(),
            places => format!("({x} >> {places}u)"),
        };
        let number = format!("({} & {}u)", shifted(half), (1 << shared_log2) - 1);
        Place {
            element: format!("{at} + {y} * {row}u + {}", shifted(half + shared_log2)),
            word: (shared_log2 != 0).then(|| match words(format) {
                1 => number,
                words => format!("{number} * {words}u"),
            }),
        }
    }

    /// The place of an output's own element.
    fn own(output: &Output, unit: u32, at: &str) -> Place {
        let surface = (output.format, output.tiled, output.pitch);
        Place::new(surface, unit, at, ("i", "j"))
    }

    /// The element of the window, or word `n` of the surface's.
    fn text(&self, window: u8, n: u32) -> String {
        let element = &self.element;
        match (&self.word, n) {
            (None, _) => format!("window{window}[{element}]"),
            (Some(word), 0) => format!("window{window}[{element}][{word}]"),
            (Some(word), n) => format!("window{window}[{element}][{word} + {n}u]"),
        }
    }
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
    if size > 0x1000 { format!("({name} & 0xfffu)") } else { name.to_string() }
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
        let fits = match whole.along {
            Along::Columns if size == input.width => input.fits.0,
            Along::Rows if size == input.height => input.fits.1,
            _ => 0,
        };
        texel(input.wrap, whole, size, fits)
    };
    let (x, y) = (number(s, input.width), number(t, input.height));
    if !input.tiling.is_2x2() {
        return format!("{x}, {y}");
    }
    let behind = |whole: Whole| Whole { plus: whole.plus + 1, ..whole };
    let (x1, y1) = (number(behind(s), input.width), number(behind(t), input.height));
    format!("{x}, {y}, {x1}, {y1}")
}

/// The number of the texel at a whole coordinate on an axis of some texels; `fits`: how many times all
/// columns, or rows, that a point can have fit onto that axis.
fn texel(wrap: Wrap, whole: Whole, size: u32, fits: u32) -> String {
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
        Along::Turns { depth, .. } => format!("k{depth}"),
    };
    let (low, high) = whole.bounds(size.checked_div(fits).unwrap_or(u32::MAX));
    let ends = i64::from(high) <= last;
    if (wrap, times) == (Wrap::Clamp, 1) && plus < 0 && ends {
        return format!("max({name}, {0}u) - {0}u", -plus);
    }
    let negative = times < 0 || low < 0;
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
        (_, false) if ends => number,
        (_, true) if ends && low >= 0 => format!("bitcast<u32>({number})"),
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
    let Input { format, tiling, wrap, width, height, pitch, .. } = *input;
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
    let _ =
        writeln!(out, "fn texel{n}(at: u32, x: u32, y: u32{behind}{parameters}) -> vec4<u32> {{");
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
        for (name, x, y) in
            [("right", "x1", "y"), ("below", "x", "y1"), ("across", "x1", "y1"), ("here", "x", "y")]
        {
            let _ = writeln!(out, "    let {name} = ({}).x;", load(x, y));
        }
        out.push_str("    return vec4<u32>(right, below, across, here);\n}\n\n");
    } else {
        let _ = writeln!(out, "    return {};\n}}\n", load("x", "y"));
    }
    if !by_float {
        return out;
    }
    let _ = writeln!(out, "fn fetch{n}(at: u32, s: u32, t: u32{parameters}) -> vec4<u32> {{");
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
    let _ = writeln!(out, "    return texel{n}(at, x, y{behind_arguments}{arguments});\n}}\n");
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
    let place = Place::new((format, tiled, pitch), unit, "at", (x, y));
    let [zero, one] = missing();
    let whole = || match (&place.word, words(format)) {
        (None, _) | (_, 1) => place.text(window, 0),
        (_, n) => {
            let words: Vec<String> = (0..n).map(|k| place.text(window, k)).collect();
            format!("vec{n}<u32>({})", words.join(", "))
        }
    };
    match format {
        Format::Float32x4 => whole(),
        Format::Float32x2 => format!("vec4<u32>({}, {zero}, {one})", whole()),
        Format::Float32x1 => format!("vec4<u32>({}, {zero}, {zero}, {one})", whole()),
        Format::Uint8x4 => format!("bytes({})", whole()),
        Format::Uint16x1 => {
            let half = half(tiled, pitch, x, y);
            let word = whole();
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
    let place = Place::own(output, unit, at);
    if output.format == Format::Uint8x4 {
        return store_bytes(&place.text(window, 0), channels);
    }
    let mut lines = Vec::new();
    const NAMES: [&str; 4] = ["x", "y", "z", "w"];
    let words = words(output.format);
    // As a vector, or word by word.
    let step = if words == unit { unit } else { 1 };
    for piece in 0..words / step {
        let first = (piece * step) as usize;
        let part = &channels[first..first + step as usize];
        let place = place.text(window, piece);
        let always =
            part.iter().all(|channel| matches!(channel, Some(Channel { condition: None, .. })));
        if always {
            let values: Vec<&str> =
                part.iter().flatten().map(|channel| channel.value.as_str()).collect();
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

/// Where a point's own 16-bit element is: arguments of [`store_half`]'s function.
pub fn own_half(output: &Output, unit: u32, at: &str) -> String {
    let Place { element, word } = Place::own(output, unit, at);
    match word {
        Some(word) => format!("{element}, {word}"),
        None => element,
    }
}

/// An expression that reads a point's own single-channel element, as stored units.
pub fn own_unit(output: &Output, unit: u32, at: &str) -> String {
    let word = Place::own(output, unit, at).text(output.window, 0);
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
    let (parameters, word) = match unit {
        1 => ("g: u32", format!("window{window}[g]")),
        _ => ("g: u32, n: u32", format!("window{window}[g][n]")),
    };
    format!(
        "fn store_half{window}(slot: u32, {parameters}, value: u32, write: bool) {{
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
