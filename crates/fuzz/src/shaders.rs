//! Fuzzing of the compiler of shaders.
//!
//! * [`generate`]: random GLSL fragment shaders, deterministic by seed.
//! * [`check`]: a shader compiled and run by an engine, against [`ctm_compiler::evaluate`].
//! * [`reduce`]: a shorter source that still shows a finding.
//! * [`mutate`]: sources with changed bytes and tokens.
//! * [`fuzz`]: all of that for many shaders on all cores.

pub mod check;
pub mod fuzz;
pub mod generate;
pub mod mutate;
pub mod reduce;
#[cfg(test)]
mod tests;
