//! Fuzzing of the compiler of shaders.
//!
//! * [`generate`]: random GLSL fragment shaders, deterministic by seed.
//! * [`check`]: a shader compiled and run by an engine, against [`ctm_compiler::evaluate`].
//! * [`locations`]: the values of variables at their places in a run, against the evaluator's.
//! * [`reduce`]: a shorter source that still shows a finding.
//! * [`mutate`]: sources with changed bytes and tokens.
//! * [`mistakes`]: generated shaders with mistakes, which must be refused.
//! * [`fuzz`]: all of that for many shaders on all cores.

pub mod check;
pub mod fuzz;
pub mod generate;
pub mod locations;
pub mod mistakes;
pub mod mutate;
pub mod reduce;
#[cfg(test)]
mod tests;
