//! The cost of a program: the clocks of the device's model, as far as they are known before it
//! runs.

use crate::flow::Control;
use crate::predicates::{Role, roles};
use crate::schedule::{Schedule, Slot};
use ctm_isa::timing::{ALU, FLOW, TEXTURE};

/// The assumed trip count of a loop with breaks, unless it counts to less.
const ITERATIONS: f64 = 16.0;

/// The assumed probability that a group of points takes a side of a branch.
const TAKEN: f64 = 0.75;

/// The maximum clocks of a longer program, relative to the others: it must save a twentieth.
const WORTH: f64 = 0.95;

/// The exponent of the ratio of lengths: a program of twice the length must also save a sixth.
const LENGTH: f64 = 0.25;

/// The clocks and the length of a program, for comparisons of schedules of one graph.
pub fn of(schedule: &Schedule) -> (f64, usize) {
    let roles = roles(&schedule.slots, &schedule.code);
    let length = roles.iter().filter(|role| **role != Role::Gone).count();
    (clocks(schedule, &roles), length)
}

/// Whether a program is better than another one: it takes fewer clocks, and if it is longer, enough fewer; see `WORTH`
/// and `LENGTH`.
pub fn saves(schedule: &Schedule, other: &Schedule) -> bool {
    let ((clocks, length), (others, longest)) = (of(schedule), of(other));
    if length <= longest {
        return (clocks, length) < (others, longest);
    }
    clocks * (length as f64 / longest as f64).powf(LENGTH) < WORTH * others
}

/// The parts of a clock ([`ctm_isa::timing::PARTS`]) that the slowest units take for a group of points.
fn clocks(schedule: &Schedule, roles: &[Role]) -> f64 {
    let ends = &schedule.code.ends;
    let control = |slot: &Slot| match slot {
        Slot::Flow(block) => Some(ends[*block].end),
        Slot::Alu(..) | Slot::Fetch(..) | Slot::Kill(_) => None,
    };
    let (mut alu, mut texture, mut flow) = (0.0, 0.0, 0.0);
    // How often each open bracket runs.
    let mut open = vec![1.0];
    for (n, slot) in schedule.slots.iter().enumerate() {
        let often = *open.last().unwrap_or(&1.0);
        match slot {
            Slot::Alu(..) => alu += often * ALU as f64,
            Slot::Fetch(..) => texture += often * TEXTURE as f64,
            Slot::Kill(_) => {}
            Slot::Flow(block) => {
                let gone = roles[n] == Role::Gone;
                flow += if gone { 0.0 } else { often * FLOW as f64 };
                match ends[*block].end {
                    Control::If(_) => open.push(if gone { often } else { often * TAKEN }),
                    Control::Loop(count) => {
                        let rest = schedule.slots[n + 1..].iter().map(control);
                        open.push(often * iterations(count, rest));
                    }
                    Control::EndIf | Control::EndLoop => drop(open.pop()),
                    Control::Next | Control::Else | Control::Break(_) => {}
                }
            }
        }
    }
    f64::max(alu, f64::max(texture, flow))
}

/// The assumed trip count of a loop whose slots begin here.
fn iterations(count: u8, mut slots: impl Iterator<Item = Option<Control>>) -> f64 {
    let first = slots.next().flatten();
    if matches!(first, Some(Control::Loop(_))) && count == u8::MAX {
        // Two loops that are one.
        return 1.0;
    }
    let mut depth = 0;
    for control in std::iter::once(first).chain(slots).flatten() {
        match control {
            Control::Loop(_) => depth += 1,
            Control::EndLoop if depth == 0 => break,
            Control::EndLoop => depth -= 1,
            Control::Break(_) if depth == 0 => return ITERATIONS.min(count.into()),
            Control::Break(_) | Control::If(_) | Control::Else | Control::EndIf | Control::Next => {
            }
        }
    }
    count.into()
}
