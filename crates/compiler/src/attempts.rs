//! The choice of what becomes of loops and branches: the shader is lowered with several limits of straight code, and with
//! single decisions inverted. The program with the fewest clocks wins.

use crate::front::Front;
use crate::lower::{self, Limits, Lowered, Refusal, Refused, Setting};
use crate::{Flow, Level, Options};
use ctm_base::stop::Stop;
use ctm_base::text::{Diagnostic, Span};
use ctm_base::work::Work;
use ctm_codegen::graph::Rules;
use ctm_codegen::limits::Exceeded;
use ctm_codegen::schedule::Schedule;
use ctm_codegen::{cost, emit, search};
use ctm_lang::program::Image;

/// The limits of straight code, in the order of the tries.
const LIMITS: [Limits; 4] = [
    Limits { unroll: 100, if_convert: 300, arrays: true },
    Limits { unroll: 0, if_convert: usize::MAX, arrays: true },
    Limits { unroll: 0, if_convert: 0, arrays: true },
    // If the constants do not fit otherwise.
    Limits { unroll: 0, if_convert: 0, arrays: false },
];

/// The limits where a loop must become straight code.
const WHOLE: Limits = Limits { unroll: 4000, if_convert: 300, arrays: true };

/// Other limits that may take fewer clocks.
const CHOICES: [Limits; 3] = [
    Limits { unroll: 300, if_convert: 300, arrays: true },
    Limits { unroll: 300, if_convert: 30, arrays: true },
    Limits { unroll: 100, if_convert: 30, arrays: true },
];

/// A program.
pub struct Program {
    pub lowered: Lowered,
    pub schedule: Schedule,
    pub image: Image,
    limits: Limits,
    /// The branches and loops whose decision by the limits is inverted.
    inverted: Vec<u32>,
}

/// A source to compile.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub front: &'a Front,
    pub text: &'a str,
    pub name: &'a str,
    pub options: &'a Options,
    pub work: &'a Work<'a>,
    pub stop: &'a Stop,
}

/// The best program of a source.
///
/// # Errors
/// The parts of the source that are not possible on the machine, the limit that all attempts pass, or the compile was
/// stopped.
pub fn best(source: &Source<'_>) -> Result<Program, Vec<Diagnostic>> {
    let Options { flow, level, .. } = *source.options;
    // By their size.
    let mut seen: Vec<[usize; 3]> = Vec::new();
    let mut program = first(source, &mut seen)?;
    let inverted = match level {
        Level::Unoptimized => 0,
        Level::Usual => 8,
        Level::Search => 32,
    };
    if flow == Flow::Chosen {
        invert(source, inverted, &mut program, &mut seen)?;
    }
    // Another order may need more constants than there are.
    if level == Level::Search
        && let Ok((schedule, image)) = source.schedule(&program.lowered, true)
    {
        (program.schedule, program.image) = (schedule, image);
    }
    Ok(program)
}

/// The best program by limits alone. Adds the sizes that were tried to `seen`.
fn first(source: &Source<'_>, seen: &mut Vec<[usize; 3]>) -> Result<Program, Vec<Diagnostic>> {
    let Options { flow, level, .. } = *source.options;
    let mut tries = match flow {
        Flow::Chosen if level == Level::Unoptimized => LIMITS.to_vec(),
        Flow::Chosen => [&LIMITS[..], &CHOICES[..]].concat(),
        Flow::Flattened => LIMITS.to_vec(),
        Flow::Structured => LIMITS[2..].to_vec(),
    };
    let mut found: Option<Program> = None;
    let mut failed = Vec::new();
    let mut n = 0;
    while let Some(limits) = tries.get(n).copied() {
        n += 1;
        source.go_on()?;
        source.work.share();
        // The others are no smaller.
        if n > LIMITS.len() && found.is_none() && limits != WHOLE {
            break;
        }
        if !limits.arrays && found.is_some() {
            continue;
        }
        let lowered = match source.lower(limits, &[]) {
            Ok(lowered) => lowered,
            Err(errors) => {
                let all = |kind| errors.iter().all(|error: &Refused| error.refusal == kind);
                if all(Refusal::Sampler) {
                    // The loop whose counter chooses the sampler must be straight code.
                    if found.is_none() && flow != Flow::Structured && !tries.contains(&WHOLE) {
                        tries = vec![WHOLE];
                        n = 0;
                    }
                } else if !all(Refusal::Size) {
                    return Err(diagnostics(errors));
                }
                failed = diagnostics(errors);
                continue;
            }
        };
        let size = lowered.ir.size();
        if seen.contains(&size) {
            continue;
        }
        seen.push(size);
        match source.schedule(&lowered, false) {
            Err(exceeded) => failed = vec![too_large(source.text, &exceeded)],
            Ok((schedule, image)) => {
                let better = |best: &Program| cost::saves(&schedule, &best.schedule);
                if found.as_ref().is_none_or(better) {
                    let inverted = Vec::new();
                    found = Some(Program { lowered, schedule, image, limits, inverted });
                }
                if flow == Flow::Flattened || level == Level::Unoptimized {
                    break;
                }
            }
        }
    }
    found.ok_or(failed)
}

/// Tries each branch and loop the other way round, one at a time, at most `count`.
fn invert(
    source: &Source<'_>,
    count: usize,
    program: &mut Program,
    seen: &mut Vec<[usize; 3]>,
) -> Result<(), Vec<Diagnostic>> {
    let limits = program.limits;
    let mut inverted: Vec<u32> = Vec::new();
    for at in program.lowered.decisions.clone().into_iter().take(count) {
        source.go_on()?;
        if source.work.check("inverted decisions").is_err() {
            break;
        }
        source.work.share();
        inverted.push(at);
        let other = source.lower(limits, &inverted).ok();
        let other = other.filter(|other| !seen.contains(&other.ir.size()));
        let better = other.and_then(|lowered| {
            seen.push(lowered.ir.size());
            let (schedule, image) = source.schedule(&lowered, false).ok()?;
            let saves = cost::saves(&schedule, &program.schedule);
            let inverted = inverted.clone();
            saves.then_some(Program { lowered, schedule, image, limits, inverted })
        });
        match better {
            Some(better) => *program = better,
            None => drop(inverted.pop()),
        }
    }
    Ok(())
}

fn diagnostics(errors: Vec<Refused>) -> Vec<Diagnostic> {
    errors.into_iter().map(|refused| refused.error).collect()
}

impl Source<'_> {
    /// A compile that is stopped ends with any error: the caller knows why.
    fn go_on(&self) -> Result<(), Vec<Diagnostic>> {
        self.stop.check().map_err(|why| vec![Span::default().error(why.to_string())])
    }

    /// The graph of the source. `inverted`: the branches and loops whose decision by the limits is inverted.
    fn lower(&self, limits: Limits, inverted: &[u32]) -> Result<Lowered, Vec<Refused>> {
        let Options { precise, level, ref linear, .. } = *self.options;
        let setting = Setting {
            rules: match (level, precise) {
                (Level::Unoptimized, precise) => Rules::Literals { precise },
                (Level::Usual | Level::Search, true) => Rules::Exact,
                (Level::Usual | Level::Search, false) => Rules::All,
            },
            linear,
            limits,
            inverted,
            glsl: self.front.glsl(),
            work: self.work,
        };
        self.work.timed("lower", || lower::lower(self.front.module(), &setting))
    }

    /// The graph of a program without rules: only literals are computed.
    pub fn plain(&self, program: &Program) -> Result<Lowered, Vec<Refused>> {
        let options = Options { level: Level::Unoptimized, ..self.options.clone() };
        Source { options: &options, ..*self }.lower(program.limits, &program.inverted)
    }

    /// The program of a graph. `long`: after a search.
    fn schedule(&self, lowered: &Lowered, long: bool) -> Result<(Schedule, Image), Exceeded> {
        let schedule = search::best(&lowered.ir, long, self.work)?;
        // A picture of GLSL has row 0 at the bottom.
        let upward = self.front.glsl().is_some();
        let emit = || emit::emit(&lowered.ir, &schedule, self.name, self.text, upward);
        let image = self.work.timed("emit", emit)?;
        Ok((schedule, image))
    }
}

/// The error of a limit, at the word of the source where it is passed.
pub fn too_large(source: &str, exceeded: &Exceeded) -> Diagnostic {
    let at = exceeded.at as usize;
    let rest = source.get(at..).unwrap_or_default();
    let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let refused = Refused::too_large(Span::new(at, at + word.max(1)), exceeded.limit);
    refused.error.label("the limit is passed here")
}
