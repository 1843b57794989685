//! Channels of outputs that a point did not write, although it ran to its end.

use super::hits::{Hits, Key, What};
use super::names::Told;
use super::{Check, expected_outputs, first_out};
use crate::check::{Code, Finding};
use ctm_isa::isa::{Place, letters};
use ctm_machine::engine::Checked;
use ctm_machine::engine::groups::slots;
use ctm_machine::engine::reference::GroupState;

/// The check.
pub struct Points {
    expected: [u8; 4],
}

impl Points {
    /// The check of a launch; `None` if it has no outputs.
    pub fn new(launch: &Checked<'_>) -> Option<Points> {
        let expected = expected_outputs(launch);
        (expected != [0; 4]).then_some(Points { expected })
    }
}

impl Check for Points {
    fn end(&mut self, group: &GroupState, writers: u64, hits: &mut Hits) {
        for (output, expected) in self.expected.into_iter().enumerate().filter(|(_, e)| *e != 0) {
            let mut found: [u64; 16] = [0; 16];
            for slot in slots(writers) {
                found[(expected & !group.written(slot, output)) as usize & 15] |= 1 << slot;
            }
            for (missing, lanes) in (0..16).zip(found).skip(1) {
                let what = What::Output(output, missing);
                let key = Key { code: Code::PointOutput, pc: 0, what };
                hits.add(group, lanes, key, 0, |_| {
                    move |told: &Told<'_>| finding(told, output, missing)
                });
            }
        }
    }
}

fn finding(told: &Told<'_>, output: usize, missing: u8) -> Finding {
    let place = Place::Output(output, 0);
    let name = told.with(place, missing);
    let subject = format!("{}.{}", place.register(), letters(missing));
    let should = first_out(told.program, output, missing);
    let pc = should.or_else(|| first_out(told.program, output, 15));
    let message = format!("a point ends without writing {name}");
    let label = match should {
        Some(_) => "the point did not execute this write",
        None => "writes only other channels",
    };
    Finding::new(Code::PointOutput, pc, subject, message)
        .label(label)
        .note(None, format!("{name} keeps what memory held before the launch"))
}
