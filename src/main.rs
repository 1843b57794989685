//! The command `ctm`.

// Streams are written through `cli::output`: these panic where that fails.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
