//! The errors of executables.

/// Why bytes are not a CTM executable. Each message names the field, its value, the expected value
/// and the offset in the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages explain the fields")]
pub enum ElfError {
    /// Not an ELF file.
    #[error(
        "the first bytes at offset 0x0 are {found:02x?}, expected [7f, 45, 4c, 46] (an ELF file)"
    )]
    Magic { found: Vec<u8> },
    /// Shorter than an ELF header.
    #[error(
        "truncated: the ELF header at offset 0x0 needs {expected} bytes, the file has {available}"
    )]
    Header { expected: usize, available: usize },
    /// Not 32 bits.
    #[error("EI_CLASS at offset 0x4 is {value}, expected 1 (ELFCLASS32)")]
    Class { value: u8 },
    /// Not little endian.
    #[error("EI_DATA at offset 0x5 is {value}, expected 1 (little endian)")]
    Encoding { value: u8 },
    /// An unknown version of ELF.
    #[error("EI_VERSION at offset 0x6 is {value}, expected 1")]
    IdentVersion { value: u8 },
    /// For another system.
    #[error("EI_OSABI at offset 0x7 is {value}, expected 98 (ELFOSABI_ATI)")]
    OsAbi { value: u8 },
    /// For another version of the interface.
    #[error("EI_ABIVERSION at offset 0x8 is {value}, expected 1")]
    AbiVersion { value: u8 },
    /// Not an executable.
    #[error("e_type at offset 0x10 is {value}, expected 2 (ET_EXEC)")]
    Type { value: u16 },
    /// For another machine.
    #[error("e_machine at offset 0x12 is {value}, expected 122 (EM_ATI_R5XX)")]
    Machine { value: u16 },
    /// An unknown version of ELF.
    #[error("e_version at offset 0x14 is {value}, expected 1")]
    Version { value: u32 },
    /// An entry address; a DPP program has none.
    #[error("e_entry at offset 0x18 is {value:#x}, expected 0")]
    Entry { value: u32 },
    /// Not a DPP program.
    #[error("e_flags at offset 0x24 is {value:#x}, expected 0x1 (EF_ATI_DPP)")]
    Flags { value: u32 },
    /// An ELF header of the wrong size.
    #[error("e_ehsize at offset 0x28 is {value}, expected 52")]
    HeaderSize { value: u16 },
    /// Program headers of the wrong size.
    #[error("e_phentsize at offset 0x2a is {value}, expected 32")]
    ProgramHeaderSize { value: u16 },
    /// No program headers.
    #[error("e_phnum at offset 0x2c is 0, expected at least 1 program header")]
    NoProgramHeaders,
    /// Section headers of the wrong size.
    #[error("e_shentsize at offset 0x2e is {value}, expected 40")]
    SectionHeaderSize { value: u16 },
    /// A part that is not wholly inside the file.
    #[error(
        "{field} at offset {offset:#x} is {value:#x}: with it {what} of {size} bytes ends at {end:#x}, expected at most {available:#x}, the end of the file"
    )]
    OutOfRange {
        field: &'static str,
        offset: usize,
        value: u32,
        what: String,
        size: u64,
        end: u64,
        available: usize,
    },
    /// Two parts that overlap.
    #[error(
        "{field} at offset {offset:#x} is {value:#x}: with it {what} overlaps {other}, which ends at {end:#x}; expected parts that do not overlap"
    )]
    Overlap {
        field: &'static str,
        offset: usize,
        value: u32,
        what: String,
        other: String,
        end: usize,
    },
    /// No instructions.
    #[error(
        "none of the {count} program headers at offset {offset:#x} is of type 1 (PT_LOAD), expected one, of .text"
    )]
    NoText { offset: usize, count: usize },
    /// More than one loadable segment.
    #[error(
        "p_type at offset {offset:#x} is 1 (PT_LOAD) for the second time, expected one such program header, of .text"
    )]
    SecondText { offset: usize },
    /// No instructions in the loadable segment.
    #[error("p_filesz of .text at offset {offset:#x} is 0, expected at least 24, one instruction")]
    TextEmpty { offset: usize },
    /// An incomplete instruction.
    #[error(
        "p_filesz of .text at offset {offset:#x} is {value}, expected a multiple of 24, the size of an instruction"
    )]
    TextSize { offset: usize, value: usize },
    /// More instructions than there are slots.
    #[error(
        "p_filesz of .text at offset {offset:#x} is {value}, expected at most 12288, 512 instructions"
    )]
    TextLong { offset: usize, value: usize },
    /// A program for another interface.
    #[error(
        "the note at offset {offset:#x} is named \"ATI CAL\", expected \"ATI DPP\": this is an executable for CAL, the successor of CTM, not a CTM program"
    )]
    Cal { offset: usize },
    /// A note whose header does not fit.
    #[error(
        "truncated: the note header at offset {offset:#x} needs 12 bytes, its segment has {available} left"
    )]
    NoteHeader { offset: usize, available: usize },
    /// A note whose name does not fit.
    #[error(
        "namesz of the note at offset {offset:#x} is {value}, expected at most {available}, what its segment has left"
    )]
    NoteNameRange { offset: usize, value: u32, available: usize },
    /// A note whose description does not fit.
    #[error(
        "descsz of the note at offset {offset:#x} is {value}, expected at most {available}, what its segment has left"
    )]
    NoteDescRange { offset: usize, value: u32, available: usize },
    /// A note whose name has the wrong length.
    #[error(
        "namesz of the note at offset {offset:#x} is {value}, expected {expected} for the name {name:?}"
    )]
    NoteName { offset: usize, value: u32, name: &'static str, expected: u32 },
    /// A note whose description has the wrong length.
    #[error("descsz of the {note} note at offset {offset:#x} is {value}, expected {expected}")]
    NoteSize { note: &'static str, offset: usize, value: u32, expected: &'static str },
    /// A note that occurs twice.
    #[error("the {note} note at offset {offset:#x} is the second one, expected at most one")]
    NoteRepeated { note: &'static str, offset: usize },
    /// A flag that is neither 0 nor 1.
    #[error("the {note} note at offset {offset:#x} holds {value}, expected 0 or 1")]
    NoteFlag { note: &'static str, offset: usize, value: u32 },
    /// The required note is missing.
    #[error(
        "none of the {notes} notes holds program information, expected one named \"ATI DPP\" of type 1"
    )]
    NoProgramInformation { notes: usize },
    /// Program information of an unknown form.
    #[error("word 0 of the program information at offset {offset:#x} is {value:#x}, expected 0x1")]
    ProgramInformation { offset: usize, value: u32 },
    /// A code window outside `.text`.
    #[error(
        "US_CODE_RANGE at offset {offset:#x} is {value:#010x}, slots {first} to {last}, expected slots inside .text, 0 to {}",
        .instructions - 1
    )]
    CodeRange { offset: usize, value: u32, first: u32, last: u32, instructions: u32 },
    /// A first or last instruction outside `.text`.
    #[error(
        "US_CODE_ADDR at offset {offset:#x} is {value:#010x}, with the code offset from slot {first} to slot {last}, expected slots inside .text, 0 to {}",
        .instructions - 1
    )]
    CodeAddress { offset: usize, value: u32, first: u32, last: u32, instructions: u32 },
    /// An entry in one of our notes that does not fit.
    #[error(
        "truncated: the entry at offset {offset:#x} of the {note} note needs {needed} bytes, the note has {available} left"
    )]
    EntryRange { note: &'static str, offset: usize, needed: u64, available: usize },
    /// An unknown kind of constant.
    #[error(
        "the kind at offset {offset:#x} of the {note} note is {value}, expected 0 (float), 1 (int) or 2 (bool)"
    )]
    EntryKind { note: &'static str, offset: usize, value: u32 },
    /// Source files, lines or names of an unknown version. This error and the next two are warnings
    /// of the program that [`super::read`] gives: see [`crate::program::Image::warnings`].
    #[error("word 0 of the {note} note at offset {offset:#x} is {value:#x}, expected version 1")]
    SourceVersion { note: &'static str, offset: usize, value: u32 },
    /// A line table that names something that does not exist. `end` is the first value too large.
    #[error(
        "the {field} at offset {offset:#x} of the line table note is {value}, expected {}",
        .end.checked_sub(1).filter(|last| *last >= u64::from(*.low))
            .map_or("no entry".into(), |last| format!("{low} to {last}"))
    )]
    LineTable { field: &'static str, offset: usize, value: u32, low: u32, end: u64 },
    /// A name of an unknown kind of thing.
    #[error("the kind at offset {offset:#x} of the names note is {value}, expected 0 to 6")]
    NameKind { offset: usize, value: u32 },
    /// A name that is not UTF-8 text.
    #[error("the name at offset {offset:#x} of the {note} note is {value:?}, expected UTF-8 text")]
    EntryName { note: &'static str, offset: usize, value: Vec<u8> },
}

impl ElfError {
    /// Returns the same error, or `Cal` if the file is CAL's. Such files also differ from CTM's in
    /// several header fields, and the kind of the file is more helpful than the first such field.
    pub(super) fn or_cal(self, bytes: &[u8]) -> ElfError {
        use ElfError::*;
        match self {
            OsAbi { .. } | AbiVersion { .. } | Type { .. } | Machine { .. } | Flags { .. } => {
                match cal_note(bytes) {
                    Some(offset) => Cal { offset },
                    None => self,
                }
            }
            _ => self,
        }
    }
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
