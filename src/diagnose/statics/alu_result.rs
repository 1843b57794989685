//! Flow control that reads an ALU result or a predicate too early, or an ALU result too late.

use super::{Finding, Subject, at};
use crate::diagnose::code::Code;
use crate::isa::{Instruction, Type};
use std::collections::BTreeSet;

/// What flow control may read, on the paths to an instruction.
#[derive(Clone, PartialEq, Default)]
struct State {
    /// ALU instructions that wrote the ALU result or predicates, and nothing has waited since.
    running: [BTreeSet<u32>; 2],
    /// Flow-control instructions that ran since the ALU result was written; `None` if it never was.
    crossed: BTreeSet<Option<u32>>,
}

pub(super) fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let instructions = subject.program.instructions();
    let start = State { crossed: BTreeSet::from([None]), ..State::default() };
    let before = subject.paths.forward(
        start,
        |all, more| {
            for (all, more) in all.running.iter_mut().zip(&more.running) {
                all.extend(more);
            }
            all.crossed.extend(&more.crossed);
        },
        |node, state| step(node.pc, &instructions[node.pc as usize], node.active, state),
    );
    let mut findings = Vec::new();
    for (node, state) in subject.paths.nodes.iter().zip(before).filter(|(node, _)| node.active) {
        let instruction = &instructions[node.pc as usize];
        let reads = instruction.jump_reads();
        for (n, what) in ["the ALU result", "a predicate"].into_iter().enumerate() {
            if !reads[n] || instruction.common.alu_wait {
                continue;
            }
            let finding = at(
                Code::MissingAluWait,
                node.pc,
                what,
                format!("flow control may read {what} before it is written"),
            )
            .label(format!("reads {what} without ALU_WAIT"))
            .help("set ALU_WAIT in the flow-control instruction");
            let writers = state.running[n].iter();
            let note = |finding: Finding, &pc| finding.note(pc, format!("{what} is written here"));
            findings.extend((!state.running[n].is_empty()).then(|| writers.fold(finding, note)));
        }
        if !reads[0] {
            continue;
        }
        let stale = |subject: &str, message: &str| {
            at(Code::StaleAluResult, node.pc, subject, message).label("reads the ALU result")
        };
        if state.crossed.contains(&None) {
            findings.push(
                stale("", "no instruction has written the ALU result on some path to here")
                    .help("write it with ALU_WMASK in an instruction before"),
            );
        }
        let mut crossed = state.crossed.iter().flatten().peekable();
        if crossed.peek().is_some() {
            let finding =
                stale("crossed", "the ALU result does not survive a flow-control instruction")
                    .help("write the ALU result again, or use a predicate, which survives");
            let note = |finding: Finding, &pc| {
                finding.note(pc, "it is no longer valid after this instruction")
            };
            findings.push(crossed.fold(finding, note));
        }
    }
    findings
}

fn step(pc: u32, instruction: &Instruction, active: bool, state: &mut State) {
    let common = &instruction.common;
    if common.alu_wait {
        state.running = Default::default();
    }
    match instruction.alu() {
        Some(alu) if active => {
            if alu.alu_wmask {
                state.crossed.clear();
                state.running[0] = BTreeSet::from([pc]);
            }
            if common.class == Type::Alu && common.omask != 0 {
                state.running[1].insert(pc);
            }
        }
        Some(_) => {}
        // A result that was never written stays so.
        None if common.class == Type::Fc && !state.crossed.contains(&None) => {
            state.crossed = BTreeSet::from([Some(pc)]);
        }
        None => {}
    }
}
