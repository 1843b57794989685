//! Random programs and shaders, and what compares engines. Engines come as `&dyn Engine`; it knows no GPU and no
//! command line.

pub mod crosscheck;
#[cfg(feature = "compiler")]
pub mod shaders;
