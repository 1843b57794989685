//! Whether a launch can read a temporary, predicate or ALU result that it has not written. Without
//! such a read on any path the check of them is not run.

use ctm_isa::isa::{Access, Body, Instruction, Register, TEMPORARIES, To, Type};
use ctm_machine::engine::Checked;

/// The channels of each temporary that a point does not start with.
pub fn undefined_at_start(launch: &Checked<'_>) -> [u8; TEMPORARIES] {
    let mut undefined = [15; TEMPORARIES];
    undefined[0] = 0;
    if launch.interpolants.is_some() {
        undefined[1..8].fill(0);
    }
    // Clause temporaries hold what the groups before have left.
    undefined[launch.program.sharing().unwrap_or_default().first_clause()..].fill(0);
    for initial in &launch.initial {
        if let Some(channels) = undefined.get_mut(initial.temp as usize) {
            *channels = 0;
        }
    }
    undefined
}

/// Whether a launch can read an undefined value: follows the instructions up to the first branch, with
/// the registers that are certainly written by then.
pub fn needed(launch: &Checked<'_>, start: &[u8; TEMPORARIES]) -> bool {
    let (program, accesses) = (&launch.program, launch.program.accesses());
    let mut defined = Defined { temps: start.map(|undefined| !undefined & 15), others: 0 };
    let (first, last) = (program.registers().start(), program.registers().end());
    let all = || program.instructions().iter().zip(accesses.iter());
    for (pc, (instruction, access)) in all().enumerate().skip(first as usize) {
        if matches!(instruction.body, Body::Fc(_)) {
            break;
        }
        if defined.reads_undefined(instruction, access) {
            return true;
        }
        defined.write(instruction, access);
        if pc == last as usize {
            return false;
        }
    }
    // With flow control, only what is written before it is written on every path.
    all().any(|(instruction, access)| defined.reads_undefined(instruction, access))
}

/// The registers that are certainly written.
struct Defined {
    temps: [u8; TEMPORARIES],
    /// Predicate bits, and bit 4 for the ALU result.
    others: u8,
}

impl Defined {
    fn temp(&self, n: u8, relative: bool, channel: usize) -> bool {
        let whole = |channels: &u8| channels >> channel & 1 != 0;
        if relative { self.temps.iter().all(whole) } else { whole(&self.temps[n as usize & 127]) }
    }

    fn reads_undefined(&self, instruction: &Instruction, access: &Access) -> bool {
        let gates = instruction.common.gates();
        let predicate = |bit: Option<usize>| bit.is_some_and(|bit| self.others >> bit & 1 == 0);
        if instruction.common.class == Type::Fc {
            let [alu_result, reads_predicate, _] = instruction.jump_reads();
            let undefined = self.others >> 4 & 1 == 0;
            return alu_result && undefined || reads_predicate && predicate(gates[0]);
        }
        let operand = access.reads.iter().flatten().any(|read| match read.register {
            Some(Register::Temp(n, relative)) => !self.temp(n, relative, read.channel),
            Some(Register::Global(..)) | None => false,
        });
        operand || gates.into_iter().any(predicate)
    }

    /// Adds what an instruction writes in every slot that is active.
    fn write(&mut self, instruction: &Instruction, access: &Access) {
        // A fetch with IGNORE_UNCOVERED leaves uncovered slots, which neighbours may read.
        let leaves = matches!(&instruction.body, Body::Tex(tex) if tex.ignore_uncovered);
        for write in access.writes.iter().filter(|write| write.gate.is_none() && !leaves) {
            match write.to {
                To::Register(Register::Temp(n, false)) => {
                    self.temps[usize::from(n) & 127] |= 1 << write.channel;
                }
                To::Predicate => self.others |= 1 << write.channel,
                To::AluResult => self.others |= 1 << 4,
                To::Register(_) | To::Output(_) | To::Uncached | To::Own => {}
            }
        }
    }
}
