//! The TOML tree with the location of every value, so that each error can name its line and key.

use super::FileLocation;
use super::error::{JobError, Problem};
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// An entry of a table.
type Entry<'a> = (&'a Spanned<DeString<'a>>, &'a Spanned<DeValue<'a>>);

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
const BLOCK: usize = 64;

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
        self.error(at, key, message)
    }
    /// An error at a byte offset.
    pub fn error(&self, at: usize, key: &str, problem: impl Into<Problem>) -> JobError {
        JobError::new(self.file, Some(self.line(at)), key, problem)
    }
}

/// The way to a value from the top of the file: becomes a text only for errors and locations.
#[derive(Clone, Default)]
struct Way<'a>(Option<Rc<(Way<'a>, Step<'a>)>>);

/// A step of a way.
enum Step<'a> {
    Key(&'a str),
    Element(usize),
}

impl<'a> Way<'a> {
    fn to(&self, step: Step<'a>) -> Way<'a> {
        Way(Some(Rc::new((self.clone(), step))))
    }
}

impl fmt::Display for Way<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_deref() {
            None => Ok(()),
            Some((Way(None), Step::Key(key))) => f.write_str(key),
            Some((way, Step::Key(key))) => write!(f, "{way}.{key}"),
            Some((way, Step::Element(n))) => write!(f, "{way}[{n}]"),
        }
    }
}

/// A value with its key and location.
#[derive(Clone)]
pub struct Node<'a> {
    source: &'a Source<'a>,
    way: Way<'a>,
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
    /// The top-level table of a file.
    pub fn root(source: &'a Source<'a>, table: &'a DeValue<'a>) -> Node<'a> {
        Node { source, way: Way::default(), span: 0..0, value: table }
    }
    /// An error about this value.
    pub fn error(&self, problem: impl Into<Problem>) -> JobError {
        self.source.error(self.span.start, &self.way.to_string(), problem)
    }
    /// An error about the value of a key, or about the table if the key is missing.
    pub fn error_at(&self, key: &str, problem: impl Into<Problem>) -> JobError {
        match self.get(key) {
            Some(node) => node.error(problem),
            None => {
                let path = self.way.to(Step::Key(key)).to_string();
                self.source.error(self.span.start, &path, problem)
            }
        }
    }
    /// An error about this value: it is not `needed`.
    pub fn is_not(&self, needed: &str) -> JobError {
        self.error(format!("{} is not {needed}", self.written()))
    }
    /// An error about this value: another key excludes it.
    pub fn conflict(&self, other: &str) -> JobError {
        self.error(format!("it cannot stand together with {other}"))
    }
    /// An error about a key that is missing; `context` are the circumstances, from the leading blank
    /// on.
    pub fn missing(&self, key: &str, context: &str) -> JobError {
        self.error_at(key, format!("missing; it is required{context}"))
    }
    /// An error about this list: `found` values are too few or too many.
    pub fn wrong_count(&self, found: usize, needed: &str) -> JobError {
        let s = if found == 1 { "" } else { "s" };
        self.error(format!("found {found} value{s}, needed {needed}"))
    }
    /// The line that it is in; for a table, that of its header.
    pub fn line(&self) -> u32 {
        self.source.line(self.span.start)
    }
    /// Its location, with the lines of those of its keys that later errors can be about.
    pub fn location(&self, keys: &[&'static str]) -> FileLocation {
        let keys = keys.iter().filter_map(|&key| Some((key, self.get(key)?.line()))).collect();
        FileLocation { line: self.line(), key: self.way.to_string(), keys }
    }
    /// The value, if it is of the needed type.
    fn typed<T>(&self, value: Option<T>, needed: &'static str) -> Result<T, JobError> {
        value.ok_or_else(|| self.error(format!("found {}, needed {needed}", kind(self.value))))
    }
    /// A string.
    pub fn string(&self) -> Result<&'a str, JobError> {
        self.typed(self.value.as_str(), "a string")
    }
    /// A boolean.
    pub fn boolean(&self) -> Result<bool, JobError> {
        self.typed(self.value.as_bool(), "a boolean")
    }
    /// An integer from `min` to `max`.
    pub fn integer(&self, min: i64, max: i64) -> Result<i64, JobError> {
        let integer = self.typed(self.value.as_integer(), "an integer")?;
        i64::from_str_radix(integer.as_str(), integer.radix())
            .ok()
            .filter(|n| (min..=max).contains(n))
            .ok_or_else(|| {
                let value = self.written();
                self.error(format!("{value} is out of range: {min} to {max} are allowed"))
            })
    }
    /// An integer from `min` to `max`, both within 32 bits.
    pub fn unsigned(&self, min: u32, max: u32) -> Result<u32, JobError> {
        // The range was checked in 64 bits.
        Ok(self.integer(min.into(), max.into())? as u32)
    }
    /// A number; integers too.
    pub fn number(&self) -> Result<f64, JobError> {
        match self.value {
            DeValue::Integer(_) => Ok(self.integer(i64::MIN, i64::MAX)? as f64),
            _ => {
                self.typed(self.value.as_float().and_then(|f| f.as_str().parse().ok()), "a number")
            }
        }
    }
    /// The bits of a binary32: either a number, rounded once to nearest even, or a string with the
    /// bits: "0x" and up to eight hexadecimal digits.
    pub fn float_bits(&self) -> Result<u32, JobError> {
        match self.value {
            DeValue::Integer(_) => Ok((self.integer(i64::MIN, i64::MAX)? as f32).to_bits()),
            DeValue::String(text) => text
                .strip_prefix("0x")
                .filter(|digits| {
                    (1..=8).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit())
                })
                .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                .ok_or_else(|| {
                    self.is_not("a bit pattern: \"0x\" and one to eight hexadecimal digits")
                }),
            _ => {
                let text = self.value.as_float().map_or("", |float| float.as_str());
                let needed = "a number or a bit pattern such as \"0x7fc00001\"";
                let value: f32 = self.typed(text.parse().ok(), needed)?;
                if value.is_infinite() && !text.contains("inf") {
                    return Err(self.is_not("in the range of binary32"));
                }
                Ok(value.to_bits())
            }
        }
    }
    /// A number, or an array of at least one and at most `most`; `what` describes them.
    pub fn numbers(&self, most: usize, what: &str) -> Result<Vec<Node<'a>>, JobError> {
        if !self.is_array() {
            return Ok(vec![self.clone()]);
        }
        let values = self.array()?;
        match values.len() {
            n if (1..=most).contains(&n) => Ok(values),
            n => Err(self.wrong_count(n, &format!("1 to {most}: {what}"))),
        }
    }
    /// The [`Node::float_bits`] of up to four channels; the others are 0.
    pub fn channels(&self) -> Result<[u32; 4], JobError> {
        let mut bits = [0; 4];
        for (bits, value) in bits.iter_mut().zip(self.numbers(4, "r, g, b, a")?) {
            *bits = value.float_bits()?;
        }
        Ok(bits)
    }
    /// The value as written in the file: its first line, cut if it is long.
    pub fn written(&self) -> String {
        let text = self.source.text.get(self.span.clone());
        let line = text.and_then(|text| text.lines().next()).unwrap_or_default();
        match line.char_indices().nth(LONGEST_VALUE) {
            Some((end, _)) => format!("{}...", &line[..end]),
            None => line.to_string(),
        }
    }
    /// The element of a list with a name.
    pub fn choice<T: Copy>(&self, all: &[T], name: fn(T) -> &'static str) -> Result<T, JobError> {
        let found = self.string()?;
        all.iter().copied().find(|&one| name(one) == found).ok_or_else(|| {
            let allowed: Vec<_> = all.iter().map(|&one| name(one)).collect();
            self.error(format!("\"{found}\" is unknown; needed {}", allowed.join(", ")))
        })
    }
    /// The elements of an array.
    pub fn array(&self) -> Result<Vec<Node<'a>>, JobError> {
        let array = self.typed(self.value.as_array(), "an array")?;
        Ok(array
            .iter()
            .enumerate()
            .map(|(n, value)| Node {
                source: self.source,
                way: self.way.to(Step::Element(n)),
                span: value.span(),
                value: value.get_ref(),
            })
            .collect())
    }
    /// The elements of an array of a known length; `what` describes them.
    pub fn exactly<const N: usize>(&self, what: &str) -> Result<[Node<'a>; N], JobError> {
        self.array()?
            .try_into()
            .map_err(|values: Vec<_>| self.wrong_count(values.len(), &format!("{N}: {what}")))
    }
    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        self.value.is_array()
    }
    /// The same value, if it is a table with no keys other than these, which blanks separate.
    pub fn table(self, allowed: &str) -> Result<Node<'a>, JobError> {
        for (key, _) in self.entries()? {
            if !allowed.split(' ').any(|one| one == key.get_ref()) {
                let allowed = allowed.replace(' ', ", ");
                let problem = format!("unknown key; the keys here are {allowed}");
                let path = self.way.to(Step::Key(key.get_ref())).to_string();
                return Err(self.source.error(key.span().start, &path, problem));
            }
        }
        Ok(self)
    }
    /// The entries of a table in the order of the file.
    fn entries(&self) -> Result<Vec<Entry<'a>>, JobError> {
        let mut entries: Vec<_> = self.typed(self.value.as_table(), "a table")?.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        Ok(entries)
    }
    /// The value of an entry.
    fn node(&self, (name, value): Entry<'a>) -> Node<'a> {
        // A table's span is its header. A dotted table has none; then the key's span is used.
        let span = if value.span().is_empty() { name.span() } else { value.span() };
        let way = self.way.to(Step::Key(name.get_ref()));
        Node { source: self.source, way, span, value: value.get_ref() }
    }
    /// The value of a key, if it is a table that has the key.
    pub fn get(&self, key: &str) -> Option<Node<'a>> {
        self.value.as_table()?.get_key_value(key).map(|entry| self.node(entry))
    }
    /// The value of a required key.
    pub fn need(&self, key: &str) -> Result<Node<'a>, JobError> {
        self.get(key).ok_or_else(|| self.missing(key, ""))
    }
    /// The only one of some keys that is given, with its value. `lacks` is what a table without any
    /// has.
    pub fn one_of(
        &self,
        keys: &[&'static str],
        lacks: &str,
    ) -> Result<(&'static str, Node<'a>), JobError> {
        let mut given = keys.iter().filter_map(|&key| Some((key, self.get(key)?)));
        match (given.next(), given.next()) {
            (Some((first, _)), Some((_, second))) => Err(second.conflict(first)),
            (Some(one), None) => Ok(one),
            (None, _) => {
                Err(self.error(format!("{lacks}: one of {} is required", keys.join(", "))))
            }
        }
    }
    /// The result of `read` for the value of a key, if the key is present.
    pub fn read<T>(
        &self,
        key: &str,
        read: impl FnOnce(Node<'a>) -> Result<T, JobError>,
    ) -> Result<Option<T>, JobError> {
        self.get(key).map(read).transpose()
    }
    /// The values of a table, in the order of their keys.
    pub fn values(&self) -> Vec<Node<'a>> {
        self.value.as_table().into_iter().flatten().map(|entry| self.node(entry)).collect()
    }
    /// The tables of a key: one table, or an array of tables; none of anything else.
    pub fn tables(&self, key: &str) -> impl Iterator<Item = Node<'a>> + use<'a> {
        let node = self.get(key);
        let all = node.map(|node| node.array().unwrap_or_else(|_| vec![node]));
        all.unwrap_or_default().into_iter().filter(|node| node.value.is_table())
    }
    /// The elements of an array of tables; none if the key is missing.
    pub fn list(&self, key: &str) -> Result<Vec<Node<'a>>, JobError> {
        Ok(self.read(key, |node| node.array())?.unwrap_or_default())
    }
    /// The keys and values of this table, in the order of the file.
    pub fn members(&self) -> Result<Vec<(&'a str, Node<'a>)>, JobError> {
        let entries = self.entries()?.into_iter();
        Ok(entries.map(|entry| (entry.0.get_ref().as_ref(), self.node(entry))).collect())
    }
    /// The keys and values of the table of a key, in the order of the file; none if the key is missing.
    pub fn keyed(&self, key: &str) -> Result<Vec<(&'a str, Node<'a>)>, JobError> {
        self.get(key).map_or(Ok(Vec::new()), |table| table.members())
    }
}
