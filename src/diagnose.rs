//! What is wrong with a program: the checks of `ctm check`.
//!
//! * [`code`]: the kinds of findings, one table.
//! * [`dynamic`]: checks of a run.
//! * [`finding`]: one finding, and the rule that merges equal ones.
//!
//! Checks add to [`Findings`] and know nothing about reports. Not to be confused with
//! [`check`](crate::check), which compares engines.

pub mod code;
pub mod dynamic;
pub mod finding;

pub use code::{Code, Severity};
pub use finding::{Finding, Findings, Note};
