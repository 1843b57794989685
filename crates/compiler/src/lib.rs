#![doc = include_str!("../README.md")]
//! # Design
//! The passes, in order:
//!
//! * `front` makes a module of naga's: of GLSL with `ctm-glsl`, of WGSL with naga's own front end.
//! * `build` walks naga's module and makes the nodes of the `graph` and the blocks of `region`. The `rules` simplify nodes.
//!   `ctm-functions` defines the functions of the languages in operations of the machine.
//! * `place` chooses the blocks of nodes and the registers of cells.
//! * `select` chooses the operations, those of `code`, and `homes` inserts the copies into cells.
//! * `schedule` packs the operations into instructions, with `pack`, and allocates registers. `search` takes the best
//!   schedule by `cost`.
//! * `emit` makes the image, with the jumps of `brackets`. Its interface has the names of the source.
//!
//! `evaluate` runs a shader without any of these passes, to test the compiler. The crate knows no memory, no engines and
//! no job files.

mod brackets;
mod build;
mod code;
mod cost;
mod emit;
pub mod evaluate;
pub mod explain;
mod front;
mod graph;
mod guard;
mod homes;
mod pack;
mod place;
mod predicates;
mod region;
mod rematerialize;
mod rules;
mod schedule;
mod search;
mod select;

use build::{Built, Limits, Setting};
use ctm_base::stop::{Stop, Stopped};
use ctm_base::text::{Diagnostic, Mark, Span, TextErrors};
use ctm_base::work::{Ended, Work};
use ctm_isa::isa::INT_CONSTANTS;
use ctm_lang::program::{Image, SourceWarning};
use front::Front;
use graph::Rules;

/// A language of shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// GLSL of OpenGL ES 1.00 and 3.00, of OpenGL 1.20 and later, and Shadertoy's.
    Glsl,
    /// WGSL.
    Wgsl,
}

/// Options of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only rules that change no bit.
    pub precise: bool,
    /// The samplers that interpolate between four elements.
    pub linear: Vec<String>,
    /// The treatment of loops and branches.
    pub flow: Flow,
    /// The effort to make the program good.
    pub level: Level,
}

/// The effort to make a program good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// Each operation of the source becomes one of the machine; only what has literals alone is computed. For
    /// comparison: what a program means does not depend on the optimizer then.
    Unoptimized,
    /// Rules, folding, and the best of a few schedules.
    #[default]
    Usual,
    /// Many more schedules are tried.
    Search,
}

/// The treatment of loops and branches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flow {
    /// As it takes the fewest clocks.
    #[default]
    Chosen,
    /// Straight code where that is possible and fits into the machine.
    Straight,
    /// They stay.
    Kept,
}

/// A compiled shader.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program, with its interface.
    pub image: Image,
    /// Places where the program may not do what the source says, in order, each with a sentence.
    /// A caller shows them as warnings.
    /// ```
    /// use ctm_compiler::{Language, Options, compile};
    ///
    /// let source = "varying float v;
    /// void main() { float a = v; while (a < 9.0) a *= v; gl_FragColor = vec4(a); }";
    /// let compiled = compile(source, "power.frag", Language::Glsl, &Options::default())?;
    /// let note = "the machine ends a loop after 65,025 iterations";
    /// let (mark, sentence) = &compiled.notes[0];
    /// assert_eq!((mark.line, mark.column, sentence.as_str()), (2, 28, note));
    /// # Ok::<(), ctm_base::text::TextErrors>(())
    /// ```
    pub notes: Vec<(Mark, String)>,
    /// The nodes of the graph that count, a measure of the shader.
    pub nodes: usize,
    /// The work of the compile, in units of about 10 ns: the same on every machine.
    pub work: u64,
    /// The effects of the passes.
    pub explanation: explain::Explanation,
}

/// Compiles a fragment shader. `name` is the source's name in error messages.
///
/// # Errors
/// The errors of the source, or the parts that are not possible on the machine, with line and caret.
pub fn compile(
    source: &str,
    name: &str,
    language: Language,
    options: &Options,
) -> Result<Compiled, TextErrors> {
    let done = compile_within(source, name, language, options, Stop::never());
    done.unwrap_or_else(|why| {
        TextErrors::of(source, name, |_| Err(vec![Span::default().error(why.to_string())]))
    })
}

/// [`compile`], until it is stopped.
///
/// # Errors
/// It was stopped; within, the errors of [`compile`].
pub fn compile_within(
    source: &str,
    name: &str,
    language: Language,
    options: &Options,
    stop: &Stop,
) -> Result<Result<Compiled, TextErrors>, Stopped> {
    let done =
        TextErrors::of(source, name, |source| compiled(source, name, language, options, stop));
    if done.is_err() {
        // A pass that is stopped fails by any error.
        stop.check()?;
    }
    Ok(done)
}

fn compiled(
    source: &str,
    name: &str,
    language: Language,
    options: &Options,
    stop: &Stop,
) -> Result<Compiled, Vec<Diagnostic>> {
    let mut tries = match options.flow {
        Flow::Chosen if options.level == Level::Unoptimized => LIMITS.to_vec(),
        Flow::Chosen => [&LIMITS[..], &CHOICES[..]].concat(),
        Flow::Straight => LIMITS.to_vec(),
        Flow::Kept => LIMITS[2..].to_vec(),
    };
    let upward = language == Language::Glsl;
    let work = Work::new(stop);
    let front = match language {
        Language::Glsl => front::glsl(source, &work)?,
        Language::Wgsl => front::wgsl(source, &work)?,
    };
    // A compile that is stopped ends with any error: the caller knows why.
    let go_on = || stop.check().map_err(|why| vec![Span::default().error(why.to_string())]);
    let scheduled = |built: &Built, long: bool| {
        let schedule = search::best(built, long, &work)?;
        let image = emit::emit(built, &schedule, name, source, upward);
        let image = image.map_err(|emit::Full(at)| Limit::of(at, "256 constant registers"))?;
        Ok::<_, Limit>((schedule, image))
    };
    let mut found: Option<(Limits, Built, schedule::Schedule, Image)> = None;
    let mut failed = Vec::new();
    // What has been tried, by its size.
    let mut seen: Vec<[usize; 3]> = Vec::new();
    let mut n = 0;
    while let Some(limits) = tries.get(n).copied() {
        n += 1;
        go_on()?;
        work.share();
        // The others are no smaller.
        if n > LIMITS.len() && found.is_none() && limits != WHOLE {
            break;
        }
        if !limits.columns && found.is_some() {
            continue;
        }
        let built = match built(&front, options, limits, &[], &work) {
            Ok(built) => built,
            // A sampler is chosen by the counter of a loop, which must be straight code.
            Err(errors) if errors.iter().all(|error| error.message == build::WHICH_SAMPLER) => {
                if found.is_none() && options.flow != Flow::Kept && !tries.contains(&WHOLE) {
                    tries = vec![WHOLE];
                    n = 0;
                }
                failed = errors;
                continue;
            }
            // Less straight code may fit.
            Err(errors) if errors.iter().all(is_size) => {
                failed = errors;
                continue;
            }
            Err(errors) => return Err(errors),
        };
        let size = built.size();
        if seen.contains(&size) {
            continue;
        }
        seen.push(size);
        match scheduled(&built, false) {
            Err(limit) => failed = vec![limit.error(source)],
            Ok((schedule, image)) => {
                if found.as_ref().is_none_or(|(_, _, best, _)| cost::saves(&schedule, best)) {
                    found = Some((limits, built, schedule, image));
                }
                if options.flow == Flow::Straight || options.level == Level::Unoptimized {
                    break;
                }
            }
        }
    }
    let (limits, mut first, mut schedule, mut image) = found.ok_or(failed)?;
    let flips = match options.level {
        Level::Unoptimized => 0,
        Level::Usual => 8,
        Level::Search => 32,
    };
    if options.flow == Flow::Chosen {
        // Try each branch and loop the other way round, one at a time.
        let mut flipped: Vec<u32> = Vec::new();
        for at in first.decisions.clone().into_iter().take(flips) {
            go_on()?;
            if work.check("flips").is_err() {
                break;
            }
            work.share();
            flipped.push(at);
            let other = built(&front, options, limits, &flipped, &work);
            let other = other.ok().filter(|other| !seen.contains(&other.size()));
            let better = other.and_then(|other| {
                seen.push(other.size());
                let (found, image) = scheduled(&other, false).ok()?;
                cost::saves(&found, &schedule).then_some((other, found, image))
            });
            match better {
                Some(better) => (first, schedule, image) = better,
                None => drop(flipped.pop()),
            }
        }
    }
    // Another order may need more constants than there are.
    if options.level == Level::Search
        && let Ok(searched) = scheduled(&first, true)
    {
        (schedule, image) = searched;
    }
    let warnings = front.glsl().map_or(&[][..], |glsl| &glsl.warnings);
    let mut warnings: Vec<SourceWarning> = warnings
        .iter()
        .map(|warning| SourceWarning {
            mark: warning.span.mark(source),
            message: warning.message.clone(),
            help: warning.help.clone(),
        })
        .collect();
    warnings.sort_by_key(|warning| warning.mark);
    let texts = warnings.iter().map(|warning| (warning.mark, warning.sentence()));
    let notes = first.notes.iter().map(|(span, note)| (span.mark(source), note.clone()));
    let mut notes: Vec<(Mark, String)> = notes.chain(texts).collect();
    notes.sort_by(|(a, x), (b, y)| (a.line, a.column, x).cmp(&(b.line, b.column, y)));
    image.source.warn(warnings);
    let nodes = first.graph.len();
    let mut explanation = explain::explain(&first.graph, &schedule, source);
    explanation.ends(image.words.len());
    explanation.version = front.glsl().map(|glsl| glsl.version.described());
    Ok(Compiled { image, notes, nodes, work: work.done(), explanation })
}

/// The graph of a source.
fn built(
    front: &Front,
    options: &Options,
    limits: Limits,
    flips: &[u32],
    work: &Work<'_>,
) -> Result<Built, Vec<Diagnostic>> {
    let setting = Setting {
        rules: match (options.level, options.precise) {
            (Level::Unoptimized, precise) => Rules::Literals { precise },
            (Level::Usual | Level::Search, true) => Rules::Exact,
            (Level::Usual | Level::Search, false) => Rules::All,
        },
        linear: &options.linear,
        limits,
        flips,
        glsl: front.glsl(),
        work,
    };
    build::build(front.module(), &setting)
}

/// The limits of straight code, in the order of the tries.
const LIMITS: [Limits; 4] = [
    Limits { unroll: 100, merge: 300, columns: true },
    Limits { unroll: 0, merge: usize::MAX, columns: true },
    Limits { unroll: 0, merge: 0, columns: true },
    // If the constants do not fit otherwise.
    Limits { unroll: 0, merge: 0, columns: false },
];

/// The limits where a loop must become straight code.
const WHOLE: Limits = Limits { unroll: 4000, merge: 300, columns: true };

/// Other limits that may take fewer clocks.
const CHOICES: [Limits; 3] = [
    Limits { unroll: 300, merge: 300, columns: true },
    Limits { unroll: 300, merge: 30, columns: true },
    Limits { unroll: 100, merge: 30, columns: true },
];

/// Whether an error says that the program is too large.
fn is_size(error: &Diagnostic) -> bool {
    error.message.starts_with(build::SIZE)
}

/// Most branches and loops inside each other: B_POP_CNT has five bits.
const MAX_NESTING: usize = 31;

/// The registers that a program has.
const TEMPORARIES: &str = "128 temporaries at once";

/// A limit of the machine or of the compiler, and the offset of the source where it is passed.
struct Limit {
    at: u32,
    what: String,
}

impl Limit {
    fn of(at: u32, what: impl Into<String>) -> Limit {
        Limit { at, what: what.into() }
    }

    /// The compile ends at an offset of the source.
    fn ended(at: u32, why: Ended) -> Limit {
        Limit::of(at, why.to_string())
    }

    /// The error, with the word of the source.
    fn error(&self, source: &str) -> Diagnostic {
        let at = self.at as usize;
        let rest = source.get(at..).unwrap_or_default();
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let span = Span::new(at, at + word.max(1));
        let error = span.error(format!("{} than {}", build::SIZE, self.what));
        error.label("the limit is passed here")
    }
}

/// The limits of flow control.
fn limits(built: &Built, placement: &place::Placement) -> Result<(), Limit> {
    let mut counts = std::collections::BTreeSet::new();
    for (n, (block, depth)) in built.flow.blocks.iter().zip(&placement.shape.nesting).enumerate() {
        if *depth > MAX_NESTING {
            let what = format!("{MAX_NESTING} nested branches and loops");
            return Err(Limit::of(block.origin, what));
        }
        if let region::Control::Loop(count) = block.end {
            // With aL and without.
            counts.insert((count, built.flow.columns.iter().any(|column| column.head == n + 1)));
        }
        if counts.len() > INT_CONSTANTS {
            let what = format!("{INT_CONSTANTS} different counts of loops");
            return Err(Limit::of(block.origin, what));
        }
    }
    Ok(())
}
