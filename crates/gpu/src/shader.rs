//! Shaders: compiled pipelines and translations, and which programs get one.

pub(crate) mod compiled;
mod compiler;
pub(crate) mod pipelines;
pub mod translator;

pub use ctm_shade::{guards, translate, variant, wgsl};
