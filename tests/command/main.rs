//! The command `ctm`, from end to end.

#[path = "../common/cli.rs"]
mod cli;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/mutate.rs"]
mod mutate;

mod batch;
mod batch_common;
mod batch_hostile;
mod batch_resume;
mod bench;
mod card;
mod check;
mod compare;
mod crosscheck;
mod debug_adapter;
#[cfg(feature = "screen")]
mod debug_screen;
mod debug_sessions;
#[cfg(target_os = "linux")]
mod disks;
mod end_to_end;
#[cfg(unix)]
mod examples;
mod full;
mod generate;
mod links;
mod masks;
mod mutated;
mod outputs;
mod packs;
mod panics;
mod recordings_stopping;
mod shaders;
mod shards;
mod sharing;
mod stats;
mod stopping;
mod streams;
#[cfg(unix)]
mod transcripts;
mod trust;
mod values;
