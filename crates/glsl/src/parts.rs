//! Members, components and elements.

use crate::types::{Scalar, Type};
use ctm_base::text::{Diagnostic, Span};

/// The meaning of a name after a point.
#[derive(Clone, Debug, PartialEq)]
pub enum Selector {
    /// A member of a structure: its number.
    Member(usize),
    /// Components of a vector: their numbers, 1 to 4.
    Components(Vec<u8>),
    /// A part of something with an error.
    Error,
}

/// The letters of components; those of a swizzle are of one set.
const SETS: [&str; 3] = ["xyzw", "rgba", "stpq"];

/// The part of a value of type `base` that a name means, and its type.
///
/// # Errors
/// The type has no such member or components.
pub fn member(base: &Type, span: Span, name: &str) -> Result<(Selector, Type), Diagnostic> {
    match base {
        Type::Error => Ok((Selector::Error, Type::Error)),
        Type::Structure(structure) => {
            if let Some(n) = structure.member(name) {
                return Ok((Selector::Member(n), structure.members[n].1.clone()));
            }
            let error = span.error(format!("`{base}` has no member `{name}`"));
            let names = structure.members.iter().map(|(name, _)| name.as_str());
            Err(match crate::near::nearest(name, names.clone()) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => {
                    let names: Vec<String> =
                        names.take(10).map(|name| format!("`{name}`")).collect();
                    error.help(format!("it has {}", names.join(", ")))
                }
            })
        }
        Type::Vector(scalar, size) => {
            let pattern = components(base, *size, span, name)?;
            let ty = Type::vector(*scalar, pattern.len() as u8);
            Ok((Selector::Components(pattern), ty))
        }
        Type::Scalar(_) => Err(span
            .error(format!("`{base}` has no components: `.{name}` is for vectors"))
            .help(format!("leave `.{name}` out, or make a vector with a constructor"))),
        Type::Matrix(..) => Err(span
            .error(format!("`{base}` has no member `{name}`"))
            .help("the columns of a matrix are `m[0]`, `m[1]`; a component is `m[0].x`")),
        Type::Array(..) if name == "length" => {
            Err(span.error("`length` needs brackets").help("write `.length()`"))
        }
        Type::Void | Type::Sampler(_) | Type::Array(..) => {
            Err(span.error(format!("a value of type `{base}` has no members")))
        }
    }
}

fn components(base: &Type, size: u8, span: Span, name: &str) -> Result<Vec<u8>, Diagnostic> {
    let set = |letter: char| SETS.iter().position(|set| set.contains(letter));
    let Some(first) = name.chars().next().and_then(set) else {
        return Err(span
            .error(format!("`{base}` has no member `{name}`"))
            .help("the components of a vector are `x`, `y`, `z`, `w`, or `r`, `g`, `b`, `a`, or `s`, `t`, `p`, `q`"));
    };
    let mut pattern = Vec::new();
    for letter in name.chars() {
        let Some(n) = SETS[first].find(letter) else {
            let error = span.error(format!("`{name}` are no components"));
            return Err(match set(letter) {
                Some(_) => error.help("letters of `xyzw`, of `rgba` and of `stpq` cannot be mixed"),
                None => error.help(format!("`{letter}` is no component of a vector")),
            });
        };
        if n >= size.into() {
            return Err(span
                .error(format!("`{base}` has no component `{letter}`"))
                .help(format!("its components are `{}`", &SETS[first][..size.into()])));
        }
        pattern.push(n as u8);
    }
    if pattern.len() > 4 {
        return Err(span
            .error(format!("`{name}` are {} components; a vector has at most 4", pattern.len())));
    }
    Ok(pattern)
}

/// The type of an element, a column or a component. `at` is the index, if it is a constant.
///
/// # Errors
/// The type has no elements, the index is no integer, or it is out of range.
pub fn index(base: &Type, index: &Type, span: Span, at: Option<i64>) -> Result<Type, Diagnostic> {
    if *base == Type::Error || *index == Type::Error {
        return Ok(base.parts().map_or(Type::Error, |(_, part)| part));
    }
    let Some((count, part)) = base.parts() else {
        return Err(span
            .error(format!("a value of type `{base}` has no elements"))
            .help("an index is for arrays, vectors and matrices"));
    };
    if !matches!(index, Type::Scalar(Scalar::Int | Scalar::Uint)) {
        let error = span.error(format!("an index is an integer, not `{index}`"));
        return Err(match index {
            Type::Scalar(Scalar::Float) => {
                error.help("write `int(...)`, or a number without a point")
            }
            _ => error,
        });
    }
    match (at, count) {
        (Some(at), Some(count)) if !(0..i64::from(count)).contains(&at) => Err(span
            .error(format!(
                "the index {at} is out of range: `{base}` has {count} {}",
                parts_of(base)
            ))
            .help(format!("the last one is `[{}]`", count.max(1) - 1))),
        (Some(at), None) if at < 0 => Err(span.error(format!("the index {at} is below 0"))),
        _ => Ok(part),
    }
}

fn parts_of(base: &Type) -> &'static str {
    match base {
        Type::Vector(..) => "components",
        Type::Matrix(..) => "columns",
        _ => "elements",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::named;

    fn ty(name: &str) -> Type {
        named(name).expect("a type")
    }

    fn of(base: &str, name: &str) -> Result<String, String> {
        member(&ty(base), Span::default(), name)
            .map(|(_, ty)| ty.to_string())
            .map_err(|error| format!("{}; {}", error.message, error.help.unwrap_or_default()))
    }

    #[test]
    fn components_are_of_one_set_and_of_the_vector() {
        assert_eq!(of("vec4", "wzyx"), Ok("vec4".into()));
        assert_eq!(of("ivec2", "g"), Ok("int".into()));
        assert_eq!(of("bvec3", "stp"), Ok("bvec3".into()));
        assert_eq!(
            of("vec2", "xz"),
            Err("`vec2` has no component `z`; its components are `xy`".into())
        );
        assert_eq!(
            of("vec4", "xg"),
            Err("`xg` are no components; letters of `xyzw`, of `rgba` and of `stpq` cannot be mixed".into())
        );
        assert!(of("vec2", "xyxyx").is_err());
        assert!(of("float", "x").is_err());
        assert!(of("mat2", "x").is_err());
    }

    #[test]
    fn indices_are_integers_in_range() {
        let index = |base: &str, of: &str, at| {
            super::index(&ty(base), &ty(of), Span::default(), at)
                .map(|ty| ty.to_string())
                .map_err(|error| error.message)
        };
        assert_eq!(index("mat3x2", "int", Some(2)), Ok("vec2".into()));
        assert_eq!(index("vec4", "uint", None), Ok("float".into()));
        assert_eq!(
            index("vec4", "int", Some(4)),
            Err("the index 4 is out of range: `vec4` has 4 components".into())
        );
        assert_eq!(index("vec4", "float", None), Err("an index is an integer, not `float`".into()));
        assert!(index("float", "int", None).is_err());
    }
}
