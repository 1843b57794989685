//! Statements.

use super::declarations::Begun;
use super::{Failed, Parser, Read};
use crate::ast::{
    Arm, Compound, Condition, Declaration, Expression, For, Statement, StatementKind,
};
use crate::words::Word;
use ctm_base::text::Span;

/// Most `if` in a chain of `else if`: each is a level of the module, whose blocks are dropped by recursion.
const MOST_ARMS: usize = 1000;

impl Parser<'_, '_> {
    /// Statements in curly brackets. After an error in one, the parser continues with the next.
    pub fn compound(&mut self) -> Read<Compound> {
        let open = self.expect("{", "this")?;
        let mut statements = Vec::new();
        loop {
            if let Some(end) = self.take("}") {
                return Ok(Compound { span: open.to(end), statements });
            }
            if self.peek().is_none() {
                if !std::mem::replace(&mut self.ended, true) {
                    self.found.error(open.error("this `{` has no `}`"));
                }
                return Ok(Compound { span: open.to(self.end), statements });
            }
            let (start, place) = (self.at, self.here());
            match self.deeper(Self::statement) {
                Ok(statement) => statements.push(statement),
                Err(Failed) => {
                    let names = self.recover(start);
                    let span = place.to(self.before());
                    statements.push(Statement { span, kind: StatementKind::Wrong(names) });
                }
            }
        }
    }

    /// A statement that belongs to `what`.
    fn body(&mut self, what: &str) -> Read<Box<Statement>> {
        if self.is("}") || self.peek().is_none() {
            return self.unexpected(&format!("a statement after `{what}`"));
        }
        Ok(Box::new(self.deeper(Self::statement)?))
    }

    fn statement(&mut self) -> Read<Statement> {
        let start = self.here();
        let kind = self.kind()?;
        Ok(Statement { span: start.to(self.before()), kind })
    }

    fn kind(&mut self) -> Read<StatementKind> {
        let start = self.here();
        let Some(token) = self.peek() else { return self.unexpected("a statement") };
        let followed = |sign: &str| self.ahead(1).is_some_and(|token| token.is(sign));
        match &*token.text {
            "{" => return self.compound().map(StatementKind::Compound),
            ";" => {
                self.at += 1;
                return Ok(StatementKind::Empty);
            }
            "if" => return self.condition_and_sides(),
            "while" => {
                self.at += 1;
                let condition = self.loop_condition()?;
                return Ok(StatementKind::While(condition, self.body("while (...)")?));
            }
            "do" => return self.do_while(),
            "for" => return self.for_loop(),
            "switch" if followed("(") => {
                self.foreign("switch", start);
                self.at += 1;
                let value = self.bracketed("`switch`")?;
                if !self.is("{") {
                    return self.unexpected("`{` after the value of `switch`");
                }
                return Ok(StatementKind::Switch(value, self.compound()?));
            }
            "case" if !self.name_ahead(0) || !self.assigned_or_called() => {
                // Of other versions as `switch` is, which has its error.
                self.at += 1;
                let label = self.expression()?;
                self.ending(":", "the value of `case`")?;
                return Ok(StatementKind::Case(label));
            }
            "default" if followed(":") => {
                self.at += 2;
                return Ok(StatementKind::Default);
            }
            "break" => return self.jump(StatementKind::Break),
            "continue" => return self.jump(StatementKind::Continue),
            "discard" => return self.jump(StatementKind::Discard),
            "return" => {
                self.at += 1;
                let value = if self.is(";") { None } else { Some(self.expression()?) };
                self.semicolon("`return`")?;
                return Ok(StatementKind::Return(value));
            }
            "else" => {
                let error = start.error("this `else` has no `if`");
                return self
                    .fail(error.help("more than one statement before it needs `{` and `}`"));
            }
            _ => {}
        }
        self.simple()
    }

    /// Whether a word is used as a name, as in `case = 1`.
    fn assigned_or_called(&self) -> bool {
        self.ahead(1).is_some_and(|next| {
            let signs = ["=", "+=", "-=", "*=", "/=", ".", "[", "++", "--", ";", ","];
            signs.iter().any(|sign| next.is(sign))
        })
    }

    fn jump(&mut self, kind: StatementKind) -> Read<StatementKind> {
        let word = self.peek().map_or(String::new(), |token| format!("`{}`", token.text));
        self.at += 1;
        self.semicolon(&word)?;
        Ok(kind)
    }

    /// A declaration or an expression, with its semicolon.
    fn simple(&mut self) -> Read<StatementKind> {
        if self.take(";").is_some() {
            return Ok(StatementKind::Empty);
        }
        if !self.declares() {
            let value = self.expression()?;
            self.semicolon("this expression")?;
            return Ok(StatementKind::Expression(value));
        }
        match self.begin()? {
            Begun::Whole(declaration) => Ok(StatementKind::Declaration(declaration)),
            Begun::Type(ty) => {
                if self.word_ahead(0) && self.ahead(1).is_some_and(|token| token.is("(")) {
                    return Ok(StatementKind::Function(Box::new(self.function(ty)?)));
                }
                let variables = self.variables(ty)?;
                Ok(StatementKind::Declaration(Declaration::Variables(variables)))
            }
        }
    }

    /// Whether a declaration begins here, not an expression.
    fn declares(&self) -> bool {
        let Some(token) = self.peek() else { return false };
        if self.qualifier_here(token) || token.is("struct") {
            return true;
        }
        if token.is("precision") && self.word_ahead(1) {
            return true;
        }
        let after = match self.ahead(1) {
            Some(next) if next.is("[") => self.after_brackets(self.at + 1),
            next => next,
        };
        let word = after.is_some_and(|after| self.meaning(after) != Word::Keyword);
        match self.meaning(token) {
            Word::Name | Word::Reserved => word,
            Word::Type => word || after.is_none_or(|after| !after.is("(")),
            Word::Keyword => false,
        }
    }

    /// A chain of `else if` is no deeper than its first `if`.
    fn condition_and_sides(&mut self) -> Read<StatementKind> {
        let mut arms = Vec::new();
        loop {
            let start = self.here();
            if arms.len() == MOST_ARMS {
                return self.fail(start.error(format!("more than {MOST_ARMS} `else if` in a row")));
            }
            self.at += 1;
            let condition = self.bracketed("`if`")?;
            let accept = self.body("if (...)")?;
            arms.push(Arm { span: start.to(self.before()), condition, accept });
            if self.take("else").is_none() {
                return Ok(StatementKind::If(arms, None));
            }
            if !self.is("if") {
                return Ok(StatementKind::If(arms, Some(self.body("else")?)));
            }
        }
    }

    fn do_while(&mut self) -> Read<StatementKind> {
        self.at += 1;
        let body = self.body("do")?;
        self.expect("while", "the body of `do`")?;
        let condition = self.bracketed("`while`")?;
        self.semicolon("`do ... while (...)`")?;
        Ok(StatementKind::Do(body, condition))
    }

    /// The condition of `while` in its brackets.
    fn loop_condition(&mut self) -> Read<Condition> {
        let open = self.at;
        self.expect("(", "`while`")?;
        if !self.declares() {
            self.at = open;
            return Ok(Condition::Expression(self.bracketed("`while`")?));
        }
        let condition = self.condition()?;
        self.expect(")", "the condition of `while`")?;
        Ok(condition)
    }

    /// The condition of a loop.
    fn condition(&mut self) -> Read<Condition> {
        if !self.declares() {
            return Ok(Condition::Expression(self.expression()?));
        }
        let ty = Box::new(self.qualified_type()?);
        let name = self.declared("the name of a variable")?;
        self.expect("=", "a variable that is declared in a condition")?;
        Ok(Condition::Declaration(ty, name, self.initial()?))
    }

    fn for_loop(&mut self) -> Read<StatementKind> {
        self.at += 1;
        let open = self.at;
        self.expect("(", "`for`")?;
        let place = self.here();
        let (start, condition, step) = match self.head(place) {
            Ok(head) => head,
            Err(Failed) => {
                // The body may be right.
                self.wrong_up_to(open)?;
                let kind = StatementKind::Wrong(self.names(open, self.at));
                (Statement { span: place.to(self.before()), kind }, None, None)
            }
        };
        self.expect(")", "the head of `for`")?;
        let body = *self.body("for (...)")?;
        Ok(StatementKind::For(Box::new(For { start, condition, step, body })))
    }

    /// The three parts of the head of `for`.
    fn head(&mut self, place: Span) -> Read<(Statement, Option<Condition>, Option<Expression>)> {
        let kind = self.simple()?;
        let start = Statement { span: place.to(self.before()), kind };
        let condition = if self.is(";") { None } else { Some(self.condition()?) };
        self.expect(";", "the condition of `for`")?;
        let step = if self.is(")") { None } else { Some(self.expression()?) };
        if self.is(")") {
            Ok((start, condition, step))
        } else {
            self.unexpected("`)` after the head of `for`")
        }
    }
}
