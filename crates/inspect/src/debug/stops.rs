//! The stops of a run: breakpoints, watches, events.

use super::expression::Value;
use crate::check::Code;
use ctm_lang::program::{Image, NameKind};
use parking_lot::Mutex;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A place in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// An instruction by its slot.
    Pc(u32),
    /// A label.
    Label(String),
    /// A line of the source, of the file whose path ends like this.
    Line(Option<String>, u32),
}

impl Location {
    /// A place as text: `*7`, `again`, `12`, `kernel.dpp:12`.
    pub fn parse(text: &str) -> Option<Location> {
        if let Some(pc) = text.strip_prefix('*') {
            return pc.parse().ok().map(Location::Pc);
        }
        if let Ok(line) = text.parse() {
            return Some(Location::Line(None, line));
        }
        if let Some((file, line)) = text.rsplit_once(':') {
            return Some(Location::Line(Some(file.to_string()), line.parse().ok()?));
        }
        (!text.is_empty()).then(|| Location::Label(text.to_string()))
    }

    /// The first instructions of the place in a program; empty if the program does not have it.
    pub fn pcs(&self, image: &Image) -> Vec<u32> {
        let slots = 0..image.words.len() as u32;
        match self {
            Location::Pc(pc) => slots.filter(|slot| slot == pc).collect(),
            Location::Label(label) => {
                let is_it = |&slot: &u32| image.name_of(NameKind::Label, slot) == Some(label);
                slots.filter(is_it).collect()
            }
            Location::Line(file, line) => {
                let on_it = |slot: u32| {
                    image.locations(slot).any(|at| {
                        let path = Path::new(&*at.file.path);
                        let named = file.as_ref().is_none_or(|file| path.ends_with(file));
                        named && at.line == *line
                    })
                };
                // A statement of several instructions stops once, at its first one.
                slots.filter(|&s| on_it(s) && !s.checked_sub(1).is_some_and(on_it)).collect()
            }
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Pc(pc) => write!(f, "pc {pc}"),
            Location::Label(label) => write!(f, "label {label}"),
            Location::Line(None, line) => write!(f, "line {line}"),
            Location::Line(Some(file), line) => write!(f, "{file}:{line}"),
        }
    }
}

/// The causes of a stop.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// The next instruction is at this place.
    At(Location),
    /// The value of an [`Expression`](super::Expression) changed.
    Change(String),
    /// An instruction that read no NaN wrote one to a register of a covered point.
    Nan,
    /// A fault.
    Fault,
    /// Covered points took both ways at one flow-control instruction.
    Divergence,
    /// A check of a run found something: any code that is reported by default, or this one.
    Finding(Option<Code>),
}

impl Cause {
    /// The instructions of a breakpoint in a program.
    pub(super) fn pcs(&self, image: &Image) -> Vec<u32> {
        match self {
            Cause::At(place) => place.pcs(image),
            Cause::Change(_)
            | Cause::Nan
            | Cause::Fault
            | Cause::Divergence
            | Cause::Finding(_) => Vec::new(),
        }
    }

    /// Whether it stops at findings of a code.
    pub(super) fn finds(&self, code: Code) -> bool {
        match self {
            Cause::Finding(Some(wanted)) => *wanted == code,
            Cause::Finding(None) => !code.is_static() && code.is_default(),
            Cause::At(_) | Cause::Change(_) | Cause::Nan | Cause::Fault | Cause::Divergence => {
                false
            }
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::At(place) => write!(f, "break at {place}"),
            Cause::Change(text) => write!(f, "watch {text}"),
            Cause::Nan => f.write_str("stop at nan"),
            Cause::Fault => f.write_str("stop at fault"),
            Cause::Divergence => f.write_str("stop at divergence"),
            Cause::Finding(None) => f.write_str("stop at finding"),
            Cause::Finding(Some(code)) => write!(f, "stop at finding {code}"),
        }
    }
}

/// A breakpoint, watch or event. Its expressions are texts, because a name can be another register in
/// the program of another pass.
#[derive(Clone, Debug, PartialEq)]
pub struct StopPoint {
    /// Its number.
    pub id: u32,
    /// The cause.
    pub cause: Cause,
    /// Only if this [`Expression`](super::Expression) is not 0 at the point that is looked at.
    pub condition: Option<String>,
    /// Only at the hit with this number, counted from 1 in both directions.
    pub hit: Option<u64>,
    /// Hits so far.
    pub hits: u64,
}

impl StopPoint {
    /// Counts a hit. Returns whether the run stops.
    pub(super) fn count(&mut self) -> bool {
        self.hits += 1;
        self.hit.is_none_or(|hit| hit == self.hits)
    }
}

impl fmt::Display for StopPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.id, self.cause)?;
        if let Some(condition) = &self.condition {
            write!(f, " if {condition}")?;
        }
        if let Some(hit) = self.hit {
            write!(f, " hit {hit}")?;
        }
        let times = if self.hits == 1 { "hit" } else { "hits" };
        write!(f, " ({} {times})", self.hits)
    }
}

/// The stops of a session.
#[derive(Clone, Default)]
pub(super) struct Stops {
    /// In the order of their numbers.
    pub list: Vec<StopPoint>,
    /// The number of the last one that was added.
    last: u32,
}

impl Stops {
    /// Adds a stop. Returns its number.
    pub fn add(&mut self, cause: Cause, condition: Option<String>, hit: Option<u64>) -> u32 {
        self.last += 1;
        self.list.push(StopPoint { id: self.last, cause, condition, hit, hits: 0 });
        self.last
    }
}

/// The stops that a snapshot hands to the session that runs meanwhile. Its clones share them.
#[derive(Clone, Default)]
pub(super) struct Handed {
    is_new: Arc<AtomicBool>,
    stops: Arc<Mutex<Stops>>,
}

impl Handed {
    pub fn hand_over(&self, stops: &Stops) {
        *self.stops.lock() = stops.clone();
        self.is_new.store(true, Ordering::Release);
    }

    /// Whether there are stops that the session has not taken over.
    pub fn is_new(&self) -> bool {
        self.is_new.load(Ordering::Acquire)
    }

    /// Replaces stops by those that were handed over. Stops that stay keep their hits.
    pub fn take_over(&self, stops: &mut Stops) {
        if !self.is_new.swap(false, Ordering::AcqRel) {
            return;
        }
        let mut new = self.stops.lock().clone();
        for stop in &mut new.list {
            let old = stops.list.iter().find(|old| old.id == stop.id);
            stop.hits = old.map_or(0, |old| old.hits);
        }
        *stops = new;
    }
}

/// A value for messages: its text, or why it has none.
pub(super) fn text_of(value: &Result<Value, String>) -> String {
    match value {
        Ok(value) => value.to_string(),
        Err(why) => why.clone(),
    }
}
