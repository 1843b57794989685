#![doc = include_str!("../README.md")]

pub mod float;
pub mod isa;
pub mod ops;
pub mod timing;
