//! Sources to naga's modules.

mod invalid;

use crate::guard;
use ctm_base::panics;
use ctm_base::text::{Diagnostic, Span};
use ctm_base::work::Work;
use ctm_glsl::Checked;
use naga::{Block, Module, Statement};

/// A source as a module. The spans of the module are places in the source.
pub enum Front {
    /// GLSL.
    Glsl(Box<Checked>),
    /// WGSL.
    Wgsl(Box<Module>),
}

impl Front {
    /// The module.
    pub fn module(&self) -> &Module {
        match self {
            Front::Glsl(checked) => &checked.module,
            Front::Wgsl(module) => module,
        }
    }

    /// GLSL's interface and samplers; `None` for WGSL, whose module has them.
    pub fn glsl(&self) -> Option<&Checked> {
        match self {
            Front::Glsl(checked) => Some(checked),
            Front::Wgsl(_) => None,
        }
    }
}

/// GLSL.
pub fn glsl(source: &str, work: &Work<'_>) -> Result<Front, Vec<Diagnostic>> {
    ctm_glsl::module(source, work).map(|checked| Front::Glsl(Box::new(checked)))
}

/// WGSL.
pub fn wgsl(source: &str, work: &Work<'_>) -> Result<Front, Vec<Diagnostic>> {
    guard::text(source, work).map_err(|error| vec![error])?;
    // It panics at a `const_assert` of a vector.
    let read = panics::catch(|| naga::front::wgsl::parse_str(source));
    let read = read.map_err(|_| vec![Span::default().error("this is not valid WGSL")])?;
    let module = read.map_err(|error| {
        let mut places = error.labels().filter_map(|(span, _)| span.to_range());
        let span = places.next().unwrap_or_default();
        // What it says of itself is not for users.
        let message = match error.message() {
            "internal WGSL front end error"
                if error.notes().any(|note| note.contains("recursion")) =>
            {
                "this is nested too deep"
            }
            // Numbers of its own expressions say nothing.
            message if message.starts_with("internal") || message.contains("expression [") => {
                "this is not valid WGSL"
            }
            message => message,
        };
        vec![Span::new(span.start, span.end).error(message)]
    })?;
    invalid::check(&module, source).map_err(|error| vec![error])?;
    Ok(Front::Wgsl(Box::new(module)))
}

/// The offset of the source of the last statement in a branch or loop; its own, if it has none.
pub fn last_offset(statement: &Statement, span: &naga::Span) -> u32 {
    let own = span.to_range().map_or(0, |range| range.start as u32);
    let blocks: Vec<&Block> = match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        _ => Vec::new(),
    };
    let inner = blocks.into_iter().flat_map(Block::span_iter);
    inner.map(|(statement, span)| last_offset(statement, span)).fold(own, u32::max)
}
