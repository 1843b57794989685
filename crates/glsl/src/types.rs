//! Types of the language.

use std::fmt;
use std::rc::Rc;

/// The kind of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `uint`.
    Uint,
    /// `float`.
    Float,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `void`.
    Void,
    /// A scalar.
    Scalar(Scalar),
    /// A vector of 2 to 4 components.
    Vector(Scalar, u8),
    /// A matrix of floats: columns, rows.
    Matrix(u8, u8),
    /// A sampler.
    Sampler(Sampler),
    /// A structure. Two are one type if they are one definition.
    Structure(Rc<Structure>),
    /// An array with its number of elements; `None` until it is known.
    Array(Rc<Type>, Option<u32>),
    /// The type of an expression with an error. It fits everywhere, so that one mistake makes one error.
    Error,
}

/// A sampler by its name in the language, as `sampler2D`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampler(pub &'static str);

/// A structure or the members of a block.
#[derive(Debug)]
pub struct Structure {
    /// The name, empty if it has none.
    pub name: String,
    /// Names and types of the members.
    pub members: Vec<(String, Type)>,
    /// The number of the definition in the source: structures of one name in two scopes are two.
    pub id: usize,
}

impl PartialEq for Structure {
    fn eq(&self, other: &Structure) -> bool {
        self.id == other.id
    }
}

impl Eq for Structure {}

impl std::hash::Hash for Structure {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |scalar: &Scalar| match scalar {
            Scalar::Bool => ("bool", "bvec"),
            Scalar::Int => ("int", "ivec"),
            Scalar::Uint => ("uint", "uvec"),
            Scalar::Float => ("float", "vec"),
        };
        match self {
            Type::Void => f.write_str("void"),
            Type::Scalar(scalar) => f.write_str(word(scalar).0),
            Type::Vector(scalar, size) => write!(f, "{}{size}", word(scalar).1),
            Type::Matrix(columns, rows) if columns == rows => write!(f, "mat{columns}"),
            Type::Matrix(columns, rows) => write!(f, "mat{columns}x{rows}"),
            Type::Sampler(Sampler(name)) => f.write_str(name),
            Type::Structure(structure) if structure.name.is_empty() => f.write_str("struct"),
            Type::Structure(structure) => f.write_str(&structure.name),
            Type::Array(..) => {
                // `float[2][3]` is an array of two arrays of three.
                let (mut element, mut sizes) = (self, String::new());
                while let Type::Array(of, size) = element {
                    sizes += &size.map_or("[]".to_string(), |size| format!("[{size}]"));
                    element = of;
                }
                write!(f, "{element}{sizes}")
            }
            Type::Error => f.write_str("an error"),
        }
    }
}
