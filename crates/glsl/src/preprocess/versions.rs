//! The version of a source: `#version`, or a guess.

use super::Preprocessor;
use crate::lexer::{Kind, Token};
use crate::version::Version;
use ctm_base::text::Span;

/// The version that `#version` says, and whether it says `compatibility`. A wrong one gives the nearest; its error is
/// found where the directive is read.
pub fn said(tokens: &[Token<'_>]) -> Option<(Version, bool)> {
    let at = tokens.windows(2).position(|pair| {
        matches!(pair, [sign, word] if sign.first && sign.is("#") && word.is("version") && !word.first)
    })?;
    let line = tokens.get(at + 2..)?;
    let mut line = line.iter().take_while(|token| !token.first);
    let number = line.next().and_then(|token| token.text.parse().ok()).unwrap_or(110);
    let profile = line.next();
    let es = matches!(number, 100 | 300 | 310 | 320) || profile.is_some_and(|word| word.is("es"));
    let known = if es { number.clamp(100, 320) } else { number.clamp(110, 460) };
    let version = Version { number: known, es, guessed: false, toy: false };
    Some((version, profile.is_some_and(|word| word.is("compatibility"))))
}

/// The version of a source that says none.
pub fn guess(tokens: &[Token<'_>]) -> Version {
    let version = |number, es| Version { number, es, guessed: true, toy: false };
    if toy(tokens) {
        return version(300, true);
    }
    let (mut depth, mut directive) = (0usize, false);
    for (n, token) in tokens.iter().enumerate() {
        if token.first {
            directive = token.is("#");
            let word = tokens.get(n + 1).filter(|word| directive && !word.first);
            match word.map(|word| &*word.text) {
                Some("if" | "ifdef" | "ifndef") => depth += 1,
                Some("endif") => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        if depth == 0 && !directive && token.is("precision") {
            return version(100, true);
        }
    }
    version(110, false)
}

/// Whether a source is Shadertoy's: it has `mainImage` and no `main`.
pub fn toy(tokens: &[Token<'_>]) -> bool {
    let defines = |name: &str| {
        tokens.windows(2).any(|pair| {
            matches!(pair, [word, bracket] if word.is(name) && word.kind == Kind::Word && bracket.is("("))
        })
    };
    defines("mainImage") && !defines("main")
}

impl Preprocessor<'_, '_, '_> {
    /// `#version`.
    pub fn version(&mut self, rest: &[Token<'_>], span: Span) {
        let first = self.directives == 1 && !self.text;
        if !first {
            let error = span.error("`#version` must be the first of the source");
            return self.found.error(error.help("only comments and spaces may precede it"));
        }
        if self.version.es && self.version.number >= 300 && span.start > self.blank {
            let error = span.error(format!("in {} `#version` must begin the source", self.version));
            self.found.warning(error.help("others refuse comments and lines before it"));
        }
        let Some(number) = rest.first() else {
            return self.found.error(span.error("expected a version after `#version`"));
        };
        let profile = rest.get(1);
        let word = profile.map(|profile| &*profile.text);
        let versions = "100, 110, 120, 130, 140, 150, 330, 300 es";
        let error = match (&*number.text, word) {
            ("100" | "110" | "120" | "130" | "140", None) => None,
            (
                "150" | "330" | "400" | "410" | "420" | "430" | "440" | "450" | "460",
                None | Some("core" | "compatibility"),
            ) => None,
            ("300" | "310" | "320", Some("es")) => None,
            (text @ ("300" | "310" | "320"), None) => {
                let error = number.span.error(format!("version {text} is an OpenGL ES version"));
                Some(error.help(format!("write `#version {text} es`")))
            }
            (text @ ("100" | "110" | "120" | "130" | "140"), Some(word)) => {
                let error = span.error(format!("version {text} has no profile `{word}`"));
                Some(error.help(format!("write `#version {text}`")))
            }
            (
                text @ ("150" | "330" | "400" | "410" | "420" | "430" | "440" | "450" | "460"),
                Some(word),
            ) => {
                let error = span.error(format!("version {text} has no profile `{word}`"));
                Some(error.help("its profiles are `core` and `compatibility`"))
            }
            (text @ ("300" | "310" | "320"), Some(word)) => {
                let error = span.error(format!("version {text} has no profile `{word}`"));
                Some(error.help(format!("write `#version {text} es`")))
            }
            (text, _) => {
                let error = number.span.error(format!("`{text}` is not a version of the language"));
                Some(error.help(format!("there are {versions}")))
            }
        };
        if let Some(error) = error {
            return self.found.error(error);
        }
        self.nothing(rest.get(2..).unwrap_or_default(), "version");
    }
}
