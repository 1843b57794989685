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
    /// Uses that only the guessed version forbids.
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
            if arguments.is_empty() {
                let error =
                    span.error(format!("the constructor of `{element}[]` has no arguments"));
                return Err(error.help("an array has at least one element"));
            }
            if arguments.len() != size as usize {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::named;

    fn made(number: u16, ty: &str, arguments: &str) -> Result<Plan, String> {
        let version = Version { number, es: false, guessed: false, toy: false };
        let named = |name: &str| match name.strip_suffix("[]") {
            Some(element) => Type::Array(Rc::new(named(element).expect("a type")), None),
            None => named(name).expect("a type"),
        };
        let arguments: Vec<Type> = arguments.split_whitespace().map(named).collect();
        construct(version, Span::default(), &named(ty), &arguments)
            .map(|made| made.plan)
            .map_err(|error| format!("{}; {}", error.message, error.label.unwrap_or_default()))
    }

    /// GLSL 3.30, 5.4.
    #[test]
    fn constructors_take_what_the_specification_says() {
        for (ty, arguments, plan) in [
            ("float", "int", Plan::Convert),
            ("float", "vec3", Plan::Scalars),
            ("bvec2", "vec2", Plan::Convert),
            ("vec3", "bool", Plan::Splat),
            ("vec2", "vec4", Plan::Scalars),
            ("vec4", "mat2", Plan::Scalars),
            ("vec4", "float ivec3", Plan::Scalars),
            ("vec3", "vec2 vec2", Plan::Scalars),
            ("mat3", "bool", Plan::Diagonal),
            ("mat3", "mat2x4", Plan::Resize),
            ("mat2x3", "mat2x3", Plan::Convert),
            ("mat2", "vec3 float", Plan::Scalars),
            ("float[]", "float int", Plan::Members),
        ] {
            assert_eq!(made(330, ty, arguments), Ok(plan), "{ty}({arguments})");
        }
        for (ty, arguments, error) in [
            ("vec3", "vec2", "`vec3` is not made of (vec2); 1 too few"),
            ("vec2", "vec2 float", "`vec2` is not made of (vec2, float); 1 argument too many"),
            ("float", "float float", "`float` is not made of (float, float); 1 argument too many"),
            ("mat2", "mat2 float", "`mat2` is not made of (mat2, float); "),
            ("vec2", "", "the constructor of `vec2` has no arguments; "),
            ("float[]", "", "the constructor of `float[]` has no arguments; "),
            (
                "vec2[]",
                "vec2 vec3",
                "the value of the element 1 of `vec2[2]` is of type `vec3`; expected `vec2`; `vec3`",
            ),
        ] {
            assert_eq!(made(330, ty, arguments), Err(error.into()), "{ty}({arguments})");
        }
        assert!(made(110, "mat2", "mat3").is_err());
    }
}
