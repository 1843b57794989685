//! The connection to an adapter, and its buffers. It knows no launches.

pub mod adapter;
mod buffers;
pub mod cache;
pub mod connection;
pub mod float_controls;
pub mod pipeline;
mod readback;
pub mod spirv;
pub mod watch;

pub(crate) use buffers::Grown;
pub(crate) use readback::Mapping;
