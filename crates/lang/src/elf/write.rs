//! Writes an image as the bytes of an executable.

use super::notes::{
    self, DPP, EMU, FLAG_SHARING, FLAG_UMRT, PROGRAM_INFORMATION_WORDS, RESOURCE, dpp, emu,
};
use super::{ABI_VERSION, EHDR, FLAGS, MACHINE, OSABI, PHDR, SHDR, source};
use crate::program::{Image, NamedSlot, Sharing};
use goblin::elf::header::{ELFCLASS32, ELFDATA2LSB, ET_EXEC};
use goblin::elf::program_header::{PF_R, PF_X, PT_LOAD, PT_NOTE};
use goblin::elf::section_header::{
    SHF_ALLOC, SHF_EXECINSTR, SHT_NOTE, SHT_NULL, SHT_PROGBITS, SHT_STRTAB,
};

/// A section under construction.
struct Section {
    name: &'static str,
    kind: u32,
    flags: u32,
    data: Vec<u8>,
    offset: usize,
}

/// Writes an executable.
///
/// Order of the file: ELF header, program headers, `.text`, `.note` (CTM's notes), `.dpp.consts`
/// (our notes; omitted if empty), section names, section headers. [`super::read`] gives back the
/// same image if the image has 1 to 512 instructions and its code registers lie inside them. One
/// exception: in a program of more than one instruction, two code registers that are both 0 mean
/// "not given".
pub fn write(image: &Image) -> Vec<u8> {
    let section = |name, kind, flags, data| Section { name, kind, flags, data, offset: 0 };
    let mut sections = vec![
        section(".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, image.to_bytes()),
        section(".note", SHT_NOTE, 0, dpp_notes(image)),
    ];
    let own = emu_notes(image);
    if !own.is_empty() {
        sections.push(section(".dpp.consts", SHT_NOTE, 0, own));
    }
    let segments = sections.len();
    let mut names = vec![0];
    let mut name_offsets = Vec::new();
    for name in sections.iter().map(|s| s.name).chain([".shstrtab"]) {
        name_offsets.push(names.len() as u32);
        names.extend(name.as_bytes());
        names.push(0);
    }
    sections.push(section(".shstrtab", SHT_STRTAB, 0, names));
    let mut end = EHDR + PHDR * segments;
    for section in &mut sections {
        section.offset = end;
        end = (end + section.data.len()).next_multiple_of(4);
    }

    let mut out = Vec::with_capacity(end + SHDR * (sections.len() + 1));
    out.extend(b"\x7fELF");
    out.extend([ELFCLASS32, ELFDATA2LSB, 1, OSABI, ABI_VERSION]);
    out.resize(16, 0);
    halves(&mut out, &[ET_EXEC, MACHINE]);
    put(&mut out, &[1, 0, EHDR as u32, end as u32, FLAGS]);
    let sizes = [EHDR, PHDR, segments, SHDR, sections.len() + 1, sections.len()];
    halves(&mut out, &sizes.map(|size| size as u16));

    for section in &sections[..segments] {
        let (offset, size) = (section.offset as u32, section.data.len() as u32);
        put(
            &mut out,
            &match section.kind {
                SHT_PROGBITS => [PT_LOAD, offset, 0, 0, size, size, PF_R | PF_X, 4],
                _ => [PT_NOTE, offset, 0, 0, size, 0, PF_R, 4],
            },
        );
    }
    for section in &sections {
        out.resize(section.offset, 0);
        out.extend(&section.data);
    }
    out.resize(end, 0);

    put(&mut out, &[0, SHT_NULL]);
    out.resize(end + SHDR, 0);
    for (section, name) in sections.iter().zip(name_offsets) {
        let (offset, size) = (section.offset as u32, section.data.len() as u32);
        let align = if section.kind == SHT_STRTAB { 1 } else { 4 };
        put(&mut out, &[name, section.kind, section.flags, 0, offset, size, 0, 0, align, 0]);
    }
    out
}

fn dpp_notes(image: &Image) -> Vec<u8> {
    let mut notes = Vec::new();
    let mut information = [0; PROGRAM_INFORMATION_WORDS];
    information[0] = 1;
    information[1] = image.fg_depth_src;
    let mut registers = image.registers;
    for (n, register) in registers.words_mut().into_iter().enumerate() {
        information[n + 2] = *register;
    }
    information[notes::FLAGS] = if image.umrt { FLAG_UMRT } else { 0 };
    if let Some(Sharing(resource)) = image.sharing {
        information[notes::FLAGS] |= FLAG_SHARING;
        information[RESOURCE] = resource;
    }
    note(&mut notes, DPP, dpp::PROGRAM_INFORMATION, &information);
    let flag = |flag: Option<bool>| flag.map(|flag| vec![flag.into()]);
    for (kind, desc) in [
        (dpp::INPUTS, image.inputs.clone()),
        (dpp::OUTPUTS, image.outputs.clone()),
        (dpp::CONDITIONAL_OUTPUT, flag(image.conditional_output)),
        (dpp::FLOAT_CONSTANTS, image.float_constants.clone()),
        (dpp::INT_CONSTANTS, image.int_constants.clone()),
        (dpp::EARLY_EXIT, flag(image.early_exit)),
    ] {
        if let Some(desc) = desc {
            note(&mut notes, DPP, kind, &desc);
        }
    }
    notes
}

fn emu_notes(image: &Image) -> Vec<u8> {
    let mut notes = Vec::new();
    let mut list = Vec::new();
    for constant in &image.user_constants {
        list.extend([constant.kind as u32, constant.addr]);
        name(&mut list, &constant.name);
    }
    some(&mut notes, emu::USER_CONSTANTS, &mut list);
    for literal in &image.literals {
        list.extend([literal.kind as u32, literal.addr]);
        list.extend(literal.value);
    }
    some(&mut notes, emu::LITERALS, &mut list);
    let mut slots = |kind, slots: &[NamedSlot]| {
        for slot in slots {
            list.push(slot.slot);
            name(&mut list, &slot.name);
        }
        some(&mut notes, kind, &mut list);
    };
    slots(emu::INPUT_NAMES, &image.input_names);
    slots(emu::OUTPUT_NAMES, &image.output_names);
    for (kind, words) in image.source.get().map(source::write).unwrap_or_default() {
        note(&mut notes, EMU, kind, &words);
    }
    if let Some(interface) = &image.interface
        && let Ok(text) = serde_json::to_string(&**interface)
    {
        let mut words = vec![source::VERSION];
        name(&mut words, &text);
        note(&mut notes, EMU, emu::INTERFACE, &words);
    }
    notes
}

/// Appends one of our notes if the list has entries, and empties the list.
fn some(notes: &mut Vec<u8>, kind: u32, list: &mut Vec<u32>) {
    if !list.is_empty() {
        note(notes, EMU, kind, list);
        list.clear();
    }
}

/// The words of a name: its length in bytes, the bytes, zeros.
pub(super) fn name(list: &mut Vec<u32>, name: &str) {
    list.push(name.len() as u32);
    for chunk in name.as_bytes().chunks(4) {
        let mut bytes = [0; 4];
        bytes[..chunk.len()].copy_from_slice(chunk);
        list.push(u32::from_le_bytes(bytes));
    }
}

fn note(notes: &mut Vec<u8>, name: &[u8], kind: u32, desc: &[u32]) {
    put(notes, &[name.len() as u32, 4 * desc.len() as u32, kind]);
    notes.extend(name);
    notes.resize(notes.len().next_multiple_of(4), 0);
    put(notes, desc);
}

fn put(out: &mut Vec<u8>, words: &[u32]) {
    out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

fn halves(out: &mut Vec<u8>, halves: &[u16]) {
    out.extend(halves.iter().flat_map(|half| half.to_le_bytes()));
}
