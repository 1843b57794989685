//! The common parts of all crates: texts and their errors, files, panics, stops, budgets of work, the clock, random numbers, and
//! enumerations whose values have names. It knows nothing of the machine.

mod named;

pub mod clock;
pub mod files;
pub mod panics;
pub mod random;
pub mod stop;
pub mod text;
pub mod work;
