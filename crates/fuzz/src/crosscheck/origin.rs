//! Finds where a value in memory comes from: the point, the instruction, the register.

use ctm_isa::float;
use ctm_isa::isa::{LETTERS, Place, To};
use ctm_lang::program::SourceRef;
use ctm_machine::engine::Checked;
use ctm_machine::engine::Stop;
use ctm_machine::engine::reference::{
    Bytes, Destination, GroupState, Observer, Reference, Step, Store, Written,
};
use ctm_machine::launch::{Launch, Location};
use ctm_machine::memory::{Memory, format};
use std::collections::HashMap;
use std::fmt;

/// The instruction of the reference engine's run that computed a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The point that wrote it.
    pub point: (u32, u32),
    /// The instruction; `None`: no instruction, the value is the PE's conditional value.
    pub pc: Option<u32>,
    /// The register that it wrote, such as "output A.g" or "W".
    pub register: String,
    /// The computed value, as float bits.
    pub value: u32,
    /// The temporary whose value it passed on unchanged, if it did.
    pub from: Option<ValueFrom>,
    /// The places of the program in its source.
    pub source: SourceRef,
}

/// A temporary and the instruction that last wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueFrom {
    /// Its name, such as "r5.g".
    pub register: String,
    /// The instruction; `None`: the point started with the value.
    pub pc: Option<u32>,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pc {
            Some(pc) => {
                let place = self.source.place(pc);
                write!(f, "the reference writes it at {place} to {}", self.register)?;
            }
            None => write!(f, "the reference writes {}", self.register)?,
        }
        match &self.from {
            Some(ValueFrom { register, pc: Some(pc) }) => {
                write!(f, ", from {register}, written at {}", self.source.place(*pc))
            }
            Some(ValueFrom { register, pc: None }) => {
                write!(f, ", from {register} as the point started")
            }
            None => Ok(()),
        }
    }
}

/// Follows the point that made the write.
struct Follow {
    store: Store,
    /// The place whose value was written; `None` of an uncached write.
    place: Option<Place>,
    slot: Option<usize>,
    /// The instruction that last wrote each place.
    writers: HashMap<Place, u32>,
    found: Option<Origin>,
}

impl Observer for Follow {
    fn begin(&mut self, group: &GroupState) {
        self.slot = group.covered_slot(self.store.point);
        self.writers.clear();
    }

    fn step(&mut self, step: &Step<'_>) {
        let Some(slot) = self.slot else { return };
        let sent = step.pc == self.store.pc && step.sent.contains(&(slot, self.store.address));
        let mut writes = step.writes(slot).filter(|written| written.place == self.place);
        if let Some(written) = writes.next().filter(|_| sent || self.place.is_some()) {
            let from = passed_on(step, slot, &written).map(|place| ValueFrom {
                register: place.to_string(),
                pc: self.writers.get(&place).copied(),
            });
            self.found = Some(Origin {
                point: self.store.point,
                pc: Some(step.pc),
                register: match written.write.to {
                    To::Output(n) => {
                        let letter = LETTERS[written.write.channel];
                        format!("output {}.{letter}", ["A", "B", "C", "D"][n & 3])
                    }
                    To::Uncached => "the uncached output".to_string(),
                    _ => "W".to_string(),
                },
                value: written.bits,
                from,
                source: step.launch.program.image().source.clone(),
            });
        }
        let places = step.writes(slot).filter_map(|written| written.place);
        self.writers.extend(places.map(|place| (place, step.pc)));
    }
}

/// The point's own temporary whose value an instruction returned, but perhaps for its sign.
fn passed_on(step: &Step<'_>, slot: usize, written: &Written<'_>) -> Option<Place> {
    let shared = step.launch.program.sharing().unwrap_or_default().first_clause();
    let magnitude = |bits: u32| float::ftz(bits) & !float::SIGN;
    step.reads(slot, written.write.channel).find_map(|operand| {
        let own = matches!(operand.place, Some(Place::Temp(n, _)) if n < shared);
        let same = magnitude(operand.bits) == magnitude(written.bits);
        let as_it_is = operand.slot == slot && !operand.read.presubtract;
        operand.place.filter(|_| own && same && as_it_is)
    })
}

/// The point and instruction of the reference engine that determine the value at an address; `None`
/// if none writes there. `memory` is as before the launch.
pub(super) fn find(launch: &Launch, memory: &Memory, address: u32, stop: &Stop) -> Option<Origin> {
    let checked = Checked::new(launch).ok()?;
    let groups = checked.grouping.sample(None);
    let reference = Reference::new();
    let bytes = Bytes { address, mask: 1 };
    let store = reference.last_store(&checked, memory, bytes, stop).ok()??;
    let place = match store.destination {
        Destination::Output(n) => {
            let byte = address.wrapping_sub(store.address) as usize;
            Some(Place::Output(n, format::channel_of_byte(launch.outputs[n]?.format, byte)))
        }
        Destination::Uncached => None,
        // At the PE a program's own value is not what is stored.
        Destination::Condition if launch.condition.location == Location::Pe => {
            return Some(Origin {
                point: store.point,
                pc: None,
                register: "the PE's conditional value".to_string(),
                value: launch.condition.value,
                from: None,
                source: launch.program.image().source.clone(),
            });
        }
        Destination::Condition => Some(Place::Own),
    };
    let new = || Follow { store, place, slot: None, writers: HashMap::new(), found: None };
    let mut found = None;
    let take = &mut |other: Follow| found = found.take().or(other.found);
    reference.observe(&checked, memory, &groups, stop, &new, take).ok()?;
    found
}
