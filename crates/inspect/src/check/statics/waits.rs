//! Fetched values that are used before the texture semaphore says that they are there.

use super::pcs::{Pcs, Pending};
use super::{Finding, Stopped, Subject, at};
use crate::check::code::Code;
use ctm_isa::isa::{Body, Instruction, Temps};

pub(super) fn check(subject: &Subject<'_>) -> Result<Vec<Finding>, Stopped> {
    let early = early(subject);
    let start = Pending::default();
    let step = |pc, instruction: &Instruction, active, pending: &mut Pending| {
        if active {
            wait(instruction, pending);
            // A fetch is reported once.
            pending.forget(&early[pc as usize]);
            fetch(pc, instruction, pending);
        }
    };
    let mut findings = Vec::new();
    for (pc, instruction, mut pending) in subject.before(start, start, step)? {
        wait(instruction, &mut pending);
        let used = early[pc as usize].common(&pending.all);
        findings.extend(finding(
            subject,
            Code::MissingAcquire,
            pc,
            used.common(&pending.loose),
            "which may not be there yet",
            "set TEX_SEM_ACQUIRE in the fetch or in a later one before this instruction, and TEX_SEM_WAIT here",
        ));
        findings.extend(finding(
            subject,
            Code::MissingWait,
            pc,
            used.without(&pending.loose),
            "without TEX_SEM_WAIT",
            "set TEX_SEM_WAIT in the first instruction that uses a fetched value",
        ));
        if let Body::Tex(tex) = &instruction.body
            && tex.tex_sem_acquire
            && !instruction.common.tex_sem_wait
        {
            findings.push(
                at(
                    Code::MissingWait,
                    pc,
                    "acquire",
                    "an instruction that acquires the texture semaphore must wait for it",
                )
                .label("TEX_SEM_ACQUIRE without TEX_SEM_WAIT")
                .help("set TEX_SEM_WAIT in this instruction too; the wait is done first"),
            );
        }
    }
    Ok(findings)
}

/// The temporaries that an instruction may not use before they are fetched.
fn used(subject: &Subject<'_>, pc: u32) -> Temps {
    let mut used = subject.reads[pc as usize].clone();
    // Fetches land in order, so one may overwrite another.
    if subject.program.instructions()[pc as usize].alu().is_some() {
        used.join(&subject.writes[pc as usize]);
    }
    used
}

/// For each instruction the fetches whose values it uses.
fn early(subject: &Subject<'_>) -> Vec<Pcs> {
    let all = || (0..).zip(subject.program.instructions());
    let fetches = all().filter(|(_, instruction)| matches!(instruction.body, Body::Tex(_)));
    let fetches: Vec<u32> = fetches.map(|(pc, _)| pc).collect();
    let of = |pc| {
        let used = used(subject, pc);
        let meets = |fetch: &&u32| used.meets(&subject.writes[**fetch as usize]);
        let mut early = Pcs::default();
        fetches.iter().filter(meets).for_each(|&fetch| early.insert(fetch));
        early
    };
    all().map(|(pc, _)| of(pc)).collect()
}

/// The finding about an instruction that uses what some fetches write.
fn finding(
    subject: &Subject<'_>,
    code: Code,
    pc: u32,
    fetches: Pcs,
    label: &str,
    help: &str,
) -> Option<Finding> {
    let uses = used(subject, pc);
    let of = |fetch: u32| uses.common(&subject.writes[fetch as usize]);
    let mut used = Temps::none();
    fetches.iter().for_each(|fetch| used.join(&of(fetch)));
    let first = |fetch: u32| of(fetch).iter().next();
    // In the order of the registers.
    let mut fetches: Vec<u32> = fetches.iter().collect();
    fetches.sort_by_key(|&fetch| first(fetch).map(|(temp, _)| temp));
    fetches.first()?;
    let verb = if subject.reads[pc as usize].meets(&used) { "reads" } else { "overwrites" };
    let names = subject.temps(&used);
    let fetched = fetches.into_iter().map(|pc| (pc, format!("fetches {}", subject.temps(&of(pc)))));
    Some(
        at(code, pc, "", format!("{names} may not have been fetched yet"))
            .label(format!("{verb} {names}, {label}"))
            .help(help)
            .notes(fetched),
    )
}

fn wait(instruction: &Instruction, pending: &mut Pending) {
    if instruction.common.tex_sem_wait {
        pending.wait();
    }
}

/// Adds what the instruction fetches.
fn fetch(pc: u32, instruction: &Instruction, pending: &mut Pending) {
    let Body::Tex(tex) = &instruction.body else { return };
    pending.begin(pc);
    if tex.tex_sem_acquire {
        pending.acquire();
    }
}
