use super::*;
use ctm_lang::asm::assemble;
use ctm_lang::program::Program;
use ctm_machine::launch::{Constants, FloatMode, IntConstant};
use ctm_machine::lower::{Lowered, lower};

mod flow;
pub mod text;
mod whole;

fn program(source: &str) -> Program {
    let image = assemble(source, "test").unwrap_or_else(|errors| panic!("{source}\n{errors}"));
    Program::new(image).unwrap_or_else(|errors| panic!("{source}\n{errors}"))
}

fn lowered(source: &str) -> Lowered {
    lower(&program(source), 0, FloatMode::Exact)
}

/// The statements of a program with its own constants, or the reason.
fn sketch(source: &str) -> String {
    let program = program(source);
    let constants = Constants::with_literals(&program.image().literals);
    match recover(&lower(&program, 0, FloatMode::Exact), &constants.int, constants.bool) {
        Ok(tree) => tree.to_string(),
        Err(reason) => reason.to_string(),
    }
}

/// Integer constants that all count to the same number.
fn counts(count: u8) -> [IntConstant; 32] {
    [IntConstant { count, start: 0, step: 1 }; 32]
}
