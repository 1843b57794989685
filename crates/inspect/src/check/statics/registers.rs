//! The declarations of the state registers, and the end of the program.

use super::{Finding, Subject, at};
use crate::check::code::Code;
use ctm_isa::isa::{Temps, Type};

pub(super) fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let program = subject.program;
    let registers = program.registers();
    let end = registers.end();
    if let Some(last) = program.instructions().get(end as usize) {
        let class = last.common.class;
        if class != Type::Out || !last.common.tex_sem_wait {
            let label = match class {
                Type::Out => "OUT without TEX_SEM_WAIT".to_string(),
                Type::Alu | Type::Tex | Type::Fc => format!("of type {}", class.name()),
            };
            findings.push(
                at(Code::BadEnd, end, "", "the last instruction must be an OUT with TEX_SEM_WAIT")
                    .label(label)
                    .help("end with an OUT that waits; its masks may be empty"),
            );
        }
    }
    let highest = registers.highest_temporary();
    if u32::from(program.uses().highest_named_temp) > highest {
        let uses = |temps: &Temps| temps.iter().find(|(n, _)| u32::from(*n) > highest);
        let mut all = (0..).zip(subject.reads.iter().zip(&subject.writes));
        let found = all.find_map(|(pc, (reads, writes))| {
            let mut temps = reads.clone();
            temps.join(writes);
            uses(&temps).map(|(temp, channels)| (pc, temp, channels))
        });
        if let Some((pc, temp, channels)) = found {
            let needed = program.uses().highest_named_temp;
            findings.push(
                at(
                    Code::SmallPixsize,
                    pc,
                    "",
                    format!("US_PIXSIZE declares r0 to r{highest}; the program uses r{needed}"),
                )
                .label(format!("uses {}", subject.temp(temp, channels)))
                .help(format!("set US_PIXSIZE to {needed}, the highest temporary")),
            );
        }
    }
    findings
}
