//! Programs for clients: text to executables, executables to text and constants.

use parking_lot::Mutex;
use std::sync::LazyLock;

use super::error::CallError;
use super::handles::Handles;
use crate::asm::{self, Style};
use crate::elf;
use crate::program::{Image, Literal, Program, UserConstant};
use crate::ps::TextErrors;

/// The source languages, by the macro that selects them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    /// Direct3D 9 pixel shader 3.0 assembly.
    Ps3,
    /// The assembly language of this project.
    Asm,
}

impl Language {
    /// The language that a macro selects.
    pub(super) fn from_macro(name: &str) -> Option<Language> {
        match name {
            "AMU_LANG_PS3" => Some(Language::Ps3),
            "CTM_LANG_ASM" => Some(Language::Asm),
            _ => None,
        }
    }
}

/// An executable compiled from a source.
pub(super) struct Compiled {
    pub executable: Vec<u8>,
    /// Warnings about the program.
    pub warnings: Vec<String>,
}

/// Compiles a source; `name` is for messages.
pub(super) fn compile(language: Language, source: &str, name: &str) -> Result<Compiled, CallError> {
    let source = source.trim_end_matches('\0');
    let image = match language {
        Language::Asm => asm::assemble(source, name),
        Language::Ps3 => pixel_shader(source, name),
    };
    let image = image.map_err(|errors| CallError(errors.render(false)))?;
    // Only valid programs are returned: clients learn about errors here, not when they submit.
    let program = Program::new(image).map_err(|errors| CallError(format!("{name}: {errors}")))?;
    let warnings = program.warnings().iter();
    Ok(Compiled {
        executable: elf::write(program.image()),
        warnings: warnings.map(|w| format!("{name}: warning: {w}\n")).collect(),
    })
}

/// Compiles ps_3_0, with the optimizer if it is built in.
fn pixel_shader(source: &str, name: &str) -> Result<Image, TextErrors> {
    #[cfg(feature = "compiler")]
    let image = {
        use crate::compiler::{Language, Options, compile};
        compile(source, name, Language::Ps, &Options::default()).map(|compiled| compiled.image)
    };
    #[cfg(not(feature = "compiler"))]
    let image = crate::ps::compile(source, name);
    image
}

/// Disassembles an executable into a source.
pub(super) fn disassemble(executable: &[u8]) -> Result<String, CallError> {
    let image = elf::read(executable).map_err(CallError::executable)?;
    Ok(asm::disassemble(&image, Style::Friendly))
}

/// The constants that an executable names or defines, without those of registers that do not exist.
pub(super) fn constants(executable: &[u8]) -> Result<(Vec<UserConstant>, Vec<Literal>), CallError> {
    let mut image = elf::read(executable).map_err(CallError::executable)?;
    image.user_constants.retain(|one| (one.addr as usize) < one.kind.count());
    image.literals.retain(|one| (one.addr as usize) < one.kind.count());
    Ok((image.user_constants, image.literals))
}

/// The open compilers. A compiler has no state: only its handle is checked.
static COMPILERS: LazyLock<Mutex<Handles<()>>> = LazyLock::new(|| Mutex::new(Handles::new(12)));

/// Opens a compiler; returns its handle.
pub(super) fn open_compiler() -> usize {
    COMPILERS.lock().add(())
}

pub(super) fn close_compiler(handle: usize) -> Result<(), CallError> {
    COMPILERS.lock().remove(handle).ok_or_else(|| CallError::handle("compiler", handle))
}

/// Whether a compiler is open.
pub(super) fn check_compiler(handle: usize) -> Result<(), CallError> {
    COMPILERS.lock().get(handle).copied().ok_or_else(|| CallError::handle("compiler", handle))
}
