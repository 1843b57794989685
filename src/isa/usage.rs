//! Computes which units, lanes and sources of an instruction have an effect.
//!
//! The verifier refuses invalid codes only if they have an effect, disassembly hides idle units,
//! and lowering drops them. All three use this module.

use super::codes::*;
use super::instruction::*;

/// The parts of an ALU or OUT instruction that have an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Usage {
    /// The RGB unit's result is used.
    pub rgb: bool,
    /// The alpha unit's result is used. (The inputs A and B that DP4 reads do not count here.)
    pub alpha: bool,
    /// For RGB inputs A, B, C: the lanes read, bit 0 red to bit 2 blue.
    pub rgb_lanes: [u8; 3],
    /// For alpha inputs A, B, C: whether the alpha unit or DP4 reads it.
    pub alpha_inputs: [bool; 3],
}

impl Usage {
    /// The usage of an ALU or OUT instruction; `None` for TEX and FC.
    pub fn of(instruction: &Instruction) -> Option<Usage> {
        let alu = instruction.alu()?;
        let common = &instruction.common;

        let mut result_lanes = common.rgb_wmask | common.rgb_omask;
        let mut alpha = common.alpha_wmask || common.alpha_omask || alu.w_omask;
        if alu.alu_wmask {
            match common.alu_result_sel {
                AluResultSel::Red => result_lanes |= 1,
                AluResultSel::Alpha => alpha = true,
            }
        }
        let masked_rgb = result_lanes != 0;
        let rgb = masked_rgb || (alpha && alu.alpha.op == AlphaOp::Dp);
        let alpha = alpha || (masked_rgb && alu.rgb.op == RgbOp::Sop);

        let mut usage = Usage { rgb, alpha, ..Usage::default() };
        if rgb {
            let lanes = match alu.rgb.op {
                RgbOp::Dp3 | RgbOp::Dp4 => [7, 7, 0],
                RgbOp::D2a => [3, 3, 4],
                op => {
                    [A, B, C].map(|input| if op.operands() & input != 0 { result_lanes } else { 0 })
                }
            };
            usage.rgb_lanes = lanes;
        }
        if alpha {
            let operands = alu.alpha.op.operands();
            usage.alpha_inputs = [A, B, C].map(|input| operands & input != 0);
        }
        if rgb && alu.rgb.op == RgbOp::Dp4 {
            usage.alpha_inputs[0] = true;
            usage.alpha_inputs[1] = true;
        }
        Some(usage)
    }

    /// Whether neither unit has an effect.
    pub fn is_idle(&self) -> bool {
        !self.rgb && !self.alpha
    }
}

/// Which source addresses an ALU or OUT instruction reads: bit n for source n.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SourcesRead {
    /// rgb0 to rgb2.
    pub rgb: u8,
    /// a0 to a2.
    pub alpha: u8,
    /// Channels read of rgb0 to rgb2: bit 0 R to bit 2 B.
    pub rgb_channels: [u8; 3],
    /// Channels read of the RGB unit's presubtract result: bit 0 R to bit 2 B.
    pub rgb_srcp: u8,
    /// Whether the alpha unit's presubtract result is read.
    pub alpha_srcp: bool,
}

impl SourcesRead {
    /// The sources that the used lanes of an instruction read, including presubtract and MDH/MDV.
    pub fn of(alu: &Alu, usage: &Usage) -> SourcesRead {
        let mut read = SourcesRead::default();
        for (input, lanes) in alu.rgb.inputs.iter().zip(usage.rgb_lanes) {
            for lane in 0..3 {
                if lanes >> lane & 1 != 0 {
                    read.lane(input.sel, input.swizzle[lane]);
                }
            }
        }
        for (input, used) in alu.alpha.inputs.iter().zip(usage.alpha_inputs) {
            if used {
                read.lane(input.sel, input.swizzle);
            }
        }
        if usage.rgb && alu.rgb.op.is_neighbour() {
            // A and C take the lanes of src0 that B uses.
            read.rgb |= 1;
            read.rgb_channels[0] |= usage.rgb_lanes[1];
        }
        if usage.alpha && alu.alpha.op.is_neighbour() {
            read.alpha |= 1;
        }
        if read.rgb_srcp != 0 {
            read.rgb |= 1;
            read.rgb_channels[0] |= read.rgb_srcp;
            if matches!(alu.rgb.presub, Presub::Sub | Presub::Add) {
                read.rgb |= 2;
                read.rgb_channels[1] |= read.rgb_srcp;
            }
        }
        if read.alpha_srcp {
            read.alpha |= 1;
            if matches!(alu.alpha.presub, Presub::Sub | Presub::Add) {
                read.alpha |= 2;
            }
        }
        read
    }

    fn lane(&mut self, sel: Sel, swizzle: Swizzle) {
        let channel = match swizzle {
            Swizzle::R => 0,
            Swizzle::G => 1,
            Swizzle::B => 2,
            Swizzle::A => 3,
            _ => return,
        };
        match (sel, channel) {
            (Sel::Srcp, 3) => self.alpha_srcp = true,
            (Sel::Srcp, channel) => self.rgb_srcp |= 1 << channel,
            (sel, 3) => self.alpha |= 1 << sel.code(),
            (sel, channel) => {
                self.rgb |= 1 << sel.code();
                self.rgb_channels[sel.code() as usize] |= 1 << channel;
            }
        }
    }
}
