//! Statements.

use super::flow::Changes;
use super::operand::Operand;
use super::qualifiers::Where;
use super::scope::{Home, Kind, Symbol};
use super::{Checker, NODE, PART};
use crate::ast::{self, StatementKind};
use crate::types::{Scalar, Type};
use ctm_base::text::Span;
use naga::{Block, Expression, Handle, Statement, SwitchCase, SwitchValue, UnaryOperator};

/// The statement that `break` leaves.
pub struct Around {
    /// A loop, not a switch.
    pub is_loop: bool,
    /// Whether a `break` leaves it.
    pub broken: bool,
    /// How many statements are open directly within it, of a switch.
    pub depth: usize,
}

/// The statements of a side of a branch; what they write, and whether they end the path.
type Side = (Block, (Changes, bool));

impl Checker<'_> {
    /// Statements, one after the other.
    pub fn statements(&mut self, statements: &[ast::Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    /// A statement whose curly brackets open no scope.
    fn same_scope(&mut self, statement: &ast::Statement) {
        match &statement.kind {
            StatementKind::Compound(compound) => self.statements(&compound.statements),
            _ => self.statement(statement),
        }
    }

    fn statement(&mut self, statement: &ast::Statement) {
        let span = statement.span;
        if !self.found.spend(PART, NODE, span) {
            return;
        }
        self.paths.jumps += usize::from(matches!(
            statement.kind,
            StatementKind::Break
                | StatementKind::Continue
                | StatementKind::Return(_)
                | StatementKind::Discard
        ));
        match &statement.kind {
            StatementKind::Empty => {}
            StatementKind::Declaration(declaration) => self.declaration(declaration),
            StatementKind::Function(function) => {
                let name = &function.name;
                // After a missing bracket all others would follow.
                if !std::mem::replace(&mut self.told_within, true) {
                    let error = name
                        .span
                        .error(format!("the function `{}` is declared within another", name.text));
                    self.found.error(
                        error.help("declare it outside; perhaps a `}` before it is missing"),
                    );
                }
                self.scopes.set(&name.text, Symbol::Nothing);
            }
            StatementKind::Expression(expression) => {
                self.expression(expression);
            }
            StatementKind::Compound(compound) => {
                self.scopes.open();
                self.statements(&compound.statements);
                self.scopes.close();
            }
            StatementKind::If(arms, reject) => self.branch(arms, reject.as_deref()),
            StatementKind::Switch(selector, compound) => self.switch(selector, compound, span),
            StatementKind::Case(_) | StatementKind::Default => {
                let error = span.error("a label must be directly inside a `switch`");
                self.found.error(error.help("move it out of the inner statement"));
            }
            StatementKind::While(condition, body) => self.while_loop(condition, body, span),
            StatementKind::Do(body, condition) => self.do_loop(body, condition, span),
            StatementKind::For(parts) => self.for_loop(parts, span),
            StatementKind::Break => self.leaves(span),
            StatementKind::Continue => {
                if self.around.iter().any(|around| around.is_loop) {
                    self.state(Statement::Continue, span);
                } else {
                    let error = span.error("`continue` is not within a loop");
                    self.found.error(error.help("leave it out, or write `return`"));
                }
            }
            StatementKind::Return(value) => self.returns(value.as_ref(), span),
            StatementKind::Discard => {
                self.effects.all += 1;
                self.effects.outside = true;
                self.discards = true;
                self.state(Statement::Kill, span);
            }
            StatementKind::Wrong(names) => {
                for name in names {
                    self.scopes.set(&name.text, Symbol::Nothing);
                }
            }
        }
    }

    /// A side of a branch: its statements, what they write, and whether they end the path.
    fn side(&mut self, statement: &ast::Statement) -> Side {
        let mark = self.paths.mark();
        self.body.open();
        self.scopes.open();
        self.same_scope(statement);
        self.scopes.close();
        self.side_from(mark)
    }

    /// The side that began at a mark.
    fn side_from(&mut self, mark: usize) -> Side {
        let ended = self.body.ended();
        (self.body.close(), (self.paths.since(mark), ended))
    }

    /// A chain of `else if`: each `if` is within the other side of the one before. Without recursion, as chains are long.
    fn branch(&mut self, arms: &[ast::Arm], reject: Option<&ast::Statement>) {
        let mut open = Vec::new();
        for (n, arm) in arms.iter().enumerate() {
            let mark = self.paths.mark();
            if n > 0 {
                self.body.open();
            }
            let condition = self.condition(&arm.condition, "if");
            let condition = self.handle(&condition);
            let accept = self.side(&arm.accept);
            open.push((mark, condition, accept, arm.span));
        }
        let mut other = match reject {
            Some(reject) => self.side(reject),
            None => (Block::new(), (Changes::new(), false)),
        };
        while let Some((mark, condition, (accept, first), span)) = open.pop() {
            let (reject, second) = other;
            let ends = first.1 && second.1;
            self.state(Statement::If { condition, accept, reject }, span);
            if ends {
                self.body.end();
            }
            self.paths.join(first, second);
            if open.is_empty() {
                break;
            }
            other = self.side_from(mark);
        }
    }

    /// `break`.
    fn leaves(&mut self, span: Span) {
        let depth = self.body.depth();
        let ended = self.body.ended();
        let Some(around) = self.around.last_mut() else {
            let error = span.error("`break` is not within a loop or `switch`");
            self.found.error(error.help("leave it out, or write `return`"));
            return;
        };
        around.broken |= !ended;
        if !around.is_loop && around.depth == depth {
            // The case ends here.
            self.body.end();
        } else {
            self.state(Statement::Break, span);
        }
    }

    fn returns(&mut self, value: Option<&ast::Expression>, span: Span) {
        let result = self.result.clone();
        self.returned = true;
        let value =
            match (value, &result) {
                (None, Type::Void | Type::Error) => None,
                (None, ty) => {
                    let error = span.error(format!("`return` needs a value of type `{ty}` here"));
                    self.found.error(error.help(format!(
                        "write `return` with a value: the function's result is `{ty}`"
                    )));
                    return;
                }
                (Some(value), Type::Void) => {
                    let at = value.span;
                    self.expression(value);
                    let error = at.error("this function has no result: it is `void`");
                    self.found.error(error.help("write `return;`, or give the function a type"));
                    return;
                }
                (Some(value), ty) => {
                    let value = self.value(value);
                    let value = self.expected(value, "the result", ty);
                    Some(self.handle(&value))
                }
            };
        if !self.body.ended() {
            self.paths.returns();
        }
        self.state(Statement::Return { value }, span);
    }

    /// The body of a loop, whose scope is open: its statements, and whether something leaves it.
    fn loop_body(&mut self, body: &ast::Statement, opens: bool) -> bool {
        self.around.push(Around { is_loop: true, broken: false, depth: 0 });
        self.loops += 1;
        if opens {
            self.scopes.open();
        }
        self.same_scope(body);
        if opens {
            self.scopes.close();
        }
        self.loops -= 1;
        self.around.pop().is_some_and(|around| around.broken)
    }

    /// The opposite of a condition.
    fn not(&mut self, condition: &Operand) -> Handle<Expression> {
        let expr = self.handle(condition);
        let op = UnaryOperator::LogicalNot;
        self.body.evaluate(Expression::Unary { op, expr }, condition.span)
    }

    /// Leaves a loop unless a condition holds. Whether it can be left here.
    fn stays_while(&mut self, condition: &Operand) -> bool {
        match condition.known().and_then(crate::constant::Value::as_bool) {
            Some(true) => false,
            Some(false) => {
                self.state(Statement::Break, condition.span);
                true
            }
            None => {
                let condition_handle = self.not(condition);
                let mut accept = Block::new();
                accept.push(Statement::Break, super::emit::place(condition.span));
                let leave =
                    Statement::If { condition: condition_handle, accept, reject: Block::new() };
                self.state(leave, condition.span);
                true
            }
        }
    }

    /// A condition of a loop, which may declare a variable.
    fn head(&mut self, condition: &ast::Condition, of: &str) -> Operand {
        match condition {
            ast::Condition::Expression(condition) => self.condition(condition, of),
            ast::Condition::Declaration(ty, name, value) => {
                let qualified = self.qualifiers(&ty.qualifiers, Where::Local);
                let declared = self.specified(&ty.ty);
                let value = self.initial(&declared, value);
                if value.is_error() {
                    self.declare(name, Symbol::Nothing);
                    return value;
                }
                let lowered = self.lower(&declared);
                let (local, pointer) = self.body.variable(Some(&name.text), lowered, name.span);
                let handle = self.handle(&value);
                self.body.store(pointer, handle, name.span);
                let kind = if qualified.constant { Kind::Constant } else { Kind::Plain };
                let value = Operand::value(declared.clone(), value.span, handle);
                self.declare_variable(name, declared, kind, Home::Local(local), true);
                self.truth(value, of, false)
            }
        }
    }

    fn while_loop(&mut self, condition: &ast::Condition, body: &ast::Statement, span: Span) {
        self.body.open();
        self.scopes.open();
        self.loops += 1;
        let condition = self.head(condition, "while");
        self.loops -= 1;
        let left = self.stays_while(&condition);
        let broken = self.loop_body(body, false);
        self.scopes.close();
        let body = self.body.close();
        self.state(Statement::Loop { body, continuing: Block::new(), break_if: None }, span);
        if !left && !broken {
            self.body.end();
        }
    }

    fn do_loop(&mut self, body: &ast::Statement, condition: &ast::Expression, span: Span) {
        self.body.open();
        let broken = self.loop_body(body, true);
        let body = self.body.close();
        self.body.open();
        self.loops += 1;
        let condition = self.condition(condition, "while");
        self.loops -= 1;
        let known = condition.known().and_then(crate::constant::Value::as_bool);
        let break_if = match known {
            Some(true) => None,
            _ => Some(self.not(&condition)),
        };
        let continuing = self.body.close();
        self.state(Statement::Loop { body, continuing, break_if }, span);
        if known == Some(true) && !broken {
            self.body.end();
        }
    }

    fn for_loop(&mut self, parts: &ast::For, span: Span) {
        self.scopes.open();
        self.statement(&parts.start);
        self.body.open();
        self.loops += 1;
        let left = match &parts.condition {
            Some(condition) => {
                let condition = self.head(condition, "for");
                self.stays_while(&condition)
            }
            None => false,
        };
        self.loops -= 1;
        let head = self.scopes.innermost();
        let broken = self.loop_body(&parts.body, false);
        // The step is written before the body: names of the body mean nothing to it.
        self.scopes.set_innermost(head);
        let body = self.body.close();
        self.body.open();
        self.loops += 1;
        if let Some(step) = &parts.step {
            self.expression(step);
        }
        self.loops -= 1;
        let continuing = self.body.close();
        self.scopes.close();
        self.state(Statement::Loop { body, continuing, break_if: None }, span);
        if !left && !broken {
            self.body.end();
        }
    }

    fn switch(&mut self, selector: &ast::Expression, compound: &ast::Compound, span: Span) {
        if !self.version.has(300, 130) {
            let error = span.error(format!("{} has no `switch`", self.version));
            self.found.version(self.version, error.help("write `if` and `else if`"));
        }
        let selector = self.value(selector);
        let integer = matches!(selector.ty, Type::Scalar(Scalar::Int | Scalar::Uint));
        if !integer && !selector.is_error() {
            let error =
                selector.span.error(format!("`switch` takes an integer, not `{}`", selector.ty));
            self.found.error(error.help("convert it with `int(...)`"));
        }
        let unsigned = selector.ty == Type::Scalar(Scalar::Uint);
        let labelled = if integer { selector.ty.clone() } else { Type::Error };
        let mark = self.paths.mark();
        let handle = self.handle(&selector);
        self.scopes.open();
        let depth = self.body.depth() + 1;
        self.around.push(Around { is_loop: false, broken: false, depth });
        let mut cases: Vec<SwitchCase> = Vec::new();
        // The label whose statements come, and whether there are some.
        let mut open: Option<(SwitchValue, bool)> = None;
        let mut labels: Vec<(SwitchValue, Span)> = Vec::new();
        let mut ended = false;
        for statement in &compound.statements {
            let value = match &statement.kind {
                StatementKind::Case(label) => self.label(label, &labelled, unsigned),
                StatementKind::Default => Some(SwitchValue::Default),
                _ => {
                    match &mut open {
                        Some((_, some)) => *some = true,
                        None if labels.is_empty() => {
                            let error = statement
                                .span
                                .error("a statement precedes the first label of `switch`");
                            self.found.error(
                                error.help("write `case` and a number, or `default`, before it"),
                            );
                            labels.push((SwitchValue::Default, Span::default()));
                        }
                        None => {}
                    }
                    self.statement(statement);
                    continue;
                }
            };
            if let Some((value, _)) = open.take() {
                ended = self.body.ended();
                let body = self.body.close();
                cases.push(SwitchCase { value, body, fall_through: !ended });
            }
            let Some(value) = value else {
                // After the error, its statements are looked at all the same.
                self.body.open();
                open = Some((SwitchValue::Default, true));
                continue;
            };
            if !self.found.spend(PART, labels.len(), statement.span) {
                return;
            }
            if let Some((_, other)) = labels.iter().find(|(label, _)| *label == value) {
                let line = self.line(*other);
                let error = statement.span.error("two labels of this `switch` are equal");
                self.found.error(error.help(format!("the other one is on line {line}")));
            }
            labels.push((value, statement.span));
            self.body.open();
            open = Some((value, false));
        }
        if let Some((value, some)) = open {
            ended = self.body.ended();
            let body = self.body.close();
            cases.push(SwitchCase { value, body, fall_through: false });
            if !(some || self.version.es && self.version.number == 310) {
                let at = labels.last().map_or(span, |(_, at)| *at);
                let error = at.error("no statement follows the last label of this `switch`");
                self.found.error(error.help("write `break;` after it"));
            }
        }
        let around = self.around.pop();
        self.scopes.close();
        let default = cases.iter().any(|case| case.value == SwitchValue::Default);
        let changes = self.paths.since(mark);
        if default {
            self.paths.again(&changes);
        } else {
            let (value, body) = (SwitchValue::Default, Block::new());
            cases.push(SwitchCase { value, body, fall_through: false });
        }
        self.state(Statement::Switch { selector: handle, cases }, span);
        if default && ended && around.is_some_and(|around| !around.broken) {
            self.body.end();
        }
    }

    /// The number of a label.
    fn label(
        &mut self,
        label: &ast::Expression,
        selector: &Type,
        unsigned: bool,
    ) -> Option<SwitchValue> {
        let operand = self.value(label);
        if operand.is_error() {
            return None;
        }
        let integers = matches!(operand.ty, Type::Scalar(Scalar::Int | Scalar::Uint));
        let mixed = operand.ty != *selector && *selector != Type::Error;
        if !integers || mixed && !self.version.has(u16::MAX, 400) {
            let error = operand.span.error(format!(
                "this label is of type `{}`; the `switch` takes `{selector}`",
                operand.ty
            ));
            self.found.error(error);
            return None;
        }
        let Some(value) = operand.known().and_then(crate::constant::Value::as_integer) else {
            let error = operand.span.error("a label must be a constant expression");
            self.found.error(error.help("write `if` and `else if`"));
            return None;
        };
        Some(if unsigned { SwitchValue::U32(value as u32) } else { SwitchValue::I32(value as i32) })
    }
}
