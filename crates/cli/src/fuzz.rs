//! `ctm fuzz`.

#[cfg(feature = "compiler")]
mod shaders;

use super::bar::bar;
use super::outputs::{Output, Outputs, WritableFolder};
use super::values::parse_compared_mode;
use super::{Exit, engines};
use anyhow::{Context, anyhow, bail};
use clap::builder::PossibleValuesParser;
use ctm_engine::Engine;
use ctm_engine::reference::Reference;
use ctm_fuzz::crosscheck::fuzz::{self, Found, Listener, Options};
use ctm_fuzz::crosscheck::{Case, Strength, compare, export, generate, reduce};
use ctm_jobs::job::SharedFiles;
use ctm_lang::asm;
use ctm_machine::launch::FloatMode;
use indicatif::ProgressBar;
use parking_lot::Mutex;
use std::time::Duration;

/// Run random programs on several engines and compare everything, bit for bit.
#[derive(clap::Args)]
#[command(after_help = "\
Programs come in these strengths; all mixes the first three:
  operations   one to three ALU operations over hard operands (NaN, infinities, denormals, signed
               zeros, halfway cases) in every operand form
  straight     straight-line programs: fetches, predicates, several outputs, conditions
  flow         nested and irregular flow control, relative addressing, kills, scatter, faults
  shared       programs as those of straight and flow whose groups share registers
  numeric      chains over denormals and tiny factors: moves of constants, write-inactive, output
               modifiers, clamps, predicates, kills, MDH and MDV, dot products, transcendentals,
               16-bit outputs
The same seed, index and --strength always generate the same program. Each program runs on the
reference engine and on the others; memory, statistics, faults and hazards must be the same.

A program that shows a difference is reduced as far as possible and written as a job folder:
job.toml (for `ctm crosscheck` and `ctm run`), program.hex, arrays, and about.txt with the
difference and the disassembly.

Examples:
  ctm fuzz --count 2000                       seed 1, the mixture
  ctm fuzz --seed 7 --minutes 10 --out found  as many as fit in ten minutes
  ctm fuzz --seed 7 --first 1234 --count 1    only program 1234 of seed 7
  ctm fuzz --strength operations --keep-going

To share a run among several processes, give each the same --seed and its own range: --count N and,
for process K = 0, 1, 2 ..., --first K*N. No program then runs twice:
  ctm fuzz --seed 7 --first 0 --count 12500
  ctm fuzz --seed 7 --first 12500 --count 12500

For an engine that consists of several, such as translated, a line says how many launches each of
them ran, and why.

With --compiler, random GLSL fragment shaders are compiled twice, as always and with all loops and
branches kept. Both programs run, and are compared with a direct evaluation of the source: within
bounds that follow from what GLSL leaves open, or, with --precise, bit for bit. docs/compiler.md
explains it. As many shaders with mistakes must be refused, with an error at each mistake's line.
A shader that shows a finding is reduced, printed and written (shader.frag,
generated.frag, about.txt), with the pass that makes the mistake; pass.txt is a form that shows it:
  ctm fuzz --compiler --precise --count 2000
  ctm fuzz --compiler --mutate shaders --count 10000   only whether the compiler ends without a panic

Exit status: 0 no difference, 1 a difference, 2 bad usage.")]
pub struct Args {
    /// The seed of all programs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of programs. Default: 1000; with --minutes, as many as fit.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,
    /// The index of the first program.
    #[arg(long, value_name = "N", default_value_t = 0,
        value_parser = clap::value_parser!(u64).range(..u64::MAX))]
    first: u64,
    /// Stop after this many minutes.
    #[arg(long, value_name = "M")]
    minutes: Option<f64>,
    /// The parts of the machine that the programs use.
    #[arg(long, default_value = "all", value_parser = strengths())]
    strength: String,
    /// The engines to compare with the reference. Default: all.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    engine: Vec<String>,
    #[command(flatten)]
    adapter: engines::Adapter,
    /// The arithmetic: exact, or chip, which no engine on a GPU has.
    #[arg(long, default_value = "exact", value_parser = parse_compared_mode)]
    mode: FloatMode,
    /// The folder for the job folders of programs that show a difference.
    #[arg(long, value_name = "DIR", default_value = "fuzz-out")]
    out: Output,
    /// Engines whose statistics need a different code path (translated, gpu) run every program
    /// without statistics, and every N-th program again with them; 0: never.
    #[arg(long, value_name = "N", default_value_t = 16)]
    counted: u64,
    /// Do not stop at the first difference.
    #[arg(long)]
    keep_going: bool,
    /// Reduce and write at most this many programs; only name the rest.
    #[arg(long, value_name = "N", default_value_t = 10)]
    most: usize,
    /// Print the program of --first, its settings and what it does; compare nothing.
    #[arg(long)]
    show: bool,
    /// Test the compiler of shaders.
    #[cfg(feature = "compiler")]
    #[arg(long, conflicts_with_all = ["strength", "engine", "mode", "counted"])]
    compiler: bool,
    /// With --compiler: only changes that keep every bit.
    #[cfg(feature = "compiler")]
    #[arg(long, requires = "compiler")]
    precise: bool,
    /// With --compiler: compile changed copies of these shaders, and of those in these folders.
    #[cfg(feature = "compiler")]
    #[arg(long, requires = "compiler", value_name = "PATH")]
    mutate: Vec<std::path::PathBuf>,
}

/// The values of `--strength`.
fn strengths() -> PossibleValuesParser {
    let names = ["all"].into_iter().chain(Strength::ALL.map(Strength::name));
    names.collect::<Vec<_>>().into()
}

/// Collects the differences.
struct Finds {
    found: Mutex<Vec<Found>>,
    keep_going: bool,
    bar: ProgressBar,
}

impl Listener for Finds {
    fn progress(&self, done: u64) {
        self.bar.set_position(done);
    }
    fn found(&self, found: Found) -> bool {
        self.found.lock().push(found);
        self.keep_going
    }
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let time = args.minutes.map(|minutes| {
        Duration::try_from_secs_f64(minutes * 60.0)
            .map_err(|_| anyhow!("--minutes {minutes}: it is a number from 0 on"))
    });
    let time = time.transpose()?;
    let count = args.count.unwrap_or(if time.is_some() { u64::MAX } else { 1000 });
    #[cfg(feature = "compiler")]
    if args.compiler {
        return shaders::run(args, time, count);
    }
    let strength = Strength::from_name(&args.strength);
    if args.show {
        let strength = strength.unwrap_or(Strength::of_index(args.first));
        let case = generate(args.seed, strength, args.first);
        super::print(listing(&case))?;
        return Ok(Exit::Done);
    }
    let anywhere = SharedFiles::new();
    let out = Outputs::new(&anywhere).folder("--out", &args.out)?;
    let mut engines = engines::comparable(&args.engine, &args.adapter, args.mode)?;
    engines.retain(|engine| engine.name() != "reference");
    if engines.is_empty() {
        bail!("a comparison needs at least two engines, found 1");
    }
    let engines: Vec<&dyn Engine> = engines.iter().map(AsRef::as_ref).collect();
    let options = Options {
        seed: args.seed,
        first: args.first,
        mode: args.mode,
        count,
        strength,
        time,
        counted: args.counted,
    };
    compare_all(args, &out, &options, &engines)
}

/// Runs the programs, then reduces and prints what was found.
fn compare_all(
    args: &Args,
    out: &WritableFolder,
    options: &Options,
    engines: &[&dyn Engine],
) -> anyhow::Result<Exit> {
    let finds = Finds {
        found: Mutex::new(Vec::new()),
        keep_going: args.keep_going,
        bar: bar(
            Some(options.count).filter(|&count| count != u64::MAX),
            "{wide_bar} {pos} programs {per_sec} {eta} left",
        ),
    };
    let counts = fuzz::run(options, engines, &finds)?;
    finds.bar.finish_and_clear();
    if counts.total() == 0 {
        // With a count of at least 1, only the time limit can keep every program from running.
        let minutes = args.minutes.unwrap_or_default();
        bail!("no program ran within --minutes {minutes}: nothing was compared");
    }
    let mut found = finds.found.into_inner();
    found.sort_by_key(|found| found.case.index);
    super::print(format!("seed {}\n{}", args.seed, counts.text()))?;
    for (n, found) in found.iter().enumerate() {
        let Found { case, difference } = found;
        let strength = case.strength.name();
        super::print(format!("program {} ({strength}): {difference}\n", case.index))?;
        if n < args.most {
            super::print(reduced(found, engines, out.path())? + "\n")?;
        }
    }
    super::print(format!("{} differences\n", found.len()))?;
    Ok(if found.is_empty() { Exit::Done } else { Exit::Failed })
}

/// Reduces a program that shows a difference and writes it; returns the text about it.
fn reduced(
    found: &Found,
    engines: &[&dyn Engine],
    out: &std::path::Path,
) -> anyhow::Result<String> {
    let reference = Reference::new();
    // Only the engine that differs, and only the same kind of difference.
    let other = engines
        .iter()
        .find(|engine| engine.name() == compare::engine_name(&found.difference.engines[1]))
        .context("the engine is gone")?;
    let pair: [&dyn Engine; 2] = [&reference, *other];
    let kind = found.difference.kind();
    let difference = |case: &Case| compare::compare_case(case, &pair).ok().flatten();
    let mut shows = |case: &Case| difference(case).is_some_and(|d| d.kind() == kind);
    let small = reduce::reduce(&found.case, &mut shows, 4000);
    let text = match difference(&small) {
        Some(difference) => difference.to_string(),
        None => found.difference.to_string(),
    };
    let case = &found.case;
    let name = format!("{}-{}-{}", case.strength.name(), case.seed, case.index);
    let written = export::write(&small, &out.join(name), &text)?;
    let mut lines =
        vec![format!("  reduced: {text}"), format!("  written: {}", written.job.display())];
    lines.extend(written.lost.iter().map(|lost| format!("  a job file cannot say: {lost}")));
    lines.extend(instructions(&small).map(|line| format!("  {line}")));
    Ok(lines.join("\n"))
}

/// A program and its settings as text.
fn listing(case: &Case) -> String {
    use std::fmt::Write;
    let launch = &case.launch;
    let mut text = String::new();
    let _ = writeln!(text, "domain {:?}", launch.domain);
    let registers = launch.program.registers();
    let _ = writeln!(
        text,
        "start {}, end {}, offset {}, US_CONFIG {}, uncached {}, budget {}, mask {:04b}",
        registers.start(),
        registers.end(),
        registers.offset(),
        registers.us_config,
        launch.program.umrt(),
        launch.limits.instructions,
        launch.out_mask
    );
    for (side, surfaces) in [("input", &launch.inputs[..]), ("output", &launch.outputs[..])] {
        for (slot, surface) in surfaces.iter().enumerate() {
            if let Some(surface) = surface {
                let _ = writeln!(text, "{side} {slot}: {surface:?}");
            }
        }
    }
    let _ = writeln!(text, "condition {:?}", launch.condition);
    let initial: Vec<String> = launch.initial.iter().map(|i| format!("r{}", i.temp)).collect();
    let _ = writeln!(text, "start data: {}", initial.join(", "));
    let image = launch.program.image();
    if let (Some(sharing), Some(shared)) = (image.sharing, &launch.shared) {
        let _ = writeln!(
            text,
            "{} global registers, {} clause temporaries, {} SIMDs",
            sharing.globals(),
            sharing.clauses(),
            shared.simds
        );
    }
    text + &instructions(case).map(|line| line + "\n").collect::<String>()
}

/// The lines of a program.
fn instructions(case: &Case) -> impl Iterator<Item = String> {
    let image = case.launch.program.image();
    let line = |(pc, words)| format!("{pc:3}  {}", asm::line(words, image.sharing));
    image.words.iter().enumerate().map(line)
}
