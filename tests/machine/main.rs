//! The machine on every engine: launches, devices, recordings, shared registers, test vectors.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/mutate.rs"]
mod mutate;

mod batch;
mod chip;
mod device;
mod engines;
mod kernels;
mod mutated;
mod observers;
mod random_programs;
mod recordings;
mod recordings_command;
mod recordings_truth;
mod sharing;
mod sharing_device;
mod stopping;
mod twins;
mod vectors;
