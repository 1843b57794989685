//! `ctm generate`: files that packages install along with the command.

use super::outputs::{Output, Outputs};
use super::{Cli, Exit, manual};
use clap::CommandFactory;
use clap_complete::Shell;
use ctm_jobs::job::SharedFiles;

/// Write shell completions or man pages.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ctm generate completions bash > /usr/share/bash-completion/completions/ctm
  ctm generate man /usr/local/share/man/man1

Exit status: 0 done, 2 bad usage or bad input.")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Print the completions for a shell.
    #[command(after_help = "\
Examples:
  ctm generate completions bash > /usr/share/bash-completion/completions/ctm
  ctm generate completions fish > ctm.fish

Exit status: 0 done, 2 bad usage or bad input.")]
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Write man pages: ctm.1, and one for each subcommand, such as ctm-run.1.
    #[command(after_help = "\
Examples:
  ctm generate man /usr/local/share/man/man1

Exit status: 0 done, 2 bad usage or bad input.")]
    Man {
        /// The output folder; it is created if missing.
        folder: Output,
    },
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.what {
        What::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "ctm", &mut text);
            super::print(String::from_utf8(text)?)?;
        }
        What::Man { folder } => {
            let anywhere = SharedFiles::new();
            let folder = Outputs::new(&anywhere).folder("FOLDER", folder)?;
            folder.create()?;
            for (name, page) in manual::pages()? {
                folder.write(&name, page.as_bytes())?;
            }
        }
    }
    Ok(Exit::Done)
}
