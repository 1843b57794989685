//! The TOML tree with the location of every value, so that each error can name its line and key.

use super::FileLocation;
use super::error::{JobError, Problem};
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;
use toml::de::DeTable;
use toml_spanner::{Arena, Item, Key, Kind, Table};

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
        let mut lines = Vec::with_capacity(text.len() / BLOCK + 2);
        lines.push(1);
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
    /// The values of the text.
    ///
    /// # Errors
    /// The text is not TOML.
    pub fn parse<'t>(&'t self, arena: &'t Arena) -> Result<Table<'t>, JobError> {
        let tree = toml_spanner::parse(self.text, arena);
        Ok(tree.map_err(|error| self.syntax(&error))?.into_table())
    }
    /// The error of a text that is not TOML. The parsers know no keys, so the text before "=" in the line is taken as
    /// the key. `error` is that of the fast parser; the other one's texts are better.
    fn syntax(&self, error: &toml_spanner::Error) -> JobError {
        let better = DeTable::parse(self.text).err().and_then(|error| Some((error.span()?, error)));
        let (at, message) = match &better {
            Some((span, error)) => (span.start, error.message().to_string()),
            None => (error.span().start as usize, error.to_string()),
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
struct Way<'a> {
    /// The way to the table or array that it is in; `None`: the top of the file.
    above: Option<Rc<Way<'a>>>,
    /// The last step; `None`: the value is the top of the file.
    step: Option<Step<'a>>,
}

/// A step of a way.
#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Element(usize),
}

impl<'a> Way<'a> {
    fn to(&self, step: Step<'a>) -> Way<'a> {
        Way { above: self.inside(), step: Some(step) }
    }
    /// This way as that above those of the values in it.
    fn inside(&self) -> Option<Rc<Way<'a>>> {
        self.step.map(|_| Rc::new(self.clone()))
    }
}

impl fmt::Display for Way<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let above = self.above.as_ref();
        let dot = above.map_or(Ok(""), |above| write!(f, "{above}").map(|()| "."))?;
        match self.step {
            None => Ok(()),
            Some(Step::Key(key)) => write!(f, "{dot}{key}"),
            Some(Step::Element(n)) => write!(f, "[{n}]"),
        }
    }
}

/// A value with its key and location.
#[derive(Clone)]
pub struct Node<'a> {
    source: &'a Source<'a>,
    way: Way<'a>,
    span: Range<usize>,
    value: &'a Item<'a>,
}

/// A type of values, for messages.
fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::String => "a string",
        Kind::Integer => "an integer",
        Kind::Float => "a float",
        Kind::Boolean => "a boolean",
        Kind::DateTime => "a date",
        Kind::Array => "an array",
        Kind::Table => "a table",
    }
}

impl<'a> Node<'a> {
    /// The top-level table of a file.
    pub fn root(source: &'a Source<'a>, table: &'a Table<'a>) -> Node<'a> {
        Node { source, way: Way::default(), span: 0..0, value: table.as_item() }
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
        value.ok_or_else(|| {
            self.error(format!("found {}, needed {needed}", name(self.value.kind())))
        })
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
        let integer = self.typed(self.value.as_i128(), "an integer")?;
        i64::try_from(integer).ok().filter(|n| (min..=max).contains(n)).ok_or_else(|| {
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
        match self.value.kind() {
            Kind::Integer => Ok(self.integer(i64::MIN, i64::MAX)? as f64),
            _ => self.typed(self.value.as_f64(), "a number"),
        }
    }
    /// The bits of a binary32: either a number, rounded once to nearest even, or a string with the
    /// bits: "0x" and up to eight hexadecimal digits.
    pub fn float_bits(&self) -> Result<u32, JobError> {
        match self.value.kind() {
            Kind::Integer => Ok((self.integer(i64::MIN, i64::MAX)? as f32).to_bits()),
            Kind::String => self
                .string()?
                .strip_prefix("0x")
                .filter(|digits| {
                    (1..=8).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit())
                })
                .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                .ok_or_else(|| {
                    self.is_not("a bit pattern: \"0x\" and one to eight hexadecimal digits")
                }),
            kind => {
                let text = self.text();
                let value = || text.parse().or_else(|_| text.replace('_', "").parse());
                let value = (kind == Kind::Float).then(value).and_then(Result::ok);
                let needed = "a number or a bit pattern such as \"0x7fc00001\"";
                let value: f32 = self.typed(value, needed)?;
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
    /// The value as written in the file.
    fn text(&self) -> &'a str {
        self.source.text.get(self.span.clone()).unwrap_or_default()
    }
    /// The first line of the value as written in the file, cut if it is long.
    pub fn written(&self) -> String {
        let line = self.text().lines().next().unwrap_or_default();
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
        let above = self.way.inside();
        let node = |(n, value)| self.node(&above, Step::Element(n), value);
        Ok(array.iter().enumerate().map(node).collect())
    }
    /// The elements of an array of a known length; `what` describes them.
    pub fn exactly<const N: usize>(&self, what: &str) -> Result<[Node<'a>; N], JobError> {
        self.array()?
            .try_into()
            .map_err(|values: Vec<_>| self.wrong_count(values.len(), &format!("{N}: {what}")))
    }
    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        self.value.kind() == Kind::Array
    }
    /// The same value, if it is a table with no keys other than these, which blanks separate.
    pub fn table(self, allowed: &str) -> Result<Node<'a>, JobError> {
        for (key, _) in self.entries()? {
            if !allowed.split(' ').any(|one| one == key.name) {
                let allowed = allowed.replace(' ', ", ");
                let problem = format!("unknown key; the keys here are {allowed}");
                let path = self.way.to(Step::Key(key.name)).to_string();
                return Err(self.source.error(key.span.start as usize, &path, problem));
            }
        }
        Ok(self)
    }
    /// The entries of a table in the order of the file.
    fn entries(&self) -> Result<&'a [(Key<'a>, Item<'a>)], JobError> {
        Ok(self.typed(self.value.as_table(), "a table")?.entries())
    }
    /// A value in this one. `above`: the way to this one, from [`Way::inside`].
    fn node(&self, above: &Option<Rc<Way<'a>>>, step: Step<'a>, value: &'a Item<'a>) -> Node<'a> {
        let way = Way { above: above.clone(), step: Some(step) };
        Node { source: self.source, way, span: value.span().range(), value }
    }
    /// The value of a key, if it is a table that has the key.
    pub fn get(&self, key: &str) -> Option<Node<'a>> {
        let (key, value) = self.value.as_table()?.get_key_value(key)?;
        Some(self.node(&self.way.inside(), Step::Key(key.name), value))
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
    /// The values of a table, in the order of the file.
    pub fn values(&self) -> Vec<Node<'a>> {
        let members = self.members().unwrap_or_default().into_iter();
        members.map(|(_, value)| value).collect()
    }
    /// The tables of a key: one table, or an array of tables; none of anything else.
    pub fn tables(&self, key: &str) -> impl Iterator<Item = Node<'a>> + use<'a> {
        let node = self.get(key);
        let all = node.map(|node| node.array().unwrap_or_else(|_| vec![node]));
        all.unwrap_or_default().into_iter().filter(|node| node.value.kind() == Kind::Table)
    }
    /// The elements of an array of tables; none if the key is missing.
    pub fn list(&self, key: &str) -> Result<Vec<Node<'a>>, JobError> {
        Ok(self.read(key, |node| node.array())?.unwrap_or_default())
    }
    /// The keys and values of this table, in the order of the file.
    pub fn members(&self) -> Result<Vec<(&'a str, Node<'a>)>, JobError> {
        let above = self.way.inside();
        let entries = self.entries()?.iter();
        let node = |value, name| self.node(&above, Step::Key(name), value);
        Ok(entries.map(|(key, value)| (key.name, node(value, key.name))).collect())
    }
    /// The keys and values of the table of a key, in the order of the file; none if the key is missing.
    pub fn keyed(&self, key: &str) -> Result<Vec<(&'a str, Node<'a>)>, JobError> {
        self.get(key).map_or(Ok(Vec::new()), |table| table.members())
    }
}
