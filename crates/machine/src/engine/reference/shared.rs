//! Shared registers: which instruction reads and writes which of them, and pairs of groups that
//! step in turn.

use super::RunState;
use super::group::{GroupState, Simd};
use crate::engine::groups::slots;
use crate::engine::{Fault, FaultCode, Stopped};
use crate::launch::{Globals, Shared};
use ctm_isa::isa::{Instruction, Place, Register};
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

impl RunState<'_> {
    /// Counts the shared registers that the active covered points read and write with the
    /// instruction that is about to run, and their faults.
    pub(super) fn touch(&mut self, instruction: &Instruction) {
        self.group.touched.pc = self.group.pc();
        let reads = instruction.read_registers().into_iter().flatten();
        let reads: Vec<(Register, bool)> = reads.map(|register| (register, false)).collect();
        for slot in slots(self.group.active() & self.group.covered) {
            let gate = instruction.common.gate(self.group.predicates[slot]);
            let written = instruction.written().filter(|(_, channels)| channels & gate != 0);
            let written = written.map(|(register, _)| (register, true));
            let mut outside = None;
            for (register, writes) in reads.iter().copied().chain(written) {
                match self.group.place(slot, register, 0) {
                    Place::Temp(n, _) if n < self.group.first_clause => continue,
                    Place::Global(n, _) if !self.group.has_global(n) => {
                        outside = outside.or(Some(n));
                        continue;
                    }
                    Place::Global(n, _) => {
                        let touched = &mut self.group.touched;
                        let list = if writes { &mut touched.written } else { &mut touched.read };
                        list.push((n as usize, slot));
                    }
                    _ => {}
                }
                let statistics = &mut self.part.statistics;
                *if writes {
                    &mut statistics.shared_writes
                } else {
                    &mut statistics.shared_reads
                } += 1;
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
                            watched.observer(0).conflict(pc);
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
