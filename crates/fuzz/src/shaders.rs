//! Fuzzing of the compiler of shaders.
//!
//! * [`generate`]: random GLSL fragment shaders, deterministic by seed.
//! * [`check`]: a shader compiled and run by an engine, against [`ctm_compiler::evaluate`].
//! * [`locations`]: the values of variables at their places in a run, against the evaluator's.
//! * [`reduce`]: a shorter source that still shows a finding.
//! * [`passes`]: the pass of the compiler that makes a mistake, and a form that shows it.
//! * [`mutate`]: sources with changed bytes and tokens.
//! * [`mistakes`]: generated shaders with mistakes, which must be refused.
//! * [`fuzz`]: all of that for many shaders on all cores.

pub mod check;
pub mod fuzz;
pub mod generate;
pub mod locations;
pub mod mistakes;
pub mod mutate;
pub mod passes;
pub mod reduce;
#[cfg(test)]
mod tests;
