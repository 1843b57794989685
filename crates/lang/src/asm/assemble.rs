//! Assembles a whole source: first names and directives, then instructions, then addresses.

use super::directives::Settings;
use super::draft::{Address, Context, Draft};
use super::encode::encode;
use super::flow::Expansion;
use super::lexer::tokens;
use super::names::{Names, Register};
use super::numbers::Pool;
use super::parser::parse;
use super::syntax::*;
use super::{directives, explicit, sync};
use crate::program::{ConstantKind, Image, Name, NameKind, Registers, Sharing, SourceMap, Uses};
use ctm_base::text::{At, Diagnostic, Kind, Parsed, Span, TextErrors, Token};
use ctm_isa::isa::table::cmn_inst;
use ctm_isa::isa::{Body, Instruction, MAX_INSTRUCTIONS, SourceKind, Type};
use std::collections::HashMap;

/// Assembles a source. `name` is its name in error messages.
///
/// # Errors
/// All errors of the source, each with its line and column; at most [`TextErrors::LIMIT`].
///
/// # Examples
/// ```
/// use ctm_lang::asm::assemble;
///
/// let image = assemble(".input source i0\n ld r1, source[r0.rg]\n add o0, r1, r1", "double.dpp")?;
/// assert_eq!(image.words.len(), 2);
/// assert_eq!(image.input_names[0].name, "source");
///
/// let errors = assemble("add o0, r1", "double.dpp").unwrap_err();
/// let first = &errors.errors()[0];
/// assert_eq!((first.line, first.message.as_str()), (1, "add takes 2 operands, not 1"));
/// # Ok::<(), ctm_lang::asm::TextErrors>(())
/// ```
pub fn assemble(source: &str, name: &str) -> Result<Image, TextErrors> {
    TextErrors::of(source, name, |source| {
        let (mut image, starts, names) = image(source, None)?;
        image.source =
            SourceMap::of_text(name, source, starts.into_iter().enumerate(), names).into();
        Ok(image)
    })
}

/// Assembles statements that a compiler made; the image does not refer to them.
pub(crate) fn assemble_made(lines: &[Line<'_>]) -> Result<Image, Vec<Diagnostic>> {
    Ok(assembled(lines, Vec::new(), Pool::default(), None, 0)?.0)
}

/// Whether two halves are an instruction.
pub(crate) fn fits(halves: [Half<'_>; 2]) -> bool {
    let statement = Statement::new(Span::default(), StatementKind::Alu(halves.into()));
    let mut context = Context { names: &Names::default(), pool: &mut Pool::default() };
    encode(&mut context, &statement).is_ok()
}

/// The words of one instruction of a program with or without data sharing. Bits that the text does not name are 0.
pub(super) fn assemble_line(text: &str, sharing: Option<Sharing>) -> Option<[u32; 6]> {
    let (image, ..) = image(text, Some(sharing)).ok()?;
    match image.words.as_slice() {
        [words] if image.literals.is_empty() => Some(*words),
        _ => None,
    }
}

/// The image, the offset of each instruction's statement, and the names that the image lacks.
type Assembled = (Image, Vec<usize>, Vec<Name>);

/// Assembles a text. A `bare` one is one instruction of a program with these shared registers.
fn image(source: &str, bare: Option<Option<Sharing>>) -> Result<Assembled, Vec<Diagnostic>> {
    let (tokens, mut errors) = tokens(source);
    let (lines, found) = parse(&tokens);
    errors.extend(found);
    let mut pool = Pool::default();
    reserve(&tokens, &lines, &mut pool);
    assembled(&lines, errors, pool, bare, source.len())
}

/// Assembles lines of a source with an end.
fn assembled(
    lines: &[Line<'_>],
    mut errors: Vec<Diagnostic>,
    mut pool: Pool,
    bare: Option<Option<Sharing>>,
    end: usize,
) -> Result<Assembled, Vec<Diagnostic>> {
    let mut names = Names::default();
    let mut settings = Settings::default();
    // Names of shared registers can come before their directive.
    let directives = || lines.iter().filter_map(Line::directive);
    names.sharing = bare.flatten();
    let bare = bare.is_some();
    for directive in directives().filter(|directive| directives::is_sharing(directive)) {
        errors.extend(directives::read(directive, &mut names, &mut pool, &mut settings).err());
    }
    for line in lines {
        if let Some(directive) = line.directive().filter(|d| !directives::is_sharing(d)) {
            errors.extend(directives::read(directive, &mut names, &mut pool, &mut settings).err());
        }
    }
    settings.manual |= bare;

    let mut code = Code::default();
    let mut context = Context { names: &names, pool: &mut pool };
    for line in lines {
        if let Err(error) = code.add(&mut context, line) {
            errors.push(error);
            if errors.len() >= TextErrors::LIMIT {
                break;
            }
        }
        if let Some(draft) = code.drafts.get(MAX_INSTRUCTIONS) {
            let message = format!("a program has at most {MAX_INSTRUCTIONS} instructions");
            errors.push(draft.span.error(message).label("one too many"));
            break;
        }
    }
    // The rest needs the whole program; after errors, it would only report consequences of them.
    if !errors.is_empty() {
        return Err(errors);
    }
    if code.drafts.is_empty() {
        let error = Span::new(end, end).error("the source has no instructions");
        return Err(vec![error.help("the shortest program is `end`")]);
    }
    let registers = code.link(&settings)?;
    let words = code.drafts.iter().map(|draft| draft.instruction.encode()).collect();
    let mut image = Image { words, registers, literals: pool.finish(), ..settings.image };
    if !bare && !settings.notes_given {
        let instructions: Vec<_> = code.drafts.iter().map(|draft| draft.instruction).collect();
        lists(&Uses::of(&instructions, image.umrt, image.sharing), &mut image);
    }
    let mut defined = names.temporaries_and_literals(&image);
    defined.extend(code.labels.iter().map(|(name, slot)| Name {
        kind: NameKind::Label,
        number: *slot as u32,
        name: name.to_string(),
    }));
    defined.sort_by(|a, b| (a.kind, a.number, &a.name).cmp(&(b.kind, b.number, &b.name)));
    Ok((image, code.drafts.iter().map(|draft| draft.span.start).collect(), defined))
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
    let statements = lines.iter().filter_map(|line| match line {
        Line::Statement(statement) => Some(&statement.kind),
        _ => None,
    });
    for kind in statements {
        let StatementKind::Explicit(explicit) = kind else { continue };
        let Ok(words) = explicit::assemble(explicit) else { continue };
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

/// The instructions of a source.
#[derive(Default)]
struct Code<'s> {
    drafts: Vec<Draft<'s>>,
    /// The slot of the instruction after each label.
    labels: HashMap<&'s str, usize>,
    expansion: Expansion<'s>,
}

impl<'s> Code<'s> {
    fn add(&mut self, context: &mut Context<'_, 's>, line: &Line<'s>) -> Parsed<()> {
        match line {
            Line::Directive(_) => {}
            Line::Label(At { node, span }) => {
                if self.labels.insert(node, self.drafts.len()).is_some() {
                    return Err(span.error(format!("the label `{node}` is defined twice")));
                }
            }
            Line::Statement(statement) => match encode(context, statement)? {
                Some(draft) => self.drafts.push(draft),
                None => self.expansion.statement(context, statement, &mut self.drafts)?,
            },
        }
        Ok(())
    }

    /// Sets all addresses and, unless the source gives them, the synchronisation bits. Returns the
    /// state registers.
    fn link(&mut self, settings: &Settings<'s>) -> Result<Registers, Vec<Diagnostic>> {
        self.expansion.finish(&self.labels, &mut self.drafts)?;
        let (code, labels) = (&mut self.drafts, &self.labels);
        let mut errors = Vec::new();
        let mut slot_of = |address: Address<'s>| match address {
            Address::Slot(slot) => Some(slot),
            Address::Label(At { node, span }) => {
                let slot = labels.get(node).copied();
                if slot.is_none() {
                    let error = span.error(format!("unknown label `{node}`"));
                    errors.push(error.label("no line has this label"));
                }
                slot
            }
        };
        // Addresses are relative to the offset; the default end is the last instruction.
        let offset = settings.registers.get("US_CODE_OFFSET").unwrap_or(&0) & 0x1ff;
        let relative = |slot: usize| (slot as u32).wrapping_sub(offset) & 0x1ff;
        let start = settings.start.and_then(&mut slot_of).map_or(0, relative);
        let own_end = self.expansion.end.unwrap_or(code.len() - 1);
        let end = settings.end.and_then(&mut slot_of).unwrap_or(own_end);
        let mut registers = Registers::default_for(code.len());
        registers.us_code_addr = start | relative(end) << 16;
        for (name, value) in Registers::NAMES.iter().zip(registers.words_mut()) {
            *value = settings.registers.get(name).copied().unwrap_or(*value);
        }

        // Whether a slot can be reached other than from the slot before it.
        let mut joins = vec![false; code.len() + 1];
        joins[0] = true;
        for n in 0..code.len() {
            let Some(slot) = code[n].target.and_then(&mut slot_of) else { continue };
            if let Some(join) = joins.get_mut(slot) {
                *join = true;
            }
            // A call returns to the instruction after it.
            joins[n + 1] = true;
            code[n].change_fc(|fc| {
                let address = if fc.jump_global { slot as u32 & 0x1ff } else { relative(slot) };
                fc.jump_addr = address as u16;
            });
        }
        for slot in labels.values() {
            joins[*slot] = true;
        }
        // Without its labels the program would have further, false errors.
        if !errors.is_empty() {
            return Err(errors);
        }
        if settings.manual {
            return Ok(registers);
        }
        sync::automatic(code, &joins);
        if settings.end.is_none() && !settings.registers.contains_key("US_CODE_ADDR") {
            let ending = &mut code[own_end];
            let is_out = ending.instruction.common.class == Type::Out;
            if !is_out && !ending.explicit {
                let error = ending.span.error("the program's last instruction is not an output");
                let error = error.label("the hardware needs an OUT instruction here");
                return Err(vec![error.help("write an output: `mov o0, r0`; or add a line `end`")]);
            }
            if is_out && !ending.gives(&cmn_inst::TEX_SEM_WAIT) {
                ending.instruction.common.tex_sem_wait = true;
            }
        }
        Ok(registers)
    }
}

/// Adds the lists of a container to the image: what the program uses.
pub(crate) fn lists(uses: &Uses, image: &mut Image) {
    let bits = |mask: u32| (0..32).filter(|n| mask >> n & 1 != 0).collect::<Vec<u32>>();
    image.inputs = Some(bits(uses.inputs as u32));
    image.outputs = Some(bits(uses.outputs as u32));
    image.conditional_output = Some(uses.conditional_output);
    image.float_constants = Some(uses.constants(ConstantKind::Float));
    image.int_constants = Some(uses.constants(ConstantKind::Int));
}
