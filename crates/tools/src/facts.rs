//! The facts of a program: the counts that `ctm info`, `ctm stats` and `ctm compare` print.

use ctm_isa::isa::{
    AddressOp, Body, BranchOp, FcOp, Instruction, Omod, PredSel, Source, SourceKind, SourcesRead,
    TexOp, Type, UNIT_MASKS, Usage,
};
use ctm_lang::program::{ConstantKind, Image, Uses};
use ctm_machine::engine::Statistics;
use ctm_machine::engine::card::X1900_XTX;
use ctm_machine::engine::groups::SLOTS;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The number of uses of each operation, not counting units without effect.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Operations {
    /// Operations of the RGB unit.
    pub rgb: BTreeMap<&'static str, u32>,
    /// Operations of the alpha unit.
    pub alpha: BTreeMap<&'static str, u32>,
    /// Operations of TEX instructions.
    pub tex: BTreeMap<&'static str, u32>,
    /// Operations of FC instructions.
    pub fc: BTreeMap<&'static str, u32>,
    /// ALU and OUT instructions without effect.
    pub idle: u32,
}

/// Numbers of FC instructions.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct FlowControl {
    /// Branches and jumps.
    pub jumps: u32,
    /// Starts of loops.
    pub loops: u32,
    /// BREAKs and CONTINUEs.
    pub breaks: u32,
    /// Jumps that push their address.
    pub calls: u32,
    /// Jumps that pop it.
    pub returns: u32,
}

/// Numbers of instructions that write and that read predicates.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Predicates {
    /// Instructions that write them.
    pub written: u32,
    /// Instructions that read them.
    pub read: u32,
}

/// The facts of a program, which need not be valid.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The registers and features that it uses.
    pub uses: Uses,
    /// Its operations.
    pub operations: Operations,
    /// Its flow control.
    pub flow_control: FlowControl,
    /// Its predicates.
    pub predicates: Predicates,
    /// Instructions that write the ALU result.
    pub alu_results: u32,
    /// Presubtract operations that are read.
    pub presub: u32,
    /// Output modifiers other than x1.
    pub omod: u32,
    /// Sources that are read and are inline constants.
    pub inline: u32,
    /// Instructions that fetch.
    pub fetches: u32,
    /// The most IFs and loops around one instruction, by the order of the slots. An IF counts up the
    /// branch counters of the points that do not jump, and an ENDIF counts them down.
    pub depth: u32,
}

impl Facts {
    /// The facts about a program.
    pub fn of(image: &Image) -> Facts {
        let mut facts = Facts {
            uses: Uses::of_image(image),
            operations: Operations::default(),
            flow_control: FlowControl::default(),
            predicates: Predicates::default(),
            alu_results: 0,
            presub: 0,
            omod: 0,
            inline: 0,
            fetches: 0,
            depth: 0,
        };
        let mut depth = 0;
        for instruction in image.instructions() {
            facts.count(&instruction, &mut depth);
        }
        facts
    }

    /// Counts an instruction, after which `depth` IFs and loops are open.
    fn count(&mut self, instruction: &Instruction, depth: &mut u32) {
        let common = &instruction.common;
        let operations = &mut self.operations;
        let [mut reads, alpha_reads] = common.pred_sel.map(|sel| sel != PredSel::None);
        match &instruction.body {
            Body::Alu(alu) => {
                let usage = Usage::of(instruction).unwrap_or_default();
                let read = SourcesRead::of(instruction);
                let counts = [&mut operations.rgb, &mut operations.alpha];
                for (n, (unit, count)) in alu.units.iter().zip(counts).enumerate() {
                    if usage.units[n] {
                        *count.entry(unit.op.name()).or_default() += 1;
                        self.omod += u32::from(!matches!(unit.omod, Omod::X1 | Omod::Disabled));
                    }
                    self.presub += u32::from(read.srcp & UNIT_MASKS[n] != 0);
                    let sources = unit.sources.iter().enumerate();
                    let is_inline =
                        |source: &Source| matches!(source.kind(), SourceKind::Inline(_));
                    let inline =
                        sources.filter(|(at, source)| read.reads(n, *at) && is_inline(source));
                    self.inline += inline.count() as u32;
                }
                operations.idle += u32::from(usage.is_idle());
                reads |= alpha_reads;
                let writes = common.class == Type::Alu && common.omask != 0;
                self.predicates.written += u32::from(writes);
                self.alu_results += u32::from(alu.alu_wmask);
            }
            Body::Tex(tex) => {
                *operations.tex.entry(tex.op.name()).or_default() += 1;
                self.fetches += u32::from(tex.op.fetches());
                reads |= alpha_reads;
                reads &= tex.op != TexOp::Nop && tex.op != TexOp::Texkill;
            }
            Body::Fc(fc) => {
                use FcOp::*;
                *operations.fc.entry(fc.op.name()).or_default() += 1;
                let flow = &mut self.flow_control;
                match (fc.op, fc.a_op) {
                    (Jump, AddressOp::Push) => flow.calls += 1,
                    (Jump, AddressOp::Pop) => flow.returns += 1,
                    (Jump, _) => flow.jumps += 1,
                    (Loop | Rep, _) => flow.loops += 1,
                    (BreakLoop | BreakRep | Continue, _) => flow.breaks += 1,
                    (EndLoop | EndRep, _) => {}
                }
                *depth = match (fc.op, fc.b_op0) {
                    (Loop | Rep, _) | (Jump, BranchOp::Incr) => *depth + 1,
                    (EndLoop | EndRep, _) => depth.saturating_sub(1),
                    (Jump, BranchOp::Decr) => depth.saturating_sub(fc.b_pop_cnt.into()),
                    (Jump | BreakLoop | BreakRep | Continue, _) => *depth,
                };
                self.depth = self.depth.max(*depth);
                reads &= instruction.jump_reads()[1];
            }
        }
        self.predicates.read += u32::from(reads);
    }

    /// The least clocks of a pixel processor of an R580 for a point that runs each instruction once.
    fn clocks(&self) -> f64 {
        let points = SLOTS as u64;
        let instructions: u32 = self.uses.mix.iter().sum();
        let group = Statistics {
            lane_instructions: points * u64::from(instructions),
            fetches: points * u64::from(self.fetches),
            fc: self.uses.mix[2].into(),
            ..Statistics::default()
        };
        let seconds = X1900_XTX.least(&group, 0).seconds() / points as f64;
        // Multiples of 3/16, the processors' share of a dispatcher for one of 64 points.
        (seconds * X1900_XTX.instructions * 16.0).round() / 16.0
    }
}

/// The numbers of one program, as `ctm stats` and `ctm compare` print them: those of the line that Mesa's r300
/// compiler prints for shader-db, under its names, and others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The file, with the program's name or index if the file holds several.
    pub program: String,
    /// Instructions of all types.
    pub inst: u32,
    /// Instructions whose RGB unit has an effect.
    pub vinst: u32,
    /// Instructions whose alpha unit has an effect.
    pub sinst: u32,
    /// Instructions that write predicates.
    pub predicate: u32,
    /// Instructions of type FC.
    pub flowcontrol: u32,
    /// Starts of loops.
    pub loops: u32,
    /// Instructions of type TEX.
    pub tex: u32,
    /// Presubtract operations that are read.
    pub presub: u32,
    /// Output modifiers other than x1.
    pub omod: u32,
    /// The highest temporary and one more.
    pub temps: u32,
    /// Float, integer and boolean constants that are read.
    pub consts: u32,
    /// Sources that are read and are inline constants.
    pub lits: u32,
    /// The least clocks of a pixel processor of an R580 for a point that runs each instruction once.
    pub cycles: f64,
    /// Instructions of type ALU.
    pub alu: u32,
    /// Instructions of type OUT.
    pub out: u32,
    /// The most IFs and loops around one instruction, by the order of the slots.
    pub depth: u32,
}

/// A number of a row.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub of: fn(&Row) -> f64,
    /// Whether less is better. Others say how the program does its work, not at what cost.
    pub is_cost: bool,
}

/// Makes [`METRICS`].
macro_rules! metrics {
    ($($name:ident $cost:literal,)*) => {
        [$(Metric { name: stringify!($name), of: |row| row.$name.into(), is_cost: $cost }),*]
    };
}

/// The numbers of a row, in the order of the table.
pub const METRICS: [Metric; 16] = metrics![
    inst true, vinst false, sinst false, predicate false, flowcontrol true, loops true, tex true, presub false,
    omod false, temps true, consts true, lits false, cycles true, alu false, out false, depth true,
];

impl Row {
    /// The numbers of a program, which need not be valid.
    pub fn of(program: String, image: &Image) -> Row {
        let facts = Facts::of(image);
        let (uses, operations) = (&facts.uses, &facts.operations);
        let [alu, out, flowcontrol, tex] = uses.mix;
        let consts = ConstantKind::ALL.map(|kind| uses.constants(kind).len() as u32);
        Row {
            program,
            inst: image.words.len() as u32,
            vinst: operations.rgb.values().sum(),
            sinst: operations.alpha.values().sum(),
            predicate: facts.predicates.written,
            flowcontrol,
            loops: facts.flow_control.loops,
            tex,
            presub: facts.presub,
            omod: facts.omod,
            temps: u32::from(uses.highest_temp) + 1,
            consts: consts.iter().sum(),
            lits: facts.inline,
            cycles: facts.clocks(),
            alu,
            out,
            depth: facts.depth,
        }
    }
}
