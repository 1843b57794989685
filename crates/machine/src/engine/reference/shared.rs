//! Shared registers: which instruction reads and writes which of them, and pairs of groups that
//! step in turn.

use super::RunState;
use super::group::{GroupState, Simd};
use crate::engine::groups::slots;
use crate::engine::{Fault, FaultCode, Stopped};
use crate::launch::{Globals, Shared};
use ctm_isa::isa::{Instruction, Register};
use std::sync::Arc;

/// The elements of global registers, by register and slot, that an instruction reads and writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Touched {
    /// The instruction.
    pc: u32,
    read: Vec<(usize, usize)>,
    written: Vec<(usize, usize)>,
}

impl Touched {
    pub(super) fn clear(&mut self) {
        self.read.clear();
        self.written.clear();
    }

    /// The instruction that reads what the other one writes, if one does: this one before the other.
    fn conflict(&self, other: &Touched) -> Option<u32> {
        let meet = |a: &[(usize, usize)], b: &[(usize, usize)]| a.iter().any(|x| b.contains(x));
        if meet(&other.written, &self.read) {
            Some(self.pc)
        } else {
            meet(&self.written, &other.read).then_some(other.pc)
        }
    }
}

/// What one operand of one point is.
enum Operand {
    /// A register of the point itself.
    Own,
    /// A clause temporary.
    Clause,
    /// A global register.
    Global(usize),
    /// A global register that does not exist.
    Outside(i64),
}

impl Operand {
    fn of(group: &GroupState, slot: usize, register: Register) -> Operand {
        match register {
            Register::Temp(n, relative) => {
                if group.temp_index(n, relative) < group.first_clause {
                    Operand::Own
                } else {
                    Operand::Clause
                }
            }
            Register::Global(n, ar_x) => {
                let index = group.global_index(slot, n, ar_x);
                let known = usize::try_from(index).ok();
                let known = known.filter(|n| *n < group.simd.globals.len());
                known.map_or(Operand::Outside(index), Operand::Global)
            }
        }
    }
}

impl RunState<'_> {
    /// Counts the shared registers that the active covered points read and write with the
    /// instruction that is about to run, and their faults.
    pub(super) fn touch(&mut self, instruction: &Instruction) {
        self.group.touched.pc = self.group.pc();
        let sources: Vec<Register> = instruction.read_registers().into_iter().flatten().collect();
        let written: Vec<(Register, u8)> = instruction.written().collect();
        for slot in slots(self.group.active() & self.group.covered) {
            let gate = instruction.common.gate(self.group.predicates[slot]);
            let mut outside = None;
            for &source in &sources {
                match Operand::of(self.group, slot, source) {
                    Operand::Own => continue,
                    Operand::Clause => {}
                    Operand::Global(n) => self.group.touched.read.push((n, slot)),
                    Operand::Outside(index) => {
                        outside = outside.or(Some(index));
                        continue;
                    }
                }
                self.part.statistics.shared_reads += 1;
            }
            for &(register, _) in written.iter().filter(|(_, channels)| channels & gate != 0) {
                match Operand::of(self.group, slot, register) {
                    Operand::Own => continue,
                    Operand::Clause => {}
                    Operand::Global(n) => self.group.touched.written.push((n, slot)),
                    Operand::Outside(index) => {
                        outside = outside.or(Some(index));
                        continue;
                    }
                }
                self.part.statistics.shared_writes += 1;
            }
            if let Some(index) = outside {
                let (number, word) = Fault::of_global(index);
                self.fault(FaultCode::Shared, slot, number, word);
            }
        }
    }

    /// Runs groups in pairs, SIMD by SIMD. Returns what the global registers then hold.
    pub(super) fn pairs(
        &mut self,
        shared: &Shared,
        groups: &mut dyn Iterator<Item = u64>,
        done: &dyn Fn(u64),
    ) -> Result<Globals, Stopped> {
        // Only groups that run have a number.
        let grouping = self.group.grouping;
        let (mut running, mut ended) = (Vec::new(), 0);
        for n in groups {
            self.stop.check()?;
            let tile = grouping.tile(n);
            let covered = self.cover(tile);
            if covered == 0 {
                done(ended);
                ended += 1;
            } else {
                running.push((tile, covered));
            }
        }
        let mut waiting = GroupState::new(self.launch);
        let simds = shared.simds as usize;
        let mut after = Vec::with_capacity(shared.globals.len());
        for simd in 0..simds {
            self.group.simd = Simd::new(shared, simd);
            let own: Vec<_> = running.iter().skip(simd).step_by(simds).collect();
            for pair in own.chunks(2) {
                // The even group first; a single group has no partner.
                let mut open = [false; 2];
                for (parity, &&(tile, covered)) in pair.iter().enumerate() {
                    if parity == 1 {
                        self.turn(&mut waiting);
                    }
                    self.group.parity = parity;
                    self.start(tile, covered);
                    open[parity] = true;
                }
                if pair.len() == 2 {
                    self.turn(&mut waiting);
                }
                while open != [false; 2] {
                    self.group.touched.clear();
                    waiting.touched.clear();
                    for open in &mut open {
                        if *open {
                            *open = self.advance()?.is_none();
                            if !*open {
                                done(ended);
                                ended += 1;
                            }
                        }
                        if pair.len() == 2 {
                            self.turn(&mut waiting);
                        }
                    }
                    if let Some(pc) = self.group.touched.conflict(&waiting.touched) {
                        self.part.statistics.shared_conflicts += 1;
                        if let Some(watched) = &mut self.watched {
                            watched.observer.conflict(pc);
                        }
                    }
                }
            }
            after.extend(self.group.simd.globals.drain(..).flatten());
        }
        Ok(Arc::new(after))
    }

    /// Exchanges the group whose turn it is with the waiting one. The shared registers go with the
    /// turn.
    fn turn(&mut self, waiting: &mut GroupState) {
        std::mem::swap(&mut self.group.simd, &mut waiting.simd);
        std::mem::swap(self.group, waiting);
    }
}
