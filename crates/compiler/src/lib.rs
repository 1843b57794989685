//! GLSL and WGSL fragment shaders to programs of the R5xx fragment processor.
//!
//! Down: `lexer`, `preprocess` and `glsl` rewrite GLSL for naga; `front` has naga read it; `build` walks naga's module to the
//! `graph`, whose nodes the `rules` simplify (`functions` says what each function is in operations of the machine,
//! `arithmetic`), and the blocks of `region`; `place` gives nodes blocks and cells registers; `select` chooses operations,
//! those of `code`, and `homes` what goes into cells; `schedule` packs them into instructions with `pack` and gives them
//! registers; `emit` makes the image, with the jumps of `brackets`. The interface says what the program takes and gives by
//! the names of the source. `evaluate` runs a shader without any of that, to test the compiler with.
//! The crate knows no memory, no engines and no job files.

mod arithmetic;
mod brackets;
mod build;
mod code;
mod deep;
mod emit;
pub mod evaluate;
pub mod explain;
mod front;
mod functions;
mod glsl;
mod graph;
mod homes;
mod lexer;
mod pack;
mod place;
mod preprocess;
mod region;
mod rules;
mod schedule;
mod select;

use build::{Built, Limits, Setting};
use ctm_isa::isa::{INT_CONSTANTS, MAX_INSTRUCTIONS};
use ctm_isa::text::{Diagnostic, Span, TextErrors};
use ctm_lang::program::Image;
use schedule::{Failure, Strategy};
use select::Policy;

/// A language of shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// GLSL of OpenGL ES 1.00 and 3.00, of OpenGL 1.20 and later, and Shadertoy's.
    Glsl,
    /// WGSL.
    Wgsl,
}

/// How a shader is compiled.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only rules that change no bit.
    pub precise: bool,
    /// The samplers that interpolate between four elements.
    pub linear: Vec<String>,
    /// What becomes of loops and branches.
    pub flow: Flow,
}

/// What becomes of loops and branches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flow {
    /// Straight code where that is possible and fits into the machine.
    #[default]
    Straight,
    /// They stay.
    Kept,
}

/// A compiled shader.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program; it says what it takes and gives.
    pub image: Image,
    /// What the user should know: the line, and a sentence.
    pub notes: Vec<(usize, String)>,
    /// The nodes of the graph that count, a measure of the shader.
    pub nodes: usize,
    /// What the passes made of it.
    pub explanation: explain::Explanation,
}

/// Compiles a fragment shader. `name` is the source's name in error messages.
///
/// # Errors
/// What is wrong with the source, or not possible on the machine, with its line and a caret.
pub fn compile(
    source: &str,
    name: &str,
    language: Language,
    options: &Options,
) -> Result<Compiled, TextErrors> {
    TextErrors::of(source, name, |source| {
        front::apart(|| compiled(source, name, language, options))
    })
}

fn compiled(
    source: &str,
    name: &str,
    language: Language,
    options: &Options,
) -> Result<Compiled, Vec<Diagnostic>> {
    let tries = match options.flow {
        Flow::Straight => &LIMITS[..],
        Flow::Kept => &LIMITS[LIMITS.len() - 1..],
    };
    let mut result = Err(Vec::new());
    for limits in tries {
        result = built(source, language, options, *limits).and_then(|built| {
            let schedule = best(&built, options.precise)?;
            Ok((built, schedule))
        });
        // Less straight code may fit.
        if !matches!(&result, Err(errors) if errors.iter().all(is_size)) {
            break;
        }
    }
    let (first, schedule) = result?;
    let notes = first.notes.iter().map(|(span, note)| {
        (1 + source[..span.start.min(source.len())].matches('\n').count(), note.clone())
    });
    let mut notes: Vec<(usize, String)> = notes.collect();
    notes.sort();
    let nodes = first.graph.len();
    let mut explanation = explain::explain(&first.graph, &schedule, source);
    let upward = language == Language::Glsl;
    let image = emit::emit(first, &schedule, name, source, upward).map_err(|emit::Full| {
        vec![Span::default().error("the shader needs more than 256 constant registers")]
    })?;
    explanation.ends(image.words.len());
    Ok(Compiled { image, notes, nodes, explanation })
}

/// The graph of a source.
fn built(
    source: &str,
    language: Language,
    options: &Options,
    limits: Limits,
) -> Result<Built, Vec<Diagnostic>> {
    let front = match language {
        Language::Glsl => front::glsl(source)?,
        Language::Wgsl => front::wgsl(source)?,
    };
    let origin = |offset: usize| front.origin(offset);
    let setting = Setting {
        precise: options.precise,
        linear: &options.linear,
        limits,
        declared: front.declared(),
        origin: &origin,
    };
    build::build(&front.module, &setting).map_err(|error| vec![error])
}

/// How much becomes straight code, in the order of the tries.
const LIMITS: [Limits; 3] = [
    Limits { unroll: 100, merge: 300 },
    Limits { unroll: 0, merge: usize::MAX },
    Limits { unroll: 0, merge: 0 },
];

/// Whether an error says that the program is too large.
fn is_size(error: &Diagnostic) -> bool {
    error.message.starts_with(build::SIZE)
}

/// Most branches and loops inside each other: B_POP_CNT has five bits.
const MAX_NESTING: usize = 31;

/// Operations of all schedules that are tried.
const MAX_WORK: usize = 4000;

/// The limits of flow control.
fn limits(built: &Built, placement: &place::Placement) -> Result<(), Vec<Diagnostic>> {
    let depth = placement.shape.nesting.iter().max().copied().unwrap_or(0);
    if depth > MAX_NESTING {
        return Err(vec![too_large(&format!("{MAX_NESTING} nested branches and loops"))]);
    }
    let counts = built.flow.blocks.iter().filter_map(|block| match block.end {
        region::Control::Loop(count) => Some(count),
        _ => None,
    });
    if counts.collect::<std::collections::BTreeSet<u8>>().len() > INT_CONSTANTS {
        return Err(vec![too_large(&format!("{INT_CONSTANTS} different counts of loops"))]);
    }
    Ok(())
}

fn too_large(limit: &str) -> Diagnostic {
    Span::default().error(format!("{} than {limit}", build::SIZE))
}

/// The shortest of several schedules.
fn best(built: &Built, precise: bool) -> Result<schedule::Schedule, Vec<Diagnostic>> {
    let policy = |mad, presubtract_first, presubtract, dot| Policy {
        mad,
        presubtract_first,
        presubtract,
        dot,
        precise,
    };
    let policies = [
        policy(true, false, true, true),
        policy(true, true, true, true),
        policy(false, true, true, true),
        policy(true, false, false, true),
        policy(true, false, true, false),
    ];
    let strategies = [
        Strategy { patience: 2, together: true, width: 2 },
        Strategy { patience: 0, together: false, width: 3 },
        Strategy { patience: 6, together: true, width: 4 },
        Strategy { patience: 2, together: false, width: 2 },
    ];
    let Some(placement) = place::place(built) else {
        return Err(vec![too_large("128 temporaries at once")]);
    };
    limits(built, &placement)?;
    let mut found: Option<(Policy, schedule::Schedule)> = None;
    let mut failure = None;
    let mut work = 0;
    // All policies with one strategy, then the best policy with the others.
    let first = policies.map(|policy| (Some(policy), strategies[0]));
    let others = strategies[1..].iter().map(|strategy| (None, *strategy));
    for (policy, strategy) in first.into_iter().chain(others) {
        let Some(policy) = policy.or(found.as_ref().map(|(policy, _)| *policy)) else { continue };
        let code = select::select(built, &placement, policy);
        // Large programs get fewer tries.
        work += code.operations.len();
        if (found.is_some() || failure.is_some()) && work > MAX_WORK {
            break;
        }
        match schedule::schedule(code, strategy, precise) {
            Ok(schedule) => {
                if found.as_ref().is_none_or(|(_, best)| schedule.slots.len() < best.slots.len()) {
                    found = Some((policy, schedule));
                }
            }
            Err(error) => failure = Some(error),
        }
    }
    let found = found.map(|(_, schedule)| schedule);
    match (found, failure) {
        (Some(schedule), _) if schedule.slots.len() <= MAX_INSTRUCTIONS => Ok(schedule),
        (None, Some(Failure::Registers(_))) => Err(vec![too_large("128 temporaries at once")]),
        (found, _) => {
            let count = found.map(|schedule| schedule.slots.len());
            let error = too_large(&format!("{MAX_INSTRUCTIONS} instructions"));
            Err(vec![match count {
                Some(count) => error.label(format!("it needs {count}")),
                None => error,
            }])
        }
    }
}
