//! Fetches that may read what the program wrote uncached, without the semaphore between them.

use super::{Finding, Subject, at};
use crate::diagnose::code::Code;
use crate::isa::{Body, FieldValue, Instruction, RGB, Target, Type};
use std::collections::BTreeMap;

/// Uncached writes that may not be in memory; whether an acquire holds the semaphore for them.
type Pending = BTreeMap<u32, bool>;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Finding> {
    if !subject.program.umrt() {
        return Vec::new();
    }
    let read_back = subject.bound.map_or(u16::MAX, |bound| bound.read_back);
    let instructions = subject.program.instructions();
    let before = subject.paths.forward(
        Pending::new(),
        |all, more| {
            for (pc, held) in more {
                *all.entry(*pc).or_insert(true) &= held;
            }
        },
        |node, pending| {
            if node.active {
                let instruction = &instructions[node.pc as usize];
                if reads(instruction, pending, read_back) {
                    pending.clear();
                }
                write(node.pc, instruction, pending);
            }
        },
    );
    let mut findings = Vec::new();
    for (node, mut pending) in
        subject.paths.nodes.iter().zip(before).filter(|(node, _)| node.active)
    {
        let instruction = &instructions[node.pc as usize];
        if !reads(instruction, &mut pending, read_back) {
            continue;
        }
        let (label, help) = match pending.values().all(|held| *held) {
            true => ("fetches without TEX_SEM_WAIT", "set TEX_SEM_WAIT in the fetch"),
            false => (
                "fetches what may not be written yet",
                "write with a target that acquires the texture semaphore (1 or 3), and set TEX_SEM_WAIT in the fetch",
            ),
        };
        let finding = at(
            Code::UncachedReadBack,
            node.pc,
            "",
            "a fetch may read an uncached write of this program that is not in memory yet",
        )
        .label(label)
        .help(help);
        let note = |finding: Finding, &write| finding.note(write, "the uncached write");
        findings.push(pending.keys().fold(finding, note));
    }
    findings
}

/// Takes what is in memory out of `pending`. Returns whether the instruction may read the rest.
fn reads(instruction: &Instruction, pending: &mut Pending, read_back: u16) -> bool {
    if instruction.common.tex_sem_wait {
        pending.retain(|_, held| !*held);
    }
    let fetches = matches!(&instruction.body, Body::Tex(tex)
        if tex.op.fetches() && read_back >> tex.input & 1 != 0);
    fetches && !pending.is_empty()
}

/// Adds what the instruction writes.
fn write(pc: u32, instruction: &Instruction, pending: &mut Pending) {
    let Some(alu) = instruction.alu() else { return };
    if instruction.common.class != Type::Out || instruction.common.omask == 0 {
        return;
    }
    pending.insert(pc, false);
    let acquires = [Target::B, Target::D].map(|target| target.code() as u8);
    if acquires.contains(&alu.units[RGB].target) {
        pending.values_mut().for_each(|held| *held = true);
    }
}
