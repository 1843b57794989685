//! The command `ctm`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
