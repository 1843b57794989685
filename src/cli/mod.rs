//! The command line: arguments in, library calls, text out.
//!
//! One file a subcommand, each with its `Args` and a `run` that returns an [`Exit`]. Errors of
//! usage or input come up as `anyhow` errors and end with status 2.

use clap::{Parser, Subcommand};
use std::process::ExitCode;

mod asm;
mod bench;
mod crosscheck;
mod diff;
mod disasm;
mod engines;
mod fuzz;
mod info;
mod jobs;
mod lines;
mod run;
mod translate;
mod verify;

/// How a subcommand ended when its input was good.
pub enum Exit {
    /// Status 0.
    Done,
    /// Status 1: a check failed or a fault occurred.
    Failed,
}

/// Emulates ATI's "Close To the Metal" Data Parallel Processor (R5xx, 2006), to the bit.
#[derive(Parser)]
#[command(name = "ctm", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Args),
    Verify(verify::Args),
    Crosscheck(crosscheck::Args),
    Fuzz(fuzz::Args),
    Diff(diff::Args),
    Asm(asm::Args),
    Disasm(disasm::Args),
    Translate(translate::Args),
    Info(info::Args),
    Bench(bench::Args),
}

/// Runs the command with the process's arguments.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Command::Run(args) => run::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Crosscheck(args) => crosscheck::run(&args),
        Command::Fuzz(args) => fuzz::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Asm(args) => asm::run(&args),
        Command::Disasm(args) => disasm::run(&args),
        Command::Translate(args) => translate::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Bench(args) => bench::run(&args),
    };
    match result {
        Ok(Exit::Done) => ExitCode::SUCCESS,
        Ok(Exit::Failed) => ExitCode::from(1),
        Err(error) => {
            // A reader that has seen enough closes the pipe: nothing to say about that.
            let closed = error.chain().any(|e| {
                e.downcast_ref::<std::io::Error>()
                    .is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
            });
            if !closed {
                eprintln!("ctm: {error:#}");
            }
            ExitCode::from(2)
        }
    }
}
