//! Flow control that reads an ALU result or a predicate too early, or an ALU result too late.

use super::dataflow::State;
use super::pcs::Pcs;
use super::{Finding, Stopped, Subject, at};
use crate::check::code::Code;
use ctm_isa::isa::{Instruction, Type};

/// The results that flow control may read, on the paths to an instruction.
#[derive(Clone, Copy, PartialEq, Default)]
pub(super) struct Results {
    /// ALU instructions that wrote the ALU result or predicates, and nothing has waited since.
    running: [Pcs; 2],
    /// Whether the ALU result was never written on some path.
    never: bool,
    /// Whether on some path no flow-control instruction ran since it was written.
    fresh: bool,
    /// The last flow-control instructions since it was written.
    crossed: Pcs,
}

impl State for Results {
    fn join(&mut self, other: &Results) {
        for (own, other) in self.running.iter_mut().zip(&other.running) {
            own.join(other);
        }
        self.never |= other.never;
        self.fresh |= other.fresh;
        self.crossed.join(&other.crossed);
    }
}

pub(super) fn check(subject: &Subject<'_>) -> Result<Vec<Finding>, Stopped> {
    let start = Results { never: true, ..Results::default() };
    let mut findings = Vec::new();
    for (pc, instruction, state) in subject.before(start, Results::default(), step)? {
        let reads = instruction.jump_reads();
        for (n, what) in ["the ALU result", "a predicate"].into_iter().enumerate() {
            if !reads[n] || instruction.common.alu_wait || state.running[n].is_empty() {
                continue;
            }
            let message = format!("flow control may read {what} before it is written");
            let writers = state.running[n].iter();
            findings.push(
                at(Code::MissingAluWait, pc, what, message)
                    .label(format!("reads {what} without ALU_WAIT"))
                    .help("set ALU_WAIT in the flow-control instruction")
                    .notes(writers.map(|pc| (pc, format!("{what} is written here")))),
            );
        }
        if !reads[0] {
            continue;
        }
        let stale = |subject: &str, message: &str| {
            at(Code::StaleAluResult, pc, subject, message).label("reads the ALU result")
        };
        if state.never {
            findings.push(
                stale("", "no instruction has written the ALU result on some path to here")
                    .help("write it with ALU_WMASK in an instruction before"),
            );
        }
        if !state.crossed.is_empty() {
            let lost = "it is no longer valid after this instruction";
            findings.push(
                stale("crossed", "the ALU result does not survive a flow-control instruction")
                    .help("write the ALU result again, or use a predicate, which survives")
                    .notes(state.crossed.iter().map(|pc| (pc, lost.to_string()))),
            );
        }
    }
    Ok(findings)
}

fn step(pc: u32, instruction: &Instruction, active: bool, state: &mut Results) {
    let common = &instruction.common;
    if common.alu_wait {
        state.running = Default::default();
    }
    match instruction.alu() {
        Some(alu) if active => {
            if alu.alu_wmask {
                state.running[0] = Pcs::of(pc);
                (state.never, state.fresh, state.crossed) = (false, true, Pcs::default());
            }
            if common.class == Type::Alu && common.omask != 0 {
                state.running[1].insert(pc);
            }
        }
        Some(_) => {}
        // A result that was never written stays so.
        None if common.class == Type::Fc && (state.fresh || !state.crossed.is_empty()) => {
            (state.fresh, state.crossed) = (false, Pcs::of(pc));
        }
        None => {}
    }
}
