//! `ctm asm`.

use super::Exit;

/// Assemble a program.
#[derive(clap::Args)]
pub struct Args {}

/// Runs the subcommand.
pub fn run(_args: &Args) -> anyhow::Result<Exit> {
    anyhow::bail!("being written")
}
