//! The functions of `shaders/*.wgsl` that a translation calls, and no others: what a shader does
//! not call need not be read, checked and compiled with it.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

const TABLES: &str = include_str!("../../../../shaders/float_tables.wgsl");
const FLOAT: &str = include_str!("../../../../shaders/float.wgsl");
const INTEGERS: &str = include_str!("../../../../shaders/float_integers.wgsl");
const MEMORY: &str = include_str!("../../../../shaders/memory.wgsl");
const GUARDS: [&str; 3] = [
    include_str!("../../../../shaders/float_guards0.wgsl"),
    include_str!("../../../../shaders/float_guards1.wgsl"),
    include_str!("../../../../shaders/float_guards2.wgsl"),
];

/// A function or constant at the top of a shader file.
struct Item {
    text: &'static str,
    /// Names in its text.
    uses: Vec<&'static str>,
}

/// All items of a guard level.
struct Library {
    items: Vec<Item>,
    numbers: HashMap<&'static str, usize>,
}

fn library(guards: u8) -> &'static Library {
    static LIBRARIES: [OnceLock<Library>; 3] = [const { OnceLock::new() }; 3];
    let level = usize::from(guards.min(2));
    LIBRARIES[level].get_or_init(|| {
        let mut library = Library {
            items: Vec::new(),
            numbers: HashMap::new(),
        };
        let integers = if level == 0 { "" } else { INTEGERS };
        for file in [TABLES, integers, GUARDS[level], FLOAT, MEMORY] {
            library.add(file);
        }
        library
    })
}

impl Library {
    /// Adds a file's functions and constants: each begins in the first column, a function ends
    /// with a brace there, a constant with its line.
    fn add(&mut self, file: &'static str) {
        let mut at = 0;
        let mut begun: Option<(usize, &'static str)> = None;
        for line in file.split_inclusive('\n') {
            let start = at;
            at += line.len();
            let name = ["fn ", "const "].iter().find_map(|word| {
                let rest = line.strip_prefix(word)?;
                rest.split(|c: char| !is_name(c)).next()
            });
            if let Some(name) = name {
                begun = Some((start, name));
            }
            let text = line.trim_end();
            let ends = text == "}" || (text.contains(';') && line.starts_with("const "));
            if ends && let Some((start, name)) = begun.take() {
                let text = &file[start..at];
                self.numbers.insert(name, self.items.len());
                self.items.push(Item {
                    text,
                    uses: names(text).collect(),
                });
            }
        }
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The words of a text that can be names.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_name(c))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// The functions and constants that a shader's text needs from the files, in their order.
pub fn needed(text: &str, guards: u8) -> String {
    let library = library(guards);
    let mut wanted: HashSet<usize> = HashSet::new();
    let mut open: Vec<usize> = names(text)
        .filter_map(|name| library.numbers.get(name).copied())
        .collect();
    while let Some(number) = open.pop() {
        if !wanted.insert(number) {
            continue;
        }
        let uses = library.items[number].uses.iter();
        open.extend(uses.filter_map(|name| library.numbers.get(name)));
    }
    let mut numbers: Vec<usize> = wanted.into_iter().collect();
    numbers.sort_unstable();
    let mut out = String::new();
    for number in numbers {
        let item = library.items[number].text;
        out.push_str(item);
        if item.starts_with("fn ") {
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_called_comes_with_what_it_calls() {
        let text = needed("x = x1k_mad(a, b, c, true);", 0);
        for name in [
            "fn x1k_mad(",
            "fn x1k_add_flushed(",
            "fn x1k_product_zero(",
            "const X1K_SIGN",
        ] {
            assert!(text.contains(name), "{name}\n{text}");
        }
        for name in ["x1k_sin", "TABLE_", "fast_", "mem_"] {
            assert!(!text.contains(name), "{name}\n{text}");
        }
    }

    #[test]
    fn every_part_is_valid_alone() {
        for guards in 0..3 {
            for (name, &number) in &library(guards).numbers {
                if !library(guards).items[number].text.starts_with("fn ")
                    || name.starts_with("mem_")
                {
                    continue;
                }
                let text = needed(name, guards);
                let module = naga::front::wgsl::parse_str(&text)
                    .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&text)));
                let mut validator = naga::valid::Validator::new(
                    naga::valid::ValidationFlags::all(),
                    naga::valid::Capabilities::default(),
                );
                validator
                    .validate(&module)
                    .unwrap_or_else(|error| panic!("{name}: {error:?}"));
            }
        }
    }
}
