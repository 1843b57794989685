//! The command `ctm`, from end to end.

#[path = "../common/cli.rs"]
mod cli;
#[path = "../common/mod.rs"]
mod common;

mod asm;
mod batch;
mod batch_common;
mod batch_resume;
mod bench;
mod check;
mod compare;
mod compile;
mod crosscheck;
mod debug_adapter;
mod debug_screen;
mod debug_sessions;
mod end_to_end;
mod generate;
mod guards;
mod info;
mod mixed_up;
mod options;
mod outputs;
mod programs_without_jobs;
mod recordings_stopping;
mod shards;
mod stats;
mod stopping;
mod streams;
mod translate;
mod trust;
mod verify;
