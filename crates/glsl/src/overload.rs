//! Which of several functions of one name a call means.

use crate::conversion::{self, Fit};
use crate::types::{Scalar, Type};
use crate::version::Version;
use ctm_base::text::{Diagnostic, Span};
use std::fmt;

/// Which way a parameter goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `in`.
    In,
    /// `out`.
    Out,
    /// `inout`.
    InOut,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its type.
    pub ty: Type,
    /// Its direction.
    pub direction: Direction,
}

/// The types of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The type of the result.
    pub result: Type,
}

impl Signature {
    /// Whether the types of the parameters are the same: one function then declares the other again.
    pub fn same_parameters(&self, other: &Signature) -> bool {
        let types = |signature: &Signature| signature.parameters.len();
        types(self) == types(other)
            && self.parameters.iter().zip(&other.parameters).all(|(a, b)| a.ty == b.ty)
    }
}

impl fmt::Display for Signature {
    /// The parameters, as `(vec2, out float)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameter = |parameter: &Parameter| match parameter.direction {
            Direction::In => parameter.ty.to_string(),
            Direction::Out => format!("out {}", parameter.ty),
            Direction::InOut => format!("inout {}", parameter.ty),
        };
        let parameters: Vec<String> = self.parameters.iter().map(parameter).collect();
        write!(f, "({})", parameters.join(", "))
    }
}

/// The function that a call means.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The number of the candidate; `None` if an argument has an error and several would do.
    pub candidate: Option<usize>,
    /// The type of the result; [`Type::Error`] if an argument has an error and it depends on that.
    pub result: Type,
    /// Uses that only the guessed version forbids.
    pub warnings: Vec<Diagnostic>,
}

/// The types of arguments in words: `float, vec2`.
pub fn listed(arguments: &[Type]) -> String {
    arguments.iter().map(Type::to_string).collect::<Vec<_>>().join(", ")
}

/// How an argument becomes a parameter.
fn argument(version: Version, argument: &Type, parameter: &Parameter) -> Option<Fit> {
    match parameter.direction {
        Direction::In => conversion::fit(version, argument, &parameter.ty),
        Direction::Out => conversion::fit(version, &parameter.ty, argument),
        Direction::InOut => {
            conversion::fit(version, argument, &parameter.ty).filter(|fit| *fit == Fit::Same)
        }
    }
}

/// How the arguments become the parameters.
fn fits(version: Version, signature: &Signature, arguments: &[Type]) -> Option<Vec<Fit>> {
    if signature.parameters.len() != arguments.len() {
        return None;
    }
    arguments
        .iter()
        .zip(&signature.parameters)
        .map(|(ty, parameter)| argument(version, ty, parameter))
        .collect()
}

/// Whether the conversion to `a` is better than that to `b`: of an integer, to an integer rather than to a float.
fn better(from: &Type, a: &Type, b: &Type) -> bool {
    let rank = |to: &Type| match (from.scalar(), to.scalar()) {
        (from, to) if from == to => 0,
        (_, Some(Scalar::Int | Scalar::Uint)) => 1,
        _ => 2,
    };
    rank(a) < rank(b)
}

/// The candidate that a call of `name` means. A candidate whose parameters all have the types of the arguments is meant; else
/// the one that the version's conversions reach, if it is better than every other: in no argument worse, in one better.
///
/// # Errors
/// No candidate fits, or several do.
pub fn resolve(
    version: Version,
    name: &str,
    span: Span,
    candidates: &[&Signature],
    arguments: &[Type],
) -> Result<Chosen, Diagnostic> {
    let found: Vec<(usize, Vec<Fit>)> = candidates
        .iter()
        .enumerate()
        .filter_map(|(n, signature)| Some((n, fits(version, signature, arguments)?)))
        .collect();
    if arguments.contains(&Type::Error) {
        return Ok(with_errors(candidates, &found));
    }
    let exact = found.iter().find(|(_, fits)| fits.iter().all(|fit| *fit == Fit::Same));
    let best = exact.or_else(|| {
        found.iter().find(|one| {
            found.iter().all(|other| other.0 == one.0 || wins(candidates, arguments, one, other))
        })
    });
    let Some((n, fits)) = best else {
        return Err(match found.as_slice() {
            [] => none(version, name, span, candidates, arguments),
            several => ambiguous(name, span, candidates, arguments, several),
        });
    };
    let signature = candidates[*n];
    let warnings = fits
        .iter()
        .enumerate()
        .filter(|(_, fit)| **fit == Fit::Guessed)
        .map(|(n, _)| {
            conversion::guessed(version, span, &arguments[n], &signature.parameters[n].ty)
        })
        .collect();
    Ok(Chosen { candidate: Some(*n), result: signature.result.clone(), warnings })
}

/// A call whose arguments have errors: what is sure about it.
fn with_errors(candidates: &[&Signature], found: &[(usize, Vec<Fit>)]) -> Chosen {
    let results: Vec<&Type> = found.iter().map(|(n, _)| &candidates[*n].result).collect();
    let result = match results.split_first() {
        Some((first, rest)) if rest.iter().all(|other| other == first) => (*first).clone(),
        _ => Type::Error,
    };
    let candidate = match found {
        [(n, _)] => Some(*n),
        _ => None,
    };
    Chosen { candidate, result, warnings: Vec::new() }
}

/// Whether one candidate is better than another.
fn wins(
    candidates: &[&Signature],
    arguments: &[Type],
    one: &(usize, Vec<Fit>),
    other: &(usize, Vec<Fit>),
) -> bool {
    let (a, b) = (candidates[one.0], candidates[other.0]);
    let compare = |n: usize, a: &Signature, b: &Signature| {
        better(&arguments[n], &a.parameters[n].ty, &b.parameters[n].ty)
    };
    let count = arguments.len();
    (0..count).any(|n| compare(n, a, b)) && !(0..count).any(|n| compare(n, b, a))
}

/// The error of a call that no candidate fits.
fn none(
    version: Version,
    name: &str,
    span: Span,
    candidates: &[&Signature],
    arguments: &[Type],
) -> Diagnostic {
    let given = listed(arguments);
    let error = span.error(format!("no function `{name}` takes ({given})"));
    let error = match arguments {
        [] => error.label("without arguments"),
        _ => error.label(format!("({given})")),
    };
    let error = match candidates {
        [] => return error,
        [one] if one.parameters.len() != arguments.len() => {
            let count = one.parameters.len();
            let some = if count == 1 { "argument" } else { "arguments" };
            return error
                .help(format!("`{name}{one}` has {count} {some}, not {}", arguments.len()));
        }
        _ => error,
    };
    // The remedy, if a conversion of another version or a constructor is all that is missing.
    let liberal = Version { guessed: true, ..version };
    let near = candidates
        .iter()
        .find_map(|signature| Some((signature, fits(liberal, signature, arguments)?)));
    if let Some((signature, fits)) = near {
        let n = fits.iter().position(|fit| *fit == Fit::Guessed).unwrap_or_default();
        let (from, to) = (&arguments[n], &signature.parameters[n].ty);
        return error.help(format!(
            "{version} does not convert `{from}` to `{to}` for `{name}{signature}`: {}",
            conversion::remedy(from, to)
        ));
    }
    error.help(format!("there is {}", nearest(version, name, candidates, arguments)))
}

/// The candidates that come nearest, in words.
fn nearest(version: Version, name: &str, candidates: &[&Signature], arguments: &[Type]) -> String {
    let misses = |signature: &Signature| {
        let wrong = arguments
            .iter()
            .zip(&signature.parameters)
            .filter(|(ty, parameter)| argument(version, ty, parameter).is_none())
            .count();
        wrong + 2 * arguments.len().abs_diff(signature.parameters.len())
    };
    let mut sorted: Vec<&&Signature> = candidates.iter().collect();
    sorted.sort_by_key(|signature| misses(signature));
    let more = if sorted.len() > 4 { " and others" } else { "" };
    let shown: Vec<String> =
        sorted.iter().take(4).map(|signature| format!("`{name}{signature}`")).collect();
    shown.join(", ") + more
}

/// The error of a call that several candidates fit.
fn ambiguous(
    name: &str,
    span: Span,
    candidates: &[&Signature],
    arguments: &[Type],
    several: &[(usize, Vec<Fit>)],
) -> Diagnostic {
    let shown: Vec<String> =
        several.iter().take(4).map(|(n, _)| format!("`{name}{}`", candidates[*n])).collect();
    span.error(format!("the call `{name}({})` is ambiguous", listed(arguments)))
        .label(format!("({})", listed(arguments)))
        .help(format!("convert the arguments for one of {}", shown.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::named;

    fn signature(types: &str) -> Signature {
        let parameter = |name: &str| {
            let (direction, name) = match name.split_once(':') {
                Some(("out", name)) => (Direction::Out, name),
                Some((_, name)) => (Direction::InOut, name),
                None => (Direction::In, name),
            };
            Parameter { ty: named(name).expect("a type"), direction }
        };
        Signature {
            parameters: types.split_whitespace().map(parameter).collect(),
            result: Type::Void,
        }
    }

    fn choose(number: u16, candidates: &[&str], arguments: &str) -> Result<usize, String> {
        let version = Version { number, es: false, guessed: false, toy: false };
        let candidates: Vec<Signature> = candidates.iter().map(|types| signature(types)).collect();
        let arguments: Vec<Type> =
            arguments.split_whitespace().map(|name| named(name).expect("a type")).collect();
        resolve(version, "f", Span::default(), &candidates.iter().collect::<Vec<_>>(), &arguments)
            .map(|chosen| chosen.candidate.expect("no errors"))
            .map_err(|error| error.message)
    }

    /// GLSL 3.30, 6.1, and the ranking of 4.00.
    #[test]
    fn the_best_candidate_is_chosen() {
        assert_eq!(choose(330, &["float float", "int int"], "int int"), Ok(1));
        assert_eq!(choose(330, &["float", "uint"], "int"), Ok(0));
        assert_eq!(choose(400, &["float", "uint"], "int"), Ok(1));
        assert_eq!(choose(330, &["vec2 float", "float vec2"], "ivec2 int"), Ok(0));
        assert_eq!(
            choose(330, &["float int", "int float"], "int int"),
            Err("the call `f(int, int)` is ambiguous".into())
        );
        assert_eq!(choose(110, &["float"], "int"), Err("no function `f` takes (int)".into()));
    }

    /// The value that comes out is converted from the parameter's type to the argument's; `inout` would need both ways.
    #[test]
    fn out_parameters_are_converted_backwards() {
        assert_eq!(choose(330, &["out:int"], "float"), Ok(0));
        assert!(choose(330, &["out:float"], "int").is_err());
        assert!(choose(330, &["inout:int"], "float").is_err());
    }
}
