//! Functions: prototypes, definitions, `main`.

use super::call::Function;
use super::emit::Body;
use super::operand::What;
use super::qualifiers::{Qualified, Role, Where};
use super::scope::{FunctionId, Home, Kind, Symbol, Variable, VariableId};
use super::{Checker, PART};
use crate::ast;
use crate::overload::{Direction, Parameter, Signature};
use crate::types::{Scalar, Type};
use ctm_base::text::Span;
use naga::{
    AddressSpace, Expression, FunctionArgument, FunctionResult, Handle, Statement, TypeInner,
};
use std::collections::BTreeSet;

/// A parameter with what its qualifiers say.
struct Checked {
    parameter: Parameter,
    qualified: Qualified,
    name: Option<ast::Name>,
    span: Span,
}

impl Checker<'_> {
    /// A prototype or definition.
    pub fn function(&mut self, function: &ast::Function) {
        self.in_parameters = true;
        let (result, precision) = self.result_type(&function.result);
        let parameters: Vec<Checked> =
            function.parameters.iter().map(|parameter| self.parameter(parameter)).collect();
        self.in_parameters = false;
        let signature = Signature {
            parameters: parameters.iter().map(|one| one.parameter.clone()).collect(),
            result,
        };
        if function.name.text == "main" {
            self.main_has_no_types(function, &signature);
        }
        self.hides_built_in(&function.name, &signature);
        let qualified: Vec<Qualified> =
            parameters.iter().map(|one| one.qualified.clone()).collect();
        let Some(id) = self.declare_function(function, signature, precision, qualified) else {
            // The body may have errors of its own.
            if let Some(body) = &function.body {
                let handle = self.bodies.reserve();
                self.define(function, &parameters, body, handle, None);
            }
            return;
        };
        if let Some(body) = &function.body {
            if let Some(other) = self.functions[id].defined {
                let line = self.line(other);
                let error = function
                    .name
                    .span
                    .error(format!("the function `{}` is defined twice", function.name.text));
                self.found.error(error.help(format!("the other definition is on line {line}")));
            }
            self.functions[id].defined = Some(function.name.span);
            let handle = self.functions[id].handle;
            self.define(function, &parameters, body, handle, Some(id));
        }
    }

    fn result_type(&mut self, result: &ast::QualifiedType) -> (Type, Option<ast::Precision>) {
        let qualified = self.qualifiers(&result.qualifiers, Where::Result);
        let ty = self.specified(&result.ty);
        self.needs_precision(&ty, &qualified, result.ty.span);
        let facts = ty.facts();
        let error = if facts.sampler {
            Some("a function cannot have a sampler as its result")
        } else if let Type::Array(_, None) = ty {
            Some("an array that is a function's result needs a size")
        } else {
            None
        };
        if let Some(error) = error {
            self.found.error(result.ty.span.error(error));
            return (Type::Error, qualified.precision);
        }
        if facts.array && !self.version.has(300, 120) {
            let error = result
                .ty
                .span
                .error(format!("in {} a function's result has no arrays", self.version));
            self.found.version(self.version, error.help("write an `out` parameter"));
        }
        (ty, qualified.precision)
    }

    fn parameter(&mut self, parameter: &ast::Parameter) -> Checked {
        let qualified = self.qualifiers(&parameter.ty.qualifiers, Where::Parameter);
        let base = self.specified(&parameter.ty.ty);
        let mut ty = self.array_of(base, &parameter.dimensions);
        self.needs_precision(&ty, &qualified, parameter.ty.ty.span);
        let direction = match qualified.role {
            Role::Output => Direction::Out,
            Role::InOut => Direction::InOut,
            Role::None | Role::Const | Role::Uniform | Role::Input => Direction::In,
        };
        let error = if ty == Type::Void {
            Some(("a parameter cannot be `void`", "write `()` for a function without parameters"))
        } else if let Type::Array(_, None) = ty {
            Some(("an array that is a parameter needs a size", "write it in the brackets"))
        } else if ty.facts().sampler && direction != Direction::In {
            Some(("a sampler is only an `in` parameter", "leave the qualifier out"))
        } else {
            None
        };
        if let Some((error, help)) = error {
            self.found.error(parameter.span.error(error).help(help));
            ty = Type::Error;
        }
        let name = parameter.name.clone();
        Checked { parameter: Parameter { ty, direction }, qualified, name, span: parameter.span }
    }

    fn main_has_no_types(&mut self, function: &ast::Function, signature: &Signature) {
        if signature.result != Type::Void && signature.result != Type::Error {
            let error = function.result.ty.span.error("`main` has no result");
            self.found.error(error.help("write `void main()`; a colour goes to an output"));
        }
        if let Some(first) = function.parameters.first() {
            let error = first.span.error("`main` has no parameters");
            self.found.error(error.help("write `void main()`"));
        }
    }

    /// Whether a version lets a function of the language be declared again.
    fn hides_built_in(&mut self, name: &ast::Name, signature: &Signature) {
        let version = self.version;
        if !version.es {
            return;
        }
        let candidates = self.builtins.candidates(&name.text);
        let mut own = candidates.iter().filter(|one| one.warning.is_none());
        let refused = match version.number {
            100 => own.any(|one| one.signature.same_parameters(signature)),
            _ => own.next().is_some(),
        };
        if refused {
            let error = name.span.error(format!(
                "`{}` is a function of the language, which {version} does not let a source declare",
                name.text
            ));
            self.found.version(version, error.help("choose another name"));
        }
    }

    /// The function that a declaration declares, if no other thing has its name.
    fn declare_function(
        &mut self,
        function: &ast::Function,
        signature: Signature,
        precision: Option<ast::Precision>,
        qualified: Vec<Qualified>,
    ) -> Option<FunctionId> {
        let name = &function.name;
        let mut ids = match self.scopes.own(&name.text).cloned() {
            None => Vec::new(),
            Some(Symbol::Functions(ids)) => ids,
            Some(Symbol::Variable(id)) => {
                let span = self.scopes.variables[id].span;
                self.twice(name, span);
                return None;
            }
            Some(Symbol::Structure(_, span) | Symbol::Block(span)) => {
                self.twice(name, span);
                return None;
            }
            Some(Symbol::Nothing) => return None,
        };
        self.found.spend(PART, ids.len(), name.span);
        let known = ids
            .iter()
            .copied()
            .find(|id| self.functions[*id].signature.same_parameters(&signature));
        if let Some(id) = known {
            let version = self.version;
            if function.body.is_none() && version.es && version.number < 300 {
                let error = name.span.error(format!(
                    "`{}` is declared already, and {version} takes one declaration",
                    name.text
                ));
                self.found.version(version, error.help("leave this one out"));
            }
            self.same_function(id, function, &signature, precision, &qualified);
            return Some(id);
        }
        let handle = self.bodies.reserve();
        self.functions.push(Function {
            name: name.text.clone(),
            signature,
            precision,
            qualified,
            span: name.span,
            defined: None,
            called: None,
            effects: true,
            handle,
            outputs: BTreeSet::new(),
        });
        let id = self.functions.len() - 1;
        ids.push(id);
        self.scopes.set(&name.text, Symbol::Functions(ids));
        Some(id)
    }

    /// Refuses a declaration that does not fit one before.
    fn same_function(
        &mut self,
        id: FunctionId,
        function: &ast::Function,
        signature: &Signature,
        precision: Option<ast::Precision>,
        qualified: &[Qualified],
    ) {
        let other = &self.functions[id];
        let line = self.line(other.span);
        let name = &function.name;
        let mut differs = None;
        if other.signature.result != signature.result
            && other.signature.result != Type::Error
            && signature.result != Type::Error
        {
            differs = Some((
                function.result.ty.span,
                format!(
                    "the result of `{}` is of type `{}` here, and `{}` on line {line}",
                    name.text, signature.result, other.signature.result
                ),
            ));
        }
        // One that is not written may be the default.
        let es = self.version.es;
        let other_precision =
            |a: Option<_>, b: Option<_>| es && a.zip(b).is_some_and(|(a, b)| a != b);
        if other_precision(other.precision, precision) {
            differs = differs.or(Some((
                function.result.ty.span,
                format!("the result of `{}` has another precision than on line {line}", name.text),
            )));
        }
        let pairs = other.signature.parameters.iter().zip(&signature.parameters);
        let qualifiers = other.qualified.iter().zip(qualified);
        for (n, ((a, b), (p, q))) in pairs.zip(qualifiers).enumerate() {
            if a.direction != b.direction
                || p.constant != q.constant
                || other_precision(p.precision, q.precision)
            {
                let at = function.parameters.get(n).map_or(name.span, |one| one.span);
                let error = format!(
                    "this parameter of `{}` has other qualifiers than on line {line}",
                    name.text
                );
                differs = differs.or(Some((at, error)));
            }
        }
        if let Some((at, error)) = differs {
            self.found.error(at.error(error).help("both declarations of a function must be alike"));
        }
    }

    /// The body of a function.
    fn define(
        &mut self,
        function: &ast::Function,
        parameters: &[Checked],
        body: &ast::Compound,
        handle: Handle<naga::Function>,
        id: Option<FunctionId>,
    ) {
        let result = match id {
            Some(id) => self.functions[id].signature.result.clone(),
            None => Type::Error,
        };
        let outer = std::mem::replace(&mut self.body, Body::new(&function.name.text));
        let outer_calls = std::mem::take(&mut self.calls);
        let outer_effects = std::mem::take(&mut self.effects);
        let outer_paths = self.paths.begin(self.found.errors.len());
        self.result = result.clone();
        self.returned = false;
        let first = self.scopes.variables.len();
        self.scopes.open();
        let outs: Vec<VariableId> =
            parameters.iter().filter_map(|parameter| self.argument(parameter)).collect();
        let nested = self.version.es && self.version.number == 100;
        if nested {
            self.scopes.open();
        }
        self.statements(&body.statements);
        if nested {
            self.scopes.close();
        }
        self.scopes.close();
        if !self.body.ended() {
            self.paths.returns();
        }
        self.parameters_have_values(&outs, function.name.span);
        if result != Type::Void && result != Type::Error && !self.body.ended() {
            let end = Span::new(body.span.end.saturating_sub(1), body.span.end);
            let name = &function.name.text;
            let error = |text| function.name.span.error(text);
            self.path_warning(if self.returned {
                error(format!("`{name}` has a path without `return`"))
                    .help("the result is then undefined; end each path with `return`")
            } else {
                error(format!("`{name}` has no `return`"))
                    .help("its result is undefined; end it with `return` and a value")
            });
            let ty = self.lower(&result);
            let zero = self.body.known(Expression::ZeroValue(ty), end);
            self.body.state(Statement::Return { value: Some(zero) }, end);
        }
        if result != Type::Void {
            let ty = self.lower(&result);
            self.body.function.result = Some(FunctionResult { ty, binding: None });
        }
        self.size_arrays(first);
        let made = std::mem::replace(&mut self.body, outer).finish();
        let calls = std::mem::replace(&mut self.calls, outer_calls);
        self.bodies.define(handle, made, calls);
        let ends = self.paths.end(outer_paths);
        let effects = std::mem::replace(&mut self.effects, outer_effects);
        if let Some(id) = id {
            self.functions[id].effects = effects.outside;
            self.functions[id].outputs = ends.outputs;
            let main = if self.version.toy { "mainImage" } else { "main" };
            if function.name.text == main {
                self.main_writes = Some((function.name.span, ends.written));
            }
        }
    }

    /// A parameter within its function; the variable, if it is an `out` parameter.
    fn argument(&mut self, checked: &Checked) -> Option<VariableId> {
        let Checked { parameter, qualified, name, span } = checked;
        let at = name.as_ref().map_or(*span, |name| name.span);
        let lowered = self.lower(&parameter.ty);
        let n = self.body.function.arguments.len() as u32;
        let text = name.as_ref().map(|name| name.text.clone());
        let by_value = parameter.direction == Direction::In;
        let ty = if by_value {
            lowered
        } else {
            let inner = TypeInner::Pointer { base: lowered, space: AddressSpace::Function };
            self.module.types.insert(naga::Type { name: None, inner }, naga::Span::UNDEFINED)
        };
        let argument = FunctionArgument { name: text.clone(), ty, binding: None };
        self.body.function.arguments.push(argument);
        let value = self.body.known(Expression::FunctionArgument(n), at);
        let name = name.as_ref()?;
        if parameter.ty == Type::Error {
            self.scopes.set(&name.text, Symbol::Nothing);
            return None;
        }
        let kind = if qualified.constant { Kind::ConstantParameter } else { Kind::Plain };
        let home = if by_value {
            let (local, pointer) = self.body.variable(Some(&name.text), lowered, at);
            self.body.store(pointer, value, at);
            Home::Local(local)
        } else {
            Home::Argument(value)
        };
        let written = parameter.direction != Direction::Out;
        let id = self.declare_variable(name, parameter.ty.clone(), kind, home, written)?;
        (!written).then_some(id)
    }

    /// The function of a name without overloads, if it is defined.
    fn sole(&self, name: &str) -> Option<FunctionId> {
        match self.scopes.find(name)? {
            Symbol::Functions(ids) => {
                ids.iter().copied().find(|id| self.functions[*id].defined.is_some())
            }
            Symbol::Variable(_) | Symbol::Structure(..) | Symbol::Block(_) | Symbol::Nothing => {
                None
            }
        }
    }

    /// The code that runs first: after the initial values of variables of the shader, `main` or `mainImage`.
    pub fn entry(&mut self) {
        if let Some(main) = self.sole("main") {
            let function = self.functions[main].handle;
            let span = self.functions[main].span;
            self.calls.push((function, span));
            let call = Statement::Call { function, arguments: Vec::new(), result: None };
            self.state(call, span);
            return;
        }
        match self.sole("mainImage") {
            Some(main) if self.version.toy => self.toy_entry(main),
            _ => {
                let prototype = match self.scopes.find("main") {
                    Some(Symbol::Functions(ids)) => ids.first().map(|id| self.functions[*id].span),
                    _ => None,
                };
                let error = match prototype {
                    Some(span) => span.error("the function `main` has no body"),
                    // What could not be read may have been it.
                    None if self.unread > 0 => return,
                    None => Span::default().error("the shader has no function `main`"),
                };
                self.found.error(error.help("a shader of Shadertoy has `mainImage` instead"));
            }
        }
    }

    fn toy_entry(&mut self, main: FunctionId) {
        let (span, function) = (self.functions[main].span, self.functions[main].handle);
        let colour = Type::Vector(Scalar::Float, 4);
        let place = Type::Vector(Scalar::Float, 2);
        let fits = matches!(
            self.functions[main].signature.parameters.as_slice(),
            [c, p] if c.ty == colour && c.direction != Direction::In && p.ty == place && p.direction == Direction::In
        );
        if !fits {
            let error = span.error("`mainImage` has other parameters than Shadertoy's");
            self.found.error(error.help("write `void mainImage(out vec4 color, in vec2 place)`"));
            return;
        }
        let (output, input) = self.toy_border();
        let pointer = self.temporary(&colour, Span::default());
        let ty = self.lower(&colour);
        let zero = self.body.known(Expression::ZeroValue(ty), Span::default());
        self.body.store(pointer, zero, Span::default());
        let input = self.variable(input, Span::default());
        let What::LValue(input) = input.what else { return };
        let whole = self.body.load(input.pointer, Span::default());
        let at = self.components(whole, &[0, 1], Span::default());
        self.calls.push((function, span));
        let call = Statement::Call { function, arguments: vec![pointer, at], result: None };
        self.state(call, span);
        let value = self.body.load(pointer, Span::default());
        let output: &Variable = &self.scopes.variables[output];
        if let Home::Global(global) = output.home {
            let target = self.body.global(global);
            self.body.store(target, value, Span::default());
        }
    }
}
