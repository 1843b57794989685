//! The numbers of one program.

use crate::engine::Statistics;
use crate::engine::card::X1900_XTX;
use crate::engine::groups::SLOTS;
use crate::isa::{Body, BranchOp, FcOp, Instruction, Omod, SourcesRead, UNIT_MASKS, Usage};
use crate::program::{ConstantKind, Image, Uses};
use serde::{Deserialize, Serialize};

/// A row of the table. In all numbers less is better.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::cli) struct Row {
    /// The file, with the program's index if the file holds several.
    pub(in crate::cli) program: String,
    /// Instructions of all types.
    pub(in crate::cli) instructions: u32,
    alu: u32,
    out: u32,
    tex: u32,
    fc: u32,
    /// Instructions whose RGB unit has an effect.
    rgb: u32,
    /// Instructions whose alpha unit has an effect.
    alpha: u32,
    /// Presubtract operations that are read.
    presub: u32,
    /// Output modifiers other than x1.
    omod: u32,
    /// The highest temporary and one more.
    temporaries: u32,
    /// Float, integer and boolean constants that are read.
    constants: u32,
    /// The most IFs and loops around one instruction, by the order of the slots.
    depth: u32,
    /// The least clocks of a pixel processor of an R580 for a point that runs each instruction once.
    clocks: f64,
}

/// A number of a row.
pub(in crate::cli) type Metric = (&'static str, fn(&Row) -> f64);

/// The numbers of a row, in the order of the table.
pub(in crate::cli) const METRICS: [Metric; 13] = [
    ("instructions", |row| row.instructions.into()),
    ("alu", |row| row.alu.into()),
    ("out", |row| row.out.into()),
    ("tex", |row| row.tex.into()),
    ("fc", |row| row.fc.into()),
    ("rgb", |row| row.rgb.into()),
    ("alpha", |row| row.alpha.into()),
    ("presub", |row| row.presub.into()),
    ("omod", |row| row.omod.into()),
    ("temporaries", |row| row.temporaries.into()),
    ("constants", |row| row.constants.into()),
    ("depth", |row| row.depth.into()),
    ("clocks", |row| row.clocks),
];

impl Row {
    /// The numbers of a program, which need not be valid.
    pub(in crate::cli) fn of(program: String, image: &Image) -> Row {
        let uses = Uses::of_image(image);
        let instructions: Vec<Instruction> = image.words.iter().map(Instruction::decode).collect();
        let [alu, out, fc, tex] = uses.mix;
        let constants = ConstantKind::ALL.map(|kind| uses.constants(kind).len() as u32);
        let mut row = Row {
            program,
            instructions: instructions.len() as u32,
            alu,
            out,
            tex,
            fc,
            rgb: 0,
            alpha: 0,
            presub: 0,
            omod: 0,
            temporaries: u32::from(uses.highest_temp) + 1,
            constants: constants.iter().sum(),
            depth: depth(&instructions),
            clocks: 0.0,
        };
        let mut fetches = 0;
        for instruction in &instructions {
            match &instruction.body {
                Body::Alu(_) => row.units(instruction),
                Body::Tex(tex) => fetches += u64::from(tex.op.fetches()),
                Body::Fc(_) => {}
            }
        }
        let points = SLOTS as u64;
        let group = Statistics {
            lane_instructions: points * instructions.len() as u64,
            fetches: points * fetches,
            fc: fc.into(),
            ..Statistics::default()
        };
        let seconds = X1900_XTX.least(&group, 0).seconds() / points as f64;
        // Multiples of 3/16, the processors' share of a dispatcher for one of 64 points.
        row.clocks = (seconds * X1900_XTX.instructions * 16.0).round() / 16.0;
        row
    }

    /// Counts what the units of an ALU or OUT instruction do.
    fn units(&mut self, instruction: &Instruction) {
        let (Some(alu), Some(usage)) = (instruction.alu(), Usage::of(instruction)) else {
            return;
        };
        let read = SourcesRead::of(alu, &usage);
        for (n, unit) in alu.units.iter().enumerate() {
            let used = u32::from(usage.units[n]);
            *[&mut self.rgb, &mut self.alpha][n] += used;
            self.presub += u32::from(read.srcp & UNIT_MASKS[n] != 0);
            self.omod += used * u32::from(!matches!(unit.omod, Omod::X1 | Omod::Disabled));
        }
    }
}

/// The most IFs and loops around one instruction. An IF counts up the branch counters of the points that
/// do not jump, and an ENDIF counts them down.
fn depth(instructions: &[Instruction]) -> u32 {
    let (mut now, mut most) = (0u32, 0);
    for instruction in instructions {
        let Body::Fc(fc) = &instruction.body else { continue };
        now = match (fc.op, fc.b_op0) {
            (FcOp::Loop | FcOp::Rep, _) | (FcOp::Jump, BranchOp::Incr) => now + 1,
            (FcOp::EndLoop | FcOp::EndRep, _) => now.saturating_sub(1),
            (FcOp::Jump, BranchOp::Decr) => now.saturating_sub(fc.b_pop_cnt.into()),
            (FcOp::Jump | FcOp::BreakLoop | FcOp::BreakRep | FcOp::Continue, _) => now,
        };
        most = most.max(now);
    }
    most
}
