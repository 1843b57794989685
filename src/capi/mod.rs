//! The C interface: what a client written in C or C++ calls (docs/c-api.md).
//!
//! `am*` and `amu*` are CTM's own names, so that clients of it compile and run unchanged; `ctm_*`
//! are additions of this project. The headers are in `include/`; tests compare them with what is
//! defined here.
//!
//! * `ffi`: the exported functions. All `unsafe` code of the interface is here, in `raw` and in
//!   `consts`.
//! * `raw`: what the client's pointers point at, read and written.
//! * `consts`: the one structure with pointers in it that is given to clients.
//! * [`types`]: the structures of the headers, and their layout for tests.
//! * `connection`: handles, open devices, submission ids of 32 bits.
//! * `settings`: engine, arenas and the like, from the caller or from the environment.
//! * `report`: what a submission did, as text and numbers.
//! * `programs`: compile, assemble, disassemble, constants.
//! * `error`: the last error of each thread.
//!
//! A client never gets a pointer to anything that it has to give back: handles are numbers that
//! are looked up, so that one that is old or made up is refused. No panic leaves a function.

mod connection;
mod consts;
mod error;
mod ffi;
mod programs;
mod raw;
mod report;
mod settings;
pub mod types;

pub use settings::{ENGINES, EngineError};
