//! `ctm asm`.

use super::Exit;
use super::outputs::{Output, Outputs};
use super::programs::{self, Source};
use clap::ValueEnum;
use ctm_jobs::job::SharedFiles;
use ctm_jobs::load::Kind;
use ctm_lang::asm::assemble;
use ctm_lang::program::{Image, Program, SourceRef};
use ctm_lang::{elf, raw};
use std::path::PathBuf;

/// Assemble a program.
///
/// Reads the assembly language of docs/assembly.md and writes an executable (ELF), a listing of
/// hexadecimal words, or bare instructions. Only the executable keeps the names, the state
/// registers and the program's constants; the other two formats are for tools that need words.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ctm asm kernel.dpp                        writes kernel.elf
  ctm asm kernel.dpp --format hex -o -      prints the words
  printf 'mov o0, {1, 0, 0, 1}\\n' | ctm asm - -o red.elf
  ctm asm kernel.dpp -o k.bin               the format follows the name

Exit status: 0 done, 1 the program is assembled but not valid, 2 bad usage or errors in the source.")]
pub struct Args {
    /// The source; - for standard input
    file: PathBuf,
    /// The output; - for standard output. Default: the source's name with the format's extension
    #[arg(short, long, value_name = "FILE")]
    output: Option<Output>,
    /// The output format. Default: the one the output's extension names, or elf
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Leave out source lines and the names of temporaries and labels
    #[arg(long)]
    strip: bool,
    /// Write the program even if it is not valid
    #[arg(long)]
    unchecked: bool,
}

/// The output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// An executable
    Elf,
    /// Six hexadecimal words per line
    Hex,
    /// 24 bytes per instruction
    Bin,
}

impl Format {
    fn of(output: &Output) -> Option<Format> {
        Format::from_str(output.extension()?.to_str()?, false).ok()
    }

    /// The extension of such files, and what writes them.
    fn parts(self) -> (&'static str, fn(&Image) -> Vec<u8>) {
        match self {
            Format::Elf => ("elf", elf::write),
            Format::Hex => ("hex", |image| raw::write_hex(image).into_bytes()),
            Format::Bin => ("bin", raw::write_binary),
        }
    }
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let source = Source::read(&args.file, Kind::Asm)?;
    let name = &source.name;
    let format =
        args.format.or_else(|| args.output.as_ref().and_then(Format::of)).unwrap_or(Format::Elf);
    let (ending, bytes) = format.parts();
    let anywhere = SharedFiles::new();
    let output = source.output(args.output.as_ref(), ending, &mut Outputs::new(&anywhere))?;
    let mut image = assemble(&source.text, name).map_err(|e| source.failed(&e))?;
    if args.strip {
        image.source = SourceRef::default();
    }
    let mut exit = Exit::Done;
    match Program::new(image.clone()) {
        Ok(program) => programs::warn(name, &program),
        Err(errors) => {
            super::tell_lines(format_args!("{name}: {errors}"));
            if !args.unchecked {
                super::tell("nothing was written; use --unchecked to write it anyway");
                return Ok(Exit::Failed);
            }
            exit = Exit::Failed;
        }
    }
    output.write(&bytes(&image))?;
    Ok(exit)
}
