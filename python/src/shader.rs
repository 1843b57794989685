//! Values of shaders by the names of their sources.

use crate::arguments::key_of;
use crate::array::{Number, Source};
use crate::constants::float32;
use crate::error::Fail;
use crate::given::{items, room};
use ctm::job::shader::Uniforms;
use ctm::launch::{Constants, Given, Initial, Launch};
use ctm::program::ConstantKind;
use ctm::program::interface::{Interface, Kind, Scalar, Uniform, Varying};
use pyo3::prelude::*;
use pyo3::types::PyMapping;
use std::sync::Arc;

/// Puts the values of uniforms and varyings where the program expects them. Constants that it sets are `known` then.
/// Returns warnings on what has no value.
pub fn fill(
    launch: &mut Launch,
    uniforms: Option<&Bound<'_, PyAny>>,
    varyings: Option<&Bound<'_, PyAny>>,
    constants: &mut Constants,
    known: &mut Given,
) -> PyResult<Vec<String>> {
    let program = launch.program.clone();
    let Some(interface) = &program.image().interface else {
        for (argument, value) in [("uniforms", uniforms), ("varyings", varyings)] {
            if value.is_some() {
                return Err(Fail::of_key(argument, "the program is not a shader").into());
            }
        }
        return Ok(Vec::new());
    };
    let mut values = Values { interface, uniforms: Uniforms::default(), notes: Vec::new() };
    for (name, value) in items("uniforms", uniforms)? {
        let key = key_of("uniforms", &name);
        values.uniform(&key, &name.to_string(), &value)?;
    }
    for (name, value) in items("varyings", varyings)? {
        let (key, name) = (key_of("varyings", &name), name.to_string());
        let Some(varying) = interface.varyings.iter().find(|varying| varying.name == name) else {
            let names = interface.varyings.iter().map(|varying| varying.name.as_str());
            return Err(unknown(&key, "varying", names));
        };
        match varying.temp {
            Some(temp) => {
                let data = Arc::new(points(&key, varying, launch, &value)?);
                launch.initial.push(Initial { temp, data });
            }
            None => values.notes.push(unused("varying", &name)),
        }
    }
    let (inputs, outputs) = (launch.inputs, launch.outputs);
    let size = |scalar: Scalar| {
        let (surface, axis) = match scalar {
            Scalar::Size(input, axis) => (inputs[input as usize], axis),
            Scalar::OutputSize(output, axis) => (outputs[output as usize], axis),
            Scalar::Uniform(..) => return 0,
        };
        surface.map_or(0, |one| ([one.width, one.height][axis as usize] as f32).to_bits())
    };
    let mut notes = values.notes;
    let domain = launch.domain;
    let missing = values.uniforms.fill(&program, &domain, &size, constants, &mut launch.initial);
    notes.extend(missing.into_iter().map(|note| note.replace("[[initial]]", "value")));
    for constant in &interface.constants {
        known.add(ConstantKind::Float, constant.addr.into());
    }
    Ok(notes)
}

fn unused(kind: &str, name: &str) -> String {
    format!("the shader declares the {kind} `{name}`, and does not use it")
}

fn unknown<'a>(key: &str, kind: &str, names: impl Iterator<Item = &'a str>) -> PyErr {
    let names: Vec<&str> = names.collect();
    let known = match names.len() {
        0 => "it has none".to_string(),
        _ => format!("it has {}", names.join(", ")),
    };
    Fail::of_key(key, format!("the shader has no {kind} of this name; {known}")).into()
}

struct Values<'a> {
    interface: &'a Interface,
    uniforms: Uniforms,
    notes: Vec<String>,
}

impl Values<'_> {
    /// Gives a uniform, the elements of an array, or the members of a structure their values.
    fn uniform(&mut self, key: &str, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let all = &self.interface.uniforms;
        if let Some(n) = all.iter().position(|uniform| uniform.name == name) {
            if !all[n].used {
                self.notes.push(unused("uniform", name));
            }
            self.uniforms.set(n, numbers(key, &all[n], value)?);
            return Ok(());
        }
        let begins = |start: &str| all.iter().any(|uniform| uniform.name.starts_with(start));
        if begins(&format!("{name}[0]")) {
            let count = (0..).take_while(|n| begins(&format!("{name}[{n}]"))).count();
            let needed = || Fail::of_key(key, format!("needed {count} elements"));
            // One more than are needed, of a sequence without an end.
            let elements = value.try_iter().map_err(|_| needed())?.take(count + 1);
            let elements: Vec<_> = elements.collect::<PyResult<_>>()?;
            if elements.len() != count {
                return Err(needed().into());
            }
            for (n, element) in elements.iter().enumerate() {
                self.uniform(&format!("{key}[{n}]"), &format!("{name}[{n}]"), element)?;
            }
            return Ok(());
        }
        if begins(&format!("{name}.")) && value.cast::<PyMapping>().is_ok() {
            for (member, value) in items(key, Some(value))? {
                self.uniform(&format!("{key}.{member}"), &format!("{name}.{member}"), &value)?;
            }
            return Ok(());
        }
        Err(unknown(key, "uniform", all.iter().map(|uniform| uniform.name.as_str())))
    }
}

/// The numbers of an array of this shape, or of one of the others.
fn read(
    key: &str,
    value: &Bound<'_, PyAny>,
    kind: Kind,
    shapes: &[Vec<usize>],
    needed: &str,
) -> PyResult<(Vec<u32>, Vec<usize>)> {
    let given = Source::of(key, value, &needed)?;
    let refused = || given.refused(key, value, &needed);
    if !shapes.contains(&given.shape) {
        return Err(refused());
    }
    let count = given.count();
    let mut bits = room(key, count)?;
    if given.kind() == b'b' {
        let bytes = given.bytes(key)?;
        bits.extend(bytes.into_iter().map(|byte| f32::from(byte != 0).to_bits()));
        return Ok((bits, given.shape.clone()));
    }
    let source = given.numbers(key, value, &needed)?.ok_or_else(refused)?;
    let bytes = source.bytes(key)?;
    for of in bytes.chunks_exact(source.size().max(1)) {
        let number = source.number(of);
        let float = match number {
            Number::Float32(bits) => Some(f32::from_bits(bits)),
            Number::Float64(wide) => float32(wide),
            Number::Integer(integer) => Some(integer as f32),
        };
        let whole = |float: &f32| float.fract() == 0.0 && float.abs() <= (1 << 24) as f32;
        let fits = float.filter(|float| match kind {
            Kind::Float => true,
            Kind::Int => whole(float),
            Kind::Bool => *float == 0.0 || *float == 1.0,
        });
        let wrong = || Fail::of_key(key, format!("found {number}, needed {needed}"));
        bits.push(fits.map(f32::to_bits).ok_or_else(wrong)?);
    }
    Ok((bits, given.shape.clone()))
}

/// The type of a uniform or varying, as GLSL calls it.
pub fn type_name(kind: Kind, columns: usize, rows: usize) -> String {
    let (scalar, letter) = match kind {
        Kind::Float => ("float", ""),
        Kind::Int => ("int", "i"),
        Kind::Bool => ("bool", "b"),
    };
    match (columns, rows) {
        (1, 1) => scalar.to_string(),
        (1, _) => format!("{letter}vec{rows}"),
        _ if columns == rows => format!("mat{rows}"),
        _ => format!("mat{columns}x{rows}"),
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Float => "numbers in the range of float32",
        Kind::Int => "integers up to 16777216",
        Kind::Bool => "booleans",
    }
}

/// The numbers of a uniform, column by column.
fn numbers(key: &str, uniform: &Uniform, value: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    let Uniform { columns, rows, .. } = *uniform;
    let (shape, needed) = match (columns, rows) {
        (1, 1) => (vec![], format!("one of {}", kind(uniform.kind))),
        (1, _) => (vec![rows], format!("{rows} {}", kind(uniform.kind))),
        _ => (vec![columns, rows], format!("{columns} columns of {rows} {}", kind(uniform.kind))),
    };
    Ok(read(key, value, uniform.kind, &[shape], &needed)?.0)
}

/// The values of a varying at each point of the domain.
fn points(
    key: &str,
    varying: &Varying,
    launch: &Launch,
    value: &Bound<'_, PyAny>,
) -> PyResult<Vec<[u32; 4]>> {
    let rows = varying.rows;
    let (width, height) = (launch.domain.width() as usize, launch.domain.height() as usize);
    let one = if rows == 1 { vec![] } else { vec![rows] };
    let mut shapes = vec![one.clone(), [vec![height, width], one].concat()];
    shapes.push(vec![height, width, rows]);
    let needed = format!(
        "an array ({height}, {width}, {rows}) of {}, or {rows} for all points",
        kind(varying.kind)
    );
    let (bits, shape) = read(key, value, varying.kind, &shapes, &needed)?;
    let point = |values: &[u32]| std::array::from_fn(|n| values.get(n).copied().unwrap_or(0));
    let mut points = room(key, width * height)?;
    if shape.len() < 2 {
        points.resize(width * height, point(&bits))
    } else {
        points.extend(bits.chunks(rows).map(point))
    }
    Ok(points)
}
