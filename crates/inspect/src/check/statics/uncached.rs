//! Fetches that may read what the program wrote uncached, without the semaphore between them.

use super::pcs::Pending;
use super::{Finding, Stopped, Subject, at};
use crate::check::code::Code;
use ctm_isa::isa::{Body, FieldValue, Instruction, RGB, Target, Type};

pub(super) fn check(subject: &Subject<'_>) -> Result<Vec<Finding>, Stopped> {
    if !subject.program.umrt() {
        return Ok(Vec::new());
    }
    let read_back = subject.bound.map_or(u16::MAX, |bound| bound.read_back);
    let start = Pending::default();
    let step = |pc, instruction: &Instruction, active, pending: &mut Pending| {
        if active {
            if reads(instruction, pending, read_back) {
                *pending = Pending::default();
            }
            write(pc, instruction, pending);
        }
    };
    let mut findings = Vec::new();
    for (pc, instruction, mut pending) in subject.before(start, start, step)? {
        if !reads(instruction, &mut pending, read_back) {
            continue;
        }
        let (label, help) = if pending.loose.is_empty() {
            ("fetches without TEX_SEM_WAIT", "set TEX_SEM_WAIT in the fetch")
        } else {
            (
                "fetches what may not be written yet",
                "write with a target that acquires the texture semaphore (1 or 3), and set TEX_SEM_WAIT in the fetch",
            )
        };
        let writes = pending.all.iter().map(|pc| (pc, "the uncached write".to_string()));
        findings.push(
            at(
                Code::UncachedReadBack,
                pc,
                "",
                "a fetch may read an uncached write of this program that is not in memory yet",
            )
            .label(label)
            .help(help)
            .notes(writes),
        );
    }
    Ok(findings)
}

/// Takes what is in memory out of `pending`. Returns whether the instruction may read the rest.
fn reads(instruction: &Instruction, pending: &mut Pending, read_back: u16) -> bool {
    if instruction.common.tex_sem_wait {
        pending.wait();
    }
    let fetches = matches!(&instruction.body, Body::Tex(tex)
        if tex.op.fetches() && read_back >> tex.input & 1 != 0);
    fetches && !pending.all.is_empty()
}

/// Adds what the instruction writes.
fn write(pc: u32, instruction: &Instruction, pending: &mut Pending) {
    let Some(alu) = instruction.alu() else { return };
    if instruction.common.class != Type::Out || instruction.common.omask == 0 {
        return;
    }
    pending.begin(pc);
    let acquires = [Target::B, Target::D].map(|target| target.code() as u8);
    if acquires.contains(&alu.units[RGB].target) {
        pending.acquire();
    }
}
