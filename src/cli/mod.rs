//! The command line: arguments in, library calls, text out.

/// Runs the command.
pub fn main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
