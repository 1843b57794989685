//! Counts of the generated programs' actions, to show that a fuzz run was not vacuous.

use ctm_isa::isa::{
    ALPHA_OPS, AluOp, Body, Code, FC_OPS, FieldValue, MAX_INSTRUCTIONS, RGB, RGB_OPS, SHARING_OPS,
    TEX_OPS, Usage,
};
use ctm_machine::engine::reference::{Destination, Observer, Step, Store};
use ctm_machine::engine::{FaultCode, Outcome, Statistics};
use ctm_machine::launch::Launch;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

use super::generate::Strength;

/// Counts of many runs on the reference engine.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Counts {
    /// Programs by strength, in the order of [`Strength::ALL`].
    pub programs: [u64; Strength::ALL.len()],
    /// Launches that the reference engine did not run.
    pub refused: u64,
    /// Statistics of all launches.
    pub statistics: Statistics,
    /// Group instructions by unit, in the order of `UNITS`, and by code. ALU instructions count
    /// for each unit whose result is used.
    pub operations: [[u64; 16]; 4],
    /// Programs that raised a fault, by code.
    pub faults: BTreeMap<FaultCode, u64>,
    /// Accepted writes: to outputs, uncached, to conditional buffers.
    pub writes: [u64; 3],
    /// Programs that reported a hazard.
    pub hazards: u64,
    /// Launches of engines that consist of several, by the engine that ran them and the reason.
    pub ran: BTreeMap<RanOn, u64>,
}

/// The units with their opcodes.
const UNITS: [(&str, &[Code]); 4] =
    [("RGB", RGB_OPS), ("alpha", ALPHA_OPS), ("TEX", TEX_OPS), ("FC", FC_OPS)];

/// The engine that ran a launch, for an engine that consists of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RanOn {
    /// The engine.
    pub engine: &'static str,
    /// The one of its engines that ran the launch.
    pub on: &'static str,
    /// The reason: [`ctm_machine::engine::Why::kind`].
    pub kind: &'static str,
}

/// Observes one run on the reference engine.
pub(super) struct Watch {
    executed: [u32; MAX_INSTRUCTIONS],
    writes: [u64; 3],
}

impl Watch {
    pub(super) fn new() -> Watch {
        Watch { executed: [0; MAX_INSTRUCTIONS], writes: [0; 3] }
    }
}

impl Observer for Watch {
    fn step(&mut self, step: &Step<'_>) {
        // An ALU instruction without any participating slot does not count.
        let took_part = step.results.is_empty() || step.results.iter().any(Option::is_some);
        self.executed[step.pc as usize & 511] += u32::from(took_part && step.fault.is_none());
    }

    fn stored(&mut self, store: &Store) {
        let kind = match store.destination {
            Destination::Output(_) => 0,
            Destination::Uncached => 1,
            Destination::Condition => 2,
        };
        self.writes[kind] += 1;
    }
}

impl Counts {
    /// Adds a run.
    pub(super) fn add(&mut self, launch: &Launch, watch: &Watch, outcome: Option<&Outcome>) {
        let Some(outcome) = outcome else {
            self.refused += 1;
            return;
        };
        self.statistics += outcome.statistics.unwrap_or_default();
        add(&mut self.writes, &watch.writes);
        self.hazards += u64::from(!outcome.hazards.is_empty());
        for (code, _) in outcome.faults.iter() {
            *self.faults.entry(code).or_default() += 1;
        }
        for (instruction, &times) in launch.program.instructions().iter().zip(&watch.executed) {
            let mut ran = |unit: usize, code: u32| {
                self.operations[unit][code as usize & 15] += u64::from(times);
            };
            match &instruction.body {
                Body::Alu(alu) => {
                    let usage = Usage::of(instruction).unwrap_or_default();
                    for (n, unit) in alu.units.iter().enumerate().filter(|(n, _)| usage.units[*n]) {
                        ran(n, unit.op.code(n));
                    }
                }
                Body::Tex(tex) => ran(2, tex.op.code()),
                Body::Fc(fc) => ran(3, fc.op.code()),
            }
        }
    }

    /// Adds the counts of another run.
    #[must_use]
    pub fn merged(mut self, other: Counts) -> Counts {
        add(&mut self.programs, &other.programs);
        add(self.operations.as_flattened_mut(), other.operations.as_flattened());
        add(&mut self.writes, &other.writes);
        self.refused += other.refused;
        self.statistics += other.statistics;
        self.hazards += other.hazards;
        for (code, count) in other.faults {
            *self.faults.entry(code).or_default() += count;
        }
        for (ran, count) in other.ran {
            *self.ran.entry(ran).or_default() += count;
        }
        self
    }

    /// The number of programs of all strengths.
    pub fn total(&self) -> u64 {
        self.programs.iter().sum()
    }

    /// Whether programs shared registers.
    fn shares(&self) -> bool {
        self.programs[Strength::Shared as usize] != 0
    }

    /// Everything that programs can do but none did: names such as "RGB MAD" or "fault budget".
    /// Does not include faults that no launch can raise.
    pub fn missing(&self) -> Vec<String> {
        let mut all: Vec<(String, u64)> = Vec::new();
        for ((unit, codes), counts) in UNITS.into_iter().zip(&self.operations) {
            let of = |code: &Code| (format!("{unit} {}", code.name), counts[code.code as usize]);
            all.extend(codes.iter().map(of));
        }
        let faults = FaultCode::ALL.into_iter().filter(|code| reachable(*code, self.shares()));
        let of =
            |code: FaultCode| (format!("fault {}", code.name()), self.faults.get(&code).copied());
        all.extend(faults.map(of).map(|(name, count)| (name, count.unwrap_or(0))));
        let s = &self.statistics;
        let [_, uncached, conditions] = self.writes;
        let moved = self.operations[0][AluOp::MovaFloor.code(RGB) as usize];
        let others = [
            ("points killed", s.killed),
            ("divergent flow control", s.divergent),
            ("uncached writes", uncached),
            ("conditional writes", conditions),
            ("hazards", self.hazards),
            ("RGB MOVA_FLOOR", moved),
            ("shared reads", s.shared_reads),
            ("shared writes", s.shared_writes),
            ("shared conflicts", s.shared_conflicts),
        ];
        let others = &others[..if self.shares() { 9 } else { 5 }];
        all.extend(others.iter().map(|&(name, count)| (name.to_string(), count)));
        all.into_iter().filter(|(_, count)| *count == 0).map(|(name, _)| name).collect()
    }

    /// A line for each engine that consists of several: launches by the engine that ran them and
    /// the reason.
    fn ran_lines(&self) -> Vec<String> {
        let ran: Vec<(&RanOn, u64)> = self.ran.iter().map(|(ran, &count)| (ran, count)).collect();
        let sum = |of: &[(&RanOn, u64)]| of.iter().map(|(_, count)| count).sum::<u64>();
        let part = |of: &[(&RanOn, u64)]| {
            let RanOn { engine, on, .. } = *of[0].0;
            let mut kinds: Vec<_> = of.iter().map(|(ran, n)| (Reverse(*n), ran.kind)).collect();
            kinds.sort();
            let kinds = kinds.iter().map(|(Reverse(n), kind)| format!("{kind} {n}"));
            if engine == on {
                format!("{} on {on}", sum(of))
            } else {
                format!("{} on {on} ({})", sum(of), kinds.collect::<Vec<_>>().join(", "))
            }
        };
        ran.chunk_by(|(a, _), (b, _)| a.engine == b.engine)
            .map(|of| {
                let parts = of.chunk_by(|(a, _), (b, _)| a.on == b.on).map(part);
                let parts = parts.collect::<Vec<_>>().join(", ");
                format!("engine {} ran {} launches: {parts}", of[0].0.engine, sum(of))
            })
            .collect()
    }

    /// The counts, human-readable.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let programs: Vec<String> = Strength::ALL
            .iter()
            .zip(self.programs)
            .filter(|(strength, n)| strength.is_mixed() || *n != 0)
            .map(|(strength, n)| format!("{n} {}", strength.name()))
            .collect();
        let _ = writeln!(
            text,
            "{} programs: {} ({} launches refused)",
            self.total(),
            programs.join(", "),
            self.refused
        );
        let s = &self.statistics;
        let _ = writeln!(
            text,
            "ran {} groups, {} points, {} ALU, {} OUT, {} TEX ({} fetching), {} FC ({} divergent)",
            s.groups, s.points, s.alu, s.out, s.tex, s.tex_fetching, s.fc, s.divergent
        );
        let _ = writeln!(
            text,
            "lane instructions {}, fetches {}, points killed {}, programs with a hazard {}",
            s.lane_instructions, s.fetches, s.killed, self.hazards
        );
        let [outputs, uncached, conditions] = self.writes;
        let _ = writeln!(
            text,
            "writes: {outputs} to outputs, {uncached} uncached, {conditions} to conditional buffers"
        );
        if self.shares() {
            let _ = writeln!(
                text,
                "shared registers: {} reads, {} writes, {} conflicts",
                s.shared_reads, s.shared_writes, s.shared_conflicts
            );
        }
        for ((unit, codes), counts) in UNITS.into_iter().zip(&self.operations) {
            let one = |code: &Code| format!("{} {}", code.name, counts[code.code as usize]);
            let mut list: Vec<String> = codes.iter().map(one).collect();
            if self.shares() && unit == "RGB" {
                list.extend(SHARING_OPS.iter().map(one));
            }
            let _ = writeln!(text, "{unit}: {}", list.join(", "));
        }
        let faults: Vec<String> =
            self.faults.iter().map(|(code, count)| format!("{} {count}", code.name())).collect();
        let _ = writeln!(text, "programs with a fault: {}", faults.join(", "));
        for line in self.ran_lines() {
            let _ = writeln!(text, "{line}");
        }
        let missing = self.missing();
        if !missing.is_empty() {
            let _ = writeln!(text, "never happened: {}", missing.join(", "));
        }
        text
    }
}

fn add(to: &mut [u64], from: &[u64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}

/// Whether a launch can raise a fault; only a device raises those of constants and counters.
/// `shares` says whether programs shared registers.
fn reachable(code: FaultCode, shares: bool) -> bool {
    match code {
        FaultCode::ConstantOutsideMemory | FaultCode::CounterOutsideMemory => false,
        FaultCode::Shared => shares,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_ran_on_what() {
        let one = |engine, on, kind, count| {
            let mut counts = Counts::default();
            counts.ran.insert(RanOn { engine, on, kind }, count);
            counts
        };
        let counts = one("translated", "translated", "translated", 5)
            .merged(one("translated", "interpreter", "budget", 1))
            .merged(one("translated", "interpreter", "uncached writes", 2))
            .merged(one("translated", "interpreter", "deep nesting", 1))
            .merged(one("translated", "translated", "translated", 2))
            .merged(one("gpu", "interpreter", "small", 3));
        assert_eq!(
            counts.ran_lines(),
            [
                "engine gpu ran 3 launches: 3 on interpreter (small 3)",
                "engine translated ran 11 launches: 4 on interpreter (uncached writes 2, budget 1, \
                 deep nesting 1), 7 on translated",
            ]
        );
        assert!(Counts::default().ran_lines().is_empty());
    }
}
