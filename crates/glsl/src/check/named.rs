//! Types as they are written.

use super::qualifiers::Where;
use super::scope::Symbol;
use super::{Checker, NEAR, PART};
use crate::ast;
use crate::builtins::{self, elsewhere};
use crate::near;
use crate::types::{Sampler, Scalar, Structure, Type};
use ctm_base::text::Span;
use std::collections::HashMap;
use std::rc::Rc;

/// Most scalars of a type.
const MAX_SCALARS: usize = 1 << 22;

/// Deepest nesting of structures and arrays.
const MAX_DEPTH: usize = 64;

/// The types of the language by their names, with the versions that have them: of ES, of the desktop.
fn of_language(name: &str) -> Option<(Type, u16, u16)> {
    let vector = |scalar, digits: &str| match digits {
        "2" | "3" | "4" => Some(Type::Vector(scalar, digits.as_bytes()[0] - b'0')),
        _ => None,
    };
    let plain = |ty| Some((ty, 100, 110));
    match name {
        "void" => return plain(Type::Void),
        "bool" => return plain(Type::Scalar(Scalar::Bool)),
        "int" => return plain(Type::Scalar(Scalar::Int)),
        "float" => return plain(Type::Scalar(Scalar::Float)),
        "uint" => return Some((Type::Scalar(Scalar::Uint), 300, 130)),
        _ => {}
    }
    if let Some(digits) = name.strip_prefix("mat") {
        return match *digits.as_bytes() {
            [n @ b'2'..=b'4'] => plain(Type::Matrix(n - b'0', n - b'0')),
            [columns @ b'2'..=b'4', b'x', rows @ b'2'..=b'4'] => {
                Some((Type::Matrix(columns - b'0', rows - b'0'), 300, 120))
            }
            _ => None,
        };
    }
    for (prefix, scalar, es, desktop) in [
        ("vec", Scalar::Float, 100, 110),
        ("ivec", Scalar::Int, 100, 110),
        ("bvec", Scalar::Bool, 100, 110),
        ("uvec", Scalar::Uint, 300, 130),
    ] {
        if let Some(digits) = name.strip_prefix(prefix) {
            return vector(scalar, digits).map(|ty| (ty, es, desktop));
        }
    }
    builtins::sampler(name).map(|Sampler(name)| {
        let (es, desktop) = match name {
            "sampler2D" | "samplerCube" => (100, 110),
            "sampler3D" => (300, 110),
            "sampler1D" | "sampler1DShadow" => (u16::MAX, 110),
            "sampler2DShadow" => (300, 110),
            "sampler2DRect" | "sampler2DRectShadow" => (u16::MAX, 110),
            _ => (300, 130),
        };
        (Type::Sampler(Sampler(name)), es, desktop)
    })
}

impl Checker<'_> {
    /// The type of the language that a name means, if it is one.
    pub fn named_type(&mut self, name: &ast::Name) -> Option<Type> {
        let (ty, es, desktop) = match of_language(&name.text) {
            Some(found) => found,
            None if matches!(name.text.as_str(), "double" | "dvec2" | "dvec3" | "dvec4") => {
                let error = name.span.error(format!("the machine has no `{}`", name.text));
                let single = name.text.replacen("double", "float", 1).replacen(
                    'd',
                    "",
                    usize::from(name.text.starts_with("dvec")),
                );
                self.found.error(error.help(format!("use `{single}`")));
                return Some(Type::Error);
            }
            None => return self.builtins.structure(&name.text),
        };
        if !self.version.has(es, desktop) {
            let error = name.span.error(format!("{} has no type `{}`", self.version, name.text));
            self.found.version(self.version, error);
        }
        if let Type::Sampler(sampler) = &ty
            && let Some(why) = builtins::impossible(*sampler)
        {
            let error =
                name.span.error(format!("inputs of type `{}` are not supported", name.text));
            self.found.error(error.help(why));
            return Some(Type::Error);
        }
        Some(ty)
    }

    /// A type as it is written.
    pub fn specified(&mut self, specifier: &ast::TypeSpecifier) -> Type {
        let base = match &specifier.base {
            ast::TypeBase::Structure(structure) => {
                if self.in_parameters && self.version.has(300, u16::MAX) {
                    let error =
                        specifier.span.error("a function's declaration declares no structure");
                    self.found.version(
                        self.version,
                        error.help("declare it before the function, and write its name here"),
                    );
                }
                self.structure(structure)
            }
            ast::TypeBase::Named(name) => self.named(name),
        };
        self.array_of(base, &specifier.dimensions)
    }

    /// A type by its name.
    fn named(&mut self, name: &ast::Name) -> Type {
        match self.scopes.find(&name.text).cloned() {
            Some(Symbol::Structure(structure, _)) => return Type::Structure(structure),
            Some(Symbol::Variable(id)) => {
                let line = self.line(self.scopes.variables[id].span);
                let error =
                    name.span.error(format!("`{}` is a variable here, not a type", name.text));
                self.found.error(error.help(format!("it is declared on line {line}")));
                return Type::Error;
            }
            Some(Symbol::Functions(_)) => {
                let error = name.span.error(format!("`{}` is a function, not a type", name.text));
                self.found.error(error);
                return Type::Error;
            }
            Some(Symbol::Block(_)) => {
                let error = name.span.error(format!("`{}` is a block, not a type", name.text));
                self.found.error(error.help("declare a `struct` for a type"));
                return Type::Error;
            }
            Some(Symbol::Nothing) => return Type::Error,
            None => {}
        }
        if let Some(ty) = self.named_type(name) {
            return ty;
        }
        let error = name.span.error(format!("there is no type `{}`", name.text));
        let own = self.scopes.names().filter_map(|(name, symbol)| match symbol {
            Symbol::Structure(..) => Some(name),
            _ => None,
        });
        const OFTEN: [&str; 16] = [
            "float",
            "int",
            "bool",
            "void",
            "vec2",
            "vec3",
            "vec4",
            "ivec2",
            "ivec3",
            "ivec4",
            "bvec2",
            "bvec3",
            "mat2",
            "mat3",
            "mat4",
            "sampler2D",
        ];
        let names: Vec<&str> = OFTEN.into_iter().chain(own).collect();
        self.found.spend(PART, NEAR * names.len(), name.span);
        let error =
            match (elsewhere::kind(&name.text), near::nearest(&name.text, names.into_iter())) {
                (Some(help), _) => error.help(help),
                (None, Some(near)) => error.help(format!("did you mean `{near}`?")),
                (None, None) => error,
            };
        self.found.error(error);
        self.scopes.set_global(&name.text, Symbol::Nothing);
        Type::Error
    }

    /// An array of a type, with dimensions as they are written, the outermost first.
    pub fn array_of(&mut self, base: Type, dimensions: &[ast::Dimension]) -> Type {
        let mut ty = base;
        let Some(first) = dimensions.first() else { return ty };
        if ty == Type::Void {
            self.found.error(first.span.error("there are no arrays of `void`"));
            return Type::Error;
        }
        let nested = dimensions.len() > 1 || matches!(ty, Type::Array(..));
        if nested && !self.version.has(310, 430) && !self.extension("GL_ARB_arrays_of_arrays") {
            let error = first.span.error(format!("{} has no arrays of arrays", self.version));
            let help =
                "make one array, and compute the index; or an array of structures with an array";
            self.found.version(self.version, error.help(help));
        }
        for dimension in dimensions.iter().rev() {
            let count = match &dimension.size {
                None => None,
                Some(size) => match self.constant_integer(size, "an array size") {
                    Some(count) if count < 1 => {
                        let error = size
                            .span
                            .error(format!("an array size must be at least 1, not {count}"));
                        self.found.error(error);
                        return Type::Error;
                    }
                    Some(count) => Some(u32::try_from(count).unwrap_or(u32::MAX)),
                    None => return Type::Error,
                },
            };
            if ty == Type::Error {
                continue;
            }
            if let Type::Array(_, None) = ty {
                let error = dimension.span.error("only the outermost array size may be left out");
                self.found.error(error);
                return Type::Error;
            }
            ty = Type::Array(Rc::new(ty), count);
            let facts = ty.facts();
            if facts.scalars > MAX_SCALARS || facts.depth > MAX_DEPTH {
                let error = dimension.span.error("this array is too large");
                let help = format!("it has more than {MAX_SCALARS} numbers");
                self.found.error(error.help(help));
                return Type::Error;
            }
        }
        ty
    }

    /// The definition of a structure.
    fn structure(&mut self, structure: &ast::Structure) -> Type {
        let outer = std::mem::replace(&mut self.in_structure, true);
        if outer {
            let error = structure
                .span
                .error(format!("{} defines no structure within another", self.version));
            self.found.version(self.version, error.help("define it before, and use its name"));
        }
        let members = self.members(&structure.members, Where::Member);
        self.in_structure = outer;
        if members.is_empty() {
            self.found.error(structure.span.error("a structure needs members"));
        }
        let name = structure.name.as_ref().map_or(String::new(), |name| name.text.clone());
        // One mistake is one error: what has a part with an error has one itself.
        let wrong = members.iter().any(|member| member.ty == Type::Error);
        let members = members.into_iter().map(|member| (member.name, member.ty)).collect();
        self.structures += 1;
        let made = Rc::new(Structure::new(name, members, self.structures));
        let ty = Type::Structure(made.clone());
        let facts = ty.facts();
        let too_large = facts.scalars > MAX_SCALARS || facts.depth > MAX_DEPTH;
        if too_large {
            let error = structure.span.error("this structure is too large");
            self.found.error(error.help(format!(
                "it has more than {MAX_SCALARS} numbers, or more than {MAX_DEPTH} levels of structures and arrays"
            )));
        }
        if let Some(name) = &structure.name {
            let symbol = if too_large || wrong {
                Symbol::Nothing
            } else {
                Symbol::Structure(made, name.span)
            };
            self.declare(name, symbol);
        }
        if too_large || wrong { Type::Error } else { ty }
    }

    /// The members of a structure or block.
    pub fn members(&mut self, members: &[ast::Member], place: Where) -> Vec<Member> {
        let mut found: Vec<Member> = Vec::new();
        let mut known: HashMap<&str, Span> = HashMap::new();
        for member in members {
            let qualified = self.qualifiers(&member.ty.qualifiers, place);
            let base = self.specified(&member.ty.ty);
            self.needs_precision(&base, &qualified, member.ty.ty.span);
            if base == Type::Void {
                self.found.error(member.ty.ty.span.error("a member cannot be `void`"));
            }
            let dimensioned = !member.ty.ty.dimensions.is_empty();
            for (name, dimensions) in &member.names {
                let ty = match base {
                    Type::Void => Type::Error,
                    _ => self.array_of(base.clone(), dimensions),
                };
                if let Type::Array(_, None) = ty
                    && (dimensioned || !dimensions.is_empty())
                {
                    let error = name.span.error(format!("the member `{}` needs a size", name.text));
                    self.found.error(error);
                }
                if let Some(other) = known.get(name.text.as_str()).copied() {
                    let line = self.line(other);
                    let error = name.span.error(format!("there are two members `{}`", name.text));
                    self.found.error(error.help(format!("the other one is on line {line}")));
                    continue;
                }
                let role = qualified.role;
                let (at, flat) = (qualified.at, qualified.flat);
                known.insert(&name.text, name.span);
                found.push(Member { name: name.text.clone(), span: name.span, ty, role, at, flat });
            }
        }
        found
    }
}

/// A member of a structure or block.
pub struct Member {
    /// Its name.
    pub name: String,
    /// The name in the source.
    pub span: Span,
    /// Its type.
    pub ty: Type,
    /// Its qualifiers, in a block.
    pub role: super::qualifiers::Role,
    /// Where they say it.
    pub at: Option<Span>,
    /// Whether it is `flat`, in a block.
    pub flat: bool,
}
