//! Channels of outputs that a point did not write, although it ran to its end.

use super::Setting;
use super::hits::Hits;
use super::reads::expected_outputs;
use ctm_machine::engine::groups::slots;
use ctm_machine::engine::reference::GroupState;

/// What makes two missing writes the same mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The output.
    pub output: usize,
    /// The channels that were not written.
    pub missing: u8,
}

/// The check.
pub struct Points {
    expected: [u8; 4],
    dropped: u64,
    pub hits: Hits<Key, ()>,
}

impl Points {
    /// The check of a launch; `None` if it has no outputs.
    pub fn new(setting: &Setting) -> Option<Points> {
        let expected = expected_outputs(setting.launch);
        (expected != [0; 4]).then(|| Points {
            expected,
            dropped: 0,
            hits: Hits::new(setting.number),
        })
    }

    pub fn group_begin(&mut self) {
        self.dropped = 0;
    }

    pub fn dropped(&mut self, slot: usize) {
        self.dropped |= 1 << slot;
    }

    /// The end of a group that did not fault.
    pub fn group_end(&mut self, group: &GroupState) {
        for (output, expected) in self.expected.into_iter().enumerate().filter(|(_, e)| *e != 0) {
            let mut found: [u64; 16] = [0; 16];
            for slot in slots(group.covered() & !self.dropped) {
                found[(expected & !group.written(slot, output)) as usize & 15] |= 1 << slot;
            }
            for (missing, lanes) in (0..16).zip(found).skip(1) {
                self.hits.add(group, lanes, Key { output, missing }, missing, |_| ());
            }
        }
    }
}
