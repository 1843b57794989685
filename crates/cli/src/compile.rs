//! `ctm compile`.

use super::Exit;
use super::outputs::Output;
use super::programs::{self, Source};
use anyhow::{Context, bail};
use ctm_base::text::numbers::time;
use ctm_base::work::PassTime;
use ctm_engine::Stop;
use ctm_jobs::load::{Kind, LoadError, Loaded, Shader, load_with};
use ctm_lang::asm::{Style, disassemble, disassemble_with};
use ctm_lang::elf;
use ctm_lang::program::interface::Interface;
use ctm_lang::program::{Image, NameKind, Program};
use ctm_lang::raw::{write_binary, write_hex};
use ctm_tools::prove::Pair;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The level of -O without the option.
const USUAL: u8 = 1;

/// Compile a shader.
///
/// Reads a fragment shader in GLSL or WGSL (docs/compiler.md), or Direct3D 9 assembly of pixel shader version 3.0
/// (docs/ps_3_0.md), and writes an executable (ELF) with the constants that the shader defines. Job files, `ctm run`,
/// `ctm info`, `ctm disasm` and others also take the shader itself.
#[derive(clap::Args)]
#[command(
    after_help = "The language follows from the file's name: .frag and .glsl are GLSL, .wgsl is WGSL, all others ps_3_0.

Examples:
  ctm compile plasma.frag             writes plasma.elf
  ctm compile plasma.frag --emit asm  prints the program, and writes nothing
  ctm compile blur.frag --filter tDiffuse=linear --stats
  ctm compile blur.frag --explain     for each line its instructions, for each pass what it saved
  ctm compile blur.frag --html blur.html  source and code side by side, in colours
  ctm compile blur.frag --verify      proves that the optimizer changed no result, for all inputs
  ctm compile copy.ps                 writes copy.elf
  fxc /T ps_3_0 /Fc /dev/stdout kernel.hlsl | ctm compile - -o kernel.elf

Exit status: 0 done, 1 the time was up, or --verify found a difference, 2 bad usage or errors in the source,
3 --verify did not decide."
)]
pub struct Args {
    /// The source; - for standard input
    file: PathBuf,
    /// The executable; - for standard output. Default: the source's name with the extension elf
    #[arg(short, long, value_name = "FILE")]
    output: Option<Output>,
    /// Output instead of an executable; asm and a shader's intermediate forms are printed, unless -o names a file for
    /// the executable
    #[arg(long, value_enum, alias = "print")]
    emit: Option<Emit>,
    /// The pass after which a form is printed: blocks after motion, code after select by default
    #[cfg(feature = "compiler")]
    #[arg(long, value_enum, value_name = "PASS", requires = "emit")]
    after: Option<Pass>,
    /// The language, if the file's name does not say it
    #[arg(long, value_enum)]
    kind: Option<Language>,
    /// Allow only changes that keep every bit of the results
    #[arg(long)]
    precise: bool,
    /// 0: optimize nothing; 1: the usual; 2: search for fewer clocks and instructions, takes some seconds. Default: 1
    #[arg(short = 'O', value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=2))]
    level: Option<u8>,
    /// Print the instructions, registers and constants, and for a shader the times of the passes
    #[arg(long)]
    stats: bool,
    /// Print the instructions of each line of a shader, and the savings of each pass; write nothing, unless
    /// -o names a file for the executable
    #[cfg(feature = "compiler")]
    #[arg(long, conflicts_with = "emit")]
    explain: bool,
    /// Explain as JSON, with errors and warnings and their places
    #[cfg(feature = "compiler")]
    #[arg(long, conflicts_with = "emit")]
    json: bool,
    /// Explain as a page: source and code side by side, in colours
    #[cfg(feature = "compiler")]
    #[arg(long, value_name = "PAGE", conflicts_with = "emit")]
    html: Option<Output>,
    /// Filter of a sampler: the nearest element, or linear between four.
    #[arg(long, value_name = "NAME=FILTER")]
    filter: Vec<String>,
    /// Prove that the program does for all inputs what -O0 makes of the source (docs/proofs.md)
    #[arg(long)]
    verify: bool,
    /// Stop after this many seconds; nothing is written then
    #[arg(long, value_name = "SECONDS", value_parser = super::values::seconds)]
    timeout: Option<Duration>,
}

/// The kind of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Emit {
    /// The machine's assembly language
    Asm,
    /// Hexadecimal words
    Hex,
    /// 24 bytes for each instruction
    Bin,
    /// The graph of scalar operations
    #[cfg(feature = "compiler")]
    Graph,
    /// The blocks, with branches and loops
    #[cfg(feature = "compiler")]
    Blocks,
    /// The operations of the machine
    #[cfg(feature = "compiler")]
    Code,
    /// The instructions, with their operations and registers
    #[cfg(feature = "compiler")]
    Schedule,
}

impl Emit {
    /// Whether it goes to standard output, and the executable only where -o says.
    fn is_printed(self) -> bool {
        !matches!(self, Emit::Hex | Emit::Bin)
    }
}

/// A pass of the compiler.
#[cfg(feature = "compiler")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Pass {
    /// The front end, with the rules
    Lower,
    /// Code motion, and the registers of variables
    Motion,
    /// Selection of operations, and copy insertion
    Select,
    /// Scheduling, and the registers of other values
    Schedule,
}

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Language {
    /// A GLSL fragment shader
    Glsl,
    /// A WGSL fragment shader or compute kernel
    Wgsl,
    /// Direct3D's pixel shader assembly
    Ps,
}

/// The samplers that interpolate, from arguments `NAME=linear` and `NAME=nearest`.
fn linear(filters: &[String]) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for filter in filters {
        match filter.split_once('=') {
            Some((name, "linear")) => names.push(name.to_string()),
            Some((_, "nearest")) => {}
            _ => bail!("--filter {filter}: expected NAME=linear or NAME=nearest"),
        }
    }
    Ok(names)
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match compile(args, &Stop::new().within(args.timeout)) {
        Err(error) => match super::stop_of(&error) {
            Some(why) => {
                super::tell_stopped(&args.file, why, "written");
                Ok(Exit::Failed)
            }
            None => Err(error),
        },
        done => done,
    }
}

fn compile(args: &Args, stop: &Stop) -> anyhow::Result<Exit> {
    let kind = match args.kind {
        Some(Language::Glsl) => Kind::Glsl,
        Some(Language::Wgsl) => Kind::Wgsl,
        Some(Language::Ps) => Kind::Ps,
        None => Kind::of_name(&args.file.to_string_lossy()).unwrap_or(Kind::Ps),
    };
    let source = Source::read(&args.file, kind)?;
    let ending = match args.emit {
        Some(Emit::Hex) => "hex",
        Some(Emit::Bin) => "bin",
        Some(_) | None => "elf",
    };
    let anywhere = ctm_jobs::job::SharedFiles::new();
    let mut outputs = super::outputs::Outputs::new(&anywhere);
    #[cfg(feature = "compiler")]
    let explains = args.explain || args.json || args.html.is_some();
    #[cfg(not(feature = "compiler"))]
    let explains = false;
    let output = match (&args.output, args.emit) {
        (None, Some(emit)) if emit.is_printed() => None,
        (None, None) if explains => None,
        (output, _) => Some(source.output(output.as_ref(), ending, &mut outputs)?),
    };
    if kind == Kind::Ps && !args.filter.is_empty() {
        bail!("{}: --filter is for shaders in GLSL and WGSL", source.name);
    }
    let linear = linear(&args.filter)?;
    #[cfg(feature = "compiler")]
    if explains {
        explain(args, &source, kind, &linear, &mut outputs, stop)?;
        if output.is_none() {
            return Ok(Exit::Done);
        }
    }
    #[cfg(feature = "compiler")]
    if let Some(form) = form(args)? {
        let language = language(kind);
        let options = options(args, &linear);
        let (text, name) = (&source.text, &source.name);
        let printed = ctm_compiler::print(text, name, language, &options, form, stop)?;
        super::print(printed.map_err(|errors| source.failed(&errors))?)?;
        if output.is_none() {
            return Ok(Exit::Done);
        }
    }
    let load = |level| {
        let options = Shader { precise: args.precise, level, linear: &linear };
        let text = source.text.as_bytes();
        match load_with(text, &source.name, Some(kind), None, &options, stop) {
            Ok(loaded) => Ok(loaded),
            Err(LoadError::Asm(errors)) => Err(source.failed(&errors)),
            Err(error) => Err(error).with_context(|| source.name.clone()),
        }
    };
    let loaded = load(args.level.unwrap_or(USUAL))?;
    if let Some(interface) = &loaded.image.interface
        && let Some(name) = linear
            .iter()
            .find(|name| !interface.samplers.iter().any(|sampler| sampler.name == **name))
    {
        bail!("--filter {name}: the shader has no sampler of this name");
    }
    let Loaded { image, notes, compile, passes, .. } = loaded;
    let program = Program::new(image.clone()).with_context(|| source.name.clone())?;
    programs::warn(&source.name, &program);
    for note in notes {
        super::tell(format_args!("{}: {}: {note}", source.name, note.severity));
    }
    if let Some(Emit::Asm) = args.emit {
        super::print(match &image.interface {
            Some(interface) => listing(&image, interface, &source.text),
            None => disassemble(&image, Style::Friendly),
        })?;
    }
    if args.stats {
        super::print(statistics(&program) + &times(compile, &passes))?;
    }
    if let Some(output) = output {
        output.write(&match args.emit {
            Some(Emit::Hex) => write_hex(&image).into_bytes(),
            Some(Emit::Bin) => write_binary(&image),
            Some(_) | None => elf::write(&image),
        })?;
    }
    if args.verify {
        let plain = load(0).context("the program without the optimizer")?;
        let plain = Program::new(plain.image).with_context(|| source.name.clone())?;
        let pair = Pair::of_one_shader([plain, program].map(Arc::new));
        // The results of ps_3_0 keep every bit.
        return super::compare::prove::verify(&pair, args.precise || kind == Kind::Ps, stop);
    }
    Ok(Exit::Done)
}

/// The language of a kind of sources.
#[cfg(feature = "compiler")]
fn language(kind: Kind) -> ctm_compiler::Language {
    match kind {
        Kind::Glsl => ctm_compiler::Language::Glsl,
        Kind::Wgsl => ctm_compiler::Language::Wgsl,
        Kind::Asm | Kind::Elf | Kind::Hex | Kind::Bin | Kind::Mesa | Kind::Ps => {
            ctm_compiler::Language::Ps
        }
    }
}

/// The intermediate form to print, if there is one.
#[cfg(feature = "compiler")]
fn form(args: &Args) -> anyhow::Result<Option<ctm_compiler::Form>> {
    use ctm_compiler::Form;
    Ok(Some(match (args.emit, args.after) {
        (Some(Emit::Graph), None | Some(Pass::Lower)) => Form::Graph,
        (Some(Emit::Blocks), Some(Pass::Lower)) => Form::Blocks,
        (Some(Emit::Blocks), None | Some(Pass::Motion)) => Form::Placed,
        (Some(Emit::Code), None | Some(Pass::Select)) => Form::Selected,
        (Some(Emit::Code), Some(Pass::Schedule)) => Form::Code,
        (Some(Emit::Schedule), None | Some(Pass::Schedule)) => Form::Schedule,
        (Some(Emit::Asm | Emit::Hex | Emit::Bin) | None, None) => return Ok(None),
        (_, Some(_)) => bail!(
            "--after: graph is after lower, blocks after lower or motion, code after select or \
             schedule, schedule after schedule"
        ),
    }))
}

/// The options of the compiler.
#[cfg(feature = "compiler")]
fn options(args: &Args, linear: &[String]) -> ctm_compiler::Options {
    use ctm_compiler::{Level, Options};
    let levels = [Level::Unoptimized, Level::Usual, Level::Search];
    let level = levels[usize::from(args.level.unwrap_or(USUAL))];
    Options { precise: args.precise, linear: linear.to_vec(), level, ..Options::default() }
}

/// Explains what the compiler makes of a shader.
#[cfg(feature = "compiler")]
fn explain(
    args: &Args,
    source: &Source,
    kind: Kind,
    linear: &[String],
    outputs: &mut super::outputs::Outputs<'_>,
    stop: &Stop,
) -> anyhow::Result<()> {
    let language = language(kind);
    outputs.reads(&args.file);
    let page = outputs.maybe("--html", &args.html)?;
    let options = options(args, linear);
    let compiled =
        ctm_compiler::compile_within(&source.text, &source.name, language, &options, stop)?;
    if let (Err(errors), true) = (&compiled, args.json) {
        let value = ctm_tools::errors::json(std::slice::from_ref(errors));
        super::print(format!("{value:#}\n"))?;
    }
    let compiled = compiled.map_err(|errors| source.failed(&errors))?;
    let explained = ctm_tools::explain::Explained {
        name: &source.name,
        source: &source.text,
        compiled: &compiled,
    };
    if args.explain && !args.json {
        super::print(explained.text())?;
    }
    if args.json {
        super::print(format!("{:#}\n", explained.json()))?;
    }
    if let Some(page) = page {
        page.write(explained.html().as_bytes())?;
    }
    Ok(())
}

/// The program with the names and the lines of its source.
fn listing(image: &Image, interface: &Interface, source: &str) -> String {
    let mut text = String::new();
    for varying in &interface.varyings {
        if let Some(temp) = varying.temp {
            let _ = writeln!(text, "# r{temp}: {}", varying.name);
        }
    }
    let names = image.source.get().map(|map| &map.names[..]).unwrap_or_default();
    for name in names.iter().filter(|name| name.kind == NameKind::Float) {
        let _ = writeln!(text, "# c{}: {}", name.number, name.name);
    }
    let lines: Vec<&str> = source.lines().collect();
    text + &disassemble_with(image, Style::Friendly, |pc| {
        let mut places = image.locations(pc).map(|location| location.line as usize);
        let line = places.next().unwrap_or(0);
        let others: String = places.map(|line| format!(",{line}")).collect();
        let statement =
            line.checked_sub(1).and_then(|line| lines.get(line)).map_or("", |line| line.trim());
        let shown: String = statement.chars().filter(|c| !c.is_control()).take(60).collect();
        format!("{pc}  {line}{others}: {shown}")
    })
}

/// The time of the compile, and of each pass of a shader's.
fn times(compile: Duration, passes: &[PassTime]) -> String {
    if passes.is_empty() {
        return String::new();
    }
    let of = |(pass, spent): &PassTime| format!("{pass} {}", time(spent.as_secs_f64()));
    let passes: Vec<String> = passes.iter().map(of).collect();
    format!("time          {}: {}\n", time(compile.as_secs_f64()), passes.join(", "))
}

/// The statistics of the program.
fn statistics(program: &Program) -> String {
    let uses = program.uses();
    let [alu, out, fc, tex] = uses.mix;
    let constants = uses.float_constants.iter().filter(|used| **used).count();
    let mut text = String::new();
    let _ = writeln!(
        text,
        "instructions  {}: {alu} ALU, {out} OUT, {tex} TEX, {fc} FC",
        alu + out + fc + tex
    );
    let _ = writeln!(text, "temporaries   {}", uses.highest_temp + 1);
    let _ = writeln!(text, "constants     {constants}");
    text
}
