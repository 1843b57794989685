//! Constructors: what they take, and how the value is made.

use crate::types::Type;
use crate::version::Version;
use ctm_base::text::{Diagnostic, Span};

/// How a constructor makes its value. Scalars are converted to the kind of the result's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Of one argument of the same shape: a conversion, or nothing.
    Convert,
    /// A vector of a scalar in every component.
    Splat,
    /// A matrix of a scalar in its diagonal.
    Diagonal,
    /// A matrix of a matrix: the common part, the rest as in the identity.
    Resize,
    /// The first scalars of the arguments, one after the other; some of the last argument may be left.
    Scalars,
    /// The members of a structure or the elements of an array, one argument each; `operands` has the types that they
    /// become.
    Members,
    /// An argument has an error.
    Error,
}

/// A constructor with its types.
#[derive(Clone, Debug, PartialEq)]
pub struct Constructed {
    /// The type of the value: an array's number of elements is known.
    pub ty: Type,
    /// How it is made.
    pub plan: Plan,
    /// The types that the members or elements become by implicit conversion, if the plan is [`Plan::Members`].
    pub operands: Vec<Type>,
    /// What only the guessed version forbids.
    pub warnings: Vec<Diagnostic>,
}

/// A constructor of `ty`, `span` its place.
///
/// # Errors
/// The type has no constructor, or none of these arguments.
pub fn construct(
    version: Version,
    span: Span,
    ty: &Type,
    arguments: &[Type],
) -> Result<Constructed, Diagnostic> {
    let _ = (version, arguments);
    Err(span.error(format!("`{ty}` has no constructor")))
}
