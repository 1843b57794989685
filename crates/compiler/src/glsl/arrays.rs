//! The dimensions of arrays in declarations and types, labels of cases, and parts of elements, as naga reads them.
//!
//! naga takes `float a[2][3]` for three arrays of two. In dimensions and in labels it knows no constant of a function, and
//! takes elements of arrays wrongly. So the dimensions change places, such a constant's value stands where its name is, and
//! elements are refused. It cannot assign to a component of a matrix's column by its letter: `m[1].y = ` becomes
//! `m[1][1] = `.

use super::declarations::STATEMENTS;
use super::nesting;
use crate::lexer::{Kind, Token};
use ctm_base::text::Parsed;
use std::borrow::Cow;
use std::collections::HashSet;

/// A whole constant of a function: its name, its value, the depth of blocks that it is known in.
struct Constant<'s> {
    name: String,
    value: Vec<Token<'s>>,
    depth: usize,
}

/// Rewrites the dimensions and labels in a source whose tokens these are.
pub fn rewrite(tokens: Vec<Token<'_>>) -> Parsed<Vec<Token<'_>>> {
    let structures: HashSet<String> = (tokens.windows(2))
        .filter(|two| two[0].is("struct"))
        .map(|two| two[1].text.to_string())
        .collect();
    let members = members(&tokens);
    let mut constants: Vec<Constant<'_>> = Vec::new();
    let mut out: Vec<Token<'_>> = Vec::new();
    let (mut depth, mut at) = (0usize, 0);
    while at < tokens.len() {
        match &*tokens[at].text {
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                constants.retain(|constant| constant.depth <= depth);
            }
            "const" if depth > 0 => constants.extend(constant(&tokens[at..], depth)),
            _ => {}
        }
        // Dimensions, or a label.
        let mut pieces = Vec::new();
        if declares(&tokens[..at], &structures) {
            while tokens.get(at).is_some_and(|token| token.is("[")) {
                let length = length(&tokens[at..], &["]"], "a number of elements")?;
                pieces.push(&tokens[at..at + length]);
                at += length;
            }
        } else if tokens[at].is("case") {
            let length = length(&tokens[at..], &[":", ";", "{", "}"], "the label of a case")?;
            pieces.push(&tokens[at..at + length]);
            at += length;
        }
        if let Some(component) =
            component(&tokens[at..]).filter(|_| at > 0 && tokens[at - 1].is("]"))
            && !members.contains(&*tokens[at + 1].text)
        {
            let index = [(Kind::Sign, "["), (Kind::Number, component), (Kind::Sign, "]")];
            out.extend(index.map(|(kind, text)| Token {
                kind,
                text: Cow::Borrowed(text),
                ..tokens[at + 1].clone()
            }));
            at += 2;
            continue;
        }
        if pieces.is_empty() {
            out.push(tokens[at].clone());
            at += 1;
            continue;
        }
        for token in pieces.into_iter().rev().flatten() {
            match constants.iter().rev().find(|constant| token.is(&constant.name)) {
                Some(constant) => out.extend(
                    constant.value.iter().map(|part| Token { span: token.span, ..part.clone() }),
                ),
                None => out.push(token.clone()),
            }
        }
    }
    Ok(out)
}

/// Whether brackets after these tokens are dimensions: they follow a type, or a name that follows a type.
fn declares(before: &[Token<'_>], structures: &HashSet<String>) -> bool {
    let [.., last] = before else { return false };
    // `vec` and `mat` alone are names.
    let is_type = |token: &Token<'_>| {
        let text = &*token.text;
        let vector = text.strip_prefix(['i', 'u', 'b']).unwrap_or(text).strip_prefix("vec");
        let sizes = vector.or(text.strip_prefix("mat")).unwrap_or_default();
        matches!(text, "float" | "int" | "uint" | "bool")
            || matches!(sizes.as_bytes(), [b'2'..=b'4'] | [b'2'..=b'4', b'x', b'2'..=b'4'])
            || structures.contains(text)
    };
    let word = |token: &Token<'_>| token.kind == Kind::Word;
    is_type(last)
        || word(last)
            && before.len() > 1
            && word(&before[before.len() - 2])
            && !STATEMENTS.contains(&&*before[before.len() - 2].text)
}

/// The names of the members of structures, and their types.
fn members(tokens: &[Token<'_>]) -> HashSet<String> {
    let (mut depth, mut inside) = (0usize, None);
    let mut found = HashSet::new();
    for (n, token) in tokens.iter().enumerate() {
        if token.is("{") && n > 1 && tokens[n - 2].is("struct") {
            inside = Some(depth);
        }
        depth = nesting(depth, token);
        inside = inside.filter(|outside| depth > *outside);
        if inside.is_some() && token.kind == Kind::Word {
            found.insert(token.text.to_string());
        }
    }
    found
}

/// The index of the component that tokens assign to: `.y =`.
fn component(tokens: &[Token<'_>]) -> Option<&'static str> {
    let [dot, name, sign, ..] = tokens else { return None };
    let assigns = matches!(&*sign.text, "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "++" | "--");
    if !dot.is(".") || !assigns {
        return None;
    }
    match &*name.text {
        "x" | "r" | "s" => Some("0"),
        "y" | "g" | "t" => Some("1"),
        "z" | "b" | "p" => Some("2"),
        "w" | "a" | "q" => Some("3"),
        _ => None,
    }
}

/// The number of tokens of a constant expression, with the first and the last, which is one of `ends`.
fn length(tokens: &[Token<'_>], ends: &[&str], what: &str) -> Parsed<usize> {
    let end = tokens[1..].iter().position(|token| token.is("[") || ends.contains(&&*token.text));
    match end.map(|end| &tokens[end + 1]) {
        Some(token) if token.is("[") => {
            Err(token.span.error(format!("{what} cannot have brackets for an index")))
        }
        _ => Ok(end.map_or(tokens.len(), |end| end + 2)),
    }
}

/// The constant that a declaration `const int name = value;` makes.
fn constant<'s>(tokens: &[Token<'s>], depth: usize) -> Option<Constant<'s>> {
    let equal = tokens.iter().take(6).position(|token| token.is("="))?;
    let (words, name) = (&tokens[..equal - 1], &tokens[equal - 1]);
    words.iter().find(|word| matches!(&*word.text, "int" | "uint"))?;
    let length = tokens[equal..].iter().position(|token| token.is(";"))?;
    let inside = &tokens[equal + 1..equal + length];
    let plain = |token: &Token<'_>| token.kind == Kind::Number || token.kind == Kind::Sign;
    if inside.is_empty() || !inside.iter().all(|token| plain(token) && !token.is(",")) {
        return None;
    }
    let sign =
        |text: &'static str| Token { kind: Kind::Sign, text: Cow::Borrowed(text), ..name.clone() };
    let mut value = vec![sign("(")];
    value.extend_from_slice(inside);
    value.push(sign(")"));
    Some(Constant { name: name.text.to_string(), value, depth })
}
