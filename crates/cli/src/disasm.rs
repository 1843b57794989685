//! `ctm disasm`.

use super::programs::Which;
use super::{Exit, programs};
use anyhow::Context;
use ctm_engine::Stop;
use ctm_jobs::job::SharedFiles;
use ctm_lang::asm::{Style, disassemble, disassemble_with, instruction_json};
use ctm_lang::program::{NameKind, Program, Sharing};
use ctm_machine::launch::FloatMode;
use ctm_machine::lower::lower;
use std::path::PathBuf;

/// Print the instructions of a program.
///
/// The output is complete source: assembled again, it gives the same words, registers, names and
/// constants. By default it writes every instruction field by field; --friendly writes operations
/// and operands wherever they encode the same 192 bits.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ctm disasm program.elf                  every field of every word
  ctm disasm program.elf --friendly       mad r1, r0, c0, r2
  ctm disasm program.elf --friendly --lines  and the line of the source of each
  ctm disasm words.hex --json             words, fields and text, for scripts
  ctm disasm program.elf --lowered        the micro-operations of the fast engines
  ctm disasm words.hex --sharing 0x20000004  as a program with four global registers
  ctm disasm fp.log --index 0 --friendly  the first program of a Mesa log (RADEON_DEBUG=fp)

Exit status: 0 done, 2 bad usage or bad input.")]
pub struct Args {
    /// The program: assembly text, ELF, hexadecimal words, raw binary, or a Mesa log
    file: PathBuf,
    /// Write operations and operands instead of fields, where nothing is lost
    #[arg(short, long)]
    friendly: bool,
    /// Write beside each instruction its place in the source and its label
    #[arg(long, conflicts_with_all = ["json", "lowered"])]
    lines: bool,
    /// Print one JSON array: pc, words, type, fields, text
    #[arg(long, conflicts_with = "friendly")]
    json: bool,
    /// Print the micro-operations that the fast engines run, instead of instructions
    #[arg(long, conflicts_with_all = ["friendly", "json"])]
    lowered: bool,
    #[command(flatten)]
    which: Which,
    /// Read the words as those of a program with data sharing and this SQ_GPR_RESOURCE: bits 7:0
    /// global registers, bits 31:28 clause temporaries. Default: what the file says
    #[arg(long, value_name = "WORD", value_parser = word)]
    sharing: Option<u32>,
}

/// A word, decimal or hexadecimal.
fn word(text: &str) -> Result<u32, String> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    }
    .map_err(|_| "it is a word, such as 4 or 0x20000004".to_string())
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut loaded =
        programs::load_aloud(&args.file, args.which, &SharedFiles::new(), Stop::never())?;
    loaded.image.sharing = args.sharing.map(Sharing).or(loaded.image.sharing);
    let text = if args.json {
        let words = loaded.image.words.iter().enumerate();
        let sharing = loaded.image.sharing;
        let list: Vec<_> = words.map(|(pc, words)| instruction_json(pc, words, sharing)).collect();
        serde_json::to_string_pretty(&list)? + "\n"
    } else if args.lowered {
        let program = Program::new(loaded.image);
        let program = program.with_context(|| args.file.display().to_string())?;
        ctm_shade::pack::print(&lower(&program, 0, FloatMode::Exact))
    } else {
        let style = if args.friendly { Style::Friendly } else { Style::Explicit };
        let image = &loaded.image;
        let place = |pc| {
            let label = image.name_of(NameKind::Label, pc);
            let label = label.map(|label| format!(" {label}:")).unwrap_or_default();
            super::escaped_line(&format!("{}{label}", image.place(pc)))
        };
        if args.lines { disassemble_with(image, style, place) } else { disassemble(image, style) }
    };
    super::print(text)?;
    Ok(Exit::Done)
}
