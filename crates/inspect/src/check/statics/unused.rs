//! Results that no instruction uses.

use super::dataflow::State;
use super::{Finding, Stopped, Subject, at};
use crate::check::code::Code;
use ctm_isa::isa::{Access, AluOp, Instruction, OUTPUTS, RGB, Register, TEMPORARIES, Temps, To};
use ctm_lang::asm::mask_text;

/// The registers that some path after an instruction uses.
#[derive(Clone, PartialEq)]
pub(super) struct Live {
    temps: Temps,
    predicates: u8,
    alu_result: bool,
    outputs: [u8; OUTPUTS],
}

impl Live {
    fn none() -> Live {
        Live { temps: Temps::none(), predicates: 0, alu_result: false, outputs: [0; OUTPUTS] }
    }
    /// Adds what an instruction reads.
    fn reads(&mut self, instruction: &Instruction, temps: &Temps) {
        self.temps.join(temps);
        self.predicates |= instruction.predicates_read();
        self.alu_result |= instruction.jump_reads()[0];
    }
    /// Removes what an instruction certainly overwrites.
    fn writes(&mut self, access: &Access) {
        for write in access.writes.iter().filter(|write| write.gate.is_none()) {
            let bit = 1 << write.channel;
            match write.to {
                To::Register(Register::Temp(n, false)) => self.temps.remove(n, bit),
                To::Output(n) => self.outputs[n] &= !bit,
                To::Predicate => self.predicates &= !bit,
                To::AluResult => self.alu_result = false,
                To::Register(_) | To::Uncached | To::Own => {}
            }
        }
    }
}

impl State for Live {
    fn join(&mut self, other: &Live) {
        self.temps.join(&other.temps);
        self.predicates |= other.predicates;
        self.alu_result |= other.alu_result;
        self.outputs.iter_mut().zip(other.outputs).for_each(|(mask, other)| *mask |= other);
    }
}

/// The channels of each held output that an instruction writes.
pub(super) fn outputs(access: &Access) -> [u8; OUTPUTS] {
    let mut outputs = [0; OUTPUTS];
    for write in &access.writes {
        if let To::Output(n) = write.to {
            outputs[n] |= 1 << write.channel;
        }
    }
    outputs
}

pub(super) fn check(subject: &Subject<'_>) -> Result<Vec<Finding>, Stopped> {
    if subject.paths.cut {
        return Ok(Vec::new());
    }
    let instructions = subject.program.instructions();
    // A neighbour's value may come from another path, and an instruction that writes for inactive
    // points reads theirs.
    let mut always = Live::none();
    for (instruction, reads) in instructions.iter().zip(&subject.reads) {
        if instruction.common.write_inactive {
            always.reads(instruction, reads);
        } else if instruction.alu().is_some_and(|alu| alu.units.iter().any(|u| u.op.is_neighbour()))
        {
            always.temps.join(&Temps::read_early_by(instruction));
        }
    }
    // The next groups read what clause temporaries hold.
    let first = subject.program.sharing().unwrap_or_default().first_clause();
    for clause in first..TEMPORARIES {
        always.temps.add(clause as u8, false, 15);
    }
    let end = Live { outputs: [15; OUTPUTS], ..Live::none() };
    let after = subject.paths.backward(
        end,
        Live::none(),
        |node, live| {
            let instruction = &instructions[node.pc as usize];
            if node.active {
                live.writes(&subject.accesses[node.pc as usize]);
                live.reads(instruction, &subject.reads[node.pc as usize]);
            }
        },
        subject.stop,
    )?;
    if subject.paths.gave_up.get() {
        return Ok(Vec::new());
    }
    let run = subject.run_by_points();
    let mut used: Vec<Live> = instructions.iter().map(|_| always.clone()).collect();
    for (node, live) in subject.paths.nodes.iter().zip(&after) {
        used[node.pc as usize].join(live);
    }
    let checked = instructions.iter().zip(used).zip(0..).filter(|(_, pc)| run[*pc as usize]);
    Ok(checked
        .flat_map(|((instruction, live), pc)| dead(subject, pc, instruction, &live))
        .collect())
}

/// The results of an instruction that are not used at all.
fn dead(subject: &Subject<'_>, pc: u32, instruction: &Instruction, live: &Live) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut unused = |what: &str, message: String| {
        let finding = at(Code::UnusedResult, pc, what, message).label(format!("writes {what}"));
        findings.push(finding);
    };
    if instruction.destinations().all(|(_, relative, _)| !relative) {
        for (temp, channels) in subject.writes[pc as usize].iter() {
            // MOVA_FLOOR writes AR.X where it writes red.
            let moves = instruction.alu().is_some_and(|alu| alu.units[RGB].op == AluOp::MovaFloor);
            if live.temps.of(temp) & channels == 0 && !(moves && channels & 1 != 0) {
                let name = subject.temp(temp, channels);
                unused(&name, format!("no instruction uses {name}"));
            }
        }
    }
    let access = &subject.accesses[pc as usize];
    for (n, (channels, live)) in (0..).zip(outputs(access).into_iter().zip(live.outputs)) {
        if channels != 0 && channels & live == 0 {
            let name = format!("{}.{}", subject.output(n), mask_text(channels));
            unused(&name, format!("{name} is always written again before the program ends"));
        }
    }
    let set = access.writes.iter().filter(|write| write.to == To::Predicate);
    let set = set.fold(0, |set, write| set | 1 << write.channel);
    if set != 0 && set & live.predicates == 0 {
        let name = format!("p.{}", mask_text(set));
        unused(&name, format!("no instruction uses {name}"));
    }
    if instruction.alu().is_some_and(|alu| alu.alu_wmask) && !live.alu_result {
        unused("the ALU result", "no instruction uses the ALU result".to_string());
    }
    findings
}
