//! Arrays of Python as the machine's surfaces, and the machine's memory as arrays.
//!
//! Arrays cross the border through the `__array_interface__` of NumPy's own arrays: a pointer, a
//! shape and strides. NumPy makes an array of everything else, and checks it. (The stable ABI of Python
//! 3.10 has no buffer protocol.)

use crate::error::Fail;
use crate::given::{self, shown, unreadable};
use ctm::array::{Dtype, describe};
use ctm::memory::array::swap_channels;
use ctm::memory::{Format, Memory, MemoryError, Surface, Tiling, read_array};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyMemoryView, PyString, PyTuple,
};
use std::fmt::Display;
use std::sync::Arc;

/// The largest width and height of a surface.
const MAX_EXTENT: usize = 4096;

/// The most launches of a sweep.
const MAX_LAUNCHES: usize = 1 << 24;

/// The most items of a sequence of Python, with those of the sequences in it. More values are given as an array.
const MAX_ITEMS: usize = 1 << 20;

/// The most axes of an array that sequences make.
const MAX_AXES: usize = 16;

/// The most bytes of the arrays in a sequence, which NumPy copies: those of a file with an array.
const MAX_BYTES: u64 = ctm::array::npy::MAX_FILE;

/// The number of launches that an argument gives.
pub fn launches(key: &str, count: usize) -> Result<usize, Fail> {
    match count {
        0..=MAX_LAUNCHES => Ok(count),
        _ => {
            Err(Fail::of_key(key, format!("found {count} launches, needed at most {MAX_LAUNCHES}")))
        }
    }
}

/// A function of NumPy.
pub fn numpy<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static NUMPY: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = NUMPY.get_or_try_init(py, || py.import("numpy").map(Bound::unbind))?;
    module.bind(py).getattr(name)
}

/// An array of Python: where its elements are.
pub struct Source {
    pointer: *const u8,
    /// NumPy's name of the type, such as `<f4`.
    pub code: String,
    pub shape: Vec<usize>,
    strides: Vec<isize>,
    /// Keeps the elements.
    array: Py<PyAny>,
}

// SAFETY: the pointer is read only while `array` exists, and `Py` may cross threads.
unsafe impl Send for Source {}
// SAFETY: as above; nothing is written through it.
unsafe impl Sync for Source {}

impl Source {
    /// The array that the value of an argument is: NumPy's array, or anything that NumPy can make one of.
    pub fn of(key: &str, value: &Bound<'_, PyAny>, needed: &dyn Display) -> PyResult<Source> {
        let py = value.py();
        let made = || {
            if value.get_type().is(numpy(py, "ndarray")?) {
                return Source::of_numpy(value);
            }
            let is_dlpack =
                !value.hasattr("__array_interface__")? && value.hasattr("__dlpack__")?;
            if is_dlpack {
                return Source::of_numpy(&numpy(py, "from_dlpack")?.call1((value,))?);
            }
            let value = Measure::default().counted(value, 0)?;
            Source::of_numpy(&numpy(py, "asarray")?.call1((value,))?)
        };
        made().map_err(|error| unreadable(key, value, needed, error))
    }

    /// The same numbers as elements that [`Source::number`] reads; `None` if they are no numbers.
    pub fn numbers(
        &self,
        key: &str,
        value: &Bound<'_, PyAny>,
        needed: &dyn Display,
    ) -> PyResult<Option<Source>> {
        let code = match (self.kind(), self.size()) {
            (b'f', 2 | 4) => "<f4",
            (b'f', 8) => "<f8",
            (b'i', _) => "<i8",
            (b'u', _) => "<u8",
            _ => return Ok(None),
        };
        // An array of this type already is not copied.
        let array = numpy(value.py(), "asarray")?.call1((&self.array, code));
        let source = array.and_then(|array| Source::of_numpy(&array));
        source.map(Some).map_err(|error| unreadable(key, value, needed, error))
    }

    /// The number in the bytes of an element of [`Source::numbers`].
    pub fn number(&self, bytes: &[u8]) -> Number {
        let four = || bytes.try_into().map_or(0, u32::from_le_bytes);
        let eight = || bytes.try_into().map_or(0, u64::from_le_bytes);
        match (self.kind(), self.size()) {
            (b'f', 4) => Number::Float32(four()),
            (b'f', _) => Number::Float64(f64::from_bits(eight())),
            (b'i', _) => Number::Integer(eight().cast_signed().into()),
            _ => Number::Integer(eight().into()),
        }
    }

    /// An array of NumPy: what it says of itself is true.
    fn of_numpy(array: &Bound<'_, PyAny>) -> PyResult<Source> {
        let interface = array.getattr("__array_interface__")?;
        let get = |key: &str| interface.get_item(key);
        let (code, shape): (String, Vec<usize>) =
            (get("typestr")?.extract()?, get("shape")?.extract()?);
        let (pointer, _): (usize, bool) = get("data")?.extract()?;
        // NumPy gives no strides for elements in a row.
        let strides =
            if get("strides")?.is_none() { array.getattr("strides")? } else { get("strides")? };
        let strides = strides.extract()?;
        let array = array.clone().unbind();
        Ok(Source { pointer: pointer as *const u8, code, shape, strides, array })
    }

    /// The array.
    pub fn array<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.array.bind(py)
    }

    /// NumPy's letter for the kind of its elements.
    pub fn kind(&self) -> u8 {
        self.code.as_bytes().get(1).copied().unwrap_or_default()
    }

    /// The bytes of an element of a kind that has a fixed size.
    pub fn size(&self) -> usize {
        self.code.get(2..).and_then(|size| size.parse().ok()).unwrap_or_default()
    }

    /// Its element type, if the machine has it.
    pub fn dtype(&self) -> Option<Dtype> {
        match self.code.as_str() {
            "<f4" => Some(Dtype::Float32),
            "|u1" => Some(Dtype::Uint8),
            "<u2" => Some(Dtype::Uint16),
            _ => None,
        }
    }

    /// The error of a value that is not the array that an argument needs.
    pub fn refused(&self, key: &str, value: &Bound<'_, PyAny>, needed: &dyn Display) -> PyErr {
        Fail::of_key(key, format!("found {}, needed {needed}", self.describe(value))).into()
    }

    /// The array of a value for messages: type and shape. A value that is a single one, or not of
    /// numbers, as it is.
    fn describe(&self, value: &Bound<'_, PyAny>) -> String {
        if self.shape.is_empty() || !matches!(self.kind(), b'b' | b'i' | b'u' | b'f' | b'c') {
            return shown(value);
        }
        let dtype = self.array.bind(value.py()).getattr("dtype").and_then(|dtype| dtype.str());
        let name = dtype.map_or_else(|_| self.code.clone(), |name| name.to_string());
        describe(&name, &self.shape)
    }

    /// The number of its elements.
    pub fn count(&self) -> usize {
        self.shape.iter().fold(1, |count, &n| count.saturating_mul(n))
    }

    /// A copy of the bytes of all elements.
    pub fn bytes(&self, key: &str) -> Result<Vec<u8>, Fail> {
        let size = self.count().saturating_mul(self.size());
        let mut bytes = given::room(key, size)?;
        bytes.resize(size, 0);
        if size != 0 {
            self.copy(&[], &mut bytes);
        }
        Ok(bytes)
    }

    /// The bytes of element `at` along the first axes.
    fn offset(&self, at: &[usize]) -> isize {
        at.iter().zip(&self.strides).map(|(&n, &stride)| n as isize * stride).sum()
    }

    /// Copies the elements along the last axes, from `at` on, to `to`.
    pub fn copy(&self, at: &[usize], to: &mut [u8]) {
        let (shape, strides) = (&self.shape[at.len()..], &self.strides[at.len()..]);
        copy_axes(self.pointer, self.offset(at), shape, strides, self.size(), to);
    }
}

/// The size of a value's sequences so far, in all.
#[derive(Default)]
struct Measure {
    items: usize,
    bytes: u64,
}

impl Measure {
    /// A value for NumPy: sequences as lists of the items that they give, which are counted. NumPy itself believes what
    /// a sequence says of its length, and has no bound. `axes` is how many sequences the value is in.
    fn counted<'py>(
        &mut self,
        value: &Bound<'py, PyAny>,
        axes: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = value.py();
        let is_list =
            value.is_exact_instance_of::<PyList>() || value.is_exact_instance_of::<PyTuple>();
        if !is_list && is_single(value)? {
            return Ok(value.clone());
        }
        if !is_list && is_array(value)? {
            if axes == 0 {
                return Ok(value.clone());
            }
            let array = numpy(py, "asarray")?.call1((value,))?;
            self.bytes = self.bytes.saturating_add(array.getattr("nbytes")?.extract()?);
            return if self.bytes <= MAX_BYTES {
                Ok(array)
            } else {
                Err(PyValueError::new_err("its arrays have more than 4 GiB"))
            };
        }
        if axes == MAX_AXES {
            let text = format!("it has more than {MAX_AXES} lists in one another");
            return Err(PyValueError::new_err(text));
        }
        let items = given::counted(value, MAX_ITEMS - self.items)?;
        self.items += items.len();
        let items = items.iter().map(|item| self.counted(item, axes + 1));
        let items = items.collect::<PyResult<Vec<_>>>()?;
        Ok(PyList::new(py, items)?.into_any())
    }
}

/// Whether NumPy takes a value for one element: a number, a text, or an object that is no sequence.
fn is_single(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(value.is_instance_of::<PyInt>()
        || value.is_instance_of::<PyFloat>()
        || value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyDict>()
        || value.is_instance(&numpy(value.py(), "generic")?)?
        || !(value.hasattr("__len__")? && value.hasattr("__getitem__")?))
}

/// Whether a value has an array interface or the buffer protocol; lists and tuples have neither.
fn is_array(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    for name in ["__array_interface__", "__array_struct__", "__array__"] {
        if value.hasattr(name)? {
            return Ok(true);
        }
    }
    // It has Python's buffer protocol.
    Ok(PyMemoryView::from(value).is_ok())
}

/// A number of an array.
#[derive(Clone, Copy)]
pub enum Number {
    /// The bits of a float32: they may be those of a NaN.
    Float32(u32),
    Float64(f64),
    Integer(i128),
}

impl Number {
    /// The integer, if it is of an integer type.
    pub fn integer(self) -> Option<i128> {
        match self {
            Number::Integer(integer) => Some(integer),
            Number::Float32(_) | Number::Float64(_) => None,
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Number::Float32(bits) => write!(f, "{:?}", f32::from_bits(bits)),
            Number::Float64(float) => write!(f, "{float:?}"),
            Number::Integer(integer) => write!(f, "{integer}"),
        }
    }
}

/// The words that the argument `words` gives: the integers of an array or a sequence, or those in bytes; `most` at most.
/// `row`: an array has rows of as many words, and bytes are whole rows.
pub fn words(value: &Bound<'_, PyAny>, row: Option<usize>, most: usize) -> PyResult<Vec<u32>> {
    let key = "words";
    let (rows, size) = match row {
        Some(row) => (format!(" of shape (n, {row})"), 4 * row),
        None => (String::new(), 4),
    };
    let needed = &format_args!("integers from 0 to 0xffffffff{rows}, or bytes");
    let check = |count: usize| match count {
        _ if count <= most => Ok(()),
        _ => Err(Fail::of_key(key, format!("found {count} words, needed at most {most}"))),
    };
    let little = |bytes: &[u8]| -> PyResult<Vec<u32>> {
        check(bytes.len() / 4)?;
        let mut words = given::room(key, bytes.len() / 4)?;
        words.extend(bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)));
        Ok(words)
    };
    let owned;
    let bytes = if let Ok(bytes) = value.cast::<PyBytes>() {
        Some(bytes.as_bytes())
    } else if let Ok(bytes) = value.cast::<PyByteArray>() {
        owned = bytes.to_vec();
        Some(&owned[..])
    } else {
        None
    };
    if let Some(bytes) = bytes {
        if !bytes.len().is_multiple_of(size) {
            let text = format!("found {} bytes, needed a multiple of {size}", bytes.len());
            return Err(Fail::of_key(key, text).into());
        }
        return little(bytes);
    }
    let array = Source::of(key, value, needed)?;
    let refused = || array.refused(key, value, needed);
    match (&array.shape[..], row) {
        (&[count], None) => check(count)?,
        (&[count, own], Some(row)) if own == row => check(count.saturating_mul(row))?,
        _ => return Err(refused()),
    }
    if array.code == "<u4" {
        return little(&array.bytes(key)?);
    }
    let mut words = given::room(key, array.count())?;
    // Only now: this may copy the array.
    let numbers = array.numbers(key, value, needed)?.ok_or_else(refused)?;
    for (n, bytes) in numbers.bytes(key)?.chunks_exact(numbers.size()).enumerate() {
        let number = numbers.number(bytes);
        let word = number.integer().and_then(|integer| u32::try_from(integer).ok());
        words.push(word.ok_or_else(|| {
            let place = match row {
                Some(row) => format!("word {} of instruction {}", n % row, n / row),
                None => format!("word {n}"),
            };
            let text = format!("{place} is {number}, needed an integer from 0 to 0xffffffff");
            Fail::of_key(key, text)
        })?);
    }
    Ok(words)
}

/// Copies elements of `size` bytes in the order of their axes, until `to` is full.
fn copy_axes(
    pointer: *const u8,
    from: isize,
    shape: &[usize],
    strides: &[isize],
    size: usize,
    to: &mut [u8],
) {
    let mut whole = size;
    let contiguous = shape.iter().zip(strides).rev().all(|(&length, &stride)| {
        let fits = length == 1 || stride == whole as isize;
        whole *= length;
        fits
    });
    if contiguous {
        let length = whole.min(to.len());
        // SAFETY: the interface of the array says that its elements are there, and here they are
        // `whole` bytes in a row. `to` is not part of an array of Python.
        unsafe {
            std::ptr::copy_nonoverlapping(pointer.offset(from), to.as_mut_ptr(), length);
        }
        return;
    }
    let part: usize = size * shape[1..].iter().product::<usize>();
    for (n, to) in (0..shape[0]).zip(to.chunks_mut(part.max(1))) {
        let from = from + n as isize * strides[0];
        copy_axes(pointer, from, &shape[1..], &strides[1..], size, to);
    }
}

/// An array as the contents of a surface.
pub struct Content {
    pub source: Source,
    pub format: Format,
    pub width: u32,
    pub height: u32,
    /// The number of surfaces, if the array has one more leading axis.
    pub count: Option<usize>,
}

impl Content {
    /// The contents that a value gives. `many`: a fourth, leading axis is allowed. `or` is what else the
    /// argument takes.
    pub fn of(key: &str, value: &Bound<'_, PyAny>, many: bool, or: &str) -> PyResult<Content> {
        let more =
            if many { ", or (n, height, width, channels) with one for each launch" } else { "" };
        let needed = format_args!(
            "{or}float32, uint8 or uint16 of shape (height, width) or (height, width, \
             channels){more}, with 1, 2 or 4 channels, and height and width from 1 to {MAX_EXTENT}"
        );
        let source = Source::of(key, value, &needed)?;
        let (count, size) = match source.shape[..] {
            [height, width] => (None, Some((height, width, 1))),
            [height, width, channels] => (None, Some((height, width, channels))),
            [count, height, width, channels] if many => {
                (Some(launches(key, count)?), Some((height, width, channels)))
            }
            _ => (None, None),
        };
        let fits = |&(height, width, _): &(usize, usize, usize)| {
            (1..=MAX_EXTENT).contains(&height) && (1..=MAX_EXTENT).contains(&width)
        };
        let found = source.dtype().zip(size.filter(fits)).and_then(|(dtype, size)| {
            let format = Format::ALL
                .into_iter()
                .find(|&format| Dtype::of(format) == dtype && format.channels() as usize == size.2);
            Some((format?, size))
        });
        let Some((format, (height, width, _))) = found else {
            let is_number = matches!(source.kind(), b'b' | b'i' | b'u' | b'f');
            let hint = match source.dtype() {
                None if is_number => "; `.astype(\"float32\")` converts it",
                _ => "",
            };
            return Err(source.refused(key, value, &format_args!("{needed}{hint}")));
        };
        Ok(Content { source, format, width: width as u32, height: height as u32, count })
    }

    /// Stores the contents, number `n` of several, in a linear surface.
    pub fn store(
        &self,
        n: usize,
        memory: &mut Memory,
        surface: &Surface,
    ) -> Result<(), MemoryError> {
        let length = (self.width * self.format.bytes_per_element()) as usize;
        for y in 0..self.height {
            let to = row(memory, surface, y, length)?;
            match self.count {
                Some(_) => self.source.copy(&[n, y as usize], to),
                None => self.source.copy(&[y as usize], to),
            }
            swap_channels(self.format, to);
        }
        Ok(())
    }
}

/// The first `length` bytes of a row of a linear surface, to be written.
pub fn row<'m>(
    memory: &'m mut Memory,
    surface: &Surface,
    y: u32,
    length: usize,
) -> Result<&'m mut [u8], MemoryError> {
    let address = surface.address(0, y);
    let outside = MemoryError::OutsideArena { address, len: length as u64 };
    memory.overwrite(address, length).ok_or(outside)
}

/// NumPy's name of the type of a format's channels.
pub fn code(format: Format) -> &'static str {
    match Dtype::of(format) {
        Dtype::Float32 => "<f4",
        Dtype::Uint8 => "|u1",
        Dtype::Uint16 => "<u2",
    }
}

/// A part of the machine's memory that a NumPy array shows. The array keeps it.
#[pyclass(frozen)]
struct Store {
    pointer: usize,
    code: &'static str,
    shape: Vec<usize>,
    strides: Vec<usize>,
    /// Keeps the bytes; nothing accesses them but the array.
    _memory: Arc<Memory>,
}

#[pymethods]
impl Store {
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("data", (self.pointer, false))?;
        interface.set_item("typestr", self.code)?;
        interface.set_item("shape", PyTuple::new(py, &self.shape)?)?;
        interface.set_item("strides", PyTuple::new(py, &self.strides)?)?;
        Ok(interface)
    }
}

/// The surfaces of a memory that has no other user any more, as arrays of NumPy. Those of linear
/// surfaces own the memory: nothing is copied. Surfaces may share bytes if `shared`.
pub fn arrays<'py>(
    py: Python<'py>,
    mut memory: Memory,
    surfaces: &[Surface],
    shared: bool,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut places = Vec::with_capacity(surfaces.len());
    for surface in surfaces {
        let swapped = surface.format == Format::Uint8x4;
        if surface.tiling != Tiling::Linear || swapped && shared {
            places.push(None);
            continue;
        }
        let length = surface.width * surface.format.bytes_per_element();
        if swapped {
            for y in 0..surface.height {
                let bytes = row(&mut memory, surface, y, length as usize).map_err(Fail::from)?;
                swap_channels(surface.format, bytes);
            }
        }
        let whole = surface.pitch * surface.format.bytes_per_element() * (surface.height - 1);
        let bytes = memory.slice_mut(surface.address(0, 0), (whole + length) as usize);
        places.push(bytes.map(|bytes| bytes.as_mut_ptr() as usize));
    }
    let memory = Arc::new(memory);
    let array = |(surface, place): (&Surface, Option<usize>)| {
        let format = surface.format;
        let (width, height) = (surface.width as usize, surface.height as usize);
        let mut shape = vec![height, width];
        let element = format.bytes_per_element() as usize;
        let mut strides = vec![surface.pitch as usize * element, element];
        if format.channels() > 1 {
            shape.push(format.channels() as usize);
            strides.push(format.bytes_per_channel() as usize);
        }
        if let Some(pointer) = place {
            let memory = memory.clone();
            let store = Store { pointer, code: code(format), shape, strides, _memory: memory };
            return numpy(py, "asarray")?.call1((Bound::new(py, store)?,));
        }
        let units = read_array(&memory, surface, surface.width, surface.height);
        let units = units.map_err(Fail::from)?;
        let size = format.bytes_per_channel() as usize;
        let bytes: Vec<u8> =
            units.iter().flat_map(|unit| unit.to_le_bytes().into_iter().take(size)).collect();
        let flat = numpy(py, "frombuffer")?.call1((PyByteArray::new(py, &bytes), code(format)))?;
        flat.call_method1("reshape", (PyTuple::new(py, &shape)?,))
    };
    surfaces.iter().zip(places).map(array).collect()
}
