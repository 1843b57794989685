//! Expressions, by the precedence of their operators.

use super::{Parser, Read};
use crate::ast::{Binary, Expression, ExpressionKind, Name, Unary};
use crate::lexer::{Kind, Token};
use crate::words::Word;
use ctm_base::text::Span;

/// An operator after an operand.
#[derive(Clone, Copy)]
enum Operator {
    Sequence,
    Assign(Option<Binary>),
    Select,
    Binary(Binary),
}

/// Precedences; a higher one binds more tightly.
const SEQUENCE: u8 = 0;
const ASSIGN: u8 = 1;
const SELECT: u8 = 2;
const LEAST_BINARY: u8 = 3;

/// The operators after an operand, with their precedences.
#[rustfmt::skip]
const OPERATORS: [(&str, u8, Operator); 32] = [
    (",", SEQUENCE, Operator::Sequence),
    ("=", ASSIGN, Operator::Assign(None)),
    ("+=", ASSIGN, Operator::Assign(Some(Binary::Add))),
    ("-=", ASSIGN, Operator::Assign(Some(Binary::Subtract))),
    ("*=", ASSIGN, Operator::Assign(Some(Binary::Multiply))),
    ("/=", ASSIGN, Operator::Assign(Some(Binary::Divide))),
    ("%=", ASSIGN, Operator::Assign(Some(Binary::Modulo))),
    ("<<=", ASSIGN, Operator::Assign(Some(Binary::ShiftLeft))),
    (">>=", ASSIGN, Operator::Assign(Some(Binary::ShiftRight))),
    ("&=", ASSIGN, Operator::Assign(Some(Binary::And))),
    ("^=", ASSIGN, Operator::Assign(Some(Binary::ExclusiveOr))),
    ("|=", ASSIGN, Operator::Assign(Some(Binary::Or))),
    ("?", SELECT, Operator::Select),
    ("||", LEAST_BINARY, Operator::Binary(Binary::LogicalOr)),
    ("^^", 4, Operator::Binary(Binary::LogicalXor)),
    ("&&", 5, Operator::Binary(Binary::LogicalAnd)),
    ("|", 6, Operator::Binary(Binary::Or)),
    ("^", 7, Operator::Binary(Binary::ExclusiveOr)),
    ("&", 8, Operator::Binary(Binary::And)),
    ("==", 9, Operator::Binary(Binary::Equal)),
    ("!=", 9, Operator::Binary(Binary::NotEqual)),
    ("<", 10, Operator::Binary(Binary::Less)),
    (">", 10, Operator::Binary(Binary::Greater)),
    ("<=", 10, Operator::Binary(Binary::LessEqual)),
    (">=", 10, Operator::Binary(Binary::GreaterEqual)),
    ("<<", 11, Operator::Binary(Binary::ShiftLeft)),
    (">>", 11, Operator::Binary(Binary::ShiftRight)),
    ("+", 12, Operator::Binary(Binary::Add)),
    ("-", 12, Operator::Binary(Binary::Subtract)),
    ("*", 13, Operator::Binary(Binary::Multiply)),
    ("/", 13, Operator::Binary(Binary::Divide)),
    ("%", 13, Operator::Binary(Binary::Modulo)),
];

/// Whether an operator is one of whole numbers only.
fn whole(operator: Binary) -> bool {
    matches!(
        operator,
        Binary::Modulo
            | Binary::ShiftLeft
            | Binary::ShiftRight
            | Binary::And
            | Binary::ExclusiveOr
            | Binary::Or
    )
}

impl Parser<'_, '_> {
    /// An expression above parts with `below` levels.
    #[inline(never)]
    fn node(&mut self, span: Span, kind: ExpressionKind, below: usize) -> Read<Expression> {
        self.levels(below + 1, span)?;
        Ok(Expression { span, kind })
    }

    /// An expression, with commas.
    pub fn expression(&mut self) -> Read<Expression> {
        self.operators(SEQUENCE)
    }

    /// An expression without commas.
    pub fn assignment(&mut self) -> Read<Expression> {
        self.operators(ASSIGN)
    }

    /// An expression without commas and assignments.
    pub fn conditional(&mut self) -> Read<Expression> {
        self.operators(SELECT)
    }

    /// An expression whose operators have at least this precedence.
    fn operators(&mut self, least: u8) -> Read<Expression> {
        let mut left = self.unary()?;
        // The precedence of the operators at the top of `left`, if more of them may follow.
        let mut open = None;
        while let Some((sign, precedence, operator)) = self.operator().filter(|at| at.1 >= least) {
            let below = self.height;
            self.at += 1;
            if let Operator::Binary(op) | Operator::Assign(Some(op)) = operator
                && whole(op)
            {
                let text = self.tokens.get(self.at - 1).map_or("", |token| &*token.text);
                self.reserved(text, sign);
            }
            let right = match operator {
                Operator::Sequence | Operator::Assign(_) => ASSIGN,
                Operator::Select => SEQUENCE,
                Operator::Binary(_) => precedence + 1,
            };
            let right = self.deeper(|parser| parser.operators(right))?;
            left = match (operator, &mut left.kind) {
                (Operator::Select, _) => self.select(left, right, below)?,
                (Operator::Binary(op), ExpressionKind::Binary(_, more))
                    if open == Some(precedence) =>
                {
                    // One level for all of them.
                    self.levels(below.max(self.height + 1), sign)?;
                    left.span = left.span.to(right.span);
                    more.push((op, sign, right));
                    continue;
                }
                _ => self.joined(operator, sign, left, right, below)?,
            };
            open = Some(precedence);
        }
        Ok(left)
    }

    /// The operator that is next: its place, its precedence, what it is.
    #[inline(never)]
    fn operator(&mut self) -> Option<(Span, u8, Operator)> {
        let token = self.peek().filter(|token| token.kind == Kind::Sign)?;
        let (_, precedence, operator) = OPERATORS.iter().find(|(sign, ..)| token.is(sign))?;
        Some((token.span, *precedence, *operator))
    }

    /// Two operands with their operator; `below` are the levels of the first one.
    #[inline(never)]
    fn joined(
        &mut self,
        operator: Operator,
        sign: Span,
        left: Expression,
        right: Expression,
        below: usize,
    ) -> Read<Expression> {
        let span = left.span.to(right.span);
        let below = below.max(self.height);
        let left = Box::new(left);
        let kind = match operator {
            Operator::Assign(op) => ExpressionKind::Assign(op, sign, left, Box::new(right)),
            Operator::Binary(op) => ExpressionKind::Binary(left, vec![(op, sign, right)]),
            Operator::Sequence | Operator::Select => {
                ExpressionKind::Sequence(left, Box::new(right))
            }
        };
        self.node(span, kind, below)
    }

    /// `?` from its colon on; `below` are the levels of the condition.
    #[inline(never)]
    fn select(
        &mut self,
        condition: Expression,
        accept: Expression,
        below: usize,
    ) -> Read<Expression> {
        let below = below.max(self.height);
        self.expect(":", "the first value of `?`")?;
        let reject = self.deeper(Self::assignment)?;
        let below = below.max(self.height);
        let span = condition.span.to(reject.span);
        let sides = (Box::new(accept), Box::new(reject));
        self.node(span, ExpressionKind::Select(Box::new(condition), sides.0, sides.1), below)
    }

    /// Operators of whole numbers are reserved in the first versions.
    #[inline(never)]
    fn reserved(&mut self, sign: &str, span: Span) {
        if self.version.has(300, 130) || self.extensions.has("GL_EXT_gpu_shader4") {
            return;
        }
        let error = span.error(format!("{} has no operator `{sign}`", self.version));
        let error = match sign {
            "%" | "%=" => {
                error.help("use `mod` on floats, or begin with `#version 130` or `#version 300 es`")
            }
            _ => error,
        };
        self.found.version(self.version, error);
    }

    fn unary(&mut self) -> Read<Expression> {
        let Some(token) = self.peek() else { return self.unexpected("an expression") };
        let operator = match &*token.text {
            "+" => Unary::Plus,
            "-" => Unary::Minus,
            "!" => Unary::Not,
            "~" => Unary::Invert,
            "++" => Unary::Increment,
            "--" => Unary::Decrement,
            _ => return self.postfix(),
        };
        if operator == Unary::Invert {
            self.reserved("~", token.span);
        }
        self.at += 1;
        let operand = self.deeper(Self::unary)?;
        let span = token.span.to(operand.span);
        self.node(span, ExpressionKind::Unary(operator, Box::new(operand)), self.height)
    }

    #[inline(never)]
    fn postfix(&mut self) -> Read<Expression> {
        let mut value = self.primary()?;
        while let Some(token) = self.peek() {
            let start = value.span;
            let below = self.height;
            let kind = match &*token.text {
                "[" => {
                    self.at += 1;
                    let index = self.deeper(Self::expression)?;
                    self.expect("]", "an index")?;
                    let below = below.max(self.height);
                    let kind = ExpressionKind::Index(Box::new(value), Box::new(index));
                    value = self.node(start.to(self.before()), kind, below)?;
                    continue;
                }
                "." => {
                    self.at += 1;
                    let name = self.declared("the name of a member after `.`")?;
                    if self.is("(") {
                        let arguments = self.arguments()?;
                        let below = below.max(self.height);
                        self.methods(&name);
                        let kind = ExpressionKind::Method(Box::new(value), name, arguments);
                        value = self.node(start.to(self.before()), kind, below)?;
                        continue;
                    }
                    ExpressionKind::Member(Box::new(value), name)
                }
                "++" => {
                    self.at += 1;
                    ExpressionKind::Unary(Unary::IncrementAfter, Box::new(value))
                }
                "--" => {
                    self.at += 1;
                    ExpressionKind::Unary(Unary::DecrementAfter, Box::new(value))
                }
                _ => break,
            };
            value = self.node(start.to(self.before()), kind, below)?;
        }
        Ok(value)
    }

    #[inline(never)]
    fn methods(&mut self, name: &Name) {
        if !self.version.has(300, 120) {
            let error = name.span.error(format!("{} has no methods", self.version));
            let error = error.help("write the array size instead of `length()`");
            self.found.version(self.version, error);
        }
    }

    /// Arguments in their brackets; the levels are those of the highest.
    #[inline(never)]
    fn arguments(&mut self) -> Read<Vec<Expression>> {
        self.expect("(", "the name of a function")?;
        let mut arguments = Vec::new();
        let mut height = 0;
        if self.is("void") && self.ahead(1).is_some_and(|token| token.is(")")) {
            self.at += 1;
        } else if !self.is(")") {
            loop {
                arguments.push(self.deeper(Self::assignment)?);
                height = height.max(self.height);
                if self.take(",").is_none() {
                    break;
                }
            }
        }
        self.expect(")", "the arguments of a function")?;
        self.height = height;
        Ok(arguments)
    }

    /// The error of a token that begins no expression: operators that GLSL does not have, and one whose operand is missing.
    #[inline(never)]
    fn no_expression(&mut self, token: &Token<'_>) -> Read<Expression> {
        let error = token.span.error(format!("expected an expression, found `{}`", token.text));
        let before = self.at.checked_sub(1).and_then(|n| self.tokens.get(n));
        let help = before.and_then(|before| {
            let touches = before.span.end == token.span.start;
            Some(match (&*before.text, &*token.text) {
                ("=", ">") if touches => "GLSL writes `>=`".to_string(),
                ("=", "<") if touches => "GLSL writes `<=`".to_string(),
                ("*", "*") if touches => "GLSL has no `**`: write `pow(a, b)`".to_string(),
                ("==", "=") if touches => "GLSL writes `==`".to_string(),
                ("&&" | "||", "<" | ">" | "<=" | ">=" | "==" | "!=") => format!(
                    "each side is a comparison of its own: write `a > b {} a {} c`",
                    before.text, token.text
                ),
                (
                    "+" | "-" | "*" | "/" | "<" | ">" | "<=" | ">=" | "==" | "!=" | "&&" | "||",
                    _,
                ) => {
                    format!("the right side of `{}` is missing", before.text)
                }
                _ => return None,
            })
        });
        self.fail(match help {
            Some(help) => error.help(help),
            None => error,
        })
    }

    #[inline(never)]
    fn primary(&mut self) -> Read<Expression> {
        let Some(token) = self.peek() else { return self.unexpected("an expression") };
        let span = token.span;
        if token.is("(") {
            self.at += 1;
            let inner = self.deeper(Self::expression)?;
            let end = self.expect(")", "an expression in brackets")?;
            let kind = ExpressionKind::Bracketed(Box::new(inner));
            return self.node(span.to(end), kind, self.height);
        }
        if token.kind == Kind::Number {
            self.at += 1;
            let kind = self.number(token);
            return self.node(span, kind, 0);
        }
        if token.is("true") || token.is("false") {
            self.at += 1;
            return self.node(span, ExpressionKind::Bool(token.is("true")), 0);
        }
        if !self.type_name(token) {
            return self.no_expression(token);
        }
        let array = self.ahead(1).is_some_and(|next| next.is("["))
            && self.after_brackets(self.at + 1).is_some_and(|after| after.is("("));
        if array
            || self.meaning(token) == Word::Type && !self.ahead(1).is_some_and(|next| next.is("("))
        {
            let ty = self.type_specifier()?;
            let below = self.height;
            if !self.is("(") {
                let is_cast = self.is(")");
                let help =
                    is_cast.then(|| format!("GLSL has no casts: write `{}(...)`", token.text));
                return self.unexpected_with("`(` after the type of a constructor", help);
            }
            let arguments = self.arguments()?;
            let below = below.max(self.height);
            let kind = ExpressionKind::Construct(Box::new(ty), arguments);
            return self.node(span.to(self.before()), kind, below);
        }
        self.at += 1;
        let text = token.text.to_string();
        if !self.is("(") {
            return self.node(span, ExpressionKind::Name(text), 0);
        }
        let arguments = self.arguments()?;
        let kind = ExpressionKind::Call(Name { text, span }, arguments);
        self.node(span.to(self.before()), kind, self.height)
    }
}
