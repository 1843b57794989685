//! A real card's verdicts.

pub mod result;
