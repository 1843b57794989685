//! The source map of a program: the files, the statement of each instruction, and the names that
//! the author gave to registers and labels.

use super::{ConstantKind, Image, Variable};
use ctm_base::files::{self, Root};
use ctm_base::named;
use ctm_base::text::{Mark, SourceText};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

named! {
    /// The kinds of names of the source, in the order of their codes in executables.
    NameKind {
        Temp "temporary": "A temporary, r0 to r127.";
        Input "input": "An input, i0 to i15.";
        Output "output": "An output, o0 to o3.";
        Float "float constant": "A float constant, c0 to c255.";
        Int "integer constant": "An integer constant, n0 to n31.";
        Bool "boolean constant": "A boolean constant, b0 to b31.";
        Label "label": "An instruction, by its slot.";
    }
}

impl From<ConstantKind> for NameKind {
    fn from(kind: ConstantKind) -> NameKind {
        match kind {
            ConstantKind::Float => NameKind::Float,
            ConstantKind::Int => NameKind::Int,
            ConstantKind::Bool => NameKind::Bool,
        }
    }
}

/// A file that a program was made from.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Its path, as it was given to the assembler.
    pub path: String,
    /// The MD5 of its bytes. As in DWARF 5, it shows whether the file has changed.
    pub hash: [u8; 16],
    /// The text: the one the program was made from in this process, else what the file had when
    /// it was asked for. No container stores it.
    text: OnceLock<Option<Arc<SourceText>>>,
    /// The folder outside which the file is not opened.
    root: Option<Root>,
}

impl PartialEq for SourceFile {
    fn eq(&self, other: &SourceFile) -> bool {
        (&self.path, self.hash) == (&other.path, other.hash)
    }
}

impl Eq for SourceFile {}

impl SourceFile {
    /// A file that was read elsewhere.
    pub fn new(path: String, hash: [u8; 16]) -> SourceFile {
        SourceFile { path, hash, text: OnceLock::new(), root: None }
    }

    /// The text: the one the program was made from, else that of the file at `path` if its hash is
    /// the same and it may be opened: see [`Image::confine_source`].
    pub fn text(&self) -> Option<&SourceText> {
        self.text.get_or_init(|| self.read().map(Arc::new)).as_deref()
    }

    fn read(&self) -> Option<SourceText> {
        let path = Path::new(&self.path);
        if self.root.as_ref().is_some_and(|root| root.check(path).is_err()) {
            return None;
        }
        let bytes = files::read(path, ctm_base::text::MAX_SOURCE as u64).ok()?;
        let same = md5::compute(&bytes).0 == self.hash;
        String::from_utf8(bytes).ok().filter(|_| same).map(SourceText::from)
    }
}

/// The statement that an instruction comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The slot of the instruction.
    pub slot: u32,
    /// Index of the file.
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// A name of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The kind of the register or label.
    pub kind: NameKind,
    /// The number of the register, or the slot.
    pub number: u32,
    /// The name.
    pub name: String,
}

/// A warning of the compiler about the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceWarning {
    /// The place, in the first file.
    pub mark: Mark,
    /// The warning in words.
    pub message: String,
    /// A way to fix it, if known.
    pub help: Option<String>,
}

impl SourceWarning {
    /// The warning and its remedy in one sentence.
    pub fn sentence(&self) -> String {
        let help = self.help.iter().map(|help| format!("; {help}"));
        help.fold(self.message.clone(), |text, help| text + &help)
    }
}

/// The place of an instruction in its source.
#[derive(Clone, Copy, Debug)]
pub struct Location<'a> {
    /// The file.
    pub file: &'a SourceFile,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// `kernel.dpp:7:5`.
impl fmt::Display for Location<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = ctm_base::text::printable(&self.file.path);
        write!(f, "{path}:{}:{}", self.line, self.column)
    }
}

/// The source map of a program. Every part may be missing.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct SourceMap {
    /// The files.
    pub files: Vec<SourceFile>,
    /// The statements of instructions, by ascending slot. An instruction may have none; one that serves several
    /// has an entry for each, the first of the source first.
    pub lines: Vec<Line>,
    /// Names of temporaries, of constants with a value, and of labels. The image itself has the
    /// names of inputs, outputs and user constants: see [`Image::name_of`].
    pub names: Vec<Name>,
    /// The variables of the source, with the places of their values.
    pub variables: Vec<Variable>,
    /// Warnings about the source, in the order of their places. No container stores them.
    pub warnings: Vec<SourceWarning>,
}

impl SourceMap {
    /// The map of a program from one text. `starts` has slots, ascending, each with the byte offset of a statement.
    pub fn of_text(
        path: &str,
        text: &str,
        starts: impl Iterator<Item = (usize, usize)>,
        names: Vec<Name>,
    ) -> SourceMap {
        let hash = md5::compute(text).0;
        let text = SourceText::from(text.to_string());
        let line = |(slot, start): (usize, usize)| {
            let (line, line_start) = text.line_of(start);
            let column = text.as_str()[line_start..start].chars().count() as u32 + 1;
            Line { slot: slot as u32, file: 0, line, column }
        };
        let lines = starts.map(line).collect();
        let text = OnceLock::from(Some(Arc::new(text)));
        let file = SourceFile { path: path.into(), hash, text, root: None };
        SourceMap { files: vec![file], lines, names, variables: Vec::new(), warnings: Vec::new() }
    }

    /// The place of the instruction in a slot: the first, if it serves several statements.
    pub fn location(&self, slot: u32) -> Option<Location<'_>> {
        self.locations(slot).next()
    }

    /// The places of all statements that the instruction in a slot serves.
    pub fn locations(&self, slot: u32) -> impl Iterator<Item = Location<'_>> {
        let first = self.lines.partition_point(|line| line.slot < slot);
        let own = self.lines[first..].iter().take_while(move |line| line.slot == slot);
        own.filter_map(|line| {
            let Line { file, line, column, .. } = *line;
            Some(Location { file: self.files.get(file as usize)?, line, column })
        })
    }
}

/// The source map of an image, if known. Images are equal if they are the same program, so this
/// does not count when they are compared.
#[derive(Clone, Debug, Default)]
pub struct SourceRef(Option<Arc<SourceMap>>);

impl From<SourceMap> for SourceRef {
    fn from(map: SourceMap) -> SourceRef {
        SourceRef((map != SourceMap::default()).then(|| Arc::new(map)))
    }
}

impl SourceRef {
    /// The map.
    pub fn get(&self) -> Option<&SourceMap> {
        self.0.as_deref()
    }

    /// Sets the variables of the source.
    pub fn set_variables(&mut self, variables: Vec<Variable>) {
        if let Some(map) = &mut self.0 {
            Arc::make_mut(map).variables = variables;
        }
    }

    /// Adds warnings about the source.
    pub fn warn(&mut self, warnings: impl IntoIterator<Item = SourceWarning>) {
        if let Some(map) = &mut self.0 {
            Arc::make_mut(map).warnings.extend(warnings);
        }
    }

    /// An instruction for messages: `pc 3, kernel.dpp:7:5`, `pc 3, hue.frag:7:5, also line 9`, or `pc 3`.
    pub fn place(&self, pc: u32) -> String {
        match self.get().and_then(|map| map.location(pc)) {
            Some(location) => format!("pc {pc}, {location}{}", self.also(pc)),
            None => format!("pc {pc}"),
        }
    }

    /// The other lines of the same file that an instruction serves: `, also line 8`, or nothing.
    pub fn also(&self, pc: u32) -> String {
        let lines: Vec<String> =
            self.lines(pc).iter().skip(1).map(|line| line.to_string()).collect();
        match &lines[..] {
            [] => String::new(),
            [line] => format!(", also line {line}"),
            _ => format!(", also lines {}", lines.join(", ")),
        }
    }

    /// The lines of one file that an instruction serves; of several files, those of the first.
    pub fn lines(&self, pc: u32) -> Vec<u32> {
        let Some(map) = self.get() else { return Vec::new() };
        let first = map.location(pc);
        let own = map.locations(pc).filter(|place| first.is_some_and(|at| at.file == place.file));
        own.map(|place| place.line).collect()
    }
}

impl PartialEq for SourceRef {
    fn eq(&self, _: &SourceRef) -> bool {
        true
    }
}

impl Eq for SourceRef {}

impl Image {
    /// Source files outside a folder are not opened from now on. A container names any path.
    pub fn confine_source(&mut self, root: &Root) {
        if let Some(map) = &mut self.source.0 {
            for file in &mut Arc::make_mut(map).files {
                file.root = Some(root.clone());
            }
        }
    }

    /// The place of an instruction in its source, if known: the first, if it serves several statements.
    pub fn location(&self, pc: u32) -> Option<Location<'_>> {
        self.source.get()?.location(pc)
    }

    /// The places of all statements that an instruction serves.
    pub fn locations(&self, pc: u32) -> impl Iterator<Item = Location<'_>> {
        self.source.get().into_iter().flat_map(move |map| map.locations(pc))
    }

    /// An instruction for messages: `pc 3, kernel.dpp:7:5`, or `pc 3`.
    pub fn place(&self, pc: u32) -> String {
        self.source.place(pc)
    }

    /// A register for messages: `input 3`, with the author's name for it in quotes, if it has one.
    pub fn named(&self, kind: NameKind, number: u32) -> String {
        match self.name_of(kind, number) {
            Some(name) => format!("{} {number} `{}`", kind.name(), ctm_base::text::printable(name)),
            None => format!("{} {number}", kind.name()),
        }
    }
}
