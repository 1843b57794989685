//! `ctm run`.

use super::Exit;

/// Run a job file.
#[derive(clap::Args)]
pub struct Args {}

/// Runs the subcommand.
pub fn run(_args: &Args) -> anyhow::Result<Exit> {
    anyhow::bail!("being written")
}
