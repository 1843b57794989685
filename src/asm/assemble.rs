//! Assembles a whole source: first names and directives, then instructions, then addresses.

use super::directives::{Address, Settings};
use super::draft::{Context, Draft, Jump};
use super::encode::encode;
use super::flow::Flow;
use super::lexer::tokens;
use super::names::{Names, Register};
use super::numbers::Pool;
use super::parser::parse;
use super::syntax::*;
use super::{directives, explicit, sync};
use crate::isa::table::cmn_inst;
use crate::isa::{Body, Instruction, MAX_INSTRUCTIONS, SourceKind, Type};
use crate::program::{ConstantKind, Image, Program, Registers};
use crate::text::{Diagnostic, Kind, Span, TextErrors, Token, Word};
use std::collections::HashMap;

/// Assembles a source. `name` is its name in error messages.
///
/// # Errors
/// All errors of the source, each with its line and column; at most [`TextErrors::LIMIT`].
pub fn assemble(source: &str, name: &str) -> Result<Image, TextErrors> {
    TextErrors::of(source, name, |source| image(source, false))
}

/// The words of one instruction. Bits that the text does not name are 0.
pub(super) fn assemble_line(text: &str) -> Option<[u32; 6]> {
    let image = image(text, true).ok()?;
    match image.words.as_slice() {
        [words] if image.literals.is_empty() => Some(*words),
        _ => None,
    }
}

fn image(source: &str, bare: bool) -> Result<Image, Vec<Diagnostic>> {
    let (tokens, mut errors) = tokens(source);
    let (lines, found) = parse(&tokens);
    errors.extend(found);

    let mut names = Names::default();
    let mut pool = Pool::default();
    let mut settings = Settings::new(false);
    for line in &lines {
        if let Line::Directive(directive) = line
            && let Err(error) = directives::read(directive, &mut names, &mut pool, &mut settings)
        {
            errors.push(error);
        }
    }
    if bare {
        settings.manual = true;
    }
    reserve(&tokens, &lines, &mut pool);

    let mut code: Vec<Draft> = Vec::new();
    let mut labels: HashMap<&str, usize> = HashMap::new();
    let mut flow = Flow::default();
    let mut context = Context { names: &names, pool: &mut pool };
    for line in &lines {
        let result = match line {
            Line::Directive(_) => Ok(()),
            Line::Label(label) => match labels.insert(label.node, code.len()) {
                None => Ok(()),
                Some(_) => {
                    Err(label.span.error(format!("the label `{}` is defined twice", label.node)))
                }
            },
            Line::Statement(statement) => {
                encode(&mut context, statement).and_then(|draft| match draft {
                    Some(draft) => Ok(code.push(draft)),
                    None => flow.statement(&mut context, statement, &mut code),
                })
            }
        };
        if let Err(error) = result {
            errors.push(error);
            if errors.len() >= TextErrors::LIMIT {
                break;
            }
        }
        if code.len() > MAX_INSTRUCTIONS {
            let span = code[MAX_INSTRUCTIONS].span;
            errors.push(
                span.error(format!("a program has at most {MAX_INSTRUCTIONS} instructions"))
                    .label("one too many"),
            );
            break;
        }
    }
    // The rest needs the whole program; after errors, it would only report consequences of them.
    if !errors.is_empty() {
        return Err(errors);
    }
    let end = flow.end;
    flow.finish(&labels, &mut code)?;
    finish(source, settings, pool, code, &labels, end, bare)
}

/// Reserves every constant that the source mentions, so that no literal is placed there.
fn reserve(tokens: &[Token<'_>], lines: &[Line<'_>], pool: &mut Pool) {
    let names = Names::default();
    pool.relative = tokens
        .windows(3)
        .any(|three| three.iter().zip(["c", "[", "aL"]).all(|(token, text)| token.kind.is(text)));
    for token in tokens {
        if let Kind::Word(text) = token.kind
            && text.len() <= 4
        {
            match names.lookup(text, token.span) {
                Ok(Some(Register::Float(n, _))) => pool.reserve(ConstantKind::Float, n as u32),
                Ok(Some(Register::Int(n))) => pool.reserve(ConstantKind::Int, n as u32),
                _ => {}
            }
        }
    }
    for line in lines {
        let Line::Statement(statement) = line else {
            continue;
        };
        let StatementKind::Explicit(explicit) = &statement.kind else {
            continue;
        };
        let Ok(words) = explicit::assemble(explicit) else {
            continue;
        };
        match &Instruction::decode(&words).body {
            Body::Alu(alu) => {
                for source in alu.units.iter().flat_map(|unit| &unit.sources) {
                    if let SourceKind::Constant(n) = source.kind() {
                        pool.reserve(ConstantKind::Float, n as u32);
                        pool.relative |= source.relative;
                    }
                }
            }
            Body::Fc(fc) => pool.reserve(ConstantKind::Int, fc.int_addr as u32),
            Body::Tex(_) => {}
        }
    }
}

#[allow(clippy::too_many_arguments)]
fn finish<'s>(
    source: &str,
    settings: Settings<'s>,
    pool: Pool,
    mut code: Vec<Draft<'s>>,
    labels: &HashMap<&'s str, usize>,
    end: Option<usize>,
    bare: bool,
) -> Result<Image, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let Some(last) = code.len().checked_sub(1) else {
        let at = Span::new(source.len(), source.len());
        return Err(vec![
            at.error("the source has no instructions").help("the shortest program is `end`"),
        ]);
    };
    let offset = settings.registers.get("US_CODE_OFFSET").unwrap_or(&0) & 0x1ff;
    let mut registers = Registers::default_for(code.len());
    // Addresses are relative to the offset; the default end is the last instruction.
    let relative = |slot: usize| (slot as u32).wrapping_sub(offset) & 0x1ff;
    let mut slot_of = |address: &Address<'s>| match *address {
        Address::Number(n) => Some(n as usize),
        Address::Label(label) => {
            let slot = labels.get(label.node).copied();
            if slot.is_none() {
                errors.push(unknown_label(label));
            }
            slot
        }
    };
    let start = settings.start.as_ref().and_then(&mut slot_of).map_or(0, relative);
    let end_slot = settings.end.as_ref().and_then(&mut slot_of).or(end).unwrap_or(last);
    registers.us_code_addr = start | relative(end_slot) << 16;
    for (name, value) in Registers::NAMES.iter().zip(registers.words_mut()) {
        *value = settings.registers.get(name).copied().unwrap_or(*value);
    }

    let mut joins = vec![false; code.len() + 1];
    joins[0] = true;
    for n in 0..code.len() {
        let slot = match code[n].target {
            None => continue,
            Some(Jump::Slot(slot)) => slot,
            Some(Jump::Label(label)) => match labels.get(label.node) {
                Some(slot) => *slot,
                None => {
                    errors.push(unknown_label(label));
                    continue;
                }
            },
        };
        if let Some(join) = joins.get_mut(slot) {
            *join = true;
        }
        // A call returns to the instruction after it.
        joins[n + 1] = true;
        if let Body::Fc(fc) = &mut code[n].instruction.body {
            let address = if fc.jump_global { slot as u32 & 0x1ff } else { relative(slot) };
            fc.jump_addr = address as u16;
        }
    }
    for slot in labels.values() {
        joins[*slot] = true;
    }

    // Without its labels the program would have further, false errors.
    if !errors.is_empty() {
        return Err(errors);
    }
    // Otherwise the source gives all synchronisation bits.
    if !settings.manual {
        sync::automatic(&mut code, &joins);
        let ending = &mut code[end_slot];
        let is_out = ending.instruction.common.class == Type::Out;
        if settings.end.is_some() || settings.registers.contains_key("US_CODE_ADDR") {
            // The source decides where the program ends.
        } else if !is_out && !ending.explicit {
            let error = ending.span.error("the program's last instruction is not an output");
            return Err(vec![
                error.label("the hardware needs an OUT instruction here").help("add a line `end`"),
            ]);
        } else if is_out && !ending.gives(&cmn_inst::TEX_SEM_WAIT) {
            ending.instruction.common.tex_sem_wait = true;
        }
    }
    let words = code.iter().map(|draft| draft.instruction.encode()).collect();
    let mut image = Image { words, registers, literals: pool.finish(), ..settings.image };
    if !bare
        && !settings.notes_given
        && let Ok(program) = Program::new(image.clone())
    {
        lists(&program, &mut image);
    }
    Ok(image)
}

fn unknown_label(label: Word<'_>) -> Diagnostic {
    label.span.error(format!("unknown label `{}`", label.node)).label("no line has this label")
}

/// Adds the lists of a container to the image: what the program uses.
fn lists(program: &Program, image: &mut Image) {
    let uses = program.uses();
    let bits = |mask: u32| (0..32).filter(|n| mask >> n & 1 != 0).collect::<Vec<u32>>();
    image.inputs = Some(bits(uses.inputs as u32));
    image.outputs = Some(bits(uses.outputs as u32));
    image.conditional_output = Some(uses.conditional_output);
    let floats = uses.float_constants.iter().enumerate();
    image.float_constants =
        Some(floats.filter(|(_, used)| **used).map(|(n, _)| n as u32).collect());
    image.int_constants = Some(bits(uses.int_constants));
}
