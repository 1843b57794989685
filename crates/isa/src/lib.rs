#![doc = include_str!("../README.md")]

pub mod arithmetic;
pub mod float;
pub mod isa;
pub mod ops;
pub mod timing;
