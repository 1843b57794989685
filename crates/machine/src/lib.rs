//! The machine on a CPU: memory, launches, engines, command processor, recordings. It knows no files of
//! jobs and no GPU.

pub mod command;
pub mod device;
pub mod engine;
pub mod launch;
pub mod lower;
pub mod memory;
pub mod record;
