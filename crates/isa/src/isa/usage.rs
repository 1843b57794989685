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
    /// The channels of source 0 that are read at other points of the quad, by MDH and MDV.
    pub neighbours: u8,
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
        let (mut inputs, mut neighbours) = ([0; 3], 0);
        for lanes in UNIT_MASKS.map(|mask| lanes & mask) {
            let Some(first) = channels(lanes).next() else { continue };
            let (op, channel) = alu.computed(first);
            let lanes = if channel == first { lanes } else { 1 << channel };
            neighbours |= if op.is_neighbour() { lanes } else { 0 };
            for (input, lanes) in inputs.iter_mut().zip(op.lanes(lanes)) {
                *input |= lanes;
            }
        }
        Some(Usage { units, inputs, neighbours })
    }

    /// Whether neither unit has an effect.
    pub fn is_idle(&self) -> bool {
        self.units == [false; 2]
    }
}
