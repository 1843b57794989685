//! The preprocessor of GLSL: directives and macros, within a budget.

use crate::lexer::{Kind, Token, tokens};
use ctm_base::text::{Parsed, Span};
use std::borrow::Cow;
use std::collections::HashMap;

/// Most tokens after the preprocessor.
const MAX_TOKENS: usize = 200_000;

/// Deepest nesting of macros and of conditions.
const MAX_DEPTH: usize = 64;

/// The result.
pub struct Preprocessed<'s> {
    /// The tokens of the program.
    pub tokens: Vec<Token<'s>>,
}

struct Macro<'s> {
    parameters: Option<Vec<String>>,
    body: Vec<Token<'s>>,
}

struct Preprocessor<'s> {
    macros: HashMap<String, Macro<'s>>,
    /// For each open condition: whether its part is active, whether a part was, where it is.
    conditions: Vec<(bool, bool, Span)>,
    output: Vec<Token<'s>>,
    /// Tokens that macros gave.
    work: usize,
    version: (u32, bool),
}

/// Runs the preprocessor.
pub fn preprocess(source: &str) -> Parsed<Preprocessed<'_>> {
    let all = tokens(source)?;
    let mut this = Preprocessor {
        macros: HashMap::new(),
        conditions: Vec::new(),
        output: Vec::new(),
        work: 0,
        version: (0, false),
    };
    let mut rest = &all[..];
    while let Some(token) = rest.first() {
        if token.first && token.is("#") {
            let end = 1 + rest[1..].iter().take_while(|token| !token.first).count();
            let (line, after) = rest.split_at(end);
            this.directive(line)?;
            rest = after;
        } else {
            let end = rest.iter().take_while(|token| !(token.first && token.is("#"))).count();
            let (text, after) = rest.split_at(end);
            if this.active() {
                let mut output = std::mem::take(&mut this.output);
                this.expand(text, &mut Vec::new(), None, &mut output)?;
                this.output = output;
            }
            rest = after;
        }
    }
    if let Some((_, _, span)) = this.conditions.last() {
        return Err(span.error("this condition has no `#endif`"));
    }
    let unknown = |token: &&Token<'_>| token.kind == Kind::Unknown || token.text.starts_with('#');
    if let Some(token) = this.output.iter().find(unknown) {
        let character = token.text.chars().next().unwrap_or_default();
        return Err(token.span.error(format!("unexpected character {character:?}")));
    }
    Ok(Preprocessed { tokens: this.output })
}

impl<'s> Preprocessor<'s> {
    fn active(&self) -> bool {
        self.conditions.iter().all(|(active, ..)| *active)
    }

    fn defined(&self, name: &str) -> bool {
        self.macros.contains_key(name)
            || match name {
                "__VERSION__" | "__LINE__" | "__FILE__" | "GL_FRAGMENT_PRECISION_HIGH" => true,
                "GL_ES" => self.version.1 || matches!(self.version.0, 0 | 100),
                "GL_OES_standard_derivatives" | "GL_EXT_shader_texture_lod" => true,
                "GL_ARB_texture_rectangle" | "GL_EXT_draw_buffers" => true,
                _ => false,
            }
    }

    fn directive(&mut self, line: &[Token<'s>]) -> Parsed<()> {
        let Some(name) = line.get(1) else { return Ok(()) };
        let rest = &line[2..];
        let span = line[0].span.to(line[line.len() - 1].span);
        match &*name.text {
            "ifdef" | "ifndef" => {
                let Some(word) = rest.first() else {
                    return Err(span.error("expected the name of a macro"));
                };
                let value = self.active() && self.defined(&word.text) == name.is("ifdef");
                self.open(value, span)?;
            }
            "if" => {
                let value = self.active() && self.condition(rest, span)?;
                self.open(value, span)?;
            }
            "elif" | "else" => {
                let Some((active, done, open)) = self.conditions.pop() else {
                    return Err(span.error(format!("`#{}` without `#if`", name.text)));
                };
                let outside = self.active();
                let value = outside
                    && !active
                    && !done
                    && (name.is("else") || self.condition(rest, span)?);
                self.conditions.push((value, done || value, open));
            }
            "endif" => {
                if self.conditions.pop().is_none() {
                    return Err(span.error("`#endif` without `#if`"));
                }
            }
            _ if !self.active() => {}
            "define" => self.define(rest, span)?,
            "undef" => {
                rest.first().and_then(|word| self.macros.remove(&*word.text));
            }
            "version" => {
                let number = rest.first().and_then(|token| token.text.parse().ok());
                let Some(number) = number else { return Err(span.error("expected a version")) };
                self.version =
                    (number, number == 100 || rest.get(1).is_some_and(|word| word.is("es")));
            }
            "error" => {
                let mut text = String::from("#error");
                for (n, token) in rest.iter().enumerate() {
                    text += if n == 0 || token.spaced { " " } else { "" };
                    text += &token.text;
                }
                return Err(span.error(text));
            }
            "extension" | "pragma" | "line" => {}
            "include" => {
                let error = span.error("`#include` is no part of GLSL");
                return Err(error.help("paste the other file here"));
            }
            _ => return Err(name.span.error(format!("unknown directive `#{}`", name.text))),
        }
        Ok(())
    }

    fn open(&mut self, value: bool, span: Span) -> Parsed<()> {
        if self.conditions.len() == MAX_DEPTH {
            return Err(span.error(format!("conditions are nested more than {MAX_DEPTH} deep")));
        }
        self.conditions.push((value, value, span));
        Ok(())
    }

    fn define(&mut self, rest: &[Token<'s>], span: Span) -> Parsed<()> {
        let Some(name) = rest.first().filter(|token| token.kind == Kind::Word) else {
            return Err(span.error("expected the name of a macro"));
        };
        let mut body = &rest[1..];
        let mut parameters = None;
        if body.first().is_some_and(|token| token.is("(") && !token.spaced) {
            let Some(end) = body.iter().position(|token| token.is(")")) else {
                return Err(span.error("the parameters of this macro have no `)`"));
            };
            let words = body[1..end].iter().filter(|token| token.kind == Kind::Word);
            parameters = Some(words.map(|token| token.text.to_string()).collect());
            body = &body[end + 1..];
        }
        self.macros.insert(name.text.to_string(), Macro { parameters, body: body.to_vec() });
        Ok(())
    }

    /// Appends tokens with macros replaced. `active` are the macros that are being replaced; `at` is where the
    /// first of them is used.
    fn expand(
        &mut self,
        input: &[Token<'s>],
        active: &mut Vec<String>,
        at: Option<Span>,
        output: &mut Vec<Token<'s>>,
    ) -> Parsed<()> {
        let mut n = 0;
        while let Some(token) = input.get(n) {
            n += 1;
            let span = at.unwrap_or(token.span);
            self.work += 1;
            if self.work > MAX_TOKENS {
                let error = span.error(format!("the macros give more than {MAX_TOKENS} tokens"));
                return Err(error.label("used here"));
            }
            let macro_body = match self.macros.get(&*token.text) {
                Some(found)
                    if token.kind == Kind::Word
                        && !active.iter().any(|name| *name == token.text) =>
                {
                    found
                }
                _ => {
                    let text = match &*token.text {
                        "__VERSION__" => Cow::Owned(self.version.0.max(100).to_string()),
                        "__LINE__" | "__FILE__" => Cow::Borrowed("0"),
                        _ => token.text.clone(),
                    };
                    output.push(Token { text, span, ..token.clone() });
                    continue;
                }
            };
            let mut replaced = macro_body.body.clone();
            if let Some(parameters) = macro_body.parameters.clone() {
                if !input.get(n).is_some_and(|next| next.is("(")) {
                    output.push(Token { span, ..token.clone() });
                    continue;
                }
                let (arguments, end) = arguments(input, n).ok_or_else(|| {
                    span.error(format!("the use of macro `{}` has no `)`", token.text))
                })?;
                n = end;
                if arguments.len() != parameters.len()
                    && !(parameters.is_empty() && arguments.len() == 1)
                {
                    return Err(span.error(format!(
                        "macro `{}` has {} parameters, found {} arguments",
                        token.text,
                        parameters.len(),
                        arguments.len()
                    )));
                }
                replaced = self.substitute(replaced, &parameters, &arguments, active, span)?;
            }
            let pasted = paste(replaced);
            if active.len() == MAX_DEPTH {
                return Err(span.error(format!("macros are nested more than {MAX_DEPTH} deep")));
            }
            active.push(token.text.to_string());
            let result = self.macro_text(&pasted, input, &mut n, active, span, output);
            active.pop();
            result?;
        }
        Ok(())
    }

    /// Expands a macro's text. If it ends with the name of a macro with parameters, its arguments may follow the use.
    fn macro_text(
        &mut self,
        text: &[Token<'s>],
        input: &[Token<'s>],
        n: &mut usize,
        active: &mut Vec<String>,
        span: Span,
        output: &mut Vec<Token<'s>>,
    ) -> Parsed<()> {
        let last = text.last().filter(|last| {
            let found = self.macros.get(&*last.text);
            found.is_some_and(|found| found.parameters.is_some())
        });
        if last.is_some()
            && input.get(*n).is_some_and(|next| next.is("("))
            && let Some((_, end)) = arguments(input, *n)
        {
            let whole = [text, &input[*n..end]].concat();
            *n = end;
            return self.expand(&whole, active, Some(span), output);
        }
        self.expand(text, active, Some(span), output)
    }

    fn substitute(
        &mut self,
        body: Vec<Token<'s>>,
        parameters: &[String],
        arguments: &[&[Token<'s>]],
        active: &mut Vec<String>,
        span: Span,
    ) -> Parsed<Vec<Token<'s>>> {
        let mut replaced = Vec::new();
        for (n, token) in body.iter().enumerate() {
            let parameter = parameters.iter().position(|name| *name == token.text);
            let Some(argument) = parameter.and_then(|n| arguments.get(n)) else {
                replaced.push(token.clone());
                continue;
            };
            let pastes =
                body.get(n + 1).is_some_and(|next| next.is("##")) || n > 0 && body[n - 1].is("##");
            if pastes {
                replaced.extend(argument.iter().cloned());
            } else {
                self.expand(argument, active, Some(span), &mut replaced)?;
            }
            if replaced.len() > MAX_TOKENS {
                return Err(span.error(format!("the macros give more than {MAX_TOKENS} tokens")));
            }
        }
        Ok(replaced)
    }

    /// The value of a condition.
    fn condition(&mut self, tokens: &[Token<'s>], span: Span) -> Parsed<bool> {
        // `defined` comes before macros.
        let mut known = Vec::new();
        let mut n = 0;
        while let Some(token) = tokens.get(n) {
            n += 1;
            if !token.is("defined") {
                known.push(token.clone());
                continue;
            }
            let parenthesis = tokens.get(n).is_some_and(|token| token.is("(")) as usize;
            let Some(name) = tokens.get(n + parenthesis) else {
                return Err(span.error("expected the name of a macro"));
            };
            n += 1 + 2 * parenthesis;
            let text = if self.defined(&name.text) { "1" } else { "0" };
            known.push(Token { kind: Kind::Number, text: text.into(), ..name.clone() });
        }
        let mut expanded = Vec::new();
        self.expand(&known, &mut Vec::new(), Some(span), &mut expanded)?;
        let mut values = Condition { tokens: &expanded, at: 0, depth: 0, span };
        let value = values.binary(0)?;
        match values.tokens.get(values.at) {
            None => Ok(value != 0),
            Some(token) => Err(span.error(format!("unexpected `{}` in a condition", token.text))),
        }
    }
}

/// The arguments of a macro from its parenthesis on, and the index after them.
fn arguments<'t, 's>(input: &'t [Token<'s>], open: usize) -> Option<(Vec<&'t [Token<'s>]>, usize)> {
    let (mut depth, mut start) = (0, open + 1);
    let mut found = Vec::new();
    for (n, token) in input.iter().enumerate().skip(open) {
        match &*token.text {
            "(" | "[" => depth += 1,
            ")" | "]" => {
                depth -= 1;
                if depth == 0 {
                    found.push(&input[start..n]);
                    return Some((found, n + 1));
                }
            }
            "," if depth == 1 => {
                found.push(&input[start..n]);
                start = n + 1;
            }
            _ => {}
        }
    }
    None
}

/// Joins what stands at both sides of `##`.
fn paste(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let mut pasted: Vec<Token<'_>> = Vec::with_capacity(tokens.len());
    let mut join = false;
    for token in tokens {
        if token.is("##") {
            join = !pasted.is_empty();
        } else if let Some(before) = pasted.last_mut().filter(|_| join) {
            before.text = Cow::Owned(format!("{}{}", before.text, token.text));
            join = false;
        } else {
            pasted.push(token);
        }
    }
    pasted
}

/// The expression of `#if`.
struct Condition<'t, 's> {
    tokens: &'t [Token<'s>],
    at: usize,
    depth: usize,
    span: Span,
}

const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Condition<'_, '_> {
    fn binary(&mut self, level: usize) -> Parsed<i64> {
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(token) = self.tokens.get(self.at)
            && let Some(sign) = signs.iter().find(|sign| token.is(sign))
        {
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = match *sign {
                "||" => (left != 0 || right != 0) as i64,
                "&&" => (left != 0 && right != 0) as i64,
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "==" => (left == right) as i64,
                "!=" => (left != right) as i64,
                "<" => (left < right) as i64,
                ">" => (left > right) as i64,
                "<=" => (left <= right) as i64,
                ">=" => (left >= right) as i64,
                "<<" => left.wrapping_shl(right as u32),
                ">>" => left.wrapping_shr(right as u32),
                "+" => left.wrapping_add(right),
                "-" => left.wrapping_sub(right),
                "*" => left.wrapping_mul(right),
                "/" => left.checked_div(right).unwrap_or(0),
                _ => left.checked_rem(right).unwrap_or(0),
            };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<i64> {
        let Some(token) = self.tokens.get(self.at) else {
            return Err(self.span.error("the condition is incomplete"));
        };
        self.at += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.span.error("the condition is nested too deep"));
        }
        let value = match &*token.text {
            "!" => (self.unary()? == 0) as i64,
            "-" => self.unary()?.wrapping_neg(),
            "+" => self.unary()?,
            "~" => !self.unary()?,
            "(" => {
                let value = self.binary(0)?;
                if !self.tokens.get(self.at).is_some_and(|token| token.is(")")) {
                    return Err(self.span.error("expected `)` in the condition"));
                }
                self.at += 1;
                value
            }
            text if token.kind == Kind::Number => {
                let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
                let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
                let value = match hexadecimal {
                    Some(hexadecimal) => i64::from_str_radix(hexadecimal, 16).ok(),
                    None => {
                        digits.parse().ok().or_else(|| digits.parse::<f64>().ok().map(|v| v as i64))
                    }
                };
                value.ok_or_else(|| self.span.error(format!("`{text}` is not a whole number")))?
            }
            // A word that is no macro.
            _ if token.kind == Kind::Word => 0,
            text => return Err(self.span.error(format!("unexpected `{text}` in a condition"))),
        };
        self.depth -= 1;
        Ok(value)
    }
}
