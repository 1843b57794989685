//! Program executables: converts the ELF container of \[G 45-46, 49\] to an [`Image`] and back.
//!
//! goblin parses the headers; this module checks what a CTM executable may contain. It knows bytes
//! and images. The verifier checks the instructions ([`Program::new`](crate::program::Program::new)).
//!
//! A file holds one `.text` segment (PT_LOAD, 24 bytes per instruction) and notes (PT_NOTE) named
//! "ATI DPP", of which the program information is required. The layout of the program information
//! after its first two words is our decision (docs/assumptions.md). Names and literal values are in
//! our own notes, named "DPPEMU", which a loader may ignore. So are the source files, the line table
//! the names of registers and labels, and the interface of a shader; damage in these is only a warning.
//!
//! ```
//! use ctm_lang::{asm, elf};
//!
//! let image = asm::assemble("mul o0, r0, 0.5", "half.dpp")?;
//! let bytes = elf::write(&image);
//! assert_eq!(bytes[..4], *b"\x7fELF");
//! assert_eq!(elf::read(&bytes)?, image);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod layout;
mod notes;
mod source;
#[cfg(test)]
mod tests;
mod write;

pub use error::ElfError;
pub use write::write;

use crate::program::{Image, Registers};
use ctm_isa::isa::MAX_INSTRUCTIONS;
use error::invalid;
use layout::Layout;

/// e_ident\[EI_OSABI\]: ELFOSABI_ATI.
pub const OSABI: u8 = 98;
/// e_ident\[EI_ABIVERSION\].
pub const ABI_VERSION: u8 = 1;
/// e_machine: EM_ATI_R5XX.
pub const MACHINE: u16 = 122;
/// e_flags: EF_ATI_DPP.
pub const FLAGS: u32 = 1;

/// Bytes of an instruction in `.text`.
const INSTRUCTION: usize = 24;

/// Sizes of ELF32 headers.
const EHDR: usize = 52;
const PHDR: usize = 32;
const SHDR: usize = 40;

/// Reads an executable from the bytes of a file. Bytes after its end are ignored.
///
/// # Errors
/// The file is malformed: the error names the place. Time and memory are bounded by a small
/// multiple of the input's size, for any input.
pub fn read(bytes: &[u8]) -> Result<Image, ElfError> {
    let layout = Layout::of(bytes)?;
    let mut image = Image::from_bytes(layout.text(bytes)?);
    let mut reader = notes::Reader::new(&mut image);
    for range in &layout.notes {
        reader.segment(bytes, range.clone())?;
    }
    let fields = reader.finish()?;
    check_code(&image.registers, image.words.len(), &fields)?;
    Ok(image)
}

/// The length in bytes of the executable at the start of `available`, which is all memory from its
/// address to the end of the arena. Only the headers store a length.
///
/// # Errors
/// As for [`read`], for errors in the headers. A header that points outside `available` is an
/// error.
pub fn length(available: &[u8]) -> Result<usize, ElfError> {
    Ok(Layout::of(available)?.end)
}

/// The offsets of the code registers in the program information, for errors.
#[derive(Clone, Copy, Default)]
struct CodeFields {
    addr: Option<usize>,
    range: Option<usize>,
}

/// Checks that US_CODE_RANGE and the end address are inside `.text`.
fn check_code(
    registers: &Registers,
    instructions: usize,
    fields: &CodeFields,
) -> Result<(), ElfError> {
    debug_assert!(instructions <= MAX_INSTRUCTIONS);
    let most = instructions as u32 - 1;
    let (first, last) = registers.window();
    if let Some(offset) = fields.range.filter(|_| last > most) {
        let problem = format!(
            "is {:#010x}, slots {first} to {last}, expected slots inside .text, 0 to {most}",
            registers.us_code_range
        );
        return Err(invalid("US_CODE_RANGE", offset, problem));
    }
    let (start, end) = registers.addresses();
    let (first, last) = (registers.offset() + start, registers.offset() + end);
    if let Some(offset) = fields.addr.filter(|_| first.max(last) > most) {
        let problem = format!(
            "is {:#010x}, with the code offset from slot {first} to slot {last}, expected slots inside .text, 0 to {most}",
            registers.us_code_addr
        );
        return Err(invalid("US_CODE_ADDR", offset, problem));
    }
    Ok(())
}

/// The little-endian word at `offset`; the caller has checked that it is inside.
fn word(bytes: &[u8], offset: usize) -> u32 {
    bytes
        .get(offset..offset + 4)
        .and_then(|bytes| bytes.try_into().ok())
        .map_or(0, u32::from_le_bytes)
}
