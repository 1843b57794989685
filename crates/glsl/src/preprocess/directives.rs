//! Directives.

use super::{MAX_CONDITIONS, Open, Preprocessor};
use crate::lexer::{Kind, Token};
use crate::near;
use ctm_base::text::Span;

const NAMES: [&str; 13] = [
    "if",
    "ifdef",
    "ifndef",
    "elif",
    "else",
    "endif",
    "define",
    "undef",
    "version",
    "extension",
    "line",
    "error",
    "pragma",
];

impl<'s> Preprocessor<'_, 's, '_> {
    /// A line that begins with `#`.
    pub fn directive(&mut self, line: &[Token<'s>]) {
        self.directives += 1;
        let [sign, name, rest @ ..] = line else { return };
        let span = sign.span.to(line.last().map_or(sign.span, |token| token.span));
        if let Some(comment) = rest.iter().find(|token| token.kind == Kind::Comment) {
            return super::strange(comment, self.found);
        }
        match &*name.text {
            "ifdef" | "ifndef" => {
                let value = self.active() && self.is_defined(rest, span) == Some(name.is("ifdef"));
                self.open(value, span);
            }
            "if" => {
                let value = self.active() && self.condition(rest, span);
                self.open(value, span);
            }
            "elif" => self.elif(rest, span),
            "else" => self.otherwise(rest, span),
            "endif" => {
                if self.conditions.pop().is_none() {
                    self.found.error(span.error("`#endif` without `#if`"));
                }
                self.nothing(rest, "endif");
            }
            _ if !self.active() => {}
            "define" => self.define(rest, span),
            "undef" => self.undefine(rest, span),
            "version" => self.version(rest, span),
            "extension" => self.extension(rest, span),
            "line" => self.renumber(rest, span),
            "error" => {
                let mut text = String::from("#error");
                for (n, token) in rest.iter().enumerate() {
                    text += if n == 0 || token.spaced { " " } else { "" };
                    text += &token.text;
                }
                self.found.error(span.error(text));
            }
            "pragma" => self.pragma(rest, span),
            "include" => {
                let error = span.error("`#include` is no part of GLSL");
                self.found.error(error.help("paste the other file here"));
            }
            text => {
                let error = name.span.error(format!("unknown directive `#{text}`"));
                self.found.error(match near::nearest(text, NAMES.into_iter()) {
                    Some(near) => error.help(format!("did you mean `#{near}`?")),
                    None => error,
                });
            }
        }
    }

    /// `#pragma`. One that the language does not know means nothing.
    fn pragma(&mut self, rest: &[Token<'s>], span: Span) {
        if let Some(token) = rest.iter().find(|token| token.kind == Kind::Unknown) {
            return super::strange(token, self.found);
        }
        let all = ["STDGL", "invariant", "(", "all", ")"];
        let invariant = rest.iter().map(|token| &*token.text).eq(all);
        if invariant && self.version.es && self.version.number >= 300 {
            let error = span.error(format!(
                "in {} a fragment shader has no `#pragma STDGL invariant(all)`",
                self.version
            ));
            return self.found.version(self.version, error.help("leave it out"));
        }
        let Some(name) = rest.first().filter(|name| name.is("debug") || name.is("optimize")) else {
            return;
        };
        let switch = ["on", "off"].iter().any(|switch| {
            rest.len() == 4 && rest[1].is("(") && rest[2].is(switch) && rest[3].is(")")
        });
        if !switch {
            let name = &name.text;
            let error = span.error(format!("`#pragma {name}` needs `(on)` or `(off)`"));
            self.lax(error.help(format!("write `#pragma {name}(on)`")));
        }
    }

    /// Reports any text after a complete directive.
    pub fn nothing(&mut self, rest: &[Token<'_>], directive: &str) {
        let Some(first) = rest.first() else { return };
        let span = first.span.to(rest.last().map_or(first.span, |last| last.span));
        let error = span.error(format!("unexpected text after `#{directive}`"));
        let error = error.help("make it a comment with `//`");
        match directive {
            // Old sources name the condition.
            "else" | "endif" => self.lax(error),
            _ => self.found.error(error),
        }
    }

    fn open(&mut self, active: bool, span: Span) {
        if self.conditions.len() == MAX_CONDITIONS {
            let error = format!("conditions are nested more than {MAX_CONDITIONS} deep");
            self.found.error(span.error(error));
        }
        // Those that are too deep count, so that each `#endif` has its `#if`.
        let active = active && self.conditions.len() < MAX_CONDITIONS;
        self.conditions.push(Open { active, done: active, last: false, span });
    }

    fn elif(&mut self, rest: &[Token<'s>], span: Span) {
        let Some(open) = self.conditions.pop() else {
            return self.found.error(span.error("`#elif` without `#if`"));
        };
        if open.last {
            self.found.error(span.error("`#elif` after `#else`"));
        }
        let active = !open.done && self.active() && self.condition(rest, span);
        self.conditions.push(Open { active, done: open.done || active, ..open });
    }

    fn otherwise(&mut self, rest: &[Token<'s>], span: Span) {
        let Some(open) = self.conditions.pop() else {
            return self.found.error(span.error("`#else` without `#if`"));
        };
        if open.last {
            let line = self.line(open.span);
            let error = span.error(format!("a second `#else` for the condition on line {line}"));
            self.found.error(error);
        }
        let active = !open.done && self.active();
        self.conditions.push(Open { active, done: open.done || active, last: true, ..open });
        self.nothing(rest, "else");
    }

    /// Whether the macro of `#ifdef` is defined.
    fn is_defined(&mut self, rest: &[Token<'s>], span: Span) -> Option<bool> {
        let Some(name) = rest.first().filter(|token| token.kind == Kind::Word) else {
            let span = rest.first().map_or(span, |token| token.span);
            self.found.error(span.error("expected the name of a macro"));
            return None;
        };
        self.nothing(&rest[1..], "ifdef NAME");
        Some(self.macros.get(&name.text).is_some())
    }

    /// `#line`.
    fn renumber(&mut self, rest: &[Token<'s>], span: Span) {
        let Some(values) = self.numbers(rest, span, true) else { return };
        let (line, file) = match values[..] {
            [line] => (line, self.file),
            [line, file] => (line, file),
            _ => {
                let error = span.error("expected the number of a line after `#line`");
                return self.found.error(error.help("write `#line LINE` or `#line LINE FILE`"));
            }
        };
        if line < 0 || file < 0 {
            return self.found.error(span.error("a line's number cannot be negative"));
        }
        // In the first versions of the desktop the next line has the number after the given one.
        let next = if self.version.has(100, 330) { line } else { line.saturating_add(1) };
        self.shift = next.saturating_sub(self.line(span) as i64 + 1);
        self.file = file;
    }
}
