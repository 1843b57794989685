//! Parsing of conditions: truth tables from names, `!`, `&`, `|` and parentheses.

use super::hints;
use super::numbers::need_integer;
use super::syntax::{ALU_RESULT, BOOLEAN, Condition, PREDICATE};
use ctm_base::text::{At, Cursor, Parsed};

/// `if` and a condition, or nothing.
pub(super) fn optional_condition<'s>(cursor: &mut Cursor<'_, 's>) -> Parsed<Option<Condition<'s>>> {
    cursor.accept("if").map(|_| condition(cursor)).transpose()
}

/// A truth table from names, `!`, `&`, `|` and parentheses.
pub(super) fn condition<'s>(cursor: &mut Cursor<'_, 's>) -> Parsed<Condition<'s>> {
    let mut result = Condition::new(cursor.peek().span, 0);
    result.table = any_of(cursor, &mut result)?;
    result.span = cursor.since(result.span);
    Ok(result)
}

fn any_of<'s>(cursor: &mut Cursor<'_, 's>, names: &mut Condition<'s>) -> Parsed<u8> {
    let tables = cursor.separated("|", |cursor| {
        let tables = cursor.separated("&", |cursor| term(cursor, names))?;
        Ok(tables.into_iter().fold(0xff, |all, table| all & table))
    })?;
    Ok(tables.into_iter().fold(0, |any, table| any | table))
}

fn term<'s>(cursor: &mut Cursor<'_, 's>, names: &mut Condition<'s>) -> Parsed<u8> {
    let mut invert = 0;
    while cursor.accept("!").is_some() {
        invert ^= 0xff;
    }
    if let Some(open) = cursor.accept("(") {
        let table = cursor.nested(open, |cursor| any_of(cursor, names))?;
        cursor.expect(")")?;
        return Ok(table ^ invert);
    }
    let name = cursor.need_word(
        "a condition: alu_result, a predicate such as p.r, a boolean constant, always, never",
    )?;
    if let Some(error) = hints::comparison(cursor, name.node.eq_ignore_ascii_case("p")) {
        return Err(error);
    }
    let table = match name.node.to_ascii_lowercase().as_str() {
        "always" => 0xff,
        "never" => 0,
        "table" => given_table(cursor, names)?,
        _ => input(cursor, names, name, false)?,
    };
    Ok(table ^ invert)
}

/// The truth table of one of the three inputs of a jump, after its name. `inverted` is the
/// hardware's inversion of the predicate; only `table(...)` can set it.
fn input<'s>(
    cursor: &mut Cursor<'_, 's>,
    names: &mut Condition<'s>,
    name: At<&'s str>,
    inverted: bool,
) -> Parsed<u8> {
    if name.node.eq_ignore_ascii_case("alu_result") {
        return Ok(ALU_RESULT);
    }
    if !name.node.eq_ignore_ascii_case("p") {
        unique(&mut names.boolean, name, "boolean constant")?;
        return Ok(BOOLEAN);
    }
    let channel = cursor.dot();
    let channel = channel.ok_or_else(|| cursor.expected("a predicate bit: .r, .g, .b or .a"))?;
    unique(&mut names.predicate, channel, "predicate bit")?;
    if *names.inverted.get_or_insert(inverted) != inverted {
        return Err(channel
            .span
            .error("a table inverts the predicate for the whole condition; here it is also used as it is")
            .help("leave `!` out of the table, and swap the table's bits instead"));
    }
    Ok(PREDICATE)
}

/// `(0x1b, p.r, b0)`, after `table`: the truth table and the inputs that it uses.
fn given_table<'s>(cursor: &mut Cursor<'_, 's>, names: &mut Condition<'s>) -> Parsed<u8> {
    cursor.expect("(")?;
    let table = need_integer(cursor, "a truth table of 8 bits")?;
    let value = u8::try_from(table.node)
        .map_err(|_| table.span.error("a truth table has 8 bits: 0 to 0xff"))?;
    while cursor.accept(",").is_some() {
        let inverted = cursor.accept("!").is_some();
        let keyword = ["always", "never", "table"].iter().any(|name| cursor.is(name));
        let what = if inverted {
            "a predicate such as p.r"
        } else {
            "alu_result, a predicate such as p.r or !p.r, or a boolean constant"
        };
        if keyword || (inverted && !cursor.is("p")) {
            return Err(cursor.expected(what));
        }
        let name = cursor.need_word(what)?;
        input(cursor, names, name, inverted)?;
    }
    cursor.expect(")")?;
    Ok(value)
}

fn unique<'s>(slot: &mut Option<At<&'s str>>, found: At<&'s str>, what: &str) -> Parsed<()> {
    match slot.replace(found) {
        Some(first) if first.node != found.node => Err(found
            .span
            .error(format!("a condition has one {what}; this one already has `{}`", first.node))),
        _ => Ok(()),
    }
}
