//! A text whose lines are found once, for messages about many places in it.

use super::diagnostic::Mark;
use super::snippet::printable;
use ariadne::Source;
use std::ops::Range;
use std::sync::OnceLock;

/// A text and where its lines begin.
#[derive(Debug)]
pub struct SourceText {
    text: String,
    /// The byte at which each line begins.
    starts: Vec<usize>,
    /// The text as messages show it. Bytes are where they are in `text`.
    shown: OnceLock<Source>,
}

impl From<String> for SourceText {
    fn from(text: String) -> SourceText {
        let newlines = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(newlines).collect();
        SourceText { text, starts, shown: OnceLock::new() }
    }
}

impl SourceText {
    /// The whole text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// A line, from 1, without its end.
    pub fn line(&self, line: u32) -> Option<&str> {
        self.text.get(self.start(line)?..)?.lines().next()
    }

    /// The byte at which a line begins, from 1.
    pub fn start(&self, line: u32) -> Option<usize> {
        self.starts.get(line.checked_sub(1)? as usize).copied()
    }

    /// The line of a byte, from 1, and the byte at which it begins.
    pub fn line_of(&self, byte: usize) -> (u32, usize) {
        let line = self.starts.partition_point(|&start| start <= byte);
        (line as u32, self.starts[line - 1])
    }

    /// The bytes of a range of characters; `None` if its line is not in the text.
    pub fn range(&self, mark: Mark) -> Option<Range<usize>> {
        let (line, start) = (self.line(mark.line)?, self.start(mark.line)?);
        let byte = |column: u32| {
            let before = line.chars().take(column.saturating_sub(1) as usize);
            start + before.map(char::len_utf8).sum::<usize>()
        };
        Some(byte(mark.column)..byte(mark.end).max(byte(mark.column) + 1))
    }

    /// The text without control characters but for the ends of lines.
    pub fn shown(&self) -> &Source {
        self.shown.get_or_init(|| {
            let lines = self.text.split_inclusive('\n').map(|line| {
                let end = if line.ends_with("\r\n") { 2 } else { line.ends_with('\n').into() };
                let (line, end) = line.split_at(line.len() - end);
                printable(line) + end
            });
            Source::from(lines.collect::<String>())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_str() {
        for text in ["", "a", "a\n", "\n", "a\r\nb\n\nc", "ä\u{7}\nb\n"] {
            let source = SourceText::from(text.to_string());
            let lines: Vec<&str> = (1..).map_while(|line| source.line(line)).collect();
            assert_eq!(lines, text.lines().collect::<Vec<_>>(), "{text:?}");
            assert_eq!(source.line(0), None);
        }
    }

    #[test]
    fn what_is_shown_has_the_same_lines_and_bytes() {
        let source = SourceText::from("a\r\n\u{7}b\tc\nd".to_string());
        assert_eq!(source.shown().text(), "a\r\n?b\tc\nd");
        assert_eq!(source.shown().lines().len(), 3);
        assert_eq!([0, 2, 3, 8].map(|byte| source.line_of(byte)), [(1, 0), (1, 0), (2, 3), (3, 8)]);
    }
}
