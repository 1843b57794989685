//! The checks of a program alone, over all its paths. One file each; `paths` has the paths.

use super::code::Code;
use super::finding::{Finding, Findings, MOST_LISTED};
use ctm_base::panics;
use ctm_isa::isa::{Access, Instruction, Temps};
use ctm_jobs::job::{Job, Pass};
use ctm_lang::asm::mask_text;
use ctm_lang::program::{NameKind, Program};
use ctm_machine::engine::{Stop, Stopped};
use paths::Paths;
use std::sync::Arc;

mod alu_result;
mod clauses;
mod dataflow;
mod depth;
mod dot;
mod lists;
mod nops;
mod outputs;
mod paths;
mod pcs;
mod reach;
mod registers;
mod source;
#[cfg(test)]
mod tests;
mod uncached;
mod unused;
mod unwritten;
mod waits;

pub use unwritten::unwritten;

/// The facts of a job about the surfaces of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The channels that are written of each bound output: bit 0 R to bit 3 A.
    pub outputs: Vec<(u32, u8)>,
    /// The inputs that share memory with an output, bit n for input n.
    pub read_back: u16,
}

impl Bound {
    /// The facts of a job about the surfaces of each pass.
    pub fn of_job(job: &Job) -> Vec<Bound> {
        let mut mask = 15;
        let of_pass = |pass: &Pass| {
            // A pass without a mask keeps the one of the pass before.
            mask = pass.mask.unwrap_or(mask);
            let channels = |buffer: usize| (1 << job.buffers[buffer].format.channels()) - 1;
            let outputs = pass.outputs.iter();
            let outputs = outputs.map(|&(slot, buffer)| (slot, channels(buffer) & mask)).collect();
            // Buffers that the file places may share memory.
            let placed = |buffer: usize| job.buffers[buffer].address.is_some();
            let shared = |input: usize| {
                let mut outputs = pass.outputs.iter().map(|(_, output)| *output);
                outputs.any(|output| output == input || placed(output) && placed(input))
            };
            let inputs = pass.inputs.iter().filter(|(_, buffer)| shared(*buffer));
            Bound { outputs, read_back: inputs.fold(0, |bits, (slot, _)| bits | 1 << slot) }
        };
        job.passes.iter().map(of_pass).collect()
    }
}

/// A program being checked.
struct Subject<'a> {
    program: &'a Program,
    /// `None` for a program without a job.
    bound: Option<&'a Bound>,
    paths: Paths,
    /// The temporaries that each instruction reads and writes.
    reads: Vec<Temps>,
    writes: Vec<Temps>,
    accesses: Arc<Vec<Access>>,
    stop: &'a Stop,
}

/// A check of a program.
type Check = fn(&Subject<'_>) -> Result<Vec<Finding>, Stopped>;

/// Runs all checks on a program. `bound` is what a job binds to it, if there is one.
///
/// # Errors
/// It was stopped.
pub fn run(program: &Program, bound: Option<&Bound>, stop: &Stop) -> Result<Findings, Stopped> {
    stop.check()?;
    let of = |temps: fn(&Instruction) -> Temps| program.instructions().iter().map(temps).collect();
    let (reads, writes) = (of(Temps::read_by), of(Temps::written_by));
    let (paths, accesses) = (Paths::of(program), program.accesses());
    let subject = Subject { program, bound, paths, reads, writes, accesses, stop };
    let checks: [Check; 14] = [
        waits::check,
        uncached::check,
        nops::check,
        alu_result::check,
        |subject| Ok(depth::check(subject)),
        |subject| Ok(registers::check(subject)),
        |subject| Ok(reach::check(subject)),
        unused::check,
        |subject| Ok(outputs::check(subject)),
        |subject| Ok(dot::check(subject)),
        |subject| Ok(lists::check(subject)),
        clauses::check,
        |subject| Ok(paths::check(subject)),
        |subject| Ok(source::check(subject)),
    ];
    let mut findings = Findings::default();
    for check in checks {
        stop.check()?;
        findings.extend(check(&subject)?);
    }
    Ok(findings)
}

/// Runs all checks on the programs of a job.
///
/// # Errors
/// It was stopped.
pub fn of_job(job: &Job, stop: &Stop) -> Result<Findings, Stopped> {
    panics::point("check", || job.file.display().to_string());
    let mut findings = Findings::default();
    let mut checked: Vec<(&Arc<Program>, Bound)> = Vec::new();
    for ((pass, bound), n) in job.passes.iter().zip(Bound::of_job(job)).zip(0..) {
        // Passes with the same program and surfaces have the same findings.
        let known = checked
            .iter()
            .any(|(program, known)| Arc::ptr_eq(program, &pass.program) && *known == bound);
        if !known {
            let found = run(&pass.program, Some(&bound), stop)?;
            findings.extend(found.into_iter().map(|finding| finding.pass(n)));
            checked.push((&pass.program, bound));
        }
    }
    Ok(findings)
}

impl Subject<'_> {
    /// Channels of a temporary for messages: `r3.rg`, or with the author's name `sum (r3.rg)`.
    fn temp(&self, n: u8, channels: u8) -> String {
        let register = format!("r{n}.{}", mask_text(channels));
        match self.program.image().name_of(NameKind::Temp, n.into()) {
            Some(name) => format!("{name} ({register})"),
            None => register,
        }
    }
    /// Channels of several temporaries, for messages.
    fn temps(&self, temps: &Temps) -> String {
        let mut all = temps.iter();
        let listed = all.by_ref().take(MOST_LISTED).map(|(n, mask)| self.temp(n, mask));
        let listed = listed.collect::<Vec<_>>().join(", ");
        match all.count() {
            0 => listed,
            n => format!("{listed} and {n} more"),
        }
    }
    /// An output for messages: `o1`, or with the author's name `edges (o1)`.
    fn output(&self, n: u32) -> String {
        match self.program.image().name_of(NameKind::Output, n) {
            Some(name) => format!("{name} (o{n})"),
            None => format!("o{n}"),
        }
    }
    /// Whether some point runs each instruction.
    fn run_by_points(&self) -> Vec<bool> {
        let mut run = vec![false; self.program.instructions().len()];
        for node in self.paths.nodes.iter().filter(|node| node.active) {
            run[node.pc as usize] = true;
        }
        run
    }
}

/// A finding about an instruction.
fn at(code: Code, pc: u32, subject: impl Into<String>, message: impl Into<String>) -> Finding {
    Finding::new(code, Some(pc), subject, message)
}
