//! `ctm pack`.

use super::batch::tasks::paths;
use super::outputs::{Output, Outputs};
use super::{Exit, jobs, tell};
use anyhow::bail;
use ctm_base::text::numbers::count;
use ctm_engine::Stop;
use ctm_jobs::job::JobError;
use ctm_jobs::job::packed::{self, Packer};
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::PathBuf;

/// Put jobs into one file, ready to run.
///
/// The pack has the jobs as they are after reading, with their programs and arrays, each once, and checksums.
/// `ctm batch` runs them from there without parsing or opening other files (docs/packs.md).
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ctm pack jobs/ -o jobs.pack
  ctm batch jobs.pack --report report.jsonl
  ctm pack --list jobs.txt -o jobs.pack

A file that a job saves is the same as when its job file runs. In the folder of the pack or below it is stored relative
to that folder; elsewhere, or if the pack goes to standard output, with its absolute path.

Exit status: 0 the pack was written, 2 bad usage or a job that cannot be read; then there is no pack.")]
#[command(group = clap::ArgGroup::new("which").required(true).args(["jobs", "list"]))]
pub struct Args {
    /// Job files, and folders of job files.
    #[arg(value_name = "JOB.toml")]
    jobs: Vec<PathBuf>,
    /// A file that lists job paths, one per line; -: standard input.
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// The pack; -: standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Output,
    #[command(flatten)]
    confined: jobs::Confined,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let pool = super::start_threads(0)?;
    let shared = args.confined.files()?;
    let mut outputs = Outputs::new(&shared);
    args.list.iter().for_each(|list| outputs.reads(list));
    let files = paths(&args.jobs, args.list.as_deref(), &shared)?;
    let mut seen = HashSet::new();
    for file in &files {
        if !seen.insert(file) {
            bail!("{} is given twice", file.display());
        }
        outputs.job(file);
    }
    let output = outputs.stream("--output", &args.output)?;
    let folder = (!args.output.is_dash()).then(|| packed::folder(output.path())).flatten();
    let (mut refused, mut written) = (None::<JobError>, (0, 0));
    let write = |to: &mut dyn Write| {
        let mut packer = Packer::new(to)?;
        if let Err(error) = packer.add_files(&files, folder.as_deref(), &shared, Stop::never())? {
            refused = Some(error);
            return Err(io::ErrorKind::InvalidInput.into());
        }
        written = packer.finish()?;
        Ok(())
    };
    let wrote = pool.install(|| output.write_with(write));
    if let Some(error) = refused {
        return Err(error.into());
    }
    wrote?;
    let (programs, bytes) = written;
    let jobs = count(files.len() as u64, "job", "jobs");
    let programs = count(programs as u64, "program", "programs");
    tell(format_args!(
        "{jobs}, {programs}, {} in {}",
        count(bytes, "byte", "bytes"),
        output.path().display()
    ));
    Ok(Exit::Done)
}
