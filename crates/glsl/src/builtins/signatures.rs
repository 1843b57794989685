//! Signatures of the table with concrete types.

use crate::overload::{Direction, Parameter, Signature};
use crate::types::{self, Scalar, Type};

/// The meaning of the words of a signature.
#[derive(Clone, Copy)]
struct Shape {
    /// The number of components.
    size: u8,
    /// Columns and rows.
    matrix: (u8, u8),
}

/// All signatures that a text of the table stands for.
pub fn expand(text: &str) -> Vec<Signature> {
    let words = || text.split(['(', ')', ',', ' ']).filter(|word| !word.is_empty());
    let any = |of: &[&str]| words().any(|word| of.contains(&word));
    let sizes = |sizes: std::ops::RangeInclusive<u8>| {
        sizes.map(|size| Shape { size, matrix: (size, size) })
    };
    let shapes: Vec<Shape> = if any(&["F", "I", "U", "B"]) {
        sizes(1..=4).collect()
    } else if any(&["vec", "ivec", "uvec", "bvec", "S"]) {
        sizes(2..=4).collect()
    } else if any(&["M"]) {
        let all = (2..=4).flat_map(|columns| (2..=4).map(move |rows| (columns, rows)));
        all.map(|matrix| Shape { size: 1, matrix }).collect()
    } else {
        sizes(1..=1).collect()
    };
    let mut found: Vec<Signature> = Vec::new();
    for shape in shapes {
        if let Some(signature) = signature(text, shape) {
            found.push(signature);
        }
    }
    found
}

fn signature(text: &str, shape: Shape) -> Option<Signature> {
    let (result, parameters) = text.strip_suffix(')')?.split_once('(')?;
    let parameter = |text: &str| {
        let text = text.trim();
        let (direction, word) = match text.strip_prefix("out ") {
            Some(word) => (Direction::Out, word),
            None => (Direction::In, text),
        };
        Some(Parameter { ty: ty(word, shape)?, direction })
    };
    let parameters = parameters.split(',').map(parameter).collect::<Option<_>>()?;
    Some(Signature { parameters, result: ty(result, shape)? })
}

fn ty(word: &str, shape: Shape) -> Option<Type> {
    let (columns, rows) = shape.matrix;
    Some(match word {
        "F" => Type::vector(Scalar::Float, shape.size),
        "I" => Type::vector(Scalar::Int, shape.size),
        "U" => Type::vector(Scalar::Uint, shape.size),
        "B" => Type::vector(Scalar::Bool, shape.size),
        "vec" => Type::Vector(Scalar::Float, shape.size),
        "ivec" => Type::Vector(Scalar::Int, shape.size),
        "uvec" => Type::Vector(Scalar::Uint, shape.size),
        "bvec" => Type::Vector(Scalar::Bool, shape.size),
        "S" | "M" => Type::Matrix(columns, rows),
        "MT" => Type::Matrix(rows, columns),
        "column" => Type::Vector(Scalar::Float, columns),
        "row" => Type::Vector(Scalar::Float, rows),
        name => types::named(name)?,
    })
}
