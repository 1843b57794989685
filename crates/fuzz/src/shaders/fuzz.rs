//! Many generated or changed shaders on all cores.

use super::check::{Checked, Compile, Finding, Tally, check};
use super::generate::generate;
use super::mistakes::{Mistaken, mistaken};
use super::mutate::mutate;
use super::passes::{self, Blame};
use super::reduce::reduce;
use ctm_base::clock::Instant;
use ctm_base::files;
use ctm_base::panics;
use ctm_base::text::TextErrors;
use ctm_compiler::{Compiled, Language, Options as Compiling};
use ctm_machine::engine::{Engine, Stop};
use parking_lot::Mutex;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The most sources that are tried to make a finding's smaller.
const TRIES: u32 = 3000;

/// The maximum time of the compiler for a changed source. It takes seconds at most; a busy machine may let it wait for
/// minutes.
const PATIENCE: Duration = Duration::from_secs(600);

/// The options of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The seed of all shaders.
    pub seed: u64,
    /// The first index.
    pub first: u64,
    /// The number of shaders.
    pub count: u64,
    /// Only exact rules; all bits must be equal.
    pub precise: bool,
    /// The time after which no more shaders start.
    pub time: Option<Duration>,
}

/// A shader that shows a finding.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its index.
    pub index: u64,
    /// Its source.
    pub source: String,
    /// The mistake.
    pub finding: Finding,
}

/// The counts of a run.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// The shaders.
    pub total: u64,
    /// The comparisons.
    pub tally: Tally,
    /// The number of shaders that the compiler refused, and the index of one of them, by reason.
    pub refused: BTreeMap<String, (u64, u64)>,
    /// The number of shaders with mistakes that the compiler refused.
    pub mistaken: u64,
}

impl Counts {
    /// The counts of two runs.
    pub fn merged(mut self, other: Counts) -> Counts {
        self.total += other.total;
        self.mistaken += other.mistaken;
        self.tally = self.tally.merged(other.tally);
        for (reason, (count, index)) in other.refused {
            self.refused.entry(reason).or_insert((0, index)).0 += count;
        }
        self
    }

    fn refuse(&mut self, reason: &str, index: u64) {
        // Numbers and names differ from shader to shader.
        let mut general = String::new();
        for word in reason.split_inclusive(' ') {
            let own = word.trim_end();
            let plain =
                own.chars().all(|letter| letter.is_ascii_alphabetic() || ",;:.'".contains(letter));
            general.push_str(if plain { word } else { "... " });
        }
        self.refused.entry(general.trim_end().to_string()).or_insert((0, index)).0 += 1;
    }

    /// The counts as text.
    pub fn text(&self) -> String {
        let Tally {
            compiled,
            instructions,
            loops,
            kept_too_large,
            compared,
            open,
            doubtful,
            killed,
            proved: [proved, undecided],
        } = self.tally;
        let mut text = format!(
            "{} shaders, {compiled} compiled to {} instructions\n",
            self.total, instructions[0]
        );
        // Changed sources only compile.
        if compared + open > 0 {
            text += &format!(
                "{} have loops; with all loops and branches kept: {} instructions, {} have loops, \
                 {kept_too_large} too large\n\
                 {compared} values compared; left open: {open} values, {doubtful} points near the edge of a branch; \
                 {killed} points discarded\n",
                loops[0], instructions[1], loops[1]
            );
        }
        if proved > 0 {
            let _ = writeln!(
                text,
                "{proved} programs proved equal to those without the optimizer for all inputs, {undecided} not decided"
            );
        }
        if self.mistaken > 0 {
            let _ = writeln!(text, "{} shaders with mistakes refused", self.mistaken);
        }
        for (reason, (count, index)) in &self.refused {
            text += &format!("{count} refused, as shader {index}: {reason}\n");
        }
        text
    }
}

/// Receives the progress of a run. Calls come from any thread.
pub trait Listener: Sync {
    /// `done` shaders have run.
    fn progress(&self, _done: u64) {}
    /// A shader shows a finding; returns whether to go on.
    fn found(&self, found: Found) -> bool;
}

/// Compiles GLSL as the command does.
pub fn compile(source: &str, options: &Compiling) -> Result<Compiled, TextErrors> {
    ctm_compiler::compile(source, "shader", Language::Glsl, options)
}

/// The values of a shader's run, by its seed and index.
fn data_seed(options: &Options, index: u64) -> u64 {
    options.seed ^ ctm_base::random::mix(index)
}

/// Generates shaders, compiles and runs each, and compares it with the evaluator.
pub fn run(
    options: &Options,
    compile: Compile<'_>,
    engine: &dyn Engine,
    listener: &dyn Listener,
) -> Counts {
    each(options, listener, &|index, counts| {
        let source = generate(options.seed, index);
        match check(&source, data_seed(options, index), options.precise, compile, engine) {
            Checked::Right(tally) => counts.tally = counts.tally.merged(tally),
            Checked::Refused(reason) => counts.refuse(&reason, index),
            Checked::Wrong(finding) => return Some(Found { index, source, finding }),
        }
        None
    })
}

/// Changes sources, and compiles each: the compiler must end, without a panic.
pub fn run_mutated(
    options: &Options,
    sources: &[(String, Language)],
    listener: &dyn Listener,
) -> Counts {
    let all: Vec<&str> = sources.iter().map(|(text, _)| text.as_str()).collect();
    each(options, listener, &|index, counts| {
        let n = index as usize % sources.len().max(1);
        let (_, language) = sources.get(n)?;
        let source = mutate(&all, n, options.seed, index);
        match within(&source, *language, options.precise, PATIENCE) {
            Ok(Ok(compiled)) => {
                counts.tally.compiled += 1;
                counts.tally.instructions[0] += compiled.image.words.len() as u64;
                None
            }
            Ok(Err(errors)) => {
                counts.refuse(&errors.errors()[0].message, index);
                None
            }
            Err(text) => Some(Found { index, source, finding: Finding::Fails(text) }),
        }
    })
}

/// Compiles shaders with mistakes: each must be refused, with an error at the line of each mistake.
pub fn run_mistaken(options: &Options, compile: Compile<'_>, listener: &dyn Listener) -> Counts {
    each(options, listener, &|index, counts| {
        let Mistaken { source, wrong } = mistaken(options.seed, index);
        let found = |text: String| {
            Some(Found { index, source: source.clone(), finding: Finding::Fails(text) })
        };
        let errors = match panics::catch(|| compile(&source, &Compiling::default())) {
            Ok(Ok(_)) => return found("a shader with mistakes is taken".to_string()),
            Ok(Err(errors)) => errors,
            Err(panic) => return found(panic.to_string()),
        };
        counts.mistaken += 1;
        let at = |first, last| {
            let mut lines = errors.errors().iter().map(|error| error.line as u32);
            lines.any(|line| (first..=last).contains(&line))
        };
        let missed = wrong.into_iter().find(|(first, last, _)| !at(*first, *last));
        missed.and_then(|(line, _, what)| found(format!("no error at line {line}: {what}")))
    })
}

/// Compiles within a time. A panic is a finding, too.
pub fn within(
    source: &str,
    language: Language,
    precise: bool,
    time: Duration,
) -> Result<Result<Compiled, TextErrors>, String> {
    let options = Compiling { precise, ..Compiling::default() };
    let stop = Stop::new().with_limit(time);
    let compile = || ctm_compiler::compile_within(source, "shader", language, &options, &stop);
    let done = panics::catch(compile).map_err(|panic| panic.to_string())?;
    done.map_err(|_| format!("the compiler does not end within {time:?}"))
}

/// Runs the indices on all cores, in order.
fn each(
    options: &Options,
    listener: &dyn Listener,
    one: &(dyn Fn(u64, &mut Counts) -> Option<Found> + Sync),
) -> Counts {
    let started = Instant::now();
    let stop = AtomicBool::new(false);
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let all = Mutex::new(Counts::default());
    (0..rayon::current_num_threads()).into_par_iter().for_each(|_| {
        let mut counts = Counts::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let late = options.time.is_some_and(|time| started.elapsed() >= time);
            if late || stop.load(Ordering::Relaxed) || number >= options.count {
                break;
            }
            counts.total += 1;
            if let Some(found) = one(options.first.saturating_add(number), &mut counts)
                && !listener.found(found)
            {
                stop.store(true, Ordering::Relaxed);
            }
            listener.progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        }
        let mut all = all.lock();
        *all = std::mem::take(&mut *all).merged(counts);
    });
    all.into_inner()
}

/// A shorter source that shows the same kind of finding, and that finding.
pub fn reduced(
    found: &Found,
    options: &Options,
    compile: Compile<'_>,
    engine: &dyn Engine,
) -> (String, Finding) {
    let finding = |source: &str| match check(
        source,
        data_seed(options, found.index),
        options.precise,
        compile,
        engine,
    ) {
        Checked::Wrong(finding) => Some(finding),
        Checked::Right(_) | Checked::Refused(_) => None,
    };
    let mut shows = |source: &str| finding(source).is_some_and(|one| one.alike(&found.finding));
    let source = reduce(&found.source, &mut shows, TRIES);
    let shown = finding(&source).unwrap_or_else(|| found.finding.clone());
    (source, shown)
}

/// The pass of the compiler that makes a mistake.
pub fn blamed(source: &str, finding: &Finding, options: &Options, index: u64) -> Option<Blame> {
    passes::blame(source, data_seed(options, index), options.precise, finding)
}

/// Writes texts to files of a folder.
///
/// # Errors
/// The folder or a file cannot be written.
pub fn save(folder: &Path, files: &[(&str, &str)]) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    files.iter().try_for_each(|(name, text)| files::write(&folder.join(name), text.as_bytes()))
}
