//! The interface of host and shaders: numbers, records and results.

pub mod constants;
pub mod encode;
pub mod launch;
pub mod places;
pub mod results;
pub mod surface;
