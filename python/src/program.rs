//! `ctm.Program`.

use crate::arguments::{self, Arguments, Call, shape};
use crate::array::{code, numpy, words};
use crate::engines;
use crate::error::{Fail, caught};
use crate::given;
use crate::result::{Result, Summary, counted};
use crate::shader;
use crate::source::{kind, set_registers, source, verified};
use crate::watched::watched;
use ctm::asm::{Style, disassemble};
use ctm::elf;
use ctm::engine::estimate::Estimate;
use ctm::engine::gpu::shader::translate::{Options, State, translate};
use ctm::engine::{Checked, Stop};
use ctm::isa::MAX_INSTRUCTIONS;
use ctm::launch::{Domain, Launch, MAX_BOUND};
use ctm::load::{Kind, Shader, load, load_with};
use ctm::program::{self, Image, Known, NameKind, Registers, Sharing};
use ctm::sweep;
use pyo3::exceptions::{PyException, PyMemoryError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::num::NonZeroU64;
use std::sync::Arc;

/// A program: assembly text, an executable, a listing, a raw binary or a Mesa log.
///
/// Args:
///     source: the text, the bytes, or the path of a file. Text with a blank or a line end is a program,
///         other text a path.
///     name: its name in messages. Default: the path, or "program".
///     kind: "asm", "elf", "hex", "bin", "mesa", "ps", "glsl" or "wgsl". Default: by the name of a shader's
///         file, else by the content.
///     precise, linear: for shaders, as in `compile`.
///     index: which program of a file with several, from 0. Default: the last.
///     registers, umrt: the state registers by name, as in `{"US_CONFIG": 2}`, and whether outputs are uncached
///         writes; only for kinds that do not say so themselves: "hex", "bin", "mesa". By default the whole
///         program runs.
///
/// `inputs`, `outputs` and `constants` are the keys that `run` takes: names of the source, or registers
/// that have none, with their numbers; `uniforms` and `varyings` are those of a shader, with their types.
/// `warnings` is what its reader found odd.
///
/// >>> program = ctm.Program(".const gain c3\n mul o0, r0, gain")
/// >>> program.constants, program.outputs
/// ({'gain': 'c3'}, {'o0': 0})
#[pyclass(frozen, module = "ctm")]
pub struct Program {
    program: Arc<program::Program>,
    /// The source, for pickle.
    source: Vec<u8>,
    /// Whether the source says which registers the program has.
    declares: bool,
    /// Its name in messages.
    #[pyo3(get)]
    name: String,
    kind: Option<String>,
    index: Option<usize>,
    /// The options of a shader's compilation: by exact rules only; the samplers that interpolate.
    precise: bool,
    linear: Vec<String>,
    /// The warnings of its reader and of the verifier.
    #[pyo3(get)]
    warnings: Vec<String>,
}

/// The words of an instruction.
const WORDS: usize = 6;

/// The error of an output that NumPy makes no array for.
fn too_large(key: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = key.py();
    if error.is_instance_of::<PyException>(py) && !error.is_instance_of::<PyMemoryError>(py) {
        PyMemoryError::new_err(format!("outputs.{key}: {}", error.value(py)))
    } else {
        error
    }
}

/// The most group-instructions of a launch that runs on the calling thread. It takes about a
/// millisecond, so no signal needs to be looked for.
const SHORT: u64 = 10_000;

/// The largest source but a shader that the calling thread loads, in bytes: it takes a few milliseconds. So what
/// gives `run_many` its launches may assemble them while all threads run others.
const SHORT_SOURCE: usize = 1 << 16;

/// Whether a launch is so short that the calling thread runs it. It then starts no other thread.
fn is_short(engine: &str, launch: &Checked<'_>) -> bool {
    let one_band = launch.domain.j0 / 32 == launch.domain.j1 / 32;
    let estimate = Estimate::of(launch);
    let work = estimate.instructions.saturating_mul(launch.grouping.count());
    one_band && matches!(engine, "auto" | "block") && estimate.bounded && work <= SHORT
}

#[pymethods]
impl Program {
    #[new]
    #[pyo3(signature = (source, *, name=None, kind=None, index=None, registers=None, umrt=None, precise=false, linear=Vec::new()))]
    #[allow(clippy::too_many_arguments, reason = "keywords")]
    fn new(
        source: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = given::own_name)] name: Option<String>,
        #[pyo3(from_py_with = given::kind)] kind: Option<String>,
        #[pyo3(from_py_with = given::index)] index: Option<usize>,
        registers: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = given::umrt)] umrt: Option<bool>,
        #[pyo3(from_py_with = given::precise)] precise: bool,
        #[pyo3(from_py_with = given::linear)] linear: Vec<String>,
    ) -> PyResult<Program> {
        caught(|| {
            let (bytes, default) = self::source(source)?;
            let name = name.unwrap_or(default);
            let of_kind = kind.as_deref().map(self::kind).transpose()?;
            let options = Shader { precise, linear: &linear, ..Shader::default() };
            let load = |stop: &Stop, _: &(dyn Fn(u64, u64) + Sync)| {
                load_with(&bytes, &name, of_kind, index, &options, stop)
            };
            let is_shader = of_kind
                .or_else(|| Kind::of_name(&name))
                .is_some_and(|kind| matches!(kind, Kind::Glsl | Kind::Wgsl));
            let loaded = if bytes.len() <= SHORT_SOURCE && !is_shader {
                source.py().detach(|| load(Stop::never(), &|_, _| ()))
            } else {
                watched(source.py(), None, load)?
            };
            let mut loaded = loaded.map_err(|error| Fail::of_load(&error, &name))?;
            let declares = loaded.kind.has_container();
            for (key, given) in [("registers", registers.is_some()), ("umrt", umrt.is_some())] {
                if given && declares {
                    let kind = loaded.kind.name();
                    let text = format!("a program of kind {kind} brings its own, needed None");
                    return Err(Fail::of_key(key, text).into());
                }
            }
            set_registers(&mut loaded.image, registers)?;
            loaded.image.umrt = umrt.unwrap_or(loaded.image.umrt);
            let (program, warnings) = verified(source.py(), loaded.image, &loaded.notes)?;
            Ok(Program {
                program,
                source: bytes,
                declares,
                name,
                kind,
                index,
                precise,
                linear,
                warnings,
            })
        })
    }

    /// A program from its instruction words.
    ///
    /// Args:
    ///     words: six words for each of 1 to 512 instructions: an array of integers or a list of rows, (n, 6), or the
    ///         bytes of little-endian words.
    ///     registers: the state registers by name, as in `{"US_CONFIG": 2}`, each from 0 to 0xffffffff. By default the
    ///         whole program runs, with US_CONFIG 0. SQ_GPR_RESOURCE makes it a program with data sharing.
    ///     umrt: whether outputs are uncached writes.
    ///     name: its name in messages.
    ///
    /// Raises: `ctm.Error` for words that no engine can run, with the first such instruction as its `pc`.
    ///
    /// >>> words = [[0x00078005, 0x08020080, 0x08020080, 0x00930498, 0x00c18003, 0x00000005]]
    /// >>> "mov o0, .1001" in ctm.Program.from_words(words).disassemble()
    /// True
    #[staticmethod]
    #[pyo3(signature = (words, *, registers=None, umrt=false, name="program"))]
    fn from_words(
        py: Python<'_>,
        words: &Bound<'_, PyAny>,
        registers: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = given::own_umrt)] umrt: bool,
        #[pyo3(from_py_with = given::name)] name: &str,
    ) -> PyResult<Program> {
        caught(|| {
            let words = self::words(words, Some(WORDS), MAX_INSTRUCTIONS * WORDS)?;
            let mut image = Image::from_words(words.as_chunks().0.to_vec());
            set_registers(&mut image, registers)?;
            image.umrt = umrt;
            let source = image.to_bytes();
            let (program, warnings) = verified(py, image, &[])?;
            Ok(Program {
                program,
                source,
                declares: false,
                name: name.to_string(),
                kind: Some(Kind::Bin.name().to_string()),
                index: None,
                precise: false,
                linear: Vec::new(),
                warnings,
            })
        })
    }

    /// Compile a fragment shader.
    ///
    /// Args:
    ///     text: the source. See docs/compiler.md for what it may contain.
    ///     language: "glsl" or "wgsl".
    ///     name: its name in messages.
    ///     precise: allow only changes that keep every bit of the results.
    ///     linear: the names of samplers that interpolate between four elements.
    ///
    /// `inputs` and `outputs` then have the names of samplers and outputs; `run` takes `uniforms` and
    /// `varyings`.
    ///
    /// >>> shader = ctm.Program.compile("uniform float gain; void main() { gl_FragColor = vec4(gain); }")
    /// >>> result = shader.run((0, 0, 7, 7), outputs={"gl_FragColor": "FLOAT32_4"}, uniforms={"gain": 3})
    /// >>> result.outputs["gl_FragColor"][0, 0].tolist()
    /// [3.0, 3.0, 3.0, 3.0]
    #[staticmethod]
    #[pyo3(signature = (text, language="glsl", *, name="shader", precise=false, linear=Vec::new()))]
    fn compile(
        py: Python<'_>,
        #[pyo3(from_py_with = given::text)] text: String,
        #[pyo3(from_py_with = given::language)] language: &str,
        #[pyo3(from_py_with = given::name)] name: &str,
        #[pyo3(from_py_with = given::precise)] precise: bool,
        #[pyo3(from_py_with = given::linear)] linear: Vec<String>,
    ) -> PyResult<Program> {
        caught(|| {
            if !["glsl", "wgsl"].contains(&language) {
                let text = format!("\"{language}\": expected glsl or wgsl");
                return Err(Fail::of_key("language", text).into());
            }
            let source = PyBytes::new(py, text.as_bytes());
            let (name, kind) = (Some(name.to_string()), Some(language.to_string()));
            Program::new(source.as_any(), name, kind, None, None, None, precise, linear)
        })
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let named = PyDict::new(py);
        named.set_item("name", &self.name)?;
        named.set_item("kind", &self.kind)?;
        named.set_item("index", self.index)?;
        if !self.declares {
            let registers = PyDict::new(py);
            let mut own = *self.program.registers();
            for (name, register) in Registers::NAMES.into_iter().zip(own.words_mut()) {
                registers.set_item(name, *register)?;
            }
            if let Some(Sharing(word)) = self.program.sharing() {
                registers.set_item(Sharing::NAME, word)?;
            }
            named.set_item("registers", registers)?;
            named.set_item("umrt", self.program.umrt())?;
        }
        named.set_item("precise", self.precise)?;
        named.set_item("linear", &self.linear)?;
        Ok((PyTuple::new(py, [PyBytes::new(py, &self.source)])?, named))
    }

    /// The inputs: their names in the source, or `i0` and so on, and their numbers.
    #[getter]
    fn inputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.slots(py, NameKind::Input)
    }

    /// The outputs: their names in the source, or `o0` and so on, and their numbers.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.slots(py, NameKind::Output)
    }

    /// The names of the constants that the caller gives, and their registers.
    #[getter]
    fn constants<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let names = PyDict::new(py);
        for constant in &self.program.image().user_constants {
            if let Some((letter, _)) = NameKind::from(constant.kind).registers() {
                names.set_item(&constant.name, format!("{letter}{}", constant.addr))?;
            }
        }
        Ok(names)
    }

    /// The uniforms of a shader and their types, such as "float", "ivec2", "mat4" or "mat2x3".
    #[getter]
    fn uniforms<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let names = PyDict::new(py);
        for uniform in self.image().interface.iter().flat_map(|interface| &interface.uniforms) {
            let kind = shader::type_name(uniform.kind, uniform.columns, uniform.rows);
            names.set_item(&uniform.name, kind)?;
        }
        Ok(names)
    }

    /// The varyings of a shader and their types.
    #[getter]
    fn varyings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let names = PyDict::new(py);
        for varying in self.image().interface.iter().flat_map(|interface| &interface.varyings) {
            names.set_item(&varying.name, shader::type_name(varying.kind, 1, varying.rows))?;
        }
        Ok(names)
    }

    /// Run the program once over the points of a domain.
    ///
    /// Args:
    ///     domain: the points (i0, j0, i1, j1): columns i0 to i1 and rows j0 to j1, all inclusive.
    ///     outputs: required: for each output a format such as "FLOAT32_4"; the output is then as large as
    ///         the domain and starts as zeros. Or an array: its shape and type, and what the output starts as.
    ///     inputs: for each input an array (height, width, channels) of float32, uint8 or uint16, with 1, 2
    ///         or 4 channels; (height, width) for one channel. Elements are copied, nothing is converted.
    ///     constants: for each constant its value: a number or up to four for a float, count, aL start and aL
    ///         step for an integer, True or False for a boolean. What is left out is 0.
    ///     uniforms: of a shader, values by the names of the source: a number, a boolean, a list, a list of
    ///         columns for a matrix, a list of elements for an array, a dict for a structure.
    ///     varyings: of a shader, arrays (height, width, components) over the points of the domain, by the
    ///         names of the source, or the components that all points have. Without one, gl_FragCoord is
    ///         the point's position, gl_FrontFacing is true, and others are 0.
    ///     out: arrays that take results, by the keys of `outputs`. They have the shape and type of the output
    ///         and are C-contiguous; `result.outputs` has the same arrays.
    ///     engine: "auto" (the CPU, or for large launches a GPU), "block", "reference", "gpu", "interpreter"
    ///         or "translated".
    ///     adapter: the name or number of the GPU, as a string.
    ///     mode: "exact", "fast" or "chip".
    ///     stats: whether to count instructions and fetches.
    ///     limit: the instructions that a group of 64 points may run; one that needs more has a fault.
    ///
    /// Keys of inputs, outputs and constants are names of the source, numbers, or registers: "i0", "o0",
    /// "c0", "n0", "b0". The number 0 of a constant is "c0".
    ///
    /// Returns: a `Result`. Faults of the program are data in it. A constant that the program reads and
    /// that has no value is a `ctm.Warning`.
    ///
    /// Raises: `ctm.Error` for an argument that does not fit; its `key` names the argument.
    ///
    /// >>> program = ctm.Program("mul o0, r0, c0.r")
    /// >>> result = program.run((0, 0, 7, 7), outputs={"o0": "FLOAT32_4"}, constants={"c0": 2})
    /// >>> result.outputs["o0"][3, 5, :2].tolist()
    /// [10.0, 6.0]
    #[pyo3(signature = (domain, *, outputs, inputs=None, constants=None, uniforms=None, varyings=None, out=None, engine="auto", adapter=None, mode="exact", stats=false, limit=None))]
    #[allow(clippy::too_many_arguments, reason = "keywords")]
    fn run(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = given::domain)] domain: Domain,
        outputs: &Bound<'_, PyAny>,
        inputs: Option<&Bound<'_, PyAny>>,
        constants: Option<&Bound<'_, PyAny>>,
        uniforms: Option<&Bound<'_, PyAny>>,
        varyings: Option<&Bound<'_, PyAny>>,
        out: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = given::engine)] engine: &str,
        #[pyo3(from_py_with = given::adapter)] adapter: Option<String>,
        #[pyo3(from_py_with = given::mode)] mode: &str,
        #[pyo3(from_py_with = given::stats)] stats: bool,
        #[pyo3(from_py_with = given::limit)] limit: Option<NonZeroU64>,
    ) -> PyResult<Result> {
        caught(|| {
            let many = false;
            let call = Call {
                domain,
                inputs,
                outputs,
                constants,
                uniforms,
                varyings,
                mode,
                stats,
                limit,
                many,
            };
            let arguments = Arguments::of(&self.program, &call)?;
            let targets = arguments.targets(py, out, None)?;
            let engine = engines::open(engine, adapter.as_deref())?;
            let mut memory = arguments.memory().map_err(Fail::from)?;
            let image = self.program.image();
            let failed = |error| Fail::of_launch("", &error, image);
            let checked = Checked::new(&arguments.launch).map_err(failed)?;
            let outcome = if is_short(engine.name(), &checked) {
                py.detach(|| engine.run_checked(&checked, &mut memory, Stop::never()))
            } else {
                watched(py, None, |stop, _| engine.run_checked(&checked, &mut memory, stop))?
            };
            let outcome = outcome.map_err(failed)?;
            drop(checked);
            Result::of_run(py, &arguments, outcome, memory, targets)
        })
    }

    /// Run the program many times: constants and inputs may have one more leading axis, for the launches.
    ///
    /// All arguments are those of `run`. Those with an axis for the launches have the same number of values:
    ///
    /// Args:
    ///     constants: of a float constant an array (n, 1) to (n, 4), of an integer constant (n, 1) to (n, 3),
    ///         of a boolean (n,).
    ///     inputs: an array (n, height, width, channels), also with one channel.
    ///     out: arrays (n, height, width, channels), or (n, height, width) with one channel.
    ///     progress: a function of (done, total), which is called after each batch of launches; or True for a
    ///         bar of tqdm, if it is installed.
    ///
    /// Returns: a `Result` whose outputs have an axis for the launches; its `to_dict` is a table.
    ///
    /// >>> program = ctm.Program("mul o0, r0, c0")
    /// >>> factors = np.linspace(0, 1, 5, dtype="float32").reshape(-1, 1)
    /// >>> sweep = program.map((0, 0, 7, 7), outputs={0: "FLOAT32_1"}, constants={"c0": factors})
    /// >>> sweep.outputs[0][:, 0, 4].tolist()
    /// [0.0, 1.0, 2.0, 3.0, 4.0]
    #[pyo3(signature = (domain, *, outputs, inputs=None, constants=None, uniforms=None, varyings=None, out=None, engine="auto", adapter=None, mode="exact", stats=false, limit=None, progress=None))]
    #[allow(clippy::too_many_arguments, reason = "keywords")]
    fn map(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = given::domain)] domain: Domain,
        outputs: &Bound<'_, PyAny>,
        inputs: Option<&Bound<'_, PyAny>>,
        constants: Option<&Bound<'_, PyAny>>,
        uniforms: Option<&Bound<'_, PyAny>>,
        varyings: Option<&Bound<'_, PyAny>>,
        out: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = given::engine)] engine: &str,
        #[pyo3(from_py_with = given::adapter)] adapter: Option<String>,
        #[pyo3(from_py_with = given::mode)] mode: &str,
        #[pyo3(from_py_with = given::stats)] stats: bool,
        #[pyo3(from_py_with = given::limit)] limit: Option<NonZeroU64>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Result> {
        caught(|| {
            let many = true;
            let call = Call {
                domain,
                inputs,
                outputs,
                constants,
                uniforms,
                varyings,
                mode,
                stats,
                limit,
                many,
            };
            let arguments = Arguments::of(&self.program, &call)?;
            let count = arguments.count()?;
            let targets = arguments.targets(py, out, Some(count))?;
            let engine = engines::open(engine, adapter.as_deref())?;
            let progress = progress.map(|progress| {
                let make = py.import("ctm._progress")?.getattr("of")?;
                make.call1((progress,)).map(Bound::unbind)
            });
            let progress = progress.transpose()?.filter(|progress| !progress.is_none(py));
            let results = PyDict::new(py);
            let mut places: Vec<(usize, usize)> = Vec::new();
            for ((key, output), target) in arguments.outputs.iter().zip(targets) {
                let surface = &output.surface;
                let array = match target {
                    Some(target) => target,
                    None => {
                        let shape = shape(surface, Some(count));
                        let array = numpy(py, "empty")?.call1((shape, code(surface.format)));
                        array.map_err(|error| too_large(key.bind(py), error))?
                    }
                };
                let interface = array.getattr("__array_interface__")?;
                let (pointer, _): (usize, bool) = interface.get_item("data")?.extract()?;
                let elements = surface.width as usize * surface.height as usize;
                places.push((pointer, elements * surface.format.bytes_per_element() as usize));
                results.set_item(key, array)?;
            }
            let mut summary = Summary::of_sweep(&arguments);
            watched(py, progress.as_ref(), |stop, told| {
                let slice = |&(pointer, size): &(usize, usize)| {
                    // SAFETY: NumPy has just made the array of `count` x `size` bytes, and no other code
                    // has it until this call returns; or it is one of `out`, which is as large and shares
                    // no memory with the arguments, and which the caller leaves alone meanwhile.
                    unsafe { std::slice::from_raw_parts_mut(pointer as *mut u8, count * size) }
                };
                let mut outputs: Vec<&mut [u8]> = places.iter().map(slice).collect();
                let image = arguments.launch.program.image();
                let ended = |outcome| summary.add(outcome, image);
                sweep::run(&arguments, count, &mut outputs, engine.as_ref(), stop, ended, told)
            })??;
            summary.result(py, results, arguments.values(py, constants)?)
        })
    }

    /// The instructions as assembly text.
    ///
    /// Args:
    ///     friendly: False gives every field of every word.
    ///
    /// >>> "mov o0, r0" in ctm.Program("mov o0, r0").disassemble()
    /// True
    #[pyo3(signature = (*, friendly=true))]
    fn disassemble(
        &self,
        #[pyo3(from_py_with = given::friendly)] friendly: bool,
    ) -> PyResult<String> {
        caught(|| {
            let style = if friendly { Style::Friendly } else { Style::Explicit };
            Ok(disassemble(self.program.image(), style))
        })
    }

    /// The shader (WGSL) that the program becomes on a GPU.
    ///
    /// Args:
    ///     size: columns and rows of its surfaces, which are FLOAT32_4.
    ///     mode: "exact", "fast" or "chip".
    ///
    /// >>> "@compute" in ctm.Program("mov o0, r0").translate(size=(64, 64))
    /// True
    #[pyo3(signature = (*, size=(64, 64), mode="exact"))]
    fn translate(
        &self,
        #[pyo3(from_py_with = given::size)] size: (u32, u32),
        #[pyo3(from_py_with = given::mode)] mode: &str,
    ) -> PyResult<String> {
        caught(|| {
            let (width, height) = size;
            if !(1..=MAX_BOUND + 1).contains(&width) || !(1..=MAX_BOUND + 1).contains(&height) {
                let text = format!("found {width} x {height}, needed 1 to {}", MAX_BOUND + 1);
                return Err(Fail::of_key("size", text).into());
            }
            let launch = Launch::alike(self.program.clone(), width, height);
            let mut launch = launch.ok_or_else(|| {
                Fail::of_key("size", format!("surfaces of {width} x {height} take more than 4 GiB"))
            })?;
            launch.mode = arguments::mode(mode)?;
            let failed = |error| Fail::of_launch("", &error, self.program.image());
            let checked = Checked::new(&launch).map_err(failed)?;
            let whole = std::iter::once(0..1u64 << 32).collect::<Vec<_>>();
            State::of(&checked, &whole, &Options::default())
                .and_then(|state| translate(&launch.program, &checked.lowered, &state))
                .map(|translation| translation.wgsl)
                .map_err(|reason| {
                    Fail::new(format!("{}: not translated: {reason}", self.name)).into()
                })
        })
    }

    /// The program as an executable (ELF).
    ///
    /// >>> ctm.Program("mov o0, r0").elf()[:4]
    /// b'\x7fELF'
    fn elf<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        caught(|| Ok(PyBytes::new(py, &elf::write(self.program.image()))))
    }

    /// For notebooks: the source of a shader, and the listing from the author's names on.
    fn _repr_html_(&self) -> PyResult<String> {
        caught(|| {
            let text = self.disassemble(true)?;
            let state = [".note", ".register", ".sync"];
            let own = |line: &&str| !state.iter().any(|directive| line.starts_with(directive));
            let text = text.lines().filter(own).collect::<Vec<_>>().join("\n");
            let pre = |text: &str| {
                let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
                format!("<pre>{escaped}</pre>")
            };
            let files = self.program.source().map_or(&[][..], |map| &map.files[..]);
            let source = files.first().and_then(|file| file.text());
            match source.filter(|_| self.image().interface.is_some()) {
                Some(source) => {
                    let count = self.program.instructions().len() as u64;
                    let count = counted(count, "instruction", "instructions");
                    let (source, listing) = (pre(source.as_str()), pre(&text));
                    Ok(format!("{source}<details><summary>{count}</summary>{listing}</details>"))
                }
                None => Ok(pre(&text)),
            }
        })
    }

    fn __repr__(&self) -> String {
        let count = self.program.instructions().len() as u64;
        format!("<ctm.Program {}: {}>", self.name, counted(count, "instruction", "instructions"))
    }
}

impl Program {
    /// The inputs or outputs that have a name or are used.
    fn slots<'py>(&self, py: Python<'py>, kind: NameKind) -> PyResult<Bound<'py, PyDict>> {
        let names = PyDict::new(py);
        let own = self.program.image().names().filter(|(of, ..)| *of == kind);
        let own: Vec<(u32, &str)> = own.map(|(_, number, name)| (number, name)).collect();
        own.iter().try_for_each(|(number, name)| names.set_item(name, number))?;
        let Some((letter, count)) = kind.registers() else { return Ok(names) };
        for number in 0..count as u32 {
            let used = self.program.knows(kind, number) == Known::Used;
            if used && own.iter().all(|(named, _)| *named != number) {
                names.set_item(format!("{letter}{number}"), number)?;
            }
        }
        Ok(names)
    }

    /// Whether temporary 0 starts with the point's position: files that do not say which registers they have are of
    /// compilers that put a varying there.
    pub fn starts_with_point(&self) -> bool {
        self.declares
    }

    pub fn verified(&self) -> &Arc<program::Program> {
        &self.program
    }

    pub fn image(&self) -> &Image {
        self.program.image()
    }
}

/// Assemble a source text to an executable (ELF).
///
/// Args:
///     text: the source.
///     name: its name in errors and in the executable.
///
/// >>> ctm.assemble("mov o0, r0")[:4]
/// b'\x7fELF'
#[pyfunction]
#[pyo3(signature = (text, name="program"))]
pub fn assemble<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = given::text)] text: String,
    #[pyo3(from_py_with = given::name)] name: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    caught(|| {
        let loaded =
            watched(py, None, |stop, _| load(text.as_bytes(), name, Some(Kind::Asm), None, stop))?
                .map_err(|error| Fail::of_load(&error, name))?;
        let program = program::Program::new(loaded.image).map_err(Fail::from)?;
        Ok(PyBytes::new(py, &elf::write(program.image())))
    })
}

/// The number of launches of a sweep and of the points of each, if its arguments are right. For `ctm.ray`.
#[pyfunction]
pub fn plan(
    program: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = given::domain)] domain: Domain,
    outputs: &Bound<'_, PyAny>,
    inputs: Option<&Bound<'_, PyAny>>,
    constants: Option<&Bound<'_, PyAny>>,
) -> PyResult<(usize, u64)> {
    caught(|| {
        let (mode, stats, limit, many) = ("exact", false, None, true);
        let (uniforms, varyings) = (None, None);
        let call = Call {
            domain,
            inputs,
            outputs,
            constants,
            uniforms,
            varyings,
            mode,
            stats,
            limit,
            many,
        };
        let program = program
            .cast::<Program>()
            .map_err(|_| given::refused("program", program, &"a Program"))?;
        let arguments = Arguments::of(&program.get().program, &call)?;
        Ok((arguments.count()?, domain.points()))
    })
}
