//! Hints: what to write instead of what other languages have.

use super::mnemonics::Operation;
use super::syntax::{Line, StatementKind};
use ctm_base::text::{Cursor, Diagnostic, Kind, Token};
use ctm_isa::isa::{INPUTS, OUTPUTS};

/// Instructions of other languages, and how this one writes them. What is in backquotes assembles.
const FOREIGN: &[(&str, &str)] = &[
    ("div", "multiply by 0.5 instead of dividing by 2, or by a reciprocal: `rcp r2.r, r1.r`"),
    ("sqrt", "`rsq r2.r, r0.r` is 1/sqrt, and `rcp r2.r, r2.r` after it sqrt"),
    ("pow", "write `ln2 r2.r, r0.r`, `mul r2.r, r2.r, r1.r`, `ex2 r2.r, r2.r`"),
    ("exp", "`ex2 r2.r, r0.r` is the power of 2"),
    ("log", "`ln2 r2.r, r0.r` is the logarithm to base 2"),
    ("lrp lerp mix", "a sum is an operand: `mad r3, r2, r0-r1, r1`"),
    ("floor", "`frc r2, r0` is the fraction, and `sub r1, r0, r2` after it the floor"),
    ("abs", "it is part of an operand: `mov r1, abs(r0)`"),
    ("neg", "it is part of an operand: `mov r1, -r0`"),
    (
        "slt sge seq sne",
        "compare with 0: `sub p<0, r0, r1` sets predicates, `(p) mov r2, 1` uses them",
    ),
    ("tex texld tex2d sample", "write `ld r1, i0[r0.rg]`"),
    ("kil kill discard", "write `texkill r0`"),
    ("jmp goto", "write `jump -> 0`, or a label instead of 0"),
    ("while for", "write `rep 10`, and `endrep` after the body"),
];

/// The equivalent in this language of an instruction of another one.
pub(super) fn foreign(name: &str) -> Option<&'static str> {
    let is = |word: &str| word.eq_ignore_ascii_case(name);
    FOREIGN.iter().find(|(names, _)| names.split(' ').any(is)).map(|(_, help)| *help)
}

/// The equivalent in this language of a register of Direct3D's assembly.
pub(super) fn register(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let letters = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    let number: usize = lower[letters.len()..].parse().ok()?;
    match letters {
        "oc" if number < OUTPUTS => Some(format!("an output is `o{number}` here")),
        "s" if number < INPUTS => Some(format!("an input is `i{number}` here")),
        "v" => Some("a varying is a temporary that the program reads first: `r1`".to_string()),
        _ => None,
    }
}

/// For a register at the place of an instruction, if a value is assigned to it.
pub(super) fn assignment(cursor: &Cursor<'_, '_>, word: &str) -> Option<String> {
    let number = word.strip_prefix(['r', 'o']).is_some_and(|number| number.parse::<u8>().is_ok());
    let help = "an instruction begins with its operation: `mul r1, r0, 2`";
    (number && cursor.is("=")).then(|| help.to_string())
}

/// For a swizzle or a mask of x, y, z and w.
pub(super) fn channels(text: &str) -> Option<String> {
    let letter = |c: char| match c.to_ascii_lowercase() {
        'x' => Some('r'),
        'y' => Some('g'),
        'z' => Some('b'),
        'w' => Some('a'),
        constant @ ('0' | 'h' | '1' | '_') => Some(constant),
        _ => None,
    };
    let letters: String = text.chars().map(letter).collect::<Option<_>>()?;
    Some(format!("write `.{letters}`: x, y, z and w are r, g, b and a here"))
}

/// For what follows a complete line.
pub(super) fn rest(line: &Line<'_>, rest: Kind<'_>) -> Option<String> {
    let Line::Statement(statement) = line else { return None };
    if !matches!(statement.kind, StatementKind::Alu(_) | StatementKind::Tex(_)) {
        return None;
    }
    match rest {
        Kind::Word(_) | Kind::Number(_) | Kind::Punct("{") => {
            Some(format!("is a comma missing before {}?", rest.describe()))
        }
        Kind::Punct("*") => Some("`mul` is an instruction of its own".to_string()),
        Kind::Punct("/") => {
            Some("a comment begins with # or ; and to divide, multiply by `rcp`".to_string())
        }
        Kind::Punct("<" | ">" | "<=" | ">=" | "==" | "!=") => Some(
            "no operand compares: `sub r2, r0, 1` before it, and `cmp r1, r3, r4, r2` chooses r3 where r2 >= 0"
                .to_string(),
        ),
        Kind::Dot(_) | Kind::At(_) | Kind::Punct(_) | Kind::End(_) => None,
    }
}

/// The error for a function in an operand, if one is next.
pub(super) fn function(cursor: &Cursor<'_, '_>) -> Option<Diagnostic> {
    let [name, open, ..] = cursor.rest() else { return None };
    let Kind::Word(word) = name.kind else { return None };
    open.kind.is("(").then(|| {
        let error = name.span.error(format!("`{word}(` does not fit here")).label("not an operand");
        error.help(match Operation::of(word) {
            Some(_) => {
                format!("`{word}` is an instruction: give it a line of its own before this one")
            }
            None => foreign(word)
                .unwrap_or("an operand is a register, a number, or a sum of two")
                .to_string(),
        })
    })
}

/// The error for arithmetic in the brackets of a fetch, if an operator is next.
pub(super) fn subscript(cursor: &Cursor<'_, '_>) -> Option<Diagnostic> {
    let is_operator = matches!(cursor.peek().kind, Kind::Punct("+" | "-" | "*" | "/"));
    is_operator.then(|| {
        let error = cursor.expected("`]` or `)`");
        error.help("compute the coordinate in an instruction before: `add r1.rg, r0, 1`")
    })
}

/// The error for a comparison in a condition, if one is next.
pub(super) fn comparison(cursor: &Cursor<'_, '_>, is_predicate: bool) -> Option<Diagnostic> {
    let Token { kind, span, .. } = cursor.peek();
    let compares =
        matches!(kind, Kind::Dot(_) | Kind::Punct("<" | ">" | "<=" | ">=" | "==" | "!="));
    (compares && !is_predicate).then(|| {
        let error = span.error(format!("{} does not fit here", kind.describe()));
        error.label("a condition does not compare").help(
            "compare in an instruction before: `sub alu_result>=0, r0.r, 3`, then `if alu_result`",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asm::assemble;

    #[test]
    fn what_the_hints_show_assembles() {
        for (names, help) in FOREIGN {
            let code: Vec<&str> = help.split('`').skip(1).step_by(2).collect();
            assert!(!code.is_empty(), "{names}");
            let source = code.join("\n") + "\nend\n";
            assert!(assemble(&source, names).is_ok(), "{names}: {source}");
            for name in names.split(' ') {
                assert_eq!(foreign(&name.to_uppercase()), Some(*help));
                assert!(Operation::of(name).is_none(), "{name}");
            }
        }
    }
}
