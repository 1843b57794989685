//! Macros: their table, `#define` and `#undef`.

use super::{Preprocessor, extensions};
use crate::lexer::{Kind, Token};
use crate::version::Version;
use ctm_base::text::Span;
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

/// A macro.
pub struct Macro<'s> {
    /// Its parameters, if it has brackets.
    pub parameters: Option<Rc<[String]>>,
    /// Its text.
    pub body: Rc<[Token<'s>]>,
    /// Where it is defined; `None` for those of the language.
    pub span: Option<Span>,
    /// How many times its text is being replaced now.
    pub active: usize,
}

/// The macros of a source.
pub struct Macros<'s>(HashMap<String, Macro<'s>>);

/// Most parameters of a macro.
const MAX_PARAMETERS: usize = 256;

/// Macros whose values depend on the place.
pub const PLACES: [&str; 2] = ["__LINE__", "__FILE__"];

impl<'s> Macros<'s> {
    /// The macros of the language.
    pub fn new(version: Version, compatible: bool) -> Macros<'s> {
        let mut macros = Macros(HashMap::new());
        macros.number("__VERSION__", version.number);
        for name in PLACES {
            macros.number(name, 0);
        }
        if version.es {
            macros.number("GL_ES", 1);
        }
        if version.has(100, 130) {
            macros.number("GL_FRAGMENT_PRECISION_HIGH", 1);
        }
        if version.has(u16::MAX, 150) {
            let profile = if compatible { "GL_compatibility_profile" } else { "GL_core_profile" };
            macros.number(profile, 1);
        }
        for name in extensions::of(version) {
            macros.number(name, 1);
        }
        macros
    }

    fn number(&mut self, name: &str, value: u16) {
        let text = Cow::Owned(value.to_string());
        let (kind, span) = (Kind::Number, Span::default());
        let token = Token { kind, text, span, first: false, spaced: false, fixed: false };
        let made = Macro { parameters: None, body: Rc::new([token]), span: None, active: 0 };
        self.0.insert(name.to_string(), made);
    }

    /// A macro by its name.
    pub fn get(&self, name: &str) -> Option<&Macro<'s>> {
        self.0.get(name)
    }

    /// Its text begins (1) or ends (-1) to be replaced.
    pub fn replace(&mut self, name: &str, by: isize) {
        if let Some(found) = self.0.get_mut(name) {
            found.active = found.active.saturating_add_signed(by);
        }
    }
}

/// Whether two macros' texts are the same. Spaces count, not their number.
fn same(a: &Macro<'_>, b: &Macro<'_>) -> bool {
    let spaces = |token: &Token<'_>, n: usize| n > 0 && token.spaced;
    let tokens = || a.body.iter().zip(b.body.iter()).enumerate();
    a.parameters == b.parameters
        && a.body.len() == b.body.len()
        && tokens().all(|(n, (a, b))| a.text == b.text && spaces(a, n) == spaces(b, n))
}

impl<'s> Preprocessor<'_, 's, '_> {
    /// The name that a directive defines or forgets, if it may.
    fn name<'t>(&mut self, rest: &'t [Token<'s>], span: Span, verb: &str) -> Option<&'t Token<'s>> {
        let Some(name) = rest.first() else {
            self.found.error(span.error("expected the name of a macro"));
            return None;
        };
        let text = &*name.text;
        let ours = self.macros.get(text).is_some_and(|known| known.span.is_none());
        let error = if name.kind != Kind::Word {
            format!("expected the name of a macro, found `{text}`")
        } else if text == "defined" {
            format!("`defined` cannot be {verb}")
        } else if ours {
            format!("`{text}` is a macro of the language, it cannot be {verb}")
        } else if text.starts_with("GL_") {
            format!("macros whose names begin with `GL_` cannot be {verb}")
        } else {
            // Later versions reserve such names, too, and let sources define them.
            if text.contains("__") && self.version.es && self.version.number < 300 {
                let error = name.span.error(format!("`{text}` has two underscores in a row"));
                self.found.warning(error.help("such names are reserved"));
            }
            return Some(name);
        };
        self.found.error(name.span.error(error));
        None
    }

    /// `#undef`.
    pub fn undefine(&mut self, rest: &[Token<'s>], span: Span) {
        let Some(name) = self.name(rest, span, "undefined") else { return };
        self.macros.0.remove(&*name.text);
        self.nothing(&rest[1..], "undef");
    }

    /// `#define`.
    pub fn define(&mut self, rest: &[Token<'s>], span: Span) {
        let Some(name) = self.name(rest, span, "defined") else { return };
        let mut body = &rest[1..];
        let mut parameters = None;
        if body.first().is_some_and(|token| token.is("(") && !token.spaced) {
            let Some((names, after)) = self.parameters(body, span) else { return };
            (parameters, body) = (Some(names.into()), after);
        }
        if !self.pastes(body) {
            return;
        }
        let made = Macro { parameters, body: body.into(), span: Some(name.span), active: 0 };
        if let Some(before) = self.macros.get(&name.text)
            && !same(before, &made)
        {
            let line = before.span.map_or(0, |span| self.line(span));
            let text = format!("the macro `{}` is defined differently on line {line}", name.text);
            self.found
                .error(name.span.error(text).help("`#undef` it first, or choose another name"));
        }
        self.macros.0.insert(name.text.to_string(), made);
    }

    /// The parameters of a macro from their bracket on, and what follows them.
    fn parameters<'t>(
        &mut self,
        tokens: &'t [Token<'s>],
        span: Span,
    ) -> Option<(Vec<String>, &'t [Token<'s>])> {
        let mut names: Vec<String> = Vec::new();
        let mut at = 1;
        if tokens.get(1).is_some_and(|token| token.is(")")) {
            return Some((names, &tokens[2..]));
        }
        loop {
            let name = tokens.get(at).filter(|token| token.kind == Kind::Word);
            let Some(name) = name else {
                let place = tokens.get(at).map_or(span, |token| token.span);
                self.found.error(place.error("expected the name of a parameter of the macro"));
                return None;
            };
            if names.iter().any(|other| name.is(other)) {
                let text = format!("the macro has two parameters `{}`", name.text);
                self.found.error(name.span.error(text));
                return None;
            }
            if names.len() == MAX_PARAMETERS {
                let text = format!("the macro has more than {MAX_PARAMETERS} parameters");
                self.found.error(name.span.error(text));
                return None;
            }
            names.push(name.text.to_string());
            let sign = tokens.get(at + 1);
            if sign.is_some_and(|sign| sign.is(")")) {
                return Some((names, tokens.get(at + 2..).unwrap_or_default()));
            }
            if !sign.is_some_and(|sign| sign.is(",")) {
                let place = sign.map_or(span, |sign| sign.span);
                let error = "expected `,` or `)` after a parameter of the macro";
                self.found.error(place.error(error));
                return None;
            }
            at += 2;
        }
    }

    /// Whether each `#` and `##` in a macro's text is right.
    fn pastes(&mut self, body: &[Token<'s>]) -> bool {
        for (n, token) in body.iter().enumerate() {
            if token.is("#") {
                let error = token.span.error("GLSL has no `#` in the text of a macro");
                self.found.error(error.help("there are no strings: leave it out"));
            }
            if !token.is("##") {
                continue;
            }
            let error = if n == 0 || n + 1 == body.len() {
                token.span.error("`##` joins two tokens, here one is missing")
            } else if self.version.has(u16::MAX, 130) {
                continue;
            } else {
                let error = token.span.error(format!("{} has no `##`", self.version));
                self.found.version(self.version, error.help("`#version 130` has it"));
                continue;
            };
            self.found.error(error);
            return false;
        }
        true
    }
}
