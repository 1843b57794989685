//! The probe of a device's arithmetic: what its kernel binds and how it is dispatched, and its plans, one for
//! each guard level that needs no float controls.

use crate::guards::Guards;
use crate::plan::commands::Command;
use crate::plan::dispatch::Kind;
use crate::plan::value::{Buffer, Document, Plan, Probe, Shader};
use crate::probe::{ENTRY, hard, kernel, probed};
use crate::wgsl::trimmed;

/// The bindings of the probe's kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The operands: four words for each tuple.
    Operands,
    /// The results: one word for each function and tuple.
    Results,
}

/// The bindings of the probe's kernel: number, type, content.
pub const BINDINGS: [(u32, Kind, Slot); 2] =
    [(0, Kind::Read, Slot::Operands), (1, Kind::Write, Slot::Results)];

/// The command that runs the kernel, a plan's only shader, on some tuples of operands. `of` returns the
/// buffer of a slot.
pub fn command<B>(tuples: usize, of: impl Fn(Slot) -> B) -> Command<B> {
    Command::Dispatch {
        shader: 0,
        bindings: BINDINGS.map(|(number, _, slot)| (number, of(slot), 0)).into(),
        groups: [tuples.div_ceil(64) as u32, 1],
        work: 0,
    }
}

/// The guard levels that a page can have, the cheapest first.
pub fn levels() -> impl Iterator<Item = Guards> {
    Guards::basic().filter(|level| !level.controlled())
}

/// Adds the probe to a document.
pub fn add(document: &mut Document) {
    let (functions, tuples) = (probed(), hard());
    let exact = functions.iter().flat_map(|function| tuples.iter().map(|&t| (function.exact)(t)));
    let exact: Vec<u32> = exact.collect();
    let bytes = size_of_val(&exact[..]) as u64;
    let operands = document.contents.number(bytemuck::cast_slice::<_, u8>(&tuples));
    let expected = document.contents.number(bytemuck::cast_slice::<_, u8>(&exact));
    let mut plans = Vec::new();
    for guards in levels() {
        let text = trimmed(&kernel(guards, &functions), ENTRY);
        plans.push(document.plans.len() as u32);
        document.plans.push(Plan {
            engine: "probe",
            guards: guards.to_string(),
            shaders: vec![Shader {
                text: document.texts.number(&text[..]),
                entry: ENTRY,
                bindings: BINDINGS.map(|(number, kind, _)| (number, kind)).to_vec(),
            }],
            buffers: vec![
                Buffer { bytes: size_of_val(&tuples[..]) as u64, content: Some(operands) },
                Buffer { bytes, content: None },
            ],
            // The buffers are in the order of the slots.
            steps: vec![command(tuples.len(), |slot| slot as u32)],
            read: 1,
            launches: 0,
            translated: 0,
        });
    }
    let functions = functions.into_iter().map(|function| (function.name, function.operands));
    let functions = functions.collect();
    document.probe = Some(Probe { plans, functions, operands, expected });
}
