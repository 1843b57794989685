//! Directives: names, constants with values, state registers, notes.

use super::diagnostics::{Diagnostic, Span};
use super::names::{Names, Register, constant};
use super::numbers::Pool;
use super::operands::parse_float;
use super::parser::parse_u32;
use super::syntax::{Argument, At, Directive, Word};
use crate::program::{ConstantKind, Image, Literal, NamedSlot, Registers, UserConstant};

/// An address in the program.
#[derive(Clone, Copy, Debug)]
pub(super) enum Address<'s> {
    Number(u32),
    Label(Word<'s>),
}

/// State registers that the source sets.
#[derive(Default)]
pub(super) struct Given {
    pub us_config: Option<u32>,
    pub us_pixsize: Option<u32>,
    pub us_fc_ctrl: Option<u32>,
    pub us_code_addr: Option<u32>,
    pub us_code_range: Option<u32>,
    pub us_code_offset: Option<u32>,
    pub us_w_fmt: Option<u32>,
}

impl Given {
    fn slots(&mut self) -> [&mut Option<u32>; 7] {
        [
            &mut self.us_config,
            &mut self.us_pixsize,
            &mut self.us_fc_ctrl,
            &mut self.us_code_addr,
            &mut self.us_code_range,
            &mut self.us_code_offset,
            &mut self.us_w_fmt,
        ]
    }
    /// Overwrites the registers that the source sets.
    pub fn apply(&self, registers: &mut Registers) {
        let given = [
            self.us_config,
            self.us_pixsize,
            self.us_fc_ctrl,
            self.us_code_addr,
            self.us_code_range,
            self.us_code_offset,
            self.us_w_fmt,
        ];
        for (value, given) in registers.words_mut().into_iter().zip(given) {
            *value = given.unwrap_or(*value);
        }
    }
}

/// The lists of a container; see [`Image`].
#[derive(Default)]
struct Notes {
    inputs: Option<Vec<u32>>,
    outputs: Option<Vec<u32>>,
    conditional_output: Option<bool>,
    float_constants: Option<Vec<u32>>,
    int_constants: Option<Vec<u32>>,
    early_exit: Option<bool>,
}

/// All settings of the whole program that directives make.
#[derive(Default)]
pub(super) struct Settings<'s> {
    pub registers: Given,
    pub start: Option<Address<'s>>,
    pub end: Option<Address<'s>>,
    /// `.sync manual`: synchronisation bits only as written.
    pub manual: bool,
    /// The source gives the container's lists explicitly.
    pub notes_given: bool,
    umrt: bool,
    fg_depth_src: u32,
    notes: Notes,
    user_constants: Vec<UserConstant>,
    inputs: Vec<NamedSlot>,
    outputs: Vec<NamedSlot>,
}

impl Settings<'_> {
    /// Copies the settings into the image.
    pub fn describe(self, image: &mut Image) {
        image.umrt = self.umrt;
        image.fg_depth_src = self.fg_depth_src;
        image.inputs = self.notes.inputs;
        image.outputs = self.notes.outputs;
        image.conditional_output = self.notes.conditional_output;
        image.float_constants = self.notes.float_constants;
        image.int_constants = self.notes.int_constants;
        image.early_exit = self.notes.early_exit;
        image.user_constants = self.user_constants;
        image.input_names = self.inputs;
        image.output_names = self.outputs;
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

/// Executes one directive.
pub(super) fn read<'s>(
    directive: &Directive<'s>,
    names: &mut Names<'s>,
    pool: &mut Pool,
    settings: &mut Settings<'s>,
) -> Result<(), Diagnostic> {
    let name = directive.name.node.to_ascii_lowercase();
    let Some((_, form, _)) = DIRECTIVES.iter().find(|(word, ..)| *word == name) else {
        let all: Vec<String> = DIRECTIVES.iter().map(|(word, ..)| format!(".{word}")).collect();
        return Err(Diagnostic::new(
            directive.name.span,
            format!("unknown directive `.{}`", directive.name.node),
        )
        .help(format!("the directives are {}", all.join(", "))));
    };
    let usage = || {
        let span = directive.name.span;
        match *form {
            "" => Diagnostic::new(span, format!("`.{name}` takes no arguments")),
            form => Diagnostic::new(span, format!("`.{name}` is written `.{name} {form}`")),
        }
    };
    let arguments = directive.arguments.as_slice();
    match (name.as_str(), arguments) {
        ("input" | "output" | "const" | "temp", [first, second]) => {
            let (Argument::Word(text), Argument::Word(register)) = (first.node, second.node) else {
                return Err(usage());
            };
            let found = names.find(register, second.span)?;
            let own = text.to_string();
            let wrong =
                |what: &str| Diagnostic::new(second.span, format!("`{register}` is not {what}"));
            match (name.as_str(), found) {
                ("input", Register::Input(n)) => {
                    settings.inputs.push(NamedSlot { name: own, slot: n as u32 })
                }
                ("input", _) => return Err(wrong("an input").help("inputs are i0 to i15")),
                ("output", Register::Output(n)) => {
                    settings.outputs.push(NamedSlot { name: own, slot: n as u32 })
                }
                ("output", _) => return Err(wrong("an output").help("outputs are o0 to o3")),
                ("temp", Register::Temp(..)) => {}
                ("temp", _) => return Err(wrong("a temporary").help("temporaries are r0 to r127")),
                (_, register) => match constant(register) {
                    Some((kind, addr)) => {
                        pool.reserve(kind, addr);
                        settings.user_constants.push(UserConstant { name: own, kind, addr });
                    }
                    None => {
                        return Err(wrong("a constant")
                            .help("constants are c0 to c255, n0 to n31, b0 to b31"));
                    }
                },
            }
            names.define(At::new(text, first.span), found)
        }
        ("literal", _) => literal(arguments, names, pool).unwrap_or_else(|| Err(usage())),
        ("zero_times", []) => {
            *settings.registers.us_config.get_or_insert(0) |= 2;
            Ok(())
        }
        ("umrt", []) => {
            settings.umrt = true;
            Ok(())
        }
        ("sync", [At { node: Argument::Word(mode), .. }]) => {
            settings.manual = match mode.to_ascii_lowercase().as_str() {
                "auto" => false,
                "manual" => true,
                _ => return Err(usage()),
            };
            Ok(())
        }
        ("start" | "end", [place]) => {
            let address = match place.node {
                Argument::Word(label) => Address::Label(At::new(label, place.span)),
                Argument::Number(..) => Address::Number(unsigned(place, 511)?),
            };
            if name == "start" {
                settings.start = Some(address);
            } else {
                settings.end = Some(address);
            }
            Ok(())
        }
        ("offset", [value]) => {
            settings.registers.us_code_offset = Some(unsigned(value, 511)?);
            Ok(())
        }
        ("fg_depth_src", [value]) => {
            settings.fg_depth_src = unsigned(value, u32::MAX)?;
            Ok(())
        }
        ("register", [first, second]) => {
            let Argument::Word(register) = first.node else {
                return Err(usage());
            };
            let Some(index) =
                Registers::NAMES.iter().position(|name| name.eq_ignore_ascii_case(register))
            else {
                return Err(Diagnostic::new(
                    first.span,
                    format!("unknown state register `{register}`"),
                )
                .help(format!("the registers are {}", Registers::NAMES.join(", "))));
            };
            *settings.registers.slots()[index] = Some(unsigned(second, u32::MAX)?);
            Ok(())
        }
        ("note", [kind, values @ ..]) => {
            settings.notes_given = true;
            let list = numbers(values)?;
            let flag = || match list.as_slice() {
                [value @ (0 | 1)] => Ok(Some(*value == 1)),
                _ => Err(Diagnostic::new(kind.span, "this note is 0 or 1")),
            };
            let notes = &mut settings.notes;
            match kind.node {
                Argument::Word("none") => {}
                Argument::Word("inputs") => notes.inputs = Some(list),
                Argument::Word("outputs") => notes.outputs = Some(list),
                Argument::Word("float_constants") => notes.float_constants = Some(list),
                Argument::Word("int_constants") => notes.int_constants = Some(list),
                Argument::Word("conditional_output") => notes.conditional_output = flag()?,
                Argument::Word("early_exit") => notes.early_exit = flag()?,
                _ => {
                    return Err(Diagnostic::new(kind.span, "unknown note")
                        .help("the notes are none, inputs, outputs, float_constants, int_constants, conditional_output, early_exit"));
                }
            }
            Ok(())
        }
        _ => Err(usage()),
    }
}

/// Numbers and ranges such as `0-255`.
fn numbers(values: &[At<Argument<'_>>]) -> Result<Vec<u32>, Diagnostic> {
    let mut list = Vec::new();
    let mut end = None;
    for value in values {
        let before = end.replace(value.span.end);
        // The lexer splits a range into a number and an adjacent negative one.
        let text = match value.node {
            Argument::Number(text, true)
                if before == Some(value.span.start)
                    && value.span.end - value.span.start == 1 + text.len() =>
            {
                text
            }
            _ => {
                list.push(unsigned(value, u32::MAX)?);
                continue;
            }
        };
        let first = list.last().copied();
        let last =
            parse_u32(text).filter(|last| first.is_some_and(|first| (first..1024).contains(last)));
        match (first, last) {
            (Some(first), Some(last)) => list.extend(first + 1..=last),
            _ => {
                return Err(Diagnostic::new(
                    value.span,
                    "a range goes from a number to a larger one below 1024",
                ));
            }
        }
    }
    Ok(list)
}

/// A number of at most `limit`.
fn unsigned(argument: &At<Argument<'_>>, limit: u32) -> Result<u32, Diagnostic> {
    match argument.node {
        Argument::Number(text, false) => parse_u32(text).filter(|value| *value <= limit),
        _ => None,
    }
    .ok_or_else(|| Diagnostic::new(argument.span, format!("expected a number from 0 to {limit}")))
}

/// `.literal pi c5 3.14 0 0 0`; `None` if it has another form.
fn literal<'s>(
    arguments: &[At<Argument<'s>>],
    names: &mut Names<'s>,
    pool: &mut Pool,
) -> Option<Result<(), Diagnostic>> {
    let (name, rest) = match arguments {
        [At { node: Argument::Word(_), .. }, At { node: Argument::Word(second), .. }, ..]
            if float_word(second).is_none() =>
        {
            (arguments.first(), &arguments[1..])
        }
        _ => (None, arguments),
    };
    let [At { node: Argument::Word(text), span }, values @ ..] = rest else {
        return None;
    };
    if values.is_empty() || values.len() > 4 {
        return None;
    }
    Some(define(name, text, *span, values, names, pool))
}

fn float_word(text: &str) -> Option<f32> {
    matches!(text.to_ascii_lowercase().as_str(), "inf" | "nan").then(|| parse_float(text))?
}

fn define<'s>(
    name: Option<&At<Argument<'s>>>,
    text: &'s str,
    span: Span,
    values: &[At<Argument<'s>>],
    names: &mut Names<'s>,
    pool: &mut Pool,
) -> Result<(), Diagnostic> {
    let register = names.find(text, span)?;
    let Some((kind, addr)) = constant(register) else {
        return Err(Diagnostic::new(span, format!("`{text}` is not a constant"))
            .help("constants are c0 to c255, n0 to n31, b0 to b31"));
    };
    let mut value = [0; 4];
    // A loop with only a count steps aL by one.
    if kind == ConstantKind::Int {
        value[2] = 1;
    }
    for (n, argument) in values.iter().enumerate() {
        value[n] = match kind {
            ConstantKind::Float => float(argument)?,
            ConstantKind::Int if n < 3 => int(argument, n == 2)?,
            ConstantKind::Bool if n == 0 => unsigned(argument, 1)?,
            _ => return Err(Diagnostic::new(argument.span, "one value too many")),
        };
    }
    if !pool.give(Literal { kind, addr, value }) {
        return Err(Diagnostic::new(span, format!("`{text}` has a value already")));
    }
    match name {
        Some(At { node: Argument::Word(name), span }) => {
            names.define(At::new(name, *span), register)
        }
        _ => Ok(()),
    }
}

fn float(argument: &At<Argument<'_>>) -> Result<u32, Diagnostic> {
    let value = match argument.node {
        Argument::Number(text, negative) => {
            parse_float(text).map(|value| if negative { -value } else { value })
        }
        Argument::Word(text) => float_word(text),
    };
    value.map(f32::to_bits).ok_or_else(|| Diagnostic::new(argument.span, "expected a number"))
}

fn int(argument: &At<Argument<'_>>, step: bool) -> Result<u32, Diagnostic> {
    let range = if step { -128..=127 } else { 0..=255 };
    match argument.node {
        Argument::Number(text, negative) => parse_u32(text)
            .map(|value| if negative { -(value as i64) } else { value as i64 })
            .filter(|value| range.contains(value))
            .map(|value| value as u32),
        Argument::Word(_) => None,
    }
    .ok_or_else(|| {
        Diagnostic::new(
            argument.span,
            format!("expected a number from {} to {}", range.start(), range.end()),
        )
        .help("the values are count (0 to 255), aL start (0 to 255), aL step (-128 to 127)")
    })
}
