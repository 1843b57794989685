//! Writes a generated case as a job folder that shows the same difference.

use super::case::Case;
use ctm_base::files;
use ctm_isa::isa::{BOOL_CONSTANTS, FLOAT_CONSTANTS, INPUTS, LETTERS, OUTPUTS};
use ctm_jobs::array::npy;
use ctm_jobs::array::{Array, Dtype, Raster};
use ctm_jobs::job::sharing_array;
use ctm_lang::asm;
use ctm_lang::elf;
use ctm_lang::program::{ConstantKind, Image, Known, NameKind, Registers, Sharing};
use ctm_lang::raw;
use ctm_machine::engine::Faults;
use ctm_machine::launch::{Condition, IntConstant, Launch, Shared};
use ctm_machine::memory::{ALIGNMENT, Format, Memory, MemoryError, Surface};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Errors of writing a folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// A file or folder cannot be written.
    #[error("cannot write {}: {error}", .path.display())]
    Write {
        /// The path.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// The host cannot allocate memory for it.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

/// A written folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The job file.
    pub job: PathBuf,
    /// The parts that a job file cannot express; without them the job may not show the difference.
    pub lost: Vec<String>,
}

/// The results of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// Memory after it.
    pub memory: &'a Memory,
    /// Its faults.
    pub faults: &'a Faults,
    /// The registers that groups share after it.
    pub shared: Option<&'a Shared>,
}

/// Writes a launch as a job: `job.toml`, the program, the arrays, and the results as `[[expect]]`. The
/// buffers have the program's names for them. A program with names or a source is written as an executable,
/// which keeps these, others as `program.hex`. Creates the folder if it is missing.
///
/// # Errors
/// At the first file that cannot be written.
pub fn write_launch(
    launch: &Launch,
    memory: Memory,
    folder: &Path,
    about: &str,
    expected: Expected<'_>,
) -> Result<Exported, ExportError> {
    let condition = launch.condition.touched();
    let surfaces = launch.inputs.iter().chain(&launch.outputs).flatten().chain(&condition);
    let mut export = Export::new(folder, memory, places(surfaces))?;
    let image = launch.program.image();
    export.names = names(image);
    // A job gives only a bare program the shared registers that a command gave it.
    let has_names = !export.names.is_empty() || image.source.get().is_some();
    export.executable = has_names && image.sharing.is_none();
    export.job(launch, about)?;
    export.expect(launch, expected)?;
    export.write(launch)
}

/// The program's names for its inputs and outputs, where they are plain words and differ.
fn names(image: &Image) -> BTreeMap<String, String> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let slots = [(NameKind::Input, "input", INPUTS), (NameKind::Output, "output", OUTPUTS)];
    for (kind, what, count) in slots {
        for slot in 0..count as u32 {
            let Some(name) = image.name_of(kind, slot) else { continue };
            let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let fits = (1..=64).contains(&name.len()) && name.chars().all(is_plain);
            if fits && name != "condition" && names.values().all(|other| other != name) {
                names.insert(format!("{what} {slot}"), name.to_string());
            }
        }
    }
    names
}

/// The positions of a launch's address ranges in the job.
type Places = Vec<(Range<u64>, u64)>;

/// Surfaces may be in both arenas and far apart, and a job has one arena: those that overlap keep
/// their distances, and others follow.
fn places<'a>(surfaces: impl Iterator<Item = &'a Surface>) -> Places {
    let range = |surface: &Surface| {
        let start = u64::from(surface.base);
        start..start + surface.byte_size(surface.pitch.max(surface.width), surface.height)
    };
    let mut ranges: Vec<Range<u64>> = surfaces.map(range).collect();
    ranges.sort_by_key(|range| range.start);
    let mut places: Places = Vec::new();
    for range in ranges {
        match places.last_mut() {
            Some((last, _)) if range.start < last.end => last.end = last.end.max(range.end),
            last => {
                let free = last.map_or(0, |(last, at)| *at + (last.end - last.start));
                places.push((range, free.next_multiple_of(ALIGNMENT.into())));
            }
        }
    }
    places
}

/// Writes `job.toml`, `program.hex`, the arrays, and `about.txt` with the disassembly and `note`.
/// Creates the folder if it is missing.
///
/// # Errors
/// At the first file that cannot be written.
pub fn write(case: &Case, folder: &Path, note: &str) -> Result<Exported, ExportError> {
    let mut export = Export::new(folder, case.memory()?, vec![(Case::BASE.into()..1 << 32, 0)])?;
    let short = format!(
        "program {} of seed {}, strength {}, reduced",
        case.index,
        case.seed,
        case.strength.name()
    );
    export.job(&case.launch, &short)?;
    let image = case.launch.program.image();
    let mut about = format!(
        "Program {} of seed {}, strength {}, as small as it could be made.\n\n{note}\n\n",
        case.index,
        case.seed,
        case.strength.name()
    );
    for lost in &export.lost {
        let _ = writeln!(about, "A job file cannot say this: {lost}");
    }
    for (pc, words) in image.words.iter().enumerate() {
        let _ = writeln!(about, "{pc:3}  {}", asm::line(words, image.sharing));
    }
    export.file("about.txt", about.as_bytes())?;
    export.write(&case.launch)
}

struct Export<'a> {
    folder: &'a Path,
    memory: Memory,
    places: Places,
    /// The names of buffers, by what they are otherwise called.
    names: BTreeMap<String, String>,
    /// Whether the program is written as an executable.
    executable: bool,
    text: String,
    buffers: String,
    lost: Vec<String>,
}

impl Export<'_> {
    fn new(folder: &Path, memory: Memory, places: Places) -> Result<Export<'_>, ExportError> {
        std::fs::create_dir_all(folder)
            .map_err(|error| ExportError::Write { path: folder.to_path_buf(), error })?;
        let (names, text, buffers, lost) = Default::default();
        Ok(Export { folder, memory, places, names, executable: false, text, buffers, lost })
    }

    /// The name of a buffer.
    fn name<'a>(&'a self, name: &'a str) -> &'a str {
        self.names.get(name).map_or(name, String::as_str)
    }

    /// Writes the job file and the program.
    fn write(self, launch: &Launch) -> Result<Exported, ExportError> {
        self.file("job.toml", self.text.as_bytes())?;
        let image = launch.program.image();
        if self.executable {
            self.file("program.elf", &elf::write(image))?
        } else {
            self.file("program.hex", raw::write_hex(image).as_bytes())?
        }
        Ok(Exported { job: self.folder.join("job.toml"), lost: self.lost })
    }

    /// Writes what the launch leaves in its outputs and in the conditional buffer.
    fn expect(&mut self, launch: &Launch, expected: Expected<'_>) -> Result<(), ExportError> {
        let outputs = launch.outputs.iter().enumerate();
        let outputs = outputs.filter_map(|(n, one)| Some((format!("output {n}"), (*one)?)));
        let condition = launch.condition.touched().map(|one| ("condition".to_string(), one));
        for (name, surface) in outputs.chain(condition) {
            let bytes = surface.byte_size(surface.pitch, surface.height);
            if !self.memory.contains(surface.base, bytes as usize) {
                continue;
            }
            let raster = Raster::read(expected.memory, &surface, surface.pitch, surface.height)?;
            let file = format!("expected_{}.npy", name.replace(' ', "_"));
            self.array(&file, &raster.into_array())?;
            let name = self.name(&name);
            let text =
                format!("\n[[expect]]\nbuffer = \"{name}\"\nfile = \"{file}\"\nbits = true\n");
            self.text += &text;
        }
        let sharing = launch.program.sharing().filter(|sharing| sharing.globals() != 0);
        if let Some((registers, _)) = expected.shared.zip(sharing) {
            let file = "expected_shared.npy";
            self.array(file, &sharing_array(registers))?;
            let _ =
                write!(self.text, "\n[[expect]]\nshared = true\nfile = \"{file}\"\nbits = true\n");
        }
        for (code, _) in expected.faults.iter() {
            let _ = write!(self.text, "\n[[expect]]\nfault = \"{}\"\n", code.name());
        }
        Ok(())
    }

    fn file(&self, name: &str, bytes: &[u8]) -> Result<(), ExportError> {
        let path = self.folder.join(name);
        files::write(&path, bytes).map_err(|error| ExportError::Write { path, error })
    }

    fn array(&self, name: &str, array: &Array) -> Result<(), ExportError> {
        let path = self.folder.join(name);
        npy::save(array, &path).map_err(|error| ExportError::Write { path, error })
    }

    /// Writes a surface as a buffer with its contents in memory; returns whether a job file can
    /// express it.
    fn buffer(&mut self, name: &str, surface: &Surface, width: u32) -> Result<bool, ExportError> {
        let bytes = surface.byte_size(surface.pitch.max(width), surface.height);
        let base = u64::from(surface.base);
        let place = self.places.iter().find(|(range, _)| range.contains(&base));
        let offset = place.map_or(0, |(range, at)| at + (base - range.start));
        let inside = self.memory.contains(surface.base, bytes as usize);
        if !inside {
            let at = surface.base;
            self.lost.push(format!("{name} lies at 0x{at:08x}, partly or wholly outside memory"));
            return Ok(false);
        }
        let raster = Raster::read(&self.memory, surface, width, surface.height)?;
        let file = format!("{}.npy", name.replace(' ', "_"));
        self.array(&file, &raster.into_array())?;
        let (name, wrap) = (self.name(name), surface.wrap.name());
        let text = format!(
            "\n[[buffer]]\nname = \"{name}\"\nfile = \"{file}\"\nformat = \"{}\"\ntiling = \"{}\"\n\
             width = {width}\nheight = {}\npitch = {}\naddress = 0x{offset:08x}\nwrap = \"{wrap}\"\n",
            surface.format, surface.tiling, surface.height, surface.pitch,
        );
        self.buffers += &text;
        Ok(true)
    }

    /// Writes surfaces as buffers; returns their slots and names.
    fn bound(
        &mut self,
        kind: &str,
        surfaces: &[Option<Surface>],
        width: fn(&Surface) -> u32,
    ) -> Result<String, ExportError> {
        let mut bound = Vec::new();
        for (slot, surface) in surfaces.iter().enumerate() {
            let name = format!("{kind} {slot}");
            if let Some(surface) = surface
                && self.buffer(&name, surface, width(surface))?
            {
                bound.push(format!("{slot} = \"{}\"", self.name(&name)));
            }
        }
        Ok(bound.join(", "))
    }

    fn job(&mut self, launch: &Launch, about: &str) -> Result<(), ExportError> {
        // A job refuses inputs and initial temporaries that its program does not read.
        let mut inputs = launch.inputs;
        for (slot, input) in inputs.iter_mut().enumerate() {
            *input = input.filter(|_| launch.program.uses().inputs >> slot & 1 != 0);
        }
        let inputs = self.bound("input", &inputs, |surface| surface.width)?;
        let outputs = self.bound("output", &launch.outputs, |surface| surface.pitch)?;
        let condition = self.condition(&launch.condition)?;
        let domain = &launch.domain;
        let mut initial = Vec::new();
        let read = |temp: u8| launch.program.knows(NameKind::Temp, temp.into()) == Known::Used;
        for start in launch.initial.iter().filter(|start| read(start.temp)) {
            if domain.is_empty() {
                continue;
            }
            let name = format!("r{}.npy", start.temp);
            let shape = vec![domain.height() as usize, domain.width() as usize, 4];
            let units = start.data.iter().flatten().copied().collect();
            self.array(&name, &Array { dtype: Dtype::Float32, shape, units })?;
            initial.push(format!("{} = \"{name}\"", start.temp));
        }
        if launch.interpolants.is_some() {
            self.lost.push("interpolants".to_string());
        }
        let constants = self.constants(launch)?;
        let mut registers = *launch.program.registers();
        let mask: String = LETTERS
            .into_iter()
            .enumerate()
            .filter(|(n, _)| launch.out_mask >> n & 1 != 0)
            .map(|(_, letter)| letter)
            .collect();
        let _ = write!(
            self.text,
            "version = 1\nabout = \"{about}\"\n\n[float]\nmode = \"{}\"\n\n[limits]\ninstructions = {}\n{}\n[[pass]]\n\
             domain = {{ i0 = {}, j0 = {}, i1 = {}, j1 = {} }}\n",
            launch.mode.name(),
            launch.limits.instructions,
            self.buffers,
            domain.i0,
            domain.j0,
            domain.i1,
            domain.j1,
        );
        let tables = [
            ("constants", constants.join(", ")),
            ("inputs", inputs),
            ("outputs", outputs),
            ("condition", condition),
            ("initial", initial.join(", ")),
        ];
        for (name, table) in tables.iter().filter(|(_, table)| !table.is_empty()) {
            let _ = writeln!(self.text, "{name} = {{ {table} }}");
        }
        let _ = write!(self.text, "mask = \"{mask}\"\n\n[pass.program]\n");
        if self.executable {
            self.text += "file = \"program.elf\"\n";
            return Ok(());
        }
        let _ = write!(
            self.text,
            "file = \"program.hex\"\nkind = \"hex\"\numrt = {}\n\n[pass.program.registers]\n",
            launch.program.umrt(),
        );
        for (name, word) in Registers::NAMES.into_iter().zip(registers.words_mut()) {
            let _ = writeln!(self.text, "{name} = 0x{word:08x}");
        }
        if let (Some(sharing), Some(registers)) = (launch.program.sharing(), &launch.shared) {
            let _ = writeln!(self.text, "{} = 0x{:08x}", Sharing::NAME, sharing.0);
            let _ = write!(self.text, "\n[sharing]\nsimds = {}\n", registers.simds);
            if sharing.globals() != 0 {
                self.array("shared.npy", &sharing_array(registers))?;
                let _ = writeln!(self.text, "initial = \"shared.npy\"");
            }
        }
        Ok(())
    }

    fn condition(&mut self, condition: &Condition) -> Result<String, ExportError> {
        let name = "condition";
        let mut text = String::new();
        let mut format = Format::Float32x1;
        if let Some(surface) = condition.touched()
            && self.buffer(name, &surface, surface.pitch)?
        {
            format = surface.format;
            let _ = write!(text, "buffer = \"{name}\", ");
        }
        let value = match format {
            Format::Uint16x1 => (condition.value & 0xffff).to_string(),
            _ => format!("\"0x{:08x}\"", condition.value),
        };
        let _ = write!(
            text,
            "test = \"{}\", location = \"{}\", value = {value}, write = {}",
            condition.test.name(),
            condition.location.name(),
            condition.write
        );
        Ok(text)
    }

    /// The constants that the program reads: those that are not 0 or that the launch gives.
    fn constants(&self, launch: &Launch) -> Result<Vec<String>, ExportError> {
        let (constants, uses) = (&launch.constants, launch.program.uses());
        let needed = |kind: ConstantKind, n: usize| {
            let set = match kind {
                ConstantKind::Float => constants.float[n] != [0; 4],
                ConstantKind::Int => constants.int[n] != IntConstant::default(),
                ConstantKind::Bool => constants.bool >> n & 1 != 0,
            };
            let given = || constants.given.is_none_or(|given| given.has(kind, n));
            uses.reads_constant(kind, n) && (set || given())
        };
        let mut list = Vec::new();
        let last = (0..FLOAT_CONSTANTS).rfind(|&n| needed(ConstantKind::Float, n));
        if let Some(last) = last {
            let name = "constants.npy";
            let units = constants.float[..=last].iter().flatten().copied().collect();
            let shape = vec![last + 1, 4];
            self.array(name, &Array { dtype: Dtype::Float32, shape, units })?;
            list.push(format!("float_file = \"{name}\""));
        }
        let ints: Vec<String> = (0..)
            .zip(&constants.int)
            .filter(|&(n, _)| needed(ConstantKind::Int, n))
            .map(|(n, c)| format!("{n} = [{}, {}, {}]", c.count, c.start, c.step))
            .collect();
        if !ints.is_empty() {
            list.push(format!("int = {{ {} }}", ints.join(", ")));
        }
        // A list gives all of them: those that it does not name are false.
        let needed = |n: &usize| needed(ConstantKind::Bool, *n);
        if (0..BOOL_CONSTANTS).any(|n| needed(&n)) {
            let set = (0..BOOL_CONSTANTS).filter(needed).filter(|n| constants.bool >> n & 1 != 0);
            let set: Vec<String> = set.map(|n| n.to_string()).collect();
            list.push(format!("bool = [{}]", set.join(", ")));
        }
        Ok(list)
    }
}
