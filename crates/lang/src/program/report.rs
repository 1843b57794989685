//! Messages about instructions: the statement in the source with a caret, where the source is at
//! hand, else the place.

use super::Image;
use ctm_base::text::{Mark, Severity, Snippet, SourceText, printable};
use std::fmt::Write;
use std::ops::Range;

/// The subject of a message.
#[derive(Clone, Copy, Debug)]
enum At {
    /// An instruction.
    Pc(u32),
    /// A range of the first source file.
    Mark(Mark),
}

/// A message about one or more places of a program.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    image: &'a Image,
    severity: Severity,
    message: String,
    code: Option<&'a str>,
    /// Places, and what to write beside each; the first is the place of the message.
    places: Vec<(At, String)>,
    notes: Vec<String>,
    help: Option<String>,
}

impl Image {
    /// A message about the instruction at `pc`. `label` is written beside the caret.
    pub fn report(
        &self,
        severity: Severity,
        pc: u32,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Report<'_> {
        self.report_at(severity, At::Pc(pc), message.into(), label.into())
    }

    /// A message about a range of the first source file. `label` is written beside the caret.
    pub fn report_mark(
        &self,
        severity: Severity,
        mark: Mark,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Report<'_> {
        self.report_at(severity, At::Mark(mark), message.into(), label.into())
    }

    fn report_at(&self, severity: Severity, at: At, message: String, label: String) -> Report<'_> {
        let places = vec![(at, label)];
        Report { image: self, severity, message, code: None, places, notes: Vec::new(), help: None }
    }
}

impl<'a> Report<'a> {
    /// The short name of the kind of finding.
    pub fn code(self, code: &'a str) -> Report<'a> {
        Report { code: Some(code), ..self }
    }
    /// One more instruction that the message is about, such as the origin of a value.
    pub fn also(mut self, pc: u32, label: impl Into<String>) -> Report<'a> {
        self.places.push((At::Pc(pc), label.into()));
        self
    }
    /// A sentence below the source lines. There may be several.
    pub fn note(mut self, note: impl Into<String>) -> Report<'a> {
        self.notes.push(note.into());
        self
    }
    /// A sentence at the end: how to mend it.
    pub fn help(self, help: impl Into<String>) -> Report<'a> {
        Report { help: Some(help.into()), ..self }
    }

    /// The report as lines of text, with or without terminal colours. Without the text of the source
    /// each instruction has one line with its place.
    pub fn render(&self, color: bool) -> String {
        self.snippet(color).unwrap_or_else(|| self.plain())
    }

    /// The source lines of the report with their carets and notes, without its message; `None` if
    /// the text of the source is not at hand.
    pub fn excerpt(&self, color: bool) -> Option<String> {
        Some(self.snippet(color)?.split_once('\n')?.1.to_string())
    }

    fn snippet(&self, color: bool) -> Option<String> {
        let file = match self.places.first()?.0 {
            At::Pc(pc) => self.image.location(pc)?.file,
            At::Mark(_) => self.image.source.get()?.files.first()?,
        };
        let text = file.text()?;
        let mut marks = Vec::new();
        let mut notes = Vec::new();
        for (n, (at, label)) in self.places.iter().enumerate() {
            let pc = match at {
                At::Pc(pc) => pc,
                At::Mark(mark) => {
                    marks.push((text.range(*mark)?, label.clone()));
                    continue;
                }
            };
            let here = self.image.location(*pc).filter(|place| place.file == file);
            let range = here.and_then(|place| statement(text, place.line, place.column));
            match range {
                Some(range) => {
                    let also = self.image.source.also(*pc);
                    marks.push((range, format!("{label} (pc {pc}{also})")));
                }
                // Without its place the report has no text to show.
                None if n == 0 => return None,
                None => notes.push(format!("{}: {label}", self.image.place(*pc))),
            }
        }
        notes.extend(self.notes.iter().cloned());
        let snippet = Snippet {
            severity: self.severity,
            code: self.code,
            message: &self.message,
            name: &printable(&file.path),
            source: text.shown(),
            marks,
            notes: &notes,
            help: self.help.as_deref(),
        };
        Some(snippet.render(color))
    }

    fn plain(&self) -> String {
        let code = self.code.map(|code| format!("[{code}] ")).unwrap_or_default();
        let mut text = format!("{code}{}: {}\n", self.severity.name(), self.message);
        for (at, label) in &self.places {
            let place = match at {
                At::Pc(pc) => self.image.place(*pc),
                At::Mark(mark) => format!("line {}", mark.line),
            };
            let _ = writeln!(text, "  {place}: {label}");
        }
        for (what, sentence) in self
            .notes
            .iter()
            .map(|note| ("note", note))
            .chain(self.help.iter().map(|help| ("help", help)))
        {
            let _ = writeln!(text, "  {what}: {sentence}");
        }
        text
    }
}

/// The bytes of the statement that begins at a line and column: up to its comment, or the end of the
/// line.
fn statement(text: &SourceText, line: u32, column: u32) -> Option<Range<usize>> {
    let whole = text.line(line)?;
    let (offset, _) = whole.char_indices().nth(column.checked_sub(1)? as usize)?;
    let code = &whole[offset..];
    let end = [";", "#", "//"].iter().filter_map(|comment| code.find(comment)).min();
    let code = code[..end.unwrap_or(code.len())].trim_end();
    let start = text.start(line)? + offset;
    Some(start..start + code.len().max(1))
}
