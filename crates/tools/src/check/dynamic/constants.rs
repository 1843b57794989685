//! Constants that the program reads and that have no value.

use super::Setting;
use super::hits::Hits;
use super::reads::uses_integer;
use ctm_isa::isa::{Body, Instruction, Place};
use ctm_lang::program::ConstantKind;
use ctm_machine::engine::reference::GroupState;
use ctm_machine::launch::Given;

/// A constant: its kind as the code of [`ConstantKind`], and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The kind's position in [`ConstantKind::ALL`].
    pub kind: usize,
    /// The register.
    pub number: usize,
}

/// The check. The detail of a hit is the instruction that the first point read it with.
pub struct Constants<'a> {
    setting: &'a Setting<'a>,
    given: Given,
    pub hits: Hits<Key, u32>,
}

impl<'a> Constants<'a> {
    /// The check of a launch; `None` if all constants that its program uses are given, or it
    /// is unknown which are.
    pub fn new(setting: &'a Setting<'a>) -> Option<Constants<'a>> {
        let given = setting.launch.constants.given?;
        let uses = setting.launch.program.uses();
        let missing = ConstantKind::ALL.iter().any(|&kind| {
            (0..kind.count()).any(|n| uses.reads_constant(kind, n) && !given.has(kind, n))
        });
        missing.then(|| Constants { setting, given, hits: Hits::new(setting.number) })
    }

    fn read(&mut self, group: &GroupState, lanes: u64, kind: ConstantKind, number: usize) {
        if self.given.has(kind, number) {
            return;
        }
        let kind = ConstantKind::ALL.iter().position(|&one| one == kind).unwrap_or(0);
        let pc = group.pc();
        self.hits.add(group, lanes, Key { kind, number }, 0, |_| pc);
    }

    pub fn before(&mut self, group: &GroupState, instruction: &Instruction) {
        let Body::Fc(fc) = &instruction.body else {
            return;
        };
        let lanes = group.voters(fc) & group.covered();
        if uses_integer(fc.op) {
            self.read(group, lanes, ConstantKind::Int, fc.int_addr as usize);
        }
        // The boolean is bit 0 of the truth table's index.
        if (fc.jump_func ^ (fc.jump_func >> 1)) & 0x55 != 0 {
            self.read(group, lanes, ConstantKind::Bool, fc.bool_addr as usize);
        }
    }

    pub fn computed(&mut self, group: &GroupState, effective: &[u64; 4]) {
        let access = &self.setting.accesses[group.pc() as usize];
        // Two addresses may name the same constant.
        let mut seen: Vec<(usize, u64)> = Vec::new();
        for (channel, reads) in access.reads.iter().enumerate() {
            let lanes = effective[channel] & group.covered();
            for read in reads {
                let Some((_, Place::Constant(number, _))) = group.read(0, read) else { continue };
                match seen.iter_mut().find(|(known, _)| *known == number) {
                    Some((_, known)) => *known |= lanes,
                    None => seen.push((number, lanes)),
                }
            }
        }
        for (number, lanes) in seen {
            self.read(group, lanes, ConstantKind::Float, number);
        }
    }
}
