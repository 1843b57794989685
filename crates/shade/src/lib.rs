#![doc = include_str!("../README.md")]

pub mod abi;
pub mod guards;
pub mod pack;
pub mod plan;
pub mod probe;
pub mod translate;
pub mod variant;
pub mod wgsl;
