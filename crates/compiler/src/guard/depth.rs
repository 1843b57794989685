//! The depth of a source's tree, which is what naga's front end needs stack for: brackets within brackets, operators of
//! one expression, each of which has the ones before as its operand, and `else if`, each of which is in the one before.
//! Commas and statements in a row cost none.

use super::tokens::{Lexeme, Token};
use ctm_base::text::Diagnostic;

/// Greatest depth. It needs at most 0.8 MiB of stack, of which a thread has 2 MiB and a browser 1 MiB.
const MAX_DEPTH: usize = 1000;

/// The depth of a bracket, an `else`, an access to a part, an operator: by what each costs.
const BRACKET: usize = 8;
const ELSE: usize = 4;
const ACCESS: usize = 3;
const OPERATOR: usize = 1;

/// Most declarations outside functions: naga follows each to the next that it uses.
const MAX_DECLARATIONS: usize = 2000;

/// An open bracket, or the source itself.
#[derive(Default)]
struct Level {
    /// The depth of the branches of the statement so far.
    chain: usize,
    /// That of the operators since then.
    own: usize,
    /// That of the deepest bracket since then.
    inner: usize,
    /// That of what came before.
    before: usize,
    /// A block has just ended.
    ended: bool,
}

impl Level {
    /// The depth of the expression or statement so far.
    fn depth(&self) -> usize {
        self.chain + self.own + self.inner
    }

    /// An expression or statement ends.
    fn next(&mut self) {
        *self = Level { before: self.before.max(self.depth()), ..Level::default() };
    }

    /// Another branch of the statement begins.
    fn otherwise(&mut self) {
        let chain = self.chain + ELSE;
        self.next();
        self.chain = chain;
    }
}

/// Refuses a source that is too deep.
pub fn check(tokens: &[Token<'_>]) -> Result<(), Diagnostic> {
    let mut levels: Vec<Level> = Vec::new();
    let mut level = Level::default();
    let mut declarations = 0;
    for token in tokens {
        if std::mem::take(&mut level.ended) {
            if token.lexeme == Lexeme::Word("else") {
                level.otherwise();
            } else {
                level.next();
            }
        }
        if let Lexeme::Sign(sign) = token.lexeme {
            match sign {
                '(' | '{' => levels.push(std::mem::take(&mut level)),
                '[' => {
                    level.own += ACCESS;
                    levels.push(std::mem::take(&mut level));
                }
                ')' | ']' | '}' => {
                    level.next();
                    let depth = BRACKET + level.before;
                    level = levels.pop().unwrap_or_default();
                    level.inner = level.inner.max(depth);
                    level.ended = sign == '}';
                }
                ',' | ';' => level.next(),
                '.' => level.own += ACCESS,
                '+' | '-' | '*' | '/' | '%' | '^' | '~' | '!' | '&' | '|' | '<' | '>' | '=' => {
                    level.own += OPERATOR;
                }
                _ => {}
            }
            declarations += usize::from(levels.is_empty() && matches!(sign, ';' | '}'));
        }
        if BRACKET * levels.len() + level.depth() > MAX_DEPTH {
            let error = token.span().error("this is nested too deep");
            return Err(error.help(format!(
                "at most {} brackets, {} `else if` and {MAX_DEPTH} operators can be within each other",
                MAX_DEPTH / BRACKET,
                MAX_DEPTH / ELSE
            )));
        }
        if declarations > MAX_DECLARATIONS {
            return Err(token.span().error(format!("more than {MAX_DECLARATIONS} declarations")));
        }
    }
    Ok(())
}
