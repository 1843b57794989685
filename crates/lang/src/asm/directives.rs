//! Directives: names, constants with values, state registers, notes.

use super::draft::Address;
use super::names::{Names, Register, constant};
use super::numbers::{Pool, parse_float, parse_u32};
use super::syntax::{Argument, Directive};
use crate::program::{ConstantKind, Image, Literal, NamedSlot, Registers, Sharing, UserConstant};
use ctm_base::text::{At, Parsed};
use std::collections::BTreeMap;

/// All settings of the whole program that directives make.
pub(super) struct Settings<'s> {
    /// The image as far as directives describe it: no instructions yet, and registers that are not
    /// given have no meaning.
    pub image: Image,
    /// State registers that the source sets, by their names.
    pub registers: BTreeMap<&'static str, u32>,
    pub start: Option<Address<'s>>,
    pub end: Option<Address<'s>>,
    /// `.sync manual`: synchronisation bits only as written.
    pub manual: bool,
    /// The source gives the container's lists explicitly.
    pub notes_given: bool,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Settings {
            image: Image::from_words(Vec::new()),
            registers: BTreeMap::new(),
            start: None,
            end: None,
            manual: false,
            notes_given: false,
        }
    }
}

/// The directives: name, arguments, meaning. For parsing, errors and documentation.
pub(super) const DIRECTIVES: &[(&str, &str, &str)] = &[
    ("input", "NAME INPUT", "names an input"),
    ("output", "NAME OUTPUT", "names an output"),
    ("const", "NAME REGISTER", "names a constant whose value the client gives"),
    ("temp", "NAME REGISTER", "names a temporary"),
    ("literal", "[NAME] REGISTER VALUE...", "gives a constant a value that belongs to the program"),
    ("zero_times", "", "0 times anything is 0 (US_CONFIG bit 1)"),
    ("umrt", "", "outputs are uncached writes"),
    (
        "sharing",
        "[global=N] [clause=N] [reserved=BITS]",
        "the program's shared registers; it can then use g0, g[ar.x+1], ct0 and mova_floor",
    ),
    ("sync", "auto | manual", "whether synchronisation bits are set automatically"),
    ("start", "LABEL | NUMBER", "the first instruction executed"),
    ("end", "LABEL | NUMBER", "the last instruction executed"),
    ("offset", "NUMBER", "what relative addresses are relative to (US_CODE_OFFSET)"),
    ("register", "REGISTER VALUE", "sets a state register"),
    ("fg_depth_src", "VALUE", "a word of the program information, recorded only"),
    (
        "note",
        "KIND [VALUE...]",
        "says what the container lists; without it the assembler finds out",
    ),
];

/// Whether a directive declares the shared registers. Names depend on it.
pub(super) fn is_sharing(directive: &Directive<'_>) -> bool {
    directive.name.node.eq_ignore_ascii_case("sharing")
}

/// The arguments of `.sharing`, as SQ_GPR_RESOURCE; `None` if they do not have its form.
fn sharing(arguments: &[At<Argument<'_>>]) -> Parsed<Option<Sharing>> {
    use Argument::{Number, Word};
    let (pairs, rest) = arguments.as_chunks::<2>();
    if !rest.is_empty() {
        return Ok(None);
    }
    let mut word = 0;
    let mut given = 0;
    for pair in pairs {
        let [At { node: Word(key), span: key_span }, At { node: Number(text, false), span }] =
            *pair
        else {
            return Ok(None);
        };
        const KEYS: [(&str, u32, u32); 3] =
            [("global", 128, 0), ("clause", 15, 28), ("reserved", u32::MAX, 0)];
        let n = KEYS.iter().position(|(name, ..)| key.eq_ignore_ascii_case(name));
        let Some(n) = n.filter(|n| given >> n & 1 == 0) else {
            return Err(key_span
                .error(format!("`{key}` does not fit here"))
                .help("`.sharing` takes global, clause and reserved, each at most once"));
        };
        given |= 1 << n;
        let (_, most, shift) = KEYS[n];
        let value = parse_u32(text).filter(|value| *value <= most);
        let value =
            value.ok_or_else(|| span.error(format!("expected a number from 0 to {most}")))?;
        word |= if n == 2 { Sharing(value).reserved() } else { value << shift };
    }
    Ok(Some(Sharing(word)))
}

/// Executes one directive.
pub(super) fn read<'s>(
    directive: &Directive<'s>,
    names: &mut Names<'s>,
    pool: &mut Pool,
    settings: &mut Settings<'s>,
) -> Parsed<()> {
    use Argument::{Number, Word};
    let At { node: written, span } = directive.name;
    let name = written.to_ascii_lowercase();
    let Some((_, form, _)) = DIRECTIVES.iter().find(|(word, ..)| *word == name) else {
        let all: Vec<String> = DIRECTIVES.iter().map(|(word, ..)| format!(".{word}")).collect();
        return Err(span
            .error(format!("unknown directive `.{written}`"))
            .help(format!("the directives are {}", all.join(", "))));
    };
    let usage = || match *form {
        "" => span.error(format!("`.{name}` takes no arguments")),
        form => span.error(format!("`.{name}` is written `.{name} {form}`")),
    };
    match (name.as_str(), directive.arguments.as_slice()) {
        (
            "input" | "output" | "const" | "temp",
            &[At { node: Word(own), span: own_span }, At { node: Word(text), span }],
        ) => {
            let register = names.find(text, span)?;
            let Image { input_names, output_names, user_constants, .. } = &mut settings.image;
            let (is, help) = match name.as_str() {
                "input" => ("an input", "inputs are i0 to i15"),
                "output" => ("an output", "outputs are o0 to o3"),
                "temp" => ("a temporary", "temporaries are r0 to r127"),
                _ => ("a constant", CONSTANTS),
            };
            let named = |n: u8| NamedSlot { name: own.to_string(), slot: n.into() };
            match (name.as_str(), register, constant(register)) {
                ("input", Register::Input(n), _) => input_names.push(named(n)),
                ("output", Register::Output(n), _) => output_names.push(named(n)),
                ("temp", Register::Temp(..), _) => {}
                ("const", _, Some((kind, addr))) => {
                    pool.reserve(kind, addr);
                    user_constants.push(UserConstant { name: own.to_string(), kind, addr });
                }
                _ => return Err(span.error(format!("`{text}` is not {is}")).help(help)),
            }
            return names.define(At::new(own, own_span), register);
        }
        ("literal", arguments) => {
            return literal(arguments, names, pool).unwrap_or_else(|| Err(usage()));
        }
        ("sharing", arguments) => {
            let sharing = sharing(arguments)?.ok_or_else(usage)?;
            if settings.image.sharing.replace(sharing).is_some() {
                return Err(span.error("`.sharing` is given twice"));
            }
            names.sharing = Some(sharing);
        }
        ("zero_times", []) => *settings.registers.entry("US_CONFIG").or_insert(0) |= 2,
        ("umrt", []) => settings.image.umrt = true,
        ("sync", [At { node: Word(mode), .. }]) if mode.eq_ignore_ascii_case("auto") => {
            settings.manual = false;
        }
        ("sync", [At { node: Word(mode), .. }]) if mode.eq_ignore_ascii_case("manual") => {
            settings.manual = true;
        }
        ("start" | "end", [place]) => {
            let address = match place.node {
                Word(label) => Address::Label(At::new(label, place.span)),
                Number(..) => Address::Slot(unsigned(place, 511)? as usize),
            };
            let end = if name == "start" { &mut settings.start } else { &mut settings.end };
            *end = Some(address);
        }
        ("offset", [value]) => {
            settings.registers.insert("US_CODE_OFFSET", unsigned(value, 511)?);
        }
        ("fg_depth_src", [value]) => settings.image.fg_depth_src = unsigned(value, u32::MAX)?,
        ("register", [At { node: Word(register), span }, value]) => {
            let known = Registers::NAMES.into_iter();
            let Some(name) = known.clone().find(|name| name.eq_ignore_ascii_case(register)) else {
                return Err(span
                    .error(format!("unknown state register `{register}`"))
                    .help(format!("the registers are {}", Registers::NAMES.join(", "))));
            };
            settings.registers.insert(name, unsigned(value, u32::MAX)?);
        }
        ("note", [kind, values @ ..]) => {
            settings.notes_given = true;
            let list = numbers(values)?;
            let flag = || match list.as_slice() {
                [value @ (0 | 1)] => Ok(Some(*value == 1)),
                _ => Err(kind.span.error("this note is 0 or 1")),
            };
            let image = &mut settings.image;
            match kind.node {
                Word("none") => {}
                Word("conditional_output") => image.conditional_output = flag()?,
                Word("early_exit") => image.early_exit = flag()?,
                Word("inputs") => image.inputs = Some(list),
                Word("outputs") => image.outputs = Some(list),
                Word("float_constants") => image.float_constants = Some(list),
                Word("int_constants") => image.int_constants = Some(list),
                _ => {
                    return Err(kind.span.error("unknown note")
                        .help("the notes are none, inputs, outputs, float_constants, int_constants, conditional_output, early_exit"));
                }
            }
        }
        _ => return Err(usage()),
    }
    Ok(())
}

const CONSTANTS: &str = "constants are c0 to c255, n0 to n31, b0 to b31";

/// Numbers and ranges such as `0-255`.
fn numbers(values: &[At<Argument<'_>>]) -> Parsed<Vec<u32>> {
    let mut list: Vec<u32> = Vec::new();
    let mut end = None;
    for value in values {
        let before = end.replace(value.span.end);
        let width = value.span.end - value.span.start;
        match (value.node, list.last()) {
            // The lexer splits a range into a number and an adjacent negative one.
            (Argument::Number(text, true), Some(&first))
                if before == Some(value.span.start) && width == 1 + text.len() =>
            {
                let last = parse_u32(text).filter(|last| (first..1024).contains(last));
                let last = last.ok_or_else(|| {
                    value.span.error("a range goes from a number to a larger one below 1024")
                })?;
                list.extend(first + 1..=last);
            }
            _ => list.push(unsigned(value, u32::MAX)?),
        }
    }
    Ok(list)
}

/// A number of at most `limit`.
fn unsigned(argument: &At<Argument<'_>>, limit: u32) -> Parsed<u32> {
    let value = match argument.node {
        Argument::Number(text, false) => parse_u32(text).filter(|value| *value <= limit),
        _ => None,
    };
    value.ok_or_else(|| argument.span.error(format!("expected a number from 0 to {limit}")))
}

/// `.literal pi c5 3.14 0 0 0`; `None` if it has another form.
fn literal<'s>(
    arguments: &[At<Argument<'s>>],
    names: &mut Names<'s>,
    pool: &mut Pool,
) -> Option<Parsed<()>> {
    use Argument::Word;
    let (name, rest) = match arguments {
        [At { node: Word(name), span }, rest @ ..] if matches!(rest, [At { node: Word(second), .. }, ..] if !is_float(second)) => {
            (Some(At::new(*name, *span)), rest)
        }
        _ => (None, arguments),
    };
    match rest {
        [At { node: Word(text), span }, values @ ..] if matches!(values.len(), 1..=4) => {
            Some(define(name, At::new(*text, *span), values, names, pool))
        }
        _ => None,
    }
}

fn is_float(text: &str) -> bool {
    matches!(text.to_ascii_lowercase().as_str(), "inf" | "nan")
}

fn define<'s>(
    name: Option<At<&'s str>>,
    At { node: text, span }: At<&'s str>,
    values: &[At<Argument<'s>>],
    names: &mut Names<'s>,
    pool: &mut Pool,
) -> Parsed<()> {
    let register = names.find(text, span)?;
    let (kind, addr) = constant(register)
        .ok_or_else(|| span.error(format!("`{text}` is not a constant")).help(CONSTANTS))?;
    // A loop with only a count steps aL by one.
    let mut value = [0, 0, u32::from(kind == ConstantKind::Int), 0];
    for (n, argument) in values.iter().enumerate() {
        value[n] = match kind {
            ConstantKind::Float => float(argument)?,
            ConstantKind::Int if n < 3 => int(argument, n == 2)?,
            ConstantKind::Bool if n == 0 => unsigned(argument, 1)?,
            _ => return Err(argument.span.error("one value too many")),
        };
    }
    if !pool.give(Literal { kind, addr, value }) {
        return Err(span.error(format!("`{text}` has a value already")));
    }
    name.map_or(Ok(()), |name| names.define(name, register))
}

/// The bits of a float.
fn float(argument: &At<Argument<'_>>) -> Parsed<u32> {
    let value = match argument.node {
        Argument::Number(text, true) => parse_float(text).map(|value| -value),
        Argument::Number(text, false) => parse_float(text),
        Argument::Word(text) => parse_float(text).filter(|_| is_float(text)),
    };
    value.map(f32::to_bits).ok_or_else(|| argument.span.error("expected a number"))
}

fn int(argument: &At<Argument<'_>>, step: bool) -> Parsed<u32> {
    let range = if step { -128..=127 } else { 0..=255 };
    let value = match argument.node {
        Argument::Number(text, true) => parse_u32(text).map(|value| -i64::from(value)),
        Argument::Number(text, false) => parse_u32(text).map(i64::from),
        Argument::Word(_) => None,
    };
    value.filter(|value| range.contains(value)).map(|value| value as u32).ok_or_else(|| {
        argument
            .span
            .error(format!("expected a number from {} to {}", range.start(), range.end()))
            .help("the values are count (0 to 255), aL start (0 to 255), aL step (-128 to 127)")
    })
}
