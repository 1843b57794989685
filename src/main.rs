//! The command `ctm`.

fn main() -> std::process::ExitCode {
    ctm_cli::main()
}
