//! Surfaces as WGSL: one function per input, with the numbers of its surface as literals, and the
//! writes of a point's own elements.
//!
//! A surface's place in memory is not a literal. The record of the launch has, for each surface,
//! the window element in which its element (0, 0) begins. Surfaces, and rows of linear surfaces,
//! begin at multiples of 32 bytes. So a column's offset within its window element is the same in
//! every row of a linear surface.

mod store;

pub use store::{Channel, own_unit, store, store_part, store_parts, store_units};

use crate::translate::record;
use crate::translate::state::{Input, Output};
use crate::translate::whole::{Along, Whole};
use ctm_machine::memory::{Format, Wrap, translate};
use std::fmt::Write as _;

/// The number of words in a window's elements: that of the largest element touched, so that it is
/// moved as a vector.
pub fn unit(formats: impl Iterator<Item = Format>) -> u32 {
    formats.map(words).max().unwrap_or(1)
}

/// The number of words in an element; 1 for a smaller element, which shares its word.
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

/// The position of a surface's element in its window.
struct WindowElement {
    /// The window's element.
    element: String,
    /// The number of its first word in that element; `None` if the surface's elements are as large
    /// as the window's.
    word: Option<String>,
}

impl WindowElement {
    /// The place of (x, y) in a surface whose element (0, 0) is in element `at` of the window.
    fn new(
        (format, tiled, pitch): (Format, bool, u32),
        unit: u32,
        at: &str,
        (x, y): (&str, &str),
    ) -> WindowElement {
        let log2 = format.bytes_log2();
        let (unit_log2, last) = (unit.trailing_zeros(), unit - 1);
        // The number of elements, or of words that hold smaller ones, in one window element.
        let shared_log2 = unit_log2 - words(format).trailing_zeros();
        if tiled {
            let byte = format!("mem_tiled({log2}u, 0u, {pitch}u, {x}, {y})");
            return WindowElement {
                element: format!("{at} + ({byte} >> {}u)", unit_log2 + 2),
                word: (shared_log2 != 0).then(|| format!("(({byte} >> 2u) & {last}u)")),
            };
        }
        let row = ((pitch & translate::PITCH) >> translate::linear_word_log2(log2)) * 8 / unit;
        let within = 2u32.saturating_sub(log2);
        let shifted = |places: u32| match places {
            0 => x.to_string(),
            places => format!("({x} >> {places}u)"),
        };
        let number = format!("({} & {}u)", shifted(within), (1 << shared_log2) - 1);
        WindowElement {
            element: format!("{at} + {y} * {row}u + {}", shifted(within + shared_log2)),
            word: (shared_log2 != 0).then(|| match words(format) {
                1 => number,
                words => format!("{number} * {words}u"),
            }),
        }
    }

    /// The place of an output's own element.
    fn own(output: &Output, unit: u32, at: &str) -> WindowElement {
        let surface = (output.format, output.tiled, output.pitch);
        WindowElement::new(surface, unit, at, ("i", "j"))
    }

    /// The window's element, or word `n` of the surface's element.
    fn text(&self, window: u8, n: u32) -> String {
        let element = &self.element;
        match (&self.word, n) {
            (None, _) => format!("window{window}[{element}]"),
            (Some(word), 0) => format!("window{window}[{element}][{word}]"),
            (Some(word), n) => format!("window{window}[{element}][{word} + {n}u]"),
        }
    }
}

/// The first bit of an element in its word, if the element is smaller than a word.
fn first_bit(format: Format, tiled: bool, pitch: u32, x: &str, y: &str) -> String {
    let log2 = format.bytes_log2();
    if tiled {
        format!("((mem_tiled({log2}u, 0u, {pitch}u, {x}, {y}) & 3u) * 8u)")
    } else {
        format!("(({x} & {}u) * {}u)", (4 >> log2) - 1, 8 << log2)
    }
}

/// Texel numbers have 12 bits in an address.
fn masked(name: &str, size: u32) -> String {
    if size > 0x1000 { format!("({name} & 0xfffu)") } else { name.to_string() }
}

/// The texel numbers of whole coordinates, as arguments of `texel{n}`.
pub fn texels(input: &Input, s: Whole, t: Whole) -> String {
    let number = |whole: Whole, size| {
        // A column may also be a coordinate along the other axis: then both sizes must be the same.
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
    let after = |whole: Whole| Whole { plus: whole.plus + 1, ..whole };
    let (x1, y1) = (number(after(s), input.width), number(after(t), input.height));
    format!("{x}, {y}, {x1}, {y1}")
}

/// The texel number at a whole coordinate on an axis with `size` texels. `fits`: how many times all
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
        Along::Iterations { depth, .. } => format!("k{depth}"),
    };
    let (low, high) = whole.bounds(size.checked_div(fits).unwrap_or(u32::MAX));
    let ends = i64::from(high) <= last;
    if (wrap, times) == (Wrap::Clamp, 1) && plus < 0 && ends {
        return format!("max({name}, {0}u) - {0}u", -plus);
    }
    let negative = times < 0 || low < 0;
    let (name, letter) =
        if negative { (format!("bitcast<i32>({name})"), 'i') } else { (name, 'u') };
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
/// `texel{n}(at, x, y)` returns the texel with a number, as float bits. In the 2x2 mode it returns
/// four, with the numbers of the next texels as `x1` and `y1`. `fetch{n}(at, s, t)`, if needed,
/// returns the texel at a coordinate in elements, given as flushed floats. If the input is written
/// in place, the functions have parameters i, j and `counts`: whether the point counts. A point
/// that counts and fetches another point's element (in the 2x2 mode always) reports it.
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
    let (parameters, arguments) = if input.in_place {
        (", i: u32, j: u32, counts: bool", ", i, j, counts")
    } else {
        ("", "")
    };
    let (next, next_arguments) =
        if tiling.is_2x2() { (", x1: u32, y1: u32", ", x1, y1") } else { ("", "") };
    let _ = writeln!(out, "fn texel{n}(at: u32, x: u32, y: u32{next}{parameters}) -> vec4<u32> {{");
    if input.in_place {
        let foreign = if tiling.is_2x2() { "counts" } else { "counts & ((x != i) | (y != j))" };
        let _ = writeln!(
            out,
            "    if {foreign} {{ atomicOr(&{}, 0x{:x}u); }}",
            record::result("FOREIGN"),
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
            let next = match wrap {
                _ if size == 1 => "0u".to_string(),
                Wrap::Clamp => format!("texel_after({from}, {name}, {}u)", size - 1),
                Wrap::Repeat => format!("select({name} + 1u, 0u, {name} == {}u)", size - 1),
            };
            let _ = writeln!(out, "    let {name}1 = {next};");
        }
    }
    let _ = writeln!(out, "    return texel{n}(at, x, y{next_arguments}{arguments});\n}}\n");
    out
}

/// Channels that a format lacks: words of the launch, so that no compiler sees their values.
fn missing() -> [String; 2] {
    [record::ZERO, record::ONE].map(record::float)
}

/// An element's channels, with missing ones filled in.
fn load(input: &Input, unit: u32, x: &str, y: &str) -> String {
    let Input { format, pitch, .. } = *input;
    let tiled = input.tiling.is_tiled();
    let window = input.window;
    let place = WindowElement::new((format, tiled, pitch), unit, "at", (x, y));
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
        Format::Uint16x4 => format!("halves4({})", whole()),
        Format::Uint16x2 => format!("vec4<u32>(halves2({}), {zero}, {one})", whole()),
        Format::Uint8x1 | Format::Uint8x2 | Format::Uint16x1 => {
            let first = first_bit(format, tiled, pitch, x, y);
            let element = format!("{} >> {first}", whole());
            match format {
                Format::Uint8x2 => format!("vec4<u32>(bytes2({element}), {zero}, {one})"),
                Format::Uint8x1 => {
                    format!("vec4<u32>(x1k_from_unorm8({element}), {zero}, {zero}, {one})")
                }
                _ => format!("vec4<u32>(x1k_from_unorm16({element}), {zero}, {zero}, {one})"),
            }
        }
    }
}
