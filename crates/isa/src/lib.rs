//! The instruction set and its arithmetic. It knows no programs.

pub mod float;
pub mod isa;
pub mod ops;
pub mod timing;
