//! `&&` and `||` whose right side has side effects. naga always runs both sides, but only one side of a choice: `a && b`
//! becomes `((a) ? (b) : false)`, and `a || b` becomes `((a) ? true : (b))`.

use super::loops::{closes, push};
use super::nesting;
use crate::lexer::{Kind, Token};
use std::collections::{HashMap, HashSet};

/// Functions of the language that change an argument.
const CHANGING: [&str; 2] = ["modf", "frexp"];

/// Rewrites the operators of a source whose tokens these are.
pub fn rewrite(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let operators: Vec<usize> = (0..tokens.len()).filter(|n| precedence(&tokens[*n]) > 0).collect();
    if operators.is_empty() {
        return tokens;
    }
    let closes = closes(&tokens);
    let effects = Effects::of(&tokens, &closes);
    let mut opens = vec![Vec::new(); tokens.len() + 1];
    let mut ends = opens.clone();
    for at in operators {
        let end = right(&tokens, &closes, at);
        if !tokens[at].is("^^") && effects.any(&tokens[at + 1..end]) {
            opens[left(&tokens, &closes, at)].push(at);
            ends[end].push(at);
        }
    }
    let choices: HashSet<usize> = ends.iter().flatten().copied().collect();
    let mut out = Vec::new();
    for n in 0..=tokens.len() {
        // The innermost ends first.
        for &at in ends[n].iter().rev() {
            push(
                &mut out,
                if tokens[at].is("&&") { ") : false )" } else { ") )" },
                tokens[at].span,
            );
        }
        for &at in &opens[n] {
            push(&mut out, "( (", tokens[at].span);
        }
        match tokens.get(n) {
            Some(token) if choices.contains(&n) => {
                push(&mut out, if token.is("&&") { ") ? (" } else { ") ? true : (" }, token.span);
            }
            Some(token) => out.push(token.clone()),
            None => {}
        }
    }
    out
}

/// The precedence of a logical operator, 1 the weakest; 0 for other tokens.
fn precedence(token: &Token<'_>) -> u8 {
    match &*token.text {
        "||" => 1,
        "^^" => 2,
        "&&" => 3,
        _ => 0,
    }
}

/// Whether a token assigns.
pub(super) fn assigns(token: &Token<'_>) -> bool {
    let text = &*token.text;
    matches!(text, "=" | "++" | "--")
        || text.len() > 1 && text.ends_with('=') && !matches!(text, "==" | "!=" | "<=" | ">=")
}

/// Whether an operand of a logical operator cannot have this token outside brackets.
fn limits(token: &Token<'_>) -> bool {
    matches!(&*token.text, "," | ";" | "?" | ":" | "{" | "}" | "return" | "else" | "do")
        || assigns(token) && token.text.ends_with('=')
}

/// The index after the right operand of the operator at `at`.
fn right(tokens: &[Token<'_>], closes: &[Option<usize>], at: usize) -> usize {
    let mut n = at + 1;
    while let Some(token) = tokens.get(n) {
        let looser = (1..=precedence(&tokens[at])).contains(&precedence(token));
        if looser || limits(token) || matches!(&*token.text, ")" | "]") {
            break;
        }
        n = closes[n].unwrap_or(n) + 1;
    }
    n
}

/// The index of the first token of the left operand of the operator at `at`.
fn left(tokens: &[Token<'_>], closes: &[Option<usize>], at: usize) -> usize {
    let (mut first, mut depth) = (at, 0usize);
    while let Some(token) = first.checked_sub(1).map(|n| &tokens[n]) {
        match &*token.text {
            ")" | "]" => depth += 1,
            "(" | "[" if depth == 0 => break,
            "(" | "[" => depth -= 1,
            _ if depth > 0 => {}
            _ if limits(token) || (1..precedence(&tokens[at])).contains(&precedence(token)) => {
                break;
            }
            _ => {}
        }
        first -= 1;
    }
    // A statement may follow conditions in brackets.
    while matches!(&*tokens[first].text, "if" | "for" | "while")
        && let Some(end) = closes[first + 1]
    {
        first = end + 1;
    }
    first
}

/// The functions whose calls change something.
pub(super) struct Effects<'t> {
    /// Functions that change their arguments.
    pub arguments: HashSet<&'t str>,
    /// Functions that change global variables or end the point.
    pub globals: HashSet<&'t str>,
    /// The words outside functions: global variables among them.
    pub outside: HashSet<&'t str>,
}

impl<'t> Effects<'t> {
    pub fn of(tokens: &'t [Token<'_>], closes: &[Option<usize>]) -> Effects<'t> {
        let mut effects = Effects {
            arguments: CHANGING.into(),
            globals: HashSet::new(),
            outside: HashSet::new(),
        };
        let (mut depth, mut bodies) = (0usize, Vec::new());
        for (n, token) in tokens.iter().enumerate() {
            depth = nesting(depth, token);
            if depth > 0 || token.kind != Kind::Word {
                continue;
            }
            let end = closes.get(n + 1).copied().flatten().filter(|_| tokens[n + 1].is("("));
            let Some(end) = end else {
                effects.outside.insert(&*token.text);
                continue;
            };
            if tokens[n..end].iter().any(|token| matches!(&*token.text, "out" | "inout")) {
                effects.arguments.insert(&token.text);
            }
            let body = closes.get(end + 1).copied().flatten().filter(|_| tokens[end + 1].is("{"));
            bodies.extend(body.map(|last| (&*token.text, &tokens[end + 1..last])));
        }
        let mut callers: HashMap<&str, Vec<&str>> = HashMap::new();
        let mut found = Vec::new();
        for (name, body) in bodies {
            if effects.leave(body) {
                found.push(name);
            }
            for two in body.windows(2).filter(|two| two[1].is("(")) {
                callers.entry(&two[0].text).or_default().push(name);
            }
        }
        while let Some(name) = found.pop() {
            if effects.globals.insert(name) {
                found.extend(callers.get(name).into_iter().flatten());
            }
        }
        effects
    }

    /// Whether the statements of a function change global variables: those in `outside`. The functions that it calls do
    /// not count.
    fn leave(&self, body: &[Token<'_>]) -> bool {
        body.iter().enumerate().any(|(n, token)| {
            let global = self.outside.contains(&*token.text) || token.text.starts_with("gl_");
            token.is("discard") || global && (assigned(body, n) || self.passed(body, n))
        })
    }

    /// Whether an expression changes anything.
    pub fn any(&self, tokens: &[Token<'_>]) -> bool {
        tokens.iter().enumerate().any(|(n, token)| {
            let text = &*token.text;
            let called = tokens.get(n + 1).is_some_and(|next| next.is("("));
            assigns(token)
                || called && (self.arguments.contains(text) || self.globals.contains(text))
        })
    }

    /// Whether the variable at `n` is an argument of a call that may change it.
    fn passed(&self, tokens: &[Token<'_>], n: usize) -> bool {
        let ends = |token: &&Token<'_>| matches!(&*token.text, ";" | "{" | "}");
        let mut statement = tokens[..n].iter().rev().take_while(|token| !ends(token));
        statement.any(|token| self.arguments.contains(&*token.text))
    }
}

/// Whether the variable at `n`, or a part of it, is assigned to. It may be in brackets.
fn assigned(tokens: &[Token<'_>], n: usize) -> bool {
    let (mut depth, mut after) = (0usize, n + 1);
    let part = |token: &&Token<'_>| matches!(&*token.text, "." | "[" | ")");
    while let Some(token) = tokens.get(after).filter(|token| depth > 0 || part(token)) {
        depth = nesting(depth, token);
        after += if token.is(".") && depth == 0 { 2 } else { 1 };
    }
    tokens.get(after).is_some_and(assigns) || n > 0 && matches!(&*tokens[n - 1].text, "++" | "--")
}

#[cfg(test)]
mod tests {
    use crate::lexer;

    fn rewritten(source: &str) -> String {
        let tokens = lexer::tokens(source).expect("tokens");
        let words: Vec<String> =
            super::rewrite(tokens).into_iter().map(|token| token.text.into_owned()).collect();
        words.join(" ")
    }

    #[test]
    fn operators_whose_right_side_changes_something_become_choices() {
        for (source, expected) in [
            ("x = a && b ++ ;", "x = ( ( a ) ? ( b ++ ) : false ) ;"),
            ("x = a || b ++ ;", "x = ( ( a ) ? true : ( b ++ ) ) ;"),
            ("x = a && b ++ && c ;", "x = ( ( a ) ? ( b ++ ) : false ) && c ;"),
            ("x = a && b && c ++ ;", "x = ( ( a && b ) ? ( c ++ ) : false ) ;"),
            (
                "x = a || b && c ++ || d ;",
                "x = ( ( a ) ? true : ( ( ( b ) ? ( c ++ ) : false ) ) ) || d ;",
            ),
            ("if ( a ) b && c ++ ;", "if ( a ) ( ( b ) ? ( c ++ ) : false ) ;"),
            ("f ( a [ b && c ++ ] , d ) ;", "f ( a [ ( ( b ) ? ( c ++ ) : false ) ] , d ) ;"),
            (
                "bool f ( ) ; float g ; bool p ( ) { return f ( ) ; } bool f ( ) { ( g ) = 1.0 ; return true ; } void main ( ) { x = a && p ( ) ; }",
                "bool f ( ) ; float g ; bool p ( ) { return f ( ) ; } bool f ( ) { ( g ) = 1.0 ; return true ; } void main ( ) { x = ( ( a ) ? ( p ( ) ) : false ) ; }",
            ),
            (
                "float g ; void s ( out float x ) ; bool f ( ) { s ( a ? b : g ) ; } void main ( ) { x = a && f ( ) ; }",
                "float g ; void s ( out float x ) ; bool f ( ) { s ( a ? b : g ) ; } void main ( ) { x = ( ( a ) ? ( f ( ) ) : false ) ; }",
            ),
            (
                "float f ( float x ) { g = x ; return g ; } void main ( ) { x = a && f ( b ) > 1.0 ; }",
                "float f ( float x ) { g = x ; return g ; } void main ( ) { x = a && f ( b ) > 1.0 ; }",
            ),
            (
                "float g ; float f ( float x ) { g . x += x ; } void main ( ) { x = a && f ( b ) > 1.0 ; }",
                "float g ; float f ( float x ) { g . x += x ; } void main ( ) { x = ( ( a ) ? ( f ( b ) > 1.0 ) : false ) ; }",
            ),
        ] {
            assert_eq!(rewritten(source), expected);
        }
    }

    #[test]
    fn operators_whose_sides_change_nothing_stay() {
        for source in [
            "x = a && b || c ^^ d ;",
            "x = a ++ > 1 && b ;",
            "const float g = 1.0 ; float f ( float x ) { float y = x + g ; y *= g ; return y ; } void main ( ) { x = a && f ( b ) > 1.0 ; }",
            "for ( int i = 0 ; a && b ; i ++ ) { }",
            "x = a && b ? c ++ : d ;",
        ] {
            assert_eq!(rewritten(source), source);
        }
    }
}
