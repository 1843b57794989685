//! Presubtracts and differences of neighbours that read what the instruction before has just
//! written.

use super::{Finding, Subject, at};
use crate::diagnose::code::Code;
use crate::isa::{Body, Instruction, Temps};
use std::collections::BTreeSet;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let instructions = subject.program.instructions();
    // The ALU instructions that may run directly before, without an idle slot after them.
    let before = subject.paths.forward(
        BTreeSet::new(),
        |all: &mut BTreeSet<u32>, more| all.extend(more),
        |node, previous| step(node.pc, &instructions[node.pc as usize], previous),
    );
    let mut findings = Vec::new();
    for (node, previous) in subject.paths.nodes.iter().zip(before).filter(|(node, _)| node.active) {
        let instruction = &instructions[node.pc as usize];
        if instruction.common.alu_wait {
            continue;
        }
        let early = Temps::read_early_by(instruction);
        for pc in previous {
            let written = Temps::written_by(&instructions[pc as usize]);
            let late = early.common(&written);
            if late.is_empty() {
                continue;
            }
            let names = subject.temps(&late);
            findings.push(
                at(
                    Code::MissingNop,
                    node.pc,
                    pc.to_string(),
                    format!("{names} may be read before the previous instruction has written it"),
                )
                .label(format!("a sum or MDH/MDV reads {names}"))
                .note(pc, format!("writes {names}, without NOP"))
                .help(format!("set NOP in the instruction at pc {pc}")),
            );
        }
    }
    findings
}

fn step(pc: u32, instruction: &Instruction, previous: &mut BTreeSet<u32>) {
    match &instruction.body {
        // Flow control that does not wait lets the ALU run on.
        Body::Fc(_) if !instruction.common.alu_wait => {}
        Body::Fc(_) | Body::Tex(_) => previous.clear(),
        Body::Alu(_) => {
            previous.clear();
            if !instruction.common.nop {
                previous.insert(pc);
            }
        }
    }
}
