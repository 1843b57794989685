//! Fetched values that are used before the texture semaphore says that they are there.

use super::{Finding, Subject, at};
use crate::diagnose::code::Code;
use crate::isa::{Body, Instruction, Temps};
use std::collections::BTreeMap;

/// Fetched channels that may not have landed: temporary, channel, the fetch; whether an acquire
/// holds the semaphore for it.
type Pending = BTreeMap<(u8, u8, u32), bool>;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let instructions = subject.program.instructions();
    let before = subject.paths.forward(
        Pending::new(),
        |all, more| {
            for (key, held) in more {
                *all.entry(*key).or_insert(true) &= held;
            }
        },
        |node, pending| {
            if node.active {
                let instruction = &instructions[node.pc as usize];
                // A fetch is reported once.
                for (_, _, from) in early(instruction, pending) {
                    pending.retain(|(_, _, fetch), _| *fetch != from);
                }
                fetch(node.pc, instruction, pending);
            }
        },
    );
    let mut findings = Vec::new();
    for (node, pending) in subject.paths.nodes.iter().zip(before).filter(|(node, _)| node.active) {
        let instruction = &instructions[node.pc as usize];
        let mut pending = pending;
        // What is used too early, by whether an acquire holds the semaphore for it, and by fetch.
        let mut found: [BTreeMap<(u8, u32), u8>; 2] = Default::default();
        for key in early(instruction, &mut pending) {
            let (temp, channel, from) = key;
            *found[usize::from(pending[&key])].entry((temp, from)).or_default() |= 1 << channel;
        }
        let reads = Temps::read_by(instruction);
        for (code, label, help, found) in [
            (
                Code::MissingAcquire,
                "which may not be there yet",
                "set TEX_SEM_ACQUIRE in the fetch or in a later one before this instruction, and TEX_SEM_WAIT here",
                &found[0],
            ),
            (
                Code::MissingWait,
                "without TEX_SEM_WAIT",
                "set TEX_SEM_WAIT in the first instruction that uses a fetched value",
                &found[1],
            ),
        ] {
            let mut used = Temps::none();
            found.iter().for_each(|((temp, _), channels)| used.add(*temp, false, *channels));
            if used.is_empty() {
                continue;
            }
            let verb = if reads.meets(&used) { "reads" } else { "overwrites" };
            let names = subject.temps(&used);
            let finding = at(code, node.pc, "", format!("{names} may not have been fetched yet"));
            let finding = finding.label(format!("{verb} {names}, {label}")).help(help);
            let note = |finding: Finding, (&(temp, from), &channels): (&(u8, u32), &u8)| {
                finding.note(from, format!("fetches {}", subject.temp(temp, channels)))
            };
            findings.push(found.iter().fold(finding, note));
        }
        if let Body::Tex(tex) = &instruction.body
            && tex.tex_sem_acquire
            && !instruction.common.tex_sem_wait
        {
            findings.push(
                at(
                    Code::MissingWait,
                    node.pc,
                    "acquire",
                    "an instruction that acquires the texture semaphore must wait for it",
                )
                .label("TEX_SEM_ACQUIRE without TEX_SEM_WAIT")
                .help("set TEX_SEM_WAIT in this instruction too; the wait is done first"),
            );
        }
    }
    findings
}

/// Takes what has landed out of `pending`. Returns what the instruction uses too early.
fn early(instruction: &Instruction, pending: &mut Pending) -> Vec<(u8, u8, u32)> {
    if instruction.common.tex_sem_wait {
        pending.retain(|_, held| !*held);
    }
    let mut used = Temps::read_by(instruction);
    // Fetches land in order, so one may overwrite another.
    if instruction.alu().is_some() {
        used.join(&Temps::written_by(instruction));
    }
    let keys = pending.keys().copied();
    keys.filter(|(temp, channel, _)| used.of(*temp) >> channel & 1 != 0).collect()
}

/// Adds what the instruction fetches.
fn fetch(pc: u32, instruction: &Instruction, pending: &mut Pending) {
    let Body::Tex(tex) = &instruction.body else { return };
    for (temp, channels) in Temps::written_by(instruction).iter() {
        for channel in (0..4).filter(|channel| channels >> channel & 1 != 0) {
            pending.insert((temp, channel, pc), false);
        }
    }
    if tex.tex_sem_acquire {
        pending.values_mut().for_each(|held| *held = true);
    }
}
