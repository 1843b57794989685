//! Headers: the ranges of an executable's parts, checked against the size of the file.

use super::error::{cal, invalid};
use super::{ABI_VERSION, EHDR, ElfError, FLAGS, INSTRUCTION, MACHINE, OSABI, PHDR, SHDR};
use ctm_isa::isa::MAX_INSTRUCTIONS;
use goblin::container::{Container, Ctx, Endian};
use goblin::elf::header::{EI_ABIVERSION, EI_CLASS, EI_DATA, EI_OSABI, EI_VERSION, ET_EXEC};
use goblin::elf::program_header::{PT_LOAD, PT_NOTE, PT_NULL};
use goblin::elf::section_header::{SHT_NOBITS, SHT_NOTE, SHT_NULL};
use goblin::elf::{Elf, Header, ProgramHeader, SectionHeader};
use std::fmt;
use std::ops::Range;

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

/// The kinds of parts of the file.
#[derive(Clone, Copy)]
enum Region {
    Header,
    Programs,
    Sections,
    Segment(usize),
    Section(usize),
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Region::Header => f.write_str("the ELF header"),
            Region::Programs => f.write_str("the program header table"),
            Region::Sections => f.write_str("the section header table"),
            Region::Segment(n) => write!(f, "segment {n}"),
            Region::Section(n) => write!(f, "section {n}"),
        }
    }
}

/// A part of the file and the field that holds its offset.
struct Extent {
    range: Range<usize>,
    what: Region,
    field: &'static str,
    offset: usize,
}

impl Extent {
    /// The part of `size` bytes that begins at `start`, the value of a field at `offset`.
    fn new(
        bytes: &[u8],
        (field, offset, start): (&'static str, usize, u64),
        size: u64,
        what: Region,
    ) -> Result<Extent, ElfError> {
        // Both come from 32-bit fields or from products of 16-bit fields, so there is no overflow.
        let (end, available) = (start + size, bytes.len());
        if end > available as u64 {
            let (value, what) = (start, what.to_string());
            return Err(ElfError::OutOfRange { field, offset, value, what, size, end, available });
        }
        Ok(Extent { range: start as usize..end as usize, what, field, offset })
    }
}

impl Layout {
    pub(super) fn of(bytes: &[u8]) -> Result<Layout, ElfError> {
        let header = header(bytes)?;
        // Most files have these and the segments of instructions and notes.
        let mut parts = Vec::with_capacity(6);
        parts.push(Extent {
            range: 0..EHDR,
            what: Region::Header,
            field: "the magic number",
            offset: 0,
        });
        let ctx = Ctx::new(Container::Little, Endian::Little);

        let program_count = header.e_phnum as usize;
        let program_start = header.e_phoff as usize;
        parts.push(Extent::new(
            bytes,
            ("e_phoff", E_PHOFF, header.e_phoff),
            (program_count * PHDR) as u64,
            Region::Programs,
        )?);
        let program_headers =
            ProgramHeader::parse(bytes, program_start, program_count, ctx).unwrap_or_default();

        let section_count = header.e_shnum as usize;
        let section_start = header.e_shoff as usize;
        let mut section_headers = Vec::new();
        if section_count != 0 {
            let size = header.e_shentsize;
            if size as usize != SHDR {
                return Err(invalid("e_shentsize", 0x2e, format!("is {size}, expected 40")));
            }
            parts.push(Extent::new(
                bytes,
                ("e_shoff", E_SHOFF, header.e_shoff),
                (section_count * SHDR) as u64,
                Region::Sections,
            )?);
            section_headers =
                SectionHeader::parse(bytes, section_start, section_count, ctx).unwrap_or_default();
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
            let field = ("p_offset", at + P_OFFSET, segment.p_offset);
            let part = Extent::new(bytes, field, segment.p_filesz, Region::Segment(n))?;
            end = end.max(part.range.end);
            match segment.p_type {
                PT_LOAD if text.is_some() => {
                    let problem = "is 1 (PT_LOAD) for the second time, expected one such program header, of .text";
                    return Err(invalid("p_type", at, problem));
                }
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
            let field = ("sh_offset", section_start + n * SHDR + SH_OFFSET, section.sh_offset);
            let part = Extent::new(bytes, field, section.sh_size, Region::Section(n))?;
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

        let (text, text_size_field) = text.ok_or_else(|| {
            let what = format!("none of the {program_count} program headers");
            invalid(what, program_start, "is of type 1 (PT_LOAD), expected one, of .text")
        })?;
        Ok(Layout { text, text_size_field, notes, end })
    }

    /// The bytes of the instructions: a whole number of instructions, 1 to 512.
    pub(super) fn text<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], ElfError> {
        let text = bytes.get(self.text.clone()).unwrap_or_default();
        let size = text.len();
        let expected = if size == 0 {
            "at least 24, one instruction"
        } else if !size.is_multiple_of(INSTRUCTION) {
            "a multiple of 24, the size of an instruction"
        } else if size > INSTRUCTION * MAX_INSTRUCTIONS {
            "at most 12288, 512 instructions"
        } else {
            return Ok(text);
        };
        let problem = format!("is {size}, expected {expected}");
        Err(invalid("p_filesz of .text", self.text_size_field, problem))
    }
}

/// Parses the ELF header and checks that it is a CTM executable's.
fn header(bytes: &[u8]) -> Result<Header, ElfError> {
    if !bytes.starts_with(b"\x7fELF") {
        let found = &bytes[..bytes.len().min(4)];
        let problem = format!("are {found:02x?}, expected [7f, 45, 4c, 46] (an ELF file)");
        return Err(invalid("the first bytes", 0, problem));
    }
    let truncated = || {
        let problem = format!("needs {EHDR} bytes, the file has {}", bytes.len());
        invalid("truncated: the ELF header", 0, problem)
    };
    if bytes.len() < EHDR {
        return Err(truncated());
    }
    let check = |(what, offset, found, wanted, expected): (&str, usize, u32, u32, &str)| {
        if found == wanted {
            return Ok(());
        }
        // Executables of CAL also differ in these fields. The kind of the file is more helpful than
        // the first such field.
        if let Some(note) = cal_note(bytes).filter(|_| matches!(offset, 7 | 8 | 0x10 | 0x12 | 0x24))
        {
            return Err(cal(note));
        }
        let number = match what {
            "e_entry" | "e_flags" => format!("{found:#x}"),
            _ => found.to_string(),
        };
        Err(invalid(what, offset, format!("is {number}, expected {expected}")))
    };
    // goblin uses these two to choose between 32 and 64 bits and between byte orders.
    check(("EI_CLASS", 4, bytes[EI_CLASS].into(), 1, "1 (ELFCLASS32)"))?;
    check(("EI_DATA", 5, bytes[EI_DATA].into(), 1, "1 (little endian)"))?;
    let header = Elf::parse_header(bytes).map_err(|_| truncated())?;
    let ident = |n: usize| header.e_ident[n].into();
    let some_programs = u32::from(header.e_phnum != 0);
    [
        ("EI_VERSION", 6, ident(EI_VERSION), 1, "1"),
        ("EI_OSABI", 7, ident(EI_OSABI), OSABI.into(), "98 (ELFOSABI_ATI)"),
        ("EI_ABIVERSION", 8, ident(EI_ABIVERSION), ABI_VERSION.into(), "1"),
        ("e_type", 0x10, header.e_type.into(), ET_EXEC.into(), "2 (ET_EXEC)"),
        ("e_machine", 0x12, header.e_machine.into(), MACHINE.into(), "122 (EM_ATI_R5XX)"),
        ("e_version", 0x14, header.e_version, 1, "1"),
        ("e_entry", 0x18, header.e_entry as u32, 0, "0"),
        ("e_flags", 0x24, header.e_flags, FLAGS, "0x1 (EF_ATI_DPP)"),
        ("e_ehsize", 0x28, header.e_ehsize.into(), EHDR as u32, "52"),
        ("e_phnum", 0x2c, some_programs, 1, "at least 1 program header"),
        ("e_phentsize", 0x2a, header.e_phentsize.into(), PHDR as u32, "32"),
    ]
    .into_iter()
    .try_for_each(check)?;
    Ok(header)
}

/// The offset of bytes that look like the start of a note named "ATI CAL". Searches only the first
/// MiB, since `bytes` may extend to the end of a large memory.
fn cal_note(bytes: &[u8]) -> Option<usize> {
    const NOTE_HEADER: usize = 12;
    let bytes = &bytes[..bytes.len().min(1 << 20)];
    let name = bytes.windows(8).skip(NOTE_HEADER).position(|window| window == b"ATI CAL\0")?;
    // `position` counts from the first name that leaves room for a header before it.
    (bytes.get(name..name + 4) == Some(&[8, 0, 0, 0])).then_some(name)
}

fn check_overlaps(parts: &mut Vec<Extent>) -> Result<(), ElfError> {
    parts.retain(|part| !part.range.is_empty());
    parts.sort_by_key(|part| (part.range.start, part.range.end));
    for pair in parts.windows(2) {
        let [low, high] = pair else { continue };
        if high.range.start < low.range.end {
            let problem = format!(
                "is {:#x}: with it {} overlaps {}, which ends at {:#x}; expected parts that do not overlap",
                high.range.start, high.what, low.what, low.range.end
            );
            return Err(invalid(high.field, high.offset, problem));
        }
    }
    Ok(())
}
