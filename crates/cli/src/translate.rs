//! `ctm translate`.

use super::programs::Which;
use super::values::{parse_mode, parse_size};
use super::{Exit, jobs, programs};
use anyhow::{Context, bail};
use ctm_engine::gpu::plan::space::ranges;
use ctm_engine::gpu::shader::translate::{Options, State, Stats, translate};
use ctm_engine::{Checked, Stop};
use ctm_jobs::job::{Job, RunOptions, SharedFiles};
use ctm_lang::program::Program;
use ctm_machine::launch::{FloatMode, Launch};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Show the shader that a program becomes on a GPU.
///
/// The shader depends on more than the program: formats and sizes of surfaces, integer and boolean
/// constants, the condition. A job file gives all of these; every distinct shader of the job is
/// shown. For a program alone, all surfaces are FLOAT32_4, linear and of one size, and the
/// constants are the program's own.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ctm translate kernels/saxpy/saxpy.dpp                 the shader, for surfaces of 64 x 64
  ctm translate kernels/matmul/matmul_64.toml           with the job's surfaces and constants
  ctm translate program.elf --mode fast --print stats   the size of the shader

Exit status: 0 done, 1 a program cannot be translated, 2 bad usage or bad input.")]
pub struct Args {
    /// A program (assembly text, ELF, hexadecimal words, raw binary, a Mesa log) or a job file
    file: PathBuf,
    #[arg(long, value_parser = parse_mode,
        help = jobs::modes("Here the host is the adapter, and chip has no shaders. Default: the job's"))]
    mode: Option<FloatMode>,
    /// The output.
    #[arg(long, value_enum, default_value = "wgsl")]
    print: Print,
    /// Columns and rows of the domain and all surfaces, for a program alone. Default: 64x64
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<(u32, u32)>,
    /// Write float constants as literals too (mode fast)
    #[arg(long)]
    specialise: bool,
    #[command(flatten)]
    which: Which,
}

/// The values of `--print`.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Print {
    /// The shader
    Wgsl,
    /// Instructions, operations, registers, statements
    Stats,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let launches = if programs::is_job(&args.file, args.which.kind, &SharedFiles::new())? {
        let given = [("--size", args.size.is_some()), ("--index", args.which.index.is_some())];
        if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
            bail!("{}: {option} is for programs, and this is a job", args.file.display());
        }
        of_job(&args.file)?
    } else {
        vec![of_program(args)?]
    };
    let options = Options { specialise_floats: args.specialise, ..Options::default() };
    let mut text = String::new();
    let mut shown: Vec<(*const Program, State)> = Vec::new();
    let mut failed = false;
    for (number, mut launch, ranges) in launches {
        launch.mode = args.mode.unwrap_or(launch.mode);
        let checked = Checked::new(&launch)?;
        let state = State::of(&checked, &ranges, &options);
        if let Ok(state) = &state {
            let key = (Arc::as_ptr(&launch.program), state.clone());
            if shown.contains(&key) {
                continue;
            }
            shown.push(key);
        }
        match state.and_then(|state| translate(&launch.program, &checked.lowered, &state)) {
            Ok(translation) => match args.print {
                Print::Wgsl => text += &translation.wgsl,
                Print::Stats => text += &stats(number, &translation.stats, translation.wgsl.len()),
            },
            Err(reason) => {
                failed = true;
                let file = args.file.display();
                super::tell(format_args!("{file}: launch {number} is not translated: {reason}"));
            }
        }
    }
    super::print(text)?;
    Ok(if failed { Exit::Failed } else { Exit::Done })
}

fn stats(launch: u64, stats: &Stats, bytes: usize) -> String {
    let statements = &stats.statements;
    let rows: [(&str, u64); 12] = [
        ("launch", launch),
        ("instructions", stats.instructions as u64),
        ("operations", stats.operations as u64),
        ("left out", stats.left_out as u64),
        ("registers", stats.registers as u64),
        ("uniforms", stats.uniforms as u64),
        ("branches", u64::from(statements.ifs)),
        ("loops", u64::from(statements.loops)),
        ("breaks", u64::from(statements.leaves)),
        ("group runs at most", stats.bound),
        ("turns at most", stats.iterations),
        ("bytes of text", bytes as u64),
    ];
    rows.iter().map(|(name, value)| format!("{name:<20}{value:>10}\n")).collect()
}

/// A launch with its number and the mapped ranges of memory.
type Bound = (u64, Launch, Vec<Range<u64>>);

/// A launch of a program whose surfaces are all alike.
fn of_program(args: &Args) -> anyhow::Result<Bound> {
    let name = args.file.display().to_string();
    let loaded = programs::load_aloud(&args.file, args.which, &SharedFiles::new(), Stop::never())?;
    let program = Arc::new(Program::new(loaded.image).with_context(|| name.clone())?);
    let (width, height) = args.size.unwrap_or((64, 64));
    let launch = Launch::alike(program, width, height)
        .with_context(|| format!("{name}: surfaces of {width} x {height} take more than 4 GiB"))?;
    Ok((0, launch, std::iter::once(0..1 << 32).collect()))
}

/// The distinct launches of a job. Two names that a pass swaps are back after two repetitions, so
/// the first two repetitions of each pass have all of them.
fn of_job(file: &Path) -> anyhow::Result<Vec<Bound>> {
    let mut job = Job::read(file)?;
    let mut numbers = Vec::new();
    let mut before = 0;
    for pass in &mut job.passes {
        let repeat = u64::from(pass.repeat);
        // The fewest repetitions that give every launch and leave the names as all repetitions do.
        pass.repeat = pass.repeat.min(2 + pass.repeat % 2);
        numbers.extend(before..before + u64::from(pass.repeat));
        before += repeat;
    }
    let (memory, mut surfaces) = job.upload()?;
    let ranges = ranges(&memory);
    let mut numbers = numbers.into_iter();
    let mut launches = Vec::new();
    job.each_launch(&RunOptions::default(), &mut surfaces, |checked, _| {
        let bound = |number| (number, checked.launch().clone(), ranges.clone());
        launches.extend(numbers.next().map(bound));
        Ok(())
    })?;
    Ok(launches)
}
