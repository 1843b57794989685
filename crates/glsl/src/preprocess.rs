//! The preprocessor: directives and macros, each with its place, within a budget.

mod condition;
mod directives;
mod expand;
mod extensions;
mod macros;
mod versions;

use crate::found::Found;
use crate::lexer::{Kind, Spliced, Token, tokens};
use crate::version::{Extensions, Version};
use ctm_base::text::{Diagnostic, Span};
use macros::Macros;

/// Most tokens that macros may give.
const MAX_TOKENS: usize = 1 << 20;

/// Deepest nesting of conditions.
const MAX_CONDITIONS: usize = 256;

/// The text of a program.
pub struct Preprocessed<'s> {
    /// Its tokens.
    pub tokens: Vec<Token<'s>>,
    /// The version, said or guessed.
    pub version: Version,
    /// The extensions that are on.
    pub extensions: Extensions,
    /// Whether the end is missing, after an error.
    pub cut: bool,
}

/// Runs the preprocessor.
pub fn preprocess<'s>(
    source: &str,
    spliced: &'s Spliced<'_>,
    found: &mut Found,
) -> Preprocessed<'s> {
    let all = tokens(spliced);
    let said = versions::said(&all);
    let version = said.map_or_else(|| versions::guess(&all), |(version, _)| version);
    let mut this = Preprocessor {
        macros: Macros::new(version, said.is_some_and(|(_, compatible)| compatible)),
        conditions: Vec::new(),
        version,
        extensions: Extensions::default(),
        found,
        lines: lines(source),
        blank: source.len() - source.trim_start_matches([' ', '\t', '\u{feff}']).len(),
        shift: 0,
        file: 0,
        text: false,
        directives: 0,
        work: 0,
        cut: false,
    };
    let mut output = Vec::new();
    let mut rest = &all[..];
    while let Some(token) = rest.first() {
        let directive = token.first && token.is("#");
        let end = match directive {
            true => 1 + rest[1..].iter().take_while(|token| !token.first).count(),
            false => rest.iter().take_while(|token| !(token.first && token.is("#"))).count(),
        };
        let (part, after) = rest.split_at(end);
        rest = after;
        if directive {
            this.directive(part);
        } else if this.active() {
            this.text = true;
            this.expand_all(part, &mut output);
        }
    }
    if let Some(open) = this.conditions.last() {
        this.found.error(open.span.error("this condition has no `#endif`"));
    }
    if this.work > MAX_TOKENS {
        // What is left makes no sense.
        output.clear();
    }
    let unclosed = output.last().is_some_and(|token| token.kind == Kind::Comment);
    let cut = this.cut || this.work > MAX_TOKENS || unclosed;
    let extensions = this.extensions;
    for token in &output {
        strange(token, found);
    }
    output.retain(|token| {
        !matches!(token.kind, Kind::Unknown | Kind::Comment) && !token.text.starts_with('#')
    });
    let version = Version { toy: versions::toy(&output), ..version };
    Preprocessed { tokens: output, version, extensions, cut }
}

/// The error of a token that is none of the language.
fn strange(token: &Token<'_>, found: &mut Found) {
    match token.kind {
        Kind::Comment => {
            let start = Span::new(token.span.start, token.span.start + 2);
            found.error(start.error("this comment has no end").help("add `*/`"));
        }
        Kind::Unknown => {
            let character = token.text.chars().next().unwrap_or_default();
            let error = format!("the character {character:?} does not exist in the language");
            found.error(token.span.error(error));
        }
        Kind::Sign if token.text.starts_with('#') => {
            let error = token.span.error(format!("`{}` outside a directive", token.text));
            found.error(error.help("a directive is alone on its line; there are no strings"));
        }
        Kind::Sign | Kind::Word | Kind::Number => {}
    }
}

/// Where the lines of a source begin.
fn lines(source: &str) -> Vec<usize> {
    let bytes = source.as_bytes();
    let newline = |at: &usize| match bytes.get(*at) {
        Some(b'\n') => true,
        Some(b'\r') => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    std::iter::once(0).chain((0..bytes.len()).filter(newline).map(|at| at + 1)).collect()
}

/// An open condition.
struct Open {
    /// Whether its current part counts.
    active: bool,
    /// Whether one of its parts counted.
    done: bool,
    /// Whether `#else` was there.
    last: bool,
    /// The place of `#if`.
    span: Span,
}

struct Preprocessor<'f, 's> {
    macros: Macros<'s>,
    conditions: Vec<Open>,
    version: Version,
    extensions: Extensions,
    found: &'f mut Found,
    /// Where the lines of the source begin.
    lines: Vec<usize>,
    /// Where something other than spaces begins.
    blank: usize,
    /// What `#line` adds to the number of a line.
    shift: i64,
    /// The number of the file by `#line`.
    file: i64,
    /// Whether something other than directives was there.
    text: bool,
    /// Directives until now.
    directives: usize,
    /// Tokens that macros gave.
    work: usize,
    /// Whether the rest of the source is lost, after an error.
    cut: bool,
}

impl Preprocessor<'_, '_> {
    fn active(&self) -> bool {
        self.conditions.last().is_none_or(|open| open.active)
    }

    /// The line of a place, from 1, without `#line`.
    fn line(&self, span: Span) -> usize {
        self.lines.partition_point(|start| *start <= span.start)
    }

    /// What every version forbids and sources without `#version` do nevertheless.
    fn lax(&mut self, error: Diagnostic) {
        match self.version.guessed {
            true => self.found.warning(error),
            false => self.found.error(error),
        }
    }
}
