//! Tools for programs and runs: checks, generated programs, debugger, profiler, Mesa's logs.

#[path = "../common/cli.rs"]
mod cli;
#[path = "../common/mod.rs"]
mod common;

mod checks;
mod checks_dynamic;
mod checks_model;
mod debug_random;
mod debug_ranges;
mod fuzz_programs;
mod mesa_bisect;
mod mesa_proofs;
mod plans;
mod profile;
mod prove;
