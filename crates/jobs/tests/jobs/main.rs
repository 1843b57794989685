//! Jobs: their files and errors, how they run, what comes of them.

mod bulk;
mod copies;
mod errors;
mod job_common;
mod nesting;
mod pack;
mod packed;
mod results;
mod run;
mod session;
mod sharing;
mod write;
