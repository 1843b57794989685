//! `ctm verify`.

use super::Exit;

/// Run job files and check what they expect.
#[derive(clap::Args)]
pub struct Args {}

/// Runs the subcommand.
pub fn run(_args: &Args) -> anyhow::Result<Exit> {
    anyhow::bail!("being written")
}
