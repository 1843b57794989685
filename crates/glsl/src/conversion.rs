//! Conversions that the language makes on its own.

use crate::types::{Scalar, Type};
use crate::version::Version;
use ctm_base::text::{Diagnostic, Span};

/// How a value becomes one of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It has the type.
    Same,
    /// The version converts it.
    Converted,
    /// Other versions convert it, and this one is only a guess.
    Guessed,
}

/// How a scalar becomes another; `None` if it does not.
pub fn scalar(version: Version, from: Scalar, to: Scalar) -> Option<Fit> {
    if from == to {
        return Some(Fit::Same);
    }
    let to_float = to == Scalar::Float && matches!(from, Scalar::Int | Scalar::Uint);
    let to_uint = to == Scalar::Uint && from == Scalar::Int;
    let desktop = |number| !version.es && version.number >= number;
    if to_float && desktop(120) || to_uint && desktop(400) {
        Some(Fit::Converted)
    } else {
        (version.guessed && (to_float || to_uint)).then_some(Fit::Guessed)
    }
}

/// How a value of a type becomes one of another; `None` if it does not. What has an error fits.
pub fn fit(version: Version, from: &Type, to: &Type) -> Option<Fit> {
    match (from, to) {
        (Type::Error, _) | (_, Type::Error) => Some(Fit::Same),
        (Type::Scalar(from), Type::Scalar(to)) => scalar(version, *from, *to),
        (Type::Vector(from, size), Type::Vector(to, other)) if size == other => {
            scalar(version, *from, *to)
        }
        _ => (from == to).then_some(Fit::Same),
    }
}

/// The warning for a conversion that the guessed version does not have.
pub fn guessed(version: Version, span: Span, from: &Type, to: &Type) -> Diagnostic {
    span.error(format!(
        "{version} does not convert `{from}` to `{to}`, and without `#version` this source is taken for it"
    ))
    .label(format!("becomes `{to}`"))
    .help(remedy(from, to))
}

/// The remedy where a conversion is missing: a number as the other type, or a constructor.
pub fn remedy(from: &Type, to: &Type) -> String {
    match (from, to) {
        (Type::Scalar(Scalar::Int), Type::Scalar(Scalar::Float)) => {
            "write a number with a point, as `2.0`, or convert it with `float(...)`".into()
        }
        (Type::Scalar(Scalar::Int), Type::Scalar(Scalar::Uint)) => {
            "write a number with `u`, as `2u`, or convert it with `uint(...)`".into()
        }
        _ => format!("convert it with `{to}(...)`"),
    }
}

/// Whether a constructor of `to` takes a value of `from`, so that it is a remedy.
pub fn constructs(from: &Type, to: &Type) -> bool {
    match (from, to) {
        (Type::Scalar(_), Type::Scalar(_) | Type::Vector(..)) => true,
        (Type::Vector(_, from), Type::Vector(_, to)) => from >= to,
        _ => false,
    }
}

/// A value that becomes one of a type: in an initial value, an assignment, an argument or a result. `what` is the sentence's
/// subject, as "the initial value". The result is a warning, if one is due.
///
/// # Errors
/// The version has no conversion between the types.
pub fn convert(
    version: Version,
    span: Span,
    what: &str,
    from: &Type,
    to: &Type,
) -> Result<Option<Diagnostic>, Diagnostic> {
    match fit(version, from, to) {
        Some(Fit::Same | Fit::Converted) => Ok(None),
        Some(Fit::Guessed) => Ok(Some(guessed(version, span, from, to))),
        None => {
            let error = span
                .error(format!("{what} is of type `{from}`; expected `{to}`"))
                .label(format!("`{from}`"));
            Err(if constructs(from, to) { error.help(remedy(from, to)) } else { error })
        }
    }
}
