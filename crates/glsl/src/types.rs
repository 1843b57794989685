//! Types of the language.

use std::collections::HashMap;
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
    facts: Facts,
    /// The members by name.
    numbers: HashMap<String, usize>,
    /// The scalars before each member.
    offsets: Vec<usize>,
}

/// Properties of a type that are often needed. A structure computes them once, so that nested structures cost nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The number of its scalars, at most `usize::MAX`. An array whose number of elements is not known has none.
    pub scalars: usize,
    /// How deep structures and arrays are nested: 0 for a scalar.
    pub depth: usize,
    /// Whether a sampler is in it.
    pub sampler: bool,
    /// Whether an array is in it.
    pub array: bool,
    /// Whether an `int` or `uint` is in it.
    pub integer: bool,
}

impl Structure {
    /// A structure.
    pub fn new(name: String, members: Vec<(String, Type)>, id: usize) -> Structure {
        let mut facts =
            Facts { scalars: 0, depth: 0, sampler: false, array: false, integer: false };
        let mut offsets = Vec::with_capacity(members.len());
        for (_, ty) in &members {
            let member = ty.facts();
            offsets.push(facts.scalars);
            facts.scalars = facts.scalars.saturating_add(member.scalars);
            facts.depth = facts.depth.max(member.depth);
            facts.sampler |= member.sampler;
            facts.array |= member.array;
            facts.integer |= member.integer;
        }
        facts.depth += 1;
        // Of two of one name, which is an error, the first.
        let numbers =
            members.iter().enumerate().rev().map(|(n, (name, _))| (name.clone(), n)).collect();
        Structure { name, members, id, facts, numbers, offsets }
    }

    /// The number of a member.
    pub fn member(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// The number of scalars before a member.
    pub fn offset(&self, member: usize) -> Option<usize> {
        self.offsets.get(member).copied()
    }
}

impl Type {
    /// The answers that are often asked of a type.
    pub fn facts(&self) -> Facts {
        let integer = matches!(self.scalar(), Some(Scalar::Int | Scalar::Uint));
        let leaf = |scalars| Facts { scalars, depth: 0, sampler: false, array: false, integer };
        match self {
            Type::Void | Type::Error => leaf(0),
            Type::Scalar(_) => leaf(1),
            Type::Vector(_, size) => leaf(usize::from(*size)),
            Type::Matrix(columns, rows) => leaf(usize::from(*columns) * usize::from(*rows)),
            Type::Sampler(_) => Facts { sampler: true, ..leaf(0) },
            Type::Structure(structure) => structure.facts,
            Type::Array(element, size) => {
                let element = element.facts();
                Facts {
                    scalars: element.scalars.saturating_mul(size.unwrap_or(0) as usize),
                    depth: element.depth + 1,
                    sampler: element.sampler,
                    array: true,
                    integer: element.integer,
                }
            }
        }
    }

    /// The kind of the scalars of a scalar, vector or matrix.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(scalar) | Type::Vector(scalar, _) => Some(*scalar),
            Type::Matrix(..) => Some(Scalar::Float),
            Type::Void | Type::Sampler(_) | Type::Structure(_) | Type::Array(..) | Type::Error => {
                None
            }
        }
    }

    /// A scalar (`size` 1) or a vector.
    pub fn vector(scalar: Scalar, size: u8) -> Type {
        if size == 1 { Type::Scalar(scalar) } else { Type::Vector(scalar, size) }
    }

    /// A scalar, vector or matrix with scalars of another kind; others as they are.
    pub fn with_scalar(&self, scalar: Scalar) -> Type {
        match self {
            Type::Scalar(_) => Type::Scalar(scalar),
            Type::Vector(_, size) => Type::Vector(scalar, *size),
            _ => self.clone(),
        }
    }

    /// The number and the type of what an index chooses: components, columns or elements.
    pub fn parts(&self) -> Option<(Option<u32>, Type)> {
        match self {
            Type::Vector(scalar, size) => Some((Some((*size).into()), Type::Scalar(*scalar))),
            Type::Matrix(columns, rows) => {
                Some((Some((*columns).into()), Type::Vector(Scalar::Float, *rows)))
            }
            Type::Array(element, size) => Some((*size, element.as_ref().clone())),
            Type::Void | Type::Scalar(_) | Type::Sampler(_) | Type::Structure(_) | Type::Error => {
                None
            }
        }
    }
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

/// The numeric type of a name, as `vec3`; not samplers.
pub fn named(name: &str) -> Option<Type> {
    let size = |digits: &str| match digits {
        "2" => Some(2),
        "3" => Some(3),
        "4" => Some(4),
        _ => None,
    };
    let vectors = [
        ("vec", Scalar::Float),
        ("ivec", Scalar::Int),
        ("uvec", Scalar::Uint),
        ("bvec", Scalar::Bool),
    ];
    for (prefix, scalar) in vectors {
        if let Some(size) = name.strip_prefix(prefix).and_then(size) {
            return Some(Type::Vector(scalar, size));
        }
    }
    if let Some(digits) = name.strip_prefix("mat") {
        let (columns, rows) = digits.split_once('x').unwrap_or((digits, digits));
        return Some(Type::Matrix(size(columns)?, size(rows)?));
    }
    match name {
        "void" => Some(Type::Void),
        "bool" => Some(Type::Scalar(Scalar::Bool)),
        "int" => Some(Type::Scalar(Scalar::Int)),
        "uint" => Some(Type::Scalar(Scalar::Uint)),
        "float" => Some(Type::Scalar(Scalar::Float)),
        _ => None,
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
