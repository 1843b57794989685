//! DP4 beside MDH or MDV, whose alpha inputs no source explains.

use super::{Finding, Subject, at};
use crate::check::code::Code;
use ctm_isa::isa::{ALPHA, AluOp, RGB, Usage};

pub(super) fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let instructions = subject.program.instructions().iter().zip(0..);
    let found = instructions.filter_map(|(instruction, pc)| {
        let alu = instruction.alu()?;
        let usage = Usage::of(instruction)?;
        let [rgb, alpha] = [alu.units[RGB].op, alu.units[ALPHA].op];
        let both = rgb == AluOp::Dp4 && usage.units[RGB] && alpha.is_neighbour();
        both.then(|| {
            let op = alpha.name();
            at(
                Code::Dp4BesideDerivative,
                pc,
                "",
                format!(
                    "DP4 reads the alpha unit's inputs A and B, and {op} takes A from a neighbour"
                ),
            )
            .label(format!("DP4 with {op} in the alpha unit"))
            .note(None, "what the chip adds is not documented; here DP4 reads A and B as selected")
            .help("use two instructions")
        })
    });
    found.collect()
}
