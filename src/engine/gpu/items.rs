//! The text of a shader as its top-level items: functions, constants, variables, types. Items that
//! are not reached can be left out, so that they are not parsed, checked and compiled.

use std::collections::{HashMap, HashSet};

/// An item and its attributes.
struct Item<'t> {
    text: &'t str,
    /// The names in its text.
    uses: Vec<&'t str>,
}

/// The items of one or more texts.
#[derive(Default)]
pub struct Items<'t> {
    items: Vec<Item<'t>>,
    numbers: HashMap<&'t str, usize>,
}

impl<'t> Items<'t> {
    /// Adds the items of a text that `is` accepts. An item begins in the first column. It ends with
    /// the next line in the first column that ends with a brace or has a semicolon.
    pub fn add(&mut self, text: &'t str, is: impl Fn(&str) -> bool) {
        let mut at = 0;
        let mut begun = None;
        for line in text.split_inclusive('\n') {
            let start = at;
            at += line.len();
            let line = line.trim_end();
            let outer = !line.starts_with("//") && !line.starts_with([' ', '\t']);
            if !outer || line.is_empty() {
                continue;
            }
            let from = *begun.get_or_insert(start);
            if line.ends_with('}') || line.contains(';') {
                begun = None;
                let text = &text[from..at];
                if let Some(name) = name_of(text).filter(|_| is(text)) {
                    self.numbers.insert(name, self.items.len());
                    self.items.push(Item { text, uses: names(text).collect() });
                }
            }
        }
    }

    /// The names of all items that `is` accepts, so that tests can check each.
    #[cfg(test)]
    pub fn names(&self, is: impl Fn(&str) -> bool) -> Vec<&'t str> {
        let text = |number: &usize| self.items[*number].text;
        let accepted = self.numbers.iter().filter(|(_, n)| is(text(n)));
        accepted.map(|(name, _)| *name).collect()
    }

    /// The items that a text names, and those that they name in turn, in their order.
    pub fn reached(&self, text: &str) -> String {
        let mut wanted: HashSet<usize> = HashSet::new();
        let mut open: Vec<usize> =
            names(text).filter_map(|name| self.numbers.get(name).copied()).collect();
        while let Some(number) = open.pop() {
            if !wanted.insert(number) {
                continue;
            }
            let uses = self.items[number].uses.iter();
            open.extend(uses.filter_map(|name| self.numbers.get(name)));
        }
        let mut numbers: Vec<usize> = wanted.into_iter().collect();
        numbers.sort_unstable();
        let mut out = String::new();
        for number in numbers {
            let item = self.items[number].text;
            out.push_str(item);
            if item.starts_with("fn ") {
                out.push('\n');
            }
        }
        out
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

/// The name of an item.
fn name_of(item: &str) -> Option<&str> {
    let mut rest = item;
    // Skip attributes; some have arguments.
    while let Some(attribute) = rest.strip_prefix('@') {
        let after = attribute.trim_start_matches(is_name);
        rest = match after.strip_prefix('(') {
            Some(arguments) => arguments.split_once(')')?.1,
            None => after,
        };
        rest = rest.trim_start();
    }
    let (word, rest) = rest.split_at(rest.find(|c| !is_name(c))?);
    let rest = match rest.strip_prefix('<') {
        Some(space) if word == "var" => space.split_once('>')?.1,
        _ => rest,
    };
    rest.trim_start().split(|c| !is_name(c)).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// A comment; with {\n@group(0) @binding(3)  var<storage, read> a: array<u32>;\n\
        const b: u32 = 1u; // of b\n\nvar<private> c: u32;\nstruct D {\n    e: u32,\n}\n\
        fn f(x: D) -> u32 { return x.e; }\n@compute @workgroup_size(64)\nfn main(\n    \
        @builtin(local_invocation_index) lane: u32,\n) {\n    c = b;\n    g();\n}\n\
        fn g() {\n    a[0] = 1;\n}\nfn h(x: D) {\n}\n";

    #[test]
    fn items_of_every_kind_are_found() {
        let mut items = Items::default();
        items.add(TEXT, |_| true);
        let mut names = items.names(|_| true);
        names.sort_unstable();
        assert_eq!(names, ["D", "a", "b", "c", "f", "g", "h", "main"]);
        let reached = items.reached("main");
        for text in ["> a:", "const b", "> c:", "@compute @work", "fn g()"] {
            assert!(reached.contains(text), "{text}\n{reached}");
        }
        for text in ["struct D", "fn f(", "fn h("] {
            assert!(!reached.contains(text), "{text}\n{reached}");
        }
        assert!(items.reached("h").contains("struct D"));
        assert_eq!(items.reached("nothing here"), "");
        let mut functions = Items::default();
        functions.add(TEXT, |text| text.starts_with("fn "));
        let reached = functions.reached("f main");
        assert!(reached.starts_with("fn f(") && !reached.contains("struct"), "{reached}");
    }
}
