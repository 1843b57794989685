//! Computes which units, lanes and sources of an instruction have an effect.
//!
//! The verifier refuses invalid codes only if they have an effect, disassembly hides idle units,
//! and lowering drops them. All three use this module.

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
        let common = &instruction.common;
        let ops = alu.units.map(|unit| unit.op);

        let mut lanes = common.wmask | common.omask | (alu.w_omask as u8) << 3;
        if alu.alu_wmask {
            lanes |= match common.alu_result_sel {
                AluResultSel::Red => 1,
                AluResultSel::Alpha => 8,
            };
        }
        let [rgb, alpha] = UNIT_MASKS.map(|mask| lanes & mask != 0);
        let units =
            [rgb || (alpha && ops[ALPHA] == AluOp::Dp), alpha || (rgb && ops[RGB] == AluOp::Sop)];

        let reads = |unit: usize, lanes: u8| {
            [A, B, C].map(|input| if ops[unit].operands() & input != 0 { lanes } else { 0 })
        };
        let mut inputs = [0; 3];
        if units[RGB] {
            inputs = match ops[RGB] {
                AluOp::Dp3 => [7, 7, 0],
                AluOp::Dp4 => [15, 15, 0],
                AluOp::D2a => [3, 3, 4],
                _ => reads(RGB, lanes & 7),
            };
        }
        if units[ALPHA] {
            for (input, lane) in inputs.iter_mut().zip(reads(ALPHA, 8)) {
                *input |= lane;
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
            for lane in (0..4).filter(|lane| lanes >> lane & 1 != 0) {
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
            if matches!(unit.presub, Presub::Sub | Presub::Add) {
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
        match (sel, swizzle.channel()) {
            (_, None) => {}
            (Sel::Srcp, Some(channel)) => self.srcp |= 1 << channel,
            (sel, Some(channel)) => self.sources[sel.code() as usize] |= 1 << channel,
        }
    }
}
