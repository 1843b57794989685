//! `ctm asm`.

use super::Exit;
use anyhow::{Context, bail};
use ctm::asm::assemble;
use ctm::program::{Image, Program};
use ctm::{array, elf, raw};
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

/// Assemble a program.
///
/// Reads the assembly language of docs/assembly.md and writes an executable (ELF), a listing of
/// hexadecimal words, or bare instructions. Only the executable keeps the names, the state
/// registers and the constants that belong to the program; the other two are for tools that want
/// words.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ctm asm kernel.dpp                        writes kernel.elf
  ctm asm kernel.dpp --format hex -o -      prints the words
  printf 'mov o0, {1, 0, 0, 1}\\n' | ctm asm - -o red.elf
  ctm asm kernel.dpp -o /tmp/k.bin          the format follows the name

Exit status: 0 done, 1 the program is assembled but not valid, 2 bad usage or errors in the source.")]
pub struct Args {
    /// The source; - for standard input
    file: PathBuf,
    /// What to write; - for standard output. By default the source's name with the ending of the format
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// By default what the output's name ends in, or elf
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write the program even if it is not valid
    #[arg(long)]
    unchecked: bool,
}

/// What to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// An executable
    Elf,
    /// Six hexadecimal words a line
    Hex,
    /// 24 bytes an instruction
    Bin,
}

impl Format {
    const ALL: [(Format, &'static str); 3] = [
        (Format::Elf, "elf"),
        (Format::Hex, "hex"),
        (Format::Bin, "bin"),
    ];

    fn ending(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(format, _)| *format == self)
            .map_or("elf", |(_, ending)| ending)
    }
    fn of(path: &Path) -> Option<Format> {
        let ending = path.extension()?.to_str()?;
        let (format, _) = Self::ALL.iter().find(|(_, own)| *own == ending)?;
        Some(*format)
    }
    fn bytes(self, image: &Image) -> Vec<u8> {
        match self {
            Format::Elf => elf::write(image),
            Format::Hex => raw::write_hex(image).into_bytes(),
            Format::Bin => raw::write_binary(image),
        }
    }
}

fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let name = match is_dash(&args.file) {
        true => "<stdin>".to_string(),
        false => args.file.display().to_string(),
    };
    let mut source = Vec::new();
    if is_dash(&args.file) {
        std::io::stdin()
            .read_to_end(&mut source)
            .context(name.clone())?;
    } else {
        source = std::fs::read(&args.file).with_context(|| name.clone())?;
    }
    let source = String::from_utf8(source).map_err(|e| {
        anyhow::anyhow!(
            "{name}: byte {}: the source is not UTF-8 text",
            e.utf8_error().valid_up_to()
        )
    })?;
    let format = args
        .format
        .or_else(|| args.output.as_deref().and_then(Format::of))
        .unwrap_or(Format::Elf);
    let output = match &args.output {
        Some(output) => output.clone(),
        None if is_dash(&args.file) => {
            bail!("a source from standard input needs an output: add -o FILE or -o -")
        }
        None => args.file.with_extension(format.ending()),
    };
    if output == args.file && !is_dash(&output) {
        bail!("{name}: the output would replace the source; name another one with -o");
    }
    let image = match assemble(&source, &name) {
        Ok(image) => image,
        Err(errors) => {
            eprint!("{}", errors.render(std::io::stderr().is_terminal()));
            let count = errors.errors().len();
            let plural = if count == 1 { "" } else { "s" };
            bail!("{name}: {count} error{plural}");
        }
    };
    let mut exit = Exit::Done;
    match Program::new(image.clone()) {
        Ok(program) => {
            for warning in program.warnings() {
                eprintln!("{name}: warning: {warning}");
            }
        }
        Err(errors) => {
            eprintln!("{name}: {errors}");
            if !args.unchecked {
                eprintln!("nothing was written; --unchecked writes it nevertheless");
                return Ok(Exit::Failed);
            }
            exit = Exit::Failed;
        }
    }
    let bytes = format.bytes(&image);
    if is_dash(&output) {
        std::io::stdout().lock().write_all(&bytes)?;
    } else {
        array::file::write(&output, &bytes).with_context(|| output.display().to_string())?;
    }
    Ok(exit)
}
