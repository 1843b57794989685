//! The TOML tree with the location of every value, so that each error can name its line and key.

use super::Place;
use super::error::{JobError, Problem};
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// The text of a job file.
pub struct Source<'a> {
    /// The file's name, for errors.
    file: &'a Path,
    /// The whole text.
    text: &'a str,
    /// The line, counted from 1, in which each block of [`BLOCK`] bytes begins.
    lines: Vec<u32>,
}

/// The newlines of at most this many bytes are recounted for each line number. A small block makes
/// that cheap; a large one keeps `lines` short.
const BLOCK: usize = 1024;

/// The longest key that a syntax error repeats, in bytes.
const LONGEST_KEY: usize = 200;

/// The most characters of a value that an error repeats.
const LONGEST_VALUE: usize = 100;

fn newlines(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|&&b| b == b'\n').count() as u32
}

impl<'a> Source<'a> {
    /// Takes a text, and its file's name for errors.
    pub fn new(file: &'a Path, text: &'a str) -> Source<'a> {
        let mut lines = vec![1];
        for block in text.as_bytes().chunks(BLOCK) {
            lines.push(lines[lines.len() - 1] + newlines(block));
        }
        Source { file, text, lines }
    }
    /// The line that contains a byte, counted from 1.
    pub fn line(&self, at: usize) -> u32 {
        let at = at.min(self.text.len());
        let block = at / BLOCK;
        self.lines[block] + newlines(&self.text.as_bytes()[block * BLOCK..at])
    }
    /// The offset of a line whose key has more parts than the TOML parser accepts. For such a key
    /// the parser gives no location.
    fn deepest(&self) -> usize {
        let mut at = 0;
        for line in self.text.split_inclusive('\n') {
            let (_, errors) = DeTable::parse_recoverable(line);
            if errors.iter().any(|error| error.span().is_none()) {
                return at;
            }
            at += line.len();
        }
        0
    }
    /// Converts an error of the TOML parser. The parser knows no keys, so the text before "=" in
    /// the line is taken as the key.
    pub fn syntax(&self, error: &toml::de::Error) -> JobError {
        let (at, message) = match error.span() {
            Some(span) => (span.start, error.message()),
            None => (self.deepest(), "a key has more than 80 parts"),
        };
        let start = self.text.get(..at).and_then(|t| t.rfind('\n'));
        let line = self.text.get(start.map_or(0, |n| n + 1)..);
        let line = line.and_then(|l| l.lines().next()).unwrap_or_default();
        let key = line.split_once('=').map_or("", |(key, _)| key.trim());
        let plain = |c: char| c.is_alphanumeric() || "_-.\"".contains(c);
        let key = if key.len() <= LONGEST_KEY && key.chars().all(plain) { key } else { "" };
        self.error(at, key, Problem::Syntax(message.to_string()))
    }
    /// An error at a byte offset.
    pub fn error(&self, at: usize, key: &str, problem: Problem) -> JobError {
        JobError {
            file: self.file.to_path_buf(),
            line: Some(self.line(at)),
            key: key.to_string(),
            problem: Box::new(problem),
        }
    }
}

/// A value with its key and location.
#[derive(Clone)]
pub struct Node<'a> {
    source: &'a Source<'a>,
    key: String,
    span: Range<usize>,
    value: &'a DeValue<'a>,
}

/// The type of a value, for messages.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

impl<'a> Node<'a> {
    /// An error about this value.
    pub fn error(&self, problem: Problem) -> JobError {
        self.source.error(self.span.start, &self.key, problem)
    }
    /// The line that it is in.
    pub fn line(&self) -> u32 {
        self.source.line(self.span.start)
    }
    /// The full key.
    pub fn key(&self) -> &str {
        &self.key
    }
    fn wrong(&self, needed: &'static str) -> JobError {
        self.error(Problem::Type { found: kind(self.value), needed })
    }
    /// A string.
    pub fn string(&self) -> Result<&'a str, JobError> {
        self.value.as_str().ok_or_else(|| self.wrong("a string"))
    }
    /// A boolean.
    pub fn boolean(&self) -> Result<bool, JobError> {
        self.value.as_bool().ok_or_else(|| self.wrong("a boolean"))
    }
    /// An integer from `min` to `max`.
    pub fn integer(&self, min: i64, max: i64) -> Result<i64, JobError> {
        let DeValue::Integer(integer) = self.value else {
            return Err(self.wrong("an integer"));
        };
        i64::from_str_radix(integer.as_str(), integer.radix())
            .ok()
            .filter(|n| (min..=max).contains(n))
            .ok_or_else(|| self.error(Problem::Range { value: self.written(), min, max }))
    }
    /// An integer from `min` to `max`, both within 32 bits.
    pub fn unsigned(&self, min: u32, max: u32) -> Result<u32, JobError> {
        // The range was checked in 64 bits.
        Ok(self.integer(min.into(), max.into())? as u32)
    }
    /// A number; integers too.
    pub fn number(&self) -> Result<f64, JobError> {
        match self.value {
            DeValue::Float(float) => float.as_str().parse().map_err(|_| self.wrong("a number")),
            DeValue::Integer(_) => Ok(self.integer(i64::MIN, i64::MAX)? as f64),
            _ => Err(self.wrong("a number")),
        }
    }
    /// The bits of a binary32: either a number, rounded once to nearest even, or a string with the
    /// bits: "0x" and up to eight hexadecimal digits.
    pub fn float_bits(&self) -> Result<u32, JobError> {
        let needed = "a number or a bit pattern such as \"0x7fc00001\"";
        let number = |needed| self.error(Problem::Number { value: self.written(), needed });
        match self.value {
            DeValue::Integer(_) => Ok((self.integer(i64::MIN, i64::MAX)? as f32).to_bits()),
            DeValue::Float(float) => {
                let text = float.as_str();
                let value: f32 = text.parse().map_err(|_| self.wrong(needed))?;
                if value.is_infinite() && !text.contains("inf") {
                    return Err(number("in the range of binary32"));
                }
                Ok(value.to_bits())
            }
            DeValue::String(text) => text
                .strip_prefix("0x")
                .filter(|digits| {
                    (1..=8).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit())
                })
                .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                .ok_or_else(|| number("a bit pattern: \"0x\" and one to eight hexadecimal digits")),
            _ => Err(self.wrong(needed)),
        }
    }
    /// The value as written in the file: its first line, cut if it is long.
    pub fn written(&self) -> String {
        let text = self.source.text.get(self.span.clone());
        let line = text.and_then(|text| text.lines().next());
        let line = line.unwrap_or_default();
        match line.char_indices().nth(LONGEST_VALUE) {
            Some((end, _)) => format!("{}...", &line[..end]),
            None => line.to_string(),
        }
    }
    /// The elements of an array.
    pub fn array(&self) -> Result<Vec<Node<'a>>, JobError> {
        let DeValue::Array(array) = self.value else {
            return Err(self.wrong("an array"));
        };
        Ok(array
            .iter()
            .enumerate()
            .map(|(n, value)| Node {
                source: self.source,
                key: format!("{}[{n}]", self.key),
                span: value.span(),
                value: value.get_ref(),
            })
            .collect())
    }
    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        self.value.is_array()
    }
    /// A table with arbitrary keys.
    pub fn any_table(&self) -> Result<Table<'a>, JobError> {
        let DeValue::Table(table) = self.value else {
            return Err(self.wrong("a table"));
        };
        Ok(Table { source: self.source, key: self.key.clone(), at: self.span.start, table })
    }
    /// A table with no keys other than these.
    pub fn table(&self, allowed: &[&'static str]) -> Result<Table<'a>, JobError> {
        let table = self.any_table()?;
        table.check(allowed)?;
        Ok(table)
    }
    /// A word from a list of names.
    pub fn choice<T: Copy>(&self, all: &[(&'static str, T)]) -> Result<T, JobError> {
        let found = self.string()?;
        all.iter().find(|(name, _)| *name == found).map(|&(_, value)| value).ok_or_else(|| {
            self.error(Problem::Choice {
                found: found.to_string(),
                allowed: all.iter().map(|&(name, _)| name).collect(),
            })
        })
    }
}

/// A table with its key and location.
#[derive(Clone)]
pub struct Table<'a> {
    source: &'a Source<'a>,
    key: String,
    at: usize,
    table: &'a DeTable<'a>,
}

impl<'a> Table<'a> {
    /// The top-level table of a file.
    pub fn root(source: &'a Source<'a>, table: &'a DeTable<'a>) -> Table<'a> {
        Table { source, key: String::new(), at: 0, table }
    }
    /// Refuses keys that are not in the list.
    pub fn check(&self, allowed: &[&'static str]) -> Result<(), JobError> {
        for (key, _) in self.in_order() {
            if !allowed.contains(&key.get_ref().as_ref()) {
                return Err(self.source.error(
                    key.span().start,
                    &self.path(key.get_ref()),
                    Problem::UnknownKey { allowed: allowed.to_vec() },
                ));
            }
        }
        Ok(())
    }
    /// The entries in the order of the file.
    fn in_order(&self) -> Vec<(&'a Spanned<DeString<'a>>, &'a Spanned<DeValue<'a>>)> {
        let mut entries: Vec<_> = self.table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        entries
    }
    fn path(&self, key: &str) -> String {
        if self.key.is_empty() { key.to_string() } else { format!("{}.{key}", self.key) }
    }
    /// An error about the table itself, or about a missing key.
    pub fn error(&self, key: &str, problem: Problem) -> JobError {
        let key = if key.is_empty() { self.key.clone() } else { self.path(key) };
        self.source.error(self.at, &key, problem)
    }
    /// The line of its header.
    pub fn line(&self) -> u32 {
        self.source.line(self.at)
    }
    /// The value of a key, if present.
    pub fn get(&self, key: &str) -> Option<Node<'a>> {
        let (name, value) = self.table.iter().find(|(k, _)| k.get_ref() == key)?;
        Some(self.node(name, value))
    }
    /// The value of an entry.
    fn node(&self, name: &Spanned<DeString<'_>>, value: &'a Spanned<DeValue<'a>>) -> Node<'a> {
        // A table's span is its header. A dotted table has none; then the key's span is used.
        let span = if value.span().is_empty() { name.span() } else { value.span() };
        Node { source: self.source, key: self.path(name.get_ref()), span, value: value.get_ref() }
    }
    /// Its location, with the lines of its keys.
    pub fn place(&self) -> Place {
        let lines = self.table.iter().map(|(name, value)| {
            let line = self.node(name, value).line();
            (name.get_ref().to_string(), line)
        });
        Place { line: self.line(), key: self.key.clone(), keys: lines.collect() }
    }
    /// An error about a key's value, or about the table if the key is missing.
    pub fn error_at(&self, key: &str, problem: Problem) -> JobError {
        match self.get(key) {
            Some(node) => node.error(problem),
            None => self.error(key, problem),
        }
    }
    /// The value of a required key.
    pub fn need(&self, key: &str) -> Result<Node<'a>, JobError> {
        self.get(key).ok_or_else(|| self.error(key, Problem::Missing { context: "" }))
    }
    /// The elements of an array of tables; none if the key is missing.
    pub fn list(&self, key: &str) -> Result<Vec<Node<'a>>, JobError> {
        self.get(key).map_or(Ok(Vec::new()), |node| node.array())
    }
    /// The entries of a table whose keys are numbers from 0 to `max`, in the order of the file.
    pub fn numbered(&self, max: u32) -> Result<Vec<(u32, Node<'a>)>, JobError> {
        let mut entries = Vec::new();
        for (key, value) in self.in_order() {
            let name: &str = key.get_ref();
            // A number has only one spelling, so no two keys mean the same.
            let plain = name == "0" || !name.starts_with(['0', '+']);
            let number = name.parse().ok().filter(|n| plain && *n <= max);
            let number = number.ok_or_else(|| {
                self.source.error(
                    key.span().start,
                    &self.path(name),
                    Problem::Other(format!("\"{name}\" is not a number from 0 to {max}")),
                )
            })?;
            entries.push((number, self.node(key, value)));
        }
        Ok(entries)
    }
}
