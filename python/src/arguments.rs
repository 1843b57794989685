//! The arguments of `run`, `map` and `check` as a launch.

use crate::array::{Content, Source, code, numpy};
use crate::constants::{Constant, constant};
use crate::error::Fail;
use crate::given::{items, refused};
use crate::shader;
use ctm::array::{Dtype, describe};
use ctm::launch::{Constants, Domain, FloatMode, Given, Launch, Limits};
use ctm::memory::surface::default_pitch;
use ctm::memory::{
    ALIGNMENT, ArenaKind, ArenaSizes, Format, Memory, MemoryError, Surface, Tiling, Wrap,
};
use ctm::program::{NameKind, Program};
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::num::NonZeroU64;
use std::sync::Arc;

/// A surface of the launch.
pub struct Placed {
    pub surface: Surface,
    /// Its contents before the launch; zeros if there are none.
    pub content: Option<Content>,
}

/// A launch, or many that differ in constants and inputs.
pub struct Arguments {
    pub launch: Launch,
    sizes: ArenaSizes,
    /// Memory for the first launch, until a launch takes it.
    memory: Mutex<Option<Memory>>,
    pub inputs: Vec<Placed>,
    /// The outputs, with the keys that the caller gave.
    pub outputs: Vec<(Py<PyAny>, Placed)>,
    pub constants: Vec<Constant>,
    pub warnings: Vec<String>,
    /// The number of launches, if an argument has an axis for them.
    count: Option<usize>,
}

/// The arguments of the caller, as Python's values.
pub struct Call<'a, 'py> {
    pub domain: Domain,
    pub inputs: Option<&'a Bound<'py, PyAny>>,
    pub outputs: &'a Bound<'py, PyAny>,
    pub constants: Option<&'a Bound<'py, PyAny>>,
    /// Values of a shader, by the names of its source.
    pub uniforms: Option<&'a Bound<'py, PyAny>>,
    pub varyings: Option<&'a Bound<'py, PyAny>>,
    pub mode: &'a str,
    pub stats: bool,
    pub limit: Option<NonZeroU64>,
    /// Whether arguments may have one more axis.
    pub many: bool,
}

impl Arguments {
    /// Checks the arguments and places the surfaces one after the other.
    pub fn of(program: &Arc<Program>, given: &Call<'_, '_>) -> PyResult<Arguments> {
        let mut launch = Launch::new(program.clone(), given.domain);
        launch.mode = mode(given.mode)?;
        launch.statistics = given.stats;
        if let Some(limit) = given.limit {
            launch.limits = Limits { instructions: limit.get() };
        }
        let mut counts = Counts::default();
        let mut notes = Vec::new();
        let mut next = 0;
        let mut inputs = Vec::new();
        for (name, value) in items("inputs", given.inputs)? {
            let (slot, key) = slot(program, &name, "inputs", NameKind::Input)?;
            let content = Content::of(&key, &value, given.many, "")?;
            counts.add(&key, content.count)?;
            let surface = place(&mut next, content.format, content.width, content.height);
            if launch.inputs[slot].replace(surface).is_some() {
                return Err(twice(&key, "input", slot).into());
            }
            inputs.push(Placed { surface, content: Some(content) });
            notes.extend(note(program, &key, NameKind::Input, slot)?);
        }
        let mut outputs = Vec::new();
        for (name, value) in items("outputs", Some(given.outputs))? {
            let (slot, key) = slot(program, &name, "outputs", NameKind::Output)?;
            let (content, format, width, height) = match value.cast::<PyString>() {
                Ok(text) => {
                    let format = format(&key, &text.to_string_lossy())?;
                    (None, format, launch.domain.i1 + 1, launch.domain.j1 + 1)
                }
                Err(_) => {
                    let or = "a format, such as \"FLOAT32_4\", or an array: ";
                    let content = Content::of(&key, &value, false, or)?;
                    let size = (content.format, content.width, content.height);
                    (Some(content), size.0, size.1, size.2)
                }
            };
            let surface = place(&mut next, format, width, height);
            if launch.outputs[slot].replace(surface).is_some() {
                return Err(twice(&key, "output", slot).into());
            }
            outputs.push((name.unbind(), Placed { surface, content }));
        }
        let mut constants = Vec::new();
        let mut known = Given::default();
        for (name, value) in items("constants", given.constants)? {
            let (constant, key) = constant(program, &name, &value, given.many)?;
            counts.add(&key, constant.many.then_some(constant.values.len()))?;
            if known.has(constant.kind, constant.number) {
                return Err(twice(&key, constant.kind.name(), constant.number).into());
            }
            known.add(constant.kind, constant.number);
            notes.extend(note(program, &key, constant.kind.into(), constant.number)?);
            constants.push(constant);
        }
        let mut first = Constants::default();
        for constant in constants.iter().filter(|constant| !constant.many) {
            constant.set(0, &mut first);
        }
        let shader =
            shader::fill(&mut launch, given.uniforms, given.varyings, &mut first, &mut known)?;
        let mut warnings = first.complete(known, program, "the caller");
        warnings.extend(shader);
        warnings.extend(notes);
        launch.constants = Arc::new(first);
        // The address of an arena that is larger than usual depends on the others.
        let sizes = ArenaSizes { gpu: next.max(1), gpub: 0, sys: 0, sysc: 0 };
        let count = counts.count.map(|(_, count)| count);
        let memory = Memory::new(&sizes).map_err(Fail::from)?;
        let base = memory.base(ArenaKind::Gpu);
        let surfaces = launch.inputs.iter_mut().chain(&mut launch.outputs).flatten();
        let placed = inputs.iter_mut().chain(outputs.iter_mut().map(|(_, placed)| placed));
        for surface in surfaces.chain(placed.map(|placed| &mut placed.surface)) {
            surface.base = surface.base.wrapping_add(base);
        }
        let arguments = Arguments {
            launch,
            sizes,
            memory: Mutex::default(),
            inputs,
            outputs,
            constants,
            warnings,
            count,
        };
        *arguments.memory.lock() = Some(arguments.filled(memory).map_err(Fail::from)?);
        Ok(arguments)
    }

    /// Memory for a launch, with the contents that are the same for all launches.
    pub fn memory(&self) -> Result<Memory, MemoryError> {
        match self.memory.lock().take() {
            Some(memory) => Ok(memory),
            None => self.filled(Memory::new(&self.sizes)?),
        }
    }

    /// The number of launches of a sweep.
    pub fn count(&self) -> Result<usize, Fail> {
        self.count.ok_or_else(|| {
            Fail::new(
                "no constant and no input has an axis for the launches: `run` runs one launch",
            )
        })
    }

    /// The bytes of memory of a launch.
    pub fn bytes(&self) -> u64 {
        self.sizes.gpu
    }

    fn filled(&self, mut memory: Memory) -> Result<Memory, MemoryError> {
        for placed in self.inputs.iter().chain(self.outputs.iter().map(|(_, placed)| placed)) {
            if let Some(content) = placed.content.as_ref().filter(|content| content.count.is_none())
            {
                content.store(0, &mut memory, &placed.surface)?;
            }
        }
        Ok(memory)
    }

    /// The constants of the caller that differ from launch to launch.
    pub fn values<'py>(
        &self,
        py: Python<'py>,
        constants: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let values = PyDict::new(py);
        for ((name, value), constant) in items("constants", constants)?.iter().zip(&self.constants)
        {
            if constant.many {
                values.set_item(name, value)?;
            }
        }
        Ok(values)
    }

    /// The arrays of `out`, in the order of the outputs; `None` where there is none. `count` is the number of
    /// launches of a sweep.
    pub fn targets<'py>(
        &self,
        py: Python<'py>,
        out: Option<&Bound<'py, PyAny>>,
        count: Option<usize>,
    ) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
        let mut targets: Vec<Option<Bound<'py, PyAny>>> = vec![None; self.outputs.len()];
        for (name, array) in items("out", out)? {
            let key = key_of("out", &name);
            let mut found = None;
            for (n, (output, _)) in self.outputs.iter().enumerate() {
                if output.bind(py).eq(&name)? {
                    found = Some(n);
                }
            }
            let n = found.ok_or_else(|| Fail::of_key(&key, "it is no key of `outputs`"))?;
            self.check_target(&key, &array, n, count, &targets)?;
            targets[n] = Some(array);
        }
        Ok(targets)
    }

    /// Refuses an array that output `n` cannot be written to. `others` are the arrays of other outputs.
    fn check_target(
        &self,
        key: &str,
        array: &Bound<'_, PyAny>,
        n: usize,
        count: Option<usize>,
        others: &[Option<Bound<'_, PyAny>>],
    ) -> PyResult<()> {
        let (py, others) = (array.py(), others.iter().flatten());
        let surface = &self.outputs[n].1.surface;
        let (code, shape) = (code(surface.format), shape(surface, count));
        let needed =
            format_args!("a C-contiguous {}", describe(Dtype::of(surface.format).name(), &shape));
        if !array.is_instance(&numpy(py, "ndarray")?)? {
            return Err(refused(key, array, &needed));
        }
        let flags = array.getattr("flags")?;
        let flag = |name: &str| flags.getattr(name)?.extract::<bool>();
        let source = Source::of(key, array, &needed)?;
        if source.code != code || source.shape != shape || !flag("c_contiguous")? {
            return Err(source.refused(key, array, &needed));
        }
        if !flag("writeable")? {
            return Err(Fail::of_key(key, "it is read-only").into());
        }
        let placed = self.inputs.iter().chain(self.outputs.iter().map(|(_, placed)| placed));
        let contents = placed.filter_map(|placed| placed.content.as_ref());
        let contents = contents.map(|content| content.source.array(py));
        for other in contents.chain(others) {
            if numpy(py, "may_share_memory")?.call1((array, other))?.extract()? {
                return Err(Fail::of_key(key, "it shares memory with another argument").into());
            }
        }
        Ok(())
    }

    /// The surfaces of the outputs, in the caller's order.
    pub fn output_surfaces(&self) -> Vec<Surface> {
        self.outputs.iter().map(|(_, bound)| bound.surface).collect()
    }
}

/// The shape of the array of an output; `count` is the number of launches of a sweep.
pub fn shape(surface: &Surface, count: Option<usize>) -> Vec<usize> {
    let channels = Some(surface.format.channels() as usize).filter(|&channels| channels > 1);
    let size = [surface.height as usize, surface.width as usize];
    count.into_iter().chain(size).chain(channels).collect()
}

/// The number of launches, and the argument that gave it first.
#[derive(Default)]
struct Counts {
    count: Option<(String, usize)>,
}

impl Counts {
    fn add(&mut self, key: &str, count: Option<usize>) -> PyResult<()> {
        let Some(count) = count else {
            return Ok(());
        };
        match &self.count {
            Some((first, other)) if *other != count => Err(Fail::of_key(
                key,
                format!("it has {count} values along its first axis, but {first} has {other}"),
            )
            .into()),
            Some(_) => Ok(()),
            None => {
                self.count = Some((key.to_string(), count));
                Ok(())
            }
        }
    }
}

fn twice(key: &str, kind: &str, number: usize) -> Fail {
    Fail::of_key(key, format!("{kind} {number} is given twice"))
}

/// Refuses a value for a register that the program does not know; a note on one that it does not use.
fn note(
    program: &Program,
    key: &str,
    kind: NameKind,
    number: usize,
) -> Result<Option<String>, Fail> {
    let note = Program::check_given([program], kind, number as u32);
    note.map_err(|text| Fail::of_key(key, text))
}

/// A linear surface at the next free address.
fn place(next: &mut u64, format: Format, width: u32, height: u32) -> Surface {
    let pitch = default_pitch(Tiling::Linear, format, width);
    let at = u32::try_from(*next).unwrap_or(u32::MAX);
    let surface = Surface::new(at, pitch, height, Tiling::Linear, format);
    *next += surface.byte_size(pitch, height).next_multiple_of(ALIGNMENT.into());
    Surface { width, wrap: Wrap::Clamp, ..surface }
}

/// An arithmetic mode by its name.
pub fn mode(name: &str) -> Result<FloatMode, Fail> {
    let found = FloatMode::ALL.into_iter().find(|mode| mode.name() == name);
    found.ok_or_else(|| Fail::of_key("mode", format!("\"{name}\": expected exact, fast or chip")))
}

fn format(key: &str, name: &str) -> Result<Format, Fail> {
    let found = Format::ALL.into_iter().find(|format| format.name() == name);
    found.ok_or_else(|| {
        let names = Format::ALL.map(Format::name).join(", ");
        Fail::of_key(key, format!("\"{name}\" is not a format: expected one of {names}"))
    })
}

/// The key of an argument for messages, such as `inputs.source`.
pub fn key_of(argument: &str, name: &Bound<'_, PyAny>) -> String {
    format!("{argument}.{name}")
}

/// The number of an input or output: a number, `i3`, or a name of the source; and the key of the
/// argument for messages.
fn slot(
    program: &Program,
    name: &Bound<'_, PyAny>,
    argument: &str,
    kind: NameKind,
) -> PyResult<(usize, String)> {
    let key = key_of(argument, name);
    let found = program.image().register(&[kind], &name.to_string());
    let (_, number) = found.map_err(|text| Fail::of_key(&key, text))?;
    Ok((number as usize, key))
}
