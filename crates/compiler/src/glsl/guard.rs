//! Sources that could exhaust the stack of naga's parsers, or whose brackets do not match, are refused before they are parsed.

use crate::lexer::{Kind, Token};
use ctm_base::text::{Diagnostic, Span};
use std::collections::HashMap;

/// Deepest nesting of brackets.
const MAX_NESTING: usize = 128;

/// Most tokens of a statement.
const MAX_STATEMENT: usize = 20_000;

/// Most `else` and most unary operators in a row.
const MAX_CHAIN: usize = 2_000;

/// Refuses what could exhaust the stack of a recursive parser.
pub fn tokens(tokens: &[Token<'_>]) -> Result<(), Diagnostic> {
    let (mut depth, mut statement, mut chain, mut elses) = (0usize, 0usize, 0usize, 0usize);
    for token in tokens {
        statement += 1;
        chain =
            if matches!(&*token.text, "-" | "!" | "~" | "+" | "++" | "--") { chain + 1 } else { 0 };
        match &*token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "else" => elses += 1,
            _ => {}
        }
        if matches!(&*token.text, ";" | "{" | "}") {
            statement = 0;
        }
        let most =
            |what: &str, most: usize| Err(token.span.error(format!("more than {most} {what}")));
        if depth > MAX_NESTING {
            return most("nested brackets", MAX_NESTING);
        }
        if statement > MAX_STATEMENT {
            return most("tokens in a statement", MAX_STATEMENT);
        }
        if elses > MAX_CHAIN {
            return most("`else`", MAX_CHAIN);
        }
        if chain > MAX_NESTING {
            return most("operators in a row", MAX_NESTING);
        }
    }
    Ok(())
}

/// Refuses GLSL whose brackets do not match.
pub fn brackets(tokens: &[Token<'_>]) -> Result<(), Diagnostic> {
    let mut open: Vec<&Token<'_>> = Vec::new();
    for token in tokens {
        let opens = match &*token.text {
            "(" | "[" | "{" => {
                open.push(token);
                continue;
            }
            ")" => "(",
            "]" => "[",
            "}" => "{",
            _ => continue,
        };
        match open.pop() {
            Some(last) if last.is(opens) => {}
            Some(last) => return Err(unclosed(last)),
            None => return Err(token.span.error(format!("`{}` closes nothing", token.text))),
        }
    }
    open.last().map_or(Ok(()), |last| Err(unclosed(last)))
}

/// Most members that a structure has with those of its members: more than any variable may have.
const MAX_MEMBERS: usize = 8192;

/// Refuses structures that have too many members, because each has the one before twice, and so on: naga walks them all.
/// Arrays count once, and a structure inside another one counts for itself.
pub fn structures(tokens: &[Token<'_>]) -> Result<(), Diagnostic> {
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (n, three) in tokens.windows(3).enumerate() {
        let [word, name, open] = three else { continue };
        if !word.is("struct") || !open.is("{") {
            continue;
        }
        let inside = tokens[n + 3..].iter().take_while(|token| !token.is("}"));
        let (mut members, mut of, mut starts) = (0usize, 1, true);
        for token in inside {
            match &*token.text {
                ";" => (members, starts) = (members.saturating_add(of), true),
                "," => members = members.saturating_add(of),
                "highp" | "mediump" | "lowp" => {}
                text if starts => (of, starts) = (known.get(text).copied().unwrap_or(1), false),
                _ => {}
            }
        }
        if members > MAX_MEMBERS {
            let text = format!("a structure of {members} members is too large");
            let help = format!("at most {MAX_MEMBERS} are possible, with those of its members");
            return Err(name.span.error(text).help(help));
        }
        known.insert(&name.text, members);
    }
    Ok(())
}

/// The error of a bracket that is not closed.
fn unclosed(open: &Token<'_>) -> Diagnostic {
    open.span.error(format!("this `{}` is not closed", open.text))
}

/// Refuses what could exhaust the stack of WGSL's parser.
pub fn text(source: &str) -> Result<(), Diagnostic> {
    let mut tokens = Vec::new();
    for (start, character) in source.char_indices() {
        if character.is_ascii_punctuation() {
            let end = start + 1;
            let text = std::borrow::Cow::Borrowed(&source[start..end]);
            tokens.push(Token {
                kind: Kind::Sign,
                text,
                span: Span::new(start, end),
                first: false,
                spaced: false,
            });
        }
    }
    self::tokens(&tokens)
}
