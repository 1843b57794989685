//! Cross-checks: the same launch on several engines, compared bit for bit.
//!
//! * [`compare`]: runs and compares, and names the first difference; `origin` finds the instruction
//!   it comes from.
//! * [`mod@generate`]: random valid programs, deterministic by seed; [`case`].
//! * [`count`]: what the generated programs did.
//! * [`reduce`]: reduces a program that shows a difference; [`export`] writes it as a job folder.
//! * [`fuzz`]: all of that for many programs on all cores.

pub mod case;
pub mod compare;
pub mod count;
mod difference;
pub mod export;
pub mod fuzz;
pub mod generate;
mod origin;
pub mod reduce;

pub use case::Case;
pub use difference::{ChannelDifference, Difference, MemoryDifference, What};
pub use generate::{Strength, generate};
pub use origin::{Origin, ValueFrom};
