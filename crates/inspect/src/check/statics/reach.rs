//! Instructions that no path leads to.

use super::paths::reached_by_groups;
use super::{Finding, Subject, at};
use crate::check::code::Code;
use ctm_isa::isa::Type;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Finding> {
    if subject.paths.cut {
        return Vec::new();
    }
    let by_points = subject.run_by_points();
    let by_groups = reached_by_groups(subject.program);
    let instructions = subject.program.instructions();
    let dead: Vec<u32> = (0..instructions.len())
        .filter(|&pc| {
            let common = &instructions[pc].common;
            // Flow control moves the points of a group apart and together, even where none is active.
            let for_groups = common.class == Type::Fc || common.write_inactive;
            !(by_points[pc] || for_groups && by_groups[pc])
        })
        .map(|pc| pc as u32)
        .collect();
    let runs = dead.chunk_by(|a, b| a + 1 == *b);
    runs.filter_map(|run| {
        let (first, last) = (*run.first()?, *run.last()?);
        let finding = at(Code::Unreachable, first, "", "no path leads to this instruction")
            .label("never runs");
        Some(match run.len() {
            1 => finding,
            2 => finding.note(None, format!("nor to the next one, at pc {last}")),
            n => finding.note(None, format!("nor to the {} after it, up to pc {last}", n - 1)),
        })
    })
    .collect()
}
