//! The size of constants and types with all names in them written out: naga's front end copies a constant where it is
//! used, part by part, so that ones that double would take for ever.

use super::tokens::{Lexeme, Token};
use ctm_base::text::Diagnostic;
use std::collections::BTreeMap;

/// Most words of all constants and types that are used.
const MAX_WORDS: usize = 1 << 19;

/// The words of each constant and type.
type Declared<'a> = BTreeMap<&'a str, Vec<&'a str>>;

/// Refuses a source that is too large.
pub fn check(tokens: &[Token<'_>]) -> Result<(), Diagnostic> {
    let (declared, used) = declared(tokens);
    let sizes = sizes(&declared);
    let mut words = 0usize;
    for (token, word) in used {
        words = words.saturating_add(sizes.get(word).copied().unwrap_or_default());
        if words > MAX_WORDS {
            let error = token.span().error("the constants and types are too large");
            return Err(error.help(format!(
                "written out wherever they are used they have more than {MAX_WORDS} words"
            )));
        }
    }
    Ok(())
}

/// The declarations of constants and types, and the words elsewhere.
fn declared<'t, 'a>(tokens: &'t [Token<'a>]) -> (Declared<'a>, Vec<(&'t Token<'a>, &'a str)>) {
    let (mut declared, mut used) = (Declared::new(), Vec::new());
    // The declaration that is open, and the sign that ends it.
    let mut open: Option<(&str, char)> = None;
    let mut last = "";
    for token in tokens {
        match (token.lexeme, open) {
            (Lexeme::Word(word), None) => {
                match last {
                    "const" | "alias" => open = Some((word, ';')),
                    "struct" => open = Some((word, '}')),
                    _ => used.push((token, word)),
                }
                last = word;
            }
            (Lexeme::Word(word), Some((name, _))) => {
                declared.entry(name).or_default().push(word);
            }
            (Lexeme::Sign(sign), Some((_, end))) if sign == end => (open, last) = (None, ""),
            (Lexeme::Sign(_), _) => {}
        }
    }
    (declared, used)
}

/// The words of each declaration, written out.
fn sizes<'a>(declared: &Declared<'a>) -> BTreeMap<&'a str, usize> {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for name in declared.keys() {
        if sizes.contains_key(name) {
            continue;
        }
        // Names, the words of each that are left, and the words so far. A name in itself is an error of its own.
        sizes.insert(name, 1);
        let words = |name: &str| declared.get(name).map_or(&[][..], Vec::as_slice).iter();
        let mut open = vec![(*name, words(name), 1usize)];
        while let Some((name, left, size)) = open.last_mut() {
            match left.next() {
                Some(word) if declared.contains_key(word) && !sizes.contains_key(word) => {
                    sizes.insert(word, 1);
                    open.push((word, words(word), 1));
                }
                Some(word) => {
                    *size = size.saturating_add(sizes.get(word).copied().unwrap_or(1));
                }
                None => {
                    let (name, size) = (*name, *size);
                    sizes.insert(name, size);
                    open.pop();
                    if let Some((.., outer)) = open.last_mut() {
                        *outer = outer.saturating_add(size);
                    }
                }
            }
        }
    }
    sizes
}
