//! A launch as a job folder: `job.toml` in the long form, the program, arrays of what is in memory.

use super::{Text, constant, domain, hex, inline, is_plain, list, quoted};
use crate::array::{Array, Dtype, Raster, npy};
use crate::job::{Problem, sharing_array};
use crate::load::Kind;
use ctm_base::files;
use ctm_isa::isa::{INPUTS, OUTPUTS, letters};
use ctm_lang::program::{ConstantKind, Image, Known, NameKind, Sharing};
use ctm_lang::{elf, raw};
use ctm_machine::engine::Faults;
use ctm_machine::launch::{Constants, Initial, Launch, Shared};
use ctm_machine::memory::{ALIGNMENT, Format, Memory, Surface};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

type Written<T = ()> = Result<T, Problem>;

/// A written folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The job file.
    pub job: PathBuf,
    /// The parts that a job file cannot express; without them the job may have other results.
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

/// Writes a launch as a job: `job.toml`, the program, the arrays in `memory`, and the results as `[[expect]]`.
/// The buffers have the program's names for them. A program with names or a source is written as an
/// executable, which keeps these, others as `program.hex`. Creates the folder if it is missing.
///
/// `base` is the address that is the job's address 0. Without it the surfaces follow each other; only those
/// that overlap keep their distances.
///
/// # Errors
/// The first file that cannot be written, or the host cannot allocate an array.
pub fn write(
    folder: &Path,
    about: &str,
    launch: &Launch,
    memory: &Memory,
    base: Option<u32>,
    expected: Option<Expected<'_>>,
) -> Result<Exported, Problem> {
    std::fs::create_dir_all(folder).map_err(|error| Problem::write(folder, &error))?;
    let places = base.map_or_else(|| places(launch), |base| vec![(base.into()..1 << 32, 0)]);
    let names = names(launch.program.image());
    let (text, expects, lost) = (Text::new(about), Text::default(), Vec::new());
    let mut export =
        Export { folder, launch, memory, expected, places, names, text, expects, lost };
    export.pass()?;
    export.program()?;
    export.results()?;
    export.file("job.toml", (export.text.0.clone() + &export.expects.0).as_bytes())?;
    Ok(Exported { job: folder.join("job.toml"), lost: export.lost })
}

/// The positions of a launch's address ranges in the job.
type Places = Vec<(Range<u64>, u64)>;

/// Surfaces may be in both arenas and far apart, and a job has one arena: those that overlap keep
/// their distances, and others follow.
fn places(launch: &Launch) -> Places {
    let condition = launch.condition.touched();
    let surfaces = launch.inputs.iter().chain(&launch.outputs).flatten().chain(&condition);
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

/// The program's names for its inputs and outputs, where they are plain words and differ.
fn names(image: &Image) -> BTreeMap<String, String> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for (kind, count) in [(NameKind::Input, INPUTS), (NameKind::Output, OUTPUTS)] {
        for slot in 0..count as u32 {
            let Some(name) = image.name_of(kind, slot) else { continue };
            let fits = is_plain(name) && name.len() <= 64 && name != "condition";
            if fits && names.values().all(|other| other != name) {
                names.insert(format!("{kind} {slot}"), name.to_string());
            }
        }
    }
    names
}

struct Export<'a> {
    folder: &'a Path,
    launch: &'a Launch,
    memory: &'a Memory,
    expected: Option<Expected<'a>>,
    places: Places,
    /// The names of buffers, by what they are otherwise called.
    names: BTreeMap<String, String>,
    text: Text,
    /// The end of the text.
    expects: Text,
    lost: Vec<String>,
}

impl Export<'_> {
    fn file(&self, name: &str, bytes: &[u8]) -> Written {
        let path = self.folder.join(name);
        files::write(&path, bytes).map_err(|error| Problem::write(&path, &error))
    }

    fn array(&self, name: &str, array: &Array) -> Written {
        let path = self.folder.join(name);
        npy::save(array, &path).map_err(|error| Problem::write(&path, &error))
    }

    /// Writes the array of some registers.
    fn floats(&self, name: &str, shape: Vec<usize>, rows: &[[u32; 4]]) -> Written {
        let units = rows.as_flattened().to_vec();
        self.array(name, &Array { dtype: Dtype::Float32, shape, units })
    }

    /// Writes a surface as a buffer with its contents, and as an expectation if the launch can write it.
    /// Returns the buffer's name in quotes; `None` if a job file cannot express the surface.
    fn buffer(&mut self, name: &str, surface: &Surface, written: bool) -> Written<Option<String>> {
        let Surface { base, pitch, height, .. } = *surface;
        let width = if written { pitch } else { surface.width };
        let bytes = surface.byte_size(pitch.max(width), height);
        if !self.memory.contains(base, bytes as usize) {
            self.lost.push(format!("{name} lies at 0x{base:08x}, partly or wholly outside memory"));
            return Ok(None);
        }
        let place = self.places.iter().find(|(range, _)| range.contains(&base.into()));
        let address = place.map_or(0, |(range, at)| at + (u64::from(base) - range.start));
        let file = name.replace(' ', "_") + ".npy";
        let array = |memory| Raster::read(memory, surface, width, height).map(Raster::into_array);
        self.array(&file, &array(self.memory)?)?;
        let name = quoted(self.names.get(name).map_or(name, String::as_str));
        self.text
            .table("[[buffer]]")
            .key("name", &name)
            .text("file", &file)
            .text("format", surface.format)
            .text("tiling", surface.tiling)
            .key("width", width)
            .key("height", height)
            .key("pitch", pitch)
            .key("address", hex(address))
            .text("wrap", surface.wrap);
        if let Some(expected) = self.expected.filter(|_| written) {
            let file = format!("expected_{file}");
            self.array(&file, &array(expected.memory)?)?;
            self.expects.expect(("buffer", &name), &file, true);
        }
        Ok(Some(name))
    }

    /// Writes surfaces as buffers; returns their slots and names.
    fn bound(&mut self, kind: NameKind, all: &[Option<Surface>]) -> Written<Vec<(usize, String)>> {
        let written = kind == NameKind::Output;
        let mut bound = Vec::new();
        for (slot, surface) in all.iter().enumerate() {
            // A job refuses inputs that its program does not read.
            if let Some(surface) = surface
                && (written || self.launch.program.uses().inputs >> slot & 1 != 0)
                && let Some(name) = self.buffer(&format!("{kind} {slot}"), surface, written)?
            {
                bound.push((slot, name));
            }
        }
        Ok(bound)
    }

    fn pass(&mut self) -> Written {
        let launch = self.launch;
        self.text.table("[float]").text("mode", launch.mode);
        self.text.table("[limits]").key("instructions", launch.limits.instructions);
        let inputs = self.bound(NameKind::Input, &launch.inputs)?;
        let outputs = self.bound(NameKind::Output, &launch.outputs)?;
        let condition = self.condition()?;
        let mut initial = Vec::new();
        let (width, height) = (launch.domain.width() as usize, launch.domain.height() as usize);
        for Initial { temp, data } in launch.initial.iter().filter(|_| !launch.domain.is_empty()) {
            // A job refuses initial temporaries that its program does not read.
            if launch.program.knows(NameKind::Temp, (*temp).into()) == Known::Used {
                let name = format!("r{temp}.npy");
                self.floats(&name, vec![height, width, 4], data)?;
                initial.push((temp, quoted(name)));
            }
        }
        if launch.interpolants.is_some() {
            self.lost.push("interpolants".to_string());
        }
        let constants = self.constants()?;
        self.text
            .table("[[pass]]")
            .key("domain", inline(domain(&launch.domain)))
            .line("constants", constants)
            .line("inputs", inputs)
            .line("outputs", outputs)
            .line("condition", condition)
            .line("initial", initial)
            .text("mask", letters(launch.out_mask));
        Ok(())
    }

    fn condition(&mut self) -> Written<Vec<(&'static str, String)>> {
        let condition = &self.launch.condition;
        let mut keys = Vec::new();
        let mut value = quoted(hex(condition.value));
        if let Some(surface) = condition.touched()
            && let Some(name) = self.buffer("condition", &surface, true)?
        {
            keys.push(("buffer", name));
            if surface.format == Format::Uint16x1 {
                value = (condition.value & 0xffff).to_string();
            }
        }
        let (test, location) = (quoted(condition.test), quoted(condition.location));
        keys.extend([("test", test), ("location", location), ("value", value)]);
        keys.push(("write", condition.write.to_string()));
        Ok(keys)
    }

    /// The constants that the program reads: those that are not 0 or that the launch gives.
    fn constants(&self) -> Written<Vec<(&'static str, String)>> {
        let constants = &*self.launch.constants;
        let zeros = Constants::default();
        let needed = |kind: ConstantKind| {
            let mut numbers = self.launch.program.uses().constants(kind);
            numbers.retain(|&n| {
                constant(constants, kind, n) != constant(&zeros, kind, n)
                    || constants.given.is_none_or(|given| given.has(kind, n as usize))
            });
            numbers
        };
        let mut keys = Vec::new();
        if let Some(&last) = needed(ConstantKind::Float).last() {
            let (name, rows) = ("constants.npy", &constants.float[..=last as usize]);
            self.floats(name, vec![rows.len(), 4], rows)?;
            keys.push(("float_file", quoted(name)));
        }
        let ints = needed(ConstantKind::Int);
        if !ints.is_empty() {
            let value = |n| (n, constant(constants, ConstantKind::Int, n));
            keys.push(("int", inline(ints.into_iter().map(value).collect())));
        }
        // A list gives all of them: those that it does not name are false.
        let bools = needed(ConstantKind::Bool);
        if !bools.is_empty() {
            keys.push(("bool", list(bools.iter().filter(|n| constants.bool >> **n & 1 != 0))));
        }
        Ok(keys)
    }

    fn program(&mut self) -> Written {
        let program = &self.launch.program;
        let image = program.image();
        self.text.table("[pass.program]");
        // A job gives only a bare program the shared registers that a command gave it.
        let has_names = !self.names.is_empty() || image.source.get().is_some();
        if has_names && image.sharing.is_none() {
            self.text.text("file", "program.elf");
            // Its constants are the launch's: a shader's uniforms would replace them.
            let image = Image { interface: None, ..image.clone() };
            return self.file("program.elf", &elf::write(&image));
        }
        self.file("program.hex", raw::write_hex(image).as_bytes())?;
        self.text
            .text("file", "program.hex")
            .text("kind", Kind::Hex)
            .key("umrt", program.umrt())
            .registers("[pass.program.registers]", program);
        if let (Some(sharing), Some(registers)) = (program.sharing(), &self.launch.shared) {
            self.text.key(Sharing::NAME, hex(sharing.0));
            self.text.table("[sharing]").key("simds", registers.simds);
            if sharing.globals() != 0 {
                self.array("shared.npy", &sharing_array(registers))?;
                self.text.text("initial", "shared.npy");
            }
        }
        Ok(())
    }

    /// Writes the expected results that no buffer has.
    fn results(&mut self) -> Written {
        let Some(expected) = self.expected else { return Ok(()) };
        let sharing = self.launch.program.sharing().filter(|sharing| sharing.globals() != 0);
        if let Some((registers, _)) = expected.shared.zip(sharing) {
            let file = "expected_shared.npy";
            self.array(file, &sharing_array(registers))?;
            self.expects.expect(("shared", "true"), file, true);
        }
        for (code, _) in expected.faults.iter() {
            self.expects.table("[[expect]]").text("fault", code);
        }
        Ok(())
    }
}
