//! Clause temporaries that are read after another clause began.

use super::dataflow::State;
use super::{Finding, Stopped, Subject, at};
use crate::check::code::Code;
use ctm_isa::isa::{Instruction, Register, Temps, Type};
use ctm_lang::asm::mask_text;

/// The clause temporaries that the paths to an instruction have written.
#[derive(Clone, PartialEq)]
pub(super) struct Written {
    /// Since the last TEX or FC instruction.
    here: Temps,
    /// Before it.
    before: Temps,
}

impl State for Written {
    fn join(&mut self, other: &Written) {
        self.here.join(&other.here);
        self.before.join(&other.before);
    }
}

pub(super) fn check(subject: &Subject<'_>) -> Result<Vec<Finding>, Stopped> {
    let Some(sharing) = subject.program.sharing().filter(|sharing| sharing.clauses() != 0) else {
        return Ok(Vec::new());
    };
    let first = sharing.first_clause();
    let start = Written { here: Temps::none(), before: Temps::none() };
    let step = |_, instruction: &Instruction, active, state: &mut Written| {
        if !matches!(instruction.common.class, Type::Alu | Type::Out) {
            let here = std::mem::replace(&mut state.here, Temps::none());
            state.before.join(&here);
        }
        for (temp, relative, channels) in instruction.destinations().filter(|_| active) {
            if !relative && temp as usize >= first {
                state.here.add(temp, false, channels);
                state.before.remove(temp, channels);
            }
        }
    };
    let mut findings: Vec<Finding> = Vec::new();
    for (pc, instruction, state) in subject.before(start.clone(), start, step)? {
        // With aL it may be any temporary.
        let relative = |source: Option<Register>| matches!(source, Some(Register::Temp(_, true)));
        if instruction.read_registers().into_iter().any(relative) {
            continue;
        }
        for (temp, channels) in subject.reads[pc as usize].iter() {
            let lost = channels & state.before.of(temp);
            let Some(clause) = (temp as usize).checked_sub(first).filter(|_| lost != 0) else {
                continue;
            };
            let name = format!("ct{clause}.{}", mask_text(lost));
            let message = format!("{name} was written before a TEX or FC instruction");
            findings.push(
                at(Code::ClauseKept, pc, &name, message)
                    .label(format!("reads {name}"))
                    .help("an R700 keeps clause temporaries only within a clause; use a temporary"),
            );
        }
    }
    Ok(findings)
}
