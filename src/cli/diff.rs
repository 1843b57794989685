//! `ctm diff`.

use super::Exit;

/// Compare two arrays.
#[derive(clap::Args)]
pub struct Args {}

/// Runs the subcommand.
pub fn run(_args: &Args) -> anyhow::Result<Exit> {
    anyhow::bail!("being written")
}
