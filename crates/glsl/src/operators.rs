//! The types of operators. The parser knows which version has which.

use crate::ast::{Binary, Unary};
use crate::conversion::{self, Fit};
use crate::types::{Scalar, Type};
use crate::version::Version;
use ctm_base::text::{Diagnostic, Span};
use std::fmt;

/// An operator with its types.
#[derive(Clone, Debug, PartialEq)]
pub struct Typed {
    /// The type of the result.
    pub result: Type,
    /// The types that the operands are converted to first: their own, or others of the same shape.
    pub operands: Vec<Type>,
    /// Uses that only the guessed version forbids.
    pub warning: Option<Diagnostic>,
}

impl Typed {
    fn new(result: Type, operands: &[&Type]) -> Typed {
        let operands = operands.iter().map(|ty| (*ty).clone()).collect();
        Typed { result, operands, warning: None }
    }

    fn error() -> Typed {
        Typed::new(Type::Error, &[&Type::Error, &Type::Error, &Type::Error])
    }
}

impl fmt::Display for Unary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unary::Plus => "+",
            Unary::Minus => "-",
            Unary::Not => "!",
            Unary::Invert => "~",
            Unary::Increment | Unary::IncrementAfter => "++",
            Unary::Decrement | Unary::DecrementAfter => "--",
        })
    }
}

impl fmt::Display for Binary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Binary::Multiply => "*",
            Binary::Divide => "/",
            Binary::Modulo => "%",
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::ShiftLeft => "<<",
            Binary::ShiftRight => ">>",
            Binary::Less => "<",
            Binary::Greater => ">",
            Binary::LessEqual => "<=",
            Binary::GreaterEqual => ">=",
            Binary::Equal => "==",
            Binary::NotEqual => "!=",
            Binary::And => "&",
            Binary::ExclusiveOr => "^",
            Binary::Or => "|",
            Binary::LogicalAnd => "&&",
            Binary::LogicalXor => "^^",
            Binary::LogicalOr => "||",
        })
    }
}

/// The type of an operator of one operand; `span` is the operator's place.
///
/// # Errors
/// The operator does not take the type.
pub fn unary(op: Unary, span: Span, operand: &Type) -> Result<Typed, Diagnostic> {
    if *operand == Type::Error {
        return Ok(Typed::error());
    }
    let same = Typed::new(operand.clone(), &[operand]);
    let number = matches!(operand.scalar(), Some(Scalar::Int | Scalar::Uint | Scalar::Float));
    match op {
        Unary::Not => match operand {
            Type::Scalar(Scalar::Bool) => Ok(same),
            Type::Vector(Scalar::Bool, _) => Err(span
                .error(format!("`!` takes a `bool`, not `{operand}`"))
                .help("write `not(...)` for each component of a vector")),
            _ => Err(span
                .error(format!("`!` takes a `bool`, not `{operand}`"))
                .help("compare the value, as in `a == 0`")),
        },
        Unary::Invert => match operand {
            Type::Scalar(Scalar::Int | Scalar::Uint)
            | Type::Vector(Scalar::Int | Scalar::Uint, _) => Ok(same),
            _ => Err(span.error(format!("`~` takes integers, not `{operand}`"))),
        },
        Unary::Plus
        | Unary::Minus
        | Unary::Increment
        | Unary::Decrement
        | Unary::IncrementAfter
        | Unary::DecrementAfter
            if number =>
        {
            Ok(same)
        }
        Unary::Plus
        | Unary::Minus
        | Unary::Increment
        | Unary::Decrement
        | Unary::IncrementAfter
        | Unary::DecrementAfter => {
            Err(span.error(format!("`{op}` takes numbers, not `{operand}`")))
        }
    }
}

/// The types that two operands are converted to, so that their scalars are of one kind.
fn common(
    version: Version,
    span: Span,
    left: &Type,
    right: &Type,
) -> Option<(Type, Type, Option<Diagnostic>)> {
    let (l, r) = (left.scalar()?, right.scalar()?);
    let warn = |fit: Fit, from: &Type, to: &Type| {
        (fit == Fit::Guessed).then(|| conversion::guessed(version, span, from, to))
    };
    if let Some(fit) = conversion::scalar(version, r, l) {
        let to = right.with_scalar(l);
        let warning = warn(fit, right, &to);
        return Some((left.clone(), to, warning));
    }
    let fit = conversion::scalar(version, l, r)?;
    let to = left.with_scalar(r);
    let warning = warn(fit, left, &to);
    Some((to, right.clone(), warning))
}

/// The shape of a result component by component: both of one, or one a scalar.
fn componentwise(left: &Type, right: &Type) -> Option<Type> {
    match (left, right) {
        _ if left == right => Some(left.clone()),
        (Type::Scalar(_), _) => Some(right.clone()),
        (_, Type::Scalar(_)) => Some(left.clone()),
        _ => None,
    }
}

/// The type of a product.
fn product(left: &Type, right: &Type) -> Option<Type> {
    match (left, right) {
        (Type::Matrix(columns, rows), Type::Vector(_, size)) => {
            (columns == size).then(|| Type::vector(Scalar::Float, *rows))
        }
        (Type::Vector(_, size), Type::Matrix(columns, rows)) => {
            (rows == size).then(|| Type::vector(Scalar::Float, *columns))
        }
        (Type::Matrix(inner, rows), Type::Matrix(columns, other)) => {
            (inner == other).then_some(Type::Matrix(*columns, *rows))
        }
        _ => componentwise(left, right),
    }
}

/// The error of an operator of two operands.
fn mismatch(version: Version, op: Binary, span: Span, left: &Type, right: &Type) -> Diagnostic {
    let error = span
        .error(format!("`{op}` does not take `{left}` and `{right}`"))
        .label(format!("`{left} {op} {right}`"));
    let (Some(l), Some(r)) = (left.scalar(), right.scalar()) else { return error };
    if l != r
        && conversion::scalar(version, l, r).is_none()
        && conversion::scalar(version, r, l).is_none()
    {
        if l == Scalar::Bool || r == Scalar::Bool {
            return error.help("a truth value is no number: write `float(a)`, or `a ? 1.0 : 0.0`");
        }
        let (from, to) = match (l, r) {
            (Scalar::Float, _) => (right, right.with_scalar(l)),
            (_, Scalar::Float) => (left, left.with_scalar(r)),
            (Scalar::Uint, _) => (right, right.with_scalar(l)),
            _ => (left, left.with_scalar(r)),
        };
        let remedy = conversion::remedy(from, &to);
        return error.help(format!("{version} does not convert `{from}` to `{to}`: {remedy}"));
    }
    match (op, left, right) {
        (Binary::Multiply, Type::Matrix(columns, _), Type::Vector(..)) => {
            error.help(format!("`{left}` has {columns} columns: it takes a vector of {columns} components"))
        }
        (Binary::Multiply, Type::Vector(..), Type::Matrix(_, rows)) => {
            error.help(format!("`{right}` has {rows} rows: it takes a vector of {rows} components"))
        }
        (Binary::Multiply, Type::Matrix(columns, _), Type::Matrix(..)) => error.help(format!(
            "the right matrix must have as many rows as the left one has columns: {columns}"
        )),
        (_, Type::Vector(..) | Type::Matrix(..), Type::Vector(..) | Type::Matrix(..)) => {
            error.help("both need the same size; take components with `.xy` or `.xyz`, or add some with a constructor")
        }
        _ => error,
    }
}

/// The type of an operator of two operands; `span` is the place of the whole, or of the operator.
///
/// # Errors
/// The operator does not take the types.
pub fn binary(
    version: Version,
    op: Binary,
    span: Span,
    left: &Type,
    right: &Type,
) -> Result<Typed, Diagnostic> {
    if *left == Type::Error || *right == Type::Error {
        return Ok(Typed::error());
    }
    let fails = || mismatch(version, op, span, left, right);
    match op {
        Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide => {
            let (l, r, warning) = common(version, span, left, right).ok_or_else(fails)?;
            let shape =
                if op == Binary::Multiply { product(&l, &r) } else { componentwise(&l, &r) };
            let result = shape.filter(|ty| ty.scalar() != Some(Scalar::Bool)).ok_or_else(fails)?;
            Ok(Typed { warning, ..Typed::new(result, &[&l, &r]) })
        }
        Binary::Modulo | Binary::And | Binary::ExclusiveOr | Binary::Or => {
            let (l, r, warning) = common(version, span, left, right).ok_or_else(fails)?;
            if !matches!(l.scalar(), Some(Scalar::Int | Scalar::Uint)) {
                return Err(not_integers(op, span, left, right));
            }
            let result = componentwise(&l, &r).ok_or_else(fails)?;
            Ok(Typed { warning, ..Typed::new(result, &[&l, &r]) })
        }
        Binary::ShiftLeft | Binary::ShiftRight => {
            let integer = |ty: &Type| matches!(ty.scalar(), Some(Scalar::Int | Scalar::Uint));
            if !integer(left) || !integer(right) {
                return Err(not_integers(op, span, left, right));
            }
            let fits = match (left, right) {
                (_, Type::Scalar(_)) => true,
                (Type::Vector(_, size), Type::Vector(_, other)) => size == other,
                _ => false,
            };
            if !fits {
                return Err(fails());
            }
            Ok(Typed::new(left.clone(), &[left, right]))
        }
        Binary::Less | Binary::Greater | Binary::LessEqual | Binary::GreaterEqual => {
            let (l, r, warning) = common(version, span, left, right).ok_or_else(fails)?;
            match (&l, &r) {
                (Type::Scalar(scalar), Type::Scalar(_)) if *scalar != Scalar::Bool => {
                    Ok(Typed { warning, ..Typed::new(Type::Scalar(Scalar::Bool), &[&l, &r]) })
                }
                (Type::Vector(..), _) | (_, Type::Vector(..)) => Err(span
                    .error(format!("`{op}` compares two numbers, not `{left}` and `{right}`"))
                    .help(format!(
                        "`{}(a, b)` compares vectors, component by component",
                        by_component(op)
                    ))),
                _ => Err(fails()),
            }
        }
        Binary::Equal | Binary::NotEqual => equality(version, op, span, left, right),
        Binary::LogicalAnd | Binary::LogicalXor | Binary::LogicalOr => {
            let bool = Type::Scalar(Scalar::Bool);
            if *left == bool && *right == bool {
                return Ok(Typed::new(bool, &[left, right]));
            }
            let error = span.error(format!(
                "`{op}` takes two values of type `bool`, not `{left}` and `{right}`"
            ));
            Err(if [left, right].iter().any(|ty| matches!(ty, Type::Vector(Scalar::Bool, _))) {
                error.help("make a `bool` of a vector with `all(...)` or `any(...)`")
            } else {
                error.help("compare the value, as in `a != 0`")
            })
        }
    }
}

fn not_integers(op: Binary, span: Span, left: &Type, right: &Type) -> Diagnostic {
    let error = span.error(format!("`{op}` takes integers, not `{left}` and `{right}`"));
    if op == Binary::Modulo { error.help("the remainder of floats is `mod(a, b)`") } else { error }
}

/// The function that compares vectors as an operator compares numbers.
fn by_component(op: Binary) -> &'static str {
    match op {
        Binary::Less => "lessThan",
        Binary::Greater => "greaterThan",
        Binary::LessEqual => "lessThanEqual",
        _ => "greaterThanEqual",
    }
}

/// `==` and `!=`, of nearly everything.
fn equality(
    version: Version,
    op: Binary,
    span: Span,
    left: &Type,
    right: &Type,
) -> Result<Typed, Diagnostic> {
    let bool = Type::Scalar(Scalar::Bool);
    if left.scalar().is_some() && right.scalar().is_some() {
        let (l, r, warning) = common(version, span, left, right)
            .filter(|(l, r, _)| l == r)
            .ok_or_else(|| mismatch(version, op, span, left, right))?;
        return Ok(Typed { warning, ..Typed::new(bool, &[&l, &r]) });
    }
    let facts = left.facts();
    if left != right || *left == Type::Void {
        return Err(mismatch(version, op, span, left, right));
    }
    if facts.sampler {
        return Err(span.error(format!("`{op}` does not compare samplers")));
    }
    if let Type::Array(_, None) = left {
        return Err(
            span.error(format!("`{op}` compares arrays whose numbers of elements are known"))
        );
    }
    let mut typed = Typed::new(bool, &[left, right]);
    if facts.array && !version.has(300, 120) {
        let found = span
            .error(format!("{version} does not compare arrays, nor structures that have some"))
            .help("compare the elements");
        if !version.guessed {
            return Err(found);
        }
        typed.warning = Some(found);
    }
    Ok(typed)
}

/// The type of `condition ? a : b`.
///
/// # Errors
/// The condition is no `bool`, or the sides have different types.
pub fn select(
    version: Version,
    span: Span,
    condition: &Type,
    accept: &Type,
    reject: &Type,
) -> Result<Typed, Diagnostic> {
    if [condition, accept, reject].contains(&&Type::Error) {
        return Ok(Typed::error());
    }
    if *condition != Type::Scalar(Scalar::Bool) {
        let error = span.error(format!("`?:` takes a condition of type `bool`, not `{condition}`"));
        return Err(match condition {
            Type::Vector(Scalar::Bool, _) => error.help("`mix(b, a, condition)` chooses component by component; `all` and `any` make a `bool`"),
            _ => error.help("compare the value, as in `a != 0`"),
        });
    }
    let (l, r, mut warning) = match common(version, span, accept, reject) {
        Some(found) => found,
        None => (accept.clone(), reject.clone(), None),
    };
    if l != r {
        let error = span
            .error(format!("both sides of `?:` must have one type, not `{accept}` and `{reject}`"));
        return Err(match (accept, reject) {
            (Type::Scalar(from), Type::Scalar(to)) if *from != *to => {
                let (from, to) =
                    if *from == Scalar::Float { (reject, accept) } else { (accept, reject) };
                error.help(conversion::remedy(from, to))
            }
            _ => error,
        });
    }
    if l.facts().sampler {
        return Err(span
            .error("`?:` does not choose samplers")
            .help("sample both, and choose a result"));
    }
    if l.facts().array && !version.has(300, 120) {
        let found = span.error(format!("`?:` does not choose arrays in {version}"));
        if !version.guessed {
            return Err(found);
        }
        warning = warning.or(Some(found));
    }
    Ok(Typed { warning, ..Typed::new(l.clone(), &[condition, &l, &r]) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::named;

    fn version(number: u16, es: bool, guessed: bool) -> Version {
        Version { number, es, guessed, toy: false }
    }

    fn ty(name: &str) -> Type {
        named(name).expect("a type")
    }

    /// The result and whether there is a warning, or the error with its help.
    fn typed(
        version: Version,
        op: Binary,
        left: &str,
        right: &str,
    ) -> Result<(String, bool), String> {
        binary(version, op, Span::default(), &ty(left), &ty(right))
            .map(|typed| (typed.result.to_string(), typed.warning.is_some()))
            .map_err(|error| format!("{}; {}", error.message, error.help.unwrap_or_default()))
    }

    /// GLSL 3.30, 5.9.
    #[test]
    fn operators_have_the_types_of_the_specification() {
        let last = version(330, false, false);
        for (left, op, right, result) in [
            ("float", Binary::Add, "vec3", "vec3"),
            ("mat3x2", Binary::Multiply, "vec3", "vec2"),
            ("vec2", Binary::Multiply, "mat3x2", "vec3"),
            ("mat3x2", Binary::Multiply, "mat4x3", "mat4x2"),
            ("mat2", Binary::Divide, "float", "mat2"),
            ("int", Binary::Multiply, "vec2", "vec2"),
            ("ivec2", Binary::Add, "vec2", "vec2"),
            ("ivec2", Binary::ShiftLeft, "uint", "ivec2"),
            ("uvec2", Binary::And, "uint", "uvec2"),
            ("int", Binary::Less, "float", "bool"),
            ("vec2", Binary::Equal, "ivec2", "bool"),
            ("bool", Binary::LogicalXor, "bool", "bool"),
        ] {
            assert_eq!(
                typed(last, op, left, right),
                Ok((result.into(), false)),
                "{left} {op} {right}"
            );
        }
        for (left, op, right) in [
            ("vec2", Binary::Add, "vec3"),
            ("mat2x3", Binary::Multiply, "vec3"),
            ("mat2", Binary::Add, "vec2"),
            ("float", Binary::Modulo, "float"),
            ("int", Binary::ShiftLeft, "ivec2"),
            ("int", Binary::And, "uint"),
            ("vec2", Binary::Less, "vec2"),
            ("bool", Binary::Add, "bool"),
            ("bool", Binary::Less, "bool"),
            ("vec2", Binary::Equal, "float"),
            ("int", Binary::LogicalAnd, "bool"),
        ] {
            assert!(typed(last, op, left, right).is_err(), "{left} {op} {right}");
        }
    }

    #[test]
    fn errors_say_the_remedy() {
        let es1 = version(100, true, false);
        let error = |op, left, right| typed(es1, op, left, right).expect_err("an error");
        assert_eq!(
            error(Binary::Multiply, "int", "float"),
            "`*` does not take `int` and `float`; GLSL ES 1.00 does not convert `int` to `float`: \
             write a number with a point, as `2.0`, or convert it with `float(...)`"
        );
        assert_eq!(
            error(Binary::Multiply, "mat3", "vec4"),
            "`*` does not take `mat3` and `vec4`; `mat3` has 3 columns: it takes a vector of 3 components"
        );
        assert_eq!(
            error(Binary::Less, "vec2", "vec2"),
            "`<` compares two numbers, not `vec2` and `vec2`; `lessThan(a, b)` compares vectors, component by component"
        );
        assert_eq!(
            typed(version(110, false, true), Binary::Add, "int", "float"),
            Ok(("float".into(), true))
        );
        assert_eq!(
            typed(version(120, false, false), Binary::Add, "int", "float"),
            Ok(("float".into(), false))
        );
        assert!(typed(version(110, false, false), Binary::Add, "int", "float").is_err());
    }
}
