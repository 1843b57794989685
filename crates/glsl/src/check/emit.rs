//! A function of naga's while its statements are made.

use ctm_base::text::Span;
use naga::{
    Arena, Block, Expression, Function, GlobalVariable, Handle, Literal, LocalVariable, Range,
    Statement,
};
use std::collections::HashMap;

/// A place in the source as naga has it.
pub fn place(span: Span) -> naga::Span {
    naga::Span::new(span.start as u32, span.end as u32)
}

/// Statements whose end has not come.
#[derive(Default)]
struct Open {
    block: Block,
    /// Expressions that no statement evaluates yet, and the place of the first.
    waiting: Option<(Handle<Expression>, Handle<Expression>, naga::Span)>,
    /// Nothing here runs: a jump came before.
    ended: bool,
}

/// A function.
#[derive(Default)]
pub struct Body {
    /// The function, without its statements.
    pub function: Function,
    open: Vec<Open>,
    literals: HashMap<(u8, u32), Handle<Expression>>,
    locals: HashMap<Handle<LocalVariable>, Handle<Expression>>,
    globals: HashMap<Handle<GlobalVariable>, Handle<Expression>>,
}

impl Body {
    /// A function that has no statements yet.
    pub fn new(name: &str) -> Body {
        let function = Function { name: Some(name.to_string()), ..Function::default() };
        Body { function, open: vec![Open::default()], ..Body::default() }
    }

    /// The function.
    pub fn finish(mut self) -> Function {
        self.function.body = self.close();
        self.function
    }

    /// Begins statements within others.
    pub fn open(&mut self) {
        let ended = self.ended();
        self.wait_no_longer();
        self.open.push(Open { ended, ..Open::default() });
    }

    /// Ends the statements that began last.
    pub fn close(&mut self) -> Block {
        self.wait_no_longer();
        self.open.pop().map(|open| open.block).unwrap_or_default()
    }

    /// Goes on with statements that were made before.
    pub fn resume(&mut self, mut block: Block) {
        self.wait_no_longer();
        if let Some(open) = self.open.last_mut().filter(|open| !open.ended) {
            open.block.append(&mut block);
        }
    }

    /// How many statements are around.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Whether what follows here never runs.
    pub fn ended(&self) -> bool {
        self.open.last().is_some_and(|open| open.ended)
    }

    /// Notes that the statements which follow here never run.
    pub fn end(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.ended = true;
        }
    }

    /// An expression that is evaluated here.
    pub fn evaluate(&mut self, expression: Expression, span: Span) -> Handle<Expression> {
        let at = place(span);
        let handle = self.function.expressions.append(expression, at);
        let waits = match self.open.last().and_then(|open| open.waiting) {
            Some((first, last, at)) if last.index() + 1 == handle.index() => (first, handle, at),
            _ => {
                self.wait_no_longer();
                (handle, handle, at)
            }
        };
        if let Some(open) = self.open.last_mut() {
            open.waiting = Some(waits);
        }
        handle
    }

    /// An expression whose value is known before any statement runs.
    pub fn known(&mut self, expression: Expression, span: Span) -> Handle<Expression> {
        self.function.expressions.append(expression, place(span))
    }

    /// A literal.
    pub fn literal(&mut self, literal: Literal) -> Handle<Expression> {
        let key = match literal {
            Literal::Bool(value) => Some((0, u32::from(value))),
            Literal::I32(value) => Some((1, value as u32)),
            Literal::U32(value) => Some((2, value)),
            Literal::F32(value) => Some((3, value.to_bits())),
            _ => None,
        };
        let make = |expressions: &mut Arena<Expression>| {
            expressions.append(Expression::Literal(literal), naga::Span::UNDEFINED)
        };
        let expressions = &mut self.function.expressions;
        match key {
            Some(key) => *self.literals.entry(key).or_insert_with(|| make(expressions)),
            None => make(expressions),
        }
    }

    /// A new variable of the function: a pointer to it.
    pub fn variable(
        &mut self,
        name: Option<&str>,
        ty: Handle<naga::Type>,
        span: Span,
    ) -> (Handle<LocalVariable>, Handle<Expression>) {
        let variable = LocalVariable { name: name.map(str::to_string), ty, init: None };
        let handle = self.function.local_variables.append(variable, place(span));
        (handle, self.local(handle))
    }

    /// A pointer to a variable of the function.
    pub fn local(&mut self, variable: Handle<LocalVariable>) -> Handle<Expression> {
        let expressions = &mut self.function.expressions;
        *self.locals.entry(variable).or_insert_with(|| {
            expressions.append(Expression::LocalVariable(variable), naga::Span::UNDEFINED)
        })
    }

    /// A pointer to a global variable.
    pub fn global(&mut self, variable: Handle<GlobalVariable>) -> Handle<Expression> {
        let expressions = &mut self.function.expressions;
        *self.globals.entry(variable).or_insert_with(|| {
            expressions.append(Expression::GlobalVariable(variable), naga::Span::UNDEFINED)
        })
    }

    /// Adds a statement, after what is evaluated before it.
    pub fn state(&mut self, statement: Statement, span: Span) {
        self.wait_no_longer();
        let Some(open) = self.open.last_mut().filter(|open| !open.ended) else { return };
        open.ended = matches!(
            statement,
            Statement::Break | Statement::Continue | Statement::Return { .. } | Statement::Kill
        );
        open.block.push(statement, place(span));
    }

    /// Calls a function that has a result of a type: the result. Where nothing runs there is no call, and 0 stands
    /// for its result.
    pub fn call(
        &mut self,
        function: Handle<Function>,
        arguments: Vec<Handle<Expression>>,
        result: Option<Handle<naga::Type>>,
        span: Span,
    ) -> Option<Handle<Expression>> {
        let ended = self.ended();
        let result = result.map(|ty| {
            let zero = Expression::ZeroValue(ty);
            self.known(if ended { zero } else { Expression::CallResult(function) }, span)
        });
        self.state(Statement::Call { function, arguments, result }, span);
        result
    }

    /// Stores a value.
    pub fn store(&mut self, pointer: Handle<Expression>, value: Handle<Expression>, span: Span) {
        self.state(Statement::Store { pointer, value }, span);
    }

    /// The value at a place.
    pub fn load(&mut self, pointer: Handle<Expression>, span: Span) -> Handle<Expression> {
        self.evaluate(Expression::Load { pointer }, span)
    }

    fn wait_no_longer(&mut self) {
        let Some(open) = self.open.last_mut() else { return };
        if let Some((first, last, at)) = open.waiting.take()
            && !open.ended
        {
            open.block.push(Statement::Emit(Range::new_from_bounds(first, last)), at);
        }
    }
}
