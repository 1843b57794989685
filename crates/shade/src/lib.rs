//! Texts of shaders and the data that they work on. It executes nothing and knows no adapters.
//! docs/interpreter.md explains the design.
//!
//! * [`abi`]: the structs and numbers that host and shaders share.
//! * [`pack`]: lowered programs in micro-operations of four lanes.
//! * [`guards`]: how far exact arithmetic trusts an adapter; [`probe`]: how that is found out.
//! * [`plan`]: launches as values that need only a device to run.
//! * [`wgsl`]: the texts; [`variant`]: those of the interpreter; [`translate`]: a text for one program.

pub mod abi;
pub mod guards;
pub mod pack;
pub mod plan;
pub mod probe;
pub mod translate;
pub mod variant;
pub mod wgsl;
