//! The comparer: finds the values in which two arrays differ, by the rules of job files.
//!
//! Two values are equal if |got - want| <= atol + rtol * |want|, or both are NaN, or both are the
//! same infinity, or both are finite and at most `ulps` units in the last place apart. In a comparison of
//! bits they are equal only if their stored units are the same.
//! Integer arrays are compared in stored units. The arithmetic is binary64.

use super::{Array, Dtype, WrongArray};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use std::fmt;

/// The differences that still count as equal.
#[derive(Clone, Copy, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Tolerance {
    /// Relative tolerance, as a factor of |want|.
    pub rtol: f64,
    /// Absolute tolerance.
    pub atol: f64,
    /// Units in the last place: how many representable numbers a float may be away. Integer arrays
    /// have none.
    pub ulps: u32,
    /// Fraction of the values that may differ.
    pub max_bad: f64,
    /// Values are equal only if their bits are; the other tolerances but `max_bad` have no effect.
    pub bits: bool,
}

impl Tolerance {
    /// Whether two floats, given by their bits, are equal.
    pub fn equal(&self, got: u32, want: u32) -> bool {
        got == want || self.accepts(&Apart::of(Dtype::Float32, got, want))
    }

    /// Whether two values with different bits are equal.
    fn accepts(&self, apart: &Apart) -> bool {
        let &Apart { want, error, ulps } = apart;
        // If only one side is infinite, no tolerance makes the values equal.
        let near = error == 0.0
            || error.is_finite() && error <= self.atol + self.rtol * want.abs()
            || ulps.is_some_and(|ulps| ulps <= self.ulps);
        near && !self.bits
    }
}

/// The distance of a value from the expected one.
struct Apart {
    want: f64,
    /// |got - want|; 0 if both are NaN, infinite if only one is.
    error: f64,
    ulps: Option<u32>,
}

impl Apart {
    fn of(dtype: Dtype, got: u32, want: u32) -> Apart {
        let (g, w) = (dtype.number(got), dtype.number(want));
        let error = match (g - w).abs() {
            _ if g == w || (g.is_nan() && w.is_nan()) => 0.0,
            e if e.is_nan() => f64::INFINITY,
            e => e,
        };
        let ulps = (dtype == Dtype::Float32).then(|| ulps(got, want)).flatten();
        Apart { want: w, error, ulps }
    }
}

/// Two values that differ, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueDifference {
    /// The indices: row, column, channel; one for each axis of the arrays.
    pub index: Vec<usize>,
    /// Type of both values.
    pub dtype: Dtype,
    /// The actual value, in stored units.
    pub got: u32,
    /// The expected value, in stored units.
    pub want: u32,
}

/// An object with both values as [`Dtype::show`] gives them.
impl Serialize for ValueDifference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("ValueDifference", 3)?;
        object.serialize_field("index", &self.index)?;
        object.serialize_field("got", &self.dtype.show(self.got))?;
        object.serialize_field("want", &self.dtype.show(self.want))?;
        object.end()
    }
}

impl fmt::Display for ValueDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index[..] {
            [j, i] => write!(f, "point ({i}, {j})")?,
            [j, i, c] => write!(f, "point ({i}, {j}) channel c{c}")?,
            _ => write!(f, "index {:?}", self.index)?,
        }
        let (got, want) = (self.dtype.show(self.got), self.dtype.show(self.want));
        write!(f, ": got {got}, want {want}")
    }
}

impl Dtype {
    /// A human-readable value: floats as number and hexadecimal bits, integers likewise.
    pub fn show(self, unit: u32) -> String {
        match self {
            Dtype::Float32 => format!("{:?} (0x{unit:08x})", f32::from_bits(unit)),
            Dtype::Uint8 => format!("{unit} (0x{unit:02x})"),
            Dtype::Uint16 => format!("{unit} (0x{unit:04x})"),
        }
    }

    /// The number that a unit represents.
    fn number(self, unit: u32) -> f64 {
        match self {
            Dtype::Float32 => f64::from(f32::from_bits(unit)),
            Dtype::Uint8 | Dtype::Uint16 => f64::from(unit),
        }
    }
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ArrayComparison {
    /// Whether at most the tolerated fraction differs.
    #[serde(rename = "equal")]
    pub passed: bool,
    /// Values compared.
    pub values: u64,
    /// Values that differ.
    pub differing: u64,
    /// Largest |got - want| of all values; infinite if a NaN or an infinity is compared with
    /// anything else; then JSON has null.
    pub worst: f64,
    /// Largest distance in units in the last place, of the floats that are both finite. `None` for
    /// integers, and without such values.
    pub worst_ulps: Option<u32>,
    /// The first value that differs, by row, column, channel.
    pub first: Option<ValueDifference>,
}

impl ArrayComparison {
    /// Fraction of the values that differ; 0 if there are none.
    pub fn fraction(&self) -> f64 {
        if self.values == 0 { 0.0 } else { self.differing as f64 / self.values as f64 }
    }
}

impl fmt::Display for ArrayComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.first {
            None if self.worst > 0.0 => {
                write!(f, "all {} values equal within the tolerance", self.values)?;
            }
            None => write!(f, "all {} values equal", self.values)?,
            Some(first) => write!(
                f,
                "{} of {} values differ ({:.2}%), first at {first}",
                self.differing,
                self.values,
                100.0 * self.fraction(),
            )?,
        }
        if self.worst > 0.0 {
            write!(f, "; worst error {}", three_digits(self.worst))?;
        }
        if let Some(ulps) = self.worst_ulps.filter(|&ulps| ulps > 0) {
            write!(f, " ({ulps} ULP)")?;
        }
        Ok(())
    }
}

/// A number with three digits: "5.71", "7.63e-6".
pub fn three_digits(number: f64) -> String {
    let rounded = format!("{number:.2e}").parse().unwrap_or(number);
    match rounded.abs() {
        0.0 | 0.0001..1e6 => rounded.to_string(),
        _ => format!("{rounded:e}"),
    }
}

/// Compares two arrays value by value.
///
/// # Errors
/// [`WrongArray`] if type or shape differ; a last axis of 1 may be missing.
pub fn compare(
    got: &Array,
    want: &Array,
    tolerance: &Tolerance,
) -> Result<ArrayComparison, WrongArray> {
    compare_where(got, want, tolerance, |_| true)
}

/// [`compare`] of the values that count, by their index in the arrays.
///
/// # Errors
/// As [`compare`].
pub fn compare_where(
    got: &Array,
    want: &Array,
    tolerance: &Tolerance,
    counts: impl Fn(usize) -> bool,
) -> Result<ArrayComparison, WrongArray> {
    let shape = squeezed(&got.shape);
    let like = |array: &Array| (array.dtype, squeezed(&array.shape).to_vec(), array.units.len());
    if like(got) != like(want) {
        return Err(WrongArray { found: got.describe(), needed: want.describe() });
    }
    let mut comparison = ArrayComparison {
        values: (0..got.units.len()).filter(|&at| counts(at)).count() as u64,
        differing: 0,
        worst: 0.0,
        worst_ulps: None,
        first: None,
        passed: true,
    };
    for (at, (&g, &w)) in got.units.iter().zip(&want.units).enumerate() {
        if g == w || !counts(at) {
            continue;
        }
        let apart = Apart::of(got.dtype, g, w);
        comparison.worst = comparison.worst.max(apart.error);
        comparison.worst_ulps = comparison.worst_ulps.max(apart.ulps);
        if !tolerance.accepts(&apart) {
            comparison.differing += 1;
            comparison.first.get_or_insert_with(|| ValueDifference {
                index: index(shape, at),
                dtype: got.dtype,
                got: g,
                want: w,
            });
        }
    }
    comparison.passed = comparison.fraction() <= tolerance.max_bad;
    Ok(comparison)
}

/// The distance of two finite binary32 numbers, given by their bits, in representable numbers:
/// units in the last place. Both zeros are one number. `None` if one is not finite.
pub fn ulps(a: u32, b: u32) -> Option<u32> {
    let place = |bits: u32| {
        let magnitude = i64::from(bits & 0x7fff_ffff);
        f32::from_bits(bits).is_finite().then_some(if bits >> 31 == 0 {
            magnitude
        } else {
            -magnitude
        })
    };
    Some(place(a)?.abs_diff(place(b)?) as u32)
}

/// A shape without a third axis of length 1.
fn squeezed(shape: &[usize]) -> &[usize] {
    match shape {
        [rest @ .., 1] if rest.len() == 2 => rest,
        _ => shape,
    }
}

fn index(shape: &[usize], mut at: usize) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (i, &n) in index.iter_mut().zip(shape).rev() {
        *i = at % n;
        at /= n;
    }
    index
}

#[cfg(test)]
mod tests;
