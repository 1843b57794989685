//! Program files of any kind, told by their content.

use crate::elf::{self, ElfError};
use crate::program::Image;
use crate::raw::{self, RawError};

/// The kinds of program file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Assembly text.
    Asm,
    /// An executable.
    Elf,
    /// A listing of hexadecimal words.
    Hex,
    /// 24 bytes an instruction.
    Bin,
    /// A log of Mesa's `RADEON_DEBUG=fp`.
    Mesa,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 5] = [Kind::Asm, Kind::Elf, Kind::Hex, Kind::Bin, Kind::Mesa];

    /// The name in job files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Asm => "asm",
            Kind::Elf => "elf",
            Kind::Hex => "hex",
            Kind::Bin => "bin",
            Kind::Mesa => "mesa",
        }
    }
    /// The kind with a name.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
    /// Whether such a file carries its state registers and the uncached-write flag, so that a job
    /// must not give them.
    pub fn has_container(self) -> bool {
        matches!(self, Kind::Asm | Kind::Elf)
    }
}

/// A program from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The program, not verified.
    pub image: Image,
    /// What the file was.
    pub kind: Kind,
    /// [`Kind::has_container`] of `kind`.
    pub has_container: bool,
    /// How many programs the file holds.
    pub programs: usize,
    /// What got lost on the way, as text for people.
    pub notes: Vec<String>,
}

/// Why a file is no program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A malformed executable.
    #[error("not a valid executable: {0}")]
    Elf(#[from] ElfError),
    /// A malformed listing, binary or log.
    #[error(transparent)]
    Raw(#[from] RawError),
    /// Assembly text with errors.
    #[error("{0}")]
    Asm(String),
    /// Bytes where text is needed.
    #[error("offset {offset:#x}: the file is not UTF-8 text, as kind {kind:?} needs", kind = .kind.name())]
    NotText {
        /// The first bad byte.
        offset: usize,
        /// What the file was taken for.
        kind: Kind,
    },
    /// No such program in the file.
    #[error("index {index} is out of range: the file holds {count} program{}, expected an index from 0 to {}",
        if *.count == 1 { "" } else { "s" }, .count - 1)]
    Index {
        /// The index asked for.
        index: usize,
        /// How many programs there are.
        count: usize,
    },
}

/// Tells a file's kind by its content.
///
/// An executable has its magic number; what is not text is a binary; text is a Mesa log if it has
/// a heading of one, a listing if its first word is one of 8 hexadecimal digits or begins with 0x
/// or if all its words are hexadecimal, and else assembly.
pub fn detect(bytes: &[u8]) -> Kind {
    if bytes.starts_with(b"\x7fELF") {
        return Kind::Elf;
    }
    let control = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\x0c');
    let Some(text) = std::str::from_utf8(bytes)
        .ok()
        .filter(|text| !text.contains(control))
    else {
        return Kind::Bin;
    };
    let is_mesa = |line: &str| {
        line == raw::MESA_HEADING
            || line == "# Radeon Compiler Program"
            || line == "Fragment Program: before compilation"
    };
    if text.lines().any(|line| is_mesa(line.trim())) {
        return Kind::Mesa;
    }
    let mut tokens = raw::tokens(text).map(|(_, _, token)| token);
    match tokens.next() {
        Some(first) if raw::word(first).is_some() => {
            if first.len() >= 8 || first.starts_with("0x") || tokens.all(|t| raw::word(t).is_some())
            {
                Kind::Hex
            } else {
                Kind::Asm
            }
        }
        _ => Kind::Asm,
    }
}

/// Loads a program from a file's bytes. `name` is the file's name, for messages about its text;
/// `kind` overrides [`detect`]; `index` says which program where a file holds several, the last
/// one without it.
///
/// # Errors
/// A malformed file of its kind, or an index that it does not have.
pub fn load(
    bytes: &[u8],
    name: &str,
    kind: Option<Kind>,
    index: Option<usize>,
) -> Result<Loaded, LoadError> {
    let kind = kind.unwrap_or_else(|| detect(bytes));
    let text = || {
        std::str::from_utf8(bytes).map_err(|error| LoadError::NotText {
            offset: error.valid_up_to(),
            kind,
        })
    };
    let mut notes = Vec::new();
    let (image, programs) = match kind {
        Kind::Elf => (elf::read(bytes)?, 1),
        Kind::Bin => (raw::binary(bytes)?, 1),
        Kind::Hex => (raw::hex(text()?)?, 1),
        Kind::Asm => (assemble(text()?, name)?, 1),
        Kind::Mesa => {
            let mut dumps = raw::mesa_dumps(text()?)?;
            let programs = dumps.len();
            let which = pick(index, programs)?;
            let dump = dumps.swap_remove(which);
            mesa_notes(&dump, &mut notes);
            (dump.image, programs)
        }
    };
    pick(index, programs)?;
    Ok(Loaded {
        image,
        kind,
        has_container: kind.has_container(),
        programs,
        notes,
    })
}

fn pick(index: Option<usize>, count: usize) -> Result<usize, LoadError> {
    let which = index.unwrap_or(count.saturating_sub(1));
    if which < count {
        Ok(which)
    } else {
        Err(LoadError::Index {
            index: which,
            count,
        })
    }
}

/// The one call of the assembler.
fn assemble(_source: &str, _name: &str) -> Result<Image, LoadError> {
    Err(LoadError::Asm("the assembler is being written".into()))
}

/// What a log does not tell about its program.
fn mesa_notes(dump: &raw::Dump, notes: &mut Vec<String>) {
    if let Some(decimals) = dump.decimals {
        notes.push(format!(
            "the Mesa log gives constants rounded to {decimals} decimals; give exact ones where that matters"
        ));
    }
    if !dump.external.is_empty() {
        let list: Vec<String> = dump.external.iter().map(u32::to_string).collect();
        notes.push(format!(
            "the Mesa log does not hold the values of float constants {}",
            list.join(", ")
        ));
    }
}
