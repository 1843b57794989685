//! The connection to an adapter, and its buffers. It knows no launches.

pub mod adapter;
mod buffers;
pub mod cache;
pub mod connection;
pub mod error;
pub mod float_controls;
pub mod pipeline;
mod readback;
mod spirv;
pub mod watch;

pub(in crate::engine::gpu) use buffers::Grown;
pub(in crate::engine::gpu) use readback::Mapping;
