//! What host and shaders share: numbers, records and results.

pub mod constants;
pub mod encode;
pub mod launch;
pub(in crate::engine::gpu) mod places;
pub(in crate::engine::gpu) mod results;
pub mod surface;
