//! Constructors: what they take, and how the value is made.

use crate::conversion;
use crate::overload::listed;
use crate::types::Type;
use crate::version::Version;
use ctm_base::text::{Diagnostic, Span};
use std::rc::Rc;

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

impl Constructed {
    fn new(ty: &Type, plan: Plan) -> Constructed {
        Constructed { ty: ty.clone(), plan, operands: Vec::new(), warnings: Vec::new() }
    }
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
    if *ty == Type::Error {
        return Ok(Constructed::new(ty, Plan::Error));
    }
    match ty {
        Type::Void | Type::Sampler(_) | Type::Error => {
            Err(span.error(format!("`{ty}` has no constructor")))
        }
        Type::Scalar(_) | Type::Vector(..) | Type::Matrix(..) => {
            numbers(version, span, ty, arguments)
        }
        Type::Structure(structure) => {
            if ty.facts().sampler {
                return Err(span.error(format!("`{ty}` has a sampler, and so no constructor")));
            }
            let members: Vec<(String, &Type)> = structure
                .members
                .iter()
                .map(|(name, ty)| (format!("the member `{name}`"), ty))
                .collect();
            members_of(version, span, ty, &members, arguments)
        }
        Type::Array(element, size) => {
            if element.facts().sampler {
                return Err(span.error(format!("`{ty}` has samplers, and so no constructor")));
            }
            let (element, size) = sized(element, *size, arguments);
            let ty = Type::Array(Rc::new(element.clone()), Some(size));
            // As many as there are arguments: a wrong number is one error, not a list of this length.
            let count = arguments.len().min(size as usize);
            let elements: Vec<(String, &Type)> =
                (0..count).map(|n| (format!("the element {n}"), &element)).collect();
            if arguments.len() != size as usize || arguments.is_empty() {
                return Err(wrong_number(span, &ty, size as usize, arguments));
            }
            members_of(version, span, &ty, &elements, arguments)
        }
    }
}

/// The type of the elements and their number, those without a number by the arguments.
fn sized(element: &Type, size: Option<u32>, arguments: &[Type]) -> (Type, u32) {
    let size = size.unwrap_or(arguments.len() as u32);
    let element = match (element, arguments.first()) {
        (Type::Array(of, None), Some(Type::Array(other, count))) if of == other => {
            Type::Array(of.clone(), *count)
        }
        _ => element.clone(),
    };
    (element, size)
}

fn wrong_number(span: Span, ty: &Type, count: usize, arguments: &[Type]) -> Diagnostic {
    let given = arguments.len();
    let some = if count == 1 { "argument" } else { "arguments" };
    let are = if given == 1 { "is" } else { "are" };
    span.error(format!("the constructor of `{ty}` takes {count} {some}; {given} {are} given"))
        .label(format!("({})", listed(&arguments[..given.min(8)])))
}

/// A constructor with one argument a member.
fn members_of(
    version: Version,
    span: Span,
    ty: &Type,
    members: &[(String, &Type)],
    arguments: &[Type],
) -> Result<Constructed, Diagnostic> {
    if members.len() != arguments.len() {
        return Err(wrong_number(span, ty, members.len(), arguments));
    }
    if arguments.contains(&Type::Error) {
        return Ok(Constructed::new(ty, Plan::Error));
    }
    let mut made = Constructed::new(ty, Plan::Members);
    for (argument, (name, member)) in arguments.iter().zip(members) {
        let what = format!("the value of {name} of `{ty}`");
        made.warnings.extend(conversion::convert(version, span, &what, argument, member)?);
        made.operands.push((*member).clone());
    }
    Ok(made)
}

/// A constructor of a scalar, a vector or a matrix.
fn numbers(
    version: Version,
    span: Span,
    ty: &Type,
    arguments: &[Type],
) -> Result<Constructed, Diagnostic> {
    if arguments.contains(&Type::Error) {
        return Ok(Constructed::new(ty, Plan::Error));
    }
    let given = || {
        span.error(format!(
            "`{ty}` is not made of ({})",
            listed(&arguments[..arguments.len().min(8)])
        ))
    };
    if arguments.is_empty() {
        return Err(span
            .error(format!("the constructor of `{ty}` has no arguments"))
            .help(format!("write `{ty}(0)`")));
    }
    if let Some(other) = arguments.iter().find(|argument| argument.scalar().is_none()) {
        return Err(given().label(format!("`{other}` is no number")));
    }
    let matrix = matches!(ty, Type::Matrix(..));
    let matrices = arguments.iter().any(|argument| matches!(argument, Type::Matrix(..)));
    if matrix && matrices && !version.has(100, 120) && !version.guessed {
        return Err(given().help("GLSL 1.10 makes no matrices of matrices: give the columns"));
    }
    if let [one] = arguments {
        let plan = match (ty, one) {
            (Type::Scalar(_), Type::Scalar(_)) => Plan::Convert,
            (Type::Vector(_, size), Type::Vector(_, other)) if size == other => Plan::Convert,
            (Type::Matrix(..), Type::Matrix(..)) if ty == one => Plan::Convert,
            (Type::Vector(..), Type::Scalar(_)) => Plan::Splat,
            (Type::Matrix(..), Type::Scalar(_)) => Plan::Diagonal,
            (Type::Matrix(..), Type::Matrix(..)) => Plan::Resize,
            _ => Plan::Scalars,
        };
        if plan != Plan::Scalars {
            return Ok(Constructed::new(ty, plan));
        }
    } else if matrix && matrices {
        return Err(given().help("a matrix that is made of a matrix has no other arguments"));
    }
    let needed = ty.facts().scalars;
    let mut count = 0;
    for (n, argument) in arguments.iter().enumerate() {
        if count >= needed {
            let more = arguments.len() - n;
            let some = if more == 1 { "argument" } else { "arguments" };
            return Err(given().label(format!("{more} {some} too many")).help(format!(
                "`{ty}` has {needed} components; the arguments before have {count}"
            )));
        }
        count += argument.facts().scalars;
    }
    if count < needed {
        return Err(given()
            .label(format!("{} too few", needed - count))
            .help(format!("`{ty}` has {needed} components; the arguments have {count}")));
    }
    Ok(Constructed::new(ty, Plan::Scalars))
}
