//! The way of an undefined value: the unwritten register, and the instructions that passed
//! it on.

use ctm_isa::isa::Place;
use std::collections::HashMap;

/// The most instructions that a way keeps. Longer ones lose their end, not their origin.
const LONGEST: u32 = 32;

/// The most ways that a group keeps apart, besides their beginnings, of which each register channel has
/// one. More ways lose their end, not their origin.
const MOST: usize = 1 << 16;

/// Names a way; [`Tags`] knows it.
pub type Tag = u32;

/// The tag of a value that is defined.
pub const DEFINED: Tag = 0;

/// The tag of a register that still has the undefined value with which it started.
pub const FRESH: Tag = 1;

/// No instruction: the way's beginning.
const START: u32 = u32::MAX;

/// The key of a way: its last instruction, the place that it wrote, and the way before.
type Key = (u32, Place, Tag);

/// The key of no way.
const NOTHING: Key = (START, Place::Own, FRESH);

#[derive(Clone, Copy, Debug)]
struct Step {
    pc: u32,
    /// The place that the instruction wrote; at the beginning, the place that was never written.
    place: Place,
    parent: Tag,
    length: u32,
    origin: Place,
}

/// All ways of a group.
#[derive(Debug)]
pub struct Tags {
    steps: Vec<Step>,
    known: HashMap<Key, Tag>,
    last: (Key, Tag),
}

/// A way, written out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// The unwritten register channel.
    pub origin: Place,
    /// The instructions that passed the value on, first to last, each with what it wrote.
    pub chain: Vec<(u32, Place)>,
}

impl Tags {
    /// No ways.
    pub fn new() -> Tags {
        let place = Place::Own;
        let nothing = Step { pc: START, place, parent: FRESH, length: 0, origin: place };
        Tags { steps: vec![nothing; 2], known: HashMap::new(), last: (NOTHING, FRESH) }
    }

    /// Forgets all ways and their numbers.
    pub fn clear(&mut self) {
        self.steps.truncate(2);
        self.known.clear();
        self.last = (NOTHING, FRESH);
    }

    fn find(&mut self, key: Key, length: u32) -> Tag {
        if self.last.0 == key {
            return self.last.1;
        }
        let (pc, place, parent) = key;
        let tag = match self.known.get(&key) {
            Some(&tag) => tag,
            // A beginning has no way that could stand for it.
            None if pc != START && self.known.len() >= MOST => parent,
            None => {
                let tag = self.steps.len() as Tag;
                let origin = if parent == FRESH { place } else { self.origin(parent) };
                self.steps.push(Step { pc, place, parent, length, origin });
                self.known.insert(key, tag);
                tag
            }
        };
        self.last = (key, tag);
        tag
    }

    /// The tag of a register's value: its own way, or the beginning of one.
    pub fn of(&mut self, place: Place, tag: Tag) -> Tag {
        if tag != FRESH { tag } else { self.find((START, place, FRESH), 0) }
    }

    /// The way after the instruction at `pc` has passed it on to `place`. A loop does not make it
    /// longer: what the instruction has passed on before keeps that way.
    pub fn passed(&mut self, pc: u32, place: Place, tag: Tag) -> Tag {
        let key = (pc, place, tag);
        if self.last.0 == key {
            return self.last.1;
        }
        let length = self.steps[tag as usize].length + 1;
        let mut at = tag;
        while at != FRESH {
            let step = self.steps[at as usize];
            if (step.pc, step.place) == (pc, place) {
                self.last = (key, at);
                return at;
            }
            at = step.parent;
        }
        if length > LONGEST {
            return tag;
        }
        self.find(key, length)
    }

    /// The register channel at the beginning of a way.
    pub fn origin(&self, tag: Tag) -> Place {
        self.steps[tag as usize].origin
    }

    /// The last instruction of a way; `None` if no instruction has passed it on.
    pub fn last(&self, tag: Tag) -> Option<u32> {
        Some(self.steps[tag as usize].pc).filter(|&pc| pc != START)
    }

    /// A way, written out.
    pub fn way(&self, tag: Tag) -> Way {
        let mut chain = Vec::new();
        let mut step = self.steps[tag as usize];
        while step.pc != START {
            chain.push((step.pc, step.place));
            step = self.steps[step.parent as usize];
        }
        chain.reverse();
        Way { origin: step.place, chain }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_table_still_names_the_register() {
        let mut tags = Tags::new();
        let mut tag = tags.of(Place::Temp(3, 1), FRESH);
        let first = tag;
        for pc in 0..2 * MOST as u32 {
            tag = tags.passed(pc, Place::Temp(4, 0), first);
        }
        assert!(tags.steps.len() <= MOST + 3, "{} ways", tags.steps.len());
        // The way of the last one was cut to its beginning.
        assert_eq!(tags.way(tag), Way { origin: Place::Temp(3, 1), chain: Vec::new() });
        let late = tags.of(Place::Temp(7, 2), FRESH);
        assert_eq!(tags.origin(late), Place::Temp(7, 2));
        let passed = tags.passed(9, Place::Temp(8, 0), late);
        assert_eq!(tags.way(passed).origin, Place::Temp(7, 2));
        tags.clear();
        assert_eq!((tags.steps.len(), tags.known.len()), (2, 0));
    }
}
