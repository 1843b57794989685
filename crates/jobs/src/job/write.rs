//! The text of job files: the only place that writes one.
//!
//! `Text` has tables, keys and values, and what all jobs say in the same words. Its users are
//! [`launch`], a launch as a job folder, in the long form; [`program`], a program with its data, in the
//! short form, to edit; [`edit`], one value of a text; and `bless`, which adds `[[expect]]` to a file.

use ctm_lang::program::{ConstantKind, Image, NameKind, Program, Registers};
use ctm_machine::launch::{Constants, Domain};
use std::fmt::{Display, LowerHex, Write};

pub mod edit;
pub mod launch;
pub mod program;

/// The text of a job file so far.
#[derive(Default)]
pub(super) struct Text(pub(super) String);

impl Text {
    /// The first lines of a file.
    fn new(about: impl Display) -> Text {
        let mut text = Text::default();
        text.key("version", 1).text("about", about);
        text
    }

    /// Begins a table; `header` has the brackets, too.
    fn table(&mut self, header: &str) -> &mut Text {
        self.0 += &format!("\n{header}\n");
        self
    }

    /// A key of the last table and its value, as it is in the file.
    fn key(&mut self, key: impl Display, value: impl Display) -> &mut Text {
        let _ = writeln!(self.0, "{key} = {value}");
        self
    }

    /// A key with a string.
    fn text(&mut self, key: &str, value: impl Display) -> &mut Text {
        self.key(key, quoted(value))
    }

    /// A table of several lines, if it has any keys.
    fn block(&mut self, header: &str, keys: Vec<(impl Display, impl Display)>) -> &mut Text {
        if !keys.is_empty() {
            self.table(header);
        }
        keys.into_iter().fold(self, |text, (key, value)| text.key(key, value))
    }

    /// A table in one line, if it has any keys.
    fn line(&mut self, key: &str, keys: Vec<(impl Display, impl Display)>) -> &mut Text {
        if keys.is_empty() { self } else { self.key(key, inline(keys)) }
    }

    /// The registers of a program without a container.
    fn registers(&mut self, header: &str, program: &Program) -> &mut Text {
        let mut registers = *program.registers();
        let words = registers.words_mut().map(|word| hex(*word));
        self.block(header, Registers::NAMES.into_iter().zip(words).collect())
    }

    /// An expected array: its subject, a key with its value; the file; whether all bits count.
    pub(super) fn expect(&mut self, (key, subject): (&str, &str), file: &str, bits: bool) {
        self.table("[[expect]]").key(key, subject).text("file", file);
        if bits {
            self.key("bits", true);
        } else {
            self.key("rtol", "1e-5").key("atol", "1e-5");
        }
    }
}

/// A string in one line, which can be a key, too.
pub fn quoted(text: impl Display) -> String {
    let escaped = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        _ if c.is_control() => format!("\\u{:04x}", u32::from(c)),
        _ => c.to_string(),
    };
    format!("\"{}\"", text.to_string().chars().map(escaped).collect::<String>())
}

/// A name as a key.
fn key_of(name: &str) -> String {
    if is_plain(name) { name.to_string() } else { quoted(name) }
}

/// An integer whose bits count.
fn hex(word: impl LowerHex) -> String {
    format!("0x{word:08x}")
}

/// A list.
fn list(values: impl IntoIterator<Item = impl Display>) -> String {
    let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    format!("[{}]", values.join(", "))
}

/// A list, or its only value.
pub fn one_or_list(values: impl IntoIterator<Item = String>) -> String {
    let values: Vec<String> = values.into_iter().collect();
    if let [one] = &values[..] { one.clone() } else { list(values) }
}

/// A table in one line.
fn inline(keys: Vec<(impl Display, impl Display)>) -> String {
    let keys: Vec<String> = keys.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    format!("{{ {} }}", keys.join(", "))
}

/// A binary32: its bits where a number would not say all.
pub fn float(bits: u32) -> String {
    let value = f32::from_bits(bits);
    if value.is_finite() { format!("{value:?}") } else { quoted(hex(bits)) }
}

/// The channels of a value, without zeros at the end.
fn channels(bits: [u32; 4]) -> String {
    let count = bits.iter().rposition(|&bits| bits != 0).map_or(1, |last| last + 1);
    one_or_list(bits.into_iter().take(count).map(float))
}

/// The value of a constant.
fn constant(constants: &Constants, kind: ConstantKind, n: u32) -> String {
    match kind {
        ConstantKind::Float => channels(constants.float[n as usize]),
        ConstantKind::Int => {
            let int = constants.int[n as usize];
            format!("[{}, {}, {}]", int.count, int.start, int.step)
        }
        ConstantKind::Bool => (constants.bool >> n & 1 != 0).to_string(),
    }
}

/// The keys of a domain.
fn domain(domain: &Domain) -> Vec<(&'static str, u32)> {
    vec![("i0", domain.i0), ("j0", domain.j0), ("i1", domain.i1), ("j1", domain.j1)]
}

/// Whether a name is a plain word: a key without quotes, which files and buffers can have, too.
pub(super) fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
}

/// The name of a file for a register: by the name of the source where that is a plain word.
pub fn file_name(image: &Image, kind: NameKind, number: u32, ending: &str) -> String {
    match image.name_of(kind, number).filter(|name| is_plain(name)) {
        Some(name) => format!("{name}.{ending}"),
        None => format!("{}_{number}.{ending}", kind.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_can_be_in_a_string_and_in_a_key() {
        for c in (0..0x500).filter_map(char::from_u32) {
            let name = format!("{c}'");
            let text = format!("{} = {}", key_of(&name), quoted(&name));
            let table: toml::Table = text.parse().expect(&text);
            assert_eq!(table[&name].as_str(), Some(&*name), "{text}");
        }
    }
}
