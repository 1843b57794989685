//! Constants that the program reads and that have no value.

use super::Check;
use super::hits::{Hits, Key, What};
use super::names::Told;
use crate::check::{Code, Finding};
use ctm_isa::isa::{Body, FcOp, Place};
use ctm_lang::program::ConstantKind;
use ctm_machine::engine::Checked;
use ctm_machine::engine::reference::Step;
use ctm_machine::launch::Given;

/// The check.
pub struct Constants {
    given: Given,
}

impl Constants {
    /// The check of a launch; `None` if all constants that its program uses are given, or it
    /// is unknown which are.
    pub fn new(launch: &Checked<'_>) -> Option<Constants> {
        let given = launch.constants.given?;
        let uses = launch.program.uses();
        let missing = ConstantKind::ALL.iter().any(|&kind| {
            (0..kind.count()).any(|n| uses.reads_constant(kind, n) && !given.has(kind, n))
        });
        missing.then_some(Constants { given })
    }

    fn read(&self, step: &Step<'_>, lanes: u64, kind: usize, number: usize, hits: &mut Hits) {
        if self.given.has(ConstantKind::ALL[kind], number) {
            return;
        }
        let (pc, code) = (step.pc, Code::MissingConstant);
        let key = Key { code, pc: 0, what: What::Constant(kind, number) };
        let lanes = lanes & step.before.covered();
        hits.add(step.before, lanes, key, 0, |_| {
            move |told: &Told<'_>| finding(told, pc, ConstantKind::ALL[kind], number)
        });
    }
}

/// The position of a kind.
fn position(kind: ConstantKind) -> usize {
    ConstantKind::ALL.iter().position(|&one| one == kind).unwrap_or(0)
}

impl Check for Constants {
    fn step(&mut self, step: &Step<'_>, effective: &[u64; 4], hits: &mut Hits) {
        if let (Body::Fc(fc), Some(flow)) = (&step.instruction.body, step.flow) {
            // ENDREP's has no effect.
            if matches!(fc.op, FcOp::Loop | FcOp::EndLoop | FcOp::Rep) {
                let kind = position(ConstantKind::Int);
                self.read(step, flow.asked, kind, fc.int_addr.into(), hits);
            }
            if step.instruction.jump_reads()[2] {
                let kind = position(ConstantKind::Bool);
                self.read(step, flow.asked, kind, fc.bool_addr.into(), hits);
            }
        }
        // Two addresses may name the same constant.
        let mut seen: Vec<(usize, u64)> = Vec::new();
        for (reads, lanes) in step.access.reads.iter().zip(effective) {
            for read in reads {
                if let Some((_, Place::Constant(number, _))) = step.before.read(0, read) {
                    seen.push((number, *lanes));
                }
            }
        }
        seen.sort_unstable();
        for of_one in seen.chunk_by(|(a, _), (b, _)| a == b) {
            let lanes = of_one.iter().fold(0, |all, (_, lanes)| all | lanes);
            self.read(step, lanes, position(ConstantKind::Float), of_one[0].0, hits);
        }
    }
}

fn finding(told: &Told<'_>, pc: u32, kind: ConstantKind, number: usize) -> Finding {
    let (text, letter, reads) = match kind {
        ConstantKind::Float => ("float", "c", "0"),
        ConstantKind::Int => ("integer", "n", "0"),
        ConstantKind::Bool => ("boolean", "b", "false"),
    };
    let name = told.of(kind.into(), number as u32, letter);
    let message = format!("{text} constant {name} has no value: it reads {reads}");
    Finding::new(Code::MissingConstant, Some(pc), format!("{letter}{number}"), message)
        .label("read here")
        .help(format!("give {name} in the job's `constants`, or a value in the program"))
}
