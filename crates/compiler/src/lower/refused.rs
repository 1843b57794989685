//! The errors of shaders that cannot be compiled.

use ctm_base::text::{Diagnostic, Span};
use std::fmt;

/// Whether other limits of straight code may help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No: it is an error of the source.
    Source,
    /// The program is too large; less straight code may fit.
    Size,
    /// A sampler is chosen by the counter of a loop; if the loop becomes straight code it is known.
    Sampler,
}

/// The error of a shader that cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The error.
    pub error: Diagnostic,
    /// Its kind.
    pub refusal: Refusal,
}

impl From<Diagnostic> for Refused {
    fn from(error: Diagnostic) -> Refused {
        Refused { error, refusal: Refusal::Source }
    }
}

impl Refused {
    /// The program needs more than a limit.
    pub fn too_large(span: Span, limit: impl fmt::Display) -> Refused {
        let error = span.error(format!("the shader needs more than {limit}"));
        Refused { error, refusal: Refusal::Size }
    }

    /// The program has more operations than the compiler takes.
    pub fn too_many_operations(span: Span) -> Refused {
        let error = span.error("the shader needs more operations than the compiler takes");
        Refused { error, refusal: Refusal::Size }
    }

    /// A sampler is not known.
    pub fn unknown_sampler(span: Span) -> Refused {
        let message = "which sampler this is must be known when the shader is compiled";
        Refused { error: span.error(message), refusal: Refusal::Sampler }
    }

    /// Whether a walk with other limits may have no such error.
    pub fn may_pass_otherwise(&self) -> bool {
        self.refusal != Refusal::Source
    }

    /// A sentence below the source line: how to fix the error.
    pub fn help(self, help: impl Into<String>) -> Refused {
        Refused { error: self.error.help(help), ..self }
    }
}
