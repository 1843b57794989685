//! The processor array on a GPU.
//!
//! PLACEHOLDER: only the translator is here; the engines take the place of this file.

pub mod translate;
