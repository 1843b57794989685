//! The engines on a GPU. Most tests need an adapter: see `common` for when they run.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/kernel.rs"]
mod kernel;
#[path = "../common/same.rs"]
mod same;

mod adapter;
mod batch;
mod benchmarks;
mod engine;
mod float;
mod large;
mod launches;
mod memory;
mod recorded;
mod resident;
mod sessions;
mod statistics;
mod texels;
mod tiers;
mod translate;
mod translated;
mod translated_programs;
