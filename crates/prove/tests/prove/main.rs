//! Tests of proofs on whole programs.

mod bounds;
mod case;
mod execution;
mod loops;
mod mutants;
mod ranges;
mod rounding;
mod vectors;
