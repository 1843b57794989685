//! The explicit level, in both directions: every field of every word by its name.

use super::diagnostics::Diagnostic;
use super::parser::{parse_u32, row};
use super::syntax::{Explicit, ExplicitWord};
use crate::isa::table::{self, Field};
use crate::isa::{COMPARISONS, Code, FieldValue, TYPES, Type, Word};
use std::fmt::Write;

/// The name of an unused word.
const UNUSED: &str = "WORD";

/// One line of the explicit level: the class, then each word that is not zero with its non-zero
/// fields. It assembles back to exactly these words.
pub fn explicit(words: &[u32; 6]) -> String {
    let class = table::class(words);
    let mut text = class.name().to_string();
    for (index, register) in Word::layout(class).into_iter().enumerate() {
        let Some(register) = register else {
            if words[index] != 0 {
                let _ = write!(text, " {UNUSED}{index}({:#x})", words[index]);
            }
            continue;
        };
        let mut fields = register
            .fields()
            .iter()
            .map(|field| (field, field.get(words[index])))
            .filter(|(field, value)| *value != 0 && **field != table::cmn_inst::TYPE);
        let Some(first) = fields.next() else { continue };
        let _ = write!(text, " {}(", register.name());
        for (n, (field, value)) in std::iter::once(first).chain(fields).enumerate() {
            let space = if n == 0 { "" } else { " " };
            let _ = write!(text, "{space}{}={}", field.name, value_text(class, field, value));
        }
        text.push(')');
    }
    text
}

/// The names of a field's values. TARGET is a comparison in an ALU instruction and an output in
/// OUT.
fn names_of(class: Type, field: &Field) -> &'static [Code] {
    match class {
        Type::Alu if field.name == "TARGET" => COMPARISONS,
        _ => field.values,
    }
}

/// A field's value by its name. Hexadecimal if it has no name or is a bit pattern, else decimal.
fn value_text(class: Type, field: &Field, value: u32) -> String {
    let names = names_of(class, field);
    match names.iter().find(|code| code.code as u32 == value) {
        Some(code) => code.name.to_string(),
        None if !names.is_empty() || field.is_reserved() || field.name == "JUMP_FUNC" => {
            format!("{value:#x}")
        }
        None => value.to_string(),
    }
}

/// The words of an explicit statement.
pub(super) fn assemble(statement: &Explicit) -> Result<[u32; 6], Diagnostic> {
    let Some(code) = row(TYPES, statement.class.node) else {
        return Err(Diagnostic::new(statement.class.span, "unknown class"));
    };
    let class = Type::from_code(code.code as u32);
    let mut words = [0; 6];
    words[0] = table::cmn_inst::TYPE.set(0, class.code());
    let layout = Word::layout(class);
    let mut seen = [0u32; 6];
    for word in &statement.words {
        let name = word.register.node;
        let register = layout
            .into_iter()
            .flatten()
            .find(|register| register.name().eq_ignore_ascii_case(name));
        if let Some(register) = register {
            fields(
                class,
                register,
                word,
                &mut words[register.index()],
                &mut seen[register.index()],
            )?;
            continue;
        }
        let index = (1..6)
            .find(|&n| layout[n].is_none() && name.eq_ignore_ascii_case(&format!("{UNUSED}{n}")));
        match index {
            Some(index) => words[index] = whole(word)?,
            None => return Err(unknown_word(class, word)),
        }
    }
    Ok(words)
}

fn unknown_word(class: Type, word: &ExplicitWord) -> Diagnostic {
    let names: Vec<String> = Word::layout(class)
        .iter()
        .enumerate()
        .map(|(n, register)| {
            register.map_or_else(|| format!("{UNUSED}{n}"), |register| register.name().to_string())
        })
        .collect();
    Diagnostic::new(
        word.register.span,
        format!("{} instructions have no word `{}`", class.name(), word.register.node),
    )
    .help(format!("the words are {}", names.join(", ")))
}

/// The value of `WORD4(0x12)`.
fn whole(word: &ExplicitWord) -> Result<u32, Diagnostic> {
    match word.values.as_slice() {
        [value] if value.field.is_none() && parse_u32(value.value.node).is_some() => {
            Ok(parse_u32(value.value.node).unwrap_or(0))
        }
        _ => Err(Diagnostic::new(
            word.register.span,
            format!("`{}` takes one number of 32 bits", word.register.node),
        )),
    }
}

fn fields(
    class: Type,
    register: Word,
    word: &ExplicitWord,
    bits: &mut u32,
    seen: &mut u32,
) -> Result<(), Diagnostic> {
    for value in &word.values {
        let Some(name) = value.field else {
            return Err(Diagnostic::new(value.value.span, "expected FIELD=value"));
        };
        let field = register.fields().iter().find(|field| {
            field.name.eq_ignore_ascii_case(name.node) && **field != table::cmn_inst::TYPE
        });
        let Some(field) = field else {
            return Err(Diagnostic::new(
                name.span,
                format!("{} has no field `{}`", register.name(), name.node),
            )
            .help(format!("docs/isa.md lists the fields of {}", register.name())));
        };
        let mask = field.set(0, field.max());
        if *seen & mask != 0 {
            return Err(Diagnostic::new(name.span, format!("{} is given twice", field.name)));
        }
        *seen |= mask;
        let text = value.value.node;
        // A name has priority over a number: among swizzles, `1` is the constant one. Write a code
        // in hexadecimal.
        let code = match row(names_of(class, field), text) {
            Some(code) => code.code as u32,
            None => match parse_u32(text) {
                Some(code) => code,
                None => return Err(unknown_value(class, field, text, value.value.span)),
            },
        };
        if code > field.max() {
            return Err(Diagnostic::new(
                value.value.span,
                format!(
                    "{code} does not fit in {}, which is {} bit{} wide",
                    field.name,
                    field.width,
                    if field.width == 1 { "" } else { "s" }
                ),
            )
            .label(format!("at most {}", field.max())));
        }
        *bits = field.set(*bits, code);
    }
    Ok(())
}

fn unknown_value(
    class: Type,
    field: &Field,
    text: &str,
    span: super::diagnostics::Span,
) -> Diagnostic {
    let error = Diagnostic::new(span, format!("{} has no value `{text}`", field.name));
    let names = names_of(class, field);
    if names.is_empty() {
        return error.help(format!("write a number from 0 to {}", field.max()));
    }
    let names: Vec<&str> = names.iter().map(|code| code.name).collect();
    error.help(format!("the values are {}", names.join(", ")))
}
