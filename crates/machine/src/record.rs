//! Recordings: everything that had an effect on the devices of a process, in a file
//! (docs/recordings.md).
//!
//! [`Recording`] writes a file, [`Reader`] reads it record by record, [`Replay`] executes it again,
//! [`differ`] compares two files.
//! The module reaches devices through [`Recorder`](crate::device::Recorder) and [`Pe`](crate::device::Pe). It
//! knows no clients and no jobs.

mod differ;
mod format;
mod reader;
mod replay;
mod writer;

pub use differ::{CommonPrefix, differ};
pub use format::{Change, Event, MAGIC, Open, Submission, VERSION, shown};
pub use reader::{Entry, Reader, RecordError, is_recording};
pub use replay::{
    Captured, Mismatch, Replay, ReplayError, ReplayOptions, Step, SubmissionId, capture,
    capture_all, first_byte,
};
pub use writer::report_end;
pub use writer::{DeviceRecorder, Recording};
