//! The notes that say where a program was written: source files, line table, names, variables, and the interface of a shader.
//!
//! Each begins with a version. Their errors do not refuse the program: the part is dropped, with a
//! warning.

use super::ElfError;
use super::error::invalid;
use super::notes::{Desc, Entries, emu};
use super::write::name;
use crate::program::interface::{Interface, Kind};
use crate::program::{
    Image, Line, Name, NameKind, SourceFile, SourceMap, ValuePlace, Variable, VariableLocation,
};
use ctm_isa::isa::{FLOAT_CONSTANTS, TEMPORARIES};
use std::sync::Arc;

/// The version of these notes.
pub(super) const VERSION: u32 = 1;

/// The name of a source note in messages; `None` for notes of other types.
pub(super) fn note(kind: u32) -> Option<&'static str> {
    match kind {
        emu::SOURCE_FILES => Some("source files"),
        emu::LINES => Some("line table"),
        emu::NAMES => Some("names"),
        emu::INTERFACE => Some("interface"),
        emu::VARIABLES => Some("variables"),
        _ => None,
    }
}

/// Reads a source note into `map`. Counts are bounded by the size of the note.
pub(super) fn read(
    map: &mut SourceMap,
    image: &Image,
    kind: u32,
    note: &'static str,
    desc: Desc,
) -> Result<(), ElfError> {
    let mut entries = versioned(note, desc)?;
    match kind {
        emu::SOURCE_FILES => map.files = files(&mut entries)?,
        emu::LINES => map.lines = lines(&mut entries, image.words.len(), map.files.len())?,
        emu::VARIABLES => map.variables = variables(&mut entries, image.words.len() as u32)?,
        _ => map.names = names(&mut entries, image.words.len())?,
    }
    Ok(())
}

/// The entries of a note after its version.
fn versioned<'a>(note: &'static str, desc: Desc<'a>) -> Result<Entries<'a>, ElfError> {
    let mut entries = Entries::new(note, desc);
    let offset = entries.offset();
    match entries.word()? {
        VERSION => Ok(entries),
        value => {
            let problem = format!("is {value:#x}, expected version 1");
            Err(invalid(format!("word 0 of the {note} note"), offset, problem))
        }
    }
}

/// Reads what a shader takes and gives.
pub(super) fn interface(image: &mut Image, note: &'static str, desc: Desc) -> Result<(), ElfError> {
    let mut entries = versioned(note, desc)?;
    let offset = entries.offset();
    let refused =
        |problem: String| invalid(format!("the text of the {note} note"), offset, problem);
    let interface: Interface = serde_json::from_str(&entries.name()?)
        .map_err(|error| refused(format!("is no interface: {error}")))?;
    match interface.broken() {
        Some(part) => Err(refused(format!("has {part} with an index out of range"))),
        None => {
            image.interface = Some(Arc::new(interface));
            Ok(())
        }
    }
}

fn files(entries: &mut Entries) -> Result<Vec<SourceFile>, ElfError> {
    let mut files = Vec::new();
    while !entries.done() {
        let mut hash = [0; 16];
        for bytes in hash.as_chunks_mut::<4>().0 {
            *bytes = entries.word()?.to_le_bytes();
        }
        files.push(SourceFile::new(entries.name()?, hash));
    }
    Ok(files)
}

fn lines(entries: &mut Entries, instructions: usize, files: usize) -> Result<Vec<Line>, ElfError> {
    let mut lines = Vec::with_capacity(instructions.min(entries.left() / size_of::<Line>()));
    let mut lowest = 0;
    while !entries.done() {
        let mut field = |field, low, end: usize| {
            let offset = entries.offset();
            let value = entries.word()?;
            if (low..).contains(&value) && (value as usize) < end {
                return Ok(value);
            }
            Err(outside(field, offset, value, (low, end)))
        };
        const ANY: usize = u32::MAX as usize;
        let line = Line {
            slot: field("slot", lowest, instructions)?,
            file: field("file", 0, files)?,
            line: field("line", 1, ANY)?,
            column: field("column", 1, ANY)?,
        };
        // Slots ascend; several lines of one follow each other.
        lowest = line.slot;
        lines.push(line);
    }
    Ok(lines)
}

/// The error of a line whose field is not from `low` on and before `end`.
#[cold]
fn outside(field: &str, offset: usize, value: u32, (low, end): (u32, usize)) -> ElfError {
    let expected = match end.checked_sub(1).filter(|last| *last >= low as usize) {
        Some(last) => format!("{low} to {last}"),
        None => "no entry".to_string(),
    };
    let problem = format!("of the line table note is {value}, expected {expected}");
    invalid(format!("the {field}"), offset, problem)
}

fn names(entries: &mut Entries, instructions: usize) -> Result<Vec<Name>, ElfError> {
    let mut names = Vec::new();
    while !entries.done() {
        let offset = entries.offset();
        let value = entries.word()?;
        let kind = NameKind::ALL.into_iter().find(|&kind| kind as u32 == value);
        let kind = kind.ok_or_else(|| {
            invalid("the kind", offset, format!("of the names note is {value}, expected 0 to 6"))
        })?;
        let offset = entries.offset();
        let number = entries.word()?;
        let end = kind.registers().map_or(instructions, |(_, count)| count);
        if number as usize >= end {
            let problem = format!("of the names note is {number}, expected less than {end}");
            return Err(invalid(format!("the number of the {}", kind.name()), offset, problem));
        }
        names.push(Name { kind, number, name: entries.name()? });
    }
    Ok(names)
}

/// The bits of a location's signs.
const NEG: u32 = 1;
const ABS: u32 = 2;

/// A variable has fewer components.
const MAX_COMPONENTS: u32 = 1 << 20;

fn variables(entries: &mut Entries, instructions: u32) -> Result<Vec<Variable>, ElfError> {
    let mut variables = Vec::new();
    while !entries.done() {
        let (function, name, line) = (entries.name()?, entries.name()?, entries.word()?);
        let kind = match number(entries, "kind", 3)? {
            0 => Kind::Float,
            1 => Kind::Int,
            _ => Kind::Bool,
        };
        let components = number(entries, "number of components", MAX_COMPONENTS)?;
        let count = entries.word()?;
        let mut stores = Vec::new();
        for _ in 0..count {
            stores.push((number(entries, "component", components)?, entries.word()?));
        }
        let count = entries.word()?;
        let mut locations = Vec::new();
        for _ in 0..count {
            let component = number(entries, "component", components)?;
            let (line, nth) = (entries.word()?, entries.word()?.checked_sub(1));
            let slots =
                number(entries, "slot", instructions)?..number(entries, "slot", instructions + 1)?;
            let signs = number(entries, "signs", 4)?;
            let (abs, neg) = (signs & ABS != 0, signs & NEG != 0);
            let place = match number(entries, "kind of a place", 3)? {
                0 => {
                    let register = number(entries, "temporary", TEMPORARIES as u32)? as u8;
                    ValuePlace::Temp(register, number(entries, "channel", 4)? as u8)
                }
                1 => {
                    let register = number(entries, "constant", FLOAT_CONSTANTS as u32)? as u8;
                    ValuePlace::Constant(register, number(entries, "channel", 4)? as u8)
                }
                _ => {
                    let bits = entries.word()?;
                    number(entries, "rest of a literal", 1)?;
                    ValuePlace::Literal(bits)
                }
            };
            locations.push(VariableLocation { component, line, nth, slots, place, abs, neg });
        }
        variables.push(Variable { name, function, line, kind, components, stores, locations });
    }
    Ok(variables)
}

/// A word of the variables note, below `end`.
fn number(entries: &mut Entries, field: &str, end: u32) -> Result<u32, ElfError> {
    let offset = entries.offset();
    let value = entries.word()?;
    if value < end {
        return Ok(value);
    }
    let problem = format!("of the variables note is {value}, expected less than {end}");
    Err(invalid(format!("the {field}"), offset, problem))
}

fn write_variables(variables: &[Variable]) -> Vec<u32> {
    let mut words = vec![VERSION];
    for variable in variables {
        name(&mut words, &variable.function);
        name(&mut words, &variable.name);
        let kind = match variable.kind {
            Kind::Float => 0,
            Kind::Int => 1,
            Kind::Bool => 2,
        };
        let Variable { line, components, stores, locations, .. } = variable;
        words.extend([*line, kind, *components, stores.len() as u32]);
        words.extend(stores.iter().flat_map(|(component, line)| [*component, *line]));
        words.push(locations.len() as u32);
        for location in locations {
            let VariableLocation { component, line, nth, slots, place, abs, neg } = location;
            let signs = if *neg { NEG } else { 0 } | if *abs { ABS } else { 0 };
            let place = match *place {
                ValuePlace::Temp(n, channel) => [0, n.into(), channel.into()],
                ValuePlace::Constant(n, channel) => [1, n.into(), channel.into()],
                ValuePlace::Literal(bits) => [2, bits, 0],
            };
            let nth = nth.map_or(0, |nth| nth + 1);
            words.extend([*component, *line, nth, slots.start, slots.end, signs]);
            words.extend(place);
        }
    }
    words
}

/// The contents of the source notes, each with its type. Empty parts have none.
pub(super) fn write(map: &SourceMap) -> Vec<(u32, Vec<u32>)> {
    let mut files = vec![VERSION];
    for file in &map.files {
        files.extend(file.hash.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)));
        name(&mut files, &file.path);
    }
    let mut lines = vec![VERSION];
    for line in &map.lines {
        lines.extend([line.slot, line.file, line.line, line.column]);
    }
    let mut names = vec![VERSION];
    for entry in &map.names {
        names.extend([entry.kind as u32, entry.number]);
        name(&mut names, &entry.name);
    }
    let parts = [
        (emu::SOURCE_FILES, files),
        (emu::LINES, lines),
        (emu::NAMES, names),
        (emu::VARIABLES, write_variables(&map.variables)),
    ];
    parts.into_iter().filter(|(_, words)| words.len() > 1).collect()
}
