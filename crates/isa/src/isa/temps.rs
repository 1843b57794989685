//! The temporaries that an instruction reads and writes.

use super::TEMPORARIES;
use super::access::{Read, SourcesRead, Whose, reads, writes};
use super::codes::*;
use super::instruction::*;

/// Channels of temporaries: four bits for each temporary, bit 0 R to bit 3 A.
#[derive(Clone, PartialEq, Eq)]
pub struct Temps([u8; TEMPORARIES]);

impl Temps {
    /// No channel.
    pub fn none() -> Temps {
        Temps([0; TEMPORARIES])
    }
    /// Adds channels of a temporary; of all temporaries if the address is relative.
    pub fn add(&mut self, addr: u8, relative: bool, channels: u8) {
        if relative {
            self.0.iter_mut().for_each(|temp| *temp |= channels);
        } else if let Some(temp) = self.0.get_mut(addr as usize) {
            *temp |= channels;
        }
    }
    /// Removes channels of a temporary.
    pub fn remove(&mut self, addr: u8, channels: u8) {
        if let Some(temp) = self.0.get_mut(addr as usize) {
            *temp &= !channels;
        }
    }
    /// Adds all channels of another set.
    pub fn join(&mut self, other: &Temps) {
        self.0.iter_mut().zip(&other.0).for_each(|(temp, other)| *temp |= other);
    }
    /// The channels that both sets have.
    pub fn common(&self, other: &Temps) -> Temps {
        Temps(std::array::from_fn(|n| self.0[n] & other.0[n]))
    }
    /// Whether the sets have a channel in common.
    pub fn meets(&self, other: &Temps) -> bool {
        // Without an early end it is a handful of vector instructions.
        self.0.iter().zip(&other.0).fold(0, |all, (a, b)| all | a & b) != 0
    }
    /// Whether there is no channel.
    pub fn is_empty(&self) -> bool {
        !self.meets(self)
    }
    /// The channels of a temporary.
    pub fn of(&self, addr: u8) -> u8 {
        self.0.get(addr as usize).copied().unwrap_or_default()
    }
    /// The temporaries with channels, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u8, u8)> {
        self.0.iter().enumerate().map(|(n, mask)| (n as u8, *mask)).filter(|(_, mask)| *mask != 0)
    }

    /// The temporaries that an instruction reads so, with an effect.
    fn read(instruction: &Instruction, so: impl Fn(&Read) -> bool) -> Temps {
        let mut temps = Temps::none();
        reads(instruction, &mut |_, read| {
            if let Some(Register::Temp(n, relative)) = read.register.filter(|_| so(&read)) {
                temps.add(n, relative, 1 << read.channel);
            }
        });
        temps
    }

    /// The temporaries that an instruction reads with an effect.
    pub fn read_by(instruction: &Instruction) -> Temps {
        Temps::read(instruction, |_| true)
    }

    /// The temporaries that an instruction may write. Predicates and inactive points are not
    /// considered.
    pub fn written_by(instruction: &Instruction) -> Temps {
        let mut temps = Temps::none();
        for (dest, relative, channels) in instruction.destinations() {
            temps.add(dest, relative, channels);
        }
        temps
    }

    /// The temporaries that an instruction reads before its inputs: the sources of presubtracts and
    /// of MDH and MDV.
    pub fn read_early_by(instruction: &Instruction) -> Temps {
        let early = |unit: &Unit| {
            unit.op.is_neighbour() || unit.inputs.iter().any(|input| input.sel == Sel::Srcp)
        };
        if !instruction.alu().is_some_and(|alu| alu.units.iter().any(early)) {
            return Temps::none();
        }
        Temps::read(instruction, |read| read.presubtract || read.whose != Whose::Own)
    }
}

impl Instruction {
    /// The temporaries that the instruction may write: number, whether aL is added, channels.
    pub fn destinations(&self) -> impl Iterator<Item = (u8, bool, u8)> {
        let temp = |(register, channels)| match register {
            Register::Temp(n, relative) => Some((n, relative, channels)),
            Register::Global(..) => None,
        };
        self.written().filter_map(temp)
    }

    /// The registers that the instruction may write, the RGB unit's first, with their channels.
    pub fn written(&self) -> impl Iterator<Item = (Register, u8)> {
        let wmask = self.common.wmask;
        let found = match &self.body {
            Body::Alu(alu) => [RGB, ALPHA].map(|n| {
                let unit = &alu.units[n];
                (self.register(unit.dest, unit.dest_rel), wmask & UNIT_MASKS[n])
            }),
            Body::Tex(tex) if tex.op.fetches() => {
                [(Register::Temp(tex.dest, tex.dest_rel), wmask), (Register::Temp(0, false), 0)]
            }
            Body::Tex(_) | Body::Fc(_) => [(Register::Temp(0, false), 0); 2],
        };
        found.into_iter().filter(|(_, channels)| *channels != 0)
    }

    /// The registers that the instruction reads as source operands, in the order rgb0 to rgb2, a0
    /// to a2; of TEX, the coordinate as the first one. `None` for addresses that are not read or
    /// hold constants.
    pub fn read_registers(&self) -> [Option<Register>; 6] {
        match &self.body {
            Body::Alu(alu) => {
                let read = SourcesRead::of(self);
                std::array::from_fn(|n| {
                    let (unit, source) = (n / 3, n % 3);
                    let register = self.source_register(alu.units[unit].sources[source]);
                    register.filter(|_| read.reads(unit, source))
                })
            }
            Body::Tex(tex) if tex.op.coordinates() != 0 => {
                let mut sources = [None; 6];
                sources[0] = Some(Register::Temp(tex.src.addr, tex.src.relative));
                sources
            }
            Body::Tex(_) | Body::Fc(_) => [None; 6],
        }
    }

    /// The entries of JUMP_FUNC that can be asked for, as (index, entry): without a selected
    /// predicate its value is 1. Empty unless the class is FC.
    fn jump_entries(&self) -> impl Iterator<Item = (u8, bool)> {
        let function = match &self.body {
            Body::Fc(fc) => Some(fc.jump_func),
            Body::Alu(_) | Body::Tex(_) => None,
        };
        let fixed = self.common.pred_sel[RGB] == PredSel::None;
        function.into_iter().flat_map(move |function| {
            let possible = move |n: &u8| !fixed || n & 2 != 0;
            (0..8).filter(possible).map(move |n| (n, function >> n & 1 != 0))
        })
    }

    /// Whether some point can want to jump, and whether some point can want to stay.
    pub fn wishes(&self) -> [bool; 2] {
        [true, false].map(|wish| self.jump_entries().any(|(_, entry)| entry == wish))
    }

    /// Whether the ALU result, the predicate and the boolean constant can change a jump.
    pub fn jump_reads(&self) -> [bool; 3] {
        [4, 2, 1].map(|bit| {
            let entries: Vec<(u8, bool)> = self.jump_entries().collect();
            let differs = |&(n, entry): &(u8, bool)| {
                entries.iter().any(|&(other, value)| other == n ^ bit && value != entry)
            };
            entries.iter().any(differs)
        })
    }

    /// The predicate bits that the instruction reads: bit 0 R to bit 3 A.
    pub fn predicates_read(&self) -> u8 {
        let jump = self.common.pred_sel[RGB].bit(0).filter(|_| self.jump_reads()[1]);
        let mut bits = jump.map_or(0, |bit| 1 << bit);
        writes(self, false, &mut |write| bits |= write.gate.map_or(0, |bit| 1 << bit));
        bits
    }
}
