//! The command `ctm`.

// Streams are written through `cli::output`: these panic where that fails.
#![warn(clippy::print_stdout, clippy::print_stderr)]
// Files are written through `cli::outputs`, which knows what must not be replaced.
#![warn(clippy::disallowed_methods)]

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
