//! A message with the lines of a text that it is about, and carets below them.

use super::diagnostic::Severity;
use ariadne::{CharSet, Color, Config, IndexType, Label, Report, ReportKind, Source};
use std::ops::Range;

/// A message about places in one text.
pub struct Snippet<'a> {
    /// The severity.
    pub severity: Severity,
    /// A short name of the kind of finding.
    pub code: Option<&'a str>,
    /// The first line.
    pub message: &'a str,
    /// The name of the text.
    pub name: &'a str,
    /// The text.
    pub source: &'a Source,
    /// Ranges of bytes and what to write beside their carets. The first is the place of the message.
    pub marks: Vec<(Range<usize>, String)>,
    /// Lines after the source.
    pub notes: &'a [String],
    /// The last line.
    pub help: Option<&'a str>,
}

impl Snippet<'_> {
    /// The message, with or without terminal colours.
    pub fn render(self, color: bool) -> String {
        let config = Config::default()
            .with_color(color)
            .with_char_set(CharSet::Ascii)
            .with_index_type(IndexType::Byte);
        let colors = [Color::Red, Color::Blue];
        let place = self.marks.first().map_or(0..0, |(range, _)| range.clone());
        let kind = match self.severity {
            Severity::Error => ReportKind::Error,
            Severity::Warning => ReportKind::Warning,
            Severity::Note => ReportKind::Custom("Note", Color::Blue),
        };
        let mut report =
            Report::build(kind, (self.name, place)).with_config(config).with_message(self.message);
        for (n, (range, label)) in self.marks.into_iter().enumerate() {
            let label = Label::new((self.name, range)).with_message(label);
            report.add_label(label.with_color(colors[n.min(1)]));
        }
        if let Some(code) = self.code {
            report = report.with_code(code);
        }
        report.with_notes(self.notes);
        if let Some(help) = self.help {
            report = report.with_help(help);
        }
        let mut out = Vec::new();
        // Writing to memory cannot fail; if it did, only this text would be missing.
        let _ = report.finish().write((self.name, self.source), &mut out);
        let text = String::from_utf8_lossy(&out);
        // The library colours kinds of our own in any case.
        let text = if color { text } else { plain(&text).into() };
        // The library pads some lines on the right; remove that.
        let mut trimmed = String::with_capacity(text.len());
        for line in text.lines() {
            trimmed.push_str(line.trim_end());
            trimmed.push('\n');
        }
        trimmed
    }
}

/// A text without terminal colours.
fn plain(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| part.split_once('m').map_or(part, |(_, rest)| rest));
    std::iter::once(first).chain(rest).collect()
}

/// Replaces control characters except tabs, so that they do not reach a terminal. Byte positions
/// stay the same.
pub fn printable(text: &str) -> String {
    let shown = text.chars().flat_map(|c| {
        let is_control = c.is_control() && c != '\t';
        if is_control { std::iter::repeat_n('?', c.len_utf8()) } else { std::iter::repeat_n(c, 1) }
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn colours_are_removed() {
        assert_eq!(super::plain("\x1b[34m[code] Note:\x1b[0m text"), "[code] Note: text");
        assert_eq!(super::plain("no colours"), "no colours");
    }
}
