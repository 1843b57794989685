//! Errors and warnings about a text, displayed as the source line with a caret.

use super::snippet::{Snippet, printable};
use crate::named;
use ariadne::Source;

named! {
    /// The severities of findings.
    Severity {
        Error "error": "The result is wrong, or there is none.";
        Warning "warning": "The result may be wrong.";
        Note "note": "Worth knowing.";
    }
}

/// A range of bytes of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// From `start` up to `end`.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }
    /// From the start of one span to the end of another.
    pub fn to(self, end: Span) -> Span {
        Span::new(self.start, end.end.max(self.start))
    }
    /// The range in lines and columns. A range of several lines ends with its first.
    pub fn mark(self, source: &str) -> Mark {
        let before = source.get(..self.start).unwrap_or(source);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let marked = source.get(self.start..self.end).and_then(|text| text.lines().next());
        let column = before[line_start..].chars().count() as u32 + 1;
        let width = marked.map_or(1, |text| text.chars().count().max(1)) as u32;
        let line = before.matches('\n').count() as u32 + 1;
        Mark { line, column, end: column + width }
    }
    /// An error at this place.
    pub fn error(self, message: impl Into<String>) -> Diagnostic {
        let severity = Severity::Error;
        Diagnostic { span: self, severity, message: message.into(), label: None, help: None }
    }
}

/// A range of characters in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mark {
    /// Line, from 1.
    pub line: u32,
    /// Column of the first character, from 1.
    pub column: u32,
    /// Column after the last character; at least one character is marked.
    pub end: u32,
}

/// The result of a part of a reader.
pub type Parsed<T> = Result<T, Diagnostic>;

/// An error or a warning before its line number is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The place.
    pub span: Span,
    /// The severity.
    pub severity: Severity,
    /// The error in words.
    pub message: String,
    /// The text below the caret.
    pub label: Option<String>,
    /// A way to fix the error, if known.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A short text beside the caret.
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = Some(label.into());
        self
    }
    /// A sentence below the source line: how to fix the error.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}

/// One error or warning about a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// The severity.
    pub severity: Severity,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The error in words.
    pub message: String,
    /// A way to fix the error, if known.
    pub help: Option<String>,
    /// A short text beside the caret.
    pub label: Option<String>,
    /// The source line; very long lines are cut.
    text: String,
    /// The range of the caret, in bytes of `text`.
    mark: (usize, usize),
}

/// Largest source, in bytes.
pub const MAX_SOURCE: usize = 1 << 20;

/// Maximum length of the part of a source line in an error, in bytes.
const SHOWN: usize = 240;

/// The errors of a text and the warnings beside them, in the order of its lines. Only the first error or
/// warning of each line is kept, and at most [`TextErrors::LIMIT`] of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextErrors {
    name: String,
    errors: Vec<TextError>,
    warnings: Vec<TextError>,
}

impl TextErrors {
    /// Maximum number of reported errors; later ones are rarely useful.
    pub const LIMIT: usize = 20;
    /// Maximum number of errors in the text of an error value.
    const SHORT: usize = 10;

    /// Reads a source of at most [`MAX_SOURCE`] bytes. `name` is its name in error messages.
    pub fn of<T>(
        source: &str,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, Vec<Diagnostic>>,
    ) -> Result<T, TextErrors> {
        let size = source.len();
        let result =
            match size {
                0..=MAX_SOURCE => read(source),
                _ => Err(vec![Span::default().error(format!(
                    "the source has {size} bytes; at most {MAX_SOURCE} are possible"
                ))]),
            };
        result.map_err(|errors| TextErrors::new(source, name, errors))
    }

    fn new(source: &str, name: &str, found: Vec<Diagnostic>) -> TextErrors {
        let is_error = |found: &Diagnostic| found.severity == Severity::Error;
        let (errors, warnings): (Vec<_>, Vec<_>) = found.into_iter().partition(is_error);
        let (errors, mut warnings) = (placed(source, errors), placed(source, warnings));
        // A warning of a line with an error is mostly a consequence of the error.
        warnings.retain(|warning| errors.iter().all(|error| error.line != warning.line));
        TextErrors { name: printable(name), errors, warnings }
    }

    /// The name of the source.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The errors.
    pub fn errors(&self) -> &[TextError] {
        &self.errors
    }

    /// The warnings of lines without an error.
    pub fn warnings(&self) -> &[TextError] {
        &self.warnings
    }

    /// The errors and warnings, in the order of their lines.
    pub fn all(&self) -> impl Iterator<Item = &TextError> {
        let mut all: Vec<&TextError> = self.errors.iter().chain(&self.warnings).collect();
        all.sort_by_key(|one| one.line);
        all.into_iter()
    }

    /// All errors and warnings with their source lines and carets, with or without terminal colours.
    pub fn render(&self, color: bool) -> String {
        self.all().map(|error| error.render(&self.name, color)).collect()
    }
}

/// The first diagnostic of each line, in order, at most [`TextErrors::LIMIT`].
fn placed(source: &str, mut found: Vec<Diagnostic>) -> Vec<TextError> {
    found.sort_by_key(|diagnostic| diagnostic.span.start);
    let mut errors: Vec<TextError> = Vec::new();
    // Both loops only move forward: linear in the source for any number of errors.
    let (mut line, mut line_start, mut position) = (1, 0, 0);
    for diagnostic in found {
        if errors.len() == TextErrors::LIMIT {
            break;
        }
        let start = diagnostic.span.start.min(source.len());
        for (at, _) in source[position..start].match_indices('\n') {
            line += 1;
            line_start = position + at + 1;
        }
        position = start;
        // One error per line: further errors are mostly consequences of the first.
        if errors.last().is_some_and(|error| error.line == line) {
            continue;
        }
        let rest = &source[line_start..];
        let whole = rest.find('\n').map_or(rest, |end| &rest[..end]);
        let whole = whole.trim_end_matches('\r');
        errors.push(TextError::new(diagnostic, line, line_start, whole));
    }
    errors
}

impl TextError {
    fn new(diagnostic: Diagnostic, line: usize, line_start: usize, whole: &str) -> TextError {
        let offset = (diagnostic.span.start - line_start).min(whole.len());
        let end = (diagnostic.span.end.saturating_sub(line_start)).clamp(offset, whole.len());
        let column = whole[..offset].chars().count() + 1;
        let boundary = |mut at: usize| {
            while !whole.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        // Cut a long line at its end if possible, so that columns in the display stay correct.
        let shown_end = boundary(whole.len().min(SHOWN.max(offset + 20)));
        let shown_start =
            if shown_end > 2 * SHOWN { boundary(offset.saturating_sub(SHOWN)) } else { 0 };
        TextError {
            severity: diagnostic.severity,
            line,
            column,
            message: diagnostic.message,
            help: diagnostic.help,
            label: diagnostic.label,
            text: printable(&whole[shown_start..shown_end]),
            mark: (offset - shown_start, boundary(end).min(shown_end) - shown_start),
        }
    }

    /// Characters that the caret marks, at least 1.
    pub fn width(&self) -> usize {
        let (start, end) = self.mark;
        self.text.get(start..end).map_or(1, |marked| marked.chars().count().max(1))
    }

    /// The text that the caret marks.
    pub fn mark(&self) -> Mark {
        let (line, column) = (self.line as u32, self.column as u32);
        Mark { line, column, end: column + self.width() as u32 }
    }

    fn render(&self, name: &str, color: bool) -> String {
        let (start, end) = self.mark;
        // At the end of a line, the caret is in the column after it.
        let end = end.max(start + 1);
        // Empty lines before the text give it its line number.
        let before = self.line - 1;
        let source = Source::from(format!("{}{} ", "\n".repeat(before), self.text));
        let snippet = Snippet {
            severity: self.severity,
            code: None,
            message: &self.message,
            name,
            source: &source,
            marks: vec![(
                before + start..before + end,
                self.label.as_deref().unwrap_or("here").to_string(),
            )],
            notes: &[],
            help: self.help.as_deref(),
        };
        snippet.render(color)
    }
}

/// The first errors with their source lines, the warnings among them, and the number of further errors: the file may
/// be of another kind. [`TextErrors::render`] displays all errors.
impl std::fmt::Display for TextErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let end = self.errors.get(Self::SHORT).map_or(usize::MAX, |error| error.line);
        let shown = self.all().take_while(|one| one.line < end);
        let shown: String = shown.map(|one| one.render(&self.name, false)).collect();
        f.write_str(shown.trim_end())?;
        let least = if self.errors.len() == Self::LIMIT { "at least " } else { "" };
        match self.errors.len().saturating_sub(Self::SHORT) {
            0 => Ok(()),
            1 => f.write_str("\nand 1 more error"),
            n => write!(f, "\nand {least}{n} more errors"),
        }
    }
}

impl std::error::Error for TextErrors {}

#[cfg(test)]
mod tests {
    use super::{Mark, Span, TextErrors};

    #[test]
    fn a_caret_is_as_wide_as_its_characters_and_ends_with_the_line() {
        let width = |start, end| {
            let error = vec![Span::new(start, end).error("wrong")];
            let errors = TextErrors::of("a\u{e9}\u{1f600}b\nc", "text", |_| Err::<(), _>(error));
            errors.expect_err("an error").errors()[0].width()
        };
        assert_eq!([width(0, 1), width(1, 7), width(1, 8), width(3, 3)], [1, 2, 3, 1]);
        assert_eq!([width(1, 10), width(8, 10)], [3, 1]);
    }

    #[test]
    fn a_mark_counts_characters_and_ends_with_the_line() {
        let text = "a\n\u{e9}\u{1f600}b\nc";
        let mark = |start, end| {
            let Mark { line, column, end } = Span::new(start, end).mark(text);
            (line, column, end)
        };
        assert_eq!(mark(0, 1), (1, 1, 2));
        assert_eq!(mark(4, 9), (2, 2, 4));
        assert_eq!(mark(8, 11), (2, 3, 4));
        assert_eq!(mark(11, 11), (3, 2, 3));
        assert_eq!(mark(99, 100), (3, 2, 3));
    }
}
