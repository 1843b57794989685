//! `ctm new`.

use super::outputs::{Output, Outputs};
use super::sampled::Sampled;
use super::{Exit, programs};
use anyhow::{Context, bail};
use ctm_engine::Stop;
use ctm_jobs::job::SharedFiles;
use ctm_jobs::job::write::program;
use std::path::PathBuf;

/// Write a job that runs a program, to edit.
///
/// The job has everything that the program uses, with data from a seed, as `ctm run PROGRAM` makes
/// them: constants, arrays for its inputs, planes for the temporaries that it reads before it writes
/// them, and outputs that are saved.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ctm new shader.hex                    writes shader/job.toml and its arrays
  ctm new blur.dpp blur --size 512x512 --input photo=photo.npy --set radius=3
  ctm run shader/job.toml

Exit status: 0 done, 2 bad usage or bad input.")]
pub struct Args {
    /// The program.
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
    /// The folder of the job; it is made if it is missing, and must not hold a job. Default: the
    /// program's name without its extension
    #[arg(value_name = "FOLDER")]
    folder: Option<Output>,
    #[command(flatten)]
    sampled: Sampled,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let anywhere = SharedFiles::new();
    if programs::is_job(&args.program, args.sampled.kind(), &anywhere)? {
        bail!("{}: found a job, needed a program", args.program.display());
    }
    let made = args.sampled.job(&args.program, &anywhere, Stop::never())?;
    args.sampled.tell_filled(&args.program, &made);
    let stem = args.program.file_stem().context("a program has a name")?;
    let folder = args.folder.clone().unwrap_or_else(|| Output::from(PathBuf::from(stem)));
    let folder = Outputs::new(&anywhere).folder("FOLDER", &folder)?;
    let name = args.program.file_name().context("a program has a name")?;
    let name = name
        .to_str()
        .with_context(|| format!("{}: the name is not UTF-8", args.program.display()))?;
    let mut new = program::files(&made.job, &made.sample, &made.loaded, name)?;
    new.insert(1, (name.to_string(), programs::read(&args.program, &anywhere)?));
    // The program may be there already.
    let path = |name: &str| folder.path().join(name);
    new.retain(|(name, bytes)| {
        !path(name).is_file() || programs::read(&path(name), &anywhere).ok().as_ref() != Some(bytes)
    });
    if let Some(path) = new.iter().map(|(name, _)| path(name)).find(|path| path.exists()) {
        bail!("{}: it exists; `ctm new` replaces no file", path.display());
    }
    folder.write_all(&new)?;
    let file = path("job.toml").display().to_string();
    super::print(format!("wrote {}\n", super::escaped_line(&file)))?;
    Ok(Exit::Done)
}
