//! The explicit level, in both directions: every field of every word by its name.

use super::mnemonics::{all_names, row};
use super::numbers::parse_u32;
use super::syntax::{Explicit, ExplicitValue, ExplicitWord};
use ctm_base::text::{At, Diagnostic, Parsed, Span};
use ctm_isa::isa::table::{self, Field};
use ctm_isa::isa::{COMPARISONS, Code, FieldValue, Type, Word};
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
pub(super) fn assemble(statement: &Explicit) -> Parsed<[u32; 6]> {
    let class = statement.class;
    let layout = Word::layout(class);
    let name = |n: usize| match layout[n] {
        Some(register) => register.name().to_string(),
        None => format!("{UNUSED}{n}"),
    };
    let (mut words, mut seen) = ([0; 6], [0; 6]);
    words[0] = table::cmn_inst::TYPE.set(0, class.code());
    for word in &statement.words {
        let At { node: text, span } = word.register;
        let is = |n: &usize| match layout[*n] {
            Some(word) => word.name().eq_ignore_ascii_case(text),
            None => name(*n).eq_ignore_ascii_case(text),
        };
        let Some(n) = (0..6).find(is) else {
            let names: Vec<String> = (0..6).map(name).collect();
            return Err(span
                .error(format!("{} instructions have no word `{text}`", class.name()))
                .help(format!("the words are {}", names.join(", "))));
        };
        match (layout[n], word.values.as_slice()) {
            (Some(register), _) => fields(class, register, word, &mut words[n], &mut seen[n])?,
            // `WORD4(0x12)`
            (None, [ExplicitValue { field: None, value }]) if parse_u32(value.node).is_some() => {
                words[n] = parse_u32(value.node).unwrap_or(0);
            }
            _ => return Err(span.error(format!("`{text}` takes one number of 32 bits"))),
        }
    }
    Ok(words)
}

fn fields(
    class: Type,
    register: Word,
    word: &ExplicitWord,
    bits: &mut u32,
    seen: &mut u32,
) -> Parsed<()> {
    for ExplicitValue { field: name, value } in &word.values {
        let At { node: text, span } = *value;
        let name = name.ok_or_else(|| span.error("expected FIELD=value"))?;
        let field = register.fields().iter().find(|field| {
            field.name.eq_ignore_ascii_case(name.node) && **field != table::cmn_inst::TYPE
        });
        let field = field.ok_or_else(|| {
            name.span
                .error(format!("{} has no field `{}`", register.name(), name.node))
                .help(format!("docs/isa.md lists the fields of {}", register.name()))
        })?;
        let mask = field.set(0, field.max());
        if *seen & mask != 0 {
            return Err(name.span.error(format!("{} is given twice", field.name)));
        }
        *seen |= mask;
        // A name has priority over a number: among swizzles, `1` is the constant one. Write a code
        // in hexadecimal.
        let code = row(names_of(class, field), text).map(|row| row.code.into());
        let code = code.or_else(|| parse_u32(text));
        let code = code.ok_or_else(|| unknown_value(class, field, text, span))?;
        if code > field.max() {
            let (name, width) = (field.name, field.width);
            let plural = if width == 1 { "" } else { "s" };
            return Err(span
                .error(format!("{code} does not fit in {name}, which is {width} bit{plural} wide"))
                .label(format!("at most {}", field.max())));
        }
        *bits = field.set(*bits, code);
    }
    Ok(())
}

fn unknown_value(class: Type, field: &Field, text: &str, span: Span) -> Diagnostic {
    let error = span.error(format!("{} has no value `{text}`", field.name));
    match names_of(class, field) {
        [] => error.help(format!("write a number from 0 to {}", field.max())),
        names => error.help(format!("the values are {}", all_names(names))),
    }
}
