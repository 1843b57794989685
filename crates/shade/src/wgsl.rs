//! The texts in `shaders/`, and the parts of them that a shader needs. A part that a shader does not
//! reach need not be parsed, checked and compiled with it.
//!
//! This relies on the format of the files. An item begins in the first column and ends with the next
//! line in the first column that ends with a brace or has a semicolon. A block begins at the end of
//! a line, and the line that ends it begins with its brace.

use crate::guards::Guards;
use ctm_shaders::*;
use std::collections::{BTreeSet, HashMap};
use std::str::Lines;
use std::sync::OnceLock;

/// The texts of the arithmetic at a guard level. An item replaces an earlier one of its name.
pub fn float(guards: Guards) -> &'static [&'static str] {
    const HELD: &str = "const HOLDS: bool = true;\n";
    const FREE: &str = "const HOLDS: bool = false;\n";
    match guards {
        Guards::Ieee => &[TABLES, HELD, HOST, FLOAT, FAST],
        Guards::Fused => &[TABLES, HELD, HOST, FLOAT, SEEDED, FAST],
        Guards::Preserved => &[TABLES, FREE, HOST, FLOAT, FAST],
        Guards::PreservedFused => &[TABLES, FREE, HOST, FLOAT, SEEDED, FAST],
        Guards::Normal => &[TABLES, HELD, INTEGERS, GUARDS1, FLOAT, FAST],
        Guards::Integers => &[TABLES, FREE, INTEGERS, GUARDS2, FLOAT, FAST],
    }
}

/// The part of `translated.wgsl`, of the arithmetic and of the functions and constants of
/// `memory.wgsl` that a translation's text needs, in their order and with their comments.
pub fn library(text: &str, guards: Guards) -> String {
    static LIBRARIES: [OnceLock<Items>; Guards::ALL.len()] =
        [const { OnceLock::new() }; Guards::ALL.len()];
    LIBRARIES[guards as usize].get_or_init(|| items(guards)).reached(text)
}

fn items(guards: Guards) -> Items<'static> {
    let mut items = Items::default();
    for file in [TRANSLATED, CONSTANTS].iter().chain(float(guards)) {
        items.add(file, |_| true);
    }
    // A translation has its own types and windows.
    items.add(MEMORY, |code| code.starts_with("fn ") || code.starts_with("const "));
    items
}

/// The items of one or more texts: functions, constants, variables, types.
#[derive(Default)]
struct Items<'t> {
    /// Their texts, with attributes, and with and without the comment before them.
    items: Vec<(&'t str, &'t str)>,
    /// Their indices by name.
    numbers: HashMap<&'t str, usize>,
}

impl<'t> Items<'t> {
    /// Adds the items of a text that `is` accepts. One replaces an earlier one of its name.
    fn add(&mut self, text: &'t str, is: impl Fn(&str) -> bool) {
        let (mut at, mut comment, mut begun) = (0, None, None);
        for line in text.split_inclusive('\n') {
            let start = at;
            at += line.len();
            let line = line.trim_end();
            if line.starts_with("//") {
                comment = comment.or(Some(start));
            } else if line.is_empty() {
                comment = None;
            } else if !line.starts_with([' ', '\t']) {
                let from = *begun.get_or_insert(start);
                if line.ends_with('}') || line.contains(';') {
                    let code = &text[from..at];
                    if let Some(name) = name(code).filter(|_| is(code)) {
                        self.numbers.insert(name, self.items.len());
                        self.items.push((&text[comment.unwrap_or(from)..at], code));
                    }
                    (comment, begun) = (None, None);
                }
            }
        }
    }

    /// The items that a text names, and those that they name in turn, in their order.
    fn reached(&self, text: &str) -> String {
        let mut found = BTreeSet::new();
        let mut open = vec![text];
        while let Some(text) = open.pop() {
            let numbers = text.lines().flat_map(words).filter_map(|word| self.numbers.get(word));
            open.extend(numbers.filter(|n| found.insert(**n)).map(|n| self.items[*n].1));
        }
        let mut out = String::new();
        for (text, code) in found.into_iter().map(|number| self.items[number]) {
            out.push_str(text);
            if code.starts_with("fn ") {
                out.push('\n');
            }
        }
        out
    }
}

/// A line without its comment.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or(line).trim_end()
}

/// The words of a line that can be names.
fn words(line: &str) -> impl DoubleEndedIterator<Item = &str> {
    code(line)
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// The name of an item: of a function the first word after `fn`, of others the last word before the
/// type or the members.
fn name(item: &str) -> Option<&str> {
    let head = item.split([':', '{']).next()?;
    match head.split_once("fn ") {
        Some((_, rest)) => words(rest).next(),
        None => words(head).next_back(),
    }
}

/// The parts of a text that a function needs. Comments are removed, branches that the text's own
/// constants rule out, and items that the function then no longer reaches. A driver would do so too,
/// but some only after inlining every function at every call. Conditions are recognised in the forms
/// `NAME` and `NAME op NUMBER`.
pub fn trimmed(text: &str, function: &str) -> String {
    let mut trim = Trim {
        constants: text.lines().filter_map(constant).collect(),
        lines: text.lines(),
        out: String::with_capacity(text.len()),
        jumped: false,
    };
    trim.block(true);
    let mut items = Items::default();
    items.add(&trim.out, |_| true);
    items.reached(function)
}

/// Parses `const NAME: bool = true;`, or a number.
fn constant(line: &str) -> Option<(&str, u32)> {
    let (name, rest) = line.strip_prefix("const ")?.split_once(": ")?;
    let (value, _) = rest.split_once(" = ")?.1.split_once(';')?;
    let value = match value {
        "false" => 0,
        "true" => 1,
        number => number.strip_suffix('u')?.parse().ok()?,
    };
    Some((name, value))
}

struct Trim<'t> {
    lines: Lines<'t>,
    constants: HashMap<&'t str, u32>,
    out: String,
    /// Whether the last line copied leaves its block.
    jumped: bool,
}

impl<'t> Trim<'t> {
    /// The value of a condition, if constants decide it.
    fn known(&self, line: &str) -> Option<bool> {
        let condition = line.strip_prefix("if ")?.strip_suffix(" {")?;
        let mut words = condition.split(' ');
        let value = self.constants.get(words.next()?)?;
        let Some(operator) = words.next() else {
            return Some(*value != 0);
        };
        let number = words.next()?.strip_suffix('u')?.parse().ok()?;
        match (operator, words.next()) {
            ("==", None) => Some(*value == number),
            ("!=", None) => Some(*value != number),
            ("<", None) => Some(*value < number),
            (">", None) => Some(*value > number),
            _ => None,
        }
    }

    fn copy(&mut self, line: &str, live: bool) {
        if live {
            self.out.extend([line, "\n"]);
            let text = line.trim_start();
            self.jumped = ["return", "break", "continue"].iter().any(|word| text.starts_with(word));
        }
    }

    /// Copies the rest of a block, or skips it. Returns the line that ends it.
    fn block(&mut self, mut live: bool) -> Option<&'t str> {
        while let Some(line) = self.lines.next() {
            let line = code(line);
            if line.trim_start().starts_with('}') {
                return Some(line);
            }
            if !line.is_empty() {
                live &= !self.statement(line, live);
            }
        }
        None
    }

    /// Copies a statement, or skips it. Returns whether nothing after it can run.
    fn statement(&mut self, line: &'t str, live: bool) -> bool {
        match self.known(line.trim_start()) {
            None => {
                self.copy(line, live);
                let mut end = line;
                while end.ends_with('{') {
                    end = self.block(live).unwrap_or_default();
                    self.copy(end, live);
                }
                false
            }
            Some(true) => {
                let (mut end, leaves) = self.taken(live);
                while end.ends_with('{') {
                    end = self.block(false).unwrap_or_default();
                }
                leaves
            }
            Some(false) => {
                let end = self.block(false).unwrap_or_default();
                match end.trim_start().strip_prefix("} else ") {
                    None => false,
                    Some("{") => self.taken(live).1,
                    Some(condition) => self.statement(condition, live),
                }
            }
        }
    }

    /// Copies a block that is always taken, or skips it. Returns the line that ends it, and whether
    /// nothing after it can run. Such a block needs no braces.
    fn taken(&mut self, live: bool) -> (&'t str, bool) {
        let start = self.out.len();
        self.jumped = false;
        let end = self.block(live).unwrap_or_default();
        let leaves = live && self.jumped;
        if live && !leaves {
            self.out.insert_str(start, "    {\n");
            self.copy("    }", true);
        }
        (end, leaves)
    }
}

#[cfg(test)]
mod tests;
