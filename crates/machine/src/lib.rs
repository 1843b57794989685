#![doc = include_str!("../README.md")]

pub mod command;
pub mod device;
pub mod engine;
pub mod launch;
pub mod lower;
pub mod memory;
pub mod record;
