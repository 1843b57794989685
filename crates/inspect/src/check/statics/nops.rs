//! Presubtracts and differences of neighbours that read what the instruction before has just
//! written.

use super::pcs::Pcs;
use super::{Finding, Stopped, Subject, at};
use crate::check::code::Code;
use ctm_isa::isa::{Body, Instruction, Temps};

pub(super) fn check(subject: &Subject<'_>) -> Result<Vec<Finding>, Stopped> {
    // The ALU instructions that may run directly before, without an idle slot after them.
    let none = Pcs::default();
    let mut findings = Vec::new();
    for (pc, instruction, previous) in subject.before(none, none, step)? {
        if instruction.common.alu_wait {
            continue;
        }
        let early = Temps::read_early_by(instruction);
        let of = |writer: u32| early.common(&subject.writes[writer as usize]);
        let writers = || previous.iter().filter(|&writer| !of(writer).is_empty());
        let Some(first) = writers().next() else { continue };
        let mut late = Temps::none();
        writers().for_each(|writer| late.join(&of(writer)));
        let names = subject.temps(&late);
        let text = |writer| format!("writes {}, without NOP", subject.temps(&of(writer)));
        let finding = at(
            Code::MissingNop,
            pc,
            first.to_string(),
            format!("{names} may be read before the previous instruction has written it"),
        );
        findings.push(
            finding
                .label(format!("a sum or MDH/MDV reads {names}"))
                .notes(writers().map(|writer| (writer, text(writer))))
                .help(match writers().count() {
                    1 => format!("set NOP in the instruction at pc {first}"),
                    n => format!("set NOP in the {n} instructions that may come before"),
                }),
        );
    }
    Ok(findings)
}

fn step(pc: u32, instruction: &Instruction, _: bool, previous: &mut Pcs) {
    match &instruction.body {
        // Flow control that does not wait lets the ALU run on.
        Body::Fc(_) if !instruction.common.alu_wait => {}
        Body::Fc(_) | Body::Tex(_) => *previous = Pcs::default(),
        Body::Alu(_) if instruction.common.nop => *previous = Pcs::default(),
        Body::Alu(_) => *previous = Pcs::of(pc),
    }
}
