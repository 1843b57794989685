//! The checks of `ctm check`: mistakes of a program.
//!
//! * [`code`]: the kinds of findings, one table.
//! * [`finding`]: one finding, and the rule that merges equal ones.
//! * [`statics`]: the checks of a program alone; [`dynamic`]: those of a run.
//! * [`allow`], [`baseline`]: findings that do not count.
//! * [`report`]: findings as text, JSON, SARIF; [`explain`]: the page of each code.
//!
//! Checks add to [`Findings`] and know nothing about reports. Not to be confused with
//! `crosscheck`, which compares engines.

pub mod allow;
pub mod baseline;
pub mod code;
pub mod dynamic;
pub mod explain;
pub mod finding;
pub mod report;
pub mod statics;

pub use code::Code;
pub use ctm_lang::program::Severity;
pub use finding::{Finding, Findings, Note};
