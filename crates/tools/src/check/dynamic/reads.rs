//! What the results of a program have an effect on.

use ctm_isa::isa::{Access, Body, FcOp, Instruction, To, Type};
use ctm_lang::program::Program;
use ctm_machine::engine::groups::slots;
use ctm_machine::engine::reference::GroupState;
use ctm_machine::launch::Launch;

/// For each channel, the slots among `lanes` in which an instruction's result has an effect: the
/// predicates let it be written.
pub fn effective(
    instruction: &Instruction,
    access: &Access,
    group: &GroupState,
    lanes: u64,
) -> [u64; 4] {
    let common = &instruction.common;
    let results = instruction.results();
    let mut effective = [0, 1, 2, 3].map(|n| if results >> n & 1 != 0 { lanes } else { 0 });
    if common.gates().iter().all(Option::is_none) {
        return effective;
    }
    let writes = access.writes.iter();
    // Predicates and the ALU result have no gate.
    let always = writes.clone().filter(|write| write.gate.is_none());
    let always = always.fold(0, |mask, write| mask | 1 << write.channel);
    let uncached = writes.clone().any(|write| write.to == To::Uncached);
    for slot in slots(lanes) {
        let gate = common.gate(group.predicates(slot));
        let written = match uncached && gate != 15 {
            // A temporary may be written, too.
            true => common.wmask & gate,
            false => gate,
        };
        for (n, lanes) in effective.iter_mut().enumerate() {
            if (written | always) >> n & 1 == 0 {
                *lanes &= !(1 << slot);
            }
        }
    }
    effective
}

/// Whether the instruction uses an integer constant: ENDREP's has no effect.
pub fn uses_integer(op: FcOp) -> bool {
    matches!(op, FcOp::Loop | FcOp::EndLoop | FcOp::Rep)
}

/// The first OUT that writes an output, and with what channels.
pub fn first_out(program: &Program, output: usize, channels: u8) -> Option<u32> {
    let writes = |instruction: &Instruction| {
        let common = &instruction.common;
        let Body::Alu(alu) = &instruction.body else {
            return false;
        };
        common.class == Type::Out
            && (0..4).any(|channel| {
                (common.omask & channels) >> channel & 1 != 0
                    && alu.unit_of(channel).target as usize & 3 == output
            })
    };
    program.instructions().iter().position(writes).map(|pc| pc as u32)
}

/// The channels of each output that a point of a launch is expected to write: those that the output
/// stores and the mask lets through, of the outputs that the program writes at all. None of an
/// uncached program.
pub fn expected_outputs(launch: &Launch) -> [u8; 4] {
    let uses = launch.program.uses();
    [0, 1, 2, 3].map(|n| match launch.outputs[n] {
        Some(surface) if uses.outputs >> n & 1 != 0 && !launch.program.umrt() => {
            launch.out_mask & ((1 << surface.format.channels()) - 1) as u8
        }
        _ => 0,
    })
}
