//! The report of a compilation, as text, as JSON and as a page: for each line its instructions, for each pass what it saved.
//!
//! `html`: the page.

mod html;

use crate::errors::placed;
use ctm_compiler::Compiled;
use ctm_compiler::explain::Pass;
use ctm_lang::asm;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A compiled shader and its source.
pub struct Explained<'a> {
    /// The source's name.
    pub name: &'a str,
    /// The source.
    pub source: &'a str,
    /// The compiled program.
    pub compiled: &'a Compiled,
}

#[derive(Serialize)]
struct Instruction<'a> {
    pc: usize,
    text: String,
    /// The line that it is shown at; 0 if it is not known.
    #[serde(skip)]
    line: usize,
    /// All lines that its operations come from.
    lines: &'a [usize],
}

impl Explained<'_> {
    fn instructions(&self) -> Vec<Instruction<'_>> {
        let image = &self.compiled.image;
        let all = image.words.iter().enumerate().map(|(pc, words)| {
            let lines = &self.compiled.explanation.lines[pc][..];
            let place = image.location(pc as u32).map(|location| location.line as usize);
            let line = place.filter(|line| lines.contains(line)).or(lines.first().copied());
            let text = asm::line(words, image.sharing);
            Instruction { pc, text, line: line.unwrap_or(0), lines }
        });
        all.collect()
    }

    /// The lines with operations or instructions: the operations as written.
    fn lines(&self, code: &[Instruction<'_>]) -> BTreeMap<usize, usize> {
        let mut lines = self.compiled.explanation.written.clone();
        for line in code.iter().flat_map(|instruction| instruction.lines) {
            lines.entry(*line).or_insert(0);
        }
        lines
    }

    fn passes(&self) -> &[Pass] {
        &self.compiled.explanation.passes
    }

    /// Operations as written.
    fn written(&self) -> usize {
        self.passes().first().map_or(0, |pass| pass.before)
    }

    /// The explanation as text.
    pub fn text(&self) -> String {
        let code = self.instructions();
        let texts: Vec<&str> = self.source.lines().collect();
        let mut text = format!(
            "{}: {} as written, {}\n\n",
            self.name.replace('\n', "\\n"),
            counted(self.written(), "operation"),
            counted(code.len(), "instruction")
        );
        if let Some(version) = &self.compiled.explanation.version {
            text.truncate(text.len() - 1);
            let _ = writeln!(text, "read as {version}\n");
        }
        let one = |text: &mut String, pc: usize, at: usize| {
            let others: Vec<String> = (code[pc].lines.iter())
                .filter(|line| **line != at)
                .map(|line| line.to_string())
                .collect();
            let also = match others.len() {
                0 => String::new(),
                1 => format!("   # also line {}", others[0]),
                _ => format!("   # also lines {}", others.join(", ")),
            };
            let _ = writeln!(text, "        {pc:>3}  {}{also}", code[pc].text);
        };
        for (line, written) in self.lines(&code) {
            let own = texts.get(line - 1).map_or("", |own| own.trim());
            let own: String = own.chars().filter(|letter| !letter.is_control()).take(80).collect();
            let count = match written {
                0 => String::new(),
                _ => format!("   # {}", counted(written, "operation")),
            };
            let _ = writeln!(text, "{line:>4}  {own}{count}");
            let mut elsewhere = Vec::new();
            let mut here = false;
            for (pc, instruction) in code.iter().enumerate() {
                if instruction.line == line {
                    one(&mut text, pc, line);
                    here = true;
                } else if instruction.lines.contains(&line) {
                    elsewhere.push(pc.to_string());
                }
            }
            if !here {
                let _ = if elsewhere.is_empty() {
                    writeln!(text, "             nothing of its own")
                } else {
                    writeln!(text, "             in {}", elsewhere.join(", "))
                };
            }
        }
        let unknown: Vec<usize> = (0..code.len()).filter(|pc| code[*pc].line == 0).collect();
        if !unknown.is_empty() {
            text += "      (no line)\n";
            for pc in unknown {
                one(&mut text, pc, 0);
            }
        }
        text += "\npass          before  after  saved\n";
        for Pass { name, about, before, after } in self.passes() {
            let saved = *before as i64 - *after as i64;
            let _ = writeln!(text, "{name:<12}  {before:>6}  {after:>5}  {saved:>5}  {about}");
        }
        text
    }

    /// The explanation as JSON: `file`, `errors` (none), `warnings` with their places, `version` of GLSL, `operations` as written, `instructions`, `passes` with `before` and `after`, `lines`
    /// with their `operations` and `instructions`, `code` with its `lines`.
    pub fn json(&self) -> Value {
        let code = self.instructions();
        let texts: Vec<&str> = self.source.lines().collect();
        let passes = self.passes().iter().map(|Pass { name, about, before, after }| {
            json!({ "name": name, "about": about, "before": before, "after": after })
        });
        let lines = self.lines(&code).into_iter().map(|(line, operations)| {
            let own = code.iter().filter(|one| one.lines.contains(&line)).map(|one| one.pc);
            json!({
                "line": line,
                "text": texts.get(line - 1).copied().unwrap_or_default(),
                "operations": operations,
                "instructions": own.collect::<Vec<_>>(),
            })
        });
        let warnings = self.compiled.notes.iter();
        let warnings = warnings.filter_map(|note| Some(placed(note.mark?, &note.text)));
        json!({
            "file": self.name,
            "errors": [],
            "warnings": warnings.collect::<Vec<_>>(),
            "version": self.compiled.explanation.version,
            "operations": self.written(),
            "instructions": code.len(),
            "passes": passes.collect::<Vec<_>>(),
            "lines": lines.collect::<Vec<_>>(),
            "code": code,
        })
    }
}

/// A number with the word for it.
fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
