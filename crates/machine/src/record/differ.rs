//! The first difference of two recordings: in what a client did, or in what a device gave.
//!
//! Nothing is executed. Devices are compared by their numbers, each in the order of its own events, because
//! the order between devices depends on the client's threads. Of the host's writes, the bytes before each
//! submission count, not the calls in which they came.

use super::format::{Change, Event, Open, Submission, shown};
use super::reader::{Reader, RecordError};
use crate::command::{CommandError, Parsed, Parser};
use crate::device::Pieces;
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// The common part of two recordings, and their first difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommonPrefix {
    /// Submissions that are the same in both, before the first difference.
    pub submissions: u64,
    /// Launches in them.
    pub launches: u64,
    /// The first difference; `None` if there is none.
    pub difference: Option<String>,
}

/// Compares two recordings.
///
/// # Errors
/// One of them cannot be read: the error and whether it is of `b`.
pub fn differ(a: &Path, b: &Path) -> Result<CommonPrefix, (RecordError, bool)> {
    let mut sides = [Side::open(a).map_err(|e| (e, false))?, Side::open(b).map_err(|e| (e, true))?];
    let mut part = CommonPrefix::default();
    loop {
        // The next device of A, or of B once A has ended.
        let mut device = None;
        for (n, side) in sides.iter_mut().enumerate() {
            if device.is_none() {
                device = side.next_device().map_err(|error| (error, n == 1))?;
            }
        }
        let Some(device) = device else { return Ok(part) };
        let [one, other] = &mut sides;
        let one = one.next(device).map_err(|error| (error, false))?;
        let other = other.next(device).map_err(|error| (error, true))?;
        part.difference = difference(device, one.as_ref(), other.as_ref());
        if part.difference.is_some() {
            return Ok(part);
        }
        if let Some(Did { what: What::Submit(submission), .. }) = one {
            part.submissions += 1;
            part.launches = part.launches.saturating_add(submission.launches);
        }
    }
}

/// Bytes that the host wrote: the address, how many, and their hash.
type Run = (u32, u64, u64);

/// Something that a device did, and the host's writes since the last such thing.
struct Did {
    writes: Vec<Run>,
    /// The number among the device's submissions, from 1 on.
    number: u64,
    what: What,
}

enum What {
    Open(Open),
    Submit(Submission),
    Close,
}

/// A recording while it is read.
struct Side {
    reader: Reader<BufReader<File>>,
    /// The events that were read and not compared, for each device.
    ready: BTreeMap<u32, Device>,
    /// The devices in the order of their ready events.
    order: VecDeque<u32>,
}

#[derive(Default)]
struct Device {
    ready: VecDeque<Did>,
    /// The host's writes since the last thing.
    writes: Pieces,
    submissions: u64,
}

impl Side {
    fn open(path: &Path) -> Result<Side, RecordError> {
        let reader = Reader::open(path)?;
        Ok(Side { reader, ready: BTreeMap::new(), order: VecDeque::new() })
    }

    /// Reads on to the next thing that a device did; `false` at the end.
    fn read(&mut self) -> Result<bool, RecordError> {
        while let Some(entry) = self.reader.next_entry()? {
            let device = self.ready.entry(entry.device).or_default();
            let mut number = device.submissions;
            let what = match entry.event {
                Event::Write(pieces) | Event::Fetched(pieces) => {
                    device.writes.append(pieces);
                    continue;
                }
                Event::Open(open) => What::Open(open),
                Event::Close => What::Close,
                Event::Submit(mut submission) => {
                    device.writes.append(std::mem::take(&mut submission.fetched));
                    device.submissions += 1;
                    number = device.submissions;
                    What::Submit(submission)
                }
            };
            let writes = runs(&std::mem::take(&mut device.writes));
            device.ready.push_back(Did { writes, number, what });
            self.order.push_back(entry.device);
            return Ok(true);
        }
        Ok(false)
    }

    /// The device that did the next thing; `None` at the end.
    fn next_device(&mut self) -> Result<Option<u32>, RecordError> {
        if self.order.is_empty() {
            self.read()?;
        }
        Ok(self.order.front().copied())
    }

    /// The next thing that a device did; `None` if it did no more.
    fn next(&mut self, device: u32) -> Result<Option<Did>, RecordError> {
        loop {
            if let Some(did) = self.ready.get_mut(&device).and_then(|own| own.ready.pop_front()) {
                let at = self.order.iter().position(|other| *other == device);
                at.map(|at| self.order.remove(at));
                return Ok(Some(did));
            }
            if !self.read()? {
                return Ok(None);
            }
        }
    }
}

/// The runs of neighbouring bytes, in their order.
fn runs(pieces: &Pieces) -> Vec<Run> {
    let mut joined: Vec<(u32, Vec<u8>)> = Vec::new();
    for (place, bytes) in pieces.iter() {
        match joined.last_mut() {
            Some((start, run))
                if u64::from(*start) + run.len() as u64 == u64::from(place.address) =>
            {
                run.extend_from_slice(bytes);
            }
            _ => joined.push((place.address, bytes.to_vec())),
        }
    }
    joined.into_iter().map(|(start, run)| (start, run.len() as u64, xxh3_64(&run))).collect()
}

/// The difference at a place, unless both are the same.
fn parted(place: &str, a: impl ToString, b: impl ToString) -> Option<String> {
    let (a, b) = (a.to_string(), b.to_string());
    (a != b).then(|| format!("{place}: A: {}; B: {}", shown(&a), shown(&b)))
}

/// The difference between what a device did in both recordings.
fn difference(device: u32, a: Option<&Did>, b: Option<&Did>) -> Option<String> {
    let name = |did: Option<&Did>| match did {
        None => "nothing more".to_string(),
        Some(Did { what: What::Open(_), .. }) => "opened".to_string(),
        Some(Did { what: What::Close, .. }) => "closed".to_string(),
        Some(Did { what: What::Submit(_), number, .. }) => format!("submission {number}"),
    };
    let (Some(one), Some(other)) = (a, b) else {
        return parted(&format!("device {device}"), name(a), name(b));
    };
    let place = format!("device {device}, {}", name(a));
    // The host's writes come first.
    if one.writes != other.writes {
        let n =
            one.writes.iter().zip(&other.writes).take_while(|(one, other)| one == other).count();
        let text = |run: Option<&Run>| match run {
            None => "the host writes nothing more".to_string(),
            Some((address, len, _)) => format!("the host writes {len} bytes at 0x{address:08x}"),
        };
        let (one, other) = (text(one.writes.get(n)), text(other.writes.get(n)));
        let same = || format!("{place}, before it: {one}, which differ");
        return parted(&format!("{place}, before it"), &one, &other).or_else(|| Some(same()));
    }
    match (&one.what, &other.what) {
        (What::Open(one), What::Open(other)) => {
            let text = |open: &Open| {
                let Open { arenas, mode, instructions, .. } = open;
                format!("arenas {arenas:?}, mode {mode}, at most {instructions} instructions")
            };
            parted(&place, text(one), text(other))
        }
        (What::Submit(one), What::Submit(other)) => submission(&place, one, other),
        (What::Close, What::Close) => None,
        _ => parted(&format!("device {device}"), name(a), name(b)),
    }
}

/// The difference between two submissions: their commands, their problems, their results.
fn submission(place: &str, a: &Submission, b: &Submission) -> Option<String> {
    if let Some(text) = commands(place, &a.words, &b.words) {
        return Some(text);
    }
    let problem = |submission: &Submission, n| {
        let line = submission.problems.lines().nth(n);
        line.map_or("no more problems".to_string(), String::from)
    };
    if a.problems != b.problems {
        let same = a.problems.lines().zip(b.problems.lines()).take_while(|(a, b)| a == b).count();
        return parted(place, problem(a, same), problem(b, same));
    }
    let ran = |submission: &Submission| {
        let end = if submission.repeatable { "" } else { ", and was stopped" };
        format!("{} launches ran{end}", submission.launches)
    };
    if let Some(text) = parted(place, ran(a), ran(b)) {
        return Some(text);
    }
    let most = a.changes.len().max(b.changes.len());
    let n = (0..most).find(|&n| a.changes.get(n) != b.changes.get(n))?;
    let text = |change: Option<&Change>| match change {
        None => "it writes nothing more".to_string(),
        Some(change) => format!("word {} writes {}", change.offset, change.what),
    };
    let (one, other) = (text(a.changes.get(n)), text(b.changes.get(n)));
    parted(place, &one, &other).or_else(|| Some(format!("{place}: {one}, which differs")))
}

/// The first command that differs.
fn commands(place: &str, a: &[u32], b: &[u32]) -> Option<String> {
    let (mut one, mut other) = (Parser::new(a), Parser::new(b));
    loop {
        let (a, b) = (one.next(), other.next());
        if a.is_none() && b.is_none() {
            return None;
        }
        let mut word = None;
        let mut text = |next: Option<Result<Parsed, CommandError>>| match next {
            None => "no more commands".to_string(),
            Some(Ok(parsed)) => {
                word.get_or_insert(parsed.offset);
                parsed.command.to_string()
            }
            Some(Err(error)) => error.to_string(),
        };
        let (a, b) = (text(a), text(b));
        if a != b {
            let place = word.map_or(place.to_string(), |word| format!("{place}, word {word}"));
            return parted(&place, a, b);
        }
    }
}
