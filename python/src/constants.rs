//! The constants of a call.

use crate::arguments::key_of;
use crate::array::{Number, Source, launches};
use crate::error::Fail;
use crate::given::room;
use ctm::launch::Constants;
use ctm::program::{ConstantKind, Program, UnknownName};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::fmt::Display;

/// A constant that the caller gives.
pub struct Constant {
    pub kind: ConstantKind,
    pub number: usize,
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
        constants.set(self.kind, self.number, value);
    }
}

/// The register of a constant: a name of the source, `c0`, `n0`, `b0`, or the number of a float
/// constant.
fn register(
    program: &Program,
    name: &Bound<'_, PyAny>,
) -> Result<(ConstantKind, usize), UnknownName> {
    let image = program.image();
    let (kind, number) = match name.cast::<PyString>() {
        Ok(name) => image.register(&ConstantKind::ALL, &name.to_string_lossy())?,
        Err(_) => image.register(&[ConstantKind::Float], &name.to_string())?,
    };
    Ok((kind, number as usize))
}

/// A constant of the caller, and its key for messages. `many`: there may be one value for each launch.
pub fn constant(
    program: &Program,
    name: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
    many: bool,
) -> PyResult<(Constant, String)> {
    let key = key_of("constants", name);
    let (kind, number) = register(program, name).map_err(|text| Fail::of_key(&key, text))?;
    let (values, many) = match kind {
        ConstantKind::Float => floats(&key, value, many)?,
        ConstantKind::Int => integers(&key, value, many)?,
        ConstantKind::Bool => bools(&key, value, many)?,
    };
    Ok((Constant { kind, number, values, many }, key))
}

/// Values of up to four numbers each, and whether there is one for each launch.
type Values = (Vec<[u32; 4]>, bool);

fn floats(key: &str, value: &Bound<'_, PyAny>, many: bool) -> PyResult<Values> {
    if let Some(units) = bare_floats(value) {
        return Ok((vec![units], false));
    }
    let more = if many { ", or an array (n, 1 to 4) with one for each launch" } else { "" };
    let needed = format_args!("a number or 1 to 4 numbers in the range of float32{more}");
    rows(key, value, &needed, b"fiu", 4, many, |_, number| match number {
        Number::Float32(bits) => Some(bits),
        Number::Float64(wide) => float32(wide).map(f32::to_bits),
        Number::Integer(integer) => Some((integer as f32).to_bits()),
    })
}

fn integers(key: &str, value: &Bound<'_, PyAny>, many: bool) -> PyResult<Values> {
    let more = if many { ", or an array (n, 1 to 3) with them for each launch" } else { "" };
    let needed =
        format_args!("integers: count and aL start from 0 to 255, aL step from -128 to 127{more}");
    rows(key, value, &needed, b"iu", 3, many, |column, number| {
        let range = if column == 2 { -128..=127 } else { 0..=255 };
        number.integer().filter(|integer| range.contains(integer)).map(|integer| integer as u32)
    })
}

fn bools(key: &str, value: &Bound<'_, PyAny>, many: bool) -> PyResult<Values> {
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok((vec![[value.is_true().into(), 0, 0, 0]], false));
    }
    let more = if many { ", or a bool array (n,) with one for each launch" } else { "" };
    let needed = format_args!("True or False{more}");
    let source = Source::of(key, value, &needed)?;
    if source.kind() != b'b' || source.shape.len() > usize::from(many) {
        return Err(source.refused(key, value, &needed));
    }
    let mut values = room(key, launches(key, source.count())?)?;
    let bytes = source.bytes(key)?;
    values.extend(bytes.into_iter().map(|byte| [u32::from(byte != 0), 0, 0, 0]));
    Ok((values, !source.shape.is_empty()))
}

/// A number as a float32, if it has one: a larger one is no infinity.
pub fn float32(wide: f64) -> Option<f32> {
    let float = wide as f32;
    (float.is_finite() || !wide.is_finite()).then_some(float)
}

/// An integer beyond 64 bits as a float32, rounded once, if it has one.
fn wide(integer: &Bound<'_, PyAny>) -> Option<f32> {
    let float = integer.abs().ok()?.extract::<u128>().ok()? as f32;
    let float = if integer.lt(0).ok()? { -float } else { float };
    Some(float).filter(|float| float.is_finite())
}

/// A number, or a tuple or list of up to four, without NumPy, which reads everything else.
fn bare_floats(value: &Bound<'_, PyAny>) -> Option<[u32; 4]> {
    let number = |value: &Bound<'_, PyAny>| {
        if value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>() {
            return match value.extract::<i64>() {
                Ok(integer) => Some(integer as f32),
                Err(_) => wide(value),
            };
        }
        float32(value.cast::<PyFloat>().ok()?.value())
    };
    let mut units = [0; 4];
    if value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyList>() {
        if !(1..=units.len()).contains(&value.len().ok()?) {
            return None;
        }
        for (unit, item) in units.iter_mut().zip(value.try_iter().ok()?) {
            *unit = number(&item.ok()?)?.to_bits();
        }
    } else {
        units[0] = number(value)?.to_bits();
    }
    Some(units)
}

/// The rows of at most `most` numbers of an array with two axes, or its one row. `kinds` are NumPy's letters
/// for its elements. `unit` makes the bits of a constant of the number in a column.
fn rows(
    key: &str,
    value: &Bound<'_, PyAny>,
    needed: &dyn Display,
    kinds: &[u8],
    most: usize,
    many: bool,
    unit: impl Fn(usize, Number) -> Option<u32>,
) -> PyResult<Values> {
    let array = Source::of(key, value, needed)?;
    let size = match array.shape[..] {
        _ if !kinds.contains(&array.kind()) => None,
        [] => Some((1, 1, false)),
        [width] => Some((1, width, false)),
        [count, width] if many => Some((launches(key, count)?, width, true)),
        _ => None,
    };
    let size = size.filter(|(_, width, _)| (1..=most).contains(width));
    let hint = match array.shape[..] {
        [width] if many && width > most => "; `.reshape(-1, 1)` gives each launch one number",
        _ => "",
    };
    let refused = || array.refused(key, value, &format_args!("{needed}{hint}"));
    let (count, width, many) = size.ok_or_else(refused)?;
    let mut values = room(key, count)?;
    // Only now: this may copy the array.
    let source = array.numbers(key, value, needed)?.ok_or_else(refused)?;
    let mut bytes = [0; 4 * 8];
    let bytes = &mut bytes[..width * source.size()];
    for n in 0..count {
        source.copy(&[n][..usize::from(many)], bytes);
        let mut units = [0; 4];
        for (column, of) in bytes.chunks_exact(source.size()).enumerate() {
            let number = source.number(of);
            units[column] = unit(column, number)
                .ok_or_else(|| Fail::of_key(key, format!("found {number}, needed {needed}")))?;
        }
        values.push(units);
    }
    Ok((values, many))
}
