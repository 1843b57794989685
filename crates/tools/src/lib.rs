//! Tools over jobs and engines. Engines come as `&dyn Engine`; it knows no GPU and no command line.

pub mod bench;
pub mod card;
pub mod check;
pub mod crosscheck;
pub mod debug;
#[cfg(feature = "compiler")]
pub mod explain;
pub mod facts;
pub mod mesa;
mod page;
pub mod profile;
#[cfg(feature = "compiler")]
pub mod shaders;
pub mod tracing;
pub mod witness;
