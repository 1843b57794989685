#![doc = include_str!("../README.md")]

#[macro_use]
mod named;

pub mod clock;
pub mod files;
pub mod float;
pub mod isa;
pub mod ops;
pub mod panics;
pub mod random;
pub mod stop;
pub mod text;
pub mod timing;
