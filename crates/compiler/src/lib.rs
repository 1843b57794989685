#![doc = include_str!("../README.md")]
//! # Design
//! * `front` makes a module of naga's: of GLSL with `ctm-glsl`, of WGSL with naga's own front end.
//! * `lower` walks naga's module and makes the graph and the blocks that `ctm-codegen` takes. `ctm-functions` defines the
//!   functions of the languages in operations of the machine.
//! * `ps` makes them of ps_3_0.
//! * `attempts` lowers with several limits of straight code, lets `ctm-codegen` make a program of each, and takes the best.
//!
//! `evaluate` runs a shader without any of these passes, to test the compiler. The crate knows no memory, no engines and
//! no job files.

mod attempts;
pub mod evaluate;
mod front;
mod guard;
mod lower;
mod ps;

pub use ctm_codegen::explain;
pub use ctm_codegen::print::Form;

use ctm_base::stop::{Stop, Stopped};
use ctm_base::text::{Diagnostic, Span, TextErrors};
use ctm_base::work::{PassTime, Work};
use ctm_codegen::ir::Ir;
use ctm_codegen::schedule::Schedule;
use ctm_lang::load::Note;
use ctm_lang::program::{Image, Severity, SourceWarning};
use front::Front;

/// A language of shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// GLSL of OpenGL ES 1.00 and 3.00, of OpenGL 1.20 and later, and Shadertoy's.
    Glsl,
    /// WGSL.
    Wgsl,
    /// Direct3D's assembly of pixel shaders, version 3.0. Its results keep every bit, whatever the options; there are no
    /// filters.
    Ps,
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
    /// If-converted and unrolled where that is possible and fits into the machine.
    Flattened,
    /// They stay structured control flow: branches and loops of the machine.
    Structured,
}

/// A compiled shader.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program, with its interface.
    pub image: Image,
    /// Places where the program may not do what the source says, in order, each with a sentence: warnings about the source,
    /// and notes about the machine. A caller shows them.
    /// ```
    /// use ctm_compiler::{Language, Options, compile};
    /// use ctm_lang::program::Severity;
    ///
    /// let source = "varying float v;
    /// void main() { float a = v; while (a < 9.0) a *= v; gl_FragColor = vec4(a); }";
    /// let compiled = compile(source, "power.frag", Language::Glsl, &Options::default())?;
    /// let note = &compiled.notes[0];
    /// let place = note.mark.map(|mark| (mark.line, mark.column));
    /// assert_eq!((note.severity, place), (Severity::Note, Some((2, 28))));
    /// assert_eq!(note.text, "the machine ends a loop after 65,025 iterations");
    /// # Ok::<(), ctm_base::text::TextErrors>(())
    /// ```
    pub notes: Vec<Note>,
    /// The nodes of the graph that count, a measure of the shader.
    pub nodes: usize,
    /// The work of the compile, in units of about 10 ns: the same on every machine.
    pub work: u64,
    /// The times of the passes, all their runs together, in the order of their first runs: `front`, `lower`, `code motion`,
    /// `select`, `schedule`, `emit`. The rules run while `lower` makes the graph.
    pub times: Vec<PassTime>,
    /// The effects of the passes.
    pub explanation: explain::Explanation,
}

/// Compiles a fragment shader; one of ps_3_0 to the program of [`ctm_lang::ps::compile`], if that is shorter. `name` is the source's name in error messages.
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
    let done = match language.front() {
        None => ps::compiled(source, name, options.level, stop),
        Some(front) => {
            TextErrors::of(source, name, |source| compiled(source, name, front, options, stop))
        }
    };
    or_stopped(done, stop)
}

/// A pass that is stopped fails by any error.
fn or_stopped<T>(
    done: Result<T, TextErrors>,
    stop: &Stop,
) -> Result<Result<T, TextErrors>, Stopped> {
    if done.is_err() {
        stop.check()?;
    }
    Ok(done)
}

/// Prints an intermediate form of the program that [`compile`] makes of a source.
///
/// # Errors
/// As [`compile_within`], or a shader of ps_3_0 is translated line by line.
pub fn print(
    source: &str,
    name: &str,
    language: Language,
    options: &Options,
    form: Form,
    stop: &Stop,
) -> Result<Result<String, TextErrors>, Stopped> {
    let forms = forms_within(source, name, language, options, stop);
    let done = forms.and_then(|Forms { ir, schedule, .. }| {
        TextErrors::of(source, name, |source| {
            let work = Work::new(stop);
            let text = ctm_codegen::print::print(&ir, &schedule, form, source, &work);
            text.map_err(|exceeded| vec![attempts::too_large(source, &exceeded)])
        })
    });
    or_stopped(done, stop)
}

/// The forms of a compiled shader, to find the pass that makes a mistake.
pub struct Forms {
    /// The graph and the blocks, by the rules.
    pub ir: Ir,
    /// The same, where only literals are computed, unless it is too large or ps_3_0.
    pub plain: Option<Ir>,
    /// The instructions.
    pub schedule: Schedule,
}

/// The forms of the program that [`compile`] makes of a source.
///
/// # Errors
/// As [`compile`], or a shader of ps_3_0 is translated line by line.
pub fn forms(
    source: &str,
    name: &str,
    language: Language,
    options: &Options,
) -> Result<Forms, TextErrors> {
    forms_within(source, name, language, options, Stop::never())
}

fn forms_within(
    source: &str,
    name: &str,
    language: Language,
    options: &Options,
    stop: &Stop,
) -> Result<Forms, TextErrors> {
    let Some(front) = language.front() else {
        return ps::forms(source, name, options.level, stop);
    };
    TextErrors::of(source, name, |source| {
        let work = &Work::new(stop);
        let front = work.timed("front", || front(source, work))?;
        let input = attempts::Source { front: &front, text: source, name, options, work, stop };
        let program = attempts::best(&input)?;
        let plain = input.plain(&program).ok().map(|lowered| lowered.ir);
        Ok(Forms { ir: program.lowered.ir, plain, schedule: program.schedule })
    })
}

/// A front end that makes modules of naga's.
type ReadFront = fn(&str, &Work<'_>) -> Result<Front, Vec<Diagnostic>>;

impl Language {
    /// The front end of a language that has modules.
    fn front(self) -> Option<ReadFront> {
        match self {
            Language::Glsl => Some(front::glsl),
            Language::Wgsl => Some(front::wgsl),
            Language::Ps => None,
        }
    }
}

fn compiled(
    source: &str,
    name: &str,
    front: ReadFront,
    options: &Options,
    stop: &Stop,
) -> Result<Compiled, Vec<Diagnostic>> {
    let work = Work::new(stop);
    let front = work.timed("front", || front(source, &work))?;
    let input = attempts::Source { front: &front, text: source, name, options, work: &work, stop };
    let attempts::Program { lowered, schedule, mut image, .. } = attempts::best(&input)?;
    let variables = ctm_codegen::locations::variables(&lowered.ir, &schedule, &image, source);
    image.source.set_variables(variables);
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
    let note = |severity, mark, text| Note { severity, mark: Some(mark), text };
    let texts = warnings.iter();
    let texts = texts.map(|one| note(Severity::Warning, one.mark, one.sentence()));
    let notes = lowered.notes.iter();
    let notes = notes.map(|(span, text)| note(Severity::Note, span.mark(source), text.clone()));
    let mut notes: Vec<Note> = notes.chain(texts).collect();
    notes.sort_by_cached_key(|note| {
        (note.mark.map(|mark| (mark.line, mark.column)), note.text.clone())
    });
    image.source.warn(warnings);
    let nodes = lowered.ir.graph.size();
    let mut explanation = explain::explain(&lowered.ir.graph, &schedule, &image, source);
    explanation.version = front.glsl().map(|glsl| glsl.version.described());
    Ok(Compiled { image, notes, nodes, work: work.done(), times: work.times(), explanation })
}
