//! Writes an image as the bytes of an executable.

use super::notes::{DPP, EMU, FLAG_UMRT, PROGRAM_INFORMATION_WORDS, dpp, emu, kind_code};
use super::{ABI_VERSION, FLAGS, MACHINE, OSABI};
use crate::program::{Image, NamedSlot};
use goblin::elf::header::{ELFCLASS32, ELFDATA2LSB, ET_EXEC};
use goblin::elf::program_header::{PF_R, PF_X, PT_LOAD, PT_NOTE};
use goblin::elf::section_header::{
    SHF_ALLOC, SHF_EXECINSTR, SHT_NOTE, SHT_NULL, SHT_PROGBITS, SHT_STRTAB,
};

const EHDR: usize = 52;
const PHDR: usize = 32;
const SHDR: usize = 40;

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
    let mut text = Vec::with_capacity(image.words.len() * 24);
    for word in image.words.iter().flatten() {
        text.extend(word.to_le_bytes());
    }
    let mut sections = vec![
        Section {
            name: ".text",
            kind: SHT_PROGBITS,
            flags: SHF_ALLOC | SHF_EXECINSTR,
            data: text,
            offset: 0,
        },
        Section { name: ".note", kind: SHT_NOTE, flags: 0, data: dpp_notes(image), offset: 0 },
    ];
    let own = emu_notes(image);
    if !own.is_empty() {
        sections.push(Section {
            name: ".dpp.consts",
            kind: SHT_NOTE,
            flags: 0,
            data: own,
            offset: 0,
        });
    }
    let segments = sections.len();
    let mut names = vec![0];
    let mut name_offsets = Vec::new();
    for name in sections.iter().map(|s| s.name).chain([".shstrtab"]) {
        name_offsets.push(names.len() as u32);
        names.extend(name.as_bytes());
        names.push(0);
    }
    sections.push(Section {
        name: ".shstrtab",
        kind: SHT_STRTAB,
        flags: 0,
        data: names,
        offset: 0,
    });
    let mut end = EHDR + PHDR * segments;
    for section in &mut sections {
        section.offset = end;
        end = (end + section.data.len()).next_multiple_of(4);
    }

    let mut out = Vec::with_capacity(end + SHDR * (sections.len() + 1));
    out.extend(b"\x7fELF");
    out.extend([ELFCLASS32, ELFDATA2LSB, 1, OSABI, ABI_VERSION]);
    out.resize(16, 0);
    half(&mut out, ET_EXEC);
    half(&mut out, MACHINE);
    put(&mut out, 1);
    put(&mut out, 0);
    put(&mut out, EHDR as u32);
    put(&mut out, end as u32);
    put(&mut out, FLAGS);
    half(&mut out, EHDR as u16);
    half(&mut out, PHDR as u16);
    half(&mut out, segments as u16);
    half(&mut out, SHDR as u16);
    half(&mut out, sections.len() as u16 + 1);
    half(&mut out, sections.len() as u16);

    for section in &sections[..segments] {
        let code = section.kind == SHT_PROGBITS;
        let size = section.data.len() as u32;
        put(&mut out, if code { PT_LOAD } else { PT_NOTE });
        put(&mut out, section.offset as u32);
        put(&mut out, 0);
        put(&mut out, 0);
        put(&mut out, size);
        put(&mut out, if code { size } else { 0 });
        put(&mut out, if code { PF_R | PF_X } else { PF_R });
        put(&mut out, 4);
    }
    for section in &sections {
        out.resize(section.offset, 0);
        out.extend(&section.data);
    }
    out.resize(end, 0);

    put(&mut out, 0);
    put(&mut out, SHT_NULL);
    out.resize(end + SHDR, 0);
    for (section, name) in sections.iter().zip(name_offsets) {
        put(&mut out, name);
        put(&mut out, section.kind);
        put(&mut out, section.flags);
        put(&mut out, 0);
        put(&mut out, section.offset as u32);
        put(&mut out, section.data.len() as u32);
        put(&mut out, 0);
        put(&mut out, 0);
        put(&mut out, if section.kind == SHT_STRTAB { 1 } else { 4 });
        put(&mut out, 0);
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
    information[9] = if image.umrt { FLAG_UMRT } else { 0 };
    note(&mut notes, DPP, dpp::PROGRAM_INFORMATION, &information);
    if let Some(list) = &image.inputs {
        note(&mut notes, DPP, dpp::INPUTS, list);
    }
    if let Some(list) = &image.outputs {
        note(&mut notes, DPP, dpp::OUTPUTS, list);
    }
    if let Some(flag) = image.conditional_output {
        note(&mut notes, DPP, dpp::CONDITIONAL_OUTPUT, &[flag as u32]);
    }
    if let Some(list) = &image.float_constants {
        note(&mut notes, DPP, dpp::FLOAT_CONSTANTS, list);
    }
    if let Some(list) = &image.int_constants {
        note(&mut notes, DPP, dpp::INT_CONSTANTS, list);
    }
    if let Some(flag) = image.early_exit {
        note(&mut notes, DPP, dpp::EARLY_EXIT, &[flag as u32]);
    }
    notes
}

fn emu_notes(image: &Image) -> Vec<u8> {
    let mut notes = Vec::new();
    let mut list = Vec::new();
    for constant in &image.user_constants {
        list.extend([kind_code(constant.kind), constant.addr]);
        name(&mut list, &constant.name);
    }
    some(&mut notes, emu::USER_CONSTANTS, &mut list);
    for literal in &image.literals {
        list.extend([kind_code(literal.kind), literal.addr]);
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
fn name(list: &mut Vec<u32>, name: &str) {
    list.push(name.len() as u32);
    for chunk in name.as_bytes().chunks(4) {
        let mut bytes = [0; 4];
        bytes[..chunk.len()].copy_from_slice(chunk);
        list.push(u32::from_le_bytes(bytes));
    }
}

fn note(notes: &mut Vec<u8>, name: &[u8], kind: u32, desc: &[u32]) {
    put(notes, name.len() as u32);
    put(notes, 4 * desc.len() as u32);
    put(notes, kind);
    notes.extend(name);
    notes.resize(notes.len().next_multiple_of(4), 0);
    for &word in desc {
        put(notes, word);
    }
}

fn put(out: &mut Vec<u8>, word: u32) {
    out.extend(word.to_le_bytes());
}

fn half(out: &mut Vec<u8>, half: u16) {
    out.extend(half.to_le_bytes());
}
