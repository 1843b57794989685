//! Declarations.

use super::Checker;
use super::operand::{LValue, Operand};
use super::qualifiers::{Qualified, Role, Where};
use super::scope::{Home, Kind, Symbol, Variable, VariableId};
use super::{Declared, Storage};
use crate::ast::{self, ExpressionKind};
use crate::types::{Scalar, Type};
use ctm_base::text::Span;

impl Checker<'_> {
    /// A declaration.
    pub fn declaration(&mut self, declaration: &ast::Declaration) {
        match declaration {
            ast::Declaration::Variables(variables) => self.variables(variables),
            ast::Declaration::Block(block) => self.block(block),
            ast::Declaration::Precision(span, specifier) => self.precision(*span, specifier),
            ast::Declaration::Again(span, qualifiers, names) => {
                self.again(*span, qualifiers, names);
            }
        }
    }

    /// Gives a name its meaning, unless it has one in the same scope.
    pub fn declare(&mut self, name: &ast::Name, symbol: Symbol) -> bool {
        let other = match self.scopes.own(&name.text) {
            None => {
                self.scopes.set(&name.text, symbol);
                return true;
            }
            Some(Symbol::Variable(id)) => Some(self.scopes.variables[*id].span),
            Some(Symbol::Structure(_, span) | Symbol::Block(span)) => Some(*span),
            Some(Symbol::Functions(ids)) => ids.first().map(|id| self.functions[*id].span),
            // There was an error already.
            Some(Symbol::Nothing) => None,
        };
        if let Some(other) = other {
            self.twice(name, other);
        }
        false
    }

    /// The error of a name that is declared twice in one scope.
    pub fn twice(&mut self, name: &ast::Name, other: Span) {
        let line = self.line(other);
        let error = name.span.error(format!("`{}` is declared twice in one scope", name.text));
        self.found.error(
            error
                .label("the second declaration")
                .help(format!("the other one is on line {line}: rename one of them")),
        );
    }

    /// `precision highp float;`.
    fn precision(&mut self, span: Span, specifier: &ast::TypeSpecifier) {
        if !self.version.has(100, 130) && !self.version.guessed {
            let error = span.error(format!("{} has no `precision`", self.version));
            self.found.version(self.version, error.help("leave the statement out"));
        }
        let ty = match &specifier.base {
            ast::TypeBase::Named(name) if specifier.dimensions.is_empty() => {
                match name.text.as_str() {
                    "int" => Some(Type::Scalar(Scalar::Int)),
                    "float" => Some(Type::Scalar(Scalar::Float)),
                    text => crate::builtins::sampler(text).map(Type::Sampler),
                }
            }
            _ => None,
        };
        match ty {
            Some(Type::Scalar(Scalar::Float)) => self.scopes.set_precision(),
            Some(_) => {}
            None => {
                let error =
                    specifier.span.error("a default precision is for `float`, `int` or a sampler");
                self.found.error(
                    error.help("`precision highp float;` holds for vectors and matrices, too"),
                );
            }
        }
    }

    /// Notes a declaration of floats without a precision.
    pub fn needs_precision(&mut self, ty: &Type, qualified: &Qualified, span: Span) {
        let version = self.version;
        let mut element = ty;
        while let Type::Array(inner, _) = element {
            element = inner;
        }
        let has = matches!(
            element,
            Type::Scalar(Scalar::Int | Scalar::Uint | Scalar::Float)
                | Type::Vector(Scalar::Int | Scalar::Uint | Scalar::Float, _)
                | Type::Matrix(..)
                | Type::Sampler(_)
                | Type::Error
        );
        if qualified.precision.is_some() && !has {
            let error = span.error(format!("`{element}` has no precision"));
            self.found.error(error.help("leave `lowp`, `mediump` or `highp` out"));
        }
        if !version.es
            || version.toy
            || self.told_precision
            || self.scopes.has_precision()
            || qualified.precision.is_some()
            || element.scalar() != Some(Scalar::Float)
        {
            return;
        }
        self.told_precision = true;
        let found = span
            .error(format!("{version} has no precision for `float` in a fragment shader unless the source gives one"))
            .help("write `precision highp float;` above");
        if version.number == 100 || version.guessed {
            self.found.warning(found);
        } else {
            self.found.error(found);
        }
    }

    /// `invariant a, b;`, or `layout(...) in;`.
    fn again(&mut self, span: Span, qualifiers: &[ast::Qualifier], names: &[ast::Name]) {
        let qualified = self.qualifiers(qualifiers, Where::Again);
        let only =
            |kind: fn(&ast::QualifierKind) -> bool| qualifiers.iter().all(|one| kind(&one.kind));
        let may_name = only(|kind| {
            matches!(kind, ast::QualifierKind::Invariant | ast::QualifierKind::Precise)
        });
        let layout = qualifiers.iter().any(|one| matches!(one.kind, ast::QualifierKind::Layout(_)));
        if names.is_empty() && !layout {
            let error = span.error("this declaration has no type and no name");
            self.found.error(error.help("leave it out"));
        }
        if !names.is_empty() && !may_name {
            let error = span.error("a type is missing in this declaration");
            self.found.error(error.help("write it before the name, as in `float a;`"));
        }
        if !self.scopes.is_global() && !only(|kind| matches!(kind, ast::QualifierKind::Precise)) {
            let error = span.error("this declaration is only allowed at global scope");
            self.found.error(error);
            return;
        }
        for name in names {
            let found = self.scopes.find(&name.text).cloned();
            match found {
                Some(Symbol::Variable(id)) if qualified.invariant => {
                    let kind = self.scopes.variables[id].kind;
                    let es3 = self.version.has(300, 420);
                    if !(kind == Kind::Output || kind == Kind::Input && !es3) {
                        let error = name.span.error(format!(
                            "`{}` is no output, and cannot be `invariant`",
                            name.text
                        ));
                        self.found.error(error.help("leave this declaration out"));
                    }
                }
                Some(Symbol::Variable(_) | Symbol::Nothing) => {}
                Some(_) => {
                    let error = name.span.error(format!("`{}` is no variable", name.text));
                    self.found.error(error);
                }
                None => {
                    if self.built_in_variable(&name.text, name.span).is_none() && may_name {
                        let error = self.unknown_name(&name.text, name.span);
                        self.found.error(error);
                    }
                }
            }
        }
    }

    /// Variables of one type, or only a structure.
    fn variables(&mut self, variables: &ast::Variables) {
        let global = self.scopes.is_global();
        let place = if global { Where::Global } else { Where::Local };
        let qualified = self.qualifiers(&variables.ty.qualifiers, place);
        let base = self.specified(&variables.ty.ty);
        if variables.declarators.is_empty() {
            return;
        }
        for declarator in &variables.declarators {
            self.declarator(declarator, &base, &qualified, global);
        }
    }

    fn declarator(
        &mut self,
        declarator: &ast::Declarator,
        base: &Type,
        qualified: &Qualified,
        global: bool,
    ) {
        let name = &declarator.name;
        if *base == Type::Void {
            let error = name.span.error(format!("the variable `{}` cannot be `void`", name.text));
            self.found.error(error);
            self.scopes.set(&name.text, Symbol::Nothing);
            return;
        }
        let ty = self.array_of(base.clone(), &declarator.dimensions);
        self.needs_precision(&ty, qualified, name.span);
        if name.text.starts_with("gl_") {
            if global {
                self.redeclares_built_in(name, &ty, qualified.role);
                if name.text == "gl_FragCoord" {
                    self.redeclares_fragcoord(name.span, qualified.conventions);
                }
            } else {
                let error = name.span.error(format!("the name `{}` begins with `gl_`", name.text));
                let help = "such names are the language's own: take another one";
                self.found.error(error.help(help));
            }
            return;
        }
        self.only_for_fragcoord(qualified);
        let value = declarator.value.as_ref().map(|value| self.initial(&ty, value));
        let ty = match (&ty, &value) {
            (Type::Array(_, None), Some(value)) => value.ty.clone(),
            _ => ty,
        };
        if let Type::Array(_, None) = ty
            && self.version.es
        {
            let error = name.span.error(format!("the array `{}` needs a size", name.text));
            self.found.error(error.help("write it in the brackets, or give an initial value"));
        }
        if ty == Type::Error {
            self.declare(name, Symbol::Nothing);
            return;
        }
        if global {
            self.global_variable(name, ty, qualified, value);
        } else {
            self.local_variable(name, ty, qualified, value);
        }
    }

    /// An initial value of a type, which may be an unsized array.
    pub fn initial(&mut self, ty: &Type, value: &ast::Expression) -> Operand {
        if ty.facts().array && !self.version.has(300, 120) {
            let error =
                value.span.error(format!("{} has no initial values of arrays", self.version));
            self.found.version(self.version, error.help("assign the elements one by one"));
        }
        if let ExpressionKind::List(values) = &value.kind {
            if !self.version.has(u16::MAX, 420)
                && !self.extension("GL_ARB_shading_language_420pack")
            {
                let error =
                    value.span.error(format!("{} has no lists in curly brackets", self.version));
                let help = format!("write a constructor: `{ty}(...)`");
                self.found.version(self.version, error.help(help));
            }
            return self.list(ty, values, value.span);
        }
        let value = self.value(value);
        match (ty, &value.ty) {
            (Type::Array(element, None), Type::Array(other, Some(_))) if element == other => value,
            _ => self.expected(value, "the initial value", ty),
        }
    }

    /// A variable of a function.
    fn local_variable(
        &mut self,
        name: &ast::Name,
        ty: Type,
        qualified: &Qualified,
        value: Option<Operand>,
    ) {
        if ty.facts().sampler {
            let error = name
                .span
                .error(format!("the sampler `{}` cannot be a variable of a function", name.text));
            self.found.error(error.help("samplers are uniforms and parameters"));
            self.declare(name, Symbol::Nothing);
            return;
        }
        if let Some(id) = self.sized_now(name, &ty) {
            let home = self.scopes.variables[id].home.clone();
            if let (Home::Local(local), Some(value)) = (home, value.filter(|one| !one.is_error())) {
                let (pointer, value) = (self.body.local(local), self.handle(&value));
                self.body.store(pointer, value, name.span);
                self.has_value(id);
            }
            return;
        }
        let constant = qualified.role == Role::Const;
        let kind = if constant { Kind::Constant } else { Kind::Plain };
        if constant && let Some(value) = self.constant_value(name, &ty, value.as_ref()) {
            let home = Home::Constant(value);
            self.declare_variable(name, ty, kind, home, true);
            return;
        }
        let lowered = self.lower(&ty);
        let (local, pointer) = self.body.variable(Some(&name.text), lowered, name.span);
        if let Some(value) = &value
            && !value.is_error()
        {
            let value = self.handle(value);
            self.body.store(pointer, value, name.span);
        }
        let written = value.is_some();
        self.declare_variable(name, ty, kind, Home::Local(local), written);
    }

    /// The value of a constant, if it is one that is known; an error or a warning otherwise.
    fn constant_value(
        &mut self,
        name: &ast::Name,
        ty: &Type,
        value: Option<&Operand>,
    ) -> Option<crate::constant::Value> {
        let Some(value) = value else {
            let error = name.span.error(format!("the constant `{}` needs a value", name.text));
            self.found.error(error.help(format!("write `const {ty} {} = ...;`", name.text)));
            return None;
        };
        if value.is_error() {
            return None;
        }
        if ty.facts().array && !self.version.has(300, 120) {
            let error = name.span.error(format!("{} has no constants with arrays", self.version));
            self.found
                .version(self.version, error.help("leave `const` out, and assign the elements"));
        }
        if let Some(known) = value.known() {
            return Some(known.clone());
        }
        let late = !self.version.es && self.version.number >= 420 && !self.scopes.is_global();
        if !late {
            let error = value.span.error(format!(
                "the value of the constant `{}` is not a constant expression",
                name.text
            ));
            let help = "a constant expression is made of numbers, of constants and of built-in functions of these; leave `const` out";
            self.found.version(self.version, error.help(help));
        }
        None
    }

    /// A variable of the shader.
    fn global_variable(
        &mut self,
        name: &ast::Name,
        ty: Type,
        qualified: &Qualified,
        value: Option<Operand>,
    ) {
        if self.sized_now(name, &ty).is_some() {
            return;
        }
        let facts = ty.facts();
        if facts.sampler && qualified.role != Role::Uniform {
            let error = name.span.error(format!("the sampler `{}` is not a uniform", name.text));
            self.found.error(error.help("write `uniform` before it"));
            self.declare(name, Symbol::Nothing);
            return;
        }
        let initialised = value.is_some();
        let (kind, storage) = match qualified.role {
            Role::None | Role::InOut => (Kind::Plain, None),
            Role::Const => (Kind::Constant, None),
            Role::Uniform => (Kind::Uniform, Some(Storage::Uniform)),
            Role::Input => (Kind::Input, Some(Storage::Varying)),
            Role::Output => (Kind::Output, Some(Storage::Output(qualified.location))),
        };
        self.possible_at_border(name, &ty, qualified, value.as_ref());
        if kind == Kind::Constant
            && let Some(value) = self.constant_value(name, &ty, value.as_ref())
        {
            self.declare_variable(name, ty, kind, Home::Constant(value), true);
            return;
        }
        let global = self.new_global(&name.text, &ty, name.span);
        let written = initialised || matches!(kind, Kind::Uniform | Kind::Input);
        let Some(id) = self.declare_variable(name, ty, kind, Home::Global(global), written) else {
            return;
        };
        if let Some(storage) = storage {
            let name_of = name.text.clone();
            self.interface
                .push((0, Declared { variable: global, name: name_of, storage, span: name.span }));
        }
        if let Some(value) = value.filter(|value| !value.is_error()) {
            self.start(id, global, value, kind);
        }
    }

    /// The initial value of a variable of the shader: of the module if it is a constant, else `main` begins with it.
    fn start(
        &mut self,
        id: VariableId,
        global: naga::Handle<naga::GlobalVariable>,
        value: Operand,
        kind: Kind,
    ) {
        let span = value.span;
        let constant = value.known().cloned();
        if constant.is_none() && kind != Kind::Constant {
            if kind == Kind::Uniform {
                let error = span.error("the initial value of a uniform is a constant expression");
                self.found.error(error.help("leave it out, or compute the value where it is used"));
                return;
            }
            if self.version.es {
                let error = span.error(format!(
                    "in {} the initial value of a variable of the shader is a constant expression",
                    self.version
                ));
                self.found.version(self.version, error.help("assign the value in `main`"));
            }
        }
        if let Some(constant) = constant
            && let Some(init) = self.global_constant(&constant)
        {
            self.module.global_variables.get_mut(global).init = Some(init);
            return;
        }
        let pointer = self.body.global(global);
        let place = LValue { variable: id, pointer, components: None, whole: true };
        self.store(&place, &value, span);
    }

    /// Declares a variable.
    pub fn declare_variable(
        &mut self,
        name: &ast::Name,
        ty: Type,
        kind: Kind,
        home: Home,
        written: bool,
    ) -> Option<VariableId> {
        let variable = Variable {
            name: name.text.clone(),
            ty,
            kind,
            home,
            span: name.span,
            reach: 0,
            written,
            place: self.reached(),
            read: None,
            blocks: false,
        };
        let id = self.scopes.add(variable);
        if written {
            self.has_value(id);
        }
        self.declare(name, Symbol::Variable(id)).then_some(id)
    }

    /// The array whose size, not known before, a declaration gives: it declares no other variable.
    fn sized_now(&mut self, name: &ast::Name, ty: &Type) -> Option<VariableId> {
        let Some(Symbol::Variable(id)) = self.scopes.own(&name.text).cloned() else {
            return None;
        };
        let variable = &mut self.scopes.variables[id];
        let (Type::Array(old, None), Type::Array(new, Some(count))) = (&variable.ty, ty) else {
            return None;
        };
        if old != new {
            return None;
        }
        if variable.reach > *count {
            let reach = variable.reach - 1;
            let error = name.span.error(format!(
                "`{}` has {count} elements here, and `[{reach}]` was used above",
                name.text
            ));
            self.found.error(error);
        }
        variable.ty = ty.clone();
        self.lower_again(id);
        Some(id)
    }
}
