//! The C interface.

mod c;
mod calls;
mod clients;
mod compiler;
mod engines;
mod fuzz;
mod install;
#[path = "../common/mutate.rs"]
mod mutate;
mod programs;
mod recordings;
mod refused;
mod sanitized;
mod shaders;
mod signals;
