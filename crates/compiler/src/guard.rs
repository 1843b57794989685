//! WGSL that could exhaust the stack or the time of naga's front end is refused before it is read.
//!
//! `tokens`: words and signs. `depth`: what is within each other. `size`: constants and types, written out.
//! `attributes`: those of nothing.

mod attributes;
mod depth;
mod size;
pub mod tokens;

use ctm_base::text::Diagnostic;

/// Refuses what could exhaust naga's front end.
pub fn text(source: &str) -> Result<(), Diagnostic> {
    let tokens = tokens::tokens(source);
    depth::check(&tokens)?;
    size::check(&tokens)?;
    attributes::check(&tokens)
}
