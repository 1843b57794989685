//! The C interface: the functions that clients written in C or C++ call (docs/c-api.md).
//!
//! `am*` and `amu*` are CTM's original names, so that its clients compile and run unchanged;
//! `ctm_*` are additions of this project. The headers are in `include/`; tests compare them with
//! the definitions here.
//!
//! * `ffi`: the exported functions. All `unsafe` code of the interface is here, in `raw` and in
//!   `consts`.
//! * `raw`: reads and writes memory through the client's pointers.
//! * `consts`: the only structure with pointers that clients receive.
//! * [`types`]: the structures of the headers, and their layout for tests.
//! * `handles`: the numbers that clients get for open objects.
//! * `connection`: open devices, 32-bit submission ids.
//! * `settings`: engine, arenas and so on, from the caller or from the environment.
//! * `report`: what a submission did, as text and numbers.
//! * `programs`: compile, assemble, disassemble, constants.
//! * `error`: the last error of each thread.
//!
//! Clients never pass back pointers to internal objects. Handles are numbers that are looked up, so
//! that an old or invented one is refused. No panic leaves a function.

mod connection;
mod consts;
mod error;
mod ffi;
mod handles;
mod programs;
mod raw;
mod recordings;
mod report;
mod settings;
pub mod types;

pub use settings::{ENGINES, EngineError};
