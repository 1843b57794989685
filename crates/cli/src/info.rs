//! `ctm info`.

use super::values::kind_parser;
use super::{Exit, programs};
use anyhow::bail;
use ctm_engine::Stop;
use ctm_jobs::job::SharedFiles;
use ctm_jobs::load::Kind;
use ctm_machine::record::is_recording;
use facts::Info;
use std::path::PathBuf;

mod facts;
mod text;

/// Describe a program, or list the commands of a recording.
///
/// For a program: its kind, notes, registers, inputs and outputs, constants, instruction mix,
/// warnings, and errors if it is not valid.
///
/// Reads assembly text, executables (ELF), hexadecimal listings, raw binaries, and the logs of
/// Mesa's RADEON_DEBUG=fp, and detects the kind from the content. For a log with several programs
/// it lists them, one line each; --index describes one.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ctm info kernels/saxpy/saxpy.dpp     describes a kernel of this repository
  ctm info program.elf --json          describes a program, as JSON
  RADEON_DEBUG=fp ./game 2>fp.log
  ctm info fp.log                      the programs that Mesa compiled for the game, one line each
  ctm info fp.log --index 0            the first of them
  ctm info dump --kind bin             bare instructions, 24 bytes each, whatever they look like
  ctm info --adapters                  no program: the adapters for GPU engines

Exit status: 0 done, 1 a program is not valid, 2 bad usage or bad input.")]
pub struct Args {
    /// The program.
    #[arg(required_unless_present = "adapters")]
    file: Option<PathBuf>,
    /// The kind of the file. Default: detected from its content
    #[arg(long, value_parser = kind_parser())]
    kind: Option<Kind>,
    /// Index of the program in a file with several, counted from 0. Default: list all
    #[arg(long, value_name = "N")]
    index: Option<usize>,
    /// Print one JSON object, or an array of objects for several programs
    #[arg(long)]
    json: bool,
    /// List the adapters of this machine instead, and the one that GPU engines use
    #[arg(long, conflicts_with_all = ["file", "kind", "index"])]
    adapters: bool,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let Some(file) = &args.file else {
        #[cfg(feature = "gpu")]
        return super::adapters::run(args.json);
        #[cfg(not(feature = "gpu"))]
        bail!("--adapters: this ctm was built without the feature `gpu`");
    };
    if args.kind.is_none() && is_recording(file) {
        if args.json || args.index.is_some() {
            bail!("{}: a recording has no --json and no --index", file.display());
        }
        super::replay::info(file)?;
        return Ok(Exit::Done);
    }
    if args.json {
        super::utf8(file)?;
    }
    let loaded = programs::load(file, args.kind, args.index, &SharedFiles::new(), Stop::never())?;
    let name = file.display().to_string();
    let infos: Vec<Info> =
        loaded.into_iter().map(|loaded| Info::of(name.clone(), loaded)).collect();
    let text = match (infos.as_slice(), args.json) {
        ([info], true) => serde_json::to_string_pretty(info)? + "\n",
        (_, true) => serde_json::to_string_pretty(&infos)? + "\n",
        ([info], false) => info.text(),
        (_, false) => text::list(&infos),
    };
    super::print(text)?;
    Ok(if infos.iter().all(|info| info.errors.is_empty()) { Exit::Done } else { Exit::Failed })
}
