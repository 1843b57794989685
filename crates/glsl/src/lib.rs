//! A front end for GLSL: fragment shaders of GLSL 1.10 to 3.30, ES 1.00 and ES 3.00, and Shadertoy's dress.
//!
//! From the source to a checked module, downwards: `lexer` and `preprocess` make tokens, each with its place; `parser` makes
//! the `ast`; `check` gives everything its meaning by `types`, `builtins` and `constant`, and makes a naga module.
//! The crate knows no machine; what the machine cannot have is refused by the compiler.
//!
//! Types: `conversion`, `operators`, `parts`, `constructors` and `overload` say what goes together, each with the
//! sentence for what does not.

mod ast;
mod builtins;
mod check;
mod constant;
mod constructors;
mod conversion;
mod found;
mod lexer;
mod near;
mod operators;
mod overload;
mod parser;
mod parts;
mod preprocess;
mod types;
mod version;
mod words;

pub use builtins::{Detail, Texture};
pub use check::{Checked, Declared, Storage};

use ctm_base::text::Diagnostic;
use ctm_base::work::Work;
use found::Found;

/// A source as a checked module.
///
/// # Errors
/// The errors of the source and the warnings beside them, in no order. It was stopped, or there is no more work left: the last one says so.
pub fn module(source: &str, work: &Work<'_>) -> Result<Checked, Vec<Diagnostic>> {
    let mut found = Found::new(work);
    let shader = parser::parse(source, &mut found);
    if found.ended() {
        return Err(found.all());
    }
    check::check(source, &shader, found)
}

#[cfg(test)]
mod tests;
