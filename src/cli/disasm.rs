//! `ctm disasm`.

use super::Exit;

/// Print the instructions of a program.
#[derive(clap::Args)]
pub struct Args {}

/// Runs the subcommand.
pub fn run(_args: &Args) -> anyhow::Result<Exit> {
    anyhow::bail!("being written")
}
