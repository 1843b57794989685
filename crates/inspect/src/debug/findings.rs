//! The findings of `ctm check`'s checks in a group, by step.

use super::error::DebugError;
use super::launches::Launches;
use super::session::Done;
use super::stops::{Cause, StopPoint};
use crate::check::Code;
use crate::check::dynamic::{GroupCheck, LaunchWrites, check_group, launch_writes};
use std::collections::HashMap;

/// The most texts that are kept. Later findings with a new text show only their code.
const TEXTS: usize = 1 << 16;

/// The findings of one group.
pub(super) struct Findings {
    launch: u64,
    group: u64,
    codes: Vec<Code>,
    /// For each of them, in order: the number of instructions after which it is known, its code, and
    /// the position of its text.
    found: Vec<(u64, Code, Option<u32>)>,
    texts: Vec<String>,
}

impl Findings {
    /// The findings that are known after a number of instructions and not before, with their texts.
    pub fn at(&self, step: u64) -> impl Iterator<Item = (Code, &str)> {
        let from = self.found.partition_point(|(at, ..)| *at < step);
        let here = self.found[from..].iter().take_while(move |(at, ..)| *at == step);
        here.map(|&(_, code, text)| {
            (code, text.map_or(code.name(), |text| &self.texts[text as usize][..]))
        })
    }
}

/// The findings that a session keeps: of the group it ran last, and the writes of a launch for
/// races.
#[derive(Default)]
pub(super) struct Known {
    findings: Option<Findings>,
    writes: Option<(u64, Option<LaunchWrites>)>,
}

impl Known {
    /// Makes the findings of a group known that the stops ask for.
    ///
    /// # Errors
    /// If it was stopped.
    pub fn prepare(
        &mut self,
        launches: &Launches<'_>,
        group: u64,
        stops: &[StopPoint],
    ) -> Done<()> {
        let wanted = |code: &&Code| stops.iter().any(|stop| stop.cause.finds(**code));
        let codes: Vec<Code> = Code::ALL.iter().filter(wanted).copied().collect();
        let (launch, memory) = &launches.current;
        let known = |known: &Findings| {
            (known.launch, known.group, &known.codes) == (*launch, group, &codes)
        };
        if codes.is_empty() || self.findings.as_ref().is_some_and(known) {
            return Ok(());
        }
        let (checked, stop) = (launches.at(*launch), &launches.stop);
        if checked.program.sharing().is_some() {
            return Err(DebugError(
                "findings cannot stop a launch whose groups share registers: ctm check shows them"
                    .to_string(),
            ));
        }
        let races = codes.contains(&Code::WriteRace) || codes.contains(&Code::ReadRace);
        if races && self.writes.as_ref().is_none_or(|(of, _)| of != launch) {
            self.writes = Some((*launch, launch_writes(checked, memory, stop)?));
        }
        let writes = self.writes.as_ref().and_then(|(_, writes)| writes.as_ref());
        let check = GroupCheck { codes: &codes, writes: writes.filter(|_| races) };
        let (mut found, mut numbers) = (Vec::new(), HashMap::new());
        check_group(checked, memory, group, &check, stop, |step, finding| {
            let (i, j) = finding.first.unwrap_or_default();
            let pc = finding.pc.map(|pc| format!(" at pc {pc}")).unwrap_or_default();
            let code = finding.code;
            let text = format!("{code}{pc}, point ({i}, {j}): {}", finding.message);
            let next = numbers.len();
            let number = match numbers.get(&text) {
                Some(number) => Some(*number),
                None if next < TEXTS => Some(*numbers.entry(text).or_insert(next as u32)),
                None => None,
            };
            found.push((step, code, number));
        })?;
        let mut texts = vec![String::new(); numbers.len()];
        for (text, number) in numbers {
            texts[number as usize] = text;
        }
        self.findings = Some(Findings { launch: *launch, group, codes, found, texts });
        Ok(())
    }

    /// The findings of the group, if a stop asks for any.
    pub fn findings(&self, stops: &[StopPoint]) -> Option<&Findings> {
        let asks = |stop: &StopPoint| matches!(stop.cause, Cause::Finding(_));
        self.findings.as_ref().filter(|_| stops.iter().any(asks))
    }
}
