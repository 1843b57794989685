//! Values and places of expressions.

use super::lower;
use super::scope::{Home, Kind, VariableId};
use super::{Checker, NEAR, PART};
use crate::ast;
use crate::constant::Value;
use crate::conversion;
use crate::parts::{self, Selector};
use crate::types::{Scalar, Type};
use ctm_base::text::Span;
use naga::{Expression, Handle, Literal, SwizzleComponent};

/// A checked expression.
#[derive(Clone)]
pub struct Operand {
    /// Its type.
    pub ty: Type,
    /// Its place in the source.
    pub span: Span,
    /// Its kind.
    pub what: What,
}

/// The kinds of checked expressions.
#[derive(Clone)]
pub enum What {
    /// A value that has been computed.
    Value(Handle<Expression>),
    /// A constant.
    Constant(Value),
    /// A variable or a part of one, not read yet.
    LValue(LValue),
    /// Nothing: the result of a `void` function, or something with an error.
    Nothing,
}

/// A variable or a part of one.
#[derive(Clone)]
pub struct LValue {
    /// The variable.
    pub variable: VariableId,
    /// A pointer to the part; with `components`, to their vector.
    pub pointer: Handle<Expression>,
    /// Components of a vector.
    pub components: Option<Vec<u8>>,
    /// Whether it is the whole variable.
    pub whole: bool,
}

impl LValue {
    /// Whether it names a component twice.
    pub fn repeats(&self) -> bool {
        let components = self.components.as_deref().unwrap_or_default();
        components.iter().enumerate().any(|(n, component)| components[..n].contains(component))
    }
}

impl Operand {
    /// The operand of an expression with an error.
    pub fn error(span: Span) -> Operand {
        Operand { ty: Type::Error, span, what: What::Nothing }
    }

    /// A computed value.
    pub fn value(ty: Type, span: Span, value: Handle<Expression>) -> Operand {
        Operand { ty, span, what: What::Value(value) }
    }

    /// A constant.
    pub fn constant(span: Span, value: Value) -> Operand {
        Operand { ty: value.ty.clone(), span, what: What::Constant(value) }
    }

    /// The value, if it is a constant.
    pub fn known(&self) -> Option<&Value> {
        match &self.what {
            What::Constant(value) => Some(value),
            What::Value(_) | What::LValue(_) | What::Nothing => None,
        }
    }

    /// Whether it has an error.
    pub fn is_error(&self) -> bool {
        self.ty == Type::Error
    }
}

impl Checker<'_> {
    /// The constant values of operands, if all are constants.
    pub fn all_known(operands: &[Operand]) -> Option<Vec<Value>> {
        operands.iter().map(|operand| operand.known().cloned()).collect()
    }

    /// Reads a place.
    pub fn loaded(&mut self, operand: Operand) -> Operand {
        let What::LValue(place) = &operand.what else { return operand };
        let place = place.clone();
        self.reads(&place, operand.span);
        let whole = self.body.load(place.pointer, operand.span);
        let value = match &place.components {
            None => whole,
            Some(components) => self.components(whole, components, operand.span),
        };
        Operand { what: What::Value(value), ..operand }
    }

    /// Components of a vector.
    pub fn components(
        &mut self,
        vector: Handle<Expression>,
        components: &[u8],
        span: Span,
    ) -> Handle<Expression> {
        if let [one] = components {
            let part = Expression::AccessIndex { base: vector, index: (*one).into() };
            return self.body.evaluate(part, span);
        }
        let mut pattern = [SwizzleComponent::X; 4];
        for (to, from) in pattern.iter_mut().zip(components) {
            *to = SwizzleComponent::XYZW[usize::from(*from).min(3)];
        }
        let size = lower::size(components.len() as u8);
        self.body.evaluate(Expression::Swizzle { size, vector, pattern }, span)
    }

    /// The expression of a value.
    pub fn handle(&mut self, operand: &Operand) -> Handle<Expression> {
        match &operand.what {
            What::Value(value) => *value,
            What::Constant(value) => {
                self.found.spend(PART, value.scalars().len(), operand.span);
                self.constant(value)
            }
            What::LValue(_) => {
                let loaded = self.loaded(operand.clone());
                self.handle(&loaded)
            }
            What::Nothing => self.body.literal(Literal::F32(0.0)),
        }
    }

    /// The expression of a constant.
    pub fn constant(&mut self, value: &Value) -> Handle<Expression> {
        if let (Type::Scalar(scalar), [bits]) = (&value.ty, value.scalars()) {
            return self.scalar_constant(*scalar, *bits);
        }
        if let Some(constant) = self.module_constant(value) {
            return self.body.known(Expression::Constant(constant), Span::default());
        }
        // One of its scalars is no literal.
        let parts = value.composition();
        let components = parts.iter().map(|part| self.constant(part)).collect();
        let ty = self.lower(&value.ty);
        self.body.evaluate(Expression::Compose { ty, components }, Span::default())
    }

    fn scalar_constant(&mut self, scalar: Scalar, bits: u32) -> Handle<Expression> {
        match literal(scalar, bits) {
            Some(literal) => self.body.literal(literal),
            // What is infinite or no number has no literal.
            None => {
                let expr = self.body.literal(Literal::U32(bits));
                let kind = naga::ScalarKind::Float;
                self.body.evaluate(Expression::As { expr, kind, convert: None }, Span::default())
            }
        }
    }

    /// A constant of the module; `None` if a scalar is no literal.
    fn module_constant(&mut self, value: &Value) -> Option<Handle<naga::Constant>> {
        let key = (value.ty.clone(), value.scalars().to_vec());
        if let Some(known) = self.constants.get(&key) {
            return Some(*known);
        }
        let init = self.global_constant(value)?;
        let ty = self.lower(&value.ty);
        let constant = naga::Constant { name: None, ty, init };
        let handle = self.module.constants.append(constant, naga::Span::UNDEFINED);
        self.constants.insert(key, handle);
        Some(handle)
    }

    /// An expression of the module; `None` if a scalar is no literal.
    pub fn global_constant(&mut self, value: &Value) -> Option<Handle<Expression>> {
        if value.scalars().iter().all(|bits| *bits == 0) {
            let ty = self.lower(&value.ty);
            return Some(self.global_expression(Expression::ZeroValue(ty)));
        }
        if let (Type::Scalar(scalar), [bits]) = (&value.ty, value.scalars()) {
            let literal = literal(*scalar, *bits)?;
            return Some(self.global_expression(Expression::Literal(literal)));
        }
        let mut components = Vec::new();
        for part in value.composition() {
            components.push(self.global_constant(&part)?);
        }
        let ty = self.lower(&value.ty);
        Some(self.global_expression(Expression::Compose { ty, components }))
    }

    fn global_expression(&mut self, expression: Expression) -> Handle<Expression> {
        self.module.global_expressions.append(expression, naga::Span::UNDEFINED)
    }

    /// A type as naga has it.
    pub fn lower(&mut self, ty: &Type) -> Handle<naga::Type> {
        self.types.lower(&mut self.module, ty)
    }

    /// A value as one of another type of the same shape.
    pub fn converted(&mut self, operand: Operand, to: &Type) -> Operand {
        let same = operand.ty == *to;
        if same || operand.is_error() || *to == Type::Error {
            return operand;
        }
        let operand = self.loaded(operand);
        if let Some(value) = operand.known().and_then(|value| value.convert(to)) {
            return Operand::constant(operand.span, value);
        }
        let expr = self.handle(&operand);
        let (Some(from), Some(scalar)) = (operand.ty.scalar(), to.scalar()) else {
            return Operand { ty: to.clone(), ..operand };
        };
        let value = self.cast(expr, &operand.ty, from, scalar, operand.span);
        Operand::value(to.clone(), operand.span, value)
    }

    /// Scalars of another kind.
    pub fn cast(
        &mut self,
        expr: Handle<Expression>,
        shape: &Type,
        from: Scalar,
        to: Scalar,
        span: Span,
    ) -> Handle<Expression> {
        if from == to {
            return expr;
        }
        if from == Scalar::Bool {
            // As a choice of 1 and 0.
            let [accept, reject] = [1, 0].map(|number| {
                let one = literal(to, number_bits(to, number)).unwrap_or(Literal::F32(0.0));
                let value = self.body.literal(one);
                match shape {
                    Type::Vector(_, size) => {
                        let size = lower::size(*size);
                        self.body.evaluate(Expression::Splat { size, value }, span)
                    }
                    _ => value,
                }
            });
            return self
                .body
                .evaluate(Expression::Select { condition: expr, accept, reject }, span);
        }
        let scalar = lower::scalar(to);
        let convert = Some(scalar.width);
        self.body.evaluate(Expression::As { expr, kind: scalar.kind, convert }, span)
    }

    /// A value where one of a type is expected; an error if it does not become one. `what` begins the error's sentence.
    pub fn expected(&mut self, operand: Operand, what: &str, to: &Type) -> Operand {
        let operand = self.loaded(operand);
        match conversion::convert(self.version, operand.span, what, &operand.ty, to) {
            Ok(warning) => {
                self.found.all_warnings(warning);
                self.converted(operand, to)
            }
            Err(error) => {
                let list = self.list == Some(operand.span) && matches!(to, Type::Vector(..));
                self.found.error(if list {
                    error.help(format!("`,` gives the last value: write `{to}` before the bracket"))
                } else {
                    error
                });
                Operand::error(operand.span)
            }
        }
    }

    /// A member or components.
    pub fn member(&mut self, base: Operand, name: &ast::Name, span: Span) -> Operand {
        let (part, ty) = match parts::member(&base.ty, name.span, &name.text) {
            Ok(found) => found,
            Err(error) => {
                let names = match &base.ty {
                    Type::Structure(structure) => structure.members.len(),
                    _ => 0,
                };
                self.found.error(error);
                self.found.spend(PART, NEAR * names, span);
                return Operand::error(span);
            }
        };
        if let Some(value) = base.known().and_then(|value| value.part(&part)) {
            return Operand::constant(span, value);
        }
        match (&part, base.what.clone()) {
            (Selector::Error, _) => Operand::error(span),
            (Selector::Member(n), What::LValue(place)) if place.components.is_none() => {
                let part = Expression::AccessIndex { base: place.pointer, index: *n as u32 };
                let pointer = self.body.evaluate(part, span);
                let what = What::LValue(LValue { pointer, whole: false, ..place });
                Operand { ty, span, what }
            }
            // What names a component twice is a value.
            (Selector::Components(components), What::LValue(place)) if !place.repeats() => {
                let components = match &place.components {
                    Some(outer) => components.iter().map(|n| outer[usize::from(*n)]).collect(),
                    None => components.clone(),
                };
                let place = LValue { components: Some(components), whole: false, ..place };
                Operand { ty, span, what: What::LValue(place) }
            }
            (Selector::Member(n), _) => {
                let base = self.handle(&base);
                let part = Expression::AccessIndex { base, index: *n as u32 };
                Operand::value(ty, span, self.body.evaluate(part, span))
            }
            (Selector::Components(components), _) => {
                let base = self.handle(&base);
                Operand::value(ty, span, self.components(base, components, span))
            }
        }
    }

    /// An element, a column or a component.
    pub fn element(&mut self, base: Operand, index: Operand, span: Span) -> Operand {
        let index = self.loaded(index);
        let at = index.known().and_then(Value::as_integer);
        if let Some(at) = at {
            self.reaches(&base, at);
        }
        let ty = match parts::index(&base.ty, &index.ty, index.span, at) {
            Ok(ty) => ty,
            Err(error) => {
                self.found.error(error);
                return Operand::error(span);
            }
        };
        if base.is_error() || index.is_error() {
            return Operand { ty, ..Operand::error(span) };
        }
        if let (Some(value), Some(at)) = (base.known(), at)
            && let Some(part) = value.index(at)
        {
            return Operand::constant(span, part);
        }
        self.refuse_unsized(&base, at, span);
        self.refuse_variable(&base, at, span);
        if let What::LValue(place) = base.what {
            return self.element_place(&base.ty, place, &index, at, ty, span);
        }
        let base = self.handle(&base);
        let part = match at {
            Some(at) => Expression::AccessIndex { base, index: at as u32 },
            None => Expression::Access { base, index: self.handle(&index) },
        };
        Operand::value(ty, span, self.body.evaluate(part, span))
    }

    /// Refuses an index that is not constant, of blocks until GLSL 4.00 and of outputs in ES 3.00.
    fn refuse_variable(&mut self, base: &Operand, at: Option<i64>, span: Span) {
        let What::LValue(LValue { variable, whole: true, .. }) = base.what else { return };
        let variable = &self.scopes.variables[variable];
        let error = if at.is_some() {
            return;
        } else if variable.blocks && !self.version.has(320, 400) {
            span.error("the index of blocks is a constant expression")
                .help("put an array into the block, or choose with `if`")
        } else if variable.kind == Kind::Output && self.version.has(300, u16::MAX) {
            span.error("the index of an output is a constant expression")
                .help("choose the output with `if`")
        } else {
            return;
        };
        self.found.version(self.version, error);
    }

    /// The element of a variable.
    fn element_place(
        &mut self,
        base: &Type,
        place: LValue,
        index: &Operand,
        at: Option<i64>,
        ty: Type,
        span: Span,
    ) -> Operand {
        if let (Type::Vector(..), Some(at)) = (base, at) {
            let n = at as usize;
            let outer = place.components.as_ref().and_then(|outer| outer.get(n).copied());
            let components = Some(vec![outer.unwrap_or(n as u8)]);
            let what = What::LValue(LValue { components, whole: false, ..place });
            return Operand { ty, span, what };
        }
        let part = match (at, &place.components) {
            (Some(at), _) => Expression::AccessIndex { base: place.pointer, index: at as u32 },
            (None, None) => Expression::Access { base: place.pointer, index: self.handle(index) },
            // Which component a number chooses.
            (None, Some(components)) => {
                let ty = self.lower(&Type::vector(Scalar::Int, components.len() as u8));
                let numbers = components.iter();
                let components =
                    numbers.map(|n| self.body.literal(Literal::I32((*n).into()))).collect();
                let base = self.body.evaluate(Expression::Compose { ty, components }, span);
                let index = self.handle(index);
                let index = self.body.evaluate(Expression::Access { base, index }, span);
                Expression::Access { base: place.pointer, index }
            }
        };
        let pointer = self.body.evaluate(part, span);
        let place = LValue { pointer, components: None, whole: false, ..place };
        Operand { ty, span, what: What::LValue(place) }
    }

    /// Notes an index of an array whose number of elements is not known.
    fn reaches(&mut self, base: &Operand, at: i64) {
        if let (What::LValue(place), Type::Array(_, None)) = (&base.what, &base.ty) {
            let variable = &mut self.scopes.variables[place.variable];
            variable.reach = variable.reach.max(at.clamp(0, 1 << 20) as u32 + 1);
        }
    }

    /// Refuses a variable as the index of an array whose number of elements is not known.
    fn refuse_unsized(&mut self, base: &Operand, at: Option<i64>, span: Span) {
        if let (Type::Array(_, None), None) = (&base.ty, at) {
            let error = span.error("an unsized array takes constant indices");
            self.found.error(error.help("give the array size in the declaration"));
        }
    }

    /// A variable as a place, or its value if it is a constant.
    pub fn variable(&mut self, id: VariableId, span: Span) -> Operand {
        let (ty, home) = {
            let variable = &self.scopes.variables[id];
            (variable.ty.clone(), variable.home.clone())
        };
        let pointer = match home {
            Home::Constant(value) => return Operand::constant(span, value),
            Home::Global(global) => self.body.global(global),
            Home::Local(local) => self.body.local(local),
            Home::Argument(pointer) => pointer,
        };
        let place = LValue { variable: id, pointer, components: None, whole: true };
        Operand { ty, span, what: What::LValue(place) }
    }

    /// Stores a value, whose type fits.
    pub fn store(&mut self, place: &LValue, value: &Operand, span: Span) {
        let handle = self.handle(value);
        self.writes(place, span);
        let home = &self.scopes.variables[place.variable].home;
        self.effects.all += 1;
        self.effects.outside |= !matches!(home, Home::Local(_) | Home::Argument(_));
        let Some(components) = &place.components else {
            self.body.store(place.pointer, handle, span);
            return;
        };
        for (n, component) in components.iter().enumerate() {
            let part = Expression::AccessIndex { base: place.pointer, index: (*component).into() };
            let pointer = self.body.evaluate(part, span);
            let value = match components.len() {
                1 => handle,
                _ => {
                    let part = Expression::AccessIndex { base: handle, index: n as u32 };
                    self.body.evaluate(part, span)
                }
            };
            self.body.store(pointer, value, span);
        }
    }

    /// A new variable that the source does not name.
    pub fn temporary(&mut self, ty: &Type, span: Span) -> Handle<Expression> {
        let ty = self.lower(ty);
        self.body.variable(None, ty, span).1
    }

    /// Adds a statement.
    pub fn state(&mut self, statement: naga::Statement, span: Span) {
        self.body.state(statement, span);
    }
}

/// The bits of a small whole number as a scalar.
pub fn number_bits(scalar: Scalar, number: u32) -> u32 {
    match scalar {
        Scalar::Float => (number as f32).to_bits(),
        Scalar::Bool | Scalar::Int | Scalar::Uint => number,
    }
}

/// A literal; `None` for a float that is infinite or no number.
fn literal(scalar: Scalar, bits: u32) -> Option<Literal> {
    let float = f32::from_bits(bits);
    match scalar {
        Scalar::Bool => Some(Literal::Bool(bits != 0)),
        Scalar::Int => Some(Literal::I32(bits as i32)),
        Scalar::Uint => Some(Literal::U32(bits)),
        Scalar::Float => float.is_finite().then_some(Literal::F32(float)),
    }
}
