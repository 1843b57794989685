//! Calls of functions, and what is written like one.

use super::operand::{LValue, Operand, What};
use super::qualifiers::Qualified;
use super::scope::{FunctionId, Home, Symbol, VariableId};
use super::{CANDIDATE, Checker, NEAR, PART};
use crate::ast;
use crate::builtins::Builtin;
use crate::constant::Value;
use crate::overload::{self, Direction, Signature};
use crate::types::{Scalar, Type};

use ctm_base::text::Span;
use naga::{Expression, Handle};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A function of the source.
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its types.
    pub signature: Signature,
    /// The precision of its result, if it is written.
    pub precision: Option<ast::Precision>,
    /// The qualifiers of its parameters.
    pub qualified: Vec<Qualified>,
    /// Its first declaration.
    pub span: Span,
    /// Its definition.
    pub defined: Option<Span>,
    /// Its first call.
    pub called: Option<Span>,
    /// Whether a call changes more than its arguments. Until it is defined, yes.
    pub effects: bool,
    /// The function of the module.
    pub handle: Handle<naga::Function>,
    /// The outputs that it writes.
    pub outputs: BTreeSet<VariableId>,
}

/// The function that a call may mean.
enum Candidate {
    Own(FunctionId),
    BuiltIn(Rc<Builtin>),
}

/// An argument: its value, and its place if it may be written.
struct Argument {
    operand: Operand,
    place: Option<Operand>,
}

impl Checker<'_> {
    /// `name(arguments)`: a call of a function, or a constructor.
    pub fn call(&mut self, name: &ast::Name, arguments: &[ast::Expression], span: Span) -> Operand {
        match self.scopes.find(&name.text).cloned() {
            Some(Symbol::Structure(structure, _)) => {
                self.construct(Type::Structure(structure), arguments, span)
            }
            Some(Symbol::Functions(own)) => self.call_of(name, &own, arguments, span),
            Some(Symbol::Variable(id)) => {
                let at = self.line(self.scopes.variables[id].span);
                let error =
                    name.span.error(format!("`{}` is a variable, not a function", name.text));
                self.found.error(error.help(format!(
                    "it is declared on line {at}, and hides what has its name outside"
                )));
                self.values(arguments);
                Operand::error(span)
            }
            Some(Symbol::Block(_)) => {
                let error = name.span.error(format!("`{}` is a block, not a function", name.text));
                self.found.error(error);
                self.values(arguments);
                Operand::error(span)
            }
            Some(Symbol::Nothing) => {
                self.values(arguments);
                Operand::error(span)
            }
            None => match self.named_type(name) {
                Some(ty) => self.construct(ty, arguments, span),
                None => self.call_of(name, &[], arguments, span),
            },
        }
    }

    /// Values of arguments that nothing takes.
    pub fn values(&mut self, arguments: &[ast::Expression]) -> Vec<Operand> {
        arguments.iter().map(|argument| self.value(argument)).collect()
    }

    /// A call of a function of the source or of the language.
    fn call_of(
        &mut self,
        name: &ast::Name,
        own: &[FunctionId],
        arguments: &[ast::Expression],
        span: Span,
    ) -> Operand {
        let built_in = self.builtins.candidates(&name.text);
        let hides = |builtin: &&Rc<Builtin>| {
            own.iter().all(|id| !self.functions[*id].signature.same_parameters(&builtin.signature))
        };
        let mut candidates: Vec<Candidate> = own.iter().map(|id| Candidate::Own(*id)).collect();
        let built_in: Vec<Rc<Builtin>> = built_in.iter().filter(hides).cloned().collect();
        candidates.extend(built_in.into_iter().map(Candidate::BuiltIn));
        let signatures: Vec<Signature> = candidates
            .iter()
            .map(|candidate| match candidate {
                Candidate::Own(id) => self.functions[*id].signature.clone(),
                Candidate::BuiltIn(builtin) => builtin.signature.clone(),
            })
            .collect();
        let arguments = self.arguments(&signatures, arguments);
        if !self.found.spend(PART, CANDIDATE * candidates.len(), name.span) {
            return Operand::error(span);
        }
        let types: Vec<Type> =
            arguments.iter().map(|argument| argument.operand.ty.clone()).collect();
        if candidates.is_empty() {
            self.found.spend(PART, NEAR * self.functions.len(), name.span);
            let own = self.functions.iter().map(|function| function.name.as_str());
            let error = self.builtins.unknown(&name.text, name.span, own);
            self.found.error(error);
            return Operand::error(span);
        }
        if own.is_empty() {
            return match self.builtins.call(&name.text, name.span, &types) {
                Ok(call) => {
                    self.found.all_warnings(call.warnings);
                    match call.builtin {
                        Some(builtin) if !types.contains(&Type::Error) => {
                            self.call_built_in(&builtin, &name.text, arguments, span)
                        }
                        _ => Operand { ty: call.result, ..Operand::error(span) },
                    }
                }
                Err(error) => {
                    self.found.error(error);
                    Operand::error(span)
                }
            };
        }
        let references: Vec<&Signature> = signatures.iter().collect();
        let chosen = overload::resolve(self.version, &name.text, name.span, &references, &types);
        match chosen {
            Ok(chosen) => {
                self.found.all_warnings(chosen.warnings);
                let known = chosen.candidate.filter(|_| !types.contains(&Type::Error));
                match known.and_then(|n| candidates.get(n)) {
                    Some(Candidate::Own(id)) => self.call_own(*id, arguments, span),
                    Some(Candidate::BuiltIn(builtin)) => {
                        let builtin = builtin.clone();
                        self.call_built_in(&builtin, &name.text, arguments, span)
                    }
                    None => Operand { ty: chosen.result, ..Operand::error(span) },
                }
            }
            Err(error) => {
                self.found.error(error);
                Operand::error(span)
            }
        }
    }

    /// The arguments, each evaluated once, from left to right.
    fn arguments(
        &mut self,
        signatures: &[Signature],
        arguments: &[ast::Expression],
    ) -> Vec<Argument> {
        let mut checked = Vec::new();
        for (n, argument) in arguments.iter().enumerate() {
            let directions: Vec<Direction> = signatures
                .iter()
                .filter(|signature| signature.parameters.len() == arguments.len())
                .filter_map(|signature| Some(signature.parameters.get(n)?.direction))
                .collect();
            let writes = directions.iter().any(|direction| *direction != Direction::In);
            if !writes {
                checked.push(Argument { operand: self.value(argument), place: None });
                continue;
            }
            let place = self.expression(argument);
            let reads = directions.iter().any(|direction| *direction != Direction::Out);
            let operand = if reads { self.loaded(place.clone()) } else { place.clone() };
            checked.push(Argument { operand, place: Some(place) });
        }
        checked
    }

    /// A call of a function of the source.
    fn call_own(&mut self, id: FunctionId, arguments: Vec<Argument>, span: Span) -> Operand {
        let function = &mut self.functions[id];
        function.called.get_or_insert(span);
        let (signature, handle) = (function.signature.clone(), function.handle);
        let (name, effects) = (function.name.clone(), function.effects);
        self.calls.push((handle, span));
        let outputs = self.functions[id].outputs.clone();
        self.writes_outputs(&outputs);
        self.effects.all += usize::from(effects);
        self.effects.outside |= effects;
        // What is copied back: the place, its type, the parameter's type, the variable of the copy.
        let mut copies: Vec<(LValue, Type, Type, Handle<Expression>)> = Vec::new();
        let mut direct = Vec::new();
        let mut values = Vec::new();
        for (argument, parameter) in arguments.into_iter().zip(&signature.parameters) {
            if parameter.direction == Direction::In {
                let value = self.converted(argument.operand, &parameter.ty);
                values.push(self.handle(&value));
                continue;
            }
            let place = argument.place.unwrap_or(argument.operand.clone());
            let ty = place.ty.clone();
            let what = format!("the parameter of `{name}`");
            let Some(target) = self.target(&place, &what) else { continue };
            let own = match self.scopes.variables[target.variable].home {
                Home::Local(_) | Home::Argument(_) => target.whole,
                Home::Global(_) | Home::Constant(_) => false,
            };
            if own && ty == parameter.ty && !direct.contains(&target.variable) {
                self.effects.all += 1;
                self.writes(&target, place.span);
                direct.push(target.variable);
                values.push(target.pointer);
                continue;
            }
            let pointer = self.temporary(&parameter.ty, argument.operand.span);
            if parameter.direction == Direction::InOut {
                let value = self.converted(argument.operand, &parameter.ty);
                let value = self.handle(&value);
                self.body.store(pointer, value, place.span);
            }
            values.push(pointer);
            copies.push((target, ty, parameter.ty.clone(), pointer));
        }
        let result = match signature.result {
            Type::Void => None,
            ref ty => Some(self.lower(ty)),
        };
        let result = self.body.call(handle, values, result, span);
        for (place, ty, parameter, pointer) in copies {
            let value = self.body.load(pointer, span);
            let value = self.converted(Operand::value(parameter, span, value), &ty);
            self.store(&place, &value, span);
        }
        let what = result.map_or(What::Nothing, What::Value);
        Operand { ty: signature.result, span, what }
    }

    /// A call of a function of the language.
    fn call_built_in(
        &mut self,
        builtin: &Builtin,
        name: &str,
        arguments: Vec<Argument>,
        span: Span,
    ) -> Operand {
        let mut operands = Vec::new();
        let mut out = None;
        for (argument, parameter) in arguments.into_iter().zip(&builtin.signature.parameters) {
            if parameter.direction == Direction::In {
                operands.push(self.converted(argument.operand, &parameter.ty));
                continue;
            }
            let place = argument.place.unwrap_or(argument.operand);
            let what = format!("the parameter of `{name}`");
            match self.target(&place, &what) {
                Some(target) => out = Some((target, parameter.ty.clone(), place.ty)),
                None => {
                    return Operand {
                        ty: builtin.signature.result.clone(),
                        ..Operand::error(span)
                    };
                }
            }
        }
        let result = builtin.signature.result.clone();
        let (value, second) = self.built_in(builtin.meaning, name, operands, result, span);
        if let (Some((place, parameter, ty)), Some(second)) = (out, second) {
            let second = self.converted(Operand { ty: parameter, ..second }, &ty);
            self.store(&place, &second, span);
        }
        value
    }

    /// `a.length()`.
    pub fn method(
        &mut self,
        base: &ast::Expression,
        name: &ast::Name,
        arguments: &[ast::Expression],
        span: Span,
    ) -> Operand {
        let base = self.expression(base);
        self.values(arguments);
        if base.is_error() {
            return base;
        }
        if name.text != "length" || !arguments.is_empty() {
            let error = name
                .span
                .error(format!("a value of type `{}` has no function `{}`", base.ty, name.text));
            self.found.error(error.help("the only one is `length()`, of arrays"));
            return Operand::error(span);
        }
        if !self.version.has(300, 120) {
            let error = name.span.error(format!("{} has no `length()`", self.version));
            self.found.version(self.version, error.help("write the array size"));
        }
        if matches!(base.what, What::Value(_)) && self.version.has(300, u16::MAX) {
            let error = span.error(format!("in {} `length()` is of a variable", self.version));
            self.found.version(self.version, error.help("give the array a name first"));
        }
        let count = match &base.ty {
            Type::Array(_, Some(count)) => Some(*count),
            Type::Vector(..) | Type::Matrix(..) if self.version.has(400, 420) => {
                base.ty.parts().and_then(|(count, _)| count)
            }
            _ => None,
        };
        match count {
            Some(count) => Operand::constant(span, Value::scalar(Scalar::Int, count)),
            None => {
                let error = name.span.error(format!(
                    "`length()` is for arrays whose size is known, not for `{}`",
                    base.ty
                ));
                self.found.error(error);
                Operand::error(span)
            }
        }
    }
}
