//! Tools over jobs and engines. Engines come as `&dyn Engine`; it knows no GPU and no command line.

pub mod bench;
pub mod card;
pub mod check;
pub mod crosscheck;
pub mod debug;
pub mod facts;
pub mod mesa;
pub mod profile;
pub mod witness;
