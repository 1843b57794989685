//! The compiler for Direct3D 9 pixel shader 3.0 assembly, the language that clients of the SDK pass
//! \[B\]: compiles text to a program [`Image`].
//!
//! `lexer` and `parser` build the tree in `syntax` from the instructions in `table`. `declare`
//! collects declarations and definitions. `lower` (with `operands`) and `flow` turn instructions
//! into lines of the machine's assembly language. `emit` writes and pairs these lines, and
//! [`crate::asm`] assembles them. docs/ps_3_0.md describes the language, the registers and every
//! expansion.

mod declare;
mod emit;
mod flow;
mod lexer;
mod lower;
mod operands;
mod parser;
mod syntax;
mod table;

use crate::asm::{self, Diagnostic, Span};
use crate::isa::{Instruction, MAX_INSTRUCTIONS};
use crate::program::{Image, Program, Uses};
use std::fmt::Write;

/// The errors of a shader: the first error of each line, in the order of the lines.
pub use crate::asm::AsmErrors as CompileErrors;

/// Largest source, in bytes.
const MAX_SOURCE: usize = 1 << 20;

/// Compiles a shader. `name` is its name in error messages. [`crate::elf::write`] makes an
/// executable of the image.
///
/// # Errors
/// All errors of the source, each with its line and column; at most [`CompileErrors::LIMIT`].
pub fn compile(source: &str, name: &str) -> Result<Image, CompileErrors> {
    image(source).map_err(|errors| CompileErrors::new(source, name, errors))
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

fn image(source: &str) -> Result<Image, Vec<Diagnostic>> {
    if source.len() > MAX_SOURCE {
        return Err(vec![Diagnostic::new(
            Span::default(),
            format!("the source has {} bytes; at most {MAX_SOURCE} are possible", source.len()),
        )]);
    }
    let lexer::Tokens { tokens, comments, mut errors } = lexer::tokens(source);
    let (statements, found) = parser::parse(&tokens);
    errors.extend(found);
    if !errors.is_empty() {
        return Err(errors);
    }
    let (declarations, mut errors) = declare::Declarations::of(&statements);
    let lowered = lower::lower(&statements, declarations);
    let lowered = match lowered {
        Ok(lowered) if errors.is_empty() => lowered,
        lowered => {
            errors.extend(lowered.err().unwrap_or_default());
            return Err(errors);
        }
    };
    let lines = emit::pair(lowered.lines);
    let mut slots = lines.iter().filter(|line| line.is_instruction());
    if let Some(line) = slots.nth(MAX_INSTRUCTIONS) {
        return Err(vec![lower::too_long(line.span)]);
    }
    let mut text = String::new();
    for line in &lines {
        let _ = writeln!(text, "{}", line.text());
    }
    let mut image = asm::assemble(&text, "compiled").map_err(|errors| internal(&errors, &lines))?;
    image.literals = lowered.declarations.literals();
    image.warnings = lowered.warnings;
    let instructions: Vec<Instruction> = image.words.iter().map(Instruction::decode).collect();
    let uses = Uses::of(&instructions, false);
    image.registers.us_pixsize = uses.highest_temp.into();
    declare::names(&comments, &mut image);
    match Program::new(image) {
        Ok(program) => Ok(program.image().clone()),
        Err(error) => Err(vec![Diagnostic::new(
            Span::default(),
            format!("the compiler made a program that is not valid: {error}"),
        )]),
    }
}

/// Errors of the assembler, mapped to the lines of the shader. There should be none.
fn internal(errors: &asm::AsmErrors, lines: &[emit::Line]) -> Vec<Diagnostic> {
    let place = |line: usize| lines.get(line.wrapping_sub(1)).map(|line| line.span);
    errors
        .errors()
        .iter()
        .map(|error| {
            Diagnostic::new(
                place(error.line).unwrap_or_default(),
                format!("the compiler made an instruction that is not valid: {}", error.message),
            )
        })
        .collect()
}
