//! `ctm compile`.

use super::Exit;
use super::outputs::Output;
use super::programs::{self, Source};
use crate::asm::{Style, disassemble};
use crate::elf;
use crate::load::Kind;
use crate::program::Program;
use crate::ps::compile;
use anyhow::Context;
use std::path::PathBuf;

/// Compile a pixel shader.
///
/// Reads Direct3D 9 assembly of pixel shader version 3.0 (docs/ps_3_0.md) and writes an executable
/// (ELF) with the constants that the shader defines. Job files, `ctm info` and `ctm disasm` also
/// take the shader itself.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ctm compile copy.ps                 writes copy.elf
  ctm compile copy.ps --print asm     prints the program, and writes nothing
  fxc /T ps_3_0 /Fc /dev/stdout kernel.hlsl | ctm compile - -o kernel.elf

Exit status: 0 done, 2 bad usage or errors in the source.")]
pub struct Args {
    /// The source; - for standard input
    file: PathBuf,
    /// The executable; - for standard output. Default: the source's name with the extension elf
    #[arg(short, long, value_name = "FILE")]
    output: Option<Output>,
    /// Print the program instead of writing it; with -o, do both
    #[arg(long, value_enum)]
    print: Option<Print>,
}

/// What to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Print {
    /// The machine's assembly language
    Asm,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let source = Source::read(&args.file, Kind::Ps)?;
    let output = match (&args.output, args.print) {
        (None, Some(_)) => None,
        (output, _) => Some(source.output(output.as_ref(), "elf")?),
    };
    let image = compile(&source.text, &source.name).map_err(|e| source.failed(&e))?;
    let program = Program::new(image.clone()).with_context(|| source.name.clone())?;
    programs::warn(&source.name, &program);
    if let Some(Print::Asm) = args.print {
        super::print(disassemble(&image, Style::Friendly))?;
    }
    if let Some(output) = output {
        output.write(&elf::write(&image))?;
    }
    Ok(Exit::Done)
}
