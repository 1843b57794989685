//! The compiler for Direct3D 9 pixel shader 3.0 assembly, the language that clients of the SDK pass
//! \[B\]: compiles text to a program [`Image`].
//!
//! `lexer` and `parser` build the tree in `syntax` from the instructions in `table`. `declare`
//! collects declarations and definitions. `expand` (with `operands`) and `flow` expand instructions
//! to [`steps`]; `structure` holds the open blocks and the calls.
//! `emit` makes statements of the machine's assembly language of steps and pairs them, and [`asm`] assembles
//! them; an optimizer can take the steps instead. docs/ps_3_0.md describes
//! the language, the registers and every expansion.

mod declare;
mod emit;
mod expand;
mod flow;
mod lexer;
mod operands;
mod parser;
pub mod steps;
mod structure;
mod syntax;
mod table;

use crate::asm;
use crate::program::{ConstantKind, Image, Name, Program, SourceMap, Uses};
use ctm_base::text::{Diagnostic, Span};
use ctm_isa::isa::{Instruction, MAX_INSTRUCTIONS};
use steps::Located;

/// The errors of a shader.
pub use ctm_base::text::TextErrors;

/// Compiles a shader. `name` is its name in error messages. [`crate::elf::write`] makes an
/// executable of the image.
///
/// # Errors
/// All errors of the source, each with its line and column; at most [`TextErrors::LIMIT`].
///
/// # Examples
/// ```
/// use ctm_lang::asm;
/// use ctm_lang::ps;
///
/// let shader = "ps_3_0\ndcl vPos.xy\ndef c0, 0.5, 1, 0, 0\nmad oC0, vPos.xyyy, c0.x, c0.y";
/// let image = ps::compile(shader, "half.ps")?;
/// assert_eq!(asm::line(&image.words[0], None), "mad o0, r0.rggg, 0.5, 1 @wait");
/// # Ok::<(), ps::TextErrors>(())
/// ```
pub fn compile(source: &str, name: &str) -> Result<Image, TextErrors> {
    compile_with(source, name, |_| None::<(Image, ())>).map(|(image, _)| image)
}

/// A shader after expansion.
pub struct Expansion<'a> {
    /// The shader's operations, in order.
    pub steps: &'a [Located],
    declarations: &'a declare::Declarations,
}

impl Expansion<'_> {
    /// The value of a constant that the shader defines.
    pub fn value(&self, kind: ConstantKind, n: u8) -> Option<[u32; 4]> {
        self.declarations.value(kind, n.into())
    }

    /// The shader's names of the temporaries that hold its registers.
    pub fn names(&self) -> Vec<Name> {
        self.declarations.temporaries()
    }

    /// The float constants that instructions name and nothing defines: the shader's caller sets them.
    pub fn given(&self) -> Vec<u8> {
        self.declarations.given()
    }
}

/// [`compile`], but an optimizer may give another program of the same results, and its forms. The shorter one is taken;
/// there are no forms if that is not the optimizer's.
///
/// # Errors
/// As [`compile`].
pub fn compile_with<T>(
    source: &str,
    name: &str,
    optimize: impl FnOnce(&Expansion<'_>) -> Option<(Image, T)>,
) -> Result<(Image, Option<T>), TextErrors> {
    TextErrors::of(source, name, |source| image(source, name, optimize))
}

/// Whether a text is a shader: whether a pixel shader version follows its leading comments.
pub fn is_shader(text: &str) -> bool {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if rest.starts_with("//") || rest.starts_with([';', '#']) {
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
        } else {
            break;
        }
    }
    matches!(rest.as_bytes(), [p, s, b'_', version, b'_', ..]
        if p.eq_ignore_ascii_case(&b'p') && s.eq_ignore_ascii_case(&b's') && version.is_ascii_digit())
}

fn image<T>(
    source: &str,
    name: &str,
    optimize: impl FnOnce(&Expansion<'_>) -> Option<(Image, T)>,
) -> Result<(Image, Option<T>), Vec<Diagnostic>> {
    let lexer::Tokens { tokens, comments, mut errors } = lexer::tokens(source);
    let (statements, found) = parser::parse(&tokens);
    errors.extend(found);
    if !errors.is_empty() {
        return Err(errors);
    }
    let (declarations, mut errors) = declare::Declarations::of(&statements);
    let expanded = expand::expand(&statements, declarations);
    let expanded = match expanded {
        Ok(expanded) if errors.is_empty() => expanded,
        expanded => {
            errors.extend(expanded.err().unwrap_or_default());
            return Err(errors);
        }
    };
    let expansion = Expansion { steps: &expanded.steps, declarations: &expanded.declarations };
    let optimized = optimize(&expansion);
    let own = line_by_line(source, name, expanded.steps, &expanded.declarations);
    let (mut image, forms) = match (own, optimized) {
        (Ok(own), Some((optimized, _))) if own.words.len() < optimized.words.len() => (own, None),
        (_, Some((optimized, forms))) => (optimized, Some(forms)),
        (own, None) => (own?, None),
    };
    let instructions: Vec<Instruction> = image.words.iter().map(Instruction::decode).collect();
    let uses = Uses::of(&instructions, false, None);
    image.registers.us_pixsize = uses.highest_temp.into();
    asm::lists(&uses, &mut image);
    image.warnings = expanded.warnings;
    declare::names(&comments, &mut image);
    match Program::new(image) {
        Ok(program) => Ok((program.image().clone(), forms)),
        Err(error) => Err(vec![
            Span::default()
                .error(format!("the compiler made a program that is not valid: {error}")),
        ]),
    }
}

/// The program of the steps themselves.
fn line_by_line(
    source: &str,
    name: &str,
    steps: Vec<Located>,
    declarations: &declare::Declarations,
) -> Result<Image, Vec<Diagnostic>> {
    let lines = emit::pair(steps.into_iter().map(emit::Line::of).collect());
    // Each line but labels makes one instruction.
    let slots = lines.iter().filter(|line| line.is_instruction()).map(|line| line.span);
    let slots: Vec<Span> = slots.collect();
    if let Some(span) = slots.get(MAX_INSTRUCTIONS) {
        return Err(vec![expand::too_long(*span)]);
    }
    let lines: Vec<_> = lines.into_iter().map(emit::Line::syntax).collect();
    let mut image = asm::assemble_made(&lines).map_err(internal)?;
    image.literals = declarations.literals();
    let starts = slots.iter().map(|span| span.start).enumerate();
    let names = declarations.temporaries();
    image.source = SourceMap::of_text(name, source, starts, names).into();
    Ok(image)
}

/// The errors of the assembler. There should be none.
fn internal(errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let what = "the compiler made an instruction that is not valid";
    let error = |error: Diagnostic| error.span.error(format!("{what}: {}", error.message));
    errors.into_iter().map(error).collect()
}
