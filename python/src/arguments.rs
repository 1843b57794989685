//! The arguments of `run`, `map` and `check` as a launch.

use crate::array::{Content, Source, numpy};
use crate::error::Fail;
use ctm::array::Dtype;
use ctm::isa::{BOOL_CONSTANTS, FLOAT_CONSTANTS, INPUTS, INT_CONSTANTS, OUTPUTS};
use ctm::launch::{Constants, Domain, FloatMode, Given, IntConstant, Launch, Limits, MAX_BOUND};
use ctm::memory::surface::default_pitch;
use ctm::memory::{
    ALIGNMENT, ArenaKind, ArenaSizes, Format, Memory, MemoryError, Surface, Tiling, Wrap,
};
use ctm::program::{ConstantKind, NameKind, Program};
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::sync::Arc;

/// A constant that the caller gives.
pub struct Constant {
    kind: ConstantKind,
    number: usize,
    /// Its value, or one for each launch: the bits of four floats; count, start and step; or one
    /// bit.
    pub values: Vec<[u32; 4]>,
    /// Whether there is one value for each launch.
    pub many: bool,
}

impl Constant {
    /// Sets the constant to its value in launch `n`.
    pub fn set(&self, n: usize, constants: &mut Constants) {
        let value = self.values[if self.many { n } else { 0 }];
        match self.kind {
            ConstantKind::Float => constants.float[self.number] = value,
            ConstantKind::Int => constants.int[self.number] = IntConstant::from_literal(value),
            ConstantKind::Bool => {
                constants.bool &= !(1 << self.number);
                constants.bool |= value[0] << self.number;
            }
        }
    }
}

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
    pub count: Option<usize>,
}

/// What the caller gave, as Python's values.
pub struct Call<'a, 'py> {
    pub domain: [i64; 4],
    pub inputs: Option<&'a Bound<'py, PyDict>>,
    pub outputs: &'a Bound<'py, PyDict>,
    pub constants: Option<&'a Bound<'py, PyDict>>,
    pub mode: &'a str,
    pub stats: bool,
    pub limit: Option<u64>,
    /// Whether arguments may have one more axis.
    pub many: bool,
}

impl Arguments {
    /// Checks the arguments and places the surfaces one after the other.
    pub fn of(program: &Arc<Program>, given: &Call<'_, '_>) -> PyResult<Arguments> {
        let mut launch = Launch::new(program.clone(), domain(given.domain)?);
        launch.mode = mode(given.mode)?;
        launch.statistics = given.stats;
        if let Some(limit) = given.limit {
            launch.limits = Limits { instructions: limit.max(1) };
        }
        let mut counts = Counts::default();
        let mut next = 0;
        let mut inputs = Vec::new();
        for (name, value) in given.inputs.into_iter().flatten() {
            let (slot, key) = slot(program, &name, "inputs", NameKind::Input, INPUTS)?;
            let content = Content::of(&key, &value, given.many)?;
            counts.add(&key, content.count)?;
            let surface = place(&mut next, content.format, content.width, content.height);
            if launch.inputs[slot].replace(surface).is_some() {
                return Err(twice(&key, "input", slot).into());
            }
            inputs.push(Placed { surface, content: Some(content) });
        }
        let mut outputs = Vec::new();
        for (name, value) in given.outputs {
            let (slot, key) = slot(program, &name, "outputs", NameKind::Output, OUTPUTS)?;
            let (content, format, width, height) = match value.cast::<PyString>() {
                Ok(text) => {
                    let format = format(&key, text.to_str()?)?;
                    (None, format, launch.domain.i1 + 1, launch.domain.j1 + 1)
                }
                Err(_) => {
                    let content = Content::of(&key, &value, false)?;
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
        for (name, value) in given.constants.into_iter().flatten() {
            let (constant, key) = constant(program, &name, &value, given.many)?;
            counts.add(&key, constant.many.then_some(constant.values.len()))?;
            if known.has(constant.kind, constant.number) {
                return Err(twice(&key, constant.kind.name(), constant.number).into());
            }
            known.add(constant.kind, constant.number);
            constants.push(constant);
        }
        let mut first = Constants::default();
        for constant in constants.iter().filter(|constant| !constant.many) {
            constant.set(0, &mut first);
        }
        let warnings = first.complete(known, program, "the caller");
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

    /// The surfaces of the outputs, in the caller's order.
    pub fn output_surfaces(&self) -> Vec<Surface> {
        self.outputs.iter().map(|(_, bound)| bound.surface).collect()
    }
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

/// A linear surface at the next free address.
fn place(next: &mut u64, format: Format, width: u32, height: u32) -> Surface {
    let pitch = default_pitch(Tiling::Linear, format, width);
    let at = u32::try_from(*next).unwrap_or(u32::MAX);
    let surface = Surface::new(at, pitch, height, Tiling::Linear, format);
    *next += surface.byte_size(pitch, height).next_multiple_of(ALIGNMENT.into());
    Surface { width, wrap: Wrap::Clamp, ..surface }
}

/// A domain: four bounds, inclusive.
pub fn domain(bounds: [i64; 4]) -> Result<Domain, Fail> {
    let bound = |n: usize| {
        let names = ["i0", "j0", "i1", "j1"];
        u32::try_from(bounds[n]).ok().filter(|&bound| bound <= MAX_BOUND).ok_or_else(|| {
            let text = format!("{} is {}, needed 0 to {MAX_BOUND}", names[n], bounds[n]);
            Fail::of_key("domain", text)
        })
    };
    Ok(Domain { i0: bound(0)?, j0: bound(1)?, i1: bound(2)?, j1: bound(3)? })
}

/// An arithmetic mode by its name.
pub fn mode(name: &str) -> Result<FloatMode, Fail> {
    let found = FloatMode::ALL.into_iter().find(|mode| mode.name() == name);
    found.ok_or_else(|| Fail::of_key("mode", format!("\"{name}\": expected exact or fast")))
}

fn format(key: &str, name: &str) -> Result<Format, Fail> {
    let found = Format::ALL.into_iter().find(|format| format.name() == name);
    found.ok_or_else(|| {
        let names = Format::ALL.map(Format::name).join(", ");
        Fail::of_key(key, format!("\"{name}\" is not a format: expected one of {names}"))
    })
}

/// The key of an argument for messages, such as `inputs.source`.
fn key_of(argument: &str, name: &Bound<'_, PyAny>) -> String {
    format!("{argument}.{name}")
}

/// The number of an input or output: a number, `i3`, or a name of the source.
fn slot(
    program: &Program,
    name: &Bound<'_, PyAny>,
    argument: &str,
    kind: NameKind,
    count: usize,
) -> PyResult<(usize, String)> {
    let key = key_of(argument, name);
    let letter = if kind == NameKind::Input { 'i' } else { 'o' };
    let image = program.image();
    let names = if kind == NameKind::Input { &image.input_names } else { &image.output_names };
    let number = match name.cast::<PyString>() {
        Ok(text) => {
            let text = text.to_str()?;
            let named = names.iter().find(|slot| slot.name == text).map(|slot| slot.slot as usize);
            named.or_else(|| text.strip_prefix(letter)?.parse().ok())
        }
        Err(_) => name.extract().ok(),
    };
    let number = number.filter(|&number: &usize| number < count);
    let number = number.ok_or_else(|| {
        let mut known: Vec<String> = names.iter().map(|slot| slot.name.clone()).collect();
        known.push(format!("a number from 0 to {}", count - 1));
        let what = kind.name();
        Fail::of_key(&key, format!("there is no such {what}: expected {}", known.join(", ")))
    })?;
    Ok((number, key))
}

/// The register of a constant: a name of the source, or `c0`, `n0`, `b0`.
fn register(program: &Program, name: &str) -> Option<(ConstantKind, usize)> {
    let image = program.image();
    if let Some(user) = image.user_constants.iter().find(|user| user.name == name) {
        return Some((user.kind, user.addr as usize));
    }
    let of_kind = |kind| {
        let mut kinds = ConstantKind::ALL.into_iter();
        kinds.find(|&constant| NameKind::from(constant) == kind)
    };
    let mut names = image.source.get().into_iter().flat_map(|map| &map.names);
    let named = names.find_map(|known| {
        Some((of_kind(known.kind)?, known.number as usize)).filter(|_| known.name == name)
    });
    named.or_else(|| {
        let kind = match name.chars().next()? {
            'c' => ConstantKind::Float,
            'n' => ConstantKind::Int,
            'b' => ConstantKind::Bool,
            _ => return None,
        };
        let number = name[1..].parse().ok()?;
        Some((kind, number)).filter(|_| number < kind.count())
    })
}

fn constant(
    program: &Program,
    name: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
    many: bool,
) -> PyResult<(Constant, String)> {
    let key = key_of("constants", name);
    let register =
        name.cast::<PyString>().ok().and_then(|name| register(program, name.to_str().ok()?));
    let Some((kind, number)) = register else {
        let mut known: Vec<String> =
            program.image().user_constants.iter().map(|user| user.name.clone()).collect();
        known.push(format!(
            "c0 to c{}, n0 to n{}, b0 to b{}",
            FLOAT_CONSTANTS - 1,
            INT_CONSTANTS - 1,
            BOOL_CONSTANTS - 1
        ));
        let text = format!("the program has no such constant: expected {}", known.join(", "));
        return Err(Fail::of_key(&key, text).into());
    };
    let (values, many) = match kind {
        ConstantKind::Float => floats(&key, value, many)?,
        ConstantKind::Int => integers(&key, value, many)?,
        ConstantKind::Bool => bools(&key, value, many)?,
    };
    Ok((Constant { kind, number, values, many }, key))
}

/// Values of up to four numbers each, and whether there is one for each launch.
type Values = (Vec<[u32; 4]>, bool);

/// The numbers of a bare number, a tuple or a list, without NumPy.
fn numbers(value: &Bound<'_, PyAny>) -> Option<Vec<f64>> {
    if value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>() {
        return Some(vec![value.extract().ok()?]);
    }
    if value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyList>() {
        return value.extract().ok();
    }
    None
}

fn floats(key: &str, value: &Bound<'_, PyAny>, many: bool) -> PyResult<Values> {
    let wrong = |found: String| {
        let more = if many { ", or an array (n, 1 to 4) with one for each launch" } else { "" };
        let text = format!("found {found}, needed a number or 1 to 4 numbers{more}");
        PyErr::from(Fail::of_key(key, text))
    };
    if let Some(numbers) = numbers(value) {
        let mut units = [0; 4];
        if numbers.is_empty() || numbers.len() > 4 {
            return Err(wrong(format!("{} numbers", numbers.len())));
        }
        units.iter_mut().zip(numbers).for_each(|(unit, x)| *unit = (x as f32).to_bits());
        return Ok((vec![units], false));
    }
    let array = numpy(value.py(), "asarray")?.call1((value, "<f4"));
    let source = Source::of(&array.map_err(|_| wrong(described(value)))?)?;
    rows::<4>(&source, Dtype::Float32.size(), many, |bytes| {
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    })
    .ok_or_else(|| wrong(source.describe()))
}

fn integers(key: &str, value: &Bound<'_, PyAny>, many: bool) -> PyResult<Values> {
    let wrong = |found: String| {
        let more = if many { ", or an array (n, 1 to 3) with them for each launch" } else { "" };
        let text = format!("found {found}, needed integers: count, aL start, aL step{more}");
        PyErr::from(Fail::of_key(key, text))
    };
    let array = numpy(value.py(), "asarray")?.call1((value,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if kind != "i" && kind != "u" {
        return Err(wrong(described(value)));
    }
    let source = Source::of(&array.call_method1("astype", ("<i8",))?)?;
    let mut outside = None;
    let (values, many) = rows::<3>(&source, 8, many, |bytes| {
        let mut eight = [0; 8];
        eight.copy_from_slice(bytes);
        let value = i64::from_le_bytes(eight);
        if !(-128..=255).contains(&value) {
            outside = Some(value);
        }
        value as u32
    })
    .ok_or_else(|| wrong(source.describe()))?;
    let bad = values.iter().find(|[count, start, step, _]| {
        *count > 255 || *start > 255 || !(-128..=127).contains(&step.cast_signed())
    });
    if outside.is_some() || bad.is_some() {
        let found = outside.map_or_else(|| described(value), |value| value.to_string());
        let text =
            format!("found {found}, needed count and start from 0 to 255, step from -128 to 127");
        return Err(Fail::of_key(key, text).into());
    }
    Ok((values, many))
}

fn bools(key: &str, value: &Bound<'_, PyAny>, many: bool) -> PyResult<Values> {
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok((vec![[value.is_true().into(), 0, 0, 0]], false));
    }
    let wrong = |found: String| {
        let more = if many { ", or a bool array (n,) with one for each launch" } else { "" };
        PyErr::from(Fail::of_key(key, format!("found {found}, needed True or False{more}")))
    };
    let array = numpy(value.py(), "asarray")?.call1((value,))?;
    let source = Source::of(&array)?;
    if source.code != "|b1" || source.shape.len() > usize::from(many) {
        return Err(wrong(source.describe()));
    }
    let count = source.shape.iter().product();
    let mut bytes = vec![0; count];
    source.copy(&[], &mut bytes);
    let values = bytes.into_iter().map(|bit| [bit.into(), 0, 0, 0]).collect();
    Ok((values, !source.shape.is_empty()))
}

/// The rows of at most `MOST` numbers of an array with two axes, or its one row.
fn rows<const MOST: usize>(
    source: &Source,
    size: usize,
    many: bool,
    mut unit: impl FnMut(&[u8]) -> u32,
) -> Option<Values> {
    let (count, numbers, is_many) = match source.shape[..] {
        [] => (1, 1, false),
        [numbers] => (1, numbers, false),
        [count, numbers] if many => (count, numbers, true),
        _ => return None,
    };
    if !(1..=MOST).contains(&numbers) {
        return None;
    }
    let mut bytes = vec![0; count * numbers * size];
    source.copy(&[], &mut bytes);
    let row = |row: &[u8]| {
        let mut units = [0; 4];
        units.iter_mut().zip(row.chunks_exact(size)).for_each(|(to, bytes)| *to = unit(bytes));
        units
    };
    Some((bytes.chunks_exact(numbers * size).map(row).collect(), is_many))
}

/// A value for messages.
fn described(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| "something else".to_string(), |text| text.to_string())
}
