//! Tests of proofs on whole programs.

mod case;
mod execution;
mod mutants;
mod vectors;
