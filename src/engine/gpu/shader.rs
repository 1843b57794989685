//! Shaders: their texts, the interpreter's variants, compiled pipelines, and the translator.

pub(in crate::engine::gpu) mod compiled;
mod compiler;
pub mod guards;
pub(in crate::engine::gpu) mod pipelines;
pub mod translate;
pub mod translator;
pub mod variant;
pub mod wgsl;
