//! Names and what they mean where they stand.

use super::flow::Reached;
use crate::constant::Value;
use crate::types::{Structure, Type};
use ctm_base::text::Span;
use naga::{Expression, GlobalVariable, Handle, LocalVariable};
use std::collections::HashMap;
use std::rc::Rc;

/// The number of a variable.
pub type VariableId = usize;

/// The number of a function: all of its declarations are one.
pub type FunctionId = usize;

/// The meaning of a name.
#[derive(Clone)]
pub enum Symbol {
    /// A variable.
    Variable(VariableId),
    /// A structure, and where it is defined.
    Structure(Rc<Structure>, Span),
    /// The functions of a name.
    Functions(Vec<FunctionId>),
    /// A block, which only the interface knows, and where it is declared.
    Block(Span),
    /// Something whose declaration has an error.
    Nothing,
}

/// Where a variable is.
#[derive(Clone)]
pub enum Home {
    /// A variable of the module.
    Global(Handle<GlobalVariable>),
    /// A variable of a function.
    Local(Handle<LocalVariable>),
    /// A pointer that a function is given.
    Argument(Handle<Expression>),
    /// A constant.
    Constant(Value),
}

/// Why a variable is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A variable of a function or of the shader: it may be written.
    Plain,
    /// An output, which may be written.
    Output,
    /// `const`.
    Constant,
    /// `uniform`.
    Uniform,
    /// `varying`, `in`.
    Input,
    /// A `const` parameter.
    ConstantParameter,
}

/// A variable.
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its kind.
    pub kind: Kind,
    /// Where it is.
    pub home: Home,
    /// The name in its declaration.
    pub span: Span,
    /// The largest index so far, of an unsized array.
    pub reach: u32,
    /// Whether something has been stored to it, as far as the source has been read; or it needs no store.
    pub written: bool,
    /// Where it is declared.
    pub place: Reached,
    /// Where a variable of the shader is read first.
    pub read: Option<Span>,
    /// Whether it is an array of blocks.
    pub blocks: bool,
}

/// A scope.
#[derive(Default)]
struct Scope {
    names: HashMap<String, Symbol>,
    /// Whether floats have a default precision by a statement of it.
    precision: bool,
}

/// The scopes around a place, the innermost last. The first has the names of the shader.
pub struct Scopes {
    scopes: Vec<Scope>,
    /// All variables.
    pub variables: Vec<Variable>,
}

impl Scopes {
    /// The scope of the shader.
    pub fn new() -> Scopes {
        Scopes { scopes: vec![Scope::default()], variables: Vec::new() }
    }

    /// Begins a scope.
    pub fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// Ends the innermost scope.
    pub fn close(&mut self) {
        if self.scopes.len() > 1 {
            self.scopes.pop();
        }
    }

    /// The names of the innermost scope.
    pub fn innermost(&self) -> HashMap<String, Symbol> {
        self.scopes.last().map(|scope| scope.names.clone()).unwrap_or_default()
    }

    /// Gives the innermost scope these names instead of its own.
    pub fn set_innermost(&mut self, names: HashMap<String, Symbol>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names = names;
        }
    }

    /// Gives floats a default precision in the innermost scope.
    pub fn set_precision(&mut self) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.precision = true;
        }
    }

    /// Whether floats have a default precision.
    pub fn has_precision(&self) -> bool {
        self.scopes.iter().any(|scope| scope.precision)
    }

    /// Whether no function is around.
    pub fn is_global(&self) -> bool {
        self.scopes.len() == 1
    }

    /// The meaning of a name.
    pub fn find(&self, name: &str) -> Option<&Symbol> {
        self.scopes.iter().rev().find_map(|scope| scope.names.get(name))
    }

    /// The meaning of a name in the innermost scope.
    pub fn own(&self, name: &str) -> Option<&Symbol> {
        self.scopes.last()?.names.get(name)
    }

    /// Gives a name its meaning in the innermost scope.
    pub fn set(&mut self, name: &str, symbol: Symbol) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name.to_string(), symbol);
        }
    }

    /// Gives a name its meaning in the shader.
    pub fn set_global(&mut self, name: &str, symbol: Symbol) {
        if let Some(scope) = self.scopes.first_mut() {
            scope.names.insert(name.to_string(), symbol);
        }
    }

    /// Adds a variable, which has no name yet.
    pub fn add(&mut self, variable: Variable) -> VariableId {
        self.variables.push(variable);
        self.variables.len() - 1
    }

    /// All names that mean something here.
    pub fn names(&self) -> impl Iterator<Item = (&str, &Symbol)> {
        self.scopes
            .iter()
            .rev()
            .flat_map(|scope| scope.names.iter().map(|(name, symbol)| (name.as_str(), symbol)))
    }
}
