//! Computes which units, lanes and sources of an instruction have an effect.
//!
//! The verifier refuses invalid codes only if they have an effect, disassembly hides idle units,
//! and lowering drops them. All three use this module.

use super::channels;
use super::codes::*;
use super::instruction::*;

/// The parts of an ALU or OUT instruction that have an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Usage {
    /// Whether the result of the RGB unit and of the alpha unit is used. (The inputs A and B that
    /// DP4 reads do not count for the alpha unit.)
    pub units: [bool; 2],
    /// For inputs A, B, C: the lanes read, bit 0 red to bit 3 alpha. DP4 reads all four.
    pub inputs: [u8; 3],
}

impl Usage {
    /// The usage of an ALU or OUT instruction; `None` for TEX and FC.
    pub fn of(instruction: &Instruction) -> Option<Usage> {
        let alu = instruction.alu()?;
        let ops = alu.units.map(|unit| unit.op);

        let lanes = instruction.results();
        let [rgb, alpha] = UNIT_MASKS.map(|mask| lanes & mask != 0);
        let units =
            [rgb || (alpha && ops[ALPHA] == AluOp::Dp), alpha || (rgb && ops[RGB] == AluOp::Sop)];
        let mut inputs = [0; 3];
        for channel in channels(lanes) {
            let (op, channel) = alu.computed(channel);
            for (input, lanes) in inputs.iter_mut().zip(op.lanes(channel)) {
                *input |= lanes;
            }
        }
        Some(Usage { units, inputs })
    }

    /// Whether neither unit has an effect.
    pub fn is_idle(&self) -> bool {
        self.units == [false; 2]
    }
}

/// Which channels of its sources an ALU or OUT instruction reads: bit 0 R to bit 3 A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SourcesRead {
    /// Channels of sources 0 to 2: R, G, B of rgb0 to rgb2, A of a0 to a2.
    pub sources: [u8; 3],
    /// Channels of the presubtract results.
    pub srcp: u8,
}

impl SourcesRead {
    /// The sources that the used lanes of an instruction read, including presubtract and MDH/MDV.
    pub fn of(alu: &Alu, usage: &Usage) -> SourcesRead {
        let mut read = SourcesRead::default();
        for (n, lanes) in usage.inputs.into_iter().enumerate() {
            for lane in channels(lanes) {
                let (sel, swizzle, _) = alu.lane(n, lane);
                read.lane(sel, swizzle);
            }
        }
        for (n, (unit, mask)) in alu.units.iter().zip(UNIT_MASKS).enumerate() {
            if usage.units[n] && unit.op.is_neighbour() {
                // A and C take the lanes of src0 that B uses.
                read.sources[0] |= usage.inputs[1] & mask;
            }
            read.sources[0] |= read.srcp & mask;
            if unit.presub.sources() == 2 {
                read.sources[1] |= read.srcp & mask;
            }
        }
        read
    }

    /// Whether a unit, [`RGB`] or [`ALPHA`], reads its source n.
    pub fn reads(&self, unit: usize, n: usize) -> bool {
        self.sources[n] & UNIT_MASKS[unit] != 0
    }

    fn lane(&mut self, sel: Sel, swizzle: Swizzle) {
        let Some(channel) = swizzle.channel() else { return };
        match sel.source() {
            None => self.srcp |= 1 << channel,
            Some(n) => self.sources[n] |= 1 << channel,
        }
    }
}
