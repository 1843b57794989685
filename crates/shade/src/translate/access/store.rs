//! The writes of a point's own elements as WGSL.

use crate::translate::access::{WindowElement, first_bit, words};
use crate::translate::state::Output;
use ctm_machine::memory::Format;
use std::fmt::Write as _;

/// The word of an element that holds each of its channels, and the channel's first bit there.
fn channel_bits(format: Format) -> impl Iterator<Item = (u32, u32)> {
    let bits = 8 * format.bytes_per_channel();
    (0..format.channels()).map(move |channel| match format {
        // Blue, green, red, alpha.
        Format::Uint8x4 => (0, [16, 8, 0, 24][channel as usize & 3]),
        _ => (channel * bits / 32, channel * bits % 32),
    })
}

/// A value for a channel, and a condition on its points if not all write it.
#[derive(Clone, Debug)]
pub struct Channel {
    /// The value's bits.
    pub value: String,
    /// A condition; `None`: always.
    pub condition: Option<String>,
}

const NAMES: [&str; 4] = ["x", "y", "z", "w"];

/// Statements that write a point's own element. `channels` has what is written to each channel. The
/// element must have at least one word.
pub fn store(output: &Output, unit: u32, at: &str, channels: &[Option<Channel>; 4]) -> Vec<String> {
    let window = output.window;
    let place = WindowElement::own(output, unit, at);
    if !output.format.is_float() {
        let words = words(output.format);
        let word = |n: u32| {
            if words == unit && words > 1 {
                format!("{}.{}", place.text(window, 0), NAMES[n as usize & 3])
            } else {
                place.text(window, n)
            }
        };
        return (0..words).flat_map(|n| store_word(&word(n), n, output.format, channels)).collect();
    }
    let mut lines = Vec::new();
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

/// The bits written to word `n` of a fixed-point element: the bits, those of them that all points
/// write, and terms of those that only some points write.
fn written_bits(
    n: u32,
    format: Format,
    channels: &[Option<Channel>; 4],
) -> (Vec<String>, u32, Vec<String>) {
    let bits = 8 * format.bytes_per_channel();
    let (mut value, mut known, mut mask) = (Vec::new(), 0u32, Vec::new());
    for (channel, (word, first)) in channels.iter().zip(channel_bits(format)) {
        let Some(channel) = channel.as_ref().filter(|_| word == n) else {
            continue;
        };
        let unit = format!("x1k_unorm{bits}({})", channel.value);
        value.push(match first {
            0 if format.channels() == 1 => unit,
            _ => format!("({unit} << {first}u)"),
        });
        let bits = (u32::MAX >> (32 - bits)) << first;
        match &channel.condition {
            None => known |= bits,
            Some(condition) => mask.push(format!("select(0u, 0x{bits:08x}u, {condition})")),
        }
    }
    (value, known, mask)
}

/// Writes word `n` of a fixed-point element.
fn store_word(place: &str, n: u32, format: Format, channels: &[Option<Channel>; 4]) -> Vec<String> {
    let (value, known, mut mask) = written_bits(n, format, channels);
    if value.is_empty() {
        return Vec::new();
    }
    let value = value.join(" | ");
    if known == u32::MAX {
        return vec![format!("{place} = {value};")];
    }
    mask.insert(0, format!("0x{known:08x}u"));
    vec![
        format!("let mask{n} = {};", mask.join(" | ")),
        format!("if mask{n} != 0u {{ {place} = ({place} & ~mask{n}) | (({value}) & mask{n}); }}"),
    ]
}

/// The statement that writes a point's own element, smaller than a word, if `write` is true. All
/// points of the group execute it.
pub fn store_part(
    output: &Output,
    unit: u32,
    at: &str,
    channels: &[Option<Channel>; 4],
    write: &str,
) -> String {
    let (value, known, mut mask) = written_bits(0, output.format, channels);
    if known != 0 || mask.is_empty() {
        mask.insert(0, format!("0x{known:08x}u"));
    }
    let mask = format!("select(0u, {}, {write})", mask.join(" | "));
    store_units(output, unit, at, &value.join(" | "), &mask)
}

/// As [`store_part`] for an element in stored units; `mask` has the bits of it that are written.
pub fn store_units(output: &Output, unit: u32, at: &str, value: &str, mask: &str) -> String {
    let WindowElement { element, word } = WindowElement::own(output, unit, at);
    let place = word.map_or(element.clone(), |word| format!("{element}, {word}"));
    let function = match output.format.bytes_per_element() {
        1 => "store_byte",
        _ => "store_half",
    };
    format!("{function}{}(slot, {place}, {value}, {mask});", output.window)
}

/// An expression that reads a point's own single-channel element, as stored units.
pub fn own_unit(output: &Output, unit: u32, at: &str) -> String {
    let word = WindowElement::own(output, unit, at).text(output.window, 0);
    if output.format == Format::Uint16x1 {
        let first = first_bit(output.format, output.tiled, output.pitch, "i", "j");
        format!("(({word} >> {first}) & 0xffffu)")
    } else {
        word
    }
}

/// The functions of a window that write elements smaller than a word for each point of a group, if
/// `text` calls them. Neighbours share a word. All of them are in the group; the leftmost one
/// writes for all.
pub fn store_parts(window: u8, unit: u32, text: &str) -> String {
    let calls = |name: &str| text.contains(&format!("{name}{window}("));
    let (parameters, place, word) = match unit {
        1 => ("g: u32", "g", format!("window{window}[g]")),
        _ => ("g: u32, n: u32", "g, n", format!("window{window}[g][n]")),
    };
    let mut out = String::new();
    if calls("store_half") || calls("store_byte") {
        let _ = write!(
            out,
            "fn store_word{window}(slot: u32, other: u32, {parameters}, value: u32, mask: u32) {{
    let right = exchanged(slot, other, value | (mask << 16u));
    let both = value | (right << 16u);
    let all = mask | (right & 0xffff0000u);
    if (slot & (2u * other - 1u)) == 0u {{
        if all == 0xffffffffu {{
            {word} = both;
        }} else if all != 0u {{
            {word} = ({word} & ~all) | (both & all);
        }}
    }}
}}

"
        );
    }
    if calls("store_half") {
        let _ = write!(
            out,
            "fn store_half{window}(slot: u32, {parameters}, value: u32, mask: u32) {{
    store_word{window}(slot, 1u, {place}, value, mask);
}}

"
        );
    }
    if calls("store_byte") {
        let _ = write!(
            out,
            "fn store_byte{window}(slot: u32, {parameters}, value: u32, mask: u32) {{
    let right = exchanged(slot, 1u, value | (mask << 16u));
    let both = value | ((right & 0xffu) << 8u);
    store_word{window}(slot, 2u, {place}, both, mask | ((right >> 16u) << 8u));
}}

"
        );
    }
    out
}
