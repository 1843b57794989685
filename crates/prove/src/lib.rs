//! Proofs about programs: what holds for all inputs, not for those that were tried.
//!
//! A program becomes terms over the table of operations ([`machine`]), rules rewrite the terms
//! ([`rules`]), and two programs are proved equal if their results are the same terms ([`prove`]). Where
//! they are not, [`evaluate`] looks for an input that shows a difference. If there is none, values in prime
//! fields say whether they are equal but for roundings. [`ranges`] bounds the values of
//! terms.
//!
//! This crate knows no engines, no memory and no files.

mod algebra;
pub mod cond;
mod defined;
pub mod evaluate;
mod facts;
mod flow;
mod loops;
pub mod machine;
mod names;
mod prove;
pub mod ranges;
pub mod rules;
mod shapes;
pub mod term;

pub use cond::Cond;
use ctm_base::stop::Stopped;
pub use defined::defined;
pub use machine::{Float, Results, Seen, Setup, Start, execute, execute_by_shape, execute_seen};
pub use names::Numbers;
pub use prove::{
    Answer, CONDITIONAL, Counterexample, Difference, KILLED, Options, UNCACHED, WHETHER, compare,
    equal_by_shape, prove, undecided,
};
pub use rules::Set;
pub use shapes::Carried;

/// Why nothing was proved, though the program is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undecided {
    /// The program has shared registers.
    #[error("programs with data sharing are not supported")]
    Sharing,
    /// A program with uncached writes fetches.
    #[error("programs that fetch and make uncached writes are not supported")]
    OwnWrites,
    /// Killed points show in neighbours.
    #[error("IGNORE_UNCOVERED in a program with derivatives is not supported")]
    Uncovered,
    /// A group can fault.
    #[error("the program ends with a fault")]
    Fault,
    /// A jump whose group can decide either way, with different results for a point.
    #[error("the jump at {0} is not that of an if or a loop")]
    Unstructured(u32),
    /// A constant that decides a jump or a loop is not known.
    #[error("{0} constant {1} is not known")]
    Constant(&'static str, u8),
    /// The bound on steps was reached.
    #[error("its terms are too large")]
    TooLarge,
    /// It was stopped, or the time was up.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}
