//! Headers: the ranges of an executable's parts, checked against the size of the file.

use super::{ABI_VERSION, ElfError, FLAGS, INSTRUCTION, MACHINE, OSABI};
use ctm_isa::isa::MAX_INSTRUCTIONS;
use goblin::container::{Container, Ctx, Endian};
use goblin::elf::header::{EI_ABIVERSION, EI_CLASS, EI_DATA, EI_OSABI, EI_VERSION, ET_EXEC};
use goblin::elf::program_header::{PT_LOAD, PT_NOTE, PT_NULL};
use goblin::elf::section_header::{SHT_NOBITS, SHT_NOTE, SHT_NULL};
use goblin::elf::{Elf, Header, ProgramHeader, SectionHeader};
use std::ops::Range;

/// Sizes of ELF32 headers.
const EHDR: usize = 52;
const PHDR: usize = 32;
const SHDR: usize = 40;
/// Offsets of fields in the ELF header.
const E_PHOFF: usize = 0x1c;
const E_SHOFF: usize = 0x20;
/// Offsets of fields in a program header.
const P_OFFSET: usize = 4;
const P_FILESZ: usize = 16;
/// Offset of sh_offset in a section header.
const SH_OFFSET: usize = 16;

/// The parts of a file. All are inside the file.
pub(super) struct Layout {
    text: Range<usize>,
    /// The offset of the p_filesz of `.text`.
    text_size_field: usize,
    /// The contents of the note segments.
    pub(super) notes: Vec<Range<usize>>,
    /// The end of the last part.
    pub(super) end: usize,
}

/// A part of the file and the field that holds its offset.
struct Part {
    range: Range<usize>,
    what: String,
    field: &'static str,
    offset: usize,
}

impl Layout {
    pub(super) fn of(bytes: &[u8]) -> Result<Layout, ElfError> {
        let header = header(bytes)?;
        let mut parts = vec![Part {
            range: 0..EHDR,
            what: "the ELF header".into(),
            field: "the magic number",
            offset: 0,
        }];
        let ctx = Ctx::new(Container::Little, Endian::Little);

        let program_count = header.e_phnum as usize;
        let program_table = Field { field: "e_phoff", offset: E_PHOFF, value: header.e_phoff }
            .part(bytes, (program_count * PHDR) as u64, || "the program header table".into())?;
        let program_headers =
            ProgramHeader::parse(bytes, program_table.range.start, program_count, ctx)
                .unwrap_or_default();
        let program_start = program_table.range.start;
        parts.push(program_table);

        let section_count = header.e_shnum as usize;
        let mut section_headers = Vec::new();
        let mut section_start = 0;
        if section_count != 0 {
            if header.e_shentsize as usize != SHDR {
                return Err(ElfError::SectionHeaderSize { value: header.e_shentsize });
            }
            let table = Field { field: "e_shoff", offset: E_SHOFF, value: header.e_shoff }.part(
                bytes,
                (section_count * SHDR) as u64,
                || "the section header table".into(),
            )?;
            section_start = table.range.start;
            section_headers =
                SectionHeader::parse(bytes, section_start, section_count, ctx).unwrap_or_default();
            parts.push(table);
        }

        // Check the tables before their entries are read.
        check_overlaps(&mut parts)?;

        let mut text = None;
        let mut notes = Vec::new();
        let mut end = 0;
        for (n, segment) in program_headers.iter().enumerate() {
            if segment.p_type == PT_NULL {
                continue;
            }
            let at = program_start + n * PHDR;
            let part = Field { field: "p_offset", offset: at + P_OFFSET, value: segment.p_offset }
                .part(bytes, segment.p_filesz, || format!("segment {n}"))?;
            end = end.max(part.range.end);
            match segment.p_type {
                PT_LOAD if text.is_some() => return Err(ElfError::SecondText { offset: at }),
                PT_LOAD => text = Some((part.range.clone(), at + P_FILESZ)),
                PT_NOTE => notes.push(part.range.clone()),
                _ => continue,
            }
            parts.push(part);
        }
        // Without note segments, the section headers provide the notes.
        let notes_from_sections = notes.is_empty();
        for (n, section) in section_headers.iter().enumerate() {
            if matches!(section.sh_type, SHT_NULL | SHT_NOBITS) || section.sh_size == 0 {
                continue;
            }
            let part = Field {
                field: "sh_offset",
                offset: section_start + n * SHDR + SH_OFFSET,
                value: section.sh_offset,
            }
            .part(bytes, section.sh_size, || format!("section {n}"))?;
            end = end.max(part.range.end);
            if notes_from_sections && section.sh_type == SHT_NOTE {
                notes.push(part.range.clone());
                parts.push(part);
            }
        }
        for part in &parts {
            end = end.max(part.range.end);
        }
        check_overlaps(&mut parts)?;

        let (text, text_size_field) =
            text.ok_or(ElfError::NoText { offset: program_start, count: program_count })?;
        Ok(Layout { text, text_size_field, notes, end })
    }

    /// The bytes of the instructions: a whole number of instructions, 1 to 512.
    pub(super) fn text<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], ElfError> {
        let text = bytes.get(self.text.clone()).unwrap_or_default();
        let offset = self.text_size_field;
        let value = text.len();
        if value == 0 {
            Err(ElfError::TextEmpty { offset })
        } else if !value.is_multiple_of(INSTRUCTION) {
            Err(ElfError::TextSize { offset, value })
        } else if value > INSTRUCTION * MAX_INSTRUCTIONS {
            Err(ElfError::TextLong { offset, value })
        } else {
            Ok(text)
        }
    }
}

/// Parses the ELF header and checks that it is a CTM executable's.
fn header(bytes: &[u8]) -> Result<Header, ElfError> {
    if !bytes.starts_with(b"\x7fELF") {
        return Err(ElfError::Magic { found: bytes[..bytes.len().min(4)].to_vec() });
    }
    let truncated = ElfError::Header { expected: EHDR, available: bytes.len() };
    if bytes.len() < EHDR {
        return Err(truncated);
    }
    let check = |good: bool, error: ElfError| if good { Ok(()) } else { Err(error) };
    // goblin uses these two to choose between 32 and 64 bits and between byte orders.
    check(bytes[EI_CLASS] == 1, ElfError::Class { value: bytes[EI_CLASS] })?;
    check(bytes[EI_DATA] == 1, ElfError::Encoding { value: bytes[EI_DATA] })?;
    let header = Elf::parse_header(bytes).map_err(|_| truncated)?;
    let ident = |n: usize| header.e_ident[n];
    check(ident(EI_VERSION) == 1, ElfError::IdentVersion { value: ident(EI_VERSION) })?;
    check(ident(EI_OSABI) == OSABI, ElfError::OsAbi { value: ident(EI_OSABI) })?;
    let version = ident(EI_ABIVERSION);
    check(version == ABI_VERSION, ElfError::AbiVersion { value: version })?;
    check(header.e_type == ET_EXEC, ElfError::Type { value: header.e_type })?;
    check(header.e_machine == MACHINE, ElfError::Machine { value: header.e_machine })?;
    check(header.e_version == 1, ElfError::Version { value: header.e_version })?;
    check(header.e_entry == 0, ElfError::Entry { value: header.e_entry as u32 })?;
    check(header.e_flags == FLAGS, ElfError::Flags { value: header.e_flags })?;
    let (ehsize, phentsize) = (header.e_ehsize, header.e_phentsize);
    check(ehsize as usize == EHDR, ElfError::HeaderSize { value: ehsize })?;
    check(header.e_phnum != 0, ElfError::NoProgramHeaders)?;
    check(phentsize as usize == PHDR, ElfError::ProgramHeaderSize { value: phentsize })?;
    Ok(header)
}

/// A field that holds a file offset.
struct Field {
    field: &'static str,
    offset: usize,
    value: u64,
}

impl Field {
    /// The part of `size` bytes at the offset in this field.
    fn part(
        self,
        bytes: &[u8],
        size: u64,
        what: impl FnOnce() -> String,
    ) -> Result<Part, ElfError> {
        // Both come from 32-bit fields or from products of 16-bit fields, so there is no overflow.
        let end = self.value + size;
        if end > bytes.len() as u64 {
            return Err(ElfError::OutOfRange {
                field: self.field,
                offset: self.offset,
                value: self.value as u32,
                what: what(),
                size,
                end,
                available: bytes.len(),
            });
        }
        Ok(Part {
            range: self.value as usize..end as usize,
            what: what(),
            field: self.field,
            offset: self.offset,
        })
    }
}

fn check_overlaps(parts: &mut Vec<Part>) -> Result<(), ElfError> {
    parts.retain(|part| !part.range.is_empty());
    parts.sort_by_key(|part| (part.range.start, part.range.end));
    for pair in parts.windows(2) {
        let [low, high] = pair else { continue };
        if high.range.start < low.range.end {
            return Err(ElfError::Overlap {
                field: high.field,
                offset: high.offset,
                value: high.range.start as u32,
                what: high.what.clone(),
                other: low.what.clone(),
                end: low.range.end,
            });
        }
    }
    Ok(())
}
