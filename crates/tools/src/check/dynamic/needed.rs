//! Whether a launch can read a temporary, predicate or ALU result that it has not written. Without
//! such a read on any path the check of them is not run.

use super::Setting;
use ctm_isa::isa::{Body, Instruction, Register, TEMPORARIES, Type, UNIT_MASKS};

/// The channels of each temporary that a point does not start with.
pub fn undefined_at_start(setting: &Setting) -> [u8; TEMPORARIES] {
    let launch = setting.launch;
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

/// Whether a launch can read something undefined: follows the instructions up to the first that
/// branches, with what is certainly written by then.
pub fn needed(setting: &Setting, start: &[u8; TEMPORARIES]) -> bool {
    let program = &setting.launch.program;
    let mut defined = Defined { temps: start.map(|undefined| !undefined & 15), others: 0 };
    let (first, last) = (program.registers().start(), program.registers().end());
    let instructions = program.instructions();
    for (pc, instruction) in instructions.iter().enumerate().skip(first as usize) {
        if matches!(instruction.body, Body::Fc(_)) {
            break;
        }
        if defined.reads_undefined(setting, pc, instruction) {
            return true;
        }
        defined.write(instruction);
        if pc == last as usize {
            return false;
        }
    }
    // With flow control, only what is written before it is written on every path.
    instructions.iter().enumerate().any(|(pc, one)| defined.reads_undefined(setting, pc, one))
}

/// What is certainly written.
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

    fn reads_undefined(&self, setting: &Setting, pc: usize, instruction: &Instruction) -> bool {
        let common = &instruction.common;
        let predicate = |bit: Option<usize>| bit.is_some_and(|bit| self.others >> bit & 1 == 0);
        match &instruction.body {
            Body::Fc(fc) => {
                let table =
                    |shift: u32, mask: u8| (fc.jump_func ^ (fc.jump_func >> shift)) & mask != 0;
                let alu_result = table(4, 0x0f) && self.others >> 4 & 1 == 0;
                alu_result || table(2, 0x33) && predicate(common.gates()[0])
            }
            Body::Tex(_) | Body::Alu(_) => {
                let mut reads = setting.accesses[pc].reads.iter().flatten();
                let operand = reads.any(|read| match read.register {
                    Some(Register::Temp(n, relative)) => !self.temp(n, relative, read.channel),
                    Some(Register::Global(..)) | None => false,
                });
                operand || common.gates().into_iter().any(predicate)
            }
        }
    }

    /// Adds what an instruction writes in every slot that is active.
    fn write(&mut self, instruction: &Instruction) {
        let common = &instruction.common;
        let free = common.gates().map(|bit| bit.is_none());
        let ungated = (0..4).filter(|&n| free[n]).fold(0, |mask, n| mask | 1 << n) & common.wmask;
        match &instruction.body {
            Body::Fc(_) => {}
            // A fetch with IGNORE_UNCOVERED leaves uncovered slots, which neighbours may read.
            Body::Tex(tex) if tex.op.fetches() && !tex.dest_rel && !tex.ignore_uncovered => {
                self.temps[tex.dest as usize & 127] |= ungated;
            }
            Body::Tex(_) => {}
            Body::Alu(alu) => {
                for (unit, mask) in alu.units.iter().zip(UNIT_MASKS) {
                    if !unit.dest_rel {
                        self.temps[unit.dest as usize & 127] |= ungated & mask;
                    }
                }
                if common.class == Type::Alu {
                    self.others |= common.omask;
                }
                self.others |= (alu.alu_wmask as u8) << 4;
            }
        }
    }
}
