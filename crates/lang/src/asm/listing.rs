//! Prints whole programs as text, and single instructions as JSON.

use super::explicit::explicit;
use super::friendly::friendly;
use super::lexer::tokens;
use super::names::Names;
use super::numbers::parse_float;
use crate::program::{ConstantKind, Image, Literal, Registers, Sharing};
use ctm_base::text::{Kind, Span};
use ctm_isa::isa::table::{self, Word};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::fmt::Write;

/// The level of a disassembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Every instruction by its fields.
    Explicit,
    /// Operations and operands if they assemble to the same words, else fields.
    Friendly,
}

/// One instruction, on the friendly level if that is lossless.
/// `sharing` is what its program asks for.
pub fn line(words: &[u32; 6], sharing: Option<Sharing>) -> String {
    friendly(words, sharing).unwrap_or_else(|| explicit(words))
}

/// A program as a source that assembles to an equal image: directives, then one instruction per
/// line. A name that the language cannot express becomes a comment.
///
/// # Examples
/// ```
/// use ctm_lang::asm::{Style, assemble, disassemble};
///
/// let image = assemble("mul o0, r0, 0.5", "half.dpp")?;
/// let text = disassemble(&image, Style::Friendly);
/// assert!(text.contains("\nmul o0, r0, 0.5 @wait "));
/// assert_eq!(assemble(&text, "again.dpp")?, image);
/// # Ok::<(), ctm_lang::asm::TextErrors>(())
/// ```
pub fn disassemble(image: &Image, style: Style) -> String {
    disassemble_with(image, style, |pc| pc.to_string())
}

/// [`disassemble`] with another comment beside each instruction than its slot. A comment must be one
/// line.
pub fn disassemble_with(image: &Image, style: Style, comment: impl Fn(u32) -> String) -> String {
    let mut text = String::new();
    directives(image, &mut text);
    let mut ended = false;
    for (pc, words) in image.words.iter().enumerate() {
        let mut instruction = match style {
            Style::Explicit => explicit(words),
            Style::Friendly => line(words, image.sharing),
        };
        // A source can contain `end` only once.
        if instruction == "end" && std::mem::replace(&mut ended, true) {
            instruction = explicit(words);
        }
        let _ = writeln!(text, "{instruction:<60} # {}", comment(pc as u32));
    }
    text
}

fn directives(image: &Image, text: &mut String) {
    if image.umrt {
        let _ = writeln!(text, ".umrt");
    }
    if let Some(sharing) = image.sharing {
        let _ = write!(text, ".sharing global={} clause={}", sharing.globals(), sharing.clauses());
        let _ = match sharing.reserved() {
            0 => writeln!(text),
            bits => writeln!(text, " reserved={bits:#x}"),
        };
    }
    let _ = writeln!(text, ".sync manual");
    let mut registers = image.registers;
    let mut default = Registers::default_for(image.words.len());
    for ((name, value), default) in
        Registers::NAMES.iter().zip(registers.words_mut()).zip(default.words_mut())
    {
        // US_CODE_ADDR is always written, because an `end` in the text would override its default.
        if value != default || *name == "US_CODE_ADDR" {
            let _ = writeln!(text, ".register {name} {value:#x}");
        }
    }
    if image.fg_depth_src != 0 {
        let _ = writeln!(text, ".fg_depth_src {:#x}", image.fg_depth_src);
    }
    notes(image, text);
    let mut known = HashSet::new();
    for slot in &image.input_names {
        name(text, &mut known, "input", &slot.name, &format!("i{}", slot.slot));
    }
    for slot in &image.output_names {
        name(text, &mut known, "output", &slot.name, &format!("o{}", slot.slot));
    }
    for constant in &image.user_constants {
        let register = format!("{}{}", letter(constant.kind), constant.addr);
        name(text, &mut known, "const", &constant.name, &register);
    }
    for value in &image.literals {
        literal(value, text);
    }
}

fn notes(image: &Image, text: &mut String) {
    let lists = [
        ("inputs", &image.inputs),
        ("outputs", &image.outputs),
        ("float_constants", &image.float_constants),
        ("int_constants", &image.int_constants),
    ];
    let flags =
        [("conditional_output", image.conditional_output), ("early_exit", image.early_exit)];
    let _ = writeln!(text, ".note none");
    for (kind, list) in lists {
        if let Some(list) = list {
            let _ = writeln!(text, ".note {kind}{}", ranges(list));
        }
    }
    for (kind, flag) in flags {
        if let Some(flag) = flag {
            let _ = writeln!(text, ".note {kind} {}", flag as u32);
        }
    }
}

/// Numbers, each after a space. Three or more consecutive ones are a range.
fn ranges(list: &[u32]) -> String {
    let mut text = String::new();
    let mut rest = list;
    while let Some(&first) = rest.first() {
        let run =
            rest.iter().zip(first..1024).take_while(|(have, want)| *have == want).count().max(1);
        let _ = match run {
            1 | 2 => write!(text, " {first}"),
            _ => write!(text, " {first}-{}", rest[run - 1]),
        };
        rest = &rest[if run > 2 { run } else { 1 }..];
    }
    text
}

fn letter(kind: ConstantKind) -> char {
    match kind {
        ConstantKind::Float => 'c',
        ConstantKind::Int => 'n',
        ConstantKind::Bool => 'b',
    }
}

/// A directive that names a register, or a comment if the name is not a word of the language.
fn name<'a>(
    text: &mut String,
    known: &mut HashSet<&'a str>,
    directive: &str,
    name: &'a str,
    register: &str,
) {
    let word = matches!(tokens(name).0[..], [first, _] if first.kind == Kind::Word(name));
    let lookup = |name| Names::default().lookup(name, Span::default());
    let free = matches!(lookup(name), Ok(None));
    let exists = matches!(lookup(register), Ok(Some(_)));
    if word && free && exists && known.insert(name) {
        let _ = writeln!(text, ".{directive} {name} {register}");
    } else {
        let _ = writeln!(text, "# .{directive} {:?} {register}", name);
    }
}

fn literal(literal: &Literal, text: &mut String) {
    let values: Vec<String> = match literal.kind {
        ConstantKind::Float => literal.value.iter().map(|bits| float(*bits)).collect(),
        ConstantKind::Int => {
            literal.value[..3].iter().map(|value| (*value as i32).to_string()).collect()
        }
        ConstantKind::Bool => vec![literal.value[0].to_string()],
    };
    let _ =
        writeln!(text, ".literal {}{} {}", letter(literal.kind), literal.addr, values.join(" "));
}

/// A float as the shortest number that reads back to the same bits; else its bits.
pub(super) fn float(bits: u32) -> String {
    let value = f32::from_bits(bits);
    let text = format!("{value:?}");
    let same = parse_float(text.trim_start_matches('-'))
        .is_some_and(|read| read.to_bits() == bits & 0x7fff_ffff);
    if same && !value.is_nan() { text } else { format!("{bits:#010x}") }
}

/// An instruction as JSON: `pc`, `words`, `type`, `fields` of every described word (including
/// zeros), and `text`.
pub fn instruction_json(pc: usize, words: &[u32; 6], sharing: Option<Sharing>) -> Value {
    let class = table::class(words);
    let mut fields = Map::new();
    for word in Word::layout(class).into_iter().flatten() {
        let bits = words[word.index()];
        let values = word.fields().iter().map(|field| (field.name, field.get(bits)));
        fields.insert(word.name().to_string(), values.collect());
    }
    json!({
        "pc": pc,
        "words": words.iter().map(|word| format!("{word:#010x}")).collect::<Vec<_>>(),
        "type": class.name(),
        "fields": fields,
        "text": line(words, sharing),
    })
}
