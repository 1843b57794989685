//! Removes the parts of a shader's text that its switches turn off. A driver would do so too, but
//! some only after inlining every function at every call.
//!
//! This relies on the format of the files in `shaders/`: a block begins at the end of a line, and
//! the line that ends it begins with its brace.

use super::items::Items;
use std::collections::HashMap;
use std::ops::Range;

/// The parts of a text that a function needs. Comments are removed, branches that the text's own
/// constants rule out, and functions that are then no longer called. Conditions are recognised in
/// the forms `NAME` and `NAME op NUMBER`.
pub fn trimmed(text: &str, function: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(line).trim_end())
        .filter(|line| !line.is_empty())
        .collect();
    let mut trim = Trim {
        constants: lines.iter().filter_map(|line| constant(line)).collect(),
        out: String::with_capacity(text.len()),
        lines,
    };
    trim.copy(0..trim.lines.len());
    let mut items = Items::default();
    items.add(&trim.out, |_| true);
    items.reached(function)
}

/// Parses `const NAME: bool = true;`, or a number.
fn constant(line: &str) -> Option<(&str, u32)> {
    let (name, rest) = line.strip_prefix("const ")?.split_once(": ")?;
    let (_, value) = rest.strip_suffix(';')?.split_once(" = ")?;
    let value = match value {
        "false" => 0,
        "true" => 1,
        number => number.strip_suffix('u')?.parse().ok()?,
    };
    Some((name, value))
}

struct Trim<'t> {
    lines: Vec<&'t str>,
    constants: HashMap<&'t str, u32>,
    out: String,
}

impl Trim<'_> {
    /// The value of a condition, if constants decide it.
    fn known(&self, condition: &str) -> Option<bool> {
        let mut words = condition.split(' ');
        let value = *self.constants.get(words.next()?)?;
        let Some(operator) = words.next() else {
            return Some(value != 0);
        };
        let number: u32 = words.next()?.strip_suffix('u')?.parse().ok()?;
        if words.next().is_some() {
            return None;
        }
        match operator {
            "==" => Some(value == number),
            "!=" => Some(value != number),
            "<" => Some(value < number),
            ">" => Some(value > number),
            _ => None,
        }
    }

    /// The line that ends the block containing line `inside`; the end of the text if there is none.
    fn end(&self, inside: usize) -> usize {
        let mut depth = 0;
        for (n, line) in self.lines.iter().enumerate().skip(inside) {
            let line = line.trim_start();
            if depth == 0 && line.starts_with('}') {
                return n;
            }
            depth += line.matches('{').count();
            depth -= line.matches('}').count().min(depth);
        }
        self.lines.len()
    }

    fn push(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// Copies lines, without the branches that are ruled out.
    fn copy(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let line = self.lines[at];
            let condition =
                line.trim_start().strip_prefix("if ").and_then(|rest| rest.strip_suffix(" {"));
            let Some(taken) = condition.and_then(|condition| self.known(condition)) else {
                self.push(line);
                at += 1;
                continue;
            };
            let mut end = self.end(at + 1);
            let mut block = taken.then_some(at + 1..end);
            // The else branches.
            while let Some(other) =
                self.lines.get(end).and_then(|l| l.trim().strip_prefix("} else"))
            {
                let next = self.end(end + 1);
                if block.is_none() {
                    match other.strip_prefix(' ') {
                        Some("{") => block = Some(end + 1..next),
                        Some(condition) => {
                            // Continue with this branch's own condition.
                            self.lines[end] = condition;
                            break;
                        }
                        None => break,
                    }
                }
                end = next;
            }
            at = match block {
                Some(block) => self.block(block, end),
                None if self.lines[end].starts_with("if ") => end,
                None => end + 1,
            };
        }
    }

    /// Copies a block that is always taken and ends before `end`. Returns the line to continue at.
    fn block(&mut self, block: Range<usize>, end: usize) -> usize {
        let last = self.lines[block.clone()].last().map_or("", |l| l.trim());
        if ["return", "break", "continue"].iter().any(|word| last.starts_with(word)) {
            // Nothing can run after it.
            self.copy(block);
            return self.end(end + 1);
        }
        self.push("    {");
        self.copy(block);
        self.push("    }");
        end + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(lines: &str) -> String {
        let lines = lines.replace('\n', "\n    ");
        let text = format!(
            "const ON: bool = true;\nconst OFF: bool = false; // no\nconst TWO: u32 = 2u;\n\
             fn f() {{\n    {lines}\n}}\n"
        );
        let trimmed = trimmed(&text, "f");
        let start = trimmed.find("fn f() {").expect("it is there") + 8;
        trimmed[start..].split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn branches_that_are_decided_go() {
        assert_eq!(body("if OFF {\na();\n}\nb();"), "b(); }");
        assert_eq!(body("if ON {\na();\n}\nb();"), "{ a(); } b(); }");
        assert_eq!(body("if OFF {\na();\n} else {\nb();\n}"), "{ b(); } }");
        assert_eq!(body("if ON {\na();\n} else {\nb();\n}\nc();"), "{ a(); } c(); }");
        assert_eq!(
            body("if OFF {\na();\n} else if x {\nb();\n} else {\nc();\n}\nd();"),
            "if x { b(); } else { c(); } d(); }"
        );
        assert_eq!(
            body("if ON {\na();\n} else if x {\nb();\n} else {\nc();\n}\nd();"),
            "{ a(); } d(); }"
        );
        assert_eq!(
            body("if OFF {\na();\n} else if TWO > 2u {\nb();\n} else {\nc();\n}"),
            "{ c(); } }"
        );
        // Nested branches, too.
        assert_eq!(
            body("if x {\nif OFF {\na();\n}\nif ON {\nif OFF {\nb();\n}\nc();\n}\n}"),
            "if x { { c(); } } }"
        );
        assert_eq!(
            body("for (;;) {\nif OFF {\nfor (;;) {\na();\n}\n}\nb();\n}"),
            "for (;;) { b(); } }"
        );
    }

    #[test]
    fn what_is_not_understood_stays() {
        for text in [
            "if x { a(); }",
            "if (TWO == 2u) || x { a(); }",
            "if TWO == x { a(); }",
            "if TWO >= 2u { a(); }",
            "if ON & x { a(); }",
        ] {
            let lines = text.replace("{ ", "{\n").replace("; }", ";\n}");
            assert_eq!(body(&lines), format!("{text} }}"));
        }
    }

    /// Nothing may remain after a return.
    #[test]
    fn nothing_gets_past_a_return() {
        assert_eq!(body("if TWO == 2u {\nreturn 1;\n}\na();\nreturn 2;"), "return 1; }");
        assert_eq!(body("if TWO != 2u {\nreturn 1;\n}\nreturn 2;"), "return 2; }");
        assert_eq!(
            body("loop {\nif ON {\na();\nbreak;\n}\nif x {\nb();\n}\nc();\n}\nd();"),
            "loop { a(); break; } d(); }"
        );
    }

    #[test]
    fn what_is_called_no_more_goes() {
        let text = "const ON: bool = false;\nstruct S {\n    a: u32,\n}\nvar<private> s: S;\n\
                    fn used() {\n}\nfn unused() {\n    s.a = 1;\n}\n\
                    @compute @workgroup_size(64)\nfn main() {\n    if ON {\n        unused();\n    \
                    }\n    used();\n}\n";
        assert_eq!(
            trimmed(text, "main"),
            "fn used() {\n}\n\n@compute @workgroup_size(64)\nfn main() {\n    used();\n}\n"
        );
    }
}
