//! Notes: the parts of an executable that are not instructions.

use super::error::{cal, invalid};
use super::{CodeFields, ElfError, source, word};
use crate::program::{
    ConstantKind, Image, Literal, NamedSlot, Sharing, SourceMap, UserConstant, Warning,
};
use std::ops::Range;

/// The name of CTM's notes, terminator included.
pub(super) const DPP: &[u8] = b"ATI DPP\0";
/// The name of CAL's notes.
const CAL: &[u8] = b"ATI CAL\0";
/// The name of our notes.
pub(super) const EMU: &[u8] = b"DPPEMU\0";

/// Types of the notes named [`DPP`].
pub(super) mod dpp {
    pub const PROGRAM_INFORMATION: u32 = 1;
    pub const INPUTS: u32 = 2;
    pub const OUTPUTS: u32 = 3;
    pub const CONDITIONAL_OUTPUT: u32 = 4;
    pub const FLOAT_CONSTANTS: u32 = 5;
    pub const INT_CONSTANTS: u32 = 6;
    pub const EARLY_EXIT: u32 = 7;
}

/// Types of the notes named [`EMU`]. Each is a list of entries made of words. A name is its length
/// in bytes, then its bytes, padded with zeros to whole words.
pub(super) mod emu {
    /// Entries: kind, register number, name.
    pub const USER_CONSTANTS: u32 = 1;
    /// Entries: kind, register number, four words of value.
    pub const LITERALS: u32 = 2;
    /// Entries: input number, name.
    pub const INPUT_NAMES: u32 = 3;
    /// Entries: output number, name.
    pub const OUTPUT_NAMES: u32 = 4;
    /// A version, then entries: MD5 (four words), path.
    pub const SOURCE_FILES: u32 = 5;
    /// A version, then entries: slot, index of the file, line, column; slots ascend, several entries
    /// of one follow each other. The files come before this note.
    pub const LINES: u32 = 6;
    /// A version, then entries: kind, number, name.
    pub const NAMES: u32 = 7;
    /// A version, then one text: what a shader takes and gives, as JSON of
    /// [`crate::program::interface::Interface`].
    pub const INTERFACE: u32 = 8;
    /// A version, then entries: function, name, line of the declaration, kind, components, the number of stores, these
    /// (component, line), the number of locations, and these: component, line, nth from 1 (0: not known), first slot, the one after
    /// the last, signs, kind of the place, its two words.
    pub const VARIABLES: u32 = 9;
}

/// Words of the program information.
pub(super) const PROGRAM_INFORMATION_WORDS: usize = 16;
/// The word of the program information that holds its flags.
pub(super) const FLAGS: usize = 9;
/// The word of the program information that holds SQ_GPR_RESOURCE.
pub(super) const RESOURCE: usize = 10;
/// Bit 0 of the flags: uncached writes.
pub(super) const FLAG_UMRT: u32 = 1;
/// Bit 1 of the flags: data sharing.
pub(super) const FLAG_SHARING: u32 = 2;

/// Copies the contents of notes into an image.
pub(super) struct Reader<'a> {
    image: &'a mut Image,
    notes: usize,
    code: Option<CodeFields>,
    seen_emu: u32,
    source: SourceMap,
}

/// A note's description.
pub(super) struct Desc<'a> {
    bytes: &'a [u8],
    /// Its offset in the file.
    offset: usize,
    /// The note header's offset in the file.
    note_offset: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(image: &'a mut Image) -> Reader<'a> {
        Reader { image, notes: 0, code: None, seen_emu: 0, source: SourceMap::default() }
    }

    /// Reads all notes of one segment.
    pub(super) fn segment(&mut self, bytes: &[u8], range: Range<usize>) -> Result<(), ElfError> {
        let mut offset = range.start;
        while offset < range.end {
            let left = range.end - offset;
            if left < 12 {
                let problem = format!("needs 12 bytes, its segment has {left} left");
                return Err(invalid("truncated: the note header", offset, problem));
            }
            let [namesz, descsz, kind] = [0, 4, 8].map(|at| word(bytes, offset + at));
            let fits = |what: &str, size: u32, left: usize| {
                if size as usize > left {
                    Err(invalid(
                        format!("{what} of the note"),
                        offset,
                        format!("is {size}, expected at most {left}, what its segment has left"),
                    ))
                } else {
                    Ok(())
                }
            };
            fits("namesz", namesz, left - 12)?;
            let name_at = offset + 12;
            let name = &bytes[name_at..name_at + namesz as usize];
            // At the end of a segment the padding after the last field may be missing.
            let desc_at = (name_at + (namesz as usize).next_multiple_of(4)).min(range.end);
            fits("descsz", descsz, range.end - desc_at)?;
            let desc = Desc {
                bytes: &bytes[desc_at..desc_at + descsz as usize],
                offset: desc_at,
                note_offset: offset,
            };
            self.notes += 1;
            self.note(name, kind, desc)?;
            offset = desc_at + (descsz as usize).next_multiple_of(4);
        }
        Ok(())
    }

    /// The offsets of the code registers; an error if there was no program information.
    pub(super) fn finish(self) -> Result<CodeFields, ElfError> {
        self.image.source = self.source.into();
        self.code.ok_or(ElfError::NoProgramInformation { notes: self.notes })
    }

    fn note(&mut self, name: &[u8], kind: u32, desc: Desc) -> Result<(), ElfError> {
        if name == DPP {
            return self.dpp(kind, desc);
        }
        if name == EMU {
            return self.emu(kind, desc);
        }
        if trim(name) == trim(CAL) {
            return Err(cal(desc.note_offset));
        }
        for (expected, text) in [(DPP, "ATI DPP"), (EMU, "DPPEMU")] {
            if trim(name) == trim(expected) && name.len() != expected.len() {
                let (length, expected) = (name.len(), expected.len());
                let problem = format!("is {length}, expected {expected} for the name {text:?}");
                return Err(invalid("namesz of the note", desc.note_offset, problem));
            }
        }
        // Notes with other names are ignored.
        Ok(())
    }

    fn dpp(&mut self, kind: u32, desc: Desc) -> Result<(), ElfError> {
        let image = &mut *self.image;
        match kind {
            dpp::PROGRAM_INFORMATION => self.program_information(desc),
            dpp::INPUTS => set("inputs", &desc, &mut image.inputs, Desc::list),
            dpp::OUTPUTS => set("outputs", &desc, &mut image.outputs, Desc::list),
            dpp::CONDITIONAL_OUTPUT => {
                set("conditional output", &desc, &mut image.conditional_output, Desc::flag)
            }
            dpp::FLOAT_CONSTANTS => {
                set("float constants", &desc, &mut image.float_constants, Desc::list)
            }
            dpp::INT_CONSTANTS => set("int constants", &desc, &mut image.int_constants, Desc::list),
            dpp::EARLY_EXIT => set("early program exit", &desc, &mut image.early_exit, Desc::flag),
            _ => Ok(()),
        }
    }

    fn program_information(&mut self, desc: Desc) -> Result<(), ElfError> {
        const NOTE: &str = "program information";
        /// Indices of the words with US_CODE_ADDR and US_CODE_RANGE.
        const ADDR: usize = 5;
        const RANGE: usize = 6;
        if self.code.is_some() {
            return Err(desc.repeated(NOTE));
        }
        if desc.bytes.is_empty() || !desc.bytes.len().is_multiple_of(4) {
            return Err(desc.size(NOTE, "a multiple of 4, at least 4"));
        }
        if desc.word(0) != 1 {
            let problem = format!("is {:#x}, expected 0x1", desc.word(0));
            return Err(invalid("word 0 of the program information", desc.offset, problem));
        }
        // A missing word keeps the default of `Image::from_words`.
        let count = desc.bytes.len() / 4;
        let given = |n: usize| (n < count).then(|| desc.word(n));
        let at = |n: usize| desc.offset + 4 * n;
        let image = &mut *self.image;
        let mut warn = |text| image.warnings.push(Warning::whole(text));
        image.fg_depth_src = given(1).unwrap_or(0);
        let by_default = image.registers;
        for (n, register) in image.registers.words_mut().into_iter().enumerate() {
            if let Some(value) = given(n + 2) {
                *register = value;
            }
        }
        let mut code = CodeFields {
            addr: given(ADDR).map(|_| at(ADDR)),
            range: given(RANGE).map(|_| at(RANGE)),
        };
        if (given(ADDR), given(RANGE)) == (Some(0), Some(0)) && image.words.len() > 1 {
            let last = image.words.len() as u32 - 1;
            image.registers.us_code_addr = last.saturating_sub(image.registers.offset()) << 16;
            image.registers.us_code_range = by_default.us_code_range;
            code = CodeFields::default();
            warn(format!(
                "US_CODE_ADDR and US_CODE_RANGE at offset {:#x} are both 0, taken as not given: the program ends with its last instruction",
                at(ADDR)
            ));
        }
        let flags = given(FLAGS).unwrap_or(0);
        let resource = given(RESOURCE).unwrap_or(0);
        image.sharing = (flags & FLAG_SHARING != 0).then_some(Sharing(resource));
        image.umrt = flags & FLAG_UMRT != 0;
        if flags & !(FLAG_UMRT | FLAG_SHARING) != 0 {
            warn(format!(
                "the flags at offset {:#x} of the program information are {flags:#x}, expected 0 to 3: the other bits are unknown and have no effect",
                at(FLAGS)
            ));
        }
        let unused = if image.sharing.is_some() { RESOURCE + 1 } else { RESOURCE };
        for n in unused..count.min(PROGRAM_INFORMATION_WORDS) {
            if desc.word(n) != 0 {
                warn(format!(
                    "word {n} of the program information at offset {:#x} is {:#x}, expected 0: it has no effect",
                    at(n),
                    desc.word(n)
                ));
            }
        }
        self.code = Some(code);
        Ok(())
    }

    fn emu(&mut self, kind: u32, desc: Desc) -> Result<(), ElfError> {
        if let Some(note) = source::note(kind) {
            let read = match self.seen_emu & 1 << kind {
                0 if kind == emu::INTERFACE => source::interface(self.image, note, desc),
                0 => source::read(&mut self.source, self.image, kind, note, desc),
                _ => Err(desc.repeated(note)),
            };
            self.seen_emu |= 1 << kind;
            if let Err(error) = read {
                let text = format!("{error}; the program is loaded without this note");
                self.image.warnings.push(Warning::whole(text));
            }
            return Ok(());
        }
        let note = match kind {
            emu::USER_CONSTANTS => "user constants",
            emu::LITERALS => "literals",
            emu::INPUT_NAMES => "input names",
            emu::OUTPUT_NAMES => "output names",
            _ => return Ok(()),
        };
        if self.seen_emu & 1 << kind != 0 {
            return Err(desc.repeated(note));
        }
        self.seen_emu |= 1 << kind;
        let image = &mut *self.image;
        let mut entries = Entries::new(note, desc);
        while !entries.done() {
            match kind {
                emu::USER_CONSTANTS => {
                    let kind = entries.kind()?;
                    let addr = entries.word()?;
                    let name = entries.name()?;
                    image.user_constants.push(UserConstant { name, kind, addr });
                }
                emu::LITERALS => {
                    let kind = entries.kind()?;
                    let addr = entries.word()?;
                    let mut value = [0; 4];
                    for word in &mut value {
                        *word = entries.word()?;
                    }
                    image.literals.push(Literal { kind, addr, value });
                }
                _ => {
                    let slot = entries.word()?;
                    let name = entries.name()?;
                    let list = if kind == emu::INPUT_NAMES {
                        &mut image.input_names
                    } else {
                        &mut image.output_names
                    };
                    list.push(NamedSlot { name, slot });
                }
            }
        }
        Ok(())
    }
}

/// Reads the value of a note that may occur only once.
fn set<'a, T>(
    note: &'static str,
    desc: &Desc<'a>,
    place: &mut Option<T>,
    read: impl FnOnce(&Desc<'a>, &'static str) -> Result<T, ElfError>,
) -> Result<(), ElfError> {
    if place.is_some() {
        return Err(desc.repeated(note));
    }
    *place = Some(read(desc, note)?);
    Ok(())
}

impl Desc<'_> {
    fn word(&self, n: usize) -> u32 {
        word(self.bytes, 4 * n)
    }
    fn repeated(&self, note: &'static str) -> ElfError {
        let what = format!("the {note} note");
        invalid(what, self.note_offset, "is the second one, expected at most one")
    }
    fn size(&self, note: &'static str, expected: &'static str) -> ElfError {
        let problem = format!("is {}, expected {expected}", self.bytes.len());
        invalid(format!("descsz of the {note} note"), self.note_offset, problem)
    }
    fn list(&self, note: &'static str) -> Result<Vec<u32>, ElfError> {
        if !self.bytes.len().is_multiple_of(4) {
            return Err(self.size(note, "a multiple of 4"));
        }
        Ok((0..self.bytes.len() / 4).map(|n| self.word(n)).collect())
    }
    fn flag(&self, note: &'static str) -> Result<bool, ElfError> {
        if self.bytes.len() != 4 {
            return Err(self.size(note, "4"));
        }
        match self.word(0) {
            value @ (0 | 1) => Ok(value == 1),
            value => {
                let problem = format!("holds {value}, expected 0 or 1");
                Err(invalid(format!("the {note} note"), self.offset, problem))
            }
        }
    }
}

/// The entries of one of our notes.
pub(super) struct Entries<'a> {
    note: &'static str,
    desc: Desc<'a>,
    position: usize,
}

impl<'a> Entries<'a> {
    pub(super) fn new(note: &'static str, desc: Desc<'a>) -> Entries<'a> {
        Entries { note, desc, position: 0 }
    }
    pub(super) fn done(&self) -> bool {
        self.position >= self.desc.bytes.len()
    }
    /// The bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.desc.bytes.len().saturating_sub(self.position)
    }
    /// The offset in the file of the next read.
    pub(super) fn offset(&self) -> usize {
        self.desc.offset + self.position
    }
    #[cold]
    fn truncated(&self, needed: usize) -> ElfError {
        let (note, available) = (self.note, self.left());
        let problem =
            format!("of the {note} note needs {needed} bytes, the note has {available} left");
        invalid("truncated: the entry", self.offset(), problem)
    }
    #[inline]
    pub(super) fn word(&mut self) -> Result<u32, ElfError> {
        let left = self.desc.bytes.get(self.position..).unwrap_or_default();
        let word = left.first_chunk().ok_or_else(|| self.truncated(4))?;
        self.position += 4;
        Ok(u32::from_le_bytes(*word))
    }
    fn kind(&mut self) -> Result<ConstantKind, ElfError> {
        let offset = self.offset();
        let value = self.word()?;
        let kind = ConstantKind::ALL.into_iter().find(|&kind| kind as u32 == value);
        kind.ok_or_else(|| {
            let expected = "expected 0 (float), 1 (int) or 2 (bool)";
            invalid("the kind", offset, format!("of the {} note is {value}, {expected}", self.note))
        })
    }
    pub(super) fn name(&mut self) -> Result<String, ElfError> {
        let length = self.word()? as usize;
        if length > self.left() {
            return Err(self.truncated(length));
        }
        let bytes = &self.desc.bytes[self.position..self.position + length];
        let name = std::str::from_utf8(bytes).map_err(|_| {
            let problem = format!("of the {} note is {bytes:?}, expected UTF-8 text", self.note);
            invalid("the name", self.offset(), problem)
        })?;
        let name = name.to_owned();
        self.position += length.next_multiple_of(4);
        Ok(name)
    }
}

/// A name without its terminator and padding.
fn trim(name: &[u8]) -> &[u8] {
    let end = name.iter().position(|&b| b == 0).unwrap_or(name.len());
    &name[..end]
}
