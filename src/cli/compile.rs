//! `ctm compile`.

use super::Exit;
use anyhow::{Context, bail};
use ctm::asm::{Style, disassemble};
use ctm::ps::compile;
use ctm::{array, elf};
use std::io::{IsTerminal, Read, Write};
use std::path::PathBuf;

/// Compile a pixel shader.
///
/// Reads Direct3D 9 assembly of pixel shader version 3.0 (docs/ps_3_0.md) and writes an executable
/// (ELF) that holds the constants it defines. `ctm run`, `ctm info` and `ctm disasm` take the shader
/// as it is.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ctm compile copy.ps                 writes copy.elf
  ctm compile copy.ps --print asm     shows what became of it, and writes nothing
  fxc /T ps_3_0 /Fc /dev/stdout kernel.hlsl | ctm compile - -o kernel.elf

Exit status: 0 done, 2 bad usage or errors in the source.")]
pub struct Args {
    /// The source; - for standard input
    file: PathBuf,
    /// The executable; - for standard output. By default the source's name with the ending elf
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the program instead of writing it, unless an output is named
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
    let dash = args.file.as_os_str() == "-";
    let name = match dash {
        true => "<stdin>".to_string(),
        false => args.file.display().to_string(),
    };
    let mut source = Vec::new();
    if dash {
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
    let output = match (&args.output, args.print) {
        (Some(output), _) => Some(output.clone()),
        (None, Some(_)) => None,
        (None, None) if dash => {
            bail!("a source from standard input needs an output: add -o FILE or -o -")
        }
        (None, None) => Some(args.file.with_extension("elf")),
    };
    if output.as_ref() == Some(&args.file) && !dash {
        bail!("{name}: the output would replace the source; name another one with -o");
    }
    let image = match compile(&source, &name) {
        Ok(image) => image,
        Err(errors) => {
            eprint!("{}", errors.render(std::io::stderr().is_terminal()));
            let count = errors.errors().len();
            let plural = if count == 1 { "" } else { "s" };
            bail!("{name}: {count} error{plural}");
        }
    };
    if let Some(Print::Asm) = args.print {
        let text = disassemble(&image, Style::Friendly);
        std::io::stdout().lock().write_all(text.as_bytes())?;
    }
    match output {
        Some(output) if output.as_os_str() == "-" => {
            std::io::stdout().lock().write_all(&elf::write(&image))?;
        }
        Some(output) => {
            array::file::write(&output, &elf::write(&image))
                .with_context(|| output.display().to_string())?;
        }
        None => {}
    }
    Ok(Exit::Done)
}
