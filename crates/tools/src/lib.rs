//! Tools over jobs and engines. Engines come as `&dyn Engine`; it knows no GPU and no command line.

pub mod bench;
pub mod card;
pub mod errors;
#[cfg(feature = "compiler")]
pub mod explain;
pub mod facts;
pub mod mesa;
pub mod page;
pub mod playground;
pub mod prove;
pub mod tracing;
pub mod witness;
