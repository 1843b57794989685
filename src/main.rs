//! The command `ctm`.

fn main() -> std::process::ExitCode {
    ctm::cli::main()
}
