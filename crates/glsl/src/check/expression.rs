//! Expressions: names, operators, assignments, choices.

use super::lower;
use super::operand::{LValue, Operand, What, number_bits};
use super::scope::{Kind, Symbol};
use super::{Checker, NODE, PART};
use crate::ast::{self, Binary, ExpressionKind, Unary};
use crate::constant::{self, Value};
use crate::operators::{self, Typed};
use crate::types::{Scalar, Type};
use ctm_base::text::{Diagnostic, Span};
use naga::{Block, Expression, Handle, Literal, Statement, UnaryOperator};

impl Checker<'_> {
    /// An expression, which may be a place.
    pub fn expression(&mut self, expression: &ast::Expression) -> Operand {
        let span = expression.span;
        if !self.found.spend(PART, NODE, span) {
            return Operand::error(span);
        }
        match &expression.kind {
            ExpressionKind::Name(name) => self.name(name, span),
            ExpressionKind::Int(bits) => Operand::constant(span, Value::scalar(Scalar::Int, *bits)),
            ExpressionKind::Uint(bits) => {
                Operand::constant(span, Value::scalar(Scalar::Uint, *bits))
            }
            ExpressionKind::Float(value) => Operand::constant(span, Value::float(*value)),
            ExpressionKind::Bool(value) => Operand::constant(span, Value::bool(*value)),
            ExpressionKind::Bracketed(inner) => {
                let operand = Operand { span, ..self.expression(inner) };
                if matches!(inner.kind, ExpressionKind::Sequence(..)) {
                    self.list = Some(span);
                }
                operand
            }
            ExpressionKind::Call(name, arguments) => self.call(name, arguments, span),
            ExpressionKind::Construct(ty, arguments) => self.construct_of(ty, arguments, span),
            ExpressionKind::Method(base, name, arguments) => {
                self.method(base, name, arguments, span)
            }
            ExpressionKind::List(_) => {
                self.found.error(
                    span.error("a list in curly brackets is only an initial value")
                        .help("write a constructor, as `float[](1.0, 2.0)`"),
                );
                Operand::error(span)
            }
            ExpressionKind::Member(base, name) => {
                let base = self.expression(base);
                self.member(base, name, span)
            }
            ExpressionKind::Index(base, index) => {
                let base = self.expression(base);
                let index = self.value(index);
                self.element(base, index, span)
            }
            ExpressionKind::Wrong => Operand::error(span),
            ExpressionKind::Unary(op, operand) => self.unary(*op, operand, span),
            ExpressionKind::Binary(first, rest) => {
                let mut left = self.value(first);
                for (op, at, right) in rest {
                    let span = first.span.to(right.span);
                    left = self.binary(*op, *at, left, right, span);
                }
                left
            }
            ExpressionKind::Assign(op, at, target, value) => {
                self.assign(*op, *at, target, value, span)
            }
            ExpressionKind::Select(condition, accept, reject) => {
                self.select(condition, accept, reject, span)
            }
            ExpressionKind::Sequence(first, second) => {
                let first = self.expression(first);
                let second = self.value(second);
                // Of constants it is one only in old versions.
                let constant = first.known().is_some() && !self.version.has(300, 130);
                if constant || second.known().is_none() || second.is_error() {
                    return Operand { span, ..second };
                }
                let value = self.handle(&second);
                Operand::value(second.ty, span, value)
            }
        }
    }

    /// An expression as a value.
    pub fn value(&mut self, expression: &ast::Expression) -> Operand {
        let operand = self.expression(expression);
        let operand = self.loaded(operand);
        if operand.ty == Type::Void {
            self.found.error(operand.span.error("this function has no result: it is `void`"));
            return Operand::error(operand.span);
        }
        operand
    }

    /// A name that is a value.
    fn name(&mut self, name: &str, span: Span) -> Operand {
        match self.scopes.find(name).cloned() {
            Some(Symbol::Variable(id)) => self.variable(id, span),
            Some(Symbol::Structure(..)) => {
                let error = span.error(format!("`{name}` is a type, not a value"));
                self.found.error(error.help(format!("a value is made by `{name}(...)`")));
                Operand::error(span)
            }
            Some(Symbol::Functions(_)) => {
                let error = span.error(format!("`{name}` is a function, not a value"));
                self.found.error(error.help(format!("call it: `{name}(...)`")));
                Operand::error(span)
            }
            Some(Symbol::Block(_)) => {
                let error = span.error(format!("`{name}` is a block, not a value"));
                self.found.error(error.help(
                    "write the member alone, or after the name of the instance if there is one",
                ));
                Operand::error(span)
            }
            Some(Symbol::Nothing) => Operand::error(span),
            None => match self.built_in_variable(name, span) {
                Some(operand) => operand,
                None => {
                    let error = self.unknown_name(name, span);
                    self.found.error(error);
                    Operand::error(span)
                }
            },
        }
    }

    /// The types of an operator, or its error.
    pub fn typed(&mut self, typed: Result<Typed, Diagnostic>) -> Option<Typed> {
        match typed {
            Ok(typed) => {
                if let Some(warning) = typed.warning.clone() {
                    self.found.warning(warning);
                }
                (typed.result != Type::Error).then_some(typed)
            }
            Err(error) => {
                self.found.error(error);
                None
            }
        }
    }

    fn unary(&mut self, op: Unary, operand: &ast::Expression, span: Span) -> Operand {
        match op {
            Unary::Increment | Unary::Decrement | Unary::IncrementAfter | Unary::DecrementAfter => {
                return self.increment(op, operand, span);
            }
            Unary::Plus | Unary::Minus | Unary::Not | Unary::Invert => {}
        }
        let operand = self.value(operand);
        let typed = operators::unary(op, span, &operand.ty);
        let Some(typed) = self.typed(typed) else { return Operand::error(span) };
        if let Some(value) = operand.known().and_then(|value| constant::unary(op, value)) {
            return Operand::constant(span, value);
        }
        let expr = self.handle(&operand);
        let naga_op = match op {
            Unary::Minus if matches!(operand.ty, Type::Matrix(..)) => {
                let left = self.body.literal(Literal::F32(-1.0));
                let op = naga::BinaryOperator::Multiply;
                let product = Expression::Binary { op, left, right: expr };
                return Operand::value(typed.result, span, self.body.evaluate(product, span));
            }
            Unary::Minus if operand.ty.scalar() == Some(Scalar::Uint) => {
                let zero = Value::zero(&operand.ty).map(|zero| self.constant(&zero));
                let left = zero.unwrap_or(expr);
                let op = naga::BinaryOperator::Subtract;
                let difference = Expression::Binary { op, left, right: expr };
                return Operand::value(typed.result, span, self.body.evaluate(difference, span));
            }
            Unary::Minus => UnaryOperator::Negate,
            Unary::Not => UnaryOperator::LogicalNot,
            Unary::Invert => UnaryOperator::BitwiseNot,
            Unary::Plus
            | Unary::Increment
            | Unary::Decrement
            | Unary::IncrementAfter
            | Unary::DecrementAfter => return Operand { span, ..operand },
        };
        let value = self.body.evaluate(Expression::Unary { op: naga_op, expr }, span);
        Operand::value(typed.result, span, value)
    }

    /// `++` and `--`.
    fn increment(&mut self, op: Unary, target: &ast::Expression, span: Span) -> Operand {
        let operand = self.expression(target);
        let typed = operators::unary(op, span, &operand.ty);
        let Some(typed) = self.typed(typed) else { return Operand::error(span) };
        let what = format!("`{op}`");
        let Some(place) = self.target(&operand, &what) else { return Operand::error(span) };
        let before = self.loaded(operand);
        let scalar = typed.result.scalar().unwrap_or(Scalar::Float);
        let one = Operand::constant(span, Value::scalar(scalar, number_bits(scalar, 1)));
        let binary = match op {
            Unary::Decrement | Unary::DecrementAfter => Binary::Subtract,
            _ => Binary::Add,
        };
        let after = self.combined(binary, &before, &one, &typed.result, span);
        self.store(&place, &after, span);
        match op {
            Unary::IncrementAfter | Unary::DecrementAfter => Operand { span, ..before },
            _ => after,
        }
    }

    fn binary(
        &mut self,
        op: Binary,
        at: Span,
        left: Operand,
        right: &ast::Expression,
        span: Span,
    ) -> Operand {
        if matches!(op, Binary::LogicalAnd | Binary::LogicalOr) {
            return self.logic(op, at, left, right, span);
        }
        let right = self.value(right);
        self.binary_of(op, at, left, right, span)
    }

    /// An operator on two values.
    fn binary_of(
        &mut self,
        op: Binary,
        at: Span,
        left: Operand,
        right: Operand,
        span: Span,
    ) -> Operand {
        let typed = operators::binary(self.version, op, at, &left.ty, &right.ty);
        let Some(typed) = self.typed(typed) else { return Operand::error(span) };
        let [l, r] = [&typed.operands[0], &typed.operands[1]];
        let left = self.converted(left, l);
        let right = self.converted(right, r);
        self.combined(op, &left, &right, &typed.result, span)
    }

    /// An operator on two values that have been converted.
    pub fn combined(
        &mut self,
        op: Binary,
        left: &Operand,
        right: &Operand,
        result: &Type,
        span: Span,
    ) -> Operand {
        if let (Some(l), Some(r)) = (left.known(), right.known())
            && self.found.spend(PART, l.scalars().len(), span)
            && let Some(value) = constant::binary(op, l, r, result)
        {
            return Operand::constant(span, value);
        }
        let right = &self.hidden(op, right.clone());
        let [l, r] = [self.handle(left), self.handle(right)];
        let value = self.operation(op, (l, &left.ty), (r, &right.ty), result, span);
        Operand::value(result.clone(), span, value)
    }

    /// `&&` and `||`: the right side runs only if the left one leaves it open, where that makes a difference.
    fn logic(
        &mut self,
        op: Binary,
        at: Span,
        left: Operand,
        right: &ast::Expression,
        span: Span,
    ) -> Operand {
        let decides = op == Binary::LogicalOr;
        let known = left.known().and_then(Value::as_bool);
        let effects = self.effects.all;
        let (block, right) = self.operand_side(right, known != Some(decides));
        let changes = self.effects.all != effects;
        let typed = operators::binary(self.version, op, at, &left.ty, &right.ty);
        let Some(typed) = self.typed(typed) else { return Operand::error(span) };
        match known {
            Some(value) if value == decides => return Operand { span, ..left },
            Some(_) => {
                self.body.resume(block);
                return Operand { span, ..right };
            }
            None => {}
        }
        if !changes {
            self.body.resume(block);
            return self.combined(op, &left, &right, &typed.result, span);
        }
        let known = Operand::constant(span, Value::bool(decides));
        let right = (block, right);
        let sides =
            if decides { [(Block::new(), known), right] } else { [right, (Block::new(), known)] };
        self.chosen(&left, sides, &typed.result, span)
    }

    /// `condition ? accept : reject`.
    fn select(
        &mut self,
        condition: &ast::Expression,
        accept: &ast::Expression,
        reject: &ast::Expression,
        span: Span,
    ) -> Operand {
        let condition = self.value(condition);
        let known = condition.known().and_then(Value::as_bool);
        let accept = self.operand_side(accept, known != Some(false));
        let reject = self.operand_side(reject, known != Some(true));
        let types = (&accept.1.ty, &reject.1.ty);
        let typed = operators::select(self.version, span, &condition.ty, types.0, types.1);
        let Some(typed) = self.typed(typed) else { return Operand::error(span) };
        if let Some(known) = known {
            let constant = accept.1.known().is_some() && reject.1.known().is_some();
            let (block, value) = if known { accept } else { reject };
            self.body.resume(block);
            let value = self.converted(value, &typed.result);
            if constant || value.known().is_none() {
                return Operand { span, ..value };
            }
            // With a side that is no constant, it is not a constant expression.
            let handle = self.handle(&value);
            return Operand::value(typed.result, span, handle);
        }
        self.chosen(&condition, [accept, reject], &typed.result, span)
    }

    /// A side of an operator that runs only one of its sides: its statements, and its value. One that never runs has no
    /// statements.
    fn operand_side(&mut self, side: &ast::Expression, runs: bool) -> (Block, Operand) {
        self.body.open();
        if !runs {
            self.body.end();
        }
        let value = self.value(side);
        (self.body.close(), value)
    }

    /// The value of one of two sides, each with the statements that make it.
    fn chosen(
        &mut self,
        condition: &Operand,
        sides: [(Block, Operand); 2],
        ty: &Type,
        span: Span,
    ) -> Operand {
        let condition = self.handle(condition);
        let mut pointer = None;
        let [accept, reject] = sides.map(|(block, value)| {
            self.body.open();
            self.body.resume(block);
            let value = self.converted(value, ty);
            let handle = self.handle(&value);
            let pointer = *pointer.get_or_insert_with(|| self.temporary(ty, span));
            self.body.store(pointer, handle, value.span);
            self.body.close()
        });
        self.body.state(Statement::If { condition, accept, reject }, span);
        let value = match pointer {
            Some(pointer) => self.body.load(pointer, span),
            None => condition,
        };
        Operand::value(ty.clone(), span, value)
    }

    fn assign(
        &mut self,
        op: Option<Binary>,
        at: Span,
        target: &ast::Expression,
        value: &ast::Expression,
        span: Span,
    ) -> Operand {
        let target = self.expression(target);
        let what = match op {
            Some(op) => format!("`{op}=`"),
            None => "`=`".to_string(),
        };
        let place = self.target(&target, &what);
        let ty = target.ty.clone();
        let value = match op {
            None => self.value(value),
            Some(op) => {
                let before = match place {
                    Some(_) => self.loaded(target),
                    None => Operand::error(span),
                };
                let right = self.value(value);
                let typed = operators::binary(self.version, op, at, &before.ty, &right.ty);
                let Some(typed) = self.typed(typed) else { return Operand::error(span) };
                if typed.result != ty {
                    let (left, right) = (&ty, &right.ty);
                    let error = at.error(format!(
                        "`{op}=` makes `{}` of `{left}` and `{right}`; expected `{ty}`",
                        typed.result
                    ));
                    self.found.error(error);
                    return Operand::error(span);
                }
                let before = self.converted(before, &typed.operands[0]);
                let right = self.converted(right, &typed.operands[1]);
                self.combined(op, &before, &right, &typed.result, span)
            }
        };
        let Some(place) = place else { return Operand::error(span) };
        if !self.assignable(&ty, at) {
            return Operand::error(span);
        }
        let value = self.expected(value, "the value", &ty);
        if value.is_error() {
            return value;
        }
        self.store(&place, &value, span);
        // It is not a constant expression.
        let handle = self.handle(&value);
        Operand::value(value.ty, span, handle)
    }

    /// Whether values of a type can be assigned in this version.
    fn assignable(&mut self, ty: &Type, at: Span) -> bool {
        let facts = ty.facts();
        if facts.sampler {
            self.found.error(at.error("samplers cannot be assigned"));
            return false;
        }
        if let Type::Array(_, None) = ty {
            let error = at.error("an unsized array cannot be assigned");
            self.found.error(error);
            return false;
        }
        if facts.array && !self.version.has(300, 120) {
            let error = at.error(format!("{} does not assign arrays", self.version));
            self.found.version(self.version, error.help("assign the elements one by one"));
        }
        true
    }

    /// The place that something is written to; an error if it cannot be.
    pub fn target(&mut self, operand: &Operand, what: &str) -> Option<LValue> {
        if operand.is_error() {
            return None;
        }
        let What::LValue(place) = &operand.what else {
            let name = operand.known().and_then(|_| self.constant_name(operand.span));
            let error = match name {
                Some(name) => operand
                    .span
                    .error(format!("`{name}` is constant, and cannot be written to"))
                    .help("leave `const` out in its declaration"),
                None => operand
                    .span
                    .error(format!("this is a value; {what} needs a variable, or a part of one")),
            };
            self.found.error(error);
            return None;
        };
        let variable = &self.scopes.variables[place.variable];
        let name = variable.name.clone();
        let (why, help) = match variable.kind {
            Kind::Plain | Kind::Output => {
                if place.repeats() {
                    let error = operand.span.error("a component is written to twice here");
                    self.found.error(error.help("name each component once on the left"));
                    return None;
                }
                return Some(place.clone());
            }
            Kind::Constant => ("constant", "leave `const` out in its declaration"),
            Kind::ConstantParameter => {
                ("a `const` parameter", "leave `const` out, or copy it to a variable")
            }
            Kind::Uniform => ("a uniform", "copy it to a variable first"),
            Kind::Input => ("an input of the shader", "copy it to a variable first"),
        };
        let error = operand.span.error(format!("`{name}` is {why}, and cannot be written to"));
        self.found.error(error.help(help));
        None
    }

    /// The name of the constant that a place in the source begins with.
    fn constant_name(&self, span: Span) -> Option<String> {
        let text = self.source.get(span.start..span.end)?;
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        let name = &text[..end];
        matches!(self.scopes.find(name)?, Symbol::Variable(_)).then(|| name.to_string())
    }

    /// A condition.
    pub fn condition(&mut self, condition: &ast::Expression, of: &str) -> Operand {
        if let ExpressionKind::Assign(None, at, ..) = &condition.kind {
            let warning = at.error(format!("the condition of `{of}` is an assignment"));
            self.found.warning(warning.help("write `==` to compare, or put it in brackets"));
        }
        let assigned = matches!(condition.kind, ExpressionKind::Assign(None, ..));
        let operand = self.value(condition);
        self.truth(operand, of, assigned)
    }

    /// A value that is a condition; `assigned`: that of an assignment.
    pub fn truth(&mut self, operand: Operand, of: &str, assigned: bool) -> Operand {
        if operand.is_error() || operand.ty == Type::Scalar(Scalar::Bool) {
            return operand;
        }
        let error = operand
            .span
            .error(format!("the condition of `{of}` is of type `{}`; expected `bool`", operand.ty));
        let help = match operand.ty {
            Type::Vector(Scalar::Bool, _) => "make a `bool` of it with `all(...)` or `any(...)`",
            _ if assigned => "write `==` to compare",
            _ => "compare the value, as in `a != 0`",
        };
        self.found.error(error.help(help));
        Operand::error(operand.span)
    }

    /// A constant integer: an array size, a label, a location.
    pub fn constant_integer(&mut self, expression: &ast::Expression, what: &str) -> Option<i64> {
        let operand = self.value(expression);
        if operand.is_error() {
            return None;
        }
        let span = operand.span;
        if !matches!(operand.ty, Type::Scalar(Scalar::Int | Scalar::Uint)) {
            let error = span.error(format!("{what} is an integer, not `{}`", operand.ty));
            self.found.error(error);
            return None;
        }
        let value = operand.known().and_then(Value::as_integer);
        if value.is_none() {
            let error = span.error(format!("{what} must be a constant expression"));
            self.found.error(error.help(
                "it is made of numbers, of `const` variables and of built-in functions of these",
            ));
        }
        value
    }

    /// A vector of a scalar in every component.
    pub fn splat(
        &mut self,
        value: Handle<Expression>,
        count: u8,
        span: Span,
    ) -> Handle<Expression> {
        match count {
            0 | 1 => value,
            _ => self.body.evaluate(Expression::Splat { size: lower::size(count), value }, span),
        }
    }
}
