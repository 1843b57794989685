//! WGSL that could exhaust the stack or the time of naga's front end is refused before it is read.
//!
//! `tokens`: words and signs. `depth`: what is within each other. `size`: constants and types, written out.
//! `attributes`: those of nothing. `work`: the time of reading.

mod attributes;
mod depth;
mod size;
pub mod tokens;
mod work;

use ctm_base::text::Diagnostic;
use ctm_base::work::Work;

/// Refuses what could exhaust naga's front end, which cannot be stopped while it reads.
pub fn text(source: &str, work: &Work<'_>) -> Result<(), Diagnostic> {
    let tokens = tokens::tokens(source);
    depth::check(&tokens)?;
    size::check(&tokens)?;
    attributes::check(&tokens)?;
    work::count(source, &tokens, work)
}
