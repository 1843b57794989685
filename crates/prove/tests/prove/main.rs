//! Tests of proofs on whole programs.

mod bounds;
mod case;
mod execution;
mod mutants;
mod ranges;
mod rounding;
mod vectors;
