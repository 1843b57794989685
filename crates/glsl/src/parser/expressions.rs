//! Expressions, by the precedence of their operators.

use super::{Parser, Read};
use crate::ast::{Binary, Expression, ExpressionKind, Name, Unary};
use crate::lexer::Kind;
use crate::words::Word;
use ctm_base::text::Span;

/// Operators of two operands with their precedence. From the left; a higher one binds more tightly.
const BINARY: [(&str, u8, Binary); 19] = [
    ("||", 1, Binary::LogicalOr),
    ("^^", 2, Binary::LogicalXor),
    ("&&", 3, Binary::LogicalAnd),
    ("|", 4, Binary::Or),
    ("^", 5, Binary::ExclusiveOr),
    ("&", 6, Binary::And),
    ("==", 7, Binary::Equal),
    ("!=", 7, Binary::NotEqual),
    ("<", 8, Binary::Less),
    (">", 8, Binary::Greater),
    ("<=", 8, Binary::LessEqual),
    (">=", 8, Binary::GreaterEqual),
    ("<<", 9, Binary::ShiftLeft),
    (">>", 9, Binary::ShiftRight),
    ("+", 10, Binary::Add),
    ("-", 10, Binary::Subtract),
    ("*", 11, Binary::Multiply),
    ("/", 11, Binary::Divide),
    ("%", 11, Binary::Modulo),
];

/// The operator at the start of an assignment's sign, as `+` of `+=`.
fn assignment(sign: &str) -> Option<Option<Binary>> {
    Some(match sign {
        "=" => None,
        "+=" => Some(Binary::Add),
        "-=" => Some(Binary::Subtract),
        "*=" => Some(Binary::Multiply),
        "/=" => Some(Binary::Divide),
        "%=" => Some(Binary::Modulo),
        "<<=" => Some(Binary::ShiftLeft),
        ">>=" => Some(Binary::ShiftRight),
        "&=" => Some(Binary::And),
        "^=" => Some(Binary::ExclusiveOr),
        "|=" => Some(Binary::Or),
        _ => return None,
    })
}

impl Parser<'_> {
    /// An expression above parts with `below` levels.
    #[inline(never)]
    fn node(&mut self, span: Span, kind: ExpressionKind, below: usize) -> Read<Expression> {
        self.levels(below + 1, span)?;
        Ok(Expression { span, kind })
    }

    /// An expression, with commas.
    pub fn expression(&mut self) -> Read<Expression> {
        let mut left = self.assignment()?;
        while self.is(",") {
            let height = self.height;
            self.at += 1;
            let right = self.deeper(Self::assignment)?;
            let height = height.max(self.height);
            let span = left.span.to(right.span);
            let kind = ExpressionKind::Sequence(Box::new(left), Box::new(right));
            left = self.node(span, kind, height)?;
        }
        Ok(left)
    }

    /// An expression without commas.
    pub fn assignment(&mut self) -> Read<Expression> {
        let left = self.conditional()?;
        let height = self.height;
        let Some(token) = self.peek() else { return Ok(left) };
        let Some(operator) = assignment(&token.text) else { return Ok(left) };
        if let Some(operator) = operator {
            self.whole(operator, &token.text, token.span);
        }
        self.at += 1;
        let right = self.deeper(Self::assignment)?;
        let height = height.max(self.height);
        let span = left.span.to(right.span);
        let (left, right) = (Box::new(left), Box::new(right));
        self.node(span, ExpressionKind::Assign(operator, token.span, left, right), height)
    }

    /// An expression without commas and assignments.
    #[inline(never)]
    pub fn conditional(&mut self) -> Read<Expression> {
        let condition = self.binary(1)?;
        if !self.is("?") {
            return Ok(condition);
        }
        let mut height = self.height;
        self.at += 1;
        let accept = self.deeper(Self::expression)?;
        height = height.max(self.height);
        self.expect(":", "the first value of `?`")?;
        let reject = self.deeper(Self::assignment)?;
        height = height.max(self.height);
        let span = condition.span.to(reject.span);
        let (condition, accept, reject) = (Box::new(condition), Box::new(accept), Box::new(reject));
        self.node(span, ExpressionKind::Select(condition, accept, reject), height)
    }

    fn binary(&mut self, least: u8) -> Read<Expression> {
        let mut left = self.unary()?;
        while let Some(token) = self.peek()
            && token.kind == Kind::Sign
            && let Some((sign, precedence, operator)) =
                BINARY.iter().find(|(sign, ..)| token.is(sign))
            && *precedence >= least
        {
            let height = self.height;
            self.whole(*operator, sign, token.span);
            self.at += 1;
            let right = self.deeper(|parser| parser.binary(precedence + 1))?;
            let height = height.max(self.height);
            let span = left.span.to(right.span);
            let (first, second) = (Box::new(left), Box::new(right));
            let kind = ExpressionKind::Binary(*operator, token.span, first, second);
            left = self.node(span, kind, height)?;
        }
        Ok(left)
    }

    /// Operators of whole numbers are reserved in the first versions.
    #[inline(never)]
    fn whole(&mut self, operator: Binary, sign: &str, span: Span) {
        let whole = matches!(
            operator,
            Binary::Modulo
                | Binary::ShiftLeft
                | Binary::ShiftRight
                | Binary::And
                | Binary::ExclusiveOr
                | Binary::Or
        );
        if whole {
            self.reserved_operator(sign, span);
        }
    }

    #[inline(never)]
    fn reserved_operator(&mut self, sign: &str, span: Span) {
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
            self.reserved_operator("~", token.span);
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
                    let Some(word) = self.peek().filter(|_| self.word_ahead(0)) else {
                        return self.unexpected("the name of a member after `.`");
                    };
                    self.at += 1;
                    let name = Name { text: word.text.to_string(), span: word.span };
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
            let error = error.help("write the number of elements instead of `length()`");
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
            return self.unexpected("an expression");
        }
        let array = self.ahead(1).is_some_and(|next| next.is("["))
            && self.after_brackets(self.at + 1).is_some_and(|after| after.is("("));
        if array
            || self.meaning(token) == Word::Type && !self.ahead(1).is_some_and(|next| next.is("("))
        {
            let ty = self.type_specifier()?;
            let below = self.height;
            if !self.is("(") {
                return self.unexpected("`(` after the type of a constructor");
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
